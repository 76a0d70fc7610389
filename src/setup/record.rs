//! What we wrote where: kept in the state directory, so that an uninstall gives every byte back.

use super::Scope;
use super::judge::Added;
use crate::state::key::Key;
use crate::state::{State, Trouble};
use std::path::{Path, PathBuf};

const FOLDER: &str = "setup";

/// One settings file that we changed.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Record {
    v: u8,
    /// The host's name.
    pub host: String,
    /// For whom the file holds.
    pub scope: Scope,
    /// The file itself, behind links.
    pub file: PathBuf,
    /// There was no such file before.
    pub missing: bool,
    /// Directories that were made for it, the outermost first.
    pub dirs: Vec<PathBuf>,
    /// The hash of what we wrote last.
    pub wrote: String,
    /// Nobody else changed the file between our writes, so that the first content is the one to
    /// give back.
    pub exact: bool,
    pub(super) added: Added,
}

/// The hash of a file's content.
pub(super) fn hash(bytes: &[u8]) -> String {
    Key::new("content").with(bytes).hex()
}

fn key(file: &Path) -> String {
    Key::new("setup")
        .with(file.as_os_str().as_encoded_bytes())
        .hex()
}

impl Record {
    /// The record of a file that nothing is known of yet.
    pub(super) fn new(host: &str, scope: Scope, file: &Path) -> Record {
        Record {
            v: 1,
            host: host.to_owned(),
            scope,
            file: file.to_owned(),
            missing: false,
            dirs: Vec::new(),
            wrote: String::new(),
            exact: true,
            added: Added::default(),
        }
    }

    /// The record of `file`, if there is one.
    pub fn load(state: &State, file: &Path) -> Result<Option<Record>, Trouble> {
        read(state, &format!("{}.json", key(file)))
    }

    /// All records.
    pub fn all(state: &State) -> Result<Vec<Record>, Trouble> {
        let mut names = state.names(FOLDER)?;
        names.sort();
        let records = names.iter().filter(|name| name.ends_with(".json"));
        records
            .filter_map(|name| read(state, name).transpose())
            .collect()
    }

    /// The first content of the file; `None` where there was no file.
    pub fn original(&self, state: &State) -> Result<Option<Vec<u8>>, Trouble> {
        let path = state
            .dir()
            .join(FOLDER)
            .join(format!("{}.original", key(&self.file)));
        match std::fs::read(&path) {
            Ok(bytes) => Ok(Some(bytes)),
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => Ok(None),
            Err(e) => Err(Trouble::at("read", &path, &e)),
        }
    }

    pub(super) fn save(&self, state: &State) -> Result<(), Trouble> {
        let text = serde_json::to_string(self).map_err(|_| {
            Trouble(format!(
                "the path `{}` is not valid UTF-8",
                self.file.display()
            ))
        })?;
        state.write(
            FOLDER,
            &format!("{}.json", key(&self.file)),
            text.as_bytes(),
        )
    }

    pub(super) fn keep(&self, state: &State, original: Option<&[u8]>) -> Result<(), Trouble> {
        let name = format!("{}.original", key(&self.file));
        match original {
            Some(bytes) => state.write(FOLDER, &name, bytes),
            None => state.consume(FOLDER, &name).map(|_| ()),
        }
    }

    pub(super) fn forget(&self, state: &State) -> Result<(), Trouble> {
        state.consume(FOLDER, &format!("{}.json", key(&self.file)))?;
        state.consume(FOLDER, &format!("{}.original", key(&self.file)))?;
        Ok(())
    }
}

fn read(state: &State, name: &str) -> Result<Option<Record>, Trouble> {
    let Some(text) = state.read(FOLDER, name)? else {
        return Ok(None);
    };
    serde_json::from_str(&text).map(Some).map_err(|_| {
        Trouble(format!(
            "`{}` is damaged: remove it, and take our entries out by hand",
            state.dir().join(FOLDER).join(name).display()
        ))
    })
}
