//! Build programs that run commands which stand in a file: package scripts, makefiles, justfiles.

mod just;
mod make;
mod package;

use super::basename;
use crate::shell::{Command, Recipe, Word};

/// Where `command` finds the commands that it runs.
pub(super) fn recipe(command: &Command) -> Option<Recipe> {
    let (program, words) = command.words.split_first()?;
    let name = basename(&program.text);
    match name {
        "make" | "gmake" => make::recipe(words, &command.stdin),
        "just" => just::recipe(words),
        _ => package::recipe(name, words),
    }
}

/// The shell texts that `command` runs of its file, each at its line.
pub(super) fn lines(command: &Command, text: &str) -> Vec<String> {
    let Some((program, words)) = command.words.split_first() else {
        return Vec::new();
    };
    let name = basename(&program.text);
    match name {
        "make" | "gmake" => {
            let given = |name: &str| {
                let own = command.assigns.iter().chain(command.exports.iter());
                own.filter(|a| a.name == name)
                    .map(|a| a.value.clone())
                    .next()
            };
            make::lines(words, text, &given)
        }
        "just" => just::lines(words, text),
        _ => package::lines(name, words, text),
    }
}

/// `text` moved down to `line` (from 0), where it stands in its file.
fn at_line(line: usize, text: &str) -> String {
    const MOST: usize = 10_000;
    let mut out = "\n".repeat(line.min(MOST));
    out.push_str(text);
    out
}

/// Arguments as a program quotes them that adds them to shell text.
fn quoted(words: &[&Word]) -> String {
    let mut out = String::new();
    for word in words {
        out.push_str(" '");
        out.push_str(&word.text.replace('\'', "'\\''"));
        out.push('\'');
    }
    out
}
