//! What is made of the table of keys: the example file, the JSON schema, the reference.

use super::table::{KEYS, Key, Kind, Known, WORDS};
use super::wish::mild_of;
use serde_json::{Map, Value, json};
use std::fmt::Write;

/// An example policy: every key with its default, and what it is for.
pub fn example(rules: &[Known]) -> String {
    let mut out = String::from(
        "# A policy of leaseguard, with every key at its default.\n\
         #\n\
         # ~/.config/leaseguard/policy.toml   your own; it may also hold [[repo]] sections\n\
         # leaseguard.toml                    at the top of a repository; it only tightens until you run `leaseguard trust`\n\
         # /etc/leaseguard/policy.toml        the administrator's; nothing loosens what it says\n",
    );
    let mut group = "";
    for key in sorted() {
        let (table, name) = key.name.rsplit_once('.').unwrap_or(("", key.name));
        if table != group {
            group = table;
            push(&mut out, &format!("\n[{table}]"));
        }
        push(&mut out, "");
        for line in key.doc {
            push(&mut out, &format!("# {line}"));
        }
        if let Kind::Choice { words, .. } = key.kind {
            push(&mut out, &format!("# One of: {}", words.join(", ")));
        }
        push(&mut out, &format!("{name} = {}", default(key)));
    }
    push(&mut out, "\n# What becomes of a rule's findings.");
    for (word, means) in WORDS {
        push(&mut out, &format!("#   {word:<6} {means}"));
    }
    push(&mut out, "[rules]");
    for rule in rules {
        push(&mut out, "");
        push(&mut out, &format!("# {}", rule.stops));
        if let Some(mild) = mild_of(rule.id) {
            push(
                &mut out,
                &format!("# \"{}\" allows {}", mild.word, mild.allows),
            );
        }
        push(
            &mut out,
            &format!("\"{}\" = \"{}\"", rule.id, rule.decision),
        );
    }
    out.push_str(SECTIONS);
    out
}

const SECTIONS: &str = "
# Review bots beside the built-in ones, or in place of one of the same name. `signals`: by what one sees
# that it works: check, request, reaction, comment. `settle`: what ends its work. `busy` and `ended` are
# texts in its newest comment: it works; it will not work (paused, out of quota).
#
# [[ci.review_bot]]
# name = \"ourbot\"
# logins = [\"our-review-bot\"]
# checks = [\"ourbot*\"]
# signals = [\"check\", \"comment\"]
# settle = \"review_at_head\"
# max_wait = \"20m\"
# busy = [\"is looking at this\"]
# ended = [\"is paused\"]

# In your own policy: any of the keys above, for some repositories. `path` is a glob over the path of
# the repository, `remote` one over the URLs of its remotes, as they are or as `host/path`. With both,
# both have to match. Where only some remotes match, the section only tightens.
#
# [[repo]]
# path = \"~/projects/*\"
# remote = \"github.com/example/*\"
# preset = \"team\"
# rules.\"git/push-unclear\" = \"deny\"
";

fn push(out: &mut String, line: &str) {
    out.push_str(line);
    out.push('\n');
}

/// Keys of the top first, then table by table.
fn sorted() -> Vec<&'static Key> {
    let mut keys: Vec<&Key> = KEYS.iter().collect();
    keys.sort_by_key(|k| k.name.rsplit_once('.').map_or("", |(table, _)| table));
    keys
}

/// A key's default, as TOML.
fn default(key: &Key) -> String {
    match key.kind {
        Kind::Choice { words, default } => {
            format!("\"{}\"", words.get(usize::from(default)).unwrap_or(&""))
        }
        Kind::Globs(globs) => {
            let quoted: Vec<String> = globs.iter().map(|g| format!("\"{g}\"")).collect();
            format!("[{}]", quoted.join(", "))
        }
        Kind::Span { default } => format!("\"{}\"", super::ci::shown_span(default)),
        Kind::Text => "\"\"".to_owned(),
        Kind::Texts => "[]".to_owned(),
    }
}

/// The JSON schema of a policy, for editors.
pub fn schema(rules: &[Known]) -> String {
    let mut all = properties(rules);
    let mut section = all.clone();
    section.insert(
        "path".to_owned(),
        json!({ "type": "string", "description": "a glob over the repository's path" }),
    );
    section.insert(
        "remote".to_owned(),
        json!({ "type": "string", "description": "a glob over the URLs of its remotes" }),
    );
    let section = json!({
        "type": "object",
        "additionalProperties": false,
        "anyOf": [{ "required": ["path"] }, { "required": ["remote"] }],
        "properties": section,
    });
    let sections = json!({ "type": "array", "items": section, "description": "keys for some repositories; only in a person's own policy" });
    all.insert("repo".to_owned(), sections);
    let schema = json!({
        "$schema": "http://json-schema.org/draft-07/schema#",
        "title": "leaseguard policy",
        "type": "object",
        "additionalProperties": false,
        "properties": all,
    });
    let mut text = serde_json::to_string_pretty(&schema).unwrap_or_default();
    text.push('\n');
    text
}

fn properties(rules: &[Known]) -> Map<String, Value> {
    let mut top = Map::new();
    for key in KEYS {
        let about = key.doc.join(" ");
        let value = match key.kind {
            Kind::Choice { words, default } => {
                json!({ "enum": words, "default": words.get(usize::from(default)), "description": about })
            }
            Kind::Globs(globs) => {
                json!({ "type": "array", "items": { "type": "string" }, "default": globs, "description": about })
            }
            Kind::Span { default } => {
                json!({ "type": "string", "pattern": "^[0-9]+[smh]$", "default": super::ci::shown_span(default), "description": about })
            }
            Kind::Text => json!({ "type": "string", "description": about }),
            Kind::Texts => {
                json!({ "type": "array", "items": { "type": "string" }, "description": about })
            }
        };
        match key.name.split_once('.') {
            None => {
                top.insert(key.name.to_owned(), value);
            }
            Some((group, name)) => {
                let table = top.entry(group).or_insert_with(
                    || json!({ "type": "object", "additionalProperties": false, "properties": {} }),
                );
                if let Some(Value::Object(inner)) = table.get_mut("properties") {
                    inner.insert(name.to_owned(), value);
                }
            }
        }
    }
    if let Some(Value::Object(ci)) = top.get_mut("ci").and_then(|ci| ci.get_mut("properties")) {
        ci.insert("review_bot".to_owned(), bots());
    }
    let laws: Map<String, Value> = rules.iter().map(|r| (r.id.to_owned(), law(r))).collect();
    let laws = json!({
        "type": "object",
        "additionalProperties": false,
        "description": "what becomes of a rule's findings",
        "properties": laws,
    });
    top.insert("rules".to_owned(), laws);
    top
}

/// `[[ci.review_bot]]`.
fn bots() -> Value {
    let texts = json!({ "type": "array", "items": { "type": "string" } });
    json!({
        "type": "array",
        "description": "review bots beside the built-in ones, or in place of one of the same name",
        "items": {
            "type": "object",
            "additionalProperties": false,
            "required": ["name"],
            "properties": {
                "name": { "type": "string" },
                "logins": texts,
                "checks": texts,
                "signals": { "type": "array", "items": { "enum": super::bot::SIGNALS.map(|(w, _)| w) } },
                "settle": { "enum": super::bot::SETTLES.map(|(w, _)| w) },
                "max_wait": { "type": "string", "pattern": "^[0-9]+[smh]$" },
                "busy": texts,
                "ended": texts,
            },
        },
    })
}

fn law(rule: &Known) -> Value {
    let words = WORDS.iter().map(|(w, _)| *w);
    let words: Vec<&str> = words.chain(mild_of(rule.id).map(|m| m.word)).collect();
    json!({ "enum": words, "default": rule.decision.word(), "description": rule.stops })
}

/// Every key as a Markdown table.
pub fn reference(rules: &[Known]) -> String {
    let mut out = String::from("| key | values | default | what it is for |\n|---|---|---|---|\n");
    for key in KEYS {
        let values = match key.kind {
            Kind::Choice { words, .. } => ticked(words),
            Kind::Globs(_) => "list of globs".to_owned(),
            Kind::Span { .. } => "a span: `90s`, `5m`, `6h`".to_owned(),
            Kind::Text => "a text".to_owned(),
            Kind::Texts => "list of texts".to_owned(),
        };
        let _ = writeln!(
            out,
            "| `{}` | {values} | `{}` | {} |",
            key.name,
            default(key),
            key.doc.join(" ")
        );
    }
    for rule in rules {
        let words = WORDS.iter().map(|(w, _)| *w);
        let words: Vec<&str> = words.chain(mild_of(rule.id).map(|m| m.word)).collect();
        let (id, stops) = (rule.id, rule.stops);
        let _ = writeln!(
            out,
            "| `rules.\"{id}\"` | {} | `\"{}\"` | {stops} |",
            ticked(&words),
            rule.decision
        );
    }
    out
}

fn ticked(words: &[&str]) -> String {
    let ticked: Vec<String> = words.iter().map(|w| format!("`{w}`")).collect();
    ticked.join(" ")
}
