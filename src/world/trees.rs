//! New repositories and checkouts.

use super::Head;
use super::apply::Stage;
use super::repo::{Found, Repo};
use crate::action::Worktree;
use crate::shell::Word;
use std::rc::Rc;

impl Stage<'_> {
    pub(super) fn new_repository(&mut self, dir: Option<&Word>, branch: Option<&Word>) {
        let Some(top) = dir.and_then(|dir| self.absolute(dir)) else {
            self.now.made_somewhere = true;
            return;
        };
        if let Found::Here(repo) = self.disk.find(&top)
            && (repo.top.as_ref() == Some(&top) || repo.git_dir == top)
        {
            // `init` in a repository changes nothing, `clone` into one fails.
            return;
        }
        let git_dir = top.join(".git");
        let repo = Repo {
            common: git_dir.clone(),
            git_dir,
            top: Some(top.clone()),
            made: true,
            ..Repo::default()
        };
        let repo = Rc::new(repo);
        self.now.trees.push((top, Rc::clone(&repo)));
        if let Some(name) = branch.and_then(Word::known) {
            self.set_head(&repo, Ok(Head::Branch(name.to_owned())));
        }
    }

    pub(super) fn worktree(&mut self, repo: &Rc<Repo>, worktree: &Worktree) {
        match worktree {
            Worktree::Add {
                path,
                branch,
                start,
                detach,
                ..
            } => {
                let Some(top) = self.absolute(path) else {
                    self.now.made_somewhere = true;
                    return;
                };
                let base = top.file_name().and_then(|n| n.to_str()).unwrap_or_default();
                let (base, own) = (base.to_owned(), top.display().to_string());
                let added = Rc::new(Repo {
                    // No real directory: the name that git chooses depends on those in use.
                    git_dir: repo.common.join("worktrees").join(format!("+{own}")),
                    common: repo.common.clone(),
                    top: Some(top.clone()),
                    made: repo.made,
                    added: true,
                    children: repo.children.clone(),
                    ..Repo::default()
                });
                self.now.trees.push((top, Rc::clone(&added)));
                let head = self.head_of_new(repo, branch.as_ref(), start.as_ref(), *detach, &base);
                self.set_head(&added, head);
            }
            Worktree::Move { from, to } => {
                let (Some(from), Some(to)) = (self.absolute(from), self.absolute(to)) else {
                    return;
                };
                let made = self.now.trees.iter_mut().find(|(top, _)| *top == from);
                if let Some((top, _)) = made {
                    *top = to;
                } else if let Found::Here(old) = self.disk.find(&from) {
                    let moved = Repo {
                        git_dir: old.git_dir.clone(),
                        common: old.common.clone(),
                        top: Some(to.clone()),
                        children: old.children.clone(),
                        ..Repo::default()
                    };
                    self.now.trees.push((to, Rc::new(moved)));
                }
            }
            Worktree::Remove { .. } | Worktree::Prune { .. } => {}
        }
    }

    /// `HEAD` of a checkout that `worktree add` makes.
    pub(super) fn head_of_new(
        &mut self,
        repo: &Rc<Repo>,
        branch: Option<&Word>,
        start: Option<&Word>,
        detach: bool,
        base: &str,
    ) -> Result<Head, String> {
        if detach {
            return Ok(Head::Detached);
        }
        let made = match (branch, start) {
            (Some(word), _) => word
                .known()
                .ok_or("the name of the new branch is not known")?,
            (None, Some(word)) => {
                let name = word
                    .known()
                    .ok_or("what the worktree checks out is not known")?;
                if self.has(repo, &format!("refs/heads/{name}"))? {
                    return Ok(Head::Branch(name.to_owned()));
                }
                return Ok(if self.tracks_new(repo, name) {
                    Head::Branch(name.to_owned())
                } else {
                    Head::Detached
                });
            }
            (None, None) => base,
        };
        let full = format!("refs/heads/{made}");
        if self.has(repo, &full) != Ok(true) {
            let guesses = self.spot(repo).settings.flag("worktree.guessremote") == Ok(Some(true));
            if start.is_some() || !guesses || !self.tracks_new(repo, made) {
                let from = self.head(repo);
                self.track(repo, made, start, None, &from);
            }
            self.set_ref(repo, full, Ok(true));
        }
        Ok(Head::Branch(made.to_owned()))
    }

    /// Makes `name` from the one remote that has it, without moving this checkout's `HEAD`.
    fn tracks_new(&mut self, repo: &Rc<Repo>, name: &str) -> bool {
        let heads = self.now.heads.clone();
        let done = self.guess(repo, name);
        self.now.heads = heads;
        done
    }
}
