//! The shell extractor against what real bash runs.
// The oracle's own trouble (no directory, no bash) is no finding: it may end the test.
#![allow(clippy::expect_used)]

#[path = "shell/compare.rs"]
mod compare;
#[path = "shell/meaning.rs"]
mod meaning;
#[path = "shell/mutants.rs"]
mod mutants;
#[path = "shell/oracle.rs"]
mod oracle;
#[path = "shell/show.rs"]
mod show;
#[path = "shell/stress.rs"]
mod stress;
#[path = "shell/values.rs"]
mod values;

use compare::difference;
use leaseguard::shell::{self, Files, Script, Source, Start};
use std::path::{Path, PathBuf};

/// The table that the extraction asks.
const WRAPPERS: leaseguard::action::wrap::Table = leaseguard::action::wrap::Table;

/// No script file is anywhere.
struct NoFiles;

impl Files for NoFiles {
    fn script(&self, _path: &Path, _executed: bool) -> Source {
        Source::None
    }
}

/// Mutants of which a command is known to be missed, with the reason; a test fails when one is
/// missed no more.
const GAPS: &[(&str, &str)] = &[
    (
        "let 'a[$(git push -f)]=1'",
        "arithmetic runs substitutions in text that was quoted",
    ),
    (
        "x='a[$(git push -f)]'; ((x))",
        "arithmetic runs substitutions in the values of variables",
    ),
    ("compgen -C 'git push -f' x", "completion runs its command"),
];

#[derive(serde::Deserialize)]
struct Case {
    name: String,
    group: String,
    /// `exact`, `spurious`, `opaque` or `missed`.
    verdict: String,
    script: String,
    ran: Vec<Vec<String>>,
}

fn cases() -> Vec<Case> {
    serde_json::from_str(include_str!("../fixtures/shell/oracle.json")).expect("fixture")
}

fn start() -> Start {
    Start {
        cwd: Some(PathBuf::from("/repo")),
        home: Some(PathBuf::from("/home/u")),
    }
}

fn extract(text: &str) -> Script {
    shell::extract(text, &start(), &WRAPPERS, &NoFiles)
}

fn long() -> bool {
    std::env::var_os("LEASEGUARD_LONG").is_some()
}

#[test]
fn the_corpus_is_read_as_bash_ran_it() {
    let mut wrong = Vec::new();
    for case in cases() {
        let found = difference(&extract(&case.script), &case.ran);
        if found.verdict() != case.verdict {
            wrong.push(format!(
                "{}: {} is not {}: {found:?}",
                case.name,
                found.verdict(),
                case.verdict
            ));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

// R64
#[test]
fn nothing_of_the_corpus_is_missed() {
    for case in cases() {
        assert!(
            !matches!(case.verdict.as_str(), "missed" | "opaque"),
            "{} is recorded as {}",
            case.name,
            case.verdict
        );
    }
}

#[test]
fn bash_still_runs_the_corpus_as_recorded() {
    if !oracle::there() {
        return;
    }
    for case in cases() {
        let mut ran = oracle::run(&case.script).commands;
        let mut recorded = case.ran.clone();
        ran.sort();
        recorded.sort();
        recorded.dedup();
        assert_eq!(ran, recorded, "{}: {}", case.name, case.script);
        assert!(
            difference(&extract(&case.script), &ran).missed.is_empty(),
            "{}",
            case.name
        );
    }
}

#[test]
fn mutants_that_bash_accepts_are_not_missed() {
    if !oracle::there() {
        return;
    }
    let all = cases();
    let base: Vec<&str> = all
        .iter()
        .filter(|c| mutants::may_mutate(&c.group, &c.script))
        .map(|c| c.script.as_str())
        .collect();
    let number = |name: &str| {
        std::env::var(name)
            .ok()
            .and_then(|v| v.parse::<usize>().ok())
    };
    let seed = number("LEASEGUARD_SEED").unwrap_or(20_260_110);
    let count = number("LEASEGUARD_MUTANTS").unwrap_or(if long() { 5_000 } else { 300 });
    let mut random = mutants::Random::new(seed as u64);
    let (mut valid, mut invalid) = (0usize, 0usize);
    let mut missed = Vec::new();
    let mut lost = Vec::new();
    let mut tally = std::collections::BTreeMap::<&str, usize>::new();
    while valid + invalid < count {
        let script = mutants::mutant(&base, &mut random);
        if !mutants::is_safe(&script) {
            continue;
        }
        let ran = oracle::run(&script);
        let found = difference(&extract(&script), &ran.commands);
        let at = format!("{script:?}: {:?}", found.missed);
        if ran.invalid {
            invalid += 1;
            if !found.missed.is_empty() {
                lost.push(at);
            }
            continue;
        }
        valid += 1;
        *tally.entry(found.verdict()).or_default() += 1;
        if !found.missed.is_empty() && !GAPS.iter().any(|(gap, _)| *gap == script) {
            missed.push(at);
        }
    }
    println!(
        "{valid} valid: {tally:?}; {invalid} invalid, {} of them missed: {lost:#?}",
        lost.len()
    );
    println!("missed of the valid: {missed:#?}");
    assert!(
        missed.len() * 1000 <= valid,
        "{} of {valid} valid mutants missed:\n{}",
        missed.len(),
        missed.join("\n")
    );
    assert!(lost.len() * 200 <= invalid.max(200), "{}", lost.join("\n"));
}

#[test]
fn every_listed_gap_is_still_one() {
    if !oracle::there() {
        return;
    }
    for (script, reason) in GAPS {
        let ran = oracle::run(script);
        let found = difference(&extract(script), &ran.commands);
        assert!(
            !found.missed.is_empty(),
            "no gap any more ({reason}): {script}"
        );
    }
}
