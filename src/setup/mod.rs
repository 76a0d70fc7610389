//! How hosts are connected to this program: what stands in their settings, and how it gets there.
//!
//! [`found`] reads. [`plan`] tells what a file would become, and [`apply`] writes it. Everything is driven by [`crate::host::setup::Setup`].

pub mod apply;
pub mod diff;
mod files;
pub mod git;
mod json;
mod judge;
mod node;
mod place;
pub mod plan;
pub mod record;
mod toml;
mod want;
mod words;

pub use place::{Around, Program, reads_comments};
pub use words::split;

use crate::host::Host;
use crate::host::setup::{Owner, Setup};
use files::Seen;
use json::Taste;
use std::path::{Path, PathBuf};

/// For whom a settings file holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Scope {
    /// All projects of a user.
    User,
    /// One checkout.
    Project,
}

impl Scope {
    /// As the option and the messages name it.
    pub fn word(self) -> &'static str {
        match self {
            Scope::User => "user",
            Scope::Project => "project",
        }
    }
}

/// What one settings file says about us.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    /// The host's name.
    pub host: &'static str,
    /// For whom the file holds.
    pub scope: Scope,
    /// The file, as the host names it; it may be a link, or missing.
    pub file: PathBuf,
    /// In which state our entries are.
    pub state: Status,
    /// Our entries, in the order of the file; none for files that are ours alone and no JSON.
    pub entries: Vec<Entry>,
}

/// In which state our entries are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Status {
    /// There is no such file.
    NoFile,
    /// The file is sound and holds nothing of ours.
    Missing,
    /// All that is wanted stands there, with this program.
    Right,
    /// Entries of ours that are not as wanted: the first reason. An install mends them.
    Outdated(String),
    /// The host would not run the hooks of this file, or we cannot read it: why.
    Broken(String),
    /// A file that should be ours alone holds something else.
    Foreign,
}

impl Status {
    /// Whether something of ours is there, right or not.
    pub fn connected(&self) -> bool {
        matches!(self, Status::Right | Status::Outdated(_))
    }
}

/// One entry of ours.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// Where it stands: `hooks.PreToolUse[0].hooks[0]`.
    pub place: String,
    /// The event as the host names it.
    pub event: String,
    /// Which tools it is for, if it says so.
    pub matcher: Option<String>,
    /// The line that a shell runs; `None` where the program is started without a shell.
    pub line: Option<String>,
    /// The words that are started.
    pub argv: Vec<String>,
    /// The number of `timeout` or `timeoutSec`, in the unit of the host.
    pub timeout: Option<u64>,
}

/// What the settings files of `host` say about us in `scope`: one answer a file, the usual file
/// first; none where there is no home or no checkout. Reads and changes nothing.
pub fn found(host: &'static Host, scope: Scope, around: &Around) -> Vec<Found> {
    let files = around.files(host, scope);
    files
        .into_iter()
        .map(|file| look(host, scope, file, around))
        .collect()
}

fn look(host: &'static Host, scope: Scope, file: PathBuf, around: &Around) -> Found {
    let mut entries = Vec::new();
    let state = match (&host.setup, files::see(&file)) {
        (None, _) => Status::Missing,
        (_, Err(why)) => Status::Broken(why),
        (Some(_), Ok(Seen { bytes: None, .. })) => Status::NoFile,
        (Some(setup), Ok(seen)) => {
            status(host, setup, &file, &seen, around, &mut entries).unwrap_or_else(Status::Broken)
        }
    };
    Found {
        host: host.name,
        scope,
        file,
        state,
        entries,
    }
}

fn status(
    host: &Host,
    setup: &Setup,
    file: &Path,
    seen: &Seen,
    around: &Around,
    entries: &mut Vec<Entry>,
) -> Result<Status, String> {
    let program = around.program.as_ref().map_err(Clone::clone)?;
    let text = seen.text()?;
    if setup.owner == Owner::Ours {
        let root = tree(file, text, Taste::LOOSE).ok().flatten();
        entries.extend(root.iter().flat_map(judge::entries));
        return Ok(if text == setup.filled(&program.path) {
            Status::Right
        } else if want::is_of(setup, text) {
            Status::Outdated("it names another program".to_owned())
        } else {
            Status::Foreign
        });
    }
    let loose = tree(file, text, Taste::LOOSE)?;
    entries.extend(loose.iter().flat_map(judge::entries));
    let Some(root) = sound(host, setup, file, text)? else {
        return Ok(Status::Missing);
    };
    if entries.is_empty() {
        return Ok(Status::Missing);
    }
    let want = want::Want::of(setup, &program.path)?;
    let same = |path: &str| place::same_file(Path::new(path), Path::new(&program.path));
    let wanted = judge::next(&root, &want, &same);
    Ok(wanted.map_or(Status::Right, |step| Status::Outdated(step.why)))
}

/// The tree of a settings file, to look at; `None` where it holds no value.
fn tree(file: &Path, text: &str, taste: Taste) -> Result<Option<node::Node>, String> {
    let root = if is_toml(file) {
        toml::read(text).map(|toml| Some(toml.root))
    } else {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        json::read(text, taste).map(|json| json.map(|json| json.root))
    };
    let language = if is_toml(file) { "TOML" } else { "JSON" };
    root.map_err(|why| format!("it is not valid {language}: {why}"))
}

fn is_toml(file: &Path) -> bool {
    file.extension().is_some_and(|end| end == "toml")
}

/// The tree, where the host would run the hooks in it; `Err` says why it would not.
fn sound(
    host: &Host,
    setup: &Setup,
    file: &Path,
    text: &str,
) -> Result<Option<node::Node>, String> {
    if !is_toml(file) && text.starts_with('\u{feff}') {
        return Err(format!(
            "it starts with a byte order mark, which {} does not take: save it without one",
            setup.title
        ));
    }
    let taste = Taste {
        comments: place::reads_comments(host),
        trailing_commas: false,
    };
    if text.trim().is_empty() {
        return Ok(None);
    }
    let root = tree(file, text, taste).map_err(|why| match tree(file, text, Taste::LOOSE) {
        Ok(_) => format!("{why}, and {} then drops the whole file", setup.title),
        Err(_) => why,
    })?;
    let nested = want::Want::of(setup, "leaseguard")?.nested();
    match root {
        None => Err("it holds comments and no value".to_owned()),
        Some(root) => judge::unsound(&root, nested, is_toml(file)).map_or(Ok(Some(root)), Err),
    }
}
