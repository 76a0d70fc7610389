//! Hooks and signatures that a command's config or environment leaves out.

use super::Run;
use super::global::{false_text, is_false};
use crate::action::options::{Line, display};
use crate::action::{Act, How, Setting, SettingValue, Unread};
use crate::shell::{Opaque, Word};
use std::path::Path;

/// Verbs in which a hook can say no.
const GATED: &[&str] = &[
    "am",
    "cherry-pick",
    "commit",
    "merge",
    "pull",
    "push",
    "rebase",
    "revert",
    "subtree",
];

/// Further verbs that run hooks, `reference-transaction` and `post-checkout` among them.
const HOOKED: &[&str] = &[
    "branch",
    "checkout",
    "reset",
    "stash",
    "switch",
    "symbolic-ref",
    "tag",
    "update-ref",
    "worktree",
];

/// Verbs that make commits.
const COMMITTING: &[&str] = &[
    "am",
    "cherry-pick",
    "commit",
    "merge",
    "pull",
    "rebase",
    "revert",
];

/// Skips that go by config or environment, once the verb is read and does something.
pub(super) fn given_with(run: &mut Run<'_>) {
    if run.place.config.is_empty() && run.place.env.is_empty() {
        return;
    }
    let verb = run.verb.as_str();
    let gated = GATED.contains(&verb);
    let mut skips = Vec::new();
    if gated || HOOKED.contains(&verb) {
        skips.extend(last(run, "core.hookspath").and_then(|s| hooks_path_setting(run, s)));
        for setting in &run.place.config {
            let word = match &setting.value {
                SettingValue::Text(text) => Some(Word {
                    text: text.clone(),
                    ..Word::default()
                }),
                _ => None,
            };
            let key = setting.key.as_deref().unwrap_or_default();
            skips.extend(hook_setting(key, word.as_ref(), setting.how.clone()));
        }
    }
    if gated {
        skips.extend(
            run.place
                .env
                .iter()
                .filter_map(|(name, v)| manager(name, v)),
        );
    }
    let keys: &[&str] = match verb {
        "tag" => &["tag.gpgsign"],
        "push" => &["push.gpgsign"],
        _ if COMMITTING.contains(&verb) && !run.signs => &["commit.gpgsign"],
        _ => &[],
    };
    for key in keys {
        let setting = last(run, key);
        skips.extend(
            setting
                .filter(|s| matches!(&s.value, SettingValue::Text(text) if false_text(text)))
                .map(|s| Act::SkipSigning(s.how.clone())),
        );
    }
    for skip in skips {
        run.act(skip);
    }
}

fn last<'r>(run: &'r Run<'_>, key: &str) -> Option<&'r Setting> {
    let settings = run.place.config.iter().rev();
    settings.into_iter().find(|s| s.key.as_deref() == Some(key))
}

fn hooks_path_setting(run: &Run<'_>, setting: &Setting) -> Option<Act> {
    let how = setting.how.clone();
    match &setting.value {
        SettingValue::Text(path) if !inside(path, run.place.dir.as_deref()) => {
            Some(Act::SkipHooks(how))
        }
        SettingValue::Unknown => Some(unknown(how, "core.hooksPath")),
        _ => None,
    }
}

/// `git config core.hooksPath VALUE`.
pub(super) fn hooks_path(run: &Run<'_>, value: &Word, how: How) -> Option<Act> {
    match value.known() {
        Some(path) => (!inside(path, run.place.dir.as_deref())).then_some(Act::SkipHooks(how)),
        None => Some(unknown(how, "core.hooksPath")),
    }
}

/// A hook of git's config that is switched off, or one of leaseguard's that is changed; `None` for
/// `value` = it goes, or is not known.
pub(super) fn hook_setting(key: &str, value: Option<&Word>, how: How) -> Option<Act> {
    let (name, what) = key.strip_prefix("hook.")?.rsplit_once('.')?;
    let ours = name.starts_with("leaseguard-");
    let off = what == "enabled" && value.is_some_and(is_false);
    let on = what == "enabled" && value.is_some_and(|word| !is_false(word) && !opaque(word));
    (off || ours && !on).then_some(Act::SkipHooks(how))
}

fn opaque(word: &Word) -> bool {
    word.opaque != Opaque::No
}

/// Whether a hooks directory lies in the checkout, where its hooks can be seen and reviewed.
fn inside(path: &str, dir: Option<&Path>) -> bool {
    if path.is_empty() || path.starts_with('~') {
        return false;
    }
    if path.starts_with('/') {
        return dir.is_some_and(|dir| Path::new(path).starts_with(dir))
            && !path.split('/').any(|part| part == "..");
    }
    let mut depth = 0_usize;
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => match depth.checked_sub(1) {
                Some(up) => depth = up,
                None => return false,
            },
            _ => depth = depth.saturating_add(1),
        }
    }
    depth > 0
}

fn unknown(how: How, what: &str) -> Act {
    Act::Opaque(Unread {
        program: "git".to_owned(),
        part: "option",
        why: format!("`{what}` decides whether hooks run, and its value is unknown"),
        span: how.span,
    })
}

/// What a hook manager's own variable switches off.
fn manager(name: &str, value: &Word) -> Option<Act> {
    let how = || How {
        text: format!("{name}={}", display(&value.text)),
        span: value.span,
    };
    let off = match name {
        "HUSKY" => value.text == "0",
        "LEFTHOOK" => is_false(value) && !value.text.is_empty(),
        "SKIP_SIMPLE_GIT_HOOKS" | "OVERCOMMIT_DISABLE" => value.text == "1",
        "SKIP"
        | "LEFTHOOK_EXCLUDE"
        | "LEFTHOOK_BIN"
        | "SIMPLE_GIT_HOOKS_RC"
        | "PRE_COMMIT_ALLOW_NO_CONFIG" => !value.text.is_empty(),
        _ => return None,
    };
    match value.opaque {
        Opaque::No => off.then(|| Act::SkipHooks(how())),
        _ => Some(unknown(how(), name)),
    }
}

/// `--no-verify` and `--no-gpg-sign` of a verb that has them.
pub(super) fn given(run: &mut Run<'_>, line: &Line<'_>) {
    if let Some(how) = line.on("no-verify").or_else(|| off(line, "verify")) {
        run.act(Act::SkipHooks(how));
    }
    if let Some(how) = off(line, "gpg-sign").or_else(|| off(line, "sign")) {
        run.act(Act::SkipSigning(how));
    }
    run.signs = line.any(&["gpg-sign", "sign"]);
}

/// The negated form of an option, if that is what counts.
fn off(line: &Line<'_>, name: &str) -> Option<How> {
    line.last(name).filter(|g| !g.on).map(|g| g.how())
}

/// `push --no-signed`, `--signed=no`.
pub(super) fn unsigned_push(line: &Line<'_>) -> Option<How> {
    let signed = line.last("signed")?;
    let no = !signed.on || signed.known().is_some_and(false_text);
    no.then(|| signed.how())
}
