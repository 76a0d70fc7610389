//! A plan's leases as one call sees them: the file read once, its paths compared with real checkouts.

use super::World;
use super::claims::Touched;
use super::repo::{Found, real};
use crate::action::Place;
use crate::plan::file::{Plan, read};
use crate::plan::law::{self, Asker, Spot};
pub use crate::plan::law::{Held, Right, Stand as PlanStand};
pub use crate::plan::status::Flaw as PlanFlaw;
use crate::plan::status::Status;
use std::cell::RefCell;
use std::fs;
use std::path::{Path, PathBuf};
use std::rc::Rc;

/// The files that were read so far.
#[derive(Debug, Default)]
pub(super) struct Plans(RefCell<Vec<(PathBuf, Rc<Plan>)>>);

/// What a plan says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Kept<T> {
    /// No plan is kept.
    Nowhere,
    /// One is, and cannot be read: its file, and why.
    Unreadable(PathBuf, String),
    /// This.
    Says(T),
}

impl World {
    /// Whose `touched` is by the execution leases of the plan at `file`.
    pub fn planned(&self, touched: &Touched, file: &str) -> Kept<PlanStand> {
        let spot = Spot {
            here: &|path| self.names(Path::new(path), &touched.top),
            beside: &|path| match self.disk.find(Path::new(path)) {
                Found::Here(repo) => repo.common == touched.common,
                // A plan of this repository alone means a checkout of it that is not there now.
                Found::Absent | Found::Unknown(_) => !file.starts_with(['/', '~']),
            },
        };
        self.plan(touched, file, |status, asker| {
            law::execution(status, asker, spot)
        })
    }

    /// Whether the plan at `file` may give a checkout of the repository that the call starts in to
    /// somebody else.
    pub fn plan_gives_away(&self, file: &str) -> bool {
        let at = Place {
            dir: self.around.cwd.clone(),
            ..Place::default()
        };
        let reached = self.reached(&at);
        let gives = |touched| match self.plan(touched, file, law::gives_away) {
            Kept::Nowhere => false,
            Kept::Unreadable(..) => true,
            Kept::Says(gives) => gives,
        };
        reached.all.iter().any(gives)
    }

    /// Whose the right to merge is by the plan at `file`.
    pub fn merge_right(&self, touched: &Touched, file: &str) -> Kept<Right> {
        self.plan(touched, file, law::merge)
    }

    /// Whether `touched` is about the plan's own file; what would lie below it is it, since it is no
    /// directory.
    pub fn is_plan(&self, touched: &Touched, file: &str) -> bool {
        let path = touched.below.as_ref().map(|below| touched.top.join(below));
        let plan = self.plan_path(touched, file).map(|plan| real(&plan));
        path.is_some_and(|path| plan.is_some_and(|plan| path.starts_with(plan)))
    }

    fn plan<T>(
        &self,
        touched: &Touched,
        file: &str,
        says: impl FnOnce(&Status, Asker<'_>) -> T,
    ) -> Kept<T> {
        let Some(path) = self.plan_path(touched, file) else {
            let why = "the home directory that it starts in is not known".to_owned();
            return Kept::Unreadable(PathBuf::from(file), why);
        };
        let known = self
            .plans
            .0
            .borrow()
            .iter()
            .find(|p| p.0 == path)
            .map(|p| Rc::clone(&p.1));
        let plan = known.unwrap_or_else(|| {
            let plan = Rc::new(read(&path));
            self.plans
                .0
                .borrow_mut()
                .push((path.clone(), Rc::clone(&plan)));
            plan
        });
        match &*plan {
            Plan::Missing => Kept::Nowhere,
            Plan::Unreadable(why) => Kept::Unreadable(path, why.clone()),
            Plan::Read(status) => {
                let claims = self.around.claims.as_deref();
                let session = claims.and_then(|watch| watch.session());
                Kept::Says(says(status, Asker { session }))
            }
        }
    }

    /// The plan's file. A path that is not absolute starts in the main checkout, whichever checkout
    /// is worked in: a file of that name in another one is a copy and says nothing (R91).
    fn plan_path(&self, touched: &Touched, file: &str) -> Option<PathBuf> {
        if let Some(below) = file.strip_prefix("~/") {
            return Some(self.around.home.as_ref()?.join(below));
        }
        let common = &touched.common;
        let main = match (common.file_name(), common.parent()) {
            (Some(name), Some(above)) if name == ".git" => above,
            _ if touched.main => &touched.top,
            _ => common,
        };
        Some(main.join(file))
    }

    /// Whether `path` is the checkout at `top`, or lies in it.
    fn names(&self, path: &Path, top: &Path) -> bool {
        if same(path, top) {
            return true;
        }
        match fs::canonicalize(path) {
            Ok(real) if real.starts_with(top) => {
                matches!(self.disk.find(&real), Found::Here(repo) if repo.top.as_deref() == Some(top))
            }
            Ok(_) => false,
            // What is not there is no checkout that anybody works in, but for one that is just gone.
            Err(_) => path == top,
        }
    }
}

/// Whether both are one directory, whatever they are called.
#[cfg(unix)]
fn same(a: &Path, b: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    match (fs::metadata(a), fs::metadata(b)) {
        (Ok(a), Ok(b)) => (a.dev(), a.ino()) == (b.dev(), b.ino()),
        _ => false,
    }
}

#[cfg(not(unix))]
fn same(a: &Path, b: &Path) -> bool {
    fs::canonicalize(a).is_ok_and(|a| fs::canonicalize(b).is_ok_and(|b| a == b))
}
