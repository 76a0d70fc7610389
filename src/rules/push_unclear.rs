//! Asks where the targets of a push cannot be told.

use super::target::own_push;
use super::{Found, Rule};
use crate::action::{Act, Action};
use crate::policy::Policy;
use crate::shell::Opaque;
use crate::verdict::Decision;
use crate::world::World;

pub(super) const RULE: Rule = Rule {
    id: "git/push-unclear",
    decision: Decision::Ask,
    stops: "pushes whose targets cannot be told from this repository",
    why: "a push that nobody can predict may move a base branch or rewrite one",
    instead: "name the remote and both sides of the refspec: `git push origin HEAD:refs/heads/NAME`",
    check,
};

fn check(action: &Action, world: &World, policy: &Policy) -> Vec<Found> {
    let Act::Push(push) = &action.act else {
        return Vec::new();
    };
    // Words that are themselves unknown are the business of `shell/opaque`.
    if push.dry_run
        || push
            .remote
            .iter()
            .chain(&push.refspecs)
            .any(|w| w.opaque != Opaque::No)
    {
        return Vec::new();
    }
    let outlook = world.push(push, &action.place);
    if outlook.unclear.is_empty() {
        return Vec::new();
    }
    let mut found = Found::new(
        "it cannot be told which refs this push would move",
        action.span,
    );
    found.because = outlook.unclear;
    found.because.truncate(3);
    vec![found.instead(own_push(action, push, world, policy))]
}
