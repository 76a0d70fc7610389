//! Connecting hosts and taking it back: whatever stands in their settings, not a byte is lost.
#![cfg(unix)]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    clippy::string_slice
)]

mod support;

use leaseguard::host::setup::Owner;
use leaseguard::host::{ALL, Host};
use leaseguard::setup::plan::{self, Plan, What};
use leaseguard::setup::{Around, Found, Program, Scope, Status, apply, found};
use leaseguard::state::State;
use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

const BINARY: &str = env!("CARGO_BIN_EXE_leaseguard");
const PROGRAM: &str = "/opt/bin/leaseguard";

fn host(name: &str) -> &'static Host {
    ALL.iter().find(|host| host.name == name).unwrap()
}

/// A home of its own with a checkout in it.
struct Home {
    temp: tempfile::TempDir,
    around: Around,
    state: State,
}

impl Home {
    fn new() -> Home {
        let temp = tempfile::tempdir().unwrap();
        let home = temp.path().join("home");
        fs::create_dir(&home).unwrap();
        let around = Around {
            top: Some(temp.path().join("checkout")),
            home: Some(home),
            variables: Vec::new(),
            path: Vec::new(),
            program: Ok(Program {
                path: PROGRAM.to_owned(),
                fleeting: None,
            }),
        };
        fs::create_dir(temp.path().join("checkout")).unwrap();
        let state = State::at(temp.path().join("state"));
        Home {
            temp,
            around,
            state,
        }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.temp.path().join("home").join(name)
    }

    /// Writes a file below the home.
    fn write(&self, name: &str, bytes: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, bytes).unwrap();
        path
    }

    fn text(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap()
    }

    fn found(&self, name: &str, scope: Scope) -> Vec<Found> {
        found(host(name), scope, &self.around)
    }

    fn plan(&self, name: &str, scope: Scope) -> Plan {
        plan::install(host(name), scope, &self.around).unwrap()
    }

    /// Connects the host and says what was done.
    fn install(&self, name: &str, scope: Scope) -> String {
        let plan = self.plan(name, scope);
        let done = apply::install(&self.state, plan, &self.around, true).unwrap();
        told(&done)
    }

    /// Takes everything out again and says what was done.
    fn uninstall(&self) -> Vec<String> {
        let places = apply::places(&self.state, &self.around, &|_, _| true).unwrap();
        let mut said = Vec::new();
        for (host, scope, file) in places {
            let plan = apply::removal(&self.state, host, scope, &file);
            match &plan.what {
                What::Nothing(_) => continue,
                What::Refused(_) => {}
                What::Change(_) => apply::remove(&self.state, &plan).unwrap(),
            }
            said.push(told(&plan));
        }
        said
    }

    /// Every file below the home with its content, and every directory.
    fn all(&self) -> BTreeMap<PathBuf, Option<Vec<u8>>> {
        let mut all = BTreeMap::new();
        let mut open = vec![
            self.temp.path().join("home"),
            self.temp.path().join("checkout"),
        ];
        while let Some(dir) = open.pop() {
            for entry in fs::read_dir(dir).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    open.push(path.clone());
                    all.insert(path, None);
                } else {
                    let bytes = fs::read(&path).unwrap_or_default();
                    all.insert(path, Some(bytes));
                }
            }
        }
        all
    }
}

fn told(plan: &Plan) -> String {
    match &plan.what {
        What::Change(_) => "changed".to_owned(),
        What::Nothing(why) => format!("nothing: {why}"),
        What::Refused(why) => format!("refused: {why}"),
    }
}

/// The hosts whose settings are the user's own JSON.
fn shared() -> impl Iterator<Item = &'static Host> {
    let shared = |host: &&Host| host.setup.is_some_and(|s| s.owner == Owner::Shared);
    ALL.iter().copied().filter(shared)
}

// --- from nothing to nothing ----------------------------------------------------------------------

#[test]
fn every_host_is_connected_from_an_empty_home_and_the_home_is_empty_again() {
    for host in ALL.iter().filter(|host| host.setup.is_some()) {
        for scope in [Scope::User, Scope::Project] {
            let home = Home::new();
            let before = home.all();
            assert_eq!(home.install(host.name, scope), "changed", "{}", host.name);
            let [usual, ..] = home
                .found(host.name, scope)
                .try_into()
                .unwrap_or_else(|found: Vec<Found>| [found[0].clone()]);
            assert_eq!(usual.state, Status::Right, "{}", host.name);
            let setup = host.setup.unwrap();
            assert_eq!(
                fs::read_to_string(&usual.file).unwrap(),
                setup.filled(PROGRAM)
            );
            let again = home.install(host.name, scope);
            assert_eq!(again, "nothing: already connected", "{}", host.name);
            assert_eq!(home.uninstall(), ["changed"], "{}", host.name);
            assert_eq!(home.all(), before, "{}", host.name);
        }
    }
}

#[test]
fn what_is_found_names_event_matcher_command_and_timeout() {
    let home = Home::new();
    home.install("codex", Scope::User);
    let found = home.found("codex", Scope::User);
    assert_eq!(found[0].file, home.path(".codex/hooks.json"));
    let entry = &found[0].entries[0];
    assert_eq!(entry.place, "hooks.PreToolUse[0].hooks[0]");
    assert_eq!(entry.event, "PreToolUse");
    assert_eq!(entry.argv, [PROGRAM, "hook", "--host", "codex"]);
    assert_eq!(
        entry.line.as_deref(),
        Some("/opt/bin/leaseguard hook --host codex")
    );
    assert_eq!(entry.timeout, Some(30));
    home.install("claude", Scope::User);
    let entry = home.found("claude", Scope::User)[0].entries[0].clone();
    assert_eq!(entry.line, None);
    assert_eq!(entry.argv, [PROGRAM, "hook", "--host", "claude"]);
    assert!(entry.matcher.unwrap().contains("Bash"));
}

// --- what stands there already --------------------------------------------------------------------

#[test]
fn good_settings_keep_every_byte_and_get_every_byte_back() {
    let entry = r#"{"matcher":"Bash","hooks":[{"type":"command","command":"x"}]}"#;
    for text in [
        "",
        "\n",
        "{}",
        "{ }",
        "{\n}",
        "{}\n",
        "{\"a\":1}",
        "{\r\n\t\"a\": 1\r\n}\r\n",
        "{\n    \"a\": [1,\n2]\n}",
        "{\"hooks\":{}}",
        "{\"hooks\": {}, \"z\": \"}\"}",
        "{\n  \"hooks\": {\n    \"PreToolUse\": []\n  }\n}",
        &format!("{{\"hooks\":{{\"PreToolUse\":[{entry}]}}}}"),
        &format!(
            "{{\n  \"hooks\": {{\n    \"PreToolUse\": [\n      {entry}\n    ]\n  }}, \"b\": 2\n}}\n"
        ),
        "{\"a\":1,\"a\":2,\"\u{fc}\\u00fc\":\"\\\\\"}",
    ] {
        for host in ["claude", "codex"] {
            let home = Home::new();
            let dir = if host == "claude" {
                ".claude/settings.json"
            } else {
                ".codex/hooks.json"
            };
            home.write(dir, text);
            let before = home.all();
            assert_eq!(home.install(host, Scope::User), "changed", "{text:?}");
            let after = home.text(dir);
            serde_json::from_str::<serde_json::Value>(&after).expect(&after);
            assert!(is_spread_over(text, &after), "{text:?} became {after:?}");
            assert_eq!(
                home.found(host, Scope::User)[0].state,
                Status::Right,
                "{after}"
            );
            home.uninstall();
            assert_eq!(home.all(), before, "{text:?}");
        }
    }
}

/// Whether `text` is `after` with pieces left out.
fn is_spread_over(text: &str, after: &str) -> bool {
    let mut rest = after.chars();
    text.chars().all(|c| rest.any(|other| other == c))
}

#[test]
fn bad_settings_are_refused_with_the_reason_and_left_as_they_are() {
    let cases: &[(&str, &[u8], &str)] = &[
        (
            "a comment",
            b"{\n// c\n}",
            "comment on line 2, and Claude Code then drops the whole file",
        ),
        ("a block comment", b"{/* c */}", "comment"),
        ("a trailing comma", b"{\"a\":1,}", "trailing comma"),
        ("a byte order mark", b"\xef\xbb\xbf{}", "byte order mark"),
        (
            "no UTF-8",
            b"{\"a\":\"\xff\"}",
            "not valid UTF-8 from byte 6 on",
        ),
        ("broken JSON", b"{\"a\":", "not valid JSON"),
        ("two values", b"{} {}", "not valid JSON"),
        ("a list", b"[]", "a list, and no object"),
        (
            "hooks of a wrong type",
            b"{\"hooks\":[]}",
            "`hooks` is a list",
        ),
        (
            "hooks twice",
            b"{\"hooks\":{},\"hooks\":{}}",
            "`hooks` stands in it twice",
        ),
        (
            "an event twice",
            b"{\"hooks\":{\"A\":[],\"A\":[]}}",
            "`hooks.A` stands in it twice",
        ),
        (
            "an event of a wrong type",
            b"{\"hooks\":{\"Stop\":{}}}",
            "`hooks.Stop` is an object",
        ),
        (
            "a sibling without a command",
            b"{\"hooks\":{\"Stop\":[{\"hooks\":[{\"type\":\"command\"}]}]}}",
            "`hooks.Stop[0].hooks[0]` has no `command`",
        ),
        (
            "a sibling without a list",
            b"{\"hooks\":{\"Stop\":[{\"matcher\":\"x\"}]}}",
            "`hooks.Stop[0]` has no list `hooks`",
        ),
    ];
    for (name, bytes, want) in cases {
        let home = Home::new();
        let path = home.write(".claude/settings.json", bytes);
        let said = home.install("claude", Scope::User);
        assert!(
            said.starts_with("refused") && said.contains(want),
            "{name}: {said}"
        );
        assert_eq!(fs::read(&path).unwrap(), *bytes, "{name}");
        let state = &home.found("claude", Scope::User)[0].state;
        assert!(
            matches!(state, Status::Broken(why) if why.contains(want)),
            "{name}: {state:?}"
        );
        assert!(!home.state.dir().exists() || home.state.names("setup").unwrap() == ["lock"]);
    }
}

#[test]
fn files_that_cannot_be_replaced_are_refused() {
    let refused = |prepare: &dyn Fn(&Home, &Path), want: &str| {
        let home = Home::new();
        let path = home.path(".claude/settings.json");
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        prepare(&home, &path);
        let said = home.install("claude", Scope::User);
        assert!(
            said.starts_with("refused") && said.contains(want),
            "{want}: {said}"
        );
        let left: Vec<_> = fs::read_dir(path.parent().unwrap()).unwrap().collect();
        assert!(left.len() <= 1, "{want}: {left:?}");
    };
    let mode = |path: &Path, mode| {
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    };
    refused(
        &|_, path| {
            fs::write(path, "{}").unwrap();
            mode(path, 0o444);
        },
        "read-only",
    );
    refused(
        &|_, path| mode(path.parent().unwrap(), 0o555),
        "is read-only",
    );
    refused(
        &|_, path| symlink("nowhere", path).unwrap(),
        "a link to a file that is not there",
    );
    refused(&|_, path| fs::create_dir(path).unwrap(), "no regular file");
    refused(
        &|_, path| fs::write(path, vec![b' '; 4 * 1024 * 1024 + 1]).unwrap(),
        "larger than 4 MiB",
    );
    refused(
        &|_, path| {
            let made = Command::new("mkfifo").arg(path).status().unwrap();
            assert!(made.success());
        },
        "no regular file",
    );
}

#[test]
fn a_link_stays_a_link_and_a_mode_stays_a_mode() {
    let home = Home::new();
    let target = home.write("dotfiles/claude.json", "{\"a\": 1}\n");
    fs::set_permissions(&target, fs::Permissions::from_mode(0o640)).unwrap();
    fs::create_dir(home.path(".claude")).unwrap();
    let link = home.path(".claude/settings.json");
    symlink("../dotfiles/claude.json", &link).unwrap();
    assert_eq!(home.install("claude", Scope::User), "changed");
    assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
    assert_eq!(
        fs::metadata(&target).unwrap().permissions().mode() & 0o777,
        0o640
    );
    assert!(home.text("dotfiles/claude.json").contains("PreToolUse"));
    assert_eq!(home.uninstall(), ["changed"]);
    assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
    assert_eq!(home.text("dotfiles/claude.json"), "{\"a\": 1}\n");
}

// --- entries of ours ------------------------------------------------------------------------------

#[test]
fn an_old_entry_is_mended_at_its_place_and_nothing_else_moves() {
    let first = r#"{"matcher":"A","hooks":[{"type":"command","command":"a"}]}"#;
    let last = r#"{"matcher":"B","hooks":[{"type":"command","command":"b"}]}"#;
    let whole: serde_json::Value =
        serde_json::from_str(&host("codex").setup.unwrap().filled(PROGRAM)).unwrap();
    let right = whole["hooks"]["PreToolUse"][0].to_string();
    for (from, to, why) in [
        (
            PROGRAM,
            "/old/leaseguard",
            "`command` is `/old/leaseguard hook",
        ),
        (
            "^(Bash|apply_patch|mcp__.*)$",
            "Bash",
            "`matcher` is `Bash`",
        ),
        ("--host codex\"", "--host codex || true\"", "|| true"),
        ("\"timeout\":30", "\"timeout\":1", "`timeout` is `1`"),
        ("\"type\"", "\"async\":true,\"type\"", "`async` is set"),
    ] {
        let ours = right.replace(from, to);
        assert_ne!(ours, right);
        let home = Home::new();
        let text = format!("{{\"hooks\":{{\"PreToolUse\":[{first},{ours},{last}]}}}}");
        home.write(".codex/hooks.json", &text);
        let state = home.found("codex", Scope::User)[0].state.clone();
        assert!(
            matches!(&state, Status::Outdated(w) if w.contains(why)),
            "{state:?}"
        );
        assert_eq!(home.install("codex", Scope::User), "changed");
        let after = home.text(".codex/hooks.json");
        let head = format!("{{\"hooks\":{{\"PreToolUse\":[{first},");
        assert!(after.starts_with(&head), "{after}");
        assert!(after.contains(&format!(",{last}]")), "{after}");
        assert_eq!(
            home.found("codex", Scope::User)[0].state,
            Status::Right,
            "{after}"
        );
        let entries = &home.found("codex", Scope::User)[0].entries;
        let here = entries.iter().filter(|entry| entry.event == "PreToolUse");
        assert_eq!(here.count(), 1, "{after}");
        assert_eq!(home.uninstall(), ["changed"]);
        let want = format!("{{\"hooks\":{{\"PreToolUse\":[{first},{last}]}}}}");
        assert_eq!(home.text(".codex/hooks.json"), want);
    }
}

#[test]
fn another_spelling_of_the_same_program_is_right_and_is_not_rewritten() {
    let mut home = Home::new();
    let real = home.write("opt/leaseguard", "");
    let link = home.path("leaseguard");
    symlink(&real, &link).unwrap();
    home.around.program = Ok(Program {
        path: real.to_str().unwrap().to_owned(),
        fleeting: None,
    });
    let text = host("codex").setup.unwrap().filled(link.to_str().unwrap());
    home.write(".codex/hooks.json", &text);
    assert_eq!(
        home.install("codex", Scope::User),
        "nothing: already connected"
    );
    assert_eq!(home.text(".codex/hooks.json"), text);
}

#[test]
fn our_command_among_others_of_one_entry_goes_alone() {
    let home = Home::new();
    let text = r#"{"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [{"type": "command", "command": "/old/leaseguard hook"}, {"type": "command", "command": "x"}]}]}}"#;
    home.write(".codex/hooks.json", text);
    assert_eq!(home.install("codex", Scope::User), "changed");
    let after = home.text(".codex/hooks.json");
    assert!(after.starts_with(r#"{"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [{"type": "command", "command": "x"}]}, {"#), "{after}");
    assert_eq!(home.found("codex", Scope::User)[0].state, Status::Right);
    home.uninstall();
    let left = r#"{"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [{"type": "command", "command": "x"}]}]}}"#;
    assert_eq!(home.text(".codex/hooks.json"), left);
}

#[test]
fn what_a_user_adds_after_the_install_stays_when_ours_goes() {
    let home = Home::new();
    home.write(".claude/settings.json", "{\n  \"a\": 1\n}\n");
    home.install("claude", Scope::User);
    let text = home.text(".claude/settings.json");
    let edited = text.replace("\"a\": 1,", "\"a\": 1,\n  \"b\": 2,");
    assert_ne!(edited, text);
    home.write(".claude/settings.json", &edited);
    assert_eq!(home.uninstall(), ["changed"]);
    assert_eq!(
        home.text(".claude/settings.json"),
        "{\n  \"a\": 1,\n  \"b\": 2\n}\n"
    );
}

#[test]
fn an_edit_between_two_installs_is_not_lost_by_the_uninstall() {
    let mut home = Home::new();
    home.write(".claude/settings.json", "{\"a\": 1}");
    home.install("claude", Scope::User);
    let text = home.text(".claude/settings.json");
    home.write(
        ".claude/settings.json",
        text.replace("\"a\": 1", "\"a\": 2"),
    );
    home.around.program = Ok(Program {
        path: "/new/leaseguard".to_owned(),
        fleeting: None,
    });
    assert_eq!(home.install("claude", Scope::User), "changed");
    assert_eq!(home.uninstall(), ["changed"]);
    assert_eq!(home.text(".claude/settings.json"), "{\"a\": 2}");
}

#[test]
fn several_installs_keep_the_first_content() {
    let mut home = Home::new();
    let text = "{ \"hooks\" : { \"PreToolUse\" : [  ] } }";
    home.write(".claude/settings.json", text);
    for program in ["/1/leaseguard", "/2/leaseguard", "/3/leaseguard"] {
        home.around.program = Ok(Program {
            path: program.to_owned(),
            fleeting: None,
        });
        assert_eq!(home.install("claude", Scope::User), "changed");
    }
    let fresh = Home::new();
    fresh.install("claude", Scope::User);
    assert_eq!(
        home.found("claude", Scope::User)[0].entries.len(),
        fresh.found("claude", Scope::User)[0].entries.len()
    );
    home.uninstall();
    assert_eq!(home.text(".claude/settings.json"), text);
}

#[test]
fn a_pasted_entry_without_a_record_is_taken_out_and_the_users_lists_stay() {
    let home = Home::new();
    home.write(
        ".claude/settings.json",
        host("claude").setup.unwrap().filled("/x/leaseguard"),
    );
    assert_eq!(home.uninstall(), ["changed"]);
    let left: serde_json::Value =
        serde_json::from_str(&home.text(".claude/settings.json")).unwrap();
    let events = left["hooks"].as_object().unwrap();
    assert!(events.contains_key("PreToolUse"), "{left}");
    assert!(
        events.values().all(|list| list == &serde_json::json!([])),
        "{left}"
    );
}

#[test]
fn a_second_scope_is_not_connected_twice() {
    for (first, second) in [(Scope::User, Scope::Project), (Scope::Project, Scope::User)] {
        let home = Home::new();
        home.install("claude", first);
        let before = home.all();
        let said = home.install("claude", second);
        assert!(said.contains("would judge every call twice"), "{said}");
        assert_eq!(home.all(), before);
    }
}

#[test]
fn a_file_that_changes_under_the_question_is_not_written() {
    let home = Home::new();
    home.write(".claude/settings.json", "{}");
    let plan = home.plan("claude", Scope::User);
    home.write(".claude/settings.json", "{\"a\":1}");
    let refused = apply::install(&home.state, plan.clone(), &home.around, true);
    assert!(refused.is_err_and(|why| why.contains("changed meanwhile")));
    assert_eq!(home.text(".claude/settings.json"), "{\"a\":1}");
    assert!(apply::install(&home.state, plan, &home.around, false).is_ok());
    assert!(home.text(".claude/settings.json").contains("\"a\":1,"));
}

// --- TOML -----------------------------------------------------------------------------------------

#[test]
fn codex_hooks_in_toml_are_used_where_they_are_and_come_back_whole() {
    let group = "[[hooks.PreToolUse]]\nmatcher = \"x\"\n[[hooks.PreToolUse.hooks]]\ntype = \"command\"\ncommand = \"y\" # why\n";
    for text in [
        "[hooks]\n",
        "[hooks]",
        "a = 1\r\n\r\n[hooks] # mine\r\n",
        group,
        &format!("model = 'x'\n\n{group}\n[hooks.state]\nx = 1\n# end"),
        &format!("{}[tui]\nb = {{ c = 1 }}\n", group.replace('\n', "\r\n")),
    ] {
        let home = Home::new();
        home.write(".codex/config.toml", text);
        let before = home.all();
        assert_eq!(home.install("codex", Scope::User), "changed", "{text:?}");
        assert!(!home.path(".codex/hooks.json").exists());
        let after = home.text(".codex/config.toml");
        assert!(after.starts_with(text), "{after}");
        after.parse::<toml::Table>().expect(&after);
        let found = home.found("codex", Scope::User);
        assert_eq!(found[1].state, Status::Right, "{after}");
        assert_eq!(
            found[1].entries[0].argv,
            [PROGRAM, "hook", "--host", "codex"]
        );
        assert_eq!(
            home.install("codex", Scope::User),
            "nothing: already connected"
        );
        // Changed meanwhile: the rest stays all the same.
        home.write(".codex/config.toml", format!("# new\n{after}"));
        assert_eq!(home.uninstall(), ["changed"], "{after}");
        let left = home.text(".codex/config.toml");
        let rest = left.strip_prefix("# new\n").unwrap();
        assert_eq!(rest.trim_end(), text.trim_end(), "{after}");
        home.write(".codex/config.toml", text);
        home.install("codex", Scope::User);
        home.uninstall();
        assert_eq!(home.all(), before, "{text:?}");
    }
}

#[test]
fn an_old_entry_in_toml_is_mended_in_place() {
    let home = Home::new();
    let text = "[[hooks.PreToolUse]] # ours\nmatcher = 'Bash'\n[[hooks.PreToolUse.hooks]]\ntype = 'command'\ncommand = '/old/leaseguard hook --host codex' # keep\n\n[tui]\nx = 1\n";
    home.write(".codex/config.toml", text);
    assert_eq!(home.install("codex", Scope::User), "changed");
    let after = home.text(".codex/config.toml");
    let head = "[[hooks.PreToolUse]] # ours\nmatcher = \"^(Bash|apply_patch|mcp__.*)$\"\n[[hooks.PreToolUse.hooks]]\n";
    assert!(after.starts_with(head), "{after}");
    for part in [
        "\ntimeout = 30\n",
        "\ntype = 'command'\ncommand = \"/opt/bin/leaseguard hook --host codex\" # keep\n\n[tui]\nx = 1\n",
    ] {
        assert!(after.contains(part), "{after}");
    }
    assert_eq!(after.matches("[[hooks.PreToolUse]]").count(), 1, "{after}");
    assert_eq!(
        home.found("codex", Scope::User)[1].state,
        Status::Right,
        "{after}"
    );
}

#[test]
fn toml_that_we_cannot_edit_is_refused() {
    for (text, want) in [
        ("[hooks", "not valid TOML"),
        ("hooks = { PreToolUse = [] }", "written on one line"),
        ("hooks = 1", "no object"),
        ("[hooks]\nPreToolUse = 1", "no list"),
        ("[[hooks.Stop]]\nmatcher = 'x'", "has no list `hooks`"),
    ] {
        let home = Home::new();
        let path = home.write(".codex/config.toml", text);
        let said = home.install("codex", Scope::User);
        assert!(
            said.starts_with("refused") && said.contains(want),
            "{text}: {said}"
        );
        assert_eq!(fs::read_to_string(path).unwrap(), text);
    }
}

#[test]
fn a_key_that_fell_into_our_table_is_not_lost() {
    let home = Home::new();
    home.write(".codex/config.toml", "[hooks]\n");
    home.install("codex", Scope::User);
    let text = home.text(".codex/config.toml") + "model = 'x'\n";
    home.write(".codex/config.toml", &text);
    let said = home.uninstall();
    assert!(said[0].contains("our table also holds `model`"), "{said:?}");
    assert_eq!(home.text(".codex/config.toml"), text);
}

#[test]
fn the_book_of_trusted_hooks_in_toml_does_not_draw_the_entry_there() {
    let home = Home::new();
    home.write(
        ".codex/config.toml",
        "[hooks.state.\"x:pre_tool_use:0:0\"]\ntrusted_hash = 'y'\n",
    );
    assert_eq!(home.install("codex", Scope::User), "changed");
    assert!(home.path(".codex/hooks.json").exists());
}

// --- at random ------------------------------------------------------------------------------------

/// A generator that gives the same numbers for ever.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) as usize) % sides
    }

    fn pick<'a>(&mut self, of: &[&'a str]) -> &'a str {
        of[self.roll(of.len())]
    }
}

/// Blanks, and comments where they are allowed.
fn gap(dice: &mut Dice, comments: bool) -> &'static str {
    match dice.roll(if comments { 8 } else { 6 }) {
        0 => " ",
        1 => "\n",
        2 => "\n  ",
        3 => "\r\n\t",
        6 => " /* \"c\", */",
        7 => " // ] }\n",
        _ => "",
    }
}

fn list(dice: &mut Dice, comments: bool, open: &str, items: &[String], close: &str) -> String {
    let mut out = open.to_owned();
    for (at, item) in items.iter().enumerate() {
        if at > 0 {
            out.push_str(gap(dice, comments));
            out.push(',');
        }
        out.push_str(gap(dice, comments));
        out.push_str(item);
    }
    out.push_str(gap(dice, comments));
    out.push_str(close);
    out
}

fn value(dice: &mut Dice, comments: bool, depth: usize) -> String {
    match dice.roll(if depth > 2 { 3 } else { 5 }) {
        0 => dice.pick(&["1", "-2.5e3", "true", "null", "0"]).to_owned(),
        1 | 2 => dice
            .pick(&[
                "\"\"",
                "\"\u{e4}\"",
                "\"a\\\"b,]\"",
                "\"// no\"",
                "\"\\u0041\"",
            ])
            .to_owned(),
        3 => {
            let items: Vec<_> = (0..dice.roll(3))
                .map(|_| value(dice, comments, depth + 1))
                .collect();
            list(dice, comments, "[", &items, "]")
        }
        _ => {
            let items: Vec<_> = (0..dice.roll(3))
                .map(|n| {
                    format!(
                        "\"k{n}\"{}:{}",
                        gap(dice, comments),
                        value(dice, comments, depth + 1)
                    )
                })
                .collect();
            list(dice, comments, "{", &items, "}")
        }
    }
}

fn group(dice: &mut Dice, comments: bool, nested: bool) -> String {
    let command = format!("\"command\"{}: \"x {}\"", gap(dice, comments), dice.roll(9));
    let handler = list(
        dice,
        comments,
        "{",
        &["\"type\": \"command\"".to_owned(), command],
        "}",
    );
    if !nested {
        return handler;
    }
    let handlers = list(dice, comments, "[", &[handler], "]");
    list(
        dice,
        comments,
        "{",
        &[
            "\"matcher\":\"m\"".to_owned(),
            format!("\"hooks\":{handlers}"),
        ],
        "}",
    )
}

fn settings(dice: &mut Dice, host: &Host) -> String {
    let setup = host.setup.unwrap();
    let nested =
        serde_json::from_str::<serde_json::Value>(&setup.filled(PROGRAM)).unwrap()["hooks"]
            .as_object()
            .unwrap()
            .values()
            .all(|groups| groups[0].get("hooks").is_some());
    // The two that take comments.
    let comments = matches!(host.name, "gemini" | "qwen");
    let mut members: Vec<String> = (0..dice.roll(4))
        .map(|n| {
            format!(
                "\"m{n}\":{}{}",
                gap(dice, comments),
                value(dice, comments, 0)
            )
        })
        .collect();
    if dice.roll(4) > 0 {
        let mut events = Vec::new();
        for event in ["PreToolUse", "BeforeTool", "preToolUse", "Stop"] {
            if dice.roll(2) > 0 {
                let groups: Vec<_> = (0..dice.roll(3))
                    .map(|_| group(dice, comments, nested))
                    .collect();
                events.push(format!(
                    "\"{event}\":{}",
                    list(dice, comments, "[", &groups, "]")
                ));
            }
        }
        let hooks = list(dice, comments, "{", &events, "}");
        members.insert(dice.roll(members.len() + 1), format!("\"hooks\": {hooks}"));
    }
    let body = list(dice, comments, "{", &members, "}");
    format!("{}{body}{}", gap(dice, comments), gap(dice, comments))
}

#[test]
fn whatever_json_stands_there_is_kept_by_the_install_and_comes_back_by_the_uninstall() {
    let rounds = if support::long() { 3000 } else { 50 };
    for host in shared() {
        let file = host.setup.unwrap().user;
        let name = format!("{}/{}", file.dir, file.file);
        for seed in 0..rounds {
            let mut dice = Dice(seed * 7919 + 1);
            let text = settings(&mut dice, host);
            let home = Home::new();
            home.write(&name, &text);
            assert_eq!(
                home.install(host.name, Scope::User),
                "changed",
                "{seed}: {text}"
            );
            let after = home.text(&name);
            assert!(is_spread_over(&text, &after), "{seed}: {text}\n{after}");
            let state = &home.found(host.name, Scope::User)[0].state;
            assert_eq!(*state, Status::Right, "{seed}: {text}\n{after}");
            // Another program writes a key of its own: ours goes, and all the rest is kept.
            let brace = after.find('{').unwrap() + 1;
            let comma = if after[brace..].trim_start().starts_with('}') {
                ""
            } else {
                ","
            };
            let edited = format!("{}\"new\":1{comma}{}", &after[..brace], &after[brace..]);
            home.write(&name, &edited);
            assert_eq!(home.uninstall(), ["changed"], "{seed}: {edited}");
            let left = home.text(&name);
            assert!(
                home.found(host.name, Scope::User)[0].entries.is_empty(),
                "{seed}: {left}"
            );
            let significant =
                |text: &str| -> String { text.chars().filter(|c| !c.is_whitespace()).collect() };
            let brace = text.find('{').unwrap() + 1;
            let comma = if text.contains(':') { "," } else { "" };
            let want = format!("{}\"new\":1{comma}{}", &text[..brace], &text[brace..]);
            assert_eq!(
                significant(&left),
                significant(&want),
                "{seed}: {text}\n{edited}\n{left}"
            );
            // Untouched: to the byte.
            home.write(&name, &text);
            home.install(host.name, Scope::User);
            home.uninstall();
            assert_eq!(home.text(&name), text, "{seed}");
        }
    }
}

#[test]
fn whatever_toml_stands_there_is_kept_too() {
    let rounds = if support::long() { 3000 } else { 80 };
    for seed in 0..rounds {
        let mut dice = Dice(seed * 104_729 + 5);
        let line = dice.pick(&["\n", "\r\n"]);
        let mut text = String::new();
        for n in 0..dice.roll(4) {
            let value = dice.pick(&[
                "1",
                "'x'",
                "\"\"\"\n[[hooks]]\n\"\"\"",
                "[ 1,\n 2 ]",
                "{ a = 1 }",
                "1979-05-27",
            ]);
            text += &format!("k{n} = {value}{}{line}", dice.pick(&["", " # c", "  "]));
        }
        if dice.roll(2) > 0 {
            text += &format!("[hooks]{}{line}", dice.pick(&["", " # [[x]]"]));
        }
        for n in 0..1 + dice.roll(3) {
            let event = dice.pick(&["PreToolUse", "Stop"]);
            text += dice.pick(&["", "# before\n", "\n\n"]);
            text += &format!(
                "[[hooks.{event}]]{line}matcher = 'm{n}'{line}[[hooks.{event}.hooks]]{line}command = \"c\"{line}"
            );
        }
        if dice.roll(2) > 0 {
            text += &format!(
                "{line}[other]{line}z = 1{}",
                dice.pick(&["", "\n", "\n# end", "\n\n\n"])
            );
        }
        let home = Home::new();
        home.write(".codex/config.toml", &text);
        assert_eq!(
            home.install("codex", Scope::User),
            "changed",
            "{seed}: {text}"
        );
        let after = home.text(".codex/config.toml");
        assert!(after.starts_with(&text), "{seed}");
        assert_eq!(
            home.found("codex", Scope::User)[1].state,
            Status::Right,
            "{seed}: {after}"
        );
        home.write(".codex/config.toml", format!("new = 1\n{after}"));
        assert_eq!(home.uninstall(), ["changed"]);
        let left = home.text(".codex/config.toml");
        let want = format!("new = 1\n{text}");
        assert_eq!(left.trim_end(), want.trim_end(), "{seed}: {after}");
        assert!(left.starts_with(&want), "{seed}");
        home.write(".codex/config.toml", &text);
        home.install("codex", Scope::User);
        home.uninstall();
        assert_eq!(home.text(".codex/config.toml"), text, "{seed}");
    }
}

// --- the verbs ------------------------------------------------------------------------------------

fn verb(home: &Path, args: &[&str]) -> Command {
    let mut command = Command::new(BINARY);
    command
        .args(args)
        .env_clear()
        .env("HOME", home)
        .env("PATH", std::env::var_os("PATH").unwrap_or_default())
        .current_dir(home)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    command
}

fn run(home: &Path, args: &[&str]) -> (i32, String, String) {
    let out = verb(home, args).output().unwrap();
    said(&out)
}

fn said(out: &Output) -> (i32, String, String) {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (
        out.status.code().unwrap(),
        text(&out.stdout),
        text(&out.stderr),
    )
}

/// Whether an agent host started these tests: then a person's verbs are refused, rightly.
fn below_an_agent() -> bool {
    leaseguard::person::Asker::here().host().is_some()
}

#[test]
fn without_anybody_to_ask_the_change_is_shown_and_not_written() {
    let temp = tempfile::tempdir().unwrap();
    let (code, out, err) = run(temp.path(), &["install", "claude", "codex"]);
    assert_eq!(code, 3);
    assert!(
        out.contains("+  \"hooks\": {") && out.contains("+++ "),
        "{out}"
    );
    assert!(
        err.contains("`leaseguard install codex claude --yes`"),
        "{err}"
    );
    assert_eq!(fs::read_dir(temp.path()).unwrap().count(), 0);
    let (code, _, err) = run(temp.path(), &["install"]);
    assert_eq!(code, 3);
    assert!(err.contains("name one") || err.contains("--yes"), "{err}");
    assert_eq!(run(temp.path(), &["install", "all", "--dry-run"]).0, 0);
    assert_eq!(fs::read_dir(temp.path()).unwrap().count(), 0);
}

#[test]
fn a_host_is_found_by_its_directory() {
    let temp = tempfile::tempdir().unwrap();
    fs::create_dir(temp.path().join(".codex")).unwrap();
    let (code, out, _) = run(temp.path(), &["install", "--yes"]);
    assert_eq!(code, 0);
    assert!(out.contains("found here: codex"), "{out}");
    assert!(
        out.contains("connected Codex: ") && out.contains("`/hooks`"),
        "{out}"
    );
    assert!(out.contains("`leaseguard doctor`"), "{out}");
    assert!(temp.path().join(".codex/hooks.json").exists());
}

#[test]
fn a_project_is_connected_at_the_top_of_its_checkout_and_nowhere_else() {
    let temp = tempfile::tempdir().unwrap();
    let (code, _, err) = run(temp.path(), &["install", "claude", "--project", "--yes"]);
    assert_eq!(code, 2);
    assert!(err.contains("no checkout"), "{err}");
    let made = Command::new("git")
        .args(["init", "-q", "repo"])
        .current_dir(temp.path())
        .status();
    assert!(made.unwrap().success());
    let inner = temp.path().join("repo/a/b");
    fs::create_dir_all(&inner).unwrap();
    let out = verb(temp.path(), &["install", "claude", "--project", "--yes"])
        .current_dir(&inner)
        .output()
        .unwrap();
    assert_eq!(said(&out).0, 0);
    assert!(temp.path().join("repo/.claude/settings.json").exists());
    assert!(!temp.path().join(".claude").exists());
}

#[test]
fn from_an_empty_home_through_everything_to_an_empty_home() {
    if below_an_agent() {
        return;
    }
    let temp = tempfile::tempdir().unwrap();
    let home = temp.path();
    assert_eq!(run(home, &["install", "all", "--yes"]).0, 0);
    assert_eq!(
        run(home, &["rules", "set", "git/amend", "deny", "--everywhere"]).0,
        0
    );
    assert!(home.join(".config/leaseguard/policy.toml").exists());
    let (code, out, _) = run(home, &["uninstall", "--purge"]);
    assert_eq!(code, 3, "{out}");
    assert!(
        out.contains("(your policy)") && out.contains("(log, grants, records)"),
        "{out}"
    );
    let (code, out, err) = run(home, &["uninstall", "--purge", "--yes"]);
    assert_eq!((code, err.as_str()), (0, ""), "{out}");
    assert_eq!(fs::read_dir(home).unwrap().count(), 0, "{out}");
}

#[test]
fn directories_that_were_there_before_stay_after_a_purge() {
    if below_an_agent() {
        return;
    }
    let temp = tempfile::tempdir().unwrap();
    for dir in [".local", ".config", ".claude"] {
        fs::create_dir(temp.path().join(dir)).unwrap();
    }
    assert_eq!(run(temp.path(), &["install", "claude", "--yes"]).0, 0);
    assert_eq!(
        run(
            temp.path(),
            &["rules", "set", "git/amend", "deny", "--everywhere"]
        )
        .0,
        0
    );
    assert_eq!(run(temp.path(), &["uninstall", "--purge", "--yes"]).0, 0);
    let mut left: Vec<_> = fs::read_dir(temp.path())
        .unwrap()
        .map(|e| e.unwrap().file_name())
        .collect();
    left.sort();
    assert_eq!(left, [".claude", ".config", ".local"]);
    for dir in left {
        assert_eq!(fs::read_dir(temp.path().join(dir)).unwrap().count(), 0);
    }
}

#[test]
fn twenty_installs_at_once_leave_one_entry_in_a_valid_file() {
    let temp = tempfile::tempdir().unwrap();
    fs::create_dir(temp.path().join(".claude")).unwrap();
    let file = temp.path().join(".claude/settings.json");
    fs::write(&file, "{\n  \"a\": 1\n}\n").unwrap();
    let start = |_| {
        verb(temp.path(), &["install", "all", "--yes"])
            .spawn()
            .unwrap()
    };
    let racers: Vec<_> = (0..20).map(start).collect();
    for racer in racers {
        let (code, _, err) = said(&racer.wait_with_output().unwrap());
        assert_eq!(code, 0, "{err}");
    }
    let text = fs::read_to_string(&file).unwrap();
    let value: serde_json::Value = serde_json::from_str(&text).expect(&text);
    assert_eq!(value["a"], 1);
    assert_eq!(value["hooks"]["PreToolUse"].as_array().unwrap().len(), 1);
    assert_eq!(value["hooks"]["SessionStart"].as_array().unwrap().len(), 1);
    let around =
        [".claude", ".codex"].map(|dir| fs::read_dir(temp.path().join(dir)).unwrap().count());
    assert_eq!(around, [1, 1], "no temporary file is left");
    if !below_an_agent() {
        assert_eq!(run(temp.path(), &["uninstall", "--yes"]).0, 0);
        assert_eq!(fs::read_to_string(&file).unwrap(), "{\n  \"a\": 1\n}\n");
    }
}

#[test]
fn an_agent_may_install_and_may_not_uninstall() {
    let temp = tempfile::tempdir().unwrap();
    let home = temp.path().join("home");
    fs::create_dir(&home).unwrap();
    let agent = temp.path().join("claude");
    fs::copy("/bin/bash", &agent).unwrap();
    let as_agent = |line: &str| {
        let out = Command::new(&agent)
            .args(["-c", &format!("'{BINARY}' {line}; exit $?")])
            .env_clear()
            .env("HOME", &home)
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .current_dir(&home)
            .stdin(Stdio::null())
            .output()
            .unwrap();
        said(&out)
    };
    assert_eq!(as_agent("install claude --yes").0, 0);
    let before = fs::read(home.join(".claude/settings.json")).unwrap();
    for line in [
        "uninstall --yes",
        "uninstall claude",
        "uninstall --yes --purge",
    ] {
        let (code, _, err) = as_agent(line);
        assert_eq!(code, 1, "{line}: {err}");
        assert!(err.contains("this is for people"), "{err}");
    }
    assert_eq!(
        fs::read(home.join(".claude/settings.json")).unwrap(),
        before
    );
}

#[cfg(target_os = "linux")]
#[test]
fn a_person_at_a_terminal_is_asked_and_no_is_the_default() {
    let temp = tempfile::tempdir().unwrap();
    let home = temp.path();
    let at_a_terminal = |args: &str, typed: &str| {
        use std::io::Write;
        let mut child = Command::new("script")
            .args(["-qec", &format!("'{BINARY}' {args}"), "/dev/null"])
            .env_clear()
            .env("HOME", home)
            .env("SHELL", "/bin/bash")
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .current_dir(home)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        child
            .stdin
            .take()
            .unwrap()
            .write_all(typed.as_bytes())
            .unwrap();
        said(&child.wait_with_output().unwrap())
    };
    for typed in ["\n", "n\n", "x\n"] {
        let (code, out, _) = at_a_terminal("install claude", typed);
        assert_eq!(code, 1, "{out}");
        assert!(
            out.contains("write this? [y/N]") && out.contains("nothing was written"),
            "{out}"
        );
        assert!(!home.join(".claude").exists());
    }
    let (code, out, _) = at_a_terminal("install claude", "y\n");
    assert_eq!(code, 0, "{out}");
    assert!(home.join(".claude/settings.json").exists());
    if !below_an_agent() {
        let (code, out, _) = at_a_terminal("uninstall", "y\n");
        assert_eq!(code, 0, "{out}");
        assert!(!home.join(".claude").exists());
    }
}
