//! The verbs for people, through the real binary.
#![allow(clippy::expect_used, reason = "a broken test may stop at once")]

use serde_json::Value;
use std::io::Write;
use std::process::{Command, Output, Stdio};

const BINARY: &str = env!("CARGO_BIN_EXE_leaseguard");

fn leaseguard(args: &[&str], stdin: &str) -> Output {
    let home = tempfile::tempdir().expect("a home");
    let mut child = Command::new(BINARY)
        .args(args)
        .env("HOME", home.path())
        .env_remove("NO_COLOR")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the binary starts");
    let mut pipe = child.stdin.take().expect("stdin");
    // A verb that reads no input may be gone already.
    let _ = pipe.write_all(stdin.as_bytes());
    drop(pipe);
    child.wait_with_output().expect("the binary ends")
}

fn code(args: &[&str]) -> i32 {
    leaseguard(args, "").status.code().expect("no signal")
}

fn stdout(args: &[&str], stdin: &str) -> String {
    let output = leaseguard(args, stdin);
    assert_eq!(String::from_utf8_lossy(&output.stderr), "", "{args:?}");
    String::from_utf8(output.stdout).expect("UTF-8")
}

fn stderr(args: &[&str]) -> String {
    String::from_utf8(leaseguard(args, "").stderr).expect("UTF-8")
}

fn json(args: &[&str], stdin: &str) -> Value {
    let output = leaseguard(args, stdin);
    serde_json::from_slice(&output.stdout).expect("one JSON value")
}

/// The rule book is filled by now.
fn has_rules() -> bool {
    !leaseguard::rules::ALL.is_empty()
}

#[test]
fn what_is_allowed_exits_zero_and_says_so() {
    let output = leaseguard(&["check", "ls -la"], "");
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(String::from_utf8_lossy(&output.stdout), "allowed\n");
}

#[test]
fn wrong_use_is_trouble() {
    for args in [
        vec![],
        vec!["nonsense"],
        vec!["check"],
        vec!["check", "--nonsense", "ls"],
        vec!["check", "git push", "origin"],
        vec!["check", "--lines", "ls"],
        vec!["explain"],
        vec!["explain", "git/no-such-rule"],
        vec!["rules", "extra"],
        vec!["install", "--print"],
        vec!["install", "nobody", "--print"],
    ] {
        let output = leaseguard(&args, "");
        assert_eq!(output.status.code(), Some(2), "{args:?}");
        assert!(
            !output.stderr.is_empty() && output.stdout.is_empty(),
            "{args:?}"
        );
    }
}

#[test]
fn a_force_push_is_denied_with_exit_one() {
    if has_rules() {
        assert_eq!(code(&["check", "git push --force origin main"]), 1);
        assert_eq!(
            code(&["check", "git", "push", "--force", "origin", "main"]),
            1
        );
        assert_eq!(
            code(&["check", "--json", "git push --force origin main"]),
            1
        );
    }
}

#[test]
fn json_has_a_version_and_the_promised_keys() {
    let value = json(&["check", "--json", "git push --force origin main"], "");
    assert_eq!(value["v"], 1);
    assert_eq!(value["command"], "git push --force origin main");
    assert!(
        ["allow", "ask", "deny"]
            .iter()
            .any(|word| value["decision"] == *word)
    );
    assert!(value["findings"].is_array() && value["effects"].is_array());
    for finding in value["findings"].as_array().expect("findings") {
        let keys = [
            "rule", "decision", "effect", "because", "instead", "next", "span",
        ];
        assert!(
            keys.iter().all(|key| finding.get(key).is_some()),
            "{finding}"
        );
    }
}

#[test]
fn the_exit_code_and_the_decision_agree() {
    for command in [
        "ls",
        "git push --force origin main",
        "git push $X",
        "git add -A",
    ] {
        let output = leaseguard(&["check", "--json", command], "");
        let value: Value = serde_json::from_slice(&output.stdout).expect("JSON");
        let want = match value["decision"].as_str().expect("decision") {
            "allow" => 0,
            "deny" => 1,
            _ => 3,
        };
        assert_eq!(output.status.code(), Some(want), "{command}");
    }
}

#[test]
fn one_word_is_shell_text_and_several_are_an_argument_vector() {
    let judged = |args: &[&str]| {
        let value = json(args, "");
        value["command"].as_str().expect("command").to_owned()
    };
    assert_eq!(
        judged(&["check", "--json", "echo a; echo b"]),
        "echo a; echo b"
    );
    assert_eq!(
        judged(&["check", "echo a; echo b", "--json"]),
        "echo a; echo b"
    );
    assert_eq!(
        judged(&["check", "--json", "echo", "a; b", "$X", "-n"]),
        "echo 'a; b' '$X' -n"
    );
    assert_eq!(judged(&["check", "--json", "--", "a b"]), "'a b'");
    assert_eq!(
        judged(&["check", "--json", "--", "echo", "it's"]),
        r"echo 'it'\''s'"
    );
    assert_eq!(
        judged(&["check", "--json", "git", "checkout", "--", "."]),
        "git checkout -- ."
    );
    assert_eq!(judged(&["check", "--json", "if", "x"]), "'if' x");
    assert_eq!(
        judged(&["check", "--cwd", "/", "--json", "git", "--json"]),
        "git --json"
    );
}

#[test]
fn a_dash_is_a_script_on_stdin() {
    let script = "cd x\nif true; then\n  echo hi\nfi\n";
    assert_eq!(json(&["check", "-", "--json"], script)["command"], script);
    assert_eq!(json(&["check", "--json", "-"], script)["command"], script);
    assert_eq!(
        json(&["check", "--json", "--", "-"], script)["command"],
        "-"
    );
}

#[test]
fn every_line_is_judged_by_itself_and_the_strictest_decides() {
    let lines = "ls\n\ngit push --force origin main\n";
    let text = stdout(&["check", "--lines"], lines);
    let shown: Vec<&str> = text.lines().collect();
    assert_eq!(shown.len(), 3);
    assert_eq!(shown.first(), Some(&"allow\t-\tls"));
    assert!(
        shown
            .last()
            .is_some_and(|line| line.ends_with("\tgit push --force origin main"))
    );
    let json = stdout(&["check", "--lines", "--json"], lines);
    for (at, line) in json.lines().enumerate() {
        let value: Value = serde_json::from_str(line).expect("one JSON object a line");
        assert_eq!(value["line"], at + 1);
    }
    assert_eq!(
        leaseguard(&["check", "--lines"], "ls\npwd\n").status.code(),
        Some(0)
    );
    if has_rules() {
        assert_eq!(
            leaseguard(&["check", "--lines"], lines).status.code(),
            Some(1)
        );
    }
    assert_eq!(leaseguard(&["check", "--lines"], "").status.code(), Some(0));
}

#[test]
fn no_colour_and_no_control_character_leaves_into_a_pipe() {
    for verb in ["check", "explain"] {
        let text = stdout(&[verb, "git push --force '\u{1b}[31m\u{7}\u{202e}\r'"], "");
        assert!(
            !text.chars().any(|c| c.is_control() && c != '\n'),
            "{text:?}"
        );
        assert!(!text.contains('\u{202e}'), "{text:?}");
    }
}

/// Runs on a pseudo-terminal where `script` (util-linux) is there to make one.
#[test]
fn a_terminal_gets_colours_unless_no_color_is_set() {
    let on_terminal = |setting: &str| {
        let output = Command::new("script")
            .args([
                "-qec",
                &format!("{setting} '{BINARY}' check ls"),
                "/dev/null",
            ])
            .env("TERM", "xterm")
            .env_remove("NO_COLOR")
            .stdin(Stdio::null())
            .output();
        output
            .ok()
            .map(|o| String::from_utf8_lossy(&o.stdout).into_owned())
    };
    let (Some(plain), Some(coloured)) = (on_terminal("NO_COLOR=1"), on_terminal("")) else {
        return;
    };
    if coloured.contains("allowed") {
        assert!(
            coloured.contains("\u{1b}[32mallowed\u{1b}[0m"),
            "{coloured:?}"
        );
        assert!(!plain.contains('\u{1b}'), "{plain:?}");
    }
}

#[test]
fn install_prints_json_with_the_absolute_path() {
    for host in ["claude", "codex"] {
        let output = leaseguard(&["install", host, "--print"], "");
        assert_eq!(output.status.code(), Some(0));
        let value: Value = serde_json::from_slice(&output.stdout).expect("nothing but JSON");
        let hook = &value["hooks"]["PreToolUse"][0]["hooks"][0];
        let command = hook["command"].as_str().expect("command");
        let real = std::fs::canonicalize(BINARY).expect("path");
        assert!(command.contains(real.to_str().expect("UTF-8")), "{command}");
        assert!(command.trim_matches('\'').starts_with('/'), "{command}");
        assert!(!output.stdout.windows(2).any(|w| w == b"@L"));
        assert_eq!(hook["timeout"], 30);
        assert!(!output.stderr.is_empty(), "where it goes is told apart");
    }
    assert!(stderr(&["install", "codex", "--print"]).contains("/hooks"));
}

#[test]
fn install_prints_for_every_host_and_tells_where_it_goes() {
    for host in leaseguard::host::ALL {
        let output = leaseguard(&["install", host.name, "--print"], "");
        assert_eq!(output.status.code(), Some(0), "{}", host.name);
        let real = std::fs::canonicalize(BINARY).expect("path");
        let printed = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(printed.contains(real.to_str().expect("UTF-8")), "{printed}");
        let file = host.setup.expect("a setup").user.file;
        let told = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(told.contains(file), "{told}");
    }
}

/// Copilot CLI drops the arguments of an entry that it finds in the settings of Claude Code.
#[test]
fn a_host_that_drops_the_arguments_is_answered_all_the_same() {
    let message = |command: &str| {
        format!(
            r#"{{"hook_event_name":"PreToolUse","session_id":"s","timestamp":"t","cwd":"/nonexistent","tool_name":"Bash","tool_input":{{"command":"{command}"}}}}"#
        )
    };
    let allowed = leaseguard(&[], &message("ls"));
    assert_eq!(allowed.status.code(), Some(0));
    assert!(allowed.stdout.is_empty() && allowed.stderr.is_empty());
    let denied = leaseguard(&[], &message("leaseguard uninstall"));
    assert_eq!(denied.status.code(), Some(2));
    let text = String::from_utf8_lossy(&denied.stdout).into_owned();
    assert!(text.contains(r#""permissionDecision":"deny""#), "{text}");
    assert_eq!(leaseguard(&[], "").status.code(), Some(2));
}

#[test]
fn what_install_prints_opens_the_door() {
    let message = r#"{"hook_event_name":"PreToolUse","transcript_path":"/t","tool_name":"Bash","tool_input":{}}"#;
    let command = |host: &str| {
        let value = json(&["install", host, "--print"], "");
        value["hooks"]["PreToolUse"][0]["hooks"][0].clone()
    };
    let claude = command("claude");
    let args: Vec<&str> = claude["args"]
        .as_array()
        .expect("args")
        .iter()
        .filter_map(Value::as_str)
        .collect();
    assert_eq!(leaseguard(&args, message).status.code(), Some(2));
    let mut child = Command::new("/bin/sh")
        .args(["-c", command("codex")["command"].as_str().expect("command")])
        .stdin(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("a shell");
    let mut pipe = child.stdin.take().expect("stdin");
    pipe.write_all(message.as_bytes()).expect("read");
    drop(pipe);
    let output = child.wait_with_output().expect("ends");
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("[fault/no-command]"));
}

#[test]
fn a_case_is_toml_that_holds_the_command() {
    let command = "git commit -m \"it's\" \\\n  --amend\t# ü";
    let text = stdout(&["explain", "--case", command], "");
    let table: toml::Table = text.parse().expect("TOML");
    let scene = &table["scene"][0];
    let found = ["allow", "ask", "deny"]
        .iter()
        .find_map(|word| scene.get(word));
    assert_eq!(found.and_then(|list| list[0].as_str()), Some(command));
}

#[test]
fn a_rule_explains_itself_and_a_typo_finds_it() {
    for rule in leaseguard::rules::ALL {
        let text = stdout(&["explain", rule.id], "");
        for part in [rule.id, rule.stops, rule.why, rule.instead] {
            assert!(text.contains(part), "{}: {part}", rule.id);
        }
        let mut typo = rule.id.to_owned();
        typo.push('x');
        let near = format!("did you mean `{}`", rule.id);
        assert!(stderr(&["explain", &typo]).contains(&near), "{typo}");
    }
    assert!(stderr(&["explain", "zzz/zzzzzzzzzzzz"]).contains("`leaseguard rules`"));
}

#[test]
fn the_rule_list_is_complete_in_both_forms() {
    let table = stdout(&["rules"], "");
    let value = json(&["rules", "--json"], "");
    assert_eq!(value["v"], 1);
    let listed = value["rules"].as_array().expect("rules");
    assert_eq!(listed.len(), leaseguard::rules::ALL.len());
    for (rule, line) in leaseguard::rules::ALL.iter().zip(table.lines()) {
        assert!(line.starts_with(rule.id) && line.contains(rule.decision.word()));
        assert!(line.ends_with(rule.stops));
    }
}

#[test]
fn help_names_every_verb_and_the_exit_codes() {
    let help = stdout(&["--help"], "");
    for verb in ["check", "explain", "rules", "install", "hook"] {
        assert!(help.contains(&format!("\n  {verb} ")), "{help}");
        if verb != "hook" {
            let own = stdout(&[verb, "--help"], "");
            assert!(own.contains(&format!("Usage: leaseguard {verb}")), "{own}");
        }
    }
    let table = "\
exit codes of every verb:
  0  allowed, or done
  1  denied, or refused
  2  trouble: wrong use, or leaseguard itself failed
  3  a person has to say yes
";
    assert!(help.contains(table), "{help}");
    let version = concat!("leaseguard ", env!("CARGO_PKG_VERSION"), "\n");
    assert_eq!(stdout(&["--version"], ""), version);
}

#[test]
fn a_closed_output_changes_no_exit_code() {
    for args in ["check ls", "rules", "--help", "install claude --print"] {
        for redirects in [">&-", ">/dev/full", "2>&- >&-"] {
            let status = Command::new("/bin/sh")
                .args(["-c", &format!("'{BINARY}' {args} {redirects}")])
                .stdin(Stdio::null())
                .stderr(Stdio::null())
                .status();
            assert_eq!(
                status.expect("a shell").code(),
                Some(0),
                "{args} {redirects}"
            );
        }
    }
}
