//! Words, variables and what the operators of PowerShell make of them.

use super::super::state::put;
use super::super::value::{Val, Value, has_mark, word_of};
use super::super::{OPAQUE, Opaque, Span, Word};
use super::{Got, Reader};
use std::rc::Rc;

/// Any number of words that only the run knows.
pub(super) fn unknown(span: Span) -> Word {
    Word {
        text: OPAQUE.into(),
        opaque: Opaque::Many,
        span,
        glob: false,
    }
}

/// A word whose text may hold unknown stretches.
pub(super) fn word(text: String, span: Span) -> Word {
    let opaque = if has_mark(&text) {
        Opaque::One
    } else {
        Opaque::No
    };
    Word {
        text,
        opaque,
        span,
        glob: false,
    }
}

/// One text of several elements, as a string or a native program's input has them.
pub(super) fn joined(words: &[Word], by: &str) -> String {
    let texts: Vec<&str> = words.iter().map(|w| w.text.as_str()).collect();
    texts.join(by)
}

impl Reader<'_, '_> {
    /// The value of the variable `name`, in whatever case it is written.
    pub(super) fn variable(&self, name: &str, span: Span) -> Got {
        let lower = name.to_ascii_lowercase();
        if let Some(key) = lower.strip_prefix("env:") {
            let exports = self.w.state.exports.iter();
            let found = exports.rev().find(|a| a.name.eq_ignore_ascii_case(key));
            return found.map_or(Got::Unknown, |a| {
                Got::one(Word {
                    span,
                    ..a.value.clone()
                })
            });
        }
        let plain = lower.rsplit(':').next().unwrap_or(&lower);
        let text = match plain {
            "true" => "True".to_owned(),
            "false" => "False".to_owned(),
            "null" => return Got::List(Vec::new()),
            "pwd" => match self.w.state.dir().and_then(|dir| dir.to_str()) {
                Some(dir) => dir.to_owned(),
                None => OPAQUE.into(),
            },
            "home" => match self.w.start.home.as_ref().and_then(|dir| dir.to_str()) {
                Some(dir) => dir.to_owned(),
                None => OPAQUE.into(),
            },
            _ => {
                let found = self.w.state.vars.get(plain);
                return found.map_or(Got::Unknown, |var| held(&var.values, span));
            }
        };
        Got::one(word(text, span))
    }

    /// Gives the variable `name` what `got` holds.
    pub(super) fn assign(&mut self, name: &str, got: &Got) {
        let lower = name.to_ascii_lowercase();
        if let Some(key) = name.get(4..).filter(|_| lower.starts_with("env:")) {
            self.export(key, got);
            return;
        }
        let plain = lower.rsplit(':').next().unwrap_or(&lower);
        let value = match got {
            Got::Unknown => Value::opaque(),
            Got::List(words) => match words.as_slice() {
                [one] if one.opaque == Opaque::Many => Value::opaque(),
                [one] => Value::Text(Val::of(one)),
                some => Value::Array(Rc::new(some.iter().map(Val::of).collect())),
            },
        };
        self.w.state.set(plain, vec![value]);
    }

    /// `$env:NAME = …`; an empty value takes the variable away.
    pub(super) fn export(&mut self, name: &str, got: &Got) {
        let value = match got {
            Got::Unknown => unknown(Span::default()),
            Got::List(words) => word(
                joined(words, " "),
                words.first().map_or(Span::default(), |w| w.span),
            ),
        };
        if value.text.is_empty() {
            self.w.state.unexport(name);
            return;
        }
        put(Rc::make_mut(&mut self.w.state.exports), name, value);
        Rc::make_mut(&mut self.w.state.unset).retain(|n| n != name);
    }

    /// `left OPERATOR right`, as far as it is known.
    pub(super) fn operate(operator: &str, left: Got, right: Got) -> Got {
        let (Got::List(left), Got::List(right)) = (left, right) else {
            return Got::Unknown;
        };
        let span = left
            .first()
            .or(right.first())
            .map_or(Span::default(), |w| w.span);
        match (operator, left.as_slice(), right.as_slice()) {
            ("+", [a], [b]) => Got::one(word(format!("{}{}", a.text, b.text), span)),
            ("+", many, more) => Got::List([many, more].concat()),
            ("-join", many, [by]) => Got::one(word(joined(many, &by.text), span)),
            ("-f", [format], values) => {
                let mut text = format.text.clone();
                for (n, value) in values.iter().enumerate() {
                    text = text.replace(&format!("{{{n}}}"), &value.text);
                }
                Got::one(word(text, span))
            }
            _ => Got::Unknown,
        }
    }
}

fn held(values: &[Value], span: Span) -> Got {
    let at = |val: &Val| Word {
        span,
        ..word_of(val)
    };
    match values {
        [Value::Text(val)] if *val == Val::opaque() => Got::Unknown,
        [Value::Text(val)] => Got::one(at(val)),
        [Value::Array(items)] => Got::List(items.iter().map(at).collect()),
        _ => Got::Unknown,
    }
}
