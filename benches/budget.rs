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
use support::setup::{Linked, Setup};
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
    /// What stands around it.
    ground: Ground,
}

/// What a call has around it beside a small repository.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Ground {
    Small,
    /// A person's policy of two kilobytes, without claims.
    Policy,
    /// The call starts forty directories down.
    Deep,
    /// A hundred thousand packed refs.
    Refs,
    /// A forge that has just been asked.
    Forge,
}

impl Ground {
    fn stage(self) -> Stage {
        if self == Ground::Forge {
            return on_forge();
        }
        let mut repo = repo::fresh(&Setup {
            clean: true,
            worktrees: vec![Linked {
                name: "dirty".to_owned(),
                branch: "feat/dirty".to_owned(),
                dirty: vec!["a.txt".to_owned()],
                untracked: Vec::new(),
                staged: Vec::new(),
            }],
            ..Setup::default()
        });
        match self {
            Ground::Small | Ground::Forge => {}
            Ground::Policy => {
                let file = repo.home.join(".config/leaseguard/policy.toml");
                repo::put(&file, &policy());
            }
            Ground::Deep => {
                let deep: PathBuf = (0..40).map(|n| format!("d{n}")).collect();
                repo.cwd = repo.top.join(deep);
                std::fs::create_dir_all(&repo.cwd).expect("deep directories");
            }
            Ground::Refs => {
                let mut text = "# pack-refs with: peeled fully-peeled sorted \n".to_owned();
                for n in 0..100_000 {
                    text.push_str(&format!("{n:040x} refs/heads/b{n:06}\n"));
                }
                repo::put(&repo.top.join(".git/packed-refs"), &text);
            }
        }
        Stage {
            repo: repo.into(),
            unseen_typing: false,
        }
    }
}

/// A policy as people write it: half of it comments, a few dozen keys.
fn policy() -> String {
    let whole = include_str!("../leaseguard.example.toml");
    let mut text = String::new();
    for line in whole.lines() {
        if text.len() + line.len() >= 2048 {
            break;
        }
        text.push_str(line);
        text.push('\n');
    }
    text
}

const RUNS: &[Run] = &[
    Run {
        name: "allow without git",
        command: "cargo test -q 2>&1 | tail -5",
        exit: 0,
        limit: 1.0,
        aim: 0.8,
        ground: Ground::Small,
    },
    Run {
        name: "git status",
        command: "git status --short",
        exit: 0,
        limit: 1.2,
        aim: 0.85,
        ground: Ground::Small,
    },
    Run {
        name: "force push, denied",
        command: "git push --force origin feat/x",
        exit: 2,
        limit: 1.5,
        aim: 1.2,
        ground: Ground::Small,
    },
    Run {
        name: "reset, clean tree",
        command: "git reset --hard",
        exit: 0,
        limit: 2.5,
        aim: 1.8,
        ground: Ground::Small,
    },
    Run {
        name: "reset, dirty tree",
        command: "cd ../dirty && git reset --hard",
        exit: 2,
        // The names of the files that would be lost, the denial and its line in the log.
        limit: 3.3,
        aim: 2.5,
        ground: Ground::Small,
    },
    Run {
        name: "push with facts",
        command: "git push",
        exit: 0,
        limit: 2.5,
        aim: 1.8,
        ground: Ground::Small,
    },
    Run {
        name: "push, 2 KB policy",
        command: "git push",
        exit: 0,
        limit: 2.5,
        aim: 1.8,
        ground: Ground::Policy,
    },
    Run {
        name: "push, 40 levels down",
        command: "git push",
        exit: 0,
        limit: 4.0,
        aim: 2.5,
        ground: Ground::Deep,
    },
    Run {
        name: "push, 100,000 refs",
        command: "git push origin b050000",
        exit: 0,
        limit: 3.0,
        aim: 2.2,
        ground: Ground::Refs,
    },
    Run {
        name: "push, CI known",
        command: "git push",
        exit: 0,
        limit: 2.7,
        aim: 2.0,
        ground: Ground::Forge,
    },
];

const TRUE: &str = "/bin/true";
const WALL_RUNS: usize = 200;
const MEGABYTE_LIMIT_MS: f64 = 30.0;

/// What depth and many refs may add to a push from a small repository.
const MORE_LIMIT: Duration = Duration::from_millis(3);

fn main() {
    // `cargo test --benches` builds this and wants no figures.
    if !std::env::args().any(|a| a == "--bench") {
        return;
    }
    // `cargo bench --bench budget -- ownership` counts that alone.
    if std::env::args().any(|a| a == "ownership") {
        return ownership();
    }
    let grounds = [
        Ground::Small,
        Ground::Policy,
        Ground::Deep,
        Ground::Refs,
        Ground::Forge,
    ];
    let stages = grounds.map(|ground| (ground, ground.stage()));
    let calls: Vec<Asked<'_>> = RUNS
        .iter()
        .filter_map(|run| {
            let (_, stage) = stages.iter().find(|(ground, _)| *ground == run.ground)?;
            Some(Asked {
                run,
                stage,
                payload: payload(stage, run),
            })
        })
        .collect();
    let size = std::fs::metadata(bin()).map_or(0, |m| m.len());
    println!("leaseguard hook, {} KB\n", size / 1024);
    for Asked {
        run,
        stage,
        payload,
    } in &calls
    {
        let code = start(stage, bin(), &["hook"], payload).code();
        if code != Some(run.exit) {
            println!(
                "! {}: exit {code:?}, not {}: its figures are of something else",
                run.name, run.exit
            );
        }
    }
    figures(&calls);
    if let Some(call) = calls.iter().find(|c| c.run.ground == Ground::Forge) {
        cold(call.stage, &call.payload);
    }
    ownership();
    megabyte(&stages[0].1);
    println!(
        "\n{}",
        support::cases::table(&support::cases::score(&support::cases::load()))
    );
}

/// A run with what it needs.
struct Asked<'a> {
    run: &'static Run,
    stage: &'a Stage,
    payload: PathBuf,
}

fn bin() -> &'static str {
    env!("CARGO_BIN_EXE_leaseguard")
}

/// A repository on a forge, with a program that answers for it after 100 ms.
fn on_forge() -> Stage {
    let repo = repo::fresh(&Setup {
        clean: true,
        ..Setup::default()
    });
    let url = "https://github.com/o/r.git";
    support::git::git(&repo.top, &repo.home, &["config", "remote.origin.url", url]);
    repo::put(
        &repo.home.join(".config/gh/hosts.yml"),
        "github.com:\n    user: ann\n",
    );
    let body = support::root().join("fixtures/ci/github/12-no-pr.json");
    let head = support::git::git(&repo.top, &repo.home, &["rev-parse", "origin/feat/x"]);
    let body = std::fs::read_to_string(body).expect("the answer");
    repo::put(
        &repo.root.join("body.json"),
        &body.replace(&"a".repeat(40), &head),
    );
    let gh = repo.root.join("bin/gh");
    let text = format!(
        "#!/bin/sh\nsleep 0.1\nexec cat {}\n",
        repo.root.join("body.json").display()
    );
    repo::put(&gh, &text);
    repo::runnable(&gh);
    Stage {
        repo: std::sync::Arc::new(repo),
        unseen_typing: false,
    }
}

/// What a question to the forge costs beyond the time of the program that asks it.
fn cold(stage: &Stage, payload: &Path) {
    let (mut ours, mut child) = (Vec::new(), Vec::new());
    let gh = stage.repo.root.join("bin/gh");
    let kept = stage.repo.home.join(".local/state/leaseguard/ci");
    for _ in 0..20 {
        let _ = std::fs::remove_dir_all(&kept);
        let begin = Instant::now();
        start(stage, bin(), &["hook"], payload);
        ours.push(begin.elapsed());
        let begin = Instant::now();
        start(stage, &gh.to_string_lossy(), &[], payload);
        child.push(begin.elapsed());
    }
    ours.sort_unstable();
    child.sort_unstable();
    let (ours, child) = (ours[10], child[10]);
    println!(
        "\npush, CI asked: {} ms, of which the program that asks {} ms",
        ours.as_millis(),
        child.as_millis()
    );
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
    // The program that answers for a forge, where there is one.
    let own = stage.repo.root.join("bin");
    let path = format!("{}:/usr/local/bin:/usr/bin:/bin", own.display());
    let mut command = Command::new(program);
    command
        .args(args)
        .current_dir(&stage.repo.cwd)
        .env_clear()
        .env("HOME", &stage.repo.home)
        .env("PATH", path)
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

fn figures(calls: &[Asked<'_>]) {
    let base = instructions(calls[0].stage, TRUE, &[], &calls[0].payload);
    let mut small = Duration::MAX;
    match base {
        Some(base) => println!("instructions as ratios to {TRUE} ({base})"),
        None => println!("valgrind is not installed: no instructions, wall time alone"),
    }
    println!(
        "{:<22}{:>14}{:>7}{:>7}{:>7}{:>11}{:>7}",
        "call", "instructions", "ratio", "limit", "aim", "wall", "ratio"
    );
    for Asked {
        run,
        stage,
        payload,
    } in calls
    {
        // What the forge said holds for some seconds only.
        start(stage, bin(), &["hook"], payload);
        let counted = instructions(stage, bin(), &["hook"], payload);
        let ratio = counted
            .zip(base)
            .map(|(ours, base)| ours as f64 / base as f64);
        let (ours, truth) = wall(stage, payload);
        if run.name == "push with facts" {
            small = ours;
        }
        let slow = matches!(run.ground, Ground::Deep | Ground::Refs)
            && ours.saturating_sub(small) > MORE_LIMIT;
        println!(
            "{:<22}{:>14}{:>7}{:>7.2}{:>7.2}{:>8} µs{:>7.2}{}",
            run.name,
            counted.map_or("-".to_owned(), |n| n.to_string()),
            ratio.map_or("-".to_owned(), |r| format!("{r:.2}")),
            run.limit,
            run.aim,
            ours.as_micros(),
            ours.as_secs_f64() / truth.as_secs_f64(),
            if slow {
                "  more than 3 ms over a small repository"
            } else if ratio.is_some_and(|r| r > run.limit) {
                "  over the limit"
            } else {
                ""
            }
        );
    }
}

/// How much more a call may cost, relative to `/bin/true`, where its checkout is claimed.
const OWNERSHIP_LIMIT: f64 = 0.15;

/// The calls for which it is counted what it costs to know whose the checkout is.
const OWNED: &[(&str, &str)] = &[
    ("plain", "ls -l"),
    ("git-status", "git status --short"),
    ("unknown-program", "cargo test -q 2>&1 | tail -5"),
    ("commit", "git commit -m x"),
];

/// A shell under an agent host's name, which runs lines one by one: what it starts sees a host above.
struct Host {
    child: std::process::Child,
    said: std::io::BufReader<std::process::ChildStdout>,
}

impl Host {
    fn start(stage: &Stage) -> Host {
        let program = stage.repo.root.join("claude");
        std::os::unix::fs::symlink("/bin/sh", &program).expect("the host");
        let lines = "while read -r line; do eval \"$line\"; echo done; done";
        let mut child = Command::new(program)
            .args(["-c", lines])
            .current_dir(&stage.repo.cwd)
            .env_clear()
            .env("HOME", &stage.repo.home)
            .env("PATH", "/usr/local/bin:/usr/bin:/bin")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("the host");
        let said = std::io::BufReader::new(child.stdout.take().expect("its output"));
        Host { child, said }
    }

    fn run(&mut self, line: &str) {
        use std::io::{BufRead, Write};
        let stdin = self.child.stdin.as_mut().expect("its input");
        writeln!(stdin, "{line}").expect("the line");
        let mut answer = String::new();
        self.said.read_line(&mut answer).expect("its answer");
        assert_eq!(answer, "done\n", "{line}");
    }

    fn hook(&mut self, payload: &Path) {
        self.run(&format!(
            "'{}' hook < '{}' > /dev/null",
            bin(),
            payload.display()
        ));
    }

    /// User instructions of one call that comes after another of the same.
    fn count(&mut self, payload: &Path) -> Option<u64> {
        self.hook(payload);
        let out = payload.with_extension("counted");
        self.run(&format!(
            "valgrind --tool=callgrind --callgrind-out-file=/dev/null '{}' hook < '{}' > /dev/null 2> '{}'",
            bin(), payload.display(), out.display()
        ));
        let said = String::from_utf8_lossy(&std::fs::read(out).ok()?).into_owned();
        let line = said.lines().find(|l| l.contains("Collected :"))?;
        line.rsplit(' ').next()?.parse().ok()
    }
}

impl Drop for Host {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// What it costs to know whose the checkout is: calls of a session in its own process, without any
/// claim on the machine, and as the holder among some and among many claims.
fn ownership() {
    let setup: Setup = serde_json::from_value(serde_json::json!({
        "clean": true, "worktrees": [{ "name": "wt-me", "branch": "feat/me" }],
    }))
    .expect("a setup");
    let mut stage = Stage::of(&setup);
    let mut repo = repo::fresh(&setup);
    repo.cwd = repo.root.join("wt-me");
    stage.repo = std::sync::Arc::new(repo);
    let calls: Vec<(&str, PathBuf)> = OWNED
        .iter()
        .map(|(name, command)| {
            let run = Run {
                name,
                command,
                exit: 0,
                limit: 0.0,
                aim: 0.0,
                ground: Ground::Small,
            };
            (*name, payload(&stage, &run))
        })
        .collect();
    let Some(base) = instructions(&stage, TRUE, &[], &calls[0].1) else {
        return;
    };
    let mut host = Host::start(&stage);
    // The same calls of another session, in the main checkout that nobody claims.
    let beside: Vec<(&str, PathBuf)> = calls
        .iter()
        .map(|(name, path)| {
            let text = std::fs::read_to_string(path).expect("the payload");
            let mut value: serde_json::Value = serde_json::from_str(&text).expect("json");
            value["cwd"] = serde_json::json!(stage.repo.top);
            value["session_id"] = serde_json::json!("99999999-2222-4333-8444-555555555555");
            let path = stage.repo.root.join(format!("{name}-beside.json"));
            repo::put(&path, &value.to_string());
            (*name, path)
        })
        .collect();
    let count = |host: &mut Host, calls: &[(&str, PathBuf)]| -> Vec<f64> {
        let count = |call: &(&str, PathBuf)| {
            let counted = host.count(&call.1).expect("callgrind's count");
            counted as f64 / base as f64
        };
        calls.iter().map(count).collect()
    };
    let free = count(&mut host, &calls);
    let free_beside = count(&mut host, &beside);
    let event = stage.repo.root.join("start.json");
    let start = serde_json::json!({
        "session_id": "11111111-2222-4333-8444-555555555555", "transcript_path": "/t",
        "cwd": stage.repo.cwd, "hook_event_name": "SessionStart", "source": "startup",
    });
    repo::put(&event, &start.to_string());
    host.hook(&event);
    println!("\nwhose the checkout is, more than without claims, as ratios to {TRUE}");
    let state = stage.repo.home.join(".local/state/leaseguard/v1");
    let mut folders = std::fs::read_dir(state).expect("the claim of the event");
    let claims = folders.next().expect("a repository").expect("its name");
    let claims = claims.path().join("claims");
    let own = std::fs::read_dir(&claims).expect("claims").flatten().next();
    let record = std::fs::read_to_string(own.expect("a record").path()).expect("its text");
    assert!(record.contains("\"exe\": \"Claude Code\""), "{record}");
    let mut written = 1;
    for many in [1, 10, 10_000] {
        while written < many {
            repo::put(&claims.join(format!("{written:032x}.json")), &record);
            written += 1;
        }
        for (whose, calls, free) in [
            ("holder", &calls, &free),
            ("nobody's", &beside, &free_beside),
        ] {
            let now = count(&mut host, calls);
            for ((name, _), (now, free)) in calls.iter().zip(now.iter().zip(free)) {
                let more = now - free;
                let over = if more > OWNERSHIP_LIMIT {
                    "  over the limit"
                } else {
                    ""
                };
                println!(
                    "{many:>7} claims, {whose:<9}{name:<18}{free:.2} +{more:.3}, limit {OWNERSHIP_LIMIT}{over}"
                );
            }
        }
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
