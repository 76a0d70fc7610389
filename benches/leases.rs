//! What claims cost: the look before a call, the list, and fifty claims at once.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout
)]

#[path = "../tests/support/mod.rs"]
mod support;

use leaseguard::lease::book::Name;
use leaseguard::lease::record::Slot;
use leaseguard::lease::registry::Hold;
use leaseguard::lease::store::Store;
use leaseguard::lease::store::dir::Dir;
use leaseguard::lease::witness::Machine;
use leaseguard::state::time::Moment;
use std::fs;
use std::hint::black_box;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};
use support::lease::{Bench, REPO, Stage, session};

fn main() {
    // `cargo test --benches` builds this and wants no figures.
    if !std::env::args().any(|a| a == "--bench") {
        return;
    }
    for count in [10, 10_000] {
        let temp = tempfile::tempdir().unwrap();
        filled(temp.path(), count);
        looks(temp.path(), count);
    }
    fifty();
}

fn store(dir: &Path) -> Dir {
    Dir::new(dir, "boot")
}

/// A store with `count` claims. One is claimed, the others are copied from it.
fn filled(dir: &Path, count: usize) {
    let (store, stage) = (store(dir), Stage::default());
    let who = session("s0", 1);
    Bench::new(&store, &stage)
        .claim("x0", &who, Moment::now())
        .unwrap();
    let folder = dir.join("v1").join(REPO);
    let text = fs::read_to_string(folder.join("claims/x0.json")).unwrap();
    for n in 1..count {
        let text = text
            .replace("x0", &format!("x{n}"))
            .replace("\"s0\"", &format!("\"s{n}\""));
        let mut claim: serde_json::Value = serde_json::from_str(&text).unwrap();
        claim["claimId"] = format!("C{n}").into();
        claim["owner"]["pid"] = (n + 100_000).into();
        fs::write(folder.join(format!("claims/x{n}.json")), claim.to_string()).unwrap();
        fs::write(folder.join(format!("beats/C{n}.beat")), "").unwrap();
    }
    // The index is made anew at the next change.
    fs::remove_file(folder.join("index/boot")).unwrap();
    let last = session(&format!("s{count}"), 2);
    Bench::new(&store, &stage)
        .claim(&format!("x{count}"), &last, Moment::now())
        .unwrap();
}

fn looks(dir: &Path, count: usize) {
    let (store, stage) = (store(dir), Stage::default());
    let bench = Bench::new(&store, &Machine);
    let registry = bench.registry();
    let (who, now) = (session("s5", 6), Moment::now());
    let middle = format!("x{}", count / 2);
    report(
        &format!("{count} claims: whose is this checkout"),
        2000,
        || {
            let hold = registry.hold((REPO, &middle), &who, now);
            assert!(!matches!(hold, Hold::Free | Hold::Unreadable(_)));
            black_box(hold);
        },
    );
    let branch = Name::Branch(format!("feat/{middle}"));
    report(
        &format!("{count} claims: whose is this branch"),
        2000,
        || {
            assert!(matches!(store.named(REPO, &branch), Slot::Held(_)));
        },
    );
    report(&format!("{count} claims: nobody's checkout"), 2000, || {
        black_box(registry.hold((REPO, "none"), &who, now));
    });
    let held = store.at(REPO, &middle).held().unwrap().clone();
    report(&format!("{count} claims: a sign of life"), 500, || {
        store.beat(REPO, &held.claim, now).unwrap();
    });
    report(&format!("{count} claims: all of them, read"), 10, || {
        black_box(store.all(REPO).unwrap());
    });
    let bench = Bench::new(&store, &stage);
    let mut n = count + 1;
    report(
        &format!("{count} claims: one more, saved to the disk"),
        20,
        || {
            n += 1;
            let who = session(&format!("s{n}"), u32::try_from(n).unwrap());
            bench.claim(&format!("x{n}"), &who, now).unwrap();
        },
    );
    list(dir, count);
}

/// `lease list` of the binary, over a repository whose folder is the store's.
fn list(dir: &Path, count: usize) {
    let repo = dir.join("repo");
    fs::create_dir_all(&repo).unwrap();
    let home = dir.join("home/.local/state/leaseguard");
    fs::create_dir_all(&home).unwrap();
    fs::rename(dir.join("v1"), home.join("v1")).unwrap();
    report(
        &format!("{count} claims: `lease list --all`, the whole process"),
        8,
        || {
            let status = Command::new(env!("CARGO_BIN_EXE_leaseguard"))
                .args(["lease", "list", "--all"])
                .env("HOME", dir.join("home"))
                .env_remove("XDG_STATE_HOME")
                .stdout(Stdio::null())
                .status();
            assert!(status.unwrap().success());
        },
    );
}

/// Fifty claims at once, of one repository and saved to the disk.
fn fifty() {
    let temp = tempfile::tempdir().unwrap();
    let store = store(temp.path());
    let mut times: Vec<Duration> = Vec::new();
    for round in 0..10 {
        let gate = std::sync::Barrier::new(50);
        let some: Vec<Duration> = std::thread::scope(|scope| {
            let all: Vec<_> = (0..50)
                .map(|n| {
                    let (gate, store) = (&gate, &store);
                    scope.spawn(move || {
                        let (stage, key) = (Stage::default(), round * 50 + n);
                        let who = session(&format!("s{key}"), key + 1);
                        let bench = Bench::new(store, &stage);
                        gate.wait();
                        let begin = Instant::now();
                        bench
                            .claim(&format!("x{key}"), &who, Moment::now())
                            .unwrap();
                        begin.elapsed()
                    })
                })
                .collect();
            all.into_iter().map(|t| t.join().unwrap()).collect()
        });
        times.extend(some);
    }
    print(
        "50 claims at once, saved to the disk (limit 250 ms at p95)",
        times,
    );
}

fn report(what: &str, runs: usize, mut work: impl FnMut()) {
    work();
    let times = (0..runs).map(|_| {
        let begin = Instant::now();
        work();
        begin.elapsed()
    });
    print(what, times.collect());
}

fn print(what: &str, mut times: Vec<Duration>) {
    times.sort_unstable();
    let ms = |part: usize| times[(times.len() - 1) * part / 100].as_secs_f64() * 1000.0;
    println!(
        "{what:<62} p50 {:>8.3}  p95 {:>8.3}  max {:>8.3} ms",
        ms(50),
        ms(95),
        ms(100)
    );
}
