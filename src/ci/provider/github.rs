//! GitHub, asked by one `gh api graphql`, and by one more for each further hundred checks.

mod shape;

use super::{Forge, Query, failure};
use crate::ci::address::Address;
use crate::ci::answer::{Answer, Check, Phase, Pull, Trouble};
use crate::ci::child::{self, Said};
use crate::ci::login;
use crate::policy::{Policy, Provider};
use crate::state::time::Moment;
use serde::Deserialize;
use shape::{Body, Data, Further, Page, Rollup, settled};
use std::path::Path;

pub(super) const FORGE: Forge = Forge {
    provider: Provider::Github,
    program: "gh",
    serves,
    logged_in: login::gh,
    ask,
};

fn serves(host: &str, policy: &Policy) -> bool {
    host == "github.com"
        || host.ends_with(".ghe.com")
        || policy.ci().github_hosts.iter().any(|h| h == host)
}

/// How many further pages are read.
const PAGES: usize = 10;

/// What is read of a commit's checks.
const CHECKS: &str = "\
fragment Checks on StatusCheckRollupContextConnection {
  pageInfo { hasNextPage endCursor }
  nodes {
    __typename
    ... on CheckRun {
      databaseId name status conclusion startedAt completedAt
      checkSuite { updatedAt app { slug } workflowRun { databaseId workflow { name } } }
    }
    ... on StatusContext { context state createdAt }
  }
}";

/// Everything about a branch: pull requests from it, in its repository and in the one that it is
/// forked from.
const BRANCH: &str = "\
query($owner: String!, $repo: String!, $branch: String!, $ref: String!) {
  rateLimit { resetAt }
  repository(owner: $owner, name: $repo) {
    ref(qualifiedName: $ref) {
      target { oid ... on Commit { statusCheckRollup { state contexts(first: 100) { ...Checks } } } }
    }
    pullRequests(headRefName: $branch, states: [OPEN], first: 10) { ...Pulls }
    parent { pullRequests(headRefName: $branch, states: [OPEN], first: 10) { ...Pulls } }
  }
}
fragment Pulls on PullRequestConnection {
  totalCount
  nodes {
    id number headRefOid updatedAt mergeStateStatus isInMergeQueue
    headRepositoryOwner { login }
    reactionGroups { content reactors(first: 10) { nodes { __typename ... on Bot { login } ... on User { login } } } }
    reviewRequests(first: 20) { nodes { requestedReviewer { __typename ... on Bot { login } } } }
    timelineItems(last: 20, itemTypes: [REVIEW_REQUESTED_EVENT]) {
      nodes { ... on ReviewRequestedEvent { createdAt requestedReviewer { __typename ... on Bot { login } } } }
    }
    reviews(last: 20) { nodes { author { __typename login } submittedAt commit { oid } } }
    comments(last: 10) { nodes { author { __typename login } createdAt lastEditedAt body } }
    commits(last: 1) {
      nodes {
        commit {
          checkSuites(first: 30) { nodes { status app { slug } checkRuns(first: 1) { totalCount } } }
          statusCheckRollup { state contexts(first: 100) { ...Checks } }
        }
      }
    }
  }
}";

/// The next hundred checks of a pull request.
const MORE: &str = "\
query($id: ID!, $cursor: String!) {
  node(id: $id) {
    ... on PullRequest {
      commits(last: 1) {
        nodes { commit { statusCheckRollup { state contexts(first: 100, after: $cursor) { ...Checks } } } }
      }
    }
  }
}";

fn ask(program: &Path, address: &Address, query: &Query<'_>) -> Result<Answer, Trouble> {
    let Some((owner, repo)) = address.owner_and_name() else {
        let what = format!("`{}` is no `owner/name`", address.path);
        return Err(Trouble::NotFound(what));
    };
    let branch = query.subject.branch;
    let reference = format!("refs/heads/{branch}");
    let text = format!("{BRANCH}\n{CHECKS}");
    let fields = [
        ("query", text.as_str()),
        ("owner", owner),
        ("repo", repo),
        ("branch", branch),
        ("ref", &reference),
    ];
    let said = call(program, &address.host, &fields, query)?;
    let (mut answer, cut) = read(&said, &address.host, owner)?;
    for (at, page) in cut {
        if let Some(pull) = answer.pulls.get_mut(at) {
            further(program, address, query, pull, page)?;
        }
    }
    Ok(answer)
}

/// Reads the checks that did not fit, unless those that did say enough.
fn further(
    program: &Path,
    address: &Address,
    query: &Query<'_>,
    pull: &mut Pull,
    page: Page,
) -> Result<(), Trouble> {
    let text = format!("{MORE}\n{CHECKS}");
    let mut cursor = page.cursor;
    for _ in 0..PAGES {
        let running = |c: &Check| matches!(c.phase(), Phase::Running(_));
        if pull.checks.iter().any(running) {
            return Ok(());
        }
        let fields = [
            ("query", text.as_str()),
            ("id", &page.id),
            ("cursor", &cursor),
        ];
        let said = call(program, &address.host, &fields, query)?;
        let rollup = more(&said, &address.host)?;
        pull.expected = rollup.expects();
        pull.checks.extend(rollup.checks());
        match rollup.next() {
            None => {
                pull.cut = false;
                pull.expected &= pull.checks.iter().all(settled);
                return Ok(());
            }
            // A page that leads to itself ends nowhere.
            Some(next) if next == cursor => return Ok(()),
            Some(next) => cursor = next,
        }
    }
    Ok(())
}

fn call(
    program: &Path,
    host: &str,
    fields: &[(&str, &str)],
    query: &Query<'_>,
) -> Result<Said, Trouble> {
    let fields: Vec<String> = fields.iter().map(|(n, v)| format!("{n}={v}")).collect();
    let mut args = vec!["api", "graphql", "--include", "--hostname", host];
    for field in &fields {
        args.extend(["--raw-field", field]);
    }
    child::run(program, &args, &[], query.deadline)
}

/// The answer, and the pull requests whose checks did not fit, by their place in it.
pub(in crate::ci) fn read(
    said: &Said,
    host: &str,
    owner: &str,
) -> Result<(Answer, Vec<(usize, Page)>), Trouble> {
    let body: Body<Data> = body(said, host)?;
    let Some(repository) = body.data.and_then(|d| d.repository) else {
        return Err(unseen());
    };
    Ok(repository.answer(owner))
}

/// The answer to a body that was kept; for whoever has one at hand.
pub fn parse(text: &str, owner: &str) -> Result<Answer, Trouble> {
    let said = Said {
        code: Some(0),
        out: text.as_bytes().to_vec(),
        err: String::new(),
    };
    read(&said, "github.com", owner).map(|(answer, _)| answer)
}

fn unseen() -> Trouble {
    Trouble::NotFound("`gh` does not see the repository".to_owned())
}

fn more(said: &Said, host: &str) -> Result<Rollup, Trouble> {
    let body: Body<Further> = body(said, host)?;
    let node = body.data.and_then(|d| d.node).ok_or_else(unseen)?;
    let commit = node.commits.list().next();
    Ok(commit
        .and_then(|c| c.commit.status_check_rollup)
        .unwrap_or_default())
}

/// Takes headers and body apart, and turns what is no answer into its cause.
fn body<T: for<'de> Deserialize<'de>>(said: &Said, host: &str) -> Result<Body<T>, Trouble> {
    let text = String::from_utf8_lossy(&said.out);
    let (headers, text) = match text.starts_with("HTTP/") {
        true => text
            .split_once("\r\n\r\n")
            .or_else(|| text.split_once("\n\n"))
            .unwrap_or((&text, "")),
        false => ("", &*text),
    };
    let body: Body<T> = match serde_json::from_str(text) {
        Ok(body) => body,
        Err(_) if said.code != Some(0) => return Err(failure("gh", host, said)),
        Err(_) => {
            let what = "the answer of `gh` is not the JSON that was asked for";
            return Err(Trouble::Protocol(what.to_owned()));
        }
    };
    let Some(error) = body.errors.first() else {
        return match said.code {
            Some(0) => Ok(body),
            _ => Err(failure("gh", host, said)),
        };
    };
    Err(match error.kind.as_deref() {
        Some("RATE_LIMITED" | "RATE_LIMIT") => RateLimit::of(headers),
        Some("NOT_FOUND") => Trouble::NotFound(error.message.clone()),
        _ => Trouble::Protocol(format!("GitHub answers: {}", error.message)),
    })
}

struct RateLimit;

impl RateLimit {
    /// `X-Ratelimit-Reset` tells in seconds since 1970 when calls are taken again.
    fn of(headers: &str) -> Trouble {
        let reset = headers.lines().find_map(|line| {
            let (name, value) = line.split_once(':')?;
            let named = name.eq_ignore_ascii_case("x-ratelimit-reset");
            named.then(|| value.trim().parse::<i64>().ok())?
        });
        Trouble::RateLimited(reset.map(|s| Moment(s.saturating_mul(1000))))
    }
}
