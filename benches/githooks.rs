//! What git's own hooks add: to a commit, and to a push of ten refs in a repository of 100,000 commits.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout
)]

use std::fmt::Write as _;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

const BINARY: &str = env!("CARGO_BIN_EXE_leaseguard");
const COMMITS: usize = 100_000;
const REFS: usize = 10;

fn main() {
    // `cargo test --benches` builds this and wants no figures.
    if !std::env::args().any(|a| a == "--bench") {
        return;
    }
    let temp = tempfile::tempdir().unwrap();
    let yard = Yard::new(temp.path());
    yard.commits();
    yard.pushes();
}

struct Yard {
    repo: PathBuf,
    home: PathBuf,
}

impl Yard {
    /// A checkout with a long history, ten branches on its remote, each one commit ahead here.
    fn new(root: &Path) -> Yard {
        let yard = Yard {
            repo: root.join("repo"),
            home: root.join("home"),
        };
        fs::create_dir_all(&yard.repo).unwrap();
        fs::create_dir_all(&yard.home).unwrap();
        std::os::unix::fs::symlink("/bin/sh", root.join("claude")).unwrap();
        yard.git(&["init", "-q", "-b", "main"]);
        let mut text = String::new();
        for n in 0..COMMITS {
            write!(
                text,
                "commit refs/heads/main\ncommitter A <a@e> {} +0000\ndata 1\nx\n",
                1_000_000_000 + n
            )
            .unwrap();
        }
        for n in 0..REFS {
            // The second goes on from the first by itself.
            for (from, at) in [("from refs/heads/main\n", 0), ("", 1)] {
                write!(
                    text,
                    "commit refs/heads/b{n}\ncommitter A <a@e> {} +0000\ndata 3\nb{n}\n{from}",
                    1_200_000_000 + at
                )
                .unwrap();
            }
        }
        let mut import = yard.closed("git");
        let mut child = import
            .args(["fast-import", "--quiet"])
            .stdin(Stdio::piped())
            .spawn()
            .unwrap();
        child
            .stdin
            .take()
            .unwrap()
            .write_all(text.as_bytes())
            .unwrap();
        assert!(child.wait().unwrap().success());
        yard.git(&["checkout", "-q", "-b", "work", "main"]);
        yard
    }

    fn closed(&self, program: &str) -> Command {
        let mut command = Command::new(program);
        command
            .current_dir(&self.repo)
            .env_clear()
            .env("PATH", "/usr/bin:/bin")
            .env("HOME", &self.home)
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .env("GIT_AUTHOR_NAME", "a")
            .env("GIT_AUTHOR_EMAIL", "a@e")
            .env("GIT_COMMITTER_NAME", "a")
            .env("GIT_COMMITTER_EMAIL", "a@e")
            .stdin(Stdio::null());
        command
    }

    fn git(&self, args: &[&str]) -> String {
        let out = self.closed("git").args(args).output().unwrap();
        assert!(out.status.success(), "{args:?} {out:?}");
        String::from_utf8(out.stdout).unwrap().trim().to_owned()
    }

    fn install(&self) {
        let out = self
            .closed(BINARY)
            .args(["install", "git", "--yes"])
            .output();
        assert!(out.unwrap().status.success());
    }

    fn commits(&self) {
        let commit = || {
            self.git(&["commit", "-q", "--allow-empty", "-m", "x"]);
        };
        let without = median(60, commit);
        self.install();
        let with = median(60, commit);
        report("a commit, both hooks", with.saturating_sub(without), 5);
    }

    /// The hook alone, as git would call it: with ten lines on standard input.
    fn pushes(&self) {
        for (what, spread) in [("one ref", 1), ("ten refs", REFS)] {
            let mut lines = String::new();
            for n in 0..spread {
                let (new, old) = (format!("b{n}"), format!("b{n}~1"));
                let (new, old) = (
                    self.git(&["rev-parse", &new]),
                    self.git(&["rev-parse", &old]),
                );
                writeln!(lines, "refs/heads/b{n} {new} refs/heads/b{n} {old}").unwrap();
            }
            let time = median(60, || {
                let mut child = self
                    .closed(".git/hooks/pre-push")
                    .args(["origin", "../origin.git"])
                    .stdin(Stdio::piped())
                    .spawn()
                    .unwrap();
                child
                    .stdin
                    .take()
                    .unwrap()
                    .write_all(lines.as_bytes())
                    .unwrap();
                assert!(child.wait().unwrap().success());
            });
            report(&format!("pre-push of {what}, {COMMITS} commits"), time, 10);
        }
    }
}

fn median(times: usize, mut run: impl FnMut()) -> Duration {
    let mut all: Vec<Duration> = (0..times)
        .map(|_| {
            let begin = Instant::now();
            run();
            begin.elapsed()
        })
        .collect();
    all.sort();
    all[all.len() / 2]
}

fn report(what: &str, took: Duration, most: u64) {
    let over = if took > Duration::from_millis(most) {
        "  OVER"
    } else {
        ""
    };
    println!("{what}: {took:.2?} (at most {most} ms){over}");
}
