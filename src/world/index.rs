//! Which paths git tracks, and which of them are as they were staged, read by hand from the index.

use super::child::Ground;
use super::repo::{Repo, lexical, under};
use super::spot::Site;
use super::{Fact, World};
use crate::action::Place;
use crate::shell::Word;
use std::collections::BTreeMap;
use std::io::Read;
use std::path::Path;

/// Longest index that is read by hand.
const INDEX_MAX: u64 = 64 * 1024 * 1024;

/// Bytes of an entry before its flags, with SHA-1 names.
const FIXED: usize = 60;

/// Bytes of the checksum at the end.
const SUM: usize = 20;

impl World {
    /// Whether git tracks files below `path`: then it is a directory to git, there or not.
    pub fn tracks_below(&self, place: &Place, path: &Word) -> Fact<bool> {
        let (Some(dir), Some(text)) = (&place.dir, path.known()) else {
            return Fact::Unknown("the directory is not known".to_owned());
        };
        let full = lexical(&dir.join(text));
        let mut tracks = false;
        for alternative in &self.scene.live {
            let Site::Here(repo) = self.site(alternative, place) else {
                continue;
            };
            let inside = repo
                .top
                .as_ref()
                .and_then(|top| full.strip_prefix(top).ok());
            let Some(inside) = inside.and_then(|p| p.to_str()).filter(|p| !p.is_empty()) else {
                continue;
            };
            if repo.made || repo.added {
                continue;
            }
            let prefix = format!("{inside}/");
            match self.has_below(&repo, &prefix) {
                Ok(has) => tracks |= has,
                Err(why) => return Fact::Unknown(why),
            }
        }
        Fact::Known(tracks)
    }

    fn has_below(&self, repo: &Repo, prefix: &str) -> Result<bool, String> {
        let path = under(&repo.git_dir, "index");
        let Ok((file, _)) = super::files::open(&path) else {
            return Ok(false);
        };
        let mut bytes = Vec::new();
        let read = file.take(INDEX_MAX).read_to_end(&mut bytes);
        if read.is_ok()
            && (bytes.len() as u64) < INDEX_MAX
            && let Some(has) = below(&bytes, prefix.as_bytes())
        {
            return Ok(has);
        }
        let ground = Ground {
            git_dir: repo.git_dir.clone(),
            work_tree: repo.top.clone(),
        };
        let spec = format!(":(top,literal){prefix}");
        let home = self.around.home.as_deref();
        let args = ["ls-files", "-z", "--", spec.as_str()];
        Ok(!self.children.ask(&ground, home, &args)?.is_empty())
    }
}

/// What the index tells of one file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Tracked {
    /// The file is what was staged.
    Clean,
    /// It may be another.
    Perhaps,
    /// git does not track it.
    No,
}

/// What the index of `repo` tells of these files, paths from the top; `None` where it does not tell.
pub(super) fn tracked(repo: &Repo, top: &Path, paths: &[&str]) -> Option<Vec<Tracked>> {
    let (file, meta) = super::files::open(&under(&repo.git_dir, "index")).ok()?;
    if meta.len() >= INDEX_MAX {
        return None;
    }
    let mut bytes = Vec::new();
    file.take(INDEX_MAX).read_to_end(&mut bytes).ok()?;
    let mut all = vec![Tracked::No; paths.len()];
    let asked = paths.iter().enumerate();
    let asked: BTreeMap<&[u8], usize> = asked.map(|(at, path)| (path.as_bytes(), at)).collect();
    entries(&bytes, |name, entry| {
        let at = asked.get(name).copied();
        if let Some((told, path)) = at.and_then(|at| all.get_mut(at).zip(paths.get(at))) {
            *told = match unchanged(entry, &top.join(path), &meta) {
                true => Tracked::Clean,
                false => Tracked::Perhaps,
            };
        }
    })?;
    Some(all)
}

/// Hands out every entry with its name; `None` where the index is of another kind than 2 or 3, or
/// holds a part of its entries elsewhere.
fn entries<'a>(index: &'a [u8], mut each: impl FnMut(&'a [u8], &'a [u8])) -> Option<()> {
    if !index.starts_with(b"DIRC") || !matches!(number(index, 4)?, 2 | 3) {
        return None;
    }
    let mut at = 12usize;
    for _ in 0..number(index, 8)? {
        let entry = index.get(at..)?;
        let high = *entry.get(FIXED)?;
        let name = FIXED + if high & 0x40 == 0 { 2 } else { 4 };
        let rest = entry.get(name..)?;
        let length = rest.iter().position(|b| *b == 0)?;
        each(rest.get(..length)?, entry);
        let size = name.checked_add(length)?;
        at = at.checked_add(size.checked_add(8)? & !7)?;
    }
    let end = index.len().checked_sub(SUM)?;
    while at < end {
        if matches!(index.get(at..at.checked_add(4)?)?, b"link" | b"sdir") {
            return None;
        }
        let length = usize::try_from(number(index, at.checked_add(4)?)?).ok()?;
        at = at.checked_add(8)?.checked_add(length)?;
    }
    // Names of another length than SHA-1's do not come out even.
    (at == end).then_some(())
}

fn number(index: &[u8], at: usize) -> Option<u32> {
    let four: [u8; 4] = index.get(at..at.checked_add(4)?)?.try_into().ok()?;
    Some(u32::from_be_bytes(four))
}

/// Whether size and time of the file are those of the entry, and older than the index.
#[cfg(unix)]
fn unchanged(entry: &[u8], file: &Path, index: &std::fs::Metadata) -> bool {
    use std::os::unix::fs::MetadataExt;
    let Ok(meta) = std::fs::symlink_metadata(file) else {
        return false;
    };
    let field = |at| number(entry, at).map(i64::from);
    let flags = entry.get(FIXED).copied().unwrap_or(u8::MAX);
    // A conflict, or an entry that is not meant to be there as it is.
    if !meta.is_file() || flags & 0x70 != 0 {
        return false;
    }
    let size = i64::try_from(meta.size() & u64::from(u32::MAX)).ok();
    let same =
        (field(8), field(12), field(36)) == (Some(meta.mtime()), Some(meta.mtime_nsec()), size);
    // What was changed within the same tick looks unchanged.
    same && (meta.mtime(), meta.mtime_nsec()) < (index.mtime(), index.mtime_nsec())
}

#[cfg(not(unix))]
fn unchanged(_: &[u8], _: &Path, _: &std::fs::Metadata) -> bool {
    false
}

/// Whether an entry starts with `prefix`; `None` where the index is of another kind than 2 or 3.
fn below(index: &[u8], prefix: &[u8]) -> Option<bool> {
    let number = |at: usize| {
        let four: [u8; 4] = index.get(at..at.checked_add(4)?)?.try_into().ok()?;
        Some(u32::from_be_bytes(four))
    };
    if !index.starts_with(b"DIRC") || !matches!(number(4)?, 2 | 3) {
        return None;
    }
    let mut at = 12usize;
    for _ in 0..number(8)? {
        let high = *index.get(at.checked_add(FIXED)?)?;
        // The bit for two more bytes of flags.
        let name = at.checked_add(FIXED + if high & 0x40 == 0 { 2 } else { 4 })?;
        let rest = index.get(name..)?;
        if rest.starts_with(prefix) {
            return Some(true);
        }
        let length = rest.iter().position(|b| *b == 0)?;
        // Sorted: what starts with the prefix would have come.
        if rest.get(..length)? > prefix {
            return Some(false);
        }
        let size = name.checked_add(length)?.checked_sub(at)?;
        at = at.checked_add(size.checked_add(8)? & !7)?;
    }
    Some(false)
}

#[cfg(test)]
mod tests {
    use super::{below, entries};

    fn index(version: u32, names: &[&str]) -> Vec<u8> {
        let mut out = b"DIRC".to_vec();
        out.extend(version.to_be_bytes());
        out.extend(u32::try_from(names.len()).unwrap().to_be_bytes());
        for name in names {
            let mut entry = vec![1u8; 60];
            entry.extend([0, u8::try_from(name.len()).unwrap()]);
            entry.extend(name.as_bytes());
            let padded = (entry.len() + 8) & !7;
            entry.resize(padded, 0);
            out.extend(entry);
        }
        out
    }

    #[test]
    fn entries_of_every_length_are_stepped_over() {
        let names = [
            "a",
            "ab/c",
            "b.txt",
            "docs/d.md",
            "docs2/abcdefgh",
            "z/0123456",
        ];
        let index = index(2, &names);
        for (prefix, has) in [
            ("ab/", true),
            ("docs/", true),
            ("docs2/", true),
            ("z/", true),
            ("a/", false),
            ("b.txt/", false),
            ("zz/", false),
        ] {
            assert_eq!(below(&index, prefix.as_bytes()), Some(has), "{prefix}");
        }
    }

    #[test]
    fn entries_are_told_only_where_all_of_them_are_there() {
        let names = ["a", "ab/c", "docs2/abcdefgh"];
        let told = |index: &[u8]| {
            let mut seen = Vec::new();
            let whole = entries(index, |name, _| {
                seen.push(String::from_utf8_lossy(name).into_owned());
            });
            whole.map(|()| seen)
        };
        let mut bytes = index(2, &names);
        assert_eq!(told(&bytes), None);
        bytes.extend(b"TREE\0\0\0\x03abc");
        bytes.extend([7; 20]);
        assert_eq!(told(&bytes), Some(names.map(str::to_owned).to_vec()));
        let mut split = index(2, &names);
        split.extend(b"link\0\0\0\0");
        split.extend([7; 20]);
        assert_eq!(told(&split), None);
        let mut wider = index(2, &names);
        wider.extend([7; 32]);
        assert_eq!(told(&wider), None);
    }

    #[test]
    fn another_kind_and_a_cut_file_are_not_told() {
        assert_eq!(below(&index(4, &["a"]), b"a/"), None);
        assert_eq!(below(b"", b"a/"), None);
        let whole = index(2, &["a", "b/c"]);
        assert_eq!(below(&whole[..40], b"b/"), None);
    }
}
