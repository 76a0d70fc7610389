//! Arguments: bare words, strings, variables and what stands in brackets.

use super::super::{OPAQUE, Opaque, Word};
use super::text::{is_double, is_name, is_single};
use super::values::{joined, word};
use super::{Got, Reader};

impl Reader<'_, '_> {
    /// One argument of a command, with the elements behind its commas.
    pub(super) fn argument(&mut self) -> Got {
        let mut all = self.element();
        loop {
            let back = self.at;
            self.blanks();
            if self.peek() != Some(',') {
                self.at = back;
                return all;
            }
            self.at += 1;
            self.lines();
            let next = self.element();
            all = match (all, next) {
                (Got::List(mut all), Got::List(more)) => {
                    all.extend(more);
                    Got::List(all)
                }
                _ => Got::Unknown,
            };
        }
    }

    fn element(&mut self) -> Got {
        let start = self.at;
        match self.peek() {
            Some('(') => {
                self.at += 1;
                let got = self.parenthesized();
                return self.reached_into(got);
            }
            Some('@') => match self.second() {
                Some('(') => {
                    self.at += 2;
                    return self.parenthesized();
                }
                Some('{') => {
                    self.at += 2;
                    self.table();
                    return Got::Unknown;
                }
                Some(c) if is_single(c) || is_double(c) => {
                    return Got::one(self.here_string());
                }
                Some(c) if is_name(c) => {
                    self.at += 1;
                    let name = self.name();
                    return self.variable(&name, self.span_from(start));
                }
                _ => {}
            },
            // `$x` alone keeps its elements; with more behind it, it is part of a text.
            Some('$') if self.second() != Some('(') => {
                let got = self.dollar();
                let got = self.reached_into(got);
                if self.word_ends() {
                    return got;
                }
                self.at = start;
            }
            _ => {}
        }
        Got::one(self.bare())
    }

    fn word_ends(&self) -> bool {
        match self.peek() {
            None => true,
            Some(c) => {
                c.is_whitespace()
                    || matches!(c, ';' | '|' | '&' | '(' | ')' | '{' | '}' | ',' | '>' | '<')
            }
        }
    }

    /// A word as it stands, with the quoted stretches in it.
    fn bare(&mut self) -> Word {
        let start = self.at;
        let mut text = String::new();
        let mut splits = false;
        while !self.word_ends() {
            let Some(c) = self.peek() else { break };
            match c {
                '`' => {
                    self.at += 1;
                    self.escape(&mut text);
                }
                '$' => {
                    let got = self.dollar();
                    let got = self.reached_into(got);
                    push(&mut text, &got);
                }
                c if is_single(c) => self.single_quoted(&mut text),
                c if is_double(c) => self.double_quoted(&mut text),
                c => {
                    splits |= c == OPAQUE;
                    self.at += c.len_utf8();
                    text.push(c);
                }
            }
        }
        if self.at == start {
            // What no word may begin with is stepped over.
            self.bump();
        }
        let glob = text.contains(['*', '?', '[']);
        let mut word = word(text, self.span_from(start));
        word.glob = glob;
        if splits {
            word.opaque = Opaque::Many;
        }
        word
    }

    /// What stands behind a backtick.
    fn escape(&mut self, text: &mut String) {
        let Some(c) = self.bump() else {
            return;
        };
        match c {
            'n' => text.push('\n'),
            't' => text.push('\t'),
            'r' => text.push('\r'),
            '0' => text.push('\0'),
            'a' | 'b' | 'f' | 'v' | 'e' => text.push(' '),
            'u' if self.peek() == Some('{') => {
                let end = self.rest().find('}').unwrap_or(0);
                let code = self.rest().get(1..end).unwrap_or_default();
                let code = u32::from_str_radix(code, 16).ok().and_then(char::from_u32);
                text.push(code.unwrap_or(OPAQUE));
                self.at = self.at.saturating_add(end + 1).min(self.text.len());
            }
            '\r' if self.peek() == Some('\n') => self.at += 1,
            '\n' => {}
            c => text.push(c),
        }
    }

    pub(super) fn single_quoted(&mut self, text: &mut String) {
        let start = self.at;
        self.bump();
        while let Some(c) = self.bump() {
            if !is_single(c) {
                text.push(c);
            } else if self.peek().is_some_and(is_single) {
                text.push('\'');
                self.bump();
            } else {
                return;
            }
        }
        self.unended("unterminated quote", start);
    }

    pub(super) fn double_quoted(&mut self, text: &mut String) {
        let start = self.at;
        self.bump();
        while let Some(c) = self.peek() {
            match c {
                '`' => {
                    self.at += 1;
                    self.escape(text);
                }
                '$' => {
                    let got = self.dollar();
                    push(text, &got);
                }
                c if is_double(c) => {
                    self.bump();
                    if !self.peek().is_some_and(is_double) {
                        return;
                    }
                    self.bump();
                    text.push('"');
                }
                c => {
                    self.at += c.len_utf8();
                    text.push(c);
                }
            }
        }
        self.unended("unterminated quote", start);
    }

    /// `@'…'@` or `@"…"@`, which end at the start of a line.
    pub(super) fn here_string(&mut self) -> Word {
        let start = self.at;
        self.at += 1;
        let single = self.bump().is_some_and(is_single);
        let ends = |line: &str| {
            let mut chars = line.trim_start().chars();
            let quote = chars.next();
            quote.is_some_and(|c| if single { is_single(c) } else { is_double(c) })
                && chars.next() == Some('@')
        };
        let mut text = String::new();
        let skip = self.rest().find('\n').map_or(self.rest().len(), |n| n + 1);
        self.at = self.at.saturating_add(skip);
        let body = self.at;
        loop {
            let Some(line) = self.rest().lines().next() else {
                self.unended("unterminated here-string", start);
                break;
            };
            if ends(line) {
                break;
            }
            let next = self.rest().find('\n').map_or(self.rest().len(), |n| n + 1);
            self.at = self.at.saturating_add(next);
        }
        let end = self.at;
        let raw = self.text.get(body..end).unwrap_or_default();
        let raw = raw.strip_suffix('\n').unwrap_or(raw);
        let raw = raw.strip_suffix('\r').unwrap_or(raw).to_owned();
        if single {
            text.push_str(&raw);
        } else {
            self.at = body;
            while self.at < body.saturating_add(raw.len()) {
                match self.peek() {
                    Some('$') => {
                        let got = self.dollar();
                        push(&mut text, &got);
                    }
                    Some('`') => {
                        self.at += 1;
                        self.escape(&mut text);
                    }
                    Some(c) => {
                        self.at += c.len_utf8();
                        text.push(c);
                    }
                    None => break,
                }
            }
            self.at = end.max(self.at);
        }
        if let Some(mark) = self.rest().find('@') {
            self.at = self.at.saturating_add(mark + 1);
        }
        word(text, self.span_from(start))
    }

    /// `$name`, `${name}`, `$env:name`, `$(…)`; a `$` that begins nothing is itself.
    pub(super) fn dollar(&mut self) -> Got {
        let start = self.at;
        self.at += 1;
        match self.peek() {
            Some('(') => {
                self.at += 1;
                self.parenthesized()
            }
            Some('{') => {
                let end = self.rest().find('}').unwrap_or(self.rest().len());
                let name = self.rest().get(1..end).unwrap_or_default().to_owned();
                self.at = self.at.saturating_add(end + 1).min(self.text.len());
                self.variable(&name, self.span_from(start))
            }
            Some('$' | '?' | '^') => {
                self.bump();
                Got::one(word(OPAQUE.into(), self.span_from(start)))
            }
            Some(c) if is_name(c) => {
                let name = self.name();
                self.variable(&name, self.span_from(start))
            }
            _ => Got::one(word("$".to_owned(), self.span_from(start))),
        }
    }

    /// A name with the scope or drive in front of it.
    pub(super) fn name(&mut self) -> String {
        let rest = self.rest();
        let mut end = 0;
        for (at, c) in rest.char_indices() {
            let next = rest.get(at + 1..).and_then(|r| r.chars().next());
            let scope = c == ':' && next.is_some_and(is_name);
            if !is_name(c) && !scope {
                break;
            }
            end = at + c.len_utf8();
        }
        let name = rest.get(..end).unwrap_or_default().to_owned();
        self.at = self.at.saturating_add(end);
        name
    }

    pub(super) fn unended(&mut self, what: &'static str, start: usize) {
        let span = self.span_from(start);
        self.w.problem(what, span, false);
    }
}

/// Elements within a text are told apart by blanks.
fn push(text: &mut String, got: &Got) {
    match got {
        Got::List(words) if words.iter().all(|w| w.opaque != Opaque::Many) => {
            text.push_str(&joined(words, " "));
        }
        _ => text.push(OPAQUE),
    }
}
