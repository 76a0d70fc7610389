//! The door for agent hosts: a message on stdin, the answer in the host's own words.
//!
//! Whatever goes wrong here ends in a denial, because hosts run the tool after any other failure.

use super::colleagues::{left, seated};
use super::{afterwards, brief, home, input, session, terminal};
use crate::call::{Call, What};
use crate::guard;
use crate::host::{self, Reply};
use crate::policy::{Policy, Shelf};
use crate::state::seen::{self, Kind};
use crate::verdict::{Fault, Finding, Verdict};
use std::ffi::OsString;
use std::io::IsTerminal;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Instant;

/// Here only for `--help`; the door reads its arguments by hand.
#[derive(clap::Args)]
pub(super) struct Args {
    /// The host that calls; its message has to agree
    #[arg(long, value_name = "NAME")]
    host: Option<String>,
}

/// Answers one message; `args` follow the word `hook`.
pub fn run(args: impl Iterator<Item = OsString>) -> u8 {
    std::panic::set_hook(Box::new(|_| {}));
    let answered = catch_unwind(AssertUnwindSafe(|| deliver(&answer(args))));
    answered.unwrap_or_else(|_| deliver(&host::fallback(&panicked())))
}

fn answer(args: impl Iterator<Item = OsString>) -> Reply {
    let named = named(args);
    // A person who typed something wrong need not end an input that nobody reads.
    let named = match named {
        Ok(named) => named,
        Err(fault) => {
            if !std::io::stdin().is_terminal() {
                let _ = input::stdin();
            }
            return refused(fault);
        }
    };
    let bytes = input::stdin();
    let heard = bytes
        .as_ref()
        .map_err(Clone::clone)
        .and_then(|bytes| input::headroom(bytes.len()).map(|()| bytes))
        .and_then(|bytes| host::hear(bytes, named));
    match heard {
        Ok(heard) => {
            let judged = catch_unwind(AssertUnwindSafe(|| {
                judge(&heard, bytes.as_deref().unwrap_or_default())
            }));
            let verdict = judged.unwrap_or_else(|_| panicked());
            let reply = heard.reply(&verdict);
            if reply.asks {
                afterwards::shown(&verdict);
            }
            // The process ends with the answer: nothing is taken apart for nobody.
            std::mem::forget(verdict);
            reply
        }
        Err(fault) => refused(fault),
    }
}

/// The host that the arguments name, as our own list spells it.
fn named(args: impl Iterator<Item = OsString>) -> Result<Option<&'static str>, Fault> {
    let wrong = |what: String| Fault {
        code: "fault/bad-argument",
        what: format!("{what}; usage: leaseguard hook [--host NAME], the message on stdin"),
    };
    let mut args = args;
    let mut named = None;
    while let Some(arg) = args.next() {
        let arg = arg.to_string_lossy();
        let value = match arg.strip_prefix("--host") {
            Some("") => args.next().map(|v| v.to_string_lossy().into_owned()),
            Some(rest) => rest.strip_prefix('=').map(str::to_owned),
            None => None,
        };
        let Some(value) = value else {
            return Err(wrong(format!("`hook` does not take `{arg}`")));
        };
        let host = host::ALL.iter().find(|host| host.name == value);
        let host = host.ok_or_else(|| wrong(format!("there is no host `{value}`")))?;
        named = Some(host.name);
    }
    Ok(named)
}

/// Judges every call of the message; the strictest finding wins.
fn judge(heard: &host::Heard<'_>, payload: &[u8]) -> Verdict {
    seeded_panic();
    let calls = match heard.calls() {
        Ok(calls) => calls,
        Err(fault) => return failed(fault),
    };
    let session = calls.first().and_then(|call| call.session.as_deref());
    let canary = seen::is_canary(session);
    let shelf = if canary {
        // It tries out how the host is connected, which no policy changes.
        Shelf::of(Policy::default())
    } else {
        noted(heard.host(), &calls);
        home::shelf()
    };
    let mut all: Option<Verdict> = None;
    for call in &calls {
        let begin = Instant::now();
        let mut around = input::around(call.cwd.as_deref());
        if !canary {
            around.company = seated(call);
        }
        around.claims = session::watch(call).filter(|_| !canary);
        let claims = around.claims.clone();
        let mut verdict = guard::judge_once(call, around, &shelf);
        afterwards::settle(call, heard.host(), begin.elapsed(), &mut verdict);
        match &call.what {
            What::Event { name } if !canary => {
                if session::ends(name) {
                    left(call);
                }
                if name == "SessionStart" {
                    verdict.notes = brief::lines(call.cwd.as_deref());
                }
                verdict.notes.extend(session::event(name, call, payload));
            }
            _ => {
                if let Some(claims) = claims {
                    session::lapsed(&claims, call.cwd.as_deref(), &mut verdict);
                }
            }
        }
        all = Some(match all {
            None => verdict,
            Some(before) => both(before, verdict),
        });
    }
    std::mem::forget((calls, shelf));
    all.unwrap_or_else(|| Verdict::failed("fault/no-call", "the message asks nothing"))
}

/// Leaves a mark for `status` that the host called.
fn noted(host: &str, calls: &[Call]) {
    let event = matches!(
        calls.first().map(|call| &call.what),
        Some(What::Event { .. })
    );
    let kind = if event { Kind::Event } else { Kind::Call };
    if let Ok(state) = home::state() {
        seen::note(&state, host, kind);
    }
}

fn both(mut a: Verdict, b: Verdict) -> Verdict {
    a.findings.extend(b.findings);
    let findings: Vec<Finding> = a.findings;
    a.effects.extend(b.effects);
    a.notes.extend(b.notes);
    a.reaches.extend(b.reaches);
    Verdict {
        fault: a.fault.or(b.fault),
        effects: a.effects,
        notes: a.notes,
        reaches: a.reaches,
        code: a.code.or(b.code),
        ..Verdict::from(findings)
    }
}

fn failed(fault: Fault) -> Verdict {
    Verdict::failed(fault.code, fault.what)
}

fn refused(fault: Fault) -> Reply {
    host::fallback(&failed(fault))
}

fn panicked() -> Verdict {
    Verdict::failed("fault/panic", "leaseguard panicked while it judged")
}

/// Hands the reply over. An answer on stdout that nobody could read must not pass for silence.
fn deliver(reply: &Reply) -> u8 {
    let unheard = !reply.stdout.is_empty() && !terminal::out(&reply.stdout);
    if unheard {
        let refusal = refused(Fault {
            code: "fault/output",
            what: "the answer cannot be written to standard output".to_owned(),
        });
        terminal::err(&refusal.stderr);
        return refusal.exit;
    }
    if !reply.stderr.is_empty() {
        terminal::err(&reply.stderr);
    }
    reply.exit
}

/// The tests of the failure path need a judgement that panics.
#[expect(clippy::panic, reason = "the one panic that is meant")]
pub(super) fn seeded_panic() {
    let seeded = cfg!(any(debug_assertions, feature = "seeded-panic"));
    if seeded && std::env::var_os("LEASEGUARD_TEST_PANIC").is_some() {
        panic!("seeded");
    }
}
