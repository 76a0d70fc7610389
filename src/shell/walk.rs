//! Walks a parsed script in running order and writes down what it would run.

use super::ast::{ArmNode, Ast, Id, Link, Node, Run};
use super::flow::{Frame, Kind};
use super::lexer::DEPTH;
use super::output::Capture;
use super::state::{Args, Life, State, Val, Value};
use super::{Files, Problem, Redirect, Script, Span, Start, Stdin, Step, Wrappers};
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
    pub(super) memo: Vec<(usize, Id, Val)>,
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
    pub(super) spent: bool,
    pub(super) depth: usize,
    pub(super) answers: u32,
    /// How many script files are being read.
    pub(super) reads: usize,
    /// How often the current place is walked, by loops around it.
    pub(super) turns: usize,
    /// The span of everything here, when the text is a nested one.
    pub(super) fixed: Option<Span>,
    pub(super) origin: Option<Rc<str>>,
    pub(super) stdin: Rc<Stdin>,
    pub(super) redirects: Rc<Vec<Redirect>>,
    /// Which capture standard output goes to.
    pub(super) out: Option<usize>,
}

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
            spent: false,
            depth: 0,
            answers: 0,
            reads: 0,
            turns: 1,
            fixed: None,
            origin: None,
            stdin: Rc::new(Stdin::Inherited),
            redirects: Rc::default(),
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

    /// Functions that nothing called: something that cannot be seen may call them.
    fn uncalled(&mut self, begin: State) {
        let mut at = 0;
        while let Some(body) = self.bodies.get(at) {
            if !body.called {
                let ended = self.state.life != Life::Here;
                if ended {
                    self.steps.insert(0, Step::Fork);
                    self.steps.push(Step::Or);
                    self.state = begin.clone();
                    self.call_body(at, Args::default());
                    self.steps.push(Step::Join);
                    self.state.life = Life::Ended;
                } else {
                    let mut fork = self.fork();
                    self.call_body(at, Args::default());
                    self.or(&mut fork);
                    self.join(fork);
                }
            }
            at += 1;
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
            let span = self.span(0, u32::MAX);
            self.problem("too much to follow", span, true);
        }
        !self.spent
    }

    /// Goes one construct deeper; false when that is too deep.
    pub(super) fn enter(&mut self) -> bool {
        if self.depth >= DEPTH {
            let span = self.span(0, u32::MAX);
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
                for item in items.of(&ast.items) {
                    if self.state.life != Life::Here {
                        break;
                    }
                    if item.background {
                        self.subshell(ast, item.node);
                    } else {
                        self.node(ast, item.node);
                    }
                }
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
        let saved = self.state.clone();
        self.push_frame(Kind::Shell);
        self.state.traps = Rc::default();
        saved
    }

    /// Only what a subshell did to files stays.
    pub(super) fn end_subshell(&mut self, saved: State) {
        self.run_traps();
        self.pop_frame();
        let files = Rc::clone(&self.state.files);
        self.state = saved;
        self.state.files = files;
    }

    #[inline(never)]
    fn and_or(&mut self, ast: &Rc<Ast>, first: Id, links: &[Link]) {
        let mut groups = 0usize;
        let mut after_or = false;
        for link in links {
            groups += usize::from(link.or && !after_or);
            after_or = link.or;
        }
        let mut chain: Vec<Id> = vec![first];
        let mut at = 0;
        while let Some(link) = links.get(at)
            && !link.or
        {
            chain.push(link.node);
            at += 1;
        }
        // Conditions in front change nothing: what follows forks after them.
        let mut conditions = 0;
        while let Some(node) = chain.get(conditions)
            && super::cond::is_condition(ast, *node)
            && self.state.life == Life::Here
        {
            self.node(ast, *node);
            conditions += 1;
        }
        if self.state.life != Life::Here {
            return;
        }
        let mut forks = Vec::new();
        for _ in 0..groups.min(8) {
            forks.push(self.fork());
        }
        let mut unsure = conditions > 0 && groups == 0;
        let mut nodes = chain.split_off(conditions);
        loop {
            self.chain(ast, &nodes, unsure);
            unsure = false;
            if at >= links.len() {
                break;
            }
            let mut fork = match forks.pop() {
                Some(fork) => fork,
                None => self.fork(),
            };
            while let Some(link) = links.get(at)
                && link.or
            {
                self.or(&mut fork);
                self.node(ast, link.node);
                at += 1;
            }
            self.join(fork);
            nodes.clear();
            while let Some(link) = links.get(at)
                && !link.or
            {
                nodes.push(link.node);
                at += 1;
            }
        }
        while let Some(fork) = forks.pop() {
            self.join(fork);
        }
    }

    /// `a && b && …`, taken to succeed; after a mere condition both are possible.
    fn chain(&mut self, ast: &Rc<Ast>, nodes: &[Id], mut unsure: bool) {
        let mut forks = Vec::new();
        let mut last = None;
        for node in nodes {
            if self.state.life != Life::Here || self.spent {
                break;
            }
            if unsure && forks.len() < 8 {
                forks.push(self.fork());
                last = None;
            }
            let start = (self.steps.len(), self.state.clone(), self.open);
            self.node(ast, *node);
            if self.state.life != Life::Here {
                if let Some((at, before, open)) = last.take() {
                    self.fork_late(at, before, open);
                }
                break;
            }
            unsure = super::cond::is_condition(ast, *node);
            last = Some(start);
        }
        while let Some(mut fork) = forks.pop() {
            self.or(&mut fork);
            self.join(fork);
        }
    }

    #[inline(never)]
    fn pipe(&mut self, ast: &Rc<Ast>, stages: &[Id]) {
        if let [one] = stages {
            self.node(ast, *one);
            return;
        }
        let (stdin, out) = (Rc::clone(&self.stdin), self.out);
        for (i, stage) in stages.iter().enumerate() {
            if i + 1 == stages.len() {
                self.out = out;
                self.subshell(ast, *stage);
                break;
            }
            self.out = Some(self.capture());
            self.subshell(ast, *stage);
            let fed = self.captured();
            self.stdin = Rc::new(fed.into_stdin(&self.stdin));
        }
        self.stdin = stdin;
        self.out = out;
    }

    #[inline(never)]
    fn branches(&mut self, ast: &Rc<Ast>, branches: Run, other: Option<Id>) {
        let mut forks = Vec::new();
        for branch in branches.of(&ast.branches) {
            self.node(ast, branch.cond);
            if self.state.life != Life::Here {
                break;
            }
            let mut fork = self.fork();
            self.node(ast, branch.body);
            self.or(&mut fork);
            forks.push(fork);
        }
        if let Some(other) = other {
            self.node(ast, other);
        }
        while let Some(fork) = forks.pop() {
            self.join(fork);
        }
    }

    /// A loop whose body runs any number of times.
    #[inline(never)]
    pub(super) fn repeat(&mut self, ast: &Rc<Ast>, cond: Option<Id>, body: Id) {
        self.push_frame(Kind::Loop);
        self.widen(ast, cond, body);
        if let Some(cond) = cond {
            self.node(ast, cond);
        }
        if self.state.life == Life::Here {
            let mut fork = self.fork();
            let open = self.open;
            self.node(ast, body);
            self.turn(open);
            self.or(&mut fork);
            self.join(fork);
        }
        self.pop_frame();
    }

    /// What a loop's body changes is not known when its next turn begins.
    fn widen(&mut self, ast: &Rc<Ast>, cond: Option<Id>, body: Id) {
        let mut touched = super::cond::Touched::default();
        for id in [cond, Some(body)].into_iter().flatten() {
            super::cond::touched(ast, id, 0, &mut touched);
        }
        self.spend(touched.cost);
        for name in touched.names {
            if let Some(var) = self.state.vars.get(name)
                && !var.values.contains(&Value::opaque())
            {
                let mut values = var.values.clone();
                values.push(Value::opaque());
                self.state.set(name, values);
            }
        }
        if touched.moves && !self.state.dirs.contains(&None) {
            Rc::make_mut(&mut self.state.dirs).push(None);
        }
    }

    #[inline(never)]
    fn for_each(&mut self, ast: &Rc<Ast>, name: Run, words: Option<Run>, body: Id, select: bool) {
        let mut list = Vec::new();
        let name = ast.text(name);
        match words {
            Some(words) => self.fields(ast, words.of(&ast.words), &mut list),
            None => {
                let args = Rc::clone(&self.state.args);
                list.extend(args.list.iter().map(super::state::word_of));
                if args.open {
                    list.push(super::Word {
                        text: "\u{1}".to_string(),
                        opaque: super::Opaque::Many,
                        ..Default::default()
                    });
                }
            }
        }
        let counted = list
            .iter()
            .all(|w| w.opaque != super::Opaque::Many && !w.glob);
        let turns = self.turns.saturating_mul(list.len().max(1));
        if select || !counted || list.len() > 16 || turns > 64 {
            let mut values: Vec<Value> = list
                .iter()
                .filter(|w| w.opaque == super::Opaque::No && !w.glob)
                .map(|w| Value::Text(Val::known(&w.text)))
                .collect();
            values.dedup();
            if !counted || values.len() < list.len() {
                values.push(Value::opaque());
            }
            self.state.set(name, values);
            self.repeat(ast, None, body);
            return;
        }
        self.push_frame(Kind::Loop);
        let saved = std::mem::replace(&mut self.turns, turns);
        for word in &list {
            if self.state.life != Life::Here || self.spent {
                break;
            }
            self.state.set(name, vec![Value::Text(Val::of(word))]);
            let open = self.open;
            self.node(ast, body);
            self.turn(open);
        }
        self.turns = saved;
        self.pop_frame();
    }

    #[inline(never)]
    fn case(&mut self, ast: &Rc<Ast>, word: Id, arms: &[ArmNode]) {
        self.single(ast, ast.word(word));
        if arms.is_empty() {
            return;
        }
        let mut fork = self.fork();
        for (i, arm) in arms.iter().enumerate() {
            if i > 0 {
                self.or(&mut fork);
            }
            for pattern in arm.patterns.of(&ast.words) {
                self.single(ast, *pattern);
            }
            self.node(ast, arm.body);
            let mut falls = arm.falls;
            for next in arms.iter().skip(i + 1).take(4) {
                if !falls {
                    break;
                }
                self.node(ast, next.body);
                falls = next.falls;
            }
        }
        if !arms.iter().any(|a| a.any) {
            self.or(&mut fork);
        }
        self.join(fork);
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
        Rc::make_mut(&mut self.state.funcs).insert(name, vec![Some(id)]);
    }
}
