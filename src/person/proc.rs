//! Processes as Linux tells them in `/proc`.

use super::chain::{Process, System};
use std::fs::{self, File};
use std::io::Read;
use std::path::PathBuf;

/// Of a command line only so much is read: the start names the program.
const MOST_ARGS: u64 = 4096;

/// A `/proc`.
#[derive(Debug)]
pub(super) struct Proc {
    root: PathBuf,
}

impl Default for Proc {
    fn default() -> Proc {
        Proc {
            root: PathBuf::from("/proc"),
        }
    }
}

impl System for Proc {
    fn this(&self) -> Option<Process> {
        self.process(std::process::id())
    }

    fn process(&self, pid: u32) -> Option<Process> {
        let dir = self.root.join(pid.to_string());
        let stat = fs::read(dir.join("stat")).ok()?;
        let mut process = parse_stat(pid, &String::from_utf8_lossy(&stat))?;
        if let Ok(executable) = fs::read_link(dir.join("exe")) {
            // A program that was replaced while it runs.
            let executable = executable.to_string_lossy();
            process.executable = executable
                .strip_suffix(" (deleted)")
                .unwrap_or(&executable)
                .to_owned();
        }
        let mut bytes = Vec::new();
        if let Ok(file) = File::open(dir.join("cmdline")) {
            let _ = file.take(MOST_ARGS).read_to_end(&mut bytes);
        }
        let args = bytes.split(|b| *b == 0).take(32);
        process.args = args
            .map(|arg| String::from_utf8_lossy(arg).into_owned())
            .collect();
        Some(process)
    }
}

/// `PID (COMM) STATE PPID …`; the name may hold anything, brackets too. Field 22 is the start.
fn parse_stat(pid: u32, stat: &str) -> Option<Process> {
    let (before, after) = stat.rsplit_once(')')?;
    let (_, program) = before.split_once('(')?;
    let mut fields = after.split_ascii_whitespace();
    let parent = fields.nth(1)?.parse().ok()?;
    let start = fields.nth(17)?.parse().ok()?;
    Some(Process {
        pid,
        parent,
        start,
        program: program.to_owned(),
        ..Process::default()
    })
}

/// The boot id and the pid namespace.
pub(super) fn here() -> String {
    let boot = fs::read_to_string("/proc/sys/kernel/random/boot_id").unwrap_or_default();
    let space = fs::read_link("/proc/self/ns/pid").unwrap_or_default();
    format!("{}:{}", boot.trim(), space.to_string_lossy())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_with_brackets_and_blanks_does_not_shift_the_fields() {
        let stat = "42 (a) R (b) c) S 7 42 42 0 -1 4194304 1 2 3 4 5 6 7 8 20 0 1 0 65060 999 1";
        let process = parse_stat(42, stat).unwrap();
        assert_eq!((process.parent, process.start), (7, 65060));
        assert_eq!(process.program, "a) R (b) c");
        assert_eq!(parse_stat(42, "42 (a S"), None);
        assert_eq!(parse_stat(42, "42 (a) S 7"), None);
        assert_eq!(parse_stat(42, ""), None);
    }
}
