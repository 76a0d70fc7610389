//! Recipes of a makefile: the rules of the named targets and of what they need, with variables put in.
//!
//! What only make itself can work out (functions, pattern rules, included files) is left out: a
//! recipe line that begins with such a thing is not known, and not told.

use super::at_line;
use crate::action::words::{Line, Takes, gnu};
use crate::shell::{OPAQUE, Recipe, Stdin, Word};
use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet};

const TAKES: Takes = gnu(
    "CfIlojW",
    &[
        "directory",
        "file",
        "makefile",
        "include-dir",
        "eval",
        "load-average",
        "old-file",
        "assume-old",
        "what-if",
        "new-file",
        "assume-new",
    ],
);

/// Variables that make itself sets.
const BUILT_IN: &[(&str, &str)] = &[
    ("AR", "ar"),
    ("AS", "as"),
    ("CC", "cc"),
    ("CPP", "cc -E"),
    ("CXX", "g++"),
    ("FC", "f77"),
    ("LD", "ld"),
    ("LEX", "lex"),
    ("LINT", "lint"),
    ("M2C", "m2c"),
    ("MAKE", "make"),
    ("PC", "pc"),
    ("RM", "rm -f"),
    ("YACC", "yacc"),
];

/// How deep variables may name each other.
const DEPTH: usize = 16;

/// The longest line that putting in variables may make.
const LONGEST: usize = 64 * 1024;

/// So many variables are put in: they may name each other again and again.
const FILLED: usize = 20_000;

/// More targets than this are not followed.
const TARGETS: usize = 256;

/// Where the recipes of `make` with `words` are; `None` where it runs none, or reads what is not known.
pub(super) fn recipe(words: &[Word], stdin: &Stdin) -> Option<Recipe> {
    let line = Line::read(words, &TAKES);
    let given = |names: &[&str]| line.options.iter().any(|o| names.contains(&o.name));
    if given(&[
        "n",
        "dry-run",
        "just-print",
        "recon",
        "q",
        "question",
        "t",
        "touch",
        "v",
        "version",
        "h",
        "help",
        "p",
        "print-data-base",
    ]) {
        return None;
    }
    let mut files = Vec::new();
    let mut dir: Option<Word> = None;
    let mut text = given(&["eval"]).then(String::new);
    for option in &line.options {
        let value = option.value.filter(|_| !option.unknown);
        match option.name {
            "f" | "file" | "makefile" if value == Some("-") => {
                let Stdin::Text(word) = stdin else {
                    return None;
                };
                text = Some(word.known()?.to_owned());
            }
            "f" | "file" | "makefile" => files.push(value?.to_owned()),
            "C" | "directory" => {
                let text = match &dir {
                    Some(before) => format!("{}/{}", before.text, value?),
                    None => value?.to_owned(),
                };
                dir = Some(Word {
                    text,
                    ..Word::default()
                });
            }
            _ => {}
        }
    }
    let read = text.as_ref().is_some_and(|text| !text.is_empty());
    if files.is_empty() && !read {
        files = ["GNUmakefile", "makefile", "Makefile"]
            .map(str::to_owned)
            .to_vec();
    }
    Some(Recipe {
        files,
        upward: false,
        dir,
        text,
    })
}

/// One rule.
#[derive(Debug, Default)]
struct Rule<'t> {
    needs: Vec<String>,
    /// Its recipe, each line with its number from 0.
    lines: Vec<(usize, &'t str)>,
}

/// A makefile, as far as it is read.
#[derive(Debug, Default)]
struct Makefile<'t> {
    /// Variables by name; `None` = it depends on what make finds.
    variables: BTreeMap<String, Option<String>>,
    rules: BTreeMap<String, Rule<'t>>,
    first: Option<String>,
    one_shell: bool,
    /// How many variables have been put in.
    filled: Cell<usize>,
}

/// The texts that `make` with `words` runs; `given` tells the environment as far as the call sets it.
pub(super) fn lines(
    words: &[Word],
    text: &str,
    given: &dyn Fn(&str) -> Option<Word>,
) -> Vec<String> {
    let line = Line::read(words, &TAKES);
    let operands = line.operands.iter().filter_map(|w| w.known());
    let (settings, targets): (Vec<&str>, Vec<&str>) = operands.partition(|w| w.contains('='));
    let evals = line.options.iter().filter(|o| o.name == "eval");
    let mut whole = text.to_owned();
    for eval in evals.filter_map(|o| o.value) {
        whole.push('\n');
        whole.push_str(eval);
    }
    let mut file = Makefile::read(&whole, given);
    for setting in settings {
        if let Some((name, value)) = setting.split_once('=') {
            let name = name.trim_end_matches([':', '?', '+', '!']);
            file.variables
                .insert(name.to_owned(), Some(value.to_owned()));
        }
    }
    let mut goals: Vec<String> = targets.iter().map(|t| (*t).to_owned()).collect();
    if goals.is_empty() {
        let default = file.variables.get(".DEFAULT_GOAL").cloned().flatten();
        goals.extend(default.or_else(|| file.first.clone()));
    }
    let (mut seen, mut out) = (BTreeSet::new(), Vec::new());
    for goal in goals {
        file.follow(&goal, &mut seen, &mut out);
    }
    out
}

impl<'t> Makefile<'t> {
    fn read(text: &'t str, given: &dyn Fn(&str) -> Option<Word>) -> Makefile<'t> {
        let mut file = Makefile::default();
        let mut current: Vec<String> = Vec::new();
        let mut conditions = 0_usize;
        let mut lines = text.lines().enumerate().peekable();
        while let Some((number, line)) = lines.next() {
            if let Some(recipe) = line.strip_prefix('\t') {
                for name in &current {
                    if let Some(rule) = file.rules.get_mut(name) {
                        rule.lines.push((number, recipe));
                    }
                }
                continue;
            }
            let mut whole = line.to_owned();
            while whole.ends_with('\\') {
                whole.pop();
                let Some((_, next)) = lines.next() else { break };
                whole.push(' ');
                whole.push_str(next.trim_start());
            }
            let whole = uncommented(&whole).trim();
            let (word, rest) = whole.split_once([' ', '\t', '(']).unwrap_or((whole, ""));
            match word {
                "" => {}
                "ifeq" | "ifneq" | "ifdef" | "ifndef" => conditions = conditions.saturating_add(1),
                "endif" => conditions = conditions.saturating_sub(1),
                "else" | "include" | "-include" | "sinclude" | "vpath" | "unexport"
                | "undefine" => {}
                "define" => {
                    let name = rest.trim_end_matches(['=', ' ']).trim().to_owned();
                    let mut body = Vec::new();
                    for (_, line) in lines.by_ref() {
                        if line.trim() == "endef" {
                            break;
                        }
                        body.push(line);
                    }
                    file.variables.insert(name, Some(body.join("\n")));
                }
                _ => {
                    let word = whole.strip_prefix("export ").unwrap_or(whole);
                    let word = word.strip_prefix("override ").unwrap_or(word);
                    if !file.assign(word, conditions > 0, given) {
                        file.rule(word, number, text, &mut current);
                    }
                }
            }
        }
        file
    }

    /// Takes an assignment; `false` where it is none.
    fn assign(&mut self, line: &str, perhaps: bool, given: &dyn Fn(&str) -> Option<Word>) -> bool {
        let Some(at) = line.find('=') else {
            return false;
        };
        let (head, value) = (
            line.get(..at).unwrap_or_default(),
            line.get(at + 1..).unwrap_or_default(),
        );
        let name = head.trim_end_matches([':', '?', '+', '!']).trim_end();
        let kind = head.get(name.len()..).unwrap_or_default().trim();
        if name.is_empty() || name.contains([' ', '\t', ':', '$', '#']) {
            return false;
        }
        let value = value.trim();
        let known = match (kind, self.variables.get(name)) {
            ("+", Some(Some(old))) => Some(format!("{old} {value}")),
            ("+", Some(None)) | ("!", _) => None,
            ("?", Some(old)) => old.clone(),
            ("?", None) => match given(name) {
                Some(word) => word.known().map(str::to_owned),
                None => Some(value.to_owned()),
            },
            (_, Some(old)) if perhaps && old.as_deref() != Some(value) => None,
            _ => Some(value.to_owned()),
        };
        self.variables.insert(name.to_owned(), known);
        true
    }

    /// Takes the head of a rule, and a recipe that stands behind a semicolon.
    fn rule(&mut self, line: &str, number: usize, text: &'t str, current: &mut Vec<String>) {
        current.clear();
        let Some((targets, rest)) = line.split_once(':') else {
            return;
        };
        let rest = rest.trim_start_matches(':');
        let (needs, recipe) = rest
            .split_once(';')
            .map_or((rest, None), |(n, r)| (n, Some(r)));
        // A variable of one target.
        if needs.contains('=') {
            return;
        }
        let targets = self.filled(targets, "", &[], 0).unwrap_or_default();
        let needs = self.filled(needs, "", &[], 0).unwrap_or_default();
        let recipe = recipe.and_then(|recipe| {
            let line = text.lines().nth(number)?;
            let at = line.find(recipe.get(..recipe.len().min(line.len()))?)?;
            line.get(at..)
        });
        for name in targets.split_ascii_whitespace().take(TARGETS) {
            if name == ".ONESHELL" {
                self.one_shell = true;
            }
            if name.contains('%') || name.contains(OPAQUE) {
                continue;
            }
            let rule = self.rules.entry(name.to_owned()).or_default();
            let needed = needs.split_ascii_whitespace().filter(|n| *n != "|");
            rule.needs.extend(needed.take(TARGETS).map(str::to_owned));
            rule.lines.extend(recipe.map(|recipe| (number, recipe)));
            if self.first.is_none() && !name.starts_with('.') {
                self.first = Some(name.to_owned());
            }
            current.push(name.to_owned());
        }
    }

    /// What is run for `target`: first for what it needs, each once.
    fn follow(&self, target: &str, seen: &mut BTreeSet<String>, out: &mut Vec<String>) {
        if seen.len() >= TARGETS || !seen.insert(target.to_owned()) {
            return;
        }
        let Some(rule) = self.rules.get(target) else {
            return;
        };
        for need in &rule.needs {
            self.follow(need, seen, out);
        }
        let mut texts: Vec<(usize, String)> = Vec::new();
        for (number, line) in joined(&rule.lines) {
            let line = line
                .trim_start()
                .trim_start_matches(['@', '+', '-', ' ', '\t']);
            let filled = self.filled(line, target, &rule.needs, 0);
            if let Some(text) = filled.filter(|text| !text.trim_start().starts_with(OPAQUE)) {
                texts.push((number, text));
            }
        }
        if self.one_shell {
            let first = texts.first().map_or(0, |(number, _)| *number);
            let all: Vec<String> = texts.into_iter().map(|(_, text)| text).collect();
            texts = vec![(first, all.join("\n"))];
        }
        out.extend(
            texts
                .into_iter()
                .map(|(number, text)| at_line(number, &text)),
        );
    }

    /// `text` with its variables put in, as make hands it to the shell; what only make works out
    /// stands as [`OPAQUE`]. `None` where it grows too long.
    fn filled(&self, text: &str, target: &str, needs: &[String], depth: usize) -> Option<String> {
        let mut out = String::new();
        let mut rest = text;
        while let Some(at) = rest.find('$') {
            out.push_str(rest.get(..at)?);
            rest = rest.get(at.saturating_add(1)..)?;
            let Some(next) = rest.chars().next() else {
                break;
            };
            let close = match next {
                '(' => Some(')'),
                '{' => Some('}'),
                _ => None,
            };
            let name = match close {
                Some(close) => {
                    let end = closing(rest, next, close)?;
                    let name = rest.get(1..end)?;
                    rest = rest.get(end.saturating_add(1)..)?;
                    name
                }
                None => {
                    let name = rest.get(..next.len_utf8())?;
                    rest = rest.get(next.len_utf8()..)?;
                    name
                }
            };
            let value = match name {
                "$" => "$".to_owned(),
                "@" => target.to_owned(),
                "<" => needs.first().cloned().unwrap_or_default(),
                "^" | "+" => needs.join(" "),
                _ => self.value(name, target, needs, depth)?,
            };
            out.push_str(&value);
            if out.len() > LONGEST {
                return None;
            }
        }
        out.push_str(rest);
        Some(out)
    }

    fn value(&self, name: &str, target: &str, needs: &[String], depth: usize) -> Option<String> {
        self.filled.set(self.filled.get().saturating_add(1));
        if depth >= DEPTH || self.filled.get() > FILLED {
            return Some(OPAQUE.to_string());
        }
        let deeper = depth.saturating_add(1);
        if let Some(command) = name.strip_prefix("shell ") {
            let command = self.filled(command.trim(), target, needs, deeper)?;
            return Some(format!("$({command})"));
        }
        match self.variables.get(name) {
            Some(Some(value)) => self.filled(value, target, needs, deeper),
            Some(None) => Some(OPAQUE.to_string()),
            None if let Some((_, value)) = BUILT_IN.iter().find(|(known, _)| *known == name) => {
                Some((*value).to_owned())
            }
            // make takes the environment's.
            None if name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_') => {
                Some(format!("${{{name}}}"))
            }
            None => Some(OPAQUE.to_string()),
        }
    }
}

/// Where the bracket that opens `text` is closed.
fn closing(text: &str, open: char, close: char) -> Option<usize> {
    let mut depth = 0_usize;
    for (at, c) in text.char_indices() {
        if c == open {
            depth = depth.saturating_add(1);
        } else if c == close {
            depth = depth.saturating_sub(1);
            if depth == 0 {
                return Some(at);
            }
        }
    }
    None
}

/// The line without its comment.
fn uncommented(line: &str) -> &str {
    let mut before = ' ';
    for (at, c) in line.char_indices() {
        if c == '#' && before != '\\' {
            return line.get(..at).unwrap_or(line);
        }
        before = c;
    }
    line
}

/// Recipe lines, those that end in a backslash joined to the next as the shell reads them.
fn joined(lines: &[(usize, &str)]) -> Vec<(usize, String)> {
    let mut out: Vec<(usize, String)> = Vec::new();
    let mut open = false;
    for (number, line) in lines {
        match out.last_mut() {
            Some((_, last)) if open => {
                last.push('\n');
                last.push_str(line);
            }
            _ => out.push((*number, (*line).to_owned())),
        }
        open = line.ends_with('\\');
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(text: &str, line: &str) -> Vec<String> {
        let words: Vec<Word> = line
            .split_ascii_whitespace()
            .map(|text| Word {
                text: text.to_owned(),
                ..Word::default()
            })
            .collect();
        let all = lines(&words, text, &|_| None);
        all.iter()
            .map(|t| t.trim_start_matches('\n').to_owned())
            .collect()
    }

    #[test]
    fn the_recipes_of_a_target_and_of_what_it_needs_are_told_in_order() {
        let text = "all: build\n\techo all\n\nbuild: a.o lib\n\t@cc -o $@ $<\n\
            lib:\n\t-ar x; \\\n\tranlib x\n\npush: all ; git push\n.PHONY: all push\n";
        let build = ["ar x; \\\nranlib x", "cc -o build a.o", "echo all"];
        assert_eq!(told(text, ""), build);
        assert_eq!(told(text, "build"), build[..2]);
        assert_eq!(
            told(text, "-j 4 push").last().map(String::as_str),
            Some("git push")
        );
        assert!(told(text, "none").is_empty());
    }

    #[test]
    fn variables_are_put_in_and_what_only_make_knows_is_not() {
        let text = "REMOTE ?= origin\nFLAGS := --force $(MORE)\nifdef CI\nB = x\nelse\nB = y\nendif\n\
            V := $(shell cat VERSION)\nGIT = git\n\
            push:\n\t$(GIT) push $(FLAGS) ${REMOTE} HEAD:$(B)\n\ttag $(V) $$HOME\n\t$(call x,y)\n\techo $(patsubst a,b,c)\n";
        let told = told(text, "push REMOTE=other");
        let opaque = OPAQUE;
        assert_eq!(
            told,
            [
                format!("git push --force ${{MORE}} other HEAD:{opaque}"),
                "tag $(cat VERSION) $HOME".to_owned(),
                format!("echo {opaque}"),
            ]
        );
    }

    #[test]
    fn odd_makefiles_end() {
        for text in [
            "A = $(A)\nall:\n\techo $(A)\n",
            "A = $(B)$(B)\nB = $(C)$(C)\nC = $(D)$(D)\nD = $(E)$(E)\nE = $(A)\nall:\n\t$(A)\n",
            "all: all\n\techo x\n",
            "A=$(B)$(B)$(B)$(B)$(B)$(B)$(B)$(B)$(B)\nB=$(C)$(C)$(C)$(C)$(C)$(C)$(C)$(C)$(C)\nC=$(D)$(D)$(D)$(D)$(D)$(D)$(D)\nD=$(E)$(E)$(E)$(E)$(E)$(E)$(E)$(E)\nE=$(F)$(F)$(F)$(F)$(F)$(F)$(F)\nF=$(G)$(G)$(G)$(G)$(G)\nG=\nall:\n\techo $(A)\n",
            "all:\n\techo $(\n\techo $\n",
            "define x\nnever closed\n",
            "a: \\\n",
            "=\n:\n::\n;\n\t\n",
        ] {
            let _ = told(text, "");
        }
    }
}
