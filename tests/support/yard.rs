//! A repository with worktrees, below programs that look like agent hosts.

use super::git::git;
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};

/// leaseguard, which stands beside the test programs.
pub(crate) fn binary() -> PathBuf {
    let test = std::env::current_exe().expect("this program");
    let dir = test.parent().and_then(Path::parent).expect("its directory");
    dir.join("leaseguard")
}

/// A repository with worktrees, a home, and hosts.
pub(crate) struct Yard {
    temp: tempfile::TempDir,
}

impl Yard {
    pub(crate) fn new(worktrees: usize) -> Yard {
        let yard = Yard {
            temp: tempfile::tempdir().unwrap(),
        };
        let (main, home) = (yard.main(), yard.dir("home"));
        for dir in [&main, &home, &yard.dir("bin")] {
            fs::create_dir_all(dir).unwrap();
        }
        git(&main, &home, &["init", "-q", "-b", "main"]);
        git(
            &main,
            &home,
            &["commit", "-q", "--allow-empty", "-m", "first"],
        );
        for n in 0..worktrees {
            let (path, branch) = (format!("../w{n}"), format!("feat/w{n}"));
            git(
                &main,
                &home,
                &["worktree", "add", "-q", "-b", &branch, &path],
            );
        }
        // A shell under a host's name: what it starts sees that host above.
        for host in ["claude", "opencode"] {
            std::os::unix::fs::symlink("/bin/sh", yard.dir("bin").join(host)).unwrap();
        }
        yard
    }

    pub(crate) fn dir(&self, name: &str) -> PathBuf {
        self.temp.path().join(name)
    }

    pub(crate) fn main(&self) -> PathBuf {
        self.dir("main")
    }

    /// `text` run by a host, in a worktree, for a session; `$LG` is leaseguard.
    pub(crate) fn host(&self, host: &str, session: &str, worktree: &str, text: &str) -> Command {
        let mut command = Command::new(self.dir("bin").join(host));
        command
            // A last command would take the shell's place.
            .args(["-c", &format!("{text}\ncode=$?; exit $code")])
            .current_dir(self.dir(worktree))
            .env_clear()
            .env("PATH", "/usr/bin:/bin")
            .env("HOME", self.dir("home"))
            .env("LG", binary())
            .env("CLAUDE_CODE_SESSION_ID", session)
            .env("OPENCODE_SESSION_ID", session)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        command
    }

    pub(crate) fn claude(&self, session: &str, worktree: &str, text: &str) -> Output {
        self.host("claude", session, worktree, text)
            .output()
            .unwrap()
    }

    /// `text` run by nobody's host, as a person or a dispatcher does.
    pub(crate) fn outside(&self, dir: &str, text: &str) -> Command {
        let mut command = Command::new("/bin/sh");
        command
            .args(["-c", text])
            .current_dir(self.dir(dir))
            .env_clear()
            .env("PATH", "/usr/bin:/bin")
            .env("HOME", self.dir("home"))
            .env("SHELL", "/bin/sh")
            .env("LG", binary())
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        command
    }

    /// `text` run at a terminal of its own, where `typed` is typed.
    pub(crate) fn at_terminal(&self, dir: &str, text: &str, typed: &str) -> Output {
        use std::io::Write;
        let line = format!("script -qec '{text}' /dev/null");
        let mut command = self.outside(dir, &line);
        let mut child = command.stdin(Stdio::piped()).spawn().unwrap();
        let mut stdin = child.stdin.take().unwrap();
        stdin.write_all(format!("{typed}\n").as_bytes()).unwrap();
        child.wait_with_output().unwrap()
    }

    /// The folder of the only repository in which anything is claimed.
    pub(crate) fn claimed(&self) -> PathBuf {
        let state = self.dir("home/.local/state/leaseguard/v1");
        let all: Vec<_> = fs::read_dir(state).unwrap().flatten().collect();
        assert_eq!(all.len(), 1);
        all[0].path()
    }

    /// Writes the person's own policy.
    pub(crate) fn policy(&self, text: &str) {
        let dir = self.dir("home/.config/leaseguard");
        fs::create_dir_all(&dir).unwrap();
        fs::write(dir.join("policy.toml"), text).unwrap();
    }

    /// A session that lives until it is killed, once it has run `text`.
    pub(crate) fn living(&self, session: &str, worktree: &str, text: &str) -> Child {
        let ready = self.dir("ready");
        let _ = fs::remove_file(&ready);
        // Reads its end from a pipe that never says anything; the shell itself is the host.
        let text = format!("{text} && touch ../ready; read never");
        let mut command = self.host("claude", session, worktree, &text);
        let child = command.stdin(Stdio::piped()).spawn().unwrap();
        let begin = std::time::Instant::now();
        while !ready.exists() {
            assert!(
                begin.elapsed().as_secs() < 20,
                "the session did not get ready"
            );
            std::thread::yield_now();
        }
        child
    }
}

/// Looks again and again until `done`, for twenty seconds.
#[track_caller]
pub(crate) fn until(what: &str, mut done: impl FnMut() -> bool) {
    let begin = std::time::Instant::now();
    while !done() {
        assert!(begin.elapsed().as_secs() < 20, "never: {what}");
        std::thread::yield_now();
    }
}

#[track_caller]
pub(crate) fn told(output: &Output, exit: i32, part: &str) {
    let text = [&output.stdout[..], &output.stderr[..]].concat();
    let text = String::from_utf8(text).unwrap();
    assert_eq!(output.status.code(), Some(exit), "{text}");
    assert!(text.contains(part), "{text}");
}

pub(crate) fn end(mut child: Child) {
    child.kill().unwrap();
    child.wait().unwrap();
}

pub(crate) fn json(output: &Output) -> Value {
    serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|e| panic!("{e}: {}", String::from_utf8_lossy(&output.stdout)))
}
