//! Whether CI or a review still works on the head that a push would replace.
//!
//! Providers turn what a forge says into one [`Answer`]; [`judge()`] turns that into a [`State`].

mod address;
mod answer;
mod bots;
mod cache;
mod child;
mod judge;
mod login;
mod provider;

pub use address::Address;
pub use answer::{Answer, Check, Phase, Pull, Trouble, Voice};
pub use judge::{judge, lines};
pub use provider::{Asked, Query, choose, github, gitlab, nowhere};

pub use crate::state::time::Moment;

use crate::policy::{Gate, Policy};
use cache::Cache;
use serde::{Deserialize, Serialize};
use std::ffi::OsString;
use std::time::{Duration, Instant};

/// How long one forge may take.
pub const WAIT: Duration = Duration::from_millis(2500);

/// The branch that is asked about.
#[derive(Debug, Clone, Copy)]
pub struct Subject<'a> {
    /// Where a push to it goes, after `insteadOf` and its kin.
    pub url: &'a str,
    /// Its short name there.
    pub branch: &'a str,
    /// The commit that it was last seen at.
    pub head: Option<&'a str>,
    /// When this repository last pushed it, if that was its last move.
    pub pushed: Option<Moment>,
    /// When this repository last saw it move.
    pub seen: Option<Moment>,
}

/// What the process has around it.
#[derive(Clone, Copy)]
pub struct Env<'a> {
    /// A variable of the environment.
    pub look: &'a dyn Fn(&str) -> Option<OsString>,
    /// The clock, where it is not the system's.
    pub now: Option<Moment>,
    /// How long all of this may take.
    pub left: Duration,
}

impl Env<'_> {
    fn now(&self) -> Moment {
        self.now.unwrap_or_else(Moment::now)
    }
}

/// How one line of a state counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Standing {
    /// Nothing to wait for.
    Settled,
    /// A push would cut it off.
    Running,
    /// It cannot be told.
    Doubt,
}

/// One check, review or other fact about the head.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Line {
    /// The pull request.
    pub pull: Option<u64>,
    /// What it is: the name of a check or bot.
    pub what: String,
    /// How it counts.
    pub standing: Standing,
    /// Why, in words.
    pub why: String,
    /// Since when it runs.
    pub since: Option<Moment>,
    /// It is a review, not CI.
    pub review: bool,
}

/// What can be told of a branch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum State {
    /// Nothing runs.
    Idle,
    /// These run.
    InFlight(Vec<Line>),
    /// It cannot be told, and why.
    Unclear(Vec<String>),
}

impl State {
    /// The state that some lines make: what runs goes before what is not known.
    pub fn of(lines: Vec<Line>) -> State {
        let (running, rest): (Vec<Line>, Vec<Line>) = lines
            .into_iter()
            .partition(|line| line.standing == Standing::Running);
        if !running.is_empty() {
            return State::InFlight(running);
        }
        let doubts: Vec<String> = rest
            .iter()
            .filter(|line| line.standing == Standing::Doubt)
            .map(|line| line.shown(Moment(0)))
            .collect();
        match doubts.is_empty() {
            true => State::Idle,
            false => State::Unclear(doubts),
        }
    }
}

/// A moment as a clock shows it in UTC: `14:05Z`.
pub fn clock(at: Moment) -> String {
    let text = at.to_string();
    format!("{}Z", text.get(11..16).unwrap_or_default())
}

/// What was heard of a branch a moment ago, without asking anybody.
pub fn recall(subject: &Subject<'_>, policy: &Policy, env: &Env<'_>) -> Option<State> {
    Cache::of(subject, policy, env)?.read(env.now())
}

/// What is known of a branch, asked at most once in a while; `None` where the gate is off. What was
/// heard already is told by [`recall`].
pub fn look(subject: &Subject<'_>, policy: &Policy, env: &Env<'_>) -> Option<State> {
    if policy.ci_gate() == Gate::Off || nowhere(subject.url, policy) {
        return None;
    }
    let deadline = Instant::now() + env.left.min(WAIT);
    let cache = Cache::of(subject, policy, env);
    let query = |asked: Asked| {
        let told = asked.ask(&Query {
            subject,
            policy,
            env,
            deadline,
        });
        match told {
            Ok(answer) => judge(&answer, subject, policy, env.now()),
            Err(trouble) => State::Unclear(vec![trouble.to_string()]),
        }
    };
    let asked = match choose(subject, policy, env) {
        Ok(Some(asked)) => asked,
        Ok(None) => return None,
        Err(trouble) => return Some(State::Unclear(vec![trouble.to_string()])),
    };
    let Some(cache) = cache else {
        return Some(query(asked));
    };
    // Of many who come at once one asks, and the others wait for what it hears.
    match cache.lock(deadline) {
        cache::Turn::Mine(_lock) => {
            if let Some(state) = cache.read(env.now()) {
                return Some(state);
            }
            let state = query(asked);
            cache.write(&state, env.now());
            Some(state)
        }
        cache::Turn::Late => {
            let told = cache.read(env.now());
            let late = "another call has been asking for too long".to_owned();
            Some(told.unwrap_or_else(|| State::Unclear(vec![late])))
        }
        cache::Turn::Nowhere => Some(query(asked)),
    }
}

/// What is known of a branch line by line, asked anew; `Ok(None)` where the gate is off.
pub fn report(
    subject: &Subject<'_>,
    policy: &Policy,
    env: &Env<'_>,
) -> Result<Option<Vec<Line>>, Trouble> {
    if policy.ci_gate() == Gate::Off || nowhere(subject.url, policy) {
        return Ok(None);
    }
    let Some(asked) = choose(subject, policy, env)? else {
        return Ok(None);
    };
    let deadline = Instant::now() + env.left;
    let answer = asked.ask(&Query {
        subject,
        policy,
        env,
        deadline,
    })?;
    let lines = lines(&answer, subject, policy, env.now());
    if let Some(cache) = Cache::of(subject, policy, env) {
        cache.write(&State::of(lines.clone()), env.now());
    }
    Ok(Some(lines))
}
