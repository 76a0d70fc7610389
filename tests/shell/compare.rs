//! Compares the commands that were extracted with those that ran.

use leaseguard::shell::{ANSWER_BASE, Command, OPAQUE, Opaque, Script, Word};

use crate::oracle::STUBS;

/// How an extraction differs from what ran.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Difference {
    /// Ran, and nothing reported stands for it.
    pub(crate) missed: Vec<Vec<String>>,
    /// Ran, and is reported only under an unknown program name.
    pub(crate) opaque: Vec<Vec<String>>,
    /// Reported, and did not run.
    pub(crate) spurious: Vec<Vec<String>>,
}

impl Difference {
    pub(crate) fn verdict(&self) -> &'static str {
        if !self.missed.is_empty() {
            "missed"
        } else if !self.opaque.is_empty() {
            "opaque"
        } else if !self.spurious.is_empty() {
            "spurious"
        } else {
            "exact"
        }
    }
}

enum Piece {
    Char(char),
    /// Any text within one word.
    Text,
    /// Any text, word ends included.
    Words,
}

fn pieces(words: &[Word]) -> Vec<Piece> {
    let mut out = Vec::new();
    for (i, word) in words.iter().enumerate() {
        let many = word.opaque == Opaque::Many;
        if word.glob || many && word.text.chars().all(|c| c == OPAQUE) {
            out.push(Piece::Words);
            continue;
        }
        out.push(Piece::Char('\0'));
        let text = match i {
            0 => word.text.rsplit('/').next().unwrap_or_default(),
            _ => &word.text,
        };
        for c in text.chars() {
            if c == OPAQUE || c as u32 >= ANSWER_BASE {
                out.push(if many { Piece::Words } else { Piece::Text });
            } else {
                out.push(Piece::Char(c));
            }
        }
    }
    out
}

fn fits(pieces: &[Piece], text: &[char]) -> bool {
    let mut reach = vec![false; text.len() + 1];
    reach[0] = true;
    for piece in pieces {
        let mut next = vec![false; text.len() + 1];
        for at in 0..=text.len() {
            if !reach[at] {
                continue;
            }
            match piece {
                Piece::Char(c) => {
                    if text.get(at) == Some(c) {
                        next[at + 1] = true;
                    }
                }
                Piece::Text | Piece::Words => {
                    let mut to = at;
                    next[to] = true;
                    while to < text.len() && (matches!(piece, Piece::Words) || text[to] != '\0') {
                        to += 1;
                        next[to] = true;
                    }
                }
            }
        }
        reach = next;
    }
    reach[text.len()]
}

fn joined(argv: &[String]) -> Vec<char> {
    argv.iter()
        .flat_map(|w| std::iter::once('\0').chain(w.chars()))
        .collect()
}

fn named(command: &Command) -> bool {
    command
        .words
        .first()
        .is_some_and(|w| w.opaque == Opaque::No && !w.glob)
}

fn concerns(command: &Command) -> bool {
    command.words.first().is_some_and(|program| {
        let name = program.text.rsplit('/').next().unwrap_or_default();
        STUBS.contains(&name) || program.opaque != Opaque::No
    })
}

pub(crate) fn difference(script: &Script, ran: &[Vec<String>]) -> Difference {
    let reported: Vec<(&Command, Vec<Piece>)> = script
        .commands()
        .filter(|c| concerns(c))
        .map(|c| (c, pieces(&c.words)))
        .collect();
    let mut out = Difference::default();
    for argv in ran {
        let text = joined(argv);
        let mut found = reported.iter().filter(|(_, p)| fits(p, &text)).peekable();
        if found.peek().is_none() {
            out.missed.push(argv.clone());
        } else if !found.any(|(c, _)| named(c)) {
            out.opaque.push(argv.clone());
        }
    }
    for (command, pieces) in &reported {
        if named(command) && !ran.iter().any(|argv| fits(pieces, &joined(argv))) {
            let words: Vec<String> = command.words.iter().map(|w| w.text.clone()).collect();
            if !out.spurious.contains(&words) {
                out.spurious.push(words);
            }
        }
    }
    out
}
