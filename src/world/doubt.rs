//! A switch that git may refuse: where the script goes on all the same, staying is possible too.

use super::child::Ground;
use super::scene::Alternative;
use super::spot::{self, Site};
use super::{Head, World};
use crate::action::{Act, Action};
use crate::policy::Policy;
use std::path::Path;
use std::rc::Rc;

impl World {
    /// Moves the scene on as [`World::apply`] does; `checked` tells that what follows runs only
    /// where the command succeeded.
    pub fn happens(&mut self, action: &Action, checked: bool) {
        self.keeps(action, checked);
        let Act::Switch(switch) = &action.act else {
            return self.apply(action);
        };
        // A new branch from where we are changes no file.
        if checked || (switch.to.is_none() && switch.create.is_some()) {
            return self.apply(action);
        }
        let before = self.scene.live.clone();
        self.apply(action);
        let stays: Vec<Rc<Alternative>> = before
            .into_iter()
            .filter(|old| self.may_stay(old, action))
            .collect();
        self.scene.live.extend(stays);
        self.scene.settle();
    }

    /// Whether it matters, and may be, that git refuses to leave the branch of `old`.
    fn may_stay(&self, old: &Alternative, action: &Action) -> bool {
        let Site::Here(repo) = self.site(old, &action.place) else {
            return false;
        };
        let Ok(Head::Branch(from)) = spot::head(old, &repo) else {
            return false;
        };
        let arrived = self.scene.live.iter().filter_map(|new| {
            let Ok(Head::Branch(to)) = spot::head(new, &repo) else {
                return None;
            };
            (to != from).then_some(to)
        });
        let policy = Policy::default();
        for to in arrived {
            if policy.is_base(&to) {
                // What is foretold of the base branch holds anyway.
                return true;
            }
            let Some(top) = repo.top.as_ref().filter(|_| policy.is_base(&from)) else {
                continue;
            };
            if repo.made || repo.added {
                continue;
            }
            let start = match &action.act {
                Act::Switch(switch) if switch.create.is_some() => switch.to.as_ref(),
                _ => None,
            };
            let to = match start.map(|word| word.known()) {
                Some(None) => return true,
                Some(Some(start)) => start.to_owned(),
                None => to,
            };
            if self.in_the_way(&repo.git_dir, top, &to) {
                return true;
            }
        }
        false
    }

    /// Whether an edit or a new file is in the way of switching to `to`.
    fn in_the_way(&self, git_dir: &Path, top: &Path, to: &str) -> bool {
        let Ok(changed) = self.changed(git_dir, top) else {
            return true;
        };
        if changed.is_empty() {
            return false;
        }
        let ground = Ground {
            git_dir: git_dir.to_owned(),
            work_tree: Some(top.to_owned()),
        };
        let args = ["diff-tree", "-r", "-z", "--name-only", "HEAD", to, "--"];
        let home = self.around.home.as_deref();
        let Ok(differ) = self.children.ask(&ground, home, &args) else {
            return true;
        };
        differ
            .split('\0')
            .filter(|path| !path.is_empty())
            .any(|path| {
                let below = |dir: &String| dir.ends_with('/') && path.starts_with(dir.as_str());
                changed.iter().any(|c| c == path || below(c))
            })
    }
}
