//! add, stage, rm, mv: what goes into the index by name.

use super::{Run, Targets, pathspec, tables};
use crate::action::options::{Line, parse};
use crate::action::{Act, How, Loses, Reach, Stage};
use crate::shell::Word;

/// `git add`, `git stage`.
pub(super) fn add(run: &mut Run<'_>, words: &[Word]) {
    let line = parse(words, tables::ADD);
    // `-e` opens its editor before git looks at `-n`.
    let dry = line.any(&["dry-run", "refresh"]) && !line.has("edit");
    if line.help || dry || names_nothing(&line) {
        return;
    }
    let (all, kept) = (line.last("all"), line.last("ignore-removal"));
    let everything = match (all, kept) {
        (Some(all), None) => all.on.then(|| all.how()),
        (None, Some(kept)) => (!kept.on).then(|| kept.how()),
        // Both set one variable; the later one counts.
        (Some(_), Some(_)) => line
            .given
            .iter()
            .rev()
            .find(|g| matches!(g.opt.name, "all" | "ignore-removal"))
            .and_then(|g| (g.on == (g.opt.name == "all")).then(|| g.how())),
        (None, None) => None,
    };
    let bare = line.args.is_empty();
    let stage = Stage {
        verb: run.verb.clone(),
        paths: line.words(0),
        all: everything,
        update: line.on("update"),
        from_file: line.on("pathspec-from-file"),
        chosen: line.first_on(&["patch", "interactive", "edit"]),
        sweeping: line
            .on("renormalize")
            .filter(|_| bare)
            .or_else(|| folded(run)),
        ..Stage::default()
    };
    let stages = !bare
        || [
            &stage.all,
            &stage.update,
            &stage.from_file,
            &stage.chosen,
            &stage.sweeping,
        ]
        .iter()
        .any(|how| how.is_some());
    if stages {
        run.act(Act::Stage(stage));
    }
    run.report(&line, Targets::Decide);
}

/// Under `--icase-pathspecs` a name stands for every spelling of it.
fn folded(run: &Run<'_>) -> Option<How> {
    let (name, value) = run
        .place
        .env
        .iter()
        .find(|(name, _)| name == "GIT_ICASE_PATHSPECS")?;
    Some(How {
        text: name.clone(),
        span: value.span,
    })
}

/// git refuses an empty pathspec before it does anything.
fn names_nothing(line: &Line<'_>) -> bool {
    line.args.iter().any(|word| word.known() == Some(""))
}

/// `git rm`.
pub(super) fn rm(run: &mut Run<'_>, words: &[Word]) {
    let line = parse(words, tables::RM);
    let from_file = line.on("pathspec-from-file");
    let nothing = line.args.is_empty() && from_file.is_none();
    if line.help || line.has("dry-run") || names_nothing(&line) || nothing {
        return;
    }
    run.act(Act::Stage(Stage {
        verb: run.verb.clone(),
        paths: line.words(0),
        from_file: from_file.clone(),
        recursive: line.has("r"),
        ..Stage::default()
    }));
    if let Some(force) = line.on("force").filter(|_| !line.has("cached")) {
        let reach = match from_file {
            Some(how) => Reach::Listed(how),
            None => pathspec::reach(&line.args, run.place.literal_pathspecs),
        };
        run.discard(run.with_verb(force), reach, Loses::Edits, None);
    }
    run.report(&line, Targets::Decide);
}

/// `git mv`: the last word is where to.
pub(super) fn mv(run: &mut Run<'_>, words: &[Word]) {
    let line = parse(words, tables::MV);
    if line.help || line.has("dry-run") {
        return;
    }
    let Some((to, _)) = line.args.split_last().filter(|(_, from)| !from.is_empty()) else {
        return;
    };
    run.act(Act::Stage(Stage {
        verb: run.verb.clone(),
        paths: line.words(0),
        ..Stage::default()
    }));
    if let Some(force) = line.on("force") {
        let reach = Reach::Paths(vec![(*to).clone()]);
        run.discard(run.with_verb(force), reach, Loses::Files, None);
    }
    run.report(&line, Targets::Free);
}
