//! The terms of claims: what policy decides about them, passed in.

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
    /// How many checkouts of a repository may be claimed at once (R50).
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
}

impl Default for Terms {
    fn default() -> Terms {
        Terms {
            ttl: Duration::from_secs(300),
            most_ttl: Duration::from_secs(7 * 86_400),
            skew: Duration::from_secs(60),
            branch_pattern: None,
            cap: None,
            lane_required: false,
            harnesses: HARNESSES.iter().map(|h| (*h).to_owned()).collect(),
            standby_takes: false,
            cross_host_expired_observed: false,
        }
    }
}

impl Terms {
    /// How old a sign of life is when the next one is due.
    pub fn beat_every(ttl: Duration) -> Duration {
        ttl / 4
    }

    /// Whether `branch` is named as it has to be.
    pub fn fits(&self, branch: &str, ticket: Option<&str>) -> bool {
        let Some(pattern) = &self.branch_pattern else {
            return true;
        };
        let Some(ticket) = ticket.or_else(|| (!pattern.contains("{ticket}")).then_some("")) else {
            return false;
        };
        let pattern: Vec<char> = pattern.chars().collect();
        let name: Vec<char> = branch.chars().collect();
        matches(&pattern, &name, ticket)
    }
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
    fn branches_follow_the_pattern_that_policy_sets() {
        let any = Terms::default();
        assert!(any.fits("whatever", None));
        let terms = Terms {
            branch_pattern: Some("wt/WT-*/{ticket}".to_owned()),
            ..Terms::default()
        };
        assert!(terms.fits("wt/WT-2505/T-3", Some("T-3")));
        for (branch, ticket) in [
            ("wt/WT-2505/T-4", Some("T-3")),
            ("wt/WT-2/x/T-3", Some("T-3")),
            ("wt/WT-2505/T-3x", Some("T-3")),
            ("feat/x", Some("T-3")),
            ("wt/WT-2505/T-3", None),
        ] {
            assert!(!terms.fits(branch, ticket), "{branch}");
        }
    }
}
