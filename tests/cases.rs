//! The corpus of real-world cases: judged in real repositories, scored, and compared with what is known to remain.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout
)]

mod support;

use serde::Deserialize;
use std::collections::BTreeMap;
use support::cases::{Scored, load, score, table};

/// One line of `fixtures/cases/remaining.toml`.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
struct Remaining {
    id: String,
    got: String,
    issue: String,
    reason: String,
    /// Keys of a policy under which the case is answered as it expects.
    policy: Option<String>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct List {
    #[serde(default)]
    case: Vec<Remaining>,
}

const PATH: &str = "fixtures/cases/remaining.toml";

const HEAD: &str = "\
# Cases that the guard does not answer as it should yet. The test fails when a case that is not
# listed is answered wrongly, and when a listed one is answered rightly or otherwise than `got` says.
# `UPDATE=1 cargo test --test cases` rewrites the list; a new entry needs its issue and reason by hand.
# A case with a `policy` hangs on that policy: under it the answer is the one that the case expects.
";

fn remaining() -> Vec<Remaining> {
    let text = std::fs::read_to_string(support::root().join(PATH)).unwrap_or_default();
    let list: List = toml::from_str(&text).unwrap_or_else(|e| panic!("{PATH}: {e}"));
    list.case
}

/// Where the list and the answers differ.
fn differences(scored: &[Scored], list: &[Remaining]) -> Vec<String> {
    let mut out = Vec::new();
    let mut known: BTreeMap<&str, &Remaining> = BTreeMap::new();
    for entry in list {
        if known.insert(&entry.id, entry).is_some() {
            out.push(format!("{} is listed twice", entry.id));
        }
        if entry.issue.trim_matches('?').is_empty() || entry.reason.trim_matches('?').is_empty() {
            out.push(format!("{} is listed without issue or reason", entry.id));
        }
    }
    for one in scored {
        match (one.wrong, known.remove(one.id.as_str())) {
            (None, None) => {}
            (None, Some(_)) => out.push(format!(
                "{} is answered rightly now: remove it from the list",
                one.id
            )),
            (Some(wrong), None) => out.push(format!("{wrong:?} and not listed: {}", one.line)),
            (Some(_), Some(entry)) if entry.got != one.got => out.push(format!(
                "{} is listed with `{}`: {}",
                one.id, entry.got, one.line
            )),
            (Some(_), Some(_)) => {}
        }
    }
    out.extend(known.keys().map(|id| format!("{id} is no case")));
    out
}

/// The list as it should be, with the issues and reasons that are known.
fn rewritten(scored: &[Scored], list: &[Remaining]) -> String {
    let mut out = HEAD.to_owned();
    for one in scored.iter().filter(|s| s.wrong.is_some()) {
        let known = list.iter().find(|e| e.id == one.id);
        let (issue, reason) = known.map_or(("?", "?"), |e| (e.issue.as_str(), e.reason.as_str()));
        out += &format!(
            "\n[[case]]\nid = {:?}\ngot = {:?}\nissue = {issue:?}\nreason = {reason:?}\n",
            one.id, one.got
        );
        if let Some(policy) = known.and_then(|e| e.policy.as_ref()) {
            out += &format!("policy = {policy:?}\n");
        }
    }
    out
}

#[test]
fn every_case_is_answered_rightly_or_is_known_to_remain() {
    let cases = load();
    let scored = score(&cases);
    print!("{}", table(&scored));
    let list = remaining();
    if support::update() {
        std::fs::write(support::root().join(PATH), rewritten(&scored, &list)).unwrap();
        return;
    }
    let found = differences(&scored, &list);
    for line in &found {
        println!("  {line}");
    }
    assert!(
        found.is_empty(),
        "{} differences between the answers and {PATH}, see above",
        found.len()
    );
}

#[test]
fn a_case_that_hangs_on_policy_is_answered_as_it_expects_under_it() {
    let cases = load();
    let list = remaining();
    let hanging: Vec<_> = list
        .iter()
        .filter_map(|e| Some((e, e.policy.clone()?)))
        .collect();
    assert!(!hanging.is_empty(), "the list names no policy");
    for (entry, policy) in hanging {
        let case = cases.iter().find(|case| case.id == entry.id).unwrap();
        let mut setup = case.setup.clone();
        setup.policy = Some(policy);
        let stage = support::Stage::of(&setup);
        // The claim of another machine has to be seen to rest first.
        let first = stage.judge(&case.command);
        assert_eq!(first.decision().word(), entry.got, "{}", entry.id);
        let soon = stage.judge_later(&case.command, 30);
        assert_eq!(soon.decision().word(), entry.got, "{}", entry.id);
        let later = stage.judge_later(&case.command, 3600);
        let told = support::told(&later);
        assert_eq!(later.decision().word(), case.expect, "{}: {told}", entry.id);
    }
}

#[test]
fn the_corpus_is_whole_and_every_setup_can_be_built() {
    let cases = load();
    assert!(cases.len() >= 270, "only {} cases", cases.len());
    let mut ids: Vec<&str> = cases.iter().map(|c| c.id.as_str()).collect();
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), cases.len(), "an id is used twice");
    for case in &cases {
        assert!(
            ["allow", "ask", "deny"].contains(&case.expect.as_str()),
            "{}: expect is `{}`",
            case.id,
            case.expect
        );
        assert!(
            !case.why.is_empty() && !case.source.is_empty(),
            "{}",
            case.id
        );
    }
    let built = support::spread(&cases, |case| {
        let repo = support::repo::get(&case.setup);
        repo.cwd.is_dir() && repo.top.join(".git").is_dir()
    });
    assert!(built.iter().all(|b| *b));
}

#[test]
fn the_list_is_checked_in_both_directions() {
    let one = |id: &str, got: &'static str, wrong| Scored {
        id: id.to_owned(),
        kind: "lost-work".to_owned(),
        got,
        wrong,
        line: format!("{id}: seeded"),
    };
    let entry = |id: &str, got: &str| Remaining {
        id: id.to_owned(),
        got: got.to_owned(),
        issue: "1".to_owned(),
        reason: "later".to_owned(),
        policy: None,
    };
    use support::cases::Wrong::{Asked, Missed};
    let quiet = differences(
        &[one("A", "allow", Some(Missed)), one("B", "deny", None)],
        &[entry("A", "allow")],
    );
    assert_eq!(quiet, Vec::<String>::new());
    let red = differences(
        &[
            one("A", "allow", Some(Missed)),
            one("B", "deny", None),
            one("C", "ask", Some(Asked)),
        ],
        &[
            entry("B", "allow"),
            entry("C", "allow"),
            entry("D", "allow"),
        ],
    );
    assert_eq!(red.len(), 4, "{red:?}");
    assert!(red[0].contains("not listed"), "{red:?}");
    assert!(red[1].contains("remove it from the list"), "{red:?}");
    assert!(red[2].contains("is listed with `allow`"), "{red:?}");
    assert!(red[3].contains("D is no case"), "{red:?}");
}
