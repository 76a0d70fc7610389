//! Changes of config and of remotes.

use super::apply::Stage;
use super::config::{Value, normal};
use super::repo::Repo;
use super::scene::Reach;
use super::settings::{Change, Scope};
use crate::action::ConfigWrite;
use crate::shell::Word;
use std::rc::Rc;

impl Stage<'_> {
    pub(super) fn config(&mut self, repo: Option<&Rc<Repo>>, write: &ConfigWrite) {
        let (reach, scope) = match (write.scope, repo) {
            ("global", _) => (Reach::Everywhere, Scope::Global),
            ("system", _) => (Reach::Everywhere, Scope::System),
            ("worktree", Some(repo)) => {
                let own = self.spot(repo).settings.flag("extensions.worktreeconfig");
                if own == Ok(Some(true)) {
                    (Reach::Checkout(repo.git_dir.clone()), Scope::Worktree)
                } else {
                    (Reach::Repository(repo.common.clone()), Scope::Local)
                }
            }
            ("local", Some(repo)) => (Reach::Repository(repo.common.clone()), Scope::Local),
            // A file that we do not know, or of a repository that we do not know.
            _ => (Reach::Everywhere, Scope::Command),
        };
        let Some(key) = write.key.as_deref().map(normal) else {
            let why = "config is changed in a way that is not known";
            self.now.config.push((reach, Change::Blind(why.to_owned())));
            return;
        };
        if key.starts_with("include.") || key.starts_with("includeif.") {
            let why = "this call makes config include another file";
            self.now.config.push((reach, Change::Blind(why.to_owned())));
            return;
        }
        if scope == Scope::Command {
            let why = format!("`{key}` is set somewhere");
            self.now.config.push((reach, Change::Doubt(key, why)));
            return;
        }
        let change = match &write.value {
            None => Change::Unset(scope, key),
            Some(word) => {
                let value = match word.known() {
                    Some(text) => Value::Text(text.into()),
                    None => Value::Unknown(format!("`{key}` is not known before the run")),
                };
                if write.add {
                    Change::Add(scope, key, value)
                } else {
                    Change::Set(scope, key, value)
                }
            }
        };
        self.now.config.push((reach, change));
    }

    pub(super) fn remote(
        &mut self,
        repo: &Rc<Repo>,
        verb: &str,
        name: Option<&Word>,
        args: &[Word],
    ) {
        if matches!(
            verb,
            "" | "show" | "get-url" | "prune" | "update" | "set-head" | "set-branches"
        ) {
            return;
        }
        let all_known = args.iter().all(|w| w.known().is_some());
        let (Some(name), true) = (name.and_then(Word::known), all_known) else {
            let prefix = match name.and_then(Word::known) {
                Some(name) => format!("remote.{name}."),
                None => "remote.".to_owned(),
            };
            let why = "a remote is changed in a way that is not known".to_owned();
            return self.change(repo, Change::Doubt(prefix, why));
        };
        let words: Vec<&str> = args.iter().filter_map(Word::known).collect();
        let plain: Vec<&str> = words
            .iter()
            .copied()
            .filter(|w| !w.starts_with('-'))
            .collect();
        let section = format!("remote.{name}.");
        let has = |option: &str| words.contains(&option);
        match verb {
            "add" => {
                if let Some(url) = plain.last() {
                    self.set_config(repo, format!("{section}url"), url);
                }
                if words
                    .iter()
                    .any(|w| *w == "--mirror" || *w == "--mirror=push")
                {
                    self.set_config(repo, format!("{section}mirror"), "true");
                }
            }
            "set-url" => {
                let key = match has("--push") {
                    true => format!("{section}pushurl"),
                    false => format!("{section}url"),
                };
                let value = plain.iter().find(|w| **w != name);
                match value {
                    Some(_) if has("--delete") => {
                        let why = "a URL of the remote is taken away".to_owned();
                        self.change(repo, Change::Doubt(key, why));
                    }
                    Some(url) if has("--add") => {
                        let value = Value::Text((*url).into());
                        self.change(repo, Change::Add(Scope::Local, key, value));
                    }
                    Some(url) => self.set_config(repo, key, url),
                    None => {}
                }
            }
            "rename" => {
                if let Some(new) = plain.iter().find(|w| **w != name) {
                    let to = format!("remote.{new}.");
                    self.change(repo, Change::Rename(section, to, false));
                    let new = Some((*new).to_owned());
                    self.change(repo, Change::Retarget(name.to_owned(), new));
                }
            }
            "remove" | "rm" => {
                self.change(repo, Change::Remove(section));
                self.change(repo, Change::Retarget(name.to_owned(), None));
            }
            _ => {
                let why = format!("`remote {verb}` may change it");
                self.change(repo, Change::Doubt(section, why));
            }
        }
    }
}
