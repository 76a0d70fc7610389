//! Expressions: what they give where that is plain to see, and what runs inside them.

use super::super::Word;
use super::text::{is_dash, is_double, is_name, is_single};
use super::values::{joined, unknown, word};
use super::{Got, Reader};

impl Reader<'_, '_> {
    /// Whether an expression stands here, and no command.
    pub(super) fn is_expression(&self) -> bool {
        match self.peek() {
            Some('$' | '(' | '[' | '{' | '!' | '+' | ',') => true,
            Some('@') => !self.second().is_some_and(is_name),
            Some(c) if is_single(c) || is_double(c) => true,
            Some(c) if is_dash(c) => true,
            Some(c) if c.is_ascii_digit() => {
                let rest = self.rest();
                let end = rest
                    .find(|c: char| !c.is_ascii_alphanumeric())
                    .unwrap_or(rest.len());
                let token = rest.get(..end).unwrap_or_default();
                let digits = token.trim_start_matches(|c: char| c.is_ascii_digit());
                matches!(
                    digits.to_ascii_lowercase().as_str(),
                    "" | "kb" | "mb" | "gb" | "l" | "d"
                )
            }
            _ => false,
        }
    }

    /// An expression up to the end of its statement.
    pub(super) fn expression(&mut self) -> Got {
        let mut all = self.operand();
        loop {
            self.blanks();
            if self.ends() || self.peek() == Some('>') {
                return all;
            }
            let before = self.at;
            if self.take(",") {
                self.lines();
                let next = self.operand();
                all = match (all, next) {
                    (Got::List(mut all), Got::List(more)) => {
                        all.extend(more);
                        Got::List(all)
                    }
                    _ => Got::Unknown,
                };
                continue;
            }
            let operator = self.operator();
            self.lines();
            if self.ends() {
                return Got::Unknown;
            }
            // `$a, $b = command`
            if operator == "=" {
                self.statement();
                return Got::Unknown;
            }
            let mut right = self.operand();
            if operator == "-f" {
                right = self.formatted(right);
            }
            all = Reader::operate(&operator, all, right);
            if self.at == before {
                self.bump();
            }
        }
    }

    /// A format takes all elements behind it.
    fn formatted(&mut self, mut values: Got) -> Got {
        loop {
            self.blanks();
            if !self.take(",") {
                return values;
            }
            self.lines();
            let next = self.operand();
            values = Reader::operate("+", values, next);
        }
    }

    fn operator(&mut self) -> String {
        let rest = self.rest();
        let end = match rest.chars().next() {
            Some(c) if is_dash(c) && rest.chars().nth(1).is_some_and(char::is_alphabetic) => {
                let name = rest
                    .char_indices()
                    .skip(1)
                    .find(|(_, c)| !c.is_alphabetic());
                name.map_or(rest.len(), |(at, _)| at)
            }
            _ => {
                let signs = rest.find(|c: char| !"+-*/%=.<>!?:".contains(c));
                signs.unwrap_or(rest.len())
            }
        };
        let operator = rest.get(..end).unwrap_or_default().to_ascii_lowercase();
        self.at = self.at.saturating_add(end);
        operator
    }

    /// One operand, with what is reached from it.
    fn operand(&mut self) -> Got {
        self.blanks();
        let start = self.at;
        let got = match self.peek() {
            Some('$') => self.dollar(),
            Some('(') => {
                self.at += 1;
                self.parenthesized()
            }
            Some('@') => match self.second() {
                Some('(') => {
                    self.at += 2;
                    self.parenthesized()
                }
                Some('{') => {
                    self.at += 2;
                    self.table();
                    Got::Unknown
                }
                Some(c) if is_single(c) || is_double(c) => Got::one(self.here_string()),
                _ => {
                    self.at += 1;
                    Got::Unknown
                }
            },
            Some('[') => return self.typed(),
            Some('{') => {
                self.block();
                Got::Unknown
            }
            Some(c) if is_single(c) || is_double(c) => {
                let mut text = String::new();
                if is_single(c) {
                    self.single_quoted(&mut text);
                } else {
                    self.double_quoted(&mut text);
                }
                Got::one(word(text, self.span_from(start)))
            }
            Some('!' | '+' | ',') => {
                self.bump();
                return self.operand_after();
            }
            Some(c) if is_dash(c) => {
                self.operator();
                return self.operand_after();
            }
            _ => {
                let rest = self.rest();
                let end = rest.find(|c: char| !is_name(c)).unwrap_or(rest.len());
                let text = rest.get(..end).unwrap_or_default().to_owned();
                self.at = self.at.saturating_add(end);
                if text.is_empty() {
                    return Got::Unknown;
                }
                Got::one(word(text, self.span_from(start)))
            }
        };
        self.reached_into(got)
    }

    /// What an operator in front makes of an operand is not followed.
    fn operand_after(&mut self) -> Got {
        self.blanks();
        if !self.ends() && self.w.enter() {
            self.operand();
            self.w.leave();
        }
        Got::Unknown
    }

    /// `[TYPE]operand`, `[TYPE]::Method(…)`.
    fn typed(&mut self) -> Got {
        let start = self.at;
        let kind = self.brackets().to_ascii_lowercase();
        let kind = kind.trim_matches(['[', ']']).to_owned();
        self.blanks();
        if !self.take("::") {
            if self.ends() || self.peek() == Some(',') || self.peek() == Some('=') {
                return Got::Unknown;
            }
            if !self.w.enter() {
                return Got::Unknown;
            }
            let got = self.operand();
            self.w.leave();
            // A text is made a script block by it.
            if kind.ends_with("scriptblock")
                && let Got::List(texts) = &got
            {
                for text in texts.clone() {
                    self.maybe(|r| r.w.pwsh_text(&text, false));
                }
            }
            return got;
        }
        let method = self.name().to_ascii_lowercase();
        if self.take("(") {
            let args = self.arguments();
            self.statically(&kind, &method, &args, start);
        }
        self.reached_into(Got::Unknown)
    }

    /// `.Name`, `::Name`, `[…]`, `.Method(…)` behind a value.
    pub(super) fn reached_into(&mut self, mut got: Got) -> Got {
        loop {
            let start = self.at;
            match (self.peek(), self.second()) {
                (Some('.'), Some(c)) if is_name(c) && !c.is_ascii_digit() => self.at += 1,
                (Some('?'), Some('.')) => self.at += 2,
                (Some(':'), Some(':')) => self.at += 2,
                (Some('['), _) => {
                    self.at += 1;
                    self.bracketed();
                    got = Got::Unknown;
                    continue;
                }
                _ => return got,
            }
            let name = self.name().to_ascii_lowercase();
            let args = if self.take("(") {
                self.arguments()
            } else {
                Vec::new()
            };
            self.method(&name, &got, &args, start);
            got = match (name.as_str(), got) {
                ("trim" | "tostring", got) if args.is_empty() => got,
                _ => Got::Unknown,
            };
        }
    }

    /// The arguments of a method, up to its `)`.
    fn arguments(&mut self) -> Vec<Word> {
        let mut all = Vec::new();
        self.lines();
        while let Some(c) = self.peek() {
            if c == ')' {
                self.at += 1;
                break;
            }
            let before = self.at;
            if c == ',' {
                self.at += 1;
            } else {
                let got = if self.w.enter() {
                    let got = self.argument_of_method();
                    self.w.leave();
                    got
                } else {
                    Got::Unknown
                };
                let span = self.span_from(before);
                // An array stays one argument.
                all.push(match got {
                    Got::List(words) => word(joined(&words, " "), span),
                    Got::Unknown => unknown(span),
                });
            }
            self.lines();
            if self.at == before {
                self.bump();
            }
        }
        all
    }

    fn argument_of_method(&mut self) -> Got {
        let mut all = self.operand();
        loop {
            self.lines();
            if matches!(self.peek(), None | Some(',' | ')')) || self.ends() {
                return all;
            }
            let before = self.at;
            let operator = self.operator();
            let right = self.operand();
            all = Reader::operate(&operator, all, right);
            if self.at == before {
                self.bump();
            }
        }
    }

    /// `[…]` behind a value: an index, in which something may run.
    fn bracketed(&mut self) {
        while let Some(c) = self.peek() {
            match c {
                ']' => {
                    self.at += 1;
                    return;
                }
                '$' => {
                    self.dollar();
                }
                '(' => {
                    self.at += 1;
                    self.parenthesized();
                }
                '\n' | ';' | '}' | ')' => return,
                _ => {
                    self.bump();
                }
            }
        }
    }

    /// `@{ key = value; … }` behind its brace.
    pub(super) fn table(&mut self) {
        if !self.w.enter() {
            self.at = self.text.len();
            return;
        }
        let start = self.at;
        loop {
            self.separators();
            let before = self.at;
            match self.peek() {
                None => {
                    self.unended("unterminated table", start);
                    break;
                }
                Some('}') => {
                    self.at += 1;
                    break;
                }
                _ => {}
            }
            self.operand();
            self.blanks();
            if self.take("=") {
                self.lines();
                self.statement();
            }
            if self.at == before {
                self.bump();
            }
        }
        self.w.leave();
    }
}
