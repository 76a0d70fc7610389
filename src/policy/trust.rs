//! Trust in a project's policy: a person says yes to its exact content.

use super::change::{Change, changes};
use super::files::{self, Source};
use super::places::{Places, below};
use super::{layer, read};
use std::fmt;
use std::path::{Path, PathBuf};

/// What stands at the head of a record.
const MAGIC: &str = "leaseguard trust 1";

/// Where the record of the repository at `repo` is kept.
pub(super) fn record_path(state: &Path, repo: &Path) -> PathBuf {
    let hash = fnv(repo.as_os_str().as_encoded_bytes());
    let digit = |at: u32| char::from_digit(((hash >> (at * 4)) & 15) as u32, 16);
    let mut record = String::with_capacity("trust/".len() + 16);
    record.push_str("trust/");
    record.extend((0..16).rev().filter_map(digit));
    below(state, &record)
}

/// The name of a record need not be secret, only short; the path itself stands in the record.
fn fnv(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3)
    })
}

/// The record: whose it is, and the trusted text to the byte.
fn encode(text: &str, repo: &Path) -> String {
    format!("{MAGIC}\n{:?}\n{text}", repo.as_os_str())
}

/// The trusted text; `None` when the record is another repository's.
pub(super) fn decode(mut record: String, repo: &Path) -> Result<Option<String>, &'static str> {
    let head = encode("", repo);
    if record.starts_with(&head) {
        return Ok(Some(record.split_off(head.len())));
    }
    if record.starts_with(MAGIC) && record.lines().count() >= 2 {
        return Ok(None);
    }
    Err("is damaged; run `leaseguard trust` again")
}

/// What trust would change.
#[derive(Debug, Clone)]
pub struct Preview {
    /// The file that would be trusted.
    pub file: PathBuf,
    /// What stands in it: exactly this is trusted.
    pub text: String,
    /// What would be otherwise than now.
    pub changes: Vec<Change>,
}

/// Why a project's policy cannot be trusted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CannotTrust {
    /// There is no project policy here.
    Nothing,
    /// It is broken; what is wrong.
    Broken(Vec<String>),
    /// There is no place to remember it.
    NoState,
    /// The record cannot be written; where, and why.
    Unwritable(PathBuf, String),
}

impl fmt::Display for CannotTrust {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CannotTrust::Nothing => write!(
                f,
                "there is no `{}` at the top of this repository",
                Places::PROJECT
            ),
            CannotTrust::Broken(what) => f.write_str(&what.join("; ")),
            CannotTrust::NoState => {
                f.write_str("there is no state directory: set `HOME` or `XDG_STATE_HOME`")
            }
            CannotTrust::Unwritable(path, why) => {
                write!(f, "`{}` cannot be written: {why}", path.display())
            }
        }
    }
}

impl std::error::Error for CannotTrust {}

/// What trusting the project's policy as it is now would change.
pub fn preview(places: &Places) -> Result<Preview, CannotTrust> {
    let mut found = files::read(places);
    let before = layer::merge(&found, places);
    let text = match &found.project {
        Source::Missing => return Err(CannotTrust::Nothing),
        Source::Broken(what) => return Err(CannotTrust::Broken(vec![what.clone()])),
        Source::Text {
            name,
            doubt: Some(why),
            ..
        } => {
            return Err(CannotTrust::Broken(vec![format!("{name}: {why}")]));
        }
        Source::Text {
            name,
            text,
            doubt: None,
        } => {
            let troubles = read::sheet(text, places.rules, false).troubles;
            if !troubles.is_empty() {
                let told = troubles.iter().map(|t| format!("{name}: {t}"));
                return Err(CannotTrust::Broken(told.collect()));
            }
            text.clone()
        }
    };
    found.trusted = found.project.clone();
    let after = layer::merge(&found, places);
    Ok(Preview {
        file: places
            .project_file
            .unwrap_or(Path::new(Places::PROJECT))
            .to_owned(),
        text,
        changes: changes(&before, &after, places.rules),
    })
}

/// Trusts what a person was shown, and nothing that was written since.
pub fn trust(places: &Places, shown: &Preview) -> Result<(), CannotTrust> {
    let (record, repo) = record(places)?;
    write(&record, &encode(&shown.text, repo))
}

/// Forgets what was trusted here; the project's policy only tightens from now on.
pub fn forget(places: &Places) -> Result<(), CannotTrust> {
    let (record, _) = record(places)?;
    files::remove(&record).map_err(|e| CannotTrust::Unwritable(record, e.to_string()))
}

fn record<'a>(places: &Places<'a>) -> Result<(PathBuf, &'a Path), CannotTrust> {
    let state = places.state_dir.ok_or(CannotTrust::NoState)?;
    let repo = places.identity().ok_or(CannotTrust::Nothing)?;
    Ok((record_path(state, repo), repo))
}

fn write(record: &Path, text: &str) -> Result<(), CannotTrust> {
    files::write(record, text)
        .map_err(|e| CannotTrust::Unwritable(record.to_owned(), e.to_string()))
}
