//! Denies staging that sweeps in files that nobody named.

use super::breadth::{self, Breadth};
use super::target::{git_at, spelled};
use super::{Found, Instead, Rule};
use crate::action::{Act, Action, Stage};
use crate::policy::{Case, Policy};
use crate::verdict::Decision;
use crate::world::{Fact, World};

pub(super) const RULE: Rule = Rule {
    id: "git/broad-add",
    decision: Decision::Deny,
    stops: "staging of more than named files: `add -A`, `-u`, `.`, directories, patterns, exclusions",
    why: "in a shared checkout it sweeps other sessions' files, secrets and build output into your commit",
    instead: "stage the files that you changed, each by its name",
    check,
};

fn check(action: &Action, world: &World, _: &Policy) -> Vec<Found> {
    let Act::Stage(stage) = &action.act else {
        return Vec::new();
    };
    if stage.dry_run {
        return Vec::new();
    }
    let status = Instead::run(format!("{} status --short", git_at(&action.place, world)));
    let found = options(stage)
        .into_iter()
        .chain(paths(stage, action, world))
        .next();
    // Which files are meant only the caller knows.
    let named = format!(
        "name the files: `{} add -- FILE …`",
        git_at(&action.place, world)
    );
    // `-u` takes no file in that git does not track already; of the others only git knows.
    let case = match stage.update {
        Some(_) => Case::Mild,
        None => Case::Unclear,
    };
    found
        .map(|f| {
            let f = f.because(named);
            let f = match candidates(action, world) {
                Some(list) => f.because(list),
                None => f,
            };
            f.instead(status).case(case)
        })
        .into_iter()
        .collect()
}

/// The files that have changed, for whoever knows which of them are meant.
fn candidates(action: &Action, world: &World) -> Option<String> {
    if !world.explains {
        return None;
    }
    let Fact::Known(paths) = world.changes(&action.place) else {
        return None;
    };
    let shown: Vec<String> = paths.iter().take(8).map(|p| format!("`{p}`")).collect();
    let more = paths.len().saturating_sub(shown.len());
    let rest = match more {
        0 => String::new(),
        n => format!(" and {n} more"),
    };
    (!shown.is_empty()).then(|| format!("changed here: {}{rest}", shown.join(" ")))
}

/// Options that stage without names.
fn options(stage: &Stage) -> Option<Found> {
    let bare = stage.paths.is_empty();
    let sweeping = stage.sweeping.as_ref();
    let how = [&stage.all, &stage.update]
        .into_iter()
        .flatten()
        .next()
        .filter(|_| bare)
        .or(sweeping);
    if let Some(how) = how {
        let found = Found::new(
            format!("`{} {}` would stage the whole tree", stage.verb, how.text),
            how.span,
        );
        return Some(found.because(format!(
            "`{}` without a path takes every changed file",
            how.text
        )));
    }
    if let Some(how) = &stage.from_file {
        let found = Found::new(
            "the files to stage stand in a list that is read when it runs",
            how.span,
        );
        return Some(found.because(format!("`{}` names no file", how.text)).ask());
    }
    let how = stage.chosen.as_ref().filter(|_| bare)?;
    let found = Found::new("what is staged is chosen by answers", how.span);
    Some(
        found
            .because(format!(
                "`{}` without a path walks the whole tree",
                how.text
            ))
            .ask(),
    )
}

fn paths(stage: &Stage, action: &Action, world: &World) -> Option<Found> {
    stage.paths.iter().find_map(|path| {
        let breadth = breadth::of(path, &action.place, world);
        // `rm -r DIR` names what it removes, and git keeps what is not committed.
        let named = breadth == Breadth::Directory && matches!(stage.verb.as_str(), "rm" | "mv");
        if named || matches!(breadth, Breadth::Named | Breadth::Unknown) {
            return None;
        }
        let word = spelled(path);
        let effect = format!("this would stage every change that `{word}` covers");
        let found = Found::new(effect, path.span).because(format!("`{word}` {}", breadth.phrase()));
        Some(if breadth == Breadth::Unseen {
            found.ask()
        } else {
            found
        })
    })
}
