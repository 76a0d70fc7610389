//! One proposed deed, free of any host's words.

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
    /// Something happened that needs no decision.
    Event {
        /// The host's name for it.
        name: String,
    },
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
