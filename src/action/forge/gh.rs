//! `gh`, GitHub's program.

use super::api::{self, Body, Request};
use super::{Deed, chosen, how, merge, named, refs, release, unread};
use crate::action::words::{Line, Takes, gnu, spelled};
use crate::action::{Act, Discard, Loses, Reach, Switch, Undoes};
use crate::shell::{Command, Opaque, Stdin, Word};

/// Options that may stand before and between verbs.
const GLOBAL: Takes = gnu("R", &["repo", "hostname"]);
const PR: Takes = gnu(
    "RbtFAcm",
    &[
        "repo",
        "body",
        "subject",
        "body-file",
        "author-email",
        "match-head-commit",
        "comment",
        "branch",
    ],
);
const CHECKOUT: Takes = gnu("Rb", &["repo", "branch"]);
const REPO: Takes = gnu(
    "bsdhtlgir",
    &[
        "branch",
        "source",
        "description",
        "default-branch",
        "visibility",
        "homepage",
        "remote",
        "add-topic",
        "remove-topic",
    ],
);
pub(super) const API: Takes = gnu(
    "XfFHqtp",
    &[
        "method",
        "field",
        "raw-field",
        "header",
        "jq",
        "template",
        "input",
        "cache",
        "preview",
        "hostname",
    ],
);

/// Groups that hold a guarded verb; an unknown verb in another group is nobody's business.
const GROUPS: &[&str] = &[
    "pr", "release", "repo", "run", "workflow", "api", "alias", "co",
];

/// What `gh` would do.
pub(super) fn read(words: &[Word], command: &Command) -> Vec<Act> {
    let line = Line::read(words, &GLOBAL);
    let Some(group) = line.operands.first() else {
        return Vec::new();
    };
    if group.opaque != Opaque::No {
        return vec![unread("gh", "verb", group)];
    }
    match group.text.as_str() {
        "api" => return api(line.after(0), command),
        "co" => return checkout(line.after(0)),
        "alias" => return alias(&line),
        _ if !GROUPS.contains(&group.text.as_str()) => return Vec::new(),
        _ => {}
    }
    let Some(verb) = line.operands.get(1) else {
        return Vec::new();
    };
    if verb.opaque != Opaque::No {
        return vec![unread("gh", "verb", verb)];
    }
    let words = line.after(1);
    let path = format!("gh {} {}", group.text, verb.text);
    let acts = match group.text.as_str() {
        "pr" => return pull_request(verb, &path, words),
        "repo" => return repository(verb, &path, words),
        "release" => releases(&verb.text),
        "run" => runs(&verb.text),
        "workflow" => return workflow(verb, &path, words),
        _ => None,
    };
    let plain = Line::read(words, &gnu("", &[]));
    match acts {
        Some(deed) if !plain.asks_help() => vec![deed.act(how(path, verb.span), None)],
        _ => Vec::new(),
    }
}

fn releases(verb: &str) -> Option<Deed<'static>> {
    match verb {
        "create" | "new" => Some(release("publish a release")),
        "edit" => Some(release("change a published release")),
        "upload" => Some(release("upload files to a release")),
        "delete" | "delete-asset" => {
            Some(release("take a release or its files away from its users"))
        }
        _ => None,
    }
}

fn runs(verb: &str) -> Option<Deed<'static>> {
    match verb {
        "cancel" => Some(refs("stop a CI run that others may wait for").maybe()),
        "delete" => Some(refs("delete the record of a CI run").maybe()),
        _ => None,
    }
}

fn pull_request(verb: &Word, path: &str, words: &[Word]) -> Vec<Act> {
    if verb.text == "checkout" {
        return checkout(words);
    }
    let line = Line::read(words, &PR);
    if line.asks_help() {
        return Vec::new();
    }
    let what = named("pull request", &line, 0);
    match verb.text.as_str() {
        // Taking an auto-merge back merges nothing.
        "merge" if line.surely(&["disable-auto"]) => Vec::new(),
        "merge" => vec![merge(&format!("merge {what}")).act(how(path, verb.span), None)],
        "update-branch" => vec![
            refs(&format!("move the head of {what} on the forge")).act(how(path, verb.span), None),
        ],
        "close" => line
            .on(&["delete-branch", "d"])
            .map(|o| {
                refs(&format!("delete the branch of {what}"))
                    .act(how(format!("{path} {}", o.word.text), o.word.span), None)
            })
            .into_iter()
            .collect(),
        _ => Vec::new(),
    }
}

/// `gh pr checkout N [-b NAME] [-f] [--detach]`: git's switch to a branch that only the forge names.
fn checkout(words: &[Word]) -> Vec<Act> {
    let line = Line::read(words, &CHECKOUT);
    if line.asks_help() || (line.operands.is_empty() && line.options.is_empty()) {
        return Vec::new();
    }
    let to = match line.last(&["branch", "b"]) {
        Some(option) if !option.unknown => Word {
            text: option.value.unwrap_or_default().to_owned(),
            span: option.word.span,
            ..Word::default()
        },
        _ => chosen(),
    };
    let mut acts = Vec::new();
    if let Some(force) = line.on(&["force", "f"]) {
        acts.push(Act::Discard(Discard {
            how: how(
                format!("gh pr checkout {}", force.word.text),
                force.word.span,
            ),
            reach: Reach::Tree,
            loses: Loses::Edits,
            to: None,
            ambiguous: false,
            undoes: Undoes::Both,
            from: None,
            settles: false,
            deep: false,
            here: false,
        }));
    }
    let detach = line.on(&["detach"]).is_some();
    acts.push(Act::Switch(Switch {
        to: Some(to),
        detach,
        ..Switch::default()
    }));
    acts
}

fn repository(verb: &Word, path: &str, words: &[Word]) -> Vec<Act> {
    let line = Line::read(words, &REPO);
    if line.asks_help() {
        return Vec::new();
    }
    let what = match line.operands.first() {
        Some(word) => format!("the repository `{}`", spelled(&word.text)),
        None => "this repository".to_owned(),
    };
    let act = |deed: Deed<'_>| vec![deed.act(how(path, verb.span), None)];
    let option = |names: &[&str], does: String| match line.on(names) {
        Some(o) => vec![refs(&does).act(how(format!("{path} {}", o.word.text), o.word.span), None)],
        None => Vec::new(),
    };
    match verb.text.as_str() {
        "delete" => act(refs(&format!(
            "delete {what}, with all that others keep there"
        ))),
        "archive" => act(refs(&format!("close {what} to all writing"))),
        "unarchive" | "rename" => act(refs(&format!("change {what} for everybody"))),
        "edit" => option(
            &["visibility", "default-branch"],
            format!("change {what} for everybody"),
        ),
        "sync" => match line.operands.first() {
            Some(_) => act(refs(&format!("move a branch of {what} on the forge"))),
            None => option(
                &["force"],
                "reset a branch to its source, whatever it holds".to_owned(),
            ),
        },
        "create" | "new" => match line.on(&["push"]) {
            Some(o) => vec![
                refs("push to a new repository")
                    .maybe()
                    .act(how(format!("{path} {}", o.word.text), o.word.span), None),
            ],
            None => Vec::new(),
        },
        // What is cloned is a place of which nothing is known.
        "clone" => {
            let dir = line
                .operands
                .get(1)
                .map(|w| (*w).clone())
                .or_else(|| line.operands.first().map(|w| directory(w)));
            vec![Act::NewRepository { dir, branch: None }]
        }
        _ => Vec::new(),
    }
}

/// The directory that `gh repo clone OWNER/NAME` makes.
fn directory(repository: &Word) -> Word {
    let name = repository
        .text
        .trim_end_matches('/')
        .rsplit(['/', ':'])
        .next()
        .unwrap_or_default();
    Word {
        text: name.strip_suffix(".git").unwrap_or(name).to_owned(),
        ..repository.clone()
    }
}

fn workflow(verb: &Word, path: &str, words: &[Word]) -> Vec<Act> {
    let line = Line::read(words, &gnu("RrfF", &["repo", "ref", "field", "raw-field"]));
    if line.asks_help() {
        return Vec::new();
    }
    let deed = match verb.text.as_str() {
        "run"
            if line
                .operands
                .first()
                .is_some_and(|w| releases_by_name(&w.text)) =>
        {
            release("start a workflow that releases").maybe()
        }
        "disable" => refs("switch a workflow off for everybody").maybe(),
        _ => return Vec::new(),
    };
    vec![deed.act(how(path, verb.span), None)]
}

/// A workflow whose name has the word for releasing in it, or an unknown part.
pub(crate) fn releases_by_name(workflow: &str) -> bool {
    let mut words = workflow
        .split(|c: char| !c.is_alphanumeric())
        .map(str::to_ascii_lowercase);
    words.any(|w| {
        matches!(
            w.as_str(),
            "release"
                | "releases"
                | "publish"
                | "deploy"
                | "deployment"
                | "promote"
                | "ship"
                | "rollback"
                | "production"
        )
    })
}

/// `gh alias set NAME EXPANSION`: what the alias would do, as a question.
fn alias(line: &Line<'_>) -> Vec<Act> {
    let (Some("set"), Some(expansion)) = (line.operand(1), line.operands.get(3)) else {
        return Vec::new();
    };
    let Some(text) = expansion.known() else {
        return Vec::new();
    };
    let words: Vec<Word> = text
        .trim_start_matches('!')
        .split_ascii_whitespace()
        .map(|t| Word {
            text: t.trim_matches(['"', '\'']).to_owned(),
            span: expansion.span,
            ..Word::default()
        })
        .collect();
    let skip = usize::from(words.first().is_some_and(|w| w.text == "gh"));
    // An alias of an alias is not followed here.
    if words.get(skip).is_some_and(|w| w.text == "alias") {
        return Vec::new();
    }
    let mut acts = read(words.get(skip..).unwrap_or_default(), &Command::default());
    acts.retain(|a| matches!(a, Act::ForgeMerge(_) | Act::ForgeRefs(_) | Act::Publish(_)));
    for act in &mut acts {
        match act {
            Act::ForgeMerge(act) | Act::ForgeRefs(act) => act.maybe = true,
            Act::Publish(act) => act.maybe = true,
            _ => {}
        }
    }
    acts
}

/// `gh api [-X METHOD] PATH [-f …]`.
fn api(words: &[Word], command: &Command) -> Vec<Act> {
    let line = Line::read(words, &API);
    if line.asks_help() {
        return Vec::new();
    }
    let Some(target) = line.operands.first() else {
        return Vec::new();
    };
    request("gh api", &line, target, command)
}

/// A call of `gh api` or `glab api`.
pub(super) fn request(
    program: &str,
    line: &Line<'_>,
    target: &Word,
    command: &Command,
) -> Vec<Act> {
    let fields: Vec<&str> = line.values(&["f", "F", "field", "raw-field"]).collect();
    let sends = !fields.is_empty() || line.last(&["input"]).is_some();
    let method = match line.last(&["X", "method"]) {
        Some(option) if option.unknown => None,
        Some(option) => Some(option.value.unwrap_or_default()),
        None if sends => Some("POST"),
        None => Some("GET"),
    };
    let mut body = Body::None;
    for (key, value) in fields.iter().filter_map(|f| f.split_once('=')) {
        if key == "query" {
            body = match value {
                "@-" => piped(command),
                // `-f` would send the text `@file` itself, which is no query.
                _ if value.starts_with('@') => Body::Unknown,
                _ => Body::Query(value.to_owned()),
            };
        }
    }
    match line.last(&["input"]).and_then(|o| o.value) {
        Some("-") => body = api::json(piped(command)),
        Some(_) => body = Body::Unknown,
        None => {}
    }
    api::judge(&Request {
        program,
        method,
        target,
        body,
        known_host: true,
    })
}

/// What stands on standard input, if it is known.
pub(super) fn piped(command: &Command) -> Body {
    match &command.stdin {
        Stdin::Text(word) => Body::Query(word.text.clone()),
        _ => Body::Unknown,
    }
}
