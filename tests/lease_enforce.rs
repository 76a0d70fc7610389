//! Claims in force: several sessions below fake hosts, all through the real door of the binary.
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
use std::path::Path;
use std::process::{Command, Output};
use support::git::git;
use support::yard::{Yard, end, json as told_json, told};

/// What Claude Code sends.
fn message(session: &str, dir: &Path, event: &str, more: &Value) -> String {
    let mut all = json!({
        "session_id": session, "transcript_path": "/t", "cwd": dir, "hook_event_name": event,
    });
    for (key, value) in more.as_object().unwrap() {
        all[key] = value.clone();
    }
    all.to_string()
}

/// A message of a session, sent by a host's own process in a worktree.
fn send(yard: &Yard, session: &str, worktree: &str, event: &str, more: &Value) -> Output {
    let text = message(session, &yard.dir(worktree), event, more);
    let file = yard.dir(&format!("message-{session}.json"));
    fs::write(&file, text).unwrap();
    let line = format!("$LG hook < '{}'", file.display());
    yard.claude(session, worktree, &line)
}

fn bash(yard: &Yard, session: &str, worktree: &str, command: &str) -> Output {
    let more = json!({ "tool_name": "Bash", "tool_input": { "command": command } });
    send(yard, session, worktree, "PreToolUse", &more)
}

#[track_caller]
fn allowed(output: &Output) {
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(0), "{text}");
    let asked = String::from_utf8_lossy(&output.stdout).contains("\"ask\"");
    assert!(!asked, "{}", String::from_utf8_lossy(&output.stdout));
}

/// The claim on a worktree, as anybody sees it.
fn claim(yard: &Yard, worktree: &str) -> Value {
    let out = yard.claude("reader", worktree, "$LG lease show --json");
    told_json(&out)["claim"].clone()
}

// I13, R54, R55, R56
#[test]
fn what_another_living_session_holds_is_kept_from_every_tool_and_spelling() {
    let yard = Yard::new(2);
    let child = yard.living("s1", "w0", "$LG lease claim --ticket T-1");
    let top = yard.dir("w0");
    for command in [
        "git -C ../w0 commit -m x".to_owned(),
        format!("cd {} && git add .", top.display()),
        "GIT_DIR=../w0/.git GIT_WORK_TREE=../w0 git commit -m x".to_owned(),
        "echo x > ../w0/new.txt".to_owned(),
        "git push . HEAD:feat/w0".to_owned(),
    ] {
        told(&bash(&yard, "s2", "w1", &command), 2, "T-1");
    }
    for (tool, input) in [
        (
            "Write",
            json!({ "file_path": top.join("a.txt"), "content": "x" }),
        ),
        (
            "Edit",
            json!({ "file_path": "../w0/a.txt", "old_string": "a", "new_string": "b" }),
        ),
        (
            "mcp__filesystem__write_file",
            json!({ "path": top.join("a.txt"), "content": "x" }),
        ),
    ] {
        let more = json!({ "tool_name": tool, "tool_input": input });
        told(
            &send(&yard, "s2", "w1", "PreToolUse", &more),
            2,
            "lease/foreign-checkout",
        );
    }
    let enter = json!({ "tool_name": "EnterWorktree", "tool_input": { "path": top } });
    told(&send(&yard, "s2", "w1", "PreToolUse", &enter), 0, "\"ask\"");
    for command in [
        "git status",
        "git -C ../w0 log -1",
        "echo x > new.txt",
        "git commit --allow-empty -m x",
    ] {
        allowed(&bash(&yard, "s2", "w1", command));
    }
    end(child);
}

// R39, R41, D7
#[test]
fn sessions_claim_where_they_start_and_keep_what_they_have() {
    let yard = Yard::new(2);
    let started = send(
        &yard,
        "s1",
        "w0",
        "SessionStart",
        &json!({ "source": "startup" }),
    );
    told(&started, 0, "feat/w0");
    let first = claim(&yard, "w0");
    assert_eq!(first["owner"]["sessionIds"][0], "s1");
    assert_eq!(first["branch"], "feat/w0");
    // The next prompt finds the claim, and a branch that was made here goes with it.
    let (top, home) = (yard.dir("w0"), yard.dir("home"));
    git(&top, &home, &["switch", "-q", "-c", "feat/mine"]);
    allowed(&send(
        &yard,
        "s1",
        "w0",
        "UserPromptSubmit",
        &json!({ "prompt": "go" }),
    ));
    assert_eq!(claim(&yard, "w0")["branch"], "feat/mine");
    // Nobody claims a main checkout by being there.
    allowed(&send(
        &yard,
        "s3",
        "main",
        "SessionStart",
        &json!({ "source": "startup" }),
    ));
    assert_eq!(claim(&yard, "main"), Value::Null);
}

// R48, I17, I19
#[test]
fn a_session_that_ends_gives_back_what_is_clean_and_marks_what_is_not() {
    let yard = Yard::new(2);
    let start = json!({ "source": "startup" });
    send(&yard, "s1", "w0", "SessionStart", &start);
    allowed(&send(
        &yard,
        "s1",
        "w0",
        "SessionEnd",
        &json!({ "reason": "clear" }),
    ));
    assert_ne!(claim(&yard, "w0"), Value::Null, "the talk goes on");
    allowed(&send(
        &yard,
        "s1",
        "w0",
        "SessionEnd",
        &json!({ "reason": "exit" }),
    ));
    assert_eq!(claim(&yard, "w0"), Value::Null);
    send(&yard, "s2", "w1", "SessionStart", &start);
    fs::write(yard.dir("w1/work.txt"), "unsaved").unwrap();
    allowed(&send(
        &yard,
        "s2",
        "w1",
        "SessionEnd",
        &json!({ "reason": "exit" }),
    ));
    assert_eq!(claim(&yard, "w1")["flags"][0], "dirty-stale");
    assert_eq!(
        fs::read_to_string(yard.dir("w1/work.txt")).unwrap(),
        "unsaved"
    );
}

// I15
#[test]
fn a_lock_that_is_held_for_ever_costs_an_event_its_claim_and_nothing_else() {
    let yard = Yard::new(2);
    send(
        &yard,
        "s1",
        "w0",
        "SessionStart",
        &json!({ "source": "startup" }),
    );
    let state = yard.dir("home/.local/state/leaseguard/v1");
    let repo = fs::read_dir(state).unwrap().next().unwrap().unwrap().path();
    let lock = fs::File::open(repo.join(".lock")).unwrap();
    lock.lock().unwrap();
    let begin = std::time::Instant::now();
    let out = send(
        &yard,
        "s2",
        "w1",
        "SessionStart",
        &json!({ "source": "startup" }),
    );
    told(&out, 0, "E_LOCK_TIMEOUT");
    assert!(begin.elapsed().as_secs() < 10, "{:?}", begin.elapsed());
    allowed(&bash(&yard, "s2", "w1", "git commit --allow-empty -m x"));
    told(
        &bash(&yard, "s2", "w1", "git push --force origin main"),
        2,
        "git/force-push",
    );
}

#[test]
fn a_call_of_the_holder_is_a_sign_of_life_once_the_last_one_is_old() {
    let yard = Yard::new(1);
    send(
        &yard,
        "s1",
        "w0",
        "SessionStart",
        &json!({ "source": "startup" }),
    );
    let state = yard.dir("home/.local/state/leaseguard/v1");
    let repo = fs::read_dir(state).unwrap().next().unwrap().unwrap().path();
    let beat = fs::read_dir(repo.join("beats"))
        .unwrap()
        .next()
        .unwrap()
        .unwrap()
        .path();
    let old = std::time::SystemTime::now() - std::time::Duration::from_secs(200);
    let touch = |time| {
        fs::File::options()
            .write(true)
            .open(&beat)
            .unwrap()
            .set_modified(time)
            .unwrap()
    };
    let age = || {
        fs::metadata(&beat)
            .unwrap()
            .modified()
            .unwrap()
            .elapsed()
            .unwrap()
            .as_secs()
    };
    touch(old);
    // The record itself is younger than the beat here: it has to be old as well.
    let path = fs::read_dir(repo.join("claims"))
        .unwrap()
        .next()
        .unwrap()
        .unwrap()
        .path();
    let mut record: Value = serde_json::from_str(&fs::read_to_string(&path).unwrap()).unwrap();
    record["lease"]["lastHeartbeatUtc"] = "2026-01-01T00:00:00.000Z".into();
    record["lease"]["claimedUtc"] = "2026-01-01T00:00:00.000Z".into();
    record["lease"]["expiresUtc"] = "2026-01-01T00:05:00.000Z".into();
    fs::write(&path, record.to_string()).unwrap();
    allowed(&bash(&yard, "s2", "w0", "ls"));
    assert!(age() > 100, "another session's call is no sign of life");
    allowed(&bash(&yard, "s1", "w0", "ls"));
    assert!(age() < 100);
}

// D1, R60
#[test]
fn what_a_dead_session_left_is_told_with_the_way_to_take_it_and_never_taken_silently() {
    let yard = Yard::new(2);
    let child = yard.living("s1", "w0", "$LG lease claim --ttl 1s --ticket T-1");
    told(
        &bash(&yard, "s2", "w1", "git -C ../w0 commit --allow-empty -m x"),
        2,
        "T-1",
    );
    end(child);
    let begin = std::time::Instant::now();
    loop {
        let out = bash(&yard, "s2", "w1", "git -C ../w0 commit --allow-empty -m x");
        if out.status.success() && !String::from_utf8_lossy(&out.stdout).contains("\"ask\"") {
            break;
        }
        assert!(begin.elapsed().as_secs() < 20);
    }
    assert_eq!(claim(&yard, "w0")["owner"]["sessionIds"][0], "s1");
    let log = yard.claude("s2", "w1", "$LG log --leases --json");
    told(&log, 0, "claim-lapsed");
    let out = bash(&yard, "s2", "w1", "rm ../w0/a.txt");
    told(&out, 0, "lease takeover");
}

/// The verbs of a person or a dispatcher, outside of any host.
fn person(yard: &Yard, dir: &str, text: &str) -> Output {
    Command::new("/bin/sh")
        .args(["-c", text])
        .current_dir(yard.dir(dir))
        .env_clear()
        .env("PATH", "/usr/bin:/bin")
        .env("HOME", yard.dir("home"))
        .env("LG", support::yard::binary())
        .output()
        .unwrap()
}

// R148, R149, R150, R151, R152, R153, R154, R155, R71, D5, D6
#[test]
fn a_ticket_gets_a_worktree_that_is_found_and_removed_when_it_is_clean() {
    let yard = Yard::new(0);
    fs::create_dir(yard.dir("main/.docs")).unwrap();
    fs::write(yard.dir("main/.docs/plan.md"), "plan").unwrap();
    let made = yard.claude("s1", "main", "$LG worktree add T-7 --link .docs --json");
    let value = told_json(&made);
    let path = yard.dir("main-worktrees/T-7");
    assert_eq!(value["path"].as_str().map(Path::new), Some(path.as_path()));
    assert_eq!(value["baseSha"].as_str().map(str::len), Some(40));
    assert_eq!(value["provisioned"][0], ".docs");
    assert!(value["claim"].is_string(), "{value}");
    assert!(path.join(".docs/plan.md").is_file());
    told(
        &yard.claude("s1", "main", "$LG worktree lookup T-7"),
        0,
        "T-7",
    );
    told(
        &yard.claude("s1", "main", "$LG worktree status"),
        0,
        "clean",
    );
    told(
        &yard.claude("s2", "main", "$LG worktree add T-7"),
        1,
        "E_TICKET_TAKEN",
    );
    told(
        &yard.claude("s2", "main-worktrees/T-7", "$LG worktree add T-8"),
        0,
        "skipped-inside-worktree",
    );
    told(
        &yard.claude("s2", "home", "$LG worktree add T-8"),
        1,
        "skipped-not-git",
    );
    told(
        &yard.claude("s1", "main", "$LG worktree lookup T-9"),
        1,
        "worktree add T-9",
    );
    fs::write(path.join("new.txt"), "work").unwrap();
    told(
        &yard.claude("s1", "main", "$LG worktree remove T-7"),
        1,
        "new.txt",
    );
    fs::remove_file(path.join("new.txt")).unwrap();
    told(
        &yard.claude("s1", "main", "$LG worktree remove T-7"),
        0,
        "removed",
    );
    assert!(!path.exists() && yard.dir("main/.docs/plan.md").is_file());
    // The branch stays, and the refusal names the command that uses it.
    told(
        &yard.claude("s1", "main", "$LG worktree add T-7"),
        1,
        "git worktree add",
    );
    fs::create_dir_all(yard.dir("main-worktrees/T-9")).unwrap();
    told(
        &yard.claude("s1", "main", "$LG worktree add T-9"),
        1,
        "`mv ",
    );
}

// 4.5 (j): git's own `worktree add` races with itself.
#[test]
fn ten_worktrees_are_made_at_once() {
    let yard = Yard::new(0);
    let racers: Vec<_> = (0..10)
        .map(|n| {
            let text = format!("$LG worktree add T-{n}");
            yard.host("claude", &format!("s{n}"), "main", &text)
                .spawn()
                .unwrap()
        })
        .collect();
    for racer in racers {
        let out = racer.wait_with_output().unwrap();
        told(&out, 0, "created");
    }
    let all = person(&yard, "main", "git worktree list | wc -l");
    told(&all, 0, "11");
    told(&person(&yard, "main", "$LG lease list"), 0, "T-9");
}

#[test]
fn status_names_the_holder_of_this_checkout() {
    let yard = Yard::new(1);
    send(
        &yard,
        "s1",
        "w0",
        "SessionStart",
        &json!({ "source": "startup" }),
    );
    let out = person(&yard, "w0", "$LG status --json");
    let value: Value = serde_json::from_slice(&out.stdout).unwrap();
    assert!(value["claim"].as_str().unwrap().contains("s1"), "{value}");
}
