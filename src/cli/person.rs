//! A verdict as a person reads it, with the stretch of the command that decided underlined.

use super::terminal::Paint;
use crate::host::text;
use crate::verdict::{Decision, Finding, Next, Verdict};
use std::fmt::Write as _;
use std::ops::Range;

/// How much of a long line is shown before and after the start of the span, in bytes.
const BEFORE: usize = 48;
const AFTER: usize = 112;
const MAX_LINE: usize = 2000;

/// The whole verdict on `command`.
pub(super) fn verdict(verdict: &Verdict, command: &str, paint: Paint) -> String {
    if verdict.fault.is_some() {
        return text::agent(verdict, true);
    }
    let mut out = String::new();
    if verdict.findings.is_empty() {
        let _ = writeln!(out, "{}", paint.green("allowed"));
    }
    for finding in &verdict.findings {
        out.push_str(&headline(finding, paint));
        out.push_str(&excerpt(command, &finding.span, paint));
        out.push_str(&reasons(finding, paint));
    }
    for note in &verdict.notes {
        let _ = writeln!(
            out,
            "{} {}",
            paint.bold("note:"),
            text::safe(note, MAX_LINE)
        );
    }
    out
}

/// A decision as people read it.
pub(super) fn word(decision: Decision) -> &'static str {
    match decision {
        Decision::Allow => "allowed",
        Decision::Ask => "asks",
        Decision::Deny => "denied",
    }
}

/// `denied git/base-push: this push would …`
pub(super) fn headline(finding: &Finding, paint: Paint) -> String {
    let word = word(finding.decision);
    let word = match finding.decision {
        Decision::Allow => paint.green(word),
        Decision::Ask => paint.yellow(word),
        Decision::Deny => paint.red(word),
    };
    let effect = text::safe(&finding.effect, MAX_LINE);
    format!("{word} {}: {effect}\n", paint.bold(finding.rule))
}

/// The facts and the way out.
pub(super) fn reasons(finding: &Finding, paint: Paint) -> String {
    let mut out = String::new();
    for fact in &finding.because {
        let fact = text::safe(fact, MAX_LINE);
        let _ = writeln!(out, "{} {fact}", paint.bold("because:"));
    }
    let instead = text::instead(finding);
    if let Some(instead) = &instead {
        let _ = writeln!(out, "{} {instead}", paint.bold("instead:"));
    }
    let (label, next) = match finding.next {
        Next::UseInstead => ("next:", text::next(Next::UseInstead, instead.is_some())),
        Next::AskPerson => ("person:", "decide, and run it yourself if it is right"),
        Next::Stop => ("next:", "leave it"),
    };
    let _ = writeln!(out, "{} {next}", paint.bold(label));
    out
}

/// The line of `command` in which `span` starts, and carets under the span.
pub(super) fn excerpt(command: &str, span: &Range<usize>, paint: Paint) -> String {
    let start = floor(command, span.start);
    let head = command.get(..start).unwrap_or_default();
    let line_start = head.rfind('\n').map_or(0, |at| at.saturating_add(1));
    let rest = command.get(line_start..).unwrap_or_default();
    let line_end = line_start.saturating_add(rest.find('\n').unwrap_or(rest.len()));
    let end = floor(command, span.end).clamp(start, line_end);

    let from = floor(command, start.saturating_sub(BEFORE)).max(line_start);
    let to = floor(command, start.saturating_add(AFTER)).min(line_end);
    let mut line = String::new();
    if command.contains('\n') {
        let number = head.matches('\n').count().saturating_add(1);
        let _ = write!(line, "{number} | ");
    }
    if from > line_start {
        line.push('…');
    }
    line.push_str(&shown(command, from..start));
    let left = width(&line);
    let marked = shown(command, start..end.min(to));
    let carets = width(&marked).max(1);
    line.push_str(&marked);
    line.push_str(&shown(command, end.min(to)..to));
    if to < line_end {
        line.push('…');
    }
    let carets = paint.red(&"^".repeat(carets));
    format!("  {line}\n  {}{carets}\n", " ".repeat(left))
}

fn shown(command: &str, range: Range<usize>) -> String {
    let mut out = String::new();
    for c in command.get(range).unwrap_or_default().chars() {
        text::push_safe(if c == '\t' { ' ' } else { c }, &mut out);
    }
    out
}

/// The nearest place at or before `at` where a character starts.
fn floor(text: &str, at: usize) -> usize {
    text.floor_char_boundary(at.min(text.len()))
}

/// Columns on a terminal.
fn width(text: &str) -> usize {
    text.chars().map(columns).sum()
}

fn columns(c: char) -> usize {
    match c as u32 {
        0x300..=0x36F | 0x1AB0..=0x1AFF | 0x1DC0..=0x1DFF | 0x20D0..=0x20FF => 0,
        0xFE00..=0xFE0F | 0xFE20..=0xFE2F => 0,
        0x1100..=0x115F | 0x2E80..=0x303E | 0x3041..=0x4DBF | 0x4E00..=0xA4CF => 2,
        0xA960..=0xA97F | 0xAC00..=0xD7A3 | 0xF900..=0xFAFF | 0xFE30..=0xFE6F => 2,
        0xFF00..=0xFF60 | 0xFFE0..=0xFFE6 | 0x1F300..=0x1F64F | 0x1F680..=0x1F6FF => 2,
        0x1F900..=0x1F9FF | 0x1FA70..=0x1FAFF | 0x20000..=0x3FFFD => 2,
        _ => 1,
    }
}

#[cfg(test)]
mod tests {
    use super::excerpt;
    use crate::cli::terminal::Paint;

    fn plain(command: &str, span: std::ops::Range<usize>) -> String {
        excerpt(command, &span, Paint(false))
    }

    #[test]
    fn the_span_is_underlined() {
        assert_eq!(
            plain("git push -f", 9..11),
            "  git push -f\n           ^^\n"
        );
    }

    #[test]
    fn the_right_line_of_many_is_shown() {
        assert_eq!(
            plain("cd x\ngit push", 5..13),
            "  2 | git push\n      ^^^^^^^^\n"
        );
        assert_eq!(plain("a 'b\nc' d", 2..7), "  1 | a 'b\n        ^^\n");
    }

    #[test]
    fn wide_characters_move_the_carets() {
        assert_eq!(plain("echo 語 -f", 9..11), "  echo 語 -f\n          ^^\n");
        assert_eq!(plain("e\u{301} -f", 4..6), "  e\u{301} -f\n    ^^\n");
    }

    #[test]
    fn control_characters_are_shown_and_counted() {
        assert_eq!(plain("\u{1b}[2J -f", 5..7), "  \\x1b[2J -f\n          ^^\n");
    }

    #[test]
    fn no_span_is_out_of_reach() {
        for (start, end) in [(0, 0), (3, 1), (5, 99), (99, 200), (2, 3)] {
            assert!(plain("ä語", start..end).contains('^'));
        }
        assert!(plain("", 0..5).contains('^'));
    }

    #[test]
    fn long_lines_are_cut_around_the_span() {
        let command = format!("{} -f {}", "a".repeat(500), "b".repeat(500));
        let shown = plain(&command, 501..503);
        assert!(shown.starts_with("  …aaa"), "{shown}");
        assert!(
            shown.lines().all(|line| line.chars().count() < 180),
            "{shown}"
        );
    }
}
