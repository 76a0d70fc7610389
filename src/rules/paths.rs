//! Paths of files that an act writes, moves or removes, taken apart for the laws that guard files.

use super::target::spelled;
use crate::action::{Act, Action, Alter, is_mark};
use crate::shell::Word;
use crate::world::World;
use std::path::{Path, PathBuf};

/// A path as its components, `.` and `..` worked out by their spelling.
pub(super) struct Parts {
    /// The components.
    pub(super) parts: Vec<String>,
    /// It starts at the root of the file system.
    pub(super) rooted: bool,
    /// It holds wildcards.
    glob: bool,
}

impl Parts {
    /// The path of `word` as seen from `dir`.
    pub(super) fn of(word: &Word, dir: Option<&Path>) -> Parts {
        let mut parts: Vec<String> = Vec::new();
        let absolute = word.text.starts_with('/');
        let base = dir.filter(|_| !absolute).and_then(Path::to_str);
        let all = base.unwrap_or_default().split('/');
        for part in all.chain(word.text.split('/')) {
            match part {
                "" | "." => {}
                ".." => {
                    parts.pop();
                }
                _ => parts.push(part.to_owned()),
            }
        }
        Parts {
            parts,
            rooted: absolute || base.is_some(),
            glob: word.glob,
        }
    }

    /// The same file by the path that links lead to; `last` = a link at the end is followed too.
    /// `None` where there is no link on the way.
    pub(super) fn followed(
        word: &Word,
        dir: Option<&Path>,
        last: bool,
        world: &World,
    ) -> Option<Parts> {
        let unknown = |part: &str| part.chars().any(is_mark) || word.glob && wild(part);
        let all: Vec<&str> = word.text.split('/').collect();
        let most = all.len().saturating_sub(usize::from(!last));
        let count = all
            .iter()
            .take(most)
            .take_while(|part| !unknown(part))
            .count();
        let (way, rest) = all.split_at_checked(count)?;
        let base = match (word.text.starts_with('/'), dir) {
            (true, _) => Path::new("/"),
            (false, dir) => dir?,
        };
        let way = base.join(way.join("/").trim_start_matches('/'));
        let there = world.settled(&way)?;
        let whole = Word {
            text: [there.to_str()?]
                .iter()
                .chain(rest)
                .copied()
                .collect::<Vec<_>>()
                .join("/"),
            ..word.clone()
        };
        Some(Parts::of(&whole, None))
    }

    /// The first `n` components as a path; `None` where a part of it is not known.
    pub(super) fn first(&self, n: usize) -> Option<PathBuf> {
        let parts = self.parts.get(..n)?;
        let known = |part: &String| !part.chars().any(is_mark) && !self.wild(part);
        if !self.rooted || !parts.iter().all(known) {
            return None;
        }
        let mut path = PathBuf::from("/");
        path.extend(parts);
        Some(path)
    }

    /// All of it as a path.
    pub(super) fn whole(&self) -> Option<PathBuf> {
        self.first(self.parts.len())
    }

    fn wild(&self, part: &str) -> bool {
        self.glob && wild(part)
    }

    /// Whether `part` of this path is `name`, or a pattern that the shell may replace by it.
    pub(super) fn is(&self, part: &str, name: &str) -> bool {
        if part.eq_ignore_ascii_case(name) {
            return true;
        }
        // A wildcard does not stand for a leading dot.
        self.wild(part) && part.starts_with('.') == name.starts_with('.') && matches(part, name)
    }

    /// Whether the path is, or lies in, `dir`.
    pub(super) fn lies_in(&self, dir: &Path) -> bool {
        let mut parts = self.parts.iter();
        self.rooted && names(dir).all(|name| parts.next().is_some_and(|p| self.is(p, name)))
    }

    /// Whether `dir` is the path, or lies in it.
    pub(super) fn holds(&self, dir: &Path) -> bool {
        let mut names = names(dir);
        let all = |part: &String| names.next().is_some_and(|name| self.is(part, name));
        self.rooted && self.parts.iter().all(all)
    }
}

fn wild(part: &str) -> bool {
    part.contains(['*', '?', '['])
}

fn names(dir: &Path) -> impl Iterator<Item = &str> {
    dir.iter().filter_map(|n| n.to_str()).filter(|n| *n != "/")
}

/// Whether a shell pattern may match `name`; a bracket counts as any one character.
fn matches(pattern: &str, name: &str) -> bool {
    let mut simple: Vec<Option<char>> = Vec::new();
    let mut chars = pattern.chars();
    while let Some(c) = chars.next() {
        match c {
            '[' => {
                let closed = chars.clone().skip(1).position(|c| c == ']');
                if let Some(at) = closed {
                    chars.nth(at + 1);
                }
                simple.push(None);
            }
            '?' => simple.push(None),
            c => simple.push(Some(c)),
        }
    }
    let name: Vec<char> = name.chars().take(64).collect();
    // Which beginnings of the name the pattern so far can stand for.
    let mut row = vec![false; name.len() + 1];
    if let Some(first) = row.first_mut() {
        *first = true;
    }
    for want in simple.iter().take(64) {
        let mut next = vec![false; name.len() + 1];
        let mut any = false;
        for (at, slot) in next.iter_mut().enumerate() {
            let here = row.get(at).copied().unwrap_or_default();
            let before = at.checked_sub(1);
            any |= here;
            *slot = match want {
                Some('*') => any,
                _ => before.is_some_and(|b| {
                    row.get(b).copied().unwrap_or_default()
                        && want.is_none_or(|w| name.get(b) == Some(&w))
                }),
            };
        }
        row = next;
    }
    row.last().copied().unwrap_or_default()
}

/// What an act does to a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Deed {
    /// It is written.
    Write,
    /// It, and what it holds, is removed.
    Remove,
    /// It is removed, and only if it holds nothing.
    RemoveOne,
    /// It is moved.
    Move,
    /// Its rights change.
    Mode,
}

impl Deed {
    /// Directories go with all that they hold.
    pub(super) fn whole(self) -> bool {
        matches!(self, Deed::Remove | Deed::Move)
    }

    /// As a sentence.
    pub(super) fn of(self, word: &Word) -> String {
        let verb = match self {
            Deed::Write => "write",
            Deed::Remove | Deed::RemoveOne => "remove",
            Deed::Move => "move",
            Deed::Mode => "change the rights of",
        };
        format!("this would {verb} `{}`", spelled(word))
    }
}

/// The file that `action` touches, and how.
pub(super) fn touched(action: &Action) -> Option<(&Word, Deed)> {
    match &action.act {
        Act::Write { path } => Some((path, Deed::Write)),
        Act::Alter { path, by } => Some((
            path,
            match by {
                Alter::Remove { tree: true } => Deed::Remove,
                Alter::Remove { tree: false } => Deed::RemoveOne,
                Alter::Move => Deed::Move,
                Alter::Mode => Deed::Mode,
            },
        )),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_stand_for_names_as_in_a_shell() {
        for (pattern, name, want) in [
            ("*", "hooks", true),
            (".*", ".git", true),
            (".g??", ".git", true),
            (".[g]it", ".git", true),
            ("*.lock", "index.lock", true),
            ("*.lock", "index", false),
            ("h*s", "hooks", true),
            ("", "x", false),
        ] {
            assert_eq!(matches(pattern, name), want, "{pattern} {name}");
        }
    }

    #[test]
    fn paths_are_worked_out_from_their_directory() {
        let word = |text: &str| Word {
            text: text.to_owned(),
            ..Word::default()
        };
        let dir = Some(Path::new("/repo/src"));
        assert_eq!(
            Parts::of(&word("../.git/./x"), dir).parts,
            ["repo", ".git", "x"]
        );
        assert_eq!(Parts::of(&word("/a/b"), dir).parts, ["a", "b"]);
        assert!(Parts::of(&word(".."), dir).holds(Path::new("/repo")));
        assert!(Parts::of(&word("x"), dir).lies_in(Path::new("/repo")));
        assert_eq!(Parts::of(&word("x"), None).whole(), None);
    }
}
