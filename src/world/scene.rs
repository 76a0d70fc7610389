//! The state that a script has reached: one or a few alternatives, each a set of changes over disk.

use super::Head;
use super::repo::Repo;
use super::settings::Change;
use super::stash::StashStep;
use std::path::PathBuf;
use std::rc::Rc;

/// Most alternatives that are kept apart.
const ALTERNATIVES_MAX: usize = 8;

/// Most changes that one alternative keeps.
const CHANGES_MAX: usize = 2000;

/// Why a fact is unknown after too many alternatives met.
const TOO_MANY: &str = "the script can take too many ways";

/// Whom a change of config concerns.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Reach {
    Everywhere,
    /// All checkouts of the repository with this common directory.
    Repository(PathBuf),
    /// The checkout with this git directory.
    Checkout(PathBuf),
}

/// How the work of a checkout differs from what is on disk before the call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Moved {
    /// Some of it is in a commit now.
    Commits,
    /// The branch has other commits.
    Integrates,
    /// Commits, or a stash, are taken apart into edits.
    TakesApart,
}

impl Moved {
    /// As a reason.
    pub(super) fn why(self) -> String {
        let what = match self {
            Moved::Commits => "commits",
            Moved::Integrates => "brings in commits",
            Moved::TakesApart => "turns commits or a stash into edits",
        };
        format!("an earlier command {what}")
    }
}

/// `HEAD` of one checkout.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct HeadNow {
    pub(super) now: Result<Head, String>,
    /// What `-` means.
    pub(super) before: Option<Head>,
}

/// A file and its copy.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Copied {
    pub(super) from: PathBuf,
    pub(super) to: PathBuf,
    /// The copy lies in no checkout.
    pub(super) outside: bool,
}

/// One way in which things can stand at this point.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Alternative {
    /// By git directory.
    pub(super) heads: Vec<(PathBuf, HeadNow)>,
    /// By common directory: a full ref, and whether it exists.
    pub(super) refs: Vec<(PathBuf, String, Result<bool, String>)>,
    /// Branches that were renamed, by common directory, in order.
    pub(super) renames: Vec<(PathBuf, String, String)>,
    /// Common directories in which any ref may have changed.
    pub(super) lost_refs: Vec<(PathBuf, String)>,
    pub(super) config: Vec<(Reach, Change)>,
    /// Repositories and checkouts that the script made, by top directory.
    pub(super) trees: Vec<(PathBuf, Rc<Repo>)>,
    /// A repository was made where we cannot tell.
    pub(super) made_somewhere: bool,
    /// What the script did to stashes, by common directory, in order.
    pub(super) stash: Vec<(PathBuf, StashStep)>,
    /// Files that the script wrote.
    pub(super) written: Vec<PathBuf>,
    /// Files that redirects of the script fill.
    pub(super) wrote: Vec<PathBuf>,
    /// Files and directories of which nothing is left: the script replaced, moved or removed them.
    pub(super) gone: Vec<PathBuf>,
    /// Files and directories that the script staged as they are.
    pub(super) staged: Vec<PathBuf>,
    /// Files that the script put into a stash by name.
    pub(super) shelved: Vec<PathBuf>,
    /// Files that the script copied as they are.
    pub(super) copied: Vec<Copied>,
    /// Files, and what the script made of them.
    pub(super) derived: Vec<(PathBuf, PathBuf)>,
    /// Checkouts, by git directory, in which what was staged may be an edit now.
    pub(super) unstaged: Vec<PathBuf>,
    /// Checkouts, by git directory, whose edits a stash put away; untracked files too if true.
    pub(super) put_away: Vec<(PathBuf, bool)>,
    /// Checkouts, by git directory, whose work is not what is on disk now, and why.
    pub(super) moved: Vec<(PathBuf, Moved)>,
    /// `HEAD` of any checkout may have changed, and why.
    pub(super) lost_heads: Option<String>,
    /// Nothing is known any more, and why.
    pub(super) lost: Option<String>,
}

impl Alternative {
    /// Gives up where a script changes more than is worth following.
    pub(super) fn bound(&mut self) {
        let size = self.heads.len()
            + self.refs.len()
            + self.renames.len()
            + self.lost_refs.len()
            + self.config.len()
            + self.trees.len()
            + self.stash.len()
            + self.written.len()
            + self.wrote.len()
            + self.gone.len()
            + self.staged.len()
            + self.shelved.len()
            + self.copied.len()
            + self.derived.len()
            + self.unstaged.len()
            + self.put_away.len()
            + self.moved.len();
        if size > CHANGES_MAX {
            *self = Alternative {
                lost: Some("the script changes too much".to_owned()),
                ..Alternative::default()
            };
        }
    }
}

/// All alternatives, and the forks that are open.
#[derive(Debug)]
pub(super) struct Scene {
    pub(super) live: Vec<Rc<Alternative>>,
    forks: Vec<Fork>,
}

#[derive(Debug)]
struct Fork {
    start: Vec<Rc<Alternative>>,
    done: Vec<Rc<Alternative>>,
}

impl Default for Scene {
    fn default() -> Scene {
        Scene {
            live: vec![Rc::default()],
            forks: Vec::new(),
        }
    }
}

impl Scene {
    pub(super) fn fork(&mut self) {
        self.forks.push(Fork {
            start: self.live.clone(),
            done: Vec::new(),
        });
    }

    pub(super) fn or(&mut self) {
        if let Some(fork) = self.forks.last_mut() {
            fork.done.append(&mut self.live);
            self.live.clone_from(&fork.start);
            Scene::bound(&mut fork.done);
        }
    }

    pub(super) fn join(&mut self) {
        if let Some(mut fork) = self.forks.pop() {
            fork.done.append(&mut self.live);
            self.live = fork.done;
            self.settle();
        }
    }

    /// Changes every alternative.
    pub(super) fn each(&mut self, change: impl Fn(&mut Alternative)) {
        for alternative in &mut self.live {
            let now = Rc::make_mut(alternative);
            change(now);
            now.bound();
        }
    }

    /// Changes every alternative for which `when` holds.
    pub(super) fn each_if(
        &mut self,
        when: impl Fn(&Alternative) -> bool,
        change: impl Fn(&mut Alternative),
    ) {
        if self.live.iter().any(|alternative| when(alternative)) {
            self.each(change);
        }
    }

    pub(super) fn end(&mut self) {
        self.live.clear();
    }

    /// Drops doubles and keeps the number small.
    pub(super) fn settle(&mut self) {
        Scene::bound(&mut self.live);
    }

    fn bound(list: &mut Vec<Rc<Alternative>>) {
        let mut kept: Vec<Rc<Alternative>> = Vec::new();
        for one in list.drain(..) {
            if !kept.iter().any(|k| Rc::ptr_eq(k, &one) || **k == *one) {
                kept.push(one);
            }
        }
        if kept.len() > ALTERNATIVES_MAX {
            kept = vec![Rc::new(blur(&kept))];
        }
        *list = kept;
    }
}

/// One alternative that claims only what all of them agree on.
fn blur(all: &[Rc<Alternative>]) -> Alternative {
    let mut out = Alternative::default();
    let unknown = TOO_MANY.to_owned();
    for one in all {
        for (dir, head) in &one.heads {
            if out.heads.iter().any(|(d, _)| d == dir) {
                continue;
            }
            let same = all
                .iter()
                .all(|a| a.heads.contains(&(dir.clone(), head.clone())));
            let head = if same {
                head.clone()
            } else {
                HeadNow {
                    now: Err(unknown.clone()),
                    before: None,
                }
            };
            out.heads.push((dir.clone(), head));
        }
        for (dir, name, is) in &one.refs {
            if out.refs.iter().any(|(d, n, _)| d == dir && n == name) {
                continue;
            }
            let same = all
                .iter()
                .all(|a| a.refs.contains(&(dir.clone(), name.clone(), is.clone())));
            let is = if same {
                is.clone()
            } else {
                Err(unknown.clone())
            };
            out.refs.push((dir.clone(), name.clone(), is));
        }
        extend(&mut out.lost_refs, &one.lost_refs);
        extend(&mut out.trees, &one.trees);
        extend(&mut out.written, &one.written);
        extend(&mut out.wrote, &one.wrote);
        extend(&mut out.moved, &one.moved);
        extend(&mut out.unstaged, &one.unstaged);
        extend(&mut out.stash, &one.stash);
        out.made_somewhere |= one.made_somewhere;
        if out.lost.is_none() {
            out.lost.clone_from(&one.lost);
        }
        if out.lost_heads.is_none() {
            out.lost_heads.clone_from(&one.lost_heads);
        }
    }
    if let Some(first) = all.first() {
        let agreed = |list: fn(&Alternative) -> &Vec<PathBuf>| -> Vec<PathBuf> {
            let everywhere = |path: &&PathBuf| all.iter().all(|a| list(a).contains(path));
            list(first).iter().filter(everywhere).cloned().collect()
        };
        out.gone = agreed(|a| &a.gone);
        out.staged = agreed(|a| &a.staged);
        out.shelved = agreed(|a| &a.shelved);
        let everywhere = |copy: &&Copied| all.iter().all(|a| a.copied.contains(copy));
        out.copied = first.copied.iter().filter(everywhere).cloned().collect();
        let everywhere = |pair: &&(PathBuf, PathBuf)| all.iter().all(|a| a.derived.contains(pair));
        out.derived = first.derived.iter().filter(everywhere).cloned().collect();
        if all.iter().all(|a| a.put_away == first.put_away) {
            out.put_away.clone_from(&first.put_away);
        }
        if all.iter().all(|a| a.config == first.config) {
            out.config.clone_from(&first.config);
        } else {
            out.config
                .push((Reach::Everywhere, Change::Blind(TOO_MANY.to_owned())));
        }
        if all.iter().all(|a| a.renames == first.renames) {
            out.renames.clone_from(&first.renames);
        } else {
            out.lost_heads = Some(TOO_MANY.to_owned());
        }
    }
    out
}

fn extend<T: PartialEq + Clone>(into: &mut Vec<T>, from: &[T]) {
    for item in from {
        if !into.contains(item) {
            into.push(item.clone());
        }
    }
}
