//! Commands that run other commands: `eval`, `.`, `trap`, wrappers, script files.

use super::ast::Ast;
use super::flow::Kind;
use super::lexer::Parser;
use super::simple::{Bound, Out, Ready};
use super::state::{Args, Content, Life, State, joined, put};
use super::walk::Walker;
use super::{Assign, Command, Inner, OPAQUE, Opaque, Script, Source, Span, Stdin, Step, Word};
use std::path::PathBuf;
use std::rc::Rc;

/// Programs that print commands for the caller's shell to evaluate.
const SETUP: &[&str] = &[
    "ssh-agent",
    "gpg-agent",
    "keychain",
    "dircolors",
    "direnv",
    "brew",
    "pyenv",
    "rbenv",
    "nodenv",
    "goenv",
    "jenv",
    "tfenv",
    "fnm",
    "mise",
    "rtx",
    "asdf",
    "starship",
    "zoxide",
    "atuin",
    "opam",
    "conda",
    "mamba",
    "micromamba",
    "docker-machine",
    "minikube",
    "luarocks",
    "register-python-argcomplete",
    "thefuck",
    "lesspipe",
    "poetry",
    "pipenv",
    "aws",
    "gh",
    "kubectl",
    "helm",
    "npm",
    "fzf",
    "vault",
    "resize",
    "perl",
    "getopt",
];

/// How deep script files may run each other.
const FILES: usize = 3;

impl Walker<'_> {
    /// Runs a command that is no function; `builtins` when the shell itself looks it up.
    #[inline(never)]
    pub(super) fn run_program(&mut self, mut ready: Ready, builtins: bool) {
        let arrays = std::mem::take(&mut ready.arrays);
        let alias = ready.words.first().and_then(|w| self.alias_of(w, builtins));
        let (mut command, out) = self.build(&mut ready);
        if let Some(value) = alias {
            return self.aliased(&value, command, out);
        }
        let name = match command.words.first().and_then(Word::known) {
            Some(name) if builtins => name.to_string(),
            _ => String::new(),
        };
        match name.as_str() {
            "command" | "builtin" | "exec" => {
                return self.prefixed(&name, command, out, &ready.bound);
            }
            "eval" | "." | "source" => {
                let before = self.begin_temporary(&ready.bound);
                if name == "eval" {
                    self.eval(command, out);
                } else {
                    self.source(command, out);
                }
                self.end_temporary(before);
                return;
            }
            "trap" => return self.trap(command),
            _ => {}
        }
        if !name.is_empty() && self.builtin_here(&name, &command, &out, arrays) {
            return;
        }
        let inners = self.wrappers.unfold(&command);
        let script = if inners.is_empty() {
            self.program_file(&command)
        } else {
            Vec::new()
        };
        if inners.is_empty() && script.is_empty() {
            self.output(&command, &out);
            self.emit(command);
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

    /// What the alias of that name stands for, where aliases count.
    fn alias_of(&self, word: &Word, builtins: bool) -> Option<Word> {
        let name = word.known().filter(|_| builtins && self.state.expands)?;
        self.state.aliases.get(name).cloned()
    }

    /// An alias is its text with the words behind it.
    fn aliased(&mut self, value: &Word, mut command: Box<Command>, out: Out) {
        command.wrapper = true;
        let shown = command.clone();
        self.emit(command);
        if !self.enter() {
            return;
        }
        let rest = shown.words.get(1..).unwrap_or(&[]);
        let saved = std::mem::replace(&mut self.state.args, Rc::new(Args::of(rest)));
        // An alias is not looked up again in its own text.
        let expands = std::mem::replace(&mut self.state.expands, false);
        let text = format!("{} \"$@\"", value.text);
        self.inside(&shown, &out, |w| w.text_here(&text, value.span, None));
        self.state.args = saved;
        self.state.expands = expands;
        self.leave();
    }

    fn builtin_here(
        &mut self,
        name: &str,
        command: &Command,
        out: &Out,
        arrays: Vec<Bound>,
    ) -> bool {
        let at = self.steps.len();
        // The step comes before the effect: `cd` runs where the shell was.
        if !is_builtin(name) {
            return false;
        }
        self.output(command, out);
        self.emit(Box::new(command.clone()));
        if !self.builtin(name, command, arrays) {
            self.steps.truncate(at);
            return false;
        }
        true
    }

    /// `command`, `builtin`, `exec` in front of a command.
    fn prefixed(&mut self, name: &str, mut command: Box<Command>, out: Out, bound: &[Bound]) {
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
        let texts = match (path.known(), &*shown) {
            (Some("/dev/stdin" | "/dev/fd/0" | "/proc/self/fd/0"), outer) => {
                self.stdin_texts(outer)
            }
            _ => self.texts(&path, false, shown.span),
        };
        let own = (args.len() > 1).then(|| Rc::new(Args::of(args.get(1..).unwrap_or(&[]))));
        self.inside(&shown, &out, |w| {
            w.alternatives(texts, |w, text| {
                let saved = own
                    .clone()
                    .map(|own| std::mem::replace(&mut w.state.args, own));
                w.push_frame(Kind::Source);
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
        if signals.is_empty() || text.text.starts_with('-') {
            return;
        }
        let at_exit = |w: &Word| {
            matches!(w.text.as_str(), "EXIT" | "0" | "exit" | "SIGEXIT") || w.opaque != Opaque::No
        };
        if signals.iter().any(at_exit) {
            self.state.traps = Rc::new(if text.text.is_empty() {
                Vec::new()
            } else {
                vec![text.clone()]
            });
        }
        if !signals.iter().all(at_exit) && !text.text.is_empty() {
            let mut fork = self.fork();
            self.text_here(&text.text, text.span, None);
            self.or(&mut fork);
            self.join(fork);
        }
    }

    /// Runs what `trap … EXIT` left.
    pub(super) fn run_traps(&mut self) {
        let traps = std::mem::take(&mut self.state.traps);
        if self.state.life != Life::Here {
            return;
        }
        for text in traps.iter() {
            self.text_here(&text.text, text.span, None);
        }
    }

    /// Runs text in this shell.
    #[inline(never)]
    pub(super) fn text_here(&mut self, text: &str, span: Span, file: Option<&Word>) {
        if !self.spend(1 + text.len() as u64) || !self.enter() {
            return;
        }
        let saved = (self.fix(span), self.origin.clone());
        let span = self.fixed.unwrap_or(span);
        let mut parser = Parser::new(text, self.depth, false);
        if let Some(file) = file {
            parser.lines = true;
            self.origin = Some(file.text.as_str().into());
        }
        let (ast, problems) = parser.finish();
        for problem in problems {
            self.problem(problem.what, span, problem.cut);
        }
        let ast: Rc<Ast> = Rc::new(ast);
        let root = ast.root;
        self.node(&ast, root);
        (self.fixed, self.origin) = saved;
        self.leave();
    }

    /// Walks `text` alone, as a new shell started at `command`'s point.
    pub(super) fn at(mut self, text: &str, args: &[Word], command: &Command) -> Script {
        let begin = self.begin_at(command);
        if !args.is_empty() {
            self.state.args = Rc::new(Args::of(args));
        }
        self.text_here(text, command.span, None);
        self.close_script(begin)
    }

    /// Walks one argument vector alone, started at `command`'s point.
    pub(super) fn words_at(mut self, words: &[Word], command: &Command) -> Script {
        let begin = self.begin_at(command);
        let ready = Ready {
            words: words.to_vec(),
            span: command.span,
            ..Ready::default()
        };
        self.run_program(ready, false);
        self.close_script(begin)
    }

    fn begin_at(&mut self, command: &Command) -> State {
        self.state.dirs = Rc::clone(&command.dirs);
        self.state.exports = Rc::clone(&command.exports);
        self.state.unset = Rc::clone(&command.unset);
        for assign in &command.assigns {
            put(
                Rc::make_mut(&mut self.state.exports),
                &assign.name,
                assign.value.clone(),
            );
        }
        self.state = self.new_shell();
        self.stdin = Rc::new(command.stdin.clone());
        self.redirects = Rc::new(command.redirects.clone());
        self.fixed = Some(command.span);
        let begin = self.state.clone();
        self.push_frame(Kind::Shell);
        begin
    }

    /// Runs text in a new shell.
    fn text_apart(&mut self, text: &str, span: Span, args: Args, file: Option<&Word>) {
        let state = self.new_shell();
        let saved = self.begin_subshell();
        self.state = state;
        self.state.args = Rc::new(args);
        let locals = std::mem::take(&mut self.locals);
        self.text_here(text, span, file);
        self.end_subshell(saved);
        self.locals = locals;
    }

    /// Runs the text of a script file in a new shell.
    fn file_text(&mut self, text: &str, path: &Word, args: Args) {
        self.reads += 1;
        self.text_apart(text, path.span, args, Some(path));
        self.reads -= 1;
    }

    /// Walks `walk` once for each text, as alternatives.
    fn alternatives(&mut self, texts: Vec<String>, mut walk: impl FnMut(&mut Self, String)) {
        if texts.len() <= 1 {
            for text in texts {
                walk(self, text);
            }
            return;
        }
        let mut fork = self.fork();
        for (i, text) in texts.into_iter().enumerate() {
            if i > 0 {
                self.or(&mut fork);
            }
            walk(self, text);
        }
        self.join(fork);
    }

    /// The texts of a script file: as this call wrote it, else as it is.
    fn texts(&mut self, path: &Word, executed: bool, span: Span) -> Vec<String> {
        let Some(name) = path.known() else {
            return Vec::new();
        };
        let mut texts = Vec::new();
        if self.reads >= FILES {
            self.problem("script files run each other too deeply", span, true);
            return texts;
        }
        let written: Vec<PathBuf> = self.places(name);
        for (i, place) in written.iter().enumerate() {
            let known = joined(self.state.dirs.get(i).and_then(|d| d.as_deref()), name).is_some();
            let contents = self.state.files.get(place).cloned();
            for content in contents.unwrap_or_else(|| vec![Content::Disk]) {
                match content {
                    Content::Text(text) => texts.push(text.to_string()),
                    Content::Unknown => {
                        self.problem("runs a file that this call writes", span, true)
                    }
                    Content::Output(names) if name.starts_with("/dev/fd/") => {
                        self.problem(runs_output_of(&names), span, true);
                    }
                    Content::Output(_) => {
                        self.problem("runs a file that this call writes", span, true)
                    }
                    Content::Disk if !known => {
                        if !executed {
                            self.problem("runs a script in an unknown directory", span, false);
                        }
                    }
                    Content::Disk => match self.files.script(place, executed) {
                        Source::Shell(text) => texts.push(text),
                        Source::None => {}
                        Source::Unreadable => {
                            self.problem("runs a script that cannot be read", span, false)
                        }
                    },
                }
            }
        }
        texts.dedup();
        texts
    }

    /// `./f`, `dir/f`: the texts of a program that is a shell script.
    fn program_file(&mut self, command: &Command) -> Vec<String> {
        match command.words.first() {
            Some(word) if word.text.contains('/') && word.opaque == Opaque::No => {
                let word = word.clone();
                self.texts(&word, true, command.span)
            }
            _ => Vec::new(),
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
            Inner::Stdin { args } => {
                self.environment(&outer.assigns, &[], |w| w.stdin_script(outer, args));
            }
        }
    }

    fn file(&mut self, path: &Word, args: Vec<Word>, span: Span) {
        let texts = self.texts(path, false, span);
        let args = Args::of(&args);
        self.alternatives(texts, |w, text| w.file_text(&text, path, args.clone()));
    }

    /// What `. /dev/stdin` reads.
    fn stdin_texts(&mut self, outer: &Command) -> Vec<String> {
        match &outer.stdin {
            Stdin::Inherited => Vec::new(),
            Stdin::Text(text) => vec![text.text.clone()],
            Stdin::File(path) => self.texts(path, false, path.span),
            Stdin::Pipe(names) => {
                self.problem(runs_output_of(names), outer.span, true);
                Vec::new()
            }
        }
    }

    /// Text whose first word is unknown may be any command.
    fn unknown_text(&mut self, text: &Word) {
        if text.text.trim_start().starts_with(OPAQUE) && !self.follows_setup() {
            self.problem(
                "runs text that is not known before the run",
                text.span,
                true,
            );
        }
    }

    /// Whether the last command is one whose output is there to be evaluated: `eval "$(ssh-agent)"`.
    fn follows_setup(&self) -> bool {
        let last = self.steps.iter().rev().find_map(|step| match step {
            Step::Run(command) => command.words.first(),
            _ => None,
        });
        last.and_then(Word::known)
            .and_then(|name| name.rsplit('/').next())
            .is_some_and(|name| SETUP.contains(&name))
    }

    /// A shell that reads its commands from standard input.
    fn stdin_script(&mut self, outer: &Command, args: Vec<Word>) {
        match &outer.stdin {
            Stdin::Inherited => {}
            Stdin::Text(text) => {
                let span = if text.span == Span::default() {
                    outer.span
                } else {
                    text.span
                };
                let saved = std::mem::take(&mut self.stdin);
                let args = Args::of(&args);
                self.text_apart(&text.text, span, args, None);
                self.stdin = saved;
            }
            Stdin::File(path) => self.file(path, args, path.span),
            Stdin::Pipe(names) => self.problem(runs_output_of(names), outer.span, true),
        }
    }

    /// Runs `f` with a changed environment.
    fn environment(&mut self, assigns: &[Assign], unset: &[String], f: impl FnOnce(&mut Self)) {
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
    fn elsewhere(&mut self, dir: Option<Word>, f: impl FnOnce(&mut Self)) {
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

    /// Follows what a command prints to where it goes.
    pub(super) fn output(&mut self, command: &Command, out: &Out) {
        let name = command.words.first().map_or("", |w| w.text.as_str());
        let tees = name == "tee";
        if self.out.is_none() && matches!(out, Out::Same | Out::Lost) && !tees {
            return;
        }
        let printed = match name {
            "cat" => self.concatenated(command),
            _ => None,
        };
        let printed = printed.or_else(|| super::output::printed(command));
        self.spend(printed.as_ref().map_or(1, |p| p.text.len() as u64 / 16 + 1));
        if tees {
            let content = match &command.stdin {
                Stdin::Text(text) => Content::Text(text.text.as_str().into()),
                _ => Content::Unknown,
            };
            let append = command
                .words
                .iter()
                .any(|w| w.text == "-a" || w.text == "--append");
            for word in command.words.iter().skip(1) {
                if !word.text.starts_with('-') {
                    self.write(word, append, content.clone());
                }
            }
        }
        match out {
            Out::Lost => {}
            Out::Same => {
                let forks = self.forks;
                if let Some(capture) = self.out.and_then(|at| self.captures.get_mut(at)) {
                    match printed {
                        Some(printed) if forks <= capture.forks => capture.add(&printed),
                        _ => capture.add_unknown(command),
                    }
                }
            }
            Out::File { target, append } => {
                let content = match printed {
                    Some(printed) => Content::Text(printed.text.into()),
                    None => Content::Unknown,
                };
                self.write(target, *append, content);
            }
        }
    }

    /// `cat f` of files that this call wrote.
    fn concatenated(&self, command: &Command) -> Option<super::output::Printed> {
        let files = command.words.get(1..).filter(|f| !f.is_empty())?;
        let mut text = String::new();
        for word in files {
            match self.places(word.known()?).as_slice() {
                [place] => match self.state.files.get(place).map(Vec::as_slice) {
                    Some([Content::Text(content)]) => text.push_str(content),
                    _ => return None,
                },
                _ => return None,
            }
        }
        let splits = text.contains(super::OPAQUE);
        Some(super::output::Printed { text, splits })
    }
}

/// Wrappers that print nothing but what they run prints.
fn passes_output(command: &Command) -> bool {
    let program = command.words.first().map_or("", |w| w.text.as_str());
    let name = program.rsplit('/').next().unwrap_or(program);
    matches!(
        name,
        "env"
            | "nice"
            | "nohup"
            | "timeout"
            | "setsid"
            | "stdbuf"
            | "sudo"
            | "doas"
            | "bash"
            | "sh"
            | "dash"
            | "zsh"
    ) || program.contains('/')
}

fn runs_output_of(names: &[String]) -> &'static str {
    match names.last().map(String::as_str) {
        Some("curl") => "runs the output of `curl`",
        Some("wget") => "runs the output of `wget`",
        Some("cat") => "runs the output of `cat`",
        Some("git") => "runs the output of `git`",
        Some("base64") => "runs the output of `base64`",
        Some("sed") => "runs the output of `sed`",
        _ => "runs the output of a program",
    }
}

fn is_builtin(name: &str) -> bool {
    matches!(
        name,
        "cd" | "pushd"
            | "popd"
            | "export"
            | "declare"
            | "typeset"
            | "local"
            | "readonly"
            | "unset"
            | "set"
            | "shift"
            | "read"
            | "mapfile"
            | "readarray"
            | "getopts"
            | "printf"
            | "let"
            | "exit"
            | "return"
            | "break"
            | "continue"
            | ":"
            | "true"
            | "false"
            | "echo"
            | "test"
            | "["
            | "pwd"
            | "alias"
            | "unalias"
            | "umask"
            | "ulimit"
            | "wait"
            | "jobs"
            | "fg"
            | "bg"
            | "kill"
            | "hash"
            | "type"
            | "shopt"
            | "times"
            | "disown"
            | "history"
            | "dirs"
            | "caller"
            | "enable"
            | "help"
            | "suspend"
            | "bind"
            | "complete"
            | "compgen"
            | "compopt"
            | "fc"
            | "logout"
    )
}
