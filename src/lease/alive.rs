//! What a call leaves for the next one: a sign of life, and a note on the checkout that it came from.

use super::card::Card;
use super::home::{Home, Whereabouts};
use super::pace::Pace;
use super::registry::Hold;
use super::spot::{checkout_key, repo_key};
use super::watch::{Pulse, Seen, Watch, Who, same};
use crate::person::chain;
use crate::state::time::Moment;
use std::path::Path;

impl Watch {
    /// The pace of the asker's calls from `dir`; `None` where its session is not known.
    fn pace(&self, dir: &Path) -> Option<&Pace> {
        let (from, pace) = self
            .pace
            .get_or_init(|| (dir.to_owned(), self.pace_of(dir)));
        pace.as_ref().filter(|_| same(from, dir))
    }

    fn pace_of(&self, dir: &Path) -> Option<Pace> {
        let (session, agent) = match &self.who {
            Who::Here { session, agent } => (session, agent),
            Who::Given(asker) => (&asker.session, &asker.agent),
        };
        let session = session.as_deref()?;
        Some(Pace::of(&self.state, session, agent.as_deref(), dir))
    }

    /// The note on the checkout that the asker calls from, if it counts.
    pub(super) fn home(&self, from: &Path) -> Option<&Home> {
        let read = || {
            let note = match &self.who {
                Who::Here { .. } => self.pace(from)?.note(),
                Who::Given(_) => None,
            };
            Home::read(note?, &|| self.place.get_or_init(chain::place).clone())
        };
        let (dir, home) = self.home.get_or_init(|| (from.to_owned(), read()));
        home.as_ref().filter(|_| same(dir, from))
    }

    /// Whether a glance tells that what git finds from `dir` upward is the checkout that the asker
    /// calls from, in `from`, and that it is its own or nobody's. `false` says nothing.
    pub fn at_home(&self, from: &Path, dir: &Path) -> bool {
        self.any() && self.home(from).is_some_and(|home| home.holds(dir))
    }

    /// Notes a sign of life for the asker's own claim where it calls from `dir`, if the last one is
    /// old enough, and what the next call needs to know of the checkout; `find` tells where that is.
    /// Takes no lock, and that it fails changes nothing.
    pub fn keep_alive(&self, dir: &Path, find: impl FnOnce() -> Option<Whereabouts>) {
        let pace = self.pace(dir);
        if pace.is_some_and(|pace| pace.rests(self.now)) {
            return;
        }
        let found = find().map(|at| self.beat(&at, dir));
        if let Some(pace) = pace {
            let (due, note) = found.unwrap_or_default();
            let note = note.unwrap_or_default();
            pace.wait(&self.state, self.now, due, &note);
        }
    }

    /// Beats where it is time to; tells when the next sign of life is due, and the note on `at`.
    fn beat(&self, at: &Whereabouts, from: &Path) -> (Option<Moment>, Option<Vec<u8>>) {
        let (checkout, repo) = (checkout_key(&at.git_dir, &at.common), repo_key(&at.common));
        let pulse = match self.look(&at.git_dir, &at.common, Some(from)) {
            Seen::Own(_, pulse) => pulse,
            Seen::Else(Hold::Free) => {
                let record = self.store().record_path(&repo, &checkout);
                return (None, Home::nobodys(&repo, &record, at));
            }
            Seen::Else(_) => return (None, None),
        };
        let note = self.note((&repo, &checkout), at, &pulse);
        let beat = self.store().pulse(&repo, &pulse.claim_id);
        let seen = beat.map_or(pulse.seen, |beat| beat.max(pulse.seen));
        if seen.age(self.now) < pulse.every {
            return (Some(seen.plus(pulse.every)), note);
        }
        let _ = self.store().beat_of(&repo, &pulse.claim_id, self.now);
        (Some(self.now.plus(pulse.every)), note)
    }

    fn note(
        &self,
        (repo, checkout): (&str, &str),
        at: &Whereabouts,
        pulse: &Pulse,
    ) -> Option<Vec<u8>> {
        let record = self.store().record(repo, checkout)?;
        let card = Card::read(&record.bytes)?;
        self.quick(&card)?;
        Home::own(repo, (&record.path, record.print?), &card, pulse, at)
    }
}
