//! Answer, policy, now -> state: idle, in flight, or not to be told; idle is not green.

use super::answer::{Answer, Check, Phase, Pull};
use super::bots;
use super::{Line, Standing, State, Subject, clock};
use crate::policy::{Ci, Policy, ReviewBot, glob_matches};
use crate::state::time::{Moment, shown_span};
use crate::verdict::Decision;
use std::time::Duration;

/// What every line is judged by.
pub(super) struct Court<'a> {
    pub(super) subject: &'a Subject<'a>,
    pub(super) policy: &'a Policy,
    pub(super) ci: &'a Ci,
    pub(super) bots: Vec<ReviewBot>,
    pub(super) now: Moment,
}

/// What the answer means for a push that would replace the head.
pub fn judge(answer: &Answer, subject: &Subject<'_>, policy: &Policy, now: Moment) -> State {
    State::of(lines(answer, subject, policy, now))
}

/// The same, line by line, settled ones too.
pub fn lines(answer: &Answer, subject: &Subject<'_>, policy: &Policy, now: Moment) -> Vec<Line> {
    let ci = policy.ci();
    let court = Court {
        subject,
        policy,
        ci,
        bots: ci.review_bots(),
        now,
    };
    let mut out = Vec::new();
    if let (Some(there), Some(here)) = (answer.head.as_deref(), subject.head)
        && there != here
    {
        out.push(court.stale(None, there, here));
        return out;
    }
    if answer.more_pulls {
        let why = "there are more open pull requests than were read";
        out.push(Line::doubt(None, "pull requests", why));
    }
    for pull in &answer.pulls {
        court.pull(pull, &mut out);
    }
    if answer.pulls.is_empty() && policy.ci_without_pr() {
        let alone = Pull {
            checks: answer.checks.clone(),
            ..Pull::default()
        };
        court.checks(&alone, None, &mut out);
        court.grace(&alone, None, &mut out);
    }
    out
}

impl Court<'_> {
    fn pull(&self, pull: &Pull, out: &mut Vec<Line>) {
        let number = Some(pull.number);
        if let Some(here) = self.subject.head
            && pull.head != here
        {
            out.push(self.stale(number, &pull.head, here));
            return;
        }
        if pull.queued {
            let why = "it stands in the merge queue, and a push takes it out";
            out.push(Line::doubt(number, "merge queue", why));
        }
        let before = out.len();
        self.checks(pull, number, out);
        bots::lines(self, pull, out);
        self.grace(pull, number, out);
        let running = out
            .iter()
            .skip(before)
            .any(|l| l.standing != Standing::Settled);
        if pull.cut && !running {
            let why = "it has more checks than were read";
            out.push(Line::doubt(number, "checks", why));
        } else if pull.expected && !running {
            let why = "a check is required or announced that has not reported";
            out.push(Line::doubt(number, "expected checks", why));
        }
    }

    fn stale(&self, pull: Option<u64>, there: &str, here: &str) -> Line {
        let why = format!(
            "the forge is at {}, this repository last saw {}: `git fetch` first",
            short(there),
            short(here)
        );
        Line::doubt(pull, "head", why)
    }

    fn checks(&self, pull: &Pull, number: Option<u64>, out: &mut Vec<Line>) {
        for check in newest(&pull.checks) {
            out.push(self.check(check, pull, number));
        }
    }

    fn check(&self, check: &Check, pull: &Pull, number: Option<u64>) -> Line {
        let bot = bots::of_check(&self.bots, check);
        let line = |standing, why: String| Line {
            pull: number,
            what: check.name.clone(),
            standing,
            why,
            since: check.started,
            review: bot.is_some(),
        };
        let ignored = self.ci.ignore.iter().any(|g| glob_matches(g, &check.name));
        match check.phase() {
            Phase::Ended(word) => line(Standing::Settled, word),
            _ if ignored => line(Standing::Settled, "ignored by the policy".to_owned()),
            Phase::Waiting => match self.policy.ci_waiting() {
                Decision::Allow => line(Standing::Settled, "waits for an approval".to_owned()),
                Decision::Ask => line(
                    Standing::Doubt,
                    "waits for an approval, which may take days".to_owned(),
                ),
                Decision::Deny => line(Standing::Running, "waits for an approval".to_owned()),
            },
            Phase::Unknown(word) => line(
                Standing::Doubt,
                format!("`{word}` is a state that leaseguard does not know"),
            ),
            Phase::Running(word) => {
                let since = check.started.or(self.subject.pushed.max(pull.updated));
                let most = bot.map_or(self.ci.max_age, |b| b.max_wait.max(self.ci.max_age));
                match since.map(|s| s.age(self.now)) {
                    Some(age) if age > seconds(most) => line(
                        Standing::Doubt,
                        format!(
                            "`{word}` for {}, which is longer than {}: it may be stuck",
                            shown_span(age),
                            shown_span(seconds(most))
                        ),
                    ),
                    _ => line(Standing::Running, word.replace('_', " ")),
                }
            }
        }
    }

    /// Checks register only some time after a push, and the quick ones end before others are there.
    fn grace(&self, pull: &Pull, number: Option<u64>, out: &mut Vec<Line>) {
        let grace = seconds(self.ci.grace);
        if let Some(pushed) = self.subject.pushed {
            let age = pushed.age(self.now);
            if age < grace {
                let left = shown_span(grace.saturating_sub(age));
                out.push(Line {
                    pull: number,
                    what: "checks".to_owned(),
                    standing: Standing::Running,
                    why: format!(
                        "may not be registered yet, the last push was {} ago ({left} to go)",
                        shown_span(age)
                    ),
                    since: Some(pushed),
                    review: false,
                });
                return;
            }
        }
        if !pull.checks.is_empty() {
            return;
        }
        // Somebody else pushed: the moment is not known, but nothing is older than the last change.
        let fresh = self.subject.pushed.is_none()
            && self.subject.seen.is_some_and(|at| at.age(self.now) < grace)
            && pull.updated.is_none_or(|at| at.age(self.now) < grace);
        if pull.registering || fresh {
            let why = "none is registered yet";
            out.push(Line::doubt(number, "checks", why));
        }
    }
}

/// Of checks with one name those that no newer one replaces: a re-run in the same run, or a later
/// status. What runs in another run still runs.
fn newest(checks: &[Check]) -> Vec<&Check> {
    let same = |a: &Check, b: &Check| {
        a.name == b.name
            && a.app == b.app
            && a.workflow == b.workflow
            && a.run == b.run
            && a.status.is_some() == b.status.is_some()
    };
    let replaced = |old: &Check| {
        checks
            .iter()
            .any(|new| same(old, new) && new.id.is_some() && old.id.is_some() && new.id > old.id)
    };
    checks.iter().filter(|check| !replaced(check)).collect()
}

pub(super) fn seconds(count: u32) -> Duration {
    Duration::from_secs(u64::from(count))
}

/// A commit as people write it.
fn short(oid: &str) -> &str {
    oid.get(..7).unwrap_or(oid)
}

impl Line {
    pub(super) fn doubt(pull: Option<u64>, what: &str, why: impl Into<String>) -> Line {
        Line {
            pull,
            what: what.to_owned(),
            standing: Standing::Doubt,
            why: why.into(),
            since: None,
            review: false,
        }
    }

    /// For people: `` `test` on #12: in progress since 12:00Z (4m) ``.
    pub fn shown(&self, now: Moment) -> String {
        let on = self.pull.map(|n| format!(" on #{n}")).unwrap_or_default();
        let since = match self.since {
            Some(at) if self.standing == Standing::Running => {
                format!(" since {} ({})", clock(at), shown_span(at.age(now)))
            }
            _ => String::new(),
        };
        format!("`{}`{on}: {}{since}", self.what, self.why)
    }
}
