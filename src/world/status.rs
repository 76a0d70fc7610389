//! One look of git at a checkout: what differs from the last commit, without running anything of the repository's.

use super::World;
use super::child::Ground;
use crate::action::Place;
use std::path::Path;

/// The id of a tree without entries.
const EMPTY_TREE: &str = "4b825dc642cb6eb9a060e54bf8d69288fbee4904";

/// What to look at.
pub(super) struct Sight<'a> {
    pub(super) git_dir: &'a Path,
    pub(super) top: &'a Path,
    /// Where relative pathspecs start.
    pub(super) dir: &'a Path,
    /// `no`, `normal` or `all`.
    pub(super) untracked: &'static str,
    /// What is changed in submodules counts too.
    pub(super) submodules: bool,
    /// Pathspecs hold no magic and no patterns.
    pub(super) literal: bool,
    /// Pathspecs; none = everything.
    pub(super) paths: &'a [String],
}

/// One path that differs; the letters are those of `git status --porcelain`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Entry {
    /// The index against the last commit; `?` where it is not tracked.
    pub(super) staged: char,
    /// The file against the index.
    pub(super) edited: char,
    /// From the top of the checkout.
    pub(super) path: String,
}

/// What differs.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Seen {
    pub(super) entries: Vec<Entry>,
    /// There are more than were read.
    pub(super) cut: bool,
}

impl World {
    /// What git sees of the paths in `sight`.
    pub(super) fn status(&self, sight: &Sight<'_>) -> Result<Seen, String> {
        let untracked = format!("--untracked-files={}", sight.untracked);
        let mut args = vec!["status", "--porcelain", "-z", "--no-renames", &untracked];
        args.push(if sight.submodules {
            "--ignore-submodules=none"
        } else {
            "--ignore-submodules=all"
        });
        args.push("--");
        args.extend(sight.paths.iter().map(String::as_str));
        let answer = self.look(sight, &args)?;
        let cut = !answer.is_empty() && !answer.ends_with('\0');
        let whole = match answer.rfind('\0') {
            Some(end) => answer.get(..end).unwrap_or_default(),
            None => "",
        };
        let entries = whole.split('\0').filter_map(entry).collect();
        Ok(Seen { entries, cut })
    }

    /// What `git ARGS` says there; the beginning of it where it says much.
    pub(super) fn look(&self, sight: &Sight<'_>, args: &[&str]) -> Result<String, String> {
        let ground = Ground {
            git_dir: sight.git_dir.to_owned(),
            work_tree: Some(sight.top.to_owned()),
        };
        let mut all = self.unfiltered(sight.top)?;
        if sight.dir != sight.top {
            all.push("-C".to_owned());
            all.push(sight.dir.to_string_lossy().into_owned());
        }
        if sight.literal {
            all.push("--literal-pathspecs".to_owned());
        }
        let all: Vec<&str> = all
            .iter()
            .map(String::as_str)
            .chain(args.iter().copied())
            .collect();
        let home = self.around.home.as_deref();
        self.children.ask(&ground, home, &all)
    }

    /// One path that a checkout has and its last commit has not.
    pub(super) fn dirty(
        &self,
        git_dir: &Path,
        top: &Path,
        untracked: bool,
    ) -> Result<Option<String>, String> {
        let sight = Sight {
            git_dir,
            top,
            dir: top,
            untracked: if untracked { "normal" } else { "no" },
            submodules: true,
            literal: false,
            paths: &[],
        };
        let seen = self.status(&sight)?;
        Ok(seen.entries.into_iter().next().map(|entry| entry.path))
    }

    /// Options with which no filter of the repository runs: nobody asked for a program of its choice.
    fn unfiltered(&self, top: &Path) -> Result<Vec<String>, String> {
        let place = Place {
            dir: Some(top.to_owned()),
            ..Place::default()
        };
        // The attributes of an empty tree name none; older gits do not know this key.
        let mut args = vec!["-c".to_owned(), format!("attr.tree={EMPTY_TREE}")];
        for spot in self.spots(&place) {
            if let Some(why) = &spot.settings.blind {
                return Err(why.clone());
            }
            for name in spot.settings.middles("filter") {
                for (key, value) in [("clean", ""), ("process", ""), ("required", "false")] {
                    args.push("-c".to_owned());
                    args.push(format!("filter.{name}.{key}={value}"));
                }
            }
        }
        Ok(args)
    }
}

/// `XY PATH`.
fn entry(text: &str) -> Option<Entry> {
    let mut letters = text.chars();
    let (staged, edited) = (letters.next()?, letters.next()?);
    let path = letters.as_str().strip_prefix(' ')?.to_owned();
    Some(Entry {
        staged,
        edited,
        path,
    })
}
