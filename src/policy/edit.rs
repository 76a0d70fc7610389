//! Changes one rule in the text of a person's policy and keeps every other byte.

use super::doc::{Value, unmarked};
use super::files::{Found, Name, Source};
use super::nearest::nearest;
use super::places::Places;
use super::read::words_of;
use super::table::Known;
use super::wish::Wish;
use super::{Policy, layer, thorough};
use std::fmt;
use std::ops::Range;
use std::path::Path;
use toml_edit::{Document, Item, Table, TableLike};

/// A policy's new text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Edit {
    /// The whole text.
    pub text: String,
    /// The rule is milder than before, which only a person may decide.
    pub loosens: bool,
}

/// Why a policy's text is not changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CannotEdit {
    /// There is no such rule, or the rule has no such word.
    Unknown(String),
    /// The text is broken already.
    Broken(Vec<String>),
    /// Its form leaves no sure place; the lines to add by hand.
    ByHand(String),
}

impl fmt::Display for CannotEdit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CannotEdit::Unknown(what) => f.write_str(what),
            CannotEdit::Broken(what) => write!(
                f,
                "the policy is broken, mend it first: {}",
                what.join("; ")
            ),
            CannotEdit::ByHand(lines) => {
                write!(f, "the policy has a form of its own; add by hand: {lines}")
            }
        }
    }
}

impl std::error::Error for CannotEdit {}

/// `text` with the rule `id` set to `value`, everywhere or for the repository at `repo`.
pub fn set_rule(
    text: &str,
    id: &str,
    value: &str,
    repo: Option<&str>,
    rules: &[Known],
) -> Result<Edit, CannotEdit> {
    let Some(rule) = rules.iter().find(|r| r.id == id) else {
        let near = nearest(id, rules.iter().map(|r| r.id));
        return Err(CannotEdit::Unknown(format!(
            "there is no rule `{id}`{near}"
        )));
    };
    if Wish::of_word(id, value).is_none() {
        let words = words_of(id);
        return Err(CannotEdit::Unknown(format!(
            "the rule `{id}` takes {words}, not `{value}`"
        )));
    }
    let by_hand = || CannotEdit::ByHand(block(id, value, repo).trim().replace('\n', "; "));
    if repo.is_some_and(|r| r.contains('*')) {
        return Err(CannotEdit::Unknown(
            "the path holds a `*`, which would mean other repositories".to_owned(),
        ));
    }
    let before = policy(text, repo, rules);
    if !before.troubles.is_empty() {
        return Err(CannotEdit::Broken(before.troubles));
    }
    let (range, new) = splice(text, id, value, repo).ok_or_else(by_hand)?;
    let mut edited = text.to_owned();
    edited.replace_range(range, &new);
    let sure = leaves(text).zip(leaves(&edited));
    if !sure.is_some_and(|(old, new)| only_this(&old, &new, id, value, repo)) {
        return Err(by_hand());
    }
    let after = policy(&edited, repo, rules);
    let loosens = after.wish(id).looser_than(before.wish(id), rule.decision);
    Ok(Edit {
        text: edited,
        loosens,
    })
}

/// The policy that a person's text alone makes, for the repository at `repo`.
fn policy(text: &str, repo: Option<&str>, rules: &[Known]) -> Policy {
    let name = Name {
        what: "user policy",
        path: Path::new("policy.toml"),
    };
    let user = Source::Text {
        name,
        text: text.to_owned(),
        doubt: None,
    };
    let found = Found {
        managed: Source::Missing,
        user,
        project: Source::Missing,
        trusted: Source::Missing,
    };
    let places = Places {
        repo_path: repo.map(Path::new),
        ..Places::none(rules)
    };
    layer::merge(&found, &places)
}

/// The bytes to replace, and by what; `None` where no place is sure.
fn splice(text: &str, id: &str, value: &str, repo: Option<&str>) -> Option<(Range<usize>, String)> {
    let plain = unmarked(text);
    let base = text.len() - plain.len();
    let parsed = Document::parse(plain).ok()?;
    let newline = if text.contains("\r\n") { "\r\n" } else { "\n" };
    let table = match repo {
        None => Some(parsed.as_table()),
        Some(path) => section(parsed.as_table(), path),
    };
    let (range, new) = match table {
        Some(table) => in_table(plain, table, id, value, repo.is_some(), newline)?,
        None => (
            plain.len()..plain.len(),
            at_end(plain, id, value, repo, newline),
        ),
    };
    Some((range.start + base..range.end + base, new))
}

/// The section that speaks of the repository at `path` and of no other.
fn section<'t>(top: &'t Table, path: &str) -> Option<&'t Table> {
    let sections = top.get("repo")?.as_array_of_tables()?;
    let says = |t: &Table, key: &str| t.get(key).and_then(Item::as_str).map(str::to_owned);
    sections
        .iter()
        .filter(|t| says(t, "remote").is_none())
        .find(|t| says(t, "path").as_deref() == Some(path))
}

fn in_table(
    text: &str,
    table: &Table,
    id: &str,
    value: &str,
    section: bool,
    newline: &str,
) -> Option<(Range<usize>, String)> {
    let pair = format!("\"{id}\" = \"{value}\"");
    let Some(rules) = table.get("rules") else {
        if !section {
            return Some((
                text.len()..text.len(),
                at_end(text, id, value, None, newline),
            ));
        }
        return line_after(text, last(table)?, &format!("rules.{pair}"), newline);
    };
    let inside = rules.as_table_like()?;
    if let Some(old) = inside.get(id) {
        return Some((old.span()?, format!("\"{value}\"")));
    }
    match rules {
        Item::Table(table) if table.is_dotted() => {
            line_after(text, last(table)?, &format!("rules.{pair}"), newline)
        }
        Item::Table(table) => {
            let after = last(table).or_else(|| Some(table.span()?.end))?;
            line_after(text, after, &pair, newline)
        }
        _ => match last(inside) {
            Some(end) => Some((end..end, format!(", {pair}"))),
            None => {
                let start = rules.span()?.start.checked_add(1)?;
                Some((start..start, format!(" {pair} ")))
            }
        },
    }
}

/// Where the last plain value of a table ends.
fn last(table: &dyn TableLike) -> Option<usize> {
    let ends = table
        .iter()
        .filter_map(|(_, item)| Some(item.as_value()?.span()?.end));
    ends.max()
}

/// A line of its own behind the line in which `at` stands, indented like it.
fn line_after(text: &str, at: usize, line: &str, newline: &str) -> Option<(Range<usize>, String)> {
    let start = text.get(..at)?.rfind('\n').map_or(0, |n| n + 1);
    let before = text.get(start..at)?;
    let indent = before.get(..before.len() - before.trim_start().len())?;
    Some(match text.get(at..)?.find('\n') {
        Some(end) => {
            let end = at + end + 1;
            (end..end, format!("{indent}{line}{newline}"))
        }
        None => (
            text.len()..text.len(),
            format!("{newline}{indent}{line}{newline}"),
        ),
    })
}

fn at_end(text: &str, id: &str, value: &str, repo: Option<&str>, newline: &str) -> String {
    let gap = match text {
        "" => "",
        text if text.ends_with('\n') => newline,
        _ => &format!("{newline}{newline}"),
    };
    format!("{gap}{}", block(id, value, repo).replace('\n', newline))
}

/// The lines that say it where nothing is there yet.
fn block(id: &str, value: &str, repo: Option<&str>) -> String {
    match repo {
        None => format!("[rules]\n\"{id}\" = \"{value}\"\n"),
        Some(path) => format!(
            "[[repo]]\npath = {}\nrules.\"{id}\" = \"{value}\"\n",
            quoted(path)
        ),
    }
}

/// As a TOML string.
fn quoted(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            c if c.is_control() => out.push_str(&format!("\\u{:04X}", u32::from(c))),
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

/// Every value with its path.
type Leaves = Vec<(Vec<String>, Value<'static>)>;

fn leaves(text: &str) -> Option<Leaves> {
    let doc = thorough::read(unmarked(text)).ok()?;
    let mut paths: Vec<Vec<String>> = Vec::new();
    let mut out = Vec::new();
    let mut elements = 0;
    for entry in doc.entries {
        let mut path = paths
            .get(entry.parent as usize)
            .cloned()
            .unwrap_or_default();
        if entry.key.is_empty() {
            // Elements have no key; their number tells them apart.
            elements += 1;
            path.push(format!("#{elements}"));
        } else {
            path.push(entry.key.into_owned());
        }
        paths.push(path.clone());
        if !matches!(entry.value, Value::Table(_) | Value::Tables { .. }) {
            out.push((path, entry.value));
        }
    }
    Some(out)
}

/// Whether `new` says what `old` says but for one rule.
fn only_this(old: &Leaves, new: &Leaves, id: &str, value: &str, repo: Option<&str>) -> bool {
    let gone: Vec<_> = old.iter().filter(|leaf| !new.contains(leaf)).collect();
    let come: Vec<_> = new.iter().filter(|leaf| !old.contains(leaf)).collect();
    let is_rule = |path: &[String]| match (repo, path) {
        (None, [rules, rule]) => rules == "rules" && rule == id,
        (Some(_), [top, _, rules, rule]) => top == "repo" && rules == "rules" && rule == id,
        _ => false,
    };
    let is_section = |(path, value): &(Vec<String>, Value)| {
        let named = matches!(path.as_slice(), [top, _, key] if top == "repo" && key == "path");
        named && Some(value) == repo.map(|r| Value::Text(r.into())).as_ref()
    };
    match (gone.as_slice(), come.as_slice()) {
        // It said so already.
        ([], []) => old.iter().any(|(path, _)| is_rule(path)),
        ([], [(path, now)]) => is_rule(path) && *now == Value::Text(value.into()),
        ([], [section, (path, now)]) => {
            is_section(section) && is_rule(path) && *now == Value::Text(value.into())
        }
        ([(was, _)], [(path, now)]) => {
            was == path && is_rule(path) && *now == Value::Text(value.into())
        }
        _ => false,
    }
}
