//! Denials that a person may still approve.

use super::{Denial, Grants, OPEN_FOR, Refusal};
use crate::grant::code::Code;
use crate::log::{masked, quote};
use crate::state::Trouble;
use crate::state::key::Key;
use crate::state::time::Moment;
use serde::Deserialize;

pub(super) const FOLDER: &str = "open";

/// The longest summary.
const SUMMARY: usize = 240;

/// One denial in so many lets the old ones be swept.
const SWEEP_EACH: i64 = 64;

/// A denial, kept under its code.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
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

/// A denial that a person may approve.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Kept {
    /// Its code.
    pub code: Code,
    /// The call without its secrets, where it is short enough to be kept whole.
    pub shown: Option<String>,
}

/// A denial as it is written.
struct Written<'a> {
    key: &'a str,
    code: &'a str,
    time: Moment,
    session: Option<&'a str>,
    host: Option<&'a str>,
    dir: &'a str,
    rules: &'a [&'a str],
    summary: &'a str,
}

impl Written<'_> {
    /// As it is kept. Every denial writes one, so it is put together by hand.
    fn json(&self) -> String {
        let mut out = String::with_capacity(512);
        out.push_str("{\"key\":");
        quote(self.key, &mut out);
        out.push_str(",\"code\":");
        quote(self.code, &mut out);
        out.push_str(",\"time\":\"");
        self.time.push(&mut out);
        out.push('"');
        for (key, text) in [(",\"session\":", self.session), (",\"host\":", self.host)] {
            out.push_str(key);
            match text {
                Some(text) => quote(text, &mut out),
                None => out.push_str("null"),
            }
        }
        out.push_str(",\"dir\":");
        quote(self.dir, &mut out);
        out.push_str(",\"rules\":[");
        for (at, rule) in self.rules.iter().enumerate() {
            out.push_str(if at > 0 { "," } else { "" });
            quote(rule, &mut out);
        }
        out.push_str("],\"summary\":");
        quote(self.summary, &mut out);
        out.push('}');
        out
    }
}

impl Grants<'_> {
    /// Keeps a denial for a person to approve, and tells its code; `None` where no grant can help.
    pub fn record(
        &self,
        denial: &Denial<'_>,
        host: Option<&str>,
        now: Moment,
    ) -> Result<Option<Code>, Trouble> {
        let kept = self.record_as(denial, denial.key(), host, now)?;
        Ok(kept.map(|kept| kept.code))
    }

    /// The same for a denial whose key is known.
    pub(super) fn record_as(
        &self,
        denial: &Denial<'_>,
        key: Key,
        host: Option<&str>,
        now: Moment,
    ) -> Result<Option<Kept>, Trouble> {
        let Some(code) = denial.code_of(key) else {
            return Ok(None);
        };
        let mut summary = masked(denial.text, SUMMARY);
        let whole = denial.text.len().max(summary.len()) <= SUMMARY;
        if summary.len() > SUMMARY {
            summary.truncate(summary.floor_char_boundary(SUMMARY));
            summary.push('…');
        }
        let written = Written {
            key: &key.hex(),
            code: code.as_str(),
            time: now,
            session: denial.session,
            host,
            dir: &denial.dir.to_string_lossy(),
            rules: &denial.rules(),
            summary: &summary,
        };
        self.state
            .write(FOLDER, &name(code.as_str()), written.json().as_bytes())?;
        if now.0.rem_euclid(SWEEP_EACH) == 0 {
            self.sweep(now);
        }
        let shown = whole.then_some(summary);
        Ok(Some(Kept { code, shown }))
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
    [code, ".json"].concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_reads_back_as_it_was() {
        let summary = "x".repeat(9000) + "\"…";
        let full = Written {
            key: "k",
            code: "abc234",
            time: Moment(1_764_500_000_123),
            session: Some("s\"\\\n"),
            host: Some("claude"),
            dir: "/a b/\u{7f}\u{1}ä",
            rules: &["git/a", "git/b"],
            summary: &summary,
        };
        let bare = Written {
            session: None,
            host: None,
            rules: &[],
            summary: "",
            ..full
        };
        for written in [full, bare] {
            let read: Open = serde_json::from_str(&written.json()).unwrap();
            let own = |text: Option<&str>| text.map(str::to_owned);
            let expected = Open {
                key: written.key.to_owned(),
                code: written.code.to_owned(),
                time: written.time,
                session: own(written.session),
                host: own(written.host),
                dir: written.dir.to_owned(),
                rules: written.rules.iter().map(|r| (*r).to_owned()).collect(),
                summary: written.summary.to_owned(),
            };
            assert_eq!(read, expected);
        }
    }
}
