//! Asks where a part that decides cannot be read before the run.

use super::{Found, Rule};
use crate::action::{Act, Action};
use crate::policy::Policy;
use crate::verdict::Decision;
use crate::world::World;

pub(super) const RULE: Rule = Rule {
    id: "shell/opaque",
    decision: Decision::Ask,
    stops: "commands whose verb, option, target or script is not known before they run",
    why: "a guard that lets through what it cannot read guards nothing",
    instead: "write the word out, or run the steps one at a time",
    check,
};

fn check(action: &Action, _: &World, _: &Policy) -> Vec<Found> {
    let Act::Opaque(unread) = &action.act else {
        return Vec::new();
    };
    let effect = format!(
        "the {} of `{}` cannot be read before it runs",
        unread.part, unread.program
    );
    vec![Found::new(effect, unread.span).because(unread.why.clone())]
}
