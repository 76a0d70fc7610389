//! Program text of other languages that starts commands: `python -c`, `perl -e`, `awk`, `sed`, `osascript`.

use super::shells;
use super::tail::{OUTWARD, Possible, tails};
use crate::action::{basename, file, is_mark};
use crate::shell::{Command, Opaque, Stdin, Word};

/// Interpreters, by the start of their names, and the options that carry program text.
const INTERPRETERS: &[(&str, &[&str])] = &[
    ("python", &["-c"]),
    ("pypy", &["-c"]),
    ("node", &["-e", "-p", "--eval", "--print"]),
    ("deno", &["eval"]),
    ("bun", &["-e", "--eval"]),
    ("perl", &["-e", "-E"]),
    ("ruby", &["-e"]),
    ("php", &["-r"]),
    ("lua", &["-e"]),
    ("tclsh", &[]),
    ("expect", &["-c"]),
];

/// Parts of the names by which programs are started: `create_subprocess_exec`, `os.spawnlp`.
const CALLS: &[&str] = &[
    "Command",
    "Popen",
    "call_process",
    "check_call",
    "check_output",
    "child_process",
    "exec",
    "getoutput",
    "passthru",
    "popen",
    "proc_open",
    "spawn",
    "subprocess",
    "system",
];

/// How many commands are taken from one text.
const MOST: usize = 6;

/// Names that count only as a whole, for they are part of common words.
const SHORT: &[&str] = &["qx", "sh"];

/// What an interpreter may run; `None` where `command` is none.
pub(super) fn interpreted(command: &Command, rest: &[Word]) -> Option<Vec<Possible>> {
    let name = basename(&command.words.first()?.text);
    if let Some(starts) = editor(name) {
        let texts = rest.iter().filter(|w| starts(&w.text));
        let mut found: Vec<Possible> = texts.flat_map(spelled).collect();
        found.truncate(MOST);
        return Some(found);
    }
    let (_, carriers) = INTERPRETERS
        .iter()
        .find(|(start, _)| interpreter(name, start))?;
    let mut found = Vec::new();
    let carried = rest.windows(2).filter_map(|pair| match pair {
        [flag, text] if carriers.contains(&flag.text.as_str()) || cluster(&flag.text, carriers) => {
            Some(text)
        }
        _ => None,
    });
    for text in carried {
        found.extend(calls(text));
    }
    let reads_stdin = shells::waits(rest);
    if let (true, Stdin::Text(text)) = (reads_stdin, &command.stdin) {
        found.extend(calls(text));
    }
    // `perl script.pl git push -f`: what the script does with its words is not known.
    if found.is_empty() {
        found.extend(tails(rest));
    }
    found.truncate(MOST);
    Some(found)
}

/// `perl -ne`, `ruby -rjson -e` …: the carrying letter ends a cluster.
fn cluster(word: &str, carriers: &[&str]) -> bool {
    word.len() > 2
        && word.len() < 6
        && !word.starts_with("--")
        && carriers.iter().any(|c| {
            c.len() == 2 && word.starts_with('-') && word.chars().last() == c.chars().last()
        })
}

/// How a text of a program that mostly edits starts another one.
fn editor(name: &str) -> Option<fn(&str) -> bool> {
    match name {
        "awk" | "gawk" | "mawk" | "nawk" => Some(|t| {
            t.contains("system(") || t.contains("system (") || t.contains("getline") || pipes(t)
        }),
        "sed" | "gsed" => Some(executes),
        "osascript" => Some(|t| t.contains("do shell script") || t.contains("do script")),
        _ => None,
    }
}

/// `print x | "sh"`.
fn pipes(text: &str) -> bool {
    text.match_indices('|').any(|(at, _)| {
        let rest = text.get(at + 1..).unwrap_or_default();
        rest.trim_start().starts_with('"')
    })
}

/// The `e` command of GNU sed, and the flag of its `s`.
fn executes(text: &str) -> bool {
    let mut before = ';';
    for (at, c) in text.char_indices() {
        let leads = before.is_ascii_digit() || ";{$/\n".contains(before);
        let rest = text.get(at + 1..).unwrap_or_default();
        if c == 'e' && leads && (rest.starts_with([' ', ';', '}', '\n']) || rest.is_empty()) {
            return true;
        }
        if c != ' ' {
            before = c;
        }
    }
    false
}

/// `python3.11` is `python`.
pub(super) fn interpreter(name: &str, start: &str) -> bool {
    name.strip_prefix(start).is_some_and(|v| {
        v.chars()
            .all(|c| c.is_ascii_digit() || c == '.' || c == 'w' || c == 'j' || c == 's')
    })
}

/// The guarded commands that an interpreter's text spells out, if it also starts programs.
fn calls(text: &Word) -> Vec<Possible> {
    let source = text.text.as_str();
    if !source.contains("git") && !OUTWARD.iter().any(|p| source.contains(p)) {
        return Vec::new();
    }
    if calls_out(source) {
        spelled(text)
    } else {
        Vec::new()
    }
}

/// Every guarded command that a text spells out.
fn spelled(text: &Word) -> Vec<Possible> {
    let source = text.text.as_str();
    let starts = |word: &str| {
        let name = basename(word);
        let git = name == "git" || (source.contains("git") && file::ruins(name));
        git || OUTWARD.binary_search(&name).is_ok()
    };
    let ruined = |now: &[Word]| now.first().is_some_and(|w| file::ruins(basename(&w.text)));
    let mut found = Vec::new();
    let mut now: Vec<Word> = Vec::new();
    let mut token = String::new();
    for c in source.chars().chain(['\n']) {
        let part = c.is_alphanumeric() || "_-./:+@~^=*{}%\\".contains(c) || is_mark(c);
        if part && c != '\\' {
            token.push(c);
            continue;
        }
        if !token.is_empty() {
            let word = std::mem::take(&mut token);
            // `rm` may be no more than a name; git hides behind nothing.
            if ruined(&now) && basename(&word) == "git" {
                now.clear();
            }
            if !now.is_empty() || starts(&word) {
                let unknown = word.contains(['{', '}']) || word.chars().any(is_mark);
                let opaque = if unknown { Opaque::One } else { Opaque::No };
                now.push(Word {
                    text: word,
                    span: text.span,
                    opaque,
                    glob: false,
                });
            }
        }
        if matches!(c, '\n' | ';' | ')' | ']' | '&' | '|') && !now.is_empty() {
            found.push(Possible::Words(std::mem::take(&mut now)));
        }
    }
    found.retain(|p| matches!(p, Possible::Words(w) if w.len() > 1));
    found
}

/// The text starts programs, told by its names.
fn calls_out(source: &str) -> bool {
    source.contains('`')
        || source.contains("%x")
        || (source.contains("open") && source.contains('|'))
        || source
            .split(|c: char| !c.is_alphanumeric() && c != '_')
            .any(|word| SHORT.contains(&word) || CALLS.iter().any(|call| word.contains(call)))
}
