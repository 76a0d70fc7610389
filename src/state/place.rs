//! Where the state directory is.

use super::Trouble;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

/// What the place depends on.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Env {
    /// `$XDG_STATE_HOME`.
    pub xdg_state: Option<PathBuf>,
    /// `$HOME`.
    pub home: Option<PathBuf>,
    /// `%LOCALAPPDATA%`.
    pub local_app_data: Option<PathBuf>,
}

impl Env {
    /// The environment of this process.
    pub fn of_process() -> Env {
        let path = |name| std::env::var_os(name).map(PathBuf::from);
        // Every call of every agent comes by here, so nothing is read that its system has not.
        let local = matches!(Os::HERE, Os::Windows).then(|| path("LOCALAPPDATA"));
        Env {
            xdg_state: path("XDG_STATE_HOME"),
            home: path("HOME"),
            local_app_data: local.flatten(),
        }
    }
}

/// The systems that have a custom of their own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Os {
    /// Linux and the other unixes.
    Unix,
    /// macOS.
    Mac,
    /// Windows.
    Windows,
}

impl Os {
    /// The one that this binary runs on.
    pub const HERE: Os = if cfg!(windows) {
        Os::Windows
    } else if cfg!(target_os = "macos") {
        Os::Mac
    } else {
        Os::Unix
    };
}

/// The state directory on `os`; a relative path in the environment counts as unset.
pub fn dir(os: Os, env: &Env) -> Result<PathBuf, Trouble> {
    if let Some(xdg) = rooted(os, &env.xdg_state) {
        return Ok(below(xdg, "leaseguard"));
    }
    let (base, tail, missing) = match os {
        Os::Unix => (&env.home, ".local/state/leaseguard", "HOME"),
        Os::Mac => (&env.home, "Library/Application Support/leaseguard", "HOME"),
        Os::Windows => (&env.local_app_data, "leaseguard", "LOCALAPPDATA"),
    };
    rooted(os, base)
        .map(|base| below(base, tail))
        .ok_or_else(|| {
            Trouble(format!(
                "no place for the state directory: `{missing}` is not an absolute path"
            ))
        })
}

/// `tail` below `base`, put together at once.
fn below(base: &Path, tail: &str) -> PathBuf {
    let base = base.as_os_str();
    let mut path = OsString::with_capacity(base.len() + tail.len() + 1);
    for part in [base, OsStr::new("/"), OsStr::new(tail)] {
        path.push(part);
    }
    PathBuf::from(path)
}

fn rooted(os: Os, path: &Option<PathBuf>) -> Option<&Path> {
    let path = path.as_deref()?;
    let rooted = match os {
        // Also where a test asks on another system what Windows would do.
        Os::Windows => path.is_absolute() || path.to_string_lossy().get(1..3) == Some(":\\"),
        Os::Unix | Os::Mac => path.as_os_str().as_encoded_bytes().first() == Some(&b'/'),
    };
    rooted.then_some(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn env(xdg: Option<&str>, home: Option<&str>, local: Option<&str>) -> Env {
        let path = |p: Option<&str>| p.map(PathBuf::from);
        Env {
            xdg_state: path(xdg),
            home: path(home),
            local_app_data: path(local),
        }
    }

    #[test]
    fn each_system_has_its_own_place_and_xdg_wins_where_it_is_set() {
        let all = env(None, Some("/home/u"), Some("C:\\Users\\u\\AppData\\Local"));
        assert_eq!(
            dir(Os::Unix, &all).unwrap(),
            Path::new("/home/u/.local/state/leaseguard")
        );
        assert_eq!(
            dir(Os::Mac, &all).unwrap(),
            Path::new("/home/u/Library/Application Support/leaseguard")
        );
        assert!(
            dir(Os::Windows, &all)
                .unwrap()
                .starts_with("C:\\Users\\u\\AppData\\Local")
        );
        let xdg = env(Some("/x"), Some("/home/u"), None);
        assert_eq!(dir(Os::Unix, &xdg).unwrap(), Path::new("/x/leaseguard"));
    }

    #[test]
    fn relative_and_empty_paths_count_as_unset() {
        let relative = env(Some("state"), Some("/h"), None);
        assert_eq!(
            dir(Os::Unix, &relative).unwrap(),
            Path::new("/h/.local/state/leaseguard")
        );
        let trouble = dir(Os::Unix, &env(Some(""), Some("home"), None)).unwrap_err();
        assert!(trouble.0.contains("`HOME`"), "{trouble}");
        assert!(dir(Os::Windows, &env(None, Some("/h"), None)).is_err());
    }
}
