//! Answers to read-only questions whose output a script uses as a word.

use super::Head;
use super::spot::{Site, Spot};
use crate::action::{Place, basename};
use crate::shell::Command;

/// A question that facts can answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Question<'a> {
    Directory,
    /// `branch --show-current`: nothing when detached.
    Current,
    /// `rev-parse --abbrev-ref HEAD`.
    Abbreviated,
    TopLevel,
    GitDir,
    CommonDir,
    /// `symbolic-ref HEAD`, and whether short.
    Symbolic(bool),
    /// `remote get-url NAME`, and whether of pushes.
    Url(&'a str, bool),
}

/// What `command` asks, if it is one of the few.
pub(super) fn question(command: &Command) -> Option<Question<'_>> {
    let words: Option<Vec<&str>> = command.words.iter().map(|w| w.known()).collect();
    let words = words?;
    let (program, mut rest) = words.split_first()?;
    match basename(program) {
        "pwd" => return matches!(rest, [] | ["-L"] | ["-P"]).then_some(Question::Directory),
        "git" => {}
        _ => return None,
    }
    // Where it happens is the place's to tell.
    loop {
        rest = match rest {
            ["-C" | "-c" | "--git-dir" | "--work-tree", _, more @ ..] => more,
            ["--no-pager" | "-P", more @ ..] => more,
            [given, more @ ..]
                if given.starts_with("--git-dir=") || given.starts_with("--work-tree=") =>
            {
                more
            }
            _ => break,
        };
    }
    match rest {
        ["branch", "--show-current"] => Some(Question::Current),
        ["rev-parse", "--abbrev-ref", "HEAD" | "@"]
        | ["rev-parse", "HEAD" | "@", "--abbrev-ref"] => Some(Question::Abbreviated),
        ["rev-parse", "--show-toplevel"] => Some(Question::TopLevel),
        ["rev-parse", "--git-dir" | "--absolute-git-dir"] => Some(Question::GitDir),
        ["rev-parse", "--git-common-dir"] => Some(Question::CommonDir),
        ["remote", "get-url", name] => Some(Question::Url(name, false)),
        ["remote", "get-url", "--push", name] => Some(Question::Url(name, true)),
        ["symbolic-ref", options @ .., "HEAD"] => {
            let known = |o: &&str| matches!(*o, "--short" | "-q" | "--quiet");
            let short = options.contains(&"--short");
            options
                .iter()
                .all(known)
                .then_some(Question::Symbolic(short))
        }
        _ => None,
    }
}

/// The answer in one alternative.
pub(super) fn answer(
    question: Question<'_>,
    site: &Site,
    spot: &Spot<'_>,
    place: &Place,
) -> Option<String> {
    if question == Question::Directory {
        return place.dir.as_ref()?.to_str().map(str::to_owned);
    }
    let Site::Here(repo) = site else {
        return None;
    };
    let path = |p: &std::path::Path| p.to_str().map(str::to_owned);
    match question {
        Question::TopLevel => path(repo.top.as_ref()?),
        Question::GitDir if !repo.added => path(&repo.git_dir),
        Question::GitDir | Question::Directory => None,
        Question::CommonDir => path(&repo.common),
        Question::Current => Some(match spot.head().ok()? {
            Head::Branch(branch) => branch,
            Head::Detached => String::new(),
        }),
        Question::Abbreviated => match spot.head().ok()? {
            Head::Branch(branch) => {
                // Before the first commit it fails; a tag of that name makes it longer.
                let born = spot.has(&format!("refs/heads/{branch}")) == Ok(true);
                let tag = spot.has(&format!("refs/tags/{branch}")).ok()?;
                born.then(|| {
                    if tag {
                        format!("heads/{branch}")
                    } else {
                        branch
                    }
                })
            }
            Head::Detached => Some("HEAD".to_owned()),
        },
        Question::Url(name, pushing) => super::remote::url(&spot.settings, name, pushing),
        Question::Symbolic(short) => match spot.head().ok()? {
            Head::Branch(branch) if short => Some(branch),
            Head::Branch(branch) => Some(format!("refs/heads/{branch}")),
            Head::Detached => None,
        },
    }
}
