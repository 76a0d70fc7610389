//! What a pathspec names before anything is looked up: one path, a pattern, or everything.

use crate::action::Reach;
use crate::action::options::owned;
use crate::shell::{Opaque, Word};

/// A pathspec's kind, by its spelling alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shape<'a> {
    /// The whole tree, or all of it below (or above) the directory: `.`, `:/`, `*`, `..`.
    Whole,
    /// All but something: `:!x`.
    Exclude,
    /// A pattern: any glob character, also a quoted one.
    Pattern(&'a str),
    /// One path, which may be a directory.
    Path(&'a str),
}

/// Reads the spelling of a pathspec; `literal` is git's `--literal-pathspecs`.
pub fn shape(text: &str, literal: bool) -> Shape<'_> {
    if literal {
        return path(text);
    }
    let Some(magic) = text.strip_prefix(':') else {
        return pattern(text);
    };
    if let Some((words, rest)) = magic.strip_prefix('(').and_then(|m| m.split_once(')')) {
        let has = |wanted: &str| words.split(',').any(|w| w.starts_with(wanted));
        return if has("exclude") {
            Shape::Exclude
        } else if has("literal") {
            path(rest)
        } else if rest.is_empty() {
            Shape::Whole
        } else if has("glob") || has("icase") || has("attr") {
            match pattern(rest) {
                Shape::Whole => Shape::Whole,
                _ => Shape::Pattern(rest),
            }
        } else {
            pattern(rest)
        };
    }
    let rest = magic.trim_start_matches(['/', '!', '^']);
    let signs = magic.strip_suffix(rest).unwrap_or_default();
    if signs.contains(['!', '^']) {
        return Shape::Exclude;
    }
    pattern(rest.strip_prefix(':').unwrap_or(rest))
}

fn pattern(text: &str) -> Shape<'_> {
    if !text.contains(['*', '?', '[', '\\']) {
        return path(text);
    }
    if text.chars().all(|c| matches!(c, '*' | '/' | '.')) && !text.starts_with(".*") {
        return Shape::Whole;
    }
    Shape::Pattern(text)
}

/// A path that ends where it began, or above, is the whole tree.
fn path(text: &str) -> Shape<'_> {
    let mut depth = 0_usize;
    for part in text.split('/') {
        match part {
            "" | "." => {}
            ".." => depth = depth.saturating_sub(1),
            _ => depth = depth.saturating_add(1),
        }
    }
    if depth == 0 {
        Shape::Whole
    } else {
        Shape::Path(text)
    }
}

/// How much of a checkout `paths` reach; none at all is everything.
pub(super) fn reach(paths: &[&Word], literal: bool) -> Reach {
    let shapes = paths.iter().map(|word| shape(&word.text, literal));
    let mut only_excludes = true;
    for shape in shapes {
        match shape {
            Shape::Whole => return Reach::Tree,
            Shape::Exclude => {}
            _ => only_excludes = false,
        }
    }
    if only_excludes {
        return Reach::Tree;
    }
    Reach::Paths(owned(paths))
}

/// Whether `paths` are the directory that the command runs in, and nothing else.
pub(super) fn is_here(paths: &[&Word]) -> bool {
    matches!(paths, [one] if matches!(one.known(), Some("." | "./")))
}

/// Whether a word can only be a pathspec, never a branch or commit.
pub(super) fn is_surely_path(word: &Word) -> bool {
    let text = word.text.as_str();
    word.opaque == Opaque::No
        && (text.starts_with(['.', '/', ':'])
            || text.ends_with('/')
            || text.contains(['*', '?', '[', '\\'])
            || text.split('/').any(|part| part == ".."))
}

/// Whether a word can only be a commit, never a path: `HEAD`, `@~2`, `HEAD^`.
pub(super) fn is_surely_commit(word: &Word) -> bool {
    let text = word.text.as_str();
    let rest = text.strip_prefix("HEAD").or_else(|| text.strip_prefix('@'));
    word.opaque == Opaque::No
        && (text == "-"
            || rest.is_some_and(|r| r.is_empty() || r.starts_with(['~', '^', '@', '{'])))
}

#[cfg(test)]
mod tests {
    use super::{Shape, shape};

    #[test]
    fn a_spelling_that_means_everything_is_whole() {
        for text in [
            ".",
            "./",
            "..",
            "src/..",
            "./src/../.",
            ":",
            ":/",
            ":(top)",
            "*",
            "**",
            "**/*",
            "/",
            ":(top,glob)**",
            ":/.",
            ":(glob)*",
        ] {
            assert_eq!(shape(text, false), Shape::Whole, "{text}");
        }
    }

    #[test]
    fn excludes_patterns_and_paths_are_told_apart() {
        for text in [":!a", ":^a", ":(exclude)a", ":/!a", ":(top,exclude)a"] {
            assert_eq!(shape(text, false), Shape::Exclude, "{text}");
        }
        for text in [
            "*.rs",
            "[x].txt",
            "a.tx?",
            "\\[x\\]",
            "src/**",
            ":(icase)A",
            ":/*.rs",
        ] {
            assert!(matches!(shape(text, false), Shape::Pattern(_)), "{text}");
        }
        for (text, path) in [
            ("a", "a"),
            ("../a", "../a"),
            (":/a", "a"),
            (":(literal)*", "*"),
            (":(prefix:0)a", "a"),
        ] {
            assert_eq!(shape(text, false), Shape::Path(path), "{text}");
        }
        assert_eq!(shape("*", true), Shape::Path("*"));
        assert_eq!(shape(":/", true), Shape::Path(":/"));
        assert_eq!(shape(".", true), Shape::Whole);
    }
}
