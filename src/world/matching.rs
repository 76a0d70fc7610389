//! Checkouts that a pattern in a path stands for, as the directory that it searches tells.

use super::World;
use super::checkouts::others;
use super::paths::{ends_wild, known_part};
use super::repo::real;
use crate::action::Place;
use crate::policy::glob_matches;
use crate::shell::Word;
use std::fs;
use std::path::{Path, PathBuf};

impl World {
    /// Whether whole checkouts, of whichever repository, fit the pattern at the end of `path`.
    pub fn matches_checkouts(&self, place: &Place, path: &Word) -> bool {
        let Some((known, Some(pattern))) = known_part(place, path).filter(|_| ends_wild(path))
        else {
            return false;
        };
        let dir = real(&known);
        let Some(repo) = self.found(&dir) else {
            return !tops_in(&dir, &pattern).is_empty();
        };
        let mut tops = others(&repo).into_iter().map(|(_, top)| real(&top));
        tops.any(|top| {
            let below = top.strip_prefix(&dir).ok();
            let name = below.and_then(|below| below.iter().next()?.to_str());
            name.is_some_and(|name| fits(&pattern, name))
        })
    }
}

/// As the shell does it: wildcards do not stand for a leading dot.
fn fits(pattern: &str, name: &str) -> bool {
    name.starts_with('.') == pattern.starts_with('.') && glob_matches(pattern, name)
}

/// The directories right in `dir` whose names fit `pattern` and that have a `.git`.
pub(super) fn tops_in(dir: &Path, pattern: &str) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(dir) else {
        return Vec::new();
    };
    let named = |entry: &fs::DirEntry| {
        let name = entry.file_name();
        name.to_str().is_some_and(|name| fits(pattern, name))
    };
    let tops = entries.flatten().filter(named).map(|entry| entry.path());
    tops.filter(|top| fs::symlink_metadata(top.join(".git")).is_ok())
        .collect()
}
