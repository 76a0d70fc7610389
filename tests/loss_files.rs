//! Plain programs take files away, or not: real bash says what is lost, and the guard has to agree beforehand.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout
)]

mod support;

use leaseguard::verdict::{Decision, Verdict};
use leaseguard::world::Seated;
use std::io::Write;
use std::process::{Command, Stdio};
use support::lost::{Beside, Yard};
use support::outside::ran_outside;
use support::text::dice;
use support::{Report, long, spread, told};

const BASE: &str = "set -e
git init -q -b main work; cd work
mkdir -p src/mod docs; for f in a.txt b.txt src/c.txt src/mod/d.txt docs/e.txt; do echo \"1 $f\" >$f; done
printf '*.log\\nbuild/\\n' >.gitignore
git add . && git commit -qm 1; mkdir ../out; echo out >../out/a.txt; echo elsewhere >../x
";

/// What is in no commit.
const STATES: &[&str] = &[
    ":",
    "echo mine >>a.txt",
    "echo mine >>a.txt; git add a.txt",
    "echo mine >>a.txt; git add a.txt; echo more >>a.txt",
    "echo mine >>src/c.txt",
    "echo mine >>src/mod/d.txt; echo mine >>docs/e.txt",
    "echo mine >new.txt",
    "echo mine >src/mod/new.txt",
    "mkdir fresh; echo mine >fresh/x.txt",
    "mkdir build; echo mine >build/x.o; echo mine >x.log",
    "echo mine >staged.txt; git add staged.txt",
    "rm a.txt",
    "echo mine >>a.txt; git stash -q",
    "echo mine >>a.txt; touch src/c.txt",
    "git rm -q --cached a.txt; echo mine >>a.txt",
];

const COMMANDS: &[&str] = &[
    "rm a.txt",
    "rm -f a.txt b.txt",
    "rm -f -- new.txt",
    "rm *.txt",
    "rm -f *.log",
    "rm -rf src",
    "rm -rf src/mod",
    "rm -rf build",
    "rm -rf fresh",
    "rm -r src/*",
    "rm -rf *",
    "cd src && rm -rf mod",
    "cd src && rm -rf -- *",
    "unlink a.txt",
    "echo x > a.txt",
    "echo x >> a.txt",
    "echo x >| src/c.txt",
    ": > new.txt",
    "echo x 2> err.txt",
    "echo x > /dev/null",
    "echo x | tee a.txt",
    "echo x | tee -a a.txt",
    "truncate -s 0 a.txt",
    "truncate -s +9 a.txt",
    "shred -n 1 a.txt",
    "dd if=/dev/zero of=a.txt count=1 2>/dev/null",
    "sed -i s/1/2/ b.txt",
    "cp ../x a.txt",
    "cp ../x src",
    "cp -n ../x a.txt",
    "cp -b ../x a.txt",
    "cp -r ../out/. .",
    "cp -r ../out fresh",
    "mv b.txt a.txt",
    "mv a.txt a.bak",
    "mv src lib",
    "mv ../x a.txt",
    "mv a.txt ../away",
    "ln -sf ../x a.txt",
    "ln -s ../x a.txt",
    "sort -o a.txt ../x",
    "sort -o a.txt a.txt",
    "install -m 644 ../x a.txt",
    "find . -name '*.txt' -delete",
    "find src -type f -delete",
    "find . -name '*.log' -delete",
    "find . -name d.txt -exec rm {} +",
    "find . -type d -empty -delete",
    "git ls-files | xargs rm",
    "git ls-files -z | xargs -0 rm -f --",
    "git add src/c.txt && rm src/c.txt",
    "git stash && rm -rf src",
    "git stash -u && rm -rf *",
    "cp a.txt ../kept && echo x > a.txt",
    "sed s/1/2/ a.txt > tmp && mv tmp a.txt",
    "sed s/1/2/ b.txt > tmp && mv tmp a.txt",
    "rm -f ../x",
    "echo x > ../x",
];

/// Commands that change a part of a file and keep the rest.
const IN_PLACE: &[&str] = &[
    ">> ",
    "tee -a",
    "sed -i",
    "sed s/1/2/ a.txt",
    "truncate -s +",
    "sort -o a.txt a.txt",
];

/// Who names an untracked file may remove it, and what is moved out of the checkout still counts.
fn exempt(state: &str, command: &str) -> bool {
    let file = |name: &str| state.contains(&format!(">{name}")) && !state.contains("git add");
    let named = |name: &str| file(name) && command.split([' ', ';']).any(|word| word == name);
    IN_PLACE.iter().any(|part| command.contains(part))
        || named("new.txt")
        || state.contains("--cached a.txt")
            && (command.contains("a.txt") || command.starts_with("cp -r"))
}

fn of_files(verdict: &Verdict) -> Decision {
    let told_here = verdict.findings.iter().filter(|f| f.rule == "git/discard");
    told_here
        .map(|f| f.decision)
        .max()
        .unwrap_or(Decision::Allow)
}

fn decided(yard: &Yard, state: usize, command: &str, beside: Beside) -> Decision {
    of_files(&yard.judge(&yard.state(state), command, beside))
}

#[test]
fn beside_others_a_file_is_kept_where_bash_loses_it_and_let_go_where_it_does_not() {
    let yard = Yard::new(BASE, STATES);
    let pairs: Vec<(usize, &str)> = (0..STATES.len())
        .flat_map(|at| COMMANDS.iter().map(move |command| (at, *command)))
        .filter(|(at, command)| long() || dice(&[STATES[*at], command]).is_multiple_of(4))
        .collect();
    let numbered: Vec<_> = pairs.iter().enumerate().collect();
    let judged = spread(&numbered, |(number, (at, command))| {
        let verdict = yard.judge(&yard.state(*at), command, Beside::alone(false));
        (verdict, yard.loses(*at, command, &format!("c{number}")))
    });
    let mut report = Report::default();
    let (mut asked, mut lost) = (0, 0);
    for ((at, command), (verdict, loses)) in pairs.iter().zip(&judged) {
        let decision = of_files(verdict);
        asked += usize::from(decision == Decision::Ask);
        lost += usize::from(*loses);
        let free = exempt(STATES[*at], command);
        let (right, group) = match loses {
            true => (free || decision == Decision::Deny, "lost, and let go"),
            false => (decision == Decision::Allow, "nothing lost, and stopped"),
        };
        report.check(right && verdict.fault.is_none(), group, || {
            format!("{}: {command}   after: {}", told(verdict), STATES[*at])
        });
    }
    println!(
        "{} pairs, {lost} lose something, {asked} asked",
        pairs.len()
    );
    report.end("plain programs");
}

#[test]
fn who_is_alone_minds_named_files_and_directories_and_nobody_the_whole_tree() {
    let yard = Yard::new(BASE, STATES);
    let whole = [
        "rm -rf *",
        "rm -rf ./*",
        "find . -type f -delete",
        "find . -type f -not -path './.git/*' -delete",
        "git ls-files | xargs rm",
        "git ls-files -z | xargs -0 rm -f",
        "mv * ../out",
        "mv * /tmp",
        "rsync -a --delete ../out/ ./",
    ];
    for command in COMMANDS.iter().chain(&whole) {
        let tree = [
            "rm -rf *",
            "rm -rf ./*",
            "find . -type f",
            "ls-files",
            "mv * ",
            "--delete",
        ]
        .iter()
        .any(|part| command.contains(part))
            && !command.contains("stash -u")
            && !command.starts_with("cd ");
        for at in [1, 5] {
            let got = decided(&yard, at, command, Beside::alone(true));
            let want = if tree {
                Decision::Deny
            } else {
                Decision::Allow
            };
            assert_eq!(got, want, "{command}   after: {}", STATES[at]);
        }
        let clean = decided(&yard, 0, command, Beside::alone(true));
        assert_eq!(clean, Decision::Allow, "{command} where all is committed");
    }
}

#[test]
fn what_the_session_itself_wrote_is_its_own() {
    let yard = Yard::new(BASE, STATES);
    let beside = |state: usize, files: &[&str]| Beside {
        seated: Seated::Others,
        wrote: files.iter().map(|f| yard.state(state).join(f)).collect(),
    };
    for (state, command, wrote, want) in [
        (1, "rm a.txt", &["a.txt"][..], Decision::Allow),
        (1, "echo x > a.txt", &["a.txt"], Decision::Allow),
        (1, "rm a.txt", &["b.txt"], Decision::Deny),
        (7, "rm -rf src/mod", &["src/mod/new.txt"], Decision::Allow),
        (7, "rm -rf src/mod", &[], Decision::Deny),
        (5, "rm -rf src docs", &["src/mod/d.txt"], Decision::Deny),
        (
            5,
            "rm -rf src docs",
            &["src/mod/d.txt", "docs/e.txt"],
            Decision::Allow,
        ),
        (1, "rm -rf *", &["a.txt"], Decision::Deny),
    ] {
        let got = decided(&yard, state, command, beside(state, wrote));
        assert_eq!(got, want, "{command} after: {}", STATES[state]);
    }
    let refused = "rm src; rm -rf src";
    assert_eq!(
        decided(&yard, 4, refused, Beside::alone(false)),
        Decision::Deny
    );
    let twice = "echo x > b.txt && echo y > b.txt && rm b.txt";
    assert_eq!(
        decided(&yard, 1, twice, Beside::alone(false)),
        Decision::Allow
    );
}

#[test]
fn a_file_that_the_session_wrote_is_undone_by_git_as_well() {
    let yard = Yard::new(BASE, &STATES[..2]);
    for (wrote, command, want) in [
        ("a.txt", "git checkout -- a.txt", Decision::Allow),
        ("a.txt", "git restore a.txt b.txt", Decision::Allow),
        ("b.txt", "git checkout -- a.txt", Decision::Deny),
        ("a.txt", "git checkout .", Decision::Deny),
    ] {
        let beside = Beside {
            seated: Seated::Others,
            wrote: vec![yard.state(1).join(wrote)],
        };
        assert_eq!(decided(&yard, 1, command, beside), want, "{command}");
    }
}

/// What the hook of the real binary answers `session` in the first state but one: the exit code.
fn hooked(yard: &Yard, session: &str, payload: &serde_json::Value) -> Option<i32> {
    let mut payload = payload.clone();
    payload["session_id"] = session.into();
    payload["cwd"] = yard.state(1).to_str().unwrap().into();
    let mut child = Command::new(env!("CARGO_BIN_EXE_leaseguard"))
        .arg("hook")
        .env_clear()
        .env("HOME", &yard.root)
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let text = payload.to_string();
    child
        .stdin
        .take()
        .unwrap()
        .write_all(text.as_bytes())
        .unwrap();
    child.wait().unwrap().code()
}

#[test]
fn the_hook_remembers_who_was_there_and_who_wrote_what() {
    if ran_outside("the_hook_remembers_who_was_there_and_who_wrote_what") {
        return;
    }
    let yard = Yard::new(
        BASE,
        &[
            ":",
            "echo mine >>a.txt; echo mine >>b.txt; mkdir n; echo 1 >n/x",
        ],
    );
    let bash = |session: &str, command: &str| {
        let payload = serde_json::json!({
            "hook_event_name": "PreToolUse", "tool_name": "Bash",
            "tool_input": { "command": command },
        });
        hooked(&yard, session, &payload)
    };
    assert_eq!(bash("one", "rm a.txt"), Some(0), "alone");
    assert_eq!(bash("one", "rm -rf *"), Some(2), "alone, the whole tree");
    assert_eq!(bash("two", "git status"), Some(0));
    assert_eq!(bash("one", "rm a.txt"), Some(2), "beside another");
    assert_eq!(
        bash("two", "rm -rf n"),
        Some(2),
        "a directory with a new file"
    );
    let file = yard.state(1).join("a.txt");
    let write = serde_json::json!({
        "hook_event_name": "PreToolUse", "tool_name": "Write",
        "tool_input": { "file_path": file, "content": "x" },
    });
    assert_eq!(hooked(&yard, "one", &write), Some(0));
    assert_eq!(bash("one", "rm a.txt"), Some(0), "its own");
    assert_eq!(bash("two", "rm a.txt"), Some(2), "another's");
    assert_eq!(
        bash("two", "mkdir -p made/by && echo x > made/by/two"),
        Some(0)
    );
    std::fs::create_dir_all(yard.state(1).join("made/by")).unwrap();
    std::fs::write(yard.state(1).join("made/by/unseen"), "x").unwrap();
    assert_eq!(bash("one", "rm -rf made"), Some(2), "made by another");
    assert_eq!(bash("two", "rm -rf made"), Some(0), "made by itself");
    assert_eq!(bash("one", "echo x > b.txt"), Some(2), "beside another");
    let end = serde_json::json!({ "hook_event_name": "SessionEnd", "reason": "exit" });
    assert_eq!(hooked(&yard, "two", &end), Some(0));
    assert_eq!(bash("one", "echo x > b.txt"), Some(0), "alone again");
}

#[test]
fn words_that_only_the_run_knows_are_not_asked_about() {
    let yard = Yard::new(BASE, STATES);
    for command in [
        "rm \"$F\"",
        "rm -rf \"$DIR\"",
        "echo x > \"$OUT\"",
        "for f in $(cat list); do rm $f; done",
        "find . -name '*.orig' | xargs rm",
        "find . -name __pycache__ -exec rm -rf {} +",
        "cp \"$A\" \"$B\"",
    ] {
        assert_eq!(
            decided(&yard, 1, command, Beside::alone(false)),
            Decision::Allow,
            "{command}"
        );
    }
}

#[test]
fn a_denial_names_the_files_and_a_way_that_loses_nothing() {
    let yard = Yard::new(BASE, STATES);
    for (state, cwd, command, because, instead) in [
        (
            1,
            "",
            "rm b.txt a.txt",
            "`a.txt` has an edit that is in no commit",
            "git stash push -- a.txt",
        ),
        (
            1,
            "src",
            "echo x > ../a.txt",
            "`a.txt` has an edit that is in no commit",
            "git stash push -- :/a.txt",
        ),
        (
            7,
            "",
            "rm -rf src/mod",
            "`src/mod/new.txt` is in no commit",
            "git status --short -- src/mod",
        ),
        (
            8,
            "",
            "rm -rf *",
            "`fresh/x.txt` is in no commit",
            "git status --short",
        ),
    ] {
        let work = yard.state(state).join(cwd);
        let verdict = yard.judge(&work, command, Beside::alone(false));
        let finding = verdict.findings.iter().find(|f| f.rule == "git/discard");
        let finding = finding.unwrap_or_else(|| panic!("{command}: {}", told(&verdict)));
        assert!(
            finding.because.iter().any(|b| b == because),
            "{:?}",
            finding.because
        );
        assert_eq!(finding.instead.as_deref(), Some(instead));
        let again = yard.judge(&work, instead, Beside::alone(false));
        assert_eq!(
            again.decision(),
            Decision::Allow,
            "{instead}: {}",
            told(&again)
        );
        let cd = if cwd.is_empty() { "." } else { cwd };
        assert!(
            !yard.loses(state, &format!("cd {cd} && {instead}"), "instead"),
            "{instead}"
        );
    }
}

#[test]
fn a_file_of_another_checkout_is_judged_by_that_one() {
    let yard = Yard::new(BASE, STATES);
    let other = yard.state(0);
    let target = yard.state(1).join("a.txt");
    for command in [
        format!("rm {}", target.display()),
        format!("cd {} && rm a.txt", yard.state(1).display()),
        format!("echo x > {}", target.display()),
    ] {
        let got = yard.judge(&other, &command, Beside::alone(false));
        assert_eq!(of_files(&got), Decision::Deny, "{command}");
    }
}
