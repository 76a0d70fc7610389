//! Forks, joins and jumps: which alternatives there are, and where those meet that leave early.

use super::Step;
use super::state::{Life, State};
use super::walk::Walker;

/// A fork that is being written.
pub(super) struct Fork {
    /// Where its [`Step::Fork`] stands.
    start: usize,
    base: State,
    merged: Option<State>,
    /// Where each alternative begins and ends, and how it ended.
    ends: Vec<(usize, usize, Life)>,
    from: usize,
    open: usize,
}

/// What a jump leaves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Loop,
    Function,
    /// A sourced file.
    Source,
    Shell,
}

/// A loop, function or shell that is being walked.
pub(super) struct Frame {
    pub(super) kind: Kind,
    /// The states that left for its end.
    exits: Option<State>,
    /// The states that left for its next turn.
    turns: Option<State>,
    open: usize,
}

impl Walker<'_> {
    pub(super) fn fork(&mut self) -> Fork {
        let start = self.steps.len();
        self.steps.push(Step::Fork);
        self.fork_at(start)
    }

    fn fork_at(&mut self, start: usize) -> Fork {
        self.forks += 1;
        Fork {
            start,
            base: self.state.clone(),
            merged: None,
            ends: Vec::new(),
            from: start + 1,
            open: self.open,
        }
    }

    /// Ends an alternative and begins the next from the state at the fork.
    pub(super) fn or(&mut self, fork: &mut Fork) {
        self.end_alternative(fork);
        self.steps.push(Step::Or);
        fork.from = self.steps.len();
        self.state = fork.base.clone();
    }

    fn end_alternative(&mut self, fork: &mut Fork) {
        self.close(fork.open);
        fork.ends
            .push((fork.from, self.steps.len(), self.state.life));
        if self.state.life == Life::Here {
            match &mut fork.merged {
                Some(merged) => {
                    self.spend(merged.distance(&self.state));
                    merged.meet(&self.state);
                }
                None => fork.merged = Some(self.state.clone()),
            }
        }
    }

    /// Ends the last alternative and the fork.
    pub(super) fn join(&mut self, mut fork: Fork) {
        self.end_alternative(&mut fork);
        self.forks = self.forks.saturating_sub(1);
        let left = fork.ends.iter().filter(|e| e.2 == Life::Left).count();
        let live = fork.ends.iter().filter(|e| e.2 == Life::Here).count();
        match fork.merged {
            Some(merged) => self.state = merged,
            None => {
                self.state.life = if left > 0 { Life::Left } else { Life::Ended };
            }
        }
        if left == 0 || live == 0 {
            self.steps.push(Step::Join);
            return;
        }
        // What leaves early must not meet what goes on: the rest of the loop, function or shell
        // belongs to the last alternative, and the join comes at its end.
        self.open += 1;
        let in_place = live == 1 && fork.ends.last().is_some_and(|e| e.2 == Life::Here);
        if in_place {
            return;
        }
        let tail = self.steps.split_off(fork.start + 1);
        let segments: Vec<(Vec<Step>, Life)> = {
            let mut rest = tail.into_iter();
            let mut at = fork.start + 1;
            let mut segments = Vec::new();
            for (from, to, life) in &fork.ends {
                for _ in at..*from {
                    rest.next();
                }
                segments.push((rest.by_ref().take(to - from).collect(), *life));
                at = *to;
            }
            segments
        };
        let mut going = Vec::new();
        for (steps, life) in segments {
            if life == Life::Here {
                going.push(steps);
            } else {
                self.steps.extend(steps);
                self.steps.push(Step::Or);
            }
        }
        let several = going.len() > 1;
        if several {
            self.steps.push(Step::Fork);
        }
        for (i, steps) in going.into_iter().enumerate() {
            if i > 0 {
                self.steps.push(Step::Or);
            }
            self.steps.extend(steps);
        }
        if several {
            self.steps.push(Step::Join);
        }
    }

    /// Writes the joins that were put off since `open`.
    pub(super) fn close(&mut self, open: usize) {
        while self.open > open {
            self.steps.push(Step::Join);
            self.open -= 1;
        }
    }

    /// What stands from `start` on has just left early although nothing forked: it becomes an
    /// alternative to going on from `before`.
    pub(super) fn fork_late(&mut self, start: usize, before: State, open: usize) {
        self.close(open);
        let life = self.state.life;
        self.steps.insert(start.min(self.steps.len()), Step::Fork);
        self.steps.push(Step::Or);
        if life == Life::Left {
            self.open += 1;
        } else {
            self.steps.push(Step::Join);
        }
        self.state = before;
    }

    pub(super) fn push_frame(&mut self, kind: Kind) {
        self.frames.push(Frame {
            kind,
            exits: None,
            turns: None,
            open: self.open,
        });
    }

    /// Ends the innermost frame: those that left for its end arrive.
    pub(super) fn pop_frame(&mut self) {
        let Some(frame) = self.frames.pop() else {
            return;
        };
        self.close(frame.open);
        for arrived in [frame.turns, frame.exits].into_iter().flatten() {
            self.arrive(arrived);
        }
    }

    /// Ends one turn of a loop, begun when `open` joins were put off.
    pub(super) fn turn(&mut self, open: usize) {
        self.close(open);
        if let Some(turns) = self.frames.last_mut().and_then(|f| f.turns.take()) {
            self.arrive(turns);
        }
    }

    fn arrive(&mut self, state: State) {
        if self.state.life == Life::Here {
            self.spend(state.distance(&self.state));
            self.state.meet(&state);
        } else {
            self.state = state;
        }
    }

    /// Leaves `levels` loops, or starts the next turn of the outermost of them.
    pub(super) fn leave_loops(&mut self, levels: usize, again: bool) {
        let mut seen = 0;
        let mut target = None;
        for (i, frame) in self.frames.iter().enumerate().rev() {
            if frame.kind != Kind::Loop {
                break;
            }
            seen += 1;
            target = Some(i);
            if seen >= levels.max(1) {
                break;
            }
        }
        if let Some(target) = target {
            self.jump(target, again);
        }
    }

    /// `return`: true when there was something to return from.
    pub(super) fn leave_function(&mut self) -> bool {
        let target = self
            .frames
            .iter()
            .rposition(|f| f.kind != Kind::Loop)
            .filter(|&i| self.frames.get(i).is_some_and(|f| f.kind != Kind::Shell));
        if let Some(target) = target {
            self.jump(target, false);
        }
        target.is_some()
    }

    /// `exit`, `exec`.
    pub(super) fn leave_shell(&mut self) {
        match self.frames.iter().rposition(|f| f.kind == Kind::Shell) {
            Some(0) | None => {
                self.steps.push(Step::End);
                self.state.life = Life::Ended;
            }
            Some(target) => self.jump(target, false),
        }
    }

    fn jump(&mut self, target: usize, again: bool) {
        let mut state = self.state.clone();
        self.state.life = Life::Left;
        if let Some(frame) = self.frames.get_mut(target) {
            let slot = if again {
                &mut frame.turns
            } else {
                &mut frame.exits
            };
            match slot {
                Some(there) => there.meet(&state),
                None => {
                    state.life = Life::Here;
                    *slot = Some(state);
                }
            }
        }
    }
}
