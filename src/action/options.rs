//! git's own option rules, once: tables, clusters, values, negations and unique prefixes.

use crate::action::{How, is_mark};
use crate::shell::{Opaque, Word};

/// Whether an option takes a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Takes {
    /// Never.
    Nothing,
    /// Always: attached, or else the next word.
    Value,
    /// Only when attached.
    Maybe,
}

/// Which state of an option an ambiguous spelling is taken for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Risk {
    None,
    On,
    Off,
}

/// One line of a verb's option table.
#[derive(Debug, Clone, Copy)]
pub struct Opt {
    /// The long name; a name of one letter has no long form. `no-…` where git's own table says so.
    pub name: &'static str,
    short: char,
    takes: Takes,
    negatable: bool,
    risk: Risk,
}

const fn opt(name: &'static str, short: char, takes: Takes) -> Opt {
    Opt {
        name,
        short,
        takes,
        negatable: true,
        risk: Risk::None,
    }
}

/// An option without a value; `-` stands for no short letter.
pub const fn flag(name: &'static str, short: char) -> Opt {
    opt(name, short, Takes::Nothing)
}

/// An option that takes a value.
pub const fn value(name: &'static str, short: char) -> Opt {
    opt(name, short, Takes::Value)
}

/// An option that takes an attached value or none.
pub const fn maybe(name: &'static str, short: char) -> Opt {
    opt(name, short, Takes::Maybe)
}

impl Opt {
    /// It has no `--no-` form.
    pub const fn fixed(mut self) -> Opt {
        self.negatable = false;
        self
    }

    /// An ambiguous prefix is read as this option.
    pub const fn risky(mut self) -> Opt {
        self.risk = Risk::On;
        self
    }

    /// An ambiguous prefix of its negation is read as that.
    pub const fn risky_off(mut self) -> Opt {
        self.risk = Risk::Off;
        self
    }

    /// The long name, and the short letter if it has one.
    pub fn spellings(&self) -> (Option<&'static str>, Option<char>) {
        let long = (self.name.len() > 1).then_some(self.name);
        (long, (self.short != '-').then_some(self.short))
    }

    /// What it takes, and whether it can be negated.
    pub fn kind(&self) -> (Takes, bool) {
        (self.takes, self.negatable)
    }
}

/// The rest of a word from a byte on: an option's value.
#[derive(Debug, Clone, Copy)]
struct Piece<'a> {
    word: &'a Word,
    from: usize,
}

/// One option as it was given.
#[derive(Debug, Clone, Copy)]
pub struct Given<'a> {
    /// Its line in the table.
    pub opt: &'static Opt,
    /// False for the negated form.
    pub on: bool,
    word: &'a Word,
    letter: bool,
    value: Option<Piece<'a>>,
}

impl<'a> Given<'a> {
    /// The option as typed; a letter of a cluster stands alone.
    pub fn how(&self) -> How {
        How {
            text: if self.letter {
                format!("-{}", self.opt.short)
            } else {
                display(&self.word.text)
            },
            span: self.word.span,
        }
    }

    /// The value as a word of its own.
    pub fn value(&self) -> Option<Word> {
        let piece = self.value?;
        let text = piece.word.text.get(piece.from..).unwrap_or_default();
        Some(Word {
            text: text.to_owned(),
            opaque: match piece.word.opaque {
                Opaque::One if !text.chars().any(is_mark) => Opaque::No,
                other => other,
            },
            ..piece.word.clone()
        })
    }

    /// The value where every byte of it is known.
    pub fn known(&self) -> Option<&'a str> {
        let piece = self.value?;
        let text = piece.word.text.get(piece.from..)?;
        (piece.word.opaque == Opaque::No || !text.chars().any(is_mark)).then_some(text)
    }

    /// Whether a value was given.
    pub fn has_value(&self) -> bool {
        self.value.is_some()
    }
}

/// Why a word of a command line cannot be read as it stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Blur {
    /// It is an option, and which one is unknown: `--$X`.
    Option,
    /// A value that may turn into several words: `-m $X`.
    Value,
    /// A word of unknown beginning that may turn into several, options among them: `$X`.
    Words,
}

/// A verb's words, read by git's rules.
#[derive(Debug, Clone, Default)]
pub struct Line<'a> {
    /// The options in order.
    pub given: Vec<Given<'a>>,
    /// Everything that is no option.
    pub args: Vec<&'a Word>,
    /// How many of `args` stood before `--`, if it was there.
    pub dashdash: Option<usize>,
    /// `-h`, `--help`: nothing else happens.
    pub help: bool,
    /// git refuses these words.
    pub refused: bool,
    /// The words that may be other than they look.
    pub blurred: Vec<(Blur, &'a Word)>,
}

impl<'a> Line<'a> {
    /// The last mention of an option: the one that counts.
    pub fn last(&self, name: &str) -> Option<&Given<'a>> {
        self.given.iter().rev().find(|g| g.opt.name == name)
    }

    /// The option as typed if it is on in the end.
    pub fn on(&self, name: &str) -> Option<How> {
        self.last(name).filter(|g| g.on).map(Given::how)
    }

    /// Whether the option is on in the end.
    pub fn has(&self, name: &str) -> bool {
        self.last(name).is_some_and(|g| g.on)
    }

    /// Whether one of these options is on in the end.
    pub fn any(&self, names: &[&str]) -> bool {
        names.iter().any(|name| self.has(name))
    }

    /// The first of these options that is on in the end.
    pub fn first_on(&self, names: &[&str]) -> Option<How> {
        names.iter().find_map(|name| self.on(name))
    }

    /// The option's last value, unless a negation followed.
    pub fn value(&self, name: &str) -> Option<Word> {
        self.last(name).filter(|g| g.on).and_then(Given::value)
    }

    /// The words in front of `--`, or all.
    pub fn before(&self) -> &[&'a Word] {
        let end = self.dashdash.unwrap_or(self.args.len());
        self.args.get(..end).unwrap_or_default()
    }

    /// The words behind `--`.
    pub fn after(&self) -> &[&'a Word] {
        let start = self.dashdash.unwrap_or(self.args.len());
        self.args.get(start..).unwrap_or_default()
    }

    /// Copies of the arguments from `start` on.
    pub fn words(&self, start: usize) -> Vec<Word> {
        owned(self.args.get(start..).unwrap_or_default())
    }

    /// A copy of one argument.
    pub fn arg(&self, at: usize) -> Option<Word> {
        self.args.get(at).map(|w| (*w).clone())
    }
}

/// Copies of `words`.
pub fn owned(words: &[&Word]) -> Vec<Word> {
    words.iter().map(|w| (*w).clone()).collect()
}

/// Known text, `…` where it is unknown.
pub fn display(text: &str) -> String {
    text.chars()
        .map(|c| if is_mark(c) { '…' } else { c })
        .collect()
}

/// Whether the first byte of a word is unknown.
pub fn starts_unknown(word: &Word) -> bool {
    word.opaque != Opaque::No && word.text.chars().next().is_none_or(is_mark)
}

/// Reads `words` where options may stand anywhere, as most verbs do.
pub fn parse<'a>(words: &'a [Word], table: &'static [Opt]) -> Line<'a> {
    read(words, table, false)
}

/// Reads `words` where the first argument ends the options.
pub fn parse_leading<'a>(words: &'a [Word], table: &'static [Opt]) -> Line<'a> {
    read(words, table, true)
}

fn read<'a>(words: &'a [Word], table: &'static [Opt], leading: bool) -> Line<'a> {
    let mut line = Line::default();
    let mut rest = words.iter();
    while let Some(word) = rest.next() {
        let text = word.text.as_str();
        if !text.starts_with('-') || text == "-" {
            if word.opaque == Opaque::Many && starts_unknown(word) {
                line.blurred.push((Blur::Words, word));
            }
            line.args.push(word);
            if leading {
                line.args.extend(rest);
                break;
            }
        } else if text == "--" {
            line.dashdash = Some(line.args.len());
            line.args.extend(rest);
            break;
        } else if text == "--end-of-options" {
            for word in rest {
                if line.dashdash.is_none() && word.text == "--" {
                    line.dashdash = Some(line.args.len());
                } else {
                    line.args.push(word);
                }
            }
            break;
        } else if let Some(body) = text.strip_prefix("--") {
            line.long(word, body, table, &mut rest);
        } else {
            line.cluster(word, table, &mut rest);
        }
    }
    line
}

impl<'a> Line<'a> {
    fn long(
        &mut self,
        word: &'a Word,
        body: &'a str,
        table: &'static [Opt],
        rest: &mut std::slice::Iter<'a, Word>,
    ) {
        let (name, attached) = match body.split_once('=') {
            Some((name, _)) => (name, true),
            None => (body, false),
        };
        if word.opaque != Opaque::No && name.chars().any(is_mark) {
            self.blurred.push((Blur::Option, word));
            return;
        }
        if name == "help" || name == "help-all" {
            self.help = true;
            return;
        }
        let found = find(table, name);
        self.refused |= !found.clear;
        let Some((opt, on)) = found.option else {
            return;
        };
        // Two dashes, the name and the equals sign.
        let from = name.len().saturating_add(3);
        let mut value = attached.then_some(Piece { word, from });
        if attached {
            self.refused |= !on || opt.takes == Takes::Nothing;
            self.blur_value(word);
        } else if on && opt.takes == Takes::Value {
            value = self.next_value(rest);
        }
        self.given.push(Given {
            opt,
            on,
            word,
            letter: false,
            value,
        });
    }

    fn cluster(
        &mut self,
        word: &'a Word,
        table: &'static [Opt],
        rest: &mut std::slice::Iter<'a, Word>,
    ) {
        self.refused |= is_typo(&word.text, table);
        for (at, letter) in word.text.char_indices().skip(1) {
            if is_mark(letter) && word.opaque != Opaque::No {
                self.blurred.push((Blur::Option, word));
                return;
            }
            let Some(opt) = table.iter().find(|o| o.short == letter && letter != '-') else {
                self.help |= letter == 'h';
                self.refused = true;
                continue;
            };
            let from = at.saturating_add(letter.len_utf8());
            let attached = from < word.text.len();
            let value = match opt.takes {
                Takes::Nothing => None,
                Takes::Value | Takes::Maybe if attached => {
                    self.blur_value(word);
                    Some(Piece { word, from })
                }
                Takes::Value => self.next_value(rest),
                Takes::Maybe => None,
            };
            self.given.push(Given {
                opt,
                on: true,
                word,
                letter: true,
                value,
            });
            if attached && opt.takes != Takes::Nothing {
                return;
            }
        }
    }

    fn next_value(&mut self, rest: &mut std::slice::Iter<'a, Word>) -> Option<Piece<'a>> {
        let Some(word) = rest.next() else {
            self.refused = true;
            return None;
        };
        self.blur_value(word);
        Some(Piece { word, from: 0 })
    }

    fn blur_value(&mut self, word: &'a Word) {
        if word.opaque == Opaque::Many {
            self.blurred.push((Blur::Value, word));
        }
    }
}

struct Found {
    option: Option<(&'static Opt, bool)>,
    clear: bool,
}

/// A long name: an exact one, else the only option that it begins, negations included.
fn find(table: &'static [Opt], name: &str) -> Found {
    let (stem, negated, twice) = match name.strip_prefix("no-") {
        Some(rest) => match rest.strip_prefix("no-") {
            Some(rest) => (rest, false, true),
            None => (rest, true, false),
        },
        None => (name, false, false),
    };
    let mut first: Option<(&'static Opt, bool)> = None;
    let mut risky = None;
    let mut count = 0_usize;
    let mut meet = |opt: &'static Opt, on: bool| {
        count = count.saturating_add(1);
        first = first.or(Some((opt, on)));
        let wanted = if on { Risk::On } else { Risk::Off };
        if risky.is_none() && opt.risk == wanted {
            risky = Some((opt, on));
        }
    };
    for opt in table {
        if opt.name.len() == 1 {
            continue;
        }
        let (long, named_no) = match opt.name.strip_prefix("no-") {
            Some(long) => (long, true),
            None if twice => continue,
            None => (opt.name, false),
        };
        if negated != named_no && !opt.negatable {
            continue;
        }
        let on = negated == named_no;
        if long == stem {
            return Found {
                option: Some((opt, on)),
                clear: true,
            };
        }
        if long.starts_with(stem) {
            meet(opt, on);
        }
        if opt.negatable && "no-".starts_with(name) {
            meet(opt, named_no);
        }
    }
    Found {
        option: if count == 1 { first } else { risky },
        clear: count == 1,
    }
}

/// `-amend`: git takes a long name behind one dash for a mistake.
fn is_typo(text: &str, table: &'static [Opt]) -> bool {
    let body = text.strip_prefix('-').unwrap_or(text);
    let first = table.iter().find(|o| body.starts_with(o.short));
    body.len() >= 3
        && first.is_none_or(|o| o.takes == Takes::Nothing)
        && (body.starts_with("no-") || table.iter().any(|o| o.name.starts_with(body)))
}

#[cfg(test)]
mod tests {
    use super::{Blur, Opt, flag, maybe, parse, parse_leading, value};
    use crate::shell::{OPAQUE, Opaque, Word};

    const TABLE: &[Opt] = &[
        flag("force", 'f').risky(),
        maybe("force-with-lease", '-'),
        flag("follow", '-'),
        flag("dry-run", 'n').risky_off(),
        flag("no-verify", '-').risky(),
        flag("verbose", 'v'),
        value("message", 'm'),
        maybe("sign", 'S'),
        flag("mirror", '-').fixed(),
    ];

    fn words(line: &str) -> Vec<Word> {
        let word = |text: &str| Word {
            text: text.replace('$', &OPAQUE.to_string()),
            opaque: if text.contains('$') {
                Opaque::Many
            } else {
                Opaque::No
            },
            ..Word::default()
        };
        line.split(' ').map(word).collect()
    }

    fn on(line: &str, name: &str) -> bool {
        parse(&words(line), TABLE).has(name)
    }

    #[test]
    fn an_exact_name_wins_over_longer_ones_and_the_last_mention_counts() {
        assert!(on("--force", "force"));
        assert!(!on("--force", "force-with-lease"));
        assert!(on("--force-w", "force-with-lease"));
        assert!(!on("--force --no-force", "force"));
        assert!(on("--no-force --force", "force"));
        assert!(!on("--no-verify --verify", "no-verify"));
    }

    #[test]
    fn an_ambiguous_name_is_the_dangerous_one() {
        let two = words("--fo");
        let line = parse(&two, TABLE);
        assert!(line.refused && line.has("force"));
        assert!(on("--no-v", "no-verify"));
        assert!(!on("--mi", "force") && on("--mi", "mirror"));
        assert!(parse(&words("--no-mirror"), TABLE).refused);
    }

    #[test]
    fn a_cluster_ends_at_the_letter_that_takes_the_rest() {
        assert!(on("-vf", "force"));
        assert!(!on("-mf", "force"));
        assert!(!on("-vm -f", "force"));
        assert!(on("-mx -f", "force"));
        assert!(!on("-Sf", "force"));
        assert!(on("-S -f", "force"));
        assert!(on("-éf", "force"));
        let line = words("-vm x");
        assert_eq!(
            parse(&line, TABLE)
                .value("message")
                .map(|w| w.text)
                .as_deref(),
            Some("x")
        );
    }

    #[test]
    fn options_may_follow_arguments_but_not_two_dashes() {
        assert!(on("a b -f", "force"));
        assert!(!on("a -- -f", "force"));
        assert!(!on("a --end-of-options -f", "force"));
        assert!(!parse_leading(&words("a -f"), TABLE).has("force"));
        let line = words("a -- b c");
        let line = parse(&line, TABLE);
        assert_eq!((line.before().len(), line.after().len()), (1, 2));
    }

    #[test]
    fn a_known_option_may_have_an_unknown_value() {
        let blurs = |line: &str| {
            let words = words(line);
            let line = parse(&words, TABLE);
            line.blurred
                .iter()
                .map(|(blur, _)| *blur)
                .collect::<Vec<_>>()
        };
        assert_eq!(blurs("--message=$"), [Blur::Value]);
        assert_eq!(blurs("-m $"), [Blur::Value]);
        assert_eq!(blurs("--$"), [Blur::Option]);
        assert_eq!(blurs("-v$"), [Blur::Option]);
        assert_eq!(blurs("$"), [Blur::Words]);
        assert_eq!(blurs("a$"), []);
        assert_eq!(blurs("-- $"), []);
    }

    #[test]
    fn a_long_name_behind_one_dash_is_refused() {
        assert!(parse(&words("-force"), TABLE).refused);
        assert!(!parse(&words("-fv"), TABLE).refused);
    }
}
