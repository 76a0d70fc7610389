//! The decision log under many writers, full disks and broken files; and reading it back.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    clippy::explicit_write,
    clippy::string_slice
)]

use leaseguard::call::{Call, Dialect, What};
use leaseguard::log::{
    Commands, Entry, FILE, Filter, Follow, Log, Reader, Record, Seen, Settings, Stats,
};
use leaseguard::state::State;
use leaseguard::state::time::Moment;
use leaseguard::verdict::{Decision, Finding, Next, Verdict};
use std::borrow::Cow;
use std::collections::BTreeSet;
use std::fs::OpenOptions;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

fn private() -> (tempfile::TempDir, State) {
    let temp = tempfile::tempdir().unwrap();
    let state = State::at(temp.path().join("state"));
    (temp, state)
}

fn entry<'a>(session: &'a str, rule: &'a str, command: &'a str) -> Entry<'a> {
    Entry {
        kind: "decision",
        host: Some("claude"),
        session: Some(session),
        cwd: Some(Path::new("/repo")),
        decision: Some(Decision::Deny),
        rules: vec![rule],
        effects: vec![Cow::Borrowed("would move `main`")],
        took: Some(Duration::from_micros(812)),
        command: Some(Cow::Borrowed(command)),
        ..Entry::default()
    }
}

fn write(state: &State, entry: &Entry<'_>) -> Result<(), leaseguard::state::Trouble> {
    Log::new(state, Settings::default()).write(entry, Moment::now())
}

fn all(state: &State) -> (Vec<Record>, Seen) {
    Reader::open(state)
        .unwrap()
        .all(&Filter::default())
        .unwrap()
}

fn small(most_bytes: u64, keep: u32) -> Settings {
    Settings {
        most_bytes,
        keep,
        ..Settings::default()
    }
}

fn append(state: &State, bytes: &[u8]) {
    let path = state.dir().join(FILE);
    OpenOptions::new()
        .append(true)
        .open(path)
        .unwrap()
        .write_all(bytes)
        .unwrap();
}

/// Not a test of its own: a writer that another test starts as a process.
#[test]
fn as_child() {
    let Ok(name) = std::env::var("LEASEGUARD_TEST_WRITER") else {
        return;
    };
    let state = State::at(std::env::var("LEASEGUARD_TEST_STATE").unwrap());
    let log = Log::new(&state, small(64 * 1024, 50));
    for n in 0..300 {
        let command = format!("{name}-{n} {}", "x".repeat(n % 97 * 10));
        log.write(&entry(&name, "git/amend", &command), Moment::now())
            .unwrap();
    }
}

// R66
#[test]
fn a_verdict_becomes_one_line_that_reads_back() {
    let (_temp, state) = private();
    let finding = |rule, effect: &str| Finding {
        rule,
        decision: Decision::Deny,
        effect: effect.to_owned(),
        because: Vec::new(),
        instead: None,
        next: Next::AskPerson,
        span: 0..1,
    };
    let verdict = Verdict::from(vec![
        finding("git/force-push", "would rewrite `main`"),
        finding("git/force-push", "would rewrite `dev`"),
        finding("git/base-push", "would move `main`"),
    ]);
    let text = "git push -f https://u:hunter2@h/x \"a\nb\"".to_owned();
    let call = Call {
        session: Some("s".to_owned()),
        agent: Some("a".to_owned()),
        cwd: Some("/r".into()),
        unseen_typing: false,
        what: What::Shell {
            dialect: Dialect::Bash,
            text,
        },
    };
    let entry = Entry {
        repository: Some(Path::new("/r")),
        code: Some("abcdef"),
        ..Entry::of(&call, &verdict)
    };
    let now = Moment::parse("2026-11-29T18:23:58.123Z").unwrap();
    Log::new(&state, Settings::default())
        .write(&entry, now)
        .unwrap();
    let text = std::fs::read_to_string(state.dir().join(FILE)).unwrap();
    assert_eq!(
        text,
        concat!(
            r#"{"time":"2026-11-29T18:23:58.123Z","v":1,"kind":"decision","session":"s","#,
            r#""agent":"a","cwd":"/r","repository":"/r","decision":"deny","#,
            r#""rules":["git/force-push","git/base-push"],"effects":["would rewrite `main`","#,
            r#""would rewrite `dev`","would move `main`"],"code":"abcdef","#,
            r#""command":"git push -f https://***@h/x \"a\nb\""}"#,
            "\n"
        )
    );
    let (records, _) = all(&state);
    assert_eq!(serde_json::to_string(&records[0]).unwrap(), text.trim_end());
    assert_eq!(
        records[0].shown(now.plus(Duration::from_secs(120))),
        "    2m ago  deny      git/force-push git/base-push  git push -f https://***@h/x \"a b\""
    );
}

#[test]
fn commands_are_kept_as_the_setting_says() {
    let (_temp, state) = private();
    let named = ["full", "redacted", "none"].map(|n| Commands::named(n).unwrap());
    assert_eq!(named, [Commands::Full, Commands::Redacted, Commands::None]);
    for commands in named {
        let log = Log::new(
            &state,
            Settings {
                commands,
                ..Settings::default()
            },
        );
        log.write(&entry("s", "r", "TOKEN=hunter2 git push"), Moment::now())
            .unwrap();
    }
    let kept: Vec<_> = all(&state).0.into_iter().map(|r| r.command).collect();
    let text = |t: &str| Some(t.to_owned());
    assert_eq!(
        kept,
        [
            text("TOKEN=hunter2 git push"),
            text("TOKEN=*** git push"),
            None
        ]
    );
    assert_eq!(Commands::named("all"), None);
}

#[test]
fn long_calls_are_cut_to_one_write_and_stay_valid() {
    let (_temp, state) = private();
    let long = "é\"\\\n\u{1}".repeat(100_000);
    let entry = Entry {
        session: Some(&long),
        agent: Some(&long),
        cwd: Some(Path::new(&long)),
        repository: Some(Path::new(&long)),
        rules: vec![&long; 40],
        effects: vec![Cow::Borrowed(long.as_str()); 40],
        fault: Some(&long),
        code: Some(&long),
        ..entry(&long, "r", &long)
    };
    write(&state, &entry).unwrap();
    let length = std::fs::metadata(state.dir().join(FILE)).unwrap().len();
    assert!(length <= 4096, "{length}");
    let (records, seen) = all(&state);
    assert_eq!((seen.taken, seen.garbage), (1, 0));
    assert!(records[0].command.as_ref().unwrap().len() > 300);
    assert!(records[0].cwd.as_ref().unwrap().ends_with('…'));
}

#[test]
fn filters_choose_by_time_rule_and_session() {
    let (_temp, state) = private();
    let log = Log::new(&state, Settings::default());
    let now = Moment::now();
    let ago = |minutes: u64| now.minus(Duration::from_secs(minutes * 60));
    for (session, rule, minutes) in [
        ("aaa1", "git/amend", 90),
        ("aaa2", "git/force-push", 30),
        ("bbb1", "lease/merge", 10),
    ] {
        log.write(&entry(session, rule, "x"), ago(minutes)).unwrap();
    }
    let sessions = |filter: Filter| -> Vec<String> {
        let (records, _) = Reader::open(&state).unwrap().all(&filter).unwrap();
        records.into_iter().filter_map(|r| r.session).collect()
    };
    let since = |text: &str| Filter {
        since: Filter::since(text, now),
        ..Filter::default()
    };
    let rule = |rule: &str| Filter {
        rule: Some(rule.to_owned()),
        ..Filter::default()
    };
    let session = |s: &str| Filter {
        session: Some(s.to_owned()),
        ..Filter::default()
    };
    assert_eq!(sessions(Filter::default()), ["aaa1", "aaa2", "bbb1"]);
    assert_eq!(sessions(since("1h")), ["aaa2", "bbb1"]);
    assert_eq!(sessions(since(&ago(20).to_string())), ["bbb1"]);
    assert_eq!(sessions(rule("git/amend")), ["aaa1"]);
    assert_eq!(sessions(rule("git/")), ["aaa1", "aaa2"]);
    assert_eq!(sessions(rule("git")), Vec::<String>::new());
    assert_eq!(sessions(session("aaa")), ["aaa1", "aaa2"]);
    assert_eq!(Filter::since("soon", now), None);
}

#[test]
fn torn_and_foreign_lines_are_skipped_and_counted_and_cost_no_line_behind_them() {
    let (_temp, state) = private();
    write(&state, &entry("one", "r", "x")).unwrap();
    append(
        &state,
        b"not json\n\n\xff\xfe\0\n[1]\n{\"time\":\"yesterday\",\"v\":1}\n",
    );
    append(
        &state,
        b"{\"time\":\"2026-01-01T00:00:00Z\",\"v\":1,\"command\":\"torn \\\"{",
    );
    write(&state, &entry("two", "r", "a {\"time\":\" in a text")).unwrap();
    append(&state, "x".repeat(200_000).as_bytes());
    append(&state, b"\n");
    write(&state, &entry("three", "r", "x")).unwrap();
    append(&state, b"{\"time\":\"2026-01-01T00:00:0");
    let (records, seen) = all(&state);
    let sessions: Vec<_> = records
        .iter()
        .filter_map(|r| r.session.as_deref())
        .collect();
    assert_eq!(sessions, ["one", "two", "three"]);
    // Of the torn line only the rest is lost, and that is not counted as a line.
    assert_eq!((seen.taken, seen.garbage), (3, 6));
}

#[test]
fn the_log_is_put_aside_by_size_and_only_so_many_files_are_kept() {
    let (_temp, state) = private();
    let log = Log::new(&state, small(2000, 3));
    for n in 0..100 {
        let session = format!("{n:03}");
        log.write(&entry(&session, "r", &"x ".repeat(100)), Moment::now())
            .unwrap();
    }
    let entries = std::fs::read_dir(state.dir()).unwrap();
    let names: BTreeSet<_> = entries
        .map(|e| e.unwrap().file_name().into_string().unwrap())
        .collect();
    let expected = ["", ".1", ".2", ".3"].map(|end| format!("{FILE}{end}"));
    let expected = expected.into_iter().chain(["decisions.lock".to_owned()]);
    assert_eq!(names, expected.collect());
    for name in names {
        assert!(std::fs::metadata(state.dir().join(name)).unwrap().len() <= 2000);
    }
    let (records, seen) = all(&state);
    let sessions: Vec<_> = records.into_iter().filter_map(|r| r.session).collect();
    let expected: Vec<_> = (100 - sessions.len()..100)
        .map(|n| format!("{n:03}"))
        .collect();
    assert_eq!(sessions, expected, "the last ones are there, in order");
    assert!(seen.taken >= 12 && seen.garbage == 0);
}

#[test]
fn many_processes_write_and_turn_the_log_and_no_line_is_lost_or_torn() {
    let (_temp, state) = private();
    let mut follow = Follow::from_now(&state);
    let mut writers: Vec<_> = (0..8)
        .map(|n| {
            Command::new(std::env::current_exe().unwrap())
                .args(["--exact", "as_child", "--quiet"])
                .env("LEASEGUARD_TEST_WRITER", format!("w{n}"))
                .env("LEASEGUARD_TEST_STATE", state.dir())
                .stdout(Stdio::null())
                .spawn()
                .unwrap()
        })
        .collect();
    let mut followed = BTreeSet::new();
    while writers.iter_mut().any(|w| w.try_wait().unwrap().is_none()) {
        let records = follow.poll(&Filter::default());
        followed.extend(records.into_iter().filter_map(|r| r.command));
        std::thread::yield_now();
    }
    assert!(writers.iter_mut().all(|w| w.wait().unwrap().success()));
    for _ in 0..3 {
        followed.extend(
            follow
                .poll(&Filter::default())
                .into_iter()
                .filter_map(|r| r.command),
        );
    }
    let (records, seen) = all(&state);
    assert_eq!((seen.taken, seen.garbage), (2400, 0));
    let unique: BTreeSet<_> = records.into_iter().filter_map(|r| r.command).collect();
    assert_eq!(unique.len(), 2400);
    let files = std::fs::read_dir(state.dir()).unwrap().count();
    assert!(files > 5, "the log was turned: {files}");
    assert_eq!(followed.len(), 2400, "whoever follows sees them all");
    assert_eq!(follow.seen.garbage, 0);
}

#[test]
fn following_starts_now_and_goes_on_behind_a_turn() {
    let (_temp, state) = private();
    let log = Log::new(&state, small(700, 3));
    let write = |session: &str| log.write(&entry(session, "r", "x"), Moment::now()).unwrap();
    write("before");
    let mut follow = Follow::from_now(&state);
    let mut poll = || -> Vec<String> {
        follow
            .poll(&Filter::default())
            .into_iter()
            .filter_map(|r| r.session)
            .collect()
    };
    assert_eq!(poll(), Vec::<String>::new());
    write("a");
    assert_eq!(poll(), ["a"]);
    // Three lines fit: the log is turned twice in between.
    for session in ["b", "c", "d", "e", "f", "g"] {
        write(session);
    }
    assert!(state.dir().join("decisions.jsonl.2").exists());
    assert_eq!(poll(), ["b", "c", "d", "e", "f", "g"]);
    append(&state, b"{\"time\":\"2026-01-01T00:00:00Z\",\"v\":1,");
    assert_eq!(poll(), Vec::<String>::new(), "half a line is no line yet");
    append(&state, b"\"session\":\"h\"}\n");
    assert_eq!(poll(), ["h"]);
    assert_eq!(poll(), Vec::<String>::new());
}

#[test]
fn following_a_log_that_is_not_there_yet_sees_its_first_line() {
    let (_temp, state) = private();
    let mut follow = Follow::from_now(&state);
    assert!(follow.poll(&Filter::default()).is_empty());
    write(&state, &entry("a", "r", "x")).unwrap();
    assert_eq!(follow.poll(&Filter::default()).len(), 1);
}

#[test]
fn counts_are_by_rule_by_session_and_by_act() {
    let (_temp, state) = private();
    for (session, rule, decision) in [
        ("a", "git/amend", Decision::Deny),
        ("a", "git/amend", Decision::Deny),
        ("a", "shell/opaque", Decision::Ask),
        ("b", "git/amend", Decision::Allow),
    ] {
        let decision = Some(decision);
        write(
            &state,
            &Entry {
                decision,
                ..entry(session, rule, "x")
            },
        )
        .unwrap();
    }
    write(
        &state,
        &Entry {
            kind: "pause",
            ..Entry::default()
        },
    )
    .unwrap();
    write(
        &state,
        &Entry {
            fault: Some("fault/bad-json"),
            ..entry("b", "r", "x")
        },
    )
    .unwrap();
    let mut stats = Stats::default();
    let reader = Reader::open(&state).unwrap();
    reader
        .each(&Filter::default(), |record| stats.add(record))
        .unwrap();
    let counts = |deny: u64, ask: u64, allow: u64| serde_json::json!({"deny": deny, "ask": ask, "allow": allow});
    assert_eq!(
        serde_json::to_value(&stats).unwrap(),
        serde_json::json!({
            "lines": 6,
            "rules": {
                "git/amend": counts(2, 0, 1),
                "shell/opaque": counts(0, 1, 0),
                "r": counts(1, 0, 0),
            },
            "sessions": {"a": counts(2, 1, 0), "b": counts(1, 0, 1)},
            "acts": {"pause": 1},
            "faults": {"fault/bad-json": 1},
        })
    );
    assert_eq!(Stats::ranked(&stats.rules)[0].0, "git/amend");
}

#[cfg(unix)]
#[test]
fn a_state_directory_that_cannot_be_used_is_told_and_nothing_else() {
    use std::os::unix::fs::symlink;
    let temp = tempfile::tempdir().unwrap();
    let file = State::at(temp.path().join("file"));
    std::fs::write(file.dir(), "").unwrap();
    let trouble = write(&file, &entry("s", "r", "x")).unwrap_err().to_string();
    let told = trouble.starts_with("cannot open `")
        && trouble.ends_with("file/decisions.jsonl`: not a directory");
    assert!(told, "{trouble}");
    assert_eq!(all(&file).0, []);
    let dangling = State::at(temp.path().join("link"));
    symlink(temp.path().join("a/b"), dangling.dir()).unwrap();
    assert!(write(&dangling, &entry("s", "r", "x")).is_err());
    // A device and a pipe in place of the log.
    for device in [true, false] {
        let state = State::at(temp.path().join(format!("state-{device}")));
        state.ensure().unwrap();
        let path = state.dir().join(FILE);
        if device {
            symlink("/dev/full", &path).unwrap();
        } else {
            assert!(
                Command::new("mkfifo")
                    .arg(&path)
                    .status()
                    .unwrap()
                    .success()
            );
        }
        let trouble = write(&state, &entry("s", "r", "x")).unwrap_err();
        assert!(trouble.0.ends_with("not a regular file"), "{trouble}");
        assert_eq!(all(&state).0, []);
        assert!(Follow::from_now(&state).poll(&Filter::default()).is_empty());
    }
}

/// Mounts a small file system, runs `test` in it, and takes it away; only root can.
#[cfg(target_os = "linux")]
fn mounted(options: &str, test: impl FnOnce(&Path)) {
    struct Mount(tempfile::TempDir);
    impl Drop for Mount {
        fn drop(&mut self) {
            let _ = Command::new("umount").arg(self.0.path()).status();
        }
    }
    let temp = tempfile::tempdir().unwrap();
    let mut mount = Command::new("mount");
    mount
        .args(["-t", "tmpfs", "-o", options, "none"])
        .arg(temp.path())
        .stderr(Stdio::null());
    if !mount.status().is_ok_and(|s| s.success()) {
        // Written so that the harness does not keep it to itself.
        let told = "SKIPPED: only root can mount the small disk that this test fills";
        writeln!(std::io::stderr(), "{told}").unwrap();
        return;
    }
    let mount = Mount(temp);
    test(mount.0.path());
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_costs_the_lines_that_do_not_fit_and_is_told() {
    mounted("size=64k", |dir| {
        let state = State::at(dir.join("state"));
        let long = "x ".repeat(1500);
        let mut written = 0;
        let trouble = loop {
            match write(&state, &entry(&written.to_string(), "r", &long)) {
                Ok(()) => written += 1,
                Err(trouble) => break trouble,
            }
            assert!(written < 100);
        };
        let told = trouble.0.contains("no space left") || trouble.0.contains("cut short");
        assert!(told, "{trouble}");
        assert!(write(&state, &entry("full", "r", &long)).is_err());
        let (records, seen) = all(&state);
        assert_eq!(records.len(), written);
        assert!(seen.garbage <= 1);
        // With room again, the torn line takes none of those behind it along.
        let more = Command::new("mount")
            .args(["-o", "remount,size=128k"])
            .arg(dir)
            .status();
        assert!(more.unwrap().success());
        write(&state, &entry("after", "r", "x")).unwrap();
        assert_eq!(
            all(&state).0.last().unwrap().session.as_deref(),
            Some("after")
        );
    });
}

#[cfg(target_os = "linux")]
#[test]
fn a_read_only_disk_is_told() {
    mounted("size=64k", |dir| {
        let state = State::at(dir.join("state"));
        write(&state, &entry("a", "r", "x")).unwrap();
        let remount = Command::new("mount")
            .args(["-o", "remount,ro"])
            .arg(dir)
            .status();
        assert!(remount.unwrap().success());
        let trouble = write(&state, &entry("b", "r", "x")).unwrap_err();
        assert!(trouble.0.contains("read-only file system"), "{trouble}");
        assert_eq!(all(&state).0.len(), 1);
        let trouble = write(&State::at(dir.join("other")), &entry("b", "r", "x")).unwrap_err();
        assert!(trouble.0.starts_with("cannot make `"), "{trouble}");
    });
}
