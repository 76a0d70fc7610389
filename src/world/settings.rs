//! Git config as one command sees it: all files in git's order, then what the command adds.

use super::config::{Value, boolean};
use super::piece::Piece;
use std::path::PathBuf;

/// Who wrote a line; later ones win.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Scope {
    System,
    Global,
    Local,
    Worktree,
    Command,
}

/// One line with its scope.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Entry {
    pub(super) scope: Scope,
    pub(super) key: Piece,
    pub(super) value: Value,
    /// It replaced all earlier lines of its scope.
    pub(super) fresh: bool,
    /// It stands for all keys that start so.
    pub(super) wide: bool,
}

/// A change that the script made before.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Change {
    Set(Scope, String, Value),
    Add(Scope, String, Value),
    Unset(Scope, String),
    /// The values of all keys that start so are not known any more.
    Doubt(String, String),
    /// Any key may have any value, and why.
    Blind(String),
    /// Keys that start with the first start with the second; the old ones stay if it is a copy.
    Rename(String, String, bool),
    /// Keys that start so are gone.
    Remove(String),
    /// Whatever named this remote names the other, or none.
    Retarget(String, Option<String>),
}

/// The merged view.
#[derive(Debug, Clone, Default)]
pub(super) struct Settings {
    pub(super) entries: Vec<Entry>,
    /// Set when any key may be otherwise than `entries` say.
    pub(super) blind: Option<String>,
    /// It depends on the branch that is checked out.
    pub(super) by_branch: bool,
    /// Files alone do not tell; `entries` are what git says, unless `blind`.
    pub(super) asks: bool,
    /// Every file that was looked for.
    pub(super) files: Vec<PathBuf>,
}

impl Settings {
    /// Everything unknown.
    pub(super) fn unknown(why: String) -> Settings {
        Settings {
            blind: Some(why),
            ..Settings::default()
        }
    }

    /// It may be kept for other commands of this repository.
    pub(super) fn keeps(&self) -> bool {
        !self.by_branch
    }

    /// One of these files was looked for.
    pub(super) fn reads(&self, written: &[PathBuf]) -> bool {
        written.iter().any(|w| {
            self.files
                .iter()
                .any(|f| f == w || (f.file_name() == w.file_name() && super::repo::real(f) == *w))
        })
    }

    /// Which URLs remotes have decides over an include.
    pub(super) fn hang_on_remotes(&self) -> bool {
        let mut entries = self.entries.iter();
        self.asks && entries.any(|e| e.key.starts_with("includeif.hasconfig:"))
    }

    /// The last value of `key`.
    pub(super) fn last(&self, key: &str) -> Result<Option<&Value>, String> {
        match (self.entries.iter().rfind(|e| e.covers(key)), &self.blind) {
            (
                Some(Entry {
                    value: Value::Unknown(why),
                    ..
                }),
                _,
            ) => Err(why.clone()),
            (Some(e), Some(_)) if e.scope == Scope::Command => Ok(Some(&e.value)),
            (_, Some(why)) => Err(why.clone()),
            (found, None) => Ok(found.map(|e| &e.value)),
        }
    }

    /// The last value as text; a key without value has none.
    pub(super) fn text(&self, key: &str) -> Result<Option<&str>, String> {
        Ok(match self.last(key)? {
            Some(Value::Text(text)) => Some(text),
            _ => None,
        })
    }

    /// The last value as a boolean; one that git cannot read counts as not set.
    pub(super) fn flag(&self, key: &str) -> Result<Option<bool>, String> {
        Ok(self.last(key)?.and_then(boolean))
    }

    /// All values of `key`, in order.
    pub(super) fn all(&self, key: &str) -> Result<Vec<&str>, String> {
        let mut values = Vec::new();
        let mut unknown = self.blind.clone();
        for entry in self.entries.iter().filter(|e| e.covers(key)) {
            match &entry.value {
                Value::Unknown(why) => unknown = Some(why.clone()),
                Value::Text(text) => {
                    if entry.fresh {
                        unknown = self.blind.clone();
                    }
                    values.push(text.as_str());
                }
                Value::Bare => {}
            }
        }
        unknown.map_or(Ok(values), Err)
    }

    /// The middle parts of all keys `section.<middle>.<name>`, each once, in order.
    pub(super) fn middles(&self, section: &str) -> Vec<&str> {
        let mut found: Vec<&str> = Vec::new();
        for entry in &self.entries {
            let middle = entry
                .key
                .strip_prefix(section)
                .and_then(|k| k.strip_prefix('.'))
                .and_then(|k| k.rsplit_once('.'));
            if let Some((middle, _)) = middle
                && !entry.wide
                && !found.contains(&middle)
            {
                found.push(middle);
            }
        }
        found
    }

    /// Applies what the script did.
    pub(super) fn change(&mut self, change: &Change) {
        match change {
            Change::Set(scope, key, value) => {
                self.entries.retain(|e| e.scope != *scope || !e.key.is(key));
                self.insert(*scope, key.as_str().into(), value.clone(), true);
            }
            Change::Add(scope, key, value) => {
                self.insert(*scope, key.as_str().into(), value.clone(), false);
            }
            Change::Unset(scope, key) => {
                self.entries.retain(|e| e.scope != *scope || !e.key.is(key))
            }
            Change::Doubt(prefix, why) => {
                let value = Value::Unknown(why.clone());
                let at = self.insert(Scope::Worktree, prefix.as_str().into(), value, false);
                if let Some(entry) = self.entries.get_mut(at) {
                    entry.wide = true;
                }
            }
            Change::Blind(why) => self.blind = Some(why.clone()),
            Change::Rename(from, to, copy) => self.rename(from, to, *copy),
            Change::Remove(prefix) => self
                .entries
                .retain(|e| e.scope < Scope::Local || !e.key.starts_with(prefix.as_str())),
            Change::Retarget(from, to) => self.retarget(from, to.as_deref()),
        }
    }

    /// Keeps lines of a stronger scope behind.
    fn insert(&mut self, scope: Scope, key: Piece, value: Value, fresh: bool) -> usize {
        let at = self
            .entries
            .iter()
            .position(|e| e.scope > scope)
            .unwrap_or(self.entries.len());
        self.entries.insert(
            at,
            Entry {
                scope,
                key,
                value,
                fresh,
                wide: false,
            },
        );
        at
    }

    fn rename(&mut self, from: &str, to: &str, copy: bool) {
        let mut copies = Vec::new();
        for entry in &mut self.entries {
            if let Some(rest) = entry.key.strip_prefix(from) {
                let key = Piece::from(format!("{to}{rest}").as_str());
                if copy {
                    let mut twin = entry.clone();
                    twin.key = key;
                    copies.push(twin);
                } else {
                    entry.key = key;
                }
            }
        }
        for twin in copies {
            self.insert(twin.scope, twin.key, twin.value, twin.fresh);
        }
    }

    fn retarget(&mut self, from: &str, to: Option<&str>) {
        let names = |e: &Entry| {
            let of_branch = e.key.starts_with("branch.")
                && (e.key.ends_with(".remote") || e.key.ends_with(".pushremote"));
            (of_branch || e.key.is("remote.pushdefault"))
                && matches!(&e.value, Value::Text(t) if t.is(from))
        };
        let mut orphans = Vec::new();
        self.entries.retain_mut(|e| {
            if !names(e) {
                return true;
            }
            match to {
                Some(to) => e.value = Value::Text(to.into()),
                None => orphans.extend(e.key.strip_suffix("remote").map(|k| format!("{k}merge"))),
            }
            to.is_some()
        });
        self.entries
            .retain(|e| !orphans.iter().any(|gone| e.key.is(gone)));
    }
}

impl Change {
    /// It may touch a URL of a remote.
    pub(super) fn of_remotes(&self) -> bool {
        match self {
            Change::Blind(_) => true,
            Change::Set(_, key, _)
            | Change::Add(_, key, _)
            | Change::Unset(_, key)
            | Change::Doubt(key, _)
            | Change::Rename(key, _, _)
            | Change::Remove(key) => key.starts_with("remote."),
            Change::Retarget(..) => false,
        }
    }
}

impl Scope {
    fn rank(self) -> u8 {
        self as u8
    }
}

impl PartialOrd for Scope {
    fn partial_cmp(&self, other: &Scope) -> Option<std::cmp::Ordering> {
        self.rank().partial_cmp(&other.rank())
    }
}

impl Entry {
    fn covers(&self, key: &str) -> bool {
        self.key.is(key) || (self.wide && key.starts_with(&*self.key))
    }
}
