//! What `git worktree` does.

use super::How;
use crate::shell::Word;

/// `git worktree`.
#[derive(Debug, Clone)]
pub enum Worktree {
    /// `worktree add`.
    Add {
        /// Where.
        path: Word,
        /// The branch it makes (`-b`, `-B`, or by the path's name).
        branch: Option<Word>,
        /// What it checks out.
        start: Option<Word>,
        /// `-B` or `--force`.
        force: Option<How>,
        /// `--detach`.
        detach: bool,
    },
    /// `worktree remove`.
    Remove {
        /// Which.
        path: Word,
        /// `--force`.
        force: Option<How>,
    },
    /// `worktree move`.
    Move {
        /// From.
        from: Word,
        /// To.
        to: Word,
    },
    /// `worktree prune`: forgets those that are not where they were.
    Prune {
        /// As typed.
        how: How,
    },
}
