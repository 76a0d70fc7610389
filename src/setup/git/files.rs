//! Hook files on disk: looked at with their links, written whole, given their bits.

use super::steps::{Plan, Step};
use std::fs;
use std::io::{ErrorKind, Write};
use std::path::Path;
use std::process::{Command, Stdio};

/// A larger file is no hook script.
const MOST: u64 = 1024 * 1024;

/// A file as it was seen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Seen {
    Missing,
    Text(String),
    /// Something else: a program, a link, a directory.
    Other,
}

/// Looks at a hook file.
pub(super) fn see(file: &Path) -> Result<Seen, String> {
    let told = |e: std::io::Error| format!("`{}` cannot be read: {}", file.display(), e.kind());
    let found = match fs::symlink_metadata(file) {
        Ok(found) => found,
        Err(e) if matches!(e.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
            return Ok(Seen::Missing);
        }
        Err(e) => return Err(told(e)),
    };
    if !found.is_file() || found.len() > MOST {
        return Ok(Seen::Other);
    }
    let bytes = fs::read(file).map_err(told)?;
    Ok(String::from_utf8(bytes).map_or(Seen::Other, Seen::Text))
}

/// Does what was planned; `git` writes config.
pub fn apply(plan: &Plan, git: &Path) -> Result<(), String> {
    plan.steps.iter().try_for_each(|step| done(step, git))
}

fn done(step: &Step, git: &Path) -> Result<(), String> {
    match step {
        Step::Write(file, text, runs) => write(file, text, *runs)
            .map_err(|e| format!("`{}` cannot be written: {}", file.display(), e.kind())),
        Step::Rename(from, to) => fs::rename(from, to)
            .map_err(|e| format!("`{}` cannot be renamed: {}", from.display(), e.kind())),
        Step::Remove(file) => {
            fs::remove_file(file)
                .map_err(|e| format!("`{}` cannot be removed: {}", file.display(), e.kind()))?;
            // A folder that only we needed; one that holds anything stays.
            if let Some(dir) = file.parent()
                && dir.ends_with(super::FOLDER)
            {
                let _ = fs::remove_dir(dir);
            }
            Ok(())
        }
        Step::Set(file, key, value) => config(git, file, &[key, value]),
        Step::Unset(file, section) => config(git, file, &["--remove-section", section]),
    }
}

fn config(git: &Path, file: &Path, words: &[&str]) -> Result<(), String> {
    let told = Command::new(git)
        .args(["config", "--file"])
        .arg(file)
        .args(words)
        .stdin(Stdio::null())
        .output();
    let why = match told {
        Ok(told) if told.status.success() => return Ok(()),
        Ok(told) => String::from_utf8_lossy(&told.stderr).trim().to_owned(),
        Err(e) => e.kind().to_string(),
    };
    Err(format!("`{}` cannot be changed: {why}", file.display()))
}

fn write(file: &Path, text: &str, runs: bool) -> std::io::Result<()> {
    let dir = file.parent().unwrap_or(file);
    fs::create_dir_all(dir)?;
    let mut temp = file.as_os_str().to_owned();
    temp.push(format!(".leaseguard-{}", std::process::id()));
    let mut out = fs::File::create(&temp)?;
    let done = out
        .write_all(text.as_bytes())
        .and_then(|()| rights(&out, file, runs))
        .and_then(|()| out.sync_all())
        .and_then(|()| fs::rename(&temp, file));
    if done.is_err() {
        let _ = fs::remove_file(&temp);
    }
    done
}

#[cfg(unix)]
fn rights(out: &fs::File, file: &Path, runs: bool) -> std::io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    let old = fs::metadata(file).ok().map(|found| found.permissions());
    let fresh = fs::Permissions::from_mode(if runs { 0o755 } else { 0o644 });
    out.set_permissions(old.unwrap_or(fresh))
}

#[cfg(not(unix))]
fn rights(_: &fs::File, _: &Path, _: bool) -> std::io::Result<()> {
    Ok(())
}
