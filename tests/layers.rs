//! The first layer is switched off: which of its denials git's own hooks still stop, by real git.
#![cfg(unix)]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout
)]

mod support;

use leaseguard::verdict::Decision;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Mutex;
use support::git::closed;
use support::repo::{fresh, put, runnable};
use support::rules::{Case, cases, load};
use support::text::dice;

const BINARY: &str = env!("CARGO_BIN_EXE_leaseguard");

/// Of this many cores one is run, unless all are wanted.
const SAMPLE: u64 = 24;

/// Rules whose cores are no work of git's, or pull its files away from under it, or need claims and
/// forges that a copy of a scene does not have.
const NOT_GITS: &[&str] = &[
    "ci/",
    "forge/",
    "lease/",
    "publish/",
    "self/",
    "shell/",
    "git/admin-write",
];

/// What stops a core where no host asks leaseguard.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Stop {
    PrePush,
    Commit,
    Neither,
}

impl Stop {
    fn word(self) -> &'static str {
        match self {
            Stop::PrePush => "pre-push",
            Stop::Commit => "commit hooks",
            Stop::Neither => "neither",
        }
    }
}

/// A place for one repository: whoever comes second waits until it is built.
type Slot = std::sync::Arc<Mutex<Option<std::path::PathBuf>>>;

/// The repositories with our hooks in them, one a scene, and where copies of them go.
struct Yard {
    built: Mutex<BTreeMap<String, Slot>>,
    next: std::sync::atomic::AtomicUsize,
    temp: tempfile::TempDir,
}

impl Yard {
    fn run(&self, case: &Case<'_>) -> Stop {
        let from = self.built(case);
        let number = self.next.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        let root = self.temp.path().join(format!("c{number}"));
        let copied = Command::new("cp").arg("-a").arg(&from).arg(&root).status();
        assert!(copied.unwrap().success());
        moved(&root, &from);
        let (top, home) = (root.join("repo"), root.join("home"));
        let cwd = match &case.scene.setup.cwd {
            Some(cwd) => top.join(cwd),
            None => top,
        };
        // Whatever became of it, what it printed does not matter.
        let _ = room(&root.join("bin/claude"), &cwd, &home)
            .args(["-c", &format!("{}\ntrue", case.command)])
            // Nobody answers there, and says so at once.
            .env("https_proxy", "http://127.0.0.1:9")
            .env("http_proxy", "http://127.0.0.1:9")
            .env(
                "PATH",
                format!("{}:/usr/bin:/bin", root.join("bin").display()),
            )
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status();
        let log = home.join(".local/state/leaseguard/decisions.jsonl");
        let log = fs::read_to_string(log).unwrap_or_default();
        let _ = fs::remove_dir_all(&root);
        let denied = |what: &str| {
            log.lines().any(|line| {
                line.contains("\"kind\":\"git-hook\"")
                    && line.contains("\"decision\":\"deny\"")
                    && line.contains("\"rules\":[\"git/")
                    && (line.contains("\"command\":\"git push ") == (what == "push"))
            })
        };
        if denied("push") {
            Stop::PrePush
        } else if denied("commit") {
            Stop::Commit
        } else {
            Stop::Neither
        }
    }

    fn built(&self, case: &Case<'_>) -> std::path::PathBuf {
        let key = case.scene.setup.key();
        let slot = self.built.lock().unwrap().entry(key).or_default().clone();
        let mut slot = slot.lock().unwrap();
        if let Some(root) = slot.as_ref() {
            return root.clone();
        }
        let repo = fresh(&case.scene.setup);
        let bin = repo.root.join("bin");
        fs::create_dir_all(&bin).unwrap();
        std::os::unix::fs::symlink("/bin/bash", bin.join("claude")).unwrap();
        put(&bin.join("ssh"), "#!/bin/sh\nexit 1\n");
        runnable(&bin.join("ssh"));
        put(&bin.join("gpg"), support::effects::GPG);
        runnable(&bin.join("gpg"));
        let installed = room(Path::new(BINARY), &repo.top, &repo.home)
            .args(["install", "git", "--yes"])
            .output()
            .unwrap();
        assert!(installed.status.success(), "{installed:?}");
        *slot = Some(repo.root.clone());
        repo.root
    }
}

/// As an agent would run it: no settings of the tests, a key that nobody needs.
fn room(program: &Path, dir: &Path, home: &Path) -> Command {
    let mut command = Command::new("timeout");
    let plain = closed("true", dir, home);
    let kept = plain.get_envs().filter(|(name, _)| {
        !name.to_string_lossy().starts_with("GIT_CONFIG_") || *name == "GIT_CONFIG_NOSYSTEM"
    });
    command.env_clear();
    for (name, value) in kept {
        command.env(name, value.unwrap_or_default());
    }
    command.arg("8").arg(program).current_dir(dir);
    command
}

/// Lets the copy name itself where the first one named its own place.
fn moved(root: &Path, from: &Path) {
    let (new, old) = (root.to_string_lossy(), from.to_string_lossy());
    let repo = root.join("repo/.git");
    let mut files = Vec::new();
    for dir in [repo.join("hooks"), repo.join("leaseguard")] {
        files.extend(
            fs::read_dir(dir)
                .into_iter()
                .flatten()
                .flatten()
                .map(|e| e.path()),
        );
    }
    for tree in fs::read_dir(repo.join("worktrees"))
        .into_iter()
        .flatten()
        .flatten()
    {
        files.push(tree.path().join("gitdir"));
    }
    for dir in fs::read_dir(root).unwrap().flatten() {
        files.push(dir.path().join(".git"));
    }
    for file in files.into_iter().filter(|file| file.is_file()) {
        let text = fs::read_to_string(&file).unwrap_or_default();
        if text.contains(&*old) {
            fs::write(&file, text.replace(&*old, &new)).unwrap();
        }
    }
}

/// As `support::spread`, with more threads: most of the time is spent in waiting.
fn all_of<T: Sync>(items: &[T], work: impl Fn(&T) -> Stop + Sync) -> Vec<Stop> {
    let next = std::sync::atomic::AtomicUsize::new(0);
    let done = Mutex::new(vec![Stop::Neither; items.len()]);
    std::thread::scope(|scope| {
        for _ in 0..6 {
            scope.spawn(|| {
                loop {
                    let at = next.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
                    let Some(item) = items.get(at) else { return };
                    let stop = work(item);
                    done.lock().unwrap()[at] = stop;
                }
            });
        }
    });
    done.into_inner().unwrap()
}

// --- the table --------------------------------------------------------------------------------------

const OPEN: &str = "<!-- layers -->";
const CLOSE: &str = "<!-- /layers -->";

fn is_gits(case: &Case<'_>) -> bool {
    !NOT_GITS
        .iter()
        .any(|rule| case.fixture.rule.starts_with(rule))
}

/// As it stands in the list.
fn line(case: &Case<'_>) -> String {
    let text = case
        .command
        .trim_end()
        .replace('\n', "⏎")
        .replace('|', "\\|");
    if text.contains('`') {
        format!("`` {text} ``")
    } else {
        format!("`{text}`")
    }
}

fn table(stops: &[(&Case<'_>, Stop)]) -> String {
    let mut rules: BTreeMap<&str, Vec<(&Case<'_>, Stop)>> = BTreeMap::new();
    for (case, stop) in stops {
        rules
            .entry(&case.fixture.rule)
            .or_default()
            .push((case, *stop));
    }
    let mut out = String::from(
        "\n| rule | denials | stopped by pre-push | by the commit hooks | by neither |\n|---|---|---|---|---|\n",
    );
    let count = |all: &[(&Case<'_>, Stop)], stop| all.iter().filter(|(_, s)| *s == stop).count();
    for (rule, all) in &rules {
        let (push, commit) = (count(all, Stop::PrePush), count(all, Stop::Commit));
        let neither = count(all, Stop::Neither);
        writeln!(
            out,
            "| `{rule}` | {} | {push} | {commit} | {neither} |",
            all.len()
        )
        .unwrap();
    }
    for (rule, all) in &rules {
        let neither: Vec<String> = all
            .iter()
            .filter(|(_, stop)| *stop == Stop::Neither)
            .map(|(case, _)| line(case))
            .collect();
        if neither.is_empty() || neither.len() == all.len() {
            continue;
        }
        write!(out, "\nNot stopped by git's own hooks, of `{rule}`:\n\n").unwrap();
        let mut seen = std::collections::BTreeSet::new();
        for line in neither.iter().filter(|line| seen.insert(*line)) {
            writeln!(out, "- {line}").unwrap();
        }
    }
    out + "\n"
}

#[test]
fn what_the_second_line_does_not_stop_is_what_security_md_says() {
    let fixtures = load();
    let all: Vec<Case<'_>> = cases(&fixtures, Decision::Deny);
    let whole = support::long() || support::update();
    let chosen: Vec<&Case<'_>> = all
        .iter()
        .filter(|case| is_gits(case))
        .filter(|case| whole || dice(&["layers", case.command]).is_multiple_of(SAMPLE))
        .collect();
    let yard = Yard {
        built: Mutex::default(),
        next: std::sync::atomic::AtomicUsize::new(0),
        temp: tempfile::tempdir().unwrap(),
    };
    let stops = all_of(&chosen, |case| yard.run(case));
    let path = support::root().join("SECURITY.md");
    let text = fs::read_to_string(&path).unwrap();
    let (before, rest) = text.split_once(OPEN).expect("the place of the table");
    let (inside, after) = rest.split_once(CLOSE).expect("the end of the table");
    let pairs: Vec<(&Case<'_>, Stop)> = chosen.iter().copied().zip(stops).collect();
    if support::update() {
        let new = format!("{before}{OPEN}\n{}{CLOSE}{after}", table(&pairs));
        fs::write(&path, new).unwrap();
        return;
    }
    if whole {
        assert!(
            inside.trim() == table(&pairs).trim(),
            "the table of SECURITY.md is not what happens; UPDATE=1 cargo test --test layers writes it"
        );
    }
    let mut report = support::Report::default();
    for (case, stop) in &pairs {
        let rule = &case.fixture.rule;
        let row = inside
            .lines()
            .find(|l| l.starts_with(&format!("| `{rule}` |")))
            .unwrap_or_default();
        let cells: Vec<&str> = row.split('|').map(str::trim).collect();
        // A rule of which nothing is stopped has no list.
        let none = cells.get(2) == cells.get(5);
        let listed = none || inside.contains(&format!("- {}\n", line(case)));
        report.check(listed == (*stop == Stop::Neither), rule, || {
            format!("{}: {}", stop.word(), support::brief(case.command))
        });
    }
    report.end("denials at the second line");
}
