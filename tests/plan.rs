//! The leases of a plan's `status.json`: read whole or not at all, and never freed by time, label, status or damage.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    clippy::string_slice,
    clippy::indexing_slicing
)]

mod support;

use leaseguard::plan::file::{Plan, read};
use leaseguard::plan::law::{Asker, Right, Spot, Stand, execution, merge};
use leaseguard::plan::status::{Flaw, Slot, Status};
use leaseguard::policy::{Layer, Places, Policy};
use leaseguard::rules::KNOWN;
use leaseguard::verdict::{Decision, Verdict};
use leaseguard::world::Surroundings;
use serde_json::{Value, json};
use std::fs;
use std::path::Path;
use support::setup::Setup;
use support::{Stage, long};

const ME: Asker<'static> = Asker {
    session: Some("me"),
};
const HERE: &str = "/here";

/// Checkouts called `/here…` are one, and those below `/far` are another repository's.
fn spot() -> Spot<'static> {
    Spot {
        here: &|path| path.starts_with(HERE),
        beside: &|path| !path.starts_with("/far"),
    }
}

fn of(value: &Value) -> Status {
    Status::parse(value.to_string().as_bytes()).unwrap()
}

fn stand(value: &Value) -> Stand {
    execution(&of(value), ME, spot())
}

fn lease(holder: &str, path: &str) -> Value {
    json!({
        "holder": holder, "claimed_at": "2026-01-10T11:00:00Z",
        "worktree_path": path, "working_branch": "feat/x",
    })
}

fn row(id: &str, lease: &Value) -> Value {
    json!({ "id": id, "status": "InProgress", "execution_lease": lease })
}

fn plans(rows: &[Value]) -> Value {
    json!({ "plans": rows })
}

// --- reading ---------------------------------------------------------------------------------------

#[test]
fn a_lease_is_read_with_the_fields_that_it_has() {
    let status = of(&json!({
        "version": 7,
        "plans": [{ "plan_id": "p1", "status": "InReview", "title": "x", "execution_lease": lease("cursor:a", HERE) }],
        "metadata": { "control_worktree_path": "/main", "integration_merge_lease": {
            "holder": "cursor:a", "claimed_at": "t", "plan_id": "p1", "source_branch": "s", "target_branch": "i", "more": 1,
        }},
    }));
    assert_eq!(status.plans[0].name.as_deref(), Some("p1"));
    assert_eq!(status.control.as_deref(), Some("/main"));
    let Slot::There(execution) = &status.plans[0].lease else {
        panic!("{status:?}");
    };
    assert_eq!(execution.working_branch.text(), Some("feat/x"));
    let Slot::There(merge) = &status.merge else {
        panic!("{status:?}");
    };
    assert_eq!(merge.flaws(), []);
    assert_eq!(merge.target_branch.text(), Some("i"));
}

#[test]
fn what_is_not_of_the_right_form_is_named() {
    let flaws = |row: Value| of(&plans(&[row])).plans[0].flaws(Some("/control"));
    assert_eq!(flaws(row("p", &Value::Null)), [Flaw::Form("`null`")]);
    assert_eq!(flaws(row("p", &json!("x"))), [Flaw::Form("a text")]);
    assert!(flaws(row("p", &json!({ "released": true }))).contains(&Flaw::Tombstone));
    assert_eq!(flaws(row("p", &lease("a", "here"))), [Flaw::Relative]);
    assert_eq!(flaws(row("p", &lease("a", "/control/"))), [Flaw::Control]);
    assert_eq!(
        flaws(row("p", &lease(" ", HERE))),
        [Flaw::Field("holder", Some("an empty text"))]
    );
    assert_eq!(
        flaws(json!({ "id": "p", "status": "InProgress" })),
        [Flaw::Orphan("InProgress".to_owned())]
    );
    assert_eq!(flaws(json!({ "id": "p" })), [Flaw::Status]);
    assert_eq!(flaws(json!({ "status": "Todo" })), [Flaw::Unnamed]);
    assert_eq!(flaws(json!({ "id": "p", "status": "Blocked" })), []);
    let mut none = lease("a", HERE);
    none.as_object_mut().unwrap().remove("working_branch");
    assert_eq!(
        flaws(row("p", &none)),
        [Flaw::Field("working_branch", None)]
    );
}

#[test]
fn two_rows_of_one_name_know_of_each_other() {
    let rows = [
        json!({ "id": "p1", "status": "Todo" }),
        json!({ "id": "p2", "status": "Todo" }),
        json!({ "plan_id": "p1", "status": "Todo" }),
    ];
    let twins: Vec<bool> = of(&plans(&rows)).plans.iter().map(|row| row.twin).collect();
    assert_eq!(twins, [true, false, true]);
}

#[test]
fn a_text_that_readers_may_take_differently_is_not_read() {
    for text in [
        "[]",
        "null",
        r#"{"plans": {}}"#,
        r#"{"plans": null}"#,
        r#"{"plans": [1]}"#,
        r#"{"metadata": null}"#,
        r#"{"plans": [], "plans": []}"#,
        r#"{"plans": [{"id": "a", "execution_lease": {"holder": "x", "holder": "me"}}]}"#,
    ] {
        assert!(Status::parse(text.as_bytes()).is_err(), "{text}");
    }
    assert!(Status::parse(b"{\"plans\": [], \"x\": \"\xff\"}").is_err());
    assert!(Status::parse(b"{}").is_ok());
}

#[test]
fn only_a_regular_file_of_some_length_is_read() {
    let dir = tempfile::tempdir().unwrap();
    let at = |name: &str| dir.path().join(name);
    let unreadable = |path: &Path| matches!(read(path), Plan::Unreadable(_));
    assert_eq!(read(&at("none.json")), Plan::Missing);
    assert_eq!(read(&at("none/none.json")), Plan::Missing);
    fs::write(at("empty.json"), "").unwrap();
    assert!(unreadable(&at("empty.json")));
    assert!(unreadable(dir.path()));
    let long = format!("{{}}{}", " ".repeat(4 * 1024 * 1024));
    fs::write(at("long.json"), &long).unwrap();
    assert!(unreadable(&at("long.json")));
    fs::write(at("fits.json"), &long[..long.len() - 2]).unwrap();
    assert!(matches!(read(&at("fits.json")), Plan::Read(_)));
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink(at("none.json"), at("link.json")).unwrap();
        assert!(unreadable(&at("link.json")));
        std::os::unix::fs::symlink(at("fits.json"), at("leads.json")).unwrap();
        assert!(matches!(read(&at("leads.json")), Plan::Read(_)));
        // Nobody ever writes into it, so whoever opened it would wait for ever.
        let made = std::process::Command::new("mkfifo")
            .arg(at("pipe.json"))
            .status();
        assert!(made.unwrap().success());
        assert!(unreadable(&at("pipe.json")));
    }
}

// --- the law ---------------------------------------------------------------------------------------

#[test]
fn a_holder_is_the_session_with_or_without_its_host() {
    for holder in ["me", "cursor:me", "claude:me", ":me"] {
        assert_eq!(ME.is(holder), Some(true), "{holder}");
    }
    for holder in [
        "cursor:you",
        "me:cursor",
        "cursor:me:x",
        "x:cursor:me",
        "Me",
        "cursor: me",
        "",
    ] {
        assert_eq!(ME.is(holder), Some(false), "{holder}");
    }
    for session in [None, Some("")] {
        assert_eq!(Asker { session }.is("cursor:"), None);
    }
}

#[test]
fn who_is_not_known_holds_nothing_and_is_not_refused_for_sure() {
    let nobody = Asker { session: None };
    let status = of(&plans(&[row("p", &lease("cursor:me", HERE))]));
    assert!(matches!(
        execution(&status, nobody, spot()),
        Stand::Unclear(_)
    ));
}

// R74, R78, R82, R98
#[test]
fn neither_time_nor_label_nor_status_frees_a_lease() {
    let plain = stand(&plans(&[row("p", &lease("cursor:other", HERE))]));
    assert!(matches!(&plain, Stand::Other(held) if held.holder == "cursor:other"));
    for (key, value) in [
        ("expires_at", "1970-01-01T00:00:00Z"),
        ("heartbeat_at", "1970-01-01T00:00:00Z"),
        ("session_label", "me"),
        ("session_label", "cursor:me"),
        ("released_at", "2026-01-01T00:00:00Z"),
    ] {
        let mut more = lease("cursor:other", HERE);
        more[key] = value.into();
        assert_eq!(stand(&plans(&[row("p", &more)])), plain, "{key}");
    }
    for status in ["Todo", "Blocked", "Done", "InReview", "Cancelled", ""] {
        let mut row = row("p", &lease("cursor:other", HERE));
        row["status"] = status.into();
        assert_eq!(stand(&plans(&[row])), plain, "{status}");
    }
}

#[test]
fn a_lease_that_is_marked_as_released_holds_for_its_holder() {
    let mut marked = lease("cursor:other", HERE);
    marked["released"] = true.into();
    assert!(matches!(
        stand(&plans(&[row("p", &marked)])),
        Stand::Other(_)
    ));
}

#[test]
fn the_lease_of_one_row_counts_against_that_of_another() {
    let rows = [
        row("p1", &lease("cursor:me", HERE)),
        row("p2", &lease("cursor:other", "/here/")),
    ];
    assert!(matches!(stand(&plans(&rows)), Stand::Other(_)));
}

#[test]
fn ones_own_lease_elsewhere_counts_within_the_repository() {
    let away = stand(&plans(&[row("p", &lease("me", "/there"))]));
    assert_eq!(
        away,
        Stand::Away {
            plan: "p".to_owned(),
            path: "/there".to_owned()
        }
    );
    assert_eq!(
        stand(&plans(&[row("p", &lease("me", "/far/there"))])),
        Stand::Free
    );
    assert_eq!(
        stand(&plans(&[row("p", &lease("other", "/there"))])),
        Stand::Free
    );
}

#[test]
fn a_merge_lease_is_its_holders_whole_or_broken() {
    let whole = json!({
        "holder": "cursor:me", "claimed_at": "t", "plan_id": "p", "source_branch": "s", "target_branch": "i",
    });
    let right = |lease: &Value| {
        merge(
            &of(&json!({ "metadata": { "integration_merge_lease": lease } })),
            ME,
        )
    };
    assert!(matches!(right(&whole), Right::Mine { .. }));
    for key in [
        "claimed_at",
        "plan_id",
        "source_branch",
        "target_branch",
        "holder",
    ] {
        let mut part = whole.clone();
        part.as_object_mut().unwrap().remove(key);
        assert!(matches!(right(&part), Right::Flawed(..)), "{key}");
        part["holder"] = "cursor:other".into();
        assert!(matches!(right(&part), Right::Other(_)), "{key}");
    }
    assert!(matches!(right(&Value::Null), Right::Flawed(..)));
    assert!(matches!(right(&json!({})), Right::Flawed(..)));
    assert_eq!(merge(&of(&json!({ "metadata": {} })), ME), Right::Free);
}

// --- random plans ----------------------------------------------------------------------------------

/// A small generator, the same in every run.
struct Random(u64);

impl Random {
    fn below(&mut self, most: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) % most
    }

    fn pick<T: Clone>(&mut self, all: &[T]) -> T {
        let at = self.below(all.len() as u64);
        all[usize::try_from(at).unwrap()].clone()
    }
}

fn random_lease(random: &mut Random) -> Value {
    let holders = ["cursor:me", "me", "cursor:other", "other", "claude:third"];
    let paths = [
        HERE,
        "/here/",
        "/there",
        "/elsewhere",
        "/far/away",
        "relative",
    ];
    let mut lease = lease(random.pick(&holders), random.pick(&paths));
    let fields = ["holder", "claimed_at", "worktree_path", "working_branch"];
    if random.below(6) == 0 {
        lease.as_object_mut().unwrap().remove(random.pick(&fields));
    }
    if random.below(8) == 0 {
        let odd = [
            Value::Null,
            json!(7),
            json!(""),
            json!(["me"]),
            json!({ "holder": "me" }),
        ];
        lease[random.pick(&fields)] = random.pick(&odd);
    }
    for (key, value) in [
        ("expires_at", json!("2020-01-01T00:00:00Z")),
        ("session_label", json!("me")),
        ("released", json!(true)),
        ("note", json!({ "holder": "cursor:me" })),
    ] {
        if random.below(5) == 0 {
            lease[key] = value;
        }
    }
    lease
}

fn random_plan(random: &mut Random) -> Value {
    let mut rows = Vec::new();
    for _ in 0..random.below(4) {
        let mut row = json!({});
        if random.below(10) > 0 {
            row[random.pick(&["id", "id", "plan_id"])] = random.pick(&["p1", "p2", "p3"]).into();
        }
        if random.below(10) > 0 {
            let all = ["Todo", "InProgress", "InReview", "Done", "Blocked"];
            row["status"] = random.pick(&all).into();
        }
        match random.below(8) {
            0 => row["execution_lease"] = Value::Null,
            1 => row["execution_lease"] = json!({ "released": true }),
            2 | 3 => {}
            _ => row["execution_lease"] = random_lease(random),
        }
        rows.push(row);
    }
    json!({ "title": "[{\"id\": \"p9\"}]", "plans": rows, "metadata": { "updated": 3 } })
}

/// How free a checkout is: `0` free, `1` a question, `2` refused.
fn weight(stand: &Stand) -> u8 {
    match stand {
        Stand::Free | Stand::Mine { .. } => 0,
        Stand::Unclear(_) | Stand::Flawed(_) => 1,
        Stand::Other(_) | Stand::Away { .. } => 2,
    }
}

/// The law once more, row by row over the JSON itself.
fn expected(plan: &Value) -> &'static str {
    let rows = plan["plans"].as_array().unwrap();
    let text = |value: &Value, key: &str| {
        let text = value[key].as_str().map(str::to_owned);
        text.filter(|t| !t.trim().is_empty())
    };
    let name = |row: &Value| text(row, "id").or_else(|| text(row, "plan_id"));
    let path = |row: &Value| {
        let path = text(&row["execution_lease"], "worktree_path");
        path.filter(|p| p.starts_with('/'))
    };
    let mine = |row: &Value| {
        let holder = text(&row["execution_lease"], "holder");
        holder.map(|h| h == "me" || h.ends_with(":me"))
    };
    let is_here = |row: &Value| path(row).is_some_and(|p| p.starts_with(HERE));
    if rows
        .iter()
        .any(|row| is_here(row) && mine(row) == Some(false))
    {
        return "other";
    }
    let works_here = rows.iter().any(|row| {
        is_here(row)
            && mine(row) == Some(true)
            && text(&row["execution_lease"], "working_branch").is_some()
    });
    let broken = |row: &Value| {
        let lease = &row["execution_lease"];
        let whole = ["holder", "claimed_at", "worktree_path", "working_branch"]
            .iter()
            .all(|key| text(lease, key).is_some());
        let twins = rows
            .iter()
            .filter(|other| name(other).is_some() && name(other) == name(row));
        match row.get("execution_lease") {
            Some(Value::Object(_)) => {
                !whole
                    || path(row).is_none()
                    || lease.get("released").is_some()
                    || name(row).is_none()
                    || twins.count() > 1
            }
            Some(_) => true,
            None => !matches!(row["status"].as_str(), Some("Todo" | "Done" | "Blocked")),
        }
    };
    let counts = |row: &Value| is_here(row) || path(row).is_none() && !works_here;
    if rows.iter().any(|row| counts(row) && broken(row)) {
        return "flawed";
    }
    if works_here {
        return "mine";
    }
    let away =
        |row: &Value| mine(row) == Some(true) && path(row).is_some_and(|p| !p.starts_with("/far"));
    if rows.iter().any(away) {
        "away"
    } else {
        "free"
    }
}

fn word(stand: &Stand) -> &'static str {
    match stand {
        Stand::Free => "free",
        Stand::Mine { .. } => "mine",
        Stand::Away { .. } => "away",
        Stand::Other(_) => "other",
        Stand::Unclear(_) => "unclear",
        Stand::Flawed(_) => "flawed",
    }
}

fn rounds() -> usize {
    if long() { 200_000 } else { 5_000 }
}

#[test]
fn random_plans_are_judged_as_their_rows_say() {
    let mut random = Random(1);
    let mut seen = std::collections::BTreeMap::new();
    for _ in 0..rounds() {
        let plan = random_plan(&mut random);
        let stand = stand(&plan);
        assert_eq!(word(&stand), expected(&plan), "{plan}");
        *seen.entry(word(&stand)).or_insert(0) += 1;
    }
    println!("{seen:?}");
    assert!(
        seen.len() == 5 && seen.values().all(|n| *n > 50),
        "{seen:?}"
    );
}

// R88, R102
#[test]
fn a_plan_that_is_half_written_frees_nothing() {
    let mut random = Random(2);
    for _ in 0..rounds() / 50 {
        let plan = random_plan(&mut random);
        let text = serde_json::to_vec_pretty(&plan).unwrap();
        for end in 0..text.len() {
            assert!(Status::parse(&text[..end]).is_err(), "{plan} cut at {end}");
        }
    }
}

#[test]
fn one_damaged_byte_frees_nothing_but_by_another_text() {
    // A flipped byte may make another name of a name; what it does not touch holds as before.
    let plan = plans(&[row("p1", &lease("cursor:other", HERE))]);
    let text = serde_json::to_vec(&plan).unwrap();
    let mut free = Vec::new();
    for at in 0..text.len() {
        let mut damaged = text.clone();
        damaged[at] = b'#';
        let Ok(status) = Status::parse(&damaged) else {
            continue;
        };
        if weight(&execution(&status, ME, spot())) == 0 {
            free.push(String::from_utf8(damaged).unwrap());
        }
    }
    // The list's own key, and the path: it is another one then.
    for text in &free {
        let whole = text.contains("\"plans\"") && text.contains("\"/here\"");
        assert!(!whole, "{text}");
    }
}

#[test]
fn what_is_added_to_a_plan_of_somebody_else_frees_nothing() {
    let mut random = Random(3);
    for _ in 0..rounds() {
        let mut plan = random_plan(&mut random);
        let before = stand(&plan);
        if !matches!(before, Stand::Other(_)) {
            continue;
        }
        let more = random_plan(&mut random);
        let more = more["plans"].as_array().unwrap().clone();
        plan["plans"].as_array_mut().unwrap().extend(more);
        assert!(matches!(stand(&plan), Stand::Other(_)), "{plan}");
    }
}

// --- in a repository -------------------------------------------------------------------------------

/// A repository with this plan, and `@main@` for its top.
fn stage(plan: &str, policy: Option<&str>) -> Stage {
    Stage::of(&Setup {
        clean: true,
        plan: Some(plan.to_owned()),
        policy: policy.map(str::to_owned),
        ..Setup::default()
    })
}

fn foreign() -> String {
    plans(&[row("p1", &lease("cursor:other", "@main@"))]).to_string()
}

#[track_caller]
fn says(verdict: &Verdict, want: Decision) {
    assert!(
        support::says(verdict, "lease/plan", want),
        "{}",
        support::told(verdict)
    );
}

#[test]
fn a_plan_is_read_only_where_the_policy_names_it() {
    let stage = stage(&foreign(), None);
    says(&stage.judge("git commit -m x"), Decision::Deny);
    let call = stage.call("git commit -m x");
    let around = Surroundings {
        cwd: Some(stage.repo.cwd.clone()),
        home: Some(stage.repo.home.clone()),
        claims: support::claims::watch(&stage.repo),
        ..Surroundings::default()
    };
    let verdict = leaseguard::guard::judge(&call, around, &Policy::default());
    assert_eq!(verdict.decision(), Decision::Allow);
}

#[test]
fn a_denial_says_who_holds_what_since_when_and_that_no_time_helps() {
    let verdict = stage(&foreign(), None).judge("git commit -m x");
    let because = verdict.first().unwrap().because.join("\n");
    for part in [
        "`cursor:other`",
        "plan `p1`",
        "since 2026-01-10T11:00:00Z",
        "no time frees",
    ] {
        assert!(because.contains(part), "{because}");
    }
}

#[cfg(unix)]
#[test]
fn a_checkout_is_known_under_every_name_that_leads_to_it() {
    for path in [
        "@W@/way",
        "@W@/way/",
        "@W@/way/src",
        "@main@/./src/..",
        "@W@/home/../repo",
    ] {
        let setup = Setup {
            clean: true,
            plan: Some(plans(&[row("p1", &lease("cursor:other", path))]).to_string()),
            pre: vec!["ln -s repo ../way".to_owned()],
            ..Setup::default()
        };
        says(&Stage::of(&setup).judge("git commit -m x"), Decision::Deny);
    }
    for path in ["@W@/repo2", "@W@/nowhere", "@W@"] {
        let plan = plans(&[row("p1", &lease("cursor:other", path))]).to_string();
        says(
            &stage(&plan, None).judge("git commit -m x"),
            Decision::Allow,
        );
    }
}

#[test]
fn half_a_file_asks_before_every_change_and_before_no_look() {
    let whole = foreign();
    for end in (0..whole.len()).step_by(if long() { 1 } else { 41 }) {
        let stage = stage(&whole[..end], None);
        says(&stage.judge("git commit -m x"), Decision::Ask);
        says(&stage.judge("git status"), Decision::Allow);
    }
}

#[test]
fn a_caller_without_a_session_is_asked_about() {
    let stage = stage(&foreign(), None);
    let call = leaseguard::call::Call {
        session: None,
        ..stage.call("git commit -m x")
    };
    let state = leaseguard::state::State::at(stage.repo.home.join(".local/state/leaseguard"));
    let asker = leaseguard::lease::asker::Asker::default();
    let witness = Box::new(support::lease::Stage::default());
    let now = leaseguard::state::time::Moment::parse("2026-01-10T12:00:00Z").unwrap();
    let watch = leaseguard::lease::watch::Watch::given(state, asker, witness, now);
    let around = Surroundings {
        cwd: Some(stage.repo.cwd.clone()),
        home: Some(stage.repo.home.clone()),
        claims: Some(std::rc::Rc::new(watch)),
        ..Surroundings::default()
    };
    let policy = stage.repo.policy.clone().unwrap();
    says(
        &leaseguard::guard::judge(&call, around, &policy),
        Decision::Ask,
    );
}

#[test]
fn a_plan_may_lie_outside_of_the_repository() {
    let policy = |path: &str| format!("plan.status = \"{path}\"");
    let stage = Stage::of(&Setup {
        clean: true,
        policy: Some(policy("~/plans/status.json")),
        ..Setup::default()
    });
    says(&stage.judge("git commit -m x"), Decision::Allow);
    let top = stage.repo.top.to_string_lossy().into_owned();
    let plan = plans(&[row("p1", &lease("cursor:other", &top))]).to_string();
    support::repo::put(&stage.repo.home.join("plans/status.json"), &plan);
    says(&stage.judge("git commit -m x"), Decision::Deny);
}

// --- who names the file ----------------------------------------------------------------------------

struct Files(tempfile::TempDir);

impl Files {
    fn new() -> Files {
        Files(tempfile::tempdir().unwrap())
    }

    fn put(&self, name: &str, text: &str) {
        let path = self.0.path().join(name);
        support::repo::put(&path, text);
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            fs::set_permissions(path, fs::Permissions::from_mode(0o600)).unwrap();
        }
    }

    fn policy(&self) -> Policy {
        let at = |name: &str| self.0.path().join(name);
        Policy::load(&Places {
            managed_file: Some(&at("managed.toml")),
            user_file: Some(&at("user.toml")),
            project_file: Some(&at("repo/leaseguard.toml")),
            ..Places::none(&KNOWN)
        })
    }
}

#[test]
fn a_project_names_a_plan_where_nobody_else_does_and_takes_none_away() {
    let files = Files::new();
    assert_eq!(files.policy().plan_status(), None);
    files.put("repo/leaseguard.toml", "plan.status = \"p/status.json\"");
    let policy = files.policy();
    assert_eq!(policy.plan_status(), Some("p/status.json"));
    assert_eq!(policy.origin_of_key("plan.status"), Layer::Project);
    files.put("user.toml", "plan.status = \".harness/status.json\"");
    for theirs in ["p/status.json", ""] {
        files.put(
            "repo/leaseguard.toml",
            &format!("plan.status = \"{theirs}\""),
        );
        let policy = files.policy();
        assert_eq!(policy.plan_status(), Some(".harness/status.json"));
        assert!(policy.held[0].contains("plan.status"), "{:?}", policy.held);
    }
    files.put("managed.toml", "plan.status = \"/srv/status.json\"");
    assert_eq!(files.policy().plan_status(), Some("/srv/status.json"));
}

#[test]
fn another_plan_or_none_is_looser_and_a_first_one_is_not() {
    let files = Files::new();
    let none = files.policy();
    files.put("user.toml", "plan.status = \"a.json\"");
    let first = files.policy();
    files.put("user.toml", "plan.status = \"b.json\"");
    let second = files.policy();
    let loosens =
        |from: &Policy, to: &Policy| leaseguard::policy::changes(from, to, &KNOWN)[0].loosens;
    assert!(!loosens(&none, &first));
    assert!(loosens(&first, &second));
    assert!(loosens(&first, &none));
}

// --- through the doors -----------------------------------------------------------------------------

#[cfg(unix)]
mod doors {
    use super::*;
    use support::yard::{Yard, told};

    /// Two worktrees: the plan gives the first to the session `mine`, the second to another host's.
    fn yard() -> Yard {
        let yard = Yard::new(2);
        let lease = |holder: &str, dir: &str| {
            let path = yard.dir(dir).to_string_lossy().into_owned();
            let mut lease = lease(holder, &path);
            lease["working_branch"] = format!("feat/{dir}").into();
            lease
        };
        let rows = [
            row("p1", &lease("claude:mine", "w0")),
            row("p2", &lease("cursor:theirs", "w1")),
        ];
        let plan = plans(&rows).to_string();
        support::repo::put(&yard.main().join(".harness/status.json"), &plan);
        let policy = "plan.status = \".harness/status.json\"\n";
        let home = yard.dir("home");
        support::repo::put(&home.join(".config/leaseguard/policy.toml"), policy);
        yard
    }

    fn call(
        yard: &Yard,
        session: &str,
        worktree: &str,
        tool: &str,
        input: &Value,
    ) -> std::process::Output {
        let message = json!({
            "session_id": session, "transcript_path": "/t", "cwd": yard.dir(worktree),
            "hook_event_name": "PreToolUse", "tool_name": tool, "tool_input": input,
        });
        let file = yard.dir("message.json");
        fs::write(&file, message.to_string()).unwrap();
        yard.claude(
            session,
            worktree,
            &format!("$LG hook < '{}'", file.display()),
        )
    }

    fn bash(yard: &Yard, session: &str, worktree: &str, command: &str) -> std::process::Output {
        call(
            yard,
            session,
            worktree,
            "Bash",
            &json!({ "command": command }),
        )
    }

    #[test]
    fn a_host_is_told_whose_plan_it_would_disturb() {
        let yard = yard();
        let refused = bash(&yard, "mine", "w1", "git commit --allow-empty -m x");
        told(&refused, 2, "`cursor:theirs` holds plan `p2`");
        told(&bash(&yard, "mine", "w1", "git status"), 0, "");
        told(
            &bash(&yard, "mine", "w0", "git commit --allow-empty -m x"),
            0,
            "",
        );
        told(
            &bash(&yard, "else", "w0", "git commit --allow-empty -m x"),
            2,
            "lease/plan",
        );
        told(
            &bash(&yard, "mine", "main", "git commit --allow-empty -m x"),
            2,
            "another checkout",
        );
    }

    #[test]
    fn a_file_tool_is_stopped_where_the_plan_gives_the_checkout_to_another() {
        let yard = yard();
        // Whose a plain file is counts once sessions have started here.
        fs::create_dir_all(yard.dir("home/.local/state/leaseguard/v1")).unwrap();
        let write = |worktree: &str| {
            let input = json!({ "file_path": yard.dir("w1").join("new.txt"), "content": "x" });
            call(&yard, "mine", worktree, "Write", &input)
        };
        told(&write("w1"), 2, "lease/plan");
        told(&write("w0"), 2, "lease/plan");
        let own = json!({ "file_path": yard.dir("w0").join("new.txt"), "content": "x" });
        told(&call(&yard, "mine", "w0", "Write", &own), 0, "");
    }

    #[test]
    fn gits_own_hook_refuses_the_commit_that_no_host_asked_about() {
        let yard = yard();
        let installed = yard.claude("mine", "main", "$LG install git --yes");
        assert!(installed.status.success(), "{installed:?}");
        let commit = "git -c user.name=a -c user.email=a@b commit -q --allow-empty -m x";
        let refused = yard.claude("mine", "w1", commit);
        told(&refused, 1, "lease/plan");
        told(&yard.claude("mine", "w0", commit), 0, "");
    }
}
