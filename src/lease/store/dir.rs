//! The store of this machine: one file a claim, in folders below the state directory.

use super::disk::{Draft, Folder, read_with, remove, sync_dir, touch, touched};
use super::index::Index;
use super::lock::{self, failed};
use super::{Decide, Query, Store, history, quarantine};
use crate::lease::book::{Book, Name, Taken, counted, names};
use crate::lease::error::Refusal;
use crate::lease::ground;
use crate::lease::home::Print;
use crate::lease::law::{Change, Outcome};
use crate::lease::record::{Claim, Slot};
use crate::state::files::under;
use crate::state::time::Moment;
use std::ffi::OsString;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::time::Duration;

/// More claims than this are read by several threads.
const MANY: usize = 512;

/// Claims below a directory.
#[derive(Debug, Clone)]
pub struct Dir {
    root: PathBuf,
    /// This boot: an index of another one is made anew. Empty = not known, then every entry is saved.
    boot: String,
    /// A repository's folder whose index was made since the machine started: it stays so.
    indexed: OnceLock<PathBuf>,
}

/// A record as it stands in its file.
pub(in crate::lease) struct Record {
    pub(in crate::lease) path: PathBuf,
    pub(in crate::lease) bytes: Vec<u8>,
    pub(in crate::lease) print: Option<Print>,
}

impl Dir {
    /// The store below the state directory `state`, which need not exist, in the boot `boot`; empty =
    /// not known.
    pub fn new(state: &Path, boot: &str) -> Dir {
        Dir {
            root: under(state, &["v1"]),
            boot: boot.to_owned(),
            indexed: OnceLock::new(),
        }
    }

    /// The keys of all repositories that have ever been claimed in.
    pub fn repos(&self) -> Result<Vec<String>, Refusal> {
        let entries = match fs::read_dir(&self.root) {
            Ok(entries) => entries,
            Err(e) if e.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
            Err(e) => return Err(failed("list", &self.root, &e)),
        };
        Ok(entries
            .filter_map(|e| e.ok()?.file_name().into_string().ok())
            .collect())
    }

    /// The text of the record on a checkout; `None` where there is none that can be read, which
    /// [`Store::at`] tells more of.
    pub(in crate::lease) fn record(&self, repo: &str, checkout: &str) -> Option<Record> {
        let path = self.record_path(repo, checkout);
        let (bytes, found) = read_with(&path).ok()?;
        let print = Print::of(&found);
        Some(Record { path, bytes, print })
    }

    /// Where the record on a checkout is, if there is one.
    pub(in crate::lease) fn record_path(&self, repo: &str, checkout: &str) -> PathBuf {
        let mut path = self.place(repo).into_os_string();
        for part in ["/claims/", checkout, ".json"] {
            path.push(part);
        }
        path.into()
    }

    /// Where the claims of a repository are.
    pub(in crate::lease) fn place(&self, repo: &str) -> PathBuf {
        let root = self.root.as_os_str();
        let mut path = OsString::with_capacity(root.len().saturating_add(84));
        for part in [root, "/".as_ref(), repo.as_ref()] {
            path.push(part);
        }
        path.into()
    }

    /// The last sign of life beside the record of the claim `claim_id`.
    pub(in crate::lease) fn pulse(&self, repo: &str, claim_id: &str) -> Option<Moment> {
        touched(&self.folder(repo).beat(claim_id))
    }

    /// [`Store::beat`] by the claim's name alone.
    pub(in crate::lease) fn beat_of(
        &self,
        repo: &str,
        claim_id: &str,
        now: Moment,
    ) -> Result<bool, Refusal> {
        touch(&self.folder(repo).beat(claim_id), now, false)
    }

    /// Does `work` while nobody else makes or removes worktrees of the repository. Waits at most `wait`.
    /// It has a lock of its own: checking out a large tree must not keep claims from being renewed.
    pub fn locked<T>(
        &self,
        repo: &str,
        wait: Duration,
        work: impl FnOnce() -> T,
    ) -> Result<T, Refusal> {
        let folder = self.folder(repo);
        folder.ensure()?;
        let lock = lock::take(&folder.root.join(".worktrees.lock"), wait)?;
        let done = work();
        drop(lock);
        Ok(done)
    }

    fn folder(&self, repo: &str) -> Folder {
        Folder {
            root: under(&self.root, &[repo]),
        }
    }

    fn index<'a>(&'a self, folder: &'a Folder) -> Index<'a> {
        Index {
            folder,
            boot: &self.boot,
        }
    }

    /// The claim on a checkout with its sign of life.
    fn slot(&self, folder: &Folder, checkout: &str) -> Slot {
        let mut slot = quarantine::read(&folder.claim(checkout));
        if let Slot::Held(held) = &mut slot {
            held.beat = touched(&folder.beat(&held.claim.claim_id));
        }
        slot
    }

    /// The checkout that has `name`, and its claim.
    fn holder(&self, folder: &Folder, name: &Name) -> (String, Slot) {
        let index = self.index(folder);
        if self.indexed.get() != Some(&folder.root) && !index.current() {
            return match self.every(folder) {
                Ok(all) => all
                    .into_iter()
                    .find(|(_, slot)| slot.claim().is_some_and(|c| names(c).contains(name)))
                    .unwrap_or_default(),
                Err(why) => (String::new(), Slot::Corrupt(why.what)),
            };
        }
        let _ = self.indexed.set(folder.root.clone());
        match index.find(name) {
            Ok(None) => <(String, Slot)>::default(),
            Ok(Some(checkout)) => {
                let slot = match self.slot(folder, &checkout) {
                    Slot::Held(held) if !names(&held.claim).contains(name) => Slot::Free,
                    slot => slot,
                };
                (checkout, slot)
            }
            Err(why) => (String::new(), Slot::Corrupt(why)),
        }
    }

    fn every(&self, folder: &Folder) -> Result<Vec<(String, Slot)>, Refusal> {
        let dir = folder.claims();
        let entries = match fs::read_dir(&dir) {
            Ok(entries) => entries,
            Err(e) if e.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
            Err(e) => return Err(failed("list", &dir, &e)),
        };
        let mut checkouts: Vec<String> = entries
            .filter_map(|e| e.ok()?.file_name().into_string().ok())
            .filter_map(|name| name.strip_suffix(".json").map(str::to_owned))
            .collect();
        checkouts.sort_unstable();
        let read = |part: &[String]| -> Vec<(String, Slot)> {
            let slot = |c: &String| (c.clone(), self.slot(folder, c));
            part.iter()
                .map(slot)
                .filter(|(_, slot)| *slot != Slot::Free)
                .collect()
        };
        if checkouts.len() < MANY {
            return Ok(read(&checkouts));
        }
        let threads = std::thread::available_parallelism().map_or(1, usize::from);
        let size = checkouts.len().div_ceil(threads.min(8)).max(1);
        Ok(std::thread::scope(|scope| {
            let parts: Vec<_> = checkouts
                .chunks(size)
                .map(|part| scope.spawn(move || read(part)))
                .collect();
            let done = parts.into_iter().filter_map(|part| part.join().ok());
            done.flatten().collect()
        }))
    }

    fn book(&self, folder: &Folder, query: &Query) -> Result<Book, Refusal> {
        let mut book = Book {
            here: self.slot(folder, &query.checkout),
            ..Book::default()
        };
        if book.here == Slot::Free {
            let before = quarantine::read(&folder.retired(&query.checkout));
            book.before = before.claim().cloned();
        }
        for name in &query.names {
            let (checkout, by) = self.holder(folder, name);
            if by != Slot::Free && checkout != query.checkout {
                let name = name.clone();
                book.taken.push(Taken { name, by });
            }
        }
        if query.count {
            let all = self.every(folder)?;
            let other =
                |(checkout, slot): &&(String, Slot)| *checkout != query.checkout && counted(slot);
            book.others = all.iter().filter(other).count();
        }
        Ok(book)
    }

    /// Does what was decided. Whatever step it is stopped at, every file is an old or a new one.
    fn apply(
        &self,
        folder: &Folder,
        query: &Query,
        before: Option<&Claim>,
        outcome: &Outcome,
        draft: Option<Draft>,
        now: Moment,
    ) -> Result<(), Refusal> {
        let (checkout, index) = (query.checkout.as_str(), self.index(folder));
        let path = folder.claim(checkout);
        match &outcome.change {
            Change::None => {}
            Change::Beat => {
                if let Some(claim) = &outcome.claim {
                    touch(&folder.beat(&claim.claim_id), now, true)?;
                }
            }
            Change::Put(claim, durable) => {
                index.add(checkout, claim)?;
                if claim.lives_after(before) {
                    touch(&folder.beat(&claim.claim_id), now, true)?;
                }
                let bytes = claim.bytes();
                match draft {
                    Some(draft) if draft.holds(&bytes) => folder.place(draft, &path)?,
                    draft => {
                        if let Some(draft) = draft {
                            draft.drop_it();
                        }
                        folder.put(&path, bytes, *durable)?;
                    }
                }
                if let Some(old) = before {
                    index.drop_names(checkout, old, Some(claim));
                    if old.claim_id != claim.claim_id {
                        remove(&folder.beat(&old.claim_id))?;
                    }
                }
                return Ok(());
            }
            Change::Retire(claim) => {
                folder.put(&folder.retired(checkout), claim.bytes(), false)?;
                remove(&path)?;
                index.drop_names(checkout, before.unwrap_or(claim), None);
                remove(&folder.beat(&claim.claim_id))?;
                history::sweep(folder, now);
            }
            Change::Clear => remove(&path)?,
        }
        if let Some(draft) = draft {
            draft.drop_it();
        }
        Ok(())
    }
}

impl Store for Dir {
    fn at(&self, repo: &str, checkout: &str) -> Slot {
        self.slot(&self.folder(repo), checkout)
    }

    fn named(&self, repo: &str, name: &Name) -> Slot {
        self.holder(&self.folder(repo), name).1
    }

    fn all(&self, repo: &str) -> Result<Vec<(String, Slot)>, Refusal> {
        self.every(&self.folder(repo))
    }

    fn beat(&self, repo: &str, claim: &Claim, now: Moment) -> Result<bool, Refusal> {
        self.beat_of(repo, &claim.claim_id, now)
    }

    fn change(
        &self,
        query: &Query,
        wait: Duration,
        now: Moment,
        decide: &mut Decide<'_>,
    ) -> Result<Outcome, Refusal> {
        let folder = self.folder(&query.repo);
        folder.ensure()?;
        ground::check(&folder.root, &query.allowed)?;
        // What will most likely be written goes to the disk before the lock is taken: waiting for
        // the disk is most of the time, and many can do it at once.
        let likely = decide(&self.book(&folder, query)?);
        let draft = match likely.map(|outcome| outcome.change) {
            Ok(Change::Put(claim, true)) => Some(folder.draft(claim.bytes(), true)?),
            _ => None,
        };
        let lock = match lock::take(&folder.lock(), wait) {
            Ok(lock) => lock,
            Err(refusal) => {
                if let Some(draft) = draft {
                    draft.drop_it();
                }
                return Err(refusal);
            }
        };
        folder.sweep(now);
        let index = self.index(&folder);
        if !index.current() {
            index.rebuild(&self.every(&folder)?)?;
        }
        let mut book = self.book(&folder, query)?;
        if matches!(book.here, Slot::Corrupt(_)) {
            quarantine::put_aside(&folder, &query.checkout, now)?;
            book.here = self.slot(&folder, &query.checkout);
        }
        let outcome = match decide(&book) {
            Ok(outcome) => outcome,
            Err(refusal) => {
                if let Some(draft) = draft {
                    draft.drop_it();
                }
                return Err(refusal);
            }
        };
        self.apply(&folder, query, book.here.claim(), &outcome, draft, now)?;
        drop(lock);
        // Others may see it before it is safe from a power cut, which would end them too.
        if matches!(
            outcome.change,
            Change::Put(_, true) | Change::Retire(_) | Change::Clear
        ) {
            sync_dir(&folder.claims())?;
        }
        Ok(outcome)
    }
}
