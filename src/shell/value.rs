//! Values: known text with unknown stretches.

use super::{OPAQUE, Opaque, Word};
use std::rc::Rc;

/// How many values a variable may have before it is simply unknown.
pub(super) const CANDIDATES: usize = 8;

/// A text value; unknown stretches stand as marks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Val {
    pub(super) text: Rc<str>,
    /// Its unknown stretches may hold blanks.
    pub(super) splits: bool,
}

impl Val {
    pub(super) fn known(text: &str) -> Val {
        Val {
            text: text.into(),
            splits: false,
        }
    }

    pub(super) fn opaque() -> Val {
        Val {
            text: "\u{1}".into(),
            splits: true,
        }
    }

    /// Unknown, but never more than one word: a number.
    pub(super) fn number() -> Val {
        Val {
            text: "\u{1}".into(),
            splits: false,
        }
    }

    pub(super) fn of(word: &Word) -> Val {
        Val {
            text: word.text.as_str().into(),
            splits: word.opaque != Opaque::No && word.text.contains(OPAQUE),
        }
    }

    /// The text when all of it is known.
    pub(super) fn plain(&self) -> Option<&str> {
        (!has_mark(&self.text)).then_some(&*self.text)
    }
}

/// What a variable may hold.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Value {
    Unset,
    Text(Val),
    Array(Rc<Vec<Val>>),
    /// An array that starts with these and goes on with any number of unknown elements.
    Open(Rc<Vec<Val>>),
}

impl Value {
    pub(super) fn opaque() -> Value {
        Value::Text(Val::opaque())
    }
}

/// Whether a text holds unknown or answered stretches.
pub(super) fn has_mark(text: &str) -> bool {
    text.bytes().any(|b| matches!(b, 0x01 | 0xF3 | 0xF4))
        && text
            .chars()
            .any(|c| c == OPAQUE || c as u32 >= super::ANSWER_BASE)
}

/// A value as a word of its own.
pub(super) fn word_of(val: &Val) -> Word {
    let opaque = if has_mark(&val.text) {
        Opaque::One
    } else {
        Opaque::No
    };
    Word {
        text: val.text.to_string(),
        opaque,
        ..Word::default()
    }
}

/// What a file holds that this call wrote.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Content {
    Text(Rc<str>),
    Unknown,
    /// The output of these programs.
    Output(Rc<[String]>),
    /// Perhaps not written at all.
    Disk,
}

/// `$1 …`
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Args {
    pub(super) list: Vec<Val>,
    /// Unknown ones may follow.
    pub(super) open: bool,
}

impl Args {
    /// Nothing is known of them.
    pub(super) const START: Args = Args {
        list: Vec::new(),
        open: true,
    };
}

impl Default for Args {
    fn default() -> Args {
        Args::START
    }
}

impl Args {
    /// The arguments that these words make: all of them, or those before the first that may be
    /// any number of words.
    pub(super) fn of(words: &[Word]) -> Args {
        let closed = words
            .iter()
            .take_while(|w| w.opaque != Opaque::Many && !w.glob);
        let list: Vec<Val> = closed.map(Val::of).collect();
        let open = list.len() < words.len();
        Args { list, open }
    }
}
