//! Denies unsigned commits, tags and pushes where this repository signs them.

use super::{Found, Instead, Rule};
use crate::action::{Act, Action, Place};
use crate::policy::Policy;
use crate::verdict::Decision;
use crate::world::{Fact, World};

pub(super) const RULE: Rule = Rule {
    id: "git/skip-signing",
    decision: Decision::Deny,
    stops: "leaving out signatures where config asks for them: `--no-gpg-sign`, `-c commit.gpgsign=false`",
    why: "an unsigned commit fails the checks that signing is there for, and history cannot be mended without force",
    instead: "run the same command signed; where the key cannot be reached, a person has to help",
    check,
};

/// What is left unsigned, by a part of its spelling, and the keys that ask for that signature.
const KEYS: &[(&str, &[&str])] = &[
    ("--no-gpg", &["commit.gpgsign"]),
    ("commit.gpgsign", &["commit.gpgsign"]),
    ("signed", &["push.gpgsign"]),
    ("push.gpgsign", &["push.gpgsign"]),
    ("--no-sign", &["tag.gpgsign", "tag.forcesignannotated"]),
    ("tag.", &["tag.gpgsign", "tag.forcesignannotated"]),
];

/// All of them, for a spelling that names none.
const ALL_KEYS: &[&str] = &[
    "commit.gpgsign",
    "tag.gpgsign",
    "tag.forcesignannotated",
    "push.gpgsign",
];

fn check(action: &Action, world: &World, _: &Policy) -> Vec<Found> {
    let Act::SkipSigning(how) = &action.act else {
        return Vec::new();
    };
    // What the repository asks for, without what this command says.
    let place = Place {
        config: Vec::new(),
        ..action.place.clone()
    };
    let mut unknown = None;
    let typed = how.text.to_ascii_lowercase();
    let keys = KEYS.iter().find(|(part, _)| typed.contains(part));
    let keys = keys.map_or(ALL_KEYS, |(_, keys)| *keys);
    let signs = keys.iter().find(|key| match world.config(&place, key) {
        Fact::Known(Some(value)) => is_true(&value),
        Fact::Known(None) => false,
        Fact::Unknown(why) => {
            unknown = Some(why);
            false
        }
    });
    let found = Found::new("what should be signed would not be", how.span)
        .instead(Some(Instead::Without(how.span, how.text.clone())));
    match (signs, unknown) {
        (Some(key), _) => vec![found.because(format!(
            "`{key}` is set here and `{}` overrides it",
            how.text
        ))],
        (None, Some(why)) => vec![found.because(why).ask()],
        (None, None) => Vec::new(),
    }
}

fn is_true(value: &str) -> bool {
    !matches!(
        value.to_ascii_lowercase().as_str(),
        "" | "false" | "no" | "off" | "0"
    )
}
