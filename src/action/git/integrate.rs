//! rebase, merge, pull, cherry-pick, revert, am, fetch: other people's commits.

use super::{Run, Targets, hooks, tables};
use crate::action::options::{Line, display, parse};
use crate::action::{Act, How, Integrate, Refs};
use crate::shell::{OPAQUE, Opaque, Word};

/// Options that go on with, or end, what was begun before.
const RESUMES: &[&str] = &[
    "continue",
    "abort",
    "quit",
    "skip",
    "edit-todo",
    "resolved",
    "retry",
];

/// Options that only show.
const SHOWS: &[&str] = &["show-current-patch"];

fn begin(run: &mut Run<'_>, line: &Line<'_>, integrate: Integrate) {
    if line.help || line.given.iter().any(|g| SHOWS.contains(&g.opt.name)) {
        return;
    }
    // For `am` this records the empty patch at hand; a cherry-pick only allows empty ones.
    let records = integrate.verb == "am" && line.has("allow-empty");
    let resumes = line.any(RESUMES) || records;
    run.act(Act::Integrate(Integrate {
        resumes,
        ..integrate
    }));
    hooks::given(run, line);
    run.report(line, Targets::Free);
}

/// `git rebase`.
pub(super) fn rebase(run: &mut Run<'_>, words: &[Word]) {
    let line = parse(words, tables::REBASE);
    let root = line.has("root");
    let mut what: Vec<Word> = line.value("onto").into_iter().collect();
    let mut args = line.args.iter().map(|w| (*w).clone());
    if !root {
        what.extend(args.next());
    }
    let integrate = Integrate {
        verb: "rebase",
        what,
        switches_to: args.next(),
        ..Integrate::default()
    };
    begin(run, &line, integrate);
    if let Some(how) = line.on("update-refs").filter(|_| !line.help) {
        run.act(Act::Refs(Refs::Unnamed(run.with_verb(how))));
    }
}

/// `git merge`.
pub(super) fn merge(run: &mut Run<'_>, words: &[Word]) {
    let line = parse(words, tables::MERGE);
    let integrate = Integrate {
        verb: "merge",
        what: line.words(0),
        no_commit: stays(&line),
        ..Integrate::default()
    };
    begin(run, &line, integrate);
}

/// `--no-commit`, `--squash`.
fn stays(line: &Line<'_>) -> bool {
    line.last("commit").is_some_and(|g| !g.on) || line.has("squash")
}

/// `git pull`.
pub(super) fn pull(run: &mut Run<'_>, words: &[Word]) {
    let line = parse(words, tables::PULL);
    if line.has("dry-run") {
        return;
    }
    let integrate = Integrate {
        verb: "pull",
        what: line.words(0),
        no_commit: stays(&line),
        ..Integrate::default()
    };
    begin(run, &line, integrate);
    if !line.help {
        local_updates(run, &line, line.args.get(1..).unwrap_or_default());
    }
}

/// `git cherry-pick`, `git revert`.
pub(super) fn pick(run: &mut Run<'_>, verb: &'static str, words: &[Word]) {
    let line = parse(words, tables::PICK);
    let integrate = Integrate {
        verb,
        what: line.words(0),
        no_commit: line.has("no-commit"),
        ..Integrate::default()
    };
    begin(run, &line, integrate);
}

/// `git am`.
pub(super) fn am(run: &mut Run<'_>, words: &[Word]) {
    let line = parse(words, tables::AM);
    let integrate = Integrate {
        verb: "am",
        what: line.words(0),
        ..Integrate::default()
    };
    begin(run, &line, integrate);
}

/// `git fetch`: harmless unless a refspec names a local branch.
pub(super) fn fetch(run: &mut Run<'_>, words: &[Word]) {
    let line = parse(words, tables::FETCH);
    if line.help || line.has("dry-run") {
        return;
    }
    if !line.has("multiple") {
        local_updates(run, &line, line.args.get(1..).unwrap_or_default());
    }
    if let Some(how) = line.on("stdin") {
        run.act(Act::Refs(Refs::Unnamed(run.with_verb(how))));
    }
    run.report(&line, Targets::Free);
}

/// Local branches that the refspecs of a fetch would write.
fn local_updates(run: &mut Run<'_>, line: &Line<'_>, refspecs: &[&Word]) {
    let force = line.has("force") || line.has("prune");
    for word in refspecs {
        let (plus, spec) = match word.text.strip_prefix('+') {
            Some(spec) => (true, spec),
            None => (false, word.text.as_str()),
        };
        let target = match spec.split_once(':') {
            Some((_, target)) => target,
            None if plus && spec.contains(OPAQUE) => spec,
            None => continue,
        };
        let elsewhere = ["refs/remotes/", "refs/prefetch/"];
        if target.is_empty() || elsewhere.iter().any(|e| target.starts_with(e)) {
            continue;
        }
        if plus || force {
            let how = How {
                text: format!("{} {}", run.verb, display(&word.text)),
                span: word.span,
            };
            let named = word.opaque == Opaque::No && !target.contains('*');
            run.act(Act::Refs(match named {
                true => Refs::Force {
                    name: Word {
                        text: target.to_owned(),
                        ..(*word).clone()
                    },
                    under: "refs/heads/",
                    // What the remote has is known only when it answers.
                    to: Some(Word {
                        text: OPAQUE.to_string(),
                        opaque: Opaque::One,
                        ..(*word).clone()
                    }),
                    how,
                },
                false => Refs::Unnamed(how),
            }));
            continue;
        }
        let full = if target.starts_with("refs/") {
            target.to_owned()
        } else {
            format!("refs/heads/{target}")
        };
        run.act(Act::Refs(Refs::Create {
            branch: full.starts_with("refs/heads/"),
            name: Word {
                text: full,
                ..(*word).clone()
            },
            start: None,
            track: None,
        }));
    }
}
