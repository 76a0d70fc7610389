//! The last state of each head, for some seconds, so that a burst of calls asks a forge once.

use super::{Env, Line, State, Subject};
use crate::policy::{Policy, Provider};
use crate::state::State as Directory;
use crate::state::key::Key;
use crate::state::place;
use crate::state::time::Moment;
use std::fs::{File, TryLockError};
use std::path::PathBuf;
use std::time::{Duration, Instant};

const FOLDER: &str = "ci";

/// How long each kind of state is believed.
const RUNNING: Duration = Duration::from_secs(15);
const IDLE: Duration = Duration::from_secs(20);
const UNCLEAR: Duration = Duration::from_secs(10);

/// What is older than this goes away when something new is written.
const OLD: Duration = Duration::from_secs(24 * 3600);

/// How often somebody who waits looks whether it is his turn.
const BEAT: Duration = Duration::from_millis(5);

/// The place of one head's state.
pub(super) struct Cache {
    directory: Directory,
    name: String,
    /// Idle holds only for a commit that is known.
    keeps_idle: bool,
}

/// Whose turn it is to ask.
pub(super) enum Turn {
    /// Ours, until the file is dropped.
    Mine(File),
    /// Somebody else's, and time is up.
    Late,
    /// There is no place for a lock.
    Nowhere,
}

impl Cache {
    /// The place for `subject`; `None` where there is no state directory or nothing to spare.
    pub(super) fn of(subject: &Subject<'_>, policy: &Policy, env: &Env<'_>) -> Option<Cache> {
        if policy.ci_provider() == Provider::File {
            return None;
        }
        let path = |name| (env.look)(name).map(PathBuf::from);
        let directory = Directory::of(&place::Env {
            xdg_state: path("XDG_STATE_HOME"),
            home: path("HOME"),
            local_app_data: path("LOCALAPPDATA"),
        });
        let key = Key::new("ci")
            .with(subject.url.as_bytes())
            .with(subject.branch.as_bytes())
            .with_maybe(subject.head.map(str::as_bytes));
        Some(Cache {
            directory: directory.ok()?,
            name: key.hex(),
            keeps_idle: subject.head.is_some(),
        })
    }

    /// The state, if it is fresh. What cannot be read is no state.
    pub(super) fn read(&self, now: Moment) -> Option<State> {
        let text = self.directory.read(FOLDER, &self.name).ok()??;
        let (head, rest) = text.split_once('\n')?;
        let (kind, at) = head.split_once(' ')?;
        let at = Moment(at.parse().ok()?);
        let (state, fresh) = match kind {
            "idle" if self.keeps_idle => (State::Idle, IDLE),
            "running" => (State::InFlight(lines(rest)?), RUNNING),
            "unclear" => (State::Unclear(serde_json::from_str(rest).ok()?), UNCLEAR),
            _ => return None,
        };
        // A clock that was set back makes nothing fresh.
        (at <= now && at.age(now) < fresh).then_some(state)
    }

    /// Keeps the state; a failure costs only the next call.
    pub(super) fn write(&self, state: &State, now: Moment) {
        let (kind, rest) = match state {
            State::Idle => ("idle", Ok(String::new())),
            State::InFlight(lines) => ("running", serde_json::to_string(lines)),
            State::Unclear(why) => ("unclear", serde_json::to_string(why)),
        };
        let Ok(rest) = rest else { return };
        let text = format!("{kind} {}\n{rest}", now.0);
        let _ = self.directory.write(FOLDER, &self.name, text.as_bytes());
        self.directory.sweep(FOLDER, OLD, now);
    }

    /// Waits for the turn to ask.
    pub(super) fn lock(&self, deadline: Instant) -> Turn {
        let name = format!("{}.lock", self.name);
        let Ok((file, _)) = self.directory.appending(FOLDER, &name) else {
            return Turn::Nowhere;
        };
        loop {
            match file.try_lock() {
                Ok(()) => return Turn::Mine(file),
                Err(TryLockError::WouldBlock) if Instant::now() < deadline => {
                    std::thread::sleep(BEAT);
                }
                Err(TryLockError::WouldBlock) => return Turn::Late,
                Err(TryLockError::Error(_)) => return Turn::Nowhere,
            }
        }
    }
}

fn lines(text: &str) -> Option<Vec<Line>> {
    serde_json::from_str(text).ok()
}
