//! Scripts of a `package.json`: `npm run`, `yarn`, `pnpm`, `bun run`, `node --run`, and those that installing runs.

use super::{at_line, quoted};
use crate::action::words::{Line, Takes, gnu};
use crate::shell::{Recipe, Word};
use serde::Deserialize;
use std::borrow::Cow;
use std::collections::BTreeMap;

/// The scripts that `npm install` without a package runs, in order.
const INSTALL: &[&str] = &[
    "preinstall",
    "install",
    "postinstall",
    "prepublish",
    "preprepare",
    "prepare",
    "postprepare",
];

/// Options of npm and its kin that take a value, and stand before the script's name.
const TAKES: Takes = gnu(
    "CFw",
    &[
        "prefix",
        "dir",
        "cwd",
        "filter",
        "workspace",
        "loglevel",
        "script-shell",
        "userconfig",
        "env-file",
        "config",
    ],
);

/// Verbs of yarn, pnpm and bun in whose place no script is run, where they are no script's name.
const VERBS: &[&str] = &[
    "add",
    "audit",
    "bin",
    "cache",
    "config",
    "create",
    "dlx",
    "exec",
    "help",
    "info",
    "init",
    "link",
    "list",
    "ls",
    "outdated",
    "pack",
    "patch",
    "pm",
    "publish",
    "remove",
    "unlink",
    "up",
    "update",
    "upgrade",
    "why",
    "workspace",
    "workspaces",
    "x",
];

/// What a command runs of the scripts.
#[derive(Debug, PartialEq)]
struct Runs<'w> {
    /// The scripts' names, in order; a name that is not there is passed over.
    names: Vec<String>,
    /// The one that gets the arguments.
    main: &'w str,
    args: Vec<&'w Word>,
}

/// Where the scripts of `name` with `words` are.
pub(super) fn recipe(name: &str, words: &[Word]) -> Option<Recipe> {
    runs(name, words)?;
    let line = Line::read(words, &TAKES);
    let option = |given: &&crate::action::words::Given<'_>| {
        matches!(given.name, "prefix" | "dir" | "cwd" | "C")
    };
    let dir = line.options.iter().find(option).and_then(|given| {
        let text = given.value?.to_owned();
        Some(Word {
            text,
            opaque: given.word.opaque,
            ..Word::default()
        })
    });
    Some(Recipe {
        files: vec!["package.json".to_owned()],
        upward: true,
        dir,
        text: None,
    })
}

fn runs<'w>(name: &str, words: &'w [Word]) -> Option<Runs<'w>> {
    match name {
        "node" => return node(words),
        "run-s" | "run-p" | "npm-run-all" | "npm-run-all2" => return many(words),
        _ => {}
    }
    if !matches!(name, "npm" | "pnpm" | "yarn" | "yarnpkg" | "bun") {
        return None;
    }
    let line = Line::read(words, &TAKES);
    let given = |names: &[&str]| line.options.iter().any(|o| names.contains(&o.name));
    // Which packages these are, their own files say.
    let others = [
        "workspace",
        "workspaces",
        "w",
        "ws",
        "filter",
        "F",
        "r",
        "recursive",
    ];
    if given(&others) {
        return None;
    }
    let name_is_npm = name == "npm";
    let quiet = given(&["ignore-scripts"]);
    let verb = line.operands.first()?.known()?;
    let one = |name: &'w str, at: usize| {
        let mut names = vec![name.to_owned()];
        if !quiet {
            names = vec![format!("pre{name}"), name.to_owned(), format!("post{name}")];
        }
        let words = line.after(at);
        let end = words.iter().position(|w| w.text == "--");
        // What looks like an option is npm's own up to there; its kin pass everything on.
        let own = |at: usize| name_is_npm && end.is_none_or(|end| at < end);
        let passed = words
            .iter()
            .enumerate()
            .filter(|(at, w)| Some(*at) != end && !(own(*at) && w.text.starts_with('-')));
        let args = passed.map(|(_, w)| w).collect();
        Some(Runs {
            names,
            main: name,
            args,
        })
    };
    let several = |names: &[&str]| {
        (!quiet).then(|| Runs {
            names: names.iter().map(|n| (*n).to_owned()).collect(),
            main: "",
            args: Vec::new(),
        })
    };
    match verb {
        "run" | "run-script" | "rum" | "urn" => one(line.operands.get(1)?.known()?, 1),
        "test" | "t" | "tst" if name != "bun" => one("test", 0),
        "start" | "stop" if name != "bun" => one(verb, 0),
        "restart" if name == "npm" => several(&[
            "prerestart",
            "restart",
            "prestop",
            "stop",
            "poststop",
            "prestart",
            "start",
            "poststart",
            "postrestart",
        ]),
        "install" | "i" | "in" | "ci" | "it" | "install-test" if line.operands.len() == 1 => {
            several(INSTALL)
        }
        "version" if name == "npm" && line.operands.len() > 1 => {
            several(&["preversion", "version", "postversion"])
        }
        "pack" => several(&["prepack", "prepare", "postpack"]),
        "build" | "test" | "start" | "stop" if name == "bun" => None,
        _ if name == "npm" || VERBS.contains(&verb) => None,
        _ => one(verb, 0),
    }
}

/// `run-s lint test`: several scripts, each with what belongs before and after it.
fn many(words: &[Word]) -> Option<Runs<'_>> {
    let names = words.iter().take_while(|w| w.text != "--");
    let plain = names
        .filter(|w| !w.text.starts_with('-'))
        .map(|w| w.known());
    let each = |name: &str| [format!("pre{name}"), name.to_owned(), format!("post{name}")];
    let names: Vec<String> = plain.flatten().flat_map(each).collect();
    (!names.is_empty()).then_some(Runs {
        names,
        main: "",
        args: Vec::new(),
    })
}

/// `node --run NAME -- ARGS`: one script, nothing before or after it.
fn node(words: &[Word]) -> Option<Runs<'_>> {
    let at = words.iter().position(|w| w.text.starts_with("--run"))?;
    let (name, next) = match words.get(at)?.text.strip_prefix("--run=") {
        Some(name) => (name, at.saturating_add(1)),
        None if words.get(at)?.text == "--run" => (
            words.get(at.saturating_add(1))?.known()?,
            at.saturating_add(2),
        ),
        None => return None,
    };
    Some(Runs {
        names: vec![name.to_owned()],
        main: name,
        args: words
            .get(next..)
            .unwrap_or_default()
            .iter()
            .filter(|w| w.text != "--")
            .collect(),
    })
}

#[derive(Default, Deserialize)]
struct Package<'a> {
    #[serde(borrow, default)]
    scripts: BTreeMap<Cow<'a, str>, Cow<'a, str>>,
}

/// The texts that `name` with `words` runs of the package that `text` tells of.
pub(super) fn lines(name: &str, words: &[Word], text: &str) -> Vec<String> {
    let Some(runs) = runs(name, words) else {
        return Vec::new();
    };
    let Ok(package) = serde_json::from_str::<Package<'_>>(text) else {
        return Vec::new();
    };
    let script = |name: &String| {
        let script = package.scripts.get(name.as_str())?;
        let mut script = script.clone().into_owned();
        if name == runs.main {
            script.push_str(&quoted(&runs.args));
        }
        Some(at_line(line_of(text, name), &script))
    };
    runs.names.iter().filter_map(script).collect()
}

/// The line, from 0, on which the script is likely to stand.
fn line_of(text: &str, name: &str) -> usize {
    let scripts = text.find("\"scripts\"").unwrap_or_default();
    let key = format!("\"{name}\"");
    let found = text.get(scripts..).and_then(|rest| rest.find(&key));
    let end = found.map_or(scripts, |at| scripts.saturating_add(at));
    text.get(..end).map_or(0, |head| head.matches('\n').count())
}

#[cfg(test)]
mod tests {
    use super::*;

    const PACKAGE: &str = r#"{
  "name": "x",
  "scripts": {
    "build": "tsc",
    "prerelease": "npm test",
    "release": "git push",
    "test": "jest",
    "prepare": "husky"
  }
}"#;

    fn told(line: &str) -> Vec<String> {
        let words: Vec<Word> = line
            .split(' ')
            .map(|text| Word {
                text: text.to_owned(),
                ..Word::default()
            })
            .collect();
        let (name, words) = words.split_first().unwrap();
        lines(&name.text, words, PACKAGE)
    }

    #[test]
    fn the_scripts_that_a_command_runs_are_told_in_order_with_its_arguments() {
        for (line, texts) in [
            (
                "npm run release",
                &["\n\n\n\nnpm test", "\n\n\n\n\ngit push"][..],
            ),
            (
                "npm run release -- -f x",
                &["\n\n\n\nnpm test", "\n\n\n\n\ngit push '-f' 'x'"],
            ),
            (
                "yarn release -f",
                &["\n\n\n\nnpm test", "\n\n\n\n\ngit push '-f'"],
            ),
            ("pnpm run build", &["\n\n\ntsc"]),
            ("bun run test", &["\n\n\n\n\n\njest"]),
            ("npm t", &["\n\n\n\n\n\njest"]),
            ("npm --silent run build", &["\n\n\ntsc"]),
            ("node --run build", &["\n\n\ntsc"]),
            ("npm ci", &["\n\n\n\n\n\n\nhusky"]),
            ("npm install", &["\n\n\n\n\n\n\nhusky"]),
            ("npm install lodash", &[]),
            ("npm ci --ignore-scripts", &[]),
            ("npm run nothing", &[]),
            ("npm run build -w packages/a", &[]),
            ("pnpm -r run build", &[]),
            ("npm view release", &[]),
            ("yarn add release", &[]),
            ("bun test", &[]),
            ("bun build", &[]),
            ("yarn build", &["\n\n\ntsc"]),
            ("npm help", &[]),
            ("run-s -l build test", &["\n\n\ntsc", "\n\n\n\n\n\njest"]),
        ] {
            assert_eq!(told(line), texts, "{line}");
        }
    }

    #[test]
    fn a_package_that_cannot_be_read_runs_nothing_that_is_known() {
        let words = [Word {
            text: "test".to_owned(),
            ..Word::default()
        }];
        for text in [
            "",
            "{",
            "[]",
            "{\"scripts\":[]}",
            "{\"scripts\":{\"test\":1}}",
            "{}",
        ] {
            assert!(lines("npm", &words, text).is_empty(), "{text}");
        }
    }
}
