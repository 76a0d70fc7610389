//! Who is asked: one provider a file, listed here once.

mod command;
mod file;
pub mod github;
pub mod gitlab;

use super::address::Address;
use super::answer::{Answer, Trouble};
use super::{Env, Subject, child};
use crate::policy::{Gate, Policy, Provider};
use std::path::{Path, PathBuf};
use std::time::Instant;

/// One question.
pub struct Query<'a> {
    /// The branch.
    pub subject: &'a Subject<'a>,
    /// The policy.
    pub policy: &'a Policy,
    /// The process's surroundings.
    pub env: &'a Env<'a>,
    /// When the answer has to be there.
    pub deadline: Instant,
}

/// A forge with a program of its own.
pub(super) struct Forge {
    /// The word of the policy.
    provider: Provider,
    /// The program.
    program: &'static str,
    /// Whether a host is one of its kind, as far as its name or the policy tells.
    serves: fn(&str, &Policy) -> bool,
    /// Whether the program is logged in at a host.
    logged_in: fn(&str, &Env<'_>) -> bool,
    /// Asks it.
    ask: fn(&Path, &Address, &Query<'_>) -> Result<Answer, Trouble>,
}

const FORGES: &[&Forge] = &[&github::FORGE, &gitlab::FORGE];

/// A provider that is ready to be asked.
pub struct Asked(Way);

enum Way {
    Forge(&'static Forge, PathBuf, Address),
    Command,
    File,
}

impl Asked {
    /// Asks.
    pub fn ask(self, query: &Query<'_>) -> Result<Answer, Trouble> {
        match self.0 {
            Way::Forge(forge, program, address) => (forge.ask)(&program, &address, query),
            Way::Command => command::ask(query),
            Way::File => file::ask(query),
        }
    }
}

/// Whether there is nobody to ask, as can be told by the URL alone.
pub fn nowhere(url: &str, policy: &Policy) -> bool {
    let own = matches!(policy.ci_provider(), Provider::Command | Provider::File);
    !own && Address::read(url).is_none()
}

/// Chooses by the policy and the URL; `Ok(None)` = the gate is off here.
pub fn choose(
    subject: &Subject<'_>,
    policy: &Policy,
    env: &Env<'_>,
) -> Result<Option<Asked>, Trouble> {
    let provider = policy.ci_provider();
    match (policy.ci_gate(), provider) {
        (Gate::Off, _) => return Ok(None),
        (_, Provider::Command) => return Ok(Some(Asked(Way::Command))),
        (_, Provider::File) => return Ok(Some(Asked(Way::File))),
        _ => {}
    }
    let Some(address) = Address::read(subject.url) else {
        return Ok(None);
    };
    let auto = policy.ci_gate() == Gate::Auto;
    let host = address.host.as_str();
    let forge = FORGES.iter().copied().find(|forge| match provider {
        Provider::Auto => (forge.serves)(host, policy) || (forge.logged_in)(host, env),
        named => forge.provider == named,
    });
    let Some(forge) = forge else {
        let what = format!(
            "no forge is known at `{host}`: name it in `ci.github_hosts` or `ci.gitlab_hosts`"
        );
        return if auto {
            Ok(None)
        } else {
            Err(Trouble::Missing(what))
        };
    };
    let path = (env.look)("PATH");
    let Some(program) = child::find(forge.program, path.as_deref()) else {
        let what = format!("`{}` is not installed", forge.program);
        return if auto {
            Ok(None)
        } else {
            Err(Trouble::Missing(what))
        };
    };
    // Not started where it is not at home: it would hand its token to any host that is named.
    if !(forge.logged_in)(host, env) {
        return if auto {
            Ok(None)
        } else {
            Err(logged_out(forge.program, host))
        };
    }
    Ok(Some(Asked(Way::Forge(forge, program, address))))
}

fn logged_out(program: &str, host: &str) -> Trouble {
    Trouble::Auth(format!(
        "`{program}` is not logged in: `{program} auth login --hostname {host}`"
    ))
}

/// The first line of a program's complaint, cut to a readable length.
fn complaint(err: &str) -> String {
    let line = err.lines().map(str::trim).find(|l| !l.is_empty());
    let line = line.unwrap_or("no reason given");
    line.chars().take(160).filter(|c| !c.is_control()).collect()
}

/// What a failed `gh` or `glab` means, by its exit code and the words that it is known for.
fn failure(program: &str, host: &str, said: &child::Said) -> Trouble {
    let text = said.err.to_ascii_lowercase();
    let holds = |words: &[&str]| words.iter().any(|w| text.contains(w));
    let line = complaint(&said.err);
    if said.code == Some(4) || holds(&["auth login", "http 401", "401 unauthorized"]) {
        return logged_out(program, host);
    }
    if holds(&["rate limit", "http 429", "429 too many"]) {
        return Trouble::RateLimited(None);
    }
    if holds(&[
        "error connecting",
        "dial tcp",
        "no such host",
        "connection re",
        "i/o timeout",
    ]) {
        return Trouble::Network(format!("the network fails: {line}"));
    }
    if holds(&[
        "http 404",
        "404 not found",
        "could not resolve to a repository",
    ]) {
        return Trouble::NotFound(format!("`{program}` does not see the repository: {line}"));
    }
    Trouble::Protocol(format!("`{program}` failed: {line}"))
}
