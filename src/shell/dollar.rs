//! What `$` and the backtick begin: variables, parameters, arithmetic, substitutions, `$'…'`.

use super::ast::{Id, Node, Op, ParamNode, Part, Run};
use super::lexer::{Mode, Parser, Stop};
use std::rc::Rc;

pub(super) fn is_name_start(b: u8) -> bool {
    b.is_ascii_alphabetic() || b == b'_'
}

pub(super) fn is_name(b: u8) -> bool {
    b.is_ascii_alphanumeric() || b == b'_'
}

fn is_special(b: u8) -> bool {
    matches!(b, b'@' | b'*' | b'#' | b'?' | b'-' | b'$' | b'!')
}

impl Parser<'_> {
    pub(super) fn dollar(&mut self, mode: Mode) {
        let (next, byte) = self.after(self.at);
        let plain = !mode.quoted;
        match byte {
            Some(b'(') => {
                let (inner, second) = self.after(next);
                if second == Some(b'(')
                    && let Some(end) = self.arithmetic_end(inner + 1)
                {
                    self.arithmetic(inner + 1, end, end + 2);
                    return;
                }
                self.at = next + 1;
                let body = self.paren_body();
                self.parts.push(Part::Subst {
                    body,
                    quoted: mode.quoted,
                });
            }
            Some(b'{') => {
                let open = self.at;
                self.at = next + 1;
                self.param(mode, open);
            }
            Some(b'[') => {
                let open = self.at;
                self.at = next + 1;
                if !self.enter() {
                    return;
                }
                let word = self.word_id(Mode::quoted(Stop::Bracket));
                self.parts.push(Part::Arith { word });
                self.close(b']', open);
                self.leave();
            }
            Some(b'\'') if plain => {
                self.at = next;
                self.ansi_quote();
            }
            Some(b'"') if plain => {
                self.at = next;
                self.double_quote();
            }
            Some(b) if is_name_start(b) => {
                self.at = next;
                let name = self.name();
                self.parts.push(Part::Var {
                    name,
                    quoted: mode.quoted,
                    bare: true,
                });
            }
            Some(b) if b.is_ascii_digit() || is_special(b) => {
                self.at = next + 1;
                let name = self.pooled(b);
                self.parts.push(Part::Var {
                    name,
                    quoted: mode.quoted,
                    bare: false,
                });
            }
            _ => {
                self.literal(self.at, self.at + 1, mode.quoted);
                self.at += 1;
            }
        }
    }

    fn pooled(&mut self, b: u8) -> Run {
        let start = self.ast.pool.len();
        self.ast.pool.push(b as char);
        Run::new(start, start + 1)
    }

    /// An identifier, continuations folded.
    pub(super) fn name(&mut self) -> Run {
        let start = self.ast.pool.len();
        loop {
            self.at = self.folded(self.at);
            match self.byte() {
                Some(b) if is_name(b) => {
                    self.ast.pool.push(b as char);
                    self.at += 1;
                }
                _ => return Run::new(start, self.ast.pool.len()),
            }
        }
    }

    /// The commands up to `)`, which is stepped over.
    pub(super) fn paren_body(&mut self) -> Id {
        let open = self.at;
        if !self.enter() {
            return self.empty();
        }
        let wants = std::mem::replace(&mut self.wants, super::grammar::PAREN);
        let body = self.list(super::grammar::PAREN);
        self.wants = wants;
        if self.byte() == Some(b')') {
            self.at += 1;
        } else {
            self.problem("unterminated `(`", open, self.text.len());
        }
        self.leave();
        body
    }

    pub(super) fn empty(&mut self) -> Id {
        self.node(Node::List(Run::default()))
    }

    pub(super) fn process(&mut self, write: bool) {
        let (open, _) = self.after(self.at);
        self.at = open + 1;
        let body = self.paren_body();
        self.parts.push(Part::Proc { body, write });
    }

    /// Where `))` stands that ends the arithmetic begun before `from`; `None` when the text reads
    /// as nested subshells.
    pub(super) fn arithmetic_end(&mut self, from: usize) -> Option<usize> {
        let mut depth = 1usize;
        let mut at = from;
        while let Some(b) = self.byte_at(at) {
            match b {
                b'(' => depth += 1,
                b')' => {
                    depth -= 1;
                    if depth == 0 {
                        break;
                    }
                }
                b'\\' => at += 1,
                b'\'' | b'"' | b'`' => {
                    at += 1;
                    while let Some(c) = self.byte_at(at)
                        && c != b
                    {
                        at += if c == b'\\' && b != b'\'' { 2 } else { 1 };
                    }
                }
                _ => {}
            }
            at += 1;
        }
        self.looks = self.looks.saturating_sub(at.saturating_sub(from));
        (self.looks > 0 && self.byte_at(at) == Some(b')') && self.byte_at(at + 1) == Some(b')'))
            .then_some(at)
    }

    fn arithmetic(&mut self, from: usize, end: usize, next: usize) {
        let word = self.inner(from, end, next);
        self.parts.push(Part::Arith { word });
    }

    /// Reads `from..end` as arithmetic and goes on at `next`.
    pub(super) fn inner(&mut self, from: usize, end: usize, next: usize) -> Id {
        if !self.enter() {
            return self.keep(Default::default());
        }
        self.at = from;
        let saved = self.narrow(end);
        let word = self.word_id(Mode::BODY);
        self.widen(saved);
        self.at = next;
        self.leave();
        word
    }

    pub(super) fn backtick(&mut self, quoted: bool) {
        let open = self.at;
        let from = open + 1;
        let mut at = from;
        let mut escaped = false;
        while let Some(b) = self.byte_at(at)
            && b != b'`'
        {
            if b == b'\\' {
                escaped |= matches!(self.byte_at(at + 1), Some(b'\\' | b'$' | b'`'))
                    || (quoted && self.byte_at(at + 1) == Some(b'"'));
                at += 1;
            }
            at += 1;
        }
        let end = at.min(self.end);
        self.looks = self.looks.saturating_sub(end.saturating_sub(from));
        if self.byte_at(end) != Some(b'`') {
            self.problem("unterminated backtick", open, self.text.len());
        }
        if !self.enter() {
            return;
        }
        if escaped {
            self.unit(from, end, quoted);
        } else {
            self.at = from;
            let saved = self.narrow(end);
            let wants = std::mem::replace(&mut self.wants, 0);
            let body = self.list(0);
            self.wants = wants;
            self.widen(saved);
            self.parts.push(Part::Subst { body, quoted });
        }
        self.at = end + 1;
        self.leave();
    }

    /// A backtick's text with one level of escapes taken off, parsed by itself.
    fn unit(&mut self, from: usize, end: usize, quoted: bool) {
        let mut text = String::with_capacity(end - from);
        let mut chars = self.text.get(from..end).unwrap_or("").chars().peekable();
        while let Some(c) = chars.next() {
            match (c, chars.peek()) {
                ('\\', Some('\\' | '$' | '`')) => text.extend(chars.next()),
                ('\\', Some('"')) if quoted => text.extend(chars.next()),
                _ => text.push(c),
            }
        }
        let mut parser = Parser::new(&text, self.depth, self.top);
        parser.extglob = self.extglob;
        parser.looks = self.looks;
        let (ast, problems) = parser.finish();
        self.adopt(problems, from, end);
        self.ast.units.push(Rc::new(ast));
        let unit = (self.ast.units.len() - 1) as Id;
        self.parts.push(Part::Unit { unit, quoted });
    }

    /// Takes over the problems of a text that stands at `from..end`.
    pub(super) fn adopt(&mut self, problems: Vec<super::Problem>, from: usize, end: usize) {
        for mut problem in problems {
            problem.span = super::Span { start: from, end };
            self.problems.push(problem);
        }
    }

    /// `${…`, from after the brace.
    fn param(&mut self, mode: Mode, open: usize) {
        if !self.enter() {
            return;
        }
        let mut node = ParamNode::default();
        self.at = self.folded(self.at);
        if self.byte() == Some(b'#') {
            let (after, next) = self.after(self.at);
            let counts = match next {
                Some(b) if is_name(b) => true,
                Some(b) if is_special(b) => self.after(after).1 == Some(b'}'),
                _ => false,
            };
            if counts {
                node.length = true;
                self.at = after;
            }
        } else if self.byte() == Some(b'!') {
            let (after, next) = self.after(self.at);
            if next.is_some_and(|b| is_name(b) || matches!(b, b'@' | b'*' | b'#')) {
                node.indirect = true;
                self.at = after;
            }
        }
        node.name = match self.byte() {
            Some(b) if is_name_start(b) => self.name(),
            Some(b) if b.is_ascii_digit() => self.name(),
            Some(b) if is_special(b) => {
                self.at += 1;
                self.pooled(b)
            }
            _ => Run::default(),
        };
        self.at = self.folded(self.at);
        if self.byte() == Some(b'[') && !node.name.is_empty() {
            let bracket = self.at;
            self.at += 1;
            node.index = Some(self.word_id(Mode::plain(Stop::Bracket)));
            self.close(b']', bracket);
        }
        self.operator(&mut node, mode, open);
        let bare = node.op == Op::None && node.index.is_none() && !node.length && !node.indirect;
        let quoted = mode.quoted;
        if bare && !node.name.is_empty() {
            self.parts.push(Part::Var {
                name: node.name,
                quoted,
                bare: false,
            });
        } else {
            self.ast.params.push(node);
            let id = (self.ast.params.len() - 1) as Id;
            self.parts.push(Part::Param { id, quoted });
        }
        if self.byte() == Some(b'}') {
            self.at += 1;
        } else {
            self.problem("unterminated `${`", open, self.text.len());
        }
        self.leave();
    }

    fn operator(&mut self, node: &mut ParamNode, mode: Mode, open: usize) {
        self.at = self.folded(self.at);
        let Some(mut sign) = self.byte() else { return };
        if sign == b'}' {
            if node.name.is_empty() {
                node.op = Op::Other;
                self.problem("bad substitution", open, self.at + 1);
            }
            return;
        }
        self.at += 1;
        if sign == b':' {
            match self.byte() {
                Some(b @ (b'-' | b'=' | b'?' | b'+')) => {
                    node.colon = true;
                    sign = b;
                    self.at += 1;
                }
                _ => sign = b':',
            }
        }
        node.sign = sign;
        node.op = match sign {
            b'-' => Op::Default,
            b'=' => Op::Assign,
            b'?' => Op::Error,
            b'+' => Op::Alternate,
            b'#' => Op::Prefix,
            b'%' => Op::Suffix,
            b'/' => Op::Replace,
            b':' => Op::Slice,
            b'^' | b',' => Op::Case,
            b'@' => Op::Other,
            _ => Op::Other,
        };
        if node.name.is_empty() || (node.op == Op::Other && sign != b'@') {
            node.op = Op::Other;
            self.at -= 1;
            self.problem("bad substitution", open, self.at);
        }
        let doubles =
            matches!(node.op, Op::Prefix | Op::Suffix | Op::Case) && self.byte() == Some(sign);
        let marked = node.op == Op::Replace && matches!(self.byte(), Some(b'/' | b'#' | b'%'));
        if doubles || marked {
            node.twice = true;
            node.sign = self.byte().unwrap_or(sign);
            self.at += 1;
        }
        let pattern = matches!(node.op, Op::Prefix | Op::Suffix | Op::Replace | Op::Case);
        let stop = if node.op == Op::Replace {
            Stop::Slash
        } else {
            Stop::Brace
        };
        let mode = Mode {
            quoted: mode.quoted,
            quotes: !mode.quoted || pattern,
            stop,
        };
        node.arg = Some(self.word_id(mode));
        if self.byte() == Some(b'/') && stop == Stop::Slash {
            self.at += 1;
            node.second = Some(self.word_id(Mode {
                stop: Stop::Brace,
                ..mode
            }));
        }
    }

    /// `'…'` after `$`.
    fn ansi_quote(&mut self) {
        let open = self.at;
        self.at += 1;
        let mut bytes = Vec::new();
        let mut cut = false;
        loop {
            match self.byte() {
                None | Some(b'\'') => break,
                Some(b'\\') => {
                    self.at += 1;
                    let nul = self.ansi_escape(&mut bytes);
                    if nul && !cut {
                        cut = true;
                    }
                }
                Some(b) => {
                    self.at += 1;
                    bytes.push(b);
                }
            }
            if cut {
                break;
            }
        }
        if cut {
            while let Some(b) = self.byte()
                && b != b'\''
            {
                self.at += if b == b'\\' { 2 } else { 1 };
            }
        }
        let text = super::ansi::tamed(bytes);
        let start = self.ast.pool.len();
        self.ast.pool.push_str(&text);
        self.piece(start, true);
        self.close(b'\'', open);
    }

    /// One escape, from after the backslash; true when it makes a NUL, which ends the text.
    fn ansi_escape(&mut self, out: &mut Vec<u8>) -> bool {
        let rest = self.src.get(self.at..self.end).unwrap_or(&[]);
        let (used, end) = super::ansi::escape(rest, super::ansi::Dialect::Quote, out);
        self.at += used;
        end
    }
}
