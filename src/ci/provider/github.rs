//! GitHub, asked by one `gh api graphql`, and by one more for each further hundred checks.

use super::{Forge, Query, failure};
use crate::ci::address::Address;
use crate::ci::answer::{Answer, Check, Phase, Pull, Trouble, Voice};
use crate::ci::child::{self, Said};
use crate::ci::login;
use crate::policy::{Policy, Provider};
use crate::state::time::Moment;
use serde::Deserialize;
use std::path::PathBuf;

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
      checkSuite { app { slug } workflowRun { databaseId workflow { name } } }
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

fn ask(program: &PathBuf, address: &Address, query: &Query<'_>) -> Result<Answer, Trouble> {
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
    program: &PathBuf,
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
    program: &PathBuf,
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

// --- the shape of the answer

#[derive(Deserialize)]
struct Body<T> {
    data: Option<T>,
    #[serde(default)]
    errors: Vec<Wrong>,
}

#[derive(Deserialize)]
struct Wrong {
    #[serde(rename = "type")]
    kind: Option<String>,
    #[serde(default)]
    message: String,
}

#[derive(Deserialize)]
struct Data {
    repository: Option<Repository>,
}

#[derive(Deserialize)]
struct Further {
    node: Option<Node>,
}

/// A list in which GitHub leaves holes for what may not be seen.
#[derive(Deserialize)]
struct List<T> {
    #[serde(default = "Vec::new")]
    nodes: Vec<Option<T>>,
}

impl<T> Default for List<T> {
    fn default() -> List<T> {
        List { nodes: Vec::new() }
    }
}

impl<T> List<T> {
    fn list(self) -> impl Iterator<Item = T> {
        self.nodes.into_iter().flatten()
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Repository {
    #[serde(rename = "ref")]
    reference: Option<Reference>,
    pull_requests: Pulls,
    parent: Option<Parent>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Parent {
    pull_requests: Pulls,
}

#[derive(Deserialize)]
struct Reference {
    target: Option<Target>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Target {
    oid: String,
    status_check_rollup: Option<Rollup>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Pulls {
    total_count: usize,
    nodes: Vec<Option<Node>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Node {
    id: Option<String>,
    #[serde(default)]
    number: u64,
    #[serde(default)]
    head_ref_oid: String,
    updated_at: Option<Moment>,
    merge_state_status: Option<String>,
    is_in_merge_queue: Option<bool>,
    head_repository_owner: Option<Actor>,
    #[serde(default)]
    reaction_groups: Option<Vec<Reactions>>,
    #[serde(default)]
    review_requests: List<Request>,
    #[serde(default)]
    timeline_items: List<Request>,
    #[serde(default)]
    reviews: List<Spoken>,
    #[serde(default)]
    comments: List<Spoken>,
    #[serde(default)]
    commits: List<Wrapped>,
}

#[derive(Deserialize)]
struct Actor {
    #[serde(rename = "__typename")]
    kind: Option<String>,
    login: Option<String>,
}

#[derive(Deserialize)]
struct Reactions {
    content: String,
    reactors: List<Actor>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Request {
    created_at: Option<Moment>,
    requested_reviewer: Option<Actor>,
}

/// A review or a comment.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Spoken {
    author: Option<Actor>,
    submitted_at: Option<Moment>,
    created_at: Option<Moment>,
    last_edited_at: Option<Moment>,
    commit: Option<Oid>,
    #[serde(default)]
    body: String,
}

#[derive(Deserialize)]
struct Oid {
    oid: String,
}

#[derive(Deserialize)]
struct Wrapped {
    commit: Commit,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Commit {
    #[serde(default)]
    check_suites: List<Suite>,
    status_check_rollup: Option<Rollup>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Suite {
    status: Option<String>,
    app: Option<App>,
    check_runs: Option<Count>,
    workflow_run: Option<Run>,
}

#[derive(Deserialize)]
struct App {
    slug: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Count {
    total_count: u64,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Run {
    database_id: Option<u64>,
    workflow: Option<Workflow>,
}

#[derive(Deserialize)]
struct Workflow {
    name: String,
}

#[derive(Default, Deserialize)]
struct Rollup {
    state: Option<String>,
    contexts: Contexts,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Contexts {
    page_info: PageInfo,
    nodes: Vec<Option<Context>>,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase")]
struct PageInfo {
    has_next_page: bool,
    end_cursor: Option<String>,
}

/// A check run or a commit status.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Context {
    database_id: Option<u64>,
    name: Option<String>,
    status: Option<String>,
    conclusion: Option<String>,
    started_at: Option<Moment>,
    completed_at: Option<Moment>,
    check_suite: Option<Suite>,
    context: Option<String>,
    state: Option<String>,
    created_at: Option<Moment>,
}

/// Where the next checks of a pull request are.
pub(in crate::ci) struct Page {
    id: String,
    cursor: String,
}

fn settled(check: &Check) -> bool {
    matches!(check.phase(), Phase::Ended(_))
}

impl Rollup {
    /// The forge sums up that something is missing.
    fn expects(&self) -> bool {
        let state = self.state.as_deref().unwrap_or_default();
        matches!(state, "PENDING" | "EXPECTED")
    }

    fn next(&self) -> Option<String> {
        let page = &self.contexts.page_info;
        page.has_next_page
            .then(|| page.end_cursor.clone().unwrap_or_default())
    }

    fn checks(&self) -> impl Iterator<Item = Check> {
        self.contexts.nodes.iter().flatten().map(Context::check)
    }
}

impl Context {
    fn check(&self) -> Check {
        let suite = self.check_suite.as_ref();
        let run = suite.and_then(|s| s.workflow_run.as_ref());
        Check {
            name: self.name.clone().or(self.context.clone()).unwrap_or_default(),
            app: suite.and_then(|s| Some(s.app.as_ref()?.slug.clone())),
            workflow: run.and_then(|r| Some(r.workflow.as_ref()?.name.clone())),
            id: self.database_id,
            run: run.and_then(|r| r.database_id),
            status: self.status.clone(),
            conclusion: self.conclusion.clone(),
            state: self.state.clone(),
            started: self.started_at.or(self.created_at),
            completed: self.completed_at,
        }
    }
}

impl Actor {
    fn voice(&self) -> Option<Voice> {
        Some(Voice {
            by: self.login.clone()?,
            bot: self.kind.as_deref() == Some("Bot"),
            ..Voice::default()
        })
    }
}

impl Repository {
    fn answer(self, owner: &str) -> (Answer, Vec<(usize, Page)>) {
        let target = self.reference.and_then(|r| r.target);
        let mut answer = Answer {
            v: 1,
            head: target.as_ref().map(|t| t.oid.clone()),
            ..Answer::default()
        };
        if let Some(rollup) = target.and_then(|t| t.status_check_rollup) {
            answer.checks = rollup.checks().collect();
        }
        let mut cut = Vec::new();
        let parent = self.parent.map(|p| p.pull_requests);
        for pulls in std::iter::once(self.pull_requests).chain(parent) {
            answer.more_pulls |= pulls.total_count > pulls.nodes.len();
            for node in pulls.nodes.into_iter().flatten() {
                let from = node.head_repository_owner.as_ref();
                let ours = from
                    .and_then(|o| o.login.as_deref())
                    .is_some_and(|login| login.eq_ignore_ascii_case(owner));
                // A branch of the same name in somebody else's fork.
                if !ours {
                    continue;
                }
                let (pull, page) = node.pull();
                cut.extend(page.map(|page| (answer.pulls.len(), page)));
                answer.pulls.push(pull);
            }
        }
        (answer, cut)
    }
}

impl Node {
    fn pull(self) -> (Pull, Option<Page>) {
        let mut pull = Pull {
            number: self.number,
            head: self.head_ref_oid,
            queued: self.is_in_merge_queue == Some(true),
            updated: self.updated_at,
            ..Pull::default()
        };
        let mut page = None;
        let mut announced = self.merge_state_status.as_deref() == Some("UNKNOWN");
        if let Some(commit) = self.commits.list().next().map(|w| w.commit) {
            announced |= commit.check_suites.list().any(|suite| suite.announces());
            if let Some(rollup) = commit.status_check_rollup {
                pull.checks = rollup.checks().collect();
                pull.expected = rollup.expects() && pull.checks.iter().all(settled);
                let next = rollup.next();
                pull.cut = next.is_some();
                page = self.id.zip(next).map(|(id, cursor)| Page { id, cursor });
            }
        }
        pull.registering = announced && pull.checks.is_empty();
        let asked: Vec<(Option<Moment>, Voice)> = self
            .timeline_items
            .list()
            .filter_map(|r| Some((r.created_at, r.requested_reviewer?.voice()?)))
            .collect();
        let requests = self.review_requests.list();
        let bots = requests.filter_map(|r| r.requested_reviewer?.voice().filter(|v| v.bot));
        pull.requests = bots
            .map(|voice| {
                let last = asked.iter().rfind(|(_, v)| v.by == voice.by);
                Voice {
                    at: last.and_then(|(at, _)| *at),
                    ..voice
                }
            })
            .collect();
        pull.reviews = self.reviews.list().filter_map(Spoken::voice).collect();
        pull.comments = self.comments.list().filter_map(Spoken::voice).collect();
        for group in self.reaction_groups.unwrap_or_default() {
            let text = group.content.to_ascii_lowercase();
            let voices = group.reactors.list().filter_map(|a| a.voice());
            pull.reactions.extend(voices.map(|voice| Voice {
                text: text.clone(),
                ..voice
            }));
        }
        (pull, page)
    }
}

impl Suite {
    /// GitHub's own runner has taken it up, and no job is there yet. Other apps may never report.
    fn announces(&self) -> bool {
        let running = self.status.as_deref().is_some_and(|s| s != "COMPLETED");
        let actions = self.app.as_ref().is_some_and(|a| a.slug == "github-actions");
        running && actions && self.check_runs.as_ref().is_some_and(|c| c.total_count == 0)
    }
}

impl Spoken {
    fn voice(self) -> Option<Voice> {
        let voice = self.author?.voice()?;
        Some(Voice {
            at: self.submitted_at.or(self.last_edited_at).or(self.created_at),
            head: self.commit.map(|c| c.oid),
            text: self.body,
            ..voice
        })
    }
}
