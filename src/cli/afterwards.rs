//! What comes after a judgement: a pause, a person's grant, the count of hits, the log.

use crate::call::{Call, What};
use crate::grant::{Denial, Grants, Met, pause};
use crate::log::{Commands, Entry, Log, Settings};
use crate::person::Asker;
use crate::state::time::{Moment, shown_span};
use crate::state::{State, Trouble, seen, strikes};
use crate::verdict::{Decision, Reach, Verdict};
use std::path::Path;
use std::time::Duration;

/// Takes away what a person approved, gives the denial its address, and writes the log. Nothing that
/// fails here changes a decision for the milder.
pub(super) fn settle(call: &Call, host: &str, took: Duration, verdict: &mut Verdict) {
    let stopped = verdict.decision() != Decision::Allow;
    if !stopped && verdict.effects.is_empty() {
        return;
    }
    let state = match super::home::state() {
        Ok(state) => state,
        Err(why) => return note(verdict, &why),
    };
    let now = Moment::now();
    let (mut approved, mut shown) = (None, None);
    let canary = seen::is_canary(call.session.as_deref());
    if stopped && verdict.fault.is_none() && !canary {
        approved = excused(call, host, &state, now, verdict, &mut shown);
    }
    let code = approved.or_else(|| verdict.code.clone());
    let entry = Entry {
        host: Some(host),
        code: code.as_deref(),
        took: Some(took),
        shown: shown.as_deref(),
        ..Entry::of(call, verdict)
    };
    if let Err(trouble) = write(entry, verdict, canary, &state, now) {
        note(verdict, &trouble.0);
    }
}

/// Pause and grants; tells the code of the grant that let the call through, and leaves in `shown` the
/// call without its secrets where that was worked out.
fn excused(
    call: &Call,
    host: &str,
    state: &State,
    now: Moment,
    verdict: &mut Verdict,
    shown: &mut Option<String>,
) -> Option<String> {
    match pause::paused(state, now) {
        Ok(Some(pause)) => {
            let left = shown_span(now.age(pause.until));
            // What guards leaseguard itself is never paused.
            verdict.findings.retain(|f| f.rule.starts_with("self/"));
            verdict
                .notes
                .push(format!("leaseguard is paused for {left} more by a person"));
            if verdict.findings.is_empty() {
                return None;
            }
        }
        Ok(None) => {}
        Err(trouble) => note(verdict, &trouble.0),
    }
    let rules: Vec<&str> = verdict.findings.iter().map(|f| f.rule).collect();
    let denial = Denial {
        session: call.session.as_deref(),
        dir: call.cwd.as_deref().unwrap_or(Path::new("/")),
        text: text(call),
        rules: &rules,
    };
    let grants = Grants::new(state);
    let notes = &mut verdict.notes;
    let mut tell = |trouble: &Trouble| notes.push(trouble.0.clone());
    match grants.meet(&denial, Some(host), now, &mut tell) {
        Met::Granted(grant) => {
            verdict.findings.clear();
            carry(&verdict.reaches, &grants, now);
            return Some(grant.code);
        }
        Met::Denied(Some(kept)) => {
            verdict.code = Some(kept.code.as_str().to_owned());
            // Of other calls the log tells more than what tells them apart.
            *shown = kept
                .shown
                .filter(|_| matches!(call.what, What::Shell { .. }));
        }
        Met::Denied(None) => {}
    }
    if let Err(trouble) = strikes::count(state, call.session.as_deref(), verdict) {
        note(verdict, &trouble.0);
    }
    None
}

/// The host shows this ask to a person: if they say yes, git's own hooks have to know.
pub(super) fn shown(verdict: &Verdict) {
    if let Ok(state) = super::home::state() {
        carry(&verdict.reaches, &Grants::new(&state), Moment::now());
    }
}

/// Leaves for git's own hooks, which see the host above them, what a person decides here. Where that
/// fails they refuse, so there is nothing to tell.
fn carry(reaches: &[Reach], grants: &Grants<'_>, now: Moment) {
    if reaches.is_empty() {
        return;
    }
    let asker = Asker::here();
    let Some((_, process)) = asker.host() else {
        return;
    };
    let process = process.identity();
    for reach in reaches {
        let refs: Vec<&str> = reach.refs.iter().map(String::as_str).collect();
        let _ = grants.asked(&process, &reach.repository, &reach.rules, &refs, now);
    }
}

/// What tells the call from others.
fn text(call: &Call) -> &str {
    match &call.what {
        What::Shell { text, .. } => text,
        What::Tool { input, .. } => input,
        What::Write { .. } | What::GitHook(_) | What::Event { .. } => "",
    }
}

fn write(
    mut entry: Entry<'_>,
    verdict: &Verdict,
    canary: bool,
    state: &State,
    now: Moment,
) -> Result<(), Trouble> {
    let commands = verdict.log_commands.and_then(Commands::named);
    let settings = Settings {
        commands: commands.unwrap_or_default(),
        ..Settings::default()
    };
    if canary {
        entry.kind = "canary";
    }
    Log::new(state, settings).write(&entry, now)
}

fn note(verdict: &mut Verdict, what: &str) {
    verdict.notes.push(what.to_owned());
}
