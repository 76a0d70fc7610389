//! Claims of other machines, whose processes nobody here can look at.

use super::World;
use crate::action::Place;
use crate::lease::watch::{Told, Watch};

impl World {
    /// Whether the claim of `told` is another machine's that is over and rests; see [`Watch`].
    pub fn over_elsewhere(&self, told: &Told) -> bool {
        let at = Place {
            dir: Some(told.top.clone()),
            ..Place::default()
        };
        let over = |watch: &Watch| {
            let dirs = self.dirs(&at)?;
            Some(watch.over_elsewhere(&dirs.git_dir, &dirs.common))
        };
        self.watch().and_then(over).unwrap_or(false)
    }
}
