//! Every captured payload through its dialect: read as the right call, answered in the host's words.
#![allow(clippy::expect_used, reason = "a broken test may stop at once")]

use leaseguard::call::{Call, Dialect, What};
use leaseguard::host::{self, Reply};
use leaseguard::verdict::{Decision, Finding, Next, Verdict};
use serde_json::{Value, json};
use std::fs;
use std::path::{Path, PathBuf};

fn fixtures(host: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("fixtures/hosts")
        .join(host)
}

/// Every payload of a host: its name without `.json`, its bytes.
fn payloads(host: &str) -> Vec<(String, Vec<u8>)> {
    let mut all = Vec::new();
    for entry in fs::read_dir(fixtures(host)).expect("fixtures") {
        let path = entry.expect("entry").path();
        let name = path
            .file_name()
            .and_then(|n| n.to_str())
            .expect("name")
            .to_owned();
        let Some(event) = name.strip_suffix(".json") else {
            continue;
        };
        if ![".allow", ".ask", ".deny"]
            .iter()
            .any(|end| event.ends_with(end))
        {
            all.push((event.to_owned(), fs::read(&path).expect("payload")));
        }
    }
    all.sort();
    assert!(all.len() > 8, "the fixtures of {host} are gone");
    all
}

fn verdict(decision: Decision) -> Verdict {
    if decision == Decision::Allow {
        return Verdict::default();
    }
    Verdict::from(vec![Finding {
        rule: "git/force-push",
        decision,
        effect: "this push would force `main` on `origin`".to_owned(),
        because: vec!["`--force` stands in it".to_owned()],
        instead: Some("git push origin HEAD".to_owned()),
        next: Next::UseInstead,
        span: 0..8,
    }])
}

fn calls(bytes: &[u8]) -> Vec<Call> {
    host::hear(bytes, None)
        .expect("heard")
        .calls()
        .expect("calls")
}

fn reply(bytes: &[u8], verdict: &Verdict) -> Reply {
    host::hear(bytes, None).expect("heard").reply(verdict)
}

fn payload(value: &Value) -> Vec<u8> {
    value.to_string().into_bytes()
}

fn claude(tool: &str, input: Value) -> Value {
    json!({
        "session_id": "s", "transcript_path": "/t", "cwd": "/home/dev/repo",
        "hook_event_name": "PreToolUse", "tool_name": tool, "tool_input": input,
    })
}

fn codex(tool: &str, input: Value) -> Value {
    let mut value = claude(tool, input);
    value["turn_id"] = json!("t");
    value["model"] = json!("m");
    value
}

fn whats(value: &Value) -> Vec<What> {
    calls(&payload(value))
        .into_iter()
        .map(|call| call.what)
        .collect()
}

fn bash(text: &str) -> What {
    What::Shell {
        dialect: Dialect::Bash,
        text: text.to_owned(),
    }
}

fn tool(server: &str, tool: &str, input: &str) -> What {
    What::Tool {
        server: server.to_owned(),
        tool: tool.to_owned(),
        input: input.to_owned(),
    }
}

#[test]
fn every_payload_is_recognised_without_being_named() {
    for name in ["claude", "codex"] {
        for (event, bytes) in payloads(name) {
            let heard = host::hear(&bytes, None).expect("heard");
            // The two hosts end a session in the same words, and neither waits for an answer.
            if event != "SessionEnd" {
                assert_eq!(heard.host(), name, "{event}");
            }
        }
    }
}

/// The fixture's exit code and stdout are the law; its reason stands for ours.
#[test]
fn every_answer_has_exactly_the_shape_that_its_host_wants() {
    for name in ["claude", "codex"] {
        for (event, bytes) in payloads(name) {
            for decision in [Decision::Allow, Decision::Ask, Decision::Deny] {
                answer_has_the_shape(name, &event, &bytes, decision);
            }
        }
    }
}

fn answer_has_the_shape(name: &str, event: &str, bytes: &[u8], decision: Decision) {
    // Our answers to what needs no decision are silence, whatever the host would take.
    let asks = event.starts_with("PreToolUse") || event.starts_with("PermissionRequest");
    let verdict = verdict(decision);
    let reply = reply(bytes, &verdict);
    let about = format!("{name} {event} {decision}");
    if !asks {
        assert_eq!(reply, Reply::silence(), "{about}");
        return;
    }
    let file =
        |end: &str| fs::read_to_string(fixtures(name).join(format!("{event}.{decision}.{end}")));
    let Ok(exit) = file("exit") else {
        assert!(
            event.starts_with("PermissionRequest") && decision == Decision::Ask,
            "{about}"
        );
        return;
    };
    assert_eq!(reply.exit.to_string(), exit.trim(), "{about}");
    let ours = host::text::agent(&verdict, reply.exit == 0 && name == "claude");
    let want = file("json").unwrap_or_default();
    if want.trim().is_empty() {
        assert_eq!(reply.stdout, "", "{about}");
    } else {
        let mut want: Value = serde_json::from_str(&want).expect("fixture JSON");
        put_reason(&mut want, ours.trim_end());
        let got: Value = serde_json::from_str(&reply.stdout).expect("our JSON");
        assert_eq!(got, want, "{about}");
        assert!(!reply.stdout.contains('\n'), "{about}: one line");
    }
    if file("stderr").is_ok_and(|text| !text.is_empty()) {
        assert_eq!(reply.stderr, ours, "{about}");
    } else {
        assert_eq!(reply.stderr, "", "{about}");
    }
}

/// Puts our own words where the fixture has its sample reason.
fn put_reason(value: &mut Value, reason: &str) {
    match value {
        Value::String(text) if text.starts_with("guard: ") => *text = reason.to_owned(),
        Value::Object(map) => map.values_mut().for_each(|v| put_reason(v, reason)),
        _ => {}
    }
}

#[test]
fn the_agent_reads_rule_effect_facts_and_the_way_out() {
    let bytes = payload(&claude("Bash", json!({"command": "git push -f"})));
    assert_eq!(
        reply(&bytes, &verdict(Decision::Deny)).stderr,
        "leaseguard denied this call, nothing ran\n\
         git/force-push: this push would force `main` on `origin`\n\
         because: `--force` stands in it\n\
         instead: git push origin HEAD\n\
         next: run the command after `instead:`\n"
    );
    let asked = reply(&bytes, &verdict(Decision::Ask)).stdout;
    assert!(
        asked.contains("leaseguard wants a person's yes for this call\\n"),
        "{asked}"
    );
    let refused = reply(
        &payload(&codex("Bash", json!({"command": "x"}))),
        &verdict(Decision::Ask),
    );
    assert!(
        refused.stderr.starts_with(
            "leaseguard wants a person's yes for this call, and nobody can be asked here"
        ),
        "{}",
        refused.stderr
    );
}

#[test]
fn our_own_failure_is_not_blamed_on_the_command() {
    let bytes = payload(&claude("Bash", json!({"command": "x"})));
    let reply = reply(&bytes, &Verdict::failed("fault/panic", "it broke"));
    assert_eq!((reply.exit, reply.stdout.as_str()), (2, ""));
    assert_eq!(
        reply.stderr,
        "leaseguard could not judge this call, nothing ran: it broke [fault/panic]\n\
         this is a failure of leaseguard and says nothing about the command: \
         tell the person in charge\n"
    );
}

#[test]
fn a_call_carries_session_subagent_and_directory() {
    let bytes =
        fs::read(fixtures("claude").join("PreToolUse.Bash.subagent.json")).expect("payload");
    let want = Call {
        session: Some("11111111-2222-4333-8444-555555555555".to_owned()),
        agent: Some("a80c8228575f40d68".to_owned()),
        cwd: Some(PathBuf::from("/home/dev/repo")),
        unseen_typing: false,
        what: bash("git push --force origin main"),
    };
    assert_eq!(calls(&bytes), [want]);
}

#[test]
fn each_tool_of_claude_is_read_as_what_it_does() {
    let file = |name: &str| {
        let bytes = fs::read(fixtures("claude").join(name)).expect("payload");
        let whats: Vec<What> = calls(&bytes).into_iter().map(|call| call.what).collect();
        whats
    };
    let write = |path: &str| {
        vec![What::Write {
            paths: vec![PathBuf::from(path)],
        }]
    };
    assert_eq!(
        file("PreToolUse.Monitor.json"),
        [bash("git push --force origin main")]
    );
    assert_eq!(
        file("PreToolUse.PowerShell.json"),
        [What::Shell {
            dialect: Dialect::PowerShell,
            text: "git push --force origin main".to_owned()
        }]
    );
    assert_eq!(
        file("PreToolUse.Write.json"),
        write("/home/dev/other-worktree/src/a.rs")
    );
    assert_eq!(
        file("PreToolUse.Edit.json"),
        write("/home/dev/repo/src/a.rs")
    );
    assert_eq!(
        file("PreToolUse.MultiEdit.json"),
        write("/home/dev/repo/a.rs")
    );
    assert_eq!(
        file("PreToolUse.NotebookEdit.json"),
        write("/home/dev/repo/n.ipynb")
    );
    let entered = file("PreToolUse.EnterWorktree.json");
    assert!(
        matches!(entered.as_slice(), [What::Tool { server, tool, input }]
            if server.is_empty() && tool == "EnterWorktree" && input.contains("wt-a")),
        "{entered:?}"
    );
    let merge = file("PreToolUse.mcp.json");
    assert!(
        matches!(merge.as_slice(), [What::Tool { server, tool, input }]
            if server == "github" && tool == "merge_pull_request" && input.contains("pullNumber")),
        "{merge:?}"
    );
    assert_eq!(
        file("SessionStart.json"),
        [What::Event {
            name: "SessionStart".to_owned()
        }]
    );
}

#[test]
fn a_monitor_without_a_command_is_a_tool() {
    let value = claude("Monitor", json!({"description": "m", "ws": "ws://x"}));
    assert!(matches!(whats(&value).as_slice(), [What::Tool { .. }]));
}

#[test]
fn what_already_happened_needs_no_decision() {
    let mut value = claude("Bash", json!({"command": "git push --force"}));
    value["hook_event_name"] = json!("PostToolUse");
    assert!(matches!(whats(&value).as_slice(), [What::Event { .. }]));
    assert_eq!(
        reply(&payload(&value), &verdict(Decision::Deny)),
        Reply::silence()
    );
    value["hook_event_name"] = json!("PreSkillShellCommand");
    assert_eq!(whats(&value), [bash("git push --force")]);
    assert_eq!(reply(&payload(&value), &verdict(Decision::Ask)).exit, 2);
}

#[test]
fn a_question_about_no_tool_is_a_fault() {
    for event in ["PreToolUse", "PermissionRequest"] {
        for value in [
            json!({"hook_event_name": event, "transcript_path": "/t"}),
            json!({"hook_event_name": event, "transcript_path": "/t", "tool_name": ""}),
            json!({"hook_event_name": event}),
        ] {
            let bytes = payload(&value);
            let heard = host::hear(&bytes, None).expect("heard");
            assert!(heard.calls().is_err(), "{value}");
        }
    }
}

#[test]
fn any_tool_that_carries_a_command_is_also_judged_as_shell() {
    for (input, text) in [
        (json!({"command": "git push --force"}), "git push --force"),
        (json!({"cmd": "git push --force"}), "git push --force"),
        (json!({"script": "git push --force"}), "git push --force"),
        (json!({"argv": ["git", "push", "a b"]}), "git push 'a b'"),
        (json!({"command": ["git", "push"]}), "git push"),
        (
            json!({"command": "git", "args": ["push", "--force"]}),
            "git push --force",
        ),
        (json!({"steps": [{"run": {"cmd": "git push"}}]}), "git push"),
    ] {
        let raw = input.to_string();
        let want = [tool("box", "exec", &raw), bash(text)];
        assert_eq!(
            whats(&claude("mcp__box__exec", input.clone())),
            want,
            "{raw}"
        );
        assert_eq!(whats(&codex("mcp__box__exec", input)), want, "{raw}");
    }
}

#[test]
fn a_tool_of_another_server_that_writes_a_file_is_also_a_write() {
    let value = claude(
        "mcp__fs__write_file",
        json!({"path": "/r/.git/config", "content": "x"}),
    );
    assert!(
        matches!(whats(&value).as_slice(), [What::Tool { .. }, What::Write { paths }]
            if paths == &[PathBuf::from("/r/.git/config")])
    );
    let read = claude("Read", json!({"file_path": "/r/.git/config"}));
    assert!(matches!(whats(&read).as_slice(), [What::Tool { .. }]));
}

#[test]
fn a_patch_of_codex_names_every_file_it_touches() {
    let bytes = fs::read(fixtures("codex").join("PreToolUse.apply_patch.json")).expect("payload");
    let call = calls(&bytes).remove(0);
    assert!(call.unseen_typing);
    let names = ["new.txt", "../other-worktree/x.txt", "y.txt", "z.txt"];
    assert_eq!(
        call.what,
        What::Write {
            paths: names.map(PathBuf::from).to_vec()
        }
    );
    let empty = payload(&codex(
        "apply_patch",
        json!({"command": "*** Begin Patch\n"}),
    ));
    assert!(host::hear(&empty, None).expect("heard").calls().is_err());
}

#[test]
fn a_patch_inside_shell_text_stays_shell_text() {
    let bytes =
        fs::read(fixtures("codex").join("PreToolUse.apply_patch_heredoc.json")).expect("payload");
    assert!(matches!(calls(&bytes)[0].what, What::Shell { .. }));
}

#[test]
fn one_mark_of_codex_is_enough_never_to_ask_it() {
    for mark in ["turn_id", "model"] {
        let mut value = claude("Bash", json!({"command": "x"}));
        value[mark] = json!("m");
        let reply = reply(&payload(&value), &verdict(Decision::Ask));
        assert_eq!((reply.exit, reply.stdout.as_str()), (2, ""), "{mark}");
    }
}

#[test]
fn a_wrong_name_on_the_command_line_only_makes_the_answer_plainer() {
    let claude = payload(&claude("Bash", json!({"command": "x"})));
    let codex = payload(&codex("Bash", json!({"command": "x"})));
    for (bytes, name) in [(&claude, "codex"), (&codex, "claude")] {
        let heard = host::hear(bytes, Some(name)).expect("heard");
        for decision in [Decision::Ask, Decision::Deny] {
            let reply = heard.reply(&verdict(decision));
            assert_eq!((reply.exit, reply.stdout.as_str()), (2, ""));
            assert!(!reply.stderr.is_empty());
        }
        assert_eq!(heard.reply(&Verdict::default()), Reply::silence());
    }
}

#[test]
fn a_stranger_with_a_command_is_judged_and_answered_by_code_two() {
    let text = "git push --force origin main";
    for value in [
        json!({"sessionId": "s", "timestamp": 1, "cwd": "/d", "toolName": "bash", "toolArgs": {"command": text}}),
        json!({"toolName": "bash", "cwd": "/d", "toolArgs": format!("{{\"command\":\"{text}\"}}")}),
        json!({"conversation_id": "c", "model": "auto", "transcript_path": null, "hook_event_name": "beforeShellExecution",
               "command": text, "cwd": "", "workdir": "/d"}),
        json!({"toolCall": {"name": "run", "args": {"CommandLine": text, "Cwd": "/d"}}}),
        json!({"agent_action_name": "pre_run_command", "tool_info": {"command_line": text, "cwd": "/d"}}),
        json!({"hookEventName": "pre_tool_use", "hook_event_name": "PreToolUse", "toolName": "t",
               "toolInput": {"command": text}, "cwd": "/d"}),
        json!({"hook_event_name": "BeforeTool", "timestamp": "t", "transcript_path": "/t", "cwd": "/",
               "tool_name": "run_shell_command", "tool_input": {"command": text, "dir_path": "d"}}),
        json!({"command": text, "cwd": "/d"}),
    ] {
        let bytes = payload(&value);
        let all = calls(&bytes);
        let shell = all.iter().find(|call| call.what == bash(text));
        assert_eq!(
            shell.and_then(|c| c.cwd.clone()),
            Some(PathBuf::from("/d")),
            "{value}: {all:?}"
        );
        let reply = reply(&bytes, &verdict(Decision::Ask));
        assert_eq!((reply.exit, reply.stdout.as_str()), (2, ""), "{value}");
    }
}

#[test]
fn a_stranger_that_says_nothing_is_a_fault() {
    for value in [
        json!({}),
        json!({"a": {"b": [1, null]}}),
        json!({"cwd": "/d"}),
    ] {
        let bytes = payload(&value);
        assert!(
            host::hear(&bytes, None).expect("heard").calls().is_err(),
            "{value}"
        );
    }
}

#[test]
fn file_contents_may_be_anything() {
    let raw = br#"{"hook_event_name":"PreToolUse","transcript_path":"/t","tool_name":"Write","tool_input":{"file_path":"/a","content":"\ud800 "#;
    let mut bytes = raw.to_vec();
    bytes.extend([0xFF, 0xFE]);
    bytes.extend(br#""}}"#);
    assert!(matches!(calls(&bytes)[0].what, What::Write { .. }));
}

#[test]
fn a_byte_order_mark_is_tolerated() {
    let mut bytes = b"\xEF\xBB\xBF".to_vec();
    bytes.extend(payload(&claude("Bash", json!({"command": "x"}))));
    assert_eq!(calls(&bytes)[0].what, bash("x"));
}

#[test]
fn no_two_fixtures_differ_only_in_case() {
    for host in ["claude", "codex"] {
        let mut names: Vec<String> = fs::read_dir(fixtures(host))
            .expect("fixtures")
            .map(|e| {
                e.expect("entry")
                    .file_name()
                    .to_string_lossy()
                    .to_lowercase()
            })
            .collect();
        names.sort();
        let all = names.len();
        names.dedup();
        assert_eq!(names.len(), all);
    }
}
