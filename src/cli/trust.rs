//! `trust`: a person lets a repository's policy loosen, as it stands now.

use super::home::Here;
use super::pause::{done, refused, trouble};
use super::{Exit, home};
use crate::person::{is_person, terminal::confirm};
use crate::policy::{forget, preview, trust};
use std::fmt::Write as _;
use std::path::PathBuf;

/// The arguments.
#[derive(clap::Args)]
pub(super) struct Args {
    /// The repository
    #[arg(long, value_name = "DIR")]
    cwd: Option<PathBuf>,
    /// Forget what was trusted here
    #[arg(long)]
    forget: bool,
}

/// Runs the verb.
pub(super) fn run(args: &Args) -> Exit {
    let here = Here::of(args.cwd.as_deref());
    let state = match home::state() {
        Ok(state) => state,
        Err(why) => return trouble(&why),
    };
    if args.forget {
        return match here.with(forget) {
            Ok(()) => done(
                &state,
                "trust",
                "the repository's policy only tightens from now on",
            ),
            Err(why) => trouble(&why.to_string()),
        };
    }
    let shown = match here.with(preview) {
        Ok(shown) => shown,
        Err(why) => return trouble(&why.to_string()),
    };
    let mut what = format!("this trusts {} as it stands now:", shown.file.display());
    for change in &shown.changes {
        let way = if change.loosens { "looser" } else { "stricter" };
        let _ = write!(
            what,
            "\n  {}: {} -> {} ({way})",
            change.name, change.from, change.to
        );
    }
    if shown.changes.is_empty() {
        what.push_str("\n  nothing changes by it");
    }
    if let Err(reason) = is_person(true).and_then(|()| confirm(&what, "trust")) {
        return refused(&reason.to_string());
    }
    match here.with(|places| trust(places, &shown)) {
        Ok(()) => done(
            &state,
            "trust",
            &format!("trusted {}", shown.file.display()),
        ),
        Err(why) => trouble(&why.to_string()),
    }
}
