//! config, by its old options and its new verbs.

use super::{Run, global, hooks, tables};
use crate::action::options::{Blur, Line, display, parse_leading};
use crate::action::{Act, ConfigWrite, How};
use crate::shell::{Opaque, Word};

/// Old options that read.
const READS: &[&str] = &[
    "get",
    "get-all",
    "get-regexp",
    "get-urlmatch",
    "list",
    "get-color",
    "get-colorbool",
];

/// Old options that write, `--edit` aside.
const WRITES: &[&str] = &[
    "replace-all",
    "add",
    "unset",
    "unset-all",
    "rename-section",
    "remove-section",
];

/// What a line of config would become.
struct Write<'a> {
    key: Option<&'a Word>,
    value: Option<&'a Word>,
    add: bool,
    edits: bool,
    how: How,
}

/// `git config`.
pub(super) fn config(run: &mut Run<'_>, words: &[Word]) {
    let verb = words.first().and_then(Word::known);
    let rest = words.get(1..).unwrap_or_default();
    match verb {
        Some("get" | "list") => {}
        Some("set") => {
            let line = parse_leading(rest, tables::CONFIG_SET);
            let how = titled("set", &line, run.at);
            let add = line.has("append");
            let (key, value) = (line.args.first().copied(), line.args.get(1).copied());
            if value.is_some() {
                write(
                    run,
                    &line,
                    Write {
                        key,
                        value,
                        add,
                        edits: false,
                        how,
                    },
                );
            }
        }
        Some(name @ ("unset" | "rename-section" | "remove-section" | "edit")) => {
            let line = parse_leading(rest, tables::CONFIG_SET);
            let how = titled(name, &line, run.at);
            let key = line.args.first().copied().filter(|_| name == "unset");
            let write_it = Write {
                key,
                value: None,
                add: false,
                edits: name == "edit",
                how,
            };
            write(run, &line, write_it);
            if let Some(section) = line.args.first().filter(|_| name.ends_with("-section")) {
                run_section(run, section);
            }
        }
        _ => old(run, words),
    }
}

fn titled(name: &str, line: &Line<'_>, span: crate::shell::Span) -> How {
    let mut text = format!("config {name}");
    for word in line.args.iter().take(2) {
        text.push(' ');
        text.push_str(&display(&word.text));
    }
    How { text, span }
}

/// `git config [--add|--unset|…] KEY [VALUE]`.
fn old(run: &mut Run<'_>, words: &[Word]) {
    let line = parse_leading(words, tables::CONFIG);
    if let Some(edit) = line.on("edit") {
        let how = run.with_verb(edit);
        let whole = Write {
            key: None,
            value: None,
            add: false,
            edits: true,
            how,
        };
        return write(run, &line, whole);
    }
    if line.any(READS) {
        return;
    }
    let option = line
        .given
        .iter()
        .rev()
        .find(|g| WRITES.contains(&g.opt.name));
    let name = option.map_or("", |g| g.opt.name);
    let (key, value) = (line.args.first().copied(), line.args.get(1).copied());
    let how = match option {
        Some(given) => titled(&given.how().text, &line, run.at),
        None => titled("", &line, run.at),
    };
    match name {
        // One word alone is a question, unless it may turn into more.
        "" if value.is_none() => {
            if let Some(word) = key.filter(|w| w.opaque == Opaque::Many) {
                run.unread("option", word);
            }
        }
        "unset" | "unset-all" => {
            let gone = Write {
                key,
                value: None,
                add: false,
                edits: false,
                how,
            };
            write(run, &line, gone);
        }
        "rename-section" | "remove-section" => {
            let whole = Write {
                key: None,
                value: None,
                add: false,
                edits: false,
                how,
            };
            write(run, &line, whole);
            if let Some(section) = line.args.first() {
                run_section(run, section);
            }
        }
        _ => {
            let add = name == "add";
            write(
                run,
                &line,
                Write {
                    key,
                    value,
                    add,
                    edits: false,
                    how,
                },
            );
        }
    }
}

/// A section goes, or gets another name.
fn run_section(run: &mut Run<'_>, section: &Word) {
    let how = How {
        text: format!("config {}", display(&section.text)),
        span: section.span,
    };
    // As a key below it would be spelled.
    let key = section
        .known()
        .map(|name| global::canonical(&format!("{name}.x")));
    let skips = key.and_then(|key| hooks::hook_setting(&key, None, how));
    if let Some(act) = skips {
        run.act(act);
    }
}

fn write(run: &mut Run<'_>, line: &Line<'_>, write: Write<'_>) {
    if line.help {
        return;
    }
    let key = write.key.and_then(Word::known).map(global::canonical);
    let mut further = Vec::new();
    match (key.as_deref(), write.value) {
        (Some("core.hookspath"), Some(value)) => {
            further.extend(hooks::hooks_path(run, value, write.how.clone()));
        }
        (Some("commit.gpgsign" | "tag.gpgsign" | "push.gpgsign"), Some(value))
            if global::is_false(value) =>
        {
            further.push(Act::SkipSigning(write.how.clone()));
        }
        (Some(key), value) => {
            further.extend(hooks::hook_setting(key, value, write.how.clone()));
        }
        _ => {}
    }
    run.act(Act::Config(ConfigWrite {
        edits: write.edits,
        key,
        value: write.value.cloned(),
        add: write.add,
        scope: scope(run, line),
        how: write.how,
    }));
    for act in further {
        run.act(act);
    }
    for (blur, word) in &line.blurred {
        if *blur == Blur::Option {
            run.unread("option", word);
        }
    }
    if let Some(word) = write.key.filter(|w| w.opaque != Opaque::No) {
        run.unread("target", word);
    }
}

/// Which file is written.
fn scope(run: &Run<'_>, line: &Line<'_>) -> &'static str {
    const SCOPES: &[&str] = &["global", "system", "local", "worktree"];
    if line.has("file") || run.place.env.iter().any(|(name, _)| name == "GIT_CONFIG") {
        return "file";
    }
    line.given
        .iter()
        .rev()
        .filter(|g| g.on)
        .find_map(|g| SCOPES.iter().find(|s| **s == g.opt.name))
        .copied()
        .unwrap_or("local")
}
