//! `lease on` and `lease off`: how strictly claims are kept in one repository.

use super::desk::{Desk, at_desk};
use super::{Exit, Place};
use crate::cli::pause::{done, refused};
use crate::lease::error::{Code, Refusal};
use crate::lease::store::mode::{Strictness, read, write};
use crate::person::{is_person, terminal::confirm};
use crate::state::time::Moment;

/// The arguments.
#[derive(clap::Args)]
pub(super) struct Set {
    #[command(flatten)]
    place: Place,
}

/// Runs `lease on`: what only strengthens is open to all.
pub(super) fn on(args: &Set) -> Exit {
    at_desk(args.place.json, |desk| set(desk, args, Strictness::Strict))
}

/// Runs `lease off`.
pub(super) fn off(args: &Set) -> Exit {
    at_desk(args.place.json, |desk| {
        let found = desk.find(args.place.worktree.as_deref())?;
        let now = read(&desk.state, &found.spot.repo).map(|s| s.map(|s| s.mode));
        // A file that cannot be read counts as strict.
        if matches!(now, Ok(None | Some(Strictness::Live))) {
            return set(desk, args, Strictness::Live);
        }
        let what = format!(
            "this lets agents write in the main checkout and in unclaimed ones of {}",
            found.spot.common.display()
        );
        if let Err(reason) = is_person(true).and_then(|()| confirm(&what, "off")) {
            return Ok(refused(&reason.to_string()));
        }
        set(desk, args, Strictness::Live)
    })
}

fn set(desk: &Desk, args: &Set, mode: Strictness) -> Result<Exit, Refusal> {
    let found = desk.find(args.place.worktree.as_deref())?;
    write(&desk.state, &found.spot.repo, mode, Moment::now())
        .map_err(|why| Refusal::new(Code::Store, why.0))?;
    let text = format!(
        "claims are {} in {}",
        mode.word(),
        found.spot.common.display()
    );
    Ok(done(&desk.state, "lease-mode", &text))
}
