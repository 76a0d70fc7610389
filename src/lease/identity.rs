//! Who asks, from what the host says and from the processes above us (D7).
//!
//! The owner is the host's process, never the short one that asks: a hook is dead before its answer
//! is read. A host is known by its executable, never by text that a shell got as an argument.

use super::asker::{Asker, HostProcess};
use super::liveness::Here;
use crate::person::chain::{Chain, Process};
use crate::person::hosts;

/// Variables that hosts give to what they start, and that hold the payload's session.
const SESSIONS: &[(&str, &str)] = &[
    (hosts::CLAUDE, "CLAUDE_CODE_SESSION_ID"),
    // Put there by our own answer to the session's start, where the host takes it.
    (hosts::CLAUDE, "LEASEGUARD_SESSION"),
    ("Codex", "CODEX_THREAD_ID"),
    ("Codex", "CODEX_SESSION_ID"),
    ("Gemini CLI", "GEMINI_SESSION_ID"),
    ("OpenCode", "OPENCODE_SESSION_ID"),
];

/// What hosts are called in a record.
const HARNESSES: &[(&str, &str)] = &[
    (hosts::CLAUDE, "claude"),
    ("Codex", "codex"),
    ("Cursor", "cursor"),
    ("Gemini CLI", "gemini"),
    ("GitHub Copilot CLI", "copilot"),
    ("Qwen Code", "qwen"),
    ("OpenCode", "opencode"),
    ("Kimi CLI", "kimi"),
    ("Grok CLI", "grok"),
    ("Antigravity", "agy"),
    ("Factory Droid", "droid"),
    ("Cline", "cline"),
    ("Crush", "crush"),
    ("Goose", "goose"),
    ("Amp", "amp"),
    ("Aider", "aider"),
    ("OpenHands", "openhands"),
    ("Pi", "pi"),
];

/// What `host` is called in a record; `None` where it has no word there.
pub fn harness(host: &str) -> Option<&'static str> {
    let found = HARNESSES.iter().find(|(name, _)| *name == host);
    found.map(|(_, word)| *word)
}

/// What the host says, and what stands in the environment.
#[derive(Clone, Copy)]
pub struct Said<'a> {
    /// The payload's session.
    pub session: Option<&'a str>,
    /// The payload's subagent.
    pub agent: Option<&'a str>,
    /// The host whose mark is in the environment.
    pub mark: Option<&'a str>,
    /// A variable of the environment.
    pub variable: &'a dyn Fn(&str) -> Option<String>,
}

/// The one who asks. `chain` are the processes above, `look` finds one that is not among them.
pub fn asker(
    said: &Said<'_>,
    chain: &Chain,
    here: Here,
    look: &dyn Fn(u32) -> Option<Process>,
) -> Asker {
    let process = host_process(said, chain, look);
    // A host that another one started inherits the other's variables: only its own count.
    let mark = said.mark.filter(|_| !chain.complete);
    let host = process.as_ref().map(|p| p.host.as_str()).or(mark);
    let own = SESSIONS.iter().filter(|(name, _)| Some(*name) == host);
    let session = said.session.map(str::to_owned);
    let session = session.or_else(|| own.clone().find_map(|(_, var)| (said.variable)(var)));
    Asker {
        here,
        session: session.filter(|s| !s.is_empty()),
        agent: said.agent.filter(|a| !a.is_empty()).map(str::to_owned),
        process,
        chain: chain.processes.iter().map(|p| p.pid).collect(),
    }
}

fn host_process(
    said: &Said<'_>,
    chain: &Chain,
    look: &dyn Fn(u32) -> Option<Process>,
) -> Option<HostProcess> {
    let named = (said.variable)("CLAUDE_PID").and_then(|text| text.parse::<u32>().ok());
    let nearest = chain
        .processes
        .iter()
        .find_map(|p| Some((hosts::of(p)?, p)));
    match (nearest, named) {
        // A launcher and the program that it starts: the host says which of them it is.
        (Some((hosts::CLAUDE, near)), Some(pid)) => {
            let same = |p: &&Process| p.pid == pid && hosts::of(p) == Some(hosts::CLAUDE);
            Some(owning(
                chain.processes.iter().find(same).unwrap_or(near),
                hosts::CLAUDE,
            ))
        }
        (Some((host, near)), _) => Some(owning(near, host)),
        // The way up is broken, as in some shells on Windows: the host's own word has to do.
        (None, Some(pid)) if !chain.complete => {
            let process = look(pid)?;
            (hosts::of(&process)? == hosts::CLAUDE).then(|| owning(&process, hosts::CLAUDE))
        }
        _ => None,
    }
}

fn owning(process: &Process, host: &'static str) -> HostProcess {
    HostProcess {
        pid: process.pid,
        start: process.start,
        host: host.to_owned(),
        one_session: hosts::one_session(host),
    }
}
