//! Denies every push that moves a base branch.

use super::target::{own_push, phrase, reasons, short};
use super::{Found, Rule};
use crate::action::{Act, Action};
use crate::policy::{Case, Policy};
use crate::verdict::Decision;
use crate::world::{Update, UpdateKind, World};

pub(super) const RULE: Rule = Rule {
    id: "git/base-push",
    decision: Decision::Deny,
    stops: "pushes that update a base branch (`main`, `master`, `dev`, `release/*` …), named or not",
    why: "base branches move by reviewed merges; a direct push skips the review and lands in everybody's next pull",
    instead: "push a branch of your own and open a pull request",
    check,
};

fn check(action: &Action, world: &World, policy: &Policy) -> Vec<Found> {
    let Act::Push(push) = &action.act else {
        return Vec::new();
    };
    let outlook = world.push(push, &action.place);
    let hits: Vec<&Update> = outlook
        .updates
        .iter()
        .filter(|u| moves_base(u, policy))
        .collect();
    if hits.is_empty() {
        return Vec::new();
    }
    let named = push
        .refspecs
        .iter()
        .find(|w| hits.iter().any(|u| w.text.ends_with(short(&u.refname))));
    let span = named.map_or(action.span, |w| w.span);
    let mut found = Found::new(format!("this push would move {}", phrase(&hits)), span);
    for fact in reasons(&hits) {
        found = found.because(fact);
    }
    // A push that forces nothing is the milder case.
    let plain = hits.iter().all(|u| u.kind != UpdateKind::Force);
    let found = found.case(if plain { Case::Mild } else { Case::Full });
    vec![found.instead(own_push(action, push, world, policy))]
}

fn moves_base(update: &Update, policy: &Policy) -> bool {
    let Some(branch) = update.refname.strip_prefix("refs/heads/") else {
        // `refs/*` covers every branch.
        return update.refname == "refs/*" && update.kind != UpdateKind::Delete;
    };
    // A local ref of this repository is no remote branch.
    if update.remote == "." || update.kind == UpdateKind::Delete {
        return false;
    }
    if branch.contains('*') {
        policy.may_be_base(branch)
    } else {
        policy.is_base(branch)
    }
}
