//! push, send-pack, http-push and subtree push: what leaves this repository.

use super::{Run, Targets, hooks, tables};
use crate::action::options::{Line, Opt, flag, maybe, parse, value};
use crate::action::{Act, How, Integrate, Push, Pusher};
use crate::shell::{Span, Word};

const SUBTREE: &[Opt] = &[
    value("prefix", 'P'),
    flag("quiet", 'q'),
    flag("debug", 'd'),
    value("annotate", '-'),
    value("branch", 'b'),
    value("onto", '-'),
    value("message", 'm'),
    flag("ignore-joins", '-'),
    flag("rejoin", '-'),
    flag("squash", '-'),
    maybe("gpg-sign", 'S'),
];

const HTTP_PUSH: &[Opt] = &[
    flag("all", '-'),
    flag("dry-run", '-'),
    flag("force", '-'),
    flag("verbose", '-'),
    flag("delete", 'd'),
    flag("D", 'D'),
];

/// `git push`.
pub(super) fn push(run: &mut Run<'_>, words: &[Word]) {
    let line = parse(words, tables::PUSH);
    if line.help {
        return;
    }
    let mut push = Push {
        remote: line.arg(0).or_else(|| line.value("repo")),
        refspecs: line.words(1),
        ..common(&line)
    };
    modes(&line, &mut push);
    let dry = push.dry_run;
    run.inert = dry;
    run.act(Act::Push(push));
    if !dry {
        if let Some(how) = line.on("no-verify") {
            run.act(Act::SkipHooks(how));
        }
        if let Some(how) = hooks::unsigned_push(&line) {
            run.act(Act::SkipSigning(how));
        }
        run.report(&line, Targets::Refspecs);
    }
}

/// What all pushers spell alike.
fn common(line: &Line<'_>) -> Push {
    let mut push = Push {
        force: line.on("force"),
        lease: line.on("force-with-lease"),
        mirror: line.on("mirror"),
        all: line.on("all"),
        dry_run: line.has("dry-run"),
        receive_pack: line.first_on(&["receive-pack", "exec"]),
        from_stdin: line.has("stdin"),
        ..Push::default()
    };
    for given in line.given.iter().filter(|g| g.opt.name == "push-option") {
        match given.value() {
            Some(value) if given.on => push.options.push(value),
            _ => push.options.clear(),
        }
    }
    push
}

/// The options of `push` alone; `--mirror` and `--force` share a bit there, so order counts.
fn modes(line: &Line<'_>, push: &mut Push) {
    (push.force, push.mirror, push.all) = (None, None, None);
    for given in &line.given {
        let how = given.on.then(|| given.how());
        match given.opt.name {
            "force" => push.force = how,
            "mirror" => {
                push.force = if given.on {
                    push.force.take().or_else(|| how.clone())
                } else {
                    None
                };
                push.mirror = how;
            }
            "all" | "branches" => push.all = how,
            _ => {}
        }
    }
    push.delete = line.on("delete");
    push.tags = line.on("tags");
    push.follow_tags = line.last("follow-tags").map(|g| g.on);
    push.prune = line.on("prune");
    push.set_upstream = line.has("set-upstream");
    push.recurse = line.last("recurse-submodules").and_then(|given| {
        if given.on {
            return given.value();
        }
        let no = How {
            text: "no".to_owned(),
            ..given.how()
        };
        Some(plain(no.text, no.span))
    });
}

fn plain(text: String, span: Span) -> Word {
    Word {
        text,
        span,
        ..Word::default()
    }
}

/// `git send-pack`.
pub(super) fn send_pack(run: &mut Run<'_>, words: &[Word]) {
    let line = parse(words, tables::SEND_PACK);
    pack(run, &line);
}

/// `git http-push`.
pub(super) fn http_push(run: &mut Run<'_>, words: &[Word]) {
    let line = parse(words, HTTP_PUSH);
    pack(run, &line);
}

fn pack(run: &mut Run<'_>, line: &Line<'_>) {
    if line.help {
        return;
    }
    let push = Push {
        by: Pusher::SendPack,
        remote: line.arg(0).or_else(|| line.value("remote")),
        refspecs: line.words(1),
        delete: line.first_on(&["delete", "D"]),
        ..common(line)
    };
    run.inert = push.dry_run;
    run.act(Act::Push(push));
    if !run.inert {
        run.report(line, Targets::Decide);
    }
}

/// `git subtree`: `push` pushes, the others but `split` merge.
pub(super) fn subtree(run: &mut Run<'_>, words: &[Word]) {
    let line = parse(words, SUBTREE);
    let Some((verb, rest)) = line.args.split_first() else {
        return;
    };
    match verb.known() {
        None => run.unread("verb", verb),
        Some("push") => {
            run.act(Act::Push(Push {
                by: Pusher::Subtree,
                remote: rest.first().map(|w| (*w).clone()),
                refspecs: line.words(2),
                ..Push::default()
            }));
            run.report(&line, Targets::Decide);
        }
        Some("add" | "merge" | "pull") => {
            run.act(Act::Integrate(Integrate {
                verb: "merge",
                what: line.words(1),
                ..Integrate::default()
            }));
        }
        Some(_) => {}
    }
}
