//! Compares a settings tree with what has to stand in it, and names the next change.

use super::Entry;
use super::node::{Kind, Node};
use super::want::Want;
use super::words::{COMMANDS, argv, called, is_ours, split};

/// One change of a settings file.
pub(super) enum Edit<'a> {
    /// A value is replaced.
    Set(&'a Node, &'a Node),
    /// A member is added at the end of an object.
    Insert(&'a Node, &'a str, &'a Node),
    /// An entry is added at the end of an event's list.
    Append(&'a str, Option<&'a Node>, &'a Node),
    /// A member or element is taken out.
    Remove(&'a Node, usize),
}

/// A change with its reason.
pub(super) struct Step<'a> {
    /// What is changed.
    pub(super) edit: Edit<'a>,
    /// Why, in words.
    pub(super) why: String,
}

/// Whether a program's path is another spelling of the wanted one.
pub(super) type Same<'a> = &'a dyn Fn(&str) -> bool;

/// Keys of a handler that change nothing about whether it runs.
const HARMLESS: &[&str] = &[
    "statusMessage",
    "name",
    "description",
    "comment",
    "_comment",
    "$comment",
];

/// Our entries in the tree.
pub(super) fn entries(root: &Node) -> Vec<Entry> {
    let mut found = Vec::new();
    for event in root.get("hooks").map(Node::members).unwrap_or_default() {
        for (at, group) in event.value.elements().iter().enumerate() {
            for (inner, handler) in handlers(group).into_iter().enumerate() {
                if !is_ours(handler) {
                    continue;
                }
                let nested = match group.get("hooks") {
                    Some(_) => format!(".hooks[{inner}]"),
                    None => String::new(),
                };
                let text = |node: Option<&Node>| node.and_then(Node::text).map(str::to_owned);
                let number = ["timeout", "timeoutSec"]
                    .iter()
                    .find_map(|key| handler.get(key));
                let line = COMMANDS.iter().find_map(|key| handler.get(key));
                found.push(Entry {
                    place: format!("hooks.{}[{at}]{nested}", event.key),
                    event: event.key.clone(),
                    matcher: text(group.get("matcher")),
                    line: text(line).filter(|_| handler.get("args").is_none()),
                    argv: argv(handler).unwrap_or_default(),
                    timeout: number.and_then(|n| match &n.kind {
                        Kind::Raw(raw) => raw.parse().ok(),
                        _ => None,
                    }),
                });
            }
        }
    }
    found
}

/// The commands of an entry: those of its list, or itself.
fn handlers(group: &Node) -> Vec<&Node> {
    match group.get("hooks") {
        Some(list) => list.elements().iter().collect(),
        None => vec![group],
    }
}

/// Why a host would not run the hooks of this file at all, if so.
/// With `others`, tables beside the lists of events are the host's own.
pub(super) fn unsound(root: &Node, nested: bool, others: bool) -> Option<String> {
    if !root.is_object() {
        return Some(format!("it holds {}, and no object", root.name()));
    }
    let mut all = root.members().iter().filter(|m| m.key == "hooks");
    let hooks = &all.next()?.value;
    if all.next().is_some() {
        return Some("`hooks` stands in it twice".to_owned());
    }
    if !hooks.is_object() {
        return Some(format!("`hooks` is {}, and no object", hooks.name()));
    }
    if let Some(place) = hooks.doubled("hooks") {
        return Some(format!("`{place}` stands in it twice"));
    }
    for event in hooks.members() {
        if others && event.value.is_object() {
            continue;
        }
        let place = format!("hooks.{}", event.key);
        if !event.value.is_array() {
            return Some(format!("`{place}` is {}, and no list", event.value.name()));
        }
        for (at, group) in event.value.elements().iter().enumerate() {
            let place = format!("{place}[{at}]");
            if !group.is_object() {
                return Some(format!("`{place}` is {}, and no object", group.name()));
            }
            if nested && let Some(why) = unsound_group(group, &place) {
                return Some(why);
            }
        }
    }
    None
}

fn unsound_group(group: &Node, place: &str) -> Option<String> {
    let Some(list) = group.get("hooks").filter(|list| list.is_array()) else {
        return Some(format!(
            "`{place}` has no list `hooks`, and then no hook of the file runs"
        ));
    };
    for (at, handler) in list.elements().iter().enumerate() {
        let command = handler
            .get("type")
            .is_none_or(|t| t.text() == Some("command"));
        let runs = handler.get("command").is_some_and(|c| c.text().is_some());
        if !handler.is_object() || command && !runs {
            return Some(format!(
                "`{place}.hooks[{at}]` has no `command`, and then no hook of the file runs"
            ));
        }
    }
    None
}

/// The next change on the way to what is wanted; `None` where all is right.
pub(super) fn next<'a>(root: &'a Node, want: &'a Want, same: Same<'_>) -> Option<Step<'a>> {
    let Some(hooks) = root.get("hooks") else {
        return want.hooks().map(|hooks| Step {
            edit: Edit::Insert(root, "hooks", hooks),
            why: "no entry of leaseguard".to_owned(),
        });
    };
    for (event, groups) in want.events() {
        let list = hooks.get(event);
        if let Some(step) = next_of(event, list, groups, hooks, want, same) {
            return Some(step);
        }
    }
    let (key, value) = want.others().find(|(key, _)| root.get(key).is_none())?;
    Some(Step {
        edit: Edit::Insert(root, key, value),
        why: format!("no `{key}`"),
    })
}

fn next_of<'a>(
    event: &'a str,
    list: Option<&'a Node>,
    groups: &'a [Node],
    hooks: &'a Node,
    want: &'a Want,
    same: Same<'_>,
) -> Option<Step<'a>> {
    let Some(list) = list else {
        let whole = want.hooks().and_then(|h| h.get(event))?;
        return Some(Step {
            edit: Edit::Insert(hooks, event, whole),
            why: format!("no entry for `{event}`"),
        });
    };
    let mut free: Vec<(usize, &Node)> = list.elements().iter().enumerate().collect();
    free.retain(|(_, group)| handlers(group).iter().any(|h| is_ours(h)));
    let mut wanted: Vec<&Node> = groups.iter().collect();
    wanted.retain(|group| {
        let at = free
            .iter()
            .position(|(_, found)| wrong(found, group, same).is_none());
        at.map(|at| free.remove(at)).is_none()
    });
    if let Some(group) = wanted.first() {
        let mut pure = free.iter().map(|(_, found)| *found);
        let pure = pure.find(|found| handlers(found).iter().all(|h| is_ours(h)));
        return pure.map_or_else(
            || {
                Some(Step {
                    edit: Edit::Append(event, Some(list), group),
                    why: format!("no entry for `{event}`"),
                })
            },
            |found| wrong(found, group, same),
        );
    }
    let (at, group) = free.first()?;
    Some(Step {
        edit: removal(list, *at, group)?,
        why: format!("a second entry for `{event}`"),
    })
}

/// Takes our part of an entry out: all of it, or one command among others.
fn removal<'a>(list: &'a Node, at: usize, group: &'a Node) -> Option<Edit<'a>> {
    let commands = handlers(group);
    if commands.iter().all(|h| is_ours(h)) {
        return Some(Edit::Remove(list, at));
    }
    let inner = commands.iter().position(|h| is_ours(h))?;
    Some(Edit::Remove(group.get("hooks")?, inner))
}

/// The first thing in which an entry is not as wanted.
fn wrong<'a>(found: &'a Node, want: &'a Node, same: Same<'_>) -> Option<Step<'a>> {
    for member in want.members() {
        let Some(value) = found.get(&member.key) else {
            return Some(Step {
                edit: Edit::Insert(found, &member.key, &member.value),
                why: format!("`{}` is missing", member.key),
            });
        };
        if member.key == "hooks" {
            let ours: Vec<(usize, &Node)> = value
                .elements()
                .iter()
                .enumerate()
                .filter(|(_, h)| is_ours(h))
                .collect();
            if let [_, (second, _), ..] = ours.as_slice() {
                return Some(Step {
                    edit: Edit::Remove(value, *second),
                    why: "a second command in one entry".to_owned(),
                });
            }
            let (Some((_, handler)), Some(want)) = (ours.first(), member.value.elements().first())
            else {
                continue;
            };
            if let Some(step) = wrong(handler, want, same) {
                return Some(step);
            }
        } else if !right_value(&member.key, value, &member.value, want, same) {
            return Some(Step {
                edit: Edit::Set(value, &member.value),
                why: format!("`{}` is {}", member.key, shown(value)),
            });
        }
    }
    let extra = |key: &str| want.get(key).is_none() && !HARMLESS.contains(&key);
    let at = found.members().iter().position(|m| extra(&m.key))?;
    let key = found.members().get(at).map(|m| m.key.clone())?;
    Some(Step {
        edit: Edit::Remove(found, at),
        why: format!("`{key}` is set, which is not ours"),
    })
}

fn right_value(key: &str, found: &Node, want: &Node, beside: &Node, same: Same<'_>) -> bool {
    if found.same(want) {
        return true;
    }
    let (Some(found), Some(want)) = (found.text(), want.text()) else {
        return false;
    };
    if !COMMANDS.contains(&key) {
        return false;
    }
    if beside.get("args").is_some() {
        return same(found);
    }
    match (called(&split(found)), called(&split(want))) {
        ([program, rest @ ..], [_, wanted @ ..]) => rest == wanted && same(program),
        _ => false,
    }
}

fn shown(value: &Node) -> String {
    match &value.kind {
        Kind::Text(text) => format!("`{}`", crate::host::text::safe(text, 120)),
        Kind::Raw(raw) => format!("`{raw}`"),
        _ => value.name().to_owned(),
    }
}

/// What an install added besides the entries themselves.
#[derive(Debug, Clone, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub(super) struct Added {
    /// `hooks` itself.
    pub(super) hooks: bool,
    /// Lists of events.
    pub(super) events: Vec<String>,
    /// Keys beside `hooks`.
    pub(super) keys: Vec<String>,
}

impl Added {
    /// What `want` has and `before` does not.
    pub(super) fn over(before: Option<&Node>, want: &Want) -> Added {
        let hooks = before.and_then(|root| root.get("hooks"));
        let missing = |key: &&str| hooks.is_none_or(|hooks| hooks.get(key).is_none());
        let no_key = |key: &&str| before.is_none_or(|root| root.get(key).is_none());
        let owned = |key: &str| key.to_owned();
        Added {
            hooks: hooks.is_none(),
            events: want
                .events()
                .map(|(e, _)| e)
                .filter(missing)
                .map(owned)
                .collect(),
            keys: want
                .others()
                .map(|(k, _)| k)
                .filter(no_key)
                .map(owned)
                .collect(),
        }
    }
}

/// The next change on the way to a file without us; `None` where there is nothing of ours.
pub(super) fn next_removal<'a>(root: &'a Node, added: &Added) -> Option<Edit<'a>> {
    let hooks_at = root.members().iter().position(|m| m.key == "hooks");
    if let Some(hooks) = root.get("hooks") {
        for event in hooks.members() {
            for (at, group) in event.value.elements().iter().enumerate() {
                if handlers(group).iter().any(|h| is_ours(h)) {
                    return removal(&event.value, at, group);
                }
            }
        }
        let emptied = hooks.members().iter().position(|m| {
            added.events.contains(&m.key) && m.value.is_array() && m.value.elements().is_empty()
        });
        if let Some(at) = emptied {
            return Some(Edit::Remove(hooks, at));
        }
        if added.hooks && hooks.is_object() && hooks.members().is_empty() {
            return Some(Edit::Remove(root, hooks_at?));
        }
        // Hooks that came later stand on what we put beside them.
        if added.hooks && !hooks.members().is_empty() {
            return None;
        }
    }
    let at = root
        .members()
        .iter()
        .position(|m| added.keys.contains(&m.key))?;
    Some(Edit::Remove(root, at))
}
