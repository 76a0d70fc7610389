//! What findings are about, so that a person's yes to them reaches git's own hooks.

use super::Walk;
use crate::action::{Act, Action, Place};
use crate::verdict::{Finding, Reach};
use std::path::PathBuf;

impl Walk<'_> {
    /// Notes which refs of which repository the findings on `action` are about.
    pub(super) fn reach(&mut self, action: &Action, findings: &[Finding]) {
        if findings.is_empty() {
            return;
        }
        let refs: Vec<String> = match &action.act {
            Act::Push(push) => {
                let outlook = self.world.push(push, &action.place);
                outlook.updates.iter().map(|u| u.refname.clone()).collect()
            }
            Act::Commit(_) => vec!["HEAD".to_owned()],
            _ => return,
        };
        if let Some(repository) = self.repository(&action.place).filter(|_| !refs.is_empty()) {
            self.reaches.push(Reach {
                repository,
                rules: findings.iter().map(|f| f.rule).collect(),
                refs,
            });
        }
    }

    /// One path for all checkouts of the repository at `place`.
    fn repository(&self, place: &Place) -> Option<PathBuf> {
        let (top, main) = self.world.checkout(place)?;
        Some(main.unwrap_or(top))
    }
}
