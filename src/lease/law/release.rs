//! Giving a claim back, and ending one on a person's word.

use super::{CORRUPT, Case, Change, Outcome, corrupt, fenced, newer, renew};
use crate::lease::error::{Code, Refusal};
use crate::lease::record::{Claim, Slot};
use crate::lease::words::Stage;

/// Decides `lease release`.
pub(super) fn release(case: &Case<'_>) -> Result<Outcome, Refusal> {
    let held = case.held()?;
    renew::mine(case, held)?;
    let retired = retired(case, &held.claim);
    Ok(Outcome {
        event: "release",
        change: Change::Retire(Box::new(retired.clone())),
        claim: Some(retired),
        reason: None,
    })
}

/// Decides `lease override`: the claim that is ended has to be named.
pub(super) fn overrule(case: &Case<'_>, claim_id: &str, reason: &str) -> Result<Outcome, Refusal> {
    if reason.trim().is_empty() || reason.chars().any(char::is_control) {
        return Err(Refusal::new(
            Code::BadRequest,
            "an override needs a reason of one line: `--reason`",
        ));
    }
    match &case.book.here {
        Slot::Newer(schema) => Err(newer(*schema)),
        Slot::Corrupt(_) if claim_id == CORRUPT => Ok(Outcome {
            event: "override",
            change: Change::Clear,
            claim: None,
            reason: Some(reason.to_owned()),
        }),
        Slot::Corrupt(why) => Err(corrupt(why)),
        Slot::Held(held) if held.claim.claim_id == claim_id => {
            let mut retired = retired(case, &held.claim);
            retired.rest.insert("ended".to_owned(), "override".into());
            Ok(Outcome {
                event: "override",
                change: Change::Retire(Box::new(retired.clone())),
                claim: Some(retired),
                reason: Some(reason.to_owned()),
            })
        }
        Slot::Held(held) => Err(fenced(claim_id, Some(&held.claim))),
        Slot::Free => Err(fenced(claim_id, None)),
    }
}

fn retired(case: &Case<'_>, claim: &Claim) -> Claim {
    let mut retired = claim.clone();
    retired.rev = retired.rev.saturating_add(1);
    retired.state = Stage::Retired;
    retired.lease.last_heartbeat_utc = case.now;
    retired
}
