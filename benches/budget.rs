//! What one call costs: instructions and wall time of the release binary as ratios to `/bin/true`, beside misses and false denials.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout
)]

#[path = "../tests/support/mod.rs"]
mod support;

use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};
use support::setup::Setup;
use support::{Stage, repo};

/// One call through the `hook` door.
struct Run {
    name: &'static str,
    command: &'static str,
    /// The exit code that a right answer has.
    exit: i32,
    /// Instructions relative to `/bin/true`: the limit, and what is aimed at.
    limit: f64,
    aim: f64,
}

const RUNS: &[Run] = &[
    Run {
        name: "allow without git",
        command: "cargo test -q 2>&1 | tail -5",
        exit: 0,
        limit: 1.0,
        aim: 0.8,
    },
    Run {
        name: "git status",
        command: "git status --short",
        exit: 0,
        limit: 1.2,
        aim: 0.85,
    },
    Run {
        name: "force push, denied",
        command: "git push --force origin feat/x",
        exit: 2,
        limit: 1.5,
        aim: 1.2,
    },
    Run {
        name: "push with facts",
        command: "git push",
        exit: 0,
        limit: 2.5,
        aim: 1.8,
    },
];

const TRUE: &str = "/bin/true";
const WALL_RUNS: usize = 200;
const MEGABYTE_LIMIT_MS: f64 = 30.0;

fn main() {
    // `cargo test --benches` builds this and wants no figures.
    if !std::env::args().any(|a| a == "--bench") {
        return;
    }
    let setup = Setup {
        clean: true,
        ..Setup::default()
    };
    let stage = Stage::of(&setup);
    let payloads: Vec<PathBuf> = RUNS.iter().map(|run| payload(&stage, run)).collect();
    let size = std::fs::metadata(bin()).map_or(0, |m| m.len());
    println!("leaseguard hook, {} KB\n", size / 1024);
    for (run, payload) in RUNS.iter().zip(&payloads) {
        let code = start(&stage, bin(), &["hook"], payload).code();
        if code != Some(run.exit) {
            println!(
                "! {}: exit {code:?}, not {}: its figures are of something else",
                run.name, run.exit
            );
        }
    }
    figures(&stage, &payloads);
    ownership();
    megabyte(&stage);
    println!(
        "\n{}",
        support::cases::table(&support::cases::score(&support::cases::load()))
    );
}

fn bin() -> &'static str {
    env!("CARGO_BIN_EXE_leaseguard")
}

/// The payload of Claude Code before it runs a shell command.
fn payload(stage: &Stage, run: &Run) -> PathBuf {
    let json = serde_json::json!({
        "session_id": "11111111-2222-4333-8444-555555555555",
        "transcript_path": stage.repo.home.join("transcript.jsonl"),
        "cwd": stage.repo.cwd,
        "permission_mode": "default",
        "hook_event_name": "PreToolUse",
        "tool_name": "Bash",
        "tool_input": { "command": run.command, "description": run.name },
        "tool_use_id": "toolu_01",
    });
    let path = stage.repo.root.join(format!("{}.json", run.name));
    repo::put(&path, &json.to_string());
    path
}

/// A process that sees nothing but a HOME, as an agent host starts it.
fn command(stage: &Stage, program: &str, args: &[&str], payload: &Path) -> Command {
    let mut command = Command::new(program);
    command
        .args(args)
        .current_dir(&stage.repo.cwd)
        .env_clear()
        .env("HOME", &stage.repo.home)
        .env("PATH", "/usr/local/bin:/usr/bin:/bin")
        .stdin(File::open(payload).expect("the payload"))
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    command
}

fn start(stage: &Stage, program: &str, args: &[&str], payload: &Path) -> std::process::ExitStatus {
    command(stage, program, args, payload)
        .status()
        .unwrap_or_else(|e| panic!("cannot start {program}: {e}"))
}

/// User instructions of one run, counted by callgrind.
fn instructions(stage: &Stage, program: &str, args: &[&str], payload: &Path) -> Option<u64> {
    let mut all = vec![
        "--tool=callgrind",
        "--callgrind-out-file=/dev/null",
        program,
    ];
    all.extend(args);
    let out = command(stage, "valgrind", &all, payload)
        .stderr(Stdio::piped())
        .output()
        .ok()?;
    let said = String::from_utf8_lossy(&out.stderr).into_owned();
    let line = said.lines().find(|l| l.contains("Collected :"))?;
    line.rsplit(' ').next()?.parse().ok()
}

/// The middle of many runs, taken in turns with `/bin/true` so that both see the same machine.
fn wall(stage: &Stage, payload: &Path) -> (Duration, Duration) {
    let (mut ours, mut truth) = (Vec::new(), Vec::new());
    for _ in 0..WALL_RUNS {
        for (program, args, times) in [
            (bin(), &["hook"][..], &mut ours),
            (TRUE, &[][..], &mut truth),
        ] {
            let begin = Instant::now();
            start(stage, program, args, payload);
            times.push(begin.elapsed());
        }
    }
    ours.sort_unstable();
    truth.sort_unstable();
    (ours[WALL_RUNS / 2], truth[WALL_RUNS / 2])
}

fn figures(stage: &Stage, payloads: &[PathBuf]) {
    let base = instructions(stage, TRUE, &[], &payloads[0]);
    match base {
        Some(base) => println!("instructions as ratios to {TRUE} ({base})"),
        None => println!("valgrind is not installed: no instructions, wall time alone"),
    }
    println!(
        "{:<22}{:>14}{:>7}{:>7}{:>7}{:>11}{:>7}",
        "call", "instructions", "ratio", "limit", "aim", "wall", "ratio"
    );
    for (run, payload) in RUNS.iter().zip(payloads) {
        let counted = instructions(stage, bin(), &["hook"], payload);
        let ratio = counted
            .zip(base)
            .map(|(ours, base)| ours as f64 / base as f64);
        let (ours, truth) = wall(stage, payload);
        println!(
            "{:<22}{:>14}{:>7}{:>7.2}{:>7.2}{:>8} µs{:>7.2}{}",
            run.name,
            counted.map_or("-".to_owned(), |n| n.to_string()),
            ratio.map_or("-".to_owned(), |r| format!("{r:.2}")),
            run.limit,
            run.aim,
            ours.as_micros(),
            ours.as_secs_f64() / truth.as_secs_f64(),
            if ratio.is_some_and(|r| r > run.limit) {
                "  over the limit"
            } else {
                ""
            }
        );
    }
}

/// How much more a call may cost, relative to `/bin/true`, where its checkout is claimed.
const OWNERSHIP_LIMIT: f64 = 0.15;

/// What it costs to know whose the checkout is: a plain commit without any claim on the machine,
/// and by the holder among some and among many claims.
fn ownership() {
    let setup: Setup = serde_json::from_value(serde_json::json!({
        "clean": true, "worktrees": [{ "name": "wt-me", "branch": "feat/me" }],
    }))
    .expect("a setup");
    let stage = Stage::of(&setup);
    let mut stage = stage;
    let mut repo = repo::fresh(&setup);
    repo.cwd = repo.root.join("wt-me");
    stage.repo = std::sync::Arc::new(repo);
    let run = Run {
        name: "commit",
        command: "git commit -m x",
        exit: 0,
        limit: 0.0,
        aim: 0.0,
    };
    let call = payload(&stage, &run);
    let Some(base) = instructions(&stage, TRUE, &[], &call) else {
        return;
    };
    let count = || {
        let _ = start(&stage, bin(), &["hook"], &call);
        let counted = instructions(&stage, bin(), &["hook"], &call);
        counted.map_or(0.0, |n| n as f64 / base as f64)
    };
    let free = count();
    let event = stage.repo.root.join("start.json");
    let text = std::fs::read_to_string(&call).expect("the payload");
    let mut value: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    value["hook_event_name"] = "SessionStart".into();
    repo::put(&event, &value.to_string());
    let _ = start(&stage, bin(), &["hook"], &event);
    println!("\nwhose the checkout is, as ratios to {TRUE}: {free:.2} without claims");
    let state = stage.repo.home.join(".local/state/leaseguard/v1");
    let folder = std::fs::read_dir(state).expect("claims").flatten().next();
    let claims = folder
        .expect("the claim of the event")
        .path()
        .join("claims");
    let own = std::fs::read_dir(&claims).expect("claims").flatten().next();
    let record = std::fs::read_to_string(own.expect("a record").path()).expect("its text");
    let mut written = 1;
    for many in [1, 10, 10_000] {
        while written < many {
            repo::put(&claims.join(format!("{written:032x}.json")), &record);
            written += 1;
        }
        let more = count() - free;
        let over = if more > OWNERSHIP_LIMIT {
            "  over the limit"
        } else {
            ""
        };
        println!("{many:>7} claims: +{more:.3}, limit {OWNERSHIP_LIMIT}{over}");
    }
}

/// One megabyte of everyday shell, judged inside this process.
fn megabyte(stage: &Stage) {
    let lines = [
        "for f in src/*.rs; do wc -l \"$f\" | awk '{print $1}' >> \"$out\"; done\n",
        "if [ -n \"${CI:-}\" ]; then echo \"running in $(hostname) at $(date +%s)\"; fi\n",
        "cat <<'EOF' > notes/today.md\nnever run git push --force here\nnor git reset --hard\nEOF\n",
        "cargo test --workspace --all-features -- --nocapture 2>&1 | tee ../test.log | tail -20\n",
        "git log --oneline --grep='reset --hard' -- src/a.rs | head -3 && git status --short\n",
        "curl -fsSL -o ../archive.tgz \"https://example.com/$NAME-$VERSION.tgz\" && tar xzf ../archive.tgz\n",
    ];
    let mut text = String::with_capacity(1_000_000);
    for line in lines.iter().cycle() {
        if text.len() + line.len() > 1_000_000 {
            break;
        }
        text.push_str(line);
    }
    let mut best = Duration::MAX;
    let mut verdict = None;
    for _ in 0..7 {
        let begin = Instant::now();
        verdict = Some(stage.judge(&text));
        best = best.min(begin.elapsed());
    }
    let ms = best.as_secs_f64() * 1000.0;
    println!(
        "\n1 MB of shell: {ms:.1} ms, limit {MEGABYTE_LIMIT_MS} ms{}, answer {}",
        if ms > MEGABYTE_LIMIT_MS {
            "  over the limit"
        } else {
            ""
        },
        verdict.map_or_else(String::new, |v| support::told(&v))
    );
}
