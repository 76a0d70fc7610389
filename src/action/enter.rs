//! Tools with which a host moves its session into a worktree.

use super::{Act, Action, Place};
use crate::shell::{Span, Word};
use serde::Deserialize;
use std::borrow::Cow;
use std::path::Path;

/// What such a tool takes.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Input<'a> {
    #[serde(borrow)]
    name: Option<Cow<'a, str>>,
    #[serde(borrow)]
    path: Option<Cow<'a, str>>,
}

/// Where Claude Code keeps the worktrees that it makes, below the checkout.
const FOLDER: &str = ".claude/worktrees";

/// The worktree that a tool of the host itself goes into, as a program that runs there; `cwd` is
/// where the session is now.
pub fn worktree(server: &str, tool: &str, input: &str, cwd: Option<&Path>) -> Option<Action> {
    if !server.is_empty() || tool != "EnterWorktree" {
        return None;
    }
    let input: Input<'_> = serde_json::from_str(input).unwrap_or_default();
    let dir = match (&input.path, &input.name) {
        (Some(path), _) => cwd?.join(&**path),
        (None, Some(name)) => cwd?.join(FOLDER).join(&**name),
        // It makes a new one.
        (None, None) => return None,
    };
    Some(Action {
        act: Act::Run {
            program: Word {
                text: tool.to_owned(),
                ..Word::default()
            },
        },
        place: Place {
            dir: Some(dir),
            ..Place::default()
        },
        span: Span::default(),
        shown: tool.to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_worktree_is_named_or_given_by_its_path() {
        let dir = |input: &str| {
            let found = worktree("", "EnterWorktree", input, Some(Path::new("/r")));
            found.and_then(|action| action.place.dir)
        };
        assert_eq!(
            dir(r#"{"name":"a"}"#).as_deref(),
            Some(Path::new("/r/.claude/worktrees/a"))
        );
        assert_eq!(dir(r#"{"path":"/w"}"#).as_deref(), Some(Path::new("/w")));
        assert_eq!(dir("{}"), None);
        assert!(worktree("x", "EnterWorktree", "{}", None).is_none());
    }
}
