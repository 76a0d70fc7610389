//! Taking over what a dead owner left: time over, owner dead, checkout quiet, all three proved (D1).

use super::claim::{free_names, fresh, sound};
use super::{Case, Change, Outcome, Wanted, shown};
use crate::lease::asker::Standing;
use crate::lease::clock::{self, Time};
use crate::lease::error::{Code, Refusal};
use crate::lease::liveness::{Liveness, Quiet};
use crate::lease::record::{DIRTY, Held, Prev, Rest};
use crate::lease::words::{How, Role};
use crate::state::time::shown_span;
use std::time::Duration;

/// Decides `lease takeover` and `lease adopt`.
pub(super) fn takeover(
    case: &Case<'_>,
    wanted: &Wanted,
    adopt_dirty: bool,
    dirty: Option<bool>,
) -> Result<Outcome, Refusal> {
    sound(case, wanted)?;
    let held = case.held()?;
    let seen = case.facts.of(&held.claim);
    let standing = case.request.who.standing(&held.claim.owner, seen.liveness);
    if standing.acts() || standing == Standing::Resumed {
        return Err(Refusal::new(
            Code::BadRequest,
            "this checkout is yours already: `leaseguard lease renew` keeps it",
        ));
    }
    if wanted.role == Role::Standby && !case.terms.standby_takes {
        return Err(Refusal::new(
            Code::OwnedUnknownLiveness,
            "a standby takes nothing over by itself: a person or policy has to say so",
        ));
    }
    lapsed(case, held)?;
    let left_dirty = dirty != Some(false);
    if left_dirty && !adopt_dirty {
        let what = match dirty {
            Some(_) => "there is uncommitted work",
            None => "it cannot be told whether there is uncommitted work",
        };
        return Err(Refusal::new(
            Code::TakeoverDirty,
            format!(
                "{what}, which {} left: look at it, and keep it with `leaseguard lease adopt`",
                shown(&held.claim)
            ),
        ));
    }
    free_names(case, true)?;
    let old = &held.claim;
    let prev = Prev {
        claim_id: old.claim_id.clone(),
        epoch: old.epoch,
        how: How::Takeover,
        rest: Rest::new(),
    };
    let mut claim = fresh(case, wanted, old.epoch, old.rev, Some(prev))?;
    // What the work is called does not change with who does it.
    claim.branch = claim.branch.or_else(|| old.branch.clone());
    claim.ticket = wanted.ticket.clone().or_else(|| old.ticket.clone());
    claim.lane = wanted.lane.clone().or_else(|| old.lane.clone());
    claim.plan_id = wanted.plan_id.clone().or_else(|| old.plan_id.clone());
    claim.base_sha = old.base_sha.clone().or(claim.base_sha);
    if claim.allowed_paths.is_empty() {
        claim.allowed_paths.clone_from(&old.allowed_paths);
    }
    claim
        .checkout
        .provisioned
        .clone_from(&old.checkout.provisioned);
    claim.flags = old.flags.iter().filter(|f| *f != DIRTY).cloned().collect();
    claim.rest = old.rest.clone();
    Ok(Outcome {
        event: if left_dirty {
            "adopt-dirty"
        } else {
            "takeover"
        },
        change: Change::Put(Box::new(claim.clone()), true),
        claim: Some(claim),
        reason: None,
    })
}

/// Whether the claim has lapsed: everything that could speak for its owner is ruled out.
fn lapsed(case: &Case<'_>, held: &Held) -> Result<(), Refusal> {
    let claim = &held.claim;
    let seen = case.facts.of(claim);
    let whose = shown(claim);
    let refuse = |code, what: String| Err(Refusal::new(code, what));
    match case.time(held) {
        Time::Never => {
            return refuse(
                Code::ManualLease,
                format!(
                    "no time frees this claim of {whose}: it releases it, or a person runs `leaseguard lease override {}`",
                    claim.claim_id
                ),
            );
        }
        Time::Suspect => {
            return refuse(
                Code::ClockSuspect,
                format!(
                    "the times in this claim do not fit the clock of this machine: set the clock, or ask a person for `leaseguard lease override {}`",
                    claim.claim_id
                ),
            );
        }
        Time::Running if seen.liveness == Liveness::Alive => {
            return refuse(
                Code::TakeoverNotDead,
                format!("{whose} lives and holds this checkout"),
            );
        }
        Time::Running => {
            return refuse(
                Code::TakeoverNotExpired,
                format!(
                    "the time of {whose} is not over: try again in {}",
                    shown_span(clock::left(held, case.now))
                ),
            );
        }
        Time::Over => {}
    }
    match seen.liveness {
        Liveness::Alive => {
            return refuse(
                Code::TakeoverNotDead,
                format!("{whose} lives: a session that waits is still the owner"),
            );
        }
        Liveness::Unknown => {
            let when = match still(case, held) {
                Still::Enough => None,
                Still::Until(left) => Some(format!(
                    "try again in {} if nobody has changed the claim by then",
                    shown_span(left)
                )),
                Still::CountsNothing => Some(format!(
                    "it releases the claim, or a person runs `leaseguard lease override {}`",
                    claim.claim_id
                )),
            };
            if let Some(when) = when {
                let what = format!("it cannot be told here whether {whose} lives: {when}");
                return refuse(Code::OwnedUnknownLiveness, what);
            }
        }
        Liveness::Dead => {}
    }
    match seen.quiet {
        Quiet::Quiet => Ok(()),
        Quiet::Busy => refuse(
            Code::TakeoverNotQuiet,
            "a process still works in this checkout, or git's lock lies there: end what runs there, then try again".to_owned(),
        ),
        Quiet::Unknown => refuse(
            Code::TakeoverNotQuiet,
            "it cannot be told on this system whether something still works in this checkout: a person decides with `leaseguard lease override`".to_owned(),
        ),
    }
}

/// What it counts that nobody here has seen a claim change.
enum Still {
    /// It has rested for its whole time.
    Enough,
    /// It would have, after so long.
    Until(Duration),
    /// It is not another machine's, or policy does not let that count (D1).
    CountsNothing,
}

fn still(case: &Case<'_>, held: &Held) -> Still {
    let claim = &held.claim;
    let whole = Duration::from_secs(claim.lease.ttl_secs).saturating_add(case.terms.skew);
    let elsewhere = claim.owner.install_id != case.request.who.here.install;
    let counts = case.terms.cross_host_expired_observed && elsewhere;
    match case.facts.of(claim).unchanged.filter(|_| counts) {
        Some(rested) if rested >= whole => Still::Enough,
        Some(rested) => Still::Until(whole.saturating_sub(rested)),
        None => Still::CountsNothing,
    }
}
