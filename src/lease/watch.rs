//! Claims as one call sees them: each checkout read once, and who asks found out only where there is a claim.

use super::asker::{Asker, Standing};
use super::card::{Card, Own};
use super::home::Home;
use super::identity::{self, Said};
use super::law::shown;
use super::liveness::Liveness;
use super::pace::Pace;
use super::record::{Claim, Slot};
use super::registry::{Hold, Registry};
use super::spot::{checkout_key, repo_key};
use super::store::dir::Dir;
use super::store::mode::{self, Strictness};
use super::store::{Store, WAIT_HOOK};
use super::terms::Terms;
use super::unchanged;
use super::witness::{Machine, Witness, here};
use crate::person::{chain, hosts};
use crate::state::State;
use crate::state::files::under;
use crate::state::time::{Moment, shown_span};
use std::cell::{OnceCell, RefCell};
use std::ffi::OsString;
use std::fmt;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::time::Duration;

/// Who asks.
pub(super) enum Who {
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
    pub(super) state: State,
    pub(super) who: Who,
    witness: Box<dyn Witness>,
    pub(super) now: Moment,
    there: OnceCell<bool>,
    store: OnceCell<Dir>,
    pub(super) place: OnceCell<(String, String)>,
    asker: OnceCell<Asker>,
    /// Where the asker's calls come from, their pace and the note on it.
    pub(super) pace: OnceCell<(PathBuf, Option<Pace>)>,
    pub(super) home: OnceCell<(PathBuf, Option<Home>)>,
    seen: RefCell<Vec<(PathBuf, Seen)>>,
    repos: RefCell<Vec<(PathBuf, Option<Rc<str>>)>>,
    strict: RefCell<Vec<(PathBuf, bool)>>,
    pub(super) branches: RefCell<Vec<(PathBuf, String, Hold)>>,
    pub(super) owns: RefCell<Vec<(PathBuf, Option<Rc<Own>>)>>,
}

/// What a checkout is to the asker, as far as judging a call needs it.
#[derive(Debug, Clone)]
pub enum Seen {
    /// Its own.
    Own(Rc<Own>, Rc<Pulse>),
    /// Anything else; never [`Hold::Mine`].
    Else(Hold),
}

/// What keeping a claim alive needs to know of it.
#[derive(Debug)]
pub struct Pulse {
    pub(super) claim_id: String,
    pub(super) every: Duration,
    pub(super) seen: Moment,
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
            pace: OnceCell::new(),
            home: OnceCell::new(),
            seen: RefCell::default(),
            repos: RefCell::default(),
            strict: RefCell::default(),
            branches: RefCell::default(),
            owns: RefCell::default(),
        }
    }

    /// Whether anything was ever claimed on this machine: one look at the disk.
    pub fn any(&self) -> bool {
        let look = || std::fs::symlink_metadata(under(self.state.dir(), &["v1"])).is_ok();
        *self.there.get_or_init(look)
    }

    /// The repository's key, where anything was ever claimed in it or set for it. One that cannot be
    /// looked at counts as such.
    pub(super) fn repo(&self, common: &Path) -> Option<Rc<str>> {
        if !self.any() {
            return None;
        }
        if let Some((_, key)) = self.repos.borrow().iter().find(|r| same(&r.0, common)) {
            return key.clone();
        }
        let noted = self.home.get().and_then(|(_, home)| home.as_ref());
        let key = noted.and_then(|home| home.repo(common).map(str::to_owned));
        let key = key.unwrap_or_else(|| repo_key(common));
        let found = std::fs::symlink_metadata(self.store().place(&key));
        let there = !found.is_err_and(|e| e.kind() == std::io::ErrorKind::NotFound);
        let key = there.then(|| Rc::from(key));
        let known = (common.to_owned(), key.clone());
        self.repos.borrow_mut().push(known);
        key
    }

    pub(super) fn store(&self) -> &Dir {
        self.store.get_or_init(|| {
            let boot = match &self.who {
                Who::Given(asker) => asker.here.boot.clone(),
                Who::Here { .. } => self.place.get_or_init(chain::place).0.clone(),
            };
            Dir::new(self.state.dir(), &boot)
        })
    }

    /// The law, the store and the machine.
    pub fn registry(&self, terms: Terms) -> Registry<'_> {
        Registry {
            store: self.store(),
            witness: self.witness.as_ref(),
            terms,
            looks: Some(&self.state),
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
        match self.repo(common) {
            Some(repo) => self.judged(self.store().at(&repo, &checkout_key(git_dir, common))),
            None => Hold::Free,
        }
    }

    /// The same for judging a call that comes from `from`: each checkout is read once, and one's own
    /// no further than needed.
    pub fn look(&self, git_dir: &Path, common: &Path, from: Option<&Path>) -> Seen {
        let home = from.filter(|_| self.any()).and_then(|dir| self.home(dir));
        if let Some(seen) = home.and_then(|home| home.seen(git_dir, common)) {
            return seen;
        }
        let Some(repo) = self.repo(common) else {
            return Seen::Else(Hold::Free);
        };
        if let Some((_, seen)) = self.seen.borrow().iter().find(|s| same(&s.0, git_dir)) {
            return seen.clone();
        }
        let checkout = checkout_key(git_dir, common);
        let record = self.store().record(&repo, &checkout);
        let card = record.as_ref().and_then(|r| Card::read(&r.bytes));
        let own = card.filter(|card| self.quick(card).is_some());
        let seen = match own {
            Some(card) => Seen::own(&card),
            None => match self.judged(self.store().at(&repo, &checkout)) {
                Hold::Mine(claim, _) => Seen::own(&Card::of(&claim)),
                hold => Seen::Else(hold),
            },
        };
        let known = (git_dir.to_owned(), seen.clone());
        self.seen.borrow_mut().push(known);
        seen
    }

    pub(super) fn judged(&self, slot: Slot) -> Hold {
        match slot {
            Slot::Free => Hold::Free,
            slot => {
                let claim = slot.claim();
                if let Some(standing) = claim.and_then(|claim| self.quick(&Card::of(claim)))
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
    pub(super) fn quick(&self, card: &Card<'_>) -> Option<Standing> {
        let Who::Here { session, agent } = &self.who else {
            return None;
        };
        let session = session.as_deref()?;
        if !card.sessions.contains(&session) {
            return None;
        }
        let standing = match (agent.as_deref(), card.agent) {
            (Some(_), None) => Standing::Under,
            (mine, its) if mine == its => Standing::Owner,
            _ => return None,
        };
        let (boot, space) = self.place.get_or_init(chain::place);
        let here = !boot.is_empty() && card.boot == boot && card.pid_space == space;
        let start = card.start?.parse().ok()?;
        (here && chain::above(card.pid?, start)).then_some(standing)
    }

    /// The claims that were met so far and are not in force any more.
    pub fn lapsed(&self) -> Vec<Claim> {
        let seen = self.seen.borrow();
        let lapsed = seen.iter().filter_map(|(_, seen)| match seen {
            Seen::Else(Hold::Lapsed(claim)) => Some((**claim).clone()),
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

    /// Whether a person made claims strict in the repository; a setting that cannot be read is.
    pub fn strict(&self, common: &Path) -> bool {
        if let Some((_, strict)) = self.strict.borrow().iter().find(|s| same(&s.0, common)) {
            return *strict;
        }
        let setting = self.repo(common).map(|repo| mode::read(&self.state, &repo));
        let strict = match setting {
            None | Some(Ok(None)) => false,
            Some(Ok(Some(setting))) => setting.mode == Strictness::Strict,
            Some(Err(_)) => true,
        };
        self.strict.borrow_mut().push((common.to_owned(), strict));
        strict
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

impl Seen {
    fn own(card: &Card<'_>) -> Seen {
        let pulse = Pulse {
            claim_id: card.claim_id.to_owned(),
            every: Terms::beat_every(Duration::from_secs(card.ttl)),
            seen: card.seen,
        };
        Seen::Own(Rc::new(card.own()), Rc::new(pulse))
    }
}

/// Whether two spellings of a path are one, byte by byte.
pub(super) fn same(a: &Path, b: &Path) -> bool {
    a.as_os_str() == b.as_os_str()
}

/// Whether an owner that is not the asker still counts: unknown is as good as alive.
pub fn counts(liveness: Liveness) -> bool {
    liveness != Liveness::Dead
}
