//! Law, store and witness put together: what a hook or a verb uses.

use super::asker::{Asker, Standing};
use super::book::Book;
use super::clock::{self, Time};
use super::error::Refusal;
use super::law::{self, Act, Facts, Observed, Outcome, Request};
use super::liveness::{Here, Liveness, Quiet, liveness, quiet};
use super::nonce;
use super::record::{Claim, Held, Slot, Version};
use super::store::{Query, Store};
use super::terms::Terms;
use super::unchanged;
use super::witness::Witness;
use crate::state::State;
use crate::state::time::Moment;
use std::time::Duration;

/// The claims of this machine, under some terms.
pub struct Registry<'a> {
    /// Where they are kept.
    pub store: &'a dyn Store,
    /// Who looks at the machine.
    pub witness: &'a dyn Witness,
    /// What policy says.
    pub terms: Terms,
    /// Where it is noted since when other machines' claims look as they do; `None` = nowhere.
    pub looks: Option<&'a State>,
}

/// What a checkout is to somebody, for those who judge what it may do there.
#[derive(Debug, Clone, PartialEq)]
pub enum Hold {
    /// Nobody claims it.
    Free,
    /// It acts as the owner; and how.
    Mine(Box<Claim>, Standing),
    /// Somebody else's; whether it lives is told.
    Foreign(Box<Claim>, Liveness),
    /// Somebody else's who is provably gone, with the time over and the checkout quiet: not in
    /// force (D1, R60). Ownership does not change by that.
    Lapsed(Box<Claim>),
    /// It cannot be told whether it is the asker's own.
    Unclear(Box<Claim>),
    /// The record cannot be read, and why: it counts as held.
    Unreadable(String),
}

impl Registry<'_> {
    /// Asks the law, and does what it says. Waits at most `wait` for the lock.
    pub fn run(
        &self,
        (repo, checkout): (&str, &str),
        who: &Asker,
        act: Act,
        expect: Option<Version>,
        (wait, now): (Duration, Moment),
    ) -> Result<Outcome, Refusal> {
        let request = Request {
            who: who.clone(),
            act,
            expect,
            nonce: nonce::claim_id(now),
        };
        let query = Query {
            repo: repo.to_owned(),
            checkout: checkout.to_owned(),
            names: law::wants(&request),
            count: self.terms.cap.is_some() && matches!(request.act, Act::Claim(_)),
            allowed: self.terms.allowed,
        };
        let looks = matches!(request.act, Act::Takeover { .. });
        self.store.change(&query, wait, now, &mut |book| {
            let mut facts = self.facts(book, who, looks);
            if let (true, Slot::Held(held)) = (looks, &book.here) {
                let unchanged = self.unchanged(held, who, (repo, checkout), now);
                facts.seen(&held.claim, unchanged);
            }
            law::decide(book, &request, &facts, &self.terms, now)
        })
    }

    /// What a checkout is to `who`. Takes no lock.
    pub fn hold(&self, (repo, checkout): (&str, &str), who: &Asker, now: Moment) -> Hold {
        self.judge(self.store.at(repo, checkout), who, now)
    }

    /// What the claim in `slot` is to `who`.
    pub fn judge(&self, slot: Slot, who: &Asker, now: Moment) -> Hold {
        let held = match slot {
            Slot::Free => return Hold::Free,
            Slot::Corrupt(why) => return Hold::Unreadable(why),
            Slot::Newer(schema) => {
                return Hold::Unreadable(format!("a later leaseguard wrote it (schema {schema})"));
            }
            Slot::Held(held) => held,
        };
        let alive = self.alive(&held.claim, &who.here);
        let standing = who.standing(&held.claim.owner, alive);
        if standing.acts() || standing == Standing::Resumed {
            return Hold::Mine(Box::new(held.claim), standing);
        }
        if alive == Liveness::Dead
            && clock::time(&held, now, self.terms.skew) == Time::Over
            && self.rests(&held.claim, who) == Quiet::Quiet
        {
            return Hold::Lapsed(Box::new(held.claim));
        }
        match standing {
            Standing::Unclear => Hold::Unclear(Box::new(held.claim)),
            _ => Hold::Foreign(Box::new(held.claim), alive),
        }
    }

    /// Notes a sign of life where the last one is old enough; takes no lock. `false` where the
    /// claim is over by now.
    pub fn beat(&self, repo: &str, held: &Held, now: Moment) -> Result<bool, Refusal> {
        let every = Terms::beat_every(Duration::from_secs(held.claim.lease.ttl_secs));
        if clock::last_seen(held).age(now) < every {
            return Ok(true);
        }
        self.store.beat(repo, &held.claim, now)
    }

    /// Whether the owner of `claim` lives.
    pub fn alive(&self, claim: &Claim, here: &Here) -> Liveness {
        let seen = match claim.owner.pid {
            Some(pid) => self.witness.process(pid),
            None => super::liveness::Seen::Untold,
        };
        liveness(&claim.owner, here, &seen)
    }

    /// Whether anything but `who` works in the checkout of `claim`.
    pub fn rests(&self, claim: &Claim, who: &Asker) -> Quiet {
        let inside = self.witness.inside(&claim.checkout.path, &who.chain);
        quiet(inside, self.witness.locks(&claim.checkout.git_dir))
    }

    /// For how long another machine's claim has not changed before the eyes of this one, where that
    /// may count (D1).
    fn unchanged(
        &self,
        held: &Held,
        who: &Asker,
        key: (&str, &str),
        now: Moment,
    ) -> Option<Duration> {
        let counts = self.terms.cross_host_expired_observed
            && held.claim.owner.install_id != who.here.install;
        let looks = self.looks.filter(|_| counts)?;
        unchanged::observe(looks, key, held, now)
    }

    fn facts(&self, book: &Book, who: &Asker, looks: bool) -> Facts {
        let here = book.here.claim().map(|c| c.claim_id.as_str());
        let of = |claim: &Claim| {
            let quiet = if looks && here == Some(claim.claim_id.as_str()) {
                self.rests(claim, who)
            } else {
                Quiet::Unknown
            };
            Observed {
                liveness: self.alive(claim, &who.here),
                quiet,
                unchanged: None,
            }
        };
        Facts(book.claims().map(|c| (c.claim_id.clone(), of(c))).collect())
    }
}
