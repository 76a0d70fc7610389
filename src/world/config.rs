//! One git config file as git parses it: a list of keys and values in order.

use std::path::{Path, PathBuf};

/// The value of a key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Value {
    /// `key` alone: true.
    Bare,
    Text(String),
    /// Not known, and why.
    Unknown(String),
}

/// One line of config.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Line {
    /// `section.subsection.name`, section and name in lower case.
    pub(super) key: String,
    pub(super) value: Value,
}

/// Reads the text of a config file; an error names the line that git would refuse.
pub(super) fn parse(text: &[u8]) -> Result<Vec<Line>, String> {
    let text = text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text);
    let mut reader = Reader {
        text,
        at: 0,
        line: 1,
    };
    match reader.file() {
        Some(lines) => Ok(lines),
        None => Err(format!("bad config line {}", reader.line)),
    }
}

struct Reader<'a> {
    text: &'a [u8],
    at: usize,
    line: usize,
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

    fn file(&mut self) -> Option<Vec<Line>> {
        // Lines are seldom shorter than this.
        let mut lines = Vec::with_capacity(self.text.len() / 16);
        let mut section = String::new();
        while !self.ended() {
            match self.next() {
                b'#' | b';' => while self.next() != b'\n' {},
                b'[' => section = self.section()?,
                c if is_space(c) => {}
                c if c.is_ascii_alphabetic() && !section.is_empty() => {
                    lines.push(self.entry(&section)?);
                }
                _ => return None,
            }
        }
        Some(lines)
    }

    /// `[section]`, `[section "sub"]`, after the bracket.
    fn section(&mut self) -> Option<String> {
        let rest = self.text.get(self.at..)?;
        let of_name = |b: &u8| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'.');
        let length = rest.iter().position(|b| !of_name(b))?;
        let mut name = std::str::from_utf8(rest.get(..length)?).ok()?.to_owned();
        name.make_ascii_lowercase();
        self.at += length;
        match self.next() {
            b']' => Some(name),
            c if c != b'\n' && is_space(c) => {
                // The common spelling is plain text between two quotes.
                let rest = self.text.get(self.at..)?;
                if let Some(inner) = rest.strip_prefix(b"\"")
                    && let Some(end) = inner.iter().position(|b| matches!(b, b'"' | b'\\' | b'\n'))
                    && inner.get(end..)?.starts_with(b"\"]")
                    && let Ok(sub) = std::str::from_utf8(inner.get(..end)?)
                {
                    self.at += end + 3;
                    return Some([name.as_str(), ".", sub].concat());
                }
                self.subsection(name.into_bytes())
            }
            _ => None,
        }
    }

    fn subsection(&mut self, mut name: Vec<u8>) -> Option<String> {
        let mut c = self.next();
        while c != b'\n' && is_space(c) {
            c = self.next();
        }
        if c != b'"' {
            return None;
        }
        name.push(b'.');
        loop {
            match self.next() {
                b'\n' => return None,
                b'"' => break,
                b'\\' => match self.next() {
                    b'\n' => return None,
                    c => name.push(c),
                },
                c => name.push(c),
            }
        }
        (self.next() == b']').then(|| String::from_utf8_lossy(&name).into_owned())
    }

    /// `name [= value]`, after the first letter.
    fn entry(&mut self, section: &str) -> Option<Line> {
        let rest = self.text.get(self.at.checked_sub(1)?..)?;
        let of_name = |b: &u8| b.is_ascii_alphanumeric() || *b == b'-';
        let length = rest.iter().position(|b| !of_name(b)).unwrap_or(rest.len());
        let name = std::str::from_utf8(rest.get(..length)?).ok()?;
        let mut key = String::with_capacity(section.len() + length + 1);
        key.push_str(section);
        key.push('.');
        key.push_str(name);
        key.get_mut(section.len()..)?.make_ascii_lowercase();
        self.at += length - 1;
        let mut c = self.next();
        while c == b' ' || c == b'\t' {
            c = self.next();
        }
        let value = match c {
            b'\n' => Value::Bare,
            b'=' => Value::Text(match self.simple() {
                Some(value) => value,
                None => self.value()?,
            }),
            _ => return None,
        };
        Some(Line { key, value })
    }

    /// The rest of the line, where nothing in it is special.
    fn simple(&mut self) -> Option<String> {
        let rest = self.text.get(self.at..)?;
        let length = rest.iter().position(|b| *b == b'\n')?;
        let line = rest.get(..length)?;
        if line
            .iter()
            .any(|b| matches!(b, b'"' | b'\\' | b'#' | b';' | b'\r' | 0x0b))
        {
            return None;
        }
        let value = std::str::from_utf8(line.trim_ascii()).ok()?.to_owned();
        self.at += length + 1;
        self.line += 1;
        Some(value)
    }

    fn value(&mut self) -> Option<String> {
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
                return Some(String::from_utf8_lossy(&value).into_owned());
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
            .into_iter()
            .map(|l| match l.value {
                Value::Text(t) => (l.key, t),
                other => (l.key, format!("{other:?}")),
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
        let text = |t: &str| Value::Text(t.to_owned());
        assert_eq!(boolean(&Value::Bare), Some(true));
        assert_eq!(boolean(&text("YES")), Some(true));
        assert_eq!(boolean(&text("2")), Some(true));
        assert_eq!(boolean(&text("")), Some(false));
        assert_eq!(boolean(&text("Off")), Some(false));
        assert_eq!(boolean(&text("maybe")), None);
    }
}
