//! What a push would update: git's own steps from words and config to full ref names.

use super::oldkind;
use super::refspec::Spec;
use super::remote::{self, Choice, Remote};
use super::spot::Spot;
use super::target::Targets;
use super::{Head, Update, UpdateKind};
use crate::action::{Push, Pusher};

/// What was found out about one push in one alternative.
#[derive(Debug, Default)]
pub(super) struct Plan {
    pub(super) targets: Vec<Target>,
    pub(super) unclear: Vec<String>,
    pub(super) refused: Option<String>,
    pub(super) urls: Vec<String>,
}

/// One update with the local ref that it comes from.
#[derive(Debug, Clone)]
pub(super) struct Target {
    pub(super) source: Option<String>,
    pub(super) update: Update,
}

impl Target {
    /// The update, which knows where it comes from.
    pub(super) fn sourced(self) -> Update {
        Update {
            source: self.source,
            ..self.update
        }
    }
}

/// A refspec and the fact that brought it in.
pub(super) type Because = (Spec, String);

/// Stop: the plan says why.
pub(super) struct Stop;

pub(super) const NAMED: &str = "named on the command line";

/// Predicts all updates of `push`.
pub(super) fn predict(push: &Push, spot: &Spot<'_>) -> Plan {
    let mut planner = Planner {
        push,
        spot,
        plan: Plan::default(),
    };
    if push.dry_run {
        return planner.plan;
    }
    if let Some(why) = contradiction(push) {
        planner.plan.refused = Some(why);
        return planner.plan;
    }
    if push.from_stdin {
        planner.unclear("refspecs come from standard input");
    }
    let ended = match push.by {
        Pusher::Push => planner.push(),
        Pusher::SendPack => planner.send_pack(),
        Pusher::Subtree => planner.subtree(),
        // Given, and never predicted.
        Pusher::Hook => Ok(()),
    };
    let mut plan = planner.plan;
    if ended.is_err() && plan.refused.is_some() {
        plan.targets.clear();
        plan.unclear.clear();
    }
    plan
}

/// Options that git does not take together.
fn contradiction(push: &Push) -> Option<String> {
    let modes = [
        ("--delete", push.delete.is_some()),
        ("--tags", push.tags.is_some() && push.by == Pusher::Push),
        ("--all", push.all.is_some()),
        ("--mirror", push.mirror.is_some()),
    ];
    let given: Vec<&str> = modes.iter().filter(|m| m.1).map(|m| m.0).collect();
    if let [first, second, ..] = given.as_slice() {
        return Some(format!("git takes `{first}` and `{second}` not together"));
    }
    let named = !push.refspecs.is_empty();
    match given.first() {
        Some(&"--delete") if !named => Some("`--delete` names no refs".to_owned()),
        Some(mode @ (&"--all" | &"--mirror")) if named => {
            Some(format!("git takes `{mode}` and refspecs not together"))
        }
        _ => None,
    }
}

pub(super) struct Planner<'a> {
    pub(super) push: &'a Push,
    pub(super) spot: &'a Spot<'a>,
    pub(super) plan: Plan,
}

impl Planner<'_> {
    pub(super) fn unclear(&mut self, why: impl Into<String>) {
        let why = why.into();
        if !self.plan.unclear.contains(&why) {
            self.plan.unclear.push(why);
        }
    }

    pub(super) fn refuse(&mut self, why: impl Into<String>) -> Stop {
        self.plan.refused = Some(why.into());
        Stop
    }

    /// Every update of this push may rewrite.
    fn forces(&self) -> bool {
        self.push.force.is_some() || self.push.lease.is_some()
    }

    pub(super) fn targets<'b>(&'b mut self, remote: &'b Remote) -> Targets<'b> {
        Targets {
            spot: self.spot,
            remote: &remote.name,
            forced: self.forces(),
            prune: self.push.prune.is_some(),
            plan: &mut self.plan,
        }
    }

    fn push(&mut self) -> Result<(), Stop> {
        let head = self.spot.head();
        let named = !self.push.refspecs.is_empty();
        let remote = match remote::choose(self.push, self.spot, &head) {
            Choice::Remote(remote, doubts) => {
                if !named {
                    doubts.into_iter().for_each(|why| self.unclear(why));
                }
                remote
            }
            Choice::Unclear(why) => {
                self.unclear(why);
                return Ok(());
            }
            Choice::Refused(why) => return Err(self.refuse(why)),
        };
        let Some(old) = oldkind::find(self.spot, &remote.name).filter(|_| remote.known) else {
            return self.to(&remote, &head);
        };
        let spot = old.named(self.spot, &remote.name);
        let mut planner = Planner {
            push: self.push,
            spot: &spot,
            plan: std::mem::take(&mut self.plan),
        };
        let ended = planner.to(&remote, &head);
        self.plan = planner.plan;
        if let Some(refname) = old.follows {
            self.plan.targets.push(Target {
                source: None,
                update: Update {
                    remote: ".".to_owned(),
                    refname,
                    kind: UpdateKind::Force,
                    because: format!("`.git/branches/{}` makes it follow", remote.name),
                    depends: true,
                    source: None,
                },
            });
        }
        ended
    }

    /// A push to the remote that was chosen.
    fn to(&mut self, remote: &Remote, head: &Result<Head, String>) -> Result<(), Stop> {
        let named = !self.push.refspecs.is_empty();
        self.plan.urls = remote::urls(&self.spot.settings, remote);
        if let Some(why) = remote::legacy(self.spot, &remote.name) {
            self.unclear(why);
        }
        let mirror = self.mirrors(remote);
        if mirror && named {
            return Err(self.refuse("a mirror takes no refspecs"));
        }
        let mut specs: Vec<Because> = Vec::new();
        if self.push.tags.is_some() {
            let all = "refs/tags/*".to_owned();
            specs.push((
                Spec::Glob {
                    src: all.clone(),
                    dst: all,
                    force: false,
                },
                "`--tags` pushes every tag".to_owned(),
            ));
        }
        self.named(remote, &mut specs)?;
        if mirror && specs.is_empty() {
            self.targets(remote).mirror();
        } else if self.push.all.is_some() {
            self.targets(remote).all();
        } else {
            if !named && specs.is_empty() {
                self.unnamed(remote, head, &mut specs)?;
            }
            self.expand(remote, specs)?;
        }
        self.follow_tags(remote);
        self.submodules(remote);
        Ok(())
    }

    fn mirrors(&mut self, remote: &Remote) -> bool {
        if self.push.mirror.is_some() {
            return true;
        }
        match self
            .spot
            .settings
            .flag(&["remote.", &remote.name, ".mirror"].concat())
        {
            Ok(value) => value == Some(true),
            Err(why) => {
                // A mirror takes no refspecs, so this decides only where none are given.
                if self.push.refspecs.is_empty() {
                    self.unclear(why);
                }
                false
            }
        }
    }

    pub(super) fn expand(&mut self, remote: &Remote, specs: Vec<Because>) -> Result<(), Stop> {
        let (mut denied, mut from) = (Vec::new(), Vec::new());
        for (spec, because) in specs {
            match spec {
                Spec::Negative { pattern } => denied.push(pattern),
                other => from.push((other, because)),
            }
        }
        for (spec, because) in from {
            let stopped = self.targets(remote).expand(&spec, &because);
            if let Err(why) = stopped {
                return Err(self.refuse(why));
            }
        }
        if !denied.is_empty() {
            self.plan.targets.retain(|t| {
                !denied.iter().any(|pattern| {
                    *pattern == t.update.refname
                        || super::glob::star(pattern, &t.update.refname).is_some()
                })
            });
        }
        Ok(())
    }

    fn follow_tags(&mut self, remote: &Remote) {
        let follows = match self.push.follow_tags {
            Some(given) => given,
            None => !matches!(
                self.spot.settings.flag("push.followtags"),
                Ok(None | Some(false)) | Err(_)
            ),
        };
        if follows {
            self.plan.targets.push(Target {
                source: None,
                update: Update {
                    remote: remote.name.clone(),
                    refname: "refs/tags/*".to_owned(),
                    kind: UpdateKind::Create,
                    because: "annotated tags follow their commits".to_owned(),
                    depends: true,
                    source: None,
                },
            });
        }
    }

    /// Submodules that are pushed along get the same refspecs in their own repositories.
    fn submodules(&mut self, remote: &Remote) {
        let mut mode = None;
        for entry in &self.spot.settings.entries {
            let push = entry.key.is("push.recursesubmodules");
            if push || entry.key.is("submodule.recurse") {
                mode = match &entry.value {
                    super::config::Value::Text(t)
                        if push && super::config::boolean(&entry.value).is_none() =>
                    {
                        Some(t.as_str())
                    }
                    value => match super::config::boolean(value) {
                        Some(false) => None,
                        _ => Some("on-demand"),
                    },
                };
            }
        }
        if let Some(word) = &self.push.recurse {
            mode = Some(word.known().unwrap_or("on-demand"));
        }
        let only = match mode {
            Some("on-demand") => false,
            Some("only") => true,
            _ => return,
        };
        let has_modules = self.spot.repo.as_ref().is_ok_and(|repo| {
            let top = repo.top.as_ref();
            top.is_some_and(|top| std::fs::symlink_metadata(top.join(".gitmodules")).is_ok())
        });
        if !has_modules {
            return;
        }
        if remote.name.contains(['/', ':']) {
            self.unclear("submodules are pushed by their own config");
        }
        let mut along = self.plan.targets.clone();
        for target in &mut along {
            target.source = None;
            target.update.depends = true;
            target.update.because = "submodules are pushed to refs of the same name".to_owned();
        }
        if only {
            self.plan.targets.clear();
        }
        self.plan.targets.append(&mut along);
    }
}

/// The fact that decided.
pub(super) fn tracks(mode: &str, branch: &str, merge: &str) -> String {
    let short = merge.strip_prefix("refs/heads/").unwrap_or(merge);
    format!("`push.default` is `{mode}` and `{branch}` tracks `{short}`")
}
