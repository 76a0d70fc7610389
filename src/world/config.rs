//! One git config file as git parses it: a list of keys and values in order.

use super::piece::Piece;
use std::path::{Path, PathBuf};
use std::rc::Rc;

/// The value of a key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Value {
    /// `key` alone: true.
    Bare,
    Text(Piece),
    /// Not known, and why.
    Unknown(String),
}

/// One line of config.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Line {
    /// `section.subsection.name`, section and name in lower case.
    pub(super) key: Piece,
    pub(super) value: Value,
}

/// The lines of one file, in order.
pub(super) struct Lines {
    /// All keys and values, one after the other.
    text: Rc<str>,
    marks: Vec<Mark>,
}

/// Where a line stands in the text of its file's keys and values.
struct Mark {
    start: u32,
    /// The end of the key, where the value starts.
    key: u32,
    /// The end of the value, if there is one.
    value: Option<u32>,
}

impl Lines {
    pub(super) fn each(&self) -> impl Iterator<Item = Line> + '_ {
        self.marks.iter().map(|mark| Line {
            key: Piece::of(&self.text, mark.start, mark.key),
            value: mark.value.map_or(Value::Bare, |end| {
                Value::Text(Piece::of(&self.text, mark.key, end))
            }),
        })
    }

    /// What is no text is shown as such.
    fn of(bytes: Vec<u8>, mut marks: Vec<Mark>) -> Lines {
        let text = match String::from_utf8(bytes) {
            Ok(text) => text,
            Err(odd) => shown(odd.as_bytes(), &mut marks),
        };
        Lines {
            text: Rc::from(text),
            marks,
        }
    }
}

/// The same keys and values as text; the marks follow.
fn shown(bytes: &[u8], marks: &mut [Mark]) -> String {
    let mut text = String::with_capacity(bytes.len());
    let add = |text: &mut String, from: u32, to: u32| {
        let part = bytes.get(from as usize..to as usize).unwrap_or_default();
        text.push_str(&String::from_utf8_lossy(part));
        u32::try_from(text.len()).unwrap_or(u32::MAX)
    };
    let mut start = 0;
    for mark in marks {
        let key = add(&mut text, mark.start, mark.key);
        let value = mark.value.map(|end| add(&mut text, mark.key, end));
        *mark = Mark { start, key, value };
        start = value.unwrap_or(key);
    }
    text
}

/// Most bytes of keys and values that are kept of one file, in which a long section counts for
/// each of its lines.
const MOST: usize = 32 * 1024 * 1024;

/// Reads the text of a config file; an error names the line that git would refuse.
pub(super) fn parse(text: &[u8]) -> Result<Lines, String> {
    let text = text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text);
    let mut reader = Reader {
        text,
        at: 0,
        line: 1,
        section: Vec::with_capacity(64),
        out: Vec::with_capacity(text.len() * 2),
        // Lines are seldom shorter than this.
        marks: Vec::with_capacity(text.len() / 16),
    };
    match reader.file() {
        Some(()) => Ok(Lines::of(reader.out, reader.marks)),
        None => Err(format!("bad config line {}", reader.line)),
    }
}

struct Reader<'a> {
    text: &'a [u8],
    at: usize,
    line: usize,
    /// The section that the next line belongs to, with its subsection.
    section: Vec<u8>,
    /// All keys and values so far.
    out: Vec<u8>,
    marks: Vec<Mark>,
}

impl Reader<'_> {
    /// The next byte; the end of the file reads as a line end, as does CRLF.
    fn next(&mut self) -> u8 {
        let Some(byte) = self.text.get(self.at) else {
            self.at = self.text.len() + 1;
            return b'\n';
        };
        self.at += 1;
        let mut byte = *byte;
        if byte == b'\r' && self.text.get(self.at) == Some(&b'\n') {
            self.at += 1;
            byte = b'\n';
        }
        if byte == b'\n' {
            self.line += 1;
        }
        byte
    }

    fn ended(&self) -> bool {
        self.at > self.text.len()
    }

    fn file(&mut self) -> Option<()> {
        while !self.ended() {
            match self.next() {
                b'#' | b';' => while self.next() != b'\n' {},
                b'[' => self.section()?,
                c if is_space(c) => {}
                c if c.is_ascii_alphabetic() && !self.section.is_empty() => self.entry()?,
                _ => return None,
            }
        }
        Some(())
    }

    /// `[section]`, `[section "sub"]`, after the bracket.
    fn section(&mut self) -> Option<()> {
        let rest = self.text.get(self.at..)?;
        let length = length(rest, |b| is(SECTION, b));
        self.section.clear();
        self.section.extend_from_slice(rest.get(..length)?);
        self.section.make_ascii_lowercase();
        self.at += length;
        match self.next() {
            b']' => Some(()),
            c if c != b'\n' && is_space(c) => {
                // The common spelling is plain text between two quotes.
                let rest = self.text.get(self.at..)?;
                if let Some(inner) = rest.strip_prefix(b"\"")
                    && let Some(end) = inner.iter().position(|b| matches!(b, b'"' | b'\\' | b'\n'))
                    && inner.get(end..)?.starts_with(b"\"]")
                {
                    self.at += end + 3;
                    self.section.push(b'.');
                    self.section.extend_from_slice(inner.get(..end)?);
                    return Some(());
                }
                self.subsection()
            }
            _ => None,
        }
    }

    fn subsection(&mut self) -> Option<()> {
        let mut c = self.next();
        while c != b'\n' && is_space(c) {
            c = self.next();
        }
        if c != b'"' {
            return None;
        }
        self.section.push(b'.');
        loop {
            match self.next() {
                b'\n' => return None,
                b'"' => break,
                b'\\' => match self.next() {
                    b'\n' => return None,
                    c => self.section.push(c),
                },
                c => self.section.push(c),
            }
        }
        (self.next() == b']').then_some(())
    }

    /// `name [= value]`, after the first letter.
    fn entry(&mut self) -> Option<()> {
        let start = self.here()?;
        self.out.extend_from_slice(&self.section);
        self.out.push(b'.');
        let rest = self.text.get(self.at.checked_sub(1)?..)?;
        let length = length(rest, |b| is(NAME, b));
        let name = self.out.len();
        self.out.extend_from_slice(rest.get(..length)?);
        self.out.get_mut(name..)?.make_ascii_lowercase();
        self.at += length - 1;
        let key = self.here()?;
        let mut c = self.next();
        while c == b' ' || c == b'\t' {
            c = self.next();
        }
        let value = match c {
            b'\n' => None,
            b'=' => {
                if self.simple().is_none() {
                    let value = self.value()?;
                    self.out.extend_from_slice(&value);
                }
                Some(self.here()?)
            }
            _ => return None,
        };
        self.marks.push(Mark { start, key, value });
        Some(())
    }

    /// How much is kept so far.
    fn here(&self) -> Option<u32> {
        let length = Some(self.out.len()).filter(|length| *length <= MOST)?;
        u32::try_from(length).ok()
    }

    /// Takes the rest of the line, where nothing in it is special.
    fn simple(&mut self) -> Option<()> {
        let rest = self.text.get(self.at..)?;
        let length = length(rest, |b| !is(SPECIAL, b));
        if rest.get(length) != Some(&b'\n') {
            return None;
        }
        self.out.extend_from_slice(rest.get(..length)?.trim_ascii());
        self.at += length + 1;
        self.line += 1;
        Some(())
    }

    fn value(&mut self) -> Option<Vec<u8>> {
        let mut value = Vec::new();
        let (mut quoted, mut comment) = (false, false);
        // Spaces at the end count only if they were quoted or something follows.
        let mut kept = 0;
        loop {
            let c = self.next();
            if c == b'\n' {
                if quoted {
                    return None;
                }
                value.truncate(kept);
                return Some(value);
            }
            if comment {
                continue;
            }
            match c {
                c if is_space(c) && !quoted => {
                    if !value.is_empty() {
                        value.push(c);
                    }
                    continue;
                }
                b'#' | b';' if !quoted => {
                    comment = true;
                    continue;
                }
                b'\\' => match self.next() {
                    b'\n' => continue,
                    b't' => value.push(b'\t'),
                    b'b' => value.push(8),
                    b'n' => value.push(b'\n'),
                    c @ (b'\\' | b'"') => value.push(c),
                    _ => return None,
                },
                b'"' => {
                    quoted = !quoted;
                    // What was typed before an opening quote stays.
                    kept = value.len();
                    continue;
                }
                c => value.push(c),
            }
            kept = value.len();
        }
    }
}

/// What a byte may be part of.
const NAME: u8 = 1;
const SECTION: u8 = 2;
/// It ends a value, or means something in it.
const SPECIAL: u8 = 4;

const CLASSES: [u8; 256] = {
    let mut classes = [0; 256];
    let mut b = 0;
    while b < 256 {
        classes[b] = match b as u8 {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' => NAME | SECTION,
            b'.' => SECTION,
            b'"' | b'\\' | b'#' | b';' | b'\r' | b'\n' | 0x0b => SPECIAL,
            _ => 0,
        };
        b += 1;
    }
    classes
};

fn is(class: u8, byte: u8) -> bool {
    CLASSES
        .get(usize::from(byte))
        .is_some_and(|c| c & class != 0)
}

/// How many bytes in front are so. Nothing is counted on the way, which would be checked at every step.
fn length(bytes: &[u8], is: impl Fn(u8) -> bool) -> usize {
    let mut left = bytes.iter();
    match left.find(|b| !is(**b)) {
        Some(_) => bytes.len() - left.len() - 1,
        None => bytes.len(),
    }
}

fn is_space(c: u8) -> bool {
    matches!(c, b' ' | b'\t' | b'\n' | b'\r' | 0x0b | 0x0c)
}

/// Section and name in lower case, the subsection as it is.
pub(super) fn normal(key: &str) -> String {
    let (Some(first), Some(last)) = (key.find('.'), key.rfind('.')) else {
        return key.to_ascii_lowercase();
    };
    let part = |range| key.get(range).unwrap_or_default();
    let (section, name) = (part(0..first), part(last..key.len()));
    let mut out = section.to_ascii_lowercase();
    out.push_str(part(first..last));
    out.push_str(&name.to_ascii_lowercase());
    out
}

/// What git reads as a boolean; `None` where it would stop with an error.
pub(super) fn boolean(value: &Value) -> Option<bool> {
    let text = match value {
        Value::Bare => return Some(true),
        Value::Text(text) => text.as_str(),
        Value::Unknown(_) => return None,
    };
    let is = |word: &str| text.eq_ignore_ascii_case(word);
    if is("true") || is("yes") || is("on") {
        Some(true)
    } else if text.is_empty() || is("false") || is("no") || is("off") {
        Some(false)
    } else {
        text.parse::<i64>().ok().map(|n| n != 0)
    }
}

/// The file that an `include.path` value names; `None` when it cannot be told.
pub(super) fn included(value: &str, from: &Path, home: Option<&Path>) -> Option<PathBuf> {
    if let Some(rest) = value.strip_prefix("~/") {
        return Some(home?.join(rest));
    }
    if value.starts_with('~') || value.starts_with("%(") {
        return None;
    }
    Some(from.parent()?.join(value))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(text: &str) -> Vec<(String, String)> {
        let lines = parse(text.as_bytes()).unwrap();
        lines
            .each()
            .map(|l| match l.value {
                Value::Text(t) => (l.key.to_string(), t.to_string()),
                other => (l.key.to_string(), format!("{other:?}")),
            })
            .collect()
    }

    fn pairs(list: &[(&str, &str)]) -> Vec<(String, String)> {
        let own = |(k, v): &(&str, &str)| ((*k).to_owned(), (*v).to_owned());
        list.iter().map(own).collect()
    }

    #[test]
    fn sections_and_names_fold_case_and_subsections_do_not() {
        assert_eq!(
            lines("[PUSH]\n\tDefault = Simple\n[remote \"Ori.Gin\"] URL=x\n[Branch.Main]\nx=1\n"),
            pairs(&[
                ("push.default", "Simple"),
                ("remote.Ori.Gin.url", "x"),
                ("branch.main.x", "1"),
            ])
        );
    }

    #[test]
    fn values_are_unquoted_trimmed_and_continued() {
        assert_eq!(
            lines(
                "[a]\nb = \" x \" y  # c\nc = one \\\n two\nd\ne = \"q;#\\\"\\\\\"z ; no\nf =\ng = a\\tb\n"
            ),
            pairs(&[
                ("a.b", " x  y"),
                ("a.c", "one  two"),
                ("a.d", "Bare"),
                ("a.e", "q;#\"\\z"),
                ("a.f", ""),
                ("a.g", "a\tb"),
            ])
        );
    }

    #[test]
    fn a_byte_order_mark_and_carriage_returns_are_no_matter() {
        assert_eq!(
            lines("\u{feff}[a]\r\nb = c\r\n[a \"x\\\"y\"]\r\nd = e"),
            pairs(&[("a.b", "c"), ("a.x\"y.d", "e")])
        );
    }

    #[test]
    fn bytes_that_are_no_text_are_shown_as_such_and_hurt_nothing_else() {
        let text = b"[a \"x\xff\"]\nb = c\xc3\xa4\xfe\nd\n[e]\nf = \xc3\"\xa4\"\ng = h\n";
        let read = parse(text).unwrap();
        let told = |l: Line| match l.value {
            Value::Text(t) => format!("{}={}", &*l.key, &*t),
            _ => l.key.to_string(),
        };
        assert_eq!(
            read.each().map(told).collect::<Vec<_>>(),
            [
                "a.x\u{fffd}.b=c\u{e4}\u{fffd}",
                "a.x\u{fffd}.d",
                "e.f=\u{e4}",
                "e.g=h"
            ]
        );
    }

    #[test]
    fn a_long_section_with_many_lines_is_refused_before_it_fills_the_memory() {
        let text = format!("[a \"{}\"]\n{}", "x".repeat(500_000), "b\n".repeat(100_000));
        assert!(parse(text.as_bytes()).is_err());
    }

    #[test]
    fn what_git_refuses_is_refused() {
        for bad in [
            "x=1",
            "[a\nb=1",
            "[a]\nb=\"x\n",
            "[a \"b]\n",
            "[a]\nb=\\q\n",
            "[a]\n1=2\n",
        ] {
            assert!(parse(bad.as_bytes()).is_err(), "{bad}");
        }
    }

    #[test]
    fn booleans_are_gits() {
        let text = |t: &str| Value::Text(t.into());
        assert_eq!(boolean(&Value::Bare), Some(true));
        assert_eq!(boolean(&text("YES")), Some(true));
        assert_eq!(boolean(&text("2")), Some(true));
        assert_eq!(boolean(&text("")), Some(false));
        assert_eq!(boolean(&text("Off")), Some(false));
        assert_eq!(boolean(&text("maybe")), None);
    }
}
