//! Whether git is in the middle of something of several steps.

use super::World;
use super::repo::under;
use super::spot::Site;
use crate::action::Place;

/// What git keeps while it is at it, in the checkout's own git directory.
const MARKS: &[(&str, &str)] = &[
    ("rebase-merge", "a rebase"),
    ("rebase-apply", "a rebase or `am`"),
    ("MERGE_HEAD", "a merge"),
    ("CHERRY_PICK_HEAD", "a cherry-pick"),
    ("REVERT_HEAD", "a revert"),
    ("sequencer", "a cherry-pick or revert"),
    ("BISECT_LOG", "a bisect"),
];

impl World {
    /// What git has begun at `place` and not ended, such as `a rebase`.
    pub fn busy(&self, place: &Place) -> Option<&'static str> {
        let Site::Here(repo) = self.site(self.scene.live.first()?, place) else {
            return None;
        };
        let there = |name: &str| std::fs::symlink_metadata(under(&repo.git_dir, name)).is_ok();
        MARKS
            .iter()
            .find(|(name, _)| there(name))
            .map(|(_, what)| *what)
    }
}
