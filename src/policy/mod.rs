//! What the people in charge want: base branches, the decision of each rule, and who said so.
#![deny(clippy::disallowed_methods)]

mod bot;
mod change;
mod ci;
mod doc;
mod edit;
mod files;
mod glob;
mod layer;
mod naming;
mod nearest;
mod places;
mod preset;
mod quick;
#[cfg(test)]
mod quick_tests;
mod read;
mod schema;
mod section;
mod shelf;
mod table;
mod thorough;
mod trust;
mod wish;

pub use bot::{ReviewBot, Settle, Signal};
pub use change::{Change, changes};
pub use ci::{Ci, Gate, Provider};
pub use edit::{CannotEdit, Edit, set_rule};
pub use glob::glob_matches;
pub use layer::Layer;
pub use naming::Naming;
pub use places::Places;
pub use schema::{example, reference, schema};
pub use shelf::{Home, Repository, Shelf};
pub use table::{KEYS, Key, Kind, Known, MILD, Mild, WORDS};
pub use trust::{CannotTrust, Preview, forget, preview, trust};
pub use wish::{Case, Wish};

use crate::verdict::{Decision, Verdict};
use std::borrow::Cow;
use table::{COUNT, at};

/// Whether verdicts are carried out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// They are.
    Enforce,
    /// They are only told.
    Observe,
}

/// How far claims bind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LeaseMode {
    /// Not at all.
    Off,
    /// What another live owner claims is its own.
    Live,
    /// Besides, the main checkout is for landing, and writing needs a claim.
    Strict,
}

/// What a push with a lease may do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ForceWithLease {
    /// No more than any other forced push.
    Deny,
    /// Replace the branch that is checked out, if it is no base branch.
    OwnBranch,
}

/// What git's own hooks do where a person at a terminal pushes what an agent may not.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Persons {
    /// Refuse it.
    Deny,
    /// Wait for a word to be typed.
    Confirm,
    /// Say it.
    Warn,
}

/// The wishes in force for one repository.
#[derive(Debug, Clone)]
pub struct Policy {
    /// Globs over short branch names; a push that moves one is a base push.
    pub base_branches: Vec<Cow<'static, str>>,
    /// What is wrong with the files that should have been read; built-in rules hold in their place.
    pub troubles: Vec<String>,
    /// What files ask for that would loosen, and that does not hold until a person trusts them.
    pub held: Vec<String>,
    /// The choice of each key, by its index in the table.
    choices: [u8; COUNT],
    /// Who decided each key.
    origins: [Layer; COUNT],
    /// The rules of which something was said.
    wishes: Vec<(&'static str, Wish, Layer)>,
    /// What was said of CI beyond the choices; `None` = nothing.
    ci: Option<Box<Ci>>,
    /// Where the plan's leases stand; empty = nowhere.
    plan_status: String,
    /// Whether it only finds out what files have to be read for.
    probes: bool,
    /// The same of the names in claims.
    naming: Option<Box<Naming>>,
}

impl Default for Policy {
    fn default() -> Policy {
        let mut choices = [0; COUNT];
        for (choice, key) in choices.iter_mut().zip(KEYS) {
            *choice = key.default_choice();
        }
        let base = match KEYS.get(at::BASE_BRANCHES).map(|k| k.kind) {
            Some(Kind::Globs(globs)) => globs,
            _ => &[],
        };
        Policy {
            base_branches: base.iter().map(|b| Cow::Borrowed(*b)).collect(),
            troubles: Vec::new(),
            held: Vec::new(),
            choices,
            origins: [Layer::BuiltIn; COUNT],
            wishes: Vec::new(),
            ci: None,
            plan_status: String::new(),
            probes: false,
            naming: None,
        }
    }
}

impl Policy {
    /// Reads and joins the layers that hold at `places`. Never fails: what is broken is left out
    /// where it would loosen, and named in `troubles`.
    pub fn load(places: &Places) -> Policy {
        let found = files::read(places);
        layer::merge(&found, places)
    }

    /// The decision for a finding of the rule `id`, where the rule itself says `own`.
    pub fn decide(&self, id: &str, own: Decision, case: Case) -> Decision {
        self.wish(id).decide(own, case)
    }

    /// The decision that a person set for the rule `id`, if any.
    pub fn decision(&self, id: &str) -> Option<Decision> {
        self.wish(id).fixed()
    }

    /// What is wished of the rule `id`.
    pub fn wish(&self, id: &str) -> Wish {
        self.wishes
            .iter()
            .find(|w| w.0 == id)
            .map_or(Wish::OWN, |w| w.1)
    }

    /// Who decided what becomes of the rule `id`.
    pub fn origin(&self, id: &str) -> Layer {
        self.wishes
            .iter()
            .find(|w| w.0 == id)
            .map_or(Layer::BuiltIn, |w| w.2)
    }

    /// Who decided the key `name`, such as `git.force_with_lease`.
    pub fn origin_of_key(&self, name: &str) -> Layer {
        let index = KEYS.iter().position(|k| k.name == name);
        index
            .and_then(|i| self.origins.get(i))
            .copied()
            .unwrap_or(Layer::BuiltIn)
    }

    /// The word that the key `name` has; `None` for keys that have no word.
    pub fn word(&self, name: &str) -> Option<&'static str> {
        let index = KEYS.iter().position(|k| k.name == name)?;
        self.word_at(index)
    }

    fn word_at(&self, index: usize) -> Option<&'static str> {
        let choice = usize::from(*self.choices.get(index)?);
        KEYS.get(index)?.words().get(choice).copied()
    }

    /// Whether verdicts are carried out.
    pub fn mode(&self) -> Mode {
        match self.word_at(at::MODE) {
            Some("observe") => Mode::Observe,
            _ => Mode::Enforce,
        }
    }

    /// What a push with a lease may do.
    pub fn force_with_lease(&self) -> ForceWithLease {
        match self.word_at(at::FORCE_WITH_LEASE) {
            Some("own-branch") => ForceWithLease::OwnBranch,
            _ => ForceWithLease::Deny,
        }
    }

    /// How far claims bind.
    pub fn lease_mode(&self) -> LeaseMode {
        match self.word_at(at::LEASE_MODE) {
            Some("off") => LeaseMode::Off,
            Some("strict") => LeaseMode::Strict,
            _ => LeaseMode::Live,
        }
    }

    /// How many checkouts of a repository may be claimed at once; `None` = any number.
    pub fn lease_cap(&self) -> Option<usize> {
        match self.word_at(at::LEASE_TIER) {
            Some("blackout") => Some(1),
            Some("red") => Some(3),
            Some("yellow") => Some(5),
            _ => None,
        }
    }

    /// Whether hosts other than Claude Code have to name a lane.
    pub fn lanes_required(&self) -> bool {
        self.word_at(at::LEASE_LANES) == Some("required")
    }

    /// The file with the plan's leases, as it was written: a path from the main checkout, an absolute
    /// one, or one below `~/`; `None` = no plan's leases are looked at.
    pub fn plan_status(&self) -> Option<&str> {
        Some(self.plan_status.as_str()).filter(|path| !path.is_empty())
    }

    /// Whether a merge in the main checkout needs the plan's merge lease.
    pub fn merge_lease_required(&self) -> bool {
        self.word_at(at::PLAN_MERGE_LEASE) == Some("required")
    }

    /// Whether a claim of another machine stops binding once it is over and nobody here has seen it
    /// change for its whole time.
    pub fn cross_host_expired_observed(&self) -> bool {
        self.word_at(at::LEASE_CROSS_HOST) == Some("expired-observed")
    }

    /// Whether claims and claimed checkouts may lie on network file systems.
    pub fn lease_on_network(&self) -> bool {
        self.word_at(at::LEASE_NETWORK) == Some("allow")
    }

    /// Whether they may lie in folders that are kept in step with other machines.
    pub fn lease_in_step(&self) -> bool {
        self.word_at(at::LEASE_SYNC) == Some("allow")
    }

    /// How tickets and branches that are claimed are named, and where worktrees are made.
    pub fn lease_naming(&self) -> &Naming {
        static ANY: Naming = Naming {
            ticket: String::new(),
            branch: String::new(),
            root: String::new(),
        };
        self.naming.as_deref().unwrap_or(&ANY)
    }

    /// The policy to look with before the files are read: what some file may say of claims counts
    /// as said, so that the question is asked.
    #[must_use]
    pub fn probing() -> Policy {
        let mut policy = Policy::default();
        if let Some(choice) = policy.choices.get_mut(at::LEASE_MODE) {
            *choice = 0;
        }
        policy.probes = true;
        policy
    }

    /// Whether what is found by it is only looked for: nobody reads what it says.
    pub fn probes(&self) -> bool {
        self.probes
    }

    /// What the decision log keeps of a command: `none`, `redacted` or `full`.
    pub fn log_commands(&self) -> &'static str {
        self.word_at(at::LOG_COMMANDS).unwrap_or("redacted")
    }

    /// Whether pushes wait for CI.
    pub fn ci_gate(&self) -> Gate {
        match self.word_at(at::CI_GATE) {
            Some("on") => Gate::On,
            Some("off") => Gate::Off,
            _ => Gate::Auto,
        }
    }

    /// Who is asked what runs.
    pub fn ci_provider(&self) -> Provider {
        match self.word_at(at::CI_PROVIDER) {
            Some("github") => Provider::Github,
            Some("gitlab") => Provider::Gitlab,
            Some("command") => Provider::Command,
            Some("file") => Provider::File,
            _ => Provider::Auto,
        }
    }

    /// What becomes of a push when it cannot be told whether something runs.
    pub fn ci_trouble(&self) -> Decision {
        self.decision_at(at::CI_TROUBLE)
    }

    /// What becomes of a push while a check waits for an approval.
    pub fn ci_waiting(&self) -> Decision {
        self.decision_at(at::CI_WAITING)
    }

    /// Whether the checks of a branch without an open pull request count.
    pub fn ci_without_pr(&self) -> bool {
        self.word_at(at::CI_WITHOUT_PR) == Some("check")
    }

    /// The other wishes about CI.
    pub fn ci(&self) -> &Ci {
        static NOTHING: Ci = Ci::DEFAULT;
        self.ci.as_deref().unwrap_or(&NOTHING)
    }

    fn decision_at(&self, index: usize) -> Decision {
        match self.word_at(index) {
            Some("deny") => Decision::Deny,
            Some("allow") => Decision::Allow,
            _ => Decision::Ask,
        }
    }

    /// Whether questions are denials, because nobody is there to answer.
    pub fn ask_is_deny(&self) -> bool {
        self.word_at(at::ASK) == Some("deny")
    }

    /// What git's own hooks do where a person pushes what an agent may not.
    pub fn persons(&self) -> Persons {
        match self.word_at(at::PERSONS) {
            Some("deny") => Persons::Deny,
            Some("warn") => Persons::Warn,
            _ => Persons::Confirm,
        }
    }

    /// Whether `branch` (short name) is a base branch.
    pub fn is_base(&self, branch: &str) -> bool {
        self.base_branches
            .iter()
            .any(|glob| glob_matches(glob, branch))
    }

    /// Whether the pattern `refs` (a short name in which `*` stands for anything) may name a base
    /// branch.
    pub fn may_be_base(&self, refs: &str) -> bool {
        self.base_branches
            .iter()
            .any(|glob| glob::globs_meet(glob.as_bytes(), refs.as_bytes()))
    }

    /// The verdict as this policy wants it: questions become denials where nobody answers, and
    /// nothing is stopped where calls are only observed. Says what is wrong with policies.
    pub fn settle(&self, mut verdict: Verdict) -> Verdict {
        for finding in &mut verdict.findings {
            if finding.decision == Decision::Ask && self.ask_is_deny() {
                finding.decision = Decision::Deny;
                finding
                    .because
                    .push("`ask = \"deny\"`: nobody is there to answer".to_owned());
            }
        }
        if self.mode() == Mode::Observe {
            for finding in &mut verdict.findings {
                let would = match finding.decision {
                    Decision::Allow => continue,
                    Decision::Ask => "asked about",
                    Decision::Deny => "denied",
                };
                let note = format!(
                    "only observing, else `{}` would have been {would}: {}",
                    finding.rule, finding.effect
                );
                verdict.notes.push(note);
                finding.decision = Decision::Allow;
            }
        }
        verdict.notes.extend(self.troubles.iter().cloned());
        verdict
    }
}
