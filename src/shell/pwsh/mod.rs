//! PowerShell: its text, read statement by statement, runs in the same abstract shell as bash does.
//!
//! What is read may run: the blocks of functions, loops, jobs and filters are alternatives, and a value
//! that is not plain to see is unknown. Where a statement cannot be read, reading goes on behind it.

mod cmdlets;
mod expressions;
mod files;
mod invoke;
mod pipelines;
mod statements;
mod text;
mod values;
mod words;

use super::walk::Walker;
use super::{Files, Script, Span, Start, Word, Wrappers};

pub use cmdlets::unfold;

/// Extracts everything that the PowerShell text could run.
pub fn extract(text: &str, start: &Start, wrappers: &dyn Wrappers, files: &dyn Files) -> Script {
    let mut walker = Walker::new(start, wrappers, files, text.len());
    let begin = walker.state.clone();
    walker.push_frame(super::flow::Kind::Shell);
    Reader::new(&mut walker, text).all();
    walker.close_script(begin)
}

impl Walker<'_> {
    /// Runs PowerShell text that a word brought in; in a shell of its own where `apart`.
    pub(super) fn pwsh_text(&mut self, word: &Word, apart: bool) {
        self.unknown_text(word);
        if !self.spend(1 + word.text.len() as u64) || !self.enter() {
            return;
        }
        let saved = apart.then(|| self.begin_subshell());
        let fixed = self.fix(word.span);
        Reader::new(self, &word.text).all();
        self.fixed = fixed;
        if let Some(saved) = saved {
            self.end_subshell(saved);
        }
        self.leave();
    }
}

impl Walker<'_> {
    /// Runs a PowerShell script; in a shell of its own where `apart`.
    pub(super) fn pwsh_file(&mut self, path: &Word, apart: bool) {
        let texts = self.texts(path, false, path.span);
        self.reads += 1;
        let origin = self.origin.replace(path.text.as_str().into());
        self.alternatives(texts, |w, text| {
            if !w.spend(1 + text.len() as u64) || !w.enter() {
                return;
            }
            let saved = apart.then(|| w.begin_subshell());
            let fixed = w.fix(path.span);
            let mut reader = Reader::new(w, &text);
            reader.script = true;
            reader.all();
            w.fixed = fixed;
            if let Some(saved) = saved {
                w.end_subshell(saved);
            }
            w.leave();
        });
        self.origin = origin;
        self.reads -= 1;
    }
}

/// Reads one text.
struct Reader<'r, 'w> {
    w: &'r mut Walker<'w>,
    text: &'r str,
    at: usize,
    /// The text is a script's, whose lines are told.
    script: bool,
}

/// What an expression or a pipeline gives.
#[derive(Debug, Clone)]
enum Got {
    /// These elements.
    List(Vec<Word>),
    /// Any number of elements that only the run knows.
    Unknown,
}

impl Got {
    fn one(word: Word) -> Got {
        Got::List(vec![word])
    }

    /// As arguments of a command.
    fn into_words(self, span: Span) -> Vec<Word> {
        match self {
            Got::List(words) => words,
            Got::Unknown => vec![values::unknown(span)],
        }
    }
}

impl<'r, 'w> Reader<'r, 'w> {
    fn new(w: &'r mut Walker<'w>, text: &'r str) -> Reader<'r, 'w> {
        Reader {
            w,
            text,
            at: 0,
            script: false,
        }
    }

    fn all(mut self) {
        self.statements(None);
    }
}
