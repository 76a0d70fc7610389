//! Which refs a repository has: loose files, `packed-refs`, or what git tells of a reftable.

use super::packed::Packed;
use super::repo::{MADE, Repo, pointer, under};
use super::told::{self, Refs};
use super::{Fact, Head};
use std::fs;
use std::io::{ErrorKind, Read};
use std::path::Path;

/// Most refs that are listed one by one.
pub(super) const LIST_MAX: usize = 512;

/// How deep directories of loose refs are followed.
const DEPTH_MAX: usize = 12;

impl Repo {
    /// Whether the full ref `name` exists on disk.
    pub(super) fn has(&self, name: &str) -> Result<bool, String> {
        if self.made {
            return Err(MADE.to_owned());
        }
        if !plain(name) {
            return Ok(false);
        }
        if !name.is_empty() && *self.there.borrow() == name {
            return Ok(true);
        }
        if let Ok(meta) = fs::symlink_metadata(under(&self.common, name)) {
            if !meta.is_dir() {
                name.clone_into(&mut self.there.borrow_mut());
                return Ok(true);
            }
        } else if self.is_reftable() {
            return Ok(self.told()?.has(name));
        }
        self.packed()?.has(name)
    }

    /// The commit that the full ref `name` points to on disk; `None` where that cannot be told.
    pub(super) fn oid(&self, name: &str) -> Option<String> {
        let name = self.resolve(name);
        if self.made || !plain(&name) {
            return None;
        }
        let hex = |text: &str| text.len() >= 40 && text.bytes().all(|b| b.is_ascii_hexdigit());
        match pointer(&under(&self.common, &name)) {
            Some(text) => Some(text).filter(|t| hex(t)),
            None if self.is_reftable() => None,
            None => self.packed().ok()?.oid(&name).ok()?.filter(|t| hex(t)),
        }
    }

    /// All refs on disk that start with `prefix`; an error also where they are too many.
    pub(super) fn list(&self, prefix: &str) -> Result<Vec<String>, String> {
        if self.made {
            return Err(MADE.to_owned());
        }
        let mut names = Vec::new();
        if self.is_reftable() {
            let all = self.told()?.all.iter().map(|(name, _)| name);
            let found = all.filter(|name| name.starts_with(prefix)).cloned();
            names.extend(found.take(LIST_MAX + 1));
            return match names.len() > LIST_MAX {
                true => Err(too_many()),
                false => Ok(names),
            };
        }
        self.packed()?.each(prefix, |name| {
            names.push(String::from_utf8_lossy(name).into_owned());
            names.len() <= LIST_MAX
        })?;
        if names.len() > LIST_MAX {
            return Err(too_many());
        }
        let dir = prefix
            .rfind('/')
            .map_or("", |at| prefix.get(..at).unwrap_or_default());
        if plain(dir) && dir.starts_with("refs") {
            self.walk(dir, prefix, 0, &mut names)?;
        }
        names.sort_unstable();
        names.dedup();
        Ok(names)
    }

    fn walk(
        &self,
        dir: &str,
        prefix: &str,
        depth: usize,
        names: &mut Vec<String>,
    ) -> Result<(), String> {
        let entries = match fs::read_dir(self.common.join(dir)) {
            Ok(entries) => entries,
            Err(e) if matches!(e.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
                return Ok(());
            }
            Err(e) => return Err(format!("`{dir}` cannot be read: {}", e.kind())),
        };
        if depth > DEPTH_MAX {
            return Err("refs are nested too deep".to_owned());
        }
        for entry in entries.flatten() {
            let Some(base) = entry.file_name().to_str().map(str::to_owned) else {
                continue;
            };
            let name = format!("{dir}/{base}");
            if entry.file_type().is_ok_and(|t| t.is_dir()) {
                self.walk(&name, prefix, depth + 1, names)?;
            } else if name.starts_with(prefix) && !base.ends_with(".lock") {
                names.push(name);
                if names.len() > LIST_MAX {
                    return Err(too_many());
                }
            }
        }
        Ok(())
    }

    /// The target of the symbolic ref `name`, if it is one.
    pub(super) fn symref(&self, name: &str) -> Option<String> {
        if self.made || !plain(name) {
            return None;
        }
        let Some(text) = pointer(&under(&self.common, name)) else {
            let told = self.is_reftable().then(|| self.told())?;
            return told.ok()?.symref(name).map(str::to_owned);
        };
        Some(text.strip_prefix("ref:")?.trim_start().to_owned())
    }

    /// Refs are in a reftable, and files tell nothing of them.
    pub(super) fn is_reftable(&self) -> bool {
        let look = || fs::symlink_metadata(under(&self.common, "reftable")).is_ok();
        *self.reftable.get_or_init(look)
    }

    fn told(&self) -> Result<&Refs, String> {
        let told = self.told.get_or_init(|| told::refs(self));
        told.as_ref().map_err(String::clone)
    }

    fn packed(&self) -> Result<&Packed, String> {
        let read = self
            .packed
            .get_or_init(|| Packed::open(&under(&self.common, "packed-refs")));
        read.as_ref().map_err(String::clone)
    }

    /// The branch or commit that HEAD was on before, from its log: what `-` means to `switch`.
    pub(super) fn previous(&self) -> Fact<Head> {
        let unknown = || Fact::Unknown("the log of `HEAD` does not tell what `-` is".to_owned());
        let Some(log) = tail(&self.git_dir.join("logs/HEAD")) else {
            return unknown();
        };
        let from = log.lines().rev().find_map(|line| {
            let (_, moved) = line.split_once("\tcheckout: moving from ")?;
            moved.rsplit_once(" to ").map(|(from, _)| from)
        });
        match from {
            Some(name) => match self.has(&format!("refs/heads/{name}")) {
                Ok(true) => Fact::Known(Head::Branch(name.to_owned())),
                Ok(false) => Fact::Known(Head::Detached),
                Err(why) => Fact::Unknown(why),
            },
            None => unknown(),
        }
    }
}

fn too_many() -> String {
    "there are too many refs to list".to_owned()
}

/// A name that stays inside the repository.
fn plain(name: &str) -> bool {
    let bytes = name.as_bytes();
    // Few names have a dot at all.
    let climbs = || bytes.contains(&b'.') && bytes.windows(2).any(|w| w == b"..");
    bytes.first() != Some(&b'/') && !bytes.contains(&0) && !climbs()
}

/// The last stretch of a log.
pub(super) fn tail(file: &Path) -> Option<String> {
    use std::io::Seek;
    const TAIL: u64 = 256 * 1024;
    let (mut open, meta) = super::files::open(file).ok()?;
    let size = meta.len();
    open.seek(std::io::SeekFrom::Start(size.saturating_sub(TAIL)))
        .ok()?;
    let mut bytes = Vec::new();
    open.take(TAIL).read_to_end(&mut bytes).ok()?;
    Some(String::from_utf8_lossy(&bytes).into_owned())
}
