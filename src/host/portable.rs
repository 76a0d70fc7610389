//! A host that we do not know: whatever command its payload carries is judged as shell text.

use super::carried::{Carried, raw_value};
use super::envelope::{bad_json, is_past, is_question};
use super::reply::reason;
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
    reads_of: &[],
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
    #[serde(rename = "workspaceRoots")]
    roots: Field<'a>,
    #[serde(rename = "workspacePaths")]
    paths: Field<'a>,
    #[serde(rename = "hookName")]
    hook: Field<'a>,
    #[serde(rename = "clineVersion")]
    cline: Field<'a>,
    #[serde(rename = "taskId")]
    task: Field<'a>,
    #[serde(rename = "stepIdx")]
    step: Field<'a>,
    #[serde(rename = "toolCall")]
    call: Field<'a>,
}

/// How a stranger is answered that takes code 2 for no denial.
struct Shape {
    /// By what its payload is known, beyond doubt: on any other host the answer would be no denial.
    known: fn(&Stranger<'_>) -> bool,
    allow: &'static str,
    /// Around the reason; an ask that would not reach a person is a denial.
    ask: (&'static str, &'static str),
    asks: bool,
    deny: (&'static str, &'static str),
}

const SHAPES: &[Shape] = &[
    // Antigravity asks the person itself where no decision comes back.
    Shape {
        known: |s| {
            s.call == Field::Other("an object") && s.conversation.present() && s.step.present()
        },
        allow: r#"{"decision":"allow","reason":"ok"}"#,
        ask: (r#"{"decision":"force_ask","reason":"#, "}"),
        asks: true,
        deny: (r#"{"decision":"deny","reason":"#, "}"),
    },
    Shape {
        known: |s| s.cline.present() && s.hook.present() && s.task.present(),
        allow: r#"{"cancel":false}"#,
        ask: (r#"{"cancel":true,"errorMessage":"#, "}"),
        asks: false,
        deny: (r#"{"cancel":true,"errorMessage":"#, "}"),
    },
];

/// The shape for the stranger of `e`; the hosts that we know have words of their own.
fn shape(e: &Envelope<'_>) -> Option<&'static Shape> {
    if e.hook_event_name.present() || e.tool_name.present() || e.raw.is_empty() {
        return None;
    }
    let stranger: Stranger<'_> = serde_json::from_slice(e.raw).ok()?;
    SHAPES.iter().find(|shape| (shape.known)(&stranger))
}

fn read(e: &Envelope<'_>) -> Result<Vec<Call>, Fault> {
    let stranger: Stranger<'_> = serde_json::from_slice(e.raw).map_err(|error| bad_json(&error))?;
    let event = first(&[
        &e.hook_event_name,
        &stranger.event,
        &stranger.hook_event,
        &stranger.agent_action_name,
        &stranger.hook,
    ]);
    let nested = nested_tool(e.raw);
    let tool = first(&[&e.tool_name, &stranger.tool_name, &nested]);
    let carried = Carried::read(e.raw)?;
    let dir = carried.dir.clone();
    let deeds = match (event, tool) {
        (Some(event), _) if is_past(event) => vec![What::Event {
            name: event.to_owned(),
        }],
        (_, Some(tool)) => {
            let input = [
                "tool_input",
                "toolInput",
                "toolArgs",
                "toolCall",
                "preToolUse",
            ];
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
    let root = |roots: &Field<'_>| match roots {
        Field::List(roots) => roots.first().map(|root| root.clone().into_owned()),
        _ => None,
    };
    let root = root(&stranger.roots).or_else(|| root(&stranger.paths));
    let base = first(&[&e.cwd, &stranger.working_dir]).map(str::to_owned);
    let cwd = match (base.or(root), dir) {
        (Some(base), Some(dir)) => Some(PathBuf::from(base).join(dir)),
        (base, dir) => dir.or(base).map(PathBuf::from),
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

/// The tool's name where it stands one level down.
fn nested_tool(raw: &[u8]) -> Field<'_> {
    let places = [("toolCall", "name"), ("preToolUse", "toolName")];
    let mut found = places.iter().filter_map(|(outer, inner)| {
        let object = raw_value(raw, outer).filter(|json| json.starts_with(b"{"))?;
        serde_json::from_slice(raw_value(object, inner)?).ok()
    });
    found.next().unwrap_or_default()
}

fn write(verdict: &Verdict, e: &Envelope<'_>) -> Reply {
    if let Some(shape) = shape(e) {
        let ((before, after), can_ask) = match verdict.decision() {
            Decision::Allow => return Reply::json(shape.allow),
            Decision::Ask => (shape.ask, shape.asks),
            Decision::Deny => (shape.deny, false),
        };
        let reply = Reply::json(&format!("{before}{}{after}", reason(verdict, can_ask)));
        return reply.asking(can_ask);
    }
    match verdict.decision() {
        Decision::Allow => Reply::silence(),
        _ => Reply::refusal(verdict, false),
    }
}
