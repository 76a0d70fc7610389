//! Real git loses work, or not: the guard has to know it beforehand.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout
)]

mod support;

use leaseguard::verdict::Decision;
use support::lost::{Beside, Yard};
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

#[test]
fn a_discard_is_denied_where_git_loses_work_and_allowed_where_it_does_not() {
    let yard = Yard::new(BASE, STATES);
    let pairs: Vec<(usize, &str)> = (0..STATES.len())
        .flat_map(|at| COMMANDS.iter().map(move |command| (at, *command)))
        .filter(|(at, command)| long() || dice(&[STATES[*at], command]).is_multiple_of(8))
        .collect();
    let numbered: Vec<_> = pairs.iter().enumerate().collect();
    let mut report = Report::default();
    let judged = spread(&numbered, |(number, (at, command))| {
        let verdict = yard.judge(&yard.state(*at), command, Beside::default());
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
    yard.judge(&yard.state(state), command, Beside::alone(alone))
        .decision()
}

#[test]
fn who_is_alone_in_a_checkout_undoes_named_files_and_nobody_the_whole_tree() {
    let yard = Yard::new(BASE, STATES);
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
    let yard = Yard::new(BASE, STATES);
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
    let yard = Yard::new(BASE, STATES);
    let work = yard.state(14);
    let verdict = yard.judge(&work, "git checkout -- b.txt src/d.txt", Beside::default());
    let finding = &verdict.findings[0];
    assert_eq!(
        finding.because,
        ["`b.txt` and `src/d.txt` have edits that are in no commit"]
    );
    let instead = finding.instead.clone().unwrap();
    assert_eq!(instead, "git stash push -- b.txt src/d.txt");
    assert_eq!(
        yard.judge(&work, &instead, Beside::default()).decision(),
        Decision::Allow
    );
    assert!(!yard.loses(14, &instead, "instead"));
}
