//! `explain`: what a rule stops and why, or what leaseguard sees in a command.

use super::terminal::{self, Paint};
use super::{Exit, case, check, person};
use crate::guard;
use crate::host::text::safe;
use crate::rules::{ALL, Rule};
use crate::verdict::Verdict;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

const MAX_LINE: usize = 2000;

/// The arguments.
#[derive(clap::Args)]
pub(super) struct Args {
    /// Print the command as a test scene for a bug report
    #[arg(long)]
    case: bool,
    /// Where the command would start
    #[arg(long, value_name = "DIR")]
    cwd: Option<PathBuf>,
    /// A rule's id, or a command: one word is shell text, several (or any after `--`) are an argument vector
    #[arg(value_name = "ID|COMMAND")]
    words: Vec<String>,
}

/// Runs the verb; `argv` says that `--` stood before the words.
pub(super) fn run(args: &Args, argv: bool) -> Exit {
    if let ([word], false) = (args.words.as_slice(), argv)
        && looks_like_id(word)
    {
        return rule(word);
    }
    match check::text(&args.words, argv) {
        Ok(text) => command(args, &text),
        Err(message) => {
            terminal::err(&format!("leaseguard: {message}\n"));
            Exit::Trouble
        }
    }
}

/// `family/name`, and no file of that name.
fn looks_like_id(word: &str) -> bool {
    let letters =
        |part: &str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_lowercase() || b == b'-');
    word.split_once('/')
        .is_some_and(|(a, b)| letters(a) && letters(b))
        && std::fs::symlink_metadata(Path::new(word)).is_err()
}

fn rule(id: &str) -> Exit {
    if let Some(rule) = ALL.iter().find(|rule| rule.id == id) {
        let paint = Paint(terminal::colour());
        let lines = [
            ("stops:", rule.stops),
            ("why:", rule.why),
            ("instead:", rule.instead),
        ];
        let mut out = format!("{}: {}\n", paint.bold(rule.id), rule.decision);
        for (label, text) in lines {
            let _ = writeln!(out, "{} {text}", paint.bold(label));
        }
        terminal::out(&out);
        return Exit::Ok;
    }
    let hint = match nearest(id, ALL) {
        Some(near) => format!("did you mean `{near}`?"),
        None => "`leaseguard rules` lists them all".to_owned(),
    };
    terminal::err(&format!(
        "leaseguard: there is no rule `{}`; {hint}\n",
        safe(id, 80)
    ));
    Exit::Trouble
}

fn command(args: &Args, text: &str) -> Exit {
    let around = check::asking(args.cwd.as_deref());
    let verdict = check::judge(text, args.cwd.as_deref());
    let exit = match verdict.fault {
        Some(_) => Exit::Trouble,
        None => Exit::Ok,
    };
    if args.case {
        terminal::out(&case::scene(&verdict, text, around));
        return exit;
    }
    let call = check::call(text, around.cwd.clone());
    let seen = guard::parsed(&call, around);
    terminal::out(&story(&verdict, text, &seen, Paint(terminal::colour())));
    exit
}

fn story(verdict: &Verdict, text: &str, seen: &[String], paint: Paint) -> String {
    let mut out = String::new();
    list("commands:", seen, paint, &mut out);
    list("effects:", &verdict.effects, paint, &mut out);
    if verdict.fault.is_some() || verdict.findings.is_empty() {
        out.push_str(&person::verdict(verdict, text, paint));
        return out;
    }
    for finding in &verdict.findings {
        out.push_str(&person::headline(finding, paint));
        out.push_str(&person::excerpt(text, &finding.span, paint));
        out.push_str(&person::reasons(finding, paint));
        if let Some(rule) = ALL.iter().find(|rule| rule.id == finding.rule) {
            let _ = writeln!(out, "{} {}", paint.bold("why:"), rule.why);
            if finding.instead.is_none() {
                let _ = writeln!(out, "{} {}", paint.bold("instead:"), rule.instead);
            }
        }
    }
    out
}

fn list(label: &str, lines: &[String], paint: Paint, out: &mut String) {
    if lines.is_empty() {
        return;
    }
    let _ = writeln!(out, "{}", paint.bold(label));
    for line in lines {
        let _ = writeln!(out, "  {}", safe(line, MAX_LINE));
    }
}

/// The id that is most like `id`, if any is like it at all.
fn nearest(id: &str, rules: &[&Rule]) -> Option<&'static str> {
    let id = id.get(..64).unwrap_or(id);
    rules
        .iter()
        .map(|rule| (distance(id, rule.id), rule.id))
        .min()
        .filter(|(far, near)| *far <= near.len() / 2)
        .map(|(_, near)| near)
}

/// How many letters have to be put in, taken out or changed.
fn distance(a: &str, b: &str) -> usize {
    let b = b.as_bytes();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.bytes().enumerate() {
        let mut diagonal = i;
        let mut left = i.saturating_add(1);
        if let Some(first) = row.first_mut() {
            *first = left;
        }
        for (above, y) in row.iter_mut().skip(1).zip(b) {
            let change = diagonal.saturating_add(usize::from(x != *y));
            diagonal = *above;
            left = change
                .min(left.saturating_add(1))
                .min(above.saturating_add(1));
            *above = left;
        }
    }
    row.last().copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::{distance, looks_like_id};

    #[test]
    fn distances_are_edits() {
        assert_eq!(distance("git/amend", "git/amend"), 0);
        assert_eq!(distance("git/amed", "git/amend"), 1);
        assert_eq!(distance("kitten", "sitting"), 3);
        assert_eq!(distance("", "ab"), 2);
    }

    #[test]
    fn ids_are_told_from_commands() {
        assert!(looks_like_id("git/force-push"));
        assert!(!looks_like_id("./run") && !looks_like_id("git") && !looks_like_id("src/cli"));
    }
}
