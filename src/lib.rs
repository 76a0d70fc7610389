//! leaseguard keeps fleets of coding agents from wrecking a git repository.
//!
//! The modules stand in the order in which a call meets them.

pub mod action;
pub mod brief;
pub mod build;
pub mod call;
pub mod ci;
pub mod cli;
pub mod demo;
pub mod doctor;
pub mod grant;
pub mod guard;
pub mod host;
pub mod lease;
pub mod log;
pub mod person;
pub mod plan;
pub mod policy;
pub mod rules;
pub mod setup;
pub mod shell;
pub mod state;
pub mod verdict;
pub mod world;
