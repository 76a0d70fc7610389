//! Heredocs: which delimiter they wait for, and the body that the next lines hold.

use super::ast::{Id, Part, WordNode};
use super::lexer::{Mode, Parser};
use std::rc::Rc;

/// A heredoc whose body comes after the next newline.
#[derive(Debug)]
pub(super) struct Pending {
    delimiter: String,
    /// The delimiter was quoted: nothing in the body is expanded.
    literal: bool,
    /// `<<-`: leading tabs go.
    tabs: bool,
    /// Where the body goes.
    word: Id,
    /// Where the operator stood.
    at: usize,
}

impl Parser<'_> {
    /// Reads the delimiter after `<<`; the body's word is filled later.
    pub(super) fn heredoc(&mut self, tabs: bool) -> Id {
        let at = self.at;
        let read = self.word(Mode::WORD);
        let plain = match self.ast.parts(read) {
            [Part::Text { run, quoted: false }] => Some(self.ast.text(*run).to_string()),
            _ => None,
        };
        let source = self.text.get(at..self.at).unwrap_or("");
        let (delimiter, literal) = match plain {
            Some(text) => (text, false),
            None => unquoted(source),
        };
        if read.start == read.end {
            self.problem("heredoc without a delimiter", at, self.at);
        }
        let word = self.keep(WordNode {
            parts: Default::default(),
            start: at as u32,
            end: self.at as u32,
        });
        self.pending.push(Pending {
            delimiter,
            literal,
            tabs,
            word,
            at,
        });
        word
    }

    /// Steps over a newline and over the bodies of the heredocs that wait for it.
    pub(super) fn newline(&mut self) {
        if self.lines {
            self.ast.newlines.push(self.at as u32);
        }
        self.at += 1;
        if self.pending.is_empty() {
            return;
        }
        for pending in std::mem::take(&mut self.pending) {
            self.body(&pending);
        }
    }

    /// Bodies that no newline introduced are empty.
    pub(super) fn drop_pending(&mut self) {
        for pending in std::mem::take(&mut self.pending) {
            self.problem("heredoc without a body", pending.at, self.text.len());
        }
    }

    fn body(&mut self, pending: &Pending) {
        let start = self.at;
        let (end, next, found) = self.find_end(pending);
        if !found {
            self.problem("heredoc without its end", pending.at, self.text.len());
        }
        if self.lines {
            for at in start..next {
                if self.src.get(at) == Some(&b'\n') {
                    self.ast.newlines.push(at as u32);
                }
            }
        }
        let parts = self.read_body(pending, start, end);
        let from = self.ast.parts.len();
        self.ast.parts.extend(parts);
        let to = self.ast.parts.len();
        if let Some(word) = self.ast.words.get_mut(pending.word as usize) {
            word.parts = super::ast::Run::new(from, to);
        }
        self.at = next;
    }

    fn read_body(&mut self, pending: &Pending, start: usize, end: usize) -> Vec<Part> {
        let raw = self.text.get(start..end).unwrap_or("");
        if raw.is_empty() {
            return Vec::new();
        }
        let stripped = (pending.tabs && raw.contains('\t')).then(|| without_tabs(raw));
        if pending.literal
            || !raw
                .bytes()
                .any(|b| matches!(b, b'$' | b'`' | b'\\' | 0x01 | 0xF3 | 0xF4))
        {
            let pool = self.ast.pool.len();
            let text = stripped.as_deref().unwrap_or(raw);
            if self.top {
                let tamed = super::ansi::tamed(text.as_bytes().to_vec());
                self.ast.pool.push_str(&tamed);
            } else {
                self.ast.pool.push_str(text);
            }
            let run = super::ast::Run::new(pool, self.ast.pool.len());
            return vec![Part::Text { run, quoted: true }];
        }
        if let Some(text) = stripped {
            if !self.enter() {
                return Vec::new();
            }
            let mut parser = Parser::new(&text, self.depth, self.top);
            parser.looks = self.looks;
            parser.extglob = self.extglob;
            let word = parser.word(Mode::BODY);
            let (mut ast, problems) = parser.finish();
            ast.body = word;
            self.adopt(problems, start, end);
            self.ast.units.push(Rc::new(ast));
            self.leave();
            let unit = (self.ast.units.len() - 1) as Id;
            return vec![Part::UnitText { unit }];
        }
        self.at = start;
        let saved = self.narrow(end);
        let word = self.word(Mode::BODY);
        self.widen(saved);
        self.ast.parts(word).to_vec()
    }

    /// Where the body ends, where reading goes on, and whether the delimiter was found.
    fn find_end(&self, pending: &Pending) -> (usize, usize, bool) {
        let src = self.src.get(..self.end).unwrap_or(self.src);
        let mut at = self.at;
        let mut joined = String::new();
        let mut logical = at;
        while at < src.len() {
            let rest = src.get(at..).unwrap_or(&[]);
            let length = rest.iter().position(|&b| b == b'\n').unwrap_or(rest.len());
            let next = (at + length + 1).min(src.len());
            let line = self.text.get(at..at + length).unwrap_or("");
            let slashes = line.bytes().rev().take_while(|&b| b == b'\\').count();
            if !pending.literal && slashes % 2 == 1 && next > at + length {
                joined.push_str(line.get(..length - 1).unwrap_or(""));
                at = next;
                continue;
            }
            let whole = if joined.is_empty() {
                line
            } else {
                joined.push_str(line);
                joined.as_str()
            };
            let shown = if pending.tabs {
                whole.trim_start_matches('\t')
            } else {
                whole
            };
            if shown == pending.delimiter {
                return (logical, next, true);
            }
            let closes = self.wants & super::grammar::PAREN != 0;
            if closes
                && joined.is_empty()
                && let Some(after) = shown.strip_prefix(pending.delimiter.as_str())
                && after.contains(')')
            {
                return (logical, at + length - after.len(), true);
            }
            joined.clear();
            at = next;
            logical = at;
        }
        (src.len(), src.len(), false)
    }
}

fn without_tabs(raw: &str) -> String {
    let mut text = String::with_capacity(raw.len());
    for line in raw.split_inclusive('\n') {
        text.push_str(line.trim_start_matches('\t'));
    }
    text
}

/// A delimiter with its quotes removed, and whether there were any.
fn unquoted(source: &str) -> (String, bool) {
    let mut out = String::new();
    let mut quoted = false;
    let mut chars = source.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '\\' => {
                if chars.peek() == Some(&'\n') {
                    chars.next();
                    continue;
                }
                quoted = true;
                out.extend(chars.next());
            }
            '\'' | '"' => {
                quoted = true;
                while let Some(inner) = chars.next()
                    && inner != c
                {
                    if inner == '\\'
                        && c == '"'
                        && matches!(chars.peek(), Some('"' | '\\' | '$' | '`'))
                    {
                        out.extend(chars.next());
                    } else {
                        out.push(inner);
                    }
                }
            }
            '$' if matches!(chars.peek(), Some('\'' | '"')) => {}
            _ => out.push(c),
        }
    }
    (out, quoted)
}
