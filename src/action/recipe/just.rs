//! Recipes of a `justfile`: the named ones and what they need, with variables and parameters put in.

use super::at_line;
use crate::action::words::{Line, Takes, gnu};
use crate::shell::{OPAQUE, Recipe, Word};
use std::collections::{BTreeMap, BTreeSet};

const TAKES: Takes = gnu(
    "fds",
    &[
        "justfile",
        "working-directory",
        "show",
        "shell",
        "shell-arg",
        "dotenv-path",
        "dotenv-filename",
        "color",
        "chooser",
        "list-heading",
    ],
);

/// More recipes than this are not followed.
const MOST: usize = 256;

/// Where the recipes of `just` with `words` are; `None` where it runs none.
pub(super) fn recipe(words: &[Word]) -> Option<Recipe> {
    let line = Line::read(words, &TAKES);
    let given = |names: &[&str]| line.options.iter().any(|o| names.contains(&o.name));
    if given(&[
        "n",
        "dry-run",
        "l",
        "list",
        "s",
        "show",
        "summary",
        "evaluate",
        "fmt",
        "dump",
        "e",
        "edit",
        "init",
        "completions",
        "changelog",
        "h",
        "help",
        "V",
        "version",
        "variables",
        "g",
        "global-justfile",
        "working-directory",
        "d",
    ]) {
        return None;
    }
    let file = line
        .options
        .iter()
        .find(|o| matches!(o.name, "f" | "justfile"));
    Some(match file {
        Some(given) => Recipe {
            files: vec![given.value.filter(|_| !given.unknown)?.to_owned()],
            ..Recipe::default()
        },
        None => Recipe {
            files: ["justfile", "Justfile", ".justfile"]
                .map(str::to_owned)
                .to_vec(),
            upward: true,
            ..Recipe::default()
        },
    })
}

/// One recipe.
#[derive(Debug, Default)]
struct Body<'t> {
    /// Its parameters, with their values where they are left out.
    parameters: Vec<(String, Option<String>)>,
    /// The last one takes all arguments that are left.
    rest: bool,
    before: Vec<String>,
    after: Vec<String>,
    lines: Vec<(usize, &'t str)>,
}

#[derive(Debug, Default)]
struct Justfile<'t> {
    values: BTreeMap<String, String>,
    recipes: BTreeMap<String, Body<'t>>,
    first: Option<String>,
}

/// The texts that `just` with `words` runs.
pub(super) fn lines(words: &[Word], text: &str) -> Vec<String> {
    let line = Line::read(words, &TAKES);
    let mut file = Justfile::read(text);
    let mut at = 0;
    while let Some((name, value)) = line.operands.get(at).and_then(|w| w.text.split_once('=')) {
        file.values.insert(name.to_owned(), value.to_owned());
        at = at.saturating_add(1);
    }
    // Behind the first recipe nothing is just's own option.
    let goals = match line.operands.get(at) {
        Some(_) => line.from(at),
        None => &[],
    };
    let (mut seen, mut out) = (BTreeSet::new(), Vec::new());
    if goals.is_empty() {
        let first = file.first.clone().unwrap_or_default();
        file.follow(&first, &[], &mut seen, &mut out);
    }
    let mut goals = goals.iter();
    while let Some(goal) = goals.next() {
        let Some(body) = file.recipes.get(&goal.text) else {
            break;
        };
        let many = if body.rest {
            usize::MAX
        } else {
            body.parameters.len()
        };
        let args: Vec<&Word> = goals.by_ref().take(many).collect();
        file.follow(&goal.text, &args, &mut seen, &mut out);
    }
    out
}

impl<'t> Justfile<'t> {
    fn read(text: &'t str) -> Justfile<'t> {
        let mut file = Justfile::default();
        let mut current = None;
        let mut aliases = Vec::new();
        for (number, line) in text.lines().enumerate() {
            if line.starts_with([' ', '\t']) {
                if let Some(body) = current.as_ref().and_then(|name| file.recipes.get_mut(name)) {
                    body.lines.push((number, line));
                }
                continue;
            }
            let line = line.trim_end();
            if line.is_empty() || line.starts_with(['#', '[']) {
                continue;
            }
            current = None;
            if let Some((name, value)) = line.split_once(":=") {
                let name = name.trim();
                match name.split_once(' ') {
                    Some(("alias", alias)) => {
                        aliases.push((alias.trim().to_owned(), value.trim().to_owned()));
                    }
                    Some(("set", _)) => {}
                    Some((_, name)) => file.value(name.trim(), value),
                    None => file.value(name, value),
                }
                continue;
            }
            let Some((name, body)) = head(line) else {
                continue;
            };
            file.first.get_or_insert_with(|| name.clone());
            current = Some(name.clone());
            file.recipes.insert(name, body);
        }
        for (alias, name) in aliases {
            if let Some(body) = file.recipes.get(&name) {
                let body = Body {
                    parameters: body.parameters.clone(),
                    rest: body.rest,
                    before: body.before.clone(),
                    after: body.after.clone(),
                    lines: body.lines.clone(),
                };
                file.recipes.insert(alias, body);
            }
        }
        file
    }

    fn value(&mut self, name: &str, expression: &str) {
        let value = literal(expression).unwrap_or_else(|| OPAQUE.to_string());
        self.values.insert(name.to_owned(), value);
    }

    fn follow(
        &self,
        name: &str,
        args: &[&Word],
        seen: &mut BTreeSet<String>,
        out: &mut Vec<String>,
    ) {
        if seen.len() >= MOST || !seen.insert(name.to_owned()) {
            return;
        }
        let Some(body) = self.recipes.get(name) else {
            return;
        };
        for need in &body.before {
            self.follow(need, &[], seen, out);
        }
        let mut values = self.values.clone();
        for (at, (parameter, default)) in body.parameters.iter().enumerate() {
            let last = at.saturating_add(1) == body.parameters.len();
            let given = match args.get(at..) {
                Some(rest) if body.rest && last && !rest.is_empty() => {
                    let all: Vec<&str> = rest.iter().map(|w| w.text.as_str()).collect();
                    Some(all.join(" "))
                }
                Some([word, ..]) => Some(word.text.clone()),
                _ if body.rest && last => Some(default.clone().unwrap_or_default()),
                _ => default.clone(),
            };
            values.insert(
                parameter.clone(),
                given.unwrap_or_else(|| OPAQUE.to_string()),
            );
        }
        body.texts(&values, out);
        for need in &body.after {
            self.follow(need, &[], seen, out);
        }
    }
}

impl Body<'_> {
    fn texts(&self, values: &BTreeMap<String, String>, out: &mut Vec<String>) {
        let mut script: Option<(usize, String)> = None;
        let mut open = false;
        let mut texts: Vec<(usize, String)> = Vec::new();
        for (number, line) in &self.lines {
            let text = filled(line.trim_start(), values);
            match (&mut script, texts.last_mut()) {
                (Some((_, all)), _) => {
                    all.push('\n');
                    all.push_str(&text);
                }
                (None, None) if text.starts_with("#!") => script = Some((*number, text)),
                (None, Some((_, last))) if open => {
                    last.push('\n');
                    last.push_str(&text);
                }
                _ => texts.push((*number, text.trim_start_matches(['@', '-', ' ']).to_owned())),
            }
            open = line.ends_with('\\');
        }
        if let Some((number, text)) = script {
            let first = text.lines().next().unwrap_or_default();
            let program = first.rsplit(['/', ' ']).next().unwrap_or_default();
            if matches!(program, "sh" | "bash" | "zsh" | "dash" | "ksh") {
                texts.push((number, text));
            }
        }
        let known = texts
            .into_iter()
            .filter(|(_, text)| !text.starts_with(OPAQUE));
        out.extend(known.map(|(number, text)| at_line(number, &text)));
    }
}

/// The name and the head of a recipe; `None` where the line is none.
fn head(line: &str) -> Option<(String, Body<'_>)> {
    let line = line.strip_prefix('@').unwrap_or(line);
    let (head, needs) = split_head(line)?;
    let mut words = head.split_ascii_whitespace();
    let name = words.next()?.to_owned();
    let named = |name: &str| {
        name.chars()
            .all(|c| c.is_alphanumeric() || c == '_' || c == '-')
            && !name.is_empty()
    };
    named(&name).then_some(())?;
    let mut body = Body::default();
    for word in words {
        let word = word.trim_start_matches('$');
        let plain = word.trim_start_matches(['+', '*']).trim_start_matches('$');
        body.rest |= plain.len() < word.len();
        let (parameter, default) = match plain.split_once('=') {
            Some((parameter, value)) => {
                let value = literal(value).unwrap_or_else(|| OPAQUE.to_string());
                (parameter, Some(value))
            }
            None => (plain, None),
        };
        body.parameters.push((parameter.to_owned(), default));
    }
    let (before, after) = needs.split_once("&&").unwrap_or((needs, ""));
    let list = |text: &str| -> Vec<String> {
        let names = text.split_ascii_whitespace();
        names
            .map(|name| name.trim_matches(['(', ')']).to_owned())
            .filter(|name| named(name))
            .collect()
    };
    (body.before, body.after) = (list(before), list(after));
    Some((name, body))
}

/// The head and what stands behind its colon, which is none within quotes.
fn split_head(line: &str) -> Option<(&str, &str)> {
    let mut quote = None;
    for (at, c) in line.char_indices() {
        match quote {
            Some(open) if c == open => quote = None,
            Some(_) => {}
            None if matches!(c, '\'' | '"' | '`') => quote = Some(c),
            None if c == '#' => return None,
            None if c == ':' => return Some((line.get(..at)?, line.get(at.saturating_add(1)..)?)),
            None => {}
        }
    }
    None
}

/// The text of a plain string; `None` for any other expression.
fn literal(expression: &str) -> Option<String> {
    let text = expression.trim();
    let quote = text.chars().next().filter(|c| matches!(c, '\'' | '"'))?;
    let inner = text.get(1..)?.strip_suffix(quote)?;
    (!inner.contains([quote, '\\'])).then(|| inner.to_owned())
}

/// `line` with `{{…}}` put in; what only just works out stands as [`OPAQUE`].
fn filled(line: &str, values: &BTreeMap<String, String>) -> String {
    let mut out = String::new();
    let mut rest = line;
    while let Some(at) = rest.find("{{") {
        out.push_str(rest.get(..at).unwrap_or_default());
        rest = rest.get(at.saturating_add(2)..).unwrap_or_default();
        if let Some(after) = rest.strip_prefix("{{") {
            out.push_str("{{");
            rest = after;
            continue;
        }
        let Some(end) = rest.find("}}") else {
            out.push(OPAQUE);
            return out;
        };
        let name = rest.get(..end).unwrap_or_default().trim();
        rest = rest.get(end.saturating_add(2)..).unwrap_or_default();
        match values.get(name).cloned().or_else(|| literal(name)) {
            Some(value) => out.push_str(&value),
            None => out.push(OPAQUE),
        }
    }
    out.push_str(rest);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILE: &str = "branch := 'main'\nv := `git describe`\nset shell := ['bash', '-c']\nalias p := push\n\n\
        # the first one\ncheck:\n    cargo check\n    @echo done\n\n\
        push remote='origin' *flags: check && tell\n    git push {{flags}} {{remote}} {{branch}}\n\n\
        [private]\ntell:\n  -echo {{v}} {{ 'x' }} {{{{y}}\n  {{v}}\n\n\
        script:\n    #!/usr/bin/env bash\n    set -e\n    git push -f\n\n\
        other:\n    #!/usr/bin/env python3\n    print(1)\n";

    fn told(line: &str) -> Vec<String> {
        let words: Vec<Word> = line
            .split_ascii_whitespace()
            .map(|text| Word {
                text: text.to_owned(),
                ..Word::default()
            })
            .collect();
        let all = lines(&words, FILE);
        all.iter()
            .map(|t| t.trim_start_matches('\n').to_owned())
            .collect()
    }

    #[test]
    fn recipes_are_told_with_what_comes_before_and_after_and_their_parameters() {
        let check = ["cargo check", "echo done"];
        let tell = format!("echo {OPAQUE} x {{{{y}}}}");
        assert_eq!(told(""), check);
        for (line, push) in [
            ("push", "git push  origin main"),
            ("p fork -f --tags", "git push -f --tags fork main"),
            ("branch=x push", "git push  origin x"),
        ] {
            let all = [check[0], check[1], push, tell.as_str()];
            assert_eq!(told(line), all, "{line}");
        }
        assert_eq!(told("script"), ["#!/usr/bin/env bash\nset -e\ngit push -f"]);
        assert!(told("other").is_empty() && told("none").is_empty());
    }

    #[test]
    fn verbs_that_only_tell_run_nothing() {
        let word = |text: &str| Word {
            text: text.to_owned(),
            ..Word::default()
        };
        for text in ["--list", "-n", "--dry-run", "--show=push", "--evaluate"] {
            assert_eq!(recipe(&[word(text), word("push")]), None, "{text}");
        }
        assert!(recipe(&[word("push")]).is_some());
    }
}
