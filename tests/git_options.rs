//! git's option rules against the git of this machine.

#![allow(clippy::unwrap_used, reason = "a helper of tests may fail loudly")]

use leaseguard::action::git::TABLES;
use leaseguard::action::options::{Line, Opt, Takes, parse, parse_leading};
use leaseguard::shell::Word;
use std::collections::BTreeSet;
use std::path::Path;
use std::process::{Command, Stdio};

fn word(text: &str) -> Word {
    Word {
        text: text.to_owned(),
        ..Word::default()
    }
}

fn git(repo: &Path, args: &[&str]) -> (Option<i32>, String) {
    let out = Command::new("git")
        .args(args)
        .current_dir(repo)
        .env_clear()
        .env("PATH", std::env::var_os("PATH").unwrap_or_default())
        .env("HOME", repo)
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .env("GIT_EDITOR", "true")
        .env("LC_ALL", "C")
        .stdin(Stdio::null())
        .output()
        .unwrap();
    let mut text = String::from_utf8_lossy(&out.stdout).into_owned();
    text.push_str(&String::from_utf8_lossy(&out.stderr));
    (out.status.code(), text)
}

fn scratch() -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    git(dir.path(), &["init", "-q"]);
    dir
}

/// The tables were taken from 2.47; other versions list other options.
fn is_247(repo: &Path) -> bool {
    git(repo, &["version"]).1.contains(" 2.47.")
}

#[test]
fn every_long_option_that_git_lists_is_in_its_table_with_the_same_kind() {
    let repo = scratch();
    if !is_247(repo.path()) {
        return;
    }
    for (verb, table) in TABLES {
        let mut args: Vec<&str> = verb.split(' ').collect();
        args.push("--git-completion-helper-all");
        // `git config` itself answers with its new verbs.
        let (_, text) = git(repo.path(), &args);
        if *verb == "config" {
            continue;
        }
        let ours: BTreeSet<&str> = table.iter().map(|o| o.name).collect();
        let listed = text.split_whitespace().filter_map(|w| w.strip_prefix("--"));
        for name in listed.filter(|n| !n.is_empty()) {
            let (name, valued) = match name.strip_suffix('=') {
                Some(name) => (name, true),
                None => (name, false),
            };
            let other = match name.strip_prefix("no-") {
                Some(rest) => rest.to_owned(),
                None => format!("no-{name}"),
            };
            if !ours.contains(name) {
                let base = table.iter().find(|o| o.name == other);
                assert!(
                    base.is_some_and(|o| o.kind().1),
                    "`git {verb} --{name}` is missing"
                );
            } else if valued {
                let opt = table.iter().find(|o| o.name == name).unwrap();
                assert_ne!(opt.kind().0, Takes::Nothing, "`git {verb} --{name}`");
            }
        }
    }
}

struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 >> 11).unwrap() % sides.max(1)
    }

    fn of<'a, T>(&mut self, all: &'a [T]) -> &'a T {
        &all[self.roll(all.len())]
    }
}

/// One random option, or a mistake that looks like one.
fn spelling(dice: &mut Dice, table: &[Opt]) -> Vec<String> {
    let longs: Vec<&Opt> = table.iter().filter(|o| o.spellings().0.is_some()).collect();
    let shorts: Vec<char> = table.iter().filter_map(|o| o.spellings().1).collect();
    if !shorts.is_empty() && dice.roll(3) == 0 {
        let mut cluster = String::from("-");
        for _ in 0..=dice.roll(3) {
            cluster.push(*dice.of(&shorts));
        }
        if dice.roll(8) == 0 {
            cluster.push(*dice.of(&['Y', 'f', 'n', 'a', '1']));
        }
        return vec![cluster];
    }
    let opt = dice.of(&longs);
    let mut name = opt.name.to_owned();
    if dice.roll(3) == 0 {
        name = match name.strip_prefix("no-") {
            Some(rest) => rest.to_owned(),
            None => format!("no-{name}"),
        };
    }
    if dice.roll(2) == 0 {
        let keep = 1 + dice.roll(name.len());
        name.truncate(keep);
    }
    if dice.roll(12) == 0 {
        return vec![format!("-{name}")];
    }
    match dice.roll(6) {
        0 => vec![format!("--{name}=1")],
        1 | 2 if opt.kind().0 != Takes::Nothing => vec![format!("--{name}"), "1".to_owned()],
        _ => vec![format!("--{name}")],
    }
}

#[derive(Debug, PartialEq, Eq)]
enum Outcome {
    Refused,
    /// The first probe was met as an option.
    First,
    /// The first probe was taken for a value.
    Second,
}

const PROBES: [&str; 2] = ["--zz-one", "--zz-two"];

fn ours(verb: &str, table: &'static [Opt], options: &[String]) -> Option<Outcome> {
    let read = |words: &[Word]| -> (bool, bool) {
        let line: Line<'_> = if verb.starts_with("config") {
            parse_leading(words, table)
        } else {
            parse(words, table)
        };
        let swallowed = line.given.iter().any(|g| g.known() == Some(PROBES[0]));
        (line.refused || line.help, swallowed)
    };
    let mut words: Vec<Word> = options.iter().map(|o| word(o)).collect();
    if verb.starts_with("config") && words.iter().any(|w| !w.text.starts_with('-')) {
        return None;
    }
    words.push(word("x"));
    if read(&words).0 {
        return Some(Outcome::Refused);
    }
    words.pop();
    words.extend(PROBES.iter().map(|p| word(p)));
    Some(if read(&words).1 {
        Outcome::Second
    } else {
        Outcome::First
    })
}

fn theirs(repo: &Path, verb: &str, options: &[String]) -> Option<Outcome> {
    const REFUSALS: &[&str] = &[
        "ambiguous option",
        "unknown option",
        "unknown switch",
        "requires a value",
        "takes no value",
        "isn't available",
        "did you mean",
    ];
    let mut args: Vec<&str> = verb.split(' ').collect();
    args.extend(options.iter().map(String::as_str));
    args.extend(PROBES);
    let (_, text) = git(repo, &args);
    let first = text.lines().find(|l| l.contains(':')).unwrap_or_default();
    if first.starts_with("error: unknown option") && first.contains("zz-one") {
        Some(Outcome::First)
    } else if first.contains("zz-") {
        // The second probe was met, or the verb dislikes the first one as a value.
        Some(Outcome::Second)
    } else if REFUSALS.iter().any(|r| first.contains(r)) {
        Some(Outcome::Refused)
    } else {
        None
    }
}

#[test]
fn random_option_lines_are_refused_or_read_just_as_git_reads_them() {
    let repo = scratch();
    if !is_247(repo.path()) {
        return;
    }
    let rounds = match std::env::var_os("LEASEGUARD_LONG") {
        Some(_) => 400,
        None => 25,
    };
    let mut dice = Dice(0x9E37_79B9_7F4A_7C15);
    let (mut compared, mut wrong) = (0, Vec::new());
    for (verb, table) in TABLES {
        // These two keep options that they do not know.
        if matches!(*verb, "cherry-pick" | "stash store") {
            continue;
        }
        for _ in 0..rounds {
            let mut options = Vec::new();
            for _ in 0..=dice.roll(3) {
                options.extend(spelling(&mut dice, table));
            }
            // One takes one or three words, the other has an alias that shares its beginning.
            if options
                .iter()
                .any(|o| o.contains("cachei") || o.contains("--recu"))
            {
                continue;
            }
            let (Some(ours), Some(theirs)) = (
                ours(verb, table, &options),
                theirs(repo.path(), verb, &options),
            ) else {
                continue;
            };
            compared += 1;
            if ours != theirs {
                wrong.push(format!("git {verb} {options:?}: {ours:?}, git: {theirs:?}"));
            }
        }
    }
    assert!(
        wrong.is_empty(),
        "{} of {compared}:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
    println!("{compared} lines compared");
    assert!(compared > 500, "only {compared} lines could be compared");
}
