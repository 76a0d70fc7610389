//! Commands that stand in a build file, as `npm run` and `make` run them.

use super::state::joined;
use super::value::{Args, Content};
use super::walk::Walker;
use super::{Command, Source, Word};
use std::path::{Path, PathBuf};

/// Where a build program finds its commands.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Recipe {
    /// The names that its file may have; the first that is there counts.
    pub files: Vec<String>,
    /// Directories above are searched too, and the commands run where the file is.
    pub upward: bool,
    /// The directory that it changes to first.
    pub dir: Option<Word>,
    /// What it reads where there is no such file.
    pub text: Option<String>,
}

/// Directories above are looked at so far.
const UPWARD: usize = 32;

/// More texts than this are not followed.
const MOST: usize = 4_096;

/// How much of build files is followed in one call, as [`Walker::spend`] counts.
pub(super) const FUEL: u64 = 300_000;

/// A build file.
pub(super) struct Found {
    file: PathBuf,
    dir: PathBuf,
    text: String,
}

impl Walker<'_> {
    /// The build files that `command` may read; none where it is no build program, or where what it
    /// would read is not known: then nothing is known of its commands either.
    pub(super) fn recipes(&mut self, command: &Command) -> Vec<Found> {
        let Some(recipe) = self.wrappers.recipe(command) else {
            return Vec::new();
        };
        let [Some(dir)] = self.state.dirs.as_slice() else {
            return Vec::new();
        };
        let dir = match &recipe.dir {
            None => Some(dir.clone()),
            Some(word) => word.known().and_then(|text| joined(Some(dir), text)),
        };
        let Some(dir) = dir else {
            return Vec::new();
        };
        let levels = if recipe.upward { UPWARD } else { 1 };
        for at in dir.ancestors().take(levels) {
            for name in &recipe.files {
                let file = at.join(name);
                let texts = self.build_file(&file);
                if texts.is_empty() {
                    continue;
                }
                let at = if recipe.upward { at } else { &dir };
                let found = |text| Found {
                    file: file.clone(),
                    dir: at.to_owned(),
                    text,
                };
                return texts.into_iter().map(found).collect();
            }
        }
        let given = |text| Found {
            file: PathBuf::from("-"),
            dir,
            text,
        };
        recipe.text.map(given).into_iter().collect()
    }

    /// What the file may hold: what this call wrote, else what is on disk.
    fn build_file(&self, file: &Path) -> Vec<String> {
        let written = self.state.files.get(file).cloned();
        let contents = written.unwrap_or_else(|| vec![Content::Disk]);
        let text = |content| match content {
            Content::Text(text) => Some(text.to_string()),
            // What is not known yet is most likely what was there before, a little changed.
            _ => match self.files.script(file, false) {
                Source::Shell(text) => Some(text),
                Source::None | Source::Unreadable => None,
            },
        };
        let mut texts: Vec<String> = contents.into_iter().filter_map(text).collect();
        texts.dedup();
        texts
    }

    /// Runs what `command` runs of a build file.
    pub(super) fn run_recipe(&mut self, command: &Command, found: &Found) {
        let outer = (!self.in_recipe).then(|| {
            let outer = (self.fuel, self.spent);
            (self.fuel, self.spent, self.in_recipe) = (self.recipes, false, true);
            outer
        });
        // Taking a large file apart again and again is work as well.
        if self.spend(1 + found.text.len() as u64 / 16) {
            self.run_lines(command, found);
        }
        if let Some((fuel, spent)) = outer {
            self.recipes = self.fuel;
            (self.fuel, self.spent, self.in_recipe) = (fuel, spent, false);
        }
    }

    fn run_lines(&mut self, command: &Command, found: &Found) {
        let lines = self.wrappers.lines(command, &found.text);
        let here = self.state.dirs.first().and_then(Option::as_deref);
        let below = here.and_then(|here| found.file.strip_prefix(here).ok());
        let file = Word {
            text: below.unwrap_or(&found.file).to_string_lossy().into_owned(),
            span: command.span,
            ..Word::default()
        };
        let dir = Word {
            text: found.dir.to_string_lossy().into_owned(),
            ..Word::default()
        };
        self.environment(&command.assigns, &[], |w| {
            w.elsewhere(Some(dir), |w| {
                for line in lines.into_iter().take(MOST) {
                    w.text_apart(&line, command.span, Args::of(&[]), Some(&file));
                }
            });
        });
    }
}
