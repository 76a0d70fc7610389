//! What can be told of a command by looking at it: is it a mere condition, what would a loop change.

use super::ast::{Ast, Id, Node, Part, Run, WordNode};
use std::rc::Rc;

/// Whether a command only asks: whether it succeeds is not known, and failing is no trouble.
pub(super) fn is_condition(ast: &Ast, id: Id) -> bool {
    match ast.node(id) {
        Node::Test(_) | Node::Arith(_) => true,
        Node::Pipe { stages, negated } => {
            negated
                || stages
                    .of(&ast.stages)
                    .last()
                    .is_some_and(|last| is_condition(ast, *last))
        }
        Node::Redirected { body, .. } => matches!(ast.node(body), Node::Test(_) | Node::Arith(_)),
        Node::Simple(simple) => {
            let words = simple.words.of(&ast.words);
            let mut texts = words.iter().map(|w| ast.literal(*w).unwrap_or(""));
            match texts.next() {
                Some(
                    "[" | "test" | "diff" | "cmp" | "false" | "type" | "which" | "hash" | "let",
                ) => true,
                Some("command") => texts.next().is_some_and(|t| t == "-v" || t == "-V"),
                Some("grep" | "egrep" | "fgrep" | "rg") => texts.any(|t| {
                    t == "--quiet"
                        || t == "--silent"
                        || t.starts_with('-') && !t.starts_with("--") && t.contains('q')
                }),
                _ => false,
            }
        }
        _ => false,
    }
}

/// What a loop's body would change for its next turn.
#[derive(Default)]
pub(super) struct Touched<'t> {
    pub(super) names: Vec<&'t str>,
    /// It changes directory, seen from where it is.
    pub(super) moves: bool,
    pub(super) cost: u64,
}

pub(super) fn touched<'t>(ast: &'t Rc<Ast>, id: Id, depth: usize, out: &mut Touched<'t>) {
    out.cost += 1;
    if depth > 2 * super::lexer::DEPTH || out.names.len() > 64 {
        return;
    }
    let mut go = |id: Id| touched(ast, id, depth + 1, out);
    match ast.node(id) {
        Node::Simple(simple) => simple_touches(ast, simple.words, simple.assigns, out),
        Node::List(items) => items.of(&ast.items).iter().for_each(|i| go(i.node)),
        Node::AndOr { first, rest } => {
            go(first);
            rest.of(&ast.links).iter().for_each(|l| go(l.node));
        }
        Node::Pipe { stages, .. } => {
            if let [one] = stages.of(&ast.stages) {
                go(*one);
            }
        }
        Node::Group(body) | Node::Redirected { body, .. } | Node::ForArith { body, .. } => go(body),
        Node::If { branches, other } => {
            for branch in branches.of(&ast.branches) {
                go(branch.cond);
                go(branch.body);
            }
            other.into_iter().for_each(go);
        }
        Node::While { cond, body } => {
            go(cond);
            go(body);
        }
        Node::For { name, body, .. } => {
            go(body);
            out.names.push(ast.text(name));
        }
        Node::Case { arms, .. } => arms.of(&ast.arms).iter().for_each(|a| go(a.body)),
        Node::Arith(word) => words_in(ast, ast.word(word), out),
        Node::Subshell(_) | Node::Coproc(_) | Node::Function { .. } | Node::Test(_) => {}
    }
}

fn simple_touches<'t>(ast: &'t Rc<Ast>, words: Run, assigns: Run, out: &mut Touched<'t>) {
    let words = words.of(&ast.words);
    let Some(program) = words.first() else {
        out.names
            .extend(assigns.of(&ast.assigns).iter().map(|a| ast.text(a.name)));
        return;
    };
    match ast.literal(*program) {
        Some("cd") => {
            let absolute = words
                .get(1)
                .and_then(|w| match ast.parts(*w).first() {
                    Some(Part::Text { run, .. }) => Some(ast.text(*run).starts_with('/')),
                    _ => None,
                })
                .unwrap_or(false);
            out.moves |= !absolute;
        }
        Some("pushd" | "popd") => out.moves = true,
        Some(
            "export" | "declare" | "typeset" | "local" | "readonly" | "read" | "mapfile"
            | "readarray" | "getopts" | "printf" | "let" | "unset",
        ) => {
            for word in words.iter().skip(1) {
                words_in(ast, *word, out);
            }
        }
        _ => {}
    }
}

/// Every identifier in the literal text of a word.
fn words_in<'t>(ast: &'t Rc<Ast>, word: WordNode, out: &mut Touched<'t>) {
    for part in ast.parts(word) {
        if let Part::Text { run, .. } = part {
            let text = ast.text(*run);
            let names = text.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_'));
            out.names
                .extend(names.filter(|n| super::expand::is_identifier(n)).take(16));
        }
    }
}
