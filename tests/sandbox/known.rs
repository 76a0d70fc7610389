//! Which vectors are answered otherwise than git's deeds ask for, each with the reason.

use serde::Deserialize;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    known: Vec<Entry>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    /// `push` or `sequence`.
    set: String,
    /// What is told of it, as the tests call it.
    how: String,
    reason: String,
    ids: Vec<String>,
}

/// What a set of vectors shows, compared with `fixtures/vectors/known.toml` in both directions.
pub struct Ledger {
    listed: BTreeMap<(String, String), bool>,
    ids: BTreeSet<String>,
    wrong: Vec<String>,
}

impl Ledger {
    pub fn of(set: &str) -> Ledger {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/vectors/known.toml");
        let text = std::fs::read_to_string(path).unwrap();
        let file: File = toml::from_str(&text).unwrap();
        let mut listed = BTreeMap::new();
        for entry in file.known.into_iter().filter(|e| e.set == set) {
            assert!(!entry.reason.is_empty(), "an entry without a reason");
            for id in entry.ids {
                let twice = listed.insert((entry.how.clone(), id.clone()), false);
                assert!(twice.is_none(), "{id} is listed twice as {}", entry.how);
            }
        }
        Ledger {
            listed,
            ids: BTreeSet::new(),
            wrong: Vec::new(),
        }
    }

    /// Whether `id` is known to differ in one of these ways.
    pub fn lists(&self, id: &str, hows: &[&str]) -> bool {
        let of = |how: &&str| {
            self.listed
                .contains_key(&((*how).to_owned(), id.to_owned()))
        };
        hows.iter().any(of)
    }

    /// `id` was looked at.
    pub fn saw(&mut self, id: &str) {
        self.ids.insert(id.to_owned());
    }

    /// `id` is answered otherwise, in the way `how`.
    pub fn differs(&mut self, how: &str, id: &str, told: impl FnOnce() -> String) {
        match self.listed.get_mut(&(how.to_owned(), id.to_owned())) {
            Some(seen) => *seen = true,
            None => self.wrong.push(format!("{how}: {id}: {}", told())),
        }
    }

    /// Fails where something differs that is not listed, or is listed and does not differ.
    pub fn end(mut self) -> usize {
        for ((how, id), seen) in &self.listed {
            if !seen {
                self.wrong.push(format!("{how}: {id} is listed, but right"));
            }
        }
        self.wrong.sort_unstable();
        assert!(
            self.wrong.is_empty(),
            "{}\n{} wrong",
            self.wrong.join("\n"),
            self.wrong.len()
        );
        self.ids.len()
    }
}
