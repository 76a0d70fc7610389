//! `check`: judges a command without running it.

use super::terminal::{self, Paint};
use super::{Exit, input, person};
use crate::call::{Call, Dialect, What};
use crate::guard;
use crate::host::argv;
use crate::verdict::{Decision, Finding, Next, Verdict};
use crate::world::Surroundings;
use serde::Serialize;
use std::path::{Path, PathBuf};

/// The arguments.
#[derive(clap::Args)]
pub(super) struct Args {
    /// Print JSON, one object a judgement
    #[arg(long)]
    json: bool,
    /// Judge every line of stdin by itself
    #[arg(long)]
    lines: bool,
    /// Where the command would start
    #[arg(long, value_name = "DIR")]
    cwd: Option<PathBuf>,
    /// One word is shell text, several words (or any after `--`) an argument vector, `-` a script on stdin
    #[arg(value_name = "COMMAND")]
    words: Vec<String>,
}

/// Runs the verb; `argv` says that `--` stood before the words.
pub(super) fn run(args: &Args, argv: bool) -> Exit {
    let mut worst = Exit::Ok;
    let one = |line: Option<usize>, text: &str| {
        let verdict = judge(text, args.cwd.as_deref());
        let shown = if args.json {
            json(&verdict, text, line)
        } else if line.is_some() {
            brief(&verdict, text)
        } else {
            person::verdict(&verdict, text, Paint(terminal::colour()))
        };
        terminal::out(&shown);
        exit(&verdict)
    };
    match texts(args, argv) {
        Err(message) => {
            terminal::err(&format!("leaseguard: {message}\n"));
            return Exit::Trouble;
        }
        Ok(text) if args.lines => {
            for (at, line) in text.lines().enumerate() {
                worst = worse(worst, one(Some(at.saturating_add(1)), line));
            }
        }
        Ok(text) => worst = one(None, &text),
    }
    worst
}

fn texts(args: &Args, argv: bool) -> Result<String, String> {
    let dash = !argv && args.words == ["-"];
    if args.lines && !args.words.is_empty() && !dash {
        return Err("`--lines` reads the commands from stdin and takes no words".to_owned());
    }
    if args.lines || dash {
        let bytes = input::stdin().map_err(|fault| fault.what)?;
        return String::from_utf8(bytes).map_err(|_| "stdin is not valid UTF-8".to_owned());
    }
    text(&args.words, argv)
}

/// The shell text that `words` mean.
pub(super) fn text(words: &[String], argv: bool) -> Result<String, String> {
    match words {
        [] => Err("nothing to judge: give a command, or `-` for a script on stdin".to_owned()),
        [text] if !argv => Ok(text.clone()),
        [text, ..] if !argv && text.contains(char::is_whitespace) => Err(
            "is this shell text or an argument vector? quote all of it as one word, \
             or put `--` in front of the words"
                .to_owned(),
        ),
        words => Ok(argv::as_shell(words)),
    }
}

/// Judges shell text as an agent's.
pub(super) fn judge(text: &str, cwd: Option<&Path>) -> Verdict {
    if let Err(fault) = input::headroom(text.len()) {
        return Verdict::failed(fault.code, fault.what);
    }
    let around = asking(cwd);
    let call = call(text, around.cwd.clone());
    guard::explain(&call, around, &super::home::shelf())
}

/// The surroundings of somebody who only asks: an answer is wanted outside repositories too.
pub(super) fn asking(cwd: Option<&Path>) -> Surroundings {
    Surroundings {
        assume_repository: true,
        claims: super::session::watch(&call("", None)),
        ..input::around(cwd)
    }
}

/// The call that `text` would be.
pub(super) fn call(text: &str, cwd: Option<PathBuf>) -> Call {
    Call {
        session: None,
        agent: None,
        cwd,
        unseen_typing: false,
        what: What::Shell {
            dialect: Dialect::Bash,
            text: text.to_owned(),
        },
    }
}

/// The code for one verdict.
pub(super) fn exit(verdict: &Verdict) -> Exit {
    if verdict.fault.is_some() {
        return Exit::Trouble;
    }
    match verdict.decision() {
        Decision::Allow => Exit::Ok,
        Decision::Ask => Exit::Ask,
        Decision::Deny => Exit::Denied,
    }
}

/// Trouble before denied before ask before allowed.
fn worse(a: Exit, b: Exit) -> Exit {
    let rank = |exit| match exit {
        Exit::Ok => 0,
        Exit::Ask => 1,
        Exit::Denied => 2,
        Exit::Trouble => 3,
    };
    if rank(b) > rank(a) { b } else { a }
}

/// One line: the decision, the rule, the command.
fn brief(verdict: &Verdict, text: &str) -> String {
    let rule = match (&verdict.fault, verdict.first()) {
        (Some(fault), _) => fault.code,
        (None, Some(finding)) => finding.rule,
        (None, None) => "-",
    };
    let text = crate::host::text::safe(text, 400);
    format!("{}\t{rule}\t{text}\n", verdict.decision())
}

#[derive(Serialize)]
struct View<'a> {
    v: u8,
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<usize>,
    command: &'a str,
    decision: &'static str,
    findings: Vec<FindingView<'a>>,
    effects: &'a [String],
    #[serde(skip_serializing_if = "Option::is_none")]
    fault: Option<FaultView<'a>>,
}

#[derive(Serialize)]
struct FindingView<'a> {
    rule: &'static str,
    decision: &'static str,
    effect: &'a str,
    because: &'a [String],
    instead: Option<&'a str>,
    next: &'static str,
    span: [usize; 2],
}

#[derive(Serialize)]
struct FaultView<'a> {
    code: &'static str,
    what: &'a str,
}

fn json(verdict: &Verdict, text: &str, line: Option<usize>) -> String {
    let view = View {
        v: 1,
        line,
        command: text,
        decision: verdict.decision().word(),
        findings: verdict.findings.iter().map(view).collect(),
        effects: &verdict.effects,
        fault: verdict.fault.as_ref().map(|fault| FaultView {
            code: fault.code,
            what: &fault.what,
        }),
    };
    terminal::json_line(&view)
}

fn view(f: &Finding) -> FindingView<'_> {
    FindingView {
        rule: f.rule,
        decision: f.decision.word(),
        effect: &f.effect,
        because: &f.because,
        instead: f.instead.as_deref(),
        next: match f.next {
            Next::UseInstead => "use-instead",
            Next::AskPerson => "ask-person",
            Next::Stop => "stop",
        },
        span: [f.span.start, f.span.end],
    }
}
