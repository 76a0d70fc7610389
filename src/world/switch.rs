//! What `switch`, `branch` and their kin do to `HEAD`, branches and upstreams.

use super::apply::Stage;
use super::repo::Repo;
use super::settings::Change;
use super::{Fact, Head};
use crate::action::Switch;
use crate::shell::Word;
use std::rc::Rc;

impl Stage<'_> {
    pub(super) fn switch(&mut self, repo: &Rc<Repo>, switch: &Switch) {
        if let Some(word) = &switch.create {
            let Some(name) = word.known() else {
                let why = "the name of the new branch is not known";
                return self.set_head(repo, Err(why.to_owned()));
            };
            let full = format!("refs/heads/{name}");
            let there = self.has(repo, &full) == Ok(true);
            if there && switch.force_create.is_none() {
                // git refuses, and stays.
                return;
            }
            let from = self.head(repo);
            self.set_head(repo, Ok(Head::Branch(name.to_owned())));
            if !switch.orphan {
                self.track(repo, name, switch.to.as_ref(), switch.track, &from);
            }
            return self.set_ref(repo, full, Ok(!switch.orphan || there));
        }
        let Some(word) = &switch.to else {
            if switch.detach {
                self.set_head(repo, Ok(Head::Detached));
            }
            return;
        };
        if switch.detach {
            return self.set_head(repo, Ok(Head::Detached));
        }
        let Some(to) = word.known() else {
            let why = "an earlier command switches to a branch that is not known";
            return self.set_head(repo, Err(why.to_owned()));
        };
        if switch.orphan {
            return self.set_head(repo, Ok(Head::Branch(to.to_owned())));
        }
        if switch.track == Some(true)
            && let Some((_, name)) = self.remote_branch(repo, to)
        {
            // `--track origin/x` makes `x`.
            let full = format!("refs/heads/{name}");
            if self.has(repo, &full) != Ok(true) {
                let from = self.head(repo);
                self.set_head(repo, Ok(Head::Branch(name.clone())));
                self.track(repo, &name, Some(word), switch.track, &from);
                self.set_ref(repo, full, Ok(true));
            }
            return;
        }
        if to == "-" || to == "@{-1}" {
            let before = self.before(repo);
            return self.set_head(repo, before);
        }
        if to.starts_with("@{-") {
            let why = format!("`{to}` is not known");
            return self.set_head(repo, Err(why));
        }
        self.go(repo, to, switch.maybe_path, true);
    }

    /// What `-` means at this point.
    fn before(&self, repo: &Repo) -> Result<Head, String> {
        let moved = self.now.heads.iter().find(|(d, _)| *d == repo.git_dir);
        if let Some((_, head)) = moved {
            let unknown = || "what `-` means is not known".to_owned();
            return head.before.clone().ok_or_else(unknown);
        }
        match repo.previous() {
            Fact::Known(head) => Ok(head),
            Fact::Unknown(why) => Err(why),
        }
    }

    /// Switches to `to`. Where that may fail, staying is possible too; `lenient` means that a
    /// path of that name is taken for one.
    pub(super) fn go(&mut self, repo: &Rc<Repo>, to: &str, lenient: bool, guess: bool) {
        let branch = || Ok(Head::Branch(to.to_owned()));
        match self.has(repo, &format!("refs/heads/{to}")) {
            Ok(true) => return self.set_head(repo, branch()),
            Ok(false) => {}
            // There it can only be a branch, or nothing happens.
            Err(_) if !lenient => return self.set_head(repo, branch()),
            Err(why) => return self.set_head(repo, Err(why)),
        }
        if to == "HEAD" || to == "@" {
            return;
        }
        let refs = [
            format!("refs/tags/{to}"),
            format!("refs/remotes/{to}"),
            format!("refs/{to}"),
        ];
        let named = refs.iter().any(|name| self.has(repo, name) == Ok(true))
            || (to.starts_with("refs/") && self.has(repo, to) == Ok(true));
        if named && lenient {
            return self.set_head(repo, Ok(Head::Detached));
        }
        let dir = self.place.dir.as_ref();
        let is_path = || dir.is_some_and(|dir| std::fs::symlink_metadata(dir.join(to)).is_ok());
        if lenient && is_path() {
            return;
        }
        if guess && !named && self.guess(repo, to) {
            return;
        }
        let hex = to.len() >= 4 && to.bytes().all(|b| b.is_ascii_hexdigit());
        let commit = named || hex || to.contains(['~', '^', ':']) || to.contains("@{");
        if commit || !lenient {
            self.also.push(self.now.clone());
            let now = if commit { Ok(Head::Detached) } else { branch() };
            self.set_head(repo, now);
        }
    }

    /// A branch that only one remote has is made from there.
    pub(super) fn guess(&mut self, repo: &Rc<Repo>, name: &str) -> bool {
        let spot = self.spot(repo);
        if spot.settings.flag("checkout.guess") == Ok(Some(false)) {
            return false;
        }
        let remotes = spot.settings.middles("remote");
        let mut having = remotes
            .iter()
            .filter(|r| spot.has(&format!("refs/remotes/{r}/{name}")) == Ok(true));
        let first = having.next().map(|r| (*r).to_owned());
        let remote = match (first, having.next()) {
            (Some(only), None) => only,
            (Some(_), Some(_)) => match spot.settings.text("checkout.defaultremote") {
                Ok(Some(remote)) => remote.to_owned(),
                _ => return false,
            },
            _ => return false,
        };
        self.set_head(repo, Ok(Head::Branch(name.to_owned())));
        let full = format!("refs/heads/{name}");
        self.set_upstream(repo, name, &remote, &full);
        self.set_ref(repo, full, Ok(true));
        true
    }

    /// `origin/x` as remote and branch, for a remote that is configured.
    pub(super) fn remote_branch(&self, repo: &Rc<Repo>, name: &str) -> Option<(String, String)> {
        let name = name.strip_prefix("refs/").unwrap_or(name);
        let name = name.strip_prefix("remotes/").unwrap_or(name);
        let spot = self.spot(repo);
        let of = |remote: &str| {
            let rest = name.strip_prefix(remote)?.strip_prefix('/')?;
            Some((remote.to_owned(), rest.to_owned()))
        };
        if repo.made {
            return of("origin");
        }
        let remotes = spot.settings.middles("remote");
        remotes
            .iter()
            .filter_map(|remote| of(remote))
            .max_by_key(|(remote, _)| remote.len())
    }

    pub(super) fn set_upstream(&mut self, repo: &Repo, branch: &str, remote: &str, merge: &str) {
        self.set_config(repo, format!("branch.{branch}.remote"), remote);
        self.set_config(repo, format!("branch.{branch}.merge"), merge);
    }

    /// The upstream that a new branch gets from where it starts.
    pub(super) fn track(
        &mut self,
        repo: &Rc<Repo>,
        name: &str,
        start: Option<&Word>,
        track: Option<bool>,
        from: &Result<Head, String>,
    ) {
        if repo.made {
            // Nothing else can have set it; what follows may.
            for part in ["remote", "merge"] {
                let key = format!("branch.{name}.{part}");
                self.change(
                    repo,
                    Change::Set(
                        super::settings::Scope::Local,
                        key.clone(),
                        super::config::Value::Bare,
                    ),
                );
                self.change(repo, Change::Unset(super::settings::Scope::Local, key));
            }
        }
        if track == Some(false) {
            return;
        }
        let doubt = |why: String| Change::Doubt(format!("branch.{name}."), why);
        let mode = match self.spot(repo).settings.text("branch.autosetupmerge") {
            Ok(mode) => mode.unwrap_or("true").to_ascii_lowercase(),
            Err(why) => return self.change(repo, doubt(why)),
        };
        let start = match start.map(|word| (word, word.known())) {
            Some((_, None)) => {
                let why = format!("where `{name}` starts is not known");
                return self.change(repo, doubt(why));
            }
            Some((_, Some("HEAD" | "@"))) | None => match from {
                Ok(Head::Branch(branch)) => branch.clone(),
                _ => return,
            },
            Some((_, Some(text))) => text.to_owned(),
        };
        let local = start
            .strip_prefix("refs/heads/")
            .unwrap_or(&start)
            .to_owned();
        let is_local = self.has(repo, &format!("refs/heads/{local}")) == Ok(true);
        if mode == "inherit" && track.is_none() {
            if is_local {
                let (from, to) = (format!("branch.{local}."), format!("branch.{name}."));
                self.change(repo, Change::Rename(from, to, true));
            }
            return;
        }
        if is_local {
            if track == Some(true) || mode == "always" {
                let full = format!("refs/heads/{local}");
                self.set_upstream(repo, name, ".", &full);
            }
            return;
        }
        let off = matches!(mode.as_str(), "false" | "no" | "off" | "0");
        if let Some((remote, branch)) = self.remote_branch(repo, &start)
            && (track == Some(true) || !(off || (mode == "simple" && branch != name)))
        {
            self.set_upstream(repo, name, &remote, &format!("refs/heads/{branch}"));
        }
    }
}
