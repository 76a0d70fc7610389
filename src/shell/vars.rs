//! What `$name` and `${name…}` give.

use super::expand::Fields;
use super::value::{Val, Value};
use super::walk::{Key, Walker};
use std::rc::Rc;

impl Walker<'_> {
    /// `$name`.
    pub(super) fn variable(&mut self, name: &str, quoted: bool, fields: &mut Fields) {
        if name == "@" || name == "*" {
            let list = self.state.args.list.clone();
            let open = self.state.args.open;
            self.spread(&list, open, name == "@", quoted, fields);
            return;
        }
        if !quoted
            && let Value::Array(list) = self.look_up(name)
            && list.len() > 1
            && self.choose(Key::Whole(name.into()), 2) == Some(1)
        {
            self.spread(&list, false, true, true, fields);
            return;
        }
        let val = self.scalar(name);
        let ifs = if quoted { None } else { self.ifs() };
        fields.value(&val, quoted, ifs.as_deref());
    }

    /// `"$@"`, `$*`, `"${a[@]}"`.
    pub(super) fn spread(
        &mut self,
        list: &[Val],
        open: bool,
        at: bool,
        quoted: bool,
        fields: &mut Fields,
    ) {
        let ifs = self.ifs();
        if quoted && !at {
            let separator: String = match &ifs {
                Some(ifs) => ifs.chars().take(1).collect(),
                None => "\u{1}".to_string(),
            };
            let mut text = String::new();
            for (i, val) in list.iter().enumerate() {
                if i > 0 {
                    text.push_str(&separator);
                }
                text.push_str(&val.text);
            }
            fields.text(&text, true);
            if open {
                fields.opaque(false);
            }
            return;
        }
        for (i, val) in list.iter().enumerate() {
            if i > 0 {
                fields.end();
            }
            fields.value(val, quoted, ifs.as_deref());
        }
        if open {
            if !list.is_empty() {
                fields.end();
            }
            fields.opaque(true);
        }
        self.spend(list.len() as u64);
    }

    /// The value of a scalar; unset ones are empty.
    pub(super) fn scalar(&mut self, name: &str) -> Val {
        match self.look_up(name) {
            Value::Unset => Val::known(""),
            Value::Text(val) => val,
            Value::Array(items) => items.first().cloned().unwrap_or(Val::known("")),
            Value::Open(items) => items.first().cloned().unwrap_or(Val::opaque()),
        }
    }

    /// The value of a variable; of several candidates the one that is picked.
    pub(super) fn look_up(&mut self, name: &str) -> Value {
        let first = name.bytes().next().unwrap_or(b' ');
        if first.is_ascii_digit() {
            let args = &self.state.args;
            return match name.parse::<usize>() {
                Ok(0) => match &self.state.zero {
                    Some(zero) => Value::Text(Val {
                        text: Rc::clone(zero),
                        splits: false,
                    }),
                    None => Value::Text(Val::number()),
                },
                Ok(n) => match args.list.get(n - 1) {
                    Some(val) => Value::Text(val.clone()),
                    None if args.open => Value::opaque(),
                    None => Value::Unset,
                },
                Err(_) => Value::opaque(),
            };
        }
        if name == "#" && !self.state.args.open {
            return Value::Text(Val::known(&self.state.args.list.len().to_string()));
        }
        if !super::dollar::is_name_start(first) {
            return Value::Text(Val::number());
        }
        let vars = self.state.vars.clone();
        if let Some(var) = vars.get(name) {
            if let [value] = var.values.as_slice() {
                return value.clone();
            }
            let picked = self.choose(Key::Var(name.into()), var.values.len());
            return picked
                .and_then(|i| var.values.get(i).cloned())
                .unwrap_or_else(Value::opaque);
        }
        let path = match name {
            "PWD" => self.state.dir(),
            "OLDPWD" => match self.state.old.as_slice() {
                [Some(dir)] => Some(dir.as_path()),
                _ => None,
            },
            "HOME" => self.start.home.as_deref(),
            "IFS" => return Value::Text(Val::known(" \t\n")),
            "RANDOM" | "SECONDS" | "LINENO" | "UID" | "EUID" | "PPID" | "BASHPID" | "SRANDOM"
            | "OPTIND" => {
                return Value::Text(Val::number());
            }
            _ => None,
        };
        match path.and_then(|p| p.to_str()) {
            Some(path) => Value::Text(Val::known(path)),
            None => Value::opaque(),
        }
    }
}
