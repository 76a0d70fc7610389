//! The rule book: one law a file, each a `const Rule`, listed once here.
#![deny(clippy::disallowed_methods)]

mod admin_write;
mod amend;
mod base_push;
mod breadth;
mod broad_add;
mod claims;
mod commit_all;
mod config_edit;
mod config_inject;
mod config_keys;
mod discard;
mod discard_files;
mod effects;
mod force_push;
mod foreign_branch;
mod foreign_checkout;
mod forge_merge;
mod forge_ref_write;
mod in_flight;
mod interactive;
mod main_checkout;
mod merge_lease;
mod opaque;
mod path_scope;
mod paths;
mod person_only;
mod plan_lease;
mod publish_release;
mod push_unclear;
mod read_only_role;
mod remote_delete;
mod rewrite;
mod skip_hooks;
mod skip_signing;
mod stash_shared;
mod state_files;
mod tamper;
mod target;
mod unhooked_agent;
mod unregistered;
mod worktree_force;
mod wrong_branch;

pub use effects::effects;

use crate::action::{Act, Action};
use crate::policy::{Case, Known, Policy};
use crate::shell::Span;
use crate::verdict::{Decision, Finding, Next};
use crate::world::{Presence, World};

/// All laws, in the order in which they are documented.
pub const ALL: &[&Rule] = &[
    &force_push::RULE,
    &base_push::RULE,
    &remote_delete::RULE,
    &push_unclear::RULE,
    &broad_add::RULE,
    &commit_all::RULE,
    &amend::RULE,
    &skip_hooks::RULE,
    &skip_signing::RULE,
    &config_inject::RULE,
    &discard::RULE,
    &rewrite::RULE,
    &stash_shared::RULE,
    &worktree_force::RULE,
    &admin_write::RULE,
    &publish_release::RULE,
    &forge_merge::RULE,
    &forge_ref_write::RULE,
    &in_flight::RULE,
    &foreign_checkout::RULE,
    &foreign_branch::RULE,
    &wrong_branch::RULE,
    &main_checkout::RULE,
    &unregistered::RULE,
    &read_only_role::RULE,
    &path_scope::RULE,
    &plan_lease::RULE,
    &merge_lease::RULE,
    &state_files::RULE,
    &tamper::RULE,
    &unhooked_agent::RULE,
    &person_only::RULE,
    &opaque::RULE,
    &interactive::RULE,
];

/// The same laws, as far as policies speak of them.
pub const KNOWN: [Known; ALL.len()] = {
    let nothing = Known {
        id: "",
        decision: Decision::Allow,
        stops: "",
    };
    let mut known = [nothing; ALL.len()];
    let mut i = 0;
    while i < ALL.len() {
        known[i] = Known {
            id: ALL[i].id,
            decision: ALL[i].decision,
            stops: ALL[i].stops,
        };
        i += 1;
    }
    known
};

/// One law.
pub struct Rule {
    /// Its id, such as `git/force-push`.
    pub id: &'static str,
    /// What it answers unless a policy says otherwise.
    pub decision: Decision,
    /// What it stops, as a noun phrase.
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
    /// Whether it is the milder case that policies have a word for.
    pub case: Case,
    /// See [`Finding::effect`].
    pub effect: String,
    /// See [`Finding::because`].
    pub because: Vec<String>,
    /// The way out.
    pub instead: Option<Instead>,
    /// The bytes that decided.
    pub span: Span,
}

impl Found {
    fn new(effect: impl Into<String>, span: Span) -> Found {
        Found {
            decision: None,
            case: Case::Full,
            effect: effect.into(),
            because: Vec::new(),
            instead: None,
            span,
        }
    }

    fn because(mut self, fact: impl Into<String>) -> Found {
        self.because.push(fact.into());
        self
    }

    fn instead(mut self, instead: Option<Instead>) -> Found {
        self.instead = instead;
        self
    }

    fn case(mut self, case: Case) -> Found {
        self.case = case;
        self
    }

    fn ask(mut self) -> Found {
        self.decision = Some(Decision::Ask);
        self
    }
}

/// A command that does no harm and comes nearest to what was meant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Instead {
    /// This command.
    Run(String),
    /// The user's own text without these bytes, which must read as given.
    Without(Span, String),
    /// The user's own text with these bytes, which must read as the first text, replaced by the second.
    Swap(Span, String, String),
}

impl Instead {
    fn run(command: impl Into<String>) -> Option<Instead> {
        Some(Instead::Run(command.into()))
    }

    /// As text that can be run; `source` is the judged text.
    fn text(self, source: &str) -> Option<String> {
        match self {
            Instead::Run(command) => Some(command),
            Instead::Swap(span, reads, to) => {
                if source.get(span.start..span.end)? != reads {
                    return None;
                }
                Some(
                    format!(
                        "{}{to}{}",
                        source.get(..span.start)?,
                        source.get(span.end..)?
                    )
                    .trim()
                    .to_owned(),
                )
            }
            Instead::Without(span, reads) => {
                if source.get(span.start..span.end)? != reads {
                    return None;
                }
                let before = source.get(..span.start)?.trim_end_matches([' ', '\t']);
                let after = source.get(span.end..)?;
                Some(format!("{before}{after}").trim().to_owned())
            }
        }
    }
}

/// The laws that speak only where a policy names a plan.
const OF_PLANS: &[&Rule] = &[&plan_lease::RULE, &merge_lease::RULE];

/// What all laws say of one action. `source` is the judged text, from which an `instead` is cut.
pub fn judge(action: &Action, world: &World, policy: &Policy, source: &str) -> Vec<Finding> {
    judged(ALL.iter(), action, world, policy, source)
}

/// The same for an act of which is known what is `found` by a policy that [`Policy::probes`]: a law
/// that had nothing to say then has nothing to say now, but for what a plan's leases say.
pub fn judge_again(
    found: &[Finding],
    action: &Action,
    world: &World,
    policy: &Policy,
    source: &str,
) -> Vec<Finding> {
    let spoke = |rule: &&&Rule| {
        found.iter().any(|finding| finding.rule == rule.id)
            || OF_PLANS.iter().any(|of_plans| of_plans.id == rule.id)
    };
    let again = judged(ALL.iter().filter(spoke), action, world, policy, source);
    debug_assert_eq!(again, judge(action, world, policy, source));
    again
}

/// The same of the laws on plans alone, where the others have nothing to say.
pub fn judge_plan(action: &Action, world: &World, policy: &Policy, source: &str) -> Vec<Finding> {
    judged(OF_PLANS.iter(), action, world, policy, source)
}

fn judged<'r>(
    rules: impl Iterator<Item = &'r &'r Rule>,
    action: &Action,
    world: &World,
    policy: &Policy,
    source: &str,
) -> Vec<Finding> {
    let mut findings = Vec::new();
    for rule in rules {
        for found in (rule.check)(action, world, policy) {
            let own = found.decision.unwrap_or(rule.decision);
            let decision = policy.decide(rule.id, own, found.case);
            if decision == Decision::Allow {
                continue;
            }
            let instead = found.instead.and_then(|i| i.text(source));
            let because = typed(found.because, found.span, source);
            findings.push(Finding {
                rule: rule.id,
                decision,
                effect: found.effect,
                because,
                next: if instead.is_some() {
                    Next::UseInstead
                } else {
                    Next::AskPerson
                },
                instead,
                span: found.span.start..found.span.end,
            });
        }
    }
    if !findings.is_empty() && needs_repository(&action.act) {
        match world.presence(&action.place) {
            Presence::Absent => findings.clear(),
            Presence::Made if only_own_work(&action.act) => findings.clear(),
            Presence::Unknown(why) => {
                for finding in &mut findings {
                    finding.because.push(why.clone());
                }
            }
            Presence::Here(_) | Presence::Made => {}
        }
    }
    findings
}

/// Whether a plan's leases may have something to say of an act, so that it counts whether the policy
/// names a plan.
pub fn asks_plan(act: &Act) -> bool {
    if let Act::Other { verb } = act {
        return claims::WRITERS.contains(&verb.as_str());
    }
    matches!(
        act,
        Act::Stage(_)
            | Act::Commit(_)
            | Act::Discard(_)
            | Act::Switch(_)
            | Act::Refs(_)
            | Act::Integrate(_)
            | Act::Reset { .. }
            | Act::Worktree(_)
            | Act::Stash { .. }
            | Act::Write { .. }
            | Act::Alter { .. }
            | Act::Touch { .. }
    )
}

/// Facts with the unknown word as it was typed.
fn typed(mut because: Vec<String>, span: Span, source: &str) -> Vec<String> {
    const UNKNOWN: &str = "`…`";
    let text = source.get(span.start..span.end).unwrap_or_default();
    if (1..=60).contains(&text.len()) {
        for fact in because.iter_mut().filter(|fact| fact.contains(UNKNOWN)) {
            *fact = fact.replace(UNKNOWN, &format!("`{text}`"));
        }
    }
    because
}

/// Acts that reach nothing but the checkout itself.
fn only_own_work(act: &Act) -> bool {
    matches!(act, Act::Stage(_) | Act::Commit(_) | Act::Discard(_))
}

/// Acts that git itself refuses where there is no repository.
fn needs_repository(act: &Act) -> bool {
    !matches!(
        act,
        Act::Opaque(_)
            | Act::InteractiveShell
            | Act::Publish(_)
            | Act::ForgeMerge(_)
            | Act::ForgeRefs(_)
            | Act::Write { .. }
            | Act::Alter { .. }
            | Act::Touch { .. }
            | Act::Ruin(_)
            | Act::Run { .. }
            | Act::Leaseguard { .. }
            | Act::Disarm(_)
            | Act::AgentHost(_)
    )
}

#[cfg(test)]
mod outward;
