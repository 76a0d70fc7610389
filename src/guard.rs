//! The whole story: one call in, one verdict out.

use crate::action::git::AliasRun;
use crate::action::{self, Act, Action, Place, Unread, wrap};
use crate::call::{Call, What};
use crate::policy::Policy;
use crate::rules;
use crate::shell::{self, Command, Opaque, Problem, Script, Span, Start, Step, Word};
use crate::verdict::{Decision, Finding, Verdict};
use crate::world::{Presence, Surroundings, World};
use std::path::{Path, PathBuf};
use std::rc::Rc;

/// Shell text above this many bytes is not parsed: it asks.
const MOST_TEXT: usize = 1 << 20;

/// How deep aliases and possible commands may lead to further scripts.
const DEPTH: usize = 4;

/// How many commands of one call are judged; a script that holds more asks.
const MOST_COMMANDS: usize = 20_000;

/// Judges one call.
pub fn judge(call: &Call, around: Surroundings, policy: &Policy) -> Verdict {
    judged(call, around, policy, false)
}

/// Judges one call for a process that ends with the answer: what was built for it is not taken
/// apart again, which would cost a tenth of the call.
pub fn judge_once(call: &Call, around: Surroundings, policy: &Policy) -> Verdict {
    let What::Shell { text, .. } = &call.what else {
        return Verdict::default();
    };
    let mut walk = Walk::new(call, around, policy, text);
    let (verdict, script) = walk.run();
    std::mem::forget((walk, script));
    policy.settle(verdict)
}

/// Judges one call and tells every effect that was predicted, harmless ones too.
pub fn explain(call: &Call, around: Surroundings, policy: &Policy) -> Verdict {
    judged(call, around, policy, true)
}

fn judged(call: &Call, around: Surroundings, policy: &Policy, effects: bool) -> Verdict {
    let verdict = match &call.what {
        What::Shell { text, .. } => {
            let mut walk = Walk::new(call, around, policy, text);
            walk.tells = effects;
            walk.run().0
        }
        // Files, other servers' tools and events have no rule of their own yet.
        What::Write { .. } | What::Tool { .. } | What::Event { .. } => Verdict::default(),
    };
    policy.settle(verdict)
}

/// What a text was understood as: its commands, one a line, for `explain`.
pub fn parsed(call: &Call, around: Surroundings) -> Vec<String> {
    let What::Shell { text, .. } = &call.what else {
        return Vec::new();
    };
    let policy = Policy::default();
    let walk = Walk::new(call, around, &policy, text);
    walk.extract(text)
        .commands()
        .filter(|c| !c.words.is_empty())
        .map(action::shown)
        .collect()
}

/// One walk through a script, with the scene that it has reached.
struct Walk<'a> {
    policy: &'a Policy,
    source: &'a str,
    start: Start,
    world: World,
    answers: Vec<Option<String>>,
    findings: Vec<Finding>,
    effects: Vec<String>,
    tells: bool,
    last: bool,
    seen: usize,
}

impl<'a> Walk<'a> {
    fn new(call: &Call, around: Surroundings, policy: &'a Policy, source: &'a str) -> Walk<'a> {
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
            policy,
            source,
            start,
            world: World::new(around),
            answers: Vec::new(),
            findings: Vec::new(),
            effects: Vec::new(),
            tells: false,
            last: false,
            seen: 0,
        }
    }

    fn extract(&self, text: &str) -> Script {
        shell::extract(text, &self.start, &wrap::Table, &self.world)
    }

    /// The verdict, and the script that it was reached on.
    fn run(&mut self) -> (Verdict, Script) {
        let mut script = Script::default();
        if self.source.len() > MOST_TEXT {
            let why = "the text is longer than 1 MiB".to_owned();
            self.unread("script", why, Span::default());
        } else {
            script = self.extract(self.source);
            self.script(&script, Judging::Surely, 0);
            self.problems(&script);
        }
        let mut verdict = Verdict::from(std::mem::take(&mut self.findings));
        verdict.effects = std::mem::take(&mut self.effects);
        (verdict, script)
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
        let answered = self.answered(command);
        let command = answered.as_ref().unwrap_or(command);
        for dir in command.dirs.iter().take(DEPTH) {
            self.in_dir(command, dir.as_ref(), judging, depth);
        }
        if let Some(number) = command.answers {
            self.answer(command, number as usize);
        }
    }

    fn in_dir(&mut self, command: &Command, dir: Option<&PathBuf>, judging: Judging, depth: usize) {
        let named = action::name(command, dir.map(PathBuf::as_path), &self.world);
        for action in &named.actions {
            self.judge(action, judging);
        }
        // Nobody asks after the last command of all.
        if !self.last || named.actions.len() > 1 || named.alias.is_some() {
            for action in &named.actions {
                self.world.apply(action);
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
        let answers = u32::try_from(self.answers.len()).unwrap_or(shell::ANSWER_MAX);
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

    fn judge(&mut self, action: &Action, judging: Judging) {
        if self.tells && judging == Judging::Surely {
            for effect in rules::effects(action, &self.world) {
                if !self.effects.contains(&effect) {
                    self.effects.push(effect);
                }
            }
        }
        let mut findings = rules::judge(action, &self.world, self.policy, self.source);
        if judging == Judging::Perhaps {
            for finding in &mut findings {
                finding.decision = finding.decision.min(Decision::Ask);
                finding.because.insert(
                    0,
                    format!(
                        "`{}` may be run by a program that leaseguard does not know",
                        action.shown
                    ),
                );
                finding.instead = None;
            }
        }
        self.findings.append(&mut findings);
    }

    /// The command with answered questions filled in; `None` when it holds none.
    fn answered(&self, command: &Command) -> Option<Command> {
        // The marks are the only characters whose encoding starts so high.
        let text = |t: &str| t.bytes().any(|b| b >= 0xf3);
        let marked = |w: &Word| text(&w.text);
        let dir = |d: &Option<PathBuf>| d.as_ref().is_some_and(|d| text(&d.to_string_lossy()));
        let dirs = command.dirs.iter().any(dir);
        let values = || {
            command
                .assigns
                .iter()
                .chain(command.exports.iter())
                .any(|a| marked(&a.value))
        };
        if !dirs && !command.words.iter().any(marked) && !values() {
            return None;
        }
        let mut command = command.clone();
        if dirs {
            let filled = command
                .dirs
                .iter()
                .map(|d| d.as_ref().and_then(|d| self.filled_dir(d)));
            command.dirs = Rc::new(filled.collect());
        }
        for assign in Rc::make_mut(&mut command.exports) {
            self.fill(&mut assign.value);
        }
        for word in command
            .words
            .iter_mut()
            .chain(command.assigns.iter_mut().map(|a| &mut a.value))
        {
            self.fill(word);
        }
        Some(command)
    }

    /// A directory that an answer is part of: an absolute answer stands for all that is before it.
    fn filled_dir(&self, dir: &Path) -> Option<PathBuf> {
        let mut filled = PathBuf::new();
        for part in dir.components() {
            let part = part.as_os_str().to_string_lossy();
            let mut word = Word {
                text: part.into_owned(),
                opaque: Opaque::One,
                ..Word::default()
            };
            self.fill(&mut word);
            if word.text.chars().any(action::is_mark) {
                return None;
            }
            filled.push(&word.text);
        }
        Some(filled)
    }

    fn fill(&self, word: &mut Word) {
        let mut text = String::with_capacity(word.text.len());
        let mut unknown = false;
        for c in word.text.chars() {
            let number = (c as u32).checked_sub(shell::ANSWER_BASE);
            match number.map(|n| self.answers.get(n as usize).cloned().flatten()) {
                None => {
                    unknown |= c == shell::OPAQUE;
                    text.push(c);
                }
                Some(Some(answer)) => text.push_str(&answer),
                Some(None) => {
                    unknown = true;
                    text.push(shell::OPAQUE);
                }
            }
        }
        word.text = text;
        if !unknown {
            word.opaque = Opaque::No;
        }
    }

    fn answer(&mut self, command: &Command, number: usize) {
        let answer = match command.dirs.as_slice() {
            [dir] => {
                let place = action::git::place_of(command, dir.as_deref());
                self.world.answer(command, &place)
            }
            _ => None,
        };
        if self.answers.len() <= number {
            self.answers.resize(number + 1, None);
        }
        if let Some(slot) = self.answers.get_mut(number) {
            *slot = answer;
        }
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
