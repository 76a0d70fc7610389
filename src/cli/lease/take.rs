//! `lease takeover`, `lease adopt` and `lease override`.

use super::claim::{Terms, wanted};
use super::desk::{Found, at_checkout};
use super::{Exit, Place, Who};
use crate::lease::asker::Asker;
use crate::lease::error::{Code, Refusal};
use crate::lease::law::{Act, shown};
use crate::lease::record::Slot;
use crate::lease::store::Store;
use crate::person::{is_person, terminal::confirm};
use std::path::Path;
use std::process::{Command, Stdio};

/// Where git is: never looked for in a `PATH` that an agent may have changed.
const GIT: &[&str] = &[
    "/usr/bin/git",
    "/usr/local/bin/git",
    "/opt/homebrew/bin/git",
    "/bin/git",
];

/// `lease takeover` and `lease adopt`.
#[derive(clap::Args)]
pub(super) struct Take {
    #[command(flatten)]
    place: Place,
    #[command(flatten)]
    who: Who,
    #[command(flatten)]
    terms: Terms,
}

/// `lease override`.
#[derive(clap::Args)]
pub(super) struct Override {
    /// The claim, or `corrupt` for a record that cannot be read
    #[arg(value_name = "CLAIM")]
    claim: String,
    /// Why, for the log
    #[arg(long, value_name = "TEXT")]
    reason: String,
    #[command(flatten)]
    place: Place,
}

/// Runs `lease takeover`; `adopt` = together with uncommitted work.
pub(super) fn takeover(args: &Take, adopt: bool) -> Exit {
    at_checkout(&args.place, &args.who, |desk, found, asker| {
        let act = Act::Takeover {
            wanted: Box::new(wanted(&args.terms, found, asker)?),
            adopt_dirty: adopt,
            dirty: dirty(found, &desk.store),
        };
        Ok(desk.told(&desk.run(found, asker, act)?))
    })
}

/// Runs `lease override`.
pub(super) fn overrule(args: &Override) -> Exit {
    let nobody = Who {
        session: None,
        pid: None,
    };
    if let Err(reason) = is_person(true) {
        return super::super::pause::refused(&reason.to_string());
    }
    at_checkout(&args.place, &nobody, |desk, found, _| {
        let whose = match desk.store.at(&found.spot.repo, &found.spot.checkout) {
            Slot::Held(held) => shown(&held.claim),
            _ => "a record that cannot be read".to_owned(),
        };
        let what = format!(
            "this ends claim {} of {whose}\n  on {}\nand whatever it protects is free for others",
            args.claim,
            found.spot.top.display()
        );
        confirm(&what, "override")
            .map_err(|reason| Refusal::new(Code::NotOwner, reason.to_string()))?;
        let act = Act::Override {
            claim_id: args.claim.clone(),
            reason: args.reason.clone(),
        };
        let person = Asker {
            here: desk.here.clone(),
            ..Asker::default()
        };
        Ok(desk.told(&desk.run(found, &person, act)?))
    })
}

/// Whether there is uncommitted work, untracked files included, and what was linked into the
/// checkout left out (R154); `None` where git does not tell.
fn dirty(found: &Found, store: &dyn Store) -> Option<bool> {
    let git = GIT.iter().find(|path| Path::new(path).is_file())?;
    let out = Command::new(git)
        .args([
            "-c",
            "core.fsmonitor=false",
            "status",
            "--porcelain=v1",
            "-z",
        ])
        .args(["--untracked-files=all", "--ignore-submodules=none"])
        .current_dir(&found.spot.top)
        .env_remove("GIT_DIR")
        .env_remove("GIT_WORK_TREE")
        .env_remove("GIT_INDEX_FILE")
        .env("GIT_OPTIONAL_LOCKS", "0")
        .stdin(Stdio::null())
        .stderr(Stdio::null())
        .output()
        .ok()
        .filter(|out| out.status.success())?;
    let slot = store.at(&found.spot.repo, &found.spot.checkout);
    let linked = slot.claim().map(|c| c.checkout.provisioned.clone());
    let linked = linked.unwrap_or_default();
    let text = String::from_utf8_lossy(&out.stdout);
    let ours = |entry: &str| {
        let path = Path::new(entry.get(3..).unwrap_or_default());
        entry.starts_with("?? ")
            && linked
                .iter()
                .any(|l| path.starts_with(l.trim_end_matches('/')))
    };
    Some(
        text.split('\0')
            .any(|entry| !entry.is_empty() && !ours(entry)),
    )
}
