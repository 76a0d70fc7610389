//! Files that a call names: scripts that it runs, paths that it stages.

use super::PathKind;
use crate::action::Place;
use crate::shell::{Source, Word};
use std::fs;
use std::io::Read;
use std::path::Path;

/// Longest script that is read.
const SCRIPT_MAX: u64 = 64 * 1024;

/// How much of a file tells whether it is text.
const SNIFF: usize = 512;

/// Opens a regular file. What it is is looked at first: opening a pipe would wait for its writer,
/// and a host runs the tool when its hook does not answer.
pub(super) fn open(path: &Path) -> std::io::Result<(fs::File, fs::Metadata)> {
    let meta = fs::metadata(path)?;
    if !meta.is_file() {
        return Err(std::io::Error::new(
            std::io::ErrorKind::InvalidInput,
            "no regular file",
        ));
    }
    Ok((fs::File::open(path)?, meta))
}

/// The script at `path`; `executed` is true for `./f`, false for `bash f` and `. f`.
pub(super) fn script(path: &Path, executed: bool) -> Source {
    // The type is looked at before the file is opened: opening a pipe would wait for its writer.
    let Ok(meta) = fs::metadata(path) else {
        return match fs::symlink_metadata(path) {
            Err(e) if e.kind() == std::io::ErrorKind::PermissionDenied => Source::Unreadable,
            _ => Source::None,
        };
    };
    if meta.is_dir() {
        return Source::None;
    }
    if !meta.is_file() {
        return Source::Unreadable;
    }
    let Ok(file) = fs::File::open(path) else {
        return Source::Unreadable;
    };
    let mut bytes = Vec::new();
    if file.take(SCRIPT_MAX + 1).read_to_end(&mut bytes).is_err() {
        return Source::Unreadable;
    }
    if bytes.iter().take(SNIFF).any(|b| *b == 0) {
        return Source::None;
    }
    // A shell that is told to read a file takes its first line for a comment.
    if executed && !is_shell(&bytes) {
        return Source::None;
    }
    if bytes.len() as u64 > SCRIPT_MAX {
        return Source::Unreadable;
    }
    Source::Shell(String::from_utf8_lossy(&bytes).into_owned())
}

/// No `#!` at all, or one that names a shell.
fn is_shell(bytes: &[u8]) -> bool {
    let Some(line) = bytes.strip_prefix(b"#!") else {
        return true;
    };
    let end = line.iter().position(|b| *b == b'\n').unwrap_or(line.len());
    let line = String::from_utf8_lossy(line.get(..end).unwrap_or_default());
    let mut words = line.split_ascii_whitespace();
    let Some(program) = words.next() else {
        return true;
    };
    let mut name = crate::action::basename(program);
    if name == "env" {
        let skipped = |w: &&str| !w.starts_with('-') && !w.contains('=');
        name = crate::action::basename(words.find(skipped).unwrap_or_default());
    }
    matches!(
        name,
        "sh" | "bash" | "dash" | "zsh" | "ksh" | "ash" | "mksh" | "busybox"
    )
}

/// The base name of the program that the link at `path` leads to in the end.
pub(super) fn program(path: &Path) -> Option<String> {
    if !fs::symlink_metadata(path).ok()?.is_symlink() {
        return None;
    }
    let target = fs::canonicalize(path).ok()?;
    Some(crate::action::basename(target.to_str()?).to_owned())
}

/// What the working tree has at `path`.
pub(super) fn path_kind(place: &Place, path: &Word) -> PathKind {
    let (Some(dir), Some(text)) = (&place.dir, path.known()) else {
        return PathKind::Unknown;
    };
    if text.is_empty() || (text.starts_with(':') && !place.literal_pathspecs) {
        return PathKind::Unknown;
    }
    match fs::symlink_metadata(dir.join(text)) {
        Ok(meta) if meta.is_dir() => PathKind::Dir,
        Ok(_) => PathKind::File,
        Err(e) => match e.kind() {
            std::io::ErrorKind::NotFound | std::io::ErrorKind::NotADirectory => PathKind::Missing,
            _ => PathKind::Unknown,
        },
    }
}
