//! Settings in JSON: read as a tree, and changed by splices that leave every other byte alone.

use super::node::{Kind, Member, Node, Splice};
use crate::host::text::json_string;
use jsonc_parser::ast::Value;
use jsonc_parser::tokens::Token;
use jsonc_parser::{CollectOptions, CommentCollectionStrategy, ParseOptions, parse_to_ast};
use std::ops::Range;

/// What a reader takes beyond plain JSON.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Taste {
    /// `//` and `/* */`.
    pub(super) comments: bool,
    /// A comma behind the last value.
    pub(super) trailing_commas: bool,
}

impl Taste {
    /// Everything that we can edit.
    pub(super) const LOOSE: Taste = Taste {
        comments: true,
        trailing_commas: true,
    };
}

/// A JSON text and what stands in it.
pub(super) struct Json<'a> {
    text: &'a str,
    /// The value.
    pub(super) root: Node,
    /// Commas, comments and brackets, in their order.
    marks: Vec<(Mark, Range<usize>)>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Mark {
    Comma,
    Comment,
    Other,
}

/// Reads `text`; `Err` says what is wrong and where. `None` where there is no value at all.
pub(super) fn read(text: &str, taste: Taste) -> Result<Option<Json<'_>>, String> {
    let collect = CollectOptions {
        comments: CommentCollectionStrategy::AsTokens,
        tokens: true,
    };
    let options = ParseOptions {
        allow_comments: true,
        allow_trailing_commas: taste.trailing_commas,
        allow_loose_object_property_names: false,
        allow_missing_commas: false,
        allow_single_quoted_strings: false,
        allow_hexadecimal_numbers: false,
        allow_unary_plus_numbers: false,
        allow_bare_decimal_point_numbers: false,
        allow_non_finite_numbers: false,
        allow_extended_string_escapes: false,
    };
    let parsed = parse_to_ast(text, &collect, &options).map_err(|e| lower(&e.to_string()))?;
    let tokens = parsed.tokens.unwrap_or_default();
    let marks: Vec<_> = tokens
        .iter()
        .map(|t| {
            let mark = match t.token {
                Token::Comma => Mark::Comma,
                Token::CommentLine(_) | Token::CommentBlock(_) => Mark::Comment,
                _ => Mark::Other,
            };
            (mark, t.range.start..t.range.end)
        })
        .collect();
    let comment = marks.iter().find(|(mark, _)| *mark == Mark::Comment);
    if let (false, Some((_, at))) = (taste.comments, comment) {
        return Err(format!(
            "it holds a comment on line {}",
            line(text, at.start)
        ));
    }
    Ok(parsed.value.as_ref().map(|value| Json {
        text,
        root: node(value),
        marks,
    }))
}

/// The line of a byte, from 1.
fn line(text: &str, at: usize) -> usize {
    let before = text.as_bytes().get(..at).unwrap_or_default();
    before
        .iter()
        .filter(|b| **b == b'\n')
        .count()
        .saturating_add(1)
}

fn lower(text: &str) -> String {
    let mut chars = text.trim_end_matches('.').chars();
    let first = chars.next().map(|c| c.to_ascii_lowercase());
    first.into_iter().chain(chars).collect()
}

fn node(value: &Value<'_>) -> Node {
    let (range, kind) = match value {
        Value::StringLit(v) => (v.range, Kind::Text(v.value.clone().into_owned())),
        Value::NumberLit(v) => (v.range, Kind::Raw(v.value.to_owned())),
        Value::BooleanLit(v) => (v.range, Kind::Raw(v.value.to_string())),
        Value::NullKeyword(v) => (v.range, Kind::Raw("null".to_owned())),
        Value::Array(v) => (v.range, Kind::Array(v.elements.iter().map(node).collect())),
        Value::Object(v) => {
            let member = |p: &jsonc_parser::ast::ObjectProp<'_>| Member {
                key: p.name.as_str().to_owned(),
                at: p.range.start..p.range.end,
                value: node(&p.value),
            };
            (
                v.range,
                Kind::Object(v.properties.iter().map(member).collect()),
            )
        }
    };
    Node {
        at: range.start..range.end,
        kind,
    }
}

impl Json<'_> {
    /// Puts `"key": value` (an element, where there is no key) at the end of `into`.
    pub(super) fn insert(&self, into: &Node, key: Option<&str>, value: &Node) -> Vec<Splice> {
        let style = Style::of(self.text, &self.root);
        let close = into.at.end.saturating_sub(1);
        let inside = self.between(into.at.start.saturating_add(1), close);
        let children = children(into);
        let trailing = children.last().and_then(|last| {
            let mut after = inside.iter().filter(|(_, at)| at.start >= last.end);
            after.find(|(mark, _)| *mark == Mark::Comma)
        });
        let start = inside
            .last()
            .map_or(into.at.start.saturating_add(1), |(_, at)| at.end);
        let lines = match children.first() {
            Some(first) => self.has_newline(into.at.start..first.start),
            None => style.lines,
        };
        // On one line with a comment to the end of the line, all that follows would be a comment.
        let last = inside.last().and_then(|(_, at)| self.text.get(at.clone()));
        let rest = self.text.get(start..close).unwrap_or_default();
        let start = match rest.find('\n') {
            Some(line) if !lines && last.is_some_and(|last| last.starts_with("//")) => {
                start.saturating_add(line).saturating_add(1)
            }
            _ => start,
        };
        let indent = match (children.first(), lines) {
            (Some(first), true) => self.indent(first.start).to_owned(),
            _ => format!("{}{}", self.indent(into.at.start), style.unit),
        };
        let mut by = String::new();
        if lines {
            by.push_str(style.newline);
            by.push_str(&indent);
        } else if !children.is_empty() && style.spaced {
            by.push(' ');
        }
        if let Some(key) = key {
            by.push_str(&json_string(key));
            by.push_str(if lines || style.spaced { ": " } else { ":" });
        }
        style.render(value, lines.then_some(indent.as_str()), &mut by);
        if trailing.is_some() {
            by.push(',');
        }
        if lines && !self.has_newline(start..close) {
            by.push_str(style.newline);
            by.push_str(self.indent(into.at.start));
        }
        let mut splices = vec![Splice::put(start, by)];
        if let (Some(last), None) = (children.last(), trailing) {
            if last.end == start {
                if let Some(splice) = splices.first_mut() {
                    splice.by.insert(0, ',');
                }
            } else {
                splices.push(Splice::put(last.end, ","));
            }
        }
        splices
    }

    /// Puts another value in the place of one.
    pub(super) fn set(&self, place: &Node, value: &Node) -> Vec<Splice> {
        let style = Style::of(self.text, &self.root);
        let lines = self
            .has_newline(place.at.clone())
            .then(|| self.indent(place.at.start));
        let mut by = String::new();
        style.render(value, lines, &mut by);
        vec![Splice {
            at: place.at.clone(),
            by,
        }]
    }

    /// Takes the child with that number out of `of`, and the comma that belonged to it.
    pub(super) fn remove(&self, of: &Node, number: usize) -> Vec<Splice> {
        let children = children(of);
        let Some(child) = children.get(number).cloned() else {
            return Vec::new();
        };
        let close = of.at.end.saturating_sub(1);
        let open = of.at.start.saturating_add(1);
        let before = self.blank_before(&child);
        let comma_after = self
            .between(child.end, close)
            .iter()
            .find(|(mark, _)| *mark != Mark::Comment)
            .filter(|(mark, _)| *mark == Mark::Comma)
            .map(|(_, at)| at.clone());
        let alone = children.len() == 1;
        if alone
            && self.between(open, close).iter().all(|(mark, at)| {
                *mark != Mark::Comment || (at.start >= child.start && at.end <= child.end)
            })
        {
            return vec![Splice::out(open..close)];
        }
        let mut splices = vec![Splice::out(before..child.end)];
        match comma_after {
            Some(comma) => {
                let mut end = comma.end;
                // The first of a line takes the blank behind its comma along.
                if before == child.start {
                    let rest = self.text.get(end..close).unwrap_or_default();
                    let blank = rest
                        .len()
                        .saturating_sub(rest.trim_start_matches([' ', '\t']).len());
                    end = end.saturating_add(blank);
                }
                splices.push(Splice::out(comma.start..end));
            }
            None if number > 0 => {
                let from = children
                    .get(number.saturating_sub(1))
                    .map_or(open, |c| c.end);
                let commas = self.between(from, child.start);
                let comma = commas.iter().find(|(mark, _)| *mark == Mark::Comma);
                splices.extend(comma.map(|(_, at)| Splice::out(at.clone())));
            }
            None => {}
        }
        merged(splices)
    }

    fn between(&self, from: usize, to: usize) -> &[(Mark, Range<usize>)] {
        let first = self.marks.partition_point(|(_, at)| at.start < from);
        let last = self.marks.partition_point(|(_, at)| at.end <= to);
        self.marks.get(first..last.max(first)).unwrap_or_default()
    }

    fn has_newline(&self, at: Range<usize>) -> bool {
        self.text.get(at).is_some_and(|t| t.contains('\n'))
    }

    /// The blanks at the start of the line of a byte.
    fn indent(&self, at: usize) -> &str {
        let before = self.text.get(..at).unwrap_or_default();
        let start = before.rfind('\n').map_or(0, |n| n.saturating_add(1));
        let rest = self.text.get(start..).unwrap_or_default();
        let len = rest
            .len()
            .saturating_sub(rest.trim_start_matches([' ', '\t']).len());
        rest.get(..len).unwrap_or_default()
    }

    /// Where the blank before a child begins.
    fn blank_before(&self, child: &Range<usize>) -> usize {
        let before = self.text.get(..child.start).unwrap_or_default();
        let trimmed = before.trim_end_matches([' ', '\t', '\r', '\n']);
        // A line comment needs the end of its line.
        let comment = self.marks.iter().any(|(mark, range)| {
            *mark == Mark::Comment
                && range.end == trimmed.len()
                && self
                    .text
                    .get(range.clone())
                    .is_some_and(|t| t.starts_with("//"))
        });
        let rest = self.text.get(child.end..).unwrap_or_default();
        let rest = rest.trim_start_matches([' ', '\t', ',', '\r']);
        if comment && !rest.starts_with('\n') {
            return child.start;
        }
        trimmed.len()
    }
}

fn merged(mut splices: Vec<Splice>) -> Vec<Splice> {
    splices.sort_by_key(|s| s.at.start);
    let mut out: Vec<Splice> = Vec::new();
    for splice in splices {
        match out.last_mut() {
            Some(last) if splice.at.start < last.at.end => {
                last.at.end = last.at.end.max(splice.at.end);
            }
            _ => out.push(splice),
        }
    }
    out
}

fn children(of: &Node) -> Vec<Range<usize>> {
    match &of.kind {
        Kind::Object(members) => members.iter().map(|m| m.at.clone()).collect(),
        Kind::Array(elements) => elements.iter().map(|e| e.at.clone()).collect(),
        _ => Vec::new(),
    }
}

/// How the file is laid out.
struct Style<'a> {
    newline: &'a str,
    unit: &'a str,
    /// Values stand on lines of their own.
    lines: bool,
    /// A blank stands behind colons and commas of one line.
    spaced: bool,
}

impl<'a> Style<'a> {
    fn of(text: &'a str, root: &Node) -> Style<'a> {
        let newline = match text.find('\n') {
            Some(at) if text.get(..at).is_some_and(|t| t.ends_with('\r')) => "\r\n",
            _ => "\n",
        };
        let first = children(root).first().map(|c| c.start);
        let before = first
            .and_then(|at| text.get(root.at.start..at))
            .unwrap_or_default();
        let unit = before.rsplit_once('\n').map(|(_, unit)| unit);
        let blank = |unit: &&str| !unit.is_empty() && unit.trim_matches([' ', '\t']).is_empty();
        let inside = text.get(root.at.clone()).unwrap_or_default();
        Style {
            newline,
            unit: unit.filter(blank).unwrap_or("  "),
            lines: first.is_none() || inside.contains('\n'),
            spaced: inside.contains("\": ") || inside.contains(", "),
        }
    }

    /// Writes a value; on lines of their own below `indent`, or all on one line.
    fn render(&self, value: &Node, indent: Option<&str>, out: &mut String) {
        match &value.kind {
            Kind::Text(text) => out.push_str(&json_string(text)),
            Kind::Raw(raw) => out.push_str(raw),
            Kind::Array(elements) => {
                let simple = elements.iter().all(|e| !e.is_object() && !e.is_array());
                let indent = indent.filter(|_| !simple);
                let items = elements.iter().map(|e| (None, e));
                self.list(['[', ']'], items, indent, out);
            }
            Kind::Object(members) => {
                let items = members.iter().map(|m| (Some(m.key.as_str()), &m.value));
                self.list(['{', '}'], items, indent, out);
            }
        }
    }

    fn list<'n>(
        &self,
        [open, close]: [char; 2],
        items: impl Iterator<Item = (Option<&'n str>, &'n Node)>,
        indent: Option<&str>,
        out: &mut String,
    ) {
        out.push(open);
        let inner = indent.map(|indent| format!("{indent}{}", self.unit));
        let spaced = self.spaced || self.lines;
        let mut any = false;
        for (key, value) in items {
            if any {
                out.push(',');
            }
            match &inner {
                Some(inner) => {
                    out.push_str(self.newline);
                    out.push_str(inner);
                }
                None if any && spaced => out.push(' '),
                None => {}
            }
            any = true;
            if let Some(key) = key {
                out.push_str(&json_string(key));
                out.push_str(if spaced { ": " } else { ":" });
            }
            self.render(value, inner.as_deref(), out);
        }
        if let (Some(indent), true) = (indent, any) {
            out.push_str(self.newline);
            out.push_str(indent);
        }
        out.push(close);
    }
}
