//! worktree.

use super::{Run, Targets, tables};
use crate::action::options::{Opt, flag, parse, value};
use crate::action::{Act, Worktree};
use crate::shell::Word;

const FORCE: &[Opt] = &[flag("force", 'f')];

const PRUNE: &[Opt] = &[
    flag("dry-run", 'n'),
    flag("verbose", 'v'),
    value("expire", ' '),
];

/// `git worktree`.
pub(super) fn worktree(run: &mut Run<'_>, words: &[Word]) {
    let Some((verb, rest)) = words.split_first() else {
        return;
    };
    match verb.known() {
        None => run.unread("verb", verb),
        Some("add") => add(run, rest),
        Some("remove") => {
            let line = parse(rest, FORCE);
            let Some(path) = line.arg(0).filter(|_| !line.help) else {
                return run.report(&line, Targets::Names);
            };
            let force = line.on("force");
            let targets = match force {
                Some(_) => Targets::Decide,
                None => Targets::Names,
            };
            run.act(Act::Worktree(Worktree::Remove { path, force }));
            run.report(&line, targets);
        }
        Some("move") => {
            let line = parse(rest, FORCE);
            if let (Some(from), Some(to)) = (line.arg(0), line.arg(1)) {
                run.act(Act::Worktree(Worktree::Move { from, to }));
            }
        }
        Some("prune") => {
            let line = parse(rest, PRUNE);
            if !line.help && !line.has("dry-run") {
                let how = run.verb_how();
                run.act(Act::Worktree(Worktree::Prune { how }));
            }
            run.report(&line, Targets::Free);
        }
        // `list`, `lock`, `unlock` and `repair` leave checkouts as they are.
        Some(_) => {}
    }
}

fn add(run: &mut Run<'_>, words: &[Word]) {
    let line = parse(words, tables::WORKTREE_ADD);
    let Some(path) = line.arg(0).filter(|_| !line.help) else {
        return run.report(&line, Targets::Names);
    };
    let start = line.arg(1);
    let detach = line.has("detach");
    // Without a start point the last part of the path names the branch.
    let named = (start.is_none() && !detach).then(|| {
        let text = path.text.trim_end_matches('/');
        Word {
            text: text.rsplit('/').next().unwrap_or(text).to_owned(),
            ..path.clone()
        }
    });
    let branch = line.value("b").or_else(|| line.value("B")).or(named);
    run.act(Act::Worktree(Worktree::Add {
        path,
        branch,
        start,
        force: line.first_on(&["B", "force"]),
        detach,
    }));
    run.report(&line, Targets::Names);
}
