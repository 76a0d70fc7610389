//! Cursor: JSON is wanted back even for a yes, and only two of its events can ask.

use super::carried::raw_value;
use super::envelope::{bad_json, is_past, is_question};
use super::reply::reason;
use super::setup::{Form, Owner, Place, Setup};
use super::tools::{Deed, Deeds, Table, Who};
use super::{Envelope, Field, Host, Reply};
use crate::call::{Call, Dialect};
use crate::verdict::{Decision, Fault, Verdict};
use serde::Deserialize;
use std::path::PathBuf;

/// See the module.
pub(super) const HOST: Host = Host {
    name: "cursor",
    hears,
    read,
    write,
    reads_of: &[],
    setup: Some(Setup {
        title: "Cursor",
        programs: &["cursor-agent", "cursor"],
        snippet: include_str!("../../hooks/cursor.json"),
        form: Form::Line,
        owner: Owner::Shared,
        user: Place {
            variable: None,
            dir: ".cursor",
            file: "hooks.json",
        },
        project: Place {
            variable: None,
            dir: ".cursor",
            file: "hooks.json",
        },
        steps: &[
            "restart Cursor and running sessions of `cursor-agent`",
            "open the hooks page of Cursor's settings and see that the entries of leaseguard are listed without an error",
        ],
    }),
};

const TOOLS: Table = &[
    ("Shell", Deed::Shell(Dialect::Bash)),
    ("Bash", Deed::Shell(Dialect::Bash)),
    ("Write", Deed::File),
    ("Edit", Deed::File),
    ("MultiEdit", Deed::File),
    ("StrReplace", Deed::File),
    ("EditNotebook", Deed::File),
    ("NotebookEdit", Deed::File),
    ("TabWrite", Deed::File),
    ("Delete", Deed::File),
    ("ApplyPatch", Deed::Patch),
];

/// Questions that a permission answers; the first two can also ask.
const PERMISSIONS: &[&str] = &[
    "beforeShellExecution",
    "beforeMCPExecution",
    "preToolUse",
    "beforeReadFile",
    "beforeTabFileRead",
    "subagentStart",
];

/// Questions about nothing that is guarded.
const READS: &[&str] = &["beforeReadFile", "beforeTabFileRead", "beforeSubmitPrompt"];

/// What Cursor says in its own way.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Own<'a> {
    #[serde(borrow)]
    command: Field<'a>,
    url: Field<'a>,
    workspace_roots: Field<'a>,
}

fn hears(e: &Envelope<'_>) -> bool {
    !e.host.present()
        && (e.cursor_version.present()
            || e.conversation_id.present() && e.hook_event_name.present())
}

fn read(e: &Envelope<'_>) -> Result<Vec<Call>, Fault> {
    let own: Own<'_> = serde_json::from_slice(e.raw).map_err(|error| bad_json(&error))?;
    let event = e.event()?.unwrap_or_default();
    let input = raw_value(e.raw, "tool_input");
    let deeds = match event {
        "beforeShellExecution" => Deeds::of(TOOLS, "", "Shell", Some(e.raw))?,
        // `command` is here the line that once started the server.
        "beforeMCPExecution" => {
            let server = own.url.text().or(own.command.text()).unwrap_or("mcp");
            Deeds::of(TOOLS, server, e.tool()?, input)?
        }
        _ if passes(event) => Deeds::event(event),
        _ => match e.tool()?.strip_prefix("MCP:") {
            Some(tool) => Deeds::of(TOOLS, "mcp", tool, input)?,
            None => {
                let (server, tool) = super::carried::server(e.tool()?);
                Deeds::of(TOOLS, server, tool, input)?
            }
        },
    };
    let root = match &own.workspace_roots {
        Field::List(roots) => roots.first().map(|root| PathBuf::from(&**root)),
        _ => None,
    };
    let who = Who {
        session: e.conversation_id.text().or(e.session_id.text()),
        agent: e.agent_id.text(),
    };
    Ok(deeds.calls(who, e.dir()?.or(root)))
}

/// True for an event that needs no decision of ours.
fn passes(event: &str) -> bool {
    !event.is_empty() && (READS.contains(&event) || is_past(event) || !is_question(event))
}

fn write(verdict: &Verdict, e: &Envelope<'_>) -> Reply {
    let event = e.hook_event_name.text().unwrap_or_default();
    if passes(event) {
        return Reply::json(match event {
            "beforeSubmitPrompt" => r#"{"continue":true}"#,
            _ if PERMISSIONS.contains(&event) => r#"{"permission":"allow"}"#,
            _ => "{}",
        });
    }
    let known = PERMISSIONS.contains(&event);
    let can_ask = PERMISSIONS.iter().take(2).any(|name| *name == event);
    let permission = match verdict.decision() {
        Decision::Allow if known => return Reply::json(r#"{"permission":"allow"}"#),
        Decision::Allow => return Reply::json("{}"),
        _ if !known => return Reply::refusal(verdict, false),
        Decision::Ask if can_ask => "ask",
        _ => "deny",
    };
    let reason = reason(verdict, permission == "ask");
    Reply::json(&format!(
        r#"{{"permission":"{permission}","user_message":{reason},"agent_message":{reason}}}"#
    ))
    .asking(permission == "ask")
}
