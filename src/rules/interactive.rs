//! Denies bare shells in hosts whose typed lines no hook sees.

use super::{Found, Rule};
use crate::action::{Act, Action};
use crate::policy::Policy;
use crate::verdict::Decision;
use crate::world::World;

pub(super) const RULE: Rule = Rule {
    id: "shell/interactive",
    decision: Decision::Deny,
    stops: "a bare shell in a host that shows leaseguard only the first line",
    why: "what is typed into it afterwards would run unseen",
    instead: "run the commands as calls of their own",
    check,
};

fn check(action: &Action, world: &World, _: &Policy) -> Vec<Found> {
    if !matches!(action.act, Act::InteractiveShell) || !world.around.unseen_typing {
        return Vec::new();
    }
    let found = Found::new(
        "this shell would read lines that leaseguard never sees",
        action.span,
    );
    vec![found.because("this host reports the first command only, not what is typed into it")]
}
