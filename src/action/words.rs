//! Options and operands of programs that are not git, read by a table of options that take values.

use super::{How, is_mark};
use crate::shell::{OPAQUE, Opaque, Word};

/// Which options take the next word as their value, and how options are spelled.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Takes {
    /// Letters of short options that do.
    short: &'static str,
    /// Long names that do, without dashes.
    long: &'static [&'static str],
    /// Long names follow one dash (`-chdir=x`), letters do not cluster.
    dash: bool,
    /// Verbs of the program: the word behind an option that nobody knows is its value unless it
    /// stands here. Empty: options that nobody knows take no value.
    verbs: &'static [&'static str],
}

/// Options as GNU, Go's pflag and clap read them.
pub(crate) const fn gnu(short: &'static str, long: &'static [&'static str]) -> Takes {
    Takes {
        short,
        long,
        dash: false,
        verbs: &[],
    }
}

/// Options with one dash, as terraform, Maven and PowerShell read them.
pub(crate) const fn dash(long: &'static [&'static str]) -> Takes {
    Takes {
        short: "",
        long,
        dash: true,
        verbs: &[],
    }
}

impl Takes {
    /// The same, of a program with these verbs.
    pub(crate) const fn verbs(self, verbs: &'static [&'static str]) -> Takes {
        Takes { verbs, ..self }
    }
}

/// An option of a line.
#[derive(Debug, Clone)]
pub(crate) struct Given<'w> {
    /// Its name without dashes.
    pub(crate) name: &'w str,
    /// Its value, attached or the next word.
    pub(crate) value: Option<&'w str>,
    /// A part of the value is unknown.
    pub(crate) unknown: bool,
    /// The word that names it.
    pub(crate) word: &'w Word,
}

impl Given<'_> {
    /// As a [`How`].
    pub(crate) fn how(&self) -> How {
        How {
            text: spelled(&self.word.text),
            span: self.word.span,
        }
    }
}

/// A command line without its program, taken apart.
#[derive(Debug, Clone, Default)]
pub(crate) struct Line<'w> {
    /// What is no option and no value of one.
    pub(crate) operands: Vec<&'w Word>,
    /// The options, in order.
    pub(crate) options: Vec<Given<'w>>,
    /// For each operand, how many words stood before it.
    at: Vec<usize>,
    /// All words.
    words: &'w [Word],
}

impl<'w> Line<'w> {
    /// Takes `words` (the program left out) apart.
    pub(crate) fn read(words: &'w [Word], takes: &Takes) -> Line<'w> {
        let mut line = Line {
            words,
            ..Line::default()
        };
        let mut at = 0;
        while let Some(word) = words.get(at) {
            let here = at;
            at += 1;
            let text = word.text.as_str();
            if text == "--" {
                for (i, word) in words.iter().enumerate().skip(at) {
                    line.operands.push(word);
                    line.at.push(i);
                }
                break;
            }
            let next = words.get(at);
            let used = if takes.dash && text.starts_with('-') && text.len() > 1 {
                line.long(word, text.trim_start_matches('-'), next, takes)
            } else if let Some(name) = text.strip_prefix("--") {
                line.long(word, name, next, takes)
            } else if text.starts_with('-') && text.len() > 1 {
                line.cluster(word, next, takes)
            } else {
                // `docker compose $FILES up`: unquoted, in front of a verb, it holds options.
                let options = word.opaque == Opaque::Many
                    && next.is_some_and(|w| w.known().is_some_and(|t| PLAIN_VERBS.contains(&t)));
                if !options {
                    line.operands.push(word);
                    line.at.push(here);
                }
                false
            };
            at += usize::from(used);
        }
        line
    }

    /// Reads a long option; true when it takes the next word.
    fn long(
        &mut self,
        word: &'w Word,
        name: &'w str,
        next: Option<&'w Word>,
        takes: &Takes,
    ) -> bool {
        let separator = if takes.dash {
            name.find(['=', ':'])
        } else {
            name.find('=')
        };
        if let Some((key, value)) =
            separator.and_then(|i| Some((name.get(..i)?, name.get(i + 1..)?)))
        {
            self.options.push(Given {
                name: key,
                value: Some(value),
                unknown: value.chars().any(is_mark),
                word,
            });
            return false;
        }
        let boolean = |w: &Word| matches!(w.text.as_str(), "true" | "false");
        let known = takes.long.contains(&name);
        let guessed = !known
            && self.operands.is_empty()
            && !takes.verbs.is_empty()
            && !BOOLEANS.contains(&name)
            && next.is_some_and(|w| {
                w.opaque == Opaque::No
                    && !w.text.starts_with('-')
                    && !takes.verbs.contains(&w.text.as_str())
            });
        let value = next.filter(|w| known || guessed || boolean(w));
        self.options.push(Given {
            name,
            value: value.map(|w| w.text.as_str()),
            unknown: value.is_some_and(|w| w.opaque != Opaque::No),
            word,
        });
        value.is_some()
    }

    /// Reads `-abc`, `-ovalue`, `-o value`, `-o=value`; true when it takes the next word.
    fn cluster(&mut self, word: &'w Word, next: Option<&'w Word>, takes: &Takes) -> bool {
        for (i, letter) in word.text.char_indices().skip(1) {
            let end = i + letter.len_utf8();
            let (Some(name), Some(rest)) = (word.text.get(i..end), word.text.get(end..)) else {
                return false;
            };
            let attached = rest.strip_prefix('=');
            if attached.is_none() && !takes.short.contains(letter) {
                self.options.push(Given {
                    name,
                    value: None,
                    unknown: false,
                    word,
                });
                continue;
            }
            let here = attached.or((!rest.is_empty()).then_some(rest));
            let value = here.or(next.map(|w| w.text.as_str()));
            self.options.push(Given {
                name,
                value,
                unknown: value.is_some_and(|v| v.chars().any(is_mark)),
                word,
            });
            return here.is_none();
        }
        false
    }

    /// The words behind operand `n`.
    pub(crate) fn after(&self, n: usize) -> &'w [Word] {
        let at = self.at.get(n).map_or(self.words.len(), |i| i + 1);
        self.words.get(at..).unwrap_or_default()
    }

    /// The words from operand `n` on.
    pub(crate) fn from(&self, n: usize) -> &'w [Word] {
        let at = self.at.get(n).copied().unwrap_or(self.words.len());
        self.words.get(at..).unwrap_or_default()
    }

    /// Operand `n`, when it is known.
    pub(crate) fn operand(&self, n: usize) -> Option<&'w str> {
        self.operands.get(n).and_then(|w| w.known())
    }

    /// The last of these options, whatever its value.
    pub(crate) fn last(&self, names: &[&str]) -> Option<&Given<'w>> {
        self.options.iter().rev().find(|o| names.contains(&o.name))
    }

    /// All values of these options.
    pub(crate) fn values(&self, names: &[&str]) -> impl Iterator<Item = &'w str> {
        self.options
            .iter()
            .filter(|o| names.contains(&o.name))
            .filter_map(|o| o.value)
    }

    /// One of these switches is on, or may be: the last one wins, `--no-x` and `--x=false` put it off.
    pub(crate) fn on(&self, names: &[&str]) -> Option<&Given<'w>> {
        self.switch(names, true)
    }

    /// One of these switches is on for sure.
    pub(crate) fn surely(&self, names: &[&str]) -> bool {
        self.switch(names, false).is_some()
    }

    fn switch(&self, names: &[&str], unsure: bool) -> Option<&Given<'w>> {
        let mut state = None;
        for option in &self.options {
            if names.contains(&option.name) {
                let off = matches!(
                    option.value,
                    Some("false" | "0" | "no" | "none" | "off" | "False")
                );
                let on = !off && (unsure || !option.unknown);
                state = on.then_some(option);
            } else if option
                .name
                .strip_prefix("no-")
                .is_some_and(|n| names.contains(&n))
            {
                state = None;
            }
        }
        state
    }

    /// Only help or the version is asked for.
    pub(crate) fn asks_help(&self) -> bool {
        self.surely(&["help", "h"]) || (self.operands.is_empty() && self.surely(&["version", "V"]))
    }
}

/// Options without values that stand before verbs of many programs.
const BOOLEANS: &[&str] = &[
    "silent",
    "quiet",
    "verbose",
    "recursive",
    "workspaces",
    "yes",
    "force",
    "json",
    "global",
    "include-workspace-root",
    "workspace-root",
    "dry-run",
    "offline",
    "prefer-offline",
    "parallel",
    "stream",
    "aggregate-output",
    "color",
    "no-color",
    "ignore-scripts",
    "if-present",
    "production",
    "legacy-peer-deps",
    "foreground-scripts",
    "non-interactive",
    "frozen-lockfile",
    "bun",
    "help",
    "version",
    "debug",
    "long",
    "parseable",
    "save-dev",
    "save-exact",
    "strict-ssl",
    "no-bail",
    "sort",
    "no-sort",
    "use-beta-cli",
    "yes-all",
    "trace",
    "provenance",
    "no-git-checks",
    "no-audit",
    "no-fund",
];

/// Words that are verbs wherever they follow unknown words.
const PLAIN_VERBS: &[&str] = &[
    "get",
    "describe",
    "logs",
    "ps",
    "up",
    "down",
    "run",
    "exec",
    "build",
    "test",
    "check",
    "plan",
    "list",
    "ls",
    "view",
    "status",
    "diff",
    "show",
    "install",
    "ci",
    "start",
    "stop",
    "restart",
    "version",
    "config",
    "pull",
    "images",
    "inspect",
    "template",
    "lint",
    "validate",
    "fmt",
    "init",
    "output",
    "top",
    "clippy",
    "bench",
    "doc",
    "clean",
    "publish",
    "push",
    "apply",
    "delete",
    "upload",
    "destroy",
    "merge",
    "release",
    "pr",
    "mr",
    "api",
    "repo",
    "upgrade",
    "uninstall",
    "rollback",
    "deploy",
    "yank",
    "unpublish",
    "scale",
    "patch",
    "replace",
    "create",
    "rollout",
    "compose",
    "buildx",
    "workflow",
    "issue",
    "edit",
    "comment",
    "checks",
];

/// Adds `text` with `…` for its marks.
pub(crate) fn push_shown(text: &str, out: &mut String) {
    let plain = |b: u8| b.is_ascii() & (b != OPAQUE as u8);
    if text.bytes().fold(true, |all, b| all & plain(b)) {
        out.push_str(text);
    } else {
        out.extend(text.chars().map(|c| if is_mark(c) { '…' } else { c }));
    }
}

/// A word for messages: `…` for what is unknown.
pub(crate) fn spelled(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    push_shown(text, &mut out);
    out
}

/// Whether `text` is the verb `pattern`, in which `|` ends the shortest form that is accepted:
/// `pu|sh` is `pu`, `pus` and `push`.
pub(crate) fn is_verb(pattern: &str, text: &str) -> bool {
    let Some((least, rest)) = pattern.split_once('|') else {
        return pattern == text;
    };
    text.strip_prefix(least)
        .is_some_and(|tail| rest.starts_with(tail))
}

/// How far the operands of a line spell a verb path.
pub(crate) enum Spells<'w> {
    /// All of it; the last word.
    All(&'w Word),
    /// As far as it is known; this word is not.
    Perhaps(&'w Word),
    /// Something else.
    No,
}

/// Compares the first operands with a verb path.
pub(crate) fn spells<'w>(operands: &[&'w Word], path: &[&str]) -> Spells<'w> {
    let mut last = None;
    for (n, pattern) in path.iter().enumerate() {
        match operands.get(n) {
            Some(word) if word.opaque != Opaque::No => return Spells::Perhaps(word),
            Some(word) if is_verb(pattern, &word.text) => last = Some(*word),
            _ => return Spells::No,
        }
    }
    last.map_or(Spells::No, Spells::All)
}

/// Commands for tests, cut by blanks and quotes; `$X` is unknown: any words where it stands bare,
/// one word inside quotes.
#[cfg(test)]
pub(crate) mod testing {
    use crate::shell::{Command, OPAQUE, Opaque, Span, Word};

    /// One command.
    pub(crate) fn command(text: &str) -> Command {
        let mut words = Vec::new();
        let mut now: Option<Word> = None;
        let mut quote = None;
        let mut chars = text.char_indices().peekable();
        while let Some((at, c)) = chars.next() {
            if quote.is_none() && c.is_whitespace() {
                words.extend(now.take());
                continue;
            }
            let word = now.get_or_insert_with(|| Word {
                span: Span { start: at, end: at },
                ..Word::default()
            });
            match (quote, c) {
                (None, '\'' | '"') => quote = Some(c),
                (Some(q), c) if q == c => quote = None,
                (Some('"') | None, '$') => {
                    while chars
                        .next_if(|(_, c)| c.is_ascii_alphanumeric() || *c == '@')
                        .is_some()
                    {}
                    word.text.push(OPAQUE);
                    word.opaque = if quote.is_some() {
                        Opaque::One
                    } else {
                        Opaque::Many
                    };
                }
                (_, '\\') if quote != Some('\'') => word.text.extend(chars.next().map(|(_, c)| c)),
                (_, c) => word.text.push(c),
            }
            word.glob |= quote.is_none() && matches!(c, '*' | '?' | '[');
            word.span.end = chars.peek().map_or(text.len(), |(at, _)| *at);
        }
        words.extend(now);
        Command {
            words,
            span: Span {
                start: 0,
                end: text.len(),
            },
            dirs: std::rc::Rc::new(vec![Some("/repo".into())]),
            ..Command::default()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<Word> {
        let word = |t: &str| Word {
            text: t.replace('$', "\u{1}"),
            opaque: if t.contains('$') {
                Opaque::One
            } else {
                Opaque::No
            },
            ..Word::default()
        };
        text.split_whitespace().map(word).collect()
    }

    fn operands(text: &str, takes: &Takes) -> Vec<String> {
        let words = words(text);
        let line = Line::read(&words, takes);
        line.operands.iter().map(|w| spelled(&w.text)).collect()
    }

    #[test]
    fn values_of_options_are_no_operands() {
        let takes = gnu("wC", &["workspace"]);
        assert_eq!(operands("--workspace core publish", &takes), ["publish"]);
        assert_eq!(operands("-w core publish", &takes), ["publish"]);
        assert_eq!(operands("-wcore -xC dir publish", &takes), ["publish"]);
        assert_eq!(
            operands("--workspace=core publish x", &takes),
            ["publish", "x"]
        );
        assert_eq!(
            operands("-- --workspace publish", &takes),
            ["--workspace", "publish"]
        );
        assert_eq!(operands("", &takes), Vec::<String>::new());
        assert_eq!(operands("--workspace", &takes), Vec::<String>::new());
        assert_eq!(operands("-w", &takes), Vec::<String>::new());
    }

    #[test]
    fn an_unknown_option_before_the_verb_takes_a_value_unless_a_verb_follows() {
        let takes = gnu("", &[]).verbs(&["run", "publish"]);
        assert_eq!(operands("--odd x publish", &takes), ["publish"]);
        assert_eq!(operands("--odd run publish", &takes), ["run", "publish"]);
        assert_eq!(operands("--silent x publish", &takes), ["x", "publish"]);
    }

    #[test]
    fn the_last_switch_wins() {
        let on = |text: &str| {
            let words = words(text);
            let line = Line::read(&words, &gnu("", &[]));
            (line.on(&["dry-run"]).is_some(), line.surely(&["dry-run"]))
        };
        assert_eq!(on("--dry-run"), (true, true));
        assert_eq!(on("--dry-run=client"), (true, true));
        assert_eq!(on("--dry-run=none"), (false, false));
        assert_eq!(on("--dry-run --no-dry-run"), (false, false));
        assert_eq!(on("--dry-run false"), (false, false));
        assert_eq!(on("--no-dry-run --dry-run"), (true, true));
        assert_eq!(on("--dry-run=$"), (true, false));
        assert_eq!(on("-- --dry-run"), (false, false));
        assert_eq!(on("-d"), (false, false));
    }

    #[test]
    fn verbs_may_be_cut_as_far_as_the_program_allows() {
        assert!(
            is_verb("pu|blish", "pu")
                && is_verb("pu|blish", "publi")
                && is_verb("pu|blish", "publish")
        );
        assert!(
            !is_verb("pu|blish", "p")
                && !is_verb("pu|blish", "publisher")
                && !is_verb("pu|blish", "pux")
        );
        assert!(is_verb("push", "push") && !is_verb("push", "pus"));
    }
}
