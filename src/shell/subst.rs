//! Substitutions: run where they stand, with the value that their output would have.

use super::ast::{Ast, Id, Node, Part, WordNode};
use super::value::{Content, Val, Value};
use super::walk::Walker;
use super::{ANSWER_BASE, ANSWER_MAX, Command, Span, Stdin, Step};
use std::path::PathBuf;
use std::rc::Rc;

impl Walker<'_> {
    /// `$(…)`.
    pub(super) fn substitution(&mut self, ast: &Rc<Ast>, body: Id) -> Val {
        let place = (Rc::as_ptr(ast) as usize, body);
        if let Some(val) = self.pick.memo.get(&place) {
            return val.clone();
        }
        let val = self.run_substitution(ast, body);
        self.pick.memo.insert(place, val.clone());
        val
    }

    /// A backtick substitution that was parsed by itself.
    pub(super) fn unit_substitution(&mut self, unit: &Rc<Ast>, span: Span) -> Val {
        let fixed = self.fix(span);
        let val = self.substitution(unit, unit.root);
        self.fixed = fixed;
        val
    }

    #[inline(never)]
    fn run_substitution(&mut self, ast: &Rc<Ast>, body: Id) -> Val {
        if !self.enter() {
            return Val::opaque();
        }
        let first = self.steps.len();
        let (out, pick) = (self.out, std::mem::take(&mut self.pick));
        self.out = Some(self.capture());
        self.subshell(ast, body);
        let captured = self.captured();
        self.out = out;
        self.pick = pick;
        self.leave();
        if captured.known {
            return captured.into_val();
        }
        if matches!(ast.node(body), Node::Simple(_)) && self.steps.len() == first + 1 {
            return self.answer(first).unwrap_or_else(Val::opaque);
        }
        Val::opaque()
    }

    /// Numbers the command at `at` if facts may answer for its output.
    pub(super) fn answer(&mut self, at: usize) -> Option<Val> {
        let number = self.answers;
        let Some(Step::Run(command)) = self.steps.get_mut(at) else {
            return None;
        };
        if number >= ANSWER_MAX || command.wrapper || !is_question(command) {
            return None;
        }
        let mark = char::from_u32(ANSWER_BASE + number)?;
        command.answers = Some(number);
        self.answers += 1;
        Some(Val {
            text: mark.to_string().into(),
            splits: false,
        })
    }

    /// `<(…)` or `>(…)`: the path that stands for it.
    #[inline(never)]
    pub(super) fn process(&mut self, ast: &Rc<Ast>, body: Id, write: bool) -> String {
        let place = (Rc::as_ptr(ast) as usize, body);
        if let Some(val) = self.pick.memo.get(&place) {
            return val.text.to_string();
        }
        let path = format!("/dev/fd/{}", 63u32.saturating_sub(self.pick.procs));
        self.pick.procs += 1;
        let val = Val::known(&path);
        self.pick.memo.insert(place, val);
        if !self.enter() {
            return path;
        }
        let (out, stdin) = (self.out, Rc::clone(&self.stdin));
        let pick = std::mem::take(&mut self.pick);
        if write {
            self.stdin = Rc::new(Stdin::Pipe(Vec::new()));
            self.subshell(ast, body);
        } else {
            self.out = Some(self.capture());
            self.subshell(ast, body);
            let content = self.captured().into_content();
            self.put_file(PathBuf::from(&path), vec![content]);
        }
        self.stdin = stdin;
        self.out = out;
        self.pick = pick;
        self.leave();
        path
    }

    /// Sets what a file holds.
    pub(super) fn put_file(&mut self, path: PathBuf, contents: Vec<Content>) {
        self.state.files.change().insert(path, contents);
    }

    /// Runs what arithmetic holds and forgets the variables that it assigns.
    pub(super) fn arithmetic(&mut self, ast: &Rc<Ast>, word: Id) {
        let word = ast.word(word);
        self.single(ast, word);
        self.forget_assigned(ast, word);
    }

    fn forget_assigned(&mut self, ast: &Rc<Ast>, word: WordNode) {
        for part in ast.parts(word) {
            if let Part::Text { run, .. } = part {
                self.forget_in(ast.text(*run));
            }
        }
    }

    /// Forgets every variable that stands beside an assigning operator.
    pub(super) fn forget_in(&mut self, text: &str) {
        let bytes = text.as_bytes();
        let mut at = 0;
        while let Some(&b) = bytes.get(at) {
            if !super::dollar::is_name_start(b) {
                at += 1;
                continue;
            }
            let from = at;
            while bytes.get(at).is_some_and(|b| super::dollar::is_name(*b)) {
                at += 1;
            }
            let name = text.get(from..at).unwrap_or("");
            let after = text.get(at..).unwrap_or("").trim_start();
            let before = text.get(..from).unwrap_or("").trim_end();
            let operator =
                after.trim_start_matches(['+', '-', '*', '/', '%', '&', '|', '^', '<', '>']);
            let assigned = operator.starts_with('=') && !operator.starts_with("==")
                || after.starts_with("++")
                || after.starts_with("--")
                || before.ends_with("++")
                || before.ends_with("--");
            if assigned {
                self.state.set(name, vec![Value::Text(Val::number())]);
            }
        }
    }
}

/// The closed table of read-only questions that facts may answer.
fn is_question(command: &Command) -> bool {
    let mut words: Vec<&str> = command
        .words
        .iter()
        .map(|w| w.known().unwrap_or("\u{1}"))
        .collect();
    if !command.assigns.is_empty() {
        return false;
    }
    while words.first() == Some(&"git") && words.get(1) == Some(&"-C") && words.len() > 3 {
        words.drain(1..3);
    }
    matches!(
        words.as_slice(),
        ["pwd"]
            | ["git", "branch", "--show-current"]
            | [
                "git",
                "rev-parse",
                "--show-toplevel" | "--git-common-dir" | "--git-dir"
            ]
            | ["git", "rev-parse", "--abbrev-ref", "HEAD"]
            | ["git", "remote", "get-url", _]
            | ["git", "remote", "get-url", "--push", _]
            | ["git", "symbolic-ref", "HEAD"]
            | ["git", "symbolic-ref", "--short" | "-q", "HEAD"]
            | ["git", "symbolic-ref", "--short", "-q", "HEAD"]
            | ["git", "symbolic-ref", "-q", "--short", "HEAD"]
    )
}
