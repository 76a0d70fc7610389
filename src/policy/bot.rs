//! Review bots as data: by what one sees that they work, and what ends it.

use super::ci::span;
use super::doc::Value;
use super::read::{listed, short};

/// By what one sees that a bot works.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Signal {
    /// A check run or commit status.
    Check,
    /// A review that is requested from it.
    Request,
    /// Its 👀 on the pull request.
    Reaction,
    /// A text in its newest comment.
    Comment,
}

/// What ends its work.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Settle {
    /// A review of the head.
    ReviewAtHead,
    /// The end of its check.
    CheckCompleted,
}

pub(super) const SIGNALS: [(&str, Signal); 4] = [
    ("check", Signal::Check),
    ("request", Signal::Request),
    ("reaction", Signal::Reaction),
    ("comment", Signal::Comment),
];

pub(super) const SETTLES: [(&str, Settle); 2] = [
    ("review_at_head", Settle::ReviewAtHead),
    ("check_completed", Settle::CheckCompleted),
];

/// One review bot.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReviewBot {
    /// For messages.
    pub name: String,
    /// Globs over its logins, without `[bot]`.
    pub logins: Vec<String>,
    /// Globs over the names of its checks, their workflows and apps; case does not count.
    pub checks: Vec<String>,
    /// By what one sees that it works; none = it cannot be watched.
    pub signals: Vec<Signal>,
    /// What ends its work.
    pub settle: Settle,
    /// So many seconds it may take.
    pub max_wait: u32,
    /// Texts in its newest comment that say that it works.
    pub busy: Vec<String>,
    /// Texts in its newest comment that say that it will not work.
    pub ended: Vec<String>,
}

impl Default for ReviewBot {
    fn default() -> ReviewBot {
        ReviewBot {
            name: String::new(),
            logins: Vec::new(),
            checks: Vec::new(),
            signals: Vec::new(),
            settle: Settle::ReviewAtHead,
            max_wait: MAX_WAIT,
            busy: Vec::new(),
            ended: Vec::new(),
        }
    }
}

/// How long a bot may take, in seconds, where nothing else is said.
const MAX_WAIT: u32 = 30 * 60;

/// A bot as it stands in the table.
struct Row {
    name: &'static str,
    logins: &'static [&'static str],
    checks: &'static [&'static str],
    signals: &'static [Signal],
    settle: Settle,
    busy: &'static [&'static str],
    ended: &'static [&'static str],
}

/// Texts by which bots say that they will not review.
const ENDED: &[&str] = &[
    "rate limit",
    "review paused",
    "reviews paused",
    "review skipped",
    "quota",
    "out of credits",
    "usage limit",
];

/// The bots that are known, from their own documentation.
const ROWS: &[Row] = &[
    Row {
        name: "bugbot",
        logins: &["cursor", "bugbot"],
        checks: &["cursor bugbot*", "cursor-bugbot*", "cursor"],
        signals: &[Signal::Check],
        settle: Settle::CheckCompleted,
        busy: &[],
        ended: ENDED,
    },
    Row {
        name: "greptile",
        logins: &["greptile-apps", "greptileai"],
        checks: &["greptile*"],
        signals: &[Signal::Check, Signal::Reaction],
        settle: Settle::ReviewAtHead,
        busy: &[],
        ended: ENDED,
    },
    Row {
        name: "coderabbit",
        logins: &["coderabbitai"],
        checks: &["coderabbit*"],
        signals: &[Signal::Check, Signal::Comment],
        settle: Settle::CheckCompleted,
        busy: &["Currently processing new changes", "review in progress"],
        ended: ENDED,
    },
    Row {
        name: "copilot",
        logins: &["copilot-pull-request-reviewer", "copilot"],
        checks: &["copilot code review*", "copilot-pull-request-reviewer"],
        signals: &[Signal::Check, Signal::Request],
        settle: Settle::ReviewAtHead,
        busy: &[],
        ended: ENDED,
    },
    Row {
        name: "claude",
        logins: &["claude"],
        checks: &["claude*"],
        signals: &[Signal::Check, Signal::Comment],
        settle: Settle::CheckCompleted,
        busy: &["is working…", "is working..."],
        ended: ENDED,
    },
    Row {
        name: "codex",
        logins: &["chatgpt-codex-connector"],
        checks: &["codex review*"],
        signals: &[Signal::Check, Signal::Reaction],
        settle: Settle::ReviewAtHead,
        busy: &[],
        ended: ENDED,
    },
    Row {
        name: "gemini",
        logins: &["gemini-code-assist"],
        checks: &["gemini*"],
        signals: &[],
        settle: Settle::ReviewAtHead,
        busy: &[],
        ended: ENDED,
    },
    Row {
        name: "other",
        logins: &[
            "sourcery-ai",
            "qodo-*",
            "ellipsis-dev",
            "korbit-ai",
            "graphite-app",
        ],
        checks: &["sourcery*", "qodo*", "ellipsis*", "korbit*", "graphite*"],
        signals: &[Signal::Check, Signal::Reaction],
        settle: Settle::ReviewAtHead,
        busy: &[],
        ended: ENDED,
    },
];

impl ReviewBot {
    /// The bots that are known without any policy.
    pub fn built_in() -> Vec<ReviewBot> {
        let owned = |texts: &[&str]| texts.iter().map(|t| (*t).to_owned()).collect();
        ROWS.iter()
            .map(|row| ReviewBot {
                name: row.name.to_owned(),
                logins: owned(row.logins),
                checks: owned(row.checks),
                signals: row.signals.to_vec(),
                settle: row.settle,
                max_wait: MAX_WAIT,
                busy: owned(row.busy),
                ended: owned(row.ended),
            })
            .collect()
    }

    /// Takes one key of a `[[ci.review_bot]]` over.
    pub(super) fn set(&mut self, name: &str, value: &Value) -> Result<(), String> {
        let wants = |what: &str| Err(format!("`{}` takes {what}", short(name)));
        match (name, value) {
            ("name", Value::Text(text)) => self.name = text.to_string(),
            ("settle", Value::Text(word)) => match SETTLES.iter().find(|(w, _)| w == word) {
                Some((_, settle)) => self.settle = *settle,
                None => return wants(&listed(&SETTLES.map(|(w, _)| w))),
            },
            ("max_wait", Value::Text(text)) => match span(text) {
                Some(seconds) => self.max_wait = seconds,
                None => return wants("a span such as `20m`"),
            },
            ("signals", Value::Texts(words)) => {
                let read = |word| SIGNALS.iter().find(|(w, _)| *w == word).map(|(_, s)| *s);
                match words.iter().map(|word| read(&**word)).collect() {
                    Some(signals) => self.signals = signals,
                    None => return wants(&listed(&SIGNALS.map(|(w, _)| w))),
                }
            }
            ("logins" | "checks" | "busy" | "ended", Value::Texts(texts)) => {
                let slot = match name {
                    "logins" => &mut self.logins,
                    "checks" => &mut self.checks,
                    "busy" => &mut self.busy,
                    _ => &mut self.ended,
                };
                *slot = texts.iter().map(|t| t.to_string()).collect();
            }
            ("name" | "settle" | "max_wait", _) => return wants("a string"),
            ("signals" | "logins" | "checks" | "busy" | "ended", _) => {
                return wants("a list of strings");
            }
            _ => return Err(format!("there is no key `{}`", short(name))),
        }
        Ok(())
    }
}
