//! The state that a script has reached: one or a few alternatives, each a set of changes over disk.

use super::repo::{Disk, Found, Repo, real};
use super::settings::{Change, Settings, Sources};
use super::{Head, Surroundings};
use crate::action::{Place, Pointed};
use std::path::{Path, PathBuf};
use std::rc::Rc;

/// Most alternatives that are kept apart.
const ALTERNATIVES_MAX: usize = 8;

/// Why a fact is unknown after too many alternatives met.
const TOO_MANY: &str = "the script can take too many ways";

/// Why there are no facts where there is no repository.
pub(super) const NO_REPOSITORY: &str = "there is no git repository";

/// Whom a change of config concerns.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Reach {
    Everywhere,
    /// All checkouts of the repository with this common directory.
    Repository(PathBuf),
    /// The checkout with this git directory.
    Checkout(PathBuf),
}

/// `HEAD` of one checkout.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct HeadNow {
    pub(super) now: Result<Head, String>,
    /// What `-` means.
    pub(super) before: Option<Head>,
}

/// One way in which things can stand at this point.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Alternative {
    /// By git directory.
    pub(super) heads: Vec<(PathBuf, HeadNow)>,
    /// By common directory: a full ref, and whether it exists.
    pub(super) refs: Vec<(PathBuf, String, Result<bool, String>)>,
    /// Branches that were renamed, by common directory, in order.
    pub(super) renames: Vec<(PathBuf, String, String)>,
    /// Common directories in which any ref may have changed.
    pub(super) lost_refs: Vec<(PathBuf, String)>,
    pub(super) config: Vec<(Reach, Change)>,
    /// Repositories and checkouts that the script made, by top directory.
    pub(super) trees: Vec<(PathBuf, Rc<Repo>)>,
    /// A repository was made where we cannot tell.
    pub(super) made_somewhere: bool,
    /// Files that the script wrote.
    pub(super) written: Vec<PathBuf>,
    /// `HEAD` of any checkout may have changed, and why.
    pub(super) lost_heads: Option<String>,
}

/// All alternatives, and the forks that are open.
#[derive(Debug)]
pub(super) struct Scene {
    pub(super) live: Vec<Rc<Alternative>>,
    forks: Vec<Fork>,
}

#[derive(Debug)]
struct Fork {
    start: Vec<Rc<Alternative>>,
    done: Vec<Rc<Alternative>>,
}

impl Default for Scene {
    fn default() -> Scene {
        Scene {
            live: vec![Rc::default()],
            forks: Vec::new(),
        }
    }
}

impl Scene {
    pub(super) fn fork(&mut self) {
        self.forks.push(Fork {
            start: self.live.clone(),
            done: Vec::new(),
        });
    }

    pub(super) fn or(&mut self) {
        if let Some(fork) = self.forks.last_mut() {
            fork.done.append(&mut self.live);
            self.live.clone_from(&fork.start);
            Scene::bound(&mut fork.done);
        }
    }

    pub(super) fn join(&mut self) {
        if let Some(mut fork) = self.forks.pop() {
            fork.done.append(&mut self.live);
            self.live = fork.done;
            self.settle();
        }
    }

    pub(super) fn end(&mut self) {
        self.live.clear();
    }

    /// Drops doubles and keeps the number small.
    pub(super) fn settle(&mut self) {
        Scene::bound(&mut self.live);
    }

    fn bound(list: &mut Vec<Rc<Alternative>>) {
        let mut kept: Vec<Rc<Alternative>> = Vec::new();
        for one in list.drain(..) {
            if !kept.iter().any(|k| Rc::ptr_eq(k, &one) || **k == *one) {
                kept.push(one);
            }
        }
        if kept.len() > ALTERNATIVES_MAX {
            kept = vec![Rc::new(blur(&kept))];
        }
        *list = kept;
    }
}

/// One alternative that claims only what all of them agree on.
fn blur(all: &[Rc<Alternative>]) -> Alternative {
    let mut out = Alternative::default();
    let unknown = TOO_MANY.to_owned();
    for one in all {
        for (dir, head) in &one.heads {
            if out.heads.iter().any(|(d, _)| d == dir) {
                continue;
            }
            let same = all
                .iter()
                .all(|a| a.heads.contains(&(dir.clone(), head.clone())));
            let head = if same {
                head.clone()
            } else {
                HeadNow {
                    now: Err(unknown.clone()),
                    before: None,
                }
            };
            out.heads.push((dir.clone(), head));
        }
        for (dir, name, is) in &one.refs {
            if out.refs.iter().any(|(d, n, _)| d == dir && n == name) {
                continue;
            }
            let same = all
                .iter()
                .all(|a| a.refs.contains(&(dir.clone(), name.clone(), is.clone())));
            let is = if same {
                is.clone()
            } else {
                Err(unknown.clone())
            };
            out.refs.push((dir.clone(), name.clone(), is));
        }
        extend(&mut out.lost_refs, &one.lost_refs);
        extend(&mut out.trees, &one.trees);
        extend(&mut out.written, &one.written);
        out.made_somewhere |= one.made_somewhere;
        if out.lost_heads.is_none() {
            out.lost_heads.clone_from(&one.lost_heads);
        }
    }
    if let Some(first) = all.first() {
        if all.iter().all(|a| a.config == first.config) {
            out.config.clone_from(&first.config);
        } else {
            out.config
                .push((Reach::Everywhere, Change::Blind(TOO_MANY.to_owned())));
        }
        if all.iter().all(|a| a.renames == first.renames) {
            out.renames.clone_from(&first.renames);
        } else {
            out.lost_heads = Some(TOO_MANY.to_owned());
        }
    }
    out
}

fn extend<T: PartialEq + Clone>(into: &mut Vec<T>, from: &[T]) {
    for item in from {
        if !into.contains(item) {
            into.push(item.clone());
        }
    }
}

/// What is at a place, in one alternative.
#[derive(Debug, Clone)]
pub(super) enum Site {
    Here(Rc<Repo>),
    Absent,
    Unknown(String),
}

/// Finds the repository that a command at `place` would use.
pub(super) fn locate(
    disk: &Disk,
    around: &Surroundings,
    alternative: &Alternative,
    place: &Place,
) -> Site {
    let unknown = |why: &str| Site::Unknown(why.to_owned());
    if around.git_env {
        return unknown("a `GIT_*` variable in the environment may move the repository");
    }
    if place.env.iter().any(|(name, _)| name == "GIT_COMMON_DIR") {
        return unknown("`GIT_COMMON_DIR` moves the repository");
    }
    let found = match (&place.git_dir, &place.dir) {
        (Pointed::Unknown, _) => return unknown("the git directory that is given is not known"),
        (Pointed::At(path), Some(dir)) => {
            let given = dir.join(path);
            if let Some(repo) = made_at(alternative, &given) {
                return Site::Here(repo);
            }
            disk.at(&given, dir)
        }
        (Pointed::At(path), None) if path.is_absolute() => disk.at(path, Path::new("/")),
        (_, None) => return unknown("the directory is not known"),
        (Pointed::Found, Some(dir)) => return from_dir(disk, alternative, dir),
    };
    match found {
        Found::Here(repo) => Site::Here(repo),
        Found::Absent => Site::Absent,
        Found::Unknown(why) => Site::Unknown(why),
    }
}

fn made_at(alternative: &Alternative, git_dir: &Path) -> Option<Rc<Repo>> {
    if alternative.trees.is_empty() {
        return None;
    }
    let real = real(git_dir);
    let hit = alternative
        .trees
        .iter()
        .rfind(|(top, repo)| repo.git_dir == real || *top == real);
    hit.map(|(_, repo)| Rc::clone(repo))
}

fn from_dir(disk: &Disk, alternative: &Alternative, dir: &Path) -> Site {
    let found = disk.find(dir);
    if alternative.trees.is_empty() && !alternative.made_somewhere {
        return match found {
            Found::Here(repo) => Site::Here(repo),
            Found::Absent => Site::Absent,
            Found::Unknown(why) => Site::Unknown(why),
        };
    }
    let real = real(dir);
    let made = alternative
        .trees
        .iter()
        .filter(|(top, _)| real.starts_with(top))
        .max_by_key(|(top, _)| top.as_os_str().len());
    match (made, found) {
        (Some((top, repo)), Found::Here(old)) => {
            let old_top = old.top.as_ref().unwrap_or(&old.git_dir);
            // The innermost one counts.
            if old_top.as_os_str().len() > top.as_os_str().len() {
                Site::Here(old)
            } else {
                Site::Here(Rc::clone(repo))
            }
        }
        (Some((_, repo)), _) => Site::Here(Rc::clone(repo)),
        (None, Found::Here(repo)) => Site::Here(repo),
        (None, Found::Absent) if alternative.made_somewhere => {
            Site::Unknown("this call makes a repository somewhere".to_owned())
        }
        (None, Found::Absent) => Site::Absent,
        (None, Found::Unknown(why)) => Site::Unknown(why),
    }
}

/// The facts of one alternative at one place.
#[derive(Debug)]
pub(super) struct Spot<'a> {
    pub(super) alternative: &'a Alternative,
    /// The repository; else why it is not known.
    pub(super) repo: Result<Rc<Repo>, String>,
    pub(super) settings: Rc<Settings>,
}

impl<'a> Spot<'a> {
    /// Gathers what commands at `place` see; `site` as [`locate`] found it.
    pub(super) fn new(
        around: &'a Surroundings,
        alternative: &'a Alternative,
        place: &'a Place,
        site: Site,
    ) -> Spot<'a> {
        let settings = settings(around, alternative, place, &site);
        let repo = match site {
            Site::Here(repo) => Ok(repo),
            Site::Absent => Err(NO_REPOSITORY.to_owned()),
            Site::Unknown(why) => Err(why),
        };
        Spot {
            alternative,
            repo,
            settings,
        }
    }

    pub(super) fn head(&self) -> Result<Head, String> {
        head(self.alternative, self.repo.as_ref().map_err(String::clone)?)
    }

    /// Whether the full ref `name` exists.
    pub(super) fn has(&self, name: &str) -> Result<bool, String> {
        has(
            self.alternative,
            self.repo.as_ref().map_err(String::clone)?,
            name,
        )
    }

    /// All full refs that start with `prefix`.
    pub(super) fn list(&self, prefix: &str) -> Result<Vec<String>, String> {
        let repo = self.repo.as_ref().map_err(String::clone)?;
        if let Some((_, why)) = lost(self.alternative, repo) {
            return Err(why.clone());
        }
        let mut names = repo.list(prefix)?;
        for (common, name, is) in &self.alternative.refs {
            if *common == repo.common && name.starts_with(prefix) {
                names.retain(|n| n != name);
                // What may be there counts as there.
                if !matches!(is, Ok(false)) {
                    names.push(name.clone());
                }
            }
        }
        Ok(names)
    }

    /// Where the symbolic ref `name` leads in the end.
    pub(super) fn resolve(&self, name: &str) -> String {
        match &self.repo {
            Ok(repo) => repo.resolve(name),
            Err(_) => name.to_owned(),
        }
    }

    /// Whether the remote was last seen with this branch.
    pub(super) fn tracked(&self, remote: &str, branch: &str) -> bool {
        let name = match remote {
            "." => format!("refs/heads/{branch}"),
            _ => format!("refs/remotes/{remote}/{branch}"),
        };
        self.has(&name) == Ok(true)
    }
}

fn settings(
    around: &Surroundings,
    alternative: &Alternative,
    place: &Place,
    site: &Site,
) -> Rc<Settings> {
    let on = match site {
        Site::Here(repo) => Some(repo),
        _ => None,
    };
    let head = || match on {
        Some(repo) => head(alternative, repo),
        None => Err(NO_REPOSITORY.to_owned()),
    };
    let sources = Sources {
        around,
        place,
        repo: on.map(Rc::as_ref),
        head: &head,
    };
    let base = match (site, on) {
        (Site::Unknown(why), _) => Rc::new(Settings::unknown(why.clone())),
        (_, Some(repo)) if sources.plain() => match repo.settings.get() {
            Some(kept) => Rc::clone(kept),
            None => {
                let read = Rc::new(Settings::load(&sources));
                if read.keeps() {
                    keep(repo, &read);
                }
                read
            }
        },
        _ => Rc::new(Settings::load(&sources)),
    };
    let base = if base.reads(&alternative.written) {
        Rc::new(Settings::unknown(
            "this call writes a config file".to_owned(),
        ))
    } else {
        base
    };
    let concerns = |reach: &Reach| match (reach, on) {
        (Reach::Everywhere, _) => true,
        (Reach::Repository(common), Some(repo)) => *common == repo.common,
        (Reach::Checkout(git_dir), Some(repo)) => *git_dir == repo.git_dir,
        (_, None) => false,
    };
    let changed = alternative.config.iter().any(|(reach, _)| concerns(reach));
    if !changed && place.config.is_empty() {
        return base;
    }
    let mut settings = (*base).clone();
    for (reach, change) in &alternative.config {
        if concerns(reach) {
            settings.change(change);
        }
    }
    settings.command(&sources);
    Rc::new(settings)
}

fn keep(repo: &Repo, read: &Rc<Settings>) {
    // Lost only if it was filled meanwhile, which cannot happen here.
    let _ = repo.settings.set(Rc::clone(read));
}

/// `HEAD` of `repo` in one alternative.
pub(super) fn head(alternative: &Alternative, repo: &Repo) -> Result<Head, String> {
    if let Some((_, head)) = alternative.heads.iter().find(|(d, _)| *d == repo.git_dir) {
        return head.now.clone();
    }
    if let Some(why) = &alternative.lost_heads {
        return Err(why.clone());
    }
    let mut head = repo.head()?;
    for (common, from, to) in &alternative.renames {
        if let Head::Branch(branch) = &mut head
            && *common == repo.common
            && branch == from
        {
            branch.clone_from(to);
        }
    }
    Ok(head)
}

/// Whether the full ref `name` exists in one alternative.
pub(super) fn has(alternative: &Alternative, repo: &Repo, name: &str) -> Result<bool, String> {
    let changed = alternative
        .refs
        .iter()
        .rfind(|(common, n, _)| n == name && *common == repo.common);
    if let Some((_, _, is)) = changed {
        return is.clone();
    }
    match lost(alternative, repo) {
        Some((_, why)) => Err(why.clone()),
        None => repo.has(name),
    }
}

fn lost<'a>(alternative: &'a Alternative, repo: &Repo) -> Option<&'a (PathBuf, String)> {
    alternative
        .lost_refs
        .iter()
        .find(|(common, _)| *common == repo.common)
}
