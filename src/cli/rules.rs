//! `rules`: the rule book as a table or as JSON.

use super::{Exit, terminal};
use crate::rules::{ALL, Rule};
use serde::Serialize;
use std::fmt::Write as _;

/// The arguments.
#[derive(clap::Args)]
pub(super) struct Args {
    /// Print JSON
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct Book {
    v: u8,
    rules: Vec<View>,
}

#[derive(Serialize)]
struct View {
    id: &'static str,
    decision: &'static str,
    stops: &'static str,
}

/// Runs the verb.
pub(super) fn run(args: &Args) -> Exit {
    terminal::out(&if args.json { json(ALL) } else { table(ALL) });
    Exit::Ok
}

fn json(rules: &[&Rule]) -> String {
    let view = |rule: &&Rule| View {
        id: rule.id,
        decision: rule.decision.word(),
        stops: rule.stops,
    };
    terminal::json_line(&Book {
        v: 1,
        rules: rules.iter().map(view).collect(),
    })
}

fn table(rules: &[&Rule]) -> String {
    let width = rules.iter().map(|rule| rule.id.len()).max().unwrap_or(0);
    let mut out = String::new();
    for rule in rules {
        let decision = rule.decision.word();
        let _ = writeln!(out, "{:width$}  {decision:5}  {}", rule.id, rule.stops);
    }
    out
}
