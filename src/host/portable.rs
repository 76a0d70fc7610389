//! A host that we do not know: whatever command its payload carries is judged as shell text.

use super::carried::{Carried, raw_value};
use super::envelope::{bad_json, is_past, is_question};
use super::{Envelope, Field, Host, Reply};
use crate::call::{Call, What};
use crate::verdict::{Decision, Fault, Verdict};
use serde::Deserialize;
use std::path::PathBuf;

/// See the module. It is in no list: it takes what nobody else hears.
pub(super) const HOST: Host = Host {
    name: "unknown",
    hears: |_| true,
    read,
    write,
    setup: None,
};

/// The spellings of what strangers say besides the command.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Stranger<'a> {
    #[serde(borrow)]
    event: Field<'a>,
    #[serde(rename = "hookEventName")]
    hook_event: Field<'a>,
    agent_action_name: Field<'a>,
    #[serde(rename = "toolName")]
    tool_name: Field<'a>,
    #[serde(rename = "sessionId")]
    session_id: Field<'a>,
    conversation_id: Field<'a>,
    #[serde(rename = "conversationId")]
    conversation: Field<'a>,
    working_dir: Field<'a>,
}

fn read(e: &Envelope<'_>) -> Result<Vec<Call>, Fault> {
    let stranger: Stranger<'_> = serde_json::from_slice(e.raw).map_err(|error| bad_json(&error))?;
    let event = first(&[
        &e.hook_event_name,
        &stranger.event,
        &stranger.hook_event,
        &stranger.agent_action_name,
    ]);
    let tool = first(&[&e.tool_name, &stranger.tool_name]);
    let carried = Carried::read(e.raw)?;
    let dir = carried.dir.clone();
    let deeds = match (event, tool) {
        (Some(event), _) if is_past(event) => vec![What::Event {
            name: event.to_owned(),
        }],
        (_, Some(tool)) => {
            let input = ["tool_input", "toolInput", "toolArgs"];
            let input = input.iter().find_map(|key| raw_value(e.raw, key));
            carried.deeds(tool, input.unwrap_or(e.raw))
        }
        (Some(event), None) if carried.is_empty() && !is_question(event) => vec![What::Event {
            name: event.to_owned(),
        }],
        _ if carried.is_empty() => {
            return Err(Fault {
                code: "fault/unknown-host",
                what: "the message is of no host that we know, and names no tool and no command"
                    .to_owned(),
            });
        }
        _ => carried.deeds("", e.raw),
    };
    let session = first(&[
        &e.session_id,
        &stranger.session_id,
        &stranger.conversation_id,
        &stranger.conversation,
    ]);
    let cwd = match (e.cwd.text().or(stranger.working_dir.text()), dir) {
        (Some(base), Some(dir)) => Some(PathBuf::from(base).join(dir)),
        (base, dir) => dir.or(base.map(str::to_owned)).map(PathBuf::from),
    };
    let call = |what| Call {
        session: session.map(str::to_owned),
        agent: e.agent_id.text().map(str::to_owned),
        cwd: cwd.clone().filter(|dir| !dir.as_os_str().is_empty()),
        unseen_typing: false,
        what,
    };
    Ok(deeds.into_iter().map(call).collect())
}

fn first<'a>(fields: &[&'a Field<'_>]) -> Option<&'a str> {
    fields
        .iter()
        .find_map(|field| field.text().filter(|text| !text.is_empty()))
}

fn write(verdict: &Verdict, _: &Envelope<'_>) -> Reply {
    match verdict.decision() {
        Decision::Allow => Reply::silence(),
        _ => Reply::refusal(verdict, false),
    }
}
