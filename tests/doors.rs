//! The real binary against hostile input. The law: whatever comes, the exit code is 0 or 2, never
//! 1, never a signal, and a call that is not allowed is never met with silence.
#![allow(clippy::expect_used, reason = "a broken test may stop at once")]

use std::ffi::OsStr;
use std::io::{Read, Write};
use std::os::unix::process::ExitStatusExt;
use std::process::{Child, Command, Stdio};
use std::thread;

const BINARY: &str = env!("CARGO_BIN_EXE_leaseguard");

/// What a row expects.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Want {
    /// Silence, exit 0.
    Allow,
    /// A denial or an ask. Holds as soon as there are rules.
    Refused,
    /// Judged, whatever the outcome.
    Judged,
    /// Denied because leaseguard could not judge, with this code.
    Fault(&'static str),
    /// Judged, or the fault of running short of memory.
    JudgedOr(&'static str),
}
use Want::{Allow, Fault, Judged, JudgedOr, Refused};

struct Answer {
    exit: Option<i32>,
    signal: Option<i32>,
    stdout: String,
    stderr: String,
}

fn hook() -> Command {
    let mut command = Command::new(BINARY);
    command.arg("hook");
    quiet(&mut command);
    command
}

/// No host, home or git of the machine that runs the tests.
fn quiet(command: &mut Command) {
    for (name, _) in std::env::vars_os() {
        let name = name.to_string_lossy().into_owned();
        if name.starts_with("GIT_") || name.starts_with("XDG_") || name.starts_with("LEASEGUARD_") {
            command.env_remove(name);
        }
    }
    command.env("HOME", "/nonexistent");
    command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
}

/// Runs `command` and lets `feed` write its input.
fn run_fed(mut command: Command, feed: impl FnOnce(&mut dyn Write) + Send + 'static) -> Answer {
    let mut child: Child = command.spawn().expect("the binary starts");
    let mut stdin = child.stdin.take().expect("stdin");
    let feeder = thread::spawn(move || feed(&mut stdin));
    let stderr = child.stderr.take();
    let errors = thread::spawn(move || {
        let mut text = String::new();
        if let Some(mut pipe) = stderr {
            pipe.read_to_string(&mut text).expect("stderr is UTF-8");
        }
        text
    });
    let mut stdout = String::new();
    if let Some(mut pipe) = child.stdout.take() {
        pipe.read_to_string(&mut stdout).expect("stdout is UTF-8");
    }
    let status = child.wait().expect("the binary ends");
    feeder.join().expect("all input was taken");
    Answer {
        exit: status.code(),
        signal: status.signal(),
        stdout,
        stderr: errors.join().expect("stderr"),
    }
}

fn run(command: Command, payload: Vec<u8>) -> Answer {
    // Closing early would make hosts run the tool: so a failing write fails the test.
    run_fed(command, move |stdin| {
        stdin.write_all(&payload).expect("all input is read")
    })
}

/// The law, and what the row expects on top.
fn assert_answer(row: &str, want: Want, answer: &Answer) {
    let Answer {
        exit,
        signal,
        stdout,
        stderr,
    } = answer;
    assert_eq!(*signal, None, "{row}: died of a signal; {stderr}");
    let code = exit.unwrap_or(-1);
    assert!(code == 0 || code == 2, "{row}: exit {code}; {stderr}");
    if code == 2 {
        assert!(!stderr.trim().is_empty(), "{row}: denied in silence");
        assert_eq!(stdout, "", "{row}: stdout beside a denial");
    } else {
        assert_eq!(stderr, "", "{row}: words beside an allow or an ask");
        assert!(stdout.is_empty() || is_ask(stdout), "{row}: {stdout}");
    }
    assert!(
        stderr.len() < 64 * 1024,
        "{row}: {} bytes of reason",
        stderr.len()
    );
    assert!(
        !stderr
            .chars()
            .chain(stdout.chars())
            .any(|c| c.is_control() && c != '\n'),
        "{row}: raw control characters"
    );
    let fault = stderr.starts_with("leaseguard could not judge this call, nothing ran: ");
    let code_is = |wanted: &str| fault && stderr.contains(&format!("[{wanted}]"));
    match want {
        Allow => assert!(code == 0 && stdout.is_empty(), "{row}: {stderr}{stdout}"),
        Refused if leaseguard::rules::ALL.is_empty() => assert!(!fault, "{row}: {stderr}"),
        Refused => assert!(
            !fault && (code == 2 || is_ask(stdout)),
            "{row}: {stderr}{stdout}"
        ),
        Judged => assert!(!fault, "{row}: {stderr}"),
        Fault(wanted) => assert!(code_is(wanted), "{row}: {stderr}{stdout}"),
        JudgedOr(wanted) => assert!(!fault || code_is(wanted), "{row}: {stderr}"),
    }
}

fn is_ask(stdout: &str) -> bool {
    let value: Result<serde_json::Value, _> = serde_json::from_str(stdout);
    value.is_ok_and(|v| v["hookSpecificOutput"]["permissionDecision"] == "ask")
}

/// A message of Claude Code whose `tool_input` is this JSON.
fn input(tool: &str, input: &str) -> Vec<u8> {
    format!(
        r#"{{"session_id":"s","transcript_path":"/t","cwd":"/nonexistent/repo","permission_mode":"default","hook_event_name":"PreToolUse","tool_name":"{tool}","tool_input":{input},"tool_use_id":"u"}}"#
    )
    .into_bytes()
}

fn bash(command: &str) -> Vec<u8> {
    let command = serde_json::to_string(command).expect("JSON");
    input("Bash", &format!(r#"{{"command":{command}}}"#))
}

fn joined(parts: &[&[u8]]) -> Vec<u8> {
    parts.concat()
}

/// `n` heredocs, one after the other.
fn heredocs(n: usize) -> String {
    (0..n).map(|i| format!("cat <<E{i}\nx\nE{i}\n")).collect()
}

#[test]
fn messages_that_are_no_messages_are_denied() {
    let valid = bash("git status");
    let rows: Vec<(&str, Vec<u8>, Want)> = vec![
        ("nothing", vec![], Fault("fault/empty-input")),
        ("blanks", b" \n\t ".to_vec(), Fault("fault/empty-input")),
        (
            "a byte order mark alone",
            b"\xEF\xBB\xBF".to_vec(),
            Fault("fault/empty-input"),
        ),
        (
            "words",
            b"git push --force".to_vec(),
            Fault("fault/bad-json"),
        ),
        ("a list", b"[]".to_vec(), Fault("fault/bad-json")),
        (
            "a list of lists",
            b"[".repeat(200_000),
            Fault("fault/bad-json"),
        ),
        ("null", b"null".to_vec(), Fault("fault/bad-json")),
        (
            "a string",
            b"\"git push\"".to_vec(),
            Fault("fault/bad-json"),
        ),
        (
            "UTF-16",
            "{\"a\":1}"
                .encode_utf16()
                .flat_map(u16::to_le_bytes)
                .collect(),
            Fault("fault/bad-json"),
        ),
        (
            "cut short",
            valid[..valid.len() - 20].to_vec(),
            Fault("fault/bad-json"),
        ),
        (
            "cut in the command",
            valid[..valid.len() - 45].to_vec(),
            Fault("fault/bad-json"),
        ),
        (
            "two messages",
            joined(&[&valid, &valid]),
            Fault("fault/bad-json"),
        ),
        (
            "a word behind",
            joined(&[&valid, b"x"]),
            Fault("fault/bad-json"),
        ),
        (
            "NUL bytes behind",
            joined(&[&valid, b"\0\0"]),
            Fault("fault/bad-json"),
        ),
        (
            "a raw NUL byte inside",
            b"{\"hook_event_name\":\"Pre\0ToolUse\"}".to_vec(),
            Fault("fault/bad-json"),
        ),
        (
            "a key twice",
            br#"{"tool_name":"Bash","tool_name":"Read"}"#.to_vec(),
            Fault("fault/bad-json"),
        ),
        (
            "an empty object",
            b"{}".to_vec(),
            Fault("fault/unknown-host"),
        ),
        (
            "deep unknown field",
            joined(&[
                b"{\"x\":",
                &b"[".repeat(100_000),
                &b"]".repeat(100_000),
                b"}",
            ]),
            Fault("fault/bad-json"),
        ),
    ];
    for (row, payload, want) in rows {
        assert_answer(row, want, &run(hook(), payload));
    }
}

#[test]
fn values_of_the_wrong_type_are_denied() {
    let rows: Vec<(&str, Vec<u8>, Want)> = vec![
        ("command is a number", input("Bash", r#"{"command":7}"#), Fault("fault/wrong-type")),
        ("command is true", input("Bash", r#"{"command":true}"#), Fault("fault/wrong-type")),
        ("command is an object", input("Bash", r#"{"command":{"a":"git push"}}"#), Fault("fault/wrong-type")),
        ("command is null", input("Bash", r#"{"command":null}"#), Fault("fault/no-command")),
        ("command is missing", input("Bash", "{}"), Fault("fault/no-command")),
        ("command holds lists", input("Bash", r#"{"command":["git",["push"]]}"#), Fault("fault/wrong-type")),
        ("command is an argument vector", input("Bash", r#"{"command":["git","push","--force"]}"#), Refused),
        ("input is null", input("Bash", "null"), Fault("fault/no-command")),
        ("input is text", input("Bash", "\"git push\""), Fault("fault/no-command")),
        ("input is a number", input("Bash", "3"), Fault("fault/bad-json")),
        ("input is a list", input("Bash", r#"["git push"]"#), Fault("fault/bad-json")),
        ("path is a number", input("Write", r#"{"file_path":1}"#), Fault("fault/wrong-type")),
        ("path is missing", input("Edit", "{}"), Fault("fault/no-path")),
        ("path is empty", input("Write", r#"{"file_path":""}"#), Fault("fault/no-path")),
        ("tool is a number", br#"{"hook_event_name":"PreToolUse","transcript_path":"","tool_name":4}"#.to_vec(), Fault("fault/wrong-type")),
        ("event is a list", br#"{"hook_event_name":["PreToolUse"],"tool_name":"Bash","tool_input":{"command":"ls"}}"#.to_vec(), Judged),
        ("cwd is a number", br#"{"hook_event_name":"PreToolUse","transcript_path":"","cwd":4,"tool_name":"Bash","tool_input":{"command":"ls"}}"#.to_vec(), Fault("fault/wrong-type")),
        ("session is a number", br#"{"hook_event_name":"PreToolUse","transcript_path":"","session_id":4,"tool_name":"Bash","tool_input":{"command":"ls"}}"#.to_vec(), Allow),
        ("half a surrogate", input("Bash", r#"{"command":"git \ud800"}"#), Fault("fault/bad-json")),
        ("invalid UTF-8", joined(&[b"{\"hook_event_name\":\"PreToolUse\",\"transcript_path\":1,\"tool_name\":\"Bash\",\"tool_input\":{\"command\":\"git \xFF\xFE push\"}}"]), Fault("fault/bad-json")),
        ("an escaped NUL", input("Bash", r#"{"command":"git push --fo\u0000rce"}"#), Fault("fault/nul-byte")),
    ];
    for (row, payload, want) in rows {
        assert_answer(row, want, &run(hook(), payload));
    }
}

#[test]
fn odd_messages_with_a_plain_command_are_judged() {
    let no_cwd = br#"{"hook_event_name":"PreToolUse","transcript_path":"/t","tool_name":"Bash","tool_input":{"command":"git push --force"}}"#;
    let rows: Vec<(&str, Vec<u8>, Want)> = vec![
        ("nothing to say", bash("ls -la"), Allow),
        ("an empty command", bash(""), Allow),
        (
            "a force push",
            bash("git push --force origin main"),
            Refused,
        ),
        (
            "a byte order mark",
            joined(&[b"\xEF\xBB\xBF", &bash("git push --force origin main")]),
            Refused,
        ),
        (
            "blanks around",
            joined(&[b"\n \t", &bash("ls"), b" \n"]),
            Allow,
        ),
        ("no cwd", no_cwd.to_vec(), Refused),
        (
            "an unknown tool with a command",
            input("Shellish", r#"{"command":"git push --force origin main"}"#),
            Refused,
        ),
        (
            "an unknown host with a command",
            br#"{"who":{"cmd":"git push --force origin main"}}"#.to_vec(),
            Refused,
        ),
        (
            "an event",
            br#"{"hook_event_name":"SessionEnd","transcript_path":"/t","reason":"other"}"#.to_vec(),
            Allow,
        ),
        (
            "an event of a stranger",
            br#"{"hook_event_name":"SomethingNew"}"#.to_vec(),
            Allow,
        ),
        (
            "escape codes",
            bash("git push --force '\u{1b}[2J\u{7}\u{202e}'"),
            Refused,
        ),
    ];
    for (row, payload, want) in rows {
        assert_answer(row, want, &run(hook(), payload));
    }
}

#[test]
fn broken_and_bottomless_shell_text_is_judged() {
    let rows: Vec<(&str, String, Want)> = vec![
        (
            "an open quote",
            "git push --force 'origin".to_owned(),
            Judged,
        ),
        (
            "an open substitution",
            "echo $(git push --force".to_owned(),
            Judged,
        ),
        ("200 nested substitutions", nested(200), Judged),
        ("10,000 nested substitutions", nested(10_000), Judged),
        ("100,000 parentheses", "(".repeat(100_000), Judged),
        (
            "100,000 closed parentheses",
            "(".repeat(50_000) + "ls" + &")".repeat(50_000),
            Judged,
        ),
        ("100,000 braces", "{ ".repeat(100_000), Judged),
        ("100,000 backticks", "`".repeat(100_000), Judged),
        ("100,000 quotes", "\"$(".repeat(33_000), Judged),
        (
            "100,000 commands",
            "a && ".repeat(100_000) + "git push --force",
            Judged,
        ),
        ("100,000 pipes", "a | ".repeat(100_000) + "b", Judged),
        ("2,000 heredocs", heredocs(2_000), Judged),
        (
            "2,000 heredocs of one line",
            "cat ".to_owned() + &"<<E ".repeat(2_000) + "\nE\n",
            Judged,
        ),
        (
            "a brace expansion",
            "echo ".to_owned() + &"{a,b}".repeat(5_000),
            Judged,
        ),
        ("nested conditionals", "if a; then ".repeat(5_000), Judged),
        ("nested case", "case x in x) ".repeat(5_000), Judged),
        (
            "an arithmetic tower",
            "echo $((".to_owned() + &"(".repeat(50_000),
            Judged,
        ),
        (
            "a parameter tower",
            "echo ".to_owned() + &"${a:-".repeat(20_000),
            Judged,
        ),
        (
            "eval of eval",
            "eval ".repeat(20_000) + "git push --force",
            Judged,
        ),
        ("1 MB of letters", "a".repeat(1_000_000), Judged),
        ("1 MB of commands", "true;".repeat(200_000), Judged),
        ("20 MB", "x ".repeat(10_000_000), Judged),
    ];
    for (row, text, want) in rows {
        assert_answer(row, want, &run(hook(), bash(&text)));
    }
}

fn nested(depth: usize) -> String {
    "echo ".to_owned() + &"$(".repeat(depth) + "git push --force" + &")".repeat(depth)
}

#[test]
fn more_than_64_mib_is_read_to_its_end_and_denied() {
    let answer = run_fed(hook(), |stdin| {
        let chunk = vec![b'x'; 1 << 20];
        stdin
            .write_all(b"{\"tool_input\":{\"command\":\"")
            .expect("read");
        for _ in 0..65 {
            stdin.write_all(&chunk).expect("all input is read");
        }
    });
    assert_answer("65 MiB", Fault("fault/too-large"), &answer);
}

#[test]
fn arguments_that_the_door_does_not_know_are_denied() {
    for args in [
        vec!["--hots", "claude"],
        vec!["--host"],
        vec!["--host", "nobody"],
        vec!["--host=nobody"],
        vec!["--hostclaude"],
        vec!["--help"],
        vec!["--version"],
        vec!["extra"],
        vec![""],
    ] {
        let mut command = hook();
        command.args(&args);
        let answer = run(command, bash("ls").repeat(2_000));
        assert_answer(&format!("{args:?}"), Fault("fault/bad-argument"), &answer);
    }
    for args in [vec!["--host", "claude"], vec!["--host=codex"]] {
        let mut command = hook();
        command.args(&args);
        assert_answer(&format!("{args:?}"), Allow, &run(command, bash("ls")));
    }
}

#[test]
fn an_argument_that_is_no_utf_8_is_denied() {
    use std::os::unix::ffi::OsStrExt;
    let mut command = hook();
    command.arg(OsStr::from_bytes(b"--host=\xFF"));
    assert_answer(
        "bytes",
        Fault("fault/bad-argument"),
        &run(command, bash("ls")),
    );
}

#[test]
fn a_panic_is_a_denial_without_noise() {
    for payload in [bash("ls"), b"{}".to_vec()] {
        let mut command = hook();
        command.env("LEASEGUARD_TEST_PANIC", "1");
        let answer = run(command, payload);
        assert_answer("panic", Fault("fault/panic"), &answer);
        assert!(!answer.stderr.contains("seeded") && !answer.stderr.contains("thread"));
        assert_eq!(answer.stderr.lines().count(), 2);
    }
}

/// Runs the door through `sh -c '<setup>; exec leaseguard hook<redirects>'`.
fn through_sh(setup: &str, redirects: &str) -> Command {
    let mut command = Command::new("/bin/sh");
    command
        .arg("-c")
        .arg(format!("{setup} exec \"$0\" hook {redirects}"))
        .arg(BINARY);
    quiet(&mut command);
    command
}

#[test]
fn closed_outputs_do_not_change_the_exit_code() {
    for redirects in [">&-", "2>&-", ">&- 2>&-", "2>/dev/full", ">/dev/full"] {
        for (payload, code) in [(bash("ls"), 0), (b"{".to_vec(), 2)] {
            let answer = run(through_sh("", redirects), payload);
            assert_eq!(answer.signal, None, "{redirects}");
            assert_eq!(answer.exit, Some(code), "{redirects}: {}", answer.stderr);
        }
    }
}

#[test]
fn a_reader_that_went_away_does_not_change_the_exit_code() {
    let mut command = hook();
    command.stdout(Stdio::null());
    let mut child = command.spawn().expect("the binary starts");
    drop(child.stderr.take());
    let mut stdin = child.stdin.take().expect("stdin");
    stdin.write_all(b"{").expect("read");
    drop(stdin);
    let status = child.wait().expect("the binary ends");
    assert_eq!((status.code(), status.signal()), (Some(2), None));
}

#[test]
fn closed_input_is_denied() {
    let answer = run_fed(through_sh("", "<&-"), |_| {});
    assert_answer("closed stdin", Fault("fault/empty-input"), &answer);
    let answer = run_fed(through_sh("", "</"), |_| {});
    assert_answer("a directory as stdin", Fault("fault/input"), &answer);
}

#[test]
fn little_memory_is_a_denial_and_not_a_death() {
    let rows = [
        ("a force push", "git push --force".to_owned()),
        ("10,000 nested substitutions", nested(10_000)),
        ("100,000 commands", "a && ".repeat(100_000) + "b"),
        ("2,000 heredocs", heredocs(2_000)),
        ("1 MB", "true;".repeat(200_000)),
        ("20 MB", "x ".repeat(10_000_000)),
    ];
    // What the kernel cannot load cannot answer, and without optimisation it is larger than 8 MiB.
    let least = if cfg!(debug_assertions) {
        16_384
    } else {
        8_192
    };
    for kib in (0..6).map(|step| least << step) {
        for (row, text) in &rows {
            let command = through_sh(&format!("ulimit -v {kib};"), "");
            let answer = run(command, bash(text));
            let want = JudgedOr("fault/memory");
            assert_answer(&format!("{row} in {kib} KiB"), want, &answer);
        }
    }
    let answer = run(through_sh("ulimit -v 65536;", ""), bash("ls"));
    assert_answer("a plain command in 64 MiB", Allow, &answer);
}

#[test]
fn a_small_stack_is_enough() {
    let deep = |n: usize| format!("{}1{}", r#"{"a":"#.repeat(n), "}".repeat(n));
    let rows: Vec<(&str, Vec<u8>, Want)> = vec![
        ("a plain command", bash("ls"), Allow),
        ("10,000 nested substitutions", bash(&nested(10_000)), Judged),
        ("100,000 parentheses", bash(&"(".repeat(100_000)), Judged),
        (
            "100,000 commands",
            bash(&("a && ".repeat(100_000) + "b")),
            Judged,
        ),
        (
            "nested conditionals",
            bash(&"if a; then ".repeat(5_000)),
            Judged,
        ),
        ("an input 100 deep", input("mcp__a__b", &deep(100)), Judged),
        (
            "an input 100,000 deep",
            input("mcp__a__b", &deep(100_000)),
            Fault("fault/bad-json"),
        ),
        (
            "JSON in JSON",
            input("x", &format!(r#"{{"args":{:?}}}"#, deep(120))),
            Judged,
        ),
    ];
    for (row, payload, want) in rows {
        let command = through_sh("ulimit -s 512;", "");
        assert_answer(&format!("{row} on 512 KiB"), want, &run(command, payload));
    }
}

#[test]
fn a_working_directory_that_is_gone_is_no_reason_to_fail() {
    let dir = tempfile::tempdir().expect("a directory");
    let gone = dir.path().join("gone");
    std::fs::create_dir(&gone).expect("made");
    let setup = format!("cd '{0}' && rmdir '{0}' &&", gone.display());
    let payload = br#"{"hook_event_name":"PreToolUse","transcript_path":"/t","tool_name":"Bash","tool_input":{"command":"ls"}}"#;
    assert_answer(
        "gone",
        Allow,
        &run(through_sh(&setup, ""), payload.to_vec()),
    );
}

#[test]
fn an_unknown_verb_does_not_pass_for_silence() {
    let mut command = Command::new(BINARY);
    command.arg("hok");
    quiet(&mut command);
    let answer = run_fed(command, |_| {});
    assert_eq!(answer.exit, Some(2));
    assert!(!answer.stderr.is_empty() && answer.stdout.is_empty());
}
