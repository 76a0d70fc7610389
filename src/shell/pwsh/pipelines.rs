//! Pipelines: stages, what flows between them, and assignments of what they give.

use super::super::Stdin;
use super::super::capture::Capture;
use super::text::is_name;
use super::values::{joined, word};
use super::{Got, Reader};
use std::rc::Rc;

impl Reader<'_, '_> {
    /// What stands up to `)`, whose `(` is taken: its value.
    pub(super) fn parenthesized(&mut self) -> Got {
        if !self.w.enter() {
            self.at = self.text.len();
            return Got::Unknown;
        }
        let start = self.at;
        let got = self.captured(|r| r.statements(Some(')')), start);
        self.w.leave();
        got
    }

    /// Runs `run` and gives what it gives, or what it prints.
    fn captured(&mut self, run: impl FnOnce(&mut Self) -> Option<Got>, start: usize) -> Got {
        let first = self.w.steps.len();
        let out = self.w.out;
        self.w.out = Some(self.w.capture());
        let got = run(self);
        let captured = self.w.captured();
        self.w.out = out;
        if let Some(got) = got {
            return got;
        }
        let span = self.span_from(start);
        if captured.known {
            let text = captured.into_val().text;
            let lines = text.lines().map(|line| word(line.to_owned(), span));
            return Got::List(lines.collect());
        }
        if self.w.steps.len() == first + 1
            && let Some(answer) = self.w.answer(first)
        {
            return Got::one(word(answer.text.to_string(), span));
        }
        Got::Unknown
    }

    /// Pipelines between `&&` and `||`.
    pub(super) fn chain(&mut self) -> Option<Got> {
        let got = self.pipeline();
        let mut alone = true;
        loop {
            self.blanks();
            let sure = match () {
                () if self.take("&&") => true,
                () if self.take("||") => false,
                () => break,
            };
            alone = false;
            self.lines();
            if sure {
                self.pipeline();
            } else {
                self.maybe(|r| {
                    r.pipeline();
                });
            }
        }
        got.filter(|_| alone)
    }

    /// Commands and expressions between `|`; what it gives where it is one expression.
    fn pipeline(&mut self) -> Option<Got> {
        let (stdin, out) = (Rc::clone(&self.w.stdin), self.w.out);
        let mut first = true;
        loop {
            self.lines();
            self.w.out = Some(self.w.capture());
            let got = self.stage();
            let fed = self.w.captured();
            self.blanks();
            let more = self.peek() == Some('|') && self.second() != Some('|');
            if !more {
                self.w.stdin = stdin;
                self.w.out = out;
                if first && got.is_some() {
                    return got;
                }
                self.pass_on(fed);
                if let Some(got) = got {
                    self.print(got);
                }
                return None;
            }
            self.at += 1;
            first = false;
            self.w.stdin = Rc::new(match got {
                Some(Got::List(words)) => {
                    Stdin::Text(word(joined(&words, "\n"), self.span_from(self.at)))
                }
                Some(Got::Unknown) => Stdin::Pipe(Vec::new()),
                None => fed.into_stdin(&self.w.stdin),
            });
        }
    }

    /// What the last stage printed goes where the pipeline's output goes.
    fn pass_on(&mut self, fed: Capture) {
        let forks = self.w.forks;
        let outer = self.w.out.and_then(|at| self.w.captures.get_mut(at));
        if let Some(outer) = outer {
            outer.take_over(fed, forks <= outer.forks);
        }
    }

    /// A value that a statement leaves goes to the output, one element a line.
    pub(super) fn print(&mut self, got: Got) {
        let mut printed = Capture::new(self.w.forks);
        match got {
            Got::Unknown => printed.known = false,
            Got::List(words) => {
                for word in words {
                    printed.text.push_str(&word.text);
                    printed.text.push('\n');
                }
            }
        }
        self.pass_on(printed);
    }

    /// One stage of a pipeline.
    fn stage(&mut self) -> Option<Got> {
        self.blanks();
        let start = self.at;
        if self.calls() {
            self.bump();
            self.blanks();
            if self.peek() == Some('{') {
                self.block();
                self.arguments_of_block();
                return None;
            }
            let target = self.argument();
            self.command(target, start);
            return None;
        }
        if let Some(got) = self.assignment() {
            return got;
        }
        if self.is_expression() {
            let got = self.expression();
            self.redirects_behind(&got);
            return Some(got);
        }
        if self.ends() {
            return Some(Got::List(Vec::new()));
        }
        let target = self.argument();
        self.command(target, start);
        None
    }

    /// `$x = …`, `[type]$x = …`, `$env:X += …`, `$x.y = …`; `None` where none stands here.
    fn assignment(&mut self) -> Option<Option<Got>> {
        let back = self.at;
        while self.peek() == Some('[') {
            self.brackets();
            self.blanks();
        }
        if self.peek() != Some('$') || self.second().is_none_or(|c| !is_name(c) && c != '{') {
            self.at = back;
            return None;
        }
        self.at += 1;
        let name = if self.take("{") {
            let end = self.rest().find('}').unwrap_or(self.rest().len());
            let name = self.rest().get(..end).unwrap_or_default().to_owned();
            self.at = self.at.saturating_add(end + 1).min(self.text.len());
            name
        } else {
            self.name()
        };
        let whole = !matches!(self.peek(), Some('.' | '['));
        if !whole {
            let rest = self.rest();
            let end = rest.find(|c: char| c.is_whitespace() || matches!(c, '=' | ';' | '(' | ')'));
            self.at = self.at.saturating_add(end.unwrap_or(rest.len()));
        }
        self.blanks();
        let sign = ["+=", "-=", "*=", "/=", "%=", "??=", "="];
        let Some(sign) = sign.into_iter().find(|s| self.begins(s)) else {
            self.at = back;
            return None;
        };
        if sign == "=" && self.begins("==") {
            self.at = back;
            return None;
        }
        self.at += sign.len();
        self.lines();
        let start = self.at;
        let got = self.captured(|r| r.statement(), start);
        if whole {
            let got = match sign {
                "=" => got,
                "+=" => {
                    let span = self.span_from(start);
                    Reader::operate("+", self.variable(&name, span), got)
                }
                _ => Got::Unknown,
            };
            self.assign(&name, &got);
        }
        Some(Some(Got::List(Vec::new())))
    }

    /// `& { … } args`
    fn arguments_of_block(&mut self) {
        loop {
            self.blanks();
            if self.ends() {
                return;
            }
            let before = self.at;
            self.argument();
            if self.at == before {
                self.bump();
            }
        }
    }
}
