//! Reads words: quotes, escapes and literal runs, with continuations folded on the way.

use super::ast::{AssignNode, Ast, Branch, Id, Item, Link, Part, RedirNode, Run, WordNode};
use super::heredoc::Pending;
use super::{Problem, Span};

/// How deep constructs may nest.
pub(super) const DEPTH: usize = 48;

const PLAIN: u8 = 1;
const QUOTED: u8 = 2;
const BRACE: u8 = 4;
const BRACKET: u8 = 8;
const SLASH: u8 = 16;

const fn classes() -> [u8; 256] {
    let mut table = [0u8; 256];
    let both = b"'\"\\$`\x01\xF3\xF4";
    let mut i = 0;
    while i < both.len() {
        table[both[i] as usize] = PLAIN | QUOTED;
        i += 1;
    }
    let plain = b" \t\n;&|()<>";
    i = 0;
    while i < plain.len() {
        table[plain[i] as usize] = PLAIN;
        i += 1;
    }
    table[b'}' as usize] = BRACE;
    table[b'[' as usize] = BRACKET;
    table[b']' as usize] = BRACKET;
    table[b'/' as usize] = SLASH;
    table
}

static CLASS: [u8; 256] = classes();

/// Where a scan ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Stop {
    /// At a blank or an operator.
    Blank,
    /// At a blank, inside `[[ ]]`.
    Test,
    /// At `}`.
    Brace,
    /// At `/` or `}`.
    Slash,
    /// At `]`.
    Bracket,
    /// At `"`.
    Quote,
    /// At the end of what may be read.
    Limit,
}

/// How a scan reads.
#[derive(Debug, Clone, Copy)]
pub(super) struct Mode {
    pub(super) quoted: bool,
    /// `'` quotes.
    pub(super) quotes: bool,
    pub(super) stop: Stop,
}

impl Mode {
    pub(super) const WORD: Mode = Mode::plain(Stop::Blank);
    pub(super) const BODY: Mode = Mode::quoted(Stop::Limit);

    pub(super) const fn plain(stop: Stop) -> Mode {
        Mode {
            quoted: false,
            quotes: true,
            stop,
        }
    }

    pub(super) const fn quoted(stop: Stop) -> Mode {
        Mode {
            quoted: true,
            quotes: false,
            stop,
        }
    }

    fn mask(self) -> u8 {
        let quoting = if self.quoted { QUOTED } else { PLAIN };
        quoting
            | match self.stop {
                Stop::Brace => BRACE,
                Stop::Slash => BRACE | SLASH,
                Stop::Bracket => BRACKET,
                _ => 0,
            }
    }
}

/// One pass over one text. Tables with unfinished runs are stacks.
pub(super) struct Parser<'a> {
    pub(super) text: &'a str,
    pub(super) src: &'a [u8],
    pub(super) at: usize,
    pub(super) end: usize,
    /// Where everything ends: nearer than `end` once work was cut short.
    pub(super) hard: usize,
    pub(super) depth: usize,
    /// The text is the user's own: marks in it are not ours.
    pub(super) top: bool,
    pub(super) extglob: bool,
    pub(super) lines: bool,
    /// Terminators that the constructs around wait for.
    pub(super) wants: u16,
    /// How many bytes may still be looked at ahead.
    pub(super) looks: usize,
    pub(super) ast: Ast,
    pub(super) base: usize,
    pub(super) parts: Vec<Part>,
    pub(super) words: Vec<WordNode>,
    pub(super) assigns: Vec<AssignNode>,
    pub(super) redirs: Vec<RedirNode>,
    pub(super) links: Vec<Link>,
    pub(super) items: Vec<Item>,
    pub(super) branches: Vec<Branch>,
    pub(super) stages: Vec<Id>,
    pub(super) pending: Vec<Pending>,
    pub(super) problems: Vec<Problem>,
}

impl<'a> Parser<'a> {
    pub(super) fn new(text: &'a str, depth: usize, top: bool) -> Parser<'a> {
        Parser {
            text,
            src: text.as_bytes(),
            at: 0,
            end: text.len(),
            hard: text.len(),
            depth,
            top,
            extglob: false,
            lines: false,
            wants: 0,
            looks: text.len().saturating_mul(64).saturating_add(50_000),
            ast: Ast::default(),
            base: 0,
            parts: Vec::new(),
            words: Vec::new(),
            assigns: Vec::new(),
            redirs: Vec::new(),
            links: Vec::new(),
            items: Vec::new(),
            branches: Vec::new(),
            stages: Vec::new(),
            pending: Vec::new(),
            problems: Vec::new(),
        }
    }

    pub(super) fn byte(&self) -> Option<u8> {
        self.byte_at(self.at)
    }

    pub(super) fn byte_at(&self, at: usize) -> Option<u8> {
        if at < self.end {
            self.src.get(at).copied()
        } else {
            None
        }
    }

    /// `at` moved over continuations.
    pub(super) fn folded(&self, mut at: usize) -> usize {
        while self.byte_at(at) == Some(b'\\') && self.byte_at(at + 1) == Some(b'\n') {
            at += 2;
        }
        at
    }

    /// The byte after the one at `at`, continuations folded, and where it stands.
    pub(super) fn after(&self, at: usize) -> (usize, Option<u8>) {
        let next = self.folded(at + 1);
        (next, self.byte_at(next))
    }

    pub(super) fn problem(&mut self, what: &'static str, start: usize, end: usize) {
        if self.problems.len() < 64 {
            self.problems.push(Problem {
                what,
                span: Span { start, end },
                cut: false,
            });
        }
    }

    /// Goes one construct deeper; false when that is too deep, and then all reading ends.
    pub(super) fn enter(&mut self) -> bool {
        if self.depth >= DEPTH {
            self.problems.push(Problem {
                what: "nested deeper than 48",
                span: Span {
                    start: self.at.min(self.text.len()),
                    end: self.text.len(),
                },
                cut: true,
            });
            self.hard = 0;
            self.end = 0;
            return false;
        }
        self.depth += 1;
        true
    }

    pub(super) fn leave(&mut self) {
        self.depth = self.depth.saturating_sub(1);
    }

    /// Narrows what may be read; give the result to [`Parser::widen`].
    pub(super) fn narrow(&mut self, end: usize) -> usize {
        let saved = self.end;
        self.end = end.min(self.end);
        saved
    }

    pub(super) fn widen(&mut self, saved: usize) {
        self.end = saved.min(self.hard);
    }

    /// Adds source text to the word.
    pub(super) fn literal(&mut self, from: usize, to: usize, quoted: bool) {
        let start = self.ast.pool.len();
        self.ast
            .pool
            .push_str(self.text.get(from..to).unwrap_or(""));
        self.piece(start, quoted);
    }

    /// Makes the pool from `start` on a part of the word, or lengthens the last one.
    pub(super) fn piece(&mut self, start: usize, quoted: bool) {
        let end = self.ast.pool.len();
        if self.parts.len() > self.base
            && let Some(Part::Text { run, quoted: q }) = self.parts.last_mut()
            && *q == quoted
            && run.end as usize == start
        {
            run.end = end as u32;
            return;
        }
        self.parts.push(Part::Text {
            run: Run::new(start, end),
            quoted,
        });
    }

    /// Reads one word.
    pub(super) fn word(&mut self, mode: Mode) -> WordNode {
        let start = self.at;
        let base = std::mem::replace(&mut self.base, self.parts.len());
        self.scan(mode);
        let at = self.ast.parts.len();
        let from = self.base;
        self.ast.parts.extend(self.parts.drain(from..));
        self.base = base;
        WordNode {
            parts: Run::new(at, self.ast.parts.len()),
            start: start as u32,
            end: self.at.max(start) as u32,
        }
    }

    /// Reads one word into the table.
    pub(super) fn word_id(&mut self, mode: Mode) -> Id {
        let word = self.word(mode);
        self.keep(word)
    }

    pub(super) fn keep(&mut self, word: WordNode) -> Id {
        self.ast.words.push(word);
        (self.ast.words.len() - 1) as Id
    }

    fn scan(&mut self, mode: Mode) {
        let mask = mode.mask();
        let mut nest = 0usize;
        loop {
            let from = self.at;
            while let Some(b) = self.byte()
                && CLASS.get(b as usize).copied().unwrap_or(0) & mask == 0
            {
                self.at += 1;
            }
            if self.at > from {
                self.literal(from, self.at, mode.quoted);
            }
            let Some(b) = self.byte() else { return };
            match b {
                b'\\' => self.backslash(mode),
                b'\'' if mode.quotes => self.single_quote(),
                b'"' if mode.stop == Stop::Quote => return,
                b'"' if !(mode.quoted && mode.stop == Stop::Limit) => self.double_quote(),
                b'$' => self.dollar(mode),
                b'`' => self.backtick(mode.quoted),
                0x01 | 0xF3 | 0xF4 => self.mark(mode.quoted),
                b'}' if matches!(mode.stop, Stop::Brace | Stop::Slash) => return,
                b'/' if mode.stop == Stop::Slash => return,
                b'[' if mode.stop == Stop::Bracket => {
                    nest += 1;
                    self.one(mode.quoted);
                }
                b']' if mode.stop == Stop::Bracket => {
                    if nest == 0 {
                        return;
                    }
                    nest -= 1;
                    self.one(mode.quoted);
                }
                _ if mode.quoted => self.one(true),
                b'<' | b'>' if self.after(self.at).1 == Some(b'(') => self.process(b == b'>'),
                b'(' if matches!(mode.stop, Stop::Blank | Stop::Test)
                    && self.starts_group(mode) =>
                {
                    self.group();
                }
                _ => match mode.stop {
                    Stop::Blank => return,
                    Stop::Test if matches!(b, b' ' | b'\t' | b'\n' | b';') => return,
                    _ => self.one(false),
                },
            }
        }
    }

    fn one(&mut self, quoted: bool) {
        self.literal(self.at, self.at + 1, quoted);
        self.at += 1;
    }

    /// `@(`, `!(`, … inside a word where such patterns are on.
    fn starts_group(&self, mode: Mode) -> bool {
        (self.extglob || mode.stop == Stop::Test)
            && self.at > 0
            && matches!(
                self.src.get(self.at - 1),
                Some(b'?' | b'*' | b'+' | b'@' | b'!')
            )
            && self.parts.len() > self.base
    }

    /// The alternatives of such a pattern.
    fn group(&mut self) {
        if !self.enter() {
            return;
        }
        let extglob = std::mem::replace(&mut self.extglob, true);
        self.one(false);
        loop {
            self.scan(Mode::WORD);
            match self.byte() {
                Some(b')') => {
                    self.one(false);
                    break;
                }
                Some(b'\n') | None => break,
                Some(_) => self.one(false),
            }
        }
        self.extglob = extglob;
        self.leave();
    }

    fn backslash(&mut self, mode: Mode) {
        let next = self.byte_at(self.at + 1);
        if next == Some(b'\n') {
            self.at += 2;
            return;
        }
        let Some(next) = next else {
            self.one(mode.quoted);
            return;
        };
        let escapes = !mode.quoted
            || match next {
                b'$' | b'`' | b'\\' => true,
                b'"' => mode.stop != Stop::Limit,
                b'}' => matches!(mode.stop, Stop::Brace | Stop::Slash),
                _ => false,
            };
        if !escapes {
            self.one(true);
            return;
        }
        self.at += 1;
        if matches!(next, 0x01 | 0xF3 | 0xF4) {
            self.mark(true);
            return;
        }
        let mut to = self.at + 1;
        while to < self.end && !self.text.is_char_boundary(to) {
            to += 1;
        }
        self.literal(self.at, to, true);
        self.at = to;
    }

    fn single_quote(&mut self) {
        let open = self.at;
        self.at += 1;
        let from = self.at;
        loop {
            match self.byte() {
                Some(b'\'') => break,
                Some(0x01 | 0xF3 | 0xF4) => {
                    let start = self.at;
                    self.literal_before_mark(from, start, open);
                    return;
                }
                Some(_) => self.at += 1,
                None => break,
            }
        }
        self.literal(from, self.at, true);
        self.close(b'\'', open);
    }

    /// The rest of a single-quoted stretch in which a mark was met at `mark`.
    fn literal_before_mark(&mut self, from: usize, mark: usize, open: usize) {
        self.literal(from, mark, true);
        loop {
            let from = self.at;
            while let Some(b) = self.byte()
                && !matches!(b, b'\'' | 0x01 | 0xF3 | 0xF4)
            {
                self.at += 1;
            }
            if self.at > from {
                self.literal(from, self.at, true);
            }
            match self.byte() {
                Some(b'\'') | None => break,
                Some(_) => self.mark(true),
            }
        }
        self.close(b'\'', open);
    }

    pub(super) fn double_quote(&mut self) {
        if !self.enter() {
            return;
        }
        let open = self.at;
        self.at += 1;
        let before = (self.parts.len(), self.ast.pool.len());
        self.scan(Mode::quoted(Stop::Quote));
        if before == (self.parts.len(), self.ast.pool.len()) {
            self.piece(before.1, true);
        }
        self.close(b'"', open);
        self.leave();
    }

    /// Steps over the closing quote.
    pub(super) fn close(&mut self, quote: u8, open: usize) {
        if self.byte() == Some(quote) {
            self.at += 1;
        } else {
            self.problem("unterminated quote", open, self.text.len());
        }
    }

    /// U+0001 and the private planes: ours in a nested text, the user's own at the top.
    fn mark(&mut self, quoted: bool) {
        let rest = self.text.get(self.at..).unwrap_or("");
        let Some(c) = rest.chars().next() else {
            self.at += 1;
            return;
        };
        let to = self.at + c.len_utf8();
        if c == super::OPAQUE {
            self.parts.push(Part::Opaque { quoted });
        } else if (c as u32) < super::ANSWER_BASE {
            self.literal(self.at, to, quoted);
        } else if self.top {
            self.parts.push(Part::Opaque { quoted: true });
        } else {
            self.literal(self.at, to, quoted);
        }
        self.at = to;
    }
}
