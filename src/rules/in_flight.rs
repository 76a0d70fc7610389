//! Denies a push while CI or a review works on the head that it would replace.

use super::target::quoted;
use super::{Found, Instead, Rule};
use crate::action::{Act, Action};
use crate::policy::Policy;
use crate::verdict::Decision;
use crate::world::{Fact, Head, Wave, Working, World};

pub(super) const RULE: Rule = Rule {
    id: "ci/in-flight",
    decision: Decision::Deny,
    stops: "pushes to a branch while checks or a review bot still work on its head; asks where that cannot be told",
    why: "such a push cancels what runs, wastes what it has cost, and loses the review",
    instead: "go on fixing and committing locally, wait with `leaseguard ci wait`, then push once",
    check,
};

/// How many running things are named.
const NAMED: usize = 6;

fn check(action: &Action, world: &World, policy: &Policy) -> Vec<Found> {
    let Act::Push(push) = &action.act else {
        return Vec::new();
    };
    let waves = world.waves(push, &action.place, policy);
    waves
        .iter()
        .filter_map(|wave| found(wave, action, world, policy))
        .collect()
}

fn found(wave: &Wave, action: &Action, world: &World, policy: &Policy) -> Option<Found> {
    let at = format!("`{}` on `{}`", wave.branch, wave.remote);
    match &wave.is {
        Working::Runs(lines) => {
            let effect = format!("this push would cut off what still works on {at}");
            let mut found = Found::new(effect, action.span);
            found.because = lines.iter().take(NAMED).cloned().collect();
            let more = lines.len().saturating_sub(NAMED);
            if more > 0 {
                found = found.because(format!("and {more} more"));
            }
            let found = found.because("fix and commit locally, wait, then push once");
            Some(found.instead(wait(wave, action, world)))
        }
        Working::Unclear(causes) => {
            let effect = format!("it cannot be told whether CI or a review works on {at}");
            let mut found = Found::new(effect, action.span);
            found.because = causes.iter().take(NAMED).cloned().collect();
            match policy.ci_trouble() {
                Decision::Allow => None,
                Decision::Ask => Some(found.ask()),
                Decision::Deny => Some(found),
            }
        }
    }
}

/// `leaseguard ci wait` for this branch.
fn wait(wave: &Wave, action: &Action, world: &World) -> Option<Instead> {
    let mut text = "leaseguard ci wait".to_owned();
    if let (Some(dir), Some(cwd)) = (&action.place.dir, &world.around.cwd)
        && dir != cwd
    {
        text += &format!(" --cwd {}", quoted(&dir.to_string_lossy()));
    }
    let here = Fact::Known(vec![Head::Branch(wave.branch.clone())]);
    if world.heads(&action.place) != here {
        text += &format!(" --branch {}", quoted(&wave.branch));
    }
    let own = world.push_remote(&action.place);
    if own.as_deref() != Some(&wave.remote) {
        text += &format!(" --remote {}", quoted(&wave.remote));
    }
    Instead::run(text)
}
