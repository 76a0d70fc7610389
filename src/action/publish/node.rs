//! npm, pnpm, yarn and bun: publishing, and the packages that they run.

use super::{Publish, unread, verb, with};
use crate::action::Act;
use crate::action::words::{Line, Takes, gnu};
use crate::shell::Word;

const VERBS: &[&str] = &[
    "access",
    "add",
    "adduser",
    "audit",
    "bin",
    "bugs",
    "cache",
    "ci",
    "completion",
    "config",
    "create",
    "dedupe",
    "deprecate",
    "dev",
    "diff",
    "dist-tag",
    "dlx",
    "docs",
    "doctor",
    "edit",
    "exec",
    "explain",
    "explore",
    "fetch",
    "fund",
    "get",
    "help",
    "hook",
    "i",
    "import",
    "info",
    "init",
    "install",
    "install-test",
    "it",
    "licenses",
    "link",
    "list",
    "ll",
    "ln",
    "login",
    "logout",
    "ls",
    "multi",
    "node",
    "npm",
    "org",
    "outdated",
    "owner",
    "pack",
    "ping",
    "pkg",
    "plugin",
    "pm",
    "prefix",
    "profile",
    "prune",
    "publish",
    "query",
    "rebuild",
    "recursive",
    "remove",
    "repo",
    "restart",
    "rm",
    "root",
    "run",
    "run-script",
    "sbom",
    "search",
    "set",
    "shrinkwrap",
    "star",
    "start",
    "stop",
    "store",
    "t",
    "tag",
    "team",
    "test",
    "token",
    "tst",
    "un",
    "uninstall",
    "unlink",
    "unpublish",
    "up",
    "update",
    "upgrade",
    "version",
    "view",
    "whoami",
    "why",
    "workspace",
    "workspaces",
    "x",
    "build",
    "constraints",
    "patch",
    "rebuild",
    "set-script",
    "c",
];

const LONG: &[&str] = &[
    "workspace",
    "prefix",
    "registry",
    "tag",
    "access",
    "otp",
    "userconfig",
    "globalconfig",
    "cache",
    "loglevel",
    "script-shell",
    "call",
    "package",
    "auth-type",
    "provenance-file",
    "omit",
    "include",
    "scope",
    "dir",
    "filter",
    "filter-prod",
    "workspace-concurrency",
    "reporter",
    "publish-branch",
    "test-pattern",
    "changed-files-ignore-pattern",
    "cwd",
    "config",
    "from",
    "since",
    "exclude",
    "jobs",
    "new-version",
    "modules-folder",
    "cache-folder",
    "use-yarnrc",
    "mutex",
    "message",
];

const NPM: Takes = gnu("wC", LONG).verbs(VERBS);
const PNPM: Takes = gnu("CF", LONG).verbs(VERBS);
const YARN: Takes = gnu("", LONG).verbs(VERBS);
const EACH: Takes = gnu("j", LONG);
const RUNNER: Takes = gnu(
    "pcwF",
    &[
        "package",
        "call",
        "workspace",
        "filter",
        "cwd",
        "prefix",
        "dir",
        "from",
        "python",
        "with",
        "spec",
    ],
);

const UPLOAD: &str = "upload a package to its registry";
const REMOVE: &str = "take a package or version away from its users";
const TAG: &str = "change which version of a package people install";

/// What each verb path does, and whether it knows `--dry-run`.
const PATHS: &[(&[&str], &str, bool)] = &[
    (&["pu|blish"], UPLOAD, true),
    (&["recursive", "publish"], UPLOAD, true),
    (&["multi", "publish"], UPLOAD, true),
    (&["unp|ublish"], REMOVE, true),
    (&["dep|recate"], REMOVE, true),
    (&["dis|t-tags", "add"], TAG, false),
    (&["dis|t-tags", "set"], TAG, false),
    (&["dis|t-tags", "rm"], TAG, false),
    (&["dis|t-tags", "r"], TAG, false),
];

const YARN_PATHS: &[(&[&str], &str, bool)] = &[
    // yarn 1 knows no rehearsal and publishes all the same.
    (&["publish"], UPLOAD, false),
    (&["npm", "publish"], UPLOAD, true),
    (&["npm", "tag", "add"], TAG, false),
    (&["npm", "tag", "remove"], TAG, false),
    (&["tag", "add"], TAG, false),
    (&["tag", "remove"], TAG, false),
    (&["tag", "rm"], TAG, false),
    (&["unpublish"], REMOVE, false),
];

/// The package and its arguments that a runner starts (`npx`, `pnpm dlx`, `yarn LOCAL-BINARY`).
pub(super) fn runs<'w>(name: &str, words: &'w [Word]) -> Option<&'w [Word]> {
    let (takes, runners): (Takes, &[&str]) = match name {
        "npx" | "bunx" | "pnpx" | "uvx" => return Some(Line::read(words, &RUNNER).from(0)),
        "npm" => (NPM, &["x", "exec"]),
        "pnpm" => (PNPM, &["dlx", "exec", "x"]),
        "yarn" | "yarnpkg" => (YARN, &["dlx", "exec"]),
        "bun" => (YARN, &["x"]),
        "pipx" => (gnu("", &["spec"]), &["run"]),
        "uv" => (gnu("", &[]), &["run"]),
        _ => return None,
    };
    let line = Line::read(words, &takes);
    if name == "uv" && line.operand(0) == Some("tool") && line.operand(1) == Some("run") {
        return Some(Line::read(line.after(1), &RUNNER).from(0));
    }
    let first = line.operand(0)?;
    if runners.contains(&first) {
        return Some(Line::read(line.after(0), &RUNNER).from(0));
    }
    // A word that is no verb is a script or a program of the package.
    (matches!(name, "yarn" | "yarnpkg" | "pnpm") && !VERBS.contains(&first)).then(|| line.from(0))
}

/// What npm and its kin would publish.
pub(super) fn read(name: &str, words: &[Word]) -> Vec<Act> {
    match name {
        "npm" => publish(name, words, &NPM, PATHS),
        "yarn" | "yarnpkg" => yarn(words, 2),
        _ => publish(name, words, &PNPM, PATHS),
    }
}

fn yarn(words: &[Word], depth: usize) -> Vec<Act> {
    let line = Line::read(words, &YARN);
    let inner = match (line.operand(0), line.operand(1)) {
        (Some("workspace"), _) => line.after(1),
        (Some("workspaces"), Some("foreach")) => Line::read(line.after(1), &EACH).from(0),
        _ => return publish("yarn", words, &YARN, YARN_PATHS),
    };
    match depth.checked_sub(1) {
        Some(deeper) => yarn(inner, deeper),
        None => Vec::new(),
    }
}

fn publish(
    name: &str,
    words: &[Word],
    takes: &Takes,
    paths: &[(&[&str], &'static str, bool)],
) -> Vec<Act> {
    let line = Line::read(words, takes);
    let spelled: Vec<&[&str]> = paths.iter().map(|(path, ..)| *path).collect();
    let (n, word) = match verb(&line, &spelled) {
        Ok(Some(found)) => found,
        Ok(None) => return Vec::new(),
        // `npm dist-tag $X` may as well list.
        Err(word) => return vec![unread(name, word)],
    };
    let Some((path, does, rehearses)) = paths.get(n) else {
        return Vec::new();
    };
    // Only npm takes shortened verbs.
    if name != "npm" && path.len() == 1 && line.operand(0).is_some_and(|w| !VERBS.contains(&w)) {
        return Vec::new();
    }
    if line.asks_help() || (*rehearses && line.surely(&["dry-run"])) {
        return Vec::new();
    }
    let shown: Vec<&str> = line
        .operands
        .iter()
        .take(path.len())
        .map(|w| w.text.as_str())
        .collect();
    let found = Publish::new(name, &shown.join(" "), word, does);
    let found = found.rehearsal(if *rehearses {
        with(&line, word, "--dry-run")
    } else {
        None
    });
    vec![Act::Publish(found)]
}
