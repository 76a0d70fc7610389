//! Paths as scripts write them: what of one is known, and where it leads.

use super::repo::lexical;
use crate::action::Place;
use crate::shell::Word;
use std::fs;
use std::path::{Path, PathBuf};

/// How links are followed that lead further than any honest one.
const LINKS: usize = 8;

/// The part of a path that is known, and the pattern that its next name has to fit.
pub(super) fn known_part(place: &Place, path: &Word) -> Option<(PathBuf, Option<String>)> {
    let text = path.text.as_str();
    let base = match &place.dir {
        Some(dir) => dir.clone(),
        None if text.starts_with('/') => PathBuf::new(),
        None => return None,
    };
    let unknown = |part: &str| part.chars().any(crate::action::is_mark);
    let wild = |part: &str| path.glob && part.contains(['*', '?', '[']);
    let mut known = base;
    if text.starts_with('/') {
        known = PathBuf::from("/");
    }
    for part in text.split('/').filter(|part| !part.is_empty()) {
        if unknown(part) {
            // Nothing is known of a path that begins so.
            return (!text.starts_with(part)).then_some((known, None));
        }
        if wild(part) {
            return Some((known, Some(loose(part))));
        }
        known.push(part);
    }
    Some((known, None))
}

/// Whether the first pattern in `path` is its last part.
pub(super) fn ends_wild(path: &Word) -> bool {
    let mut parts = path.text.split('/').filter(|part| !part.is_empty());
    path.glob && parts.find(|p| p.contains(['*', '?', '['])).is_some() && parts.next().is_none()
}

/// A shell pattern in which anything stands for one character as well as for many.
pub(super) fn loose(pattern: &str) -> String {
    let mut out = String::new();
    let mut rest = pattern;
    while let Some(c) = rest.chars().next() {
        rest = rest.get(c.len_utf8()..).unwrap_or_default();
        match c {
            '[' => {
                out.push('*');
                let end = rest.char_indices().skip(1).find(|(_, c)| *c == ']');
                rest = end.map_or(rest, |(at, _)| rest.get(at + 1..).unwrap_or_default());
            }
            '?' => out.push('*'),
            c => out.push(c),
        }
    }
    out
}

/// Where writing to `path` ends up, links followed even where they lead to nothing yet.
pub(super) fn followed(path: &Path) -> PathBuf {
    let mut at = path.to_owned();
    for _ in 0..LINKS {
        if let Ok(real) = fs::canonicalize(&at) {
            return real;
        }
        match fs::read_link(&at) {
            Ok(to) => at = at.parent().unwrap_or(&at).join(to),
            Err(_) => break,
        }
    }
    lexical(&at)
}
