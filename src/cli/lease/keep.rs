//! `lease keep`: a timer that renews for a detached loop, and only for one (R40).

use super::claim::span;
use super::desk::{at_checkout, refused};
use super::{Exit, Place, Who, terminal};
use crate::lease::error::{Code, Refusal};
use crate::lease::law::Act;
use crate::lease::liveness::Seen;
use crate::lease::witness::{Machine, Witness};
use crate::person::is_person;
use std::time::{Duration, Instant};

/// How often, where nobody says; between these two.
const EVERY: Duration = Duration::from_secs(45);
const LEAST: Duration = Duration::from_secs(1);
const MOST: Duration = Duration::from_secs(60);

/// The arguments.
#[derive(clap::Args)]
pub(super) struct Keep {
    #[command(flatten)]
    place: Place,
    #[command(flatten)]
    who: Who,
    /// How often: `45s`
    #[arg(long, value_name = "SPAN")]
    every: Option<String>,
    /// For how long at most: `8h`
    #[arg(long = "for", value_name = "SPAN")]
    long: Option<String>,
    /// Renew once and end, for a loop that keeps its own time
    #[arg(long)]
    once: bool,
}

/// Runs the verb: until the loop's process ends, the claim is somebody else's, or the time is over.
pub(super) fn keep(args: &Keep) -> Exit {
    if let Err(reason) = is_person(false) {
        let text = format!("a session renews with each prompt, and needs no timer: {reason}");
        return refused(&Refusal::new(Code::NotOwner, text), args.place.json);
    }
    at_checkout(&args.place, &args.who, |desk, found, asker| {
        let every = span(args.every.as_deref())?
            .unwrap_or(EVERY)
            .clamp(LEAST, MOST);
        let long = span(args.long.as_deref())?;
        let begin = Instant::now();
        let lives = || match &asker.process {
            Some(p) => Machine.process(p.pid) == Seen::Running(p.start),
            None => true,
        };
        // Whoever started the timer and is gone needs it no more.
        let parent = parent();
        loop {
            let act = Act::Renew {
                stage: None,
                ttl: None,
            };
            let outcome = desk.run(found, asker, act)?;
            if args.once || long.is_some_and(|long| begin.elapsed().saturating_add(every) > long) {
                return Ok(desk.told(&outcome));
            }
            std::thread::sleep(every);
            if !lives() || parent != self::parent() {
                terminal::err("leaseguard: what this timer was for has ended\n");
                return Ok(Exit::Ok);
            }
        }
    })
}

#[cfg(unix)]
fn parent() -> u32 {
    std::os::unix::process::parent_id()
}

#[cfg(not(unix))]
fn parent() -> u32 {
    0
}
