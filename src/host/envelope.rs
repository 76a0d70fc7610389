//! The payload as it lies in the input: borrowed where possible, unknown fields skipped.

use crate::verdict::Fault;
use serde::Deserialize;
use serde::de::{Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};
use std::borrow::Cow;
use std::fmt;
use std::path::PathBuf;

/// More words than this in one argument list are not looked at.
const MAX_WORDS: usize = 100_000;

/// A value of which only text and lists of text matter; what else it was is remembered in words.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Field<'a> {
    /// Not there, or null.
    #[default]
    Missing,
    /// Text.
    Text(Cow<'a, str>),
    /// A list of texts.
    List(Vec<Cow<'a, str>>),
    /// Something else: `a number`, `an object`, ….
    Other(&'static str),
}

impl<'a> Field<'a> {
    /// The text, if it is text.
    pub fn text(&self) -> Option<&str> {
        match self {
            Field::Text(text) => Some(text),
            _ => None,
        }
    }

    /// The text; nothing when missing; a fault when it is something else.
    pub fn strict(&self, name: &str) -> Result<Option<&str>, Fault> {
        match self {
            Field::Missing => Ok(None),
            Field::Text(text) => Ok(Some(text)),
            Field::List(_) => Err(wrong(name, "a list")),
            Field::Other(what) => Err(wrong(name, what)),
        }
    }

    /// True where the key is there, whatever its value.
    pub fn present(&self) -> bool {
        *self != Field::Missing
    }
}

fn wrong(name: &str, what: &str) -> Fault {
    Fault {
        code: "fault/wrong-type",
        what: format!("`{name}` is {what}, not text"),
    }
}

/// Reads a [`Field`]; nested values are skipped without recursion.
struct FieldVisitor;

impl<'de> Visitor<'de> for FieldVisitor {
    type Value = Field<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any value")
    }

    fn visit_borrowed_str<E: Error>(self, text: &'de str) -> Result<Field<'de>, E> {
        Ok(Field::Text(Cow::Borrowed(text)))
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Field<'de>, E> {
        Ok(Field::Text(Cow::Owned(text.to_owned())))
    }

    fn visit_unit<E: Error>(self) -> Result<Field<'de>, E> {
        Ok(Field::Missing)
    }

    fn visit_bool<E: Error>(self, _: bool) -> Result<Field<'de>, E> {
        Ok(Field::Other("true or false"))
    }

    fn visit_u64<E: Error>(self, _: u64) -> Result<Field<'de>, E> {
        Ok(Field::Other("a number"))
    }

    fn visit_i64<E: Error>(self, _: i64) -> Result<Field<'de>, E> {
        Ok(Field::Other("a number"))
    }

    fn visit_f64<E: Error>(self, _: f64) -> Result<Field<'de>, E> {
        Ok(Field::Other("a number"))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Field<'de>, A::Error> {
        while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
        Ok(Field::Other("an object"))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Field<'de>, A::Error> {
        let mut words = Vec::new();
        let mut odd = false;
        while let Some(item) = seq.next_element::<Item<'de>>()? {
            match item.0 {
                Some(word) if !odd && words.len() < MAX_WORDS => words.push(word),
                _ => odd = true,
            }
        }
        Ok(if odd {
            Field::Other("a list of other things than words")
        } else {
            Field::List(words)
        })
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Field<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Field<'a>, D::Error> {
        deserializer.deserialize_any(FieldVisitor)
    }
}

/// One element of a list: its text, or nothing where it is something else.
struct Item<'a>(Option<Cow<'a, str>>);

struct ItemVisitor;

impl<'de> Visitor<'de> for ItemVisitor {
    type Value = Item<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any value")
    }

    fn visit_borrowed_str<E: Error>(self, text: &'de str) -> Result<Item<'de>, E> {
        Ok(Item(Some(Cow::Borrowed(text))))
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Item<'de>, E> {
        Ok(Item(Some(Cow::Owned(text.to_owned()))))
    }

    fn visit_unit<E: Error>(self) -> Result<Item<'de>, E> {
        Ok(Item(None))
    }

    fn visit_bool<E: Error>(self, _: bool) -> Result<Item<'de>, E> {
        Ok(Item(None))
    }

    fn visit_u64<E: Error>(self, _: u64) -> Result<Item<'de>, E> {
        Ok(Item(None))
    }

    fn visit_i64<E: Error>(self, _: i64) -> Result<Item<'de>, E> {
        Ok(Item(None))
    }

    fn visit_f64<E: Error>(self, _: f64) -> Result<Item<'de>, E> {
        Ok(Item(None))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Item<'de>, A::Error> {
        while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
        Ok(Item(None))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Item<'de>, A::Error> {
        while seq.next_element::<IgnoredAny>()?.is_some() {}
        Ok(Item(None))
    }
}

impl<'de> Deserialize<'de> for Item<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Item<'de>, D::Error> {
        deserializer.deserialize_any(ItemVisitor)
    }
}

/// The tool's input, as far as every host writes it alike. File contents are not kept.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct Input<'a> {
    /// Shell text, or a patch.
    #[serde(borrow)]
    pub command: Field<'a>,
    /// The file of a write.
    pub file_path: Field<'a>,
    /// The file of a notebook edit.
    pub notebook_path: Field<'a>,
}

/// The payload of hosts that speak like Claude Code; a stranger's is read in `portable`.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct Envelope<'a> {
    /// The event.
    #[serde(borrow)]
    pub hook_event_name: Field<'a>,
    /// The tool.
    pub tool_name: Field<'a>,
    /// Its input.
    #[serde(deserialize_with = "input")]
    pub tool_input: Input<'a>,
    /// The directory.
    pub cwd: Field<'a>,
    /// The session.
    pub session_id: Field<'a>,
    /// The subagent.
    pub agent_id: Field<'a>,
    /// A mark of Codex.
    pub turn_id: Field<'a>,
    /// A mark of Codex in tool events.
    pub model: Field<'a>,
    /// A mark of the hosts that only resemble Claude Code.
    pub timestamp: Field<'a>,
    /// A mark of Claude Code and Codex.
    pub transcript_path: Transcript,
    /// The tool of Copilot.
    #[serde(rename = "toolName")]
    pub camel_tool: Field<'a>,
    /// Its input: an object, or JSON in a string.
    #[serde(rename = "toolArgs")]
    pub camel_args: Field<'a>,
    /// What came out of it, where it already ran.
    #[serde(rename = "toolResult")]
    pub camel_result: Field<'a>,
    /// The session of Copilot.
    #[serde(rename = "sessionId")]
    pub camel_session: Field<'a>,
    /// An event's name as Copilot never sends it.
    #[serde(rename = "hookEventName")]
    pub camel_event: Field<'a>,
    /// A mark of all who imitate Claude Code but Copilot.
    pub tool_use_id: Field<'a>,
    /// A mark of Qwen Code among those that send a timestamp.
    pub permission_mode: Field<'a>,
    /// The session of Cursor.
    pub conversation_id: Field<'a>,
    /// A mark of Cursor.
    pub cursor_version: Field<'a>,
    /// The name that our own plugins say.
    pub host: Field<'a>,
    /// The bytes themselves.
    #[serde(skip)]
    pub raw: &'a [u8],
}

/// Whether the transcript's key is there; Codex may send null.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub struct Transcript(pub bool);

impl<'de> Deserialize<'de> for Transcript {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Transcript, D::Error> {
        IgnoredAny::deserialize(deserializer).map(|_| Transcript(true))
    }
}

/// An input that is null, or text as a stranger may send it, is an empty one here.
fn input<'de: 'a, 'a, D: Deserializer<'de>>(deserializer: D) -> Result<Input<'a>, D::Error> {
    struct InputVisitor;
    impl<'de> Visitor<'de> for InputVisitor {
        type Value = Input<'de>;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("an object as the tool's input")
        }

        fn visit_unit<E: Error>(self) -> Result<Input<'de>, E> {
            Ok(Input::default())
        }

        fn visit_str<E: Error>(self, _: &str) -> Result<Input<'de>, E> {
            Ok(Input::default())
        }

        fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Input<'de>, A::Error> {
            Input::deserialize(serde::de::value::MapAccessDeserializer::new(map))
        }
    }
    deserializer.deserialize_any(InputVisitor)
}

impl<'a> Envelope<'a> {
    /// Reads the payload. A byte order mark in front is tolerated, as Claude Code tolerates ours.
    pub fn parse(bytes: &'a [u8]) -> Result<Envelope<'a>, Fault> {
        let bytes = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
        match bytes.iter().find(|b| !b.is_ascii_whitespace()) {
            None => {
                return Err(Fault {
                    code: "fault/empty-input",
                    what: "the host sent nothing".to_owned(),
                });
            }
            Some(b'{') => {}
            Some(_) => {
                return Err(Fault {
                    code: "fault/bad-json",
                    what: "the host's message is not a JSON object".to_owned(),
                });
            }
        }
        // Text as a whole is looked at once, not each string of it again.
        let read = match std::str::from_utf8(bytes) {
            Ok(text) => serde_json::from_str::<Envelope<'a>>(text),
            Err(_) => serde_json::from_slice(bytes),
        };
        match read {
            Ok(mut envelope) => {
                envelope.raw = bytes;
                Ok(envelope)
            }
            Err(error) => Err(bad_json(&error)),
        }
    }

    /// The event's name, or nothing where the host sends none.
    pub fn event(&self) -> Result<Option<&str>, Fault> {
        self.hook_event_name.strict("hook_event_name")
    }

    /// True for the spelling of events that Claude Code and Codex share: `PreToolUse`. Their
    /// transcript's key and the lack of a timestamp tell them from those who imitate them.
    pub fn is_classic(&self) -> bool {
        self.is_pascal()
            && self.transcript_path.0
            && !self.timestamp.present()
            && !self.conversation_id.present()
            && !self.cursor_version.present()
            && !self.host.present()
    }

    /// True for an event that is spelled as Claude Code spells its own: `PreToolUse`.
    pub fn is_pascal(&self) -> bool {
        let event = self.hook_event_name.text().unwrap_or_default();
        event.starts_with(|c: char| c.is_ascii_uppercase())
    }

    /// The tool's name; a tool event without one cannot be judged.
    pub fn tool(&self) -> Result<&str, Fault> {
        self.tool_name
            .strict("tool_name")?
            .filter(|name| !name.is_empty())
            .ok_or_else(|| Fault {
                code: "fault/no-tool",
                what: "the host did not say which tool it asks about".to_owned(),
            })
    }

    /// The directory; an empty one is none.
    pub fn dir(&self) -> Result<Option<PathBuf>, Fault> {
        let dir = self.cwd.strict("cwd")?;
        Ok(dir.filter(|d| !d.is_empty()).map(PathBuf::from))
    }

    /// True for events that come after the fact or ask about no tool.
    pub fn needs_no_decision(&self) -> bool {
        let event = self.hook_event_name.text().unwrap_or_default();
        let tool = self.tool_name.present() || self.tool_input.command.present();
        !event.is_empty() && (is_past(event) || !(tool || is_question(event)))
    }
}

/// The parser's complaint in words for a person.
pub(super) fn bad_json(error: &serde_json::Error) -> Fault {
    Fault {
        code: "fault/bad-json",
        what: format!("the host's message is no JSON that we understand: {error}"),
    }
}

/// Events that tell of something done.
pub(super) fn is_past(event: &str) -> bool {
    starts_with(event, "post") || starts_with(event, "after") || event == "PermissionDenied"
}

/// Events that come before something is done, so that silence lets it happen.
pub(super) fn is_question(event: &str) -> bool {
    let before = ["pre", "before", "permission"];
    before.iter().any(|word| starts_with(event, word)) && event != "PreCompact"
}

fn starts_with(event: &str, word: &str) -> bool {
    event
        .get(..word.len())
        .is_some_and(|start| start.eq_ignore_ascii_case(word))
}
