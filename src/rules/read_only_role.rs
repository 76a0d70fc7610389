//! Denies writing to a session whose claim says that it only reads.

use super::claims;
use super::{Found, Rule};
use crate::action::{Act, Action, Refs, Worktree};
use crate::policy::Policy;
use crate::verdict::Decision;
use crate::world::{Own, Stand, World};

pub(super) const RULE: Rule = Rule {
    id: "lease/read-only-role",
    decision: Decision::Deny,
    stops: "committing, pushing and writing files by a session that claimed to review or observe",
    why: "a review of work that the reviewer changes is none",
    instead: "say what should change and leave it to the implementer; for work of your own claim a worktree as `implementer`",
    check,
};

fn check(action: &Action, world: &World, policy: &Policy) -> Vec<Found> {
    if !claims::binds(world, policy) || !world.claimed() {
        return Vec::new();
    }
    let outward = match &action.act {
        // What only may write does not.
        Act::Run { .. } => return Vec::new(),
        Act::Push(push) => !push.dry_run,
        Act::Refs(Refs::Upstream { .. }) => false,
        Act::Refs(_) => true,
        Act::Stash { .. } => true,
        Act::Worktree(Worktree::Add { .. }) => false,
        _ => false,
    };
    let reader = |own: &std::rc::Rc<Own>| !own.writes;
    if outward {
        let own = world.own_claim(&action.place).filter(reader);
        return own.map(|own| finding(&own, action)).into_iter().collect();
    }
    let Some(change) = claims::change(action, world) else {
        return Vec::new();
    };
    let own = change
        .reaches
        .all
        .iter()
        .find_map(|touched| match &touched.stand {
            Stand::Mine(own) => Some(own.clone()),
            Stand::Free | Stand::Lapsed(_) if !touched.made => {
                let at = crate::action::Place {
                    dir: Some(touched.top.clone()),
                    ..crate::action::Place::default()
                };
                world.own_claim(&at)
            }
            _ => None,
        });
    let own = own.filter(reader);
    own.map(|own| finding(&own, action)).into_iter().collect()
}

fn finding(own: &Own, action: &Action) -> Found {
    Found::new("this would write, and you only read here", action.span)
        .because(format!("your claim says `{}`", own.role))
        .instead(super::Instead::run(format!(
            "git -C {} diff",
            super::target::quoted(&own.top.to_string_lossy())
        )))
}
