//! `allow`: a person lets one call through that was stopped.

use super::pause::{done, refused, trouble};
use super::{Exit, home, terminal};
use crate::grant::{Grants, Uses, shown};
use crate::person::{is_person, terminal::confirm};
use crate::state::time::Moment;

/// The arguments.
#[derive(clap::Args)]
pub(super) struct Args {
    /// The code in the denial, or its number in the list; without it the open ones are listed
    #[arg(value_name = "CODE|N")]
    which: Option<String>,
    /// Any number of times for so long, instead of once: `10m`, `2h`
    #[arg(long = "for", value_name = "SPAN", requires = "which")]
    span: Option<String>,
}

/// Runs the verb.
pub(super) fn run(args: &Args) -> Exit {
    let state = match home::state() {
        Ok(state) => state,
        Err(why) => return trouble(&why),
    };
    let (grants, now) = (Grants::new(&state), Moment::now());
    let Some(which) = &args.which else {
        return match grants.open(now) {
            Ok(open) if open.is_empty() => {
                terminal::out("nothing was stopped in the last day that a person could allow\n");
                Exit::Ok
            }
            Ok(open) => {
                terminal::out(&(shown(&open, now).join("\n") + "\n"));
                Exit::Ok
            }
            Err(why) => trouble(&why.0),
        };
    };
    let uses = match args.span.as_deref().map(Uses::within) {
        None => Uses::Once,
        Some(Ok(uses)) => uses,
        Some(Err(why)) => return trouble(&why.to_string()),
    };
    let open = match grants.pick(which, now) {
        Ok(open) => open,
        Err(why) => return trouble(&why.to_string()),
    };
    let often = match (&args.span, uses) {
        (Some(span), _) => format!("any number of times for {span}"),
        (None, _) => "once, within an hour".to_owned(),
    };
    let what = format!(
        "this lets through, {often}:\n  {}\n  in {}\n  against {}",
        open.summary,
        open.dir,
        open.rules.join(" ")
    );
    if let Err(reason) = is_person(true).and_then(|()| confirm(&what, "allow")) {
        return refused(&reason.to_string());
    }
    match grants.approve(&open.code, uses, now) {
        Ok(grant) => done(
            &state,
            "allow",
            &format!("allowed {often}: {}", grant.summary),
        ),
        Err(why) => refused(&why.to_string()),
    }
}
