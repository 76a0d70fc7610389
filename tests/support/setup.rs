//! The `setup` of a case: in what a fixture repository differs from the base.

use super::claims::Lease;
use serde::Deserialize;
use serde::de::IgnoredAny;
use std::collections::BTreeMap;

/// One value or several, as for config keys that may hold many.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(untagged)]
pub(crate) enum OneOrMany {
    One(String),
    Many(Vec<String>),
}

impl OneOrMany {
    /// All values in order.
    pub(crate) fn all(&self) -> &[String] {
        match self {
            OneOrMany::One(one) => std::slice::from_ref(one),
            OneOrMany::Many(many) => many,
        }
    }
}

/// A linked worktree beside the repository.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Linked {
    /// It lies at `../name`.
    pub(crate) name: String,
    /// Made from HEAD if there is no such branch.
    pub(crate) branch: String,
    /// Files with edits.
    #[serde(default)]
    pub(crate) dirty: Vec<String>,
    /// New files.
    #[serde(default)]
    pub(crate) untracked: Vec<String>,
    /// Files with staged edits.
    #[serde(default)]
    pub(crate) staged: Vec<String>,
}

/// All keys; every one is optional.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct Setup {
    /// No edits.
    pub(crate) clean: bool,
    /// Files that this session edited; default `src/a.rs`.
    pub(crate) mine: Option<Vec<String>>,
    /// Files that somebody else edited; default `b.txt`.
    pub(crate) dirty: Option<Vec<String>>,
    /// New files of somebody else; default `notes/other.txt`.
    pub(crate) untracked: Option<Vec<String>>,
    /// The branch that is checked out, made if it is not there.
    pub(crate) branch: Option<String>,
    /// The start point of a new branch, with `--track`.
    pub(crate) track: Option<String>,
    /// The upstream of that branch; empty or null = none.
    #[serde(deserialize_with = "present")]
    pub(crate) upstream: Option<Option<String>>,
    /// Local config.
    pub(crate) config: BTreeMap<String, OneOrMany>,
    /// Further remotes, each a bare copy of origin.
    pub(crate) remotes: BTreeMap<String, String>,
    /// Branches whose local history diverges from the remote's.
    pub(crate) rewritten: Vec<String>,
    /// Files with staged edits.
    pub(crate) staged: Vec<String>,
    /// Ignored files.
    pub(crate) ignored: Vec<String>,
    /// Files with content.
    pub(crate) write: BTreeMap<String, String>,
    /// Shell lines that are run first.
    pub(crate) pre: Vec<String>,
    /// The environment of the call.
    pub(crate) env: BTreeMap<String, String>,
    /// Where the call starts, from the top of the repository.
    pub(crate) cwd: Option<String>,
    /// Linked worktrees.
    pub(crate) worktrees: Vec<Linked>,
    /// Claims on checkouts of the repository.
    pub(crate) lease: Vec<Lease>,
    /// What the record of the checkout looks like: `empty`, `truncated`, `newer-version`, ….
    pub(crate) registry_file: Option<String>,
    /// Claims are strict here.
    pub(crate) strict: bool,
    /// The text of a plan's `status.json`, where it is not made of leases of that form.
    pub(crate) plan: Option<String>,
    /// Keys of the policy, as TOML.
    pub(crate) policy: Option<String>,
    /// Open pull requests and what runs on them.
    pub(crate) pr: Option<serde_json::Value>,
    /// A lock file, which readers of claims do not look at.
    pub(crate) lock: Option<IgnoredAny>,
}

fn present<'de, D: serde::Deserializer<'de>>(d: D) -> Result<Option<Option<String>>, D::Error> {
    Option::<String>::deserialize(d).map(|v| Some(v.filter(|s| !s.is_empty())))
}

impl Setup {
    /// Two setups with the same key describe the same repository.
    pub(crate) fn key(&self) -> String {
        let mut same = self.clone();
        same.lock = None;
        format!("{same:?}")
    }

    fn edits(&self, given: &Option<Vec<String>>, base: &str) -> Vec<String> {
        match given {
            Some(list) => list.clone(),
            None if self.clean => Vec::new(),
            None => vec![base.to_owned()],
        }
    }

    /// Files edited by this session.
    pub(crate) fn mine(&self) -> Vec<String> {
        self.edits(&self.mine, "src/a.rs")
    }

    /// Files edited by somebody else.
    pub(crate) fn dirty(&self) -> Vec<String> {
        self.edits(&self.dirty, "b.txt")
    }

    /// New files of somebody else.
    pub(crate) fn untracked(&self) -> Vec<String> {
        self.edits(&self.untracked, "notes/other.txt")
    }
}
