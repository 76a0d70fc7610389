//! Texts inside texts: run by this shell or by a new one, typed, written or read from files.

use super::ast::Ast;
use super::flow;
use super::lexer::Parser;
use super::simple::Ready;
use super::state::{Life, State, joined, put};
use super::value::{Args, Content};
use super::walk::Walker;
use super::{Command, OPAQUE, Opaque, Script, Source, Span, Stdin, Step, Word};
use std::path::{Path, PathBuf};
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
        // Empty lines in front only tell where in its file the text stands.
        let length = text.trim_start_matches('\n').len();
        if !self.spend(1 + length as u64) || !self.enter() {
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
            self.state.args = Args::of(args).into();
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
        self.redirects = command.redirects.clone().into();
        self.fixed = Some(command.span);
        let begin = self.state.clone();
        self.push_frame(flow::Kind::Shell);
        begin
    }

    /// Text whose first word is unknown may be any command.
    pub(super) fn unknown_text(&mut self, text: &Word) {
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

    /// Runs text in a new shell.
    pub(super) fn text_apart(&mut self, text: &str, span: Span, args: Args, file: Option<&Word>) {
        let state = self.new_shell();
        let saved = self.begin_subshell();
        self.state = state;
        self.state.args = args.into();
        let locals = std::mem::take(&mut self.locals);
        self.text_here(text, span, file);
        self.end_subshell(saved);
        self.locals = locals;
    }

    /// Runs the text of a script file in a new shell.
    pub(super) fn file_text(&mut self, text: &str, path: &Word, args: Args) {
        self.reads += 1;
        self.text_apart(text, path.span, args, Some(path));
        self.reads -= 1;
    }

    /// Walks `walk` once for each text, as alternatives.
    pub(super) fn alternatives<T>(&mut self, texts: Vec<T>, mut walk: impl FnMut(&mut Self, T)) {
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
    pub(super) fn texts(&mut self, path: &Word, executed: bool, span: Span) -> Vec<String> {
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
                    Content::Disk if self.may_be_written(place, name) => {
                        self.problem("runs a file that this call writes", span, true);
                    }
                    Content::Disk => match self.files.script(place, executed) {
                        Source::Shell(text) => texts.push(super::ansi::tamed(text.into_bytes())),
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

    /// Whether an earlier command of the call is one that writes files, and may write this one.
    fn may_be_written(&self, place: &Path, name: &str) -> bool {
        let base = name.rsplit('/').next().unwrap_or(name);
        let ends = |w: &Word| w.text.rsplit('/').next() == Some(base);
        self.steps.iter().any(|step| {
            let Step::Run(command) = step else {
                return false;
            };
            let Some((program, words)) = command.words.split_first() else {
                return false;
            };
            let dir = command.dirs.first().and_then(|d| d.as_deref());
            let at = |w: &Word| joined(dir, w.text.trim_start_matches("of="));
            match program.text.rsplit('/').next().unwrap_or_default() {
                "cp" | "mv" | "ln" | "install" | "rsync" | "scp" => {
                    let Some((Some(to), from)) = words.split_last().map(|(to, f)| (at(to), f))
                    else {
                        return false;
                    };
                    // Into a directory it goes under its own name.
                    to == place || (from.iter().any(ends) && to.join(base) == place)
                }
                "curl" | "wget" | "dd" | "patch" => words
                    .iter()
                    .any(|w| at(w).as_deref() == Some(place) || ends(w)),
                _ => false,
            }
        })
    }

    /// `./f`, `dir/f`: the texts of a program that is a shell script.
    pub(super) fn program_file(&mut self, command: &Command) -> Vec<String> {
        match command.words.first() {
            Some(word) if word.text.contains('/') && word.opaque == Opaque::No => {
                let word = word.clone();
                self.texts(&word, true, command.span)
            }
            _ => Vec::new(),
        }
    }

    pub(super) fn file(&mut self, path: &Word, args: Vec<Word>, span: Span) {
        let texts = self.texts(path, false, span);
        let args = Args::of(&args);
        self.alternatives(texts, |w, text| w.file_text(&text, path, args.clone()));
    }

    /// What `. /dev/stdin` reads.
    pub(super) fn stdin_texts(&mut self, outer: &Command) -> Vec<String> {
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

    /// A shell that reads its commands from standard input.
    pub(super) fn stdin_script(&mut self, outer: &Command, args: Vec<Word>) {
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
}

pub(super) fn runs_output_of(names: &[String]) -> &'static str {
    match names.last().map(String::as_str) {
        Some("curl") => "runs the output of `curl`",
        Some("wget") => "runs the output of `wget`",
        Some("cat") => "runs the output of `cat`",
        Some("git" | "git ls-files") => "runs the output of `git`",
        Some("base64") => "runs the output of `base64`",
        Some("sed") => "runs the output of `sed`",
        _ => "runs the output of a program",
    }
}
