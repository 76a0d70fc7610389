//! Walks by chance through a small fleet, each step foretold by a model that knows only who has what.

use super::support::lease::{Bench, Dice, REPO, Stage, T0, claim, named, renew, session, takeover};
use super::support::long;
use leaseguard::lease::asker::Asker;
use leaseguard::lease::clock::last_seen;
use leaseguard::lease::law::Act;
use leaseguard::lease::record::Slot;
use leaseguard::lease::store::Store;
use leaseguard::lease::store::dir::Dir;
use leaseguard::lease::store::memory::Memory;
use leaseguard::state::time::Moment;

const CHECKOUTS: [&str; 4] = ["c0", "c1", "c2", "c3"];
const TTL: i64 = 300_000;

/// A session as the model knows it.
#[derive(Clone)]
struct Player {
    name: String,
    pid: u32,
    start: u64,
    alive: bool,
}

/// Who has a checkout.
#[derive(Clone, Debug, PartialEq)]
struct Has {
    player: usize,
    /// The start of the process that had it last: one process is never another.
    start: u64,
    branch: String,
    ticket: String,
    epoch: u64,
}

struct Walk<'a> {
    bench: Bench<'a>,
    stage: &'a Stage,
    dice: Dice,
    players: Vec<Player>,
    model: [Option<Has>; 4],
    epochs: [u64; 4],
    busy: [bool; 4],
    now: Moment,
    high: Moment,
    starts: u64,
    trail: Vec<String>,
    agreed: [usize; 2],
}

impl Walk<'_> {
    fn new<'a>(store: &'a dyn Store, stage: &'a Stage, seed: u64) -> Walk<'a> {
        let mut walk = Walk {
            bench: Bench::new(store, stage),
            stage,
            dice: Dice(seed),
            players: Vec::new(),
            model: [const { None }; 4],
            epochs: [0; 4],
            busy: [false; 4],
            now: T0,
            high: T0,
            starts: 0,
            trail: Vec::new(),
            agreed: [0; 2],
        };
        for n in 0..4 {
            walk.players.push(Player {
                name: format!("s{n}"),
                pid: 0,
                start: 0,
                alive: false,
            });
            walk.spawn(n);
        }
        walk
    }

    /// Starts a process for a session, often under an id that another one had.
    fn spawn(&mut self, n: usize) {
        let free: Vec<u32> = (1..6)
            .filter(|pid| !self.players.iter().any(|p| p.alive && p.pid == *pid))
            .collect();
        self.starts += 1;
        let (pid, start) = (free[self.dice.roll(free.len())], self.starts);
        self.stage.start(pid, start);
        let player = &mut self.players[n];
        (player.pid, player.start, player.alive) = (pid, start, true);
    }

    fn asker(&self, n: usize) -> Asker {
        let player = &self.players[n];
        let mut who = session(&player.name, player.pid);
        who.process.as_mut().unwrap().start = player.start;
        who
    }

    fn lives(&self, has: &Has) -> bool {
        self.players.iter().any(|p| p.alive && p.start == has.start)
    }

    fn taken(&self, but: usize, what: impl Fn(&Has) -> bool) -> bool {
        (0..4).any(|c| c != but && self.model[c].as_ref().is_some_and(&what))
    }

    fn step(&mut self) {
        let (n, c) = (self.dice.roll(4), self.dice.roll(4));
        match self.dice.roll(16) {
            0 => {
                self.now = Moment(self.now.0 + self.dice.roll(400_000) as i64);
                self.high = self.high.max(self.now);
            }
            1 => {
                let back = self.now.0 - self.dice.roll(40_000) as i64;
                self.now = Moment(back.max(self.high.0 - 50_000));
            }
            2 | 3 => {
                if self.players[n].alive {
                    self.players[n].alive = false;
                    self.stage.kill(self.players[n].pid);
                } else {
                    self.spawn(n);
                }
            }
            4 => {
                self.busy[c] = !self.busy[c];
                self.stage.work(CHECKOUTS[c], usize::from(self.busy[c]));
            }
            5..=8 => self.claim(n, c),
            9 | 10 => self.holder(n, c, false),
            11 => self.holder(n, c, true),
            _ => self.takeover(n, c),
        }
    }

    fn claim(&mut self, n: usize, c: usize) {
        let (branch, ticket) = (
            format!("b{}", self.dice.roll(5)),
            format!("t{}", self.dice.roll(5)),
        );
        let free = !self.taken(c, |h| h.branch == branch || h.ticket == ticket);
        let may = match &self.model[c] {
            Some(has) => has.player == n && free,
            None => free && !self.taken(c, |h| h.player == n),
        };
        let act = claim(named(CHECKOUTS[c], &branch, &ticket));
        if self.try_it(n, c, act, may) {
            if self.model[c].is_none() {
                self.epochs[c] += 1;
            }
            self.model[c] = Some(self.has(n, c, branch, ticket));
        }
    }

    fn has(&self, n: usize, c: usize, branch: String, ticket: String) -> Has {
        Has {
            player: n,
            start: self.players[n].start,
            branch,
            ticket,
            epoch: self.epochs[c],
        }
    }

    /// Renewing and giving back are for the holder.
    fn holder(&mut self, n: usize, c: usize, release: bool) {
        let may = self.model[c].as_ref().is_some_and(|has| has.player == n);
        let act = if release { Act::Release } else { renew() };
        if self.try_it(n, c, act, may) {
            let start = self.players[n].start;
            match &mut self.model[c] {
                has if release => *has = None,
                Some(has) => has.start = start,
                None => {}
            }
        }
    }

    fn takeover(&mut self, n: usize, c: usize) {
        let seen = self.bench.store.at(REPO, CHECKOUTS[c]);
        let seen = seen.held().map(last_seen);
        let over = seen.is_some_and(|seen| self.now.0 >= seen.0 + TTL);
        let may = self.model[c]
            .as_ref()
            .is_some_and(|has| has.player != n && !self.lives(has) && over && !self.busy[c])
            && !self.taken(c, |h| h.player == n);
        let mut wanted = named(CHECKOUTS[c], "", "");
        (wanted.branch, wanted.ticket) = (None, None);
        let mut act = takeover(CHECKOUTS[c]);
        if let Act::Takeover { wanted: inner, .. } = &mut act {
            **inner = wanted;
        }
        if self.try_it(n, c, act, may)
            && let Some(old) = self.model[c].clone()
        {
            self.epochs[c] += 1;
            self.model[c] = Some(self.has(n, c, old.branch, old.ticket));
        }
    }

    /// Asks the law, and wants it to agree with the model.
    fn try_it(&mut self, n: usize, c: usize, act: Act, may: bool) -> bool {
        if !self.players[n].alive {
            return false;
        }
        self.trail.push(format!(
            "s{n} {} {act:?} at {}",
            CHECKOUTS[c],
            self.now.0 - T0.0
        ));
        let before = self.bench.store.at(REPO, CHECKOUTS[c]);
        let result = self.bench.run(CHECKOUTS[c], &self.asker(n), act, self.now);
        assert_eq!(
            result.is_ok(),
            may,
            "{:?}\nmodel {:?}\n{}",
            result,
            self.model,
            self.trail.join("\n")
        );
        self.agreed[usize::from(may)] += 1;
        if result.is_err() {
            assert_eq!(
                self.bench.store.at(REPO, CHECKOUTS[c]),
                before,
                "a refusal changes nothing"
            );
        }
        may
    }

    /// I1 to I4 and I7, and that the store has what the model has.
    fn agree(&self) {
        let mut names = Vec::new();
        for (c, model) in self.model.iter().enumerate() {
            let slot = self.bench.store.at(REPO, CHECKOUTS[c]);
            let claim = slot.claim();
            assert_eq!(
                claim.is_some(),
                model.is_some(),
                "{}",
                self.trail.join("\n")
            );
            let (Some(claim), Some(has)) = (claim, model) else {
                assert_eq!(slot, Slot::Free);
                continue;
            };
            let owner = &self.players[has.player].name;
            assert!(claim.owner.session_ids.contains(owner));
            assert_eq!(claim.branch.as_deref(), Some(has.branch.as_str()));
            assert_eq!(claim.ticket.as_deref(), Some(has.ticket.as_str()));
            assert_eq!(claim.epoch, has.epoch);
            names.extend([
                format!("branch {}", has.branch),
                format!("ticket {}", has.ticket),
                format!("agent {owner}"),
            ]);
        }
        let all = names.len();
        names.sort();
        names.dedup();
        assert_eq!(names.len(), all, "something is held twice: {names:?}");
    }
}

fn walk(store: &dyn Store, seed: u64, steps: usize) -> [usize; 2] {
    let stage = Stage::default();
    let mut walk = Walk::new(store, &stage, seed);
    for _ in 0..steps {
        walk.step();
        walk.agree();
    }
    walk.agreed
}

#[test]
fn the_law_agrees_with_a_model_that_knows_only_who_has_what() {
    let walks = if long() { 20_000 } else { 600 };
    let mut agreed = [0; 2];
    for seed in 0..walks {
        let [no, yes] = walk(&Memory::default(), seed, 120);
        agreed = [agreed[0] + no, agreed[1] + yes];
    }
    // A walk that is nearly always refused, or hardly ever, proves little.
    let [no, yes] = agreed;
    println!("{yes} granted, {no} refused");
    assert!(
        yes * 20 > no && no * 20 > yes,
        "{yes} granted, {no} refused"
    );
}

#[test]
fn the_store_on_disk_agrees_with_the_model_too() {
    for seed in 0..if long() { 200 } else { 4 } {
        let temp = tempfile::tempdir().unwrap();
        walk(&Dir::new(temp.path(), ""), seed, 100);
    }
}
