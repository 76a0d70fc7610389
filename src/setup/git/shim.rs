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
    /// The git that is asked first.
    pub git: Option<PathBuf>,
}

impl Shim {
    /// The whole of a hook.
    pub(super) fn hook(&self, hook: &str) -> String {
        let whole = if hook == "pre-push" { PRE_PUSH } else { COMMIT };
        let wheres = [
            ("--state", &self.state),
            ("--policy", &self.policy),
            ("--home", &self.home),
            ("--git", &self.git),
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

/// As one word of a shell.
pub(super) fn quoted(word: &str) -> String {
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
            git: Some(PathBuf::from("/g/git")),
        };
        let text = shim.hook("pre-push");
        assert!(text.contains(
            r"exec '/o'\''p/leaseguard' git-hook pre-push --state '/s t' --git '/g/git' --prev"
        ));
        assert!(text.contains("exit 1"), "{text}");
        assert!(!shim.hook("pre-commit").contains("exit 1"));
        assert!(text.contains(super::super::MARK));
    }
}
