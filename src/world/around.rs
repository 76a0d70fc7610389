//! What a door tells of the process: where it stands, its home, its environment, its clock.

use super::Company;
use crate::lease::watch::Watch;
use std::cell::OnceCell;
use std::ffi::OsString;
use std::path::PathBuf;
use std::rc::Rc;
use std::time::SystemTime;

/// The process's surroundings, as a door sees them.
#[derive(Debug, Clone, Default)]
pub struct Surroundings {
    /// Where the call starts.
    pub cwd: Option<PathBuf>,
    /// `$HOME`.
    pub home: Option<PathBuf>,
    /// The process's environment, asked only where a fact needs it.
    pub env: Environment,
    /// True where the host keeps shells open whose typed lines no hook sees.
    pub unseen_typing: bool,
    /// The clock, where it is not the system's.
    pub now: Option<SystemTime>,
    /// The claims of this machine; `None` = nobody looks at them.
    pub claims: Option<Rc<Watch>>,
    /// True for a person who only asks: where there is no repository, answer as if there were one.
    pub assume_repository: bool,
    /// Who else works in a checkout.
    pub company: Company,
    /// The git that is asked before those in the usual places.
    pub git: Option<PathBuf>,
}

/// An environment that is looked up on demand.
#[derive(Debug, Clone)]
pub struct Environment {
    pub(super) look: fn(&str) -> Option<OsString>,
    moves_git: OnceCell<bool>,
    moves_config: OnceCell<bool>,
}

impl Environment {
    /// An environment that `look` answers for.
    pub fn new(look: fn(&str) -> Option<OsString>) -> Environment {
        Environment {
            look,
            moves_git: OnceCell::new(),
            moves_config: OnceCell::new(),
        }
    }
}

impl Default for Environment {
    fn default() -> Environment {
        Environment::new(|_| None)
    }
}

/// Variables that move git's repository.
const GIT_ENV: &[&str] = &[
    "GIT_DIR",
    "GIT_WORK_TREE",
    "GIT_COMMON_DIR",
    "GIT_NAMESPACE",
];

/// Variables that add to git's config.
const GIT_CONFIG_ENV: &[&str] = &["GIT_CONFIG_COUNT", "GIT_CONFIG_PARAMETERS"];

impl Surroundings {
    /// `$XDG_CONFIG_HOME`.
    pub(super) fn xdg_config(&self) -> Option<PathBuf> {
        self.directory("XDG_CONFIG_HOME")
    }

    /// A variable of the environment that names a directory.
    pub fn directory(&self, name: &str) -> Option<PathBuf> {
        self.variable(name)
            .filter(|dir| !dir.is_empty())
            .map(PathBuf::from)
    }

    /// A variable of the environment.
    pub(super) fn variable(&self, name: &str) -> Option<OsString> {
        (self.env.look)(name)
    }

    /// A variable that adds to config is in the environment.
    pub(super) fn git_config(&self) -> bool {
        let set = |name: &&str| self.variable(name).is_some();
        *self
            .env
            .moves_config
            .get_or_init(|| GIT_CONFIG_ENV.iter().any(set))
    }

    /// A variable that moves the repository is in the environment.
    pub(super) fn git_env(&self) -> bool {
        *self
            .env
            .moves_git
            .get_or_init(|| GIT_ENV.iter().any(|name| (self.env.look)(name).is_some()))
    }
}
