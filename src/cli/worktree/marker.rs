//! What `worktree add` leaves in the git directory of a worktree: whose ticket it is for, and from where it came (R59, R150).

use serde::{Deserialize, Serialize};
use std::path::Path;

/// The file.
const NAME: &str = "leaseguard.json";

/// What it says.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct Marker {
    /// The ticket.
    pub(super) ticket: String,
    /// The branch that was made.
    pub(super) branch: String,
    /// The commit that it was made from.
    pub(super) base_sha: String,
    /// Links into the main checkout.
    pub(super) provisioned: Vec<String>,
}

impl Marker {
    /// The one in `git_dir`.
    pub(super) fn read(git_dir: &Path) -> Option<Marker> {
        let text = std::fs::read_to_string(git_dir.join(NAME)).ok()?;
        serde_json::from_str(&text).ok()
    }

    /// Writes it.
    pub(super) fn write(&self, git_dir: &Path) -> std::io::Result<()> {
        let text = serde_json::to_string_pretty(self).unwrap_or_default();
        std::fs::write(git_dir.join(NAME), text + "\n")
    }
}
