//! Settings in TOML: read as the same tree, and changed by splices of whole lines and values.

use super::node::{Kind, Member, Node, Splice};
use crate::host::text::json_string;
use std::fmt::Write as _;
use std::ops::Range;
use toml_edit::{Document, Item, Table, TableLike, Value};

/// A TOML text and what stands in it.
pub(super) struct Toml<'a> {
    text: &'a str,
    /// The root table.
    pub(super) root: Node,
}

/// Reads `text`; `Err` says what is wrong.
pub(super) fn read(text: &str) -> Result<Toml<'_>, String> {
    let document = Document::parse(text).map_err(|e| e.message().to_owned())?;
    Ok(Toml {
        text,
        root: table(document.as_table(), 0..text.len()),
    })
}

fn table(table: &dyn TableLike, at: Range<usize>) -> Node {
    let member = |(key, item): (&str, &Item)| {
        let value = item_node(item)?;
        let start = table
            .key(key)
            .and_then(toml_edit::Key::span)
            .map_or(value.at.start, |at| at.start);
        Some(Member {
            key: key.to_owned(),
            at: start..value.at.end.max(start),
            value,
        })
    };
    Node {
        at,
        kind: Kind::Object(table.iter().filter_map(member).collect()),
    }
}

fn item_node(item: &Item) -> Option<Node> {
    match item {
        Item::None => None,
        Item::Value(value) => Some(value_node(value)),
        Item::Table(t) => Some(table(t, span(t))),
        Item::ArrayOfTables(tables) => Some(Node {
            at: tables.span().unwrap_or_default(),
            kind: Kind::Array(tables.iter().map(|t| table(t, span(t))).collect()),
        }),
    }
}

fn span(table: &Table) -> Range<usize> {
    table.span().unwrap_or_default()
}

fn value_node(value: &Value) -> Node {
    let at = value.span().unwrap_or_default();
    let kind = match value {
        Value::String(v) => Kind::Text(v.value().clone()),
        Value::Integer(v) => Kind::Raw(v.value().to_string()),
        Value::Float(v) => Kind::Raw(v.value().to_string()),
        Value::Boolean(v) => Kind::Raw(v.value().to_string()),
        Value::Datetime(v) => Kind::Raw(v.value().to_string()),
        Value::Array(v) => Kind::Array(v.iter().map(value_node).collect()),
        Value::InlineTable(v) => return table(v, at),
    };
    Node { at, kind }
}

impl Toml<'_> {
    /// Puts one more group of `event` at the end of the file; `Err` where that is not the end of
    /// its list.
    pub(super) fn append(&self, event: &str, group: &Node) -> Result<Vec<Splice>, String> {
        let hooks = self.root.get("hooks");
        let list = hooks.and_then(|hooks| hooks.get(event));
        let inline = hooks.is_some_and(|hooks| self.starts(hooks, '{'));
        // A list of tables starts with the header of its first.
        let values = list.is_some_and(|list| {
            let first = list.elements().first();
            first.is_none_or(|table| !self.starts(table, '['))
        });
        if inline || values {
            return Err(format!(
                "`hooks.{event}` is written on one line there: write it as `[[hooks.{event}]]`, then run this again"
            ));
        }
        let newline = self.newline();
        let mut by = String::new();
        if !self.text.is_empty() {
            if !self.text.ends_with('\n') {
                by.push_str(newline);
            }
            by.push_str(newline);
        }
        let name = key(event);
        let _ = write!(by, "[[hooks.{name}]]{newline}");
        let (tables, values): (Vec<_>, Vec<_>) = group
            .members()
            .iter()
            .partition(|m| m.value.elements().iter().any(Node::is_object));
        lines(&values, newline, &mut by);
        for member in tables {
            for inner in member.value.elements() {
                let _ = write!(
                    by,
                    "{newline}[[hooks.{name}.{}]]{newline}",
                    key(&member.key)
                );
                lines(
                    &inner.members().iter().collect::<Vec<_>>(),
                    newline,
                    &mut by,
                );
            }
        }
        Ok(vec![Splice::put(self.text.len(), by)])
    }

    /// Puts another value in the place of one.
    pub(super) fn set(&self, place: &Node, value: &Node) -> Vec<Splice> {
        let mut by = String::new();
        render(value, &mut by);
        vec![Splice {
            at: place.at.clone(),
            by,
        }]
    }

    /// Puts a key into a table, behind its header.
    pub(super) fn insert(&self, into: &Node, name: &str, value: &Node) -> Vec<Splice> {
        let mut by = format!("{}{} = ", self.newline(), key(name));
        render(value, &mut by);
        vec![Splice::put(self.line_end(into.at.end), by)]
    }

    /// Takes a key or a table out; `Err` where it is written on one line with others.
    pub(super) fn remove(&self, of: &Node, number: usize) -> Result<Vec<Splice>, String> {
        if let Some(member) = of.members().get(number) {
            if self.starts(of, '{') {
                return Err(format!(
                    "`{}` is written on one line there: take it out by hand",
                    member.key
                ));
            }
            foreign(of)?;
            return Ok(vec![Splice::out(self.lines_of(&member.at))]);
        }
        match of.elements().get(number) {
            Some(table) if self.starts(table, '[') => {
                foreign(table)?;
                Ok(self.remove_table(table))
            }
            _ => Err("our entry is written on one line there: take it out by hand".to_owned()),
        }
    }

    fn starts(&self, node: &Node, c: char) -> bool {
        self.text
            .get(node.at.clone())
            .is_some_and(|t| t.starts_with(c))
    }

    /// Takes a table of a list out, with all that belongs to it and the blank line before it.
    fn remove_table(&self, table: &Node) -> Vec<Splice> {
        let mut blocks = Vec::new();
        self.block(table, &mut blocks);
        blocks.sort_by_key(|at| at.start);
        let mut merged: Vec<Range<usize>> = Vec::new();
        for at in blocks {
            match merged.last_mut() {
                Some(last) if self.blank(last.end..at.start) => last.end = at.end.max(last.end),
                _ => merged.push(at),
            }
        }
        merged
            .into_iter()
            .map(|at| Splice::out(self.with_blank_line(at)))
            .collect()
    }

    /// The lines of a table, and those of the tables below it.
    fn block(&self, table: &Node, out: &mut Vec<Range<usize>>) {
        out.push(self.lines_of(&table.at));
        for member in table.members() {
            let first = member.value.elements().first();
            let tables = first.is_some_and(|first| first.is_object() && self.starts(first, '['));
            if tables {
                for inner in member.value.elements() {
                    self.block(inner, out);
                }
            } else {
                out.push(self.lines_of(&member.at));
            }
        }
    }

    fn blank(&self, at: Range<usize>) -> bool {
        at.start >= at.end || self.text.get(at).is_some_and(|t| t.trim().is_empty())
    }

    /// Takes the blank line before along, where the file or another blank line follows.
    fn with_blank_line(&self, at: Range<usize>) -> Range<usize> {
        let before = self.text.get(..at.start).unwrap_or_default();
        let after = self.text.get(at.end..).unwrap_or_default();
        let newline = self.newline();
        let empty_line = before.strip_suffix(newline).filter(|b| b.ends_with('\n'));
        match empty_line {
            Some(shorter) if after.is_empty() || after.starts_with(newline) => {
                shorter.len()..at.end
            }
            _ => at,
        }
    }

    fn newline(&self) -> &'static str {
        match self.text.find('\n') {
            Some(at) if self.text.get(..at).is_some_and(|t| t.ends_with('\r')) => "\r\n",
            _ => "\n",
        }
    }

    /// Where the line of a byte ends, before its line break.
    fn line_end(&self, at: usize) -> usize {
        let rest = self.text.get(at..).unwrap_or_default();
        let line = rest.split('\n').next().unwrap_or_default();
        at.saturating_add(line.trim_end_matches('\r').len())
    }

    /// Whole lines, with the break of the last.
    fn lines_of(&self, at: &Range<usize>) -> Range<usize> {
        let before = self.text.get(..at.start).unwrap_or_default();
        let start = before.rfind('\n').map_or(0, |n| n.saturating_add(1));
        let rest = self.text.get(at.end..).unwrap_or_default();
        let end = rest.find('\n').map_or(self.text.len(), |n| {
            at.end.saturating_add(n).saturating_add(1)
        });
        start..end
    }
}

/// Keys that an entry of ours may have. Whatever is appended to the file by hand without a header
/// of its own lands in its last table, which may be ours, and must not be lost with it.
const KEYS: &[&str] = &[
    "args",
    "async",
    "command",
    "commandWindows",
    "description",
    "hooks",
    "if",
    "matcher",
    "name",
    "once",
    "shell",
    "statusMessage",
    "timeout",
    "timeoutSec",
    "type",
];

fn foreign(table: &Node) -> Result<(), String> {
    for member in table.members() {
        if !KEYS.contains(&member.key.as_str()) {
            return Err(format!(
                "our table also holds `{}`, which is not ours: move it above the entry of leaseguard",
                member.key
            ));
        }
        for inner in member.value.elements() {
            foreign(inner)?;
        }
    }
    Ok(())
}

fn lines(members: &[&Member], newline: &str, out: &mut String) {
    for member in members {
        let _ = write!(out, "{} = ", key(&member.key));
        render(&member.value, out);
        out.push_str(newline);
    }
}

/// A name as TOML writes it.
fn key(name: &str) -> String {
    let bare = |b: u8| b.is_ascii_alphanumeric() || b == b'_' || b == b'-';
    if !name.is_empty() && name.bytes().all(bare) {
        name.to_owned()
    } else {
        text(name)
    }
}

/// A string. What JSON writes is a basic string of TOML too, but for one control character.
fn text(value: &str) -> String {
    json_string(value).replace('\u{7f}', "\\u007f")
}

fn render(value: &Node, out: &mut String) {
    match &value.kind {
        Kind::Text(value) => out.push_str(&text(value)),
        Kind::Raw(raw) => out.push_str(raw),
        Kind::Array(elements) => {
            out.push('[');
            for (at, element) in elements.iter().enumerate() {
                if at > 0 {
                    out.push_str(", ");
                }
                render(element, out);
            }
            out.push(']');
        }
        Kind::Object(members) => {
            out.push_str("{ ");
            for (at, member) in members.iter().enumerate() {
                if at > 0 {
                    out.push_str(", ");
                }
                let _ = write!(out, "{} = ", key(&member.key));
                render(&member.value, out);
            }
            out.push_str(" }");
        }
    }
}
