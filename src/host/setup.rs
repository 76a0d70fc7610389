//! How a host is connected to leaseguard, as data: where its settings lie and what has to stand in them.

use super::{argv, text};

/// What `install`, `status` and `doctor` know about one host.
#[derive(Debug, Clone, Copy)]
pub struct Setup {
    /// The host's name as people write it.
    pub title: &'static str,
    /// Programs by which it is found on a PATH.
    pub programs: &'static [&'static str],
    /// What is written, with [`PLACEHOLDER`] where this program goes.
    pub snippet: &'static str,
    /// How this program stands in the snippet.
    pub form: Form,
    /// Whose the file is.
    pub owner: Owner,
    /// The file of a user.
    pub user: Place,
    /// The file of a project, below the top of a checkout.
    pub project: Place,
    /// Steps that only the person can do, one a line, lower case.
    pub steps: &'static [&'static str],
}

impl Setup {
    /// The snippet for `program`, the absolute path of this program, quoted as each place wants it.
    pub fn filled(&self, program: &str) -> String {
        let mut out = String::with_capacity(self.snippet.len());
        for line in self.snippet.split_inclusive('\n') {
            let word = match (line.trim_start(), self.form) {
                (line, Form::Line) if line.starts_with("\"powershell\"") => {
                    format!("'{}'", program.replace('\'', "''"))
                }
                (line, Form::Line) if line.starts_with("\"commandWindows\"") => {
                    format!("\"{program}\"")
                }
                (_, Form::Line) => argv::as_shell(&[program]),
                (_, Form::Exec | Form::Module) => program.to_owned(),
            };
            let quoted = text::json_string(&word);
            let inner = quoted.strip_prefix('"').and_then(|q| q.strip_suffix('"'));
            out.push_str(&line.replace(PLACEHOLDER, inner.unwrap_or_default()));
        }
        out
    }
}

/// Stands in a snippet where the program goes.
pub const PLACEHOLDER: &str = "@LEASEGUARD@";

/// How the program stands in a snippet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// The path alone, started without a shell.
    Exec,
    /// The start of a line that a shell reads.
    Line,
    /// A string in a JavaScript module.
    Module,
}

/// Whose a settings file is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Owner {
    /// The user's: our entries stand among others. Each array under `hooks` of the snippet is merged
    /// into the array of the same name.
    Shared,
    /// Ours alone: the whole file is the snippet.
    Ours,
}

/// Where a file lies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Place {
    /// A variable that names the directory instead of `dir`; for users' files only.
    pub variable: Option<&'static str>,
    /// The directory below the home, or below the top of the checkout.
    pub dir: &'static str,
    /// The file below that directory.
    pub file: &'static str,
}
