//! The checkouts of one repository: what is out where, and whether removing one loses work.

use super::repo::{Repo, pointer, real, under};
use super::spot::{self, Site};
use super::status::Sight;
use super::{Fact, Head, World};
use crate::action::Place;
use crate::shell::Word;
use std::fs;
use std::path::{Path, PathBuf};

/// Most linked checkouts that are looked through.
const MOST: usize = 256;

/// What is in a checkout that is not in a commit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Tree {
    /// No checkout is there yet, so none can be lost.
    None,
    /// Nothing.
    Clean,
    /// Edits or new files; one of them.
    Dirty(String),
    /// Somebody locked it, with this reason.
    Locked(String),
    /// Cannot tell, and why.
    Unknown(String),
}

impl World {
    /// A checkout of the repository at `place` that has `branch` out; `own` = this one counts too.
    pub fn checked_out(&self, place: &Place, branch: &str, own: bool) -> Fact<Option<PathBuf>> {
        let mut unknown = None;
        for alternative in &self.scene.live {
            let repo = match self.site(alternative, place) {
                Site::Here(repo) => repo,
                Site::Absent => continue,
                Site::Unknown(why) => {
                    unknown = Some(why);
                    continue;
                }
            };
            if own && spot::head(alternative, &repo) == Ok(Head::Branch(branch.to_owned())) {
                return Fact::Known(repo.top.clone());
            }
            for (other, top) in others(&repo) {
                match spot::head(alternative, &other) {
                    Ok(Head::Branch(out)) if out == branch => return Fact::Known(Some(top)),
                    Ok(_) => {}
                    Err(why) => unknown = Some(why),
                }
            }
            for (top, made) in &alternative.trees {
                let same = made.common == repo.common && made.git_dir != repo.git_dir;
                if same && spot::head(alternative, made) == Ok(Head::Branch(branch.to_owned())) {
                    return Fact::Known(Some(top.clone()));
                }
            }
        }
        unknown.map_or(Fact::Known(None), Fact::Unknown)
    }

    /// Another checkout of the repository at `place`, or where the call starts, that lies in `dir`.
    pub fn checkout_in(&self, place: &Place, dir: &Path) -> Option<PathBuf> {
        let dir = real(dir);
        // The call's own checkout counts too, wherever the script has gone.
        let start = Place {
            dir: self.around.cwd.clone(),
            ..Place::default()
        };
        let all = [place, &start].into_iter();
        let mut sites = all.flat_map(|at| self.scene.live.iter().map(move |a| self.site(a, at)));
        sites.find_map(|site| match site {
            Site::Here(repo) => {
                let tops = others(&repo).into_iter().map(|(_, top)| real(&top));
                tops.into_iter().find(|top| top.starts_with(&dir))
            }
            _ => None,
        })
    }

    /// What the linked checkout at `path` holds.
    pub fn tree(&self, place: &Place, path: &Word) -> Tree {
        let mut worst = Tree::None;
        for alternative in &self.scene.live {
            let now = match self.site(alternative, place) {
                Site::Here(repo) => self.tree_of(&repo, place, path),
                Site::Absent => Tree::None,
                Site::Unknown(why) => Tree::Unknown(why),
            };
            if now.weight() > worst.weight() {
                worst = now;
            }
        }
        worst
    }

    fn tree_of(&self, repo: &Repo, place: &Place, path: &Word) -> Tree {
        let Some(text) = path.known() else {
            return Tree::Unknown("which checkout it is, is not known".to_owned());
        };
        let absolute = match &place.dir {
            Some(dir) => Some(real(&dir.join(text))),
            None if Path::new(text).is_absolute() => Some(real(Path::new(text))),
            None => None,
        };
        let all = others(repo);
        let here = repo.top.clone().map(|top| (repo.git_dir.clone(), top));
        let known = all.iter().map(|(r, top)| (r.git_dir.clone(), top.clone()));
        let mut known: Vec<_> = known.chain(here).collect();
        let exact = known
            .iter()
            .position(|(_, top)| Some(top) == absolute.as_ref());
        // git takes the end of a path as well.
        let found = exact.or_else(|| known.iter().position(|(_, top)| top.ends_with(text)));
        let Some(found) = found else {
            return match absolute {
                Some(_) => Tree::None,
                None => Tree::Unknown("the directory is not known".to_owned()),
            };
        };
        let (git_dir, top) = known.swap_remove(found);
        if let Some(reason) = pointer(&under(&git_dir, "locked")) {
            return Tree::Locked(reason);
        }
        match self.dirty(&git_dir, &top, true) {
            Ok(None) => Tree::Clean,
            Ok(Some(path)) => Tree::Dirty(path),
            Err(why) => Tree::Unknown(why),
        }
    }

    /// All paths that a checkout has and its last commit has not; new directories end in `/`.
    pub(super) fn changed(&self, git_dir: &Path, top: &Path) -> Result<Vec<String>, String> {
        let seen = self.status(&Sight {
            git_dir,
            top,
            dir: top,
            untracked: "normal",
            submodules: true,
            literal: false,
            paths: &[],
        })?;
        if seen.cut {
            return Err("git says too much".to_owned());
        }
        Ok(seen.entries.into_iter().map(|entry| entry.path).collect())
    }

    /// What has changed in the checkout at `place` since its last commit, as paths that git takes
    /// there; new directories end in `/`.
    pub fn changes(&self, place: &Place) -> Fact<Vec<String>> {
        let Some(alternative) = self.scene.live.first() else {
            return Fact::Known(Vec::new());
        };
        let repo = match self.site(alternative, place) {
            Site::Here(repo) if !repo.made && !repo.added => repo,
            Site::Unknown(why) => return Fact::Unknown(why),
            _ => return Fact::Known(Vec::new()),
        };
        let Some(top) = &repo.top else {
            return Fact::Known(Vec::new());
        };
        let at_top = place.dir.as_deref().is_some_and(|dir| real(dir) == *top);
        match self.changed(&repo.git_dir, top) {
            Ok(paths) if at_top => Fact::Known(paths),
            // From the top, wherever it is said.
            Ok(paths) => Fact::Known(paths.iter().map(|p| format!(":/{p}")).collect()),
            Err(why) => Fact::Unknown(why),
        }
    }
}

impl World {
    /// One path in the checkout at `place` that is in no commit; `except` are links that were put
    /// there for the work, and checkouts below it are no part of it (R154).
    pub fn unsaved(&self, place: &Place, except: &[String]) -> Fact<Option<String>> {
        let Some(dirs) = self.dirs(place) else {
            return Fact::Unknown("there is no checkout".to_owned());
        };
        let seen = self.status(&Sight {
            git_dir: &dirs.git_dir,
            top: &dirs.top,
            dir: &dirs.top,
            untracked: "all",
            submodules: true,
            literal: false,
            paths: &[],
        });
        let seen = match seen {
            Ok(seen) => seen,
            Err(why) => return Fact::Unknown(why),
        };
        let nested = |path: &str| {
            let at = dirs.top.join(path);
            path.ends_with('/') && matches!(super::repo::standing(&at), super::repo::Found::Here(_))
        };
        let counts = |entry: &&super::status::Entry| {
            let linked = except.iter().any(|e| e.trim_end_matches('/') == entry.path);
            !(entry.staged == '?' && (linked || nested(&entry.path)))
        };
        let found = seen.entries.iter().find(counts);
        match found {
            None if seen.cut => Fact::Unknown("git says too much".to_owned()),
            found => Fact::Known(found.map(|entry| entry.path.clone())),
        }
    }

    /// Every checkout of the repository at `place`, this one first.
    pub fn all_checkouts(&self, place: &Place) -> Vec<super::Dirs> {
        let start = self.scene.live.first();
        let Some(Site::Here(repo)) = start.map(|a| self.site(a, place)) else {
            return Vec::new();
        };
        let dirs = |git_dir: &Path, top: &Path| super::Dirs {
            top: top.to_owned(),
            git_dir: git_dir.to_owned(),
            common: repo.common.clone(),
        };
        let own = repo.top.as_ref().map(|top| dirs(&repo.git_dir, top));
        let rest = others(&repo);
        let rest = rest.iter().map(|(r, top)| dirs(&r.git_dir, top));
        own.into_iter().chain(rest).collect()
    }
}

impl Tree {
    fn weight(&self) -> u8 {
        match self {
            Tree::None => 0,
            Tree::Clean => 1,
            Tree::Unknown(_) => 2,
            Tree::Locked(_) => 3,
            Tree::Dirty(_) => 4,
        }
    }
}

/// All checkouts but this one, with their top directories.
pub(super) fn others(repo: &Repo) -> Vec<(Repo, PathBuf)> {
    let mut found = Vec::new();
    let mut add = |git_dir: PathBuf, top: PathBuf| {
        if git_dir != repo.git_dir && fs::symlink_metadata(&top).is_ok() {
            let other = Repo {
                git_dir,
                common: repo.common.clone(),
                top: Some(top.clone()),
                ..Repo::default()
            };
            found.push((other, top));
        }
    };
    // A bare repository has nothing out.
    if repo.common.file_name().is_some_and(|n| n == ".git")
        && let Some(top) = repo.common.parent()
    {
        add(repo.common.clone(), top.to_owned());
    }
    let Ok(entries) = fs::read_dir(repo.common.join("worktrees")) else {
        return found;
    };
    for entry in entries.flatten().take(MOST) {
        let git_dir = entry.path();
        let Some(dot) = pointer(&under(&git_dir, "gitdir")) else {
            continue;
        };
        if let Some(top) = git_dir.join(dot).parent() {
            add(git_dir.clone(), real(top));
        }
    }
    found
}
