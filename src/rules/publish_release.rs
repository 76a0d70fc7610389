//! Denies releases: to registries, stores, clusters and clouds.

use super::{Found, Instead, Rule};
use crate::action::{Act, Action, Rehearsal};
use crate::policy::Policy;
use crate::verdict::Decision;
use crate::world::World;

pub(super) const RULE: Rule = Rule {
    id: "publish/release",
    decision: Decision::Deny,
    stops: "releases and deployments: `npm publish`, `cargo publish`, `twine upload`, `docker push`, `gh release create`, `terraform apply`, `kubectl apply` on a cluster that is not local",
    why: "what is released reaches others at once and cannot be called back; a person decides when",
    instead: "build and check it (`--dry-run`, `pack`, `plan`, `diff`), and leave the release to a person or to CI",
    check,
};

fn check(action: &Action, _: &World, _: &Policy) -> Vec<Found> {
    let Act::Publish(publish) = &action.act else {
        return Vec::new();
    };
    let how = &publish.how;
    let would = if publish.maybe { "may" } else { "would" };
    let found = Found::new(format!("`{}` {would} {}", how.text, publish.does), how.span);
    let fact = publish
        .fact
        .as_deref()
        .unwrap_or("it reaches others at once and cannot be called back");
    let instead = publish.rehearsal.as_ref().map(|rehearsal| match rehearsal {
        Rehearsal::Swap(how, to) => Instead::Swap(how.span, how.text.clone(), to.clone()),
        Rehearsal::Without(how) => Instead::Without(how.span, how.text.clone()),
    });
    let found = found.because(fact).instead(instead);
    vec![if publish.maybe { found.ask() } else { found }]
}
