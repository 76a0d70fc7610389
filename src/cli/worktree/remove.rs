//! `worktree remove`: only what is clean, and only one's own or nobody's.

use super::list::rows;
use super::marker::Marker;
use super::{Exit, git, lease, main_of, quoted, terminal};
use crate::lease::error::{Code, Refusal};
use crate::lease::law::{Act, shown};
use crate::lease::registry::Hold;
use crate::state::time::Moment;
use lease::Who;

/// The arguments.
#[derive(clap::Args)]
pub(super) struct Remove {
    /// The ticket, or the path of the worktree
    ticket: String,
    #[command(flatten)]
    who: Who,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// Runs the verb.
pub(super) fn run(args: &Remove) -> Exit {
    lease::at_desk(args.json, |desk| {
        let rows = rows(desk, true)?;
        let given = std::fs::canonicalize(&args.ticket).ok();
        let row = rows.iter().find(|row| {
            row.ticket.as_ref() == Some(&args.ticket) || given.as_ref() == Some(&row.path)
        });
        let Some(row) = row else {
            let what = format!(
                "no worktree is for ticket `{}`: `leaseguard worktree status` lists them",
                args.ticket
            );
            return Err(Refusal::new(Code::Unregistered, what));
        };
        let found = desk.find(Some(&row.path))?;
        if found.spot.is_main() {
            let what = "the main checkout is no worktree that can be removed";
            return Err(Refusal::new(Code::MainCheckout, what));
        }
        let who = desk.asker(&args.who)?;
        let key = (found.spot.repo.as_str(), found.spot.checkout.as_str());
        let mine = match desk.registry().hold(key, &who, Moment::now()) {
            Hold::Free => false,
            Hold::Mine(..) => true,
            Hold::Lapsed(_) => {
                let what = format!(
                    "its owner is gone: `leaseguard lease takeover --worktree {}` first",
                    quoted(&row.path)
                );
                return Err(Refusal::new(Code::NotOwner, what));
            }
            Hold::Foreign(claim, _) | Hold::Unclear(claim) => {
                return Err(Refusal::new(
                    Code::Owned,
                    format!("{} holds it", shown(&claim)),
                ));
            }
            Hold::Unreadable(why) => return Err(Refusal::new(Code::Corrupt, why)),
        };
        if let Some(path) = &row.unsaved {
            let what =
                format!("there is work in it that is in no commit (`{path}`): commit it first");
            return Err(Refusal::new(Code::TakeoverDirty, what));
        }
        let marker = Marker::read(&found.spot.git_dir).unwrap_or_default();
        for link in &marker.provisioned {
            let at = row.path.join(link);
            if at.symlink_metadata().is_ok_and(|m| m.is_symlink()) {
                let _ = std::fs::remove_file(at);
            }
        }
        let main = main_of(&found.spot.common);
        let to = row.path.to_string_lossy();
        if mine {
            desk.run(&found, &who, Act::Release)?;
        }
        desk.store.locked(&found.spot.repo, lease::WAIT, || {
            git(&main, &["worktree", "remove", "--", &to])
        })??;
        let text = format!("removed `{}`; its branch stays", row.path.display());
        terminal::out(&(lease::safe(&text) + "\n"));
        Ok(Exit::Ok)
    })
}
