//! The corpus of real-world cases, and the score of the guard on it.

use super::setup::Setup;
use super::{Stage, spread, told};
use leaseguard::verdict::Decision;
use serde::Deserialize;
use std::collections::BTreeMap;

/// One line of `fixtures/cases/open.jsonl`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Case {
    /// Its number.
    pub(crate) id: String,
    /// `lost-work`, `guard-bypass`, `false-positive`.
    pub(crate) kind: String,
    /// Where it was seen.
    pub(crate) source: String,
    /// The repository.
    pub(crate) setup: Setup,
    /// The shell text.
    pub(crate) command: String,
    /// The right answer.
    pub(crate) expect: String,
    /// Other answers that are as good.
    #[serde(default)]
    pub(crate) also_ok: Vec<String>,
    /// What it is about.
    pub(crate) why: String,
}

/// How an answer is wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Wrong {
    /// Something had to be said, and nothing was.
    Missed,
    /// A person is asked where the answer is clear.
    Asked,
    /// Refused, though it may run.
    Denied,
}

/// One case with the guard's answer.
#[derive(Debug)]
pub(crate) struct Scored {
    /// The case's id.
    pub(crate) id: String,
    /// The case's kind.
    pub(crate) kind: String,
    /// `allow`, `ask`, `deny`, or `fault`.
    pub(crate) got: &'static str,
    /// `None` = right.
    pub(crate) wrong: Option<Wrong>,
    /// For the report.
    pub(crate) line: String,
}

/// Reads the corpus.
pub(crate) fn load() -> Vec<Case> {
    let path = super::root().join("fixtures/cases/open.jsonl");
    let text = std::fs::read_to_string(&path).expect("fixtures/cases/open.jsonl");
    text.lines()
        .enumerate()
        .map(|(i, line)| {
            serde_json::from_str(line).unwrap_or_else(|e| panic!("open.jsonl:{}: {e}", i + 1))
        })
        .collect()
}

/// Judges every case in its own repository.
pub(crate) fn score(cases: &[Case]) -> Vec<Scored> {
    spread(cases, |case| {
        let verdict = Stage::of(&case.setup).judge(&case.command);
        let decision = verdict.decision();
        let got = if verdict.fault.is_some() {
            "fault"
        } else {
            decision.word()
        };
        let right = got == case.expect || case.also_ok.iter().any(|ok| ok == got);
        let wrong = match decision {
            _ if right => None,
            Decision::Allow => Some(Wrong::Missed),
            Decision::Ask => Some(Wrong::Asked),
            Decision::Deny => Some(Wrong::Denied),
        };
        Scored {
            id: case.id.clone(),
            kind: case.kind.clone(),
            got,
            wrong,
            line: format!(
                "{} want {} got {}: {}",
                case.id,
                case.expect,
                told(&verdict),
                super::brief(&case.command)
            ),
        }
    })
}

/// The score by kind, as a table.
pub(crate) fn table(scored: &[Scored]) -> String {
    let mut kinds: BTreeMap<&str, [usize; 5]> = BTreeMap::new();
    for one in scored {
        for kind in [one.kind.as_str(), "all kinds"] {
            let row = kinds.entry(kind).or_default();
            row[0] += 1;
            match one.wrong {
                None => row[1] += 1,
                Some(Wrong::Missed) => row[2] += 1,
                Some(Wrong::Asked) => row[3] += 1,
                Some(Wrong::Denied) => row[4] += 1,
            }
        }
    }
    let mut out = format!(
        "{:<16}{:>7}{:>7}{:>8}{:>7}{:>15}\n",
        "kind", "cases", "right", "missed", "asked", "falsely denied"
    );
    let mut rows: Vec<_> = kinds.into_iter().collect();
    rows.sort_by_key(|(kind, _)| *kind == "all kinds");
    for (kind, [cases, right, missed, asked, denied]) in rows {
        out += &format!("{kind:<16}{cases:>7}{right:>7}{missed:>8}{asked:>7}{denied:>15}\n");
    }
    out
}
