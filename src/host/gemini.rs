//! Gemini CLI: it reads stdout, or else stderr, as the decision, and its tools name a directory of their own.

use super::carried::raw_value;
use super::envelope::bad_json;
use super::reply::reason;
use super::setup::{Form, Owner, Place, Setup};
use super::tools::{Deed, Deeds, Table, Who};
use super::{Envelope, Field, Host, Reply};
use crate::call::{Call, Dialect};
use crate::verdict::{Decision, Fault, Verdict};
use serde::Deserialize;

/// See the module.
pub(super) const HOST: Host = Host {
    name: "gemini",
    hears,
    read,
    write,
    reads_of: &[],
    setup: Some(Setup {
        title: "Gemini CLI",
        programs: &["gemini"],
        snippet: include_str!("../../hooks/gemini.json"),
        form: Form::Line,
        owner: Owner::Shared,
        user: Place {
            variable: None,
            dir: ".gemini",
            file: "settings.json",
        },
        project: Place {
            variable: None,
            dir: ".gemini",
            file: "settings.json",
        },
        steps: &[
            "restart running sessions of `gemini`: settings are read when one starts",
            "hooks of a project are read only in a trusted folder: `gemini --skip-trust` leaves them out without a word",
            "see to it that no settings file sets `hooksConfig.enabled` to false",
        ],
    }),
};

pub(super) const TOOLS: Table = &[
    ("run_shell_command", Deed::Shell(Dialect::Bash)),
    ("write_file", Deed::File),
    ("replace", Deed::File),
];

/// Events that no other host has.
const OWN: &[&str] = &[
    "BeforeTool",
    "AfterTool",
    "BeforeAgent",
    "AfterAgent",
    "BeforeModel",
    "AfterModel",
    "BeforeToolSelection",
    "PreCompress",
];

/// Events that others have too; Qwen Code tells its permission mode with them.
const SHARED: &[&str] = &["SessionStart", "SessionEnd", "Notification"];

/// Where a tool of another server comes from.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Server<'a> {
    #[serde(borrow)]
    server_name: Field<'a>,
    tool_name: Field<'a>,
}

fn hears(e: &Envelope<'_>) -> bool {
    let event = e.hook_event_name.text().unwrap_or_default();
    let own = OWN.contains(&event);
    let shared = SHARED.contains(&event) && !e.permission_mode.present();
    (own || shared) && e.timestamp.text().is_some() && e.transcript_path.0
}

fn read(e: &Envelope<'_>) -> Result<Vec<Call>, Fault> {
    let event = e.event()?.unwrap_or_default();
    let deeds = if event == "BeforeTool" {
        let tool = e.tool()?;
        let input = raw_value(e.raw, "tool_input");
        match raw_value(e.raw, "mcp_context").filter(|json| json.starts_with(b"{")) {
            Some(json) => {
                let from: Server<'_> = serde_json::from_slice(json).map_err(|e| bad_json(&e))?;
                let server = from.server_name.text().unwrap_or("mcp");
                Deeds::of(TOOLS, server, from.tool_name.text().unwrap_or(tool), input)?
            }
            None => {
                let parts = tool
                    .strip_prefix("mcp_")
                    .and_then(|rest| rest.trim_start_matches('_').split_once('_'));
                let (server, name) = parts.unwrap_or(("", tool));
                Deeds::of(TOOLS, server, name.trim_start_matches('_'), input)?
            }
        }
    } else {
        Deeds::event(event)
    };
    let who = Who {
        session: e.session_id.text(),
        agent: e.agent_id.text(),
    };
    Ok(deeds.calls(who, e.dir()?))
}

fn write(verdict: &Verdict, e: &Envelope<'_>) -> Reply {
    let event = e.hook_event_name.text().unwrap_or_default();
    if let Some(brief) = Reply::brief(event, verdict) {
        return brief;
    }
    let decision = match verdict.decision() {
        _ if event != "BeforeTool" => return Reply::silence(),
        Decision::Allow => return Reply::silence(),
        Decision::Ask => "ask",
        Decision::Deny => "deny",
    };
    let reason = reason(verdict, decision == "ask");
    let reply = Reply::json(&format!(r#"{{"decision":"{decision}","reason":{reason}}}"#));
    reply.asking(decision == "ask")
}
