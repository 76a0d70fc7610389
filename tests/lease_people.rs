//! What people, dispatchers and policy do about claims: keeping, overriding, naming, and other process spaces.
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
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, SystemTime};
use support::outside::ran_outside;
use support::yard::{Yard, end, json as told_json, told, until};

fn claim(yard: &Yard, worktree: &str) -> Value {
    let out = yard.claude("reader", worktree, "$LG lease show --json");
    told_json(&out)["claim"].clone()
}

/// What Claude Code sends before a tool call, answered below a host in a worktree.
fn call(yard: &Yard, session: &str, worktree: &str, tool: &str, input: &Value) -> Output {
    let message = json!({
        "session_id": session, "transcript_path": "/t", "cwd": yard.dir(worktree),
        "hook_event_name": "PreToolUse", "tool_name": tool, "tool_input": input,
    });
    let mut command = yard.host("claude", session, worktree, "$LG hook");
    let mut child = command.stdin(Stdio::piped()).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    stdin.write_all(message.to_string().as_bytes()).unwrap();
    drop(stdin);
    child.wait_with_output().unwrap()
}

fn bash(yard: &Yard, session: &str, worktree: &str, command: &str) -> Output {
    call(
        yard,
        session,
        worktree,
        "Bash",
        &json!({ "command": command }),
    )
}

#[track_caller]
fn allowed(output: &Output) {
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    let why = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{why}");
    assert!(!said.contains("\"ask\""), "{said}");
}

// --- the timer of a detached loop (R40) -----------------------------------------------------------

/// A detached loop: a process that ends when it is killed.
fn detached() -> Child {
    Command::new("cat")
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .spawn()
        .unwrap()
}

/// A loop's claim on `w0`, made by its dispatcher, with a last sign of life that is old.
fn looped(yard: &Yard, pid: u32) -> PathBuf {
    let text = format!("$LG lease claim --session loop --pid {pid} --ticket T-1");
    told(&yard.outside("w0", &text).output().unwrap(), 0, "feat/w0");
    let beats = fs::read_dir(yard.claimed().join("beats")).unwrap();
    let beat = beats.flatten().next().unwrap().path();
    aged(&beat);
    beat
}

fn aged(beat: &Path) {
    let file = fs::File::options().write(true).open(beat).unwrap();
    file.set_modified(SystemTime::now() - Duration::from_secs(200))
        .unwrap();
}

fn fresh(beat: &Path) -> bool {
    let written = fs::metadata(beat).and_then(|m| m.modified());
    written.is_ok_and(|at| at.elapsed().unwrap_or_default() < Duration::from_secs(100))
}

fn keep(yard: &Yard, pid: u32, more: &str) -> Child {
    let text = format!("exec $LG lease keep --session loop --pid {pid} {more}");
    yard.outside("w0", &text).spawn().unwrap()
}

#[test]
fn a_timer_renews_once_where_a_loop_keeps_its_own_time() {
    if ran_outside("a_timer_renews_once_where_a_loop_keeps_its_own_time") {
        return;
    }
    let (yard, child) = (Yard::new(1), detached());
    let beat = looped(&yard, child.id());
    let out = keep(&yard, child.id(), "--once")
        .wait_with_output()
        .unwrap();
    told(&out, 0, "renew");
    assert!(fresh(&beat));
    end(child);
}

#[test]
fn a_timer_renews_again_and_again_and_ends_with_its_loop() {
    if ran_outside("a_timer_renews_again_and_again_and_ends_with_its_loop") {
        return;
    }
    let (yard, child) = (Yard::new(1), detached());
    let pid = child.id();
    let beat = looped(&yard, pid);
    let timer = keep(&yard, pid, "--every 1s");
    for _ in 0..2 {
        until("a sign of life", || fresh(&beat));
        aged(&beat);
    }
    end(child);
    let out = timer.wait_with_output().unwrap();
    told(&out, 0, "has ended");
    assert_eq!(claim(&yard, "w0")["owner"]["sessionIds"][0], "loop");
}

#[test]
fn a_timer_ends_when_the_claim_is_gone_or_somebody_elses() {
    if ran_outside("a_timer_ends_when_the_claim_is_gone_or_somebody_elses") {
        return;
    }
    let (yard, child) = (Yard::new(1), detached());
    let pid = child.id();
    for next in ["true", "$LG lease claim --session other"] {
        let beat = looped(&yard, pid);
        let timer = keep(&yard, pid, "--every 1s");
        until("a sign of life", || fresh(&beat));
        let text = format!("$LG lease release --session loop --pid {pid} && {next}");
        told(&yard.outside("w0", &text).output().unwrap(), 0, "release");
        let out = timer.wait_with_output().unwrap();
        let code = out.status.code();
        assert!(code.is_some_and(|c| c != 0), "{out:?}");
        let whose = claim(&yard, "w0")["owner"]["sessionIds"][0].clone();
        assert_eq!(whose.as_str(), (next != "true").then_some("other"));
        assert!(!beat.exists());
    }
    end(child);
}

#[test]
fn a_signal_ends_a_timer_at_once_and_the_claim_stays_whole() {
    if ran_outside("a_signal_ends_a_timer_at_once_and_the_claim_stays_whole") {
        return;
    }
    let (yard, child) = (Yard::new(1), detached());
    let pid = child.id();
    let beat = looped(&yard, pid);
    let timer = keep(&yard, pid, "--every 60s");
    until("a sign of life", || fresh(&beat));
    let text = format!("kill -TERM {}", timer.id());
    assert!(yard.outside("w0", &text).status().unwrap().success());
    let out = timer.wait_with_output().unwrap();
    assert_eq!(out.status.signal(), Some(15), "{out:?}");
    assert_eq!(claim(&yard, "w0")["owner"]["sessionIds"][0], "loop");
    end(child);
}

// --- the override of a person ---------------------------------------------------------------------

#[test]
fn a_person_ends_a_living_sessions_claim_by_a_typed_word_and_the_log_tells_why() {
    if ran_outside("a_person_ends_a_living_sessions_claim_by_a_typed_word_and_the_log_tells_why") {
        return;
    }
    let yard = Yard::new(2);
    let child = yard.living("s1", "w0", "$LG lease claim --ticket T-1");
    let id = claim(&yard, "w0")["claimId"].as_str().unwrap().to_owned();
    let line = |id: &str| format!("$LG lease override {id} --reason \"it hangs\"");
    // Without a terminal nobody can type.
    told(
        &yard.outside("w0", &line(&id)).output().unwrap(),
        1,
        "terminal",
    );
    told(&yard.at_terminal("w0", &line(&id), "yes"), 1, "override");
    assert_eq!(claim(&yard, "w0")["claimId"], id.as_str());
    // Another claim than the one that was meant stays.
    told(
        &yard.at_terminal("w0", &line("01OTHER"), "override"),
        1,
        "E_",
    );
    assert_eq!(claim(&yard, "w0")["claimId"], id.as_str());
    told(
        &yard.at_terminal("w0", &line(&id), "override"),
        0,
        "this ends",
    );
    assert_eq!(claim(&yard, "w0"), Value::Null);
    let log = yard.claude("s2", "w1", "$LG log --leases --json");
    told(&log, 0, "it hangs");
    told(&log, 0, "\"override\"");
    // The session that lost it is told so, and the next one counts on from it.
    let next = yard.claude("s2", "w0", "$LG lease claim --json");
    let value = told_json(&next);
    assert_eq!(value["claim"]["prev"]["how"], "override");
    assert_eq!(value["claim"]["epoch"], 2);
    let out = bash(&yard, "s1", "w0", "git commit --allow-empty -m x");
    told(&out, 0, "lease/foreign-checkout");
    end(child);
}

// --- what policy says of names and of plain files ---------------------------------------------------

// R6
#[test]
fn tickets_and_branches_are_named_as_policy_wants_and_nothing_is_made_otherwise() {
    let yard = Yard::new(1);
    yard.policy("[lease]\nticket_pattern = \"T-*\"\nbranch_pattern = \"feat/*\"\n");
    let claude = |text: &str| yard.claude("s1", "main", text);
    for (text, part) in [
        ("$LG worktree add X-1 --branch feat/x", "`T-*`"),
        ("$LG worktree add X-1 --branch feat/x", "E_TICKET_NAME"),
        ("$LG worktree add T-1", "`feat/*`"),
        ("$LG worktree add T-1", "E_BRANCH_NAME"),
        (
            "$LG lease claim --worktree ../w0 --ticket X-1",
            "E_TICKET_NAME",
        ),
        (
            "$LG lease claim --worktree ../w0 --branch wild",
            "E_BRANCH_NAME",
        ),
    ] {
        told(&claude(text), 1, part);
    }
    assert!(!yard.dir("main-worktrees").exists());
    assert_eq!(claim(&yard, "w0"), Value::Null);
    told(
        &claude("$LG worktree add T-1 --branch feat/t1"),
        0,
        "feat/t1",
    );
    told(
        &yard.claude("s2", "w0", "$LG lease claim --ticket T-2"),
        0,
        "feat/w0",
    );
}

// D2, R3, R57
#[test]
fn where_policy_alone_is_strict_plain_files_need_a_claim_before_anything_was_claimed() {
    let yard = Yard::new(1);
    let write = |worktree: &str| {
        let path = yard.dir(worktree).join("new.txt");
        let input = json!({ "file_path": path, "content": "x" });
        call(&yard, "s1", worktree, "Write", &input)
    };
    allowed(&bash(&yard, "s1", "main", "echo x > new.txt"));
    allowed(&write("w0"));
    yard.policy("[lease]\nmode = \"strict\"\n");
    for out in [bash(&yard, "s1", "main", "echo x > new.txt"), write("main")] {
        told(&out, 2, "lease/main-checkout");
    }
    for out in [
        bash(&yard, "s1", "w0", "sed -i s/a/b/ new.txt"),
        write("w0"),
    ] {
        told(&out, 0, "\"ask\"");
    }
    for command in ["cat new.txt", "git status", "ls > /tmp/leaseguard-note"] {
        allowed(&bash(&yard, "s1", "main", command));
    }
    assert!(!yard.dir("home/.local/state/leaseguard/v1").exists());
    told(&yard.claude("s1", "w0", "$LG lease claim"), 0, "feat/w0");
    allowed(&bash(&yard, "s1", "w0", "echo x > new.txt"));
}

// --- another space of process ids -------------------------------------------------------------------

/// `text` run by a host in a space of process ids of its own; `None` where that is not permitted.
fn apart(yard: &Yard, session: &str, worktree: &str, text: &str) -> Option<Output> {
    let unshare = ["--pid", "--fork", "--mount-proc"];
    let may = Command::new("unshare").args(unshare).arg("true").output();
    if !may.as_ref().is_ok_and(|out| out.status.success()) {
        println!("skipped: `unshare` may not make a space of process ids: {may:?}");
        return None;
    }
    let inner = yard.host("claude", session, worktree, text);
    let mut command = Command::new("unshare");
    command
        .args(unshare)
        .arg(inner.get_program())
        .args(inner.get_args())
        .current_dir(yard.dir(worktree))
        .env_clear()
        .stdin(Stdio::null());
    for (name, value) in inner.get_envs() {
        command.env(name, value.unwrap());
    }
    Some(command.output().unwrap())
}

// 4.5 (g), I11
#[cfg(target_os = "linux")]
#[test]
fn a_claim_of_another_process_space_is_unknown_and_never_dead_or_taken() {
    let yard = Yard::new(2);
    let Some(made) = apart(&yard, "s1", "w0", "$LG lease claim --ttl 1s --ticket T-1") else {
        return;
    };
    // Whoever made it is gone by now, and its id may be anybody's here.
    told(&made, 0, "feat/w0");
    let mut last = String::new();
    until("its time is over", || {
        let out = yard.claude("s2", "w0", "$LG lease takeover");
        assert_ne!(out.status.code(), Some(0), "{out:?}");
        last = String::from_utf8_lossy(&out.stderr).into_owned();
        !last.contains("E_TAKEOVER_NOT_EXPIRED")
    });
    assert!(
        last.contains("E_TAKEOVER_NOT_DEAD") || last.contains("UNKNOWN"),
        "{last}"
    );
    told(&yard.claude("s2", "w0", "$LG lease show"), 0, "unknown");
    told(&yard.claude("s2", "w0", "$LG lease check"), 3, "");
    let out = bash(&yard, "s2", "w1", "git -C ../w0 commit --allow-empty -m x");
    told(&out, 2, "T-1");
    assert_eq!(claim(&yard, "w0")["owner"]["sessionIds"][0], "s1");
    // And the other way round, with an owner that lives.
    let child = yard.living("s3", "w1", "$LG lease claim --ttl 1s --ticket T-3");
    let text = "$LG lease show; $LG lease takeover; true";
    let out = apart(&yard, "s4", "w1", text).unwrap();
    told(&out, 0, "unknown");
    assert_eq!(claim(&yard, "w1")["owner"]["sessionIds"][0], "s3");
    end(child);
}

// --- claims of another machine (D1) ---------------------------------------------------------------

/// Makes the only record one of another machine, whose time is over since long ago.
fn elsewhere(yard: &Yard) {
    let mut all = fs::read_dir(yard.claimed().join("claims"))
        .unwrap()
        .flatten();
    let path = all.next().unwrap().path();
    let mut record: Value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
    record["owner"]["installId"] = json!("another-machine");
    record["owner"]["hostName"] = json!("far");
    for (key, time) in [
        ("claimedUtc", "2026-01-01T00:00:00.000Z"),
        ("lastHeartbeatUtc", "2026-01-01T00:00:00.000Z"),
        ("expiresUtc", "2026-01-01T00:05:00.000Z"),
    ] {
        record["lease"][key] = json!(time);
    }
    fs::write(&path, record.to_string()).unwrap();
    for beat in fs::read_dir(yard.claimed().join("beats"))
        .unwrap()
        .flatten()
    {
        fs::remove_file(beat.path()).unwrap();
    }
}

/// Moves the note on when the claim was first seen as it is into the past.
fn seen_long_ago(yard: &Yard) {
    let mut all = fs::read_dir(yard.claimed().join("looks"))
        .unwrap()
        .flatten();
    let path = all.next().unwrap().path();
    let mut look: Value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
    look["since"] = json!("2026-01-01T00:00:00.000Z");
    fs::write(&path, look.to_string()).unwrap();
}

#[test]
fn another_machines_claim_is_taken_over_once_it_was_seen_to_rest_where_policy_says_so() {
    let yard = Yard::new(1);
    yard.policy("[lease]\ncross_host_takeover = \"expired-observed\"\n");
    told(&yard.claude("s1", "w0", "$LG lease claim"), 0, "");
    elsewhere(&yard);
    let takeover = || yard.claude("s2", "w0", "$LG lease takeover");
    told(&takeover(), 3, "try again in 6m");
    told(&takeover(), 3, "E_OWNED_UNKNOWN_LIVENESS");
    seen_long_ago(&yard);
    told(&takeover(), 0, "");
    assert_eq!(claim(&yard, "w0")["owner"]["sessionIds"][0], "s2");
    assert_eq!(claim(&yard, "w0")["prev"]["how"], "takeover");
}

#[test]
fn another_machines_claim_stays_its_own_by_default_however_long_it_rests() {
    let yard = Yard::new(1);
    told(&yard.claude("s1", "w0", "$LG lease claim"), 0, "");
    elsewhere(&yard);
    let out = yard.claude("s2", "w0", "$LG lease takeover");
    told(&out, 3, "lease override");
    assert!(!yard.claimed().join("looks").exists());
    assert_eq!(claim(&yard, "w0")["owner"]["sessionIds"][0], "s1");
}

// --- places that are refused (R52), and where worktrees are made (D5) -----------------------------

#[test]
fn a_checkout_in_a_folder_kept_in_step_is_not_claimed_unless_a_person_allows_it() {
    let yard = Yard::new(1);
    fs::write(yard.dir("w0/.stfolder"), "").unwrap();
    let claim = || yard.claude("s1", "w0", "$LG lease claim");
    told(&claim(), 1, "E_SYNC_FOLDER");
    told(&claim(), 1, "lease.sync_folders = \"allow\"");
    let project = yard.dir("w0/.leaseguard.toml");
    fs::write(&project, "[lease]\nsync_folders = \"allow\"\n").unwrap();
    told(&claim(), 1, "E_SYNC_FOLDER");
    yard.policy("[lease]\nsync_folders = \"allow\"\n");
    told(&claim(), 0, "");
}

#[test]
fn a_worktree_for_a_folder_kept_in_step_is_not_even_made() {
    let yard = Yard::new(0);
    let far = yard.dir("OneDrive");
    fs::create_dir(&far).unwrap();
    let add = "$LG worktree add T-1 --path ../OneDrive/T-1";
    told(&yard.claude("s1", "main", add), 1, "E_SYNC_FOLDER");
    assert!(!far.join("T-1").exists());
    told(&yard.claude("s1", "main", "$LG worktree add T-1"), 0, "");
}

#[test]
fn worktrees_are_made_and_proposed_where_policy_says() {
    let yard = Yard::new(0);
    yard.policy("lease.mode = \"strict\"\nworktree.root = \"~/wt/{repo}\"\n");
    let out = bash(&yard, "s1", "main", "git commit --allow-empty -m x");
    let path = yard.dir("home/wt/main/task");
    told(
        &out,
        2,
        &format!("git worktree add -b task {}", path.display()),
    );
    told(&yard.claude("s1", "main", "$LG worktree add T-1"), 0, "");
    assert!(yard.dir("home/wt/main/T-1/.git").is_file());
}
