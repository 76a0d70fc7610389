//! One lock a repository, on a file that is never replaced; the system frees it when its holder dies.

use crate::lease::error::{Code, Refusal};
use crate::state::files::reason;
use std::fs::{File, OpenOptions, TryLockError};
use std::path::Path;
use std::time::{Duration, Instant};

/// The first and the longest pause between two tries.
const PAUSE: Duration = Duration::from_micros(300);
const LONGEST: Duration = Duration::from_millis(5);

/// The lock, held until it is dropped.
#[derive(Debug)]
pub(super) struct Lock(File);

impl Drop for Lock {
    fn drop(&mut self) {
        // Not left to closing: a process that another thread is starting may hold a copy.
        let _ = self.0.unlock();
    }
}

/// Takes the lock at `path`, or says after `wait` that it could not.
pub(super) fn take(path: &Path, wait: Duration) -> Result<Lock, Refusal> {
    let begin = Instant::now();
    let mut pause = PAUSE;
    loop {
        let file = open(path)?;
        loop {
            match file.try_lock() {
                Ok(()) => break,
                Err(TryLockError::WouldBlock) => {}
                Err(TryLockError::Error(e)) => return Err(failed("lock", path, &e)),
            }
            let left = wait.saturating_sub(begin.elapsed());
            if left.is_zero() {
                return Err(Refusal::new(
                    Code::LockTimeout,
                    format!(
                        "`{}` was locked by another process for all of {} ms: try again",
                        path.display(),
                        wait.as_millis()
                    ),
                ));
            }
            std::thread::sleep(pause.min(left));
            pause = pause.saturating_mul(2).min(LONGEST);
        }
        let lock = Lock(file);
        // Somebody may have removed the file since it was opened: then others lock another one.
        if same_file(&lock.0, path) {
            excludes(path)?;
            return Ok(lock);
        }
    }
}

/// Whether locks work on this file system at all: the lock that is held must keep a second one out.
fn excludes(path: &Path) -> Result<(), Refusal> {
    match open(path)?.try_lock() {
        Err(TryLockError::WouldBlock) => Ok(()),
        Ok(()) => Err(Refusal::new(
            Code::NetworkFs,
            format!(
                "locks exclude nobody on the file system of `{}`: move the state directory to a local disk",
                path.display()
            ),
        )),
        Err(TryLockError::Error(e)) => Err(failed("lock", path, &e)),
    }
}

fn open(path: &Path) -> Result<File, Refusal> {
    let mut options = OpenOptions::new();
    options.read(true).write(true).create(true).truncate(false);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path).map_err(|e| failed("open", path, &e))
}

#[cfg(unix)]
fn same_file(file: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    match (file.metadata(), std::fs::metadata(path)) {
        (Ok(a), Ok(b)) => (a.dev(), a.ino()) == (b.dev(), b.ino()),
        _ => false,
    }
}

/// There a file that is open cannot be removed.
#[cfg(not(unix))]
fn same_file(_file: &File, _path: &Path) -> bool {
    true
}

/// `what` failed at `path`.
pub(super) fn failed(what: &str, path: &Path, error: &std::io::Error) -> Refusal {
    Refusal::new(
        Code::Store,
        format!("cannot {what} `{}`: {}", path.display(), reason(error)),
    )
}
