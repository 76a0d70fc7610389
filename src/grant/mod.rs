//! What a person approved: one call that was denied, a pause, an ask that the host showed.

pub mod ask;
pub mod code;
pub mod open;
pub mod pause;

use crate::state::key::Key;
use crate::state::time::{Moment, parse_span, shown_span};
use crate::state::{State, Trouble, strikes};
use code::Code;
use open::{Kept, Open};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::path::Path;
use std::time::Duration;

const FOLDER: &str = "grants";

/// A denial can be approved so long.
pub const OPEN_FOR: Duration = Duration::from_secs(24 * 3600);

/// A grant for one use waits so long for it.
pub const ONCE_WITHIN: Duration = Duration::from_secs(3600);

/// No grant and no pause lasts longer.
pub const MOST: Duration = Duration::from_secs(24 * 3600);

/// How far a clock may have gone back since a file was written.
const SKEW: Duration = Duration::from_secs(300);

/// A call that was not allowed, as far as a grant must match it.
#[derive(Debug, Clone, Copy)]
pub struct Denial<'a> {
    /// The session.
    pub session: Option<&'a str>,
    /// Where the call starts.
    pub dir: &'a Path,
    /// The shell text, or what else tells the call from others.
    pub text: &'a str,
    /// The rules that spoke against it.
    pub rules: &'a [&'a str],
}

impl Denial<'_> {
    /// The call without its rules.
    fn key(&self) -> Key {
        let key = Key::new("grant").with_maybe(self.session.map(str::as_bytes));
        key.with(self.dir.as_os_str().as_encoded_bytes())
            .with(self.text.as_bytes())
    }

    /// The rules in a fixed order.
    fn rules(&self) -> Vec<&str> {
        let mut rules = self.rules.to_vec();
        rules.sort_unstable();
        rules.dedup();
        rules
    }

    /// The address of this denial: the same call denied by the same rules has the same.
    /// `None` where no grant can help.
    pub fn code(&self) -> Option<Code> {
        self.code_of(self.key())
    }

    fn code_of(&self, key: Key) -> Option<Code> {
        let with_rules = |key: Key, rule: &&str| key.with(rule.as_bytes());
        grantable(self.rules).then(|| Code::of(self.rules().iter().fold(key, with_rules)))
    }
}

/// Whether a person may approve findings of these rules: never what guards leaseguard itself.
pub fn grantable<R: AsRef<str>>(rules: &[R]) -> bool {
    !rules.is_empty() && !rules.iter().any(|r| r.as_ref().starts_with("self/"))
}

/// How often a grant lets its call through.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Uses {
    /// Once, within an hour.
    Once,
    /// Any number of times within this span.
    Within(Duration),
}

impl Uses {
    /// Reads the value of `--for`.
    pub fn within(text: &str) -> Result<Uses, Refusal> {
        match parse_span(text) {
            Some(span) if span.is_zero() || span > MOST => Err(Refusal::Span(text.to_owned())),
            Some(span) => Ok(Uses::Within(span)),
            None => Err(Refusal::Span(text.to_owned())),
        }
    }
}

/// A person's yes to one call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Grant {
    v: u32,
    key: String,
    /// The code of the denial.
    pub code: String,
    /// The session that may use it.
    pub session: Option<String>,
    /// The directory in which it holds.
    pub dir: String,
    /// The rules whose findings it takes away.
    pub rules: Vec<String>,
    /// The call in short.
    pub summary: String,
    /// When it was given.
    pub given: Moment,
    /// Until when it holds.
    pub until: Moment,
    /// Whether the first use ends it.
    pub once: bool,
}

impl Grant {
    fn holds(&self, now: Moment) -> bool {
        let span = if self.once { ONCE_WITHIN } else { MOST };
        holds(self.given, self.until, span, now)
    }

    fn covers(&self, denial: &Denial<'_>, key: &str) -> bool {
        self.v == 1
            && self.key == key
            && self.session.as_deref() == denial.session
            && self.dir == denial.dir.to_string_lossy()
            && grantable(&self.rules)
            && denial
                .rules
                .iter()
                .all(|rule| self.rules.iter().any(|r| r == rule))
    }
}

/// Whether what was `given` until `until` holds at `now`. A clock that jumped makes nothing last
/// longer than `most`.
fn holds(given: Moment, until: Moment, most: Duration, now: Moment) -> bool {
    given <= now.plus(SKEW) && now < until && until <= given.plus(most)
}

/// Why something was not approved.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Refusal {
    /// No open denial has this code or number.
    Unknown(String),
    /// The span is missing, zero, unreadable or too long.
    Span(String),
    /// The rules of this denial take no grant.
    Never(String),
    /// Our files failed.
    Trouble(Trouble),
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Refusal::Unknown(word) => write!(
                f,
                "no denial of the last {} has the code `{word}`",
                shown_span(OPEN_FOR)
            ),
            Refusal::Span(text) => write!(
                f,
                "`{text}` is no span from `1s` to `{}`, such as `10m` or `2h`",
                shown_span(MOST)
            ),
            Refusal::Never(rule) => {
                write!(f, "`{rule}` guards leaseguard itself and takes no grant")
            }
            Refusal::Trouble(trouble) => trouble.fmt(f),
        }
    }
}

impl From<Trouble> for Refusal {
    fn from(trouble: Trouble) -> Refusal {
        Refusal::Trouble(trouble)
    }
}

/// What became of a denial.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Met {
    /// A person approved it before.
    Granted(Grant),
    /// It stands; told where a grant can help.
    Denied(Option<Kept>),
}

/// The grants of one state directory.
#[derive(Debug, Clone, Copy)]
pub struct Grants<'a> {
    state: &'a State,
}

impl<'a> Grants<'a> {
    /// The grants in `state`.
    pub fn new(state: &'a State) -> Grants<'a> {
        Grants { state }
    }

    /// Gives a grant for the open denial that `word` names by code or number.
    pub fn approve(&self, word: &str, uses: Uses, now: Moment) -> Result<Grant, Refusal> {
        let open = self.pick(word, now)?;
        if let Some(rule) = open.rules.iter().find(|r| r.starts_with("self/")) {
            return Err(Refusal::Never(rule.clone()));
        }
        let span = match uses {
            Uses::Once => ONCE_WITHIN,
            Uses::Within(span) => span.min(MOST),
        };
        let grant = Grant {
            v: 1,
            key: open.key,
            code: open.code,
            session: open.session,
            dir: open.dir,
            rules: open.rules,
            summary: open.summary,
            given: now,
            until: now.plus(span),
            once: uses == Uses::Once,
        };
        self.state.ensure()?;
        self.state
            .write(FOLDER, &name(&grant.key), to_json(&grant)?.as_bytes())?;
        self.state.consume(open::FOLDER, &open::name(&grant.code))?;
        Ok(grant)
    }

    /// Lets the call through if a person approved it for these rules; a grant for one use is gone
    /// then, and of all who ask at once exactly one gets it.
    pub fn take(&self, denial: &Denial<'_>, now: Moment) -> Result<Option<Grant>, Trouble> {
        self.take_as(denial, denial.key(), now)
    }

    /// Takes a grant for the call, or else keeps the denial for a person to approve; what goes wrong
    /// is told and gives nothing away.
    pub fn meet(
        &self,
        denial: &Denial<'_>,
        host: Option<&str>,
        now: Moment,
        tell: &mut dyn FnMut(&Trouble),
    ) -> Met {
        let key = denial.key();
        match self.take_as(denial, key, now) {
            Ok(Some(grant)) => return Met::Granted(grant),
            Ok(None) => {}
            Err(trouble) => tell(&trouble),
        }
        Met::Denied(match self.record_as(denial, key, host, now) {
            Ok(kept) => kept,
            Err(trouble) => {
                tell(&trouble);
                None
            }
        })
    }

    fn take_as(
        &self,
        denial: &Denial<'_>,
        key: Key,
        now: Moment,
    ) -> Result<Option<Grant>, Trouble> {
        if !grantable(denial.rules) {
            return Ok(None);
        }
        let key = key.hex();
        let name = name(&key);
        let Some(text) = self.state.read(FOLDER, &name)? else {
            return Ok(None);
        };
        // Whoever else could write here could grant.
        self.state.ensure()?;
        let Ok(grant) = serde_json::from_str::<Grant>(&text) else {
            return Ok(None);
        };
        if !grant.holds(now) {
            self.state.consume(FOLDER, &name)?;
            return Ok(None);
        }
        if !grant.covers(denial, &key) {
            return Ok(None);
        }
        let won = !grant.once || self.state.consume(FOLDER, &name)?;
        Ok(won.then_some(grant))
    }

    /// The grants that hold, newest first.
    pub fn given(&self, now: Moment) -> Result<Vec<Grant>, Trouble> {
        let mut grants = Vec::new();
        for name in self.state.names(FOLDER)? {
            let grant = self.state.read(FOLDER, &name).ok().flatten();
            let grant = grant.and_then(|text| serde_json::from_str::<Grant>(&text).ok());
            grants.extend(grant.filter(|g| g.holds(now)));
        }
        grants.sort_by_key(|g| std::cmp::Reverse(g.given));
        Ok(grants)
    }

    /// Takes back every grant; tells how many there were.
    pub fn revoke_all(&self) -> Result<usize, Trouble> {
        let mut count = 0;
        for name in self.state.names(FOLDER)? {
            count += usize::from(self.state.consume(FOLDER, &name)?);
        }
        Ok(count)
    }

    /// Removes what is too old to matter. Best effort.
    pub fn sweep(&self, now: Moment) {
        for folder in [open::FOLDER, FOLDER, ask::FOLDER, strikes::folder()] {
            self.state.sweep(folder, MOST, now);
        }
    }
}

fn name(key: &str) -> String {
    [key, ".json"].concat()
}

fn to_json<T: Serialize>(value: &T) -> Result<String, Trouble> {
    serde_json::to_string(value).map_err(|e| Trouble(format!("cannot write a record: {e}")))
}

/// A list of open denials for people.
pub fn shown(open: &[Open], now: Moment) -> Vec<String> {
    let line = |(number, open): (usize, &Open)| {
        let number = number.saturating_add(1);
        format!(
            "{number:>3}  {}  {:>5} ago  {}  {}  in {}",
            open.code,
            shown_span(open.time.age(now)),
            open.rules.join(" "),
            open.summary,
            open.dir
        )
    };
    let plain = |text: String| {
        text.chars()
            .map(|c| if c.is_control() { ' ' } else { c })
            .collect()
    };
    open.iter().enumerate().map(line).map(plain).collect()
}
