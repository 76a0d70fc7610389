//! Commands: their arguments and redirects, and who runs them.

use super::super::simple::{Out, Plan, Ready};
use super::super::{Redirect, RedirectKind, Span, Word};
use super::cmdlets::{self, Known};
use super::text::is_dash;
use super::values::word;
use super::{Got, Reader};

/// One argument of a command.
#[derive(Debug, Clone)]
pub(super) struct Given {
    /// Its elements: more than one where commas stand between them.
    pub(super) words: Vec<Word>,
    /// It was written with a dash in front.
    pub(super) dash: bool,
}

impl Reader<'_, '_> {
    /// A command that was begun with `target`.
    pub(super) fn command(&mut self, target: Got, start: usize) {
        let target = target.into_words(self.span_from(start));
        let mut given: Vec<Given> = Vec::new();
        let mut plan = Plan::default();
        loop {
            self.blanks();
            if self.ends() {
                break;
            }
            let before = self.at;
            if self.begins("--%") {
                self.at += 3;
                given.extend(self.verbatim());
                break;
            }
            if self.redirect(&mut plan) {
                continue;
            }
            if self.peek() == Some('{') {
                self.block();
                continue;
            }
            let dash = self.peek().is_some_and(is_dash);
            let got = self.argument();
            let words = got.into_words(self.span_from(before));
            given.push(Given { words, dash });
            if self.at == before {
                self.bump();
            }
        }
        let span = self.span_from(start);
        self.dispatch(target, given, plan, span);
    }

    /// Behind `--%` words are as the program's own parser takes them.
    fn verbatim(&mut self) -> Vec<Given> {
        let start = self.at;
        let rest = self.rest();
        let end = rest.find(['\n', '|']).unwrap_or(rest.len());
        let text = rest.get(..end).unwrap_or_default().to_owned();
        self.at = self.at.saturating_add(end);
        let span = self.span_from(start);
        let words = cmdlets::split(&text);
        let given = words.into_iter().map(|text| Given {
            dash: text.starts_with('-'),
            words: vec![word(text, span)],
        });
        given.collect()
    }

    /// `> file`, `2>> file`, `*> file`, `2>&1`.
    fn redirect(&mut self, plan: &mut Plan) -> bool {
        let stream = self.peek().filter(|c| c.is_ascii_digit() || *c == '*');
        let skip = usize::from(stream.is_some());
        if !self
            .rest()
            .get(skip..)
            .is_some_and(|rest| rest.starts_with('>'))
        {
            return false;
        }
        self.at += skip + 1;
        let append = self.take(">");
        let printed = matches!(stream, None | Some('1' | '*'));
        if self.take("&") {
            self.bump();
            return true;
        }
        self.blanks();
        let got = self.argument();
        let target = match got {
            Got::List(words) => words.into_iter().next(),
            Got::Unknown => Some(super::values::unknown(Span::default())),
        };
        // `> $null`
        let Some(target) = target.map(as_path) else {
            if printed {
                plan.out = Out::Lost;
            }
            return true;
        };
        plan.redirects.push(Redirect {
            kind: if append {
                RedirectKind::Append
            } else {
                RedirectKind::Write
            },
            target: target.clone(),
        });
        if printed {
            plan.out = Out::File { target, append };
        }
        true
    }

    /// `'text' > file`
    pub(super) fn redirects_behind(&mut self, got: &Got) {
        let start = self.at;
        let mut plan = Plan::default();
        loop {
            self.blanks();
            if self.ends() || !self.redirect(&mut plan) {
                break;
            }
        }
        if plan.redirects.is_empty() {
            return;
        }
        let span = self.span_from(start);
        let mut words = vec![word("echo".to_owned(), span)];
        words.extend(got.clone().into_words(span));
        self.native(words, plan, span);
    }

    /// Runs `target` with what is given to it.
    pub(super) fn call(&mut self, target: Vec<Word>, given: Vec<Given>, span: Span) {
        self.dispatch(target, given, Plan::default(), span);
    }

    fn dispatch(&mut self, target: Vec<Word>, given: Vec<Given>, plan: Plan, span: Span) {
        let Some(name) = target.first().and_then(Word::known).map(str::to_owned) else {
            let words = target
                .into_iter()
                .chain(given.into_iter().flat_map(|g| g.words));
            return self.native(words.collect(), plan, span);
        };
        let lower = self.followed(&name);
        match cmdlets::known(&lower) {
            Known::Runs(run) => {
                run(self, &given, span);
                self.wrote(plan, span);
            }
            Known::Prints => {
                let printed = given.into_iter().flat_map(|g| g.words).collect();
                self.print(Got::List(printed));
                self.wrote(plan, span);
            }
            Known::Silent => self.wrote(plan, span),
            Known::Cmdlet => {
                self.print(Got::Unknown);
                self.wrote(plan, span);
            }
            Known::Web(name) => {
                let words = given.into_iter().flat_map(|g| g.words);
                let all = std::iter::once(word(name.to_owned(), span)).chain(words);
                self.native(all.collect(), plan, span);
            }
            Known::Program if lower.ends_with(".ps1") => {
                let path = target.into_iter().next().map(as_path);
                if let Some(path) = path {
                    self.w.pwsh_file(&path, false);
                }
                self.wrote(plan, span);
            }
            Known::Program => {
                let name = if lower == name.to_ascii_lowercase() {
                    name
                } else {
                    lower
                };
                let first = Word {
                    text: program(&name),
                    ..target.first().cloned().unwrap_or_default()
                };
                let rest = target.into_iter().skip(1);
                let rest = rest.chain(given.into_iter().flat_map(|g| g.words));
                let words = std::iter::once(first).chain(rest.map(as_argument));
                self.native(words.collect(), plan, span);
            }
        }
    }

    /// The name behind `Set-Alias` and behind a module's name, in lower case.
    fn followed(&self, name: &str) -> String {
        let mut name = name.to_ascii_lowercase();
        for _ in 0..4 {
            match self.w.alias_text(&name) {
                Some(text) => name = text.to_ascii_lowercase(),
                None => break,
            }
        }
        match name.rsplit_once('\\') {
            Some((_, cmdlet)) if cmdlet.contains('-') && !cmdlet.contains('.') => cmdlet.to_owned(),
            _ => name,
        }
    }

    /// The files that the redirects of a cmdlet fill.
    fn wrote(&mut self, plan: Plan, span: Span) {
        if !plan.redirects.is_empty() {
            let ready = Ready {
                plan,
                span,
                ..Ready::default()
            };
            self.w.run(ready);
        }
    }

    /// Runs a program.
    pub(super) fn native(&mut self, words: Vec<Word>, plan: Plan, span: Span) {
        let lines = self.text.get(..self.at).filter(|_| self.script);
        let ready = Ready {
            words,
            plan,
            span,
            line: lines.map(|read| 1 + read.trim_end().matches('\n').count()),
            ..Ready::default()
        };
        self.w.run_program(ready, false);
    }

    /// Runs a program of a Unix shell that does to files what a cmdlet does.
    pub(super) fn like(&mut self, words: &[&str], paths: Vec<Word>, span: Span) {
        let words = words.iter().map(|text| word((*text).to_owned(), span));
        let all: Vec<Word> = words.chain(paths.into_iter().map(as_path)).collect();
        self.native(all, Plan::default(), span);
    }
}

/// A program's name as its own system knows it.
fn program(name: &str) -> String {
    let path = name.replace('\\', "/");
    let lower = path.to_ascii_lowercase();
    let bare = [".exe", ".cmd", ".bat"]
        .iter()
        .find_map(|end| lower.strip_suffix(end));
    match bare {
        Some(bare) => bare.rsplit('/').next().unwrap_or(bare).to_owned(),
        None if !path.contains('/') => lower,
        None => path,
    }
}

/// A path with the separators that git uses.
pub(super) fn as_path(word: Word) -> Word {
    if !word.text.contains('\\') {
        return word;
    }
    Word {
        text: word.text.replace('\\', "/"),
        ..word
    }
}

/// An argument of a program: what looks like a path is one.
fn as_argument(word: Word) -> Word {
    let plain = |c: char| c.is_alphanumeric() || "\\/._-~:*?@+".contains(c);
    if word.text.chars().all(plain) {
        as_path(word)
    } else {
        word
    }
}
