//! A store that lasts as long as its process: for tests, and as the shortest example of a store.

use super::{Decide, Query, Store};
use crate::lease::book::{Book, Name, Taken, counted, names};
use crate::lease::error::Refusal;
use crate::lease::law::{Change, Outcome};
use crate::lease::record::{Claim, Held, Slot};
use crate::state::time::Moment;
use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// Claims in memory.
#[derive(Debug, Default)]
pub struct Memory(Mutex<BTreeMap<String, Shelf>>);

#[derive(Debug, Default)]
struct Shelf {
    slots: BTreeMap<String, Slot>,
    retired: BTreeMap<String, Claim>,
}

impl Shelf {
    fn at(&self, checkout: &str) -> Slot {
        self.slots.get(checkout).cloned().unwrap_or_default()
    }

    fn named(&self, name: &Name) -> Option<(&String, &Slot)> {
        let has = |slot: &Slot| slot.claim().is_some_and(|c| names(c).contains(name));
        self.slots.iter().find(|(_, slot)| has(slot))
    }

    fn apply(&mut self, checkout: &str, outcome: &Outcome, now: Moment) {
        let beat = Some(now);
        match &outcome.change {
            Change::None => {}
            Change::Beat => {
                if let Some(Slot::Held(held)) = self.slots.get_mut(checkout) {
                    held.beat = beat;
                }
            }
            Change::Put(claim, _) => {
                let before = self.at(checkout);
                let old = before.held();
                let beat = if claim.lives_after(old.map(|h| &h.claim)) {
                    beat
                } else {
                    old.and_then(|h| h.beat)
                };
                let claim = (**claim).clone();
                let held = Slot::Held(Box::new(Held { claim, beat }));
                self.slots.insert(checkout.to_owned(), held);
            }
            Change::Retire(claim) => {
                self.slots.remove(checkout);
                self.retired.insert(checkout.to_owned(), (**claim).clone());
            }
            Change::Clear => {
                self.slots.remove(checkout);
            }
        }
    }
}

impl Memory {
    /// Puts something there, past the law: for tests of broken records.
    pub fn put(&self, repo: &str, checkout: &str, slot: Slot) {
        let mut all = self.all();
        let shelf = all.entry(repo.to_owned()).or_default();
        shelf.slots.insert(checkout.to_owned(), slot);
    }

    fn all(&self) -> MutexGuard<'_, BTreeMap<String, Shelf>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Store for Memory {
    fn at(&self, repo: &str, checkout: &str) -> Slot {
        self.all()
            .get(repo)
            .map(|s| s.at(checkout))
            .unwrap_or_default()
    }

    fn named(&self, repo: &str, name: &Name) -> Slot {
        let all = self.all();
        let found = all.get(repo).and_then(|shelf| shelf.named(name));
        found.map(|(_, slot)| slot.clone()).unwrap_or_default()
    }

    fn all(&self, repo: &str) -> Result<Vec<(String, Slot)>, Refusal> {
        let all = self.all();
        let slots = all.get(repo).map(|shelf| shelf.slots.clone());
        Ok(slots.unwrap_or_default().into_iter().collect())
    }

    fn beat(&self, repo: &str, claim: &Claim, now: Moment) -> Result<bool, Refusal> {
        let mut all = self.all();
        let slots = all
            .get_mut(repo)
            .into_iter()
            .flat_map(|s| s.slots.values_mut());
        for slot in slots {
            if let Slot::Held(held) = slot
                && held.claim.claim_id == claim.claim_id
            {
                held.beat = Some(now);
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn change(
        &self,
        query: &Query,
        _wait: Duration,
        now: Moment,
        decide: &mut Decide<'_>,
    ) -> Result<Outcome, Refusal> {
        let mut all = self.all();
        let shelf = all.entry(query.repo.clone()).or_default();
        let mut book = Book {
            here: shelf.at(&query.checkout),
            before: shelf.retired.get(&query.checkout).cloned(),
            ..Book::default()
        };
        for name in &query.names {
            if let Some((checkout, slot)) = shelf.named(name)
                && *checkout != query.checkout
            {
                let (name, by) = (name.clone(), slot.clone());
                book.taken.push(Taken { name, by });
            }
        }
        let other =
            |(checkout, slot): &(&String, &Slot)| **checkout != query.checkout && counted(slot);
        book.others = shelf.slots.iter().filter(other).count();
        let outcome = decide(&book)?;
        shelf.apply(&query.checkout, &outcome, now);
        Ok(outcome)
    }
}
