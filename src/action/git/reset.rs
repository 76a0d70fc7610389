//! reset, clean, bisect: HEAD and the work tree at once.

use super::{Run, Targets, global, pathspec, tables};
use crate::action::options::parse;
use crate::action::{Act, Loses, Reach, SettingValue, Switch, Undoes};
use crate::shell::{OPAQUE, Opaque, Word};

const MODES: &[&str] = &["hard", "merge", "keep", "soft", "mixed"];

/// `git reset`.
pub(super) fn reset(run: &mut Run<'_>, words: &[Word]) {
    let line = parse(words, tables::RESET);
    if line.help {
        return;
    }
    let mode = line
        .given
        .iter()
        .rev()
        .find(|g| MODES.contains(&g.opt.name));
    let paths = !line.after().is_empty()
        || line.before().len() > 1
        || line.any(&["patch", "pathspec-from-file"])
        || line
            .before()
            .first()
            .is_some_and(|w| pathspec::is_surely_path(w));
    match mode {
        // git refuses a hard reset of paths.
        Some(_) if !line.after().is_empty() => {}
        Some(mode) if matches!(mode.opt.name, "hard" | "merge") => {
            let how = run.with_verb(mode.how());
            run.discard(how, Reach::Tree, Loses::Edits, line.arg(0));
            if mode.opt.name == "merge" {
                run.refine(|discard| discard.undoes = Undoes::Staged);
            }
        }
        _ if paths => {
            // Takes back what was staged; HEAD and the work tree stay.
            run.act(Act::Reset { rev: None });
            return run.report(&line, Targets::Free);
        }
        _ => run.act(Act::Reset { rev: line.arg(0) }),
    }
    run.report(&line, Targets::Decide);
}

/// `git clean`: without `-f` git does nothing unless config says otherwise.
pub(super) fn clean(run: &mut Run<'_>, words: &[Word]) {
    let line = parse(words, tables::CLEAN);
    if line.help || line.has("dry-run") {
        return;
    }
    let given = line.first_on(&["force", "interactive"]);
    let config = run.place.config.iter().rev();
    let required = config
        .into_iter()
        .find(|s| s.key.as_deref() == Some("clean.requireforce"));
    let refuses = required.is_some_and(|s| match &s.value {
        SettingValue::Text(text) => !global::false_text(text),
        SettingValue::Bare => true,
        SettingValue::Unknown => false,
    });
    if given.is_none() && refuses {
        return;
    }
    let how = given.map_or_else(|| run.verb_how(), |how| run.with_verb(how));
    let only_ignored = line.has("X") && !line.has("x");
    if only_ignored {
        let verb = run.verb.clone();
        run.act(Act::Other { verb });
    } else {
        let loses = if line.has("x") {
            Loses::Ignored
        } else {
            Loses::Untracked
        };
        let reach = pathspec::reach(&line.args, run.place.literal_pathspecs);
        run.discard(how, reach, loses, None);
        // A path that is named is gone into all the same.
        let deep = line.has("d") || !line.args.is_empty();
        let here = line.args.is_empty() || pathspec::is_here(&line.args);
        run.refine(|discard| {
            discard.deep = deep;
            discard.here = here;
        });
    }
    run.report(&line, Targets::Decide);
}

/// `git bisect`: HEAD goes to commits that git chooses, and back by `reset`.
pub(super) fn bisect(run: &mut Run<'_>, words: &[Word]) {
    let Some(verb) = words.first() else {
        return;
    };
    let Some(name) = verb.known() else {
        return run.unread("verb", verb);
    };
    if matches!(
        name,
        "log" | "view" | "visualize" | "terms" | "help" | "-h" | "--help"
    ) {
        return;
    }
    run.act(Act::Switch(Switch {
        to: Some(Word {
            text: OPAQUE.to_string(),
            span: verb.span,
            opaque: Opaque::One,
            glob: false,
        }),
        detach: name != "reset",
        ..Switch::default()
    }));
}
