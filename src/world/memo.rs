//! The last answers: several laws ask the same of one act.

use super::{Outlook, Reaches};
use crate::action::{Place, Push};
use std::cell::RefCell;
use std::rc::Rc;

/// Questions and their answers, good until the scene moves.
#[derive(Debug, Default)]
pub(super) struct Memo {
    pushed: RefCell<Option<(Push, Place, Rc<Outlook>)>>,
    reached: RefCell<Option<(Place, Rc<Reaches>)>>,
}

impl Memo {
    pub(super) fn get(&self, push: &Push, place: &Place) -> Option<Rc<Outlook>> {
        let kept = self.pushed.borrow();
        let (old, at, outlook) = kept.as_ref()?;
        (same_push(old, push) && same_place(at, place)).then(|| Rc::clone(outlook))
    }

    pub(super) fn keep(&self, push: &Push, place: &Place, outlook: &Rc<Outlook>) {
        *self.pushed.borrow_mut() = Some((push.clone(), place.clone(), Rc::clone(outlook)));
    }

    pub(super) fn reached(&self, place: &Place) -> Option<Rc<Reaches>> {
        let kept = self.reached.borrow();
        let (at, reaches) = kept.as_ref()?;
        same_place(at, place).then(|| Rc::clone(reaches))
    }

    pub(super) fn keep_reached(&self, place: &Place, reaches: &Rc<Reaches>) {
        *self.reached.borrow_mut() = Some((place.clone(), Rc::clone(reaches)));
    }

    pub(super) fn forget(&mut self) {
        *self.pushed.get_mut() = None;
        *self.reached.get_mut() = None;
    }
}

/// Every field is named, so that a new one cannot be forgotten here.
fn same_push(a: &Push, b: &Push) -> bool {
    let Push {
        by,
        remote,
        refspecs,
        force,
        lease,
        delete,
        mirror,
        all,
        tags,
        follow_tags,
        prune,
        dry_run,
        set_upstream,
        recurse,
        options,
        receive_pack,
        from_stdin,
    } = a;
    *by == b.by
        && *remote == b.remote
        && *refspecs == b.refspecs
        && *force == b.force
        && *lease == b.lease
        && *delete == b.delete
        && *mirror == b.mirror
        && *all == b.all
        && *tags == b.tags
        && *follow_tags == b.follow_tags
        && *prune == b.prune
        && *dry_run == b.dry_run
        && *set_upstream == b.set_upstream
        && *recurse == b.recurse
        && *options == b.options
        && *receive_pack == b.receive_pack
        && *from_stdin == b.from_stdin
}

fn same_place(a: &Place, b: &Place) -> bool {
    let Place {
        dir,
        git_dir,
        work_tree,
        config,
        env,
        scrubbed,
        literal_pathspecs,
    } = a;
    *dir == b.dir
        && *git_dir == b.git_dir
        && *work_tree == b.work_tree
        && *config == b.config
        && *env == b.env
        && *scrubbed == b.scrubbed
        && *literal_pathspecs == b.literal_pathspecs
}
