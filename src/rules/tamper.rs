//! Denies changing what makes leaseguard work: its policy, its state, its program and the hooks that call it.

use super::paths::{Deed, Parts, touched};
use super::{Found, Rule};
use crate::action::{Act, Action, Place};
use crate::policy::{Places, Policy};
use crate::shell::Word;
use crate::verdict::Decision;
use crate::world::{PathKind, World};
use std::path::{Path, PathBuf};

pub(super) const RULE: Rule = Rule {
    id: "self/tamper",
    decision: Decision::Deny,
    stops: "leaseguard's policy, state and program, and the agent hosts' hooks that call it, changed or removed; a project's `leaseguard.toml` and hook settings ask",
    why: "a guard that the guarded can switch off guards nothing",
    instead: "say what is in the way and leave the change to a person",
    check,
};

/// Where agent hosts read hooks, below a home or a project.
#[rustfmt::skip]
const HOOKS: &[&[&str]] = &[
    &[".claude", "settings.json"],
    &[".claude", "settings.local.json"],
    &[".codex", "config.toml"],
    &[".codex", "hooks.json"],
    &[".cursor", "hooks.json"],
    &[".gemini", "settings.json"],
    &[".gemini", "config", "hooks.json"],
    &[".qwen", "settings.json"],
    &[".github", "hooks", "*"],
    &[".copilot", "hooks", "*"],
    &[".copilot", "settings.json"],
    &[".copilot", "config.json"],
    &[".kimi", "config.toml"],
    &[".grok", "hooks", "*"],
    &[".factory", "hooks.json"],
    &[".factory", "settings.json"],
    &[".codeium", "windsurf", "hooks.json"],
    &[".windsurf", "hooks.json"],
    &[".agents", "hooks.json"],
    &[".cline", "hooks", "*"],
    &[".clinerules", "hooks", "*"],
    &[".opencode", "plugins", "*"],
    &[".config", "opencode", "plugins", "*"],
    &[".config", "crush", "crush.json"],
];

/// Where they read those of the whole machine.
#[rustfmt::skip]
const MACHINE: &[&str] = &[
    "/etc/claude-code", "/etc/codex", "/etc/gemini-cli", "/etc/github-copilot", "/etc/windsurf",
];

/// Variables that move a host's config, with the folder that they stand for.
const MOVED: &[(&str, &str)] = &[
    ("CLAUDE_CONFIG_DIR", ".claude"),
    ("CODEX_HOME", ".codex"),
    ("COPILOT_HOME", ".copilot"),
];

fn check(action: &Action, world: &World, _: &Policy) -> Vec<Found> {
    if let Act::Disarm(own) = &action.act {
        let found = Found::new("this would put leaseguard out of action", own.how.span);
        return vec![found.because(format!("`{}` {}", own.how.text, own.does))];
    }
    let Some((word, deed)) = touched(action) else {
        return Vec::new();
    };
    let path = Parts::of(word, action.place.dir.as_deref());
    if everyday(&path, action, world) {
        return Vec::new();
    }
    let span = if word.span.end == 0 {
        action.span
    } else {
        word.span
    };
    let found = |why: &str| Found::new(deed.of(word), span).because(why);
    if own_dirs(world)
        .iter()
        .any(|dir| path.lies_in(dir) || (deed.whole() && path.holds(dir)))
    {
        return vec![found("leaseguard keeps its policy or its memory there")];
    }
    if program(&path, deed) {
        return vec![found("it is leaseguard's program")];
    }
    if policy_of_project(&path, world) {
        let why = "it is the policy of this project, and what it would say is not known here";
        return vec![found(why).ask()];
    }
    match hooks(&path, word, deed, action, world) {
        None => Vec::new(),
        Some(true) => vec![found("an agent host reads there which hooks to call")],
        Some(false) => {
            let why = "an agent host reads there which hooks to call, and what it would say is not known here";
            vec![found(why).ask()]
        }
    }
}

/// A directory below the one at hand whose path cannot lead to any of what is guarded.
fn everyday(path: &Parts, action: &Action, world: &World) -> bool {
    let home = world.around.home.as_deref();
    let dir = action.place.dir.as_deref();
    dir.is_some_and(|dir| path.lies_in(dir))
        && !home.is_some_and(|home| path.holds(home))
        && path.parts.iter().all(|part| {
            !part.starts_with('.') && !part.contains(['*', '?', '[']) && !part.contains("lease")
        })
}

/// Whether it is `leaseguard.toml`: by name, or by a pattern where there is one.
fn policy_of_project(path: &Parts, world: &World) -> bool {
    let Some((last, before)) = path.parts.split_last() else {
        return false;
    };
    if !path.is(last, Places::PROJECT) {
        return false;
    }
    let Some(dir) = path.first(before.len()) else {
        return last == Places::PROJECT;
    };
    let kind = |name: &str| {
        let place = Place {
            dir: Some(dir.clone()),
            ..Place::default()
        };
        let word = Word {
            text: name.to_owned(),
            ..Word::default()
        };
        world.path_kind(&place, &word)
    };
    if last.eq_ignore_ascii_case(Places::PROJECT) {
        // `cp leaseguard.toml COPY` names no file in `COPY` unless that is a directory.
        !matches!(kind("."), PathKind::Missing | PathKind::File)
    } else {
        kind(Places::PROJECT) == PathKind::File
    }
}

/// Where leaseguard keeps policy and state.
fn own_dirs(world: &World) -> Vec<PathBuf> {
    let around = &world.around;
    let mut dirs = vec![PathBuf::from("/etc/leaseguard")];
    for (variable, tail) in [
        ("XDG_CONFIG_HOME", ".config/leaseguard"),
        ("XDG_STATE_HOME", ".local/state/leaseguard"),
    ] {
        dirs.extend(around.directory(variable).map(|d| d.join("leaseguard")));
        dirs.extend(around.home.as_ref().map(|home| home.join(tail)));
    }
    let mac = "Library/Application Support/leaseguard";
    dirs.extend(around.home.as_ref().map(|home| home.join(mac)));
    dirs
}

/// The program itself, where programs are installed.
fn program(path: &Parts, deed: Deed) -> bool {
    let Some((last, before)) = path.parts.split_last() else {
        return false;
    };
    let named = matches!(last.as_str(), "leaseguard" | "leaseguard.exe");
    let installed = before
        .iter()
        .any(|p| matches!(p.as_str(), "bin" | "sbin" | ".bin" | "opt"));
    named && (installed || deed == Deed::Mode)
}

/// Whether it is a host's hook settings: `Some(true)` for a denial, `Some(false)` for a question.
fn hooks(path: &Parts, word: &Word, deed: Deed, action: &Action, world: &World) -> Option<bool> {
    if MACHINE.iter().any(|dir| path.lies_in(Path::new(dir))) {
        return Some(true);
    }
    for (variable, folder) in MOVED {
        if let Some(dir) = world.around.directory(variable)
            && path.lies_in(&dir)
            && let Some(last) = path.parts.last()
            && HOOKS.iter().any(|tail| {
                tail.first() == Some(folder)
                    && tail
                        .last()
                        .is_some_and(|name| *name == "*" || path.is(last, name))
            })
        {
            return Some(true);
        }
    }
    let home = world.around.home.as_deref();
    let mut answer = None;
    for tail in HOOKS {
        let Some(above) = ends(path, tail, deed, word, action, world) else {
            continue;
        };
        let users = home.is_some_and(|home| path.first(above).as_deref() == Some(home));
        // A project's own settings are everyday work; that they go away is not.
        let sure = users || matches!(deed, Deed::Remove | Deed::RemoveOne | Deed::Move);
        answer = Some(answer.unwrap_or(false) || sure);
    }
    answer
}

/// How many components stand before `tail` where the path ends in it, or in a directory of it that
/// goes with all that it holds.
fn ends(
    path: &Parts,
    tail: &[&str],
    deed: Deed,
    word: &Word,
    action: &Action,
    world: &World,
) -> Option<usize> {
    let fits = |given: &[String], want: &[&str]| {
        given
            .iter()
            .zip(want)
            .all(|(part, name)| *name == "*" || path.is(part, name))
    };
    let above = path.parts.len().checked_sub(tail.len());
    if let Some(above) = above
        && fits(path.parts.get(above..)?, tail)
    {
        return Some(above);
    }
    if !deed.whole() {
        return None;
    }
    (1..tail.len()).find_map(|n| {
        let above = path.parts.len().checked_sub(n)?;
        if !fits(path.parts.get(above..)?, tail.get(..n)?) {
            return None;
        }
        let rest: Vec<&str> = tail
            .get(n..)?
            .iter()
            .copied()
            .filter(|t| *t != "*")
            .collect();
        let below = Word {
            text: format!("{}/{}", word.text, rest.join("/")),
            ..word.clone()
        };
        let there = world.path_kind(&action.place, &below) != PathKind::Missing;
        there.then_some(above)
    })
}
