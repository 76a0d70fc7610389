//! Programs that push or merge by themselves: jj, Graphite, git-town, spr, Sapling and their kin.

use super::{Deed, how, merge, refs, unread};
use crate::action::Act;
use crate::action::words::{Line, Spells, Takes, gnu, spells};
use crate::shell::Word;

/// A program, or a git verb that an add-on brings.
struct Tool {
    names: &'static [&'static str],
    takes: Takes,
    verbs: &'static [(&'static [&'static str], Deed<'static>)],
    /// Options that make every verb a rehearsal.
    dry: &'static [&'static str],
}

const PUSHES: Deed<'static> =
    refs("push branches that it chooses itself, by force where they were rebased").maybe();
const MERGES: Deed<'static> = merge("merge into a base branch");
const DELETES: Deed<'static> = refs("delete a branch here and on the remote");

const JJ: Takes = gnu(
    "Rrbc",
    &[
        "repository",
        "at-operation",
        "at-op",
        "color",
        "config",
        "config-file",
        "remote",
        "bookmark",
        "branch",
        "revisions",
        "change",
        "named",
    ],
);
const PLAIN: Takes = gnu(
    "bmr",
    &["branch", "message", "remote", "to", "stack", "cwd"],
);

const TOOLS: &[Tool] = &[
    Tool {
        names: &["jj"],
        takes: JJ,
        dry: &["dry-run"],
        verbs: &[(&["git", "push"], PUSHES), (&["gerrit", "upload"], PUSHES)],
    },
    Tool {
        names: &["gt", "graphite"],
        takes: PLAIN,
        dry: &["dry-run"],
        verbs: &[
            (&["submit"], PUSHES),
            (&["s"], PUSHES),
            (&["ss"], PUSHES),
            (&["stack", "submit"], PUSHES),
            (&["stack", "s"], PUSHES),
            (&["branch", "submit"], PUSHES),
            (&["downstack", "submit"], PUSHES),
            (&["upstack", "submit"], PUSHES),
            (&["merge"], MERGES),
            (&["downstack", "merge"], MERGES),
            (
                &["sync"],
                refs("move and delete local branches of others").maybe(),
            ),
            (
                &["repo", "sync"],
                refs("move and delete local branches of others").maybe(),
            ),
        ],
    },
    Tool {
        names: &["git-town", "town"],
        takes: PLAIN,
        dry: &["dry-run"],
        verbs: &[
            (&["sync"], PUSHES),
            (&["propose"], PUSHES),
            (&["ship"], MERGES),
            (&["delete"], DELETES),
            (&["kill"], DELETES),
            (&["rename"], refs("rename a branch on the remote").maybe()),
            (
                &["rename-branch"],
                refs("rename a branch on the remote").maybe(),
            ),
            (&["prune-branches"], DELETES),
            (&["repo"], refs("")),
            (&["continue"], PUSHES),
            (&["swap"], PUSHES),
            (&["compress"], PUSHES),
        ],
    },
    Tool {
        names: &["spr"],
        takes: PLAIN,
        dry: &["dry-run"],
        verbs: &[
            (&["update"], PUSHES),
            (&["up"], PUSHES),
            (&["u"], PUSHES),
            (&["diff"], PUSHES),
            (&["land"], MERGES),
            (&["merge"], MERGES),
            (&["sync"], PUSHES),
        ],
    },
    Tool {
        names: &["ghstack"],
        takes: PLAIN,
        dry: &["dry-run", "no-submit"],
        verbs: &[(&["land"], MERGES), (&["submit"], PUSHES)],
    },
    Tool {
        names: &["sl"],
        takes: PLAIN,
        dry: &[],
        verbs: &[
            (&["push"], PUSHES),
            (&["pr", "submit"], PUSHES),
            (&["ghstack", "submit"], PUSHES),
        ],
    },
    Tool {
        names: &["git-branchless", "branchless"],
        takes: PLAIN,
        dry: &["dry-run", "n"],
        verbs: &[(&["submit"], PUSHES)],
    },
    Tool {
        names: &["git-machete", "machete"],
        takes: PLAIN,
        dry: &[],
        verbs: &[
            (&["traverse"], PUSHES),
            (&["advance"], PUSHES),
            (&["github", "retarget-pr"], PUSHES),
            (&["github", "create-pr"], PUSHES),
            (&["gitlab", "create-mr"], PUSHES),
            (&["clean"], refs("delete local branches of others").maybe()),
        ],
    },
    Tool {
        names: &["git-spice", "gs", "spice"],
        takes: PLAIN,
        dry: &["dry-run", "n"],
        verbs: &[
            (&["branch", "submit"], PUSHES),
            (&["stack", "submit"], PUSHES),
            (&["upstack", "submit"], PUSHES),
            (&["downstack", "submit"], PUSHES),
            (
                &["repo", "sync"],
                refs("move and delete local branches of others").maybe(),
            ),
        ],
    },
    Tool {
        names: &["svn"],
        takes: PLAIN,
        dry: &["dry-run", "n"],
        verbs: &[(&["dcommit"], refs("commit to the Subversion server"))],
    },
    Tool {
        names: &["p4"],
        takes: PLAIN,
        dry: &["dry-run", "n"],
        verbs: &[(&["submit"], refs("submit to the Perforce server"))],
    },
    Tool {
        names: &["git-cl", "cl"],
        takes: PLAIN,
        dry: &[],
        verbs: &[(&["land"], MERGES), (&["set-commit"], MERGES)],
    },
    Tool {
        names: &["arc"],
        takes: PLAIN,
        dry: &["hold"],
        verbs: &[(&["land"], MERGES)],
    },
    Tool {
        names: &["tea"],
        takes: gnu("rlRs", &["repo", "login", "remote", "style"]),
        dry: &[],
        verbs: &[
            (&["pr", "merge"], MERGES),
            (&["pulls", "merge"], MERGES),
            (&["pull", "merge"], MERGES),
            (&["pr", "m"], MERGES),
            (
                &["repos", "delete"],
                refs("delete a repository, with all that others keep there"),
            ),
            (
                &["repo", "delete"],
                refs("delete a repository, with all that others keep there"),
            ),
            (
                &["branches", "unprotect"],
                refs("change who may write a branch"),
            ),
        ],
    },
    Tool {
        names: &["az"],
        takes: gnu(
            "o",
            &[
                "id",
                "org",
                "organization",
                "project",
                "repository",
                "name",
                "object-id",
                "status",
                "auto-complete",
                "output",
                "subscription",
            ],
        ),
        dry: &[],
        verbs: &[
            (
                &["repos", "ref", "delete"],
                refs("delete a ref on the forge"),
            ),
            (
                &["repos", "ref", "create"],
                refs("write a ref on the forge"),
            ),
            (
                &["repos", "ref", "update"],
                refs("write a ref on the forge"),
            ),
            (
                &["repos", "delete"],
                refs("delete a repository, with all that others keep there"),
            ),
        ],
    },
    // hub's own verbs; all others are git's.
    Tool {
        names: &["hub"],
        takes: PLAIN,
        dry: &["noop"],
        verbs: &[
            (
                &["delete"],
                refs("delete a repository, with all that others keep there"),
            ),
            (
                &["sync"],
                refs("move and delete local branches of others").maybe(),
            ),
            (&["release", "create"], super::release("publish a release")),
            (
                &["release", "edit"],
                super::release("change a published release"),
            ),
            (
                &["release", "delete"],
                super::release("take a release away from its users"),
            ),
        ],
    },
];

/// git verbs that add-ons bring.
const GIT_VERBS: &[&str] = &["town", "branchless", "machete", "spice", "svn", "p4", "cl"];

/// What a program of the table would do.
pub(super) fn read(name: &str, words: &[Word]) -> Vec<Act> {
    let Some(tool) = TOOLS.iter().find(|t| t.names.contains(&name)) else {
        return Vec::new();
    };
    let line = Line::read(words, &tool.takes);
    if line.asks_help() || line.surely(tool.dry) {
        return Vec::new();
    }
    if let Some(act) = azure(&line).filter(|_| name == "az") {
        return vec![act];
    }
    if name == "hub" && line.operand(0) == Some("pull-request") && line.on(&["p", "push"]).is_some()
    {
        return vec![PUSHES.act(
            how(
                "hub pull-request -p",
                words.first().map(|w| w.span).unwrap_or_default(),
            ),
            None,
        )];
    }
    let mut unknown = None;
    for (path, deed) in tool.verbs {
        match spells(&line.operands, path) {
            Spells::All(_) if deed.does.is_empty() => return Vec::new(),
            Spells::All(word) => {
                let act = deed.act(how(format!("{name} {}", path.join(" ")), word.span), None);
                return vec![named(name, act, &line)];
            }
            Spells::Perhaps(word) => unknown = Some(word),
            Spells::No => {}
        }
    }
    // `ghstack` alone submits.
    if name == "ghstack" && line.operands.is_empty() {
        let span = words.first().map(|w| w.span).unwrap_or_default();
        return vec![PUSHES.act(how(name, span), None)];
    }
    unknown
        .map(|word| unread(name, "verb", word))
        .into_iter()
        .collect()
}

/// `git town …` and other verbs that add-ons bring: their words from the verb on.
pub(super) fn external(words: &[Word]) -> Vec<Act> {
    let Some((verb, rest)) = words.split_first() else {
        return Vec::new();
    };
    match verb.known() {
        Some(name) if GIT_VERBS.contains(&name) => read(name, rest),
        // git-branchless installs its verb without a prefix.
        Some("submit") => read("branchless", words),
        _ => Vec::new(),
    }
}

/// What is told to be deleted is for sure; the branches that are named are told.
fn named(name: &str, act: Act, line: &Line<'_>) -> Act {
    let Act::ForgeRefs(mut act) = act else {
        return act;
    };
    let options: &[&str] = if name == "jj" {
        &["b", "bookmark", "branch"]
    } else {
        &["to"]
    };
    act.branches = line
        .values(options)
        .map(|v| v.strip_prefix("exact:").unwrap_or(v).to_owned())
        .collect();
    let deletes = match name {
        "jj" => line.on(&["deleted"]),
        "sl" => line.last(&["delete"]),
        _ => None,
    };
    let sweeps = if name == "jj" {
        line.on(&["all", "tracked"])
    } else {
        None
    };
    if let Some(option) = deletes.or(sweeps) {
        act.maybe = false;
        act.fact = Some(format!(
            "`{}` takes in branches that nobody named",
            option.word.text
        ));
        act.how.span = option.word.span;
    }
    Act::ForgeRefs(act)
}

/// `az repos pr update --status completed`, `--auto-complete true`.
fn azure(line: &Line<'_>) -> Option<Act> {
    let Spells::All(word) = spells(&line.operands, &["repos", "pr", "update"]) else {
        return None;
    };
    let merges = line.last(&["status"]).and_then(|o| o.value) == Some("completed")
        || line.on(&["auto-complete"]).is_some();
    merges.then(|| merge("merge a pull request").act(how("az repos pr update", word.span), None))
}
