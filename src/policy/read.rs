//! Document -> sheet: what a policy file says, and what is wrong with it.

use super::bot::ReviewBot;
use super::ci::span;
use super::doc::{self, Doc, ROOT, Value};
use super::nearest::nearest;
use super::table::{KEYS, Key, Kind, Known, WORDS, at};
use super::wish::{Wish, mild_of};
use std::borrow::Cow;

/// How many mistakes of one file are told.
const MOST_TROUBLES: usize = 5;

/// One thing that a policy says.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Set<'a> {
    /// The key with this index takes the choice with that index.
    Choice(usize, u8),
    /// Base branches.
    Bases(Vec<Cow<'a, str>>),
    /// A rule takes a wish.
    Rule(&'static str, Wish),
    /// The key with this index takes a span of seconds.
    Span(usize, u32),
    /// The key with this index takes some texts.
    Texts(usize, Vec<Cow<'a, str>>),
    /// A review bot.
    Bot(ReviewBot),
}

/// What one part of a file says: its top, or a `[[repo]]` section.
#[derive(Debug, Clone, Default)]
pub(super) struct Part<'a> {
    /// A glob over the repository's path.
    pub(super) path: Option<Cow<'a, str>>,
    /// A glob over the URLs of its remotes.
    pub(super) remote: Option<Cow<'a, str>>,
    /// The preset, which goes before everything else.
    pub(super) preset: Option<u8>,
    /// The rest, in the order of the text.
    pub(super) sets: Vec<Set<'a>>,
}

/// What a file says.
#[derive(Debug, Clone, Default)]
pub(super) struct Sheet<'a> {
    /// What it says of every repository.
    pub(super) top: Part<'a>,
    /// What it says of some.
    pub(super) sections: Vec<Part<'a>>,
    /// What is wrong with it, a line each.
    pub(super) troubles: Vec<String>,
}

/// What an entry is, which decides what its children are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Role {
    /// Keys whose names start with this; of the top (`None`) or of a section.
    Group(&'static str, Option<usize>),
    /// Rules and their words.
    Rules(Option<usize>),
    /// `[[repo]]` sections.
    Sections,
    /// `[[ci.review_bot]]` sections.
    Bots(Option<usize>),
    /// The keys of the newest of them.
    Bot(Option<usize>),
    /// Nothing below it is looked at.
    Leaf,
}

/// Reads a policy; `rules` are those that there are, and `sections` tells whether this layer may
/// speak of single repositories.
pub(super) fn sheet<'a>(text: &'a str, rules: &[Known], sections: bool) -> Sheet<'a> {
    let mut reader = Reader {
        text,
        rules,
        sections,
        sheet: Sheet::default(),
    };
    match doc::read(text) {
        Ok(doc) => reader.fill(doc),
        Err(broken) => reader.trouble(broken.at, || broken.what),
    }
    reader.sheet
}

struct Reader<'a, 'r> {
    text: &'a str,
    rules: &'r [Known],
    sections: bool,
    sheet: Sheet<'a>,
}

impl<'a> Reader<'a, '_> {
    fn fill(&mut self, doc: Doc<'a>) {
        let mut roles: Vec<Role> = Vec::with_capacity(doc.entries.len());
        for entry in doc.entries {
            let role = match entry.parent {
                ROOT => Role::Group("", None),
                parent => roles.get(parent as usize).copied().unwrap_or(Role::Leaf),
            };
            roles.push(match role {
                Role::Leaf => Role::Leaf,
                Role::Group(group, section) => {
                    self.in_group(group, section, &entry.key, entry.at, entry.value)
                }
                Role::Rules(section) => {
                    self.rule(section, &entry.key, entry.at, &entry.value);
                    Role::Leaf
                }
                Role::Bots(section) => {
                    self.set(section, Set::Bot(ReviewBot::default()));
                    Role::Bot(section)
                }
                Role::Bot(section) => self.bot(section, &entry.key, entry.at, entry.value),
                Role::Sections => {
                    self.sheet.sections.push(Part::default());
                    Role::Group("", Some(self.sheet.sections.len() - 1))
                }
            });
        }
        let nameless = |s: &Set| matches!(s, Set::Bot(bot) if bot.name.is_empty());
        let mut parts = std::iter::once(&self.sheet.top).chain(&self.sheet.sections);
        if parts.any(|p| p.sets.iter().any(nameless)) {
            self.sheet
                .troubles
                .push("a `[[ci.review_bot]]` has no `name`".to_owned());
        }
        let nowhere = |p: &Part| p.path.is_none() && p.remote.is_none();
        if self.sheet.sections.iter().any(nowhere) {
            self.sheet
                .troubles
                .push("a `[[repo]]` section has neither `path` nor `remote`".to_owned());
        }
    }

    fn in_group(
        &mut self,
        group: &'static str,
        section: Option<usize>,
        name: &str,
        at: usize,
        value: Value<'a>,
    ) -> Role {
        match (group, name, section) {
            ("", "rules", _) => match value {
                Value::Table(_) => return Role::Rules(section),
                _ => return self.mistyped("rules", "a table", &value, at),
            },
            ("", "repo", None) if self.sections => match value {
                Value::Tables { .. } => return Role::Sections,
                _ => return self.mistyped("repo", "a list of tables", &value, at),
            },
            ("ci", "review_bot", _) => match value {
                Value::Tables { .. } => return Role::Bots(section),
                _ => return self.mistyped("ci.review_bot", "a list of tables", &value, at),
            },
            ("", "path" | "remote", Some(index)) => {
                let Value::Text(glob) = value else {
                    return self.mistyped(name, "a string", &value, at);
                };
                if let Some(part) = self.sheet.sections.get_mut(index) {
                    let slot = if name == "path" {
                        &mut part.path
                    } else {
                        &mut part.remote
                    };
                    *slot = Some(glob);
                }
                return Role::Leaf;
            }
            _ => {}
        }
        let rest = |key: &'static str| match group {
            "" => Some(key),
            group => key.strip_prefix(group)?.strip_prefix('.'),
        };
        for (index, key) in KEYS.iter().enumerate() {
            let Some(rest) = rest(key.name) else { continue };
            if rest == name {
                self.key(section, index, key, at, value);
                return Role::Leaf;
            }
            let leads_on = rest.strip_prefix(name).is_some_and(|r| r.starts_with('.'));
            if leads_on {
                let end = key.name.len() - rest.len() + name.len();
                let Value::Table(_) = value else {
                    return self.mistyped(name, "a table", &value, at);
                };
                return Role::Group(key.name.get(..end).unwrap_or_default(), section);
            }
        }
        self.unknown(group, section, name, at)
    }

    fn part(&mut self, section: Option<usize>) -> Option<&mut Part<'a>> {
        match section {
            None => Some(&mut self.sheet.top),
            Some(index) => self.sheet.sections.get_mut(index),
        }
    }

    fn set(&mut self, section: Option<usize>, set: Set<'a>) {
        if let Some(part) = self.part(section) {
            match set {
                Set::Choice(at::PRESET, choice) => part.preset = Some(choice),
                set => part.sets.push(set),
            }
        }
    }

    fn key(
        &mut self,
        section: Option<usize>,
        index: usize,
        key: &Key,
        at: usize,
        value: Value<'a>,
    ) {
        match (key.kind, value) {
            (Kind::Choice { words, .. }, Value::Text(word)) => match key.choice(&word) {
                Some(choice) => self.set(section, Set::Choice(index, choice)),
                None => self.trouble(at, || {
                    let word = short(&word);
                    format!("`{}` takes {}, not `{word}`", key.name, listed(words))
                }),
            },
            (Kind::Globs(_), Value::Texts(globs)) => self.set(section, Set::Bases(globs)),
            (Kind::Span { .. }, Value::Text(text)) => match span(&text) {
                Some(seconds) => self.set(section, Set::Span(index, seconds)),
                None => self.trouble(at, || {
                    let text = short(&text);
                    format!("`{}` takes a span such as `90s`, not `{text}`", key.name)
                }),
            },
            (Kind::Text, Value::Text(text)) => self.set(section, Set::Texts(index, vec![text])),
            (Kind::Texts, Value::Texts(texts)) => self.set(section, Set::Texts(index, texts)),
            (Kind::Span { .. }, value) => {
                self.mistyped(key.name, "a span such as `90s`", &value, at);
            }
            (Kind::Text, value) => {
                self.mistyped(key.name, "a string", &value, at);
            }
            (Kind::Choice { words, .. }, value) => {
                self.mistyped(key.name, &listed(words), &value, at);
            }
            (Kind::Globs(_) | Kind::Texts, value) => {
                self.mistyped(key.name, "a list of strings", &value, at);
            }
        }
    }

    fn rule(&mut self, section: Option<usize>, id: &str, at: usize, value: &Value<'a>) {
        let rules = self.rules;
        let Some(rule) = rules.iter().find(|r| r.id == id) else {
            return self.trouble(at, || {
                let near = nearest(id, rules.iter().map(|r| r.id));
                format!("there is no rule `{}`{near}", short(id))
            });
        };
        let Value::Text(word) = value else {
            self.mistyped(id, &words_of(id), value, at);
            return;
        };
        match Wish::of_word(id, word) {
            Some(wish) => self.set(section, Set::Rule(rule.id, wish)),
            None => self.trouble(at, || {
                let word = short(word);
                format!("the rule `{id}` takes {}, not `{word}`", words_of(id))
            }),
        }
    }

    /// One key of the newest review bot.
    fn bot(&mut self, section: Option<usize>, name: &str, at: usize, value: Value<'a>) -> Role {
        let newest = self.part(section).and_then(|part| part.sets.last_mut());
        let done = match newest {
            Some(Set::Bot(bot)) => bot.set(name, &value),
            _ => Ok(()),
        };
        if let Err(what) = done {
            self.trouble(at, || format!("a review bot: {what}"));
        }
        Role::Leaf
    }

    fn mistyped(&mut self, name: &str, wants: &str, value: &Value, at: usize) -> Role {
        let noun = value.noun();
        self.trouble(at, || format!("`{name}` takes {wants}, not {noun}"));
        Role::Leaf
    }

    fn unknown(&mut self, group: &str, section: Option<usize>, name: &str, at: usize) -> Role {
        self.trouble(at, || {
            let full = match group {
                "" => name.to_owned(),
                group => format!("{group}.{name}"),
            };
            if full == "repo" {
                return "only a person's own policy has `[[repo]]` sections".to_owned();
            }
            let also: &[&str] = match section {
                Some(_) => &["rules", "ci.review_bot", "path", "remote"],
                None => &["rules", "ci.review_bot", "repo"],
            };
            let names = KEYS.iter().map(|k| k.name).chain(also.iter().copied());
            let near = nearest(&full, names);
            format!("there is no key `{}`{near}", short(&full))
        });
        Role::Leaf
    }

    /// Notes a mistake; the words are only made while there is room for them.
    fn trouble(&mut self, at: usize, what: impl FnOnce() -> String) {
        let told = self.sheet.troubles.len();
        if told > MOST_TROUBLES {
            return;
        }
        let line = doc::line(self.text, at);
        let what = match told {
            MOST_TROUBLES => "and more from here on".to_owned(),
            _ => what(),
        };
        self.sheet.troubles.push(format!("line {line}: {what}"));
    }
}

/// A name or word for messages, however long it is.
pub(super) fn short(text: &str) -> String {
    let mut short: String = text.chars().take(60).flat_map(char::escape_debug).collect();
    if text.chars().nth(60).is_some() {
        short.push('…');
    }
    short
}

/// The words that the rule `id` takes, as a phrase.
pub(super) fn words_of(id: &str) -> String {
    let words: Vec<&str> = WORDS
        .iter()
        .map(|(w, _)| *w)
        .chain(mild_of(id).map(|m| m.word))
        .collect();
    listed(&words)
}

pub(super) fn listed(words: &[&str]) -> String {
    let mut out = String::new();
    for (i, word) in words.iter().enumerate() {
        if i > 0 {
            out.push_str(if i + 1 == words.len() { " or " } else { ", " });
        }
        out.push('`');
        out.push_str(word);
        out.push('`');
    }
    out
}
