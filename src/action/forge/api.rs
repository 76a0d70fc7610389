//! The REST and GraphQL calls of forges that the laws speak of: one table of methods and paths.

use super::gh::releases_by_name;
use super::{Deed, graphql, how, merge, refs, release, unread};
use crate::action::words::spelled;
use crate::action::{Act, is_mark};
use crate::shell::Word;

/// A call to a forge.
pub(super) struct Request<'r> {
    /// Who makes it.
    pub(super) program: &'r str,
    /// `None` when it is not known.
    pub(super) method: Option<&'r str>,
    /// URL or path.
    pub(super) target: &'r Word,
    /// What it sends.
    pub(super) body: Body,
    /// The program speaks to forges alone, so that a short path is enough.
    pub(super) known_host: bool,
}

/// What a call sends, as far as GraphQL needs it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Body {
    /// Nothing, or nothing that matters.
    None,
    /// A GraphQL document.
    Query(String),
    /// Something that is read when it runs.
    Unknown,
}

/// Methods, path and what the call does. `*` is one segment, `**` any rest, also none.
type Route = (&'static str, &'static str, Deed<'static>);

const RULES: Deed<'static> = refs("change who may write a branch");
const REPO: Deed<'static> = refs("change a repository for everybody");
const GONE: Deed<'static> = refs("delete a repository, with all that others keep there");
const TRANSFER: Deed<'static> = refs("hand a repository to another owner");
const COMMITS: Deed<'static> = refs("commit to a branch on the forge");
const MERGES: Deed<'static> = merge("merge on the forge");
const REF: Deed<'static> = refs("write a ref on the forge");
const HEAD: Deed<'static> = refs("move the head of a pull request on the forge");
const RELEASES: Deed<'static> = release("publish or change a release");
const PACKAGE: Deed<'static> = release("change a published package");
const RUN: Deed<'static> = refs("stop or delete a CI run that others may wait for").maybe();

const ROUTES: &[Route] = &[
    // GitHub, Gitea and Forgejo
    ("PUT POST", "repos/*/*/pulls/*/merge", MERGES),
    ("POST", "repos/*/*/merges", MERGES),
    ("PUT", "repos/*/*/pulls/*/update-branch", HEAD),
    ("POST", "repos/*/*/pulls/*/update", HEAD),
    ("POST", "repos/*/*/merge-upstream", REF),
    ("POST PATCH PUT DELETE", "repos/*/*/git/refs/**", REF),
    ("POST PUT PATCH DELETE", "repos/*/*/contents/**", COMMITS),
    ("POST", "repos/*/*/branches/*/rename", REF),
    (
        "PUT POST PATCH DELETE",
        "repos/*/*/branches/*/protection/**",
        RULES,
    ),
    (
        "POST PATCH DELETE",
        "repos/*/*/branch_protections/**",
        RULES,
    ),
    ("POST PUT PATCH DELETE", "repos/*/*/rulesets/**", RULES),
    ("POST PUT PATCH DELETE", "orgs/*/rulesets/**", RULES),
    ("POST PATCH DELETE", "repos/*/*/branches/**", REF),
    ("POST DELETE", "repos/*/*/tags/**", REF),
    ("POST", "repos/*/*/transfer", TRANSFER),
    ("DELETE", "repos/*/*", GONE),
    ("PATCH", "repos/*/*", REPO.maybe()),
    ("POST", "repos/*/*/releases/generate-notes", refs("")),
    ("POST PATCH DELETE", "repos/*/*/releases/**", RELEASES),
    (
        "POST",
        "repos/*/*/deployments",
        release("start a deployment").maybe(),
    ),
    ("POST", "repos/*/*/actions/runs/*/cancel", RUN),
    ("POST", "repos/*/*/actions/runs/*/force-cancel", RUN),
    ("DELETE", "repos/*/*/actions/runs/*", RUN),
    (
        "PUT",
        "repos/*/*/actions/workflows/*/disable",
        refs("switch a workflow off for everybody").maybe(),
    ),
    ("DELETE POST", "orgs/*/packages/**", PACKAGE),
    ("DELETE POST", "user/packages/**", PACKAGE),
    ("DELETE POST", "users/*/packages/**", PACKAGE),
    // GitLab
    ("PUT", "projects/*/merge_requests/*/merge", MERGES),
    ("POST", "projects/*/merge_trains/merge_requests/*", MERGES),
    (
        "PUT",
        "projects/*/merge_requests/*/rebase",
        refs("rewrite the branch of a merge request on the forge"),
    ),
    ("POST DELETE", "projects/*/repository/branches/**", REF),
    ("DELETE", "projects/*/repository/merged_branches", REF),
    ("POST DELETE", "projects/*/repository/tags/**", REF),
    ("POST PUT DELETE", "projects/*/repository/files/**", COMMITS),
    ("POST", "projects/*/repository/commits", COMMITS),
    (
        "POST",
        "projects/*/repository/commits/*/cherry_pick",
        COMMITS,
    ),
    ("POST", "projects/*/repository/commits/*/revert", COMMITS),
    (
        "POST PUT PATCH DELETE",
        "projects/*/protected_branches/**",
        RULES,
    ),
    (
        "POST PUT PATCH DELETE",
        "projects/*/protected_tags/**",
        RULES,
    ),
    ("POST PUT DELETE", "projects/*/releases/**", RELEASES),
    ("PUT POST DELETE", "projects/*/packages/**", PACKAGE),
    ("PUT", "projects/*/transfer", TRANSFER),
    ("DELETE", "projects/*", GONE),
    ("PUT", "projects/*", REPO.maybe()),
    ("POST", "projects/*/archive", REPO),
    ("POST", "projects/*/pipelines/*/cancel", RUN),
    ("DELETE", "projects/*/pipelines/*", RUN),
    // Bitbucket
    ("POST", "repositories/*/*/pullrequests/*/merge", MERGES),
    ("POST DELETE", "repositories/*/*/refs/**", REF),
    ("POST", "repositories/*/*/src/**", COMMITS),
    ("DELETE", "repositories/*/*", GONE),
    (
        "POST PUT DELETE",
        "repositories/*/*/branch-restrictions/**",
        RULES,
    ),
];

/// With what the path of an API starts.
const ROOTS: &[&str] = &[
    "repos",
    "api",
    "graphql",
    "projects",
    "repositories",
    "orgs",
    "users",
];

/// What follows `repos/OWNER/NAME` in GitHub's API: tells an unknown `OWNER/NAME` from an owner.
const RESOURCES: &[&str] = &[
    "actions",
    "branches",
    "branch_protections",
    "check-runs",
    "collaborators",
    "commits",
    "compare",
    "contents",
    "deployments",
    "git",
    "hooks",
    "issues",
    "keys",
    "labels",
    "merges",
    "merge-upstream",
    "milestones",
    "pages",
    "pulls",
    "releases",
    "rulesets",
    "stargazers",
    "statuses",
    "tags",
    "topics",
    "transfer",
    "dispatches",
    "code-scanning",
];

/// How far a path is one of the table's.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Fits {
    No,
    Perhaps,
    Yes,
}

/// What a call would do.
pub(super) fn judge(request: &Request<'_>) -> Vec<Act> {
    let method = request.method.map(str::to_ascii_uppercase);
    if matches!(method.as_deref(), Some("GET" | "HEAD" | "OPTIONS")) {
        return Vec::new();
    }
    let Some(path) = path(&request.target.text, request.known_host) else {
        return Vec::new();
    };
    let text = format!(
        "{} {}",
        method.as_deref().unwrap_or("…"),
        spelled(&path.segments.join("/"))
    );
    let how = how(text, request.target.span);
    if path.graphql() {
        return graph(request, how);
    }
    let mut best = Fits::No;
    let mut hit = None;
    for (methods, route, deed) in ROUTES {
        let fits = path.fits(route);
        let fits = match &method {
            Some(m) if !methods.split(' ').any(|known| known == m) => Fits::No,
            Some(_) => fits,
            None => fits.min(Fits::Perhaps),
        };
        if fits > best {
            (best, hit) = (fits, Some(deed));
        }
    }
    match (best, hit) {
        (Fits::Yes, Some(deed)) if deed.does.is_empty() => Vec::new(),
        (Fits::Yes, Some(deed)) => vec![deed.act(how, None)],
        (Fits::Perhaps, _) => vec![unread(request.program, "target", request.target)],
        _ => path
            .dispatch(method.as_deref())
            .map(|deed| deed.act(how, None))
            .into_iter()
            .collect(),
    }
}

fn graph(request: &Request<'_>, how: crate::action::How) -> Vec<Act> {
    let document = match &request.body {
        Body::Query(document) => document.as_str(),
        Body::None => return Vec::new(),
        Body::Unknown => return vec![unread(request.program, "query", request.target)],
    };
    let (mutations, unknown) = graphql::read(document);
    if mutations.is_empty() && unknown {
        return vec![unread(request.program, "query", request.target)];
    }
    let act = |(name, deed): (&str, Deed<'static>)| {
        deed.act(how.clone(), Some(format!("the mutation `{name}` does it")))
    };
    mutations.into_iter().map(act).collect()
}

/// The document in `{"query": "…"}`.
pub(super) fn json(body: Body) -> Body {
    let Body::Query(text) = body else { return body };
    // Marks are control characters, which JSON forbids in strings.
    let text: String = text
        .chars()
        .map(|c| if is_mark(c) { '…' } else { c })
        .collect();
    match serde_json::from_str::<serde_json::Value>(&text) {
        Ok(value) => match value.get("query").and_then(serde_json::Value::as_str) {
            Some(query) => Body::Query(query.to_owned()),
            None => Body::None,
        },
        // Known text that is no JSON is refused by every server.
        Err(_) if !text.contains('…') => Body::None,
        Err(_) => Body::Unknown,
    }
}

/// The path of a call.
struct Target<'p> {
    segments: Vec<&'p str>,
    known_host: bool,
}

/// The path of a URL or of an API program's operand; `None` where no forge can be meant.
fn path(target: &str, known_host: bool) -> Option<Target<'_>> {
    let target = target.split(['?', '#']).next().unwrap_or_default();
    let (scheme, rest) = match target.split_once("://") {
        Some((_, rest)) => (true, rest),
        None => (false, target),
    };
    let mut segments: Vec<&str> = rest.split('/').filter(|s| !s.is_empty()).collect();
    let mut forge = known_host;
    let first = segments.first().copied()?;
    let blank = first.chars().all(is_mark);
    if scheme || (!known_host && !blank) {
        match host_kind(first) {
            Host::Local => return None,
            Host::Forge => forge = true,
            Host::Other => {}
        }
        segments.remove(0);
    } else if blank && segments.get(1).is_some_and(|s| ROOTS.contains(s)) {
        // `$API/repos/…`
        forge |= matches!(segments.get(1), Some(&("repos" | "api" | "graphql")));
        segments.remove(0);
    }
    let api = segments
        .iter()
        .take(3)
        .position(|s| matches!(*s, "v3" | "v4" | "v1" | "2.0"));
    if let Some(at) = api {
        let prefixed = at == 0 || segments.first() == Some(&"api");
        forge |= prefixed;
        if prefixed {
            segments.drain(..=at);
        }
    } else if segments.first() == Some(&"api") {
        segments.remove(0);
        forge = true;
    }
    // `repos/$REPO/pulls`: the unknown word holds owner and name.
    let whole = segments.get(1).is_some_and(|s| unknown(s));
    let resource = segments.get(2).is_some_and(|s| RESOURCES.contains(s));
    if segments.first() == Some(&"repos") && whole && resource {
        segments.insert(2, "…");
    }
    Some(Target {
        segments,
        known_host: forge,
    })
}

enum Host {
    Local,
    Forge,
    Other,
}

fn host_kind(authority: &str) -> Host {
    let host = authority
        .rsplit_once('@')
        .map_or(authority, |(_, host)| host);
    let host = match host.rsplit_once(':') {
        Some((name, port)) if port.chars().all(|c| c.is_ascii_digit()) => name,
        _ => host,
    };
    let host = host.to_ascii_lowercase();
    if matches!(
        host.as_str(),
        "localhost" | "127.0.0.1" | "[::1]" | "0.0.0.0"
    ) || host.is_empty()
    {
        return Host::Local;
    }
    let forges = [
        "api.github.com",
        "uploads.github.com",
        "api.bitbucket.org",
        "codeberg.org",
    ];
    let labels = ["git", "gitlab", "github", "gitea", "forgejo", "ghe"];
    if forges.contains(&host.as_str()) || host.split('.').any(|label| labels.contains(&label)) {
        Host::Forge
    } else {
        Host::Other
    }
}

fn unknown(segment: &str) -> bool {
    segment.chars().any(|c| is_mark(c) || c == '…')
}

impl Target<'_> {
    fn graphql(&self) -> bool {
        self.segments.last() == Some(&"graphql") && self.segments.len() <= 2
    }

    /// `POST …/dispatches`: starts a workflow, which may release.
    fn dispatch(&self, method: Option<&str>) -> Option<Deed<'static>> {
        let deed = release("start a workflow that releases").maybe();
        match (method, self.segments.as_slice()) {
            (Some("POST"), ["repos", _, _, "actions", "workflows", name, "dispatches"])
                if releases_by_name(name) =>
            {
                Some(deed)
            }
            _ => None,
        }
    }

    fn fits(&self, route: &str) -> Fits {
        let route: Vec<&str> = route.split('/').collect();
        let literals = route.iter().filter(|s| !s.starts_with('*')).count();
        // On a host that may be anything, two literal segments are too little.
        if !self.known_host && literals < 3 {
            return Fits::No;
        }
        let Some(first) = self.segments.first() else {
            return Fits::No;
        };
        if !unknown(first) {
            return aligned(&route, &self.segments);
        }
        // `$PR/merge`: the unknown word covers the route up to one of its later literals.
        let rest = self.segments.get(1..).unwrap_or_default();
        if rest.is_empty() {
            return if self.known_host {
                Fits::Perhaps
            } else {
                Fits::No
            };
        }
        let tails = (0..route.len()).filter_map(|k| route.get(k..));
        tails
            .filter(|tail| {
                tail.first() == rest.first()
                    && (self.known_host || tail.iter().filter(|s| !s.starts_with('*')).count() > 1)
            })
            .map(|tail| {
                aligned(tail, rest).min(if tail.len() == route.len() {
                    Fits::Yes
                } else {
                    Fits::Perhaps
                })
            })
            .max()
            .unwrap_or(Fits::No)
    }
}

/// Compares segment by segment; a last unknown segment covers the rest of the route.
fn aligned(route: &[&str], path: &[&str]) -> Fits {
    for (n, pattern) in route.iter().enumerate() {
        let Some(segment) = path.get(n) else {
            return if *pattern == "**" {
                Fits::Yes
            } else {
                Fits::No
            };
        };
        match *pattern {
            "**" => return Fits::Yes,
            "*" => {}
            literal if literal == *segment => continue,
            _ if unknown(segment) && n + 1 == path.len() => return Fits::Perhaps,
            _ => return Fits::No,
        }
        // `repos/$X`: what follows the owner is not in sight.
        if unknown(segment) && n <= 2 && n + 1 == path.len() && route.len() > path.len() {
            let open = route
                .get(n + 1..)
                .is_some_and(|rest| rest.iter().all(|s| s.starts_with('*')));
            return if open { Fits::Yes } else { Fits::Perhaps };
        }
    }
    if path.len() == route.len() {
        Fits::Yes
    } else {
        Fits::No
    }
}
