//! Tools by name and input, against the acts and command lines that they stand for.

use super::*;

fn told(server: &str, tool: &str, input: &str) -> String {
    let one = |action: Action| match action.act {
        Act::ForgeMerge(act) => format!("merge{}", if act.maybe { "?" } else { "" }),
        Act::ForgeRefs(act) => format!("refs{}", if act.maybe { "?" } else { "" }),
        Act::Publish(act) => format!("publish{}", if act.maybe { "?" } else { "" }),
        Act::Opaque(unread) => format!("opaque {}", unread.part),
        other => format!("{other:?}")
            .split([' ', '('])
            .next()
            .unwrap_or_default()
            .to_owned(),
    };
    read(server, tool, input)
        .into_iter()
        .map(one)
        .collect::<Vec<_>>()
        .join(" ")
}

fn line(tool: &str, input: &str) -> String {
    let value: Value = serde_json::from_str(input).unwrap();
    let lines = git::argv(&snake(tool), &value).unwrap_or_default();
    lines
        .iter()
        .map(|words| words.join(" "))
        .collect::<Vec<_>>()
        .join(" && ")
}

#[test]
fn tools_of_forges_are_known_by_name_however_it_is_spelled() {
    let input = r#"{"owner":"o","repo":"r","pullNumber":1}"#;
    for tool in [
        "merge_pull_request",
        "mergePullRequest",
        "merge-pull-request",
        "mcp__github__merge_pull_request",
        "github_merge_pull_request",
    ] {
        assert_eq!(told("github", tool, input), "merge", "{tool}");
        assert_eq!(told("", tool, input), "merge", "{tool}");
    }
    assert_eq!(
        told(
            "gitlab",
            "merge_merge_request",
            r#"{"project_id":"1","merge_request_iid":2}"#
        ),
        "merge"
    );
    assert_eq!(told("github", "update_pull_request_branch", input), "refs");
    for tool in [
        "create_or_update_file",
        "push_files",
        "delete_file",
        "create_branch",
        "delete_repository",
        "update_ref",
    ] {
        assert_eq!(told("github", tool, "{}"), "refs", "{tool}");
    }
    assert_eq!(told("github", "create_release", "{}"), "publish");
    assert_eq!(told("github", "cancel_workflow_run", "{}"), "refs?");
    assert_eq!(
        told(
            "github",
            "actions_run_trigger",
            r#"{"method":"cancel_workflow_run"}"#
        ),
        "refs?"
    );
    assert_eq!(
        told("github", "run_workflow", r#"{"workflow_id":"release.yml"}"#),
        "publish?"
    );
    assert_eq!(
        told(
            "azure_devops",
            "repo_update_pull_request",
            r#"{"status":"Completed"}"#
        ),
        "merge"
    );
}

#[test]
fn the_same_names_at_other_servers_are_none_of_our_business() {
    for (server, tool, input) in [
        ("filesystem", "delete_file", r#"{"path":"x"}"#),
        ("filesystem", "create_file", "{}"),
        ("notion", "update_file", "{}"),
        ("github", "get_pull_request", "{}"),
        ("github", "list_pull_requests", "{}"),
        (
            "github",
            "create_pull_request",
            r#"{"owner":"o","repo":"r"}"#,
        ),
        (
            "github",
            "update_pull_request",
            r#"{"owner":"o","repo":"r","title":"merge"}"#,
        ),
        (
            "github",
            "add_issue_comment",
            r#"{"body":"merge_pull_request"}"#,
        ),
        ("github", "pull_request_review_write", "{}"),
        ("github", "run_workflow", r#"{"workflow_id":"test.yml"}"#),
        ("github", "search_code", r#"{"query":"merge"}"#),
        (
            "github",
            "github_graphql",
            r#"{"query":"query { viewer { login } }"}"#,
        ),
        ("memory", "create_entities", "not json"),
        ("kubernetes", "kubectl_get", "{}"),
        ("kubernetes", "kubectl_apply", r#"{"context":"kind-dev"}"#),
        ("kubernetes", "kubectl_apply", r#"{"dryRun":true}"#),
        (
            "terraform",
            "execute_terraform_command",
            r#"{"command":"plan"}"#,
        ),
    ] {
        assert_eq!(told(server, tool, input), "", "{server} {tool} {input}");
    }
    assert_eq!(
        told(
            "vcs",
            "delete_file",
            r#"{"owner":"o","repo":"r","path":"x","branch":"main"}"#
        ),
        "refs"
    );
}

#[test]
fn documents_clusters_and_broken_inputs_are_judged_by_content() {
    assert_eq!(
        told(
            "github",
            "github_graphql",
            r#"{"query":"mutation { mergePullRequest(input: {}) { x } }"}"#
        ),
        "merge"
    );
    assert_eq!(
        told("kubernetes", "kubectl_apply", r#"{"context":"prod"}"#),
        "publish"
    );
    assert_eq!(told("kubernetes", "kubectl_delete", "{}"), "publish?");
    assert_eq!(
        told(
            "kubernetes",
            "kubectl_generic",
            r#"{"command":"delete","context":"prod"}"#
        ),
        "publish"
    );
    assert_eq!(
        told(
            "terraform",
            "ExecuteTerraformCommand",
            r#"{"command":"apply"}"#
        ),
        "publish"
    );
    assert_eq!(told("github", "merge_pull_request", "{"), "opaque input");
    assert_eq!(told("github", "merge_pull_request", ""), "merge");
}

#[test]
fn tools_of_git_servers_stand_for_command_lines() {
    for (tool, input, want) in [
        (
            "git_push",
            r#"{"path":"/r","remote":"origin","branch":"main","force":true}"#,
            "git push --force origin main",
        ),
        ("git_push", "{}", "git push"),
        (
            "git_push",
            r#"{"branch":"x","remoteBranch":"main","forceWithLease":true}"#,
            "git push --force-with-lease origin x:main",
        ),
        (
            "git_push",
            r#"{"force":false,"dryRun":true}"#,
            "git push --dry-run",
        ),
        (
            "git_push",
            r#"{"remote":"origin","branch":"x","delete":true}"#,
            "git push --delete origin x",
        ),
        (
            "git_add",
            r#"{"repo_path":"/r","files":["."]}"#,
            "git add -- .",
        ),
        (
            "git_add",
            r#"{"files":["a.rs","b.rs"]}"#,
            "git add -- a.rs b.rs",
        ),
        ("git_add", r#"{"all":true}"#, "git add --all"),
        (
            "git_commit",
            r#"{"message":"--amend"}"#,
            "git commit -m message",
        ),
        (
            "git_commit",
            r#"{"message":"x","amend":true,"noVerify":true}"#,
            "git commit -m message --amend --no-verify",
        ),
        (
            "git_commit",
            r#"{"message":"x","filesToStage":["."]}"#,
            "git add -- . && git commit -m message",
        ),
        (
            "git_add_or_commit",
            r#"{"action":"add","files":["."]}"#,
            "git add -- .",
        ),
        (
            "git_add_or_commit",
            r#"{"action":"commit","message":"x"}"#,
            "git commit -m message",
        ),
        ("git_reset", r#"{"repo_path":"/r"}"#, "git reset"),
        (
            "git_reset",
            r#"{"mode":"hard","target":"HEAD~1"}"#,
            "git reset --hard HEAD~1",
        ),
        ("git_checkout", r#"{"branch_name":"x"}"#, "git checkout x"),
        (
            "git_checkout",
            r#"{"target":"x","force":true}"#,
            "git checkout --force x",
        ),
        (
            "git_checkout",
            r#"{"branch":"x","createBranch":true}"#,
            "git checkout -b x",
        ),
        ("git_checkout", r#"{"paths":["."]}"#, "git checkout -- ."),
        (
            "git_clean",
            r#"{"force":true,"directories":true}"#,
            "git clean --force -d",
        ),
        (
            "git_stash",
            r#"{"mode":"drop","stashRef":"stash@{0}"}"#,
            "git stash drop stash@{0}",
        ),
        (
            "git_create_branch",
            r#"{"branch_name":"x","base_branch":"main"}"#,
            "git branch x main",
        ),
        (
            "git_branch",
            r#"{"mode":"delete","branchName":"x","force":true}"#,
            "git branch -D x",
        ),
        ("git_branch", r#"{"mode":"list"}"#, ""),
        (
            "git_tag",
            r#"{"mode":"create","tagName":"v1"}"#,
            "git tag v1",
        ),
        ("git_merge", r#"{"branch":"x"}"#, "git merge x"),
        (
            "git_pull",
            r#"{"remote":"origin","branch":"main"}"#,
            "git pull origin main",
        ),
        (
            "git_cherry_pick",
            r#"{"commits":["a","b"]}"#,
            "git cherry-pick a b",
        ),
        (
            "git_worktree",
            r#"{"mode":"remove","worktreePath":"../x","force":true}"#,
            "git worktree remove --force ../x",
        ),
        (
            "git_remote",
            r#"{"mode":"add","name":"o","url":"u"}"#,
            "git remote add o u",
        ),
        ("git", r#"{"args":["push","--force"]}"#, "git push --force"),
        (
            "run_git_command",
            r#"{"command":"git commit -m \"a b\" -a"}"#,
            "git commit -m a b -a",
        ),
        ("git_status", "{}", ""),
        ("git_log", "{}", ""),
        ("git_diff", "{}", ""),
    ] {
        assert_eq!(line(tool, input), want, "{tool} {input}");
    }
}

#[test]
fn acts_of_git_servers_are_gits_own_at_the_place_that_they_name() {
    let actions = read(
        "git",
        "git_push",
        r#"{"path":"/elsewhere","remote":"origin","branch":"main","force":true}"#,
    );
    let push = actions.iter().find_map(|a| match &a.act {
        Act::Push(push) => Some((push, &a.place)),
        _ => None,
    });
    let (push, place) = push.unwrap();
    assert!(push.force.is_some());
    assert_eq!(place.dir.as_deref(), Some(Path::new("/elsewhere")));
    assert!(read("git", "git_status", r#"{"repo_path":"/r"}"#).is_empty());
    assert!(matches!(
        told("git", "git_add", r#"{"files":["."]}"#).as_str(),
        "Stage"
    ));
}

#[test]
fn shell_text_is_found_in_tools_that_run_it() {
    let typed = shell("execute_command", r#"{"command":"git push -f","cwd":"/r"}"#).unwrap();
    assert_eq!(
        (typed.text.as_str(), typed.dir),
        ("git push -f", Some(PathBuf::from("/r")))
    );
    assert_eq!(
        shell(
            "mcp__desktop__start_process",
            r#"{"command":"npm publish"}"#
        )
        .unwrap()
        .text,
        "npm publish"
    );
    assert_eq!(
        shell("run_command", r#"{"command":"git","args":["push","a b"]}"#)
            .unwrap()
            .text,
        "git 'push' 'a b'"
    );
    assert_eq!(shell("search", r#"{"command":"git push -f"}"#), None);
    assert_eq!(shell("execute_command", "{"), None);
}

#[test]
fn hostile_inputs_break_nothing() {
    for input in [
        "null",
        "[]",
        "1",
        "\"x\"",
        "{\"branch\":null}",
        "{\"files\":[null,1]}",
        "{\"mode\":{}}",
        "\u{0}",
    ] {
        for tool in [
            "git_push",
            "git_commit",
            "git_branch",
            "git",
            "merge_pull_request",
            "kubectl_apply",
            "create_file",
            "",
            "_",
            "__",
        ] {
            let _ = read("git", tool, input);
            let _ = read("github", tool, input);
            let _ = shell(tool, input);
        }
    }
}
