//! Facts, read lazily: the repository at a place, what a push would update there, the scene.

mod ancestry;
mod answer;
mod apply;
mod around;
mod branches;
mod busy;
mod checkouts;
mod child;
mod claims;
mod company;
mod config;
mod doubt;
mod elsewhere;
mod files;
mod glob;
mod going;
mod index;
mod kept;
mod load;
mod lookup;
mod loss;
mod loss_files;
mod made;
mod matching;
mod memo;
mod named;
mod oldkind;
mod packed;
mod paths;
mod piece;
mod plan;
mod plumbing;
mod push;
mod refs;
mod refspec;
mod remote;
mod repo;
mod root;
mod saved;
mod scene;
mod settings;
mod setup;
mod spot;
mod stash;
mod stashed;
mod status;
mod switch;
mod target;
mod told;
mod trees;
mod unnamed;
mod wave;

pub use around::{Environment, Surroundings};
pub use checkouts::Tree;
pub use child::{git, gits};
pub use claims::{Own, Reaches, Stand, Told, Touched, in_another};
pub use company::{Colleagues, Company, Seated};
pub use kept::{Becomes, Keeping};
pub use loss::{Loss, Work, reached};
pub use loss_files::{Ruined, Taken};
pub use plan::{Held, Kept, PlanFlaw, PlanStand, Right};
pub use stash::{Stash, StashEntry, Stasher, stash_index};
pub use wave::{Target, Wave, Working};

use crate::action::{Action, Place, Pointed, Push};
use crate::shell::{Command, Word};
use repo::Disk;
pub use root::{Dirs, Root};
use scene::{Alternative, Scene};
use spot::{Site, Spot, locate};
use std::path::{Path, PathBuf};
use std::rc::Rc;

/// Something the repository may or may not tell.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fact<T> {
    /// Known.
    Known(T),
    /// Not known, and why, in words: `config includes another file`.
    Unknown(String),
}

/// What HEAD is at a point of the script.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Head {
    /// On a branch (short name, without `refs/heads/`).
    Branch(String),
    /// On no branch.
    Detached,
}

/// What kind of change a ref update is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum UpdateKind {
    /// A new ref.
    Create,
    /// Forward, or refused by git.
    Move,
    /// May rewrite.
    Force,
    /// The ref goes away.
    Delete,
}

/// One ref that a push may update.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Update {
    /// The remote as git would name it (`origin`, a URL, a path; `.` = this repository).
    pub remote: String,
    /// The full ref, or a pattern such as `refs/heads/*` when it may be any of them.
    pub refname: String,
    /// What would happen to it.
    pub kind: UpdateKind,
    /// The fact that made it a target: `push.default is \`upstream\` and \`feat\` tracks \`main\``,
    /// `named on the command line`, …
    pub because: String,
    /// True where it depends on what the remote has.
    pub depends: bool,
    /// The local ref that it is pushed from, where it is one.
    pub source: Option<String>,
}

/// What a push would do.
#[derive(Debug, Clone, Default)]
pub struct Outlook {
    /// Every ref that it may update.
    pub updates: Vec<Update>,
    /// Why targets may be missing from `updates`.
    pub unclear: Vec<String>,
    /// git would refuse the push altogether, and why.
    pub refused: Option<String>,
    /// Where it goes, as far as that is known, after `insteadOf` and its kin.
    pub urls: Vec<String>,
}

/// What the working tree has at a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PathKind {
    /// A file, or a link (git stages the link itself).
    File,
    /// A directory.
    Dir,
    /// Nothing there.
    Missing,
    /// Cannot tell.
    Unknown,
}

/// Whether there is a repository at a place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Presence {
    /// Yes; its top level (`None` = bare).
    Here(Option<PathBuf>),
    /// No: nothing to guard.
    Absent,
    /// One that this call makes: nobody else has work in it yet.
    Made,
    /// Cannot tell, and why.
    Unknown(String),
}

/// All facts of one call, with the scene that the script has reached.
#[derive(Debug, Default)]
pub struct World {
    /// See [`Surroundings`].
    pub around: Surroundings,
    /// Somebody reads the answer: what only helps a reader is worth a look at the repository.
    pub explains: bool,
    disk: Disk,
    scene: Scene,
    memo: memo::Memo,
    children: Rc<child::Children>,
    /// Directories that the script makes.
    made: Vec<PathBuf>,
    /// Files that the call writes; `true` where all that they hold is its own.
    filled: Vec<(PathBuf, bool)>,
    /// Pushes of this call that have been looked up.
    waves: wave::Waves,
    /// Plans that have been read.
    plans: plan::Plans,
    /// Where paths lead by the links on their way, if there are any.
    settled: memo::Looked<Option<PathBuf>>,
    /// Paths without `..` and links.
    lexical: memo::Looked<PathBuf>,
}

impl World {
    /// A world that reads what it is asked, from `around`.
    pub fn new(around: Surroundings) -> World {
        let disk = Disk::asking(around.git.clone());
        World {
            around,
            explains: false,
            children: Rc::clone(&disk.children),
            disk,
            scene: Scene::default(),
            memo: memo::Memo::default(),
            made: Vec::new(),
            filled: Vec::new(),
            waves: wave::Waves::default(),
            plans: plan::Plans::default(),
            settled: memo::Looked::default(),
            lexical: memo::Looked::default(),
        }
    }

    /// Whether this point of the script can be reached at all.
    pub fn live(&self) -> bool {
        !self.scene.live.is_empty()
    }

    fn site(&self, alternative: &Alternative, place: &Place) -> Site {
        match locate(&self.disk, &self.around, alternative, place) {
            Site::Absent if self.around.assume_repository => {
                Site::Unknown(spot::NO_REPOSITORY.to_owned())
            }
            site => site,
        }
    }

    /// What is true at `place` in each alternative.
    fn spots<'a>(&'a self, place: &'a Place) -> impl Iterator<Item = Spot<'a>> {
        self.scene.live.iter().map(move |alternative| {
            let site = self.site(alternative, place);
            Spot::new(&self.around, alternative, place, site)
        })
    }

    /// The one answer that all alternatives give.
    fn agreed<T: PartialEq>(
        &self,
        place: &Place,
        none: T,
        ask: impl Fn(&Spot<'_>) -> Result<T, String>,
    ) -> Fact<T> {
        let mut agreed = None;
        for spot in self.spots(place) {
            match (ask(&spot), &agreed) {
                (Err(why), _) => return Fact::Unknown(why),
                (Ok(value), None) => agreed = Some(value),
                (Ok(value), Some(old)) if value == *old => {}
                _ => {
                    return Fact::Unknown("it depends on the way that the script takes".to_owned());
                }
            }
        }
        Fact::Known(agreed.unwrap_or(none))
    }

    /// Is there a repository at `place`?
    pub fn presence(&self, place: &Place) -> Presence {
        let mut agreed = None;
        for alternative in &self.scene.live {
            let presence = match self.site(alternative, place) {
                Site::Absent => Presence::Absent,
                Site::Unknown(why) => Presence::Unknown(why),
                Site::Here(repo) if repo.made => Presence::Made,
                Site::Here(repo) => match (&place.work_tree, &place.dir) {
                    (Pointed::At(top), Some(dir)) => Presence::Here(Some(dir.join(top))),
                    (Pointed::At(_) | Pointed::Unknown, _) => {
                        Presence::Unknown("the work tree that is given is not known".to_owned())
                    }
                    (Pointed::Found, _) => Presence::Here(repo.top.clone()),
                },
            };
            match &agreed {
                None => agreed = Some(presence),
                Some(old) if *old == presence => {}
                Some(_) => {
                    return Presence::Unknown(
                        "it depends on the way that the script takes".to_owned(),
                    );
                }
            }
        }
        match agreed.unwrap_or(Presence::Absent) {
            Presence::Absent if self.around.assume_repository => Presence::Unknown(
                "there is no repository here; this is what would hold in one".to_owned(),
            ),
            presence => presence,
        }
    }

    /// The checkout at `place` as policies know it: its top, and the main checkout where it is a
    /// linked worktree.
    pub fn checkout(&self, place: &Place) -> Option<(PathBuf, Option<PathBuf>)> {
        let alternative = self.scene.live.first()?;
        let Site::Here(repo) = self.site(alternative, place) else {
            return None;
        };
        let top = repo.top.clone()?;
        let linked = repo.git_dir != repo.common;
        let main = linked.then(|| repo.common.parent()).flatten();
        let main = main.map(Path::to_owned);
        Some((top, main))
    }

    /// HEAD at this point of the script; more than one where alternatives met.
    pub fn heads(&self, place: &Place) -> Fact<Vec<Head>> {
        let mut heads = Vec::new();
        for alternative in &self.scene.live {
            let head = match self.site(alternative, place) {
                Site::Here(repo) => spot::head(alternative, &repo),
                Site::Absent => Err(spot::NO_REPOSITORY.to_owned()),
                Site::Unknown(why) => Err(why),
            };
            match head {
                Ok(head) if heads.contains(&head) => {}
                Ok(head) => heads.push(head),
                Err(why) => return Fact::Unknown(why),
            }
        }
        Fact::Known(heads)
    }

    /// HEAD before the call, whatever the script has done to it since.
    pub fn heads_before(&self, place: &Place) -> Fact<Vec<Head>> {
        let start = Alternative::default();
        let head = match self.site(&start, place) {
            Site::Here(repo) => repo.head(),
            Site::Absent => Err(spot::NO_REPOSITORY.to_owned()),
            Site::Unknown(why) => Err(why),
        };
        match head {
            Ok(head) => Fact::Known(vec![head]),
            Err(why) => Fact::Unknown(why),
        }
    }

    /// The last value of a config key (lower case section and name).
    pub fn config(&self, place: &Place, key: &str) -> Fact<Option<String>> {
        self.agreed(place, None, |spot| {
            Ok(match spot.settings.last(key)? {
                Some(config::Value::Text(text)) => Some(text.to_string()),
                Some(config::Value::Bare) => Some("true".to_owned()),
                _ => None,
            })
        })
    }

    /// Which refs `push` may update, over all alternatives of the scene.
    pub fn push(&self, push: &Push, place: &Place) -> Rc<Outlook> {
        if let Some(known) = self.memo.get(push, place) {
            return known;
        }
        let outlook = Rc::new(self.foresee(push, place));
        self.memo.keep(push, place, &outlook);
        outlook
    }

    /// What `push` updates is known: [`World::push`] answers so until the scene moves.
    pub fn given(&self, push: &Push, place: &Place, outlook: Outlook) {
        self.memo.keep(push, place, &Rc::new(outlook));
    }

    fn foresee(&self, push: &Push, place: &Place) -> Outlook {
        let mut all = Outlook::default();
        let mut refused = Vec::new();
        for alternative in &self.scene.live {
            let site = self.site(alternative, place);
            if matches!(site, Site::Absent) {
                refused.push(spot::NO_REPOSITORY.to_owned());
                continue;
            }
            let spot = Spot::new(&self.around, alternative, place, site);
            let plan = push::predict(push, &spot);
            refused.extend(plan.refused);
            merge(&mut all.urls, plan.urls);
            merge(&mut all.unclear, plan.unclear);
            let updates = plan.targets.into_iter().map(push::Target::sourced);
            merge(&mut all.updates, updates.collect());
        }
        if place.env.iter().any(|(name, _)| name == "GIT_NAMESPACE") {
            all.unclear.push("`GIT_NAMESPACE` moves refs".to_owned());
        }
        if refused.len() == self.scene.live.len() {
            all.refused = refused.into_iter().next();
        }
        all
    }

    /// What the working tree has at `path`, relative to the place's directory.
    pub fn path_kind(&self, place: &Place, path: &Word) -> PathKind {
        let kind = files::path_kind(place, path);
        match (kind, &place.dir, path.known()) {
            (PathKind::Missing, Some(dir), Some(text)) if self.made_directory(dir, text) => {
                PathKind::Dir
            }
            _ => kind,
        }
    }

    /// Whether `name` is a local branch at `place`.
    pub fn has_branch(&self, place: &Place, name: &str) -> Fact<bool> {
        let full = format!("refs/heads/{name}");
        self.agreed(place, false, |spot| spot.has(&full))
    }

    /// The answer to a read-only question such as `git branch --show-current`, if it is known.
    pub fn answer(&self, command: &Command, place: &Place) -> Option<String> {
        let question = answer::question(command)?;
        let mut agreed = None;
        for alternative in &self.scene.live {
            let site = self.site(alternative, place);
            let spot = Spot::new(&self.around, alternative, place, site.clone());
            let answer = answer::answer(question, &site, &spot, place)?;
            if *agreed.get_or_insert_with(|| answer.clone()) != answer {
                return None;
            }
        }
        agreed
    }

    /// Moves the scene on: what `action` changes is changed from here on.
    pub fn apply(&mut self, action: &Action) {
        self.note(action);
        if !apply::changes(&action.act) {
            return;
        }
        self.memo.forget();
        let mut next = Vec::new();
        for alternative in std::mem::take(&mut self.scene.live) {
            let owned = Rc::unwrap_or_clone(alternative);
            let all = apply::apply(&self.disk, &self.around, owned, action);
            next.extend(all.into_iter().map(Rc::new));
        }
        self.scene.live = next;
        self.scene.settle();
    }

    /// What follows may or may not happen.
    pub fn fork(&mut self) {
        self.scene.fork();
    }

    /// The other possibility.
    pub fn or(&mut self) {
        self.memo.forget();
        self.scene.or();
    }

    /// Both possibilities meet.
    pub fn join(&mut self) {
        self.memo.forget();
        self.scene.join();
    }

    /// Nothing after this runs in this alternative.
    pub fn end(&mut self) {
        self.memo.forget();
        self.scene.end();
    }
}

/// Adds what is not there yet.
fn merge<T: PartialEq>(into: &mut Vec<T>, from: Vec<T>) {
    if into.is_empty() {
        *into = from;
        return;
    }
    for item in from {
        if !into.contains(&item) {
            into.push(item);
        }
    }
}
