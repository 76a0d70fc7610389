//! What `status` and `doctor` have to know of this machine, read once.

use super::home::{self, Here};
use super::input;
use crate::action::Place;
use crate::doctor::{Machine, githooks};
use crate::grant::pause;
use crate::policy::{Mode, Policy};
use crate::setup::Around;
use crate::state::time::Moment;
use crate::world::{Fact, World};
use std::path::{Path, PathBuf};

/// This machine, for a host that is started in `cwd`.
pub(super) fn machine(cwd: Option<&Path>, here: &Here, policy: &Policy) -> Machine {
    let state = home::state().ok();
    let now = Moment::now();
    let pause = state
        .as_ref()
        .and_then(|state| pause::paused(state, now).ok()?);
    let own = std::env::current_dir().unwrap_or_else(|_| PathBuf::from("/"));
    Machine {
        around: Around::of_process(here.top().map(Path::to_owned)),
        variables: std::env::vars_os().collect(),
        cwd: cwd.map_or_else(|| own.clone(), |cwd| own.join(cwd)),
        root: PathBuf::from("/"),
        program: std::env::current_exe().and_then(std::fs::canonicalize).ok(),
        state,
        policy_troubles: policy.troubles.clone(),
        observes: policy.mode() == Mode::Observe,
        paused: pause.map(|pause| now.age(pause.until)),
        git_hooks: git_hooks(cwd, here),
    }
}

/// git's own hooks where `cwd` is.
fn git_hooks(cwd: Option<&Path>, here: &Here) -> Option<githooks::GitHooks> {
    let top = here.top()?;
    let around = input::around(cwd);
    let place = Place {
        dir: around.cwd.clone(),
        ..Place::default()
    };
    let common = here.main().unwrap_or(top).join(".git");
    let dir = match World::new(around).config(&place, "core.hookspath") {
        Fact::Known(Some(path)) => top.join(path),
        _ => common.join("hooks"),
    };
    Some(githooks::look(dir, &common, top))
}
