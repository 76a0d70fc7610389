//! How often the calls of one session from one directory look for a claim to keep alive.
//!
//! One file for both, whose time tells when the next look is due: most calls read that alone. It
//! holds the note on the checkout of one's own, where there is one. A look that comes late, or a
//! file that somebody changes, costs a sign of life and frees nothing.

use super::store::disk::{read, touch, touched};
use crate::state::State;
use crate::state::files::under;
use crate::state::key::Key;
use crate::state::time::Moment;
use std::path::{Path, PathBuf};
use std::time::Duration;

const FOLDER: &str = "pace";

/// The longest time without a look.
pub(super) const MOST: Duration = Duration::from_secs(75);

/// The time until the next look where there was nothing to keep alive.
const IDLE: Duration = Duration::from_secs(15);

/// Files that were due so long ago belong to sessions that are gone.
const LEFT: Duration = Duration::from_secs(24 * 3600);

/// The pace of one session in one directory.
#[derive(Debug)]
pub(super) struct Pace(PathBuf);

impl Pace {
    pub(super) fn of(state: &State, session: &str, agent: Option<&str>, dir: &Path) -> Pace {
        let key = Key::new(FOLDER)
            .with(session.as_bytes())
            .with_maybe(agent.map(str::as_bytes))
            .with(dir.as_os_str().as_encoded_bytes());
        Pace(under(state.dir(), &[FOLDER, &key.hex()]))
    }

    /// Whether the next look is not due at `now`. A time that is too far off is none of ours.
    pub(super) fn rests(&self, now: Moment) -> bool {
        touched(&self.0).is_some_and(|due| now < due && due <= now.plus(MOST))
    }

    /// The note on the checkout of one's own.
    pub(super) fn note(&self) -> Option<Vec<u8>> {
        read(&self.0).ok()
    }

    /// Notes that a look at `now` has found that the next one is due at `due`, and what it found;
    /// `None` = there was nothing to keep alive. That it cannot be noted makes the next call look
    /// again.
    pub(super) fn wait(&self, state: &State, now: Moment, due: Option<Moment>, note: &[u8]) {
        let due = due.map_or(now.plus(IDLE), |due| due.min(now.plus(MOST)));
        let old = self.note();
        if old.as_deref() == Some(note) && touch(&self.0, due, false) == Ok(true) {
            return;
        }
        if old.is_none() {
            state.sweep(FOLDER, LEFT, now);
        }
        let name = self.0.file_name().and_then(|name| name.to_str());
        if let Some(name) = name
            && state.write(FOLDER, name, note).is_ok()
        {
            let _ = touch(&self.0, due, false);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_look_rests_until_it_is_due_and_never_longer_than_the_most() {
        let temp = tempfile::tempdir().unwrap();
        let state = State::at(temp.path().join("s"));
        let now = Moment(1_780_000_000_000);
        let pace = Pace::of(&state, "s", None, Path::new("/w"));
        assert!(!pace.rests(now));
        pace.wait(&state, now, Some(now.plus(Duration::from_secs(10))), b"");
        assert!(pace.rests(now.plus(Duration::from_secs(9))));
        assert!(!pace.rests(now.plus(Duration::from_secs(10))));
        // A clock that was set back finds a time that is too far off.
        assert!(!pace.rests(now.minus(Duration::from_secs(3600))));
        pace.wait(&state, now, Some(now.plus(Duration::from_secs(3600))), b"");
        assert!(pace.rests(now.plus(MOST / 2)) && !pace.rests(now.plus(MOST)));
        pace.wait(&state, now, None, b"");
        assert!(!pace.rests(now.plus(IDLE)));
    }

    #[test]
    fn sessions_subagents_and_directories_have_each_their_own() {
        let temp = tempfile::tempdir().unwrap();
        let state = State::at(temp.path().join("s"));
        let now = Moment(1_780_000_000_000);
        Pace::of(&state, "s", None, Path::new("/w")).wait(&state, now, None, b"");
        for (session, agent, dir) in [("t", None, "/w"), ("s", Some("a"), "/w"), ("s", None, "/v")]
        {
            assert!(!Pace::of(&state, session, agent, Path::new(dir)).rests(now));
        }
    }
}
