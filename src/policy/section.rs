//! Which `[[repo]]` sections of a person's policy speak of this repository.

use super::glob::glob_matches;
use super::places::Places;
use super::read::Part;
use std::path::Path;

/// How far a section holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Match {
    /// Not at all.
    No,
    /// Where it tightens: not every remote of the repository is meant, and a remote is added fast.
    Tightens,
    /// Wholly.
    Yes,
}

/// Matches the sections of one file, and asks for the remotes at most once.
pub(super) struct Matcher<'a> {
    places: &'a Places<'a>,
    remotes: Option<Vec<String>>,
}

impl<'a> Matcher<'a> {
    pub(super) fn new(places: &'a Places<'a>) -> Matcher<'a> {
        Matcher {
            places,
            remotes: None,
        }
    }

    /// How far `section` holds here.
    pub(super) fn of(&mut self, section: &Part) -> Match {
        if section.path.as_deref().is_some_and(|glob| !self.path(glob)) {
            return Match::No;
        }
        match section.remote.as_deref() {
            Some(glob) => self.remote(glob),
            None if section.path.is_some() => Match::Yes,
            None => Match::No,
        }
    }

    fn path(&self, glob: &str) -> bool {
        let home = self.places.home.map(Path::to_string_lossy);
        let expanded = match (glob.strip_prefix("~/"), home) {
            (Some(rest), Some(home)) => Some(format!("{}/{rest}", home.trim_end_matches('/'))),
            _ => None,
        };
        let glob = expanded.as_deref().unwrap_or(glob);
        let glob = glob.strip_suffix('/').unwrap_or(glob);
        [self.places.repo_path, self.places.main_path]
            .into_iter()
            .flatten()
            .any(|path| glob_matches(glob, &path.to_string_lossy()))
    }

    fn remote(&mut self, glob: &str) -> Match {
        let remotes = self.remotes.get_or_insert_with(|| (self.places.remotes)());
        let meant = |url: &&String| glob_matches(glob, url) || glob_matches(glob, &plain(url));
        match remotes.iter().filter(meant).count() {
            0 => Match::No,
            n if n == remotes.len() => Match::Yes,
            _ => Match::Tightens,
        }
    }
}

/// `git@github.com:a/b.git` and `https://github.com/a/b` as `github.com/a/b`.
fn plain(url: &str) -> String {
    let (scheme, rest) = url
        .split_once("://")
        .map_or((false, url), |(_, rest)| (true, rest));
    let (host, path) = rest.split_once('/').unwrap_or((rest, ""));
    let host = host.rsplit_once('@').map_or(host, |(_, host)| host);
    let path = path.strip_suffix('/').unwrap_or(path);
    let path = path.strip_suffix(".git").unwrap_or(path);
    match (scheme, host.split_once(':')) {
        // `host:a/b` is a path behind a colon, `ssh://host:22/a/b` has a port.
        (false, Some((host, first))) => {
            let first = if path.is_empty() {
                first.strip_suffix(".git").unwrap_or(first)
            } else {
                first
            };
            let parts: Vec<&str> = [host, first, path]
                .into_iter()
                .filter(|p| !p.is_empty())
                .collect();
            parts.join("/")
        }
        (_, Some((host, _))) => format!("{host}/{path}"),
        (_, None) => format!("{host}/{path}"),
    }
}
