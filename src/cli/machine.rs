//! What `status` and `doctor` have to know of this machine, read once.

use super::home::{self, Here};
use super::input;
use crate::action::Place;
use crate::doctor::{Machine, githooks};
use crate::grant::pause;
use crate::policy::{Mode, Policy};
use crate::setup::{Around, git};
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
    let world = World::new(around);
    let said = |key: &str| match world.config(&place, key) {
        Fact::Known(value) => value,
        Fact::Unknown(_) => None,
    };
    let dir = match said("core.hookspath") {
        Some(path) => top.join(path),
        None => common.join("hooks"),
    };
    let entry = |hook: &&str| {
        let own = |key: &str| said(&format!("{}.{key}", git::section(hook)));
        let off = |value: Option<String>| value.is_some_and(|word| is_no(&word));
        let entry = githooks::Entry {
            hook: (*hook).to_owned(),
            event: own("event"),
            command: own("command"),
            // From 2.55 on there is a switch for each event too.
            off: off(own("enabled")) || off(said(&format!("hook.{hook}.enabled"))),
        };
        (entry.event.is_some() || entry.command.is_some()).then_some(entry)
    };
    let entries: Vec<githooks::Entry> = git::HOOKS.iter().filter_map(entry).collect();
    let gits: Vec<git::Git> = if entries.is_empty() {
        Vec::new()
    } else {
        let all = crate::world::gits(super::install_git::on_path().as_deref());
        all.into_iter().map(git::Git::at).collect()
    };
    let spot = githooks::Spot {
        common: &common,
        top,
        entries: &entries,
        gits: &gits,
    };
    Some(githooks::look(dir, spot))
}

/// As git reads a switch.
fn is_no(word: &str) -> bool {
    ["false", "no", "off", "0", ""]
        .iter()
        .any(|no| word.eq_ignore_ascii_case(no))
}
