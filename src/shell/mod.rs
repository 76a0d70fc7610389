//! Text -> script: every simple command that could run, with words literal, known or opaque.
//!
//! Knows shells and no other program. It never refuses: what it cannot follow is a [`Problem`].
#![deny(clippy::disallowed_methods)]

mod alias;
mod ansi;
mod assign;
mod ast;
mod batch;
mod brace;
mod builtins;
mod calls;
mod capture;
mod clause;
mod compound;
mod cond;
mod dollar;
mod expand;
mod few;
mod flow;
mod grammar;
mod heredoc;
mod lexer;
mod lists;
mod loops;
mod mode;
mod nested;
mod output;
mod param;
mod pattern;
mod prompt;
mod pwsh;
mod quoted;
mod recipes;
mod redirs;
mod simple;
mod state;
mod subst;
mod unfold;
mod value;
mod vars;
mod walk;

pub use batch::from_cmd;
pub use prompt::shows;
pub use pwsh::{extract as extract_pwsh, unfold as unfold_pwsh};
pub use recipes::Recipe;

use std::path::PathBuf;
use std::rc::Rc;

/// A stretch of the text that was handed in at the top, in bytes. Words of nested texts
/// (`bash -c '…'`, script files) carry the span of the outer word that brought them in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Span {
    /// First byte.
    pub start: usize,
    /// One past the last byte.
    pub end: usize,
}

/// Stands in a word's text for a stretch whose value only the run itself knows.
pub const OPAQUE: char = '\u{1}';

/// `ANSWER_BASE + n` stands for the output of the substitution whose command carries
/// `answers == Some(n)`: a read-only question such as `$(git branch --show-current)` that facts
/// may answer at that point of the script. Unanswered it is as good as [`OPAQUE`].
pub const ANSWER_BASE: u32 = 0xF_0000;

/// How many such questions one script may hold; later ones are [`OPAQUE`].
pub const ANSWER_MAX: u32 = 0xFFFD;

/// How many words an opaque word may turn into when it runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub enum Opaque {
    /// The word is fully known.
    #[default]
    No,
    /// One word, of which a part is unknown (the expansion was quoted or cannot split).
    One,
    /// Any number of words, also none (an unquoted expansion).
    Many,
}

/// One word of a simple command, after every expansion that can be known without running.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Word {
    /// The text after quote removal; unknown stretches stand as [`OPAQUE`] or an answer mark.
    pub text: String,
    /// Where it stood.
    pub span: Span,
    /// Whether, and how far, it is unknown.
    pub opaque: Opaque,
    /// It holds an unquoted `*`, `?` or `[`: the shell may replace it by file names.
    pub glob: bool,
}

impl Word {
    /// The text when every byte of it is known (a glob counts as its own spelling).
    pub fn known(&self) -> Option<&str> {
        (self.opaque == Opaque::No).then_some(self.text.as_str())
    }
}

/// `name=value` before a command, or exported earlier in the script.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Assign {
    /// The variable.
    pub name: String,
    /// Its value.
    pub value: Word,
}

/// What a redirect does with its target.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RedirectKind {
    /// `<`
    Read,
    /// `>`, `>|`, `&>`: the file is emptied.
    Write,
    /// `>>`, `&>>`
    Append,
    /// `<>`
    ReadWrite,
}

/// A redirect to a file. Duplications (`2>&1`), heredocs and here-strings are not listed here.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Redirect {
    /// What it does.
    pub kind: RedirectKind,
    /// The file.
    pub target: Word,
}

/// Where a command's standard input comes from.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Stdin {
    /// The caller's own.
    #[default]
    Inherited,
    /// Text that is known (heredoc, here-string, `echo … |`, `printf … |`, `cat <<E |`).
    Text(Word),
    /// A file, by `<`.
    File(Word),
    /// The output of programs whose text is not known: their names, nearest last.
    Pipe(Vec<String>),
}

/// Where a command of a script file stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Origin {
    /// The file, as the call names it.
    pub file: Rc<str>,
    /// Line, from 1.
    pub line: usize,
}

/// One simple command that could run.
#[derive(Debug, Clone, Default)]
pub struct Command {
    /// The program and its arguments. Empty for a bare assignment or a bare redirect.
    pub words: Vec<Word>,
    /// Assignments in front of it.
    pub assigns: Vec<Assign>,
    /// Variables exported earlier in the script (last value each), and those a wrapper such as
    /// `env X=1` adds. Not the environment that leaseguard itself was started with.
    pub exports: Rc<Vec<Assign>>,
    /// Variables that are taken out of the environment (`env -u`, `unset` of an exported one).
    pub unset: Rc<Vec<String>>,
    /// File redirects in effect, those of enclosing groups included.
    pub redirects: Vec<Redirect>,
    /// Where its input comes from.
    pub stdin: Stdin,
    /// The directories it may run in; `None` inside means unknown. Never empty.
    pub dirs: Rc<Vec<Option<PathBuf>>>,
    /// All of it, assignments included.
    pub span: Span,
    /// The script file that holds it, if it is not in the text itself.
    pub origin: Option<Origin>,
    /// Its output is the answer with this number (see [`ANSWER_BASE`]).
    pub answers: Option<u32>,
    /// It unwraps to other commands, which follow as steps of their own (`env`, `bash -c`, …).
    pub wrapper: bool,
    /// Where it fails, what follows does not run, or is a way of its own (`&&`, `||`, `set -e`).
    pub checked: bool,
}

/// A script in the order in which it runs, with its forks.
///
/// `if c; then a; else b; fi` is `c, Fork, a, Or, b, Join`; `case` makes as many `Or`s as it has arms.
/// An alternative that ends in [`Step::End`] (`exit`, `exec`) takes no part in the join. What leaves a
/// loop, a function or a nested shell (`break`, `return`) does not end: it is an alternative whose join
/// comes at the end of what it leaves.
#[derive(Debug, Clone)]
pub enum Step {
    /// This command runs here.
    Run(Box<Command>),
    /// What follows may or may not happen.
    Fork,
    /// The other possibility, from the state at the fork.
    Or,
    /// Both possibilities meet.
    Join,
    /// Nothing after this runs in this alternative.
    End,
}

/// What could not be followed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// In words: `unterminated quote`, `nested deeper than 48`, …
    pub what: &'static str,
    /// The stretch that was not understood (to the end of the text where it is broken).
    pub span: Span,
    /// True where work was cut short (depth, fuel): commands may be missing.
    pub cut: bool,
}

/// What a text would run.
#[derive(Debug, Clone, Default)]
pub struct Script {
    /// Every command, nested ones too, in running order.
    pub steps: Vec<Step>,
    /// What could not be followed.
    pub problems: Vec<Problem>,
}

impl Script {
    /// All commands, without the forks.
    pub fn commands(&self) -> impl Iterator<Item = &Command> {
        self.steps.iter().filter_map(|s| match s {
            Step::Run(c) => Some(c.as_ref()),
            _ => None,
        })
    }
}

/// What a wrapper such as `env`, `xargs` or `bash -c` would run.
#[derive(Debug, Clone)]
pub enum Inner {
    /// Another argument vector, run directly.
    Argv {
        /// Program and arguments.
        words: Vec<Word>,
        /// Variables it adds.
        assigns: Vec<Assign>,
        /// Variables it takes away.
        unset: Vec<String>,
        /// The directory it changes to first.
        dir: Option<Word>,
    },
    /// Shell text, run by a new shell.
    Text {
        /// The text.
        text: Word,
        /// `$0 $1 …`.
        args: Vec<Word>,
        /// The directory it changes to first.
        dir: Option<Word>,
        /// Variables it adds.
        assigns: Vec<Assign>,
    },
    /// A script file, run by a new shell.
    File {
        /// Its path.
        path: Word,
        /// `$1 …`.
        args: Vec<Word>,
    },
    /// PowerShell text, or a script of its own, run by a new PowerShell.
    Pwsh {
        /// The text, or the script's path.
        text: Word,
        /// It is a path.
        file: bool,
    },
    /// A shell that reads its commands from standard input.
    Stdin {
        /// `$1 …`.
        args: Vec<Word>,
    },
}

/// Which programs run other commands: told by the layer that knows programs.
pub trait Wrappers {
    /// What `command` would run besides itself; empty when it wraps nothing.
    fn unfold(&self, command: &Command) -> Vec<Inner>;

    /// Where a build program finds the commands that it runs; `None` for any other program.
    fn recipe(&self, command: &Command) -> Option<Recipe> {
        let _ = command;
        None
    }

    /// The shell texts that `command` runs of a build file that holds `text`, each in a shell of its
    /// own, in order, and at its line of the file.
    fn lines(&self, command: &Command, text: &str) -> Vec<String> {
        let _ = (command, text);
        Vec::new()
    }
}

/// The text of a script file that a call runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Source {
    /// A shell script.
    Shell(String),
    /// Not there, or not a shell script.
    None,
    /// It may be a shell script that we cannot read (too large, not readable, a pipe).
    Unreadable,
}

/// Reads script files: implemented by the world.
pub trait Files {
    /// The script at `path`; `executed` is true for `./f` (then a shell shebang, or none at all,
    /// is needed), false for `bash f` and `. f`.
    fn script(&self, path: &std::path::Path, executed: bool) -> Source;
}

/// What is known before the first command.
#[derive(Debug, Clone, Default)]
pub struct Start {
    /// `$PWD`; `None` where the host did not say.
    pub cwd: Option<PathBuf>,
    /// `$HOME`.
    pub home: Option<PathBuf>,
}

/// Extracts everything that `text` could run.
pub fn extract(text: &str, start: &Start, wrappers: &dyn Wrappers, files: &dyn Files) -> Script {
    let mut parser = lexer::Parser::new(text, 0, true);
    parser.lines = false;
    let (ast, problems) = parser.finish();
    let mut walker = walk::Walker::new(start, wrappers, files, text.len());
    walker.problems = problems;
    walker.script(Rc::new(ast))
}

/// Extracts `text` as a new shell runs it at `command`'s point: with its directories, exports and
/// standard input, and with `args` for `$1 $2 …`. Git's `!aliases` are such texts. `depth` counts
/// how many texts stand around it; answers are numbered from `answers` on, so that their marks stay
/// apart from those around.
#[expect(
    clippy::too_many_arguments,
    reason = "the parts of a started shell, each of its own kind"
)]
pub fn extract_at(
    text: &str,
    args: &[Word],
    command: &Command,
    depth: usize,
    answers: u32,
    start: &Start,
    wrappers: &dyn Wrappers,
    files: &dyn Files,
) -> Script {
    let mut walker = walk::Walker::new(start, wrappers, files, text.len());
    walker.depth = depth;
    walker.answers = answers;
    walker.at(text, args, command)
}

/// Extracts what one argument vector would run, itself included, at `command`'s point.
pub fn extract_words(
    words: &[Word],
    command: &Command,
    depth: usize,
    start: &Start,
    wrappers: &dyn Wrappers,
    files: &dyn Files,
) -> Script {
    let mut walker = walk::Walker::new(start, wrappers, files, words.len());
    walker.depth = depth;
    walker.words_at(words, command)
}
