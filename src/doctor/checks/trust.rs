//! Whom the host has to trust before it reads a hook.

use crate::doctor::entry::Entry;
use crate::doctor::manner::{Scope, Trust};
use crate::doctor::settings::{self, Settings};
use crate::doctor::{Check, Ill, Site};
use serde_json::Value;

/// See `why`.
pub(super) const HOOK: Check = Check {
    id: "trust/hook",
    why: "Codex skips an entry in silence until a person has trusted it in the place where it stands",
    starts: false,
    look: |site| {
        if site.manner.map(|m| m.trust) != Some(Trust::Codex) {
            return Vec::new();
        }
        let config = config(site);
        let state = config.and_then(|v| v.get("hooks")?.get("state")?.as_object());
        let mut ills = Vec::new();
        let mut trusted = false;
        for entry in site.guards() {
            let Some(file) = site.files.get(entry.file) else {
                continue;
            };
            if file.scope == Scope::Managed {
                continue;
            }
            // Whether Codex follows links before it writes the key is not known, so both will do.
            let real = file.path.canonicalize();
            let sources = [Some(&file.path), real.as_ref().ok()];
            let sources: Vec<String> = sources
                .into_iter()
                .flatten()
                .map(|path| path.display().to_string())
                .collect();
            let found = sources
                .iter()
                .find_map(|source| state?.get(&key(source, entry)));
            let hash = found.and_then(|f| f.get("trusted_hash"));
            let place = site.machine.shown(&file.path);
            if found.and_then(|f| f.get("enabled")) == Some(&Value::Bool(false)) {
                let what = format!("our entry in `{place}` was turned off in Codex");
                ills.push(Ill::broken(
                    what,
                    "start `codex`, open `/hooks` and turn it on",
                ));
            } else if hash.is_some() {
                trusted = true;
            } else {
                let there = |key: &String| {
                    let mut sources = sources.iter();
                    sources.any(|s| key.starts_with(&format!("{s}:pre_tool_use:")))
                };
                let moved = state.is_some_and(|state| state.keys().any(there));
                let why = if moved {
                    "trust is kept by place, and another place of that file was trusted"
                } else {
                    "nobody has trusted it yet"
                };
                let what = format!("Codex skips our entry in `{place}` in silence: {why}");
                ills.push(Ill::broken(
                    what,
                    "start `codex`, open `/hooks` and trust the entries",
                ));
            }
        }
        if trusted {
            let what = "our entry is trusted; whether it was changed since, only Codex can tell";
            ills.push(Ill::note(what, "`/hooks` in `codex` shows it"));
        }
        ills
    },
};

/// What Codex calls the place of an entry.
fn key(source: &str, entry: &Entry) -> String {
    let mut event = String::new();
    for c in entry.event.chars() {
        if c.is_ascii_uppercase() && !event.is_empty() {
            event.push('_');
        }
        event.push(c.to_ascii_lowercase());
    }
    format!("{source}:{event}:{}:{}", entry.group, entry.index)
}

/// Codex's own settings of the user.
fn config<'s>(site: &'s Site<'_>) -> Option<&'s Value> {
    let file = |f: &&Settings| f.scope == Scope::User && f.path.ends_with("config.toml");
    site.files.iter().find(file)?.value.as_ref()
}

/// See `why`.
pub(super) const PROJECT: Check = Check {
    id: "trust/project",
    why: "hooks of a project are read only where a person trusted the folder",
    starts: false,
    look: |site| {
        let (Some(manner), Some(top)) = (site.manner, &site.machine.around.top) else {
            return Vec::new();
        };
        let scope = |entry: &Entry| site.files.get(entry.file).map(|file| file.scope);
        let project = site.guards().any(|e| scope(e) == Some(Scope::Project));
        let elsewhere = site.guards().any(|e| scope(e) != Some(Scope::Project));
        if !project {
            return Vec::new();
        }
        let top = top.display().to_string();
        let trusted = match manner.trust {
            Trust::Free => true,
            Trust::Codex => {
                let level =
                    config(site).and_then(|v| v.get("projects")?.get(&top)?.get("trust_level"));
                level.and_then(Value::as_str) == Some("trusted")
            }
            Trust::Keys(file) => {
                let value = user_file(site, file);
                value.is_some_and(|v| {
                    covers(
                        v.as_object()
                            .into_iter()
                            .flatten()
                            .filter_map(|(path, level)| {
                                let level = level.as_str().unwrap_or_default();
                                level.starts_with("TRUST").then_some(path.as_str())
                            }),
                        &top,
                    )
                })
            }
            Trust::List(file, keys) => {
                let value = user_file(site, file);
                value.is_some_and(|v| {
                    let list = keys.iter().find_map(|key| v.get(*key)?.as_array());
                    covers(list.into_iter().flatten().filter_map(Value::as_str), &top)
                })
            }
        };
        if trusted {
            return Vec::new();
        }
        let what = format!(
            "{} does not trust `{top}`, so the project's hooks are not read",
            site.setup.title
        );
        let fix = format!(
            "start `{}` there and trust the folder, or run {}",
            site.setup.programs.first().unwrap_or(&""),
            site.install()
        );
        // Hosts but Codex can also be told to trust every folder, which is not looked for.
        vec![match (elsewhere, manner.trust) {
            (true, _) => Ill::note(what, fix),
            (false, Trust::Codex) => Ill::broken(what, fix),
            (false, _) => Ill::weak(what, fix),
        }]
    },
};

fn covers<'p>(mut paths: impl Iterator<Item = &'p str>, top: &str) -> bool {
    paths.any(|path| std::path::Path::new(top).starts_with(path))
}

/// A file of the user's that holds no hooks.
fn user_file(site: &Site<'_>, name: &str) -> Option<Value> {
    let path = site.machine.user_dir(&site.setup.user)?.join(name);
    let text = std::fs::read_to_string(path).ok()?;
    settings::json(&text, crate::doctor::manner::Strictness::Comments).ok()
}
