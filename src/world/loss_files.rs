//! What plain programs would take away: files with work that no commit has, and whose they are.

use super::World;
use super::claims::{followed, loose};
use super::company::Seated;
use super::index::{Tracked, tracked};
use super::loss::{Work, moved, unmerged};
use super::repo::{Repo, lexical, real};
use super::scene::{Alternative, Moved};
use super::status::{Entry, Sight};
use crate::action::{Fate, Only, Place, Ruin};
use crate::policy::glob_matches;
use crate::shell::{Opaque, Word};
use std::fs;
use std::path::{Path, PathBuf};
use std::rc::Rc;

/// Most files that a pattern or a directory is followed into.
const MOST: usize = 4000;

/// Most paths that git is asked about by name; with more it is asked about their directories.
const ASKED: usize = 100;

/// What plain programs would take away.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Ruined {
    /// Nothing that counts.
    Nothing,
    /// Cannot tell, and why.
    Unknown(String),
    /// This.
    Work(Box<Taken>),
}

/// Work that would be gone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Taken {
    /// Files with edits that are neither committed nor staged.
    pub edits: Work,
    /// Files that git does not know.
    pub fresh: Work,
    /// The top of the checkout.
    pub top: PathBuf,
    /// Where the call starts, from the top; `None` where that is elsewhere.
    pub here: Option<PathBuf>,
    /// All of `edits`, from the top; `None` where not each of them was named.
    pub named: Option<Vec<String>>,
    /// The directory from which they are taken, from the top.
    pub below: String,
    /// Which of the words takes the first.
    pub word: usize,
    /// Another session claims the checkout.
    pub held: bool,
    /// The whole tree goes.
    pub tree: bool,
    /// Whether these are the files hangs on conditions that are not understood.
    pub unsure: bool,
    /// Who was seen there.
    pub seated: Seated,
}

/// How a file is meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Meant {
    /// It is named.
    Named,
    /// A pattern stands for it; `true` where it stands for all of its directory.
    Fits(bool),
    /// All that git tracks below it.
    Tracked,
}

/// A file or directory that goes.
#[derive(Debug, Clone)]
struct Target {
    path: PathBuf,
    dir: bool,
    meant: Meant,
    word: usize,
}

impl World {
    /// What `ruin` would take away at `place`.
    pub fn ruined(&self, place: &Place, ruin: &Ruin) -> Ruined {
        let targets = self.going(place, ruin);
        let only = match &ruin.fate {
            Fate::Removed { only, .. } => only.as_ref(),
            Fate::Edited | Fate::Replaced | Fate::Taken { .. } => None,
        };
        let mut unknown = None;
        for (repo, targets) in self.by_checkout(targets) {
            for alternative in &self.scene.live {
                match self.ruined_in(alternative, &repo, &targets, only) {
                    Ok(None) => {}
                    Ok(Some(taken)) => return Ruined::Work(Box::new(taken)),
                    Err(why) => unknown = Some(why),
                }
            }
        }
        unknown.map_or(Ruined::Nothing, Ruined::Unknown)
    }

    /// The files, by the checkout that they lie in; those in none are nobody's work.
    fn by_checkout(&self, targets: Vec<Target>) -> Vec<(Rc<Repo>, Vec<Target>)> {
        let mut all: Vec<(Rc<Repo>, Vec<Target>)> = Vec::new();
        for target in targets {
            let from = match target.dir {
                true => &target.path,
                false => target.path.parent().unwrap_or(&target.path),
            };
            let Some(repo) = self.found(from) else {
                continue;
            };
            if repo.made || repo.added || repo.top.is_none() {
                continue;
            }
            match all.iter_mut().find(|(known, _)| **known == *repo) {
                Some((_, list)) => list.push(target),
                None => all.push((repo, vec![target])),
            }
        }
        all
    }

    fn ruined_in(
        &self,
        alternative: &Alternative,
        repo: &Repo,
        targets: &[Target],
        only: Option<&Only>,
    ) -> Result<Option<Taken>, String> {
        let Some(top) = repo.top.as_ref().map(|top| real(top)) else {
            return Ok(None);
        };
        let (sole, seated) = self.sole_in(repo);
        let part = only.is_some_and(|only| only.unsure || !only.names.is_empty());
        let whole = |target: &Target| {
            !part
                && (target.path == top
                    || target.meant == Meant::Fits(true) && target.path.parent() == Some(&top))
        };
        let company = &self.around.company;
        let own = |path: &Path| {
            let covers = |list: &[PathBuf]| list.iter().any(|done| path.starts_with(done));
            covers(&alternative.gone) || alternative.keeps(path, true)
        };
        let counts = |target: &&Target| {
            let whole = whole(target);
            // Who is alone there minds named files and directories.
            (whole || !sole)
                && !own(&target.path)
                && (whole || target.dir || !company.wrote(&target.path))
        };
        let mut left: Vec<&Target> = targets.iter().filter(counts).collect();
        unstaged(repo, &top, &mut left);
        if left.is_empty() {
            return Ok(None);
        }
        let seen = self.status(&Sight {
            git_dir: &repo.git_dir,
            top: &top,
            dir: &top,
            untracked: match left.iter().all(|t| !t.dir && t.meant == Meant::Named) {
                true => "no",
                false => "all",
            },
            submodules: false,
            literal: true,
            paths: &asked(&left, &top),
        })?;
        let mut taken = Taken {
            edits: Work::default(),
            fresh: Work::default(),
            below: String::new(),
            named: Some(Vec::new()),
            word: 0,
            here: self.around.cwd.as_ref().and_then(|dir| {
                let dir = real(dir);
                dir.strip_prefix(&top).ok().map(Path::to_owned)
            }),
            held: self.held(repo),
            tree: left.iter().any(|target| whole(target)),
            unsure: only.is_some_and(|only| only.unsure),
            top: top.clone(),
            seated,
        };
        let put_away = |untracked: bool| {
            let steps = alternative.put_away.iter();
            steps
                .filter(|(git_dir, _)| *git_dir == repo.git_dir)
                .any(|(_, all)| *all || !untracked)
        };
        for entry in &seen.entries {
            let path = taken.top.join(&entry.path);
            let new = entry.staged == '?';
            let target = left.iter().find(|t| path.starts_with(&t.path));
            let Some(target) = target.filter(|t| lost(entry, t)) else {
                continue;
            };
            let minds = own(&path) || !whole(target) && company.wrote(&path);
            if minds || put_away(new) || !fits(only, &path, &target.path) {
                continue;
            }
            taken.add(entry, target);
        }
        if taken.edits.count == 0 && taken.fresh.count == 0 {
            return Ok(None);
        }
        match moved(alternative, repo).find(|how| *how == Moved::Commits) {
            // Named files are not worth a question.
            Some(_) if taken.named.is_some() => Ok(None),
            Some(how) => Err(how.why()),
            None => Ok(Some(taken)),
        }
    }

    /// The files and directories that are there and would go.
    fn going(&self, place: &Place, ruin: &Ruin) -> Vec<Target> {
        let mut all = Vec::new();
        for (word, path) in ruin.paths.iter().enumerate() {
            let found = expanded(place, path);
            match &ruin.fate {
                Fate::Removed { tree, only } => {
                    let removed = found.into_iter().filter_map(|(path, meant)| {
                        let path = lexical(&path);
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
                Fate::Edited => {}
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
        let contents = from.as_os_str().as_encoded_bytes().ends_with(b".");
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
            all.iter_mut().for_each(|path| path.push(part));
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

/// Drops the files that are as they were staged, and named ones that git does not know: who names an
/// untracked file may remove it.
fn unstaged(repo: &Repo, top: &Path, left: &mut Vec<&Target>) {
    let files: Vec<(&Target, &str)> = left
        .iter()
        .filter(|target| !target.dir)
        .filter_map(|t| Some((*t, t.path.strip_prefix(top).ok()?.to_str()?)))
        .take(MOST)
        .collect();
    let paths: Vec<&str> = files.iter().map(|(_, path)| *path).collect();
    let Some(told) = tracked(repo, top, &paths).filter(|_| !paths.is_empty()) else {
        return;
    };
    let idle: Vec<&Path> = files
        .iter()
        .zip(told)
        .filter(|((target, _), told)| match told {
            Tracked::Clean => true,
            Tracked::No => target.meant == Meant::Named,
            Tracked::Perhaps => false,
        })
        .map(|((target, _), _)| target.path.as_path())
        .collect();
    left.retain(|target| target.dir || !idle.contains(&target.path.as_path()));
}

/// The pathspecs that cover all targets.
fn asked(targets: &[&Target], top: &Path) -> Vec<String> {
    let many = targets.len() > ASKED;
    let mut specs: Vec<String> = targets
        .iter()
        .filter_map(|target| {
            let path = match target.path.parent().filter(|_| many) {
                Some(parent) => parent,
                None => &target.path,
            };
            path.strip_prefix(top).ok()?.to_str().map(str::to_owned)
        })
        .map(|spec| {
            if spec.is_empty() {
                ".".to_owned()
            } else {
                spec
            }
        })
        .collect();
    specs.sort();
    specs.dedup();
    specs
}

/// Whether what `entry` tells of goes with `target`.
fn lost(entry: &Entry, target: &Target) -> bool {
    match (entry.staged, entry.edited) {
        ('?', _) if target.meant == Meant::Tracked => false,
        ('?', _) => target.dir || target.meant != Meant::Named,
        (x, y) => unmerged(x, y) || !matches!(y, ' ' | 'D'),
    }
}

/// Whether `path`, below `root`, is one of those that are meant.
fn fits(only: Option<&Only>, path: &Path, root: &Path) -> bool {
    let Some(only) = only.filter(|only| !only.names.is_empty()) else {
        return true;
    };
    let below = path.strip_prefix(root).unwrap_or(path);
    let fits = |name: &str| {
        let name = name.to_lowercase();
        only.names.iter().any(|p| glob_matches(&loose(p), &name))
    };
    match only.files {
        true => below.file_name().and_then(|n| n.to_str()).is_some_and(fits),
        false => below.iter().filter_map(|n| n.to_str()).any(fits),
    }
}

impl Taken {
    fn add(&mut self, entry: &Entry, target: &Target) {
        if self.edits.count == 0 && self.fresh.count == 0 {
            self.word = target.word;
            let from = match target.dir {
                true => &target.path,
                false => target.path.parent().unwrap_or(&target.path),
            };
            let below = from.strip_prefix(&self.top).ok().and_then(Path::to_str);
            let below = below.filter(|b| !b.is_empty() && !self.tree);
            self.below = below.unwrap_or(".").to_owned();
        }
        let named = !target.dir && !unmerged(entry.staged, entry.edited) && entry.staged != '?';
        match &mut self.named {
            Some(all) if named => all.push(entry.path.clone()),
            named => *named = None,
        }
        match entry.staged {
            '?' => self.fresh.add(&entry.path),
            _ => self.edits.add(&entry.path),
        }
    }
}
