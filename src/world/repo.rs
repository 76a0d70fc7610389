//! Where a repository is, read by hand from `.git` directories and files.

use super::Head;
use super::child::Children;
use super::packed::Packed;
use super::settings::Settings;
use super::told::{self, Refs};
use std::cell::{OnceCell, RefCell};
use std::ffi::OsString;
use std::fs;
use std::io::{ErrorKind, Read};
use std::path::{Component, Path, PathBuf};
use std::rc::Rc;

/// Longest `.git`, `commondir`, `HEAD` or ref file that is read.
const POINTER_MAX: u64 = 64 * 1024;

/// What a repository is made of as far as pushes care; every part is read once, when first asked.
#[derive(Debug, Default)]
pub(super) struct Repo {
    /// The directory with this checkout's `HEAD`.
    pub(super) git_dir: PathBuf,
    /// The directory with refs and config, shared by all checkouts.
    pub(super) common: PathBuf,
    /// The top of the checkout, if it has one.
    pub(super) top: Option<PathBuf>,
    /// Set for a repository that this call makes: nothing of it is on disk yet.
    pub(super) made: bool,
    /// Set for a checkout that this call adds: refs and config are on disk, `HEAD` is not.
    pub(super) added: bool,
    pub(super) head: OnceCell<Result<Head, String>>,
    /// The loose ref that was last seen to be there: a push asks twice for its own.
    pub(super) there: RefCell<String>,
    pub(super) packed: OnceCell<Result<Packed, String>>,
    pub(super) settings: OnceCell<Rc<Settings>>,
    /// There is a `reftable` in `common`.
    pub(super) reftable: OnceCell<bool>,
    /// What git tells of the refs, where they are in a reftable.
    pub(super) told: OnceCell<Result<Refs, String>>,
    /// Who asks git; nobody for a repository that is not on disk.
    pub(super) children: OnceCell<Rc<Children>>,
}

impl PartialEq for Repo {
    fn eq(&self, other: &Repo) -> bool {
        self.git_dir == other.git_dir && self.top == other.top
    }
}

/// The outcome of a search.
#[derive(Debug, Clone)]
pub(super) enum Found {
    Here(Rc<Repo>),
    Absent,
    Unknown(String),
}

/// What has been read so far, by directory.
#[derive(Debug, Default)]
pub(super) struct Disk {
    pub(super) children: Rc<Children>,
    found: RefCell<Vec<(PathBuf, Found)>>,
}

/// Why nothing is known of a repository that the call itself makes.
pub(super) const MADE: &str = "this call makes the repository";

/// Why refs are not read.
pub(super) const REFTABLE: &str = "the repository keeps its refs in a reftable";

impl Disk {
    /// A disk whose questions go to `git` first.
    pub(super) fn asking(git: Option<PathBuf>) -> Disk {
        Disk {
            children: Rc::new(Children::of(git)),
            found: RefCell::default(),
        }
    }

    /// The repository that git finds from `dir` upward.
    pub(super) fn find(&self, dir: &Path) -> Found {
        if let Some(hit) = self.cached(dir) {
            return hit;
        }
        let real = real(dir);
        let mut found = Found::Absent;
        for at in real.ancestors() {
            match standing(at) {
                Found::Absent => {}
                other => {
                    found = self.shared(other);
                    break;
                }
            }
        }
        if matches!(found, Found::Absent) && fs::symlink_metadata(dir).is_err() {
            found = Found::Unknown("the directory is not there".to_owned());
        }
        self.found
            .borrow_mut()
            .push((dir.to_owned(), found.clone()));
        found
    }

    /// The repository whose git directory is `git_dir` (`--git-dir`, `GIT_DIR`), seen from `dir`.
    pub(super) fn at(&self, git_dir: &Path, dir: &Path) -> Found {
        if let Some(hit) = self.cached(git_dir) {
            return hit;
        }
        let found = match fs::metadata(git_dir) {
            Ok(meta) if meta.is_dir() => opened(&real(git_dir), Some(dir.to_owned())).map_or_else(
                || Found::Unknown("the git directory that is given is none".to_owned()),
                Found::Here,
            ),
            Ok(meta) if meta.is_file() => pointed(
                git_dir,
                git_dir.parent().unwrap_or(dir),
                Some(dir.to_owned()),
            ),
            Ok(_) => Found::Unknown("the git directory that is given is none".to_owned()),
            Err(e) => Found::Unknown(format!(
                "the git directory that is given cannot be read: {}",
                e.kind()
            )),
        };
        let found = self.shared(found);
        self.found
            .borrow_mut()
            .push((git_dir.to_owned(), found.clone()));
        found
    }

    fn cached(&self, key: &Path) -> Option<Found> {
        let found = self.found.borrow();
        let hit = found
            .iter()
            .find(|(at, _)| at.as_os_str() == key.as_os_str());
        hit.map(|(_, f)| f.clone())
    }

    /// Two directories of one checkout share what was read.
    fn shared(&self, found: Found) -> Found {
        let Found::Here(repo) = &found else {
            return found;
        };
        for (_, known) in self.found.borrow().iter() {
            if let Found::Here(old) = known
                && **old == **repo
            {
                return Found::Here(Rc::clone(old));
            }
        }
        // Lost only if it was filled before, with the same.
        let _ = repo.children.set(Rc::clone(&self.children));
        found
    }
}

/// What stands at exactly this directory, not above it.
pub(super) fn standing(at: &Path) -> Found {
    let dot = under(at, ".git");
    match fs::symlink_metadata(&dot) {
        Ok(meta) => {
            let (dot, meta) = if meta.is_symlink() {
                match fs::canonicalize(&dot).and_then(|to| fs::metadata(&to).map(|m| (to, m))) {
                    Ok(seen) => seen,
                    Err(_) => return bare(at),
                }
            } else {
                (dot, meta)
            };
            if meta.is_dir() {
                opened(&dot, Some(at.to_owned())).map_or_else(|| bare(at), Found::Here)
            } else if meta.is_file() {
                pointed(&dot, at, Some(at.to_owned()))
            } else {
                Found::Unknown("`.git` is neither a directory nor a file".to_owned())
            }
        }
        Err(e) if matches!(e.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => bare(at),
        Err(e) => Found::Unknown(format!("`.git` cannot be read: {}", e.kind())),
    }
}

fn bare(at: &Path) -> Found {
    // Almost no directory has a HEAD: one look spares the others.
    if fs::symlink_metadata(under(at, "HEAD")).is_err() {
        return Found::Absent;
    }
    opened(at, None).map_or(Found::Absent, Found::Here)
}

/// Follows a `.git` file.
fn pointed(file: &Path, base: &Path, top: Option<PathBuf>) -> Found {
    let Some(text) = pointer(file) else {
        return Found::Unknown("the `.git` file cannot be read".to_owned());
    };
    let Some(to) = text.strip_prefix("gitdir: ") else {
        return Found::Unknown("the `.git` file does not name a git directory".to_owned());
    };
    opened(&real(&base.join(to)), top).map_or_else(
        || Found::Unknown("the `.git` file points to no repository".to_owned()),
        Found::Here,
    )
}

/// The repository in `git_dir`, if git would take it for one.
fn opened(git_dir: &Path, top: Option<PathBuf>) -> Option<Rc<Repo>> {
    fs::symlink_metadata(under(git_dir, "HEAD")).ok()?;
    let common = match pointer(&under(git_dir, "commondir")) {
        Some(to) => real(&git_dir.join(to)),
        None => git_dir.to_owned(),
    };
    let is_dir = |name: &str| fs::metadata(under(&common, name)).is_ok_and(|m| m.is_dir());
    (is_dir("objects") && is_dir("refs")).then(|| {
        Rc::new(Repo {
            git_dir: git_dir.to_owned(),
            common,
            top,
            ..Repo::default()
        })
    })
}

/// The text of a one-line file such as `HEAD`, without its line end.
pub(super) fn pointer(file: &Path) -> Option<String> {
    let (file, _) = super::files::open(file).ok()?;
    let mut text = Vec::with_capacity(128);
    file.take(POINTER_MAX).read_to_end(&mut text).ok()?;
    let mut text = String::from_utf8(text).ok()?;
    text.truncate(text.trim_end_matches(['\n', '\r']).len());
    Some(text)
}

/// `dir/name`, in one piece of memory.
pub(super) fn under(dir: &Path, name: &str) -> PathBuf {
    let mut path = OsString::with_capacity(dir.as_os_str().len() + name.len() + 1);
    path.push(dir);
    path.push("/");
    path.push(name);
    PathBuf::from(path)
}

/// The path without links; where it does not exist, without `..` at least.
pub(super) fn real(path: &Path) -> PathBuf {
    fs::canonicalize(path).unwrap_or_else(|_| lexical(path))
}

/// `path` with `.` and `..` worked out by their spelling, and with as much of it resolved as exists.
pub(super) fn lexical(path: &Path) -> PathBuf {
    let mut out = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => {
                out.pop();
            }
            other => out.push(other),
        }
    }
    for up in out.ancestors().skip(1) {
        if let Ok(base) = fs::canonicalize(up)
            && let Ok(rest) = out.strip_prefix(up)
        {
            return base.join(rest);
        }
    }
    out
}

impl Repo {
    /// What `HEAD` is on disk.
    pub(super) fn head(&self) -> Result<Head, String> {
        let read = || match self.read_head() {
            Err(why) if why == REFTABLE => told::head(self),
            read => read,
        };
        self.head.get_or_init(read).clone()
    }

    fn read_head(&self) -> Result<Head, String> {
        if self.made {
            return Err(MADE.to_owned());
        }
        if self.added {
            return Err("this call adds the worktree".to_owned());
        }
        let file = under(&self.git_dir, "HEAD");
        let odd = || "`HEAD` cannot be read".to_owned();
        let is_link = fs::symlink_metadata(&file).is_ok_and(|meta| meta.is_symlink());
        let text = match is_link.then(|| fs::read_link(&file)) {
            Some(Ok(link)) => format!("ref: {}", link.to_str().ok_or_else(odd)?),
            _ => pointer(&file).ok_or_else(odd)?,
        };
        let Some(target) = text.strip_prefix("ref:") else {
            let hex = !text.is_empty() && text.bytes().all(|b| b.is_ascii_hexdigit());
            return if hex { Ok(Head::Detached) } else { Err(odd()) };
        };
        let target = self.resolve(target.trim_start());
        match target.strip_prefix("refs/heads/") {
            Some(".invalid") => Err(REFTABLE.to_owned()),
            Some(branch) => Ok(Head::Branch(branch.to_owned())),
            None => Err("`HEAD` points outside `refs/heads`".to_owned()),
        }
    }

    /// Follows symbolic refs from `name` to the ref that would be updated.
    pub(super) fn resolve(&self, name: &str) -> String {
        let mut name = name.to_owned();
        for _ in 0..5 {
            match self.symref(&name) {
                Some(to) => name = to,
                None => break,
            }
        }
        name
    }
}
