//! `lease`: who owns which checkout, branch and ticket on this machine.

mod check;
mod claim;
mod desk;
mod keep;
mod left;
mod mode;
mod show;
mod take;

pub(super) use crate::lease::store::WAIT_VERB as WAIT;
pub(super) use claim::plain;
pub(super) use desk::{Desk, at_desk, named, note, safe};
pub(super) use left::{give_way, gone, held};

use super::{Exit, terminal};
use crate::policy::Policy;
use clap::Subcommand;

/// The arguments.
#[derive(clap::Args)]
pub(super) struct Args {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Subcommand)]
enum Verb {
    /// Claims this checkout, its branch and its ticket
    Claim(claim::Claim),
    /// Keeps the claim on this checkout for another while
    Renew(claim::Renew),
    /// Gives the claim on this checkout back
    Release(claim::Release),
    /// Lists the claims of this repository
    List(show::List),
    /// Shows the claim on this checkout
    Show(show::Show),
    /// Says whether this checkout is yours to write in: 0 yes, 1 no, 3 cannot tell
    Check(show::Show),
    /// Takes what a dead owner left clean: its time over, its process gone, the checkout quiet
    Takeover(take::Take),
    /// Takes over together with the uncommitted work that was left
    Adopt(take::Take),
    /// Ends somebody's claim (for people)
    Override(take::Override),
    /// Prints all claims of this repository in one file of JSON
    Export(show::Export),
    /// Makes claims strict here: no writing in the main checkout, none without a claim
    On(mode::Set),
    /// Makes claims count here only against other live owners, as by default (for people)
    Off(mode::Set),
    /// Renews again and again for a detached loop, until it ends
    Keep(keep::Keep),
}

/// Where, and how it is told.
#[derive(clap::Args, Clone)]
struct Place {
    /// The checkout; this directory's by default
    #[arg(long, value_name = "DIR")]
    worktree: Option<std::path::PathBuf>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// For whom; an agent is only ever itself.
#[derive(clap::Args, Clone)]
pub(super) struct Who {
    /// The session; for people and dispatchers, who claim for one that they start
    #[arg(long, value_name = "ID")]
    session: Option<String>,
    /// Its process, whose end ends the claim's; for people and dispatchers
    #[arg(long, value_name = "PID", requires = "session")]
    pid: Option<u32>,
}

/// What `policy` decides about claims.
pub(super) fn terms(policy: &Policy) -> crate::lease::terms::Terms {
    let naming = policy.lease_naming();
    let pattern = |text: &String| Some(text.clone()).filter(|text| !text.is_empty());
    crate::lease::terms::Terms {
        ticket_pattern: pattern(&naming.ticket),
        branch_pattern: pattern(&naming.branch),
        cap: policy.lease_cap(),
        lane_required: policy.lanes_required(),
        cross_host_expired_observed: policy.cross_host_expired_observed(),
        allowed: crate::lease::ground::Allowed {
            network: policy.lease_on_network(),
            sync: policy.lease_in_step(),
        },
        ..Default::default()
    }
}

/// Runs the verb.
pub(super) fn run(args: &Args) -> Exit {
    match &args.verb {
        Verb::Claim(args) => claim::claim(args),
        Verb::Renew(args) => claim::renew(args),
        Verb::Release(args) => claim::release(args),
        Verb::List(args) => show::list(args),
        Verb::Show(args) => show::show(args),
        Verb::Check(args) => check::check(args),
        Verb::Takeover(args) => take::takeover(args, false),
        Verb::Adopt(args) => take::takeover(args, true),
        Verb::Override(args) => take::overrule(args),
        Verb::Export(args) => show::export(args),
        Verb::On(args) => mode::on(args),
        Verb::Off(args) => mode::off(args),
        Verb::Keep(args) => keep::keep(args),
    }
}
