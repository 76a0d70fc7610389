//! What is placed into the hosts: their settings, the plugin of OpenCode and that of Claude Code.
#![allow(
    clippy::expect_used,
    clippy::panic,
    clippy::print_stderr,
    reason = "a broken test may stop at once"
)]

mod support;

use leaseguard::host;
use leaseguard::host::setup::{Form, Owner, PLACEHOLDER, Setup};
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

const ODD: &str = "/a b/it's \"x\" $HOME `y`\\z/leaseguard";

fn setups() -> Vec<(&'static str, &'static Setup)> {
    let all: Vec<_> = host::ALL
        .iter()
        .map(|host| (host.name, host.setup.as_ref().expect("a setup")))
        .collect();
    assert!(all.len() > 6);
    all
}

fn json(setup: &Setup, program: &str) -> Value {
    serde_json::from_str(&setup.filled(program)).expect("JSON")
}

/// Every handler below each event, with the matcher that stands around or in it.
fn handlers(value: &Value) -> BTreeMap<String, Vec<(Option<String>, Value)>> {
    let mut all = BTreeMap::new();
    for (event, entries) in value["hooks"].as_object().expect("hooks") {
        let list: &mut Vec<_> = all.entry(event.clone()).or_default();
        for entry in entries.as_array().expect("a list") {
            let matcher = entry["matcher"].as_str().map(str::to_owned);
            match entry["hooks"].as_array() {
                Some(inner) => list.extend(inner.iter().map(|h| (matcher.clone(), h.clone()))),
                None => list.push((matcher, entry.clone())),
            }
        }
    }
    all
}

/// The words that a POSIX shell makes of `line`.
fn shell_words(line: &str) -> Vec<String> {
    let script = format!("printf '%s\\0' {line}");
    let out = Command::new("/bin/sh")
        .args(["-c", &script])
        .output()
        .expect("a shell");
    let text = String::from_utf8(out.stdout).expect("UTF-8");
    text.split_terminator('\0').map(str::to_owned).collect()
}

#[test]
fn an_odd_path_reaches_every_host_unchanged() {
    for (name, setup) in setups() {
        assert!(setup.snippet.contains(PLACEHOLDER), "{name}");
        let filled = setup.filled(ODD);
        assert!(!filled.contains(PLACEHOLDER), "{name}");
        if setup.form == Form::Module {
            continue;
        }
        for (event, handlers) in handlers(&json(setup, ODD)) {
            for (_, handler) in handlers {
                let about = format!("{name} {event}");
                if setup.form == Form::Exec {
                    assert_eq!(handler["command"], ODD, "{about}");
                    assert_eq!(handler["args"], serde_json::json!(["hook", "--host", name]));
                    continue;
                }
                let line = handler["bash"].as_str().or(handler["command"].as_str());
                let words = shell_words(line.expect("a command"));
                assert_eq!(words, [ODD, "hook", "--host", name], "{about}");
                if let Some(line) = handler["powershell"].as_str() {
                    let quoted = format!("'{}'", ODD.replace('\'', "''"));
                    let want = format!("& {quoted} hook --host {name}; exit $LASTEXITCODE");
                    assert_eq!(line, want, "{about}");
                }
                if let Some(line) = handler["commandWindows"].as_str() {
                    assert_eq!(line, format!("\"{ODD}\" hook --host {name}"), "{about}");
                }
            }
        }
    }
}

#[test]
fn every_event_that_is_needed_is_named() {
    for (name, want) in [
        (
            "claude",
            "PostToolUse PreSkillShellCommand PreToolUse SessionEnd SessionStart SubagentStop UserPromptSubmit",
        ),
        (
            "codex",
            "PostToolUse PreToolUse SessionEnd SessionStart SubagentStop UserPromptSubmit",
        ),
        (
            "copilot",
            "postToolUse preToolUse sessionEnd sessionStart subagentStop userPromptSubmitted",
        ),
        (
            "cursor",
            "beforeMCPExecution beforeShellExecution beforeSubmitPrompt postToolUse preToolUse sessionEnd sessionStart subagentStop",
        ),
        (
            "gemini",
            "AfterTool BeforeAgent BeforeTool SessionEnd SessionStart",
        ),
        (
            "qwen",
            "PostToolUse PreToolUse SessionEnd SessionStart SubagentStop UserPromptSubmit",
        ),
    ] {
        let (_, setup) = setups()
            .into_iter()
            .find(|(n, _)| *n == name)
            .expect("host");
        let events: Vec<String> = handlers(&json(setup, "/l")).into_keys().collect();
        assert_eq!(events.join(" "), want, "{name}");
    }
}

/// Seconds, in the unit of each host; the end of a session of Codex may last three at most.
#[test]
fn every_handler_has_thirty_seconds_and_blocks_where_it_can() {
    for (name, setup) in setups() {
        if setup.form == Form::Module {
            assert!(setup.snippet.contains("TIMEOUT = 30000"));
            continue;
        }
        let (key, time) = match name {
            "copilot" => ("timeoutSec", 30),
            "gemini" | "qwen" => ("timeout", 30_000),
            _ => ("timeout", 30),
        };
        for (event, handlers) in handlers(&json(setup, "/l")) {
            for (_, handler) in handlers {
                let about = format!("{name} {event}");
                let time = if about == "codex SessionEnd" { 3 } else { time };
                assert_eq!(handler[key], time, "{about}");
                let asks = event.starts_with("PreTool")
                    || event == "PreSkillShellCommand"
                    || event == "preToolUse"
                    || event.ends_with("Execution");
                if name == "claude" && asks {
                    assert_eq!(handler["onFailure"], "block", "{about}");
                }
                if name == "cursor" && asks {
                    assert_eq!(handler["failClosed"], true, "{about}");
                }
            }
        }
    }
}

/// Our matchers are alternatives of names and of prefixes alone, so that this is all of it.
fn matches(host: &str, matcher: &str, tool: &str) -> bool {
    let whole = matcher
        .strip_prefix("^(")
        .and_then(|m| m.strip_suffix(")$"));
    // Claude Code takes any matcher with a dot in it for an expression that may match anywhere.
    let anywhere = host == "claude" && matcher.contains('.') && whole.is_none();
    let names = whole.unwrap_or(matcher);
    names.split('|').any(|name| {
        let (name, prefix) = match name.strip_suffix(".*") {
            Some(start) => (start, true),
            None => (name, false),
        };
        let plain = name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
        assert!(plain, "{host}: {matcher} is more than names and prefixes");
        tool == name || prefix && tool.starts_with(name) || anywhere && tool.contains(name)
    })
}

#[test]
fn a_matcher_matches_names_and_prefixes_only() {
    assert!(matches("codex", "^(Bash|mcp__.*)$", "mcp__a__b"));
    assert!(!matches("codex", "^(Bash|mcp__.*)$", "bash"));
    assert!(!matches("codex", "^(Bash|mcp__.*)$", "BashX"));
    assert!(matches("claude", "Edit|mcp__.*", "MultiEdit"));
    assert!(!matches("cursor", "Edit", "MultiEdit"));
}

/// The tool that a payload asks about, with the event under which it comes.
fn asked(host: &str, path: &Path) -> Option<(String, String)> {
    let name = path.file_name()?.to_str()?.strip_suffix(".json")?;
    if [".allow", ".ask", ".deny"]
        .iter()
        .any(|end| name.ends_with(end))
    {
        return None;
    }
    let value: Value = serde_json::from_slice(&fs::read(path).ok()?).ok()?;
    let event = match value["hook_event_name"].as_str() {
        Some(event) if host == "copilot" && event == "PreToolUse" => "preToolUse",
        Some(event) => event,
        None => "preToolUse",
    };
    let tool = value["tool_name"].as_str().or(value["toolName"].as_str())?;
    let before = event.to_lowercase();
    let before = before.starts_with("pre") || before.starts_with("before");
    before.then(|| (event.to_owned(), tool.to_owned()))
}

#[test]
fn every_tool_that_was_ever_seen_is_matched() {
    let mut seen = 0;
    for (name, setup) in setups() {
        if setup.form == Form::Module {
            continue;
        }
        let handlers = handlers(&json(setup, "/l"));
        let dir = support::root().join("fixtures/hosts").join(name);
        for entry in fs::read_dir(dir).expect("fixtures") {
            let Some((event, tool)) = asked(name, &entry.expect("entry").path()) else {
                continue;
            };
            // Cursor's own event for shells comes first, and it alone can ask.
            if name == "cursor" && tool == "Shell" {
                assert!(handlers["beforeShellExecution"][0].0.is_none());
                continue;
            }
            seen += 1;
            let matched = handlers[&event]
                .iter()
                .any(|(matcher, _)| matcher.as_deref().is_none_or(|m| matches(name, m, &tool)));
            assert!(matched, "{name} {event} {tool}");
        }
    }
    assert!(seen > 15, "{seen}");
}

#[test]
fn files_and_steps_are_told_so_that_a_person_can_follow() {
    for (name, setup) in setups() {
        for place in [setup.user, setup.project] {
            assert!(place.dir.starts_with('.'), "{name}");
            let ours = place.file.contains("leaseguard");
            assert_eq!(ours, setup.owner == Owner::Ours, "{name}: {}", place.file);
        }
        assert!(
            !setup.programs.is_empty() && !setup.steps.is_empty(),
            "{name}"
        );
        for step in setup.steps {
            let first = step.chars().next().expect("words");
            assert!(
                !first.is_uppercase() && !step.ends_with('.'),
                "{name}: {step}"
            );
        }
    }
}

// --- the plugin of Claude Code --------------------------------------------------------------------

fn plugin(path: &str) -> PathBuf {
    support::root().join("hooks/claude-plugin").join(path)
}

#[test]
fn the_plugin_of_claude_code_says_what_the_settings_say() {
    let read = |path: &str| -> Value {
        serde_json::from_slice(&fs::read(plugin(path)).expect(path)).expect("JSON")
    };
    let (_, claude) = setups()
        .into_iter()
        .find(|(n, _)| *n == "claude")
        .expect("claude");
    let want = json(claude, "${CLAUDE_PLUGIN_ROOT}/bin/leaseguard");
    assert_eq!(read("hooks/hooks.json")["hooks"], want["hooks"]);
    let manifest = read(".claude-plugin/plugin.json");
    assert_eq!(manifest["name"], "leaseguard");
    assert_eq!(manifest["version"], env!("CARGO_PKG_VERSION"));
}

/// Runs the launcher with `path` and a home that has nothing.
fn launch(path: &str, args: &[&str]) -> Output {
    Command::new(plugin("bin/leaseguard"))
        .args(args)
        .env_clear()
        .env("PATH", path)
        .env("HOME", "/nonexistent")
        .output()
        .expect("the launcher starts")
}

fn script(dir: &Path, name: &str, text: &str) {
    use std::os::unix::fs::PermissionsExt;
    let path = dir.join(name);
    fs::write(&path, text).expect("a script");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).expect("mode");
}

#[test]
fn the_launcher_finds_the_program_and_keeps_its_answer() {
    let dir = tempfile::tempdir().expect("a directory");
    script(
        dir.path(),
        "leaseguard",
        "#!/bin/sh\necho \"$1 $2 $3\" >&2\nexit 2\n",
    );
    // Its own directory is on PATH in front, as Claude Code puts it there.
    let own = plugin("bin");
    let path = format!("{}:{}", own.display(), dir.path().display());
    let out = launch(&path, &["hook", "--host", "claude"]);
    assert_eq!(out.status.code(), Some(2));
    assert_eq!(String::from_utf8_lossy(&out.stderr), "hook --host claude\n");
}

#[test]
fn the_launcher_denies_where_the_program_is_missing_or_breaks() {
    for place in [
        "/usr/local/bin",
        "/opt/homebrew/bin",
        "/home/linuxbrew/.linuxbrew/bin",
    ] {
        if Path::new(place).join("leaseguard").exists() {
            return eprintln!("skipped: leaseguard is installed on this machine");
        }
    }
    let gone = launch("/nonexistent:.", &["hook"]);
    assert_eq!(gone.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&gone.stderr).contains("leaseguard is not installed"));
    let dir = tempfile::tempdir().expect("a directory");
    let path = dir.path().to_str().expect("UTF-8");
    for end in ["exit 1", "exit 101", "kill -9 $$", "exit 127"] {
        script(dir.path(), "leaseguard", &format!("#!/bin/sh\n{end}\n"));
        let out = launch(path, &["hook"]);
        assert_eq!(out.status.code(), Some(2), "{end}");
        assert!(String::from_utf8_lossy(&out.stderr).contains("leaseguard failed with code"));
    }
}

// --- the plugin of OpenCode -----------------------------------------------------------------------

/// Loads the plugin with `program` in it and sends it one call; what came of it, as JSON.
fn call(program: &str, tool: &str, args: &str) -> Option<Value> {
    let dir = tempfile::tempdir().expect("a directory");
    let (_, setup) = setups()
        .into_iter()
        .find(|(n, _)| *n == "opencode")
        .expect("opencode");
    fs::write(dir.path().join("leaseguard.mjs"), setup.filled(program)).expect("plugin");
    let driver = format!(
        "import * as plugin from './leaseguard.mjs'\n\
         const made = []\n\
         for (const make of Object.values(plugin)) made.push(await make({{directory: '/home/dev/repo'}}))\n\
         let thrown = null\n\
         try {{ await made[0]['tool.execute.before']({{tool: '{tool}', sessionID: 's', callID: 'c'}}, {{args: {args}}}) }}\n\
         catch (error) {{ thrown = error.message }}\n\
         await made[0]['tool.execute.after']({{tool: '{tool}', sessionID: 's', callID: 'c'}}, {{}})\n\
         await made[0].event({{event: {{type: 'session.created', properties: {{info: {{id: 's'}}}}}}}})\n\
         console.log(JSON.stringify({{plugins: made.length, thrown}}))\n"
    );
    fs::write(dir.path().join("driver.mjs"), driver).expect("driver");
    let out = match Command::new("node")
        .arg("driver.mjs")
        .current_dir(dir.path())
        .env("HOME", dir.path())
        .env("XDG_STATE_HOME", dir.path())
        .env("XDG_CONFIG_HOME", dir.path())
        .output()
    {
        Ok(out) => out,
        Err(_) if support::long() => panic!("node is needed for the plugin of OpenCode"),
        Err(_) => {
            eprintln!("skipped: there is no node to run the plugin of OpenCode");
            return None;
        }
    };
    assert!(
        out.status.success(),
        "{}",
        String::from_utf8_lossy(&out.stderr)
    );
    let value: Value = serde_json::from_slice(&out.stdout).expect("JSON");
    assert_eq!(value["plugins"], 1, "OpenCode calls whatever is exported");
    Some(value["thrown"].clone())
}

#[test]
fn the_plugin_throws_what_leaseguard_says_and_lets_the_rest_through() {
    let program = env!("CARGO_BIN_EXE_leaseguard");
    let Some(denied) = call(program, "bash", "{command: 'leaseguard uninstall'}") else {
        return;
    };
    let denied = denied.as_str().expect("thrown").to_owned();
    assert!(
        denied.starts_with("leaseguard denied this call"),
        "{denied}"
    );
    assert_eq!(call(program, "bash", "{command: 'ls'}"), Some(Value::Null));
    assert_eq!(call(program, "read", "{filePath: '/a'}"), Some(Value::Null));
    let fault = call(program, "bash", "{}").expect("node");
    assert!(
        fault
            .as_str()
            .is_some_and(|f| f.contains("[fault/no-command]")),
        "{fault}"
    );
    let odd = call(program, "bash", "{command: 'ls', big: 1n}").expect("node");
    assert!(odd.is_string(), "{odd}");
}

#[test]
fn the_plugin_throws_on_every_failure() {
    if call("/nonexistent/leaseguard", "bash", "{command: 'ls'}").is_none() {
        return;
    }
    let dir = tempfile::tempdir().expect("a directory");
    let odd = dir.path().join("a b $HOME 'q'");
    fs::create_dir(&odd).expect("directory");
    let program = odd.join("leaseguard");
    let program = program.to_str().expect("UTF-8");
    for (end, why) in [
        ("exit 1", "it ended with 1"),
        ("exit 2", "it ended with 2"),
        ("kill -9 $$", "it ended with SIGKILL"),
        ("echo yes; exit 0", "nobody understands"),
    ] {
        script(
            &odd,
            "leaseguard",
            &format!("#!/bin/sh\ncat >/dev/null\n{end}\n"),
        );
        let thrown = call(program, "bash", "{command: 'ls'}").expect("node");
        assert!(
            thrown.as_str().is_some_and(|t| t.contains(why)),
            "{end}: {thrown}"
        );
    }
    script(&odd, "leaseguard", "#!/bin/sh\ncat >/dev/null\nexit 0\n");
    assert_eq!(call(program, "bash", "{command: 'ls'}"), Some(Value::Null));
    let gone = call("/nonexistent/leaseguard", "bash", "{command: 'ls'}").expect("node");
    assert!(
        gone.as_str().is_some_and(|g| g.contains("ENOENT")),
        "{gone}"
    );
}
