//! One act: what the rules say of it, and how that is told.

use super::{Judging, Walk};
use crate::action::{Act, Action, Place};
use crate::policy::{LeaseMode, Policy};
use crate::rules;
use crate::shell::Origin;
use crate::verdict::{Decision, Finding};

impl Walk<'_> {
    /// Judges one act.
    pub(super) fn judge(&mut self, action: &Action, judging: Judging) {
        if let Act::Touch { path, by } = &action.act {
            if self.world.leads_to_guarded(&action.place, path, *by) {
                let path = path.clone();
                let act = match *by {
                    Some(by) => Act::Alter { path, by },
                    None => Act::Write { path },
                };
                let behind = Action {
                    act,
                    ..action.clone()
                };
                return self.judge(&behind, judging);
            }
            if !self.counts_whose(&action.place) {
                return;
            }
        }
        if self.tells && judging == Judging::Surely {
            for effect in rules::effects(action, &self.world) {
                if !self.effects.contains(&effect) {
                    self.effects.push(effect);
                }
            }
        }
        self.world.fills(action);
        let mut findings = self.findings(action);
        if judging == Judging::Perhaps {
            for finding in &mut findings {
                finding.decision = finding.decision.min(Decision::Ask);
                finding.because.insert(
                    0,
                    format!(
                        "`{}` may be run by a program that leaseguard does not know",
                        action.shown
                    ),
                );
                finding.instead = None;
            }
        }
        if let Some(Origin { file, line }) = &self.origin {
            for finding in &mut findings {
                let place = format!("it stands in line {line} of `{file}`");
                finding.because.push(place);
            }
        }
        self.reach(action, &findings);
        self.findings.append(&mut findings);
    }

    /// Whether it matters whose a plain file at `place` is: something is claimed on this machine, or
    /// policy wants a claim for every file that is written, or names a plan with leases.
    fn counts_whose(&mut self, place: &Place) -> bool {
        if self.world.claimed() {
            return true;
        }
        if let Some((_, counts)) = self.whose.iter().find(|(dir, _)| *dir == place.dir) {
            return *counts;
        }
        let asked = self.asked;
        let policy = self.policy(place);
        let counts = policy.lease_mode() == LeaseMode::Strict || policy.plan_status().is_some();
        // Nothing was found yet that the policy would have to settle.
        self.asked = asked;
        self.whose.push((place.dir.clone(), counts));
        counts
    }

    /// What the rules say. A policy file is read only where a rule has something to say, or where
    /// it alone tells what a rule looks for: the base branches of a push.
    fn findings(&mut self, action: &Action) -> Vec<Finding> {
        if matches!(action.act, Act::Push(_)) {
            let policy = self.policy(&action.place);
            return rules::judge(action, &self.world, &policy, self.source);
        }
        let found = rules::judge(action, &self.world, &Policy::probing(), self.source);
        if found.is_empty() {
            return self.by_plan(action);
        }
        let policy = self.policy(&action.place);
        rules::judge_again(&found, action, &self.world, &policy, self.source)
    }
}
