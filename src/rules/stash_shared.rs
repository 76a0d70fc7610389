//! Asks before a stash entry of another branch is taken, or one is dropped that alone holds its work, and denies clearing the stash.

use super::target::git_at;
use super::{Found, Instead, Rule};
use crate::action::{Act, Action};
use crate::policy::Policy;
use crate::shell::{Span, Word};
use crate::verdict::Decision;
use crate::world::{Fact, Head, Stash, StashEntry, Stasher, World, stash_index};

pub(super) const RULE: Rule = Rule {
    id: "git/stash-shared",
    decision: Decision::Ask,
    stops: "taking stash entries of other branches, dropping one whose work is nowhere else, and `stash clear`: all worktrees share one stash",
    why: "the entry may be another session's only copy of its work; a pop mixes it into yours, a drop loses it",
    instead: "look with `git stash list` and `git stash show -p stash@{N}`, and take only what you put there",
    check,
};

fn check(action: &Action, world: &World, _: &Policy) -> Vec<Found> {
    let Act::Stash {
        verb, entry, span, ..
    } = &action.act
    else {
        return Vec::new();
    };
    if !matches!(*verb, "pop" | "apply" | "drop" | "branch" | "clear") {
        return Vec::new();
    }
    let look = Instead::run(format!("{} stash list", git_at(&action.place, world)));
    let found = match world.stashes(&action.place, *verb == "drop") {
        Fact::Known(ways) => ways
            .iter()
            .filter_map(|stash| one(stash, verb, entry.as_ref(), action, world, *span))
            .max_by_key(|found| found.decision == Some(Decision::Deny)),
        Fact::Unknown(why) => {
            let effect = format!("`stash {verb}` may take what another session put away");
            Some(Found::new(effect, *span).because(why))
        }
    };
    found.map(|found| found.instead(look)).into_iter().collect()
}

fn one(
    stash: &Stash,
    verb: &str,
    entry: Option<&Word>,
    action: &Action,
    world: &World,
    span: Span,
) -> Option<Found> {
    if verb == "clear" {
        let newest = stash.entries.first()?;
        let count = stash.entries.len();
        let what = match count {
            1 => "the one stash entry".to_owned(),
            n => format!("all {n} stash entries"),
        };
        let found = Found::new(format!("`stash clear` would lose {what}"), span);
        let mut found = found.because(format!("the newest is `{}`", newest.text));
        found.decision = Some(Decision::Deny);
        return Some(found);
    }
    let does = match verb {
        "drop" => "lose",
        "apply" => "mix in",
        _ => "take",
    };
    let Some(at) = stash_index(entry) else {
        let foreign = stash.entries.iter().any(|e| !is_own(&e.by, action, world));
        let effect = format!("`stash {verb}` may {does} an entry of another branch");
        return foreign.then(|| {
            Found::new(effect, span).because("which entry it is, is not known before the run")
        });
    };
    let taken = stash.entries.get(at)?;
    let text = format!("`stash@{{{at}}}` is `{}`", taken.text);
    if stash.empty_push && entry.is_none() && taken.by != Stasher::Call {
        let effect = format!("`stash {verb}` would {does} an older entry");
        let found = Found::new(effect, span)
            .because("the `stash` before it finds nothing to put away")
            .because(text);
        return Some(found);
    }
    if let Some(why) = stash.doubt.as_ref().filter(|_| taken.by != Stasher::Call) {
        let effect = format!("`stash {verb}` may {does} an older entry");
        return Some(Found::new(effect, span).because(why.clone()).because(text));
    }
    if is_own(&taken.by, action, world) {
        return dropped(taken, verb, action, world, span);
    }
    let of = match &taken.by {
        Stasher::Branch(branch) => format!("an entry of `{branch}`"),
        _ => "an entry of no branch".to_owned(),
    };
    Some(Found::new(format!("`stash {verb}` would {does} {of}"), span).because(text))
}

/// One's own entry: only what nothing else has is lost with it.
fn dropped(
    taken: &StashEntry,
    verb: &str,
    action: &Action,
    world: &World,
    span: Span,
) -> Option<Found> {
    if verb != "drop" || taken.applied {
        return None;
    }
    let kept = match taken.at {
        Some(at) => world.stash_kept(&action.place, at),
        None => Fact::Known(false),
    };
    let (does, why) = match kept {
        Fact::Known(true) => return None,
        Fact::Known(false) => (
            "would",
            "what it holds is in no commit and in no file".to_owned(),
        ),
        Fact::Unknown(why) => ("may", why),
    };
    let effect = format!("`stash drop` {does} lose work that was put away");
    let found = Found::new(effect, span).because(why);
    Some(found.because(format!("it is `{}`", taken.text)))
}

/// Whether this call made it, or somebody on the branch that is or was checked out here.
fn is_own(by: &Stasher, action: &Action, world: &World) -> bool {
    let branch = match by {
        Stasher::Call => return true,
        Stasher::Branch(branch) => Head::Branch(branch.clone()),
        Stasher::Detached => Head::Detached,
    };
    let on = |heads: Fact<Vec<Head>>| matches!(heads, Fact::Known(h) if h.contains(&branch));
    on(world.heads(&action.place)) || on(world.heads_before(&action.place))
}
