//! docker, podman and their kin: images that leave the machine.

use super::{Publish, Rehearsal, unread, verb, with, without};
use crate::action::Act;
use crate::action::words::{Given, Line, Takes, gnu};
use crate::shell::{Opaque, Word};

const IMAGE: &str = "upload an image to a registry";

const GLOBAL: Takes = gnu(
    "cHlfp",
    &[
        "context",
        "host",
        "config",
        "log-level",
        "tlscacert",
        "tlscert",
        "tlskey",
        "file",
        "project-name",
        "profile",
        "env-file",
        "project-directory",
        "ansi",
        "progress",
        "parallel",
        "builder",
        "connection",
        "url",
        "root",
        "runroot",
        "storage-driver",
        "namespace",
        "address",
    ],
);

const BUILD: Takes = gnu(
    "tfomc",
    &[
        "tag",
        "file",
        "output",
        "build-arg",
        "build-context",
        "platform",
        "target",
        "cache-from",
        "cache-to",
        "secret",
        "ssh",
        "label",
        "network",
        "builder",
        "iidfile",
        "metadata-file",
        "progress",
        "add-host",
        "allow",
        "annotation",
        "attest",
        "no-cache-filter",
        "provenance",
        "sbom",
        "shm-size",
        "ulimit",
        "set",
        "memory",
        "cpu-shares",
        "isolation",
        "call",
        "authfile",
        "creds",
        "profile",
        "list",
        "var",
        "tls-verify",
        "format",
    ],
);

/// Verb paths that upload.
const PUSHES: &[&[&str]] = &[
    &["push"],
    &["image", "push"],
    &["manifest", "push"],
    &["plugin", "push"],
    &["trust", "sign"],
    &["compose", "push"],
    &["buildx", "imagetools", "create"],
    &["imagetools", "create"],
];

/// Verb paths that build, and upload where they are told to.
const BUILDS: &[&[&str]] = &[
    &["build"],
    &["image", "build"],
    &["builder", "build"],
    &["buildx", "build"],
    &["buildx", "b"],
    &["buildx", "bake"],
    &["buildx", "f"],
    &["compose", "build"],
    &["bake"],
    &["bud"],
];

/// What a container tool would upload.
pub(super) fn read(name: &str, words: &[Word]) -> Vec<Act> {
    let line = Line::read(words, &GLOBAL);
    match verb(&line, PUSHES) {
        Ok(Some((n, word))) => {
            let path = PUSHES.get(n).copied().unwrap_or_default();
            return push(name, path, word, line.after(path.len().saturating_sub(1)));
        }
        Err(word) if word.opaque != Opaque::No => return vec![unread(name, word)],
        Ok(None) | Err(_) => {}
    }
    let Ok(Some((n, word))) = verb(&line, BUILDS) else {
        return Vec::new();
    };
    let path = BUILDS.get(n).copied().unwrap_or_default();
    let rest = Line::read(line.after(path.len().saturating_sub(1)), &BUILD);
    build(name, &path.join(" "), word, &rest)
}

fn push(name: &str, path: &[&str], word: &Word, words: &[Word]) -> Vec<Act> {
    let line = Line::read(
        words,
        &gnu(
            "tf",
            &[
                "tag",
                "file",
                "authfile",
                "creds",
                "format",
                "platform",
                "digestfile",
            ],
        ),
    );
    if line.asks_help() || line.surely(&["dry-run"]) {
        return Vec::new();
    }
    // What compose would push stands in its file.
    let images: Vec<&Word> = match path {
        ["compose", _] => Vec::new(),
        ["manifest", "push"] => line.operands.iter().rev().take(1).copied().collect(),
        _ => line.operands.clone(),
    };
    let targets: Vec<&str> = images
        .iter()
        .map(|w| w.text.as_str())
        .chain(line.values(&["t", "tag"]))
        .collect();
    if !targets.is_empty() && targets.iter().all(|t| is_local(t)) {
        return Vec::new();
    }
    let found = Publish::new(name, &path.join(" "), word, IMAGE);
    let rehearses = matches!(path, ["compose", _] | [.., "imagetools", "create"]);
    vec![Act::Publish(found.rehearsal(if rehearses {
        with(&line, word, "--dry-run")
    } else {
        None
    }))]
}

fn build(name: &str, path: &str, word: &Word, line: &Line<'_>) -> Vec<Act> {
    if line.asks_help() || line.surely(&["print"]) {
        return Vec::new();
    }
    let Some(option) = line.on(&["push"]).or_else(|| exports(line)) else {
        return Vec::new();
    };
    let mut tags = line.values(&["t", "tag"]).peekable();
    if tags.peek().is_some() && tags.all(is_local) {
        return Vec::new();
    }
    let shown = format!("{path} {}", super::spelled(&option.word.text));
    let mut found = Publish::new(name, &shown, word, IMAGE);
    found.how.span = option.word.span;
    let rehearsal = if option.name == "push" {
        without(option)
    } else {
        None
    };
    vec![Act::Publish(found.rehearsal(
        rehearsal.filter(|r| matches!(r, Rehearsal::Without(_))),
    ))]
}

/// `--output type=registry`, `-o type=image,push=true`, `--set *.output=type=registry`.
fn exports<'l, 'w>(line: &'l Line<'w>) -> Option<&'l Given<'w>> {
    line.options
        .iter()
        .filter(|o| matches!(o.name, "o" | "output" | "set"))
        .find(|o| {
            o.value.is_some_and(|v| {
                v.split([',']).any(|part| {
                    part == "push=true" || part == "push" || part.ends_with("type=registry")
                })
            })
        })
}

/// The registry runs on this machine.
pub(super) fn is_local(image: &str) -> bool {
    let image = image.split_once("://").map_or(image, |(_, rest)| rest);
    let Some((host, _)) = image.split_once('/') else {
        return false;
    };
    let name = host.rsplit_once(':').map_or(host, |(name, _)| name);
    matches!(
        name,
        "localhost" | "127.0.0.1" | "[::1]" | "host.docker.internal" | "kind-registry"
    )
}
