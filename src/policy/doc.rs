//! A TOML document as a flat list of entries, each with its parent, in the order of the text.

use std::borrow::Cow;

/// The parent of the entries at the top.
pub(super) const ROOT: u32 = u32::MAX;

/// A value.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Value<'a> {
    /// A string.
    Text(Cow<'a, str>),
    /// A boolean.
    Flag(bool),
    /// An integer.
    Whole(i64),
    /// An array of strings, perhaps empty.
    Texts(Vec<Cow<'a, str>>),
    /// A table; its entries follow.
    Table(Made),
    /// An array of tables; its elements follow, as tables without a key.
    Tables {
        /// The entry of the newest element.
        last: u32,
    },
    /// What no policy has a use for: its TOML name.
    Odd(&'static str),
}

/// How a table came to be, which decides who may add to it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Made {
    /// On the way to a header.
    Implied,
    /// By a header of its own.
    Header,
    /// By dotted keys under the header with this number.
    Dotted(u32),
    /// As an inline table, or read by another reader: nobody adds to it.
    Closed,
}

impl Value<'_> {
    /// What it is, as a noun.
    pub(super) fn noun(&self) -> &'static str {
        match self {
            Value::Text(_) => "a string",
            Value::Flag(_) => "a boolean",
            Value::Whole(_) => "an integer",
            Value::Texts(_) => "a list of strings",
            Value::Table(_) => "a table",
            Value::Tables { .. } => "a list of tables",
            Value::Odd(noun) => noun,
        }
    }
}

/// A key and its value.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Entry<'a> {
    /// The entry that holds it, always an earlier one, or [`ROOT`].
    pub(super) parent: u32,
    /// Its own key; empty for elements of arrays.
    pub(super) key: Cow<'a, str>,
    /// Where the key starts in the text.
    pub(super) at: usize,
    /// What stands behind it.
    pub(super) value: Value<'a>,
}

/// A whole document.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Doc<'a> {
    /// Every key, tables and their elements included; parents before children.
    pub(super) entries: Vec<Entry<'a>>,
}

/// Why a text is no document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Broken {
    /// Where, in bytes.
    pub(super) at: usize,
    /// In words.
    pub(super) what: String,
}

/// Reads `text` the quick way, and the thorough way where that cannot follow.
pub(super) fn read(text: &str) -> Result<Doc<'_>, Broken> {
    let text = unmarked(text);
    match super::quick::read(text) {
        Some(doc) => Ok(doc),
        None => super::thorough::read(text),
    }
}

/// The text without the mark that some editors put before it; places are counted from here.
pub(super) fn unmarked(text: &str) -> &str {
    text.strip_prefix('\u{feff}').unwrap_or(text)
}

/// The line of a byte, from 1.
pub(super) fn line(text: &str, at: usize) -> usize {
    let text = unmarked(text);
    let before = text.as_bytes().get(..at).unwrap_or(text.as_bytes());
    before
        .iter()
        .filter(|b| **b == b'\n')
        .count()
        .saturating_add(1)
}
