//! A note on one's own checkout spares the look at the claim, and never outlives what it says.
#![cfg(unix)]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout
)]

mod support;

use serde_json::{Value, json};
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::PathBuf;
use std::process::{Child, ChildStdin, ChildStdout, Stdio};
use support::git::git;
use support::lease::Dice;
use support::yard::Yard;

/// A host's process that lives through many calls of one session, from one worktree.
struct Talk<'a> {
    yard: &'a Yard,
    session: String,
    cwd: PathBuf,
    child: Child,
    stdin: ChildStdin,
    said: BufReader<ChildStdout>,
}

impl<'a> Talk<'a> {
    fn new(yard: &'a Yard, session: &str, worktree: &str) -> Talk<'a> {
        let text = "while read -r line; do eval \"$line\"; echo \"code $?\"; done";
        let mut command = yard.host("claude", session, worktree, text);
        let mut child = command.stdin(Stdio::piped()).spawn().unwrap();
        let stdin = child.stdin.take().unwrap();
        let said = BufReader::new(child.stdout.take().unwrap());
        Talk {
            yard,
            session: session.to_owned(),
            cwd: yard.dir(worktree),
            child,
            stdin,
            said,
        }
    }

    fn send(&mut self, event: &str, more: &Value) -> String {
        let mut message = json!({
            "session_id": self.session, "transcript_path": "/t", "cwd": self.cwd,
            "hook_event_name": event,
        });
        for (key, value) in more.as_object().unwrap() {
            message[key] = value.clone();
        }
        let file = self.yard.dir(&format!("{}.json", self.session));
        fs::write(&file, message.to_string()).unwrap();
        writeln!(
            self.stdin,
            "$LG hook < '{}' 2>&1; echo; (exit $?)",
            file.display()
        )
        .unwrap();
        let mut all = String::new();
        loop {
            let mut line = String::new();
            assert!(self.said.read_line(&mut line).unwrap() > 0, "{all}");
            if line.starts_with("code ") {
                return all;
            }
            all.push_str(&line);
        }
    }

    fn start(&mut self) {
        self.send("SessionStart", &json!({ "source": "startup" }));
    }

    /// What the host is told before it runs `command`; empty = go on.
    fn bash(&mut self, command: &str) -> String {
        let more = json!({ "tool_name": "Bash", "tool_input": { "command": command } });
        self.send("PreToolUse", &more).trim().to_owned()
    }

    #[track_caller]
    fn free(&mut self, command: &str) {
        let said = self.bash(command);
        assert!(
            said.is_empty() || !said.contains("leaseguard"),
            "{command}: {said}"
        );
    }

    #[track_caller]
    fn told(&mut self, command: &str, part: &str) {
        let said = self.bash(command);
        assert!(said.contains(part), "{command}: {said}");
    }
}

impl Drop for Talk<'_> {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The notes that were taken so far, the empty ones left out.
fn notes(yard: &Yard) -> Vec<PathBuf> {
    let dir = yard.dir("home/.local/state/leaseguard/pace");
    let all = fs::read_dir(dir).into_iter().flatten().flatten();
    all.map(|e| e.path())
        .filter(|path| fs::metadata(path).unwrap().len() > 0)
        .collect()
}

/// The only record.
fn record(yard: &Yard) -> PathBuf {
    let mut all = fs::read_dir(yard.claimed().join("claims"))
        .unwrap()
        .flatten();
    all.next().unwrap().path()
}

/// A session in its own worktree, whose note is taken.
fn at_home(yard: &Yard) -> Talk<'_> {
    let mut talk = Talk::new(yard, "s1", "w0");
    talk.start();
    talk.free("ls");
    assert_eq!(notes(yard).len(), 1, "the first call takes the note");
    talk
}

/// Two sessions, each in its own worktree.
fn neighbours(yard: &Yard) -> (Talk<'_>, Talk<'_>) {
    let mut other = Talk::new(yard, "s2", "w1");
    other.start();
    let mut talk = Talk::new(yard, "s1", "w0");
    talk.start();
    talk.free("ls");
    (other, talk)
}

/// Puts a changed record in place of the old one, as the store does.
fn rewrite(yard: &Yard, change: impl Fn(&mut Value)) {
    let path = record(yard);
    let mut value: Value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
    change(&mut value);
    let new = path.with_extension("new");
    let text = serde_json::to_string_pretty(&value).unwrap() + "\n";
    fs::write(&new, text).unwrap();
    fs::rename(new, path).unwrap();
}

fn foreign(record: &mut Value) {
    record["owner"]["sessionIds"] = json!(["s9"]);
    record["owner"]["pid"] = json!(1);
    record["owner"]["startTicks"] = Value::Null;
}

const RUNS: [&str; 3] = ["cargo test", "npm run build", "./build.sh"];

#[test]
fn the_holder_runs_programs_and_commits_before_and_after_the_note_is_taken() {
    let yard = Yard::new(1);
    let mut talk = at_home(&yard);
    fs::create_dir_all(yard.dir("w0/src/deep")).unwrap();
    for command in RUNS {
        talk.free(command);
        talk.free(&format!("cd src/deep && {command}"));
    }
    talk.free("git commit --allow-empty -m x");
    talk.free("echo x > new.txt");
}

#[test]
fn a_claim_that_goes_to_another_session_ends_the_note_at_once() {
    let yard = Yard::new(1);
    let mut talk = at_home(&yard);
    rewrite(&yard, foreign);
    for command in RUNS {
        talk.told(command, "lease/foreign-checkout");
    }
    talk.told("git commit --allow-empty -m x", "lease/foreign-checkout");
    talk.told("echo x > a.txt", "lease/foreign-checkout");
    talk.free("git status --short");
}

#[test]
fn a_record_that_becomes_unreadable_or_goes_ends_the_note_at_once() {
    let yard = Yard::new(1);
    let mut talk = at_home(&yard);
    let path = record(&yard);
    fs::write(&path, "{").unwrap();
    talk.told("git commit --allow-empty -m x", "cannot be read");
    fs::remove_file(&path).unwrap();
    talk.free("git commit --allow-empty -m x");
}

#[test]
fn a_role_that_only_reads_binds_from_the_next_call_on() {
    let yard = Yard::new(1);
    let mut talk = at_home(&yard);
    talk.free("git commit --allow-empty -m x");
    rewrite(&yard, |record| record["role"] = json!("reviewer"));
    talk.told("git commit --allow-empty -m x", "lease/read-only-role");
    rewrite(&yard, |record| record["role"] = json!("implementer"));
    talk.free("git commit --allow-empty -m x");
}

#[test]
fn the_note_is_taken_again_when_its_time_comes_and_says_what_the_record_says_then() {
    let yard = Yard::new(1);
    let mut talk = at_home(&yard);
    rewrite(&yard, |record| record["allowedPaths"] = json!(["docs/**"]));
    let old = fs::read(&notes(&yard)[0]).unwrap();
    let past = std::time::SystemTime::now() - std::time::Duration::from_secs(100);
    let file = fs::File::options()
        .write(true)
        .open(&notes(&yard)[0])
        .unwrap();
    file.set_modified(past).unwrap();
    talk.free("ls");
    assert_ne!(fs::read(&notes(&yard)[0]).unwrap(), old);
    talk.told("echo x > a.txt", "docs/**");
    talk.free("mkdir -p docs && echo x > docs/a.md");
}

#[test]
fn another_process_with_the_same_session_is_not_at_home_by_the_note() {
    let yard = Yard::new(1);
    let _first = at_home(&yard);
    let mut second = Talk::new(&yard, "s1", "w0");
    second.told("git commit --allow-empty -m x", "lease/foreign-checkout");
}

#[test]
fn a_git_file_that_leads_elsewhere_is_followed() {
    let yard = Yard::new(2);
    let (_other, mut talk) = neighbours(&yard);
    talk.free("cargo test");
    fs::copy(yard.dir("w1/.git"), yard.dir("w0/.git")).unwrap();
    talk.told("cargo test", "lease/foreign-checkout");
    talk.told("git commit --allow-empty -m x", "lease/foreign-checkout");
}

#[test]
fn a_link_below_the_checkout_leads_where_it_leads() {
    let yard = Yard::new(2);
    let (_other, mut talk) = neighbours(&yard);
    fs::create_dir(yard.dir("w1/sub")).unwrap();
    std::os::unix::fs::symlink(yard.dir("w1/sub"), yard.dir("w0/sub")).unwrap();
    talk.told("cd sub && cargo test", "lease/foreign-checkout");
    talk.free("cargo test");
}

#[test]
fn a_repository_of_its_own_below_the_checkout_is_not_the_checkout() {
    let yard = Yard::new(1);
    let mut talk = at_home(&yard);
    let inner = yard.dir("w0/inner");
    fs::create_dir(&inner).unwrap();
    git(&inner, &yard.dir("home"), &["init", "-q"]);
    // Claimed by nobody, so a program is free there all the same.
    talk.free("cd inner && cargo test");
    rewrite(&yard, foreign);
    talk.told("cargo test", "lease/foreign-checkout");
}

#[test]
fn the_main_checkout_of_a_holder_is_home_too() {
    let yard = Yard::new(0);
    let mut talk = Talk::new(&yard, "s1", "main");
    let out = talk.send(
        "PreToolUse",
        &json!({
            "tool_name": "Bash", "tool_input": { "command": "ls" }
        }),
    );
    assert!(!out.contains("leaseguard"), "{out}");
    writeln!(talk.stdin, "$LG lease claim > /dev/null 2>&1").unwrap();
    let mut line = String::new();
    talk.said.read_line(&mut line).unwrap();
    assert_eq!(line, "code 0\n");
    talk.free("ls");
    assert_eq!(notes(&yard).len(), 1);
    // What git does in its directory does not end the note.
    git(
        &yard.main(),
        &yard.dir("home"),
        &["commit", "-q", "--allow-empty", "-m", "x"],
    );
    talk.free("cargo test");
    rewrite(&yard, foreign);
    talk.told("cargo test", "lease/foreign-checkout");
}

#[test]
fn a_checkout_that_nobody_claims_is_noted_until_somebody_does() {
    let yard = Yard::new(2);
    let mut holder = Talk::new(&yard, "s2", "w1");
    holder.start();
    let mut talk = Talk::new(&yard, "s1", "main");
    talk.free("ls");
    assert_eq!(notes(&yard).len(), 1);
    talk.free("cargo test");
    holder.free("ls");
    let end = yard.claude(
        "s3",
        "main",
        "$LG lease claim > /dev/null; read never || true",
    );
    assert!(end.status.success());
    let said = talk.bash("cargo test");
    assert!(said.contains("session `s3`"), "{said}");
    talk.told("git commit --allow-empty -m x", "session `s3`");
}

#[test]
fn a_submodule_of_somebody_elses_checkout_is_not_noted_as_nobodys() {
    let yard = Yard::new(1);
    let (home, lib) = (yard.dir("home"), yard.dir("lib"));
    fs::create_dir(&lib).unwrap();
    git(&lib, &home, &["init", "-q"]);
    git(&lib, &home, &["commit", "-q", "--allow-empty", "-m", "x"]);
    let add = [
        "-c",
        "protocol.file.allow=always",
        "submodule",
        "add",
        "-q",
        "../lib",
        "lib",
    ];
    git(&yard.dir("w0"), &home, &add);
    let mut holder = Talk::new(&yard, "s2", "w0");
    holder.start();
    let mut talk = Talk::new(&yard, "s1", "w0/lib");
    talk.told("cargo test", "session `s2`");
    talk.told("cargo test", "session `s2`");
}

#[test]
fn no_note_however_it_is_broken_frees_what_another_session_holds() {
    let yard = Yard::new(1);
    let mut talk = at_home(&yard);
    let path = notes(&yard).remove(0);
    let whole = fs::read(&path).unwrap();
    rewrite(&yard, foreign);
    let mut dice = Dice(7);
    for round in 0..40 {
        let mut note = whole.clone();
        match round % 4 {
            0 => note.truncate(dice.roll(whole.len())),
            1 => note.extend([0xff; 9]),
            _ => {
                let at = dice.roll(note.len());
                note[at] ^= 1 << dice.roll(8);
            }
        }
        fs::write(&path, note).unwrap();
        let due = std::time::SystemTime::now() + std::time::Duration::from_secs(60);
        let file = fs::File::options().write(true).open(&path).unwrap();
        file.set_modified(due).unwrap();
        talk.told("cargo test", "lease/foreign-checkout");
    }
}
