//! The first day of a newcomer: install, status, a denial, an exception, a rule of their own, uninstall, and nothing left.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
#![cfg(target_os = "linux")]

#[path = "support/outside.rs"]
mod outside;

use outside::ran_outside;
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs;
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

const BINARY: &str = env!("CARGO_BIN_EXE_leaseguard");
const FORCE: &str = "git push --force origin feat/x";

/// A home, and a repository beside it.
struct Newcomer {
    root: tempfile::TempDir,
}

/// What a command left: exit code, stdout, stderr.
type Said = (i32, String, String);

impl Newcomer {
    fn new() -> Newcomer {
        let newcomer = Newcomer {
            root: tempfile::tempdir().unwrap(),
        };
        fs::create_dir(newcomer.home()).unwrap();
        let script = "git init -q --bare origin.git && git init -q -b feat/x repo && cd repo \
            && git -c user.name=t -c user.email=t@t commit -q --allow-empty -m one \
            && git remote add origin ../origin.git && git push -q -u origin feat/x";
        let mut command = Command::new("sh");
        command
            .args(["-c", script])
            .current_dir(newcomer.root.path());
        let (code, _, err) = newcomer.said(&mut command, "");
        assert_eq!(code, 0, "{err}");
        newcomer
    }

    fn home(&self) -> PathBuf {
        self.root.path().join("home")
    }

    /// Runs `command` as this person, with `input` typed.
    fn said(&self, command: &mut Command, input: &str) -> Said {
        let mut child = command
            .env_clear()
            .env("HOME", self.home())
            .env("PATH", "/usr/local/bin:/usr/bin:/bin")
            .env("SHELL", "/bin/bash")
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut stdin = child.stdin.take().unwrap();
        stdin.write_all(input.as_bytes()).unwrap();
        drop(stdin);
        let out = child.wait_with_output().unwrap();
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        (
            out.status.code().unwrap(),
            text(&out.stdout),
            text(&out.stderr),
        )
    }

    fn verb(&self, args: &[&str]) -> Said {
        let mut command = Command::new(BINARY);
        command
            .args(args)
            .current_dir(self.root.path().join("repo"));
        self.said(&mut command, "")
    }

    /// The same in a terminal of their own, with a word typed.
    fn typed(&self, line: &str, word: &str) -> Said {
        let mut command = Command::new("script");
        command
            .args(["-qec", &format!("'{BINARY}' {line}"), "/dev/null"])
            .current_dir(self.root.path().join("repo"));
        self.said(&mut command, &format!("{word}\n"))
    }

    /// What the entry in the settings answers when the host wants to run `text`: the very program
    /// and arguments that stand there.
    fn asks(&self, text: &str) -> Said {
        let settings = fs::read(self.home().join(".claude/settings.json")).unwrap();
        let settings: Value = serde_json::from_slice(&settings).unwrap();
        let groups = settings["hooks"]["PreToolUse"].as_array().unwrap();
        let entry = &groups.last().unwrap()["hooks"][0];
        let repo = self.root.path().join("repo");
        let payload = serde_json::json!({
            "session_id": "s1", "transcript_path": "/t", "cwd": repo, "permission_mode": "default",
            "hook_event_name": "PreToolUse", "tool_name": "Bash",
            "tool_input": {"command": text}, "tool_use_id": "u",
        });
        let mut command = Command::new(entry["command"].as_str().unwrap());
        command
            .args(
                entry["args"]
                    .as_array()
                    .unwrap()
                    .iter()
                    .map(|a| a.as_str().unwrap()),
            )
            .current_dir(repo);
        self.said(&mut command, &payload.to_string())
    }
}

/// Every path below `dir` with its rights, and its bytes or where it leads.
fn snapshot(dir: &Path) -> BTreeMap<PathBuf, (u32, Vec<u8>)> {
    let mut all = BTreeMap::new();
    let mut rest = vec![dir.to_owned()];
    while let Some(next) = rest.pop() {
        for entry in fs::read_dir(&next).unwrap() {
            let path = entry.unwrap().path();
            let found = fs::symlink_metadata(&path).unwrap();
            let bytes = if found.is_dir() {
                rest.push(path.clone());
                Vec::new()
            } else if found.is_symlink() {
                fs::read_link(&path)
                    .unwrap()
                    .into_os_string()
                    .into_encoded_bytes()
            } else {
                fs::read(&path).unwrap()
            };
            all.insert(path, (found.permissions().mode(), bytes));
        }
    }
    all
}

fn first_day(newcomer: &Newcomer) {
    let before = snapshot(&newcomer.home());

    let (code, out, _) = newcomer.verb(&["status"]);
    assert_eq!(code, 1, "nothing is connected yet: {out}");
    let (code, out, err) = newcomer.typed("install claude", "y");
    assert_eq!(code, 0, "{out}{err}");
    assert!(out.contains("leaseguard doctor"), "{out}");
    let (code, out, err) = newcomer.verb(&["doctor", "claude"]);
    assert_eq!(code, 0, "{out}{err}");

    let (code, out, denial) = newcomer.asks(FORCE);
    assert_eq!((code, out.as_str()), (2, ""), "{denial}");
    assert!(denial.contains("git/force-push"), "{denial}");
    assert_eq!(newcomer.asks("git status").0, 0);
    let (code, out, _) = newcomer.verb(&["status"]);
    assert_eq!(code, 0, "{out}");
    assert!(out.contains("Claude Code"), "{out}");

    let (_, rest) = denial.split_once("`leaseguard allow ").unwrap();
    let name = rest.split('`').next().unwrap();
    let (code, out, _) = newcomer.typed(&format!("allow {name}"), "allow");
    assert_eq!(code, 0, "{out}");
    assert_eq!(
        newcomer.asks(FORCE),
        (0, String::new(), String::new()),
        "allowed once"
    );
    assert_eq!(newcomer.asks(FORCE).0, 2, "and only once");

    let amend = "git commit --amend -m two";
    assert_eq!(newcomer.asks(amend).0, 2);
    let (code, out, _) = newcomer.typed("rules set git/amend allow --everywhere", "loosen");
    assert_eq!(code, 0, "{out}");
    assert_eq!(newcomer.asks(amend).0, 0);

    let (code, out, err) = newcomer.verb(&["uninstall", "--purge", "--yes"]);
    assert_eq!(code, 0, "{out}{err}");
    assert!(
        snapshot(&newcomer.home()) == before,
        "the home differs: {:?}",
        snapshot(&newcomer.home())
            .keys()
            .chain(before.keys())
            .collect::<Vec<_>>()
    );
}

#[test]
fn from_an_empty_home_the_first_day_leaves_it_empty() {
    if ran_outside("from_an_empty_home_the_first_day_leaves_it_empty") {
        return;
    }
    let newcomer = Newcomer::new();
    first_day(&newcomer);
    assert_eq!(fs::read_dir(newcomer.home()).unwrap().count(), 0);
}

#[test]
fn a_home_with_settings_of_its_own_gets_every_byte_back() {
    if ran_outside("a_home_with_settings_of_its_own_gets_every_byte_back") {
        return;
    }
    let newcomer = Newcomer::new();
    let claude = newcomer.home().join(".claude");
    fs::create_dir(&claude).unwrap();
    let settings = "{\r\n\t\"model\" : \"opus\",\r\n\t\"hooks\": {\"PreToolUse\": [ {\"matcher\":\"Read\", \
        \"hooks\":[{\"type\":\"command\",\"command\":\"true\"}]} ]},\r\n\t\"env\":{ }\r\n}";
    fs::write(claude.join("settings.json"), settings).unwrap();
    fs::set_permissions(
        claude.join("settings.json"),
        fs::Permissions::from_mode(0o640),
    )
    .unwrap();
    fs::create_dir_all(newcomer.home().join(".config/other")).unwrap();
    fs::write(newcomer.home().join(".config/other/file"), "x").unwrap();
    first_day(&newcomer);
}
