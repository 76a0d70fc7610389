//! Acts that only a plan's leases speak of: the policy is asked whether there is a plan.

use super::Walk;
use crate::action::Action;
use crate::rules;
use crate::verdict::Finding;

impl Walk<'_> {
    /// What a plan's leases say of an act that nothing else speaks against.
    pub(super) fn by_plan(&mut self, action: &Action) -> Vec<Finding> {
        if !rules::asks_plan(&action.act) {
            return Vec::new();
        }
        let asked = self.asked;
        let policy = self.policy(&action.place);
        if policy.plan_status().is_none() {
            // Nothing was found that the policy would have to settle.
            self.asked = asked;
            return Vec::new();
        }
        rules::judge_plan(action, &self.world, &policy, self.source)
    }
}
