//! Policies: who may loosen, what holds when a file is broken, and what is made of the one table.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a broken test may stop at once"
)]

use leaseguard::call::{Call, Dialect, What};
use leaseguard::guard;
use leaseguard::policy::{
    self, CannotEdit, CannotTrust, Case, ForceWithLease, KEYS, Kind, Layer, MILD, Mode, Places,
    Policy, WORDS, changes, set_rule,
};
use leaseguard::policy::{Home, Repository, Shelf};
use leaseguard::rules::KNOWN;
use leaseguard::verdict::{Decision, Finding, Next, Verdict};
use leaseguard::world::Surroundings;
use std::fs;
use std::path::PathBuf;
use tempfile::TempDir;

/// A machine of its own: a place for every file, none of which is there yet.
struct Machine {
    _dir: TempDir,
    managed: PathBuf,
    user: PathBuf,
    repo: PathBuf,
    project: PathBuf,
    state: PathBuf,
    remotes: Vec<String>,
}

impl Machine {
    fn new() -> Machine {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().canonicalize().unwrap();
        for sub in ["etc", "config", "repo"] {
            fs::create_dir(root.join(sub)).unwrap();
        }
        Machine {
            managed: root.join("etc/policy.toml"),
            user: root.join("config/policy.toml"),
            repo: root.join("repo"),
            project: root.join("repo/leaseguard.toml"),
            state: root.join("state/leaseguard"),
            remotes: Vec::new(),
            _dir: dir,
        }
    }

    fn with<T>(&self, act: impl FnOnce(&Places) -> T) -> T {
        act(&Places {
            managed_file: Some(&self.managed),
            user_file: Some(&self.user),
            project_file: Some(&self.project),
            state_dir: Some(&self.state),
            repo_path: Some(&self.repo),
            remotes: &|| self.remotes.clone(),
            ..Places::none(&KNOWN)
        })
    }

    fn load(&self) -> Policy {
        self.with(Policy::load)
    }

    fn trust(&self) -> Result<(), CannotTrust> {
        self.with(|places| policy::trust(places, &policy::preview(places)?))
    }

    fn user(self, text: &str) -> Machine {
        fs::write(&self.user, text).unwrap();
        self
    }

    fn project(self, text: &str) -> Machine {
        fs::write(&self.project, text).unwrap();
        self
    }

    fn managed(self, text: &str) -> Machine {
        fs::write(&self.managed, text).unwrap();
        self
    }
}

fn decision(policy: &Policy, id: &str) -> Decision {
    let own = KNOWN.iter().find(|r| r.id == id).unwrap().decision;
    policy.decide(id, own, Case::Full)
}

fn loosened(before: &Policy, after: &Policy) -> Vec<String> {
    let found = changes(before, after, &KNOWN)
        .into_iter()
        .filter(|c| c.loosens);
    found
        .map(|c| format!("{}: {} -> {}", c.name, c.from, c.to))
        .collect()
}

// --- layers

#[test]
fn without_any_file_the_built_in_rules_hold_and_nothing_is_wrong() {
    let policy = Machine::new().load();
    assert!(changes(&Policy::default(), &policy, &KNOWN).is_empty());
    assert!(policy.troubles.is_empty() && policy.held.is_empty());
    for rule in &KNOWN {
        assert_eq!(
            policy.decide(rule.id, rule.decision, Case::Full),
            rule.decision
        );
        assert_eq!(
            policy.decide(rule.id, rule.decision, Case::Unclear),
            rule.decision
        );
        assert_eq!(policy.origin(rule.id), Layer::BuiltIn);
    }
}

#[test]
fn a_persons_own_policy_loosens_and_tightens_at_once() {
    let m =
        Machine::new().user("[rules]\n\"git/amend\" = \"ask\"\n\"git/push-unclear\" = \"deny\"\n");
    let policy = m.load();
    assert_eq!(decision(&policy, "git/amend"), Decision::Ask);
    assert_eq!(policy.decision("git/amend"), Some(Decision::Ask));
    assert_eq!(decision(&policy, "git/push-unclear"), Decision::Deny);
    assert_eq!(policy.origin("git/amend"), Layer::User);
    assert_eq!(policy.origin("git/amend").to_string(), "user policy.toml");
    assert_eq!(policy.decision("git/discard"), None);
}

#[test]
fn a_project_only_tightens_until_a_person_trusts_it() {
    let m = Machine::new().project("base_branches = [\"trunk\"]\n[rules]\n\"git/amend\" = \"allow\"\n\"git/push-unclear\" = \"deny\"\n");
    let policy = m.load();
    assert_eq!(decision(&policy, "git/amend"), Decision::Deny);
    assert_eq!(policy.origin("git/amend"), Layer::BuiltIn);
    assert_eq!(decision(&policy, "git/push-unclear"), Decision::Deny);
    assert_eq!(
        policy.origin("git/push-unclear").to_string(),
        "project leaseguard.toml"
    );
    assert!(policy.is_base("trunk") && policy.is_base("main"));
    assert_eq!(
        policy.held,
        [
            "project leaseguard.toml asks for fewer `base_branches`",
            "project leaseguard.toml asks for `\"git/amend\" = \"allow\"`"
        ]
    );

    m.trust().unwrap();
    let policy = m.load();
    assert_eq!(decision(&policy, "git/amend"), Decision::Allow);
    assert_eq!(policy.origin("git/amend"), Layer::Project);
    assert!(policy.is_base("trunk") && !policy.is_base("main"));
    assert!(policy.held.is_empty());
}

#[test]
fn trust_holds_for_the_exact_content_only() {
    let m = Machine::new().project("[rules]\n\"git/amend\" = \"allow\"\n");
    m.trust().unwrap();
    let m = m.project("[rules]\n\"git/amend\" = \"allow\" \n");
    assert_eq!(decision(&m.load(), "git/amend"), Decision::Deny);
}

#[test]
fn what_was_trusted_keeps_tightening_when_the_file_goes_away() {
    let m = Machine::new().project("base_branches = [\"main\", \"trunk\"]\n[rules]\n\"git/push-unclear\" = \"deny\"\n\"git/amend\" = \"allow\"\n");
    m.trust().unwrap();
    fs::remove_file(&m.project).unwrap();
    let policy = m.load();
    assert_eq!(decision(&policy, "git/push-unclear"), Decision::Deny);
    assert_eq!(policy.origin("git/push-unclear"), Layer::Trusted);
    assert_eq!(
        decision(&policy, "git/amend"),
        Decision::Deny,
        "what it loosened goes with it"
    );
    assert!(policy.is_base("trunk") && policy.is_base("dev"));

    m.with(policy::forget).unwrap();
    assert_eq!(decision(&m.load(), "git/push-unclear"), Decision::Ask);
}

#[test]
fn trust_is_one_for_all_worktrees_of_a_repository() {
    let m = Machine::new().project("[rules]\n\"git/amend\" = \"allow\"\n");
    m.trust().unwrap();
    let linked = m.repo.join("linked");
    fs::create_dir(&linked).unwrap();
    fs::copy(&m.project, linked.join("leaseguard.toml")).unwrap();
    let policy = m.with(|places| {
        let file = linked.join("leaseguard.toml");
        Policy::load(&Places {
            project_file: Some(&file),
            repo_path: Some(&linked),
            main_path: Some(&m.repo),
            ..*places
        })
    });
    assert_eq!(decision(&policy, "git/amend"), Decision::Allow);
}

#[test]
fn trust_shows_what_it_changes_and_records_what_it_showed() {
    let m = Machine::new().project("ask = \"deny\"\n[rules]\n\"git/amend\" = \"unpushed\"\n");
    m.with(|places| {
        let shown = policy::preview(places).unwrap();
        assert_eq!(shown.text, fs::read_to_string(&m.project).unwrap());
        // It tightens by itself, so only the loosening is a change.
        let told: Vec<_> = shown
            .changes
            .iter()
            .map(|c| (c.name.as_str(), c.to.as_str(), c.loosens))
            .collect();
        assert_eq!(told, [("git/amend", "unpushed", true)]);
        // Written between the look and the yes.
        fs::write(&m.project, "mode = \"observe\"\n").unwrap();
        policy::trust(places, &shown).unwrap();
    });
    let policy = m.load();
    assert_eq!(policy.mode(), Mode::Enforce);
    assert!(policy.ask_is_deny());
}

#[test]
fn nothing_broken_or_missing_can_be_trusted() {
    let m = Machine::new();
    assert_eq!(m.trust(), Err(CannotTrust::Nothing));
    let m = m.project("moed = \"observe\"\n");
    let Err(CannotTrust::Broken(what)) = m.trust() else {
        panic!("trusted")
    };
    assert!(
        what[0].ends_with("line 1: there is no key `moed`; the nearest is `mode`"),
        "{what:?}"
    );
    let nowhere = m.with(|places| {
        policy::forget(&Places {
            state_dir: None,
            ..*places
        })
    });
    assert_eq!(nowhere, Err(CannotTrust::NoState));
}

#[test]
fn what_the_administrator_says_can_be_tightened_and_not_loosened() {
    let m = Machine::new()
        .managed("base_branches = [\"live\"]\n[rules]\n\"git/amend\" = \"ask\"\n\"git/push-unclear\" = \"deny\"\n")
        .user("base_branches = []\n[rules]\n\"git/amend\" = \"allow\"\n\"git/push-unclear\" = \"off\"\n");
    let policy = m.load();
    assert_eq!(decision(&policy, "git/amend"), Decision::Ask);
    assert_eq!(decision(&policy, "git/push-unclear"), Decision::Deny);
    assert_eq!(policy.base_branches, ["live"]);
    assert_eq!(policy.origin("git/amend"), Layer::Managed);
    let m = m.user("[rules]\n\"git/amend\" = \"deny\"\n");
    assert_eq!(decision(&m.load(), "git/amend"), Decision::Deny);
    assert_eq!(m.load().origin("git/amend"), Layer::User);
}

#[test]
fn a_managed_preset_pins_everything_that_presets_speak_of() {
    let m = Machine::new()
        .managed("preset = \"fleet\"\n")
        .user("preset = \"solo\"\n");
    assert!(loosened(&Policy::default(), &m.load()).is_empty());
    let m = m.managed("preset = \"team\"\n");
    assert_eq!(
        m.load()
            .wish("git/amend")
            .shown("git/amend", Decision::Deny),
        "unpushed"
    );
    assert_eq!(
        m.load().decide("git/base-push", Decision::Deny, Case::Mild),
        Decision::Deny
    );
}

#[test]
fn sections_speak_of_the_repositories_that_they_match() {
    let text = |what: &str, repo: &PathBuf| {
        format!(
            "[[repo]]\n{what} = \"{}\"\nrules.\"git/amend\" = \"ask\"\n",
            repo.display()
        )
    };
    let m = Machine::new();
    let m = Machine {
        remotes: vec!["git@github.com:acme/x.git".to_owned()],
        ..m
    };
    let amend = |m: &Machine, text: &str| {
        fs::write(&m.user, text).unwrap();
        let policy = m.load();
        assert_eq!(policy.troubles, Vec::<String>::new());
        (decision(&policy, "git/amend"), policy.origin("git/amend"))
    };
    let (yes, no) = (
        (Decision::Ask, Layer::UserRepo),
        (Decision::Deny, Layer::BuiltIn),
    );
    assert_eq!(amend(&m, &text("path", &m.repo)), yes);
    assert_eq!(amend(&m, &text("path", &m.repo.join(""))), yes);
    assert_eq!(amend(&m, &text("path", &m.repo.with_file_name("r*"))), yes);
    assert_eq!(amend(&m, &text("path", &m.repo.with_file_name("s*"))), no);
    assert_eq!(amend(&m, &text("path", &m.repo.join("*"))), no);
    for (remote, hit) in [
        ("git@github.com:acme/x.git", true),
        ("github.com/acme/*", true),
        ("github.com/acme/x", true),
        ("github.com/other/*", false),
    ] {
        assert_eq!(
            amend(&m, &text("remote", &remote.into())),
            if hit { yes } else { no },
            "{remote}"
        );
    }
    let both = "[[repo]]\npath = \"/elsewhere\"\nremote = \"*\"\nrules.\"git/amend\" = \"ask\"\n";
    assert_eq!(amend(&m, both), no);
}

#[test]
fn urls_in_any_spelling_are_host_and_path() {
    for url in [
        "https://github.com/acme/x",
        "https://user:pw@github.com/acme/x.git",
        "ssh://git@github.com:22/acme/x.git/",
        "git@github.com:acme/x.git",
        "github.com:acme/x",
    ] {
        let m = Machine {
            remotes: vec![url.to_owned()],
            ..Machine::new()
        }
        .user("[[repo]]\nremote = \"github.com/acme/x\"\nmode = \"observe\"\n");
        assert_eq!(m.load().mode(), Mode::Observe, "{url}");
    }
}

#[test]
fn a_remote_that_was_added_does_not_loosen_by_its_section() {
    let m = Machine::new()
        .user("[[repo]]\nremote = \"github.com/me/*\"\npreset = \"solo\"\nask = \"deny\"\n");
    let m = Machine {
        remotes: vec![
            "https://github.com/acme/x".to_owned(),
            "https://github.com/me/x".to_owned(),
        ],
        ..m
    };
    let policy = m.load();
    assert!(loosened(&Policy::default(), &policy).is_empty());
    assert!(policy.ask_is_deny(), "what tightens holds");
}

#[test]
fn a_home_in_a_path_glob_is_the_persons_home() {
    let m = Machine::new().user("[[repo]]\npath = \"~/repo\"\nmode = \"observe\"\n");
    let home = m.repo.parent().unwrap();
    let policy = m.with(|places| {
        Policy::load(&Places {
            home: Some(home),
            ..*places
        })
    });
    assert_eq!(policy.mode(), Mode::Observe);
    assert_eq!(m.load().mode(), Mode::Enforce);
}

#[test]
fn only_a_persons_own_policy_has_sections() {
    let m = Machine::new().project("[[repo]]\npath = \"*\"\n");
    assert!(
        m.load().troubles[0]
            .ends_with("line 1: only a person's own policy has `[[repo]]` sections")
    );
    let m = Machine::new().user("[[repo]]\nmode = \"observe\"\n");
    assert!(m.load().troubles[0].ends_with("a `[[repo]]` section has neither `path` nor `remote`"));
}

#[test]
fn xdg_directories_count_only_where_they_are_absolute() {
    let path = |text: &str| PathBuf::from(text);
    let (home, xdg, relative) = (path("/h"), path("/x"), path("x"));
    assert_eq!(
        Places::user_file_of(Some(&xdg), Some(&home)),
        Some(path("/x/leaseguard/policy.toml"))
    );
    assert_eq!(
        Places::user_file_of(Some(&relative), Some(&home)),
        Some(path("/h/.config/leaseguard/policy.toml"))
    );
    assert_eq!(
        Places::state_dir_of(None, Some(&home)),
        Some(path("/h/.local/state/leaseguard"))
    );
    assert_eq!(Places::state_dir_of(None, None), None);
}

// --- presets

#[test]
fn a_preset_is_the_start_and_the_rest_of_the_file_goes_before_it() {
    let m = Machine::new().user("[rules]\n\"git/amend\" = \"deny\"\n");
    let solo = fs::read_to_string(&m.user).unwrap();
    let m = m.user(&format!("preset = \"solo\"\n{solo}"));
    let policy = m.load();
    assert_eq!(
        policy.decide("git/amend", Decision::Deny, Case::Mild),
        Decision::Deny
    );
    assert_eq!(
        policy.decide("git/base-push", Decision::Deny, Case::Mild),
        Decision::Allow
    );
    assert_eq!(
        policy.decide("git/base-push", Decision::Deny, Case::Full),
        Decision::Deny
    );
    assert_eq!(
        policy.decide("git/broad-add", Decision::Deny, Case::Unclear),
        Decision::Ask
    );
    assert_eq!(policy.force_with_lease(), ForceWithLease::OwnBranch);
    assert_eq!(policy.word("preset"), Some("solo"));
    assert_eq!(policy.origin_of_key("git.force_with_lease"), Layer::User);
}

#[test]
fn a_preset_of_a_later_layer_replaces_the_whole_earlier_one() {
    let m = Machine::new();
    let repo = m.repo.display().to_string();
    let m = m.user(&format!(
        "preset = \"solo\"\n[[repo]]\npath = \"{repo}\"\npreset = \"fleet\"\n"
    ));
    let same = changes(&Policy::default(), &m.load(), &KNOWN);
    assert!(same.is_empty(), "{same:?}");
    let m = m
        .user("preset = \"solo\"\n")
        .project("preset = \"fleet\"\n");
    let same = changes(&Policy::default(), &m.load(), &KNOWN);
    assert!(same.is_empty(), "{same:?}");
}

#[test]
fn presets_are_ordered_from_strict_to_mild() {
    let load = |preset: &str| {
        Machine::new()
            .user(&format!("preset = \"{preset}\"\n"))
            .load()
    };
    let (fleet, team, solo) = (load("fleet"), load("team"), load("solo"));
    assert!(loosened(&team, &fleet).is_empty() && loosened(&solo, &team).is_empty());
    assert_eq!(
        loosened(&fleet, &team),
        [
            "git.force_with_lease: deny -> own-branch",
            "git/amend: deny -> unpushed"
        ]
    );
    for id in [
        "git/force-push",
        "git/remote-delete",
        "git/skip-hooks",
        "git/discard",
    ] {
        assert_eq!(decision(&solo, id), Decision::Deny, "{id}");
    }
}

// --- verdicts

fn verdict(decision: Decision) -> Verdict {
    Verdict::from(vec![Finding {
        rule: "git/amend",
        decision,
        effect: "this would replace the last commit".to_owned(),
        because: Vec::new(),
        instead: None,
        next: Next::AskPerson,
        span: 0..1,
    }])
}

#[test]
fn a_question_is_a_denial_where_nobody_answers() {
    let policy = Machine::new().user("ask = \"deny\"\n").load();
    assert_eq!(
        policy.settle(verdict(Decision::Ask)).decision(),
        Decision::Deny
    );
    assert_eq!(
        Policy::default().settle(verdict(Decision::Ask)).decision(),
        Decision::Ask
    );
}

#[test]
fn observing_stops_nothing_and_says_what_it_would_have_said() {
    let policy = Machine::new().user("mode = \"observe\"\n").load();
    let verdict = policy.settle(verdict(Decision::Deny));
    assert_eq!(verdict.decision(), Decision::Allow);
    assert_eq!(
        verdict.notes,
        [
            "only observing, else `git/amend` would have been denied: this would replace the last commit"
        ]
    );
    assert_eq!(
        policy
            .settle(Verdict::failed("fault/bad-json", "x"))
            .decision(),
        Decision::Deny
    );
}

#[test]
fn a_verdict_tells_which_policy_is_broken() {
    let policy = Machine::new().user("nonsense").load();
    let notes = policy.settle(Verdict::default()).notes;
    assert!(
        notes[0].starts_with("user policy `/") && notes[0].contains("policy.toml`: line 1: "),
        "{notes:?}"
    );
}

// --- broken files

/// Texts that are no good policy, with what is said of them.
const BAD: &[(&str, &str)] = &[
    (
        "mode = \"observe\"\nmode = \"observe\"\n",
        "line 2: duplicate key",
    ),
    (
        "[rules]\n\"git/amend\" = \"allow\"\n\"git/amend\" = \"off\"\n",
        "line 3: duplicate key",
    ),
    ("[rules]\n[rules]\n", "line 2: duplicate key"),
    (
        "mode = \"observe\"\nmood = 1\n",
        "line 2: there is no key `mood`; the nearest is `mode`",
    ),
    (
        "mode = \"observe\"\n[gti]\n",
        "line 2: there is no key `gti`",
    ),
    (
        "mode = \"observe\"\ngit.force_with_leash = \"deny\"\n",
        "the nearest is `git.force_with_lease`",
    ),
    (
        "[rules]\n\"git/amend\" = \"allow\"\n\"git/ammend\" = \"deny\"\n",
        "line 3: there is no rule `git/ammend`; the nearest is `git/amend`",
    ),
    (
        "mode = \"observe\"\nrules = 3\n",
        "line 2: `rules` takes a table, not an integer",
    ),
    (
        "mode = true\n",
        "line 1: `mode` takes `enforce` or `observe`, not a boolean",
    ),
    (
        "mode = \"obsrve\"\n",
        "line 1: `mode` takes `enforce` or `observe`, not `obsrve`",
    ),
    (
        "base_branches = \"main\"\n",
        "`base_branches` takes a list of strings, not a string",
    ),
    (
        "base_branches = [1]\n",
        "`base_branches` takes a list of strings, not a mixed list",
    ),
    (
        "[mode]\n",
        "`mode` takes `enforce` or `observe`, not a table",
    ),
    ("git = \"x\"\n", "`git` takes a table, not a string"),
    (
        "rules.\"git/amend\" = 1979-05-27\n",
        "line 1: `git/amend` takes `off`, `allow`, `ask`, `deny` or `unpushed`, not a date",
    ),
    (
        "rules.\"git/amend\" = \"plain\"\n",
        "the rule `git/amend` takes `off`, `allow`, `ask`, `deny` or `unpushed`, not `plain`",
    ),
    ("mode = \"observe\"\n[rules\n", "line 2: "),
    ("mode = \"observe\"\n\u{1}\n", "line 2: "),
    ("mode = 'observe\n", "line 1: "),
];

#[test]
fn a_bad_text_never_loosens_and_is_told_with_its_line() {
    for (bad, says) in BAD {
        let m = Machine::new().user(bad);
        let policy = m.load();
        assert!(loosened(&Policy::default(), &policy).is_empty(), "{bad}");
        assert_eq!(policy.troubles.len(), 1, "{bad}: {:?}", policy.troubles);
        assert!(
            policy.troubles[0].contains(says),
            "{bad}: {:?}",
            policy.troubles
        );
        assert!(!policy.troubles[0].contains('\n'), "{:?}", policy.troubles);
        for m in [Machine::new().project(bad), Machine::new().managed(bad)] {
            let policy = m.load();
            assert!(loosened(&Policy::default(), &policy).is_empty(), "{bad}");
            assert_eq!(policy.troubles.len(), 1, "{bad}: {:?}", policy.troubles);
        }
    }
}

#[test]
fn what_is_sound_in_a_bad_text_still_tightens() {
    let m = Machine::new()
        .user("mode = \"observe\"\nmood = 1\n[rules]\n\"git/push-unclear\" = \"deny\"\n");
    assert_eq!(decision(&m.load(), "git/push-unclear"), Decision::Deny);
    assert_eq!(m.load().mode(), Mode::Enforce);
}

#[test]
fn a_broken_managed_policy_lets_nobody_loosen() {
    let m = Machine::new()
        .managed("[rules\n")
        .user("preset = \"solo\"\nmode = \"observe\"\nbase_branches = []\n");
    assert!(loosened(&Policy::default(), &m.load()).is_empty());
}

#[test]
fn an_empty_policy_a_mark_at_its_start_and_foreign_line_ends_are_fine() {
    for text in [
        "",
        "\n",
        "\u{feff}",
        "# nothing\n",
        "[rules]\n",
        "\u{feff}[rules]\r\n",
    ] {
        let m = Machine::new().user(text).project(text).managed(text);
        let policy = m.load();
        assert_eq!(policy.troubles, Vec::<String>::new(), "{text:?}");
        assert!(changes(&Policy::default(), &policy, &KNOWN).is_empty());
    }
    let m = Machine::new().user("\u{feff}mode = \"observe\"\r\n");
    assert_eq!(m.load().mode(), Mode::Observe);
    let m = Machine::new().user("mode = \"\"\"observe\"\"\"\n");
    assert_eq!(
        m.load().mode(),
        Mode::Observe,
        "what only the thorough reader follows counts as well"
    );
}

#[cfg(unix)]
mod odd_files {
    use super::*;
    use std::os::unix::fs::{PermissionsExt, chown, symlink};
    use std::path::Path;
    use std::process::Command;

    /// Makes something odd at a path.
    type Make = fn(&Path);

    const ODD: &[(&str, Make, &str)] = &[
        (
            "a directory",
            |p| fs::create_dir(p).unwrap(),
            "is a directory",
        ),
        (
            "a pipe",
            |p| assert!(Command::new("mkfifo").arg(p).status().unwrap().success()),
            "is no regular file",
        ),
        (
            "a device",
            |p| symlink("/dev/zero", p).unwrap(),
            "is a link that leads elsewhere",
        ),
        (
            "a dangling link",
            |p| symlink("nowhere", p).unwrap(),
            "is a link to nothing",
        ),
        (
            "a link to itself",
            |p| symlink(p, p).unwrap(),
            "is a link to nothing",
        ),
        (
            "huge",
            |p| fs::write(p, "#".repeat(256 << 10) + "\nmode = \"observe\"").unwrap(),
            "is larger than 256 KiB",
        ),
        (
            "no text",
            |p| fs::write(p, b"mode = \"observe\" # \xff").unwrap(),
            "is not UTF-8",
        ),
        (
            "elsewhere",
            |p| {
                let other = p.parent().unwrap().with_file_name("other.toml");
                fs::write(&other, "mode = \"observe\"\n").unwrap();
                symlink(other, p).unwrap();
            },
            "is a link that leads elsewhere",
        ),
    ];

    #[test]
    fn odd_files_are_left_out_and_named_in_every_layer() {
        for (name, make, says) in ODD {
            for layer in ["user", "project", "managed"] {
                let m = Machine::new();
                let path = match layer {
                    "user" => &m.user,
                    "project" => &m.project,
                    _ => &m.managed,
                };
                make(path);
                let policy = m.load();
                assert!(
                    changes(&Policy::default(), &policy, &KNOWN).is_empty(),
                    "{name}"
                );
                let [trouble] = policy.troubles.as_slice() else {
                    panic!("{name}: {:?}", policy.troubles)
                };
                assert!(
                    trouble.starts_with(layer) && trouble.contains(says),
                    "{name}: {trouble}"
                );
            }
        }
    }

    #[test]
    fn a_link_inside_the_repository_is_followed() {
        let m = Machine::new();
        fs::write(m.repo.join("rules.toml"), "ask = \"deny\"\n").unwrap();
        symlink("rules.toml", &m.project).unwrap();
        let policy = m.load();
        assert_eq!(policy.troubles, Vec::<String>::new());
        assert!(policy.ask_is_deny());
    }

    #[test]
    fn what_others_own_or_may_write_only_tightens() {
        let text = "mode = \"observe\"\nask = \"deny\"\n";
        let m = Machine::new().user(text);
        fs::set_permissions(&m.user, fs::Permissions::from_mode(0o646)).unwrap();
        let policy = m.load();
        assert_eq!(policy.mode(), Mode::Enforce);
        assert!(policy.ask_is_deny());
        assert!(policy.troubles[0].ends_with("everybody may write it, so it only tightens"));

        let m = Machine::new().user(text).project(text).managed(text);
        let files = [&m.user, &m.project, &m.managed];
        // Only the superuser can give files away.
        if files.iter().all(|f| chown(f, Some(4242), None).is_ok()) {
            let policy = m.load();
            assert_eq!(policy.mode(), Mode::Enforce);
            assert_eq!(policy.troubles.len(), 3);
            assert!(
                policy
                    .troubles
                    .iter()
                    .all(|t| t.ends_with("it belongs to another user, so it only tightens"))
            );
            assert!(matches!(m.trust(), Err(CannotTrust::Broken(_))));
        }
    }

    #[test]
    fn a_file_in_place_of_a_directory_is_told() {
        let m = Machine::new();
        let file = m.repo.join("plain");
        fs::write(&file, "").unwrap();
        let (user, state) = (file.join("policy.toml"), file.join("state"));
        let policy = m.with(|places| {
            Policy::load(&Places {
                user_file: Some(&user),
                state_dir: Some(&state),
                ..*places
            })
        });
        assert!(changes(&Policy::default(), &policy, &KNOWN).is_empty());
        assert_eq!(policy.troubles.len(), 2, "{:?}", policy.troubles);
        assert!(
            policy.troubles[0].starts_with("user policy")
                && policy.troubles[1].starts_with("trust record")
        );
    }

    #[test]
    fn a_state_directory_that_takes_nothing_leaves_trust_undone() {
        let text = "[rules]\n\"git/amend\" = \"allow\"\n";
        let m = Machine::new().project(text);
        assert_eq!(
            m.load().troubles,
            Vec::<String>::new(),
            "a missing one is no trouble"
        );
        // A file where the directory should be.
        fs::create_dir_all(m.state.parent().unwrap()).unwrap();
        fs::write(&m.state, "").unwrap();
        let Err(CannotTrust::Unwritable(..)) = m.trust() else {
            panic!("trusted")
        };
        assert!(m.load().troubles[0].starts_with("trust record"));
        assert_eq!(decision(&m.load(), "git/amend"), Decision::Deny);
        fs::remove_file(&m.state).unwrap();
        // No more room: what is written goes to `/dev/full`.
        m.trust().unwrap();
        let record = fs::read_dir(m.state.join("trust"))
            .unwrap()
            .next()
            .unwrap()
            .unwrap()
            .path();
        let m = m.project("mode = \"observe\"\n");
        let part = format!("{}.{}.part", record.display(), std::process::id());
        symlink("/dev/full", &part).unwrap();
        let error = m.trust().unwrap_err().to_string();
        assert!(error.contains("cannot be written"), "{error}");
        assert!(!Path::new(&part).exists());
        assert_eq!(m.load().mode(), Mode::Enforce);
        assert_eq!(
            m.load().troubles,
            Vec::<String>::new(),
            "the earlier record is whole"
        );
        // One that lets nothing in, even for the superuser.
        let readonly = m.with(|p| {
            policy::forget(&Places {
                state_dir: Some(Path::new("/proc/self/fd")),
                ..*p
            })
        });
        assert!(readonly.is_ok() || matches!(readonly, Err(CannotTrust::Unwritable(..))));
        let proc = Path::new("/proc/leaseguard");
        let refused = m.with(|places| {
            let places = Places {
                state_dir: Some(proc),
                ..*places
            };
            policy::trust(&places, &policy::preview(&places).unwrap())
        });
        assert!(
            matches!(refused, Err(CannotTrust::Unwritable(..))),
            "{refused:?}"
        );
    }

    #[test]
    fn a_damaged_or_foreign_record_trusts_nothing() {
        let m = Machine::new().project("mode = \"observe\"\n");
        m.trust().unwrap();
        assert_eq!(m.load().mode(), Mode::Observe);
        let record = fs::read_dir(m.state.join("trust"))
            .unwrap()
            .next()
            .unwrap()
            .unwrap()
            .path();
        let whole = fs::read_to_string(&record).unwrap();
        fs::write(&record, whole.replace("repo\"", "rope\"")).unwrap();
        assert_eq!(m.load().mode(), Mode::Enforce);
        fs::write(&record, "mode = \"observe\"\n").unwrap();
        let policy = m.load();
        assert_eq!(policy.mode(), Mode::Enforce);
        assert!(
            policy.troubles[0].contains("is damaged"),
            "{:?}",
            policy.troubles
        );
        fs::set_permissions(&record, fs::Permissions::from_mode(0o602)).unwrap();
        fs::write(&record, whole).unwrap();
        assert_eq!(
            m.load().mode(),
            Mode::Enforce,
            "a record that everybody may write"
        );
    }
}

// --- laws

/// xorshift64*, so that every run sees the same policies.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        usize::try_from(self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 33).unwrap() % sides
    }

    /// A policy of some keys and rules; now and then a broken one.
    fn policy(&mut self, section: Option<&str>) -> String {
        let mut text = self.keys();
        if let Some(repo) = section.filter(|_| self.roll(2) == 0) {
            text.push_str(&format!(
                "[[repo]]\npath = '{repo}'\n{}",
                self.keys().replace("[rules]", "[repo.rules]")
            ));
        }
        match self.roll(8) {
            0 => text.push_str("moed = 1\n"),
            1 => text.push_str("[rules\n"),
            _ => {}
        }
        text
    }

    fn keys(&mut self) -> String {
        let mut text = String::new();
        for key in KEYS {
            match key.kind {
                _ if self.roll(2) == 0 => {}
                Kind::Choice { words, .. } => {
                    text.push_str(&format!(
                        "{} = '{}'\n",
                        key.name,
                        words[self.roll(words.len())]
                    ));
                }
                Kind::Globs(globs) => {
                    let some: Vec<_> = globs
                        .iter()
                        .chain(&["trunk", "live/*"])
                        .filter(|_| self.roll(2) == 0)
                        .collect();
                    text.push_str(&format!("{} = {some:?}\n", key.name));
                }
                Kind::Span { .. } => {
                    let span = ["10s", "5m", "9h"][self.roll(3)];
                    text.push_str(&format!("{} = '{span}'\n", key.name));
                }
                Kind::Text => text.push_str(&format!("{} = '/srv/x'\n", key.name)),
                Kind::Texts => {
                    let some: Vec<_> = ["a", "b"]
                        .into_iter()
                        .filter(|_| self.roll(2) == 0)
                        .collect();
                    text.push_str(&format!("{} = {some:?}\n", key.name));
                }
            }
        }
        text.push_str("[rules]\n");
        for rule in &KNOWN {
            if self.roll(3) == 0 {
                let words: Vec<_> = WORDS
                    .iter()
                    .map(|w| w.0)
                    .chain(MILD.iter().filter(|m| m.rule == rule.id).map(|m| m.word))
                    .collect();
                text.push_str(&format!(
                    "'{}' = '{}'\n",
                    rule.id,
                    words[self.roll(words.len())]
                ));
            }
        }
        text
    }

    fn machine(&mut self) -> Machine {
        let m = Machine::new();
        let repo = m.repo.display().to_string();
        if self.roll(2) == 0 {
            fs::write(&m.user, self.policy(Some(&repo))).unwrap();
        }
        if self.roll(3) == 0 {
            fs::write(&m.managed, self.policy(None)).unwrap();
        }
        m
    }
}

fn rounds() -> usize {
    if std::env::var_os("LEASEGUARD_LONG").is_some() {
        5000
    } else {
        150
    }
}

#[test]
fn adding_a_project_file_never_loosens() {
    let mut dice = Dice(1);
    for _ in 0..rounds() {
        let m = dice.machine();
        let before = m.load();
        let m = m.project(&dice.policy(None));
        assert_eq!(loosened(&before, &m.load()), Vec::<String>::new());
    }
}

#[test]
fn taking_a_trusted_file_away_or_changing_it_never_loosens() {
    let mut dice = Dice(2);
    let mut trusted = 0;
    for _ in 0..rounds() {
        let m = dice.machine().project(&dice.policy(None));
        if m.trust().is_err() {
            continue;
        }
        trusted += 1;
        let before = m.load();
        let m = m.project(&dice.policy(None));
        assert_eq!(loosened(&before, &m.load()), Vec::<String>::new());
        fs::remove_file(&m.project).unwrap();
        let gone = m.load();
        assert_eq!(loosened(&before, &gone), Vec::<String>::new());
        // And another file in its place adds to that.
        let m = m.project(&dice.policy(None));
        assert_eq!(loosened(&gone, &m.load()), Vec::<String>::new());
    }
    assert!(trusted > rounds() / 3, "{trusted}");
}

#[test]
fn nobody_loosens_what_is_managed() {
    let mut dice = Dice(3);
    for _ in 0..rounds() {
        let m = Machine::new().managed(&dice.keys());
        let alone = m.load();
        let repo = m.repo.display().to_string();
        // Only what it speaks of is pinned: take the rest out of the comparison.
        let said = fs::read_to_string(&m.managed).unwrap();
        let m = m
            .user(&dice.policy(Some(&repo)))
            .project(&dice.policy(None));
        let _ = m.trust();
        let all = m.load();
        for change in changes(&alone, &all, &KNOWN).iter().filter(|c| c.loosens) {
            // `lease.mode` is not `mode`.
            let parts: Vec<&str> = said.split(change.name.as_str()).collect();
            let (_, before) = parts.split_last().unwrap();
            let named = before.iter().any(|text| !text.ends_with('.'));
            assert!(!named, "{change:?}\n{said}");
            let governed = said.contains("preset") && policy_of(&change.name);
            assert!(!governed, "{change:?}\n{said}");
        }
    }
}

/// Whether presets speak of it.
fn policy_of(name: &str) -> bool {
    name == "git.force_with_lease" || MILD.iter().any(|m| m.rule == name)
}

#[test]
fn breaking_a_file_never_loosens_more_than_leaving_it_out() {
    let mut dice = Dice(4);
    for _ in 0..rounds() {
        let m = dice.machine().project(&dice.keys());
        let _ = m.trust();
        let broken = dice.keys() + ["mood = 1\n", "[rules\n", "\u{1}"][dice.roll(3)];
        let path = [&m.user, &m.project, &m.managed][dice.roll(3)].clone();
        let _ = fs::remove_file(&path);
        let without = m.load();
        fs::write(&path, broken).unwrap();
        assert_eq!(
            loosened(&without, &m.load()),
            Vec::<String>::new(),
            "{}",
            path.display()
        );
    }
}

// --- rules and presets

/// A repository with a remote, on the branch `feat`, with an untracked file and a changed one.
fn repository(m: &Machine) {
    let sh = "git init -q -b main --bare ../origin.git && git init -q -b main . && git remote add origin ../origin.git && \
        echo a > a && git add a && git -c user.name=n -c user.email=e commit -q -m a && git push -q origin main && \
        git switch -q -c feat && git push -q -u origin feat && echo b > a && echo c > c";
    let done = std::process::Command::new("sh")
        .args(["-c", sh])
        .current_dir(&m.repo)
        .env("HOME", m.repo.parent().unwrap())
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .env_remove("XDG_CONFIG_HOME")
        .status();
    assert!(done.unwrap().success());
}

fn answer(m: &Machine, policy: &Policy, text: &str) -> Decision {
    let call = Call {
        session: None,
        agent: None,
        cwd: Some(m.repo.clone()),
        unseen_typing: false,
        what: What::Shell {
            dialect: Dialect::Bash,
            text: text.to_owned(),
        },
    };
    let around = Surroundings {
        cwd: Some(m.repo.clone()),
        home: m.repo.parent().map(Into::into),
        ..Surroundings::default()
    };
    guard::judge(&call, around, policy).decision()
}

#[test]
fn presets_decide_what_the_rules_find() {
    let m = Machine::new();
    repository(&m);
    let policies = ["fleet", "team", "solo"].map(|preset| {
        fs::write(&m.user, format!("preset = \"{preset}\"\n")).unwrap();
        m.load()
    });
    let (a, q, d) = (Decision::Allow, Decision::Ask, Decision::Deny);
    for (text, wanted) in [
        ("git push --force-with-lease", [d, a, a]),
        ("git push --force-with-lease origin HEAD:feat", [d, a, a]),
        ("git push --force-with-lease origin HEAD:other", [d, d, d]),
        ("git push --force-with-lease origin HEAD:main", [d, d, d]),
        ("git push --force-with-lease --force origin feat", [d, d, d]),
        ("git push --force-with-lease origin +feat", [d, d, d]),
        ("git push --force", [d, d, d]),
        ("git switch main && git push --force-with-lease", [d, d, d]),
        ("git commit --amend -m x", [d, q, q]),
        ("git push origin HEAD:main", [d, d, a]),
        ("git push --force origin HEAD:main", [d, d, d]),
        ("git push origin :main", [d, d, d]),
        ("git commit -a -m x", [d, d, a]),
        ("git commit -m x .", [d, d, a]),
        ("git add -u", [d, d, a]),
        ("git add .", [d, d, q]),
        ("git add -A", [d, d, q]),
        ("git commit --no-verify -m x", [d, d, d]),
        ("git reset --hard", [d, d, d]),
    ] {
        let got = policies.each_ref().map(|policy| answer(&m, policy, text));
        assert_eq!(got, wanted, "{text}");
    }
}

#[test]
fn the_guard_settles_what_it_answers() {
    let m = Machine::new().user("mode = \"observe\"\n");
    repository(&m);
    assert_eq!(answer(&m, &m.load(), "git push --force"), Decision::Allow);
    let m = m.user("ask = \"deny\"\n[rules]\n\"git/amend\" = \"ask\"\n");
    assert_eq!(answer(&m, &m.load(), "git commit --amend"), Decision::Deny);
}

#[test]
fn a_shelf_reads_each_repository_once_and_when_it_is_asked() {
    let m = Machine::new().project("ask = \"deny\"\n");
    let shelf = Shelf::new(
        &KNOWN,
        Home {
            user_file: Some(m.user.clone()),
            ..Home::default()
        },
    );
    let at = |top: Option<&std::path::Path>| {
        shelf.at(Repository {
            top,
            main: None,
            remotes: &Vec::new,
        })
    };
    let m = m.user("mode = \"observe\"\n");
    assert!(at(Some(&m.repo)).ask_is_deny());
    assert_eq!(at(Some(&m.repo)).mode(), Mode::Observe);
    let m = m.user("").project("");
    assert!(at(Some(&m.repo)).ask_is_deny(), "it was read before");
    assert_eq!(at(None).mode(), Mode::Enforce);
    let fixed = Shelf::of(m.load());
    assert_eq!(
        fixed
            .at(Repository {
                top: Some(&m.repo),
                main: None,
                remotes: &Vec::new
            })
            .mode(),
        Mode::Enforce
    );
}

#[test]
fn the_line_that_lists_a_rule_names_its_layer() {
    let m = Machine::new().project("[rules]\n\"git/push-unclear\" = \"deny\"\n");
    let policy = m.load();
    let rule = KNOWN.iter().find(|r| r.id == "git/push-unclear").unwrap();
    let shown = policy.wish(rule.id).shown(rule.id, rule.decision);
    let line = format!("{} {shown} ({})", rule.id, policy.origin(rule.id));
    assert_eq!(line, "git/push-unclear deny (project leaseguard.toml)");
}

#[test]
fn hostile_texts_of_full_size_are_refused_and_nothing_falls_over() {
    let full = |piece: &str| piece.repeat((250 << 10) / piece.len());
    for text in [
        format!("{}a = 1", full("a.")),
        format!("[{}a]", full("a.")),
        format!("[[{}a]]", full("a.")),
        format!("a = {}", full("[")),
        format!("a = {}", full("{a=")),
        format!("a = {}", full("[{a=")),
        full("[[repo]]\n"),
        full("a=1\n"),
        full("\"\\u0061\"."),
        full("[a.b.c]\n"),
        full("\""),
        full("\n#"),
        format!("{} = 1", full("k")),
        format!("mode = '{}'", full("k")),
        format!("rules.{} = 'ask'", full("k")),
        (0..20_000).map(|n| format!("k{n}=1\n")).collect(),
    ] {
        let policy = Machine::new().project(&text).load();
        let changed = changes(&Policy::default(), &policy, &KNOWN);
        assert!(changed.is_empty(), "{:.40}", text);
        assert!(policy.troubles.len() <= 6, "{:?}", policy.troubles);
        assert!(
            policy.troubles.iter().all(|t| t.len() < 400),
            "{:.40}",
            text
        );
    }
}

// --- what is made of the table

fn made(path: &str, text: &str) {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(path);
    if std::env::var_os("UPDATE").is_some() {
        fs::write(&path, text).unwrap();
    }
    let there = fs::read_to_string(&path).unwrap_or_default();
    assert!(
        there == text,
        "`{}` is not what the table says: run with UPDATE=1",
        path.display()
    );
}

#[test]
fn the_example_file_is_the_table_and_changes_nothing() {
    let text = policy::example(&KNOWN);
    made("leaseguard.example.toml", &text);
    let policy = Machine::new().user(&text).load();
    assert_eq!(policy.troubles, Vec::<String>::new());
    let changed = changes(&Policy::default(), &policy, &KNOWN);
    assert!(changed.is_empty(), "{changed:?}");
    for key in KEYS {
        assert_eq!(
            policy.origin_of_key(key.name),
            Layer::User,
            "`{}` is not in the example",
            key.name
        );
    }
    for rule in &KNOWN {
        assert_eq!(
            policy.origin(rule.id),
            Layer::User,
            "`{}` is not in the example",
            rule.id
        );
    }
    let sections: String = text
        .lines()
        .skip_while(|l| *l != "# [[repo]]")
        .map(|l| l.trim_start_matches("# ").to_owned() + "\n")
        .collect();
    assert_eq!(
        Machine::new().user(&sections).load().troubles,
        Vec::<String>::new()
    );
}

#[test]
fn the_schema_is_the_table() {
    let text = policy::schema(&KNOWN);
    made("schema/leaseguard.schema.json", &text);
    let schema: serde_json::Value = serde_json::from_str(&text).unwrap();
    for root in ["/properties", "/properties/repo/items/properties"] {
        let at = |path: String| {
            schema
                .pointer(&format!("{root}/{path}"))
                .unwrap_or_else(|| panic!("{path}"))
                .clone()
        };
        for key in KEYS {
            let property = at(key.name.replace('.', "/properties/"));
            match key.kind {
                Kind::Choice { words, .. } => {
                    assert_eq!(property["enum"], serde_json::json!(words))
                }
                Kind::Globs(_) | Kind::Texts => {
                    assert_eq!(property["items"]["type"], "string");
                }
                Kind::Span { .. } | Kind::Text => assert_eq!(property["type"], "string"),
            }
        }
        for rule in &KNOWN {
            let law = at(format!("rules/properties/{}", rule.id.replace('/', "~1")));
            for word in law["enum"].as_array().unwrap() {
                let text = format!("rules.\"{}\" = {word}\n", rule.id);
                assert_eq!(
                    Machine::new().user(&text).load().troubles,
                    Vec::<String>::new(),
                    "{text}"
                );
            }
        }
    }
}

#[test]
fn the_reference_names_every_key_and_rule() {
    let text = policy::reference(&KNOWN);
    assert!(
        KEYS.iter()
            .all(|k| text.contains(&format!("| `{}` |", k.name)))
    );
    assert!(KNOWN.iter().all(|r| text.contains(r.id)));
    assert!(text.lines().all(|l| l.starts_with('|') && l.ends_with('|')));
}

#[test]
fn every_word_that_only_some_rules_have_belongs_to_a_rule() {
    for mild in MILD {
        assert!(KNOWN.iter().any(|r| r.id == mild.rule), "`{}`", mild.rule);
    }
}

// --- `rules set`

fn set(text: &str, id: &str, value: &str, repo: Option<&str>) -> String {
    set_rule(text, id, value, repo, &KNOWN).unwrap().text
}

#[test]
fn a_rule_is_set_where_it_stands_and_every_other_byte_is_kept() {
    let old = "\u{feff}# mine\r\nmode='observe'   # odd\r\n\r\n[rules] # here\r\n  'git/amend'  =  \"ask\"  # why\r\n\"git/discard\"=\"ask\"\r\n\r\n[git]\r\nforce_with_lease = \"deny\"";
    assert_eq!(
        set(old, "git/amend", "deny", None),
        old.replacen("\"ask\"  # why", "\"deny\"  # why", 1)
    );
    let new = set(old, "git/base-push", "ask", None);
    assert_eq!(
        new,
        old.replace(
            "=\"ask\"\r\n\r\n",
            "=\"ask\"\r\n\"git/base-push\" = \"ask\"\r\n\r\n"
        )
    );
}

#[test]
fn a_rule_is_added_in_the_form_that_the_file_has() {
    for (old, new) in [
        ("", "[rules]\n\"git/amend\" = \"ask\"\n"),
        (
            "mode = \"enforce\"",
            "mode = \"enforce\"\n\n[rules]\n\"git/amend\" = \"ask\"\n",
        ),
        (
            "[rules]\n[git]\n",
            "[rules]\n\"git/amend\" = \"ask\"\n[git]\n",
        ),
        ("rules = {}\n", "rules = { \"git/amend\" = \"ask\" }\n"),
        (
            "rules = { \"git/discard\" = \"ask\" } # x\n",
            "rules = { \"git/discard\" = \"ask\", \"git/amend\" = \"ask\" } # x\n",
        ),
        (
            "rules.\"git/discard\" = \"ask\"\nask = \"deny\"\n",
            "rules.\"git/discard\" = \"ask\"\nrules.\"git/amend\" = \"ask\"\nask = \"deny\"\n",
        ),
        (
            "[rules]\n\t\"git/discard\" = \"ask\"",
            "[rules]\n\t\"git/discard\" = \"ask\"\n\t\"git/amend\" = \"ask\"\n",
        ),
        (
            "[[repo]]\npath = \"/x\"\n",
            "[[repo]]\npath = \"/x\"\n\n[rules]\n\"git/amend\" = \"ask\"\n",
        ),
    ] {
        assert_eq!(set(old, "git/amend", "ask", None), new);
    }
}

#[test]
fn a_rule_is_set_for_one_repository_in_a_section_of_its_own() {
    let new = "[[repo]]\npath = \"/w/x\"\nrules.\"git/amend\" = \"ask\"\n";
    assert_eq!(set("", "git/amend", "ask", Some("/w/x")), new);
    let other = "[[repo]]\npath = \"/w/*\"\n[[repo]]\npath = \"/w/x\"\nremote = \"*\"\n";
    assert_eq!(
        set(other, "git/amend", "ask", Some("/w/x")),
        format!("{other}\n{new}")
    );
    assert_eq!(
        set(new, "git/amend", "deny", Some("/w/x")),
        new.replace("ask", "deny")
    );
    let table = "[[repo]]\npath = \"/w/x\" # it\nmode = \"enforce\"\n\n[repo.rules]\n\"git/discard\" = \"ask\"\n\n[[repo]]\npath = \"/w/y\"\n";
    assert_eq!(
        set(table, "git/amend", "ask", Some("/w/x")),
        table.replace("= \"ask\"\n", "= \"ask\"\n\"git/amend\" = \"ask\"\n")
    );
    assert_eq!(
        set(table, "git/amend", "ask", Some("/w/y")),
        format!("{table}rules.\"git/amend\" = \"ask\"\n")
    );
    let odd = set("", "git/amend", "ask", Some("/w/\"a\\b\u{e9}"));
    assert!(odd.contains(r#"path = "/w/\"a\\bé""#), "{odd}");
}

#[test]
fn setting_a_rule_tells_whether_it_loosens() {
    let loosens = |text: &str, id: &str, value: &str| {
        set_rule(text, id, value, None, &KNOWN).unwrap().loosens
    };
    assert!(loosens("", "git/amend", "ask"));
    assert!(loosens("", "git/amend", "unpushed"));
    assert!(!loosens("", "git/amend", "deny"));
    assert!(!loosens("", "git/push-unclear", "deny"));
    assert!(!loosens(
        "[rules]\n\"git/amend\" = \"allow\"\n",
        "git/amend",
        "ask"
    ));
    assert!(
        loosens(
            "[rules]\n\"git/amend\" = \"unpushed\"\n",
            "git/amend",
            "ask"
        ),
        "commits on a remote were denied"
    );
    assert!(!loosens("preset = \"team\"\n", "git/amend", "unpushed"));
    let here = "[rules]\n\"git/amend\" = \"ask\"\n";
    assert!(
        !set_rule(here, "git/amend", "ask", Some("/x"), &KNOWN)
            .unwrap()
            .loosens
    );
    assert!(
        set_rule(here, "git/amend", "off", Some("/x"), &KNOWN)
            .unwrap()
            .loosens
    );
}

#[test]
fn a_rule_is_not_set_where_that_is_not_sure() {
    let error = |text: &str, id: &str, value: &str, repo| {
        set_rule(text, id, value, repo, &KNOWN).unwrap_err()
    };
    assert_eq!(
        error("", "git/ammend", "ask", None).to_string(),
        "there is no rule `git/ammend`; the nearest is `git/amend`"
    );
    assert_eq!(
        error("", "git/discard", "never", None).to_string(),
        "the rule `git/discard` takes `off`, `allow`, `ask` or `deny`, not `never`"
    );
    assert!(matches!(
        error("mood = 1\n", "git/amend", "ask", None),
        CannotEdit::Broken(_)
    ));
    assert!(matches!(
        error("", "git/amend", "ask", Some("/x/*")),
        CannotEdit::Unknown(_)
    ));
    // A section in an inline array has no line to add.
    let inline = "repo = [{ path = \"/x\" }]\n";
    assert_eq!(
        error(inline, "git/amend", "ask", Some("/x")),
        CannotEdit::ByHand("[[repo]]; path = \"/x\"; rules.\"git/amend\" = \"ask\"".to_owned())
    );
}

#[test]
fn a_set_rule_is_what_is_read_back_for_any_policy() {
    let mut dice = Dice(5);
    for _ in 0..rounds() {
        let text = dice.keys()
            + &format!(
                "[[repo]]\npath = '/r'\n{}",
                dice.keys().replace("[rules]", "[repo.rules]")
            );
        let rule = KNOWN[dice.roll(KNOWN.len())];
        let word = WORDS[dice.roll(WORDS.len())].0;
        let repo = [None, Some("/r"), Some("/s")][dice.roll(3)];
        let edit =
            set_rule(&text, rule.id, word, repo, &KNOWN).unwrap_or_else(|e| panic!("{e}\n{text}"));
        let m = Machine::new().user(&edit.text);
        let repo = repo.map(PathBuf::from);
        let policy = m.with(|places| {
            Policy::load(&Places {
                repo_path: repo.as_deref(),
                ..*places
            })
        });
        assert_eq!(policy.troubles, Vec::<String>::new());
        assert_eq!(
            policy.wish(rule.id),
            leaseguard::policy::Wish::of_word(rule.id, word).unwrap()
        );
        // Taking the new bytes out again leaves the old text.
        assert!(edit.text.len() + 8 >= text.len());
    }
}

// --- CI

#[test]
fn a_project_adds_what_is_waited_for_and_names_no_program_until_it_is_trusted() {
    let text = "[ci]\nprovider = 'command'\ncommand = ['/srv/theirs']\nignore_checks = ['*']\n\
                github_hosts = ['b']\ngrace = '10s'\nquiet = '9m'\n\
                [[ci.review_bot]]\nname = 'theirs'\nlogins = ['x']\n\
                [[ci.review_bot]]\nname = 'bugbot'\nlogins = []\n";
    let m = Machine::new()
        .user("[ci]\ngithub_hosts = ['a']\n")
        .project(text);
    let policy = m.load();
    let ci = policy.ci();
    assert_eq!(policy.ci_provider(), policy::Provider::Auto);
    assert_eq!(ci.command, Vec::<String>::new());
    assert_eq!(ci.ignore, Vec::<String>::new());
    assert_eq!(ci.github_hosts, ["a", "b"]);
    assert_eq!((ci.grace, ci.quiet), (90, 540));
    let bots: Vec<&str> = ci.bots.iter().map(|b| b.name.as_str()).collect();
    assert_eq!(bots, ["theirs"]);
    let held = policy.held.join("\n");
    for part in [
        "`ci.provider = \"command\"`",
        "`ci.command = \"/srv/theirs\"`",
        "`ci.ignore_checks = \"*\"`",
        "`ci.grace = \"10s\"`",
        "another review bot `bugbot`",
    ] {
        assert!(held.contains(part), "{part}: {held}");
    }
    m.trust().unwrap();
    assert_eq!(m.load().ci().command, ["/srv/theirs"]);
    // Trusted once, it is asked also where the file is gone.
    fs::remove_file(&m.project).unwrap();
    let after = m.load();
    assert_eq!(after.ci_provider(), policy::Provider::Command);
    assert_eq!(after.ci().command, ["/srv/theirs"]);
    assert_eq!(after.ci().ignore, Vec::<String>::new());
}

#[test]
fn a_mistake_in_a_review_bot_is_told() {
    for (text, part) in [
        ("logins = ['x']\n", "has no `name`"),
        (
            "name = 'x'\nlogin = 'x'\n",
            "line 3: a review bot: there is no key `login`",
        ),
        (
            "name = 'x'\nsignals = ['smoke']\n",
            "`signals` takes `check`",
        ),
        ("name = 'x'\nmax_wait = '1d'\n", "`max_wait` takes a span"),
        ("name = 1\n", "`name` takes a string"),
    ] {
        let text = format!("[[ci.review_bot]]\n{text}");
        let troubles = Machine::new().user(&text).load().troubles.join("\n");
        assert!(troubles.contains(part), "{part}: {troubles}");
    }
    let troubles = Machine::new().user("ci.grace = '1d'\n").load().troubles;
    assert!(
        troubles[0].contains("`ci.grace` takes a span such as `90s`"),
        "{troubles:?}"
    );
}
