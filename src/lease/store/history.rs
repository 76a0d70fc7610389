//! The last claims of checkouts, kept as long as they may be asked for and no longer.
//!
//! A checkout that is still there keeps its last claim, from which the next one counts on.

use super::disk::{Folder, remove};
use super::quarantine;
use crate::state::time::Moment;
use std::fs;
use std::path::PathBuf;
use std::time::Duration;

/// How long the last claim of a checkout that is gone is kept.
const STAYS: Duration = Duration::from_secs(30 * 86_400);

/// How many claims are kept; of checkouts that are gone the oldest make way.
pub(super) const MOST: usize = 200;

/// Removes what is too old or too much. Best effort: what cannot be looked at stays.
pub(super) fn sweep(folder: &Folder, now: Moment) {
    let Ok(entries) = fs::read_dir(folder.root.join("retired")) else {
        return;
    };
    let dated = |entry: fs::DirEntry| {
        let written = entry.metadata().and_then(|m| m.modified()).ok()?;
        Some((Moment::of(written), entry.path()))
    };
    let mut all: Vec<(Moment, PathBuf)> = entries.flatten().filter_map(dated).collect();
    all.sort_unstable();
    let mut many = all.len();
    for (written, path) in all {
        let old = written.plus(STAYS) < now;
        if (old || many > MOST) && gone(&path) && remove(&path).is_ok() {
            many = many.saturating_sub(1);
        }
    }
}

/// Whether the checkout of a record is surely not there any more.
fn gone(record: &std::path::Path) -> bool {
    let slot = quarantine::read(record);
    slot.claim().is_some_and(|claim| {
        let found = fs::symlink_metadata(&claim.checkout.git_dir);
        found.is_err_and(|e| e.kind() == std::io::ErrorKind::NotFound)
    })
}
