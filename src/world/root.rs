//! What a directory is to git: the top of a checkout, a bare repository, or neither.

use super::config::Value;
use super::repo::{Found, real, standing};
use super::spot::Site;
use super::{Presence, World};
use crate::action::{Alter, Place, file};
use crate::shell::Word;
use std::fs;
use std::path::{Path, PathBuf};

/// What stands at exactly one directory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Root {
    /// Nothing of git's.
    None,
    /// The top of a checkout that holds its repository.
    Main,
    /// The top of a linked checkout.
    Linked,
    /// A repository without a checkout.
    Bare,
    /// Something that looks like one and cannot be read.
    Unclear,
}

/// Where a checkout keeps what.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Dirs {
    /// Its top.
    pub top: PathBuf,
    /// The directory with its `HEAD`.
    pub git_dir: PathBuf,
    /// The directory with refs and config, shared by all checkouts.
    pub common: PathBuf,
}

impl World {
    /// The directories of the checkout at `place`; `None` where there is none or it cannot be told.
    pub fn dirs(&self, place: &Place) -> Option<Dirs> {
        let alternative = self.scene.live.first()?;
        let Site::Here(repo) = self.site(alternative, place) else {
            return None;
        };
        Some(Dirs {
            top: repo.top.clone()?,
            git_dir: repo.git_dir.clone(),
            common: repo.common.clone(),
        })
    }

    /// The URLs of all remotes at `place`, as far as they are known.
    pub fn remote_urls(&self, place: &Place) -> Vec<String> {
        let Some(spot) = self.spots(place).next() else {
            return Vec::new();
        };
        spot.settings
            .entries
            .iter()
            .filter(|e| e.key.begins("remote.") && e.key.ends_with(".url"))
            .filter_map(|e| match &e.value {
                Value::Text(url) => Some(url.to_string()),
                _ => None,
            })
            .collect()
    }

    /// What `dir` itself is on disk; a link to a checkout is none.
    pub fn root(&self, dir: &Path) -> Root {
        match standing(dir) {
            Found::Absent => Root::None,
            Found::Unknown(_) => Root::Unclear,
            Found::Here(repo) => {
                if fs::symlink_metadata(dir).is_ok_and(|meta| meta.is_symlink()) {
                    return Root::None;
                }
                match &repo.top {
                    None => Root::Bare,
                    Some(_) if repo.git_dir == repo.common => Root::Main,
                    Some(_) => Root::Linked,
                }
            }
        }
    }

    /// Whether a plain file by its name may be a guarded one by the links on its way.
    pub fn leads_to_guarded(&self, place: &Place, path: &Word, by: Option<Alter>) -> bool {
        let full = match (&place.dir, Path::new(&path.text)) {
            (_, path) if path.is_absolute() => path.to_owned(),
            (Some(dir), path) => dir.join(path),
            (None, _) => return false,
        };
        // What is removed or moved is the link itself.
        let itself = matches!(by, Some(Alter::Remove { .. } | Alter::Move)) || path.glob;
        let way = if itself {
            full.parent()
        } else {
            Some(full.as_path())
        };
        let there = way.and_then(|way| self.settled(way));
        there.is_some_and(|there| {
            let text = match full.file_name().filter(|_| itself) {
                Some(name) => there.join(name),
                None => there,
            };
            let text = text.to_string_lossy().into_owned();
            file::telling(
                &Word {
                    text,
                    ..path.clone()
                },
                None,
            )
        })
    }

    /// Where `path` leads by the links that are on disk; `None` where there is none on its way.
    pub fn settled(&self, path: &Path) -> Option<PathBuf> {
        self.settled.at(path, |path| {
            path.ancestors().find_map(|up| {
                let base = fs::canonicalize(up).ok()?;
                let end = base.join(path.strip_prefix(up).ok()?);
                Some((base != up).then_some(end))
            })?
        })
    }

    /// Whether the checkout at `place` lies in `dir`, or is it.
    pub fn lies_in(&self, place: &Place, dir: &Path) -> bool {
        match self.presence(place) {
            Presence::Here(Some(top)) => top.starts_with(real(dir)),
            _ => false,
        }
    }
}
