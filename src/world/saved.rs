//! What the script itself keeps, or takes away for good, before a later command would: nobody loses it twice.

use super::World;
use super::repo::lexical;
use super::scene::{Alternative, Copied};
use crate::action::{Act, Action, Fate, Place, Pointed, Ruin, Stage};
use crate::shell::{Command, RedirectKind, Stdin, Word};
use std::path::{Path, PathBuf};

/// Most words of a command that are taken for files that it reads.
const SOURCES: usize = 16;

/// Programs beside git that change no file but those that they name.
#[rustfmt::skip]
const QUIET: &[&str] = &[
    "", ":", "[", "cat", "cd", "cp", "diff", "echo", "export", "git", "grep", "head", "ls", "mkdir",
    "mv", "printf", "pwd", "rm", "set", "tail", "test", "true", "wc",
];

/// How many redirects of one command are followed.
const REDIRECTS: usize = 1000;

impl World {
    /// What an earlier copy holds is not known any more once a program of its own mind runs.
    pub(super) fn stirred(&mut self, command: &Command) {
        let program = command.words.first().map_or("", |word| word.text.as_str());
        if QUIET
            .binary_search(&crate::action::basename(program))
            .is_err()
        {
            self.scene.each_if(Alternative::holds, |now| {
                now.staged.clear();
                now.copied.clear();
                now.shelved.clear();
            });
        }
    }

    /// Moves on what is kept and what is gone; `checked` tells that what follows runs only where the
    /// command succeeded.
    pub(super) fn keeps(&mut self, action: &Action, checked: bool) {
        let place = &action.place;
        match &action.act {
            Act::Ruin(ruin) => self.ruins(ruin, place, checked),
            Act::Stage(stage) if checked && plain_git(place) => {
                let paths = self.staged(stage, action);
                self.scene.each_if(
                    |_| !paths.is_empty(),
                    |now| now.staged.extend(paths.iter().cloned()),
                );
            }
            // What is staged, or lies beside the work, is not where it was.
            Act::Discard(_) | Act::Stash { .. } | Act::Reset { .. } | Act::Switch(_) => {
                self.scene.each_if(Alternative::holds, |now| {
                    now.staged.clear();
                    now.copied.retain(|copy| copy.outside);
                });
                if let Act::Stash {
                    verb,
                    paths,
                    untracked,
                    ..
                } = &action.act
                {
                    self.shelves(verb, paths, *untracked, place, checked);
                }
            }
            _ => {}
        }
    }

    /// What a stash takes or gives back.
    fn shelves(&mut self, verb: &str, paths: &[Word], new: bool, place: &Place, checked: bool) {
        if verb != "push" {
            return self.scene.each(|now| {
                now.shelved.clear();
                now.gone.clear();
            });
        }
        let plain = |word: &&Word| !word.text.starts_with(':');
        let paths = paths.iter().filter(plain);
        let paths = paths.filter_map(|w| self.named(place, w));
        let paths: Vec<PathBuf> = paths.filter(|path| new || path.is_file()).collect();
        self.scene.each_if(
            |_| checked && plain_git(place) && !paths.is_empty(),
            |now| now.shelved.extend(paths.iter().cloned()),
        );
    }

    fn ruins(&mut self, ruin: &Ruin, place: &Place, checked: bool) {
        let paths = || -> Vec<PathBuf> {
            let all = ruin.paths.iter().filter_map(|w| self.named(place, w));
            all.collect()
        };
        let mut copy = None;
        let gone: Vec<PathBuf> = match &ruin.fate {
            Fate::Made | Fate::Removed { only: Some(_), .. } => return,
            Fate::Edited => {
                let paths = paths();
                return self
                    .scene
                    .each_if(Alternative::holds, |now| now.overwritten(&paths));
            }
            Fate::Removed {
                tree: true,
                only: None,
            } => paths(),
            // A directory stays as it is.
            Fate::Removed { .. } | Fate::Replaced => {
                let mut paths = paths();
                paths.retain(|path| !path.is_dir());
                paths
            }
            Fate::Taken { to, into, moves } => {
                let Some(to) = self.named(place, to) else {
                    return;
                };
                let paths = paths();
                let into = *into || to.is_dir();
                let arrive = paths.iter().filter_map(|from| match into {
                    true => from.file_name().map(|name| to.join(name)),
                    false => Some(to.clone()),
                });
                let mut arrive: Vec<PathBuf> = arrive.filter(|path| !path.is_dir()).collect();
                match (ruin.paths.as_slice(), paths.as_slice(), arrive.as_slice()) {
                    _ if *moves => arrive.extend(paths),
                    ([_], [from], [to]) if checked && from.is_file() => {
                        copy = Some(self.copied(from, to));
                    }
                    _ => {}
                }
                arrive
            }
        };
        self.scene.each_if(
            |_| !gone.is_empty(),
            |now| {
                now.overwritten(&gone);
                now.gone.extend(gone.iter().cloned());
                now.copied.extend(copy.iter().cloned());
            },
        );
    }

    fn copied(&self, from: &Path, to: &Path) -> Copied {
        Copied {
            from: from.to_owned(),
            to: to.to_owned(),
            // A checkout may be cleaned, and what lies outside of all of them stays.
            outside: to.parent().is_some_and(|dir| self.found(dir).is_none()),
        }
    }

    /// Moves the scene on: the files that redirects of `command` fill are this call's own.
    pub fn filled(&mut self, command: &Command, dir: Option<&Path>) {
        // With more of them a person is asked anyway.
        for redirect in command.redirects.iter().take(REDIRECTS) {
            let text = redirect.target.text.as_str();
            if redirect.kind == RedirectKind::Read || text.starts_with("/dev/") {
                continue;
            }
            let Some(text) = redirect.target.known() else {
                continue;
            };
            // Where it lies in the end is looked up only when somebody asks.
            let path = match dir {
                Some(dir) => dir.join(text),
                None => PathBuf::from(text),
            };
            let whole = redirect.kind == RedirectKind::Write;
            let made: Vec<(PathBuf, PathBuf)> = match (whole, dir) {
                (true, Some(dir)) => sources(command, dir)
                    .into_iter()
                    .map(|from| (from, lexical(&path)))
                    .collect(),
                _ => Vec::new(),
            };
            self.scene.each(|now| {
                if now.holds() {
                    now.overwritten(&[lexical(&path)]);
                }
                now.derived.extend(made.iter().cloned());
                if !now.wrote.contains(&path) {
                    now.wrote.push(path.clone());
                }
            });
        }
    }

    /// The paths whose files the index holds from here on, those that are ignored left out.
    fn staged(&self, stage: &Stage, action: &Action) -> Vec<PathBuf> {
        let promise = |word: &str| {
            word.starts_with("--int")
                || !word.starts_with("--") && word.starts_with('-') && word.contains('N')
        };
        let adds = matches!(stage.verb.as_str(), "add" | "stage");
        let part = stage.chosen.is_some() || stage.from_file.is_some() || stage.update.is_some();
        if !adds || part || stage.dry_run || stage.sweeping.is_some() {
            return Vec::new();
        }
        if action.shown.split(' ').any(promise) {
            return Vec::new();
        }
        let plain = |word: &&Word| !word.glob && !word.text.starts_with(':');
        let paths = stage.paths.iter().filter(plain);
        paths
            .filter_map(|word| self.named(&action.place, word))
            .collect()
    }

    /// The path that `word` names, if it is known.
    fn named(&self, place: &Place, word: &Word) -> Option<PathBuf> {
        let text = word.known().filter(|text| !text.is_empty() && !word.glob)?;
        let full = match &place.dir {
            Some(dir) => dir.join(text),
            None => PathBuf::from(text),
        };
        full.is_absolute().then(|| self.lexical.at(&full, lexical))
    }
}

impl Alternative {
    /// Whether anything is known of what the script keeps.
    fn holds(&self) -> bool {
        !self.staged.is_empty() || !self.copied.is_empty() || !self.shelved.is_empty()
    }

    /// These files hold something else now, or nothing.
    fn overwritten(&mut self, paths: &[PathBuf]) {
        let hit = |kept: &Path| {
            let meets = |path: &PathBuf| path.starts_with(kept) || kept.starts_with(path);
            paths.iter().any(meets)
        };
        self.staged.retain(|kept| !hit(kept));
        self.shelved.retain(|kept| !hit(kept));
        self.copied
            .retain(|copy| !hit(&copy.from) && !hit(&copy.to));
    }

    /// Whether a copy of what is at `path` stays; with `index`, what is staged counts as one.
    pub(super) fn keeps(&self, path: &Path, index: bool) -> bool {
        let covers = |list: &[PathBuf]| list.iter().any(|kept| path.starts_with(kept));
        self.copied.iter().any(|copy| path == copy.from)
            || covers(&self.shelved)
            || index && covers(&self.staged)
    }
}

/// The files that `command` names, or reads as its input.
fn sources(command: &Command, dir: &Path) -> Vec<PathBuf> {
    let input = match &command.stdin {
        Stdin::File(path) => Some(path),
        _ => None,
    };
    let words = command.words.iter().skip(1).take(SOURCES).chain(input);
    let paths = words.filter_map(|w| w.known().filter(|t| !t.is_empty() && !t.starts_with('-')));
    let paths = paths
        .map(|text| dir.join(text))
        .filter(|path| path.is_file());
    paths.map(|path| lexical(&path)).collect()
}

/// git works where it is found, with its own index.
fn plain_git(place: &Place) -> bool {
    place.git_dir == Pointed::Found
        && place.work_tree == Pointed::Found
        && !place.env.iter().any(|(name, _)| name.starts_with("GIT_"))
}
