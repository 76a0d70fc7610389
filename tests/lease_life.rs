//! What becomes of claims as sessions come and go, say more, and leave worktrees behind.
#![cfg(unix)]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout
)]

mod support;

use serde_json::{Value, json};
use std::fs;
use support::fleet::{allowed, asked, bash, claim, denied, prompted, send, starts, text};
use support::git::git;
use support::yard::{Yard, end, json as told_json, told, until};

// --- what is claimed later --------------------------------------------------------------------------

// R25, R47
#[test]
fn a_session_that_says_later_that_it_only_reviews_only_reads_from_then_on() {
    let yard = Yard::new(1);
    starts(&yard, "s1", "w0");
    allowed(&bash(&yard, "s1", "w0", "touch x"), "an implementer");
    let review = "$LG lease claim --role reviewer-readonly";
    told(
        &yard.claude("s1", "w0", review),
        0,
        "as `reviewer-readonly`",
    );
    assert_eq!(claim(&yard, "w0")["role"], "reviewer-readonly");
    let rule = "lease/read-only-role";
    denied(&bash(&yard, "s1", "w0", "touch x"), rule, "a reviewer");
    // A prompt, and a claim that says nothing of it, leave that as it is.
    allowed(&prompted(&yard, "s1", "w0"), "a prompt");
    told(&yard.claude("s1", "w0", "$LG lease claim"), 0, "renew");
    for role in ["implementer", "integrator"] {
        let line = format!("$LG lease claim --role {role}");
        told(&yard.claude("s1", "w0", &line), 1, "E_ROLE_READONLY");
    }
    assert_eq!(claim(&yard, "w0")["role"], "reviewer-readonly");
    told(&starts(&yard, "s1", "w0"), 0, "you read here");
}

// R30
#[test]
fn paths_that_are_named_later_bind_and_others_take_a_new_claim() {
    let yard = Yard::new(1);
    starts(&yard, "s1", "w0");
    let claude = |line: &str| yard.claude("s1", "w0", line);
    told(
        &claude("$LG lease claim --path 'src/*.rs'"),
        0,
        "within `src/*.rs`",
    );
    told(
        &claude("$LG lease claim --path docs"),
        1,
        "E_PATH_OUTSIDE_SCOPE",
    );
    for wrong in ["../x", "/etc", "src/../../x"] {
        let line = format!("$LG lease claim --path {wrong}");
        told(&claude(&line), 2, "below the checkout");
    }
    let rule = "lease/path-scope";
    for command in ["echo x > a.txt", "sed -i s/a/b/ a.txt", "cp src/a.rs ."] {
        denied(&bash(&yard, "s1", "w0", command), rule, command);
    }
    // The program of `sed` is no file.
    for command in ["sed -i s/a/b/ src/a.rs", "sed -i -e s/a/b/ src/a.rs"] {
        allowed(&bash(&yard, "s1", "w0", command), command);
    }
    asked(&bash(&yard, "s1", "w0", "tar xf x.tgz"), rule, "an archive");
}

// R78
#[test]
fn a_claim_that_becomes_manual_has_no_end() {
    let yard = Yard::new(1);
    starts(&yard, "s1", "w0");
    let line = "$LG lease claim --manual --label 'the long one'";
    told(&yard.claude("s1", "w0", line), 0, "feat/w0");
    let claim = claim(&yard, "w0");
    assert_eq!(claim["lease"]["mode"], "manual");
    assert_eq!(claim["lease"]["expiresUtc"], Value::Null);
    assert_eq!(claim["owner"]["label"], "the long one");
}

// R6, R20
#[test]
fn the_ticket_is_read_from_a_branch_that_is_named_as_policy_wants() {
    let yard = Yard::new(1);
    yard.policy("[lease]\nmode = \"strict\"\nticket_pattern = \"T-*\"\nbranch_pattern = \"wt/*/{ticket}\"\n");
    let (top, home) = (yard.dir("w0"), yard.dir("home"));
    let said = starts(&yard, "s1", "w0");
    told(&said, 0, "`git switch -c`");
    told(&said, 0, "E_BRANCH_NAME");
    // Whoever goes on is told again, and what it does is asked about.
    told(&prompted(&yard, "s1", "w0"), 0, "E_BRANCH_NAME");
    asked(
        &bash(&yard, "s1", "w0", "touch x"),
        "lease/unregistered",
        "no claim",
    );
    git(&top, &home, &["switch", "-qc", "wt/WT-9/T-3"]);
    let said = prompted(&yard, "s1", "w0");
    assert_eq!(text(&said), "");
    assert_eq!(claim(&yard, "w0")["ticket"], "T-3");
    git(&top, &home, &["switch", "-qc", "wt/WT-9/T-4"]);
    told(
        &yard.claude("s1", "w0", "$LG lease claim"),
        0,
        "wt/WT-9/T-4",
    );
    assert_eq!(claim(&yard, "w0")["ticket"], "T-4");
    allowed(&bash(&yard, "s1", "w0", "touch x"), "claimed");
}

// --- worktrees that are gone ------------------------------------------------------------------------

// R1, R49
#[test]
fn who_removes_its_worktree_may_claim_the_next_one_and_its_names_are_free() {
    let yard = Yard::new(1);
    let add = |session: &str, ticket: &str| {
        let line = format!("$LG worktree add {ticket} --json");
        told_json(&yard.claude(session, "main", &line))["claim"].clone()
    };
    assert!(add("s1", "T-1").is_string());
    // A second one is for somebody else while the first is there.
    assert_eq!(add("s1", "T-2"), Value::Null);
    let (main, home) = (yard.main(), yard.dir("home"));
    git(
        &main,
        &home,
        &["worktree", "remove", "../main-worktrees/T-1"],
    );
    assert!(add("s1", "T-3").is_string());
    git(&main, &home, &["worktree", "add", "-q", "../again", "T-1"]);
    told(&starts(&yard, "s2", "again"), 0, "you hold");
    assert_eq!(claim(&yard, "again")["ticket"], "T-1");
    // `lease release` gives such a claim back from anywhere, and says where there is one.
    told(
        &yard.claude("s1", "main", "$LG lease release"),
        1,
        "main-worktrees/T-3",
    );
    git(
        &main,
        &home,
        &["worktree", "remove", "../main-worktrees/T-3"],
    );
    told(
        &yard.claude("s1", "main", "$LG lease release"),
        0,
        "release: ",
    );
}

// R42, R43, R49
#[test]
fn what_the_dead_held_in_a_worktree_that_is_gone_keeps_nobody_from_its_branch() {
    let yard = Yard::new(1);
    let gone = "$LG lease claim --ttl 1s --ticket T-1 && git worktree remove ../w0";
    let child = yard.living("s1", "w0", gone);
    let (main, home) = (yard.main(), yard.dir("home"));
    git(
        &main,
        &home,
        &["worktree", "add", "-q", "../again", "feat/w0"],
    );
    let claims = || yard.claude("s2", "again", "$LG lease claim --ticket T-1");
    told(&claims(), 1, "E_");
    end(child);
    until("its time is over", || claims().status.success());
    let log = yard.claude("s2", "again", "$LG log --leases --json");
    told(&log, 0, "\"takeover\"");
    assert_eq!(claim(&yard, "again")["branch"], "feat/w0");
}

// R48
#[test]
fn a_session_that_ends_elsewhere_gives_back_what_it_holds() {
    let yard = Yard::new(0);
    for (session, ticket, work) in [("s1", "T-1", false), ("s2", "T-2", true)] {
        let line = format!("$LG worktree add {ticket}");
        told(&yard.claude(session, "main", &line), 0, "created");
        let dir = format!("main-worktrees/{ticket}");
        if work {
            fs::write(yard.dir(&dir).join("work.txt"), "unsaved").unwrap();
        }
        send(
            &yard,
            session,
            "main",
            "SessionEnd",
            &json!({ "reason": "exit" }),
        );
        let left = claim(&yard, &dir);
        match work {
            false => assert_eq!(left, Value::Null),
            true => assert_eq!(left["flags"][0], "dirty-stale"),
        }
    }
}

// --- what people and sessions are told --------------------------------------------------------------

// R42, R44
#[test]
fn who_comes_after_a_crash_is_told_what_is_left_and_when_it_can_be_had() {
    let yard = Yard::new(1);
    let child = yard.living("s1", "w0", "$LG lease claim --ticket T-1");
    told(&starts(&yard, "s2", "w0"), 0, "holds this checkout");
    end(child);
    let said = starts(&yard, "s2", "w0");
    for part in ["its process is gone", "lease takeover", "for 6m"] {
        told(&said, 0, part);
    }
    told(&prompted(&yard, "s2", "w0"), 0, "lease takeover");
    let said = bash(&yard, "s2", "w0", "touch x");
    asked(&said, "lease/foreign-checkout", "the newcomer");
    told(&said, 0, "once its time is over");
    assert_eq!(claim(&yard, "w0")["owner"]["sessionIds"][0], "s1");
}

// R57, R58, D2
#[test]
fn check_and_show_know_how_strict_policy_is_and_answer_in_json() {
    let yard = Yard::new(1);
    let reader = |line: &str| yard.claude("s1", "w0", line);
    let free = told_json(&reader("$LG lease check --json"));
    assert_eq!(free["answer"], "free");
    yard.policy("[lease]\nmode = \"strict\"\n");
    told(&reader("$LG lease check"), 1, "E_UNREGISTERED");
    told(&reader("$LG lease show"), 0, "claims are strict here");
    told(
        &yard.claude("s1", "main", "$LG lease check"),
        1,
        "E_MAIN_CHECKOUT",
    );
    told(&reader("$LG lease claim"), 0, "feat/w0");
    let yours = told_json(&reader("$LG lease check --json"));
    assert_eq!(yours["answer"], "yours");
}

#[test]
fn where_there_is_no_checkout_it_is_said_what_is_there() {
    let yard = Yard::new(0);
    let (main, home) = (yard.main(), yard.dir("home"));
    git(&main, &home, &["clone", "-q", "--bare", ".", "../bare.git"]);
    for (dir, line, part) in [
        ("home", "$LG lease claim", "go into one"),
        ("home", "$LG lease claim --worktree ../nope", "`../nope`"),
        ("bare.git", "$LG lease list", "bare repository"),
    ] {
        told(&yard.claude("s1", dir, line), 1, part);
    }
    // A worktree of a bare repository is claimed as any other.
    git(
        &yard.dir("bare.git"),
        &home,
        &["worktree", "add", "-qb", "x", "../x"],
    );
    told(&starts(&yard, "s1", "x"), 0, "with branch `x`");
    // One without a branch has none to tell of.
    git(
        &main,
        &home,
        &["worktree", "add", "-q", "--detach", "../det"],
    );
    told(&starts(&yard, "s2", "det"), 0, "/det`: work here");
}

#[test]
fn a_submodule_gets_no_worktree_within_its_repository() {
    let yard = Yard::new(1);
    let (top, home) = (yard.dir("w0"), yard.dir("home"));
    let url = yard.main().display().to_string();
    let add = [
        "-c",
        "protocol.file.allow=always",
        "submodule",
        "--quiet",
        "add",
        &url,
        "sub",
    ];
    git(&top, &home, &add);
    told(
        &yard.claude("s1", "w0/sub", "$LG worktree add T-1"),
        2,
        "submodule",
    );
    let child = yard.living("s2", "w0/sub", "$LG lease claim && cd ..");
    let said = bash(&yard, "s3", "w0/sub", "git commit -m x");
    denied(&said, "lease/foreign-checkout", "the submodule");
    assert!(!text(&said).contains("/modules/"), "{}", text(&said));
    end(child);
}

#[test]
fn a_host_that_names_no_session_to_its_commands_is_told_how_claims_come() {
    let yard = Yard::new(1);
    std::os::unix::fs::symlink("/bin/sh", yard.dir("bin/cursor-agent")).unwrap();
    let mut command = yard.host("cursor-agent", "s1", "w0", "$LG lease claim");
    let said = command.output().unwrap();
    told(&said, 3, "with the next prompt");
}
