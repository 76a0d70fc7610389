//! What the hook process leaves behind, and the shapes that several hosts share.

use super::text;
use crate::verdict::Verdict;

/// What the hook process leaves behind.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Reply {
    /// Standard output: empty, or exactly one JSON object.
    pub stdout: String,
    /// Standard error.
    pub stderr: String,
    /// The exit code.
    pub exit: u8,
    /// The host shows a person what would happen, and runs it if they say yes.
    pub asks: bool,
}

impl Reply {
    /// No opinion.
    pub fn silence() -> Reply {
        Reply::default()
    }

    /// The denial that most hosts understand: the reason on stderr, nothing on stdout, code 2.
    pub fn refusal(verdict: &Verdict, can_ask: bool) -> Reply {
        Reply {
            stderr: text::agent(verdict, can_ask),
            exit: 2,
            ..Reply::default()
        }
    }

    /// One JSON object and code 0.
    pub(super) fn json(object: &str) -> Reply {
        Reply {
            stdout: object.to_owned(),
            ..Reply::default()
        }
    }

    /// The same, noting whether it asks.
    pub(super) fn asking(self, asks: bool) -> Reply {
        Reply { asks, ..self }
    }

    /// `deny` or `ask` about a tool, in the shape of Claude Code.
    pub(super) fn before_tool(decision: &str, verdict: &Verdict) -> Reply {
        let asks = decision == "ask";
        let reason = reason(verdict, asks);
        Reply::json(&format!(
            r#"{{"hookSpecificOutput":{{"hookEventName":"PreToolUse","permissionDecision":"{decision}","permissionDecisionReason":{reason}}}}}"#
        ))
        .asking(asks)
    }

    /// What the agent is told before it starts, in the shape of Claude Code; nothing where there is
    /// nothing to tell, or where `event` is no start.
    pub(super) fn brief(event: &str, verdict: &Verdict) -> Option<Reply> {
        Reply::context(
            verdict,
            (event == "SessionStart").then_some("SessionStart")?,
        )
    }

    /// The notes as context of `event`.
    pub(super) fn context(verdict: &Verdict, event: &str) -> Option<Reply> {
        let lines = told(verdict)?;
        Some(Reply::json(&format!(
            r#"{{"hookSpecificOutput":{{"hookEventName":"{event}","additionalContext":{lines}}}}}"#
        )))
    }
}

/// The notes of a verdict as one JSON string, if it has any.
pub(super) fn told(verdict: &Verdict) -> Option<String> {
    let any = verdict.fault.is_none() && !verdict.notes.is_empty();
    any.then(|| text::json_string(&verdict.notes.join("\n")))
}

/// What the agent reads, as a JSON string.
pub(super) fn reason(verdict: &Verdict, can_ask: bool) -> String {
    text::json_string(text::agent(verdict, can_ask).trim_end())
}
