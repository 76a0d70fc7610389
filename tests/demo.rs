//! The accidents of `demo` really happen, are really stopped, and leave nothing behind.
#![allow(clippy::expect_used, reason = "a broken test may stop at once")]

use leaseguard::demo::{ALL, Accident, Change, Played, Scratch, play};
use leaseguard::verdict::Decision;
use serde_json::Value;
use std::path::Path;
use std::process::{Command, Output};
use std::sync::LazyLock;

const BINARY: &str = env!("CARGO_BIN_EXE_leaseguard");

/// The rule that stops each accident, and the beginning of the harm that it does without.
const TOLD: &[(&str, &str)] = &[
    ("git/base-push", "moved `main` on origin"),
    ("git/remote-delete", "deleted `feat/billing` on origin"),
    ("git/broad-add", "committed `.env`"),
    ("git/discard", "lost 1 line of `agent-b/src/report.rs`"),
    ("git/skip-hooks", "made 1 commit, and the hook never ran"),
    ("git/force-push", "moved `feat/login` on origin"),
    ("git/stash-shared", "took somebody else's stash entry"),
    ("git/remote-delete", "deleted `feat/report` on origin"),
];

/// What each accident's verdict, harm and twin were.
static PLAYED: LazyLock<Vec<(&Accident, Played)>> = LazyLock::new(|| {
    let scratch = Scratch::new(false).expect("a scratch directory");
    let play = |(at, accident)| {
        let played = play(&scratch, accident, &format!("{at}"));
        (accident, played.expect("rooms can be made"))
    };
    ALL.iter().enumerate().map(play).collect()
});

fn harms(changes: &[Change]) -> Vec<String> {
    let harms = changes.iter().filter(|c| c.harms());
    harms.map(Change::to_string).collect()
}

fn each(holds: impl Fn(&Played, &(&str, &str)) -> bool) {
    assert_eq!((PLAYED.len(), TOLD.len()), (8, 8));
    for ((accident, played), told) in PLAYED.iter().zip(TOLD) {
        assert!(holds(played, told), "{}: {played:#?}", accident.name);
    }
}

#[test]
fn every_accident_really_happens() {
    each(|played, (_, harm)| {
        let harms = harms(&played.accident.changes);
        harms.iter().any(|h| h.starts_with(harm))
    });
}

#[test]
fn every_accident_is_stopped_by_its_rule() {
    each(|played, (rule, _)| {
        let findings = &played.accident.verdict.findings;
        played.accident.stopped()
            && findings
                .iter()
                .any(|f| f.rule == *rule && f.decision != Decision::Allow)
    });
}

#[test]
fn every_stop_says_why_and_what_to_do_instead() {
    each(|played, _| {
        let first = played.accident.verdict.first();
        first.is_some_and(|f| !f.because.is_empty() && f.instead.is_some())
    });
}

#[test]
fn every_twin_is_let_through() {
    each(|played, _| played.twin.verdict.findings.is_empty() && !played.twin.stopped());
}

#[test]
fn every_twin_is_harmless() {
    each(|played, _| !played.twin.harmed());
}

/// What `command` does in a room of its own.
fn harm_of(command: &'static str) -> Vec<String> {
    let scratch = Scratch::new(false).expect("a scratch directory");
    let accident = Accident {
        name: "",
        scene: "",
        setup: "",
        command,
        twin: "true",
    };
    let played = play(&scratch, &accident, "one").expect("rooms can be made");
    assert!(!played.twin.harmed());
    harms(&played.accident.changes)
}

#[test]
fn harm_is_measured_and_not_told_by_the_command() {
    assert_eq!(harm_of("echo git push --force origin main"), [""; 0]);
    let pushed = harm_of("git push origin HEAD:main");
    assert!(
        pushed.iter().any(|h| h.starts_with("moved `main`")),
        "{pushed:?}"
    );
}

#[test]
fn text_that_git_still_has_is_not_lost() {
    assert_eq!(harm_of("echo more >> NOTES.md; git stash -q"), [""; 0]);
    assert_eq!(harm_of("echo more >> NOTES.md"), [""; 0]);
}

// --- the verb ---------------------------------------------------------------------------------------

/// Directories that the verb may see, and nothing else of this machine's settings.
struct Place {
    home: tempfile::TempDir,
    temp: tempfile::TempDir,
}

impl Place {
    /// The home holds settings that would spoil every accident.
    fn new() -> Place {
        let dir = || tempfile::tempdir().expect("a directory");
        let place = Place {
            home: dir(),
            temp: dir(),
        };
        let spoiled = "[push]\n\tdefault = nothing\n[core]\n\thooksPath = /nowhere\n[commit]\n\tgpgSign = true\n";
        std::fs::write(place.home.path().join(".gitconfig"), spoiled).expect("a config");
        place
    }

    fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(BINARY);
        command
            .arg("demo")
            .args(args)
            .env("HOME", self.home.path())
            .env("TMPDIR", self.temp.path())
            .env("GIT_DIR", "/nowhere")
            .env("PATH", "/nowhere")
            .env_remove("XDG_CONFIG_HOME")
            .env_remove("XDG_STATE_HOME");
        command
    }

    fn run(&self, args: &[&str]) -> Output {
        self.command(args).output().expect("the binary starts")
    }
}

fn names(dir: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(dir).expect("a directory").flatten();
    entries
        .map(|e| e.file_name().to_string_lossy().into_owned())
        .collect()
}

fn stdout(output: &Output) -> String {
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
    String::from_utf8(output.stdout.clone()).expect("UTF-8")
}

#[test]
fn all_eight_are_told_in_a_terminals_width() {
    let place = Place::new();
    let output = place.run(&[]);
    let told = stdout(&output);
    assert_eq!(output.status.code(), Some(0), "{told}");
    assert!(
        told.ends_with("\n8 of 8 done by git, 8 of 8 stopped; next: `leaseguard install`\n"),
        "{told}"
    );
    let long = told.lines().filter(|l| l.chars().count() > 80);
    // A command to copy is never broken, and this one holds the path of the scratch directory.
    let long: Vec<&str> = long.filter(|l| !l.contains("instead")).collect();
    assert_eq!(long, [""; 0]);
    assert_eq!(names(place.temp.path()), [""; 0], "left behind");
    assert_eq!(names(place.home.path()), [".gitconfig"], "touched the home");
}

#[test]
fn machines_read_the_same() {
    let place = Place::new();
    let told: Value = serde_json::from_str(&stdout(&place.run(&["--json", "1"]))).expect("JSON");
    assert_eq!(
        (
            &told["v"],
            &told["done"],
            &told["stopped"],
            &told["twins_allowed"]
        ),
        (&1.into(), &1.into(), &1.into(), &1.into())
    );
    let one = &told["accidents"][0];
    assert_eq!(one["accident"]["command"], "git push -u origin feat/login");
    assert_eq!(one["accident"]["harmed"], true);
    assert_eq!(one["accident"]["findings"][0]["rule"], "git/base-push");
    assert_eq!(one["twin"]["decision"], "allow");
    assert_eq!(names(place.temp.path()), [""; 0], "left behind");
}

#[test]
fn one_accident_is_told_by_its_number() {
    let told = stdout(&Place::new().run(&["5"]));
    assert!(
        told.contains("\n5 skipped hook\n") && !told.contains("\n1 implicit"),
        "{told}"
    );
    assert!(
        told.contains("\n1 of 1 done by git, 1 of 1 stopped"),
        "{told}"
    );
}

#[test]
fn a_number_that_no_accident_has_is_trouble() {
    for number in ["0", "9"] {
        let place = Place::new();
        let output = place.run(&[number]);
        assert_eq!(output.status.code(), Some(2));
        assert!(output.stdout.is_empty() && !output.stderr.is_empty());
        assert_eq!(names(place.temp.path()), [""; 0], "left behind");
    }
}

#[test]
fn what_is_kept_is_where_it_says() {
    let place = Place::new();
    let told = stdout(&place.run(&["1", "--keep"]));
    let kept = told.lines().find_map(|l| l.strip_prefix("kept: "));
    let kept = Path::new(kept.expect("a line that says where"));
    assert!(kept.join("1/app/.git").is_dir() && kept.join("1/origin.git").is_dir());
    assert_eq!(names(place.temp.path()).len(), 1);
}

#[test]
fn a_place_where_nothing_can_be_written_is_trouble() {
    let place = Place::new();
    let nowhere = place.temp.path().join("nowhere");
    let output = place.command(&[]).env("TMPDIR", nowhere).output();
    let output = output.expect("the binary starts");
    assert_eq!(output.status.code(), Some(2));
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(
        said.contains("a scratch directory cannot be made"),
        "{said}"
    );
}

#[cfg(unix)]
#[test]
fn nothing_is_left_behind_when_it_is_interrupted() {
    use rustix::process::{Pid, Signal, kill_process_group};
    use std::io::{BufRead, BufReader, Read};
    use std::os::unix::process::{CommandExt, ExitStatusExt};
    use std::process::Stdio;

    let place = Place::new();
    let mut child = place
        .command(&[])
        .process_group(0)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the binary starts");
    let mut line = String::new();
    let mut told = BufReader::new(child.stdout.take().expect("stdout"));
    told.read_line(&mut line).expect("a first line");
    assert_eq!(names(place.temp.path()).len(), 1, "the scratch directory");
    let group = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
    kill_process_group(group.expect("an id"), Signal::INT).expect("a signal");
    let mut said = String::new();
    // Whoever sweeps holds stderr until it is done.
    let mut stderr = child.stderr.take().expect("stderr");
    stderr.read_to_string(&mut said).expect("stderr");
    let status = child.wait().expect("an end");
    assert_eq!(status.signal(), Some(2), "{said}");
    assert_eq!(names(place.temp.path()), [""; 0], "left behind: {said}");
}
