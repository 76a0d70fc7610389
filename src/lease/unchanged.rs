//! For how long nobody here has seen a claim change: all that one machine can know of another's claims.

use super::record::Held;
use crate::state::State;
use crate::state::time::Moment;
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// A look at a claim, and since when it has looked like that.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Look {
    claim_id: String,
    rev: u64,
    beat: Option<Moment>,
    since: Moment,
}

/// For how long `held` has not changed before the eyes of this machine, of its clock alone. The first
/// look at each state of the claim is noted; where it cannot be, nothing was seen.
pub fn observe(
    state: &State,
    (repo, checkout): (&str, &str),
    held: &Held,
    now: Moment,
) -> Option<Duration> {
    let (folder, name) = (format!("v1/{repo}/looks"), format!("{checkout}.json"));
    let look = Look {
        claim_id: held.claim.claim_id.clone(),
        rev: held.claim.rev,
        beat: held.beat,
        since: now,
    };
    let text = state.read(&folder, &name).ok().flatten();
    let known = text.and_then(|text| serde_json::from_str::<Look>(&text).ok());
    // A look from the future is none: the clock was set back.
    let known = known.filter(|known| known.since <= now);
    match known {
        Some(known)
            if (Look {
                since: now,
                ..known.clone()
            }) == look =>
        {
            Some(known.since.age(now))
        }
        _ => {
            let bytes = serde_json::to_vec(&look).ok()?;
            state.write(&folder, &name, &bytes).ok()?;
            Some(Duration::ZERO)
        }
    }
}
