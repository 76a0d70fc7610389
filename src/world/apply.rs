//! Moves the scene on: what an action changes, in one alternative.

use super::config::Value;
use super::push;
use super::repo::{Disk, Repo, real};
use super::scene::{Alternative, HeadNow, Moved, Reach};
use super::settings::{Change, Scope};
use super::spot::{Site, Spot, locate};
use super::stash::{StashStep, stash_index};
use super::{Head, Surroundings, UpdateKind};
use crate::action::{Act, Action, Alter, Integrate, Place, Push, Refs};
use crate::shell::Word;
use std::path::{Path, PathBuf};
use std::rc::Rc;

/// Whether an act can change what the world tells of later ones.
pub(super) fn changes(act: &Act) -> bool {
    match act {
        Act::Push(push) => !push.dry_run,
        Act::Discard(discard) => discard.to.is_some() && !discard.ambiguous,
        Act::Switch(_)
        | Act::Refs(_)
        | Act::Config(_)
        | Act::Integrate(_)
        | Act::Worktree(_)
        | Act::NewRepository { .. }
        | Act::Remote { .. }
        | Act::Write { .. } => true,
        Act::Stash { .. } | Act::Commit(_) | Act::Reset { .. } => true,
        Act::Alter { by, .. } => *by != Alter::Mode,
        _ => false,
    }
}

/// The alternatives that `action` leads to from one.
pub(super) fn apply(
    disk: &Disk,
    around: &Surroundings,
    from: Alternative,
    action: &Action,
) -> Vec<Alternative> {
    let mut stage = Stage {
        disk,
        around,
        place: &action.place,
        now: from,
        also: Vec::new(),
    };
    stage.act(&action.act);
    let mut all = stage.also;
    all.push(stage.now);
    all.iter_mut().for_each(Alternative::bound);
    all
}

/// One alternative while an action changes it.
pub(super) struct Stage<'a> {
    pub(super) disk: &'a Disk,
    around: &'a Surroundings,
    pub(super) place: &'a Place,
    pub(super) now: Alternative,
    /// Other ways in which it may end.
    pub(super) also: Vec<Alternative>,
}

impl Stage<'_> {
    fn act(&mut self, act: &Act) {
        match act {
            Act::NewRepository { dir, branch } => {
                return self.new_repository(dir.as_ref(), branch.as_ref());
            }
            Act::Write { path } | Act::Alter { path, .. } => return self.written(path),
            _ => {}
        }
        let repo = match locate(self.disk, self.around, &self.now, self.place) {
            Site::Here(repo) => repo,
            Site::Absent => {
                if let Act::Config(write) = act {
                    self.config(None, write);
                }
                return;
            }
            Site::Unknown(why) => return self.anywhere(act, &why),
        };
        match act {
            Act::Switch(switch) => self.switch(&repo, switch),
            Act::Discard(discard) => {
                let moves = ["checkout", "switch"]
                    .iter()
                    .any(|verb| discard.how.text.contains(verb));
                if let (true, Some(to)) = (moves, &discard.to)
                    && let Some(name) = to.known()
                    && self.has(&repo, &format!("refs/heads/{name}")) == Ok(true)
                {
                    self.set_head(&repo, Ok(Head::Branch(name.to_owned())));
                }
            }
            Act::Refs(refs) => self.refs(&repo, refs),
            Act::Config(write) => self.config(Some(&repo), write),
            Act::Integrate(integrate) => self.integrate(&repo, integrate),
            Act::Worktree(worktree) => self.worktree(&repo, worktree),
            Act::Remote { verb, name, args } => {
                self.remote(&repo, verb, name.as_ref(), args);
            }
            Act::Push(push) => self.push(&repo, push),
            Act::Stash {
                verb,
                entry,
                untracked,
                part,
                ..
            } => {
                self.stash(&repo, verb, entry.as_ref(), *untracked);
                self.stashed(&repo, verb, *untracked, *part);
            }
            Act::Commit(commit) if !commit.dry_run => self.moves(&repo, Moved::Commits),
            Act::Reset { rev: None } => self.now.unstaged.push(repo.git_dir.clone()),
            Act::Reset { rev: Some(_) } => self.moves(&repo, Moved::TakesApart),
            _ => {}
        }
    }

    /// The act happens in a repository that cannot be named: it may be any.
    fn anywhere(&mut self, act: &Act, why: &str) {
        if self.now.made_somewhere {
            // It is the one that the script made there.
            return;
        }
        match act {
            Act::Switch(_)
            | Act::Integrate(Integrate {
                switches_to: Some(_),
                ..
            }) => {
                self.now.heads.clear();
                self.now.lost_heads = Some(format!("an earlier command moved it somewhere: {why}"));
            }
            Act::Config(write) => self.config(None, write),
            Act::Remote { .. } => {
                let doubt = Change::Doubt("remote.".to_owned(), why.to_owned());
                self.now.config.push((Reach::Everywhere, doubt));
            }
            _ => {}
        }
    }

    pub(super) fn spot(&self, repo: &Rc<Repo>) -> Spot<'_> {
        let site = Site::Here(Rc::clone(repo));
        Spot::new(self.around, &self.now, self.place, site)
    }

    pub(super) fn has(&self, repo: &Repo, name: &str) -> Result<bool, String> {
        super::spot::has(&self.now, repo, name)
    }

    pub(super) fn head(&self, repo: &Repo) -> Result<Head, String> {
        super::spot::head(&self.now, repo)
    }

    pub(super) fn set_head(&mut self, repo: &Repo, now: Result<Head, String>) {
        let before = self.head(repo);
        if before == now {
            return;
        }
        let now = HeadNow {
            now,
            before: before.ok(),
        };
        match self.now.heads.iter_mut().find(|(d, _)| *d == repo.git_dir) {
            Some((_, head)) => *head = now,
            None => self.now.heads.push((repo.git_dir.clone(), now)),
        }
    }

    pub(super) fn set_ref(&mut self, repo: &Repo, name: String, is: Result<bool, String>) {
        let known = self
            .now
            .refs
            .iter_mut()
            .find(|(d, n, _)| *n == name && *d == repo.common);
        match known {
            Some((_, _, old)) => *old = is,
            None => self.now.refs.push((repo.common.clone(), name, is)),
        }
    }

    /// A change of the repository's own config.
    pub(super) fn change(&mut self, repo: &Repo, change: Change) {
        let reach = Reach::Repository(repo.common.clone());
        self.now.config.push((reach, change));
    }

    pub(super) fn set_config(&mut self, repo: &Repo, key: String, value: &str) {
        let value = Value::Text(value.into());
        self.change(repo, Change::Set(Scope::Local, key, value));
    }

    pub(super) fn absolute(&self, path: &Word) -> Option<PathBuf> {
        let path = Path::new(path.known()?);
        let full = match &self.place.dir {
            Some(dir) => dir.join(path),
            None if path.is_absolute() => path.to_owned(),
            None => return None,
        };
        Some(real(&full))
    }

    fn written(&mut self, path: &Word) {
        let Some(file) = self.absolute(path) else {
            return;
        };
        let parent = file.parent().map(Path::to_owned).unwrap_or_default();
        let why = || "this call writes files of the repository".to_owned();
        if file.file_name().is_some_and(|n| n == "HEAD") {
            let head = HeadNow {
                now: Err(why()),
                before: None,
            };
            self.now.heads.retain(|(d, _)| *d != parent);
            self.now.heads.push((parent.clone(), head));
        }
        let refs = file.ancestors().find(|a| {
            a.file_name()
                .is_some_and(|n| n == "refs" || n == "packed-refs")
        });
        if let Some(common) = refs.and_then(Path::parent) {
            self.now.lost_refs.push((common.to_owned(), why()));
        }
        let same = |known: &PathBuf| known.as_os_str() == file.as_os_str();
        if !self.now.written.iter().any(same) {
            self.now.written.push(file);
        }
    }

    fn stash(&mut self, repo: &Repo, verb: &str, entry: Option<&Word>, untracked: bool) {
        let step = match verb {
            "push" => StashStep::Pushed(repo.git_dir.clone(), repo.top.clone(), untracked),
            "clear" => StashStep::Cleared,
            "pop" | "drop" | "branch" | "apply" => match stash_index(entry) {
                Some(at) if verb == "apply" => StashStep::Applied(at),
                Some(at) => StashStep::Taken(at, verb != "drop"),
                None => return,
            },
            _ => return,
        };
        self.now.stash.push((repo.common.clone(), step));
        if verb == "branch" {
            let why = "`stash branch` makes a branch and switches to it";
            self.set_head(repo, Err(why.to_owned()));
        }
    }

    /// What is in no commit is not what is on disk now.
    fn moves(&mut self, repo: &Repo, how: Moved) {
        self.now.moved.push((repo.git_dir.clone(), how));
    }

    /// What a stash does to the checkout.
    fn stashed(&mut self, repo: &Repo, verb: &str, untracked: bool, part: bool) {
        match verb {
            "push" if part => {}
            "push" => self.now.put_away.push((repo.git_dir.clone(), untracked)),
            "pop" | "apply" | "branch" => {
                self.now.put_away.retain(|(d, _)| *d != repo.git_dir);
                self.moves(repo, Moved::TakesApart);
            }
            _ => {}
        }
    }

    fn integrate(&mut self, repo: &Rc<Repo>, integrate: &Integrate) {
        if !integrate.resumes {
            self.moves(repo, Moved::Integrates);
        }
        if integrate.resumes {
            let on = ["rebase-merge", "rebase-apply"]
                .iter()
                .find_map(|dir| super::repo::pointer(&repo.git_dir.join(dir).join("head-name")));
            // It may end on its branch, or stop again before that.
            if let Some(branch) = on.as_deref().and_then(|n| n.strip_prefix("refs/heads/")) {
                self.also.push(self.now.clone());
                self.set_head(repo, Ok(Head::Branch(branch.to_owned())));
            }
            return;
        }
        if let Some(word) = &integrate.switches_to {
            match word.known() {
                Some(name) => self.go(repo, name, true, false),
                None => self.set_head(
                    repo,
                    Err("`rebase` names a branch that is not known".to_owned()),
                ),
            }
        }
    }

    /// `-u` and `push.autoSetupRemote` write the upstream.
    fn push(&mut self, repo: &Rc<Repo>, push: &Push) {
        let spot = self.spot(repo);
        let sets_up = spot.settings.flag("push.autosetupremote");
        let sets = push.set_upstream || sets_up == Ok(Some(true));
        let local = push.remote.as_ref().and_then(Word::known) == Some(".");
        if !sets && !local {
            return;
        }
        let plan = push::predict(push, &spot);
        if plan.refused.is_some() {
            return;
        }
        if push.set_upstream && !plan.unclear.is_empty() {
            let why = "an earlier push sets upstream branches".to_owned();
            self.change(repo, Change::Doubt("branch.".to_owned(), why));
        }
        for target in plan.targets {
            let update = target.update;
            if update.kind == UpdateKind::Delete {
                continue;
            }
            if update.remote == "." && !update.refname.contains('*') {
                self.set_ref(repo, update.refname.clone(), Ok(true));
            }
            let branch = target
                .source
                .as_deref()
                .and_then(|s| s.strip_prefix("refs/heads/"));
            let new = || {
                let key = format!("branch.{}.merge", branch.unwrap_or_default());
                matches!(self.spot(repo).settings.all(&key), Ok(list) if list.is_empty())
            };
            if let Some(branch) = branch
                && update.refname.starts_with("refs/heads/")
                && (push.set_upstream || (sets && push.refspecs.is_empty() && new()))
            {
                self.set_upstream(repo, branch, &update.remote, &update.refname);
            }
        }
    }

    fn refs(&mut self, repo: &Rc<Repo>, refs: &Refs) {
        match refs {
            Refs::Create {
                name,
                branch,
                start,
                track,
            } => match name.known() {
                Some(name) => self.create_ref(repo, name, *branch, start.as_ref(), *track),
                None => self.lose_refs(repo, "a ref of unknown name is made"),
            },
            Refs::Force { name, under, .. } => match name.known() {
                // `update-ref HEAD` moves the branch, and `symbolic-ref HEAD` is a switch as well.
                Some("HEAD") => {}
                Some(name) if name.starts_with("refs/") => {
                    self.set_ref(repo, name.to_owned(), Ok(true));
                }
                Some(name) if !under.is_empty() => {
                    self.set_ref(repo, format!("{under}{name}"), Ok(true));
                }
                Some(name) => {
                    for kind in ["heads", "tags"] {
                        let full = format!("refs/{kind}/{name}");
                        if self.has(repo, &full) != Ok(true) {
                            let why = "an earlier command may have made it".to_owned();
                            self.set_ref(repo, full, Err(why));
                        }
                    }
                }
                None => self.lose_refs(repo, "a ref of unknown name is moved"),
            },
            Refs::Delete {
                names,
                under,
                remote_tracking,
                ..
            } => {
                for name in names {
                    match name.known() {
                        Some(_) if *remote_tracking => {}
                        Some(name) if name.starts_with("refs/") => self.delete_ref(repo, name),
                        Some(name) => self.delete_ref(repo, &format!("{under}{name}")),
                        None => self.lose_refs(repo, "a ref of unknown name is deleted"),
                    }
                }
            }
            Refs::Rename {
                from,
                to,
                copy,
                force,
            } => {
                self.rename(repo, from.as_ref(), to, *copy, *force);
            }
            Refs::Upstream { branch, upstream } => {
                self.upstream(repo, branch.as_ref(), upstream.as_ref());
            }
            Refs::Unnamed(_) => self.lose_refs(repo, "an earlier command changes refs"),
        }
    }

    pub(super) fn lose_refs(&mut self, repo: &Repo, why: &str) {
        self.now.refs.retain(|(d, _, _)| *d != repo.common);
        self.now
            .lost_refs
            .push((repo.common.clone(), why.to_owned()));
    }
}
