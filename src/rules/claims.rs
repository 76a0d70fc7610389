//! What the laws of claims share: which checkouts an act changes, whose they are, and the way out.

use super::target::{git_at, quoted, spelled};
use super::{Found, Instead};
use crate::action::{Act, Action, Alter, Place, Refs, Worktree};
use crate::policy::{LeaseMode, Policy};
use crate::shell::{Span, Word};
use crate::verdict::Decision;
use crate::world::{Fact, PathKind, Reaches, Stand, Told, Touched, World};
use std::borrow::Cow;
use std::rc::Rc;

/// Verbs without an act of their own that write in the checkout.
pub(super) const WRITERS: &[&str] = &[
    "apply",
    "checkout-index",
    "clean",
    "mergetool",
    "sparse-checkout",
    "submodule",
];

/// How an act changes checkouts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Deed {
    /// A program that may write runs there.
    Perhaps,
    /// It writes.
    Writes,
    /// It throws work away.
    Destroys,
}

/// What an act changes.
pub(super) struct Change {
    pub(super) reaches: Rc<Reaches>,
    pub(super) deed: Deed,
    /// As a verb: `write \`a.txt\``.
    pub(super) does: Cow<'static, str>,
    pub(super) span: Span,
    /// It goes through directories, and which of their files it finds is not known.
    pub(super) searches: bool,
}

impl Change {
    /// How it changes `touched`: what a search may come upon on its way may have nothing that it finds.
    pub(super) fn deed_at(&self, touched: &Touched) -> Deed {
        if self.searches && touched.below.is_none() {
            Deed::Perhaps
        } else {
            self.deed
        }
    }
}

/// Whether claims can have anything to say.
pub(super) fn binds(world: &World, policy: &Policy) -> bool {
    match policy.lease_mode() {
        LeaseMode::Off => false,
        LeaseMode::Live => world.claimed(),
        LeaseMode::Strict => true,
    }
}

/// The checkouts that `action` changes; `None` where it changes none.
pub(super) fn change(action: &Action, world: &World) -> Option<Change> {
    let place = &action.place;
    let at = |deed, does: Cow<'static, str>| Change {
        reaches: world.reached(place),
        deed,
        does,
        span: action.span,
        searches: false,
    };
    let by = |word: &Word, by: Option<Alter>| {
        let tree = matches!(by, Some(Alter::Remove { tree: true } | Alter::Move));
        let itself = matches!(by, Some(Alter::Remove { .. } | Alter::Move));
        let (deed, verb) = match by {
            None => (Deed::Writes, "write"),
            Some(Alter::Mode) => (Deed::Writes, "change the rights of"),
            Some(Alter::Move) => (Deed::Destroys, "move"),
            Some(Alter::Remove { .. }) => (Deed::Destroys, "remove"),
        };
        Change {
            reaches: Rc::new(world.reached_by(place, word, itself, tree)),
            deed,
            does: Cow::Owned(format!("{verb} `{}`", spelled(word))),
            span: if word.span.end == 0 {
                action.span
            } else {
                word.span
            },
            searches: word.glob && word.text.contains("/**/"),
        }
    };
    Some(match &action.act {
        Act::Stage(stage) if !stage.dry_run => at(Deed::Writes, "stage files".into()),
        Act::Commit(commit) if !commit.dry_run => at(Deed::Writes, "commit".into()),
        Act::Discard(_) => at(Deed::Destroys, "throw changes away".into()),
        Act::Switch(_) => at(Deed::Writes, "switch the branch".into()),
        Act::Integrate(act) => at(Deed::Writes, format!("run `git {}`", act.verb).into()),
        Act::Reset { .. } => at(Deed::Writes, "reset".into()),
        Act::Stash { verb, .. } if !matches!(*verb, "drop" | "clear" | "store") => {
            at(Deed::Destroys, format!("run `git stash {verb}`").into())
        }
        Act::Other { verb } if WRITERS.contains(&verb.as_str()) => {
            at(Deed::Writes, format!("run `git {verb}`").into())
        }
        Act::Refs(Refs::Rename {
            from: None,
            copy: false,
            ..
        }) => at(Deed::Writes, "rename the branch".into()),
        Act::Worktree(Worktree::Remove { path, .. }) => Change {
            reaches: Rc::new(world.reached_worktree(place, path)),
            ..at(Deed::Destroys, "remove the worktree".into())
        },
        Act::Worktree(Worktree::Move { from, .. }) => Change {
            reaches: Rc::new(world.reached_worktree(place, from)),
            ..at(Deed::Destroys, "move the worktree".into())
        },
        Act::Worktree(Worktree::Prune { .. }) => Change {
            reaches: Rc::new(world.forgotten(place)),
            ..at(Deed::Destroys, "forget a worktree".into())
        },
        Act::Write { path } => by(path, None),
        Act::Alter { path, by: how } => by(path, Some(*how)),
        Act::Touch { path, by: how } => by(path, *how),
        Act::Run { program } => at(Deed::Perhaps, format!("run `{}`", spelled(program)).into()),
        _ => return None,
    })
}

/// `stand` as policy wants the claims of other machines to be taken.
pub(super) fn settled(stand: &Stand, world: &World, policy: &Policy) -> Stand {
    match stand {
        Stand::Other(told)
            if policy.cross_host_expired_observed() && world.over_elsewhere(told) =>
        {
            Stand::Lapsed(told.clone())
        }
        stand => stand.clone(),
    }
}

/// How strictly `stand` speaks against an act, and why; `None` where it does not.
pub(super) fn against(stand: &Stand, deed: Deed) -> Option<(Decision, Vec<String>)> {
    let hard = if deed == Deed::Perhaps {
        Decision::Ask
    } else {
        Decision::Deny
    };
    match stand {
        Stand::Free | Stand::Mine(_) => None,
        Stand::Other(told) => Some((hard, vec![held(told)])),
        Stand::Unclear(told) => {
            let why = "it cannot be told here whether that is you";
            Some((Decision::Ask, vec![held(told), why.to_owned()]))
        }
        Stand::Gone(told) => {
            let why = "its process is gone; `leaseguard lease takeover` makes the checkout yours once its time is over, some minutes after its last sign of life, and nothing works there any more";
            Some((Decision::Ask, vec![held(told), why.to_owned()]))
        }
        Stand::Lapsed(told) => (deed == Deed::Destroys).then(|| {
            let why = "it is gone for good and may have left work there: `leaseguard lease takeover` makes the checkout yours";
            (Decision::Ask, vec![held(told), why.to_owned()])
        }),
        Stand::Unreadable(why) => Some((
            hard,
            vec![
                format!("whose it is cannot be read, so it counts as held: {why}"),
                "`leaseguard lease list` shows the record; a person frees it with `leaseguard lease override`".to_owned(),
            ],
        )),
    }
}

/// Who holds something, for what and since when.
pub(super) fn held(told: &Told) -> String {
    let mut text = format!("{} holds `{}`", told.owner, told.top.display());
    match (&told.ticket, &told.branch) {
        (Some(ticket), Some(branch)) if ticket != branch => {
            text.push_str(&format!(" for ticket `{ticket}` on branch `{branch}`"));
        }
        (_, Some(branch)) => text.push_str(&format!(" for branch `{branch}`")),
        (Some(ticket), None) => text.push_str(&format!(" for ticket `{ticket}`")),
        (None, None) => {}
    }
    text.push_str(&format!(", since {} ago", told.since));
    text
}

/// Where to go instead of `touched`: the asker's own checkout, a takeover, or a new worktree.
pub(super) fn way_out(touched: &Touched, world: &World, policy: &Policy) -> Option<Instead> {
    if let Stand::Gone(_) | Stand::Lapsed(_) = touched.stand {
        let dir = quoted(&touched.top.to_string_lossy());
        return Instead::run(format!("leaseguard lease takeover --worktree {dir}"));
    }
    let at = Place {
        dir: Some(touched.top.clone()),
        ..Place::default()
    };
    let own = world.own_claim(&at).filter(|own| own.writes);
    if let Some(own) = own.filter(|own| own.top != touched.top) {
        let dir = quoted(&own.top.to_string_lossy());
        return Instead::run(format!("git -C {dir} status --short"));
    }
    new_worktree(&at, world, policy)
}

/// The command that makes a worktree with a branch of its own.
pub(super) fn new_worktree(place: &Place, world: &World, policy: &Policy) -> Option<Instead> {
    let main = world.main_top(place)?;
    let user = world.around.home.as_deref();
    let home = policy.lease_naming().worktrees(&main, user)?;
    let folder = Place {
        dir: Some(home.clone()),
        ..Place::default()
    };
    let there = |new: &str| {
        let word = Word {
            text: new.to_owned(),
            ..Word::default()
        };
        world.path_kind(&folder, &word) != PathKind::Missing
    };
    let taken = |new: &str| world.has_branch(place, new) != Fact::Known(false) || there(new);
    let all = std::iter::once("task".to_owned()).chain((2..9).map(|n| format!("task-{n}")));
    let new = all.into_iter().find(|name| !taken(name))?;
    let path = quoted(&home.join(&new).to_string_lossy());
    let git = git_at(place, world);
    Instead::run(format!("{git} worktree add -b {new} {path}"))
}

/// A finding against changing `touched`.
pub(super) fn found(change: &Change, touched: &Touched, whose: &str) -> Found {
    let may = if change.deed_at(touched) == Deed::Perhaps {
        "may change"
    } else {
        "would change"
    };
    let effect = format!("this {may} {whose} `{}`", touched.top.display());
    Found::new(effect, change.span).because(format!("it would {} there", change.does))
}
