//! The program that an entry names, and the host's own.

use crate::doctor::entry::{Start, program};
use crate::doctor::machine::is_executable;
use crate::doctor::run::{How, run};
use crate::doctor::{Check, Ill, Site};
use std::ffi::OsString;
use std::path::Path;
use std::time::Duration;

/// How long a program may take to tell its version.
const VERSION_WITHIN: Duration = Duration::from_secs(2);

/// See `why`.
pub(super) const MISSING: Check = Check {
    id: "program/missing",
    why: "hosts run the tool when the program of a hook is not there or cannot be started",
    starts: false,
    look: |site| {
        let mut ills: Vec<Ill> = Vec::new();
        for entry in site.guards() {
            let words = entry.start.words();
            let Some(program) = program(&words) else {
                continue;
            };
            let shown = program.display();
            let what = if !program.is_absolute() {
                format!(
                    "the entry in `{}` starts `{shown}`, which is no absolute path: a host's PATH need not hold it",
                    site.place(entry)
                )
            } else if !program.exists() {
                let split = matches!(entry.start, Start::Line(_))
                    && words.get(1).is_none_or(|w| w != "hook");
                let hint = if split {
                    ": a path with spaces has to be quoted"
                } else {
                    ""
                };
                format!(
                    "the entry in `{}` starts `{shown}`, which is not there{hint}",
                    site.place(entry)
                )
            } else if !is_executable(program) {
                format!("`{shown}` cannot be executed")
            } else {
                continue;
            };
            if !ills.iter().any(|ill| ill.what == what) {
                ills.push(Ill::broken(what, site.install()));
            }
        }
        ills
    },
};

/// See `why`.
pub(super) const OTHER: Check = Check {
    id: "program/other",
    why: "another copy of leaseguard may be older, and then does not know what this one knows",
    starts: true,
    look: |site| {
        let mut ills: Vec<Ill> = Vec::new();
        for entry in site.guards() {
            let words = entry.start.words();
            let Some(program) = program(&words).filter(|p| p.is_absolute() && is_executable(p))
            else {
                continue;
            };
            let real = program.canonicalize().ok();
            if real.is_none() || real == site.machine.program {
                continue;
            }
            let version =
                told(program, site).unwrap_or_else(|| "one that tells no version".to_owned());
            let ours = env!("CARGO_PKG_VERSION");
            let what = format!(
                "hosts call `{}` ({version}), and this is another file ({ours})",
                program.display()
            );
            if !ills.iter().any(|ill| ill.what == what) {
                ills.push(Ill::weak(what, site.install()));
            }
        }
        ills
    },
};

/// See `why`.
pub(super) const VERSION: Check = Check {
    id: "host/version",
    why: "older versions of a host do not know hooks as they are written now",
    starts: true,
    look: |site| {
        let oldest = site.manner.and_then(|m| m.oldest);
        let (Some(oldest), Some(program), true) = (oldest, &site.program, site.connected()) else {
            return Vec::new();
        };
        let wanted = oldest.map(|n| n.to_string()).join(".");
        match told(program, site).as_deref().and_then(number) {
            Some(version) if version < oldest => {
                let version = version.map(|n| n.to_string()).join(".");
                let what = format!(
                    "{} is {version}; hooks as we write them need {wanted}",
                    site.setup.title
                );
                vec![Ill::broken(what, format!("update {}", site.setup.title))]
            }
            Some(_) => Vec::new(),
            None => {
                let what = format!(
                    "`{} --version` told no version within 2 s",
                    program.display()
                );
                vec![Ill::note(
                    what,
                    format!("see to it that it is {wanted} or newer"),
                )]
            }
        }
    },
};

/// The first line that `--version` prints.
fn told(program: &Path, site: &Site<'_>) -> Option<String> {
    let words = [program.to_str()?.to_owned(), "--version".to_owned()];
    let path = site.machine.variables.get(std::ffi::OsStr::new("PATH"));
    let how = How {
        dir: &site.machine.cwd,
        path: path.cloned().unwrap_or_else(OsString::new),
        input: "",
        most: VERSION_WITHIN,
    };
    let ran = run(&words, &how).ok().filter(|ran| ran.exit == Some(0))?;
    let line = ran.stdout.lines().find(|line| !line.trim().is_empty())?;
    Some(line.chars().filter(|c| !c.is_control()).take(60).collect())
}

/// The first number of three parts.
fn number(text: &str) -> Option<[u32; 3]> {
    text.split(|c: char| !(c.is_ascii_digit() || c == '.'))
        .find_map(|word| {
            let mut parts = word.split('.').map(|part| part.parse().ok());
            Some([parts.next()??, parts.next()??, parts.next()??])
        })
}

#[cfg(test)]
mod tests {
    use super::number;

    #[test]
    fn versions_are_found_in_what_hosts_print() {
        assert_eq!(number("2.1.332 (Claude Code)"), Some([2, 1, 332]));
        assert_eq!(number("codex-cli 0.171.0"), Some([0, 171, 0]));
        assert_eq!(number("none 1.2"), None);
    }
}
