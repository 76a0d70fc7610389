//! The answer as plain data: a decision, the findings behind it, and what to do instead.

use std::fmt;
use std::ops::Range;
use std::path::PathBuf;

/// What may happen to the call. Ordered: the strictest finding wins.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub enum Decision {
    /// Nothing speaks against it.
    #[default]
    Allow,
    /// A person has to say yes.
    Ask,
    /// It does not run.
    Deny,
}

impl Decision {
    /// The word that policies, JSON and messages use.
    pub fn word(self) -> &'static str {
        match self {
            Decision::Allow => "allow",
            Decision::Ask => "ask",
            Decision::Deny => "deny",
        }
    }
}

impl fmt::Display for Decision {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}

/// What whoever proposed the call should do next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Next {
    /// Run the alternative.
    UseInstead,
    /// Ask the person in charge; nothing the agent can run is right.
    AskPerson,
    /// Leave it.
    Stop,
}

/// One rule that spoke against one act.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// The rule's id, such as `git/force-push`.
    pub rule: &'static str,
    /// How strict this finding is.
    pub decision: Decision,
    /// What would happen: lower case, no final period, names in backticks.
    pub effect: String,
    /// The facts that decided, most telling first.
    pub because: Vec<String>,
    /// A command that can be run as it stands and passes the guard.
    pub instead: Option<String>,
    /// What to do next.
    pub next: Next,
    /// The bytes of the judged text that decided.
    pub span: Range<usize>,
}

/// The refs that the findings on one act are about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reach {
    /// The repository, one path for all its checkouts.
    pub repository: PathBuf,
    /// The rules that spoke.
    pub rules: Vec<&'static str>,
    /// The full refs on the remote, `*` at the end for any rest; `HEAD` for a commit.
    pub refs: Vec<String>,
}

/// Leaseguard itself failed; the call was not judged and must not run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// A stable code, such as `fault/bad-json`.
    pub code: &'static str,
    /// What went wrong, in words for a person.
    pub what: String,
}

/// The answer to one call.
#[must_use]
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Verdict {
    /// All findings, strictest first; empty means nothing speaks against the call.
    pub findings: Vec<Finding>,
    /// Set when leaseguard failed; then the decision is deny.
    pub fault: Option<Fault>,
    /// What the call would do, one line an effect, for JSON and `explain`.
    pub effects: Vec<String>,
    /// What a person should know besides: broken policies, calls that are only observed.
    pub notes: Vec<String>,
    /// The address of this denial, by which a person can let the call through.
    pub code: Option<String>,
    /// What the findings are about, for git's own hooks, which a person's yes has to reach too.
    pub reaches: Vec<Reach>,
    /// What the decision log may keep of the command, in a policy's word; `None` = as built in.
    pub log_commands: Option<&'static str>,
}

impl Verdict {
    /// The strictest decision of all findings; a fault denies.
    pub fn decision(&self) -> Decision {
        if self.fault.is_some() {
            return Decision::Deny;
        }
        self.findings
            .iter()
            .map(|f| f.decision)
            .max()
            .unwrap_or_default()
    }

    /// A verdict for a call that could not be judged.
    pub fn failed(code: &'static str, what: impl Into<String>) -> Verdict {
        Verdict {
            fault: Some(Fault {
                code,
                what: what.into(),
            }),
            ..Verdict::default()
        }
    }

    /// The finding that decided, if any.
    pub fn first(&self) -> Option<&Finding> {
        self.findings.first()
    }
}

impl From<Vec<Finding>> for Verdict {
    fn from(mut findings: Vec<Finding>) -> Verdict {
        findings.sort_by_key(|f| std::cmp::Reverse(f.decision));
        if findings.len() > 1 {
            let mut seen: Vec<(&'static str, String)> = Vec::new();
            findings.retain(|f| {
                let new = !seen
                    .iter()
                    .any(|(rule, effect)| *rule == f.rule && *effect == f.effect);
                if new {
                    seen.push((f.rule, f.effect.clone()));
                }
                new
            });
        }
        Verdict {
            findings,
            ..Verdict::default()
        }
    }
}
