//! What plain programs would take away: files with work that no commit has, and whose they are.

use super::World;
use super::company::Seated;
use super::going::{MOST, Meant, Target};
use super::index::{Tracked, tracked};
use super::loss::{Work, moved, unmerged};
use super::paths::loose;
use super::repo::{Repo, real};
use super::scene::{Alternative, Moved};
use super::status::{Entry, Sight};
use crate::action::{Fate, Only, Place, Ruin};
use crate::policy::glob_matches;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::rc::Rc;

/// Most paths that git is asked about by name; with more it is asked about their directories.
const ASKED: usize = 100;

/// Directories that tools fill by themselves, whether git ignores them or not.
#[rustfmt::skip]
const REMADE: &[&str] = &[
    "__pycache__", ".gradle", ".mypy_cache", ".next", ".nyc_output", ".pytest_cache", ".ruff_cache",
    ".tox", ".turbo", "node_modules",
];

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

impl World {
    /// What `ruin` would take away at `place`.
    pub fn ruined(&self, place: &Place, ruin: &Ruin) -> Ruined {
        let targets = self.going(place, ruin);
        let only = match &ruin.fate {
            Fate::Removed { only, .. } => only.as_ref(),
            Fate::Made | Fate::Edited | Fate::Replaced | Fate::Taken { .. } => None,
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
            let parent = target.path.parent().unwrap_or(&target.path);
            let from = match target.dir && target.path.join(".git").exists() {
                true => &target.path,
                false => parent,
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
        let many = targets.len() > ASKED;
        let counts = |target: &&Target| {
            let whole = whole(target);
            // Who is alone there minds named files and directories.
            (whole || !sole)
                && !own(&target.path)
                && (many || whole || target.dir || !company.wrote(&target.path, &top))
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
        let by_path: BTreeMap<&Path, &Target> =
            left.iter().map(|t| (t.path.as_path(), *t)).collect();
        for entry in &seen.entries {
            let path = taken.top.join(&entry.path);
            let new = entry.staged == '?';
            let target = path.ancestors().find_map(|up| by_path.get(up));
            let Some(target) = target.filter(|t| lost(entry, t)) else {
                continue;
            };
            let minds = own(&path)
                || !whole(target) && (company.wrote(&path, &top) || new && remade(&entry.path));
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
    let idle: BTreeSet<&Path> = files
        .iter()
        .zip(told)
        .filter(|((target, _), told)| match told {
            Tracked::Clean => true,
            Tracked::No => target.meant == Meant::Named,
            Tracked::Perhaps => false,
        })
        .map(|((target, _), _)| target.path.as_path())
        .collect();
    left.retain(|target| target.dir || !idle.contains(target.path.as_path()));
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

/// Whether a new file lies in a directory that tools fill, and fill again.
fn remade(path: &str) -> bool {
    path.split('/').any(|name| REMADE.contains(&name))
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
