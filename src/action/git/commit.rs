//! commit.

use super::{Run, Targets, hooks, tables};
use crate::action::options::parse;
use crate::action::{Act, Commit};
use crate::shell::Word;

/// Options that only show what a commit would hold.
const SHOWING: &[&str] = &["dry-run", "short", "porcelain", "long", "null"];

/// `git commit`.
pub(super) fn commit(run: &mut Run<'_>, words: &[Word]) {
    let line = parse(words, tables::COMMIT);
    if line.help || line.any(SHOWING) {
        return;
    }
    run.act(Act::Commit(Commit {
        all: line.on("all"),
        amend: line.on("amend"),
        paths: line.words(0),
        from_file: line.on("pathspec-from-file"),
        chosen: line.first_on(&["patch", "interactive"]),
        dry_run: false,
    }));
    hooks::given(run, &line);
    run.report(&line, Targets::Decide);
}
