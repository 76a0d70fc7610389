//! branch, tag, update-ref and their kin: local refs and what keeps old commits alive.

use super::{Run, Targets, hooks, tables};
use crate::action::options::{Line, display, parse};
use crate::action::{Act, How, Refs, Switch};
use crate::shell::{Opaque, Word};

/// Options with which `branch` lists.
const BRANCH_LISTS: &[&str] = &[
    "list",
    "show-current",
    "contains",
    "no-contains",
    "with",
    "without",
    "merged",
    "no-merged",
    "points-at",
    "all",
    "edit-description",
];

/// Options with which `tag` lists or checks.
const TAG_LISTS: &[&str] = &[
    "list",
    "n",
    "verify",
    "contains",
    "no-contains",
    "with",
    "without",
    "merged",
    "no-merged",
    "points-at",
];

/// `prefix` and `word` as one word.
fn full(prefix: &str, word: &Word) -> Word {
    Word {
        text: format!("{prefix}{}", word.text),
        ..word.clone()
    }
}

/// `--track` and `--no-track`, as far as given.
fn track(line: &Line<'_>) -> Option<bool> {
    line.last("track").map(|g| g.on)
}

/// `git branch`.
pub(super) fn branch(run: &mut Run<'_>, words: &[Word]) {
    let line = parse(words, tables::BRANCH);
    if line.help {
        return;
    }
    let force = line.on("force");
    let deletes = line.on("D").or_else(|| line.on("delete"));
    let moves = line.first_on(&["M", "move", "C", "copy"]);
    if let Some(how) = deletes {
        run.act(Act::Refs(Refs::Delete {
            names: line.words(0),
            under: "refs/heads/",
            how: run.with_verb(how),
            safe: !line.has("D") && force.is_none(),
            remote_tracking: line.has("remotes"),
        }));
        return run.report(&line, Targets::Decide);
    }
    if moves.is_some() {
        let (from, to) = match line.args.as_slice() {
            [] => return,
            [to] => (None, (*to).clone()),
            [from, to, ..] => (Some((*from).clone()), (*to).clone()),
        };
        let force = force.is_some() || line.any(&["M", "C"]);
        run.act(Act::Refs(Refs::Rename {
            from,
            to,
            force,
            copy: line.any(&["C", "copy"]) && !line.any(&["M", "move"]),
        }));
        let targets = if force {
            Targets::Decide
        } else {
            Targets::Names
        };
        return run.report(&line, targets);
    }
    if line.last("set-upstream-to").is_some_and(|g| g.on) || line.has("unset-upstream") {
        run.act(Act::Refs(Refs::Upstream {
            branch: line.arg(0),
            upstream: line.value("set-upstream-to"),
        }));
        return run.report(&line, Targets::Names);
    }
    let lists = line.any(BRANCH_LISTS) || line.has("remotes") || line.args.is_empty();
    if !lists && let Some(name) = line.arg(0) {
        run.act(Act::Refs(match force {
            Some(how) => Refs::Force {
                name,
                under: "refs/heads/",
                to: line.arg(1),
                how: run.with_verb(how),
            },
            None => Refs::Create {
                name: full("refs/heads/", &name),
                branch: true,
                start: line.arg(1),
                track: track(&line),
            },
        }));
    }
    let targets = match line.has("force") {
        true if !lists => Targets::Decide,
        _ => Targets::Names,
    };
    run.report(&line, targets);
}

/// `git tag`.
pub(super) fn tag(run: &mut Run<'_>, words: &[Word]) {
    let line = parse(words, tables::TAG);
    if line.help {
        return;
    }
    if let Some(how) = line.on("delete") {
        run.act(Act::Refs(Refs::Delete {
            names: line.words(0),
            under: "refs/tags/",
            how: run.with_verb(how),
            safe: false,
            remote_tracking: false,
        }));
        return run.report(&line, Targets::Decide);
    }
    let Some(name) = line.arg(0).filter(|_| !line.any(TAG_LISTS)) else {
        return run.report(&line, Targets::Free);
    };
    let force = line.on("force");
    let targets = if force.is_some() {
        Targets::Decide
    } else {
        Targets::Names
    };
    run.act(Act::Refs(match force {
        Some(how) => Refs::Force {
            name,
            under: "refs/tags/",
            to: line.arg(1),
            how: run.with_verb(how),
        },
        None => Refs::Create {
            name: full("refs/tags/", &name),
            branch: false,
            start: line.arg(1),
            track: None,
        },
    }));
    hooks::given(run, &line);
    run.report(&line, targets);
}

/// `git update-ref`.
pub(super) fn update_ref(run: &mut Run<'_>, words: &[Word]) {
    let line = parse(words, tables::UPDATE_REF);
    if line.help {
        return;
    }
    if let Some(how) = line.on("stdin") {
        run.act(Act::Refs(Refs::Unnamed(run.with_verb(how))));
    } else if let Some(name) = line.arg(0) {
        run.act(Act::Refs(match line.on("d") {
            Some(how) => Refs::Delete {
                names: vec![name],
                under: "",
                how: run.with_verb(how),
                safe: false,
                remote_tracking: false,
            },
            None => Refs::Force {
                name,
                under: "",
                to: line.arg(1),
                how: run.verb_how(),
            },
        }));
        // The new value may be computed; the ref may not.
        run.report_targets(line.args.get(..1).unwrap_or_default());
    }
    run.report(&line, Targets::Names);
}

/// `git symbolic-ref`: with a second word HEAD moves and the work tree stays.
pub(super) fn symbolic_ref(run: &mut Run<'_>, words: &[Word]) {
    let line = parse(words, tables::SYMBOLIC_REF);
    if line.help {
        return;
    }
    let Some(name) = line.arg(0) else {
        return;
    };
    if let Some(how) = line.on("delete") {
        run.act(Act::Refs(Refs::Delete {
            names: vec![name],
            under: "",
            how: run.with_verb(how),
            safe: false,
            remote_tracking: false,
        }));
    } else if let Some(to) = line.arg(1) {
        if name.known() == Some("HEAD") {
            let short = to.text.strip_prefix("refs/heads/").unwrap_or(&to.text);
            run.act(Act::Switch(Switch {
                to: Some(Word {
                    text: short.to_owned(),
                    ..to.clone()
                }),
                ..Switch::default()
            }));
        }
        run.act(Act::Refs(Refs::Force {
            name,
            under: "",
            to: Some(to),
            how: run.verb_how(),
        }));
    } else {
        return run.report(&line, Targets::Names);
    }
    run.report(&line, Targets::Decide);
}

/// `git replace`.
pub(super) fn replace(run: &mut Run<'_>, words: &[Word]) {
    let line = parse(words, tables::REPLACE);
    if line.help || line.has("list") || (line.args.is_empty() && line.given.is_empty()) {
        return;
    }
    unnamed(run);
}

/// A verb that rewrites refs which it alone chooses.
pub(super) fn unnamed(run: &mut Run<'_>) {
    run.act(Act::Refs(Refs::Unnamed(run.verb_how())));
}

/// `filter-branch`, `filter-repo`, `fast-import`.
pub(super) fn rewrite(run: &mut Run<'_>, words: &[Word]) {
    let asks = |w: &Word| matches!(w.text.as_str(), "-h" | "--help" | "--version" | "--analyze");
    if words.first().is_some_and(asks) {
        return;
    }
    let mut how = run.verb_how();
    // Without force it only adds commits to refs.
    if run.verb == "fast-import" && words.iter().any(|w| w.text == "--force") {
        how.text.push_str(" --force");
    }
    run.act(Act::Refs(Refs::Unnamed(how)));
}

/// `git reflog expire|delete`.
pub(super) fn reflog(run: &mut Run<'_>, words: &[Word]) {
    let Some((verb, rest)) = words.split_first() else {
        return;
    };
    match verb.known() {
        Some(name @ ("expire" | "delete" | "drop")) => {
            let line = parse(rest, tables::REFLOG_EXPIRE);
            // By itself `expire` drops only what is older than config says.
            let ages = line.first_on(&["expire", "expire-unreachable", "all"]);
            if line.help || line.has("dry-run") || (name == "expire" && ages.is_none()) {
                return;
            }
            let mut text = format!("reflog {name}");
            for option in ["expire", "expire-unreachable"] {
                if let Some(age) = line.value(option) {
                    text.push_str(&format!(" --{option}={}", display(&age.text)));
                }
            }
            run.act(Act::Refs(Refs::Unnamed(How {
                text,
                span: verb.span,
            })));
        }
        None if verb.opaque == Opaque::Many => run.unread("verb", verb),
        _ => {}
    }
}

/// `git gc`: only `--prune=DATE` takes away what could still be found.
pub(super) fn gc(run: &mut Run<'_>, words: &[Word]) {
    let line = parse(words, tables::GC);
    let prune = line.last("prune").filter(|g| g.on && g.has_value());
    if let Some(how) = prune.map(|g| g.how()).filter(|_| !line.help) {
        run.act(Act::Refs(Refs::Unnamed(run.with_verb(how))));
    }
}

/// `git prune`.
pub(super) fn prune(run: &mut Run<'_>, words: &[Word]) {
    let line = parse(words, tables::PRUNE);
    if line.help || line.has("dry-run") {
        return;
    }
    let mut how = run.verb_how();
    if let Some(age) = line.value("expire") {
        how.text
            .push_str(&format!(" --expire={}", display(&age.text)));
    }
    run.act(Act::Refs(Refs::Unnamed(how)));
}
