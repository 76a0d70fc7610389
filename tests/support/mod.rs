//! What the tests share: fixture repositories built by real git, and calls judged inside them.
//!
//! Each test program uses its own part of this, so unused parts are no mistake here.
#![allow(
    dead_code,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    clippy::print_stderr,
    clippy::string_slice
)]

pub(crate) mod cases;
pub(crate) mod claims;
pub(crate) mod desk;
pub(crate) mod effects;
#[cfg(unix)]
pub(crate) mod fleet;
pub(crate) mod forge;
pub(crate) mod git;
#[cfg(unix)]
pub(crate) mod hooked;
pub(crate) mod lease;
pub(crate) mod lost;
#[cfg(unix)]
pub(crate) mod outside;
pub(crate) mod plan;
pub(crate) mod repo;
pub(crate) mod rules;
pub(crate) mod setup;
pub(crate) mod source;
pub(crate) mod text;
pub(crate) mod wrap;
#[cfg(unix)]
pub(crate) mod yard;

use leaseguard::call::{Call, Dialect, What};
use leaseguard::policy::Policy;
use leaseguard::verdict::{Decision, Verdict};
use leaseguard::world::{Environment, Surroundings};
use std::path::PathBuf;
use std::sync::Arc;

/// The top of this package.
pub(crate) fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

/// True when the whole of every sample is wanted.
pub(crate) fn long() -> bool {
    std::env::var_os("LEASEGUARD_LONG").is_some_and(|v| v != "0")
}

/// True when expected texts shall be rewritten from what is.
pub(crate) fn update() -> bool {
    std::env::var_os("UPDATE").is_some_and(|v| v != "0")
}

/// A fixture repository together with what the host says of the call.
#[derive(Clone)]
pub(crate) struct Stage {
    /// The repository.
    pub(crate) repo: Arc<repo::Repo>,
    /// The host keeps a shell open whose typed lines no hook sees.
    pub(crate) unseen_typing: bool,
}

impl Stage {
    /// The repository that `setup` describes, on a host that sees all.
    pub(crate) fn of(setup: &setup::Setup) -> Stage {
        Stage {
            repo: repo::get(setup),
            unseen_typing: false,
        }
    }

    /// The call that an agent host would hand over for `command`.
    pub(crate) fn call(&self, command: &str) -> Call {
        Call {
            session: Some("fixture".to_owned()),
            agent: None,
            cwd: Some(self.repo.cwd.clone()),
            unseen_typing: self.unseen_typing,
            what: What::Shell {
                dialect: Dialect::Bash,
                text: command.to_owned(),
            },
        }
    }

    /// Judges `command` here.
    pub(crate) fn judge(&self, command: &str) -> Verdict {
        self.judge_in(Dialect::Bash, command)
    }

    /// Judges `text` here.
    pub(crate) fn judge_in(&self, dialect: Dialect, text: &str) -> Verdict {
        let mut call = self.call(text);
        if let What::Shell { dialect: own, .. } = &mut call.what {
            *own = dialect;
        }
        self.judge_call(call, 0)
    }

    /// Judges `command` so many seconds later, as far as claims go.
    pub(crate) fn judge_later(&self, command: &str, seconds: i64) -> Verdict {
        self.judge_call(self.call(command), seconds)
    }

    /// Judges `call`. A panic is a fault: it must not hide the other cases of a report.
    fn judge_call(&self, call: Call, seconds: i64) -> Verdict {
        let around = Surroundings {
            cwd: Some(self.repo.cwd.clone()),
            home: Some(self.repo.home.clone()),
            env: if self.repo.git_env {
                Environment::new(|name| (name == "GIT_DIR").then(|| "set".into()))
            } else {
                Environment::default()
            },
            claims: claims::watch_later(&self.repo, seconds),
            now: self.repo.forge.as_ref().and_then(|f| f.now),
            ..Surroundings::default()
        };
        let policy = match (&self.repo.policy, &self.repo.forge) {
            (Some(policy), _) => policy.clone(),
            (None, Some(forge)) => forge.policy.clone(),
            (None, None) => Policy::default(),
        };
        std::panic::catch_unwind(std::panic::AssertUnwindSafe(move || {
            leaseguard::guard::judge(&call, around, &policy)
        }))
        .unwrap_or_else(|cause| {
            let what = cause
                .downcast_ref::<String>()
                .cloned()
                .or_else(|| cause.downcast_ref::<&str>().map(|s| (*s).to_owned()))
                .unwrap_or_default();
            Verdict::failed("test/panic", what)
        })
    }

    /// `text` with this repository's surroundings as `@W@`, so that it can be written down.
    pub(crate) fn portable(&self, text: &str) -> String {
        text.replace(&*self.repo.root.to_string_lossy(), "@W@")
    }
}

/// A verdict in one line for reports: `deny [git/force-push]`.
pub(crate) fn told(verdict: &Verdict) -> String {
    if let Some(fault) = &verdict.fault {
        return format!("FAULT {} {}", fault.code, fault.what);
    }
    if verdict.findings.is_empty() {
        return "allow".to_owned();
    }
    let list: Vec<String> = verdict
        .findings
        .iter()
        .map(|f| {
            if f.decision == verdict.decision() {
                f.rule.to_owned()
            } else {
                format!("{} {}", f.decision, f.rule)
            }
        })
        .collect();
    format!("{} [{}]", verdict.decision(), list.join(", "))
}

/// Whether `rule` itself gave the decision `want`, and nothing went wrong.
pub(crate) fn says(verdict: &Verdict, rule: &str, want: Decision) -> bool {
    verdict.fault.is_none()
        && verdict.decision() == want
        && (want == Decision::Allow && verdict.findings.is_empty()
            || verdict
                .findings
                .iter()
                .any(|f| f.rule == rule && f.decision == want))
}

/// `text` on one line, cut to a readable length.
pub(crate) fn brief(text: &str) -> String {
    let line = text.replace('\n', "\u{23ce}");
    if line.chars().count() > 150 {
        line.chars().take(147).chain("...".chars()).collect()
    } else {
        line
    }
}

/// Collects failures and prints them in one report at the end.
#[derive(Default)]
pub(crate) struct Report {
    lines: Vec<(String, String)>,
    checked: usize,
}

impl Report {
    /// Counts one check.
    pub(crate) fn check(&mut self, ok: bool, group: &str, line: impl FnOnce() -> String) {
        self.checked += 1;
        if !ok {
            self.lines.push((group.to_owned(), line()));
        }
    }

    /// Notes a failure that is no check of its own.
    pub(crate) fn fail(&mut self, group: &str, line: impl Into<String>) {
        self.lines.push((group.to_owned(), line.into()));
    }

    /// How many failures there are in `group`.
    pub(crate) fn failed_in(&self, group: &str) -> usize {
        self.lines.iter().filter(|(g, _)| g == group).count()
    }

    /// How many checks were made.
    pub(crate) fn checked(&self) -> usize {
        self.checked
    }

    /// Prints what failed, at most `LEASEGUARD_SHOW` (20) lines a group, and fails if anything did.
    #[track_caller]
    pub(crate) fn end(self, title: &str) {
        let show: usize = std::env::var("LEASEGUARD_SHOW")
            .ok()
            .and_then(|v| v.parse().ok())
            .unwrap_or(20);
        let mut groups: Vec<(&str, Vec<&str>)> = Vec::new();
        for (group, line) in &self.lines {
            match groups.iter_mut().find(|(g, _)| g == group) {
                Some((_, lines)) => lines.push(line),
                None => groups.push((group, vec![line])),
            }
        }
        println!(
            "{title}: {} checked, {} failed",
            self.checked,
            self.lines.len()
        );
        for (group, lines) in &groups {
            println!("  {group}: {} failed", lines.len());
            for line in lines.iter().take(show) {
                println!("    {line}");
            }
            if lines.len() > show {
                println!(
                    "    … {} more (LEASEGUARD_SHOW={})",
                    lines.len() - show,
                    lines.len()
                );
            }
        }
        assert!(
            self.lines.is_empty(),
            "{title}: {} of {} checks failed, see above",
            self.lines.len(),
            self.checked
        );
    }
}

/// Splits work that is pure computation over two threads; the order of results is kept.
pub(crate) fn spread<T: Sync, R: Send>(items: &[T], work: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let half = items.len().div_ceil(2);
    let (left, right) = items.split_at(half);
    std::thread::scope(|scope| {
        let other = scope.spawn(|| right.iter().map(&work).collect::<Vec<R>>());
        let mut all: Vec<R> = left.iter().map(&work).collect();
        all.extend(other.join().expect("a worker thread panicked"));
        all
    })
}
