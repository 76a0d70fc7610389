//! Tests that need a person run where no agent host is among the processes above.

use std::process::{Command, Stdio};

const MARK: &str = "LEASEGUARD_TEST_OUTSIDE";

/// Whether `test` was run in a process that no agent host has started, since one has started us; it
/// passed there. Where no host is above, the caller goes on by itself.
#[track_caller]
pub(crate) fn ran_outside(test: &str) -> bool {
    let asker = leaseguard::person::Asker::here();
    let Some((host, _)) = asker.host() else {
        return false;
    };
    let again = std::env::var_os(MARK).is_some();
    assert!(
        !again,
        "there is no way out of {host}: run `{test}` without it"
    );
    let this = std::env::current_exe().expect("the test knows its program");
    // Whose parent ends at once belongs to nobody.
    let line = format!(
        "'{}' --exact {test} --nocapture 2>&1; echo \"code $?\"",
        this.display()
    );
    let mut command = Command::new("setsid");
    command
        .args(["-f", "sh", "-c", &line])
        .env_clear()
        .env(MARK, "1");
    for name in ["PATH", "HOME", "TMPDIR", "LEASEGUARD_LONG"] {
        command.envs(std::env::var_os(name).map(|value| (name, value)));
    }
    let output = command.stdin(Stdio::null()).output();
    let output = output.expect("`setsid` (util-linux) runs");
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(text.ends_with("code 0\n"), "outside of {host}:\n{text}");
    true
}
