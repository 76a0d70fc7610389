//! Walks a parsed script in running order and writes down what it would run.

use super::ast::{Ast, Id, Node, Run};
use super::capture::Capture;
use super::few::Few;
use super::flow::{Frame, Kind};
use super::lexer::DEPTH;
use super::state::{Life, State};
use super::value::{Args, Val};
use super::{Files, Problem, Redirect, Script, Span, Start, Stdin, Step, Wrappers};
use std::collections::BTreeMap;
use std::rc::Rc;

/// A function's body, and where it was written.
pub(super) struct Body {
    pub(super) ast: Rc<Ast>,
    pub(super) node: Id,
    pub(super) fixed: Option<Span>,
    pub(super) origin: Option<Rc<str>>,
    pub(super) called: bool,
    pub(super) active: u8,
}

/// What has several candidates within one command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Key {
    Var(Rc<str>),
    /// Whether a bare `$name` is all of an array, as in zsh, or its first element, as in bash.
    Whole(Rc<str>),
    /// Whether the operand of this `${…}` is taken.
    Param(usize, Id),
}

/// Which candidates a command is being expanded with.
#[derive(Default)]
pub(super) struct Pick {
    /// Several may be tried; else a value with several candidates is unknown.
    pub(super) on: bool,
    pub(super) picked: Vec<(Key, usize, usize)>,
    /// What substitutions gave: they run once.
    pub(super) memo: BTreeMap<(usize, Id), Val>,
    /// How many process substitutions this command has had.
    pub(super) procs: u32,
}

/// The abstract shell.
pub(super) struct Walker<'a> {
    pub(super) wrappers: &'a dyn Wrappers,
    pub(super) files: &'a dyn Files,
    pub(super) start: &'a Start,
    pub(super) steps: Vec<Step>,
    pub(super) problems: Vec<Problem>,
    pub(super) state: State,
    pub(super) frames: Vec<Frame>,
    /// How many joins are put off.
    pub(super) open: usize,
    /// How many forks are around.
    pub(super) forks: usize,
    pub(super) captures: Vec<Capture>,
    pub(super) bodies: Vec<Body>,
    /// Variables to restore when a function returns.
    pub(super) locals: Vec<Vec<(Rc<str>, Option<super::state::Var>)>>,
    pub(super) pick: Pick,
    pub(super) fuel: u64,
    /// How long the text is.
    length: u32,
    pub(super) spent: bool,
    /// What is left for commands of build files: these are followed as far as that goes, and what
    /// stays unread is as unknown as any program's doing.
    pub(super) recipes: u64,
    /// It is a build file's commands that are walked.
    pub(super) in_recipe: bool,
    /// What came before on this line may have failed: a function defined here may be missing.
    pub(super) unsure: bool,
    pub(super) depth: usize,
    pub(super) answers: u32,
    /// Whether it is looked at how the command that is walked ends.
    pub(super) checked: bool,
    /// How many script files are being read.
    pub(super) reads: usize,
    /// How often the current place is walked, by loops around it.
    pub(super) turns: usize,
    /// The span of everything here, when the text is a nested one.
    pub(super) fixed: Option<Span>,
    pub(super) origin: Option<Rc<str>>,
    pub(super) stdin: Rc<Stdin>,
    pub(super) redirects: Few<Vec<Redirect>>,
    /// Which capture standard output goes to.
    pub(super) out: Option<usize>,
}

/// How many steps a script may have; more is cut and told.
pub(super) const STEPS: usize = 10_000;

impl<'a> Walker<'a> {
    pub(super) fn new(
        start: &'a Start,
        wrappers: &'a dyn Wrappers,
        files: &'a dyn Files,
        length: usize,
    ) -> Walker<'a> {
        let state = State {
            dirs: Rc::new(vec![start.cwd.clone()]),
            old: Rc::new(vec![None]),
            ..State::default()
        };
        Walker {
            wrappers,
            files,
            start,
            steps: Vec::new(),
            problems: Vec::new(),
            state,
            frames: Vec::new(),
            open: 0,
            forks: 0,
            captures: Vec::new(),
            bodies: Vec::new(),
            locals: Vec::new(),
            pick: Pick::default(),
            fuel: (length as u64).saturating_mul(64).saturating_add(50_000),
            length: length as u32,
            spent: false,
            recipes: super::recipes::FUEL,
            in_recipe: false,
            unsure: false,
            depth: 0,
            answers: 0,
            checked: false,
            reads: 0,
            turns: 1,
            fixed: None,
            origin: None,
            stdin: Rc::new(Stdin::Inherited),
            redirects: Few::default(),
            out: None,
        }
    }

    /// Walks the whole script.
    pub(super) fn script(mut self, ast: Rc<Ast>) -> Script {
        let begin = self.state.clone();
        self.push_frame(Kind::Shell);
        let root = ast.root;
        self.node(&ast, root);
        self.close_script(begin)
    }

    /// What comes after the last command.
    pub(super) fn close_script(mut self, begin: State) -> Script {
        self.run_traps();
        self.uncalled(begin);
        self.pop_frame();
        Script {
            steps: self.steps,
            problems: self.problems,
        }
    }

    /// Functions that nothing called: something that cannot be seen may call them. Where the
    /// script has ended they are an alternative to all of it.
    fn uncalled(&mut self, begin: State) {
        let ended = self.state.life != Life::Here;
        let mut any = false;
        let mut at = 0;
        while let Some(body) = self.bodies.get(at) {
            if !body.called {
                if ended {
                    if !any {
                        self.steps.insert(0, Step::Fork);
                    }
                    self.steps.push(Step::Or);
                    self.state = begin.clone();
                    self.call_body(at, Args::default());
                } else {
                    let mut fork = self.fork();
                    self.call_body(at, Args::default());
                    self.or(&mut fork);
                    self.join(fork);
                }
                any = true;
            }
            at += 1;
        }
        if ended && any {
            self.steps.push(Step::Join);
        }
    }

    /// The span of something in the text that is being walked.
    pub(super) fn span(&self, start: u32, end: u32) -> Span {
        self.fixed.unwrap_or(Span {
            start: start as usize,
            end: end as usize,
        })
    }

    /// Gives everything the span of the word that brought it in; gives back what to restore.
    pub(super) fn fix(&mut self, span: Span) -> Option<Span> {
        let saved = self.fixed;
        self.fixed = saved.or(Some(span));
        saved
    }

    pub(super) fn problem(&mut self, what: &'static str, span: Span, cut: bool) {
        let problem = Problem { what, span, cut };
        if self.problems.len() < 256 && !self.problems.contains(&problem) {
            self.problems.push(problem);
        }
    }

    /// Uses up fuel; false when there is none left.
    pub(super) fn spend(&mut self, units: u64) -> bool {
        self.fuel = self.fuel.saturating_sub(units);
        if self.fuel == 0 && !self.spent {
            self.spent = true;
            let span = self.span(0, self.length);
            if !self.in_recipe {
                self.problem("too much to follow", span, true);
            }
        }
        !self.spent
    }

    /// Goes one construct deeper; false when that is too deep.
    pub(super) fn enter(&mut self) -> bool {
        if self.depth >= DEPTH {
            let span = self.span(0, self.length);
            self.problem("nested deeper than 48", span, true);
            return false;
        }
        self.depth += 1;
        true
    }

    pub(super) fn leave(&mut self) {
        self.depth = self.depth.saturating_sub(1);
    }

    /// Which of `n` candidates to use; `None` when the value counts as unknown.
    pub(super) fn choose(&mut self, key: Key, n: usize) -> Option<usize> {
        if let Some((_, at, _)) = self.pick.picked.iter().find(|(k, _, _)| *k == key) {
            return Some(*at);
        }
        if !self.pick.on {
            return None;
        }
        self.pick.picked.push((key, 0, n));
        Some(0)
    }

    pub(super) fn node(&mut self, ast: &Rc<Ast>, id: Id) {
        if self.state.life != Life::Here || !self.spend(1) {
            return;
        }
        match ast.node(id) {
            Node::Simple(simple) => self.simple(ast, &simple),
            Node::List(items) => {
                let (outer, last) = (self.checked, items.of(&ast.items).len());
                for (at, item) in items.of(&ast.items).iter().enumerate() {
                    self.checked = outer && at + 1 == last;
                    if self.state.life != Life::Here {
                        break;
                    }
                    if item.background {
                        self.subshell(ast, item.node);
                    } else {
                        self.node(ast, item.node);
                    }
                }
                self.checked = outer;
            }
            Node::AndOr { first, rest } => self.and_or(ast, first, rest.of(&ast.links)),
            other => self.compound(ast, other),
        }
    }

    #[inline(never)]
    fn compound(&mut self, ast: &Rc<Ast>, node: Node) {
        if !self.enter() {
            return;
        }
        match node {
            Node::Pipe { stages, .. } => self.pipe(ast, stages.of(&ast.stages)),
            Node::Subshell(body) | Node::Coproc(body) => self.subshell(ast, body),
            Node::Group(body) => self.node(ast, body),
            Node::If { branches, other } => self.branches(ast, branches, other),
            Node::While { cond, body } => self.repeat(ast, Some(cond), body),
            Node::For {
                name,
                words,
                body,
                select,
            } => self.for_each(ast, name, words, body, select),
            Node::ForArith { word, body } => {
                self.arithmetic(ast, word);
                self.repeat(ast, None, body);
            }
            Node::Case { word, arms } => self.case(ast, word, arms.of(&ast.arms)),
            Node::Function { name, body } => self.define(ast, name, body),
            Node::Arith(word) => self.arithmetic(ast, word),
            Node::Test(words) => {
                for word in words.of(&ast.words) {
                    self.single(ast, *word);
                }
            }
            Node::Redirected {
                body,
                redirs,
                start,
                end,
            } => self.redirected(ast, body, redirs, (start, end)),
            Node::Simple(_) | Node::List(_) | Node::AndOr { .. } => {}
        }
        self.leave();
    }

    /// Runs a node in a shell of its own.
    #[inline(never)]
    pub(super) fn subshell(&mut self, ast: &Rc<Ast>, body: Id) {
        let saved = self.begin_subshell();
        self.node(ast, body);
        self.end_subshell(saved);
    }

    pub(super) fn begin_subshell(&mut self) -> State {
        self.spend(16);
        let saved = self.state.clone();
        self.push_frame(Kind::Shell);
        self.state.traps = Few::default();
        saved
    }

    /// Only what a subshell did to files stays.
    pub(super) fn end_subshell(&mut self, saved: State) {
        self.run_traps();
        self.pop_frame();
        let files = self.state.files.clone();
        self.state = saved;
        self.state.files = files;
    }

    fn define(&mut self, ast: &Rc<Ast>, name: Run, body: Id) {
        let id = self.bodies.len();
        self.bodies.push(Body {
            ast: Rc::clone(ast),
            node: body,
            fixed: self.fixed,
            origin: self.origin.clone(),
            called: false,
            active: 0,
        });
        let name: Rc<str> = ast.text(name).into();
        let mut bodies = vec![Some(id)];
        if self.unsure {
            let before = self.state.funcs.get(&name).cloned();
            bodies.extend(before.unwrap_or_else(|| vec![None]));
        }
        self.state.funcs.change().insert(name, bodies);
    }
}
