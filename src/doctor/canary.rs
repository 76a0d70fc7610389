//! The canary: the configured command, started as the host starts it, is given one call that has to
//! be denied and one that has to pass.

use super::Site;
use super::entry::{Entry, Start};
use super::manner::Scope;
use super::run::{Failed, How, Ran, run};
use crate::host::{self, Host, Reply};
use crate::state::State;
use crate::state::seen::CANARY;
use crate::verdict::{Decision, Finding, Next, Verdict};
use serde_json::{Value, json};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// How long one answer may take.
const MOST: Duration = Duration::from_secs(10);

/// No host can ask about this without an answer of ours.
const DENIED: &str = "git push --force origin main";

/// Everybody may do this.
const ALLOWED: &str = "git status";

/// Tries out one entry; `Err` says what the host would make of the answers.
pub fn sing(site: &Site<'_>, entry: &Entry) -> Result<(), String> {
    let repository = repository(site.machine.state.as_ref())?;
    let dir = directory(site, entry);
    for words in forms(site, entry) {
        for (text, decision) in [(DENIED, Decision::Deny), (ALLOWED, Decision::Allow)] {
            let Some(payload) = payload(site.host.name, text, &repository) else {
                return Err("no call of this host is known to try it with".to_owned());
            };
            let how = How {
                dir: &dir,
                path: OsString::new(),
                input: &payload,
                most: MOST,
            };
            let want = answer(&payload, decision).ok_or("the call is not understood")?;
            let said = run(&words, &how);
            compare(text, &want, said, &words)?;
        }
    }
    Ok(())
}

/// Where the host would start it.
fn directory(site: &Site<'_>, entry: &Entry) -> PathBuf {
    let scope = site.files.get(entry.file).map(|file| file.scope);
    let top = site
        .machine
        .around
        .top
        .clone()
        .filter(|_| scope == Some(Scope::Project));
    top.unwrap_or_else(|| site.machine.cwd.clone())
}

/// The words of every way in which the host may start it.
fn forms(site: &Site<'_>, entry: &Entry) -> Vec<Vec<String>> {
    let line = match &entry.start {
        Start::Words(words) => return vec![words.clone()],
        Start::Line(line) => line,
    };
    let shell =
        |program: &str, option: &str| vec![program.to_owned(), option.to_owned(), line.clone()];
    if cfg!(windows) {
        let cmd = std::env::var("COMSPEC").unwrap_or_else(|_| "cmd.exe".to_owned());
        return vec![shell(&cmd, "/C")];
    }
    let bash = ["/bin/bash", "/usr/bin/bash"]
        .into_iter()
        .find(|path| Path::new(path).exists());
    match site.host.name {
        // A login shell in the window, a plain bash in `codex exec`.
        "codex" => {
            let login = site.machine.login_shell();
            let mut forms = vec![shell(&login, "-lc")];
            forms.extend(bash.map(|bash| shell(bash, "-c")));
            forms
        }
        "copilot" | "gemini" | "qwen" => vec![shell(bash.unwrap_or("/bin/sh"), "-c")],
        _ => vec![shell("/bin/sh", "-c")],
    }
}

/// The host's own message about a shell command in `dir`.
pub fn payload(host: &str, command: &str, dir: &Path) -> Option<String> {
    let session = format!("{CANARY}-{host}");
    let input = json!({ "command": command, "description": "leaseguard doctor" });
    let mut value = json!({
        "session_id": session,
        "transcript_path": "/dev/null",
        "cwd": dir,
        "hook_event_name": "PreToolUse",
        "tool_name": "Bash",
        "tool_input": input,
        "tool_use_id": CANARY,
        "permission_mode": "default",
    });
    let more = match host {
        "claude" => json!({}),
        "codex" => json!({ "turn_id": CANARY, "model": CANARY }),
        "gemini" => json!({
            "hook_event_name": "BeforeTool", "tool_name": "run_shell_command",
            "timestamp": "2026-01-01T00:00:00.000Z", "tool_use_id": null, "permission_mode": null,
        }),
        "qwen" => json!({
            "tool_name": "run_shell_command", "timestamp": "2026-01-01T00:00:00.000Z",
        }),
        "copilot" => {
            return Some(
                json!({
                    "sessionId": session, "timestamp": 1_767_225_600_000_u64, "cwd": dir,
                    "toolName": "bash", "toolArgs": input,
                })
                .to_string(),
            );
        }
        "cursor" => {
            return Some(
                json!({
                    "conversation_id": session, "generation_id": CANARY, "model": "default",
                    "hook_event_name": "beforeShellExecution", "cursor_version": "1",
                    "workspace_roots": [dir], "user_email": null, "transcript_path": null,
                    "command": command, "cwd": dir, "sandbox": false,
                })
                .to_string(),
            );
        }
        "opencode" => {
            return Some(
                json!({
                    "host": "opencode", "hook_event_name": "tool.execute.before",
                    "session_id": session, "cwd": dir, "tool_name": "bash", "tool_input": input,
                })
                .to_string(),
            );
        }
        _ => return None,
    };
    if let (Some(value), Value::Object(more)) = (value.as_object_mut(), more) {
        value.extend(more);
        value.retain(|_, v| !v.is_null());
    }
    Some(value.to_string())
}

/// What leaseguard has to say to `payload`.
fn answer(payload: &str, decision: Decision) -> Option<Reply> {
    let heard = host::hear(payload.as_bytes(), None).ok()?;
    let finding = |_| Finding {
        rule: "git/force-push",
        decision,
        effect: CANARY.to_owned(),
        because: Vec::new(),
        instead: None,
        next: Next::Stop,
        span: 0..0,
    };
    let denied = Some(decision).filter(|d| *d != Decision::Allow);
    let findings: Vec<Finding> = denied.map(finding).into_iter().collect();
    let verdict = Verdict::from(findings);
    Some(heard.reply(&verdict))
}

/// Whether the host would understand `said` as it understands `want`.
fn compare(
    text: &str,
    want: &Reply,
    said: Result<Ran, Failed>,
    words: &[String],
) -> Result<(), String> {
    let by = words.iter().take(2).cloned().collect::<Vec<_>>().join(" ");
    let said = match said {
        Ok(said) => said,
        Err(Failed::NotStarted(why)) => return Err(format!("`{by}` cannot be started: {why}")),
        Err(Failed::TooLong(most)) => {
            return Err(format!("no answer to `{text}` within {} s", most.as_secs()));
        }
    };
    let denies = !want.stderr.is_empty() || want.stdout.contains("deny");
    let deed = if denies { "deny" } else { "let through" };
    let told = |why: String| Err(format!("it did not {deed} `{text}`: {why}"));
    if said.exit != Some(i32::from(want.exit)) {
        let code = said
            .exit
            .map_or("a signal".to_owned(), |code| format!("exit {code}"));
        let first = said.stderr.lines().next().unwrap_or_default();
        let hint = if first.is_empty() {
            String::new()
        } else {
            format!(", `{}`", short(first))
        };
        return told(format!("{code} instead of {}{hint}", want.exit));
    }
    if !alike(&want.stdout, &said.stdout) {
        let first = said.stdout.lines().next().unwrap_or_default();
        let what = if want.stdout.is_empty() {
            "nothing"
        } else {
            "an answer alone"
        };
        return told(format!(
            "standard output holds `{}`, where the host wants {what}",
            short(first)
        ));
    }
    if !want.stderr.is_empty() && said.stderr.trim().is_empty() {
        return told(
            "there is no reason on standard error, and hosts then run the tool".to_owned(),
        );
    }
    Ok(())
}

fn short(line: &str) -> String {
    line.chars().filter(|c| !c.is_control()).take(60).collect()
}

/// Whether two outputs say the same: nothing, or objects of one shape with the same short words.
fn alike(want: &str, said: &str) -> bool {
    if want.is_empty() || said.is_empty() {
        return want == said;
    }
    let read = |text: &str| serde_json::from_str::<Value>(text).ok();
    read(want)
        .zip(read(said))
        .is_some_and(|(a, b)| same(&a, &b))
}

fn same(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Object(a), Value::Object(b)) => {
            a.len() == b.len() && a.iter().all(|(k, v)| b.get(k).is_some_and(|w| same(v, w)))
        }
        // Reasons differ, decisions are single words.
        (Value::String(a), Value::String(b)) => a == b || (a.contains(' ') && b.contains(' ')),
        (a, b) => a == b,
    }
}

/// A repository for the calls to speak of: where there is none, nothing has to be denied.
fn repository(state: Option<&State>) -> Result<PathBuf, String> {
    let state = state.ok_or("there is no state directory for its repository")?;
    state.ensure().map_err(|trouble| trouble.0)?;
    let top = state.dir().join("canary");
    let git = top.join(".git");
    let made = [git.join("objects"), git.join("refs/heads")]
        .iter()
        .try_for_each(std::fs::create_dir_all);
    let config = "[core]\n\trepositoryformatversion = 0\n\tbare = false\n[remote \"origin\"]\n\turl = /nowhere\n\tfetch = +refs/heads/*:refs/remotes/origin/*\n";
    made.and_then(|()| std::fs::write(git.join("HEAD"), "ref: refs/heads/work\n"))
        .and_then(|()| std::fs::write(git.join("config"), config))
        .map_err(|e| {
            format!(
                "its repository cannot be made: {}",
                crate::state::files::reason(&e)
            )
        })?;
    Ok(top)
}

/// Whether the canary's message is the host's own.
pub fn is_heard(host: &Host) -> bool {
    let heard = payload(host.name, ALLOWED, Path::new("/r"));
    heard.is_some_and(|p| host::hear(p.as_bytes(), None).is_ok_and(|h| h.host() == host.name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_host_that_can_be_connected_hears_its_canary_as_its_own() {
        for host in host::ALL.iter().filter(|host| host.setup.is_some()) {
            assert!(is_heard(host), "{}", host.name);
            let payload = payload(host.name, DENIED, Path::new("/r")).unwrap();
            let calls = host::hear(payload.as_bytes(), None)
                .unwrap()
                .calls()
                .unwrap();
            assert_eq!(calls.len(), 1, "{}", host.name);
            assert!(crate::state::seen::is_canary(calls[0].session.as_deref()));
        }
    }

    fn said(exit: i32, stdout: &str, stderr: &str) -> Result<Ran, Failed> {
        Ok(Ran {
            exit: Some(exit),
            stdout: stdout.to_owned(),
            stderr: stderr.to_owned(),
            took: Duration::ZERO,
        })
    }

    #[test]
    fn only_the_answer_that_the_host_understands_counts_as_a_denial() {
        let payload = payload("claude", DENIED, Path::new("/r")).unwrap();
        let want = answer(&payload, Decision::Deny).unwrap();
        let ok = |s| compare(DENIED, &want, s, &[]).is_ok();
        assert!(ok(said(2, "", "no")));
        for wrong in [
            said(0, "", ""),
            said(1, "", "no"),
            said(2, "", " \n"),
            said(2, "motd\n", "no"),
            Err(Failed::TooLong(MOST)),
        ] {
            assert!(!ok(wrong.clone()), "{wrong:?}");
        }
    }

    #[test]
    fn an_answer_in_json_is_compared_by_its_shape_and_its_words() {
        let want = r#"{"permission":"deny","user_message":"a reason","agent_message":"a reason"}"#;
        let other = want.replace("a reason", "some other reason");
        assert!(alike(want, &other));
        assert!(!alike(want, &want.replace("deny", "allow")));
        assert!(!alike(want, &format!("motd\n{want}")));
        assert!(!alike(want, ""));
        assert!(!alike("", "x"));
    }
}
