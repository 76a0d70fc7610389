//! Switches that turn hooks off, in every file that the host reads.

use crate::doctor::entry::Entry;
use crate::doctor::manner::{Off, Switch};
use crate::doctor::{Check, Ill, Site};
use serde_json::Value;

/// See `why`.
pub(super) const OFF: Check = Check {
    id: "switch/off",
    why: "one key in any settings file, also a project's, turns the hooks of all files off",
    starts: false,
    look: |site| {
        let mut ills = Vec::new();
        for switch in site.manner.map_or(&[][..], |m| m.switches) {
            let spared = |entry: &Entry| {
                let file = site.files.get(entry.file);
                switch.spares.is_some() && file.map(|f| f.scope) == switch.spares
            };
            if site.guards().any(spared) {
                continue;
            }
            for file in &site.files {
                let value = file.value.as_ref().and_then(|top| at(top, switch.key));
                if value.is_some_and(|value| is_off(switch, value, site)) {
                    let (key, place) = (switch.key.join("."), site.machine.shown(&file.path));
                    let what = format!(
                        "`{key}` in `{place}` ({}) turns our hooks off",
                        file.scope.word()
                    );
                    ills.push(Ill::broken(what, format!("take `{key}` out of `{place}`")));
                }
            }
        }
        ills
    },
};

fn at<'v>(top: &'v Value, key: &[&str]) -> Option<&'v Value> {
    key.iter().try_fold(top, |value, part| value.get(part))
}

fn is_off(switch: &Switch, value: &Value, site: &Site<'_>) -> bool {
    let list = || {
        value
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(Value::as_str)
    };
    match switch.off {
        Off::Is(flag) => value.as_bool() == Some(flag),
        Off::TrueOrHolds(word) => value.as_bool() == Some(true) || list().any(|w| w == word),
        Off::NamesUs => list().any(|word| {
            site.guards().any(|entry| {
                let is = |key: &str| entry.value.get(key).and_then(Value::as_str) == Some(word);
                is("name") || is("command")
            })
        }),
    }
}
