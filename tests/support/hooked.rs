//! A repository with our hooks in it, and real git run in it by hosts, by people and by nobody.

use super::git::git;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// A checkout, its bare origin, a home, and hosts.
pub(crate) struct Hooked {
    temp: tempfile::TempDir,
    binary: PathBuf,
}

impl Hooked {
    /// On `feat`, whose first commit is on the remote as `main`; our hooks are not installed yet.
    pub(crate) fn bare(binary: &str) -> Hooked {
        let hooked = Hooked {
            temp: tempfile::tempdir().unwrap(),
            binary: PathBuf::from(binary),
        };
        for dir in ["home", "repo", "bin"] {
            fs::create_dir_all(hooked.at(dir)).unwrap();
        }
        for args in [
            &["init", "-q", "--bare", "../origin.git"][..],
            &["init", "-q", "--template="],
            &["config", "user.name", "Ann"],
            &["config", "user.email", "ann@example.com"],
            &["remote", "add", "origin", "../origin.git"],
        ] {
            hooked.git(args);
        }
        hooked.commit("a");
        hooked.git(&["push", "-q", "origin", "main"]);
        hooked.git(&["switch", "-q", "-c", "feat"]);
        for host in ["claude", "codex"] {
            std::os::unix::fs::symlink("/bin/sh", hooked.at("bin").join(host)).unwrap();
        }
        hooked
    }

    /// The same with our hooks.
    pub(crate) fn new(binary: &str) -> Hooked {
        let hooked = Hooked::bare(binary);
        let out = hooked.verb(&["install", "git", "--yes"]);
        assert!(out.status.success(), "{out:?}");
        hooked
    }

    /// A path below the root, links resolved.
    pub(crate) fn at(&self, path: &str) -> PathBuf {
        self.temp.path().canonicalize().unwrap().join(path)
    }

    /// git past all hooks.
    #[track_caller]
    pub(crate) fn git(&self, args: &[&str]) -> String {
        git(&self.at("repo"), &self.at("home"), args)
    }

    /// A commit of one file, past all hooks.
    #[track_caller]
    pub(crate) fn commit(&self, name: &str) {
        fs::write(self.at("repo").join(name), format!("{name}\n")).unwrap();
        self.git(&["add", name]);
        self.git(&["commit", "-qm", name]);
    }

    /// leaseguard in the repository.
    pub(crate) fn verb(&self, args: &[&str]) -> Output {
        let binary = self.binary.to_str().unwrap();
        self.clean(binary).args(args).output().unwrap()
    }

    fn clean(&self, program: &str) -> Command {
        let mut command = Command::new(program);
        command
            .current_dir(self.at("repo"))
            .env_clear()
            .env("PATH", "/usr/bin:/bin")
            .env("HOME", self.at("home"))
            .env("LG", &self.binary)
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .env("GIT_EDITOR", "true")
            .env("GIT_SEQUENCE_EDITOR", "true")
            .stdin(Stdio::null());
        command
    }

    /// `text` in a shell that goes by the name of a host.
    pub(crate) fn agent(&self, text: &str) -> Output {
        self.agent_with(text, |_| {})
    }

    /// The same in another environment.
    pub(crate) fn agent_with(&self, text: &str, change: impl FnOnce(&mut Command)) -> Output {
        let mut command = self.clean(self.at("bin/claude").to_str().unwrap());
        // A last command would take the shell's place.
        command.args(["-c", &format!("{text}\ncode=$?; exit $code")]);
        change(&mut command);
        command.output().unwrap()
    }

    /// `text` in a shell that has lost its parents and every terminal.
    pub(crate) fn nobody(&self, text: &str) -> (i32, String) {
        self.nobody_with(text, |_| {})
    }

    /// The same in another environment.
    pub(crate) fn nobody_with(
        &self,
        text: &str,
        change: impl FnOnce(&mut Command),
    ) -> (i32, String) {
        let mut command = self.clean("setsid");
        let text = format!("exec 2>&1; {text}\ncode=$?; echo \"code $code\"");
        command.args(["-f", "/bin/sh", "-c", &text]);
        change(&mut command);
        coded(command.output().unwrap())
    }

    /// `text` at a terminal of a person, who types `typed`.
    pub(crate) fn person(&self, text: &str, typed: &str) -> (i32, String) {
        let mut command = self.clean("setsid");
        let inner = format!("{text}; echo \"code $?\"");
        command
            .args(["-f", "script", "-qec", &inner, "/dev/null"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let mut stdin = child.stdin.take().unwrap();
        stdin.write_all(typed.as_bytes()).unwrap();
        // The end of the input would be typed as well, before the question.
        let output = child.wait_with_output().unwrap();
        drop(stdin);
        coded(output)
    }

    /// What the remote's ref is at; empty where it has none.
    pub(crate) fn remote(&self, name: &str) -> String {
        let out = self
            .clean("git")
            .args(["ls-remote", "../origin.git", name])
            .output()
            .unwrap();
        let text = String::from_utf8_lossy(&out.stdout).into_owned();
        text.split_whitespace()
            .next()
            .unwrap_or_default()
            .to_owned()
    }

    /// The commit that `revision` is.
    pub(crate) fn rev(&self, revision: &str) -> String {
        self.git(&["rev-parse", revision])
    }

    /// The lines of the decision log.
    pub(crate) fn log(&self) -> String {
        let path = "home/.local/state/leaseguard/decisions.jsonl";
        fs::read_to_string(self.at(path)).unwrap_or_default()
    }

    /// Writes a program.
    pub(crate) fn program(&self, path: &str, text: &str) {
        super::repo::put(&self.at(path), text);
        super::repo::runnable(&self.at(path));
    }
}

/// Every file below `dir` with its content.
pub(crate) fn files(dir: &Path) -> std::collections::BTreeMap<PathBuf, Vec<u8>> {
    let mut all = std::collections::BTreeMap::new();
    let mut open = vec![dir.to_owned()];
    while let Some(dir) = open.pop() {
        for entry in fs::read_dir(&dir).unwrap().flatten() {
            let path = entry.path();
            if entry.file_type().unwrap().is_dir() {
                open.push(path);
            } else {
                all.insert(path.clone(), fs::read(&path).unwrap());
            }
        }
    }
    all
}

fn coded(output: Output) -> (i32, String) {
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let text = text + &String::from_utf8_lossy(&output.stderr);
    let code = text
        .lines()
        .filter_map(|line| line.trim().strip_prefix("code "))
        .next_back()
        .and_then(|code| code.parse().ok());
    (code.unwrap_or_else(|| panic!("no code in: {text}")), text)
}
