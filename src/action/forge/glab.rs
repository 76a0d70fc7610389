//! `glab`, GitLab's program.

use super::gh::{self, releases_by_name};
use super::{Deed, how, merge, named, refs, release, unread};
use crate::action::Act;
use crate::action::words::{Line, Takes, gnu};
use crate::shell::{Command, Opaque, Word};

const GLOBAL: Takes = gnu("Rg", &["repo", "group", "hostname"]);
const VERB: Takes = gnu(
    "Rmbs",
    &[
        "repo",
        "message",
        "squash-message",
        "sha",
        "branch",
        "ref",
        "defaultBranch",
        "description",
    ],
);

/// What `glab` would do.
pub(super) fn read(words: &[Word], command: &Command) -> Vec<Act> {
    let line = Line::read(words, &GLOBAL);
    let Some(group) = line.operands.first() else {
        return Vec::new();
    };
    if group.opaque != Opaque::No {
        return vec![unread("glab", "verb", group)];
    }
    if group.text == "api" {
        let rest = Line::read(line.after(0), &gh::API);
        return match rest.operands.first() {
            Some(target) if !rest.asks_help() => gh::request("glab api", &rest, target, command),
            _ => Vec::new(),
        };
    }
    let Some(verb) = line.operands.get(1) else {
        return Vec::new();
    };
    if verb.opaque != Opaque::No {
        let guarded = matches!(
            group.text.as_str(),
            "mr" | "merge" | "release" | "repo" | "project" | "stack"
        );
        return if guarded {
            vec![unread("glab", "verb", verb)]
        } else {
            Vec::new()
        };
    }
    let rest = Line::read(line.after(1), &VERB);
    if rest.asks_help() {
        return Vec::new();
    }
    let what = named("merge request", &rest, 0);
    let does = match verb.text.as_str() {
        "merge" | "accept" => format!("merge {what}"),
        "rebase" => format!("rewrite the branch of {what} on the forge"),
        _ => String::new(),
    };
    let Some(deed) = deed(&group.text, &verb.text, &does, &rest) else {
        return Vec::new();
    };
    vec![deed.act(
        how(format!("glab {} {}", group.text, verb.text), verb.span),
        None,
    )]
}

fn deed<'t>(group: &str, verb: &str, does: &'t str, line: &Line<'_>) -> Option<Deed<'t>> {
    Some(match (group, verb) {
        ("mr" | "merge", "merge" | "accept") => merge(does),
        ("mr" | "merge", "rebase") => refs(does),
        ("mr" | "merge", "delete" | "del") => refs("delete a merge request and its review").maybe(),
        ("release", "create" | "update") => release("publish or change a release"),
        ("release", "upload") => release("upload files to a release"),
        ("release", "delete") => release("take a release away from its users"),
        ("repo" | "project", "delete" | "transfer") => {
            refs("take a repository away from its users")
        }
        ("repo" | "project", "update") if line.on(&["defaultBranch", "archive"]).is_some() => {
            refs("change a repository for everybody")
        }
        ("ci" | "pipe" | "pipeline", "cancel") => {
            refs("stop a CI run that others may wait for").maybe()
        }
        ("ci" | "pipe" | "pipeline", "delete") => refs("delete the record of a CI run").maybe(),
        ("ci" | "pipe" | "pipeline", "trigger" | "play")
            if line
                .operands
                .first()
                .is_some_and(|w| releases_by_name(&w.text)) =>
        {
            release("start a job that releases").maybe()
        }
        ("stack", "sync") => {
            refs("push a stack of branches, by force where they were rebased").maybe()
        }
        ("deploy-key" | "securefile", _) => return None,
        _ => return None,
    })
}
