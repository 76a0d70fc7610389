//! The thorough reader: all of TOML by `toml_edit`, for what the quick one leaves.

use super::doc::{Broken, Doc, Entry, Made, ROOT, Value};
use std::borrow::Cow;
use toml_edit::{Document, Item, TableLike, Value as Toml};

/// How deep tables may nest; no policy goes deeper than three.
const DEPTH: usize = 16;

/// Reads any TOML document.
pub(super) fn read(text: &str) -> Result<Doc<'static>, Broken> {
    let parsed = Document::parse(text).map_err(|error| Broken {
        at: error.span().map_or(0, |s| s.start),
        what: error.message().trim().replace('\n', ", "),
    })?;
    let mut entries = Vec::new();
    table(parsed.as_table(), ROOT, 0, &mut entries)?;
    // Tables come after the plain keys of their parent here; the text's own order is wanted.
    Ok(Doc { entries })
}

type Entries = Vec<Entry<'static>>;

fn table(
    table: &dyn TableLike,
    parent: u32,
    depth: usize,
    out: &mut Entries,
) -> Result<(), Broken> {
    for (name, item) in table.iter() {
        let span = table
            .key(name)
            .and_then(|k| k.span())
            .or_else(|| item.span());
        let at = span.map_or(0, |s| s.start);
        if depth > DEPTH {
            return Err(Broken {
                at,
                what: "tables are nested too deep".to_owned(),
            });
        }
        let index = push(out, parent, name, at, plain(item));
        if let Some(inner) = item.as_table_like() {
            self::table(inner, index, depth + 1, out)?;
        } else if let Item::ArrayOfTables(tables) = item {
            for inner in tables.iter() {
                element(
                    inner,
                    index,
                    inner.span().map_or(at, |s| s.start),
                    depth,
                    out,
                )?;
            }
        } else if let (Value::Tables { .. }, Some(array)) = (plain(item), item.as_array()) {
            for inner in array.iter().filter_map(Toml::as_inline_table) {
                element(
                    inner,
                    index,
                    inner.span().map_or(at, |s| s.start),
                    depth,
                    out,
                )?;
            }
        }
    }
    Ok(())
}

fn element(
    inner: &dyn TableLike,
    array: u32,
    at: usize,
    depth: usize,
    out: &mut Entries,
) -> Result<(), Broken> {
    let index = push(out, array, "", at, Value::Table(Made::Closed));
    if let Some(Entry {
        value: Value::Tables { last },
        ..
    }) = out.get_mut(array as usize)
    {
        *last = index;
    }
    table(inner, index, depth + 1, out)
}

fn push(out: &mut Entries, parent: u32, key: &str, at: usize, value: Value<'static>) -> u32 {
    out.push(Entry {
        parent,
        key: Cow::Owned(key.to_owned()),
        at,
        value,
    });
    u32::try_from(out.len() - 1).unwrap_or(ROOT)
}

fn plain(item: &Item) -> Value<'static> {
    let value = match item {
        Item::Value(value) => value,
        Item::ArrayOfTables(_) => return Value::Tables { last: ROOT },
        Item::Table(_) | Item::None => return Value::Table(Made::Closed),
    };
    match value {
        Toml::String(text) => Value::Text(Cow::Owned(text.value().clone())),
        Toml::Boolean(flag) => Value::Flag(*flag.value()),
        Toml::Integer(number) => Value::Whole(*number.value()),
        Toml::Float(_) => Value::Odd("a float"),
        Toml::Datetime(_) => Value::Odd("a date"),
        Toml::InlineTable(_) => Value::Table(Made::Closed),
        Toml::Array(array) if !array.is_empty() && array.iter().all(Toml::is_inline_table) => {
            Value::Tables { last: ROOT }
        }
        Toml::Array(array) => {
            let texts = array
                .iter()
                .map(|v| v.as_str().map(|t| Cow::Owned(t.to_owned())));
            texts
                .collect::<Option<Vec<_>>>()
                .map_or(Value::Odd("a mixed list"), Value::Texts)
        }
    }
}
