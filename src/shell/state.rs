//! What a shell knows at one point of the script, and how two such points meet.

use super::alias::Aliases;
use super::few::Few;
use super::value::{Args, CANDIDATES, Content, Val, Value, has_mark, word_of};
use super::{Assign, OPAQUE, Word};
use std::collections::BTreeMap;
use std::path::{Component, Path, PathBuf};
use std::rc::Rc;

/// A variable that the script assigned.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Var {
    pub(super) values: Vec<Value>,
    pub(super) exported: bool,
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
    pub(super) vars: Few<BTreeMap<Rc<str>, Var>>,
    /// Bodies by name; `None` = perhaps not defined.
    pub(super) funcs: Few<BTreeMap<Rc<str>, Vec<Option<usize>>>>,
    pub(super) dirs: Dirs,
    pub(super) old: Dirs,
    pub(super) stack: Few<Vec<Dirs>>,
    pub(super) exports: Rc<Vec<Assign>>,
    pub(super) unset: Rc<Vec<String>>,
    pub(super) files: Few<BTreeMap<PathBuf, Vec<Content>>>,
    pub(super) args: Few<Args>,
    /// `$0`.
    pub(super) zero: Option<Rc<str>>,
    /// Texts of `trap … EXIT`.
    pub(super) traps: Few<Vec<Word>>,
    pub(super) allexport: bool,
    /// `declare -n`: what sets the first sets the second.
    pub(super) references: Few<Vec<(Rc<str>, Rc<str>)>>,
    /// `shopt -s lastpipe`.
    pub(super) lastpipe: bool,
    /// `set -e`.
    pub(super) errexit: bool,
    pub(super) aliases: Few<Aliases>,
}

impl State {
    /// The directory when there is exactly one candidate.
    pub(super) fn dir(&self) -> Option<&Path> {
        match self.dirs.as_slice() {
            [Some(dir)] => Some(dir),
            _ => None,
        }
    }

    /// From here on `name` is another name of `target`.
    pub(super) fn refer(&mut self, name: &str, target: &str) {
        let pair: (Rc<str>, Rc<str>) = (name.into(), target.into());
        add_all(self.references.change(), &[pair]);
    }

    /// Gives a variable its candidates, under its other name as well.
    pub(super) fn set(&mut self, name: &str, values: Vec<Value>) {
        if !self.references.is_empty() {
            let references = self.references.clone();
            for (_, target) in references.iter().filter(|(from, _)| &**from == name) {
                self.put(target, values.clone());
            }
        }
        self.put(name, values);
    }

    /// Gives a variable its candidates and keeps the exports in step.
    fn put(&mut self, name: &str, mut values: Vec<Value>) {
        if values.len() > CANDIDATES || values.is_empty() {
            values = vec![Value::opaque()];
        }
        let exported = self.vars.get(name).is_some_and(|v| v.exported)
            || self.allexport
            || matches!(name, "HOME" | "PATH" | "USER" | "SHELL" | "LANG" | "TERM");
        let vars = self.vars.change();
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
            [Value::Open(items)] => word_of(&items.first().cloned().unwrap_or(Val::opaque())),
            _ => word_of(&Val::opaque()),
        };
        if !var.exported
            && let Some(var) = self.vars.change().get_mut(name)
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
        if !Few::same(&self.stack, &other.stack) && self.stack != other.stack {
            self.stack = Few::default();
        }
        self.meet_exports(other);
        if !Few::same(&self.args, &other.args) && self.args != other.args {
            let mine = self.args.change();
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
        if !Few::same(&self.traps, &other.traps) && self.traps != other.traps {
            add_all(self.traps.change(), &other.traps);
        }
        self.allexport |= other.allexport;
        self.errexit &= other.errexit;
        self.lastpipe |= other.lastpipe;
        if !Few::same(&self.references, &other.references) {
            add_all(self.references.change(), &other.references);
        }
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
        if !Few::same(&self.vars, &other.vars) {
            cost += 32 * (self.vars.len() + other.vars.len()) as u64;
        }
        if !Few::same(&self.funcs, &other.funcs) {
            cost += 32 * (self.funcs.len() + other.funcs.len()) as u64;
        }
        if !Few::same(&self.files, &other.files) {
            cost += 32 * (self.files.len() + other.files.len()) as u64;
        }
        if !Rc::ptr_eq(&self.exports, &other.exports) {
            cost += (self.exports.len() * other.exports.len()) as u64;
        }
        cost
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

fn meet_maps<K: Ord + Clone + 'static, V: Clone + PartialEq + 'static>(
    mine: &mut Few<BTreeMap<K, V>>,
    theirs: &Few<BTreeMap<K, V>>,
    meet: impl Fn(Option<&V>, Option<&V>) -> V,
) {
    if Few::same(mine, theirs) {
        return;
    }
    let map = mine.change();
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
    if has_mark(path) && (path.contains(OPAQUE) || path.split('/').any(|part| part == "..")) {
        return None;
    }
    let path = Path::new(path);
    let plain = |p: &str| {
        !p.starts_with('.') && !p.contains("/.") && !p.contains("//") && !p.ends_with('/')
    };
    if path.to_str().is_some_and(plain) {
        return if path.is_absolute() {
            Some(path.to_path_buf())
        } else {
            dir.map(|dir| dir.join(path))
        };
    }
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
