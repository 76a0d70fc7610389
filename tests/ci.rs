//! CI in flight: what answers of forges mean, and real processes that ask fake ones.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout
)]

mod support;

use leaseguard::ci::{self, Line, Moment, Standing, State, Subject};
use leaseguard::policy::Policy;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};
use support::repo::{self, Repo, put, runnable};
use support::setup::Setup;

// --- meaning ----------------------------------------------------------------------------------------

const HEAD: &str = "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa";

fn moment(clock: &str) -> Moment {
    Moment::parse(&format!("2026-11-29T{clock}Z")).expect("a clock")
}

fn subject<'a>() -> Subject<'a> {
    Subject {
        url: "https://github.com/o/r.git",
        branch: "feature",
        head: Some(HEAD),
        pushed: Some(moment("12:00:00")),
        seen: Some(moment("12:00:00")),
    }
}

fn github(name: &str) -> PathBuf {
    support::root().join(format!("fixtures/ci/github/{name}.json"))
}

/// In the words of `index.json`.
fn class(text: &str, now: Moment) -> &'static str {
    let Ok(answer) = ci::github::parse(text, "O") else {
        return "provider_error";
    };
    match ci::judge(&answer, &subject(), &Policy::default(), now) {
        State::Idle => "idle",
        State::InFlight(lines) if lines.iter().all(|l| l.review) => "review_in_flight",
        State::InFlight(_) => "ci_in_flight",
        State::Unclear(why) => {
            let all = why.join("; ");
            let known = [
                ("none is registered yet", "unknown_registering"),
                ("git fetch", "unknown_head_mismatch"),
                ("more checks than were read", "unknown_paged"),
                ("does not know", "unknown_state"),
            ];
            let found = known.iter().find(|(words, _)| all.contains(words));
            found.map_or("unclear", |(_, class)| class)
        }
    }
}

#[test]
fn every_answer_of_the_index_means_what_the_index_says() {
    let index = std::fs::read_to_string(github("index")).unwrap();
    let index: serde_json::Map<String, Value> = serde_json::from_str(&index).unwrap();
    assert!(index.len() >= 20);
    let mut report = support::Report::default();
    for (name, row) in &index {
        let text = std::fs::read_to_string(github(name)).unwrap();
        let got = class(&text, moment("12:05:00"));
        let want = row["expect"].as_str().unwrap();
        report.check(got == want, "index", || {
            format!("{name}: want {want} got {got}: {}", row["why"])
        });
    }
    report.end("answers of GitHub");
}

#[test]
fn a_pull_request_of_a_fork_lives_in_the_repository_that_was_forked() {
    let text = std::fs::read_to_string(github("02-ci-mixed-in-flight")).unwrap();
    let mut body: Value = serde_json::from_str(&text).unwrap();
    let repository = &mut body["data"]["repository"];
    repository["parent"] = json!({ "pullRequests": repository["pullRequests"] });
    repository["pullRequests"] = json!({ "totalCount": 0, "nodes": [] });
    let now = moment("12:05:00");
    assert_eq!(class(&body.to_string(), now), "ci_in_flight");
    let pull = &mut body["data"]["repository"]["parent"]["pullRequests"]["nodes"][0];
    pull["headRepositoryOwner"]["login"] = json!("somebody");
    assert_eq!(class(&body.to_string(), now), "idle");
}

#[test]
fn a_request_has_the_time_at_which_it_was_made_and_a_queue_asks() {
    let text = std::fs::read_to_string(github("07-copilot-requested")).unwrap();
    let mut body: Value = serde_json::from_str(&text).unwrap();
    let pull = &mut body["data"]["repository"]["pullRequests"]["nodes"][0];
    let bot = json!({ "__typename": "Bot", "login": "copilot-pull-request-reviewer" });
    pull["timelineItems"] = json!({ "nodes": [
        { "createdAt": "2026-11-29T11:00:00Z", "requestedReviewer": bot },
        { "createdAt": "2026-11-29T12:30:00Z", "requestedReviewer": bot },
        { "createdAt": "2026-11-29T12:50:00Z", "requestedReviewer": { "__typename": "User" } },
    ] });
    let now = moment("12:45:00");
    assert_eq!(class(&body.to_string(), now), "review_in_flight");
    assert_eq!(class(&body.to_string(), moment("13:05:00")), "unclear");
    let pull = &mut body["data"]["repository"]["pullRequests"]["nodes"][0];
    pull["reviewRequests"] = json!({ "nodes": [] });
    assert_eq!(class(&body.to_string(), now), "idle");
    let pull = &mut body["data"]["repository"]["pullRequests"]["nodes"][0];
    pull["isInMergeQueue"] = json!(true);
    assert_eq!(class(&body.to_string(), now), "unclear");
}

#[test]
fn what_may_not_be_seen_is_a_trouble_and_not_idle() {
    let text = std::fs::read_to_string(github("01-idle-all-green")).unwrap();
    let mut body: Value = serde_json::from_str(&text).unwrap();
    body["errors"] = json!([{ "type": "FORBIDDEN", "message": "Resource not accessible" }]);
    assert_eq!(
        class(&body.to_string(), moment("12:05:00")),
        "provider_error"
    );
}

/// leaseguard's own JSON, judged at 13:00 for a head that was pushed at 12:00.
fn meaning(pull: Value, policy: &str) -> State {
    let temp = tempfile::tempdir().unwrap();
    let user = temp.path().join("policy.toml");
    put(&user, policy);
    let policy = Policy::load(&leaseguard::policy::Places {
        user_file: Some(&user),
        ..leaseguard::policy::Places::none(&leaseguard::rules::KNOWN)
    });
    assert_eq!(policy.troubles, Vec::<String>::new());
    let mut pull = pull;
    pull["number"] = json!(7);
    if pull["head"].is_null() {
        pull["head"] = json!(HEAD);
    }
    let answer = json!({ "v": 1, "head": HEAD, "pulls": [pull] });
    let answer = ci::Answer::parse(&answer.to_string()).unwrap();
    ci::judge(&answer, &subject(), &policy, moment("13:00:00"))
}

fn what(state: &State) -> Vec<&str> {
    match state {
        State::InFlight(lines) => lines.iter().map(|l| l.what.as_str()).collect(),
        other => panic!("not in flight: {other:?}"),
    }
}

fn unclear(state: State) -> String {
    match state {
        State::Unclear(why) => why.join("; "),
        other => panic!("not unclear: {other:?}"),
    }
}

fn done(name: &str) -> Value {
    json!({ "name": name, "status": "completed", "conclusion": "success" })
}

#[test]
fn a_check_that_runs_for_longer_than_the_policy_allows_is_a_doubt() {
    let pull = json!({ "checks": [{ "name": "e2e", "status": "in_progress", "started": "2026-11-29T12:10:00Z" }] });
    assert_eq!(what(&meaning(pull.clone(), "")), ["e2e"]);
    let why = unclear(meaning(pull, "ci.max_in_flight_age = '40m'"));
    assert!(why.contains("for 50m, which is longer than 40m"), "{why}");
}

#[test]
fn a_rerun_replaces_the_older_check_of_its_run_and_of_no_other() {
    let check = |id: u64, run: u64, status: &str| json!({ "name": "e2e", "id": id, "run": run, "status": status, "started": "2026-11-29T12:30:00Z" });
    let pull = |a: Value, b: Value| json!({ "checks": [a, b] });
    let replaced = pull(check(3, 100, "in_progress"), check(8, 100, "completed"));
    assert_eq!(meaning(replaced, ""), State::Idle);
    let rerun = pull(check(3, 100, "completed"), check(8, 100, "in_progress"));
    assert_eq!(what(&meaning(rerun, "")), ["e2e"]);
    let other = pull(check(3, 100, "in_progress"), check(8, 200, "completed"));
    assert_eq!(what(&meaning(other, "")), ["e2e"]);
}

#[test]
fn what_waits_for_an_approval_is_the_policys_to_decide() {
    let pull = json!({ "checks": [done("test"), { "name": "deploy", "status": "waiting" }] });
    assert!(unclear(meaning(pull.clone(), "")).contains("approval"));
    assert_eq!(meaning(pull.clone(), "ci.waiting = 'allow'"), State::Idle);
    assert_eq!(what(&meaning(pull, "ci.waiting = 'deny'")), ["deploy"]);
}

#[test]
fn what_is_expected_and_never_reports_asks_and_does_not_block() {
    let pull = json!({ "checks": [done("test")], "expected": true });
    assert!(unclear(meaning(pull, "")).contains("has not reported"));
}

#[test]
fn checks_are_awaited_for_a_while_after_a_push_and_no_longer() {
    let pull = json!({ "checks": [done("GitGuardian")] });
    assert_eq!(meaning(pull.clone(), ""), State::Idle);
    assert_eq!(what(&meaning(pull, "ci.grace = '2h'")), ["checks"]);
}

#[test]
fn a_bot_that_reviewed_the_head_paused_or_went_is_not_awaited() {
    let eyes = json!([{ "by": "greptile-apps", "bot": true, "text": "eyes" }]);
    let review = |head: &str| json!([{ "by": "greptile-apps", "bot": true, "head": head, "at": "2026-11-29T12:10:00Z" }]);
    let wait = "[[ci.review_bot]]\nname = 'greptile'\nlogins = ['greptile-apps']\nsignals = ['reaction']\nmax_wait = '3h'\n";
    let pull = |reviews: Value, more: Value| json!({ "checks": [done("test")], "reactions": eyes, "reviews": reviews, "comments": more });
    assert_eq!(
        what(&meaning(pull(review("b"), json!([])), wait)),
        ["greptile"]
    );
    assert_eq!(meaning(pull(review(HEAD), json!([])), wait), State::Idle);
    // Half an hour is the most that it takes.
    assert_eq!(meaning(pull(review("b"), json!([])), ""), State::Idle);
    let paused = json!([{ "by": "coderabbitai", "bot": true, "text": "Reviews paused", "at": "2026-11-29T12:59:00Z" }]);
    let busy = json!([{ "by": "coderabbitai[bot]", "bot": true, "text": "> Currently processing new changes", "at": "2026-11-29T12:59:00Z" }]);
    let only = |comments: Value| json!({ "checks": [done("test")], "comments": comments });
    assert_eq!(meaning(only(paused), ""), State::Idle);
    assert_eq!(what(&meaning(only(busy), "")), ["coderabbit"]);
}

#[test]
fn a_bot_that_cannot_be_watched_has_to_be_quiet_for_a_while() {
    let pull = |at: &str| json!({ "checks": [done("test")], "reviews": [{ "by": "gemini-code-assist", "bot": true, "head": "b", "at": at }] });
    assert_eq!(
        what(&meaning(pull("2026-11-29T12:59:10Z"), "")),
        ["gemini-code-assist"]
    );
    assert_eq!(meaning(pull("2026-11-29T12:50:00Z"), ""), State::Idle);
    assert_eq!(
        meaning(pull("2026-11-29T12:59:10Z"), "ci.quiet = '10s'"),
        State::Idle
    );
}

#[test]
fn a_bot_of_the_policy_is_known_by_its_checks_and_texts() {
    let bot = "[[ci.review_bot]]\nname = 'ours'\nlogins = ['our-*']\nchecks = ['Our Review*']\nsignals = ['check', 'comment']\nbusy = ['looking at this']\n";
    let pull = json!({ "checks": [{ "name": "our review (1)", "status": "queued" }], "comments": [{ "by": "our-bot", "bot": true, "text": "Looking at this now", "at": "2026-11-29T12:55:00Z" }] });
    let State::InFlight(lines) = meaning(pull, bot) else {
        panic!("idle")
    };
    assert_eq!(lines.len(), 2);
    assert!(lines.iter().all(|l| l.review), "{lines:?}");
}

#[test]
fn pipelines_of_another_commit_do_not_count_and_unknown_words_ask() {
    let path = support::root().join("fixtures/ci/gitlab/mr-pipelines.json");
    let text = std::fs::read_to_string(path).unwrap();
    let judge = |text: &str| {
        let answer = ci::gitlab::parse(text, HEAD).unwrap();
        ci::judge(&answer, &subject(), &Policy::default(), moment("12:05:00"))
    };
    assert!(matches!(judge(&text), State::InFlight(_)));
    let with = |word: &str| text.replace("waiting_for_resource", word);
    for word in [
        "created",
        "preparing",
        "waiting_for_callback",
        "pending",
        "running",
        "canceling",
    ] {
        assert!(matches!(judge(&with(word)), State::InFlight(_)), "{word}");
    }
    for word in [
        "manual",
        "scheduled",
        "success",
        "failed",
        "canceled",
        "skipped",
    ] {
        assert_eq!(judge(&with(word)), State::Idle, "{word}");
    }
    assert!(matches!(judge(&with("glowing")), State::Unclear(_)));
}

#[test]
fn what_runs_goes_before_what_is_not_known() {
    let line = |standing| Line {
        pull: None,
        what: "x".to_owned(),
        standing,
        why: "y".to_owned(),
        since: None,
        review: false,
    };
    let all = [Standing::Settled, Standing::Doubt, Standing::Running];
    assert!(matches!(
        State::of(all.map(line).to_vec()),
        State::InFlight(_)
    ));
    assert!(matches!(
        State::of(all[..2].iter().map(|s| line(*s)).collect()),
        State::Unclear(_)
    ));
    assert_eq!(State::of(vec![line(Standing::Settled)]), State::Idle);
}

// --- real processes ---------------------------------------------------------------------------------

/// A repository whose origin is on a forge, and a machine with fake programs.
struct Room {
    repo: Repo,
    bin: PathBuf,
    log: PathBuf,
    head: String,
}

const POLICY: &str = "[ci]\ngrace = '0s'\nquiet = '0s'\n";

impl Room {
    fn new(url: &str) -> Room {
        let setup = Setup {
            clean: true,
            ..Setup::default()
        };
        let repo = repo::fresh(&setup);
        let git = |args: &[&str]| support::git::git(&repo.top, &repo.home, args);
        git(&["config", "remote.origin.url", url]);
        let head = git(&["rev-parse", "refs/remotes/origin/feat/x"]);
        let bin = repo.root.join("bin");
        for name in ["gh", "glab"] {
            put(&bin.join(name), support::forge::FAKE);
            runnable(&bin.join(name));
        }
        put(
            &repo.home.join(".config/gh/hosts.yml"),
            "github.com:\n    user: ann\nghe.example.com:\n    user: ann\n",
        );
        put(
            &repo.home.join(".config/glab-cli/config.yml"),
            "hosts:\n    gitlab.com:\n        token: x\n",
        );
        let room = Room {
            log: repo.root.join("calls.log"),
            bin,
            head,
            repo,
        };
        room.policy(POLICY);
        room
    }

    fn policy(&self, text: &str) {
        put(&self.repo.home.join(".config/leaseguard/policy.toml"), text);
    }

    fn run(&self, args: &[&str], env: &[(&str, &str)]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_leaseguard"));
        command
            .args(args)
            .current_dir(&self.repo.cwd)
            .env_clear()
            .env("HOME", &self.repo.home)
            .env("PATH", format!("{}:/usr/bin:/bin", self.bin.display()))
            .env("FAKE_LOG", &self.log)
            .env("FAKE_HEAD", &self.head)
            .envs(env.iter().copied())
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        command
    }

    fn out(&self, args: &[&str], env: &[(&str, &str)]) -> Output {
        self.run(args, env).output().unwrap()
    }

    /// What `check` says of `git push`: the decision of the rule, and its reasons.
    fn push(&self, env: &[(&str, &str)]) -> (String, String) {
        self.check("git push", env)
    }

    fn check(&self, text: &str, env: &[(&str, &str)]) -> (String, String) {
        let out = self.out(&["check", "--json", text], env);
        let json: Value = serde_json::from_slice(&out.stdout)
            .unwrap_or_else(|e| panic!("{e}: {}", String::from_utf8_lossy(&out.stderr)));
        let findings = json["findings"].as_array().unwrap();
        let found = findings.iter().find(|f| f["rule"] == "ci/in-flight");
        let decision = found.map_or("allow", |f| f["decision"].as_str().unwrap());
        let because = found.map(|f| f["because"].to_string());
        (decision.to_owned(), because.unwrap_or_default())
    }

    fn calls(&self) -> Vec<String> {
        let log = std::fs::read_to_string(&self.log).unwrap_or_default();
        log.lines().map(str::to_owned).collect()
    }

    /// Forgets what was heard, so that the next call asks again.
    fn forget(&self) {
        let _ = std::fs::remove_dir_all(self.repo.home.join(".local/state/leaseguard/ci"));
    }
}

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

#[test]
fn a_push_is_denied_while_checks_run_and_goes_when_they_have_ended() {
    let room = Room::new("git@github.com:o/r.git");
    let (running, idle) = (
        github("02-ci-mixed-in-flight"),
        github("03-idle-failed-cancelled"),
    );
    let (decision, because) = room.push(&[("FAKE_BODY", text(&running))]);
    assert_eq!(decision, "deny", "{because}");
    assert!(
        because.contains("`test` on #7: in progress since"),
        "{because}"
    );
    assert!(because.contains("`e2e` on #7: queued"), "{because}");
    room.forget();
    let (decision, because) = room.push(&[("FAKE_BODY", text(&idle))]);
    assert_eq!(decision, "allow", "{because}");
    let calls = room.calls();
    assert_eq!(calls.len(), 2, "{calls:?}");
    let asked = &calls[0];
    for part in [
        "gh api graphql --include --hostname github.com",
        "owner=o",
        "repo=r",
        "branch=feat/x",
        "ref=refs/heads/feat/x",
    ] {
        assert!(asked.contains(part), "{part}: {asked}");
    }
}

#[test]
fn the_child_cannot_ask_and_is_told_nothing_that_would_lead_it_elsewhere() {
    let room = Room::new("https://github.com/o/r.git");
    let (idle, seen) = (github("12-no-pr"), room.repo.root.join("env"));
    let env = [
        ("FAKE_BODY", text(&idle)),
        ("FAKE_ENV", text(&seen)),
        ("GH_HOST", "elsewhere.example.com"),
        ("GH_DEBUG", "1"),
    ];
    assert_eq!(room.push(&env).0, "allow");
    let seen = std::fs::read_to_string(seen).unwrap();
    assert!(seen.contains("GH_PROMPT_DISABLED=1"), "{seen}");
    assert!(
        !seen.contains("GH_HOST") && !seen.contains("GH_DEBUG"),
        "{seen}"
    );
}

#[test]
fn what_does_not_fit_into_one_page_is_read_on() {
    let room = Room::new("https://github.com/o/r.git");
    let first = std::fs::read_to_string(github("15-more-than-100")).unwrap();
    let body = room.repo.root.join("first.json");
    put(
        &body,
        &first.replace("\"number\"", "\"id\": \"PR_1\", \"number\""),
    );
    let page = |status: &str, next: &str| {
        let path = room.repo.root.join(format!("page-{status}-{next}.json"));
        let rollup = json!({ "state": "SUCCESS", "contexts": {
            "pageInfo": { "hasNextPage": !next.is_empty(), "endCursor": next },
            "nodes": [{ "__typename": "CheckRun", "name": "last", "status": status, "conclusion": null, "startedAt": "2026-11-29T12:04:00Z" }] } });
        let commits = json!({ "nodes": [{ "commit": { "statusCheckRollup": rollup } }] });
        put(
            &path,
            &json!({ "data": { "node": { "commits": commits } } }).to_string(),
        );
        path
    };
    for (status, next, want, calls) in [
        ("COMPLETED", "", "allow", 2),
        ("IN_PROGRESS", "", "deny", 2),
        // A page that leads to itself.
        ("COMPLETED", "Y3Vyc29yOjEwMA==", "ask", 2),
        // Pages without end.
        ("COMPLETED", "other", "ask", 3),
    ] {
        let page = page(status, next);
        room.forget();
        let _ = std::fs::remove_file(&room.log);
        let (got, why) = room.push(&[("FAKE_BODY", text(&body)), ("FAKE_PAGE", text(&page))]);
        assert_eq!(got, want, "{status} {next}: {why}");
        assert_eq!(room.calls().len(), calls, "{status} {next}");
    }
}

#[test]
fn every_trouble_asks_and_names_its_cause() {
    let room = Room::new("https://github.com/o/r.git");
    let limited = github("17-rate-limited");
    let missing = github("18-repo-not-found");
    let head = github("11-race-stale-head");
    for (env, part) in [
        (&[("FAKE_SLEEP", "20")][..], "`gh` timed out after 2."),
        (
            &[("FAKE_STDERR", "garbage"), ("FAKE_RC", "1")],
            "`gh` failed: garbage",
        ),
        (&[("FAKE_BIG", "100")], "not the JSON"),
        (&[("FAKE_BIG", "6000000")], "more than 4 MiB"),
        (&[], "not the JSON"),
        (
            &[
                ("FAKE_RC", "4"),
                ("FAKE_STDERR", "To get started, please run: gh auth login"),
            ],
            "gh auth login --hostname github.com",
        ),
        (
            &[
                ("FAKE_RC", "1"),
                ("FAKE_STDERR", "error connecting to api.github.com"),
            ],
            "the network fails",
        ),
        (
            &[("FAKE_RC", "1"), ("FAKE_BODY", text(&limited))],
            "rate limited",
        ),
        (
            &[
                ("FAKE_RC", "1"),
                ("FAKE_BODY", text(&limited)),
                ("FAKE_HEADERS", "1795961100"),
            ],
            "rate limited until 14:05Z",
        ),
        (
            &[("FAKE_RC", "1"), ("FAKE_BODY", text(&missing))],
            "Could not resolve",
        ),
        (&[("FAKE_BODY", text(&head))], "git fetch"),
    ] {
        room.forget();
        let (decision, because) = room.push(env);
        assert_eq!(decision, "ask", "{part}: {because}");
        assert!(because.contains(part), "{part}: {because}");
    }
    for (word, want) in [("deny", "deny"), ("allow", "allow")] {
        room.forget();
        room.policy(&format!("{POLICY}on_trouble = '{word}'\n"));
        assert_eq!(room.push(&[]).0, want);
    }
}

#[test]
fn a_grandchild_that_keeps_the_output_open_is_not_waited_for_and_goes_too() {
    let room = Room::new("https://github.com/o/r.git");
    let (idle, pid) = (github("12-no-pr"), room.repo.root.join("pid"));
    let begun = Instant::now();
    let env = [
        ("FAKE_BODY", text(&idle)),
        ("FAKE_CHILD", "60"),
        ("FAKE_CHILD_PID", text(&pid)),
    ];
    assert_eq!(room.push(&env).0, "allow");
    assert!(
        begun.elapsed() < Duration::from_secs(30),
        "it was waited for"
    );
    let pid = std::fs::read_to_string(pid).unwrap();
    let stat = std::fs::read_to_string(format!("/proc/{}/stat", pid.trim()));
    // Gone, or dead and not yet collected.
    assert!(stat.map_or(true, |s| s.contains(") Z ")), "it still runs");
}

#[test]
fn a_burst_of_calls_asks_once() {
    let room = Room::new("https://github.com/o/r.git");
    let body = github("02-ci-mixed-in-flight");
    let payload = room.repo.root.join("payload.json");
    put(&payload, &payload_of(&room, "git push"));
    let env = [("FAKE_BODY", text(&body)), ("FAKE_SLEEP", "0.1")];
    let children: Vec<_> = (0..20)
        .map(|_| {
            room.run(&["hook"], &env)
                .stdin(std::fs::File::open(&payload).unwrap())
                .spawn()
                .unwrap()
        })
        .collect();
    let codes: Vec<_> = children
        .into_iter()
        .map(|c| c.wait_with_output().unwrap().status.code())
        .collect();
    assert_eq!(codes, vec![Some(2); 20]);
    assert_eq!(room.calls().len(), 1);
}

fn payload_of(room: &Room, command: &str) -> String {
    json!({
        "session_id": "11111111-2222-4333-8444-555555555555",
        "transcript_path": room.repo.home.join("transcript.jsonl"),
        "cwd": room.repo.cwd,
        "permission_mode": "default",
        "hook_event_name": "PreToolUse",
        "tool_name": "Bash",
        "tool_input": { "command": command, "description": "x" },
        "tool_use_id": "toolu_01",
    })
    .to_string()
}

#[test]
fn what_was_heard_holds_for_this_head_alone() {
    let room = Room::new("https://github.com/o/r.git");
    let idle = github("12-no-pr");
    let env = [("FAKE_BODY", text(&idle))];
    for _ in 0..3 {
        assert_eq!(room.push(&env).0, "allow");
    }
    assert_eq!(room.calls().len(), 1);
    let git = |args: &[&str]| support::git::git(&room.repo.top, &room.repo.home, args);
    let other = git(&["rev-parse", "refs/remotes/origin/feat/other"]);
    git(&["update-ref", "refs/remotes/origin/feat/x", &other]);
    let moved = [("FAKE_BODY", text(&idle)), ("FAKE_HEAD", other.as_str())];
    assert_eq!(room.push(&moved).0, "allow");
    assert_eq!(room.calls().len(), 2);
}

#[test]
fn only_pushes_that_move_an_existing_branch_start_a_process() {
    let room = Room::new("https://github.com/o/r.git");
    // Everything that could be started by name is a wire that is seen when it is touched.
    for name in ["git", "sh", "curl", "ssh", "python3"] {
        put(&room.bin.join(name), support::forge::FAKE);
        runnable(&room.bin.join(name));
    }
    let policy = format!("{POLICY}gate = 'on'\n");
    room.policy(&policy);
    for command in [
        "git status",
        "git commit --allow-empty -m x",
        "git fetch origin",
        "git log --oneline",
        "cargo test",
        "gh pr view 7",
        "git push --dry-run",
        "git push origin HEAD:refs/heads/feat/new",
        "git push origin HEAD:refs/tags/v2",
        "git push origin --delete feat/x",
        "git push origin HEAD:main",
        "git push origin feat/other",
    ] {
        room.out(&["check", command], &[]);
        assert_eq!(room.calls(), Vec::<String>::new(), "{command}");
    }
    room.out(&["check", "git push"], &[]);
    assert_eq!(room.calls().len(), 1);
}

#[test]
fn auto_is_on_where_the_program_is_installed_and_logged_in() {
    let running = github("02-ci-mixed-in-flight");
    let env = [("FAKE_BODY", text(&running))];
    for (url, gate, want) in [
        ("https://github.com/o/r.git", "auto", "deny"),
        ("ssh://git@ghe.example.com/o/r.git", "auto", "deny"),
        ("https://git.example.com/o/r.git", "auto", "allow"),
        ("https://git.example.com/o/r.git", "on", "ask"),
        ("https://github.com/o/r.git", "off", "allow"),
        ("../origin.git", "on", "allow"),
    ] {
        let room = Room::new(url);
        room.policy(&format!("{POLICY}gate = '{gate}'\n"));
        let (got, why) = room.push(&env);
        assert_eq!(got, want, "{url} {gate}: {why}");
        if url.contains("ghe") {
            assert!(room.calls()[0].contains("--hostname ghe.example.com"));
        }
    }
    let room = Room::new("https://github.com/o/r.git");
    std::fs::remove_file(room.repo.home.join(".config/gh/hosts.yml")).unwrap();
    assert_eq!(room.push(&env).0, "allow");
    assert_eq!(room.calls().len(), 0);
    let token = [("FAKE_BODY", text(&running)), ("GH_TOKEN", "x")];
    assert_eq!(room.push(&token).0, "deny");
    room.forget();
    std::fs::remove_file(room.bin.join("gh")).unwrap();
    assert_eq!(room.push(&token).0, "allow");
    room.policy(&format!("{POLICY}gate = 'on'\n"));
    let (got, why) = room.push(&token);
    assert_eq!(got, "ask");
    assert!(why.contains("`gh` is not installed"), "{why}");
}

#[test]
fn a_url_that_is_rewritten_or_typed_leads_to_the_same_forge() {
    let room = Room::new("hub:o/r.git");
    let git = |args: &[&str]| support::git::git(&room.repo.top, &room.repo.home, args);
    git(&["config", "url.git@github.com:.insteadOf", "hub:"]);
    let running = github("02-ci-mixed-in-flight");
    let env = [("FAKE_BODY", text(&running))];
    for command in [
        "git push",
        "git push git@github.com:o/r.git HEAD:feat/x",
        "git push https://github.com/o/r HEAD:feat/x",
    ] {
        room.forget();
        let (got, why) = room.check(command, &env);
        assert_eq!(got, "deny", "{command}: {why}");
    }
}

#[test]
fn gitlab_is_asked_for_the_merge_requests_of_the_branch_and_their_pipelines() {
    let room = Room::new("git@gitlab.com:group/sub/r.git");
    let dir = room.repo.root.join("gitlab");
    put(
        &dir.join("project.json"),
        r#"{"id":1,"path":"r","forked_from_project":null}"#,
    );
    let request = |source: u64| {
        json!([{ "iid": 3, "sha": HEAD, "updated_at": "2026-11-29T12:00:00Z",
            "source_project_id": source, "target_project_id": 1, "title": "x" }])
    };
    let pipelines = support::root().join("fixtures/ci/gitlab/mr-pipelines.json");
    let pipelines = std::fs::read_to_string(pipelines).unwrap();
    let env = [("FAKE_DIR", text(&dir))];
    for (source, status, want) in [
        (1, "running", "deny"),
        (1, "success", "allow"),
        (1, "manual", "allow"),
        (1, "glowing", "ask"),
        // Somebody else's fork has a branch of that name.
        (9, "running", "allow"),
    ] {
        room.forget();
        put(&dir.join("requests.json"), &request(source).to_string());
        put(
            &dir.join("pipelines.json"),
            &pipelines.replace("waiting_for_resource", status),
        );
        let (got, why) = room.push(&env);
        assert_eq!(got, want, "{source} {status}: {why}");
    }
    let calls = room.calls();
    let first: Vec<&String> = calls.iter().take(3).collect();
    assert!(
        first[0].contains("glab api --hostname gitlab.com projects/group%2Fsub%2Fr"),
        "{first:?}"
    );
    assert!(
        first[1].contains("source_branch=feat%2Fx") && first[1].contains("state=opened"),
        "{first:?}"
    );
    assert!(first[2].contains("merge_requests/3/pipelines"), "{first:?}");
    room.forget();
    let failing = [("FAKE_RC", "1"), ("FAKE_STDERR", "401 Unauthorized")];
    let (got, why) = room.push(&failing);
    assert_eq!(got, "ask");
    assert!(why.contains("glab auth login"), "{why}");
}

#[test]
fn a_program_of_the_user_answers_for_any_remote() {
    let room = Room::new("ssh://git.example.com/o/r.git");
    let program = room.repo.root.join("mine");
    put(
        &program,
        "#!/bin/sh\n[ -n \"$MINE_FAILS\" ] && { echo 'no luck' >&2; exit 7; }\n\
         echo \"{\\\"v\\\":1,\\\"head\\\":\\\"$LEASEGUARD_CI_HEAD\\\",\\\"pulls\\\":[{\\\"number\\\":1,\\\"head\\\":\\\"$LEASEGUARD_CI_HEAD\\\",\
         \\\"checks\\\":[{\\\"name\\\":\\\"$LEASEGUARD_CI_BRANCH $1\\\",\\\"status\\\":\\\"$MINE\\\",\\\"started\\\":\\\"$(date -u +%Y-%m-%dT%H:%M:%SZ)\\\"}]}]}\"\n",
    );
    runnable(&program);
    room.policy(&format!(
        "{POLICY}provider = 'command'\ncommand = [{}, 'arg']\n",
        json!(program)
    ));
    let (got, why) = room.push(&[("MINE", "running")]);
    assert_eq!(got, "ask", "{why}");
    for (word, want) in [("in_progress", "deny"), ("completed", "allow")] {
        room.forget();
        let (got, why) = room.push(&[("MINE", word)]);
        assert_eq!(got, want, "{word}: {why}");
        assert!(got == "allow" || why.contains("feat/x arg"), "{why}");
    }
    room.forget();
    let (got, why) = room.push(&[("MINE_FAILS", "1")]);
    assert_eq!(got, "ask");
    assert!(why.contains("no luck"), "{why}");
}

#[test]
fn an_untrusted_project_names_no_program() {
    let room = Room::new("https://github.com/o/r.git");
    let proof = room.repo.root.join("proof");
    let program = room.repo.root.join("theirs");
    put(&program, &format!("#!/bin/sh\n: > {}\n", proof.display()));
    runnable(&program);
    put(
        &room.repo.top.join("leaseguard.toml"),
        &format!(
            "[ci]\nprovider = 'command'\ncommand = [{}]\n",
            json!(program)
        ),
    );
    let idle = github("12-no-pr");
    room.push(&[("FAKE_BODY", text(&idle))]);
    assert!(!proof.exists());
    assert_eq!(room.calls().len(), 1);
}

#[test]
fn status_shows_every_line_and_why_it_counts() {
    let room = Room::new("https://github.com/o/r.git");
    let running = github("02-ci-mixed-in-flight");
    let env = [("FAKE_BODY", text(&running))];
    let out = room.out(&["ci", "status"], &env);
    let shown = String::from_utf8_lossy(&out.stdout).into_owned();
    assert_eq!(out.status.code(), Some(1), "{shown}");
    assert!(
        shown.starts_with("`feat/x` on `origin`: running\n"),
        "{shown}"
    );
    for (name, counts, why) in [
        ("build", "settled", "success"),
        ("test", "running", "in progress since"),
        ("deploy", "unclear", "approval"),
    ] {
        let line = shown.lines().find(|l| l.contains(&format!(" {name} ")));
        let line = line.unwrap_or_else(|| panic!("no {name}: {shown}"));
        assert!(line.contains(counts) && line.contains(why), "{line}");
    }
    let out = room.out(&["ci", "status", "--json"], &env);
    let json: Value = serde_json::from_slice(&out.stdout).unwrap();
    assert_eq!(json["v"], 1);
    assert_eq!(json["state"], "running");
    assert_eq!(json["head"], room.head.as_str());
    assert_eq!(json["lines"].as_array().unwrap().len(), 5);
    room.policy("[ci]\ngate = 'off'\n");
    let out = room.out(&["ci", "status"], &env);
    assert_eq!(out.status.code(), Some(0));
    assert!(String::from_utf8_lossy(&out.stdout).contains("off, the gate is off"));
}

#[test]
fn wait_ends_with_idle_with_time_or_with_not_knowing() {
    let room = Room::new("https://github.com/o/r.git");
    let (running, idle) = (github("02-ci-mixed-in-flight"), github("12-no-pr"));
    let later = room.repo.root.join("later.json");
    std::fs::copy(&idle, &later).unwrap();
    let both = [("FAKE_BODY", text(&running)), ("FAKE_THEN", text(&later))];
    let out = room.out(&["ci", "wait", "--timeout", "60s"], &both);
    let said = String::from_utf8_lossy(&out.stderr).into_owned();
    assert_eq!(out.status.code(), Some(0), "{said}");
    let lines: Vec<&str> = said.lines().collect();
    assert_eq!(lines.len(), 2, "{said}");
    assert!(
        lines[0].contains("`test`") && lines[1].ends_with(": idle"),
        "{said}"
    );
    let out = room.out(
        &["ci", "wait", "--timeout", "0s"],
        &[("FAKE_BODY", text(&running))],
    );
    assert_eq!(out.status.code(), Some(1));
    let out = room.out(&["ci", "wait"], &[("FAKE_RC", "4")]);
    assert_eq!(out.status.code(), Some(3));
    let out = room.out(&["ci", "wait", "--branch", "feat/none"], &[]);
    assert_eq!(out.status.code(), Some(0));
    let out = room.out(&["ci", "wait", "--timeout", "soon"], &[]);
    assert_eq!(out.status.code(), Some(2));
}
