//! Claiming a free checkout, and holding on to one's own.

use super::{Case, Change, MOST_TEXT, Outcome, Wanted, corrupt, newer, renew, shown, ticket};
use crate::lease::asker::Standing;
use crate::lease::book;
use crate::lease::book::Name;
use crate::lease::clock::Time;
use crate::lease::error::{Code, Refusal};
use crate::lease::liveness::{Liveness, Quiet};
use crate::lease::record::{Claim, Held, Lease, Prev, Rest, SCHEMA, Slot};
use crate::lease::words::{How, Mode, Role, Stage};

/// Decides `lease claim`.
pub(super) fn claim(case: &Case<'_>, wanted: &Wanted) -> Result<Outcome, Refusal> {
    sound(case, wanted)?;
    match &case.book.here {
        Slot::Corrupt(why) => Err(corrupt(why)),
        Slot::Newer(schema) => Err(newer(*schema)),
        Slot::Held(held) => held_already(case, wanted, held),
        Slot::Free => {
            free_names(case, true)?;
            capped(case, wanted)?;
            let prev = case.book.before.as_ref().map(prev_of);
            let epoch = case.book.before.as_ref().map_or(0, |c| c.epoch);
            let rev = case.book.before.as_ref().map_or(0, |c| c.rev);
            let claim = fresh(case, wanted, epoch, rev, prev)?;
            Ok(Outcome {
                event: "claim",
                change: Change::Put(Box::new(claim.clone()), true),
                claim: Some(claim),
                reason: None,
            })
        }
    }
}

/// One's own claim goes on; anybody else's is in the way.
fn held_already(case: &Case<'_>, wanted: &Wanted, held: &Held) -> Result<Outcome, Refusal> {
    let seen = case.facts.of(&held.claim);
    let standing = case.request.who.standing(&held.claim.owner, seen.liveness);
    match standing {
        Standing::Owner | Standing::Over | Standing::Bound | Standing::Resumed => {
            free_names(case, standing == Standing::Resumed)?;
            let mut next = renew::carried(case, &held.claim, standing, wanted.ttl)?;
            wanted.branch.clone_into(&mut next.branch);
            // A ticket that was called as the branch goes on being so.
            if wanted.ticket.is_some() || held.claim.ticket == held.claim.branch {
                next.ticket = ticket(wanted);
            }
            if wanted.lane.is_some() {
                wanted.lane.clone_into(&mut next.lane);
            }
            if wanted.model.is_some() {
                wanted.model.clone_into(&mut next.model);
            }
            bound(wanted, &mut next)?;
            next.checkout.path.clone_from(&wanted.checkout.path);
            next.checkout.made.clone_from(&wanted.checkout.made);
            let moved = next.branch != held.claim.branch || next.ticket != held.claim.ticket;
            Ok(Outcome {
                event: if moved { "move" } else { "renew" },
                change: Change::Put(Box::new(next.clone()), moved),
                claim: Some(next),
                reason: None,
            })
        }
        // What the parent has, the subagent works in; a claim of its own needs a checkout of its own.
        Standing::Under | Standing::Stranger | Standing::Rotated | Standing::Unclear => {
            Err(in_the_way(case, held, standing))
        }
    }
}

/// Binds one's own claim further, as wanted. What it is not to do any more takes giving it back: a
/// reviewer does not begin to write in passing.
fn bound(wanted: &Wanted, next: &mut Claim) -> Result<(), Refusal> {
    let anew = "`leaseguard lease release`, then claim anew";
    if wanted.role != Role::Implementer && wanted.role != next.role {
        if wanted.role.writes() && !next.role.writes() {
            return Err(Refusal::new(
                Code::RoleReadonly,
                format!(
                    "you hold this checkout as `{}`, which only reads: {anew}",
                    next.role
                ),
            ));
        }
        next.role = wanted.role.clone();
    }
    if !wanted.allowed_paths.is_empty() && wanted.allowed_paths != next.allowed_paths {
        if !next.allowed_paths.is_empty() {
            let held = next.allowed_paths.join("`, `");
            return Err(Refusal::new(
                Code::PathOutsideScope,
                format!("your claim names other paths, `{held}`: {anew}"),
            ));
        }
        next.allowed_paths.clone_from(&wanted.allowed_paths);
    }
    if wanted.mode == Mode::Manual {
        next.lease.mode = Mode::Manual;
        next.lease.expires_utc = None;
    }
    if wanted.label.is_some() {
        next.owner.label.clone_from(&wanted.label);
    }
    Ok(())
}

/// Why a claim that is somebody else's is in the way, and what can be done.
pub(super) fn in_the_way(case: &Case<'_>, held: &Held, standing: Standing) -> Refusal {
    let claim = &held.claim;
    let seen = case.facts.of(claim);
    let whose = shown(claim);
    if standing == Standing::Under {
        return Refusal::new(
            Code::Owned,
            "this checkout is your parent's, whose claim you work under: a claim of your own needs a worktree of your own (`git worktree add`)",
        );
    }
    if standing == Standing::Rotated {
        return Refusal::new(
            Code::Owned,
            format!(
                "{whose} holds this checkout in your own process: its host did not say that your session goes on from it, so release it there or ask a person"
            ),
        );
    }
    if standing == Standing::Unclear || seen.liveness == Liveness::Unknown {
        return Refusal::new(
            Code::OwnedUnknownLiveness,
            format!(
                "{whose} holds this checkout, and it cannot be told here whether it lives: work in a worktree of your own (`git worktree add`), or ask a person for `leaseguard lease override {}`",
                claim.claim_id
            ),
        );
    }
    let over = case.time(held) == Time::Over;
    if over && seen.liveness == Liveness::Dead && seen.quiet != Quiet::Busy {
        return Refusal::new(
            Code::Owned,
            format!("{whose} held this checkout and is gone: `leaseguard lease takeover` takes it"),
        );
    }
    Refusal::new(
        Code::Owned,
        format!("{whose} holds this checkout: work in a worktree of your own (`git worktree add`)"),
    )
}

/// Refuses where another checkout's claim has one of the names; `mine` = also the asker's own.
pub(super) fn free_names(case: &Case<'_>, mine: bool) -> Result<(), Refusal> {
    for taken in &case.book.taken {
        let by = match &taken.by {
            Slot::Free => continue,
            Slot::Held(held) => format!(
                "`{}` of {}",
                held.claim.checkout.path.display(),
                shown(&held.claim)
            ),
            Slot::Corrupt(why) => return Err(corrupt(why)),
            Slot::Newer(schema) => return Err(newer(*schema)),
        };
        match &taken.name {
            Name::Branch(branch) => {
                return Err(Refusal::new(
                    Code::BranchTaken,
                    format!("branch `{branch}` is claimed with {by}: take a branch of your own"),
                ));
            }
            Name::Ticket(ticket) => {
                return Err(Refusal::new(
                    Code::TicketTaken,
                    format!("ticket `{ticket}` is claimed with {by}: take another one"),
                ));
            }
            Name::Agent(_) if mine => {
                return Err(Refusal::new(
                    Code::SessionHasClaim,
                    format!(
                        "you hold {by}, and a session has one checkout: `leaseguard lease release` there gives it back"
                    ),
                ));
            }
            Name::Agent(_) => {}
        }
    }
    Ok(())
}

fn capped(case: &Case<'_>, wanted: &Wanted) -> Result<(), Refusal> {
    let counts = book::capped(wanted.harness.as_deref());
    match case.terms.cap {
        Some(cap) if counts && case.book.others >= cap => Err(Refusal::new(
            Code::CapReached,
            format!(
                "policy allows Claude {cap} claimed checkouts of a repository, and all are taken: wait, or give one back"
            ),
        )),
        _ => Ok(()),
    }
}

/// A first claim of this owner.
pub(super) fn fresh(
    case: &Case<'_>,
    wanted: &Wanted,
    epoch: u64,
    rev: u64,
    prev: Option<Prev>,
) -> Result<Claim, Refusal> {
    let who = &case.request.who;
    let ttl = case.ttl(wanted.ttl)?;
    let expires = (wanted.mode == Mode::Ttl).then(|| case.now.plus(ttl));
    Ok(Claim {
        schema: SCHEMA,
        claim_id: case.request.nonce.clone(),
        epoch: epoch.saturating_add(1),
        rev: rev.saturating_add(1),
        kind: wanted.kind.clone(),
        repo: wanted.repo.clone(),
        checkout: wanted.checkout.clone(),
        branch: wanted.branch.clone(),
        base_sha: wanted.base_sha.clone(),
        ticket: ticket(wanted),
        lane: wanted.lane.clone(),
        plan_id: wanted.plan_id.clone(),
        owner: who.owner(wanted.holder.clone(), wanted.label.clone()),
        harness: wanted.harness.clone(),
        model: wanted.model.clone(),
        role: wanted.role.clone(),
        state: Stage::Claimed,
        flags: Vec::new(),
        lease: Lease {
            mode: wanted.mode.clone(),
            ttl_secs: ttl.as_secs(),
            claimed_utc: case.now,
            last_heartbeat_utc: case.now,
            expires_utc: expires,
            rest: Rest::new(),
        },
        allowed_paths: wanted.allowed_paths.clone(),
        prev,
        rest: Rest::new(),
    })
}

/// How a retired claim is remembered by the next one.
fn prev_of(before: &Claim) -> Prev {
    let overruled = before.rest.get("ended").and_then(|v| v.as_str()) == Some("override");
    Prev {
        claim_id: before.claim_id.clone(),
        epoch: before.epoch,
        how: if overruled {
            How::Override
        } else {
            How::Release
        },
        rest: Rest::new(),
    }
}

/// Refuses what a claim cannot be, or what policy does not want.
pub(super) fn sound(case: &Case<'_>, wanted: &Wanted) -> Result<(), Refusal> {
    let who = &case.request.who;
    if !who.known() && wanted.holder.is_none() {
        return Err(Refusal::new(
            Code::HostPidNotFound,
            "it cannot be told which session asks: name it with `--session`",
        ));
    }
    let texts = [
        &wanted.branch,
        &wanted.ticket,
        &wanted.lane,
        &wanted.plan_id,
        &wanted.harness,
        &wanted.model,
        &wanted.holder,
        &wanted.label,
        &who.session,
        &who.agent,
    ];
    for text in texts.into_iter().flatten().chain(&wanted.allowed_paths) {
        if text.is_empty() || text.len() > MOST_TEXT || text.chars().any(char::is_control) {
            return Err(Refusal::new(
                Code::BadRequest,
                format!(
                    "every field is one line of 1 to {MOST_TEXT} bytes without control characters"
                ),
            ));
        }
    }
    if let Some(harness) = &wanted.harness
        && !case.terms.harnesses.contains(harness)
    {
        return Err(Refusal::new(
            Code::HarnessUnknown,
            format!("`{harness}` is no harness that is known here"),
        ));
    }
    // R34, R35
    let foreign = wanted.harness.as_deref() != Some("claude");
    if case.terms.lane_required && foreign && wanted.lane.is_none() {
        return Err(Refusal::new(
            Code::LaneMissing,
            "policy wants every claim of this harness to name its lane: add `--lane`",
        ));
    }
    let (branch, ticket) = (wanted.branch.as_deref(), wanted.ticket.as_deref());
    case.terms.check_names(branch, ticket)
}
