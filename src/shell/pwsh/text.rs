//! The cursor: blanks, comments, brackets and quotes of PowerShell text.

use super::super::Span;
use super::Reader;

/// Every quotation mark that PowerShell takes for `'`.
pub(super) fn is_single(c: char) -> bool {
    matches!(c, '\'' | '\u{2018}'..='\u{201B}')
}

/// Every quotation mark that PowerShell takes for `"`.
pub(super) fn is_double(c: char) -> bool {
    matches!(c, '"' | '\u{201C}'..='\u{201E}')
}

/// Every dash that may open a parameter.
pub(super) fn is_dash(c: char) -> bool {
    matches!(c, '-' | '\u{2013}'..='\u{2015}')
}

pub(super) fn is_name(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

impl Reader<'_, '_> {
    pub(super) fn rest(&self) -> &str {
        self.text.get(self.at..).unwrap_or_default()
    }

    pub(super) fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    pub(super) fn second(&self) -> Option<char> {
        self.rest().chars().nth(1)
    }

    pub(super) fn begins(&self, text: &str) -> bool {
        self.rest().starts_with(text)
    }

    /// Takes one character.
    pub(super) fn bump(&mut self) -> Option<char> {
        let c = self.peek()?;
        self.at += c.len_utf8();
        Some(c)
    }

    /// Takes `text` where it stands.
    pub(super) fn take(&mut self, text: &str) -> bool {
        let there = self.begins(text);
        if there {
            self.at += text.len();
        }
        there
    }

    /// What is read from `start` up to here.
    pub(super) fn span_from(&self, start: usize) -> Span {
        self.w.span(start as u32, self.at as u32)
    }

    /// Steps over blanks, comments and continued lines.
    pub(super) fn blanks(&mut self) {
        loop {
            match self.peek() {
                Some('\r') if self.second() != Some('\n') => self.at += 1,
                Some(c) if c != '\n' && c != '\r' && c.is_whitespace() => {
                    self.at += c.len_utf8();
                }
                Some('`') if matches!(self.second(), Some('\n' | '\r')) => {
                    self.at += 1;
                    self.take("\r");
                    self.take("\n");
                }
                Some('<') if self.second() == Some('#') => {
                    let end = self
                        .rest()
                        .find("#>")
                        .map(|n| self.at.saturating_add(n + 2));
                    self.at = end.unwrap_or(self.text.len());
                }
                Some('#') => {
                    let end = self.rest().find('\n').map(|n| self.at.saturating_add(n));
                    self.at = end.unwrap_or(self.text.len());
                }
                _ => return,
            }
        }
    }

    /// Steps over blanks and line ends.
    pub(super) fn lines(&mut self) {
        loop {
            self.blanks();
            if !matches!(self.peek(), Some('\n' | '\r')) {
                return;
            }
            self.at += 1;
        }
    }

    /// Steps over blanks, line ends and `;`.
    pub(super) fn separators(&mut self) {
        loop {
            self.lines();
            if !self.take(";") {
                return;
            }
        }
    }

    /// Whether a statement ends here.
    pub(super) fn ends(&self) -> bool {
        match self.peek() {
            None | Some('\n' | ';' | '|' | '}' | ')' | '&') => true,
            Some('\r') => self.second() == Some('\n'),
            _ => false,
        }
    }

    /// The bare word here, where it is made of letters alone; it is not taken.
    pub(super) fn keyword(&self) -> &str {
        let rest = self.rest();
        let end = rest.find(|c: char| !c.is_ascii_alphabetic());
        let end = end.unwrap_or(rest.len());
        let after = rest.get(end..).and_then(|r| r.chars().next());
        let whole = after.is_none_or(|c| !is_name(c) && !matches!(c, '-' | '.' | '\\' | '/' | ':'));
        rest.get(..end).filter(|_| whole).unwrap_or_default()
    }

    /// Steps over `[…]`.
    pub(super) fn brackets(&mut self) -> &str {
        let start = self.at;
        let mut depth = 0usize;
        while let Some(c) = self.bump() {
            match c {
                '[' => depth += 1,
                ']' => depth = depth.saturating_sub(1),
                _ => {}
            }
            if depth == 0 {
                break;
            }
        }
        self.text.get(start..self.at).unwrap_or_default()
    }
}
