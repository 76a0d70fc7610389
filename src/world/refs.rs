//! Which refs a repository has: loose files and `packed-refs`.

use super::repo::{MADE, REFTABLE, Repo, pointer, under};
use super::{Fact, Head};
use std::fs;
use std::io::{ErrorKind, Read};
use std::path::Path;

/// Longest `packed-refs` that is read.
const PACKED_MAX: u64 = 32 * 1024 * 1024;

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
        if let Ok(meta) = fs::symlink_metadata(under(&self.common, name)) {
            if !meta.is_dir() {
                return Ok(true);
            }
        } else if self.is_reftable() {
            return Err(REFTABLE.to_owned());
        }
        Ok(self.packed()?.has(name))
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
            None => self.packed().ok()?.oid(&name).filter(|t| hex(t)),
        }
    }

    /// All refs on disk that start with `prefix`; an error also where they are too many.
    pub(super) fn list(&self, prefix: &str) -> Result<Vec<String>, String> {
        if self.made {
            return Err(MADE.to_owned());
        }
        if self.is_reftable() {
            return Err(REFTABLE.to_owned());
        }
        let mut names = Vec::new();
        let packed = self.packed()?;
        for name in packed.lines_from(prefix).filter_map(packed_name) {
            if !name.starts_with(prefix.as_bytes()) {
                if packed.sorted && name > prefix.as_bytes() {
                    break;
                }
                continue;
            }
            names.push(String::from_utf8_lossy(name).into_owned());
            if names.len() > LIST_MAX {
                return Err(too_many());
            }
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
        let text = pointer(&under(&self.common, name))?;
        Some(text.strip_prefix("ref:")?.trim_start().to_owned())
    }

    fn is_reftable(&self) -> bool {
        matches!(self.head(), Err(why) if why == REFTABLE)
            || (self.added && fs::symlink_metadata(self.common.join("reftable")).is_ok())
    }

    fn packed(&self) -> Result<&Packed, String> {
        let read = self
            .packed
            .get_or_init(|| read_packed(&under(&self.common, "packed-refs")));
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
    bytes.first() != Some(&b'/') && !bytes.contains(&0) && !bytes.windows(2).any(|w| w == b"..")
}

fn read_packed(file: &Path) -> Result<Packed, String> {
    match super::files::open(file) {
        Ok((open, meta)) => {
            let size = meta.len();
            if size > PACKED_MAX {
                return Err("`packed-refs` is too large".to_owned());
            }
            let mut bytes = Vec::with_capacity(usize::try_from(size).unwrap_or(0) + 1);
            match open.take(PACKED_MAX).read_to_end(&mut bytes) {
                Ok(_) => Ok(Packed::new(bytes)),
                Err(e) => Err(format!("`packed-refs` cannot be read: {}", e.kind())),
            }
        }
        Err(e) if e.kind() == ErrorKind::NotFound => Ok(Packed::default()),
        Err(e) => Err(format!("`packed-refs` cannot be read: {}", e.kind())),
    }
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

/// The ref name of a line of `packed-refs`; none for headers and peeled lines.
fn packed_name(line: &[u8]) -> Option<&[u8]> {
    if matches!(line.first(), Some(b'#' | b'^') | None) {
        return None;
    }
    let space = line.iter().position(|b| *b == b' ')?;
    line.get(space + 1..)
}

fn lines(bytes: &[u8]) -> impl Iterator<Item = &[u8]> {
    bytes.split(|b| *b == b'\n')
}

/// The text of `packed-refs`.
#[derive(Debug, Default)]
pub(super) struct Packed {
    bytes: Vec<u8>,
    /// The header says that names are in order.
    sorted: bool,
}

impl Packed {
    fn new(bytes: Vec<u8>) -> Packed {
        let header = lines(&bytes).next().unwrap_or_default();
        let sorted = header.starts_with(b"#") && header.windows(7).any(|w| w == b" sorted");
        Packed { bytes, sorted }
    }

    fn has(&self, name: &str) -> bool {
        let mut names = self.lines_from(name).filter_map(packed_name);
        if self.sorted {
            names.next() == Some(name.as_bytes())
        } else {
            names.any(|n| n == name.as_bytes())
        }
    }

    fn oid(&self, name: &str) -> Option<String> {
        let mut lines = self.lines_from(name);
        let line = lines.find(|line| packed_name(line) == Some(name.as_bytes()))?;
        let oid = line.split(|b| *b == b' ').next()?;
        String::from_utf8(oid.to_vec()).ok()
    }

    /// The lines from the first whose name is at or after `name`, if they are in order.
    fn lines_from(&self, name: &str) -> impl Iterator<Item = &[u8]> {
        let packed = self.bytes.as_slice();
        let (mut low, mut high) = (0, packed.len());
        if !self.sorted {
            high = 0;
        }
        while low < high {
            let middle = low + (high - low) / 2;
            let start = packed
                .get(..middle)
                .and_then(|head| head.iter().rposition(|b| *b == b'\n'))
                .map_or(0, |at| at + 1);
            let rest = packed.get(start..).unwrap_or_default();
            let length = rest.iter().position(|b| *b == b'\n').unwrap_or(rest.len());
            let line = rest.get(..length).unwrap_or_default();
            // Headers come first; a peeled line belongs to the ref before it, so look at the next one.
            let next = start + length + 1;
            match line.first() {
                Some(b'#') => low = next,
                Some(b'^') => match lines(packed.get(next..).unwrap_or_default()).next() {
                    Some(after)
                        if next < high
                            && packed_name(after).is_some_and(|n| n < name.as_bytes()) =>
                    {
                        low = next + after.len() + 1;
                    }
                    _ => high = start,
                },
                _ if packed_name(line).is_some_and(|n| n < name.as_bytes()) => low = next,
                _ => high = start,
            }
        }
        lines(packed.get(low..).unwrap_or_default())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn packed(count: usize, peeled: bool) -> Packed {
        let mut text = "# pack-refs with: peeled fully-peeled sorted \n".to_owned();
        for i in 0..count {
            text.push_str(&format!("{:040x} refs/heads/b{i:04}\n", i));
            if peeled && i % 3 == 0 {
                text.push_str(&format!("^{:040x}\n", i));
            }
        }
        Packed::new(text.into_bytes())
    }

    #[test]
    fn a_sorted_file_is_searched_by_halves() {
        for peeled in [false, true] {
            for count in [0, 1, 2, 3, 7, 100] {
                let bytes = packed(count, peeled);
                for i in 0..count {
                    let name = format!("refs/heads/b{i:04}");
                    assert!(bytes.has(&name), "{name} of {count} {peeled}");
                    assert!(!bytes.has(&format!("{name}x")));
                }
                assert!(!bytes.has("refs/heads/a"));
                assert!(!bytes.has("refs/heads/z"));
            }
        }
    }

    #[test]
    fn an_unsorted_file_is_searched_line_by_line() {
        let bytes = b"# pack-refs with: peeled \n1 refs/heads/z\n2 refs/heads/a\n";
        let bytes = Packed::new(bytes.to_vec());
        assert!(bytes.has("refs/heads/a"));
        assert!(bytes.has("refs/heads/z"));
        assert!(!bytes.has("refs/heads/m"));
    }
}
