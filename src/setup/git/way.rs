//! By which way git comes to our hooks: files in its directory of hooks, or its config, which git reads for hooks from 2.54 on.

use super::shim::quoted;
use super::steps::{Ground, Plan, Step};
use super::{FOLDER, HOOKS};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// From this version on git takes hooks from its config too.
const SINCE: (u32, u32) = (2, 54);

/// The two ways.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Way {
    /// Every git takes it, and managers of hooks take it away.
    Files,
    /// Whatever directory git looks in, and whoever writes there.
    Config,
}

/// A git of this machine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Git {
    /// Its absolute path.
    pub path: PathBuf,
    /// What it says of its version; empty where it does not.
    pub version: String,
}

impl Git {
    /// Asks the git at `path`.
    pub fn at(path: PathBuf) -> Git {
        let told = Command::new(&path)
            .arg("--version")
            .stdin(Stdio::null())
            .output();
        let version = told
            .map(|told| String::from_utf8_lossy(&told.stdout).into_owned())
            .unwrap_or_default();
        Git { path, version }
    }

    /// Whether it takes hooks from its config.
    pub fn reads_config(&self) -> bool {
        reads_config(&self.version)
    }

    fn shown(&self) -> String {
        let number = self.version.trim().trim_start_matches("git version ");
        let number = number.split(' ').next().unwrap_or_default();
        let number = if number.is_empty() { "unknown" } else { number };
        format!("`{}` is {number}", self.path.display())
    }
}

/// Whether a git that says this of its version takes hooks from its config.
fn reads_config(version: &str) -> bool {
    let Some(number) = version.trim().strip_prefix("git version ") else {
        return false;
    };
    let mut parts = number.split('.').map(|part| part.parse::<u32>().ok());
    let (major, minor) = (parts.next().flatten(), parts.next().flatten());
    major.zip(minor).is_some_and(|found| found >= SINCE)
}

/// The way that all of `gits` take, and why in words: an old one passes over config in silence.
pub fn pick(gits: &[Git]) -> (Way, String) {
    match gits.iter().find(|git| !git.reads_config()) {
        Some(old) => (
            Way::Files,
            format!(
                "hooks go into files: {}, which takes none from config",
                old.shown()
            ),
        ),
        None => {
            let known: Vec<String> = gits.iter().map(Git::shown).collect();
            let known = known.join(", ");
            (Way::Config, format!("hooks go into git's config: {known}"))
        }
    }
}

/// The gits of `gits` that would pass over hooks in config, in words.
pub fn blind(gits: &[Git]) -> Option<String> {
    let old: Vec<String> = gits
        .iter()
        .filter(|git| !git.reads_config())
        .map(Git::shown)
        .collect();
    let known = (!old.is_empty()).then(|| old.join(", "))?;
    Some(format!(
        "{known}: it takes no hooks from config, so it does not come to ours"
    ))
}

/// The section of config that names our `hook`.
pub fn section(hook: &str) -> String {
    format!("hook.leaseguard-{hook}")
}

/// The config that names our hooks in `dir`.
pub fn config_hooks(dir: &Path) -> Vec<(String, String)> {
    let pairs = HOOKS.iter().flat_map(|hook| {
        let path = dir.join(hook).to_string_lossy().into_owned();
        // git starts one plain word without a shell.
        let plain = |c: char| c.is_ascii_alphanumeric() || "/._-+@".contains(c);
        let command = if path.chars().all(plain) {
            path
        } else {
            quoted(&path)
        };
        [
            (section(hook) + ".event", (*hook).to_owned()),
            (section(hook) + ".command", command),
        ]
    });
    pairs.collect()
}

impl Plan {
    /// The entries in the repository's config.
    pub(super) fn entries(&mut self, ground: &Ground) {
        let wanted = config_hooks(&ground.common.join(FOLDER));
        for hook in HOOKS {
            let of = |all: &[(String, String)]| -> Vec<(String, String)> {
                let own = section(hook) + ".";
                let mut own: Vec<_> = all
                    .iter()
                    .filter(|e| e.0.starts_with(&own))
                    .cloned()
                    .collect();
                own.sort();
                own
            };
            let (new, old) = (of(&wanted), of(&ground.entries));
            if new == old {
                continue;
            }
            if !old.is_empty() {
                self.steps.push(Step::Unset(ground.config(), section(hook)));
            }
            let set = |(key, value)| Step::Set(ground.config(), key, value);
            self.steps.extend(new.into_iter().map(set));
        }
    }

    /// No entry of ours in the repository's config.
    pub(super) fn no_entries(&mut self, ground: &Ground) {
        for hook in HOOKS {
            let own = section(hook) + ".";
            if ground.entries.iter().any(|(key, _)| key.starts_with(&own)) {
                self.steps.push(Step::Unset(ground.config(), section(hook)));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn git(path: &str, version: &str) -> Git {
        Git {
            path: PathBuf::from(path),
            version: version.to_owned(),
        }
    }

    #[test]
    fn hooks_in_config_are_for_gits_that_know_them() {
        for old in [
            "git version 2.47.3",
            "git version 2.53.9",
            "git version x",
            "git version 3",
            "",
        ] {
            assert!(!reads_config(old), "{old}");
        }
        for new in [
            "git version 2.54.0 (Apple Git-1)\n",
            "git version 2.54.0.windows.1",
            "git version 3.0.1",
        ] {
            assert!(reads_config(new), "{new}");
        }
    }

    #[test]
    fn one_old_git_beside_the_new_one_keeps_the_hooks_in_files() {
        let (new, old) = (
            git("/n/git", "git version 2.54.1"),
            git("/o/git", "git version 2.47.3"),
        );
        let (way, why) = pick(&[new.clone(), old]);
        assert_eq!(way, Way::Files);
        assert!(why.contains("`/o/git` is 2.47.3"), "{why}");
        let (way, why) = pick(std::slice::from_ref(&new));
        assert_eq!(way, Way::Config);
        assert!(why.contains("`/n/git` is 2.54.1"), "{why}");
        assert_eq!(blind(&[new]), None);
        let (way, why) = pick(&[git("/u/git", "")]);
        assert_eq!(way, Way::Files);
        assert!(why.contains("`/u/git` is unknown"), "{why}");
    }

    #[test]
    fn a_command_is_quoted_where_a_shell_would_split_it() {
        let pairs = config_hooks(Path::new("/r/.git/leaseguard"));
        assert_eq!(pairs.len(), 6);
        let command = |pairs: &[(String, String)]| {
            let key = "hook.leaseguard-pre-push.command";
            pairs.iter().find(|(k, _)| k == key).unwrap().1.clone()
        };
        assert_eq!(command(&pairs), "/r/.git/leaseguard/pre-push");
        let pairs = config_hooks(Path::new("/r r/.git/leaseguard"));
        assert_eq!(command(&pairs), "'/r r/.git/leaseguard/pre-push'");
    }
}
