//! `brief`: six lines that tell an agent what is not done here and what to do instead.

use super::home::Here;
use super::{Exit, terminal};
use crate::brief::{InForce, brief};
use crate::policy::Case;
use crate::rules::KNOWN;
use std::path::{Path, PathBuf};

/// The arguments.
#[derive(clap::Args)]
pub(super) struct Args {
    /// The directory that it is about
    #[arg(long, value_name = "DIR")]
    cwd: Option<PathBuf>,
}

/// Runs the verb.
pub(super) fn run(args: &Args) -> Exit {
    terminal::out(&(lines(args.cwd.as_deref()).join("\n") + "\n"));
    Exit::Ok
}

/// The lines for the rules that hold in `cwd`.
pub(super) fn lines(cwd: Option<&Path>) -> Vec<String> {
    let policy = Here::of(cwd).policy();
    let rule = |rule: &crate::policy::Known| InForce {
        id: rule.id,
        decision: policy.decide(rule.id, rule.decision, Case::Full),
    };
    let rules: Vec<InForce<'_>> = KNOWN.iter().map(rule).collect();
    brief(&rules).to_vec()
}
