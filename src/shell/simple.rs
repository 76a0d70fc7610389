//! Simple commands: expansion with every combination of candidates, redirects, dispatch.

use super::ast::{Ast, Part, SimpleNode, WordNode};
use super::expand::is_identifier;
use super::value::{Content, Value};
use super::walk::{Pick, Walker};
use super::{Assign, Command, Opaque, Origin, Redirect, Span, Stdin, Step, Word};
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
        let assigns = node.assigns.of(&ast.assigns);
        // `a=1 b=$a` sees the first; they are set for good when the command runs.
        let before = (nodes.is_empty() && assigns.len() > 1).then(|| self.state.clone());
        for assign in assigns {
            let index = assign.index.map(|id| {
                self.arithmetic(ast, id);
                ast.literal(ast.word(id)).and_then(|t| t.parse().ok())
            });
            let mut bound = self.bound(ast, assign.value, ast.text(assign.name));
            bound.index = index;
            bound.append = assign.append;
            if before.is_some() {
                self.assign(bound.clone());
            }
            ready.bound.push(bound);
        }
        if before.is_some() {
            self.end_temporary(before);
        }
        self.spend(16 + nodes.len() as u64);
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
            checked: self.checked || self.state.errexit,
        })
    }

    pub(super) fn emit(&mut self, command: Box<Command>) {
        if self.steps.len() >= super::walk::STEPS {
            // The verdict is known by now: nobody reads so much.
            self.fuel = 0;
        }
        if self.spend(command.words.len() as u64) {
            self.steps.push(Step::Run(command));
        }
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
        let reads = match &ready.plan.stdin {
            Some(Stdin::File(path)) => Some(path.clone()),
            _ => None,
        };
        let (command, out) = self.build(&mut ready);
        if let (Some(path), true) = (reads, ready.bound.is_empty()) {
            // `$(<file)` is the file's text.
            let cat = Command {
                words: vec![
                    Word {
                        text: "cat".to_owned(),
                        ..Word::default()
                    },
                    path,
                ],
                ..(*command).clone()
            };
            self.output(&cat, &Out::Same);
        }
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
}
