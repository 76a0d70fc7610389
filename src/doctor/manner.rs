//! What a host makes of its settings files, as data: which files, which names, which switches.

/// The manners of one host.
#[derive(Debug)]
pub struct Manner {
    /// The host's name.
    pub host: &'static str,
    /// The events of which one has to call leaseguard before a shell command runs.
    pub events: &'static [&'static str],
    /// Its tools that run shell text.
    pub shell: &'static [&'static str],
    /// Its tools that write files.
    pub writes: &'static [&'static str],
    /// How a matcher is compared with a tool's name.
    pub matching: Matching,
    /// How its files are read.
    pub strictness: Strictness,
    /// What `timeout` counts.
    pub unit: Unit,
    /// The oldest version that calls the hook as we write it.
    pub oldest: Option<[u32; 3]>,
    /// Files beside those of the setup.
    pub files: &'static [File],
    /// What turns hooks off.
    pub switches: &'static [Switch],
    /// Who has to trust a project before its hooks are read.
    pub trust: Trust,
}

/// How a matcher is compared with a tool's name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Matching {
    /// Exact names while there is nothing but letters, digits and separators; else an unanchored regex.
    NamesOrSearch,
    /// Always an unanchored regex.
    Search,
    /// Not known: nothing is said of it.
    Unknown,
}

/// How a settings file is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Strictness {
    /// JSON and nothing else; a byte order mark is no JSON.
    Strict,
    /// JSON, after an optional byte order mark.
    Marked,
    /// JSON with comments.
    Comments,
}

/// What `timeout` counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unit {
    /// Seconds.
    Seconds,
    /// Thousandths of a second.
    Milliseconds,
}

/// Whose a file is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Scope {
    /// The user's, for all projects.
    User,
    /// The project's.
    Project,
    /// The user's, for this project.
    Local,
    /// The administrator's.
    Managed,
}

impl Scope {
    /// In a word.
    pub fn word(self) -> &'static str {
        match self {
            Scope::User => "user",
            Scope::Project => "project",
            Scope::Local => "local",
            Scope::Managed => "managed",
        }
    }
}

/// A settings file: below the user's directory of the host, the top of the checkout, or the root.
#[derive(Debug)]
pub struct File {
    /// Whose it is.
    pub scope: Scope,
    /// Where it is; a `*` in the last part stands for any name.
    pub path: &'static str,
}

/// A key that turns hooks off.
#[derive(Debug)]
pub struct Switch {
    /// The key, from the top.
    pub key: &'static [&'static str],
    /// What it says when hooks are off.
    pub off: Off,
    /// It spares the entries of these files.
    pub spares: Option<Scope>,
}

/// What a switch says when hooks are off.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Off {
    /// This.
    Is(bool),
    /// True, or a list in which this stands.
    TrueOrHolds(&'static str),
    /// A list in which our entry's name or command stands.
    NamesUs,
}

/// Where it stands that a project is trusted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Trust {
    /// Projects need none.
    Free,
    /// In Codex's `config.toml`, for the project and for each entry by its place.
    Codex,
    /// As a key of this file of the user.
    Keys(&'static str),
    /// In a list of this file of the user, under one of these keys.
    List(&'static str, &'static [&'static str]),
}

const fn file(scope: Scope, path: &'static str) -> File {
    File { scope, path }
}

const fn switch(key: &'static [&'static str], off: Off) -> Switch {
    Switch {
        key,
        off,
        spares: None,
    }
}

/// The manners of the hosts that have any.
pub const ALL: &[Manner] = &[
    Manner {
        host: "claude",
        events: &["PreToolUse"],
        shell: &["Bash"],
        writes: &["Write", "Edit"],
        matching: Matching::NamesOrSearch,
        strictness: Strictness::Marked,
        unit: Unit::Seconds,
        oldest: Some([2, 1, 139]),
        files: &[
            file(Scope::Local, ".claude/settings.local.json"),
            file(Scope::Managed, "/etc/claude-code/managed-settings.json"),
            file(Scope::Managed, "/etc/claude-code/managed-settings.d/*.json"),
            file(
                Scope::Managed,
                "/Library/Application Support/ClaudeCode/managed-settings.json",
            ),
        ],
        switches: &[
            switch(&["disableAllHooks"], Off::Is(true)),
            Switch {
                key: &["allowManagedHooksOnly"],
                off: Off::Is(true),
                spares: Some(Scope::Managed),
            },
            Switch {
                key: &["strictPluginOnlyCustomization"],
                off: Off::TrueOrHolds("hooks"),
                spares: Some(Scope::Managed),
            },
        ],
        trust: Trust::Free,
    },
    Manner {
        host: "codex",
        events: &["PreToolUse"],
        shell: &["Bash"],
        writes: &["apply_patch"],
        matching: Matching::Search,
        strictness: Strictness::Strict,
        unit: Unit::Seconds,
        oldest: Some([0, 124, 0]),
        files: &[
            file(Scope::User, "config.toml"),
            file(Scope::Project, ".codex/config.toml"),
            file(Scope::Managed, "/etc/codex/requirements.toml"),
            file(Scope::Managed, "/etc/codex/config.toml"),
        ],
        switches: &[
            switch(&["features", "hooks"], Off::Is(false)),
            Switch {
                key: &["allow_managed_hooks_only"],
                off: Off::Is(true),
                spares: Some(Scope::Managed),
            },
        ],
        trust: Trust::Codex,
    },
    Manner {
        host: "copilot",
        events: &["preToolUse", "PreToolUse"],
        shell: &["bash"],
        writes: &["create", "edit"],
        matching: Matching::Unknown,
        strictness: Strictness::Strict,
        unit: Unit::Seconds,
        oldest: None,
        files: &[
            file(Scope::User, "settings.json"),
            file(Scope::User, "hooks/*.json"),
            file(Scope::Project, ".github/hooks/*.json"),
            file(Scope::Managed, "/etc/github-copilot/policy.d/*.json"),
        ],
        switches: &[switch(&["disableAllHooks"], Off::Is(true))],
        trust: Trust::List("config.json", &["trusted_folders", "trustedFolders"]),
    },
    Manner {
        host: "gemini",
        events: &["BeforeTool"],
        shell: &["run_shell_command"],
        writes: &["write_file", "replace"],
        matching: Matching::Search,
        strictness: Strictness::Comments,
        unit: Unit::Milliseconds,
        oldest: None,
        files: &[
            file(Scope::Managed, "/etc/gemini-cli/settings.json"),
            file(
                Scope::Managed,
                "/Library/Application Support/GeminiCli/settings.json",
            ),
        ],
        switches: &[
            switch(&["hooksConfig", "enabled"], Off::Is(false)),
            switch(&["hooksConfig", "disabled"], Off::NamesUs),
        ],
        trust: Trust::Keys("trustedFolders.json"),
    },
    Manner {
        host: "qwen",
        events: &["PreToolUse"],
        shell: &["run_shell_command"],
        writes: &["write_file", "edit"],
        matching: Matching::Search,
        strictness: Strictness::Comments,
        unit: Unit::Milliseconds,
        oldest: None,
        files: &[],
        switches: &[
            switch(&["disableAllHooks"], Off::Is(true)),
            switch(&["hooksConfig", "enabled"], Off::Is(false)),
            switch(&["hooksConfig", "disabled"], Off::NamesUs),
        ],
        trust: Trust::Free,
    },
    Manner {
        host: "cursor",
        events: &["beforeShellExecution"],
        shell: &[],
        writes: &[],
        matching: Matching::Unknown,
        strictness: Strictness::Strict,
        unit: Unit::Seconds,
        oldest: None,
        files: &[
            file(Scope::Managed, "/etc/cursor/hooks.json"),
            file(
                Scope::Managed,
                "/Library/Application Support/Cursor/hooks.json",
            ),
        ],
        switches: &[],
        trust: Trust::Free,
    },
];

/// The manners of `host`.
pub fn of(host: &str) -> Option<&'static Manner> {
    ALL.iter().find(|manner| manner.host == host)
}

#[cfg(test)]
mod tests {
    use super::{ALL, Strictness};

    #[test]
    fn what_reads_comments_is_also_what_install_takes_to_read_them() {
        for host in crate::host::ALL {
            let manner = ALL.iter().find(|manner| manner.host == host.name);
            let comments = manner.is_some_and(|m| m.strictness == Strictness::Comments);
            assert_eq!(
                comments,
                crate::setup::reads_comments(host),
                "{}",
                host.name
            );
        }
    }
}
