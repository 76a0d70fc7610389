//! The quick reader: the TOML that policies are written in, at a few instructions a byte.
//!
//! It never refuses a text: whatever it does not follow, mistakes included, is `None` and goes to
//! the thorough reader, which also finds the words for what is wrong.

use super::doc::{Doc, Entry, Made, ROOT, Value};
use std::borrow::Cow;

/// Longer documents go to the thorough reader, as keys are looked up one by one here.
const MOST_ENTRIES: usize = 400;

/// How deep inline tables may nest here.
const DEPTH: usize = 4;

/// Reads `text`, or leaves it to the thorough reader.
pub(super) fn read(text: &str) -> Option<Doc<'_>> {
    let mut reader = Reader {
        text,
        bytes: text.as_bytes(),
        at: 0,
        header: 0,
        entries: Vec::with_capacity((text.len() / 32).clamp(8, MOST_ENTRIES)),
    };
    reader.document()?;
    Some(Doc {
        entries: reader.entries,
    })
}

struct Reader<'a> {
    text: &'a str,
    bytes: &'a [u8],
    at: usize,
    /// How many headers came so far.
    header: u32,
    entries: Vec<Entry<'a>>,
}

impl<'a> Reader<'a> {
    fn document(&mut self) -> Option<()> {
        let mut table = ROOT;
        loop {
            self.blanks();
            match self.peek() {
                None => return Some(()),
                Some(b'[') => {
                    table = self.header()?;
                    self.line_end()?;
                }
                Some(b'#' | b'\n' | b'\r') => self.line_end()?,
                Some(_) => {
                    self.pair(table, 0)?;
                    self.line_end()?;
                }
            }
        }
    }

    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    fn eat(&mut self, byte: u8) -> Option<()> {
        (self.peek()? == byte).then(|| self.at += 1)
    }

    /// Moves on to the first byte of these classes.
    fn until(&mut self, classes: u8) -> Option<()> {
        let rest = self.bytes.get(self.at..)?;
        let stop = rest.iter().position(|b| class(*b) & classes != 0);
        self.at += stop.unwrap_or(rest.len());
        Some(())
    }

    fn blanks(&mut self) {
        while let Some(b' ' | b'\t') = self.peek() {
            self.at += 1;
        }
    }

    /// The rest of a line: blanks, a comment, the line's end or the text's.
    fn line_end(&mut self) -> Option<()> {
        self.blanks();
        if self.peek() == Some(b'#') {
            let rest = self.text.get(self.at..)?;
            let line = rest.split_once('\n').map_or(rest, |(line, _)| line);
            let line = line.strip_suffix('\r').unwrap_or(line).as_bytes();
            // Without a way out of the loop, many bytes are looked at at once.
            if line.iter().fold(false, |bad, b| bad | is_control(*b)) {
                return None;
            }
            self.at += line.len();
        }
        match self.peek() {
            None => Some(()),
            Some(b'\n') => self.eat(b'\n'),
            Some(_) => {
                self.eat(b'\r')?;
                self.eat(b'\n')
            }
        }
    }

    /// Blanks, comments and line ends inside an array.
    fn space(&mut self) -> Option<()> {
        loop {
            self.blanks();
            match self.peek() {
                Some(b'#' | b'\n' | b'\r') => self.line_end()?,
                _ => return Some(()),
            }
        }
    }

    /// `[a.b]` or `[[a]]`: the table that the next lines belong to.
    fn header(&mut self) -> Option<u32> {
        self.header = self.header.checked_add(1)?;
        self.eat(b'[')?;
        let array = self.eat(b'[').is_some();
        let mut parent = ROOT;
        loop {
            let (key, at) = self.key()?;
            if self.eat(b'.').is_some() {
                parent = self.through_header(parent, key, at)?;
                continue;
            }
            self.eat(b']')?;
            if array {
                self.eat(b']')?;
                return self.element(parent, key, at);
            }
            return self.table(parent, key, at);
        }
    }

    fn through_header(&mut self, parent: u32, key: Cow<'a, str>, at: usize) -> Option<u32> {
        let Some(index) = self.find(parent, &key) else {
            return self.push(parent, key, at, Value::Table(Made::Implied));
        };
        match self.entries.get(index as usize)?.value {
            Value::Table(Made::Implied | Made::Header) => Some(index),
            Value::Tables { last } => Some(last),
            _ => None,
        }
    }

    fn table(&mut self, parent: u32, key: Cow<'a, str>, at: usize) -> Option<u32> {
        let Some(index) = self.find(parent, &key) else {
            return self.push(parent, key, at, Value::Table(Made::Header));
        };
        let entry = self.entries.get_mut(index as usize)?;
        if entry.value != Value::Table(Made::Implied) {
            return None;
        }
        entry.value = Value::Table(Made::Header);
        Some(index)
    }

    fn element(&mut self, parent: u32, key: Cow<'a, str>, at: usize) -> Option<u32> {
        let array = match self.find(parent, &key) {
            Some(index) => index,
            None => self.push(parent, key, at, Value::Tables { last: ROOT })?,
        };
        let element = self.push(array, Cow::Borrowed(""), at, Value::Table(Made::Header))?;
        match &mut self.entries.get_mut(array as usize)?.value {
            Value::Tables { last } => *last = element,
            _ => return None,
        }
        Some(element)
    }

    /// `a.b = value`
    fn pair(&mut self, table: u32, depth: usize) -> Option<()> {
        let mut parent = table;
        loop {
            let (key, at) = self.key()?;
            if self.eat(b'.').is_some() {
                parent = self.through_dots(parent, key, at)?;
                continue;
            }
            self.eat(b'=')?;
            self.blanks();
            if self.find(parent, &key).is_some() {
                return None;
            }
            if self.peek()? == b'{' {
                let index = self.push(parent, key, at, Value::Table(Made::Closed))?;
                return self.inline(index, depth);
            }
            let value = self.value()?;
            return self.push(parent, key, at, value).map(drop);
        }
    }

    fn through_dots(&mut self, parent: u32, key: Cow<'a, str>, at: usize) -> Option<u32> {
        let made = Value::Table(Made::Dotted(self.header));
        match self.find(parent, &key) {
            None => self.push(parent, key, at, made),
            Some(index) => (self.entries.get(index as usize)?.value == made).then_some(index),
        }
    }

    fn find(&self, parent: u32, key: &str) -> Option<u32> {
        // Children come after their parent.
        let first = parent.wrapping_add(1) as usize;
        let later = self.entries.get(first..)?;
        let found = later
            .iter()
            .position(|e| e.parent == parent && e.key == key)?;
        u32::try_from(first + found).ok()
    }

    fn push(&mut self, parent: u32, key: Cow<'a, str>, at: usize, value: Value<'a>) -> Option<u32> {
        let index = self.entries.len();
        if index >= MOST_ENTRIES {
            return None;
        }
        self.entries.push(Entry {
            parent,
            key,
            at,
            value,
        });
        u32::try_from(index).ok()
    }

    /// One part of a key with the blanks around it.
    fn key(&mut self) -> Option<(Cow<'a, str>, usize)> {
        self.blanks();
        let start = self.at;
        let key = match self.peek()? {
            b'"' => self.basic()?,
            b'\'' => self.literal()?,
            _ => {
                self.until(NOT_BARE)?;
                Cow::Borrowed(self.text.get(start..self.at).filter(|k| !k.is_empty())?)
            }
        };
        self.blanks();
        Some((key, start))
    }

    fn value(&mut self) -> Option<Value<'a>> {
        let value = match self.peek()? {
            b'"' => Value::Text(self.basic()?),
            b'\'' => Value::Text(self.literal()?),
            b'[' => Value::Texts(self.texts()?),
            _ => self.word()?,
        };
        Some(value)
    }

    /// `true`, `false` or a plain decimal number.
    fn word(&mut self) -> Option<Value<'a>> {
        let start = self.at;
        while self
            .peek()
            .is_some_and(|b| is_bare(b) || matches!(b, b'+' | b'.' | b':'))
        {
            self.at += 1;
        }
        match self.text.get(start..self.at)? {
            "true" => Some(Value::Flag(true)),
            "false" => Some(Value::Flag(false)),
            word => {
                let digits = word.strip_prefix(['+', '-']).unwrap_or(word);
                let plain = digits.bytes().all(|b| b.is_ascii_digit());
                let zeros = digits.len() > 1 && digits.starts_with('0');
                (plain && !zeros).then(|| word.parse().ok().map(Value::Whole))?
            }
        }
    }

    fn texts(&mut self) -> Option<Vec<Cow<'a, str>>> {
        self.eat(b'[')?;
        let mut texts = Vec::new();
        loop {
            self.space()?;
            match self.peek()? {
                b']' => break,
                b'"' => texts.push(self.basic()?),
                b'\'' => texts.push(self.literal()?),
                _ => return None,
            }
            self.space()?;
            if self.eat(b',').is_none() {
                break;
            }
        }
        self.eat(b']')?;
        Some(texts)
    }

    fn inline(&mut self, index: u32, depth: usize) -> Option<()> {
        self.eat(b'{')?;
        self.blanks();
        if depth >= DEPTH || self.eat(b'}').is_some() {
            return (depth < DEPTH).then_some(());
        }
        loop {
            self.pair(index, depth + 1)?;
            self.blanks();
            if self.eat(b',').is_none() {
                return self.eat(b'}');
            }
        }
    }

    /// `'…'`
    fn literal(&mut self) -> Option<Cow<'a, str>> {
        self.eat(b'\'')?;
        let start = self.at;
        self.until(CONTROL | LITERAL)?;
        let text = self.text.get(start..self.at)?;
        self.eat(b'\'')?;
        // Three quotes open a text of several lines.
        (!text.is_empty() || self.peek() != Some(b'\'')).then_some(Cow::Borrowed(text))
    }

    /// `"…"`
    fn basic(&mut self) -> Option<Cow<'a, str>> {
        self.eat(b'"')?;
        let mut start = self.at;
        let mut text = Cow::Borrowed("");
        loop {
            self.until(CONTROL | BASIC)?;
            let plain = self.text.get(start..self.at)?;
            if text.is_empty() {
                text = Cow::Borrowed(plain);
            } else {
                text.to_mut().push_str(plain);
            }
            if self.eat(b'\\').is_none() {
                break;
            }
            let escaped = self.escaped()?;
            text.to_mut().push(escaped);
            start = self.at;
        }
        self.eat(b'"')?;
        (!text.is_empty() || self.peek() != Some(b'"')).then_some(text)
    }

    fn escaped(&mut self) -> Option<char> {
        let byte = self.peek()?;
        self.at += 1;
        let digits = match byte {
            b'b' => return Some('\u{8}'),
            b't' => return Some('\t'),
            b'n' => return Some('\n'),
            b'f' => return Some('\u{c}'),
            b'r' => return Some('\r'),
            b'"' | b'\\' => return Some(char::from(byte)),
            b'u' => 4,
            b'U' => 8,
            _ => return None,
        };
        let hex = self.text.get(self.at..self.at.checked_add(digits)?)?;
        if !hex.bytes().all(|b| b.is_ascii_hexdigit()) {
            return None;
        }
        self.at += digits;
        char::from_u32(u32::from_str_radix(hex, 16).ok()?)
    }
}

const fn is_bare(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-'
}

/// Bytes that stand in no string and no comment; a tab may.
const fn is_control(byte: u8) -> bool {
    (byte < b' ' && byte != b'\t') || byte == 0x7f
}

/// See [`is_control`].
const CONTROL: u8 = 1;
/// What ends the plain part of `"…"`.
const BASIC: u8 = 2;
/// What ends `'…'`.
const LITERAL: u8 = 4;
/// What stands in no bare key.
const NOT_BARE: u8 = 8;

/// The classes of each byte.
const CLASSES: [u8; 256] = {
    let mut classes = [0; 256];
    let mut i = 0;
    while i < 256 {
        let byte = i as u8;
        if is_control(byte) {
            classes[i] |= CONTROL;
        }
        if matches!(byte, b'"' | b'\\') {
            classes[i] |= BASIC;
        }
        if byte == b'\'' {
            classes[i] |= LITERAL;
        }
        if !is_bare(byte) {
            classes[i] |= NOT_BARE;
        }
        i += 1;
    }
    classes
};

fn class(byte: u8) -> u8 {
    CLASSES.get(usize::from(byte)).copied().unwrap_or(CONTROL)
}
