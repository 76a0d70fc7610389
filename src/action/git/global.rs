//! git's own options before the verb, and the environment: where and with which config it runs.

use super::Run;
use crate::action::options::{display, starts_unknown};
use crate::action::{How, Place, Pointed, Setting, SettingValue, is_mark};
use crate::shell::{Command, Opaque, Word};
use std::path::{Path, PathBuf};

/// How many `GIT_CONFIG_KEY_n` are read one by one.
const CONFIG_MAX: usize = 64;

/// Where git's own options end.
pub(super) enum Head {
    /// At the verb.
    Verb(usize),
    /// At a word that cannot be read and may be the verb.
    Unread(Word),
    /// git only prints something, or refuses.
    Nothing,
}

/// The place that a command's environment gives, before any option.
pub(super) fn place(command: &Command, dir: Option<&Path>) -> Place {
    let mut place = Place {
        dir: dir.map(Path::to_path_buf),
        scrubbed: !command.unset.is_empty(),
        ..Place::default()
    };
    if command.assigns.is_empty() && command.exports.is_empty() {
        return place;
    }
    for (name, value) in environment(command) {
        match name {
            "GIT_DIR" => place.git_dir = pointed(value),
            "GIT_WORK_TREE" => place.work_tree = pointed(value),
            "GIT_CONFIG_COUNT" => counted(command, value, &mut place.config),
            "GIT_LITERAL_PATHSPECS" => {
                place.literal_pathspecs = value.known().is_some_and(|v| !false_text(v));
            }
            _ if name.starts_with("GIT_CONFIG_KEY_") || name.starts_with("GIT_CONFIG_VALUE_") => {}
            _ if matters(name) => place.env.push((name.to_owned(), value.clone())),
            _ => {}
        }
    }
    // git reads these behind the counted ones, whichever was set first.
    if let Some(at) = place
        .env
        .iter()
        .position(|(n, _)| n == "GIT_CONFIG_PARAMETERS")
    {
        let (_, value) = place.env.remove(at);
        parameters(&value, &mut place.config);
    }
    place
}

/// The variables in effect: exports that nothing took away, then the command's own.
fn environment(command: &Command) -> impl Iterator<Item = (&str, &Word)> {
    let own = |name: &str| command.assigns.iter().any(|a| a.name == name);
    let last = |at: usize, name: &str| {
        let later = command.assigns.get(at.saturating_add(1)..);
        !later.unwrap_or_default().iter().any(|a| a.name == name)
    };
    command
        .exports
        .iter()
        .filter(move |e| !own(&e.name) && !command.unset.contains(&e.name))
        .chain(
            command
                .assigns
                .iter()
                .enumerate()
                .filter(move |(at, a)| last(*at, &a.name))
                .map(|(_, a)| a),
        )
        .map(|a| (a.name.as_str(), &a.value))
}

fn variable<'a>(command: &'a Command, wanted: &str) -> Option<&'a Word> {
    environment(command)
        .find(|(name, _)| *name == wanted)
        .map(|(_, value)| value)
}

/// Whether a variable can change what a git command does.
fn matters(name: &str) -> bool {
    const NAMES: &[&str] = &[
        "HOME",
        "PATH",
        "EDITOR",
        "VISUAL",
        "PAGER",
        "SSH_ASKPASS",
        "SKIP",
        "LD_PRELOAD",
    ];
    const PREFIXES: &[&str] = &[
        "GIT_",
        "XDG_",
        "HUSKY",
        "LEFTHOOK",
        "SKIP_",
        "PRE_COMMIT",
        "SIMPLE_GIT_HOOKS",
        "OVERCOMMIT",
    ];
    NAMES.contains(&name) || PREFIXES.iter().any(|p| name.starts_with(p))
}

fn pointed(value: &Word) -> Pointed {
    value
        .known()
        .map_or(Pointed::Unknown, |path| Pointed::At(PathBuf::from(path)))
}

/// Makes what git is pointed at absolute: it counts from the directory after every `-C`.
pub(super) fn settle(place: &mut Place) {
    for target in [&mut place.git_dir, &mut place.work_tree] {
        if let Pointed::At(path) = target
            && path.is_relative()
        {
            *target = match &place.dir {
                Some(dir) => Pointed::At(dir.join(&path)),
                None => Pointed::Unknown,
            };
        }
    }
}

/// `GIT_CONFIG_COUNT`, with its keys and values.
fn counted(command: &Command, count: &Word, config: &mut Vec<Setting>) {
    let how = |text: String| How {
        text,
        span: count.span,
    };
    let known = count.known().and_then(|c| c.parse::<usize>().ok());
    let Some(total) = known.filter(|total| *total <= CONFIG_MAX) else {
        config.push(Setting {
            key: None,
            value: SettingValue::Unknown,
            how: how("GIT_CONFIG_COUNT".to_owned()),
        });
        return;
    };
    for n in 0..total {
        let key = variable(command, &format!("GIT_CONFIG_KEY_{n}")).and_then(Word::known);
        let value = variable(command, &format!("GIT_CONFIG_VALUE_{n}")).and_then(Word::known);
        config.push(Setting {
            key: key.map(canonical),
            value: value.map_or(SettingValue::Unknown, |v| SettingValue::Text(v.to_owned())),
            how: how(format!("GIT_CONFIG_KEY_{n}={}", key.unwrap_or("…"))),
        });
    }
}

/// `GIT_CONFIG_PARAMETERS`: `'key=value'` or `'key'='value'`, single-quoted, spaces between.
fn parameters(value: &Word, config: &mut Vec<Setting>) {
    let unknown = || Setting {
        key: None,
        value: SettingValue::Unknown,
        how: How {
            text: "GIT_CONFIG_PARAMETERS".to_owned(),
            span: value.span,
        },
    };
    let Some(text) = value.known() else {
        config.push(unknown());
        return;
    };
    let mut rest = text.trim_start();
    while !rest.is_empty() {
        let Some((key, after)) = unquote(rest) else {
            config.push(unknown());
            return;
        };
        rest = after;
        let mut pair = match key.split_once('=') {
            Some((key, value)) => (key.to_owned(), Some(value.to_owned())),
            None => (key, None),
        };
        if let Some(quoted) = rest.strip_prefix('=') {
            if quoted.starts_with('\'') {
                let Some((value, after)) = unquote(quoted) else {
                    config.push(unknown());
                    return;
                };
                pair.1 = Some(value);
                rest = after;
            } else {
                rest = quoted;
            }
        }
        let mut setting = unknown();
        setting.how.text = format!("GIT_CONFIG_PARAMETERS={}", pair.0);
        setting.key = Some(canonical(&pair.0));
        setting.value = pair.1.map_or(SettingValue::Bare, SettingValue::Text);
        config.push(setting);
        rest = rest.trim_start();
    }
}

/// One single-quoted word in which `'\''` and `'\!'` stand for `'` and `!`.
fn unquote(text: &str) -> Option<(String, &str)> {
    let mut rest = text.strip_prefix('\'')?;
    let mut out = String::new();
    loop {
        let (part, after) = rest.split_once('\'')?;
        out.push_str(part);
        let escaped = after
            .strip_prefix("\\'")
            .map(|r| ('\'', r))
            .or_else(|| after.strip_prefix("\\!").map(|r| ('!', r)));
        match escaped.and_then(|(c, r)| r.strip_prefix('\'').map(|r| (c, r))) {
            Some((c, next)) => {
                out.push(c);
                rest = next;
            }
            None => return Some((out, after)),
        }
    }
}

/// A config key with section and name in lower case and the subsection as it is.
pub(super) fn canonical(key: &str) -> String {
    let Some((section, rest)) = key.split_once('.') else {
        return key.to_ascii_lowercase();
    };
    let section = section.to_ascii_lowercase();
    match rest.rsplit_once('.') {
        Some((sub, name)) => format!("{section}.{sub}.{}", name.to_ascii_lowercase()),
        None => format!("{section}.{}", rest.to_ascii_lowercase()),
    }
}

/// Whether git reads a known word as a false boolean.
pub(super) fn is_false(word: &Word) -> bool {
    word.known().is_some_and(false_text)
}

/// Whether git reads a text as a false boolean.
pub(super) fn false_text(text: &str) -> bool {
    ["", "0", "false", "no", "off"]
        .iter()
        .any(|no| text.eq_ignore_ascii_case(no))
}

/// Reads the options in front of the verb into the run's place.
pub(super) fn options(words: &[Word], run: &mut Run<'_>) -> Head {
    let mut at = 0_usize;
    while let Some(word) = words.get(at) {
        let text = word.text.as_str();
        if starts_unknown(word) {
            return Head::Unread(word.clone());
        }
        if !text.starts_with('-') {
            settle(&mut run.place);
            return Head::Verb(at);
        }
        let (name, attached) = match text.split_once('=') {
            Some((name, _)) => (name, true),
            None => (text, false),
        };
        if word.opaque != Opaque::No && name.chars().any(is_mark) {
            return Head::Unread(word.clone());
        }
        let value = if attached {
            attached_value(word, name.len().saturating_add(1))
        } else if takes_value(name) {
            at = at.saturating_add(1);
            match words.get(at) {
                Some(next) => next.clone(),
                None => return Head::Nothing,
            }
        } else {
            Word::default()
        };
        if value.opaque == Opaque::Many {
            run.doubts.push(value.clone());
        }
        if !apply(name, attached, value, run) {
            return Head::Nothing;
        }
        at = at.saturating_add(1);
    }
    Head::Nothing
}

fn takes_value(name: &str) -> bool {
    matches!(
        name,
        "-C" | "-c"
            | "--git-dir"
            | "--work-tree"
            | "--namespace"
            | "--config-env"
            | "--attr-source"
            | "--super-prefix"
            | "--shallow-file"
    )
}

fn attached_value(word: &Word, from: usize) -> Word {
    Word {
        text: word.text.get(from..).unwrap_or_default().to_owned(),
        ..word.clone()
    }
}

/// Applies one option; false where nothing runs after it.
fn apply(name: &str, attached: bool, value: Word, run: &mut Run<'_>) -> bool {
    let place = &mut run.place;
    match name {
        "-C" if !attached => {
            place.dir = match (value.known(), place.dir.take()) {
                (Some(path), _) if Path::new(path).is_absolute() => Some(PathBuf::from(path)),
                (Some(""), dir) => dir,
                (Some(path), Some(dir)) => Some(dir.join(path)),
                _ => None,
            };
        }
        "-c" if !attached => place.config.push(setting(&value)),
        "--config-env" => {
            let setting = from_environment(&value, run.command);
            place.config.push(setting);
        }
        "--git-dir" => place.git_dir = pointed(&value),
        "--work-tree" => place.work_tree = pointed(&value),
        "--bare" => {
            place.git_dir = place.dir.clone().map_or(Pointed::Unknown, Pointed::At);
        }
        "--namespace" => place.env.push(("GIT_NAMESPACE".to_owned(), value)),
        "--exec-path" if attached => place.env.push(("GIT_EXEC_PATH".to_owned(), value)),
        "--literal-pathspecs" => place.literal_pathspecs = true,
        "--no-literal-pathspecs" => place.literal_pathspecs = false,
        "--glob-pathspecs" | "--noglob-pathspecs" | "--icase-pathspecs" => {
            let bare = name.trim_start_matches('-').replace('-', "_");
            let yes = Word {
                text: "1".to_owned(),
                span: value.span,
                ..Word::default()
            };
            place
                .env
                .push((format!("GIT_{}", bare.to_ascii_uppercase()), yes));
        }
        "--help" | "-h" | "--version" | "-v" | "--html-path" | "--man-path" | "--info-path"
        | "--exec-path" | "--list-cmds" => return false,
        _ => return !(name.starts_with("-C") || name.starts_with("-c")),
    }
    true
}

/// `-c key=value`.
fn setting(word: &Word) -> Setting {
    let how = How {
        text: format!("-c {}", display(&word.text)),
        span: word.span,
    };
    let (key, value) = match word.text.split_once('=') {
        Some((key, value)) => (key, Some(value)),
        None => (word.text.as_str(), None),
    };
    let blurred = |text: &str| word.opaque != Opaque::No && text.chars().any(is_mark);
    Setting {
        key: (!blurred(key)).then(|| canonical(key)),
        value: match value {
            None => SettingValue::Bare,
            Some(value) if blurred(value) => SettingValue::Unknown,
            Some(value) => SettingValue::Text(value.to_owned()),
        },
        how,
    }
}

/// `--config-env key=VARIABLE`.
fn from_environment(word: &Word, command: &Command) -> Setting {
    let (key, name) = word
        .known()
        .and_then(|text| text.rsplit_once('='))
        .map_or((None, None), |(key, name)| (Some(key), Some(name)));
    let value = name
        .and_then(|n| variable(command, n))
        .and_then(Word::known);
    Setting {
        key: key.map(canonical),
        value: value.map_or(SettingValue::Unknown, |v| SettingValue::Text(v.to_owned())),
        how: How {
            text: format!("--config-env={}", display(&word.text)),
            span: word.span,
        },
    }
}
