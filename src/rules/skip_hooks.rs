//! Denies every way of making git skip its hooks.

use super::{Found, Instead, Rule};
use crate::action::{Act, Action};
use crate::policy::Policy;
use crate::verdict::Decision;
use crate::world::World;

pub(super) const RULE: Rule = Rule {
    id: "git/skip-hooks",
    decision: Decision::Deny,
    stops: "skipping hooks: `--no-verify`, `commit -n`, `core.hooksPath`, `HUSKY=0`, `SKIP=…`",
    why: "the hooks are the checks that this repository relies on, leaseguard's own among them",
    instead: "run the same command with its hooks, and mend what they report",
    check,
};

fn check(action: &Action, _: &World, _: &Policy) -> Vec<Found> {
    let Act::SkipHooks(how) = &action.act else {
        return Vec::new();
    };
    let found = Found::new("hooks that should run would be skipped", how.span)
        .because(format!("`{}` switches them off", how.text));
    vec![found.instead(Some(Instead::Without(how.span, how.text.clone())))]
}
