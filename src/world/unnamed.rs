//! What a push that names nothing pushes.

use super::Head;
use super::push::{Because, Planner, Stop, tracks};
use super::refspec::Spec;
use super::remote::{self, Remote};

impl Planner<'_> {
    /// What git pushes when nothing is named: `remote.<name>.push`, else `push.default`.
    pub(super) fn unnamed(
        &mut self,
        remote: &Remote,
        head: &Result<Head, String>,
        specs: &mut Vec<Because>,
    ) -> Result<(), Stop> {
        let settings = &self.spot.settings;
        let key = ["remote.", &remote.name, ".push"].concat();
        if !remote.known
            && settings.middles("remote").iter().any(|m| {
                !matches!(settings.last(&["remote.", m, ".push"].concat()), Ok(None))
                    || !matches!(settings.last(&["remote.", m, ".mirror"].concat()), Ok(None))
            })
        {
            self.unclear("the remote is not known, and remotes have refspecs of their own");
        }
        match settings.all(&key) {
            Ok(values) if values.is_empty() => {}
            Ok(values) => {
                for value in &values {
                    specs.push((self.parsed(value)?, format!("`{key}` is `{value}`")));
                }
                return Ok(());
            }
            Err(why) => self.unclear(why),
        }
        let mode = match self.spot.settings.text("push.default") {
            Ok(mode) => mode.unwrap_or("simple"),
            Err(why) => {
                self.unclear(why);
                "current"
            }
        };
        match mode {
            "matching" => {
                let because = "`push.default` is `matching`".to_owned();
                specs.push((Spec::Matching { force: false }, because));
                return Ok(());
            }
            "nothing" => return Err(self.refuse("`push.default` is `nothing`")),
            "simple" | "upstream" | "tracking" | "current" => {}
            other => return Err(self.refuse(format!("`push.default` cannot be `{other}`"))),
        }
        match head {
            Ok(Head::Branch(branch)) => self.current(remote, branch, mode, specs),
            Ok(Head::Detached) => Err(self.refuse("`HEAD` is on no branch")),
            Err(why) => {
                self.unclear(format!("the current branch is not known: {why}"));
                Ok(())
            }
        }
    }

    fn current(
        &mut self,
        remote: &Remote,
        branch: &str,
        mode: &str,
        specs: &mut Vec<Because>,
    ) -> Result<(), Stop> {
        let settings = &self.spot.settings;
        let full = ["refs/heads/", branch].concat();
        let same = |because: String| {
            let spec = Spec::Named {
                src: full.clone(),
                dst: Some(full.clone()),
                force: false,
            };
            (spec, because)
        };
        let is_current = || format!("`{branch}` is the current branch");
        if mode == "current" {
            specs.push(same(is_current()));
            return Ok(());
        }
        let home = remote::is_upstream(settings, branch, remote);
        let merges = settings.all(&["branch.", branch, ".merge"].concat());
        let sets_up = !matches!(
            settings.flag("push.autosetupremote"),
            Ok(None | Some(false))
        );
        let none = || format!("`{branch}` has no upstream branch");
        if mode == "simple" {
            match (home, merges) {
                (Ok(false), _) => specs.push(same(is_current())),
                (_, Ok(merges)) => match merges.as_slice() {
                    [] if sets_up => specs.push(same(is_current())),
                    [] => return Err(self.refuse(none())),
                    [merge] if *merge == full => specs.push(same(tracks(mode, branch, merge))),
                    // With another remote than the upstream's, git takes the branch's own name.
                    [_] if !remote.known => specs.push(same(is_current())),
                    [merge] => return Err(self.refuse(tracks(mode, branch, merge))),
                    _ => return Err(self.refuse(format!("`{branch}` has several upstreams"))),
                },
                // Whatever the upstream is, `simple` pushes only to the same name.
                (_, Err(_)) => specs.push(same(is_current())),
            }
            return Ok(());
        }
        match home {
            Ok(true) => {}
            Ok(false) => {
                let name = &remote.name;
                return Err(self.refuse(format!("`{name}` is not the upstream of `{branch}`")));
            }
            Err(why) => self.unclear(why),
        }
        match merges {
            Ok(merges) => match merges.as_slice() {
                [] if sets_up => specs.push(same(is_current())),
                [] => return Err(self.refuse(none())),
                [merge] => specs.push((
                    Spec::Named {
                        src: full.clone(),
                        dst: Some((*merge).to_owned()),
                        force: false,
                    },
                    tracks("upstream", branch, merge),
                )),
                _ => return Err(self.refuse(format!("`{branch}` has several upstreams"))),
            },
            Err(why) => self.unclear(why),
        }
        Ok(())
    }
}
