//! Lists, pipelines and simple commands: reading goes on after every mistake.

use super::Problem;
use super::ast::{
    AssignNode, Ast, Id, Item, Link, Node, Part, RedirNode, RedirOp, Run, SimpleNode, WordNode,
};
use super::dollar::{is_name, is_name_start};
use super::lexer::{Mode, Parser, Stop};

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

fn delimits(b: Option<u8>) -> bool {
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
        while let Some(b @ (b'a'..=b'z' | b'{' | b'}' | b'!' | b'[')) = self.byte_at(at) {
            *word.get_mut(length)? = b;
            length += 1;
            at = self.folded(at + 1);
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

    fn and_or(&mut self) -> Id {
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
        let (start, end) = (start as u32, self.at as u32);
        self.node(Node::Redirected {
            body,
            redirs,
            start,
            end,
        })
    }

    fn gather_redirs(&mut self, base: usize) -> Run {
        let at = self.ast.redirs.len();
        self.ast.redirs.extend(self.redirs.drain(base..));
        Run::new(at, self.ast.redirs.len())
    }

    fn simple(&mut self) -> Id {
        let start = self.at;
        let (words, assigns, redirs) = (self.words.len(), self.assigns.len(), self.redirs.len());
        let mut end = start;
        loop {
            self.blanks();
            let Some(b) = self.byte() else { break };
            let (_, next) = self.after(self.at);
            match b {
                b'\n' | b';' | b'|' | b')' => break,
                b'&' if next != Some(b'>') => break,
                b'(' if self.words.len() == words + 1 && self.assigns.len() == assigns => {
                    if let Some(node) = self.function_here(words) {
                        self.redirs.truncate(redirs);
                        return node;
                    }
                    break;
                }
                b'(' => break,
                _ => {}
            }
            if self.redirect() {
                end = self.at;
                continue;
            }
            let at = self.at;
            if self.words.len() == words
                && let Some(assign) = self.assignment()
            {
                self.assigns.push(assign);
            } else {
                let word = self.argument();
                self.expand_braces(word);
            }
            end = self.at;
            if self.at == at {
                break;
            }
        }
        let at = self.ast.words.len();
        self.ast.words.extend(self.words.drain(words..));
        let words = Run::new(at, self.ast.words.len());
        let at = self.ast.assigns.len();
        self.ast.assigns.extend(self.assigns.drain(assigns..));
        let assigns = Run::new(at, self.ast.assigns.len());
        let redirs = self.gather_redirs(redirs);
        self.note_extglob(words);
        self.node(Node::Simple(SimpleNode {
            assigns,
            words,
            redirs,
            start: start as u32,
            end: end as u32,
        }))
    }

    /// `shopt -s extglob` changes how later lines read.
    fn note_extglob(&mut self, words: Run) {
        if let [program, option, name] = words.of(&self.ast.words)
            && self.ast.literal(*program) == Some("shopt")
            && self.ast.literal(*option) == Some("-s")
            && self.ast.literal(*name) == Some("extglob")
        {
            self.extglob = true;
        }
    }

    /// `name()` with its body, when that is what stands here.
    fn function_here(&mut self, words: usize) -> Option<Id> {
        let (mut at, _) = self.after(self.at);
        while matches!(self.byte_at(at), Some(b' ' | b'\t')) {
            at = self.folded(at + 1);
        }
        if self.byte_at(at) != Some(b')') {
            return None;
        }
        let name = match self.ast.parts(*self.words.last()?) {
            [Part::Text { run, .. }] => *run,
            _ => return None,
        };
        self.words.truncate(words);
        self.at = at + 1;
        Some(self.function_body(name))
    }

    pub(super) fn function_body(&mut self, name: Run) -> Id {
        self.space();
        if !self.enter() {
            return self.empty();
        }
        let body = self.command();
        self.leave();
        self.node(Node::Function { name, body })
    }

    /// An argument; `name=(…)` is an array.
    fn argument(&mut self) -> WordNode {
        let at = self.at;
        let mut after = at;
        while self.byte_at(after).is_some_and(is_name) {
            after += 1;
        }
        if after > at && self.byte().is_some_and(is_name_start) {
            let plus = usize::from(self.byte_at(after) == Some(b'+'));
            if self.byte_at(after + plus) == Some(b'=')
                && self.byte_at(after + plus + 1) == Some(b'(')
            {
                let base = std::mem::replace(&mut self.base, self.parts.len());
                self.literal(at, after + plus + 1, false);
                self.at = after + plus + 1;
                self.array();
                return self.finish_word(at, base);
            }
        }
        self.word(Mode::WORD)
    }

    fn finish_word(&mut self, start: usize, base: usize) -> WordNode {
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

    /// `name=value` and its kin, when that is what stands here.
    fn assignment(&mut self) -> Option<AssignNode> {
        if !self.byte().is_some_and(is_name_start) {
            return None;
        }
        let start = self.at;
        let mut at = start;
        while self.byte_at(at).is_some_and(is_name) {
            at = self.folded(at + 1);
        }
        let mut index = None;
        match self.byte_at(at)? {
            b'=' => {}
            b'+' if self.after(at).1 == Some(b'=') => {}
            b'[' if self.subscript_assigns(at) => {
                index = Some(());
            }
            _ => return None,
        }
        let name = self.name();
        let index = index.map(|()| {
            self.at += 1;
            let id = self.word_id(Mode::plain(Stop::Bracket));
            self.at += 1;
            id
        });
        let append = self.byte() == Some(b'+');
        if append {
            self.at = self.after(self.at).0;
        }
        self.at += 1;
        let value = if self.byte() == Some(b'(') && index.is_none() {
            let base = std::mem::replace(&mut self.base, self.parts.len());
            let from = self.at;
            self.array();
            self.finish_word(from, base)
        } else {
            self.word(Mode::WORD)
        };
        Some(AssignNode {
            name,
            index,
            append,
            value,
        })
    }

    /// Whether the bracket at `at` closes right before `=` or `+=`.
    fn subscript_assigns(&mut self, at: usize) -> bool {
        let mut depth = 0usize;
        let mut here = at;
        while let Some(b) = self.byte_at(here) {
            match b {
                b'[' => depth += 1,
                b']' => {
                    depth -= 1;
                    if depth == 0 {
                        break;
                    }
                }
                b'\\' => here += 1,
                b'\n' => return false,
                _ => {}
            }
            here += 1;
        }
        self.looks = self.looks.saturating_sub(here - at);
        self.looks > 0
            && match self.byte_at(here + 1) {
                Some(b'=') => true,
                Some(b'+') => self.byte_at(here + 2) == Some(b'='),
                _ => false,
            }
    }

    /// Tries to read a redirect.
    pub(super) fn redirect(&mut self) -> bool {
        let start = self.at;
        let mut at = start;
        let mut fd = None;
        let mut fresh = false;
        match self.byte() {
            Some(b'0'..=b'9') => {
                let mut value = 0u32;
                while let Some(d @ b'0'..=b'9') = self.byte_at(at) {
                    value = value.saturating_mul(10).saturating_add(u32::from(d - b'0'));
                    at = self.folded(at + 1);
                }
                fd = Some(value);
            }
            Some(b'{') => {
                at += 1;
                let from = at;
                while self.byte_at(at).is_some_and(is_name) {
                    at += 1;
                }
                if at == from || self.byte_at(at) != Some(b'}') {
                    return false;
                }
                at += 1;
                fresh = true;
            }
            Some(b'<' | b'>' | b'&') => {}
            _ => return false,
        }
        let (second, next) = self.after(at);
        let (third, last) = self.after(second);
        let (op, end) = match (self.byte_at(at), next, last) {
            (Some(b'<' | b'>'), Some(b'('), _) => return false,
            (Some(b'<'), Some(b'<'), Some(b'<')) => (RedirOp::HereString, third + 1),
            (Some(b'<'), Some(b'<'), Some(b'-')) => {
                self.at = third + 1;
                return self.heredoc_redirect(fd, true);
            }
            (Some(b'<'), Some(b'<'), _) => {
                self.at = second + 1;
                return self.heredoc_redirect(fd, false);
            }
            (Some(b'<'), Some(b'&'), _) => (RedirOp::DupIn, second + 1),
            (Some(b'<'), Some(b'>'), _) => (RedirOp::ReadWrite, second + 1),
            (Some(b'<'), _, _) => (RedirOp::Read, at + 1),
            (Some(b'>'), Some(b'>'), _) => (RedirOp::Append, second + 1),
            (Some(b'>'), Some(b'&'), _) => (RedirOp::DupOut, second + 1),
            (Some(b'>'), Some(b'|'), _) => (RedirOp::Write, second + 1),
            (Some(b'>'), _, _) => (RedirOp::Write, at + 1),
            (Some(b'&'), Some(b'>'), Some(b'>')) if at == start => (RedirOp::BothAppend, third + 1),
            (Some(b'&'), Some(b'>'), _) if at == start => (RedirOp::Both, second + 1),
            _ => return false,
        };
        self.at = end;
        self.blanks();
        let target = self.word_id(Mode::WORD);
        let word = self.ast.word(target);
        if word.start == word.end {
            self.problem("redirect without a target", start, self.at);
        }
        self.redirs.push(RedirNode {
            op,
            fd,
            fresh,
            target,
        });
        true
    }

    fn heredoc_redirect(&mut self, fd: Option<u32>, tabs: bool) -> bool {
        self.blanks();
        let target = self.heredoc(tabs);
        self.redirs.push(RedirNode {
            op: RedirOp::Heredoc,
            fd,
            fresh: false,
            target,
        });
        true
    }
}
