//! A pause: for a while everything is judged and logged, and nothing is stopped.

use super::{MOST, Refusal, holds, to_json};
use crate::state::time::{Moment, shown_span};
use crate::state::{State, Trouble};
use serde::{Deserialize, Serialize};
use std::time::Duration;

const FILE: &str = "pause.json";

/// A pause that a person ordered.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pause {
    /// When it was ordered.
    pub given: Moment,
    /// When it ends.
    pub until: Moment,
}

/// Pauses for `span`, a day at most.
pub fn pause(state: &State, span: Duration, now: Moment) -> Result<Pause, Refusal> {
    if span.is_zero() || span > MOST {
        return Err(Refusal::Span(shown_span(span)));
    }
    let pause = Pause {
        given: now,
        until: now.plus(span),
    };
    state.ensure()?;
    state.write("", FILE, to_json(&pause)?.as_bytes())?;
    Ok(pause)
}

/// The pause that holds, if any. Where that cannot be read there is none.
pub fn paused(state: &State, now: Moment) -> Result<Option<Pause>, Trouble> {
    let Some(text) = state.read("", FILE)? else {
        return Ok(None);
    };
    // Whoever else could write here could pause.
    state.ensure()?;
    let pause = serde_json::from_str::<Pause>(&text).ok();
    Ok(pause.filter(|p| holds(p.given, p.until, MOST, now)))
}

/// Ends the pause; tells whether there was one.
pub fn resume(state: &State) -> Result<bool, Trouble> {
    state.consume("", FILE)
}
