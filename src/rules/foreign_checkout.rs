//! Denies changing a checkout that another live session claims, however it is spelled.

use super::claims::{self, Deed};
use super::{Found, Rule};
use crate::action::Action;
use crate::policy::Policy;
use crate::verdict::Decision;
use crate::world::World;

pub(super) const RULE: Rule = Rule {
    id: "lease/foreign-checkout",
    decision: Decision::Deny,
    stops: "committing, switching, discarding or writing files in a checkout that another session claims and that lives or may live; an unknown program run there asks",
    why: "two sessions in one checkout stage, switch and delete each other's work",
    instead: "work in a worktree of your own; what a dead session left is taken with `leaseguard lease takeover`",
    check,
};

fn check(action: &Action, world: &World, policy: &Policy) -> Vec<Found> {
    if !claims::binds(world, policy) || !world.claimed() {
        return Vec::new();
    }
    let Some(change) = claims::change(action, world) else {
        return Vec::new();
    };
    let mut all = Vec::new();
    for touched in &change.reaches.all {
        let stand = claims::settled(&touched.stand, world, policy);
        if let Some((decision, because)) = claims::against(&stand, change.deed_at(touched)) {
            let mut found = claims::found(&change, touched, "the checkout of another session,");
            found.because.splice(0..0, because);
            found.decision = Some(decision);
            all.push(found.instead(claims::way_out(touched, world, policy)));
        }
    }
    let unknown = &change.reaches.unknown;
    if !unknown.is_empty() && all.is_empty() && change.deed != Deed::Perhaps {
        let effect = "this may change the checkout of another session";
        let found = Found::new(effect, change.span);
        let found = unknown.iter().fold(found, |f, why| f.because(why.clone()));
        all.push(found.ask());
    }
    all
}
