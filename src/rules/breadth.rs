//! How much a pathspec takes in: one named file, or more than it names.

use crate::action::Place;
use crate::shell::{Opaque, Word};
use crate::world::{Fact, PathKind, Presence, World};
use std::path::Path;

/// What a pathspec covers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Breadth {
    /// What it names and nothing else.
    Named,
    /// The whole tree, or all of it but something.
    Tree,
    /// A directory.
    Directory,
    /// Whatever matches a pattern.
    Pattern,
    /// Cannot be told here (the word itself is unknown).
    Unknown,
    /// A file or a directory: where it lies cannot be looked at.
    Unseen,
}

impl Breadth {
    /// As a phrase about the word.
    pub(super) fn phrase(self) -> &'static str {
        match self {
            Breadth::Named => "names one file",
            Breadth::Tree => "takes in the whole tree",
            Breadth::Directory => "is a directory",
            Breadth::Pattern => "is a pattern, and git expands it through all directories",
            Breadth::Unknown => "is not known before the run",
            Breadth::Unseen => "may be a directory: where it lies cannot be looked at",
        }
    }
}

/// How much `path` takes in at `place`.
pub(super) fn of(path: &Word, place: &Place, world: &World) -> Breadth {
    if path.opaque != Opaque::No {
        return Breadth::Unknown;
    }
    let text = path.text.as_str();
    if place.literal_pathspecs {
        return by_kind(path, place, world);
    }
    if let Some(magic) = text.strip_prefix(':') {
        return by_magic(magic, path, place, world);
    }
    if covers_tree(text) {
        return Breadth::Tree;
    }
    if path.glob || text.contains(['*', '?', '[']) {
        // git prefers a file of exactly that name.
        let exact = !path.glob && world.path_kind(place, path) == PathKind::File;
        return if exact {
            Breadth::Named
        } else {
            Breadth::Pattern
        };
    }
    by_kind(path, place, world)
}

fn covers_tree(text: &str) -> bool {
    let mut depth = 0usize;
    if text.is_empty() || text.starts_with('/') {
        return false;
    }
    for part in text.split('/') {
        match part {
            "" | "." => {}
            // Above the start: what comes behind it says whether that is all.
            ".." => depth = depth.saturating_sub(1),
            _ => depth += 1,
        }
    }
    depth == 0
}

fn by_kind(path: &Word, place: &Place, world: &World) -> Breadth {
    if covers_tree(&path.text) {
        return Breadth::Tree;
    }
    match world.path_kind(place, path) {
        PathKind::Dir if is_top(path, place, world) => Breadth::Tree,
        PathKind::Dir => Breadth::Directory,
        PathKind::Missing | PathKind::Unknown if path.text.ends_with('/') => Breadth::Directory,
        // Deleted from disk, and a directory to git all the same.
        PathKind::Missing => match world.tracks_below(place, path) {
            Fact::Known(false) => Breadth::Named,
            Fact::Known(true) => Breadth::Directory,
            Fact::Unknown(_) if last_has_ending(&path.text) => Breadth::Named,
            Fact::Unknown(_) => Breadth::Unseen,
        },
        // A name with an ending is a file's far more often than a directory's.
        PathKind::Unknown if !last_has_ending(&path.text) => Breadth::Unseen,
        PathKind::File | PathKind::Unknown => Breadth::Named,
    }
}

fn last_has_ending(path: &str) -> bool {
    path.rsplit('/')
        .next()
        .is_some_and(|name| name.contains('.'))
}

fn is_top(path: &Word, place: &Place, world: &World) -> bool {
    matches!(world.presence(place), Presence::Here(Some(top)) if top == Path::new(&path.text))
}

/// `:/x`, `:!x`, `:(top,glob)x`.
fn by_magic(magic: &str, path: &Word, place: &Place, world: &World) -> Breadth {
    let (words, rest) = match magic.strip_prefix('(').and_then(|m| m.split_once(')')) {
        Some((words, rest)) => (words.split(',').collect::<Vec<_>>(), rest),
        None => {
            let rest = magic.trim_start_matches(['/', '!', '^']);
            let short = magic.strip_suffix(rest).unwrap_or_default();
            let words = short
                .chars()
                .map(|c| if c == '/' { "top" } else { "exclude" })
                .collect();
            (words, rest)
        }
    };
    if words.contains(&"exclude") || rest.is_empty() {
        return Breadth::Tree;
    }
    if words
        .iter()
        .any(|w| w.starts_with("attr") || *w == "icase" || *w == "glob")
    {
        return Breadth::Pattern;
    }
    let literal = words.contains(&"literal");
    if !literal && (path.glob || rest.contains(['*', '?', '['])) {
        return Breadth::Pattern;
    }
    let mut word = Word {
        text: rest.to_owned(),
        glob: false,
        ..path.clone()
    };
    if words.contains(&"top") {
        match world.presence(place) {
            Presence::Here(Some(top)) => word.text = top.join(rest).to_string_lossy().into_owned(),
            _ => return Breadth::Directory,
        }
    }
    by_kind(&word, place, world)
}
