//! Simple commands as they are written: assignments, words, redirects.

use super::ast::{AssignNode, Id, Node, Part, RedirNode, RedirOp, Run, SimpleNode, WordNode};
use super::dollar::{is_name, is_name_start};
use super::lexer::Parser;
use super::mode::{Mode, Stop};

impl Parser<'_> {
    pub(super) fn simple(&mut self) -> Id {
        let start = self.at;
        let (words, assigns, redirs) = (self.words.len(), self.assigns.len(), self.redirs.len());
        let mut end = start;
        loop {
            self.blanks();
            let Some(b) = self.byte() else { break };
            match b {
                b'\n' | b';' | b'|' | b')' => break,
                b'&' if self.after(self.at).1 != Some(b'>') => break,
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
                end = self.at.min(self.text.len());
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
            end = self.at.min(self.text.len());
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
        let word = self.word(Mode::WORD);
        if self.byte() != Some(b'(') {
            return word;
        }
        let [Part::Text { run, quoted: false }] = self.ast.parts(word) else {
            return word;
        };
        let name = self.ast.text(*run).strip_suffix('=').unwrap_or("");
        if !super::expand::is_identifier(name.strip_suffix('+').unwrap_or(name)) {
            return word;
        }
        let base = std::mem::replace(&mut self.base, self.parts.len());
        self.parts.push(Part::Text {
            run: *run,
            quoted: false,
        });
        self.array();
        self.scan(Mode::WORD);
        self.finish_word(word.start as usize, base)
    }

    fn finish_word(&mut self, start: usize, base: usize) -> WordNode {
        let at = self.ast.parts.len();
        let from = self.base;
        self.ast.parts.extend(self.parts.drain(from..));
        self.base = base;
        WordNode {
            braced: false,
            parts: Run::new(at, self.ast.parts.len()),
            start: start as u32,
            end: self.at.max(start).min(self.text.len()) as u32,
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
            self.scan(Mode::WORD);
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

    pub(super) fn gather_redirs(&mut self, base: usize) -> Run {
        let at = self.ast.redirs.len();
        self.ast.redirs.extend(self.redirs.drain(base..));
        Run::new(at, self.ast.redirs.len())
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
