//! What a command whose program is git would do, one verb family a file.

mod checkout;
mod commit;
mod config;
mod global;
mod hooks;
mod integrate;
pub mod pathspec;
mod plumbing;
mod push;
mod refs;
mod remote;
mod reset;
mod stage;
mod stash;
mod tables;
#[cfg(test)]
mod tests;
mod verbs;
mod worktree;

pub use tables::TABLES;

use crate::action::options::{Blur, Line, display, starts_unknown};
use crate::action::{
    Act, Action, Discard, How, Lookup, Loses, Place, Reach, SettingValue, Undoes, Unread, basename,
    shown,
};
use crate::shell::{Command, Opaque, Span, Word};
use std::path::Path;

/// How many aliases may lead to one another.
const ALIAS_DEPTH: usize = 10;

/// How many acts of one command are told apart.
const ACTS_MAX: usize = 32;

/// What one git command would do.
#[derive(Debug, Clone, Default)]
pub struct Reading {
    /// Its acts, the main one first.
    pub actions: Vec<Action>,
    /// It is an alias that runs something else.
    pub alias: Option<AliasRun>,
}

/// What an alias runs besides git.
#[derive(Debug, Clone)]
pub enum AliasRun {
    /// `alias.x = !TEXT`: a shell runs TEXT.
    Shell {
        /// The text as git hands it to `sh -c`, ` "$@"` included where there are arguments.
        text: String,
        /// `$0 $1 …`, the first being the alias's own text.
        args: Vec<Word>,
        /// Where the alias was called; it starts at the top level of that place's working tree,
        /// and inherits its `config` and `env`.
        place: Place,
        /// The alias's name in the command.
        span: Span,
    },
}

/// What a command whose program is git (or `git-VERB`) would do when it runs in `dir`; `lookup`
/// answers aliases.
pub fn read(command: &Command, dir: Option<&Path>, lookup: &dyn Lookup) -> Reading {
    let Some((program, words)) = command.words.split_first() else {
        return Reading::default();
    };
    let mut run = Run::at(command, dir);
    let name = basename(&program.text);
    if let Some(verb) = name.strip_prefix("git-") {
        global::settle(&mut run.place);
        run.start(verb, program.span);
        if verbs::dispatch(&mut run, verb, words) {
            run.finish();
        }
        return Reading {
            actions: run.actions,
            alias: None,
        };
    }
    let alias = follow(&mut run, words, lookup, &mut Vec::new());
    Reading {
        actions: run.actions,
        alias,
    }
}

/// Reads `git WORDS`, through aliases that stand for plain words; `seen` are those on the way.
fn follow(
    run: &mut Run<'_>,
    words: &[Word],
    lookup: &dyn Lookup,
    seen: &mut Vec<String>,
) -> Option<AliasRun> {
    let at = match global::options(words, run) {
        global::Head::Verb(at) => at,
        global::Head::Unread(word) => {
            run.unread("verb", &word);
            return None;
        }
        global::Head::Nothing => return None,
    };
    let from_verb = words.get(at..).unwrap_or_default();
    let (verb, args) = from_verb.split_first()?;
    let Some(name) = verb.known() else {
        run.unread("verb", verb);
        return None;
    };
    run.start(name, verb.span);
    if verbs::dispatch(run, name, args) {
        run.finish();
        return None;
    }
    let value = match alias(&run.place, name, lookup) {
        Ok(Some(value)) => value,
        Ok(None) if lookup.corrects(&run.place) => {
            let why = format!("`{name}` is no verb, and `help.autocorrect` runs the nearest one");
            run.opaque("verb", why, verb.span);
            return None;
        }
        Ok(None) => {
            run.act(Act::UnknownVerb {
                words: from_verb.to_vec(),
            });
            return None;
        }
        Err(why) => {
            run.opaque(
                "verb",
                format!("`{name}` may be an alias: {why}"),
                verb.span,
            );
            return None;
        }
    };
    if let Some(text) = value.strip_prefix('!') {
        return Some(shell_alias(text, args, run.place.clone(), verb.span));
    }
    // git stops at an alias that leads back to itself.
    if seen.contains(&run.verb) {
        return None;
    }
    if seen.len() >= ALIAS_DEPTH {
        let why = format!("`{name}` leads through too many aliases");
        run.opaque("verb", why, verb.span);
        return None;
    }
    seen.push(run.verb.clone());
    let mut next: Vec<Word> = split_alias(&value)?
        .into_iter()
        .map(|text| Word {
            text,
            span: verb.span,
            ..Word::default()
        })
        .collect();
    next.extend_from_slice(args);
    follow(run, &next, lookup, seen)
}

fn shell_alias(text: &str, args: &[Word], place: Place, span: Span) -> AliasRun {
    let zero = Word {
        text: text.to_owned(),
        span,
        ..Word::default()
    };
    AliasRun::Shell {
        text: if args.is_empty() {
            text.to_owned()
        } else {
            format!("{text} \"$@\"")
        },
        args: std::iter::once(zero).chain(args.iter().cloned()).collect(),
        place,
        span,
    }
}

/// The alias called `name`, those given with the command first.
fn alias(place: &Place, name: &str, lookup: &dyn Lookup) -> Result<Option<String>, String> {
    let lower = name.to_ascii_lowercase();
    let given = place.config.iter().rev().find(|s| {
        s.key
            .as_deref()
            .is_some_and(|key| key.strip_prefix("alias.") == Some(lower.as_str()))
    });
    match given.map(|s| &s.value) {
        Some(SettingValue::Text(text)) => Ok(Some(text.clone())),
        Some(SettingValue::Unknown) => Err("its value is unknown".to_owned()),
        Some(SettingValue::Bare) => Ok(None),
        None if place.config.iter().any(|s| s.key.is_none()) => {
            Err("a config key of this command is unknown".to_owned())
        }
        None => lookup.alias(place, &lower),
    }
}

/// Whether a refspec of which a part is not known tells how its branch begins: `HEAD:refs/heads/wip-…`.
fn tells_branch(word: &Word) -> bool {
    word.opaque == Opaque::One
        && word
            .text
            .split_once(":refs/heads/")
            .is_some_and(|(src, name)| {
                let unknown = |c: char| crate::action::is_mark(c) || c == ':';
                !src.chars().any(unknown) && name.starts_with(|c| !unknown(c))
            })
}

/// Splits an alias as git does: spaces, both quotes, a backslash anywhere but in single quotes.
/// `None` where git refuses it.
pub fn split_alias(text: &str) -> Option<Vec<String>> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quote = None;
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        match (c, quote) {
            (c, None) if c.is_ascii_whitespace() => words.extend(word.take()),
            ('\'' | '"', None) => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            (c, Some(q)) if c == q => quote = None,
            ('\\', q) if q != Some('\'') => word.get_or_insert_default().push(chars.next()?),
            (c, _) => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    (quote.is_none() && !words.is_empty()).then_some(words)
}

/// Where git runs `command` when it starts in `dir`, before its own options are read.
pub fn place_of(command: &Command, dir: Option<&Path>) -> Place {
    let mut run = Run::at(command, dir);
    let words = command.words.get(1..).unwrap_or_default();
    let _ = global::options(words, &mut run);
    run.place
}

/// How far an unknown argument decides what a verb does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Targets {
    /// Those behind the first are refspecs.
    Refspecs,
    /// The verb reaches whatever it is told: unknown arguments are reported.
    Decide,
    /// Any single name is fine; only what may hide an option is reported.
    Names,
    /// Arguments do no harm; only an option that cannot be read is reported.
    Free,
}

/// One git command while it is read.
struct Run<'a> {
    command: &'a Command,
    place: Place,
    verb: String,
    at: Span,
    actions: Vec<Action>,
    /// Words before the verb that may hide more than they show.
    doubts: Vec<Word>,
    /// `-S` was given: the commit is signed whatever config says.
    signs: bool,
    /// A dry run: what goes with the main act counts for nothing.
    inert: bool,
}

impl<'a> Run<'a> {
    fn at(command: &'a Command, dir: Option<&Path>) -> Run<'a> {
        Run {
            command,
            place: global::place(command, dir),
            verb: "git".to_owned(),
            at: command.words.first().map_or(command.span, |w| w.span),
            actions: Vec::new(),
            doubts: Vec::new(),
            signs: false,
            inert: false,
        }
    }
}

impl Run<'_> {
    fn start(&mut self, verb: &str, at: Span) {
        verb.clone_into(&mut self.verb);
        self.at = at;
    }

    /// Adds an act of this command; the last one that fits says that there are more.
    fn act(&mut self, act: Act) {
        let last = ACTS_MAX.saturating_sub(1);
        let act = match self.actions.len() {
            n if n < last => act,
            n if n == last => Act::Opaque(Unread {
                program: "git".to_owned(),
                part: "target",
                why: "one command does more than is read".to_owned(),
                span: self.command.span,
            }),
            _ => return,
        };
        self.actions.push(Action {
            act,
            place: self.place.clone(),
            span: self.command.span,
            shown: shown(self.command),
        });
    }

    fn opaque(&mut self, part: &'static str, why: String, span: Span) {
        self.act(Act::Opaque(Unread {
            program: "git".to_owned(),
            part,
            why,
            span,
        }));
    }

    /// Reports a word that cannot be read before the run.
    fn unread(&mut self, part: &'static str, word: &Word) {
        let shown = display(&word.text);
        let why = match (part, word.opaque) {
            ("verb", _) => format!("the word `{shown}` stands where git reads a verb"),
            ("option", Opaque::Many) => {
                format!("the word `{shown}` is not quoted and may turn into options")
            }
            ("option", _) => format!("the word `{shown}` stands where git reads an option"),
            _ => format!(
                "the word `{shown}` decides what `git {}` acts on",
                self.verb
            ),
        };
        self.opaque(part, why, word.span);
    }

    /// Reports the words of `line` that cannot be read and that decide.
    fn report(&mut self, line: &Line<'_>, targets: Targets) {
        for (blur, word) in &line.blurred {
            let part = match (blur, targets) {
                (Blur::Option, _) => "option",
                (Blur::Value, Targets::Decide | Targets::Names | Targets::Refspecs) => "option",
                (Blur::Words, Targets::Names) => "option",
                _ => continue,
            };
            self.unread(part, word);
        }
        match targets {
            Targets::Decide => self.report_targets(&line.args),
            Targets::Refspecs => {
                let untold = |(at, word): &(usize, &&Word)| *at == 0 || !tells_branch(word);
                let args = line.args.iter().enumerate().filter(untold);
                let args: Vec<&Word> = args.map(|(_, word)| *word).collect();
                self.report_targets(&args);
            }
            Targets::Names | Targets::Free => {}
        }
    }

    /// Reports the unknown ones among words that name what is acted on.
    fn report_targets(&mut self, words: &[&Word]) {
        for word in words {
            if word.opaque != Opaque::No {
                self.unread("target", word);
            }
        }
    }

    /// The verb itself.
    fn verb_how(&self) -> How {
        How {
            text: self.verb.clone(),
            span: self.at,
        }
    }

    /// An option together with its verb: `reset --hard`.
    fn with_verb(&self, how: How) -> How {
        How {
            text: format!("{} {}", self.verb, how.text),
            span: how.span,
        }
    }

    /// The verb and the first of the paths that it acts on.
    fn on_paths(&self, paths: &[&Word]) -> How {
        paths.first().map_or_else(
            || self.verb_how(),
            |path| How {
                text: format!("{} -- {}", self.verb, display(&path.text)),
                span: path.span,
            },
        )
    }

    fn discard(&mut self, how: How, reach: Reach, loses: Loses, to: Option<Word>) {
        self.act(Act::Discard(Discard {
            how,
            reach,
            loses,
            to,
            ambiguous: false,
            undoes: Undoes::Both,
            from: None,
            settles: false,
            deep: false,
            here: false,
        }));
    }

    /// Says more of the discard that was just added.
    fn refine(&mut self, more: impl FnOnce(&mut Discard)) {
        if let Some(Act::Discard(discard)) = self.actions.last_mut().map(|a| &mut a.act) {
            more(discard);
        }
    }

    /// What follows from config, environment and doubtful words once the verb is read.
    fn finish(&mut self) {
        if self.actions.is_empty() {
            let telling = |(name, _): &(String, Word)| {
                name.starts_with("GIT_")
                    || matches!(
                        name.as_str(),
                        "HOME" | "XDG_CONFIG_HOME" | "PAGER" | "EDITOR"
                    )
                    || matches!(name.as_str(), "VISUAL" | "SSH_ASKPASS")
            };
            if !self.place.config.is_empty() || self.place.env.iter().any(telling) {
                let verb = self.verb.clone();
                self.act(Act::Other { verb });
            }
            return;
        }
        for word in std::mem::take(&mut self.doubts) {
            self.unread("option", &word);
        }
        if !self.inert {
            hooks::given_with(self);
        }
    }
}

/// Whether a single unknown word may be an option rather than a name.
fn may_be_option(word: &Word) -> bool {
    starts_unknown(word)
}
