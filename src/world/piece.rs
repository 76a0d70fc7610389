//! A piece of a text that many pieces share, so that a file of short values is one piece of memory.

use std::fmt;
use std::ops::{Deref, Range};
use std::rc::Rc;

/// A part of a text, between two of its characters.
#[derive(Clone)]
pub(super) struct Piece {
    text: Rc<str>,
    from: u32,
    length: u32,
}

impl Piece {
    /// What stands in `text` between two places, in bytes; nothing where that is no part of it.
    pub(super) fn of(text: &Rc<str>, from: u32, to: u32) -> Piece {
        Piece {
            text: Rc::clone(text),
            from,
            length: to.saturating_sub(from),
        }
    }

    /// As text.
    pub(super) fn as_str(&self) -> &str {
        self.text.get(self.range()).unwrap_or_default()
    }

    fn range(&self) -> Range<usize> {
        let from = self.from as usize;
        from..from + self.length as usize
    }

    /// Whether it reads so. Most that are asked are of another length.
    pub(super) fn is(&self, other: &str) -> bool {
        self.length as usize == other.len() && self.as_str() == other
    }

    /// Whether it starts so; told by its bytes, which is less work than as text.
    pub(super) fn begins(&self, prefix: &str) -> bool {
        let bytes = self.text.as_bytes().get(self.range());
        bytes.is_some_and(|bytes| bytes.starts_with(prefix.as_bytes()))
    }
}

impl From<&str> for Piece {
    fn from(text: &str) -> Piece {
        Piece {
            text: Rc::from(text),
            from: 0,
            // What is longer than any file that is read reads as nothing.
            length: u32::try_from(text.len()).unwrap_or(u32::MAX),
        }
    }
}

impl Deref for Piece {
    type Target = str;

    fn deref(&self) -> &str {
        self.as_str()
    }
}

impl PartialEq for Piece {
    fn eq(&self, other: &Piece) -> bool {
        self.is(other)
    }
}

impl Eq for Piece {}

impl fmt::Debug for Piece {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.as_str().fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_read_as_what_they_were_cut_from() {
        let text = Rc::from("käse.x");
        let piece = Piece::of(&text, 0, 5);
        assert_eq!(&*piece, "käse");
        assert!(piece.is("käse") && !piece.is("käsx") && !piece.is("käse.x"));
        assert_eq!(piece, Piece::from("käse"));
        assert_eq!(format!("{piece:?}"), "\"käse\"");
    }

    #[test]
    fn what_is_no_part_of_the_text_reads_as_nothing() {
        let text = Rc::from("käse");
        for (from, to) in [(0, 2), (3, 9), (4, 1)] {
            assert_eq!(Piece::of(&text, from, to).as_str(), "");
        }
    }
}
