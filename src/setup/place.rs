//! Where things are on this machine: settings files, host programs, this program.

use super::Scope;
use crate::host::Host;
use crate::host::setup::{Owner, Setup};
use std::path::{Path, PathBuf};

/// Files in TOML that a host reads hooks from besides the JSON file in the same directory.
const TOML: &[(&str, &str)] = &[("codex", "config.toml")];

/// Hosts whose settings may hold comments; every other reads plain JSON, where one comment costs
/// the whole file.
const COMMENTS: &[&str] = &["gemini", "qwen"];

/// What the places depend on; read once.
#[derive(Debug, Clone)]
pub struct Around {
    /// The home directory.
    pub home: Option<PathBuf>,
    /// The variables of hosts that are set, with their directories.
    pub variables: Vec<(&'static str, PathBuf)>,
    /// The directories of PATH.
    pub path: Vec<PathBuf>,
    /// The top of the checkout, if there is one.
    pub top: Option<PathBuf>,
    /// This program; `Err` says why it cannot be named.
    pub program: Result<Program, String>,
}

/// This program as it is written into settings.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Program {
    /// The absolute path that stays the same after an upgrade.
    pub path: String,
    /// Why that path may be gone tomorrow, if so.
    pub fleeting: Option<String>,
}

impl Around {
    /// The surroundings of this process, in the checkout at `top`.
    pub fn of_process(top: Option<PathBuf>) -> Around {
        let var = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty());
        let setups = crate::host::ALL
            .iter()
            .filter_map(|host| host.setup.as_ref());
        let variables = setups
            .filter_map(|setup| setup.user.variable)
            .filter_map(|name| {
                let dir = PathBuf::from(var(name)?);
                Some((name, std::path::absolute(dir).ok()?))
            })
            .collect();
        let path: Vec<PathBuf> = var("PATH")
            .map(|path| std::env::split_paths(&path).collect())
            .unwrap_or_default();
        Around {
            home: var("HOME")
                .or_else(|| var("USERPROFILE"))
                .map(PathBuf::from)
                .filter(|home| home.is_absolute()),
            variables,
            program: program(&path),
            path,
            top,
        }
    }

    /// Whether the host seems to be in use here.
    pub fn uses(&self, host: &Host) -> bool {
        let Some(setup) = &host.setup else {
            return false;
        };
        let runs = |name: &&str| {
            let names = [
                (*name).to_owned(),
                format!("{name}.exe"),
                format!("{name}.cmd"),
            ];
            self.path
                .iter()
                .any(|dir| names.iter().any(|name| dir.join(name).is_file()))
        };
        if setup.programs.iter().any(runs) {
            return true;
        }
        let Some((dir, named)) = self.user_dir(setup) else {
            return false;
        };
        // A directory of all programs says nothing; that of the host below it does.
        if setup.user.dir == ".config" {
            let own = Path::new(setup.user.file).components().next();
            return own.is_some_and(|own| dir.join(own).is_dir());
        }
        named || dir.is_dir()
    }

    /// The directory of a user's settings, and whether a variable names it.
    fn user_dir(&self, setup: &Setup) -> Option<(PathBuf, bool)> {
        let named = setup
            .user
            .variable
            .and_then(|name| self.variables.iter().find(|(known, _)| *known == name));
        match named {
            Some((_, dir)) => Some((dir.clone(), true)),
            None => Some((self.home.as_ref()?.join(setup.user.dir), false)),
        }
    }

    /// The files in which the host may be connected, the usual one first.
    pub(super) fn files(&self, host: &Host, scope: Scope) -> Vec<PathBuf> {
        let Some(setup) = &host.setup else {
            return Vec::new();
        };
        let (dir, place) = match scope {
            Scope::User => (self.user_dir(setup).map(|(dir, _)| dir), setup.user),
            Scope::Project => {
                let dir = self.top.as_ref().map(|top| top.join(setup.project.dir));
                (dir, setup.project)
            }
        };
        let Some(dir) = dir else {
            return Vec::new();
        };
        let mut files = vec![dir.join(place.file)];
        if setup.owner == Owner::Shared {
            let toml = TOML.iter().filter(|(name, _)| *name == host.name);
            files.extend(toml.map(|(_, file)| dir.join(file)));
        }
        files
    }
}

/// Whether the host reads comments.
pub fn reads_comments(host: &Host) -> bool {
    COMMENTS.contains(&host.name)
}

/// Whether both paths lead to one file.
pub(super) fn same_file(a: &Path, b: &Path) -> bool {
    match (std::fs::canonicalize(a), std::fs::canonicalize(b)) {
        (Ok(a), Ok(b)) => a == b,
        _ => false,
    }
}

/// This program: by the name under which PATH finds it, because an upgrade keeps that name.
fn program(path: &[PathBuf]) -> Result<Program, String> {
    let unknown = || "the path of this program is unknown".to_owned();
    let real = std::env::current_exe()
        .and_then(std::fs::canonicalize)
        .map_err(|_| unknown())?;
    let name = real.file_name().ok_or_else(unknown)?;
    let on_path = path
        .iter()
        .filter(|dir| dir.is_absolute())
        .map(|dir| dir.join(name))
        .find(|candidate| same_file(candidate, &real));
    let stable = on_path.unwrap_or_else(|| real.clone());
    let text = stable.to_str().filter(|t| !t.contains(char::is_control));
    Ok(Program {
        path: text
            .ok_or("the path of this program is not valid UTF-8, or holds control characters")?
            .to_owned(),
        fleeting: fleeting(&real),
    })
}

fn fleeting(real: &Path) -> Option<String> {
    let built = real
        .ancestors()
        .skip(1)
        .any(|dir| dir.join("CACHEDIR.TAG").is_file());
    let temp = std::fs::canonicalize(std::env::temp_dir()).ok();
    let temporary = temp.is_some_and(|temp| real.starts_with(temp))
        || ["/tmp", "/var/tmp", "/dev/shm"]
            .iter()
            .any(|dir| real.starts_with(dir));
    let why = match (built, temporary) {
        (true, _) => "lies in a build directory",
        (_, true) => "lies in a directory for temporary files",
        _ => return None,
    };
    Some(format!(
        "`{}` {why}: once it is gone no call is guarded; `cargo install --path .` gives it a lasting place",
        real.display()
    ))
}
