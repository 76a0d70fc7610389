//! Who asks, from what the host says and from the processes above us (D7).
//!
//! The owner is the host's process, never the short one that asks: a hook is dead before its answer
//! is read. A host is known by its executable, never by text that a shell got as an argument.

use super::asker::{Asker, HostProcess};
use super::liveness::Here;
use crate::person::chain::{Chain, Process};
use crate::person::hosts;

/// What the host says, and what stands in the environment.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Said<'a> {
    /// The payload's session.
    pub session: Option<&'a str>,
    /// The payload's subagent.
    pub agent: Option<&'a str>,
    /// `CLAUDE_PID`: the host's own word for its process.
    pub claude_pid: Option<&'a str>,
    /// `CLAUDE_CODE_SESSION_ID`, where there is no payload.
    pub session_variable: Option<&'a str>,
}

/// The one who asks. `chain` are the processes above, `look` finds one that is not among them.
pub fn asker(
    said: &Said<'_>,
    chain: &Chain,
    here: Here,
    look: &dyn Fn(u32) -> Option<Process>,
) -> Asker {
    let process = host_process(said, chain, look);
    // The variable is inherited by other hosts that a session of Claude Code starts.
    let claude = process.as_ref().is_some_and(|p| p.host == hosts::CLAUDE);
    let variable = said.session_variable.filter(|_| claude);
    Asker {
        here,
        session: said.session.or(variable).filter(|s| !s.is_empty()).map(str::to_owned),
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
    let named = said.claude_pid.and_then(|text| text.parse::<u32>().ok());
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
