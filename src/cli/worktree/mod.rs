//! `worktree`: a checkout of its own for each ticket, made, found and removed safely.

mod add;
mod list;
mod marker;
mod remove;

use super::{Exit, lease, terminal};
use crate::lease::error::{Code, Refusal};
use clap::Subcommand;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The arguments.
#[derive(clap::Args)]
pub(super) struct Args {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Subcommand)]
enum Verb {
    /// Makes a worktree with a branch of its own for a ticket, and claims it for the agent that asks
    Add(add::Add),
    /// Removes the worktree of a ticket, if it is clean and nobody else's
    Remove(remove::Remove),
    /// Shows the worktrees of this repository: ticket, branch, owner, and whether work is uncommitted
    Status(list::Status),
    /// Prints the path of a ticket's worktree
    Lookup(list::Lookup),
}

/// Runs the verb.
pub(super) fn run(args: &Args) -> Exit {
    match &args.verb {
        Verb::Add(args) => add::run(args),
        Verb::Remove(args) => remove::run(args),
        Verb::Status(args) => list::status(args),
        Verb::Lookup(args) => list::lookup(args),
    }
}

/// The main checkout of the repository that has `top` out.
fn main_of(common: &Path) -> PathBuf {
    match common.file_name() {
        Some(name) if name == ".git" => common.parent().unwrap_or(common).to_owned(),
        _ => common.to_owned(),
    }
}

/// What git says to `args` in `dir`; its own words where it refuses.
fn git(dir: &Path, args: &[&str]) -> Result<String, Refusal> {
    let trouble = |why: String| Refusal::new(Code::Store, why);
    let git = crate::world::git().ok_or_else(|| trouble("there is no git here".to_owned()))?;
    let mut command = Command::new(git);
    command.arg("-C").arg(dir).args(args).stdin(Stdio::null());
    for (name, _) in std::env::vars_os() {
        // Inside of git's own hooks these point at the repository that runs them.
        if name.to_str().is_some_and(|n| n.starts_with("GIT_")) {
            command.env_remove(name);
        }
    }
    let out = command
        .output()
        .map_err(|e| trouble(format!("git cannot be started: {e}")))?;
    if out.status.success() {
        return Ok(String::from_utf8_lossy(&out.stdout).trim_end().to_owned());
    }
    let said = String::from_utf8_lossy(&out.stderr);
    let line = said.lines().next_back().unwrap_or("it gives no reason");
    Err(Refusal::new(
        Code::BadRequest,
        format!("`git {}` refuses: {line}", args.join(" ")),
    ))
}

/// As one word of a shell.
fn quoted(path: &Path) -> String {
    let text = path.to_string_lossy();
    let plain = |c: char| c.is_alphanumeric() || "_-./:@%+,=".contains(c);
    if !text.is_empty() && text.chars().all(plain) {
        return text.into_owned();
    }
    format!("'{}'", text.replace('\'', r"'\''"))
}
