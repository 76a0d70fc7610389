//! git's own hooks as the second line: real git, run by agents, by people, by nobody.
#![cfg(unix)]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout
)]

mod support;

use std::fs;
use std::process::{Output, Stdio};
use support::hooked::{Hooked, files};

const BINARY: &str = env!("CARGO_BIN_EXE_leaseguard");

fn yard() -> Hooked {
    Hooked::new(BINARY)
}

#[track_caller]
fn refused(output: &Output, rule: &str) {
    let text = String::from_utf8_lossy(&output.stderr);
    assert!(!output.status.success(), "{rule} was let go");
    assert!(text.contains("leaseguard refused this"), "{text}");
    assert!(text.contains(&format!("denied {rule}:")), "{text}");
}

#[track_caller]
fn passed(output: &Output) {
    let text = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{text}");
    assert!(!text.contains("leaseguard"), "{text}");
}

// --- pushes -----------------------------------------------------------------------------------------

#[test]
fn a_push_of_an_agents_own_branch_passes_in_silence() {
    let yard = yard();
    yard.commit("b");
    passed(&yard.agent("git push -q origin HEAD"));
    yard.commit("c");
    passed(&yard.agent("git push -q origin HEAD"));
    assert_eq!(yard.remote("refs/heads/feat"), yard.rev("HEAD"));
}

#[test]
fn a_base_branch_does_not_move_however_it_is_named() {
    let yard = yard();
    yard.commit("b");
    let before = yard.remote("refs/heads/main");
    for line in [
        "git push origin HEAD:main",
        "git -c alias.p='push origin HEAD:refs/heads/main' p",
        "git -c remote.origin.push=HEAD:refs/heads/main push",
        "echo origin HEAD:main | xargs env git push",
    ] {
        refused(&yard.agent(line), "git/base-push");
    }
    assert_eq!(yard.remote("refs/heads/main"), before);
    let log = yard.log();
    assert_eq!(log.matches("\"kind\":\"git-hook\"").count(), 4, "{log}");
    assert!(log.contains("\"host\":\"Claude Code\""), "{log}");
}

#[test]
fn force_is_told_by_the_commits_alone() {
    let yard = yard();
    yard.commit("b");
    passed(&yard.agent("git push -q origin HEAD"));
    // The option alone changes nothing on the remote.
    yard.commit("c");
    passed(&yard.agent("git push -qf origin HEAD"));
    yard.git(&["reset", "-q", "--hard", "HEAD~1"]);
    yard.commit("d");
    for how in ["-f", "--force-with-lease"] {
        let out = yard.agent(&format!("git push {how} origin HEAD"));
        refused(&out, "git/force-push");
    }
    refused(&yard.agent("git push origin +HEAD"), "git/force-push");
}

#[test]
fn a_remote_commit_that_is_not_here_counts_as_forced_over() {
    let yard = yard();
    yard.git(&["clone", "-q", "../origin.git", "../other"]);
    let other = yard.at("other");
    for text in [
        "git switch -q -c feat",
        "git commit -q --allow-empty -m x",
        "git push -q origin feat",
    ] {
        support::git::shell(&other, &yard.at("home"), text);
    }
    yard.commit("b");
    refused(&yard.agent("git push -f origin HEAD"), "git/force-push");
}

#[test]
fn history_that_is_made_up_counts_for_nothing() {
    let yard = yard();
    yard.commit("b");
    passed(&yard.agent("git push -q origin HEAD"));
    let old = yard.rev("HEAD");
    yard.git(&["reset", "-q", "--hard", "HEAD~1"]);
    yard.commit("c");
    // A replaced commit and a graft both say that the old one is an ancestor.
    yard.git(&["replace", "--graft", "HEAD", &old]);
    refused(&yard.agent("git push -f origin HEAD"), "git/force-push");
    yard.git(&["replace", "-d", "HEAD"]);
    let graft = format!("{} {old}\n", yard.rev("HEAD"));
    support::repo::put(&yard.at("repo/.git/info/grafts"), &graft);
    refused(&yard.agent("git push -f origin HEAD"), "git/force-push");
}

#[test]
fn many_refs_are_each_judged_by_their_own_history() {
    let yard = yard();
    for n in 0..6 {
        yard.git(&["switch", "-q", "-c", &format!("b{n}"), "main"]);
        yard.commit(&format!("f{n}"));
    }
    passed(&yard.agent("git push -q origin b0 b1 b2 b3 b4 b5"));
    for n in 0..6 {
        yard.git(&["switch", "-q", &format!("b{n}")]);
        yard.commit(&format!("g{n}"));
    }
    // Its old commit is an ancestor of another branch that is pushed along, not of its own.
    yard.git(&["switch", "-q", "b1"]);
    yard.git(&["merge", "-q", "-m", "m", "b2"]);
    yard.git(&["branch", "-f", "b2", "main"]);
    let out = yard.agent("git push -f origin b0 b1 b2 b3 b4 b5");
    refused(&out, "git/force-push");
    let text = String::from_utf8_lossy(&out.stderr);
    assert!(text.contains("may rewrite `b2` on `origin`"), "{text}");
    passed(&yard.agent("git push -q origin b0 b1 b3 b4 b5"));
}

#[test]
fn remote_refs_are_not_deleted_and_tags_do_not_move() {
    let yard = yard();
    yard.commit("b");
    passed(&yard.agent("git push -q origin HEAD"));
    passed(&yard.agent("git tag v1 && git tag -a -m v2 v2 && git push -q origin v1 v2"));
    refused(&yard.agent("git push origin :feat"), "git/remote-delete");
    refused(&yard.agent("git push -d origin v1"), "git/remote-delete");
    yard.commit("c");
    let moved = "git tag -f v1 >/dev/null && git push -f origin v1";
    refused(&yard.agent(moved), "git/force-push");
    let moved = "git tag -f -a -m v2 v2 >/dev/null && git push -f origin v2";
    refused(&yard.agent(moved), "git/force-push");
}

#[test]
fn a_push_into_running_checks_is_refused_to_an_agent_and_told_to_others() {
    let yard = yard();
    yard.commit("b");
    passed(&yard.agent("git push -q origin HEAD"));
    let head = yard.rev("HEAD");
    let state = yard.at("home/state.json");
    let checks = |status: &str| {
        let text = format!(
            "{{\"v\":1,\"head\":\"{head}\",\"pulls\":[{{\"number\":7,\"head\":\"{head}\",\
             \"checks\":[{{\"name\":\"test\",\"status\":\"{status}\"}}]}}]}}"
        );
        support::repo::put(&state, &text);
        let _ = std::fs::remove_dir_all(yard.at("home/.local/state/leaseguard/ci"));
    };
    let policy = format!(
        "[ci]\ngate = \"on\"\nprovider = \"file\"\nfile = \"{}\"\ngrace = \"0s\"\nquiet = \"0s\"\n",
        state.display()
    );
    support::repo::put(&yard.at("home/.config/leaseguard/policy.toml"), &policy);
    yard.commit("c");
    checks("in_progress");
    let out = yard.agent("git push origin HEAD");
    refused(&out, "ci/in-flight");
    assert_eq!(yard.remote("refs/heads/feat"), head);
    let (code, text) = yard.nobody("git push -q origin HEAD");
    assert_eq!(code, 0, "{text}");
    assert!(text.contains("warning: ci/in-flight"), "{text}");
}

#[test]
fn a_push_that_is_only_tried_out_passes() {
    let yard = yard();
    yard.commit("b");
    for line in [
        "git push -q --dry-run origin HEAD:main",
        "git push -qn origin HEAD:main",
    ] {
        passed(&yard.agent(line));
    }
    let real = "git push --dry-run --no-dry-run origin HEAD:main";
    refused(&yard.agent(real), "git/base-push");
}

#[test]
fn a_push_is_judged_by_where_head_is_when_it_runs() {
    let yard = yard();
    yard.commit("b");
    yard.git(&["config", "push.default", "current"]);
    // The host asked while it was a push of `feat`; then somebody else moved HEAD.
    let message = format!(
        r#"{{"session_id":"s","transcript_path":"/t.jsonl","permission_mode":"default","tool_use_id":"t","hook_event_name":"PreToolUse","tool_name":"Bash","cwd":"{}","tool_input":{{"command":"git push origin"}}}}"#,
        yard.at("repo").display()
    );
    passed(&yard.agent(&format!("echo '{message}' | $LG hook")));
    yard.git(&["switch", "-q", "main"]);
    yard.commit("c");
    refused(&yard.agent("git push origin"), "git/base-push");
    yard.git(&["switch", "-q", "feat"]);
    passed(&yard.agent("git push -q origin"));
}

#[test]
fn linked_worktrees_and_bare_repositories_have_the_same_hooks() {
    let yard = yard();
    let origin = yard.at("origin.git").to_string_lossy().into_owned();
    yard.git(&["remote", "set-url", "origin", &origin]);
    yard.git(&["worktree", "add", "-q", "-b", "side", "../side"]);
    refused(
        &yard.agent("cd ../side && git commit -q --allow-empty -m x && git push origin HEAD:main"),
        "git/base-push",
    );
    let out = yard.agent("git --git-dir=../repo/.git --work-tree=/tmp push origin side:main");
    refused(&out, "git/base-push");
    let out = yard.agent("cd .git && git push origin side:main");
    refused(&out, "git/base-push");
}

#[test]
fn the_policy_that_the_hook_names_decides() {
    let yard = yard();
    let policy = yard.at("home/.config/leaseguard/policy.toml");
    support::repo::put(&policy, "base_branches = [\"trunk\"]\n");
    yard.commit("b");
    passed(&yard.agent("git push -q origin HEAD:main"));
    refused(&yard.agent("git push origin HEAD:trunk"), "git/base-push");
    // Another home in the environment is no other policy.
    support::repo::put(
        &yard.at("evil/.config/leaseguard/policy.toml"),
        "mode = \"observe\"\n",
    );
    let out = yard.agent("HOME=$HOME/../evil git push origin HEAD:trunk");
    refused(&out, "git/base-push");
}

#[test]
fn a_team_may_force_its_own_branch() {
    let yard = yard();
    let policy = yard.at("home/.config/leaseguard/policy.toml");
    support::repo::put(&policy, "preset = \"team\"\n");
    yard.commit("b");
    passed(&yard.agent("git push -q origin HEAD HEAD:other"));
    yard.git(&["reset", "-q", "--hard", "HEAD~1"]);
    yard.commit("c");
    passed(&yard.agent("git push -q --force-with-lease origin HEAD"));
    refused(
        &yard.agent("git push -f origin HEAD:other"),
        "git/force-push",
    );
}

// --- who calls --------------------------------------------------------------------------------------

#[test]
fn a_person_types_a_word() {
    let yard = yard();
    yard.commit("b");
    let before = yard.remote("refs/heads/main");
    let (code, text) = yard.person("git push -q origin HEAD:main", "no\n");
    assert_eq!(code, 1, "{text}");
    assert!(text.contains("type `push` to go on"), "{text}");
    assert_eq!(yard.remote("refs/heads/main"), before);
    let (code, text) = yard.person("git push -q origin HEAD:main", "push\n");
    assert_eq!(code, 0, "{text}");
    assert_eq!(yard.remote("refs/heads/main"), yard.rev("HEAD"));
    // What is nobody else's is not asked about.
    let (code, text) = yard.person("git push -q origin HEAD && git commit -q --amend -m y", "");
    assert_eq!(code, 0, "{text}");
    assert!(!text.contains("leaseguard"), "{text}");
}

#[test]
fn a_policy_says_what_people_may() {
    let yard = yard();
    let policy = yard.at("home/.config/leaseguard/policy.toml");
    yard.commit("b");
    support::repo::put(&policy, "[git_hooks]\npersons = \"deny\"\n");
    let (code, text) = yard.person("git push -q origin HEAD:main", "push\n");
    assert_eq!(code, 1, "{text}");
    assert!(!text.contains("type `push`"), "{text}");
    support::repo::put(&policy, "[git_hooks]\npersons = \"warn\"\n");
    let (code, text) = yard.person("git push -q origin HEAD:main", "");
    assert_eq!(code, 0, "{text}");
    assert!(text.contains("warning: git/base-push"), "{text}");
}

#[test]
fn nobody_known_pushes_no_base_branch_and_is_warned_of_commits() {
    let yard = yard();
    yard.commit("b");
    let (code, text) = yard.nobody("git push origin HEAD:main");
    assert_eq!(code, 1, "{text}");
    assert!(text.contains("it cannot be told who asks"), "{text}");
    let (code, text) = yard.nobody("git push -q origin HEAD");
    assert_eq!((code, text.contains("leaseguard")), (0, false), "{text}");
    fs::write(yard.at("repo/a"), "more\n").unwrap();
    let (code, text) = yard.nobody("git commit -qam x");
    assert_eq!(code, 0, "{text}");
    assert!(text.contains("warning: git/commit-all"), "{text}");
    // What an agent leaves in the environment only adds suspicion.
    fs::write(yard.at("repo/a"), "most\n").unwrap();
    let (code, text) = yard.nobody_with("git commit -qam x", |c| {
        c.env("CLAUDECODE", "1");
    });
    assert_eq!(code, 1, "{text}");
}

#[test]
fn no_environment_lets_a_push_through() {
    let yard = yard();
    yard.commit("b");
    let before = yard.remote("refs/heads/main");
    yard.program("evil/leaseguard", "#!/bin/sh\nexit 0\n");
    yard.program("evil/cat", "#!/bin/sh\nexit 0\n");
    fs::create_dir_all(yard.at("evil/.config/leaseguard")).unwrap();
    let push = "/usr/bin/git push origin HEAD:main";
    let evil = yard.at("evil");
    for prefix in [
        format!("HOME={}", evil.display()),
        format!(
            "XDG_CONFIG_HOME={0}/.config XDG_STATE_HOME={0}",
            evil.display()
        ),
        format!("PATH={}:/usr/bin:/bin", evil.display()),
        "PATH=".to_owned(),
        "LEASEGUARD=0 LEASEGUARD_SKIP=1 LEASEGUARD_STATE=/tmp".to_owned(),
        "GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=user.name GIT_CONFIG_VALUE_0=x".to_owned(),
        "GIT_CONFIG_GLOBAL=/dev/null".to_owned(),
        "GIT_CONFIG_SYSTEM=/dev/null GIT_CONFIG_NOSYSTEM=0".to_owned(),
        "GIT_CONFIG_PARAMETERS=\"'user.name=x'\"".to_owned(),
        "env -i".to_owned(),
        "nohup".to_owned(),
    ] {
        refused(&yard.agent(&format!("{prefix} {push}")), "git/base-push");
    }
    for text in [
        format!("setsid -f {push}; :"),
        format!("({push} &) ; wait"),
        format!("nohup {push} >/dev/null 2>&1 & wait"),
        format!("env -i nohup setsid {push} <&- >&- 2>&- & wait"),
        format!("{push} <&- 2>/dev/null"),
        format!("{push} <&- >&- 2>&-"),
    ] {
        yard.agent(&text);
    }
    let (code, text) = yard.nobody(&format!("env -i {push}"));
    assert_eq!(code, 1, "{text}");
    let gone = format!(
        "mkdir ../gone && cd ../gone && rmdir ../gone && git --git-dir={}/.git --work-tree={} push origin feat:main",
        yard.at("repo").display(),
        yard.at("repo").display()
    );
    yard.agent(&gone);
    assert_eq!(yard.remote("refs/heads/main"), before);
}

#[test]
fn no_environment_lets_a_sweep_through() {
    let yard = yard();
    fs::write(yard.at("repo/a"), "more\n").unwrap();
    let head = yard.rev("HEAD");
    let evil = yard.at("evil");
    fs::create_dir_all(&evil).unwrap();
    yard.program("evil/leaseguard", "#!/bin/sh\nexit 0\n");
    let who = "GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@e GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@e";
    let commit = "/usr/bin/git commit -qam x";
    for text in [
        format!(
            "HOME={0} XDG_STATE_HOME={0} XDG_CONFIG_HOME={0} {commit}",
            evil.display()
        ),
        format!("PATH={} {commit}", evil.display()),
        format!("GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_SYSTEM=/dev/null {commit}"),
        format!("GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=user.name GIT_CONFIG_VALUE_0=x {commit}"),
        format!("LEASEGUARD=0 LEASEGUARD_STATE=/tmp {commit}"),
        format!("env -i {who} {commit}"),
        format!("nohup {commit} >/dev/null 2>&1 & wait"),
        format!("{commit} <&- >&- 2>&-"),
        format!("env -i {who} setsid --wait {commit}"),
    ] {
        yard.agent(&text);
        assert_eq!(yard.rev("HEAD"), head, "{text}");
    }
    // Without its parents only the host's mark speaks of an agent.
    yard.agent_with(&format!("setsid -f {commit}"), |c| {
        c.env("CLAUDECODE", "1");
    });
    assert_eq!(yard.rev("HEAD"), head);
}

// --- commits ----------------------------------------------------------------------------------------

#[test]
fn commits_that_sweep_are_refused_with_and_without_pre_commit() {
    let yard = yard();
    fs::write(yard.at("repo/a"), "more\n").unwrap();
    for line in ["git commit -am x", "git -c alias.c='commit -a -m x' c"] {
        refused(&yard.agent(line), "git/commit-all");
    }
    // pre-commit is skipped, the hook after it is not.
    let out = yard.agent("git commit -anm x");
    refused(&out, "git/skip-hooks");
    refused(&yard.agent("git commit --amend -m x"), "git/amend");
    refused(&yard.agent("git commit -m x ."), "git/commit-all");
    // An index of its own gives a sweep away where the command line does not.
    let hidden = format!("git commit -m x {} -a", "-q ".repeat(40));
    refused(&yard.agent(&hidden), "git/commit-all");
    let head = yard.rev("HEAD");
    passed(&yard.agent("git commit -qm x a"));
    assert_ne!(yard.rev("HEAD"), head);
}

#[test]
fn what_git_does_in_several_steps_is_never_broken() {
    let (yard, plain) = (yard(), Hooked::bare(BINARY));
    for yard in [&yard, &plain] {
        yard.commit("b");
        yard.git(&["switch", "-q", "-c", "up", "main"]);
        yard.commit("c");
        yard.git(&["switch", "-q", "feat"]);
    }
    // What is left, times and so the ids of commits aside.
    let left = |yard: &Hooked| {
        let ask = |args: &[&str]| yard.git(args);
        [
            ask(&["rev-parse", "HEAD^{tree}"]),
            ask(&["symbolic-ref", "HEAD"]),
            ask(&["log", "--graph", "--format=%s"]),
            ask(&["stash", "list"]),
            ask(&["status", "--short"]),
        ]
    };
    for line in [
        "git merge -q --no-ff -m m up",
        "git rebase -q up",
        "git switch -q -c pick main && git cherry-pick up",
        "git revert --no-edit HEAD",
        "git format-patch -q -1 --stdout up > ../p && git switch -q -c mail main && git am -q ../p",
        "echo x >> a && git stash -q && git stash pop -q && git checkout -q a",
        "git bisect start -q HEAD main; git bisect reset",
        "git switch -q feat && git rebase -q -i --exec true main",
    ] {
        let out = yard.agent(&format!("{line} >/dev/null"));
        let text = String::from_utf8_lossy(&out.stderr);
        assert!(out.status.success(), "{line}: {text}");
        assert!(!text.contains("leaseguard"), "{line}: {text}");
        plain.agent(&format!("{line} >/dev/null"));
        assert_eq!(left(&yard), left(&plain), "{line}");
        assert_eq!(yard.git(&["status", "--short"]), "", "{line}");
    }
    // A conflict that is settled and committed, even with `-a`.
    yard.git(&["switch", "-q", "-c", "left", "main"]);
    fs::write(yard.at("repo/a"), "left\n").unwrap();
    yard.git(&["commit", "-qam", "left"]);
    yard.git(&["switch", "-q", "-c", "right", "main"]);
    fs::write(yard.at("repo/a"), "right\n").unwrap();
    yard.git(&["commit", "-qam", "right"]);
    let out = yard.agent("git merge -q left >/dev/null; echo both > a; git commit -qam both");
    assert!(out.status.success(), "{out:?}");
    assert!(!yard.at("repo/.git/MERGE_HEAD").exists());
}

// --- one yes for both layers ------------------------------------------------------------------------

/// `git/base-push = "ask"` at both layers.
fn asking() -> Hooked {
    let yard = yard();
    let policy = yard.at("home/.config/leaseguard/policy.toml");
    support::repo::put(&policy, "[rules]\n\"git/base-push\" = \"ask\"\n");
    yard.commit("b");
    yard
}

/// The host asks leaseguard about `push`, a person says yes, and the host runs `then`.
fn approved(yard: &Hooked, push: &str, then: &str) -> Output {
    let message = format!(
        r#"{{"session_id":"s","transcript_path":"/t.jsonl","permission_mode":"default","tool_use_id":"t","hook_event_name":"PreToolUse","tool_name":"Bash","cwd":"{}","tool_input":{{"command":"{push}"}}}}"#,
        yard.at("repo").display()
    );
    let text = format!("echo '{message}' | $LG hook >../reply; {then}");
    let out = yard.agent(&text);
    let reply = fs::read_to_string(yard.at("reply")).unwrap();
    assert!(reply.contains("\"permissionDecision\":\"ask\""), "{reply}");
    out
}

#[test]
fn a_push_that_a_person_approved_passes_both_layers_once() {
    let yard = asking();
    let push = "git push -q origin HEAD:main";
    refused_ask(&yard.agent(push));
    let out = approved(&yard, push, push);
    assert!(out.status.success(), "{out:?}");
    assert_eq!(yard.remote("refs/heads/main"), yard.rev("HEAD"));
    // The same yes is no second one, for other refs none, and for other processes neither.
    yard.commit("c");
    let out = approved(
        &yard,
        push,
        &format!("{push} && git commit -q --allow-empty -m d && {push}"),
    );
    refused_ask(&out);
    let out = approved(&yard, push, "git push -q origin HEAD:dev");
    refused_ask(&out);
    refused_ask(&yard.agent(push));
}

/// The remote has two URLs to push to; git calls pre-push for each.
fn two_urls(yard: &Hooked) {
    yard.git(&["init", "-q", "--bare", "../second.git"]);
    for url in ["../origin.git", "../second.git"] {
        yard.git(&["remote", "set-url", "--add", "--push", "origin", url]);
    }
}

fn second(yard: &Hooked, name: &str) -> String {
    let text = yard.git(&["ls-remote", "../second.git", name]);
    text.split_whitespace()
        .next()
        .unwrap_or_default()
        .to_owned()
}

#[test]
fn a_yes_holds_for_all_urls_of_one_push_and_for_no_second_push() {
    let yard = asking();
    two_urls(&yard);
    let push = "git push -q origin HEAD:main";
    let out = approved(&yard, push, push);
    assert!(out.status.success(), "{out:?}");
    let head = yard.rev("HEAD");
    assert_eq!(yard.remote("refs/heads/main"), head);
    assert_eq!(second(&yard, "refs/heads/main"), head);
    yard.commit("c");
    refused_ask(&yard.agent(push));
    // The first push after the yes may do nothing at one of the URLs; it is used up all the same.
    yard.git(&["push", "-q", "../second.git", "HEAD:main"]);
    let twice = format!("{push} && git commit -q --allow-empty -m d && {push}");
    refused_ask(&approved(&yard, push, &twice));
    assert_eq!(second(&yard, "refs/heads/main"), yard.rev("HEAD~1"));
}

#[test]
fn a_code_and_a_typed_word_hold_for_all_urls_of_one_push() {
    let yard = yard();
    two_urls(&yard);
    yard.git(&["push", "-q", "../second.git", "main"]);
    yard.commit("b");
    let push = "git push -q origin HEAD:main";
    let code = code_of(&yard.agent(push));
    let (exit, said) = yard.person(&format!("{BINARY} allow {code}"), "allow\n");
    assert_eq!(exit, 0, "{said}");
    let out = yard.agent(push);
    assert!(out.status.success(), "{out:?}");
    assert_eq!(second(&yard, "refs/heads/main"), yard.rev("HEAD"));
    yard.commit("c");
    refused(&yard.agent(push), "git/base-push");
    let (exit, said) = yard.person(push, "push\n");
    assert_eq!(exit, 0, "{said}");
    assert_eq!(said.matches("type `push`").count(), 1, "{said}");
    assert_eq!(second(&yard, "refs/heads/main"), yard.rev("HEAD"));
}

fn code_of(refused: &Output) -> String {
    let text = String::from_utf8_lossy(&refused.stderr);
    let code = text.split("`leaseguard allow ").nth(1).unwrap();
    code.split('`').next().unwrap().to_owned()
}

#[track_caller]
fn refused_ask(output: &Output) {
    let text = String::from_utf8_lossy(&output.stderr);
    assert!(!output.status.success(), "{text}");
    assert!(text.contains("asks git/base-push:"), "{text}");
}

#[test]
fn a_denial_of_the_hook_is_allowed_once_by_its_code() {
    let yard = yard();
    yard.commit("b");
    let push = "git push origin HEAD:main";
    let out = yard.agent(push);
    let code = code_of(&out);
    let (exit, said) = yard.person(&format!("{BINARY} allow {code}"), "allow\n");
    assert_eq!(exit, 0, "{said}");
    let out = yard.agent(push);
    assert!(out.status.success(), "{out:?}");
    yard.commit("c");
    refused(&yard.agent(push), "git/base-push");
}

#[test]
fn an_approved_commit_passes_both_of_its_hooks() {
    let yard = yard();
    let policy = yard.at("home/.config/leaseguard/policy.toml");
    support::repo::put(&policy, "[rules]\n\"git/amend\" = \"ask\"\n");
    let amend = "git commit -q --amend -m new";
    let out = yard.agent(amend);
    assert!(!out.status.success());
    let out = approved(&yard, amend, amend);
    assert!(out.status.success(), "{out:?}");
    assert!(!yard.agent(amend).status.success());
}

// --- our own failures -------------------------------------------------------------------------------

#[test]
fn our_own_failure_refuses_a_push_and_lets_a_commit_be_made() {
    let yard = yard();
    yard.commit("b");
    let broken = |text: &str| {
        yard.agent_with(text, |c| {
            c.env("LEASEGUARD_TEST_PANIC", "1");
        })
    };
    let out = broken("git push -q origin HEAD");
    let text = String::from_utf8_lossy(&out.stderr);
    assert!(!out.status.success(), "{text}");
    assert!(text.contains("[fault/panic]; nothing was pushed"), "{text}");
    let out = broken("git commit -q --allow-empty -m x");
    let text = String::from_utf8_lossy(&out.stderr);
    assert!(out.status.success(), "{text}");
    assert!(text.contains("[fault/panic]; the commit is made"), "{text}");
}

#[test]
fn without_the_program_a_push_is_refused_with_the_mending_line() {
    let yard = Hooked::bare(BINARY);
    let copy = yard.at("copy");
    fs::copy(BINARY, &copy).unwrap();
    let out = yard.agent("../copy install git --yes");
    assert!(out.status.success(), "{out:?}");
    fs::remove_file(&copy).unwrap();
    yard.commit("b");
    let out = yard.agent("git push -q origin HEAD");
    let text = String::from_utf8_lossy(&out.stderr);
    assert!(
        !out.status.success() && text.contains("`leaseguard install git`"),
        "{text}"
    );
    let out = yard.agent("git commit -q --allow-empty -m x");
    let text = String::from_utf8_lossy(&out.stderr);
    assert!(
        out.status.success() && text.contains("not looked at"),
        "{text}"
    );
}

#[test]
fn lines_that_are_no_refs_refuse() {
    let yard = yard();
    let hook = yard.at("repo/.git/hooks/pre-push");
    let out = yard.agent(&format!("echo nonsense | {} origin x", hook.display()));
    let text = String::from_utf8_lossy(&out.stderr);
    assert!(
        !out.status.success() && text.contains("[fault/bad-refs]"),
        "{text}"
    );
    let out = yard.agent_with(&format!("{} origin x", hook.display()), |c| {
        c.stdin(Stdio::null());
    });
    passed(&out);
}

// --- install ----------------------------------------------------------------------------------------

#[track_caller]
fn round(yard: &Hooked, checks: impl FnOnce(&Hooked)) {
    let before = files(&yard.at("repo"));
    let out = yard.verb(&["install", "git", "--yes"]);
    assert!(out.status.success(), "{out:?}");
    let once = files(&yard.at("repo"));
    assert_ne!(before, once);
    let out = yard.verb(&["install", "git", "--yes"]);
    assert!(out.status.success(), "{out:?}");
    assert_eq!(
        once,
        files(&yard.at("repo")),
        "a second install changes nothing"
    );
    checks(yard);
    let (code, text) = yard.person(&format!("{BINARY} uninstall git --yes"), "");
    assert_eq!(code, 0, "{text}");
    let after = files(&yard.at("repo"));
    let own = |path: &std::path::Path| {
        let text = path.to_string_lossy();
        // What git itself writes meanwhile.
        [
            ".git/objects",
            ".git/logs",
            ".git/refs",
            ".git/COMMIT_EDITMSG",
            ".git/index",
            ".git/FETCH_HEAD",
            "ran",
        ]
        .iter()
        .any(|part| text.contains(part))
    };
    let kept = |all: std::collections::BTreeMap<std::path::PathBuf, Vec<u8>>| {
        all.into_iter()
            .filter(|(path, _)| !own(path))
            .collect::<Vec<_>>()
    };
    assert_eq!(kept(before), kept(after));
}

#[test]
fn a_hook_that_was_there_runs_after_ours_and_comes_back_to_the_byte() {
    let yard = Hooked::bare(BINARY);
    yard.program(
        "repo/.git/hooks/pre-push",
        "#!/bin/sh\necho \"$@\" > ran\ncat >> ran\n",
    );
    yard.program(
        "repo/.git/hooks/pre-commit",
        "echo no shebang > ran-commit\n",
    );
    // git passes over this one.
    support::repo::put(&yard.at("repo/.git/hooks/prepare-commit-msg"), "exit 1\n");
    round(&yard, |yard| {
        refused(
            &yard.agent("git push origin HEAD:main HEAD:dev"),
            "git/base-push",
        );
        assert!(!yard.at("repo/ran").exists(), "ours is first");
        passed(&yard.agent("git push -q origin HEAD"));
        let ran = fs::read_to_string(yard.at("repo/ran")).unwrap();
        let head = yard.rev("HEAD");
        assert!(ran.starts_with("origin ../origin.git\n"), "{ran}");
        assert!(
            ran.contains(&format!("{head} refs/heads/feat 0000")),
            "{ran}"
        );
        passed(&yard.agent("git commit -q --allow-empty -m x"));
        assert!(yard.at("repo/ran-commit").exists());
    });
}

#[test]
fn the_first_failure_wins() {
    let yard = Hooked::bare(BINARY);
    yard.program("repo/.git/hooks/pre-push", "#!/bin/sh\nexit 7\n");
    assert!(yard.verb(&["install", "git", "--yes"]).status.success());
    let out = yard.agent("git push origin HEAD");
    assert!(!out.status.success());
    assert!(!String::from_utf8_lossy(&out.stderr).contains("leaseguard"));
}

#[test]
fn husky_gets_lines_in_the_files_that_it_runs() {
    let yard = Hooked::bare(BINARY);
    yard.git(&["config", "core.hooksPath", ".husky/_"]);
    // As husky 9 writes them.
    let wrapper = "#!/usr/bin/env sh\n. \"$(dirname \"$0\")/h\"";
    let runner = "#!/usr/bin/env sh\nn=$(basename \"$0\")\ns=$(dirname \"$(dirname \"$0\")\")/$n\n\
                  [ ! -f \"$s\" ] && exit 0\n[ \"${HUSKY-}\" = \"0\" ] && exit 0\n\
                  sh -e \"$s\" \"$@\"\nexit $?\n";
    for hook in ["pre-commit", "prepare-commit-msg", "pre-push"] {
        yard.program(&format!("repo/.husky/_/{hook}"), wrapper);
    }
    yard.program("repo/.husky/_/h", runner);
    yard.program("repo/.husky/pre-push", "echo \"$1\" > ran\ncat >> ran\n");
    round(&yard, |yard| {
        refused(
            &yard.agent("git push origin HEAD:main HEAD:dev"),
            "git/base-push",
        );
        assert!(!yard.at("repo/ran").exists());
        passed(&yard.agent("git push -q origin HEAD"));
        let ran = fs::read_to_string(yard.at("repo/ran")).unwrap();
        assert!(
            ran.starts_with("origin\nrefs/heads/") || ran.contains("refs/heads/feat"),
            "{ran}"
        );
        refused(&yard.agent("git commit --amend -m x"), "git/amend");
    });
}

#[test]
fn hooks_of_the_pre_commit_framework_stay_and_run_ours_first() {
    for mark in [
        "# File generated by pre-commit: x",
        "# File generated by prek: x",
    ] {
        let yard = Hooked::bare(BINARY);
        // As its migration mode does: the legacy hook first, then its own.
        let own = format!(
            "#!/bin/sh\n{mark}\nrefs=$(cat)\nl=\"$0.legacy\"\n\
             if [ -x \"$l\" ]; then printf '%s\\n' \"$refs\" | \"$l\" \"$@\" || exit 1; fi\necho > ran\n"
        );
        yard.program("repo/.git/hooks/pre-push", &own);
        round(&yard, |yard| {
            refused(
                &yard.agent("git push origin HEAD:main HEAD:dev"),
                "git/base-push",
            );
            passed(&yard.agent("git push -q origin HEAD"));
            assert!(yard.at("repo/ran").exists());
        });
    }
}

#[test]
fn lefthook_gets_jobs_in_the_file_that_is_ones_own() {
    let yard = Hooked::bare(BINARY);
    support::repo::put(
        &yard.at("repo/lefthook.yml"),
        "pre-push:\n  jobs:\n    - run: true\n",
    );
    yard.program(
        "repo/.git/hooks/pre-push",
        "#!/bin/sh\ncall_lefthook run pre-push \"$@\"\n",
    );
    round(&yard, |yard| {
        let local = fs::read_to_string(yard.at("repo/lefthook-local.yml")).unwrap();
        assert!(local.contains("/.git/leaseguard'/pre-push {0}"), "{local}");
        assert!(local.contains("use_stdin: true"), "{local}");
    });
}

#[test]
fn a_directory_of_hooks_for_all_repositories_is_left_alone() {
    let yard = Hooked::bare(BINARY);
    fs::create_dir_all(yard.at("shared")).unwrap();
    let shared = yard.at("shared").to_string_lossy().into_owned();
    yard.git(&["config", "core.hooksPath", &shared]);
    let out = yard.verb(&["install", "git", "--yes"]);
    assert_eq!(out.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&out.stderr).contains("core.hooksPath"));
    assert_eq!(fs::read_dir(yard.at("shared")).unwrap().count(), 0);
}

#[test]
fn nothing_is_written_without_a_yes_or_outside_of_a_repository() {
    let yard = Hooked::bare(BINARY);
    let before = files(&yard.at("repo"));
    let out = yard.verb(&["install", "git"]);
    assert_eq!(out.status.code(), Some(3));
    let out = yard.verb(&["install", "git", "--dry-run"]);
    assert_eq!(out.status.code(), Some(0));
    assert_eq!(before, files(&yard.at("repo")));
    let home = yard.at("home").to_string_lossy().into_owned();
    let out = yard.verb(&["install", "git", "--yes", "--repo", &home]);
    assert_eq!(out.status.code(), Some(2));
    let out = yard.verb(&["install", "git", "claude", "--yes"]);
    assert_eq!(out.status.code(), Some(2));
}

#[test]
fn an_agent_does_not_take_the_hooks_out() {
    let yard = yard();
    let out = yard.agent("$LG uninstall git --yes");
    assert_eq!(out.status.code(), Some(1));
    assert!(yard.at("repo/.git/hooks/pre-push").exists());
}

#[test]
fn status_and_doctor_see_hooks_that_git_no_longer_comes_to() {
    let yard = yard();
    let said = |verb: &str| String::from_utf8_lossy(&yard.verb(&[verb]).stdout).into_owned();
    let active = "git hooks  active: pre-commit prepare-commit-msg pre-push";
    assert!(said("status").contains(active), "{}", said("status"));
    assert!(!said("doctor").contains("own/git-hooks"));
    let asleep = |how: &str| {
        assert!(
            said("status").contains("NOT REACHED: "),
            "{how}: {}",
            said("status")
        );
        assert!(
            said("doctor").contains("git does not come to our"),
            "{how}: {}",
            said("doctor")
        );
    };
    yard.git(&["config", "core.hooksPath", "elsewhere"]);
    asleep("another directory");
    yard.git(&["config", "--unset", "core.hooksPath"]);
    let hook = yard.at("repo/.git/hooks/pre-push");
    let text = fs::read_to_string(&hook).unwrap();
    fs::write(&hook, "").unwrap();
    support::repo::put(&yard.at("repo/.git/hooks/pre-push.old"), &text);
    yard.program(
        "repo/.git/hooks/pre-push",
        "#!/bin/sh\ncall_lefthook run pre-push\n",
    );
    asleep("lefthook put ours aside");
    fs::write(&hook, text).unwrap();
    assert!(said("status").contains(active));
    let mode = std::os::unix::fs::PermissionsExt::from_mode(0o644);
    fs::set_permissions(&hook, mode).unwrap();
    asleep("not executable");
}

// --- hooks in git's config, and which git is asked --------------------------------------------------

/// A git that says it is 2.54, notes what it is asked, and lets the real one answer.
fn newer(yard: &Hooked) {
    let asked = yard.at("asked");
    yard.program(
        "newer/git",
        &format!(
            "#!/bin/sh\n[ \"$1\" = --version ] && echo git version 2.54.0 && exit 0\n\
             echo \"$*\" >> {}\nexec git \"$@\"\n",
            asked.display()
        )
        .replace("exec git", "PATH=/usr/local/bin:/usr/bin:/bin exec git"),
    );
}

/// leaseguard, by a person who has the newer git on the `PATH`.
#[track_caller]
fn by_person(yard: &Hooked, line: &str) -> String {
    let path = yard.at("newer");
    let (code, text) = yard.person(&format!("PATH={}:$PATH $LG {line}", path.display()), "");
    assert!(code == 0 || line == "status", "{line}: {text}");
    text
}

fn entries(yard: &Hooked) -> String {
    let out = yard.agent("git config --file .git/config --get-regexp '^hook'");
    String::from_utf8_lossy(&out.stdout).into_owned()
}

#[test]
fn hooks_go_into_config_where_that_is_wished_and_come_out_again_to_the_byte() {
    let yard = Hooked::bare(BINARY);
    newer(&yard);
    let config = fs::read(yard.at("repo/.git/config")).unwrap();
    let said = by_person(&yard, "install git --way config --yes");
    let folder = yard.at("repo/.git/leaseguard");
    for hook in ["pre-commit", "prepare-commit-msg", "pre-push"] {
        let entries = entries(&yard);
        let event = format!("hook.leaseguard-{hook}.event {hook}\n");
        assert!(entries.contains(&event), "{said}{entries}");
        let command = format!(
            "hook.leaseguard-{hook}.command {}\n",
            folder.join(hook).display()
        );
        assert!(entries.contains(&command), "{entries}");
        assert!(!yard.at("repo/.git/hooks").join(hook).exists());
    }
    let again = by_person(&yard, "install git --way config --yes");
    assert!(again.contains("in place already"), "{again}");
    // What git would run from there.
    let line = format!("x {0} refs/heads/main {0}", yard.rev("HEAD"));
    let out = yard.agent(&format!(
        "echo '{line}' | $(git config hook.leaseguard-pre-push.command) origin ../origin.git"
    ));
    refused(&out, "git/base-push");
    by_person(&yard, "uninstall git --yes");
    assert_eq!(config, fs::read(yard.at("repo/.git/config")).unwrap());
    assert!(!folder.exists());
}

#[test]
fn one_way_takes_the_place_of_the_other() {
    let yard = yard();
    newer(&yard);
    yard.git(&["config", "hook.mine.command", "true"]);
    let files = || yard.at("repo/.git/hooks/pre-push").exists();
    by_person(&yard, "install git --way config --yes");
    assert!(!files() && entries(&yard).contains("hook.leaseguard-pre-push.command"));
    by_person(&yard, "install git --way files --yes");
    assert!(files());
    assert_eq!(entries(&yard), "hook.mine.command true\n");
    assert!(!yard.at("repo/.git/leaseguard").exists());
}

#[test]
fn an_agent_does_not_move_the_hooks_to_where_an_old_git_passes_over_them() {
    let yard = yard();
    let out = yard.agent("$LG install git --dry-run");
    let old = String::from_utf8_lossy(&out.stdout).contains("hooks go into files");
    let out = yard.agent("$LG install git --way config --yes");
    assert_eq!(out.status.success(), !old, "{out:?}");
    assert_eq!(yard.at("repo/.git/hooks/pre-push").exists(), old);
}

#[test]
fn status_knows_hooks_in_config_and_when_git_does_not_come_to_them() {
    let yard = Hooked::bare(BINARY);
    newer(&yard);
    by_person(&yard, "install git --way config --yes");
    let active = "active: pre-commit prepare-commit-msg pre-push; in config";
    // No other directory of hooks, and no manager, takes these away.
    yard.git(&["config", "core.hooksPath", "elsewhere"]);
    let said = by_person(&yard, "status");
    assert!(said.contains(active), "{said}");
    for (key, value) in [
        ("hook.leaseguard-pre-push.enabled", "false"),
        ("hook.pre-push.enabled", "off"),
        ("hook.leaseguard-pre-push.command", "true"),
        ("hook.leaseguard-pre-push.event", "post-commit"),
    ] {
        yard.git(&["config", key, value]);
        let said = by_person(&yard, "status");
        assert!(said.contains("NOT REACHED: pre-push"), "{key}: {said}");
        yard.git(&["config", "--unset-all", key]);
        by_person(&yard, "install git --way config --yes");
        let said = by_person(&yard, "status");
        assert!(said.contains(active), "{key}: {said}");
    }
}

#[test]
fn the_git_of_the_install_is_asked_and_those_in_the_usual_places_after_it() {
    let yard = Hooked::bare(BINARY);
    newer(&yard);
    by_person(&yard, "install git --way files --yes");
    let named = format!("--git '{}'", yard.at("newer/git").display());
    let hook = yard.at("repo/.git/hooks/pre-push");
    assert!(fs::read_to_string(&hook).unwrap().contains(&named));
    yard.commit("b");
    passed(&yard.agent("git push -q origin HEAD"));
    let asked = || fs::read_to_string(yard.at("asked")).unwrap_or_default();
    assert!(!asked().contains("is-ancestor"));
    yard.commit("c");
    passed(&yard.agent("git push -q origin HEAD"));
    assert!(asked().contains("merge-base --is-ancestor"), "{}", asked());
    fs::remove_dir_all(yard.at("newer")).unwrap();
    yard.commit("d");
    passed(&yard.agent("git push -q origin HEAD"));
    yard.git(&["reset", "-q", "--hard", "HEAD~1"]);
    refused(&yard.agent("git push -f origin HEAD"), "git/force-push");
}

#[test]
fn a_git_that_an_agent_has_on_its_path_is_none_to_ask() {
    let yard = Hooked::bare(BINARY);
    newer(&yard);
    let out = yard.agent("PATH=$PWD/../newer:$PATH $LG install git --yes");
    assert!(out.status.success(), "{out:?}");
    let text = fs::read_to_string(yard.at("repo/.git/hooks/pre-push")).unwrap();
    assert!(text.contains("--git '/"), "{text}");
    assert!(!text.contains("newer"), "{text}");
}

// --- the checkout that git works in -----------------------------------------------------------------

#[test]
fn a_commit_is_judged_in_the_checkout_that_git_works_in() {
    let yard = yard();
    let policy = yard.at("home/.config/leaseguard/policy.toml");
    support::repo::put(&policy, "[rules]\n\"git/commit-all\" = \"allow\"\n");
    yard.git(&["worktree", "add", "-q", "-b", "side", "../side"]);
    // Only here a sweep is refused.
    let strict = "[rules]\n\"git/commit-all\" = \"deny\"\n";
    support::repo::put(&yard.at("side/leaseguard.toml"), strict);
    let side = yard.at("side").display().to_string();
    let repo = yard.at("repo").display().to_string();
    for dir in ["repo/sub/deep", "side/sub/deep"] {
        fs::create_dir_all(yard.at(dir)).unwrap();
    }
    let git_dir = yard.git(&["-C", "../side", "rev-parse", "--absolute-git-dir"]);
    let commit = "commit -q -am x";
    for (dir, prefix) in [
        ("side", "git"),
        ("side/sub/deep", "git"),
        ("repo", "git -C ../side"),
        ("repo/sub", "git -C ../../side/sub"),
        (
            "home",
            &*format!("git --git-dir={git_dir} --work-tree={side}"),
        ),
        (
            "home",
            &*format!("GIT_DIR={git_dir} GIT_WORK_TREE={side} git"),
        ),
        ("side/sub", &*format!("GIT_WORK_TREE={side} git")),
    ] {
        fs::write(yard.at("side/a"), format!("{dir}{prefix}")).unwrap();
        let line = format!("cd {} && {prefix} {commit}", yard.at(dir).display());
        let out = yard.agent(&line);
        let text = String::from_utf8_lossy(&out.stderr);
        assert!(!out.status.success(), "{line} was let go");
        assert!(text.contains("denied git/commit-all:"), "{line}: {text}");
    }
    let common = yard.at("repo/.git").display().to_string();
    for (dir, prefix) in [
        ("repo", "git"),
        ("repo/sub/deep", "git"),
        ("side", "git -C ../repo"),
        ("side/sub", "git -C ../../repo/sub"),
        (
            "side",
            &*format!("git --git-dir={common} --work-tree={repo}"),
        ),
        (
            "side",
            &*format!("GIT_DIR={common} GIT_WORK_TREE={repo} git"),
        ),
        ("repo/sub", "GIT_PREFIX=../side/ git"),
    ] {
        fs::write(yard.at("repo/a"), format!("{dir}{prefix}")).unwrap();
        let line = format!("cd {} && {prefix} {commit}", yard.at(dir).display());
        let out = yard.agent(&line);
        let text = String::from_utf8_lossy(&out.stderr);
        assert!(out.status.success(), "{line}: {text}");
    }
}
