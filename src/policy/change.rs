//! What is otherwise between two policies, in words and with the direction.

use super::Policy;
use super::table::{KEYS, Kind, Known, at};
use std::borrow::Cow;

/// One key or rule that differs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    /// The key, or the rule's id.
    pub name: String,
    /// What it was.
    pub from: String,
    /// What it is.
    pub to: String,
    /// Something is judged milder than before.
    pub loosens: bool,
}

/// Everything that differs from `before` to `after`.
pub fn changes(before: &Policy, after: &Policy, rules: &[Known]) -> Vec<Change> {
    let mut out = Vec::new();
    for (index, key) in KEYS.iter().enumerate() {
        let (old, new) = (before.choices.get(index), after.choices.get(index));
        if old != new && matches!(key.kind, Kind::Choice { .. }) {
            out.push(Change {
                name: key.name.to_owned(),
                from: before.word_at(index).unwrap_or_default().to_owned(),
                to: after.word_at(index).unwrap_or_default().to_owned(),
                // A preset is only a name for what it does, and that is told by itself.
                loosens: new > old && index != at::PRESET && index != at::CI_PROVIDER
                    || index == at::CI_PROVIDER && new != Some(&0),
            });
        }
    }
    out.extend(super::ci::changes(before.ci(), after.ci()));
    if before.plan_status != after.plan_status {
        out.push(Change {
            name: "plan.status".to_owned(),
            from: before.plan_status.clone(),
            to: after.plan_status.clone(),
            // What the first file holds is free where another one is read, or none.
            loosens: !before.plan_status.is_empty(),
        });
    }
    let (old, new) = (before.lease_naming(), after.lease_naming());
    out.extend(super::naming::changes(old, new));
    if before.base_branches != after.base_branches {
        let gone = |b: &Cow<'static, str>| !after.base_branches.contains(b);
        out.push(Change {
            name: "base_branches".to_owned(),
            from: before.base_branches.join(" "),
            to: after.base_branches.join(" "),
            loosens: before.base_branches.iter().any(gone),
        });
    }
    for rule in rules {
        let (old, new) = (before.wish(rule.id), after.wish(rule.id));
        let (from, to) = (
            old.shown(rule.id, rule.decision),
            new.shown(rule.id, rule.decision),
        );
        if from != to {
            let loosens = new.looser_than(old, rule.decision);
            out.push(Change {
                name: rule.id.to_owned(),
                from,
                to,
                loosens,
            });
        }
    }
    out
}
