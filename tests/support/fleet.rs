//! Sessions of Claude Code in the worktrees of a yard, and what they are told.

use super::yard::{Yard, json as told_json};
use serde_json::{Value, json};
use std::fs;
use std::process::Output;

/// A message of a session of Claude Code, answered below its host in a directory.
pub(crate) fn send(yard: &Yard, session: &str, dir: &str, event: &str, more: &Value) -> Output {
    let mut message = json!({
        "session_id": session, "transcript_path": "/t", "cwd": yard.dir(dir), "hook_event_name": event,
    });
    for (key, value) in more.as_object().unwrap() {
        message[key] = value.clone();
    }
    let file = yard.dir(&format!("message-{session}.json"));
    fs::write(&file, message.to_string()).unwrap();
    yard.claude(session, dir, &format!("$LG hook < '{}'", file.display()))
}

pub(crate) fn bash(yard: &Yard, session: &str, dir: &str, command: &str) -> Output {
    let more = json!({ "tool_name": "Bash", "tool_input": { "command": command } });
    send(yard, session, dir, "PreToolUse", &more)
}

pub(crate) fn starts(yard: &Yard, session: &str, dir: &str) -> Output {
    send(
        yard,
        session,
        dir,
        "SessionStart",
        &json!({ "source": "startup" }),
    )
}

pub(crate) fn prompted(yard: &Yard, session: &str, dir: &str) -> Output {
    send(
        yard,
        session,
        dir,
        "UserPromptSubmit",
        &json!({ "prompt": "go" }),
    )
}

pub(crate) fn text(output: &Output) -> String {
    String::from_utf8_lossy(&[&output.stdout[..], &output.stderr[..]].concat()).into_owned()
}

#[track_caller]
pub(crate) fn allowed(output: &Output, what: &str) {
    let text = text(output);
    assert!(output.status.success(), "{what}: {text}");
    assert!(!text.contains("\"ask\""), "{what}: {text}");
}

#[track_caller]
pub(crate) fn denied(output: &Output, rule: &str, what: &str) {
    let text = text(output);
    assert_eq!(output.status.code(), Some(2), "{what}: {text}");
    assert!(text.contains(rule), "{what}: {text}");
}

#[track_caller]
pub(crate) fn asked(output: &Output, rule: &str, what: &str) {
    let text = text(output);
    assert!(output.status.success(), "{what}: {text}");
    assert!(
        text.contains("\"ask\"") && text.contains(rule),
        "{what}: {text}"
    );
}

/// The claim on a worktree, as anybody sees it.
pub(crate) fn claim(yard: &Yard, worktree: &str) -> Value {
    told_json(&yard.claude("reader", worktree, "$LG lease show --json"))["claim"].clone()
}
