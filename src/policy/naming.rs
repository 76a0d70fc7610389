//! How tickets and branches that are claimed have to be named, and where their worktrees are made.

use super::change::Change;
use super::ci::{Took, named};
use super::table::{KEYS, at};
use std::path::{Path, PathBuf};

/// The patterns; empty = any name.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Naming {
    /// Of tickets.
    pub ticket: String,
    /// Of branches.
    pub branch: String,
    /// Where worktrees are made; empty = beside the repository.
    pub root: String,
}

impl Naming {
    /// Takes one saying over; who is not `free` to loosen gives a pattern only where there is none.
    pub(super) fn take(&mut self, index: usize, pattern: &str, free: bool) -> Took {
        let slot = match index {
            at::LEASE_TICKETS => &mut self.ticket,
            at::WORKTREE_ROOT => &mut self.root,
            _ => &mut self.branch,
        };
        if pattern == slot && !free {
            return Took::Nothing;
        }
        if !free && !slot.is_empty() {
            return Took::Held(named(index, pattern));
        }
        pattern.clone_into(slot);
        Took::Changed
    }
}

impl Naming {
    /// The directory in which worktrees of the repository with the main checkout `main` are made:
    /// where policy says, else beside it (D5). `None` = that cannot be told.
    pub fn worktrees(&self, main: &Path, home: Option<&Path>) -> Option<PathBuf> {
        let (above, repo) = (main.parent()?, main.file_name()?.to_str()?);
        if self.root.is_empty() {
            return Some(above.join(format!("{repo}-worktrees")));
        }
        let root = self.root.replace("{repo}", repo);
        match root.strip_prefix("~/") {
            Some(below) => Some(home?.join(below)),
            None => Some(above.join(root)),
        }
    }
}

/// Everything that differs. Of two patterns none is known to be the stricter one.
pub(super) fn changes(before: &Naming, after: &Naming) -> Vec<Change> {
    let both = [
        (at::LEASE_TICKETS, &before.ticket, &after.ticket),
        (at::LEASE_BRANCHES, &before.branch, &after.branch),
        (at::WORKTREE_ROOT, &before.root, &after.root),
    ];
    let differ = both.into_iter().filter(|(_, from, to)| from != to);
    differ
        .map(|(index, from, to)| Change {
            name: KEYS.get(index).map_or("", |k| k.name).to_owned(),
            from: from.clone(),
            to: to.clone(),
            loosens: !from.is_empty(),
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    // D5
    #[test]
    fn worktrees_are_made_beside_the_repository_or_where_policy_says() {
        let (main, home) = (Path::new("/src/app"), Path::new("/home/u"));
        let at = |root: &str, home| {
            let naming = Naming {
                root: root.to_owned(),
                ..Naming::default()
            };
            let found = naming.worktrees(main, home);
            found.map(|path| path.to_string_lossy().into_owned())
        };
        for (root, path) in [
            ("", "/src/app-worktrees"),
            ("wt/{repo}", "/src/wt/app"),
            ("/fast/{repo}/x", "/fast/app/x"),
            ("~/wt/{repo}", "/home/u/wt/app"),
        ] {
            assert_eq!(at(root, Some(home)).as_deref(), Some(path));
        }
        assert_eq!(at("~/wt", None), None);
    }

    #[test]
    fn who_may_not_loosen_gives_a_pattern_only_where_there_is_none() {
        let mut naming = Naming::default();
        let mut take = |pattern, free| match naming.take(at::LEASE_TICKETS, pattern, free) {
            Took::Changed => "changed",
            Took::Nothing => "nothing",
            Took::Held(_) => "held",
        };
        assert_eq!(take("T-*", false), "changed");
        assert_eq!(take("T-*", false), "nothing");
        assert_eq!(take("*", false), "held");
        assert_eq!(take("", false), "held");
        assert_eq!(take("U-*", true), "changed");
        assert_eq!(naming.ticket, "U-*");
        assert_eq!(naming.branch, "");
        let after = Naming::default();
        let change = changes(&naming, &after);
        assert_eq!(change.len(), 1);
        assert!(change.iter().all(|c| c.loosens && c.to.is_empty()));
        assert!(changes(&after, &naming).iter().all(|c| !c.loosens));
    }
}
