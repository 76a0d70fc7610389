//! Simple commands: expansion with every combination of candidates, redirects, dispatch.

use super::ast::{Ast, Id, Part, RedirNode, RedirOp, Run, SimpleNode, WordNode};
use super::expand::is_identifier;
use super::state::{Content, State, Val, Value, has_mark, joined};
use super::walk::{Pick, Walker};
use super::{Assign, Command, Opaque, Origin, Redirect, RedirectKind, Span, Stdin, Step, Word};
use std::path::PathBuf;
use std::rc::Rc;

/// How many combinations of candidates one command may have.
const COMBINATIONS: usize = 16;

/// An assignment with its value.
#[derive(Debug, Clone)]
pub(super) struct Bound {
    pub(super) name: String,
    /// A subscript; `None` inside when it is no plain number.
    pub(super) index: Option<Option<usize>>,
    pub(super) append: bool,
    pub(super) word: Word,
    pub(super) value: Value,
}

/// Where standard output goes.
#[derive(Debug, Clone, Default)]
pub(super) enum Out {
    /// Where it went before.
    #[default]
    Same,
    /// Somewhere that is not followed.
    Lost,
    File {
        target: Word,
        append: bool,
    },
}

/// What the redirects of one command do.
#[derive(Debug, Clone, Default)]
pub(super) struct Plan {
    pub(super) redirects: Vec<Redirect>,
    pub(super) stdin: Option<Stdin>,
    pub(super) out: Out,
}

/// A command that is ready to run.
#[derive(Debug, Clone, Default)]
pub(super) struct Ready {
    pub(super) words: Vec<Word>,
    pub(super) bound: Vec<Bound>,
    /// Arrays among the arguments of `declare` and its kin.
    pub(super) arrays: Vec<Bound>,
    pub(super) plan: Plan,
    pub(super) span: Span,
    pub(super) at: u32,
    pub(super) line: Option<usize>,
}

fn declares(program: &str) -> bool {
    matches!(
        program,
        "export" | "declare" | "typeset" | "local" | "readonly"
    )
}

impl Walker<'_> {
    #[inline(never)]
    pub(super) fn simple(&mut self, ast: &Rc<Ast>, node: &SimpleNode) {
        let saved = std::mem::take(&mut self.pick);
        self.pick.on = true;
        let ready = self.ready(ast, node);
        if self.pick.picked.is_empty() {
            self.pick = saved;
            self.run(ready);
            return;
        }
        let mut all = vec![ready];
        while self.advance() {
            if all.len() >= COMBINATIONS {
                self.pick = Pick {
                    on: false,
                    picked: Vec::new(),
                    memo: std::mem::take(&mut self.pick.memo),
                    procs: self.pick.procs,
                };
                all.clear();
                all.push(self.ready(ast, node));
                break;
            }
            all.push(self.ready(ast, node));
        }
        self.pick = saved;
        if all.len() == 1 {
            all.into_iter().for_each(|ready| self.run(ready));
            return;
        }
        let mut fork = self.fork();
        for (i, ready) in all.into_iter().enumerate() {
            if i > 0 {
                self.or(&mut fork);
            }
            self.run(ready);
        }
        self.join(fork);
    }

    /// Goes to the next combination of candidates; false after the last.
    fn advance(&mut self) -> bool {
        while let Some((_, at, n)) = self.pick.picked.last_mut() {
            *at += 1;
            if *at < *n {
                return true;
            }
            self.pick.picked.pop();
        }
        false
    }

    fn ready(&mut self, ast: &Rc<Ast>, node: &SimpleNode) -> Ready {
        let nodes = node.words.of(&ast.words);
        let mut ready = Ready {
            words: Vec::with_capacity(nodes.len()),
            span: self.span(node.start, node.end),
            at: node.start,
            line: self.origin.is_some().then(|| ast.line(node.start as usize)),
            ..Ready::default()
        };
        let declared = nodes
            .first()
            .and_then(|w| ast.literal(*w))
            .is_some_and(declares);
        for word in nodes {
            if declared && self.declaration(ast, *word, &mut ready) {
                continue;
            }
            self.field(ast, *word, &mut ready.words);
        }
        if !node.redirs.is_empty() {
            ready.plan = self.plan(ast, node.redirs);
        }
        for assign in node.assigns.of(&ast.assigns) {
            let index = assign.index.map(|id| {
                self.arithmetic(ast, id);
                ast.literal(ast.word(id)).and_then(|t| t.parse().ok())
            });
            let mut bound = self.bound(ast, assign.value, ast.text(assign.name));
            bound.index = index;
            bound.append = assign.append;
            ready.bound.push(bound);
        }
        self.spend(nodes.len() as u64);
        ready
    }

    fn bound(&mut self, ast: &Rc<Ast>, node: WordNode, name: &str) -> Bound {
        let (word, value) = match ast.parts(node) {
            [Part::Array { id }] => {
                let items = self.array(ast, *id);
                let word = Word {
                    text: "\u{1}".to_string(),
                    span: self.span(node.start, node.end),
                    opaque: Opaque::One,
                    glob: false,
                };
                (word, items)
            }
            _ => {
                let (word, val) = self.value(ast, node);
                (word, Value::Text(val))
            }
        };
        Bound {
            name: name.to_string(),
            index: None,
            append: false,
            word,
            value,
        }
    }

    /// `name=value` after `export` and its kin is not split.
    fn declaration(&mut self, ast: &Rc<Ast>, node: WordNode, ready: &mut Ready) -> bool {
        let Some(Part::Text { run, quoted: false }) = ast.parts(node).first() else {
            return false;
        };
        let text = ast.text(*run);
        let Some((name, _)) = text.split_once('=') else {
            return false;
        };
        let append = name.ends_with('+');
        let name = name.strip_suffix('+').unwrap_or(name);
        if !is_identifier(name) {
            return false;
        }
        if let Some(Part::Array { id }) = ast.parts(node).get(1) {
            let value = self.array(ast, *id);
            ready.arrays.push(Bound {
                name: name.to_string(),
                index: None,
                append,
                word: Word::default(),
                value,
            });
            ready.words.push(Word {
                text: name.to_string(),
                span: self.span(node.start, node.end),
                ..Word::default()
            });
            return true;
        }
        let (word, _) = self.single(ast, node);
        ready.words.push(word);
        true
    }

    /// Expands the redirects of a command.
    pub(super) fn plan(&mut self, ast: &Rc<Ast>, redirs: Run) -> Plan {
        let mut plan = Plan::default();
        for redir in redirs.of(&ast.redirs) {
            self.redirect(ast, redir, &mut plan);
        }
        plan
    }

    fn redirect(&mut self, ast: &Rc<Ast>, redir: &RedirNode, plan: &mut Plan) {
        let node = ast.word(redir.target);
        let reads = !redir.fresh && redir.fd.unwrap_or(0) == 0;
        let writes = !redir.fresh && redir.fd.unwrap_or(1) == 1;
        match redir.op {
            RedirOp::Heredoc => {
                let text = self.heredoc(ast, node);
                if reads {
                    plan.stdin = Some(Stdin::Text(text));
                }
                return;
            }
            RedirOp::HereString => {
                let (mut text, _) = self.single(ast, node);
                text.text.push('\n');
                if reads {
                    plan.stdin = Some(Stdin::Text(text));
                }
                return;
            }
            RedirOp::DupIn => {
                let (target, _) = self.single(ast, node);
                if reads && target.known() != Some("0") {
                    plan.stdin = Some(Stdin::Pipe(Vec::new()));
                }
                return;
            }
            _ => {}
        }
        let (target, _) = self.single(ast, node);
        if redir.op == RedirOp::DupOut {
            let text = target.text.trim_end_matches('-');
            let number = text.bytes().all(|b| b.is_ascii_digit());
            if number || redir.fd.is_some() {
                if writes && text != "1" {
                    plan.out = Out::Lost;
                }
                return;
            }
        }
        let (kind, append) = match redir.op {
            RedirOp::Read => (RedirectKind::Read, false),
            RedirOp::ReadWrite => (RedirectKind::ReadWrite, false),
            RedirOp::Append | RedirOp::BothAppend => (RedirectKind::Append, true),
            _ => (RedirectKind::Write, false),
        };
        match redir.op {
            RedirOp::Read | RedirOp::ReadWrite => {
                if reads {
                    plan.stdin = Some(Stdin::File(target.clone()));
                }
            }
            _ => {
                if writes
                    || matches!(
                        redir.op,
                        RedirOp::Both | RedirOp::BothAppend | RedirOp::DupOut
                    )
                {
                    plan.out = Out::File {
                        target: target.clone(),
                        append,
                    };
                } else {
                    self.write(&target, append, Content::Unknown);
                }
            }
        }
        plan.redirects.push(Redirect { kind, target });
    }

    /// A compound command with redirects.
    #[inline(never)]
    pub(super) fn redirected(&mut self, ast: &Rc<Ast>, body: Id, redirs: Run, span: (u32, u32)) {
        let plan = self.plan(ast, redirs);
        let before = self.steps.len();
        let mut command = self.command(Vec::new(), plan.clone());
        command.span = self.span(span.0, span.1);
        self.inside(&command, &plan.out, |w| w.node(ast, body));
        if self.steps.len() == before && !plan.redirects.is_empty() {
            self.emit(command);
        }
    }

    /// Runs `f` where `command`'s input, redirects and output are those around.
    pub(super) fn inside(&mut self, command: &Command, out: &Out, f: impl FnOnce(&mut Self)) {
        let stdin = std::mem::replace(&mut self.stdin, Rc::new(command.stdin.clone()));
        let redirects = std::mem::replace(&mut self.redirects, Rc::new(command.redirects.clone()));
        let saved = self.out;
        match out {
            Out::Same => {}
            Out::Lost => self.out = None,
            Out::File { .. } => self.out = Some(self.capture()),
        }
        f(self);
        if let Out::File { target, append } = out {
            let content = self.captured().into_content();
            self.write(target, *append, content);
        }
        self.stdin = stdin;
        self.redirects = redirects;
        self.out = saved;
    }

    /// A command at this point.
    pub(super) fn command(&mut self, words: Vec<Word>, plan: Plan) -> Box<Command> {
        let redirects = if self.redirects.is_empty() {
            plan.redirects
        } else {
            let mut all = self.redirects.to_vec();
            all.extend(plan.redirects);
            all
        };
        let stdin = match plan.stdin {
            Some(stdin) => stdin,
            None => (*self.stdin).clone(),
        };
        if let Stdin::Text(text) = &stdin {
            self.spend(text.text.len() as u64 / 8);
        }
        Box::new(Command {
            words,
            assigns: Vec::new(),
            exports: Rc::clone(&self.state.exports),
            unset: Rc::clone(&self.state.unset),
            redirects,
            stdin,
            dirs: Rc::clone(&self.state.dirs),
            span: Span::default(),
            origin: None,
            answers: None,
            wrapper: false,
        })
    }

    pub(super) fn emit(&mut self, command: Box<Command>) {
        self.spend(command.words.len() as u64);
        self.steps.push(Step::Run(command));
    }

    pub(super) fn run(&mut self, ready: Ready) {
        if self.state.life != super::state::Life::Here || !self.spend(1) {
            return;
        }
        let Some(program) = ready.words.first() else {
            self.bare(ready);
            return;
        };
        if !self.state.funcs.is_empty()
            && let Some(name) = program.known()
            && let Some(bodies) = self.state.funcs.get(name).cloned()
        {
            self.run_function(&bodies, ready);
            return;
        }
        self.run_program(ready, true);
    }

    /// Builds the command of `ready`, and gives back where its output goes.
    pub(super) fn build(&mut self, ready: &mut Ready) -> (Box<Command>, Out) {
        let plan = std::mem::take(&mut ready.plan);
        let out = plan.out.clone();
        let mut command = self.command(std::mem::take(&mut ready.words), plan);
        command.span = ready.span;
        command.assigns = ready
            .bound
            .iter()
            .map(|b| Assign {
                name: b.name.clone(),
                value: b.word.clone(),
            })
            .collect();
        if let (Some(file), Some(line)) = (&self.origin, ready.line) {
            command.origin = Some(Origin {
                file: Rc::clone(file),
                line,
            });
        }
        (command, out)
    }

    /// Only assignments, only redirects.
    fn bare(&mut self, mut ready: Ready) {
        if ready.bound.is_empty() && ready.plan.redirects.is_empty() {
            return;
        }
        let (command, out) = self.build(&mut ready);
        if let Out::File {
            target,
            append: false,
        } = &out
        {
            self.write(target, false, Content::Text("".into()));
        }
        self.emit(command);
        for bound in ready.bound {
            self.assign(bound);
        }
    }

    /// Gives a variable its value.
    pub(super) fn assign(&mut self, bound: Bound) {
        let old = self
            .state
            .vars
            .get(bound.name.as_str())
            .map(|v| v.values.clone());
        let old = old.unwrap_or_else(|| vec![Value::opaque()]);
        let values = match (bound.index, bound.append) {
            (None, false) => vec![bound.value],
            (None, true) => old.iter().map(|o| appended(o, &bound.value)).collect(),
            (Some(index), append) => vec![element_set(&old, index, append, bound.value)],
        };
        self.spend(values.len() as u64 + bound.word.text.len() as u64 / 32);
        self.state.set(&bound.name, values);
    }

    #[inline(never)]
    fn run_function(&mut self, bodies: &[Option<usize>], ready: Ready) {
        if let [Some(one)] = bodies {
            self.call(*one, ready);
            return;
        }
        let mut fork = self.fork();
        for (i, body) in bodies.iter().enumerate() {
            if i > 0 {
                self.or(&mut fork);
            }
            match body {
                Some(body) => self.call(*body, ready.clone()),
                None => self.run_program(ready.clone(), true),
            }
        }
        self.join(fork);
    }

    /// Calls a function with the words of `ready` as its arguments.
    fn call(&mut self, id: usize, mut ready: Ready) {
        let (command, out) = self.build(&mut ready);
        let args = super::state::Args::of(command.words.get(1..).unwrap_or(&[]));
        let before = self.begin_temporary(&ready.bound);
        self.inside(&command, &out, |w| w.call_body(id, args));
        self.end_temporary(before);
    }

    /// Variables that are set for one call only.
    pub(super) fn begin_temporary(&mut self, bound: &[Bound]) -> Option<State> {
        if bound.is_empty() {
            return None;
        }
        let before = self.state.clone();
        for bound in bound {
            self.assign(bound.clone());
            self.state.export(&bound.name);
        }
        Some(before)
    }

    pub(super) fn end_temporary(&mut self, before: Option<State>) {
        if let Some(before) = before {
            self.state.vars = before.vars;
            self.state.exports = before.exports;
            self.state.unset = before.unset;
        }
    }

    /// Walks a function's body.
    #[inline(never)]
    pub(super) fn call_body(&mut self, id: usize, args: super::state::Args) {
        let Some(body) = self.bodies.get_mut(id) else {
            return;
        };
        body.called = true;
        // A function that calls itself is walked a few times, at last with unknown arguments.
        let args = match body.active {
            0..=2 => args,
            3 => super::state::Args::default(),
            _ => return,
        };
        body.active += 1;
        let (ast, node) = (Rc::clone(&body.ast), body.node);
        let (fixed, origin) = (body.fixed, body.origin.clone());
        if self.enter() {
            let saved = (self.fixed, self.origin.clone());
            self.fixed = fixed;
            self.origin = origin;
            let outer = std::mem::replace(&mut self.state.args, Rc::new(args));
            self.locals.push(Vec::new());
            self.push_frame(super::flow::Kind::Function);
            self.node(&ast, node);
            self.pop_frame();
            for (name, var) in self.locals.pop().unwrap_or_default().into_iter().rev() {
                let vars = Rc::make_mut(&mut self.state.vars);
                match var {
                    Some(var) => vars.insert(name, var),
                    None => vars.remove(&name),
                };
            }
            self.state.args = outer;
            (self.fixed, self.origin) = saved;
            self.leave();
        }
        if let Some(body) = self.bodies.get_mut(id) {
            body.active -= 1;
        }
    }

    /// Notes what a file holds from here on.
    pub(super) fn write(&mut self, target: &Word, append: bool, content: Content) {
        let Some(path) = target.known().map(str::to_string) else {
            return;
        };
        let paths = self.places(&path);
        let sure = paths.len() == 1;
        for path in paths {
            let old = self.state.files.get(&path).cloned();
            let mut contents = match (&old, append) {
                (None, true) => vec![Content::Unknown],
                (Some(old), true) => old.iter().map(|o| lengthened(o, &content)).collect(),
                _ => vec![content.clone()],
            };
            if !sure {
                contents.extend(old.unwrap_or_else(|| vec![Content::Disk]));
            }
            self.put_file(path, contents);
        }
    }

    /// The files that a path may mean.
    pub(super) fn places(&self, path: &str) -> Vec<PathBuf> {
        let mut places: Vec<PathBuf> = Vec::new();
        for dir in self.state.dirs.iter() {
            let place = joined(dir.as_deref(), path).unwrap_or_else(|| PathBuf::from(path));
            if !places.contains(&place) {
                places.push(place);
            }
        }
        places
    }
}

fn lengthened(old: &Content, more: &Content) -> Content {
    match (old, more) {
        (Content::Text(a), Content::Text(b)) if a.len() + b.len() <= super::expand::LONGEST => {
            Content::Text(format!("{a}{b}").into())
        }
        _ => Content::Unknown,
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
