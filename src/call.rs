//! One proposed deed, free of any host's words.

use std::fmt;
use std::path::PathBuf;

/// What an agent host, git or a person asks leaseguard about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Call {
    /// The host's id for the session, if it names one.
    pub session: Option<String>,
    /// The subagent inside that session, if any.
    pub agent: Option<String>,
    /// The directory in which the deed would start; `None` when the host did not say.
    pub cwd: Option<PathBuf>,
    /// True where the host keeps a shell open whose typed lines no hook sees.
    pub unseen_typing: bool,
    /// The deed.
    pub what: What,
}

/// The kinds of deed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum What {
    /// Shell text that would run.
    Shell {
        /// Whose syntax it is.
        dialect: Dialect,
        /// The text.
        text: String,
    },
    /// Files that a tool would write, create, move or delete; relative paths start at `cwd`.
    Write {
        /// The paths.
        paths: Vec<PathBuf>,
    },
    /// A tool of another server, with its input as JSON text.
    Tool {
        /// The server's name, empty for the host's own tools.
        server: String,
        /// The tool's name.
        tool: String,
        /// The input, as JSON text.
        input: String,
    },
    /// git itself is at work and has called one of its hooks.
    GitHook(Hooked),
    /// Something happened that needs no decision.
    Event {
        /// The host's name for it.
        name: String,
    },
}

/// What one of git's hooks knows of the work that called it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hooked {
    /// `GIT_DIR`, where git sets it for its hooks.
    pub git_dir: Option<PathBuf>,
    /// The command line of the git process as shell text; `None` where the system does not tell it.
    pub typed: Option<String>,
    /// The work.
    pub work: Work,
}

/// The kinds of work.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Work {
    /// `pre-push`: refs of a remote are about to change.
    Push {
        /// The remote's name, or its URL where it has none.
        remote: String,
        /// Where it is pushed to, as git has worked it out.
        url: String,
        /// The refs, exactly.
        updates: Vec<RefUpdate>,
    },
    /// `pre-commit`, `prepare-commit-msg`: a commit is about to be made.
    Commit {
        /// git commits from an index that it fills itself, as for `-a` and `-i`.
        sweeps: bool,
    },
}

/// One line that git hands to `pre-push`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RefUpdate {
    /// What is pushed, as git names it.
    pub source: String,
    /// Its object; `None` = the ref is deleted.
    pub new: Option<String>,
    /// The full ref on the remote.
    pub refname: String,
    /// What the remote has there; `None` = nothing yet.
    pub old: Option<String>,
}

/// Whose syntax shell text is written in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Dialect {
    /// bash, and POSIX shells as bash reads them.
    #[default]
    Bash,
    /// PowerShell.
    PowerShell,
}

impl fmt::Display for Hooked {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.work {
            Work::Push {
                remote, updates, ..
            } => {
                write!(f, "git push {remote}")?;
                for update in updates {
                    let part = |object: &Option<String>| object.clone().unwrap_or_default();
                    let (old, new) = (part(&update.old), part(&update.new));
                    write!(f, " {old}..{new}:{}", update.refname)?;
                }
                Ok(())
            }
            Work::Commit { .. } => f.write_str(self.typed.as_deref().unwrap_or("git commit")),
        }
    }
}
