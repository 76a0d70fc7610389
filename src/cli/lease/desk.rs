//! What every verb of `lease` starts from: the checkout, who asks, the store; and how it ends.

use super::left::give_way;
use super::{Place, Who, terminal};
use crate::action;
use crate::cli::{Exit, home, input};
use crate::lease::asker::{Asker, HostProcess};
use crate::lease::book::Name;
use crate::lease::error::{Class, Code, Refusal};
use crate::lease::identity::{self, Said};
use crate::lease::law::{Act, Outcome, Wanted, shown};
use crate::lease::liveness::Here;
use crate::lease::record::Claim;
use crate::lease::registry::Registry;
use crate::lease::spot::Spot;
use crate::lease::store::WAIT_VERB;
use crate::lease::store::dir::Dir;
use crate::lease::terms::Terms;
use crate::lease::witness::{Machine, here};
use crate::log::{Entry, Log, Settings as LogSettings};
use crate::person::{self, chain};
use crate::state::time::Moment;
use crate::state::{State, Trouble};
use crate::world::{Fact, Head, Root, World};
use serde::Serialize;
use std::path::Path;

/// The store, and who asks.
pub(in crate::cli) struct Desk {
    pub(in crate::cli) state: State,
    pub(in crate::cli) store: Dir,
    pub(in crate::cli) here: Here,
    pub(in crate::cli) json: bool,
}

/// One checkout, and what git says of it.
pub(in crate::cli) struct Found {
    pub(in crate::cli) spot: Spot,
    pub(in crate::cli) branch: Option<String>,
    pub(in crate::cli) origin: Option<String>,
}

impl Desk {
    /// Opens the store of this machine.
    pub(in crate::cli) fn open(json: bool) -> Result<Desk, Refusal> {
        let trouble = |why: String| Refusal::new(Code::Store, why);
        let state = home::state().map_err(trouble)?;
        let here = here(&state).map_err(|why| trouble(why.0))?;
        Ok(Desk {
            store: Dir::new(state.dir(), &here.boot),
            state,
            here,
            json,
        })
    }

    /// The law, the store and this machine.
    pub(in crate::cli) fn registry(&self) -> Registry<'_> {
        Registry {
            store: &self.store,
            witness: &Machine,
            terms: Terms::default(),
            looks: Some(&self.state),
        }
    }

    /// The checkout that is meant.
    pub(in crate::cli) fn find(&self, worktree: Option<&Path>) -> Result<Found, Refusal> {
        let around = input::around(worktree);
        let place = action::Place {
            dir: around.cwd.clone(),
            ..action::Place::default()
        };
        let world = World::new(around);
        let dirs = world.dirs(&place);
        let dirs = dirs.ok_or_else(|| nowhere(worktree, &world, &place))?;
        let branch = match world.heads(&place) {
            Fact::Known(heads) => match heads.as_slice() {
                [Head::Branch(branch)] => Some(branch.clone()),
                _ => None,
            },
            Fact::Unknown(_) => None,
        };
        Ok(Found {
            spot: Spot::of(&dirs.top, &dirs.git_dir, &dirs.common)?,
            branch,
            origin: world.remote_urls(&place).into_iter().next(),
        })
    }

    /// Who asks. An agent is itself, whatever it says; others name the session that they act for.
    pub(in crate::cli) fn asker(&self, who: &Who) -> Result<Asker, Refusal> {
        let asking = person::Asker::here();
        if asking.is_person(false).is_ok() {
            return self.dispatched(who, &asking.chain);
        }
        let said = Said {
            session: None,
            agent: None,
            mark: asking.mark.as_ref().map(|(_, host)| *host),
            variable: &|name| std::env::var(name).ok(),
        };
        let asker = identity::asker(&said, &asking.chain, self.here.clone(), &chain::process);
        let other = who.session.is_some() && who.session != asker.session;
        if other || who.pid.is_some() {
            return Err(Refusal::new(
                Code::NotOwner,
                "an agent acts for its own session alone: leave `--session` and `--pid` out",
            ));
        }
        Ok(asker)
    }

    fn dispatched(&self, who: &Who, above: &chain::Chain) -> Result<Asker, Refusal> {
        let process = match who.pid {
            None => None,
            Some(pid) => match chain::look(pid) {
                chain::Look::Running { start } => Some(HostProcess {
                    pid,
                    start,
                    host: "process".to_owned(),
                    one_session: true,
                }),
                _ => {
                    return Err(Refusal::new(
                        Code::HostPidNotFound,
                        format!("there is no process {pid} that can be seen here"),
                    ));
                }
            },
        };
        Ok(Asker {
            here: self.here.clone(),
            process,
            session: who.session.clone(),
            agent: None,
            chain: above.processes.iter().map(|p| p.pid).collect(),
        })
    }

    /// What policy decides about claims there.
    pub(in crate::cli) fn terms(&self, found: &Found) -> Terms {
        super::terms(&home::Here::of(Some(&found.spot.top)).policy())
    }

    /// Asks the law about the checkout at `found`, and logs what changed.
    pub(in crate::cli) fn run(
        &self,
        found: &Found,
        who: &Asker,
        act: Act,
    ) -> Result<Outcome, Refusal> {
        let key = (found.spot.repo.as_str(), found.spot.checkout.as_str());
        let now = Moment::now();
        let registry = Registry {
            terms: self.terms(found),
            ..self.registry()
        };
        if let Act::Claim(wanted) = &act {
            self.cleared(&registry, key.0, who, &named(wanted));
        }
        let outcome = registry.run(key, who, act, None, (WAIT_VERB, now))?;
        if let Err(why) = note(&self.state, &found.spot.top, who, &outcome, now) {
            terminal::err(&format!("leaseguard: {}\n", why.0));
        }
        Ok(outcome)
    }

    /// Clears claims out of the way whose checkouts are gone: `who`'s own, and those by `names`.
    pub(in crate::cli) fn cleared(
        &self,
        registry: &Registry<'_>,
        repo: &str,
        who: &Asker,
        names: &[Name],
    ) -> Vec<Outcome> {
        let now = Moment::now();
        let done = give_way(registry, repo, who, names, (WAIT_VERB, now));
        for (top, outcome) in &done {
            if let Err(why) = note(&self.state, top, who, outcome, now) {
                terminal::err(&format!("leaseguard: {}\n", why.0));
            }
        }
        done.into_iter().map(|(_, outcome)| outcome).collect()
    }

    /// Tells what came of it.
    pub(in crate::cli) fn told(&self, outcome: &Outcome) -> Exit {
        if self.json {
            #[derive(Serialize)]
            struct Told<'a> {
                v: u32,
                event: &'a str,
                claim: Option<&'a Claim>,
            }
            terminal::out(&terminal::json_line(&Told {
                v: 1,
                event: outcome.event,
                claim: outcome.claim.as_ref(),
            }));
            return Exit::Ok;
        }
        let text = match &outcome.claim {
            Some(claim) => {
                format!(
                    "{}: `{}` on branch `{}`, claim `{}`, {}",
                    outcome.event,
                    claim.checkout.path.display(),
                    claim.branch.as_deref().unwrap_or("-"),
                    claim.claim_id,
                    shown(claim)
                ) + &bounds(claim)
            }
            None => outcome.event.to_owned(),
        };
        terminal::out(&(safe(&text) + "\n"));
        Exit::Ok
    }
}

/// The names that a claim takes.
pub(in crate::cli) fn named(wanted: &Wanted) -> Vec<Name> {
    let branch = wanted.branch.clone().map(Name::Branch);
    let ticket = wanted.ticket.clone().or_else(|| wanted.branch.clone());
    branch.into_iter().chain(ticket.map(Name::Ticket)).collect()
}

/// Why there is no checkout where one was looked for.
fn nowhere(worktree: Option<&Path>, world: &World, place: &action::Place) -> Refusal {
    let bare = place.dir.as_deref().map(|dir| world.root(dir)) == Some(Root::Bare);
    let what = match worktree {
        Some(dir) => format!(
            "there is no checkout of a git repository at `{}`: `git worktree list` tells where they are",
            dir.display()
        ),
        None if bare => "this is a bare repository, which has no checkout of its own: go into one of its worktrees, or name one with `--worktree` (`git worktree list` tells where they are)".to_owned(),
        None => "there is no checkout of a git repository here: go into one, or name it with `--worktree`".to_owned(),
    };
    Refusal::new(Code::WorktreeGone, what)
}

/// What a claim keeps its own holder from, in words.
fn bounds(claim: &Claim) -> String {
    let mut text = String::new();
    if !claim.role.writes() {
        text.push_str(&format!(", as `{}`", claim.role));
    }
    if !claim.allowed_paths.is_empty() {
        text.push_str(&format!(", within `{}`", claim.allowed_paths.join("`, `")));
    }
    text
}

/// Writes a line of the log for what changed. That it cannot be written changes nothing (R12).
pub(in crate::cli) fn note(
    state: &State,
    top: &Path,
    who: &Asker,
    outcome: &Outcome,
    now: Moment,
) -> Result<(), Trouble> {
    let claim = outcome.claim.as_ref();
    let mut text = format!("{} `{}`", outcome.event, top.display());
    if let Some(claim) = claim {
        text.push_str(&format!(
            " branch `{}` epoch {} revision {}",
            claim.branch.as_deref().unwrap_or("-"),
            claim.epoch,
            claim.rev
        ));
        if let Some(prev) = claim.prev.as_ref().filter(|_| outcome.event != "renew") {
            text.push_str(&format!(" after `{}` ({})", prev.claim_id, prev.how));
        }
    }
    let mut effects = vec![text.into()];
    if let Some(reason) = &outcome.reason {
        effects.push(format!("because: {reason}").into());
    }
    let entry = Entry {
        kind: outcome.event,
        host: who.process.as_ref().map(|p| p.host.as_str()),
        session: who.session.as_deref(),
        agent: who.agent.as_deref(),
        repository: Some(top),
        claim: claim.map(|c| c.claim_id.as_str()),
        lane: claim.and_then(|c| c.lane.as_deref()),
        effects,
        ..Entry::default()
    };
    Log::new(state, LogSettings::default()).write(&entry, now)
}

/// The verb `work`, with its refusal told.
pub(in crate::cli) fn at_desk(
    json: bool,
    work: impl FnOnce(&Desk) -> Result<Exit, Refusal>,
) -> Exit {
    let done = Desk::open(json).and_then(|desk| work(&desk));
    done.unwrap_or_else(|refusal| refused(&refusal, json))
}

/// The same, at a checkout and with who asks.
pub(in crate::cli) fn at_checkout(
    place: &Place,
    who: &Who,
    work: impl FnOnce(&Desk, &Found, &Asker) -> Result<Exit, Refusal>,
) -> Exit {
    at_desk(place.json, |desk| {
        let found = desk.find(place.worktree.as_deref())?;
        let asker = desk.asker(who)?;
        work(desk, &found, &asker)
    })
}

/// Tells a refusal.
pub(in crate::cli) fn refused(refusal: &Refusal, json: bool) -> Exit {
    if json {
        #[derive(Serialize)]
        struct Told<'a> {
            v: u32,
            error: &'a str,
            message: &'a str,
        }
        terminal::out(&terminal::json_line(&Told {
            v: 1,
            error: refusal.code.text(),
            message: &refusal.what,
        }));
    } else {
        terminal::err(&format!("leaseguard: {}\n", safe(&refusal.to_string())));
    }
    match refusal.code.class() {
        Class::Refused => Exit::Denied,
        Class::Trouble => Exit::Trouble,
        Class::Person => Exit::Ask,
    }
}

/// Text of others, so that it cannot move the cursor.
pub(in crate::cli) fn safe(text: &str) -> String {
    let shown = |c: char| if c.is_control() { ' ' } else { c };
    text.chars().map(shown).collect()
}
