//! Denies an agent the verbs of leaseguard that only a person may use.

use super::{ALL, Found, Rule};
use crate::action::{Act, Action};
use crate::policy::{Case, Policy};
use crate::shell::Word;
use crate::verdict::Decision;
use crate::world::World;

pub(super) const RULE: Rule = Rule {
    id: "self/person-only",
    decision: Decision::Deny,
    stops: "verbs of leaseguard that are a person's: `allow CODE`, `trust`, `pause`, `uninstall`, `handoff`, `lease override`, `lease off`, and `rules set` where it loosens",
    why: "an approval that the asker gives itself is none",
    instead: "tell the person what you need and why; they run it in a terminal of their own",
    check,
};

fn check(action: &Action, _: &World, policy: &Policy) -> Vec<Found> {
    let Act::Leaseguard { verb, args } = &action.act else {
        return Vec::new();
    };
    let Some(name) = verb.known() else {
        let found = Found::new(
            "this may be a verb of leaseguard that is a person's",
            verb.span,
        );
        return vec![found.because("the verb is not known before it runs").ask()];
    };
    let operands: Vec<&Word> = args.iter().filter(|w| !w.text.starts_with('-')).collect();
    let first = operands.first().map(|w| w.text.as_str());
    let has = |option: &str| args.iter().any(|w| w.text == option);
    let because = match name {
        // Alone it lists what waits for an answer.
        "allow" if operands.is_empty() => return Vec::new(),
        "trust" | "pause" if has("--list") || has("--status") => return Vec::new(),
        "allow" => "it approves what was denied",
        "trust" => "it lets a project's policy loosen rules",
        "pause" => "it stops all judging for a while",
        "uninstall" => "it takes leaseguard out of the agent hosts",
        "handoff" => "it moves a branch and its claims to somebody else",
        "install" if has("--remove") || has("--uninstall") => {
            "it takes leaseguard out of the agent hosts"
        }
        "lease" if first.is_some_and(|verb| verb == "off") => {
            "it lets agents write where nobody claims"
        }
        "lease" if first.is_some_and(|verb| verb == "override") => {
            "it takes a claim away from the session that holds it"
        }
        "lease" if operands.first().is_some_and(|w| w.known().is_none()) => {
            "it may take a claim away from the session that holds it"
        }
        "rules" if first.is_some_and(|verb| matches!(verb, "set" | "unset" | "reset")) => {
            let rest = operands.get(1..).unwrap_or_default();
            if first == Some("set") && tightens(rest, policy) {
                return Vec::new();
            }
            "it loosens a rule, or may"
        }
        "rules" if operands.first().is_some_and(|w| w.known().is_none()) => "it may loosen a rule",
        _ => return Vec::new(),
    };
    let effect = format!("`leaseguard {name}` is for a person to run");
    vec![Found::new(effect, verb.span).because(because)]
}

/// Whether `rules set ID VALUE` makes nothing milder.
fn tightens(operands: &[&Word], policy: &Policy) -> bool {
    let known: Vec<&str> = operands.iter().filter_map(|w| w.known()).collect();
    let (id, value) = match known.as_slice() {
        [id, value] if operands.len() == 2 => (*id, *value),
        [pair] if operands.len() == 1 => match pair.split_once('=') {
            Some(pair) => pair,
            None => return false,
        },
        _ => return false,
    };
    let Some(rule) = ALL.iter().find(|rule| rule.id == id) else {
        return false;
    };
    match value {
        "deny" => true,
        "ask" => policy.decide(rule.id, rule.decision, Case::Full) <= Decision::Ask,
        _ => false,
    }
}
