//! The verbs for people, one a file, all of which judge through [`crate::guard`].

mod afterwards;
mod allow;
mod argline;
mod brief;
mod case;
mod check;
mod ci;
mod colleagues;
mod completions;
mod demo;
mod doctor;
mod explain;
pub mod git_hook;
mod home;
pub mod hook;
mod input;
mod install;
mod install_git;
mod lease;
mod log;
mod machine;
mod man;
mod pause;
mod person;
mod rules;
mod session;
mod status;
mod terminal;
mod trust;
mod uninstall;
mod worktree;

use clap::{CommandFactory, Parser, Subcommand};
use std::ffi::OsString;
use std::panic::catch_unwind;

/// The exit codes of every verb but `hook`, which answers in its host's codes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum Exit {
    /// Allowed, or done.
    Ok = 0,
    /// Denied, or refused.
    Denied = 1,
    /// Wrong use, or leaseguard failed.
    Trouble = 2,
    /// A person has to say yes.
    Ask = 3,
}

const EXITS: &str = "\
exit codes of every verb:
  0  allowed, or done
  1  denied, or refused
  2  trouble: wrong use, or leaseguard itself failed
  3  a person has to say yes
`hook` alone speaks its host's codes: 0 with empty output is no objection, 2 is a denial";

#[derive(Parser)]
#[command(
    name = "leaseguard",
    version = crate::build::version(),
    about = "keeps fleets of coding agents from wrecking a git repository",
    after_help = EXITS,
    disable_help_subcommand = true
)]
struct Cli {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Subcommand)]
enum Verb {
    /// Tells whether this place is protected, and by what; also without any verb
    Status(status::Args),
    /// Finds what keeps leaseguard from being called or heard, and tries it out
    Doctor(doctor::Args),
    /// Judges a command without running it
    Check(check::Args),
    /// Tells what a rule stops, or what leaseguard sees in a command
    Explain(explain::Args),
    /// Lets git have eight accidents in a scratch repository, and shows what stops each
    Demo(demo::Args),
    /// Lists the rules
    Rules(rules::Args),
    /// Lets one stopped call through (for people), or lists what was stopped
    Allow(allow::Args),
    /// Lets everything through for a while (for people)
    Pause(pause::Args),
    /// Lets a repository's policy loosen, as it stands now (for people)
    Trust(trust::Args),
    /// Claims checkouts, and shows who has which
    Lease(lease::Args),
    /// Makes, finds and removes a worktree for each ticket
    Worktree(worktree::Args),
    /// Shows what was decided and done
    Log(log::Args),
    /// Shows what CI and reviews still do on a branch, or waits until they have ended
    Ci(ci::Args),
    /// Prints six lines for agents: what is not done here, and what to do instead
    Brief(brief::Args),
    /// Connects agent hosts to leaseguard
    Install(install::Args),
    /// Takes leaseguard out of agent hosts again (for people)
    Uninstall(uninstall::Args),
    /// Answers an agent host: its message on stdin, the answer in its own terms
    Hook(hook::Args),
    /// Answers git's own hooks; `install git` puts the lines in place that call it
    GitHook(git_hook::Args),
    /// Prints what makes a shell complete these verbs
    Completions(completions::Args),
    /// Prints the manual page, or writes all pages
    Man(man::Args),
}

/// The verbs as clap knows them, for what is made from them; the kind of build is no part of it.
fn tree() -> clap::Command {
    Cli::command().version(env!("CARGO_PKG_VERSION"))
}

/// Runs the verb that `args` (without the program's name) ask for.
pub fn run(args: Vec<OsString>) -> Exit {
    std::panic::set_hook(Box::new(|_| {}));
    catch_unwind(|| verb(args)).unwrap_or_else(|_| {
        terminal::err("leaseguard panicked, nothing was judged [fault/panic]\n");
        Exit::Trouble
    })
}

fn verb(args: Vec<OsString>) -> Exit {
    let Some(line) = argline::Line::split(args) else {
        terminal::err("leaseguard: the arguments are not valid UTF-8\n");
        return Exit::Trouble;
    };
    if line.is_empty() && status::is_here() {
        return status::run(&status::Args::default());
    }
    match Cli::try_parse_from(line.for_clap()) {
        Ok(cli) => match cli.verb {
            Verb::Status(args) => status::run(&args),
            Verb::Doctor(args) => doctor::run(&args),
            Verb::Check(args) => check::run(&args, line.argv()),
            Verb::Explain(args) => explain::run(&args, line.argv()),
            Verb::Demo(args) => demo::run(&args),
            Verb::Rules(args) => rules::run(&args),
            Verb::Allow(args) => allow::run(&args),
            Verb::Pause(args) => pause::run(&args),
            Verb::Trust(args) => trust::run(&args),
            Verb::Lease(args) => lease::run(&args),
            Verb::Worktree(args) => worktree::run(&args),
            Verb::Log(args) => log::run(&args),
            Verb::Ci(args) => ci::run(&args),
            Verb::Brief(args) => brief::run(&args),
            Verb::Install(args) => install::run(&args),
            Verb::Completions(args) => completions::run(&args),
            Verb::Man(args) => man::run(&args),
            Verb::Uninstall(args) => uninstall::run(&args),
            // Reached only by `--help`: the door itself is opened before any of this.
            Verb::Hook(_) | Verb::GitHook(_) => Exit::Trouble,
        },
        Err(error) if error.use_stderr() => {
            terminal::err(&error.render().to_string());
            Exit::Trouble
        }
        Err(error) => {
            terminal::out(&error.render().to_string());
            Exit::Ok
        }
    }
}
