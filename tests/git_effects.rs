//! Random git commands run for real: whatever changes the repository must have been read as an act.

#![allow(clippy::unwrap_used, reason = "a helper of tests may fail loudly")]

use leaseguard::action::git::{TABLES, read};
use leaseguard::action::options::{Opt, Takes};
use leaseguard::action::{Act, Action, Lookup, Place};
use leaseguard::shell::{Command, Word};
use std::collections::BTreeMap;
use std::path::Path;
use std::process::{Command as Process, Stdio};
use std::rc::Rc;

struct NoAlias;

impl Lookup for NoAlias {
    fn alias(&self, _: &Place, _: &str) -> Result<Option<String>, String> {
        Ok(None)
    }
}

fn run(dir: &Path, program: &str, args: &[&str]) -> String {
    let out = Process::new(program)
        .args(args)
        .current_dir(dir)
        .env_clear()
        .env("PATH", std::env::var_os("PATH").unwrap_or_default())
        .env("HOME", dir.ancestors().nth(1).unwrap())
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .env("GIT_EDITOR", "true")
        .env("GIT_SEQUENCE_EDITOR", "true")
        .env("GIT_AUTHOR_NAME", "t")
        .env("GIT_AUTHOR_EMAIL", "t@t")
        .env("GIT_COMMITTER_NAME", "t")
        .env("GIT_COMMITTER_EMAIL", "t@t")
        .env("GIT_TERMINAL_PROMPT", "0")
        .env("LC_ALL", "C")
        .stdin(Stdio::null())
        .output()
        .unwrap();
    String::from_utf8_lossy(&out.stdout).into_owned()
}

/// A clone with a second branch, a tag, a stash entry, and changes of every kind.
const SETUP: &str = "
set -e
git init -q -b main work
cd work
mkdir src
for f in a.txt b.txt src/x.rs; do echo 1 >$f; done
git add . && git commit -qm 1 && git tag t1
echo 2 >b.txt && git commit -qam 2
git branch other HEAD~1
git clone -q --bare . ../origin.git
git remote add origin ../origin.git && git fetch -q && git branch -q -u origin/main
echo 3 >>a.txt && git stash -q
echo 4 >c.txt && git add c.txt && git commit -qm 3
echo dirty >>a.txt
echo dirty >>src/x.rs
echo staged >s.txt && git add s.txt
echo new >new.txt
";

#[derive(PartialEq, Eq)]
struct State {
    refs: String,
    remote: String,
    index: String,
    config: String,
    files: BTreeMap<String, Vec<u8>>,
}

fn files(dir: &Path, prefix: &str, into: &mut BTreeMap<String, Vec<u8>>) {
    for entry in std::fs::read_dir(dir).unwrap().flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        if name == ".git" {
            continue;
        }
        let path = entry.path();
        if path.is_dir() {
            files(&path, &format!("{prefix}{name}/"), into);
        } else {
            into.insert(format!("{prefix}{name}"), std::fs::read(&path).unwrap());
        }
    }
}

fn state(work: &Path) -> State {
    let mut all = BTreeMap::new();
    files(work, "", &mut all);
    let mut refs = run(work, "git", &["for-each-ref"]);
    refs.push_str(&std::fs::read_to_string(work.join(".git/HEAD")).unwrap_or_default());
    // Remote-tracking refs and what fetches leave behind are nobody's work.
    let refs: Vec<&str> = refs
        .lines()
        .filter(|l| !l.contains("refs/remotes/") && !l.contains("refs/prefetch/"))
        .collect();
    State {
        refs: refs.join("\n"),
        remote: run(&work.join("../origin.git"), "git", &["for-each-ref"]),
        index: run(work, "git", &["ls-files", "-s"]),
        config: std::fs::read_to_string(work.join(".git/config")).unwrap_or_default(),
        files: all,
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

const ARGS: &[&str] = &[
    "a.txt",
    "a.txt",
    "new.txt",
    "src",
    ".",
    ":/",
    "*.txt",
    ":!b.txt",
    "s.txt",
    "HEAD",
    "HEAD~1",
    "main",
    "other",
    "nb",
    "origin",
    "origin",
    "t1",
    "--",
    "main:x",
    "+other:main",
    ":main",
    "refs/heads/other",
    "stash@{0}",
    "../w9",
    "a.b",
    "core.hooksPath",
    "v",
    "",
];

fn line(dice: &mut Dice, verb: &str, table: &[Opt]) -> Vec<String> {
    let mut line: Vec<String> = verb.split(' ').map(str::to_owned).collect();
    for _ in 0..dice.roll(4) {
        let opt = dice.of(table);
        let (long, short) = opt.spellings();
        let value = (opt.kind().0 == Takes::Value).then(|| (*dice.of(ARGS)).to_owned());
        match (long, short) {
            (_, Some(letter)) if dice.roll(2) == 0 => {
                let mut cluster = format!("-{letter}");
                if value.is_none() && dice.roll(3) == 0 {
                    cluster.extend(dice.of(table).spellings().1);
                }
                line.push(cluster);
            }
            (Some(name), _) => {
                let mut name = name.to_owned();
                if dice.roll(5) == 0 {
                    name = format!("no-{name}");
                } else if dice.roll(4) == 0 {
                    name.truncate(name.len() - dice.roll(name.len().min(4)));
                }
                line.push(format!("--{name}"));
            }
            (None, Some(letter)) => line.push(format!("-{letter}")),
            (None, None) => {}
        }
        line.extend(value);
    }
    for _ in 0..dice.roll(4) {
        let at = line.len() - dice.roll(2).min(line.len() - verb.split(' ').count());
        line.insert(at, (*dice.of(ARGS)).to_owned());
    }
    line
}

/// What must have been read for a change that was seen, in words; `None` when all is well.
fn missed(before: &State, after: &State, actions: &[Action]) -> Option<&'static str> {
    let has = |check: fn(&Act) -> bool| actions.iter().any(|a| check(&a.act));
    if before != after && actions.is_empty() {
        return Some("something");
    }
    if before.remote != after.remote && !has(|a| matches!(a, Act::Push(p) if !p.dry_run)) {
        return Some("a push");
    }
    let lost = ["a.txt", "src/x.rs", "new.txt"];
    let gone = lost
        .iter()
        .any(|f| before.files.get(*f) != after.files.get(*f));
    let takes = |act: &Act| match act {
        Act::Discard(_) | Act::Stash { .. } | Act::Integrate(_) | Act::Worktree(_) => true,
        Act::Stage(stage) => stage.verb == "mv",
        Act::Switch(switch) => switch.maybe_path,
        _ => false,
    };
    (gone && !has(takes)).then_some("a loss")
}

#[test]
fn no_random_command_changes_a_repository_unread() {
    let root = tempfile::tempdir().unwrap();
    let template = root.path().join("template");
    std::fs::create_dir(&template).unwrap();
    run(&template, "bash", &["-c", SETUP]);
    assert!(template.join("work/new.txt").exists(), "the setup failed");
    let rounds = match std::env::var_os("LEASEGUARD_LONG") {
        Some(_) => 4_000,
        None => 150,
    };
    let mut dice = Dice(0x1234_5678_9ABC_DEF1);
    let (mut changed, mut wrong) = (0, Vec::new());
    let tables: Vec<_> = TABLES
        .iter()
        .filter(|(verb, _)| !matches!(*verb, "clone" | "init"))
        .collect();
    let fresh = root.path().join("now");
    let work = fresh.join("work");
    let mut before: Option<State> = None;
    for _ in 0..rounds {
        let (verb, table) = dice.of(&tables);
        let args = line(&mut dice, verb, table);
        let start = before.take().unwrap_or_else(|| {
            let _ = std::fs::remove_dir_all(&fresh);
            let (from, to) = (template.to_str().unwrap(), fresh.to_str().unwrap());
            run(root.path(), "cp", &["-a", from, to]);
            state(&work)
        });
        let words: Vec<&str> = args.iter().map(String::as_str).collect();
        run(&work, "git", &words);
        let after = state(&work);
        let command = Command {
            words: std::iter::once("git")
                .chain(words)
                .map(|w| Word {
                    text: w.to_owned(),
                    ..Word::default()
                })
                .collect(),
            dirs: Rc::new(vec![Some(work.clone())]),
            ..Command::default()
        };
        let reading = read(&command, Some(&work), &NoAlias);
        if let Some(what) = missed(&start, &after, &reading.actions) {
            wrong.push(format!("{what}: git {}", args.join(" ")));
        }
        // A lock or an unfinished merge would hide what comes next.
        if start == after && dice.roll(10) != 0 {
            before = Some(after);
        } else {
            changed += 1;
        }
    }
    assert!(
        wrong.is_empty(),
        "missed in {rounds}:\n{}",
        wrong.join("\n")
    );
    println!("{changed} of {rounds} commands changed something");
    assert!(changed > rounds / 20, "only {changed}");
}
