//! Claims for tests: people, places and a machine that says what it is told to say.

use leaseguard::lease::asker::{Asker, HostProcess};
use leaseguard::lease::error::Refusal;
use leaseguard::lease::law::{Act, Outcome, Wanted};
use leaseguard::lease::liveness::{Here, Seen};
use leaseguard::lease::record::{Checkout, Repo, Version};
use leaseguard::lease::registry::Registry;
use leaseguard::lease::store::Store;
use leaseguard::lease::terms::Terms;
use leaseguard::lease::witness::Witness;
use leaseguard::lease::words::{Kind, Mode, Role};
use leaseguard::state::time::Moment;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::Duration;

/// The repository that tests claim in.
pub(crate) const REPO: &str = "repo";

/// A moment in 2026.
pub(crate) const T0: Moment = Moment(1_780_000_000_000);

/// `seconds` after [`T0`].
pub(crate) fn at(seconds: i64) -> Moment {
    Moment(T0.0 + seconds * 1000)
}

/// A machine that says what it is told to.
#[derive(Debug, Default)]
pub(crate) struct Stage {
    /// Starts of running processes by id; others are gone.
    pub(crate) runs: Mutex<BTreeMap<u32, u64>>,
    /// Processes by the checkout that they work in.
    pub(crate) inside: Mutex<BTreeMap<PathBuf, usize>>,
}

impl Witness for Stage {
    fn process(&self, pid: u32) -> Seen {
        let runs = self.runs.lock().unwrap();
        runs.get(&pid)
            .map_or(Seen::Missing, |start| Seen::Running(*start))
    }

    fn inside(&self, dir: &Path, _asker: &[u32]) -> Option<usize> {
        Some(self.inside.lock().unwrap().get(dir).copied().unwrap_or(0))
    }

    fn locks(&self, _git_dir: &Path) -> Option<bool> {
        Some(false)
    }
}

impl Stage {
    pub(crate) fn start(&self, pid: u32, start: u64) {
        self.runs.lock().unwrap().insert(pid, start);
    }

    pub(crate) fn kill(&self, pid: u32) {
        self.runs.lock().unwrap().remove(&pid);
    }

    pub(crate) fn work(&self, checkout: &str, many: usize) {
        self.inside.lock().unwrap().insert(path(checkout), many);
    }
}

pub(crate) fn here() -> Here {
    Here {
        install: "install".to_owned(),
        boot: "boot".to_owned(),
        pid_space: "pid:[1]".to_owned(),
        ..Here::default()
    }
}

/// A session in a process of a host that runs one at a time.
pub(crate) fn session(name: &str, pid: u32) -> Asker {
    Asker {
        here: here(),
        process: Some(HostProcess {
            pid,
            start: u64::from(pid) * 10,
            host: "Claude Code".to_owned(),
            one_session: true,
        }),
        session: Some(name.to_owned()),
        ..Asker::default()
    }
}

/// A subagent of `parent`.
pub(crate) fn subagent(parent: &Asker, name: &str) -> Asker {
    Asker {
        agent: Some(name.to_owned()),
        ..parent.clone()
    }
}

pub(crate) fn path(checkout: &str) -> PathBuf {
    PathBuf::from("/w").join(checkout)
}

/// A checkout on a branch of its own name.
pub(crate) fn wanted(checkout: &str) -> Wanted {
    Wanted {
        kind: Kind::Session,
        repo: Repo {
            id: REPO.to_owned(),
            ..Repo::default()
        },
        checkout: Checkout {
            id: checkout.to_owned(),
            path: path(checkout),
            git_dir: path(checkout).join(".git"),
            ..Checkout::default()
        },
        branch: Some(format!("feat/{checkout}")),
        base_sha: None,
        ticket: None,
        lane: None,
        plan_id: None,
        harness: Some("claude".to_owned()),
        model: None,
        role: Role::Implementer,
        mode: Mode::Ttl,
        ttl: Some(Duration::from_secs(300)),
        allowed_paths: Vec::new(),
        holder: None,
        label: None,
    }
}

/// The same, by ticket and branch.
pub(crate) fn named(checkout: &str, branch: &str, ticket: &str) -> Wanted {
    Wanted {
        branch: Some(branch.to_owned()),
        ticket: Some(ticket.to_owned()),
        ..wanted(checkout)
    }
}

/// A store and a machine under the default terms.
pub(crate) struct Bench<'a> {
    pub(crate) store: &'a dyn Store,
    pub(crate) stage: &'a dyn Witness,
    pub(crate) terms: Terms,
    pub(crate) wait: Duration,
}

impl<'a> Bench<'a> {
    pub(crate) fn new(store: &'a dyn Store, stage: &'a dyn Witness) -> Bench<'a> {
        Bench {
            store,
            stage,
            terms: Terms::default(),
            wait: Duration::from_secs(20),
        }
    }

    pub(crate) fn registry(&self) -> Registry<'a> {
        Registry {
            store: self.store,
            witness: self.stage,
            terms: self.terms.clone(),
            looks: None,
        }
    }

    pub(crate) fn run(
        &self,
        checkout: &str,
        who: &Asker,
        act: Act,
        now: Moment,
    ) -> Result<Outcome, Refusal> {
        self.expecting(checkout, who, act, None, now)
    }

    pub(crate) fn expecting(
        &self,
        checkout: &str,
        who: &Asker,
        act: Act,
        expect: Option<Version>,
        now: Moment,
    ) -> Result<Outcome, Refusal> {
        let registry = self.registry();
        registry.run((REPO, checkout), who, act, expect, (self.wait, now))
    }

    pub(crate) fn claim(
        &self,
        checkout: &str,
        who: &Asker,
        now: Moment,
    ) -> Result<Outcome, Refusal> {
        self.run(checkout, who, claim(wanted(checkout)), now)
    }
}

pub(crate) fn claim(wanted: Wanted) -> Act {
    Act::Claim(Box::new(wanted))
}

pub(crate) fn renew() -> Act {
    Act::Renew {
        stage: None,
        ttl: None,
    }
}

/// A takeover of a clean checkout.
pub(crate) fn takeover(checkout: &str) -> Act {
    Act::Takeover {
        wanted: Box::new(wanted(checkout)),
        adopt_dirty: false,
        dirty: Some(false),
    }
}

/// The code of a refusal.
#[track_caller]
pub(crate) fn code(result: Result<Outcome, Refusal>) -> &'static str {
    match result {
        Ok(outcome) => panic!("not refused: {}", outcome.event),
        Err(refusal) => {
            let text = &refusal.what;
            let first = text.chars().next().unwrap_or('A');
            assert!(!first.is_uppercase() && !text.ends_with('.'), "{text}");
            refusal.code.text()
        }
    }
}

/// Numbers by chance, the same in every run.
pub(crate) struct Dice(pub(crate) u64);

impl Dice {
    pub(crate) fn roll(&mut self, sides: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % sides
    }
}
