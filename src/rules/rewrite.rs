//! Denies moving and deleting local refs where commits would be lost.

use super::target::{git_at, quoted, short};
use super::{Found, Instead, Rule};
use crate::action::{Act, Action, How, Push, Refs, Switch};
use crate::policy::Policy;
use crate::shell::Word;
use crate::verdict::Decision;
use crate::world::{Becomes, Fact, Head, Keeping, Presence, UpdateKind, World};

pub(super) const RULE: Rule = Rule {
    id: "git/rewrite",
    decision: Decision::Deny,
    stops: "moving or deleting refs that alone hold commits, and removing what could bring them back: `branch -D`, `branch -f`, `checkout -B`, `update-ref`, `filter-branch`, `reflog expire`, `gc --prune=now`",
    why: "commits that no branch or tag has are gone for everybody who does not know their ids, and soon for good",
    instead: "keep the commits under a name of their own, or delete with `git branch -d`, which refuses what is not merged",
    check,
};

fn check(action: &Action, world: &World, _: &Policy) -> Vec<Found> {
    match &action.act {
        Act::Refs(refs) => of_refs(refs, action, world),
        Act::Switch(switch) => of_switch(switch, action, world).into_iter().collect(),
        Act::Push(push) if !push.dry_run => of_push(push, action, world),
        _ => Vec::new(),
    }
}

fn of_refs(refs: &Refs, action: &Action, world: &World) -> Vec<Found> {
    match refs {
        Refs::Force {
            name,
            under,
            to,
            how,
        } => {
            let Some(full) = full(name, under, action, world) else {
                return Vec::new();
            };
            // It makes one ref stand for another, whose commits stay.
            if how.text.starts_with("symbolic-ref") && !full.starts_with("refs/heads/") {
                return Vec::new();
            }
            let becomes = to.as_ref().map_or(Becomes::Head, Becomes::At);
            judge(action, world, &full, becomes, how)
                .into_iter()
                .collect()
        }
        Refs::Delete {
            names,
            under,
            how,
            safe: false,
            remote_tracking: false,
        } => names
            .iter()
            .filter_map(|name| full(name, under, action, world))
            .filter_map(|full| judge(action, world, &full, Becomes::Gone, how))
            .collect(),
        Refs::Rename {
            from,
            to,
            force: true,
            ..
        } if from.as_ref() != Some(to) => {
            let Some(full) = full(to, "refs/heads/", action, world) else {
                return Vec::new();
            };
            if from.is_none() && is_current(short(&full), action, world) {
                return Vec::new();
            }
            let how = How {
                text: "branch -M".to_owned(),
                span: to.span,
            };
            let becomes = from.as_ref().map_or(Becomes::Head, Becomes::At);
            judge(action, world, &full, becomes, &how)
                .into_iter()
                .collect()
        }
        // A stream is how a new repository is filled.
        Refs::Unnamed(how)
            if how.text.starts_with("fast-import")
                && world.presence(&action.place) == Presence::Made =>
        {
            Vec::new()
        }
        Refs::Unnamed(how) => unnamed(how).into_iter().collect(),
        _ => Vec::new(),
    }
}

/// `push . :NAME` deletes a ref of this repository.
fn of_push(push: &Push, action: &Action, world: &World) -> Vec<Found> {
    if push.remote.as_ref().and_then(Word::known) != Some(".") {
        return Vec::new();
    }
    let outlook = world.push(push, &action.place);
    let gone = outlook
        .updates
        .iter()
        .filter(|u| u.kind == UpdateKind::Delete && u.remote == ".");
    let how = How {
        text: "push .".to_owned(),
        span: action.span,
    };
    gone.filter_map(|u| judge(action, world, &u.refname, Becomes::Gone, &how))
        .collect()
}

/// `checkout -B`, `switch -C`.
fn of_switch(switch: &Switch, action: &Action, world: &World) -> Option<Found> {
    let how = switch.force_create.as_ref()?;
    let full = full(switch.create.as_ref()?, "refs/heads/", action, world)?;
    let becomes = switch.to.as_ref().map_or(Becomes::Head, Becomes::At);
    judge(action, world, &full, becomes, how)
}

/// The full name of a ref; `None` where it cannot be known, which is asked about elsewhere.
fn full(name: &Word, under: &str, action: &Action, world: &World) -> Option<String> {
    let known = name.known()?;
    if known == "HEAD" {
        // It stands for the branch that is checked out.
        let Fact::Known(heads) = world.heads(&action.place) else {
            return None;
        };
        return match heads.as_slice() {
            [Head::Branch(branch)] => Some(format!("refs/heads/{branch}")),
            _ => None,
        };
    }
    if under.is_empty() && !known.starts_with("refs/") {
        return None;
    }
    Some(format!("{under}{known}"))
}

fn is_current(branch: &str, action: &Action, world: &World) -> bool {
    matches!(world.heads(&action.place), Fact::Known(heads)
        if heads.iter().all(|h| *h == Head::Branch(branch.to_owned())))
}

fn judge(
    action: &Action,
    world: &World,
    full: &str,
    becomes: Becomes<'_>,
    how: &How,
) -> Option<Found> {
    let kind = full.starts_with("refs/heads/") || full.starts_with("refs/tags/");
    if !kind {
        return None;
    }
    let name = short(full);
    let what = match becomes {
        Becomes::Gone => format!("delete `{name}`"),
        _ => format!("move `{name}` away from its commits"),
    };
    let git = git_at(&action.place, world);
    match world.keeping(&action.place, full, becomes) {
        Keeping::Kept => None,
        Keeping::Lost(count) => {
            let fact = match count {
                1 => "1 commit is on no other branch or tag, here or at a remote".to_owned(),
                n => format!("{n} commits are on no other branch or tag, here or at a remote"),
            };
            let found = Found::new(format!("this would {what}"), how.span).because(fact);
            Some(found.instead(look(&git, full)))
        }
        Keeping::Unknown(why) => {
            let found = Found::new(format!("this may {what}"), how.span).because(why);
            Some(found.instead(look(&git, full)).ask())
        }
    }
}

/// The commits in question.
fn look(git: &str, full: &str) -> Option<Instead> {
    Instead::run(format!("{git} log --oneline -10 {}", quoted(full)))
}

/// Verbs that choose for themselves which refs or objects go.
fn unnamed(how: &How) -> Option<Found> {
    let text = how.text.as_str();
    let verb = text.split(' ').next().unwrap_or_default();
    let found = |effect: &str| Found::new(effect, how.span).because(format!("`{text}`"));
    let history = "this would rewrite the history of branches";
    let safety = "this would remove what could bring lost commits back";
    match verb {
        "filter-branch" | "filter-repo" => Some(found(history)),
        "fast-import" if text.ends_with("--force") => Some(found(history)),
        "fast-import" => Some(
            found("this would put commits on branches that it does not name here, past every hook")
                .ask(),
        ),
        "reflog" | "gc" | "prune" => match age(text) {
            Age::Now => Some(found(safety)),
            Age::Some => Some(found(safety).ask()),
            Age::Usual => None,
        },
        "update-ref" => Some(found("this would update refs that it does not name here").ask()),
        "replace" => Some(found("this would put other objects in the place of commits").ask()),
        "fetch" | "pull" if !text.contains(":refs/tags/") => {
            Some(found("this would put the remote's branches in the place of local ones").ask())
        }
        // `rebase --update-refs` takes the commits along.
        _ => None,
    }
}

/// How far back something is forgotten.
enum Age {
    /// All of it, or what is younger than an hour.
    Now,
    /// An age of the caller's choice.
    Some,
    /// No more than git forgets by itself.
    Usual,
}

/// The age in `gc --prune=now`, `reflog expire --expire=now`; `prune` alone forgets all.
fn age(text: &str) -> Age {
    let mut worst = match text {
        "prune" => Age::Now,
        _ if text.starts_with("reflog expire") => Age::Usual,
        _ if text.starts_with("reflog") => Age::Some,
        _ => Age::Usual,
    };
    for value in text.split(" --").filter_map(|o| o.split_once('=')) {
        match value.1 {
            "now" | "all" | "0" | "today" => return Age::Now,
            "never" | "false" | "2.weeks.ago" | "2.weeks" | "90.days" | "90.days.ago" => {}
            _ => worst = Age::Some,
        }
    }
    worst
}

/// What `worktree add -B` does to the branch `name`.
pub(super) fn moves(
    action: &Action,
    world: &World,
    name: &Word,
    to: Option<&Word>,
    how: &How,
) -> Option<Found> {
    let full = full(name, "refs/heads/", action, world)?;
    let becomes = to.map_or(Becomes::Head, Becomes::At);
    judge(action, world, &full, becomes, how)
}
