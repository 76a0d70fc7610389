//! Denies merging on a forge.

use super::{Found, Rule};
use crate::action::{Act, Action};
use crate::policy::Policy;
use crate::verdict::Decision;
use crate::world::World;

pub(super) const RULE: Rule = Rule {
    id: "forge/merge",
    decision: Decision::Deny,
    stops: "merges on a forge: `gh pr merge` (also `--auto`), `glab mr merge`, the same by `gh api`, `curl`, GraphQL or a tool of another server",
    why: "a merge moves a base branch for everybody; the forge does not know which session may land, and what is merged cannot be taken back quietly",
    instead: "leave the pull request open, say that it is ready, and let a person or the holder of the merge lease merge it",
    check,
};

fn check(action: &Action, _: &World, _: &Policy) -> Vec<Found> {
    let Act::ForgeMerge(act) = &action.act else {
        return Vec::new();
    };
    let would = if act.maybe { "may" } else { "would" };
    let found = Found::new(
        format!("`{}` {would} {}", act.how.text, act.does),
        act.how.span,
    );
    let fact = act
        .fact
        .as_deref()
        .unwrap_or("the forge merges at once, or by itself when its checks pass");
    let found = found.because(fact);
    vec![if act.maybe { found.ask() } else { found }]
}
