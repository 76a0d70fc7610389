//! The file `packed-refs`: a sorted one is searched where it lies, any other is read whole.

use super::files;
use std::fs::File;
use std::io::{ErrorKind, Read, Seek, SeekFrom};
use std::path::Path;

/// Longest file, or stretch of one, that is read whole.
const WHOLE_MAX: u64 = 32 * 1024 * 1024;

/// A file or stretch of this size is read at once: halving it further costs more than it saves.
const AT_ONCE: u64 = 16 * 1024;

/// How much is read to see one name in the middle of a file.
const LOOK: u64 = 1024;

/// What `packed-refs` says, as far as it has to be read.
#[derive(Debug, Default)]
pub(super) enum Packed {
    /// There is no such file.
    #[default]
    None,
    Whole(Lines),
    Sorted(File, u64),
}

impl Packed {
    /// Opens `file`; an error says why nothing can be told.
    pub(super) fn open(file: &Path) -> Result<Packed, String> {
        let (file, meta) = match files::open(file) {
            Ok(opened) => opened,
            Err(e) if e.kind() == ErrorKind::NotFound => return Ok(Packed::None),
            Err(e) => return Err(unreadable(&e)),
        };
        let size = meta.len();
        if size > AT_ONCE {
            let head = stretch(&file, 0, LOOK)?;
            if is_sorted(&head) {
                return Ok(Packed::Sorted(file, size));
            }
        }
        // A file that grows meanwhile is replaced, never appended to.
        Ok(Packed::Whole(Lines::new(stretch(&file, 0, size)?)))
    }

    /// Whether the full ref `name` is in it.
    pub(super) fn has(&self, name: &str) -> Result<bool, String> {
        match self {
            Packed::None => Ok(false),
            Packed::Whole(lines) => Ok(lines.has(name)),
            Packed::Sorted(file, size) => {
                let (from, to) = narrow(file, *size, name.as_bytes())?;
                Ok(Lines::sorted(stretch(file, from, to)?).has(name))
            }
        }
    }

    /// The object id of the full ref `name`.
    pub(super) fn oid(&self, name: &str) -> Result<Option<String>, String> {
        Ok(match self {
            Packed::None => None,
            Packed::Whole(lines) => lines.oid(name),
            Packed::Sorted(file, size) => {
                let (from, to) = narrow(file, *size, name.as_bytes())?;
                Lines::sorted(stretch(file, from, to)?).oid(name)
            }
        })
    }

    /// All names that start with `prefix`, as `keep` takes them; it returns `false` to stop.
    pub(super) fn each(&self, prefix: &str, keep: impl FnMut(&[u8]) -> bool) -> Result<(), String> {
        match self {
            Packed::None => {}
            Packed::Whole(lines) => lines.each(prefix, keep),
            Packed::Sorted(file, size) => {
                let (from, _) = narrow(file, *size, prefix.as_bytes())?;
                // No name has this byte, so it stands behind all that start so.
                let mut end = prefix.as_bytes().to_vec();
                end.push(0xff);
                let (_, to) = narrow(file, *size, &end)?;
                Lines::sorted(stretch(file, from, to)?).each(prefix, keep);
            }
        }
        Ok(())
    }
}

fn unreadable(e: &std::io::Error) -> String {
    format!("`packed-refs` cannot be read: {}", e.kind())
}

/// The bytes of `file` from `from` to `to`.
fn stretch(mut file: &File, from: u64, to: u64) -> Result<Vec<u8>, String> {
    let length = to.saturating_sub(from);
    if length > WHOLE_MAX {
        return Err("`packed-refs` is too large".to_owned());
    }
    file.seek(SeekFrom::Start(from))
        .map_err(|e| unreadable(&e))?;
    let mut bytes = Vec::with_capacity(usize::try_from(length).unwrap_or(0).saturating_add(1));
    file.take(length)
        .read_to_end(&mut bytes)
        .map_err(|e| unreadable(&e))?;
    Ok(bytes)
}

/// A short stretch that holds the first line whose name is at or after `name`; both ends are
/// starts of lines.
fn narrow(file: &File, size: u64, name: &[u8]) -> Result<(u64, u64), String> {
    let (mut low, mut high) = (0, size);
    while high.saturating_sub(low) > AT_ONCE {
        let middle = low.midpoint(high);
        let block = stretch(file, middle, high.min(middle.saturating_add(LOOK)))?;
        // No name here: it is read as it is, from `low` to `high`.
        let Some((start, end, found)) = whole_name(&block) else {
            break;
        };
        if found < name {
            low = middle.saturating_add(start as u64);
        } else {
            // With this line, which may be the one.
            let next = middle.saturating_add(end as u64);
            if next >= high {
                break;
            }
            high = next;
        }
    }
    Ok((low, high))
}

/// The first line of `block` that is there from its start to its end and names a ref.
fn whole_name(block: &[u8]) -> Option<(usize, usize, &[u8])> {
    let mut start = block.iter().position(|b| *b == b'\n')?.checked_add(1)?;
    loop {
        let rest = block.get(start..)?;
        let length = rest.iter().position(|b| *b == b'\n')?;
        let next = start.checked_add(length)?.checked_add(1)?;
        if let Some(name) = named(rest.get(..length)?) {
            return Some((start, next, name));
        }
        start = next;
    }
}

/// The ref name of a line; none for headers and peeled lines.
fn named(line: &[u8]) -> Option<&[u8]> {
    if matches!(line.first(), Some(b'#' | b'^') | None) {
        return None;
    }
    let space = line.iter().position(|b| *b == b' ')?;
    line.get(space + 1..)
}

/// The header says that names are in order.
fn is_sorted(bytes: &[u8]) -> bool {
    let header = lines(bytes).next().unwrap_or_default();
    header.starts_with(b"#") && header.windows(7).any(|w| w == b" sorted")
}

fn lines(bytes: &[u8]) -> impl Iterator<Item = &[u8]> {
    bytes.split(|b| *b == b'\n')
}

/// Lines in memory.
#[derive(Debug)]
pub(super) struct Lines {
    bytes: Vec<u8>,
    sorted: bool,
}

impl Lines {
    fn new(bytes: Vec<u8>) -> Lines {
        let sorted = is_sorted(&bytes);
        Lines { bytes, sorted }
    }

    fn sorted(bytes: Vec<u8>) -> Lines {
        Lines {
            bytes,
            sorted: true,
        }
    }

    fn has(&self, name: &str) -> bool {
        let mut found = false;
        self.each(name, |n| {
            found = n == name.as_bytes();
            // What is equal stands before what is longer.
            !found && !self.sorted
        });
        found
    }

    fn oid(&self, name: &str) -> Option<String> {
        let mut lines = self.from(name).filter(|line| named(line).is_some());
        let is = |line: &&[u8]| named(line) == Some(name.as_bytes());
        let line = if self.sorted {
            lines.next().filter(is)?
        } else {
            lines.find(is)?
        };
        let oid = line.split(|b| *b == b' ').next()?;
        String::from_utf8(oid.to_vec()).ok()
    }

    fn each(&self, prefix: &str, mut keep: impl FnMut(&[u8]) -> bool) {
        for name in self.from(prefix).filter_map(named) {
            if name.starts_with(prefix.as_bytes()) {
                if !keep(name) {
                    return;
                }
            } else if self.sorted && name > prefix.as_bytes() {
                return;
            }
        }
    }

    /// The lines from the first whose name is at or after `name`, if they are in order.
    fn from(&self, name: &str) -> impl Iterator<Item = &[u8]> {
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
                        if next < high && named(after).is_some_and(|n| n < name.as_bytes()) =>
                    {
                        low = next + after.len() + 1;
                    }
                    _ => high = start,
                },
                _ if named(line).is_some_and(|n| n < name.as_bytes()) => low = next,
                _ => high = start,
            }
        }
        lines(packed.get(low..).unwrap_or_default())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(count: usize, peeled: bool) -> String {
        let mut text = "# pack-refs with: peeled fully-peeled sorted \n".to_owned();
        for i in 0..count {
            text.push_str(&format!("{:040x} refs/heads/b{i:04}\n", i));
            if peeled && i % 3 == 0 {
                text.push_str(&format!("^{:040x}\n", i));
            }
        }
        text
    }

    fn on_disk(text: &str) -> Packed {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("packed-refs");
        std::fs::write(&file, text).unwrap();
        Packed::open(&file).unwrap()
    }

    #[test]
    fn a_sorted_file_is_searched_by_halves() {
        for peeled in [false, true] {
            for count in [0, 1, 2, 3, 7, 100, 2000] {
                let text = text(count, peeled);
                let packed = on_disk(&text);
                let large = text.len() as u64 > AT_ONCE;
                assert_eq!(matches!(packed, Packed::Sorted(..)), large);
                for i in 0..count {
                    let name = format!("refs/heads/b{i:04}");
                    assert!(packed.has(&name).unwrap(), "{name} of {count} {peeled}");
                    assert!(!packed.has(&format!("{name}x")).unwrap());
                }
                assert!(!packed.has("refs/heads/a").unwrap());
                assert!(!packed.has("refs/heads/z").unwrap());
            }
        }
    }

    #[test]
    fn a_prefix_lists_what_starts_so_from_a_file_of_any_size() {
        for count in [100, 2000] {
            for peeled in [false, true] {
                let packed = on_disk(&text(count, peeled));
                for (prefix, many) in [
                    ("refs/heads/b00", 100),
                    ("refs/heads/", count),
                    ("refs/heads/b0042", 1),
                    ("refs/heads/c", 0),
                    ("refs/", count),
                ] {
                    let mut found = Vec::new();
                    let keep = |n: &[u8]| {
                        found.push(n.to_vec());
                        true
                    };
                    packed.each(prefix, keep).unwrap();
                    assert_eq!(found.len(), many, "{prefix} of {count}");
                    assert!(found.is_sorted());
                }
            }
        }
    }

    #[test]
    fn an_unsorted_file_is_searched_line_by_line() {
        let mut text = "# pack-refs with: peeled \n1 refs/heads/z\n2 refs/heads/a\n".to_owned();
        for _ in 0..2 {
            let packed = on_disk(&text);
            assert!(packed.has("refs/heads/a").unwrap());
            assert!(packed.has("refs/heads/z").unwrap());
            assert!(!packed.has("refs/heads/m").unwrap());
            text.push_str(&"3 refs/heads/zz\n".repeat(2000));
        }
    }
}
