//! Real bash with a path of stubs: what a script ran there.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;
use std::time::{Duration, Instant};

/// Programs that are stubs.
pub(crate) const STUBS: &[&str] = &[
    "git",
    "gh",
    "npm",
    "cargo",
    "twine",
    "docker",
    "terraform",
    "kubectl",
    "cat",
    "tee",
    "bash",
    "sh",
    "env",
    "xargs",
    "timeout",
    "nohup",
    "nice",
    "sudo",
    "setsid",
    "g",
];

/// What a script did.
pub(crate) struct Ran {
    /// Argument vectors, each once, in order of their first start.
    pub(crate) commands: Vec<Vec<String>>,
    /// bash found a syntax error.
    pub(crate) invalid: bool,
}

const BASH: &str = "/bin/bash";

pub(crate) fn there() -> bool {
    Path::new(BASH).exists() && Path::new("/usr/bin/env").exists()
}

/// The directory of stubs, built once.
fn bin() -> &'static Path {
    static BIN: OnceLock<PathBuf> = OnceLock::new();
    BIN.get_or_init(|| {
        let home =
            Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("stubs-{}", std::process::id()));
        let bin = home.join("bin");
        std::fs::create_dir_all(&bin).expect("stub directory");
        let rustc = std::env::var("RUSTC").unwrap_or_else(|_| "rustc".to_string());
        let stub = home.join("stub");
        let status = Command::new(rustc)
            .args([
                "--edition",
                "2024",
                "-C",
                "opt-level=1",
                "-C",
                "strip=symbols",
                "-o",
            ])
            .arg(&stub)
            .arg(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/stub/stub.rs"))
            .status()
            .expect("rustc");
        assert!(status.success(), "the stub must compile");
        for name in STUBS {
            std::fs::hard_link(&stub, bin.join(name)).expect("stub link");
        }
        bin
    })
}

/// Runs a script in an empty directory with nothing but stubs.
pub(crate) fn run(script: &str) -> Ran {
    let dir = tempfile::tempdir().expect("temp dir");
    let work = dir.path().join("w");
    std::fs::create_dir(&work).expect("work dir");
    let log = dir.path().join("log");
    let errors = dir.path().join("err");
    let mut child = Command::new(BASH)
        .args(["--norc", "--noprofile", "-c", script])
        .current_dir(&work)
        .env_clear()
        .env("PATH", bin())
        .env("HOME", &work)
        .env("ORACLE_LOG", &log)
        .env("LC_ALL", "C.UTF-8")
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(std::fs::File::create(&errors).expect("stderr file"))
        .spawn()
        .expect("bash");
    let begin = Instant::now();
    while child.try_wait().expect("wait").is_none() {
        if begin.elapsed() > Duration::from_secs(5) {
            let _ = child.kill();
            let _ = child.wait();
            break;
        }
        std::thread::sleep(Duration::from_millis(1));
    }
    let errors = String::from_utf8_lossy(&std::fs::read(&errors).unwrap_or_default()).into_owned();
    let noisy = script.contains(">(")
        || script.contains('&')
        || script.contains("coproc")
        || script.contains("<(");
    if noisy {
        settle(&log);
    }
    let log = String::from_utf8_lossy(&std::fs::read(&log).unwrap_or_default()).into_owned();
    let mut commands: Vec<Vec<String>> = Vec::new();
    for line in log.lines() {
        if let Ok(argv) = serde_json::from_str::<Vec<String>>(line)
            && !commands.contains(&argv)
        {
            commands.push(argv);
        }
    }
    Ran {
        commands,
        invalid: errors.contains("syntax error") || errors.contains("unexpected EOF"),
    }
}

/// What runs beside the script may still be starting.
fn settle(log: &Path) {
    let mut last = u64::MAX;
    for _ in 0..10 {
        let now = std::fs::metadata(log).map(|m| m.len()).unwrap_or(0);
        if now == last {
            return;
        }
        last = now;
        std::thread::sleep(Duration::from_millis(8));
    }
}

/// Runs a snippet in real bash and gives what it printed.
pub(crate) fn prints(script: &str) -> String {
    let dir = tempfile::tempdir().expect("temp dir");
    let out = Command::new(BASH)
        .args(["--norc", "--noprofile", "-c", script])
        .current_dir(dir.path())
        .env_clear()
        .env("HOME", "/home/u")
        .env("LC_ALL", "C.UTF-8")
        .stdin(Stdio::null())
        .stderr(Stdio::null())
        .output()
        .expect("bash");
    String::from_utf8_lossy(&out.stdout).into_owned()
}
