//! Who else works in a checkout, as far as sessions were seen there, and which files this one wrote.

use super::World;
use super::paths::followed;
use super::repo::Repo;
use super::spot::Site;
use crate::action::{Act, Action, Fate, Place};
use crate::lease::registry::Hold;
use crate::shell::Word;
use std::fmt;
use std::panic::{RefUnwindSafe, UnwindSafe};
use std::path::{Path, PathBuf};
use std::rc::Rc;

/// How many directories above a file are looked up.
const DEEP: usize = 16;

/// Most files of one call that are put on record.
const MOST: usize = 64;

/// Who was seen in a checkout.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Seated {
    /// The session that calls, and nobody else.
    Alone,
    /// Somebody else.
    Others,
    /// Nobody at all.
    Nobody,
    /// Cannot tell.
    #[default]
    Unclear,
}

/// The record of who works where.
pub trait Colleagues: UnwindSafe + RefUnwindSafe {
    /// Who was seen in the checkout with this top directory.
    fn seated(&self, top: &Path) -> Seated;

    /// Whether the session that calls is the only one known to have written `file`, or to have made
    /// that directory; `None` where nobody is known to.
    fn wrote(&self, file: &Path) -> Option<bool> {
        let _ = file;
        None
    }

    /// Notes that the session writes `file`, or makes that directory; with `whole`, all that it holds.
    fn note(&self, file: &Path, whole: bool) {
        let _ = (file, whole);
    }
}

/// Those who work beside the session that calls; by default nothing is known of them.
#[derive(Clone, Default)]
pub struct Company(Option<Rc<dyn Colleagues>>);

impl Company {
    /// What `colleagues` tells.
    pub fn new(colleagues: impl Colleagues + 'static) -> Company {
        Company(Some(Rc::new(colleagues)))
    }

    pub(super) fn seated(&self, top: &Path) -> Seated {
        self.0.as_ref().map_or(Seated::Unclear, |c| c.seated(top))
    }

    /// Whether what is at `path`, below `top`, is the session's own: it wrote it, or made the
    /// directory that it lies in, and nobody else is known to have written it.
    pub(super) fn wrote(&self, path: &Path, top: &Path) -> bool {
        let Some(colleagues) = &self.0 else {
            return false;
        };
        let below = path.ancestors().take_while(|up| *up != top).take(DEEP);
        let known = below.filter_map(|up| colleagues.wrote(up)).next();
        known.unwrap_or_default()
    }
}

impl fmt::Debug for Company {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Company").field(&self.0.is_some()).finish()
    }
}

impl World {
    /// Whether the checkout at `place` is known to be this session's alone.
    pub fn sole(&self, place: &Place) -> bool {
        let Some(alternative) = self.scene.live.first() else {
            return false;
        };
        match self.site(alternative, place) {
            Site::Here(repo) => self.sole_in(&repo).0,
            Site::Absent | Site::Unknown(_) => false,
        }
    }

    /// Notes for [`World::remember`] which files a command fills anew.
    pub fn fills(&mut self, action: &Action) {
        let Act::Ruin(ruin) = &action.act else {
            return;
        };
        if self.around.company.0.is_none() || self.filled.len() > MOST {
            return;
        }
        let dir = action.place.dir.as_deref();
        let path = |word: &Word| Some(dir?.join(word.known().filter(|_| !word.glob)?));
        match &ruin.fate {
            Fate::Replaced => {
                let paths = ruin.paths.iter().filter_map(path);
                self.filled.extend(paths.map(|path| (path, true)));
            }
            Fate::Edited => {
                let paths = ruin
                    .paths
                    .iter()
                    .filter_map(path)
                    .filter(|path| path.is_file());
                self.filled.extend(paths.map(|path| (path, false)));
            }
            Fate::Made => {
                let paths = ruin
                    .paths
                    .iter()
                    .filter_map(path)
                    .filter(|path| !path.exists());
                self.filled.extend(paths.map(|path| (path, true)));
            }
            Fate::Taken { to, moves, .. } if !moves => {
                let Some(to) = path(to) else { return };
                let names = ruin
                    .paths
                    .iter()
                    .filter_map(|from| path(from)?.file_name().map(|n| to.join(n)));
                let all: Vec<PathBuf> = if to.is_dir() {
                    names.collect()
                } else {
                    vec![to]
                };
                self.filled.extend(all.into_iter().map(|path| (path, true)));
            }
            Fate::Removed { .. } | Fate::Taken { .. } => {}
        }
    }

    /// Notes for [`World::remember`] which files a tool writes.
    pub fn tool_writes(&mut self, paths: &[PathBuf]) {
        let dir = self.around.cwd.clone().unwrap_or_default();
        let paths = paths.iter().take(MOST).map(|path| (dir.join(path), false));
        self.filled.extend(paths);
    }

    /// Puts on record what the call writes in checkouts, where it is `allowed`.
    pub fn remember(&self, allowed: bool) {
        let Some(colleagues) = self.around.company.0.as_ref().filter(|_| allowed) else {
            return;
        };
        for (path, whole) in self.filled.iter().take(MOST) {
            let path = followed(path);
            let repo = path.parent().and_then(|dir| self.found(dir));
            if repo.is_some_and(|repo| repo.top.is_some()) && !path.is_dir() {
                colleagues.note(&path, *whole);
            }
        }
    }

    /// Whether the asker claims the checkout of `repo`.
    pub(super) fn claims(&self, repo: &Repo) -> bool {
        let watch = self.watch().filter(|watch| watch.any());
        watch.is_some_and(|watch| matches!(watch.hold(&repo.git_dir, &repo.common), Hold::Mine(..)))
    }

    /// Whether somebody else claims the checkout of `repo`, or may.
    pub(super) fn held(&self, repo: &Repo) -> bool {
        let watch = self.watch().filter(|watch| watch.any());
        watch.is_some_and(|watch| {
            let hold = watch.hold(&repo.git_dir, &repo.common);
            !matches!(hold, Hold::Free | Hold::Mine(..))
        })
    }

    /// Whether `repo`'s checkout is this session's alone, and who was seen there.
    pub(super) fn sole_in(&self, repo: &Repo) -> (bool, Seated) {
        let Some(top) = &repo.top else {
            return (false, Seated::Unclear);
        };
        let seated = self.around.company.seated(top);
        let sole = match seated {
            Seated::Alone => true,
            // Who claims it from elsewhere has it to itself.
            Seated::Nobody => self.claims(repo),
            Seated::Others | Seated::Unclear => false,
        };
        (sole, seated)
    }
}
