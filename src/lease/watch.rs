//! Claims as one call sees them: each checkout read once, and who asks found out only where there is a claim.

use super::asker::{Asker, Standing};
use super::book::Name;
use super::clock;
use super::identity::{self, Said};
use super::law::shown;
use super::liveness::Liveness;
use super::record::{Claim, Held, Slot};
use super::registry::{Hold, Registry};
use super::spot::{checkout_key, repo_key};
use super::store::dir::{Dir, Settings};
use super::store::mode::{self, Strictness};
use super::store::{Store, WAIT_HOOK};
use super::terms::Terms;
use super::unchanged;
use super::witness::{Machine, Witness, here};
use crate::person::{chain, hosts};
use crate::state::State;
use crate::state::time::{Moment, shown_span};
use std::cell::{OnceCell, RefCell};
use std::ffi::OsString;
use std::fmt;
use std::path::Path;
use std::time::Duration;

/// Who asks.
enum Who {
    /// The process that we run in, with what its host said.
    Here {
        session: Option<String>,
        agent: Option<String>,
    },
    /// Somebody who is known already.
    Given(Asker),
}

/// The claims of one state directory as one asker sees them.
pub struct Watch {
    state: State,
    who: Who,
    witness: Box<dyn Witness>,
    now: Moment,
    there: OnceCell<bool>,
    store: OnceCell<Dir>,
    place: OnceCell<(String, String)>,
    asker: OnceCell<Asker>,
    holds: RefCell<Vec<(String, Hold)>>,
    repos: RefCell<Vec<(String, bool)>>,
}

impl fmt::Debug for Watch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Watch").field("state", &self.state).finish()
    }
}

/// A claim that stands against an act, as far as messages tell it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Told {
    /// Whose it is: `session \`s\` of Claude Code (process 7)`.
    pub owner: String,
    /// The ticket.
    pub ticket: Option<String>,
    /// The branch.
    pub branch: Option<String>,
    /// For how long it has been held: `3h`.
    pub since: String,
    /// The top of its checkout.
    pub top: std::path::PathBuf,
    /// Its name.
    pub claim_id: String,
}

impl Watch {
    /// What the process that we run in sees; the host said `session` and `agent`.
    pub fn of(state: State, session: Option<String>, agent: Option<String>) -> Watch {
        let who = Who::Here { session, agent };
        Watch::new(state, who, Box::new(Machine), Moment::now())
    }

    /// What `asker` sees on a machine that `witness` tells about.
    pub fn given(state: State, asker: Asker, witness: Box<dyn Witness>, now: Moment) -> Watch {
        Watch::new(state, Who::Given(asker), witness, now)
    }

    fn new(state: State, who: Who, witness: Box<dyn Witness>, now: Moment) -> Watch {
        Watch {
            state,
            who,
            witness,
            now,
            there: OnceCell::new(),
            store: OnceCell::new(),
            place: OnceCell::new(),
            asker: OnceCell::new(),
            holds: RefCell::default(),
            repos: RefCell::default(),
        }
    }

    /// Whether anything was ever claimed on this machine: one look at the disk.
    pub fn any(&self) -> bool {
        *self
            .there
            .get_or_init(|| std::fs::symlink_metadata(self.state.dir().join("v1")).is_ok())
    }

    /// The repository's key, where anything was ever claimed in it or set for it. One that cannot be
    /// looked at counts as such.
    fn repo(&self, common: &Path) -> Option<String> {
        if !self.any() {
            return None;
        }
        let key = repo_key(common);
        let known = self.repos.borrow().iter().find(|r| r.0 == key).map(|r| r.1);
        let there = known.unwrap_or_else(|| {
            let folder = self.state.dir().join("v1").join(&key);
            let found = std::fs::symlink_metadata(folder);
            let there = !found.is_err_and(|e| e.kind() == std::io::ErrorKind::NotFound);
            self.repos.borrow_mut().push((key.clone(), there));
            there
        });
        there.then_some(key)
    }

    fn store(&self) -> &Dir {
        self.store.get_or_init(|| {
            let boot = match &self.who {
                Who::Given(asker) => asker.here.boot.clone(),
                Who::Here { .. } => self.place.get_or_init(chain::place).0.clone(),
            };
            let settings = Settings {
                boot,
                ..Settings::default()
            };
            Dir::new(self.state.dir(), settings)
        })
    }

    /// The law, the store and the machine.
    pub fn registry(&self, terms: Terms) -> Registry<'_> {
        Registry {
            store: self.store(),
            witness: self.witness.as_ref(),
            terms,
        }
    }

    /// The time of the call.
    pub fn now(&self) -> Moment {
        self.now
    }

    /// Who asks.
    pub fn asker(&self) -> &Asker {
        self.asker.get_or_init(|| match &self.who {
            Who::Given(asker) => asker.clone(),
            Who::Here { session, agent } => {
                let environment: Vec<(OsString, OsString)> = std::env::vars_os().collect();
                let mark = hosts::mark(environment);
                let said = Said {
                    session: session.as_deref(),
                    agent: agent.as_deref(),
                    mark: mark.map(|(_, host)| host),
                    variable: &|name| std::env::var(name).ok(),
                };
                let place = here(&self.state).unwrap_or_default();
                identity::asker(&said, &chain::ancestors(), place, &chain::process)
            }
        })
    }

    /// The session that asks: as the host says, else as its process tells.
    pub fn session(&self) -> Option<&str> {
        match &self.who {
            Who::Here {
                session: Some(session),
                ..
            } => Some(session),
            _ => self.asker().session.as_deref(),
        }
    }

    /// What the checkout with this git directory is to the asker. Takes no lock.
    pub fn hold(&self, git_dir: &Path, common: &Path) -> Hold {
        let Some(repo) = self.repo(common) else {
            return Hold::Free;
        };
        let checkout = checkout_key(git_dir, common);
        let key = [repo.as_str(), checkout.as_str()].join("/");
        if let Some((_, hold)) = self.holds.borrow().iter().find(|(k, _)| *k == key) {
            return hold.clone();
        }
        let hold = self.judged(self.store().at(&repo, &checkout));
        self.holds.borrow_mut().push((key, hold.clone()));
        hold
    }

    fn judged(&self, slot: Slot) -> Hold {
        match slot {
            Slot::Free => Hold::Free,
            slot => {
                let claim = slot.claim();
                if let Some(standing) = claim.and_then(|claim| self.quick(claim))
                    && let Slot::Held(held) = slot
                {
                    return Hold::Mine(Box::new(held.claim), standing);
                }
                let registry = self.registry(Terms::default());
                registry.judge(slot, self.asker(), self.now)
            }
        }
    }

    /// How the asker stands to a claim of its own, without looking at more than its session and the
    /// ids of the processes above: this stands before every call of the holder. `None` = look closely.
    fn quick(&self, claim: &Claim) -> Option<Standing> {
        let Who::Here { session, agent } = &self.who else {
            return None;
        };
        let (owner, session) = (&claim.owner, session.as_ref()?);
        if !owner.session_ids.contains(session) {
            return None;
        }
        let standing = match (agent, &owner.agent_id) {
            (Some(_), None) => Standing::Under,
            (mine, its) if mine == its => Standing::Owner,
            _ => return None,
        };
        let (boot, space) = self.place.get_or_init(chain::place);
        let here = !boot.is_empty() && owner.boot_id == *boot && owner.pid_ns == *space;
        let start = owner.start_ticks.as_ref()?.parse().ok()?;
        (here && chain::above(owner.pid?, start)).then_some(standing)
    }

    /// What the claim that names `branch` is to the asker; [`Hold::Free`] where none does.
    pub fn branch(&self, common: &Path, branch: &str) -> Hold {
        let Some(repo) = self.repo(common) else {
            return Hold::Free;
        };
        let name = Name::Branch(branch.to_owned());
        self.judged(self.store().named(&repo, &name))
    }

    /// The asker's own claim in the repository, wherever it is, by its session alone.
    pub fn own(&self, common: &Path) -> Option<Claim> {
        let repo = self.repo(common)?;
        let (session, agent) = match &self.who {
            Who::Given(asker) => (asker.session.clone(), asker.agent.clone()),
            Who::Here { session, agent } => (session.clone(), agent.clone()),
        };
        let names = |agent| {
            let who = Asker {
                session: session.clone(),
                agent,
                ..Asker::default()
            };
            who.names()
        };
        let parents = if agent.is_some() {
            names(None)
        } else {
            Vec::new()
        };
        names(agent).iter().chain(&parents).find_map(|name| {
            let slot = self.store().named(&repo, name);
            match self.judged(slot) {
                Hold::Mine(claim, _) => Some(*claim),
                _ => None,
            }
        })
    }

    /// The claims that were met so far and are not in force any more.
    pub fn lapsed(&self) -> Vec<Claim> {
        let holds = self.holds.borrow();
        let lapsed = holds.iter().filter_map(|(_, hold)| match hold {
            Hold::Lapsed(claim) => Some((**claim).clone()),
            _ => None,
        });
        lapsed.collect()
    }

    /// Whether the claim on a checkout is another machine's, is over, and has not changed for its
    /// whole time while this machine looked (D1).
    pub fn over_elsewhere(&self, git_dir: &Path, common: &Path) -> bool {
        let Some(repo) = self.repo(common) else {
            return false;
        };
        let checkout = checkout_key(git_dir, common);
        let Slot::Held(held) = self.store().at(&repo, &checkout) else {
            return false;
        };
        let skew = Terms::default().skew;
        let elsewhere = held.claim.owner.install_id != self.asker().here.install;
        if !elsewhere || super::clock::time(&held, self.now, skew) != super::clock::Time::Over {
            return false;
        }
        let whole = Duration::from_secs(held.claim.lease.ttl_secs).saturating_add(skew);
        let seen = unchanged::observe(&self.state, (&repo, &checkout), &held, self.now);
        seen.is_some_and(|span| span >= whole)
    }

    /// Whether any checkout of the repository but this one may be claimed.
    pub fn others(&self, git_dir: &Path, common: &Path) -> bool {
        let Some(repo) = self.repo(common) else {
            return false;
        };
        let own = checkout_key(git_dir, common) + ".json";
        let claims = self.state.dir().join("v1").join(repo).join("claims");
        match std::fs::read_dir(claims) {
            Ok(mut entries) => entries.any(|e| !e.is_ok_and(|e| e.file_name() == *own)),
            Err(e) => e.kind() != std::io::ErrorKind::NotFound,
        }
    }

    /// Whether a person made claims strict in the repository; a setting that cannot be read is.
    pub fn strict(&self, common: &Path) -> bool {
        let Some(repo) = self.repo(common) else {
            return false;
        };
        match mode::read(&self.state, &repo) {
            Ok(setting) => setting.is_some_and(|s| s.mode == Strictness::Strict),
            Err(_) => true,
        }
    }

    /// Notes a sign of life for the asker's own claim on a checkout, where the last one is old
    /// enough. Takes no lock, and that it fails changes nothing.
    pub fn beat(&self, git_dir: &Path, common: &Path) {
        let Some(repo) = self.repo(common) else {
            return;
        };
        let checkout = checkout_key(git_dir, common);
        let Slot::Held(held) = self.store().at(&repo, &checkout) else {
            return;
        };
        if self.due(&held) && matches!(self.hold(git_dir, common), Hold::Mine(..)) {
            let _ = self.store().beat(&repo, &held.claim, self.now);
        }
    }

    fn due(&self, held: &Held) -> bool {
        let ttl = Duration::from_secs(held.claim.lease.ttl_secs);
        clock::last_seen(held).age(self.now) >= Terms::beat_every(ttl)
    }

    /// How long an event waits for the repository's lock.
    pub const WAIT: Duration = WAIT_HOOK;

    /// `claim` for messages.
    pub fn told(&self, claim: &Claim) -> Told {
        Told {
            owner: shown(claim),
            ticket: claim.ticket.clone(),
            branch: claim.branch.clone(),
            since: shown_span(claim.lease.claimed_utc.age(self.now)),
            top: claim.checkout.path.clone(),
            claim_id: claim.claim_id.clone(),
        }
    }
}

/// Whether an owner that is not the asker still counts: unknown is as good as alive.
pub fn counts(liveness: Liveness) -> bool {
    liveness != Liveness::Dead
}
