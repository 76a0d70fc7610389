//! Brace expansion, done on the word as it was written: `{a,b}`, `{1..9}`.

use super::ast::{Part, Run, WordNode};
use super::dollar::is_name;
use super::lexer::Parser;

/// How many words one word may become.
const MOST: usize = 64;

/// A word taken apart as far as braces can see into it.
#[derive(Debug, Clone, Copy)]
enum Atom {
    /// An unquoted character.
    Char(char),
    /// Anything else.
    Part(Part),
}

/// More words than are kept.
struct Flood;

impl Parser<'_> {
    /// Puts the words that `word` becomes on the stack of words.
    pub(super) fn expand_braces(&mut self, word: WordNode) {
        let braced = self.ast.parts(word).iter().any(
            |part| matches!(part, Part::Text { run, quoted: false } if self.ast.text(*run).contains('{')),
        );
        if !braced {
            self.words.push(word);
            return;
        }
        let mut atoms = Vec::new();
        for part in self.ast.parts(word) {
            match part {
                Part::Text { run, quoted: false } => {
                    atoms.extend(self.ast.text(*run).chars().map(Atom::Char));
                }
                other => atoms.push(Atom::Part(*other)),
            }
        }
        let opens = atoms
            .iter()
            .filter(|a| matches!(a, Atom::Char('{')))
            .count();
        let mut found = Vec::new();
        if opens > MOST || expand(&atoms, 0, &mut found).is_err() {
            self.flood(word);
            return;
        }
        if found.len() == 1 {
            self.words.push(word);
            return;
        }
        for atoms in found {
            let parts = self.rebuild(&atoms);
            if !parts.is_empty() {
                self.words.push(WordNode { parts, ..word });
            }
        }
    }

    /// A word of which only the substitutions are kept.
    fn flood(&mut self, word: WordNode) {
        let kept: Vec<Part> = self
            .ast
            .parts(word)
            .iter()
            .filter(|p| !matches!(p, Part::Text { .. }))
            .copied()
            .collect();
        let at = self.ast.parts.len();
        self.ast.parts.push(Part::Flood);
        self.ast.parts.extend(kept);
        let parts = Run::new(at, self.ast.parts.len());
        self.words.push(WordNode { parts, ..word });
    }

    fn rebuild(&mut self, atoms: &[Atom]) -> Run {
        let at = self.ast.parts.len();
        let mut text = self.ast.pool.len();
        let mut pending = false;
        for atom in atoms {
            match atom {
                Atom::Char(c) => {
                    if !pending
                        && c.is_ascii()
                        && is_name(*c as u8)
                        && self.ast.parts.len() > at
                        && let Some(Part::Var {
                            name, bare: true, ..
                        }) = self.ast.parts.last().copied()
                    {
                        let longer = format!("{}{c}", self.ast.text(name));
                        let from = self.ast.pool.len();
                        self.ast.pool.push_str(&longer);
                        let longer = Run::new(from, self.ast.pool.len());
                        if let Some(Part::Var { name, .. }) = self.ast.parts.last_mut() {
                            *name = longer;
                        }
                        continue;
                    }
                    if !pending {
                        text = self.ast.pool.len();
                        pending = true;
                    }
                    self.ast.pool.push(*c);
                }
                Atom::Part(part) => {
                    if pending {
                        self.push_text(text);
                        pending = false;
                    }
                    self.ast.parts.push(*part);
                }
            }
        }
        if pending {
            self.push_text(text);
        }
        Run::new(at, self.ast.parts.len())
    }

    fn push_text(&mut self, from: usize) {
        let run = Run::new(from, self.ast.pool.len());
        self.ast.parts.push(Part::Text { run, quoted: false });
    }
}

/// Where the brace at `open` closes, and its commas at that level.
fn group(atoms: &[Atom], open: usize) -> Option<(usize, Vec<usize>)> {
    let mut depth = 0usize;
    let mut commas = Vec::new();
    for (i, atom) in atoms.iter().enumerate().skip(open) {
        match atom {
            Atom::Char('{') => depth += 1,
            Atom::Char(',') if depth == 1 => commas.push(i),
            Atom::Char('}') => {
                depth -= 1;
                if depth == 0 {
                    return Some((i, commas));
                }
            }
            _ => {}
        }
    }
    None
}

fn expand(atoms: &[Atom], depth: usize, out: &mut Vec<Vec<Atom>>) -> Result<(), Flood> {
    if depth > 16 {
        return Err(Flood);
    }
    for (open, atom) in atoms.iter().enumerate() {
        if !matches!(atom, Atom::Char('{')) {
            continue;
        }
        let Some((close, commas)) = group(atoms, open) else {
            continue;
        };
        let inner = atoms.get(open + 1..close).unwrap_or(&[]);
        let mut middles: Vec<Vec<Atom>> = Vec::new();
        if commas.is_empty() {
            match sequence(inner)? {
                Some(items) => middles = items,
                None => continue,
            }
        } else {
            let mut from = open + 1;
            for to in commas.into_iter().chain([close]) {
                expand(atoms.get(from..to).unwrap_or(&[]), depth + 1, &mut middles)?;
                from = to + 1;
            }
        }
        let mut tails = Vec::new();
        expand(atoms.get(close + 1..).unwrap_or(&[]), depth + 1, &mut tails)?;
        if out.len() + middles.len() * tails.len() > MOST {
            return Err(Flood);
        }
        for middle in &middles {
            for tail in &tails {
                let mut word = atoms.get(..open).unwrap_or(&[]).to_vec();
                word.extend_from_slice(middle);
                word.extend_from_slice(tail);
                out.push(word);
            }
        }
        return Ok(());
    }
    out.push(atoms.to_vec());
    if out.len() > MOST { Err(Flood) } else { Ok(()) }
}

/// `1..9`, `a..e`, `01..10..2`.
fn sequence(inner: &[Atom]) -> Result<Option<Vec<Vec<Atom>>>, Flood> {
    let mut text = String::new();
    for atom in inner {
        match atom {
            Atom::Char(c) => text.push(*c),
            Atom::Part(_) => return Ok(None),
        }
    }
    let fields: Vec<&str> = text.split("..").collect();
    let (first, last, step) = match fields.as_slice() {
        [first, last] => (*first, *last, 1),
        [first, last, step] => match step.parse::<i64>() {
            Ok(step) => (*first, *last, step),
            Err(_) => return Ok(None),
        },
        _ => return Ok(None),
    };
    let step = step.unsigned_abs().max(1);
    let words = if let (Ok(a), Ok(b)) = (first.parse::<i64>(), last.parse::<i64>()) {
        let padded = [first, last].iter().any(|f| {
            f.trim_start_matches(['-', '+']).starts_with('0')
                && f.trim_start_matches(['-', '+']).len() > 1
        });
        let width = if padded {
            first.len().max(last.len())
        } else {
            0
        };
        steps(a, b, step)?
            .into_iter()
            .map(|n| format!("{n:0width$}"))
            .collect::<Vec<String>>()
    } else if let ([a], [b]) = (first.as_bytes(), last.as_bytes())
        && a.is_ascii_alphabetic()
        && b.is_ascii_alphabetic()
    {
        steps(i64::from(*a), i64::from(*b), step)?
            .into_iter()
            .filter_map(|n| u8::try_from(n).ok())
            .map(|b| (b as char).to_string())
            .collect()
    } else {
        return Ok(None);
    };
    Ok(Some(
        words
            .into_iter()
            .map(|word| word.chars().map(Atom::Char).collect())
            .collect(),
    ))
}

fn steps(from: i64, to: i64, step: u64) -> Result<Vec<i64>, Flood> {
    let distance = from.abs_diff(to);
    if distance / step >= MOST as u64 {
        return Err(Flood);
    }
    Ok((0..=distance / step)
        .map(|n| {
            let moved = (n * step) as i64;
            if from <= to {
                from.saturating_add(moved)
            } else {
                from.saturating_sub(moved)
            }
        })
        .collect())
}
