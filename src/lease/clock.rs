//! Time over, or a clock that cannot be trusted.

use super::record::Held;
use super::words::Mode;
use crate::state::time::Moment;
use std::time::Duration;

/// What the clock says of a claim.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Time {
    /// It holds.
    Running,
    /// It is over.
    Over,
    /// No time ends it.
    Never,
    /// The times in the record do not fit this clock: nothing follows from them.
    Suspect,
}

/// The last sign of life.
pub fn last_seen(held: &Held) -> Moment {
    let written = held.claim.lease.last_heartbeat_utc;
    held.beat.map_or(written, |beat| beat.max(written))
}

/// How long it is from `now` to the end of a claim that runs.
pub fn left(held: &Held, now: Moment) -> Duration {
    let ttl = Duration::from_secs(held.claim.lease.ttl_secs);
    let end = last_seen(held).plus(ttl);
    let end = held.claim.lease.expires_utc.map_or(end, |at| at.max(end));
    now.age(end)
}

/// What the clock says of `held` at `now`; `skew` is how far off a clock may be.
pub fn time(held: &Held, now: Moment, skew: Duration) -> Time {
    let lease = &held.claim.lease;
    let ttl = Duration::from_secs(lease.ttl_secs);
    let Some(written) = lease.expires_utc.filter(|_| lease.mode == Mode::Ttl) else {
        return Time::Never;
    };
    let seen = last_seen(held);
    let future = seen > now.plus(skew) || lease.claimed_utc > now.plus(skew);
    let backwards = lease.last_heartbeat_utc.plus(skew) < lease.claimed_utc;
    let far = written > lease.last_heartbeat_utc.plus(ttl).plus(skew);
    if future || backwards || far {
        return Time::Suspect;
    }
    if now < written.max(seen.plus(ttl)) {
        Time::Running
    } else {
        Time::Over
    }
}
