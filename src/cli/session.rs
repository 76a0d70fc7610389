//! What the start, the prompts and the end of a session mean for the claim where it works.
//!
//! Nothing here decides about a call: what fails is told in a note.

use super::{home, input, lease};
use crate::action::Place;
use crate::call::Call;
use crate::lease::asker::Standing;
use crate::lease::book::Name;
use crate::lease::error::Refusal;
use crate::lease::identity::harness;
use crate::lease::law::{Act, Outcome, Source, Wanted, shown};
use crate::lease::liveness::Liveness;
use crate::lease::record::Claim;
use crate::lease::registry::Hold;
use crate::lease::spot::Spot;
use crate::lease::watch::Watch;
use crate::policy::LeaseMode;
use crate::state::time::shown_span;
use crate::world::{Dirs, Fact, Head, World};
use serde::Deserialize;
use std::io::Write;
use std::path::Path;
use std::time::Duration;

/// More claimed checkouts of one repository than this are worth a word (R50).
const MANY: usize = 6;

/// A sign of life and no more.
const RENEW: Act = Act::Renew {
    stage: None,
    ttl: None,
};

/// What happened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Event {
    Start,
    Prompt,
    /// A subagent ended.
    Stop,
    End,
}

/// Events as hosts call them.
const EVENTS: &[(&str, Event)] = &[
    ("SessionStart", Event::Start),
    ("sessionStart", Event::Start),
    ("UserPromptSubmit", Event::Prompt),
    ("userPromptSubmitted", Event::Prompt),
    ("beforeSubmitPrompt", Event::Prompt),
    ("BeforeAgent", Event::Prompt),
    ("SubagentStop", Event::Stop),
    ("subagentStop", Event::Stop),
    ("SessionEnd", Event::End),
    ("sessionEnd", Event::End),
];

/// Why it happened, as far as hosts say.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Said {
    source: Option<String>,
    reason: Option<String>,
}

/// Whether the event `name` says that a session has ended.
pub(super) fn ends(name: &str) -> bool {
    let known = EVENTS.iter().find(|(known, _)| *known == name);
    known.is_some_and(|(_, event)| *event == Event::End)
}

/// Claims, renews or gives back; tells what is worth telling.
pub(super) fn event(name: &str, call: &Call, payload: &[u8]) -> Vec<String> {
    let Some((_, event)) = EVENTS.iter().find(|(known, _)| *known == name) else {
        return Vec::new();
    };
    let said: Said = serde_json::from_slice(payload).unwrap_or_default();
    if *event == Event::Start {
        hint(call.session.as_deref());
    }
    let done = Desk::at(call).map(|desk| desk.map(|desk| desk.on(*event, &said)));
    match done {
        Ok(None) => Vec::new(),
        Ok(Some(Ok(notes))) => notes,
        Ok(Some(Err(refusal))) => vec![format!("no claim was changed: {refusal}")],
        Err(why) => vec![format!("claims cannot be looked at: {why}")],
    }
}

/// Tells what the session starts which session it belongs to, where the host takes such words.
fn hint(session: Option<&str>) {
    let plain = |s: &&str| {
        s.bytes()
            .all(|b| b.is_ascii_alphanumeric() || b"-_.:".contains(&b))
    };
    let (Some(session), Some(file)) = (
        session.filter(plain),
        std::env::var_os("CLAUDE_ENV_FILE").filter(|f| !f.is_empty()),
    ) else {
        return;
    };
    let line = format!("export LEASEGUARD_SESSION={session}\n");
    let file = std::fs::OpenOptions::new()
        .append(true)
        .create(true)
        .open(file);
    // A hint that is missing changes nothing.
    let _ = file.and_then(|mut file| file.write_all(line.as_bytes()));
}

/// One session at one checkout.
struct Desk {
    watch: Watch,
    world: World,
    place: Place,
    dirs: Dirs,
    branch: Option<String>,
    terms: crate::lease::terms::Terms,
    strict: bool,
}

impl Desk {
    /// `None` where claims do not matter.
    fn at(call: &Call) -> Result<Option<Desk>, String> {
        let world = World::new(input::around(call.cwd.as_deref()));
        let place = Place {
            dir: world.around.cwd.clone(),
            ..Place::default()
        };
        let Some(dirs) = world.dirs(&place) else {
            return Ok(None);
        };
        let watch = Watch::of(home::state()?, call.session.clone(), call.agent.clone());
        let policy = home::Here::of(call.cwd.as_deref()).policy();
        if policy.lease_mode() == LeaseMode::Off {
            return Ok(None);
        }
        let branch = match world.heads(&place) {
            Fact::Known(heads) => match heads.as_slice() {
                [Head::Branch(branch)] => Some(branch.clone()),
                _ => None,
            },
            Fact::Unknown(_) => None,
        };
        Ok(Some(Desk {
            strict: policy.lease_mode() == LeaseMode::Strict,
            terms: lease::terms(&policy),
            watch,
            world,
            place,
            dirs,
            branch,
        }))
    }

    fn on(&self, event: Event, said: &Said) -> Result<Vec<String>, Refusal> {
        let linked = self.dirs.git_dir != self.dirs.common;
        if !linked && !self.strict && !self.watch.any() {
            return Ok(Vec::new());
        }
        if matches!(event, Event::Start | Event::Prompt) {
            self.give_way(&[]);
        }
        let hold = self.watch.hold(&self.dirs.git_dir, &self.dirs.common);
        match event {
            Event::Start => self.start(hold, linked, said.source.as_deref()),
            Event::Prompt => self.prompt(hold, linked),
            Event::Stop => match hold {
                Hold::Mine(claim, standing) if claim.owner.agent_id.is_some() => {
                    self.leave(&claim, standing)
                }
                _ => Ok(Vec::new()),
            },
            // The talk goes on under a new id, which takes the claim over as it starts.
            Event::End if matches!(said.reason.as_deref(), Some("clear" | "resume")) => {
                Ok(Vec::new())
            }
            Event::End => {
                self.leave_others();
                match hold {
                    Hold::Mine(claim, standing) => self.leave(&claim, standing),
                    _ => Ok(Vec::new()),
                }
            }
        }
    }

    /// A session may end elsewhere than where it has worked.
    fn leave_others(&self) {
        let (who, now) = (self.watch.asker(), self.watch.now());
        let registry = self.watch.registry(self.terms.clone());
        let Ok(spot) = self.spot() else { return };
        let here = (spot.repo.as_str(), spot.checkout.as_str());
        for (claim, standing) in lease::held(&registry, here, who, now) {
            let place = Place {
                dir: Some(claim.checkout.path.clone()),
                ..Place::default()
            };
            let clean = || self.world.unsaved(&place, &claim.checkout.provisioned);
            let act = match lease::gone(&claim.checkout) || clean() == Fact::Known(None) {
                true => Act::Release,
                false => Act::MarkDirty,
            };
            let key = (here.0, claim.checkout.id.as_str());
            let run = |act| registry.run(key, who, act, None, (Watch::WAIT, now));
            if standing == Standing::Resumed {
                let _ = run(RENEW);
            }
            // Its time ends it where this cannot.
            if let Ok(outcome) = run(act) {
                self.noted(&claim.checkout.path, &outcome);
            }
        }
    }

    /// Clears claims out of the way whose checkouts are gone.
    fn give_way(&self, names: &[Name]) {
        let Ok(spot) = self.spot() else { return };
        let (who, now) = (self.watch.asker(), self.watch.now());
        let registry = self.watch.registry(self.terms.clone());
        let left = lease::give_way(&registry, &spot.repo, who, names, (Watch::WAIT, now));
        for (top, outcome) in &left {
            self.noted(top, outcome);
        }
    }

    /// The log is advice, and never a reason (R12).
    fn noted(&self, top: &Path, outcome: &Outcome) {
        if let Ok(state) = home::state() {
            let _ = lease::note(&state, top, self.watch.asker(), outcome, self.watch.now());
        }
    }

    fn start(
        &self,
        hold: Hold,
        linked: bool,
        source: Option<&str>,
    ) -> Result<Vec<String>, Refusal> {
        let source = match source {
            Some("clear") => Source::Clear,
            Some("compact") => Source::Compact,
            Some("resume") => Source::Resume,
            _ => Source::Startup,
        };
        let hold = match hold {
            Hold::Foreign(claim, alive) if source != Source::Startup => {
                match self.run(Act::Rotate { source }) {
                    Ok(Some(claim)) => Hold::Mine(Box::new(claim), Standing::Owner),
                    _ => Hold::Foreign(claim, alive),
                }
            }
            hold => hold,
        };
        let mut notes = self.prompt(hold.clone(), linked)?;
        let now = self.watch.registry(self.terms.clone());
        let key = self.spot()?;
        if let Some(claim) = now.store.at(&key.repo, &key.checkout).claim()
            && notes.is_empty()
        {
            notes.push(self.told(claim));
        }
        let count = now.store.all(&key.repo).map_or(0, |all| all.len());
        if count > MANY {
            notes.push(format!(
                "{count} checkouts of this repository are claimed on this machine"
            ));
        }
        Ok(notes)
    }

    /// The claim, for the session that holds it.
    fn told(&self, claim: &Claim) -> String {
        let mut text = format!("you hold the checkout `{}`", claim.checkout.path.display());
        if let Some(branch) = &claim.branch {
            text.push_str(&format!(" with branch `{branch}`"));
        }
        if let Some(ticket) = &claim.ticket {
            text.push_str(&format!(" for ticket `{ticket}`"));
        }
        let may = match claim.role.writes() {
            true => "work here, and leave other checkouts and branches to their owners".to_owned(),
            false => format!("as `{}` you read here, and change nothing", claim.role),
        };
        format!("{text}: {may}")
    }

    fn prompt(&self, hold: Hold, linked: bool) -> Result<Vec<String>, Refusal> {
        match hold {
            Hold::Free if linked && self.watch.asker().known() => {
                self.claim()?;
            }
            Hold::Free => {}
            // `switch -c` in one's own worktree moves the claim.
            Hold::Mine(claim, _) if self.branch.is_some() && claim.branch != self.branch => {
                self.claim()?;
            }
            Hold::Mine(..) => {
                self.run(RENEW)?;
            }
            Hold::Lapsed(claim) => {
                return Ok(vec![format!(
                    "{} held this checkout and is gone: `leaseguard lease takeover` makes it yours",
                    shown(&claim)
                )]);
            }
            Hold::Foreign(claim, Liveness::Dead) => {
                let wait =
                    Duration::from_secs(claim.lease.ttl_secs).saturating_add(self.terms.skew);
                return Ok(vec![format!(
                    "{} held this checkout and its process is gone: `leaseguard lease takeover` makes it yours once it has shown no sign of life for {} and nothing works here any more; until then read here, or work in a worktree of your own (`git worktree add`)",
                    shown(&claim),
                    shown_span(wait)
                )]);
            }
            Hold::Foreign(claim, _) | Hold::Unclear(claim) => {
                return Ok(vec![format!(
                    "{} holds this checkout: read here, and work in a worktree of your own (`git worktree add`)",
                    shown(&claim)
                )]);
            }
            Hold::Unreadable(why) => {
                return Ok(vec![format!(
                    "whose this checkout is cannot be read, so it counts as held: {why}"
                )]);
            }
        }
        Ok(Vec::new())
    }

    /// Gives a clean checkout back; marks one with work in it.
    fn leave(&self, claim: &Claim, standing: Standing) -> Result<Vec<String>, Refusal> {
        // It goes on in another process: that one has to be the owner before it can leave.
        if standing == Standing::Resumed {
            self.run(RENEW)?;
        }
        let act = match self.world.unsaved(&self.place, &claim.checkout.provisioned) {
            Fact::Known(None) => Act::Release,
            Fact::Known(Some(_)) | Fact::Unknown(_) => Act::MarkDirty,
        };
        self.run(act)?;
        Ok(Vec::new())
    }

    fn claim(&self) -> Result<(), Refusal> {
        let spot = self.spot()?;
        spot.fit(&self.terms.allowed)?;
        let asker = self.watch.asker();
        let host = asker.process.as_ref().and_then(|p| harness(&p.host));
        let origin = self.world.remote_urls(&self.place).into_iter().next();
        let mut wanted = Wanted::plain(
            spot.repo_record(origin.as_deref()),
            spot.checkout_record(),
            self.branch.clone(),
            host,
        );
        let branch = self.branch.as_deref();
        wanted.ticket = branch.and_then(|branch| self.terms.ticket_in(branch));
        self.run(Act::Claim(Box::new(wanted))).map(drop)
    }

    fn spot(&self) -> Result<Spot, Refusal> {
        Spot::of(&self.dirs.top, &self.dirs.git_dir, &self.dirs.common)
    }

    fn run(&self, act: Act) -> Result<Option<Claim>, Refusal> {
        let spot = self.spot()?;
        let (who, now) = (self.watch.asker(), self.watch.now());
        let registry = self.watch.registry(self.terms.clone());
        let key = (spot.repo.as_str(), spot.checkout.as_str());
        if let Act::Claim(wanted) = &act {
            self.give_way(&lease::named(wanted));
        }
        let outcome = registry.run(key, who, act, None, (Watch::WAIT, now))?;
        if outcome.event != "renew" {
            self.noted(&spot.top, &outcome);
        }
        Ok(outcome.claim)
    }
}

/// Whose the checkout at `cwd` is, in words; `None` where nobody claims it.
pub(super) fn claim(cwd: Option<&Path>) -> Option<String> {
    let world = World::new(input::around(cwd));
    let place = Place {
        dir: world.around.cwd.clone(),
        ..Place::default()
    };
    let dirs = world.dirs(&place)?;
    let watch = Watch::of(home::state().ok()?, None, None);
    let text = |claim: &Claim| {
        let branch = claim.branch.as_deref().unwrap_or("-");
        let ticket = claim.ticket.as_deref().unwrap_or("-");
        lease::safe(&format!(
            "{}, branch `{branch}`, ticket `{ticket}`",
            shown(claim)
        ))
    };
    Some(match watch.hold(&dirs.git_dir, &dirs.common) {
        Hold::Free => return None,
        Hold::Mine(claim, _) | Hold::Foreign(claim, _) | Hold::Unclear(claim) => text(&claim),
        Hold::Lapsed(claim) => format!("{}, who is gone", text(&claim)),
        Hold::Unreadable(why) => format!(
            "cannot be read, so it counts as held: {}",
            lease::safe(&why)
        ),
    })
}

/// What the process of `call` sees of claims; `None` where there is no state directory.
pub(super) fn watch(call: &Call) -> Option<std::rc::Rc<Watch>> {
    let state = home::state().ok()?;
    let watch = Watch::of(state, call.session.clone(), call.agent.clone());
    Some(std::rc::Rc::new(watch))
}

/// A line of the log, and a note, for every claim that was met and is not in force any more (R60).
pub(super) fn lapsed(watch: &Watch, dir: Option<&Path>, verdict: &mut crate::verdict::Verdict) {
    for claim in watch.lapsed() {
        verdict.notes.push(format!(
            "{} held `{}` and is gone: `leaseguard lease takeover` makes it yours",
            shown(&claim),
            claim.checkout.path.display()
        ));
        let Ok(state) = home::state() else { continue };
        let entry = crate::log::Entry {
            kind: "claim-lapsed",
            repository: dir,
            claim: Some(&claim.claim_id),
            ..crate::log::Entry::default()
        };
        let log = crate::log::Log::new(&state, crate::log::Settings::default());
        let _ = log.write(&entry, watch.now());
    }
}
