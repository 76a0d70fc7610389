//! `ci`: what still works on a branch's head, and waiting until nothing does.

use super::home::Here;
use super::{Exit, input, terminal};
use crate::action::Place;
use crate::ci::{self, Env, Line, Moment, Standing, State, Trouble};
use crate::policy::Policy;
use crate::state::time::{parse_span, shown_span};
use crate::world::{Fact, Head, Target, World};
use serde::Serialize;
use std::fmt::Write as _;
use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// How long a forge may take when a person asks.
const PATIENCE: Duration = Duration::from_secs(10);

/// How long `wait` pauses between two questions: first, and at most.
const PAUSE: Duration = Duration::from_secs(2);
const PAUSE_MAX: Duration = Duration::from_secs(30);

/// How long `wait` waits unless told.
const TIMEOUT: Duration = Duration::from_secs(1800);

/// How many times in a row it may be impossible to tell.
const TRIES: u32 = 3;

/// The arguments.
#[derive(clap::Args)]
pub(super) struct Args {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(clap::Subcommand)]
enum Verb {
    /// Shows every check and review of the head, and how it counts
    Status(Status),
    /// Waits until nothing works on the head: 0 idle, 1 still running, 3 cannot tell
    Wait(Wait),
}

#[derive(clap::Args)]
struct Status {
    #[command(flatten)]
    at: At,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

#[derive(clap::Args)]
struct Wait {
    #[command(flatten)]
    at: At,
    /// How long to wait: `90s`, `20m`
    #[arg(long, value_name = "SPAN")]
    timeout: Option<String>,
}

#[derive(clap::Args)]
struct At {
    /// The branch; the one that is checked out unless given
    #[arg(long, value_name = "NAME")]
    branch: Option<String>,
    /// The remote; the one that a plain push goes to unless given
    #[arg(long, value_name = "NAME")]
    remote: Option<String>,
    /// A directory of the repository
    #[arg(long, value_name = "DIR")]
    cwd: Option<PathBuf>,
}

/// Runs the verb.
pub(super) fn run(args: &Args) -> Exit {
    let at = match &args.verb {
        Verb::Status(args) => &args.at,
        Verb::Wait(args) => &args.at,
    };
    let branch = match Branch::find(at) {
        Ok(branch) => branch,
        Err(why) => {
            terminal::err(&format!("leaseguard: {why}\n"));
            return Exit::Trouble;
        }
    };
    match &args.verb {
        Verb::Status(args) => status(&branch, args.json),
        Verb::Wait(args) => match args.timeout.as_deref().map(parse_span) {
            Some(None) => {
                terminal::err("leaseguard: `--timeout` takes a span such as `20m`\n");
                Exit::Trouble
            }
            timeout => wait(branch, timeout.flatten().unwrap_or(TIMEOUT)),
        },
    }
}

/// The branch that is asked about, with the policy that holds there.
struct Branch {
    at: Spot,
    target: Target,
    policy: Policy,
}

/// Where a branch is, without what moves.
struct Spot {
    cwd: Option<PathBuf>,
    branch: String,
    remote: String,
}

impl Branch {
    fn find(at: &At) -> Result<Branch, String> {
        let (world, place) = here(at.cwd.as_deref());
        let branch = match &at.branch {
            Some(branch) => branch.clone(),
            None => match world.heads(&place) {
                Fact::Known(heads) => match heads.as_slice() {
                    [Head::Branch(branch)] => branch.clone(),
                    _ => return Err("no branch is checked out: name one by `--branch`".to_owned()),
                },
                Fact::Unknown(why) => return Err(why),
            },
        };
        let remote = at.remote.clone().or_else(|| world.push_remote(&place));
        let remote = remote.ok_or("no remote is configured: name one by `--remote`")?;
        let at = Spot {
            cwd: at.cwd.clone(),
            branch,
            remote,
        };
        Ok(Branch {
            target: at.target()?,
            policy: Here::of(at.cwd.as_deref()).policy(),
            at,
        })
    }

    fn title(&self) -> String {
        format!("`{}` on `{}`", self.at.branch, self.at.remote)
    }

    /// Asks the forge anew.
    fn seen(&self) -> Seen {
        let env = Env {
            look: &|name| std::env::var_os(name),
            now: None,
            left: PATIENCE,
        };
        if self.target.head.is_none() {
            return Seen::Off("it is not pushed yet, as far as this repository knows".to_owned());
        }
        match ci::report(&self.target.subject(), &self.policy, &env) {
            Ok(Some(lines)) => Seen::Lines(lines),
            Ok(None) => Seen::Off(
                "the gate is off here: `ci.gate` says so, or the forge's program is not there or not logged in".to_owned(),
            ),
            Err(trouble) => Seen::Trouble(trouble),
        }
    }
}

impl Spot {
    /// The branch as the repository sees it now: another call may have pushed meanwhile.
    fn target(&self) -> Result<Target, String> {
        let (world, place) = here(self.cwd.as_deref());
        world
            .branch_target(&place, &self.remote, &self.branch)
            .ok_or_else(|| format!("there is no remote `{}`", self.remote))
    }
}

/// The repository as it is now.
fn here(cwd: Option<&Path>) -> (World, Place) {
    let around = input::around(cwd);
    let place = Place {
        dir: around.cwd.clone(),
        ..Place::default()
    };
    (World::new(around), place)
}

/// What one look found.
enum Seen {
    Lines(Vec<Line>),
    Off(String),
    Trouble(Trouble),
}

#[derive(Serialize)]
struct View<'a> {
    v: u8,
    branch: &'a str,
    remote: &'a str,
    head: Option<&'a str>,
    state: &'static str,
    lines: &'a [Line],
    #[serde(skip_serializing_if = "Option::is_none")]
    why: Option<String>,
}

fn status(branch: &Branch, json: bool) -> Exit {
    let seen = branch.seen();
    let (state, exit, why) = match &seen {
        Seen::Off(why) => ("off", Exit::Ok, Some(why.clone())),
        Seen::Trouble(trouble) => ("unclear", Exit::Ask, Some(trouble.to_string())),
        Seen::Lines(lines) => match State::of(lines.clone()) {
            State::Idle => ("idle", Exit::Ok, None),
            State::InFlight(_) => ("running", Exit::Denied, None),
            State::Unclear(_) => ("unclear", Exit::Ask, None),
        },
    };
    let lines: &[Line] = match &seen {
        Seen::Lines(lines) => lines,
        _ => &[],
    };
    let text = if json {
        terminal::json_line(&View {
            v: 1,
            branch: &branch.at.branch,
            remote: &branch.at.remote,
            head: branch.target.head.as_deref(),
            state,
            lines,
            why,
        })
    } else {
        let mut text = format!("{}: {state}", branch.title());
        if let Some(why) = why {
            text += &format!(", {why}");
        }
        text.push('\n');
        table(lines, Moment::now(), &mut text);
        text
    };
    terminal::out(&text);
    exit
}

/// One line a check or review: how it counts, what it is, why.
fn table(lines: &[Line], now: Moment, out: &mut String) {
    let width = lines.iter().map(|l| l.what.chars().count()).max();
    let width = width.unwrap_or_default().min(40);
    for line in lines {
        let counts = match line.standing {
            Standing::Settled => "settled",
            Standing::Running => "running",
            Standing::Doubt => "unclear",
        };
        let pull = line.pull.map(|n| format!("#{n}")).unwrap_or_default();
        let kind = if line.review { "review" } else { "check" };
        let since = match (line.standing, line.since) {
            (Standing::Running, Some(at)) => {
                format!(" since {} ({})", ci::clock(at), shown_span(at.age(now)))
            }
            _ => String::new(),
        };
        let what = crate::host::text::safe(&line.what, 80);
        let why = crate::host::text::safe(&line.why, 200);
        let _ = writeln!(
            out,
            "  {counts:<8} {pull:<6} {kind:<7} {what:<width$}  {why}{since}"
        );
    }
}

fn wait(mut branch: Branch, timeout: Duration) -> Exit {
    let begun = Instant::now();
    let mut pause = PAUSE;
    let mut unclear = 0u32;
    let mut teller = Teller::new();
    loop {
        match branch.at.target() {
            Ok(target) => branch.target = target,
            Err(why) => {
                terminal::err(&format!("leaseguard: {why}\n"));
                return Exit::Trouble;
            }
        }
        let now = Moment::now();
        let (exit, text, hopeless) = match branch.seen() {
            Seen::Off(why) => (Exit::Ok, format!("nothing to wait for, {why}"), true),
            Seen::Trouble(trouble) => {
                let hopeless = matches!(trouble, Trouble::Missing(_) | Trouble::Auth(_));
                (Exit::Ask, trouble.to_string(), hopeless)
            }
            Seen::Lines(lines) => match State::of(lines) {
                State::Idle => (Exit::Ok, "idle".to_owned(), true),
                State::InFlight(lines) => {
                    let shown: Vec<String> = lines.iter().map(|l| l.shown(now)).collect();
                    (Exit::Denied, shown.join(", "), false)
                }
                State::Unclear(why) => (Exit::Ask, why.join(", "), false),
            },
        };
        unclear = match exit {
            Exit::Ask => unclear.saturating_add(1),
            _ => 0,
        };
        let left = timeout.saturating_sub(begun.elapsed());
        let over = hopeless || unclear >= TRIES || left.is_zero();
        teller.tell(&branch.title(), &text, over);
        if over {
            return exit;
        }
        std::thread::sleep(pause.min(left));
        pause = pause.saturating_mul(3).div_f64(2.0).min(PAUSE_MAX);
    }
}

/// One line that changes in a terminal; elsewhere a line for each news.
struct Teller {
    live: bool,
    last: String,
}

impl Teller {
    fn new() -> Teller {
        Teller {
            live: std::io::stderr().is_terminal(),
            last: String::new(),
        }
    }

    fn tell(&mut self, title: &str, text: &str, last: bool) {
        let text = format!("{title}: {text}");
        let text = crate::host::text::safe(&text, 400);
        if self.live {
            let cut: String = text.chars().take(100).collect();
            let end = if last { "\n" } else { "" };
            terminal::err(&format!("\r\u{1b}[K{cut}{end}"));
            return;
        }
        // Ages change all the time: news is what comes before them.
        let news: String = text.chars().filter(|c| !c.is_ascii_digit()).collect();
        if news != self.last || last {
            terminal::err(&format!("{text}\n"));
            self.last = news;
        }
    }
}
