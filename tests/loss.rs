//! Real git loses work, or not: the guard has to know it beforehand.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout
)]

mod support;

use leaseguard::call::{Call, Dialect, What};
use leaseguard::policy::Policy;
use leaseguard::verdict::{Decision, Verdict};
use leaseguard::world::{Company, Surroundings};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use support::text::dice;
use support::{Report, long, spread, told};

/// Two commits that a remote has, and a branch with one of its own that adds `new.txt`.
const BASE: &str = "set -e
git init -q -b main work; cd work
mkdir src; for f in a.txt b.txt src/c.txt src/d.txt; do echo \"1 $f\" >$f; done; echo '*.log' >.gitignore
git add . && git commit -qm 1
git branch other; git switch -q other; echo other >a.txt; echo other >new.txt; git add . && git commit -qm other
git switch -q main; echo 2 >>b.txt; git commit -qam 2
git init -q --bare ../origin.git; git remote add origin ../origin.git; git push -q -u origin main
";

/// What is in no commit, or in no other branch.
const STATES: &[&str] = &[
    ":",
    "echo mine >>a.txt",
    "echo mine >>a.txt; git add a.txt",
    "echo mine >>a.txt; git add a.txt; echo more >>a.txt",
    "echo mine >>src/c.txt",
    "echo mine >staged.txt; git add staged.txt",
    "echo mine >staged.txt; git add staged.txt; rm staged.txt",
    "rm a.txt",
    "git rm -q --cached a.txt; echo mine >>a.txt",
    "git rm -q a.txt",
    "echo mine >new.txt",
    "echo mine >src/new.txt",
    "mkdir fresh; echo mine >fresh/x.txt",
    "echo mine >x.log",
    "echo mine >>b.txt; echo mine >>src/d.txt; echo mine >new.txt",
    "echo 3 >>b.txt; git commit -qam 3",
    "git switch -q --detach; echo 3 >>b.txt; git commit -qam 3",
    "echo mine >>a.txt; git commit -qam 3; git merge -q other || :",
    "echo mine >>a.txt; git stash -q",
    "ln -s nowhere link; git add link; git commit -qm 4; git push -q; ln -sf mine link",
];

const COMMANDS: &[&str] = &[
    "git reset --hard",
    "git reset --hard HEAD~1",
    "git reset --hard origin/main",
    "git reset --hard other",
    "git reset --merge",
    "git checkout -- .",
    "git checkout HEAD -- .",
    "git checkout -- a.txt",
    "git checkout a.txt",
    "git checkout src",
    "git checkout HEAD a.txt",
    "git checkout other -- a.txt",
    "git checkout other -- new.txt",
    "git checkout -- link",
    "git checkout -- '*.txt'",
    "git checkout -- *.txt",
    "git checkout --ours a.txt",
    "git restore .",
    "git restore a.txt b.txt",
    "git restore --staged --worktree .",
    "git restore --staged --worktree staged.txt",
    "git restore -s other a.txt",
    "git checkout -f",
    "git checkout -f other",
    "git switch -f other",
    "git switch --discard-changes other",
    "git clean -f",
    "git clean -fd",
    "git clean -fdx",
    "git clean -fd src",
    "cd src && git clean -fd",
    "cd src && git checkout -- c.txt",
    "git rm -f -q a.txt",
    "git rm -rf -q src",
    "git mv -f b.txt a.txt",
    "git mv -f b.txt new.txt",
    "git checkout-index -f a.txt",
    "git checkout-index -af",
    "git read-tree -u --reset HEAD",
    "git branch -D other",
    "git branch -f other main",
    "git checkout -B other",
    "git stash && git reset --hard",
    "git stash -u && git clean -fd",
    "git stash && git clean -fd",
    "git commit -qm x a.txt && git reset --hard HEAD~1",
    "git commit -qm x a.txt && git reset --hard",
    "git reset --soft HEAD~1 && git reset --hard",
    "git switch -c topic && git checkout -- .",
    "git stash pop && git checkout -- .",
    "git fetch && git reset --hard origin/main",
];

/// Denied though git loses nothing: part of a state, and of a command.
const TOO_STRICT: &[(&str, &str, &str)] = &[
    (
        "new.txt",
        "--discard-changes",
        "git leaves untracked files alone and stops there",
    ),
    (
        "link",
        "stash pop",
        "there is no entry, and git stops there",
    ),
    (
        "merge",
        "mv -f",
        "what the merge has staged is in the other branch",
    ),
    (
        "rm -q --cached",
        "git stash",
        "the stash takes the file back that is not tracked any more",
    ),
    (
        "new.txt",
        "-- *.txt",
        "git refuses, since one of the files is not tracked",
    ),
    (
        "merge",
        "checkout other",
        "what the merge has staged is in the other branch",
    ),
    (
        "merge",
        "checkout HEAD",
        "what the merge has staged is in the other branch",
    ),
];

fn bash(script: &str, cwd: &Path, home: &Path) -> bool {
    Command::new("bash")
        .args(["-c", script])
        .current_dir(cwd)
        .env_clear()
        .env("PATH", std::env::var_os("PATH").unwrap_or_default())
        .env("HOME", home)
        .env("LC_ALL", "C")
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .env("GIT_EDITOR", "true")
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .unwrap()
        .success()
}

fn lines(cwd: &Path, home: &Path, script: &str) -> BTreeSet<String> {
    let out = Command::new("bash")
        .args(["-c", script])
        .current_dir(cwd)
        .env("HOME", home)
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .stdin(Stdio::null())
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&out.stdout).into_owned();
    text.lines().map(str::to_owned).collect()
}

/// Ids of what is on disk or staged, ignored files left out.
const AT_HAND: &str = "git ls-files -s | cut -d' ' -f2
git ls-files -z -co --exclude-standard | sort -zu | while IFS= read -r -d '' f; do
    if [ -L \"$f\" ]; then readlink -n \"$f\" | git hash-object --stdin; \
elif [ -f \"$f\" ]; then git hash-object \"$f\"; fi; done";

/// Ids of what branches, tags, remotes and stashes hold.
const KEPT: &str = "git rev-list --objects HEAD --all | cut -d' ' -f1";

struct Yard {
    _dir: tempfile::TempDir,
    root: PathBuf,
}

impl Yard {
    fn new() -> Yard {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().canonicalize().unwrap();
        std::fs::write(
            root.join(".gitconfig"),
            "[user]\n\tname=t\n\temail=t@t\n[advice]\n\tdetachedHead=false\n",
        )
        .unwrap();
        let base = root.join("base");
        std::fs::create_dir(&base).unwrap();
        assert!(bash(BASE, &base, &root), "the base cannot be made");
        for (at, state) in STATES.iter().enumerate() {
            let to = root.join(format!("s{at}"));
            assert!(bash(&format!("cp -a base s{at}"), &root, &root));
            assert!(bash(state, &to.join("work"), &root), "{state}");
        }
        Yard { _dir: dir, root }
    }

    fn judge(&self, work: &Path, command: &str, company: Company) -> Verdict {
        let call = Call {
            session: Some("one".to_owned()),
            agent: None,
            cwd: Some(work.to_owned()),
            unseen_typing: false,
            what: What::Shell {
                dialect: Dialect::Bash,
                text: command.to_owned(),
            },
        };
        let around = Surroundings {
            cwd: Some(work.to_owned()),
            home: Some(self.root.clone()),
            company,
            ..Surroundings::default()
        };
        leaseguard::guard::judge(&call, around, &Policy::default())
    }

    fn state(&self, at: usize) -> PathBuf {
        self.root.join(format!("s{at}/work"))
    }

    /// Whether git really loses something when `command` runs in a copy of the state.
    fn loses(&self, at: usize, command: &str, copy: &str) -> bool {
        assert!(bash(&format!("cp -a s{at} {copy}"), &self.root, &self.root));
        let work = self.root.join(copy).join("work");
        let before: BTreeSet<String> = [AT_HAND, KEPT]
            .iter()
            .flat_map(|script| lines(&work, &self.root, script))
            .collect();
        bash(command, &work, &self.root);
        let mut after = lines(&work, &self.root, AT_HAND);
        after.extend(lines(&work, &self.root, KEPT));
        std::fs::remove_dir_all(self.root.join(copy)).unwrap();
        before.iter().any(|id| !after.contains(id))
    }
}

#[test]
fn a_discard_is_denied_where_git_loses_work_and_allowed_where_it_does_not() {
    let yard = Yard::new();
    let pairs: Vec<(usize, &str)> = (0..STATES.len())
        .flat_map(|at| COMMANDS.iter().map(move |command| (at, *command)))
        .filter(|(at, command)| long() || dice(&[STATES[*at], command]).is_multiple_of(8))
        .collect();
    let numbered: Vec<_> = pairs.iter().enumerate().collect();
    let mut report = Report::default();
    let judged = spread(&numbered, |(number, (at, command))| {
        let verdict = yard.judge(&yard.state(*at), command, Company::default());
        (verdict, yard.loses(*at, command, &format!("c{number}")))
    });
    let mut asked = 0;
    for ((at, command), (verdict, loses)) in pairs.iter().zip(&judged) {
        let told_here = verdict
            .findings
            .iter()
            .filter(|f| matches!(f.rule, "git/discard" | "git/rewrite"));
        let decision = told_here
            .map(|f| f.decision)
            .max()
            .unwrap_or(Decision::Allow);
        let strict = TOO_STRICT
            .iter()
            .any(|(state, part, _)| STATES[*at].contains(state) && command.contains(part));
        asked += usize::from(decision == Decision::Ask);
        let (right, group) = match loses {
            true => (decision != Decision::Allow, "lost, and let go"),
            false => (
                strict || decision != Decision::Deny,
                "nothing lost, and denied",
            ),
        };
        report.check(right && verdict.fault.is_none(), group, || {
            format!("{}: {command}   after: {}", told(verdict), STATES[*at])
        });
    }
    println!("{asked} of {} asked", pairs.len());
    assert!(asked * 8 < pairs.len(), "{asked} of {} asked", pairs.len());
    report.end("discards");
}

fn decided(yard: &Yard, state: usize, command: &str, alone: bool) -> Decision {
    yard.judge(&yard.state(state), command, Company::new(move |_| alone))
        .decision()
}

#[test]
fn who_is_alone_in_a_checkout_undoes_named_files_and_nobody_the_whole_tree() {
    let yard = Yard::new();
    for command in [
        "git checkout -- a.txt",
        "git restore a.txt",
        "git rm -f a.txt",
    ] {
        assert_eq!(
            decided(&yard, 1, command, true),
            Decision::Allow,
            "{command}"
        );
        assert_eq!(
            decided(&yard, 1, command, false),
            Decision::Deny,
            "{command}"
        );
    }
    for command in ["git checkout .", "git reset --hard", "git restore src"] {
        assert_eq!(
            decided(&yard, 14, command, true),
            Decision::Deny,
            "{command}"
        );
    }
}

#[test]
fn what_the_call_itself_writes_before_counts_as_an_edit() {
    let yard = Yard::new();
    let judge = |command| decided(&yard, 0, command, false);
    assert_eq!(
        judge("echo x > a.txt && git checkout a.txt"),
        Decision::Deny
    );
    assert_eq!(
        judge("echo x > a.txt && git checkout b.txt"),
        Decision::Allow
    );
    assert_eq!(
        judge("make > out.txt 2>&1; git checkout ."),
        Decision::Allow
    );
    assert_eq!(
        decided(&yard, 0, "echo x > a.txt && git checkout a.txt", true),
        Decision::Allow
    );
}

#[test]
fn a_denial_names_what_would_be_lost_and_a_way_that_loses_nothing() {
    let yard = Yard::new();
    let work = yard.state(14);
    let verdict = yard.judge(&work, "git checkout -- b.txt src/d.txt", Company::default());
    let finding = &verdict.findings[0];
    assert_eq!(
        finding.because,
        ["`b.txt` and `src/d.txt` have edits that are in no commit"]
    );
    let instead = finding.instead.clone().unwrap();
    assert_eq!(instead, "git stash push -- b.txt src/d.txt");
    assert_eq!(
        yard.judge(&work, &instead, Company::default()).decision(),
        Decision::Allow
    );
    assert!(!yard.loses(14, &instead, "instead"));
}
