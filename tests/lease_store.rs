//! Stores of claims: one contract for all, and what only a disk and many processes can do wrong.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout
)]

mod support;

use leaseguard::lease::asker::Asker;
use leaseguard::lease::book::Name;
use leaseguard::lease::law::{Act, CORRUPT};
use leaseguard::lease::record::{Claim, Slot};
use leaseguard::lease::store::dir::Dir;
use leaseguard::lease::store::memory::Memory;
use leaseguard::lease::store::{Store, WAIT_HOOK};
use leaseguard::lease::words::Stage as Step;
use leaseguard::state::time::Moment;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Barrier;
use std::time::{Duration, Instant};
use support::lease::{
    Bench, Dice, REPO, Stage, at, claim, code, named, renew, session, takeover, wanted,
};
use support::long;

fn a() -> Asker {
    session("a", 1)
}

fn b() -> Asker {
    session("b", 2)
}

const BOOT: &str = "boot";

/// A store on disk of its own.
struct Disk {
    temp: tempfile::TempDir,
    store: Dir,
    stage: Stage,
}

impl Disk {
    fn new() -> Disk {
        let temp = tempfile::tempdir().unwrap();
        let store = Dir::new(temp.path(), BOOT);
        Disk {
            temp,
            store,
            stage: Stage::default(),
        }
    }

    fn bench(&self) -> Bench<'_> {
        Bench::new(&self.store, &self.stage)
    }

    fn folder(&self) -> PathBuf {
        self.temp.path().join("v1").join(REPO)
    }

    fn record(&self, checkout: &str) -> PathBuf {
        self.folder()
            .join("claims")
            .join(format!("{checkout}.json"))
    }
}

// --- the contract ---------------------------------------------------------------------------------

/// What every store keeps. A store that is added has one line here.
fn each(test: impl Fn(&dyn Store)) {
    let temp = tempfile::tempdir().unwrap();
    test(&Dir::new(temp.path(), BOOT));
    test(&Memory::default());
}

// R8, R31
#[test]
fn what_is_written_is_read_by_checkout_by_name_and_in_the_list() {
    each(|store| {
        let stage = Stage::default();
        let bench = Bench::new(store, &stage);
        assert_eq!(store.at(REPO, "x"), Slot::Free);
        assert_eq!(store.all(REPO).unwrap(), []);
        let act = claim(named("x", "feat/x", "T-1"));
        let claim = bench.run("x", &a(), act, at(0)).unwrap().claim.unwrap();
        assert_eq!(store.at(REPO, "x").claim(), Some(&claim));
        for name in [
            Name::Branch("feat/x".to_owned()),
            Name::Ticket("T-1".to_owned()),
        ]
        .into_iter()
        .chain(a().names())
        {
            assert_eq!(store.named(REPO, &name).claim(), Some(&claim), "{name:?}");
        }
        assert_eq!(
            store.named(REPO, &Name::Branch("T-1".to_owned())),
            Slot::Free
        );
        assert_eq!(
            store.named("other", &Name::Branch("feat/x".to_owned())),
            Slot::Free
        );
        let all = store.all(REPO).unwrap();
        assert_eq!(all.len(), 1);
        assert_eq!(all[0].0, "x");
        assert_eq!(store.at("other", "x"), Slot::Free);
    });
}

#[test]
fn names_that_a_claim_gives_up_are_free_at_once() {
    each(|store| {
        let stage = Stage::default();
        let bench = Bench::new(store, &stage);
        bench
            .run("x", &a(), claim(named("x", "one", "T")), at(0))
            .unwrap();
        bench
            .run("x", &a(), claim(named("x", "two", "T")), at(1))
            .unwrap();
        assert_eq!(
            store.named(REPO, &Name::Branch("one".to_owned())),
            Slot::Free
        );
        bench
            .run("y", &b(), claim(named("y", "one", "U")), at(2))
            .unwrap();
        bench.run("x", &a(), Act::Release, at(3)).unwrap();
        assert_eq!(store.named(REPO, &Name::Ticket("T".to_owned())), Slot::Free);
        assert_eq!(store.at(REPO, "x"), Slot::Free);
        let next = bench
            .run("x", &a(), claim(named("x", "two", "T")), at(4))
            .unwrap();
        assert_eq!(next.claim.unwrap().epoch, 2);
    });
}

#[test]
fn a_refusal_writes_nothing_and_a_beat_needs_its_own_claim() {
    each(|store| {
        let stage = Stage::default();
        let bench = Bench::new(store, &stage);
        let claim = bench.claim("x", &a(), at(0)).unwrap().claim.unwrap();
        let before = store.at(REPO, "x");
        bench.claim("x", &b(), at(1)).unwrap_err();
        assert_eq!(store.at(REPO, "x"), before);
        assert!(store.beat(REPO, &claim, at(100)).unwrap());
        assert_eq!(store.at(REPO, "x").held().unwrap().beat, Some(at(100)));
        let mut other = claim;
        other.claim_id = "OTHER".to_owned();
        assert!(!store.beat(REPO, &other, at(200)).unwrap());
    });
}

// I9
#[test]
fn no_update_is_lost_between_many_writers_of_one_claim() {
    each(|store| {
        assert_eq!(writers(store, 8, 12), 8 * 12);
    });
}

/// Moves one claim from many threads at once; gives how much its revision grew.
fn writers(store: &dyn Store, threads: usize, moves: usize) -> u64 {
    let stage = Stage::default();
    Bench::new(store, &stage).claim("x", &a(), at(0)).unwrap();
    let first = store.at(REPO, "x").claim().unwrap().rev;
    std::thread::scope(|scope| {
        for thread in 0..threads {
            let stage = &stage;
            scope.spawn(move || {
                for step in 0..moves {
                    let wanted = named("x", &format!("b{thread}.{step}"), "T");
                    let bench = Bench::new(store, stage);
                    bench.run("x", &a(), claim(wanted), at(1)).unwrap();
                }
            });
        }
    });
    store.at(REPO, "x").claim().unwrap().rev - first
}

// --- races ----------------------------------------------------------------------------------------

/// 50 sessions at once; gives how many have won.
fn race(store: &dyn Store, one_key: bool) -> usize {
    let stage = Stage::default();
    let gate = Barrier::new(50);
    let wins = std::thread::scope(|scope| {
        let racers: Vec<_> = (0..50u32)
            .map(|n| {
                let (gate, stage) = (&gate, &stage);
                scope.spawn(move || {
                    let who = session(&format!("s{n}"), n + 1);
                    let checkout = if one_key {
                        "x".to_owned()
                    } else {
                        format!("x{n}")
                    };
                    gate.wait();
                    let bench = Bench::new(store, stage);
                    bench.claim(&checkout, &who, at(0)).is_ok()
                })
            })
            .collect();
        racers
            .into_iter()
            .map(|r| r.join().unwrap())
            .filter(|won| *won)
            .count()
    });
    assert_eq!(store.all(REPO).unwrap().len(), wins);
    wins
}

/// A directory in memory where there is one: what is raced for here is the lock, not the disk.
fn quick_dir() -> tempfile::TempDir {
    tempfile::tempdir_in("/dev/shm").unwrap_or_else(|_| tempfile::tempdir().unwrap())
}

// 4.5 (j) cabildo: to look and then to write, without a lock around both, had several winners.
#[test]
fn peer_defect_look_then_write_of_fifty_racers_exactly_one_wins() {
    let rounds = if long() { 1000 } else { 60 };
    for round in 0..rounds {
        let temp = quick_dir();
        let wins = race(&Dir::new(temp.path(), BOOT), true);
        assert_eq!(wins, 1, "round {round}");
    }
    assert_eq!(race(&Memory::default(), true), 1);
}

#[test]
fn fifty_racers_for_fifty_checkouts_all_win() {
    let rounds = if long() { 200 } else { 8 };
    for round in 0..rounds {
        let temp = quick_dir();
        let wins = race(&Dir::new(temp.path(), BOOT), false);
        assert_eq!(wins, 50, "round {round}");
    }
    assert_eq!(race(&Memory::default(), false), 50);
}

/// The same branch from 50 checkouts: the index holds it once.
#[test]
fn fifty_racers_for_one_branch_leave_one_holder() {
    let temp = quick_dir();
    let store = Dir::new(temp.path(), BOOT);
    let stage = Stage::default();
    let wins = std::thread::scope(|scope| {
        let racers: Vec<_> = (0..50u32)
            .map(|n| {
                let (store, stage) = (&store, &stage);
                scope.spawn(move || {
                    let who = session(&format!("s{n}"), n + 1);
                    let checkout = format!("x{n}");
                    let act = claim(named(&checkout, "one", &checkout));
                    Bench::new(store, stage)
                        .run(&checkout, &who, act, at(0))
                        .is_ok()
                })
            })
            .collect();
        racers
            .into_iter()
            .map(|r| r.join().unwrap())
            .filter(|won| *won)
            .count()
    });
    assert_eq!(wins, 1);
}

// --- locks ----------------------------------------------------------------------------------------

// I15: beads' hooks waited for ever.
// D4
#[test]
fn a_lock_that_is_held_for_ever_costs_a_hook_its_deadline_and_no_more() {
    let disk = Disk::new();
    disk.bench().claim("x", &a(), at(0)).unwrap();
    let lock = File::options()
        .write(true)
        .open(disk.folder().join(".lock"))
        .unwrap();
    lock.lock().unwrap();
    let mut bench = disk.bench();
    bench.wait = WAIT_HOOK;
    let begin = Instant::now();
    assert_eq!(
        code(bench.run("x", &a(), Act::Release, at(1))),
        "E_LOCK_TIMEOUT"
    );
    let took = begin.elapsed();
    assert!(took >= WAIT_HOOK && took < WAIT_HOOK * 6, "{took:?}");
    // Reading and a sign of life need no lock.
    let claim = disk.store.at(REPO, "x").claim().cloned().unwrap();
    assert!(disk.store.beat(REPO, &claim, at(2)).unwrap());
}

// 4.5 (j): a lock on a file that is replaced excludes nobody.
#[cfg(unix)]
#[test]
fn peer_defect_the_lock_file_is_never_replaced() {
    use std::os::unix::fs::MetadataExt;
    let disk = Disk::new();
    disk.bench().claim("x", &a(), at(0)).unwrap();
    let inode = || fs::metadata(disk.folder().join(".lock")).unwrap().ino();
    let first = inode();
    for step in 1..6 {
        disk.bench()
            .run(
                "x",
                &a(),
                claim(named("x", &format!("b{step}"), "T")),
                at(step),
            )
            .unwrap();
    }
    disk.bench().run("x", &a(), Act::Release, at(9)).unwrap();
    assert_eq!(inode(), first);
}

// 4.5 (j): a child that was started meanwhile does not keep the lock.
#[cfg(unix)]
#[test]
fn peer_defect_a_child_does_not_inherit_the_lock() {
    let disk = Disk::new();
    let stage = &disk.stage;
    let mut children: Vec<Child> = Vec::new();
    for step in 0..5 {
        std::thread::scope(|scope| {
            scope.spawn(|| {
                let bench = Bench::new(&disk.store, stage);
                bench
                    .run(
                        "x",
                        &a(),
                        claim(named("x", &format!("b{step}"), "T")),
                        at(step),
                    )
                    .unwrap();
            });
            children.push(Command::new("sleep").arg("30").spawn().unwrap());
        });
    }
    let mut bench = disk.bench();
    bench.wait = Duration::from_millis(500);
    bench.run("x", &a(), Act::Release, at(9)).unwrap();
    for mut child in children {
        child.kill().unwrap();
        child.wait().unwrap();
    }
}

// --- deaths ---------------------------------------------------------------------------------------

/// Not a test of its own: what the next test starts and kills.
#[test]
fn as_child() {
    let Ok(dir) = std::env::var("LEASEGUARD_TEST_CHURN") else {
        return;
    };
    let store = Dir::new(Path::new(&dir), BOOT);
    let stage = Stage::default();
    let id = std::process::id();
    let who = session(&format!("s{id}"), id);
    let mut dice = Dice(u64::from(id));
    loop {
        let checkout = format!("x{}", dice.roll(3));
        let bench = Bench::new(&store, &stage);
        let act = match dice.roll(4) {
            0 => Act::Release,
            1 => renew(),
            2 => takeover(&checkout),
            _ => claim(named(&checkout, &format!("b{}", dice.roll(9)), &checkout)),
        };
        let now = at(i64::try_from(dice.roll(5)).unwrap() * 1000);
        let _ = bench.run(&checkout, &who, act, now);
    }
}

fn churn(dir: &Path) -> Child {
    Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "as_child", "--nocapture"])
        .env("LEASEGUARD_TEST_CHURN", dir)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap()
}

// I8, R45, R9, D8
#[test]
fn killed_at_any_moment_a_writer_leaves_whole_files_and_no_lock() {
    let temp = quick_dir();
    let store = Dir::new(temp.path(), BOOT);
    let folder = temp.path().join("v1").join(REPO);
    let mut dice = Dice(11);
    let (mut claims, mut left) = (0, 0);
    for round in 0..if long() { 500 } else { 100 } {
        let mut writers: Vec<Child> = (0..3).map(|_| churn(temp.path())).collect();
        std::thread::sleep(Duration::from_millis(6 + dice.roll(14) as u64));
        for writer in &mut writers {
            writer.kill().unwrap();
        }
        for mut writer in writers {
            writer.wait().unwrap();
        }
        for (checkout, slot) in store.all(REPO).unwrap_or_default() {
            let claim = slot.claim();
            assert!(claim.is_some(), "round {round}: {checkout} {slot:?}");
            claims += 1;
            // Whoever the names lead to has them.
            let branch = claim.unwrap().branch.clone().unwrap();
            let holder = store.named(REPO, &Name::Branch(branch));
            assert_eq!(holder.claim(), claim, "round {round}");
        }
        for entry in fs::read_dir(folder.join("retired")).into_iter().flatten() {
            let text = fs::read(entry.unwrap().path()).unwrap();
            assert!(matches!(Claim::read(&text), Slot::Held(_)), "round {round}");
        }
        left += fs::read_dir(folder.join("tmp")).map_or(0, Iterator::count);
        // The system freed the lock, whoever held it.
        let stage = Stage::default();
        let mut bench = Bench::new(&store, &stage);
        bench.wait = Duration::from_millis(100);
        let result = bench.run("free", &a(), Act::Release, at(0));
        assert_eq!(code(result), "E_UNREGISTERED", "round {round}");
    }
    println!("{claims} claims seen, {left} unfinished files");
    assert!(
        claims > 50,
        "only {claims} claims were seen: the writers wrote nothing"
    );
}

#[test]
fn unfinished_files_of_the_dead_are_swept_and_those_of_the_living_are_not() {
    let disk = Disk::new();
    disk.bench().claim("x", &a(), Moment::now()).unwrap();
    let tmp = disk.folder().join("tmp");
    let old = File::create(tmp.join("9.1")).unwrap();
    old.set_modified(std::time::SystemTime::now() - Duration::from_secs(120))
        .unwrap();
    File::create(tmp.join("9.2")).unwrap();
    disk.bench()
        .run("x", &a(), Act::Release, Moment::now())
        .unwrap();
    assert!(!tmp.join("9.1").exists() && tmp.join("9.2").exists());
}

/// What is remembered of checkouts that are gone is bounded by age and by number.
#[test]
fn the_last_claims_of_checkouts_that_are_gone_are_swept_and_those_of_others_stay() {
    const MOST: usize = 200;
    let disk = Disk::new();
    let retired = disk.folder().join("retired");
    let (first, now) = (a(), Moment::now());
    disk.bench().claim("x", &first, now).unwrap();
    disk.bench().run("x", &first, Act::Release, now).unwrap();
    let text = fs::read_to_string(retired.join("x.json")).unwrap();
    let put = |name: &str, git_dir: &Path, days: u64| {
        let mut record: serde_json::Value = serde_json::from_str(&text).unwrap();
        record["checkout"]["gitDir"] = git_dir.to_str().unwrap().into();
        let path = retired.join(format!("{name}.json"));
        fs::write(&path, record.to_string()).unwrap();
        let file = File::options().write(true).open(path).unwrap();
        let age = Duration::from_secs(days * 86_400);
        file.set_modified(std::time::SystemTime::now() - age)
            .unwrap();
    };
    let gone = Path::new("/no/such/git/dir");
    let there = |name: &str| retired.join(format!("{name}.json")).exists();
    let release = || {
        let who = b();
        disk.bench().claim("y", &who, now).unwrap();
        disk.bench().run("y", &who, Act::Release, now).unwrap();
    };
    put("old-gone", gone, 40);
    put("old-there", disk.temp.path(), 40);
    put("new-gone", gone, 20);
    fs::write(retired.join("strange.json"), "{").unwrap();
    release();
    assert!(!there("old-gone") && there("old-there") && there("new-gone"));
    for n in 0..MOST + 50 {
        put(&format!("many-{n:03}"), gone, 10);
    }
    release();
    assert!(!there("new-gone") && there("old-there") && there("y") && there("strange"));
    assert_eq!(fs::read_dir(&retired).unwrap().count(), MOST);
}

// 4.5 (j) O_EXCL steal: a lock that is a file's being there is taken twice when its owner has died.
#[cfg(unix)]
#[test]
fn peer_defect_a_lock_file_that_a_dead_process_left_keeps_nobody_out_and_stays() {
    use std::os::unix::fs::MetadataExt;
    let disk = Disk::new();
    disk.bench().claim("x", &a(), at(0)).unwrap();
    disk.bench().run("x", &a(), Act::Release, at(1)).unwrap();
    let lock = disk.folder().join(".lock");
    fs::write(&lock, "999999").unwrap();
    let inode = || fs::metadata(&lock).unwrap().ino();
    let first = inode();
    assert_eq!(race(&disk.store, true), 1);
    assert_eq!(inode(), first);
    assert_eq!(fs::read_to_string(&lock).unwrap(), "999999");
}

/// After a restart the entries of names may be lost, and the claims are not.
#[test]
fn an_index_of_another_boot_is_made_anew_and_until_then_not_trusted() {
    let disk = Disk::new();
    disk.bench().claim("x", &a(), at(0)).unwrap();
    for kind in ["branch", "ticket", "agent"] {
        let dir = disk.folder().join("index").join(kind);
        fs::remove_dir_all(&dir).unwrap();
        fs::create_dir(&dir).unwrap();
    }
    let after = Dir::new(disk.temp.path(), "next");
    let branch = Name::Branch("feat/x".to_owned());
    assert!(after.named(REPO, &branch).claim().is_some());
    let bench = Bench::new(&after, &disk.stage);
    let result = bench.run("y", &b(), claim(named("y", "feat/x", "T")), at(1));
    assert_eq!(code(result), "E_BRANCH_TAKEN");
    assert!(after.named(REPO, &branch).claim().is_some());
    assert_eq!(
        fs::read_dir(disk.folder().join("index/branch"))
            .unwrap()
            .count(),
        1
    );
}

// --- broken and strange records -------------------------------------------------------------------

#[test]
fn a_torn_record_is_put_aside_and_its_checkout_stays_held() {
    let disk = Disk::new();
    disk.bench().claim("x", &a(), at(0)).unwrap();
    let whole = fs::read(disk.record("x")).unwrap();
    for torn in [&b""[..], &whole[..whole.len() / 2], b"\xff\xfe", b"[]"] {
        fs::write(disk.record("x"), torn).unwrap();
        assert!(matches!(disk.store.at(REPO, "x"), Slot::Corrupt(_)));
        for act in [claim(wanted("x")), renew(), takeover("x")] {
            assert_eq!(
                code(disk.bench().run("x", &b(), act, at(86_400))),
                "E_CORRUPT"
            );
        }
        let Slot::Corrupt(why) = disk.store.at(REPO, "x") else {
            panic!("the checkout is free");
        };
        let aside = why.split('`').nth(1).unwrap();
        assert_eq!(fs::read(aside).unwrap(), torn);
        // Its branch is held too, since nobody can say that it is not.
        let other = disk
            .bench()
            .run("y", &b(), claim(named("y", "feat/x", "T")), at(1));
        assert_eq!(code(other), "E_CORRUPT");
        let act = Act::Override {
            claim_id: CORRUPT.to_owned(),
            reason: "looked at it".to_owned(),
        };
        disk.bench()
            .run("x", &Asker::default(), act, at(2))
            .unwrap();
        disk.bench().claim("x", &a(), at(3)).unwrap();
        fs::remove_file(aside).unwrap();
    }
}

#[cfg(unix)]
#[test]
fn something_else_in_the_place_of_a_record_is_held_and_nobody_waits_for_it() {
    let disk = Disk::new();
    disk.bench().claim("x", &a(), at(0)).unwrap();
    fs::remove_file(disk.record("x")).unwrap();
    let made = Command::new("mkfifo")
        .arg(disk.record("x"))
        .status()
        .unwrap();
    assert!(made.success());
    assert_eq!(code(disk.bench().claim("x", &a(), at(1))), "E_CORRUPT");
    fs::remove_file(disk.record("x")).unwrap();
    fs::create_dir(disk.record("x")).unwrap();
    assert_eq!(code(disk.bench().claim("x", &a(), at(1))), "E_CORRUPT");
}

// I10, R31
#[test]
fn a_change_leaves_other_records_and_strange_fields_as_they_are() {
    let disk = Disk::new();
    disk.bench().claim("x", &a(), at(0)).unwrap();
    disk.bench().claim("y", &b(), at(0)).unwrap();
    let other = fs::read(disk.record("y")).unwrap();
    let text = fs::read_to_string(disk.record("x")).unwrap();
    let added = text.replacen('{', "{\n  \"zoo\": {\"b\": 1, \"a\": [1.5, null]},", 1);
    fs::write(disk.record("x"), added).unwrap();
    let stage = Act::Renew {
        stage: Some(Step::InReview),
        ttl: None,
    };
    disk.bench().run("x", &a(), stage, at(1)).unwrap();
    let now: serde_json::Value =
        serde_json::from_slice(&fs::read(disk.record("x")).unwrap()).unwrap();
    assert_eq!(now["zoo"].to_string(), r#"{"b":1,"a":[1.5,null]}"#);
    assert_eq!(now["state"], "in-review");
    assert_eq!(fs::read(disk.record("y")).unwrap(), other);
}

#[test]
fn a_record_of_a_later_leaseguard_is_left_byte_for_byte() {
    let disk = Disk::new();
    disk.bench().claim("x", &a(), at(0)).unwrap();
    let text = fs::read_to_string(disk.record("x")).unwrap();
    let newer = text.replace("\"schema\": 1", "\"schema\": 2");
    assert_ne!(newer, text);
    fs::write(disk.record("x"), &newer).unwrap();
    for act in [claim(wanted("x")), renew(), Act::Release, takeover("x")] {
        assert_eq!(
            code(disk.bench().run("x", &a(), act, at(1))),
            "E_SCHEMA_NEWER"
        );
    }
    assert_eq!(fs::read_to_string(disk.record("x")).unwrap(), newer);
}

#[test]
fn a_store_in_a_folder_that_is_kept_in_step_is_refused_unless_allowed() {
    let temp = tempfile::tempdir().unwrap();
    fs::create_dir(temp.path().join(".stfolder")).unwrap();
    let stage = Stage::default();
    let store = Dir::new(temp.path(), BOOT);
    let mut bench = Bench::new(&store, &stage);
    assert_eq!(code(bench.claim("x", &a(), at(0))), "E_SYNC_FOLDER");
    bench.terms.allowed.sync = true;
    bench.claim("x", &a(), at(0)).unwrap();
}

#[cfg(unix)]
#[test]
fn records_are_closed_to_other_users() {
    use std::os::unix::fs::PermissionsExt;
    let disk = Disk::new();
    disk.bench().claim("x", &a(), at(0)).unwrap();
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o077;
    assert_eq!(mode(&disk.record("x")), 0);
    assert_eq!(mode(&disk.folder()), 0);
}
