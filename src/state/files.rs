//! Private files: made closed to others, replaced whole, consumed once.

use super::decimal;
use std::ffi::OsString;
use std::fs::{self, File, Metadata, OpenOptions};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

/// The longest file that is read whole.
const MOST: u64 = 64 * 1024;

/// `dir/part/part`, in one piece of memory.
pub(crate) fn under(dir: &Path, parts: &[&str]) -> PathBuf {
    let more: usize = parts.iter().map(|part| part.len().saturating_add(1)).sum();
    let mut path = OsString::with_capacity(dir.as_os_str().len().saturating_add(more));
    path.push(dir);
    for part in parts.iter().filter(|part| !part.is_empty()) {
        path.push("/");
        path.push(part);
    }
    PathBuf::from(path)
}

/// Puts `bytes` at `dir/name` by a temporary file and a rename.
pub(super) fn replace(dir: &Path, name: &str, bytes: &[u8]) -> io::Result<()> {
    static COUNT: AtomicU32 = AtomicU32::new(0);
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    let mut temp = String::with_capacity(name.len() + 24);
    temp.push('.');
    temp.push_str(name);
    for number in [std::process::id(), count] {
        temp.push('.');
        decimal::push(&mut temp, number.into());
    }
    let temp = under(dir, &[&temp]);
    let mut options = private();
    let mut file = match options.write(true).create_new(true).open(&temp) {
        // Left by a dead process that had our id.
        Err(e) if e.kind() == io::ErrorKind::AlreadyExists => {
            fs::remove_file(&temp)?;
            options.open(&temp)?
        }
        opened => opened?,
    };
    let done = file
        .write_all(bytes)
        .and_then(|()| fs::rename(&temp, under(dir, &[name])));
    if done.is_err() {
        let _ = fs::remove_file(&temp);
    }
    done
}

/// The text of a regular file; looked at first, since opening a pipe would wait for a writer.
pub(super) fn read_small(path: &Path) -> io::Result<String> {
    let found = fs::symlink_metadata(path)?;
    if !found.is_file() {
        return Err(io::Error::other("not a regular file"));
    }
    if found.len() > MOST {
        return Err(io::Error::other("longer than anything written there"));
    }
    let mut text = String::new();
    File::open(path)?.take(MOST).read_to_string(&mut text)?;
    Ok(text)
}

/// Opens for appending, and tells how long the file is. Reading is asked for too, because a pipe
/// opened for both does not wait for the other end.
pub(super) fn append(path: &Path) -> io::Result<(File, u64)> {
    let file = private().read(true).append(true).create(true).open(path)?;
    let found = file.metadata()?;
    if !found.is_file() {
        return Err(io::Error::other("not a regular file"));
    }
    Ok((file, found.len()))
}

/// Removes a file so that of all who try exactly one succeeds.
#[cfg(not(windows))]
pub(super) fn consume(path: &Path) -> io::Result<()> {
    fs::remove_file(path)
}

/// Removes a file so that of all who try exactly one succeeds: two may mark one file for deletion,
/// but only one can hold it unshared.
#[cfg(windows)]
pub(super) fn consume(path: &Path) -> io::Result<()> {
    use std::os::windows::fs::OpenOptionsExt;
    const GENERIC_READ: u32 = 0x8000_0000;
    const DELETE: u32 = 0x0001_0000;
    const DELETE_ON_CLOSE: u32 = 0x0400_0000;
    const SHARING_VIOLATION: i32 = 32;
    let mut options = OpenOptions::new();
    options
        .read(true)
        .access_mode(GENERIC_READ | DELETE)
        .share_mode(0)
        .custom_flags(DELETE_ON_CLOSE);
    match options.open(path) {
        Ok(file) => {
            drop(file);
            Ok(())
        }
        Err(e) if e.raw_os_error() == Some(SHARING_VIOLATION) => {
            Err(io::ErrorKind::NotFound.into())
        }
        Err(e) => Err(e),
    }
}

/// Makes a directory and its parents, closed to others.
pub(crate) fn make_dir(dir: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(dir)
}

/// Closes a directory to other users; that fails where it is not ours.
#[cfg(unix)]
pub(super) fn close_to_others(dir: &Path, found: &Metadata) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    if found.permissions().mode() & 0o077 == 0 {
        return Ok(());
    }
    fs::set_permissions(dir, fs::Permissions::from_mode(0o700))
}

/// Closes a directory to other users; on Windows the profile's own list does.
#[cfg(not(unix))]
pub(super) fn close_to_others(_dir: &Path, _found: &Metadata) -> io::Result<()> {
    Ok(())
}

/// An error as a phrase: lower case, without the number.
pub fn reason(error: &io::Error) -> String {
    let text = error.to_string();
    let text = text.split(" (os error").next().unwrap_or_default();
    let mut chars = text.chars();
    chars
        .next()
        .map(|c| c.to_ascii_lowercase())
        .into_iter()
        .chain(chars)
        .collect()
}

#[cfg(unix)]
fn private() -> OpenOptions {
    let mut options = OpenOptions::new();
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options
}

#[cfg(not(unix))]
fn private() -> OpenOptions {
    OpenOptions::new()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn replacing_leaves_no_temporary_file_and_a_leftover_of_ours_does_no_harm() {
        let temp = tempfile::tempdir().unwrap();
        for n in 0..40u32 {
            fs::write(
                temp.path().join(format!(".x.{}.{n}", std::process::id())),
                "left",
            )
            .unwrap();
        }
        for _ in 0..3 {
            replace(temp.path(), "x", b"new").unwrap();
        }
        assert_eq!(fs::read_to_string(temp.path().join("x")).unwrap(), "new");
    }

    #[test]
    fn reasons_are_phrases() {
        assert_eq!(
            reason(&io::Error::from_raw_os_error(2)),
            "no such file or directory"
        );
        assert_eq!(reason(&io::Error::other("Odd")), "odd");
        assert_eq!(reason(&io::Error::other("")), "");
    }

    #[cfg(unix)]
    #[test]
    fn a_pipe_in_place_of_a_file_is_refused_without_waiting() {
        let temp = tempfile::tempdir().unwrap();
        let path = temp.path().join("pipe");
        assert!(
            std::process::Command::new("mkfifo")
                .arg(&path)
                .status()
                .unwrap()
                .success()
        );
        assert_eq!(append(&path).unwrap_err().to_string(), "not a regular file");
        assert_eq!(
            read_small(&path).unwrap_err().to_string(),
            "not a regular file"
        );
    }
}
