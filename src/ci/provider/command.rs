//! A program of the user's own that prints the state as JSON.

use super::{Query, complaint};
use crate::ci::answer::{Answer, Trouble};
use crate::ci::child;

/// Runs `ci.command`; it learns by its environment what is asked.
pub(super) fn ask(query: &Query<'_>) -> Result<Answer, Trouble> {
    let words: Vec<&str> = query
        .policy
        .ci()
        .command
        .iter()
        .map(String::as_str)
        .collect();
    let Some((program, args)) = words.split_first() else {
        return Err(Trouble::Missing("`ci.command` names no program".to_owned()));
    };
    let path = (query.env.look)("PATH");
    let found = child::find(program, path.as_deref());
    let found = found.ok_or_else(|| Trouble::Missing(format!("`{program}` is not installed")))?;
    let subject = query.subject;
    let env = [
        ("LEASEGUARD_CI_URL", subject.url),
        ("LEASEGUARD_CI_BRANCH", subject.branch),
        ("LEASEGUARD_CI_HEAD", subject.head.unwrap_or_default()),
    ];
    let said = child::run(&found, args, &env, query.deadline)?;
    if said.code != Some(0) {
        let why = complaint(&said.err);
        return Err(Trouble::Protocol(format!("`{program}` failed: {why}")));
    }
    let mut answer = Answer::parse(&String::from_utf8_lossy(&said.out))?;
    answer.only(subject.url, subject.branch);
    Ok(answer)
}
