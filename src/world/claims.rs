//! Whose a checkout or a branch is, as claims say it at a point of the script.

use super::checkouts::others;
use super::matching::tops_in;
use super::paths::{ends_wild, followed, known_part};
use super::repo::{Found, Repo, pointer, real, under};
use super::scene::Alternative;
use super::spot::{self, Site};
use super::{Head, World};
use crate::action::{Place, Pointed};
use crate::lease::card::Card;
pub use crate::lease::card::Own;
use crate::lease::home::Whereabouts;
use crate::lease::liveness::Liveness;
use crate::lease::registry::Hold;
pub use crate::lease::watch::Told;
use crate::lease::watch::{Seen, Watch};
use crate::policy::glob_matches;
use crate::shell::Word;
use std::fs;
use std::path::{Path, PathBuf};
use std::rc::Rc;

/// What a checkout or a branch is to the one who asks.
#[derive(Debug, Clone, PartialEq)]
pub enum Stand {
    /// Nobody claims it.
    Free,
    /// The asker holds it.
    Mine(Rc<Own>),
    /// Somebody else does, who lives or may live.
    Other(Told),
    /// Somebody else does whose process is gone, and whose time is not over or whose checkout does
    /// not rest yet.
    Gone(Told),
    /// Somebody did who is gone for good: the claim is not in force, and still nobody else's.
    Lapsed(Told),
    /// It cannot be told whether the claim is the asker's own.
    Unclear(Told),
    /// The record cannot be read, and why: it counts as held.
    Unreadable(String),
}

/// A checkout that an act changes.
#[derive(Debug, Clone, PartialEq)]
pub struct Touched {
    /// Its top.
    pub top: PathBuf,
    /// It is the main one.
    pub main: bool,
    /// This call makes it.
    pub made: bool,
    /// Whose it is.
    pub stand: Stand,
    /// The path below the top that is touched, where it is a file's.
    pub below: Option<PathBuf>,
    pub(super) common: PathBuf,
}

/// All checkouts that an act changes.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Reaches {
    /// Those that are known.
    pub all: Vec<Touched>,
    /// Why there may be another one that somebody else holds; empty where there is none.
    pub unknown: Vec<String>,
}

impl Reaches {
    fn add(&mut self, touched: Touched) {
        if !self.all.contains(&touched) {
            self.all.push(touched);
        }
    }
}

impl World {
    pub(super) fn watch(&self) -> Option<&Watch> {
        self.around.claims.as_deref()
    }

    /// Whether there is any claim on this machine that an act could meet.
    pub fn claimed(&self) -> bool {
        self.watch().is_some_and(Watch::any)
    }

    /// The checkouts that a git command at `place` works in: that of its repository, and the one that
    /// its work tree lies in.
    pub fn reached(&self, place: &Place) -> Rc<Reaches> {
        self.memo.reached(place).unwrap_or_else(|| {
            let reaches = Rc::new(self.reaches_at(place));
            self.memo.keep_reached(place, &reaches);
            reaches
        })
    }

    fn reaches_at(&self, place: &Place) -> Reaches {
        let mut reaches = Reaches::default();
        for alternative in &self.scene.live {
            match self.site(alternative, place) {
                Site::Here(repo) => self.add(&repo, None, &mut reaches),
                Site::Absent => {}
                Site::Unknown(why) => self.add_unknown(why, &mut reaches),
            }
        }
        if let (Pointed::At(top), Some(dir)) = (&place.work_tree, &place.dir)
            && let Found::Here(repo) = self.disk.find(&dir.join(top))
        {
            self.add(&repo, None, &mut reaches);
        }
        reaches
    }

    /// The checkouts that change where the file or directory `path` is written; with `itself`, where
    /// it is moved or removed, which follows no link. With `tree` all that it holds goes with it.
    pub fn reached_by(&self, place: &Place, path: &Word, itself: bool, tree: bool) -> Reaches {
        let mut reaches = Reaches::default();
        let Some((known, pattern)) = known_part(place, path) else {
            self.add_anywhere(place, &mut reaches);
            return reaches;
        };
        let full = match (&pattern, itself) {
            (None, false) => followed(&known),
            (None, true) => {
                real(known.parent().unwrap_or(&known)).join(known.file_name().unwrap_or_default())
            }
            (Some(_), _) => real(&known),
        };
        let from = match pattern {
            None => full.parent().unwrap_or(&full),
            Some(_) => &full,
        };
        if let Some(repo) = self.found(from) {
            self.add(&repo, Some(&full), &mut reaches);
        }
        // One file that a pattern at the end of a path finds is no checkout, and lies in none but this.
        if tree || pattern.is_some() && !ends_wild(path) {
            let fits = |top: &Path| match (&pattern, top.strip_prefix(&full)) {
                (_, Err(_)) => false,
                (None, Ok(_)) => true,
                (Some(pattern), Ok(rest)) => {
                    let name = rest.iter().next().and_then(|n| n.to_str());
                    name.is_some_and(|name| glob_matches(pattern, name))
                }
            };
            for repo in self.all_near(&full, pattern.as_deref().unwrap_or("*")) {
                if repo.top.as_deref().is_some_and(fits) {
                    self.add(&repo, None, &mut reaches);
                }
            }
        }
        reaches
    }

    /// The linked checkout that `path` names for `git worktree`.
    pub fn reached_worktree(&self, place: &Place, path: &Word) -> Reaches {
        let mut reaches = Reaches::default();
        for alternative in &self.scene.live {
            let repo = match self.site(alternative, place) {
                Site::Here(repo) => repo,
                Site::Absent => continue,
                Site::Unknown(why) => {
                    self.add_unknown(why, &mut reaches);
                    continue;
                }
            };
            let Some(text) = path.known() else {
                self.add_unknown(
                    "which checkout it is, is not known".to_owned(),
                    &mut reaches,
                );
                continue;
            };
            let absolute = place.dir.as_ref().map(|dir| real(&dir.join(text)));
            let all = others(&repo);
            let exact = all.iter().find(|(_, top)| Some(top) == absolute.as_ref());
            // git takes the end of a path as well.
            let found = exact.or_else(|| all.iter().find(|(_, top)| top.ends_with(text)));
            if let Some((other, _)) = found {
                self.add(other, None, &mut reaches);
            }
        }
        reaches
    }

    /// The linked checkouts that git would forget because they are not where they were.
    pub fn forgotten(&self, place: &Place) -> Reaches {
        let mut reaches = Reaches::default();
        let start = self.scene.live.first();
        let Some(Site::Here(repo)) = start.map(|a| self.site(a, place)) else {
            return reaches;
        };
        let Ok(entries) = fs::read_dir(repo.common.join("worktrees")) else {
            return reaches;
        };
        for git_dir in entries.flatten().map(|e| e.path()) {
            let locked = fs::symlink_metadata(under(&git_dir, "locked")).is_ok();
            let top = pointer(&under(&git_dir, "gitdir"))
                .and_then(|dot| git_dir.join(dot).parent().map(Path::to_owned));
            if let Some(top) = top
                && !locked
                && fs::symlink_metadata(&top).is_err()
            {
                let gone = Repo {
                    git_dir,
                    common: repo.common.clone(),
                    top: Some(top),
                    ..Repo::default()
                };
                self.add(&gone, None, &mut reaches);
            }
        }
        reaches
    }

    /// Whose the branch `name` of the repository at `place` is, by the claim that names it.
    pub fn branch_stand(&self, place: &Place, name: &str) -> Stand {
        let Some(watch) = self.watch().filter(|watch| watch.any()) else {
            return Stand::Free;
        };
        let mut worst = Stand::Free;
        for alternative in &self.scene.live {
            if let Site::Here(repo) = self.site(alternative, place)
                && !repo.made
            {
                let stand = held(watch, watch.branch(&repo.common, name));
                if worst == Stand::Free {
                    worst = stand;
                }
            }
        }
        worst
    }

    /// The branches that HEAD may be at `place`, in checkouts that this call did not make.
    pub fn on_branches(&self, place: &Place) -> Vec<String> {
        let mut names = Vec::new();
        for alternative in &self.scene.live {
            if let Site::Here(repo) = self.site(alternative, place)
                && let Ok(Head::Branch(name)) = spot::head(alternative, &repo)
                && !names.contains(&name)
            {
                names.push(name);
            }
        }
        names
    }

    /// Whether a rebase, a merge or a bisect is under way at `place`.
    pub fn under_way(&self, place: &Place) -> bool {
        const MARKS: [&str; 4] = ["rebase-merge", "rebase-apply", "MERGE_HEAD", "BISECT_LOG"];
        let Some(dirs) = self.dirs(place) else {
            return false;
        };
        let there = |name: &str| fs::symlink_metadata(under(&dirs.git_dir, name)).is_ok();
        MARKS.iter().any(|name| there(name))
    }

    /// The asker's own claim in the repository at `place`, wherever its checkout is.
    pub fn own_claim(&self, place: &Place) -> Option<Rc<Own>> {
        let watch = self.watch().filter(|watch| watch.any())?;
        let Site::Here(repo) = self.site(self.scene.live.first()?, place) else {
            return None;
        };
        watch.own(&repo.common)
    }

    /// Whether a person made claims strict in the repository of `touched`.
    pub fn strict(&self, touched: &Touched) -> bool {
        self.watch()
            .is_some_and(|watch| watch.strict(&touched.common))
    }

    /// The main checkout of the repository at `place`; a submodule's is part of another one.
    pub fn main_top(&self, place: &Place) -> Option<PathBuf> {
        let dirs = self.dirs(place)?;
        if in_another(&dirs.common) {
            return None;
        }
        match dirs.common.file_name() {
            Some(name) if name == ".git" => dirs.common.parent().map(Path::to_owned),
            _ => Some(dirs.common),
        }
    }

    /// Notes a sign of life for the asker's own claim where the call starts.
    pub fn keep_alive(&self) {
        if let Some(watch) = self.watch().filter(|watch| watch.any())
            && let Some(dir) = &self.around.cwd
        {
            watch.keep_alive(dir, || match self.disk.find(dir) {
                Found::Here(repo) => Some(Whereabouts {
                    top: repo.top.clone()?,
                    git_dir: repo.git_dir.clone(),
                    common: repo.common.clone(),
                }),
                _ => None,
            });
        }
    }

    /// What the checkout of `repo` is to the asker.
    fn stand(&self, watch: &Watch, repo: &Repo) -> Stand {
        let from = self.around.cwd.as_deref();
        match watch.look(&repo.git_dir, &repo.common, from) {
            Seen::Own(own, _) => Stand::Mine(own),
            Seen::Else(hold) => held(watch, hold),
        }
    }

    /// Whether it counts that an unknown program runs in `dir`: something is claimed on this machine,
    /// and no glance tells that the checkout is the asker's own.
    pub(super) fn minds_programs(&self, dir: Option<&Path>) -> bool {
        let Some(watch) = self.watch().filter(|watch| watch.any()) else {
            return false;
        };
        let made =
            |a: &Rc<Alternative>| a.lost.is_some() || a.made_somewhere || !a.trees.is_empty();
        let (Some(from), Some(dir)) = (&self.around.cwd, dir) else {
            return true;
        };
        self.around.git_env() || self.scene.live.iter().any(made) || !watch.at_home(from, dir)
    }

    pub(super) fn found(&self, dir: &Path) -> Option<Rc<Repo>> {
        let made = self.scene.live.iter().flat_map(|a| a.trees.iter());
        if let Some((_, repo)) = made
            .filter(|(top, _)| dir.starts_with(top))
            .max_by_key(|(top, _)| top.as_os_str().len())
        {
            return Some(Rc::clone(repo));
        }
        match self.disk.find(dir) {
            Found::Here(repo) => Some(repo),
            Found::Absent | Found::Unknown(_) => None,
        }
    }

    /// Every checkout of the repository that the call starts in, and of that around `dir`; where there
    /// is none, those right in `dir` by a name that fits `pattern`.
    fn all_near(&self, dir: &Path, pattern: &str) -> Vec<Rc<Repo>> {
        let mut all = self.all_here();
        match self.found(dir) {
            Some(repo) if all.iter().any(|one| one.common == repo.common) => {}
            Some(repo) => all.extend(with_others(repo)),
            None => all.extend(
                tops_in(dir, pattern)
                    .iter()
                    .filter_map(|top| self.found(top)),
            ),
        }
        all
    }

    /// Every checkout of the repository that the call starts in.
    fn all_here(&self) -> Vec<Rc<Repo>> {
        let Some(Found::Here(repo)) = self.around.cwd.as_ref().map(|dir| self.disk.find(dir))
        else {
            return Vec::new();
        };
        with_others(repo)
    }

    fn add(&self, repo: &Repo, path: Option<&Path>, reaches: &mut Reaches) {
        let (Some(watch), Some(top)) = (self.watch(), &repo.top) else {
            return;
        };
        let made = repo.made || repo.added;
        let mut held = if made {
            Stand::Free
        } else {
            self.stand(watch, repo)
        };
        let mut outer = None;
        if held == Stand::Free
            && let Some(above) = self.above(repo, top)
        {
            held = self.stand(watch, &above);
            outer = Some(above);
        }
        let repo = outer.as_deref().unwrap_or(repo);
        let top = repo.top.as_ref().unwrap_or(top);
        let below = path.and_then(|path| path.strip_prefix(top).ok());
        reaches.add(Touched {
            below: below.map(Path::to_owned),
            top: top.clone(),
            main: repo.git_dir == repo.common,
            made,
            stand: held,
            common: repo.common.clone(),
        });
    }

    /// The checkout that a submodule is part of.
    fn above(&self, repo: &Repo, top: &Path) -> Option<Rc<Repo>> {
        if !repo.git_dir.iter().any(|part| part == "modules") {
            return None;
        }
        let above = self.found(top.parent()?)?;
        let own = repo.git_dir.starts_with(above.git_dir.join("modules"));
        let shared = repo.git_dir.starts_with(above.common.join("modules"));
        (own || shared).then_some(above)
    }

    fn add_unknown(&self, why: String, reaches: &mut Reaches) {
        let Some(watch) = self.watch().filter(|watch| watch.any()) else {
            return;
        };
        let here = self.around.cwd.as_ref().map(|dir| self.disk.find(dir));
        if let Some(Found::Here(repo)) = here
            && watch.others(&repo.git_dir, &repo.common)
        {
            reaches.unknown = vec![
                why,
                "other checkouts of this repository are claimed".to_owned(),
            ];
        }
    }

    /// A file of which nothing is known. It is most likely one of the checkout where the call
    /// works, and there it counts only whether that is somebody else's.
    fn add_anywhere(&self, place: &Place, reaches: &mut Reaches) {
        let (Some(watch), Some(dir)) = (self.watch().filter(|w| w.any()), &place.dir) else {
            return;
        };
        let Some(repo) = self.found(dir).filter(|repo| !repo.made && !repo.added) else {
            return;
        };
        let foreign = match self.stand(watch, &repo) {
            Stand::Other(told) | Stand::Gone(told) | Stand::Unclear(told) => {
                format!("{} holds `{}`", told.owner, told.top.display())
            }
            Stand::Unreadable(why) => format!("whose this checkout is cannot be read: {why}"),
            Stand::Free | Stand::Mine(_) | Stand::Lapsed(_) => return,
        };
        reaches.unknown = vec!["which file it is, is not known".to_owned(), foreign];
    }
}

/// Whether the repository with this directory lies within another one's, as a submodule's does.
pub fn in_another(common: &Path) -> bool {
    let below = common.iter().skip_while(|part| *part != ".git");
    below.skip(1).any(|part| part == "modules")
}

/// A checkout and all others of its repository.
fn with_others(repo: Rc<Repo>) -> Vec<Rc<Repo>> {
    let mut all: Vec<Rc<Repo>> = others(&repo).into_iter().map(|o| Rc::new(o.0)).collect();
    all.push(repo);
    all
}

fn held(watch: &Watch, hold: Hold) -> Stand {
    match hold {
        Hold::Free => Stand::Free,
        Hold::Mine(claim, _) => Stand::Mine(Rc::new(Card::of(&claim).own())),
        Hold::Foreign(claim, Liveness::Dead) => Stand::Gone(watch.told(&claim)),
        Hold::Foreign(claim, _) => Stand::Other(watch.told(&claim)),
        Hold::Lapsed(claim) => Stand::Lapsed(watch.told(&claim)),
        Hold::Unclear(claim) => Stand::Unclear(watch.told(&claim)),
        Hold::Unreadable(why) => Stand::Unreadable(why),
    }
}
