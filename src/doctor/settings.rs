//! The settings files of one host, each read as strictly as the host reads it.

use super::machine::Machine;
use super::manner::{Manner, Scope, Strictness};
use crate::host::setup::Setup;
use serde_json::{Map, Value};
use std::borrow::Cow;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// Larger files are not read.
const MOST: u64 = 4 << 20;

/// One settings file that is there.
#[derive(Debug, Clone)]
pub struct Settings {
    /// Whose it is.
    pub scope: Scope,
    /// Where it is.
    pub path: PathBuf,
    /// What stands in it; empty where it cannot be read.
    pub text: String,
    /// What the host reads in it.
    pub value: Option<Value>,
    /// Why the host reads nothing.
    pub broken: Option<String>,
}

/// Every settings file of the host that is there, in the order of their scopes.
pub fn all(machine: &Machine, setup: &Setup, manner: Option<&Manner>) -> Vec<Settings> {
    let mut paths: Vec<(Scope, PathBuf)> = Vec::new();
    let user = machine.user_dir(&setup.user);
    let top = machine.around.top.as_ref();
    if let Some(dir) = &user {
        paths.push((Scope::User, dir.join(setup.user.file)));
    }
    if let Some(top) = top {
        let project = top.join(setup.project.dir).join(setup.project.file);
        paths.push((Scope::Project, project));
    }
    for file in manner.map_or(&[][..], |m| m.files) {
        let path = match file.scope {
            Scope::User => user.as_ref().map(|dir| dir.join(file.path)),
            Scope::Project | Scope::Local => top.map(|top| top.join(file.path)),
            Scope::Managed => Some(machine.system(file.path)),
        };
        paths.extend(path.into_iter().flat_map(spread).map(|p| (file.scope, p)));
    }
    paths.sort_by_key(|(scope, _)| *scope);
    let mut seen: Vec<PathBuf> = Vec::new();
    let mut found = Vec::new();
    for (scope, path) in paths {
        // The home may itself be a checkout, and one file then two of these.
        let real = path.canonicalize().unwrap_or_else(|_| path.clone());
        if !seen.contains(&real) {
            seen.push(real);
            found.extend(read(scope, path, manner.map(|m| m.strictness)));
        }
    }
    found
}

/// The files that a path with a `*` in its last part stands for.
fn spread(path: PathBuf) -> Vec<PathBuf> {
    let name = path
        .file_name()
        .and_then(|n| n.to_str())
        .unwrap_or_default();
    let Some((before, after)) = name.split_once('*') else {
        return vec![path];
    };
    let entries = path.parent().and_then(|dir| std::fs::read_dir(dir).ok());
    let mut found: Vec<PathBuf> = entries
        .into_iter()
        .flatten()
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|file| {
            let name = file.file_name().and_then(|n| n.to_str());
            name.is_some_and(|n| n.starts_with(before) && n.ends_with(after))
        })
        .collect();
    found.sort();
    found
}

fn read(scope: Scope, path: PathBuf, strictness: Option<Strictness>) -> Option<Settings> {
    let mut settings = Settings {
        scope,
        path,
        text: String::new(),
        value: None,
        broken: None,
    };
    match text(&settings.path) {
        Ok(None) => return None,
        Ok(Some(text)) => settings.text = text,
        Err(why) => {
            settings.broken = Some(why);
            return Some(settings);
        }
    }
    let end = settings.path.extension().and_then(|e| e.to_str());
    let parsed = match (end, strictness) {
        (Some("toml"), _) => toml(&settings.text),
        (Some("json"), Some(strictness)) => json(&settings.text, strictness),
        _ => return Some(settings),
    };
    match parsed {
        Ok(value) => settings.value = Some(value),
        Err(why) => settings.broken = Some(why),
    }
    Some(settings)
}

fn text(path: &Path) -> Result<Option<String>, String> {
    let found = match std::fs::metadata(path) {
        Ok(found) => found,
        Err(e) if matches!(e.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
            return Ok(None);
        }
        Err(e) => return Err(crate::state::files::reason(&e)),
    };
    // A pipe would keep us waiting.
    if !found.is_file() {
        return Err("it is no regular file".to_owned());
    }
    if found.len() > MOST {
        return Err("it is larger than any settings file".to_owned());
    }
    match std::fs::read(path).map(String::from_utf8) {
        Ok(Ok(text)) => Ok(Some(text)),
        Ok(Err(_)) => Err("it is not UTF-8".to_owned()),
        Err(e) => Err(crate::state::files::reason(&e)),
    }
}

/// JSON as a host of this strictness reads it; why not, where it does not.
pub fn json(text: &str, strictness: Strictness) -> Result<Value, String> {
    const MARK: char = '\u{feff}';
    let unmarked = text.strip_prefix(MARK);
    let body = match (unmarked, strictness) {
        (Some(_), Strictness::Strict) => {
            return Err("it starts with a byte order mark, which is no JSON".to_owned());
        }
        (Some(rest), _) => rest,
        (None, _) => text,
    };
    // Claude Code and others take an empty file for one without settings.
    if body.trim().is_empty() {
        return match strictness {
            Strictness::Strict => Err("it is empty".to_owned()),
            _ => Ok(Value::Object(Map::new())),
        };
    }
    let bare = match strictness {
        Strictness::Comments => without_comments(body),
        _ => Cow::Borrowed(body),
    };
    serde_json::from_str(&bare).map_err(|error| {
        let (line, column) = (error.line(), error.column());
        if strictness != Strictness::Comments && is_json(&without_comments(body)) {
            return "it holds comments, which are no JSON".to_owned();
        }
        if is_json(&without_commas(&without_comments(body))) {
            return format!("it holds a comma before a closing bracket, at line {line}");
        }
        format!("it is no JSON at line {line}, column {column}")
    })
}

fn is_json(text: &str) -> bool {
    serde_json::from_str::<serde::de::IgnoredAny>(text).is_ok()
}

/// The text with blanks in place of comments.
fn without_comments(text: &str) -> Cow<'_, str> {
    if !text.contains("//") && !text.contains("/*") {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    let mut quoted = false;
    while let Some(c) = chars.next() {
        match (c, chars.peek()) {
            ('\\', Some(_)) if quoted => {
                out.push(c);
                out.extend(chars.next());
            }
            ('"', _) => {
                quoted = !quoted;
                out.push(c);
            }
            ('/', Some('/')) if !quoted => while chars.next_if(|c| *c != '\n').is_some() {},
            ('/', Some('*')) if !quoted => {
                chars.next();
                let mut last = ' ';
                for c in chars.by_ref() {
                    if last == '*' && c == '/' {
                        break;
                    }
                    last = c;
                }
                out.push(' ');
            }
            _ => out.push(c),
        }
    }
    Cow::Owned(out)
}

/// The text without commas that stand before a closing bracket.
fn without_commas(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let (mut quoted, mut escaped) = (false, false);
    for c in text.chars() {
        if !quoted && matches!(c, '}' | ']') {
            let kept = out.trim_end().len();
            if out.get(..kept).is_some_and(|o| o.ends_with(',')) {
                out.truncate(kept.saturating_sub(1));
            }
        }
        quoted ^= c == '"' && !escaped;
        escaped = quoted && c == '\\' && !escaped;
        out.push(c);
    }
    out
}

/// TOML as the tree that JSON would be.
pub fn toml(text: &str) -> Result<Value, String> {
    let parsed = toml_edit::Document::parse(text).map_err(|error| {
        let message = error.message().trim().replace('\n', ", ");
        format!("it is no TOML: {message}")
    })?;
    Ok(table(parsed.as_table()))
}

fn table(table: &dyn toml_edit::TableLike) -> Value {
    let pairs = table
        .iter()
        .map(|(key, item)| (key.to_owned(), item_value(item)));
    Value::Object(pairs.collect())
}

fn item_value(item: &toml_edit::Item) -> Value {
    if let Some(tables) = item.as_array_of_tables() {
        return Value::Array(tables.iter().map(|t| table(t)).collect());
    }
    if let Some(inner) = item.as_table_like() {
        return table(inner);
    }
    item.as_value().map_or(Value::Null, plain)
}

fn plain(value: &toml_edit::Value) -> Value {
    use toml_edit::Value as Toml;
    match value {
        Toml::String(text) => Value::String(text.value().clone()),
        Toml::Integer(number) => Value::from(*number.value()),
        Toml::Float(number) => Value::from(*number.value()),
        Toml::Boolean(flag) => Value::Bool(*flag.value()),
        Toml::Datetime(time) => Value::String(time.value().to_string()),
        Toml::Array(items) => Value::Array(items.iter().map(plain).collect()),
        Toml::InlineTable(inner) => table(inner),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_host_reads_what_it_tolerates_and_no_more() {
        use Strictness::{Comments, Marked, Strict};
        let marked = "\u{feff}{}";
        let comment = "{\"a\": \"http://x\"} // note\n/* * \" */";
        let comma = "{\"a\": [1, 2,\n],}";
        for (text, strict, marks, comments) in [
            ("{}", "", "", ""),
            (marked, "byte order mark", "", ""),
            ("", "empty", "", ""),
            (comment, "comments", "comments", ""),
            (comma, "comma", "comma", "comma"),
            ("{\"a\"", "no JSON", "no JSON", "no JSON"),
        ] {
            for (strictness, want) in [(Strict, strict), (Marked, marks), (Comments, comments)] {
                let why = json(text, strictness).err().unwrap_or_default();
                let right = if want.is_empty() {
                    why.is_empty()
                } else {
                    why.contains(want)
                };
                assert!(right, "{text:?} {strictness:?}: {why}");
            }
        }
    }

    #[test]
    fn brackets_and_slashes_within_texts_are_left_alone() {
        let text = r#"{"a": ",]", "b": "\",}", "c": "/* // */"}"#;
        assert_eq!(without_commas(text), text);
        assert_eq!(without_comments(text), text);
    }

    #[test]
    fn toml_becomes_the_tree_that_json_would_be() {
        let text = "[[hooks.PreToolUse]]\nmatcher = 'a'\n[[hooks.PreToolUse.hooks]]\ntimeout = 3\n";
        let value = toml(text).unwrap();
        assert_eq!(value["hooks"]["PreToolUse"][0]["hooks"][0]["timeout"], 3);
        assert!(toml("a = ").unwrap_err().starts_with("it is no TOML"));
    }
}
