//! A forge for the fixtures: pull requests of a setup as a file with the state, and a fake `gh` and `glab`.

use super::git::git;
use super::repo::put;
use leaseguard::policy::{Places, Policy};
use leaseguard::rules::KNOWN;
use serde_json::{Value, json};
use std::fs;
use std::path::Path;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// The pull requests of one repository.
#[derive(Debug)]
pub(crate) struct Forge {
    /// The gate is on, and the state is in a file.
    pub(crate) policy: Policy,
    /// So long after the last push as the setup says; `None` = the system's clock.
    pub(crate) now: Option<SystemTime>,
}

impl Forge {
    /// Writes the state that `pulls` describe beside the repository.
    pub(crate) fn of(pulls: &Value, root: &Path, top: &Path, home: &Path) -> Forge {
        let pulls = pulls.as_array().expect("`pr` is a list");
        let text = |v: &Value, key: &str| v[key].as_str().map(str::to_owned);
        let first = pulls.first().cloned().unwrap_or_default();
        let remote = text(&first, "head_remote").unwrap_or_else(|| "origin".to_owned());
        let branch = text(&first, "head_ref").unwrap_or_else(|| "feat/x".to_owned());
        let now = moved(top, &remote, &branch)
            + Duration::from_secs(first["head_age_s"].as_u64().unwrap_or(3600));
        let states: Vec<Value> = pulls
            .iter()
            .map(|pull| state(pull, top, home, now))
            .collect();
        let mut answer = json!({ "v": 1, "pulls": states });
        if let Some(what) = text(&first, "forge_error") {
            answer = json!({ "v": 1, "error": { "what": what } });
        }
        let file = root.join("state.json");
        put(&file, &answer.to_string());
        let ignore = first["ignore_checks"].as_array().cloned();
        let user = root.join("policy.toml");
        put(
            &user,
            &format!(
                "[ci]\ngate = 'on'\nprovider = 'file'\nfile = {}\nignore_checks = {}\n",
                json!(file),
                json!(ignore.unwrap_or_default())
            ),
        );
        let policy = Policy::load(&Places {
            rules: &KNOWN,
            managed_file: None,
            user_file: Some(&user),
            project_file: None,
            state_dir: None,
            repo_path: None,
            main_path: None,
            home: None,
            remotes: &Vec::new,
        });
        assert_eq!(policy.troubles, Vec::<String>::new());
        Forge {
            policy,
            now: Some(now),
        }
    }
}

/// When a tracking branch moved last, by its log.
fn moved(top: &Path, remote: &str, branch: &str) -> SystemTime {
    let log = top.join(format!(".git/logs/refs/remotes/{remote}/{branch}"));
    let log = fs::read_to_string(&log).unwrap_or_default();
    let seconds = log.lines().last().and_then(|line| {
        let (who, _) = line.split_once('\t')?;
        who.rsplit(' ').nth(1)?.parse().ok()
    });
    UNIX_EPOCH + Duration::from_secs(seconds.expect("a log of the tracking branch"))
}

fn at(time: SystemTime) -> String {
    leaseguard::state::time::Moment::of(time).to_string()
}

/// One pull request as leaseguard's own JSON.
fn state(pull: &Value, top: &Path, home: &Path, now: SystemTime) -> Value {
    let branch = pull["head_ref"].as_str().unwrap_or("feat/x");
    let remote = pull["head_remote"].as_str().unwrap_or("origin");
    let tip = git(
        top,
        home,
        &["rev-parse", &format!("refs/remotes/{remote}/{branch}")],
    );
    let head = match pull["head_is_remote_tip"].as_bool() {
        Some(false) => "b".repeat(40),
        _ => tip.trim().to_owned(),
    };
    let list = |key: &str| pull[key].as_array().cloned().unwrap_or_default();
    let checks: Vec<Value> = list("statusCheckRollup").iter().map(check).collect();
    let mut out = json!({
        "number": pull["number"].as_u64().unwrap_or(12),
        "branch": branch,
        "remote": format!("../{remote}.git"),
        "head": head,
        "registering": pull["mergeable"] == "UNKNOWN" && checks.is_empty(),
        "queued": pull["queued"] == true,
        "checks": checks,
    });
    for bot in list("review_bots") {
        bot_of(&bot, now, &mut out);
    }
    out
}

/// A check in the words of the forge. The times of the corpus are of another year.
fn check(check: &Value) -> Value {
    let mut out = json!({});
    for (from, to) in [
        ("name", "name"),
        ("context", "name"),
        ("status", "status"),
        ("conclusion", "conclusion"),
        ("state", "state"),
        ("databaseId", "id"),
        ("run", "run"),
    ] {
        if !check[from].is_null() {
            out[to] = check[from].clone();
        }
    }
    out
}

fn bot_of(bot: &Value, now: SystemTime, out: &mut Value) {
    let login = match bot["name"].as_str().unwrap_or_default() {
        "copilot" => "copilot-pull-request-reviewer",
        "coderabbit" => "coderabbitai",
        other => other,
    };
    let mut say = |key: &str, mut voice: Value| {
        voice["by"] = json!(login);
        voice["bot"] = json!(true);
        if out[key].is_null() {
            out[key] = json!([]);
        }
        out[key].as_array_mut().expect("a list").push(voice);
    };
    if bot["requested"] == true {
        let age = Duration::from_secs(bot["requested_age_s"].as_u64().unwrap_or(60));
        say("requests", json!({ "at": at(now - age) }));
    } else if bot["last_review_on_head"] == false {
        let old = at(now - Duration::from_secs(7200));
        say("reviews", json!({ "at": old, "head": "c".repeat(40) }));
    }
    if bot["paused"] == true {
        let text = "## Reviews paused\nIt looks like this branch is under active development.";
        say("comments", json!({ "at": at(now), "text": text }));
    }
    if bot["last_comment"] == "in_progress_placeholder" {
        let text = "> Currently processing new changes in this PR.";
        say("comments", json!({ "at": at(now), "text": text }));
    }
}

/// A fake `gh` and `glab`: what it does comes by its environment.
///
/// `FAKE_BODY` is printed, `FAKE_PAGE` in its place for a further page, `FAKE_DIR` holds the answers
/// of a REST API; `FAKE_HEAD` takes the place of forty `a`, the present that of noon.
pub(crate) const FAKE: &str = r#"#!/bin/sh
[ -n "$FAKE_LOG" ] && echo "$(basename "$0") $(printf '%s ' "$@" | tr '\n' ' ')" >>"$FAKE_LOG"
[ -n "$FAKE_ENV" ] && env >"$FAKE_ENV"
[ -n "$FAKE_CHILD" ] && { sleep "$FAKE_CHILD" & echo $! >"$FAKE_CHILD_PID"; }
[ -n "$FAKE_SLEEP" ] && sleep "$FAKE_SLEEP"
[ -n "$FAKE_STDERR" ] && printf '%s\n' "$FAKE_STDERR" >&2
[ -n "$FAKE_BIG" ] && head -c "$FAKE_BIG" /dev/zero | tr '\0' x
body=$FAKE_BODY
if [ -n "$FAKE_DIR" ]; then
  case "$*" in
    *pipelines*) body=$FAKE_DIR/pipelines.json ;;
    *merge_requests*) body=$FAKE_DIR/requests.json ;;
    *) body=$FAKE_DIR/project.json ;;
  esac
fi
if [ -n "$FAKE_THEN" ]; then
  if [ -e "$FAKE_THEN.seen" ]; then body=$FAKE_THEN; fi
  : >"$FAKE_THEN.seen"
fi
case "$*" in *cursor=*) body=$FAKE_PAGE ;; esac
[ -n "$FAKE_HEADERS" ] && printf 'HTTP/2.0 200 OK\r\nX-Ratelimit-Reset: %s\r\n\r\n' "$FAKE_HEADERS"
if [ -n "$body" ]; then
  now=$(date -u +%Y-%m-%dT%H:%M:%SZ)
  sed -e "s/aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa/$FAKE_HEAD/g" -e "s/2026-11-29T12:0[0-9]:[0-9][0-9]Z/$now/g" "$body"
fi
exit "${FAKE_RC:-0}"
"#;
