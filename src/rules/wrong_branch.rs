//! Denies having another session's branch out, and committing on it.

use super::claims::{self, Deed};
use super::target::{quoted, short};
use super::{Found, Instead, Rule};
use crate::action::{Act, Action, Switch, Worktree};
use crate::policy::Policy;
use crate::shell::Word;
use crate::verdict::Decision;
use crate::world::{Fact, Stand, World};

pub(super) const RULE: Rule = Rule {
    id: "lease/wrong-branch",
    decision: Decision::Deny,
    stops: "switching to a branch that another live session claims, and committing or merging on one; a rebase, merge or bisect that is under way goes on",
    why: "what is committed there lands in the other session's work",
    instead: "make a branch of your own: `git switch -c NAME`",
    check,
};

fn check(action: &Action, world: &World, policy: &Policy) -> Vec<Found> {
    if !claims::binds(world, policy) || !world.claimed() {
        return Vec::new();
    }
    let found = match &action.act {
        Act::Switch(switch) => switched(switch, action, world, policy),
        Act::Worktree(Worktree::Add {
            start: Some(start),
            branch: None,
            detach: false,
            ..
        }) => on(start, action, world, policy),
        Act::Commit(commit) if !commit.dry_run => standing(action, world, policy),
        Act::Integrate(act) if !act.resumes => match &act.switches_to {
            Some(to) => on(to, action, world, policy),
            None => standing(action, world, policy),
        },
        Act::Reset { rev: Some(_) } => standing(action, world, policy),
        _ => None,
    };
    found.into_iter().collect()
}

fn switched(switch: &Switch, action: &Action, world: &World, policy: &Policy) -> Option<Found> {
    if switch.create.is_some() || switch.detach || switch.orphan {
        return None;
    }
    on(switch.to.as_ref()?, action, world, policy)
}

/// The branch that `name` names would be out here.
fn on(name: &Word, action: &Action, world: &World, policy: &Policy) -> Option<Found> {
    let branch = short(name.known()?);
    if world.has_branch(&action.place, branch) != Fact::Known(true) {
        return None;
    }
    finding(branch, "check out", name.span, action, world, policy)
}

/// HEAD is on another session's branch, in a checkout that is not that session's.
fn standing(action: &Action, world: &World, policy: &Policy) -> Option<Found> {
    let reaches = world.reached(&action.place);
    let free = |stand: &Stand| matches!(stand, Stand::Free | Stand::Mine(_) | Stand::Lapsed(_));
    // Whose the checkout is goes before.
    let held = |stand: &Stand| !free(&claims::settled(stand, world, policy));
    if reaches.all.iter().any(|t| held(&t.stand) || t.made) {
        return None;
    }
    // At most one claim names a branch: where this checkout's does, nobody else's can.
    let mine = |branch: &String| {
        reaches.all.iter().any(|t| match &t.stand {
            Stand::Mine(own) => own.branch.as_ref() == Some(branch),
            _ => false,
        })
    };
    let branches = world.on_branches(&action.place);
    let mut others = branches.iter().filter(|branch| !mine(branch));
    let found = others.find_map(|branch| {
        let span = action.span;
        finding(branch, "move", span, action, world, policy)
    });
    found.filter(|_| !world.under_way(&action.place))
}

fn finding(
    branch: &str,
    verb: &str,
    span: crate::shell::Span,
    action: &Action,
    world: &World,
    policy: &Policy,
) -> Option<Found> {
    let stand = claims::settled(&world.branch_stand(&action.place, branch), world, policy);
    let (decision, because) = claims::against(&stand, Deed::Writes)?;
    let git = super::target::git_at(&action.place, world);
    let new = super::target::free_name(world, &action.place);
    let start = quoted(branch);
    let effect = format!("this would {verb} the branch `{branch}` of another session");
    let mut found = Found::new(effect, span).instead(Instead::run(format!(
        "{git} switch -c {new} --no-track {start}"
    )));
    found.because = because;
    found.decision = Some(decision);
    Some(found)
}
