//! What a shell knows at one point of the script, and how two such points meet.

use super::{Assign, OPAQUE, Opaque, Word};
use std::collections::BTreeMap;
use std::path::{Component, Path, PathBuf};
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

/// Whether a text holds unknown or answered stretches.
pub(super) fn has_mark(text: &str) -> bool {
    text.bytes().any(|b| matches!(b, 0x01 | 0xF3 | 0xF4))
        && text
            .chars()
            .any(|c| c == OPAQUE || c as u32 >= super::ANSWER_BASE)
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

/// A variable that the script assigned.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Var {
    pub(super) values: Vec<Value>,
    pub(super) exported: bool,
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

impl Default for Args {
    fn default() -> Args {
        Args {
            list: Vec::new(),
            open: true,
        }
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

/// Whether the commands that come next run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Life {
    #[default]
    Here,
    /// Left for the end of a loop, function or shell further out.
    Left,
    /// Nothing runs any more.
    Ended,
}

pub(super) type Dirs = Rc<Vec<Option<PathBuf>>>;

/// The state of a shell; cheap to copy.
#[derive(Debug, Clone, Default)]
pub(super) struct State {
    pub(super) life: Life,
    pub(super) vars: Rc<BTreeMap<Rc<str>, Var>>,
    /// Bodies by name; `None` = perhaps not defined.
    pub(super) funcs: Rc<BTreeMap<Rc<str>, Vec<Option<usize>>>>,
    pub(super) dirs: Dirs,
    pub(super) old: Dirs,
    pub(super) stack: Rc<Vec<Dirs>>,
    pub(super) exports: Rc<Vec<Assign>>,
    pub(super) unset: Rc<Vec<String>>,
    pub(super) files: Rc<BTreeMap<PathBuf, Vec<Content>>>,
    pub(super) args: Rc<Args>,
    /// `$0`.
    pub(super) zero: Option<Rc<str>>,
    /// Texts of `trap … EXIT`.
    pub(super) traps: Rc<Vec<Word>>,
    pub(super) allexport: bool,
    /// `alias` definitions, and whether `shopt -s expand_aliases` lets them count.
    pub(super) aliases: Rc<BTreeMap<Rc<str>, Word>>,
    pub(super) expands: bool,
}

impl State {
    /// The directory when there is exactly one candidate.
    pub(super) fn dir(&self) -> Option<&Path> {
        match self.dirs.as_slice() {
            [Some(dir)] => Some(dir),
            _ => None,
        }
    }

    /// Gives a variable its candidates and keeps the exports in step.
    pub(super) fn set(&mut self, name: &str, mut values: Vec<Value>) {
        if values.len() > CANDIDATES || values.is_empty() {
            values = vec![Value::opaque()];
        }
        let exported = self.vars.get(name).is_some_and(|v| v.exported)
            || self.allexport
            || matches!(name, "HOME" | "PATH" | "USER" | "SHELL" | "LANG" | "TERM");
        let vars = Rc::make_mut(&mut self.vars);
        match vars.get_mut(name) {
            Some(var) => {
                var.values = values;
                var.exported = exported;
            }
            None => {
                vars.insert(name.into(), Var { values, exported });
            }
        }
        if exported {
            self.export(name);
        }
    }

    /// Exports a variable with the value that it has.
    pub(super) fn export(&mut self, name: &str) {
        let Some(var) = self.vars.get(name) else {
            return;
        };
        let value = match var.values.as_slice() {
            [Value::Text(val)] => word_of(val),
            [Value::Unset] => return,
            [Value::Array(items)] => word_of(&items.first().cloned().unwrap_or(Val::known(""))),
            _ => word_of(&Val::opaque()),
        };
        if !var.exported
            && let Some(var) = Rc::make_mut(&mut self.vars).get_mut(name)
        {
            var.exported = true;
        }
        put(Rc::make_mut(&mut self.exports), name, value);
        if self.unset.iter().any(|n| n == name) {
            Rc::make_mut(&mut self.unset).retain(|n| n != name);
        }
    }

    /// Takes a variable out of the environment.
    pub(super) fn unexport(&mut self, name: &str) {
        if self.exports.iter().any(|a| a.name == name) {
            Rc::make_mut(&mut self.exports).retain(|a| a.name != name);
        }
        if !self.unset.iter().any(|n| n == name) {
            Rc::make_mut(&mut self.unset).push(name.to_string());
        }
    }

    /// Lets another point of the script flow into this one.
    pub(super) fn meet(&mut self, other: &State) {
        meet_maps(&mut self.vars, &other.vars, |mine, theirs| {
            let missing = Var {
                values: vec![Value::opaque()],
                exported: false,
            };
            let (a, b) = (mine.unwrap_or(&missing), theirs.unwrap_or(&missing));
            let mut values = a.values.clone();
            add_all(&mut values, &b.values);
            if values.len() > CANDIDATES {
                values = vec![Value::opaque()];
            }
            Var {
                values,
                exported: a.exported || b.exported,
            }
        });
        meet_maps(&mut self.funcs, &other.funcs, |mine, theirs| {
            let mut bodies = mine.cloned().unwrap_or_else(|| vec![None]);
            match theirs {
                Some(theirs) => add_all(&mut bodies, theirs),
                None => add_all(&mut bodies, &[None]),
            }
            bodies
        });
        meet_maps(&mut self.files, &other.files, |mine, theirs| {
            let mut contents = mine.cloned().unwrap_or_else(|| vec![Content::Disk]);
            match theirs {
                Some(theirs) => add_all(&mut contents, theirs),
                None => add_all(&mut contents, &[Content::Disk]),
            }
            if contents.len() > CANDIDATES {
                contents = vec![Content::Unknown];
            }
            contents
        });
        meet_dirs(&mut self.dirs, &other.dirs);
        meet_dirs(&mut self.old, &other.old);
        if !Rc::ptr_eq(&self.stack, &other.stack) && self.stack != other.stack {
            self.stack = Rc::default();
        }
        self.meet_exports(other);
        if !Rc::ptr_eq(&self.args, &other.args) && self.args != other.args {
            let mine = Rc::make_mut(&mut self.args);
            let same = mine
                .list
                .iter()
                .zip(&other.args.list)
                .take_while(|(a, b)| a == b);
            let same = same.count();
            mine.list.truncate(same);
            mine.open = true;
        }
        if self.zero != other.zero {
            self.zero = None;
        }
        if !Rc::ptr_eq(&self.traps, &other.traps) && self.traps != other.traps {
            add_all(Rc::make_mut(&mut self.traps), &other.traps);
        }
        self.allexport |= other.allexport;
    }

    fn meet_exports(&mut self, other: &State) {
        if !Rc::ptr_eq(&self.exports, &other.exports) && self.exports != other.exports {
            let unknown = word_of(&Val::opaque());
            let mine = Rc::make_mut(&mut self.exports);
            for assign in mine.iter_mut() {
                if !other.exports.iter().any(|o| o == assign) {
                    assign.value = unknown.clone();
                }
            }
            for theirs in other.exports.iter() {
                if !mine.iter().any(|m| m.name == theirs.name) {
                    put(mine, &theirs.name, unknown.clone());
                }
            }
        }
        if !Rc::ptr_eq(&self.unset, &other.unset) && self.unset != other.unset {
            Rc::make_mut(&mut self.unset).retain(|n| other.unset.contains(n));
        }
    }

    /// How much a meeting of the two costs.
    pub(super) fn distance(&self, other: &State) -> u64 {
        let mut cost = 1;
        if !Rc::ptr_eq(&self.vars, &other.vars) {
            cost += (self.vars.len() + other.vars.len()) as u64;
        }
        if !Rc::ptr_eq(&self.funcs, &other.funcs) {
            cost += (self.funcs.len() + other.funcs.len()) as u64;
        }
        if !Rc::ptr_eq(&self.files, &other.files) {
            cost += (self.files.len() + other.files.len()) as u64;
        }
        if !Rc::ptr_eq(&self.exports, &other.exports) {
            cost += (self.exports.len() * other.exports.len()) as u64;
        }
        cost
    }
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

/// Sets a variable in a list in which each name stands once.
pub(super) fn put(list: &mut Vec<Assign>, name: &str, value: Word) {
    match list.iter_mut().find(|a| a.name == name) {
        Some(assign) => assign.value = value,
        None => list.push(Assign {
            name: name.to_string(),
            value,
        }),
    }
}

fn add_all<T: Clone + PartialEq>(into: &mut Vec<T>, from: &[T]) {
    for item in from {
        if !into.contains(item) {
            into.push(item.clone());
        }
    }
}

fn meet_dirs(mine: &mut Dirs, theirs: &Dirs) {
    if Rc::ptr_eq(mine, theirs) || mine == theirs {
        return;
    }
    let dirs = Rc::make_mut(mine);
    add_all(dirs, theirs);
    if dirs.len() > CANDIDATES {
        *dirs = vec![None];
    }
}

fn meet_maps<K: Ord + Clone, V: Clone + PartialEq>(
    mine: &mut Rc<BTreeMap<K, V>>,
    theirs: &Rc<BTreeMap<K, V>>,
    meet: impl Fn(Option<&V>, Option<&V>) -> V,
) {
    if Rc::ptr_eq(mine, theirs) {
        return;
    }
    let map = Rc::make_mut(mine);
    for (key, value) in map.iter_mut() {
        let other = theirs.get(key);
        if other != Some(value) {
            *value = meet(Some(value), other);
        }
    }
    for (key, value) in theirs.iter() {
        if !map.contains_key(key) {
            map.insert(key.clone(), meet(None, Some(value)));
        }
    }
}

/// `dir` after `cd path`; `..` is taken by spelling, as `cd` does.
pub(super) fn joined(dir: Option<&Path>, path: &str) -> Option<PathBuf> {
    // An answer stands in the path until it is known; nothing can be said above it.
    if path.contains(OPAQUE) || (has_mark(path) && path.split('/').any(|part| part == "..")) {
        return None;
    }
    let path = Path::new(path);
    let mut out = if path.is_absolute() {
        PathBuf::new()
    } else {
        dir?.to_path_buf()
    };
    for part in path.components() {
        match part {
            Component::ParentDir => {
                out.pop();
            }
            Component::CurDir => {}
            other => out.push(other),
        }
    }
    Some(out)
}
