//! Programs that release: to a registry, a store, a cluster or a cloud.

mod build;
mod cluster;
mod container;
mod node;
mod table;

use super::words::{Given, Line, Spells, spelled, spells};
use super::{Act, How, Unread, basename};
use crate::shell::{Command, Word};

/// How deep runners (`npx`, `python -m`) may lead to each other.
const DEPTH: usize = 4;

/// Something would be released, or a running system changed.
#[derive(Debug, Clone)]
pub struct Publish {
    /// Program and verb: `npm publish`, `docker build --push`.
    pub how: How,
    /// What that does, after "would": `upload a package to its registry`.
    pub does: String,
    /// Why it is taken for that, where the words alone do not tell.
    pub fact: Option<String>,
    /// It is only possible.
    pub maybe: bool,
    /// The harmless form of the same command.
    pub rehearsal: Option<Rehearsal>,
}

/// How a command is made harmless.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Rehearsal {
    /// The word at this place, reading so, becomes this text.
    Swap(How, String),
    /// Without this word.
    Without(How),
}

impl Publish {
    fn new(program: &str, verb: &str, word: &Word, does: &str) -> Publish {
        Publish {
            how: How {
                text: format!("{program} {verb}").trim_end().to_owned(),
                span: word.span,
            },
            does: does.to_owned(),
            fact: None,
            maybe: false,
            rehearsal: None,
        }
    }

    fn fact(mut self, fact: impl Into<String>) -> Publish {
        self.fact = Some(fact.into());
        self
    }

    fn maybe(mut self, maybe: bool) -> Publish {
        self.maybe |= maybe;
        self
    }

    fn rehearsal(mut self, rehearsal: Option<Rehearsal>) -> Publish {
        self.rehearsal = rehearsal;
        self
    }
}

/// What a command whose program is `name` would release.
pub(crate) fn read(name: &str, command: &Command) -> Vec<Act> {
    program(name, command.words.get(1..).unwrap_or_default(), DEPTH)
}

/// The same for a program and its arguments.
fn program(name: &str, words: &[Word], depth: usize) -> Vec<Act> {
    let name = bare(name);
    let Some(deeper) = depth.checked_sub(1) else {
        return Vec::new();
    };
    if let Some(module) = python(name, words) {
        let (module, rest) = module;
        return program(&module, rest, deeper);
    }
    if let Some(inner) = node::runs(name, words) {
        return package(inner, deeper);
    }
    match name {
        "npm" | "pnpm" | "yarn" | "yarnpkg" | "bun" => node::read(name, words),
        "docker" | "podman" | "nerdctl" | "buildah" | "docker-compose" | "podman-compose" => {
            container::read(name, words)
        }
        "kubectl" | "oc" | "helm" | "helmfile" | "skaffold" => cluster::read(name, words),
        "mvn" | "mvnw" | "gradle" | "gradlew" | "sbt" | "python-setup" => build::read(name, words),
        _ => table::read(name, words),
    }
}

/// `npm.cmd` is `npm`.
fn bare(name: &str) -> &str {
    [".cmd", ".bat", ".ps1"]
        .iter()
        .find_map(|end| name.strip_suffix(end))
        .unwrap_or(name)
}

/// A package that a runner starts: `semantic-release@22`, `@changesets/cli`.
fn package(words: &[Word], depth: usize) -> Vec<Act> {
    let Some((first, rest)) = words.split_first() else {
        return Vec::new();
    };
    let Some(text) = first.known() else {
        return Vec::new();
    };
    let versioned = text
        .char_indices()
        .skip(1)
        .find(|(_, c)| *c == '@')
        .map(|(i, _)| i);
    let name = versioned.and_then(|i| text.get(..i)).unwrap_or(text);
    let name = if name.starts_with('@') {
        name
    } else {
        basename(name)
    };
    program(name, rest, depth)
}

/// `python -m MODULE …` and `python setup.py …`, as a program of their own.
fn python<'w>(name: &str, words: &'w [Word]) -> Option<(String, &'w [Word])> {
    let version = name
        .strip_prefix("python")
        .or_else(|| name.strip_prefix("pypy"));
    let version = version.or_else(|| (name == "py").then_some(""))?;
    if !version
        .chars()
        .all(|c| c.is_ascii_digit() || c == '.' || c == 'w')
    {
        return None;
    }
    let mut at = 0;
    while let Some(word) = words.get(at) {
        at += 1;
        let text = word.text.as_str();
        if text == "setup.py" || text.ends_with("/setup.py") {
            return Some(("python-setup".to_owned(), words.get(at..)?));
        }
        let letters = text.strip_prefix('-')?;
        for (i, letter) in letters.char_indices() {
            let rest = letters.get(i + 1..).unwrap_or_default();
            match letter {
                'm' if rest.is_empty() => {
                    let module = words.get(at)?.known()?;
                    return Some((module.replace('_', "-"), words.get(at + 1..)?));
                }
                'm' => return Some((rest.replace('_', "-"), words.get(at..)?)),
                'c' => return None,
                'W' | 'X' => {
                    at += usize::from(rest.is_empty());
                    break;
                }
                _ => {}
            }
        }
    }
    None
}

/// A word that stands where a program reads its verb and is not known before the run.
fn unread(program: &str, word: &Word) -> Act {
    Act::Opaque(Unread {
        program: program.to_owned(),
        part: "verb",
        why: format!(
            "the word `{}` stands where `{program}` reads its verb",
            spelled(&word.text)
        ),
        span: word.span,
    })
}

fn how(word: &Word) -> How {
    How {
        text: spelled(&word.text),
        span: word.span,
    }
}

/// `verb` becomes `verb --dry-run` and the like, unless the line says something of it already.
fn with(line: &Line<'_>, word: &Word, flag: &str) -> Option<Rehearsal> {
    let name =
        |option: &Given<'_>| option.name.strip_prefix("no-").unwrap_or(option.name) == "dry-run";
    if line.options.iter().any(name) {
        return None;
    }
    let word = how(word);
    let text = format!("{} {flag}", word.text);
    Some(Rehearsal::Swap(word, text))
}

/// The command without an option that has a word of its own.
fn without(option: &Given<'_>) -> Option<Rehearsal> {
    option
        .word
        .text
        .starts_with("--")
        .then(|| Rehearsal::Without(option.how()))
}

/// Finds the verb path of `paths` that a line spells: its index and last word, or the word that is
/// unknown.
fn verb<'w>(line: &Line<'w>, paths: &[&[&str]]) -> Result<Option<(usize, &'w Word)>, &'w Word> {
    let mut unknown = None;
    for (n, path) in paths.iter().enumerate() {
        match spells(&line.operands, path) {
            Spells::All(word) => return Ok(Some((n, word))),
            Spells::Perhaps(word) => unknown = Some(word),
            Spells::No => {}
        }
    }
    unknown.map_or(Ok(None), Err)
}
