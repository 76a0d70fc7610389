//! Denies merging on a forge.

use super::target::spelled;
use super::{Found, Rule};
use crate::action::forge::merge_option;
use crate::action::{Act, Action, Push};
use crate::policy::Policy;
use crate::shell::Word;
use crate::verdict::Decision;
use crate::world::World;

pub(super) const RULE: Rule = Rule {
    id: "forge/merge",
    decision: Decision::Deny,
    stops: "merges on a forge: `gh pr merge` (also `--auto`), `glab mr merge`, the same by `gh api`, `curl`, GraphQL or a tool of another server",
    why: "a merge moves a base branch for everybody; the forge does not know which session may land, and what is merged cannot be taken back quietly",
    instead: "leave the pull request open, say that it is ready, and let a person or the holder of the merge lease merge it",
    check,
};

/// A push option or a suffix of the refspec that makes the forge merge what arrives.
fn pushed(push: &Push) -> Vec<Found> {
    let merges = |w: &&Word| w.known().is_some_and(merge_option);
    let word = push.options.iter().chain(&push.refspecs).find(merges);
    let found = word.map(|word| {
        Found::new("the forge would merge what is pushed", word.span)
            .because(format!("`{}` asks it to", spelled(word)))
    });
    found.into_iter().collect()
}

fn check(action: &Action, _: &World, _: &Policy) -> Vec<Found> {
    let act = match &action.act {
        Act::ForgeMerge(act) => act,
        Act::Push(push) if !push.dry_run => return pushed(push),
        _ => return Vec::new(),
    };
    let would = if act.maybe { "may" } else { "would" };
    let found = Found::new(
        format!("`{}` {would} {}", act.how.text, act.does),
        act.how.span,
    );
    let fact = act
        .fact
        .as_deref()
        .unwrap_or("the forge merges at once, or by itself when its checks pass");
    let found = found.because(fact);
    vec![if act.maybe { found.ask() } else { found }]
}
