//! The one table of keys, from which reader, messages, example, schema and docs are made.

use crate::verdict::Decision;

/// A rule that policies may speak of; the rule book hands these in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Known {
    /// Its id, such as `git/force-push`.
    pub id: &'static str,
    /// What it answers unless a policy says otherwise.
    pub decision: Decision,
    /// What it stops, as a noun phrase.
    pub stops: &'static str,
}

/// What may stand behind a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// One of some words.
    Choice {
        /// The words, strictest first.
        words: &'static [&'static str],
        /// The index of the one that holds unless somebody says otherwise.
        default: u8,
    },
    /// A list of globs; the longer list is the stricter one.
    Globs(&'static [&'static str]),
}

/// One key of a policy.
#[derive(Debug, Clone, Copy)]
pub struct Key {
    /// Its name, dots for tables.
    pub name: &'static str,
    /// What may stand behind it.
    pub kind: Kind,
    /// What it is for: one line or more, each a sentence.
    pub doc: &'static [&'static str],
}

/// Where each key stands in [`KEYS`].
pub(super) mod at {
    pub(in super::super) const PRESET: usize = 0;
    pub(in super::super) const MODE: usize = 1;
    pub(in super::super) const ASK: usize = 2;
    pub(in super::super) const BASE_BRANCHES: usize = 3;
    pub(in super::super) const FORCE_WITH_LEASE: usize = 4;
    pub(in super::super) const LOG_COMMANDS: usize = 5;
    pub(in super::super) const LEASE_MODE: usize = 6;
    pub(in super::super) const LEASE_TIER: usize = 7;
    pub(in super::super) const LEASE_LANES: usize = 8;
}

/// How many keys there are, the table of rules not counted.
pub(super) const COUNT: usize = KEYS.len();

/// Every key that is not a rule.
pub const KEYS: &[Key] = &[
    Key {
        name: "preset",
        kind: Kind::Choice {
            words: &["fleet", "team", "solo"],
            default: 0,
        },
        doc: &[
            "A set of answers to start from; every other key of the same file goes before it.",
            "fleet: many sessions share the repository, so every rule holds as written.",
            "team: commits that no remote has may be amended, and your own branch may be forced with a lease.",
            "solo: as team, and plain pushes to base branches and staging of all tracked files are allowed.",
        ],
    },
    Key {
        name: "mode",
        kind: Kind::Choice {
            words: &["enforce", "observe"],
            default: 0,
        },
        doc: &[
            "observe judges every call and says what it would have answered, but stops nothing.",
        ],
    },
    Key {
        name: "ask",
        kind: Kind::Choice {
            words: &["deny", "ask"],
            default: 1,
        },
        doc: &[
            "What a question becomes. deny is for fleets that nobody watches: a question would wait for ever.",
        ],
    },
    Key {
        name: "base_branches",
        kind: Kind::Globs(&[
            "main",
            "master",
            "prod",
            "preprod",
            "staging",
            "dev",
            "release/*",
        ]),
        doc: &["Branches that move by reviewed merges only. `*` stands for anything."],
    },
    Key {
        name: "git.force_with_lease",
        kind: Kind::Choice {
            words: &["deny", "own-branch"],
            default: 0,
        },
        doc: &[
            "A push with --force-with-lease still replaces commits.",
            "own-branch allows it for the branch that is checked out, if that is no base branch.",
        ],
    },
    Key {
        name: "log.commands",
        kind: Kind::Choice {
            words: &["none", "redacted", "full"],
            default: 1,
        },
        doc: &[
            "What the decision log keeps of a command.",
            "redacted masks what looks like a secret; full keeps all, none keeps nothing.",
        ],
    },
    Key {
        name: "lease.mode",
        kind: Kind::Choice {
            words: &["strict", "live", "off"],
            default: 1,
        },
        doc: &[
            "How far claims bind.",
            "live keeps from everybody what another live session claims, and asks nothing else of anybody.",
            "strict keeps the main checkout for landing besides, and asks where nobody claims a checkout; `leaseguard lease on` says the same for one repository.",
        ],
    },
    Key {
        name: "lease.tier",
        kind: Kind::Choice {
            words: &["blackout", "red", "yellow", "green"],
            default: 3,
        },
        doc: &[
            "How many checkouts of a repository may be claimed at once: blackout 1, red 3, yellow 5, green any number.",
        ],
    },
    Key {
        name: "lease.lanes",
        kind: Kind::Choice {
            words: &["required", "optional"],
            default: 1,
        },
        doc: &["Whether hosts other than Claude Code have to name the lane that owns their work."],
    },
];

/// The words that every rule understands, with what they mean.
pub const WORDS: &[(&str, &str)] = &[
    ("off", "lets it go"),
    ("allow", "lets it go"),
    ("ask", "asks a person"),
    ("deny", "stops it"),
];

/// A word that allows the milder case of one rule and leaves the other to the rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Mild {
    /// The rule.
    pub rule: &'static str,
    /// The word.
    pub word: &'static str,
    /// The case that it allows, as a noun phrase.
    pub allows: &'static str,
}

/// The words that only some rules understand.
pub const MILD: &[Mild] = &[
    Mild {
        rule: "git/base-push",
        word: "plain",
        allows: "pushes to base branches that force nothing",
    },
    Mild {
        rule: "git/broad-add",
        word: "tracked",
        allows: "staging that sweeps in no untracked file",
    },
    Mild {
        rule: "git/commit-all",
        word: "tracked",
        allows: "commits of every changed tracked file",
    },
    Mild {
        rule: "git/amend",
        word: "unpushed",
        allows: "amending commits that are on no remote",
    },
];

impl Key {
    /// The index of a choice's default.
    pub(super) const fn default_choice(&self) -> u8 {
        match self.kind {
            Kind::Choice { default, .. } => default,
            Kind::Globs(_) => 0,
        }
    }

    /// The words of a choice; empty for other kinds.
    pub(super) fn words(&self) -> &'static [&'static str] {
        match self.kind {
            Kind::Choice { words, .. } => words,
            Kind::Globs(_) => &[],
        }
    }
    /// The index of `word` among a choice's words.
    pub(super) fn choice(&self, word: &str) -> Option<u8> {
        let index = self.words().iter().position(|w| *w == word)?;
        u8::try_from(index).ok()
    }
}
