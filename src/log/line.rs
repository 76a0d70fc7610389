//! One line of JSON that never grows beyond what one write keeps together.

use crate::state::decimal;
use crate::state::time::Moment;
use std::fmt::Write;

/// The longest line, with its end.
pub(crate) const MOST: usize = 4096;

/// What the end of a line needs.
const END: usize = 2;

/// The version of the line's keys.
pub(crate) const VERSION: u32 = 1;

/// How every line starts; a reader finds its way back by it after a torn line.
pub(crate) const START: &str = "{\"time\":\"";

/// A line in the making.
#[derive(Debug)]
pub(crate) struct Line(String);

impl Line {
    pub(crate) fn new(now: Moment) -> Line {
        let mut text = String::with_capacity(MOST);
        text.push_str(START);
        now.push(&mut text);
        text.push_str("\",\"v\":");
        decimal::push(&mut text, VERSION.into());
        Line(text)
    }

    /// How many bytes of escaped text fit under one more short key.
    pub(crate) fn room(&self) -> usize {
        MOST.saturating_sub(self.0.len() + END + ",\"command\":\"\"".len())
    }

    /// Adds a text, cut so that it takes at most `most` bytes; left out where nothing of it fits.
    pub(crate) fn text(&mut self, key: &str, value: &str, most: usize) {
        let start = self.0.len();
        self.key(key);
        if !self.quoted(value, most) {
            self.0.truncate(start);
        }
    }

    pub(crate) fn number(&mut self, key: &str, value: u64) {
        let start = self.0.len();
        self.key(key);
        decimal::push(&mut self.0, value);
        if self.0.len() + END > MOST {
            self.0.truncate(start);
        }
    }

    /// Adds a list of texts of at most `each` bytes and `all` together.
    pub(crate) fn list<T: AsRef<str>>(
        &mut self,
        key: &str,
        items: impl Iterator<Item = T>,
        each: usize,
        all: usize,
    ) {
        let start = self.0.len();
        self.key(key);
        self.0.push('[');
        let body = self.0.len();
        for item in items {
            let before = self.0.len();
            if before > body {
                self.0.push(',');
            }
            if before.saturating_sub(body) + each > all || !self.quoted(item.as_ref(), each) {
                self.0.truncate(before);
                break;
            }
        }
        if self.0.len() == body {
            self.0.truncate(start);
        } else {
            self.0.push(']');
        }
    }

    pub(crate) fn end(mut self) -> String {
        self.0.push_str("}\n");
        self.0
    }

    fn key(&mut self, key: &str) {
        self.0.push_str(",\"");
        self.0.push_str(key);
        self.0.push_str("\":");
    }

    /// Whether it fitted, at least in part. One byte is left for the `]` of a list.
    fn quoted(&mut self, value: &str, most: usize) -> bool {
        let room = MOST
            .saturating_sub(self.0.len() + END + "\"\"]".len())
            .min(most);
        if room < '…'.len_utf8() {
            return false;
        }
        self.0.push('"');
        escape(value, room, &mut self.0);
        self.0.push('"');
        true
    }
}

/// Adds all of `text` as a JSON string.
pub(crate) fn quote(text: &str, out: &mut String) {
    out.push('"');
    escape(text, text.len().saturating_mul(6), out);
    out.push('"');
}

/// Writes `text` as the inside of a JSON string into at most `most` bytes; `…` ends a cut one.
fn escape(text: &str, most: usize, out: &mut String) {
    if text.len() <= most && !may_need_escape(text) {
        return out.push_str(text);
    }
    let limit = out.len() + most;
    let mark = limit.saturating_sub('…'.len_utf8());
    // What to go back to, and to add, so that the mark fits behind it.
    let mut kept = (out.len(), "");
    let mut rest = text;
    while !rest.is_empty() {
        let plain = rest.bytes().position(needs_escape).unwrap_or(rest.len());
        // What needs an escape is one byte long.
        let (piece, after) = rest.split_at(plain.max(1));
        if out.len() <= mark {
            let held = if plain == 0 {
                0
            } else {
                piece.floor_char_boundary(mark - out.len())
            };
            kept = (out.len(), piece.get(..held).unwrap_or_default());
        }
        let fits = if plain > 0 {
            let fits = out.len() + piece.len() <= limit;
            out.push_str(if fits { piece } else { "" });
            fits
        } else {
            piece.bytes().for_each(|b| push_escaped(b, out));
            out.len() <= limit
        };
        if !fits {
            out.truncate(kept.0);
            out.push_str(kept.1);
            out.push('…');
            return;
        }
        rest = after;
    }
}

/// A look at all bytes at once, since almost all text is plain.
fn may_need_escape(text: &str) -> bool {
    text.bytes().fold(false, |odd, byte| {
        odd | (byte < b' ') | (byte == b'"') | (byte == b'\\') | (byte == 0x7f)
    })
}

fn needs_escape(byte: u8) -> bool {
    const ESCAPED: [bool; 256] = {
        let mut escaped = [false; 256];
        let mut b = 0;
        while b < 256 {
            escaped[b] = matches!(b as u8, 0..0x20 | b'"' | b'\\' | 0x7f);
            b += 1;
        }
        escaped
    };
    ESCAPED.get(usize::from(byte)).is_some_and(|e| *e)
}

fn push_escaped(byte: u8, out: &mut String) {
    match byte {
        b'"' => out.push_str("\\\""),
        b'\\' => out.push_str("\\\\"),
        b'\n' => out.push_str("\\n"),
        b'\t' => out.push_str("\\t"),
        b'\r' => out.push_str("\\r"),
        _ => {
            let _ = write!(out, "\\u{byte:04x}");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn escaped(text: &str, most: usize) -> String {
        let mut out = String::from("x");
        escape(text, most, &mut out);
        out.split_off(1)
    }

    #[test]
    fn text_that_fits_is_kept_whole_and_longer_text_is_cut_between_characters() {
        assert_eq!(escaped("", 3), "");
        assert_eq!(escaped("abc", 3), "abc");
        assert_eq!(escaped("abcd", 3), "…");
        assert_eq!(escaped("abcdefgh", 7), "abcd…");
        assert_eq!(escaped("äöüäöü", 8), "äö…");
        assert_eq!(escaped("a\"b", 4), "a\\\"b");
        assert_eq!(escaped("a\"b", 3), "…");
        assert_eq!(escaped("\n\n\n\n", 7), "\\n\\n…");
        assert_eq!(escaped("\u{1}\u{1}", 12), "\\u0001\\u0001");
        assert_eq!(escaped("\u{1}\u{1}", 11), "\\u0001…");
    }

    #[test]
    fn any_text_in_any_room_stays_within_it_and_valid() {
        let pieces = [
            "a",
            "ä",
            "…",
            "\"",
            "\\",
            "\n",
            "\u{1}",
            "𝄞",
            "plain text ",
            "\u{7f}",
        ];
        let mut seed = 7u32;
        for most in 3..90 {
            for _ in 0..40 {
                let mut text = String::new();
                for _ in 0..(seed >> 7) % 20 {
                    seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                    text.push_str(pieces[(seed >> 16) as usize % pieces.len()]);
                }
                seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                let out = escaped(&text, most);
                assert!(out.len() <= most, "{text:?} {most} {out:?}");
                let back: String = serde_json::from_str(&format!("\"{out}\"")).unwrap();
                let whole = serde_json::to_string(&text).unwrap().len() - 2;
                if back != text {
                    assert!(
                        text.starts_with(back.strip_suffix('…').unwrap()),
                        "{text:?} {back:?}"
                    );
                    assert!(
                        whole + text.matches('\u{7f}').count() * 5 > most,
                        "{text:?} {most}"
                    );
                }
            }
        }
    }

    #[test]
    fn a_line_never_grows_beyond_one_write_and_stays_json() {
        let long = "\u{1}\"ä".repeat(5000);
        let mut line = Line::new(Moment(0));
        for n in 0..30 {
            line.text("k", &long, 300);
            line.list("l", [&long, &long].into_iter(), 150, 400);
            line.number("n", u64::MAX);
            if n == 2 {
                let room = line.room();
                assert!(room > 1000, "{room}");
            }
        }
        line.text("command", &long, line.room());
        let line = line.end();
        assert!(
            line.len() <= MOST && line.len() > MOST - 200,
            "{}",
            line.len()
        );
        let body = line.strip_suffix('\n').unwrap();
        assert!(!body.contains('\n'));
        let _: serde_json::Value = serde_json::from_str(body).unwrap();
    }
}
