//! The shape of GitHub's answers, and what of it becomes an answer of ours.

use crate::ci::answer::{Answer, Check, Phase, Pull, Voice};
use crate::state::time::Moment;
use serde::Deserialize;

#[derive(Deserialize)]
pub(super) struct Body<T> {
    pub(super) data: Option<T>,
    #[serde(default)]
    pub(super) errors: Vec<Wrong>,
}

#[derive(Deserialize)]
pub(super) struct Wrong {
    #[serde(rename = "type")]
    pub(super) kind: Option<String>,
    #[serde(default)]
    pub(super) message: String,
}

#[derive(Deserialize)]
pub(super) struct Data {
    pub(super) repository: Option<Repository>,
}

#[derive(Deserialize)]
pub(super) struct Further {
    pub(super) node: Option<Node>,
}

/// A list in which GitHub leaves holes for what may not be seen.
#[derive(Deserialize)]
pub(super) struct List<T> {
    #[serde(default = "Vec::new")]
    nodes: Vec<Option<T>>,
}

impl<T> Default for List<T> {
    fn default() -> List<T> {
        List { nodes: Vec::new() }
    }
}

impl<T> List<T> {
    pub(super) fn list(self) -> impl Iterator<Item = T> {
        self.nodes.into_iter().flatten()
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Repository {
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
pub(super) struct Node {
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
    pub(super) commits: List<Wrapped>,
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
pub(super) struct Wrapped {
    pub(super) commit: Commit,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Commit {
    #[serde(default)]
    check_suites: List<Suite>,
    pub(super) status_check_rollup: Option<Rollup>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Suite {
    status: Option<String>,
    updated_at: Option<Moment>,
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
pub(super) struct Rollup {
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
    pub(super) id: String,
    pub(super) cursor: String,
}

pub(super) fn settled(check: &Check) -> bool {
    matches!(check.phase(), Phase::Ended(_))
}

impl Rollup {
    /// The forge sums up that something is missing.
    pub(super) fn expects(&self) -> bool {
        let state = self.state.as_deref().unwrap_or_default();
        matches!(state, "PENDING" | "EXPECTED")
    }

    pub(super) fn next(&self) -> Option<String> {
        let page = &self.contexts.page_info;
        page.has_next_page
            .then(|| page.end_cursor.clone().unwrap_or_default())
    }

    pub(super) fn checks(&self) -> impl Iterator<Item = Check> {
        self.contexts.nodes.iter().flatten().map(Context::check)
    }
}

impl Context {
    fn check(&self) -> Check {
        let suite = self.check_suite.as_ref();
        let run = suite.and_then(|s| s.workflow_run.as_ref());
        Check {
            name: self
                .name
                .clone()
                .or(self.context.clone())
                .unwrap_or_default(),
            app: suite.and_then(|s| Some(s.app.as_ref()?.slug.clone())),
            workflow: run.and_then(|r| Some(r.workflow.as_ref()?.name.clone())),
            id: self.database_id,
            run: run.and_then(|r| r.database_id),
            status: self.status.clone(),
            conclusion: self.conclusion.clone(),
            state: self.state.clone(),
            // What is only queued has no start; a re-run moves its suite.
            started: self
                .started_at
                .or(self.created_at)
                .or(suite.and_then(|s| s.updated_at)),
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
    pub(super) fn answer(self, owner: &str) -> (Answer, Vec<(usize, Page)>) {
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
        let actions = self
            .app
            .as_ref()
            .is_some_and(|a| a.slug == "github-actions");
        running && actions && self.check_runs.as_ref().is_some_and(|c| c.total_count == 0)
    }
}

impl Spoken {
    fn voice(self) -> Option<Voice> {
        let voice = self.author?.voice()?;
        Some(Voice {
            at: self
                .submitted_at
                .or(self.last_edited_at)
                .or(self.created_at),
            head: self.commit.map(|c| c.oid),
            text: self.body,
            ..voice
        })
    }
}
