//! Denies writing outside of the paths that a session's claim allows.

use super::claims;
use super::target::spelled;
use super::{Found, Rule};
use crate::action::{Act, Action, Reach};
use crate::policy::Policy;
use crate::shell::Word;
use crate::verdict::Decision;
use crate::world::{Own, Stand, World};
use std::path::Path;

pub(super) const RULE: Rule = Rule {
    id: "lease/path-scope",
    decision: Decision::Deny,
    stops: "writing, staging or discarding files outside of the paths that one's claim names",
    why: "the rest of the checkout is somebody else's part of the work",
    instead: "stay within the paths of your claim; `leaseguard lease show` tells them",
    check,
};

fn check(action: &Action, world: &World, policy: &Policy) -> Vec<Found> {
    if !claims::binds(world, policy) || !world.claimed() {
        return Vec::new();
    }
    let paths: Vec<&Word> = match &action.act {
        Act::Stage(stage) if !stage.dry_run => stage.paths.iter().collect(),
        Act::Discard(discard) => match &discard.reach {
            Reach::Paths(paths) => paths.iter().collect(),
            _ => return Vec::new(),
        },
        Act::Write { path } | Act::Alter { path, .. } | Act::Touch { path, .. } => vec![path],
        _ => return Vec::new(),
    };
    let mut all = Vec::new();
    for path in paths {
        let reaches = world.reached_by(&action.place, path, true, false);
        for touched in &reaches.all {
            let (Stand::Mine(own), Some(below)) = (&touched.stand, &touched.below) else {
                continue;
            };
            if !own.paths.is_empty() && !own.paths.iter().any(|p| fits(p, below)) {
                all.push(finding(own, path, action));
            }
        }
    }
    all
}

fn finding(own: &Own, path: &Word, action: &Action) -> Found {
    let allowed: Vec<String> = own.paths.iter().map(|p| format!("`{p}`")).collect();
    let span = if path.span.end == 0 {
        action.span
    } else {
        path.span
    };
    // Which files a pattern finds may be told from none that it could find.
    let may = if path.glob { "may" } else { "would" };
    let found = Found::new(
        format!(
            "this {may} change `{}`, outside of your claim",
            spelled(path)
        ),
        span,
    );
    let found = if path.glob { found.ask() } else { found };
    found
        .because(format!("your claim allows {}", allowed.join(", ")))
        .instead(super::Instead::run(format!(
            "leaseguard lease show --worktree {}",
            super::target::quoted(&own.top.to_string_lossy())
        )))
}

/// Whether a path below the checkout fits a pattern: `*` and `?` stay within a name, `**` stands
/// for any number of names, and a directory stands for all that it holds.
fn fits(pattern: &str, path: &Path) -> bool {
    let names: Vec<&str> = path.iter().filter_map(|n| n.to_str()).collect();
    let wanted: Vec<&str> = pattern
        .split('/')
        .filter(|p| !p.is_empty() && *p != ".")
        .collect();
    below(&wanted, &names)
}

fn below(wanted: &[&str], names: &[&str]) -> bool {
    match (wanted.split_first(), names.split_first()) {
        (None, _) => true,
        (Some((&"**", rest)), None) => below(rest, names),
        (Some(_), None) => false,
        (Some((&"**", rest)), Some((_, after))) => below(rest, names) || below(wanted, after),
        (Some((want, rest)), Some((name, after))) => {
            crate::policy::glob_matches(want, name) && below(rest, after)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_stay_within_names_and_directories_hold_what_is_in_them() {
        for (pattern, path, want) in [
            ("src/**", "src/a/b.rs", true),
            ("src", "src/a/b.rs", true),
            ("src/", "src/a.rs", true),
            ("src/*.rs", "src/a.rs", true),
            ("src/*.rs", "src/a/b.rs", false),
            ("**/tests/*", "a/b/tests/x", true),
            ("docs/**", "src/a.rs", false),
            ("src", "src2/a.rs", false),
            ("*", "a.txt", true),
        ] {
            assert_eq!(fits(pattern, Path::new(path)), want, "{pattern} {path}");
        }
    }
}
