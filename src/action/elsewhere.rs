//! Programs that are told to work in another directory than the one that they start in.

use super::{Act, Action, Place, file, ruin};
use crate::shell::{Command, Word};
use std::path::{Path, PathBuf};

/// Builders, with their options whose value is the directory, or a file in it; sorted.
const BUILDERS: &[(&str, &[&str])] = &[
    ("bun", &["--cwd"]),
    ("bundle", &["--gemfile"]),
    ("cargo", &["--manifest-path", "-C"]),
    ("cmake", &["--build", "-B"]),
    ("composer", &["--working-dir", "-d"]),
    ("ctest", &["--test-dir"]),
    ("gmake", &["--directory", "-C"]),
    ("go", &["-C"]),
    ("gradle", &["--project-dir", "-p"]),
    ("gradlew", &["--project-dir", "-p"]),
    ("just", &["--justfile", "--working-directory", "-d", "-f"]),
    ("make", &["--directory", "-C"]),
    ("meson", &["-C"]),
    ("mvn", &["--file", "-f"]),
    ("mvnw", &["--file", "-f"]),
    ("ninja", &["-C"]),
    ("npm", &["--prefix", "-C"]),
    ("pnpm", &["--dir", "-C"]),
    ("poetry", &["--directory", "--project", "-C", "-P"]),
    ("swift", &["--package-path"]),
    ("task", &["--dir", "--taskfile", "-d", "-t"]),
    ("terraform", &["-chdir"]),
    ("tofu", &["-chdir"]),
    ("turbo", &["--cwd"]),
    ("uv", &["--directory", "--project"]),
    ("yarn", &["--cwd"]),
];

/// When a formatter writes the files that it is given.
enum When {
    /// Where one of these words is among its own.
    With(&'static [&'static str]),
    /// Where none of these is.
    Without(&'static [&'static str]),
}

/// Formatters, and when they write; sorted.
const FORMATTERS: &[(&str, When)] = &[
    ("autopep8", When::With(&["--in-place", "-i"])),
    ("biome", When::With(&["--fix", "--write"])),
    ("black", When::Without(&["--check", "--diff"])),
    ("clang-format", When::With(&["-i"])),
    ("eslint", When::With(&["--fix"])),
    ("gofmt", When::With(&["-w"])),
    ("goimports", When::With(&["-w"])),
    (
        "isort",
        When::Without(&["--check", "--check-only", "--diff", "-c"]),
    ),
    ("prettier", When::With(&["--write", "-w"])),
    ("rubocop", When::With(&["--autocorrect", "-A", "-a"])),
    ("ruff", When::With(&["--fix", "format"])),
    ("rustfmt", When::Without(&["--check"])),
    ("shfmt", When::With(&["-w"])),
    ("stylelint", When::With(&["--fix"])),
    ("yapf", When::With(&["--in-place", "-i"])),
];

/// Programs that fetch another one by its name and run it.
const FETCHERS: &[&str] = &["bunx", "npx", "pnpx", "uvx"];

/// What `npx PROGRAM …` runs, as a command of its own.
fn fetched(base: &str, command: &Command) -> Option<Command> {
    let words = FETCHERS.contains(&base).then(|| command.words.get(1..))??;
    let at = words.iter().position(|word| !word.text.starts_with('-'))?;
    let mut words = words.get(at..)?.to_vec();
    let program = words.first_mut()?;
    // `rimraf@6`
    if let Some((name, _)) = program
        .text
        .split_once('@')
        .filter(|(name, _)| !name.is_empty())
    {
        program.text = name.to_owned();
    }
    Some(Command {
        words,
        redirects: Vec::new(),
        ..command.clone()
    })
}

/// Adds what a program that is fetched does to files.
pub(super) fn fetched_files(
    base: &str,
    command: &Command,
    dir: Option<&Path>,
    out: &mut Vec<Action>,
) {
    if let Some(inner) = fetched(base, command) {
        let base = inner.words.first().map_or("", |word| &word.text);
        file::read(base, &inner, dir, true, out);
        ruin::read(base, &inner, dir, out);
    }
}

/// `command` as a program that may write where it works: in `dir` if that is minded, and elsewhere.
pub(super) fn runs(base: &str, command: &Command, dir: Option<&Path>, minded: bool) -> Vec<Action> {
    let Some(program) = command.words.first() else {
        return Vec::new();
    };
    let here = minded.then(|| dir.map(Path::to_owned));
    let there = dirs(base, command, dir).into_iter().map(Some);
    let run = |dir| Action {
        act: Act::Run {
            program: program.clone(),
        },
        place: Place {
            dir,
            ..Place::default()
        },
        span: command.span,
        shown: super::shown(command),
    };
    here.into_iter().chain(there).map(run).collect()
}

/// Where `command`, whose program is `base`, works besides in `dir`.
fn dirs(base: &str, command: &Command, dir: Option<&Path>) -> Vec<PathBuf> {
    if let Some(inner) = fetched(base, command) {
        let base = inner.words.first().map_or("", |word| &word.text);
        return dirs(base, &inner, dir);
    }
    let words = command.words.get(1..).unwrap_or_default();
    let known: Vec<&str> = words.iter().filter_map(Word::known).collect();
    let named = match BUILDERS.binary_search_by_key(&base, |(name, _)| name) {
        Ok(at) => BUILDERS.get(at).map(|(_, options)| values(&known, options)),
        Err(_) => formatted(base, &known),
    };
    let named = named.unwrap_or_default().into_iter();
    let full = |path: &str| dir.map_or_else(|| PathBuf::from(path), |dir| dir.join(path));
    named.map(full).filter(|path| path.is_absolute()).collect()
}

/// The values of `options`: `-C DIR`, `-CDIR`, `--cwd DIR`, `--cwd=DIR`, `-chdir=DIR`.
fn values<'w>(words: &[&'w str], options: &[&str]) -> Vec<&'w str> {
    let mut found = Vec::new();
    for (at, word) in words.iter().enumerate() {
        if *word == "--" {
            break;
        }
        for option in options {
            let short = option.len() == 2;
            let value = match word.strip_prefix(option) {
                Some("") => words.get(at.saturating_add(1)).copied(),
                Some(rest) if short => Some(rest.strip_prefix('=').unwrap_or(rest)),
                Some(rest) => rest.strip_prefix('='),
                None => None,
            };
            found.extend(value);
        }
    }
    found
}

/// The paths that a formatter writes; `None` where it is none, or only shows.
fn formatted<'w>(base: &str, words: &[&'w str]) -> Option<Vec<&'w str>> {
    let at = FORMATTERS.binary_search_by_key(&base, |(name, _)| name);
    let (_, when) = FORMATTERS.get(at.ok()?)?;
    let has = |flags: &[&str]| words.iter().any(|word| flags.contains(word));
    let writes = match when {
        When::With(flags) => has(flags),
        When::Without(flags) => !has(flags),
    };
    let paths = words.iter().filter(|word| !word.starts_with('-'));
    writes.then(|| paths.copied().collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::action::testing::command;

    fn told(text: &str) -> Vec<String> {
        let command = command(text);
        let base = command.words.first().map_or("", |w| w.text.as_str());
        let all = dirs(base, &command, Some(Path::new("/r")));
        all.iter().map(|dir| dir.display().to_string()).collect()
    }

    #[test]
    fn the_lists_are_sorted_as_the_search_wants_them() {
        assert!(BUILDERS.is_sorted_by_key(|(name, _)| *name));
        assert!(FORMATTERS.is_sorted_by_key(|(name, _)| *name));
    }

    #[test]
    fn builders_say_where_they_work_and_formatters_what_they_write() {
        for (text, want) in [
            ("make -C ../w clean", &["/r/../w"] as &[&str]),
            ("make -C../w", &["/r/../w"]),
            ("make --directory=/w", &["/w"]),
            ("npm --prefix /w ci", &["/w"]),
            (
                "cargo fmt --manifest-path /w/Cargo.toml",
                &["/w/Cargo.toml"],
            ),
            ("terraform -chdir=/w apply", &["/w"]),
            ("go -C /w build", &["/w"]),
            ("prettier --write /w/a.ts", &["/w/a.ts"]),
            ("ruff check --fix /w", &["/r/check", "/w"]),
            ("black /w", &["/w"]),
            ("npx -y prettier@3 --write /w", &["/w"]),
            ("black --check /w", &[]),
            ("prettier /w/a.ts", &[]),
            ("make test", &[]),
            ("cargo test -- -C /w", &[]),
            ("pytest /w", &[]),
        ] {
            assert_eq!(told(text), want, "{text}");
        }
    }
}
