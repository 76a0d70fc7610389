//! What the shell's own commands do to its state.

use super::expand::is_identifier;
use super::simple::Bound;
use super::state::{Dirs, State, joined};
use super::value::{Args, Val, Value, word_of};
use super::walk::Walker;
use super::{Command, Opaque, Word};
use std::path::PathBuf;
use std::rc::Rc;

impl Walker<'_> {
    /// Applies a builtin that ran.
    pub(super) fn builtin(&mut self, command: &Command, arrays: Vec<Bound>) {
        let name = command.words.first().map_or("", |w| w.text.as_str());
        let args = command.words.get(1..).unwrap_or(&[]);
        match name {
            "cd" => self.cd(args),
            "pushd" => self.pushd(args),
            "popd" => self.popd(),
            "unset" => self.unset(args),
            "set" => self.set_options(args),
            "shift" => self.shift(args),
            "read" | "mapfile" | "readarray" | "getopts" => self.read(name, args),
            "printf" => self.printf_variable(args),
            "alias" => self.alias(args),
            "shopt" => self.shopt(args),
            "let" => args.iter().for_each(|w| self.forget_in(&w.text)),
            "exit" => self.exit(),
            "return" => {
                self.leave_function();
            }
            "break" | "continue" => {
                let levels = args.first().and_then(|w| w.text.parse().ok()).unwrap_or(1);
                self.leave_loops(levels, name == "continue");
            }
            _ => self.declare(name, args, arrays),
        }
    }

    fn exit(&mut self) {
        self.run_traps();
        if self.state.life == super::state::Life::Here {
            self.leave_shell();
        }
    }

    /// Changes every candidate directory.
    fn go(&mut self, path: &Word) {
        let dirs = self.paths_of(path);
        self.arrive_in(Rc::new(dirs));
    }

    /// What `path` is, seen from every candidate directory.
    fn paths_of(&self, path: &Word) -> Vec<Option<PathBuf>> {
        match (&path.opaque, path.glob) {
            (Opaque::No | Opaque::One, false) => self
                .state
                .dirs
                .iter()
                .map(|dir| joined(dir.as_deref(), &path.text))
                .collect(),
            _ => vec![None],
        }
    }

    /// `cd` looks in other places first for a name that does not begin with `/`, `.` or `..`.
    fn searches(&self, path: &Word) -> bool {
        let first = path.text.split('/').next().unwrap_or_default();
        !matches!(first, "" | "." | "..")
            && self.state.vars.get("CDPATH").is_some_and(|var| {
                var.values.iter().any(|v| match v {
                    Value::Text(val) => !val.text.is_empty(),
                    Value::Unset => false,
                    _ => true,
                })
            })
    }

    fn arrive_in(&mut self, dirs: Dirs) {
        let mut unique: Vec<Option<PathBuf>> = Vec::new();
        for dir in dirs.iter() {
            if !unique.contains(dir) {
                unique.push(dir.clone());
            }
        }
        self.state.old = std::mem::replace(&mut self.state.dirs, Rc::new(unique));
        for name in ["PWD", "OLDPWD"] {
            if self.state.vars.contains_key(name) {
                self.state.vars.change().remove(name);
            }
        }
    }

    pub(super) fn cd(&mut self, args: &[Word]) {
        let mut args = args.iter().peekable();
        while let Some(option) = args.peek()
            && option.text.len() > 1
            && option.text.starts_with('-')
        {
            let last = option.text == "--";
            args.next();
            if last {
                break;
            }
        }
        match args.next() {
            None => {
                let home = word_of(&self.scalar("HOME"));
                self.go(&home);
            }
            Some(word) if word.text == "-" => {
                let old = Rc::clone(&self.state.old);
                self.arrive_in(old);
            }
            Some(word) if word.text.is_empty() && word.opaque == Opaque::No => {}
            Some(word) if self.searches(word) => self.arrive_in(Rc::new(vec![None])),
            Some(word) => self.go(word),
        }
    }

    fn pushd(&mut self, args: &[Word]) {
        let here = Rc::clone(&self.state.dirs);
        if args.iter().any(|w| w.text == "-n") {
            // Only the stack changes, below its top.
            let path = args.iter().find(|w| !w.text.starts_with(['-', '+']));
            let dirs = path.map_or_else(|| vec![None], |path| self.paths_of(path));
            self.state.stack.change().push(Rc::new(dirs));
            return;
        }
        match args.iter().find(|w| w.text != "--") {
            Some(word) if word.text.starts_with(['+', '-']) => {
                self.state.stack = super::few::Few::default();
                self.arrive_in(Rc::new(vec![None]));
            }
            Some(word) => {
                self.go(word);
                self.state.stack.change().push(here);
            }
            None => {
                let other = self.state.stack.change().pop();
                self.arrive_in(other.unwrap_or_else(|| Rc::new(vec![None])));
                self.state.stack.change().push(here);
            }
        }
    }

    fn popd(&mut self) {
        let back = self.state.stack.change().pop();
        self.arrive_in(back.unwrap_or_else(|| Rc::new(vec![None])));
    }

    fn declare(&mut self, builtin: &str, args: &[Word], arrays: Vec<Bound>) {
        let mut exports = builtin == "export";
        let mut unexports = false;
        let mut computed = false;
        let mut functions = false;
        let mut prints = false;
        let mut refers = false;
        let local = builtin == "local"
            || (matches!(builtin, "declare" | "typeset") && !self.locals.is_empty());
        let mut global = false;
        for word in args {
            let text = word.text.as_str();
            if let Some(letters) = text.strip_prefix('-') {
                exports |= letters.contains('x');
                unexports |= letters.contains('n') && builtin == "export";
                computed |= letters.contains(['i', 'l', 'u', 'A'])
                    || letters.contains('n') && builtin != "export";
                refers |= letters.contains('n') && builtin != "export";
                functions |= letters.contains(['f', 'F']);
                prints |= letters.contains('p');
                global |= letters.contains('g');
                continue;
            }
            if text.starts_with('+') {
                unexports |= text.contains('x');
                continue;
            }
            let (name, value) = match text.split_once('=') {
                Some((name, value)) => (name, Some(value)),
                None => (text, None),
            };
            let append = name.ends_with('+');
            let name = name.strip_suffix('+').unwrap_or(name);
            if refers && let Some(target) = value {
                self.state.refer(name, target);
            }
            if functions || prints || !is_identifier(name) {
                continue;
            }
            let name = name.to_string();
            if local && !global {
                self.localize(&name);
            }
            let array = arrays.iter().find(|b| b.name == name).cloned();
            match (array, value) {
                (Some(array), _) => self.assign(array),
                (None, Some(value)) => {
                    let mut val = Val {
                        text: value.into(),
                        splits: word.opaque != Opaque::No,
                    };
                    if computed && !value.bytes().all(|b| b.is_ascii_digit()) {
                        val = Val::opaque();
                    }
                    self.assign(Bound {
                        name: name.clone(),
                        index: None,
                        append,
                        word: Word::default(),
                        value: Value::Text(val),
                    });
                }
                (None, None) if local && !global => self.state.set(&name, vec![Value::Unset]),
                (None, None) => {}
            }
            if unexports {
                self.state.unexport(&name);
            } else if exports {
                self.state.export(&name);
            }
        }
    }

    /// Remembers a variable that the function in which we are hides.
    fn localize(&mut self, name: &str) {
        let old = self.state.vars.get(name).cloned();
        if let Some(frame) = self.locals.last_mut()
            && !frame.iter().any(|(n, _)| &**n == name)
        {
            frame.push((name.into(), old));
        }
    }

    fn unset(&mut self, args: &[Word]) {
        let functions = args.first().is_some_and(|w| w.text == "-f");
        for word in args.iter().filter(|w| !w.text.starts_with('-')) {
            let name = word.text.as_str();
            if functions {
                if self.state.funcs.contains_key(name) {
                    self.state.funcs.change().remove(name);
                }
            } else if is_identifier(name) {
                self.state.unexport(name);
                self.state.set(name, vec![Value::Unset]);
                if let Some(var) = self.state.vars.change().get_mut(name) {
                    var.exported = false;
                }
            }
        }
    }

    fn set_options(&mut self, args: &[Word]) {
        let mut at = 0;
        while let Some(word) = args.get(at) {
            let text = word.text.as_str();
            match text {
                "--" => {
                    at += 1;
                    self.state.args = Args::of(args.get(at..).unwrap_or(&[])).into();
                    return;
                }
                "-o" | "+o" => {
                    match args.get(at + 1).map(|w| w.text.as_str()) {
                        Some("allexport") => self.state.allexport = text == "-o",
                        Some("errexit") => self.state.errexit = text == "-o",
                        Some("xtrace") if text == "-o" => self.trace(),
                        _ => {}
                    }
                    at += 2;
                }
                _ if text.starts_with(['-', '+']) => {
                    if text.contains('a') {
                        self.state.allexport = text.starts_with('-');
                    }
                    if text.contains('e') {
                        self.state.errexit = text.starts_with('-');
                    }
                    if text.starts_with('-') && text.contains('x') {
                        self.trace();
                    }
                    at += 1 + usize::from(text.ends_with('o'));
                }
                _ => {
                    self.state.args = Args::of(args.get(at..).unwrap_or(&[])).into();
                    return;
                }
            }
        }
    }

    fn shift(&mut self, args: &[Word]) {
        let by = match args.first() {
            None => Some(1),
            Some(word) => word.known().and_then(|t| t.parse::<usize>().ok()),
        };
        let mine = self.state.args.change();
        match by {
            Some(by) if by <= mine.list.len() => {
                mine.list.drain(..by);
            }
            Some(_) if !mine.open => {}
            _ => *mine = Args::default(),
        }
    }

    /// `read`, `mapfile`, `getopts`: their variables hold what only the run knows.
    fn read(&mut self, builtin: &str, args: &[Word]) {
        let mut names: Vec<String> = Vec::new();
        let mut takes = false;
        for word in args {
            let text = word.text.as_str();
            if takes {
                takes = false;
                if builtin != "read" || !is_identifier(text) {
                    continue;
                }
            }
            if text.starts_with('-') && builtin != "getopts" {
                takes = match builtin {
                    "read" => text.ends_with(['d', 'i', 'n', 'N', 'p', 't', 'u']),
                    _ => text.ends_with(['d', 'n', 'O', 's', 'u', 'C', 'c']),
                };
                continue;
            }
            if is_identifier(text) {
                names.push(text.to_string());
            }
        }
        match builtin {
            "getopts" => names.extend(["OPTARG".to_string(), "OPTIND".to_string()]),
            "read" if names.is_empty() => names.push("REPLY".to_string()),
            "read" => {}
            _ if names.is_empty() => names.push("MAPFILE".to_string()),
            _ => {}
        }
        for name in names {
            self.state.set(&name, vec![Value::opaque()]);
        }
    }

    /// `printf -v name format …`.
    fn printf_variable(&mut self, args: &[Word]) {
        let [option, name, rest @ ..] = args else {
            return;
        };
        if option.text != "-v" || !is_identifier(&name.text) {
            return;
        }
        let known = rest.iter().all(|w| w.opaque != Opaque::Many && !w.glob);
        let text = known.then(|| super::output::printf(rest)).flatten();
        let value = match text {
            Some(text) => Val {
                splits: text.contains(super::OPAQUE),
                text: text.into(),
            },
            None => Val::opaque(),
        };
        self.state.set(&name.text, vec![Value::Text(value)]);
    }

    /// The state of a new program that is a shell: the environment and the directory.
    pub(super) fn new_shell(&self) -> State {
        let mut state = State {
            dirs: Rc::clone(&self.state.dirs),
            old: Rc::clone(&self.state.old),
            exports: Rc::clone(&self.state.exports),
            unset: Rc::clone(&self.state.unset),
            files: self.state.files.clone(),
            ..State::default()
        };
        let vars = state.vars.change();
        for assign in self.state.exports.iter() {
            let values = vec![Value::Text(Val::of(&assign.value))];
            let var = super::state::Var {
                values,
                exported: true,
            };
            vars.insert(assign.name.as_str().into(), var);
        }
        for name in self.state.unset.iter() {
            let var = super::state::Var {
                values: vec![Value::Unset],
                exported: false,
            };
            vars.insert(name.as_str().into(), var);
        }
        state
    }
}
