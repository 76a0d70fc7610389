//! `env`, `sudo` and `wsl`: a new environment, directory or user, then a command.

use super::{argv, opts, plain};
use crate::shell::{Assign, Command, Inner, Word};

/// How deep `env -S` may nest.
const SPLITS: usize = 4;

/// `env [-i] [-u NAME] [-C DIR] [-S TEXT] [NAME=VALUE]… COMMAND…` of GNU coreutils and BSD.
pub(super) fn unfold(words: &[Word], _: &Command) -> Vec<Inner> {
    let mut words = words.to_vec();
    let mut unset = Vec::new();
    let mut dir = None;
    let mut splits = 0;
    let mut at = 0;
    while let Some(word) = words.get(at).cloned() {
        let text = word.text.as_str();
        let (flag, attached) = match text.strip_prefix("--").and_then(|l| l.split_once('=')) {
            Some((name, value)) => (long(name), Some(value.to_owned())),
            None if text.starts_with("--") && text.len() > 2 => {
                (long(text.trim_start_matches('-')), None)
            }
            None if text.starts_with('-') && text.len() > 1 && text != "--" => short(text),
            _ => break,
        };
        at += 1;
        let mut value = || {
            attached
                .clone()
                .map(|text| Word {
                    text,
                    ..word.clone()
                })
                .or_else(|| {
                    at += 1;
                    words.get(at - 1).cloned()
                })
        };
        match flag {
            Some('u') => unset.extend(value().map(|w| w.text)),
            Some('C') => dir = value(),
            Some('S') => {
                let Some(text) = value() else { break };
                splits += 1;
                if splits > SPLITS {
                    break;
                }
                let rest = words.get(at..).unwrap_or_default().to_vec();
                words = split(&text);
                words.extend(rest);
                at = 0;
            }
            Some('i') => unset.push("*".to_owned()),
            _ => {}
        }
    }
    if words.get(at).is_some_and(|w| w.text == "--") {
        at += 1;
    }
    let (assigns, rest) = assignments(words.get(at..).unwrap_or_default());
    if rest.is_empty() {
        Vec::new()
    } else {
        vec![Inner::Argv {
            words: rest,
            assigns,
            unset,
            dir,
        }]
    }
}

fn long(name: &str) -> Option<char> {
    // GNU long options may be cut short as long as they are unique.
    let known = [
        ("unset", 'u'),
        ("chdir", 'C'),
        ("split-string", 'S'),
        ("ignore-environment", 'i'),
    ];
    known
        .iter()
        .find(|(full, _)| full.starts_with(name))
        .map(|(_, c)| *c)
}

/// The letter of a cluster that takes a value, with what is attached to it.
fn short(text: &str) -> (Option<char>, Option<String>) {
    for (at, letter) in text.char_indices().skip(1) {
        if matches!(letter, 'u' | 'C' | 'S' | 'P' | 'a') {
            let rest = text.get(at + 1..).unwrap_or_default();
            return (Some(letter), (!rest.is_empty()).then(|| rest.to_owned()));
        }
    }
    let cleared = text.contains('i');
    (cleared.then_some('i'), None)
}

/// Leading `NAME=VALUE` words.
fn assignments(words: &[Word]) -> (Vec<Assign>, Vec<Word>) {
    let mut assigns = Vec::new();
    let mut rest = words;
    while let Some((word, tail)) = rest.split_first() {
        let Some((name, value)) = word.text.split_once('=') else {
            break;
        };
        let value = Word {
            text: value.to_owned(),
            ..word.clone()
        };
        assigns.push(Assign {
            name: name.to_owned(),
            value,
        });
        rest = tail;
    }
    (assigns, rest.to_vec())
}

/// The words of `env -S`: quotes and backslashes as in a shell, no expansion but `${NAME}`.
fn split(text: &Word) -> Vec<Word> {
    let mut words = Vec::new();
    let mut now: Option<String> = None;
    let mut chars = text.text.chars().peekable();
    let mut quote = None;
    while let Some(c) = chars.next() {
        match (quote, c) {
            (None, ' ' | '\t' | '\n' | '\r' | '\u{b}' | '\u{c}') => {
                words.extend(now.take());
            }
            (None, '\'' | '"') => {
                quote = Some(c);
                now.get_or_insert_default();
            }
            (Some(q), c) if q == c => quote = None,
            (None, '#') if now.is_none() => break,
            (Some('\''), c) => now.get_or_insert_default().push(c),
            (_, '\\') => match chars.next() {
                Some('_') if quote.is_none() => words.extend(now.take()),
                Some('_') => now.get_or_insert_default().push(' '),
                Some('c') => break,
                Some('n') => now.get_or_insert_default().push('\n'),
                Some('t') => now.get_or_insert_default().push('\t'),
                Some(c) => now.get_or_insert_default().push(c),
                None => {}
            },
            (_, '$') => {
                while chars.next_if(|c| *c != '}').is_some() {}
                chars.next();
                now.get_or_insert_default().push(crate::shell::OPAQUE);
            }
            (_, c) => now.get_or_insert_default().push(c),
        }
    }
    words.extend(now);
    let opaque = |w: &str| {
        let marked = w.chars().any(crate::action::is_mark);
        if marked {
            crate::shell::Opaque::One
        } else {
            crate::shell::Opaque::No
        }
    };
    words
        .into_iter()
        .map(|w| Word {
            opaque: opaque(&w),
            text: w,
            span: text.span,
            glob: false,
        })
        .collect()
}

/// `sudo [options] [NAME=VALUE]… COMMAND…`
pub(super) fn sudo(words: &[Word], _: &Command) -> Vec<Inner> {
    let options = opts(
        "ugpCrtTUDhR",
        &["--user", "--group", "--chdir", "--host", "--prompt"],
    );
    match argv(words, options, 0).into_iter().next() {
        Some(Inner::Argv {
            words, unset, dir, ..
        }) => {
            let (assigns, words) = assignments(&words);
            if words.is_empty() {
                return Vec::new();
            }
            vec![Inner::Argv {
                words,
                assigns,
                unset,
                dir,
            }]
        }
        _ => Vec::new(),
    }
}

/// `wsl [-d DISTRO] [-u USER] [--cd DIR] [-e|--exec|--] COMMAND…`
pub(super) fn wsl(words: &[Word], _: &Command) -> Vec<Inner> {
    let long = &["--distribution", "--user", "--cd", "--system"];
    let mut rest = words
        .get(super::options_end(words, opts("du", long))..)
        .unwrap_or_default();
    while rest
        .first()
        .is_some_and(|w| matches!(w.text.as_str(), "-e" | "--exec" | "--"))
    {
        rest = rest.get(1..).unwrap_or_default();
    }
    if rest.is_empty() {
        Vec::new()
    } else {
        vec![plain(rest)]
    }
}

/// `sudo -i`, `sudo -s`, `su`: a shell for another user, without a command.
pub(super) fn starts_shell(name: &str, words: &[Word]) -> bool {
    let asks = |w: &Word| {
        let text = w.text.as_str();
        matches!(text, "--shell" | "--login")
            || (text.starts_with('-') && !text.starts_with("--") && text.contains(['s', 'i']))
    };
    name == "su" || words.iter().any(asks)
}
