//! What the reader says of a git command, against what real git did with it.

#![allow(clippy::unwrap_used, reason = "a helper of tests may fail loudly")]

use leaseguard::action::git::pathspec::{Shape, shape};
use leaseguard::action::git::{AliasRun, read, split_alias};
use leaseguard::action::{Act, Action, Lookup, Place, Reach, Refs, Worktree};
use leaseguard::shell::{Assign, Command, Word};
use serde_json::Value;
use std::path::Path;
use std::rc::Rc;

/// `$ROOT` stands for the sandbox in which the vectors were made.
fn word(text: &str) -> Word {
    Word {
        text: text.replace("$ROOT", "/sandbox"),
        glob: text.contains(['*', '?', '[']),
        ..Word::default()
    }
}

/// Aliases that a vector's setup writes.
struct Aliases(Vec<(String, String)>);

impl Aliases {
    fn of(setup: &Value) -> Aliases {
        let lines = match setup {
            Value::Array(all) => all.iter().map(|l| text(l).to_owned()).collect(),
            other => vec![text(other).to_owned()],
        };
        let aliases = lines.iter().filter_map(|line| {
            let words = split_alias(line)?;
            match words.as_slice() {
                [git, config, key, value] if git == "git" && config == "config" => {
                    Some((key.strip_prefix("alias.")?.to_owned(), value.clone()))
                }
                _ => None,
            }
        });
        Aliases(aliases.collect())
    }
}

impl Lookup for Aliases {
    fn alias(&self, _: &Place, name: &str) -> Result<Option<String>, String> {
        let found = self.0.iter().find(|(n, _)| n == name);
        Ok(found.map(|(_, value)| value.clone()))
    }
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

fn vectors(lines: &str) -> Vec<Value> {
    lines
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

/// Reads an argument vector in which `NAME=value` words may stand in front.
fn acts(argv: &[String], env: &Value, aliases: &Aliases) -> Vec<Action> {
    let is_assign = |w: &&String| {
        w.split_once('=').is_some_and(|(n, _)| {
            !n.is_empty() && n.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
        })
    };
    let front = argv.iter().take_while(is_assign).count();
    let assign = |name: &str, value: &str| Assign {
        name: name.to_owned(),
        value: word(value),
    };
    let mut assigns: Vec<Assign> = env
        .as_object()
        .into_iter()
        .flatten()
        .map(|(name, value)| assign(name, text(value)))
        .collect();
    assigns.extend(argv[..front].iter().map(|w| {
        let (name, value) = w.split_once('=').unwrap();
        assign(name, value)
    }));
    let command = Command {
        words: argv[front..].iter().map(|a| word(a)).collect(),
        assigns,
        dirs: Rc::new(vec![Some("/sandbox/work".into())]),
        ..Command::default()
    };
    if command.words.first().is_none_or(|w| w.text != "git") {
        return Vec::new();
    }
    let reading = read(&command, Some(Path::new("/sandbox/work")), aliases);
    let mut actions = reading.actions;
    if let Some(AliasRun::Shell { text, .. }) = reading.alias
        && let Some(words) = split_alias(&text)
    {
        actions.extend(acts(&words, &Value::Null, aliases));
    }
    actions
}

fn argv(vector: &Value) -> Vec<String> {
    let words = vector["argv"].as_array().unwrap();
    words.iter().map(|a| text(a).to_owned()).collect()
}

/// The directories of the sandbox in which the vectors were made.
const DIRS: &[&str] = &[
    "src",
    "src/",
    "src/sub",
    "docs",
    "junk",
    "lnk",
    "inner",
    "/sandbox/work",
    "build",
];

fn is_broad_path(word: &Word) -> bool {
    match shape(&word.text, false) {
        Shape::Path(path) => DIRS.contains(&path),
        _ => true,
    }
}

fn stages_broadly(act: &Act) -> bool {
    match act {
        Act::Stage(s) => {
            let named = !s.paths.is_empty();
            (!named && (s.all.is_some() || s.update.is_some()))
                || s.from_file.is_some()
                || s.chosen.is_some()
                || s.sweeping.is_some()
                || s.paths.iter().any(is_broad_path)
        }
        Act::Commit(c) => {
            c.all.is_some()
                || c.from_file.is_some()
                || c.chosen.is_some()
                || c.paths.iter().any(is_broad_path)
        }
        _ => false,
    }
}

fn discards_broadly(act: &Act) -> bool {
    match act {
        Act::Discard(d) => match &d.reach {
            Reach::Paths(paths) => paths.iter().any(is_broad_path),
            _ => true,
        },
        Act::Switch(s) if s.maybe_path => s.to.as_ref().is_some_and(is_broad_path),
        _ => false,
    }
}

fn discards(act: &Act) -> bool {
    matches!(act, Act::Discard(_)) || matches!(act, Act::Switch(s) if s.maybe_path)
}

fn moves_refs(act: &Act) -> bool {
    match act {
        Act::Commit(c) => c.amend.is_some(),
        Act::Discard(d) => d.to.is_some() || d.how.text.starts_with("stash"),
        Act::Reset { rev } => rev.is_some(),
        Act::Switch(s) => s.force_create.is_some(),
        Act::Refs(Refs::Create { .. }) => false,
        Act::Worktree(Worktree::Add { force, .. }) => force.is_some(),
        Act::Refs(_) | Act::Integrate(_) | Act::Stash { .. } => true,
        _ => false,
    }
}

/// What an editor or a hook stages while git runs, or what git stages by reverting.
const STAGED_BY_OTHERS: &[&str] = &["ci-ed-add2", "ci-ed-seq", "ci-hook-add", "ds-rv-n", "ds-mv"];

#[test]
fn every_command_that_staged_broadly_reads_as_broad() {
    for v in vectors(include_str!("../fixtures/vectors/stage-vectors.jsonl")) {
        let (id, argv) = (text(&v["id"]), argv(&v));
        if argv[0] != "git" || STAGED_BY_OTHERS.contains(&id) {
            continue;
        }
        let class = text(&v["class"]);
        let actions = acts(&argv, &v["env"], &Aliases::of(&v["setup"]));
        if class.contains("broad-stage") && id != "add-env-wt" {
            let broad = actions.iter().any(|a| stages_broadly(&a.act));
            assert!(broad, "{id} {argv:?}: {actions:#?}");
        }
    }
}

#[test]
fn no_command_that_staged_named_files_reads_as_broad() {
    for v in vectors(include_str!("../fixtures/vectors/stage-vectors.jsonl")) {
        let (id, argv) = (text(&v["id"]), argv(&v));
        let class = text(&v["class"]);
        let named = ["named-stage", "commit-named", "commit-index", "amend"].contains(&class);
        // `[x].txt` is a pattern until one sees that a file is called so; `-p` chose nothing.
        let seen = ["add-lit-brk", "add-literal-brk", "ci-cluster-am-long"].contains(&id);
        if argv[0] != "git" || !named || seen {
            continue;
        }
        let actions = acts(&argv, &v["env"], &Aliases::of(&v["setup"]));
        let broad = actions.iter().find(|a| stages_broadly(&a.act));
        assert!(broad.is_none(), "{id} {argv:?}: {broad:#?}");
        let acts = actions
            .iter()
            .any(|a| matches!(a.act, Act::Stage(_) | Act::Commit(_) | Act::Reset { .. }));
        assert!(acts, "{id} {argv:?}");
    }
}

#[test]
fn every_command_that_lost_work_reads_as_a_discard_or_a_stash() {
    for v in vectors(include_str!("../fixtures/vectors/stage-vectors.jsonl")) {
        let (id, argv) = (text(&v["id"]), argv(&v));
        if argv[0] != "git" {
            continue;
        }
        let actions = acts(&argv, &v["env"], &Aliases::of(&v["setup"]));
        let has = |check: fn(&Act) -> bool| actions.iter().any(|a| check(&a.act));
        let stash = |act: &Act| matches!(act, Act::Stash { .. });
        // `clean -X` takes ignored files only; `rebase -x` leaves what it stashed behind.
        let apart = ["ds-cl-dX", "ds-rb-x"].contains(&id);
        match text(&v["class"]) {
            "destroy-broad" => assert!(has(discards_broadly), "{id} {argv:?}"),
            "destroy-named" => {
                assert!(has(discards), "{id} {argv:?}");
                assert!(!has(discards_broadly), "{id} {argv:?}");
            }
            class if class.starts_with("stash-away") && !apart => {
                assert!(has(stash), "{id} {argv:?}");
            }
            _ => {}
        }
    }
}

#[test]
fn every_command_that_moved_a_ref_or_head_reads_as_such() {
    for v in vectors(include_str!("../fixtures/vectors/stage-vectors.jsonl")) {
        let (id, argv) = (text(&v["id"]), argv(&v));
        if argv[0] != "git" {
            continue;
        }
        let actions = acts(&argv, &v["env"], &Aliases::of(&v["setup"]));
        let refs = v["refs"].as_array().unwrap();
        let hard = refs.iter().any(|r| {
            let kind = text(&r["kind"]);
            kind != "update" && kind != "create" && text(&r["ref"]) != "HEAD"
        });
        if hard {
            let moves = actions.iter().any(|a| moves_refs(&a.act));
            assert!(moves, "{id} {argv:?}: {actions:#?}");
        }
        let switched = !v["switched"].is_null() && id != "ds-rb-x";
        if switched {
            let switches = actions.iter().any(|a| {
                let stash = matches!(a.act, Act::Stash { verb: "branch", .. });
                let renames = matches!(a.act, Act::Refs(Refs::Rename { .. }));
                stash || renames || matches!(a.act, Act::Switch(_))
            });
            assert!(switches, "{id} {argv:?}: {actions:#?}");
        }
    }
}

#[test]
fn dry_runs_help_and_questions_read_as_nothing() {
    const NOTHING: &[&str] = &[
        "add-n",
        "add-nA",
        "add-refresh",
        "add-none",
        "add-none-v",
        "add-cluster-nv",
        "add-empty",
        "ci-dry",
        "ci-dry-long",
        "ci-short",
        "ci-porcelain",
        "ci-zam",
        "ci-h",
        "ds-rm-n",
        "ds-cl-n",
        "ds-cl-nf",
        "ds-st-create",
        "pl-ui-refresh",
        "pl-ui-assume",
        "ds-rs-none",
        "ds-re-hard-path",
        "ds-notes",
    ];
    let all = vectors(include_str!("../fixtures/vectors/stage-vectors.jsonl"));
    for id in NOTHING {
        let v = all.iter().find(|v| text(&v["id"]) == *id).unwrap();
        let actions = acts(&argv(v), &v["env"], &Aliases::of(&v["setup"]));
        assert!(actions.is_empty(), "{id}: {actions:#?}");
    }
}

/// Hooks that were skipped through files, which only the world can read, or because another
/// repository has none.
const SKIPPED_BY_FILES: &[&str] = &[
    "hp-global",
    "hp-system",
    "hp-xdg",
    "hp-home",
    "hp-config-edit",
    "hp-write",
    "hp-include",
    "hp-rm",
    "hp-chmod",
    "hp-mv",
    "hp-commondir",
    "hp-clone-push",
    "hp-gitdir-copy",
    "hp-env-gitdir",
    "hp-common-env",
    "hp-sepgitdir",
];

#[test]
fn hooks_read_as_skipped_just_where_git_skipped_them() {
    let gates = [
        ("commit", "pre-commit"),
        ("push", "pre-push"),
        ("merge", "commit-msg"),
        ("pull", "commit-msg"),
        ("rebase", "pre-rebase"),
        ("am", "applypatch-msg"),
    ];
    let mut seen = 0;
    for v in vectors(include_str!("../fixtures/vectors/bypass-vectors.jsonl")) {
        let (id, cmd) = (text(&v["id"]), text(&v["cmd"]));
        let plain = !cmd.contains(['|', '<', '>', '`', '"']) && !cmd.contains("$(");
        if !plain || SKIPPED_BY_FILES.contains(&id) || v["rc"] != 0 {
            continue;
        }
        let parts = cmd.split("&&").flat_map(|c| c.split(';'));
        let mut actions = Vec::new();
        let mut gate = None;
        let aliases = Aliases::of(&v["setup"]);
        for part in parts {
            let words = split_alias(part).unwrap();
            actions.extend(acts(&words, &v["env"], &aliases));
            gate = gates
                .iter()
                .find(|(verb, _)| words.iter().any(|w| w == verb))
                .or(gate);
        }
        let Some((_, hook)) = gate.filter(|_| id != "merge-ff") else {
            continue;
        };
        seen += 1;
        let ran = v["hooks_run"]
            .as_array()
            .unwrap()
            .iter()
            .any(|h| text(h) == *hook);
        let skip = actions.iter().find(|a| matches!(a.act, Act::SkipHooks(_)));
        // `send-pack` and friends have no hook to skip; a merge strategy of one's own runs none.
        assert_eq!(skip.is_some(), !ran, "{id} `{cmd}`: {actions:#?}");
    }
    assert!(seen > 50, "only {seen}");
}

#[test]
fn every_forced_deleted_or_dry_push_reads_as_such() {
    for v in vectors(include_str!("../fixtures/vectors/push-options.jsonl")) {
        let (id, argv) = (text(&v["id"]), argv(&v));
        let actions = acts(&argv, &v["env"], &Aliases(Vec::new()));
        let kinds: Vec<&str> = v["kinds"].as_array().unwrap().iter().map(text).collect();
        let push = actions.iter().find_map(|a| match &a.act {
            Act::Push(push) => Some((push, &a.place)),
            _ => None,
        });
        let Some((push, place)) = push else {
            let local = v["local"] == true;
            let moves = actions
                .iter()
                .any(|a| matches!(a.act, Act::Refs(_) | Act::Integrate(_)));
            let refused = v["rc"] == 129;
            // Prefetching writes refs that nobody works on.
            let aside = id == "pl-maintenance";
            assert!(
                kinds.is_empty() || (local && moves) || aside,
                "{id} {argv:?}: {actions:#?}"
            );
            assert!(refused || argv[1] != "push", "{id} {argv:?}");
            continue;
        };
        let plus = push.refspecs.iter().any(|r| r.text.starts_with('+'));
        let forced = push.force.is_some() || push.lease.is_some() || plus;
        let configured = !place.config.is_empty();
        if kinds.contains(&"forced") {
            assert!(forced || configured, "{id} {argv:?}: {push:#?}");
        }
        if kinds.contains(&"delete") {
            let named = push
                .refspecs
                .iter()
                .any(|r| r.text.trim_start_matches('+').starts_with(':'));
            let deletes = push.delete.is_some() || push.mirror.is_some() || push.prune.is_some();
            assert!(deletes || named || configured, "{id} {argv:?}: {push:#?}");
        }
        if !kinds.is_empty() {
            assert!(!push.dry_run, "{id} {argv:?}");
        }
        if id.starts_with("fo-") && v["rc"] == 1 && push.lease.is_none() {
            assert!(!forced, "{id} {argv:?}: {push:#?}");
        }
    }
}
