//! Tools of other servers, by their names and JSON input: forges, git servers, clusters, shells.

mod git;

use super::forge::{self, Deed, how, merge, refs, release};
use super::{Act, Action, Lookup, Place, Unread, publish};
use crate::shell::{Command, Opaque, Span, Word};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::rc::Rc;

/// A name, whether it is telling only at a forge's server, and what the tool does.
type Row = (&'static str, bool, Deed<'static>);

const COMMITS: Deed<'static> = refs("commit to a branch on the forge");
const REF: Deed<'static> = refs("write a ref on the forge");
const RULES: Deed<'static> = refs("change who may write a branch");
const GONE: Deed<'static> = refs("delete a repository, with all that others keep there");
const RUN: Deed<'static> = refs("stop or delete a CI run that others may wait for").maybe();
const RELEASES: Deed<'static> = release("publish or change a release");
const DEPLOYS: Deed<'static> = release("deploy to a running system");

const TABLE: &[Row] = &[
    ("merge_pull_request", false, merge("merge a pull request")),
    ("pull_request_merge", false, merge("merge a pull request")),
    ("merge_pr", true, merge("merge a pull request")),
    ("merge_merge_request", false, merge("merge a merge request")),
    (
        "accept_merge_request",
        false,
        merge("merge a merge request"),
    ),
    ("merge_mr", true, merge("merge a merge request")),
    (
        "enable_auto_merge",
        true,
        merge("let a pull request merge itself"),
    ),
    (
        "enable_pull_request_auto_merge",
        false,
        merge("let a pull request merge itself"),
    ),
    ("merge_branch", true, merge("merge a branch on the forge")),
    ("merge_branches", true, merge("merge a branch on the forge")),
    (
        "update_pull_request_branch",
        false,
        refs("move the head of a pull request on the forge"),
    ),
    (
        "rebase_merge_request",
        false,
        refs("rewrite the branch of a merge request on the forge"),
    ),
    ("create_or_update_file", true, COMMITS),
    ("create_or_update_files", true, COMMITS),
    ("push_files", true, COMMITS),
    ("create_file", true, COMMITS),
    ("update_file", true, COMMITS),
    ("delete_file", true, COMMITS),
    ("create_commit", true, COMMITS),
    ("create_commit_on_branch", false, COMMITS),
    ("commit_files", true, COMMITS),
    ("cherry_pick_commit", true, COMMITS),
    ("revert_commit", true, COMMITS),
    ("create_branch", true, REF),
    ("repo_create_branch", true, REF),
    ("delete_branch", true, REF),
    ("rename_branch", true, REF),
    ("create_tag", true, REF),
    ("delete_tag", true, REF),
    ("create_ref", true, REF),
    ("update_ref", true, REF),
    ("delete_ref", true, REF),
    ("merge_upstream", true, REF),
    ("sync_fork", true, REF),
    ("protect_branch", true, RULES),
    ("unprotect_branch", true, RULES),
    ("update_branch_protection", true, RULES),
    ("delete_branch_protection", true, RULES),
    ("create_repository_ruleset", true, RULES),
    ("update_repository_ruleset", true, RULES),
    ("delete_repository_ruleset", true, RULES),
    ("delete_repository", true, GONE),
    ("delete_repo", true, GONE),
    ("delete_project", true, GONE),
    (
        "transfer_repository",
        true,
        refs("hand a repository to another owner"),
    ),
    (
        "archive_repository",
        true,
        refs("close a repository to all writing"),
    ),
    (
        "update_repository",
        true,
        refs("change a repository for everybody").maybe(),
    ),
    ("cancel_workflow_run", true, RUN),
    ("delete_workflow_run", true, RUN),
    ("cancel_pipeline", true, RUN),
    ("delete_pipeline", true, RUN),
    ("create_release", true, RELEASES),
    ("update_release", true, RELEASES),
    ("edit_release", true, RELEASES),
    (
        "delete_release",
        true,
        release("take a release away from its users"),
    ),
    ("upload_release_asset", true, RELEASES),
    ("create_deployment", true, DEPLOYS.maybe()),
    (
        "npm_publish",
        false,
        release("upload a package to its registry"),
    ),
    (
        "publish_package",
        false,
        release("upload a package to its registry"),
    ),
    (
        "cargo_publish",
        false,
        release("upload a package to its registry"),
    ),
    (
        "docker_push",
        false,
        release("upload an image to a registry"),
    ),
    (
        "push_image",
        false,
        release("upload an image to a registry"),
    ),
    (
        "terraform_apply",
        false,
        release("change running infrastructure"),
    ),
    (
        "terraform_destroy",
        false,
        release("destroy running infrastructure"),
    ),
    ("deploy_to_vercel", false, DEPLOYS),
    ("deploy_edge_function", false, DEPLOYS),
    ("deploy_site", false, DEPLOYS),
    ("pods_delete", false, release("change a cluster").maybe()),
    (
        "resources_create_or_update",
        false,
        release("change a cluster").maybe(),
    ),
    (
        "resources_delete",
        false,
        release("change a cluster").maybe(),
    ),
    (
        "resources_scale",
        false,
        release("change a cluster").maybe(),
    ),
];

/// Tools that run a cluster program, and its words.
const CLUSTER: &[(&str, &[&str])] = &[
    ("kubectl_apply", &["kubectl", "apply"]),
    ("kubectl_create", &["kubectl", "create"]),
    ("kubectl_delete", &["kubectl", "delete"]),
    ("kubectl_patch", &["kubectl", "patch"]),
    ("kubectl_scale", &["kubectl", "scale"]),
    ("kubectl_rollout", &["kubectl", "rollout", "restart"]),
    ("install_helm_chart", &["helm", "install"]),
    ("upgrade_helm_chart", &["helm", "upgrade"]),
    ("uninstall_helm_chart", &["helm", "uninstall"]),
    ("helm_install", &["helm", "install"]),
    ("helm_upgrade", &["helm", "upgrade"]),
    ("helm_uninstall", &["helm", "uninstall"]),
];

/// Words in the names of servers that speak to a forge.
const FORGES: &[&str] = &[
    "github",
    "gitlab",
    "gitea",
    "forgejo",
    "bitbucket",
    "azure",
    "ado",
    "codeberg",
    "gh",
    "glab",
];

/// Tools whose input is shell text, and the keys that may hold it.
const SHELLS: &[&str] = &[
    "execute_command",
    "run_command",
    "run_shell_command",
    "shell_execute",
    "shell_exec",
    "execute_shell",
    "run_shell",
    "start_process",
    "interact_with_process",
    "write_to_terminal",
    "run_in_terminal",
    "execute_in_terminal",
    "execute_terminal_command",
    "send_terminal_text",
    "bash",
    "shell",
    "terminal",
    "run_terminal_cmd",
    "run_terminal_command",
    "execute_bash",
    "ssh_execute",
    "developer_shell",
    "send_keys",
    "process_start",
];
const TEXTS: &[&str] = &[
    "command",
    "cmd",
    "script",
    "input",
    "text",
    "keys",
    "shell_command",
    "command_line",
];
const DIRS: &[&str] = &[
    "cwd",
    "workdir",
    "working_directory",
    "workingDirectory",
    "dir",
    "directory",
];

/// Shell text that a tool of another server would run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Typed {
    /// The text.
    pub text: String,
    /// Where, if the input says so.
    pub dir: Option<PathBuf>,
}

/// The shell text in a call of a tool that runs it; `None` for every other tool.
pub fn shell(tool: &str, input: &str) -> Option<Typed> {
    let name = snake(tool);
    if !SHELLS.contains(&plain("", &name)) {
        return None;
    }
    let value: Value = serde_json::from_str(input).ok()?;
    let mut text = TEXTS
        .iter()
        .find_map(|key| value.get(*key)?.as_str())?
        .to_owned();
    for word in value
        .get("args")
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
    {
        text.push_str(" '");
        text.push_str(&word.replace('\'', r"'\''"));
        text.push('\'');
    }
    let dir = DIRS
        .iter()
        .find_map(|key| value.get(*key)?.as_str())
        .map(PathBuf::from);
    Some(Typed { text, dir })
}

/// What a tool of another server would do; empty for tools that are none of our business.
pub fn read(server: &str, tool: &str, input: &str) -> Vec<Action> {
    let name = snake(tool);
    let server = snake(server);
    let name = plain(&server, &name);
    let forge = server
        .split('_')
        .chain(name.split('_'))
        .any(|word| FORGES.contains(&word));
    let row = TABLE
        .iter()
        .find(|(known, ..)| *known == name || (forge && without_forge(name) == *known));
    let cluster = CLUSTER.iter().find(|(known, _)| *known == name);
    let graphql = forge && name.contains("graphql");
    let is_git = !forge && git::is_tool(&server, name);
    let special = matches!(
        name,
        "actions_run_trigger"
            | "run_workflow"
            | "trigger_workflow"
            | "kubectl_generic"
            | "execute_terraform_command"
            | "repo_update_pull_request"
            | "update_pull_request"
    );
    if row.is_none() && cluster.is_none() && !graphql && !is_git && !special {
        return Vec::new();
    }
    let Ok(value) =
        serde_json::from_str::<Value>(if input.trim().is_empty() { "{}" } else { input })
    else {
        let why = format!("the input of `{tool}` is no JSON");
        let unread = Unread {
            program: tool.to_owned(),
            part: "input",
            why,
            span: Span::default(),
        };
        return vec![action(Act::Opaque(unread), tool, None)];
    };
    if is_git {
        return git::argv(name, &value)
            .map(|words| as_git(words, &value))
            .unwrap_or_default();
    }
    let acts = if graphql {
        let query = text(&value, &["query", "mutation", "document"]).unwrap_or_default();
        forge::document(tool, query)
    } else if let Some((_, words)) = cluster {
        cluster_acts(words, &value)
    } else if let Some((_, needs_forge, deed)) = row {
        if *needs_forge && !forge && !speaks_of_repository(&value) {
            Vec::new()
        } else {
            vec![deed.act(how(tool, Span::default()), number(&value))]
        }
    } else {
        specials(name, tool, &value)
    };
    acts.into_iter()
        .map(|act| action(act, tool, None))
        .collect()
}

fn specials(name: &str, tool: &str, value: &Value) -> Vec<Act> {
    let act = |deed: Deed<'_>| vec![deed.act(how(tool, Span::default()), None)];
    match name {
        "actions_run_trigger" | "run_workflow" | "trigger_workflow" => {
            let method = text(value, &["method"]).unwrap_or("run_workflow");
            let workflow =
                text(value, &["workflow_id", "workflowId", "workflow"]).unwrap_or_default();
            match method {
                "cancel_workflow_run" | "delete_workflow_run_logs" => act(RUN),
                "run_workflow" if forge::releases_by_name(workflow) => {
                    act(release("start a workflow that releases").maybe())
                }
                _ => Vec::new(),
            }
        }
        "kubectl_generic" => {
            let words: Vec<&str> = ["kubectl"]
                .into_iter()
                .chain(text(value, &["command"]))
                .chain(text(value, &["subCommand"]))
                .collect();
            cluster_acts(&words, value)
        }
        "execute_terraform_command" => match text(value, &["command"]) {
            Some("apply") => act(release("change running infrastructure")),
            Some("destroy") => act(release("destroy running infrastructure")),
            _ => Vec::new(),
        },
        // Azure's way to merge.
        _ => {
            let completes =
                text(value, &["status"]).is_some_and(|s| s.eq_ignore_ascii_case("completed"));
            let auto = ["autoComplete", "auto_complete", "autoMerge", "auto_merge"]
                .iter()
                .any(|k| flag(value, &[k]));
            if completes || auto {
                act(merge("merge a pull request"))
            } else {
                Vec::new()
            }
        }
    }
}

/// The input names a repository of a forge.
fn speaks_of_repository(value: &Value) -> bool {
    let has = |keys: &[&str]| keys.iter().any(|k| value.get(*k).is_some());
    has(&["owner"]) && has(&["repo", "repository"])
        || has(&[
            "project_id",
            "projectId",
            "repo_slug",
            "repoSlug",
            "repositoryId",
        ])
}

fn number(value: &Value) -> Option<String> {
    let keys = [
        "pullNumber",
        "pull_number",
        "number",
        "pull_request_number",
        "merge_request_iid",
        "index",
        "branch",
    ];
    let named = keys.iter().find_map(|k| value.get(*k))?;
    let shown = named
        .as_str()
        .map_or_else(|| named.to_string(), str::to_owned);
    Some(format!(
        "its input names `{}`",
        shown
            .chars()
            .filter(|c| !c.is_control())
            .take(60)
            .collect::<String>()
    ))
}

fn cluster_acts(words: &[&str], value: &Value) -> Vec<Act> {
    let mut words: Vec<String> = words.iter().map(|w| (*w).to_owned()).collect();
    if let Some(context) = text(value, &["context", "kube_context", "kubeContext"]) {
        words.push(format!(
            "--{}={context}",
            if words.first().is_some_and(|w| w == "helm") {
                "kube-context"
            } else {
                "context"
            }
        ));
    }
    if flag(value, &["dryRun", "dry_run"]) {
        words.push("--dry-run=client".to_owned());
    }
    let program = words.first().cloned().unwrap_or_default();
    publish::read(&program, &command(words, None))
}

struct Nobody;

impl Lookup for Nobody {
    fn alias(&self, _: &Place, name: &str) -> Result<Option<String>, String> {
        Err(format!(
            "`{name}` is no verb of git, and aliases are not read here"
        ))
    }

    fn program(&self, _: &Path) -> Option<String> {
        None
    }
}

fn as_git(words: Vec<Vec<String>>, value: &Value) -> Vec<Action> {
    let dir = git::dir(value);
    let read =
        |words| super::git::read(&command(words, dir.clone()), dir.as_deref(), &Nobody).actions;
    words.into_iter().flat_map(read).collect()
}

fn command(words: Vec<String>, dir: Option<PathBuf>) -> Command {
    let word = |text| Word {
        text,
        opaque: Opaque::No,
        ..Word::default()
    };
    Command {
        words: words.into_iter().map(word).collect(),
        dirs: Rc::new(vec![dir]),
        ..Command::default()
    }
}

fn action(act: Act, tool: &str, dir: Option<PathBuf>) -> Action {
    Action {
        act,
        place: Place {
            dir,
            ..Place::default()
        },
        span: Span::default(),
        shown: tool.to_owned(),
    }
}

fn text<'v>(value: &'v Value, keys: &[&str]) -> Option<&'v str> {
    keys.iter()
        .find_map(|key| value.get(*key)?.as_str())
        .filter(|t| !t.is_empty())
}

fn flag(value: &Value, keys: &[&str]) -> bool {
    keys.iter().any(|key| match value.get(*key) {
        Some(Value::Bool(on)) => *on,
        Some(Value::String(text)) => !matches!(text.as_str(), "" | "false" | "no" | "none"),
        Some(Value::Number(n)) => n.as_i64() != Some(0),
        _ => false,
    })
}

/// `mergePullRequest`, `merge-pull-request` and `Merge.PullRequest` as `merge_pull_request`.
fn snake(name: &str) -> String {
    let mut out = String::with_capacity(name.len() + 4);
    let mut lower = false;
    for c in name.chars() {
        if c.is_ascii_uppercase() && lower {
            out.push('_');
        }
        lower = c.is_ascii_lowercase() || c.is_ascii_digit();
        out.push(if c.is_ascii_alphanumeric() {
            c.to_ascii_lowercase()
        } else {
            '_'
        });
    }
    out
}

/// The tool's name without the host's and the server's prefix: `mcp__github__merge_pull_request`.
fn plain<'n>(server: &str, name: &'n str) -> &'n str {
    let name = name.rsplit("__").next().unwrap_or(name);
    match name
        .strip_prefix(server)
        .and_then(|rest| rest.strip_prefix('_'))
    {
        Some(rest) if server != "git" && !server.is_empty() => rest,
        _ => name,
    }
}

fn without_forge(name: &str) -> &str {
    match name.split_once('_') {
        Some((first, rest)) if FORGES.contains(&first) => rest,
        _ => name,
    }
}

#[cfg(test)]
mod tests;
