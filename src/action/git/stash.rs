//! stash.

use super::{Run, Targets, tables};
use crate::action::options::{Opt, parse};
use crate::action::{Act, Loses, Reach};
use crate::shell::Word;

/// `git stash`.
pub(super) fn stash(run: &mut Run<'_>, words: &[Word]) {
    let pushes = words.first().is_none_or(|w| w.text.starts_with('-'));
    let (name, rest) = match words.split_first() {
        Some((verb, rest)) if !pushes => match verb.known() {
            Some(name) => (name, rest),
            None => return run.unread("verb", verb),
        },
        _ => ("push", words),
    };
    let (verb, table): (&'static str, &'static [Opt]) = match name {
        "push" | "save" => ("push", tables::STASH_PUSH),
        "pop" => ("pop", tables::STASH_POP),
        "apply" => ("apply", tables::STASH_POP),
        "drop" => ("drop", tables::STASH_POP),
        "clear" => ("clear", &[]),
        "branch" => ("branch", &[]),
        "store" => ("store", tables::STASH_STORE),
        // `list`, `show` and `create` change nothing, any other word is refused.
        _ => return,
    };
    let line = parse(rest, table);
    if line.help {
        return;
    }
    let part = line.any(&["keep-index", "patch", "staged", "pathspec-from-file"]);
    let paths = match name {
        "push" if !part => line.words(0),
        _ => Vec::new(),
    };
    run.act(Act::Stash {
        verb,
        entry: match verb {
            "pop" | "apply" | "drop" => line.arg(0),
            "branch" => line.arg(1),
            _ => None,
        },
        untracked: line.any(&["include-untracked", "all"]),
        part: part || (name == "push" && !line.args.is_empty()),
        paths,
        span: run.at,
    });
    if matches!(verb, "drop" | "clear") {
        let reach = match verb {
            "drop" => Reach::Paths(line.words(0)),
            _ => Reach::Tree,
        };
        let mut how = run.verb_how();
        how.text = format!("stash {verb}");
        run.discard(how, reach, Loses::Stash, None);
    }
    run.report(&line, Targets::Free);
}
