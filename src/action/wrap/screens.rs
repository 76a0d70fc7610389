//! Terminals within terminals and tables of jobs: `tmux`, `screen`, `crontab`.

use super::{join, plain, somewhere, text};
use crate::shell::{Command, Inner, Stdin, Word};

/// What a verb of tmux does with the words behind its options.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Verb {
    /// One word is shell text, several are an argument vector.
    Starts,
    /// Shell text.
    Shell,
    /// Shell text, then commands of tmux.
    If,
    /// Keys that are typed.
    Keys,
}

/// Verbs of tmux that run something: name, alias, letters of options with a value.
#[rustfmt::skip]
const VERBS: &[(&str, &str, &str, Verb)] = &[
    ("display-popup", "popup", "bcdehsStTwxy", Verb::Starts),
    ("if-shell", "if", "t", Verb::If),
    ("new-session", "new", "ceFfnstxy", Verb::Starts),
    ("new-window", "neww", "ceFnt", Verb::Starts),
    ("pipe-pane", "pipep", "t", Verb::Shell),
    ("respawn-pane", "respawnp", "cet", Verb::Starts),
    ("respawn-window", "respawnw", "cet", Verb::Starts),
    ("run-shell", "run", "cdt", Verb::Shell),
    ("send-keys", "send", "cNt", Verb::Keys),
    ("split-window", "splitw", "ceFlpt", Verb::Starts),
];

/// `tmux [-L NAME] new -d 'TEXT' \; send-keys 'TEXT' Enter`
pub(super) fn tmux(words: &[Word], _: &Command) -> Vec<Inner> {
    let (options, end) = options(words, "cfLST");
    let mut found: Vec<Inner> = value(&options, 'c').map(|w| text(w, &[])).collect();
    let rest = words.get(end..).unwrap_or_default();
    for part in rest.split(|w| w.text == ";") {
        if let Some((verb, args)) = part.split_first() {
            found.extend(verb_of(&verb.text).map_or(Vec::new(), |v| runs(v, args)));
        }
    }
    found
}

/// tmux takes a verb by name, by alias, or by as much of its name as tells it apart.
fn verb_of(word: &str) -> Option<(&'static str, Verb)> {
    let exact = VERBS.iter().find(|v| v.0 == word || v.1 == word);
    let begun = || {
        let mut fits = VERBS.iter().filter(|v| v.0.starts_with(word));
        fits.next().filter(|_| word.len() > 2)
    };
    exact.or_else(begun).map(|v| (v.2, v.3))
}

fn runs((valued, verb): (&str, Verb), args: &[Word]) -> Vec<Inner> {
    let (options, end) = options(args, valued);
    let rest = args.get(end..).unwrap_or_default();
    let dir = match verb {
        Verb::Starts => value(&options, 'c').last(),
        // The pane's shell has been anywhere.
        Verb::Keys => Some(somewhere()),
        Verb::Shell | Verb::If => None,
    };
    let inner = match (verb, rest) {
        (_, []) => return Vec::new(),
        (Verb::Starts, [one]) | (Verb::Shell, [one, ..]) => vec![text(one.clone(), &[])],
        (Verb::Starts, several) => vec![plain(several)],
        (Verb::If, [test, then @ ..]) => {
            let commands = then.iter().map(|command| Word {
                text: format!("tmux {}", command.text),
                ..command.clone()
            });
            let mut all = vec![text(test.clone(), &[])];
            all.extend(commands.map(|command| text(command, &[])));
            all
        }
        (Verb::Keys, keys) => typed(keys),
    };
    let placed = inner.into_iter().map(|mut inner| {
        if let Inner::Text { dir: at, .. } | Inner::Argv { dir: at, .. } = &mut inner {
            at.clone_from(&dir);
        }
        inner
    });
    placed.collect()
}

/// Keys by name and keys as they stand, one behind the other as they are typed.
fn typed(keys: &[Word]) -> Vec<Inner> {
    let mut line = keys.first().cloned().unwrap_or_default();
    line.text.clear();
    for key in keys {
        match key.text.as_str() {
            "Enter" | "C-m" | "C-j" | "KPEnter" => line.text.push('\n'),
            "Space" => line.text.push(' '),
            "Tab" | "C-i" => line.text.push('\t'),
            literal => line.text.push_str(literal),
        }
        line.opaque = line.opaque.max(key.opaque);
        line.span.end = line.span.end.max(key.span.end);
    }
    vec![text(line, &[])]
}

/// `screen -dm COMMAND`, `screen -X stuff 'TEXT^M'`
pub(super) fn screen(words: &[Word], _: &Command) -> Vec<Inner> {
    let (options, end) = options(words, "cehpsStT");
    let rest = words.get(end..).unwrap_or_default();
    let sends = options.iter().any(|(letter, _)| *letter == 'X');
    match rest {
        [] => Vec::new(),
        [verb, args @ ..] if sends => match (verb.text.as_str(), join(args)) {
            ("stuff", Some(keys)) => {
                let lines = keys.text.replace("^M", "\n").replace("\\n", "\n");
                let lines = Word {
                    text: lines.replace("\\015", "\n"),
                    ..keys
                };
                let mut typed = text(lines, &[]);
                if let Inner::Text { dir, .. } = &mut typed {
                    *dir = Some(somewhere());
                }
                vec![typed]
            }
            ("screen" | "exec", Some(_)) => vec![plain(args)],
            _ => Vec::new(),
        },
        command => vec![plain(command)],
    }
}

/// `crontab -` with lines that are known: what they would run, times left out.
pub(super) fn crontab(_: &[Word], command: &Command) -> Vec<Inner> {
    let Stdin::Text(lines) = &command.stdin else {
        return Vec::new();
    };
    let jobs: Vec<&str> = lines.text.lines().filter_map(job).collect();
    if jobs.is_empty() {
        return Vec::new();
    }
    let jobs = Word {
        text: jobs.join("\n"),
        ..lines.clone()
    };
    vec![text(jobs, &[])]
}

/// The command of one line: five fields or `@daily` stand before it.
fn job(line: &str) -> Option<&str> {
    let mut rest = line.trim_start();
    if rest.starts_with('#') {
        return None;
    }
    let fields = if rest.starts_with('@') { 1 } else { 5 };
    for _ in 0..fields {
        let end = rest.find([' ', '\t'])?;
        rest = rest.get(end..)?.trim_start();
    }
    // What stands behind `%` is its input.
    Some(rest.split('%').next().unwrap_or(rest))
}

/// Options with one dash, in clusters, with their values, and where they end.
fn options(words: &[Word], valued: &str) -> (Vec<(char, Option<Word>)>, usize) {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(word) = words.get(at) {
        let Some(letters) = word.text.strip_prefix('-').filter(|rest| !rest.is_empty()) else {
            break;
        };
        at += 1;
        if letters == "-" {
            break;
        }
        for (n, letter) in letters.char_indices() {
            if !valued.contains(letter) {
                found.push((letter, None));
                continue;
            }
            let glued = letters.get(n.saturating_add(letter.len_utf8())..);
            let value = match glued {
                Some(rest) if !rest.is_empty() => Some(Word {
                    text: rest.to_owned(),
                    ..word.clone()
                }),
                _ => {
                    at += 1;
                    words.get(at - 1).cloned()
                }
            };
            found.push((letter, value));
            break;
        }
    }
    (found, at.min(words.len()))
}

fn value(options: &[(char, Option<Word>)], letter: char) -> impl Iterator<Item = Word> {
    let all = options.iter().filter(move |(name, _)| *name == letter);
    all.filter_map(|(_, value)| value.clone())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::action::testing::command;
    use crate::action::wrap::Table;
    use crate::shell::Wrappers;

    fn told(line: &str) -> Vec<String> {
        let found = Table.unfold(&command(line));
        let shown = found.iter().map(|inner| match inner {
            Inner::Text { text, dir, .. } => {
                let dir = dir.as_ref().map(|d| match d.known() {
                    Some(dir) => format!("{dir}: "),
                    None => "?: ".to_owned(),
                });
                format!("{}{}", dir.unwrap_or_default(), text.text.trim_end())
            }
            Inner::Argv { words, .. } => {
                let words: Vec<&str> = words.iter().map(|w| w.text.as_str()).collect();
                format!("[{}]", words.join(" "))
            }
            other => format!("{other:?}"),
        });
        shown.collect()
    }

    #[test]
    fn tmux_runs_what_its_verbs_start_and_what_is_typed_into_its_panes() {
        for (line, want) in [
            ("tmux new -d 'git push -f'", vec!["git push -f"]),
            ("tmux new-session -ds w 'npm run dev'", vec!["npm run dev"]),
            (
                "tmux -L x neww -c ../wt git reset --hard",
                vec!["[git reset --hard]"],
            ),
            ("tmux splitw -c ../wt 'git push'", vec!["../wt: git push"]),
            ("tmux run-shell 'git push -f'", vec!["git push -f"]),
            (
                "tmux if-shell true \"run 'git push'\"",
                vec!["true", "tmux run 'git push'"],
            ),
            (
                "tmux send-keys -t 0 'git push -f' Enter",
                vec!["?: git push -f"],
            ),
            ("tmux send -t 0 git Space push C-m", vec!["?: git push"]),
            (
                "tmux new -d \\; send-keys 'git push' Enter",
                vec!["?: git push"],
            ),
            ("tmux ls", vec![]),
            ("tmux attach -t w", vec![]),
            ("tmux capture-pane -p", vec![]),
        ] {
            assert_eq!(told(line), want, "{line}");
        }
    }

    #[test]
    fn screen_runs_its_words_and_what_is_stuffed_into_it() {
        for (line, want) in [
            ("screen -dm git push -f", vec!["[git push -f]"]),
            ("screen -dmS x npm run dev", vec!["[npm run dev]"]),
            (
                "screen -S x -X stuff 'git push -f^M'",
                vec!["?: git push -f"],
            ),
            ("screen -ls", vec![]),
        ] {
            assert_eq!(told(line), want, "{line}");
        }
    }

    #[test]
    fn a_job_stands_behind_its_times() {
        assert_eq!(job("* * * * * git push -f"), Some("git push -f"));
        assert_eq!(job("@daily  git push"), Some("git push"));
        assert_eq!(job("5 0 * * 1-5 mail -s x me%text"), Some("mail -s x me"));
        assert_eq!(job("# * * * * * git push"), None);
        assert_eq!(job("PATH=/usr/bin"), None);
    }
}
