//! Claims: who owns which checkout, branch and ticket of a repository on this machine.
//!
//! [`record`] is what is written, [`law`] decides (a pure function), [`liveness`] says who lives
//! (pure, over facts that a [`witness`] gathers), [`store`] reads and changes atomically, and
//! [`registry`] puts them together. Time alone frees nothing: a claim falls to somebody else only
//! when its time is over, its owner is provably dead and its checkout is quiet, or when a person
//! says so.

mod alive;
pub mod asker;
mod beyond;
pub mod book;
pub mod card;
pub mod clock;
pub mod error;
pub mod ground;
pub mod home;
pub mod identity;
pub mod law;
pub mod liveness;
pub mod nonce;
mod pace;
pub mod record;
pub mod registry;
pub mod spot;
pub mod store;
pub mod terms;
pub mod unchanged;
pub mod watch;
pub mod witness;
pub mod words;
