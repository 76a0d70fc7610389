//! `demo`: eight accidents by real git in scratch repositories, and what stops each.

use super::terminal::{self, Paint};
use super::{Exit, person};
use crate::demo::{ALL, Accident, Change, Outcome, Played, Scratch, play};
use crate::host::text::{self, safe};
use crate::verdict::Verdict;
use serde::Serialize;
use std::fmt::Write as _;

const WIDTH: usize = 80;
const MAX_LINE: usize = 2000;

/// Width of the labels on the left.
const LABEL: usize = 12;

/// The arguments.
#[derive(clap::Args)]
pub(super) struct Args {
    /// Only the accident with this number
    #[arg(value_name = "N")]
    number: Option<usize>,
    /// Leave the scratch directory behind, and say where it is
    #[arg(long)]
    keep: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// Runs the verb.
pub(super) fn run(args: &Args) -> Exit {
    match tell(args) {
        Ok(exit) => exit,
        Err(what) => {
            terminal::err(&format!("leaseguard: {}\n", safe(&what, MAX_LINE)));
            Exit::Trouble
        }
    }
}

fn tell(args: &Args) -> Result<Exit, String> {
    let chosen: Vec<(usize, &Accident)> = (1..)
        .zip(ALL)
        .filter(|(n, _)| args.number.is_none_or(|number| number == *n))
        .collect();
    if chosen.is_empty() {
        return Err(format!("accidents have the numbers 1 to {}", ALL.len()));
    }
    let scratch = Scratch::new(args.keep)?;
    let paint = Paint(terminal::colour());
    let mut told = Vec::new();
    if !args.json {
        terminal::out("real git in a scratch repository; nothing of yours is touched\n");
    }
    for (number, accident) in chosen {
        let played = play(&scratch, accident, &number.to_string())?;
        if !args.json && !terminal::out(&story(number, accident, &played, paint)) {
            return Err("standard output is closed".to_owned());
        }
        told.push((number, accident, played));
    }
    let count = |holds: fn(&Played) -> bool| told.iter().filter(|(.., p)| holds(p)).count();
    let sum = Sum {
        all: told.len(),
        done: count(|p| p.accident.harmed()),
        stopped: count(|p| p.accident.stopped()),
        twins: count(|p| !p.twin.stopped() && !p.twin.harmed() && p.twin.verdict.fault.is_none()),
    };
    let kept = args.keep.then(|| scratch.dir().display().to_string());
    if args.json {
        terminal::out(&terminal::json_line(&Book {
            v: 1,
            accidents: told.iter().map(|(n, a, p)| view(*n, a, p)).collect(),
            done: sum.done,
            stopped: sum.stopped,
            twins_allowed: sum.twins,
            kept,
        }));
    } else {
        if let Some(dir) = kept {
            terminal::out(&format!("\nkept: {dir}\n"));
        }
        terminal::out(&format!("\n{}\n", sum.line()));
    }
    Ok(sum.exit())
}

/// How it went.
struct Sum {
    all: usize,
    done: usize,
    stopped: usize,
    twins: usize,
}

impl Sum {
    fn line(&self) -> String {
        let all = self.all;
        let twins = match self.twins {
            n if n == all => String::new(),
            n => format!(", only {n} of {all} twins were harmless and let through"),
        };
        format!(
            "{} of {all} done by git, {} of {all} stopped{twins}; next: `leaseguard install`",
            self.done, self.stopped
        )
    }

    fn exit(&self) -> Exit {
        if [self.done, self.stopped, self.twins] == [self.all; 3] {
            Exit::Ok
        } else {
            Exit::Trouble
        }
    }
}

fn story(number: usize, accident: &Accident, played: &Played, paint: Paint) -> String {
    let mut out = String::new();
    let title = paint.bold(&format!("{number} {}", accident.name));
    let _ = writeln!(out, "\n{title}");
    row("", accident.scene, paint, &mut out);
    command("agent runs", accident.command, paint, &mut out);
    let harm = played.accident.changes.iter().filter(|c| c.harms());
    rows(
        "git alone",
        &listed(harm, "did no harm here"),
        paint,
        &mut out,
    );
    said(&played.accident.verdict, paint, &mut out);
    command("harmless", accident.twin, paint, &mut out);
    let word = match played.twin.stopped() {
        false => "allowed",
        true => "stopped, which is wrong",
    };
    let changes = listed(played.twin.changes.iter(), "changed nothing");
    row(
        "",
        &format!("{word}; git {}", changes.join(", ")),
        paint,
        &mut out,
    );
    out
}

/// The finding that decided; the others of one command say much the same.
fn said(verdict: &Verdict, paint: Paint, out: &mut String) {
    let Some(finding) = verdict.first() else {
        row("leaseguard", "says nothing, which is wrong", paint, out);
        return;
    };
    let word = person::word(finding.decision);
    let effect = safe(&finding.effect, MAX_LINE);
    let headline = format!("{word} {}: {effect}", finding.rule);
    row("leaseguard", &headline, paint, out);
    for fact in &finding.because {
        row("because", &safe(fact, MAX_LINE), paint, out);
    }
    if let Some(instead) = text::instead(finding) {
        command("instead", &instead, paint, out);
    }
}

fn listed<'a>(changes: impl Iterator<Item = &'a Change>, none: &str) -> Vec<String> {
    let lines: Vec<String> = changes
        .map(|c| safe(&c.to_string(), MAX_LINE).into_owned())
        .collect();
    if lines.is_empty() {
        return vec![none.to_owned()];
    }
    lines
}

fn rows(label: &str, lines: &[String], paint: Paint, out: &mut String) {
    for (at, line) in lines.iter().enumerate() {
        row(if at == 0 { label } else { "" }, line, paint, out);
    }
}

/// A command stands whole on its line, so that it can be copied.
fn command(label: &str, text: &str, paint: Paint, out: &mut String) {
    let _ = writeln!(out, "  {}$ {text}", left(label, paint));
}

/// Prose, folded at the width of a terminal.
fn row(label: &str, text: &str, paint: Paint, out: &mut String) {
    let room = WIDTH.saturating_sub(LABEL).saturating_sub(2);
    let mut label = label;
    let mut line = String::new();
    let mut width = 0usize;
    for word in text.split(' ') {
        let more = word.chars().count().saturating_add(1);
        if !line.is_empty() && width.saturating_add(more) > room {
            let _ = writeln!(out, "  {}{line}", left(label, paint));
            label = "";
            line.clear();
            width = 0;
        }
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
        width = width.saturating_add(more);
    }
    let _ = writeln!(out, "  {}{line}", left(label, paint));
}

fn left(label: &str, paint: Paint) -> String {
    let blank = " ".repeat(LABEL.saturating_sub(label.len()));
    match label {
        "" => blank,
        "git alone" => paint.red(label) + &blank,
        "leaseguard" | "harmless" => paint.green(label) + &blank,
        _ => paint.bold(label) + &blank,
    }
}

#[derive(Serialize)]
struct Book<'a> {
    v: u8,
    accidents: Vec<View<'a>>,
    done: usize,
    stopped: usize,
    twins_allowed: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    kept: Option<String>,
}

#[derive(Serialize)]
struct View<'a> {
    number: usize,
    name: &'static str,
    scene: &'static str,
    accident: OutcomeView<'a>,
    twin: OutcomeView<'a>,
}

#[derive(Serialize)]
struct OutcomeView<'a> {
    command: &'static str,
    harmed: bool,
    changes: Vec<ChangeView>,
    decision: &'static str,
    findings: Vec<FindingView<'a>>,
}

#[derive(Serialize)]
struct ChangeView {
    what: String,
    harms: bool,
}

#[derive(Serialize)]
struct FindingView<'a> {
    rule: &'static str,
    decision: &'static str,
    effect: &'a str,
    because: &'a [String],
    instead: Option<&'a str>,
}

fn view<'a>(number: usize, accident: &'a Accident, played: &'a Played) -> View<'a> {
    View {
        number,
        name: accident.name,
        scene: accident.scene,
        accident: outcome(accident.command, &played.accident),
        twin: outcome(accident.twin, &played.twin),
    }
}

fn outcome<'a>(command: &'static str, outcome: &'a Outcome) -> OutcomeView<'a> {
    let change = |c: &Change| ChangeView {
        what: c.to_string(),
        harms: c.harms(),
    };
    OutcomeView {
        command,
        harmed: outcome.harmed(),
        changes: outcome.changes.iter().map(change).collect(),
        decision: outcome.verdict.decision().word(),
        findings: outcome
            .verdict
            .findings
            .iter()
            .map(|f| FindingView {
                rule: f.rule,
                decision: f.decision.word(),
                effect: &f.effect,
                because: &f.because,
                instead: f.instead.as_deref(),
            })
            .collect(),
    }
}
