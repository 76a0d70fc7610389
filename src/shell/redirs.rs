//! Redirects: where input comes from, where output goes, what files hold after it.

use super::ast::{Ast, Id, RedirNode, RedirOp, Run};
use super::simple::{Out, Plan};
use super::state::joined;
use super::value::Content;
use super::walk::Walker;
use super::{Command, Redirect, RedirectKind, Stdin, Word};
use std::path::PathBuf;
use std::rc::Rc;

impl Walker<'_> {
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
        let redirects = std::mem::replace(&mut self.redirects, command.redirects.clone().into());
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

    /// Notes what a file holds from here on.
    pub(super) fn write(&mut self, target: &Word, append: bool, content: Content) {
        let Some(path) = target.known().map(str::to_string) else {
            return;
        };
        if path == "/dev/null" {
            return;
        }
        let paths = self.places(&path);
        let sure = paths.len() == 1;
        for path in paths {
            if sure && !append {
                self.put_file(path, vec![content.clone()]);
                continue;
            }
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
        if let [dir] = self.state.dirs.as_slice() {
            let place = joined(dir.as_deref(), path);
            return vec![place.unwrap_or_else(|| PathBuf::from(path))];
        }
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
