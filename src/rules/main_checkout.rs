//! In strict repositories: the main checkout is for landing, and nobody builds in it.

use super::claims;
use super::{Found, Rule, merge_lease};
use crate::action::{Act, Action};
use crate::policy::{LeaseMode, Policy};
use crate::verdict::Decision;
use crate::world::{Stand, World};

pub(super) const RULE: Rule = Rule {
    id: "lease/main-checkout",
    decision: Decision::Deny,
    stops: "writing or committing in the main checkout where claims are strict, but for the session that claims it; `fetch`, `worktree add` and reading are free",
    why: "every session's way in leads through the main checkout: what one builds there is in the way of all",
    instead: "make a worktree of your own with `git worktree add`",
    check,
};

fn check(action: &Action, world: &World, policy: &Policy) -> Vec<Found> {
    strictly(action, world, policy, true)
}

/// What strict claims say of unclaimed checkouts; `main` or linked ones.
pub(super) fn strictly(action: &Action, world: &World, policy: &Policy, main: bool) -> Vec<Found> {
    // A program that only may write needs no claim.
    if !claims::binds(world, policy) || matches!(action.act, Act::Run { .. }) {
        return Vec::new();
    }
    let Some(change) = claims::change(action, world) else {
        return Vec::new();
    };
    let strict = policy.lease_mode() == LeaseMode::Strict;
    let open = change.reaches.all.iter().filter(|touched| {
        let stand = claims::settled(&touched.stand, world, policy);
        let unclaimed = matches!(stand, Stand::Free | Stand::Lapsed(_));
        touched.main == main && !touched.made && unclaimed
    });
    let mut all = Vec::new();
    for touched in open {
        if !strict && !world.strict(touched) {
            continue;
        }
        // That there is something to say is all that is asked.
        if policy.probes() {
            return vec![Found::new("", change.span)];
        }
        // Whom the plan lets land does so in the main checkout.
        let plan = policy.plan_status().filter(|_| main);
        if plan.is_some_and(|file| merge_lease::lands(touched, file, world)) {
            continue;
        }
        let at = crate::action::Place {
            dir: Some(touched.top.clone()),
            ..crate::action::Place::default()
        };
        let (whose, why, instead) = if main {
            let why = "claims are strict here, and the main checkout is for landing";
            (
                "the main checkout",
                why,
                claims::new_worktree(&at, world, policy),
            )
        } else {
            let why = "claims are strict here, and nobody claims this checkout";
            let dir = super::target::quoted(&touched.top.to_string_lossy());
            let claim = format!("leaseguard lease claim --worktree {dir}");
            ("the unclaimed checkout", why, super::Instead::run(claim))
        };
        let found = claims::found(&change, touched, whose).because(why);
        all.push(found.instead(instead));
    }
    all
}
