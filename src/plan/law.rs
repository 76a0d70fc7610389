//! The law of a plan's leases: whose a checkout or a merge is to one who asks, by what the file says.
//!
//! Nothing here looks at a clock: neither age nor status nor label frees a lease (R78, R82, R98).

use super::status::{Execution, Flaw, Row, Slot, Status};

/// Who asks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Asker<'a> {
    /// The host's id for the session; `None` = not known.
    pub session: Option<&'a str>,
}

impl Asker<'_> {
    /// Whether `holder` names the one who asks; `None` = it cannot be told.
    ///
    /// A holder is the session's id, or `HOST:SESSION`. What stands before the colon is free text
    /// (R73), and no two sessions of a machine have one id, so only what follows is compared.
    pub fn is(self, holder: &str) -> Option<bool> {
        let session = self.session.filter(|session| !session.is_empty())?;
        let after = holder.split_once(':').map(|(_, after)| after);
        Some(holder == session || after == Some(session))
    }
}

/// A lease that stands against somebody, for messages.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Held {
    /// The plan's `id`.
    pub plan: String,
    /// Who holds it.
    pub holder: String,
    /// Since when, as it was written.
    pub since: Option<String>,
    /// The branch that it names.
    pub branch: Option<String>,
}

/// What a checkout is to the asker by the plan's execution leases.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Stand {
    /// No lease concerns it.
    Free,
    /// The asker works there, on this branch.
    Mine {
        /// The plan's `id`.
        plan: String,
        /// `working_branch`.
        branch: String,
    },
    /// The asker's lease names another checkout of the repository, and none names this one.
    Away {
        /// The plan's `id`.
        plan: String,
        /// `worktree_path`.
        path: String,
    },
    /// Somebody else works there.
    Other(Held),
    /// Somebody works there, and it cannot be told whether it is the asker.
    Unclear(Held),
    /// Rows that may concern it are not as they have to be: the plan's name, and what is wrong.
    Flawed(Vec<(String, Flaw)>),
}

/// What the checkout that is asked for has to do with a `worktree_path`.
#[derive(Clone, Copy)]
pub struct Spot<'a> {
    /// Whether the path names it.
    pub here: &'a dyn Fn(&str) -> bool,
    /// Whether the path names another checkout of its repository.
    pub beside: &'a dyn Fn(&str) -> bool,
}

/// What the checkout at `spot` is to `asker`.
pub fn execution(status: &Status, asker: Asker<'_>, spot: Spot<'_>) -> Stand {
    let rows = status.plans.iter().map(|row| Placed::of(row, spot.here));
    let rows: Vec<Placed<'_>> = rows.collect();
    let mut unclear = None;
    let mut mine = None;
    let mut away = None;
    for placed in &rows {
        let Some(lease) = placed.lease else { continue };
        let Some(holder) = lease.holder.text() else {
            continue;
        };
        let held = || Held {
            plan: placed.row.shown().to_owned(),
            holder: holder.to_owned(),
            since: lease.claimed_at.text().map(str::to_owned),
            branch: lease.working_branch.text().map(str::to_owned),
        };
        match (placed.at, asker.is(holder)) {
            (At::Here, Some(false)) => return Stand::Other(held()),
            (At::Here, None) => unclear = unclear.or_else(|| Some(held())),
            (At::Here, Some(true)) => {
                if let Some(branch) = lease.working_branch.text() {
                    mine = Some(Stand::Mine {
                        plan: placed.row.shown().to_owned(),
                        branch: branch.to_owned(),
                    });
                }
            }
            (At::Elsewhere, Some(true)) => {
                let path = lease.worktree_path.text().unwrap_or_default();
                if away.is_none() && (spot.beside)(path) {
                    away = Some(Stand::Away {
                        plan: placed.row.shown().to_owned(),
                        path: path.to_owned(),
                    });
                }
            }
            _ => {}
        }
    }
    if let Some(held) = unclear {
        return Stand::Unclear(held);
    }
    let flaws = rows.iter().flat_map(|placed| {
        let concerns = match placed.at {
            At::Here => true,
            At::Elsewhere => false,
            // Where the asker's own lease is sound, somebody's broken one does not count.
            At::Nowhere => mine.is_none(),
        };
        let flaws = placed.row.flaws(status.control.as_deref());
        let told = flaws
            .into_iter()
            .filter(move |flaw| concerns && counts(flaw, placed));
        told.map(|flaw| (placed.row.shown().to_owned(), flaw))
    });
    let flaws: Vec<(String, Flaw)> = flaws.collect();
    if !flaws.is_empty() {
        return Stand::Flawed(flaws);
    }
    mine.or(away).unwrap_or(Stand::Free)
}

/// Whether any checkout may be somebody else's than `asker`'s by the plan.
pub fn gives_away(status: &Status, asker: Asker<'_>) -> bool {
    status.plans.iter().any(|row| match &row.lease {
        Slot::There(lease) => lease.holder.text().and_then(|h| asker.is(h)) != Some(true),
        Slot::Wrong(_) => true,
        Slot::Absent => !row.flaws(None).is_empty(),
    })
}

/// Two rows of one name, or a row without any, that nobody works by are no matter of a checkout.
fn counts(flaw: &Flaw, placed: &Placed<'_>) -> bool {
    !matches!(flaw, Flaw::Twin | Flaw::Unnamed) || placed.lease.is_some()
}

/// Where a row's lease says that its work is done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum At {
    /// In the checkout that is asked for.
    Here,
    /// In another one.
    Elsewhere,
    /// It does not say, so it may be any.
    Nowhere,
}

struct Placed<'a> {
    row: &'a Row,
    lease: Option<&'a Execution>,
    at: At,
}

impl<'a> Placed<'a> {
    fn of(row: &'a Row, here: &dyn Fn(&str) -> bool) -> Placed<'a> {
        let lease = match &row.lease {
            Slot::There(lease) => Some(lease),
            Slot::Absent | Slot::Wrong(_) => None,
        };
        let path = lease.and_then(|lease| lease.worktree_path.text());
        let path = path.filter(|path| std::path::Path::new(path).is_absolute());
        let at = match path {
            Some(path) if here(path) => At::Here,
            Some(_) => At::Elsewhere,
            None => At::Nowhere,
        };
        Placed { row, lease, at }
    }
}

/// What the right to merge is to the asker.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Right {
    /// Nobody holds it.
    Free,
    /// The asker does.
    Mine {
        /// The plan's `id`.
        plan: String,
        /// What may be merged.
        source: String,
        /// What it may be merged into.
        target: String,
    },
    /// Somebody else does; its branch is the target.
    Other(Held),
    /// Somebody does, and it cannot be told whether it is the asker.
    Unclear(Held),
    /// It is not as it has to be; the target where that is known.
    Flawed(Vec<Flaw>, Option<String>),
}

/// What the plan's merge lease is to `asker`.
pub fn merge(status: &Status, asker: Asker<'_>) -> Right {
    let lease = match &status.merge {
        Slot::Absent => return Right::Free,
        Slot::Wrong(noun) => return Right::Flawed(vec![Flaw::Form(noun)], None),
        Slot::There(lease) => lease,
    };
    let plan = lease.plan_id.text().unwrap_or("without an id");
    let held = |holder: &str| Held {
        plan: plan.to_owned(),
        holder: holder.to_owned(),
        since: lease.claimed_at.text().map(str::to_owned),
        branch: lease.target_branch.text().map(str::to_owned),
    };
    let mine = match lease.holder.text().map(|holder| (holder, asker.is(holder))) {
        Some((holder, Some(false))) => return Right::Other(held(holder)),
        Some((holder, None)) => return Right::Unclear(held(holder)),
        Some((_, Some(true))) | None => lease.flaws(),
    };
    let flawed = |flaws| Right::Flawed(flaws, lease.target_branch.text().map(str::to_owned));
    if !mine.is_empty() {
        return flawed(mine);
    }
    match (lease.source_branch.text(), lease.target_branch.text()) {
        (Some(source), Some(target)) => Right::Mine {
            plan: plan.to_owned(),
            source: source.to_owned(),
            target: target.to_owned(),
        },
        _ => flawed(lease.flaws()),
    }
}
