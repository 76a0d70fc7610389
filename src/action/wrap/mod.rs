//! Programs that run other commands, in one table, and what each of them would run.

mod env;
mod git;
mod listed;
mod screens;
mod shells;
mod source;
mod tail;

pub use tail::{Possible, is_data, possible};

use super::{basename, recipe};
use crate::shell::{Command, Inner, Opaque, Recipe, Stdin, Word, Wrappers, from_cmd, unfold_pwsh};

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

const SHELL_KIND: Kind = Kind::Own(shells::unfold);
const PWSH_KIND: Kind = Kind::Own(|words, command| unfold_pwsh(words, &command.stdin));
const TIMEOUT_KIND: Kind = Kind::Prefix(opts("ks", &["--kill-after", "--signal"]), 1);
const CHRT_KIND: Kind = Kind::Prefix(NONE, 1);
const UNSHARE_KIND: Kind = Kind::Prefix(opts("tSGw", &["--target", "--map-user", "--wd"]), 0);
const STRACE_KIND: Kind = Kind::Prefix(opts("oepEsSauPI", &[]), 0);
const DOAS_KIND: Kind = Kind::Prefix(opts("uCgD", &["--user"]), 0);
const WATCH_KIND: Kind = Kind::Joined(opts("nq", &["--interval", "--equexit"]), 0);
const SSH_KIND: Kind = Kind::Joined(SSH, 1);
const SCRIPT_KIND: Kind = Kind::Valued(NONE, &["-c", "--command"]);
const SU_KIND: Kind = Kind::Valued(NONE, &["-c", "--command", "--session-command"]);
const FIND_KIND: Kind = Kind::Own(listed::find);
const DOCKER_KIND: Kind = Kind::Verbs(&[("exec", CONTAINER, 1), ("compose", CONTAINER, 0)]);
const KUBECTL_KIND: Kind =
    Kind::Verbs(&[("exec", opts("cnf", &["--container", "--namespace"]), 1)]);
const POETRY_KIND: Kind = Kind::Verbs(&[("run", NONE, 0)]);
const BUNDLE_KIND: Kind = Kind::Verbs(&[("exec", NONE, 0)]);
const MISE_KIND: Kind = Kind::Verbs(&[("exec", NONE, 0), ("x", NONE, 0)]);

/// Every wrapper by name, sorted.
#[rustfmt::skip]
const TABLE: &[(&str, Kind)] = &[
    ("asdf", BUNDLE_KIND),
    ("ash", SHELL_KIND),
    ("at", Kind::Own(shells::later)),
    ("autossh", SSH_KIND),
    ("bash", SHELL_KIND),
    ("batch", Kind::Own(shells::later)),
    ("bundle", BUNDLE_KIND),
    ("busybox", PLAIN),
    ("caffeinate", PLAIN),
    ("catchsegv", PLAIN),
    ("chronic", PLAIN),
    ("chroot", CHRT_KIND),
    ("chrt", CHRT_KIND),
    ("cmd", Kind::Joined(NONE, 0)),
    ("crontab", Kind::Own(screens::crontab)),
    ("dash", SHELL_KIND),
    ("dbus-run-session", PLAIN),
    ("direnv", Kind::Verbs(&[("exec", NONE, 1)])),
    ("doas", DOAS_KIND),
    ("docker", DOCKER_KIND),
    ("docker-compose", DOCKER_KIND),
    ("eatmydata", PLAIN),
    ("env", Kind::Own(env::unfold)),
    ("fakeroot", PLAIN),
    ("faketime", CHRT_KIND),
    ("fd", FIND_KIND),
    ("fdfind", FIND_KIND),
    ("find", FIND_KIND),
    ("fish", SHELL_KIND),
    ("flock", Kind::Own(listed::flock)),
    ("git", Kind::Own(git::unfold)),
    ("gtime", PLAIN),
    ("gtimeout", TIMEOUT_KIND),
    ("hatch", POETRY_KIND),
    ("hyperfine", Kind::Valued( NONE, &["--prepare", "-p", "--setup", "-s", "--cleanup", "-c"], )),
    ("ifne", PLAIN),
    ("ionice", Kind::Prefix(opts("cn", &["--class", "--classdata"]), 0)),
    ("ksh", SHELL_KIND),
    ("kubectl", KUBECTL_KIND),
    ("linux32", PLAIN),
    ("linux64", PLAIN),
    ("ltrace", STRACE_KIND),
    ("mise", MISE_KIND),
    ("mksh", SHELL_KIND),
    ("mosh", SSH_KIND),
    ("nerdctl", DOCKER_KIND),
    ("nice", Kind::Prefix(opts("n", &["--adjustment"]), 0)),
    ("nix", SCRIPT_KIND),
    ("nix-shell", Kind::Valued(NONE, &["--run", "--command"])),
    ("nocorrect", PLAIN),
    ("noglob", PLAIN),
    ("nohup", PLAIN),
    ("npm", BUNDLE_KIND),
    ("nsenter", UNSHARE_KIND),
    ("oc", KUBECTL_KIND),
    ("parallel", Kind::Own(listed::parallel)),
    ("pdm", POETRY_KIND),
    ("pipenv", POETRY_KIND),
    ("pkexec", DOAS_KIND),
    ("pnpm", BUNDLE_KIND),
    ("podman", DOCKER_KIND),
    ("poetry", POETRY_KIND),
    ("powershell", PWSH_KIND),
    ("proxychains", PLAIN),
    ("pwsh", PWSH_KIND),
    ("pyenv", BUNDLE_KIND),
    ("rbash", SHELL_KIND),
    ("rbenv", BUNDLE_KIND),
    ("rlwrap", PLAIN),
    ("rtx", MISE_KIND),
    ("run0", DOAS_KIND),
    ("runuser", SU_KIND),
    ("rye", POETRY_KIND),
    ("screen", Kind::Own(screens::screen)),
    ("script", SCRIPT_KIND),
    ("setsid", PLAIN),
    ("sh", SHELL_KIND),
    ("ssh", SSH_KIND),
    ("ssh-agent", Kind::Prefix(opts("aEOPt", &[]), 0)),
    ("sshpass", SSH_KIND),
    ("stdbuf", Kind::Prefix(opts("ioe", &["--input", "--output", "--error"]), 0)),
    ("strace", STRACE_KIND),
    ("su", SU_KIND),
    ("sudo", Kind::Own(env::sudo)),
    ("taskset", CHRT_KIND),
    ("time", Kind::Prefix(opts("fo", &["--format", "--output"]), 0)),
    ("timeout", TIMEOUT_KIND),
    ("tmux", Kind::Own(screens::tmux)),
    ("torsocks", PLAIN),
    ("toybox", PLAIN),
    ("unbuffer", PLAIN),
    ("unshare", UNSHARE_KIND),
    ("uv", POETRY_KIND),
    ("viddy", WATCH_KIND),
    ("watch", WATCH_KIND),
    ("winpty", PLAIN),
    ("wsl", Kind::Own(env::wsl)),
    ("xargs", Kind::Own(listed::xargs)),
    ("xvfb-run", Kind::Prefix( opts("nsef", &["--server-num", "--server-args", "--error-file"]), 0, )),
    ("yarn", BUNDLE_KIND),
    ("zsh", SHELL_KIND),
];

const PLAIN: Kind = Kind::Prefix(NONE, 0);

impl Wrappers for Table {
    fn unfold(&self, command: &Command) -> Vec<Inner> {
        let Some(first) = command.words.first() else {
            return Vec::new();
        };
        let name = basename(&first.text);
        let Some(kind) = kind(name) else {
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

    fn recipe(&self, command: &Command) -> Option<Recipe> {
        recipe::recipe(command)
    }

    fn lines(&self, command: &Command, text: &str) -> Vec<String> {
        recipe::lines(command, text)
    }
}

fn kind(program: &str) -> Option<&'static Kind> {
    let at = TABLE
        .binary_search_by(|(name, _)| (*name).cmp(program))
        .ok()?;
    TABLE.get(at).map(|(_, kind)| kind)
}

/// True when leaseguard unfolds `program` by table.
pub fn is_wrapper(program: &str) -> bool {
    kind(program).is_some()
}

/// Whether `program` does nothing but run the command that its words hold.
pub(super) fn only_wraps(program: &str) -> bool {
    kind(program).is_some_and(|kind| !matches!(kind, Kind::Verbs(_)))
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
    let all = if name == "cmd" { from_cmd(&all) } else { all };
    let mut inner = text(all, &[]);
    if let (true, Inner::Text { dir, .. }) = (skip > 0, &mut inner) {
        // Another machine: nothing is known of its directories.
        *dir = Some(somewhere());
    }
    vec![inner]
}

/// A directory that nobody knows.
fn somewhere() -> Word {
    Word {
        text: crate::shell::OPAQUE.into(),
        opaque: Opaque::One,
        ..Word::default()
    }
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

#[cfg(test)]
mod tests {
    use super::TABLE;

    #[test]
    fn the_wrappers_are_sorted() {
        assert!(TABLE.is_sorted_by(|a, b| a.0 < b.0));
    }
}
