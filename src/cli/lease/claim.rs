//! `lease claim`, `lease renew` and `lease release`.

use super::desk::{Desk, Found, at_checkout};
use super::left::held;
use super::{Exit, Place, Who, terminal};
use crate::cli::home;
use crate::lease::asker::Asker;
use crate::lease::error::{Code, Refusal};
use crate::lease::identity::harness;
use crate::lease::law::{Act, Outcome, Wanted};
use crate::lease::store::Store;
use crate::lease::words::{Mode, Role, Stage};
use crate::state::time::{Moment, parse_span};
use std::time::Duration;

/// More claimed checkouts of one repository than this are worth a word (R50).
const MANY: usize = 6;

/// What a claim says.
#[derive(clap::Args, Clone)]
pub(super) struct Terms {
    /// The ticket; called as the branch by default
    #[arg(long, value_name = "ID")]
    ticket: Option<String>,
    /// The branch; the one that is checked out by default
    #[arg(long, value_name = "NAME")]
    branch: Option<String>,
    /// What you do there: implementer, reviewer-readonly, observer, integrator, standby
    /// [default: implementer]
    #[arg(long, value_name = "ROLE", verbatim_doc_comment)]
    role: Option<String>,
    /// The lane that owns the work
    #[arg(long, value_name = "ID")]
    lane: Option<String>,
    /// How long it holds without a sign of life: `5m`
    #[arg(long, value_name = "SPAN")]
    ttl: Option<String>,
    /// The kind of agent host: claude, codex, …
    #[arg(long, value_name = "KIND")]
    harness: Option<String>,
    /// The model
    #[arg(long, value_name = "NAME")]
    model: Option<String>,
    /// A pattern below the checkout to write within; may be given again
    #[arg(long = "path", value_name = "GLOB")]
    paths: Vec<String>,
    /// A text for people
    #[arg(long, value_name = "TEXT")]
    label: Option<String>,
}

/// `lease claim`.
#[derive(clap::Args)]
pub(super) struct Claim {
    #[command(flatten)]
    place: Place,
    #[command(flatten)]
    who: Who,
    #[command(flatten)]
    terms: Terms,
    /// No time ends it, only its holder or a person
    #[arg(long)]
    manual: bool,
}

/// `lease renew`.
#[derive(clap::Args)]
pub(super) struct Renew {
    #[command(flatten)]
    place: Place,
    #[command(flatten)]
    who: Who,
    /// How long it holds without a sign of life: `5m`
    #[arg(long, value_name = "SPAN")]
    ttl: Option<String>,
    /// How far it has come: active, in-review, releasing
    #[arg(long, value_name = "STATE")]
    state: Option<String>,
}

/// `lease release`.
#[derive(clap::Args)]
pub(super) struct Release {
    #[command(flatten)]
    place: Place,
    #[command(flatten)]
    who: Who,
}

/// Runs `lease claim`.
pub(super) fn claim(args: &Claim) -> Exit {
    at_checkout(&args.place, &args.who, |desk, found, asker| {
        found.spot.fit(&desk.terms(found).allowed)?;
        let mut wanted = wanted(&args.terms, found, asker)?;
        if args.manual {
            wanted.mode = Mode::Manual;
        }
        let outcome = desk.run(found, asker, Act::Claim(Box::new(wanted)))?;
        kept(&args.terms, &outcome)?;
        notice(desk, found);
        if asker.process.is_none() {
            terminal::err(
                "leaseguard: note: no process of an agent host was found, so nobody can tell later whether the owner lives; `--pid` names one [E_HOST_PID_NOT_FOUND]\n",
            );
        }
        Ok(desk.told(&outcome))
    })
}

/// Refuses where one's claim goes on in another role than the one that was asked for.
fn kept(args: &Terms, outcome: &Outcome) -> Result<(), Refusal> {
    let held = outcome.claim.as_ref().map(|claim| &claim.role);
    match (held, &args.role) {
        (Some(held), Some(role)) if *held != Role::of(role) => Err(Refusal::new(
            Code::RoleReadonly,
            format!(
                "you hold this checkout as `{held}`: `leaseguard lease release`, then claim anew"
            ),
        )),
        _ => Ok(()),
    }
}

/// Runs `lease renew`.
pub(super) fn renew(args: &Renew) -> Exit {
    at_checkout(&args.place, &args.who, |desk, found, asker| {
        let act = Act::Renew {
            stage: args.state.as_deref().map(Stage::of),
            ttl: span(args.ttl.as_deref())?,
        };
        Ok(desk.told(&desk.run(found, asker, act)?))
    })
}

/// Runs `lease release`.
pub(super) fn release(args: &Release) -> Exit {
    at_checkout(&args.place, &args.who, |desk, found, asker| {
        let registry = desk.registry();
        let gone = desk.cleared(&registry, &found.spot.repo, asker, &[]);
        let why = match desk.run(found, asker, Act::Release) {
            Ok(outcome) => return Ok(desk.told(&outcome)),
            Err(why) => why,
        };
        // What was held is gone, and was meant.
        if let Some(outcome) = gone.last() {
            return Ok(desk.told(outcome));
        }
        let key = (found.spot.repo.as_str(), found.spot.checkout.as_str());
        match held(&registry, key, asker, Moment::now()).first() {
            Some((claim, _)) if why.code == Code::Unregistered => Err(Refusal::new(
                why.code,
                format!(
                    "nobody claims this checkout; you hold `{0}`: `leaseguard lease release --worktree {0}`",
                    claim.checkout.path.display()
                ),
            )),
            _ => Err(why),
        }
    })
}

/// What the arguments want at a checkout.
pub(super) fn wanted(args: &Terms, found: &Found, asker: &Asker) -> Result<Wanted, Refusal> {
    if let Some(process) = asker.process.as_ref().filter(|_| !asker.known()) {
        return Err(Refusal::new(
            Code::HostPidNotFound,
            format!(
                "{} does not tell its commands which session they belong to: in a linked worktree the claim comes with the next prompt, elsewhere a person claims with `--session`",
                process.host
            ),
        ));
    }
    let role = args.role.as_deref().map_or(Role::Implementer, Role::of);
    if let Role::Other(other) = &role {
        return Err(Refusal::new(
            Code::BadRequest,
            format!("`{other}` is no role; there are {}", Role::KNOWN.join(", ")),
        ));
    }
    let above = |path: &&String| path.starts_with('/') || path.split('/').any(|part| part == "..");
    if let Some(path) = args.paths.iter().find(above) {
        return Err(Refusal::new(
            Code::BadRequest,
            format!("`{path}` is no path below the checkout: name it from its top, as `src/**`"),
        ));
    }
    let plain = plain(found, asker);
    let named = args.branch.clone().or_else(|| found.branch.clone());
    let policy = home::Here::of(Some(&found.spot.top)).policy();
    let terms = super::terms(&policy);
    let by_branch = named.as_deref().and_then(|branch| terms.ticket_in(branch));
    Ok(Wanted {
        branch: named.or_else(|| args.ticket.clone()),
        ticket: args.ticket.clone().or(by_branch),
        lane: args.lane.clone(),
        harness: args.harness.clone().or(plain.harness.clone()),
        model: args.model.clone(),
        role,
        ttl: span(args.ttl.as_deref())?,
        allowed_paths: args.paths.clone(),
        label: args.label.clone(),
        ..plain
    })
}

/// A claim of `asker` on the checkout at `found`, as it is.
pub(in crate::cli) fn plain(found: &Found, asker: &Asker) -> Wanted {
    let host = asker.process.as_ref().and_then(|p| harness(&p.host));
    Wanted::plain(
        found.spot.repo_record(found.origin.as_deref()),
        found.spot.checkout_record(),
        found.branch.clone(),
        host,
    )
}

/// A span as it is typed.
pub(super) fn span(text: Option<&str>) -> Result<Option<Duration>, Refusal> {
    let Some(text) = text else { return Ok(None) };
    match parse_span(text) {
        Some(span) => Ok(Some(span)),
        None => Err(Refusal::new(
            Code::BadRequest,
            format!("`{text}` is no span such as `10m`"),
        )),
    }
}

fn notice(desk: &Desk, found: &Found) {
    let count = desk.store.all(&found.spot.repo).map_or(0, |all| all.len());
    if count > MANY {
        terminal::err(&format!(
            "leaseguard: note: {count} checkouts of this repository are claimed on this machine\n"
        ));
    }
}
