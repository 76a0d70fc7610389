//! An ask that the host showed: what a person let run there, git's own hook lets run too.

use super::{Grants, grantable, holds, name, to_json};
use crate::state::Trouble;
use crate::state::key::Key;
use crate::state::time::Moment;
use serde::{Deserialize, Serialize};
use std::path::Path;
use std::time::Duration;

pub(super) const FOLDER: &str = "asks";

/// How long an ask stands.
pub const ASK_FOR: Duration = Duration::from_secs(600);

/// What was asked, and of whom git's hook will hear it: the host process, by its id and start.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ask {
    /// The host process: `person::Process::identity`.
    pub process: String,
    /// The repository's common directory or top level.
    pub repository: String,
    /// The rules that asked.
    pub rules: Vec<String>,
    /// The full refs that would change, as predicted; a `*` at the end stands for any rest.
    pub refs: Vec<String>,
    /// When it was shown.
    pub given: Moment,
}

impl Ask {
    fn key(process: &str, repository: &Path) -> Key {
        Key::new("ask")
            .with(process.as_bytes())
            .with(repository.as_os_str().as_encoded_bytes())
    }

    fn covers(&self, process: &str, repository: &Path, rules: &[&str], refs: &[&str]) -> bool {
        let predicted = |name: &str| {
            self.refs.iter().any(|r| match r.strip_suffix('*') {
                Some(start) => name.starts_with(start),
                None => r == name,
            })
        };
        self.process == process
            && self.repository == repository.to_string_lossy()
            && rules
                .iter()
                .all(|rule| self.rules.iter().any(|r| r == rule))
            && !refs.is_empty()
            && refs.iter().all(|name| predicted(name))
    }
}

impl Grants<'_> {
    /// Notes that the host shows an ask: within ten minutes git's hook lets one such update through.
    /// Says nothing for what takes no grant.
    pub fn asked(
        &self,
        process: &str,
        repository: &Path,
        rules: &[&str],
        refs: &[&str],
        now: Moment,
    ) -> Result<(), Trouble> {
        if !grantable(rules) || refs.is_empty() {
            return Ok(());
        }
        let owned = |list: &[&str]| list.iter().map(|s| (*s).to_owned()).collect();
        let ask = Ask {
            process: process.to_owned(),
            repository: repository.to_string_lossy().into_owned(),
            rules: owned(rules),
            refs: owned(refs),
            given: now,
        };
        // The same ask shown again is the same ask, and not one more.
        let mut whole = Key::new("whole");
        for part in rules.iter().chain([&""]).chain(refs) {
            whole = whole.with(part.as_bytes());
        }
        let name = name(&format!(
            "{}-{}",
            Ask::key(process, repository).hex(),
            whole.hex()
        ));
        self.state.write(FOLDER, &name, to_json(&ask)?.as_bytes())
    }

    /// Whether an ask covers what git is about to do; it is used up then. Of all who ask at once
    /// exactly one gets it.
    pub fn take_ask(
        &self,
        process: &str,
        repository: &Path,
        rules: &[&str],
        refs: &[&str],
        now: Moment,
    ) -> Result<Option<Ask>, Trouble> {
        self.find_ask(process, repository, (rules, refs), now, true)
    }

    /// Whether an ask covers what git is about to do, which leaves it in place: the hook that comes
    /// last uses it up.
    pub fn has_ask(
        &self,
        process: &str,
        repository: &Path,
        rules: &[&str],
        refs: &[&str],
        now: Moment,
    ) -> Result<bool, Trouble> {
        let found = self.find_ask(process, repository, (rules, refs), now, false)?;
        Ok(found.is_some())
    }

    fn find_ask(
        &self,
        process: &str,
        repository: &Path,
        (rules, refs): (&[&str], &[&str]),
        now: Moment,
        uses: bool,
    ) -> Result<Option<Ask>, Trouble> {
        if !grantable(rules) {
            return Ok(None);
        }
        let prefix = Ask::key(process, repository).hex();
        for name in self.state.names(FOLDER)? {
            if !name.starts_with(&prefix) {
                continue;
            }
            let text = self.state.read(FOLDER, &name)?;
            // Whoever else could write here could grant.
            self.state.ensure()?;
            let Some(ask) = text.and_then(|t| serde_json::from_str::<Ask>(&t).ok()) else {
                continue;
            };
            if !holds(ask.given, ask.given.plus(ASK_FOR), ASK_FOR, now) {
                self.state.consume(FOLDER, &name)?;
                continue;
            }
            if ask.covers(process, repository, rules, refs)
                && (!uses || self.state.consume(FOLDER, &name)?)
            {
                return Ok(Some(ask));
            }
        }
        Ok(None)
    }
}
