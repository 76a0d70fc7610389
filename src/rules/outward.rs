//! The fixtures of the rules for what leaves the machine, judged command by command.

use super::judge;
use crate::action::{self, Lookup, Place};
use crate::policy::Policy;
use crate::shell::Command;
use crate::verdict::Decision;
use crate::world::{Surroundings, World};
use std::path::Path;

struct Nobody;

impl Lookup for Nobody {
    fn alias(&self, _: &Place, _: &str) -> Result<Option<String>, String> {
        Ok(None)
    }

    fn program(&self, _: &Path) -> Option<String> {
        None
    }
}

/// What the laws say of one command, with their ids and effects, and the ways out.
fn verdict(command: &Command, source: &str) -> (Decision, Vec<String>, Vec<String>) {
    let world = World::new(Surroundings::default());
    let named = action::name(command, Some(Path::new("/repo")), &Nobody);
    let findings: Vec<_> = named
        .actions
        .iter()
        .flat_map(|a| judge(a, &world, &Policy::default(), source))
        .collect();
    let decision = findings
        .iter()
        .map(|f| f.decision)
        .max()
        .unwrap_or_default();
    let ways = findings.iter().filter_map(|f| f.instead.clone()).collect();
    let told = findings
        .into_iter()
        .map(|f| format!("{}: {}", f.rule, f.effect))
        .collect();
    (decision, told, ways)
}

fn cases(text: &str) -> Vec<(Decision, String)> {
    let file: toml::Table = text.parse().expect("a fixture");
    let mut found = Vec::new();
    for scene in file["scene"].as_array().expect("scenes") {
        for (key, decision) in [
            ("deny", Decision::Deny),
            ("ask", Decision::Ask),
            ("allow", Decision::Allow),
        ] {
            let commands = scene
                .get(key)
                .and_then(toml::Value::as_array)
                .into_iter()
                .flatten();
            found.extend(commands.filter_map(|c| Some((decision, c.as_str()?.to_owned()))));
        }
    }
    found
}

/// What this reader of words cannot cut: several commands, heredocs, substitutions, wrappers.
fn is_simple(command: &str) -> bool {
    let shell = ["&&", "||", ";", " | ", "<<", "$(", "`", "\n", "=$'"];
    let wrapped = [
        "env ",
        "bash ",
        "sh ",
        "sudo ",
        "xargs ",
        "X=",
        "for ",
        "cd ",
        "poetry run",
        "uv run",
        "bundle ",
        "time ",
        "npm exec",
        "pnpm exec",
    ];
    !shell.iter().any(|s| command.contains(s)) && !wrapped.iter().any(|s| command.starts_with(s))
}

fn check(rule: &str, text: &str) {
    let mut wrong = Vec::new();
    let mut seen = 0;
    for (want, text) in cases(text) {
        if !is_simple(&text) {
            continue;
        }
        seen += 1;
        let command = action::testing::command(&text);
        let (got, told, ways) = verdict(&command, &text);
        for way in ways {
            let (then, told, _) = verdict(&action::testing::command(&way), &way);
            if then != Decision::Allow {
                let told = told.join("\n      ");
                wrong.push(format!("`{text}` leads to `{way}`, {then}:\n      {told}"));
            }
        }
        let by_rule = told.iter().any(|t| {
            t.starts_with(rule) || (want == Decision::Ask && t.starts_with("shell/opaque"))
        });
        if got != want || (want != Decision::Allow && !by_rule) {
            wrong.push(format!(
                "{want} expected, {got}: {text}\n      {}",
                told.join("\n      ")
            ));
        }
    }
    assert!(
        wrong.is_empty(),
        "{} of {seen} wrong:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
    assert!(seen > 60, "only {seen} cases");
}

#[test]
fn releases_are_told_from_their_harmless_twins() {
    check(
        "publish/release",
        include_str!("../../fixtures/rules/publish_release.toml"),
    );
}

#[test]
fn merges_on_a_forge_are_told_from_reading() {
    check(
        "forge/merge",
        include_str!("../../fixtures/rules/forge_merge.toml"),
    );
}

#[test]
fn writes_on_a_forge_are_told_from_reading() {
    check(
        "forge/ref-write",
        include_str!("../../fixtures/rules/forge_ref_write.toml"),
    );
}
