//! Denies throwing away a whole tree of work that is in no commit.

use super::breadth::{self, Breadth};
use super::target::{git_at, quoted, spelled};
use super::{Found, Instead, Rule, discard_files};
use crate::action::{Act, Action, Discard, How, Loses, Reach, Switch, Undoes};
use crate::policy::Policy;
use crate::shell::Word;
use crate::verdict::Decision;
use crate::world::{Fact, Loss, PathKind, Work, World, reached};

pub(super) const RULE: Rule = Rule {
    id: "git/discard",
    decision: Decision::Deny,
    stops: "throwing away work that is in no commit: `reset --hard`, `checkout .`, `restore FILE`, `clean -f`, `rm -rf *`, and `rm`, `mv` or `> FILE` over another session's edits",
    why: "what is in no commit cannot be brought back, and in a shared checkout it is not all yours",
    instead: "look first, then put edits away by name, `git stash push -- FILE`, which keeps them",
    check,
};

fn check(action: &Action, world: &World, _: &Policy) -> Vec<Found> {
    let found = match &action.act {
        Act::Discard(discard) => of_discard(discard, action, world),
        Act::Switch(switch) => path_after_all(switch, action, world),
        Act::Ruin(ruin) => discard_files::found(ruin, action, world),
        _ => None,
    };
    found.into_iter().collect()
}

fn of_discard(discard: &Discard, action: &Action, world: &World) -> Option<Found> {
    if discard.loses == Loses::Stash || git_refuses(discard, action, world) {
        return None;
    }
    let reach = reach(discard, action, world);
    let cleans = matches!(discard.loses, Loses::Untracked | Loses::Ignored);
    // Who names an untracked file may remove it.
    let paths: Vec<Word> = match &reach {
        Reached::Named if cleans => return None,
        Reached::Broad(..) if cleans => {
            let all = reached(discard).iter();
            let broad =
                all.filter(|path| breadth::of(path, &action.place, world) != Breadth::Named);
            broad.cloned().collect()
        }
        _ => reached(discard).to_vec(),
    };
    let (facts, sure) = match world.loss(&action.place, discard, &paths) {
        Loss::Nothing => return None,
        Loss::Unknown(why) if nowhere(world) => (vec![why], true),
        Loss::Unknown(why) => (vec![why], false),
        // Named files that nobody else has a part in.
        Loss::Work(work)
            if reach == Reached::Named
                && (world.sole(&action.place) || work.own && work.commits == 0) =>
        {
            return None;
        }
        Loss::Work(work) => (told(&work, cleans), true),
    };
    let what = match discard.loses {
        Loses::Untracked => "delete untracked files for good",
        Loses::Ignored => "delete untracked and ignored files for good",
        _ => "throw away uncommitted edits",
    };
    let (how, chosen) = match &reach {
        Reached::Broad(how, _) => (how, false),
        Reached::Chosen(how) => (how, true),
        Reached::Named => (&discard.how, false),
    };
    let does = if sure { "would" } else { "may" };
    let mut found = Found::new(format!("`{}` {does} {what}", discard.how.text), how.span);
    if let Reached::Broad(_, fact) = &reach {
        found = found.because(fact.clone());
    }
    for fact in facts {
        found = found.because(fact);
    }
    let found = found.instead(instead(discard, &reach, action, world));
    Some(if sure && !chosen { found } else { found.ask() })
}

/// A person asks outside of any repository what would hold in one.
fn nowhere(world: &World) -> bool {
    world.around.assume_repository
}

/// `checkout NAME`, where `NAME` is no branch but a path: git overwrites what is there.
fn path_after_all(switch: &Switch, action: &Action, world: &World) -> Option<Found> {
    let word = switch.to.as_ref().filter(|_| switch.maybe_path)?;
    let name = word.known()?;
    let there = world.path_kind(&action.place, word);
    if matches!(there, PathKind::Missing | PathKind::Unknown)
        || world.has_branch(&action.place, name) != Fact::Known(false)
    {
        return None;
    }
    let how = How {
        text: format!("checkout {name}"),
        span: word.span,
    };
    let discard = Discard {
        how,
        reach: Reach::Paths(vec![word.clone()]),
        loses: Loses::Edits,
        to: None,
        ambiguous: true,
        undoes: Undoes::Edited,
        from: None,
        settles: false,
        deep: false,
        here: false,
    };
    let found = of_discard(&discard, action, world)?;
    Some(found.because(format!("`{name}` is no branch here")))
}

/// What would be gone, as facts.
fn told(work: &Work, cleans: bool) -> Vec<String> {
    let mut facts = Vec::new();
    if work.count > 0 {
        let list = listed(work);
        let (is, has) = match work.count {
            1 => ("is", "has an edit that is"),
            _ => ("are", "have edits that are"),
        };
        facts.push(if cleans {
            format!("{list} {is} in no commit")
        } else {
            format!("{list} {has} in no commit")
        });
    }
    match work.commits {
        0 => {}
        1 => facts.push("1 commit is on no other branch or tag, here or at a remote".to_owned()),
        n => facts.push(format!(
            "{n} commits are on no other branch or tag, here or at a remote"
        )),
    }
    facts
}

/// The files of `work` as one phrase.
pub(super) fn listed(work: &Work) -> String {
    let shown: Vec<String> = work.paths.iter().map(|path| format!("`{path}`")).collect();
    let more = work.count.saturating_sub(shown.len());
    match (shown.as_slice(), more) {
        ([one], 0) => one.clone(),
        ([a, b], 0) => format!("{a} and {b}"),
        (some, 0) => some.join(", "),
        (some, n) if work.more => format!("{} and more than {n} others", some.join(", ")),
        (some, n) => format!("{} and {n} more", some.join(", ")),
    }
}

/// `clean` without `-f` does nothing unless config says that it may.
fn git_refuses(discard: &Discard, action: &Action, world: &World) -> bool {
    discard.how.text == "clean"
        && match world.config(&action.place, "clean.requireforce") {
            Fact::Known(Some(value)) => !matches!(
                value.to_ascii_lowercase().as_str(),
                "" | "false" | "no" | "off" | "0"
            ),
            Fact::Known(None) => true,
            Fact::Unknown(_) => false,
        }
}

/// How far a discard reaches.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Reached {
    /// Named files and nothing else.
    Named,
    /// Further: what says so, and as a fact.
    Broad(How, String),
    /// What answers choose when it runs.
    Chosen(How),
}

fn reach(discard: &Discard, action: &Action, world: &World) -> Reached {
    match &discard.reach {
        Reach::Tree => {
            let fact = "it reaches the whole checkout".to_owned();
            Reached::Broad(discard.how.clone(), fact)
        }
        Reach::Listed(how) | Reach::Chosen(how) => Reached::Chosen(how.clone()),
        Reach::Paths(paths) => {
            let broad = paths.iter().find_map(|path| {
                let breadth = breadth::of(path, &action.place, world);
                let broad = !matches!(breadth, Breadth::Named | Breadth::Unknown);
                broad.then(|| {
                    let how = How {
                        text: path.text.clone(),
                        span: path.span,
                    };
                    Reached::Broad(how, format!("`{}` {}", spelled(path), breadth.phrase()))
                })
            });
            broad.unwrap_or(Reached::Named)
        }
    }
}

fn instead(discard: &Discard, reach: &Reached, action: &Action, world: &World) -> Option<Instead> {
    let git = git_at(&action.place, world);
    let verb = discard.how.text.as_str();
    if matches!(discard.loses, Loses::Untracked | Loses::Ignored) {
        return Instead::run(format!("{git} clean -n -d"));
    }
    let to = discard
        .to
        .as_ref()
        .and_then(Word::known)
        .filter(|t| !t.is_empty() && !t.starts_with('-'));
    match to {
        // It moves the branch and keeps edits, or refuses.
        Some(to) if verb.starts_with("reset") => {
            return Instead::run(format!("{git} reset --keep {}", quoted(to)));
        }
        Some(to) if verb.starts_with("switch") => {
            return Instead::run(format!("{git} switch {}", quoted(to)));
        }
        _ => {}
    }
    let names = reached(discard).iter().map(|path| path.known().map(quoted));
    let names: Option<Vec<String>> = names.collect();
    let same = ["checkout", "restore"].iter().any(|v| verb.starts_with(v));
    match names {
        // The files are as after the discard, and their edits are kept.
        Some(names) if *reach == Reached::Named && same && discard.from.is_none() => {
            Instead::run(format!("{git} stash push -- {}", names.join(" ")))
        }
        _ => Instead::run(format!("{git} status --short")),
    }
}
