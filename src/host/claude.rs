//! Claude Code, and the hosts that speak exactly like it.

use super::carried::{Carried, raw_value};
use super::reply::reason;
use super::setup::{Form, Owner, Place, Setup};
use super::tools::shell;
use super::{Envelope, Field, Host, Reply};
use crate::call::{Call, Dialect, What};
use crate::verdict::{Decision, Fault, Verdict};
use std::path::PathBuf;

/// See the module.
pub(super) const HOST: Host = Host {
    name: "claude",
    hears,
    read,
    write,
    reads_of: &[],
    setup: Some(Setup {
        title: "Claude Code",
        programs: &["claude"],
        snippet: include_str!("../../hooks/claude.json"),
        form: Form::Exec,
        owner: Owner::Shared,
        user: Place {
            variable: Some("CLAUDE_CONFIG_DIR"),
            dir: ".claude",
            file: "settings.json",
        },
        project: Place {
            variable: None,
            dir: ".claude",
            file: "settings.json",
        },
        steps: &[
            "see to it that Claude Code is 2.1.139 or newer, and that no settings file says `disableAllHooks`",
        ],
    }),
};

fn hears(e: &Envelope<'_>) -> bool {
    e.is_classic() && !e.turn_id.present()
}

fn read(e: &Envelope<'_>) -> Result<Vec<Call>, Fault> {
    if let Some(event) = passing(e)? {
        return calls(e, false, vec![event]);
    }
    calls(e, false, deeds(e)?)
}

/// The event, where it needs no decision.
pub(super) fn passing(e: &Envelope<'_>) -> Result<Option<What>, Fault> {
    let name = e.event()?.unwrap_or_default();
    let event = || What::Event {
        name: name.to_owned(),
    };
    Ok(e.needs_no_decision().then(event))
}

/// What the tool would do.
pub(super) fn deeds(e: &Envelope<'_>) -> Result<Vec<What>, Fault> {
    let input = &e.tool_input;
    if !e.tool_name.present() && input.command.present() {
        return Ok(vec![shell(Dialect::Bash, "command", &input.command)?]);
    }
    let tool = e.tool()?;
    Ok(match tool {
        "Bash" => vec![shell(Dialect::Bash, "command", &input.command)?],
        "PowerShell" => vec![shell(Dialect::PowerShell, "command", &input.command)?],
        "Monitor" if input.command.present() => {
            vec![shell(Dialect::Bash, "command", &input.command)?]
        }
        "Write" | "Edit" | "MultiEdit" => vec![file(&input.file_path)?],
        "NotebookEdit" => vec![file(&input.notebook_path)?],
        _ => {
            let json = raw_value(e.raw, "tool_input").unwrap_or(b"{}");
            Carried::read(json)?.deeds(tool, json)
        }
    })
}

fn file(path: &Field<'_>) -> Result<What, Fault> {
    match path.strict("file_path")? {
        Some(path) if !path.is_empty() => Ok(What::Write {
            paths: vec![PathBuf::from(path)],
        }),
        _ => Err(Fault {
            code: "fault/no-path",
            what: "the host asks about a write that names no file".to_owned(),
        }),
    }
}

/// The deeds with what the envelope says around them.
pub(super) fn calls(
    e: &Envelope<'_>,
    unseen_typing: bool,
    deeds: Vec<What>,
) -> Result<Vec<Call>, Fault> {
    let cwd = e.dir()?;
    let call = |what| Call {
        session: e.session_id.text().map(str::to_owned),
        agent: e.agent_id.text().map(str::to_owned),
        cwd: cwd.clone(),
        unseen_typing,
        what,
    };
    Ok(deeds.into_iter().map(call).collect())
}

fn write(verdict: &Verdict, e: &Envelope<'_>) -> Reply {
    let event = e.hook_event_name.text().unwrap_or_default();
    if let Some(brief) = Reply::brief(event, verdict) {
        return brief;
    }
    if event == "UserPromptSubmit"
        && verdict.decision() == Decision::Allow
        && let Some(context) = Reply::context(verdict, "UserPromptSubmit")
    {
        return context;
    }
    if e.needs_no_decision() {
        return Reply::silence();
    }
    match (verdict.decision(), event) {
        (Decision::Allow, _) => Reply::silence(),
        // The person is being asked at this very moment.
        (Decision::Ask, "PermissionRequest") => Reply::silence(),
        (Decision::Deny, "PermissionRequest") => permission_denied(verdict, true),
        (Decision::Ask, "PreToolUse") => Reply::before_tool("ask", verdict),
        _ => Reply::refusal(verdict, false),
    }
}

/// The denial of a permission that the host was about to ask for.
pub(super) fn permission_denied(verdict: &Verdict, can_ask: bool) -> Reply {
    let reason = reason(verdict, can_ask);
    Reply::json(&format!(
        r#"{{"hookSpecificOutput":{{"hookEventName":"PermissionRequest","decision":{{"behavior":"deny","message":{reason}}}}}}}"#
    ))
}
