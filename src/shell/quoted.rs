//! Texts that are unescaped before they are read: backticks and `$'…'`.

use super::ast::{Id, Part};
use super::lexer::Parser;
use std::rc::Rc;

impl Parser<'_> {
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
        self.at = (end + 1).min(self.text.len());
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

    /// `'…'` after `$`.
    pub(super) fn ansi_quote(&mut self) {
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
