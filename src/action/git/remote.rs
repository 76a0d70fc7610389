//! remote, clone, init, submodule: other repositories.

use super::{Run, Targets, pathspec, tables};
use crate::action::options::{Opt, flag, parse, parse_leading, value};
use crate::action::{Act, Alter, How, Loses, Stage};
use crate::shell::{Opaque, Word};

const VERBOSE: &[Opt] = &[flag("verbose", 'v')];

/// What `rename`, `set-head` and `set-branches` know together.
const OTHERS: &[Opt] = &[
    flag("progress", '-'),
    flag("auto", 'a'),
    flag("delete", 'd'),
    flag("add", '-'),
];

const SUBMODULE: &[Opt] = &[flag("quiet", 'q'), flag("cached", '-')];

const SUBMODULE_VERB: &[Opt] = &[
    flag("force", 'f'),
    flag("all", '-'),
    flag("quiet", 'q'),
    flag("init", 'i'),
    flag("recursive", '-'),
    flag("remote", '-'),
    flag("no-fetch", 'N'),
    flag("checkout", '-'),
    flag("merge", 'm'),
    flag("rebase", 'r'),
    flag("progress", '-'),
    flag("dissociate", '-'),
    flag("single-branch", '-'),
    flag("recommend-shallow", '-'),
    value("branch", 'b'),
    value("name", '-'),
    value("reference", '-'),
    value("depth", '-'),
    value("jobs", 'j'),
    value("filter", '-'),
];

/// `git remote`.
pub(super) fn remote(run: &mut Run<'_>, words: &[Word]) {
    let outer = parse_leading(words, VERBOSE);
    let Some(verb) = outer.args.first() else {
        return;
    };
    let Some(name) = verb.known() else {
        return run.unread("verb", verb);
    };
    let table = match name {
        "add" => tables::REMOTE_ADD,
        "set-url" => tables::REMOTE_SET_URL,
        "rename" | "remove" | "rm" | "set-head" | "set-branches" => OTHERS,
        // `show`, `get-url`, `update` and `prune` leave remotes and branches as they are.
        _ => return,
    };
    let at = words.iter().position(|w| std::ptr::eq(w, *verb));
    let rest = words
        .get(at.map_or(0, |at| at.saturating_add(1))..)
        .unwrap_or_default();
    let line = parse(rest, table);
    if line.help {
        return;
    }
    let called = line.args.first().copied();
    let args = rest
        .iter()
        .filter(|w| called.is_none_or(|c| !std::ptr::eq(*w, c)));
    run.act(Act::Remote {
        verb: if name == "rm" { "remove" } else { name }.to_owned(),
        name: called.cloned(),
        args: args.cloned().collect(),
    });
    run.report(&line, Targets::Free);
}

/// `git clone`.
pub(super) fn clone(run: &mut Run<'_>, words: &[Word]) {
    let line = parse(words, tables::CLONE);
    let Some(from) = line.arg(0).filter(|_| !line.help) else {
        return;
    };
    let bare = line.any(&["bare", "mirror", "naked"]);
    let dir = line.arg(1).or_else(|| derived(&from, bare));
    // Which branch a clone starts on is the remote's choice; `--branch` may name a tag.
    run.act(Act::NewRepository { dir, branch: None });
    run.report(&line, Targets::Free);
}

/// The directory that git derives from what is cloned.
fn derived(from: &Word, bare: bool) -> Option<Word> {
    let text = from.text.trim_end_matches('/');
    let text = text.strip_suffix("/.git").unwrap_or(text);
    let text = text.trim_end_matches('/').rsplit(['/', ':']).next()?;
    let text = text.strip_suffix(".git").unwrap_or(text);
    let known = from.opaque == Opaque::No || !text.chars().any(crate::action::is_mark);
    (known && !text.is_empty()).then(|| Word {
        text: if bare {
            format!("{text}.git")
        } else {
            text.to_owned()
        },
        opaque: Opaque::No,
        ..from.clone()
    })
}

/// `git init`.
pub(super) fn init(run: &mut Run<'_>, words: &[Word]) {
    let line = parse(words, tables::INIT);
    if line.help {
        return;
    }
    let here = Word {
        text: ".".to_owned(),
        span: run.at,
        ..Word::default()
    };
    let dir = line.arg(0).unwrap_or(here);
    if line.value("separate-git-dir").is_some() {
        // A repository that is there already moves.
        run.act(Act::Alter {
            path: Word {
                text: format!("{}/.git", dir.text.trim_end_matches('/')),
                ..dir.clone()
            },
            by: Alter::Move,
        });
    }
    run.act(Act::NewRepository {
        dir: Some(dir),
        branch: line.value("initial-branch"),
    });
}

/// `git submodule add|deinit|update`; `foreach` is unfolded elsewhere.
pub(super) fn submodule(run: &mut Run<'_>, words: &[Word]) {
    let outer = parse_leading(words, SUBMODULE);
    let Some((verb, _)) = outer.args.split_first() else {
        return;
    };
    let Some(name) = verb.known() else {
        return run.unread("verb", verb);
    };
    let at = words.iter().position(|w| std::ptr::eq(w, *verb));
    let rest = words
        .get(at.map_or(0, |at| at.saturating_add(1))..)
        .unwrap_or_default();
    let line = parse_leading(rest, SUBMODULE_VERB);
    if line.help {
        return;
    }
    match name {
        "add" => {
            let modules = Word {
                text: ".gitmodules".to_owned(),
                span: verb.span,
                ..Word::default()
            };
            let path = line
                .arg(1)
                .or_else(|| line.args.first().and_then(|from| derived(from, false)));
            run.act(Act::Stage(Stage {
                verb: "submodule add".to_owned(),
                paths: std::iter::once(modules).chain(path).collect(),
                ..Stage::default()
            }));
        }
        "deinit" | "update" => {
            if let Some(force) = line.on("force") {
                let how = How {
                    text: format!("submodule {name} {}", force.text),
                    span: force.span,
                };
                let reach = pathspec::reach(&line.args, run.place.literal_pathspecs);
                run.discard(how, reach, Loses::Edits, None);
            } else {
                let verb = run.verb.clone();
                run.act(Act::Other { verb });
            }
        }
        _ => return,
    }
    run.report(&line, Targets::Free);
}
