//! Shell text and file writes inside the input of a tool that we do not know by name.
//!
//! The input is walked once as it lies; only values under telling keys are kept.

use super::argv;
use super::envelope::{Field, bad_json};
use crate::call::{Dialect, What};
use crate::verdict::Fault;
use serde::Deserialize;
use serde::de::{DeserializeSeed, Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};
use std::fmt;
use std::path::PathBuf;

/// More shell texts, or words in one list, than any honest tool sends.
const MAX_TEXTS: usize = 64;
const MAX_WORDS: usize = 100_000;
/// JSON inside a JSON string is followed this deep.
const MAX_NESTED: u8 = 3;

/// What an input carries besides what its tool is for.
#[derive(Debug, Default)]
pub(super) struct Carried {
    /// Shell texts.
    pub(super) texts: Vec<String>,
    /// Files that it writes.
    pub(super) paths: Vec<PathBuf>,
    /// The directory that it names nearest to the command.
    pub(super) dir: Option<String>,
    /// Something was left out.
    cut: bool,
}

impl Carried {
    /// Walks `json`.
    pub(super) fn read(json: &[u8]) -> Result<Carried, Fault> {
        let mut found = Carried::default();
        let mut reader = serde_json::Deserializer::from_slice(json);
        let node = Node {
            found: &mut found,
            role: Role::Nest,
            nested: 0,
        };
        let piece = node.deserialize(&mut reader).map_err(|e| bad_json(&e))?;
        if let Piece::Text(text) = piece {
            found.unfold(&text, 1);
        }
        if found.cut {
            return Err(Fault {
                code: "fault/too-much",
                what: "the tool's input holds more commands than can be judged".to_owned(),
            });
        }
        Ok(found)
    }

    /// The deeds: the tool's own, and each that its input carries.
    pub(super) fn deeds(self, tool: &str, input: &[u8]) -> Vec<What> {
        let (server, name) = server(tool);
        self.deeds_of(server, name, input)
    }

    /// As [`Carried::deeds`], where the host names the server apart.
    pub(super) fn deeds_of(self, server: &str, tool: &str, input: &[u8]) -> Vec<What> {
        let dialect = dialect(tool);
        let mut deeds = vec![What::Tool {
            server: server.to_owned(),
            tool: tool.to_owned(),
            input: String::from_utf8_lossy(input).into_owned(),
        }];
        let shell = |text| What::Shell { dialect, text };
        deeds.extend(self.texts.into_iter().map(shell));
        if !self.paths.is_empty() {
            deeds.push(What::Write { paths: self.paths });
        }
        deeds
    }

    /// Neither a command nor a write.
    pub(super) fn is_empty(&self) -> bool {
        self.texts.is_empty() && self.paths.is_empty()
    }

    fn push(&mut self, text: String) {
        if self.texts.len() < MAX_TEXTS {
            self.texts.push(text);
        } else {
            self.cut = true;
        }
    }

    /// Looks into a string that holds JSON itself; any other string is no business of ours.
    fn unfold(&mut self, text: &str, nested: u8) {
        if nested > MAX_NESTED {
            self.cut = true;
        } else if text.trim_start().starts_with(['{', '[']) {
            let mut reader = serde_json::Deserializer::from_str(text);
            let node = Node {
                found: self,
                role: Role::Plain,
                nested,
            };
            let _ = node.deserialize(&mut reader);
        }
    }
}

/// The server and the tool in `mcp__server__tool`; a host's own tools have no server.
pub(super) fn server(tool: &str) -> (&str, &str) {
    tool.strip_prefix("mcp__")
        .and_then(|rest| rest.split_once("__"))
        .unwrap_or(("", tool))
}

fn dialect(tool: &str) -> Dialect {
    let tool = tool.to_ascii_lowercase();
    if tool.contains("powershell") || tool.contains("pwsh") {
        Dialect::PowerShell
    } else {
        Dialect::Bash
    }
}

/// What a key says about its value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Role {
    /// Shell text, or a program with its arguments.
    Command,
    /// A list of shell texts.
    Commands,
    /// A program, which is a command only beside arguments.
    Program,
    /// An argument vector.
    Argv,
    /// Arguments; a string may be JSON.
    Args,
    /// A directory.
    Dir,
    /// A file.
    Path,
    /// What goes into a file.
    Content,
    /// A string that may be JSON.
    Nest,
    /// Nothing.
    Plain,
}

fn role(key: &str) -> Role {
    if key.len() > 32 {
        return Role::Plain;
    }
    let key: String = key
        .chars()
        .filter(|c| !matches!(c, '_' | '-'))
        .map(|c| c.to_ascii_lowercase())
        .collect();
    match key.as_str() {
        "command" | "cmd" | "script" | "commandline" | "shellcommand" | "bashcommand"
        | "shellscript" => Role::Command,
        "commands" | "cmds" | "scripts" => Role::Commands,
        "program" | "executable" => Role::Program,
        "argv" => Role::Argv,
        "args" | "arguments" | "commandargs" => Role::Args,
        "cwd" | "workdir" | "workingdir" | "workingdirectory" | "dirpath" | "directory" => {
            Role::Dir
        }
        "filepath" | "notebookpath" | "path" | "targetfile" => Role::Path,
        "content" | "contents" | "filetext" | "newstring" | "oldstring" | "newstr" | "oldstr"
        | "newsource" | "edit" | "edits" => Role::Content,
        "toolargs" | "toolinput" | "input" | "params" | "parameters" => Role::Nest,
        _ => Role::Plain,
    }
}

/// What came out of a value, if its key asked for it.
enum Piece {
    Text(String),
    List(Vec<String>),
    Other,
}

/// What one object says about a command or a write.
#[derive(Default)]
struct Object {
    commands: Vec<Piece>,
    programs: Vec<Piece>,
    args: Option<Piece>,
    argv: Option<Piece>,
    paths: Vec<String>,
    dir: Option<String>,
    content: bool,
}

impl Object {
    fn take(&mut self, role: Role, piece: Piece, found: &mut Carried, nested: u8) {
        match (role, piece) {
            (Role::Command, Piece::Other) | (Role::Commands, Piece::Other) => {}
            (Role::Command, piece) => self.commands.push(piece),
            (Role::Commands, Piece::Text(text)) => found.push(text),
            (Role::Commands, Piece::List(texts)) => {
                texts.into_iter().for_each(|text| found.push(text));
            }
            (Role::Program, piece) => self.programs.push(piece),
            (Role::Argv, piece @ Piece::List(_)) => self.argv = Some(piece),
            (Role::Args, piece) => {
                if let Piece::Text(text) = &piece {
                    found.unfold(text, nested.saturating_add(1));
                }
                self.args = Some(piece);
            }
            (Role::Dir, Piece::Text(text)) => self.dir = Some(text),
            (Role::Path, Piece::Text(text)) => self.paths.push(text),
            (Role::Content, _) => self.content = true,
            (Role::Nest, Piece::Text(text)) => found.unfold(&text, nested.saturating_add(1)),
            _ => {}
        }
    }

    fn close(self, found: &mut Carried) {
        let args = match &self.args {
            Some(Piece::Text(text)) => Some(text.clone()),
            Some(Piece::List(words)) if !words.is_empty() => Some(argv::as_shell(words)),
            _ => None,
        };
        let programs = self.programs.into_iter().filter(|_| args.is_some());
        for piece in self.commands.into_iter().chain(programs) {
            let text = match piece {
                Piece::Text(text) => text,
                Piece::List(mut words) if words.len() == 1 => words.pop().unwrap_or_default(),
                Piece::List(words) => argv::as_shell(&words),
                Piece::Other => continue,
            };
            match &args {
                Some(args) => found.push(format!("{text} {args}")),
                None => found.push(text),
            }
        }
        if let Some(Piece::List(words)) = self.argv {
            found.push(argv::as_shell(&words));
        }
        if self.content {
            found
                .paths
                .extend(self.paths.into_iter().map(PathBuf::from));
        }
        if let Some(dir) = self.dir.filter(|dir| !dir.is_empty()) {
            found.dir.get_or_insert(dir);
        }
    }
}

/// One value, with what its key said.
struct Node<'x> {
    found: &'x mut Carried,
    role: Role,
    nested: u8,
}

impl<'de> DeserializeSeed<'de> for Node<'_> {
    type Value = Piece;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Piece, D::Error> {
        if self.role == Role::Content {
            return IgnoredAny::deserialize(deserializer).map(|_| Piece::Other);
        }
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Node<'_> {
    type Value = Piece;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any value")
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Piece, E> {
        Ok(match self.role {
            Role::Plain | Role::Content => Piece::Other,
            _ => Piece::Text(text.to_owned()),
        })
    }

    fn visit_unit<E: Error>(self) -> Result<Piece, E> {
        Ok(Piece::Other)
    }

    fn visit_bool<E: Error>(self, _: bool) -> Result<Piece, E> {
        Ok(Piece::Other)
    }

    fn visit_u64<E: Error>(self, _: u64) -> Result<Piece, E> {
        Ok(Piece::Other)
    }

    fn visit_i64<E: Error>(self, _: i64) -> Result<Piece, E> {
        Ok(Piece::Other)
    }

    fn visit_f64<E: Error>(self, _: f64) -> Result<Piece, E> {
        Ok(Piece::Other)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Piece, A::Error> {
        let mut words = Vec::new();
        loop {
            let node = Node {
                found: &mut *self.found,
                role: self.role,
                nested: self.nested,
            };
            match seq.next_element_seed(node)? {
                None => return Ok(Piece::List(words)),
                Some(Piece::Text(word)) if words.len() < MAX_WORDS => words.push(word),
                Some(Piece::Text(_)) => self.found.cut = true,
                Some(_) => {}
            }
        }
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Piece, A::Error> {
        let mut object = Object::default();
        while let Some(key) = map.next_key::<Field<'de>>()? {
            let role = role(key.text().unwrap_or_default());
            let node = Node {
                found: &mut *self.found,
                role,
                nested: self.nested,
            };
            let piece = map.next_value_seed(node)?;
            object.take(role, piece, self.found, self.nested);
        }
        object.close(self.found);
        Ok(Piece::Other)
    }
}

/// The text of the value under a key of the outermost object, in JSON that is known to be valid.
pub(super) fn raw_value<'a>(json: &'a [u8], key: &str) -> Option<&'a [u8]> {
    let mut at = json.iter().position(|b| *b == b'{')?.saturating_add(1);
    loop {
        at = skip(json, at, |b| b.is_ascii_whitespace() || b == b',');
        if json.get(at) != Some(&b'"') {
            return None;
        }
        let end = string_end(json, at)?;
        let name = json.get(at.saturating_add(1)..end.saturating_sub(1))?;
        let start = skip(json, end, |b| b.is_ascii_whitespace() || b == b':');
        let stop = value_end(json, start)?;
        if name == key.as_bytes() {
            return json.get(start..stop).map(<[u8]>::trim_ascii);
        }
        at = stop;
    }
}

fn skip(json: &[u8], from: usize, while_: impl Fn(u8) -> bool) -> usize {
    let rest = json.get(from..).unwrap_or_default();
    let len = rest.iter().take_while(|b| while_(**b)).count();
    from.saturating_add(len)
}

/// One past the closing quote of the string that starts at `from`.
fn string_end(json: &[u8], from: usize) -> Option<usize> {
    let mut at = from.saturating_add(1);
    loop {
        match json.get(at)? {
            b'"' => return Some(at.saturating_add(1)),
            b'\\' => at = at.saturating_add(2),
            _ => at = at.saturating_add(1),
        }
    }
}

/// One past the last byte of the value that starts at `from`, and the blanks behind it.
fn value_end(json: &[u8], from: usize) -> Option<usize> {
    let (mut at, mut depth) = (from, 0_usize);
    loop {
        match json.get(at)? {
            b',' | b'}' | b']' if depth == 0 => return Some(at),
            b'"' => {
                at = string_end(json, at)?;
                continue;
            }
            b'{' | b'[' => depth = depth.saturating_add(1),
            b'}' | b']' => depth = depth.saturating_sub(1),
            _ => {}
        }
        at = at.saturating_add(1);
    }
}

#[cfg(test)]
mod tests {
    use super::{Carried, raw_value};

    fn texts(json: &str) -> Vec<String> {
        Carried::read(json.as_bytes()).expect("valid").texts
    }

    #[test]
    fn shell_text_is_found_under_its_usual_names() {
        assert_eq!(texts(r#"{"command":"a b"}"#), ["a b"]);
        assert_eq!(texts(r#"{"x":{"y":[{"CommandLine":"a"}]}}"#), ["a"]);
        assert_eq!(texts(r#"{"command_line":"a","note":"b"}"#), ["a"]);
        assert_eq!(texts(r#"{"commands":["a b","c"]}"#), ["a b", "c"]);
    }

    #[test]
    fn a_program_is_joined_with_its_arguments() {
        assert_eq!(
            texts(r#"{"command":"git","args":["push","a b"]}"#),
            ["git push 'a b'"]
        );
        assert_eq!(
            texts(r#"{"args":"push -f","program":"git"}"#),
            ["git push -f"]
        );
        assert_eq!(texts(r#"{"command":["git","push"]}"#), ["git push"]);
        assert_eq!(texts(r#"{"argv":["git","a;b"]}"#), ["git 'a;b'"]);
        assert!(texts(r#"{"program":"git"}"#).is_empty());
    }

    #[test]
    fn json_in_a_string_is_looked_into() {
        assert_eq!(texts(r#"{"toolArgs":"{\"command\":\"a\"}"}"#), ["a"]);
        assert_eq!(texts(r#""{\"command\":\"a\"}""#), ["a"]);
    }

    #[test]
    fn a_path_is_a_write_only_beside_content() {
        let read = Carried::read(br#"{"file_path":"/a"}"#).expect("valid");
        assert!(read.paths.is_empty());
        let write = Carried::read(br#"{"path":"/a","file_text":"{"}"#).expect("valid");
        assert_eq!(write.paths, [std::path::Path::new("/a")]);
    }

    #[test]
    fn the_text_of_a_value_is_cut_out_exactly() {
        let json = br#" { "a" : "}\"," , "b":{"c":[1,{"d":"]"}]} ,"e":12 }"#;
        assert_eq!(raw_value(json, "a"), Some(br#""}\",""#.as_slice()));
        assert_eq!(
            raw_value(json, "b"),
            Some(br#"{"c":[1,{"d":"]"}]}"#.as_slice())
        );
        assert_eq!(raw_value(json, "e"), Some(b"12".as_slice()));
        assert_eq!(raw_value(json, "c"), None);
    }
}
