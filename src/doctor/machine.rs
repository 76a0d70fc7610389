//! What the examination knows of this machine: read once by the door, so that tests can make one up.

use super::githooks::GitHooks;
use crate::host::setup::Place;
use crate::setup::Around;
use crate::state::State;
use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// This machine, as far as hosts and leaseguard depend on it.
#[derive(Debug, Clone)]
pub struct Machine {
    /// Home, PATH, checkout and this program.
    pub around: Around,
    /// The environment.
    pub variables: BTreeMap<OsString, OsString>,
    /// Where a host would be started.
    pub cwd: PathBuf,
    /// What administrators' absolute paths start from: `/`, but in tests.
    pub root: PathBuf,
    /// The running program, links resolved.
    pub program: Option<PathBuf>,
    /// The state directory; `None` where there is no place for one.
    pub state: Option<State>,
    /// What is wrong with policies.
    pub policy_troubles: Vec<String>,
    /// Policies say that nothing is stopped.
    pub observes: bool,
    /// How long a pause still lasts.
    pub paused: Option<Duration>,
    /// git's own hooks in the checkout, if there is one.
    pub git_hooks: Option<GitHooks>,
}

impl Machine {
    /// The first file called `program` on the PATH that may be executed.
    pub fn on_path(&self, program: &str) -> Option<PathBuf> {
        let dirs = self.around.path.iter().filter(|dir| dir.is_absolute());
        dirs.flat_map(|dir| {
            ENDS.iter()
                .map(move |end| dir.join([program, end].concat()))
        })
        .find(|file| is_executable(file))
    }

    /// The directory of a host's user files.
    pub(super) fn user_dir(&self, place: &Place) -> Option<PathBuf> {
        let named = place.variable.and_then(|name| {
            self.around
                .variables
                .iter()
                .find(|(known, _)| *known == name)
        });
        match named {
            Some((_, dir)) => Some(dir.clone()),
            None => Some(self.around.home.as_ref()?.join(place.dir)),
        }
    }

    /// The shell that a login starts.
    pub(super) fn login_shell(&self) -> String {
        let shell = self.variables.get(OsStr::new("SHELL"));
        let shell = shell.and_then(|shell| shell.to_str());
        shell
            .filter(|s| s.starts_with('/'))
            .unwrap_or("/bin/sh")
            .to_owned()
    }

    /// A path that an administrator's manual writes as `path`.
    pub(super) fn system(&self, path: &str) -> PathBuf {
        self.root.join(path.trim_start_matches('/'))
    }

    /// `path` as people write it: `~` for the home.
    pub fn shown(&self, path: &Path) -> String {
        let home = self.around.home.as_deref();
        let below = home.and_then(|h| path.strip_prefix(h).ok());
        match below {
            Some(below) => format!("~/{}", below.display()),
            None => path.display().to_string(),
        }
    }
}

/// How programs may end.
const ENDS: &[&str] = if cfg!(windows) {
    &[".exe", ".cmd", ".bat"]
} else {
    &[""]
};

/// Whether `file` is one that this user may start.
pub(super) fn is_executable(file: &Path) -> bool {
    let Ok(found) = std::fs::metadata(file) else {
        return false;
    };
    found.is_file() && mode_allows(&found)
}

#[cfg(unix)]
fn mode_allows(found: &std::fs::Metadata) -> bool {
    std::os::unix::fs::PermissionsExt::mode(&found.permissions()) & 0o111 != 0
}

#[cfg(not(unix))]
fn mode_allows(_: &std::fs::Metadata) -> bool {
    true
}

/// Lets a file of ours be executed; tells whether that had to be done and was.
#[cfg(unix)]
pub(super) fn unlock(file: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    let Ok(found) = std::fs::metadata(file) else {
        return false;
    };
    if !found.is_file() || mode_allows(&found) {
        return false;
    }
    let mode = found.permissions().mode() | 0o755;
    std::fs::set_permissions(file, std::fs::Permissions::from_mode(mode)).is_ok()
}

#[cfg(not(unix))]
pub(super) fn unlock(_: &Path) -> bool {
    false
}
