//! leaseguard itself on a command line: its verbs, and what stops, hides or removes it.

use super::words::{Line, Takes, gnu};
use super::{Act, How, is_mark};
use crate::shell::{Command, Span, Word};

/// The program.
const NAME: &str = "leaseguard";

const NONE: Takes = gnu("", &[]);

/// What stops, hides or removes leaseguard.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Own {
    /// As typed.
    pub how: How,
    /// What it does: `stops leaseguard's processes`.
    pub does: &'static str,
}

/// Programs that end others by name or pattern.
const KILLERS: &[&str] = &["killall", "pkill", "skill"];

/// Programs that take other programs off the machine.
#[rustfmt::skip]
const REMOVERS: &[&str] = &[
    "apk", "apt", "apt-get", "brew", "bun", "cargo", "choco", "dnf", "dpkg", "nix-env", "npm",
    "pacman", "pip", "pip3", "pipx", "pnpm", "scoop", "uv", "winget", "yarn", "yum", "zypper",
];

/// Their verbs that do.
#[rustfmt::skip]
const REMOVALS: &[&str] = &[
    "--purge", "--remove", "--uninstall", "-R", "-Rns", "-Rs", "-e", "-r", "del", "erase",
    "purge", "remove", "rm", "un", "uninstall", "unlink",
];

/// What `command` does with leaseguard; `None` for nearly all commands.
pub(super) fn read(base: &str, command: &Command) -> Option<Act> {
    let words = command.words.get(1..).unwrap_or_default();
    match base {
        NAME => return verb(words),
        "npx" | "bunx" | "pnpx" | "uvx" => {
            let at = words.iter().position(|w| !w.text.starts_with('-'))?;
            let package = words.get(at)?.text.as_str();
            let named = package == NAME || package.strip_prefix(NAME)?.starts_with('@');
            return named.then(|| verb(words.get(at + 1..).unwrap_or_default()))?;
        }
        "alias" => {
            let word = words
                .iter()
                .find(|w| w.text.split_once('=').is_some_and(|(name, _)| name == NAME))?;
            return Some(disarm(
                command,
                word.span,
                "puts another command in its place",
            ));
        }
        _ => {}
    }
    if KILLERS.contains(&base) {
        let takes = gnu("sgGPtuU", &["signal", "group", "parent", "user", "uid"]);
        let line = Line::read(words, &takes);
        let hit = line.operands.iter().find(|w| means(&w.text))?;
        return Some(disarm(command, hit.span, "ends its processes"));
    }
    if REMOVERS.contains(&base) {
        let hit = words
            .iter()
            .find(|w| w.text == NAME || w.text.ends_with("/leaseguard"))?;
        let removes = words.iter().any(|w| REMOVALS.contains(&w.text.as_str()));
        return removes.then(|| disarm(command, hit.span, "takes it off this machine"));
    }
    None
}

/// Whether a pattern of process names or lines is about leaseguard.
fn means(pattern: &str) -> bool {
    let plain = pattern.trim_matches(['^', '$', '.', '*', '\\']);
    pattern.contains(NAME)
        || (plain.len() >= 5 && NAME.contains(plain))
        || pattern.split('/').any(|part| part == NAME)
}

fn verb(words: &[Word]) -> Option<Act> {
    // `--help` and `--version` end the matter, wherever they stand.
    if Line::read(words, &NONE).asks_help() {
        return None;
    }
    let at = words.iter().position(|w| !w.text.starts_with('-'))?;
    let verb = words.get(at)?.clone();
    // What these are given is judged or told, never done.
    if matches!(verb.known(), Some("check" | "explain" | "hook" | "help")) {
        return None;
    }
    let args = words.get(at + 1..).unwrap_or_default().to_vec();
    Some(Act::Leaseguard { verb, args })
}

fn disarm(command: &Command, span: Span, does: &'static str) -> Act {
    let text: String = super::shown(command)
        .chars()
        .filter(|c| !is_mark(*c))
        .take(80)
        .collect();
    Act::Disarm(Own {
        how: How { text, span },
        does,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::action::testing::command;

    fn told(text: &str) -> String {
        let command = command(text);
        let base = command.words.first().map_or("", |w| w.text.as_str());
        match read(base, &command) {
            Some(Act::Leaseguard { verb, args }) => format!("{} {}", verb.text, args.len()),
            Some(Act::Disarm(own)) => own.does.to_owned(),
            _ => String::new(),
        }
    }

    #[test]
    fn verbs_that_only_judge_are_no_act() {
        for text in [
            "leaseguard check 'git push -f'",
            "leaseguard explain git push",
            "leaseguard allow --help",
            "leaseguard --version",
            "leaseguard",
        ] {
            assert_eq!(told(text), "", "{text}");
        }
        assert_eq!(told("leaseguard allow K7"), "allow 1");
        assert_eq!(told("npx -y leaseguard@1.2.0 trust"), "trust 0");
        assert_eq!(told("leaseguard rules set git/amend off"), "rules 3");
    }

    #[test]
    fn stopping_hiding_and_removing_it_is_seen() {
        assert_eq!(told("pkill -9 leaseguard"), "ends its processes");
        assert_eq!(told("pkill -f 'leaseguard hook'"), "ends its processes");
        assert_eq!(
            told("cargo uninstall leaseguard"),
            "takes it off this machine"
        );
        assert_eq!(
            told("alias leaseguard=true"),
            "puts another command in its place"
        );
        for text in [
            "pkill node",
            "cargo install leaseguard",
            "alias ll='ls -l'",
            "npx prettier",
            "pgrep leaseguard",
        ] {
            assert_eq!(told(text), "", "{text}");
        }
    }
}
