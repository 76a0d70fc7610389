//! The hook that stood in our place before: it runs after ours, with the same arguments and input.

use super::PASS;
use super::given::{Given, Hook};
use crate::verdict::Fault;
use std::io::{ErrorKind, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};

/// Runs it, if there is one; gives its exit code.
pub(super) fn run(given: &Given, input: &[u8]) -> Result<u8, Fault> {
    let Some(prev) = given.prev.as_deref().filter(|prev| runs(prev)) else {
        return Ok(PASS);
    };
    let fault = |e: std::io::Error| Fault {
        code: "fault/prev-hook",
        what: format!("the hook `{}` cannot be run: {}", prev.display(), e.kind()),
    };
    let mut child = started(given, prev).map_err(fault)?;
    if let Some(mut stdin) = child.stdin.take() {
        // A hook need not read what it gets.
        let _ = stdin.write_all(input);
    }
    let status = child.wait().map_err(fault)?;
    // Ended by a signal: no code, and no success.
    Ok(status
        .code()
        .and_then(|code| u8::try_from(code).ok())
        .unwrap_or(1))
}

fn started(given: &Given, prev: &Path) -> std::io::Result<Child> {
    let start = |mut command: Command| {
        command.args(&given.args);
        if given.hook == Hook::PrePush {
            command.stdin(Stdio::piped());
        }
        command.spawn()
    };
    match start(Command::new(prev)) {
        // A script that does not say what runs it: git lets a shell try.
        Err(e) if e.kind() != ErrorKind::NotFound && e.raw_os_error() == Some(8) => {
            let mut shell = Command::new("/bin/sh");
            shell.arg(prev);
            start(shell)
        }
        started => started,
    }
}

/// git passes over what it cannot run.
#[cfg(unix)]
fn runs(file: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    let found = std::fs::metadata(file);
    found.is_ok_and(|found| found.is_file() && found.permissions().mode() & 0o111 != 0)
}

#[cfg(not(unix))]
fn runs(file: &Path) -> bool {
    file.is_file()
}
