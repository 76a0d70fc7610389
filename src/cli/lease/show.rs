//! `lease list`, `lease show`, `lease check` and `lease export`.

use super::check::mode;
use super::desk::{Desk, at_desk, safe};
use super::{Exit, Place, Who, terminal};
use crate::lease::clock::{Time, last_seen, time};
use crate::lease::law::shown;
use crate::lease::liveness::{Here, Liveness};
use crate::lease::record::{Claim, Held, Slot};
use crate::lease::registry::Registry;
use crate::lease::store::Store;
use crate::lease::witness::Crowd;
use crate::state::time::{Moment, shown_span};
use serde::Serialize;
use std::fmt::Write as _;
use std::time::Duration;

/// `lease list`.
#[derive(clap::Args)]
pub(super) struct List {
    #[command(flatten)]
    place: Place,
    /// Those of all repositories on this machine
    #[arg(long)]
    all: bool,
}

/// `lease show` and `lease check`.
#[derive(clap::Args)]
pub(super) struct Show {
    #[command(flatten)]
    pub(super) place: Place,
    #[command(flatten)]
    pub(super) who: Who,
}

/// `lease export`.
#[derive(clap::Args)]
pub(super) struct Export {
    #[command(flatten)]
    place: Place,
    /// The shape of the file
    #[arg(long, value_name = "SHAPE", default_value = "registry-json", value_parser = ["registry-json"])]
    format: String,
}

/// One line of the list.
#[derive(Serialize)]
struct Row<'a> {
    v: u32,
    checkout: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    claim: Option<&'a Claim>,
    #[serde(skip_serializing_if = "Option::is_none")]
    trouble: Option<String>,
    owner: &'static str,
    time: &'static str,
}

/// Runs `lease list`.
pub(super) fn list(args: &List) -> Exit {
    at_desk(args.place.json, |desk| {
        let repos = if args.all {
            desk.store.repos()?
        } else {
            vec![desk.find(args.place.worktree.as_deref())?.spot.repo]
        };
        let crowd = Crowd::now();
        let mut view = View::of(desk);
        view.registry.witness = &crowd;
        let mut out = String::new();
        for repo in repos {
            for (checkout, slot) in desk.store.all(&repo)? {
                if args.place.json {
                    out.push_str(&terminal::json_line(&row(&view, &checkout, &slot)));
                } else {
                    line(&view, &slot, &mut out);
                }
            }
        }
        if out.is_empty() && !args.place.json {
            out.push_str("nothing is claimed\n");
        }
        terminal::out(&out);
        Ok(Exit::Ok)
    })
}

/// What claims are looked at with: made once, since there may be thousands of them.
struct View<'a> {
    registry: Registry<'a>,
    here: &'a Here,
    now: Moment,
}

impl View<'_> {
    fn of(desk: &Desk) -> View<'_> {
        View {
            registry: desk.registry(),
            here: &desk.here,
            now: Moment::now(),
        }
    }

    fn life(&self, held: &Held) -> &'static str {
        match self.registry.alive(&held.claim, self.here) {
            Liveness::Alive => "alive",
            Liveness::Dead => "dead",
            Liveness::Unknown => "unknown",
        }
    }

    fn clock(&self, held: &Held) -> &'static str {
        match time(held, self.now, self.registry.terms.skew) {
            Time::Running => "running",
            Time::Over => "over",
            Time::Never => "manual",
            Time::Suspect => "suspect",
        }
    }
}

fn row<'a>(view: &View<'_>, checkout: &'a str, slot: &'a Slot) -> Row<'a> {
    let held = slot.held();
    Row {
        v: 1,
        checkout,
        claim: slot.claim(),
        trouble: match slot {
            Slot::Corrupt(why) => Some(why.clone()),
            Slot::Newer(schema) => Some(format!("schema {schema}")),
            _ => None,
        },
        owner: held.map_or("unknown", |held| view.life(held)),
        time: held.map_or("unknown", |held| view.clock(held)),
    }
}

/// Machine, repository, checkout, branch, ticket, owner, harness, model, role, state, lane and time
/// (R69).
fn line(view: &View<'_>, slot: &Slot, out: &mut String) {
    let text = match slot {
        Slot::Free => return,
        Slot::Corrupt(why) => format!("unreadable: {why}"),
        Slot::Newer(schema) => format!("written by a later leaseguard (schema {schema})"),
        Slot::Held(held) => {
            let claim = &held.claim;
            let word = |text: &Option<String>| text.as_deref().unwrap_or("-").to_owned();
            let repo = claim
                .repo
                .common_dir
                .parent()
                .unwrap_or(&claim.repo.common_dir);
            format!(
                "{}  {}  {}  {}  {}  {}  {}/{}  {}  {}  {}  {} seen {} ago, {}",
                claim.owner.host_name,
                repo.file_name().unwrap_or_default().to_string_lossy(),
                claim.checkout.path.display(),
                word(&claim.branch),
                word(&claim.ticket),
                shown(claim),
                word(&claim.harness),
                word(&claim.model),
                claim.role,
                claim.state,
                word(&claim.lane),
                view.life(held),
                shown_span(last_seen(held).age(view.now)),
                view.clock(held),
            )
        }
    };
    let _ = writeln!(out, "{}", safe(&text));
}

/// Runs `lease show`.
pub(super) fn show(args: &Show) -> Exit {
    at_desk(args.place.json, |desk| {
        let found = desk.find(args.place.worktree.as_deref())?;
        let slot = desk.store.at(&found.spot.repo, &found.spot.checkout);
        let view = View::of(desk);
        if args.place.json {
            let row = row(&view, &found.spot.checkout, &slot);
            terminal::out(&terminal::json_line(&row));
            return Ok(Exit::Ok);
        }
        let mut out = String::new();
        match &slot {
            Slot::Held(held) => {
                line(&view, &slot, &mut out);
                let end = Duration::from_secs(held.claim.lease.ttl_secs);
                let _ = writeln!(
                    out,
                    "claim {} epoch {} revision {}, holds {} after each sign of life",
                    held.claim.claim_id,
                    held.claim.epoch,
                    held.claim.rev,
                    shown_span(end)
                );
            }
            Slot::Free => out.push_str("nobody claims this checkout\n"),
            _ => line(&view, &slot, &mut out),
        }
        let _ = writeln!(out, "claims are {} here", mode(desk, &found.spot)?);
        terminal::out(&out);
        Ok(Exit::Ok)
    })
}

/// One claim as the single-file registries of other harnesses have it (R17 to R30).
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Exported<'a> {
    repo_id: &'a str,
    worktree_path: &'a std::path::Path,
    branch: &'a Option<String>,
    ticket: &'a Option<String>,
    host: &'a str,
    session_id: Option<&'a String>,
    pid: Option<u32>,
    harness_kind: &'a Option<String>,
    model: &'a Option<String>,
    role: &'a crate::lease::words::Role,
    state: &'a crate::lease::words::Stage,
    lane: &'a Option<String>,
    lease_expires_utc: Option<Moment>,
    last_heartbeat_utc: Moment,
    allowed_paths: &'a [String],
    claim_id: &'a str,
    epoch: u64,
}

/// Runs `lease export`: a view; nothing reads it back.
pub(super) fn export(args: &Export) -> Exit {
    at_desk(args.place.json, |desk| {
        let repo = desk.find(args.place.worktree.as_deref())?.spot.repo;
        let all = desk.store.all(&repo)?;
        let broken: Vec<&str> = all
            .iter()
            .filter(|(_, slot)| slot.claim().is_none())
            .map(|(checkout, _)| checkout.as_str())
            .collect();
        let claims: Vec<Exported<'_>> = all
            .iter()
            .filter_map(|(_, s)| s.held())
            .map(exported)
            .collect();
        #[derive(Serialize)]
        #[serde(rename_all = "camelCase")]
        struct Registry<'a> {
            schema: u32,
            exported_utc: Moment,
            worktrees: Vec<Exported<'a>>,
            unreadable: Vec<&'a str>,
        }
        let registry = Registry {
            schema: 1,
            exported_utc: Moment::now(),
            worktrees: claims,
            unreadable: broken,
        };
        let text = serde_json::to_string_pretty(&registry).unwrap_or_default();
        terminal::out(&(text + "\n"));
        Ok(Exit::Ok)
    })
}

fn exported(held: &Held) -> Exported<'_> {
    let claim = &held.claim;
    let ttl = Duration::from_secs(claim.lease.ttl_secs);
    let seen = last_seen(held);
    Exported {
        repo_id: &claim.repo.id,
        worktree_path: &claim.checkout.path,
        branch: &claim.branch,
        ticket: &claim.ticket,
        host: &claim.owner.host_name,
        session_id: claim.owner.session_ids.last(),
        pid: claim.owner.pid,
        harness_kind: &claim.harness,
        model: &claim.model,
        role: &claim.role,
        state: &claim.state,
        lane: &claim.lane,
        lease_expires_utc: claim.lease.expires_utc.map(|end| end.max(seen.plus(ttl))),
        last_heartbeat_utc: seen,
        allowed_paths: &claim.allowed_paths,
        claim_id: &claim.claim_id,
        epoch: claim.epoch,
    }
}
