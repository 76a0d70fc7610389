//! What the line in git's hook hands over.

use std::ffi::OsString;
use std::path::PathBuf;

/// The hooks that are answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Hook {
    PreCommit,
    PrepareCommitMsg,
    PrePush,
}

/// The arguments.
#[derive(Debug)]
pub(super) struct Given {
    pub(super) hook: Hook,
    pub(super) state: Option<PathBuf>,
    pub(super) policy: Option<PathBuf>,
    pub(super) home: Option<PathBuf>,
    /// The git that the install used.
    pub(super) git: Option<PathBuf>,
    /// The hook that stood there before ours, which runs after it.
    pub(super) prev: Option<PathBuf>,
    /// What git gave to its hook.
    pub(super) args: Vec<OsString>,
}

impl Given {
    /// Reads them; `Err` says what is wrong.
    pub(super) fn read(mut args: impl Iterator<Item = OsString>) -> Result<Given, String> {
        const USAGE: &str = "usage: leaseguard git-hook pre-commit|prepare-commit-msg|pre-push \
                             [--state DIR] [--policy FILE] [--home DIR] [--git FILE] [--prev FILE] [-- ARG...]";
        let word = args.next().unwrap_or_default();
        let hook = match word.to_str() {
            Some("pre-commit") => Hook::PreCommit,
            Some("prepare-commit-msg") => Hook::PrepareCommitMsg,
            Some("pre-push") => Hook::PrePush,
            _ => {
                let word = word.to_string_lossy();
                return Err(format!("`{word}` is no hook that is answered; {USAGE}"));
            }
        };
        let mut given = Given {
            hook,
            state: None,
            policy: None,
            home: None,
            git: None,
            prev: None,
            args: Vec::new(),
        };
        while let Some(arg) = args.next() {
            let slot = match arg.to_str() {
                Some("--") => {
                    given.args = args.collect();
                    break;
                }
                Some("--state") => &mut given.state,
                Some("--policy") => &mut given.policy,
                Some("--home") => &mut given.home,
                Some("--git") => &mut given.git,
                Some("--prev") => {
                    // As git names the hook, from where it runs it.
                    given.prev = args.next().map(PathBuf::from);
                    continue;
                }
                _ => {
                    let arg = arg.to_string_lossy();
                    return Err(format!("`git-hook` does not take `{arg}`; {USAGE}"));
                }
            };
            let path = args.next().map(PathBuf::from);
            let path = path.filter(|path| path.is_absolute());
            *slot = Some(path.ok_or_else(|| {
                format!(
                    "`{}` wants an absolute path; {USAGE}",
                    arg.to_string_lossy()
                )
            })?);
        }
        Ok(given)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(line: &str) -> Result<Given, String> {
        Given::read(line.split_whitespace().map(OsString::from))
    }

    #[test]
    fn paths_are_absolute_and_the_rest_is_gits() {
        let given =
            read("pre-push --state /s --policy /p --home /h --git /g -- origin --state").unwrap();
        assert_eq!(given.hook, Hook::PrePush);
        assert_eq!(given.state, Some(PathBuf::from("/s")));
        assert_eq!(given.git, Some(PathBuf::from("/g")));
        assert_eq!(given.args, ["origin", "--state"]);
        for wrong in [
            "",
            "post-commit",
            "pre-push origin",
            "pre-push --state s",
            "pre-push --home",
            "pre-push --git git",
        ] {
            assert!(read(wrong).unwrap_err().contains("usage:"), "{wrong}");
        }
    }
}
