//! Whose a checkout is, however its path is spelled and through whichever door it is changed.
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
use std::io::Write;
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use support::git::git;
use support::yard::{Yard, end, json as told_json, told};

/// What a session says about a command, as its host asks from `dir`.
fn line(yard: &Yard, session: &str, dir: &Path, command: &str) -> String {
    let message = json!({
        "session_id": session, "transcript_path": "/t", "cwd": dir,
        "hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": { "command": command },
    });
    let file = yard.dir(&format!("message-{session}.json"));
    fs::write(&file, message.to_string()).unwrap();
    format!("$LG hook < '{}'", file.display())
}

fn bash(yard: &Yard, session: &str, worktree: &str, command: &str) -> Output {
    let text = line(yard, session, &yard.dir(worktree), command);
    yard.claude(session, worktree, &text)
}

fn holder(yard: &Yard, worktree: &str) -> Value {
    let out = yard.claude("reader", worktree, "$LG lease show --json");
    told_json(&out)["claim"]["owner"]["sessionIds"][0].clone()
}

#[track_caller]
fn passed(output: &Output) {
    let text = [&output.stdout[..], &output.stderr[..]].concat();
    let text = String::from_utf8_lossy(&text);
    assert!(output.status.success(), "{text}");
    assert!(
        !text.contains("\"ask\"") && !text.contains("lease/"),
        "{text}"
    );
}

// --- spellings of a path (I13) ------------------------------------------------------------------------

// I13
#[cfg(target_os = "linux")]
#[test]
fn a_bind_mount_of_anothers_checkout_is_the_same_checkout() {
    let apart = |text: &str| {
        let mut command = Command::new("unshare");
        command.args(["--mount", "/bin/sh", "-ec", text]);
        command
    };
    let may = apart("mount -t tmpfs none /mnt").output();
    if !may.as_ref().is_ok_and(|out| out.status.success()) {
        println!("skipped: `unshare` may not make a space of mounts: {may:?}");
        return;
    }
    let yard = Yard::new(2);
    let holders = [("s1", "main"), ("s2", "w0")]
        .map(|(session, dir)| yard.living(session, dir, "$LG lease claim"));
    let (bound, host) = (yard.dir("bound"), yard.dir("bin/claude"));
    fs::create_dir(&bound).unwrap();
    for worktree in ["main", "w0"] {
        for (from, command) in [
            ("w1", "git -C ../bound commit --allow-empty -m x"),
            ("w1", "echo x > ../bound/new.txt"),
            ("bound", "git commit --allow-empty -m x"),
            ("bound", "touch new.txt"),
        ] {
            let ask = line(&yard, "s9", &yard.dir(from), command);
            let inner = format!("{ask}\ncode=$?; exit $code");
            let text = format!(
                "mount --bind '{}' '{}'; cd '{}'; exec '{}' -c '{}'",
                yard.dir(worktree).display(),
                bound.display(),
                yard.dir(from).display(),
                host.display(),
                inner.replace('\'', "\""),
            );
            let mut all = apart(&text);
            let all = all
                .env_clear()
                .env("PATH", "/usr/bin:/bin")
                .env("HOME", yard.dir("home"))
                .env("LG", support::yard::binary());
            told(&all.output().unwrap(), 2, "lease/foreign-checkout");
        }
    }
    holders.into_iter().for_each(end);
}

// I13
#[test]
fn where_names_are_folded_another_case_is_the_same_checkout() {
    let yard = Yard::new(2);
    if !yard.dir("W0").is_dir() {
        println!("skipped: this file system tells `w0` from `W0`");
        return;
    }
    let child = yard.living("s1", "w0", "$LG lease claim");
    for command in [
        "git -C ../W0 commit --allow-empty -m x",
        "cd ../W0 && git add .",
        "echo x > ../W0/new.txt",
        "rm -rf ../W0",
    ] {
        told(
            &bash(&yard, "s2", "w1", command),
            2,
            "lease/foreign-checkout",
        );
    }
    end(child);
}

#[test]
fn a_link_to_anothers_checkout_is_the_same_checkout_for_every_verb() {
    let yard = Yard::new(2);
    let child = yard.living("s1", "w0", "$LG lease claim");
    std::os::unix::fs::symlink(yard.dir("w0"), yard.dir("link")).unwrap();
    let claude = |text: &str| yard.claude("s2", "link", text);
    told(&claude("$LG lease claim"), 1, "E_OWNED");
    told(&claude("$LG lease check"), 1, "");
    told(
        &bash(&yard, "s2", "link", "git commit --allow-empty -m x"),
        2,
        "s1",
    );
    told(&bash(&yard, "s2", "w1", "rm ../link/a.txt"), 2, "s1");
    passed(&bash(&yard, "s2", "w1", "rm ../link"));
    end(child);
}

// --- git's own hooks ------------------------------------------------------------------------------------

fn hooked(yard: &Yard) -> Child {
    let install = yard.outside("main", "$LG install git --yes").output();
    assert!(install.unwrap().status.success());
    for worktree in ["w0", "w1"] {
        fs::write(yard.dir(worktree).join("a.txt"), "a").unwrap();
        git(&yard.dir(worktree), &yard.dir("home"), &["add", "a.txt"]);
    }
    yard.living("s1", "w0", "$LG lease claim")
}

// WT-054, WT-055, WT-056
#[test]
fn gits_own_hooks_know_whose_the_checkout_is_that_git_commits_in() {
    let yard = Yard::new(2);
    let child = hooked(&yard);
    let who = "-c user.name=a -c user.email=a@example.com";
    told(&yard.claude("s2", "w1", "$LG lease claim"), 0, "feat/w1");
    // Another session's worktree, from there and from outside.
    for (dir, text) in [("w0", "git"), ("w1", "git -C ../w0")] {
        let out = yard.claude("s2", dir, &format!("{text} {who} commit -m x"));
        told(&out, 1, "lease/foreign-checkout");
    }
    // One's own, and the main one: git names its own files in the environment of the hook.
    let claim = "$LG lease claim >/dev/null &&";
    passed(&yard.claude("s2", "w1", &format!("{claim} git {who} commit -qm x")));
    let main = format!("$LG lease claim >/dev/null && git {who} commit -q --allow-empty -m x");
    passed(&yard.claude("s3", "main", &main));
    end(child);
}

/// A line of `pre-push`, answered below a host in the main checkout.
fn pre_push(yard: &Yard, text: &str) -> Output {
    let home = yard.dir("home");
    let verb = format!(
        "$LG git-hook pre-push --state '{}' --home '{}' -- origin ../origin.git",
        home.join(".local/state/leaseguard").display(),
        home.display()
    );
    let mut command = yard.host("claude", "s2", "main", &verb);
    let mut child = command.stdin(Stdio::piped()).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    stdin.write_all(text.as_bytes()).unwrap();
    drop(stdin);
    child.wait_with_output().unwrap()
}

// WT-058, WT-059, WT-061, WT-062
#[test]
fn what_git_would_push_is_judged_by_its_lines() {
    let yard = Yard::new(1);
    let (main, home) = (yard.main(), yard.dir("home"));
    let run = |args: &[&str]| git(&main, &home, args).trim().to_owned();
    run(&["init", "-q", "--bare", "../origin.git"]);
    run(&["remote", "add", "origin", "../origin.git"]);
    run(&["push", "-q", "origin", "main", "feat/w0"]);
    let old = run(&["rev-parse", "main"]);
    let tree = run(&["rev-parse", "main^{tree}"]);
    let other = run(&["commit-tree", "-m", "other", &tree]);
    let zero = "0".repeat(40);
    let deleted = format!("(delete) {zero} refs/heads/feat/w0 {old}\n");
    told(&pre_push(&yard, &deleted), 1, "git/remote-delete");
    let forced = format!("refs/heads/feat/w0 {other} refs/heads/feat/w0 {old}\n");
    told(&pre_push(&yard, &forced), 1, "git/force-push");
    passed(&pre_push(&yard, ""));
    let tagged = format!("refs/tags/v1.2.3 {old} refs/tags/v1.2.3 {zero}\n");
    passed(&pre_push(&yard, &tagged));
}

// --- without a network ----------------------------------------------------------------------------------

// I20, R10, R11, R32
#[test]
fn a_remote_that_cannot_be_reached_changes_no_claim_and_no_answer() {
    let yard = Yard::new(2);
    let (main, home) = (yard.main(), yard.dir("home"));
    // Nobody listens there.
    let url = "https://me:secret@127.0.0.1:1/r.git";
    git(&main, &home, &["remote", "add", "origin", url]);
    let begin = std::time::Instant::now();
    let child = yard.living("s1", "w0", "$LG lease claim --ticket T-1");
    told(
        &bash(&yard, "s2", "w1", "git -C ../w0 commit -m x"),
        2,
        "T-1",
    );
    passed(&bash(&yard, "s2", "w1", "git commit --allow-empty -m x"));
    told(&yard.claude("s2", "w0", "$LG lease claim"), 1, "E_OWNED");
    told(&yard.claude("s2", "w1", "$LG lease claim"), 0, "feat/w1");
    assert_eq!(holder(&yard, "w0"), "s1");
    told(&yard.claude("s2", "w1", "$LG lease release"), 0, "release");
    let records = fs::read_dir(yard.claimed().join("claims")).unwrap();
    for record in records.flatten() {
        let text = fs::read_to_string(record.path()).unwrap();
        assert!(
            text.contains("127.0.0.1") && !text.contains("secret"),
            "{text}"
        );
    }
    assert!(begin.elapsed().as_secs() < 15, "{:?}", begin.elapsed());
    end(child);
}
