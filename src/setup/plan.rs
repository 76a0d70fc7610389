//! What a settings file would become, worked out before anything is written.

use super::files::{self, Seen};
use super::json::{self, Taste};
use super::judge::{self, Added, Edit};
use super::node::{Node, Splice, spliced};
use super::record::{Record, hash};
use super::want::{self, Want};
use super::{Around, Scope, Status, found, is_toml, place, sound, toml, tree};
use crate::host::Host;
use crate::host::setup::{Owner, Setup};
use std::path::{Path, PathBuf};

/// More changes than this are a fault of ours.
const STEPS: usize = 200;

/// What would be done with one settings file.
#[derive(Clone)]
pub struct Plan {
    /// The host.
    pub host: &'static Host,
    /// For whom the file holds.
    pub scope: Scope,
    /// The file, as the host names it.
    pub file: PathBuf,
    /// What would happen to it.
    pub what: What,
    /// What else a person should know.
    pub notes: Vec<String>,
}

/// What would happen.
#[derive(Debug, Clone)]
pub enum What {
    /// The file changes.
    Change(Change),
    /// Nothing has to be done: why.
    Nothing(String),
    /// It is not done: why.
    Refused(String),
}

/// How a file changes.
#[derive(Debug, Clone)]
pub struct Change {
    pub(super) seen: Seen,
    /// What it will hold; `None` where it goes away.
    pub(super) after: Option<Vec<u8>>,
    pub(super) added: Added,
    /// Entries of ours stood there before.
    pub(super) had_ours: bool,
}

impl Change {
    /// What the file holds; `None` where there is none.
    pub fn before(&self) -> Option<&[u8]> {
        self.seen.bytes.as_deref()
    }

    /// What it will hold; `None` where it goes away.
    pub fn after(&self) -> Option<&[u8]> {
        self.after.as_deref()
    }
}

impl Plan {
    fn new(host: &'static Host, scope: Scope, file: PathBuf, what: What) -> Plan {
        Plan {
            host,
            scope,
            file,
            what,
            notes: Vec::new(),
        }
    }
}

/// How `host` would be connected in `scope`; `Err` where there is no place for it.
pub fn install(host: &'static Host, scope: Scope, around: &Around) -> Result<Plan, String> {
    let here = found(host, scope, around);
    let Some((usual, setup)) = here.first().zip(host.setup.as_ref()) else {
        return Err(match scope {
            Scope::User => "there is no home directory: `HOME` is not an absolute path".to_owned(),
            Scope::Project => {
                "there is no checkout here: go to one, or leave `--project` out".to_owned()
            }
        });
    };
    let plan = |file: &Path, what| Ok(Plan::new(host, scope, file.to_owned(), what));
    for found in &here {
        match &found.state {
            Status::Broken(why) => return plan(&found.file, What::Refused(why.clone())),
            Status::Foreign => {
                let why = "it holds something that leaseguard did not write: move it away first";
                return plan(&found.file, What::Refused(why.to_owned()));
            }
            _ => {}
        }
    }
    let connected: Vec<_> = here.iter().filter(|f| f.state.connected()).collect();
    let outdated = connected.iter().find(|f| f.state != Status::Right);
    if let Some(right) = connected.first().filter(|_| outdated.is_none()) {
        let mut plan = plan(&right.file, What::Nothing("already connected".to_owned()))?;
        plan.notes = doubles(&connected, &right.file);
        return Ok(plan);
    }
    let other = match scope {
        Scope::User => Scope::Project,
        Scope::Project => Scope::User,
    };
    let elsewhere = found(host, other, around);
    let second = elsewhere
        .iter()
        .find(|f| f.state.connected() && here.iter().all(|h| h.file != f.file));
    if let (None, Some(second)) = (outdated, second) {
        let mend = match second.state {
            Status::Right => String::new(),
            _ => format!(
                "; it needs mending: `leaseguard install {} --{}`",
                host.name,
                other.word()
            ),
        };
        let why = format!(
            "already connected by `{}`, and a second entry would judge every call twice{mend}",
            second.file.display()
        );
        return plan(&usual.file, What::Nothing(why));
    }
    let file = match outdated {
        Some(outdated) => outdated.file.clone(),
        None => target(&here, usual),
    };
    let what = match change(host, setup, &file, around) {
        Ok(change) => What::Change(change),
        Err(why) => What::Refused(why),
    };
    let mut plan = plan(&file, what)?;
    plan.notes = doubles(&connected, &file);
    Ok(plan)
}

fn doubles(connected: &[&super::Found], kept: &Path) -> Vec<String> {
    let others = connected.iter().filter(|f| f.file != kept);
    others
        .map(|f| {
            format!(
                "`{}` holds a second entry: every call is judged twice until you take one out",
                f.file.display()
            )
        })
        .collect()
}

/// The usual file, but another that already holds hooks where the usual one is not there.
fn target(here: &[super::Found], usual: &super::Found) -> PathBuf {
    let has_hooks = |found: &&super::Found| {
        let seen = files::see(&found.file).ok();
        let text = seen
            .as_ref()
            .and_then(|seen| seen.text().ok())
            .unwrap_or_default();
        let root = tree(&found.file, text, Taste::LOOSE).ok().flatten();
        let hooks = root.as_ref().and_then(|root| root.get("hooks"));
        // A table in it that is no list is the host's own book of what is trusted.
        let own = |hooks: &Node| {
            !hooks.members().is_empty() && hooks.members().iter().all(|m| m.value.is_object())
        };
        hooks.is_some_and(|hooks| !own(hooks))
    };
    let other = here.iter().skip(1).find(has_hooks);
    match other {
        Some(other) if usual.state == Status::NoFile => other.file.clone(),
        _ => usual.file.clone(),
    }
}

fn change(host: &Host, setup: &Setup, file: &Path, around: &Around) -> Result<Change, String> {
    let program = around.program.as_ref().map_err(Clone::clone)?;
    let seen = files::see(file)?;
    if let Some(why) = files::closed(&seen) {
        return Err(why);
    }
    let text = seen.text()?.to_owned();
    let snippet = setup.filled(&program.path);
    let mut added = Added::default();
    let after = if setup.owner == Owner::Ours {
        snippet
    } else {
        let want = Want::of(setup, &program.path)?;
        let root = sound(host, setup, file, &text)?;
        added = Added::over(root.as_ref(), &want);
        match root {
            None => format!("{text}{snippet}"),
            Some(_) => {
                let same = |path: &str| place::same_file(Path::new(path), Path::new(&program.path));
                installed(file, text.clone(), &want, &same)?
            }
        }
    };
    let had_ours = match setup.owner {
        Owner::Ours => seen.bytes.is_some(),
        Owner::Shared => {
            tree(file, &text, Taste::LOOSE)?.is_some_and(|root| !judge::entries(&root).is_empty())
        }
    };
    Ok(Change {
        seen,
        after: Some(after.into_bytes()),
        added,
        had_ours,
    })
}

/// `text` with all that is wanted in it.
fn installed(
    file: &Path,
    mut text: String,
    want: &Want,
    same: judge::Same<'_>,
) -> Result<String, String> {
    for _ in 0..STEPS {
        let splices = if is_toml(file) {
            let toml = toml::read(&text)?;
            match judge::next(&toml.root, want, same) {
                None => return Ok(text),
                Some(step) => in_toml(&toml, &step.edit)?,
            }
        } else {
            let Some(json) = json::read(&text, Taste::LOOSE)? else {
                return Err("it holds no value".to_owned());
            };
            match judge::next(&json.root, want, same) {
                None => return Ok(text),
                Some(step) => in_json(&json, &step.edit),
            }
        };
        text = applied(&text, splices)?;
    }
    Err("it could not be brought into order: paste the entry by hand (`--print`)".to_owned())
}

/// `text` without anything of ours.
fn removed(file: &Path, mut text: String, added: &Added) -> Result<String, String> {
    for _ in 0..STEPS {
        let splices = if is_toml(file) {
            let toml = toml::read(&text)?;
            match judge::next_removal(&toml.root, added) {
                None => return Ok(text),
                Some(edit) => in_toml(&toml, &edit)?,
            }
        } else {
            match json::read(&text, Taste::LOOSE)? {
                None => return Ok(text),
                Some(json) => match judge::next_removal(&json.root, added) {
                    None => return Ok(text),
                    Some(edit) => in_json(&json, &edit),
                },
            }
        };
        text = applied(&text, splices)?;
    }
    Err("our entries could not be told from others: take them out by hand".to_owned())
}

fn applied(text: &str, splices: Vec<Splice>) -> Result<String, String> {
    spliced(text, splices)
        .filter(|after| after != text)
        .ok_or_else(|| "it could not be edited: paste the entry by hand (`--print`)".to_owned())
}

fn in_json(json: &json::Json<'_>, edit: &Edit<'_>) -> Vec<Splice> {
    match edit {
        Edit::Set(place, value) => json.set(place, value),
        Edit::Insert(into, key, value) => json.insert(into, Some(key), value),
        Edit::Append(_, Some(list), group) => json.insert(list, None, group),
        Edit::Append(_, None, _) => Vec::new(),
        Edit::Remove(of, at) => json.remove(of, *at),
    }
}

fn in_toml(toml: &toml::Toml<'_>, edit: &Edit<'_>) -> Result<Vec<Splice>, String> {
    match edit {
        Edit::Set(place, value) => Ok(toml.set(place, value)),
        Edit::Append(event, _, group) => toml.append(event, group),
        // The list of an event comes entry by entry, since the next step finds what is missing.
        Edit::Insert(_, event, list) if list.elements().iter().any(|e| e.is_object()) => {
            match list.elements().first() {
                Some(group) => toml.append(event, group),
                None => Ok(Vec::new()),
            }
        }
        Edit::Insert(into, key, value) => Ok(toml.insert(into, key, value)),
        Edit::Remove(of, at) => toml.remove(of, *at),
    }
}

/// How our entries would be taken out of `file`; `record` is what we know of it.
pub fn remove(
    host: &'static Host,
    scope: Scope,
    file: &Path,
    record: Option<(&Record, Option<Vec<u8>>)>,
) -> Plan {
    let what = match taken_out(host, file, record) {
        Ok(Some(change)) => What::Change(change),
        Ok(None) => What::Nothing("holds nothing of leaseguard".to_owned()),
        Err(why) => What::Refused(why),
    };
    Plan::new(host, scope, file.to_owned(), what)
}

fn taken_out(
    host: &Host,
    file: &Path,
    record: Option<(&Record, Option<Vec<u8>>)>,
) -> Result<Option<Change>, String> {
    let seen = files::see(file)?;
    let Some(bytes) = &seen.bytes else {
        return Ok(None);
    };
    let change = |after| Change {
        seen: seen.clone(),
        after,
        added: Added::default(),
        had_ours: true,
    };
    let untouched = record
        .as_ref()
        .filter(|(record, _)| record.exact && record.wrote == hash(bytes));
    let ours_alone = host
        .setup
        .as_ref()
        .filter(|setup| setup.owner == Owner::Ours);
    let after = if let Some((record, original)) = untouched {
        match original {
            Some(original) => Some(original.clone()),
            None if record.missing => None,
            None => {
                return Err("its first content is lost: take our entries out by hand".to_owned());
            }
        }
    } else if let Some(setup) = ours_alone {
        let ours = record
            .as_ref()
            .is_some_and(|(record, _)| record.wrote == hash(bytes))
            || want::is_of(setup, seen.text()?);
        if !ours {
            return Err("it is not as leaseguard wrote it: remove it by hand".to_owned());
        }
        None
    } else {
        let text = seen.text()?;
        let mark = text.strip_prefix('\u{feff}').map_or("", |_| "\u{feff}");
        let inner = text.get(mark.len()..).unwrap_or_default();
        let added = record
            .as_ref()
            .map(|(r, _)| r.added.clone())
            .unwrap_or_default();
        let rest = removed(file, inner.to_owned(), &added)?;
        if rest == inner {
            return Ok(None);
        }
        let empty = matches!(rest.trim(), "" | "{}");
        let gone = empty && record.as_ref().is_some_and(|(record, _)| record.missing);
        (!gone).then(|| format!("{mark}{rest}").into_bytes())
    };
    match files::closed(&seen) {
        Some(why) => Err(why),
        None => Ok(Some(change(after))),
    }
}
