//! Remotes of the old kind: `.git/remotes/NAME` and `.git/branches/NAME`, read as git still reads them.

use super::config::Value;
use super::repo::{pointer, under};
use super::settings::{Change, Scope};
use super::spot::Spot;
use std::rc::Rc;

/// A remote that config does not know.
pub(super) struct Old {
    lines: Vec<(&'static str, String)>,
    /// The local branch that follows every push to it.
    pub(super) follows: Option<String>,
}

/// The remote `name` of the old kind, where there is one and config gives it no URL.
pub(super) fn find(spot: &Spot<'_>, name: &str) -> Option<Old> {
    let given = spot.settings.last(&["remote.", name, ".url"].concat());
    let path = name.contains(['/', ':', '\0']) || name.starts_with('.');
    if path || !matches!(given, Ok(None)) {
        return None;
    }
    let repo = spot.repo.as_ref().ok().filter(|repo| !repo.made)?;
    let read = |kind: &str| {
        let file = under(&repo.common, &[kind, "/", name].concat());
        let written = spot.alternative.written.contains(&file);
        pointer(&file).filter(|_| !written)
    };
    let remotes = read("remotes").map(|text| remotes(&text));
    remotes
        .filter(|old| old.lines.iter().any(|(key, _)| *key == "url"))
        .or_else(|| branches(&read("branches")?, name))
}

/// `URL:`, `Push:` and `Pull:` lines.
fn remotes(text: &str) -> Old {
    let mut lines = Vec::new();
    for line in text.lines() {
        for (head, key) in [("URL:", "url"), ("Push:", "push")] {
            if let Some(value) = line.strip_prefix(head) {
                lines.push((key, value.trim().to_owned()));
            }
        }
    }
    Old {
        lines,
        follows: None,
    }
}

/// `URL#BRANCH`: `HEAD` goes to that branch. Without `#` the name depends on how git was built.
fn branches(text: &str, name: &str) -> Option<Old> {
    let (url, branch) = text.lines().next()?.trim().split_once('#')?;
    Some(Old {
        lines: vec![
            ("url", url.to_owned()),
            ("push", ["HEAD:refs/heads/", branch].concat()),
        ],
        follows: Some(["refs/heads/", name].concat()),
    })
}

impl Old {
    /// `spot` as if config named this remote.
    pub(super) fn named<'a>(&self, spot: &Spot<'a>, name: &str) -> Spot<'a> {
        let mut settings = (*spot.settings).clone();
        for (key, value) in &self.lines {
            let key = ["remote.", name, ".", key].concat();
            let value = Value::Text(value.as_str().into());
            settings.change(&Change::Add(Scope::Local, key, value));
        }
        Spot {
            alternative: spot.alternative,
            repo: spot.repo.clone(),
            settings: Rc::new(settings),
        }
    }
}
