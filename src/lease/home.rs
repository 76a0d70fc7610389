//! The checkout that an asker's calls come from, noted so that the next call knows it at a glance.
//!
//! A note is taken where the checkout is the asker's own, or nobody's. It counts only while the
//! `.git` that leads there is what it was, and the record too: one's own the same file, with the
//! owner's process still above the asker; nobody's still missing. Whatever does not fit is looked up
//! afresh: that a note is missing costs time and frees nothing.

use super::card::{Card, Own};
use super::registry::Hold;
use super::watch::{Pulse, Seen};
use super::words::Role;
use crate::person::chain;
use crate::state::files::under;
use crate::state::time::Moment;
use std::cell::OnceCell;
use std::ffi::OsStr;
use std::fs::{self, Metadata};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::time::Duration;

/// How a note begins; another beginning is another build's.
const HEAD: &[u8] = b"lg home 2\n";

/// What a note says of the checkout.
const NOBODYS: u64 = 0;
const OWN: u64 = 1;

/// What tells one file from the one that takes its place: number, length, and time of the last
/// change in seconds and nanoseconds; of a directory its birth, as its changes say nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Print([u64; 4]);

impl Print {
    /// The print of a file; `None` where the system gives files no numbers.
    #[cfg(unix)]
    pub(super) fn of(found: &Metadata) -> Option<Print> {
        use std::os::unix::fs::MetadataExt;
        let (length, time) = match found.is_dir() {
            true => (0, found.created()),
            false => (found.len(), found.modified()),
        };
        let since = time.ok()?.duration_since(std::time::UNIX_EPOCH).ok()?;
        let (seconds, rest) = (since.as_secs(), u64::from(since.subsec_nanos()));
        Some(Print([found.ino(), length, seconds, rest]))
    }

    #[cfg(not(unix))]
    pub(super) fn of(_found: &Metadata) -> Option<Print> {
        None
    }

    /// The print of what stands at `path`, a link itself.
    pub(super) fn at(path: &Path) -> Option<Print> {
        Print::of(&fs::symlink_metadata(path).ok()?)
    }
}

/// Where a checkout is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Whereabouts {
    /// Its top.
    pub top: PathBuf,
    /// The directory with its `HEAD`.
    pub git_dir: PathBuf,
    /// The directory that all checkouts of the repository share.
    pub common: PathBuf,
}

/// A note that counts now.
#[derive(Debug)]
pub(super) struct Home {
    bytes: Vec<u8>,
    top: Part,
    git_dir: Part,
    common: Part,
    dot: Print,
    shared: Print,
    /// From here on: what the asker's claim says; `None` = nobody claims it.
    claim: Option<usize>,
    repo: Part,
    same: OnceCell<bool>,
    seen: OnceCell<Option<Seen>>,
}

/// A part of a note: where it begins and ends.
type Part = (usize, usize);

impl Home {
    /// Reads a note, as one who asks in `place` (boot and pid namespace); `None` = look closely.
    pub(super) fn read(bytes: Vec<u8>, place: &dyn Fn() -> (String, String)) -> Option<Home> {
        let mut at = Reader::new(&bytes)?;
        let owned = at.number()? == OWN;
        let repo = at.part()?;
        let record = at.path()?;
        if owned {
            (Print::at(record) == Some(at.print()?)).then_some(())?;
            let (boot, space) = place();
            let here = !boot.is_empty() && at.text()? == boot && at.text()? == space;
            here.then_some(())?;
            let (pid, start) = (u32::try_from(at.number()?).ok()?, at.number()?);
            chain::above(pid, start).then_some(())?;
        } else {
            missing(record).then_some(())?;
        }
        let (dot, shared) = (at.print()?, at.print()?);
        let (top, git_dir, common) = (at.part()?, at.part()?, at.part()?);
        let claim = owned.then_some(at.at);
        Some(Home {
            bytes,
            top,
            git_dir,
            common,
            dot,
            shared,
            claim,
            repo,
            same: OnceCell::new(),
            seen: OnceCell::new(),
        })
    }

    /// The note for a checkout of the repository with the key `repo` that `card`, in the file
    /// `record`, makes the asker's own; `None` where the system does not tell files apart.
    pub(super) fn own(
        repo: &str,
        (record, print): (&Path, Print),
        card: &Card<'_>,
        pulse: &Pulse,
        at: &Whereabouts,
    ) -> Option<Vec<u8>> {
        (card.top == at.top).then_some(())?;
        let mut out = Writer(HEAD.to_vec());
        out.number(OWN);
        out.text(repo)?;
        out.path(record)?;
        out.print(print);
        out.text(card.boot)?;
        out.text(card.pid_space)?;
        out.number(u64::from(card.pid?));
        out.number(card.start?.parse().ok()?);
        out.whereabouts(at)?;
        out.number(pulse.every.as_secs());
        out.number(u64::try_from(pulse.seen.0).ok()?);
        out.text(card.claim_id)?;
        out.text(card.role)?;
        out.text(card.branch.unwrap_or_default())?;
        for path in &card.paths {
            out.text(path)?;
        }
        Some(out.0)
    }

    /// The note for a checkout that nobody claims, as there is no file `record`; `repo` is the repository's key.
    pub(super) fn nobodys(repo: &str, record: &Path, at: &Whereabouts) -> Option<Vec<u8>> {
        // A submodule may be part of a checkout that somebody claims.
        let part = at.git_dir.iter().any(|name| name == "modules");
        (!part && missing(record)).then_some(())?;
        let mut out = Writer(HEAD.to_vec());
        out.number(NOBODYS);
        out.text(repo)?;
        out.path(record)?;
        out.whereabouts(at)?;
        Some(out.0)
    }

    fn part(&self, (from, to): Part) -> &[u8] {
        self.bytes.get(from..to).unwrap_or_default()
    }

    fn is(&self, part: Part, path: &Path) -> bool {
        self.part(part) == path.as_os_str().as_encoded_bytes()
    }

    /// The key of the repository whose shared directory is `common`, if it is this one.
    pub(super) fn repo(&self, common: &Path) -> Option<&str> {
        let same = || Print::at(common) == Some(self.shared);
        let this = self.is(self.common, common) && *self.same.get_or_init(same);
        this.then(|| std::str::from_utf8(self.part(self.repo)).ok())?
    }

    /// What the checkout with this git directory is to the asker, if it is this one.
    pub(super) fn seen(&self, git_dir: &Path, common: &Path) -> Option<Seen> {
        let this = self.is(self.git_dir, git_dir) && self.repo(common).is_some();
        this.then(|| self.seen.get_or_init(|| self.claim()).clone())?
    }

    fn claim(&self) -> Option<Seen> {
        let Some(from) = self.claim else {
            return Some(Seen::Else(Hold::Free));
        };
        let mut at = Reader {
            bytes: &self.bytes,
            at: from,
        };
        let pulse = Pulse {
            every: Duration::from_secs(at.number()?),
            seen: Moment(i64::try_from(at.number()?).ok()?),
            claim_id: at.text()?.to_owned(),
        };
        let role = at.text()?.to_owned();
        let branch = at.text()?;
        let mut paths = Vec::new();
        while at.at < self.bytes.len() {
            paths.push(at.text()?.to_owned());
        }
        let own = Own {
            writes: Role::of(&role).writes(),
            role,
            branch: (!branch.is_empty()).then(|| branch.to_owned()),
            paths,
            top: path(self.part(self.top))?.to_owned(),
        };
        Some(Seen::Own(Rc::new(own), Rc::new(pulse)))
    }

    /// Whether git finds this checkout from `dir` upward.
    pub(super) fn holds(&self, dir: &Path) -> bool {
        let Ok(real) = fs::canonicalize(dir) else {
            return false;
        };
        for at in real.ancestors() {
            let dot = under(at, &[".git"]);
            if at.as_os_str().as_encoded_bytes() == self.part(self.top) {
                return Print::at(&dot) == Some(self.dot);
            }
            // A repository of its own, or a bare one.
            if !(missing(&dot) && missing(&under(at, &["HEAD"]))) {
                return false;
            }
        }
        false
    }
}

fn missing(path: &Path) -> bool {
    fs::symlink_metadata(path).is_err_and(|e| e.kind() == ErrorKind::NotFound)
}

#[cfg(unix)]
fn path(bytes: &[u8]) -> Option<&Path> {
    use std::os::unix::ffi::OsStrExt;
    Some(Path::new(OsStr::from_bytes(bytes)))
}

#[cfg(not(unix))]
fn path(bytes: &[u8]) -> Option<&Path> {
    let text = std::str::from_utf8(bytes).ok()?;
    Some(Path::new(OsStr::new(text)))
}

/// A note being read: numbers of eight bytes, and texts behind their lengths.
struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Reader<'a> {
    fn new(bytes: &'a [u8]) -> Option<Reader<'a>> {
        let at = HEAD.len();
        (bytes.get(..at) == Some(HEAD)).then_some(Reader { bytes, at })
    }

    fn number(&mut self) -> Option<u64> {
        let end = self.at.checked_add(8)?;
        let bytes = self.bytes.get(self.at..end)?;
        self.at = end;
        Some(u64::from_le_bytes(bytes.try_into().ok()?))
    }

    fn print(&mut self) -> Option<Print> {
        let mut print = [0; 4];
        for number in &mut print {
            *number = self.number()?;
        }
        Some(Print(print))
    }

    fn part(&mut self) -> Option<Part> {
        let length = usize::try_from(self.number()?).ok()?;
        let end = self.at.checked_add(length)?;
        let part = (self.at, end);
        self.bytes.get(self.at..end)?;
        self.at = end;
        Some(part)
    }

    fn bytes(&mut self) -> Option<&'a [u8]> {
        let (from, to) = self.part()?;
        self.bytes.get(from..to)
    }

    fn text(&mut self) -> Option<&'a str> {
        std::str::from_utf8(self.bytes()?).ok()
    }

    fn path(&mut self) -> Option<&'a Path> {
        path(self.bytes()?)
    }
}

/// A note being written.
struct Writer(Vec<u8>);

impl Writer {
    fn number(&mut self, number: u64) {
        self.0.extend(number.to_le_bytes());
    }

    fn print(&mut self, Print(print): Print) {
        for number in print {
            self.number(number);
        }
    }

    fn whereabouts(&mut self, at: &Whereabouts) -> Option<()> {
        self.print(Print::at(&under(&at.top, &[".git"]))?);
        self.print(Print::at(&at.common)?);
        for path in [&at.top, &at.git_dir, &at.common] {
            self.path(path)?;
        }
        Some(())
    }

    fn text(&mut self, text: &str) -> Option<()> {
        self.bytes(text.as_bytes())
    }

    fn path(&mut self, path: &Path) -> Option<()> {
        self.bytes(path.as_os_str().as_encoded_bytes())
    }

    fn bytes(&mut self, bytes: &[u8]) -> Option<()> {
        self.number(u64::try_from(bytes.len()).ok()?);
        self.0.extend(bytes);
        Some(())
    }
}
