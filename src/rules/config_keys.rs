//! What keys of git's config and variables of its environment can make git run or reach.

/// What a program of the caller's choice is run for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Use {
    /// It edits a message or a list of commits.
    Editor,
    /// It shows output.
    Pager,
    /// It reaches a remote.
    Ssh,
    /// It hands out a password.
    Credential,
    /// It asks for a password.
    Askpass,
    /// An alias: it runs when somebody types its name, and is judged then.
    Alias,
    /// Anything else: it runs along with a verb that does not name it.
    Along,
}

/// What a key does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Key {
    /// Its value is a program.
    Runs(Use),
    /// Its value is a program or a boolean.
    RunsOrFlag(Use),
    /// Its value is a program behind a `!`, else a word of git's.
    RunsMarked,
    /// It sends git to another place, whatever its value is.
    Redirects,
    /// It sends git to another place if it is true.
    RedirectsIfTrue,
    /// `url.NEW.insteadOf = OLD`; the text is `NEW`.
    Rewrites,
    /// It takes in another config file.
    Includes,
    /// It lets git use helpers of foreign protocols.
    Protocol,
    /// It lets git run verbs that nobody typed.
    Autocorrect,
    /// It makes a checkout none if it is true.
    Bare,
    /// It is how long git keeps what could bring lost commits back.
    Expires,
    /// It is what keeps `clean` from working unforced.
    Requires,
    /// It is a directory of hooks for new repositories.
    Template,
    /// It is a fact that the push laws follow, harmful only where it stays.
    Pushes,
    /// None of these.
    Harmless,
}

/// What the key `section[.sub].name` does; section and name are in lower case.
pub(super) fn key(key: &str) -> Key {
    use Key::{Runs, RunsMarked, RunsOrFlag};
    let (section, rest) = key.split_once('.').unwrap_or((key, ""));
    let (sub, name) = match rest.rsplit_once('.') {
        Some((sub, name)) => (Some(sub), name),
        None => (None, rest),
    };
    match (section, sub, name) {
        ("alias", ..) => Runs(Use::Alias),
        ("core", None, "fsmonitor") => RunsOrFlag(Use::Along),
        ("core", None, "sshcommand") => Runs(Use::Ssh),
        ("core", None, "askpass") => Runs(Use::Askpass),
        ("core", None, "gitproxy" | "alternaterefscommand") => Runs(Use::Along),
        ("core" | "sequence", None, "editor") => Runs(Use::Editor),
        ("core", None, "pager") | ("interactive", None, "difffilter") => Runs(Use::Pager),
        ("pager", ..) => RunsOrFlag(Use::Pager),
        ("core", None, "bare") => Key::Bare,
        ("core", None, "worktree") | ("remote", Some(_), "vcs") => Key::Redirects,
        ("diff", _, "external" | "command" | "textconv")
        | ("filter", Some(_), "clean" | "smudge" | "process")
        | ("merge", Some(_), "driver")
        | ("mergetool" | "difftool" | "guitool" | "man" | "browser", Some(_), "cmd" | "path")
        | ("trailer", Some(_), "command" | "cmd")
        | ("tar" | "hook", Some(_), "command")
        | ("gpg", _, "program" | "defaultkeycommand")
        | ("uploadpack", _, "packobjectshook")
        | ("remote", Some(_), "receivepack" | "uploadpack") => Runs(Use::Along),
        ("credential", _, "helper") => Runs(Use::Credential),
        ("submodule", Some(_), "update") => RunsMarked,
        ("remote", Some(_), "mirror") => Key::RedirectsIfTrue,
        ("remote", Some(_), "push" | "pushurl") => Key::Pushes,
        ("url", Some(_), "insteadof" | "pushinsteadof") => Key::Rewrites,
        ("include", None, "path") | ("includeif", Some(_), "path") => Key::Includes,
        ("protocol", _, "allow") => Key::Protocol,
        ("help", None, "autocorrect") => Key::Autocorrect,
        ("gc", _, "reflogexpire" | "reflogexpireunreachable" | "pruneexpire") => Key::Expires,
        ("clean", None, "requireforce") => Key::Requires,
        ("init", None, "templatedir") => Key::Template,
        _ => Key::Harmless,
    }
}

/// What a variable of git's environment does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Variable {
    /// Its value is a program.
    Runs(Use),
    /// Its value is a config file.
    Config,
    /// Its value is a directory with programs, or with hooks.
    Directory,
    /// Its value is a directory in which this is a config file.
    Home(&'static str),
    /// Its value is a directory with the config and hooks of all checkouts.
    Common,
    /// Its value is a list of protocols.
    Protocols,
    /// None of these.
    Harmless,
}

/// What the variable `name` does.
pub(super) fn variable(name: &str) -> Variable {
    match name {
        "GIT_EDITOR" | "GIT_SEQUENCE_EDITOR" | "EDITOR" | "VISUAL" => Variable::Runs(Use::Editor),
        "GIT_PAGER" | "PAGER" => Variable::Runs(Use::Pager),
        "GIT_SSH_COMMAND" | "GIT_SSH" => Variable::Runs(Use::Ssh),
        "GIT_ASKPASS" | "SSH_ASKPASS" => Variable::Runs(Use::Askpass),
        "GIT_EXTERNAL_DIFF" | "GIT_PROXY_COMMAND" => Variable::Runs(Use::Along),
        "GIT_CONFIG_GLOBAL" | "GIT_CONFIG_SYSTEM" => Variable::Config,
        "GIT_EXEC_PATH" | "GIT_TEMPLATE_DIR" => Variable::Directory,
        "HOME" => Variable::Home(".gitconfig"),
        "XDG_CONFIG_HOME" => Variable::Home("git/config"),
        "GIT_COMMON_DIR" => Variable::Common,
        "GIT_ALLOW_PROTOCOL" => Variable::Protocols,
        _ => Variable::Harmless,
    }
}

/// Programs that do nothing by themselves.
const IDLE: &[&str] = &[
    "true", "false", ":", "cat", "echo", "printf", "test", "[", "exit",
];

const EDITORS: &[&str] = &[
    "vi",
    "vim",
    "nvim",
    "gvim",
    "nano",
    "pico",
    "emacs",
    "emacsclient",
    "code",
    "code-insiders",
    "codium",
    "cursor",
    "windsurf",
    "zed",
    "subl",
    "hx",
    "helix",
    "kak",
    "micro",
    "ed",
    "joe",
    "mate",
    "atom",
    "gedit",
    "kate",
    "notepad",
    "idea",
    "pycharm",
    "webstorm",
    "sed",
    "cp",
    "touch",
    "head",
    "grep",
    "sleep",
];

const PAGERS: &[&str] = &[
    "less",
    "more",
    "most",
    "bat",
    "batcat",
    "delta",
    "diff-so-fancy",
    "diff-highlight",
    "moar",
    "head",
    "tail",
    "difft",
    "riff",
    "colordiff",
];

const HELPERS: &[&str] = &[
    "cache",
    "store",
    "osxkeychain",
    "manager",
    "manager-core",
    "libsecret",
    "wincred",
    "oauth",
    "gnome-keyring",
    "gh",
    "glab",
];

const ALONG: &[&str] = &[
    "gpg",
    "gpg2",
    "gpgsm",
    "ssh-keygen",
    "op-ssh-sign",
    "git-receive-pack",
    "git-upload-pack",
    "nbstripout",
    "pandoc",
    "pdftotext",
    "exiftool",
    "odt2txt",
    "jq",
    "plutil",
    "xxd",
    "hexdump",
    "meld",
    "kdiff3",
    "opendiff",
    "p4merge",
    "vimdiff",
    "vim",
    "nvim",
    "code",
    "bcomp",
    "difft",
    "gzip",
    "xz",
];

/// Editors of the list that change a file without anybody who looks on.
const BY_SCRIPT: &[&str] = &["sed", "cp", "touch", "head", "grep", "ed"];

/// Whether `editor` leaves what becomes of a file to a person, or leaves the file alone.
pub(super) fn by_hand(editor: &str) -> bool {
    usual(editor, Use::Editor) && !BY_SCRIPT.contains(&editor)
}

/// Whether `program` is a usual one for its use.
pub(super) fn usual(program: &str, wanted: Use) -> bool {
    let list = match wanted {
        Use::Editor => EDITORS,
        Use::Pager => PAGERS,
        Use::Credential => HELPERS,
        Use::Along => ALONG,
        Use::Ssh | Use::Askpass => &[],
        Use::Alias => return true,
    };
    IDLE.contains(&program) || list.contains(&program)
}
