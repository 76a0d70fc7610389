//! Denies writing, moving or removing git's own files, and checkouts, past git.

use super::paths::{Deed, Parts, touched};
use super::target::git_at;
use super::{Found, Instead, Rule};
use crate::action::{Action, is_mark};
use crate::policy::Policy;
use crate::shell::Word;
use crate::verdict::Decision;
use crate::world::{Root, World};

pub(super) const RULE: Rule = Rule {
    id: "git/admin-write",
    decision: Decision::Deny,
    stops: "git's own files and whole checkouts written, moved or removed past git: `rm -rf .git`, `> .git/HEAD`, `chmod -x .git/hooks/…`, `mv ../wt …`; lock files and a user's git config ask",
    why: "git keeps no copy of these: refs, hooks and worktrees that go this way are gone for everyone who shares the repository",
    instead: "use the git verb that does it: `git branch`, `git worktree move` or `remove`, `git rebase --abort`",
    check,
};

/// Directories and files that git lives on, with what they are to a person.
#[rustfmt::skip]
const OWN: &[(&str, &str)] = &[
    ("hooks", "a hook of this repository"),
    ("refs", "branches and tags"),
    ("packed-refs", "branches and tags"),
    ("reftable", "branches and tags"),
    ("HEAD", "what is checked out"),
    ("config", "the repository's config"),
    ("config.worktree", "the checkout's config"),
    ("index", "what is staged"),
    ("objects", "the history itself"),
    ("logs", "the reflog, the way back to lost commits"),
    ("worktrees", "the links of other worktrees"),
    ("commondir", "the link to the repository"),
    ("gitdir", "the link to the checkout"),
    ("shallow", "where the history ends"),
    ("remotes", "remotes"),
    ("branches", "remotes"),
];

/// What a running merge, rebase or bisect lives on.
#[rustfmt::skip]
const UNDER_WAY: &[&str] = &[
    "AUTO_MERGE", "BISECT_LOG", "BISECT_NAMES", "BISECT_START", "BISECT_TERMS", "CHERRY_PICK_HEAD",
    "MERGE_HEAD", "MERGE_MODE", "MERGE_RR", "ORIG_HEAD", "REBASE_HEAD", "REVERT_HEAD",
    "rebase-apply", "rebase-merge", "sequencer",
];

/// How a file of git's is guarded.
enum Guard {
    Free,
    Ask(&'static str),
    Deny(&'static str),
}

fn check(action: &Action, world: &World, _: &Policy) -> Vec<Found> {
    let Some((word, deed)) = touched(action) else {
        return Vec::new();
    };
    let path = Parts::of(word, action.place.dir.as_deref());
    let found = inside(&path, deed, world)
        .or_else(|| linked(word, deed, action, world))
        .or_else(|| users(&path, world))
        .or_else(|| checkout(&path, word, deed, action, world));
    let Some((guard, instead)) = found else {
        return Vec::new();
    };
    let found = |why: &str| {
        let span = if word.span.end == 0 {
            action.span
        } else {
            word.span
        };
        Found::new(deed.of(word), span)
            .because(why)
            .instead(instead)
    };
    match guard {
        Guard::Free => Vec::new(),
        Guard::Ask(why) => vec![found(why).ask()],
        Guard::Deny(why) => vec![found(&format!("it is {why}"))],
    }
}

type Answer = Option<(Guard, Option<Instead>)>;

/// Files in a `.git`, or in a bare repository.
fn inside(path: &Parts, deed: Deed, world: &World) -> Answer {
    for (at, part) in path.parts.iter().enumerate() {
        let dot = path.is(part, ".git");
        if !dot && !part.ends_with(".git") {
            continue;
        }
        let seen = path
            .first(if dot { at } else { at + 1 })
            .map(|p| world.root(&p));
        let linked = match (dot, seen) {
            (true, Some(Root::None)) if !world.around.assume_repository => return None,
            (false, Some(Root::Bare)) => false,
            (false, _) => continue,
            (true, seen) => seen == Some(Root::Linked),
        };
        let rest = path.parts.get(at + 1..).unwrap_or_default();
        let guard = match rest {
            [] => itself(deed, linked),
            rest => of(path, rest, deed),
        };
        let unsure = matches!(seen, None | Some(Root::Unclear));
        return Some(match guard {
            Guard::Deny(_) if unsure => (
                Guard::Ask(
                    "it may be a repository's own file; which one is not known before it runs",
                ),
                None,
            ),
            guard => (guard, None),
        });
    }
    None
}

/// Files in a `.git` that a link on disk leads into. What is removed or moved is a link itself.
fn linked(word: &Word, deed: Deed, action: &Action, world: &World) -> Answer {
    let last = matches!(deed, Deed::Write | Deed::Mode);
    let path = Parts::followed(word, action.place.dir.as_deref(), last, world)?;
    inside(&path, deed, world)
}

/// `.git` as a whole.
fn itself(deed: Deed, linked: bool) -> Guard {
    match deed {
        Deed::Write if !linked => Guard::Free,
        Deed::Mode => Guard::Ask("it is git's own directory, which every checkout shares"),
        Deed::Write | Deed::RemoveOne | Deed::Remove | Deed::Move if linked => {
            Guard::Deny("the link from this worktree to its repository")
        }
        _ => Guard::Deny("the repository itself, with every commit that is nowhere else"),
    }
}

/// A file below `.git`.
fn of(path: &Parts, rest: &[String], deed: Deed) -> Guard {
    let (Some(first), Some(last)) = (rest.first(), rest.last()) else {
        return Guard::Free;
    };
    if last.ends_with(".lock") || last == "gc.pid" {
        return Guard::Ask("a git process may hold this lock; without it two would write at once");
    }
    if last.ends_with(".sample") {
        return Guard::Free;
    }
    if first.chars().any(is_mark) {
        return Guard::Ask("which of git's files it is is not known before it runs");
    }
    if first == "modules" {
        // A submodule's name may hold slashes.
        let nested = (1..rest.len()).find_map(|at| match of_one(path, rest.get(at..)?) {
            Guard::Free => None,
            guard => Some(guard),
        });
        return nested.unwrap_or(Guard::Ask("it holds the repository of a submodule"));
    }
    if first == "worktrees"
        && let Some(nested) = rest.get(2..)
        && let Guard::Free | Guard::Ask(_) = of_one(path, nested)
        && !nested.is_empty()
        && nested.first().is_none_or(|name| name != "locked")
    {
        return of_one(path, nested);
    }
    if deed == Deed::Mode && rest.len() == 1 && path.is(first, "objects") {
        return Guard::Ask("it is git's own directory, which every checkout shares");
    }
    of_one(path, rest)
}

fn of_one(path: &Parts, rest: &[String]) -> Guard {
    let Some(first) = rest.first() else {
        return Guard::Free;
    };
    if first == "info" {
        return match rest.get(1).map(String::as_str) {
            Some("exclude") => Guard::Free,
            Some("sparse-checkout") => Guard::Ask("it decides which files are checked out"),
            Some("attributes" | "grafts") => {
                Guard::Deny("what makes git run filters, or read another history")
            }
            _ => Guard::Ask("it holds attributes and excludes of this repository"),
        };
    }
    if let Some((_, what)) = OWN.iter().find(|(name, _)| path.is(first, name)) {
        return Guard::Deny(what);
    }
    if first.starts_with("sharedindex.") {
        return Guard::Deny("what is staged");
    }
    if UNDER_WAY.iter().any(|name| path.is(first, name)) {
        return Guard::Ask("a merge, rebase or bisect that is under way lives on it");
    }
    Guard::Free
}

/// The user's or the machine's git config.
fn users(path: &Parts, world: &World) -> Answer {
    let last = path.parts.last()?;
    if !matches!(
        last.as_str(),
        ".gitconfig" | "gitconfig" | "config" | "attributes"
    ) {
        return None;
    }
    let whole = path.whole()?;
    let home = world.around.home.as_ref();
    let xdg = world.around.directory("XDG_CONFIG_HOME");
    let config = xdg.or_else(|| home.map(|h| h.join(".config")))?;
    let ours = home.is_some_and(|h| whole == h.join(".gitconfig"))
        || whole.parent() == Some(&config.join("git"))
        || whole == std::path::Path::new("/etc/gitconfig");
    ours.then_some((
        Guard::Ask("it is the git config of all repositories of this user"),
        None,
    ))
}

/// Whole checkouts, and directories that hold the one at hand.
fn checkout(path: &Parts, word: &Word, deed: Deed, action: &Action, world: &World) -> Answer {
    if !deed.whole() {
        return None;
    }
    const TOP: &str = "the top of a checkout, with its work and its repository";
    if let Some(dir) = &action.place.dir
        && path.holds(dir)
    {
        let lies = path
            .whole()
            .is_none_or(|p| world.lies_in(&action.place, &p));
        if lies {
            return Some((Guard::Deny("a directory that holds this checkout"), None));
        }
    }
    if word.glob && world.matches_checkouts(&action.place, word) {
        let list = Instead::run(format!("{} worktree list", git_at(&action.place, world)));
        return Some((Guard::Deny("a pattern that whole checkouts fit"), list));
    }
    match world.root(&path.whole()?) {
        Root::Main => Some((Guard::Deny(TOP), None)),
        Root::Bare => Some((
            Guard::Deny("a repository, with every commit that is nowhere else"),
            None,
        )),
        Root::Linked => {
            let instead = (deed == Deed::Remove && plain(&word.text))
                .then(|| format!("git worktree remove {}", word.text));
            Some((
                Guard::Deny("a linked worktree, which git still expects there"),
                instead.and_then(Instead::run),
            ))
        }
        Root::None | Root::Unclear => {
            world.checkout_in(&action.place, &path.whole()?)?;
            let list = Instead::run(format!("{} worktree list", git_at(&action.place, world)));
            Some((Guard::Deny("a directory that holds other checkouts"), list))
        }
    }
}

/// A shell reads it as it stands.
fn plain(text: &str) -> bool {
    !text.starts_with('-')
        && text
            .chars()
            .all(|c| c.is_alphanumeric() || "./_-+@".contains(c))
}
