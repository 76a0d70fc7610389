//! Questions that the script asked and facts answered: `$(git branch --show-current)`.

use crate::action;
use crate::shell::{self, Command, Opaque, Word};
use std::path::{Path, PathBuf};
use std::rc::Rc;

/// The answers so far, by number; `None` where facts do not tell.
#[derive(Debug, Default)]
pub(super) struct Answers(Vec<Option<String>>);

impl Answers {
    /// Keeps the answer with this number.
    pub(super) fn keep(&mut self, number: usize, answer: Option<String>) {
        if self.0.len() <= number {
            self.0.resize(number + 1, None);
        }
        if let Some(slot) = self.0.get_mut(number) {
            *slot = answer;
        }
    }

    /// The first number that is free.
    pub(super) fn next(&self) -> u32 {
        u32::try_from(self.0.len()).unwrap_or(shell::ANSWER_MAX)
    }

    /// The command with answered questions filled in; `None` when it holds none.
    pub(super) fn fill_in(&self, command: &Command) -> Option<Command> {
        // The marks are the only characters whose encoding starts so high.
        let text = |t: &str| t.bytes().any(|b| b >= 0xf3);
        let marked = |w: &Word| text(&w.text);
        let dir = |d: &Option<PathBuf>| d.as_ref().is_some_and(|d| text(&d.to_string_lossy()));
        let dirs = command.dirs.iter().any(dir);
        let values = || {
            command
                .assigns
                .iter()
                .chain(command.exports.iter())
                .any(|a| marked(&a.value))
        };
        if !dirs && !command.words.iter().any(marked) && !values() {
            return None;
        }
        let mut command = command.clone();
        if dirs {
            let filled = command
                .dirs
                .iter()
                .map(|d| d.as_ref().and_then(|d| self.filled_dir(d)));
            command.dirs = Rc::new(filled.collect());
        }
        for assign in Rc::make_mut(&mut command.exports) {
            self.fill(&mut assign.value);
        }
        for word in command
            .words
            .iter_mut()
            .chain(command.assigns.iter_mut().map(|a| &mut a.value))
        {
            self.fill(word);
        }
        Some(command)
    }

    /// A directory that an answer is part of: an absolute answer stands for all that is before it.
    fn filled_dir(&self, dir: &Path) -> Option<PathBuf> {
        let mut filled = PathBuf::new();
        for part in dir.components() {
            let part = part.as_os_str().to_string_lossy();
            let mut word = Word {
                text: part.into_owned(),
                opaque: Opaque::One,
                ..Word::default()
            };
            self.fill(&mut word);
            if word.text.chars().any(action::is_mark) {
                return None;
            }
            filled.push(&word.text);
        }
        Some(filled)
    }

    fn fill(&self, word: &mut Word) {
        let mut text = String::with_capacity(word.text.len());
        let mut unknown = false;
        for c in word.text.chars() {
            let number = (c as u32).checked_sub(shell::ANSWER_BASE);
            match number.map(|n| self.0.get(n as usize).cloned().flatten()) {
                None => {
                    unknown |= c == shell::OPAQUE;
                    text.push(c);
                }
                Some(Some(answer)) => text.push_str(&answer),
                Some(None) => {
                    unknown = true;
                    text.push(shell::OPAQUE);
                }
            }
        }
        word.text = text;
        if !unknown {
            word.opaque = Opaque::No;
        }
    }
}
