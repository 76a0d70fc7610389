//! The terms of claims: what policy decides about them, passed in.

use super::error::{Code, Refusal};
use super::ground::Allowed;
use std::time::Duration;

/// The harnesses that are known by default (R23).
pub const HARNESSES: &[&str] = &[
    "agy",
    "aider",
    "amp",
    "claude",
    "cline",
    "codex",
    "copilot",
    "crush",
    "cursor",
    "droid",
    "gemini",
    "goose",
    "grok",
    "kimi",
    "odysseus",
    "ollama",
    "opencode",
    "openhands",
    "pi",
    "qwen",
];

/// What policy decides about claims.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Terms {
    /// How long a claim holds after a sign of life, where the asker does not say. It frees nothing
    /// by itself.
    pub ttl: Duration,
    /// No claim holds longer without a sign of life.
    pub most_ttl: Duration,
    /// How far two clocks, or one clock at two times, may be apart.
    pub skew: Duration,
    /// The names that a branch may have, with `*` and `{ticket}`; `None` = any (R6).
    pub branch_pattern: Option<String>,
    /// The names that a ticket may have, with `*`; `None` = any. One that is called as its branch
    /// follows the branch's pattern alone.
    pub ticket_pattern: Option<String>,
    /// How many checkouts of a repository Claude's sessions may claim at once (R36, R37, R50).
    pub cap: Option<usize>,
    /// Whether other harnesses than Claude have to name a lane (R34, R35).
    pub lane_required: bool,
    /// The harnesses that are known.
    pub harnesses: Vec<String>,
    /// Whether a standby may take over (R46).
    pub standby_takes: bool,
    /// Whether a claim of another machine may be taken over once nobody here has seen it change for
    /// its whole time.
    pub cross_host_expired_observed: bool,
    /// The places that are refused by default and allowed after all.
    pub allowed: Allowed,
}

impl Default for Terms {
    fn default() -> Terms {
        Terms {
            ttl: Duration::from_secs(300),
            most_ttl: Duration::from_secs(7 * 86_400),
            skew: Duration::from_secs(60),
            branch_pattern: None,
            ticket_pattern: None,
            cap: None,
            lane_required: false,
            harnesses: HARNESSES.iter().map(|h| (*h).to_owned()).collect(),
            standby_takes: false,
            cross_host_expired_observed: false,
            allowed: Allowed::default(),
        }
    }
}

impl Terms {
    /// How old a sign of life is when the next one is due.
    pub fn beat_every(ttl: Duration) -> Duration {
        ttl / 4
    }

    /// The ticket in a branch that is named as policy wants, where its pattern tells one.
    pub fn ticket_in(&self, branch: &str) -> Option<String> {
        let pattern = self.branch_pattern.as_deref()?;
        let (before, _) = pattern.split_once("{ticket}")?;
        // A pattern in front of it may fit in several ways: the one that leaves the most counts.
        let wanted = |ticket: &&str| {
            let named = self.ticket_pattern.as_deref();
            !ticket.is_empty()
                && !ticket.contains('/')
                && named.is_none_or(|pattern| fits(pattern, ticket, None))
                && fits(pattern, branch, Some(ticket))
        };
        let starts = branch.char_indices().map(|(at, _)| at);
        let starts = starts.filter(|at| branch.get(..*at).is_some_and(|b| fits(before, b, None)));
        let ends = |at: usize| {
            let rest = branch.get(at..).unwrap_or_default();
            let ends = rest
                .char_indices()
                .map(move |(i, c)| i.saturating_add(c.len_utf8()));
            ends.rev().filter_map(move |end| rest.get(..end))
        };
        let mut found = starts.flat_map(ends).filter(wanted);
        found.next().map(str::to_owned)
    }

    /// Refuses a branch or a ticket that is not named as policy wants.
    pub fn check_names(&self, branch: Option<&str>, ticket: Option<&str>) -> Result<(), Refusal> {
        let refused = |code, kind: &str, name: &str, pattern: &str| {
            let way = match (kind, ticket) {
                ("ticket", _) => "take another name".to_owned(),
                (_, Some(ticket)) if pattern.contains("{ticket}") => format!(
                    "for ticket `{ticket}` take another branch (`git switch -c`), or name it with `--branch`"
                ),
                _ => "take another branch (`git switch -c`), or name it with `--branch`".to_owned(),
            };
            let what =
                format!("{kind} `{name}` is not named as `{pattern}`, which policy wants: {way}");
            Err(Refusal::new(code, what))
        };
        match (&self.ticket_pattern, ticket) {
            (Some(pattern), Some(name)) if !fits(pattern, name, None) => {
                return refused(Code::TicketName, "ticket", name, pattern);
            }
            _ => {}
        }
        match (&self.branch_pattern, branch) {
            (Some(pattern), Some(name)) if !fits(pattern, name, ticket) => {
                refused(Code::BranchName, "branch", name, pattern)
            }
            _ => Ok(()),
        }
    }
}

/// Whether `name` is as `pattern` says; where that names a ticket, there has to be one.
fn fits(pattern: &str, name: &str, ticket: Option<&str>) -> bool {
    let Some(ticket) = ticket.or_else(|| (!pattern.contains("{ticket}")).then_some("")) else {
        return false;
    };
    let [pattern, name] = [pattern, name].map(|text| text.chars().collect::<Vec<char>>());
    matches(&pattern, &name, ticket)
}

/// `*` stands for anything but `/`, `{ticket}` for the ticket.
fn matches(pattern: &[char], name: &[char], ticket: &str) -> bool {
    const HOLE: [char; 8] = ['{', 't', 'i', 'c', 'k', 'e', 't', '}'];
    if let Some(rest) = pattern.strip_prefix(&HOLE) {
        let ticket: Vec<char> = ticket.chars().collect();
        return name
            .strip_prefix(ticket.as_slice())
            .is_some_and(|name| matches(rest, name, ""));
    }
    match (pattern.split_first(), name.split_first()) {
        (None, first) => first.is_none(),
        (Some(('*', rest)), first) => {
            matches(rest, name, ticket)
                || first.is_some_and(|(c, after)| *c != '/' && matches(pattern, after, ticket))
        }
        (Some((p, rest)), Some((c, after))) => p == c && matches(rest, after, ticket),
        (Some(_), None) => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // R6
    #[test]
    fn branches_and_tickets_follow_the_patterns_that_policy_sets() {
        let any = Terms::default();
        assert_eq!(any.check_names(Some("whatever"), Some("x y")), Ok(()));
        let terms = Terms {
            branch_pattern: Some("wt/WT-*/{ticket}".to_owned()),
            ticket_pattern: Some("T-*".to_owned()),
            ..Terms::default()
        };
        let code = |branch, ticket| terms.check_names(Some(branch), ticket).map_err(|e| e.code);
        assert_eq!(code("wt/WT-2505/T-3", Some("T-3")), Ok(()));
        for (branch, ticket) in [
            ("wt/WT-2505/T-4", Some("T-3")),
            ("wt/WT-2/x/T-3", Some("T-3")),
            ("wt/WT-2505/T-3x", Some("T-3")),
            ("feat/x", Some("T-3")),
            ("wt/WT-2505/T-3", None),
        ] {
            assert_eq!(code(branch, ticket), Err(Code::BranchName), "{branch}");
        }
        for ticket in ["U-3", "T", "T-3/4", ""] {
            assert_eq!(
                code("wt/WT-2505/T-3", Some(ticket)),
                Err(Code::TicketName),
                "{ticket}"
            );
        }
        assert_eq!(terms.ticket_in("wt/WT-2505/T-3").as_deref(), Some("T-3"));
        for branch in ["wt/WT-2505/U-3", "feat/T-3", "wt/WT-1/x/T-3", "wt/WT-1/"] {
            assert_eq!(terms.ticket_in(branch), None, "{branch}");
        }
        let told = terms.check_names(None, Some("U-3")).unwrap_err();
        assert!(told.what.contains("`T-*`") && told.what.contains("`U-3`"));
    }
}
