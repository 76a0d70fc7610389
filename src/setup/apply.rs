//! Does what was planned, one process at a time, and keeps what is needed to take it back.

use super::files;
use super::plan::{self, Change, Plan, What};
use super::record::{Record, hash};
use super::{Around, Scope};
use crate::host::{ALL, Host};
use crate::state::State;
use std::fs::{File, TryLockError};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// How long another install may take.
const WAIT: Duration = Duration::from_secs(20);

/// Only the process that holds it changes settings files; freed by the drop.
struct Lock {
    _file: File,
}

impl Lock {
    fn take(state: &State) -> Result<Lock, String> {
        let (file, _) = state.appending("setup", "lock").map_err(|t| t.0)?;
        let start = Instant::now();
        loop {
            match file.try_lock() {
                Ok(()) => return Ok(Lock { _file: file }),
                Err(TryLockError::WouldBlock) if start.elapsed() < WAIT => {
                    std::thread::sleep(Duration::from_millis(10));
                }
                Err(TryLockError::WouldBlock) => {
                    return Err("another install is at work: try again".to_owned());
                }
                Err(TryLockError::Error(e)) => return Err(format!("cannot lock: {e}")),
            }
        }
    }
}

/// Connects the host as planned. Where the file changed meanwhile, what was shown to a person
/// (`shown`) is not done, and without one it is planned anew; the plan that was done comes back.
pub fn install(state: &State, plan: Plan, around: &Around, shown: bool) -> Result<Plan, String> {
    let _lock = Lock::take(state)?;
    let plan = match &plan.what {
        What::Change(change) if files::see(&plan.file)? != change.seen => {
            if shown {
                return Err(
                    "it was changed meanwhile by another program; run this again".to_owned(),
                );
            }
            plan::install(plan.host, plan.scope, around)?
        }
        _ => plan,
    };
    if let What::Change(change) = &plan.what {
        write(state, &plan, change)?;
    }
    Ok(plan)
}

fn write(state: &State, plan: &Plan, change: &Change) -> Result<(), String> {
    let Some(after) = &change.after else {
        return Err("nothing to write".to_owned());
    };
    let real = &change.seen.real;
    let old = Record::load(state, real).map_err(|t| t.0)?;
    let before = change.seen.bytes.as_deref();
    let known = old.clone().filter(|_| change.had_ours);
    let mut record = known.unwrap_or_else(|| {
        let mut record = Record::new(plan.host.name, plan.scope, real);
        record.missing = before.is_none();
        record.dirs = files::missing_dirs(real);
        record.exact = !change.had_ours;
        record
    });
    match &old {
        Some(old) if change.had_ours => {
            record.exact &= before.is_some_and(|before| old.wrote == hash(before));
        }
        _ => record.keep(state, before).map_err(|t| t.0)?,
    }
    record.wrote = hash(after);
    record.added.hooks |= change.added.hooks;
    record
        .added
        .events
        .extend(change.added.events.iter().cloned());
    record.added.keys.extend(change.added.keys.iter().cloned());
    record.save(state).map_err(|t| t.0)?;
    let done = files::replace(&change.seen, after);
    if done.is_err() {
        let undone = match &old {
            Some(old) => old.save(state),
            None => record.forget(state),
        };
        undone.map_err(|t| t.0)?;
    }
    done
}

/// Every place that may hold something of ours, in the scopes and for the hosts that `wanted`
/// names.
pub fn places(
    state: &State,
    around: &Around,
    wanted: &dyn Fn(&Host, Scope) -> bool,
) -> Result<Vec<(&'static Host, Scope, PathBuf)>, String> {
    let mut all: Vec<(&'static Host, Scope, PathBuf)> = Vec::new();
    for record in Record::all(state).map_err(|t| t.0)? {
        if let Some(host) = ALL.iter().find(|host| host.name == record.host) {
            all.push((host, record.scope, record.file));
        }
    }
    for host in ALL {
        for scope in [Scope::User, Scope::Project] {
            for file in around.files(host, scope) {
                let real = files::see(&file).map_or_else(|_| file.clone(), |seen| seen.real);
                if all.iter().all(|(_, _, known)| *known != real) {
                    all.push((host, scope, file));
                }
            }
        }
    }
    all.retain(|(host, scope, _)| wanted(host, *scope));
    all.sort_by_key(|(host, ..)| ALL.iter().position(|known| known.name == host.name));
    Ok(all)
}

/// How our entries would be taken out of `file`.
pub fn removal(state: &State, host: &'static Host, scope: Scope, file: &Path) -> Plan {
    let known = files::see(file).and_then(|seen| {
        let record = Record::load(state, &seen.real).map_err(|t| t.0)?;
        let original = match &record {
            Some(record) => record.original(state).map_err(|t| t.0)?,
            None => None,
        };
        Ok(record.map(|record| (record, original)))
    });
    match known {
        Ok(known) => {
            let known = known
                .as_ref()
                .map(|(record, original)| (record, original.clone()));
            plan::remove(host, scope, file, known)
        }
        Err(why) => Plan {
            host,
            scope,
            file: file.to_owned(),
            what: What::Refused(why),
            notes: Vec::new(),
        },
    }
}

/// Takes our entries out as planned, and forgets the file.
pub fn remove(state: &State, plan: &Plan) -> Result<(), String> {
    let _lock = Lock::take(state)?;
    let seen = files::see(&plan.file)?;
    let record = Record::load(state, &seen.real).map_err(|t| t.0)?;
    if let What::Change(change) = &plan.what {
        match &change.after {
            Some(after) => files::replace(&change.seen, after)?,
            None => files::remove(&change.seen)?,
        }
    }
    if let Some(record) = record {
        let gone = files::see(&plan.file)?.bytes.is_none();
        drop_record(state, &record, gone)?;
    }
    Ok(())
}

/// Drops what we know of a file that holds nothing of ours, and the directories made for it.
pub fn forget(state: &State, file: &Path) -> Result<(), String> {
    let seen = files::see(file)?;
    let Some(record) = Record::load(state, &seen.real).map_err(|t| t.0)? else {
        return Ok(());
    };
    drop_record(state, &record, seen.bytes.is_none())
}

/// Forgets a file and removes the directories that were made for it. Those that hold something
/// else by now are noted, so that a purge can still take them.
fn drop_record(state: &State, record: &Record, gone: bool) -> Result<(), String> {
    if gone {
        files::remove_dirs(&record.dirs);
        let left: Vec<&Path> = record.dirs.iter().map(PathBuf::as_path).collect();
        let mut left = left.into_iter().filter(|dir| dir.exists()).peekable();
        if left.peek().is_some() {
            state.note_made(left).map_err(|t| t.0)?;
        }
    }
    record.forget(state).map_err(|t| t.0)
}
