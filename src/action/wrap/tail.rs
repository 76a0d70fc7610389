//! Commands that a program we do not know might run: the tail rule, and texts for interpreters.

use super::is_wrapper;
use super::source::{interpreted, interpreter};
use crate::action::{basename, file, is_mark};
use crate::shell::{Command, Opaque, Word};

/// A command that might run, and only might.
#[derive(Debug, Clone)]
pub enum Possible {
    /// An argument vector.
    Words(Vec<Word>),
    /// Shell text.
    Text(Word),
}

/// Programs whose commands leaseguard judges, besides git: they release or act on a forge.
#[rustfmt::skip]
pub(super) const OUTWARD: &[&str] = &[
    "cargo", "docker", "gem", "gh", "glab", "gradle", "gradlew", "helm", "jj", "kubectl",
    "leaseguard", "mvn", "npm", "npx", "pnpm", "podman", "poetry", "pulumi", "terraform", "terragrunt", "tofu",
    "twine", "uv", "yarn",
];

/// Less common ones, whose names are looked for behind unknown programs alone.
#[rustfmt::skip]
const SELDOM: &[&str] = &[
    "Invoke-RestMethod", "Invoke-WebRequest", "arc", "argocd", "aws", "az", "buildah", "bun",
    "bunx", "cabal", "cdk", "cdktf", "changeset", "choco", "claude", "codex", "crane", "curl",
    "dart", "deno",
    "docker-compose", "dotnet", "firebase", "flit", "flutter", "fly", "flyctl", "gcloud",
    "ghstack", "git-branchless", "git-town", "goreleaser", "gt", "hatch", "helmfile", "http",
    "https", "hub", "irm", "iwr", "jsr", "lein", "lerna", "mix", "mvnw", "nerdctl", "netlify",
    "nuget", "oc", "oras", "ovsx", "pdm", "pipx", "pnpx", "pod", "rake", "release-plz", "rye",
    "sam", "sbt", "semantic-release", "serverless", "skaffold", "sl", "snapcraft", "spr", "stack",
    "tea", "uvx", "vercel", "vsce", "wget", "wrangler", "xh", "xhs",
];

/// With an unknown program in front, a verb that makes it worth a question, and whose it is.
const TELLING: &[(&str, &str)] = &[
    ("publish", "npm"),
    ("unpublish", "npm"),
    ("yank", "cargo"),
    ("upload", "twine"),
    ("image", "docker"),
    ("buildx", "docker"),
    ("compose", "docker"),
    ("apply", "kubectl"),
    ("apply", "terraform"),
    ("destroy", "terraform"),
    ("rollout", "kubectl"),
    ("pr", "gh"),
    ("release", "gh"),
    ("repo", "gh"),
    ("api", "gh"),
    ("mr", "glab"),
];

/// Whether `word` names a program whose commands leaseguard judges.
fn guarded(word: &str) -> bool {
    let name = basename(word);
    name == "git" || outward(name)
}

fn outward(name: &str) -> bool {
    if !name.starts_with(|c: char| c.is_ascii_alphabetic()) {
        return false;
    }
    let name = name.strip_suffix(".cmd").unwrap_or(name);
    OUTWARD.binary_search(&name).is_ok()
        || SELDOM.binary_search(&name).is_ok()
        || interpreter(name, "python")
}

/// Programs that only read, print or search their words; sorted.
#[rustfmt::skip]
const DATA: &[&str] = &[
    ":", "[", "[[", "ack", "ag", "alias", "apropos", "awk", "basename", "bat", "cat", "cd", "cmp",
    "column", "comm", "command", "compgen", "complete", "curl", "cut", "declare", "delta", "diff",
    "dirname", "echo", "egrep", "exit", "export", "expr", "false", "fgrep", "file", "fmt", "fold",
    "gawk", "gh", "glab", "grep", "hash", "head", "help", "history", "hub", "info", "jq", "kill",
    "leaseguard", "less", "let", "local", "logger", "ls", "make", "man", "mapfile", "mawk",
    "mkdir", "more", "nl", "notify-send", "osascript", "paste", "pgrep", "pkill", "printf",
    "read", "readonly", "return", "rg", "say", "sed", "set", "shift", "sort", "source", "stat",
    "tac", "tail", "tee", "terminal-notifier", "test", "touch", "tr", "tree", "true", "type",
    "typeset", "uniq", "unset", "wc", "wget", "whatis", "whereis", "which", "yq",
];

/// Options and verbs after which a word is a command for somebody.
const CARRIERS: &[&str] = &[
    "-c",
    "-e",
    "-x",
    "--run",
    "--command",
    "--exec",
    "--eval",
    "exec",
];

/// Verbs after which every word may be typed into a shell.
const TYPING: &[&str] = &[
    "send-keys",
    "send",
    "stuff",
    "type",
    "run-shell",
    "new-session",
    "new-window",
    "split-window",
];

/// How many commands are taken from one tail.
const MOST: usize = 6;

/// True for programs that only read, print or search their words.
pub fn is_data(program: &str) -> bool {
    DATA.binary_search(&program).is_ok()
}

/// What `command` might run though its program is not in the wrapper table.
pub fn possible(command: &Command) -> Vec<Possible> {
    let Some((program, rest)) = command.words.split_first() else {
        return Vec::new();
    };
    if program.opaque != Opaque::No && program.text.chars().all(is_mark) {
        return as_git(program, rest);
    }
    let name = basename(&program.text);
    // `/usr/b?n/g?t`: what the pattern finds is the program.
    if program.glob && program.text.contains('/') {
        return as_git(program, rest);
    }
    if let Some(found) = interpreted(command, rest) {
        return found;
    }
    let unsure = rest.iter().any(|w| w.opaque == Opaque::Many);
    if is_data(name) || name == "git" || name.starts_with("git-") {
        return Vec::new();
    }
    // `npm exec -c TEXT` is read by `npm`, which the table takes for a plain prefix.
    let carries = name == "npm"
        && rest
            .iter()
            .any(|w| matches!(w.text.as_str(), "-c" | "--call"));
    if is_wrapper(name) && command.wrapper && !unsure && !carries {
        return Vec::new();
    }
    tails(rest)
}

/// The program is unknown: it may be git.
fn as_git(program: &Word, rest: &[Word]) -> Vec<Possible> {
    if rest.is_empty() {
        return Vec::new();
    }
    let git = Word {
        text: "git".to_owned(),
        opaque: Opaque::No,
        ..program.clone()
    };
    let mut found = vec![Possible::Words(
        std::iter::once(git).chain(rest.iter().cloned()).collect(),
    )];
    let verb = rest.first().and_then(Word::known);
    for (_, name) in TELLING.iter().filter(|(telling, _)| verb == Some(*telling)) {
        let program = Word {
            text: (*name).to_owned(),
            opaque: Opaque::No,
            ..program.clone()
        };
        found.push(Possible::Words(
            std::iter::once(program)
                .chain(rest.iter().cloned())
                .collect(),
        ));
    }
    found.extend(tails(rest));
    found
}

/// The shell text that a word carries: behind an option, typed with its `\n`, or as `!cmd` of an editor.
fn typed(text: &str, carried: bool, typing: bool) -> Option<&str> {
    let escape = ["!", ":!", "+!", "+:!"];
    if let Some(escaped) = escape.iter().find_map(|e| text.strip_prefix(e)) {
        return Some(escaped);
    }
    let ends = ["\\n", "\\r", "^M"];
    let typed = ends.iter().find_map(|end| text.strip_suffix(end));
    match typed.filter(|_| typing) {
        Some(line) => Some(line),
        None => (carried || typing).then_some(text),
    }
}

/// A word, or a text of several, that names a guarded program.
fn speaks(text: &str) -> bool {
    text.contains("git") || text.split_ascii_whitespace().any(guarded)
}

pub(super) fn tails(rest: &[Word]) -> Vec<Possible> {
    let mut found = Vec::new();
    let mut typing = false;
    let mut carried = false;
    let last = rest.iter().rposition(|w| speaks(&w.text));
    for (at, word) in rest.iter().enumerate() {
        let text = word.text.as_str();
        let more = rest.get(at + 1..).unwrap_or_default();
        // A text of several words is no program.
        let several = || text.contains([' ', '\t', '\n']);
        let name = basename(text);
        let leads = last.is_some_and(|last| at < last) && is_wrapper(name);
        // Of other programs than git an unknown word alone is no reason to ask.
        let ruins = last.is_some_and(|last| at < last) && file::ruins(name) && !several();
        let releases =
            outward(name) && !several() && more.first().is_some_and(|w| w.known().is_some());
        if (name == "git" && !more.is_empty()) || releases || leads || ruins {
            found.push(Possible::Words(rest.get(at..).unwrap_or_default().to_vec()));
        } else if several()
            && let Some(typed) = typed(text, carried, typing)
        {
            let text = typed.to_owned();
            found.push(Possible::Text(Word {
                text,
                ..word.clone()
            }));
        }
        carried = CARRIERS.contains(&text);
        typing |= TYPING.contains(&text);
        if found.len() >= MOST {
            break;
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_that_are_searched_are_sorted() {
        assert!([DATA, OUTWARD, SELDOM].iter().all(|list| list.is_sorted()));
    }

    use crate::action::testing::command;

    /// The programs that `text` might run, with their first word.
    fn told(text: &str) -> Vec<String> {
        let words = |p: Possible| match p {
            Possible::Words(words) => words.iter().take(2).map(|w| w.text.clone()).collect(),
            Possible::Text(word) => vec![word.text],
        };
        let found = possible(&command(text)).into_iter().map(words);
        found.map(|w: Vec<String>| w.join(" ")).collect()
    }

    #[test]
    fn programs_that_release_are_seen_behind_programs_that_nobody_knows() {
        assert_eq!(
            told("aws-vault exec prod -- terraform apply"),
            ["terraform apply"]
        );
        assert_eq!(told("op run -- npm publish"), ["npm publish"]);
        assert_eq!(told("doppler run -- gh pr merge 1"), ["gh pr"]);
        assert_eq!(told("docker run --rm img cargo publish"), ["cargo publish"]);
        assert_eq!(told("tmux send-keys 'npm publish' Enter"), ["npm publish"]);
        assert_eq!(
            told("python -c 'import os; os.system(\"npm publish\")'"),
            ["npm publish"]
        );
    }

    #[test]
    fn their_names_alone_are_no_reason_to_ask() {
        for text in [
            "make docker push",
            "which npm cargo",
            "echo npm publish",
            "retry npm \"$CMD\"",
            "brew install gh",
            "gh pr create --body 'npm publish'",
            "ls docker push",
        ] {
            assert_eq!(told(text), Vec::<String>::new(), "{text}");
        }
    }

    #[test]
    fn an_unknown_program_may_be_one_that_releases_if_its_verb_says_so() {
        assert!(told("$PM publish").contains(&"npm publish".to_owned()));
        assert!(told("$GH pr merge 1").contains(&"gh pr".to_owned()));
        assert!(told("$TF apply").contains(&"terraform apply".to_owned()));
        assert_eq!(told("$PY script.py"), ["git script.py"]);
    }
}
