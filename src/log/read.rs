//! Reads the log back: all its files, oldest line first, torn lines skipped and counted.

use super::{FILE, aside, line};
use crate::state::time::{Moment, shown_span};
use crate::state::{State, Trouble};
use serde::{Deserialize, Serialize};
use std::fs::{File, Metadata};
use std::io::{BufRead, BufReader, ErrorKind};
use std::path::{Path, PathBuf};

/// More files than any setting keeps.
pub(super) const MOST_FILES: u32 = 100;

/// A line longer than this was not written by us.
const MOST_LINE: usize = 64 * 1024;

/// One line, read back.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Record {
    /// When.
    pub time: Moment,
    /// The version of the keys.
    pub v: u32,
    /// See [`super::Entry::kind`].
    #[serde(default)]
    pub kind: String,
    /// The agent host.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub host: Option<String>,
    /// The session.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// The subagent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
    /// Where it would have started.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cwd: Option<String>,
    /// The repository.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub repository: Option<String>,
    /// `allow`, `ask` or `deny`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub decision: Option<String>,
    /// The rules.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub rules: Vec<String>,
    /// What would happen.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub effects: Vec<String>,
    /// Why leaseguard could not judge.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fault: Option<String>,
    /// The code of the denial.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub code: Option<String>,
    /// The claim.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub claim: Option<String>,
    /// The lane.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lane: Option<String>,
    /// How long judging took.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub duration_us: Option<u64>,
    /// The command, as kept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub command: Option<String>,
}

impl Record {
    /// Reads one line; a line behind the rest of a torn one is found by how it starts.
    pub fn parse(text: &str) -> Option<Record> {
        let whole = serde_json::from_str(text).ok();
        whole.or_else(|| {
            // Quotes within a text are escaped, so this cannot be one.
            let at = text.rfind(line::START).filter(|at| *at > 0)?;
            serde_json::from_str(text.get(at..)?).ok()
        })
    }

    /// One line for people; `now` turns the time into an age.
    pub fn shown(&self, now: Moment) -> String {
        let what = self.decision.as_deref().filter(|_| self.kind == "decision");
        let mut out = format!(
            "{:>6} ago  {:<8}",
            shown_span(self.time.age(now)),
            what.unwrap_or(&self.kind)
        );
        let rules = if self.rules.is_empty() {
            self.fault.clone()
        } else {
            Some(self.rules.join(" "))
        };
        for part in [
            rules.as_ref(),
            self.command.as_ref().or_else(|| self.effects.first()),
        ]
        .into_iter()
        .flatten()
        {
            out.push_str("  ");
            // A stored text may hold what moves a terminal's cursor.
            out.extend(part.chars().map(|c| if c.is_control() { ' ' } else { c }));
        }
        out
    }
}

/// Which lines are wanted.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Filter {
    /// Not before this.
    pub since: Option<Moment>,
    /// This rule, or all of a family: `git/`.
    pub rule: Option<String>,
    /// Sessions whose id starts so.
    pub session: Option<String>,
    /// Only what happened to claims.
    pub leases: bool,
}

impl Filter {
    /// Reads `--since`: a span (`2h`) before `now`, or a time.
    pub fn since(text: &str, now: Moment) -> Option<Moment> {
        crate::state::time::parse_span(text)
            .map(|span| now.minus(span))
            .or_else(|| Moment::parse(text))
    }

    /// Whether `record` is wanted.
    pub fn takes(&self, record: &Record) -> bool {
        let rule = |wanted: &String| {
            let family = wanted.ends_with('/');
            record
                .rules
                .iter()
                .any(|r| r == wanted || (family && r.starts_with(wanted.as_str())))
        };
        let session = |wanted: &String| {
            record
                .session
                .as_ref()
                .is_some_and(|s| s.starts_with(wanted.as_str()))
        };
        let lease = record.claim.is_some() || record.kind == "lease-mode";
        (!self.leases || lease)
            && self.since.is_none_or(|since| record.time >= since)
            && self.rule.as_ref().is_none_or(rule)
            && self.session.as_ref().is_none_or(session)
    }
}

/// What reading came upon.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Seen {
    /// Lines that were handed out.
    pub taken: u64,
    /// Lines that are no record.
    pub garbage: u64,
}

/// Reads what is there.
#[derive(Debug)]
pub struct Reader {
    files: Vec<File>,
}

impl Reader {
    /// Opens all files. A log that is not there is an empty one.
    pub fn open(state: &State) -> Result<Reader, Trouble> {
        let path = state.dir().join(FILE);
        let mut files: Vec<File> = Vec::new();
        let mut met = Vec::new();
        // From the newest on, so that a file put aside meanwhile is met twice rather than missed.
        for number in 0..=MOST_FILES {
            let path = numbered(&path, number);
            // A number may be missing while files are put aside.
            if !std::fs::metadata(&path).is_ok_and(|m| m.is_file()) {
                continue;
            }
            match File::open(&path) {
                Ok(file) => {
                    let identity = file.metadata().ok().map(|m| identity(&m));
                    if identity.is_none() || !met.contains(&identity) {
                        met.push(identity);
                        files.push(file);
                    }
                }
                Err(e) if e.kind() == ErrorKind::NotFound => {}
                Err(e) => return Err(Trouble::at("read", &path, &e)),
            }
        }
        files.reverse();
        Ok(Reader { files })
    }

    /// Hands out every wanted line with its record, oldest first.
    pub fn each(self, filter: &Filter, mut take: impl FnMut(&Record)) -> Result<Seen, Trouble> {
        let mut seen = Seen::default();
        for file in self.files {
            let written = file.metadata().and_then(|m| m.modified()).map(Moment::of);
            if let (Some(since), Ok(written)) = (filter.since, written)
                && written < since
            {
                continue;
            }
            let mut reader = BufReader::with_capacity(1 << 16, file);
            let mut bytes = Vec::new();
            loop {
                bytes.clear();
                let more = reader.read_until(b'\n', &mut bytes);
                match more {
                    Ok(0) => break,
                    Ok(_) => judge(&bytes, filter, &mut seen, &mut take),
                    Err(e) => {
                        return Err(Trouble(format!(
                            "cannot read the log: {}",
                            crate::state::files::reason(&e)
                        )));
                    }
                }
            }
        }
        Ok(seen)
    }

    /// All wanted records.
    pub fn all(self, filter: &Filter) -> Result<(Vec<Record>, Seen), Trouble> {
        let mut records = Vec::new();
        let seen = self.each(filter, |record| records.push(record.clone()))?;
        Ok((records, seen))
    }
}

/// Takes one line as it was read.
pub(super) fn judge(
    bytes: &[u8],
    filter: &Filter,
    seen: &mut Seen,
    take: &mut impl FnMut(&Record),
) {
    let text = String::from_utf8_lossy(bytes.get(..MOST_LINE).unwrap_or(bytes));
    let text = text.trim_matches(['\n', '\r', '\0', ' ']);
    if text.is_empty() {
        return;
    }
    match Record::parse(text) {
        Some(record) if filter.takes(&record) => {
            seen.taken += 1;
            take(&record);
        }
        Some(_) => {}
        None => seen.garbage += 1,
    }
}

/// The current file, or the one put aside under `number`.
pub(super) fn numbered(path: &Path, number: u32) -> PathBuf {
    if number == 0 {
        path.to_owned()
    } else {
        aside(path, number)
    }
}

/// What tells one file from another.
#[cfg(unix)]
pub(super) fn identity(found: &Metadata) -> (u64, u64) {
    use std::os::unix::fs::MetadataExt;
    (found.dev(), found.ino())
}

/// What tells one file from another: when it was made.
#[cfg(not(unix))]
pub(super) fn identity(found: &Metadata) -> (u64, u64) {
    let made = found.created().map_or(0, |t| Moment::of(t).0);
    (0, made.unsigned_abs())
}
