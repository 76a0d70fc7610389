//! Qwen Code: the envelope of Claude Code with a timestamp, around the tools of Gemini.

use super::carried::{raw_value, server};
use super::setup::{Form, Owner, Place, Setup};
use super::tools::{Deed, Deeds, Table, Who};
use super::{Envelope, Host, Reply};
use crate::call::{Call, Dialect};
use crate::verdict::{Decision, Fault, Verdict};

/// See the module.
pub(super) const HOST: Host = Host {
    name: "qwen",
    hears,
    read,
    write,
    reads_of: &[],
    setup: Some(Setup {
        title: "Qwen Code",
        programs: &["qwen"],
        snippet: include_str!("../../hooks/qwen.json"),
        form: Form::Line,
        owner: Owner::Shared,
        user: Place {
            variable: None,
            dir: ".qwen",
            file: "settings.json",
        },
        project: Place {
            variable: None,
            dir: ".qwen",
            file: "settings.json",
        },
        steps: &[
            "restart running sessions of `qwen`: settings are read when one starts",
            "hooks of a project are read only in a trusted folder",
            "see to it that no settings file says `disableAllHooks`",
        ],
    }),
};

/// Those of Gemini, and the names that Claude Code has for the same.
const TOOLS: Table = &[
    ("run_shell_command", Deed::Shell(Dialect::Bash)),
    ("Bash", Deed::Shell(Dialect::Bash)),
    ("write_file", Deed::File),
    ("edit", Deed::File),
    ("replace", Deed::File),
    ("notebook_edit", Deed::File),
    ("Write", Deed::File),
    ("Edit", Deed::File),
];

/// A mark of Codex means no: that one must never be asked.
fn hears(e: &Envelope<'_>) -> bool {
    let codex = e.turn_id.present() || e.tool_name.present() && e.model.present();
    e.is_pascal()
        && e.timestamp.text().is_some()
        && e.permission_mode.present()
        && e.transcript_path.0
        && !codex
        && !e.conversation_id.present()
        && !e.cursor_version.present()
}

fn read(e: &Envelope<'_>) -> Result<Vec<Call>, Fault> {
    let event = e.event()?.unwrap_or_default();
    let deeds = if e.needs_no_decision() {
        Deeds::event(event)
    } else {
        let (server, tool) = server(e.tool()?);
        Deeds::of(TOOLS, server, tool, raw_value(e.raw, "tool_input"))?
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
    if e.needs_no_decision() {
        return Reply::silence();
    }
    match (verdict.decision(), event) {
        (Decision::Allow, _) => Reply::silence(),
        (Decision::Ask, "PreToolUse") => Reply::before_tool("ask", verdict),
        (Decision::Deny, "PreToolUse") => Reply::before_tool("deny", verdict),
        _ => Reply::refusal(verdict, false),
    }
}
