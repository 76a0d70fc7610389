//! Programs and redirects that write, move or remove files, as far as guarded files may be meant.

mod find;

use super::words::{Given, Line, Takes, gnu};
use super::{Act, Action, Alter, Place, Unread};
use crate::shell::{Command, Opaque, RedirectKind, Span, Word};
use std::path::{Path, PathBuf};

/// What a program does with its operands.
#[derive(Clone, Copy)]
enum Does {
    /// Each is written, the first so many left out.
    Writes(usize),
    /// Each is altered, the first so many left out.
    Alters(Alter, usize),
    /// All but the last go into the last; what they are moved from changes too.
    Moves,
    /// All but the last go into the last.
    Copies,
    /// The values of these options are written.
    Outputs(&'static [&'static str]),
    /// Files are written only with `-i`; the first operand may be program text.
    InPlace,
    /// `of=FILE`.
    Dd,
    /// Only with `-delete`.
    Find,
    /// As a patch says, in the directory of `-d`, else in this one.
    Patches,
    /// What an archive holds goes into the directory of these options, else into this one.
    Unpacks(&'static [&'static str]),
}

/// Most files of one command that are judged, one by one; with more of them a person is asked.
const MOST: usize = 1000;

/// How many characters of a command stand in messages on its files.
const SHOWN: usize = 400;

const NONE: Takes = gnu("", &[]);
const INTO: Takes = gnu(
    "tSmogf",
    &["target-directory", "suffix", "mode", "owner", "group"],
);

const TAR: Takes = gnu(
    "CfbTXKNgHVIL",
    &[
        "directory",
        "cd",
        "file",
        "exclude",
        "files-from",
        "transform",
        "strip-components",
    ],
);

/// The programs, with those of their options that take a value.
const PROGRAMS: &[(&str, Takes, Does)] = &[
    ("bsdtar", TAR, Does::Unpacks(&["C", "directory", "cd"])),
    ("chattr", NONE, Does::Alters(Alter::Mode, 1)),
    ("chgrp", NONE, Does::Alters(Alter::Mode, 1)),
    ("chmod", NONE, Does::Alters(Alter::Mode, 1)),
    ("chown", NONE, Does::Alters(Alter::Mode, 1)),
    (
        "cp",
        gnu("tS", &["target-directory", "suffix"]),
        Does::Copies,
    ),
    (
        "curl",
        gnu(
            "oHXdFuAeTb",
            &["output", "header", "request", "data", "form", "user"],
        ),
        Does::Outputs(&["o", "output"]),
    ),
    ("dd", NONE, Does::Dd),
    ("find", NONE, Does::Find),
    (
        "gsed",
        gnu("efl", &["expression", "file", "line-length"]),
        Does::InPlace,
    ),
    ("install", INTO, Does::Copies),
    (
        "ln",
        gnu("tS", &["target-directory", "suffix"]),
        Does::Copies,
    ),
    (
        "mv",
        gnu("tS", &["target-directory", "suffix"]),
        Does::Moves,
    ),
    (
        "patch",
        gnu("pidoBDFgrVYz", &["input", "directory", "output", "strip"]),
        Does::Patches,
    ),
    ("perl", gnu("eEIMm", &[]), Does::InPlace),
    (
        "rimraf",
        NONE,
        Does::Alters(Alter::Remove { tree: true }, 0),
    ),
    ("rm", NONE, Does::Alters(Alter::Remove { tree: false }, 0)),
    (
        "rmdir",
        NONE,
        Does::Alters(Alter::Remove { tree: false }, 0),
    ),
    (
        "rsync",
        gnu(
            "efMTB",
            &[
                "rsh",
                "filter",
                "exclude",
                "include",
                "files-from",
                "backup-dir",
                "temp-dir",
            ],
        ),
        Does::Copies,
    ),
    ("ruby", gnu("eIr", &[]), Does::InPlace),
    (
        "sed",
        gnu("efl", &["expression", "file", "line-length"]),
        Does::InPlace,
    ),
    ("shred", gnu("ns", &["iterations", "size"]), Does::Writes(0)),
    (
        "sort",
        gnu("oktST", &["output", "key"]),
        Does::Outputs(&["o", "output"]),
    ),
    ("sponge", NONE, Does::Writes(0)),
    ("tar", TAR, Does::Unpacks(&["C", "directory"])),
    ("tee", NONE, Does::Writes(0)),
    (
        "touch",
        gnu("drt", &["date", "reference", "time"]),
        Does::Writes(0),
    ),
    ("trash", NONE, Does::Alters(Alter::Remove { tree: true }, 0)),
    (
        "trash-put",
        NONE,
        Does::Alters(Alter::Remove { tree: true }, 0),
    ),
    (
        "truncate",
        gnu("sr", &["size", "reference"]),
        Does::Writes(0),
    ),
    (
        "unlink",
        NONE,
        Does::Alters(Alter::Remove { tree: false }, 0),
    ),
    ("unzip", gnu("dPx", &[]), Does::Unpacks(&["d"])),
    (
        "wget",
        gnu("OPoU", &["output-document", "directory-prefix"]),
        Does::Outputs(&["O", "output-document"]),
    ),
];

/// Folders in which agent hosts, or leaseguard, keep what makes them call it.
#[rustfmt::skip]
const FOLDERS: &[&str] = &[
    ".agents", ".claude", ".cline", ".clinerules", ".codeium", ".codex", ".copilot", ".cursor",
    ".factory", ".gemini", ".grok", ".kimi", ".opencode", ".qwen", ".windsurf", "claude-code",
    "codex", "crush", "gemini-cli", "git", "github-copilot", "opencode", "windsurf",
];

/// Adds what `command` does to files that may be guarded; with `plain`, to others too.
pub(super) fn read(
    base: &str,
    command: &Command,
    dir: Option<&Path>,
    plain: bool,
    out: &mut Vec<Action>,
) {
    let mut reader = Reader {
        command,
        dir,
        plain,
        out,
        left: MOST,
        shown: String::new(),
    };
    for redirect in &command.redirects {
        if redirect.kind != RedirectKind::Read {
            reader.writes(&redirect.target);
        }
    }
    if let Ok(at) = PROGRAMS.binary_search_by_key(&base, |(name, ..)| name)
        && let Some((_, takes, does)) = PROGRAMS.get(at)
        && (plain || worth_reading(base, command, dir))
    {
        reader.program(base, takes, *does);
    }
}

/// The files that are edited in place: without `-e` or `-f`, the first word of `sed` is a program.
pub(super) fn edited<'a, 'w>(base: &str, line: &'a Line<'w>) -> &'a [&'w Word] {
    let sed = matches!(base, "sed" | "gsed");
    let script = sed && line.last(&["e", "expression", "f", "file"]).is_none();
    line.operands.get(usize::from(script)..).unwrap_or_default()
}

/// `-i`, `-pi`, `--in-place=.bak`.
pub(super) fn edits_in_place(word: &Word) -> bool {
    let letters = word.text.strip_prefix('-').unwrap_or_default();
    let mut cluster = letters
        .chars()
        .take_while(|c| c.is_ascii_alphanumeric() && *c != 'e');
    word.text.starts_with("--in-place") || !letters.starts_with('-') && cluster.any(|c| c == 'i')
}

/// The options of `base` that take a value, where it is a program of the table.
pub(super) fn takes(base: &str) -> Option<&'static Takes> {
    let at = PROGRAMS.binary_search_by_key(&base, |(name, ..)| name);
    PROGRAMS.get(at.ok()?).map(|(_, takes, _)| takes)
}

/// Most lines name plain files alone: one look at the words spares taking the line apart.
fn worth_reading(base: &str, command: &Command, dir: Option<&Path>) -> bool {
    let words = command.words.get(1..).unwrap_or_default();
    let whole = match base {
        "rm" => words.iter().any(|w| w.text.starts_with('-')),
        "mv" | "rimraf" | "trash" | "trash-put" => true,
        "find" => find::found_are(words).is_some(),
        _ => false,
    };
    whole || words.iter().any(|w| telling(w, dir))
}

/// What a tool does that writes, creates or removes these files; relative ones start at `cwd`. With
/// `plain`, files that mean nothing to git are told too.
pub fn writes(paths: &[PathBuf], cwd: Option<&Path>, plain: bool) -> Vec<Action> {
    let mut out = Vec::new();
    for path in paths {
        let word = Word {
            text: path.to_string_lossy().into_owned(),
            ..Word::default()
        };
        let told = telling(&word, cwd);
        if told || plain {
            let shown = format!("write {}", word.text);
            let act = if told {
                Act::Write { path: word }
            } else {
                Act::Touch {
                    path: word,
                    by: None,
                }
            };
            out.push(Action {
                shown,
                act,
                place: Place {
                    dir: cwd.map(Path::to_owned),
                    ..Place::default()
                },
                span: Span::default(),
            });
        }
    }
    out
}

struct Reader<'a> {
    command: &'a Command,
    dir: Option<&'a Path>,
    plain: bool,
    out: &'a mut Vec<Action>,
    /// How many acts may still be told.
    left: usize,
    /// The command for messages, once somebody needs it.
    shown: String,
}

impl Reader<'_> {
    /// Every file is an act of its own, so that many of them on one line are told to be many.
    fn push(&mut self, act: Act) {
        let act = match self.left {
            0 => return,
            1 => Act::Opaque(Unread {
                program: String::new(),
                part: "target",
                why: "it names more files than are judged in one command".to_owned(),
                span: self.command.span,
            }),
            _ => act,
        };
        self.left -= 1;
        if self.shown.is_empty() {
            self.shown = super::shown(self.command);
            if let Some((end, _)) = self.shown.char_indices().nth(SHOWN) {
                self.shown.truncate(end);
                self.shown.push('…');
            }
        }
        self.out.push(Action {
            act,
            place: super::place(self.command, self.dir),
            span: self.command.span,
            shown: self.shown.clone(),
        });
    }

    fn writes(&mut self, path: &Word) {
        if telling(path, self.dir) {
            self.push(Act::Write { path: path.clone() });
        } else {
            self.touches(path, None);
        }
    }

    fn touches(&mut self, path: &Word, by: Option<Alter>) {
        if self.plain && !path.text.starts_with("/dev/") {
            let path = path.clone();
            self.push(Act::Touch { path, by });
        }
    }

    fn alters(&mut self, path: &Word, by: Alter) {
        // Any directory may be a checkout.
        let whole = matches!(by, Alter::Remove { tree: true } | Alter::Move);
        let unknown = path.text.chars().all(super::is_mark);
        if (whole && !unknown) || telling(path, self.dir) {
            let path = path.clone();
            self.push(Act::Alter { path, by });
        } else {
            self.touches(path, Some(by));
        }
    }

    /// `from` goes to `to`, or into it.
    fn into(&mut self, from: &Word, to: &Word) {
        let name = from.text.trim_end_matches('/');
        let whole = name.len() < from.text.len() || name.ends_with("/.") || name == ".";
        let name = name.rsplit('/').next().unwrap_or(name);
        let word = Word {
            text: format!(
                "{}/{}",
                to.text.strip_suffix('/').unwrap_or(&to.text),
                if whole { "*" } else { name }
            ),
            glob: whole || from.glob || to.glob,
            opaque: from.opaque.max(to.opaque),
            span: to.span,
        };
        self.writes(&word);
    }

    fn program(&mut self, base: &str, takes: &Takes, does: Does) {
        let command = self.command;
        let words = command.words.get(1..).unwrap_or_default();
        let line = || Line::read(words, takes);
        match does {
            Does::Writes(skip) => {
                for word in line().operands.iter().skip(skip) {
                    self.writes(word);
                }
            }
            Does::Alters(by, skip) => {
                let line = line();
                let tree = base == "rm" && line.on(&["r", "R", "recursive"]).is_some();
                let by = if tree { Alter::Remove { tree } } else { by };
                // `chmod -x FILE`: the mode looks like options.
                let skip = match (base, words.first()) {
                    ("chmod", Some(w)) if minus_mode(&w.text) => 0,
                    _ if line.last(&["reference"]).is_some() => 0,
                    _ => skip,
                };
                for word in line.operands.iter().skip(skip) {
                    self.alters(word, by);
                }
            }
            // A dry run, or another machine's files.
            Does::Copies if base == "rsync" && leaves_alone(&line()) => {}
            Does::Moves | Does::Copies => {
                self.transfers(&line(), matches!(does, Does::Moves), base == "ln");
            }
            Does::Outputs(names) => {
                let line = line();
                for given in line.options.iter().filter(|o| names.contains(&o.name)) {
                    if let Some(value) = given.value {
                        self.writes(&Word {
                            text: value.to_owned(),
                            opaque: if given.unknown {
                                Opaque::One
                            } else {
                                Opaque::No
                            },
                            ..given.word.clone()
                        });
                    }
                }
            }
            Does::InPlace => {
                if words.iter().any(edits_in_place) {
                    let line = line();
                    for word in edited(base, &line) {
                        self.writes(word);
                    }
                }
            }
            Does::Dd => {
                for word in words {
                    if let Some(path) = word.text.strip_prefix("of=") {
                        self.writes(&Word {
                            text: path.to_owned(),
                            ..word.clone()
                        });
                    }
                }
            }
            Does::Patches => self.patches(&line()),
            Does::Find => self.find(words),
            Does::Unpacks(into) => self.unpacks(base, &line(), words, into),
        }
    }

    fn transfers(&mut self, line: &Line<'_>, moves: bool, links: bool) {
        let into = line.last(&["t", "target-directory"]).and_then(valued);
        let symbolic = line.on(&["s", "symbolic"]).is_some();
        let (from, to) = match (&into, line.operands.split_last()) {
            (Some(into), _) => (line.operands.as_slice(), into),
            (None, Some((to, from))) if !from.is_empty() => (from, *to),
            // `ln -s DIR/NAME` makes `NAME` here.
            (None, Some((one, _))) if links => {
                if !symbolic || telling(one, self.dir) {
                    self.writes(one);
                }
                return self.into(one, &here(self.command));
            }
            (None, _) => return,
        };
        for source in from {
            if moves {
                self.alters(source, Alter::Move);
            }
            // Through a link a file is written under another name. That of a symbolic one is found again
            // wherever the link is met.
            if links && (!symbolic || telling(source, self.dir)) {
                self.writes(source);
            }
            self.into(source, to);
        }
        self.writes(to);
        // `rsync --delete` removes what is there besides.
        if line.options.iter().any(|o| o.name.starts_with("delete")) {
            let by = Some(Alter::Remove { tree: true });
            self.touches(&below(to, "*"), by);
        }
    }

    /// `patch < FILE`, `patch -d DIR`, `patch FILE < FILE`.
    fn patches(&mut self, line: &Line<'_>) {
        let named = |names: &[&str]| line.last(names).and_then(valued);
        let dir = named(&["d", "directory"]);
        match (line.operands.first(), dir, named(&["o", "output"])) {
            (_, _, Some(file)) => self.writes(&file),
            (Some(file), None, _) => self.writes(file),
            (_, Some(dir), _) => self.writes(&below(&dir, "*")),
            (None, None, _) => self.writes(&below(&here(self.command), "*")),
        }
    }

    /// `tar -xf ARCHIVE -C DIR`, `tar xf ARCHIVE`, `unzip ARCHIVE -d DIR`.
    fn unpacks(&mut self, base: &str, line: &Line<'_>, words: &[Word], into: &[&str]) {
        let bundled = words.first().filter(|w| !w.text.starts_with('-'));
        let unpacks = base == "unzip"
            || line.on(&["x", "extract", "get"]).is_some()
            || bundled.is_some_and(|w| w.text.contains('x') && w.text.len() < 8);
        if !unpacks {
            return;
        }
        let given = line.last(into).and_then(valued);
        let dir = given.unwrap_or_else(|| here(self.command));
        self.writes(&below(&dir, "*"));
    }
}

/// Whether `rsync` writes no file of this machine.
fn leaves_alone(line: &Line<'_>) -> bool {
    let remote = |to: &&Word| {
        to.text
            .split('/')
            .next()
            .is_some_and(|part| part.contains(':'))
    };
    line.on(&["n", "dry-run", "list-only"]).is_some() || line.operands.last().is_some_and(remote)
}

/// The value of an option, as a word of its own.
fn valued(given: &Given<'_>) -> Option<Word> {
    Some(Word {
        text: given.value?.to_owned(),
        ..given.word.clone()
    })
}

/// The directory that a command runs in.
fn here(command: &Command) -> Word {
    Word {
        text: ".".to_owned(),
        span: command.span,
        ..Word::default()
    }
}

/// A pattern in a directory.
fn below(root: &Word, pattern: &str) -> Word {
    Word {
        text: format!("{}/{pattern}", root.text),
        glob: true,
        ..root.clone()
    }
}

/// Programs that remove, move or overwrite what their words name.
pub(super) fn ruins(program: &str) -> bool {
    matches!(
        program,
        "chmod" | "cp" | "ln" | "mv" | "rm" | "tee" | "truncate" | "unlink"
    )
}

/// `-x`, `-w`, `-rwx`: a mode that takes rights away.
fn minus_mode(text: &str) -> bool {
    text.strip_prefix('-')
        .is_some_and(|rest| !rest.is_empty() && rest.chars().all(|c| "rwxXst,=+-ugoa".contains(c)))
}

/// Whether `path`, seen from `dir`, may be a guarded file.
pub fn telling(path: &Word, dir: Option<&Path>) -> bool {
    let text = path.text.as_str();
    // `of=.git/HEAD`, `--output=.git/HEAD`.
    if text.split(['/', '=']).any(|part| guarded(part, path.glob)) {
        return true;
    }
    !text.starts_with('/')
        && dir
            .and_then(Path::to_str)
            .is_some_and(|dir| dir.split('/').any(|part| guarded(part, false)))
}

/// Whether a component of a path may lead to a guarded file.
fn guarded(part: &str, glob: bool) -> bool {
    match part.as_bytes() {
        [] | [b'.'] | [b'.', b'.'] => false,
        [b'.', ..] if glob && part.contains(['*', '?', '[']) => true,
        [b'.', b'g' | b'G', b'i' | b'I', b't' | b'T', ..] => true,
        [.., b'.', b'g', b'i', b't'] => true,
        [b'.' | b'c' | b'g' | b'o' | b'w', ..] if FOLDERS.binary_search(&part).is_ok() => true,
        bytes if bytes.len() >= 10 => part.starts_with("leaseguard"),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::action::testing::command;

    /// What `text` does to files, one a word: `-` removed, `>` written, `~` moved, `m` mode.
    fn told(text: &str) -> String {
        let mut out = Vec::new();
        let command = command(text);
        let base = command.words.first().map_or("", |w| w.text.as_str());
        read(base, &command, Some(Path::new("/repo")), false, &mut out);
        let told = out.iter().map(|a| match &a.act {
            Act::Write { path } => format!(">{}", path.text),
            Act::Alter { path, by } => {
                let mark = match by {
                    Alter::Remove { tree: true } => "--",
                    Alter::Remove { tree: false } => "-",
                    Alter::Move => "~",
                    Alter::Mode => "m",
                };
                format!("{mark}{}", path.text)
            }
            other => format!("{other:?}"),
        });
        told.collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn lists_that_are_searched_are_sorted() {
        assert!(FOLDERS.is_sorted());
        assert!(PROGRAMS.is_sorted_by_key(|(name, ..)| *name));
    }

    #[test]
    fn programs_tell_which_files_they_write() {
        for (text, want) in [
            ("rm -rf .git", "--.git"),
            ("rm .git/index.lock", "-.git/index.lock"),
            ("mv ../wt-a ../wt-old", "~../wt-a"),
            ("mv .git/hooks .git/h", "~.git/hooks >.git/h/hooks >.git/h"),
            (
                "cp x .git/hooks/pre-push",
                ">.git/hooks/pre-push/x >.git/hooks/pre-push",
            ),
            ("cp -t .git/hooks x", ">.git/hooks/x >.git/hooks"),
            ("cp .git/config /tmp/c", ""),
            ("chmod -x .git/hooks/pre-commit", "m.git/hooks/pre-commit"),
            ("chmod 644 .git/hooks/pre-commit", "m.git/hooks/pre-commit"),
            ("chmod a-x .git/hooks/pre-commit", "m.git/hooks/pre-commit"),
            ("sed -i s/a/b/ .git/config", ">.git/config"),
            ("sed -n p .git/config", ""),
            ("perl -pi -e s/a/b/ .git/config", ">.git/config"),
            ("perl -ne print .git/config", ""),
            ("dd if=x of=.git/HEAD", ">.git/HEAD"),
            (
                "curl -o .git/hooks/pre-push https://x.y/z",
                ">.git/hooks/pre-push",
            ),
            ("find .git -name '*.lock' -delete", "--.git/*.lock"),
            ("find .git -name '*.lock'", ""),
            ("find .git/hooks -type f -exec rm {} +", "-.git/hooks/*"),
            ("find . -name .git -exec rm -rf {} +", "--./.git"),
            ("find . -delete", "--."),
            ("find . -type d -empty -delete", ""),
            ("truncate -s 0 .git/index", ">.git/index"),
            ("cat .git/HEAD", ""),
            ("tee .git/HEAD", ">.git/HEAD"),
            ("tar -xzf a.tgz -C .git/hooks", ">.git/hooks/*"),
            ("tar xf a.tar --directory=.git", ">.git/*"),
            ("tar -xf a.tar -C build", ""),
            ("tar -czf a.tgz .git", ""),
            ("unzip -o a.zip -d .git", ">.git/*"),
            ("unzip a.zip", ""),
            ("ln -s .git/hooks h", ">.git/hooks"),
            ("ln -s .git/hooks", ">.git/hooks"),
        ] {
            assert_eq!(told(text), want, "{text}");
        }
    }

    #[test]
    fn more_files_than_are_judged_are_asked_about_and_cost_no_more() {
        for program in ["rm ", "tee ", "touch "] {
            let command = command(&format!("{program}{}", "a ".repeat(5000)));
            let base = command.words.first().map_or("", |w| w.text.as_str());
            let mut out = Vec::new();
            read(base, &command, Some(Path::new("/repo")), true, &mut out);
            assert_eq!(out.len(), MOST);
            let opaque = out.iter().filter(|a| matches!(a.act, Act::Opaque(_)));
            assert_eq!(opaque.count(), 1);
            assert!(out.iter().all(|a| a.shown.chars().count() <= SHOWN + 1));
        }
    }

    #[test]
    fn plain_files_are_not_worth_an_act() {
        for text in [
            "touch notes.md",
            "rm a.txt",
            "cp a b",
            "sed -i s/a/b/ src/x.rs",
            "tee out.log",
        ] {
            assert_eq!(told(text), "", "{text}");
        }
        assert!(
            writes(
                &[PathBuf::from("src/a.rs")],
                Some(Path::new("/repo")),
                false
            )
            .is_empty()
        );
        assert_eq!(writes(&[PathBuf::from(".git/HEAD")], None, false).len(), 1);
    }
}
