//! GitLab, asked by `glab api`: merge requests from the branch, then the pipelines of each.

use super::{Forge, Query, failure};
use crate::ci::address::Address;
use crate::ci::answer::{Answer, Check, Pull, Trouble};
use crate::ci::child;
use crate::ci::login;
use crate::policy::{Policy, Provider};
use crate::state::time::Moment;
use serde::Deserialize;
use std::path::Path;

pub(super) const FORGE: Forge = Forge {
    provider: Provider::Gitlab,
    program: "glab",
    serves,
    logged_in: login::glab,
    ask,
};

fn serves(host: &str, policy: &Policy) -> bool {
    host == "gitlab.com" || policy.ci().gitlab_hosts.iter().any(|h| h == host)
}

/// How many merge requests are looked into.
const MOST: usize = 5;

/// How many items one answer holds.
const PAGE: usize = 100;

#[derive(Deserialize)]
struct Project {
    id: u64,
    forked_from_project: Option<Id>,
}

#[derive(Deserialize)]
struct Id {
    id: u64,
}

#[derive(Deserialize)]
struct MergeRequest {
    iid: u64,
    #[serde(default)]
    sha: Option<String>,
    updated_at: Option<Moment>,
    source_project_id: Option<u64>,
    target_project_id: u64,
}

#[derive(Deserialize)]
struct Pipeline {
    id: u64,
    sha: String,
    status: String,
    #[serde(default)]
    source: String,
    created_at: Option<Moment>,
    updated_at: Option<Moment>,
}

#[derive(Deserialize)]
struct Branch {
    commit: Sha,
}

#[derive(Deserialize)]
struct Sha {
    id: String,
}

struct Api<'a> {
    program: &'a Path,
    host: &'a str,
    query: &'a Query<'a>,
}

impl Api<'_> {
    fn get<T: for<'de> Deserialize<'de>>(&self, path: &str) -> Result<T, Trouble> {
        let args = ["api", "--hostname", self.host, path];
        let said = child::run(self.program, &args, &[], self.query.deadline)?;
        if said.code != Some(0) {
            return Err(failure("glab", self.host, &said));
        }
        serde_json::from_slice(&said.out).map_err(|_| {
            let what = "the answer of `glab` is not the JSON that was asked for";
            Trouble::Protocol(what.to_owned())
        })
    }
}

fn ask(program: &Path, address: &Address, query: &Query<'_>) -> Result<Answer, Trouble> {
    let api = Api {
        program,
        host: &address.host,
        query,
    };
    let branch = escaped(query.subject.branch);
    let project: Project = api.get(&format!("projects/{}", escaped(&address.path)))?;
    let mut answer = Answer {
        v: 1,
        ..Answer::default()
    };
    let parent = project.forked_from_project.map(|p| p.id);
    for target in std::iter::once(project.id).chain(parent) {
        let list: Vec<MergeRequest> = api.get(&format!(
            "projects/{target}/merge_requests?state=opened&source_branch={branch}&per_page={PAGE}"
        ))?;
        // Also a fork of somebody else may have a branch of that name.
        let ours = list
            .into_iter()
            .filter(|m| m.source_project_id == Some(project.id));
        for request in ours {
            if answer.pulls.len() >= MOST {
                answer.more_pulls = true;
                break;
            }
            answer.pulls.push(pull(&api, request)?);
        }
    }
    if answer.pulls.is_empty() && query.policy.ci_without_pr() {
        let id = project.id;
        let there: Branch = api.get(&format!("projects/{id}/repository/branches/{branch}"))?;
        let sha = there.commit.id;
        let list: Vec<Pipeline> = api.get(&format!(
            "projects/{id}/pipelines?sha={sha}&per_page={PAGE}"
        ))?;
        answer.checks = list.iter().map(Pipeline::check).collect();
        answer.head = Some(sha);
    }
    Ok(answer)
}

fn pull(api: &Api<'_>, request: MergeRequest) -> Result<Pull, Trouble> {
    let (project, iid) = (request.target_project_id, request.iid);
    let list: Vec<Pipeline> = api.get(&format!(
        "projects/{project}/merge_requests/{iid}/pipelines?per_page={PAGE}"
    ))?;
    // GitLab fills the commit in a moment after the merge request is made.
    let head = request.sha.unwrap_or_default();
    Ok(Pull {
        number: iid,
        updated: request.updated_at,
        cut: list.len() >= PAGE,
        checks: list
            .iter()
            .filter(|p| p.sha == head)
            .map(Pipeline::check)
            .collect(),
        head,
        ..Pull::default()
    })
}

impl Pipeline {
    /// A pipeline in the words that checks have: what waits for a person or a clock does not run.
    fn check(&self) -> Check {
        let (status, conclusion) = match self.status.as_str() {
            "created"
            | "waiting_for_resource"
            | "preparing"
            | "waiting_for_callback"
            | "pending" => ("queued", None),
            "running" | "canceling" => ("in_progress", None),
            "manual" | "scheduled" => ("completed", Some("neutral")),
            "success" => ("completed", Some("success")),
            "failed" => ("completed", Some("failure")),
            "canceled" => ("completed", Some("cancelled")),
            "skipped" => ("completed", Some("skipped")),
            other => (other, None),
        };
        let ended = conclusion.is_some();
        Check {
            name: match self.source.as_str() {
                "" => format!("pipeline {}", self.id),
                source => format!("pipeline {} ({source})", self.id),
            },
            id: Some(self.id),
            run: Some(self.id),
            status: Some(status.to_owned()),
            conclusion: conclusion.map(str::to_owned),
            started: self.created_at,
            completed: self.updated_at.filter(|_| ended),
            ..Check::default()
        }
    }
}

/// What a list of pipelines says of a merge request; for whoever has one at hand.
pub fn parse(text: &str, head: &str) -> Result<Answer, Trouble> {
    let list: Vec<Pipeline> = serde_json::from_str(text)
        .map_err(|e| Trouble::Protocol(format!("not a list of pipelines: {e}")))?;
    let checks = list.iter().filter(|p| p.sha == head).map(Pipeline::check);
    let pull = Pull {
        head: head.to_owned(),
        checks: checks.collect(),
        ..Pull::default()
    };
    Ok(Answer {
        v: 1,
        pulls: vec![pull],
        ..Answer::default()
    })
}

/// As one part of a path or query.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for byte in text.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'.' | b'~' => {
                out.push(char::from(byte));
            }
            _ => {
                const HEX: &[u8; 16] = b"0123456789ABCDEF";
                let digit = |n: u8| HEX.get(usize::from(n)).copied().map_or('0', char::from);
                out.push('%');
                out.push(digit(byte >> 4));
                out.push(digit(byte & 15));
            }
        }
    }
    out
}
