//! What people wish of one rule, as a lattice: wishes can be joined, and a join never loosens.

use super::table::{MILD, Mild};
use crate::verdict::Decision;

/// How harmful a finding is within its rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Case {
    /// What the rule is there for.
    #[default]
    Full,
    /// The milder case that the rule has a word for, such as `unpushed` of `git/amend`.
    Mild,
    /// It cannot be told which of the two.
    Unclear,
}

/// A decision that may lean on what the rule itself found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Level {
    /// At least as strict as the rule's own decision.
    own: bool,
    /// And at least this strict.
    least: Decision,
}

impl Level {
    const OWN: Level = Level {
        own: true,
        least: Decision::Allow,
    };

    const fn exactly(least: Decision) -> Level {
        Level { own: false, least }
    }

    fn decide(self, own: Decision) -> Decision {
        if self.own {
            own.max(self.least)
        } else {
            self.least
        }
    }

    fn join(self, other: Level) -> Level {
        Level {
            own: self.own || other.own,
            least: self.least.max(other.least),
        }
    }
}

/// What people wish of one rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Wish {
    /// For [`Case::Mild`]; never stricter than `full`.
    mild: Level,
    /// For [`Case::Full`].
    full: Level,
}

impl Wish {
    /// Nothing: the rule decides.
    pub const OWN: Wish = Wish {
        mild: Level::OWN,
        full: Level::OWN,
    };

    /// This decision, whatever the rule says.
    pub const fn exactly(decision: Decision) -> Wish {
        Wish {
            mild: Level::exactly(decision),
            full: Level::exactly(decision),
        }
    }

    /// What `word` means for the rule `id`; `None` when that rule has no such word.
    pub fn of_word(id: &str, word: &str) -> Option<Wish> {
        match word {
            "off" | "allow" => Some(Wish::exactly(Decision::Allow)),
            "ask" => Some(Wish::exactly(Decision::Ask)),
            "deny" => Some(Wish::exactly(Decision::Deny)),
            _ => mild_of(id).filter(|m| m.word == word).map(|_| Wish {
                mild: Level::exactly(Decision::Allow),
                full: Level::OWN,
            }),
        }
    }

    /// The decision for a finding whose rule says `own`.
    pub fn decide(self, own: Decision, case: Case) -> Decision {
        let (mild, full) = (self.mild.decide(own), self.full.decide(own));
        match case {
            Case::Full => full,
            Case::Mild => mild,
            Case::Unclear => mild.max(full.min(Decision::Ask)),
        }
    }

    /// Whether the two cases are judged differently, so that it is worth telling them apart.
    pub fn minds_case(self) -> bool {
        self.mild != self.full
    }

    /// The decision that holds whatever the rule itself says, if there is one.
    pub fn fixed(self) -> Option<Decision> {
        (!self.full.own).then_some(self.full.least)
    }

    /// The least strict wish that is as strict as both.
    #[must_use]
    pub fn join(self, other: Wish) -> Wish {
        Wish {
            mild: self.mild.join(other.mild),
            full: self.full.join(other.full),
        }
    }

    /// Whether some finding of a rule with the decision `own` is judged milder than by `other`.
    pub fn looser_than(self, other: Wish, own: Decision) -> bool {
        [Case::Full, Case::Mild]
            .iter()
            .any(|case| self.decide(own, *case) < other.decide(own, *case))
    }

    /// In the words of a policy, for the rule `id` that says `own` by itself.
    pub fn shown(self, id: &str, own: Decision) -> String {
        let (mild, full) = (self.decide(own, Case::Mild), self.decide(own, Case::Full));
        match mild_of(id).filter(|_| mild != full) {
            Some(case) if mild == Decision::Allow && full == own => case.word.to_owned(),
            Some(case) => format!("{full}, {mild} when {}", case.word),
            None => full.word().to_owned(),
        }
    }
}

/// The milder case that the rule `id` has a word for.
pub(super) fn mild_of(id: &str) -> Option<&'static Mild> {
    MILD.iter().find(|m| m.rule == id)
}
