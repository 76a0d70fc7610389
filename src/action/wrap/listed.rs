//! Wrappers that make words of a list: `xargs`, `parallel`, `find -exec`; and `flock`.

use super::{NONE, argv, options_end, opts, plain, text};
use crate::shell::{Command, Inner, OPAQUE, Opaque, Stdin, Word};

/// Lists longer than this become one command with all items.
const ITEMS: usize = 16;

/// A run of words that only the run itself knows.
fn unknown() -> Word {
    Word {
        text: OPAQUE.into(),
        opaque: Opaque::Many,
        ..Word::default()
    }
}

/// The words of a command's input, split as `xargs` splits by default.
fn items(command: &Command) -> Option<Vec<Word>> {
    let Stdin::Text(input) = &command.stdin else {
        return None;
    };
    let known = input.known()?;
    let words = known.split_ascii_whitespace().map(|w| {
        let text = w.replace(['\'', '"'], "").replace('\\', "");
        Word {
            text,
            span: input.span,
            ..Word::default()
        }
    });
    Some(words.collect())
}

/// `xargs [options] COMMAND…`: its input becomes arguments.
pub(super) fn xargs(words: &[Word], command: &Command) -> Vec<Inner> {
    const LONG: &[&str] = &[
        "--max-args",
        "--max-procs",
        "--delimiter",
        "--arg-file",
        "--max-chars",
        "--eof",
    ];
    let end = options_end(words, opts("InPLsdEaJRS", LONG));
    let options = words.get(..end).unwrap_or_default();
    let Some(rest) = words.get(end..).filter(|r| !r.is_empty()) else {
        return Vec::new();
    };
    let from_file = options
        .iter()
        .any(|w| w.text.starts_with("-a") || w.text.starts_with("--arg-file"));
    let list = if from_file { None } else { items(command) };
    let marker = marker(options);
    let each = marker.is_some()
        || options
            .iter()
            .any(|w| w.text.starts_with("-n") || w.text.starts_with("-L"));
    let Some(list) = list else {
        return vec![plain(&with(rest, marker.as_deref(), &[unknown()]))];
    };
    if each && list.len() <= ITEMS && !list.is_empty() {
        return list
            .iter()
            .map(|item| plain(&with(rest, marker.as_deref(), std::slice::from_ref(item))))
            .collect();
    }
    vec![plain(&with(rest, marker.as_deref(), &list))]
}

/// `-I R`, `-i`, `--replace[=R]`.
fn marker(options: &[Word]) -> Option<String> {
    let mut words = options.iter();
    while let Some(word) = words.next() {
        let t = word.text.as_str();
        if t == "-I" || t == "-J" {
            return words.next().map(|w| w.text.clone());
        }
        if let Some(rest) = t
            .strip_prefix("-I")
            .or_else(|| t.strip_prefix("--replace="))
        {
            return Some(rest.to_owned());
        }
        if t == "-i" || t == "--replace" {
            return Some("{}".to_owned());
        }
    }
    None
}

/// The command with the items in their place.
fn with(command: &[Word], marker: Option<&str>, items: &[Word]) -> Vec<Word> {
    let Some(marker) = marker.filter(|m| !m.is_empty()) else {
        return command.iter().chain(items).cloned().collect();
    };
    let item = items.first().cloned().unwrap_or_default();
    command
        .iter()
        .map(|word| {
            if !word.text.contains(marker) {
                return word.clone();
            }
            let text = word.text.replace(marker, &item.text);
            // Under `-I` an item is always one word.
            let opaque = match item.opaque {
                Opaque::No => word.opaque,
                _ => Opaque::One,
            };
            Word {
                text,
                opaque,
                ..word.clone()
            }
        })
        .collect()
}

/// `parallel COMMAND ::: ARGS`.
pub(super) fn parallel(words: &[Word], _: &Command) -> Vec<Inner> {
    let end = options_end(
        words,
        opts(
            "jSLNnPIa",
            &["--jobs", "--sshlogin", "--colsep", "--arg-file"],
        ),
    );
    let rest = words.get(end..).unwrap_or_default();
    let cut = rest
        .iter()
        .position(|w| w.text.starts_with(":::"))
        .unwrap_or(rest.len());
    let (command, args) = rest.split_at(cut);
    let args: Vec<Word> = args
        .iter()
        .filter(|w| !w.text.starts_with(":::"))
        .cloned()
        .collect();
    let items = if args.is_empty() {
        vec![unknown()]
    } else {
        args
    };
    let mut found = Vec::new();
    if command.is_empty() {
        found.extend(items.iter().map(|i| text(i.clone(), &[])));
    }
    let marked = command.iter().any(|w| w.text.contains("{}"));
    for item in items.iter().take(ITEMS) {
        let words = with(command, marked.then_some("{}"), std::slice::from_ref(item));
        found.extend(super::join(&words).map(|t| text(t, &[])));
    }
    found
}

/// `find … -exec COMMAND ;`, `fd … -x COMMAND`.
pub(super) fn find(words: &[Word], command: &Command) -> Vec<Inner> {
    let finds = command
        .words
        .first()
        .is_some_and(|w| super::basename(&w.text) == "find");
    let starts = |w: &Word| match w.text.as_str() {
        "-exec" | "-execdir" | "-ok" | "-okdir" => finds,
        "-x" | "--exec" | "-X" | "--exec-batch" => !finds,
        _ => false,
    };
    let mut found = Vec::new();
    let mut rest = words;
    while let Some(at) = rest.iter().position(starts) {
        rest = rest.get(at + 1..).unwrap_or_default();
        let end = rest
            .iter()
            .position(|w| w.text == ";" || (w.text == "+" && finds))
            .unwrap_or(rest.len());
        let inner: Vec<Word> = rest
            .get(..end)
            .unwrap_or_default()
            .iter()
            .map(found_file)
            .collect();
        if !inner.is_empty() {
            found.push(plain(&inner));
        }
        rest = rest.get(end..).unwrap_or_default();
    }
    found
}

/// `{}` becomes some path; it starts with `./` or a named root, so it is never an option.
fn found_file(word: &Word) -> Word {
    if !word.text.contains("{}") {
        return word.clone();
    }
    let text = word.text.replace("{}", &format!("./{OPAQUE}"));
    Word {
        text,
        opaque: Opaque::One,
        ..word.clone()
    }
}

/// `flock [options] FILE -c TEXT` or `flock [options] FILE COMMAND…`.
pub(super) fn flock(words: &[Word], _: &Command) -> Vec<Inner> {
    let options = opts("wE", &["--timeout", "--wait", "--conflict-exit-code"]);
    let rest = words
        .get(options_end(words, options) + 1..)
        .unwrap_or_default();
    match rest.split_first() {
        Some((flag, tail)) if matches!(flag.text.as_str(), "-c" | "--command") => tail
            .first()
            .map(|t| text(t.clone(), &[]))
            .into_iter()
            .collect(),
        _ => argv(rest, NONE, 0),
    }
}
