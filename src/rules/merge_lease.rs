//! Denies merging beside the one who holds the plan's merge lease, and merging what it does not name.

use super::target::{git_at, quoted, short, spelled};
use super::{Found, Instead, Rule, plan_lease};
use crate::action::{Act, Action, Integrate, Refs, is_mark};
use crate::policy::Policy;
use crate::shell::Word;
use crate::verdict::Decision;
use crate::world::{Fact, Head, Held, Kept, Right, Touched, World};

pub(super) const RULE: Rule = Rule {
    id: "lease/merge",
    decision: Decision::Deny,
    stops: "merging, and moving the target branch in other ways, while another session holds the integration merge lease of the plan's `status.json`; merging another branch, or into another one, than one's own merge lease names",
    why: "merges into the integration branch go one after the other: two at a time land on each other's half-tested state",
    instead: "wait until the merge lease is given back, take it, and merge the branch that it names",
    check,
};

fn check(action: &Action, world: &World, policy: &Policy) -> Vec<Found> {
    let Some(file) = policy.plan_status() else {
        return Vec::new();
    };
    let moves = match &action.act {
        Act::Integrate(_) | Act::Reset { rev: Some(_) } | Act::Refs(_) => true,
        Act::Commit(commit) => !commit.dry_run,
        _ => false,
    };
    if !moves {
        return Vec::new();
    }
    let reached = world.reached(&action.place);
    let touched = reached.all.iter().filter(|touched| !touched.made);
    let found = touched.filter_map(|touched| match world.merge_right(touched, file) {
        Kept::Nowhere => None,
        Kept::Unreadable(path, why) => merges(action).then(|| {
            Found::new("whether somebody integrates cannot be told", action.span)
                .because(format!("`{}` cannot be read: {why}", path.display()))
                .ask()
        }),
        Kept::Says(Right::Free) => {
            let needed = policy.merge_lease_required() && touched.main && merges(action);
            needed.then(|| {
                let effect = "this would merge without the plan's merge lease";
                Found::new(effect, action.span)
                    .because("`plan.merge_lease = \"required\"`, and nobody holds it")
            })
        }
        Kept::Says(Right::Other(held)) => {
            let seat = seat(touched, held.branch.as_deref(), action, world)?;
            Some(others(&held, action, seat))
        }
        Kept::Says(Right::Unclear(held)) => {
            let seat = seat(touched, held.branch.as_deref(), action, world)?;
            let why = "it cannot be told here whether that is you";
            Some(others(&held, action, seat).because(why).ask())
        }
        Kept::Says(Right::Flawed(flaws, target)) => {
            seat(touched, target.as_deref(), action, world)?;
            let effect = "the plan's merge lease is broken, and this may meet it";
            let found = Found::new(effect, action.span);
            let told = flaws.iter().take(3);
            Some(
                told.fold(found, |f, flaw| f.because(flaw.to_string()))
                    .ask(),
            )
        }
        Kept::Says(Right::Mine {
            plan,
            source,
            target,
        }) => match &action.act {
            Act::Integrate(act) if !act.resumes => {
                seat(touched, Some(&target), action, world)?;
                let lease = Lease {
                    plan: &plan,
                    source: &source,
                    target: &target,
                };
                own(act, &lease, action, world)
            }
            _ => None,
        },
    });
    found.take(1).collect()
}

/// Whether the asker was given the right to merge into the branch that is out there.
pub(super) fn lands(touched: &Touched, file: &str, world: &World) -> bool {
    let Kept::Says(Right::Mine { target, .. }) = world.merge_right(touched, file) else {
        return false;
    };
    let target = Head::Branch(short(&target).to_owned());
    world.heads(&plan_lease::top_of(touched)) == Fact::Known(vec![target])
}

/// Acts that bring in another branch's commits.
fn merges(action: &Action) -> bool {
    matches!(&action.act, Act::Integrate(act) if !act.resumes && act.verb != "revert")
}

/// How an act meets a merge lease.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Seat {
    /// It surely does.
    Sure,
    /// It may: the branch that is out is not known.
    Perhaps,
}

/// Whether `action` meets a merge into `target`: it brings commits into the main checkout, where
/// plans are integrated, or it moves the target branch, wherever that is out.
fn seat(touched: &Touched, target: Option<&str>, action: &Action, world: &World) -> Option<Seat> {
    if let Act::Refs(refs) = &action.act {
        return names(refs, target?, action, world);
    }
    if touched.main && merges(action) {
        return Some(Seat::Sure);
    }
    let target = target.map(|name| Head::Branch(short(name).to_owned()));
    match (world.heads(&action.place), target) {
        (Fact::Known(heads), Some(target)) => heads.contains(&target).then_some(Seat::Sure),
        // Any branch may be the target.
        (_, None) | (Fact::Unknown(_), _) => merges(action).then_some(Seat::Perhaps),
    }
}

/// Whether refs are written of which one is the branch `target`.
fn names(refs: &Refs, target: &str, action: &Action, world: &World) -> Option<Seat> {
    let target = short(target);
    let is = |word: &Word| {
        let text = word.text.strip_prefix("heads/").unwrap_or(&word.text);
        short(text) == target
    };
    let named = match refs {
        Refs::Force { name, under, .. } => *under != "refs/tags/" && is(name),
        // A fetch into a branch that is there moves it.
        Refs::Create { name, branch, .. } => {
            *branch && is(name) && world.has_branch(&action.place, target) == Fact::Known(true)
        }
        Refs::Delete {
            names,
            under,
            remote_tracking,
            ..
        } => !remote_tracking && *under != "refs/tags/" && names.iter().any(is),
        Refs::Rename { from, to, copy, .. } => is(to) || !copy && from.as_ref().is_some_and(is),
        Refs::Upstream { .. } | Refs::Unnamed(_) => false,
    };
    named.then_some(Seat::Sure)
}

fn others(held: &Held, action: &Action, seat: Seat) -> Found {
    let into = held.branch.as_deref().map(short);
    let effect = match into {
        Some(target) => format!("this would meet another session's merge into `{target}`"),
        None => "this would meet another session's merge".to_owned(),
    };
    let found = Found::new(effect, action.span)
        .because(format!("{}, to merge it", plan_lease::held(held)))
        .because("merges are serial: wait until that lease is given back");
    match seat {
        Seat::Sure => found,
        Seat::Perhaps => found.because("which branch is out is not known").ask(),
    }
}

/// One's own merge lease.
struct Lease<'a> {
    plan: &'a str,
    source: &'a str,
    target: &'a str,
}

impl Lease<'_> {
    fn found(&self, effect: String, action: &Action) -> Found {
        let (plan, source, target) = (self.plan, self.source, self.target);
        Found::new(effect, action.span).because(format!(
            "your merge lease of plan `{plan}` is for `{source}` into `{target}`"
        ))
    }
}

/// What the asker's own lease says of its merge.
fn own(act: &Integrate, lease: &Lease<'_>, action: &Action, world: &World) -> Option<Found> {
    let target = short(lease.target);
    let heads = match world.heads(&action.place) {
        Fact::Known(heads) => heads,
        Fact::Unknown(why) => {
            let effect = "this may merge into another branch than your lease names".to_owned();
            return Some(lease.found(effect, action).because(why).ask());
        }
    };
    let right = Head::Branch(target.to_owned());
    if let Some(other) = heads.iter().find(|head| **head != right) {
        let into = match other {
            Head::Branch(name) => format!("into `{name}`"),
            Head::Detached => "onto no branch".to_owned(),
        };
        let effect = format!("this would {} {into}, not into `{target}`", act.verb);
        let there = world.has_branch(&action.place, target) == Fact::Known(true);
        let switch = format!("{} switch {}", git_at(&action.place, world), quoted(target));
        let way = Instead::run(switch).filter(|_| there);
        return Some(lease.found(effect, action).instead(way));
    }
    match act.verb {
        "merge" => act.what.iter().find_map(|word| one(word, lease, action)),
        "pull" => act
            .what
            .iter()
            .skip(1)
            .find_map(|word| one(word, lease, action)),
        "revert" => None,
        verb => {
            let effect = format!("whose commits this `{verb}` brings in cannot be told");
            let merge = format!(
                "{} merge --no-ff {}",
                git_at(&action.place, world),
                quoted(short(lease.source))
            );
            Some(
                lease
                    .found(effect, action)
                    .instead(Instead::run(merge))
                    .ask(),
            )
        }
    }
}

/// One thing that is merged: the source, or the target's own newer state.
fn one(word: &Word, lease: &Lease<'_>, action: &Action) -> Option<Found> {
    if word.text.chars().any(is_mark) {
        let effect = "which branch this merges is not known".to_owned();
        return Some(lease.found(effect, action).ask());
    }
    let name = word
        .text
        .strip_prefix("refs/remotes/")
        .unwrap_or(&word.text);
    let is = |branch: &str| {
        let branch = short(branch);
        let remote = name
            .split_once('/')
            .is_some_and(|(_, below)| below == branch);
        short(name) == branch || name.strip_prefix("heads/") == Some(branch) || remote
    };
    if is(lease.source) || is(lease.target) {
        return None;
    }
    let effect = format!(
        "this would merge `{}`, not `{}`",
        spelled(word),
        short(lease.source)
    );
    let swap = Instead::Swap(word.span, word.text.clone(), short(lease.source).to_owned());
    Some(lease.found(effect, action).instead(Some(swap)))
}
