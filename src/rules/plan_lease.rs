//! Denies changing a checkout that the plan gives to another session, or to another branch.

use super::claims::{self, Change, Deed};
use super::target::{git_at, quoted, short};
use super::{Found, Instead, Rule, merge_lease};
use crate::action::{Act, Action, Place};
use crate::policy::Policy;
use crate::verdict::Decision;
use crate::world::{Fact, Head, Held, Kept, PlanFlaw, PlanStand, Presence, Stand, Touched, World};

pub(super) const RULE: Rule = Rule {
    id: "lease/plan",
    decision: Decision::Deny,
    stops: "committing, switching, discarding or writing files in a checkout that a lease in the plan's `status.json` gives to another session, or on another branch than one's own lease names; asks where the plan is broken or at work without a lease",
    why: "a plan's lease never ends by itself: whoever works beside its holder mixes two plans in one tree",
    instead: "work in the checkout and on the branch that your own lease names; only its holder, or a person, gives a lease back",
    check,
};

/// How many flaws of a plan are told.
const TOLD: usize = 3;

fn check(action: &Action, world: &World, policy: &Policy) -> Vec<Found> {
    let Some(file) = policy.plan_status() else {
        return Vec::new();
    };
    // What a program that is not known may write is the claims' matter.
    let Some(change) = claims::change(action, world).filter(|c| c.deed != Deed::Perhaps) else {
        return Vec::new();
    };
    let touched = change.reaches.all.iter().filter(|touched| !touched.made);
    let found = touched.filter_map(|touched| match world.planned(touched, file) {
        Kept::Nowhere | Kept::Says(PlanStand::Free) => None,
        Kept::Unreadable(path, why) => Some(
            claims::found(
                &change,
                touched,
                "a checkout that a plan may give to somebody,",
            )
            .because(format!("`{}` cannot be read: {why}", path.display()))
            .ask(),
        ),
        Kept::Says(PlanStand::Other(held)) => {
            Some(others(&change, touched, &held, (world, policy)))
        }
        Kept::Says(PlanStand::Unclear(held)) => {
            let why = "it cannot be told here whether that is you";
            Some(
                others(&change, touched, &held, (world, policy))
                    .because(why)
                    .ask(),
            )
        }
        Kept::Says(PlanStand::Flawed(flaws)) => Some(flawed(&change, touched, &flaws)),
        Kept::Says(PlanStand::Mine { plan, branch }) if works(action) => {
            off(&change, touched, (&plan, &branch), world)
        }
        Kept::Says(PlanStand::Away { plan, path }) if works(action) => {
            // A claim of one's own, the merge that one was given, and the plan itself.
            let free = matches!(touched.stand, Stand::Mine(_))
                || touched.main && merge_lease::lands(touched, file, world)
                || world.is_plan(touched, file);
            (!free).then(|| away(&change, touched, &plan, &path))
        }
        Kept::Says(PlanStand::Mine { .. } | PlanStand::Away { .. }) => None,
    });
    let found: Vec<Found> = found.collect();
    // A repository that is not known may be any of those that the plan speaks of.
    let named = match &action.act {
        Act::Write { path } | Act::Alter { path, .. } | Act::Touch { path, .. } => {
            path.text.starts_with('/')
        }
        _ => false,
    };
    if let Presence::Unknown(why) = world.presence(&action.place)
        && change.reaches.all.is_empty()
        && !named
        && world.plan_gives_away(file)
    {
        let effect = "this may change a checkout that the plan gives to another session";
        return vec![Found::new(effect, change.span).because(why).ask()];
    }
    found
}

/// Acts that are work on a branch; to switch, and to put changes away first, is the way back to it.
fn works(action: &Action) -> bool {
    match &action.act {
        Act::Integrate(act) => !act.resumes,
        Act::Stage(_)
        | Act::Commit(_)
        | Act::Reset { .. }
        | Act::Other { .. }
        | Act::Write { .. }
        | Act::Alter { .. }
        | Act::Touch { .. } => true,
        _ => false,
    }
}

/// A git command in the checkout itself.
pub(super) fn top_of(touched: &Touched) -> Place {
    Place {
        dir: Some(touched.top.clone()),
        ..Place::default()
    }
}

/// Who holds a lease, of what and since when.
pub(super) fn held(held: &Held) -> String {
    let mut text = format!("`{}` holds plan `{}`", held.holder, held.plan);
    if let Some(since) = &held.since {
        text.push_str(&format!(" since {since}"));
    }
    text
}

fn others(
    change: &Change,
    touched: &Touched,
    lease: &Held,
    (world, policy): (&World, &Policy),
) -> Found {
    let found = claims::found(change, touched, "the checkout of another session's plan,");
    // No claim can be taken over where it is the plan that speaks.
    let mut open = touched.clone();
    open.stand = Stand::Free;
    found
        .because(held(lease))
        .because("no time frees a plan's lease: its holder gives it back, or a person does")
        .instead(claims::way_out(&open, world, policy))
}

fn flawed(change: &Change, touched: &Touched, flaws: &[(String, PlanFlaw)]) -> Found {
    let found = claims::found(change, touched, "a checkout that a broken plan may mean,");
    let told = flaws.iter().take(TOLD);
    let found = told.fold(found, |found, (plan, flaw)| {
        found.because(format!("plan `{plan}`: {flaw}"))
    });
    let found = match flaws.len().saturating_sub(TOLD) {
        0 => found,
        more => found.because(format!("and {more} more")),
    };
    found.ask()
}

/// The asker's own checkout, with another branch out than its lease names.
fn off(
    change: &Change,
    touched: &Touched,
    (plan, branch): (&str, &str),
    world: &World,
) -> Option<Found> {
    let at = top_of(touched);
    let effect = format!(
        "this would {} in `{}` on another branch than your lease names",
        change.does,
        touched.top.display()
    );
    let found = Found::new(effect, change.span)
        .because(format!("your lease of plan `{plan}` names `{branch}`"));
    let heads = match world.heads(&at) {
        Fact::Known(heads) => heads,
        Fact::Unknown(why) => {
            let why = format!("which branch is out is not known: {why}");
            return Some(found.because(why).ask());
        }
    };
    let right = Head::Branch(short(branch).to_owned());
    let other = heads.iter().find(|head| **head != right)?;
    // A rebase has no branch out, and going on with it is the way back to one.
    if world.under_way(&at) {
        return None;
    }
    let out = match other {
        Head::Branch(name) => format!("`{name}` is out there"),
        Head::Detached => "no branch is out there".to_owned(),
    };
    let branch = short(branch);
    let there = world.has_branch(&at, branch) == Fact::Known(true);
    let switch = format!("{} switch {}", git_at(&at, world), quoted(branch));
    let way = Instead::run(switch).filter(|_| there);
    Some(found.because(out).instead(way))
}

fn away(change: &Change, touched: &Touched, plan: &str, path: &str) -> Found {
    let found = claims::found(change, touched, "another checkout than your lease names,");
    let there = Instead::run(format!("git -C {} status --short", quoted(path)));
    found
        .because(format!("your lease of plan `{plan}` names `{path}`"))
        .instead(there)
}
