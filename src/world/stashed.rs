//! Whether what a stash entry holds would be lost with it.

use super::spot::Site;
use super::status::Sight;
use super::{Fact, World};
use crate::action::Place;
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

/// An entry that holds more files is not compared.
const MOST: usize = 200;

/// A file as git names it: its path and the id of its content.
type File = (String, String);

impl World {
    /// Whether all that entry `at` of the stash holds is in the last commit, in the index or in the
    /// files of the checkout at `place` as well; `at` is its number before this call.
    pub fn stash_kept(&self, place: &Place, at: usize) -> Fact<bool> {
        self.kept_elsewhere(place, at)
            .map_or_else(Fact::Unknown, Fact::Known)
    }

    fn kept_elsewhere(&self, place: &Place, at: usize) -> Result<bool, String> {
        let site = self.scene.live.first().map(|a| self.site(a, place));
        let Some(Site::Here(repo)) = site else {
            return Err("there is no repository to look at".to_owned());
        };
        let Some(top) = repo.top.as_deref() else {
            return Err("there is no checkout to look at".to_owned());
        };
        let sight = Sight {
            git_dir: &repo.git_dir,
            top,
            dir: top,
            untracked: "no",
            submodules: false,
            literal: true,
            paths: &[],
        };
        let ask = |args: &[&str]| self.look(&sight, args);
        let name = format!("stash@{{{at}}}");
        // The entry, what it stands on, the index, and what was not tracked.
        let line = ask(&["rev-list", "--parents", "-n", "1", &name])?;
        let ids: Vec<&str> = line.split_whitespace().collect();
        let [entry, base, rest @ ..] = ids.as_slice() else {
            return Err("git does not tell what the entry stands on".to_owned());
        };
        let mut files = BTreeSet::new();
        for (number, id) in std::iter::once(entry).chain(rest).enumerate() {
            if number == 2 {
                files.extend(listed(&ask(&["ls-tree", "-r", "-z", id])?));
            } else {
                files.extend(changed(&ask(&[
                    "diff-tree",
                    "-r",
                    "-z",
                    "--no-renames",
                    base,
                    id,
                ])?));
            }
        }
        if files.len() > MOST {
            return Err(format!("it holds more than {MOST} files"));
        }
        let paths: BTreeSet<&str> = files.iter().map(|(path, _)| path.as_str()).collect();
        if paths.is_empty() {
            return Ok(true);
        }
        let with = |args: &[&'static str], paths: &BTreeSet<&str>| -> Result<String, String> {
            let all: Vec<&str> = args.iter().chain(paths).copied().collect();
            ask(&all)
        };
        let mut kept: BTreeSet<File> = BTreeSet::new();
        kept.extend(listed(&with(
            &["ls-tree", "-r", "-z", "HEAD", "--"],
            &paths,
        )?));
        kept.extend(listed(&with(&["ls-files", "-s", "-z", "--"], &paths)?));
        let there: BTreeSet<&str> = paths.iter().copied().filter(|p| is_file(top, p)).collect();
        if !there.is_empty() {
            let told = with(&["hash-object", "--no-filters", "--"], &there)?;
            let pairs = there.iter().zip(told.lines());
            kept.extend(pairs.map(|(path, id)| ((*path).to_owned(), id.to_owned())));
        }
        Ok(files.is_subset(&kept))
    }
}

fn is_file(top: &Path, path: &str) -> bool {
    fs::symlink_metadata(top.join(path)).is_ok_and(|found| found.is_file())
}

/// `:MODE MODE OLD NEW LETTER`, then the path; what is gone holds nothing.
fn changed(text: &str) -> Vec<File> {
    let mut parts = text.split('\0');
    let mut all = Vec::new();
    while let (Some(head), Some(path)) = (parts.next(), parts.next()) {
        let mut words = head.split(' ').skip(3);
        if let (Some(id), Some(letter)) = (words.next(), words.next())
            && letter != "D"
        {
            all.push((path.to_owned(), id.to_owned()));
        }
    }
    all
}

/// The lines of `ls-tree` (`MODE blob ID`) and of `ls-files -s` (`MODE ID STAGE`), each with a tab
/// and the path behind it.
fn listed(text: &str) -> Vec<File> {
    let lines = text.split('\0').filter_map(|line| line.split_once('\t'));
    let file = |(head, path): (&str, &str)| {
        let id = head.split(' ').find(|word| word.len() >= 40)?;
        Some((path.to_owned(), id.to_owned()))
    };
    lines.filter_map(file).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_of_files_are_read_as_git_writes_them() {
        let id = "a".repeat(40);
        let old = "b".repeat(40);
        let told = format!(
            ":100644 100644 {old} {id} M\0a b\0:100644 000000 {old} {} D\0gone\0",
            "0".repeat(40)
        );
        assert_eq!(changed(&told), [("a b".to_owned(), id.clone())]);
        let told = format!("100644 blob {id}\tx\0100644 {old} 0\td/y\0");
        assert_eq!(
            listed(&told),
            [("x".to_owned(), id), ("d/y".to_owned(), old)]
        );
        assert!(changed("").is_empty() && listed("").is_empty());
    }
}
