//! Puts a record that cannot be read aside, and leaves a stone in its place that keeps the checkout held.

use super::disk::{Folder, read as read_file};
use crate::lease::error::Refusal;
use crate::lease::record::{Claim, Slot};
use crate::state::files::reason;
use crate::state::time::Moment;
use serde::{Deserialize, Serialize};
use std::fs;
use std::io::ErrorKind;
use std::path::Path;

/// What stands where a broken record stood.
#[derive(Serialize, Deserialize)]
struct Stone {
    schema: u64,
    quarantined: String,
}

/// What is at `path`.
pub(super) fn read(path: &Path) -> Slot {
    let bytes = match read_file(path) {
        Ok(bytes) => bytes,
        Err(e) if e.kind() == ErrorKind::NotFound => return Slot::Free,
        Err(e) => return Slot::Corrupt(format!("`{}`: {}", path.display(), reason(&e))),
    };
    match Claim::read(&bytes) {
        Slot::Corrupt(why) => Slot::Corrupt(match serde_json::from_slice::<Stone>(&bytes) {
            Ok(stone) => format!("it was put aside as `{}`", stone.quarantined),
            Err(_) => format!("`{}`: {why}", path.display()),
        }),
        slot => slot,
    }
}

/// Puts the broken record of `checkout` aside; at no moment does the checkout look free.
pub(super) fn put_aside(folder: &Folder, checkout: &str, now: Moment) -> Result<(), Refusal> {
    let path = folder.claim(checkout);
    let stone = read_file(&path).is_ok_and(|b| serde_json::from_slice::<Stone>(&b).is_ok());
    if stone || !fs::symlink_metadata(&path).is_ok_and(|m| m.is_file()) {
        return Ok(());
    }
    let time = now.to_string().replace(':', "");
    let aside = folder
        .claims()
        .join(format!("{checkout}.json.corrupt-{time}"));
    // Where the file system has no second names, a copy does.
    if fs::hard_link(&path, &aside).is_err() && fs::copy(&path, &aside).is_err() {
        return Ok(());
    }
    let stone = Stone {
        schema: crate::lease::record::SCHEMA,
        quarantined: aside.to_string_lossy().into_owned(),
    };
    let bytes = serde_json::to_vec_pretty(&stone).unwrap_or_default();
    folder.put(&path, bytes, true)
}
