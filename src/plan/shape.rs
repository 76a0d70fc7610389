//! Reads of a JSON text only the fields that are asked for, and refuses what readers may take differently.

use serde::de::{DeserializeSeed, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};
use std::fmt;

/// A longer list is not read.
const MOST_ITEMS: usize = 10_000;

/// What is looked for at one place of a text. What no shape names is passed over.
#[derive(Debug)]
pub enum Shape {
    /// A text; of anything else only the kind is kept.
    Leaf,
    /// A list of these.
    List(&'static Shape),
    /// An object with these fields.
    Object(&'static [(&'static str, Shape)]),
}

/// What was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Node {
    /// `null`.
    Null,
    /// `true` or `false`.
    Flag(bool),
    /// A text.
    Text(String),
    /// A list.
    List(Vec<Node>),
    /// The fields of an object that the shape names, as far as they are there.
    Object(Vec<(&'static str, Node)>),
    /// Something else, as a noun phrase.
    Other(&'static str),
}

impl Node {
    /// The field `name` of an object.
    pub fn field(&self, name: &str) -> Option<&Node> {
        let Node::Object(fields) = self else {
            return None;
        };
        fields.iter().find(|f| f.0 == name).map(|f| &f.1)
    }

    /// What it is, as a noun phrase.
    pub fn noun(&self) -> &'static str {
        match self {
            Node::Null => "`null`",
            Node::Flag(_) => "true or false",
            Node::Text(_) => "a text",
            Node::List(_) => "a list",
            Node::Object(_) => "an object",
            Node::Other(noun) => noun,
        }
    }
}

/// Reads `text`; the error says in words where it is broken. A field that stands twice breaks it:
/// some readers take the first, some the last.
pub fn read(text: &[u8], shape: &'static Shape) -> Result<Node, String> {
    let mut reader = serde_json::Deserializer::from_slice(text);
    let read = Seed(shape).deserialize(&mut reader);
    read.and_then(|node| reader.end().map(|()| node))
        .map_err(|e| e.to_string())
}

struct Seed(&'static Shape);

impl<'de> DeserializeSeed<'de> for Seed {
    type Value = Node;

    fn deserialize<D: serde::Deserializer<'de>>(self, from: D) -> Result<Node, D::Error> {
        from.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Seed {
    type Value = Node;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_unit<E>(self) -> Result<Node, E> {
        Ok(Node::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Node, E> {
        Ok(Node::Flag(value))
    }

    fn visit_i64<E>(self, _: i64) -> Result<Node, E> {
        Ok(Node::Other("a number"))
    }

    fn visit_u64<E>(self, _: u64) -> Result<Node, E> {
        Ok(Node::Other("a number"))
    }

    fn visit_f64<E>(self, _: f64) -> Result<Node, E> {
        Ok(Node::Other("a number"))
    }

    fn visit_str<E>(self, text: &str) -> Result<Node, E> {
        Ok(Node::Text(text.to_owned()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut from: A) -> Result<Node, A::Error> {
        let Shape::List(shape) = self.0 else {
            while from.next_element::<IgnoredAny>()?.is_some() {}
            return Ok(Node::Other("a list"));
        };
        let mut items = Vec::new();
        while let Some(item) = from.next_element_seed(Seed(shape))? {
            if items.len() >= MOST_ITEMS {
                let why = format!("a list holds more than {MOST_ITEMS} items");
                return Err(A::Error::custom(why));
            }
            items.push(item);
        }
        Ok(Node::List(items))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut from: A) -> Result<Node, A::Error> {
        let Shape::Object(shapes) = self.0 else {
            while from.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
            return Ok(Node::Other("an object"));
        };
        let mut fields: Vec<(&'static str, Node)> = Vec::new();
        while let Some(key) = from.next_key::<String>()? {
            let Some((name, shape)) = shapes.iter().find(|(name, _)| *name == key) else {
                from.next_value::<IgnoredAny>()?;
                continue;
            };
            if fields.iter().any(|(known, _)| known == name) {
                return Err(A::Error::custom(format!("`{name}` stands there twice")));
            }
            fields.push((name, from.next_value_seed(Seed(shape))?));
        }
        Ok(Node::Object(fields))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SHAPE: Shape = Shape::Object(&[
        ("name", Shape::Leaf),
        ("rows", Shape::List(&Shape::Object(&[("id", Shape::Leaf)]))),
    ]);

    fn of(text: &str) -> Result<Node, String> {
        read(text.as_bytes(), &SHAPE)
    }

    #[test]
    fn only_what_the_shape_names_is_kept() {
        let node =
            of(r#"{"more": [{"id": 1}], "name": {"id": "x"}, "rows": [{"id": "a", "b": 2}, 7]}"#);
        let rows = vec![
            Node::Object(vec![("id", Node::Text("a".to_owned()))]),
            Node::Other("a number"),
        ];
        let want = vec![
            ("name", Node::Other("an object")),
            ("rows", Node::List(rows)),
        ];
        assert_eq!(node, Ok(Node::Object(want)));
    }

    #[test]
    fn a_field_that_stands_twice_is_refused_where_it_counts() {
        assert!(
            of(r#"{"name": "a", "name": "b"}"#)
                .unwrap_err()
                .contains("twice")
        );
        assert!(of(r#"{"rows": [{"id": "a", "\u0069d": "b"}]}"#).is_err());
        assert!(of(r#"{"other": 1, "other": 2}"#).is_ok());
    }

    #[test]
    fn what_is_no_whole_json_is_refused() {
        for text in ["", "{", "{}}", "{\"name\": }", "nul", "{} x", "\u{feff}{}"] {
            assert!(of(text).is_err(), "{text}");
        }
        let deep = "[".repeat(100_000);
        assert!(of(&format!("{{\"more\": {deep}")).is_err());
        let many = format!("{{\"rows\": [{}0]}}", "0,".repeat(MOST_ITEMS));
        assert!(of(&many).unwrap_err().contains("more than"), "{MOST_ITEMS}");
    }
}
