//! Denies commits that take in changes that nobody staged by name.

use super::breadth::{self, Breadth};
use super::target::{git_at, spelled};
use super::{Found, Instead, Rule};
use crate::action::{Act, Action};
use crate::policy::{Case, Policy};
use crate::verdict::Decision;
use crate::world::World;

pub(super) const RULE: Rule = Rule {
    id: "git/commit-all",
    decision: Decision::Deny,
    stops: "commits of every changed file: `commit -a`, `commit .`, directories, patterns",
    why: "it commits edits of other sessions in the same checkout as your own",
    instead: "stage your files by name, then commit without `-a`",
    check,
};

fn check(action: &Action, world: &World, _: &Policy) -> Vec<Found> {
    // `commit` takes no file in that git does not track already.
    let found = sweeps(action, world).map(|f| f.case(Case::Mild));
    found.into_iter().collect()
}

fn sweeps(action: &Action, world: &World) -> Option<Found> {
    let Act::Commit(commit) = &action.act else {
        return None;
    };
    if commit.dry_run {
        return None;
    }
    let status = || Instead::run(format!("{} status --short", git_at(&action.place, world)));
    if let Some(how) = &commit.all {
        let found = Found::new(
            "this would commit every changed file of the checkout",
            how.span,
        );
        return Some(
            found
                .because(format!("`{}` stages all tracked files", how.text))
                .instead(status()),
        );
    }
    if let Some(how) = &commit.from_file {
        let found = Found::new(
            "the files to commit stand in a list that is read when it runs",
            how.span,
        );
        return Some(
            found
                .because(format!("`{}` names no file", how.text))
                .instead(status())
                .ask(),
        );
    }
    if let Some(how) = commit.chosen.as_ref().filter(|_| commit.paths.is_empty()) {
        let found = Found::new("what is committed is chosen by answers", how.span);
        let fact = format!("`{}` without a path walks the whole tree", how.text);
        return Some(found.because(fact).instead(status()).ask());
    }
    let (path, breadth) = commit.paths.iter().find_map(|path| {
        let breadth = breadth::of(path, &action.place, world);
        (!matches!(breadth, Breadth::Named | Breadth::Unknown)).then_some((path, breadth))
    })?;
    let word = spelled(path);
    let found = Found::new(
        format!("this would commit every changed file that `{word}` covers"),
        path.span,
    );
    let found = found
        .because(format!("`{word}` {}", breadth.phrase()))
        .instead(status());
    Some(if breadth == Breadth::Unseen {
        found.ask()
    } else {
        found
    })
}
