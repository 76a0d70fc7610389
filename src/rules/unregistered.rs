//! In strict repositories: writing needs a claim.

use super::{Found, Rule, main_checkout};
use crate::action::Action;
use crate::policy::Policy;
use crate::verdict::Decision;
use crate::world::World;

pub(super) const RULE: Rule = Rule {
    id: "lease/unregistered",
    decision: Decision::Ask,
    stops: "writing or committing in a worktree that nobody claims, where claims are strict",
    why: "work that nobody is known to do is taken over, or thrown away, by accident",
    instead: "claim it first: `leaseguard lease claim`",
    check,
};

fn check(action: &Action, world: &World, policy: &Policy) -> Vec<Found> {
    main_checkout::strictly(action, world, policy, false)
}
