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

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn at(seconds: i64) -> Moment {
        Moment(1_768_000_000_000 + seconds * 1000)
    }

    fn held(rev: u64, beat: Option<Moment>) -> Held {
        let claim = json!({
            "schema": 1, "claimId": "C", "epoch": 1, "rev": rev, "checkout": {}, "owner": {},
            "role": "implementer", "state": "active",
            "lease": { "mode": "ttl", "claimedUtc": at(0), "lastHeartbeatUtc": at(0) },
        });
        Held {
            claim: serde_json::from_value(claim).unwrap(),
            beat,
        }
    }

    #[test]
    fn only_what_was_seen_to_rest_has_rested() {
        let dir = tempfile::tempdir().unwrap();
        let state = State::at(dir.path().join("state"));
        let see = |held: &Held, seconds| observe(&state, ("r", "c"), held, at(seconds));
        let span = |seconds| Some(Duration::from_secs(seconds));
        assert_eq!(see(&held(1, None), 0), span(0));
        assert_eq!(see(&held(1, None), 90), span(90));
        // A sign of life, and a write, start anew.
        assert_eq!(see(&held(1, Some(at(95))), 100), span(0));
        assert_eq!(see(&held(1, Some(at(95))), 160), span(60));
        assert_eq!(see(&held(2, Some(at(95))), 170), span(0));
        // So does a clock that was set back.
        assert_eq!(see(&held(2, Some(at(95))), 100), span(0));
        assert_eq!(see(&held(2, Some(at(95))), 130), span(30));
    }

    #[test]
    fn where_nothing_can_be_noted_nothing_was_seen() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("file");
        std::fs::write(&file, "").unwrap();
        let state = State::at(file.join("state"));
        for seconds in [0, 900] {
            assert_eq!(
                observe(&state, ("r", "c"), &held(1, None), at(seconds)),
                None
            );
        }
    }
}
