//! The files and directories that a plain program would take away, as they are on disk.

use super::World;
use super::paths::{followed, loose};
use super::repo::{lexical, real};
use super::scene::Alternative;
use crate::action::{Fate, Place, Ruin};
use crate::policy::glob_matches;
use crate::shell::{Opaque, Word};
use std::fs;
use std::path::{Path, PathBuf};
use std::rc::Rc;

/// Most files that a pattern or a directory is followed into.
pub(super) const MOST: usize = 4000;

/// How a file is meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Meant {
    /// It is named.
    Named,
    /// A pattern stands for it; `true` where it stands for all of its directory.
    Fits(bool),
    /// All that git tracks below it.
    Tracked,
}

/// A file or directory that goes.
#[derive(Debug, Clone)]
pub(super) struct Target {
    pub(super) path: PathBuf,
    pub(super) dir: bool,
    pub(super) meant: Meant,
    pub(super) word: usize,
}

impl World {
    /// The files and directories that are there and would go.
    pub(super) fn going(&self, place: &Place, ruin: &Ruin) -> Vec<Target> {
        let mut all = Vec::new();
        for (word, path) in ruin.paths.iter().enumerate() {
            let found = expanded(place, path);
            match &ruin.fate {
                Fate::Removed { tree, only } => {
                    let removed = found.into_iter().filter_map(|(path, meant)| {
                        let path = match meant {
                            Meant::Named => lexical(&path),
                            Meant::Fits(_) | Meant::Tracked => path,
                        };
                        let dir = fs::symlink_metadata(&path).ok()?.is_dir();
                        // Whole checkouts that `rm` takes are another law's.
                        let root = only.is_none() && path.join(".git").exists();
                        (!dir || *tree && !root).then_some(Target {
                            path,
                            dir,
                            meant,
                            word,
                        })
                    });
                    all.extend(removed);
                }
                Fate::Made | Fate::Edited => {}
                Fate::Replaced => {
                    let paths = found.into_iter().map(|(path, _)| path);
                    all.extend(paths.filter_map(|path| replaced(&path, word)));
                }
                Fate::Taken { to, into, moves } => {
                    let Some((to, _)) = expanded(place, to).into_iter().next() else {
                        continue;
                    };
                    let into = *into || to.is_dir();
                    if found.is_empty() && !into {
                        all.extend(replaced(&to, word));
                    }
                    for (from, meant) in found {
                        self.transfer(&from, meant, (&to, into), *moves, word, &mut all);
                    }
                }
            }
        }
        if ruin.listed
            && let Some(dir) = &place.dir
        {
            all.push(Target {
                path: real(dir),
                dir: true,
                meant: Meant::Tracked,
                word: 0,
            });
        }
        all
    }

    /// `from` is copied or moved.
    fn transfer(
        &self,
        from: &Path,
        meant: Meant,
        (to, into): (&Path, bool),
        moves: bool,
        word: usize,
        all: &mut Vec<Target>,
    ) {
        let contents = from.as_os_str().as_encoded_bytes().ends_with(b"/.");
        let place = match from.file_name().filter(|_| into && !contents) {
            Some(name) => to.join(name),
            None => to.to_owned(),
        };
        let (here, there) = (lexical(from), lexical(&place));
        // `sed … f >tmp && mv tmp f` changes a file as `sed -i` does.
        let edits = |now: &Rc<Alternative>| now.derived.contains(&(there.clone(), here.clone()));
        if here == there || moves && self.scene.live.iter().all(edits) {
            return;
        }
        if from.is_dir() {
            overlaid(from, &place, word, all);
        } else {
            all.extend(replaced(&place, word));
        }
        let from = lexical(from);
        let top = |path: &Path| self.found(path).and_then(|repo| repo.top.clone());
        let parent = |path: &Path| path.parent().map(Path::to_owned).unwrap_or_default();
        let Ok(meta) = fs::symlink_metadata(&from) else {
            return;
        };
        // What stays in the checkout is not lost; whole checkouts are another law's.
        if moves && top(&parent(&from)) != top(&existing(&place)) && !from.join(".git").exists() {
            all.push(Target {
                path: from,
                dir: meta.is_dir(),
                meant,
                word,
            });
        }
    }
}

/// The deepest directory on the way to `path` that is there.
fn existing(path: &Path) -> PathBuf {
    let found = path.ancestors().skip(1).find(|up| up.is_dir());
    found.unwrap_or(path).to_owned()
}

/// A file that another takes the place of.
fn replaced(path: &Path, word: usize) -> Option<Target> {
    let meta = fs::metadata(path).ok()?;
    // An empty one has nothing to lose, and a device nothing to keep.
    (meta.is_file() && meta.len() > 0).then(|| Target {
        path: followed(path),
        dir: false,
        meant: Meant::Named,
        word,
    })
}

/// The files below `to` that have the names of those below `from`.
fn overlaid(from: &Path, to: &Path, word: usize, all: &mut Vec<Target>) {
    if !to.is_dir() || all.len() >= MOST {
        return;
    }
    let Ok(entries) = fs::read_dir(from) else {
        return;
    };
    for entry in entries.flatten().take(MOST) {
        let (name, to) = (entry.file_name(), to.join(entry.file_name()));
        match entry.file_type() {
            Ok(kind) if kind.is_dir() && name != ".git" => {
                overlaid(&entry.path(), &to, word, all);
            }
            _ => all.extend(replaced(&to, word)),
        }
    }
}

/// The paths that a word stands for; none where it is not known before the run.
fn expanded(place: &Place, word: &Word) -> Vec<(PathBuf, Meant)> {
    let text = word.text.as_str();
    let base = match &place.dir {
        _ if text.starts_with('/') => PathBuf::from("/"),
        Some(dir) => dir.clone(),
        None => return Vec::new(),
    };
    if word.opaque != Opaque::No || text.is_empty() {
        return Vec::new();
    }
    let wild = |part: &str| word.glob && part.contains(['*', '?', '[']);
    if !text.split('/').any(wild) {
        return vec![(base.join(text), Meant::Named)];
    }
    let mut all = vec![base];
    let mut whole = false;
    for part in text.split('/').filter(|part| !matches!(*part, "" | ".")) {
        if !wild(part) {
            all.iter_mut()
                .for_each(|path| *path = lexical(&path.join(part)));
            all.retain(|path| path.symlink_metadata().is_ok());
            whole = false;
            continue;
        }
        whole = part.bytes().all(|b| b == b'*');
        let pattern = loose(part);
        let mut next = Vec::new();
        for dir in &all {
            let entries = fs::read_dir(dir).into_iter().flatten().flatten();
            let names = entries.filter_map(|entry| entry.file_name().into_string().ok());
            // A wildcard does not stand for a leading dot.
            let fits = |name: &String| {
                part.starts_with('.') == name.starts_with('.') && glob_matches(&pattern, name)
            };
            let dir = real(dir);
            next.extend(names.filter(fits).map(|name| dir.join(name)));
            next.truncate(MOST);
        }
        next.sort();
        all = next;
    }
    all.into_iter()
        .map(|path| (path, Meant::Fits(whole)))
        .collect()
}
