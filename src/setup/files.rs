//! Settings files on disk: looked at before they are opened, replaced whole, never half written.

use std::fs::{self, File, Metadata, OpenOptions};
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};

/// A larger file is no settings file.
const MOST: u64 = 4 * 1024 * 1024;

/// A file as it was seen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Seen {
    /// The file itself, behind links.
    pub(super) real: PathBuf,
    /// What it holds; `None` where there is none.
    pub(super) bytes: Option<Vec<u8>>,
}

impl Seen {
    /// The text; an empty one where there is no file.
    pub(super) fn text(&self) -> Result<&str, String> {
        std::str::from_utf8(self.bytes.as_deref().unwrap_or_default())
            .map_err(|e| format!("it is not valid UTF-8 from byte {} on", e.valid_up_to()))
    }
}

fn told(what: &str, error: &io::Error) -> String {
    let text = error.to_string();
    let text = text.split(" (os error").next().unwrap_or_default();
    format!("{what}: {}", text.to_lowercase())
}

/// Reads a settings file; `Err` says why it is none.
pub(super) fn see(path: &Path) -> Result<Seen, String> {
    let real = match fs::symlink_metadata(path) {
        Err(e) if e.kind() == ErrorKind::NotFound => {
            return Ok(Seen {
                real: path.to_owned(),
                bytes: None,
            });
        }
        Err(e) => return Err(told("it cannot be looked at", &e)),
        Ok(found) if found.is_symlink() => fs::canonicalize(path)
            .map_err(|_| "it is a link to a file that is not there".to_owned())?,
        Ok(_) => path.to_owned(),
    };
    let found = fs::metadata(&real).map_err(|e| told("it cannot be looked at", &e))?;
    if !found.is_file() {
        return Err("it is no regular file".to_owned());
    }
    if found.len() > MOST {
        return Err("it is larger than 4 MiB".to_owned());
    }
    let bytes = fs::read(&real).map_err(|e| told("it cannot be read", &e))?;
    Ok(Seen {
        real,
        bytes: Some(bytes),
    })
}

/// Why the file that was seen cannot be replaced, if so.
pub(super) fn closed(seen: &Seen) -> Option<String> {
    if seen.bytes.is_some() {
        let found = fs::metadata(&seen.real).ok()?;
        if !owned(&found) {
            return Some("it belongs to another user".to_owned());
        }
        if found.permissions().readonly() {
            return Some("it is read-only".to_owned());
        }
    }
    let dir = seen.real.ancestors().skip(1).find(|dir| dir.exists())?;
    let found = fs::metadata(dir).ok()?;
    let shown = dir.display();
    if !found.is_dir() {
        return Some(format!("`{shown}` is no directory"));
    }
    if !owned(&found) {
        return Some(format!("`{shown}` belongs to another user"));
    }
    if found.permissions().readonly() {
        return Some(format!("`{shown}` is read-only"));
    }
    None
}

#[cfg(unix)]
fn owned(found: &Metadata) -> bool {
    std::os::unix::fs::MetadataExt::uid(found) == rustix::process::geteuid().as_raw()
}

#[cfg(not(unix))]
fn owned(_: &Metadata) -> bool {
    true
}

/// The directories above `file` that are not there, the outermost first.
pub(super) fn missing_dirs(file: &Path) -> Vec<PathBuf> {
    let above = file.ancestors().skip(1);
    let mut dirs: Vec<PathBuf> = above
        .take_while(|dir| fs::symlink_metadata(dir).is_err())
        .map(Path::to_owned)
        .collect();
    dirs.reverse();
    dirs
}

/// Removes the directories that are empty, the innermost first.
pub(super) fn remove_dirs<P: AsRef<Path>>(dirs: &[P]) {
    for dir in dirs.iter().rev() {
        if fs::remove_dir(dir).is_err() {
            return;
        }
    }
}

/// Puts `bytes` in the place of what was seen. Nothing is changed where somebody else changed the
/// file meanwhile.
pub(super) fn replace(seen: &Seen, bytes: &[u8]) -> Result<(), String> {
    let made = missing_dirs(&seen.real);
    for dir in &made {
        if let Err(e) = fs::create_dir(dir)
            && e.kind() != ErrorKind::AlreadyExists
        {
            remove_dirs(&made);
            return Err(told(&format!("`{}` cannot be made", dir.display()), &e));
        }
    }
    let done = replace_in(seen, bytes);
    if done.is_err() {
        remove_dirs(&made);
    }
    done
}

fn replace_in(seen: &Seen, bytes: &[u8]) -> Result<(), String> {
    let dir = seen.real.parent().ok_or("it lies in no directory")?;
    let name = seen.real.file_name().unwrap_or_default().to_string_lossy();
    let temp = dir.join(format!(".{name}.leaseguard-{}", std::process::id()));
    let written = write(&temp, &seen.real, bytes)
        .map_err(|e| told("it cannot be written", &e))
        .and_then(|()| unchanged(seen))
        .and_then(|()| {
            fs::rename(&temp, &seen.real).map_err(|e| told("it cannot be replaced", &e))
        });
    if written.is_err() {
        let _ = fs::remove_file(&temp);
        return written;
    }
    // Not every system can: the rename itself is done.
    if let Ok(dir) = File::open(dir) {
        let _ = dir.sync_all();
    }
    Ok(())
}

fn write(temp: &Path, real: &Path, bytes: &[u8]) -> io::Result<()> {
    let _ = fs::remove_file(temp);
    let mut file = OpenOptions::new().write(true).create_new(true).open(temp)?;
    if let Ok(found) = fs::metadata(real) {
        #[cfg(unix)]
        {
            let group = std::os::unix::fs::MetadataExt::gid(&found);
            let _ = std::os::unix::fs::fchown(&file, None, Some(group));
        }
        file.set_permissions(found.permissions())?;
    }
    file.write_all(bytes)?;
    file.sync_all()
}

/// Whether the file still is what was seen.
fn unchanged(seen: &Seen) -> Result<(), String> {
    let now = see(&seen.real)?;
    if now.bytes == seen.bytes {
        Ok(())
    } else {
        Err("it was changed meanwhile by another program; run this again".to_owned())
    }
}

/// Removes the file that was seen.
pub(super) fn remove(seen: &Seen) -> Result<(), String> {
    unchanged(seen)?;
    fs::remove_file(&seen.real).map_err(|e| told("it cannot be removed", &e))
}
