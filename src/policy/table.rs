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
    /// A span such as `90s`; the longer one is the stricter one.
    Span {
        /// The seconds that hold unless somebody says otherwise.
        default: u32,
    },
    /// One text; only those who may loosen set it.
    Text,
    /// A list of texts; only those who may loosen set it.
    Texts,
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
    pub(in super::super) const CI_GATE: usize = 6;
    pub(in super::super) const CI_PROVIDER: usize = 7;
    pub(in super::super) const CI_TROUBLE: usize = 8;
    pub(in super::super) const CI_WITHOUT_PR: usize = 9;
    pub(in super::super) const CI_WAITING: usize = 10;
    pub(in super::super) const CI_GRACE: usize = 11;
    pub(in super::super) const CI_QUIET: usize = 12;
    pub(in super::super) const CI_MAX_AGE: usize = 13;
    pub(in super::super) const CI_IGNORE: usize = 14;
    pub(in super::super) const CI_GITHUB_HOSTS: usize = 15;
    pub(in super::super) const CI_GITLAB_HOSTS: usize = 16;
    pub(in super::super) const CI_COMMAND: usize = 17;
    pub(in super::super) const CI_FILE: usize = 18;
    pub(in super::super) const PERSONS: usize = 19;
    pub(in super::super) const LEASE_MODE: usize = 20;
    pub(in super::super) const LEASE_TIER: usize = 21;
    pub(in super::super) const LEASE_LANES: usize = 22;
    pub(in super::super) const PLAN_STATUS: usize = 23;
    pub(in super::super) const PLAN_MERGE_LEASE: usize = 24;
    pub(in super::super) const LEASE_CROSS_HOST: usize = 25;
    pub(in super::super) const LEASE_TICKETS: usize = 26;
    pub(in super::super) const LEASE_BRANCHES: usize = 27;
    pub(in super::super) const LEASE_NETWORK: usize = 28;
    pub(in super::super) const LEASE_SYNC: usize = 29;
    pub(in super::super) const WORKTREE_ROOT: usize = 30;
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
            "solo: as team, and plain pushes to base branches and staging of all tracked files are allowed, and no push waits for CI.",
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
        name: "ci.gate",
        kind: Kind::Choice {
            words: &["on", "auto", "off"],
            default: 1,
        },
        doc: &[
            "Whether a push waits until checks and reviews of the branch's head have ended.",
            "auto: where the push goes to a forge whose program (`gh`, `glab`) is installed and logged in.",
        ],
    },
    Key {
        name: "ci.provider",
        kind: Kind::Choice {
            words: &["auto", "github", "gitlab", "command", "file"],
            default: 0,
        },
        doc: &["Who is asked what runs. auto goes by the host of the push URL."],
    },
    Key {
        name: "ci.on_trouble",
        kind: Kind::Choice {
            words: &["deny", "ask", "allow"],
            default: 1,
        },
        doc: &["What becomes of a push when it cannot be told whether something runs."],
    },
    Key {
        name: "ci.without_pr",
        kind: Kind::Choice {
            words: &["check", "allow"],
            default: 1,
        },
        doc: &[
            "A branch without an open pull request: check waits for the checks of its head, allow does not.",
        ],
    },
    Key {
        name: "ci.waiting",
        kind: Kind::Choice {
            words: &["deny", "ask", "allow"],
            default: 1,
        },
        doc: &["A check that waits for somebody's approval, which may take days."],
    },
    Key {
        name: "ci.grace",
        kind: Kind::Span { default: 90 },
        doc: &[
            "So long after a push its checks may not be registered yet, and nothing counts as ended.",
        ],
    },
    Key {
        name: "ci.quiet",
        kind: Kind::Span { default: 120 },
        doc: &[
            "So long nothing may have been written by a review bot that cannot be watched while it works.",
        ],
    },
    Key {
        name: "ci.max_in_flight_age",
        kind: Kind::Span { default: 6 * 3600 },
        doc: &["What has been running for longer is taken for stuck: it asks instead of denying."],
    },
    Key {
        name: "ci.ignore_checks",
        kind: Kind::Texts,
        doc: &["Globs over names of checks that nobody waits for."],
    },
    Key {
        name: "ci.github_hosts",
        kind: Kind::Texts,
        doc: &["Hosts of GitHub Enterprise Server, beside those that `gh` knows."],
    },
    Key {
        name: "ci.gitlab_hosts",
        kind: Kind::Texts,
        doc: &["Hosts of GitLab, beside `gitlab.com` and those that `glab` knows."],
    },
    Key {
        name: "ci.command",
        kind: Kind::Texts,
        doc: &[
            "With `provider = \"command\"`: a program and its arguments that print the state as JSON.",
        ],
    },
    Key {
        name: "ci.file",
        kind: Kind::Text,
        doc: &["With `provider = \"file\"`: a file with the same JSON."],
    },
    Key {
        name: "git_hooks.persons",
        kind: Kind::Choice {
            words: &["deny", "confirm", "warn"],
            default: 1,
        },
        doc: &[
            "What git's own hooks do where a person at a terminal moves a base branch, forces or deletes.",
            "confirm waits for a word to be typed, warn only says it.",
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
            "How many checkouts of a repository Claude's sessions may claim at once: blackout 1, red 3, yellow 5, green any number. Those of other hosts, which name a lane instead, are not counted.",
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
    Key {
        name: "plan.status",
        kind: Kind::Text,
        doc: &[
            "The `status.json` of a plan, whose leases are honoured beside claims: a path from the main checkout such as `.harness/status.json`, an absolute one, or one below `~/`.",
            "Where the text is empty no such file is read. A project may name a file where nobody else does; another file than the one that is named is for those who may loosen.",
        ],
    },
    Key {
        name: "plan.merge_lease",
        kind: Kind::Choice {
            words: &["required", "optional"],
            default: 1,
        },
        doc: &[
            "Whether merging in the main checkout needs the plan's integration merge lease. One that somebody else holds stops it either way.",
        ],
    },
    Key {
        name: "lease.cross_host_takeover",
        kind: Kind::Choice {
            words: &["never", "expired-observed"],
            default: 0,
        },
        doc: &[
            "When a claim of another machine, whose process cannot be looked at from here, stops binding.",
            "expired-observed: once its time is over, and this machine has seen no change of it for as long.",
        ],
    },
    Key {
        name: "lease.ticket_pattern",
        kind: Kind::Text,
        doc: &[
            "How tickets are named that `lease claim` and `worktree add` take: `T-*`; a star stands for anything but `/`, and without a pattern every name will do.",
        ],
    },
    Key {
        name: "lease.branch_pattern",
        kind: Kind::Text,
        doc: &[
            "How branches are named that are claimed: `wt/*/{ticket}`; `{ticket}` stands for the ticket that the claim names.",
        ],
    },
    Key {
        name: "lease.network_fs",
        kind: Kind::Choice {
            words: &["refuse", "allow"],
            default: 0,
        },
        doc: &[
            "Whether claims, and the checkouts that are claimed, may lie on a network file system: there, locks and renames may not be what they seem.",
        ],
    },
    Key {
        name: "lease.sync_folders",
        kind: Kind::Choice {
            words: &["refuse", "allow"],
            default: 0,
        },
        doc: &[
            "Whether they may lie in a folder of OneDrive, Dropbox, Syncthing or their kin, which changes files behind git's back.",
        ],
    },
    Key {
        name: "worktree.root",
        kind: Kind::Text,
        doc: &[
            "Where `worktree add` makes worktrees, and messages propose them: `~/wt/{repo}`; `{repo}` stands for the name of the repository's directory, and a path that is not absolute starts beside that.",
            "Where the text is empty: `{repo}-worktrees`.",
        ],
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
            _ => 0,
        }
    }

    /// The words of a choice; empty for other kinds.
    pub(super) fn words(&self) -> &'static [&'static str] {
        match self.kind {
            Kind::Choice { words, .. } => words,
            _ => &[],
        }
    }
    /// The index of `word` among a choice's words.
    pub(super) fn choice(&self, word: &str) -> Option<u8> {
        let index = self.words().iter().position(|w| *w == word)?;
        u8::try_from(index).ok()
    }
}
