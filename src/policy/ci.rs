//! What policies say of CI beyond words: spans, lists, programs, review bots.

use super::bot::ReviewBot;
use super::change::Change;
use super::read::Set;
use super::table::{KEYS, at};
use std::borrow::Cow;

/// Whether pushes wait for CI.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Gate {
    /// They do.
    On,
    /// Where the forge's program is installed and logged in.
    Auto,
    /// They do not.
    Off,
}

/// Who is asked what runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Provider {
    /// By the host of the push URL.
    Auto,
    /// `gh`.
    Github,
    /// `glab`.
    Gitlab,
    /// A program of the user's own.
    Command,
    /// A file.
    File,
}

/// The wishes about CI that are no words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ci {
    /// So many seconds after a push its checks may not be registered yet.
    pub grace: u32,
    /// So many seconds a bot that cannot be watched may not have written.
    pub quiet: u32,
    /// What runs for more seconds than this is taken for stuck.
    pub max_age: u32,
    /// Globs over names of checks that nobody waits for.
    pub ignore: Vec<String>,
    /// Hosts of GitHub Enterprise Server.
    pub github_hosts: Vec<String>,
    /// Hosts of GitLab.
    pub gitlab_hosts: Vec<String>,
    /// A program and its arguments.
    pub command: Vec<String>,
    /// A file with the state, or an empty text.
    pub file: String,
    /// Review bots beside the built-in ones.
    pub bots: Vec<ReviewBot>,
}

impl Ci {
    /// What holds where nobody says anything.
    pub const DEFAULT: Ci = Ci {
        grace: 90,
        quiet: 120,
        max_age: 6 * 3600,
        ignore: Vec::new(),
        github_hosts: Vec::new(),
        gitlab_hosts: Vec::new(),
        command: Vec::new(),
        file: String::new(),
        bots: Vec::new(),
    };

    /// The built-in bots and those of the policy, which go before one of the same name.
    pub fn review_bots(&self) -> Vec<ReviewBot> {
        let mut all = ReviewBot::built_in();
        all.retain(|bot| !self.bots.iter().any(|own| own.name == bot.name));
        all.extend(self.bots.iter().cloned());
        all
    }

    /// Takes one saying over; who is not `free` to loosen only tightens.
    pub(super) fn take(&mut self, set: &Set, free: bool) -> Took {
        match set {
            Set::Span(index, seconds) => {
                let slot = match *index {
                    at::CI_GRACE => &mut self.grace,
                    at::CI_QUIET => &mut self.quiet,
                    _ => &mut self.max_age,
                };
                if !free && *seconds <= *slot {
                    return match *seconds < *slot {
                        true => Took::Held(named(*index, &shown_span(*seconds))),
                        false => Took::Nothing,
                    };
                }
                *slot = *seconds;
                Took::Changed
            }
            Set::Texts(index, texts) => self.texts(*index, texts, free),
            Set::Bot(bot) => self.bot(bot, free),
            _ => Took::Nothing,
        }
    }

    fn texts(&mut self, index: usize, texts: &[Cow<str>], free: bool) -> Took {
        let wanted = || texts.iter().map(|t| t.to_string());
        let held = || Took::Held(named(index, &texts.join(" ")));
        let (slot, more_is_stricter) = match index {
            at::CI_FILE => {
                let text = texts.first().map(Cow::as_ref).unwrap_or_default();
                if text == self.file {
                    return if free { Took::Changed } else { Took::Nothing };
                }
                if !free {
                    return held();
                }
                text.clone_into(&mut self.file);
                return Took::Changed;
            }
            at::CI_IGNORE => (&mut self.ignore, Some(false)),
            at::CI_GITHUB_HOSTS => (&mut self.github_hosts, Some(true)),
            at::CI_GITLAB_HOSTS => (&mut self.gitlab_hosts, Some(true)),
            _ => (&mut self.command, None),
        };
        if free {
            *slot = wanted().collect();
            return Took::Changed;
        }
        if slot.iter().eq(texts.iter()) {
            return Took::Nothing;
        }
        let before = slot.len();
        match more_is_stricter {
            // More hosts are more places where pushes wait.
            Some(true) => {
                for text in wanted() {
                    if !slot.contains(&text) {
                        slot.push(text);
                    }
                }
            }
            Some(false) => slot.retain(|t| texts.iter().any(|text| text == t)),
            None => return held(),
        }
        let looser = match more_is_stricter {
            Some(true) => slot.iter().any(|t| !texts.iter().any(|text| text == t)),
            _ => texts.iter().any(|text| !slot.iter().any(|t| text == t)),
        };
        match (slot.len() == before, looser) {
            (false, _) => Took::Changed,
            (true, true) => held(),
            (true, false) => Took::Nothing,
        }
    }

    fn bot(&mut self, bot: &ReviewBot, free: bool) -> Took {
        let known = self.review_bots().into_iter().find(|b| b.name == bot.name);
        match known {
            Some(known) if known == *bot => Took::Nothing,
            Some(_) if !free => Took::Held(format!("another review bot `{}`", bot.name)),
            _ => {
                self.bots.retain(|b| b.name != bot.name);
                self.bots.push(bot.clone());
                Took::Changed
            }
        }
    }
}

impl Default for Ci {
    fn default() -> Ci {
        Ci::DEFAULT
    }
}

/// What became of a saying.
pub(super) enum Took {
    /// It holds now.
    Changed,
    /// It was so already.
    Nothing,
    /// It would loosen, so it does not hold.
    Held(String),
}

pub(super) fn named(index: usize, value: &str) -> String {
    let key = KEYS.get(index).map_or("", |k| k.name);
    format!("`{key} = \"{value}\"`")
}

/// Everything that differs.
pub(super) fn changes(before: &Ci, after: &Ci) -> Vec<Change> {
    let mut out = Vec::new();
    let mut note = |index: usize, from: String, to: String, loosens: bool| {
        if from != to {
            let name = KEYS.get(index).map_or("", |k| k.name).to_owned();
            out.push(Change {
                name,
                from,
                to,
                loosens,
            });
        }
    };
    for (index, from, to) in [
        (at::CI_GRACE, before.grace, after.grace),
        (at::CI_QUIET, before.quiet, after.quiet),
        (at::CI_MAX_AGE, before.max_age, after.max_age),
    ] {
        note(index, shown_span(from), shown_span(to), to < from);
    }
    let gone = |from: &[String], to: &[String]| from.iter().any(|t| !to.contains(t));
    for (index, from, to, loosens) in [
        (
            at::CI_IGNORE,
            &before.ignore,
            &after.ignore,
            gone(&after.ignore, &before.ignore),
        ),
        (
            at::CI_GITHUB_HOSTS,
            &before.github_hosts,
            &after.github_hosts,
            gone(&before.github_hosts, &after.github_hosts),
        ),
        (
            at::CI_GITLAB_HOSTS,
            &before.gitlab_hosts,
            &after.gitlab_hosts,
            gone(&before.gitlab_hosts, &after.gitlab_hosts),
        ),
        // Another program or file may say anything; none says nothing.
        (
            at::CI_COMMAND,
            &before.command,
            &after.command,
            !after.command.is_empty(),
        ),
    ] {
        note(index, from.join(" "), to.join(" "), loosens);
    }
    let loosens = !after.file.is_empty();
    note(
        at::CI_FILE,
        before.file.clone(),
        after.file.clone(),
        loosens,
    );
    let names = |ci: &Ci| ci.bots.iter().map(|b| b.name.clone()).collect::<Vec<_>>();
    if before.bots != after.bots {
        // A new bot is one more to wait for; another one of a known name may be less.
        let (old, new) = (before.review_bots(), after.review_bots());
        out.push(Change {
            name: "ci.review_bot".to_owned(),
            from: names(before).join(" "),
            to: names(after).join(" "),
            loosens: old.iter().any(|bot| !new.contains(bot)),
        });
    }
    out
}

/// Reads `90s`, `5m` or `6h` as seconds.
pub(super) fn span(text: &str) -> Option<u32> {
    let unit = match text.as_bytes().last()? {
        b's' => 1,
        b'm' => 60,
        b'h' => 3600,
        _ => return None,
    };
    let digits = text.get(..text.len().checked_sub(1)?)?;
    let plain = !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit());
    digits
        .parse::<u32>()
        .ok()
        .filter(|_| plain)?
        .checked_mul(unit)
}

/// Seconds as [`span`] reads them.
pub(super) fn shown_span(seconds: u32) -> String {
    match seconds {
        s if s > 0 && s.is_multiple_of(3600) => format!("{}h", s / 3600),
        s if s > 0 && s.is_multiple_of(60) => format!("{}m", s / 60),
        s => format!("{s}s"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_span_comes_back_as_it_was_written() {
        for text in ["0s", "90s", "5m", "6h", "3601s"] {
            assert_eq!(span(text).map(shown_span).as_deref(), Some(text));
        }
        for text in ["", "s", "5", "+5m", "-1s", "5d", "9999999999s", "2000000h"] {
            assert_eq!(span(text), None, "{text}");
        }
    }

    #[test]
    fn the_defaults_are_those_of_the_table() {
        use super::super::table::Kind;
        for (index, value) in [
            (at::CI_GRACE, Ci::DEFAULT.grace),
            (at::CI_QUIET, Ci::DEFAULT.quiet),
            (at::CI_MAX_AGE, Ci::DEFAULT.max_age),
        ] {
            assert_eq!(KEYS[index].kind, Kind::Span { default: value });
        }
    }
}
