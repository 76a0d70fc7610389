//! What real git did when hooks were skipped, programs slipped in and files swept up, against the guard's word.
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
use leaseguard::world::Surroundings;
use serde::Deserialize;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Mutex;
use support::{brief, told};

// --- the repositories in which the vectors were made ------------------------------------------------

const HOME: &str = "[user]\n\tname=t\n\temail=t@t\n[init]\n\tdefaultBranch=main\n[advice]\n\
                    \tdetachedHead=false\n[protocol \"file\"]\n\tallow=always\n";

/// Every hook writes its name, two programs tell that they ran, and something is staged.
const BYPASS: &str = r#"set -e
git init -q --bare origin.git; git init -q work; cd work; git remote add origin $ROOT/origin.git
echo 1 >a; echo 1 >b; git add a b; git commit -qm c1; git push -q -u origin main
git checkout -q -b side; echo s >s; git add s; git commit -qm s
git checkout -q main; echo 2 >>b; git commit -qam c2
for h in pre-commit prepare-commit-msg commit-msg post-commit pre-push pre-rebase post-checkout \
    post-merge post-rewrite pre-merge-commit applypatch-msg pre-applypatch post-applypatch; do
    printf '#!/bin/sh\necho %s >>"$HLOG"\nexit 0\n' $h >.git/hooks/$h; chmod +x .git/hooks/$h
done
printf '#!/bin/sh\necho pwn >>"$PWN"\nexit 0\n' >$ROOT/bin/pwn; chmod +x $ROOT/bin/pwn
mkdir $ROOT/evil
for h in pre-commit pre-push commit-msg; do
    printf '#!/bin/sh\necho pwn >>"$PWN"\n' >$ROOT/evil/$h; chmod +x $ROOT/evil/$h
done
echo x >>a; git add a
"#;

/// Every kind of change at once: edited, staged, deleted, untracked and ignored files.
const STAGE: &str = r#"set -e
git init -q work; cd work
mkdir -p src/sub docs
for f in a.txt b.txt staged.txt src/a.rs src/b.rs src/sub/c.rs docs/d.md README.md "sp ace.txt" '[x].txt' x.txt; do
    echo "v1 $f" >"$f"
done
echo 'build/' >.gitignore; echo '*.rs rust' >.gitattributes
git add -A; git commit -qm c1
git branch other; git checkout -q other; echo o >other.txt; git add other.txt
echo "v-other" >a.txt; git add a.txt; git commit -qm other1; git checkout -q main
git branch unmerged; git checkout -q unmerged; echo u >u.txt; git add u.txt; git commit -qm unm
git checkout -q main; echo v2 >>README.md; git add README.md; git commit -qm c2; git tag t1
for f in a.txt b.txt src/a.rs src/b.rs src/sub/c.rs "sp ace.txt" '[x].txt' x.txt; do echo dirty >>"$f"; done
echo staged >>staged.txt; git add staged.txt; echo after-stage >>staged.txt
rm docs/d.md
echo n >new.txt; echo n >src/new.rs; mkdir -p junk build; echo j >junk/x; echo o >build/out.o
"#;

/// A template and its copies, one for every set-up.
struct Yard {
    _dir: tempfile::TempDir,
    base: PathBuf,
}

impl Yard {
    fn new(script: &str) -> Yard {
        let dir = tempfile::tempdir().unwrap();
        // git resolves links in its own paths, so ours has none.
        let base = dir.path().canonicalize().unwrap();
        let made = base.join("template");
        for sub in ["home", "bin"] {
            std::fs::create_dir_all(made.join(sub)).unwrap();
        }
        for sub in ["empty/hooks", "empty/info"] {
            std::fs::create_dir_all(base.join(sub)).unwrap();
        }
        std::fs::write(made.join("home/.gitconfig"), HOME).unwrap();
        let yard = Yard { _dir: dir, base };
        yard.bash(script, &made, &made);
        yard
    }

    /// A copy in which `setup` has run.
    fn copy(&self, number: usize, setup: &[String]) -> PathBuf {
        let root = self.base.join(format!("c{number}"));
        let copied = Command::new("cp")
            .arg("-a")
            .arg(self.base.join("template"))
            .arg(&root)
            .status();
        assert!(copied.unwrap().success());
        let work = root.join("work");
        // The copy knows its own origin.
        let config = work.join(".git/config");
        let text = std::fs::read_to_string(&config).unwrap();
        let template = self.base.join("template");
        let here = text.replace(&*template.to_string_lossy(), &root.to_string_lossy());
        std::fs::write(&config, here).unwrap();
        for line in setup.iter().filter(|l| !l.is_empty()) {
            self.bash(
                &line.replace("$ROOT", &root.to_string_lossy()),
                &root,
                &work,
            );
        }
        root
    }

    fn bash(&self, script: &str, root: &Path, cwd: &Path) {
        let path = std::env::var("PATH").unwrap_or_default();
        let out = Command::new("bash")
            .args(["-c", script])
            .current_dir(cwd)
            .env_clear()
            .env("PATH", format!("{}:{path}", root.join("bin").display()))
            .env("HOME", root.join("home"))
            .env("ROOT", root)
            .env("HLOG", root.join("hlog"))
            .env("PWN", root.join("pwned"))
            .env("LC_ALL", "C")
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .env("GIT_TEMPLATE_DIR", self.base.join("empty"))
            .env("GIT_EDITOR", "true")
            .env("GIT_SEQUENCE_EDITOR", "true")
            .env("GIT_AUTHOR_DATE", "2026-01-01T00:00:00Z")
            .env("GIT_COMMITTER_DATE", "2026-01-01T00:00:00Z")
            .stdin(Stdio::null())
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&out.stderr);
        assert!(out.status.success(), "set-up failed: {script}: {said}");
    }
}

// --- the vectors ------------------------------------------------------------------------------------

/// What the guard has to say.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Need {
    /// Deny or ask.
    Stop,
    /// Allow.
    Pass,
    /// git refused it, or it did what one may stop or not.
    Either,
}

struct Vector {
    id: String,
    setup: Vec<String>,
    cwd: String,
    /// The text that an agent would send, `$ROOT` not filled in.
    command: String,
    need: Need,
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

fn list(value: &Value) -> Vec<String> {
    let all = value.as_array().into_iter().flatten();
    all.map(|v| text(v).to_owned()).collect()
}

fn quoted(word: &str) -> String {
    format!("'{}'", word.replace('\'', r"'\''"))
}

/// The environment of the vector as the agent would set it: within the call.
fn exports(env: &Value) -> String {
    let pairs = env.as_object().into_iter().flatten();
    pairs
        .map(|(name, value)| format!("export {name}={}; ", quoted(text(value))))
        .collect()
}

fn lines(file: &str) -> Vec<Value> {
    let path = support::root().join("fixtures/vectors").join(file);
    let text = std::fs::read_to_string(path).expect(file);
    text.lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

/// Hooks that can stop what they are asked about.
const GATES: &[&str] = &[
    "pre-commit",
    "pre-merge-commit",
    "pre-rebase",
    "applypatch-msg",
];

/// Verbs that make commits and never ask a gate.
const UNGATED: &[&str] = &["cherry-pick", "revert", "checkout", "merge-ff"];

fn bypasses() -> Vec<Vector> {
    let each = lines("bypass-vectors.jsonl").into_iter().map(|v| {
        let id = text(&v["id"]);
        let (hooks, moved, remote) = (
            list(&v["hooks_run"]),
            list(&v["local_refs"]),
            list(&v["remote_refs"]),
        );
        let ran = |gates: &[&str]| hooks.iter().any(|h| gates.contains(&h.as_str()));
        let gateless = moved.iter().any(|r| r == "HEAD") && !ran(GATES) && !UNGATED.contains(&id);
        // The only branch that the vectors push is `main`, so every push is one to stop.
        let stop = v["ran_other_program"] == true
            || gateless
            || !remote.is_empty()
            || text(&v["cmd"]).contains("--amend");
        Vector {
            id: id.to_owned(),
            setup: vec![text(&v["setup"]).to_owned()],
            cwd: "work".to_owned(),
            command: exports(&v["env"]) + text(&v["cmd"]),
            need: match () {
                () if stop => Need::Stop,
                () if v["rc"] != 0 => Need::Either,
                () => Need::Pass,
            },
        }
    });
    each.collect()
}

fn stagings() -> Vec<Vector> {
    let each = lines("stage-vectors.jsonl").into_iter().map(|v| {
        let argv: Vec<String> = list(&v["argv"]).iter().map(|w| quoted(w)).collect();
        let input = v["stdin"].as_str();
        let fed = match input {
            Some(input) => format!(" <<< {}", quoted(input.trim_end_matches('\n'))),
            None => String::new(),
        };
        let class = text(&v["class"]);
        let has = |part: &str| class.contains(part);
        let stop = has("broad-stage") || has("amend") || has("destroy") || has("ref-rewrite");
        let either = v["rc"] != 0 || has("stash-away") || input.is_some_and(|i| i.contains('\0'));
        Vector {
            id: text(&v["id"]).to_owned(),
            setup: list(&v["setup"]),
            cwd: text(&v["cwd"]).to_owned(),
            command: exports(&v["env"]) + &argv.join(" ") + &fed,
            need: match () {
                () if stop => Need::Stop,
                () if either => Need::Either,
                () => Need::Pass,
            },
        }
    });
    each.collect()
}

fn judge(vector: &Vector, root: &Path) -> Verdict {
    let cwd = Some(root.join(&vector.cwd));
    let call = Call {
        session: Some("vector".to_owned()),
        agent: None,
        cwd: cwd.clone(),
        unseen_typing: false,
        what: What::Shell {
            dialect: Dialect::Bash,
            text: vector.command.replace("$ROOT", &root.to_string_lossy()),
        },
    };
    let around = Surroundings {
        cwd,
        home: Some(root.join("home")),
        ..Surroundings::default()
    };
    leaseguard::guard::judge(&call, around, &Policy::default())
}

// --- what is known to be answered otherwise ---------------------------------------------------------

/// `fixtures/security/pending.toml`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Known {
    /// Answered wrongly until something comes.
    #[serde(default)]
    pending: Vec<Pending>,
    /// Both answers are right.
    #[serde(default)]
    either: Vec<Either>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Pending {
    /// `bypass` or `stage`.
    set: String,
    /// The rule or the issue that brings the right answer.
    waits: String,
    reason: String,
    ids: Vec<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Either {
    set: String,
    reason: String,
    ids: Vec<String>,
}

fn known() -> Known {
    let path = support::root().join("fixtures/security/pending.toml");
    let text = std::fs::read_to_string(path).expect("fixtures/security/pending.toml");
    toml::from_str(&text).unwrap_or_else(|e| panic!("pending.toml: {e}"))
}

/// Judges all vectors of a set, each in its own repository, and compares with the list.
fn check(set: &str, script: &str, mut all: Vec<Vector>) {
    let known = known();
    let mut report = support::Report::default();
    let ids: BTreeSet<String> = all.iter().map(|v| v.id.clone()).collect();
    for entry in known.either.iter().filter(|e| e.set == set) {
        assert!(!entry.reason.is_empty(), "an entry without a reason");
        for id in &entry.ids {
            match all.iter_mut().find(|v| v.id == *id) {
                Some(vector) => vector.need = Need::Either,
                None => report.fail("list", format!("{id} is no vector")),
            }
        }
    }
    let mut pending: BTreeMap<&str, &str> = BTreeMap::new();
    for entry in known.pending.iter().filter(|p| p.set == set) {
        assert!(!entry.reason.is_empty(), "an entry without a reason");
        for id in &entry.ids {
            let twice = pending.insert(id, &entry.waits).is_some();
            if twice || !ids.contains(id) {
                report.fail("list", format!("{id} is listed twice or is no vector"));
            }
        }
    }

    let yard = Yard::new(script);
    let mut groups: BTreeMap<&[String], Vec<&Vector>> = BTreeMap::new();
    for vector in &all {
        groups.entry(&vector.setup).or_default().push(vector);
    }
    let groups: Vec<_> = groups.into_iter().enumerate().collect();
    let judged = support::spread(&groups, |(number, (setup, group))| {
        let root = yard.copy(*number, setup);
        let each = group.iter().map(|v| (*v, judge(v, &root)));
        let judged: Vec<(&Vector, Verdict)> = each.collect();
        std::fs::remove_dir_all(&root).unwrap();
        judged
    });
    let mut passing = Vec::new();
    for (vector, verdict) in judged.into_iter().flatten() {
        let right = verdict.fault.is_none()
            && match vector.need {
                Need::Stop => verdict.decision() != Decision::Allow,
                Need::Pass => verdict.decision() == Decision::Allow,
                Need::Either => true,
            };
        let waits = pending.get(vector.id.as_str());
        let group = match (waits, vector.need) {
            (Some(_), _) => "listed as pending, but right: UPDATE=1 strikes it",
            (None, Need::Stop) => "let go",
            (None, _) => "stopped though harmless",
        };
        if right && waits.is_some() {
            passing.push(vector.id.as_str());
        }
        report.check(right != waits.is_some(), group, || {
            let (id, command) = (&vector.id, brief(&vector.command));
            format!("{id}: {}: {command}", told(&verdict))
        });
    }
    assert!(report.checked() > 180, "only {} vectors", report.checked());
    if support::update() {
        strike(&passing);
        return;
    }
    report.end(set);
}

/// Takes vectors that pass off the list; both sets share the file.
fn strike(passing: &[&str]) {
    static FILE: Mutex<()> = Mutex::new(());
    let _held = FILE.lock().unwrap();
    let path = support::root().join("fixtures/security/pending.toml");
    let text = std::fs::read_to_string(&path).unwrap();
    let listed = |line: &&str| {
        let id = line.trim().trim_end_matches(',').trim_matches('"');
        line.starts_with("  ") && passing.contains(&id)
    };
    let kept: String = text
        .lines()
        .filter(|l| !listed(l))
        .map(|l| format!("{l}\n"))
        .collect();
    std::fs::write(&path, kept).unwrap();
}

#[test]
fn what_skips_a_hook_or_runs_a_foreign_program_is_stopped_and_the_rest_is_not() {
    check("bypass", BYPASS, bypasses());
}

#[test]
fn what_takes_or_destroys_more_than_it_names_is_stopped_and_the_rest_is_not() {
    check("stage", STAGE, stagings());
}
