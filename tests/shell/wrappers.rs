//! A small table of wrappers, enough to prove the extraction by itself.

use leaseguard::shell::{Assign, Command, Inner, Opaque, Word, Wrappers};

pub(crate) struct Table;

fn assign(word: &Word) -> Option<Assign> {
    let (name, value) = word.text.split_once('=')?;
    let named = !name.is_empty() && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_');
    named.then(|| Assign {
        name: name.to_string(),
        value: Word {
            text: value.to_string(),
            ..word.clone()
        },
    })
}

/// The words after options; `valued` options take the next word.
fn after_options<'w>(words: &'w [Word], valued: &[&str]) -> &'w [Word] {
    let mut at = 1;
    while let Some(word) = words.get(at)
        && word.text.starts_with('-')
        && word.text.len() > 1
    {
        at += 1 + usize::from(valued.contains(&word.text.as_str()));
        if word.text == "--" {
            break;
        }
    }
    words.get(at..).unwrap_or(&[])
}

fn argv(words: &[Word]) -> Vec<Inner> {
    if words.is_empty() {
        return Vec::new();
    }
    vec![Inner::Argv {
        words: words.to_vec(),
        assigns: Vec::new(),
        unset: Vec::new(),
        dir: None,
    }]
}

impl Wrappers for Table {
    fn unfold(&self, command: &Command) -> Vec<Inner> {
        let words = command.words.as_slice();
        let Some(program) = words.first().and_then(Word::known) else {
            return Vec::new();
        };
        match program.rsplit('/').next().unwrap_or(program) {
            "env" => env(words),
            "bash" | "sh" | "dash" | "zsh" => shell(words),
            "xargs" => {
                let mut inner = after_options(words, &["-n", "-I", "-L", "-P", "-d"]).to_vec();
                if !inner.is_empty() {
                    inner.push(Word {
                        text: "\u{1}".to_string(),
                        opaque: Opaque::Many,
                        ..words[0].clone()
                    });
                }
                argv(&inner)
            }
            "timeout" => argv(after_options(words, &["-s", "-k"]).get(1..).unwrap_or(&[])),
            "nice" => argv(after_options(words, &["-n"])),
            "sudo" => argv(after_options(words, &["-u", "-g"])),
            "nohup" | "setsid" | "time" | "stdbuf" => argv(after_options(words, &[])),
            _ => Vec::new(),
        }
    }
}

fn env(words: &[Word]) -> Vec<Inner> {
    let mut at = 1;
    let mut assigns = Vec::new();
    let mut unset = Vec::new();
    let mut dir = None;
    while let Some(word) = words.get(at) {
        match word.text.as_str() {
            "-u" => {
                at += 1;
                unset.extend(words.get(at).map(|w| w.text.clone()));
            }
            "-C" => {
                at += 1;
                dir = words.get(at).cloned();
            }
            "-S" => {
                let text = words.get(at + 1).cloned().unwrap_or_default();
                let split = text.text.split_whitespace().map(|t| Word {
                    text: t.to_string(),
                    ..text.clone()
                });
                return argv(&split.collect::<Vec<_>>());
            }
            t if t.starts_with('-') => {}
            _ => match assign(word) {
                Some(assign) => assigns.push(assign),
                None => break,
            },
        }
        at += 1;
    }
    match words.get(at..) {
        None | Some([]) => Vec::new(),
        Some(rest) => vec![Inner::Argv {
            words: rest.to_vec(),
            assigns,
            unset,
            dir,
        }],
    }
}

fn shell(words: &[Word]) -> Vec<Inner> {
    let mut at = 1;
    let mut code = false;
    let mut reads = false;
    while let Some(word) = words.get(at)
        && let Some(letters) = word.text.strip_prefix('-')
        && !letters.is_empty()
    {
        at += 1;
        if word.text == "--" {
            break;
        }
        if !letters.starts_with('-') {
            code |= letters.contains('c');
            reads |= letters.contains('s');
            at += usize::from(letters.ends_with('o'));
        }
    }
    let rest = words.get(at..).unwrap_or(&[]).to_vec();
    match rest.first() {
        Some(text) if code => vec![Inner::Text {
            text: text.clone(),
            args: rest.get(1..).unwrap_or(&[]).to_vec(),
            dir: None,
            assigns: Vec::new(),
        }],
        Some(path) if !reads => vec![Inner::File {
            path: path.clone(),
            args: rest.get(1..).unwrap_or(&[]).to_vec(),
        }],
        _ => vec![Inner::Stdin { args: rest }],
    }
}
