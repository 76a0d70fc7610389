//! Our own entries: there, under the right event, for the right tools, once.

use crate::doctor::manner::{Manner, Unit};
use crate::doctor::matcher::{Takes, takes};
use crate::doctor::{Check, Ill, Site};
use crate::host::setup::Form;
use crate::setup::{Scope, Status, found};
use serde_json::Value;

/// See `why`.
pub(super) const MISSING: Check = Check {
    id: "entry/missing",
    why: "a host that has no entry of leaseguard never asks it",
    starts: false,
    look: |site| {
        if site.connected() {
            return Vec::new();
        }
        let what = format!("{} is not connected", site.setup.title);
        vec![Ill::note(what, site.install())]
    },
};

/// See `why`.
pub(super) const EVENT: Check = Check {
    id: "entry/event",
    why: "only the event before a tool can stop it; an entry under another one is too late",
    starts: false,
    look: |site| {
        let Some(manner) = site.manner.filter(|_| site.setup.form != Form::Module) else {
            return Vec::new();
        };
        if site.entries.is_empty() || site.guards().next().is_some() {
            return Vec::new();
        }
        let wanted = manner.events.join("` or `");
        let what = format!("no entry of ours stands under `{wanted}`, so no tool is stopped");
        vec![Ill::broken(what, site.install())]
    },
};

/// See `why`.
pub(super) const MATCHER: Check = Check {
    id: "entry/matcher",
    why: "a matcher that does not take the host's own names of its tools is never called for them",
    starts: false,
    look: |site| {
        let Some(manner) = site.manner else {
            return Vec::new();
        };
        let matchers: Vec<Option<&str>> = site.guards().map(|e| e.matcher.as_deref()).collect();
        if matchers.is_empty() {
            return Vec::new();
        }
        let mut ills = Vec::new();
        for (tools, shell) in [(manner.shell, true), (manner.writes, false)] {
            let missed = tools.iter().find(|tool| !taken(&matchers, tool, manner));
            let Some(tool) = missed else { continue };
            let shown: Vec<&str> = matchers.iter().copied().flatten().collect();
            let what = format!(
                "the matcher `{}` does not take `{tool}` as {} compares names",
                shown.join("`, `"),
                site.setup.title
            );
            ills.push(if shell {
                Ill::broken(what, site.install())
            } else {
                Ill::weak(what, site.install())
            });
        }
        ills
    },
};

/// Whether one of the entries is called for `tool`, or it cannot be told.
fn taken(matchers: &[Option<&str>], tool: &str, manner: &Manner) -> bool {
    matchers.iter().any(|m| {
        matches!(
            takes(*m, tool, manner.matching),
            Takes::Yes | Takes::Unknown
        )
    })
}

/// See `why`.
pub(super) const CONDITION: Check = Check {
    id: "entry/condition",
    why: "an entry that runs beside the tool, once, or only for some commands stops nothing for sure",
    starts: false,
    look: |site| {
        let mut ills = Vec::new();
        for entry in site.guards() {
            let flag = |key: &str| entry.value.get(key) == Some(&Value::Bool(true));
            let place = site.place(entry);
            if let Some(key) = ["async", "asyncRewake", "once"]
                .into_iter()
                .find(|k| flag(k))
            {
                let what = format!(
                    "our entry in `{place}` says `{key}`, so the tool does not wait for it"
                );
                ills.push(Ill::broken(what, site.install()));
            }
            if entry.value.get("if").is_some() {
                let what = format!(
                    "our entry in `{place}` has an `if`, and is skipped in silence where that does not match"
                );
                ills.push(Ill::broken(what, format!("take the `if` out of `{place}`")));
            }
        }
        ills
    },
};

/// See `why`.
pub(super) const TIMEOUT: Check = Check {
    id: "entry/timeout",
    why: "most hosts run the tool when the hook takes too long, and they count in different units",
    starts: false,
    look: |site| {
        let Some(manner) = site.manner else {
            return Vec::new();
        };
        let (least, most, unit) = match manner.unit {
            Unit::Seconds => (5.0, 600.0, "seconds"),
            Unit::Milliseconds => (5000.0, 600_000.0, "thousandths of a second"),
        };
        let mut ills = Vec::new();
        for entry in site.guards() {
            let odd = entry.timeout().filter(|t| *t < least || *t > most);
            if let Some(timeout) = odd {
                let what = format!(
                    "the timeout of our entry in `{}` is {timeout} {unit}",
                    site.place(entry)
                );
                ills.push(Ill::weak(what, site.install()));
            }
        }
        ills
    },
};

/// See `why`.
pub(super) const DOUBLE: Check = Check {
    id: "entry/double",
    why: "two entries answer every call twice, which costs time and counts every denial twice",
    starts: false,
    look: |site| {
        let mut ills = Vec::new();
        for (at, entry) in site.entries.iter().enumerate() {
            let before = site.entries.iter().take(at);
            let same = |e: &&crate::doctor::entry::Entry| {
                e.event == entry.event && e.matcher == entry.matcher
            };
            if let Some(first) = before.filter(|_| !entry.event.is_empty()).find(same) {
                let (one, two) = (site.place(first), site.place(entry));
                let what = format!(
                    "`{}` calls leaseguard twice: in `{one}` and in `{two}`",
                    entry.event
                );
                ills.push(Ill::note(what, format!("take one of them out of `{two}`")));
                break;
            }
        }
        for other in site.host.reads_of {
            let host = crate::host::ALL.iter().find(|host| host.name == *other);
            let there = host.and_then(|host| Site::of(site.machine, host));
            if let Some(there) = there.filter(|s| !s.entries.is_empty() && !site.entries.is_empty())
            {
                let what = format!(
                    "{} also calls the entries of {}, so leaseguard answers twice",
                    site.setup.title, there.setup.title
                );
                ills.push(Ill::note(
                    what,
                    "nothing has to be done: the stricter answer counts",
                ));
            }
        }
        ills
    },
};

/// See `why`.
pub(super) const OUTDATED: Check = Check {
    id: "entry/outdated",
    why: "an entry that an older leaseguard wrote may miss events and tools that are guarded now",
    starts: false,
    look: |site| {
        let mut ills = Vec::new();
        for scope in [Scope::User, Scope::Project] {
            for file in found(site.host, scope, &site.machine.around) {
                let Status::Outdated(why) = file.state else {
                    continue;
                };
                let place = site.machine.shown(&file.file);
                let option = if scope == Scope::Project {
                    " --project"
                } else {
                    ""
                };
                let what = format!(
                    "the entries in `{place}` are not as this leaseguard writes them: {why}"
                );
                ills.push(Ill::weak(what, format!("{}{option}", site.install())));
            }
        }
        ills
    },
};
