//! Looks at how hosts are connected, and tells what keeps leaseguard from being called or heard.
//!
//! Nearly every mistake in a host's settings is silent: the tool simply runs. So every check here is
//! about one way in which that was seen to happen.

pub mod canary;
mod checks;
pub mod entry;
pub mod githooks;
mod machine;
pub mod manner;
pub mod matcher;
mod own;
mod run;
pub mod settings;

pub use checks::ALL;
pub use machine::Machine;
pub use own::ALL as OWN;

use crate::host::Host;
use crate::host::setup::{Owner, Setup};
use crate::state::seen::{Kind, last};
use crate::state::time::Moment;
use entry::Entry;
use manner::Manner;
use serde::Serialize;
use settings::Settings;
use std::path::PathBuf;

/// How bad a finding is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// Worth knowing.
    Note,
    /// Some calls are not guarded, or not always.
    Weak,
    /// Calls are not guarded.
    Broken,
}

impl Severity {
    /// In a word.
    pub fn word(self) -> &'static str {
        match self {
            Severity::Note => "note",
            Severity::Weak => "weak",
            Severity::Broken => "broken",
        }
    }
}

/// What a check found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// The check.
    pub check: &'static str,
    /// How bad it is.
    pub severity: Severity,
    /// What is wrong.
    pub what: String,
    /// What to do about it.
    pub fix: String,
}

/// A finding before it knows its check.
#[derive(Debug, Clone)]
pub struct Ill {
    severity: Severity,
    what: String,
    fix: String,
}

impl Ill {
    fn broken(what: impl Into<String>, fix: impl Into<String>) -> Ill {
        Ill::new(Severity::Broken, what, fix)
    }

    fn weak(what: impl Into<String>, fix: impl Into<String>) -> Ill {
        Ill::new(Severity::Weak, what, fix)
    }

    fn note(what: impl Into<String>, fix: impl Into<String>) -> Ill {
        Ill::new(Severity::Note, what, fix)
    }

    fn new(severity: Severity, what: impl Into<String>, fix: impl Into<String>) -> Ill {
        Ill {
            severity,
            what: what.into(),
            fix: fix.into(),
        }
    }

    fn of(self, check: &'static str) -> Finding {
        Finding {
            check,
            severity: self.severity,
            what: self.what,
            fix: self.fix,
        }
    }
}

/// One check of a host.
pub struct Check {
    /// Its name.
    pub id: &'static str,
    /// Why it matters.
    pub why: &'static str,
    /// It starts programs, so `status` leaves it out.
    pub starts: bool,
    /// Looks.
    pub look: fn(&Site<'_>) -> Vec<Ill>,
}

/// One check of leaseguard itself.
pub struct OwnCheck {
    /// Its name.
    pub id: &'static str,
    /// Why it matters.
    pub why: &'static str,
    /// Looks.
    pub look: fn(&Machine) -> Vec<Ill>,
}

/// One host on this machine.
pub struct Site<'a> {
    /// The machine.
    pub machine: &'a Machine,
    /// The host.
    pub host: &'static Host,
    /// How it is connected.
    pub setup: &'static Setup,
    /// What it makes of its files; nothing where nobody looked.
    pub manner: Option<&'static Manner>,
    /// Its settings files, all scopes.
    pub files: Vec<Settings>,
    /// Our entries in them.
    pub entries: Vec<Entry>,
    /// Its program on the PATH.
    pub program: Option<PathBuf>,
}

impl<'a> Site<'a> {
    /// Reads what there is; nothing for hosts that cannot be connected.
    pub fn of(machine: &'a Machine, host: &'static Host) -> Option<Site<'a>> {
        let setup = host.setup.as_ref()?;
        let manner = manner::of(host.name);
        let files = settings::all(machine, setup, manner);
        let entries = files.iter().enumerate();
        let entries = entries.flat_map(|(at, file)| entry::all(file, at, setup));
        let entries = entries.collect();
        Some(Site {
            machine,
            host,
            setup,
            manner,
            files,
            entries,
            program: setup.programs.iter().find_map(|p| machine.on_path(p)),
        })
    }

    /// Whether the host seems to be in use here.
    pub fn in_use(&self) -> bool {
        let home = self.machine.user_dir(&self.setup.user);
        // The directory of files that are ours alone may be everybody's.
        let settled = self.setup.owner == Owner::Shared && home.is_some_and(|dir| dir.is_dir());
        self.program.is_some() || settled || self.connected()
    }

    /// Whether an entry of ours stands anywhere, or a broken file may hold one.
    pub fn connected(&self) -> bool {
        !self.entries.is_empty() || self.files.iter().any(|f| self.hides(f))
    }

    /// Whether a file that the host cannot read speaks of us.
    fn hides(&self, file: &Settings) -> bool {
        file.broken.is_some() && file.text.contains("leaseguard") && file.text.contains("hook")
    }

    /// Our entries that are called before a tool runs.
    fn guards(&self) -> impl Iterator<Item = &Entry> {
        let events = self.manner.map_or(&[][..], |m| m.events);
        let free = events.is_empty();
        self.entries
            .iter()
            .filter(move |e| free || events.contains(&e.event.as_str()))
    }

    /// The file in which an entry stands, as people write it.
    fn place(&self, entry: &Entry) -> String {
        let file = self.files.get(entry.file);
        file.map_or_else(String::new, |f| self.machine.shown(&f.path))
    }

    /// What connects the host.
    fn install(&self) -> String {
        format!("leaseguard install {}", self.host.name)
    }

    /// When it last called.
    pub fn seen(&self, kind: Kind) -> Option<Moment> {
        last(self.machine.state.as_ref()?, self.host.name, kind)
    }

    /// Lets programs of ours that our entries name be executed; says which.
    pub fn unlock(&self) -> Vec<String> {
        let mut done = Vec::new();
        for entry in self.guards() {
            let words = entry.start.words();
            let program = entry::program(&words).filter(|p| p.is_absolute());
            let named = |p: &&std::path::Path| p.file_stem().is_some_and(|s| s == "leaseguard");
            if let Some(program) = program.filter(named)
                && machine::unlock(program)
            {
                done.push(format!("`{}` can be executed now", program.display()));
            }
        }
        done
    }

    /// What the checks find; without those that start programs where `quick`.
    pub fn examine(&self, quick: bool) -> Vec<Finding> {
        let mut found = Vec::new();
        for check in ALL.iter().filter(|c| !quick || !c.starts) {
            found.extend((check.look)(self).into_iter().map(|ill| ill.of(check.id)));
        }
        found.sort_by_key(|f| std::cmp::Reverse(f.severity));
        found
    }
}

/// What is found about leaseguard itself.
pub fn examine_own(machine: &Machine) -> Vec<Finding> {
    let mut found = Vec::new();
    for check in OWN {
        found.extend(
            (check.look)(machine)
                .into_iter()
                .map(|ill| ill.of(check.id)),
        );
    }
    found.sort_by_key(|f| std::cmp::Reverse(f.severity));
    found
}

/// Every host that can be connected.
pub fn hosts() -> impl Iterator<Item = &'static Host> {
    let all = crate::host::ALL.iter().copied();
    all.filter(|host| host.setup.is_some())
}
