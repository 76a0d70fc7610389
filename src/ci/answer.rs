//! What a forge says of one branch, in one shape for all forges, and why it says nothing.

use crate::state::time::Moment;
use serde::Deserialize;
use std::fmt;

/// What a forge says of one branch.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Answer {
    /// The version of this shape: 1.
    pub v: u32,
    /// The commit that the forge has at the branch.
    pub head: Option<String>,
    /// Open pull requests from the branch.
    pub pulls: Vec<Pull>,
    /// Checks of the head, for a branch without a pull request.
    pub checks: Vec<Check>,
    /// There are more pull requests than these.
    pub more_pulls: bool,
    /// The forge could not be asked.
    pub error: Option<Failure>,
}

/// Why a forge could not be asked, in an answer.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Failure {
    /// In words.
    pub what: String,
    /// Until when it refuses, where it counts calls.
    pub rate_limited_until: Option<Moment>,
}

/// One open pull request.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Pull {
    /// Its number.
    pub number: u64,
    /// The branch that it comes from, where the answer speaks of several.
    pub branch: Option<String>,
    /// The URL of the repository that it comes from, where the answer speaks of several.
    pub remote: Option<String>,
    /// The commit that it ends with.
    pub head: String,
    /// It stands in a merge queue.
    pub queued: bool,
    /// When anything about it changed last.
    pub updated: Option<Moment>,
    /// Checks and commit statuses of the head.
    pub checks: Vec<Check>,
    /// There are more checks than these.
    pub cut: bool,
    /// Something is required or announced that is in no list yet.
    pub expected: bool,
    /// The forge still prepares checks for this head.
    pub registering: bool,
    /// Reviews that are requested from bots.
    pub requests: Vec<Voice>,
    /// Reviews.
    pub reviews: Vec<Voice>,
    /// Comments, oldest first.
    pub comments: Vec<Voice>,
    /// Reactions on the pull request itself.
    pub reactions: Vec<Voice>,
}

/// Something that somebody said, or was asked to say.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Voice {
    /// The login, without `[bot]`.
    pub by: String,
    /// Whether that is a bot.
    pub bot: bool,
    /// When, or when it was edited last.
    pub at: Option<Moment>,
    /// The commit that a review is about.
    pub head: Option<String>,
    /// The text, or the name of a reaction in lower case (`eyes`).
    pub text: String,
}

/// A check run or a commit status, in the words of the forge.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Check {
    /// Its name.
    pub name: String,
    /// The app that runs it.
    pub app: Option<String>,
    /// The workflow that it is a job of.
    pub workflow: Option<String>,
    /// Its number; newer ones are greater.
    pub id: Option<u64>,
    /// The run that it belongs to.
    pub run: Option<u64>,
    /// `queued`, `in_progress`, `completed`, …
    pub status: Option<String>,
    /// `success`, `failure`, …, of a completed one.
    pub conclusion: Option<String>,
    /// `pending`, `success`, …: what commit statuses have in place of the two above.
    pub state: Option<String>,
    /// When it started.
    pub started: Option<Moment>,
    /// When it ended.
    pub completed: Option<Moment>,
}

/// Where a check stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Phase {
    /// It runs, or will as soon as there is room; the forge's word.
    Running(String),
    /// It waits for somebody's approval.
    Waiting,
    /// It ended, with this word.
    Ended(String),
    /// A word that is not known.
    Unknown(String),
}

impl Check {
    /// Where it stands.
    pub fn phase(&self) -> Phase {
        let word = |text: &Option<String>| {
            let text = text.as_deref().filter(|t| !t.is_empty());
            text.map(str::to_ascii_lowercase)
        };
        match (word(&self.status), word(&self.state)) {
            (Some(status), _) => by_status(status, word(&self.conclusion)),
            (None, Some(state)) => by_state(state),
            (None, None) => Phase::Unknown("no status".to_owned()),
        }
    }
}

/// A check run: conclusions count once it is completed.
fn by_status(status: String, conclusion: Option<String>) -> Phase {
    match status.as_str() {
        "queued" | "in_progress" | "pending" | "requested" => Phase::Running(status),
        "waiting" => Phase::Waiting,
        "completed" => match conclusion.as_deref() {
            None => Phase::Ended(status),
            Some(
                "success" | "failure" | "neutral" | "skipped" | "cancelled" | "timed_out"
                | "action_required" | "stale" | "startup_failure",
            ) => Phase::Ended(conclusion.unwrap_or_default()),
            Some(other) => Phase::Unknown(other.to_owned()),
        },
        _ => Phase::Unknown(status),
    }
}

/// A commit status: its result is its state.
fn by_state(state: String) -> Phase {
    match state.as_str() {
        "pending" | "expected" => Phase::Running(state),
        "success" | "failure" | "error" => Phase::Ended(state),
        _ => Phase::Unknown(state),
    }
}

/// Why a forge could not be asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Trouble {
    /// The program is not there.
    Missing(String),
    /// It is not logged in; how to do that.
    Auth(String),
    /// The forge counts calls, and refuses until then.
    RateLimited(Option<Moment>),
    /// It took too long: so many milliseconds.
    Timeout(String, u64),
    /// The network, in the program's words.
    Network(String),
    /// No such repository, or no right to see it.
    NotFound(String),
    /// An answer that is not understood, or a failure in the program's words.
    Protocol(String),
}

impl fmt::Display for Trouble {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Trouble::Missing(what)
            | Trouble::Auth(what)
            | Trouble::Network(what)
            | Trouble::NotFound(what)
            | Trouble::Protocol(what) => f.write_str(what),
            Trouble::RateLimited(Some(until)) => {
                write!(f, "rate limited until {}", super::clock(*until))
            }
            Trouble::RateLimited(None) => f.write_str("rate limited"),
            Trouble::Timeout(program, millis) => {
                let (whole, tenth) = (millis / 1000, millis % 1000 / 100);
                write!(f, "`{program}` timed out after {whole}.{tenth} s")
            }
        }
    }
}

impl Answer {
    /// Reads the shape that programs and files of a user hold.
    pub fn parse(text: &str) -> Result<Answer, Trouble> {
        let answer: Answer = serde_json::from_str(text).map_err(|e| {
            Trouble::Protocol(format!("the state is not the JSON that is wanted: {e}"))
        })?;
        if answer.v != 1 {
            let what = format!("the state has the version {}, not 1", answer.v);
            return Err(Trouble::Protocol(what));
        }
        match answer.error {
            Some(Failure {
                rate_limited_until: Some(until),
                ..
            }) => Err(Trouble::RateLimited(Some(until))),
            Some(Failure { what, .. }) => Err(Trouble::Network(what)),
            None => Ok(answer),
        }
    }

    /// Leaves out what the answer says of other branches and repositories.
    pub fn only(&mut self, url: &str, branch: &str) {
        let same = |said: &Option<String>, is: &str| said.as_deref().is_none_or(|s| s == is);
        self.pulls
            .retain(|p| same(&p.branch, branch) && same(&p.remote, url));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn phase(json: &str) -> Phase {
        let check: Check = serde_json::from_str(json).unwrap();
        check.phase()
    }

    #[test]
    fn every_word_of_the_forge_has_a_meaning_and_every_other_is_unknown() {
        for word in ["QUEUED", "in_progress", "PENDING", "requested"] {
            let is = phase(&format!(r#"{{"status":"{word}","conclusion":""}}"#));
            assert!(matches!(is, Phase::Running(_)), "{word}");
        }
        assert_eq!(phase(r#"{"status":"WAITING"}"#), Phase::Waiting);
        for word in [
            "SUCCESS",
            "FAILURE",
            "NEUTRAL",
            "SKIPPED",
            "CANCELLED",
            "TIMED_OUT",
            "ACTION_REQUIRED",
            "STALE",
            "STARTUP_FAILURE",
        ] {
            let is = phase(&format!(
                r#"{{"status":"COMPLETED","conclusion":"{word}"}}"#
            ));
            assert_eq!(is, Phase::Ended(word.to_ascii_lowercase()));
        }
        for word in ["EXPECTED", "PENDING"] {
            let is = phase(&format!(r#"{{"state":"{word}"}}"#));
            assert!(matches!(is, Phase::Running(_)), "{word}");
        }
        for word in ["SUCCESS", "FAILURE", "ERROR"] {
            let is = phase(&format!(r#"{{"state":"{word}"}}"#));
            assert!(matches!(is, Phase::Ended(_)), "{word}");
        }
        for json in [
            r#"{"status":"FROBNICATING"}"#,
            r#"{"status":"COMPLETED","conclusion":"MAYBE"}"#,
            r#"{"state":"SHINY"}"#,
            "{}",
        ] {
            assert!(matches!(phase(json), Phase::Unknown(_)), "{json}");
        }
    }

    #[test]
    fn troubles_name_their_cause() {
        let until = Moment::parse("2026-11-29T14:05:10Z");
        assert_eq!(
            Trouble::RateLimited(until).to_string(),
            "rate limited until 14:05Z"
        );
        assert_eq!(
            Trouble::Timeout("gh".to_owned(), 2500).to_string(),
            "`gh` timed out after 2.5 s"
        );
        let shape = Answer::parse(r#"{"v":1,"error":{"what":"no route"}}"#);
        assert_eq!(shape, Err(Trouble::Network("no route".to_owned())));
        assert!(Answer::parse(r#"{"v":2}"#).is_err());
        assert!(Answer::parse(r#"{"v":1,"pull":[]}"#).is_err());
        assert!(Answer::parse("").is_err());
    }
}
