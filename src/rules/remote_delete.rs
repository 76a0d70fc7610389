//! Denies pushes that delete refs of a remote.

use super::target::{phrase, reasons};
use super::{Found, Instead, Rule};
use crate::action::{Act, Action};
use crate::policy::Policy;
use crate::shell::Opaque;
use crate::verdict::Decision;
use crate::world::{Update, UpdateKind, World};

pub(super) const RULE: Rule = Rule {
    id: "git/remote-delete",
    decision: Decision::Deny,
    stops: "pushes that delete branches or tags of a remote: `--delete`, `:ref`, `--prune`, `--mirror`",
    why: "the branch may be another session's, or the only copy of its commits",
    instead: "leave the branch; the forge deletes it when its pull request is merged",
    check,
};

fn check(action: &Action, world: &World, _: &Policy) -> Vec<Found> {
    let Act::Push(push) = &action.act else {
        return Vec::new();
    };
    if push.dry_run {
        return Vec::new();
    }
    let outlook = world.push(push, &action.place);
    let gone: Vec<&Update> = outlook
        .updates
        .iter()
        .filter(|u| u.kind == UpdateKind::Delete && u.remote != ".")
        .collect();
    let typed = push
        .delete
        .as_ref()
        .filter(|_| outlook.updates.is_empty() && outlook.refused.is_none());
    // `:$B` deletes whatever it names.
    let unknown = push.refspecs.iter().find(|w| {
        let text = w.text.trim_start_matches('+');
        w.opaque != Opaque::No && text.starts_with(':') && text.len() > 1
    });
    if gone.is_empty() && typed.is_none() && unknown.is_none() {
        return Vec::new();
    }
    let what = match phrase(&gone).as_str() {
        "" => "refs of the remote".to_owned(),
        refs => refs.to_owned(),
    };
    let option = [&push.delete, &push.prune, &push.mirror]
        .into_iter()
        .flatten()
        .next();
    let colon = push
        .refspecs
        .iter()
        .find(|w| w.text.trim_start_matches('+').starts_with(':'));
    let span = option
        .map(|h| h.span)
        .or(colon.map(|w| w.span))
        .unwrap_or(action.span);
    let mut found = Found::new(format!("this push would delete {what}"), span);
    for fact in reasons(&gone) {
        found = found.because(fact);
    }
    let git = super::target::git_at(&action.place, world);
    vec![found.instead(Instead::run(format!("{git} branch -r")))]
}
