//! The one who asks, and how it stands to an owner.

use super::book::Name;
use super::liveness::{Here, Liveness};
use super::record::{Claim, Owner};
use crate::state::key::Key;

/// A process that owns claims: an agent host's, or one that a dispatcher named.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HostProcess {
    /// Its id.
    pub pid: u32,
    /// When it started, in ticks since boot: tells a reused id apart.
    pub start: u64,
    /// The host's name.
    pub host: String,
    /// Whether that host runs one session in a process.
    pub one_session: bool,
}

/// Who asks.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Asker {
    /// Where it asks.
    pub here: Here,
    /// The process that owns, never the short one that asks; `None` where it cannot be told.
    pub process: Option<HostProcess>,
    /// The session.
    pub session: Option<String>,
    /// The subagent.
    pub agent: Option<String>,
    /// The processes that are the asker itself: they do not make its checkout busy.
    pub chain: Vec<u32>,
}

/// How an asker stands to an owner (D7).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Standing {
    /// It is the owner.
    Owner,
    /// A subagent without a claim of its own, under its parent's.
    Under,
    /// The parent of the subagent whose claim it is.
    Over,
    /// A new session in the owner's process, in a host that runs one at a time.
    Rotated,
    /// The owner's session, gone on in another process after the first one died.
    Resumed,
    /// The session that a dispatcher claimed for, seen for the first time.
    Bound,
    /// Somebody else.
    Stranger,
    /// It cannot be told.
    Unclear,
}

impl Standing {
    /// Whether it acts as the owner without more ado.
    pub fn acts(self) -> bool {
        matches!(
            self,
            Standing::Owner | Standing::Under | Standing::Over | Standing::Bound
        )
    }
}

impl Asker {
    /// The owner that it is in a new claim.
    pub fn owner(&self, holder: Option<String>, label: Option<String>) -> Owner {
        let process = self.process.as_ref();
        Owner {
            install_id: self.here.install.clone(),
            host_name: self.here.host_name.clone(),
            machine_id_hash: self.here.machine.clone(),
            boot_id: self.here.boot.clone(),
            pid_ns: self.here.pid_space.clone(),
            pid: process.map(|p| p.pid),
            start_ticks: process.map(|p| p.start.to_string()),
            exe: process.map(|p| p.host.clone()),
            one_session: process.is_some_and(|p| p.one_session),
            session_ids: self.session.iter().cloned().collect(),
            agent_id: self.agent.clone(),
            holder,
            label,
            ..Owner::default()
        }
    }

    /// Whether anything tells it from others.
    pub fn known(&self) -> bool {
        self.session.is_some() || self.process.as_ref().is_some_and(|p| p.one_session)
    }

    /// Whether its process is the owner's; `None` where one of them is not known.
    fn same_process(&self, owner: &Owner) -> Option<bool> {
        let process = self.process.as_ref()?;
        let (pid, start) = (owner.pid?, owner.start_ticks.as_ref()?);
        let same_place = !self.here.install.is_empty()
            && owner.install_id == self.here.install
            && owner.boot_id == self.here.boot
            && owner.pid_ns == self.here.pid_space;
        Some(same_place && pid == process.pid && *start == process.start.to_string())
    }

    /// How it stands to `owner`, whose process is as `liveness` says.
    pub fn standing(&self, owner: &Owner, liveness: Liveness) -> Standing {
        let same_process = self.same_process(owner);
        let one = self.process.as_ref().is_some_and(|p| p.one_session);
        let known = self
            .session
            .as_ref()
            .map(|s| owner.session_ids.iter().any(|known| known == s));
        let related = match (known, same_process) {
            (Some(true), Some(true)) => Standing::Owner,
            (Some(true), Some(false)) => match liveness {
                Liveness::Dead => Standing::Resumed,
                // The same session twice: the one who came first has it.
                Liveness::Alive => return Standing::Stranger,
                Liveness::Unknown => return Standing::Unclear,
            },
            (Some(true), None) if owner.pid.is_some() => return Standing::Unclear,
            (Some(true), None) if self.process.is_some() => Standing::Bound,
            (Some(true), None) => Standing::Owner,
            (Some(false), Some(true)) if one && owner.one_session => Standing::Rotated,
            (Some(false), _) => return Standing::Stranger,
            (None, Some(true)) if one => Standing::Owner,
            (None, Some(true)) => return Standing::Unclear,
            (None, Some(false)) => return Standing::Stranger,
            (None, None) => return Standing::Unclear,
        };
        match (&self.agent, &owner.agent_id) {
            (None, None) => related,
            (Some(mine), Some(its)) if mine == its => related,
            (Some(_), Some(_)) => Standing::Stranger,
            (Some(_), None) if related == Standing::Owner || related == Standing::Bound => {
                Standing::Under
            }
            (None, Some(_)) if related == Standing::Owner || related == Standing::Bound => {
                Standing::Over
            }
            // A subagent does not carry its parent's claim over, nor the other way round.
            _ => Standing::Stranger,
        }
    }

    /// The names under which its own claim is found.
    pub fn names(&self) -> Vec<Name> {
        let process = self.process.as_ref().filter(|p| p.one_session);
        let process = process.map(|p| process_key(&self.here, p.pid, &p.start.to_string()));
        agents(
            self.session.iter().map(String::as_str),
            process,
            self.agent.as_deref(),
        )
    }
}

/// The names under which the claim of `claim`'s owner is found.
pub(super) fn owner_names(claim: &Claim) -> Vec<Name> {
    let owner = &claim.owner;
    let here = Here {
        install: owner.install_id.clone(),
        boot: owner.boot_id.clone(),
        pid_space: owner.pid_ns.clone(),
        ..Here::default()
    };
    let process = match (owner.pid, &owner.start_ticks) {
        (Some(pid), Some(start)) if owner.one_session => Some(process_key(&here, pid, start)),
        _ => None,
    };
    agents(
        owner.session_ids.iter().map(String::as_str),
        process,
        owner.agent_id.as_deref(),
    )
}

fn agents<'a>(
    sessions: impl Iterator<Item = &'a str>,
    process: Option<Key>,
    agent: Option<&str>,
) -> Vec<Name> {
    let sessions = sessions.map(|s| Key::new("session").with(s.as_bytes()));
    let keys = sessions.chain(process);
    keys.map(|key| Name::Agent(key.with_maybe(agent.map(str::as_bytes)).hex()))
        .collect()
}

fn process_key(here: &Here, pid: u32, start: &str) -> Key {
    Key::new("process")
        .with(here.install.as_bytes())
        .with(here.boot.as_bytes())
        .with(here.pid_space.as_bytes())
        .with(pid.to_string().as_bytes())
        .with(start.as_bytes())
}
