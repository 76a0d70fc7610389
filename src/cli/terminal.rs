//! Output that never panics: a reader that went away is no reason to fail.

use std::io::{IsTerminal, Write};

/// Writes to standard output; `false` when it could not.
pub(super) fn out(text: &str) -> bool {
    let mut stdout = std::io::stdout().lock();
    stdout.write_all(text.as_bytes()).is_ok() && stdout.flush().is_ok()
}

/// Writes to standard error; `false` when it could not.
pub(super) fn err(text: &str) -> bool {
    std::io::stderr().lock().write_all(text.as_bytes()).is_ok()
}

/// `value` as one line of JSON.
pub(super) fn json_line<T: serde::Serialize>(value: &T) -> String {
    match serde_json::to_string(value) {
        Ok(json) => json + "\n",
        Err(_) => String::new(),
    }
}

/// Whether colours are wanted on standard output.
pub(super) fn colour() -> bool {
    let set = |name| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    let dumb = std::env::var_os("TERM").is_some_and(|term| term == "dumb");
    !set("NO_COLOR") && !dumb && std::io::stdout().is_terminal()
}

/// Paints where colours are wanted.
#[derive(Debug, Clone, Copy)]
pub(super) struct Paint(pub(super) bool);

impl Paint {
    fn wrap(self, code: &str, text: &str) -> String {
        if self.0 {
            format!("\u{1b}[{code}m{text}\u{1b}[0m")
        } else {
            text.to_owned()
        }
    }

    /// For denials and what they point at.
    pub(super) fn red(self, text: &str) -> String {
        self.wrap("1;31", text)
    }

    /// For asks.
    pub(super) fn yellow(self, text: &str) -> String {
        self.wrap("1;33", text)
    }

    /// For allowed.
    pub(super) fn green(self, text: &str) -> String {
        self.wrap("32", text)
    }

    /// For labels.
    pub(super) fn bold(self, text: &str) -> String {
        self.wrap("1", text)
    }
}
