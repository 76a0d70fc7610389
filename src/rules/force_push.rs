//! Denies every push that may rewrite what a remote already has.

use super::target::{own_push, phrase, reasons};
use super::{Found, Rule};
use crate::action::{Act, Action, Push, Pusher};
use crate::policy::{ForceWithLease, Policy};
use crate::verdict::Decision;
use crate::world::{Fact, Head, Outlook, Update, UpdateKind, World};
use std::borrow::Cow;

pub(super) const RULE: Rule = Rule {
    id: "git/force-push",
    decision: Decision::Deny,
    stops: "pushes that may rewrite refs on a remote: `--force`, `--force-with-lease`, `--mirror`, `+refspec`, and config that forces",
    why: "a forced push replaces commits that others may have built on, and cancels the review of them; a lease only narrows the race, it still rewrites",
    instead: "merge or rebase onto the remote branch before it is published, then push without force; what is published is mended by new commits",
    check,
};

fn check(action: &Action, world: &World, policy: &Policy) -> Vec<Found> {
    let Act::Push(push) = &action.act else {
        return Vec::new();
    };
    if push.dry_run {
        return Vec::new();
    }
    let outlook = world.push(push, &action.place);
    let leases = policy.force_with_lease() == ForceWithLease::OwnBranch;
    if leases && own_branch_only(action, push, &outlook, world, policy) {
        return Vec::new();
    }
    let forced: Vec<&Update> = outlook
        .updates
        .iter()
        .filter(|u| u.kind == UpdateKind::Force)
        .collect();
    let option = [&push.force, &push.lease, &push.mirror]
        .into_iter()
        .flatten()
        .next();
    let plus = push
        .refspecs
        .iter()
        .find(|w| w.text.starts_with('+') && w.text.len() > 1);
    let (how, span) = match (option, plus) {
        (Some(how), _) => (Some(Cow::Borrowed(how.text.as_str())), how.span),
        (None, Some(word)) => (Some(Cow::Owned(super::target::spelled(word))), word.span),
        // Only config can force now.
        (None, None) if forced.is_empty() => return Vec::new(),
        (None, None) => (None, action.span),
    };
    let deletes_only = push.delete.is_some()
        || (!outlook.updates.is_empty()
            && outlook.updates.iter().all(|u| u.kind == UpdateKind::Delete));
    if deletes_only && push.mirror.is_none() {
        return Vec::new();
    }
    let refs = phrase(&forced);
    let what = match refs.as_str() {
        "" => "refs on the remote",
        refs => refs,
    };
    let mut found = Found::new(["this push may rewrite ", what].concat(), span);
    if let Some(how) = how {
        found = found.because(["`", &how, "` lets git replace what is there"].concat());
    }
    for fact in reasons(&forced) {
        found = found.because(fact);
    }
    vec![found.instead(own_push(action, push, world, policy))]
}

/// Whether all that is forced is the branch that is checked out, with a lease, and no base branch.
fn own_branch_only(
    action: &Action,
    push: &Push,
    outlook: &Outlook,
    world: &World,
    policy: &Policy,
) -> bool {
    let plus = push.refspecs.iter().any(|w| w.text.starts_with('+'));
    // A hook does not see the option; the agent's host has looked at it.
    let leased = push.lease.is_some() || push.by == Pusher::Hook;
    if !leased || push.force.is_some() || push.mirror.is_some() || plus {
        return false;
    }
    let Fact::Known(heads) = world.heads(&action.place) else {
        return false;
    };
    let [Head::Branch(own)] = heads.as_slice() else {
        return false;
    };
    let is_own = |u: &Update| u.refname.strip_prefix("refs/heads/") == Some(own.as_str());
    let mut forced = outlook
        .updates
        .iter()
        .filter(|u| u.kind == UpdateKind::Force)
        .peekable();
    outlook.unclear.is_empty()
        && !policy.is_base(own)
        && forced.peek().is_some()
        && forced.all(is_own)
}
