//! Claims on checkouts that are there no more: they protect nothing, and give way.

use crate::lease::asker::{Asker, Standing};
use crate::lease::book::Name;
use crate::lease::law::{Act, Outcome, Wanted};
use crate::lease::record::{Checkout, Claim};
use crate::lease::registry::{Hold, Registry};
use crate::state::time::Moment;
use std::io::ErrorKind;
use std::path::PathBuf;
use std::time::Duration;

/// What was done to a claim, and where its checkout was.
pub(in crate::cli) type Done = (PathBuf, Outcome);

/// Gives back what `who` itself holds of checkouts that are gone, and takes out of the way what owners
/// that are gone as well held there by one of `names`. What fails stays as it is.
pub(in crate::cli) fn give_way(
    registry: &Registry<'_>,
    repo: &str,
    who: &Asker,
    names: &[Name],
    (wait, now): (Duration, Moment),
) -> Vec<Done> {
    let mut done = Vec::new();
    for name in who.names().iter().chain(names) {
        let slot = registry.store.named(repo, name);
        let Some(claim) = slot.claim().filter(|claim| gone(&claim.checkout)).cloned() else {
            continue;
        };
        for act in acts(registry.judge(slot, who, now), &claim) {
            let key = (repo, claim.checkout.id.as_str());
            let Ok(outcome) = registry.run(key, who, act, None, (wait, now)) else {
                break;
            };
            done.push((claim.checkout.path.clone(), outcome));
        }
    }
    done
}

/// The other checkouts of a repository that `who` holds.
pub(in crate::cli) fn held(
    registry: &Registry<'_>,
    (repo, checkout): (&str, &str),
    who: &Asker,
    now: Moment,
) -> Vec<(Claim, Standing)> {
    let mut all: Vec<(Claim, Standing)> = Vec::new();
    for name in who.names() {
        let hold = registry.judge(registry.store.named(repo, &name), who, now);
        if let Hold::Mine(claim, standing) = hold
            && claim.checkout.id != checkout
            && !all
                .iter()
                .any(|(known, _)| known.claim_id == claim.claim_id)
        {
            all.push((*claim, standing));
        }
    }
    all
}

/// Whether neither the checkout nor what git keeps of it is there.
pub(in crate::cli) fn gone(checkout: &Checkout) -> bool {
    let missing = |path: &PathBuf| {
        let seen = std::fs::symlink_metadata(path);
        seen.is_err_and(|e| e.kind() == ErrorKind::NotFound)
    };
    missing(&checkout.path) && missing(&checkout.git_dir)
}

fn acts(hold: Hold, claim: &Claim) -> Vec<Act> {
    match hold {
        Hold::Mine(..) => vec![Act::Release],
        // As anybody may take it over, and gives it back.
        Hold::Lapsed(_) => {
            let wanted = Wanted::plain(
                claim.repo.clone(),
                claim.checkout.clone(),
                claim.branch.clone(),
                claim.harness.as_deref(),
            );
            let takeover = Act::Takeover {
                wanted: Box::new(Wanted {
                    ticket: claim.ticket.clone(),
                    lane: claim.lane.clone(),
                    ..wanted
                }),
                adopt_dirty: true,
                dirty: Some(false),
            };
            vec![takeover, Act::Release]
        }
        _ => Vec::new(),
    }
}
