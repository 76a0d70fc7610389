//! Every way in which a host was seen not to call leaseguard is found, and a sound machine is left in peace.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout
)]
#![cfg(unix)]

mod support;

use leaseguard::doctor::{self, Machine, Severity, Site};
use leaseguard::grant::pause;
use leaseguard::setup::Around;
use leaseguard::state::State;
use leaseguard::state::time::Moment;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::time::Duration;
use support::Report;
use support::desk::{Desk, claude_call};

const BINARY: &str = env!("CARGO_BIN_EXE_leaseguard");

const CLAUDE: &str = "home/.claude/settings.json";
const CODEX: &str = "home/.codex/hooks.json";
const GEMINI: &str = "home/.gemini/settings.json";

/// Claude Code, Codex and Gemini, connected and trusted.
fn sound() -> Desk {
    let desk = Desk::new(BINARY);
    desk.program("bin/claude", "#!/bin/sh\necho '2.1.332 (Claude Code)'\n");
    desk.program("bin/codex", "#!/bin/sh\necho 'codex-cli 0.171.0'\n");
    desk.program("bin/gemini", "#!/bin/sh\necho 0.61.0\n");
    desk.install(&["claude", "codex", "gemini"]);
    trust(&desk, 0);
    desk
}

/// What Codex writes when a person has trusted our entry in this group.
fn trust(desk: &Desk, group: usize) {
    let key = format!("{}:pre_tool_use:{group}:0", desk.at(CODEX).display());
    let text = format!("[hooks.state.\"{key}\"]\ntrusted_hash = \"sha256:0\"\n");
    desk.put("home/.codex/config.toml", &text);
}

/// The ids that were found, with how bad they are.
fn ids(report: &Value) -> BTreeSet<(String, String)> {
    let hosts = report["hosts"].as_array().expect("hosts");
    let hosts = hosts
        .iter()
        .flat_map(|h| h["findings"].as_array().expect("findings"));
    let own = report["leaseguard"].as_array().expect("findings");
    let word = |v: &Value| v.as_str().expect("text").to_owned();
    hosts
        .chain(own)
        .map(|f| (word(&f["check"]), word(&f["severity"])))
        .collect()
}

/// Findings of a sound machine: what no check can know better, and the build of the tests.
const HARMLESS: &[&str] = &["trust/hook note", "own/build note"];

/// One way to break it, the check that has to see it, and how bad that is.
type Case = (&'static str, &'static str, fn(&Desk));

fn group(value: &mut Value) -> &mut Value {
    &mut value["hooks"]["PreToolUse"][0]
}

fn handler(value: &mut Value) -> &mut Value {
    &mut group(value)["hooks"][0]
}

const CASES: &[Case] = &[
    ("file/syntax", "broken", |d| {
        let text = format!("\u{feff}{}", d.text(CODEX));
        d.put(CODEX, &text);
    }),
    ("file/syntax", "broken", |d| {
        let text = format!("// ours\n{}", d.text(CLAUDE));
        d.put(CLAUDE, &text);
    }),
    ("file/syntax", "broken", |d| {
        let text = d.text(GEMINI).trim_end().trim_end_matches('}').to_owned() + ",}";
        d.put(GEMINI, &text);
    }),
    ("file/syntax", "note", |d| {
        d.put("repo/.claude/settings.local.json", "{")
    }),
    ("file/nesting", "broken", |d| {
        d.json(CODEX, |v| *v = v["hooks"].clone());
    }),
    ("file/sibling", "broken", |d| {
        d.json(CLAUDE, |v| {
            v["hooks"]["Stop"] = json!([{ "hooks": [{ "type": "command" }] }])
        });
    }),
    ("entry/missing", "broken", |d| d.put(CLAUDE, "{}")),
    ("entry/event", "broken", |d| {
        d.json(CLAUDE, |v| {
            let groups = v["hooks"]["PreToolUse"].take();
            v["hooks"] = json!({ "PostToolUse": groups });
        });
    }),
    ("entry/matcher", "broken", |d| {
        d.json(CLAUDE, |v| group(v)["matcher"] = json!("bash"))
    }),
    ("entry/matcher", "broken", |d| {
        d.json(CLAUDE, |v| group(v)["matcher"] = json!("Bash(git *)"));
    }),
    ("entry/matcher", "broken", |d| {
        d.json(CODEX, |v| group(v)["matcher"] = json!("exec_command"))
    }),
    ("entry/matcher", "weak", |d| {
        d.json(CLAUDE, |v| group(v)["matcher"] = json!("Bash"))
    }),
    ("entry/condition", "broken", |d| {
        d.json(CLAUDE, |v| handler(v)["async"] = json!(true))
    }),
    ("entry/condition", "broken", |d| {
        d.json(CLAUDE, |v| handler(v)["if"] = json!("Bash(git *)"))
    }),
    ("entry/timeout", "weak", |d| {
        d.json(CLAUDE, |v| handler(v)["timeout"] = json!(30_000))
    }),
    ("entry/timeout", "weak", |d| {
        d.json(GEMINI, |v| {
            v["hooks"]["BeforeTool"][0]["hooks"][0]["timeout"] = json!(30)
        });
    }),
    ("entry/double", "note", |d| {
        d.put("repo/.claude/settings.json", &d.text(CLAUDE));
    }),
    ("entry/outdated", "weak", |d| {
        d.json(CLAUDE, |v| {
            drop(handler(v).as_object_mut().unwrap().remove("onFailure"))
        });
    }),
    ("switch/off", "broken", |d| {
        d.json(CLAUDE, |v| v["disableAllHooks"] = json!(true))
    }),
    ("switch/off", "broken", |d| {
        d.put(
            "repo/.claude/settings.local.json",
            r#"{"disableAllHooks":true}"#,
        );
    }),
    ("switch/off", "broken", |d| {
        let text = d.text("home/.codex/config.toml") + "[features]\nhooks = false\n";
        d.put("home/.codex/config.toml", &text);
    }),
    ("switch/off", "broken", |d| {
        d.json(GEMINI, |v| v["hooksConfig"] = json!({"enabled": false}))
    }),
    ("switch/off", "broken", |d| {
        d.json(GEMINI, |v| {
            v["hooksConfig"] = json!({"disabled": ["leaseguard"]})
        });
    }),
    ("trust/hook", "broken", |d| {
        d.put("home/.codex/config.toml", "model = \"x\"\n")
    }),
    ("trust/hook", "broken", |d| trust(d, 1)),
    ("trust/project", "broken", |d| {
        d.put(CODEX, "{}");
        d.install(&["codex", "--project"]);
    }),
    ("program/missing", "broken", |d| {
        d.json(CLAUDE, |v| {
            handler(v)["command"] = json!("/nowhere/leaseguard")
        });
    }),
    ("program/missing", "broken", |d| {
        d.json(CODEX, |v| {
            handler(v)["command"] = json!("/a b/leaseguard hook --host codex")
        });
    }),
    ("program/missing", "broken", |d| {
        d.put("away/leaseguard", "#!/bin/sh\n");
        let path = d.at("away/leaseguard");
        d.json(CLAUDE, |v| handler(v)["command"] = json!(path));
    }),
    ("program/missing", "broken", |d| {
        d.json(CODEX, |v| {
            handler(v)["command"] = json!("leaseguard hook --host codex")
        });
    }),
    ("program/other", "weak", |d| {
        d.program("away/leaseguard", "#!/bin/sh\necho leaseguard 0.0.1\n");
        let path = d.at("away/leaseguard");
        d.json(CLAUDE, |v| handler(v)["command"] = json!(path));
    }),
    ("host/version", "broken", |d| {
        d.program("bin/claude", "#!/bin/sh\necho '2.1.100 (Claude Code)'\n");
    }),
    ("profile/prints", "weak", |d| {
        d.put("home/.bash_profile", "echo welcome\n")
    }),
    ("canary", "broken", |d| {
        d.put("home/.bash_profile", "echo welcome\n")
    }),
    ("canary", "broken", |d| {
        d.program("away/leaseguard", "#!/bin/sh\nexit 0\n");
        let path = d.at("away/leaseguard");
        d.json(CLAUDE, |v| handler(v)["command"] = json!(path));
    }),
    ("canary", "broken", |d| {
        d.program("away/leaseguard", "#!/bin/sh\necho no >&2; exit 2\n");
        let path = d.at("away/leaseguard");
        d.json(CLAUDE, |v| handler(v)["command"] = json!(path));
    }),
    ("canary", "broken", |d| {
        d.json(CLAUDE, |v| {
            handler(v)["command"] = json!("/nowhere/leaseguard")
        });
    }),
    ("canary", "broken", |d| {
        d.json(CODEX, |v| {
            let line = handler(v)["command"].as_str().unwrap().to_owned() + " || true";
            handler(v)["command"] = json!(line);
        });
    }),
    ("own/state", "weak", |d| {
        std::fs::remove_dir_all(d.state()).unwrap();
        std::fs::write(d.state(), "").unwrap();
    }),
    ("own/policy", "weak", |d| {
        d.put("home/.config/leaseguard/policy.toml", "presett = 1\n")
    }),
    ("own/observe", "weak", |d| {
        d.put(
            "home/.config/leaseguard/policy.toml",
            "mode = \"observe\"\n",
        );
    }),
    ("own/pause", "weak", |d| {
        let state = State::at(d.state());
        pause::pause(&state, Duration::from_secs(600), Moment::now()).unwrap();
    }),
    ("own/path", "note", |d| {
        d.program("bin/leaseguard", "#!/bin/sh\nexit 0\n")
    }),
    ("own/git-hooks", "weak", |d| {
        // Put aside by a manager.
        d.program(
            "repo/.git/hooks/pre-push.old",
            "#!/bin/sh\n# leaseguard: the second line\n",
        );
        d.program(
            "repo/.git/hooks/pre-push",
            "#!/bin/sh\nlefthook run pre-push\n",
        );
    }),
];

#[test]
fn a_sound_machine_is_healthy_and_nothing_is_found() {
    let desk = sound();
    let report = desk.report(&["doctor", "--json"]);
    let found: Vec<String> = ids(&report)
        .iter()
        .map(|(id, how)| format!("{id} {how}"))
        .collect();
    let odd: Vec<&String> = found
        .iter()
        .filter(|f| !HARMLESS.contains(&f.as_str()))
        .collect();
    assert!(odd.is_empty(), "{odd:?} {report:#}");
    assert_eq!(report["v"], 1);
    assert_eq!(report["healthy"], true);
    assert_eq!(desk.run(&["doctor"]).status.code(), Some(0));
}

#[test]
fn every_way_to_break_it_is_found_by_its_check() {
    let mut report = Report::default();
    for (at, (id, how, harm)) in CASES.iter().enumerate() {
        let desk = sound();
        harm(&desk);
        let out = desk.run(&["doctor", "all", "--json"]);
        let said: Value = serde_json::from_slice(&out.stdout).expect("JSON");
        let found = ids(&said);
        let want = ((*id).to_owned(), (*how).to_owned());
        report.check(found.contains(&want), "not found", || {
            format!("case {at}: no {how} {id} in {found:?}")
        });
        report.check(out.status.code() == Some(1), "exit", || {
            format!("case {at}, {id}: {:?}", out.status.code())
        });
    }
    report.end("ways to break it");
}

#[test]
fn every_check_has_a_case_that_it_finds() {
    // What the build of the tests cannot change.
    let spared = ["own/build"];
    let cases: Vec<&str> = CASES.iter().map(|(id, ..)| *id).collect();
    let own = doctor::OWN.iter().map(|c| (c.id, c.why));
    for (id, why) in doctor::ALL.iter().map(|c| (c.id, c.why)).chain(own) {
        assert!(
            spared.contains(&id) || cases.contains(&id),
            "{id} has no case"
        );
        assert!(!why.ends_with('.') && !why.is_empty(), "{id}: {why}");
    }
}

#[test]
fn switches_of_administrators_are_seen_where_the_machine_has_them() {
    let desk = sound();
    for (file, text, host) in [
        (
            "root/etc/claude-code/managed-settings.json",
            r#"{"allowManagedHooksOnly":true}"#,
            "claude",
        ),
        (
            "root/etc/claude-code/managed-settings.d/a.json",
            r#"{"strictPluginOnlyCustomization":["skills","hooks"]}"#,
            "claude",
        ),
        (
            "root/etc/codex/requirements.toml",
            "allow_managed_hooks_only = true\n",
            "codex",
        ),
    ] {
        let off = || {
            let machine = machine(&desk);
            let host = doctor::hosts().find(|h| h.name == host).unwrap();
            let site = Site::of(&machine, host).unwrap();
            let found = site.examine(true);
            found
                .iter()
                .any(|f| f.check == "switch/off" && f.severity == Severity::Broken)
        };
        assert!(!off(), "{file}");
        desk.put(file, text);
        assert!(off(), "{file}");
        std::fs::remove_file(desk.at(file)).unwrap();
    }
}

fn machine(desk: &Desk) -> Machine {
    Machine {
        around: Around {
            home: Some(desk.at("home")),
            variables: Vec::new(),
            path: Vec::new(),
            top: Some(desk.at("repo")),
            program: Err("not asked".to_owned()),
        },
        variables: std::collections::BTreeMap::new(),
        cwd: desk.at("repo"),
        root: desk.at("root"),
        program: None,
        state: Some(State::at(desk.state())),
        policy_troubles: Vec::new(),
        observes: false,
        paused: None,
        git_hooks: None,
    }
}

#[test]
fn a_machine_without_hosts_is_told_how_to_install() {
    let desk = Desk::new(BINARY);
    let out = desk.run(&["doctor"]);
    let text = String::from_utf8_lossy(&out.stdout);
    assert_eq!(out.status.code(), Some(1));
    assert!(
        text.contains("no agent host is connected") && text.contains("leaseguard install"),
        "{text}"
    );
}

#[test]
fn the_variables_of_hosts_lead_to_their_settings() {
    let desk = sound();
    std::fs::rename(desk.at("home/.claude"), desk.at("away/claude")).unwrap();
    let there = |dir: &str| {
        let mut command = desk.command("repo", &["doctor", "claude", "--json"]);
        let out = command
            .env("CLAUDE_CONFIG_DIR", desk.at(dir))
            .output()
            .unwrap();
        out.status.code()
    };
    assert_eq!(there("away/claude"), Some(0));
    assert_eq!(there("away/nothing"), Some(1));
}

#[test]
fn what_an_older_leaseguard_wrote_is_mended_on_request_and_nothing_else() {
    let desk = sound();
    let before = desk.text(CLAUDE);
    desk.json(CLAUDE, |v| {
        handler(v)["command"] = json!("/nowhere/leaseguard");
        v["disableAllHooks"] = json!(true);
    });
    let out = desk.run(&["doctor", "claude", "--fix"]);
    let text = String::from_utf8_lossy(&out.stdout);
    assert!(text.contains("mended"), "{text}");
    assert!(
        text.contains("switch/off") && !text.contains("program/missing"),
        "{text}"
    );
    assert_eq!(out.status.code(), Some(1));
    desk.json(CLAUDE, |v| {
        drop(v.as_object_mut().unwrap().remove("disableAllHooks"))
    });
    let value = |text: &str| serde_json::from_str::<Value>(text).unwrap();
    assert_eq!(value(&desk.text(CLAUDE)), value(&before));
    assert_eq!(desk.run(&["doctor", "claude"]).status.code(), Some(0));
}

#[test]
fn trying_out_leaves_no_strike_no_open_denial_and_no_mark_of_a_host() {
    let desk = sound();
    for _ in 0..3 {
        desk.run(&["doctor"]);
    }
    for folder in ["strikes", "open", "seen"] {
        assert!(!desk.state().join(folder).exists(), "{folder}");
    }
    let log = desk.text("home/.local/state/leaseguard/decisions.jsonl");
    let canaries = log
        .lines()
        .filter(|l| l.contains(r#""kind":"canary""#))
        .count();
    assert!(canaries >= 9, "{log}");
    assert!(!log.contains(r#""kind":"decision""#), "{log}");
    // An agent's own call leaves all of them.
    desk.hook(&claude_call(
        "s",
        "git push --force origin main",
        &desk.at("repo"),
    ));
    for folder in ["strikes", "open", "seen"] {
        assert!(desk.state().join(folder).exists(), "{folder}");
    }
}
