//! Repositories that are broken, huge, closed or gone: an answer in words, soon, and never a silent yes.
#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a test may stop anywhere and tell why"
)]

mod sandbox;

use leaseguard::verdict::Decision;
use sandbox::Sandbox;
use sandbox::foretold::judge;
use std::time::{Duration, Instant};

/// Long enough for a loaded machine, and far below the time that a host waits.
const SOON: Duration = Duration::from_secs(8);

/// What is broken, by a script in `work`.
const BROKEN: &[(&str, &str)] = &[
    ("an empty HEAD", ": >.git/HEAD"),
    ("a HEAD of garbage", "printf 'x\\377y\\n' >.git/HEAD"),
    (
        "a HEAD outside of heads",
        "echo 'ref: refs/tags/v1' >.git/HEAD",
    ),
    (
        "a HEAD that is a directory",
        "rm .git/HEAD; mkdir .git/HEAD",
    ),
    ("a HEAD that is a pipe", "rm .git/HEAD; mkfifo .git/HEAD"),
    (
        "config with an open quote",
        "echo '[a] b = \"' >>.git/config",
    ),
    ("config of garbage", "head -c 4096 /dev/zero >.git/config"),
    (
        "config of ten megabytes",
        "head -c 10485760 /dev/zero | tr '\\0' '#' >>.git/config",
    ),
    (
        "config that is a pipe",
        "rm .git/config; mkfifo .git/config",
    ),
    (
        "config that is a directory",
        "rm .git/config; mkdir .git/config",
    ),
    (
        "config that includes itself",
        "git config include.path config",
    ),
    (
        "a .git file that points nowhere",
        "rm -rf .git; echo 'gitdir: ../nowhere' >.git",
    ),
    ("a .git file that is empty", "rm -rf .git; : >.git"),
    (
        "a .git file that points to itself",
        "rm -rf .git; echo 'gitdir: .git' >.git",
    ),
    ("a .git that is a pipe", "rm -rf .git; mkfifo .git"),
    (
        "a commondir that points nowhere",
        "echo ../nowhere >.git/commondir",
    ),
];

#[test]
fn a_push_from_a_broken_repository_is_never_let_go_unseen() {
    let sandbox = Sandbox::new();
    let mut wrong = Vec::new();
    for (what, script) in BROKEN {
        sandbox.fresh();
        let (ok, out) = sandbox.bash(script, &sandbox.root.join("work"));
        assert!(ok, "{what}: {out}");
        // Where git finds no repository it pushes nothing: only a fault would be wrong.
        let test = "timeout 1 git rev-parse --git-dir";
        let (finds, _) = sandbox.bash(test, &sandbox.root.join("work"));
        for command in ["git push", "git push origin", "git push origin main"] {
            let begun = Instant::now();
            let told = judge(&sandbox, command, "work");
            let took = begun.elapsed();
            let stopped = told.decision != Decision::Allow || !finds;
            if !stopped || told.fault.is_some() || took > SOON {
                wrong.push(format!("{what}: {command}: {took:?} {told:?}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn broken_refs_never_make_a_base_push_a_plain_one() {
    let sandbox = Sandbox::new();
    let mut wrong = Vec::new();
    for script in [
        "head -c 4096 /dev/urandom >.git/packed-refs",
        "printf '# pack-refs with: peeled fully-peeled sorted \\nx\\n\\n^\\n' >.git/packed-refs",
        "rm -f .git/packed-refs; mkfifo .git/packed-refs",
        "rm -f .git/packed-refs; mkdir .git/packed-refs",
        "printf 'ref: refs/heads/feature' >.git/refs/heads/feature",
        "rm -f .git/index; mkfifo .git/index",
    ] {
        sandbox.fresh();
        let (ok, out) = sandbox.bash(script, &sandbox.root.join("work"));
        assert!(ok, "{script}: {out}");
        for command in [
            "git push origin main",
            "git push origin HEAD:main",
            "git push origin HEAD:refs/heads/main",
            "git push --force origin feature",
            "git add docs.d/gone no-such && git push origin main",
        ] {
            let begun = Instant::now();
            let told = judge(&sandbox, command, "work");
            let took = begun.elapsed();
            if told.decision == Decision::Allow || told.fault.is_some() || took > SOON {
                wrong.push(format!("{script}: {command}: {took:?} {told:?}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_directory_that_is_gone_does_not_hide_a_named_base_branch() {
    let sandbox = Sandbox::new();
    sandbox.fresh();
    for command in ["git push origin main", "git push"] {
        let told = judge(&sandbox, command, "gone/away");
        assert_ne!(told.decision, Decision::Allow, "{command}: {told:?}");
    }
}

#[test]
fn depth_and_a_hundred_thousand_refs_change_no_answer() {
    let sandbox = Sandbox::new();
    sandbox.fresh();
    let deep = (0..40)
        .map(|n| format!("d{n}"))
        .collect::<Vec<_>>()
        .join("/");
    let fill = format!(
        "mkdir -p {deep}; id=$(git rev-parse main); {{ echo '# pack-refs with: peeled fully-peeled sorted '; \
         seq -f \"$id refs/heads/b%06.0f\" 100000; echo \"$id refs/heads/zz\"; }} >.git/packed-refs"
    );
    let (ok, out) = sandbox.bash(&fill, &sandbox.root.join("work"));
    assert!(ok, "{out}");
    let cwd = format!("work/{deep}");
    for (command, want) in [
        ("git push origin b050000", Decision::Allow),
        ("git push origin zz", Decision::Allow),
        ("git push origin b050000:main", Decision::Deny),
        ("git push origin main", Decision::Deny),
    ] {
        let told = judge(&sandbox, command, &cwd);
        assert_eq!(told.decision, want, "{command}: {told:?}");
        assert!(told.unclear.is_empty(), "{command}: {told:?}");
    }
}

/// Nobody's id in particular.
const STRANGER: u32 = 12_345;

/// What git says of the checkout to the user that runs it.
fn git_takes(sandbox: &Sandbox) -> bool {
    sandbox
        .bash("git rev-parse HEAD", &sandbox.root.join("work"))
        .0
}

#[test]
fn a_repository_of_another_user_is_never_more_open_than_git_makes_it() {
    let sandbox = Sandbox::new();
    sandbox.fresh();
    let work = sandbox.root.join("work");
    let own = format!("chown -R {STRANGER}:{STRANGER} . ../origin.git");
    if !sandbox.bash(&own, &work).0 {
        println!("SKIPPED: only root can give files to another user");
        return;
    }
    assert!(!git_takes(&sandbox), "git refuses what another user owns");
    for command in ["git push origin main", "git push --force origin feature"] {
        let told = judge(&sandbox, command, "work");
        assert_ne!(told.decision, Decision::Allow, "{command}: {told:?}");
        assert!(told.fault.is_none(), "{command}: {told:?}");
    }
    // Where only git could tell, and it does not answer, there is a doubt.
    let include = "[includeIf \"hasconfig:remote.*.url:**/origin.git\"]\n\tpath = x\n";
    let config = work.join(".git/config");
    let text = std::fs::read_to_string(&config).unwrap();
    std::fs::write(work.join(".git/x"), "[push]\n\tdefault = matching\n").unwrap();
    std::fs::write(&config, format!("{text}{include}")).unwrap();
    let told = judge(&sandbox, "git push", "work");
    assert_ne!(told.decision, Decision::Allow, "{told:?}");
    std::fs::write(&config, text).unwrap();
    // Once its user trusts the directory, it is a repository like any other.
    let trust = "git config --global safe.directory '*'";
    assert!(sandbox.bash(trust, &sandbox.root.join("home")).0);
    assert!(git_takes(&sandbox));
    for (command, want) in [
        ("git push", Decision::Allow),
        ("git push origin main", Decision::Deny),
    ] {
        let told = judge(&sandbox, command, "work");
        assert_eq!(told.decision, want, "{command}: {told:?}");
    }
}

#[test]
fn what_cannot_be_read_is_said_and_not_let_go() {
    let sandbox = Sandbox::new();
    let program = sandbox.root.with_file_name("leaseguard");
    std::fs::copy(env!("CARGO_BIN_EXE_leaseguard"), &program).unwrap();
    let user = format!("setpriv --reuid {STRANGER} --regid {STRANGER} --clear-groups");
    let mut wrong = Vec::new();
    for closed in [
        ".git",
        ".git/HEAD",
        ".git/config",
        ".git/refs",
        ".git/refs/heads",
        ".git/packed-refs",
        ".git/objects",
        "sub",
        ".",
        "../home/.gitconfig",
        "../home",
    ] {
        sandbox.fresh();
        let work = sandbox.root.join("work");
        let open = "chmod 755 ../.. ..; chmod -R a+rwX ..";
        let own = format!("{open}; chown -R {STRANGER} .. && {user} true");
        if !sandbox.bash(&own, &work).0 {
            println!("SKIPPED: only root can become another user, and `setpriv` is needed");
            return;
        }
        let cwd = if closed == "sub" { "sub" } else { "." };
        let script = format!(
            "git -c safe.directory=* pack-refs && chown {STRANGER} .git/packed-refs && cd {cwd} && \
             chmod 0 \"$OLDPWD\"/{closed} && exec timeout 20 {user} {} check 'git push origin main'",
            program.display()
        );
        let begun = Instant::now();
        let out = std::process::Command::new("bash")
            .args(["-c", &script])
            .current_dir(&work)
            .env_clear()
            .env("PATH", "/usr/local/bin:/usr/bin:/bin")
            .env("HOME", sandbox.root.join("home"))
            .output()
            .unwrap();
        let took = begun.elapsed();
        if !matches!(out.status.code(), Some(1 | 3)) || took > SOON {
            wrong.push(format!("{closed}: {took:?} {out:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
