//! What agents type all day is let through, alone and in the wrappings in which they type it.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod support;

use leaseguard::verdict::Decision;
use support::setup::Setup;
use support::text::single;
use support::{Report, Stage, brief, told};

#[derive(serde::Deserialize)]
struct Daily {
    allow: Vec<String>,
}

#[test]
fn everyday_commands_are_let_through() {
    let path = support::root().join("fixtures/daily.toml");
    let text = std::fs::read_to_string(path).unwrap();
    let daily: Daily = toml::from_str(&text).unwrap();
    let stage = Stage::of(&Setup {
        clean: true,
        ..Setup::default()
    });
    let mut report = Report::default();
    for command in &daily.allow {
        let wrapped = format!("bash -c '{}'", single(command));
        let piped = format!("({command}\n) 2>&1 | tail -20");
        for text in [command.as_str(), &wrapped, &piped] {
            let verdict = stage.judge(text);
            let allowed = verdict.decision() == Decision::Allow;
            report.check(allowed, "daily", || {
                format!("{}: {}", told(&verdict), brief(text))
            });
        }
    }
    report.end("everyday commands");
}
