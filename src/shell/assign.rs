//! Assignments: whole values, appended ones, elements of arrays.

use super::simple::Bound;
use super::value::{Val, Value, has_mark};
use super::walk::Walker;
use std::rc::Rc;

impl Walker<'_> {
    /// Gives a variable its value.
    pub(super) fn assign(&mut self, bound: Bound) {
        let old = self
            .state
            .vars
            .get(bound.name.as_str())
            .map(|v| v.values.clone());
        let old = match (old, &bound.index) {
            (Some(old), _) => old,
            (None, Some(_)) => vec![Value::Unset],
            (None, None) => vec![Value::opaque()],
        };
        let values = match (bound.index, bound.append) {
            (None, false) => vec![bound.value],
            (None, true) => old.iter().map(|o| appended(o, &bound.value)).collect(),
            (Some(index), append) => vec![element_set(&old, index, append, bound.value)],
        };
        self.spend(values.len() as u64 + bound.word.text.len() as u64 / 32);
        self.state.set(&bound.name, values);
    }
}

fn appended(old: &Value, more: &Value) -> Value {
    match (old, more) {
        (Value::Unset, more) => more.clone(),
        (Value::Text(a), Value::Text(b))
            if a.text.len() + b.text.len() <= super::expand::LONGEST =>
        {
            Value::Text(Val {
                text: format!("{}{}", a.text, b.text).into(),
                splits: a.splits || b.splits,
            })
        }
        (Value::Array(a), Value::Array(b)) if a.len() + b.len() < 1024 => {
            Value::Array(Rc::new(a.iter().chain(b.iter()).cloned().collect()))
        }
        (Value::Text(a), Value::Array(b)) if !has_mark(&a.text) => {
            Value::Array(Rc::new([a].into_iter().chain(b.iter()).cloned().collect()))
        }
        (Value::Array(a), Value::Open(b)) if a.len() + b.len() < 1024 => {
            Value::Open(Rc::new(a.iter().chain(b.iter()).cloned().collect()))
        }
        // What is behind the unknown elements stays unknown with them.
        (Value::Open(a), _) => Value::Open(Rc::clone(a)),
        _ => Value::opaque(),
    }
}

fn element_set(old: &[Value], index: Option<usize>, append: bool, value: Value) -> Value {
    let (Some(index), false, Value::Text(val)) = (index, append, value) else {
        return Value::opaque();
    };
    let mut items = match old {
        [Value::Array(items)] => items.to_vec(),
        [Value::Unset] => Vec::new(),
        [Value::Text(first)] if !has_mark(&first.text) => vec![first.clone()],
        _ => return Value::opaque(),
    };
    let count = items.len();
    match items.get_mut(index) {
        Some(item) => *item = val,
        None if index == count => items.push(val),
        None => return Value::opaque(),
    }
    Value::Array(Rc::new(items))
}
