//! What `git/discard` says of plain programs: `rm`, `mv`, `cp`, `> FILE` over work that is in no commit.

use super::discard::listed;
use super::target::{quoted, spelled};
use super::{Found, Instead};
use crate::action::{Action, Fate, Ruin};
use crate::shell::Span;
use crate::world::{Ruined, Seated, Taken, World};
use std::path::Path;

pub(super) fn found(ruin: &Ruin, action: &Action, world: &World) -> Option<Found> {
    let verb = match ruin.fate {
        Fate::Removed { .. } => "remove",
        Fate::Made | Fate::Edited | Fate::Replaced | Fate::Taken { moves: false, .. } => {
            "overwrite"
        }
        Fate::Taken { moves: true, .. } => "move away or overwrite",
    };
    let taken = match world.ruined(&action.place, ruin) {
        Ruined::Nothing => return None,
        Ruined::Unknown(why) => {
            let effect = format!("this may {verb} work that is in no commit");
            return Some(Found::new(effect, action.span).because(why).ask());
        }
        Ruined::Work(taken) => taken,
    };
    let word = ruin.paths.get(taken.word);
    let span = word.map(|w| w.span).filter(|span| *span != Span::default());
    let does = if taken.unsure { "may" } else { "would" };
    let effect = match word {
        Some(word) if !spelled(word).is_empty() && !ruin.listed => {
            let what = format!("work that is in no commit: `{}`", spelled(word));
            format!("this {does} {verb} {what}")
        }
        _ => format!("this {does} {verb} work that is in no commit"),
    };
    let mut found = Found::new(effect, span.unwrap_or(action.span));
    if taken.tree {
        found = found.because("it reaches the whole checkout");
    }
    for (work, one, many) in [
        (&taken.edits, "has an edit that is", "have edits that are"),
        (&taken.fresh, "is", "are"),
    ] {
        if work.count > 0 {
            let is = if work.count == 1 { one } else { many };
            found = found.because(format!("{} {is} in no commit", listed(work)));
        }
    }
    let company = match taken.seated {
        Seated::Alone => None,
        Seated::Others => Some("another session works in this checkout"),
        Seated::Nobody | Seated::Unclear => Some("whether another session wrote that is not known"),
    };
    if let Some(company) = company {
        found = found.because(company);
    }
    let found = found.instead(instead(&taken));
    Some(if taken.unsure { found.ask() } else { found })
}

fn instead(taken: &Taken) -> Option<Instead> {
    let git = match &taken.here {
        Some(_) => "git".to_owned(),
        None => format!("git -C {}", quoted(&taken.top.to_string_lossy())),
    };
    let at_top = taken
        .here
        .as_deref()
        .is_none_or(|here| here == Path::new(""));
    let spec = |path: &str| match at_top || path == "." {
        true => quoted(path),
        false => quoted(&format!(":/{path}")),
    };
    match &taken.named {
        Some(names) if !taken.tree && !taken.held => {
            let names: Vec<String> = names.iter().map(|name| spec(name)).collect();
            Instead::run(format!("{git} stash push -- {}", names.join(" ")))
        }
        _ if taken.below == "." => Instead::run(format!("{git} status --short")),
        _ => Instead::run(format!("{git} status --short -- {}", spec(&taken.below))),
    }
}
