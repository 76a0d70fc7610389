//! What the law looks at: one checkout's claim, and whoever holds the names that are asked for.

use super::asker::owner_names;
use super::record::{Claim, Slot};

/// What at most one claim of a repository may have.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Name {
    /// A branch.
    Branch(String),
    /// A ticket.
    Ticket(String),
    /// An agent, by the hash of what tells it from others.
    Agent(String),
}

impl Name {
    /// The kind, as a folder is called.
    pub fn kind(&self) -> &'static str {
        match self {
            Name::Branch(_) => "branch",
            Name::Ticket(_) => "ticket",
            Name::Agent(_) => "agent",
        }
    }

    /// The name itself.
    pub fn text(&self) -> &str {
        match self {
            Name::Branch(text) | Name::Ticket(text) | Name::Agent(text) => text,
        }
    }
}

/// Every name that a claim has.
pub fn names(claim: &Claim) -> Vec<Name> {
    let branch = claim.branch.clone().map(Name::Branch);
    let ticket = claim.ticket.clone().map(Name::Ticket);
    let mut names: Vec<Name> = branch.into_iter().chain(ticket).collect();
    names.extend(owner_names(claim));
    names
}

/// A name, and the claim of another checkout that has it.
#[derive(Debug, Clone, PartialEq)]
pub struct Taken {
    /// The name.
    pub name: Name,
    /// What is there; never [`Slot::Free`].
    pub by: Slot,
}

/// What a store shows the law, all of one moment.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Book {
    /// The claim on the checkout that the request is about.
    pub here: Slot,
    /// The last claim on it that was given back.
    pub before: Option<Claim>,
    /// Which of the names that were asked for other checkouts have.
    pub taken: Vec<Taken>,
    /// How many other checkouts are claimed by those whom a cap counts; only where asked for.
    pub others: usize,
}

/// Whether a cap on claims counts one of this harness: Claude's alone, and those of which it is not
/// known whose they are (R36).
pub fn capped(harness: Option<&str>) -> bool {
    harness.is_none_or(|harness| harness == "claude")
}

/// Whether it counts what is in `slot`.
pub(super) fn counted(slot: &Slot) -> bool {
    slot.claim()
        .is_none_or(|claim| capped(claim.harness.as_deref()))
}

impl Book {
    /// The claims that it shows.
    pub fn claims(&self) -> impl Iterator<Item = &Claim> {
        let taken = self.taken.iter().filter_map(|t| t.by.claim());
        self.here.claim().into_iter().chain(taken)
    }
}
