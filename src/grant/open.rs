//! Denials that a person may still approve.

use super::{Denial, Grants, OPEN_FOR, Refusal, to_json};
use crate::grant::code::Code;
use crate::log::masked;
use crate::state::Trouble;
use crate::state::time::Moment;
use serde::{Deserialize, Serialize};

pub(super) const FOLDER: &str = "open";

/// The longest summary.
const SUMMARY: usize = 240;

/// One denial in so many lets the old ones be swept.
const SWEEP_EACH: i64 = 64;

/// A denial, kept under its code.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Open {
    pub(super) key: String,
    /// Its code.
    pub code: String,
    /// When it was last met.
    pub time: Moment,
    /// Whose call it was.
    pub session: Option<String>,
    /// The agent host.
    pub host: Option<String>,
    /// Where the call starts.
    pub dir: String,
    /// The rules that spoke against it.
    pub rules: Vec<String>,
    /// The call in short, without secrets.
    pub summary: String,
}

impl Grants<'_> {
    /// Keeps a denial for a person to approve, and tells its code; `None` where no grant can help.
    pub fn record(
        &self,
        denial: &Denial<'_>,
        host: Option<&str>,
        now: Moment,
    ) -> Result<Option<Code>, Trouble> {
        let key = denial.key();
        let Some(code) = denial.code_of(key) else {
            return Ok(None);
        };
        let mut summary = masked(denial.text, SUMMARY);
        if summary.len() > SUMMARY {
            summary.truncate(summary.floor_char_boundary(SUMMARY));
            summary.push('…');
        }
        let open = Open {
            key: key.hex(),
            code: code.to_string(),
            time: now,
            session: denial.session.map(str::to_owned),
            host: host.map(str::to_owned),
            dir: denial.dir.to_string_lossy().into_owned(),
            rules: denial.rules().into_iter().map(str::to_owned).collect(),
            summary,
        };
        self.state
            .write(FOLDER, &name(&open.code), to_json(&open)?.as_bytes())?;
        if now.0.rem_euclid(SWEEP_EACH) == 0 {
            self.sweep(now);
        }
        Ok(Some(code))
    }

    /// The open denials of all sessions, newest first: a person numbers them from 1. What is older
    /// than a day is removed.
    pub fn open(&self, now: Moment) -> Result<Vec<Open>, Trouble> {
        let mut open = Vec::new();
        for name in self.state.names(FOLDER)? {
            let found = self.state.read(FOLDER, &name).ok().flatten();
            let found = found.and_then(|text| serde_json::from_str::<Open>(&text).ok());
            match found.filter(|o| name == self::name(&o.code)) {
                Some(found) if found.time.plus(OPEN_FOR) > now => open.push(found),
                Some(_) => drop(self.state.consume(FOLDER, &name)?),
                None => {}
            }
        }
        open.sort_by(|a, b| b.time.cmp(&a.time).then_with(|| a.code.cmp(&b.code)));
        self.sweep(now);
        Ok(open)
    }

    /// The open denial that `word` names: a code, or a number of the list.
    pub fn pick(&self, word: &str, now: Moment) -> Result<Open, Refusal> {
        let unknown = || Refusal::Unknown(word.to_owned());
        if let Some(code) = Code::parse(word) {
            let text = self
                .state
                .read(FOLDER, &name(code.as_str()))?
                .ok_or_else(unknown)?;
            let open: Open = serde_json::from_str(&text).map_err(|_| unknown())?;
            let holds = open.code == code.as_str() && open.time.plus(OPEN_FOR) > now;
            return if holds { Ok(open) } else { Err(unknown()) };
        }
        let number = word
            .parse::<usize>()
            .ok()
            .and_then(|n| n.checked_sub(1))
            .ok_or_else(unknown)?;
        self.open(now)?.into_iter().nth(number).ok_or_else(unknown)
    }
}

pub(super) fn name(code: &str) -> String {
    format!("{code}.json")
}
