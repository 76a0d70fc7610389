//! What `$name` and `${name…}` give.

use super::ast::{Ast, Id, Op, ParamNode};
use super::expand::Fields;
use super::pattern;
use super::state::{Val, Value};
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
        let val = self.scalar(name);
        let ifs = if quoted { None } else { self.ifs() };
        fields.value(&val, quoted, ifs.as_deref());
    }

    /// `"$@"`, `$*`, `"${a[@]}"`.
    fn spread(&mut self, list: &[Val], open: bool, at: bool, quoted: bool, fields: &mut Fields) {
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
        let vars = Rc::clone(&self.state.vars);
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

    /// `${name…}`.
    pub(super) fn param(&mut self, ast: &Rc<Ast>, id: Id, quoted: bool, fields: &mut Fields) {
        let Some(node) = ast.params.get(id as usize).copied() else {
            return;
        };
        let all = match node.index.map(|id| ast.word(id)) {
            Some(word) => ast.literal(word).filter(|t| matches!(*t, "@" | "*")),
            None => Some(ast.text(node.name)).filter(|t| matches!(*t, "@" | "*")),
        };
        if let Some(index) = node.index
            && all.is_none()
        {
            self.arithmetic(ast, index);
        }
        if let Some(sign) = all {
            self.every(ast, &node, sign == "@", quoted, fields);
            return;
        }
        let value = self.element(ast, &node);
        let empty = match &value {
            Value::Unset => Some(true),
            Value::Text(val) if val.plain().is_none() => None,
            Value::Text(val) => Some(node.colon && val.text.is_empty()),
            Value::Array(items) => Some(
                items
                    .first()
                    .is_none_or(|v| node.colon && v.text.is_empty()),
            ),
            Value::Open(items) => items.first().map(|v| node.colon && v.text.is_empty()),
        };
        let val = match value {
            Value::Unset => Val::known(""),
            Value::Text(val) => val,
            Value::Array(items) => items.first().cloned().unwrap_or(Val::known("")),
            Value::Open(items) => items.first().cloned().unwrap_or(Val::opaque()),
        };
        if node.length {
            let val = match val.plain() {
                Some(text) => Val::known(&text.chars().count().to_string()),
                None => Val::number(),
            };
            fields.text(&val.text, true);
            return;
        }
        let keep = match (node.op, empty) {
            (Op::Default | Op::Assign | Op::Alternate, None) => {
                let key = Key::Param(Rc::as_ptr(ast) as usize, id);
                match self.choose(key, 2) {
                    Some(0) => None,
                    Some(_) => Some(true),
                    None => {
                        self.walk_operand(ast, &node);
                        fields.opaque(!quoted);
                        return;
                    }
                }
            }
            (Op::Default | Op::Assign, Some(empty)) => Some(!empty),
            (Op::Alternate, Some(empty)) => Some(empty),
            _ => Some(true),
        };
        match (node.op, keep) {
            (Op::Default | Op::Assign | Op::Alternate, Some(true)) => {
                if node.op != Op::Alternate {
                    self.put_value(&val, quoted, fields);
                } else if empty.is_none() {
                    fields.text("", quoted);
                }
            }
            (Op::Default | Op::Assign | Op::Alternate, unsure) => {
                self.operand(ast, &node, quoted, unsure.is_none(), fields);
            }
            _ => {
                let val = self.transformed(ast, &node, val);
                self.put_value(&val, quoted, fields);
            }
        }
    }

    fn put_value(&mut self, val: &Val, quoted: bool, fields: &mut Fields) {
        let ifs = if quoted { None } else { self.ifs() };
        fields.value(val, quoted, ifs.as_deref());
    }

    /// The operand takes the place of the value; `unsure` when the run decides that.
    fn operand(
        &mut self,
        ast: &Rc<Ast>,
        node: &ParamNode,
        quoted: bool,
        unsure: bool,
        fields: &mut Fields,
    ) {
        let Some(word) = node.arg.map(|id| ast.word(id)) else {
            return;
        };
        if node.op == Op::Assign {
            let (_, val) = self.value(ast, word);
            let name = ast.text(node.name);
            let mut values = vec![Value::Text(val.clone())];
            if unsure {
                values.push(Value::opaque());
            }
            if node.index.is_none() {
                self.state.set(name, values);
            }
            self.put_value(&val, quoted, fields);
            return;
        }
        let mark = unsure.then(|| self.steps.len());
        self.parts(ast, ast.parts(word), fields, !quoted);
        if let Some(at) = mark
            && self.steps.len() > at
        {
            self.steps.insert(at, super::Step::Fork);
            self.steps.push(super::Step::Or);
            self.steps.push(super::Step::Join);
        }
        if quoted {
            fields.text("", true);
        }
    }

    /// Runs what an operand holds, whatever its value is.
    fn walk_operand(&mut self, ast: &Rc<Ast>, node: &ParamNode) {
        for id in [node.arg, node.second].into_iter().flatten() {
            self.single(ast, ast.word(id));
        }
    }

    /// The element or variable that the expansion starts from.
    fn element(&mut self, ast: &Rc<Ast>, node: &ParamNode) -> Value {
        let name = ast.text(node.name);
        let value = match node.index {
            None => self.look_up(name),
            Some(index) => {
                let at = ast
                    .literal(ast.word(index))
                    .and_then(|t| t.parse::<usize>().ok());
                match (self.look_up(name), at) {
                    (Value::Array(items), Some(at)) => match items.get(at) {
                        Some(val) => Value::Text(val.clone()),
                        None => Value::Unset,
                    },
                    (Value::Open(items), Some(at)) => {
                        items.get(at).cloned().map_or(Value::opaque(), Value::Text)
                    }
                    (Value::Text(val), Some(0)) => Value::Text(val),
                    (Value::Unset, _) => Value::Unset,
                    _ => Value::opaque(),
                }
            }
        };
        if !node.indirect {
            return value;
        }
        match value {
            Value::Text(val) => match val.plain() {
                Some(name)
                    if super::expand::is_identifier(name)
                        || name.bytes().all(|b| b.is_ascii_digit()) =>
                {
                    let name = name.to_string();
                    self.look_up(&name)
                }
                _ => Value::opaque(),
            },
            _ => Value::opaque(),
        }
    }

    /// `${a[@]…}`, `${@…}`.
    fn every(
        &mut self,
        ast: &Rc<Ast>,
        node: &ParamNode,
        at: bool,
        quoted: bool,
        fields: &mut Fields,
    ) {
        let (list, open) = match node.index {
            None => (self.state.args.list.clone(), self.state.args.open),
            Some(_) => match self.look_up(ast.text(node.name)) {
                Value::Array(items) => (items.to_vec(), false),
                Value::Open(items) => (items.to_vec(), true),
                Value::Unset => (Vec::new(), false),
                Value::Text(val) if val.plain().is_some() => (vec![val], false),
                Value::Text(_) => (Vec::new(), true),
            },
        };
        if node.length {
            let text = if open {
                "\u{1}".to_string()
            } else {
                list.len().to_string()
            };
            fields.text(&text, true);
            return;
        }
        let filled = !list.is_empty() && !(node.colon && list.iter().all(|v| v.text.is_empty()));
        match node.op {
            Op::None if !node.indirect => self.spread(&list, open, at, quoted, fields),
            Op::Alternate if !open && !filled => {}
            Op::Default if filled => self.spread(&list, open, at, quoted, fields),
            Op::Alternate | Op::Default if !open => self.operand(ast, node, quoted, false, fields),
            Op::Slice if !open => {
                self.walk_operand(ast, node);
                let from = node.arg.and_then(|id| ast.literal(ast.word(id)));
                match from.and_then(|t| t.trim().parse::<usize>().ok()) {
                    Some(from) => {
                        let from = if node.index.is_none() {
                            from.saturating_sub(1)
                        } else {
                            from
                        };
                        let rest = list.get(from..).unwrap_or(&[]).to_vec();
                        self.spread(&rest, false, at, quoted, fields);
                    }
                    None => fields.opaque(true),
                }
            }
            _ => {
                self.walk_operand(ast, node);
                fields.opaque(true);
            }
        }
    }

    /// The value after `#`, `%`, `/`, `^`, `,`, `:` or `?`.
    fn transformed(&mut self, ast: &Rc<Ast>, node: &ParamNode, val: Val) -> Val {
        let pattern = match (node.op, node.arg) {
            (Op::Prefix | Op::Suffix | Op::Replace | Op::Case, Some(id)) => self.pattern(ast, id),
            (_, Some(id)) => {
                let (word, _) = self.single(ast, ast.word(id));
                word.known().map(str::to_string)
            }
            _ => Some(String::new()),
        };
        let second = node.second.map(|id| self.single(ast, ast.word(id)).0);
        if node.op == Op::None {
            return val;
        }
        let Some(text) = val.plain().map(str::to_string) else {
            return match node.op {
                Op::Error => val,
                _ => Val {
                    splits: true,
                    ..Val::opaque()
                },
            };
        };
        self.spend(text.len() as u64);
        if text.len() > 1024 && node.op != Op::Error {
            return Val::opaque();
        }
        let made = match (node.op, pattern) {
            (Op::Error, _) => Some(text),
            (Op::Prefix, Some(p)) => {
                Some(pattern::without_prefix(&text, &p, node.twice).to_string())
            }
            (Op::Suffix, Some(p)) => {
                Some(pattern::without_suffix(&text, &p, node.twice).to_string())
            }
            (Op::Replace, Some(p)) => {
                let with = match &second {
                    Some(word) => word.known().map(str::to_string),
                    None => Some(String::new()),
                };
                let how = if node.twice { node.sign } else { b'1' };
                with.and_then(|with| pattern::replaced(&text, &p, &with, how))
            }
            (Op::Slice, Some(p)) => slice(&text, &p),
            (Op::Case, Some(p)) if p.is_empty() => Some(cased(&text, node.sign, node.twice)),
            _ => None,
        };
        match made {
            Some(text) => Val::known(&text),
            None => Val::opaque(),
        }
    }

    /// An operand as a pattern: quoted text is escaped. `None` when part of it is unknown.
    fn pattern(&mut self, ast: &Rc<Ast>, id: Id) -> Option<String> {
        let mut out = String::new();
        let mut known = true;
        for part in ast.parts(ast.word(id)) {
            let mut fields = Fields::new(super::Span::default(), true);
            self.parts(ast, std::slice::from_ref(part), &mut fields, false);
            fields.end();
            let word = fields.words.pop().unwrap_or_default();
            known &= word.known().is_some();
            match part {
                super::ast::Part::Text { quoted: true, .. } => {
                    out.push_str(&pattern::escaped(&word.text))
                }
                super::ast::Part::Var { quoted: true, .. } => {
                    out.push_str(&pattern::escaped(&word.text))
                }
                _ => out.push_str(&word.text),
            }
        }
        known.then_some(out)
    }
}

/// `${x:offset}`, `${x:offset:length}` with plain numbers.
fn slice(text: &str, range: &str) -> Option<String> {
    let mut fields = range.splitn(2, ':');
    let chars: Vec<char> = text.chars().collect();
    let offset = match fields.next()?.trim() {
        "" => 0,
        n => n.parse::<i64>().ok()?,
    };
    let length = chars.len() as i64;
    let from = if offset < 0 {
        length.saturating_add(offset)
    } else {
        offset
    };
    if from < 0 || from > length {
        return Some(String::new());
    }
    let to = match fields.next() {
        None => length,
        Some(n) => match n.trim().parse::<i64>().ok()? {
            n if n < 0 => length.saturating_add(n),
            n => from.saturating_add(n).min(length),
        },
    };
    chars
        .get(from as usize..(to.max(from)) as usize)
        .map(|c| c.iter().collect())
}

fn cased(text: &str, sign: u8, all: bool) -> String {
    let mut out = String::with_capacity(text.len());
    for (i, c) in text.chars().enumerate() {
        match sign {
            b'^' if all || i == 0 => out.extend(c.to_uppercase()),
            b',' if all || i == 0 => out.extend(c.to_lowercase()),
            _ => out.push(c),
        }
    }
    out
}
