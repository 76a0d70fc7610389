//! Findings as words: what an agent reads, and how untrusted text is made safe to show.

use crate::verdict::{Decision, Finding, Next, Verdict};
use std::borrow::Cow;
use std::fmt::Write as _;

/// More findings than this help nobody.
const MAX_FINDINGS: usize = 8;
/// Longer lines are cut; a command to run is never cut but left out.
const MAX_LINE: usize = 2000;
const MAX_INSTEAD: usize = 4000;

/// What the agent that proposed the call reads. `can_ask` says whether an ask reaches a person.
pub fn agent(verdict: &Verdict, can_ask: bool) -> String {
    if let Some(fault) = &verdict.fault {
        return format!(
            "leaseguard could not judge this call, nothing ran: {} [{}]\n\
             this is a failure of leaseguard and says nothing about the command: \
             tell the person in charge\n",
            safe(&fault.what, MAX_LINE),
            fault.code
        );
    }
    let mut out = String::with_capacity(512);
    out.push_str(match (verdict.decision(), can_ask) {
        (Decision::Deny, _) => "leaseguard denied this call, nothing ran\n",
        (_, true) => "leaseguard wants a person's yes for this call\n",
        (_, false) => {
            "leaseguard wants a person's yes for this call, and nobody can be asked here: \
             nothing ran\n"
        }
    });
    for finding in verdict.findings.iter().take(MAX_FINDINGS) {
        finding_lines(finding, &mut out);
    }
    if let Some(code) = &verdict.code {
        for part in [
            "person: `leaseguard allow ",
            code,
            "` lets this one call through\n",
        ] {
            out.push_str(part);
        }
    }
    for note in &verdict.notes {
        let _ = writeln!(out, "note: {}", safe(note, MAX_LINE));
    }
    let more = verdict.findings.len().saturating_sub(MAX_FINDINGS);
    if more > 0 {
        let _ = writeln!(out, "and {more} more findings");
    }
    out
}

fn finding_lines(finding: &Finding, out: &mut String) {
    let mut line = |key: &str, text: &str| {
        for part in [key, ": ", text, "\n"] {
            out.push_str(part);
        }
    };
    line(finding.rule, &safe(&finding.effect, MAX_LINE));
    match finding.because.as_slice() {
        [] => {}
        [fact] => line("because", &safe(fact, MAX_LINE)),
        facts => line("because", &safe(&facts.join("; "), MAX_LINE)),
    }
    let instead = instead(finding);
    if let Some(instead) = &instead {
        line("instead", instead);
    }
    line("next", next(finding.next, instead.is_some()));
}

/// The alternative, where it can be shown as it stands.
pub fn instead(finding: &Finding) -> Option<Cow<'_, str>> {
    let text = finding.instead.as_deref()?;
    (text.len() <= MAX_INSTEAD).then(|| safe_lines(text))
}

/// What to do next, in words.
pub fn next(next: Next, has_instead: bool) -> &'static str {
    match next {
        Next::UseInstead if has_instead => "run the command after `instead:`",
        Next::UseInstead => "change the command so that it does not do this",
        Next::AskPerson => "ask the person in charge, and do not try another spelling",
        Next::Stop => "leave it, and tell the person in charge what you wanted",
    }
}

/// `text` on one line, without anything that a terminal or a reader could be fooled by.
pub fn safe(text: &str, max: usize) -> Cow<'_, str> {
    if text.len() < max && is_plain(text) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len().min(max));
    for c in text.chars() {
        if out.len() >= max {
            out.push('…');
            break;
        }
        push_safe(c, &mut out);
    }
    Cow::Owned(out)
}

/// Nothing in it needs an escape: the common case, told by one look at its bytes.
fn is_plain(text: &str) -> bool {
    text.bytes()
        .fold(true, |plain, b| plain & (b' '..=b'~').contains(&b))
}

/// As [`safe`], but whole, and with its lines kept.
pub fn safe_lines(text: &str) -> Cow<'_, str> {
    if is_plain(text) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if c == '\n' || c == '\t' {
            out.push(c);
        } else {
            push_safe(c, &mut out);
        }
    }
    Cow::Owned(out)
}

/// `c` itself, or an escape that shows it.
pub fn push_safe(c: char, out: &mut String) {
    match c {
        '\n' => out.push_str("\\n"),
        '\r' => out.push_str("\\r"),
        '\t' => out.push_str("\\t"),
        c if (c as u32) < 0x100 && c.is_control() => {
            let _ = write!(out, "\\x{:02x}", c as u32);
        }
        c if is_invisible(c) => {
            let _ = write!(out, "\\u{{{:x}}}", c as u32);
        }
        c => out.push(c),
    }
}

/// Characters that change how their neighbours are shown, or show nothing at all.
fn is_invisible(c: char) -> bool {
    matches!(c as u32,
        0xAD | 0x61C | 0x180E | 0x200B..=0x200F | 0x2028..=0x202E | 0x2060..=0x2069 | 0xFEFF
        | 0xFFF9..=0xFFFB | 0xE0000..=0xE007F | 0xF0000..=0x10FFFF)
}

/// `text` as a JSON string, quotes included.
pub fn json_string(text: &str) -> String {
    serde_json::to_string(text).unwrap_or_else(|_| "\"\"".to_owned())
}

#[cfg(test)]
mod tests {
    use super::{safe, safe_lines};

    #[test]
    fn no_control_character_survives() {
        assert_eq!(
            safe("a\u{1b}[31m\nb\u{202e}\u{7f}", 99),
            "a\\x1b[31m\\nb\\u{202e}\\x7f"
        );
        assert_eq!(safe_lines("a\nb\u{7}\u{9b}"), "a\nb\\x07\\x9b");
    }

    #[test]
    fn long_text_is_cut_and_says_so() {
        assert_eq!(safe("äöü", 3), "äö…");
    }
}
