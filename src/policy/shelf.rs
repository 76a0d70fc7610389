//! The policies of one call: each repository's is read when somebody first asks for it.

use super::Policy;
use super::places::{Places, below};
use super::table::Known;
use std::cell::{OnceCell, RefCell};
use std::path::{Path, PathBuf};
use std::rc::Rc;

/// Where the files are that do not depend on the repository, as the doors tell it.
#[derive(Debug, Clone, Default)]
pub struct Home {
    /// The administrator's policy; [`Places::MANAGED`] but in tests.
    pub managed_file: Option<PathBuf>,
    /// The person's own policy; see [`Places::user_file_of`].
    pub user_file: Option<PathBuf>,
    /// See [`Places::state_dir_of`].
    pub state_dir: Option<PathBuf>,
    /// `$HOME`.
    pub home: Option<PathBuf>,
}

/// One repository, as the world tells it.
#[derive(Clone, Copy)]
pub struct Repository<'a> {
    /// The top of the checkout, links resolved; `None` for a bare repository, or for none at all.
    pub top: Option<&'a Path>,
    /// The main checkout, where `top` is a linked worktree.
    pub main: Option<&'a Path>,
    /// The URLs of its remotes; only asked where a policy speaks of them.
    pub remotes: &'a dyn Fn() -> Vec<String>,
}

/// Where the files are, asked once.
type Asked = (OnceCell<Home>, fn() -> Home);

/// The policies read so far.
#[derive(Debug)]
pub struct Shelf {
    rules: &'static [Known],
    home: Option<Asked>,
    read: RefCell<Vec<(Option<PathBuf>, Rc<Policy>)>>,
}

impl Shelf {
    /// Nothing is read yet.
    pub fn new(rules: &'static [Known], home: Home) -> Shelf {
        let shelf = Shelf::asking(rules, Home::default);
        Shelf {
            home: Some((OnceCell::from(home), Home::default)),
            ..shelf
        }
    }

    /// Nothing is read yet; where the files are is asked when the first policy is.
    pub fn asking(rules: &'static [Known], home: fn() -> Home) -> Shelf {
        Shelf {
            rules,
            home: Some((OnceCell::new(), home)),
            read: RefCell::default(),
        }
    }

    /// The same policy everywhere, and no file.
    pub fn of(policy: Policy) -> Shelf {
        Shelf {
            rules: &[],
            home: None,
            read: RefCell::new(vec![(None, Rc::new(policy))]),
        }
    }

    /// The policy of `repository`.
    pub fn at(&self, repository: Repository) -> Rc<Policy> {
        let known = self.read.borrow().iter().find_map(|(top, policy)| {
            let same = self.home.is_none() || top.as_deref() == repository.top;
            same.then(|| Rc::clone(policy))
        });
        known.unwrap_or_else(|| {
            let policy = Rc::new(self.load(repository));
            let top = repository.top.map(Path::to_owned);
            self.read.borrow_mut().push((top, Rc::clone(&policy)));
            policy
        })
    }

    fn load(&self, repository: Repository) -> Policy {
        let Some((home, ask)) = &self.home else {
            return Policy::default();
        };
        let home = home.get_or_init(ask);
        let project = repository.top.map(|top| below(top, Places::PROJECT));
        Policy::load(&Places {
            rules: self.rules,
            managed_file: home.managed_file.as_deref(),
            user_file: home.user_file.as_deref(),
            project_file: project.as_deref(),
            state_dir: home.state_dir.as_deref(),
            repo_path: repository.top,
            main_path: repository.main,
            home: home.home.as_deref(),
            remotes: repository.remotes,
        })
    }
}
