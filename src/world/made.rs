//! Directories that the script makes before git sees them.

use super::World;
use super::repo::lexical;
use crate::action::basename;
use crate::shell::{Command, Word};
use std::path::{Path, PathBuf};

/// Most directories that are kept.
const MOST: usize = 1000;

impl World {
    /// Keeps the directories that `command`, run in `dir`, may make.
    pub fn notices(&mut self, command: &Command, dir: Option<&Path>) {
        self.stirred(command);
        let Some((program, words)) = command.words.split_first() else {
            return;
        };
        let name = basename(&program.text);
        if !matches!(name, "mkdir" | "cp" | "mv" | "install") || self.made.len() > MOST {
            return;
        }
        let Some(dir) = dir else {
            return;
        };
        let plain = |w: &&Word| !w.text.starts_with('-') && w.known().is_some();
        let paths: Vec<PathBuf> = words
            .iter()
            .filter(plain)
            .map(|w| lexical(&dir.join(&w.text)))
            .collect();
        let directories = match (name, paths.split_last()) {
            ("mkdir", _) => paths,
            ("install", _) if words.iter().any(|w| w.text == "-d") => paths,
            (_, Some((to, from))) => {
                // It may be one already; then what goes in keeps its name.
                let inside = from.iter().filter_map(|f| Some(to.join(f.file_name()?)));
                let tree = from.iter().any(|f| f.is_dir() || self.made.contains(f));
                let all: Vec<PathBuf> = std::iter::once(to.clone()).chain(inside).collect();
                if tree { all } else { Vec::new() }
            }
            _ => Vec::new(),
        };
        self.made.extend(directories);
    }

    /// Whether the script may have made a directory at `path`, or below it.
    pub(super) fn made_directory(&self, dir: &Path, path: &str) -> bool {
        if self.made.is_empty() {
            return false;
        }
        let full = lexical(&dir.join(path));
        self.made.iter().any(|made| made.starts_with(&full))
    }
}
