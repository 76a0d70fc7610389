//! `install`: connects agent hosts to this program, or shows how.

use super::home::{self, Here};
use super::install_git::{self, Wish};
use super::pause::{refused, trouble};
use super::{Exit, terminal};
use crate::host::setup::Owner;
use crate::host::{ALL, Host};
use crate::log::{Entry, Log, Settings};
use crate::setup::git::Way;
use crate::setup::plan::{self, Plan, What};
use crate::setup::{Around, Scope, apply, diff};
use crate::state::State;
use crate::state::time::Moment;
use std::io::{BufRead, IsTerminal, Read};
use std::path::{Path, PathBuf};

/// How git itself is named among the hosts.
const GIT: &str = "git";

/// The arguments.
#[derive(clap::Args)]
pub(super) struct Args {
    /// The agent hosts, or `all`; without one, those that are found here. `git`: git's own hooks
    #[arg(value_name = "HOST", value_parser = with_git())]
    hosts: Vec<String>,
    /// The repository whose hooks `git` means
    #[arg(long, value_name = "DIR")]
    repo: Option<PathBuf>,
    /// By which way git comes to our hooks; without it, the one that every git here takes
    #[arg(long, value_name = "WAY", value_parser = ["files", "config"])]
    way: Option<String>,
    /// For all your projects (the default)
    #[arg(long, conflicts_with = "project")]
    user: bool,
    /// For the checkout that you are in
    #[arg(long)]
    project: bool,
    /// Only show what would be written
    #[arg(long)]
    dry_run: bool,
    /// Write without asking
    #[arg(long)]
    yes: bool,
    /// Only print the entry; where it goes is told on stderr
    #[arg(long, conflicts_with_all = ["dry_run", "yes"])]
    print: bool,
}

/// What a person may name.
pub(super) fn names() -> clap::builder::PossibleValuesParser {
    let known = ALL.iter().filter(|host| host.setup.is_some());
    known
        .map(|host| host.name)
        .chain(["all"])
        .collect::<Vec<_>>()
        .into()
}

/// The same, and git.
pub(super) fn with_git() -> clap::builder::PossibleValuesParser {
    let known = ALL.iter().filter(|host| host.setup.is_some());
    let known = known.map(|host| host.name).chain(["all", GIT]);
    known.collect::<Vec<_>>().into()
}

/// Whether git's own hooks are meant; `Err` where something else is, too.
pub(super) fn means_git(hosts: &[String], repo: Option<&Path>) -> Result<bool, &'static str> {
    let git = hosts.iter().any(|host| host == GIT);
    match git {
        true if hosts.len() > 1 => Err("`git` goes alone, without hosts"),
        false if repo.is_some() => Err("`--repo` goes with `git`"),
        git => Ok(git),
    }
}

/// The hosts that the words name; none without words.
pub(super) fn named(words: &[String]) -> Vec<&'static Host> {
    let all = words.iter().any(|word| word == "all");
    let known = ALL.iter().copied().filter(|host| host.setup.is_some());
    known
        .filter(|host| all || words.iter().any(|word| word == host.name))
        .collect()
}

/// Runs the verb.
pub(super) fn run(args: &Args) -> Exit {
    match means_git(&args.hosts, args.repo.as_deref()) {
        Err(why) => return trouble(why),
        Ok(true) => {
            return install_git::put(&Wish {
                repo: args.repo.as_deref(),
                dry_run: args.dry_run,
                yes: args.yes,
                way: args.way.as_deref().map(|way| match way {
                    "config" => Way::Config,
                    _ => Way::Files,
                }),
            });
        }
        Ok(false) if args.way.is_some() => return trouble("`--way` goes with `git`"),
        Ok(false) => {}
    }
    let around = Around::of_process(Here::of(None).top().map(Path::to_owned));
    let scope = if args.project {
        Scope::Project
    } else {
        Scope::User
    };
    if args.print {
        return print(args, &around, scope);
    }
    let program = match &around.program {
        Ok(program) => program,
        Err(why) => return trouble(why),
    };
    let mut hosts = named(&args.hosts);
    if hosts.is_empty() {
        hosts = ALL
            .iter()
            .copied()
            .filter(|host| around.uses(host))
            .collect();
        if hosts.is_empty() {
            terminal::err(&format!(
                "leaseguard: no agent host was found here; name one: {}\n",
                listed(&named(&["all".to_owned()]))
            ));
            return Exit::Ask;
        }
        terminal::out(&format!("found here: {}\n", listed(&hosts)));
    }
    if let Some(why) = &program.fleeting {
        terminal::err(&format!("warning: {why}\n"));
    }
    let state = match home::state() {
        Ok(state) => state,
        Err(why) => return trouble(&why),
    };
    let mut worst = Exit::Ok;
    let mut changes = Vec::new();
    for host in hosts {
        match plan::install(host, scope, &around) {
            Err(why) => return trouble(&why),
            Ok(plan) => {
                worst = worse(worst, show(&plan));
                changes.extend(matches!(plan.what, What::Change(_)).then_some(plan));
            }
        }
    }
    if changes.is_empty() || args.dry_run {
        return worst;
    }
    if !args.yes {
        match asked("write this?") {
            None => {
                let mut line = String::from("leaseguard install");
                for plan in &changes {
                    line.push(' ');
                    line.push_str(plan.host.name);
                }
                if args.project {
                    line.push_str(" --project");
                }
                terminal::err(&format!(
                    "leaseguard: nothing was written, because nobody can be asked here; \
                     to write it: `{line} --yes`\n"
                ));
                return Exit::Ask;
            }
            Some(false) => return refused("nothing was written"),
            Some(true) => {}
        }
    }
    let mut done = Vec::new();
    for plan in changes {
        let (host, file) = (plan.host, plan.file.clone());
        match apply::install(&state, plan, &around, !args.yes) {
            Ok(plan) => {
                worst = worse(worst, told(&plan));
                done.push(plan.host);
            }
            Err(why) => {
                terminal::err(&format!(
                    "leaseguard: {}: `{}`: {why}\n",
                    title(host),
                    file.display()
                ));
                worst = worse(worst, Exit::Trouble);
            }
        }
    }
    last_words(&done, &state);
    worst
}

fn print(args: &Args, around: &Around, scope: Scope) -> Exit {
    let hosts = named(&args.hosts);
    let (Some(setup), true) = (
        hosts.first().and_then(|host| host.setup.as_ref()),
        hosts.len() == 1,
    ) else {
        return trouble("`--print` wants exactly one host");
    };
    let program = match &around.program {
        Ok(program) => program,
        Err(why) => return trouble(why),
    };
    terminal::out(&setup.filled(&program.path));
    let place = match scope {
        Scope::User => {
            let place = setup.user;
            let or = place
                .variable
                .map(|name| format!(" (or ${name}/{})", place.file))
                .unwrap_or_default();
            format!("~/{}/{}{or}, for all projects", place.dir, place.file)
        }
        Scope::Project => format!(
            "{}/{}, for this checkout",
            setup.project.dir, setup.project.file
        ),
    };
    let verb = match setup.owner {
        Owner::Shared => "merge this into",
        Owner::Ours => "this is the whole of",
    };
    let mut text = format!("{verb} {place}\n");
    for step in setup.steps {
        text.push_str(&format!("  only you: {step}\n"));
    }
    if let Some(why) = &program.fleeting {
        text.push_str(&format!("  warning: {why}\n"));
    }
    terminal::err(&text);
    Exit::Ok
}

/// Shows what would be done.
pub(super) fn show(plan: &Plan) -> Exit {
    let (title, file) = (title(plan.host), plan.file.display());
    let exit = match &plan.what {
        What::Change(change) => {
            terminal::out(&format!("{title}, {} settings:\n", plan.scope.word()));
            terminal::out(&diff::unified(&plan.file, change));
            Exit::Ok
        }
        What::Nothing(why) => {
            terminal::out(&format!("{title}: nothing to do in `{file}`: {why}\n"));
            Exit::Ok
        }
        What::Refused(why) => {
            terminal::err(&format!(
                "leaseguard: {title}: `{file}` is left alone: {why}\n"
            ));
            Exit::Denied
        }
    };
    for note in &plan.notes {
        terminal::err(&format!("note: {note}\n"));
    }
    exit
}

/// What was done.
fn told(plan: &Plan) -> Exit {
    let (title, file) = (title(plan.host), plan.file.display());
    match &plan.what {
        What::Change(_) => {
            terminal::out(&format!("connected {title}: {file}\n"));
            Exit::Ok
        }
        What::Nothing(_) | What::Refused(_) => show(plan),
    }
}

/// What only the person can do, and how to see whether it works.
fn last_words(done: &[&'static Host], state: &State) {
    if done.is_empty() {
        return;
    }
    let mut text = String::new();
    for (host, setup) in done.iter().filter_map(|h| Some((h, h.setup.as_ref()?))) {
        for step in setup.steps {
            text.push_str(&format!(
                "only you can do this for {}: {step}\n",
                title(host)
            ));
        }
    }
    text.push_str("sessions that run already have to be started anew\n");
    text.push_str("`leaseguard doctor` checks it, `leaseguard uninstall` takes it back\n");
    terminal::out(&text);
    note(state, "install", &listed(done));
}

/// One line in the log.
pub(super) fn note(state: &State, kind: &str, text: &str) {
    let entry = Entry {
        kind,
        effects: vec![text.into()],
        ..Entry::default()
    };
    if let Err(why) = Log::new(state, Settings::default()).write(&entry, Moment::now()) {
        terminal::err(&format!("leaseguard: {}\n", why.0));
    }
}

/// A yes or no on the terminal; `None` where nobody can answer.
pub(super) fn asked(what: &str) -> Option<bool> {
    let stdin = std::io::stdin();
    if !stdin.is_terminal() || !std::io::stdout().is_terminal() {
        return None;
    }
    terminal::out(&format!("{what} [y/N] "));
    let mut answer = String::new();
    let read = stdin.lock().take(64).read_line(&mut answer);
    let yes = matches!(answer.trim().to_ascii_lowercase().as_str(), "y" | "yes");
    Some(read.is_ok() && yes)
}

pub(super) fn title(host: &Host) -> &'static str {
    host.setup.as_ref().map_or(host.name, |setup| setup.title)
}

pub(super) fn listed(hosts: &[&'static Host]) -> String {
    hosts
        .iter()
        .map(|host| host.name)
        .collect::<Vec<_>>()
        .join(", ")
}

/// Trouble before refused before done.
pub(super) fn worse(a: Exit, b: Exit) -> Exit {
    let rank = |exit| match exit {
        Exit::Ok => 0,
        Exit::Ask => 1,
        Exit::Denied => 2,
        Exit::Trouble => 3,
    };
    if rank(b) > rank(a) { b } else { a }
}
