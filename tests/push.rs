//! What real git updated, against what was predicted before.
#![allow(
    clippy::unwrap_used,
    clippy::string_slice,
    clippy::print_stdout,
    reason = "a test may stop anywhere and tell why"
)]

mod sandbox;

use leaseguard::action::{Place, Push};
use leaseguard::shell::Word;
use leaseguard::world::{Outlook, Surroundings, Update, UpdateKind, World};
use sandbox::{Sandbox, by_setup, covers, every, is_base, spread, text};
use serde_json::Value;

/// Vectors in which git updates no base branch although the prediction says that it may, and why.
const TOO_MUCH: &[(&str, &str)] = &[
    ("rs-rev-expr-forced-back", "the remote is already there"),
    ("rs-rev-back-noforce", "the remote is already there"),
    (
        "rs-delete-main",
        "the remote refuses to delete its current branch",
    ),
    (
        "rs-two-colons",
        "what a revision means takes the object store",
    ),
    (
        "rs-colon-in-src",
        "what a revision means takes the object store",
    ),
    (
        "rs-dst-main-remote-has-tag-main",
        "only the remote knows its tag",
    ),
    (
        "rs-opt-after-dashdash",
        "one refspec that names nothing fails the whole push",
    ),
    ("md-atomic", "the remote refuses one of the refs"),
    ("pl-push-dot", "not a fast-forward"),
    ("rs-rewind-noplus", "not a fast-forward"),
];

/// Vectors in which git updates more than is foretold, and why.
const MISSED: &[(&str, &str)] = &[(
    "rs-remote-symref",
    "only the remote knows that one of its branches is another name of `main`",
)];

/// Vectors whose targets are only called unclear.
const UNCLEAR: &[&str] = &["rm-group", "rm-namespace", "rm-env-namespace"];

fn word(text: &str) -> Word {
    Word {
        text: text.to_owned(),
        ..Word::default()
    }
}

/// Reads argv as far as the vectors need it; `Err` tells why a vector is left out.
mod argv {
    use super::word;
    use leaseguard::action::{How, Place, Pointed, Push, Pusher, Setting, SettingValue};
    use leaseguard::shell::Span;
    use std::path::PathBuf;

    const LONG: &[&str] = &[
        "all",
        "atomic",
        "branches",
        "delete",
        "dry-run",
        "exec",
        "follow-tags",
        "force",
        "force-if-includes",
        "force-with-lease",
        "ipv4",
        "ipv6",
        "mirror",
        "porcelain",
        "progress",
        "prune",
        "push-option",
        "quiet",
        "receive-pack",
        "recurse-submodules",
        "repo",
        "set-upstream",
        "signed",
        "stdin",
        "tags",
        "thin",
        "verbose",
        "verify",
        "remote",
    ];

    fn how(text: &str) -> Option<How> {
        Some(How {
            text: text.to_owned(),
            span: Span::default(),
        })
    }

    pub(crate) fn read(argv: &[String], place: &mut Place) -> Result<Push, &'static str> {
        let mut at = 1;
        let next = |at: &mut usize| {
            *at += 1;
            argv.get(*at).cloned().ok_or("an option without its value")
        };
        let verb = loop {
            let arg = argv.get(at).ok_or("no verb")?.as_str();
            match arg {
                "-C" => place.dir = place.dir.as_ref().unwrap().join(next(&mut at)?).into(),
                "-c" => place.config.push(setting(&next(&mut at)?)),
                _ if arg.starts_with("--git-dir=") => {
                    place.git_dir = Pointed::At(PathBuf::from(&arg[10..]));
                }
                _ if arg.starts_with("--namespace=") => {
                    place
                        .env
                        .push(("GIT_NAMESPACE".to_owned(), word(&arg[12..])));
                }
                _ if arg.starts_with('-') => return Err("another global option"),
                verb => break verb,
            }
            at += 1;
        };
        let by = match verb {
            "push" => Pusher::Push,
            "send-pack" => Pusher::SendPack,
            _ => return Err("an alias or another verb"),
        };
        options(&argv[at + 1..], by)
    }

    pub(crate) fn setting(text: &str) -> Setting {
        let (key, value) = match text.split_once('=') {
            Some((key, value)) => (key, SettingValue::Text(value.to_owned())),
            None => (text, SettingValue::Bare),
        };
        let parts: Vec<&str> = key.split('.').collect();
        let last = parts.len() - 1;
        let fold = |(n, part): (usize, &&str)| match n {
            0 => part.to_lowercase(),
            n if n == last => part.to_lowercase(),
            _ => (*part).to_owned(),
        };
        let key: Vec<String> = parts.iter().enumerate().map(fold).collect();
        Setting {
            key: Some(key.join(".")),
            value,
            how: how(text).unwrap(),
        }
    }

    fn options(args: &[String], by: Pusher) -> Result<Push, &'static str> {
        let mut push = Push {
            by,
            ..Push::default()
        };
        let (mut words, mut repo, mut ended) = (Vec::new(), None, false);
        let mut args = args.iter();
        while let Some(arg) = args.next() {
            if ended || !arg.starts_with('-') || arg == "-" {
                words.push(word(arg));
            } else if arg == "--" || arg == "--end-of-options" {
                ended = true;
            } else if let Some(long) = arg.strip_prefix("--") {
                let (name, value) = match long.split_once('=') {
                    Some((name, value)) => (name, Some(value.to_owned())),
                    None => (long, None),
                };
                let (on, name) = match name.strip_prefix("no-") {
                    Some(name) => (false, name),
                    None => (true, name),
                };
                let name = full(name)?;
                let value = match name {
                    "repo" | "exec" | "receive-pack" | "push-option" if value.is_none() => {
                        args.next().cloned()
                    }
                    _ => value,
                };
                set(&mut push, name, on, value, &mut repo)?;
            } else {
                let mut letters = arg[1..].chars();
                while let Some(letter) = letters.next() {
                    let name = match letter {
                        'f' => "force",
                        'n' => "dry-run",
                        'd' => "delete",
                        'u' => "set-upstream",
                        'q' | 'v' | '4' | '6' => continue,
                        'o' => {
                            if letters.as_str().is_empty() {
                                args.next();
                            }
                            break;
                        }
                        _ => return Err("git refuses the option"),
                    };
                    set(&mut push, name, true, None, &mut repo)?;
                }
            }
        }
        let mut words = words.into_iter();
        push.remote = words.next().or_else(|| repo.map(|r| word(&r)));
        push.refspecs = words.collect();
        Ok(push)
    }

    fn full(name: &str) -> Result<&'static str, &'static str> {
        if let Some(exact) = LONG.iter().find(|l| **l == name) {
            return Ok(exact);
        }
        let mut found = LONG.iter().filter(|l| l.starts_with(name));
        match (found.next(), found.next()) {
            (Some(one), None) => Ok(one),
            (None, _) => Err("git refuses the option"),
            _ => Err("an ambiguous option"),
        }
    }

    fn set(
        push: &mut Push,
        name: &str,
        on: bool,
        value: Option<String>,
        repo: &mut Option<String>,
    ) -> Result<(), &'static str> {
        let as_typed = if on { how(&format!("--{name}")) } else { None };
        match name {
            "force" if value.is_some() => return Err("git refuses the option"),
            "force" => push.force = as_typed,
            "force-with-lease" => push.lease = as_typed,
            "mirror" => {
                if !on {
                    push.force = None;
                }
                push.mirror = as_typed;
            }
            "all" | "branches" => push.all = as_typed,
            "tags" => push.tags = as_typed,
            "prune" => push.prune = as_typed,
            "delete" => push.delete = as_typed,
            "follow-tags" => push.follow_tags = Some(on),
            "dry-run" => push.dry_run = on,
            "set-upstream" => push.set_upstream = on,
            "recurse-submodules" => {
                let value = value.unwrap_or_default();
                push.recurse = Some(word(if on { &value } else { "no" }));
            }
            "repo" => *repo = value,
            "stdin" => push.from_stdin = on,
            _ => {}
        }
        Ok(())
    }
}

/// The push of a vector and where it happens.
fn read(vector: &Value, sandbox: &Sandbox) -> Result<(Push, Place), &'static str> {
    let argv: Vec<String> = vector["argv"]
        .as_array()
        .unwrap()
        .iter()
        .map(|a| sandbox.filled(a.as_str().unwrap()))
        .collect();
    if argv[0] != "git" {
        return Err("it needs a shell");
    }
    let mut place = Place {
        dir: Some(sandbox.root.join(text(vector, "cwd"))),
        env: vec![("GIT_CONFIG_NOSYSTEM".to_owned(), word("1"))],
        ..Place::default()
    };
    for (name, value) in vector["env"].as_object().unwrap() {
        let value = sandbox.filled(value.as_str().unwrap());
        match name.as_str() {
            "GIT_DIR" => place.git_dir = leaseguard::action::Pointed::At(value.into()),
            "GIT_CONFIG_COUNT" | "GIT_CONFIG_PARAMETERS" | "PD" => {
                return Err("the environment holds config");
            }
            "GIT_CONFIG_NOSYSTEM" => place.env.retain(|(n, _)| n != "GIT_CONFIG_NOSYSTEM"),
            _ => place.env.push((name.clone(), word(&value))),
        }
    }
    let push = argv::read(&argv, &mut place)?;
    Ok((push, place))
}

fn world(sandbox: &Sandbox, cwd: &str) -> World {
    World::new(Surroundings {
        cwd: Some(sandbox.root.join(cwd)),
        home: Some(sandbox.root.join("home")),
        ..Surroundings::default()
    })
}

/// Whether the prediction has what git did to one ref.
fn foretold(outlook: &Outlook, update: &Value) -> bool {
    let (refname, kind) = (text(update, "ref"), text(update, "kind"));
    let right = |p: &&Update| {
        covers(&p.refname, refname)
            && match kind {
                "forced" => p.kind == UpdateKind::Force,
                "delete" => p.kind == UpdateKind::Delete,
                _ => p.kind != UpdateKind::Delete,
            }
    };
    outlook.updates.iter().any(|p| right(&p))
}

/// Whether it names the repository that changed, or this one.
fn aimed(outlook: &Outlook, update: &Value) -> bool {
    let repo = text(update, "repo");
    let end = format!("/{repo}.git");
    match repo {
        "LOCAL" => {
            let mut own = outlook.updates.iter().filter(|u| u.remote == ".");
            outlook.urls.iter().any(|u| u == ".")
                || own.any(|u| covers(&u.refname, text(update, "ref")))
        }
        _ => outlook.urls.iter().any(|u| u.ends_with(&end)),
    }
}

/// A certain update that git itself did not have in mind, where it came as far as to say.
fn invented<'a>(outlook: &'a Outlook, vector: &Value) -> Option<&'a Update> {
    let targets = vector["dry_run_targets"].as_array()?;
    if targets.is_empty() || vector["rc"] != 0 {
        return None;
    }
    outlook.updates.iter().find(|u| {
        !u.depends
            && !u.refname.contains('*')
            && !targets.iter().any(|t| text(t, "dst") == u.refname)
    })
}

#[derive(Default)]
struct Tally {
    checked: usize,
    wrong: Vec<String>,
}

fn check(vector: &Value, sandbox: &Sandbox, tally: &mut Tally) {
    let id = text(vector, "id").to_owned();
    let (push, place) = match read(vector, sandbox) {
        Ok(read) => read,
        Err(_) => return,
    };
    tally.checked += 1;
    let world = world(sandbox, text(vector, "cwd"));
    let outlook = world.push(&push, &place);
    let updates = vector["updates"].as_array().unwrap();
    if !outlook.unclear.is_empty() {
        if !UNCLEAR.contains(&id.as_str()) {
            tally
                .wrong
                .push(format!("{id}: unclear: {:?}", outlook.unclear));
        }
        return;
    }
    for update in updates {
        let submodule = text(update, "repo") == "submod";
        let missed = MISSED.iter().any(|(known, _)| *known == id);
        if !missed && (!foretold(&outlook, update) || !(submodule || aimed(&outlook, update))) {
            tally
                .wrong
                .push(format!("{id}: missed {update}: {outlook:?}"));
        }
    }
    if let Some(invented) = invented(&outlook, vector) {
        tally.wrong.push(format!("{id}: invented {invented:?}"));
    }
    let base = |u: &Value| is_base(text(u, "ref"));
    let sure = outlook
        .updates
        .iter()
        .find(|u| is_base(&u.refname) && !u.depends);
    let excused = TOO_MUCH.iter().any(|(known, _)| *known == id);
    match (updates.iter().any(base), sure) {
        (false, Some(update)) if !excused => {
            let error = text(vector, "error");
            tally
                .wrong
                .push(format!("{id}: too much: {update:?}: {error}"));
        }
        (false, None) | (true, _) if excused => {
            tally.wrong.push(format!("{id}: needs no excuse any more"));
        }
        _ => {}
    }
}

#[test]
fn every_ref_that_git_updated_was_foretold() {
    let vectors = every("push-vectors.jsonl");
    let tallies = spread(&by_setup(&vectors), |group, sandbox| {
        let mut tally = Tally::default();
        sandbox.set_up(group[0]);
        group.iter().for_each(|v| check(v, sandbox, &mut tally));
        tally
    });
    let (mut wrong, mut checked) = (Vec::new(), 0);
    for tally in tallies {
        checked += tally.checked;
        wrong.extend(tally.wrong);
    }
    // The rest needs a shell, an alias or config from elsewhere: the whole guard reads those.
    assert!(checked > 380, "only {checked} vectors");
    assert!(wrong.is_empty(), "{}\n{}", wrong.join("\n"), wrong.len());
}
