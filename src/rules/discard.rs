//! Denies throwing away a whole tree of work that is in no commit.

use super::breadth::{self, Breadth};
use super::target::{git_at, quoted, spelled};
use super::{Found, Instead, Rule};
use crate::action::{Act, Action, Discard, Loses, Reach, Switch};
use crate::policy::Policy;
use crate::shell::{Span, Word};
use crate::verdict::Decision;
use crate::world::{Fact, World};

pub(super) const RULE: Rule = Rule {
    id: "git/discard",
    decision: Decision::Deny,
    stops: "throwing away a tree of uncommitted work: `reset --hard`, `checkout .`, `restore .`, `clean -f`",
    why: "what is in no commit cannot be brought back, and in a shared checkout it is not all yours",
    instead: "look first, then undo the files that you changed by their names",
    check,
};

fn check(action: &Action, world: &World, _: &Policy) -> Vec<Found> {
    let discard = match &action.act {
        Act::Discard(discard) => discard,
        Act::Switch(switch) => return path_after_all(switch, action, world),
        _ => return Vec::new(),
    };
    if discard.loses == Loses::Stash || git_refuses(discard, action, world) {
        return Vec::new();
    }
    let Some((span, fact, ask)) = reach(discard, action, world) else {
        return Vec::new();
    };
    let what = match discard.loses {
        Loses::Untracked => "delete untracked files for good",
        Loses::Ignored => "delete untracked and ignored files for good",
        _ => "throw away uncommitted edits",
    };
    let found = Found::new(format!("`{}` would {what}", discard.how.text), span)
        .because(fact)
        .instead(instead(discard, action, world));
    vec![if ask { found.ask() } else { found }]
}

/// `checkout src`, where `src` is no branch but a directory: git overwrites all of it.
fn path_after_all(switch: &Switch, action: &Action, world: &World) -> Vec<Found> {
    let Some(word) = switch.to.as_ref().filter(|_| switch.maybe_path) else {
        return Vec::new();
    };
    let Some(name) = word.known() else {
        return Vec::new();
    };
    let breadth = breadth::of(word, &action.place, world);
    let broad = matches!(
        breadth,
        Breadth::Tree | Breadth::Directory | Breadth::Pattern
    );
    if !broad || world.has_branch(&action.place, name) != Fact::Known(false) {
        return Vec::new();
    }
    let effect = format!("`checkout {name}` would throw away uncommitted edits");
    let fact = format!("`{name}` is no branch here, and it {}", breadth.phrase());
    let status = format!("{} status --short", git_at(&action.place, world));
    vec![
        Found::new(effect, word.span)
            .because(fact)
            .instead(Instead::run(status)),
    ]
}

/// `clean` without `-f` does nothing unless config says that it may.
fn git_refuses(discard: &Discard, action: &Action, world: &World) -> bool {
    discard.how.text == "clean"
        && match world.config(&action.place, "clean.requireforce") {
            Fact::Known(Some(value)) => !matches!(
                value.to_ascii_lowercase().as_str(),
                "" | "false" | "no" | "off" | "0"
            ),
            Fact::Known(None) => true,
            Fact::Unknown(_) => false,
        }
}

/// Why it reaches further than named files, and whether that is only possible.
fn reach(discard: &Discard, action: &Action, world: &World) -> Option<(Span, String, bool)> {
    match &discard.reach {
        Reach::Tree => Some((
            discard.how.span,
            "it reaches the whole checkout".to_owned(),
            false,
        )),
        Reach::Listed(how) => Some((how.span, format!("`{}` names no file", how.text), true)),
        Reach::Chosen(_) => None,
        Reach::Paths(paths) => paths.iter().find_map(|path| {
            let breadth = breadth::of(path, &action.place, world);
            let broad = !matches!(breadth, Breadth::Named | Breadth::Unknown);
            broad.then(|| {
                (
                    path.span,
                    format!("`{}` {}", spelled(path), breadth.phrase()),
                    breadth == Breadth::Unseen,
                )
            })
        }),
    }
}

fn instead(discard: &Discard, action: &Action, world: &World) -> Option<Instead> {
    let git = git_at(&action.place, world);
    let verb = discard.how.text.as_str();
    if matches!(discard.loses, Loses::Untracked | Loses::Ignored) {
        return Instead::run(format!("{git} clean -n -d"));
    }
    let to = discard
        .to
        .as_ref()
        .and_then(Word::known)
        .filter(|t| !t.is_empty() && !t.starts_with('-'));
    match to {
        // It moves the branch and keeps edits, or refuses.
        Some(to) if verb.starts_with("reset") => {
            Instead::run(format!("{git} reset --keep {}", quoted(to)))
        }
        Some(to) if verb.starts_with("switch") => {
            Instead::run(format!("{git} switch {}", quoted(to)))
        }
        _ => Instead::run(format!("{git} status --short")),
    }
}
