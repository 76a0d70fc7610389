//! The rule book: one law a file, each a `const Rule`, listed once here.
#![deny(clippy::disallowed_methods)]

use crate::action::Action;
use crate::policy::Policy;
use crate::verdict::{Decision, Finding, Next};
use crate::world::World;

/// One law.
pub struct Rule {
    /// Its id, such as `git/force-push`.
    pub id: &'static str,
    /// What it answers unless a policy says otherwise.
    pub decision: Decision,
    /// One sentence on what it stops.
    pub stops: &'static str,
    /// Why that is harmful.
    pub why: &'static str,
    /// What to do instead, in words.
    pub instead: &'static str,
    /// What it says of one action.
    pub check: fn(&Action, &World, &Policy) -> Vec<Found>,
}

/// What a rule found, before policy has its say.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    /// Stricter or milder than the rule's own decision where the facts say so.
    pub decision: Option<Decision>,
    /// See [`Finding::effect`].
    pub effect: String,
    /// See [`Finding::because`].
    pub because: Vec<String>,
    /// See [`Finding::instead`].
    pub instead: Option<String>,
    /// See [`Finding::next`].
    pub next: Next,
    /// See [`Finding::span`].
    pub span: crate::shell::Span,
}

/// All laws, in the order in which they are documented.
pub const ALL: &[&Rule] = &[];

/// What all laws say of one action.
pub fn judge(action: &Action, world: &World, policy: &Policy) -> Vec<Finding> {
    let _ = (action, world, policy);
    Vec::new()
}
