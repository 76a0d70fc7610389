//! What a push would cut off: checks and reviews of the heads that it replaces.

use super::refs::tail;
use super::repo::Repo;
use super::spot::Spot;
use super::{Outlook, Update, UpdateKind, World, remote};
use crate::action::{Act, Action, Place, Push};
use crate::ci::{self, Address, Env, Moment, State, Subject};
use crate::policy::{Gate, Policy};
use std::cell::{Cell, RefCell};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// How many branches of one push are asked about.
const MOST: usize = 3;

/// How long all questions of one call may take.
const WAIT_ALL: Duration = Duration::from_secs(3);

/// What is known of one branch that a push would move.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Wave {
    /// The remote as git would name it.
    pub remote: String,
    /// The short name of the branch.
    pub branch: String,
    /// What works on it.
    pub is: Working,
}

/// What works on a head, in words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Working {
    /// These, one a line.
    Runs(Vec<String>),
    /// It cannot be told; the causes.
    Unclear(Vec<String>),
}

/// What was asked in this call, and what the call itself has begun.
#[derive(Debug, Default)]
pub(super) struct Waves {
    asked: RefCell<Vec<(String, Option<State>)>>,
    spent: Cell<Duration>,
    /// Something has been done since the call began.
    acted: bool,
    /// Branches that this call has pushed, and whether it has committed since.
    pushed: Vec<(String, bool)>,
}

/// A branch with what is needed to ask about it.
pub struct Target {
    /// The remote as git would name it.
    pub remote: String,
    /// The short name of the branch.
    pub branch: String,
    /// Where a push goes.
    pub url: String,
    /// The commit that it was last seen at.
    pub head: Option<String>,
    /// The log of its moves, where it has one here.
    log: Option<PathBuf>,
}

impl Target {
    /// The question, with the moments of the last push and the last move.
    pub fn subject(&self) -> Subject<'_> {
        let (pushed, seen) = self.log.as_deref().map(moved).unwrap_or_default();
        Subject {
            pushed,
            seen,
            ..self.name()
        }
    }

    /// The question as far as it says which branch is meant.
    fn name(&self) -> Subject<'_> {
        Subject {
            url: &self.url,
            branch: &self.branch,
            head: self.head.as_deref(),
            pushed: None,
            seen: None,
        }
    }
}

impl World {
    /// What still works on the branches that `push` would move. Nothing is asked unless the policy
    /// wants it and an existing branch that is no base branch would move.
    pub fn waves(&self, push: &Push, place: &Place, policy: &Policy) -> Vec<Wave> {
        if policy.ci_gate() == Gate::Off || push.dry_run {
            return Vec::new();
        }
        let outlook = self.push(push, place);
        if outlook.refused.is_some() {
            return Vec::new();
        }
        let Some(spot) = self.spots(place).next() else {
            return Vec::new();
        };
        let Ok(repo) = &spot.repo else {
            return Vec::new();
        };
        let mut waves = Vec::new();
        let mut count = 0usize;
        for update in outlook.updates.iter().filter(|u| moves(u, policy)) {
            for target in self.targets(update, &outlook, &spot, repo, policy) {
                count = count.saturating_add(1);
                let is = match count <= MOST {
                    true => self.working(&target, policy),
                    false => Some(Working::Unclear(vec![
                        "it moves more branches than are asked about in one call".to_owned(),
                    ])),
                };
                let wave = |is| Wave {
                    remote: target.remote.clone(),
                    branch: target.branch.clone(),
                    is,
                };
                waves.extend(is.map(wave));
            }
        }
        waves
    }

    /// The branch `branch` of `remote` at `place`, for whoever asks by name.
    pub fn branch_target(&self, place: &Place, name: &str, branch: &str) -> Option<Target> {
        let spot = self.spots(place).next()?;
        let repo = spot.repo.as_ref().ok()?;
        let remote = remote::Remote {
            name: name.to_owned(),
            known: true,
        };
        let url = remote::urls(&spot.settings, &remote).into_iter().next()?;
        Some(target(repo, name, branch, url, name))
    }

    /// The remote that a plain push of `branch` goes to.
    pub fn push_remote(&self, place: &Place) -> Option<String> {
        let spot = self.spots(place).next()?;
        match remote::choose(&Push::default(), &spot, &spot.head()) {
            remote::Choice::Remote(remote, _) => Some(remote.name),
            _ => None,
        }
    }

    fn targets(
        &self,
        update: &Update,
        outlook: &Outlook,
        spot: &Spot<'_>,
        repo: &Repo,
        policy: &Policy,
    ) -> Vec<Target> {
        let Some(branch) = update.refname.strip_prefix("refs/heads/") else {
            return Vec::new();
        };
        let mut out = Vec::new();
        for url in &outlook.urls {
            if ci::nowhere(url, policy) {
                continue;
            }
            let name = match plain(&update.remote) {
                true => Some(update.remote.clone()),
                false => remote_at(spot, url),
            };
            let seen_as = name.as_deref().unwrap_or_default();
            let target = target(repo, &update.remote, branch, url.clone(), seen_as);
            // The first push of a branch cuts nothing off.
            if target.head.is_none() && name.is_some() {
                continue;
            }
            let source = update.source.as_deref().and_then(|s| repo.oid(s));
            if !self.waves.acted && source.is_some() && source == target.head {
                continue;
            }
            out.push(target);
        }
        out
    }

    fn working(&self, target: &Target, policy: &Policy) -> Option<Working> {
        let key = [&target.url, "\0", &target.branch].concat();
        if self
            .waves
            .pushed
            .iter()
            .any(|(k, since)| *k == key && *since)
        {
            return self.flight(target, &key, policy).map(|_| {
                let why = "an earlier push of this call starts checks of its own";
                Working::Runs(vec![why.to_owned()])
            });
        }
        let now = self.now();
        match self.flight(target, &key, policy)? {
            State::Idle => None,
            State::InFlight(lines) => Some(Working::Runs(
                lines.iter().map(|line| line.shown(now)).collect(),
            )),
            State::Unclear(why) => Some(Working::Unclear(why)),
        }
    }

    fn flight(&self, target: &Target, key: &str, policy: &Policy) -> Option<State> {
        let asked = self.waves.asked.borrow();
        if let Some((_, state)) = asked.iter().find(|(k, _)| k == key) {
            return state.clone();
        }
        drop(asked);
        let look = |name: &str| -> Option<OsString> { (self.around.env.look)(name) };
        let begun = Instant::now();
        let env = Env {
            look: &look,
            now: self.around.now.map(Moment::of),
            left: WAIT_ALL.saturating_sub(self.waves.spent.get()),
        };
        let state = ci::recall(&target.name(), policy, &env)
            .or_else(|| ci::look(&target.subject(), policy, &env));
        let spent = self.waves.spent.get().saturating_add(begun.elapsed());
        self.waves.spent.set(spent);
        let mut asked = self.waves.asked.borrow_mut();
        asked.push((key.to_owned(), state.clone()));
        state
    }

    fn now(&self) -> Moment {
        self.around.now.map_or_else(Moment::now, Moment::of)
    }

    /// Notes what the call itself does to branches that it pushes.
    pub(super) fn note(&mut self, action: &Action) {
        match &action.act {
            Act::Push(push) if !push.dry_run => {
                let outlook = self.push(push, &action.place);
                for update in &outlook.updates {
                    let Some(branch) = update.refname.strip_prefix("refs/heads/") else {
                        continue;
                    };
                    for url in &outlook.urls {
                        let key = [url, "\0", branch].concat();
                        self.waves.pushed.push((key, false));
                    }
                }
            }
            Act::Commit(commit) if !commit.dry_run => {
                for (_, since) in &mut self.waves.pushed {
                    *since = true;
                }
            }
            _ => {}
        }
        self.waves.acted = true;
    }
}

/// An existing branch of a remote that is no base branch. By a URL, git does not know whether it
/// exists.
fn moves(update: &Update, policy: &Policy) -> bool {
    let Some(branch) = update.refname.strip_prefix("refs/heads/") else {
        return false;
    };
    let existing = match update.kind {
        UpdateKind::Move | UpdateKind::Force => true,
        UpdateKind::Create => !plain(&update.remote),
        UpdateKind::Delete => false,
    };
    existing && update.remote != "." && !branch.contains('*') && !policy.is_base(branch)
}

/// The name of a configured remote, not a URL or path.
fn plain(remote: &str) -> bool {
    !remote.contains(['/', ':', '…'])
}

/// The configured remote with the same place.
fn remote_at(spot: &Spot<'_>, url: &str) -> Option<String> {
    let wanted = Address::read(url);
    let names = spot.settings.middles("remote");
    let found = names.into_iter().find(|name| {
        let remote = remote::Remote {
            name: (*name).to_owned(),
            known: true,
        };
        let urls = remote::urls(&spot.settings, &remote);
        urls.iter()
            .any(|u| u == url || (wanted.is_some() && Address::read(u) == wanted))
    });
    found.map(str::to_owned)
}

fn target(repo: &Repo, remote: &str, branch: &str, url: String, seen_as: &str) -> Target {
    let tracking = ["refs/remotes/", seen_as, "/", branch].concat();
    Target {
        remote: remote.to_owned(),
        branch: branch.to_owned(),
        url,
        head: repo.oid(&tracking).filter(|_| !seen_as.is_empty()),
        log: (!seen_as.is_empty()).then(|| repo.common.join("logs").join(&tracking)),
    }
}

/// When a tracking ref moved last, and whether that was a push from here.
fn moved(log: &Path) -> (Option<Moment>, Option<Moment>) {
    let log = tail(log).unwrap_or_default();
    let last = log.lines().next_back().and_then(|line| {
        let (who, what) = line.split_once('\t')?;
        let mut words = who.rsplit(' ');
        let (_zone, seconds) = (words.next()?, words.next()?);
        let at = Moment(seconds.parse::<i64>().ok()?.checked_mul(1000)?);
        Some((at, what.starts_with("update by push")))
    });
    match last {
        Some((at, true)) => (Some(at), Some(at)),
        Some((at, false)) => (None, Some(at)),
        None => (None, None),
    }
}
