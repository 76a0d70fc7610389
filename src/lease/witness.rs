//! Looks at this machine: who runs, and who works in a checkout.

use super::liveness::{Here, Seen};
use crate::person::chain;
use crate::state::key::Key;
use crate::state::{State, Trouble};
use std::collections::BTreeSet;
use std::path::Path;

/// What the law has to know of the machine.
pub trait Witness: Sync {
    /// What the system says of a process id.
    fn process(&self, pid: u32) -> Seen;

    /// How many processes but those of `asker` have their directory in `dir`; `None` = not told.
    fn inside(&self, dir: &Path, asker: &[u32]) -> Option<usize>;

    /// Whether git's own locks lie in `git_dir`; `None` = not told.
    fn locks(&self, git_dir: &Path) -> Option<bool> {
        let there = |name: &str| match git_dir.join(name).symlink_metadata() {
            Ok(_) => Some(true),
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => Some(false),
            Err(_) => None,
        };
        Some(there("index.lock")? || there("HEAD.lock")?)
    }
}

/// This machine, as far as it tells: Linux does; macOS and Windows are not asked yet, so that
/// everything there is unknown and nothing is ever taken over.
#[derive(Debug, Clone, Copy, Default)]
pub struct Machine;

impl Witness for Machine {
    fn process(&self, pid: u32) -> Seen {
        match chain::look(pid) {
            chain::Look::Missing => Seen::Missing,
            chain::Look::Zombie => Seen::Zombie,
            chain::Look::Running { start } => Seen::Running(start),
            chain::Look::Hidden => Seen::Hidden,
            chain::Look::Untold => Seen::Untold,
        }
    }

    fn inside(&self, dir: &Path, asker: &[u32]) -> Option<usize> {
        let inside = chain::inside(dir)?;
        let own = std::process::id();
        Some(
            inside
                .iter()
                .filter(|pid| **pid != own && !asker.contains(pid))
                .count(),
        )
    }
}

/// This machine at one moment, for lists: who does not run is known from one look at all processes.
#[derive(Debug, Clone, Default)]
pub struct Crowd(Option<BTreeSet<u32>>);

impl Crowd {
    /// Looks.
    pub fn now() -> Crowd {
        Crowd(chain::all())
    }
}

impl Witness for Crowd {
    fn process(&self, pid: u32) -> Seen {
        match &self.0 {
            Some(all) if !all.contains(&pid) => Seen::Missing,
            _ => Machine.process(pid),
        }
    }

    fn inside(&self, dir: &Path, asker: &[u32]) -> Option<usize> {
        Machine.inside(dir, asker)
    }
}

/// Where process ids mean what they say: this state directory, boot and space of ids.
pub fn here(state: &State) -> Result<Here, Trouble> {
    let (boot, pid_space) = chain::place();
    Ok(Here {
        install: install_id(state)?,
        boot,
        pid_space,
        host_name: host_name(),
        machine: machine_id().map_or_else(String::new, |id| {
            Key::new("machine").with(id.trim().as_bytes()).hex()
        }),
    })
}

/// The id of this state directory, made once: names of machines change and collide.
fn install_id(state: &State) -> Result<String, Trouble> {
    const NAME: &str = "install-id";
    let path = state.dir().join(NAME);
    match state.read("", NAME)? {
        Some(id) if !id.trim().is_empty() => return Ok(id.trim().to_owned()),
        // A power cut came before its text was on the disk.
        Some(_) => drop(state.consume("", NAME)?),
        None => state.ensure()?,
    }
    let fresh = state.dir().join(format!(".{NAME}.{}", std::process::id()));
    let trouble = |e: std::io::Error| Trouble::at("write", &path, &e);
    std::fs::write(&fresh, super::nonce::random_hex()).map_err(trouble)?;
    // Of all who try at once, one gives it its name.
    let linked = std::fs::hard_link(&fresh, &path);
    let _ = std::fs::remove_file(&fresh);
    match state.read("", NAME)? {
        Some(id) => Ok(id.trim().to_owned()),
        None => Err(linked.err().map_or_else(
            || Trouble(format!("`{}` is gone again", path.display())),
            trouble,
        )),
    }
}

#[cfg(unix)]
fn host_name() -> String {
    let name = rustix::system::uname();
    name.nodename().to_string_lossy().into_owned()
}

#[cfg(not(unix))]
fn host_name() -> String {
    std::env::var("COMPUTERNAME").unwrap_or_default()
}

fn machine_id() -> Option<String> {
    std::fs::read_to_string("/etc/machine-id").ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_id_of_a_state_directory_is_made_once_and_again_where_it_is_empty() {
        let temp = tempfile::tempdir().unwrap();
        let state = State::at(temp.path().join("state"));
        let first = install_id(&state).unwrap();
        assert_eq!(first.len(), 32);
        assert_eq!(install_id(&state).unwrap(), first);
        std::fs::write(state.dir().join("install-id"), "").unwrap();
        let second = install_id(&state).unwrap();
        assert!(second.len() == 32 && second != first);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn this_machine_tells_the_living_from_the_dead_and_the_busy_from_the_quiet() {
        let temp = tempfile::tempdir().unwrap();
        let mut child = std::process::Command::new("sleep")
            .arg("60")
            .current_dir(temp.path())
            .spawn()
            .unwrap();
        let pid = child.id();
        assert!(matches!(Machine.process(pid), Seen::Running(_)));
        assert_eq!(Machine.inside(temp.path(), &[]), Some(1));
        assert_eq!(Machine.inside(temp.path(), &[pid]), Some(0));
        child.kill().unwrap();
        while Machine.process(pid) != Seen::Zombie {
            std::thread::yield_now();
        }
        child.wait().unwrap();
        assert_eq!(Machine.process(pid), Seen::Missing);
        assert_eq!(Crowd::now().process(pid), Seen::Missing);
        let own = std::process::id();
        assert_eq!(Crowd::now().process(own), Machine.process(own));
        assert_eq!(Machine.locks(temp.path()), Some(false));
        std::fs::write(temp.path().join("index.lock"), "").unwrap();
        assert_eq!(Machine.locks(temp.path()), Some(true));
    }
}
