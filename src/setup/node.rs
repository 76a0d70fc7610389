//! A settings file as a tree that knows where each value stands, whatever language it is written in.

use std::ops::Range;

/// A value and its bytes.
#[derive(Debug, Clone)]
pub(super) struct Node {
    /// Where it stands in the text.
    pub(super) at: Range<usize>,
    /// What it is.
    pub(super) kind: Kind,
}

/// What a value is.
#[derive(Debug, Clone)]
pub(super) enum Kind {
    /// Members in the order of the file; names may repeat.
    Object(Vec<Member>),
    /// Elements.
    Array(Vec<Node>),
    /// A string.
    Text(String),
    /// A number, a boolean or null, as written.
    Raw(String),
}

/// A name with its value.
#[derive(Debug, Clone)]
pub(super) struct Member {
    /// The name.
    pub(super) key: String,
    /// From the name to the end of the value.
    pub(super) at: Range<usize>,
    /// The value.
    pub(super) value: Node,
}

impl Node {
    /// The members; none where it is no object.
    pub(super) fn members(&self) -> &[Member] {
        match &self.kind {
            Kind::Object(members) => members,
            _ => &[],
        }
    }

    /// The elements; none where it is no array.
    pub(super) fn elements(&self) -> &[Node] {
        match &self.kind {
            Kind::Array(elements) => elements,
            _ => &[],
        }
    }

    /// The value under `key`.
    pub(super) fn get(&self, key: &str) -> Option<&Node> {
        self.members()
            .iter()
            .find(|m| m.key == key)
            .map(|m| &m.value)
    }

    /// The text, where it is a string.
    pub(super) fn text(&self) -> Option<&str> {
        match &self.kind {
            Kind::Text(text) => Some(text),
            _ => None,
        }
    }

    pub(super) fn is_object(&self) -> bool {
        matches!(self.kind, Kind::Object(_))
    }

    pub(super) fn is_array(&self) -> bool {
        matches!(self.kind, Kind::Array(_))
    }

    /// Whether both mean the same value; the order of members means nothing.
    pub(super) fn same(&self, other: &Node) -> bool {
        match (&self.kind, &other.kind) {
            (Kind::Text(a), Kind::Text(b)) | (Kind::Raw(a), Kind::Raw(b)) => a == b,
            (Kind::Array(a), Kind::Array(b)) => {
                a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.same(b))
            }
            (Kind::Object(a), Kind::Object(b)) => {
                a.len() == b.len()
                    && a.iter()
                        .all(|m| other.get(&m.key).is_some_and(|v| m.value.same(v)))
            }
            _ => false,
        }
    }

    /// What kind of value it is, in words.
    pub(super) fn name(&self) -> &'static str {
        match self.kind {
            Kind::Object(_) => "an object",
            Kind::Array(_) => "a list",
            Kind::Text(_) => "a text",
            Kind::Raw(_) => "a number, a boolean or null",
        }
    }

    /// The first name that stands twice in one object, with its place.
    pub(super) fn doubled(&self, place: &str) -> Option<String> {
        for (at, member) in self.members().iter().enumerate() {
            let inner = format!("{place}.{}", member.key);
            if self
                .members()
                .iter()
                .skip(at.saturating_add(1))
                .any(|m| m.key == member.key)
            {
                return Some(inner);
            }
            if let Some(found) = member.value.doubled(&inner) {
                return Some(found);
            }
        }
        let inside = |(at, node): (usize, &Node)| node.doubled(&format!("{place}[{at}]"));
        self.elements().iter().enumerate().find_map(inside)
    }
}

/// Bytes that are replaced; an empty range is an insertion.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Splice {
    /// Where.
    pub(super) at: Range<usize>,
    /// By what.
    pub(super) by: String,
}

impl Splice {
    /// Takes bytes out.
    pub(super) fn out(at: Range<usize>) -> Splice {
        Splice {
            at,
            by: String::new(),
        }
    }

    /// Puts text in.
    pub(super) fn put(at: usize, by: impl Into<String>) -> Splice {
        Splice {
            at: at..at,
            by: by.into(),
        }
    }
}

/// The text after the splices; `None` where they do not fit it.
pub(super) fn spliced(text: &str, mut splices: Vec<Splice>) -> Option<String> {
    splices.sort_by_key(|s| (s.at.start, s.at.end));
    let mut out = String::with_capacity(text.len().saturating_add(1024));
    let mut from = 0;
    for splice in &splices {
        out.push_str(text.get(from..splice.at.start)?);
        out.push_str(&splice.by);
        from = splice.at.end;
    }
    out.push_str(text.get(from..)?);
    Some(out)
}
