//! Denies every push that moves a base branch.

use super::target::{own_push, phrase, reasons, short};
use super::{Found, Rule};
use crate::action::{Act, Action, Refs};
use crate::policy::{Case, Policy};
use crate::verdict::Decision;
use crate::world::{Fact, Presence, Update, UpdateKind, World};

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
        return in_bare(action, world, policy).into_iter().collect();
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

/// A base branch that is moved in a bare repository, where others push to: a push by another name.
fn in_bare(action: &Action, world: &World, policy: &Policy) -> Option<Found> {
    let (Act::Refs(Refs::Create { name, .. }) | Act::Refs(Refs::Force { name, .. })) = &action.act
    else {
        return None;
    };
    let text = name.known()?;
    let branch = text.strip_prefix("refs/heads/").unwrap_or(text);
    if !policy.is_base(branch) {
        return None;
    }
    // `--git-dir` makes the directory around the top of what stays bare.
    let bare = || world.config(&action.place, "core.bare") == Fact::Known(Some("true".to_owned()));
    if world.presence(&action.place) != Presence::Here(None) && !bare() {
        return None;
    }
    // One that has remotes is somebody's clone, and follows them.
    let follows = !world.remote_urls(&action.place).is_empty();
    if follows || world.has_branch(&action.place, branch) == Fact::Known(false) {
        return None;
    }
    let found = Found::new(
        format!("this would move `{branch}` in a bare repository"),
        action.span,
    );
    Some(found.because("a bare repository without remotes is one that others push to"))
}
