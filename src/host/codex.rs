//! Codex: it cannot ask, runs the tool after any reply it does not understand, and patches files by text.

use super::claude::{calls, deeds, passing, permission_denied};
use super::setup::{Form, Owner, Place, Setup};
use super::tools::patch;
use super::{Envelope, Host, Reply};
use crate::call::Call;
use crate::verdict::{Decision, Fault, Verdict};

/// See the module.
pub(super) const HOST: Host = Host {
    name: "codex",
    hears,
    read,
    write,
    reads_of: &[],
    setup: Some(Setup {
        title: "Codex",
        programs: &["codex"],
        snippet: include_str!("../../hooks/codex.json"),
        form: Form::Line,
        owner: Owner::Shared,
        user: Place {
            variable: Some("CODEX_HOME"),
            dir: ".codex",
            file: "hooks.json",
        },
        project: Place {
            variable: None,
            dir: ".codex",
            file: "hooks.json",
        },
        steps: &[
            "start `codex`, open `/hooks` and trust the entries: until then they are silently skipped",
            "any later change of an entry needs the same again",
        ],
    }),
};

/// Any mark will do: taken for Claude Code, an ask would let the tool run.
fn hears(e: &Envelope<'_>) -> bool {
    e.is_classic() && (e.turn_id.present() || e.model.present())
}

fn read(e: &Envelope<'_>) -> Result<Vec<Call>, Fault> {
    if let Some(event) = passing(e)? {
        return calls(e, true, vec![event]);
    }
    let deeds = match e.tool_name.text() {
        Some("apply_patch") => {
            let text = e.tool_input.command.strict("command")?;
            vec![patch(text.unwrap_or_default())?]
        }
        _ => deeds(e)?,
    };
    calls(e, true, deeds)
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
        (_, "PermissionRequest") => permission_denied(verdict, false),
        _ => Reply::refusal(verdict, false),
    }
}
