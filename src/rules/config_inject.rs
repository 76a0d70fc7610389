//! Denies config and environment with which git runs a foreign program or reaches another place.

use super::config_keys::{self, Key, Use, Variable};
use super::{Found, Rule};
use crate::action::wrap::Table;
use crate::action::{self, Act, Action, ConfigWrite, How, Reach, Setting, SettingValue};
use crate::policy::Policy;
use crate::shell::{self, Opaque, Start, Word};
use crate::verdict::Decision;
use crate::world::{Fact, PathKind, World};
use std::path::Path;

pub(super) const RULE: Rule = Rule {
    id: "git/config-inject",
    decision: Decision::Deny,
    stops: "config and variables that make git run another program or reach another place: `core.fsmonitor`, `core.sshCommand`, `filter.*`, `url.*.insteadOf`, `include.path`, `GIT_EXEC_PATH`",
    why: "what git then runs or reaches stands nowhere in the command, and what is written into config stays for everybody here",
    instead: "run the program by its own name, and leave config that runs programs to the person whose machine it is",
    check,
};

/// Longest value that is read as a command.
const VALUE_MAX: usize = 4096;

/// What is wrong with a value.
struct Wrong {
    decision: Decision,
    effect: &'static str,
    fact: Option<String>,
}

const RUNS: &str = "git would run a program that this command does not name";
const MAY_RUN: &str = "git may run a program that this command does not name";
const REACHES: &str = "git would reach another place than the repository says";

fn wrong(decision: Decision, effect: &'static str) -> Option<Wrong> {
    Some(Wrong {
        decision,
        effect,
        fact: None,
    })
}

fn check(action: &Action, world: &World, policy: &Policy) -> Vec<Found> {
    let place = &action.place;
    let mut found = Vec::new();
    if let Act::Config(write) = &action.act {
        found.extend(of_write(write, action, world, policy));
        found.extend(super::config_edit::check(write, action));
    }
    if let Act::Remote { verb, args, .. } = &action.act
        && verb == "add"
    {
        found.extend(args.iter().filter_map(mirror));
    }
    if let Act::Push(push) = &action.act
        && let Some(how) = &push.receive_pack
        && !how.text.ends_with("git-receive-pack")
    {
        found.extend(wrong(Decision::Deny, RUNS).and_then(|wrong| told(wrong, how)));
    }
    for setting in &place.config {
        found.extend(of_setting(setting, action, world, policy));
    }
    for (name, value) in &place.env {
        found.extend(of_variable(name, value, action, world, policy));
    }
    found
}

/// `git config KEY VALUE`.
fn of_write(write: &ConfigWrite, action: &Action, world: &World, policy: &Policy) -> Option<Found> {
    let (key, word) = (write.key.as_deref()?, write.value.as_ref()?);
    let kind = config_keys::key(key);
    let value = match word.known() {
        Some(text) => SettingValue::Text(text.to_owned()),
        None => SettingValue::Unknown,
    };
    let wrong = match kind {
        Key::Pushes => wrong(Decision::Ask, REACHES),
        Key::Requires => match &value {
            SettingValue::Text(text) if !off(text) => None,
            _ => wrong(
                Decision::Ask,
                "`git clean` would delete files without being forced",
            ),
        },
        // What is written into a file of the checkout is reviewed with it.
        Key::Includes if write.scope != "file" => match &value {
            SettingValue::Text(text) if text.starts_with("../") && !text.contains("/../") => wrong(
                Decision::Ask,
                "git would take config from another file from now on",
            ),
            value => of_value(kind, key, value, action, world, policy),
        },
        kind => of_value(kind, key, &value, action, world, policy),
    };
    told(wrong?, &write.how)
}

/// `-c KEY=VALUE` and its kin.
fn of_setting(setting: &Setting, action: &Action, world: &World, policy: &Policy) -> Option<Found> {
    let Some(key) = setting.key.as_deref() else {
        let wrong = wrong(Decision::Ask, MAY_RUN)?;
        return told(wrong, &setting.how).map(|f| f.because("which key it is, is not known"));
    };
    let wrong = match config_keys::key(key) {
        // An alias that is used is followed, and what pushes and cleans do by config is known.
        Key::Runs(Use::Alias) | Key::Pushes | Key::RedirectsIfTrue | Key::Requires | Key::Bare => {
            None
        }
        // It is no clone that would take its hooks from there.
        Key::Template => None,
        kind => of_value(kind, key, &setting.value, action, world, policy),
    };
    told(wrong?, &setting.how)
}

fn told(wrong: Wrong, how: &How) -> Option<Found> {
    let text = how.text.trim();
    let mut found = Found::new(wrong.effect, how.span).because(format!("`{text}`"));
    if let Some(fact) = wrong.fact {
        found = found.because(fact);
    }
    found.decision = Some(wrong.decision);
    Some(found)
}

fn of_value(
    kind: Key,
    key: &str,
    value: &SettingValue,
    action: &Action,
    world: &World,
    policy: &Policy,
) -> Option<Wrong> {
    let text = match value {
        SettingValue::Text(text) => text.as_str(),
        SettingValue::Bare => "true",
        SettingValue::Unknown => return unknown(kind),
    };
    let flag = off(text) || on(text);
    match kind {
        Key::Runs(wanted) => runs(text, wanted, action, world, policy),
        Key::RunsOrFlag(_) if flag => None,
        Key::RunsOrFlag(wanted) => runs(text, wanted, action, world, policy),
        Key::RunsMarked => runs(text.strip_prefix('!')?, Use::Along, action, world, policy),
        Key::Redirects => wrong(Decision::Deny, REACHES),
        Key::RedirectsIfTrue if off(text) => None,
        Key::RedirectsIfTrue => wrong(
            Decision::Deny,
            "every push to this remote would overwrite and delete its refs",
        ),
        Key::Bare if off(text) => None,
        Key::Bare => wrong(
            Decision::Deny,
            "git would take the main checkout for a bare repository: nothing could be done in it any more",
        ),
        Key::Rewrites if same_host(key, text) => None,
        Key::Rewrites => wrong(Decision::Deny, REACHES),
        Key::Includes => wrong(Decision::Deny, "git would take config from another file"),
        // A path on this machine is no foreign protocol.
        Key::Protocol if key == "protocol.file.allow" || text == "never" => None,
        Key::Protocol => wrong(Decision::Deny, "git would run helpers of foreign protocols"),
        Key::Autocorrect if matches!(text, "0" | "never" | "show" | "prompt") || off(text) => None,
        Key::Autocorrect => wrong(Decision::Deny, "git would run verbs that nobody typed"),
        Key::Expires if matches!(text, "now" | "all" | "0" | "today") => wrong(
            Decision::Deny,
            "git would forget what could bring lost commits back",
        ),
        Key::Template => wrong(Decision::Ask, "new repositories would get hooks from there"),
        Key::Expires | Key::Requires | Key::Pushes | Key::Harmless => None,
    }
}

/// What a value that is not known before the run may do.
fn unknown(kind: Key) -> Option<Wrong> {
    match kind {
        // Such a program only shows what is there, where somebody looks on.
        Key::Runs(Use::Pager) | Key::RunsOrFlag(Use::Pager) => None,
        Key::Runs(_) | Key::RunsOrFlag(_) | Key::RunsMarked => wrong(Decision::Ask, MAY_RUN),
        Key::Redirects | Key::RedirectsIfTrue | Key::Rewrites | Key::Includes => wrong(
            Decision::Ask,
            "git may reach another place than the repository says",
        ),
        Key::Bare => wrong(
            Decision::Ask,
            "git may take the main checkout for a bare repository",
        ),
        Key::Protocol => wrong(Decision::Ask, "git may run helpers of foreign protocols"),
        Key::Autocorrect => wrong(Decision::Ask, "git may run verbs that nobody typed"),
        Key::Expires => wrong(
            Decision::Ask,
            "git may forget what could bring lost commits back",
        ),
        Key::Template => wrong(Decision::Ask, "new repositories may get hooks from there"),
        Key::Requires | Key::Pushes | Key::Harmless => None,
    }
}

fn off(text: &str) -> bool {
    ["", "0", "false", "no", "off"]
        .iter()
        .any(|no| text.eq_ignore_ascii_case(no))
}

fn on(text: &str) -> bool {
    ["1", "true", "yes", "on"]
        .iter()
        .any(|yes| text.eq_ignore_ascii_case(yes))
}

/// What a value that git runs would do.
fn runs(text: &str, wanted: Use, action: &Action, world: &World, policy: &Policy) -> Option<Wrong> {
    let text = text.trim();
    let own = match wanted {
        Use::Editor | Use::Pager | Use::Askpass | Use::Alias => Decision::Ask,
        Use::Ssh | Use::Credential | Use::Along => Decision::Deny,
    };
    if text.is_empty() {
        return None;
    }
    if text.len() > VALUE_MAX {
        return wrong(own, RUNS);
    }
    let bare;
    let command = match (wanted, text.strip_prefix('!')) {
        (Use::Alias | Use::Credential, Some(command)) => command,
        (Use::Alias, None) => {
            bare = format!("git {text}");
            bare.as_str()
        }
        _ => text,
    };
    let start = Start {
        cwd: action.place.dir.clone(),
        home: world.around.home.clone(),
    };
    let script = shell::extract(command, &start, &Table, world);
    let mut worst: Option<Wrong> = (!script.problems.is_empty())
        .then(|| wrong(own, RUNS))
        .flatten();
    for command in script.commands() {
        let Some(program) = command.words.first() else {
            continue;
        };
        let base = action::basename(&program.text);
        let judged = base == "git" || base.starts_with("git-");
        let usual = match wanted {
            Use::Ssh => base == "ssh" && only_keys(&command.words),
            _ => config_keys::usual(base, wanted) && !program.text.starts_with('.'),
        };
        if !judged && !command.wrapper && !usual {
            let new = wrong(own, RUNS).map(|w| Wrong {
                fact: Some(format!("`{base}` is not among the usual ones")),
                ..w
            });
            worst = stricter(worst, new);
        }
        let named = action::name(command, action.place.dir.as_deref(), world);
        for inner in &named.actions {
            let decision = decides(inner, world, policy).max(later(inner));
            if decision > Decision::Allow {
                let decision = match wanted {
                    // It is judged again when it is called.
                    Use::Alias => Decision::Ask,
                    _ => decision,
                };
                let new = wrong(decision, RUNS).map(|w| Wrong {
                    fact: Some(format!("`{}` is guarded itself", inner.shown)),
                    ..w
                });
                worst = stricter(worst, new);
            }
        }
    }
    worst
}

fn stricter(old: Option<Wrong>, new: Option<Wrong>) -> Option<Wrong> {
    match (old, new) {
        (Some(old), Some(new)) if old.decision >= new.decision => Some(old),
        (old, None) => old,
        (_, new) => new,
    }
}

/// What is kept for later meets a checkout that is not as it is now.
fn later(inner: &Action) -> Decision {
    match &inner.act {
        Act::Discard(discard) if matches!(discard.reach, Reach::Tree) => Decision::Deny,
        _ => Decision::Allow,
    }
}

/// What all other laws say of an act that a value would lead to.
fn decides(inner: &Action, world: &World, policy: &Policy) -> Decision {
    let others = super::ALL.iter().filter(|rule| rule.id != RULE.id);
    others
        .flat_map(|rule| {
            let found = (rule.check)(inner, world, policy);
            found.into_iter().map(|found| {
                policy.decide(rule.id, found.decision.unwrap_or(rule.decision), found.case)
            })
        })
        .max()
        .unwrap_or_default()
}

/// `ssh` with options that choose a key, a port or how much is checked, and run nothing.
fn only_keys(words: &[Word]) -> bool {
    const RUNNING: &[&str] = &["proxycommand", "localcommand", "knownhostscommand"];
    let mut config = false;
    words.iter().skip(1).all(|word| {
        let text = word.text.to_ascii_lowercase();
        let whose = std::mem::replace(&mut config, word.text == "-F");
        let own = !whose && (config || !word.text.starts_with("-F"));
        word.opaque != Opaque::Many
            && (own || text == "/dev/null")
            && !RUNNING.iter().any(|r| text.contains(r))
    })
}

/// `url.NEW.insteadOf = OLD` only spells the same host otherwise.
fn same_host(key: &str, old: &str) -> bool {
    let new = key
        .strip_prefix("url.")
        .and_then(|rest| rest.rsplit_once('.'))
        .map_or("", |(new, _)| new);
    host(new).is_some_and(|new| host(old) == Some(new))
}

/// The host of `https://user@host/x`, `git@host:x`.
fn host(url: &str) -> Option<&str> {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    let end = rest.find(['/', ':']).unwrap_or(rest.len());
    let host = rest.get(..end)?;
    let at = host.rsplit_once('@').map_or(host, |(_, host)| host);
    (at.contains('.')).then_some(at)
}

/// `remote add --mirror=push`, and `--mirror` alone, which means both ways.
fn mirror(word: &Word) -> Option<Found> {
    let text = word.text.as_str();
    let (name, value) = text.split_once('=').unwrap_or((text, "both"));
    let is = name.len() > 3 && "--mirror".starts_with(name) && value != "fetch";
    is.then(|| {
        let effect = "every push to this remote would overwrite and delete its refs";
        Found::new(effect, word.span).because(format!("`{text}`"))
    })
}

/// A variable in front of the command, or exported before.
fn of_variable(
    name: &str,
    value: &Word,
    action: &Action,
    world: &World,
    policy: &Policy,
) -> Option<Found> {
    let how = How {
        text: format!("{name}={}", super::target::spelled(value)),
        span: value.span,
    };
    let wrong = match (config_keys::variable(name), value.known()) {
        (Variable::Harmless, _) => None,
        (Variable::Runs(Use::Pager | Use::Editor), None) => None,
        (Variable::Runs(_), None) => wrong(Decision::Ask, MAY_RUN),
        (Variable::Runs(wanted), Some(text)) => runs(text, wanted, action, world, policy),
        (Variable::Config, Some("" | "/dev/null")) if !hooks_elsewhere(action, world) => None,
        (Variable::Config, _) => wrong(Decision::Ask, "git would take config from another file"),
        (Variable::Home(file), Some(home)) => of_home(home, file, value, action, world),
        (Variable::Home(_), None) => None,
        (Variable::Common, _) if !runs_hooks(action) => None,
        (Variable::Common, _) => wrong(
            Decision::Ask,
            "git would take hooks and config from another directory",
        ),
        (Variable::Directory, Some("")) => None,
        (Variable::Directory, _) => wrong(Decision::Deny, RUNS),
        (Variable::Protocols, Some(list)) if !list.split(':').any(|p| p == "ext") => None,
        (Variable::Protocols, _) => {
            wrong(Decision::Deny, "git would run helpers of foreign protocols")
        }
    };
    told(wrong?, &how)
}

/// Verbs whose hooks stand guard.
fn runs_hooks(action: &Action) -> bool {
    matches!(
        action.act,
        Act::Commit(_) | Act::Push(_) | Act::Integrate(_)
    )
}

/// Another home with a git config of its own, which may turn hooks off.
fn of_home(home: &str, file: &str, value: &Word, action: &Action, world: &World) -> Option<Wrong> {
    if !runs_hooks(action) || world.around.home.as_deref() == Some(Path::new(home)) {
        return None;
    }
    let config = Word {
        text: format!("{home}/{file}"),
        ..value.clone()
    };
    match world.path_kind(&action.place, &config) {
        PathKind::Missing => None,
        _ => wrong(Decision::Ask, "git would take config from another file"),
    }
}

/// Hooks or signatures come from config that may stand in a file that is left out.
fn hooks_elsewhere(action: &Action, world: &World) -> bool {
    let mut place = action.place.clone();
    place
        .env
        .retain(|(name, _)| !name.starts_with("GIT_CONFIG_"));
    place.config.clear();
    let set = world.config(&place, "core.hookspath");
    !matches!(set, Fact::Known(None))
}
