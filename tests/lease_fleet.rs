//! A day of a fleet: sessions side by side in one clone, who read, build, come, go and crash.
#![cfg(unix)]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout
)]

mod support;

use std::fs;
use support::fleet::{allowed, asked, bash, denied, starts, text};
use support::git::git;
use support::yard::{Yard, end, json as told_json, told};

fn commit(yard: &Yard, worktree: &str, name: &str) {
    let (top, home) = (yard.dir(worktree), yard.dir("home"));
    fs::write(top.join(name), name).unwrap();
    git(&top, &home, &["add", name]);
    git(&top, &home, &["commit", "-qm", name]);
}

/// A worktree of another session within the main checkout, where Claude Code puts its own.
fn nested(yard: &Yard) -> std::process::Child {
    let (main, home) = (yard.main(), yard.dir("home"));
    let add = ["worktree", "add", "-qb", "n", ".claude/worktrees/n"];
    git(&main, &home, &add);
    yard.living(
        "s9",
        "main/.claude/worktrees/n",
        "$LG lease claim && cd ../../..",
    )
}

// --- work beside each other -------------------------------------------------------------------------

// R2
#[test]
fn who_reads_others_and_builds_its_own_is_never_stopped() {
    let yard = Yard::new(2);
    let child = yard.living("s0", "w0", "$LG lease claim --ticket T-1");
    starts(&yard, "s1", "w1");
    for command in [
        "git -C ../w0 status && git -C ../w0 log -3 && git -C ../w0 diff HEAD",
        "cat ../w0/a.txt; grep -rn x ../w0; find ../w0 -type f; diff -r ../w0 .",
        "cp ../w0/a.txt . && cp -r ../w0/src ./theirs",
        "git cherry-pick feat/w0",
        "git merge feat/w0",
        "git rebase main",
        "git fetch && git diff feat/w0 && git worktree list",
        "git show feat/w0:a.txt > a.txt && git checkout feat/w0 -- b.txt",
        "git -C ../w0 diff HEAD | git apply",
        "CARGO_TARGET_DIR=/tmp/t cargo build; cargo test --manifest-path Cargo.toml",
        "npm ci && make -C . test && pytest ../shared && docker compose up -d",
        "prettier --write . && black . && npx eslint --fix src",
        "black --check ../w0; prettier ../w0/a.ts",
        "ln -s ../w0/node_modules node_modules; ln -s ../main/.env",
        "rsync -an --delete ./ ../w0/; rsync -a ./ host:/srv/",
        "patch -p1 < x.patch; tar xf x.tgz; unzip x.zip",
        "find . -name '*.orig' -delete; find . -type f -exec sed -i s/a/b/ {} +",
        "git switch -c feat/more && touch x && git add x && git commit -m x",
        "git worktree add ../next -b feat/next && cd ../next && touch x && git add x && git commit -m x",
        "git config user.name me && git gc && git worktree prune",
    ] {
        allowed(&bash(&yard, "s1", "w1", command), command);
    }
    end(child);
}

// I13, R56
#[test]
fn a_builder_or_formatter_that_is_sent_into_anothers_checkout_asks() {
    let yard = Yard::new(2);
    let child = yard.living("s0", "w0", "$LG lease claim --ticket T-1");
    starts(&yard, "s1", "w1");
    for command in [
        "make -C ../w0",
        "npm --prefix ../w0 ci",
        "cargo fmt --manifest-path ../w0/Cargo.toml",
        "terraform -chdir=../w0 init",
        "prettier --write ../w0/a.ts",
        "npx -y prettier@3 --write ../w0",
        "black ../w0",
    ] {
        let rule = "lease/foreign-checkout";
        asked(&bash(&yard, "s1", "w1", command), rule, command);
    }
    for command in ["patch -d ../w0 < x.patch", "npx rimraf ../w0/src"] {
        let rule = "lease/foreign-checkout";
        denied(&bash(&yard, "s1", "w1", command), rule, command);
    }
    end(child);
}

// I13, R56
#[test]
fn patterns_and_searches_reach_whole_checkouts_from_wherever_the_call_starts() {
    let yard = Yard::new(3);
    let home = yard.dir("home");
    for dir in ["plain", "lib"] {
        fs::create_dir(yard.dir(dir)).unwrap();
    }
    git(&yard.dir("lib"), &home, &["init", "-q"]);
    let child = yard.living("s0", "w0", "$LG lease claim --ticket T-1");
    for from in ["plain", "lib", "w1"] {
        for command in ["rm -rf ../w*", "mv ../w[0-9] /tmp/elsewhere"] {
            let said = bash(&yard, "s1", from, command);
            denied(&said, "git/admin-write", command);
            denied(&said, "lease/foreign-checkout", command);
        }
        for command in [
            "find .. -name '*.txt' -delete",
            "find .. -type f -exec sed -i s/a/b/ {} +",
        ] {
            let rule = "lease/foreign-checkout";
            asked(&bash(&yard, "s1", from, command), rule, command);
        }
        denied(
            &bash(&yard, "s1", from, "tee ../w*/new.txt < a"),
            "lease/foreign-checkout",
            "tee",
        );
        for command in [
            "rm -rf ../x* build/*",
            "find .. -maxdepth 1 -name '*.log' -delete",
        ] {
            allowed(&bash(&yard, "s1", from, command), command);
        }
    }
    end(child);
}

#[test]
fn what_is_unpacked_beside_anothers_worktree_leaves_it_alone() {
    let yard = Yard::new(0);
    fs::create_dir(yard.dir("plain")).unwrap();
    let child = nested(&yard);
    for command in ["tar xf ../x.tgz", "unzip ../x.zip", "cp -r ../plain/. ."] {
        allowed(&bash(&yard, "s1", "main", command), command);
    }
    for command in ["rsync -a --delete ../plain/ .", "rm -rf .claude/worktrees"] {
        let rule = "lease/foreign-checkout";
        denied(&bash(&yard, "s1", "main", command), rule, command);
    }
    end(child);
}

// R7: git's own lock on a branch that is out somewhere does not cover these.
#[test]
fn a_claimed_branch_is_moved_by_no_fetch_and_made_by_nobody_else() {
    let yard = Yard::new(3);
    commit(&yard, "w0", "theirs");
    let ahead = "$LG lease claim --ticket T-1 && git checkout -q --detach";
    let child = yard.living("s0", "w0", ahead);
    let to_come = "$LG lease claim --branch feat/to-come";
    let other = yard.living("s2", "w2", to_come);
    starts(&yard, "s1", "w1");
    for command in [
        "git fetch . HEAD:feat/w0",
        "git fetch . main:refs/heads/feat/w0",
        "git branch feat/to-come",
        "git switch -c feat/to-come",
        "git branch -m feat/to-come",
        "git worktree add -b feat/to-come ../next",
    ] {
        let rule = "lease/foreign-branch";
        denied(&bash(&yard, "s1", "w1", command), rule, command);
    }
    for command in [
        "git fetch . feat/w0:feat/copy",
        "git branch feat/mine feat/w0",
    ] {
        allowed(&bash(&yard, "s1", "w1", command), command);
    }
    end(other);
    end(child);
}

#[test]
fn the_branch_under_anothers_head_is_not_moved_by_its_name_head() {
    let yard = Yard::new(2);
    let child = yard.living("s0", "w0", "$LG lease claim --ticket T-1");
    for command in [
        "git -C ../w0 update-ref HEAD main",
        "cd ../w0 && git update-ref HEAD main",
    ] {
        let rule = "lease/foreign-branch";
        denied(&bash(&yard, "s1", "w1", command), rule, command);
    }
    allowed(&bash(&yard, "s1", "w1", "git update-ref HEAD main"), "own");
    end(child);
}

// --- what policy wants, and what everybody sees -----------------------------------------------------

// R3, R4, R57, D2
#[test]
fn nobody_builds_in_a_strict_main_checkout_and_the_denial_names_the_way() {
    let yard = Yard::new(1);
    allowed(&bash(&yard, "s1", "main", "touch x"), "before");
    told(&yard.claude("s1", "main", "$LG lease on"), 0, "strict");
    for command in [
        "touch x",
        "git commit --allow-empty -m x",
        "git merge feat/w0",
    ] {
        let said = bash(&yard, "s1", "main", command);
        denied(&said, "lease/main-checkout", command);
        told(&said, 2, "instead: git worktree add");
    }
    for command in [
        "git fetch",
        "git worktree add ../next -b feat/next",
        "git log -1 && cat a.txt && git -C ../w0 status",
        "npm test",
    ] {
        allowed(&bash(&yard, "s1", "main", command), command);
    }
    asked(
        &bash(&yard, "s1", "w0", "touch x"),
        "lease/unregistered",
        "unclaimed",
    );
    starts(&yard, "s1", "w0");
    allowed(&bash(&yard, "s1", "w0", "touch x"), "claimed");
}

// R34, R35, R36, R37, R38, R50, D9
#[test]
fn a_tier_caps_the_claims_and_other_hosts_name_their_lane() {
    let yard = Yard::new(3);
    yard.policy("[lease]\ntier = \"blackout\"\nlanes = \"required\"\n");
    let opencode = |line: &str| yard.host("opencode", "o1", "w1", line).output().unwrap();
    told(&opencode("$LG lease claim"), 1, "E_LANE_MISSING");
    told(&starts(&yard, "s1", "w0"), 0, "you hold");
    let laned = "$LG lease claim --lane WT-9";
    told(&starts(&yard, "s2", "w2"), 0, "E_CAP_REACHED");
    told(&opencode(laned), 0, "feat/w1");
    let log = yard.claude("s1", "w0", "$LG log --leases --json");
    told(&log, 0, "\"lane\":\"WT-9\"");
}

// R17, R18, R19, R20, R21, R22, R24, R27, R28, R29, R69, D8
#[test]
fn the_list_and_the_export_tell_all_of_a_claim() {
    let yard = Yard::new(1);
    let line = "$LG lease claim --ticket T-1 --lane WT-9 --model m1";
    told(&yard.claude("s1", "w0", line), 0, "feat/w0");
    let export = told_json(&yard.claude("s2", "main", "$LG lease export --format registry-json"));
    let row = &export["worktrees"][0];
    for (key, want) in [
        ("branch", "feat/w0"),
        ("ticket", "T-1"),
        ("sessionId", "s1"),
        ("harnessKind", "claude"),
        ("model", "m1"),
        ("role", "implementer"),
        ("state", "claimed"),
        ("lane", "WT-9"),
    ] {
        assert_eq!(row[key], want, "{key}");
    }
    assert_eq!(row["worktreePath"], yard.dir("w0").to_str().unwrap());
    for key in ["repoId", "host", "leaseExpiresUtc", "lastHeartbeatUtc"] {
        assert!(
            row[key].as_str().is_some_and(|text| !text.is_empty()),
            "{key}"
        );
    }
    assert!(row["pid"].as_u64().is_some());
    let list = text(&yard.claude("s2", "main", "$LG lease list"));
    for part in [
        "main",
        "w0",
        "feat/w0",
        "T-1",
        "`s1`",
        "claude/m1",
        "claimed",
        "WT-9",
        "running",
    ] {
        assert!(list.contains(part), "{part}: {list}");
    }
}
