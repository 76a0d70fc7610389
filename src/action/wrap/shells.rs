//! Shells: `-c TEXT`, a script file, or commands from standard input.

use super::text;
use crate::shell::{Command, Inner, Stdin, Word, shows};

/// What the words behind a shell's name say it would run, and what it reads before that.
pub(super) fn unfold(words: &[Word], command: &Command) -> Vec<Inner> {
    let mut found = asked(words);
    let named = |name: &str| matches!(name, "BASH_ENV" | "ENV");
    let first = command.assigns.iter().chain(command.exports.iter());
    for given in first.clone() {
        let shown = match given.name.as_str() {
            "PROMPT_COMMAND" => Some(given.value.clone()),
            "PS0" | "PS1" | "PS2" | "PS4" => shows(&given.value),
            _ => None,
        };
        found.extend(shown.map(|prompt| text(prompt, &[])));
    }
    let first = first.filter(|a| named(&a.name) && !a.value.text.is_empty());
    let options = words.windows(2).filter_map(|pair| match pair {
        [flag, file] if matches!(flag.text.as_str(), "--rcfile" | "--init-file") => Some(file),
        _ => None,
    });
    for path in first.map(|a| &a.value).chain(options) {
        found.push(Inner::File {
            path: path.clone(),
            args: Vec::new(),
        });
    }
    found
}

fn asked(words: &[Word]) -> Vec<Inner> {
    let mut carries = false;
    let mut from_stdin = false;
    let mut at = 0;
    while let Some(word) = words.get(at) {
        let t = word.text.as_str();
        at += 1;
        match t {
            "--" | "-" => break,
            "--rcfile" | "--init-file" => at += 1,
            "--version" | "--help" | "--dump-strings" | "--dump-po-strings" => return Vec::new(),
            _ if t.starts_with("--") => {}
            _ if t.starts_with('-') || t.starts_with('+') => {
                let letters = t.get(1..).unwrap_or_default();
                carries |= t.starts_with('-') && letters.contains('c');
                from_stdin |= t.starts_with('-') && letters.contains('s');
                // `-o pipefail` and `-O extglob` take the next word, also at the end of a cluster.
                at += letters.chars().filter(|c| matches!(c, 'o' | 'O')).count();
            }
            _ => {
                at -= 1;
                break;
            }
        }
    }
    let rest = words.get(at..).unwrap_or_default();
    if carries {
        return match rest.split_first() {
            Some((script, args)) => vec![text(script.clone(), args)],
            None => Vec::new(),
        };
    }
    match rest.split_first() {
        Some((path, args)) if !from_stdin => {
            vec![Inner::File {
                path: path.clone(),
                args: args.to_vec(),
            }]
        }
        _ => vec![Inner::Stdin {
            args: rest.to_vec(),
        }],
    }
}

/// `at` and `batch`: the commands stand in a file or come through a pipe.
pub(super) fn later(words: &[Word], command: &Command) -> Vec<Inner> {
    if let Some(at) = words.iter().position(|w| w.text == "-f")
        && let Some(path) = words.get(at + 1)
    {
        return vec![Inner::File {
            path: path.clone(),
            args: Vec::new(),
        }];
    }
    match command.stdin {
        Stdin::Inherited => Vec::new(),
        _ => vec![Inner::Stdin { args: Vec::new() }],
    }
}

/// Whether these words start a shell that reads typed lines.
pub(crate) fn waits(words: &[Word]) -> bool {
    let run = asked(words);
    matches!(run.first(), Some(Inner::Stdin { .. }))
}
