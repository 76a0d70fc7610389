//! What claims say beyond one checkout: of a branch, of the asker's own claim wherever it is, and of other checkouts.

use super::asker::Asker;
use super::book::Name;
use super::card::{Card, Own};
use super::registry::Hold;
use super::spot::checkout_key;
use super::store::Store;
use super::watch::{Watch, Who, same};
use std::path::{Path, PathBuf};
use std::rc::Rc;

impl Watch {
    /// What the claim that names `branch` is to the asker; [`Hold::Free`] where none does.
    pub fn branch(&self, common: &Path, branch: &str) -> Hold {
        let Some(repo) = self.repo(common) else {
            return Hold::Free;
        };
        let known = |b: &&(PathBuf, String, Hold)| b.1 == branch && same(&b.0, common);
        if let Some((_, _, hold)) = self.branches.borrow().iter().find(known) {
            return hold.clone();
        }
        let name = Name::Branch(branch.to_owned());
        let hold = self.judged(self.store().named(&repo, &name));
        let known = (common.to_owned(), branch.to_owned(), hold.clone());
        self.branches.borrow_mut().push(known);
        hold
    }

    /// The asker's own claim in the repository, wherever it is, by its session alone.
    pub fn own(&self, common: &Path) -> Option<Rc<Own>> {
        let repo = self.repo(common)?;
        if let Some((_, own)) = self.owns.borrow().iter().find(|o| same(&o.0, common)) {
            return own.clone();
        }
        let own = self.own_in(&repo);
        let known = (common.to_owned(), own.clone());
        self.owns.borrow_mut().push(known);
        own
    }

    fn own_in(&self, repo: &str) -> Option<Rc<Own>> {
        let (session, agent) = match &self.who {
            Who::Given(asker) => (asker.session.clone(), asker.agent.clone()),
            Who::Here { session, agent } => (session.clone(), agent.clone()),
        };
        let names = |agent| {
            let who = Asker {
                session: session.clone(),
                agent,
                ..Asker::default()
            };
            who.names()
        };
        let parents = if agent.is_some() {
            names(None)
        } else {
            Vec::new()
        };
        names(agent).iter().chain(&parents).find_map(|name| {
            let slot = self.store().named(repo, name);
            match self.judged(slot) {
                Hold::Mine(claim, _) => Some(Rc::new(Card::of(&claim).own())),
                _ => None,
            }
        })
    }

    /// Whether any checkout of the repository but this one may be claimed.
    pub fn others(&self, git_dir: &Path, common: &Path) -> bool {
        let Some(repo) = self.repo(common) else {
            return false;
        };
        let own = checkout_key(git_dir, common) + ".json";
        let claims = self.store().place(&repo).join("claims");
        match std::fs::read_dir(claims) {
            Ok(mut entries) => entries.any(|e| !e.is_ok_and(|e| e.file_name() == *own)),
            Err(e) => e.kind() != std::io::ErrorKind::NotFound,
        }
    }
}
