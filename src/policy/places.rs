//! Where the policies of one repository are, as the doors tell it.

use super::table::Known;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// Where policies are looked for, and what is known of the repository.
#[derive(Clone, Copy)]
pub struct Places<'a> {
    /// The rules that there are.
    pub rules: &'a [Known],
    /// The administrator's policy.
    pub managed_file: Option<&'a Path>,
    /// The person's own policy.
    pub user_file: Option<&'a Path>,
    /// The repository's policy, at its top; `None` where there is no repository or no top.
    pub project_file: Option<&'a Path>,
    /// Where leaseguard keeps what it has to remember.
    pub state_dir: Option<&'a Path>,
    /// The top of the checkout, links resolved.
    pub repo_path: Option<&'a Path>,
    /// The main checkout where `repo_path` is a linked worktree; what is trusted is trusted there.
    pub main_path: Option<&'a Path>,
    /// `$HOME`, for `~/` in path globs.
    pub home: Option<&'a Path>,
    /// The URLs of the repository's remotes; only asked where a policy speaks of them.
    pub remotes: &'a dyn Fn() -> Vec<String>,
}

impl<'a> Places<'a> {
    /// The administrator's policy on every machine.
    pub const MANAGED: &'static str = "/etc/leaseguard/policy.toml";

    /// The name of a repository's own policy.
    pub const PROJECT: &'static str = "leaseguard.toml";

    /// Nowhere: built-in rules.
    pub fn none(rules: &'a [Known]) -> Places<'a> {
        Places {
            rules,
            managed_file: None,
            user_file: None,
            project_file: None,
            state_dir: None,
            repo_path: None,
            main_path: None,
            home: None,
            remotes: &Vec::new,
        }
    }

    /// The person's own policy, from `$XDG_CONFIG_HOME` and `$HOME`.
    pub fn user_file_of(xdg_config: Option<&Path>, home: Option<&Path>) -> Option<PathBuf> {
        match absolute(xdg_config) {
            Some(dir) => Some(below(dir, "leaseguard/policy.toml")),
            None => Some(below(absolute(home)?, ".config/leaseguard/policy.toml")),
        }
    }

    /// The state directory, from `$XDG_STATE_HOME` and `$HOME`.
    pub fn state_dir_of(xdg_state: Option<&Path>, home: Option<&Path>) -> Option<PathBuf> {
        let dir = absolute(xdg_state).map(Path::to_owned);
        let dir = dir.or_else(|| Some(absolute(home)?.join(".local/state")))?;
        Some(dir.join("leaseguard"))
    }

    /// The path by which the repository is remembered: one for all its worktrees.
    pub(super) fn identity(&self) -> Option<&'a Path> {
        self.main_path.or(self.repo_path)
    }
}

/// Relative directories in the environment are ignored, as the XDG rules say.
/// `dir/tail`, put together at once: every call of every agent that meets a rule does it.
pub(super) fn below(dir: &Path, tail: &str) -> PathBuf {
    let mut path = OsString::with_capacity(dir.as_os_str().len() + tail.len() + 1);
    path.push(dir);
    path.push("/");
    path.push(tail);
    PathBuf::from(path)
}

fn absolute(dir: Option<&Path>) -> Option<&Path> {
    dir.filter(|d| d.is_absolute())
}
