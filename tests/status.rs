//! `status` tells in its first line whether a place is protected, and fits on one screen.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout
)]
#![cfg(unix)]

mod support;

use leaseguard::grant::pause;
use leaseguard::state::State;
use leaseguard::state::time::Moment;
use std::time::Duration;
use support::desk::{Desk, claude_call};

const BINARY: &str = env!("CARGO_BIN_EXE_leaseguard");

fn connected() -> Desk {
    let desk = Desk::new(BINARY);
    desk.install(&["claude"]);
    desk
}

fn screen(desk: &Desk) -> (Option<i32>, String) {
    let out = desk.run(&["status"]);
    assert_eq!(String::from_utf8_lossy(&out.stderr), "");
    (out.status.code(), String::from_utf8(out.stdout).unwrap())
}

/// The screen as it is after `change`: the exit code and the first line.
#[track_caller]
fn after(change: impl FnOnce(&Desk), code: i32, first: &str) -> String {
    let desk = connected();
    change(&desk);
    let (exit, text) = screen(&desk);
    assert_eq!(exit, Some(code), "{text}");
    assert!(text.lines().next().unwrap().starts_with(first), "{text}");
    text
}

#[test]
fn a_connected_host_protects() {
    let text = after(|_| {}, 0, "protected: Claude Code asks");
    assert!(text.contains("never called yet"), "{text}");
    assert!(text.contains("git hooks  not installed"), "{text}");
    assert!(text.contains("enforce, preset fleet"), "{text}");
}

#[test]
fn without_a_host_nothing_is_protected() {
    let (code, text) = screen(&Desk::new(BINARY));
    assert_eq!(code, Some(1));
    assert!(
        text.starts_with("not protected: no agent host is connected\n"),
        "{text}"
    );
}

#[test]
fn hooks_that_a_project_turns_off_do_not_protect() {
    after(
        |d| {
            d.put(
                "repo/.claude/settings.local.json",
                r#"{"disableAllHooks":true}"#,
            )
        },
        1,
        "not protected: Claude Code: `disableAllHooks`",
    );
}

#[test]
fn a_program_that_is_gone_does_not_protect() {
    after(
        |d| {
            let text = d.text("home/.claude/settings.json");
            d.put(
                "home/.claude/settings.json",
                &text.replace(BINARY, "/nowhere/leaseguard"),
            );
        },
        1,
        "not protected: Claude Code: ",
    );
}

#[test]
fn a_pause_does_not_protect_and_tells_what_is_left() {
    let text = after(
        |d| {
            let state = State::at(d.state());
            pause::pause(&state, Duration::from_secs(7200), Moment::now()).unwrap();
        },
        1,
        "not protected: a pause",
    );
    assert!(text.contains("1h59m") || text.contains("2h"), "{text}");
}

#[test]
fn a_policy_that_only_observes_does_not_protect() {
    let observe = |d: &Desk| {
        d.put(
            "home/.config/leaseguard/policy.toml",
            "mode = \"observe\"\n",
        );
    };
    let text = after(observe, 1, "not protected: `mode = \"observe\"`");
    assert!(
        text.contains("user ~/.config/leaseguard/policy.toml"),
        "{text}"
    );
}

#[test]
fn a_broken_policy_is_told_loudly_and_built_in_rules_protect() {
    let text = after(
        |d| d.put("repo/leaseguard.toml", "presett = 1\n"),
        0,
        "protected",
    );
    assert!(text.contains("leaseguard.toml (BROKEN)"), "{text}");
}

#[test]
fn rules_that_are_off_here_are_named() {
    let off = "[rules]\n\"git/amend\" = \"off\"\n";
    let text = after(
        |d| d.put("home/.config/leaseguard/policy.toml", off),
        0,
        "protected",
    );
    assert!(text.contains("rules off  git/amend"), "{text}");
}

#[test]
fn the_last_call_of_a_host_is_told_and_what_it_stopped_is_open() {
    let desk = connected();
    desk.hook(&claude_call(
        "s",
        "git push --force origin main",
        &desk.at("repo"),
    ));
    let (_, text) = screen(&desk);
    assert!(
        text.contains("last call 0s ago") || text.contains("s ago"),
        "{text}"
    );
    assert!(
        text.contains("1 stopped that a person could allow"),
        "{text}"
    );
}

#[test]
fn a_session_that_started_without_a_call_is_told_apart() {
    let desk = connected();
    let mut message = claude_call("s", "ls", &desk.at("repo"));
    let event = message.as_object_mut().unwrap();
    event.insert("hook_event_name".to_owned(), "SessionStart".into());
    event.remove("tool_name");
    event.remove("tool_input");
    desk.hook(&message);
    let (_, text) = screen(&desk);
    assert!(text.contains("no call yet"), "{text}");
}

#[test]
fn an_allowed_call_is_seen_too_and_a_try_of_the_doctor_is_not() {
    let desk = connected();
    let seen =
        |desk: &Desk| desk.report(&["status", "--json"])["hosts"][0]["last_call"].is_string();
    desk.hook(&claude_call(
        "leaseguard-canary-claude",
        "ls",
        &desk.at("repo"),
    ));
    assert!(!seen(&desk));
    desk.hook(&claude_call("s", "ls", &desk.at("repo")));
    assert!(seen(&desk));
}

#[test]
fn managers_and_foreign_git_hooks_are_named() {
    let text = after(
        |d| {
            d.put(
                "repo/.git/hooks/pre-commit",
                "#!/bin/sh\nexec lefthook run pre-commit\n",
            );
            d.put("repo/.git/hooks/pre-push", "#!/bin/sh\nmake test\n");
        },
        0,
        "protected",
    );
    assert!(
        text.contains("managed by lefthook; others: pre-push"),
        "{text}"
    );
    let husky = "[core]\n\thooksPath = .husky/_\n";
    let text = after(|d| d.put("repo/.git/config", husky), 0, "protected");
    assert!(text.contains("managed by husky"), "{text}");
}

#[test]
fn the_screen_stays_small_whatever_there_is_to_tell() {
    let desk = connected();
    desk.install(&["all"]);
    desk.put(
        "repo/leaseguard.toml",
        "a = 1\nb = 2\nc = 3\nd = 4\ne = 5\nf = 6\n",
    );
    desk.put(
        "home/.config/leaseguard/policy.toml",
        "[rules]\n\"git/amend\" = \"off\"\n\"git/discard\" = \"off\"\n\"git/broad-add\" = \"off\"\n\"git/commit-all\" = \"off\"\n",
    );
    let (_, text) = screen(&desk);
    assert!(text.lines().count() <= 24, "{text}");
    for line in text.lines() {
        assert!(line.chars().count() <= 80, "{line}");
    }
}

#[test]
fn the_bare_command_is_status_inside_a_checkout_and_help_outside() {
    let desk = connected();
    let (code, text) = desk.bare("repo");
    assert_eq!(code, Some(0), "{text}");
    assert!(text.contains("protected: Claude Code"), "{text}");
    let (code, text) = desk.bare("away");
    assert_eq!(code, Some(2), "{text}");
    assert!(text.contains("Usage"), "{text}");
}

#[test]
fn the_json_has_a_version_and_the_promised_keys() {
    let value = connected().report(&["status", "--json"]);
    assert_eq!(value["v"], 1);
    assert_eq!(value["protected"], true);
    for key in [
        "verdict",
        "repository",
        "hosts",
        "git_hooks",
        "mode",
        "preset",
        "policies",
        "policy_troubles",
        "paused_seconds",
        "open",
        "rules_off",
    ] {
        assert!(value.get(key).is_some(), "{key}");
    }
}
