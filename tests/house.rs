//! The laws of the house, each with a seeded violation that proves that it can fail.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    clippy::string_slice
)]

mod support;

use std::collections::{BTreeMap, BTreeSet};
use support::source::{Source, all};

// --- arrows ---------------------------------------------------------------------------------------

/// Which module may use which. The scene lives in `world`. Everything that speaks of words and
/// spans sees `shell`, which itself sees nothing.
const ARROWS: &[(&str, &[&str])] = &[
    ("lib", &[]),
    ("main", &["cli", "guard"]),
    ("verdict", &[]),
    ("call", &[]),
    ("shell", &[]),
    ("action", &["shell"]),
    // Times, keys and small files are the state's; processes are the person's. What policy decides
    // is passed in as terms.
    ("lease", &["state", "person"]),
    ("policy", &["verdict"]),
    ("ci", &["policy", "state", "verdict"]),
    ("plan", &["lease"]),
    ("state", &["verdict"]),
    ("log", &["state", "call", "verdict"]),
    ("grant", &["state", "log"]),
    ("person", &[]),
    ("brief", &["verdict"]),
    ("build", &[]),
    (
        "world",
        &["action", "shell", "lease", "plan", "ci", "policy"],
    ),
    ("rules", &["action", "shell", "world", "verdict", "policy"]),
    ("host", &["call", "verdict"]),
    ("setup", &["host", "state"]),
    (
        "doctor",
        &[
            "setup", "host", "state", "policy", "verdict", "log", "build",
        ],
    ),
    (
        "demo",
        &[
            "guard", "call", "verdict", "host", "world", "policy", "rules",
        ],
    ),
    (
        "guard",
        &[
            "call", "verdict", "shell", "action", "policy", "world", "rules", "ci", "lease",
            "plan", "host", "grant", "log",
        ],
    ),
    (
        "cli",
        &[
            "call", "verdict", "shell", "action", "policy", "world", "rules", "ci", "lease",
            "plan", "host", "grant", "log", "guard", "read", "state", "person", "brief", "build",
            "setup", "doctor", "demo",
        ],
    ),
    ("read", &["shell", "action", "call"]),
];

/// Edges between the modules at the top.
fn edges(source: &Source, tops: &BTreeSet<String>) -> BTreeSet<String> {
    let code = source.shipped();
    let mut found = BTreeSet::new();
    let depth = source.path.matches('/').count() - usize::from(source.path.ends_with("/mod.rs"));
    let up = "super::".repeat(depth);
    let starts = ["crate::", "leaseguard::", up.as_str()];
    for start in starts.iter().filter(|s| !s.is_empty()) {
        for (at, _) in code.match_indices(start) {
            let before = code[..at].chars().next_back().unwrap_or(' ');
            let longer = before.is_alphanumeric() || before == '_' || code[..at].ends_with("::");
            if !longer {
                names(&code[at + start.len()..], &mut found);
            }
        }
    }
    found.retain(|name| tops.contains(name) && name != source.module());
    found
}

/// The first names behind `crate::`: one, or those of a `{…}` group.
fn names(rest: &str, found: &mut BTreeSet<String>) {
    let word = |text: &str| -> String {
        text.trim_start()
            .chars()
            .take_while(|c| c.is_alphanumeric() || *c == '_')
            .collect()
    };
    let Some(group) = rest.trim_start().strip_prefix('{') else {
        found.insert(word(rest));
        return;
    };
    let (mut depth, mut start) = (0usize, 0);
    for (i, c) in group.char_indices() {
        match c {
            '{' => depth += 1,
            '}' if depth == 0 => {
                found.insert(word(&group[start..i]));
                return;
            }
            '}' => depth -= 1,
            ',' if depth == 0 => {
                found.insert(word(&group[start..i]));
                start = i + 1;
            }
            _ => {}
        }
    }
}

fn arrows(sources: &[Source]) -> Vec<String> {
    let tops: BTreeSet<String> = sources.iter().map(|s| s.module().to_owned()).collect();
    let table: BTreeMap<&str, &[&str]> = ARROWS.iter().copied().collect();
    let mut wrong = Vec::new();
    for source in sources {
        let Some(allowed) = table.get(source.module()) else {
            wrong.push(format!("{}: its module has no row in ARROWS", source.path));
            continue;
        };
        for name in edges(source, &tops) {
            if !allowed.contains(&name.as_str()) {
                wrong.push(format!(
                    "{} uses `{name}`; `{}` may use {}",
                    source.path,
                    source.module(),
                    listed(allowed)
                ));
            }
        }
    }
    wrong
}

fn listed(names: &[&str]) -> String {
    match names {
        [] => "nothing".to_owned(),
        names => names.join(", "),
    }
}

// --- size, opening sentence, purity ---------------------------------------------------------------

/// Lines of code that a file may hold.
const CAP: usize = 400;

/// At most three files may be longer, up to 700 lines, with a reason.
const LONGER: &[(&str, usize, &str)] = &[];

fn sizes(sources: &[Source], longer: &[(&str, usize, &str)]) -> Vec<String> {
    let mut wrong = Vec::new();
    if longer.len() > 3 {
        wrong.push(format!("{} exceptions, at most 3", longer.len()));
    }
    for (path, cap, reason) in longer {
        if *cap > 700 || reason.is_empty() {
            wrong.push(format!("{path}: exceptions end at 700 and need a reason"));
        }
        if !sources
            .iter()
            .any(|s| s.path == *path && s.code_lines() > CAP)
        {
            wrong.push(format!("{path} needs no exception"));
        }
    }
    for source in sources {
        let cap = longer
            .iter()
            .find(|(path, ..)| *path == source.path)
            .map_or(CAP, |(_, cap, _)| *cap);
        let lines = source.code_lines();
        if lines > cap {
            wrong.push(format!("{}: {lines} lines of code, cap {cap}", source.path));
        }
    }
    wrong
}

/// Each file opens with one sentence of documentation, alone in its paragraph.
fn openings(sources: &[Source]) -> Vec<String> {
    let mut wrong = Vec::new();
    for source in sources {
        let paragraph: Vec<&str> = source
            .text
            .lines()
            .take_while(|l| l.starts_with("//! "))
            .map(|l| &l[4..])
            .collect();
        let text = paragraph.join(" ");
        let sentences = text.matches(". ").filter(|_| !text.is_empty()).count()
            - text.matches("e.g. ").count()
            - text.matches("i.e. ").count();
        if text.is_empty() {
            wrong.push(format!("{} does not open with `//!`", source.path));
        } else if !text.ends_with('.') {
            wrong.push(format!("{}: its opening has no end: {text}", source.path));
        } else if sentences > 0 {
            wrong.push(format!(
                "{}: opens with more than one sentence: {text}",
                source.path
            ));
        }
    }
    wrong
}

/// Folders that see no disk, no environment and no process.
const PURE: &[&str] = &["shell", "action", "rules", "lease/law"];

fn purity(sources: &[Source]) -> Vec<String> {
    let mut wrong = Vec::new();
    for folder in PURE {
        let head = format!("src/{folder}/mod.rs");
        let denies = sources
            .iter()
            .any(|s| s.path == head && s.code.contains("#![deny(clippy::disallowed_methods)]"));
        if !denies {
            wrong.push(format!("{head} does not deny clippy::disallowed_methods"));
        }
        for source in sources
            .iter()
            .filter(|s| s.path.starts_with(&format!("src/{folder}/")))
        {
            let code = source.shipped();
            if code.contains("allow(clippy::disallowed")
                || code.contains("expect(clippy::disallowed")
            {
                wrong.push(format!("{} lets a disallowed method in", source.path));
            }
        }
    }
    wrong
}

// --- rules and their fixtures ---------------------------------------------------------------------

/// A rule's id, or a fixture's rule with what it holds.
struct Held {
    rule: String,
    speaks: usize,
    allows: usize,
}

fn fixtures(rules: &[&str], held: &[Held]) -> Vec<String> {
    let mut wrong = Vec::new();
    for rule in rules {
        match held.iter().find(|h| h.rule == *rule) {
            None => wrong.push(format!(
                "{rule} has no fixtures/rules/{}",
                support::rules::file_name(rule)
            )),
            Some(h) => {
                if h.speaks == 0 {
                    wrong.push(format!("{rule}: nothing is denied or asked in its fixture"));
                }
                if h.allows == 0 {
                    wrong.push(format!("{rule}: nothing is allowed in its fixture"));
                }
            }
        }
    }
    for h in held {
        if !rules.contains(&h.rule.as_str()) {
            wrong.push(format!("a fixture is of `{}`, which is no rule", h.rule));
        }
    }
    let mut seen = BTreeSet::new();
    for rule in rules {
        if !seen.insert(support::rules::file_name(rule)) {
            wrong.push(format!("{rule} shares its fixture file with another rule"));
        }
    }
    wrong
}

/// Messages: lower case, no final period.
fn wording(texts: &[(&str, &str)]) -> Vec<String> {
    let mut wrong = Vec::new();
    for (rule, text) in texts {
        let first = text.chars().next().unwrap_or('A');
        if first.is_uppercase() || text.ends_with('.') || text.contains('\n') {
            wrong.push(format!(
                "{rule}: lower case, one line, no final period: {text:?}"
            ));
        }
    }
    wrong
}

// --- words that have no place here ----------------------------------------------------------------

/// In pieces, so that this file does not hold them.
const FORBIDDEN: &[&str] = &[
    concat!("/wo", "rk/"),
    concat!("/ro", "ot/"),
    concat!("assis", "tant"),
    concat!("FIX", "ME"),
    concat!("XX", "X "),
    concat!("<<<<", "<<< "),
    concat!(">>>>", ">>> "),
];

/// Whether `line` holds `word` by itself: not as a part of a longer name or path, so that a host's
/// own field names and directories inside a sandbox pass.
fn holds(line: &str, word: &str) -> bool {
    let part = |c: char| c.is_alphanumeric() || c == '_';
    let path = word.ends_with('/');
    line.match_indices(word).any(|(at, _)| {
        let before = line[..at].chars().next_back();
        let after = line[at + word.len()..].chars().next();
        let relative = path && before.is_some_and(|c| "._*-~}".contains(c));
        !relative && !before.is_some_and(part) && (path || !after.is_some_and(part))
    })
}

fn words(path: &str, text: &str) -> Vec<String> {
    let mut wrong = Vec::new();
    for (i, line) in text.lines().enumerate() {
        for word in FORBIDDEN {
            if holds(line, word) {
                wrong.push(format!("{path}:{}: holds `{word}`", i + 1));
            }
        }
    }
    wrong
}

/// Files that git tracks or would track; all files of a package that is no checkout.
fn tracked() -> Vec<String> {
    let out = std::process::Command::new("git")
        .args([
            "ls-files",
            "-z",
            "--cached",
            "--others",
            "--exclude-standard",
        ])
        .current_dir(support::root())
        .output();
    match out {
        Ok(out) if out.status.success() => String::from_utf8_lossy(&out.stdout)
            .split('\0')
            .filter(|p| !p.is_empty())
            .map(str::to_owned)
            .collect(),
        _ => all().into_iter().map(|s| s.path).collect(),
    }
}

// --- the gates ------------------------------------------------------------------------------------

#[track_caller]
fn green(law: &str, wrong: Vec<String>) {
    for line in &wrong {
        println!("  {line}");
    }
    assert!(
        wrong.is_empty(),
        "{law}: {} violations, see above",
        wrong.len()
    );
}

#[track_caller]
fn red(wrong: Vec<String>, parts: &[&str]) {
    assert_eq!(wrong.len(), parts.len(), "{wrong:?}");
    for (line, part) in wrong.iter().zip(parts) {
        assert!(line.contains(part), "{line} does not hold {part}");
    }
}

#[test]
fn modules_use_only_what_the_arrows_allow() {
    let wrong = arrows(&all());
    if !wrong.is_empty() {
        println!("allowed:");
        for (module, allowed) in ARROWS {
            println!("  {module:<8} -> {}", listed(allowed));
        }
    }
    green("arrows", wrong);
}

#[test]
fn a_wrong_arrow_is_seen() {
    let sources = [
        Source::new("src/world/mod.rs", "use crate::shell::Word;\n"),
        Source::new("src/verdict.rs", "fn f() { crate::policy::x() }\n"),
        Source::new(
            "src/shell/lex.rs",
            "use crate::{\n    verdict::{Decision, Finding},\n    world,\n};\n",
        ),
        Source::new(
            "src/policy.rs",
            "// use crate::world;\nconst S: &str = \"crate::world\";\n",
        ),
        Source::new(
            "src/action/git/push.rs",
            "use super::super::super::world::World;\nuse super::options;\n",
        ),
        Source::new(
            "src/call.rs",
            "#[cfg(test)]\nmod tests {\n    use crate::policy::Policy;\n}\n",
        ),
        Source::new("src/odd.rs", "use crate::call::Call;\n"),
        Source::new("src/main.rs", "fn main() { leaseguard::world::go() }\n"),
    ];
    red(
        arrows(&sources),
        &[
            "src/verdict.rs uses `policy`",
            "src/shell/lex.rs uses `verdict`",
            "src/shell/lex.rs uses `world`",
            "push.rs uses `world`",
            "src/odd.rs: its module has no row",
            "src/main.rs uses `world`",
        ],
    );
}

#[test]
fn the_arrows_have_no_circle() {
    let table: BTreeMap<&str, &[&str]> = ARROWS.iter().copied().collect();
    fn reaches(table: &BTreeMap<&str, &[&str]>, from: &str, to: &str) -> bool {
        table[from]
            .iter()
            .any(|next| *next == to || reaches(table, next, to))
    }
    for (module, _) in ARROWS {
        assert!(
            !reaches(&table, module, module),
            "`{module}` reaches itself"
        );
    }
}

#[test]
fn files_are_short() {
    green("size", sizes(&all(), LONGER));
}

#[test]
fn a_long_file_is_seen() {
    let line = "let a = 1;\n";
    let long = Source::new("src/long.rs", line.repeat(CAP + 1));
    let tested = Source::new(
        "src/tested.rs",
        format!(
            "{}\n// comment\n/* more\n comment */\n#[cfg(test)]\nmod tests {{\n{}}}\n",
            line.repeat(CAP),
            line.repeat(50)
        ),
    );
    let table = Source::new(
        "src/table.rs",
        format!(
            "{}pub(crate) const T: &[(&str, u8)] = &[\n{}];\n",
            line.repeat(CAP),
            "    (\"a; }\", 1),\n".repeat(50)
        ),
    );
    let exception = Source::new("src/grammar.rs", line.repeat(600));
    red(
        sizes(&[long.clone(), tested, table, exception.clone()], &[]),
        &["src/long.rs: 401 lines", "src/grammar.rs: 600 lines"],
    );
    let why = "one grammar, one file";
    red(
        sizes(
            std::slice::from_ref(&exception),
            &[("src/grammar.rs", 650, why)],
        ),
        &[],
    );
    red(
        sizes(
            &[exception],
            &[("src/grammar.rs", 800, ""), ("src/a.rs", 500, why)],
        ),
        &["end at 700", "src/a.rs needs no exception"],
    );
}

#[test]
fn every_file_opens_with_one_sentence() {
    green("openings", openings(&all()));
}

#[test]
fn a_missing_sentence_is_seen() {
    red(
        openings(&[
            Source::new("src/a.rs", "//! One sentence.\n//!\n//! And. More.\n"),
            Source::new(
                "src/b.rs",
                "//! One sentence\n//! over two lines.\nuse x;\n",
            ),
            Source::new("src/c.rs", "use x;\n"),
            Source::new("src/d.rs", "//! No end\n"),
            Source::new("src/e.rs", "//! One. Two.\n"),
        ]),
        &[
            "src/c.rs does not open",
            "src/d.rs: its opening has no end",
            "src/e.rs: opens with more",
        ],
    );
}

#[test]
fn pure_folders_deny_what_touches_the_world() {
    green("purity", purity(&all()));
}

#[test]
fn an_impure_folder_is_seen() {
    let deny = "#![deny(clippy::disallowed_methods)]\n";
    red(
        purity(&[
            Source::new("src/shell/mod.rs", deny),
            Source::new("src/action/mod.rs", format!("// {deny}")),
            Source::new("src/rules/mod.rs", deny),
            Source::new("src/lease/law/mod.rs", deny),
            Source::new(
                "src/rules/a.rs",
                "#[allow(clippy::disallowed_methods)]\nfn f() {}\n",
            ),
        ]),
        &[
            "src/action/mod.rs does not deny",
            "src/rules/a.rs lets a disallowed method in",
        ],
    );
}

#[test]
fn every_rule_has_a_fixture_with_both_sides() {
    let held: Vec<Held> = support::rules::load()
        .iter()
        .map(|f| {
            let words = || f.scenes.iter().map(|s| &s.words);
            Held {
                rule: f.rule.clone(),
                speaks: words().map(|w| w.deny.len() + w.ask.len()).sum(),
                allows: words().map(|w| w.allow.len()).sum(),
            }
        })
        .collect();
    let rules: Vec<&str> = leaseguard::rules::ALL.iter().map(|r| r.id).collect();
    green("fixtures", fixtures(&rules, &held));
}

#[test]
fn a_rule_without_cases_is_seen() {
    let held = |rule: &str, speaks, allows| Held {
        rule: rule.to_owned(),
        speaks,
        allows,
    };
    red(
        fixtures(
            &["git/a", "git/b", "git/c", "git/d", "shell/a"],
            &[
                held("git/a", 1, 1),
                held("git/c", 0, 1),
                held("git/d", 1, 0),
                held("git/e", 1, 1),
                held("shell/a", 1, 1),
            ],
        ),
        &[
            "git/b has no fixtures/rules/b.toml",
            "git/c: nothing is denied",
            "git/d: nothing is allowed",
            "`git/e`, which is no rule",
            "shell/a shares its fixture",
        ],
    );
}

#[test]
fn rules_speak_as_the_house_does() {
    let texts: Vec<(&str, &str)> = leaseguard::rules::ALL
        .iter()
        .flat_map(|r| [(r.id, r.stops), (r.id, r.why), (r.id, r.instead)])
        .collect();
    green("wording", wording(&texts));
}

#[test]
fn a_loud_message_is_seen() {
    red(
        wording(&[
            ("a", "fine, `Main` too"),
            ("b", "Loud"),
            ("c", "ends."),
            ("d", ""),
        ]),
        &["b: lower case", "c: lower case", "d: lower case"],
    );
}

#[test]
fn no_file_holds_words_that_have_no_place_here() {
    let mut wrong = Vec::new();
    let paths = tracked();
    assert!(!paths.is_empty(), "no tracked files");
    for path in paths {
        // Binary files and links to nowhere hold no words.
        if let Ok(text) = std::fs::read_to_string(support::root().join(&path)) {
            wrong.extend(words(&path, &text));
        }
    }
    green("words", wrong);
}

#[test]
fn a_word_that_has_no_place_here_is_seen() {
    let text = format!("fine\nsee {}x\nan {} said\n", FORBIDDEN[0], FORBIDDEN[2]);
    red(words("a.md", &text), &["a.md:2", "a.md:3"]);
    let (dir, name) = (FORBIDDEN[0], FORBIDDEN[2]);
    let inside = format!("$ROOT{dir}x, ~/..{dir}a and last_{name}_message\n");
    red(words("b.md", &inside), &[]);
    red(words("c.md", "the session of an agent works\n"), &[]);
}
