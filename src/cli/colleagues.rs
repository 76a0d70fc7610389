//! The sessions that work beside the one that calls, as marks on disk and processes tell.

use super::home;
use crate::call::Call;
use crate::person::{chain, hosts};
use crate::state::seats::{self, Who};
use crate::state::{State, wrote};
use crate::world::{Colleagues, Company, Seated};
use std::path::{Path, PathBuf};
use std::sync::Mutex;

/// Notes where the session works, and tells on demand whether it is alone there.
pub(super) fn seated(call: &Call) -> Company {
    let (Some(session), Some(cwd)) = (&call.session, &call.cwd) else {
        return Company::default();
    };
    let Ok(state) = home::state() else {
        return Company::default();
    };
    seats::take(&state, session, cwd, &|| Some(host()?.0));
    Company::new(Seats {
        state,
        session: session.clone(),
        seen: Mutex::default(),
    })
}

/// Who ends works nowhere any more.
pub(super) fn left(call: &Call) {
    if let (Some(session), Ok(state)) = (&call.session, home::state()) {
        seats::leave(&state, session);
    }
}

/// The record of who works where, as one session sees it.
struct Seats {
    state: State,
    session: String,
    /// Who was seen where, each checkout looked at once.
    seen: Mutex<Vec<(PathBuf, Seated)>>,
}

impl Colleagues for Seats {
    fn seated(&self, top: &Path) -> Seated {
        let Ok(mut seen) = self.seen.lock() else {
            return Seated::Unclear;
        };
        if let Some((_, seated)) = seen.iter().find(|(at, _)| at == top) {
            return *seated;
        }
        let seated = match seats::who(&self.state, &self.session, top, &over) {
            Who::Alone => Seated::Alone,
            Who::Others => Seated::Others,
            Who::Nobody => Seated::Nobody,
            Who::Unclear => Seated::Unclear,
        };
        seen.push((top.to_owned(), seated));
        seated
    }

    fn wrote(&self, file: &Path) -> Option<bool> {
        wrote::mine(&self.state, &self.session, file)
    }

    fn note(&self, file: &Path, whole: bool) {
        wrote::note(&self.state, &self.session, file, whole);
    }
}

/// The nearest host above this process, by a name that no other process ever had, and whether it runs
/// one session at a time.
fn host() -> Option<(String, bool)> {
    let process = chain::nearest(&|p| hosts::of(p).is_some())?;
    let host = hosts::of(&process)?;
    Some((process.identity(), hosts::one_session(host)))
}

/// Whether a session that another call came from through `process` has surely ended: the process is
/// gone, or it is our own host's, which runs one session at a time.
fn over(process: &str) -> bool {
    if host().is_some_and(|(own, single)| single && own == process) {
        return true;
    }
    let mut parts = process.rsplitn(3, ':');
    let (start, pid, place) = (parts.next(), parts.next(), parts.next());
    let start = start.and_then(|text| text.parse::<u64>().ok());
    let (Some(start), Some(pid)) = (start, pid.and_then(|text| text.parse().ok())) else {
        return false;
    };
    // Ids of another boot, or of another pid namespace, say nothing here.
    if place.is_none_or(|place| place.is_empty() || place != chain::here()) {
        return false;
    }
    match chain::look(pid) {
        chain::Look::Missing | chain::Look::Zombie => true,
        chain::Look::Running { start: now } => now != start,
        chain::Look::Hidden | chain::Look::Untold => false,
    }
}
