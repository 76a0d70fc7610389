//! Real git in a closed room: a private HOME, no system or user config, fixed names and times.

use std::path::Path;
use std::process::{Command, Stdio};

/// A command that sees nothing of the person's own settings.
pub(crate) fn closed(program: &str, dir: &Path, home: &Path) -> Command {
    let mut command = Command::new(program);
    command
        .current_dir(dir)
        .env_clear()
        .env("PATH", std::env::var_os("PATH").unwrap_or_default())
        .env("HOME", home)
        .env("LC_ALL", "C")
        .env("TZ", "UTC")
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .env("GIT_TERMINAL_PROMPT", "0")
        .env("GIT_EDITOR", "true")
        .env("GIT_AUTHOR_NAME", "Ann Author")
        .env("GIT_AUTHOR_EMAIL", "ann@example.com")
        .env("GIT_COMMITTER_NAME", "Ann Author")
        .env("GIT_COMMITTER_EMAIL", "ann@example.com")
        .env("GIT_AUTHOR_DATE", "2026-01-09T12:00:00Z")
        .env("GIT_COMMITTER_DATE", "2026-01-09T12:00:00Z")
        // Building signs nothing and runs no hook; the finished repository asks for both.
        .env("GIT_CONFIG_COUNT", "5")
        .env("GIT_CONFIG_KEY_0", "commit.gpgSign")
        .env("GIT_CONFIG_VALUE_0", "false")
        .env("GIT_CONFIG_KEY_1", "tag.gpgSign")
        .env("GIT_CONFIG_VALUE_1", "false")
        .env("GIT_CONFIG_KEY_2", "core.hooksPath")
        .env("GIT_CONFIG_VALUE_2", "/dev/null")
        .env("GIT_CONFIG_KEY_3", "init.defaultBranch")
        .env("GIT_CONFIG_VALUE_3", "main")
        .env("GIT_CONFIG_KEY_4", "protocol.file.allow")
        .env("GIT_CONFIG_VALUE_4", "always")
        .stdin(Stdio::null());
    command
}

/// Runs git and gives its trimmed output; a failure ends the test with git's own words.
#[track_caller]
pub(crate) fn git(dir: &Path, home: &Path, args: &[&str]) -> String {
    run(closed("git", dir, home).args(args), &args.join(" "))
}

/// Runs shell text, for `pre` lines of a setup.
#[track_caller]
pub(crate) fn shell(dir: &Path, home: &Path, text: &str) -> String {
    run(closed("bash", dir, home).args(["-c", text]), text)
}

#[track_caller]
fn run(command: &mut Command, shown: &str) -> String {
    let out = command
        .output()
        .unwrap_or_else(|e| panic!("cannot start `{shown}`: {e}"));
    assert!(
        out.status.success(),
        "building a fixture: `{shown}` failed: {}",
        String::from_utf8_lossy(&out.stderr)
    );
    String::from_utf8_lossy(&out.stdout).trim().to_owned()
}
