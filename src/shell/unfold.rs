//! Commands that run other commands: `eval`, `.`, `trap`, wrappers, script files.

use super::capture::passes_output;
use super::flow;
use super::simple::{Bound, Out, Ready};
use super::state::{Life, joined, put};
use super::value::Args;
use super::walk::Walker;
use super::{Assign, Command, Inner, Opaque, Word};
use std::rc::Rc;

impl Walker<'_> {
    /// Runs a command that is no function; `builtins` when the shell itself looks it up.
    #[inline(never)]
    pub(super) fn run_program(&mut self, mut ready: Ready, builtins: bool) {
        let arrays = std::mem::take(&mut ready.arrays);
        // zsh looks `=name` up on its path, wherever it stands; in bash nothing is called so.
        let plain = |c: char| c.is_ascii_alphanumeric() || "._-".contains(c);
        for word in &mut ready.words {
            if let Some(name) = word.text.strip_prefix('=')
                && name.starts_with(|c: char| c.is_ascii_alphabetic())
                && name.chars().all(plain)
            {
                word.text = name.to_owned();
            }
        }
        let alias = ready.words.first().and_then(|w| self.alias_of(w, builtins));
        let (command, out) = self.build(&mut ready);
        let Some((value, sure)) = alias else {
            return self.run_named(command, out, arrays, &ready.bound, builtins);
        };
        if sure {
            return self.aliased(&value, command, out);
        }
        let mut fork = self.fork();
        self.aliased(&value, command.clone(), out.clone());
        self.or(&mut fork);
        self.run_named(command, out, arrays, &ready.bound, builtins);
        self.join(fork);
    }

    /// Runs a command by the name that it has after aliases.
    fn run_named(
        &mut self,
        mut command: Box<Command>,
        out: Out,
        arrays: Vec<Bound>,
        bound: &[Bound],
        builtins: bool,
    ) {
        let kind = match command.words.first().and_then(Word::known) {
            Some(name) if builtins => kind(name),
            _ => Kind::Program,
        };
        match kind {
            Kind::Prefix => return self.prefixed(command, out, bound),
            Kind::Eval | Kind::Source => {
                let before = self.begin_temporary(bound);
                if kind == Kind::Eval {
                    self.eval(command, out);
                } else {
                    self.source(command, out);
                }
                self.end_temporary(before);
                return;
            }
            Kind::Trap => return self.trap(command),
            Kind::Quiet => {
                self.output(&command, &out);
                return self.emit(command);
            }
            Kind::Effect => {
                // The step comes before the effect: `cd` runs where the shell was.
                self.output(&command, &out);
                self.emit(command.clone());
                return self.builtin(&command, arrays);
            }
            Kind::Program => {}
        }
        let inners = self.wrappers.unfold(&command);
        let script = if inners.is_empty() {
            self.program_file(&command)
        } else {
            Vec::new()
        };
        if inners.is_empty() && script.is_empty() {
            let found = self.recipes(&command);
            self.output(&command, &out);
            if found.is_empty() || !self.enter() {
                self.emit(command);
                return;
            }
            let shown = command.clone();
            self.emit(command);
            self.inside(&shown, &out, |w| {
                w.alternatives(found, |w, found| w.run_recipe(&shown, &found));
            });
            self.leave();
            return;
        }
        command.wrapper = true;
        let shown = command.clone();
        self.emit(command);
        if !passes_output(&shown) {
            self.output(&shown, &Out::Same);
        }
        if !self.enter() {
            return;
        }
        self.inside(&shown, &out, |w| {
            for inner in inners {
                w.inner(inner, &shown);
            }
            w.alternatives(script, |w, text| {
                let args = Args::of(shown.words.get(1..).unwrap_or(&[]));
                let word = shown.words.first().cloned().unwrap_or_default();
                w.environment(&shown.assigns, &[], |w| {
                    w.file_text(&text, &word, args);
                });
            });
        });
        self.leave();
    }

    /// `command`, `builtin`, `exec` in front of a command.
    fn prefixed(&mut self, mut command: Box<Command>, out: Out, bound: &[Bound]) {
        let name = command
            .words
            .first()
            .map_or(String::new(), |w| w.text.clone());
        let mut at = 1;
        let mut asks = false;
        while let Some(option) = command.words.get(at)
            && option.text.starts_with('-')
            && option.text.len() > 1
            && name != "builtin"
        {
            at += 1;
            if option.text == "--" {
                break;
            }
            asks |= name == "command" && option.text.contains(['v', 'V']);
            at += usize::from(name == "exec" && option.text.ends_with('a'));
        }
        let words: Vec<Word> = command.words.get(at..).unwrap_or(&[]).to_vec();
        if asks || words.is_empty() {
            self.output(&command, &out);
            self.emit(command);
            return;
        }
        command.wrapper = true;
        let shown = command.clone();
        self.emit(command);
        if !self.enter() {
            return;
        }
        let ready = Ready {
            words,
            span: shown.span,
            bound: bound.to_vec(),
            line: shown.origin.as_ref().map(|o| o.line),
            ..Ready::default()
        };
        self.inside(&shown, &out, |w| w.run_program(ready, name != "exec"));
        self.leave();
        if name == "exec" && self.state.life == Life::Here {
            self.leave_shell();
        }
    }

    fn eval(&mut self, mut command: Box<Command>, out: Out) {
        let mut text = Word {
            span: command.words.get(1).map_or(command.span, |w| w.span),
            ..Word::default()
        };
        for (i, word) in command.words.iter().skip(1).enumerate() {
            if i > 0 {
                text.text.push(' ');
            }
            text.text.push_str(&word.text);
            text.span.end = text.span.end.max(word.span.end);
        }
        command.wrapper = true;
        let shown = command.clone();
        self.unknown_text(&text);
        self.emit(command);
        self.inside(&shown, &out, |w| w.text_here(&text.text, text.span, None));
    }

    fn source(&mut self, mut command: Box<Command>, out: Out) {
        let mut args = command.words.get(1..).unwrap_or(&[]).to_vec();
        if args.first().is_some_and(|w| w.text == "--") {
            args.remove(0);
        }
        let Some(path) = args.first().cloned() else {
            self.emit(command);
            return;
        };
        command.wrapper = true;
        let shown = command.clone();
        self.emit(command);
        let texts = match path.known() {
            Some("/dev/stdin" | "/dev/fd/0" | "/proc/self/fd/0") => self.stdin_texts(&shown),
            _ => self.texts(&path, false, shown.span),
        };
        let own =
            (args.len() > 1).then(|| super::few::Few::from(Args::of(args.get(1..).unwrap_or(&[]))));
        self.inside(&shown, &out, |w| {
            w.alternatives(texts, |w, text| {
                let saved = own
                    .clone()
                    .map(|own| std::mem::replace(&mut w.state.args, own));
                w.push_frame(flow::Kind::Source);
                w.text_here(&text, path.span, Some(&path));
                w.pop_frame();
                if let Some(saved) = saved {
                    w.state.args = saved;
                }
            });
        });
    }

    fn trap(&mut self, command: Box<Command>) {
        let args: Vec<Word> = command.words.iter().skip(1).cloned().collect();
        let args: Vec<Word> = args.into_iter().filter(|w| w.text != "--").collect();
        self.emit(command);
        let (Some(text), signals) = (args.first(), args.get(1..).unwrap_or(&[])) else {
            return;
        };
        let at_exit = |w: &Word| {
            matches!(w.text.as_str(), "EXIT" | "0" | "exit" | "SIGEXIT") || w.opaque != Opaque::No
        };
        if text.text == "-" && text.opaque == Opaque::No && !self.unsure {
            if signals.iter().any(|w| at_exit(w) && w.opaque == Opaque::No) {
                self.state.traps = super::few::Few::default();
            }
            return;
        }
        if signals.is_empty() || text.text.starts_with('-') {
            return;
        }
        if signals.iter().any(at_exit) {
            let texts = match text.text.is_empty() {
                true => Vec::new(),
                false => vec![text.clone()],
            };
            self.state.traps = texts.into();
        }
        if !signals.iter().all(at_exit) && !text.text.is_empty() {
            let mut fork = self.fork();
            self.text_here(&text.text, text.span, None);
            self.or(&mut fork);
            self.join(fork);
        }
    }

    /// Walks what a wrapper runs.
    #[inline(never)]
    fn inner(&mut self, inner: Inner, outer: &Command) {
        match inner {
            Inner::Argv {
                words,
                assigns,
                unset,
                dir,
            } => {
                let all: Vec<Assign> = outer.assigns.iter().chain(&assigns).cloned().collect();
                let ready = Ready {
                    words,
                    span: outer.span,
                    line: outer.origin.as_ref().map(|o| o.line),
                    ..Ready::default()
                };
                self.environment(&all, &unset, |w| {
                    w.elsewhere(dir, |w| w.run_program(ready, false))
                });
            }
            Inner::Text {
                text,
                args,
                dir,
                assigns,
            } => {
                let all: Vec<Assign> = outer.assigns.iter().chain(&assigns).cloned().collect();
                let own = Args::of(args.get(1..).unwrap_or(&[]));
                self.unknown_text(&text);
                let text_of = text.text.clone();
                self.environment(&all, &[], |w| {
                    w.elsewhere(dir, |w| w.text_apart(&text_of, text.span, own, None));
                });
            }
            Inner::File { path, args } => {
                if matches!(path.known(), Some("/dev/stdin" | "/dev/fd/0")) {
                    self.stdin_script(outer, args);
                    return;
                }
                self.environment(&outer.assigns, &[], |w| w.file(&path, args, path.span));
            }
            Inner::Pwsh { text, file } => {
                self.environment(&outer.assigns, &[], |w| match file {
                    true => w.pwsh_file(&text, true),
                    false => w.pwsh_text(&text, true),
                });
            }
            Inner::Stdin { args } => {
                self.environment(&outer.assigns, &[], |w| w.stdin_script(outer, args));
            }
        }
    }

    /// Runs `f` with a changed environment.
    pub(super) fn environment(
        &mut self,
        assigns: &[Assign],
        unset: &[String],
        f: impl FnOnce(&mut Self),
    ) {
        if assigns.is_empty() && unset.is_empty() {
            f(self);
            return;
        }
        let saved = (Rc::clone(&self.state.exports), Rc::clone(&self.state.unset));
        for name in unset {
            self.state.unexport(name);
        }
        for assign in assigns {
            put(
                Rc::make_mut(&mut self.state.exports),
                &assign.name,
                assign.value.clone(),
            );
            Rc::make_mut(&mut self.state.unset).retain(|n| *n != assign.name);
        }
        f(self);
        (self.state.exports, self.state.unset) = saved;
    }

    /// Runs `f` in another directory.
    pub(super) fn elsewhere(&mut self, dir: Option<Word>, f: impl FnOnce(&mut Self)) {
        let Some(dir) = dir else {
            f(self);
            return;
        };
        let saved = Rc::clone(&self.state.dirs);
        let dirs = saved
            .iter()
            .map(|d| dir.known().and_then(|text| joined(d.as_deref(), text)))
            .collect();
        self.state.dirs = Rc::new(dirs);
        f(self);
        self.state.dirs = saved;
    }
}

/// How the shell itself looks at a program's name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// `command`, `builtin`, `exec`.
    Prefix,
    Eval,
    Source,
    Trap,
    /// A builtin that changes the shell.
    Effect,
    /// A builtin that changes nothing that is followed.
    Quiet,
    Program,
}

fn kind(name: &str) -> Kind {
    match name {
        "command" | "builtin" | "exec" => Kind::Prefix,
        "eval" => Kind::Eval,
        "." | "source" => Kind::Source,
        "trap" => Kind::Trap,
        "cd" | "pushd" | "popd" | "export" | "declare" | "typeset" | "local" | "readonly"
        | "unset" | "set" | "shift" | "read" | "mapfile" | "readarray" | "getopts" | "printf"
        | "let" | "alias" | "shopt" | "exit" | "return" | "break" | "continue" => Kind::Effect,
        ":" | "true" | "false" | "echo" | "test" | "[" | "pwd" | "unalias" | "umask" | "ulimit"
        | "wait" | "jobs" | "fg" | "bg" | "kill" | "hash" | "type" | "times" | "disown"
        | "history" | "dirs" | "caller" | "enable" | "help" | "suspend" | "bind" | "complete"
        | "compgen" | "compopt" | "fc" | "logout" => Kind::Quiet,
        _ => Kind::Program,
    }
}
