//! OpenCode: the envelope that our own plugin sends, which throws on anything but silence.

use super::carried::raw_value;
use super::setup::{Form, Owner, Place, Setup};
use super::tools::{Deed, Deeds, Table, Who};
use super::{Envelope, Host, Reply};
use crate::call::{Call, Dialect};
use crate::verdict::{Decision, Fault, Verdict};

/// See the module.
pub(super) const HOST: Host = Host {
    name: "opencode",
    hears: |e| e.host.text() == Some("opencode"),
    read,
    write,
    reads_of: &[],
    setup: Some(Setup {
        title: "OpenCode",
        programs: &["opencode"],
        snippet: include_str!("../../hooks/opencode/leaseguard.js"),
        form: Form::Module,
        owner: Owner::Ours,
        user: Place {
            variable: Some("XDG_CONFIG_HOME"),
            dir: ".config",
            file: "opencode/plugins/leaseguard.js",
        },
        project: Place {
            variable: None,
            dir: ".opencode",
            file: "plugins/leaseguard.js",
        },
        steps: &["restart running sessions of `opencode`: plugins are loaded when one starts"],
    }),
};

const TOOLS: Table = &[
    ("bash", Deed::Shell(Dialect::Bash)),
    ("edit", Deed::File),
    ("write", Deed::File),
    ("multiedit", Deed::File),
    ("patch", Deed::Patch),
    ("apply_patch", Deed::Patch),
];

/// Events of the plugin that only tell.
const TOLD: &[&str] = &[
    "tool.execute.after",
    "session.created",
    "session.deleted",
    "session.idle",
    "chat.message",
];

fn told(e: &Envelope<'_>) -> bool {
    TOLD.contains(&e.hook_event_name.text().unwrap_or_default())
}

fn read(e: &Envelope<'_>) -> Result<Vec<Call>, Fault> {
    let event = e.event()?.unwrap_or_default();
    let deeds = if told(e) {
        Deeds::event(event)
    } else {
        // Tools of other servers are called `server_tool`; no tool of its own has such a name.
        let tool = e.tool()?;
        let known = TOOLS.iter().any(|(name, _)| *name == tool);
        let parts = tool.split_once('_').filter(|_| !known);
        let (server, name) = parts.unwrap_or(("", tool));
        Deeds::of(TOOLS, server, name, raw_value(e.raw, "tool_input"))?
    };
    let who = Who {
        session: e.session_id.text(),
        agent: e.agent_id.text(),
    };
    Ok(deeds.calls(who, e.dir()?))
}

fn write(verdict: &Verdict, e: &Envelope<'_>) -> Reply {
    match verdict.decision() {
        _ if told(e) => Reply::silence(),
        Decision::Allow => Reply::silence(),
        _ => Reply::refusal(verdict, false),
    }
}
