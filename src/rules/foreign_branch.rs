//! Denies updating a branch that another live session's claim names, here or on a remote.

use super::claims::{self, Deed};
use super::target::short;
use super::{Found, Instead, Rule};
use crate::action::{Act, Action, Refs, Worktree, is_mark};
use crate::policy::Policy;
use crate::shell::{Span, Word};
use crate::verdict::Decision;
use crate::world::{Fact, Stasher, World, stash_index};

pub(super) const RULE: Rule = Rule {
    id: "lease/foreign-branch",
    decision: Decision::Deny,
    stops: "pushing to, moving, renaming or deleting a branch that another live session claims, or taking its stash entry",
    why: "the branch is that session's work: it finds its commits moved or gone under its feet",
    instead: "work on a branch of your own, and leave this one to its owner",
    check,
};

fn check(action: &Action, world: &World, policy: &Policy) -> Vec<Found> {
    if !claims::binds(world, policy) || !world.claimed() {
        return Vec::new();
    }
    match &action.act {
        Act::Push(push) if !push.dry_run => {
            let outlook = world.push(push, &action.place);
            let names = outlook.updates.iter().map(|u| u.refname.as_str());
            let mut names: Vec<&str> = names.filter(|r| r.starts_with("refs/heads/")).collect();
            names.sort_unstable();
            names.dedup();
            let each = names.into_iter().filter(|name| !name.contains('*'));
            each.filter_map(|name| update(short(name), action.span, action, world, policy))
                .collect()
        }
        Act::Refs(refs) => refs_of(refs, action, world, policy),
        // A name may be claimed before its branch is there.
        Act::Switch(switch) => one(switch.create.as_ref(), action, world, policy),
        Act::Worktree(Worktree::Add {
            branch: Some(branch),
            ..
        }) => one(Some(branch), action, world, policy),
        Act::Stash {
            verb, entry, span, ..
        } => stash(verb, entry.as_ref(), *span, action, world, policy),
        _ => Vec::new(),
    }
}

fn refs_of(refs: &Refs, action: &Action, world: &World, policy: &Policy) -> Vec<Found> {
    match refs {
        // It stands for the branch that is checked out.
        Refs::Force { name, .. } if name.known() == Some("HEAD") => {
            let branches = world.on_branches(&action.place);
            let each = branches.iter();
            each.filter_map(|branch| update(branch, name.span, action, world, policy))
                .collect()
        }
        Refs::Force { name, under, .. } if *under != "refs/tags/" => {
            one(Some(name), action, world, policy)
        }
        // A fetch moves one that is there already.
        Refs::Create {
            name, branch: true, ..
        } => one(Some(name), action, world, policy),
        Refs::Delete {
            names,
            under,
            remote_tracking: false,
            ..
        } if *under != "refs/tags/" => names
            .iter()
            .flat_map(|name| one(Some(name), action, world, policy))
            .collect(),
        Refs::Rename { from, to, copy, .. } => {
            let mut all = one(from.as_ref().filter(|_| !copy), action, world, policy);
            all.extend(one(Some(to), action, world, policy));
            all
        }
        _ => Vec::new(),
    }
}

fn one(name: Option<&Word>, action: &Action, world: &World, policy: &Policy) -> Vec<Found> {
    let Some(name) = name.filter(|name| !name.text.chars().any(is_mark)) else {
        return Vec::new();
    };
    let text = name.text.strip_prefix("heads/").unwrap_or(&name.text);
    update(short(text), name.span, action, world, policy)
        .into_iter()
        .collect()
}

/// The finding against updating `branch`.
fn update(
    branch: &str,
    span: Span,
    action: &Action,
    world: &World,
    policy: &Policy,
) -> Option<Found> {
    let stand = claims::settled(&world.branch_stand(&action.place, branch), world, policy);
    let (decision, because) = claims::against(&stand, Deed::Writes)?;
    let effect = format!("this would update the branch `{branch}` of another session");
    let mut found = Found::new(effect, span).instead(own_branch(action, world));
    found.because = because;
    found.decision = Some(decision);
    Some(found)
}

fn own_branch(action: &Action, world: &World) -> Option<Instead> {
    let git = super::target::git_at(&action.place, world);
    Instead::run(format!("{git} branch --show-current"))
}

/// Entries of the shared stash that were put away on another session's branch.
fn stash(
    verb: &str,
    entry: Option<&Word>,
    span: Span,
    action: &Action,
    world: &World,
    policy: &Policy,
) -> Vec<Found> {
    if !matches!(verb, "pop" | "drop" | "clear" | "branch") {
        return Vec::new();
    }
    let Fact::Known(ways) = world.stashes(&action.place, false) else {
        return Vec::new();
    };
    let own = world.on_branches(&action.place);
    let taken = ways
        .iter()
        .flat_map(|stash| match (verb, stash_index(entry)) {
            ("clear", _) => stash.entries.as_slice(),
            (_, Some(at)) => stash.entries.get(at..=at).unwrap_or_default(),
            (_, None) => &[],
        });
    for entry in taken {
        let Stasher::Branch(branch) = &entry.by else {
            continue;
        };
        if own.contains(branch) {
            continue;
        }
        let stand = claims::settled(&world.branch_stand(&action.place, branch), world, policy);
        if let Some((decision, because)) = claims::against(&stand, Deed::Destroys) {
            let effect =
                format!("`stash {verb}` would take what another session put away on `{branch}`");
            let git = super::target::git_at(&action.place, world);
            let list = Instead::run(format!("{git} stash list"));
            let mut found = Found::new(effect, span).instead(list);
            found.because = because;
            found.decision = Some(decision);
            return vec![found];
        }
    }
    Vec::new()
}
