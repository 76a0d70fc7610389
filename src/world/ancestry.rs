//! Whether a push only adds commits: the one fact about it that git does not tell its hooks.

use super::World;
use super::child::Ground;
use super::spot::Site;
use crate::action::Place;
use std::collections::{HashMap, HashSet};

/// More updates than this are not looked at: they count as forced.
const MOST: usize = 2000;

impl World {
    /// For each pair of a new and an old commit, whether the new one has the old one among its
    /// ancestors. What cannot be told is false: an object that is not here was never merged.
    pub fn descend(&self, place: &Place, pairs: &[(&str, &str)]) -> Vec<bool> {
        let none = || vec![false; pairs.len()];
        let site = self.scene.live.first().map(|a| self.site(a, place));
        let Some(Site::Here(repo)) = site else {
            return none();
        };
        if pairs.is_empty() || pairs.len() > MOST {
            return none();
        }
        let ground = Ground {
            git_dir: repo.git_dir.clone(),
            work_tree: None,
        };
        let ask = |args: &[&str]| {
            let home = self.around.home.as_deref();
            // A replaced object would make up any history.
            let args: Vec<&str> = std::iter::once("--no-replace-objects")
                .chain(args.iter().copied())
                .collect();
            self.children.ask(&ground, home, &args)
        };
        let near = match pairs {
            [_] => HashMap::new(),
            _ => between(pairs, &ask),
        };
        let each = pairs.iter().map(|(new, old)| {
            reaches(&near, new, old) || ask(&["merge-base", "--is-ancestor", old, new]).is_ok()
        });
        each.collect()
    }
}

type Near = HashMap<String, Vec<String>>;

/// The commits that lie between all old and all new ones, with their parents: one child answers for
/// most updates of a push. Empty where an object is missing or there are too many.
fn between(pairs: &[(&str, &str)], ask: &dyn Fn(&[&str]) -> Result<String, String>) -> Near {
    let mut args = vec!["rev-list", "--parents"];
    args.extend(pairs.iter().map(|(new, _)| *new));
    args.push("--not");
    args.extend(pairs.iter().map(|(_, old)| *old));
    let text = ask(&args).unwrap_or_default();
    let lines = text.lines().filter_map(|line| {
        let mut words = line.split(' ').map(str::to_owned);
        Some((words.next()?, words.collect()))
    });
    lines.collect()
}

/// Whether `old` is met on the way back from `new`. What is left out of `near` may hide it.
fn reaches(near: &Near, new: &str, old: &str) -> bool {
    let mut seen: HashSet<&str> = HashSet::new();
    let mut open = vec![new];
    while let Some(at) = open.pop() {
        if at == old {
            return true;
        }
        let parents = near.get(at).map(Vec::as_slice).unwrap_or_default();
        open.extend(
            parents
                .iter()
                .map(String::as_str)
                .filter(|p| seen.insert(p)),
        );
    }
    false
}
