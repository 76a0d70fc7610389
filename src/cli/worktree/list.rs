//! `worktree status` and `worktree lookup`: what there is, and whose.

use super::marker::Marker;
use super::{Exit, lease, terminal};
use crate::action::Place;
use crate::cli::input;
use crate::lease::error::{Code, Refusal};
use crate::lease::law::shown;
use crate::lease::record::Slot;
use crate::lease::spot::Spot;
use crate::lease::store::Store;
use crate::world::{Dirs, Fact, Head, World};
use serde::Serialize;
use std::path::PathBuf;

/// `worktree status`.
#[derive(clap::Args)]
pub(super) struct Status {
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// `worktree lookup`.
#[derive(clap::Args)]
pub(super) struct Lookup {
    /// The ticket
    ticket: String,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// One worktree.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Row {
    pub(super) path: PathBuf,
    main: bool,
    pub(super) ticket: Option<String>,
    branch: Option<String>,
    base_sha: Option<String>,
    owner: Option<String>,
    claim: Option<String>,
    /// `clean`, a path, or why it is not known.
    pub(super) unsaved: Option<String>,
    clean: Option<bool>,
}

/// The worktrees of the repository here.
pub(super) fn rows(desk: &lease::Desk, look: bool) -> Result<Vec<Row>, Refusal> {
    let world = World::new(input::around(None));
    let place = Place {
        dir: world.around.cwd.clone(),
        ..Place::default()
    };
    let all = world.all_checkouts(&place);
    if all.is_empty() {
        let what = "there is no checkout of a git repository here";
        return Err(Refusal::new(Code::WorktreeGone, what));
    }
    Ok(all
        .iter()
        .map(|dirs| row(desk, &world, dirs, look))
        .collect())
}

fn row(desk: &lease::Desk, world: &World, dirs: &Dirs, look: bool) -> Row {
    let place = Place {
        dir: Some(dirs.top.clone()),
        ..Place::default()
    };
    let marker = Marker::read(&dirs.git_dir);
    let slot = Spot::of(&dirs.top, &dirs.git_dir, &dirs.common)
        .map(|spot| desk.store.at(&spot.repo, &spot.checkout))
        .unwrap_or_default();
    let claim = slot.claim();
    let branch = match world.heads(&place) {
        Fact::Known(heads) => heads.into_iter().find_map(|head| match head {
            Head::Branch(branch) => Some(branch),
            Head::Detached => None,
        }),
        Fact::Unknown(_) => None,
    };
    let linked = marker.as_ref().map(|m| m.provisioned.clone());
    let linked = linked.or_else(|| claim.map(|c| c.checkout.provisioned.clone()));
    let unsaved = if look {
        world.unsaved(&place, &linked.unwrap_or_default())
    } else {
        Fact::Unknown(String::new())
    };
    let (clean, unsaved) = match unsaved {
        Fact::Known(None) => (Some(true), None),
        Fact::Known(Some(path)) => (Some(false), Some(path)),
        Fact::Unknown(why) => (None, Some(why)),
    };
    Row {
        path: dirs.top.clone(),
        main: dirs.git_dir == dirs.common,
        ticket: claim
            .and_then(|c| c.ticket.clone())
            .or_else(|| marker.as_ref().map(|m| m.ticket.clone())),
        branch,
        base_sha: claim
            .and_then(|c| c.base_sha.clone())
            .or_else(|| marker.as_ref().map(|m| m.base_sha.clone())),
        owner: match &slot {
            Slot::Held(held) => Some(shown(&held.claim)),
            Slot::Free => None,
            Slot::Corrupt(_) | Slot::Newer(_) => Some("a record that cannot be read".to_owned()),
        },
        claim: claim.map(|c| c.claim_id.clone()),
        unsaved,
        clean,
    }
}

/// Runs `worktree status`.
pub(super) fn status(args: &Status) -> Exit {
    lease::at_desk(args.json, |desk| {
        let rows = rows(desk, true)?;
        if args.json {
            #[derive(Serialize)]
            struct Told<'a> {
                v: u32,
                worktrees: &'a [Row],
            }
            terminal::out(&terminal::json_line(&Told {
                v: 1,
                worktrees: &rows,
            }));
            return Ok(Exit::Ok);
        }
        for row in &rows {
            let clean = match (row.clean, &row.unsaved) {
                (Some(true), _) => "clean".to_owned(),
                (Some(false), Some(path)) => format!("not committed: `{path}`"),
                (_, why) => format!("not known: {}", why.as_deref().unwrap_or("-")),
            };
            let text = format!(
                "{}\n  ticket {}, branch {}, {}, {clean}\n",
                row.path.display(),
                row.ticket.as_deref().unwrap_or("-"),
                row.branch.as_deref().unwrap_or("-"),
                row.owner.as_deref().unwrap_or("claimed by nobody"),
            );
            let lines: Vec<String> = text.lines().map(lease::safe).collect();
            terminal::out(&(lines.join("\n") + "\n"));
        }
        Ok(Exit::Ok)
    })
}

/// Runs `worktree lookup`.
pub(super) fn lookup(args: &Lookup) -> Exit {
    lease::at_desk(args.json, |desk| {
        let rows = rows(desk, false)?;
        let found = rows
            .iter()
            .find(|row| row.ticket.as_deref() == Some(&*args.ticket));
        let Some(row) = found else {
            return Err(Refusal::new(
                Code::Unregistered,
                format!(
                    "no worktree is for ticket `{0}`: `leaseguard worktree add {0}` makes one",
                    args.ticket
                ),
            ));
        };
        if args.json {
            #[derive(Serialize)]
            struct Told<'a> {
                v: u32,
                worktree: &'a Row,
            }
            terminal::out(&terminal::json_line(&Told {
                v: 1,
                worktree: row,
            }));
        } else {
            terminal::out(&(lease::safe(&row.path.to_string_lossy()) + "\n"));
        }
        Ok(Exit::Ok)
    })
}
