//! The quick reader of records and the full one tell the same of every record.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout
)]

mod support;

use leaseguard::lease::card::Card;
use leaseguard::lease::record::{Checkout, Claim, Lease, Owner, Prev, Repo, Rest, SCHEMA};
use leaseguard::lease::words::{How, Kind, Mode, Role, Stage};
use leaseguard::state::time::Moment;
use serde_json::Value;
use support::lease::{Dice, T0};
use support::long;

const TEXTS: &[&str] = &[
    "", "a", "feat/x", "ü", "a b", "a\"b", "a\\b", "a\nb", "\u{7f}", "\u{1}", "漢字", "}",
    "\u{2028}",
];

fn text(dice: &mut Dice) -> String {
    // Mostly plain, so that many records are for the quick reader.
    match dice.roll(12) {
        0 => TEXTS[dice.roll(TEXTS.len())].to_owned(),
        n => format!("text-{n}"),
    }
}

fn maybe(dice: &mut Dice) -> Option<String> {
    (dice.roll(2) == 0).then(|| text(dice))
}

fn texts(dice: &mut Dice) -> Vec<String> {
    (0..dice.roll(3)).map(|_| text(dice)).collect()
}

fn number(dice: &mut Dice) -> u64 {
    [0, 1, 300, 10_000, 999_999_999_999_999_999, u64::MAX][dice.roll(6)]
}

fn rest(dice: &mut Dice) -> Rest {
    let mut rest = Rest::new();
    if dice.roll(40) == 0 {
        rest.insert("x".to_owned(), serde_json::json!({ "k": [1, null] }));
    }
    rest
}

fn claim(dice: &mut Dice) -> Claim {
    Claim {
        schema: SCHEMA,
        claim_id: text(dice),
        epoch: number(dice),
        rev: number(dice),
        kind: Kind::of(&text(dice)),
        repo: Repo {
            id: text(dice),
            common_dir: text(dice).into(),
            origin_url: maybe(dice),
            rest: rest(dice),
        },
        checkout: Checkout {
            id: text(dice),
            made: text(dice),
            path: text(dice).into(),
            git_dir: text(dice).into(),
            is_main: dice.roll(2) == 0,
            provisioned: texts(dice),
            rest: rest(dice),
        },
        branch: maybe(dice),
        base_sha: maybe(dice),
        ticket: maybe(dice),
        lane: maybe(dice),
        plan_id: maybe(dice),
        owner: Owner {
            install_id: text(dice),
            boot_id: text(dice),
            pid_ns: text(dice),
            pid: (dice.roll(3) > 0).then_some(u32::MAX - 7),
            start_ticks: maybe(dice),
            one_session: dice.roll(2) == 0,
            session_ids: texts(dice),
            agent_id: maybe(dice),
            holder: maybe(dice),
            rest: rest(dice),
            ..Owner::default()
        },
        harness: maybe(dice),
        model: maybe(dice),
        role: Role::of(["implementer", "observer", "poet"][dice.roll(3)]),
        state: Stage::of(&text(dice)),
        flags: texts(dice),
        lease: Lease {
            mode: Mode::of(["ttl", "manual"][dice.roll(2)]),
            ttl_secs: number(dice),
            claimed_utc: T0,
            last_heartbeat_utc: Moment(T0.0 + dice.roll(1000) as i64),
            expires_utc: (dice.roll(2) == 0).then_some(T0),
            rest: rest(dice),
        },
        allowed_paths: texts(dice),
        prev: (dice.roll(2) == 0).then(|| Prev {
            claim_id: text(dice),
            epoch: number(dice),
            how: How::Release,
            rest: rest(dice),
        }),
        rest: rest(dice),
    }
}

/// What both say of `bytes`; whether the quick one said anything.
#[track_caller]
fn agree(bytes: &[u8]) -> bool {
    let Some(card) = Card::read(bytes) else {
        return false;
    };
    let slot = Claim::read(bytes);
    let claim = slot.claim();
    let shown = String::from_utf8_lossy(bytes);
    assert_eq!(claim.map(Card::of), Some(card), "{slot:?}\n{shown}");
    true
}

fn rounds() -> usize {
    if long() { 200_000 } else { 2000 }
}

#[test]
fn of_what_this_build_writes_the_quick_reader_tells_what_the_full_one_does() {
    let mut dice = Dice(7);
    let quick = (0..rounds()).filter(|_| agree(&claim(&mut dice).bytes()));
    let quick = quick.count();
    // Most records are plain: a reader that always gives up would pass otherwise.
    assert!(quick > rounds() / 10, "{quick}");
}

#[test]
fn what_is_changed_torn_or_of_somebody_else_is_read_alike_or_left_to_the_full_reader() {
    let mut dice = Dice(11);
    let (mut quick, mut cut) = (0, 0);
    for _ in 0..rounds() {
        let whole = claim(&mut dice).bytes();
        let mut bytes = whole.clone();
        let at = dice.roll(bytes.len());
        match dice.roll(5) {
            0 => bytes.truncate(at),
            1 => bytes[at] = b"\"{}[],:\\ 0a\xff\n"[dice.roll(13)],
            2 => bytes.insert(at, b"\"{}[],:\\ 0a\xff\n"[dice.roll(13)]),
            3 => drop(bytes.remove(at)),
            // One line is written in place of another.
            _ => {
                let text = String::from_utf8(whole.clone()).unwrap();
                let mut lines: Vec<&str> = text.split('\n').collect();
                let from = dice.roll(lines.len());
                let to = dice.roll(lines.len());
                lines[to] = lines[from];
                bytes = lines.join("\n").into_bytes();
            }
        }
        quick += usize::from(agree(&bytes));
        cut += usize::from(Card::read(&bytes).is_none());
    }
    assert!(quick > 0 && cut > quick, "{quick} {cut}");
}

#[test]
fn a_newer_schema_and_fields_of_others_are_left_to_the_full_reader() {
    let plain = plain();
    assert!(agree(plain.as_bytes()));
    for (from, to) in [
        ("\"schema\": 1", "\"schema\": 2"),
        ("\"schema\": 1", "\"schema\": 0"),
        ("\"schema\": 1", "\"schema\": 1,\n  \"x\": 1"),
        ("\"ttlSecs\": 300", "\"ttlSecs\": 0300"),
        ("\"ttlSecs\": 300", "\"ttlSecs\": 3e2"),
        ("\"ttlSecs\": 300", "\"ttlSecs\": -1"),
        ("\"rev\": 1", "\"rev\": 1,\n  \"rev\": 1"),
        ("\n}\n", ",\n  \"claimId\": \"D\"\n}\n"),
        ("\n}\n", "\n}\n{}"),
        ("2026-", "2026-13-"),
    ] {
        assert!(plain.contains(from), "{from}");
        let other = plain.replacen(from, to, 1);
        assert!(Card::read(other.as_bytes()).is_none(), "{to}");
    }
    let value: Value = serde_json::from_str(&plain).unwrap();
    assert!(Card::read(value.to_string().as_bytes()).is_none());
}

fn plain() -> String {
    let mut dice = Dice(1);
    let claim = Claim {
        claim_id: "C".to_owned(),
        epoch: 1,
        rev: 1,
        kind: Kind::Session,
        repo: Repo::default(),
        checkout: Checkout::default(),
        branch: None,
        base_sha: None,
        ticket: None,
        lane: None,
        plan_id: None,
        owner: Owner::default(),
        harness: None,
        model: None,
        state: Stage::Claimed,
        flags: Vec::new(),
        lease: Lease {
            mode: Mode::Ttl,
            ttl_secs: 300,
            claimed_utc: T0,
            last_heartbeat_utc: T0,
            expires_utc: Some(T0),
            rest: Rest::new(),
        },
        allowed_paths: Vec::new(),
        prev: None,
        rest: Rest::new(),
        ..claim(&mut dice)
    };
    String::from_utf8(claim.bytes()).unwrap()
}
