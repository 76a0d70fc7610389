//! Grants, pauses and asks, with many processes at once; and who passes for a person at a terminal.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    clippy::explicit_write,
    clippy::string_slice
)]

use leaseguard::grant::{Denial, Grants, MOST, ONCE_WITHIN, OPEN_FOR, Refusal, Uses, pause, shown};
use leaseguard::state::State;
use leaseguard::state::time::Moment;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

const RULES: &[&str] = &["git/force-push", "git/base-push"];

fn denial() -> Denial<'static> {
    Denial {
        session: Some("s1"),
        dir: Path::new("/repo"),
        text: "git push --force origin main",
        rules: RULES,
    }
}

fn later(seconds: u64) -> Moment {
    Moment::now().plus(Duration::from_secs(seconds))
}

fn private() -> (tempfile::TempDir, State) {
    let temp = tempfile::tempdir().unwrap();
    let state = State::at(temp.path().join("state"));
    (temp, state)
}

/// Not a test of its own: what the other tests start as a process.
#[test]
fn as_child() {
    let Ok(role) = std::env::var("LEASEGUARD_TEST_ROLE") else {
        return;
    };
    let var = |name: &str| std::env::var(name).unwrap_or_default();
    match role.as_str() {
        "take" => {
            let state = State::at(var("LEASEGUARD_TEST_STATE"));
            let gate = PathBuf::from(var("LEASEGUARD_TEST_GATE"));
            while !gate.exists() {
                std::thread::yield_now();
            }
            let taken = Grants::new(&state).take(&denial(), Moment::now()).unwrap();
            println!("role says {}", if taken.is_some() { "won" } else { "lost" });
        }
        "ask" => persons::say_who_asks(&var("LEASEGUARD_TEST_TOP")),
        _ => panic!("no such role"),
    }
}

#[test]
fn the_same_denial_has_the_same_code_and_any_other_has_another() {
    let code = denial().code();
    assert!(code.is_some());
    for rules in [
        &["git/base-push", "git/force-push"][..],
        &["git/base-push", "git/force-push", "git/base-push"],
    ] {
        assert_eq!(Denial { rules, ..denial() }.code(), code);
    }
    for other in [
        Denial {
            session: None,
            ..denial()
        },
        Denial {
            session: Some("s2"),
            ..denial()
        },
        Denial {
            dir: Path::new("/repo2"),
            ..denial()
        },
        Denial {
            text: "git push --force origin dev",
            ..denial()
        },
        Denial {
            rules: &["git/force-push"],
            ..denial()
        },
    ] {
        assert_ne!(other.code(), code, "{other:?}");
    }
}

#[test]
fn an_approved_call_passes_once_and_nothing_else_passes() {
    let (_temp, state) = private();
    let grants = Grants::new(&state);
    let now = Moment::now();
    let code = grants
        .record(&denial(), Some("claude"), now)
        .unwrap()
        .unwrap();
    assert_eq!(grants.take(&denial(), now), Ok(None));
    let grant = grants.approve(code.as_str(), Uses::Once, now).unwrap();
    assert_eq!(grant.rules, ["git/base-push", "git/force-push"]);
    assert_eq!(grants.given(now).unwrap(), std::slice::from_ref(&grant));
    for other in [
        Denial {
            session: Some("s2"),
            ..denial()
        },
        Denial {
            session: None,
            ..denial()
        },
        Denial {
            dir: Path::new("/repo2"),
            ..denial()
        },
        Denial {
            text: "git push --force origin main ",
            ..denial()
        },
        Denial {
            rules: &["git/force-push", "git/discard"],
            ..denial()
        },
        Denial {
            rules: &[],
            ..denial()
        },
        Denial {
            rules: &["git/force-push", "self/tamper"],
            ..denial()
        },
    ] {
        assert_eq!(grants.take(&other, now), Ok(None), "{other:?}");
    }
    assert_eq!(grants.open(now).unwrap(), []);
    assert_eq!(grants.take(&denial(), now).unwrap().as_ref(), Some(&grant));
    assert_eq!(grants.take(&denial(), now), Ok(None));
    let again = grants.approve(code.as_str(), Uses::Once, now);
    assert!(matches!(again, Err(Refusal::Unknown(_))));
}

#[test]
fn a_grant_covers_fewer_findings_of_the_same_call_too() {
    let (_temp, state) = private();
    let grants = Grants::new(&state);
    let now = Moment::now();
    let code = grants.record(&denial(), None, now).unwrap().unwrap();
    grants.approve(code.as_str(), Uses::Once, now).unwrap();
    let fewer = Denial {
        rules: &["git/force-push"],
        ..denial()
    };
    assert!(grants.take(&fewer, now).unwrap().is_some());
}

#[test]
fn a_grant_for_a_span_passes_any_number_of_times_and_ends() {
    let (_temp, state) = private();
    let grants = Grants::new(&state);
    let code = grants
        .record(&denial(), None, Moment::now())
        .unwrap()
        .unwrap();
    let uses = Uses::within("10m").unwrap();
    grants.approve(code.as_str(), uses, Moment::now()).unwrap();
    for _ in 0..5 {
        assert!(grants.take(&denial(), later(590)).unwrap().is_some());
    }
    assert_eq!(grants.take(&denial(), later(601)), Ok(None));
    let removed = grants.take(&denial(), Moment::now());
    assert_eq!(removed, Ok(None), "an ended grant is removed");
    for text in ["", "0s", "10", "25h", "1w", "x"] {
        assert!(
            matches!(Uses::within(text), Err(Refusal::Span(_))),
            "{text}"
        );
    }
}

#[test]
fn a_grant_for_one_use_does_not_wait_for_ever_and_a_wrong_clock_prolongs_nothing() {
    let (_temp, state) = private();
    let grants = Grants::new(&state);
    let approve = |when| {
        let code = grants.record(&denial(), None, when).unwrap().unwrap();
        grants.approve(code.as_str(), Uses::Once, when).unwrap();
    };
    approve(Moment::now());
    assert_eq!(
        grants.take(&denial(), later(ONCE_WITHIN.as_secs() + 1)),
        Ok(None)
    );
    // Written by a clock that was a year ahead.
    approve(later(365 * 86_400));
    assert_eq!(grants.take(&denial(), Moment::now()), Ok(None));
}

#[test]
fn rules_that_guard_leaseguard_get_no_code_and_no_grant() {
    let (_temp, state) = private();
    let grants = Grants::new(&state);
    let now = Moment::now();
    let own = Denial {
        rules: &["git/discard", "self/tamper"],
        ..denial()
    };
    assert_eq!(own.code(), None);
    assert_eq!(grants.record(&own, None, now), Ok(None));
    assert_eq!(grants.open(now), Ok(Vec::new()));
    // Neither by a file that somebody changed.
    let code = grants.record(&denial(), None, now).unwrap().unwrap();
    let path = state.dir().join("open").join(format!("{code}.json"));
    let text = std::fs::read_to_string(&path).unwrap();
    std::fs::write(&path, text.replace("git/base-push", "self/tamper")).unwrap();
    let refused = grants.approve(code.as_str(), Uses::Once, now).unwrap_err();
    assert_eq!(refused, Refusal::Never("self/tamper".to_owned()));
}

#[test]
fn open_denials_are_listed_newest_first_and_the_old_are_swept() {
    let (_temp, state) = private();
    let grants = Grants::new(&state);
    let now = Moment::now();
    let old = Denial {
        text: "git push --force old",
        ..denial()
    };
    let text = "git push -f https://u:hunter2@h/x\n";
    let secret = Denial {
        text,
        session: Some("s2"),
        ..denial()
    };
    grants.record(&old, None, now.minus(OPEN_FOR)).unwrap();
    grants
        .record(&denial(), None, now.minus(Duration::from_secs(60)))
        .unwrap();
    grants.record(&secret, None, now).unwrap();
    std::fs::write(state.dir().join("open/zzzzzz.json"), "garbage").unwrap();
    let open = grants.open(now).unwrap();
    let sessions: Vec<_> = open.iter().map(|o| o.session.as_deref()).collect();
    assert_eq!(sessions, [Some("s2"), Some("s1")]);
    let swept = state
        .dir()
        .join("open")
        .join(format!("{}.json", old.code().unwrap()));
    assert!(!swept.exists());
    let lines = shown(&open, now);
    assert!(
        lines[0].contains("***@h/x") && !lines[0].contains('\n'),
        "{lines:?}"
    );
    let code = denial().code().unwrap();
    assert!(
        lines[1].starts_with(&format!("  2  {code}     1m ago")),
        "{lines:?}"
    );
    // By number, and by code as people type it.
    assert_eq!(grants.pick("2", now).unwrap().code, code.to_string());
    let typed = code.as_str().to_uppercase();
    assert_eq!(
        grants.pick(&typed, now).unwrap().session.as_deref(),
        Some("s1")
    );
    for word in ["0", "3", "", "../../x", "zzzzzz", "99999999999999999999"] {
        assert!(
            matches!(grants.pick(word, now), Err(Refusal::Unknown(_))),
            "{word}"
        );
    }
}

#[test]
fn of_twenty_processes_that_race_for_one_grant_exactly_one_wins() {
    let (temp, state) = private();
    let grants = Grants::new(&state);
    for round in 0..3 {
        let code = grants
            .record(&denial(), None, Moment::now())
            .unwrap()
            .unwrap();
        grants
            .approve(code.as_str(), Uses::Once, Moment::now())
            .unwrap();
        let gate = temp.path().join(format!("gate{round}"));
        let start = |_| {
            Command::new(std::env::current_exe().unwrap())
                .args(["--exact", "as_child", "--nocapture", "--quiet"])
                .env("LEASEGUARD_TEST_ROLE", "take")
                .env("LEASEGUARD_TEST_STATE", state.dir())
                .env("LEASEGUARD_TEST_GATE", &gate)
                .stdout(Stdio::piped())
                .spawn()
                .unwrap()
        };
        let racers: Vec<_> = (0..20).map(start).collect();
        std::fs::write(&gate, "").unwrap();
        let said: Vec<String> = racers
            .into_iter()
            .map(|r| String::from_utf8(r.wait_with_output().unwrap().stdout).unwrap())
            .collect();
        let count = |word: &str| said.iter().filter(|s| s.contains(word)).count();
        assert_eq!(
            (count("role says won"), count("role says lost")),
            (1, 19),
            "{said:?}"
        );
    }
}

#[test]
fn of_many_threads_that_race_for_one_grant_exactly_one_wins() {
    let (_temp, state) = private();
    let grants = Grants::new(&state);
    for _ in 0..100 {
        let now = Moment::now();
        let code = grants.record(&denial(), None, now).unwrap().unwrap();
        grants.approve(code.as_str(), Uses::Once, now).unwrap();
        let won: usize = std::thread::scope(|scope| {
            let take = || usize::from(grants.take(&denial(), now).unwrap().is_some());
            let racers: Vec<_> = (0..8).map(|_| scope.spawn(take)).collect();
            racers.into_iter().map(|r| r.join().unwrap()).sum()
        });
        assert_eq!(won, 1);
    }
}

#[cfg(unix)]
#[test]
fn files_are_private_and_an_open_directory_is_closed_before_a_grant_counts() {
    use std::os::unix::fs::PermissionsExt;
    let (_temp, state) = private();
    let grants = Grants::new(&state);
    let now = Moment::now();
    let code = grants.record(&denial(), None, now).unwrap().unwrap();
    grants.approve(code.as_str(), Uses::Once, now).unwrap();
    pause::pause(&state, Duration::from_secs(60), now).unwrap();
    let mode = |path: PathBuf| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
    for entry in ["", "open", "grants", "pause.json"] {
        let path = state.dir().join(entry);
        let want = if path.is_dir() { 0o700 } else { 0o600 };
        assert_eq!(mode(path), want, "{entry}");
    }
    for file in std::fs::read_dir(state.dir().join("grants")).unwrap() {
        assert_eq!(mode(file.unwrap().path()), 0o600);
    }
    std::fs::set_permissions(state.dir(), std::fs::Permissions::from_mode(0o777)).unwrap();
    assert!(grants.take(&denial(), now).unwrap().is_some());
    assert_eq!(mode(state.dir().to_owned()), 0o700);
}

#[test]
fn a_pause_ends_by_itself_or_by_a_word_and_is_never_longer_than_a_day() {
    let (_temp, state) = private();
    let now = Moment::now();
    assert_eq!(pause::paused(&state, now), Ok(None));
    let ordered = pause::pause(&state, Duration::from_secs(600), now).unwrap();
    assert_eq!(pause::paused(&state, later(500)), Ok(Some(ordered)));
    assert_eq!(pause::paused(&state, later(700)), Ok(None));
    assert_eq!(pause::resume(&state), Ok(true));
    assert_eq!(pause::resume(&state), Ok(false));
    assert_eq!(pause::paused(&state, now), Ok(None));
    assert!(pause::pause(&state, Duration::ZERO, now).is_err());
    assert!(pause::pause(&state, MOST + Duration::from_secs(1), now).is_err());
    let endless = r#"{"given":"2026-01-01T00:00:00Z","until":"2999-01-01T00:00:00Z"}"#;
    std::fs::write(state.dir().join("pause.json"), endless).unwrap();
    assert_eq!(pause::paused(&state, now), Ok(None));
}

#[test]
fn an_ask_that_was_shown_is_honoured_once_by_the_same_process_for_those_refs() {
    let (_temp, state) = private();
    let grants = Grants::new(&state);
    let repo = Path::new("/repo/.git");
    let now = Moment::now();
    let rules = ["git/push-unclear", "ci/in-flight"];
    let refs = ["refs/heads/feat", "refs/tags/*"];
    grants
        .asked("boot:7:100", repo, &rules, &refs, now)
        .unwrap();
    grants
        .asked("boot:7:100", repo, &rules, &refs, now)
        .unwrap();
    let take = |process, repo, rules: &[&str], refs: &[&str], now| {
        grants
            .take_ask(process, repo, rules, refs, now)
            .unwrap()
            .is_some()
    };
    let asked: &[&str] = &["git/push-unclear"];
    let feat: &[&str] = &["refs/heads/feat"];
    let both: &[&str] = &["refs/heads/feat", "refs/heads/main"];
    assert!(
        !take("boot:7:101", repo, asked, feat, now),
        "another process"
    );
    assert!(
        !take("boot:7:100", Path::new("/b/.git"), asked, feat, now),
        "another repository"
    );
    assert!(
        !take("boot:7:100", repo, &["git/base-push"], feat, now),
        "another rule"
    );
    assert!(
        !take("boot:7:100", repo, asked, &["refs/heads/main"], now),
        "another ref"
    );
    assert!(!take("boot:7:100", repo, asked, both, now), "one more ref");
    assert!(!take("boot:7:100", repo, asked, &[], now), "nothing named");
    assert!(take(
        "boot:7:100",
        repo,
        asked,
        &["refs/heads/feat", "refs/tags/v1"],
        now
    ));
    assert!(
        !take("boot:7:100", repo, asked, feat, now),
        "used up, though it was shown twice"
    );
    grants.asked("boot:7:100", repo, &rules, feat, now).unwrap();
    assert!(
        !take("boot:7:100", repo, asked, feat, later(601)),
        "ten minutes are over"
    );
    grants
        .asked("boot:7:100", repo, &["self/tamper"], feat, now)
        .unwrap();
    assert!(!take("boot:7:100", repo, &["self/tamper"], feat, now));
}

#[test]
fn broken_files_grant_nothing_and_trouble_is_told() {
    let (temp, state) = private();
    let grants = Grants::new(&state);
    let now = Moment::now();
    let code = grants.record(&denial(), None, now).unwrap().unwrap();
    grants.approve(code.as_str(), Uses::Once, now).unwrap();
    let mut files = std::fs::read_dir(state.dir().join("grants")).unwrap();
    let file = files.next().unwrap().unwrap().path();
    let good = std::fs::read_to_string(&file).unwrap();
    let changed = [
        ("\"v\":1", "\"v\":2"),
        ("s1", "s2"),
        ("/repo", "/"),
        ("\"given\"", "\"x\""),
    ];
    let mut bad: Vec<String> = changed.iter().map(|(a, b)| good.replace(a, b)).collect();
    bad.extend(["", "{", "null", "[]"].map(str::to_owned));
    for text in bad {
        assert_ne!(text, good);
        std::fs::write(&file, &text).unwrap();
        assert_eq!(grants.take(&denial(), now), Ok(None), "{text}");
    }
    std::fs::write(&file, "x".repeat(100_000)).unwrap();
    assert!(grants.take(&denial(), now).is_err());
    std::fs::remove_file(&file).unwrap();
    std::fs::create_dir(&file).unwrap();
    assert!(grants.take(&denial(), now).is_err());
    let blocked = State::at(temp.path().join("plain"));
    std::fs::write(blocked.dir(), "").unwrap();
    let grants = Grants::new(&blocked);
    assert!(grants.record(&denial(), None, now).is_err());
    assert!(grants.take(&denial(), now).is_err());
    assert!(grants.open(now).is_err());
}

#[cfg(target_os = "linux")]
mod persons {
    use leaseguard::person::chain::Chain;
    use leaseguard::person::{Asker, Caller, terminal};
    use std::io::Write;
    use std::path::Path;
    use std::process::{Command, Stdio};

    /// The child's part. Only processes below `top` count, since an agent may run these tests.
    pub(super) fn say_who_asks(top: &str) {
        let top: u32 = top.parse().unwrap();
        let mut asker = Asker::here();
        let all = &asker.chain.processes;
        let below: Vec<_> = all.iter().take_while(|p| p.pid != top).cloned().collect();
        assert!(below.len() < all.len(), "the test itself is no ancestor");
        asker.chain = Chain {
            processes: below,
            complete: asker.chain.complete,
        };
        for require in [true, false] {
            match asker.is_person(require) {
                Ok(()) => println!("role says person {require}"),
                Err(reason) => println!("role says no {require}: {reason}"),
            }
        }
        match asker.caller() {
            Caller::Agent { host, .. } => println!("role says caller {host}"),
            caller => println!("role says caller {caller:?}"),
        }
        match terminal::confirm("this would let `x` through", "allow") {
            Ok(()) => println!("role says confirmed"),
            Err(reason) => println!("role says unconfirmed: {reason}"),
        }
    }

    /// The command line of the child, for a shell.
    fn line() -> String {
        let program = std::env::current_exe().unwrap();
        format!(
            "'{}' --exact as_child --nocapture --quiet",
            program.display()
        )
    }

    /// Runs `command` with `typed` as its input; tells all that it said.
    fn said(command: &mut Command, typed: &str) -> String {
        command
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .env("SHELL", "/bin/bash")
            .env("LEASEGUARD_TEST_ROLE", "ask")
            .env("LEASEGUARD_TEST_TOP", std::process::id().to_string());
        let piped = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let mut child = piped.spawn().unwrap();
        child
            .stdin
            .take()
            .unwrap()
            .write_all(typed.as_bytes())
            .unwrap();
        let out = child.wait_with_output().unwrap();
        let text = [out.stdout, out.stderr].concat();
        String::from_utf8_lossy(&text).into_owned()
    }

    /// `script` gives what it runs a terminal of its own.
    fn at_a_terminal(text: &str) -> Command {
        let mut command = Command::new("script");
        command.args(["-qec", text, "/dev/null"]);
        command
    }

    fn assert_says(out: &str, texts: &[&str]) {
        for text in texts {
            assert!(out.contains(text), "`{text}` is missing in:\n{out}");
        }
    }

    /// A shell under another name: its executable, its arguments and its own name say so.
    fn shell_named(dir: &Path, name: &str) -> String {
        let path = dir.join(name);
        std::fs::copy("/bin/bash", &path).unwrap();
        path.to_str().unwrap().to_owned()
    }

    #[test]
    fn a_person_at_a_terminal_passes_and_has_to_type_the_word() {
        let out = said(&mut at_a_terminal(&line()), "allow\n");
        assert_says(
            &out,
            &[
                "role says person true",
                "role says person false",
                "role says caller Person",
                "this would let `x` through",
                "type `allow` to go on: ",
                "role says confirmed",
            ],
        );
        let out = said(&mut at_a_terminal(&line()), "yes\n");
        assert_says(
            &out,
            &["unconfirmed: nothing was done, because `allow` was not typed"],
        );
    }

    #[test]
    fn a_pipe_in_place_of_the_keyboard_is_no_terminal_for_what_needs_one() {
        let piped = format!("echo allow | {}", line());
        let out = said(&mut at_a_terminal(&piped), "no\n");
        assert_says(
            &out,
            &[
                "role says no true: this is for people, and there is no terminal here",
                "role says person false",
                "role says caller Person",
                "role says unconfirmed",
            ],
        );
    }

    #[test]
    fn without_any_terminal_nothing_can_be_confirmed() {
        let mut command = Command::new("setsid");
        command.args(["-w", "bash", "-c", &format!("{}; true", line())]);
        let out = said(&mut command, "allow\n");
        assert_says(
            &out,
            &[
                "role says no true",
                "role says person false",
                "role says caller Unknown",
                "role says unconfirmed",
            ],
        );
    }

    #[test]
    fn an_agent_among_the_ancestors_refuses_even_with_a_terminal() {
        let temp = tempfile::tempdir().unwrap();
        let claude = shell_named(temp.path(), "claude");
        let inner = format!("{}; true", line());
        // The agent inside the terminal, and the terminal inside the agent.
        let inside = at_a_terminal(&format!("{claude} -c \"{inner}\""));
        let mut outside = Command::new(&claude);
        outside.args(["-c", &format!("script -qec \"{inner}\" /dev/null; true")]);
        for mut command in [inside, outside] {
            let out = said(&mut command, "allow\n");
            assert_says(
                &out,
                &[
                    "role says no true: this is for people, and Claude Code (process ",
                    "role says no false",
                    "role says caller Claude Code",
                ],
            );
        }
    }

    #[test]
    fn an_agent_that_is_a_script_of_node_is_one_too_and_other_scripts_are_not() {
        let temp = tempfile::tempdir().unwrap();
        let node = shell_named(temp.path(), "node");
        let folder = temp.path().join("node_modules/@anthropic-ai/claude-code");
        std::fs::create_dir_all(&folder).unwrap();
        let agent = folder.join("cli.js");
        let server = temp.path().join("server.js");
        for script in [&agent, &server] {
            std::fs::write(script, format!("{}; true", line())).unwrap();
        }
        let run = |script: &Path| {
            said(
                &mut at_a_terminal(&format!("{node} {}; true", script.display())),
                "allow\n",
            )
        };
        assert_says(
            &run(&agent),
            &["role says no true: this is for people, and Claude Code"],
        );
        assert_says(&run(&server), &["role says person true"]);
    }

    #[test]
    fn a_mark_in_the_environment_refuses_and_says_how_to_do_it() {
        let out = said(
            &mut at_a_terminal(&format!("CLAUDECODE=1 {}", line())),
            "allow\n",
        );
        assert_says(
            &out,
            &[
                "no false: this is for people, and `CLAUDECODE` says that Claude Code opened",
                "in a terminal of their own",
                "role says caller Unknown",
            ],
        );
    }
}

#[cfg(not(target_os = "linux"))]
mod persons {
    pub(super) fn say_who_asks(_top: &str) {}
}
