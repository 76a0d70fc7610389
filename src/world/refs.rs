//! Which refs a repository has: loose files and `packed-refs`.

use super::repo::{MADE, REFTABLE, Repo, pointer};
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
        if let Ok(meta) = fs::symlink_metadata(self.common.join(name)) {
            if !meta.is_dir() {
                return Ok(true);
            }
        } else if self.is_reftable() {
            return Err(REFTABLE.to_owned());
        }
        Ok(find(self.packed()?, name))
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
        let sorted = sorted(packed);
        for name in lines_from(packed, prefix).filter_map(packed_name) {
            if !name.starts_with(prefix.as_bytes()) {
                if sorted && name > prefix.as_bytes() {
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
        let text = pointer(&self.common.join(name))?;
        Some(text.strip_prefix("ref:")?.trim_start().to_owned())
    }

    fn is_reftable(&self) -> bool {
        matches!(self.head(), Err(why) if why == REFTABLE)
            || (self.added && fs::symlink_metadata(self.common.join("reftable")).is_ok())
    }

    fn packed(&self) -> Result<&[u8], String> {
        let read = self
            .packed
            .get_or_init(|| read_packed(&self.common.join("packed-refs")));
        match read {
            Ok(bytes) => Ok(bytes),
            Err(why) => Err(why.clone()),
        }
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
    !name.starts_with('/') && !name.contains('\0') && name.split('/').all(|p| p != "..")
}

fn read_packed(file: &Path) -> Result<Vec<u8>, String> {
    match fs::File::open(file) {
        Ok(open) => {
            let mut bytes = Vec::new();
            let size = open.metadata().map(|m| m.len()).unwrap_or(0);
            if size > PACKED_MAX {
                return Err("`packed-refs` is too large".to_owned());
            }
            match open.take(PACKED_MAX).read_to_end(&mut bytes) {
                Ok(_) => Ok(bytes),
                Err(e) => Err(format!("`packed-refs` cannot be read: {}", e.kind())),
            }
        }
        Err(e) if e.kind() == ErrorKind::NotFound => Ok(Vec::new()),
        Err(e) => Err(format!("`packed-refs` cannot be read: {}", e.kind())),
    }
}

/// The last stretch of a log.
fn tail(file: &Path) -> Option<String> {
    use std::io::Seek;
    const TAIL: u64 = 256 * 1024;
    let mut open = fs::File::open(file).ok()?;
    let size = open.metadata().ok()?.len();
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

fn find(packed: &[u8], name: &str) -> bool {
    lines_from(packed, name)
        .find_map(packed_name)
        .is_some_and(|first| first == name.as_bytes())
        || (!sorted(packed) && lines(packed).any(|line| packed_name(line) == Some(name.as_bytes())))
}

fn sorted(packed: &[u8]) -> bool {
    let header = lines(packed).next().unwrap_or_default();
    header.starts_with(b"#") && header.windows(7).any(|w| w == b" sorted")
}

fn lines(bytes: &[u8]) -> impl Iterator<Item = &[u8]> {
    bytes.split(|b| *b == b'\n')
}

/// The lines from the first whose name is at or after `name`: git keeps the file sorted.
fn lines_from<'a>(packed: &'a [u8], name: &str) -> impl Iterator<Item = &'a [u8]> + use<'a> {
    let (mut low, mut high) = (0, packed.len());
    if !sorted(packed) {
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
                    if next < high && packed_name(after).is_some_and(|n| n < name.as_bytes()) =>
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

#[cfg(test)]
mod tests {
    use super::*;

    fn packed(count: usize, peeled: bool) -> Vec<u8> {
        let mut text = "# pack-refs with: peeled fully-peeled sorted \n".to_owned();
        for i in 0..count {
            text.push_str(&format!("{:040x} refs/heads/b{i:04}\n", i));
            if peeled && i % 3 == 0 {
                text.push_str(&format!("^{:040x}\n", i));
            }
        }
        text.into_bytes()
    }

    #[test]
    fn a_sorted_file_is_searched_by_halves() {
        for peeled in [false, true] {
            for count in [0, 1, 2, 3, 7, 100] {
                let bytes = packed(count, peeled);
                for i in 0..count {
                    let name = format!("refs/heads/b{i:04}");
                    assert!(find(&bytes, &name), "{name} of {count} {peeled}");
                    assert!(!find(&bytes, &format!("{name}x")));
                }
                assert!(!find(&bytes, "refs/heads/a"));
                assert!(!find(&bytes, "refs/heads/z"));
            }
        }
    }

    #[test]
    fn an_unsorted_file_is_searched_line_by_line() {
        let bytes = b"# pack-refs with: peeled \n1 refs/heads/z\n2 refs/heads/a\n";
        assert!(find(bytes, "refs/heads/a"));
        assert!(find(bytes, "refs/heads/z"));
        assert!(!find(bytes, "refs/heads/m"));
    }
}
