//! Where claims are kept: read without a lock, changed by one at a time.
//!
//! A store does what the law decided, whole or not at all, and decides nothing itself. Each is one
//! file here and one line in the contract test.

pub mod dir;
pub(super) mod disk;
mod history;
mod index;
mod lock;
pub mod memory;
pub mod mode;
mod quarantine;

use super::book::{Book, Name};
use super::error::Refusal;
use super::ground::Allowed;
use super::law::Outcome;
use super::record::{Claim, Slot};
use crate::state::time::Moment;
use std::time::Duration;

/// How long a hook waits for a repository's lock.
pub const WAIT_HOOK: Duration = Duration::from_millis(250);

/// How long a verb waits for it.
pub const WAIT_VERB: Duration = Duration::from_secs(5);

/// Which part of a repository's claims a change is about.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Query {
    /// The repository's key.
    pub repo: String,
    /// The checkout's key.
    pub checkout: String,
    /// The names that have to be free.
    pub names: Vec<Name>,
    /// Whether other claims are counted.
    pub count: bool,
    /// What of the places that are refused is allowed after all.
    pub allowed: Allowed,
}

/// What decides over a book; called again where the book has changed in between.
pub type Decide<'a> = dyn FnMut(&Book) -> Result<Outcome, Refusal> + 'a;

/// Claims of all repositories.
pub trait Store: Sync {
    /// What is on a checkout. Takes no lock, and no longer where there are many claims.
    fn at(&self, repo: &str, checkout: &str) -> Slot;

    /// The claim that has a name. Takes no lock, and no longer where there are many claims.
    fn named(&self, repo: &str, name: &Name) -> Slot;

    /// Everything of a repository, by checkout.
    fn all(&self, repo: &str) -> Result<Vec<(String, Slot)>, Refusal>;

    /// Notes a sign of life beside the record, without a lock; `false` where this very claim is not
    /// there any more.
    fn beat(&self, repo: &str, claim: &Claim, now: Moment) -> Result<bool, Refusal>;

    /// Lets `decide` see the book and does what it says; nobody else changes the repository's claims
    /// in between. Waits at most `wait`.
    fn change(
        &self,
        query: &Query,
        wait: Duration,
        now: Moment,
        decide: &mut Decide<'_>,
    ) -> Result<Outcome, Refusal>;
}
