//! What git tells its own hooks, judged by the same laws as what an agent proposes.

use super::{Judging, Walk};
use crate::action::{self, Act, Action, Commit, How, Place, Pointed, Push, Pusher};
use crate::call::{Call, Hooked, RefUpdate, What, Work};
use crate::policy::{Policy, Shelf};
use crate::shell::{Opaque, Script, Span, Step, Word};
use crate::world::{Outlook, Presence, Surroundings, Update, UpdateKind};
use std::rc::Rc;

/// The policy of the repository that git's hook runs in.
pub fn policy_of(call: &Call, around: Surroundings, shelf: &Shelf) -> Rc<Policy> {
    let mut walk = Walk::new(call, around, shelf, "");
    let place = match &call.what {
        What::GitHook(hooked) => walk.place_of(hooked),
        _ => walk.place(Pointed::Found),
    };
    walk.policy(&place)
}

impl Walk<'_> {
    /// Judges what git is about to do.
    pub(super) fn git_hook(&mut self, hooked: &Hooked) -> Script {
        let place = self.place_of(hooked);
        // Laws are silent where there is no repository, and here there must be one.
        if self.world.presence(&place) == Presence::Absent {
            let why = "git works in a repository that is not found from here".to_owned();
            self.unread("repository", why, Span::default());
            return Script::default();
        }
        match &hooked.work {
            Work::Push {
                remote,
                url,
                updates,
            } => {
                let typed = hooked.typed.as_deref();
                if !typed.is_some_and(|text| self.is_dry(text)) {
                    self.given_push(place, remote, url, updates);
                }
                Script::default()
            }
            Work::Commit { sweeps } => self.given_commit(place, hooked.typed.as_deref(), *sweeps),
        }
    }

    fn place_of(&self, hooked: &Hooked) -> Place {
        self.place(match &hooked.git_dir {
            Some(dir) => Pointed::At(dir.clone()),
            None => Pointed::Found,
        })
    }

    fn place(&self, git_dir: Pointed) -> Place {
        Place {
            dir: self.world.around.cwd.clone(),
            git_dir,
            ..Place::default()
        }
    }

    fn given_push(&mut self, place: Place, remote: &str, url: &str, updates: &[RefUpdate]) {
        let moved: Vec<(&str, &str)> = updates.iter().filter_map(moved).collect();
        let mut ahead = self.world.descend(&place, &moved).into_iter();
        let updates = updates.iter().map(|update| {
            let forced = moved_tag(update) || moved_on(update) && !ahead.next().unwrap_or(false);
            told(remote, update, forced)
        });
        let outlook = Outlook {
            updates: updates.collect(),
            urls: vec![url.to_owned()],
            ..Outlook::default()
        };
        let push = Push {
            by: Pusher::Hook,
            remote: Some(Word {
                text: remote.to_owned(),
                span: Span::default(),
                opaque: Opaque::No,
                glob: false,
            }),
            ..Push::default()
        };
        self.world.given(&push, &place, outlook);
        self.judge(&acting(Act::Push(push), place), Judging::Surely);
    }

    /// Whether all that `text` pushes is only tried out.
    fn is_dry(&self, text: &str) -> bool {
        let script = self.extract(text);
        let dir = self.world.around.cwd.as_deref();
        let mut pushes = script
            .commands()
            .flat_map(|command| action::name(command, dir, &self.world).actions)
            .filter_map(|action| match action.act {
                Act::Push(push) => Some(push.dry_run),
                _ => None,
            })
            .peekable();
        pushes.peek().is_some() && pushes.all(|dry| dry)
    }

    /// Judges the command line that git was started with; where it is no plain `commit`, the index
    /// that git commits from has to tell.
    fn given_commit(&mut self, place: Place, typed: Option<&str>, sweeps: bool) -> Script {
        // Breaking off half-way would leave more harm than it spares.
        if self.world.busy(&place).is_some() {
            return Script::default();
        }
        let script = typed.map(|text| self.extract(text)).unwrap_or_default();
        let mut commits = false;
        for step in &script.steps {
            let Step::Run(command) = step else { continue };
            let dir = place.dir.as_deref();
            for mut action in action::name(command, dir, &self.world).actions {
                commits |= matches!(action.act, Act::Commit(_));
                // `-C` has been followed already.
                action.place.dir.clone_from(&place.dir);
                action.place.git_dir = place.git_dir.clone();
                action.place.work_tree = Pointed::Found;
                if matches!(
                    action.act,
                    Act::Commit(_) | Act::SkipHooks(_) | Act::SkipSigning(_)
                ) {
                    self.judge(&action, Judging::Surely);
                }
            }
        }
        if sweeps && !commits {
            let commit = Commit {
                all: Some(How {
                    text: "commit -a".to_owned(),
                    span: Span::default(),
                }),
                ..Commit::default()
            };
            self.judge(&acting(Act::Commit(commit), place), Judging::Surely);
        }
        script
    }
}

fn acting(act: Act, place: Place) -> Action {
    Action {
        act,
        place,
        span: Span::default(),
        shown: String::new(),
    }
}

/// Whether it replaces or removes what is no branch's history.
fn moved_tag(update: &RefUpdate) -> bool {
    let both = update.new.is_some() && update.old.is_some();
    both && update.refname.starts_with("refs/tags/")
}

fn moved_on(update: &RefUpdate) -> bool {
    moved(update).is_some()
}

/// The new and the old object of a ref whose history decides.
fn moved(update: &RefUpdate) -> Option<(&str, &str)> {
    let pair = (update.new.as_deref()?, update.old.as_deref()?);
    (!moved_tag(update)).then_some(pair)
}

fn told(remote: &str, update: &RefUpdate, forced: bool) -> Update {
    let old = update.old.as_deref().unwrap_or_default();
    let old = old.get(..12).unwrap_or(old);
    let (kind, because) = match (&update.new, &update.old) {
        (None, _) => (
            UpdateKind::Delete,
            "git is about to remove it there".to_owned(),
        ),
        (Some(_), None) => (
            UpdateKind::Create,
            format!("git is about to send `{}` there", update.source),
        ),
        _ if forced => (
            UpdateKind::Force,
            format!(
                "`{old}`, which the remote has, is not among the commits of `{}`",
                update.source
            ),
        ),
        _ => (
            UpdateKind::Move,
            format!("git is about to send `{}` there", update.source),
        ),
    };
    Update {
        remote: remote.to_owned(),
        refname: update.refname.clone(),
        kind,
        because,
        depends: false,
        source: Some(update.source.clone()).filter(|name| name.starts_with("refs/")),
    }
}
