//! What stands in the directory of git's hooks: ours, a manager's, or other people's.

use serde::Serialize;
use std::path::{Path, PathBuf};

/// The hooks that matter to leaseguard.
const HOOKS: &[&str] = &["pre-commit", "prepare-commit-msg", "pre-push"];

/// The active hooks of one checkout.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct GitHooks {
    /// The directory that git looks in.
    pub dir: PathBuf,
    /// Hooks that call leaseguard.
    pub ours: Vec<String>,
    /// Managers that write hooks here.
    pub managers: Vec<&'static str>,
    /// Hooks of anybody else.
    pub foreign: Vec<String>,
}

/// Looks into `dir`; `top` is where managers keep their settings.
pub fn look(dir: PathBuf, top: &Path) -> GitHooks {
    let mut found = GitHooks::default();
    let text = |name: &str| std::fs::read(dir.join(name)).ok();
    for name in HOOKS {
        let Some(bytes) = text(name) else { continue };
        let text = String::from_utf8_lossy(&bytes);
        let by = |word: &str| text.contains(word);
        if by("leaseguard") {
            found.ours.push((*name).to_owned());
        } else if let Some(manager) = ["lefthook", "pre-commit", "prek", "overcommit"]
            .into_iter()
            .find(|manager| by(manager))
        {
            add(&mut found.managers, manager);
        } else {
            found.foreign.push((*name).to_owned());
        }
    }
    if dir.components().any(|part| part.as_os_str() == ".husky") {
        add(&mut found.managers, "husky");
    }
    let settled = ["lefthook.yml", ".lefthook.yml", "lefthook.toml"];
    if settled.iter().any(|name| top.join(name).is_file()) {
        add(&mut found.managers, "lefthook");
    }
    found.dir = dir;
    found
}

fn add(managers: &mut Vec<&'static str>, manager: &'static str) {
    if !managers.contains(&manager) {
        managers.push(manager);
    }
}
