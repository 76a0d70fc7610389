//! What stands in the directory of git's hooks: ours, a manager's, or other people's.

use crate::setup::git::{FOLDER, Git, HOOKS, MARK, blind, manager};
use crate::setup::split;
use serde::Serialize;
use std::fs;
use std::path::{Path, PathBuf};

/// How lines of ours in a hook of others begin.
const LINES: &str = "# >>> leaseguard";

/// The active hooks of one checkout.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct GitHooks {
    /// The directory that git looks in.
    pub dir: PathBuf,
    /// Hooks that call leaseguard.
    pub ours: Vec<String>,
    /// Hooks of ours that stand where git, or a manager, does not look.
    pub asleep: Vec<String>,
    /// Managers that write hooks here.
    pub managers: Vec<&'static str>,
    /// Hooks of anybody else.
    pub foreign: Vec<String>,
    /// Ours that stand in config, so that git comes to them whatever the directory holds.
    pub config: Vec<String>,
    /// Gits of this machine that pass over hooks in config, where ours stand there, in words.
    pub blind: Option<String>,
}

/// What config says of one of our hooks.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Entry {
    /// The hook.
    pub hook: String,
    /// When git runs it.
    pub event: Option<String>,
    /// What git runs.
    pub command: Option<String>,
    /// Somebody switched it off.
    pub off: bool,
}

impl Entry {
    /// Whether git, if it reads it, comes to our file.
    fn works(&self, common: &Path) -> bool {
        let file = common.join(FOLDER).join(&self.hook);
        let named = self
            .command
            .as_deref()
            .is_some_and(|command| split(command).iter().map(PathBuf::from).eq([file.clone()]));
        !self.off && self.event.as_deref() == Some(self.hook.as_str()) && named && is_ours(&file)
    }
}

/// What one checkout says of its hooks.
#[derive(Debug, Clone, Copy)]
pub struct Spot<'a> {
    /// The repository's own directory.
    pub common: &'a Path,
    /// Where managers keep their settings.
    pub top: &'a Path,
    /// What config says of ours.
    pub entries: &'a [Entry],
    /// The gits of this machine; nobody needs them where there is no entry.
    pub gits: &'a [Git],
}

/// Looks into `dir`.
pub fn look(dir: PathBuf, spot: Spot<'_>) -> GitHooks {
    let Spot { common, top, .. } = spot;
    let mut found = GitHooks::default();
    let husky = dir.ends_with(".husky/_");
    for name in HOOKS {
        let active = text(&dir.join(name));
        let by = active.as_deref().and_then(manager);
        let lines = if husky {
            dir.parent().map(|dir| dir.join(name))
        } else {
            Some(dir.join(name))
        };
        let lines = lines.and_then(|file| text(&file));
        let lines = active.is_some() && lines.is_some_and(|text| text.contains(LINES));
        let own = match by {
            Some("lefthook") => text(&top.join("lefthook-local.yml"))
                .is_some_and(|text| text.contains("leaseguard")),
            Some("pre-commit" | "prek") => is_ours(&dir.join(format!("{name}.legacy"))),
            _ => is_ours(&dir.join(name)),
        };
        let entry = spot.entries.iter().find(|entry| entry.hook == *name);
        let read = spot.gits.iter().any(Git::reads_config);
        let by_config = read && entry.is_some_and(|entry| entry.works(common));
        if by_config {
            found.config.push((*name).to_owned());
        }
        if lines || own || by_config {
            found.ours.push((*name).to_owned());
        } else if entry.is_some() || is_left(common, name) {
            found.asleep.push((*name).to_owned());
        }
        match by {
            _ if husky => {}
            Some(manager) => add(&mut found.managers, manager),
            None if active.is_some() && !lines && !own => found.foreign.push((*name).to_owned()),
            None => {}
        }
    }
    if husky {
        add(&mut found.managers, "husky");
    }
    let settled = ["lefthook.yml", ".lefthook.yml", "lefthook.toml"];
    if settled.iter().any(|name| top.join(name).is_file()) {
        add(&mut found.managers, "lefthook");
    }
    found.dir = dir;
    found.blind = blind(spot.gits).filter(|_| !found.config.is_empty());
    found
}

fn text(file: &Path) -> Option<String> {
    let bytes = fs::read(file).ok()?;
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

/// A file of ours that git would run.
fn is_ours(file: &Path) -> bool {
    runs(file) && text(file).is_some_and(|text| text.contains(MARK))
}

/// Whether an install left something of ours for this hook.
fn is_left(common: &Path, name: &str) -> bool {
    let marked = |end: &str| {
        let file = common.join("hooks").join(format!("{name}{end}"));
        text(&file).is_some_and(|text| text.contains(MARK))
    };
    ["", ".old", ".legacy"].into_iter().any(marked) || common.join(FOLDER).join(name).exists()
}

#[cfg(unix)]
fn runs(file: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    fs::metadata(file).is_ok_and(|found| found.permissions().mode() & 0o111 != 0)
}

#[cfg(not(unix))]
fn runs(file: &Path) -> bool {
    file.is_file()
}

fn add(managers: &mut Vec<&'static str>, manager: &'static str) {
    if !managers.contains(&manager) {
        managers.push(manager);
    }
}
