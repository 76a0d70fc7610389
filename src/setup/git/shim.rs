//! The files that are put in place, filled from the ones under `hooks/git`.

use std::path::{Path, PathBuf};

const PRE_PUSH: &str = include_str!("../../../hooks/git/pre-push");
const COMMIT: &str = include_str!("../../../hooks/git/commit");
const BLOCK_PRE_PUSH: &str = include_str!("../../../hooks/git/block-pre-push");
const BLOCK_COMMIT: &str = include_str!("../../../hooks/git/block-commit");
const LEFTHOOK: &str = include_str!("../../../hooks/git/lefthook-local.yml");

/// How lines of ours in a file of others begin and end.
pub(super) const OPEN: &str = "# >>> leaseguard";
pub(super) const CLOSE: &str = "# <<< leaseguard\n";

/// What the lines in a hook name, once for all.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shim {
    /// This program.
    pub program: String,
    /// Where leaseguard remembers.
    pub state: Option<PathBuf>,
    /// The person's own policy.
    pub policy: Option<PathBuf>,
    /// The person's home.
    pub home: Option<PathBuf>,
}

impl Shim {
    /// The whole of a hook.
    pub(super) fn hook(&self, hook: &str) -> String {
        let whole = if hook == "pre-push" { PRE_PUSH } else { COMMIT };
        let wheres = [
            ("--state", &self.state),
            ("--policy", &self.policy),
            ("--home", &self.home),
        ];
        let wheres: Vec<String> = wheres
            .into_iter()
            .filter_map(|(option, path)| {
                let path = path.as_ref()?.to_str()?;
                Some(format!("{option} {}", quoted(path)))
            })
            .collect();
        whole
            .replace("@PROGRAM@", &quoted(&self.program))
            .replace("@WHERE@", &wheres.join(" "))
            .replace("@HOOK@", hook)
    }
}

/// The lines in a hook that is everybody's; they name nothing of this machine.
pub(super) fn block(hook: &str) -> String {
    let block = match hook {
        "pre-push" => BLOCK_PRE_PUSH,
        _ => BLOCK_COMMIT,
    };
    block.replace("@HOOK@", hook)
}

/// What lefthook reads besides its settings; `dir` holds our hooks.
pub(super) fn lefthook(dir: &Path) -> String {
    LEFTHOOK.replace("@DIR@", &quoted(&dir.to_string_lossy()))
}

/// The config that names our hooks to a git that takes hooks from its config, as `git --version`
/// tells it: from 2.54 on.
pub fn config_hooks(version: &str, dir: &Path) -> Option<Vec<(String, String)>> {
    let number = version.trim().strip_prefix("git version ")?;
    let mut parts = number.split('.').map(|part| part.parse::<u32>().ok());
    let (major, minor) = (parts.next()??, parts.next()??);
    if (major, minor) < (2, 54) {
        return None;
    }
    let pairs = super::HOOKS.iter().flat_map(|hook| {
        let key = |name: &str| format!("hook.leaseguard-{hook}.{name}");
        let command = quoted(&dir.join(hook).to_string_lossy());
        [
            (key("event"), (*hook).to_owned()),
            (key("command"), command),
        ]
    });
    Some(pairs.collect())
}

/// As one word of a shell.
fn quoted(word: &str) -> String {
    format!("'{}'", word.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_with_quotes_stays_one_word() {
        let shim = Shim {
            program: "/o'p/leaseguard".to_owned(),
            state: Some(PathBuf::from("/s t")),
            policy: None,
            home: None,
        };
        let text = shim.hook("pre-push");
        assert!(
            text.contains(r"exec '/o'\''p/leaseguard' git-hook pre-push --state '/s t' --prev")
        );
        assert!(text.contains("exit 1"), "{text}");
        assert!(!shim.hook("pre-commit").contains("exit 1"));
        assert!(text.contains(super::super::MARK));
    }

    #[test]
    fn hooks_in_config_are_for_gits_that_know_them() {
        let dir = Path::new("/r/.git/leaseguard");
        for old in [
            "git version 2.47.3",
            "git version 2.53.9",
            "git version x",
            "",
        ] {
            assert_eq!(config_hooks(old, dir), None, "{old}");
        }
        let pairs = config_hooks("git version 2.54.0 (Apple Git-1)\n", dir).unwrap();
        assert_eq!(pairs.len(), 6);
        assert!(pairs.contains(&(
            "hook.leaseguard-pre-push.command".to_owned(),
            "'/r/.git/leaseguard/pre-push'".to_owned()
        )));
        assert!(config_hooks("git version 3.0.1", dir).is_some());
    }
}
