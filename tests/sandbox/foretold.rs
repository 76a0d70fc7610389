//! What the whole guard foretells of a text: its predicted updates and its verdict.

use super::{Sandbox, covers};
use leaseguard::call::{Call, Dialect, What};
use leaseguard::policy::{Policy, Shelf};
use leaseguard::verdict::Decision;
use leaseguard::world::{Environment, Surroundings};

/// One line of the effects.
#[derive(Debug)]
pub struct Foreseen {
    /// `create`, `move`, `force`, `delete`.
    pub verb: String,
    pub refname: String,
    pub remote: String,
    pub depends: bool,
}

/// The guard's word.
#[derive(Debug)]
pub struct Foretold {
    pub decision: Decision,
    pub rules: Vec<&'static str>,
    /// The facts that the findings name.
    pub because: Vec<String>,
    pub updates: Vec<Foreseen>,
    /// Lines that say that something cannot be told.
    pub unclear: Vec<String>,
    pub fault: Option<String>,
}

impl Foretold {
    /// Whether a real update of `refname` was foretold as what it is.
    pub fn has(&self, refname: &str, kind: &str) -> bool {
        self.updates.iter().any(|u| {
            covers(&u.refname, refname)
                && match kind {
                    "forced" => u.verb == "force",
                    "delete" => u.verb == "delete",
                    _ => u.verb != "delete",
                }
        })
    }

    pub fn says(&self, rules: &[&str]) -> bool {
        self.rules.iter().any(|r| rules.contains(r))
    }
}

/// The rules that speak of where pushes go.
pub const PUSH_RULES: &[&str] = &[
    "git/base-push",
    "git/force-push",
    "git/remote-delete",
    "git/push-unclear",
];

/// What the guard says of `text`, `$ROOT` not filled in, at `cwd`.
pub fn judge(sandbox: &Sandbox, text: &str, cwd: &str) -> Foretold {
    judge_with(sandbox, text, cwd, Environment::default())
}

/// The same, where the process has variables of its own.
pub fn judge_with(sandbox: &Sandbox, text: &str, cwd: &str, env: Environment) -> Foretold {
    let cwd = Some(sandbox.root.join(cwd));
    let call = Call {
        session: Some("vector".to_owned()),
        agent: None,
        cwd: cwd.clone(),
        unseen_typing: false,
        what: What::Shell {
            dialect: Dialect::Bash,
            text: sandbox.filled(text),
        },
    };
    let around = Surroundings {
        cwd,
        home: Some(sandbox.root.join("home")),
        env,
        ..Surroundings::default()
    };
    let verdict = leaseguard::guard::explain(&call, around, &Shelf::of(Policy::default()));
    let mut told = Foretold {
        decision: verdict.decision(),
        rules: verdict.findings.iter().map(|f| f.rule).collect(),
        because: verdict
            .findings
            .iter()
            .flat_map(|f| f.because.clone())
            .collect(),
        updates: Vec::new(),
        unclear: Vec::new(),
        fault: verdict.fault.map(|f| f.what),
    };
    for line in verdict.effects {
        match line.strip_prefix("push: ") {
            Some(rest) if rest.starts_with("unclear") => told.unclear.push(line),
            Some(rest) => told.updates.extend(update(rest)),
            None if line.starts_with("unread") => told.unclear.push(line),
            None => {}
        }
    }
    told
}

/// "create `refs/heads/x` on `origin` (depends on the remote): because".
fn update(line: &str) -> Option<Foreseen> {
    let mut parts = line.splitn(5, '`');
    let verb = parts.next()?.trim().to_owned();
    let (refname, _, remote) = (parts.next()?, parts.next()?, parts.next()?);
    let known = ["create", "move", "force", "delete"].contains(&verb.as_str());
    known.then(|| Foreseen {
        verb,
        refname: refname.to_owned(),
        remote: remote.to_owned(),
        depends: parts.next().unwrap_or_default().starts_with(" (depends"),
    })
}

/// Words as one line of shell.
pub fn line(words: &[String]) -> String {
    let quoted: Vec<String> = words.iter().map(|w| quote(w)).collect();
    quoted.join(" ")
}

pub fn quote(word: &str) -> String {
    format!("'{}'", word.replace('\'', r"'\''"))
}
