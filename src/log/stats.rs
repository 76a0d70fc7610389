//! Counts over the log: which rules hit how often, and in which sessions.

use super::read::Record;
use serde::Serialize;
use std::collections::BTreeMap;

/// Counts of one kind of thing by decision.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Counts {
    /// Denied.
    pub deny: u64,
    /// Asked.
    pub ask: u64,
    /// Allowed, by a grant for instance.
    pub allow: u64,
}

/// What the log amounts to.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Stats {
    /// All lines.
    pub lines: u64,
    /// By rule.
    pub rules: BTreeMap<String, Counts>,
    /// By session; lines without one stand under the empty name.
    pub sessions: BTreeMap<String, Counts>,
    /// Acts by kind, decisions left out.
    pub acts: BTreeMap<String, u64>,
    /// Calls that could not be judged, by fault.
    pub faults: BTreeMap<String, u64>,
}

impl Stats {
    /// Counts one more line.
    pub fn add(&mut self, record: &Record) {
        self.lines += 1;
        if let Some(fault) = &record.fault {
            *self.faults.entry(fault.clone()).or_default() += 1;
        }
        if record.kind != "decision" {
            *self.acts.entry(record.kind.clone()).or_default() += 1;
            return;
        }
        let decision = record.decision.as_deref().unwrap_or_default();
        for rule in &record.rules {
            self.rules.entry(rule.clone()).or_default().count(decision);
        }
        let session = record.session.clone().unwrap_or_default();
        self.sessions.entry(session).or_default().count(decision);
    }

    /// The entries of a table, most hits first.
    pub fn ranked(table: &BTreeMap<String, Counts>) -> Vec<(&str, Counts)> {
        let mut rows: Vec<_> = table
            .iter()
            .map(|(name, counts)| (name.as_str(), *counts))
            .collect();
        rows.sort_by_key(|(_, counts)| std::cmp::Reverse(counts.all()));
        rows
    }
}

impl Counts {
    /// All of them.
    pub fn all(self) -> u64 {
        self.deny
            .saturating_add(self.ask)
            .saturating_add(self.allow)
    }

    fn count(&mut self, decision: &str) {
        match decision {
            "deny" => self.deny += 1,
            "ask" => self.ask += 1,
            "allow" => self.allow += 1,
            _ => {}
        }
    }
}
