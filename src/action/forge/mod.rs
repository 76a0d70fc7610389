//! Programs that act on a forge: merges, refs, repositories and runs, past git and its hooks.

mod api;
mod gh;
mod glab;
mod graphql;
mod http;
mod stack;

pub(crate) use gh::releases_by_name;

use super::words::{Line, Takes, gnu, spelled};
use super::{Act, Action, How, Publish, Unread};
use crate::shell::{Command, OPAQUE, Opaque, Span, Word};

/// An act that a forge carries out.
#[derive(Debug, Clone)]
pub struct ForgeAct {
    /// Program and verb, or method and path: `gh pr merge`, `PUT repos/o/r/pulls/1/merge`.
    pub how: How,
    /// What that does, after "would": `merge pull request 12`.
    pub does: String,
    /// Why it is taken for that, where the words alone do not tell.
    pub fact: Option<String>,
    /// Branches that it names as targets, for programs that may push any.
    pub branches: Vec<String>,
    /// It is only possible.
    pub maybe: bool,
}

/// Which law an act on a forge falls under.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Merges into a base branch.
    Merge,
    /// Writes refs, repositories, runs or their protection.
    Refs,
    /// Releases.
    Publish,
}

/// A verb of a forge program, before it is known which law it falls under.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Deed<'t> {
    pub(crate) kind: Kind,
    pub(crate) does: &'t str,
    pub(crate) maybe: bool,
}

pub(crate) const fn merge(does: &str) -> Deed<'_> {
    Deed {
        kind: Kind::Merge,
        does,
        maybe: false,
    }
}

pub(crate) const fn refs(does: &str) -> Deed<'_> {
    Deed {
        kind: Kind::Refs,
        does,
        maybe: false,
    }
}

pub(crate) const fn release(does: &str) -> Deed<'_> {
    Deed {
        kind: Kind::Publish,
        does,
        maybe: false,
    }
}

impl Deed<'_> {
    pub(crate) const fn maybe(self) -> Self {
        Deed {
            maybe: true,
            ..self
        }
    }

    /// As an act that `how` makes happen.
    pub(crate) fn act(self, how: How, fact: Option<String>) -> Act {
        let Deed { kind, does, maybe } = self;
        let act = |does: &str| ForgeAct {
            how: how.clone(),
            does: does.to_owned(),
            fact: fact.clone(),
            branches: Vec::new(),
            maybe,
        };
        match kind {
            Kind::Merge => Act::ForgeMerge(act(does)),
            Kind::Refs => Act::ForgeRefs(act(does)),
            Kind::Publish => Act::Publish(Publish {
                how,
                does: does.to_owned(),
                fact,
                maybe,
                rehearsal: None,
            }),
        }
    }
}

/// What a command whose program is `name` would do on a forge.
pub(crate) fn read(name: &str, command: &Command) -> Vec<Act> {
    let words = command.words.get(1..).unwrap_or_default();
    match name {
        "gh" => gh::read(words, command),
        "glab" | "lab" => glab::read(words, command),
        "hub" if words.first().is_some_and(|w| w.text == "api") => gh::read(words, command),
        "curl" | "wget" | "http" | "https" | "xh" | "xhs" => http::read(name, words, command),
        _ if ["Invoke-RestMethod", "Invoke-WebRequest", "irm", "iwr"]
            .iter()
            .any(|n| n.eq_ignore_ascii_case(name)) =>
        {
            http::powershell(words)
        }
        _ => stack::read(name, words),
    }
}

const GIT: Takes = gnu("Cc", &["git-dir", "work-tree", "namespace", "config-env"]);

/// What git verbs that add-ons bring would do: `git town sync`, `git-town sync`.
pub(crate) fn git_verbs(base: &str, command: &Command, actions: &[Action]) -> Vec<Act> {
    let mut found = Vec::new();
    for action in actions {
        if let Act::UnknownVerb { words } = &action.act {
            found.extend(stack::external(words));
        }
    }
    let words = command.words.get(1..).unwrap_or_default();
    match base.strip_prefix("git-") {
        Some(verb) if found.is_empty() => found = stack::read(verb, words),
        // Where aliases cannot be read, an add-on is the likeliest meaning of its verb.
        None if found.is_empty() && actions.iter().any(|a| matches!(a.act, Act::Opaque(_))) => {
            found = stack::external(Line::read(words, &GIT).from(0));
        }
        _ => {}
    }
    found
}

/// `hub push` is `git push`: hub hands every verb that is not its own to git.
pub(crate) fn as_git(base: &str, command: &Command) -> Option<Command> {
    const OWN: &[&str] = &[
        "alias",
        "api",
        "browse",
        "ci-status",
        "compare",
        "create",
        "delete",
        "fork",
        "gist",
        "issue",
        "pr",
        "pull-request",
        "release",
        "sync",
    ];
    let own = command
        .words
        .iter()
        .skip(1)
        .find(|w| !w.text.starts_with('-'))
        .is_none_or(|w| OWN.contains(&w.text.as_str()));
    if base != "hub" || own {
        return None;
    }
    let mut command = command.clone();
    if let Some(program) = command.words.first_mut() {
        program.text = "git".to_owned();
    }
    Some(command)
}

/// True for a push option that makes the forge merge what is pushed (`git push -o …`), or for the
/// `%submit` of a Gerrit refspec.
pub fn merge_option(option: &str) -> bool {
    let option = option.trim();
    let (key, value) = option.split_once('=').unwrap_or((option, ""));
    let off = matches!(value, "false" | "0" | "no");
    matches!(
        key,
        "merge_request.merge_when_pipeline_succeeds"
            | "merge_request.auto_merge"
            | "submit"
            | "%submit"
    ) && !off
        || option
            .split_once('%')
            .is_some_and(|(_, magic)| magic.split(',').any(|m| m == "submit"))
}

/// What a GraphQL document would do that `program` sends to a forge.
pub(crate) fn document(program: &str, document: &str) -> Vec<Act> {
    let target = Word {
        text: "graphql".to_owned(),
        ..Word::default()
    };
    let body = api::Body::Query(document.to_owned());
    api::judge(&api::Request {
        program,
        method: Some("POST"),
        target: &target,
        body,
        known_host: true,
    })
}

/// A word that stands where a program reads its verb or target and is not known before the run.
pub(crate) fn unread(program: &str, part: &'static str, word: &Word) -> Act {
    Act::Opaque(Unread {
        program: program.to_owned(),
        part,
        why: format!(
            "the word `{}` stands where `{program}` reads its {part}",
            spelled(&word.text)
        ),
        span: word.span,
    })
}

pub(crate) fn how(text: impl Into<String>, span: Span) -> How {
    How {
        text: text.into(),
        span,
    }
}

/// An unknown word, for what a forge program chooses itself.
pub(crate) fn chosen() -> Word {
    Word {
        text: OPAQUE.into(),
        opaque: Opaque::One,
        ..Word::default()
    }
}

/// The thing that an operand names, for messages: `` pull request `12` ``.
pub(crate) fn named(what: &str, line: &Line<'_>, n: usize) -> String {
    match line.operands.get(n) {
        Some(word) => format!("{what} `{}`", spelled(&word.text)),
        None => format!("the {what} of this branch"),
    }
}

#[cfg(test)]
mod tests;
