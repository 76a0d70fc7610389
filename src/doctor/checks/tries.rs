//! What only trying out can tell.

use crate::doctor::canary::sing;
use crate::doctor::entry::Start;
use crate::doctor::run::{How, run};
use crate::doctor::{Check, Ill};
use std::ffi::OsStr;
use std::time::Duration;

/// See `why`.
pub(super) const PROFILE: Check = Check {
    id: "profile/prints",
    why: "Codex may start hooks in a login shell, and what its profile prints spoils an answer",
    starts: true,
    look: |site| {
        if site.host.name != "codex" || site.guards().next().is_none() || cfg!(windows) {
            return Vec::new();
        }
        let shell = site.machine.login_shell();
        let words = [shell.clone(), "-lc".to_owned(), "true".to_owned()];
        let path = site.machine.variables.get(OsStr::new("PATH"));
        let how = How {
            dir: &site.machine.cwd,
            path: path.cloned().unwrap_or_default(),
            input: "",
            most: Duration::from_secs(5),
        };
        match run(&words, &how) {
            Ok(ran) if ran.stdout.is_empty() => Vec::new(),
            Ok(ran) => {
                let first: String = ran
                    .stdout
                    .lines()
                    .next()
                    .unwrap_or_default()
                    .chars()
                    .take(40)
                    .collect();
                let what = format!(
                    "`{shell} -lc true` prints `{first}`: the profile writes to standard output"
                );
                vec![Ill::weak(
                    what,
                    "let the profile print only where `[ -t 1 ]` holds",
                )]
            }
            Err(_) => {
                let what = format!("`{shell} -lc true` does not end within 5 s");
                vec![Ill::weak(what, "see what the profile waits for")]
            }
        }
    },
};

/// See `why`.
pub(super) const CANARY: Check = Check {
    id: "canary",
    why: "an entry that looks right may still not answer; so it is tried with one call to deny and one to let through",
    starts: true,
    look: |site| {
        let mut tried: Vec<&Start> = Vec::new();
        let mut ills: Vec<Ill> = Vec::new();
        for entry in site.guards() {
            if tried.contains(&&entry.start) {
                continue;
            }
            tried.push(&entry.start);
            if let Err(why) = sing(site, entry) {
                let what = format!("the entry in `{}` was tried: {why}", site.place(entry));
                ills.push(Ill::broken(what, site.install()));
            }
        }
        ills
    },
};
