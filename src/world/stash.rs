//! Stash entries, read from their log, and what the script has done to them so far.

use super::refs::tail;
use super::repo::{REFTABLE, Repo};
use super::scene::Alternative;
use super::spot::Site;
use super::{Fact, World};
use crate::action::Place;
use crate::shell::Word;
use std::path::PathBuf;

/// Who made an entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Stasher {
    /// This call.
    Call,
    /// Whoever was on this branch.
    Branch(String),
    /// Somebody on no branch.
    Detached,
}

/// One entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StashEntry {
    /// Who made it.
    pub by: Stasher,
    /// Its message, as `stash list` shows it.
    pub text: String,
    /// Its number before this call; `None` where this call made it.
    pub at: Option<usize>,
    /// This call has put its changes back into a checkout.
    pub applied: bool,
}

/// All entries at a point of the script.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Stash {
    /// The newest first.
    pub entries: Vec<StashEntry>,
    /// An earlier `stash` of this call finds nothing to put away.
    pub empty_push: bool,
    /// An earlier `stash` of this call may find nothing, and why that is not known.
    pub doubt: Option<String>,
}

/// What a script did to the stash.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum StashStep {
    /// A push in the checkout with this git directory and top.
    Pushed(PathBuf, Option<PathBuf>, bool),
    /// This entry is gone, and its changes are in the checkout if the second is true.
    Taken(usize, bool),
    /// The changes of this entry are in the checkout, and it is still there.
    Applied(usize),
    /// All are gone.
    Cleared,
}

impl World {
    /// The stash at `place`, one for each way that the script can take. Whether a `stash` of this
    /// call finds anything is looked up where older entries are there, or where `sure` wants it.
    pub fn stashes(&self, place: &Place, sure: bool) -> Fact<Vec<Stash>> {
        let mut all = Vec::new();
        for alternative in &self.scene.live {
            match self.site(alternative, place) {
                Site::Here(repo) if repo.made => all.push(Stash::default()),
                Site::Here(repo) => all.push(self.stash(alternative, &repo, sure)),
                Site::Absent => {}
                Site::Unknown(why) => return Fact::Unknown(why),
            }
        }
        Fact::Known(all)
    }

    fn stash(&self, alternative: &Alternative, repo: &Repo, sure: bool) -> Stash {
        let mut stash = Stash {
            entries: on_disk(repo),
            ..Stash::default()
        };
        if repo.is_reftable() {
            stash.doubt = Some(REFTABLE.to_owned());
        }
        let looks = sure || !stash.entries.is_empty();
        let mut edited = !alternative.written.is_empty();
        let steps = alternative.stash.iter().filter(|(c, _)| *c == repo.common);
        for (_, step) in steps {
            match step {
                StashStep::Pushed(git_dir, top, untracked) => {
                    // Where nothing else is there, a pop finds this one or none.
                    let dirty = match top {
                        Some(top) if looks && !edited => self.dirty(git_dir, top, *untracked),
                        _ => Ok(Some(String::new())),
                    };
                    match dirty {
                        Ok(Some(_)) => stash.entries.insert(0, own()),
                        Ok(None) => stash.empty_push = true,
                        Err(why) => stash.doubt = Some(why),
                    }
                }
                StashStep::Taken(at, popped) => {
                    if *at < stash.entries.len() {
                        stash.entries.remove(*at);
                        edited |= *popped;
                    }
                }
                StashStep::Applied(at) => {
                    if let Some(entry) = stash.entries.get_mut(*at) {
                        entry.applied = true;
                        edited = true;
                    }
                }
                StashStep::Cleared => stash.entries.clear(),
            }
        }
        stash
    }
}

fn own() -> StashEntry {
    StashEntry {
        by: Stasher::Call,
        text: "what this call put away".to_owned(),
        at: None,
        applied: false,
    }
}

/// The entries of the log, the newest first.
fn on_disk(repo: &Repo) -> Vec<StashEntry> {
    let log = tail(&repo.common.join("logs/refs/stash")).unwrap_or_default();
    let lines = log.lines().rev().filter_map(|line| line.split_once('\t'));
    lines
        .enumerate()
        .map(|(at, (_, text))| StashEntry {
            by: stasher(text),
            text: text.to_owned(),
            at: Some(at),
            applied: false,
        })
        .collect()
}

/// `WIP on BRANCH: …`, `On BRANCH: …`.
fn stasher(text: &str) -> Stasher {
    let rest = text.strip_prefix("WIP on ").or(text.strip_prefix("On "));
    match rest.and_then(|rest| rest.split_once(": ")) {
        Some((branch, _)) if !branch.starts_with('(') => Stasher::Branch(branch.to_owned()),
        _ => Stasher::Detached,
    }
}

/// Which entry a word names: `stash@{2}`, `2`; `None` where it cannot be told.
pub fn stash_index(entry: Option<&Word>) -> Option<usize> {
    let Some(word) = entry else {
        return Some(0);
    };
    let text = word.known()?;
    let text = text.strip_prefix("refs/").unwrap_or(text);
    let inner = text
        .strip_prefix("stash@{")
        .and_then(|t| t.strip_suffix('}'));
    match text {
        "stash" => Some(0),
        _ => inner.unwrap_or(text).parse().ok(),
    }
}
