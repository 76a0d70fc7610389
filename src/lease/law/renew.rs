//! Holding on: signs of life, new session ids of the same owner, and the mark of what was left behind.

use super::claim::in_the_way;
use super::{Case, Change, Outcome, Source};
use crate::lease::asker::Standing;
use crate::lease::book::Name;
use crate::lease::clock::Time;
use crate::lease::error::{Code, Refusal};
use crate::lease::liveness::Liveness;
use crate::lease::record::{Claim, DIRTY, Held};
use crate::lease::words::Stage;
use std::time::Duration;

/// How many session ids of one owner are kept.
const MOST_SESSIONS: usize = 32;

/// Decides `lease renew`.
pub(super) fn renew(
    case: &Case<'_>,
    stage: Option<&Stage>,
    ttl: Option<Duration>,
) -> Result<Outcome, Refusal> {
    let held = case.held()?;
    let standing = mine(case, held)?;
    let mut next = carried(case, &held.claim, standing, ttl)?;
    match stage {
        Some(stage @ (Stage::Active | Stage::InReview | Stage::Releasing)) => {
            next.state = stage.clone();
        }
        Some(stage) => {
            return Err(Refusal::new(
                Code::BadRequest,
                format!(
                    "a claim does not go on as `{stage}`: use `active`, `in-review` or `releasing`"
                ),
            ));
        }
        None if next.state == Stage::Claimed => next.state = Stage::Active,
        None => {}
    }
    // A sign of life beside the record is enough while most of its time is left.
    let left = held.claim.lease.expires_utc.map(|end| case.now.age(end));
    let half = Duration::from_secs(held.claim.lease.ttl_secs / 2);
    let same = next.owner == held.claim.owner
        && next.state == held.claim.state
        && next.flags == held.claim.flags
        && next.lease.ttl_secs == held.claim.lease.ttl_secs;
    let enough = same && left.is_none_or(|left| left > half) && case.time(held) != Time::Suspect;
    Ok(Outcome {
        event: if standing == Standing::Resumed {
            "resume"
        } else {
            "renew"
        },
        change: if enough {
            Change::Beat
        } else {
            Change::Put(Box::new(next.clone()), standing == Standing::Resumed)
        },
        claim: Some(if enough { held.claim.clone() } else { next }),
        reason: None,
    })
}

/// Decides what a session's start does to the claim here: the same owner goes on under a new id.
pub(super) fn rotate(case: &Case<'_>, source: Source) -> Result<Outcome, Refusal> {
    let held = case.held()?;
    let liveness = case.facts.of(&held.claim).liveness;
    let standing = case.request.who.standing(&held.claim.owner, liveness);
    if standing != Standing::Rotated || source == Source::Startup {
        return renew(case, None, None);
    }
    if elsewhere(case) {
        return Err(Refusal::new(
            Code::SessionHasClaim,
            "this session holds another checkout already: give one of them back",
        ));
    }
    let next = carried(case, &held.claim, standing, None)?;
    Ok(Outcome {
        event: "session-rotated",
        change: Change::Put(Box::new(next.clone()), true),
        claim: Some(next),
        reason: None,
    })
}

/// Decides whether what is here gets the mark of work left behind: by its owner, or by anybody once
/// the owner is dead and the time over (R48).
pub(super) fn mark_dirty(case: &Case<'_>) -> Result<Outcome, Refusal> {
    let held = case.held()?;
    let seen = case.facts.of(&held.claim);
    let standing = case.request.who.standing(&held.claim.owner, seen.liveness);
    let lapsed = seen.liveness == Liveness::Dead && case.time(held) == Time::Over;
    if !standing.acts() && !lapsed {
        return Err(Refusal::new(
            Code::NotOwner,
            "only the owner marks its checkout while it lives",
        ));
    }
    let mut next = held.claim.clone();
    let marked = next.flagged(DIRTY);
    if !marked {
        next.rev = next.rev.saturating_add(1);
        next.flags.push(DIRTY.to_owned());
    }
    Ok(Outcome {
        event: "dirty-stale",
        change: if marked {
            Change::None
        } else {
            Change::Put(Box::new(next.clone()), false)
        },
        claim: Some(next),
        reason: None,
    })
}

/// How the asker stands to the claim, where it may change it.
pub(super) fn mine(case: &Case<'_>, held: &Held) -> Result<Standing, Refusal> {
    let liveness = case.facts.of(&held.claim).liveness;
    let standing = case.request.who.standing(&held.claim.owner, liveness);
    if standing == Standing::Resumed && elsewhere(case) {
        return Err(Refusal::new(
            Code::SessionHasClaim,
            "this process holds another checkout already: give one of them back",
        ));
    }
    if standing.acts() || standing == Standing::Resumed {
        return Ok(standing);
    }
    let refusal = in_the_way(case, held, standing);
    Err(match refusal.code {
        Code::Owned => Refusal::new(Code::NotOwner, refusal.what),
        _ => refusal,
    })
}

/// Whether the asker itself holds another checkout.
fn elsewhere(case: &Case<'_>) -> bool {
    let taken = case.book.taken.iter();
    taken.clone().any(|t| matches!(t.name, Name::Agent(_)))
}

/// `claim` with a sign of life of its owner, who may have a new session or process by now.
pub(super) fn carried(
    case: &Case<'_>,
    claim: &Claim,
    standing: Standing,
    ttl: Option<Duration>,
) -> Result<Claim, Refusal> {
    let mut held = claim.clone();
    if ttl.is_some() {
        held.lease.ttl_secs = case.ttl(ttl)?.as_secs();
    }
    let mut next = case.next(&held);
    // What an owner left uncommitted is its own again.
    next.flags.retain(|flag| flag != DIRTY);
    let who = &case.request.who;
    if matches!(standing, Standing::Bound | Standing::Resumed) {
        let fresh = who.owner(None, None);
        next.owner.install_id = fresh.install_id;
        next.owner.host_name = fresh.host_name;
        next.owner.machine_id_hash = fresh.machine_id_hash;
        next.owner.boot_id = fresh.boot_id;
        next.owner.pid_ns = fresh.pid_ns;
        next.owner.pid = fresh.pid;
        next.owner.start_ticks = fresh.start_ticks;
        next.owner.exe = fresh.exe;
        next.owner.one_session = fresh.one_session;
    }
    if let Some(session) = &who.session
        && !next.owner.session_ids.contains(session)
        && matches!(standing, Standing::Rotated | Standing::Owner)
    {
        next.owner.session_ids.push(session.clone());
        let over = next.owner.session_ids.len().saturating_sub(MOST_SESSIONS);
        next.owner.session_ids.drain(..over);
    }
    Ok(next)
}
