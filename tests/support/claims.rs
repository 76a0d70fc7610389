//! The claims of a case: written as records, and read by a session on a machine that says what it is told.

use super::lease::{Stage, session};
use super::repo::{Repo, put};
use super::setup::Setup;
use leaseguard::lease::asker::{Asker, HostProcess};
use leaseguard::lease::law::{Act, Wanted};
use leaseguard::lease::registry::Registry;
use leaseguard::lease::spot::Spot;
use leaseguard::lease::store::dir::Dir;
use leaseguard::lease::store::mode::{Strictness, write as set_mode};
use leaseguard::lease::terms::Terms;
use leaseguard::lease::watch::Watch;
use leaseguard::lease::words::{Kind, Mode, Role};
use leaseguard::state::State;
use leaseguard::state::time::Moment;
use serde::Deserialize;
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::time::Duration;

/// One claim of a case.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Lease {
    /// `registry`, or `status.json` for a plan's, which is another store.
    pub(crate) form: Option<String>,
    /// `main`, a worktree's name, or a path from `main`.
    pub(crate) path: String,
    /// `me`, `other`.
    pub(crate) holder: String,
    /// `live`, `dead`, a number.
    pub(crate) pid: Value,
    /// `match`, `differs`.
    pub(crate) pid_start: Option<String>,
    /// `h1` or `here` is the session's own.
    pub(crate) host: Option<String>,
    /// Seconds from now.
    pub(crate) expires: Value,
    /// Seconds from now.
    pub(crate) heartbeat: Value,
    /// `active`, `retired`, ….
    pub(crate) state: Option<String>,
    /// `implementer`, `reviewer-readonly`, ….
    pub(crate) role: Option<String>,
    /// Where the holder may write.
    pub(crate) paths: Vec<String>,
    /// The ticket.
    pub(crate) ticket: Option<String>,
    /// The branch, where it is not the one that is checked out.
    pub(crate) branch: Option<String>,
    /// Of a plan: `integration_merge_lease`, else the execution lease of a row.
    pub(crate) kind: Option<String>,
    /// Of a plan: the row's `status`.
    pub(crate) plan_status: Option<String>,
    /// Of a plan: what stands there instead of a lease, `null` too.
    #[serde(deserialize_with = "there")]
    pub(crate) execution_lease: Option<Value>,
    /// Of a plan: a lease's field.
    pub(crate) claimed_at: Option<String>,
    /// Of a plan: a lease's field.
    pub(crate) worktree_path: Option<String>,
    /// Of a plan: a lease's field.
    pub(crate) working_branch: Option<String>,
    /// Of a plan: a lease's field, of a draft.
    pub(crate) expires_at: Option<String>,
    /// Of a plan: a lease's field.
    pub(crate) session_label: Option<String>,
    /// Of a plan: the row's `id`, or a lease's field.
    pub(crate) plan_id: Option<String>,
    /// Of a plan: a lease's field.
    pub(crate) source_branch: Option<String>,
    /// Of a plan: a lease's field.
    pub(crate) target_branch: Option<String>,
}

impl Lease {
    /// Whether it stands in a plan.
    pub(crate) fn planned(&self) -> bool {
        self.form.as_deref() == Some("status.json")
    }
}

fn there<'de, D: serde::Deserializer<'de>>(d: D) -> Result<Option<Value>, D::Error> {
    Value::deserialize(d).map(Some)
}

/// The moment of all cases.
fn now() -> Moment {
    Moment::parse("2026-01-10T12:00:00Z").expect("a moment")
}

const ME: u32 = 4299;
const OTHER: u32 = 5000;
const DEAD: u32 = 5999;

fn asker(name: &str, pid: u32) -> Asker {
    Asker {
        process: Some(HostProcess {
            pid,
            start: u64::from(pid) * 10,
            host: "Claude Code".to_owned(),
            one_session: true,
        }),
        ..session(name, pid)
    }
}

fn machine() -> Stage {
    let stage = Stage::default();
    stage.start(ME, u64::from(ME) * 10);
    stage.start(OTHER, u64::from(OTHER) * 10);
    stage
}

fn state(root: &Path) -> State {
    State::at(root.join("home/.local/state/leaseguard"))
}

fn store(state: &State) -> Dir {
    Dir::new(state.dir(), &super::lease::here().boot)
}

/// What the session `fixture` sees of the claims of `repo`.
pub(crate) fn watch(repo: &Repo) -> Option<Rc<Watch>> {
    watch_later(repo, 0)
}

/// What it sees so many seconds later.
pub(crate) fn watch_later(repo: &Repo, seconds: i64) -> Option<Rc<Watch>> {
    let me = asker("fixture", ME);
    let (state, machine) = (state(&repo.root), Box::new(machine()));
    let watch = Watch::given(state, me, machine, after(seconds));
    Some(Rc::new(watch))
}

/// Writes the claims of `setup` on checkouts that are there by now; tells which.
pub(crate) fn write_first(setup: &Setup, root: &Path) -> Vec<usize> {
    let mut written = Vec::new();
    for (n, lease) in setup.lease.iter().enumerate() {
        if !lease.planned() && place(&lease.path, root).is_dir() {
            one(lease, n, root);
            written.push(n);
        }
    }
    written
}

fn one(lease: &Lease, n: usize, root: &Path) {
    if lease.state.as_deref() != Some("retired") {
        claim(lease, n, &place(&lease.path, root), root);
    }
}

/// Writes those that are not among `written`, and what else `setup` says of records.
pub(crate) fn write_rest(setup: &Setup, root: &Path, written: &[usize]) {
    let top = root.join("repo");
    for (n, lease) in setup.lease.iter().enumerate() {
        if !lease.planned() && !written.contains(&n) {
            one(lease, n, root);
        }
    }
    if setup.strict {
        let spot = spot(&top);
        set_mode(&state(root), &spot.repo, Strictness::Strict, now()).expect("the mode");
    }
    let Some(kind) = &setup.registry_file else {
        return;
    };
    let spot = spot(&top);
    let claims = state(root).dir().join("v1").join(&spot.repo).join("claims");
    let own = claims.join(format!("{}.json", spot.checkout));
    match kind.as_str() {
        "empty" => put(&own, ""),
        "truncated" => put(&own, "{\"schema\":1,\"claimId\":\"C"),
        "newer-version" => put(&own, "{\"schema\":99,\"claimId\":[]}"),
        "one-bad-record-elsewhere" => put(&claims.join("0123.json"), "{"),
        "absent" | "valid" => {}
        other => panic!("registry_file = {other}"),
    }
}

fn place(path: &str, root: &Path) -> PathBuf {
    match path {
        "main" => root.join("repo"),
        path => match path.strip_prefix("main/") {
            Some(below) => root.join("repo").join(below),
            None => root.join(path.trim_start_matches("../")),
        },
    }
}

/// Git's answer in a checkout, as a path.
fn git_path(dir: &Path, what: &str) -> PathBuf {
    let home = dir.parent().expect("a parent").join("home");
    let text = super::git::git(dir, &home, &["rev-parse", "--path-format=absolute", what]);
    PathBuf::from(text.trim())
}

fn spot(top: &Path) -> Spot {
    let (git_dir, common) = (
        git_path(top, "--git-dir"),
        git_path(top, "--git-common-dir"),
    );
    Spot::of(top, &git_dir, &common).expect("a checkout")
}

fn seconds(value: &Value, default: i64) -> i64 {
    match value {
        Value::Number(n) => n.as_i64().expect("seconds"),
        Value::String(text) => text.trim_start_matches('+').parse().expect("seconds"),
        _ => default,
    }
}

fn after(seconds: i64) -> Moment {
    Moment(now().0 + seconds * 1000)
}

fn claim(lease: &Lease, n: usize, top: &Path, root: &Path) {
    let spot = spot(top);
    let state = state(root);
    let pid = match (lease.holder.as_str(), &lease.pid) {
        ("me", _) => ME,
        (_, Value::Number(n)) => n
            .as_u64()
            .and_then(|n| u32::try_from(n).ok())
            .expect("a pid"),
        (_, Value::String(word)) if word == "dead" => DEAD,
        _ => OTHER,
    };
    let name = match lease.holder.as_str() {
        "me" => "fixture".to_owned(),
        other => format!("{other}-{n}"),
    };
    let mut who = asker(&name, pid);
    if let Some(process) = &mut who.process {
        // One process may hold several checkouts of a case.
        process.one_session = false;
        if lease.pid_start.as_deref() == Some("differs") {
            process.start += 5;
        }
    }
    if !matches!(lease.host.as_deref(), None | Some("h1" | "here")) {
        who.here.install = "another".to_owned();
    }
    let head = super::git::closed("git", top, &root.join("home"))
        .args(["symbolic-ref", "-q", "--short", "HEAD"])
        .output();
    let head = head.map(|o| String::from_utf8_lossy(&o.stdout).trim().to_owned());
    let branch = lease.branch.clone().or(head.ok()).filter(|b| !b.is_empty());
    let expires = seconds(&lease.expires, 600);
    let heartbeat = seconds(&lease.heartbeat, -30).min(expires);
    let wanted = Wanted {
        kind: Kind::Session,
        repo: spot.repo_record(None),
        checkout: spot.checkout_record(),
        branch,
        base_sha: None,
        ticket: lease.ticket.clone(),
        lane: None,
        plan_id: None,
        harness: Some("claude".to_owned()),
        model: None,
        role: lease.role.as_deref().map_or(Role::Implementer, Role::of),
        mode: Mode::Ttl,
        ttl: Some(Duration::from_secs(300)),
        allowed_paths: lease.paths.clone(),
        holder: None,
        label: None,
    };
    let (store, stage) = (store(&state), machine());
    let registry = Registry {
        store: &store,
        witness: &stage,
        terms: Terms::default(),
        looks: None,
    };
    let key = (spot.repo.as_str(), spot.checkout.as_str());
    let act = Act::Claim(Box::new(wanted));
    let wait = Duration::from_secs(20);
    let begun = after(heartbeat - 60);
    registry
        .run(key, &who, act, None, (wait, begun))
        .unwrap_or_else(|e| panic!("{}: {e}", top.display()));
    let folder = state.dir().join("v1").join(&spot.repo);
    let path = folder
        .join("claims")
        .join(format!("{}.json", spot.checkout));
    let text = std::fs::read_to_string(&path).expect("the record");
    let mut record: Value = serde_json::from_str(&text).expect("JSON");
    let time = &mut record["lease"];
    time["lastHeartbeatUtc"] = after(heartbeat).to_string().into();
    time["expiresUtc"] = after(expires).to_string().into();
    time["ttlSecs"] = (expires - heartbeat).clamp(1, 7 * 86_400).into();
    record["owner"]["oneSession"] = true.into();
    if let Some(state) = &lease.state {
        record["state"] = state.as_str().into();
    }
    put(&path, &record.to_string());
    std::fs::remove_dir_all(folder.join("beats")).expect("no beats");
}
