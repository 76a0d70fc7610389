//! Denies starting an agent host with its hooks off, and asks where they may be missing.

use super::{Found, Rule};
use crate::action::{Act, Action};
use crate::policy::Policy;
use crate::verdict::Decision;
use crate::world::World;
use std::path::Path;

pub(super) const RULE: Rule = Rule {
    id: "self/unhooked-agent",
    decision: Decision::Deny,
    stops: "starting an agent host with its hooks off: `claude --bare`, `codex -c features.hooks=false`; one with another config home asks",
    why: "what such an agent does is seen by no guard at all",
    instead: "start it with the user's own settings",
    check,
};

fn check(action: &Action, world: &World, _: &Policy) -> Vec<Found> {
    let Act::AgentHost(start) = &action.act else {
        return Vec::new();
    };
    let home = world.around.home.as_deref().and_then(Path::to_str);
    if home.is_some() && start.how.text.strip_prefix("HOME=") == home {
        return Vec::new();
    }
    let effect = if start.surely {
        format!("{} would run without its hooks", start.host)
    } else {
        format!("{} may run without its hooks", start.host)
    };
    let found =
        Found::new(effect, start.how.span).because(format!("`{}`: {}", start.how.text, start.why));
    vec![if start.surely { found } else { found.ask() }]
}
