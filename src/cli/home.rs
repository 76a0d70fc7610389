//! Where a person's files are: policies and what leaseguard remembers.

use super::input;
use crate::action::Place;
use crate::policy::{Home, Places, Policy, Shelf};
use crate::rules::KNOWN;
use crate::state::State;
use crate::state::place::Env;
use crate::world::World;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

/// The state directory; `Err` says why there is none.
pub(super) fn state() -> Result<State, String> {
    // The environment stays as it was, and every call of every agent asks several times.
    static STATE: OnceLock<Result<State, String>> = OnceLock::new();
    let look = || State::of(&Env::of_process()).map_err(|trouble| trouble.0);
    STATE.get_or_init(look).clone()
}

/// The files that do not depend on a repository.
pub(super) fn files() -> Home {
    let var = |name| std::env::var_os(name).map(PathBuf::from);
    let home = var("HOME");
    Home {
        managed_file: Some(PathBuf::from(Places::MANAGED)),
        user_file: Places::user_file_of(var("XDG_CONFIG_HOME").as_deref(), home.as_deref()),
        state_dir: state().ok().map(|state| state.dir().to_owned()),
        home,
    }
}

/// The policies of this machine, read where they are asked for.
pub(super) fn shelf() -> Shelf {
    Shelf::asking(&KNOWN, files)
}

/// The places of the policies that hold in one directory.
pub(super) struct Here {
    files: Home,
    checkout: Option<(PathBuf, Option<PathBuf>)>,
    project: Option<PathBuf>,
    remotes: Vec<String>,
}

impl Here {
    /// Those of `cwd`, or of the process's own directory.
    pub(super) fn of(cwd: Option<&Path>) -> Here {
        let around = input::around(cwd);
        let place = Place {
            dir: around.cwd.clone(),
            ..Place::default()
        };
        let world = World::new(around);
        let checkout = world.checkout(&place);
        Here {
            files: files(),
            project: checkout.as_ref().map(|(top, _)| top.join(Places::PROJECT)),
            remotes: world.remote_urls(&place),
            checkout,
        }
    }

    /// The top of the checkout, if there is one.
    pub(super) fn top(&self) -> Option<&Path> {
        self.checkout.as_ref().map(|(top, _)| top.as_path())
    }

    /// The main checkout, where this one is a linked worktree.
    pub(super) fn main(&self) -> Option<&Path> {
        self.checkout.as_ref()?.1.as_deref()
    }

    /// The person's own policy file.
    pub(super) fn user_file(&self) -> Option<&Path> {
        self.files.user_file.as_deref()
    }

    /// Hands the places over.
    pub(super) fn with<T>(&self, ask: impl FnOnce(&Places<'_>) -> T) -> T {
        let remotes = || self.remotes.clone();
        ask(&Places {
            rules: &KNOWN,
            managed_file: self.files.managed_file.as_deref(),
            user_file: self.files.user_file.as_deref(),
            project_file: self.project.as_deref(),
            state_dir: self.files.state_dir.as_deref(),
            repo_path: self.top(),
            main_path: self.checkout.as_ref().and_then(|(_, main)| main.as_deref()),
            home: self.files.home.as_deref(),
            remotes: &remotes,
        })
    }

    /// The policy in force.
    pub(super) fn policy(&self) -> Policy {
        self.with(Policy::load)
    }
}
