//! The law of claims: who may have what, and that nobody loses it by time, doubt or a slip.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout
)]

mod support;

#[path = "lease_law/model.rs"]
mod model;
#[path = "lease_law/search.rs"]
mod search;

use leaseguard::lease::asker::Asker;
use leaseguard::lease::law::{Act, CORRUPT, Source};
use leaseguard::lease::record::{DIRTY, Slot, Version};
use leaseguard::lease::registry::Hold;
use leaseguard::lease::store::Store;
use leaseguard::lease::store::memory::Memory;
use leaseguard::lease::terms::Terms;
use leaseguard::lease::words::{How, Mode, Role, Stage as Step};
use leaseguard::state::time::Moment;
use std::time::Duration;
use support::lease::{
    Bench, REPO, Stage, at, claim, code, named, renew, session, subagent, takeover, wanted,
};

/// A world of its own for one test.
struct World {
    store: Memory,
    stage: Stage,
}

impl World {
    /// Sessions `a` in process 1 and `b` in process 2 run.
    fn new() -> World {
        let world = World {
            store: Memory::default(),
            stage: Stage::default(),
        };
        world.stage.start(1, 10);
        world.stage.start(2, 20);
        world
    }

    fn bench(&self) -> Bench<'_> {
        Bench::new(&self.store, &self.stage)
    }

    fn slot(&self, checkout: &str) -> Slot {
        self.store.at(REPO, checkout)
    }

    /// `a` has `x` since the start.
    fn claimed() -> World {
        let world = World::new();
        world.bench().claim("x", &a(), at(0)).unwrap();
        world
    }

    /// The same, an hour after `a` died.
    fn left() -> World {
        let world = World::claimed();
        world.stage.kill(1);
        world
    }
}

fn a() -> Asker {
    session("a", 1)
}

fn b() -> Asker {
    session("b", 2)
}

const HOUR: i64 = 3600;

// --- one of each ----------------------------------------------------------------------------------

// R1
#[test]
fn checkout_branch_ticket_and_agent_are_each_held_once() {
    let world = World::new();
    let bench = world.bench();
    bench
        .run("x", &a(), claim(named("x", "feat/x", "T-1")), at(0))
        .unwrap();
    let try_it = |who: &Asker, checkout: &str, branch: &str, ticket: &str| {
        bench.run(checkout, who, claim(named(checkout, branch, ticket)), at(1))
    };
    assert_eq!(code(try_it(&b(), "x", "feat/y", "T-2")), "E_OWNED");
    assert_eq!(code(try_it(&b(), "y", "feat/x", "T-2")), "E_BRANCH_TAKEN");
    assert_eq!(code(try_it(&b(), "y", "feat/y", "T-1")), "E_TICKET_TAKEN");
    assert_eq!(
        code(try_it(&a(), "y", "feat/y", "T-2")),
        "E_SESSION_HAS_CLAIM"
    );
    try_it(&b(), "y", "feat/y", "T-2").unwrap();
}

#[test]
fn a_ticket_that_is_not_named_is_called_as_the_branch_and_follows_it() {
    let world = World::claimed();
    let bench = world.bench();
    let mut moved = wanted("x");
    moved.branch = Some("feat/z".to_owned());
    let outcome = bench.run("x", &a(), claim(moved), at(1)).unwrap();
    let now = outcome.claim.unwrap();
    assert_eq!(
        (outcome.event, now.ticket.as_deref(), now.epoch, now.rev),
        ("move", Some("feat/z"), 1, 2)
    );
    // The old branch is free.
    bench
        .run("y", &b(), claim(named("y", "feat/x", "T")), at(2))
        .unwrap();
    // And moving onto a taken one is refused.
    let mut back = wanted("x");
    back.branch = Some("feat/x".to_owned());
    assert_eq!(
        code(bench.run("x", &a(), claim(back), at(3))),
        "E_BRANCH_TAKEN"
    );
}

#[test]
fn claiming_again_is_renewing() {
    let world = World::claimed();
    let outcome = world.bench().claim("x", &a(), at(200)).unwrap();
    let claim = outcome.claim.unwrap();
    assert_eq!((claim.epoch, claim.rev), (1, 2));
    assert_eq!(claim.lease.expires_utc, Some(at(500)));
}

// --- what policy may want -------------------------------------------------------------------------

// R6, R23, R34, R35, R36, R50, D9
#[test]
fn what_policy_wants_of_a_claim_is_asked_for() {
    let world = World::new();
    let mut bench = world.bench();
    bench.terms = Terms {
        branch_pattern: Some("wt/WT-*/{ticket}".to_owned()),
        lane_required: true,
        cap: Some(1),
        ..Terms::default()
    };
    let ask = |who: &Asker, checkout: &str, branch: &str, harness: &str, lane: Option<&str>| {
        let mut wanted = named(checkout, branch, checkout);
        wanted.harness = Some(harness.to_owned());
        wanted.lane = lane.map(str::to_owned);
        bench.run(checkout, who, claim(wanted), at(0))
    };
    assert_eq!(
        code(ask(&a(), "x", "feat/x", "claude", None)),
        "E_BRANCH_NAME"
    );
    assert_eq!(
        code(ask(&a(), "x", "wt/WT-1/x", "codex", None)),
        "E_LANE_MISSING"
    );
    assert_eq!(
        code(ask(&a(), "x", "wt/WT-1/x", "clippy", Some("L"))),
        "E_HARNESS_UNKNOWN"
    );
    ask(&a(), "x", "wt/WT-1/x", "claude", None).unwrap();
    assert_eq!(
        code(ask(&b(), "y", "wt/WT-1/y", "claude", None)),
        "E_CAP_REACHED"
    );
    // The cap counts Claude's sessions alone, and holds them alone.
    ask(&b(), "y", "wt/WT-1/y", "codex", Some("L")).unwrap();
}

#[test]
fn a_field_that_is_no_plain_line_is_refused() {
    let world = World::new();
    let long = "x".repeat(500);
    for ticket in ["", "a\nb", "a\u{1b}[2J", long.as_str()] {
        let result = world
            .bench()
            .run("x", &a(), claim(named("x", "feat/x", ticket)), at(0));
        assert_eq!(code(result), "E_BAD_REQUEST", "{ticket:?}");
    }
    let mut forever = wanted("x");
    forever.ttl = Some(Duration::from_secs(365 * 86_400));
    assert_eq!(
        code(world.bench().run("x", &a(), claim(forever), at(0))),
        "E_BAD_REQUEST"
    );
}

#[test]
fn somebody_whom_nothing_tells_apart_claims_nothing() {
    let world = World::new();
    let nobody = Asker {
        session: None,
        process: None,
        ..a()
    };
    assert_eq!(
        code(world.bench().claim("x", &nobody, at(0))),
        "E_HOST_PID_NOT_FOUND"
    );
}

// --- holding on -----------------------------------------------------------------------------------

#[test]
fn a_renewal_writes_only_when_half_the_time_is_gone() {
    let world = World::claimed();
    let bench = world.bench();
    // The first one says that work has begun.
    let first = bench.run("x", &a(), renew(), at(1)).unwrap().claim.unwrap();
    assert_eq!((first.rev, first.state), (2, Step::Active));
    assert_eq!(
        bench
            .run("x", &a(), renew(), at(100))
            .unwrap()
            .claim
            .unwrap()
            .rev,
        2
    );
    assert_eq!(world.slot("x").held().unwrap().beat, Some(at(100)));
    assert_eq!(
        bench
            .run("x", &a(), renew(), at(200))
            .unwrap()
            .claim
            .unwrap()
            .rev,
        3
    );
}

#[test]
fn a_sign_of_life_beside_the_record_holds_the_claim_as_long_as_one_in_it() {
    let world = World::left();
    let held = world.slot("x").held().unwrap().clone();
    assert!(world.store.beat(REPO, &held.claim, at(250)).unwrap());
    let bench = world.bench();
    assert_eq!(
        code(bench.run("x", &b(), takeover("x"), at(400))),
        "E_TAKEOVER_NOT_EXPIRED"
    );
    bench.run("x", &b(), takeover("x"), at(551)).unwrap();
}

#[test]
fn nobody_else_renews_releases_or_marks() {
    let world = World::claimed();
    let bench = world.bench();
    for act in [renew(), Act::Release, Act::MarkDirty] {
        assert_eq!(code(bench.run("x", &b(), act, at(HOUR))), "E_NOT_OWNER");
    }
    assert_eq!(code(bench.run("y", &b(), renew(), at(0))), "E_UNREGISTERED");
}

// R26
#[test]
fn a_state_that_is_not_lived_through_is_refused() {
    let world = World::claimed();
    let stage = |word: &str| Act::Renew {
        stage: Some(Step::of(word)),
        ttl: None,
    };
    world
        .bench()
        .run("x", &a(), stage("in-review"), at(1))
        .unwrap();
    for word in ["retired", "claimed", "frozen"] {
        assert_eq!(
            code(world.bench().run("x", &a(), stage(word), at(2))),
            "E_BAD_REQUEST"
        );
    }
}

// I7, I19
#[test]
fn who_saw_an_older_state_changes_nothing() {
    let world = World::claimed();
    let bench = world.bench();
    let seen = world.slot("x").claim().unwrap().version();
    bench.run("x", &a(), renew(), at(1)).unwrap();
    let release =
        |expect: &Version| bench.expecting("x", &a(), Act::Release, Some(expect.clone()), at(2));
    assert_eq!(code(release(&seen)), "E_STALE_REV");
    bench.run("x", &a(), Act::Release, at(3)).unwrap();
    assert_eq!(code(release(&seen)), "E_EPOCH_FENCED");
}

// I19: a late cleanup of the old owner, after the same place was claimed anew.
#[test]
fn peer_defect_name_reuse_a_late_cleanup_does_not_undo_the_next_owner() {
    let world = World::claimed();
    let bench = world.bench();
    let old = world.slot("x").claim().unwrap().version();
    bench.run("x", &a(), Act::Release, at(1)).unwrap();
    bench.claim("x", &a(), at(2)).unwrap();
    let late = bench.expecting("x", &a(), Act::Release, Some(old), at(3));
    assert_eq!(code(late), "E_EPOCH_FENCED");
    assert!(world.slot("x").claim().is_some());
}

// --- ends -----------------------------------------------------------------------------------------

#[test]
fn what_is_given_back_is_free_and_the_next_claim_remembers_it() {
    let world = World::claimed();
    let bench = world.bench();
    let first = world.slot("x").claim().unwrap().clone();
    let gone = bench
        .run("x", &a(), Act::Release, at(1))
        .unwrap()
        .claim
        .unwrap();
    assert_eq!(gone.state, Step::Retired);
    assert_eq!(world.slot("x"), Slot::Free);
    let next = bench.claim("x", &b(), at(2)).unwrap().claim.unwrap();
    let prev = next.prev.clone().unwrap();
    assert_eq!(
        (prev.claim_id, prev.epoch, prev.how),
        (first.claim_id, 1, How::Release)
    );
    assert!(next.epoch == 2 && next.rev > gone.rev);
}

// R42, D1
#[test]
fn a_takeover_needs_the_time_over_the_owner_dead_and_the_checkout_quiet() {
    let world = World::claimed();
    let bench = world.bench();
    let take = |seconds| bench.run("x", &b(), takeover("x"), at(seconds));
    assert_eq!(code(take(1)), "E_TAKEOVER_NOT_DEAD");
    assert_eq!(code(take(HOUR)), "E_TAKEOVER_NOT_DEAD");
    world.stage.kill(1);
    assert_eq!(code(take(1)), "E_TAKEOVER_NOT_EXPIRED");
    assert!(take(60).unwrap_err().what.ends_with("try again in 4m"));
    world.stage.work("x", 1);
    assert_eq!(code(take(HOUR)), "E_TAKEOVER_NOT_QUIET");
    world.stage.work("x", 0);
    let claim = take(HOUR).unwrap().claim.unwrap();
    assert_eq!((claim.epoch, claim.prev.unwrap().how), (2, How::Takeover));
    assert_eq!(claim.owner.session_ids, ["b"]);
    assert_eq!(claim.branch.as_deref(), Some("feat/x"));
}

#[test]
fn taking_over_needs_no_other_claim_of_ones_own() {
    let world = World::left();
    world.bench().claim("y", &b(), at(0)).unwrap();
    let result = world.bench().run("x", &b(), takeover("x"), at(HOUR));
    assert_eq!(code(result), "E_SESSION_HAS_CLAIM");
}

// R48, I17
#[test]
fn uncommitted_work_is_marked_and_taken_over_only_on_purpose() {
    let world = World::left();
    let bench = world.bench();
    let take = |adopt_dirty, dirty| {
        let act = Act::Takeover {
            wanted: Box::new(wanted("x")),
            adopt_dirty,
            dirty,
        };
        bench.run("x", &b(), act, at(HOUR))
    };
    assert_eq!(
        code(bench.run("x", &b(), Act::MarkDirty, at(1))),
        "E_NOT_OWNER"
    );
    bench.run("x", &b(), Act::MarkDirty, at(HOUR)).unwrap();
    assert!(world.slot("x").claim().unwrap().flagged(DIRTY));
    assert_eq!(code(take(false, Some(true))), "E_TAKEOVER_DIRTY");
    assert_eq!(code(take(false, None)), "E_TAKEOVER_DIRTY");
    let outcome = take(true, Some(true)).unwrap();
    assert_eq!(outcome.event, "adopt-dirty");
    assert!(!outcome.claim.unwrap().flagged(DIRTY));
}

#[test]
fn an_owner_that_comes_back_loses_the_mark() {
    let world = World::claimed();
    world.bench().run("x", &a(), Act::MarkDirty, at(1)).unwrap();
    world.bench().run("x", &a(), renew(), at(2)).unwrap();
    assert!(!world.slot("x").claim().unwrap().flagged(DIRTY));
}

// I6, R82
#[test]
fn no_time_frees_a_manual_claim() {
    let world = World::new();
    let bench = world.bench();
    let mut manual = wanted("x");
    manual.mode = Mode::Manual;
    bench.run("x", &a(), claim(manual), at(0)).unwrap();
    world.stage.kill(1);
    let ten_years = at(10 * 365 * 86_400);
    assert_eq!(
        code(bench.run("x", &b(), takeover("x"), ten_years)),
        "E_MANUAL_LEASE"
    );
    let before = world.slot("x");
    assert!(matches!(
        bench.registry().hold((REPO, "x"), &b(), ten_years),
        Hold::Foreign(..)
    ));
    assert_eq!(world.slot("x"), before);
}

// R97
#[test]
fn an_override_names_the_claim_and_a_reason() {
    let world = World::claimed();
    let bench = world.bench();
    let id = world.slot("x").claim().unwrap().claim_id.clone();
    let end = |claim_id: &str, reason: &str| {
        let act = Act::Override {
            claim_id: claim_id.to_owned(),
            reason: reason.to_owned(),
        };
        bench.run("x", &Asker::default(), act, at(1))
    };
    assert_eq!(code(end(&id, " ")), "E_BAD_REQUEST");
    assert_eq!(code(end("01OTHER", "gone home")), "E_EPOCH_FENCED");
    assert_eq!(code(end(CORRUPT, "gone home")), "E_EPOCH_FENCED");
    assert_eq!(
        end(&id, "gone home").unwrap().reason.as_deref(),
        Some("gone home")
    );
    let next = bench.claim("x", &b(), at(2)).unwrap().claim.unwrap();
    assert_eq!((next.epoch, next.prev.unwrap().how), (2, How::Override));
}

#[test]
fn a_broken_record_is_held_until_a_person_says_otherwise() {
    let world = World::new();
    let bench = world.bench();
    world.store.put(REPO, "x", Slot::Corrupt("torn".to_owned()));
    for act in [
        claim(wanted("x")),
        renew(),
        Act::Release,
        takeover("x"),
        Act::MarkDirty,
    ] {
        assert_eq!(code(bench.run("x", &a(), act, at(HOUR))), "E_CORRUPT");
    }
    assert!(matches!(
        bench.registry().hold((REPO, "x"), &a(), at(0)),
        Hold::Unreadable(_)
    ));
    let act = Act::Override {
        claim_id: CORRUPT.to_owned(),
        reason: "looked at it".to_owned(),
    };
    bench.run("x", &Asker::default(), act, at(1)).unwrap();
    bench.claim("x", &a(), at(2)).unwrap();
}

#[test]
fn what_a_later_leaseguard_wrote_is_never_changed() {
    let world = World::new();
    world.store.put(REPO, "x", Slot::Newer(2));
    let act = Act::Override {
        claim_id: CORRUPT.to_owned(),
        reason: "r".to_owned(),
    };
    for act in [
        claim(wanted("x")),
        renew(),
        Act::Release,
        takeover("x"),
        act,
    ] {
        assert_eq!(
            code(world.bench().run("x", &a(), act, at(0))),
            "E_SCHEMA_NEWER"
        );
    }
}

// R46
#[test]
fn a_standby_takes_nothing_over_by_itself() {
    let world = World::left();
    let mut bench = world.bench();
    let act = || {
        let mut wanted = wanted("x");
        wanted.role = Role::Standby;
        Act::Takeover {
            wanted: Box::new(wanted),
            adopt_dirty: false,
            dirty: Some(false),
        }
    };
    assert_eq!(
        code(bench.run("x", &b(), act(), at(HOUR))),
        "E_OWNED_UNKNOWN_LIVENESS"
    );
    bench.terms.standby_takes = true;
    bench.run("x", &b(), act(), at(HOUR)).unwrap();
}

// --- doubt and clocks -----------------------------------------------------------------------------

// I11, R14, R44
#[test]
fn doubt_about_the_owner_never_gives_its_claim_away() {
    type Change = fn(&mut Asker);
    let changes: &[(&str, Change)] = &[
        ("another machine", |who| {
            who.here.install = "other".to_owned()
        }),
        ("another space of ids", |who| {
            who.here.pid_space = "pid:[2]".to_owned()
        }),
        ("no boot", |who| who.here.boot = String::new()),
    ];
    for (what, change) in changes {
        let world = World::left();
        let mut other = b();
        change(&mut other);
        let result = world.bench().run("x", &other, takeover("x"), at(HOUR));
        assert_eq!(code(result), "E_OWNED_UNKNOWN_LIVENESS", "{what}");
        let hold = world.bench().registry().hold((REPO, "x"), &other, at(HOUR));
        assert!(matches!(hold, Hold::Foreign(..)), "{what}: {hold:?}");
    }
}

#[test]
fn a_claim_without_a_process_is_never_taken_over() {
    let world = World::new();
    let bench = world.bench();
    let loose = Asker {
        process: None,
        ..a()
    };
    bench.claim("x", &loose, at(0)).unwrap();
    let result = bench.run("x", &b(), takeover("x"), at(HOUR));
    assert_eq!(code(result), "E_OWNED_UNKNOWN_LIVENESS");
}

// I12
#[test]
fn no_jump_of_the_clock_frees_a_live_claim() {
    let world = World::claimed();
    let bench = world.bench();
    for seconds in [
        -100 * 365 * 86_400,
        -86_400,
        -1,
        0,
        301,
        86_400,
        10 * 365 * 86_400,
    ] {
        let refused = code(bench.run("x", &b(), takeover("x"), at(seconds)));
        assert!(
            ["E_TAKEOVER_NOT_DEAD", "E_CLOCK_SUSPECT"].contains(&refused),
            "{seconds}: {refused}"
        );
        let hold = bench.registry().hold((REPO, "x"), &b(), at(seconds));
        assert!(matches!(hold, Hold::Foreign(..)), "{seconds}");
    }
}

#[test]
fn times_that_do_not_fit_the_clock_are_suspect_even_where_the_owner_is_dead() {
    let world = World::left();
    let bench = world.bench();
    let result = bench.run("x", &b(), takeover("x"), at(-HOUR));
    assert_eq!(code(result), "E_CLOCK_SUSPECT");
    // An end that no renewal of this claim could have written.
    let mut held = world.slot("x").held().unwrap().clone();
    held.claim.lease.expires_utc = Some(Moment(at(0).0 + 400_000_000));
    world.store.put(REPO, "x", Slot::Held(Box::new(held)));
    let result = bench.run("x", &b(), takeover("x"), at(86_400));
    assert_eq!(code(result), "E_CLOCK_SUSPECT");
    // The owner itself sets it right.
    world.stage.start(1, 10);
    bench.run("x", &a(), renew(), at(86_400)).unwrap();
    assert_eq!(
        world.slot("x").claim().unwrap().lease.expires_utc,
        Some(at(86_400 + 300))
    );
}

// D1, R60
#[test]
fn a_lapsed_claim_is_not_in_force_and_stays_whose_it_was() {
    let world = World::left();
    let registry = world.bench().registry();
    assert!(matches!(
        registry.hold((REPO, "x"), &b(), at(1)),
        Hold::Foreign(..)
    ));
    assert!(matches!(
        registry.hold((REPO, "x"), &b(), at(HOUR)),
        Hold::Lapsed(_)
    ));
    world.stage.work("x", 1);
    assert!(matches!(
        registry.hold((REPO, "x"), &b(), at(HOUR)),
        Hold::Foreign(..)
    ));
    assert_eq!(world.slot("x").claim().unwrap().owner.session_ids, ["a"]);
}

// --- who is who (D7) ------------------------------------------------------------------------------

#[test]
fn peer_defect_clear_a_new_session_id_in_the_same_process_is_the_same_owner() {
    let world = World::claimed();
    let bench = world.bench();
    let cleared = session("a2", 1);
    let rotate = |source| Act::Rotate { source };
    assert_eq!(
        code(bench.run("x", &cleared, rotate(Source::Startup), at(1))),
        "E_NOT_OWNER"
    );
    assert_eq!(
        code(bench.run("x", &cleared, renew(), at(1))),
        "E_NOT_OWNER"
    );
    let outcome = bench
        .run("x", &cleared, rotate(Source::Clear), at(1))
        .unwrap();
    assert_eq!(outcome.event, "session-rotated");
    let claim = outcome.claim.unwrap();
    assert_eq!((claim.epoch, claim.owner.session_ids.len()), (1, 2));
    bench.run("x", &cleared, renew(), at(2)).unwrap();
    // From another process it is nobody.
    let stranger = session("a3", 2);
    assert_eq!(
        code(bench.run("x", &stranger, rotate(Source::Clear), at(3))),
        "E_NOT_OWNER"
    );
}

#[test]
fn one_server_with_two_sessions_is_two_owners() {
    let world = World::new();
    let bench = world.bench();
    let served = |name: &str| {
        let mut who = session(name, 1);
        who.process.as_mut().unwrap().one_session = false;
        who
    };
    bench.claim("x", &served("s1"), at(0)).unwrap();
    assert_eq!(code(bench.claim("x", &served("s2"), at(1))), "E_OWNED");
    let rotate = Act::Rotate {
        source: Source::Clear,
    };
    assert_eq!(
        code(bench.run("x", &served("s2"), rotate, at(1))),
        "E_NOT_OWNER"
    );
    bench.claim("y", &served("s2"), at(1)).unwrap();
    // Without a session it cannot be told which of them asks.
    let mut unnamed = served("s1");
    unnamed.session = None;
    assert_eq!(
        code(bench.run("x", &unnamed, Act::Release, at(2))),
        "E_OWNED_UNKNOWN_LIVENESS"
    );
}

#[test]
fn a_session_that_goes_on_elsewhere_takes_its_claim_along_only_from_the_dead() {
    let world = World::claimed();
    let bench = world.bench();
    let resumed = session("a", 2);
    assert_eq!(
        code(bench.run("x", &resumed, renew(), at(1))),
        "E_NOT_OWNER"
    );
    assert_eq!(code(bench.claim("x", &resumed, at(1))), "E_OWNED");
    world.stage.kill(1);
    let outcome = bench.run("x", &resumed, renew(), at(2)).unwrap();
    assert_eq!(outcome.event, "resume");
    let claim = outcome.claim.unwrap();
    assert_eq!((claim.epoch, claim.owner.pid), (1, Some(2)));
    // A reused id of the first process is not the first process.
    assert_eq!(code(bench.claim("x", &session("c", 1), at(3))), "E_OWNED");
}

#[test]
fn peer_defect_subagents_share_a_session_and_are_told_apart_by_their_claims() {
    let world = World::claimed();
    let bench = world.bench();
    let (one, two) = (subagent(&a(), "one"), subagent(&a(), "two"));
    let hold = |checkout: &str, who: &Asker| bench.registry().hold((REPO, checkout), who, at(1));
    // Without a claim of its own it works under its parent's, and gets none of the same checkout.
    assert!(matches!(hold("x", &one), Hold::Mine(..)));
    assert_eq!(code(bench.claim("x", &one, at(1))), "E_OWNED");
    bench.run("x", &one, renew(), at(1)).unwrap();
    // In a worktree of its own it is its own owner; parents may act there, siblings may not.
    bench.claim("y", &one, at(1)).unwrap();
    assert!(matches!(hold("y", &one), Hold::Mine(..)));
    assert!(matches!(hold("y", &a()), Hold::Mine(..)));
    assert!(matches!(hold("y", &two), Hold::Foreign(..)));
    assert_eq!(code(bench.claim("z", &one, at(1))), "E_SESSION_HAS_CLAIM");
    bench.claim("z", &two, at(1)).unwrap();
    bench.run("y", &a(), Act::Release, at(2)).unwrap();
}

#[test]
fn what_a_dispatcher_claimed_becomes_the_sessions_own_when_it_starts() {
    let world = World::new();
    let bench = world.bench();
    let dispatcher = Asker {
        process: None,
        ..a()
    };
    bench.claim("x", &dispatcher, at(0)).unwrap();
    assert_eq!(
        code(bench.claim("x", &b(), at(1))),
        "E_OWNED_UNKNOWN_LIVENESS"
    );
    let claim = bench.run("x", &a(), renew(), at(1)).unwrap().claim.unwrap();
    assert_eq!((claim.owner.pid, claim.epoch), (Some(1), 1));
    world.stage.kill(1);
    bench.run("x", &b(), takeover("x"), at(HOUR)).unwrap();
}
