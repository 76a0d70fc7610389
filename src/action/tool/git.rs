//! Tools of git servers, as the git command line that they stand for.

use super::{flag, text};
use crate::action::git::split_alias;
use serde_json::Value;
use std::path::PathBuf;

const DIRS: &[&str] = &[
    "repo_path",
    "repoPath",
    "repository_path",
    "path",
    "directory",
    "repository",
    "working_directory",
    "workingDirectory",
    "cwd",
    "repo",
];

/// Options whose JSON key is on, as git spells them.
type Flags = &'static [(&'static [&'static str], &'static str)];

const PUSH: Flags = &[
    (&["force"], "--force"),
    (
        &["forceWithLease", "force_with_lease"],
        "--force-with-lease",
    ),
    (&["delete"], "--delete"),
    (&["tags"], "--tags"),
    (&["all"], "--all"),
    (&["mirror"], "--mirror"),
    (&["prune"], "--prune"),
    (&["dryRun", "dry_run"], "--dry-run"),
    (&["setUpstream", "set_upstream"], "--set-upstream"),
    (
        &["noVerify", "no_verify", "skipHooks", "skip_hooks"],
        "--no-verify",
    ),
];
const COMMIT: Flags = &[
    (&["amend"], "--amend"),
    (&["all", "stageAll", "stage_all"], "--all"),
    (
        &["noVerify", "no_verify", "skipHooks", "skip_hooks"],
        "--no-verify",
    ),
    (&["noGpgSign", "no_gpg_sign"], "--no-gpg-sign"),
    (&["allowEmpty", "allow_empty"], "--allow-empty"),
];
const ADD: Flags = &[
    (&["all"], "--all"),
    (&["update"], "--update"),
    (&["force"], "--force"),
    (&["dryRun", "dry_run"], "--dry-run"),
];
const CHECKOUT: Flags = &[(&["force"], "--force"), (&["detach"], "--detach")];
const CLEAN: Flags = &[
    (&["force"], "--force"),
    (&["dryRun", "dry_run"], "--dry-run"),
    (&["directories"], "-d"),
    (&["ignored", "includeIgnored"], "-x"),
];
const INTEGRATE: Flags = &[
    (&["squash"], "--squash"),
    (&["abort"], "--abort"),
    (&["noCommit", "no_commit"], "--no-commit"),
    (&["rebase"], "--rebase"),
    (&["continue"], "--continue"),
    (&["noVerify", "no_verify"], "--no-verify"),
];
const FORCE: Flags = &[(&["force"], "--force")];

/// Whether a tool is one of a git server.
pub(super) fn is_tool(server: &str, name: &str) -> bool {
    name.starts_with("git_") && name.len() > 4
        || server.split('_').any(|w| w == "git") && VERBS.contains(&name)
        || matches!(
            name,
            "git" | "run_git" | "run_git_command" | "execute_git" | "execute_git_command"
        )
}

const VERBS: &[&str] = &[
    "push", "commit", "add", "reset", "checkout", "switch", "restore", "clean", "stash", "branch",
    "merge", "rebase", "pull", "tag", "worktree", "remote", "rm",
];

/// The directory that the input names.
pub(super) fn dir(value: &Value) -> Option<PathBuf> {
    text(value, DIRS).map(PathBuf::from)
}

/// The command lines that a tool stands for, git's name included; `None` for tools that only read.
pub(super) fn argv(name: &str, value: &Value) -> Option<Vec<Vec<String>>> {
    let verb = name.strip_prefix("git_").unwrap_or(name);
    let mode = text(
        value,
        &["mode", "operation", "action", "subcommand", "method"],
    )
    .unwrap_or_default();
    let line = |words: Vec<String>| {
        Some(vec![
            std::iter::once("git".to_owned()).chain(words).collect(),
        ])
    };
    let mut words = vec![verb.to_owned()];
    match verb {
        "git"
        | "command"
        | "exec"
        | "run"
        | "run_git"
        | "run_git_command"
        | "execute_git"
        | "execute_git_command" => return free(value),
        "push" => {
            words.extend(flags(value, PUSH));
            let remote = text(value, &["remote"]);
            let local = text(
                value,
                &["branch", "refspec", "ref", "branchName", "branch_name"],
            );
            let there = text(value, &["remoteBranch", "remote_branch"]);
            if remote.is_some() || local.is_some() {
                words.push(remote.unwrap_or("origin").to_owned());
            }
            words.extend(match (local, there) {
                (local, Some(there)) => Some(format!("{}:{there}", local.unwrap_or("HEAD"))),
                (local, None) => local.map(str::to_owned),
            });
            words.extend(list(value, &["refspecs", "branches"]));
        }
        "add" | "stage" | "add_or_commit" if mode != "commit" => {
            "add".clone_into(words.first_mut()?);
            words.extend(flags(value, ADD));
            paths(&mut words, value);
        }
        "commit" | "add_or_commit" => {
            let files = list(value, &["filesToStage", "files_to_stage", "files"]);
            let mut lines = Vec::new();
            if !files.is_empty() {
                lines.push(
                    ["git", "add", "--"]
                        .iter()
                        .map(|w| (*w).to_owned())
                        .chain(files)
                        .collect(),
                );
            }
            let commit = ["git", "commit", "-m", "message"]
                .iter()
                .map(|w| (*w).to_owned());
            lines.push(commit.chain(flags(value, COMMIT)).collect());
            return Some(lines);
        }
        "reset" => {
            words.extend((!mode.is_empty()).then(|| format!("--{mode}")));
            words.extend(flags(value, &[(&["hard"], "--hard")]));
            words.extend(revision(value));
            paths(&mut words, value);
        }
        "checkout" | "switch" => {
            words.extend(flags(value, CHECKOUT));
            let new = if verb == "checkout" { "-b" } else { "-c" };
            if let Some(name) = text(value, &["newBranch", "new_branch"]) {
                words.extend([new.to_owned(), name.to_owned()]);
            } else if flag(
                value,
                &["createBranch", "create_branch", "create", "createNew"],
            ) {
                words.push(new.to_owned());
            }
            words.extend(
                text(
                    value,
                    &[
                        "branch_name",
                        "branchName",
                        "branch",
                        "target",
                        "ref",
                        "commit",
                        "name",
                    ],
                )
                .map(str::to_owned),
            );
            words.extend(
                text(value, &["startPoint", "start_point", "base_branch"]).map(str::to_owned),
            );
            paths(&mut words, value);
        }
        "restore" => {
            words.extend(flags(
                value,
                &[(&["staged"], "--staged"), (&["worktree"], "--worktree")],
            ));
            words.extend(text(value, &["source"]).map(|s| format!("--source={s}")));
            paths(&mut words, value);
        }
        "rm" => {
            words.extend(flags(
                value,
                &[
                    (&["cached"], "--cached"),
                    (&["force"], "--force"),
                    (&["recursive"], "-r"),
                ],
            ));
            paths(&mut words, value);
        }
        "clean" => {
            words.extend(flags(value, CLEAN));
            paths(&mut words, value);
        }
        "stash" => {
            words.push(if mode.is_empty() { "push" } else { mode }.to_owned());
            words
                .extend(text(value, &["stashRef", "stash_ref", "stash", "ref"]).map(str::to_owned));
        }
        "create_branch" => {
            "branch".clone_into(words.first_mut()?);
            words.extend(
                text(value, &["branch_name", "branchName", "name", "branch"]).map(str::to_owned),
            );
            words.extend(
                text(
                    value,
                    &["base_branch", "baseBranch", "startPoint", "start_point"],
                )
                .map(str::to_owned),
            );
        }
        "delete_branch" => {
            "branch".clone_into(words.first_mut()?);
            words.push(if flag(value, &["force"]) { "-D" } else { "-d" }.to_owned());
            words.extend(
                text(value, &["branch_name", "branchName", "name", "branch"]).map(str::to_owned),
            );
        }
        "branch" | "tag" => named(&mut words, verb, mode, value)?,
        "merge" | "rebase" | "pull" | "cherry_pick" | "revert" => {
            verb.replace('_', "-").clone_into(words.first_mut()?);
            words.extend(flags(value, INTEGRATE));
            words.extend(
                matches!(mode, "abort" | "continue" | "skip" | "quit").then(|| format!("--{mode}")),
            );
            words.extend(text(value, &["remote"]).map(str::to_owned));
            words.extend(
                text(
                    value,
                    &[
                        "branch",
                        "source",
                        "upstream",
                        "target",
                        "commit",
                        "commitRef",
                        "ref",
                        "branch_name",
                    ],
                )
                .map(str::to_owned),
            );
            words.extend(list(value, &["commits"]));
        }
        "worktree" => {
            words.push(if mode.is_empty() { "list" } else { mode }.to_owned());
            words.extend(flags(value, FORCE));
            words.extend(
                text(value, &["newBranch", "new_branch"])
                    .into_iter()
                    .flat_map(|b| ["-b".to_owned(), b.to_owned()]),
            );
            words.extend(
                text(value, &["worktreePath", "worktree_path", "worktree"]).map(str::to_owned),
            );
            words.extend(
                text(value, &["newPath", "new_path", "branch", "commitish"]).map(str::to_owned),
            );
        }
        "remote" => {
            words.push(if mode.is_empty() { "show" } else { mode }.to_owned());
            words.extend(text(value, &["name", "remote"]).map(str::to_owned));
            words.extend(text(value, &["url", "newName", "new_name"]).map(str::to_owned));
        }
        "config" => {
            words.extend(text(value, &["key", "name"]).map(str::to_owned));
            words.extend(text(value, &["value"]).map(str::to_owned));
        }
        // Its options are not named here, so its own words are all that is known.
        "filter_branch" | "update_ref" | "send_pack" | "gc" | "reflog" => {
            verb.replace('_', "-").clone_into(words.first_mut()?);
            words.extend(list(value, &["args", "arguments"]));
        }
        _ => return None,
    }
    line(words)
}

/// `git_branch` and `git_tag`, by mode.
fn named(words: &mut Vec<String>, verb: &str, mode: &str, value: &Value) -> Option<()> {
    let force = flag(value, &["force"]);
    let name = text(
        value,
        &[
            "branchName",
            "branch_name",
            "tagName",
            "tag_name",
            "name",
            "branch",
            "tag",
        ],
    );
    let option = match (mode, verb, force) {
        ("delete" | "remove", "branch", true) => Some("-D"),
        ("delete" | "remove", ..) => Some("-d"),
        ("rename" | "move", "branch", true) => Some("-M"),
        ("rename" | "move", "branch", false) => Some("-m"),
        ("list" | "show" | "show-current" | "", ..) if name.is_none() || !mode.is_empty() => {
            return None;
        }
        (_, _, true) => Some("-f"),
        _ => None,
    };
    words.extend(option.map(str::to_owned));
    words.extend(name.map(str::to_owned));
    words.extend(
        text(
            value,
            &[
                "newName",
                "new_name",
                "newBranchName",
                "startPoint",
                "start_point",
                "commit",
                "target",
            ],
        )
        .map(str::to_owned),
    );
    Some(())
}

/// `{"args": ["push", "--force"]}`, `{"command": "push --force"}`.
fn free(value: &Value) -> Option<Vec<Vec<String>>> {
    let mut words = match text(
        value,
        &["command", "cmd", "subcommand", "args", "arguments"],
    ) {
        Some(text) => split_alias(text)?,
        None => Vec::new(),
    };
    words.extend(list(value, &["args", "arguments", "command", "options"]));
    if words.first().map(String::as_str) == Some("git") {
        words.remove(0);
    }
    Some(vec![
        std::iter::once("git".to_owned()).chain(words).collect(),
    ])
}

fn flags<'v>(value: &'v Value, known: Flags) -> impl Iterator<Item = String> + 'v {
    known
        .iter()
        .filter(|(keys, _)| flag(value, keys))
        .map(|(_, option)| (*option).to_owned())
}

fn list(value: &Value, keys: &[&str]) -> Vec<String> {
    let found = keys.iter().find_map(|key| value.get(*key)?.as_array());
    found
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .map(str::to_owned)
        .collect()
}

fn revision(value: &Value) -> Option<String> {
    text(
        value,
        &["target", "commit", "commitish", "ref", "revision", "rev"],
    )
    .map(str::to_owned)
}

/// Pathspecs behind `--`.
fn paths(words: &mut Vec<String>, value: &Value) {
    let mut files = list(
        value,
        &["files", "paths", "pathspecs", "file_paths", "filePaths"],
    );
    files.extend(text(value, &["file", "files", "pathspec", "paths"]).map(str::to_owned));
    if !files.is_empty() {
        words.push("--".to_owned());
        words.extend(files);
    }
}
