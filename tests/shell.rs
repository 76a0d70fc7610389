//! The shell extractor against what real bash runs.

#[path = "shell/compare.rs"]
mod compare;
#[path = "shell/mutants.rs"]
mod mutants;
#[path = "shell/oracle.rs"]
mod oracle;
#[path = "shell/wrappers.rs"]
mod wrappers;

use compare::{Difference, difference};
use leaseguard::shell::{self, Files, Script, Source, Start};
use std::path::{Path, PathBuf};

/// The table that the extraction asks: switch it to `leaseguard::action::wrap::Table` here.
const WRAPPERS: wrappers::Table = wrappers::Table;

/// No script file is anywhere.
struct NoFiles;

impl Files for NoFiles {
    fn script(&self, _path: &Path, _executed: bool) -> Source {
        Source::None
    }
}

#[derive(serde::Deserialize)]
struct Case {
    name: String,
    group: String,
    script: String,
    ran: Vec<Vec<String>>,
}

fn cases() -> Vec<Case> {
    serde_json::from_str(include_str!("../fixtures/shell/oracle.json")).expect("fixture")
}

fn extract(text: &str) -> Script {
    let start = Start {
        cwd: Some(PathBuf::from("/repo")),
        home: Some(PathBuf::from("/home/u")),
    };
    shell::extract(text, &start, &WRAPPERS, &NoFiles)
}

#[test]
fn dump() {
    for case in cases() {
        let d = difference(&extract(&case.script), &case.ran);
        if d != Difference::default() {
            println!("{} {} {:?}", case.group, case.name, d);
        }
    }
}

#[test]
fn fuzz_dump() {
    let all = cases();
    let base: Vec<&str> = all
        .iter()
        .filter(|c| mutants::may_mutate(&c.group, &c.script))
        .map(|c| c.script.as_str())
        .collect();
    let env = |k: &str, d: usize| {
        std::env::var(k)
            .ok()
            .and_then(|v| v.parse().ok())
            .unwrap_or(d)
    };
    let mut random = mutants::Random::new(env("SEED", 1) as u64);
    let (mut valid, mut missed, mut opaque, mut spurious, mut n) = (0, 0, 0, 0, 0);
    let count = env("COUNT", 300);
    while n < count {
        let script = mutants::mutant(&base, &mut random);
        if !mutants::is_safe(&script) {
            continue;
        }
        n += 1;
        let ran = oracle::run(&script);
        let d = difference(&extract(&script), &ran.commands);
        if ran.invalid {
            if !d.missed.is_empty() {
                println!("INVALID {script:?} {:?}", d.missed);
            }
            continue;
        }
        valid += 1;
        if !d.missed.is_empty() {
            missed += 1;
            println!("MISSED {script:?} {:?}", d.missed);
        } else if !d.opaque.is_empty() {
            opaque += 1;
            println!("OPAQUE {script:?} {:?}", d.opaque);
        } else if !d.spurious.is_empty() {
            spurious += 1;
            println!("SPURIOUS {script:?} {:?}", d.spurious);
        }
    }
    println!("valid {valid} missed {missed} opaque {opaque} spurious {spurious}");
}
