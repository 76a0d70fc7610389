//! What a plan's `status.json` says, with everything that is not as it has to be as a value of its own.

use super::shape::{self, Node, Shape};
use std::fmt;

// `released` is no field of a lease: it tells a record that was only marked as given back.
const EXECUTION: Shape = Shape::Object(&[
    ("holder", Shape::Leaf),
    ("claimed_at", Shape::Leaf),
    ("worktree_path", Shape::Leaf),
    ("working_branch", Shape::Leaf),
    ("session_label", Shape::Leaf),
    ("released", Shape::Leaf),
]);

const MERGE: Shape = Shape::Object(&[
    ("holder", Shape::Leaf),
    ("claimed_at", Shape::Leaf),
    ("plan_id", Shape::Leaf),
    ("source_branch", Shape::Leaf),
    ("target_branch", Shape::Leaf),
    ("session_label", Shape::Leaf),
    ("released", Shape::Leaf),
]);

const ROW: Shape = Shape::Object(&[
    ("id", Shape::Leaf),
    ("plan_id", Shape::Leaf),
    ("status", Shape::Leaf),
    ("execution_lease", EXECUTION),
]);

/// All that is read. There is no `expires_at`: no time is authority over a lease (R78).
const STATUS: Shape = Shape::Object(&[
    ("plans", Shape::List(&ROW)),
    (
        "metadata",
        Shape::Object(&[
            ("control_worktree_path", Shape::Leaf),
            ("integration_merge_lease", MERGE),
        ]),
    ),
]);

/// A text that has to be there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Field {
    /// It is not there.
    Missing,
    /// Something else is, as a noun phrase.
    Wrong(&'static str),
    /// The text, which is not empty.
    Text(String),
}

/// A lease as it may stand in the file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Slot<L> {
    /// The key is not there: nobody holds it. No other form says so (R77).
    Absent,
    /// What stands there is no object, as a noun phrase; `null` among them.
    Wrong(&'static str),
    /// An object.
    There(L),
}

/// `plans[].execution_lease` (R72).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Execution {
    /// Who holds it: an opaque name, recommended as `HOST:SESSION` (R73).
    pub holder: Field,
    /// Since when, for people only (R74).
    pub claimed_at: Field,
    /// The checkout.
    pub worktree_path: Field,
    /// The branch that is worked on there.
    pub working_branch: Field,
    /// A name for people. It is never compared.
    pub session_label: Option<String>,
    /// It is marked as given back, which is no way to give it back.
    pub tombstone: bool,
}

/// `metadata.integration_merge_lease` (R103).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Merge {
    /// Who integrates.
    pub holder: Field,
    /// Since when, for people only.
    pub claimed_at: Field,
    /// The plan whose work is merged.
    pub plan_id: Field,
    /// The branch that is merged.
    pub source_branch: Field,
    /// The branch that it is merged into.
    pub target_branch: Field,
    /// A name for people. It is never compared.
    pub session_label: Option<String>,
    /// It is marked as given back, which is no way to give it back.
    pub tombstone: bool,
}

/// How far a plan is, as far as it says whether somebody has to hold it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Stage {
    /// `InProgress` or `InReview`: its lease has to be there (R83, R93).
    AtWork(String),
    /// Anything else.
    Rests,
    /// The status is missing or no text.
    Unknown,
}

/// One row of `plans`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row {
    /// `id`, or the older `plan_id`; `None` where it has neither.
    pub name: Option<String>,
    /// How far it is.
    pub stage: Stage,
    /// Its lease.
    pub lease: Slot<Execution>,
    /// Another row has the same name (R80).
    pub twin: bool,
}

/// What the file says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Status {
    /// The rows, in their order.
    pub plans: Vec<Row>,
    /// The checkout from which the plan is kept, where the file names it (R92).
    pub control: Option<String>,
    /// The right to merge.
    pub merge: Slot<Merge>,
}

/// Something that is not as it has to be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Flaw {
    /// A lease is `null` or no object; the noun phrase for what it is.
    Form(&'static str),
    /// A lease is marked as given back instead of deleted.
    Tombstone,
    /// A field of a lease is missing (`None`) or of the wrong kind.
    Field(&'static str, Option<&'static str>),
    /// `worktree_path` is not absolute (R75).
    Relative,
    /// `worktree_path` is the checkout from which the plan is kept (R75).
    Control,
    /// At work, with this status, and held by nobody.
    Orphan(String),
    /// No lease, and a status that cannot be read.
    Status,
    /// No `id`.
    Unnamed,
    /// Two rows have its name.
    Twin,
}

impl fmt::Display for Flaw {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Flaw::Form(noun) => write!(f, "its lease is {noun}, which is neither held nor free"),
            Flaw::Tombstone => f.write_str(
                "its lease is marked as released; a lease is given back by deleting its key",
            ),
            Flaw::Field(name, None) => write!(f, "its lease has no `{name}`"),
            Flaw::Field(name, Some(noun)) => write!(f, "`{name}` of its lease is {noun}"),
            Flaw::Relative => f.write_str("`worktree_path` of its lease is not absolute"),
            Flaw::Control => f.write_str(
                "`worktree_path` of its lease is the control worktree, where nobody builds",
            ),
            Flaw::Orphan(status) => write!(f, "it is `{status}`, and nobody holds it"),
            Flaw::Status => f.write_str("it has no lease, and its `status` cannot be read"),
            Flaw::Unnamed => f.write_str("it has no `id`"),
            Flaw::Twin => f.write_str("another row has the same `id`"),
        }
    }
}

impl Field {
    fn of(node: Option<&Node>) -> Field {
        match node {
            None => Field::Missing,
            Some(Node::Text(text)) if text.trim().is_empty() => Field::Wrong("an empty text"),
            Some(Node::Text(text)) => Field::Text(text.clone()),
            Some(other) => Field::Wrong(other.noun()),
        }
    }

    /// The text, if there is one.
    pub fn text(&self) -> Option<&str> {
        match self {
            Field::Text(text) => Some(text),
            _ => None,
        }
    }

    fn flaw(&self, name: &'static str) -> Option<Flaw> {
        match self {
            Field::Text(_) => None,
            Field::Missing => Some(Flaw::Field(name, None)),
            Field::Wrong(noun) => Some(Flaw::Field(name, Some(noun))),
        }
    }
}

impl<L> Slot<L> {
    fn of(node: Option<&Node>, read: impl FnOnce(&Node) -> L) -> Slot<L> {
        match node {
            None => Slot::Absent,
            Some(node @ Node::Object(_)) => Slot::There(read(node)),
            Some(other) => Slot::Wrong(other.noun()),
        }
    }
}

fn tombstone(node: &Node) -> bool {
    !matches!(
        node.field("released"),
        None | Some(Node::Null | Node::Flag(false))
    )
}

impl Execution {
    fn of(node: &Node) -> Execution {
        Execution {
            holder: Field::of(node.field("holder")),
            claimed_at: Field::of(node.field("claimed_at")),
            worktree_path: Field::of(node.field("worktree_path")),
            working_branch: Field::of(node.field("working_branch")),
            session_label: Field::of(node.field("session_label"))
                .text()
                .map(str::to_owned),
            tombstone: tombstone(node),
        }
    }

    fn flaws(&self, control: Option<&str>) -> Vec<Flaw> {
        let mut flaws = Vec::from_iter(self.tombstone.then_some(Flaw::Tombstone));
        flaws.extend(self.holder.flaw("holder"));
        flaws.extend(self.claimed_at.flaw("claimed_at"));
        flaws.extend(self.worktree_path.flaw("worktree_path"));
        flaws.extend(self.working_branch.flaw("working_branch"));
        if let Some(path) = self.worktree_path.text() {
            if !std::path::Path::new(path).is_absolute() {
                flaws.push(Flaw::Relative);
            }
            if control.is_some_and(|c| c.trim_end_matches('/') == path.trim_end_matches('/')) {
                flaws.push(Flaw::Control);
            }
        }
        flaws
    }
}

impl Merge {
    fn of(node: &Node) -> Merge {
        Merge {
            holder: Field::of(node.field("holder")),
            claimed_at: Field::of(node.field("claimed_at")),
            plan_id: Field::of(node.field("plan_id")),
            source_branch: Field::of(node.field("source_branch")),
            target_branch: Field::of(node.field("target_branch")),
            session_label: Field::of(node.field("session_label"))
                .text()
                .map(str::to_owned),
            tombstone: tombstone(node),
        }
    }

    /// Everything that is wrong with it.
    pub fn flaws(&self) -> Vec<Flaw> {
        let mut flaws = Vec::from_iter(self.tombstone.then_some(Flaw::Tombstone));
        flaws.extend(self.holder.flaw("holder"));
        flaws.extend(self.claimed_at.flaw("claimed_at"));
        flaws.extend(self.plan_id.flaw("plan_id"));
        flaws.extend(self.source_branch.flaw("source_branch"));
        flaws.extend(self.target_branch.flaw("target_branch"));
        flaws
    }
}

impl Stage {
    fn of(node: Option<&Node>) -> Stage {
        let Some(Node::Text(status)) = node else {
            return Stage::Unknown;
        };
        let letters = status.chars().filter(|c| c.is_alphanumeric());
        let plain: String = letters.flat_map(char::to_lowercase).collect();
        match plain.as_str() {
            "" => Stage::Unknown,
            "inprogress" | "inreview" => Stage::AtWork(status.clone()),
            _ => Stage::Rests,
        }
    }
}

impl Row {
    fn of(node: &Node) -> Row {
        let name = |key| Field::of(node.field(key)).text().map(str::to_owned);
        Row {
            name: name("id").or_else(|| name("plan_id")),
            stage: Stage::of(node.field("status")),
            lease: Slot::of(node.field("execution_lease"), Execution::of),
            twin: false,
        }
    }

    /// Everything that is wrong with it; `control` is the checkout from which the plan is kept.
    pub fn flaws(&self, control: Option<&str>) -> Vec<Flaw> {
        let mut flaws = match (&self.lease, &self.stage) {
            (Slot::There(lease), _) => lease.flaws(control),
            (Slot::Wrong(noun), _) => vec![Flaw::Form(noun)],
            (Slot::Absent, Stage::AtWork(status)) => vec![Flaw::Orphan(status.clone())],
            (Slot::Absent, Stage::Unknown) => vec![Flaw::Status],
            (Slot::Absent, Stage::Rests) => Vec::new(),
        };
        flaws.extend(self.name.is_none().then_some(Flaw::Unnamed));
        flaws.extend(self.twin.then_some(Flaw::Twin));
        flaws
    }

    /// Its name for messages.
    pub fn shown(&self) -> &str {
        self.name.as_deref().unwrap_or("without an id")
    }
}

impl Status {
    /// Reads the text of a file; the error says in words what cannot be read of it.
    pub fn parse(text: &[u8]) -> Result<Status, String> {
        // Also what is passed over has to be text.
        let text = std::str::from_utf8(text).map_err(|e| format!("it is no UTF-8: {e}"))?;
        let node = shape::read(text.as_bytes(), &STATUS)?;
        if !matches!(node, Node::Object(_)) {
            return Err(format!("it is {}, not an object", node.noun()));
        }
        let rows = match node.field("plans") {
            None => &[],
            Some(Node::List(rows)) => rows.as_slice(),
            Some(other) => return Err(format!("`plans` is {}, not a list", other.noun())),
        };
        if let Some(row) = rows.iter().find(|row| !matches!(row, Node::Object(_))) {
            return Err(format!("a row of `plans` is {}, not an object", row.noun()));
        }
        let metadata = match node.field("metadata") {
            None => None,
            Some(metadata @ Node::Object(_)) => Some(metadata),
            Some(other) => return Err(format!("`metadata` is {}, not an object", other.noun())),
        };
        let mut plans: Vec<Row> = rows.iter().map(Row::of).collect();
        let mut names: Vec<String> = plans.iter().filter_map(|row| row.name.clone()).collect();
        names.sort_unstable();
        for row in &mut plans {
            let Some(name) = &row.name else { continue };
            let first = names.partition_point(|n| n < name);
            row.twin = names.get(first.saturating_add(1)) == Some(name);
        }
        let field = |name| metadata.and_then(|m| m.field(name));
        Ok(Status {
            plans,
            control: Field::of(field("control_worktree_path"))
                .text()
                .map(str::to_owned),
            merge: Slot::of(field("integration_merge_lease"), Merge::of),
        })
    }
}
