//! What git's own hooks add: to a commit in a small and in a big checkout, and to a push of ten refs in a repository of 100,000 commits.
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

    /// Each kind of hooks in turn, so that what else the machine does falls on all of them alike.
    fn commits(&self) {
        self.install();
        let root = self.repo.parent().unwrap().join("hooks");
        let ours = self.repo.join(".git/hooks");
        for (kind, hooks) in [
            ("none", &[][..]),
            ("idle", &["pre-commit", "prepare-commit-msg"]),
            ("pre-commit", &["pre-commit"]),
            ("both", &["pre-commit", "prepare-commit-msg"]),
        ] {
            fs::create_dir_all(root.join(kind)).unwrap();
            for hook in hooks {
                // Its bits are copied along.
                fs::copy(ours.join(hook), root.join(kind).join(hook)).unwrap();
                if kind == "idle" {
                    fs::write(root.join(kind).join(hook), "#!/bin/sh\nexit 0\n").unwrap();
                }
            }
        }
        let kept = root.join("kept");
        fs::rename(&ours, &kept).unwrap();
        for files in [0, 20_000] {
            self.files(files);
            let mut times: [Vec<Duration>; 4] = Default::default();
            for _ in 0..60 {
                for (kind, times) in ["none", "idle", "pre-commit", "both"]
                    .iter()
                    .zip(&mut times)
                {
                    let _ = fs::remove_file(&ours);
                    std::os::unix::fs::symlink(root.join(kind), &ours).unwrap();
                    times.push(timed(|| {
                        self.git(&["commit", "-q", "--allow-empty", "-m", "x"]);
                    }));
                }
            }
            let [none, idle, pre, both] = times.map(least);
            println!("a commit, {files} files, no hook: {none:.2?}");
            let idle = idle.saturating_sub(none);
            println!("  two hooks that do nothing add {idle:.2?}");
            report("  our pre-commit adds", pre.saturating_sub(none), 5);
            report("  both of ours add", both.saturating_sub(none), 5);
        }
        fs::remove_file(&ours).unwrap();
        fs::rename(&kept, &ours).unwrap();
    }

    /// A commit with so many files.
    fn files(&self, count: usize) {
        for n in 0..count {
            let dir = self.repo.join(format!("d{}", n / 100));
            fs::create_dir_all(&dir).unwrap();
            fs::write(dir.join(n.to_string()), "x\n").unwrap();
        }
        self.git(&["add", "."]);
        self.git(&[
            "-c",
            "core.hooksPath=/dev/null",
            "commit",
            "-q",
            "--allow-empty",
            "-m",
            "x",
        ]);
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
            let time = least_of(60, || {
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

fn timed(run: impl FnOnce()) -> Duration {
    let begin = Instant::now();
    run();
    begin.elapsed()
}

/// The lower tenth: what else a machine does only ever adds.
fn least(mut all: Vec<Duration>) -> Duration {
    all.sort();
    all[all.len() / 10]
}

fn least_of(times: usize, mut run: impl FnMut()) -> Duration {
    least((0..times).map(|_| timed(&mut run)).collect())
}

fn report(what: &str, took: Duration, most: u64) {
    let over = if took > Duration::from_millis(most) {
        "  OVER"
    } else {
        ""
    };
    println!("{what}: {took:.2?} (at most {most} ms){over}");
}
