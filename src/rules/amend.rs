//! Denies amending: the commit may be published, or another session's.

use super::target::git_at;
use super::{Found, Instead, Rule};
use crate::action::{Act, Action};
use crate::policy::{Case, Policy};
use crate::verdict::Decision;
use crate::world::World;

pub(super) const RULE: Rule = Rule {
    id: "git/amend",
    decision: Decision::Deny,
    stops: "`commit --amend`",
    why: "it replaces the last commit, which may be pushed or another session's; the next push then needs force",
    instead: "make a new commit, or one that says which commit it mends: `git commit --fixup HEAD`",
    check,
};

fn check(action: &Action, world: &World, policy: &Policy) -> Vec<Found> {
    let Act::Commit(commit) = &action.act else {
        return Vec::new();
    };
    let Some(how) = commit.amend.as_ref().filter(|_| !commit.dry_run) else {
        return Vec::new();
    };
    let mut found = Found::new("this would replace the last commit", how.span)
        .because(format!("`{}` rewrites HEAD", how.text));
    if policy.wish(RULE.id).minds_case() {
        found = found
            .case(Case::Unclear)
            .because("it is not known whether a remote has the commit");
    }
    let git = git_at(&action.place, world);
    vec![found.instead(Instead::run(format!("{git} commit --fixup HEAD")))]
}
