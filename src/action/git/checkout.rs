//! checkout, switch, restore: the work tree and HEAD.

use super::pathspec::{self, is_surely_commit, is_surely_path};
use super::{Run, Targets, may_be_option, tables};
use crate::action::options::{Line, parse};
use crate::action::{Act, Loses, Reach, Switch, Undoes};
use crate::shell::Word;

/// Options with which `checkout` always takes paths.
const PATH_MODES: &[&str] = &[
    "ours",
    "theirs",
    "ignore-skip-worktree-bits",
    "overlay",
    "pathspec-file-nul",
];

/// `git checkout`.
pub(super) fn checkout(run: &mut Run<'_>, words: &[Word]) {
    let line = parse(words, tables::CHECKOUT);
    if line.help {
        return;
    }
    if let Some(how) = line.on("patch") {
        let reach = Reach::Chosen(how.clone());
        run.discard(run.with_verb(how), reach, Loses::Edits, None);
        let from = line.arg(0).filter(is_surely_commit);
        run.refine(|discard| discard.undoes = undoes(from.is_some()));
        return run.report(&line, Targets::Names);
    }
    if let Some(how) = line.on("pathspec-from-file") {
        let reach = Reach::Listed(how.clone());
        run.discard(run.with_verb(how), reach, Loses::Edits, None);
        return run.report(&line, Targets::Names);
    }
    let create = line.value("b").or_else(|| line.value("B"));
    let moves = create.is_some() || line.any(&["orphan", "detach", "track"]);
    if !moves && takes_paths(&line) {
        return discard_paths(run, &line);
    }
    let to = line.arg(0);
    let sure = moves
        || line.dashdash.is_some()
        || line.has("force")
        || to.as_ref().is_none_or(is_surely_commit);
    if let Some(how) = line.on("force") {
        run.discard(run.with_verb(how), Reach::Tree, Loses::Edits, to.clone());
    }
    if to.is_none() && !moves {
        return run.report(&line, Targets::Names);
    }
    if let Some(word) = to.as_ref().filter(|w| !sure && may_be_option(w)) {
        run.unread("target", word);
    }
    let switch = Switch {
        force_create: line.on("B"),
        maybe_path: !sure,
        ..switch_to(&line, create)
    };
    run.act(Act::Switch(switch));
    // The one word of a plain checkout is reported above.
    let targets = if sure { Targets::Names } else { Targets::Free };
    run.report(&line, targets);
}

/// Whether the words of a checkout are paths (perhaps behind a commit).
fn takes_paths(line: &Line<'_>) -> bool {
    let modes = line.given.iter().any(|g| PATH_MODES.contains(&g.opt.name));
    let (before, after) = (line.before(), line.after());
    match line.dashdash {
        Some(_) => !after.is_empty(),
        None => before.len() > 1 || before.first().is_some_and(|w| modes || is_surely_path(w)),
    }
}

fn discard_paths(run: &mut Run<'_>, line: &Line<'_>) {
    let mut paths = if line.dashdash.is_some() {
        line.after()
    } else {
        line.before()
    };
    // Where it is not told apart, the first word may be a path as well as a commit.
    let mut from = match line.dashdash {
        Some(_) => line.before().first().map(|word| (*word).clone()),
        None => paths
            .first()
            .filter(|_| paths.len() > 1)
            .map(|word| (*word).clone()),
    };
    if line.dashdash.is_none() && paths.first().is_some_and(|word| is_surely_path(word)) {
        from = None;
    }
    if line.dashdash.is_none()
        && let Some((first, rest)) = paths.split_first()
        && !rest.is_empty()
        && is_surely_commit(first)
    {
        paths = rest;
    }
    let side = line.first_on(&["ours", "theirs"]);
    let settles = side.is_some() || line.has("merge");
    let how = side.map_or_else(|| run.on_paths(paths), |side| run.with_verb(side));
    let reach = pathspec::reach(paths, run.place.literal_pathspecs);
    run.discard(how, reach, Loses::Edits, None);
    run.refine(|discard| {
        discard.undoes = undoes(from.is_some());
        discard.from = from;
        discard.settles = settles;
        discard.here = pathspec::is_here(paths);
    });
    run.report(line, Targets::Free);
    run.report_targets(paths);
}

/// What a checkout of paths takes back: from a commit both differences, else what is not staged.
fn undoes(from_commit: bool) -> Undoes {
    if from_commit {
        Undoes::Both
    } else {
        Undoes::Edited
    }
}

/// What `checkout` and `switch` have in common once HEAD moves.
fn switch_to(line: &Line<'_>, create: Option<Word>) -> Switch {
    let orphan = line.value("orphan");
    let track = line.last("track").map(|g| g.on);
    let to = line.arg(0);
    // `-t origin/x` alone makes `x`.
    let named = to
        .as_ref()
        .filter(|_| track == Some(true) && create.is_none() && orphan.is_none())
        .and_then(tracking_name);
    Switch {
        orphan: orphan.is_some(),
        create: create.or(orphan).or(named),
        to,
        detach: line.has("detach"),
        track,
        ignore_other_worktrees: line.on("ignore-other-worktrees"),
        ..Switch::default()
    }
}

/// The branch that `--track REMOTE/BRANCH` makes.
fn tracking_name(start: &Word) -> Option<Word> {
    let text = start.text.as_str();
    let text = text.strip_prefix("refs/").unwrap_or(text);
    let text = text.strip_prefix("remotes/").unwrap_or(text);
    let (_, name) = text.split_once('/')?;
    Some(Word {
        text: name.to_owned(),
        ..start.clone()
    })
}

/// `git switch`.
pub(super) fn switch(run: &mut Run<'_>, words: &[Word]) {
    let line = parse(words, tables::SWITCH);
    if line.help {
        return;
    }
    let create = line.value("create").or_else(|| line.value("force-create"));
    let forced = line.first_on(&["force", "discard-changes"]);
    if line.args.is_empty() && create.is_none() && !line.any(&["orphan", "detach"]) {
        return run.report(&line, Targets::Names);
    }
    if let Some(how) = forced {
        let to = line.arg(0);
        run.discard(run.with_verb(how), Reach::Tree, Loses::Edits, to);
    }
    run.act(Act::Switch(Switch {
        force_create: line.on("force-create"),
        ..switch_to(&line, create)
    }));
    run.report(&line, Targets::Names);
}

/// `git restore`: the work tree unless only `--staged` is asked for.
pub(super) fn restore(run: &mut Run<'_>, words: &[Word]) {
    let line = parse(words, tables::RESTORE);
    if line.help {
        return;
    }
    let (staged, tree) = (line.last("staged"), line.last("worktree"));
    let explicit = staged.is_some() || tree.is_some();
    let worktree = if explicit { line.has("worktree") } else { true };
    let listed = line.on("pathspec-from-file");
    let chosen = line.on("patch");
    if line.args.is_empty() && listed.is_none() && chosen.is_none() {
        return run.report(&line, Targets::Decide);
    }
    if !worktree {
        // Takes back what was staged; the work tree keeps it.
        run.act(Act::Reset { rev: None });
        return run.report(&line, Targets::Free);
    }
    let how = tree
        .filter(|g| g.on)
        .map(|g| run.with_verb(g.how()))
        .unwrap_or_else(|| run.on_paths(&line.args));
    let reach = match (listed, chosen) {
        (Some(how), _) => Reach::Listed(how),
        (None, Some(how)) => Reach::Chosen(how),
        (None, None) => pathspec::reach(&line.args, run.place.literal_pathspecs),
    };
    run.discard(how, reach, Loses::Edits, None);
    let both = line.has("staged");
    let from = line.value("source");
    let settles = line.any(&["ours", "theirs", "merge"]);
    let here = pathspec::is_here(&line.args);
    run.refine(|discard| {
        discard.here = here;
        discard.undoes = undoes(both);
        discard.from = from;
        discard.settles = settles;
    });
    run.report(&line, Targets::Decide);
}
