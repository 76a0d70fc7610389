//! Commands that a program we do not know might run: the tail rule, and texts for interpreters.

use super::{is_wrapper, shells};
use crate::action::{basename, is_mark};
use crate::shell::{Command, Opaque, Stdin, Word};

/// A command that might run, and only might.
#[derive(Debug, Clone)]
pub enum Possible {
    /// An argument vector.
    Words(Vec<Word>),
    /// Shell text.
    Text(Word),
}

/// Programs whose commands leaseguard judges.
const GUARDED: &[&str] = &["git"];

/// Programs that only read, print or search their words.
const DATA: &[&str] = &[
    "[",
    "[[",
    ":",
    "ack",
    "ag",
    "alias",
    "apropos",
    "awk",
    "basename",
    "bat",
    "cat",
    "cd",
    "column",
    "comm",
    "command",
    "cmp",
    "compgen",
    "complete",
    "curl",
    "cut",
    "declare",
    "delta",
    "diff",
    "dirname",
    "echo",
    "egrep",
    "exit",
    "export",
    "expr",
    "false",
    "fgrep",
    "file",
    "fmt",
    "fold",
    "gawk",
    "gh",
    "glab",
    "grep",
    "hash",
    "head",
    "help",
    "history",
    "hub",
    "info",
    "jq",
    "kill",
    "leaseguard",
    "less",
    "let",
    "local",
    "logger",
    "ls",
    "man",
    "mapfile",
    "mawk",
    "mkdir",
    "more",
    "nl",
    "notify-send",
    "osascript",
    "paste",
    "pgrep",
    "pkill",
    "printf",
    "read",
    "readonly",
    "return",
    "rg",
    "say",
    "sed",
    "set",
    "shift",
    "sort",
    "source",
    "stat",
    "tac",
    "tail",
    "tee",
    "terminal-notifier",
    "test",
    "touch",
    "tr",
    "tree",
    "true",
    "type",
    "typeset",
    "uniq",
    "unset",
    "wc",
    "wget",
    "whatis",
    "whereis",
    "which",
    "yq",
];

/// Options and verbs after which a word is a command for somebody.
const CARRIERS: &[&str] = &[
    "-c",
    "-e",
    "-x",
    "--run",
    "--command",
    "--exec",
    "--eval",
    "exec",
];

/// Verbs after which every word may be typed into a shell.
const TYPING: &[&str] = &[
    "send-keys",
    "send",
    "stuff",
    "run-shell",
    "new-session",
    "new-window",
    "split-window",
];

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

/// Words of an interpreter's text that start other programs.
const CALLS: &[&str] = &[
    "system",
    "popen",
    "Popen",
    "subprocess",
    "check_call",
    "check_output",
    "exec",
    "spawn",
    "child_process",
    "execSync",
    "execFile",
    "spawnSync",
    "execFileSync",
    "execvp",
    "execlp",
    "qx",
    "shell_exec",
    "passthru",
    "proc_open",
    "Command",
    "sh",
    "IO.popen",
    "`",
    "$",
];

/// How many commands are taken from one tail.
const MOST: usize = 6;

/// True for programs that only read, print or search their words.
pub fn is_data(program: &str) -> bool {
    DATA.contains(&program)
}

/// What `command` might run though its program is not in the wrapper table.
pub fn possible(command: &Command) -> Vec<Possible> {
    let Some((program, rest)) = command.words.split_first() else {
        return Vec::new();
    };
    if program.opaque != Opaque::No && program.text.chars().all(is_mark) {
        return as_git(program, rest);
    }
    let name = basename(&program.text);
    if let Some((_, carriers)) = INTERPRETERS
        .iter()
        .find(|(start, _)| interpreter(name, start))
    {
        return interpreted(command, rest, carriers);
    }
    let unsure = rest.iter().any(|w| w.opaque == Opaque::Many);
    if DATA.contains(&name) || GUARDED.contains(&name) || name.starts_with("git-") {
        return Vec::new();
    }
    if is_wrapper(name) && command.wrapper && !unsure {
        return Vec::new();
    }
    tails(rest)
}

/// `python3.11` is `python`.
fn interpreter(name: &str, start: &str) -> bool {
    name.strip_prefix(start).is_some_and(|v| {
        v.chars()
            .all(|c| c.is_ascii_digit() || c == '.' || c == 'w' || c == 'j' || c == 's')
    })
}

/// The program is unknown: it may be git.
fn as_git(program: &Word, rest: &[Word]) -> Vec<Possible> {
    if rest.is_empty() {
        return Vec::new();
    }
    let git = Word {
        text: "git".to_owned(),
        opaque: Opaque::No,
        ..program.clone()
    };
    let mut found = vec![Possible::Words(
        std::iter::once(git).chain(rest.iter().cloned()).collect(),
    )];
    found.extend(tails(rest));
    found
}

fn tails(rest: &[Word]) -> Vec<Possible> {
    let mut found = Vec::new();
    let mut typing = false;
    let mut carried = false;
    for (at, word) in rest.iter().enumerate() {
        let text = word.text.as_str();
        let more = rest.get(at + 1..).unwrap_or_default();
        let name = basename(text);
        let leads = is_wrapper(name) && more.iter().any(|w| w.text.contains("git"));
        if (GUARDED.contains(&name) && !more.is_empty()) || leads {
            found.push(Possible::Words(rest.get(at..).unwrap_or_default().to_vec()));
        } else if (carried || typing) && text.contains([' ', '\t', '\n']) {
            found.push(Possible::Text(word.clone()));
        }
        carried = CARRIERS.contains(&text);
        typing |= TYPING.contains(&text);
        if found.len() >= MOST {
            break;
        }
    }
    found
}

fn interpreted(command: &Command, rest: &[Word], carriers: &[&str]) -> Vec<Possible> {
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
    found
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

/// The guarded commands that an interpreter's text spells out, if it also starts programs.
fn calls(text: &Word) -> Vec<Possible> {
    let source = text.text.as_str();
    if !source.contains("git") || !CALLS.iter().any(|c| source.contains(c)) {
        return Vec::new();
    }
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
            if !now.is_empty() || GUARDED.contains(&basename(&word)) {
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
