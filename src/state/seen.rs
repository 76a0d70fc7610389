//! When each agent host last called: an empty file a host and kind, of which only the time matters.

use super::State;
use super::time::Moment;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

const FOLDER: &str = "seen";

/// Sessions that start so are `doctor` trying out a host's entry: judged, but no agent's work.
pub const CANARY: &str = "leaseguard-canary";

/// Whether `session` is one of `doctor`.
pub fn is_canary(session: Option<&str>) -> bool {
    session.is_some_and(|id| id.starts_with(CANARY))
}

/// What a host called about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A tool that was about to run: what guards.
    Call,
    /// Anything else, such as the start of a session: it shows that the host runs hooks at all.
    Event,
}

/// Notes that `host` called just now. What fails here changes nothing and is told to nobody.
pub fn note(state: &State, host: &str, kind: Kind) {
    let path = mark(state, host, kind);
    if !touch(&path)
        && let Some(name) = path.file_name().and_then(|name| name.to_str())
    {
        let _ = state.write(FOLDER, name, b"");
    }
}

/// When `host` last called about `kind`.
pub fn last(state: &State, host: &str, kind: Kind) -> Option<Moment> {
    let found = std::fs::symlink_metadata(mark(state, host, kind)).ok()?;
    found.modified().ok().map(Moment::of)
}

/// The file of `host` and `kind`, put together at once: every call of every agent does it.
fn mark(state: &State, host: &str, kind: Kind) -> PathBuf {
    let dir = state.dir().as_os_str();
    let rest = FOLDER.len() + host.len() + "//.event".len();
    let mut path = OsString::with_capacity(dir.len() + rest);
    path.push(dir);
    for part in ["/", FOLDER, "/", host] {
        path.push(part);
    }
    if kind == Kind::Event {
        path.push(".event");
    }
    PathBuf::from(path)
}

/// One system call, because every call of every agent makes it.
#[cfg(unix)]
pub(super) fn touch(path: &Path) -> bool {
    use rustix::fs::{AtFlags, CWD, Timespec, Timestamps, UTIME_NOW, utimensat};
    let now = Timespec {
        tv_sec: 0,
        tv_nsec: UTIME_NOW as _,
    };
    let times = Timestamps {
        last_access: now,
        last_modification: now,
    };
    utimensat(CWD, path, &times, AtFlags::SYMLINK_NOFOLLOW).is_ok()
}

#[cfg(not(unix))]
pub(super) fn touch(path: &Path) -> bool {
    let opened = std::fs::OpenOptions::new().write(true).open(path);
    opened
        .and_then(|file| file.set_modified(std::time::SystemTime::now()))
        .is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn a_host_was_never_seen_until_it_called_and_kinds_and_hosts_stand_apart() {
        let temp = tempfile::tempdir().unwrap();
        let state = State::at(temp.path().join("s"));
        assert_eq!(last(&state, "claude", Kind::Call), None);
        assert!(!state.dir().exists());
        note(&state, "claude", Kind::Event);
        assert_eq!(last(&state, "claude", Kind::Call), None);
        assert_eq!(last(&state, "codex", Kind::Event), None);
        let seen = last(&state, "claude", Kind::Event).unwrap();
        assert!(seen.age(Moment::now()) < Duration::from_secs(60));
    }

    #[test]
    fn a_later_call_moves_the_time_of_an_old_one() {
        let temp = tempfile::tempdir().unwrap();
        let state = State::at(temp.path().join("s"));
        note(&state, "claude", Kind::Call);
        let file = std::fs::File::options()
            .write(true)
            .open(state.dir().join("seen/claude"))
            .unwrap();
        let old = std::time::SystemTime::now() - Duration::from_secs(9000);
        file.set_modified(old).unwrap();
        assert_eq!(last(&state, "claude", Kind::Call), Some(Moment::of(old)));
        note(&state, "claude", Kind::Call);
        let seen = last(&state, "claude", Kind::Call).unwrap();
        assert!(seen.age(Moment::now()) < Duration::from_secs(60));
    }

    #[test]
    fn only_sessions_of_the_doctor_are_canaries() {
        assert!(is_canary(Some("leaseguard-canary-claude")));
        assert!(!is_canary(Some("7b9c")));
        assert!(!is_canary(None));
    }
}
