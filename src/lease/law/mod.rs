//! The law of claims: a pure function of book, request, facts and time.
//!
//! It decides, and stores do as it says under their lock. Nothing here looks at a clock, a disk or
//! a process. Unknown facts never give a claim to somebody else.
#![deny(clippy::disallowed_methods)]

mod claim;
mod release;
mod renew;
mod takeover;

use super::asker::Asker;
use super::book::{Book, Name};
use super::clock::{self, Time};
use super::error::{Code, Refusal};
use super::liveness::{Liveness, Quiet};
use super::record::{Checkout, Claim, Held, Repo, Slot, Version};
use super::terms::Terms;
use super::words::{Kind, Mode, Role, Stage};
use crate::state::time::Moment;
use std::time::Duration;

/// The longest text that a field of a record takes, in bytes.
pub const MOST_TEXT: usize = 400;

/// What somebody wants to hold.
#[derive(Debug, Clone, PartialEq)]
pub struct Wanted {
    /// What for.
    pub kind: Kind,
    /// The repository.
    pub repo: Repo,
    /// The checkout.
    pub checkout: Checkout,
    /// The branch.
    pub branch: Option<String>,
    /// The commit.
    pub base_sha: Option<String>,
    /// The ticket; `None` = called as the branch.
    pub ticket: Option<String>,
    /// The lane.
    pub lane: Option<String>,
    /// The plan.
    pub plan_id: Option<String>,
    /// The kind of agent host.
    pub harness: Option<String>,
    /// The model.
    pub model: Option<String>,
    /// What the holder will do.
    pub role: Role,
    /// What ends it.
    pub mode: Mode,
    /// How long it holds; `None` = as the terms say.
    pub ttl: Option<Duration>,
    /// Patterns for writing.
    pub allowed_paths: Vec<String>,
    /// A holder that is no process here.
    pub holder: Option<String>,
    /// A text for people.
    pub label: Option<String>,
}

impl Wanted {
    /// What a session claims that says no more than where it works: for its time, as an implementer.
    pub fn plain(
        repo: Repo,
        checkout: Checkout,
        branch: Option<String>,
        harness: Option<&str>,
    ) -> Wanted {
        Wanted {
            kind: Kind::Session,
            repo,
            checkout,
            branch,
            base_sha: None,
            ticket: None,
            lane: None,
            plan_id: None,
            harness: harness.map(str::to_owned),
            model: None,
            role: Role::Implementer,
            mode: Mode::Ttl,
            ttl: None,
            allowed_paths: Vec::new(),
            holder: None,
            label: None,
        }
    }
}

/// Why a host said that a session starts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Source {
    /// A new one.
    Startup,
    /// The talk was cleared, and goes on under a new id.
    Clear,
    /// The talk was made shorter.
    Compact,
    /// An old one goes on.
    Resume,
}

/// What is asked.
#[derive(Debug, Clone, PartialEq)]
pub enum Act {
    /// To hold a checkout. One's own claim is renewed by it, and moved to the branch and ticket.
    Claim(Box<Wanted>),
    /// To hold it longer.
    Renew {
        /// What the claim goes on as.
        stage: Option<Stage>,
        /// For how long from now on.
        ttl: Option<Duration>,
    },
    /// To be the same owner under a new session id.
    Rotate {
        /// What the host said.
        source: Source,
    },
    /// To give it back.
    Release,
    /// To have what a dead owner left.
    Takeover {
        /// What the new holder wants; its branch stays the claim's where it names none.
        wanted: Box<Wanted>,
        /// Whether uncommitted work is taken over with it.
        adopt_dirty: bool,
        /// Whether there is uncommitted work; `None` = not known, which counts as yes.
        dirty: Option<bool>,
    },
    /// To end a claim on a person's word; the caller has made sure that it is one.
    Override {
        /// The claim that is meant, or [`CORRUPT`].
        claim_id: String,
        /// Why.
        reason: String,
    },
    /// To mark what a gone owner left uncommitted.
    MarkDirty,
}

/// How an override names a record that cannot be read.
pub const CORRUPT: &str = "corrupt";

/// A request.
#[derive(Debug, Clone, PartialEq)]
pub struct Request {
    /// Who asks.
    pub who: Asker,
    /// For what.
    pub act: Act,
    /// The state of the claim that the asker saw; a later one refuses.
    pub expect: Option<Version>,
    /// The name of the claim that comes of it.
    pub nonce: String,
}

/// What is known of one claim's owner and checkout.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Observed {
    /// Whether the owner lives.
    pub liveness: Liveness,
    /// Whether the checkout rests.
    pub quiet: Quiet,
    /// For how long nobody here has seen the claim change, by a clock that only goes forward.
    pub unchanged: Option<Duration>,
}

/// What is known of the claims in the book; of others, nothing.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Facts(pub Vec<(String, Observed)>);

impl Facts {
    /// What is known of `claim`.
    pub fn of(&self, claim: &Claim) -> Observed {
        let found = self.0.iter().find(|(id, _)| *id == claim.claim_id);
        found.map(|(_, seen)| *seen).unwrap_or_default()
    }

    /// Adds for how long `claim` has not changed.
    pub fn seen(&mut self, claim: &Claim, unchanged: Option<Duration>) {
        let known = self.0.iter_mut().find(|(id, _)| *id == claim.claim_id);
        if let Some((_, seen)) = known {
            seen.unchanged = unchanged;
        }
    }
}

/// What a store has to do.
#[derive(Debug, Clone, PartialEq)]
pub enum Change {
    /// Nothing.
    None,
    /// Note a sign of life beside the record.
    Beat,
    /// Write the claim; `true` where the owner is another one, which has to outlive a power cut.
    Put(Box<Claim>, bool),
    /// Put the claim away as the last one of its checkout, and free the checkout.
    Retire(Box<Claim>),
    /// Free a checkout whose record cannot be read.
    Clear,
}

/// What came of a request.
#[derive(Debug, Clone, PartialEq)]
pub struct Outcome {
    /// The event's name: `claim`, `renew`, ….
    pub event: &'static str,
    /// What the store does.
    pub change: Change,
    /// The claim as it is afterwards, or was; `None` where it could not be read.
    pub claim: Option<Claim>,
    /// Why, where somebody gave a reason.
    pub reason: Option<String>,
}

/// Decides `request`.
pub fn decide(
    book: &Book,
    request: &Request,
    facts: &Facts,
    terms: &Terms,
    now: Moment,
) -> Result<Outcome, Refusal> {
    let case = Case {
        book,
        request,
        facts,
        terms,
        now,
    };
    case.expected()?;
    match &request.act {
        Act::Claim(wanted) => claim::claim(&case, wanted),
        Act::Renew { stage, ttl } => renew::renew(&case, stage.as_ref(), *ttl),
        Act::Rotate { source } => renew::rotate(&case, *source),
        Act::Release => release::release(&case),
        Act::Takeover {
            wanted,
            adopt_dirty,
            dirty,
        } => takeover::takeover(&case, wanted, *adopt_dirty, *dirty),
        Act::Override { claim_id, reason } => release::overrule(&case, claim_id, reason),
        Act::MarkDirty => renew::mark_dirty(&case),
    }
}

/// The names that `request` needs to be free; a store looks them up.
pub fn wants(request: &Request) -> Vec<Name> {
    let wanted = match &request.act {
        Act::Claim(wanted) | Act::Takeover { wanted, .. } => wanted,
        // A new session id may be that of another claim.
        Act::Rotate { .. } | Act::Renew { .. } => return request.who.names(),
        _ => return Vec::new(),
    };
    let branch = wanted.branch.clone().map(Name::Branch);
    let ticket = ticket(wanted).map(Name::Ticket);
    let mut names: Vec<Name> = branch.into_iter().chain(ticket).collect();
    names.extend(request.who.names());
    names
}

/// The ticket, which is the branch where none is named.
fn ticket(wanted: &Wanted) -> Option<String> {
    wanted.ticket.clone().or_else(|| wanted.branch.clone())
}

/// One request with all that it is judged by.
struct Case<'a> {
    book: &'a Book,
    request: &'a Request,
    facts: &'a Facts,
    terms: &'a Terms,
    now: Moment,
}

impl Case<'_> {
    /// The claim on the checkout; a refusal where there is none that can be changed.
    fn held(&self) -> Result<&Held, Refusal> {
        match &self.book.here {
            Slot::Held(held) => Ok(held),
            Slot::Free => Err(Refusal::new(
                Code::Unregistered,
                "nobody claims this checkout: `leaseguard lease claim` does",
            )),
            Slot::Corrupt(why) => Err(corrupt(why)),
            Slot::Newer(schema) => Err(newer(*schema)),
        }
    }

    /// Refuses where the asker saw another state of the claim.
    fn expected(&self) -> Result<(), Refusal> {
        let Some(expect) = &self.request.expect else {
            return Ok(());
        };
        let Some(claim) = self.book.here.claim() else {
            return match &self.book.here {
                Slot::Free => Err(fenced(&expect.claim_id, None)),
                _ => Ok(()),
            };
        };
        if claim.claim_id != expect.claim_id {
            return Err(fenced(&expect.claim_id, Some(claim)));
        }
        if claim.rev != expect.rev {
            return Err(Refusal::new(
                Code::StaleRev,
                format!(
                    "claim `{}` is at revision {} and not at {}: read it again with `leaseguard lease show`",
                    claim.claim_id, claim.rev, expect.rev
                ),
            ));
        }
        Ok(())
    }

    fn time(&self, held: &Held) -> Time {
        clock::time(held, self.now, self.terms.skew)
    }

    /// The time that a claim gets.
    fn ttl(&self, asked: Option<Duration>) -> Result<Duration, Refusal> {
        let ttl = asked.unwrap_or(self.terms.ttl);
        if ttl < Duration::from_secs(1) || ttl > self.terms.most_ttl {
            return Err(Refusal::new(
                Code::BadRequest,
                format!(
                    "a claim holds between `1s` and `{}`",
                    crate::state::time::shown_span(self.terms.most_ttl)
                ),
            ));
        }
        Ok(ttl)
    }

    /// A copy of `claim` for the next write, with a sign of life.
    fn next(&self, claim: &Claim) -> Claim {
        let mut next = claim.clone();
        next.rev = next.rev.saturating_add(1);
        next.lease.last_heartbeat_utc = self.now;
        if next.lease.mode == Mode::Ttl {
            let ttl = Duration::from_secs(next.lease.ttl_secs);
            next.lease.expires_utc = Some(self.now.plus(ttl));
        }
        next
    }
}

fn corrupt(why: &str) -> Refusal {
    Refusal::new(
        Code::Corrupt,
        format!(
            "the record of this checkout cannot be read and counts as held ({why}): a person frees it with `leaseguard lease override {CORRUPT} --reason …`"
        ),
    )
}

fn newer(schema: u64) -> Refusal {
    Refusal::new(
        Code::SchemaNewer,
        format!("a later leaseguard wrote this record (schema {schema}): update leaseguard"),
    )
}

fn fenced(meant: &str, now: Option<&Claim>) -> Refusal {
    let instead = match now {
        Some(claim) => format!("`{}` holds this checkout now", claim.claim_id),
        None => "nobody claims this checkout now".to_owned(),
    };
    Refusal::new(
        Code::EpochFenced,
        format!("claim `{meant}` is over, {instead}: stop writing there and claim anew"),
    )
}

/// Whose a claim is, in words.
pub fn shown(claim: &Claim) -> String {
    let owner = &claim.owner;
    let who = owner.holder.as_deref().or(owner.exe.as_deref());
    let who = who.unwrap_or("an unknown host");
    let process = match owner.pid {
        Some(pid) => format!(" (process {pid})"),
        None => String::new(),
    };
    match owner.session_ids.last() {
        Some(session) => format!("session `{session}` of {who}{process}"),
        None => format!("a session of {who}{process}"),
    }
}
