//! A scratch home with hosts in it, for the verbs that look at settings.

use serde_json::Value;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// A home, a checkout and a directory of programs, all of them private.
pub(crate) struct Desk {
    root: tempfile::TempDir,
    binary: PathBuf,
}

impl Desk {
    /// An empty home; `binary` is leaseguard.
    pub(crate) fn new(binary: &str) -> Desk {
        let desk = Desk {
            root: tempfile::tempdir().expect("a directory"),
            binary: PathBuf::from(binary),
        };
        for dir in [
            "home",
            "bin",
            "away",
            "repo/.git/objects",
            "repo/.git/refs/heads",
        ] {
            std::fs::create_dir_all(desk.at(dir)).expect("a directory");
        }
        desk.put("repo/.git/HEAD", "ref: refs/heads/work\n");
        desk.put(
            "repo/.git/config",
            "[core]\n\trepositoryformatversion = 0\n",
        );
        desk
    }

    /// A path below the root, links resolved.
    pub(crate) fn at(&self, path: &str) -> PathBuf {
        let root = self.root.path().canonicalize().expect("the root");
        root.join(path)
    }

    /// Writes a file.
    pub(crate) fn put(&self, path: &str, text: &str) {
        let path = self.at(path);
        std::fs::create_dir_all(path.parent().expect("a parent")).expect("a directory");
        std::fs::write(path, text).expect("written");
    }

    /// Writes a program.
    pub(crate) fn program(&self, path: &str, text: &str) {
        use std::os::unix::fs::PermissionsExt;
        self.put(path, text);
        std::fs::set_permissions(self.at(path), std::fs::Permissions::from_mode(0o755))
            .expect("executable");
    }

    /// What stands in a file.
    pub(crate) fn text(&self, path: &str) -> String {
        std::fs::read_to_string(self.at(path)).unwrap_or_else(|e| panic!("{path}: {e}"))
    }

    /// Changes a JSON file.
    pub(crate) fn json(&self, path: &str, change: impl FnOnce(&mut Value)) {
        let mut value = serde_json::from_str(&self.text(path)).expect("JSON");
        change(&mut value);
        self.put(path, &value.to_string());
    }

    /// leaseguard in `dir`, with nothing of the machine around it.
    pub(crate) fn command(&self, dir: &str, args: &[&str]) -> Command {
        let mut command = Command::new(&self.binary);
        command
            .args(args)
            .current_dir(self.at(dir))
            .env_clear()
            .env("HOME", self.at("home"))
            .env("SHELL", "/bin/bash")
            .env(
                "PATH",
                format!("{}:/usr/bin:/bin", self.at("bin").display()),
            )
            .stdin(Stdio::null());
        command
    }

    /// leaseguard without a word in `dir`, as a person starts it: at a terminal. The exit code and
    /// what is on the screen.
    pub(crate) fn bare(&self, dir: &str) -> (Option<i32>, String) {
        let line = format!("'{}'", self.binary.display());
        let mut command = Command::new("script");
        command
            .args(["-qec", &line, "/dev/null"])
            .current_dir(self.at(dir))
            .env_clear()
            .env("HOME", self.at("home"))
            .env("SHELL", "/bin/sh")
            .env("NO_COLOR", "1")
            .env("PATH", "/usr/bin:/bin")
            .stdin(Stdio::null());
        let out = command.output().expect("`script` runs");
        let text = String::from_utf8_lossy(&out.stdout).replace('\r', "");
        (out.status.code(), text)
    }

    /// Runs leaseguard in the checkout.
    pub(crate) fn run(&self, args: &[&str]) -> Output {
        self.command("repo", args).output().expect("it runs")
    }

    /// Connects hosts.
    pub(crate) fn install(&self, args: &[&str]) {
        let all: Vec<&str> = ["install", "--yes"].iter().chain(args).copied().collect();
        let out = self.run(&all);
        assert!(
            out.status.success(),
            "{}",
            String::from_utf8_lossy(&out.stderr)
        );
    }

    /// The JSON that a verb prints.
    pub(crate) fn report(&self, args: &[&str]) -> Value {
        let out = self.run(args);
        serde_json::from_slice(&out.stdout)
            .unwrap_or_else(|e| panic!("{e}: {}", String::from_utf8_lossy(&out.stderr)))
    }

    /// Sends a message through the host's door.
    pub(crate) fn hook(&self, message: &Value) -> Output {
        let mut child = self
            .command("repo", &["hook"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("it starts");
        let mut pipe = child.stdin.take().expect("stdin");
        pipe.write_all(message.to_string().as_bytes())
            .expect("taken");
        drop(pipe);
        child.wait_with_output().expect("it ends")
    }

    /// The state directory.
    pub(crate) fn state(&self) -> PathBuf {
        self.at("home/.local/state/leaseguard")
    }
}

/// What Claude Code sends about a shell command.
pub(crate) fn claude_call(session: &str, command: &str, dir: &Path) -> Value {
    serde_json::json!({
        "session_id": session, "transcript_path": "/t", "cwd": dir,
        "hook_event_name": "PreToolUse", "tool_name": "Bash",
        "tool_input": { "command": command },
    })
}
