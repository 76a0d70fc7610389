//! What forge programs do besides merging, and words that no program expects.

use super::*;
use crate::action::testing::command;
use crate::action::{basename, publish};

fn acts(text: &str) -> Vec<Act> {
    let command = command(text);
    let name = basename(&command.words[0].text).to_owned();
    read(&name, &command)
}

#[test]
fn a_checkout_of_a_pull_request_is_a_switch_and_by_force_a_discard() {
    for text in [
        "gh pr checkout 12",
        "gh co 12",
        "gh pr checkout 12 --detach",
        "gh -R a/b pr checkout 12",
    ] {
        assert!(matches!(acts(text).as_slice(), [Act::Switch(_)]), "{text}");
    }
    for text in [
        "gh pr checkout 12 --force",
        "gh pr checkout -f 12",
        "gh co 12 -f",
    ] {
        assert!(
            matches!(acts(text).as_slice(), [Act::Discard(_), Act::Switch(_)]),
            "{text}"
        );
    }
    let named = acts("gh pr checkout 12 -b fix");
    assert!(
        matches!(named.as_slice(), [Act::Switch(s)] if s.to.as_ref().and_then(Word::known) == Some("fix"))
    );
    assert!(acts("gh pr checkout --help").is_empty());
}

#[test]
fn a_clone_makes_a_repository_of_which_nothing_is_known() {
    let dir = |text: &str| match acts(text).as_slice() {
        [Act::NewRepository { dir, .. }] => dir.as_ref().map(|w| w.text.clone()),
        other => panic!("{text}: {other:?}"),
    };
    assert_eq!(dir("gh repo clone acme/app").as_deref(), Some("app"));
    assert_eq!(
        dir("gh repo clone https://github.com/acme/app.git").as_deref(),
        Some("app")
    );
    assert_eq!(
        dir("gh repo clone acme/app here -- --depth 1").as_deref(),
        Some("here")
    );
}

#[test]
fn hub_hands_the_verbs_of_git_to_git() {
    let handed = |text: &str| as_git("hub", &command(text)).map(|c| c.words[0].text.clone());
    assert_eq!(handed("hub push -f").as_deref(), Some("git"));
    assert_eq!(handed("hub -C x commit -a").as_deref(), Some("git"));
    assert_eq!(handed("hub release create v1"), None);
    assert_eq!(handed("hub"), None);
    assert!(as_git("gh", &command("gh push")).is_none());
}

#[test]
fn verbs_that_add_ons_bring_to_git_are_known() {
    let words = command("town ship").words;
    assert!(matches!(
        stack::external(&words).as_slice(),
        [Act::ForgeMerge(_)]
    ));
    assert!(stack::external(&command("status").words).is_empty());
    assert!(matches!(
        git_verbs("git-town", &command("git-town sync"), &[]).as_slice(),
        [Act::ForgeRefs(_)]
    ));
    assert!(git_verbs("git-lfs", &command("git-lfs push origin main"), &[]).is_empty());
}

#[test]
fn push_options_that_merge_are_known() {
    for option in [
        "merge_request.merge_when_pipeline_succeeds",
        "merge_request.merge_when_pipeline_succeeds=true",
        "merge_request.auto_merge",
        "submit",
        "%submit",
        "HEAD:refs/for/main%submit",
        "refs/for/main%r=a@b,submit",
    ] {
        assert!(merge_option(option), "{option}");
    }
    for option in [
        "merge_request.create",
        "merge_request.title=submit",
        "ci.skip",
        "merge_request.target=main",
        "refs/for/main",
        "refs/for/main%wip",
        "merge_request.merge_when_pipeline_succeeds=false",
        "",
    ] {
        assert!(!merge_option(option), "{option}");
    }
}

#[test]
fn words_that_nobody_expects_break_nothing() {
    let programs = [
        "gh",
        "glab",
        "hub",
        "curl",
        "wget",
        "http",
        "irm",
        "jj",
        "gt",
        "az",
        "npm",
        "yarn",
        "pnpm",
        "npx",
        "cargo",
        "docker",
        "kubectl",
        "helm",
        "terraform",
        "mvn",
        "python",
        "rake",
        "vercel",
        "gem",
    ];
    let words = [
        "",
        "-",
        "--",
        "---",
        "-=",
        "--=",
        "--=x",
        "=",
        "$X",
        "\"$X\"",
        "api",
        "pr",
        "merge",
        "publish",
        "é",
        "-é",
        "--é=é",
        "+x",
        "@",
        "@a@b",
        "/",
        "//",
        "://",
        "https://",
        "https:///",
        "graphql",
        "-f",
        "query=",
        "-X",
        "--next",
        "alias",
        "set",
        "-m",
        "workspaces",
        "foreach",
        "workspace",
        "x:y",
        "'a b'",
        "#",
        "?",
        "[::1]:1/x",
    ];
    let mut seed = 7usize;
    for round in 0..40_000 {
        let mut text = programs[round % programs.len()].to_owned();
        for _ in 0..(round % 6) {
            seed = seed
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            text.push(' ');
            text.push_str(words[(seed >> 33) % words.len()]);
        }
        let command = command(&text);
        let name = basename(&command.words[0].text).to_owned();
        let _ = read(&name, &command);
        let _ = publish::read(&name, &command);
    }
}
