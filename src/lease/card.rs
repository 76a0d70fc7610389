//! What the look before a call needs of a record, read in one pass where the record stands as this build writes it.
//!
//! Whatever stands otherwise, such as fields of somebody else's, is left to the full reader: a card
//! that is read is the one that the full reader's claim would give.

use super::record::{Claim, SCHEMA};
use super::words::Role;
use crate::state::time::Moment;
use std::path::{Path, PathBuf};

/// The part of a claim that tells whether it is the asker's own, and what it allows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Card<'a> {
    /// The claim's name.
    pub claim_id: &'a str,
    /// The top of its checkout.
    pub top: &'a Path,
    /// Its branch.
    pub branch: Option<&'a str>,
    /// The boot of its owner.
    pub boot: &'a str,
    /// The space in which the owner's process id counts.
    pub pid_space: &'a str,
    /// The owner's process.
    pub pid: Option<u32>,
    /// When that process started, as it is written.
    pub start: Option<&'a str>,
    /// The sessions that the owner has been.
    pub sessions: Vec<&'a str>,
    /// The subagent whose own claim it is.
    pub agent: Option<&'a str>,
    /// What the holder may do.
    pub role: &'a str,
    /// How long it holds after a sign of life, in seconds.
    pub ttl: u64,
    /// The last sign of life in the record.
    pub seen: Moment,
    /// Where the holder may write; empty = everywhere.
    pub paths: Vec<&'a str>,
}

/// What the holder of a claim may do there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Own {
    /// Its role, as a word.
    pub role: String,
    /// Whether that role writes.
    pub writes: bool,
    /// Where it may write, as patterns below the checkout; empty = everywhere.
    pub paths: Vec<String>,
    /// The branch that it names.
    pub branch: Option<String>,
    /// The top of its checkout.
    pub top: PathBuf,
}

impl<'a> Card<'a> {
    /// The card of a claim.
    pub fn of(claim: &'a Claim) -> Card<'a> {
        let owner = &claim.owner;
        Card {
            claim_id: &claim.claim_id,
            top: &claim.checkout.path,
            branch: claim.branch.as_deref(),
            boot: &owner.boot_id,
            pid_space: &owner.pid_ns,
            pid: owner.pid,
            start: owner.start_ticks.as_deref(),
            sessions: owner.session_ids.iter().map(String::as_str).collect(),
            agent: owner.agent_id.as_deref(),
            role: claim.role.word(),
            ttl: claim.lease.ttl_secs,
            seen: claim.lease.last_heartbeat_utc,
            paths: claim.allowed_paths.iter().map(String::as_str).collect(),
        }
    }

    /// Reads a record that stands exactly as this build writes one; `None` = ask the full reader.
    pub fn read(bytes: &'a [u8]) -> Option<Card<'a>> {
        let mut at = Text {
            all: std::str::from_utf8(bytes).ok()?,
            at: 0,
        };
        at.mark("{\n  \"schema\": ")?;
        (at.number()? == SCHEMA).then_some(())?;
        let claim_id = at.string_after(",\n  \"claimId\": \"")?;
        at.number_after(",\n  \"epoch\": ")?;
        at.number_after(",\n  \"rev\": ")?;
        at.string_after(",\n  \"kind\": \"")?;
        at.mark(",\n  \"repo\": {")?;
        at.string_after("\n    \"id\": \"")?;
        at.string_after(",\n    \"commonDir\": \"")?;
        at.maybe_after(",\n    \"originUrl\": ")?;
        at.mark("\n  },\n  \"checkout\": {")?;
        at.string_after("\n    \"id\": \"")?;
        at.string_after(",\n    \"made\": \"")?;
        let top = at.string_after(",\n    \"path\": \"")?;
        at.string_after(",\n    \"gitDir\": \"")?;
        at.mark(",\n    \"isMain\": ")?;
        at.truth()?;
        at.mark(",\n    \"provisioned\": ")?;
        at.strings("\n      \"", "\n    ]")?;
        at.mark("\n  }")?;
        let branch = at.maybe_after(",\n  \"branch\": ")?;
        at.maybe_after(",\n  \"baseSha\": ")?;
        at.maybe_after(",\n  \"ticket\": ")?;
        at.maybe_after(",\n  \"lane\": ")?;
        at.maybe_after(",\n  \"planId\": ")?;
        at.mark(",\n  \"owner\": {")?;
        at.string_after("\n    \"installId\": \"")?;
        at.string_after(",\n    \"hostName\": \"")?;
        at.string_after(",\n    \"machineIdHash\": \"")?;
        let boot = at.string_after(",\n    \"bootId\": \"")?;
        let pid_space = at.string_after(",\n    \"pidNs\": \"")?;
        at.mark(",\n    \"pid\": ")?;
        let pid = match at.mark("null") {
            Some(()) => None,
            None => Some(u32::try_from(at.number()?).ok()?),
        };
        let start = at.maybe_after(",\n    \"startTicks\": ")?;
        at.maybe_after(",\n    \"exe\": ")?;
        at.mark(",\n    \"oneSession\": ")?;
        at.truth()?;
        at.mark(",\n    \"sessionIds\": ")?;
        let sessions = at.strings("\n      \"", "\n    ]")?;
        let agent = at.maybe_after(",\n    \"agentId\": ")?;
        at.maybe_after(",\n    \"holder\": ")?;
        at.maybe_after(",\n    \"label\": ")?;
        at.mark("\n  }")?;
        at.maybe_after(",\n  \"harness\": ")?;
        at.maybe_after(",\n  \"model\": ")?;
        let role = at.string_after(",\n  \"role\": \"")?;
        at.string_after(",\n  \"state\": \"")?;
        at.mark(",\n  \"flags\": ")?;
        at.strings("\n    \"", "\n  ]")?;
        at.mark(",\n  \"lease\": {")?;
        at.string_after("\n    \"mode\": \"")?;
        let ttl = at.number_after(",\n    \"ttlSecs\": ")?;
        Moment::parse(at.string_after(",\n    \"claimedUtc\": \"")?)?;
        let seen = Moment::parse(at.string_after(",\n    \"lastHeartbeatUtc\": \"")?)?;
        if let Some(expires) = at.maybe_after(",\n    \"expiresUtc\": ")? {
            Moment::parse(expires)?;
        }
        at.mark("\n  },\n  \"allowedPaths\": ")?;
        let paths = at.strings("\n    \"", "\n  ]")?;
        at.mark(",\n  \"prev\": ")?;
        if at.mark("null").is_none() {
            at.string_after("{\n    \"claimId\": \"")?;
            at.number_after(",\n    \"epoch\": ")?;
            at.string_after(",\n    \"how\": \"")?;
            at.mark("\n  }")?;
        }
        (at.left() == b"\n}\n").then_some(Card {
            claim_id,
            top: Path::new(top),
            branch,
            boot,
            pid_space,
            pid,
            start,
            sessions,
            agent,
            role,
            ttl,
            seen,
            paths,
        })
    }

    /// What its holder may do.
    pub fn own(&self) -> Own {
        Own {
            role: self.role.to_owned(),
            writes: Role::of(self.role).writes(),
            paths: self.paths.iter().map(|p| (*p).to_owned()).collect(),
            branch: self.branch.map(str::to_owned),
            top: self.top.to_owned(),
        }
    }
}

/// The bytes that stand for themselves in a string.
const PLAIN: [bool; 256] = plain();

const fn plain() -> [bool; 256] {
    let mut all = [true; 256];
    let mut rest: &mut [bool] = &mut all;
    let mut byte = 0_u32;
    while let Some((first, after)) = rest.split_first_mut() {
        *first = byte >= b' ' as u32 && byte != b'"' as u32 && byte != b'\\' as u32;
        byte = byte.wrapping_add(1);
        rest = after;
    }
    all
}

/// A text, and how far it is read.
struct Text<'a> {
    all: &'a str,
    at: usize,
}

impl<'a> Text<'a> {
    fn left(&self) -> &'a [u8] {
        self.all.as_bytes().get(self.at..).unwrap_or_default()
    }

    fn mark(&mut self, mark: &str) -> Option<()> {
        let there = self.left().starts_with(mark.as_bytes());
        there.then(|| self.at = self.at.saturating_add(mark.len()))
    }

    /// The rest of a string in which nothing is escaped, its opening quote read.
    fn string(&mut self) -> Option<&'a str> {
        let (from, mut at) = (self.at, self.at);
        let bytes = self.all.as_bytes();
        while PLAIN.get(usize::from(*bytes.get(at)?)) == Some(&true) {
            at = at.wrapping_add(1);
        }
        (bytes.get(at) == Some(&b'"')).then_some(())?;
        self.at = at.wrapping_add(1);
        self.all.get(from..at)
    }

    /// A string behind a mark that ends with its opening quote.
    fn string_after(&mut self, mark: &str) -> Option<&'a str> {
        self.mark(mark)?;
        self.string()
    }

    /// A string or `null`.
    fn maybe_after(&mut self, mark: &str) -> Option<Option<&'a str>> {
        self.mark(mark)?;
        if self.left().first() == Some(&b'n') {
            return self.mark("null").map(|()| None);
        }
        self.string_after("\"").map(Some)
    }

    fn number_after(&mut self, mark: &str) -> Option<u64> {
        self.mark(mark)?;
        self.number()
    }

    fn number(&mut self) -> Option<u64> {
        let (mut digits, mut number) = (0_usize, 0_u64);
        for byte in self.left() {
            let Some(digit) = byte.checked_sub(b'0').filter(|digit| *digit < 10) else {
                break;
            };
            // None that JSON would not take.
            (digits == 0 || number > 0).then_some(())?;
            number = number.checked_mul(10)?.checked_add(u64::from(digit))?;
            digits = digits.saturating_add(1);
        }
        self.at = self.at.saturating_add(digits);
        (digits > 0).then_some(number)
    }

    fn truth(&mut self) -> Option<()> {
        self.mark("true").or_else(|| self.mark("false"))
    }

    /// Strings in a list, each after `before` and the last one before `end`.
    fn strings(&mut self, before: &str, end: &str) -> Option<Vec<&'a str>> {
        if self.mark("[]").is_some() {
            return Some(Vec::new());
        }
        self.mark("[")?;
        let mut all = Vec::with_capacity(1);
        loop {
            all.push(self.string_after(before)?);
            match self.mark(",") {
                Some(()) => {}
                None => break,
            }
        }
        self.mark(end)?;
        Some(all)
    }
}
