//! The facts of one alternative at one place.

use super::load::Sources;
use super::repo::{Disk, Found, Repo, real};
use super::scene::{Alternative, Reach};
use super::settings::Settings;
use super::{Head, Surroundings};
use crate::action::{Place, Pointed};
use std::path::{Path, PathBuf};
use std::rc::Rc;

/// Why there are no facts where there is no repository.
pub(super) const NO_REPOSITORY: &str = "there is no git repository";

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
    if let Some(why) = &alternative.lost {
        return unknown(why);
    }
    if around.git_env() {
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
        // `HEAD` is already followed to the end.
        let current = matches!((self.head(), name.strip_prefix("refs/heads/")),
            (Ok(Head::Branch(head)), Some(branch)) if head == branch);
        match &self.repo {
            Ok(repo) if !current => repo.resolve(name),
            _ => name.to_owned(),
        }
    }

    /// Whether the remote was last seen with this branch.
    pub(super) fn tracked(&self, remote: &str, branch: &str) -> bool {
        let name = match remote {
            "." => ["refs/heads/", branch].concat(),
            _ => ["refs/remotes/", remote, "/", branch].concat(),
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
    if settings.hang_on_remotes() {
        let given = place.config.iter().any(|setting| match &setting.key {
            Some(key) => key.starts_with("remote."),
            None => true,
        });
        let mut changes = alternative.config.iter();
        if given || changes.any(|(reach, change)| concerns(reach) && change.of_remotes()) {
            let why = "this call changes a remote, and an include hangs on remotes".to_owned();
            settings.blind.get_or_insert(why);
        }
    }
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
