//! Loops: over known lists turn by turn, else once, as a possibility.

use super::ast::{Ast, Id, Run};
use super::flow::Kind;
use super::state::Life;
use super::value::{Val, Value};
use super::walk::Walker;
use std::rc::Rc;

impl Walker<'_> {
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
    pub(super) fn for_each(
        &mut self,
        ast: &Rc<Ast>,
        name: Run,
        words: Option<Run>,
        body: Id,
        select: bool,
    ) {
        let mut list = Vec::new();
        let name = ast.text(name);
        match words {
            Some(words) => self.fields(ast, words.of(&ast.words), &mut list),
            None => {
                let args = self.state.args.clone();
                list.extend(args.list.iter().map(super::value::word_of));
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
        for (i, word) in list.iter().enumerate() {
            if self.state.life != Life::Here || self.spent {
                break;
            }
            let fuel = self.fuel;
            self.state.set(name, vec![Value::Text(Val::of(word))]);
            let open = self.open;
            self.node(ast, body);
            self.turn(open);
            // A body that costs too much is walked once more, for all that is left.
            let left = list.get(i + 1..).unwrap_or(&[]);
            let cost = (fuel - self.fuel).saturating_mul(left.len() as u64);
            if !left.is_empty() && cost > self.fuel / 2 && self.state.life == Life::Here {
                let values = left.iter().map(|w| Value::Text(Val::of(w))).collect();
                self.state.set(name, values);
                self.repeat(ast, None, body);
                break;
            }
        }
        self.turns = saved;
        self.pop_frame();
    }
}
