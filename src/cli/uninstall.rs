//! `uninstall`: a person takes everything of ours out of the hosts' settings again.

use super::home::{self, Here};
use super::install::{asked, listed, means_git, named, note, show, title, with_git, worse};
use super::install_git::{self, Wish};
use super::pause::{refused, trouble};
use super::{Exit, terminal};
use crate::host::Host;
use crate::person::is_person;
use crate::setup::plan::What;
use crate::setup::{Around, Scope, apply};
use crate::state::State;
use std::path::{Path, PathBuf};

/// The arguments.
#[derive(clap::Args)]
pub(super) struct Args {
    /// The agent hosts; without one, every place that is known
    #[arg(value_name = "HOST", value_parser = with_git())]
    hosts: Vec<String>,
    /// The repository whose hooks `git` means
    #[arg(long, value_name = "DIR")]
    repo: Option<PathBuf>,
    /// Only your own settings
    #[arg(long, conflicts_with = "project")]
    user: bool,
    /// Only the settings of checkouts
    #[arg(long)]
    project: bool,
    /// Only show what would be done
    #[arg(long)]
    dry_run: bool,
    /// Do it without asking
    #[arg(long)]
    yes: bool,
    /// Also remove your policy file and all that leaseguard remembers
    #[arg(long, conflicts_with_all = ["hosts", "user", "project"])]
    purge: bool,
}

/// Runs the verb.
pub(super) fn run(args: &Args) -> Exit {
    if let Err(reason) = is_person(false) {
        return refused(&reason.to_string());
    }
    match means_git(&args.hosts, args.repo.as_deref()) {
        Err(why) => return trouble(why),
        Ok(true) => {
            return install_git::take(&Wish {
                repo: args.repo.as_deref(),
                dry_run: args.dry_run,
                yes: args.yes,
                way: None,
            });
        }
        Ok(false) => {}
    }
    let here = Here::of(None);
    let around = Around::of_process(here.top().map(Path::to_owned));
    let state = match home::state() {
        Ok(state) => state,
        Err(why) => return trouble(&why),
    };
    let hosts = named(&args.hosts);
    let wanted = |host: &Host, scope: Scope| {
        let host = hosts.is_empty() || hosts.iter().any(|named| named.name == host.name);
        let scope = match scope {
            Scope::User => !args.project,
            Scope::Project => !args.user,
        };
        host && scope
    };
    let places = match apply::places(&state, &around, &wanted) {
        Ok(places) => places,
        Err(why) => return trouble(&why),
    };
    let mut worst = Exit::Ok;
    let mut plans = Vec::new();
    for (host, scope, file) in places {
        let plan = apply::removal(&state, host, scope, &file);
        match plan.what {
            What::Nothing(_) => {}
            _ => worst = worse(worst, show(&plan)),
        }
        plans.push(plan);
    }
    let changes = |what: &What| matches!(what, What::Change(_));
    let any = plans.iter().any(|plan| changes(&plan.what));
    let purge = args.purge.then(|| Purge::of(&state, here.user_file()));
    if let Some(purge) = &purge {
        terminal::out(&purge.shown());
    }
    let purging = purge.as_ref().is_some_and(|purge| !purge.is_empty());
    if !any && !purging {
        if worst == Exit::Ok {
            terminal::out("nothing of leaseguard was found in any settings\n");
        }
        // Records of files that are gone are of no use any more.
        if worst == Exit::Ok && !args.dry_run {
            forget(&state, &plans);
        }
        return worst;
    }
    if args.dry_run {
        return worst;
    }
    if !args.yes {
        match asked("do this?") {
            Some(true) => {}
            Some(false) => return refused("nothing was changed"),
            None => {
                terminal::err(
                    "leaseguard: nothing was changed, because nobody can be asked here; \
                     the same line with `--yes` does it\n",
                );
                return Exit::Ask;
            }
        }
    }
    let mut done: Vec<&'static Host> = Vec::new();
    for plan in plans.iter().filter(|plan| changes(&plan.what)) {
        match apply::remove(&state, plan) {
            Ok(()) => {
                terminal::out(&format!(
                    "disconnected {}: {}\n",
                    title(plan.host),
                    plan.file.display()
                ));
                done.push(plan.host);
            }
            Err(why) => {
                terminal::err(&format!("leaseguard: `{}`: {why}\n", plan.file.display()));
                worst = worse(worst, Exit::Trouble);
            }
        }
    }
    forget(&state, &plans);
    match purge {
        Some(_) if worst != Exit::Ok => {
            terminal::err("leaseguard: nothing was purged, because something above was left\n");
        }
        Some(purge) => match purge.run(&state) {
            Ok(()) => {
                terminal::out("purged\n");
            }
            Err(why) => return trouble(&why),
        },
        None => note(&state, "uninstall", &listed(&done)),
    }
    worst
}

/// Drops the records of files that hold nothing of ours any more.
fn forget(state: &State, plans: &[crate::setup::plan::Plan]) {
    for plan in plans
        .iter()
        .filter(|plan| matches!(plan.what, What::Nothing(_)))
    {
        if let Err(why) = apply::forget(state, &plan.file) {
            terminal::err(&format!("leaseguard: {why}\n"));
        }
    }
}

/// What `--purge` removes besides.
struct Purge {
    state: Option<PathBuf>,
    policy: Option<PathBuf>,
}

impl Purge {
    fn of(state: &State, policy: Option<&Path>) -> Purge {
        let there = |path: &Path| std::fs::symlink_metadata(path).is_ok();
        Purge {
            state: Some(state.dir().to_owned()).filter(|dir| there(dir)),
            policy: policy.filter(|file| there(file)).map(Path::to_owned),
        }
    }

    fn is_empty(&self) -> bool {
        self.state.is_none() && self.policy.is_none()
    }

    fn shown(&self) -> String {
        let mut text = String::new();
        if let Some(dir) = &self.state {
            text.push_str(&format!(
                "removes {} (log, grants, records)\n",
                dir.display()
            ));
        }
        if let Some(file) = &self.policy {
            text.push_str(&format!("removes {} (your policy)\n", file.display()));
        }
        text
    }

    fn run(&self, state: &State) -> Result<(), String> {
        let told = |path: &Path, e: &std::io::Error| {
            format!("`{}` cannot be removed: {e}", path.display())
        };
        let made = state.made();
        if let Some(file) = &self.policy {
            std::fs::remove_file(file).map_err(|e| told(file, &e))?;
            if let Some(dir) = file.parent() {
                let _ = std::fs::remove_dir(dir);
            }
        }
        if let Some(dir) = &self.state {
            std::fs::remove_dir_all(dir).map_err(|e| told(dir, &e))?;
        }
        for dir in made.iter().rev() {
            let _ = std::fs::remove_dir(dir);
        }
        Ok(())
    }
}
