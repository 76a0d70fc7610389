//! The last answers: several laws ask the same of one act.

use super::{Outlook, Reaches};
use crate::action::{Place, Push};
use std::cell::RefCell;
use std::path::{Path, PathBuf};
use std::rc::Rc;

/// Most paths of which an answer is kept.
const PATHS: usize = 32;

/// What the disk said of paths: it is asked once of each, as it was when the call began.
#[derive(Debug)]
pub(super) struct Looked<T>(RefCell<Vec<(PathBuf, T)>>);

impl<T> Default for Looked<T> {
    fn default() -> Looked<T> {
        Looked(RefCell::default())
    }
}

impl<T: Clone> Looked<T> {
    /// What `look` says of `path`, or has said before.
    pub(super) fn at(&self, path: &Path, look: impl FnOnce(&Path) -> T) -> T {
        let known = |(at, _): &&(PathBuf, T)| at.as_os_str() == path.as_os_str();
        if let Some((_, said)) = self.0.borrow().iter().find(known) {
            return said.clone();
        }
        let said = look(path);
        let mut all = self.0.borrow_mut();
        if all.len() < PATHS {
            all.push((path.to_owned(), said.clone()));
        }
        said
    }
}

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
    let same = match (dir, &b.dir) {
        (Some(a), Some(b)) => a.as_os_str() == b.as_os_str(),
        (a, b) => a.is_none() && b.is_none(),
    };
    same && *git_dir == b.git_dir
        && *work_tree == b.work_tree
        && *config == b.config
        && *env == b.env
        && *scrubbed == b.scrubbed
        && *literal_pathspecs == b.literal_pathspecs
}
