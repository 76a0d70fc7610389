//! Lists, pipelines and simple commands: reading goes on after every mistake.

use super::Problem;
use super::ast::{Ast, Id, Item, Link, Node, Run};
use super::lexer::Parser;

pub(super) const THEN: u16 = 1;
pub(super) const ELSE: u16 = 2;
pub(super) const FI: u16 = 4;
pub(super) const DO: u16 = 8;
pub(super) const DONE: u16 = 16;
pub(super) const ESAC: u16 = 32;
pub(super) const NEXT_ARM: u16 = 64;
pub(super) const CLOSE_BRACE: u16 = 128;
pub(super) const PAREN: u16 = 256;

/// A reserved word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Keyword {
    If,
    Then,
    Elif,
    Else,
    Fi,
    For,
    While,
    Until,
    Do,
    Done,
    Case,
    Esac,
    Function,
    Select,
    Time,
    Coproc,
    Open,
    Close,
    Bang,
    Test,
}

impl Keyword {
    /// The bit of a word that ends a list.
    pub(super) fn terminator(self) -> u16 {
        match self {
            Keyword::Then => THEN,
            Keyword::Elif | Keyword::Else => ELSE,
            Keyword::Fi => FI,
            Keyword::Do => DO,
            Keyword::Done => DONE,
            Keyword::Esac => ESAC,
            Keyword::Close => CLOSE_BRACE,
            _ => 0,
        }
    }
}

pub(super) fn delimits(b: Option<u8>) -> bool {
    matches!(
        b,
        None | Some(b' ' | b'\t' | b'\n' | b';' | b'&' | b'|' | b'(' | b')' | b'<' | b'>')
    )
}

impl Parser<'_> {
    /// Parses the whole text.
    pub(super) fn finish(mut self) -> (Ast, Vec<Problem>) {
        if self.text.contains('\0') {
            self.problem("a NUL byte", 0, self.text.len());
        }
        self.ast.root = self.list(0);
        self.drop_pending();
        (self.ast, self.problems)
    }

    pub(super) fn node(&mut self, node: Node) -> Id {
        self.ast.nodes.push(node);
        (self.ast.nodes.len() - 1) as Id
    }

    /// Steps over blanks, continuations and a comment.
    pub(super) fn blanks(&mut self) {
        loop {
            match self.byte() {
                Some(b' ' | b'\t') => self.at += 1,
                Some(b'\\') if self.byte_at(self.at + 1) == Some(b'\n') => self.at += 2,
                Some(b'#') => {
                    while self.byte().is_some_and(|b| b != b'\n') {
                        self.at += 1;
                    }
                    return;
                }
                _ => return,
            }
        }
    }

    /// Steps over blanks, comments and newlines.
    pub(super) fn space(&mut self) {
        loop {
            self.blanks();
            if self.byte() != Some(b'\n') {
                return;
            }
            self.newline();
        }
    }

    /// The reserved word here, and where it ends.
    pub(super) fn keyword(&self) -> Option<(Keyword, usize)> {
        let mut word = [0u8; 8];
        let mut length = 0;
        let mut at = self.folded(self.at);
        loop {
            while let Some(b @ (b'a'..=b'z' | b'{' | b'}' | b'!' | b'[')) = self.byte_at(at) {
                *word.get_mut(length)? = b;
                length += 1;
                at += 1;
            }
            let next = self.folded(at);
            if next == at {
                break;
            }
            at = next;
        }
        if length == 0 || !delimits(self.byte_at(at)) {
            return None;
        }
        let word = match word.get(..length)? {
            b"if" => Keyword::If,
            b"then" => Keyword::Then,
            b"elif" => Keyword::Elif,
            b"else" => Keyword::Else,
            b"fi" => Keyword::Fi,
            b"for" => Keyword::For,
            b"while" => Keyword::While,
            b"until" => Keyword::Until,
            b"do" => Keyword::Do,
            b"done" => Keyword::Done,
            b"case" => Keyword::Case,
            b"esac" => Keyword::Esac,
            b"function" => Keyword::Function,
            b"select" => Keyword::Select,
            b"time" => Keyword::Time,
            b"coproc" => Keyword::Coproc,
            b"{" => Keyword::Open,
            b"}" => Keyword::Close,
            b"!" => Keyword::Bang,
            b"[[" => Keyword::Test,
            _ => return None,
        };
        Some((word, at))
    }

    /// Steps over `keyword` if it stands here.
    pub(super) fn take(&mut self, keyword: Keyword) -> bool {
        match self.keyword() {
            Some((found, end)) if found == keyword => {
                self.at = end;
                true
            }
            _ => false,
        }
    }

    /// Steps over `keyword`, or notes that it is missing.
    pub(super) fn expect(&mut self, keyword: Keyword, open: usize) -> bool {
        let there = self.take(keyword);
        if !there {
            self.problem("unfinished compound command", open, self.text.len());
        }
        there
    }

    /// Commands up to one of `until`, or up to what a construct further out waits for.
    pub(super) fn list(&mut self, until: u16) -> Id {
        let wants = self.wants;
        self.wants |= until;
        let base = self.items.len();
        loop {
            self.space();
            let Some(b) = self.byte() else { break };
            let at = self.at;
            match b {
                b')' if self.wants & PAREN != 0 => break,
                b';' if self.wants & NEXT_ARM != 0
                    && matches!(self.after(at).1, Some(b';' | b'&')) =>
                {
                    break;
                }
                b')' | b';' | b'&' | b'|' if !(b == b'&' && self.after(at).1 == Some(b'>')) => {
                    self.problem("stray operator", at, at + 1);
                    self.at += 1;
                    continue;
                }
                _ => {}
            }
            if let Some((word, end)) = self.keyword() {
                let bit = word.terminator();
                if bit & self.wants != 0 {
                    break;
                }
                if bit != 0 {
                    self.problem("stray reserved word", at, end);
                    self.at = end;
                    continue;
                }
            }
            let node = self.and_or();
            if self.at == at {
                self.at += 1;
            }
            let background = self.separator();
            self.items.push(Item { node, background });
        }
        self.wants = wants;
        self.gather_list(base)
    }

    fn gather_list(&mut self, base: usize) -> Id {
        if let [one] = self.items.get(base..).unwrap_or(&[])
            && !one.background
        {
            let node = one.node;
            self.items.truncate(base);
            return node;
        }
        let at = self.ast.items.len();
        self.ast.items.extend(self.items.drain(base..));
        let run = Run::new(at, self.ast.items.len());
        self.node(Node::List(run))
    }

    /// What follows a command of a list; true for `&`.
    fn separator(&mut self) -> bool {
        self.blanks();
        match self.byte() {
            Some(b'&') => {
                self.at += 1;
                return true;
            }
            Some(b';') if !matches!(self.after(self.at).1, Some(b';')) => {
                if self.after(self.at).1 == Some(b'&') && self.wants & NEXT_ARM != 0 {
                    return false;
                }
                self.at += 1;
            }
            Some(b'\n' | b';' | b')') | None => {}
            Some(_) => {
                let at = self.at;
                self.problem("unexpected text after a command", at, at + 1);
            }
        }
        false
    }

    pub(super) fn and_or(&mut self) -> Id {
        let first = self.pipeline();
        let base = self.links.len();
        loop {
            self.blanks();
            let (second, next) = self.after(self.at);
            let or = match (self.byte(), next) {
                (Some(b'&'), Some(b'&')) => false,
                (Some(b'|'), Some(b'|')) => true,
                _ => break,
            };
            let at = self.at;
            self.at = second + 1;
            self.space();
            if self.starts_nothing() {
                self.problem("no command after an operator", at, self.at);
                if matches!(self.byte(), Some(b'&' | b'|')) {
                    continue;
                }
                break;
            }
            let node = self.pipeline();
            self.links.push(Link { or, node });
        }
        if self.links.len() == base {
            return first;
        }
        let at = self.ast.links.len();
        self.ast.links.extend(self.links.drain(base..));
        let rest = Run::new(at, self.ast.links.len());
        self.node(Node::AndOr { first, rest })
    }

    /// No command can begin here.
    fn starts_nothing(&self) -> bool {
        match self.byte() {
            None | Some(b')' | b';' | b'|' | b'\n') => true,
            Some(b'&') => self.after(self.at).1 != Some(b'>'),
            Some(_) => self
                .keyword()
                .is_some_and(|(word, _)| word.terminator() & self.wants != 0),
        }
    }

    fn pipeline(&mut self) -> Id {
        let mut negated = false;
        loop {
            self.blanks();
            match self.keyword() {
                Some((Keyword::Bang, end)) => {
                    negated = !negated;
                    self.at = end;
                }
                Some((Keyword::Time, end)) => {
                    self.at = end;
                    for option in ["-p", "--"] {
                        self.blanks();
                        if self
                            .text
                            .get(self.at..)
                            .is_some_and(|t| t.starts_with(option))
                            && delimits(self.byte_at(self.at + 2))
                        {
                            self.at += 2;
                        }
                    }
                }
                _ => break,
            }
        }
        let base = self.stages.len();
        loop {
            let node = self.command();
            self.stages.push(node);
            self.blanks();
            let (second, next) = self.after(self.at);
            match (self.byte(), next) {
                (Some(b'|'), Some(b'|')) => break,
                (Some(b'|'), Some(b'&')) => self.at = second + 1,
                (Some(b'|'), _) => self.at += 1,
                _ => break,
            }
            self.space();
            if self.starts_nothing() {
                self.problem("no command after `|`", self.at, self.text.len());
                break;
            }
        }
        if let [one] = self.stages.get(base..).unwrap_or(&[])
            && !negated
        {
            let node = *one;
            self.stages.truncate(base);
            return node;
        }
        let at = self.ast.stages.len();
        self.ast.stages.extend(self.stages.drain(base..));
        let stages = Run::new(at, self.ast.stages.len());
        self.node(Node::Pipe { stages, negated })
    }

    /// One command of any kind.
    pub(super) fn command(&mut self) -> Id {
        self.blanks();
        let start = self.at;
        let Some(body) = self.compound() else {
            return self.simple();
        };
        if matches!(self.ast.node(body), Node::Function { .. } | Node::Coproc(_)) {
            return body;
        }
        let base = self.redirs.len();
        loop {
            self.blanks();
            if !self.redirect() {
                break;
            }
        }
        if self.redirs.len() == base {
            return body;
        }
        let redirs = self.gather_redirs(base);
        let (start, end) = (start as u32, self.at.min(self.text.len()) as u32);
        self.node(Node::Redirected {
            body,
            redirs,
            start,
            end,
        })
    }
}
