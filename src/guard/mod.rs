//! The whole story: one call in, one verdict out.

mod answers;
mod by_plan;
mod hooked;
mod judge;
mod reach;

use crate::action::git::AliasRun;
use crate::action::{self, Act, Action, Place, Unread, wrap};
use crate::call::{Call, Dialect, What};
use crate::policy::{Policy, Repository, Shelf};
use crate::shell::{self, Command, Origin, Problem, Script, Span, Start, Step, Word};
use crate::verdict::{Decision, Finding, Reach, Verdict};
use crate::world::{Presence, Surroundings, World};
use answers::Answers;
pub use hooked::policy_of;
use std::path::PathBuf;
use std::rc::Rc;

/// Shell text above this many bytes is not parsed: it asks.
const MOST_TEXT: usize = 1 << 20;

/// How deep aliases and possible commands may lead to further scripts.
const DEPTH: usize = 4;

/// How many commands of one call are judged; a script that holds more asks.
const MOST_COMMANDS: usize = 20_000;

/// Judges one call by one policy that holds everywhere.
pub fn judge(call: &Call, around: Surroundings, policy: &Policy) -> Verdict {
    let shelf = Shelf::of(policy.clone());
    judged(call, around, &shelf, false, |_, _| {})
}

/// Judges one call by the policies of the repositories that it reaches, and tells every effect that
/// was predicted, harmless ones too.
pub fn explain(call: &Call, around: Surroundings, shelf: &Shelf) -> Verdict {
    judged(call, around, shelf, true, |_, _| {})
}

/// As [`explain`], for a process that ends with the answer: what was built for it is not taken
/// apart again, which would cost a tenth of the call.
pub fn judge_once(call: &Call, around: Surroundings, shelf: &Shelf) -> Verdict {
    judged(call, around, shelf, true, |walk, script| {
        if !matches!(call.what, What::Event { .. }) {
            walk.world.keep_alive();
        }
        std::mem::forget((walk, script));
    })
}

fn judged<'a>(
    call: &'a Call,
    around: Surroundings,
    shelf: &'a Shelf,
    tells: bool,
    after: impl FnOnce(Walk<'a>, Script),
) -> Verdict {
    let source = match &call.what {
        What::Shell { text, .. } => text.as_str(),
        What::GitHook(hooked) => hooked.typed.as_deref().unwrap_or_default(),
        _ => "",
    };
    let mut walk = Walk::new(call, around, shelf, source);
    walk.tells = tells;
    walk.world.explains = tells;
    let script = match &call.what {
        What::Shell { .. } => walk.text(),
        What::Tool {
            server,
            tool,
            input,
        } => walk.tool(server, tool, input),
        What::Write { paths } => walk.files(paths),
        What::GitHook(hooked) => walk.git_hook(hooked),
        // Events need no decision.
        What::Event { .. } => Script::default(),
    };
    let verdict = walk.verdict();
    walk.world.remember(verdict.decision() == Decision::Allow);
    after(walk, script);
    verdict
}

/// What a text was understood as: its commands, one a line, for `explain`.
pub fn parsed(call: &Call, around: Surroundings) -> Vec<String> {
    let What::Shell { text, .. } = &call.what else {
        return Vec::new();
    };
    let shelf = Shelf::of(Policy::default());
    let walk = Walk::new(call, around, &shelf, text);
    walk.own(text)
        .commands()
        .filter(|c| !c.words.is_empty())
        .map(action::shown)
        .collect()
}

/// One walk through a script, with the scene that it has reached.
struct Walk<'a> {
    shelf: &'a Shelf,
    /// A policy was asked, so what it says of the whole verdict counts.
    asked: bool,
    source: &'a str,
    dialect: Dialect,
    start: Start,
    world: World,
    answers: Answers,
    findings: Vec<Finding>,
    reaches: Vec<Reach>,
    effects: Vec<String>,
    tells: bool,
    last: bool,
    seen: usize,
    /// Where it counts whose a plain file is, by directory.
    whose: Vec<(Option<PathBuf>, bool)>,
    /// Where the command that is judged stands, where that is a script file.
    origin: Option<Origin>,
}

impl<'a> Walk<'a> {
    fn new(call: &Call, around: Surroundings, shelf: &'a Shelf, source: &'a str) -> Walk<'a> {
        let cwd = call.cwd.clone().or_else(|| around.cwd.clone());
        let start = Start {
            cwd: cwd.clone(),
            home: around.home.clone(),
        };
        let around = Surroundings {
            cwd,
            unseen_typing: call.unseen_typing || around.unseen_typing,
            ..around
        };
        Walk {
            shelf,
            asked: false,
            source,
            dialect: match &call.what {
                What::Shell { dialect, .. } => *dialect,
                _ => Dialect::default(),
            },
            start,
            world: World::new(around),
            answers: Answers::default(),
            findings: Vec::new(),
            reaches: Vec::new(),
            effects: Vec::new(),
            tells: false,
            last: false,
            seen: 0,
            whose: Vec::new(),
            origin: None,
        }
    }

    fn extract(&self, text: &str) -> Script {
        shell::extract(text, &self.start, &wrap::Table, &self.world)
    }

    /// Extracts the call's own text, in the syntax that the call names.
    fn own(&self, text: &str) -> Script {
        match self.dialect {
            Dialect::Bash => self.extract(text),
            Dialect::PowerShell => {
                shell::extract_pwsh(text, &self.start, &wrap::Table, &self.world)
            }
        }
    }

    /// Judges the call's own text; gives the script that it was read as.
    fn text(&mut self) -> Script {
        if self.source.len() > MOST_TEXT {
            let why = "the text is longer than 1 MiB".to_owned();
            self.unread("script", why, Span::default());
            return Script::default();
        }
        let script = self.own(self.source);
        self.script(&script, Judging::Surely, 0);
        self.problems(&script);
        script
    }

    /// Judges a tool of another server: as the act that it is known for, or as the text that it runs.
    fn tool(&mut self, server: &str, tool: &str, input: &str) -> Script {
        let cwd = self.world.around.cwd.clone();
        let enters = action::enter::worktree(server, tool, input, cwd.as_deref());
        for action in action::tool::read(server, tool, input)
            .iter()
            .chain(&enters)
        {
            self.judge(action, Judging::Surely);
        }
        Script::default()
    }

    /// Judges files that a tool would write.
    fn files(&mut self, paths: &[PathBuf]) -> Script {
        let dir = self.world.around.cwd.clone();
        self.world.tool_writes(paths);
        for action in action::file::writes(paths, dir.as_deref(), true) {
            self.judge(&action, Judging::Surely);
        }
        Script::default()
    }

    fn verdict(&mut self) -> Verdict {
        let mut verdict = Verdict::from(std::mem::take(&mut self.findings));
        verdict.effects = std::mem::take(&mut self.effects);
        verdict.reaches = std::mem::take(&mut self.reaches);
        if !self.asked && verdict.effects.is_empty() {
            return verdict;
        }
        let place = Place {
            dir: self.world.around.cwd.clone(),
            ..Place::default()
        };
        let policy = self.policy(&place);
        let mut verdict = policy.settle(verdict);
        verdict.log_commands = Some(policy.log_commands());
        verdict
    }

    /// The policy of the repository at `place`.
    fn policy(&mut self, place: &Place) -> Rc<Policy> {
        self.asked = true;
        let checkout = self.world.checkout(place);
        let (top, main) = match &checkout {
            Some((top, main)) => (Some(top.as_path()), main.as_deref()),
            None => (None, None),
        };
        let remotes = || self.world.remote_urls(place);
        self.shelf.at(Repository {
            top,
            main,
            remotes: &remotes,
        })
    }

    /// Walks the steps of a script in order.
    fn script(&mut self, script: &Script, judging: Judging, depth: usize) {
        for (at, step) in script.steps.iter().enumerate() {
            match step {
                Step::Run(command) => {
                    let later = script.steps.get(at + 1..).unwrap_or_default();
                    let more = depth > 0 || later.iter().any(|s| matches!(s, Step::Run(_)));
                    self.last = !more;
                    self.command(command, judging, depth);
                }
                Step::Fork => self.world.fork(),
                Step::Or => self.world.or(),
                Step::Join => self.world.join(),
                Step::End => self.world.end(),
            }
        }
    }

    fn command(&mut self, command: &Command, judging: Judging, depth: usize) {
        self.seen += 1;
        if self.seen > MOST_COMMANDS {
            if self.seen == MOST_COMMANDS + 1 {
                self.unread(
                    "script",
                    "it holds more commands than are judged in one call".to_owned(),
                    command.span,
                );
            }
            return;
        }
        let answered = self.answers.fill_in(command);
        let command = answered.as_ref().unwrap_or(command);
        self.origin.clone_from(&command.origin);
        for dir in command.dirs.iter().take(DEPTH) {
            self.in_dir(command, dir.as_ref(), judging, depth);
        }
        if let Some(number) = command.answers {
            self.answer(command, number as usize);
        }
    }

    fn in_dir(&mut self, command: &Command, dir: Option<&PathBuf>, judging: Judging, depth: usize) {
        if !self.last {
            self.world.notices(command, dir.map(PathBuf::as_path));
        }
        let named = action::name(command, dir.map(PathBuf::as_path), &self.world);
        for action in &named.actions {
            self.judge(action, judging);
        }
        // Nobody asks after the last command of all.
        if !self.last {
            self.world.filled(command, dir.map(PathBuf::as_path));
        }
        if !self.last || named.actions.len() > 1 || named.alias.is_some() {
            for action in &named.actions {
                self.world.happens(action, command.checked);
            }
        }
        if depth >= DEPTH {
            if named.alias.is_some() {
                self.unread(
                    "alias",
                    "aliases lead to aliases too many times".to_owned(),
                    command.span,
                );
            }
            return;
        }
        if let Some(alias) = named.alias {
            let script = self.alias(&alias, command, depth);
            self.script(&script, judging, depth + 1);
            self.problems(&script);
        }
        for possible in named.possible {
            self.possible(&possible, command, depth);
        }
    }

    /// Judges what an unknown program may run; it never weighs more than a question.
    fn possible(&mut self, possible: &wrap::Possible, command: &Command, depth: usize) {
        let script = match possible {
            wrap::Possible::Text(text) => self.extract_at(&text.text, &[], command, depth),
            wrap::Possible::Words(words) => {
                let (start, world) = (&self.start, &self.world);
                shell::extract_words(words, command, depth + 1, start, &wrap::Table, world)
            }
        };
        // What it changes holds for what it runs itself; nothing is known of what comes after.
        self.world.fork();
        self.script(&script, Judging::Perhaps, depth + 1);
        self.world.end();
        self.world.or();
        self.world.join();
    }

    fn extract_at(&self, text: &str, args: &[Word], command: &Command, depth: usize) -> Script {
        let answers = self.answers.next();
        let (start, world) = (&self.start, &self.world);
        shell::extract_at(
            text,
            args,
            command,
            depth + 1,
            answers,
            start,
            &wrap::Table,
            world,
        )
    }

    /// A git alias runs its text from the top of the repository.
    fn alias(&self, run: &AliasRun, command: &Command, depth: usize) -> Script {
        let AliasRun::Shell {
            text, args, place, ..
        } = run;
        let dir = match self.world.presence(place) {
            Presence::Here(Some(top)) => Some(top),
            _ => place.dir.clone(),
        };
        let at = Command {
            dirs: Rc::new(vec![dir]),
            ..command.clone()
        };
        self.extract_at(text, args.get(1..).unwrap_or_default(), &at, depth)
    }

    fn answer(&mut self, command: &Command, number: usize) {
        let answer = match command.dirs.as_slice() {
            [dir] => {
                let place = action::git::place_of(command, dir.as_deref());
                self.world.answer(command, &place)
            }
            _ => None,
        };
        self.answers.keep(number, answer);
    }

    /// What could not be followed asks: always where commands may be missing, else where a
    /// guarded program is in sight.
    fn problems(&mut self, script: &Script) {
        for problem in &script.problems {
            if problem.cut || self.in_sight(problem, script) {
                self.unread("script", problem.what.to_string(), problem.span);
                return;
            }
        }
    }

    fn in_sight(&self, problem: &Problem, script: &Script) -> bool {
        let git = |w: &Word| action::basename(w.text.trim()) == "git";
        let rest = self
            .source
            .get(problem.span.start..problem.span.end)
            .unwrap_or_default();
        let in_rest = rest
            .split(|c: char| !c.is_alphanumeric() && c != '-' && c != '_')
            .any(|w| w == "git");
        in_rest || script.commands().any(|c| c.words.iter().any(git))
    }

    fn unread(&mut self, part: &'static str, why: String, span: Span) {
        let act = Act::Opaque(Unread {
            program: String::new(),
            part,
            why,
            span,
        });
        let action = Action {
            act,
            place: Place::default(),
            span,
            shown: String::new(),
        };
        self.judge(&action, Judging::Surely);
    }
}

/// How sure it is that a command runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Judging {
    /// It runs where the script says so.
    Surely,
    /// A program that we do not know may run it.
    Perhaps,
}
