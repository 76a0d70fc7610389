//! Which paths git tracks below a directory, read by hand from the index.

use super::child::Ground;
use super::repo::{Repo, lexical, under};
use super::spot::Site;
use super::{Fact, World};
use crate::action::Place;
use crate::shell::Word;
use std::io::Read;

/// Longest index that is read by hand.
const INDEX_MAX: u64 = 64 * 1024 * 1024;

/// Bytes of an entry before its flags, with SHA-1 names.
const FIXED: usize = 60;

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
    use super::below;

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
    fn another_kind_and_a_cut_file_are_not_told() {
        assert_eq!(below(&index(4, &["a"]), b"a/"), None);
        assert_eq!(below(b"", b"a/"), None);
        let whole = index(2, &["a", "b/c"]);
        assert_eq!(below(&whole[..40], b"b/"), None);
    }
}
