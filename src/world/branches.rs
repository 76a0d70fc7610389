//! What `branch`, `tag` and `update-ref` do to refs and upstreams.

use super::Head;
use super::apply::Stage;
use super::repo::Repo;
use super::settings::{Change, Scope};
use crate::shell::Word;
use std::rc::Rc;

impl Stage<'_> {
    pub(super) fn create_ref(
        &mut self,
        repo: &Rc<Repo>,
        name: &str,
        branch: bool,
        start: Option<&Word>,
        track: Option<bool>,
    ) {
        let full = match (name.starts_with("refs/"), branch) {
            (true, _) => name.to_owned(),
            (false, true) => format!("refs/heads/{name}"),
            (false, false) => format!("refs/tags/{name}"),
        };
        if self.has(repo, &full) == Ok(true) {
            return;
        }
        if let Some(short) = full.strip_prefix("refs/heads/") {
            let from = self.head(repo);
            self.track(repo, short, start, track, &from);
        }
        self.set_ref(repo, full, Ok(true));
    }

    pub(super) fn delete_ref(&mut self, repo: &Rc<Repo>, name: &str) {
        let full: Vec<String> = match name.starts_with("refs/") {
            true => vec![name.to_owned()],
            false => ["heads", "tags"]
                .iter()
                .map(|kind| format!("refs/{kind}/{name}"))
                .filter(|name| self.has(repo, name) == Ok(true))
                .collect(),
        };
        let one = full.len() == 1;
        for name in full {
            if let (true, Some(branch)) = (one, name.strip_prefix("refs/heads/")) {
                self.change(repo, Change::Remove(format!("branch.{branch}.")));
            }
            let is = match one {
                true => Ok(false),
                false => Err("an earlier command may have deleted it".to_owned()),
            };
            self.set_ref(repo, name, is);
        }
    }

    pub(super) fn rename(
        &mut self,
        repo: &Rc<Repo>,
        from: Option<&Word>,
        to: &Word,
        copy: bool,
        force: bool,
    ) {
        let unknown = "an earlier command renames a branch in a way that is not known";
        let old = match from.map(|w| w.known()) {
            Some(name) => name.map(str::to_owned),
            None => match self.head(repo) {
                Ok(Head::Branch(branch)) => Some(branch),
                Ok(Head::Detached) => return,
                Err(_) => None,
            },
        };
        let (Some(old), Some(new)) = (old, to.known()) else {
            if !copy {
                self.set_head(repo, Err(unknown.to_owned()));
            }
            self.lose_refs(repo, unknown);
            let doubt = Change::Doubt("branch.".to_owned(), unknown.to_owned());
            return self.change(repo, doubt);
        };
        let new_full = format!("refs/heads/{new}");
        if !force && self.has(repo, &new_full) == Ok(true) {
            return;
        }
        let (section, into) = (format!("branch.{old}."), format!("branch.{new}."));
        self.change(repo, Change::Rename(section, into, copy));
        self.set_ref(repo, new_full, Ok(true));
        if copy {
            return;
        }
        self.set_ref(repo, format!("refs/heads/{old}"), Ok(false));
        for (git_dir, head) in &mut self.now.heads {
            if let Ok(Head::Branch(branch)) = &mut head.now
                && *branch == old
                && git_dir.starts_with(&repo.common)
            {
                new.clone_into(branch);
            }
        }
        let renamed = (repo.common.clone(), old, new.to_owned());
        self.now.renames.push(renamed);
    }

    pub(super) fn upstream(
        &mut self,
        repo: &Rc<Repo>,
        branch: Option<&Word>,
        upstream: Option<&Word>,
    ) {
        let name = match branch.map(|w| w.known()) {
            Some(name) => name.map(str::to_owned),
            None => match self.head(repo) {
                Ok(Head::Branch(branch)) => Some(branch),
                Ok(Head::Detached) => return,
                Err(_) => None,
            },
        };
        let why = || "an earlier command sets an upstream that is not known".to_owned();
        let Some(name) = name else {
            return self.change(repo, Change::Doubt("branch.".to_owned(), why()));
        };
        let keys = ["remote", "merge"].map(|part| format!("branch.{name}.{part}"));
        let Some(word) = upstream else {
            for key in keys {
                self.change(repo, Change::Unset(Scope::Local, key));
            }
            return;
        };
        let doubt = |prefix: String| Change::Doubt(prefix, why());
        let Some(text) = word.known() else {
            return self.change(repo, doubt(format!("branch.{name}.")));
        };
        let local = text.strip_prefix("refs/heads/").unwrap_or(text);
        if self.has(repo, &format!("refs/heads/{local}")) == Ok(true) {
            let full = format!("refs/heads/{local}");
            self.set_upstream(repo, &name, ".", &full);
        } else if let Some((remote, branch)) = self.remote_branch(repo, text) {
            self.set_upstream(repo, &name, &remote, &format!("refs/heads/{branch}"));
        } else {
            self.change(repo, doubt(format!("branch.{name}.")));
        }
    }
}
