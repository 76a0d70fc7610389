//! The disk side of policies: the only file here that touches it.
#![allow(
    clippy::disallowed_methods,
    reason = "reading and writing policy files is what it is for"
)]

use super::places::Places;
use super::trust;
use std::fmt;
use std::fs::{self, File, Metadata};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

/// Larger policies are not read.
const MOST_BYTES: u64 = 256 << 10;

/// A file by what it is and where it is, for messages.
#[derive(Debug, Clone, Copy)]
pub(super) struct Name<'a> {
    pub(super) what: &'static str,
    pub(super) path: &'a Path,
}

impl fmt::Display for Name<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} `{}`", self.what, self.path.display())
    }
}

/// What a file turned out to be.
#[derive(Debug, Clone)]
pub(super) enum Source<'a> {
    /// Not there.
    Missing,
    /// There, but not to be read; why.
    Broken(String),
    /// Read.
    Text {
        /// Which file it was.
        name: Name<'a>,
        /// What stands in it.
        text: String,
        /// Why it may only tighten all the same.
        doubt: Option<&'static str>,
    },
}

/// The sources of all layers.
#[derive(Debug)]
pub(super) struct Found<'a> {
    pub(super) managed: Source<'a>,
    pub(super) user: Source<'a>,
    pub(super) project: Source<'a>,
    /// The project's policy as a person trusted it last.
    pub(super) trusted: Source<'a>,
}

/// How a file's mode and owner are looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Care {
    /// Others must not be able to write it.
    Private,
    /// The checkout decides on modes: it only tightens until it is trusted anyway.
    Shared,
}

/// Reads every file that there is at `places`.
pub(super) fn read<'a>(places: &Places<'a>) -> Found<'a> {
    let own = |path: Option<&'a Path>, what| match path {
        Some(path) => source(Name { what, path }, Care::Private),
        None => Source::Missing,
    };
    let project = match places.project_file {
        Some(path) => {
            let name = Name {
                what: "project policy",
                path,
            };
            source(name, Care::Shared)
        }
        None => Source::Missing,
    };
    Found {
        managed: own(places.managed_file, "managed policy"),
        user: own(places.user_file, "user policy"),
        project,
        trusted: trusted(places),
    }
}

fn trusted<'a>(places: &Places<'a>) -> Source<'a> {
    let (Some(state), Some(repo)) = (places.state_dir, places.identity()) else {
        return Source::Missing;
    };
    let record = trust::record_path(state, repo);
    let name = Name {
        what: "trust record",
        path: &record,
    };
    match source(name, Care::Private) {
        Source::Missing => Source::Missing,
        Source::Broken(what) => Source::Broken(what),
        Source::Text { text, doubt, .. } => match trust::decode(text, repo) {
            Ok(Some(text)) => {
                let name = Name {
                    what: "trusted policy of",
                    path: repo,
                };
                Source::Text { name, text, doubt }
            }
            Ok(None) => Source::Missing,
            Err(why) => Source::Broken(format!("{name} {why}")),
        },
    }
}

/// Reads one file. A link may not lead out of its directory.
fn source<'a>(name: Name<'a>, care: Care) -> Source<'a> {
    match examined(name.path, care) {
        Ok((text, doubt)) => Source::Text { name, text, doubt },
        Err(Refusal::Missing) => Source::Missing,
        Err(Refusal::Because(why)) => Source::Broken(format!("{name} {why}, so it is left out")),
    }
}

enum Refusal {
    Missing,
    Because(String),
}

impl From<io::Error> for Refusal {
    fn from(error: io::Error) -> Refusal {
        match error.kind() {
            io::ErrorKind::NotFound => Refusal::Missing,
            _ => Refusal::Because(format!("cannot be read ({error})")),
        }
    }
}

fn no(why: &str) -> Refusal {
    Refusal::Because(why.to_owned())
}

fn examined(path: &Path, care: Care) -> Result<(String, Option<&'static str>), Refusal> {
    let mut meta = fs::symlink_metadata(path)?;
    if meta.is_symlink() {
        let target = path
            .canonicalize()
            .map_err(|_| no("is a link to nothing"))?;
        let root = path.parent().and_then(|dir| dir.canonicalize().ok());
        if !root.is_some_and(|r| target.starts_with(r)) {
            return Err(no("is a link that leads elsewhere"));
        }
        meta = fs::metadata(path)?;
    }
    if meta.is_dir() {
        return Err(no("is a directory"));
    }
    // A pipe or a device could keep us waiting for ever.
    if !meta.is_file() {
        return Err(no("is no regular file"));
    }
    let too_large = || no("is larger than 256 KiB");
    if meta.len() > MOST_BYTES {
        return Err(too_large());
    }
    let room = usize::try_from(meta.len())
        .unwrap_or_default()
        .saturating_add(1);
    let mut bytes = vec![0; room];
    let mut file = File::open(path)?;
    let mut filled = 0;
    // A file that has grown since is read as far as it was promised, and refused.
    while let Some(rest) = bytes.get_mut(filled..).filter(|r| !r.is_empty()) {
        match file.read(rest)? {
            0 => break,
            n => filled += n,
        }
    }
    if filled == room {
        return Err(no("was written to while it was read"));
    }
    bytes.truncate(filled);
    let text = String::from_utf8(bytes).map_err(|_| no("is not UTF-8"))?;
    Ok((text, doubt(&meta, care)))
}

#[cfg(unix)]
fn doubt(meta: &Metadata, care: Care) -> Option<&'static str> {
    use std::os::unix::fs::MetadataExt;
    let me = rustix::process::geteuid().as_raw();
    if meta.uid() != me && meta.uid() != 0 {
        return Some("it belongs to another user, so it only tightens");
    }
    let by_all = care == Care::Private && meta.mode() & 0o002 != 0;
    by_all.then_some("everybody may write it, so it only tightens")
}

#[cfg(not(unix))]
fn doubt(_: &Metadata, _: Care) -> Option<&'static str> {
    None
}

/// Writes `text` to `path` so that it is there wholly or not at all, for nobody else to read.
pub(super) fn write(path: &Path, text: &str) -> io::Result<()> {
    let dir = path.parent().unwrap_or(Path::new("."));
    make_dir(dir)?;
    let mut part = path.as_os_str().to_owned();
    part.push(format!(".{}.part", std::process::id()));
    let part = PathBuf::from(part);
    let written = write_new(&part, text).and_then(|()| fs::rename(&part, path));
    if written.is_err() {
        // Nothing is lost when the leftover stays; the error that counts is the first one.
        let _ = fs::remove_file(&part);
    }
    written
}

/// Takes a file away; one that is not there is no error.
pub(super) fn remove(path: &Path) -> io::Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        other => other,
    }
}

fn make_dir(dir: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(dir)
}

fn write_new(path: &Path, text: &str) -> io::Result<()> {
    let mut options = fs::OpenOptions::new();
    options.write(true).create(true).truncate(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let mut file = options.open(path)?;
    file.write_all(text.as_bytes())?;
    file.sync_all()
}
