//! Statements: keywords and their blocks, pipelines, assignments.

use super::{Got, Reader};

/// How many elements of a list a loop is walked with, one by one.
const TURNS: usize = 8;

impl Reader<'_, '_> {
    /// Statements up to `end`, which is taken, or to the end of the text. What the last one gives,
    /// where it is the only one.
    pub(super) fn statements(&mut self, end: Option<char>) -> Option<Got> {
        let start = self.at;
        let mut only: Option<Got> = None;
        let mut count = 0usize;
        loop {
            self.separators();
            let before = self.at;
            match self.peek() {
                None => {
                    if end.is_some() {
                        self.unended("unterminated bracket", start);
                    }
                    break;
                }
                c if c == end => {
                    self.bump();
                    break;
                }
                Some(')' | '}' | '|' | '&') if !self.calls() => {
                    let stray = !self.begins("&");
                    self.bump();
                    if stray {
                        let span = self.span_from(before);
                        self.w.problem("stray bracket or bar", span, false);
                    }
                    continue;
                }
                _ => {}
            }
            if !self.w.spend(1) {
                self.at = self.text.len();
                break;
            }
            if let Some(got) = only.take() {
                self.print(got);
            }
            only = self.statement();
            count += 1;
            if self.at == before {
                self.bump();
            }
        }
        if count > 1
            && let Some(got) = only.take()
        {
            self.print(got);
        }
        only
    }

    /// `&` or `.` that calls what follows.
    pub(super) fn calls(&self) -> bool {
        let rest = self.rest().get(1..).unwrap_or_default();
        let next = rest.trim_start_matches([' ', '\t']).chars().next();
        let runs = next.is_some_and(|c| !matches!(c, '\n' | '\r' | ';' | '&' | '|' | ')' | '}'));
        match self.peek() {
            Some('&') => runs,
            Some('.') => runs && rest.starts_with([' ', '\t', '$', '{', '\'', '"', '(']),
            _ => false,
        }
    }

    /// One statement; what it gives where it is no more than an expression.
    pub(super) fn statement(&mut self) -> Option<Got> {
        if !self.w.enter() {
            self.at = self.text.len();
            return None;
        }
        let keyword = self.keyword().to_ascii_lowercase();
        let got = if self.keyworded(&keyword) {
            None
        } else {
            self.chain()
        };
        self.w.leave();
        got
    }

    /// Reads a statement that its first word shapes; false where it does not.
    fn keyworded(&mut self, keyword: &str) -> bool {
        let skip = keyword.len();
        match keyword {
            "if" => {
                self.at += skip;
                self.branches();
            }
            "foreach" if self.opens(skip) => {
                self.at += skip;
                self.for_each();
            }
            "while" | "for" | "switch" | "until" => {
                self.at += skip;
                self.options();
                self.condition();
                self.optional_block();
            }
            "do" | "try" | "else" | "finally" | "begin" | "process" | "end" | "trap"
                if self.braces(skip) =>
            {
                self.at += skip;
                self.lines();
                self.run_block();
            }
            "elseif" => {
                self.at += skip;
                self.condition();
                self.optional_block();
            }
            "catch" => {
                self.at += skip;
                self.lines();
                while self.peek() == Some('[') {
                    self.brackets();
                    self.blanks();
                    self.take(",");
                    self.lines();
                }
                self.optional_block();
            }
            "function" | "filter" | "class" | "enum" => {
                self.at += skip;
                self.lines();
                while self
                    .peek()
                    .is_some_and(|c| !matches!(c, '{' | '(' | '\n' | ';'))
                {
                    self.bump();
                }
                self.condition();
                self.optional_block();
            }
            "param" if self.opens(skip) => {
                self.at += skip;
                self.condition();
            }
            "return" | "throw" | "exit" | "break" | "continue" => {
                self.at += skip;
                self.blanks();
                if !self.ends() {
                    self.chain();
                }
            }
            "using" => {
                let end = self.rest().find('\n').unwrap_or(self.rest().len());
                self.at = self.at.saturating_add(end);
            }
            _ => return false,
        }
        true
    }

    fn opens(&self, skip: usize) -> bool {
        let rest = self.rest().get(skip..).unwrap_or_default();
        rest.trim_start().starts_with('(')
    }

    fn braces(&self, skip: usize) -> bool {
        let rest = self.rest().get(skip..).unwrap_or_default();
        rest.trim_start().starts_with('{')
    }

    /// `switch -Regex -File x`
    fn options(&mut self) {
        self.blanks();
        while self.peek() == Some('-') {
            self.argument();
            self.blanks();
        }
    }

    fn branches(&mut self) {
        self.condition();
        let mut fork = self.w.fork();
        self.lines();
        self.run_block();
        loop {
            let back = self.at;
            self.lines();
            let keyword = self.keyword().to_ascii_lowercase();
            match keyword.as_str() {
                "elseif" => {
                    self.at += keyword.len();
                    self.w.or(&mut fork);
                    self.condition();
                    self.lines();
                    self.run_block();
                }
                "else" => {
                    self.at += keyword.len();
                    self.w.or(&mut fork);
                    self.lines();
                    self.run_block();
                    break;
                }
                _ => {
                    self.at = back;
                    self.w.or(&mut fork);
                    break;
                }
            }
        }
        self.w.join(fork);
    }

    /// `foreach ($x in LIST) { … }`: once for each element that is known.
    fn for_each(&mut self) {
        self.lines();
        self.take("(");
        self.lines();
        let name = if self.take("$") {
            self.name()
        } else {
            String::new()
        };
        self.lines();
        if self.keyword().eq_ignore_ascii_case("in") {
            self.at += 2;
        }
        self.lines();
        let got = self.statements(Some(')')).unwrap_or(Got::Unknown);
        self.lines();
        let body = self.at;
        let elements = match got {
            Got::List(words) if words.len() <= TURNS => words.into_iter().map(Got::one).collect(),
            _ => vec![Got::Unknown],
        };
        if elements.is_empty() {
            self.optional_block();
        }
        for element in elements {
            if !self.w.spend(1) {
                break;
            }
            self.at = body;
            self.assign(&name, &element);
            self.optional_block();
        }
    }

    /// `( … )` after a keyword, where there is one.
    fn condition(&mut self) {
        self.lines();
        if self.take("(") {
            self.statements(Some(')'));
        }
    }

    /// `{ … }` here, which runs.
    fn run_block(&mut self) {
        if self.take("{") {
            self.statements(Some('}'));
        }
    }

    /// `{ … }` here, which may run.
    fn optional_block(&mut self) {
        self.lines();
        if self.peek() == Some('{') {
            self.block();
        }
    }

    /// A block that may run, now or when somebody calls it.
    pub(super) fn block(&mut self) {
        if !self.w.enter() {
            self.at = self.text.len();
            return;
        }
        self.take("{");
        self.maybe(|r| {
            r.statements(Some('}'));
        });
        self.w.leave();
    }

    /// What may run, and may not.
    pub(super) fn maybe(&mut self, run: impl FnOnce(&mut Self)) {
        let mut fork = self.w.fork();
        run(self);
        self.w.or(&mut fork);
        self.w.join(fork);
    }
}
