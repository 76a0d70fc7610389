//! Denies writing the records of claims past leaseguard: files below its state, and refs that hold leases.

use super::paths::{Parts, touched};
use super::target::spelled;
use super::{Found, Instead, Rule};
use crate::action::{Act, Action, Refs};
use crate::policy::Policy;
use crate::shell::Word;
use crate::verdict::Decision;
use crate::world::World;
use std::path::PathBuf;

pub(super) const RULE: Rule = Rule {
    id: "lease/state-files",
    decision: Decision::Deny,
    stops: "the records of claims written, moved or removed by any tool but leaseguard: `rm -rf ~/.local/state/leaseguard/v1`, `git push origin :refs/leases/x`",
    why: "whoever edits the book by hand owns whatever it likes",
    instead: "use the verbs of `leaseguard lease`",
    check,
};

/// Refs that hold leases.
const REFS: [&str; 2] = ["refs/leases/", "refs/heads/_leases/"];

fn check(action: &Action, world: &World, _: &Policy) -> Vec<Found> {
    let list = || Instead::run("leaseguard lease list");
    if let Some((word, deed)) = touched(action) {
        let path = Parts::of(word, action.place.dir.as_deref());
        let hit = folders(world)
            .iter()
            .any(|dir| path.lies_in(dir) || (deed.whole() && path.holds(dir)));
        let span = if word.span.end == 0 {
            action.span
        } else {
            word.span
        };
        let found = || {
            let found = Found::new(deed.of(word), span);
            found
                .because("leaseguard keeps there who owns which checkout")
                .instead(list())
        };
        return hit.then(found).into_iter().collect();
    }
    let named: Vec<&Word> = match &action.act {
        Act::Push(push) => push.refspecs.iter().collect(),
        Act::Refs(Refs::Force { name, .. } | Refs::Create { name, .. }) => vec![name],
        Act::Refs(Refs::Delete { names, .. }) => names.iter().collect(),
        Act::Refs(Refs::Rename { from, to, .. }) => from.iter().chain([to]).collect(),
        _ => return Vec::new(),
    };
    let hit = named.into_iter().find(|word| lease(&word.text));
    let found = |word: &Word| {
        Found::new(format!("this would write `{}`", spelled(word)), word.span)
            .because("leases are kept in that ref")
            .instead(list())
    };
    hit.map(found).into_iter().collect()
}

/// Whether a ref or the target of a refspec holds a lease.
fn lease(text: &str) -> bool {
    let to = text.rsplit(':').next().unwrap_or(text);
    let to = to.trim_start_matches('+');
    REFS.iter().any(|start| to.starts_with(start)) || to.starts_with("_leases/")
}

fn folders(world: &World) -> Vec<PathBuf> {
    let around = &world.around;
    let home = around.home.as_ref();
    let mut all = Vec::new();
    all.extend(
        around
            .directory("XDG_STATE_HOME")
            .map(|d| d.join("leaseguard")),
    );
    all.extend(home.map(|home| home.join(".local/state/leaseguard")));
    all.extend(home.map(|home| home.join("Library/Application Support/leaseguard")));
    all.iter().map(|dir| dir.join("v1")).collect()
}
