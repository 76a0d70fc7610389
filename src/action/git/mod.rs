//! git command lines, one verb family a file.

use super::{Action, Lookup};
use crate::shell::Command;
use std::path::Path;

/// What a git command line would do.
#[derive(Debug, Default)]
pub struct Reading {
    /// The acts, in order.
    pub actions: Vec<Action>,
    /// An alias that runs shell text.
    pub alias: Option<AliasRun>,
}

/// A git alias that starts with `!`: shell text, run from the top of the repository.
#[derive(Debug, Clone)]
pub struct AliasRun {
    /// The text with the caller's words appended as git appends them.
    pub text: String,
}

/// What a command whose program is git (or `git-VERB`) would do. `lookup` answers aliases.
pub fn read(command: &Command, dir: Option<&Path>, lookup: &dyn Lookup) -> Reading {
    let _ = (command, dir, lookup);
    Reading::default()
}

/// Stub.
pub fn place_of(command: &Command, dir: Option<&Path>) -> super::Place {
    let _ = (command, dir);
    super::Place::default()
}
