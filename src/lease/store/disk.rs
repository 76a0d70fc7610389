//! One repository's folder: files that are replaced whole, by way of a folder for unfinished ones.

use super::lock::failed;
use crate::lease::error::Refusal;
use crate::state::files;
use crate::state::time::Moment;
use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

/// The folder of the ways from names to claims.
pub(super) const INDEX: &str = "index";

/// Unfinished files older than this were left by a process that died.
const LEFT: Duration = Duration::from_secs(60);

/// The folders of one repository.
#[derive(Debug, Clone)]
pub(super) struct Folder {
    pub(super) root: PathBuf,
}

/// A file that is written and not yet in its place.
#[derive(Debug)]
pub(super) struct Draft {
    path: PathBuf,
    bytes: Vec<u8>,
    synced: bool,
}

impl Draft {
    /// Whether this is `bytes`, as safe on the disk as they have to be.
    pub(super) fn holds(&self, bytes: &[u8]) -> bool {
        self.bytes == bytes && self.synced
    }

    /// Throws it away.
    pub(super) fn drop_it(self) {
        let _ = fs::remove_file(&self.path);
    }
}

impl Folder {
    pub(super) fn lock(&self) -> PathBuf {
        self.root.join(".lock")
    }

    pub(super) fn claims(&self) -> PathBuf {
        self.root.join("claims")
    }

    pub(super) fn claim(&self, checkout: &str) -> PathBuf {
        self.claims().join(format!("{checkout}.json"))
    }

    pub(super) fn retired(&self, checkout: &str) -> PathBuf {
        self.root.join("retired").join(format!("{checkout}.json"))
    }

    pub(super) fn beat(&self, claim_id: &str) -> PathBuf {
        self.root.join("beats").join(format!("{claim_id}.beat"))
    }

    pub(super) fn index(&self) -> PathBuf {
        self.root.join(INDEX)
    }

    /// Makes what is missing, closed to other users.
    pub(super) fn ensure(&self) -> Result<(), Refusal> {
        let index = self.index();
        let dirs = [
            self.claims(),
            self.root.join("retired"),
            self.root.join("beats"),
            self.root.join("tmp"),
            index.join("branch"),
            index.join("ticket"),
            index.join("agent"),
        ];
        // Made last, so that where it is the others are.
        for dir in dirs.iter().rev() {
            if fs::metadata(dir).is_ok_and(|m| m.is_dir()) {
                continue;
            }
            files::make_dir(dir).map_err(|e| failed("make", dir, &e))?;
        }
        Ok(())
    }

    /// Writes an unfinished file; `sync` waits until it is on the disk.
    pub(super) fn draft(&self, bytes: Vec<u8>, sync: bool) -> Result<Draft, Refusal> {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        let name = format!("{}.{count}", std::process::id());
        let path = self.root.join("tmp").join(name);
        let written = private(&path).and_then(|mut file| {
            file.write_all(&bytes)?;
            if sync { file.sync_data() } else { Ok(()) }
        });
        match written {
            Ok(()) => Ok(Draft {
                path,
                bytes,
                synced: sync,
            }),
            Err(e) => {
                let _ = fs::remove_file(&path);
                Err(failed("write", &path, &e))
            }
        }
    }

    /// Puts an unfinished file in its place: readers see the old one or the new one.
    pub(super) fn place(&self, draft: Draft, to: &Path) -> Result<(), Refusal> {
        match fs::rename(&draft.path, to) {
            Ok(()) => Ok(()),
            // Swept while it waited for the lock.
            Err(e) if e.kind() == ErrorKind::NotFound => {
                let again = self.draft(draft.bytes, draft.synced)?;
                fs::rename(&again.path, to).map_err(|e| failed("write", to, &e))
            }
            Err(e) => {
                let _ = fs::remove_file(&draft.path);
                Err(failed("write", to, &e))
            }
        }
    }

    /// Writes `to` whole.
    pub(super) fn put(&self, to: &Path, bytes: Vec<u8>, sync: bool) -> Result<(), Refusal> {
        let draft = self.draft(bytes, sync)?;
        self.place(draft, to)
    }

    /// Removes what dead processes left unfinished. Best effort.
    pub(super) fn sweep(&self, now: Moment) {
        let Ok(entries) = fs::read_dir(self.root.join("tmp")) else {
            return;
        };
        for entry in entries.flatten() {
            let written = entry.metadata().and_then(|m| m.modified());
            if written.is_ok_and(|t| Moment::of(t).plus(LEFT) < now) {
                let _ = fs::remove_file(entry.path());
            }
        }
    }
}

/// The longest record that is read, in bytes.
const MOST: u64 = 64 * 1024;

/// The bytes of a record, in as few calls to the system as there can be: this stands before every
/// call of an agent. Whatever else is in its place is refused without waiting for it.
pub(in crate::lease) fn read(path: &Path) -> io::Result<Vec<u8>> {
    read_with(path).map(|(bytes, _)| bytes)
}

/// The same, with what the system says of the file that was read.
pub(super) fn read_with(path: &Path) -> io::Result<(Vec<u8>, fs::Metadata)> {
    let mut options = OpenOptions::new();
    options.read(true);
    #[cfg(unix)]
    {
        use rustix::fs::OFlags;
        use std::os::unix::fs::OpenOptionsExt;
        let flags = OFlags::NONBLOCK | OFlags::NOFOLLOW;
        options.custom_flags(i32::try_from(flags.bits()).unwrap_or_default());
    }
    let mut file = options.open(path)?;
    let found = file.metadata()?;
    if !found.is_file() {
        return Err(io::Error::other("not a regular file"));
    }
    if found.len() > MOST {
        return Err(io::Error::other("longer than anything written there"));
    }
    // Records are replaced and never grow, so one read gets all of it.
    let mut bytes = vec![0; usize::try_from(found.len()).unwrap_or_default()];
    file.read_exact(&mut bytes)?;
    Ok((bytes, found))
}

/// A new file of ours; one that a dead process with our id left makes way.
fn private(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}

/// Removes `path`; no matter if it is gone already.
pub(super) fn remove(path: &Path) -> Result<(), Refusal> {
    match fs::remove_file(path) {
        Err(e) if e.kind() != ErrorKind::NotFound => Err(failed("remove", path, &e)),
        _ => Ok(()),
    }
}

/// Waits until the names in `dir` are on the disk.
pub(super) fn sync_dir(dir: &Path) -> Result<(), Refusal> {
    if cfg!(not(unix)) {
        return Ok(());
    }
    match File::open(dir).and_then(|dir| dir.sync_all()) {
        // Some file systems know no such thing.
        Err(e) if !matches!(e.kind(), ErrorKind::InvalidInput | ErrorKind::Unsupported) => {
            Err(failed("save", dir, &e))
        }
        _ => Ok(()),
    }
}

/// Sets the time of a beat file; `false` where there is none and none is to be made.
pub(in crate::lease) fn touch(path: &Path, now: Moment, make: bool) -> Result<bool, Refusal> {
    let mut options = OpenOptions::new();
    options.write(true);
    let file = match options.create(make).truncate(false).open(path) {
        Ok(file) => file,
        Err(e) if e.kind() == ErrorKind::NotFound && !make => return Ok(false),
        Err(e) => return Err(failed("touch", path, &e)),
    };
    let since = Duration::from_millis(u64::try_from(now.0).unwrap_or_default());
    let done = file.set_modified(std::time::UNIX_EPOCH + since);
    done.map_err(|e| failed("touch", path, &e))?;
    Ok(true)
}

/// When a beat file was touched.
pub(in crate::lease) fn touched(path: &Path) -> Option<Moment> {
    let time = fs::metadata(path).and_then(|m| m.modified()).ok()?;
    Some(Moment::of(time))
}
