//! Reads a plan's `status.json` from the disk, whole and within bounds.

use super::status::Status;
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::Path;

/// The longest file that is read, in bytes.
const MOST: u64 = 4 * 1024 * 1024;

/// What the file turned out to be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Plan {
    /// There is none: no plan is kept there.
    Missing,
    /// It cannot be read, and why; what it holds is unknown, and never nothing.
    Unreadable(String),
    /// It was read.
    Read(Status),
}

/// Reads the file at `path`. Takes no lock: who writes it replaces it whole (R88).
pub fn read(path: &Path) -> Plan {
    match bytes(path) {
        Ok(None) => Plan::Missing,
        Err(why) => Plan::Unreadable(why),
        Ok(Some(text)) => Status::parse(&text).map_or_else(Plan::Unreadable, Plan::Read),
    }
}

fn bytes(path: &Path) -> Result<Option<Vec<u8>>, String> {
    let reason = |e: io::Error| e.to_string();
    // Looked at first: opening a pipe would wait for a writer.
    let found = match fs::metadata(path) {
        Ok(found) => found,
        Err(e) if e.kind() == io::ErrorKind::NotFound => {
            return match fs::symlink_metadata(path) {
                Ok(_) => Err("it is a link to nothing".to_owned()),
                Err(_) => Ok(None),
            };
        }
        Err(e) => return Err(reason(e)),
    };
    if !found.is_file() {
        return Err("it is no regular file".to_owned());
    }
    let mut text = Vec::new();
    let file = File::open(path).map_err(reason)?;
    file.take(MOST.saturating_add(1))
        .read_to_end(&mut text)
        .map_err(reason)?;
    match u64::try_from(text.len()) {
        Ok(length) if length <= MOST => Ok(Some(text)),
        _ => Err("it is longer than 4 MiB".to_owned()),
    }
}
