//! Accidents that happen for real, in scratch repositories, and what leaseguard says to each.

mod accidents;
mod scratch;
mod seen;

pub use accidents::{ALL, Accident};
pub use scratch::Scratch;
pub use seen::Change;

use crate::call::{Call, Dialect, What};
use crate::guard;
use crate::policy::Policy;
use crate::verdict::{Decision, Verdict};
use crate::world::{Environment, Surroundings};
use seen::Seen;
use std::path::Path;

/// One command: what it was judged to be, and what it did.
#[derive(Debug)]
pub struct Outcome {
    /// What leaseguard said before it ran.
    pub verdict: Verdict,
    /// What real git did, measured from the repositories.
    pub changes: Vec<Change>,
}

impl Outcome {
    /// Whether it would have been kept from running.
    pub fn stopped(&self) -> bool {
        self.verdict.decision() != Decision::Allow && self.verdict.fault.is_none()
    }

    /// Whether it did harm.
    pub fn harmed(&self) -> bool {
        self.changes.iter().any(Change::harms)
    }
}

/// An accident that happened, and its twin.
#[derive(Debug)]
pub struct Played {
    /// The accident's command.
    pub accident: Outcome,
    /// The harmless one.
    pub twin: Outcome,
}

/// Lets `accident` happen in one new room and its twin in another; `name` tells the rooms from others.
pub fn play(scratch: &Scratch, accident: &Accident, name: &str) -> Result<Played, String> {
    let run = |command, suffix: &str| {
        let room = scratch.room(&format!("{name}{suffix}"), accident.setup)?;
        happen(scratch, &room, command)
    };
    let (harm, twin) = std::thread::scope(|scope| {
        let twin = scope.spawn(|| run(accident.twin, "-twin"));
        (run(accident.command, ""), twin.join())
    });
    Ok(Played {
        accident: harm?,
        twin: twin.map_err(|_| "leaseguard panicked while it judged the twin".to_owned())??,
    })
}

/// Judges `command`, and then runs it whatever was said.
fn happen(scratch: &Scratch, room: &Path, command: &str) -> Result<Outcome, String> {
    let verdict = judge(scratch, room, command);
    let before = Seen::of(scratch, room)?;
    // Git may refuse a part of it: what counts is what changed.
    scratch.shell(&room.join("app"), command)?;
    let after = Seen::of(scratch, room)?;
    Ok(Outcome {
        verdict,
        changes: before.changes(&after, scratch, room)?,
    })
}

/// What the hook would say, by the rules as they are built in: nobody's own policy counts here.
fn judge(scratch: &Scratch, room: &Path, command: &str) -> Verdict {
    let cwd = Some(room.join("app"));
    let call = Call {
        session: None,
        agent: None,
        cwd: cwd.clone(),
        unseen_typing: false,
        what: What::Shell {
            dialect: Dialect::Bash,
            text: command.to_owned(),
        },
    };
    let around = Surroundings {
        cwd,
        home: Some(scratch.home()),
        env: Environment::new(|name| (name == "GIT_CONFIG_NOSYSTEM").then(|| "1".into())),
        ..Surroundings::default()
    };
    guard::judge(&call, around, &Policy::default())
}
