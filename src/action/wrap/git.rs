//! git verbs that run commands of the caller's choice: `rebase -x`, `bisect run`, `submodule foreach`.

use super::{join, plain, text};
use crate::shell::{Command, Inner, OPAQUE, Opaque, Word};

/// Global options of git that take a separate value.
const VALUED: &[&str] = &[
    "-C",
    "-c",
    "--git-dir",
    "--work-tree",
    "--namespace",
    "--config-env",
    "--attr-source",
];

/// Options of a verb whose value is shell text.
const CARRIERS: &[(&str, &[&str])] = &[
    ("rebase", &["-x", "--exec"]),
    ("difftool", &["-x", "--extcmd"]),
    ("clone", &["-u", "--upload-pack"]),
    ("fetch", &["--upload-pack"]),
    ("pull", &["--upload-pack"]),
    ("ls-remote", &["--upload-pack", "--exec"]),
    ("push", &["--receive-pack", "--exec"]),
    ("archive", &["--exec"]),
    ("grep", &["-O", "--open-files-in-pager"]),
    ("send-email", &["--sendmail-cmd", "--to-cmd", "--cc-cmd"]),
    (
        "filter-branch",
        &[
            "--setup",
            "--env-filter",
            "--tree-filter",
            "--index-filter",
            "--parent-filter",
            "--msg-filter",
            "--commit-filter",
            "--tag-name-filter",
        ],
    ),
];

/// What git itself would run besides its own work.
pub(super) fn unfold(words: &[Word], _: &Command) -> Vec<Inner> {
    let Some(at) = verb_at(words) else {
        return Vec::new();
    };
    let (globals, rest) = words.split_at(at);
    let Some((verb, args)) = rest.split_first() else {
        return Vec::new();
    };
    let mut found = match verb.text.as_str() {
        "bisect" if args.first().is_some_and(|w| w.text == "run") => run(args.get(1..)),
        "submodule" => foreach(args),
        "for-each-repo" => {
            let inner = args
                .iter()
                .position(|w| !w.text.starts_with('-'))
                .and_then(|i| args.get(i..));
            inner.map(|tail| plain(&git(tail))).into_iter().collect()
        }
        "hook" | "stash" | "log" => Vec::new(),
        name => carried(name, args),
    };
    place(&mut found, globals);
    found
}

/// Where the verb stands.
fn verb_at(words: &[Word]) -> Option<usize> {
    let mut at = 0;
    while let Some(word) = words.get(at) {
        if !word.text.starts_with('-') {
            return Some(at);
        }
        at += if VALUED.contains(&word.text.as_str()) {
            2
        } else {
            1
        };
    }
    None
}

fn git(args: &[Word]) -> Vec<Word> {
    let program = Word {
        text: "git".to_owned(),
        ..args.first().cloned().unwrap_or_default()
    };
    std::iter::once(program)
        .chain(args.iter().cloned())
        .collect()
}

fn run(args: Option<&[Word]>) -> Vec<Inner> {
    args.filter(|a| !a.is_empty())
        .map(plain)
        .into_iter()
        .collect()
}

/// `submodule [--quiet] foreach [--recursive] COMMAND…`: one word is shell text.
fn foreach(args: &[Word]) -> Vec<Inner> {
    let Some(at) = args.iter().position(|w| w.text == "foreach") else {
        return Vec::new();
    };
    let rest = args.get(at + 1..).unwrap_or_default();
    let skip = rest
        .iter()
        .take_while(|w| w.text.starts_with("--") && w.text.len() > 2)
        .count();
    let rest = rest.get(skip..).unwrap_or_default();
    let mut inner = match rest {
        [] => return Vec::new(),
        [one] => text(one.clone(), &[]),
        many => plain(many),
    };
    // Each runs in a submodule; which there are, only the run knows.
    if let Inner::Text { dir, .. } | Inner::Argv { dir, .. } = &mut inner {
        *dir = rest.first().map(|word| Word {
            text: OPAQUE.to_string(),
            opaque: Opaque::One,
            ..word.clone()
        });
    }
    vec![inner]
}

fn carried(verb: &str, args: &[Word]) -> Vec<Inner> {
    let Some((_, carriers)) = CARRIERS.iter().find(|(name, _)| *name == verb) else {
        return Vec::new();
    };
    let mut found = Vec::new();
    let mut words = args.iter();
    while let Some(word) = words.next() {
        let value = carriers.iter().find_map(|c| value_of(&word.text, c));
        match value {
            Some(Some(value)) => found.push(text(
                Word {
                    text: value.to_owned(),
                    ..word.clone()
                },
                &[],
            )),
            // `grep -O` alone takes the usual pager.
            Some(None) if verb != "grep" => {
                found.extend(words.next().map(|t| text(t.clone(), &[])));
            }
            _ => {}
        }
    }
    found
}

/// The value of `carrier` in this word, `Some(None)` where it is the next word.
fn value_of<'a>(word: &'a str, carrier: &str) -> Option<Option<&'a str>> {
    if carrier.starts_with("--") {
        let (name, value) = match word.split_once('=') {
            Some((name, value)) => (name, Some(value)),
            None => (word, None),
        };
        // git takes any beginning of an option that is like no other.
        return (name.len() > 2 && carrier.starts_with(name)).then_some(value);
    }
    let letter = carrier.chars().nth(1)?;
    let letters = word.strip_prefix('-').filter(|l| !l.starts_with('-'))?;
    let (_, rest) = letters.split_once(letter)?;
    let rest = rest.strip_prefix('=').unwrap_or(rest);
    Some((!rest.is_empty()).then_some(rest))
}

/// The inner command runs where `-C` points.
fn place(found: &mut [Inner], globals: &[Word]) {
    let dirs: Vec<Word> = globals
        .windows(2)
        .filter_map(|pair| match pair {
            [flag, dir] if flag.text == "-C" => Some(dir.clone()),
            _ => None,
        })
        .collect();
    let Some(mut at) = join(&dirs) else { return };
    at.text = dirs
        .iter()
        .map(|d| d.text.as_str())
        .collect::<Vec<_>>()
        .join("/");
    for inner in found {
        if let Inner::Argv { dir, .. } | Inner::Text { dir, .. } = inner {
            *dir = Some(at.clone());
        }
    }
}
