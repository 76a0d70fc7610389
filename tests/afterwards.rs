//! What outlives a call: codes, grants, pauses, strikes, the log, policies and the brief, through the real doors.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::string_slice
)]

#[path = "support/outside.rs"]
mod outside;

use leaseguard::grant::{Grants, Uses, pause};
use leaseguard::state::State;
use leaseguard::state::time::Moment;
use outside::ran_outside;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

const BINARY: &str = env!("CARGO_BIN_EXE_leaseguard");

/// A machine of its own: home, state, and a repository with a remote.
struct Machine {
    root: tempfile::TempDir,
}

/// What a door answered.
struct Answer {
    exit: i32,
    stdout: String,
    stderr: String,
}

impl Machine {
    fn new() -> Machine {
        let machine = Machine {
            root: tempfile::tempdir().unwrap(),
        };
        std::fs::create_dir_all(machine.path("home/.config/leaseguard")).unwrap();
        let script = "git init -q --bare origin.git && git init -q -b main repo && cd repo \
            && git commit -q --allow-empty -m one && git remote add origin ../origin.git \
            && git push -q -u origin main && git switch -q -c feat/x && git push -q -u origin feat/x";
        let done = machine.command("sh", &["-c", script], "").output().unwrap();
        assert!(
            done.status.success(),
            "{}",
            String::from_utf8_lossy(&done.stderr)
        );
        machine
    }

    fn path(&self, inside: &str) -> PathBuf {
        self.root.path().join(inside)
    }

    fn repo(&self) -> PathBuf {
        self.path("repo")
    }

    fn state(&self) -> State {
        State::at(self.path("home/state/leaseguard"))
    }

    fn policy(&self, text: &str) {
        std::fs::write(self.path("home/.config/leaseguard/policy.toml"), text).unwrap();
    }

    fn command(&self, program: &str, args: &[&str], dir: &str) -> Command {
        let mut command = Command::new(program);
        command.args(args).current_dir(self.path(dir)).env_clear();
        command
            .env("PATH", "/usr/local/bin:/usr/bin:/bin")
            .env("HOME", self.path("home"))
            .env("XDG_STATE_HOME", self.path("home/state"))
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .env("GIT_AUTHOR_NAME", "t")
            .env("GIT_AUTHOR_EMAIL", "t@t")
            .env("GIT_COMMITTER_NAME", "t")
            .env("GIT_COMMITTER_EMAIL", "t@t");
        command
    }

    fn run(&self, args: &[&str], input: &str) -> Answer {
        let mut child = self
            .command(BINARY, args, "repo")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut stdin = child.stdin.take().unwrap();
        // Who refuses at once reads nothing.
        let _ = stdin.write_all(input.as_bytes());
        drop(stdin);
        let output = child.wait_with_output().unwrap();
        Answer {
            exit: output.status.code().unwrap(),
            stdout: String::from_utf8(output.stdout).unwrap(),
            stderr: String::from_utf8(output.stderr).unwrap(),
        }
    }

    /// What the hook answers a session of Claude Code that wants to run `command`.
    fn hook(&self, session: &str, command: &str) -> Answer {
        self.hook_in(session, command, &self.repo())
    }

    fn hook_in(&self, session: &str, command: &str, cwd: &Path) -> Answer {
        let payload = serde_json::json!({
            "session_id": session, "transcript_path": "/t", "cwd": cwd,
            "permission_mode": "default", "hook_event_name": "PreToolUse",
            "tool_name": "Bash", "tool_input": {"command": command}, "tool_use_id": "u",
        });
        self.run(&["hook"], &payload.to_string())
    }

    fn log(&self) -> Vec<serde_json::Value> {
        let out = self.run(&["log", "--json"], "");
        assert_eq!(out.exit, 0, "{}", out.stderr);
        out.stdout
            .lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect()
    }
}

/// The code that a denial names.
fn code(answer: &Answer) -> String {
    let (_, rest) = answer.stderr.split_once("`leaseguard allow ").unwrap();
    rest.split('`').next().unwrap().to_owned()
}

const FORCE: &str = "git push --force origin feat/x";

#[test]
fn a_denial_names_a_code_and_a_grant_for_it_lets_exactly_one_call_through() {
    let machine = Machine::new();
    let denied = machine.hook("s1", FORCE);
    assert_eq!(denied.exit, 2, "{}", denied.stderr);
    assert!(denied.stdout.is_empty());
    let state = machine.state();
    let grants = Grants::new(&state);
    grants
        .approve(&code(&denied), Uses::Once, Moment::now())
        .unwrap();
    assert_eq!(machine.hook("s2", FORCE).exit, 2, "another session");
    assert_eq!(
        machine.hook("s1", "git push -f origin feat/x").exit,
        2,
        "another text"
    );
    assert_eq!(machine.hook("s1", FORCE).exit, 0, "the approved call");
    assert_eq!(machine.hook("s1", FORCE).exit, 2, "the same once more");
}

#[test]
fn allow_lists_what_was_stopped_and_refuses_to_approve_without_a_terminal() {
    let machine = Machine::new();
    let none = machine.run(&["allow"], "");
    assert!(none.stdout.starts_with("nothing was stopped"));
    let denied = machine.hook("s1", FORCE);
    let list = machine.run(&["allow"], "");
    assert!(list.stdout.contains(&code(&denied)) && list.stdout.contains("git/force-push"));
    let refused = machine.run(&["allow", "1"], "allow\n");
    assert_eq!(refused.exit, 1, "{}", refused.stderr);
    assert!(refused.stderr.contains("terminal"));
    assert_eq!(machine.hook("s1", FORCE).exit, 2);
}

#[test]
fn the_third_hit_of_a_rule_tells_the_agent_to_leave_it() {
    let machine = Machine::new();
    let first = machine.hook("s1", FORCE);
    assert!(first.stderr.contains("next: run the command after"));
    machine.hook("s1", "git push -f");
    let third = machine.hook("s1", "git push origin +feat/x");
    assert!(third.stderr.contains("next: leave it"), "{}", third.stderr);
    let other = machine.hook("s2", FORCE);
    assert!(other.stderr.contains("next: run the command after"));
}

#[test]
fn a_pause_lets_everything_through_and_still_logs_it() {
    let machine = Machine::new();
    pause::pause(&machine.state(), Duration::from_secs(600), Moment::now()).unwrap();
    assert_eq!(machine.hook("s1", FORCE).exit, 0);
    assert_eq!(machine.log().len(), 1);
    let ended = machine.run(&["pause", "--end"], "");
    assert_eq!(ended.exit, 0, "{}", ended.stderr);
    assert_eq!(machine.hook("s1", FORCE).exit, 2);
}

#[test]
fn what_was_stopped_and_what_changes_something_is_logged_and_reading_is_not() {
    let machine = Machine::new();
    machine.hook("s1", "git status && ls -la && git log -3");
    assert!(machine.log().is_empty());
    machine.hook("s1", "git commit -m x");
    machine.hook(
        "s1",
        "git push --force https://u:hunter2@example.com/r.git main",
    );
    let log = machine.log();
    assert_eq!(log.len(), 2, "{log:?}");
    assert_eq!(log[0]["decision"], "allow");
    assert_eq!(log[1]["decision"], "deny");
    assert_eq!(log[1]["host"], "claude");
    assert_eq!(log[1]["session"], "s1");
    let command = log[1]["command"].as_str().unwrap();
    assert!(!command.contains("hunter2"), "{command}");
    assert!(
        log[1]["rules"]
            .as_array()
            .unwrap()
            .contains(&"git/force-push".into())
    );
}

#[test]
fn a_state_directory_that_cannot_be_used_changes_no_decision() {
    let machine = Machine::new();
    std::fs::write(machine.path("home/state"), "a file").unwrap();
    let denied = machine.hook("s1", FORCE);
    assert_eq!(denied.exit, 2);
    assert!(denied.stderr.contains("git/force-push"));
    assert!(denied.stderr.contains("note:"), "{}", denied.stderr);
    assert_eq!(machine.hook("s1", "git commit -m x").exit, 0);
}

#[test]
fn a_users_policy_loosens_and_a_projects_only_tightens() {
    let machine = Machine::new();
    machine.policy("[rules]\n\"git/amend\" = \"allow\"\n");
    assert_eq!(machine.hook("s1", "git commit --amend --no-edit").exit, 0);
    let project = machine.path("repo/leaseguard.toml");
    std::fs::write(&project, "[rules]\n\"git/amend\" = \"deny\"\n").unwrap();
    assert_eq!(machine.hook("s1", "git commit --amend --no-edit").exit, 2);
    std::fs::write(&project, "[rules]\n\"git/force-push\" = \"allow\"\n").unwrap();
    assert_eq!(machine.hook("s1", FORCE).exit, 2);
}

#[test]
fn a_broken_policy_never_loosens_and_is_named() {
    let machine = Machine::new();
    machine.policy("[rules]\n\"git/force-push\" = \"allow\"\n\"git/amedn\" = \"off\"\n[[[");
    let denied = machine.hook("s1", FORCE);
    assert_eq!(denied.exit, 2);
    assert!(denied.stderr.contains("policy.toml"), "{}", denied.stderr);
}

#[test]
fn observing_stops_nothing_and_says_so_in_the_log() {
    let machine = Machine::new();
    machine.policy("mode = \"observe\"\n");
    assert_eq!(machine.hook("s1", FORCE).exit, 0);
    let log = machine.log();
    assert_eq!(log.len(), 1, "{log:?}");
}

#[test]
fn a_hobby_repository_on_main_is_made_comfortable_by_one_line() {
    let machine = Machine::new();
    machine.policy("preset = \"solo\"\n");
    let push = "git switch main && git push origin main";
    let plain = machine.hook("s1", push);
    assert_eq!(plain.exit, 0, "{}", plain.stderr);
    assert_eq!(machine.hook("s1", "git switch main && git push -f").exit, 2);
    assert_eq!(machine.hook("s1", "git push origin :main").exit, 2);
    assert_eq!(machine.hook("s1", "git commit --no-verify -m x").exit, 2);
}

#[test]
fn stricter_is_open_to_all_and_milder_only_to_a_person() {
    let machine = Machine::new();
    let stricter = machine.run(&["rules", "set", "git/push-unclear", "deny"], "");
    assert_eq!(stricter.exit, 0, "{}", stricter.stderr);
    let milder = machine.run(&["rules", "set", "git/force-push", "off"], "loosen\n");
    assert_eq!(milder.exit, 1);
    let table = machine.run(&["rules"], "").stdout;
    let row = |id: &str| {
        table
            .lines()
            .find(|l| l.starts_with(id))
            .unwrap()
            .to_owned()
    };
    assert!(row("git/push-unclear").contains("policy.toml"));
    assert!(!row("git/force-push").contains("policy.toml"));
}

#[test]
fn a_session_starts_with_six_lines_of_what_holds_here() {
    let machine = Machine::new();
    let payload = serde_json::json!({
        "session_id": "s", "transcript_path": "/t", "cwd": machine.repo(),
        "hook_event_name": "SessionStart", "source": "startup",
    });
    let answer = machine.run(&["hook"], &payload.to_string());
    assert_eq!(answer.exit, 0);
    let reply: serde_json::Value = serde_json::from_str(&answer.stdout).unwrap();
    let context = reply["hookSpecificOutput"]["additionalContext"].as_str();
    assert_eq!(context.unwrap().lines().count(), 6);
    let brief = machine.run(&["brief"], "").stdout;
    assert_eq!(brief.trim_end(), context.unwrap());
}

#[test]
fn a_person_at_a_terminal_types_a_word_and_lets_the_call_through() {
    if ran_outside("a_person_at_a_terminal_types_a_word_and_lets_the_call_through") {
        return;
    }
    let machine = Machine::new();
    let denied = machine.hook("s1", FORCE);
    let verb = format!("{BINARY} allow {}", code(&denied));
    let typed = |word: &str| {
        let mut command = machine.command("script", &["-qec", &verb, "/dev/null"], "repo");
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut stdin = child.stdin.take().unwrap();
        stdin.write_all(format!("{word}\n").as_bytes()).unwrap();
        let output = child.wait_with_output().unwrap();
        (
            output.status.code().unwrap(),
            String::from_utf8_lossy(&output.stdout).into_owned(),
        )
    };
    let (exit, shown) = typed("yes");
    assert_eq!(exit, 1, "{shown}");
    assert!(shown.contains(FORCE), "{shown}");
    assert_eq!(machine.hook("s1", FORCE).exit, 2);
    let (exit, shown) = typed("allow");
    assert_eq!(exit, 0, "{shown}");
    assert_eq!(machine.hook("s1", FORCE).exit, 0);
}

#[test]
fn a_tool_of_another_server_that_merges_is_stopped_and_one_that_reads_is_not() {
    let machine = Machine::new();
    let call = |tool: &str| {
        let payload = serde_json::json!({
            "session_id": "s1", "transcript_path": "/t", "cwd": machine.repo(),
            "permission_mode": "default", "hook_event_name": "PreToolUse",
            "tool_name": tool, "tool_input": {"owner": "o", "repo": "r", "pullNumber": 1},
            "tool_use_id": "u",
        });
        machine.run(&["hook"], &payload.to_string())
    };
    let merge = call("mcp__github__merge_pull_request");
    assert_eq!(merge.exit, 2, "{}", merge.stderr);
    assert!(merge.stderr.contains("forge/merge"));
    assert_eq!(call("mcp__github__get_pull_request").exit, 0);
}

#[test]
fn file_tools_may_write_sources_and_not_gits_own_files() {
    let machine = Machine::new();
    let write = |path: PathBuf| {
        let payload = serde_json::json!({
            "session_id": "s1", "transcript_path": "/t", "cwd": machine.repo(),
            "permission_mode": "default", "hook_event_name": "PreToolUse",
            "tool_name": "Write", "tool_input": {"file_path": path, "content": "x"},
            "tool_use_id": "u",
        });
        machine.run(&["hook"], &payload.to_string())
    };
    let hook = write(machine.path("repo/.git/hooks/pre-push"));
    assert_eq!(hook.exit, 2, "{}", hook.stderr);
    assert!(hook.stderr.contains("git/admin-write"));
    let own = write(machine.path("home/.config/leaseguard/policy.toml"));
    assert_eq!(own.exit, 2, "{}", own.stderr);
    assert!(own.stderr.contains("self/tamper"));
    assert!(!own.stderr.contains("leaseguard allow"), "no grant for it");
    assert_eq!(write(machine.path("repo/src/a.rs")).exit, 0);
}

#[test]
fn pipes_in_place_of_files_do_not_keep_the_hook_waiting() {
    // A hook that does not answer is killed by its host, and the tool runs.
    for place in [
        "repo/.git/config",
        "repo/.git/HEAD",
        "repo/.git/packed-refs",
        "repo/.git/refs/heads/feat/x",
        "repo/.git/logs/HEAD",
        "home/.gitconfig",
        "home/.config/leaseguard/policy.toml",
        "repo/leaseguard.toml",
        "home/state/leaseguard/decisions.jsonl",
        "home/state/leaseguard/pause.json",
    ] {
        let machine = Machine::new();
        let path = machine.path(place);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        let _ = std::fs::remove_file(&path);
        let made = machine
            .command("mkfifo", &[path.to_str().unwrap()], "")
            .status();
        assert!(made.unwrap().success(), "mkfifo");
        let payload = serde_json::json!({
            "session_id": "s1", "transcript_path": "/t", "cwd": machine.repo(),
            "hook_event_name": "PreToolUse", "tool_name": "Bash",
            "tool_input": {"command": "git push --force origin main; git checkout - && git push"},
        });
        let input = machine.path("payload.json");
        std::fs::write(&input, payload.to_string()).unwrap();
        let status = machine
            .command("timeout", &["20", BINARY, "hook"], "repo")
            .stdin(std::fs::File::open(&input).unwrap())
            .stderr(Stdio::null())
            .status()
            .unwrap();
        assert_eq!(status.code(), Some(2), "{place}");
    }
}
