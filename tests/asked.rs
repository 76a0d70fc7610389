//! What files alone do not tell git is asked, and the answer is git's: held against real git.
#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a test may stop anywhere and tell why"
)]

mod sandbox;

use leaseguard::verdict::Decision;
use leaseguard::world::Environment;
use sandbox::Sandbox;
use sandbox::foretold::{Foretold, judge, judge_with};
use std::ffi::OsString;

/// A world on `feature` after `script`, run in `work`.
fn after(script: &str) -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.fresh();
    let (ok, out) = sandbox.bash(script, &sandbox.root.join("work"));
    assert!(ok, "{script}: {out}");
    sandbox
}

fn sure(told: &Foretold, want: Decision, what: &str) {
    assert_eq!(told.decision, want, "{what}: {told:?}");
    assert!(told.unclear.is_empty(), "{what}: {told:?}");
}

const MATCHING: &str = "printf '[push]\\ndefault=matching\\n' >$ROOT/inc.cfg";

#[test]
fn an_include_that_hangs_on_the_urls_of_remotes_is_followed_as_git_follows_it() {
    for (pattern, want) in [
        ("**/origin.git", Decision::Deny),
        ("**/elsewhere.git", Decision::Allow),
    ] {
        let sandbox = after(&format!(
            "{MATCHING}; git config 'includeIf.hasconfig:remote.*.url:{pattern}.path' $ROOT/inc.cfg"
        ));
        sure(&judge(&sandbox, "git push", "work"), want, pattern);
        sure(&judge(&sandbox, "git push", "work/sub"), want, pattern);
        // What the call does to remotes first, the disk does not show.
        let told = judge(
            &sandbox,
            "git remote add other ../elsewhere.git; git push",
            "work",
        );
        assert_ne!(told.decision, Decision::Allow, "{pattern}: {told:?}");
    }
}

#[test]
fn an_include_of_another_users_home_is_followed() {
    let sandbox = after("git config include.path '~root/no-such-file-of-anybody.cfg'");
    sure(
        &judge(&sandbox, "git push", "work"),
        Decision::Allow,
        "nothing there",
    );
}

#[test]
fn a_git_that_does_not_answer_leaves_the_doubt() {
    let sandbox = after(&format!(
        "{MATCHING}; git config 'includeIf.hasconfig:remote.*.url:**/origin.git.path' $ROOT/inc.cfg; \
         git config core.repositoryformatversion 99"
    ));
    let told = judge(&sandbox, "git push", "work");
    assert_ne!(told.decision, Decision::Allow, "{told:?}");
}

fn matching(name: &str) -> Option<OsString> {
    let value = match name {
        "GIT_CONFIG_COUNT" => "1",
        "GIT_CONFIG_KEY_0" => "push.default",
        "GIT_CONFIG_VALUE_0" => "matching",
        _ => return None,
    };
    Some(value.into())
}

fn harmless(name: &str) -> Option<OsString> {
    match name {
        "GIT_CONFIG_PARAMETERS" => Some("'core.abbrev'='9'".into()),
        "GIT_CONFIG_NOSYSTEM" => Some("1".into()),
        _ => None,
    }
}

fn no_global(name: &str) -> Option<OsString> {
    (name == "GIT_CONFIG_GLOBAL").then(|| "/dev/null/none".into())
}

#[test]
fn config_of_the_processs_own_environment_counts() {
    let sandbox = after("true");
    let told = |text: &str, look| judge_with(&sandbox, text, "work", Environment::new(look));
    sure(&told("git push", matching), Decision::Deny, "matching");
    sure(&told("git push", harmless), Decision::Allow, "harmless");
    sure(&told("git push", no_global), Decision::Allow, "no global");
    // Whether it still counts is not known.
    for text in ["unset GIT_CONFIG_COUNT; git push", "env -i git push"] {
        let told = told(text, matching);
        assert_ne!(told.decision, Decision::Allow, "{text}: {told:?}");
    }
}

#[test]
fn a_reftable_repository_gets_the_answers_of_any_other() {
    let sandbox = after("rm -r .git/logs");
    let migrate = "git refs migrate --ref-format=reftable && test -d .git/reftable";
    if !sandbox.bash(migrate, &sandbox.root.join("work")).0 {
        println!("SKIPPED: this git cannot move refs into a reftable");
        return;
    }
    for (text, want) in [
        ("git push", Decision::Allow),
        ("git push origin feat/x", Decision::Allow),
        ("git push origin main", Decision::Deny),
        ("git push origin HEAD:main", Decision::Deny),
        ("git push --all", Decision::Deny),
        ("git switch -q main && git push", Decision::Deny),
        ("git switch -q feat/x && git push", Decision::Allow),
    ] {
        sure(&judge(&sandbox, text, "work"), want, text);
    }
    let work = sandbox.root.join("work");
    assert!(sandbox.bash("git checkout -q --detach", &work).0);
    let told = judge(&sandbox, "git push origin HEAD:refs/heads/topic", "work");
    sure(&told, Decision::Allow, "detached");
    assert!(sandbox.bash("git switch -q main", &work).0);
    let told = judge(&sandbox, "git push origin HEAD", "work");
    sure(&told, Decision::Deny, "on main");
}

#[test]
fn remotes_of_the_old_kind_are_read_as_git_reads_them() {
    let sandbox = after(
        "mkdir -p .git/branches .git/remotes; echo \"$ROOT/third.git#topic\" >.git/branches/leg; \
         printf \"URL: $ROOT/origin.git\\nPush: refs/heads/feature:refs/heads/main\\n\" >.git/remotes/old; \
         printf \"URL: $ROOT/origin.git\\n\" >.git/remotes/plain; echo $ROOT/third.git >.git/branches/bare",
    );
    for (text, want) in [
        ("git push old", Decision::Deny),
        ("git push plain feature", Decision::Allow),
        ("git push plain main", Decision::Deny),
    ] {
        sure(&judge(&sandbox, text, "work"), want, text);
    }
    // It rewrites the local branch `leg` as well.
    let told = judge(&sandbox, "git push leg", "work");
    assert!(told.has("refs/heads/topic", "create"), "{told:?}");
    assert!(told.has("refs/heads/leg", "forced"), "{told:?}");
    // The name of its branch hangs on how git was built.
    let told = judge(&sandbox, "git push bare", "work");
    assert_ne!(told.decision, Decision::Allow, "{told:?}");
}
