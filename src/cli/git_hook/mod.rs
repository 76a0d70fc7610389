//! The door for git's own hooks: exact refs in, a refusal in words or silence out.
//!
//! Nothing in the environment chooses what is judged or by what: the line that git runs names it.
//! Where leaseguard itself fails, a push is refused, and a commit is warned of and made.

mod answer;
mod given;
mod prev;
mod work;

use super::{hook, input, terminal};
use crate::verdict::Fault;
use given::{Given, Hook};
use std::ffi::OsString;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Here only for `--help`; the door reads its arguments by hand.
#[derive(clap::Args)]
pub(super) struct Args {
    /// `pre-commit`, `prepare-commit-msg` or `pre-push`
    #[arg(value_name = "HOOK")]
    hook: String,
    /// Where leaseguard remembers
    #[arg(long, value_name = "DIR")]
    state: Option<String>,
    /// Your own policy
    #[arg(long, value_name = "FILE")]
    policy: Option<String>,
    /// Your home, for `~/` in policies
    #[arg(long, value_name = "DIR")]
    home: Option<String>,
    /// The git that is asked first
    #[arg(long, value_name = "FILE")]
    git: Option<String>,
    /// The hook that runs afterwards
    #[arg(long, value_name = "FILE")]
    prev: Option<String>,
    /// What git hands to its hook, behind `--`
    #[arg(last = true)]
    args: Vec<String>,
}

/// git goes on.
const PASS: u8 = 0;
/// git stops.
const REFUSED: u8 = 1;
/// The line that called us is wrong.
const TROUBLE: u8 = 2;

/// Answers one hook; `args` follow the word `git-hook`.
pub fn run(args: impl Iterator<Item = OsString>) -> u8 {
    std::panic::set_hook(Box::new(|_| {}));
    let given = match Given::read(args) {
        Ok(given) => given,
        Err(why) => {
            terminal::err(&format!("leaseguard: {why}\n"));
            return TROUBLE;
        }
    };
    // Whoever comes after us wants to read it too.
    let input = match given.hook {
        Hook::PrePush => input::stdin(),
        _ => Ok(Vec::new()),
    };
    let answered = catch_unwind(AssertUnwindSafe(|| {
        hook::seeded_panic();
        answer::answer(&given, input.as_deref().map_err(Clone::clone)?)
    }));
    let code = match answered {
        Ok(Ok(code)) => code,
        Ok(Err(fault)) => failed(given.hook, &fault),
        Err(_) => {
            let what = "leaseguard panicked while it judged".to_owned();
            let code = "fault/panic";
            failed(given.hook, &Fault { code, what })
        }
    };
    if code != PASS {
        return code;
    }
    let after = prev::run(&given, &input.unwrap_or_default());
    after.unwrap_or_else(|fault| failed(given.hook, &fault))
}

/// What our own failure means: a push can be done again, and a commit harms nobody else.
fn failed(hook: Hook, fault: &Fault) -> u8 {
    let (end, code) = match hook {
        Hook::PrePush => ("nothing was pushed; tell the person in charge", REFUSED),
        _ => ("the commit is made", PASS),
    };
    terminal::err(&format!(
        "leaseguard could not judge this: {} [{}]; {end}\n",
        fault.what, fault.code
    ));
    code
}
