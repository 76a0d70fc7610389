//! `pause`: a person lets everything through for a while; it is still judged and logged.

use super::{Exit, home, terminal};
use crate::grant::pause;
use crate::log::{Entry, Log, Settings};
use crate::person::{is_person, terminal::confirm};
use crate::state::State;
use crate::state::time::{Moment, parse_span, shown_span};

/// The arguments.
#[derive(clap::Args)]
pub(super) struct Args {
    /// For how long: `10m`, `1h`
    #[arg(value_name = "SPAN", required_unless_present = "end")]
    span: Option<String>,
    /// End the pause now
    #[arg(long, conflicts_with = "span")]
    end: bool,
}

/// Runs the verb.
pub(super) fn run(args: &Args) -> Exit {
    let state = match home::state() {
        Ok(state) => state,
        Err(why) => return trouble(&why),
    };
    if args.end {
        return match pause::resume(&state) {
            Ok(true) => done(&state, "resume", "leaseguard judges and stops again"),
            Ok(false) => done(&state, "resume", "there was no pause"),
            Err(why) => trouble(&why.0),
        };
    }
    let text = args.span.as_deref().unwrap_or_default();
    let Some(span) = parse_span(text) else {
        return trouble(&format!("`{text}` is no span such as `10m`"));
    };
    let what = format!(
        "this lets every command of every agent on this machine through for {}",
        shown_span(span)
    );
    if let Err(reason) = is_person(true).and_then(|()| confirm(&what, "pause")) {
        return refused(&reason.to_string());
    }
    match pause::pause(&state, span, Moment::now()) {
        Ok(_) => {
            let text = format!(
                "paused for {}; `leaseguard pause --end` ends it",
                shown_span(span)
            );
            done(&state, "pause", &text)
        }
        Err(why) => trouble(&why.to_string()),
    }
}

/// Says what was done, and logs it.
pub(super) fn done(state: &State, kind: &str, text: &str) -> Exit {
    let entry = Entry {
        kind,
        effects: vec![text.into()],
        ..Entry::default()
    };
    if let Err(why) = Log::new(state, Settings::default()).write(&entry, Moment::now()) {
        terminal::err(&format!("leaseguard: {}\n", why.0));
    }
    terminal::out(&format!("{text}\n"));
    Exit::Ok
}

pub(super) fn refused(why: &str) -> Exit {
    terminal::err(&format!("leaseguard: {why}\n"));
    Exit::Denied
}

pub(super) fn trouble(why: &str) -> Exit {
    terminal::err(&format!("leaseguard: {why}\n"));
    Exit::Trouble
}
