//! Which repository and which checkout: keys that stay the same however a path is spelled.

use super::error::{Code, Refusal};
use super::ground::{self, Allowed};
use super::record::{Checkout, Repo, without_user};
use crate::state::key::Key;
use std::fs;
use std::path::{Path, PathBuf};

/// A checkout of a repository, and the keys under which it is claimed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Spot {
    /// The repository's key: names its folder in the store.
    pub repo: String,
    /// The checkout's key: names its record.
    pub checkout: String,
    /// The top of the checkout.
    pub top: PathBuf,
    /// The directory with its `HEAD`.
    pub git_dir: PathBuf,
    /// The directory that all its checkouts share.
    pub common: PathBuf,
}

impl Spot {
    /// The checkout at `top` whose git directory is `git_dir`, of the repository in `common`.
    pub fn of(top: &Path, git_dir: &Path, common: &Path) -> Result<Spot, Refusal> {
        let real = |path: &Path| {
            fs::canonicalize(path).map_err(|e| {
                Refusal::new(
                    Code::WorktreeGone,
                    format!(
                        "`{}` is not there any more ({}): `git worktree list` shows what is",
                        path.display(),
                        crate::state::files::reason(&e)
                    ),
                )
            })
        };
        let (top, git_dir, common) = (real(top)?, real(git_dir)?, real(common)?);
        Ok(Spot {
            repo: repo_key(&common),
            checkout: checkout_key(&git_dir, &common),
            top,
            git_dir,
            common,
        })
    }

    /// Whether it is the main checkout.
    pub fn is_main(&self) -> bool {
        self.git_dir == self.common
    }

    /// The repository as a record has it.
    pub fn repo_record(&self, origin: Option<&str>) -> Repo {
        Repo {
            id: self.repo.clone(),
            common_dir: self.common.clone(),
            origin_url: origin.map(without_user),
            ..Repo::default()
        }
    }

    /// The checkout as a record has it.
    pub fn checkout_record(&self) -> Checkout {
        Checkout {
            id: self.checkout.clone(),
            made: identity(&self.git_dir).unwrap_or_default(),
            path: self.top.clone(),
            git_dir: self.git_dir.clone(),
            is_main: self.is_main(),
            ..Checkout::default()
        }
    }

    /// Refuses a checkout on a network file system or in a folder that is kept in step (R52).
    pub fn fit(&self, allowed: &Allowed) -> Result<(), Refusal> {
        ground::check(&self.top, allowed)?;
        ground::check(&self.common, allowed)
    }
}

/// The key of the repository whose shared directory is `common`. Where the system gives a file a
/// number and a birth, these tell it, so that bind mounts and other spellings of the path are the
/// same repository; else its path does.
pub fn repo_key(common: &Path) -> String {
    let key = Key::new("repo");
    match identity(common) {
        Some(identity) => key.with(identity.as_bytes()),
        None => key.with(common.as_os_str().as_encoded_bytes()),
    }
    .hex()
}

/// The key of a checkout within its repository: where its git directory lies below the shared one.
/// `git worktree move` does not change it.
pub fn checkout_key(git_dir: &Path, common: &Path) -> String {
    let key = Key::new("checkout");
    match below(git_dir, common) {
        Some(below) => key.with(below),
        None => key
            .with(b"elsewhere")
            .with(git_dir.as_os_str().as_encoded_bytes()),
    }
    .hex()
}

/// What of `path` lies below `dir`, both without links.
fn below<'a>(path: &'a Path, dir: &'a Path) -> Option<&'a [u8]> {
    let [path_bytes, dir_bytes] = [path, dir].map(|p| p.as_os_str().as_encoded_bytes());
    match path_bytes.strip_prefix(dir_bytes) {
        Some([]) => return Some(&[]),
        // The usual spelling; any other is compared name by name.
        Some([b'/', rest @ ..]) if cfg!(unix) && tidy(rest) => return Some(rest),
        _ => {}
    }
    let rest = path.strip_prefix(dir).ok()?;
    Some(rest.as_os_str().as_encoded_bytes())
}

fn tidy(path: &[u8]) -> bool {
    !path.starts_with(b"/") && !path.ends_with(b"/")
}

/// Number and birth of a directory; `None` where they are not known or do not last.
#[cfg(unix)]
fn identity(path: &Path) -> Option<String> {
    use std::os::unix::fs::MetadataExt;
    if layered(path) {
        return None;
    }
    let found = fs::metadata(path).ok()?;
    let born = found.created().ok()?;
    let since = born.duration_since(std::time::UNIX_EPOCH).ok()?;
    (!since.is_zero()).then(|| format!("{}:{}", found.ino(), since.as_nanos()))
}

#[cfg(not(unix))]
fn identity(_path: &Path) -> Option<String> {
    None
}

/// Whether a file may get another number and birth by being written, as in the layers of a container.
#[cfg(target_os = "linux")]
fn layered(path: &Path) -> bool {
    const OVERLAY: u32 = 0x794C_7630;
    rustix::fs::statfs(path).is_ok_and(|fs| (fs.f_type & 0xFFFF_FFFF) as u32 == OVERLAY)
}

#[cfg(all(unix, not(target_os = "linux")))]
fn layered(_path: &Path) -> bool {
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    fn dirs(temp: &Path) -> (PathBuf, PathBuf) {
        let common = temp.join("r/.git");
        let linked = common.join("worktrees/w");
        fs::create_dir_all(&linked).unwrap();
        (common, linked)
    }

    #[cfg(unix)]
    #[test]
    fn spellings_of_one_checkout_are_one_key_and_checkouts_differ() {
        let temp = tempfile::tempdir().unwrap();
        let (common, linked) = dirs(temp.path());
        let top = temp.path().join("w");
        fs::create_dir(&top).unwrap();
        std::os::unix::fs::symlink(temp.path(), temp.path().join("link")).unwrap();
        let straight = Spot::of(&top, &linked, &common).unwrap();
        let spelled = temp.path().join("link/r/../r/.git");
        let crooked = Spot::of(
            &temp.path().join("link/w"),
            &spelled.join("worktrees/w"),
            &spelled,
        );
        assert_eq!(crooked.unwrap(), straight);
        let main = Spot::of(&temp.path().join("r"), &common, &common).unwrap();
        assert!(main.is_main() && !straight.is_main());
        assert_eq!(main.repo, straight.repo);
        assert_ne!(main.checkout, straight.checkout);
        // Moving the repository keeps it, and another one at the old place is another.
        fs::rename(temp.path().join("r"), temp.path().join("s")).unwrap();
        let moved = temp.path().join("s/.git");
        if identity(&moved).is_some() {
            assert_eq!(repo_key(&moved), straight.repo);
            dirs(temp.path());
            assert_ne!(repo_key(&common), straight.repo);
        }
    }

    #[test]
    fn a_checkout_that_is_gone_is_said_to_be() {
        let temp = tempfile::tempdir().unwrap();
        let gone = temp.path().join("gone");
        let refusal = Spot::of(&gone, &gone, temp.path()).unwrap_err();
        assert_eq!(refusal.code, Code::WorktreeGone);
    }
}
