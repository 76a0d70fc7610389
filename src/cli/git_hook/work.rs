//! What git is about to do, as it tells its hooks: arguments, standard input, a few variables.

use super::given::{Given, Hook};
use crate::call::{Hooked, RefUpdate, Work};
use crate::person::chain::Process;
use crate::verdict::Fault;
use std::path::{Path, PathBuf};

/// A command line of more words, or of more bytes, may have been cut where it was read.
const MOST_WORDS: usize = 31;
const MOST_BYTES: usize = 4000;

/// The work; `None` where there is nothing to judge.
pub(super) fn read(given: &Given, input: &[u8]) -> Result<Option<Work>, Fault> {
    if given.hook != Hook::PrePush {
        return Ok(Some(Work::Commit { sweeps: sweeps() }));
    }
    let mut args = given.args.iter().map(|arg| arg.to_string_lossy());
    let remote = args.next().unwrap_or_default().into_owned();
    let url = args.next().unwrap_or_default().into_owned();
    let updates = updates(&String::from_utf8_lossy(input))?;
    if updates.is_empty() {
        return Ok(None);
    }
    Ok(Some(Work::Push {
        remote,
        url,
        updates,
    }))
}

/// `commit -a` and `-i` fill an index of their own, under the name of the lock.
fn sweeps() -> bool {
    let index = std::env::var_os("GIT_INDEX_FILE").map(PathBuf::from);
    index.is_some_and(|index| index.file_name().is_some_and(|name| name == "index.lock"))
}

fn updates(text: &str) -> Result<Vec<RefUpdate>, Fault> {
    let wrong = |line: &str| Fault {
        code: "fault/bad-refs",
        what: format!("git hands over a line that is none of its refs: `{line}`"),
    };
    let object = |word: &str| {
        let hex = word.len() >= 40 && word.bytes().all(|b| b.is_ascii_hexdigit());
        let none = word.bytes().all(|b| b == b'0');
        hex.then(|| (!none).then(|| word.to_owned()))
    };
    let line = |line: &str| {
        // A source such as `:/fix this` may hold blanks; the other three do not.
        let mut words = line.rsplitn(4, ' ');
        let (old, refname, new, source) =
            (words.next()?, words.next()?, words.next()?, words.next()?);
        Some(RefUpdate {
            source: source.to_owned(),
            new: object(new)?,
            refname: refname.to_owned(),
            old: object(old)?,
        })
    };
    text.lines()
        .filter(|text| !text.is_empty())
        .map(|text| line(text).ok_or_else(|| wrong(text)))
        .collect()
}

/// The work with what is known of the git that does it.
pub(super) fn hooked(work: Work, git: Option<&Process>) -> Hooked {
    Hooked {
        git_dir: std::env::var_os("GIT_DIR").map(PathBuf::from),
        typed: git.and_then(typed),
        work,
    }
}

/// Whether it is git: the nearest one called us, whatever manager of hooks stands between.
pub(super) fn is_git(process: &Process) -> bool {
    let path = Path::new(&process.executable);
    path.file_name().is_some_and(|name| name == "git")
}

fn typed(process: &Process) -> Option<String> {
    let words = process.args.get(1..)?;
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    // The last one ends the list.
    let words = words.strip_suffix(&[""]).unwrap_or(&words);
    let bytes: usize = words.iter().map(|word| word.len().saturating_add(1)).sum();
    if words.len() >= MOST_WORDS || bytes >= MOST_BYTES {
        return None;
    }
    let mut text = String::from("git");
    for word in words {
        text.push(' ');
        text.push_str(&quoted(word));
    }
    Some(text)
}

/// As one word of a shell.
fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "_-./:@%+,=".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    const A: &str = "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa";
    const NONE: &str = "0000000000000000000000000000000000000000";

    #[test]
    fn lines_are_read_as_git_writes_them() {
        let text = format!(
            "refs/heads/f {A} refs/heads/main {A}\n(delete) {NONE} refs/heads/old {A}\n\
             :/fix this {A} refs/heads/new {NONE}\n"
        );
        let read = updates(&text).unwrap();
        assert_eq!(read[0].refname, "refs/heads/main");
        assert_eq!(
            (read[1].new.as_deref(), read[1].old.as_deref()),
            (None, Some(A))
        );
        assert_eq!(
            (read[2].source.as_str(), &read[2].old),
            (":/fix this", &None)
        );
        assert_eq!(updates("").unwrap(), []);
    }

    #[test]
    fn a_line_that_is_none_is_a_fault() {
        for text in ["x", "a b c d", &format!("a {A} refs/heads/x --all")] {
            assert_eq!(updates(text).unwrap_err().code, "fault/bad-refs", "{text}");
        }
    }

    #[test]
    fn a_command_line_is_quoted_and_a_cut_one_is_none() {
        let git = |args: &[&str]| {
            typed(&Process {
                args: args.iter().map(|a| (*a).to_owned()).collect(),
                ..Process::default()
            })
        };
        assert_eq!(
            git(&["/usr/bin/git", "commit", "-m", "it's", ""]).as_deref(),
            Some(r"git commit -m 'it'\''s'")
        );
        assert_eq!(git(&["git"; 40]), None);
        assert_eq!(git(&["git", &"x".repeat(4096)]), None);
    }
}
