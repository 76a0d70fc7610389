//! `git config --edit` by an editor that the call itself names: what it writes is not known before.

use super::Found;
use super::config_keys;
use crate::action::{Action, ConfigWrite, SettingValue, basename};
use crate::shell::Word;

/// Where git looks for an editor, the first first.
const VARIABLES: &[&str] = &["GIT_EDITOR", "VISUAL", "EDITOR"];

/// Asks where the editor is no one's that a person works with.
pub(super) fn check(write: &ConfigWrite, action: &Action) -> Option<Found> {
    let editor = write.edits.then(|| editor(action))??;
    let found = Found::new("a program would edit the config unseen", write.how.span);
    match editor {
        Some(text) if by_hand(&text) => None,
        Some(text) => Some(found.because(format!("the editor is `{text}`")).ask()),
        None => Some(
            found
                .because("the editor is not known before it runs")
                .ask(),
        ),
    }
}

/// The editor that the call names; the inner `None` = it is not known.
fn editor(action: &Action) -> Option<Option<String>> {
    let variable = |name: &&str| action.place.env.iter().rfind(|(n, _)| n == name);
    let known = |word: &Word| word.known().map(str::to_owned);
    let setting = || {
        let all = action.place.config.iter();
        let last = all
            .rev()
            .find(|s| s.key.as_deref() == Some("core.editor"))?;
        Some(match &last.value {
            SettingValue::Text(text) => Some(text.clone()),
            _ => None,
        })
    };
    let (first, rest) = VARIABLES.split_first()?;
    let by = |name: &&str| variable(name).map(|(_, word)| known(word));
    by(first)
        .or_else(setting)
        .or_else(|| rest.iter().find_map(by))
}

/// One plain command, of a program that waits for a person or does nothing.
fn by_hand(text: &str) -> bool {
    let plain = |c: char| c.is_ascii_alphanumeric() || "_-./=+:@, ".contains(c);
    let program = text.split_whitespace().next().unwrap_or_default();
    text.chars().all(plain) && config_keys::by_hand(basename(program))
}
