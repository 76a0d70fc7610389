//! How strictly claims are kept in one repository, as a person has set it.

use crate::state::time::Moment;
use crate::state::{State, Trouble};
use serde::{Deserialize, Serialize};

/// The file below a repository's folder.
const FILE: &str = "mode.json";

/// How strictly.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Strictness {
    /// Only what another live owner has is kept from others.
    #[default]
    Live,
    /// Besides, the main checkout is for landing, and writing needs a claim (D2).
    Strict,
}

impl Strictness {
    /// The word for it.
    pub fn word(self) -> &'static str {
        match self {
            Strictness::Live => "live",
            Strictness::Strict => "strict",
        }
    }
}

/// What is written.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Setting {
    /// The mode.
    pub mode: Strictness,
    /// Since when.
    pub since: Moment,
}

/// The mode of a repository; `None` where nobody has set one. A file that cannot be read is
/// trouble, and whoever asks takes the stricter answer.
pub fn read(state: &State, repo: &str) -> Result<Option<Setting>, Trouble> {
    let folder = ["v1/", repo].concat();
    let Some(text) = state.read(&folder, FILE)? else {
        return Ok(None);
    };
    let setting = serde_json::from_str(&text);
    setting.map(Some).map_err(|e| {
        Trouble(format!(
            "`{}` cannot be read: {e}",
            state.dir().join(folder).join(FILE).display()
        ))
    })
}

/// Sets the mode of a repository.
pub fn write(state: &State, repo: &str, mode: Strictness, now: Moment) -> Result<(), Trouble> {
    let bytes = serde_json::to_vec(&Setting { mode, since: now }).unwrap_or_default();
    state.write(&format!("v1/{repo}"), FILE, &bytes)
}
