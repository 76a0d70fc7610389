//! Shows a script's steps in one line.

use leaseguard::shell::{ANSWER_BASE, Command, OPAQUE, Opaque, Script, Stdin, Step, Word};
use std::path::Path;

fn word(word: &Word) -> String {
    let mut out = String::new();
    for c in word.text.chars() {
        match c {
            OPAQUE if word.opaque == Opaque::Many => out.push_str("…s"),
            OPAQUE => out.push('…'),
            c if c as u32 >= ANSWER_BASE => out.push_str(&format!("?{}", c as u32 - ANSWER_BASE)),
            '\n' => out.push_str("\\n"),
            c => out.push(c),
        }
    }
    if out.is_empty() || out.contains(' ') {
        out = format!("'{out}'");
    }
    out
}

fn dirs(command: &Command) -> String {
    match command.dirs.as_slice() {
        [Some(dir)] if dir == Path::new("/repo") => String::new(),
        dirs => {
            let shown: Vec<String> = dirs
                .iter()
                .map(|d| {
                    d.as_ref().map_or("?".to_string(), |d| {
                        let text = d.display().to_string();
                        word(&Word {
                            text,
                            ..Word::default()
                        })
                    })
                })
                .collect();
            format!("@{}", shown.join(","))
        }
    }
}

/// One command: assignments, words, directories other than `/repo`, what it answers.
pub(crate) fn command(command: &Command) -> String {
    let mut parts: Vec<String> = command
        .assigns
        .iter()
        .map(|a| format!("{}={}", a.name, word(&a.value).trim_matches('\'')))
        .collect();
    parts.extend(command.words.iter().map(word));
    let mut out = parts.join(" ");
    out.push_str(&dirs(command));
    if let Some(n) = command.answers {
        out.push_str(&format!("=>?{n}"));
    }
    out
}

/// `[ a | b ]` is a fork, `!` an end; commands are parted by `;`.
pub(crate) fn steps(script: &Script) -> String {
    let mut out = String::new();
    let mut after_command = false;
    for step in &script.steps {
        let (text, is_command) = match step {
            Step::Run(c) => (command(c), true),
            Step::Fork => ("[".to_string(), false),
            Step::Or => ("|".to_string(), false),
            Step::Join => ("]".to_string(), false),
            Step::End => ("!".to_string(), false),
        };
        if after_command && is_command {
            out.push(';');
        }
        if !out.is_empty() {
            out.push(' ');
        }
        out.push_str(&text);
        after_command = is_command;
    }
    out
}

/// Where the input of the last command comes from.
pub(crate) fn stdin(script: &Script) -> String {
    match script.commands().last().map(|c| &c.stdin) {
        Some(Stdin::Text(text)) => format!("text {}", word(text)),
        Some(Stdin::File(path)) => format!("file {}", word(path)),
        Some(Stdin::Pipe(names)) => format!("pipe {}", names.join(" ")),
        _ => "inherited".to_string(),
    }
}
