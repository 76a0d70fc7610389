//! `lease check`: whether a checkout is the asker's to write in.

use super::desk::{Desk, at_checkout, safe};
use super::show::Show;
use super::{Exit, terminal};
use crate::cli::home;
use crate::lease::error::{Code, Refusal};
use crate::lease::law::shown;
use crate::lease::liveness::Liveness;
use crate::lease::registry::Hold;
use crate::lease::spot::Spot;
use crate::lease::store::mode::{Strictness, read};
use crate::policy::LeaseMode;
use crate::state::time::Moment;
use serde::Serialize;

/// Runs `lease check`.
pub(super) fn check(args: &Show) -> Exit {
    at_checkout(&args.place, &args.who, |desk, found, asker| {
        let key = (found.spot.repo.as_str(), found.spot.checkout.as_str());
        // A mode that cannot be read counts as strict.
        let strict = mode(desk, &found.spot).map_or(true, |mode| mode == "strict");
        let refuse = |code, what: String| Err(Refusal::new(code, what));
        let hold = desk.registry().hold(key, asker, Moment::now());
        let answer = match hold {
            Hold::Free | Hold::Lapsed(_) => "free",
            _ => "yours",
        };
        let words = match hold {
            Hold::Mine(claim, _) if !claim.role.writes() => {
                return refuse(
                    Code::RoleReadonly,
                    format!("you hold it as `{}`, which only reads", claim.role),
                );
            }
            Hold::Mine(claim, _) => format!("yours: claim `{}`", claim.claim_id),
            Hold::Free if strict && found.spot.is_main() => {
                return refuse(
                    Code::MainCheckout,
                    "the main checkout is for landing: work in a worktree (`git worktree add`)"
                        .to_owned(),
                );
            }
            Hold::Free if strict => {
                return refuse(
                    Code::Unregistered,
                    "nobody claims it, and writing needs a claim here: `leaseguard lease claim`"
                        .to_owned(),
                );
            }
            Hold::Free => "free: nobody claims it".to_owned(),
            Hold::Lapsed(claim) => format!(
                "lapsed: {} is gone; `leaseguard lease takeover` makes it yours",
                shown(&claim)
            ),
            Hold::Foreign(claim, Liveness::Unknown) => {
                return refuse(
                    Code::OwnedUnknownLiveness,
                    format!(
                        "{} holds it, and it cannot be told whether it lives",
                        shown(&claim)
                    ),
                );
            }
            Hold::Foreign(claim, _) => {
                return refuse(Code::Owned, format!("{} holds it", shown(&claim)));
            }
            Hold::Unclear(claim) => {
                return refuse(
                    Code::OwnedUnknownLiveness,
                    format!(
                        "{} holds it, and it cannot be told whether that is you",
                        shown(&claim)
                    ),
                );
            }
            Hold::Unreadable(why) => return refuse(Code::Corrupt, why),
        };
        if desk.json {
            #[derive(Serialize)]
            struct Told<'a> {
                v: u32,
                answer: &'a str,
                message: &'a str,
            }
            terminal::out(&terminal::json_line(&Told {
                v: 1,
                answer,
                message: &words,
            }));
            return Ok(Exit::Ok);
        }
        terminal::out(&(safe(&words) + "\n"));
        Ok(Exit::Ok)
    })
}

/// How far claims bind here: as policy says, or more strictly by `lease on`.
pub(super) fn mode(desk: &Desk, spot: &Spot) -> Result<&'static str, Refusal> {
    let policy = home::Here::of(Some(&spot.top)).policy();
    match policy.lease_mode() {
        LeaseMode::Off => return Ok("off"),
        LeaseMode::Strict => return Ok("strict"),
        LeaseMode::Live => {}
    }
    let set = read(&desk.state, &spot.repo).map_err(|t| Refusal::new(Code::Store, t.0))?;
    Ok(set.map_or(Strictness::default(), |set| set.mode).word())
}
