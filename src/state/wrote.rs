//! Which session wrote a file: one small file for each, which names all that did within a day.

use super::State;
use super::key::Key;
use super::seen::touch;
use super::time::Moment;
use std::path::Path;
use std::time::Duration;

const FOLDER: &str = "wrote";

/// Tells by its time when the folder was last looked through for old files.
const SWEPT: &str = "swept";

/// How long it is remembered who wrote a file.
const STAYS: Duration = Duration::from_secs(24 * 3600);

/// How often old files are looked for.
const EVERY: Duration = Duration::from_secs(3600);

/// Most sessions that are kept for one file; with more of them it is nobody's.
const MOST: usize = 8;

/// Notes that `session` writes `file`; with `whole`, all that it holds, and nothing is left of what
/// others wrote. What fails here changes nothing: the file is not known to be anybody's.
pub fn note(state: &State, session: &str, file: &Path, whole: bool) {
    if session.is_empty() || session.contains('\n') {
        return;
    }
    let name = name(file);
    let before = if whole {
        Vec::new()
    } else {
        writers(state, &name)
    };
    let others = before.iter().filter(|who| *who != session);
    let mut all: Vec<&str> = others.map(String::as_str).take(MOST).collect();
    all.push(session);
    if before == [session] && touch(&state.dir().join(FOLDER).join(&name)) {
        return;
    }
    sweep(state);
    let _ = state.write(FOLDER, &name, all.join("\n").as_bytes());
}

/// Whether `session` wrote `file`, and nobody else is known to have; `None` where nobody is.
pub fn mine(state: &State, session: &str, file: &Path) -> Option<bool> {
    let writers = writers(state, &name(file));
    (!writers.is_empty()).then(|| writers == [session])
}

fn writers(state: &State, name: &str) -> Vec<String> {
    let path = state.dir().join(FOLDER).join(name);
    let written = std::fs::symlink_metadata(path).and_then(|found| found.modified());
    if !written.is_ok_and(|at| Moment::of(at).age(Moment::now()) < STAYS) {
        return Vec::new();
    }
    match state.read(FOLDER, name) {
        Ok(Some(text)) => text.lines().map(str::to_owned).collect(),
        Ok(None) => Vec::new(),
        // It may be anybody's.
        Err(_) => vec![String::new()],
    }
}

fn name(file: &Path) -> String {
    let bytes = file.as_os_str().as_encoded_bytes();
    Key::new("wrote").with(bytes).hex()
}

fn sweep(state: &State) {
    let now = Moment::now();
    let mark = state.dir().join(FOLDER).join(SWEPT);
    let swept = std::fs::symlink_metadata(mark).and_then(|found| found.modified());
    if !swept.is_ok_and(|at| Moment::of(at).age(now) < EVERY) {
        state.sweep(FOLDER, STAYS, now);
        let _ = state.write(FOLDER, SWEPT, b"");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_the_session_s_own_that_alone_wrote_it() {
        let temp = tempfile::tempdir().unwrap();
        let state = State::at(temp.path().join("s"));
        let file = Path::new("/repo/a.txt");
        assert_ne!(mine(&state, "one", file), Some(true));
        note(&state, "one", file, false);
        assert_eq!(mine(&state, "one", file), Some(true));
        assert_ne!(mine(&state, "two", file), Some(true));
        note(&state, "two", file, false);
        assert_ne!(mine(&state, "one", file), Some(true));
        assert_ne!(mine(&state, "two", file), Some(true));
        note(&state, "one", file, true);
        assert_eq!(mine(&state, "one", file), Some(true));
        assert_ne!(mine(&state, "one", Path::new("/repo/b.txt")), Some(true));
    }

    #[test]
    fn what_was_written_long_ago_is_nobody_s() {
        let temp = tempfile::tempdir().unwrap();
        let state = State::at(temp.path().join("s"));
        let file = Path::new("/repo/a.txt");
        note(&state, "one", file, true);
        let path = state.dir().join(FOLDER).join(name(file));
        let opened = std::fs::File::options().write(true).open(path).unwrap();
        let old = std::time::SystemTime::now() - STAYS * 2;
        opened.set_modified(old).unwrap();
        assert_ne!(mine(&state, "one", file), Some(true));
    }
}
