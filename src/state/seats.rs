//! Where sessions work: one small file a session and directory, whose time tells when it last called.

use super::State;
use super::key::Key;
use super::seen::touch;
use super::time::Moment;
use std::path::{Path, PathBuf};
use std::time::Duration;

const FOLDER: &str = "seats";

/// How long a session that says nothing still counts as there.
const STAYS: Duration = Duration::from_secs(24 * 3600);

/// Most seats that are looked through; with more than that nobody is known to be alone.
const MOST: usize = 512;

/// Notes that `session` calls from `dir`; `process` names the host's process where that is known, and is
/// asked only where the mark is new. What fails here changes nothing: whoever left no mark is not known
/// to be alone.
pub fn take(state: &State, session: &str, dir: &Path, process: &dyn Fn() -> Option<String>) {
    let dir = dir.as_os_str();
    let key = Key::new("seat")
        .with(session.as_bytes())
        .with(dir.as_encoded_bytes());
    let name = key.hex();
    if touch(&state.path(FOLDER, &name)) {
        return;
    }
    let Some(dir) = dir.to_str().filter(|dir| !dir.contains('\n')) else {
        return;
    };
    state.sweep(FOLDER, STAYS, Moment::now());
    let process = process().filter(|name| !name.contains('\n'));
    let text = format!("{session}\n{dir}\n{}", process.unwrap_or_default());
    let _ = state.write(FOLDER, &name, text.as_bytes());
}

/// Who was seen in a checkout.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Who {
    /// The session that is asked for, and nobody else.
    Alone,
    /// Somebody else.
    Others,
    /// Nobody.
    Nobody,
    /// A mark cannot be read: anybody may be there.
    Unclear,
}

/// Who beside `session` was seen in the checkout whose top is `top`. `over` tells of a host's process
/// that no other session is at work in it any more.
pub fn who(state: &State, session: &str, top: &Path, over: &dyn Fn(&str) -> bool) -> Who {
    let Ok(names) = state.names(FOLDER) else {
        return Who::Unclear;
    };
    if names.len() > MOST {
        return Who::Unclear;
    }
    let top = real(top);
    let mut seen = Who::Nobody;
    for name in names {
        let text = match state.read(FOLDER, &name) {
            Ok(Some(text)) => text,
            // It went away meanwhile.
            Ok(None) => continue,
            Err(_) => return Who::Unclear,
        };
        let Some((who, dir, process)) = parts(&text) else {
            return Who::Unclear;
        };
        if !lies_in(Path::new(dir), &top) || !fresh(state, &name) {
            continue;
        }
        if who == session {
            seen = Who::Alone;
        } else if process.is_empty() || !over(process) {
            return Who::Others;
        }
    }
    seen
}

/// Takes all marks of `session` away: it has ended.
pub fn leave(state: &State, session: &str) {
    for name in state.names(FOLDER).unwrap_or_default() {
        let text = state.read(FOLDER, &name).ok().flatten();
        let own = text.as_deref().and_then(parts);
        if own.is_some_and(|(who, ..)| who == session) {
            // What stays counts as somebody who may come back.
            let _ = state.consume(FOLDER, &name);
        }
    }
}

/// Session, directory and process of a mark.
fn parts(text: &str) -> Option<(&str, &str, &str)> {
    let mut parts = text.rsplitn(3, '\n');
    let (process, dir, session) = (parts.next()?, parts.next()?, parts.next()?);
    Some((session, dir, process))
}

fn fresh(state: &State, name: &str) -> bool {
    let path = state.dir().join(FOLDER).join(name);
    let written = std::fs::symlink_metadata(path).and_then(|found| found.modified());
    written.is_ok_and(|at| Moment::of(at).age(Moment::now()) < STAYS)
}

/// Whether the innermost checkout around `dir` is the one at `top`.
fn lies_in(dir: &Path, top: &Path) -> bool {
    let dir = real(dir);
    let root = dir.ancestors().find(|up| up.join(".git").exists());
    root == Some(top)
}

fn real(path: &Path) -> PathBuf {
    std::fs::canonicalize(path).unwrap_or_else(|_| path.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Yard {
        temp: tempfile::TempDir,
        state: State,
    }

    impl Yard {
        fn new() -> Yard {
            let temp = tempfile::tempdir().unwrap();
            let state = State::at(temp.path().join("s"));
            for top in ["a", "a/inner", "b"] {
                std::fs::create_dir_all(temp.path().join(top).join(".git")).unwrap();
                std::fs::create_dir_all(temp.path().join(top).join("src")).unwrap();
            }
            Yard { temp, state }
        }

        fn take(&self, session: &str, dir: &str) {
            let process = || Some(format!("process of {session}"));
            take(&self.state, session, &self.temp.path().join(dir), &process);
        }

        fn who(&self, session: &str, top: &str) -> Who {
            let over = |process: &str| process == "process of dead";
            who(&self.state, session, &self.temp.path().join(top), &over)
        }

        fn alone(&self, session: &str, top: &str) -> bool {
            self.who(session, top) == Who::Alone
        }
    }

    #[test]
    fn a_session_that_was_never_seen_somewhere_is_not_alone_there() {
        let yard = Yard::new();
        assert!(!yard.alone("one", "a"));
        yard.take("one", "b");
        assert!(!yard.alone("one", "a"));
    }

    #[test]
    fn the_only_one_is_alone_until_another_calls_from_anywhere_in_the_checkout() {
        let yard = Yard::new();
        yard.take("one", "a");
        assert!(yard.alone("one", "a"));
        yard.take("two", "a/src");
        assert!(!yard.alone("one", "a"));
        assert!(!yard.alone("two", "a"));
    }

    #[test]
    fn a_checkout_within_a_checkout_is_one_of_its_own() {
        let yard = Yard::new();
        yard.take("one", "a");
        yard.take("two", "a/inner/src");
        assert!(yard.alone("one", "a"));
        assert!(yard.alone("two", "a/inner"));
    }

    #[test]
    fn a_seat_that_was_left_long_ago_does_not_count() {
        let yard = Yard::new();
        yard.take("two", "a");
        for name in yard.state.names(FOLDER).unwrap() {
            let path = yard.state.dir().join(FOLDER).join(name);
            let file = std::fs::File::options().write(true).open(path).unwrap();
            let old = std::time::SystemTime::now() - STAYS * 2;
            file.set_modified(old).unwrap();
        }
        assert!(!yard.alone("two", "a"));
        yard.take("one", "a");
        assert!(yard.alone("one", "a"));
    }

    #[test]
    fn who_has_ended_is_there_no_more() {
        let yard = Yard::new();
        yard.take("one", "a");
        yard.take("two", "a/src");
        yard.take("two", "b");
        leave(&yard.state, "two");
        assert!(yard.alone("one", "a"));
        assert_eq!(yard.who("one", "b"), Who::Nobody);
    }

    #[test]
    fn whose_process_is_over_is_there_no_more() {
        let yard = Yard::new();
        yard.take("one", "a");
        yard.take("dead", "a/src");
        assert!(yard.alone("one", "a"));
        assert!(!yard.alone("dead", "a"));
    }

    #[test]
    fn who_names_no_process_counts_as_there() {
        let yard = Yard::new();
        yard.take("one", "a");
        take(&yard.state, "dead", &yard.temp.path().join("a"), &|| None);
        assert_eq!(yard.who("one", "a"), Who::Others);
    }

    #[test]
    fn a_mark_that_cannot_be_read_may_be_anybodys() {
        let yard = Yard::new();
        yard.take("one", "a");
        yard.state.write(FOLDER, "odd", b"x").unwrap();
        assert!(!yard.alone("one", "a"));
    }
}
