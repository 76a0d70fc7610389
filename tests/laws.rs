//! Laws that hold for every command: joining never softens, and asking about a command is harmless.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::string_slice
)]

mod support;

use leaseguard::verdict::Decision;
use support::rules::{Fixture, load};
use support::text::single;
use support::{Report, Stage, brief, told};

/// A small generator, so that a sample is the same on every run.
struct Dice(u64);

impl Dice {
    fn pick<'a, T>(&mut self, from: &'a [T]) -> &'a T {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        let at = self.0 % u64::try_from(from.len()).unwrap();
        &from[usize::try_from(at).unwrap()]
    }
}

/// Harmless commands that change nothing that a push, a stage or a discard looks at.
const HARMLESS: &[&str] = &[
    "true",
    "git status --short",
    "git log --oneline -3",
    "echo done",
    "ls -la",
    "git fetch -q origin",
    "X=1",
    "git diff --stat HEAD",
    "[ -f a.txt ]",
];

/// How two commands may be joined so that both can still run.
const JOINTS: &[&str] = &["; ", " && ", " || ", " & ", "\n", " | cat; "];

/// One denied command of every scene, or all of them in a long run.
fn denied(fixture: &Fixture) -> Vec<(Stage, String)> {
    let most = if support::long() { usize::MAX } else { 4 };
    let mut found = Vec::new();
    for scene in &fixture.scenes {
        let stage = Stage {
            unseen_typing: scene.words.unseen_typing,
            ..Stage::of(&scene.setup)
        };
        for command in scene.words.deny.iter().take(most) {
            found.push((stage.clone(), command.clone()));
        }
    }
    found
}

/// Commands that end in a comment, a heredoc or a broken quote cannot be followed by anything, and
/// what a file holds hangs on whether the command before it ran.
fn can_be_followed(command: &str) -> bool {
    !command.contains(['#', '\n', '\\'])
        && !command.contains("$(<")
        && !command.trim_end().ends_with('&')
}

#[test]
fn joining_commands_never_softens_a_denial() {
    let mut dice = Dice(0x1ea5_e000_0000_0001);
    let mut report = Report::default();
    for fixture in load().iter().filter(|f| !f.terminal) {
        for (stage, command) in denied(fixture) {
            if !can_be_followed(&command) {
                continue;
            }
            let (other, joint) = (dice.pick(HARMLESS), dice.pick(JOINTS));
            for text in [
                format!("{other}{joint}{command}"),
                format!("{command}{joint}{other}"),
            ] {
                let verdict = stage.judge(&text);
                let denied = verdict.decision() == Decision::Deny;
                report.check(denied, &fixture.rule, || {
                    format!("{}: {}", told(&verdict), brief(&text))
                });
            }
        }
    }
    report.end("joined");
}

#[test]
fn asking_about_a_denied_command_is_always_allowed() {
    let mut report = Report::default();
    for fixture in load() {
        for (stage, command) in denied(&fixture) {
            let quoted = single(&command);
            for verb in ["check", "explain", "check --json"] {
                let text = format!("leaseguard {verb} '{quoted}'");
                let verdict = stage.judge(&text);
                let allowed = verdict.decision() == Decision::Allow;
                report.check(allowed, &fixture.rule, || {
                    format!("{}: {}", told(&verdict), brief(&text))
                });
            }
        }
    }
    report.end("asked about");
}
