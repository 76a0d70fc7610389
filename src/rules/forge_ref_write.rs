//! Denies writing refs, repositories, runs and their protection on a forge, past git and its hooks.

use super::{Found, Rule};
use crate::action::{Act, Action};
use crate::policy::Policy;
use crate::verdict::Decision;
use crate::world::World;

pub(super) const RULE: Rule = Rule {
    id: "forge/ref-write",
    decision: Decision::Deny,
    stops: "refs, repositories, CI runs and branch protection changed on the forge: `gh api … git/refs`, `contents`, `gh repo delete`, `gh pr update-branch`; programs that push branches of their own choice ask",
    why: "it moves or deletes what others work on, and neither git's hooks nor the leases see it",
    instead: "commit and push with git, one named branch at a time; what only the forge can do is a person's business",
    check,
};

fn check(action: &Action, _: &World, policy: &Policy) -> Vec<Found> {
    let Act::ForgeRefs(act) = &action.act else {
        return Vec::new();
    };
    let base = act
        .branches
        .iter()
        .find(|branch| policy.may_be_base(branch));
    let maybe = act.maybe && base.is_none();
    let would = if maybe { "may" } else { "would" };
    let mut found = Found::new(
        format!("`{}` {would} {}", act.how.text, act.does),
        act.how.span,
    );
    if let Some(base) = base {
        found = found.because(format!("`{base}` is a base branch"));
    }
    let fact = act
        .fact
        .as_deref()
        .unwrap_or("neither git's hooks nor the leases see what the forge does");
    found = found.because(fact);
    vec![if maybe { found.ask() } else { found }]
}
