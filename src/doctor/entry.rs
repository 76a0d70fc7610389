//! Our own entries in a host's settings, and how the host would start them.

use super::settings::Settings;
use crate::host::setup::{Form, PLACEHOLDER, Setup};
use crate::setup::split;
use serde_json::Value;
use std::path::Path;

/// Keys under which hosts keep a command line.
const COMMANDS: &[&str] = if cfg!(windows) {
    &["command", "commandWindows", "powershell", "bash"]
} else {
    &["command", "bash"]
};

/// How a host starts an entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Start {
    /// These words, without a shell.
    Words(Vec<String>),
    /// A line that a shell reads.
    Line(String),
}

impl Start {
    /// The words, as far as they can be told from a line.
    pub fn words(&self) -> Vec<String> {
        match self {
            Start::Words(words) => words.clone(),
            Start::Line(line) => split(line),
        }
    }
}

/// One entry of ours.
#[derive(Debug, Clone)]
pub struct Entry {
    /// Which of the settings files it stands in.
    pub file: usize,
    /// The event as the host names it.
    pub event: String,
    /// The group in the event's list.
    pub group: usize,
    /// The place in the group.
    pub index: usize,
    /// Which tools it is for, if it says so.
    pub matcher: Option<String>,
    /// How it is started.
    pub start: Start,
    /// The entry itself.
    pub value: Value,
}

impl Entry {
    /// The number under `timeout` or `timeoutSec`.
    pub fn timeout(&self) -> Option<f64> {
        let keys = ["timeout", "timeoutSec"];
        keys.iter().find_map(|key| self.value.get(key)?.as_f64())
    }
}

/// Our entries in `settings`, which is the file with the number `file`.
pub fn all(settings: &Settings, file: usize, setup: &Setup) -> Vec<Entry> {
    if setup.form == Form::Module {
        return module(settings, file, setup).into_iter().collect();
    }
    let Some(events) = settings
        .value
        .as_ref()
        .and_then(|v| v.get("hooks")?.as_object())
    else {
        return Vec::new();
    };
    let mut found = Vec::new();
    for (event, groups) in events {
        for (group, value) in groups.as_array().into_iter().flatten().enumerate() {
            for (index, handler) in handlers(value).into_iter().enumerate() {
                let Some(start) = start(handler).filter(|s| is_ours(&s.words())) else {
                    continue;
                };
                found.push(Entry {
                    file,
                    event: event.clone(),
                    group,
                    index,
                    matcher: value
                        .get("matcher")
                        .and_then(Value::as_str)
                        .map(str::to_owned),
                    start,
                    value: handler.clone(),
                });
            }
        }
    }
    found
}

/// The commands of a group: those of its list, or itself.
pub fn handlers(group: &Value) -> Vec<&Value> {
    match group.get("hooks") {
        Some(list) => list.as_array().into_iter().flatten().collect(),
        None => vec![group],
    }
}

fn start(handler: &Value) -> Option<Start> {
    let line = COMMANDS.iter().find_map(|key| handler.get(key)?.as_str())?;
    Some(match handler.get("args").and_then(Value::as_array) {
        Some(args) => {
            let args = args.iter().filter_map(Value::as_str).map(str::to_owned);
            Start::Words(std::iter::once(line.to_owned()).chain(args).collect())
        }
        None => Start::Line(line.to_owned()),
    })
}

/// A module of ours names the program where the snippet has its placeholder.
fn module(settings: &Settings, file: usize, setup: &Setup) -> Option<Entry> {
    let (before, _) = setup.snippet.split_once(PLACEHOLDER)?;
    let head = before.lines().last().unwrap_or_default();
    let line = settings
        .text
        .lines()
        .find_map(|line| line.strip_prefix(head))?;
    let quoted = format!("\"{line}");
    let mut read = serde_json::Deserializer::from_str(&quoted).into_iter::<String>();
    let program = read.next()?.ok()?;
    Some(Entry {
        file,
        event: String::new(),
        group: 0,
        index: 0,
        matcher: None,
        start: Start::Words(vec![program, "hook".to_owned()]),
        value: Value::Null,
    })
}

/// Whether these words start leaseguard's door for hosts, be it by way of another program or by a
/// path that fell apart because nobody quoted it.
pub fn is_ours(words: &[String]) -> bool {
    let first = words.iter().find(|word| !STARTERS.contains(&word.as_str()));
    words.windows(2).enumerate().any(|(at, pair)| {
        let [program, verb] = pair else { return false };
        // Other programs have a verb `hook` too; none names a host so.
        let names_host = words
            .get(at.saturating_add(2))
            .is_some_and(|w| w == "--host");
        verb == "hook" && (is_named(program) || first == Some(program) && names_host)
    })
}

/// What may stand before a program in a line.
const STARTERS: &[&str] = &["&", "exec"];

fn is_named(program: &str) -> bool {
    let name = program.rsplit(['/', '\\']).next().unwrap_or_default();
    name.strip_suffix(".exe").unwrap_or(name) == "leaseguard"
}

/// The program among the words: leaseguard where another one that is there starts it, else what the
/// host starts first.
pub fn program(words: &[String]) -> Option<&Path> {
    let first = words.iter().find(|word| !STARTERS.contains(&word.as_str()));
    let first = Path::new(first?);
    let ours = words.iter().find(|word| is_named(word)).map(Path::new);
    ours.filter(|_| first.exists()).or(Some(first))
}

#[cfg(test)]
mod tests {
    use super::is_ours;
    use crate::setup::split;

    #[test]
    fn what_starts_our_door_is_ours_whatever_stands_before_it() {
        for (line, want) in [
            ("/a/leaseguard hook --host codex", true),
            ("'/a b/leaseguard' hook", true),
            ("/a b/leaseguard hook --host codex", true),
            ("& 'C:\\b\\leaseguard.exe' hook", true),
            ("/usr/bin/env A=1 leaseguard hook", true),
            ("/a/guard hook --host codex", true),
            ("lefthook run hook", false),
            ("husky hook", false),
            ("leaseguard check hook", false),
            ("sh -c 'leaseguard hook'", false),
            ("", false),
        ] {
            assert_eq!(is_ours(&split(line)), want, "{line}");
        }
    }
}
