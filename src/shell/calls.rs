//! Calls of functions: their arguments, their variables, their end.

use super::simple::{Bound, Ready};
use super::state::State;
use super::walk::Walker;
use std::rc::Rc;

impl Walker<'_> {
    #[inline(never)]
    pub(super) fn run_function(&mut self, bodies: &[Option<usize>], ready: Ready) {
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
        let args = super::value::Args::of(command.words.get(1..).unwrap_or(&[]));
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
    pub(super) fn call_body(&mut self, id: usize, args: super::value::Args) {
        let Some(body) = self.bodies.get_mut(id) else {
            return;
        };
        body.called = true;
        // A function that calls itself is walked a few times, at last with unknown arguments.
        let args = match body.active {
            0..=2 => args,
            3 => super::value::Args::default(),
            _ => return,
        };
        body.active += 1;
        let (ast, node) = (Rc::clone(&body.ast), body.node);
        let (fixed, origin) = (body.fixed, body.origin.clone());
        if self.spend(48) && self.enter() {
            let saved = (self.fixed, self.origin.clone());
            self.fixed = fixed;
            self.origin = origin;
            let outer = std::mem::replace(&mut self.state.args, args.into());
            self.locals.push(Vec::new());
            self.push_frame(super::flow::Kind::Function);
            self.node(&ast, node);
            self.pop_frame();
            for (name, var) in self.locals.pop().unwrap_or_default().into_iter().rev() {
                let vars = self.state.vars.change();
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
}
