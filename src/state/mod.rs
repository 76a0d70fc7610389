//! The state directory: small private files that outlive one call and never decide one.

pub(crate) mod decimal;
pub mod files;
pub mod key;
pub mod place;
pub mod seats;
pub mod seen;
pub mod strikes;
pub mod time;
pub mod wrote;

use std::fmt;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use time::Moment;

/// Something went wrong with our own files; told, and never a reason to decide otherwise.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Trouble(pub String);

impl fmt::Display for Trouble {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Trouble {}

impl Trouble {
    /// `what` failed at `path`.
    pub fn at(what: &str, path: &Path, error: &io::Error) -> Trouble {
        Trouble(format!(
            "cannot {what} `{}`: {}",
            path.display(),
            files::reason(error)
        ))
    }
}

/// Where the state directory keeps the list of the parents that it needed.
const MADE: &str = "made";

/// One user's state directory; it need not exist.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct State {
    dir: PathBuf,
}

impl State {
    /// The state directory at `dir`.
    pub fn at(dir: impl Into<PathBuf>) -> State {
        State { dir: dir.into() }
    }

    /// The state directory of this environment.
    pub fn of(env: &place::Env) -> Result<State, Trouble> {
        place::dir(place::Os::HERE, env).map(State::at)
    }

    /// Where it is.
    pub fn dir(&self) -> &Path {
        &self.dir
    }

    fn path(&self, folder: &str, name: &str) -> PathBuf {
        files::under(&self.dir, &[folder, name])
    }

    /// Makes the directory where it is missing, and closes it to everybody but its owner. Parents
    /// that had to be made are noted in it.
    pub fn ensure(&self) -> Result<(), Trouble> {
        let above = self.dir.ancestors().skip(1);
        let made: Vec<&Path> = above.take_while(|dir| !dir.exists()).collect();
        ensure_dir(&self.dir)?;
        if made.is_empty() {
            return Ok(());
        }
        self.note_made(made.iter().rev().copied())
    }

    /// Notes directories that were made for us outside of the state directory.
    pub fn note_made<'a>(&self, dirs: impl Iterator<Item = &'a Path>) -> Result<(), Trouble> {
        let mut all = self.made();
        all.extend(dirs.map(Path::to_owned));
        let lines: Vec<&str> = all.iter().filter_map(|dir| dir.to_str()).collect();
        let path = self.dir.join(MADE);
        files::replace(&self.dir, MADE, lines.join("\n").as_bytes())
            .map_err(|e| Trouble::at("write", &path, &e))
    }

    /// The directories outside of the state directory that were made for us, outer ones first.
    pub fn made(&self) -> Vec<PathBuf> {
        let text = files::read_small(&self.dir.join(MADE)).unwrap_or_default();
        text.lines().map(PathBuf::from).collect()
    }

    /// Writes `folder/name` whole: readers see the old file or the new one.
    pub fn write(&self, folder: &str, name: &str, bytes: &[u8]) -> Result<(), Trouble> {
        let dir = files::under(&self.dir, &[folder]);
        let done = match files::replace(&dir, name, bytes) {
            Err(e) if e.kind() == io::ErrorKind::NotFound => {
                self.ensure()?;
                ensure_dir(&dir)?;
                files::replace(&dir, name, bytes)
            }
            done => done,
        };
        done.map_err(|e| Trouble::at("write", &dir.join(name), &e))
    }

    /// The text of `folder/name`; `None` when there is no such file.
    pub fn read(&self, folder: &str, name: &str) -> Result<Option<String>, Trouble> {
        let path = self.path(folder, name);
        match files::read_small(&path) {
            Ok(text) => Ok(Some(text)),
            Err(e) if e.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(e) => Err(Trouble::at("read", &path, &e)),
        }
    }

    /// Removes `folder/name`; of all who try, exactly one is told that it was there.
    pub fn consume(&self, folder: &str, name: &str) -> Result<bool, Trouble> {
        let path = self.path(folder, name);
        match files::consume(&path) {
            Ok(()) => Ok(true),
            Err(e) if e.kind() == io::ErrorKind::NotFound => Ok(false),
            Err(e) => Err(Trouble::at("remove", &path, &e)),
        }
    }

    /// The names in `folder`, without temporary files; empty when there is no such folder.
    pub fn names(&self, folder: &str) -> Result<Vec<String>, Trouble> {
        let dir = self.dir.join(folder);
        let entries = match fs::read_dir(&dir) {
            Ok(entries) => entries,
            Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(e) => return Err(Trouble::at("list", &dir, &e)),
        };
        let names = entries.filter_map(|e| e.ok()?.file_name().into_string().ok());
        Ok(names.filter(|n| !n.starts_with('.')).collect())
    }

    /// Opens `folder/name` for appending and tells how long it is.
    pub fn appending(&self, folder: &str, name: &str) -> Result<(File, u64), Trouble> {
        let path = self.path(folder, name);
        let opened = match files::append(&path) {
            Err(e) if e.kind() == io::ErrorKind::NotFound => {
                self.ensure()?;
                ensure_dir(&files::under(&self.dir, &[folder]))?;
                files::append(&path)
            }
            opened => opened,
        };
        opened.map_err(|e| Trouble::at("open", &path, &e))
    }

    /// Removes what was last written in `folder` more than `age` ago. Best effort.
    pub fn sweep(&self, folder: &str, age: std::time::Duration, now: Moment) {
        let Ok(entries) = fs::read_dir(self.dir.join(folder)) else {
            return;
        };
        for entry in entries.flatten() {
            let written = entry.metadata().and_then(|m| m.modified());
            if written.is_ok_and(|t| Moment::of(t).plus(age) < now) {
                let _ = fs::remove_file(entry.path());
            }
        }
    }
}

fn ensure_dir(dir: &Path) -> Result<(), Trouble> {
    match fs::metadata(dir) {
        Ok(found) if found.is_dir() => files::close_to_others(dir, &found)
            .map_err(|e| Trouble::at("close to other users", dir, &e)),
        Ok(_) => Err(Trouble(format!("`{}` is not a directory", dir.display()))),
        Err(e) if e.kind() == io::ErrorKind::NotFound => {
            files::make_dir(dir).map_err(|e| Trouble::at("make", dir, &e))
        }
        Err(e) => Err(Trouble::at("use", dir, &e)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn a_missing_directory_is_made_on_the_first_write_and_not_by_reading() {
        let temp = tempfile::tempdir().unwrap();
        let state = State::at(temp.path().join("a/b/leaseguard"));
        assert_eq!(state.read("open", "x"), Ok(None));
        assert_eq!(state.names("open"), Ok(Vec::new()));
        assert_eq!(state.consume("open", "x"), Ok(false));
        assert!(!state.dir().exists());
        state.write("open", "x", b"text").unwrap();
        assert_eq!(state.read("open", "x"), Ok(Some("text".to_owned())));
        assert_eq!(state.names("open"), Ok(vec!["x".to_owned()]));
        assert_eq!(state.consume("open", "x"), Ok(true));
        assert_eq!(state.consume("open", "x"), Ok(false));
    }

    #[cfg(unix)]
    #[test]
    fn everything_is_private_to_the_owner_whatever_the_umask_left_open() {
        use std::os::unix::fs::PermissionsExt;
        let temp = tempfile::tempdir().unwrap();
        let state = State::at(temp.path().join("s"));
        fs::create_dir(state.dir()).unwrap();
        fs::set_permissions(state.dir(), fs::Permissions::from_mode(0o755)).unwrap();
        state.write("open", "x", b"text").unwrap();
        state.appending("", "log").unwrap();
        let mode = |p: &str| {
            fs::metadata(state.dir().join(p))
                .unwrap()
                .permissions()
                .mode()
                & 0o777
        };
        assert_eq!(
            [mode(""), mode("open"), mode("open/x"), mode("log")],
            [0o700, 0o700, 0o600, 0o600]
        );
    }

    #[test]
    fn a_file_in_place_of_the_directory_is_a_trouble_in_words() {
        let temp = tempfile::tempdir().unwrap();
        let state = State::at(temp.path().join("s"));
        fs::write(state.dir(), "x").unwrap();
        let trouble = state.ensure().unwrap_err();
        assert!(trouble.0.ends_with("s` is not a directory"), "{trouble}");
        assert!(state.write("open", "x", b"text").is_err());
        assert!(state.read("open", "x").is_err());
        assert!(state.appending("", "log").is_err());
    }

    #[test]
    fn sweeping_removes_the_old_and_keeps_the_new() {
        let temp = tempfile::tempdir().unwrap();
        let state = State::at(temp.path());
        state.write("open", "x", b"1").unwrap();
        state.sweep("open", Duration::from_secs(3600), Moment::now());
        assert_eq!(state.names("open").unwrap().len(), 1);
        state.sweep(
            "open",
            Duration::from_secs(3600),
            Moment::now().plus(Duration::from_secs(3700)),
        );
        assert_eq!(state.names("open").unwrap().len(), 0);
    }
}
