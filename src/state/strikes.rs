//! How often a rule has stopped a session: one byte a hit, so that no two hits get lost.

use super::key::Key;
use super::{State, Trouble};
use crate::verdict::{Next, Verdict};
use std::io::Write;

const FOLDER: &str = "strikes";

/// From this hit on an agent is told to stop and to ask its user.
pub const STOP_AT: u64 = 3;

/// Counts one more hit of `rule` in `session`; tells how many there are now.
pub fn hit(state: &State, session: &str, rule: &str) -> Result<u64, Trouble> {
    let name = Key::new("strike")
        .with(session.as_bytes())
        .with(rule.as_bytes())
        .hex();
    let (mut file, _) = state.appending(FOLDER, &name)?;
    let counted = file.write_all(b".").and_then(|()| file.metadata());
    counted
        .map(|m| m.len())
        .map_err(|e| Trouble::at("write", &state.path(FOLDER, &name), &e))
}

/// What to do next after the `count`-th hit.
pub fn next(count: u64, otherwise: Next) -> Next {
    if count >= STOP_AT {
        Next::Stop
    } else {
        otherwise
    }
}

/// Counts every finding of `verdict` once a rule, and says stop where a rule hit too often.
/// A call without a session is not counted.
pub fn count(state: &State, session: Option<&str>, verdict: &mut Verdict) -> Result<(), Trouble> {
    let Some(session) = session else {
        return Ok(());
    };
    let mut counted: Vec<(&str, u64)> = Vec::new();
    for finding in &mut verdict.findings {
        let known = counted
            .iter()
            .find(|(rule, _)| *rule == finding.rule)
            .map(|(_, n)| *n);
        let hits = match known {
            Some(hits) => hits,
            None => {
                let hits = hit(state, session, finding.rule)?;
                counted.push((finding.rule, hits));
                hits
            }
        };
        finding.next = next(hits, finding.next);
    }
    Ok(())
}

/// The folder, for whoever sweeps.
pub(crate) fn folder() -> &'static str {
    FOLDER
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::verdict::{Decision, Finding};

    fn verdict(rules: &[&'static str]) -> Verdict {
        let finding = |rule: &&'static str| Finding {
            rule,
            decision: Decision::Deny,
            effect: "e".to_owned(),
            because: Vec::new(),
            instead: None,
            next: Next::UseInstead,
            span: 0..0,
        };
        Verdict {
            findings: rules.iter().map(finding).collect(),
            ..Verdict::default()
        }
    }

    #[test]
    fn the_third_hit_of_one_rule_in_one_session_says_stop() {
        let temp = tempfile::tempdir().unwrap();
        let state = State::at(temp.path());
        let judge = |session, rules: &[&'static str]| {
            let mut verdict = verdict(rules);
            count(&state, session, &mut verdict).unwrap();
            verdict.findings.iter().map(|f| f.next).collect::<Vec<_>>()
        };
        assert_eq!(judge(Some("s"), &["a", "a"]), [Next::UseInstead; 2]);
        assert_eq!(judge(Some("s"), &["a", "b"]), [Next::UseInstead; 2]);
        assert_eq!(
            judge(Some("s"), &["a", "b"]),
            [Next::Stop, Next::UseInstead]
        );
        assert_eq!(judge(Some("t"), &["a"]), [Next::UseInstead]);
        assert_eq!(judge(None, &["a"]), [Next::UseInstead]);
        assert_eq!(judge(Some("s"), &["a"]), [Next::Stop]);
    }

    #[test]
    fn hits_that_happen_at_once_are_all_counted() {
        let temp = tempfile::tempdir().unwrap();
        let state = State::at(temp.path());
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| (0..25).for_each(|_| drop(hit(&state, "s", "a"))));
            }
        });
        assert_eq!(hit(&state, "s", "a"), Ok(201));
    }
}
