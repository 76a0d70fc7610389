//! Every way past the guard that we know, what becomes of it, and what still stands where it is open.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout
)]

mod support;

use leaseguard::call::What;
use leaseguard::policy::Policy;
use leaseguard::verdict::Verdict;
use leaseguard::world::Surroundings;
use serde::Deserialize;
use std::collections::BTreeSet;
use std::fmt::Write;
use std::path::PathBuf;
use support::setup::Setup;
use support::{Stage, told};

// --- the rows ---------------------------------------------------------------------------------------

/// `fixtures/security/bypasses.toml`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Book {
    layer: Vec<Layer>,
    kind: Vec<Kind>,
    row: Vec<Row>,
}

/// What may still stop an act that leaseguard lets go.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Layer {
    id: String,
    text: String,
}

/// A family of ways.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Kind {
    id: String,
    title: String,
    text: String,
}

/// One way, judged in the base repository as `setup` changes it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Row {
    kind: String,
    /// The shell text; `@W@` is the directory that holds the repository.
    #[serde(default)]
    command: String,
    /// Files that the host's own tool writes, instead of a command.
    #[serde(default)]
    write: Vec<PathBuf>,
    /// A tool of another server, instead of a command.
    tool: Option<Tool>,
    /// A command of this shape that is too long to write down: prefix, how often, the rest.
    repeat: Option<(String, usize, String)>,
    /// `deny`, `ask`, `allow`.
    expect: String,
    /// What remains where it is allowed.
    #[serde(default)]
    layer: Vec<String>,
    /// The rule that will speak of it.
    waits: Option<String>,
    /// What is special about it.
    #[serde(default)]
    note: String,
    /// A harmless command of the same look, which is allowed in the same repository.
    twin: Option<String>,
    #[serde(default)]
    setup: Setup,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Tool {
    server: String,
    tool: String,
    input: String,
}

const WORDS: &[&str] = &["deny", "ask", "allow"];

fn path() -> PathBuf {
    support::root().join("fixtures/security/bypasses.toml")
}

fn book() -> Book {
    let text = std::fs::read_to_string(path()).expect("fixtures/security/bypasses.toml");
    toml::from_str(&text).unwrap_or_else(|e| panic!("bypasses.toml: {e}"))
}

impl Row {
    /// The way as the table shows it.
    fn shown(&self) -> String {
        if let Some(tool) = &self.tool {
            return format!("{}: {} {}", tool.server, tool.tool, tool.input);
        }
        if !self.write.is_empty() {
            let paths: Vec<_> = self.write.iter().map(|p| p.to_string_lossy()).collect();
            return format!("Write {}", paths.join(" "));
        }
        self.command.clone()
    }

    fn judge(&self) -> Verdict {
        let stage = Stage::of(&self.setup);
        let what = if let Some(tool) = &self.tool {
            What::Tool {
                server: tool.server.clone(),
                tool: tool.tool.clone(),
                input: tool.input.clone(),
            }
        } else if !self.write.is_empty() {
            What::Write {
                paths: self.write.clone(),
            }
        } else if let Some((prefix, times, rest)) = &self.repeat {
            return stage.judge(&(prefix.repeat(*times) + rest));
        } else {
            return stage.judge(&self.filled(&stage, &self.command));
        };
        let mut call = stage.call("");
        call.what = what;
        let around = Surroundings {
            cwd: Some(stage.repo.cwd.clone()),
            home: Some(stage.repo.home.clone()),
            ..Surroundings::default()
        };
        leaseguard::guard::judge(&call, around, &Policy::default())
    }

    fn filled(&self, stage: &Stage, text: &str) -> String {
        text.replace("@W@", &stage.repo.root.to_string_lossy())
    }
}

// --- the table --------------------------------------------------------------------------------------

const OPEN: &str = "<!-- bypasses -->";
const CLOSE: &str = "<!-- /bypasses -->";

/// Code within a table's cell.
fn code(text: &str) -> String {
    let line = text.trim_end().replace('\n', "⏎").replace('|', "\\|");
    if line.contains('`') {
        format!("`` {line} ``")
    } else {
        format!("`{line}`")
    }
}

fn answer(row: &Row, layers: &[Layer]) -> String {
    let mut told = match row.expect.as_str() {
        "deny" => "denied".to_owned(),
        "ask" => "asked".to_owned(),
        _ if row.layer.is_empty() => "allowed".to_owned(),
        _ => {
            let named = layers.iter().filter(|l| row.layer.contains(&l.id));
            let texts: Vec<&str> = named.map(|l| l.text.as_str()).collect();
            format!("**open**: {}", texts.join("; "))
        }
    };
    if let Some(rule) = &row.waits {
        write!(told, " (until `{rule}` is there)").unwrap();
    }
    told
}

fn table(book: &Book) -> String {
    let count = |word: &str| book.row.iter().filter(|r| r.expect == word).count();
    let mut out = format!(
        "\n{} ways: {} denied, {} asked, {} allowed or open.\n",
        book.row.len(),
        count("deny"),
        count("ask"),
        count("allow")
    );
    for kind in &book.kind {
        write!(out, "\n### {}\n\n{}\n\n", kind.title, kind.text).unwrap();
        out.push_str("| way | what happens | |\n|---|---|---|\n");
        for row in book.row.iter().filter(|r| r.kind == kind.id) {
            let (shown, answer) = (code(&row.shown()), answer(row, &book.layer));
            writeln!(out, "| {shown} | {answer} | {} |", row.note).unwrap();
        }
    }
    out + "\n"
}

fn parts(text: &str) -> Option<(&str, &str, &str)> {
    let (before, rest) = text.split_once(OPEN)?;
    let (inside, after) = rest.split_once(CLOSE)?;
    Some((before, inside, after))
}

/// The fixture with the answers of rules that have come since: `changed` holds row numbers and words.
fn struck(text: &str, changed: &[(usize, &str)]) -> String {
    const ROW: &str = "[[row]]\n";
    let mut blocks: Vec<String> = text.split(ROW).map(str::to_owned).collect();
    for (row, word) in changed {
        let Some(block) = blocks.get_mut(row + 1) else {
            continue;
        };
        let kept = block
            .lines()
            .filter(|l| !l.starts_with("waits = ") && !l.starts_with("layer = "))
            .map(|l| match l.starts_with("expect = ") {
                true => format!("expect = '{word}'\n"),
                false => format!("{l}\n"),
            });
        *block = kept.collect();
    }
    blocks.join(ROW)
}

// --- the laws ---------------------------------------------------------------------------------------

#[test]
fn every_way_past_the_guard_is_answered_as_written_down() {
    let book = book();
    let mut report = support::Report::default();
    let judged = support::spread(&book.row, Row::judge);
    if support::update() {
        let words = judged.iter().map(|v| v.decision().word());
        let stopped = |(at, word): (usize, &'static str)| {
            (book.row[at].waits.is_some() && word != "allow").then_some((at, word))
        };
        let changed: Vec<_> = words.enumerate().filter_map(stopped).collect();
        let text = std::fs::read_to_string(path()).unwrap();
        std::fs::write(path(), struck(&text, &changed)).unwrap();
        return;
    }
    for (row, verdict) in book.row.iter().zip(judged) {
        let got = verdict.decision().word();
        let right = verdict.fault.is_none() && got == row.expect;
        let group = match (&row.waits, got) {
            (Some(_), "deny" | "ask") => {
                "a rule has come: UPDATE=1 writes it down (twice, the second time for the table)"
            }
            (None, "allow") => "let go",
            _ => "answered otherwise",
        };
        report.check(right, group, || {
            format!(
                "want {}, got {}: {}",
                row.expect,
                told(&verdict),
                support::brief(&row.shown())
            )
        });
    }
    report.end("ways past the guard");
}

#[test]
fn harmless_twins_are_allowed() {
    let book = book();
    let mut report = support::Report::default();
    let twins: Vec<(&Row, &String)> = book
        .row
        .iter()
        .filter_map(|row| Some((row, row.twin.as_ref()?)))
        .collect();
    let judged = support::spread(&twins, |(row, twin)| {
        let stage = Stage::of(&row.setup);
        stage.judge(&row.filled(&stage, twin))
    });
    for ((row, twin), verdict) in twins.iter().zip(judged) {
        let right = verdict.fault.is_none() && verdict.decision().word() == "allow";
        report.check(right, &row.kind, || {
            format!("{}: {}", told(&verdict), support::brief(twin))
        });
    }
    assert!(report.checked() >= 40, "only {} twins", report.checked());
    report.end("harmless twins");
}

#[test]
fn rows_say_what_remains_where_they_are_open() {
    let book = book();
    let mut report = support::Report::default();
    let layers: BTreeSet<&str> = book.layer.iter().map(|l| l.id.as_str()).collect();
    let kinds: BTreeSet<&str> = book.kind.iter().map(|k| k.id.as_str()).collect();
    let mut seen = BTreeSet::new();
    for row in &book.row {
        let shown = row.shown();
        let known = row.layer.iter().all(|l| layers.contains(l.as_str()));
        let word = WORDS.contains(&row.expect.as_str());
        let kind = kinds.contains(row.kind.as_str());
        report.check(known && word && kind, "a word that is none", || {
            shown.clone()
        });
        let stopped = row.expect != "allow";
        let leads = !row.layer.is_empty();
        report.check(
            stopped != leads,
            "a layer where it is open, else none",
            || shown.clone(),
        );
        report.check(
            row.waits.is_none() || !stopped,
            "waits though it is stopped",
            || shown.clone(),
        );
        let pair = (shown.clone(), row.setup.key());
        report.check(seen.insert(pair), "written down twice", || shown);
    }
    assert!(book.row.len() >= 120, "only {} rows", book.row.len());
    report.end("rows");
}

#[test]
fn the_table_of_ways_is_the_one_in_security_md() {
    let path = support::root().join("SECURITY.md");
    let text = std::fs::read_to_string(&path).expect("SECURITY.md");
    let (before, inside, after) =
        parts(&text).unwrap_or_else(|| panic!("SECURITY.md has no `{OPEN}` … `{CLOSE}` block"));
    let want = table(&book());
    if support::update() {
        let new = format!("{before}{OPEN}\n{want}{CLOSE}{after}");
        std::fs::write(&path, new).unwrap();
        return;
    }
    assert!(
        inside.trim() == want.trim(),
        "the table of SECURITY.md is not fixtures/security/bypasses.toml; \
         UPDATE=1 cargo test --test security writes it"
    );
}

#[test]
fn a_row_is_struck_without_touching_its_neighbours() {
    let text = "a\n\n[[row]]\nexpect = 'allow'\nwaits = 'x'\n\n[[row]]\nexpect = 'allow'\nlayer = ['s']\nnote = 'n'\n";
    let want =
        "a\n\n[[row]]\nexpect = 'allow'\nwaits = 'x'\n\n[[row]]\nexpect = 'ask'\nnote = 'n'\n";
    assert_eq!(struck(text, &[(1, "ask")]), want);
    assert_eq!(struck(text, &[]), text);
}
