//! Copilot CLI, in both of its envelopes: its own camelCase, and the one that it lends from Claude Code.

use super::carried::raw_value;
use super::reply::{reason, told};
use super::setup::{Form, Owner, Place, Setup};
use super::tools::{Deed, Deeds, Table, Who};
use super::{Envelope, Field, Host, Reply};
use crate::call::{Call, Dialect};
use crate::verdict::{Decision, Fault, Verdict};
use serde::Deserialize;

/// See the module.
pub(super) const HOST: Host = Host {
    name: "copilot",
    hears,
    read,
    write,
    reads_of: &["claude"],
    setup: Some(Setup {
        title: "GitHub Copilot CLI",
        programs: &["copilot"],
        snippet: include_str!("../../hooks/copilot.json"),
        form: Form::Line,
        owner: Owner::Ours,
        user: Place {
            variable: Some("COPILOT_HOME"),
            dir: ".copilot",
            file: "hooks/leaseguard.json",
        },
        project: Place {
            variable: None,
            dir: ".github",
            file: "hooks/leaseguard.json",
        },
        steps: &[
            "restart running sessions of `copilot`: hooks are read when one starts",
            "hooks of a project are read only in a folder that you told `copilot` to trust",
        ],
    }),
};

const TOOLS: Table = &[
    ("bash", Deed::Shell(Dialect::Bash)),
    ("Bash", Deed::Shell(Dialect::Bash)),
    ("powershell", Deed::Shell(Dialect::PowerShell)),
    ("PowerShell", Deed::Shell(Dialect::PowerShell)),
    ("write_bash", Deed::Types(Dialect::Bash)),
    ("write_powershell", Deed::Types(Dialect::PowerShell)),
    ("create", Deed::File),
    ("edit", Deed::File),
    ("Write", Deed::File),
    ("Edit", Deed::File),
    ("MultiEdit", Deed::File),
    ("apply_patch", Deed::Patch),
];

/// The ids of a subagent, and what tells events without a tool apart.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Camel<'a> {
    #[serde(borrow, rename = "agentId")]
    agent: Field<'a>,
    #[serde(rename = "parentAgentId")]
    parent: Field<'a>,
    source: Field<'a>,
    prompt: Field<'a>,
    reason: Field<'a>,
    #[serde(rename = "stopReason")]
    stop: Field<'a>,
    #[serde(rename = "agentName")]
    name: Field<'a>,
    error: Field<'a>,
    trigger: Field<'a>,
}

fn hears(e: &Envelope<'_>) -> bool {
    is_camel(e) || is_pascal(e)
}

/// Its own envelope: no event's name at all, and a time in milliseconds.
fn is_camel(e: &Envelope<'_>) -> bool {
    !e.hook_event_name.present()
        && !e.camel_event.present()
        && !e.tool_name.present()
        && e.camel_session.text().is_some()
        && e.timestamp == Field::Other("a number")
}

/// The other one: a time in words, and neither a transcript nor the call's id.
fn is_pascal(e: &Envelope<'_>) -> bool {
    e.is_pascal()
        && e.session_id.text().is_some()
        && e.timestamp.text().is_some()
        && !e.transcript_path.0
        && !e.tool_use_id.present()
        && !e.camel_session.present()
        && !e.conversation_id.present()
}

fn read(e: &Envelope<'_>) -> Result<Vec<Call>, Fault> {
    if !is_camel(e) {
        let who = Who {
            session: e.session_id.text(),
            agent: e.agent_id.text(),
        };
        let event = e.event()?.unwrap_or_default();
        let deeds = if e.needs_no_decision() {
            Deeds::event(event)
        } else {
            of_tool(e.tool()?, raw_value(e.raw, "tool_input"))?
        };
        return Ok(deeds.calls(who, e.dir()?));
    }
    let camel = Camel::of(e)?;
    let deeds = match (event(e, &camel), e.camel_tool.strict("toolName")?) {
        (Some(event), _) => Deeds::event(event),
        (None, Some(tool)) if !tool.is_empty() => of_tool(tool, raw_value(e.raw, "toolArgs"))?,
        _ => {
            return Err(Fault {
                code: "fault/no-tool",
                what: "the host did not say which tool it asks about".to_owned(),
            });
        }
    };
    // A subagent has a session of its own; whoever started it answers for it.
    let who = Who {
        session: camel.parent.text().or(e.camel_session.text()),
        agent: camel.agent.text(),
    };
    Ok(deeds.calls(who, e.dir()?))
}

/// Tools of other servers are called `server-tool`.
fn of_tool(tool: &str, input: Option<&[u8]>) -> Result<Deeds, Fault> {
    let (server, name) = match tool.rsplit_once('-') {
        Some(parts) if !tool.starts_with("mcp__") => parts,
        _ => super::carried::server(tool),
    };
    Deeds::of(TOOLS, server, name, input)
}

impl<'a> Camel<'a> {
    fn of(e: &Envelope<'a>) -> Result<Camel<'a>, Fault> {
        serde_json::from_slice(e.raw).map_err(|error| super::envelope::bad_json(&error))
    }
}

/// The event that needs no decision, told by what comes with it.
fn event(e: &Envelope<'_>, camel: &Camel<'_>) -> Option<&'static str> {
    if e.camel_result.present() {
        return Some("PostToolUse");
    }
    if e.camel_tool.present() || e.camel_args.present() {
        return None;
    }
    let marks = [
        (&camel.source, "SessionStart"),
        (&camel.prompt, "UserPromptSubmit"),
        (&camel.name, "SubagentStop"),
        (&camel.stop, "Stop"),
        (&camel.reason, "SessionEnd"),
        (&camel.error, "ErrorOccurred"),
        (&camel.trigger, "PreCompact"),
    ];
    let found = marks.iter().find(|(mark, _)| mark.present());
    found.map(|(_, event)| *event)
}

fn write(verdict: &Verdict, e: &Envelope<'_>) -> Reply {
    if is_camel(e) {
        return camel(verdict, e);
    }
    let event = e.hook_event_name.text().unwrap_or_default();
    if let Some(brief) = Reply::brief(event, verdict) {
        return brief;
    }
    if e.needs_no_decision() {
        return Reply::silence();
    }
    match (verdict.decision(), event) {
        (Decision::Allow, _) => Reply::silence(),
        (Decision::Ask, "PreToolUse") => Reply::before_tool("ask", verdict),
        // Code 2 stops it in every version, and whoever else may have sent this.
        (Decision::Deny, "PreToolUse") => Reply {
            stdout: Reply::before_tool("deny", verdict).stdout,
            ..Reply::refusal(verdict, false)
        },
        _ => Reply::refusal(verdict, false),
    }
}

fn camel(verdict: &Verdict, e: &Envelope<'_>) -> Reply {
    let event = Camel::of(e).ok().and_then(|camel| event(e, &camel));
    if event == Some("SessionStart")
        && let Some(lines) = told(verdict)
    {
        return Reply::json(&format!(r#"{{"additionalContext":{lines}}}"#));
    }
    let decision = match (event, verdict.decision()) {
        (Some(_), _) | (_, Decision::Allow) => return Reply::silence(),
        (_, Decision::Ask) => "ask",
        (_, Decision::Deny) => "deny",
    };
    let reason = reason(verdict, decision == "ask");
    Reply::json(&format!(
        r#"{{"permissionDecision":"{decision}","permissionDecisionReason":{reason}}}"#
    ))
    .asking(decision == "ask")
}
