//! Every captured payload through its dialect: read as the right call, answered in the host's words.
#![allow(clippy::expect_used, reason = "a broken test may stop at once")]

use leaseguard::call::{Call, Dialect, What};
use leaseguard::host::{self, Reply};
use leaseguard::verdict::{Decision, Finding, Next, Verdict};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Hosts with a dialect of their own.
const HOSTS: &[&str] = &[
    "claude", "codex", "copilot", "cursor", "gemini", "opencode", "qwen",
];

/// Hosts that are answered as strangers.
const STRANGERS: &[&str] = &[
    "agy", "cline", "crush", "droid", "goose", "grok", "kimi", "vscode", "windsurf",
];

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
    assert!(!all.is_empty(), "the fixtures of {host} are gone");
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

/// True for a payload that wants a decision.
fn is_question(event: &str) -> bool {
    let starts = [
        "pre",
        "pascal.pre",
        "permission",
        "before",
        "tool.execute.before",
    ];
    let event = event.to_lowercase();
    starts.iter().any(|start| event.starts_with(start))
}

#[test]
fn every_payload_is_recognised_without_being_named() {
    for name in HOSTS {
        for (event, bytes) in payloads(name) {
            let heard = host::hear(&bytes, None).expect("heard");
            // The two hosts end a session in the same words, and neither waits for an answer.
            if !["claude SessionEnd", "codex SessionEnd"]
                .contains(&format!("{name} {event}").as_str())
            {
                assert_eq!(heard.host(), *name, "{event}");
            }
        }
    }
}

/// The fixture's exit code and stdout are the law; its reason stands for ours.
#[test]
fn every_answer_has_exactly_the_shape_that_its_host_wants() {
    for name in HOSTS.iter().chain(&["agy", "cline"]) {
        for (event, bytes) in payloads(name) {
            for decision in [Decision::Allow, Decision::Ask, Decision::Deny] {
                answer_has_the_shape(name, &event, &bytes, decision);
            }
        }
    }
}

fn answer_has_the_shape(name: &str, event: &str, bytes: &[u8], decision: Decision) {
    let verdict = verdict(decision);
    let reply = reply(bytes, &verdict);
    let about = format!("{name} {event} {decision}");
    // Our answers to what needs no decision are those of an allow, whatever the host would take.
    let wanted = if is_question(event) {
        decision
    } else {
        Decision::Allow
    };
    let file =
        |end: &str| fs::read_to_string(fixtures(name).join(format!("{event}.{wanted}.{end}")));
    let Ok(exit) = file("exit") else {
        assert!(
            event.starts_with("PermissionRequest") && decision == Decision::Ask,
            "{about}"
        );
        return;
    };
    assert_eq!(reply.exit.to_string(), exit.trim(), "{about}");
    let mut want = file("json").unwrap_or_default();
    if !is_question(event) && name != "cursor" {
        want.clear();
    }
    let ours = host::text::agent(&verdict, want.contains("ask\""));
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
        json!({"toolName": "bash", "cwd": "/d", "toolArgs": format!("{{\"command\":\"{text}\"}}")}),
        json!({"toolCall": {"name": "run", "args": {"CommandLine": text, "Cwd": "/d"}}}),
        json!({"agent_action_name": "pre_run_command", "tool_info": {"command_line": text, "cwd": "/d"}}),
        json!({"hookEventName": "pre_tool_use", "hook_event_name": "PreToolUse", "toolName": "t",
               "toolInput": {"command": text}, "cwd": "/d"}),
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

/// On macOS and Windows the one would overwrite the other.
#[test]
fn no_two_files_differ_only_in_case() {
    let listed = Command::new("git")
        .args(["ls-files", "-z"])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output();
    let mut paths: Vec<String> = Vec::new();
    if let Ok(listed) = listed.as_ref().map(|out| &out.stdout) {
        let text = String::from_utf8_lossy(listed).into_owned();
        paths.extend(text.split_terminator('\0').map(str::to_owned));
    }
    // Outside a checkout the fixtures alone can be seen.
    for host in HOSTS.iter().chain(STRANGERS) {
        for entry in fs::read_dir(fixtures(host)).expect("fixtures") {
            let name = entry.expect("entry").file_name();
            paths.push(format!("fixtures/hosts/{host}/{}", name.to_string_lossy()));
        }
    }
    let mut seen = BTreeMap::new();
    for path in paths {
        let other = seen.insert(path.to_lowercase(), path.clone());
        assert!(
            other.as_ref().is_none_or(|other| *other == path),
            "{path} and {other:?}"
        );
    }
}

fn shown(host: &str, name: &str) -> Vec<Call> {
    calls(&fs::read(fixtures(host).join(name)).expect("payload"))
}

fn writes(paths: &[&str]) -> What {
    What::Write {
        paths: paths.iter().map(PathBuf::from).collect(),
    }
}

#[test]
fn every_shell_call_of_every_host_is_the_command_at_its_directory() {
    for (host, name, dir) in [
        ("copilot", "preToolUse.bash", "/home/dev/repo"),
        ("copilot", "preToolUse.toolArgs_string", "/home/dev/repo"),
        ("copilot", "preToolUse.bash.subagent", "/home/dev/repo"),
        ("copilot", "pascal.PreToolUse.Bash", "/home/dev/repo"),
        ("cursor", "beforeShellExecution", "/home/dev/repo"),
        ("cursor", "preToolUse.Shell", "/home/dev/repo"),
        (
            "gemini",
            "BeforeTool.run_shell_command",
            "/home/dev/repo/sub/dir",
        ),
        ("qwen", "PreToolUse.run_shell_command", "/home/dev/repo"),
        (
            "opencode",
            "tool.execute.before.bash",
            "/home/dev/repo/sub/dir",
        ),
    ] {
        let all = shown(host, &format!("{name}.json"));
        let [call] = all.as_slice() else {
            unreachable!("{host} {name}: {all:?}")
        };
        assert_eq!(
            call.what,
            bash("git push --force origin main"),
            "{host} {name}"
        );
        assert_eq!(call.cwd, Some(PathBuf::from(dir)), "{host} {name}");
    }
    let mut qwen: Value = serde_json::from_slice(
        &fs::read(fixtures("qwen").join("PreToolUse.run_shell_command.json")).expect("payload"),
    )
    .expect("JSON");
    qwen["tool_input"]["directory"] = json!("/elsewhere");
    let call = calls(&payload(&qwen)).remove(0);
    assert_eq!(call.cwd, Some(PathBuf::from("/elsewhere")));
}

#[test]
fn every_write_of_every_host_names_its_files() {
    for (host, name, want) in [
        (
            "copilot",
            "preToolUse.create",
            writes(&["/home/dev/repo/n.txt"]),
        ),
        (
            "copilot",
            "preToolUse.edit",
            writes(&["/home/dev/repo/n.txt"]),
        ),
        (
            "gemini",
            "BeforeTool.write_file",
            writes(&["/home/dev/repo/a.rs"]),
        ),
        (
            "gemini",
            "BeforeTool.replace",
            writes(&["/home/dev/repo/a.rs"]),
        ),
        (
            "opencode",
            "tool.execute.before.edit",
            writes(&["/home/dev/repo/a.rs"]),
        ),
        (
            "opencode",
            "tool.execute.before.write",
            writes(&["/home/dev/repo/a.rs"]),
        ),
        (
            "opencode",
            "tool.execute.before.patch",
            writes(&["new.txt", "y.txt", "z.txt"]),
        ),
    ] {
        let whats: Vec<What> = shown(host, &format!("{name}.json"))
            .into_iter()
            .map(|call| call.what)
            .collect();
        assert_eq!(whats, [want], "{host} {name}");
    }
    for (tool, input) in [
        ("Write", json!({"path": "/r/a", "contents": "x"})),
        ("Edit", json!({"file_path": "/r/a"})),
        ("Delete", json!({"path": "/r/a"})),
    ] {
        let value = json!({"conversation_id": "c", "cursor_version": "2", "workspace_roots": ["/r"],
            "hook_event_name": "preToolUse", "tool_name": tool, "tool_input": input});
        assert_eq!(whats(&value), [writes(&["/r/a"])], "{tool}");
    }
    let patch = json!({"sessionId": "s", "timestamp": 1, "cwd": "/r", "toolName": "apply_patch",
        "toolArgs": "*** Begin Patch\n*** Delete File: a\n*** End Patch"});
    assert_eq!(whats(&patch), [writes(&["a"])]);
}

#[test]
fn tools_of_other_servers_keep_their_server() {
    let named = |all: &[Call]| match all.first().map(|call| &call.what) {
        Some(What::Tool { server, tool, .. }) => format!("{server} {tool}"),
        other => format!("{other:?}"),
    };
    assert_eq!(
        named(&shown("opencode", "tool.execute.before.mcp.json")),
        "github merge_pull_request"
    );
    assert_eq!(
        named(&shown("cursor", "beforeMCPExecution.json")),
        "https://example.invalid/mcp merge_pull_request"
    );
    let gemini = |tool: &str, context: Value| {
        json!({"session_id": "s", "transcript_path": "/t", "cwd": "/r", "timestamp": "t",
            "hook_event_name": "BeforeTool", "tool_name": tool, "tool_input": {}, "mcp_context": context})
    };
    for value in [
        gemini("mcp_github_merge_pull_request", Value::Null),
        gemini(
            "merge",
            json!({"server_name": "github", "tool_name": "merge_pull_request"}),
        ),
        json!({"sessionId": "s", "timestamp": 1, "toolName": "github-merge_pull_request", "toolArgs": {}}),
    ] {
        assert_eq!(
            named(&calls(&payload(&value))),
            "github merge_pull_request",
            "{value}"
        );
    }
    // The line that starts a server of Cursor is no command of the agent.
    let value = json!({"conversation_id": "c", "hook_event_name": "beforeMCPExecution",
        "command": "npx github-mcp", "tool_name": "t", "tool_input": {"command": "git push"}});
    assert_eq!(
        whats(&value),
        [
            tool("npx github-mcp", "t", r#"{"command":"git push"}"#),
            bash("git push")
        ]
    );
}

#[test]
fn each_host_names_its_session_in_its_own_way() {
    let who = |host: &str, name: &str| {
        let call = shown(host, name).remove(0);
        (call.session.unwrap_or_default(), call.agent)
    };
    assert_eq!(
        who("cursor", "beforeShellExecution.json").0,
        "668320d2-2fd8-4888-b33c-2a466fec86e7"
    );
    // A subagent of Copilot has a session of its own: its parent's is the one that counts.
    assert_eq!(
        who("copilot", "preToolUse.bash.subagent.json"),
        (
            "78622f45-660b-4278-8b8e-cf2ff3ed7b80".to_owned(),
            Some("c12af28a-b4cb-4622-af6f-b1f452458b1e".to_owned())
        )
    );
    assert_eq!(
        who("copilot", "preToolUse.bash.json"),
        ("78622f45-660b-4278-8b8e-cf2ff3ed7b80".to_owned(), None)
    );
    assert_eq!(
        who("opencode", "tool.execute.before.bash.json").0,
        "ses_4f1c2a9b7ffe"
    );
}

#[test]
fn what_a_host_only_tells_needs_no_decision() {
    let copilot = |extra: Value| {
        let mut value = json!({"sessionId": "s", "timestamp": 1, "cwd": "/r"});
        for (key, item) in extra.as_object().expect("object") {
            value[key] = item.clone();
        }
        value
    };
    let cursor = |event: &str| json!({"conversation_id": "c", "hook_event_name": event});
    for (value, want) in [
        (
            copilot(
                json!({"toolName": "bash", "toolArgs": {"command": "git push -f"}, "toolResult": {"resultType": "success"}}),
            ),
            "",
        ),
        (copilot(json!({"prompt": "p"})), ""),
        (copilot(json!({"reason": "complete"})), ""),
        (
            copilot(json!({"agentName": "a", "stopReason": "end_turn"})),
            "",
        ),
        (cursor("stop"), "{}"),
        (cursor("sessionStart"), "{}"),
        (cursor("subagentStop"), "{}"),
        (cursor("beforeSubmitPrompt"), r#"{"continue":true}"#),
        (cursor("beforeReadFile"), r#"{"permission":"allow"}"#),
        (
            json!({"session_id": "s", "transcript_path": "/t", "timestamp": "t", "hook_event_name": "BeforeAgent", "prompt": "p"}),
            "",
        ),
        (
            json!({"session_id": "s", "transcript_path": "/t", "timestamp": "t", "permission_mode": "yolo",
                "hook_event_name": "UserPromptSubmit", "prompt": "p"}),
            "",
        ),
        (
            json!({"clineVersion": "3", "hookName": "PostToolUse", "taskId": "t"}),
            r#"{"cancel":false}"#,
        ),
    ] {
        let bytes = payload(&value);
        assert!(
            matches!(whats(&value).as_slice(), [What::Event { .. }]),
            "{value}"
        );
        let reply = reply(&bytes, &Verdict::default());
        assert_eq!((reply.stdout.as_str(), reply.exit), (want, 0), "{value}");
    }
}

#[test]
fn a_session_that_starts_is_briefed_where_the_host_passes_it_on() {
    let verdict = Verdict {
        notes: vec!["one".to_owned(), "two".to_owned()],
        ..Verdict::default()
    };
    let shared = json!({"hookSpecificOutput": {"hookEventName": "SessionStart", "additionalContext": "one\ntwo"}});
    let qwen = payload(
        &json!({"session_id": "s", "transcript_path": "/t", "timestamp": "t", "cwd": "/r",
        "permission_mode": "default", "hook_event_name": "SessionStart", "source": "startup", "model": "m"}),
    );
    let pascal = payload(&json!({"session_id": "s", "timestamp": "t", "cwd": "/r",
        "hook_event_name": "SessionStart", "source": "new"}));
    let file = |host: &str, name: &str| fs::read(fixtures(host).join(name)).expect("payload");
    for (name, bytes, want) in [
        ("claude", file("claude", "SessionStart.json"), &shared),
        ("codex", file("codex", "SessionStart.json"), &shared),
        ("gemini", file("gemini", "SessionStart.json"), &shared),
        ("qwen", qwen, &shared),
        ("copilot", pascal, &shared),
        (
            "copilot",
            file("copilot", "sessionStart.json"),
            &json!({"additionalContext": "one\ntwo"}),
        ),
    ] {
        let heard = host::hear(&bytes, None).expect("heard");
        assert_eq!(heard.host(), name);
        // By this name the brief is asked for.
        assert_eq!(
            heard.calls().expect("calls")[0].what,
            What::Event {
                name: "SessionStart".to_owned()
            }
        );
        let reply = heard.reply(&verdict);
        let got: Value = serde_json::from_str(&reply.stdout).expect("JSON");
        assert_eq!((&got, reply.exit), (want, 0), "{name}");
    }
}

#[test]
fn strangers_are_judged_by_their_command_and_blocked_in_a_way_that_they_know() {
    for name in STRANGERS {
        for (event, bytes) in payloads(name) {
            let all = calls(&bytes);
            let want = if event.ends_with("WriteFile") {
                writes(&["src/a.rs"])
            } else {
                bash("git push --force origin main")
            };
            let call = all.iter().find(|call| call.what == want);
            let cwd = call.and_then(|call| call.cwd.clone());
            assert_eq!(
                cwd,
                Some(PathBuf::from("/home/dev/repo")),
                "{name} {event}: {all:?}"
            );
            let heard = host::hear(&bytes, None).expect("heard");
            // Droid's envelope is that of Claude Code, word for word.
            let host = if *name == "droid" {
                "claude"
            } else {
                "unknown"
            };
            assert_eq!(heard.host(), host, "{name}");
            let denied = heard.reply(&verdict(Decision::Deny));
            assert!(blocks(&denied), "{name}: {denied:?}");
            if !["agy", "cline"].contains(name) {
                assert_eq!((denied.exit, denied.stdout.as_str()), (2, ""), "{name}");
                assert_eq!(heard.reply(&Verdict::default()), Reply::silence(), "{name}");
            }
        }
    }
}

/// Whether some host takes this for a no or, where it can, for a question to the person.
fn blocks(reply: &Reply) -> bool {
    let words: Option<Value> = serde_json::from_str(&reply.stdout).ok();
    if reply.exit == 2 {
        let silent = reply.stdout.is_empty();
        return !reply.stderr.trim().is_empty() && (silent || words.is_some_and(|w| no(&w)));
    }
    reply.exit == 0 && reply.stderr.is_empty() && words.is_some_and(|w| no(&w))
}

fn no(words: &Value) -> bool {
    let said = [
        &words["permission"],
        &words["decision"],
        &words["permissionDecision"],
        &words["hookSpecificOutput"]["permissionDecision"],
        &words["hookSpecificOutput"]["decision"]["behavior"],
    ];
    let said = said.iter().find_map(|word| word.as_str());
    words["cancel"] == json!(true)
        || said.is_some_and(|s| ["deny", "ask", "force_ask"].contains(&s))
}

/// Every payload of every host that wants a decision.
fn questions() -> Vec<(String, Vec<u8>)> {
    let mut all = Vec::new();
    for host in HOSTS.iter().chain(STRANGERS) {
        for (event, bytes) in payloads(host) {
            if is_question(&event) {
                all.push((format!("{host} {event}"), bytes));
            }
        }
    }
    assert!(all.len() > 35, "{}", all.len());
    all
}

#[test]
fn a_denial_is_never_an_allow_whatever_name_is_claimed() {
    let names = HOSTS.iter().map(|name| Some(*name)).chain([None]);
    let names: Vec<Option<&str>> = names.collect();
    for (about, bytes) in questions() {
        for name in &names {
            let heard = host::hear(&bytes, *name).expect("heard");
            let fault = Verdict::failed("fault/panic", "it broke");
            for verdict in [verdict(Decision::Deny), fault] {
                let reply = heard.reply(&verdict);
                assert!(blocks(&reply), "{about} as {name:?}: {reply:?}");
                assert!(!reply.stdout.contains("ask\""), "{about} as {name:?}");
            }
            let reply = heard.reply(&verdict(Decision::Ask));
            // Where the person is asked at this very moment, silence leaves the question open.
            if !about.contains("PermissionRequest") {
                assert!(blocks(&reply), "{about} as {name:?}: {reply:?}");
            }
            let yes = heard.reply(&Verdict::default());
            assert_eq!((yes.exit, yes.stderr.as_str()), (0, ""), "{about}");
            let known = [
                "",
                r#"{"permission":"allow"}"#,
                r#"{"cancel":false}"#,
                r#"{"decision":"allow","reason":"ok"}"#,
            ];
            assert!(known.contains(&yes.stdout.as_str()), "{about}: {yes:?}");
        }
    }
}

#[test]
fn a_contradicted_name_gives_the_plainest_denial() {
    for (about, bytes) in questions() {
        let found = host::hear(&bytes, None).expect("heard").host();
        for name in HOSTS.iter().filter(|name| **name != found) {
            let heard = host::hear(&bytes, Some(name)).expect("heard");
            let asked = heard.reply(&verdict(Decision::Ask));
            let shaped = about.starts_with("agy") || about.starts_with("cline");
            // Copilot reads the settings of Claude Code too, so that name contradicts nothing.
            let lent = found == "copilot" && *name == "claude";
            if !shaped && !lent {
                assert_eq!(
                    (asked.exit, asked.stdout.as_str()),
                    (2, ""),
                    "{about} as {name}"
                );
            }
        }
    }
}

/// What `bytes` come to must be a fault, or still a deed that is judged and can be denied.
fn never_milder(about: &str, bytes: &[u8]) {
    let Ok(heard) = host::hear(bytes, None) else {
        let reply = host::fallback(&Verdict::failed("fault/bad-json", "broken"));
        assert_eq!((reply.exit, reply.stdout.as_str()), (2, ""), "{about}");
        return;
    };
    if let Ok(calls) = heard.calls() {
        assert!(!calls.is_empty(), "{about}");
        let event = |call: &Call| matches!(call.what, What::Event { .. });
        assert!(!calls.iter().any(event), "{about}: {calls:?}");
    }
    for verdict in [
        verdict(Decision::Deny),
        Verdict::failed("fault/no-tool", "broken"),
    ] {
        let reply = heard.reply(&verdict);
        assert!(blocks(&reply), "{about}: {reply:?}");
    }
}

#[test]
fn a_message_with_a_broken_piece_never_ends_milder() {
    let odd = [
        Value::Null,
        json!(7),
        json!(true),
        json!(""),
        json!([]),
        json!([1, {}]),
        json!({"a": 1}),
    ];
    for (about, bytes) in questions() {
        let value: Value = serde_json::from_slice(&bytes).expect("JSON");
        let keys: Vec<String> = value.as_object().expect("object").keys().cloned().collect();
        for key in keys {
            let mut less = value.clone();
            less.as_object_mut().expect("object").remove(&key);
            never_milder(&format!("{about} without {key}"), &payload(&less));
            for odd in &odd {
                let mut value = value.clone();
                value[&key] = odd.clone();
                never_milder(&format!("{about}, {key} {odd}"), &payload(&value));
            }
        }
    }
}

#[test]
fn half_a_message_and_two_messages_are_faults() {
    for (about, bytes) in questions() {
        for part in 1..16 {
            let cut = bytes.trim_ascii_end();
            let cut = &cut[..cut.len().saturating_sub(1) * part / 16];
            assert!(host::hear(cut, None).is_err(), "{about} {part}/16");
        }
        let twice = [bytes.as_slice(), bytes.as_slice()].concat();
        assert!(host::hear(&twice, None).is_err(), "{about} twice");
        let marked = [b"\xEF\xBB\xBF".as_slice(), bytes.as_slice()].concat();
        assert_eq!(calls(&marked), calls(&bytes), "{about}");
        let text = String::from_utf8_lossy(&bytes);
        if text.contains("git push --force") {
            let nul = text.replace("git push --force", "git push\\u0000--force");
            let nul = nul.replace("\\\"git push\\u0000", "\\\"git push\\\\u0000");
            let heard = host::hear(nul.as_bytes(), None).expect("heard");
            assert!(heard.calls().is_err(), "{about} with a NUL");
        }
    }
}
