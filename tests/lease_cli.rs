//! The verbs of `lease`, through the real binary, below programs that look like agent hosts.
#![cfg(unix)]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout
)]

mod support;

use serde_json::Value;
use std::fs;
use std::path::Path;
use std::process::{Child, Command, Output};
use support::long;
use support::yard::{Yard, end, json, told};

// R68
#[test]
fn a_session_claims_shows_renews_and_gives_back_its_worktree() {
    let yard = Yard::new(2);
    let claimed = yard.claude(
        "s1",
        "w0",
        "$LG lease claim --ticket T-1 --lane WT-9 --json",
    );
    let value = json(&claimed);
    assert_eq!(claimed.status.code(), Some(0));
    assert_eq!((&value["v"], &value["event"]), (&1.into(), &"claim".into()));
    let claim = &value["claim"];
    assert_eq!(claim["branch"], "feat/w0");
    assert_eq!(claim["harness"], "claude");
    assert_eq!(claim["owner"]["sessionIds"][0], "s1");
    assert_eq!(claim["owner"]["exe"], "Claude Code");
    let all = "$LG lease claim --ticket T-1 && $LG lease renew && $LG lease check && $LG lease show && $LG lease list && $LG lease release";
    // Another process of the same session: the first one is dead by now.
    told(&yard.claude("s1", "w0", all), 0, "release");
    told(
        &yard.claude("s2", "w0", "$LG lease list"),
        0,
        "nothing is claimed",
    );
}

// R1, R60
#[test]
fn what_a_living_session_has_is_refused_to_others() {
    let yard = Yard::new(2);
    let child = yard.living("s1", "w0", "$LG lease claim --ticket T-1");
    for (worktree, verb, part) in [
        ("w0", "claim", "E_OWNED"),
        ("w0", "check", "E_OWNED"),
        ("w0", "renew", "E_NOT_OWNER"),
        ("w0", "release", "E_NOT_OWNER"),
        ("w0", "takeover", "E_TAKEOVER_NOT_DEAD"),
        ("w0", "adopt", "E_TAKEOVER_NOT_DEAD"),
        ("w1", "claim --ticket T-1", "E_TICKET_TAKEN"),
        ("w1", "claim --branch feat/w0", "E_BRANCH_TAKEN"),
    ] {
        let output = yard.claude("s2", worktree, &format!("$LG lease {verb}"));
        told(&output, 1, part);
    }
    told(
        &yard.claude("s2", "w1", "$LG lease claim --ticket T-2"),
        0,
        "claim",
    );
    end(child);
}

#[test]
fn an_agent_acts_for_itself_alone_and_person_only_verbs_refuse_it() {
    let yard = Yard::new(1);
    for (text, part) in [
        ("$LG lease claim --session s2", "E_NOT_OWNER"),
        ("$LG lease claim --session s1 --pid $$", "E_NOT_OWNER"),
        ("$LG lease override 01X --reason r", "Claude Code"),
        ("$LG lease keep", "E_NOT_OWNER"),
        ("$LG lease on && $LG lease off", "Claude Code"),
    ] {
        told(&yard.claude("s1", "w0", text), 1, part);
    }
    told(
        &yard.claude("s1", "w0", "$LG lease claim --session s1"),
        0,
        "s1",
    );
    let other = yard
        .host("opencode", "s9", "w0", "$LG lease show --json")
        .output()
        .unwrap();
    assert_eq!(json(&other)["claim"]["owner"]["sessionIds"][0], "s1");
}

// D1
#[test]
fn what_a_dead_session_left_is_taken_over_when_its_time_is_over_and_nothing_works_there() {
    let yard = Yard::new(2);
    let child = yard.living("s1", "w0", "$LG lease claim --ttl 1s");
    end(child);
    let busy = Command::new("sleep")
        .arg("60")
        .current_dir(yard.dir("w0"))
        .spawn()
        .unwrap();
    let take = |verb: &str| {
        let text = format!("$LG lease {verb} --worktree ../w0");
        yard.claude("s2", "w1", &text)
    };
    let begin = std::time::Instant::now();
    // Its second may not be over yet.
    while String::from_utf8_lossy(&take("takeover").stderr).contains("E_TAKEOVER_NOT_EXPIRED") {
        assert!(begin.elapsed().as_secs() < 10);
    }
    told(&take("takeover"), 1, "E_TAKEOVER_NOT_QUIET");
    end(busy);
    fs::write(yard.dir("w0/work.txt"), "unsaved").unwrap();
    told(&take("takeover"), 1, "E_TAKEOVER_DIRTY");
    told(&take("adopt"), 0, "adopt-dirty");
    assert_eq!(
        fs::read_to_string(yard.dir("w0/work.txt")).unwrap(),
        "unsaved"
    );
    let log = yard.claude("s2", "w1", "$LG log --json");
    let text = String::from_utf8(log.stdout).unwrap();
    let lines: Vec<Value> = text
        .lines()
        .map(|l| serde_json::from_str(l).unwrap())
        .collect();
    // R13, R43: who did what, and after whom.
    assert_eq!(
        lines
            .iter()
            .map(|l| l["kind"].as_str().unwrap())
            .collect::<Vec<_>>(),
        ["claim", "adopt-dirty"]
    );
    assert_eq!(lines[1]["session"], "s2");
    let first = lines[0]["claim"].as_str().unwrap();
    assert!(
        lines[1]["effects"][0].as_str().unwrap().contains(first),
        "{text}"
    );
}

// R3, R57, R58
#[test]
fn strict_mode_keeps_the_main_checkout_for_landing_and_wants_claims() {
    let yard = Yard::new(1);
    told(&yard.claude("s1", "main", "$LG lease check"), 0, "free");
    told(&yard.claude("s1", "main", "$LG lease on"), 0, "strict");
    told(
        &yard.claude("s1", "main", "$LG lease check"),
        1,
        "E_MAIN_CHECKOUT",
    );
    told(
        &yard.claude("s1", "w0", "$LG lease check"),
        1,
        "E_UNREGISTERED",
    );
    told(
        &yard.claude("s1", "w0", "$LG lease claim && $LG lease check"),
        0,
        "yours",
    );
    // R47
    told(&yard.claude("s1", "w0", "$LG lease release"), 0, "release");
    let reader = "$LG lease claim --role reviewer-readonly && $LG lease check";
    told(&yard.claude("s1", "w0", reader), 1, "E_ROLE_READONLY");
}

// R12
#[test]
fn a_log_that_cannot_be_written_changes_nothing() {
    let yard = Yard::new(1);
    let state = yard.dir("home/.local/state/leaseguard");
    fs::create_dir_all(state.join("decisions.jsonl")).unwrap();
    told(&yard.claude("s1", "w0", "$LG lease claim"), 0, "claim");
    told(&yard.claude("s1", "w0", "$LG lease check"), 0, "yours");
}

#[test]
fn outside_of_a_checkout_and_with_nonsense_it_is_trouble_or_a_refusal() {
    let yard = Yard::new(1);
    told(
        &yard.claude("s1", "home", "$LG lease claim"),
        1,
        "E_WORKTREE_GONE",
    );
    for text in [
        "claim --ttl soon",
        "claim --role poet",
        "renew --state retired",
    ] {
        let text = format!("$LG lease claim && $LG lease {text}");
        told(&yard.claude("s1", "w0", &text), 2, "E_BAD_REQUEST");
    }
    told(
        &yard.claude("s1", "w0", "$LG lease export"),
        0,
        "\"worktreePath\"",
    );
}

/// 50 hosts that all start at one signal; gives their exit codes.
fn race(yard: &Yard, worktree: &dyn Fn(usize) -> String) -> Vec<i32> {
    let gate = yard.dir("gate");
    let _ = fs::remove_file(&gate);
    assert!(
        Command::new("mkfifo")
            .arg(&gate)
            .status()
            .unwrap()
            .success()
    );
    let racers: Vec<Child> = (0..50)
        .map(|n| {
            let text = "read go < ../gate; $LG lease claim";
            let mut command = yard.host("claude", &format!("s{n}"), &worktree(n), text);
            command.spawn().unwrap()
        })
        .collect();
    // Whoever opens the pipe waits for this end, and goes when it is closed.
    drop(fs::OpenOptions::new().write(true).open(&gate).unwrap());
    let opened = open_until_all(&gate, racers);
    opened.iter().map(|o| o.status.code().unwrap()).collect()
}

/// Opens the gate again for those who came late, until all have gone through.
fn open_until_all(gate: &Path, racers: Vec<Child>) -> Vec<Output> {
    let done = std::sync::atomic::AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            use std::os::unix::fs::OpenOptionsExt;
            while !done.load(std::sync::atomic::Ordering::Relaxed) {
                // Without somebody who waits this fails at once.
                let mut options = fs::OpenOptions::new();
                drop(options.write(true).custom_flags(0o4000).open(gate));
                std::thread::yield_now();
            }
        });
        let outputs = racers
            .into_iter()
            .map(|r| r.wait_with_output().unwrap())
            .collect();
        done.store(true, std::sync::atomic::Ordering::Relaxed);
        outputs
    })
}

#[test]
fn of_fifty_hosts_one_gets_the_worktree() {
    let yard = Yard::new(1);
    for round in 0..if long() { 1000 } else { 3 } {
        let codes = race(&yard, &|_| "w0".to_owned());
        let count = |code| codes.iter().filter(|c| **c == code).count();
        assert_eq!((count(0), count(1)), (1, 49), "round {round}: {codes:?}");
        let state = yard.dir("home/.local/state/leaseguard/v1");
        fs::remove_dir_all(state).unwrap();
    }
}

#[test]
fn fifty_hosts_get_fifty_worktrees() {
    let yard = Yard::new(50);
    let codes = race(&yard, &|n| format!("w{n}"));
    assert_eq!(codes, [0; 50]);
    let list = yard.claude("s", "main", "$LG lease list --json");
    let text = String::from_utf8(list.stdout).unwrap();
    let sessions: std::collections::BTreeSet<String> = text
        .lines()
        .map(|l| {
            serde_json::from_str::<Value>(l).unwrap()["claim"]["owner"]["sessionIds"][0].to_string()
        })
        .collect();
    assert_eq!(sessions.len(), 50, "no claim is lost");
}
