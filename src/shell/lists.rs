//! `&&`, `||`, pipes, `if` and `case`: which commands run after which.

use super::ast::{ArmNode, Ast, Id, Link, Run};
use super::state::Life;
use super::walk::Walker;
use std::rc::Rc;

impl Walker<'_> {
    #[inline(never)]
    pub(super) fn and_or(&mut self, ast: &Rc<Ast>, first: Id, links: &[Link]) {
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
        let mut nodes = chain;
        nodes.drain(..conditions);
        loop {
            self.chain(ast, &nodes, unsure, at < links.len());
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
    fn chain(&mut self, ast: &Rc<Ast>, nodes: &[Id], mut unsure: bool, followed: bool) {
        let outer = self.checked;
        let mut forks = Vec::new();
        let mut last = None;
        for (i, node) in nodes.iter().enumerate() {
            if self.state.life != Life::Here || self.spent {
                break;
            }
            if unsure && forks.len() < 8 {
                forks.push(self.fork());
                last = None;
            }
            let start = (self.steps.len(), self.state.clone(), self.open);
            let sure = self.unsure;
            self.unsure |= i > 0;
            self.checked = outer || followed || i + 1 < nodes.len();
            self.node(ast, *node);
            self.checked = outer;
            self.unsure = sure;
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
    pub(super) fn pipe(&mut self, ast: &Rc<Ast>, stages: &[Id]) {
        if let [one] = stages {
            self.node(ast, *one);
            return;
        }
        let (stdin, out) = (Rc::clone(&self.stdin), self.out);
        for (i, stage) in stages.iter().enumerate() {
            if i + 1 == stages.len() {
                self.out = out;
                self.subshell(ast, *stage);
                self.read_in_last(ast, *stage);
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

    /// `… | read NAME`: with `lastpipe` the last stage runs in this shell, and `NAME` is set.
    fn read_in_last(&mut self, ast: &Rc<Ast>, stage: Id) {
        if !self.state.lastpipe {
            return;
        }
        let super::ast::Node::Simple(simple) = ast.node(stage) else {
            return;
        };
        let mut words = simple.words.of(&ast.words).iter().map(|w| ast.literal(*w));
        let reads = |w: &str| matches!(w, "read" | "mapfile" | "readarray");
        if !words.next().flatten().is_some_and(reads) {
            return;
        }
        for name in words.flatten().filter(|w| super::expand::is_identifier(w)) {
            self.state.set(name, vec![super::value::Value::opaque()]);
        }
    }

    #[inline(never)]
    pub(super) fn branches(&mut self, ast: &Rc<Ast>, branches: Run, other: Option<Id>) {
        let mut forks = Vec::new();
        for branch in branches.of(&ast.branches) {
            let outer = std::mem::replace(&mut self.checked, true);
            self.node(ast, branch.cond);
            self.checked = outer;
            if self.state.life != Life::Here {
                break;
            }
            let mut fork = self.fork();
            self.node(ast, branch.body);
            self.or(&mut fork);
            if forks.len() < super::flow::NESTED {
                forks.push(fork);
            } else {
                self.join(fork);
            }
        }
        if let Some(other) = other {
            self.node(ast, other);
        }
        while let Some(fork) = forks.pop() {
            self.join(fork);
        }
    }

    #[inline(never)]
    pub(super) fn case(&mut self, ast: &Rc<Ast>, word: Id, arms: &[ArmNode]) {
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
}
