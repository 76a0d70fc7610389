//! Acts that throw away what is in no commit.

use super::How;
use crate::shell::Word;

/// How much of a checkout an act reaches.
#[derive(Debug, Clone)]
pub enum Reach {
    /// All of it.
    Tree,
    /// These pathspecs, as typed.
    Paths(Vec<Word>),
    /// A list from a file or standard input.
    Listed(How),
    /// What answers choose (`-p`).
    Chosen(How),
}

/// What kind of content a discard throws away.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Loses {
    /// Edits of tracked files.
    Edits,
    /// Whatever lies there, tracked or not.
    Files,
    /// Files that git does not track.
    Untracked,
    /// Untracked and ignored files.
    Ignored,
    /// Stash entries.
    Stash,
}

/// Which of git's two differences an act takes back.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Undoes {
    /// What is staged and what is edited.
    #[default]
    Both,
    /// What is edited and not staged: the index stays, or is what the files are made from.
    Edited,
    /// What is staged: edits that are not stay (`reset --merge`).
    Staged,
}

/// An act that throws away what is in no commit.
#[derive(Debug, Clone)]
pub struct Discard {
    /// The verb and the option that make it one: `reset --hard`, `checkout -- .`, `clean -f`.
    pub how: How,
    /// How much.
    pub reach: Reach,
    /// What kind.
    pub loses: Loses,
    /// The branch or commit it moves HEAD or the branch to, if it does.
    pub to: Option<Word>,
    /// It is `checkout X`, which git reads as a branch or as a path only when it runs.
    pub ambiguous: bool,
    /// Which differences it takes back.
    pub undoes: Undoes,
    /// The commit whose files it puts in place, where that is not the branch's own.
    pub from: Option<Word>,
    /// A conflict is settled by taking one side, which is no work lost.
    pub settles: bool,
    /// A clean goes into directories that hold nothing tracked (`-d`).
    pub deep: bool,
    /// It takes the directory that it runs in and what is below, not the whole checkout.
    pub here: bool,
}
