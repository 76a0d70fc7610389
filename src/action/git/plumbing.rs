//! The index and work tree by plumbing: update-index, apply, read-tree, checkout-index, merge-file.

use super::{Run, Targets, pathspec, tables};
use crate::action::options::parse;
use crate::action::{Act, Loses, Reach, Stage, Undoes};
use crate::shell::Word;

/// Options of `update-index` that mark paths and leave their content alone.
const MARKS: &[&str] = &[
    "assume-unchanged",
    "no-assume-unchanged",
    "skip-worktree",
    "no-skip-worktree",
    "fsmonitor-valid",
    "no-fsmonitor-valid",
];

/// `git update-index`.
pub(super) fn update_index(run: &mut Run<'_>, words: &[Word]) {
    let line = parse(words, tables::UPDATE_INDEX);
    if line.help {
        return;
    }
    let marks = line.given.iter().any(|g| MARKS.contains(&g.opt.name));
    let mut stage = Stage {
        verb: run.verb.clone(),
        from_file: line.first_on(&["stdin", "index-info"]),
        sweeping: line.on("again"),
        ..Stage::default()
    };
    let mut args = line.args.iter();
    for given in line.given.iter().filter(|g| g.opt.name == "cacheinfo") {
        // `MODE,OBJECT,PATH`, or the three as words of their own.
        match given.value() {
            Some(value) if value.text.contains(',') => {
                let path = value.text.splitn(3, ',').nth(2).unwrap_or_default();
                stage.paths.push(Word {
                    text: path.to_owned(),
                    ..value.clone()
                });
            }
            _ => stage
                .paths
                .extend(args.by_ref().nth(1).map(|w| (*w).clone())),
        }
    }
    if !marks {
        stage.paths.extend(args.map(|w| (*w).clone()));
    }
    if !stage.paths.is_empty() || stage.from_file.is_some() || stage.sweeping.is_some() {
        run.act(Act::Stage(stage));
        run.report(&line, Targets::Decide);
    }
}

/// `git apply`.
pub(super) fn apply(run: &mut Run<'_>, words: &[Word]) {
    let line = parse(words, tables::APPLY);
    let shows = line.any(&["stat", "numstat", "summary", "check"]) && !line.has("apply");
    if line.help || shows {
        return;
    }
    let indexed = line.first_on(&["cached", "index", "3way", "intent-to-add"]);
    let staged = indexed.is_some();
    if let Some(how) = indexed {
        run.act(Act::Stage(Stage {
            verb: run.verb.clone(),
            from_file: Some(how),
            ..Stage::default()
        }));
    }
    match line.on("reverse").filter(|_| !line.has("cached")) {
        Some(how) => {
            let reach = Reach::Listed(how.clone());
            run.discard(run.with_verb(how), reach, Loses::Edits, None);
        }
        None if staged => {}
        None => run.act(Act::Other {
            verb: run.verb.clone(),
        }),
    }
    run.report(&line, Targets::Free);
}

/// `git read-tree`.
pub(super) fn read_tree(run: &mut Run<'_>, words: &[Word]) {
    let line = parse(words, tables::READ_TREE);
    if line.help || line.has("dry-run") {
        return;
    }
    // Without a tree it empties the index.
    run.act(Act::Stage(Stage {
        verb: run.verb.clone(),
        sweeping: Some(run.verb_how()),
        ..Stage::default()
    }));
    if let Some(how) = line.on("reset").filter(|_| line.has("u")) {
        run.discard(run.with_verb(how), Reach::Tree, Loses::Edits, None);
    }
    run.report(&line, Targets::Free);
}

/// `git checkout-index`: only `-f` overwrites; else it adds what is missing, or copies.
pub(super) fn checkout_index(run: &mut Run<'_>, words: &[Word]) {
    let line = parse(words, tables::CHECKOUT_INDEX);
    let listed = line.on("stdin");
    if line.help || (line.args.is_empty() && listed.is_none() && !line.has("all")) {
        return;
    }
    let elsewhere = line.value("prefix").is_some_and(|p| !p.text.is_empty());
    let Some(force) = line.on("force").filter(|_| !elsewhere && !line.has("temp")) else {
        let verb = run.verb.clone();
        return run.act(Act::Other { verb });
    };
    let reach = match listed {
        Some(how) => Reach::Listed(how),
        None if line.has("all") => Reach::Tree,
        None => pathspec::reach(&line.args, true),
    };
    run.discard(run.with_verb(force), reach, Loses::Edits, None);
    run.refine(|discard| discard.undoes = Undoes::Edited);
    run.report(&line, Targets::Decide);
}

/// `git merge-file CURRENT BASE OTHER`: the first file is overwritten.
pub(super) fn merge_file(run: &mut Run<'_>, words: &[Word]) {
    let line = parse(words, tables::MERGE_FILE);
    if line.help || line.has("stdout") {
        return;
    }
    if let Some(file) = line.arg(0) {
        let how = run.verb_how();
        run.discard(how, Reach::Paths(vec![file]), Loses::Edits, None);
    }
}

/// Verbs that only read, but may write what they print to a file.
pub(super) fn reads(run: &mut Run<'_>, words: &[Word]) {
    let mut words = words.iter();
    while let Some(word) = words.next() {
        let text = word.text.as_str();
        if text == "--" {
            return;
        }
        let short = text.strip_prefix("-o").filter(|_| run.verb == "archive");
        let path = match text.strip_prefix("--output").or(short) {
            Some("") => words.next().cloned(),
            Some(rest) if short.is_some() => Some(Word {
                text: rest.to_owned(),
                ..word.clone()
            }),
            Some(rest) => rest.strip_prefix('=').map(|path| Word {
                text: path.to_owned(),
                ..word.clone()
            }),
            None => None,
        };
        if let Some(path) = path {
            run.act(Act::Write { path });
        }
    }
}

/// Verbs that write into the work tree without losing anything: `mergetool`, `sparse-checkout set`.
pub(super) fn touches(run: &mut Run<'_>, words: &[Word]) {
    let asks = |w: &Word| matches!(w.text.as_str(), "list" | "-h" | "--help" | "--tool-help");
    if !words.first().is_some_and(asks) {
        let verb = run.verb.clone();
        run.act(Act::Other { verb });
    }
}
