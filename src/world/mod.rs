//! Facts, read lazily: the repository at a place, what a push would update there, the scene.

use crate::action::{Action, Place, Push};
use crate::shell::{Command, Files, Source, Word};
use std::path::{Path, PathBuf};

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
    /// Cannot tell, and why.
    Unknown(String),
}

/// The process's surroundings, read once at a door.
#[derive(Debug, Clone, Default)]
pub struct Surroundings {
    /// Where the call starts.
    pub cwd: Option<PathBuf>,
    /// `$HOME`.
    pub home: Option<PathBuf>,
    /// `$XDG_CONFIG_HOME`.
    pub xdg_config: Option<PathBuf>,
    /// True when a `GIT_*` variable that moves repository or config is in the environment.
    pub git_env: bool,
    /// True where the host keeps shells open whose typed lines no hook sees.
    pub unseen_typing: bool,
    /// True for a person who only asks: where there is no repository, answer as if there were one.
    pub assume_repository: bool,
}

/// All facts of one call, with the scene that the script has reached.
#[derive(Debug, Default)]
pub struct World {
    /// See [`Surroundings`].
    pub around: Surroundings,
}

impl World {
    /// A world that reads what it is asked, from `around`.
    pub fn new(around: Surroundings) -> World {
        World { around }
    }

    /// Is there a repository at `place`?
    pub fn presence(&self, place: &Place) -> Presence {
        let _ = place;
        Presence::Unknown("not read".to_owned())
    }

    /// HEAD at this point of the script; more than one where alternatives met.
    pub fn heads(&self, place: &Place) -> Fact<Vec<Head>> {
        let _ = place;
        Fact::Unknown("not read".to_owned())
    }

    /// The last value of a config key (lower case section and name).
    pub fn config(&self, place: &Place, key: &str) -> Fact<Option<String>> {
        let _ = (place, key);
        Fact::Unknown("not read".to_owned())
    }

    /// Which refs `push` may update, over all alternatives of the scene.
    pub fn push(&self, push: &Push, place: &Place) -> Outlook {
        let _ = (push, place);
        Outlook::default()
    }

    /// What the working tree has at `path`, relative to the place's directory.
    pub fn path_kind(&self, place: &Place, path: &Word) -> PathKind {
        let _ = (place, path);
        PathKind::Unknown
    }

    /// Whether `name` is a local branch at `place`.
    pub fn has_branch(&self, place: &Place, name: &str) -> Fact<bool> {
        let _ = (place, name);
        Fact::Unknown("not read".to_owned())
    }

    /// The answer to a read-only question such as `git branch --show-current`, if it is known.
    pub fn answer(&self, command: &Command, place: &Place) -> Option<String> {
        let _ = (command, place);
        None
    }

    /// Moves the scene on: what `action` changes is changed from here on.
    pub fn apply(&mut self, action: &Action) {
        let _ = action;
    }

    /// What follows may or may not happen.
    pub fn fork(&mut self) {}

    /// The other possibility.
    pub fn or(&mut self) {}

    /// Both possibilities meet.
    pub fn join(&mut self) {}

    /// Nothing after this runs in this alternative.
    pub fn end(&mut self) {}
}

impl Files for World {
    fn script(&self, path: &Path, executed: bool) -> Source {
        let _ = (path, executed);
        Source::None
    }
}

impl crate::action::Lookup for World {
    fn alias(&self, place: &Place, name: &str) -> Result<Option<String>, String> {
        let _ = (place, name);
        Ok(None)
    }

    fn program(&self, path: &Path) -> Option<String> {
        let _ = path;
        None
    }
}
