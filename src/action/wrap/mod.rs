//! Programs that run other commands, in one table, and what each of them would run.

mod env;
mod git;
mod listed;
mod shells;
mod tail;

pub use tail::{Possible, is_data, possible};

use super::basename;
use crate::shell::{Command, Inner, Opaque, Stdin, Word, Wrappers};

/// The wrappers that leaseguard knows.
#[derive(Debug, Clone, Copy, Default)]
pub struct Table;

/// How a wrapper's words lead to its command.
enum Kind {
    /// Options, `skip` operands, then an argument vector.
    Prefix(Options, usize),
    /// Like `Prefix`, but the rest is joined by blanks and given to a shell (`watch`, `ssh`).
    Joined(Options, usize),
    /// Shell text is the value of an option (`script -c`, `su -c`).
    Valued(Options, &'static [&'static str]),
    /// A sub-verb leads to the command: `poetry run`, `docker exec`.
    Verbs(&'static [(&'static str, Options, usize)]),
    /// Has a reader of its own.
    Own(fn(&[Word], &Command) -> Vec<Inner>),
}

/// Which options of a wrapper take a separate value.
#[derive(Clone, Copy)]
struct Options {
    /// Short letters that do.
    short: &'static str,
    /// Long names (with dashes) that do.
    long: &'static [&'static str],
}

const fn opts(short: &'static str, long: &'static [&'static str]) -> Options {
    Options { short, long }
}

const NONE: Options = opts("", &[]);
const CONTAINER: Options = opts(
    "euwc",
    &[
        "--env",
        "--user",
        "--workdir",
        "--env-file",
        "--detach-keys",
        "--index",
    ],
);
const SSH: Options = opts("bcDEeFIiJLlmOopQRSWwB", &[]);

const SHELLS: &[&str] = &[
    "sh", "bash", "dash", "zsh", "ksh", "mksh", "ash", "rbash", "fish",
];

const TABLE: &[(&[&str], Kind)] = &[
    (&["env"], Kind::Own(env::unfold)),
    (SHELLS, Kind::Own(shells::unfold)),
    (
        &["pwsh", "powershell"],
        Kind::Valued(NONE, &["-Command", "-command", "-c", "-C", "/c"]),
    ),
    (&["cmd"], Kind::Joined(NONE, 0)),
    (
        &[
            "nohup",
            "setsid",
            "unbuffer",
            "winpty",
            "caffeinate",
            "catchsegv",
            "dbus-run-session",
        ],
        PLAIN,
    ),
    (
        &[
            "busybox",
            "toybox",
            "noglob",
            "nocorrect",
            "torsocks",
            "proxychains",
        ],
        PLAIN,
    ),
    (
        &[
            "linux64",
            "linux32",
            "fakeroot",
            "eatmydata",
            "chronic",
            "ifne",
            "rlwrap",
            "gtime",
        ],
        PLAIN,
    ),
    (
        &["xvfb-run"],
        Kind::Prefix(
            opts("nsef", &["--server-num", "--server-args", "--error-file"]),
            0,
        ),
    ),
    (&["nice"], Kind::Prefix(opts("n", &["--adjustment"]), 0)),
    (
        &["ionice"],
        Kind::Prefix(opts("cn", &["--class", "--classdata"]), 0),
    ),
    (
        &["stdbuf"],
        Kind::Prefix(opts("ioe", &["--input", "--output", "--error"]), 0),
    ),
    (
        &["timeout", "gtimeout"],
        Kind::Prefix(opts("ks", &["--kill-after", "--signal"]), 1),
    ),
    (
        &["time"],
        Kind::Prefix(opts("fo", &["--format", "--output"]), 0),
    ),
    (&["chrt", "taskset", "faketime"], Kind::Prefix(NONE, 1)),
    (&["chroot"], Kind::Prefix(NONE, 1)),
    (
        &["unshare", "nsenter"],
        Kind::Prefix(opts("tSGw", &["--target", "--map-user", "--wd"]), 0),
    ),
    (
        &["strace", "ltrace"],
        Kind::Prefix(opts("oepEsSauPI", &[]), 0),
    ),
    (&["sudo"], Kind::Own(env::sudo)),
    (
        &["doas", "run0", "pkexec"],
        Kind::Prefix(opts("uCgD", &["--user"]), 0),
    ),
    (&["wsl"], Kind::Own(env::wsl)),
    (
        &["watch", "viddy"],
        Kind::Joined(opts("nq", &["--interval", "--equexit"]), 0),
    ),
    (&["ssh", "autossh", "mosh", "sshpass"], Kind::Joined(SSH, 1)),
    (&["script"], Kind::Valued(NONE, &["-c", "--command"])),
    (
        &["su", "runuser"],
        Kind::Valued(NONE, &["-c", "--command", "--session-command"]),
    ),
    (
        &["hyperfine"],
        Kind::Valued(
            NONE,
            &["--prepare", "-p", "--setup", "-s", "--cleanup", "-c"],
        ),
    ),
    (&["nix-shell"], Kind::Valued(NONE, &["--run", "--command"])),
    (&["flock"], Kind::Own(listed::flock)),
    (&["xargs"], Kind::Own(listed::xargs)),
    (&["parallel"], Kind::Own(listed::parallel)),
    (&["find", "fd", "fdfind"], Kind::Own(listed::find)),
    (&["git"], Kind::Own(git::unfold)),
    (
        &["docker", "podman", "nerdctl", "docker-compose"],
        Kind::Verbs(&[("exec", CONTAINER, 1), ("compose", CONTAINER, 0)]),
    ),
    (
        &["kubectl", "oc"],
        Kind::Verbs(&[("exec", opts("cnf", &["--container", "--namespace"]), 1)]),
    ),
    (
        &["poetry", "pipenv", "uv", "rye", "pdm", "hatch"],
        Kind::Verbs(&[("run", NONE, 0)]),
    ),
    (
        &["bundle", "pnpm", "yarn", "npm", "rbenv", "asdf", "pyenv"],
        Kind::Verbs(&[("exec", NONE, 0)]),
    ),
    (
        &["mise", "rtx"],
        Kind::Verbs(&[("exec", NONE, 0), ("x", NONE, 0)]),
    ),
    (&["direnv"], Kind::Verbs(&[("exec", NONE, 1)])),
    (&["nix"], Kind::Valued(NONE, &["-c", "--command"])),
];

const PLAIN: Kind = Kind::Prefix(NONE, 0);

impl Wrappers for Table {
    fn unfold(&self, command: &Command) -> Vec<Inner> {
        let Some(first) = command.words.first() else {
            return Vec::new();
        };
        let name = basename(&first.text);
        let Some((_, kind)) = TABLE.iter().find(|(names, _)| names.contains(&name)) else {
            return Vec::new();
        };
        let words = command.words.get(1..).unwrap_or_default();
        match kind {
            Kind::Own(read) => read(words, command),
            Kind::Prefix(options, skip) => argv(words, *options, *skip),
            Kind::Joined(options, skip) => joined(name, words, *options, *skip),
            Kind::Valued(options, carriers) => valued(words, *options, carriers),
            Kind::Verbs(verbs) => verb(words, verbs),
        }
    }
}

/// True when leaseguard unfolds `program` by table.
pub fn is_wrapper(program: &str) -> bool {
    TABLE.iter().any(|(names, _)| names.contains(&program))
}

/// True when `command` starts a shell that would read lines as they are typed.
pub fn waits_for_lines(command: &Command) -> bool {
    let Some((program, rest)) = command.words.split_first() else {
        return false;
    };
    if command.stdin != Stdin::Inherited {
        return false;
    }
    let name = basename(&program.text);
    if matches!(name, "sudo" | "doas" | "su") && !command.wrapper {
        return env::starts_shell(name, rest);
    }
    SHELLS.contains(&name) && shells::waits(rest)
}

/// How many leading words are options or values of options.
fn options_end(words: &[Word], options: Options) -> usize {
    let mut at = 0;
    while let Some(word) = words.get(at) {
        let text = word.text.as_str();
        if text == "--" {
            return at + 1;
        }
        if !text.starts_with('-') || text == "-" {
            // An unknown word in front of the command is taken for an option of the wrapper: the
            // command is then found one word later, and the tail rule still sees all of it.
            if word.opaque == Opaque::Many && words.len() > at + 1 {
                at += 1;
                continue;
            }
            break;
        }
        at += 1;
        let separate = if text.starts_with("--") {
            options.long.contains(&text)
        } else {
            text.chars()
                .last()
                .is_some_and(|c| options.short.contains(c))
                && text.chars().skip(1).position(|c| options.short.contains(c))
                    == Some(text.chars().count().saturating_sub(2))
        };
        if separate {
            at += 1;
        }
    }
    at.min(words.len())
}

fn plain(words: &[Word]) -> Inner {
    Inner::Argv {
        words: words.to_vec(),
        assigns: Vec::new(),
        unset: Vec::new(),
        dir: None,
    }
}

fn text(text: Word, args: &[Word]) -> Inner {
    Inner::Text {
        text,
        args: args.to_vec(),
        dir: None,
        assigns: Vec::new(),
    }
}

fn argv(words: &[Word], options: Options, skip: usize) -> Vec<Inner> {
    let mut at = options_end(words, options) + skip;
    if words.get(at).is_some_and(|w| w.text == "--") {
        at += 1;
    }
    match words.get(at..) {
        Some(rest) if !rest.is_empty() => vec![plain(rest)],
        _ => Vec::new(),
    }
}

/// The rest as one text, as `ssh` and `watch` join it: by single blanks.
fn join(words: &[Word]) -> Option<Word> {
    let first = words.first()?;
    let mut all = first.clone();
    for word in words.get(1..).unwrap_or_default() {
        all.text.push(' ');
        all.text.push_str(&word.text);
        all.span.end = all.span.end.max(word.span.end);
        if word.opaque != Opaque::No {
            all.opaque = word.opaque;
        }
    }
    Some(all)
}

fn joined(name: &str, words: &[Word], options: Options, skip: usize) -> Vec<Inner> {
    let mut at = options_end(words, options) + skip;
    if name == "cmd" {
        at = words
            .iter()
            .position(|w| w.text.eq_ignore_ascii_case("/c"))
            .map_or(words.len(), |i| i + 1);
    }
    let Some(all) = join(words.get(at..).unwrap_or_default()) else {
        return Vec::new();
    };
    let mut inner = text(all, &[]);
    if let (true, Inner::Text { dir, .. }) = (skip > 0, &mut inner) {
        // Another machine: nothing is known of its directories.
        *dir = Some(Word {
            text: crate::shell::OPAQUE.into(),
            opaque: Opaque::One,
            ..Word::default()
        });
    }
    vec![inner]
}

fn valued(words: &[Word], options: Options, carriers: &[&str]) -> Vec<Inner> {
    let _ = options;
    let mut found = Vec::new();
    for (at, word) in words.iter().enumerate() {
        let name = word.text.as_str();
        if let Some(value) = carriers
            .iter()
            .filter(|c| c.starts_with("--"))
            .find_map(|c| name.strip_prefix(c).and_then(|rest| rest.strip_prefix('=')))
        {
            found.push(text(
                Word {
                    text: value.to_owned(),
                    ..word.clone()
                },
                &[],
            ));
        } else if carriers.contains(&name) || cluster_carries(name, carriers) {
            if let Some(rest) = words.get(at + 1..).filter(|r| !r.is_empty()) {
                // `nix develop -c git push` carries words, `su -c 'git push'` a text.
                found.extend(join(rest.get(..1).unwrap_or_default()).map(|t| text(t, &[])));
                if rest.len() > 1 {
                    found.extend(join(rest).map(|t| text(t, &[])));
                }
            }
        } else if let Some(value) = attached(name, carriers) {
            found.push(text(
                Word {
                    text: value.to_owned(),
                    ..word.clone()
                },
                &[],
            ));
        }
    }
    found
}

/// `-qc` carries like `-c`.
fn cluster_carries(word: &str, carriers: &[&str]) -> bool {
    word.starts_with('-')
        && !word.starts_with("--")
        && word.len() > 2
        && word.chars().last().is_some_and(|l| {
            carriers
                .iter()
                .any(|c| c.len() == 2 && c.starts_with('-') && c.ends_with(l))
        })
        && word.chars().skip(1).all(|c| c.is_ascii_alphabetic())
        && word.len() <= 5
}

/// `-c'git push'` without a blank between.
fn attached<'w>(word: &'w str, carriers: &[&str]) -> Option<&'w str> {
    carriers
        .iter()
        .filter(|c| c.len() == 2 && c.starts_with('-'))
        .find_map(|c| word.strip_prefix(c))
        .filter(|rest| rest.contains(' '))
}

fn verb(words: &[Word], verbs: &[(&str, Options, usize)]) -> Vec<Inner> {
    // The sub-verb may stand behind global options and their values.
    for (at, word) in words.iter().enumerate().take(8) {
        if let Some((_, options, skip)) = verbs.iter().find(|(name, ..)| *name == word.text) {
            let rest = words.get(at + 1..).unwrap_or_default();
            if word.text == "compose" {
                return verb(rest, &[("exec", CONTAINER, 1), ("run", CONTAINER, 1)]);
            }
            return argv(rest, *options, *skip);
        }
    }
    Vec::new()
}
