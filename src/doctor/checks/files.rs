//! Settings files that the host does not read as they were meant.

use crate::doctor::entry::{handlers, is_ours};
use crate::doctor::settings::Settings;
use crate::doctor::{Check, Ill};
use crate::host::setup::Form;
use serde_json::Value;

/// See `why`.
pub(super) const SYNTAX: Check = Check {
    id: "file/syntax",
    why: "a settings file that the host cannot parse is dropped with all its hooks, mostly in silence",
    starts: false,
    look: |site| {
        let mut ills = Vec::new();
        for file in &site.files {
            let Some(why) = &file.broken else { continue };
            let place = site.machine.shown(&file.path);
            let what = format!("{} cannot read `{place}`: {why}", site.setup.title);
            let fix = format!(
                "mend `{place}`, then run `leaseguard doctor {}`",
                site.host.name
            );
            ills.push(if site.hides(file) {
                Ill::broken(what, fix)
            } else if site.entries.is_empty() {
                Ill::weak(what, fix)
            } else {
                Ill::note(what, fix)
            });
        }
        ills
    },
};

/// See `why`.
pub(super) const NESTING: Check = Check {
    id: "file/nesting",
    why: "hooks count only under the key `hooks`; an event at the top of the file is never called",
    starts: false,
    look: |site| {
        if site.setup.form == Form::Module {
            return Vec::new();
        }
        let events = site.manner.map_or(&[][..], |m| m.events);
        let mut ills = Vec::new();
        for file in &site.files {
            let Some(top) = &file.value else { continue };
            let lost = events.iter().find(|event| {
                let groups = top.get(**event).and_then(Value::as_array);
                groups.into_iter().flatten().any(speaks_of_us)
            });
            if let Some(event) = lost {
                let place = site.machine.shown(&file.path);
                let what = format!(
                    "in `{place}` our entry stands under `{event}` without the outer key `hooks`"
                );
                let fix = format!(
                    "{} writes it right; then take the old entry out",
                    tick(&site.install())
                );
                ills.push(Ill::broken(what, fix));
            }
        }
        ills
    },
};

/// See `why`.
pub(super) const SIBLING: Check = Check {
    id: "file/sibling",
    why: "one entry without a `command` makes the host drop every hook of the same file",
    starts: false,
    look: |site| {
        let strict = matches!(site.host.name, "claude" | "codex");
        let ours = |file: usize| site.entries.iter().any(|entry| entry.file == file);
        let mut ills = Vec::new();
        for (_, file) in site
            .files
            .iter()
            .enumerate()
            .filter(|(at, _)| strict && ours(*at))
        {
            if let Some(place) = without_command(file) {
                let shown = site.machine.shown(&file.path);
                let what = format!(
                    "`{place}` in `{shown}` has no `command`, and then no hook of that file runs"
                );
                ills.push(Ill::broken(
                    what,
                    format!("give that entry a `command` or take it out of `{shown}`"),
                ));
            }
        }
        ills
    },
};

fn tick(text: &str) -> String {
    format!("`{text}`")
}

/// Whether a group holds a command of ours.
fn speaks_of_us(group: &Value) -> bool {
    let line = |handler: &&Value| {
        let text = handler
            .get("command")
            .and_then(Value::as_str)
            .unwrap_or_default();
        let words: Vec<String> = text.split_whitespace().map(str::to_owned).collect();
        is_ours(&words) || text.contains("leaseguard")
    };
    handlers(group).iter().any(line)
}

/// The first entry that has to have a command and has none.
fn without_command(file: &Settings) -> Option<String> {
    let events = file.value.as_ref()?.get("hooks")?.as_object()?;
    for (event, groups) in events {
        for (at, group) in groups.as_array().into_iter().flatten().enumerate() {
            for (inner, handler) in handlers(group).into_iter().enumerate() {
                let kind = handler.get("type").and_then(Value::as_str);
                let command = handler.get("command").and_then(Value::as_str);
                if kind.is_none_or(|kind| kind == "command") && command.is_none() {
                    return Some(format!("hooks.{event}[{at}].hooks[{inner}]"));
                }
            }
        }
    }
    None
}
