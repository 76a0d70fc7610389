//! What git itself tells where files read by hand do not: config with all conditions, refs of a reftable.

use super::Head;
use super::child::{Child, Ground};
use super::config::{Line, Value};
use super::load::Sources;
use super::repo::{REFTABLE, Repo, real, under};
use super::settings::{Entry, Scope, Settings};
use crate::action::Pointed;
use std::ffi::OsString;
use std::path::PathBuf;

/// Most `GIT_CONFIG_KEY_n` of the surroundings that are handed on.
const COUNTED_MAX: usize = 64;

/// Refs as git tells them, in order.
#[derive(Debug)]
pub(super) struct Refs {
    /// Full names, with the target of a symbolic one.
    pub(super) all: Vec<(String, Option<String>)>,
}

/// All config at a place, as git merges it there with the environment of the command.
pub(super) fn settings(sources: &Sources<'_>) -> Result<Settings, String> {
    let missing = || "git is not asked here".to_owned();
    let repo = sources.repo.filter(|r| !r.made && !r.added);
    let repo = repo.ok_or_else(missing)?;
    let children = repo.children.get().ok_or_else(missing)?;
    let dir = sources.place.dir.clone().ok_or_else(missing)?;
    // The child sees the disk, and conditions may hang on the branch.
    if repo.head() != (sources.head)() {
        return Err("config depends on the branch, which this call changes".to_owned());
    }
    let mut env = environment(sources)?;
    match &sources.place.git_dir {
        Pointed::At(path) => env.push(("GIT_DIR".to_owned(), dir.join(path).into())),
        Pointed::Found => env.push(("PWD".to_owned(), dir.clone().into())),
        Pointed::Unknown => return Err(missing()),
    }
    let told = children.told(&Child {
        ground: Ground {
            git_dir: dir.clone(),
            work_tree: None,
        },
        env,
        args: ["config", "--list", "-z", "--show-scope", "--show-origin"]
            .map(str::to_owned)
            .to_vec(),
    })?;
    let told = listed(&told).ok_or("git tells config in an unknown way")?;
    // Of a repository that it does not trust git is silent, and tells the rest.
    let own = real(&under(&repo.common, "config"));
    let from = [Some(&dir), repo.top.as_ref(), Some(&repo.git_dir)];
    let is_own = |file: &PathBuf| from.iter().flatten().any(|at| real(&at.join(file)) == own);
    match told.files.iter().any(is_own) {
        true => Ok(told),
        false => Err("git does not take this repository".to_owned()),
    }
}

/// `scope NUL origin NUL key LF value NUL`, or without `LF value` for a key alone.
fn listed(told: &str) -> Option<Settings> {
    let mut all = Settings {
        by_branch: true,
        ..Settings::default()
    };
    let mut parts = told.split_terminator('\0');
    while let Some(scope) = parts.next() {
        let (origin, text) = (parts.next()?, parts.next()?);
        let scope = match scope {
            "system" => Scope::System,
            "global" => Scope::Global,
            "local" => Scope::Local,
            "worktree" => Scope::Worktree,
            "command" => Scope::Command,
            _ => return None,
        };
        if let Some(file) = origin.strip_prefix("file:") {
            let file = PathBuf::from(file);
            if !all.files.contains(&file) {
                all.files.push(file);
            }
        }
        let line = match text.split_once('\n') {
            Some((key, value)) => Line {
                key: key.into(),
                value: Value::Text(value.into()),
            },
            None => Line {
                key: text.into(),
                value: Value::Bare,
            },
        };
        all.entries.push(Entry {
            scope,
            key: line.key,
            value: line.value,
            fresh: false,
            wide: false,
        });
    }
    Some(all)
}

/// The variables with which the command would read config, and no others.
fn environment(sources: &Sources<'_>) -> Result<Vec<(String, OsString)>, String> {
    let mut env = Vec::new();
    let home = match sources.env("HOME") {
        Some(own) => Some(own?.into()),
        None => sources.around.home.clone().map(OsString::from),
    };
    env.extend(home.map(|home| ("HOME".to_owned(), home)));
    for name in [
        "XDG_CONFIG_HOME",
        "GIT_CONFIG_GLOBAL",
        "GIT_CONFIG_SYSTEM",
        "GIT_CONFIG_NOSYSTEM",
    ] {
        let value = sources.variable(name)?;
        env.extend(value.map(|value| (name.to_owned(), value)));
    }
    if !sources.around.git_config() {
        return Ok(env);
    }
    let mut given = sources.place.config.iter();
    if given.any(|s| s.how.text.starts_with("GIT_CONFIG_")) {
        return Err("config comes from the environment and from the call".to_owned());
    }
    let all = sources.variable("GIT_CONFIG_PARAMETERS")?;
    env.extend(all.map(|all| ("GIT_CONFIG_PARAMETERS".to_owned(), all)));
    let Some(count) = sources.variable("GIT_CONFIG_COUNT")? else {
        return Ok(env);
    };
    let total = count.to_str().and_then(|c| c.parse::<usize>().ok());
    let total = total
        .filter(|total| *total <= COUNTED_MAX)
        .ok_or_else(|| "`GIT_CONFIG_COUNT` is no small number".to_owned())?;
    env.push(("GIT_CONFIG_COUNT".to_owned(), count));
    for n in 0..total {
        for part in ["KEY", "VALUE"] {
            let name = format!("GIT_CONFIG_{part}_{n}");
            // A missing one is git's to refuse.
            let value = sources.variable(&name)?;
            env.extend(value.map(|value| (name, value)));
        }
    }
    Ok(env)
}

/// All refs of a repository that keeps them in a reftable.
pub(super) fn refs(repo: &Repo) -> Result<Refs, String> {
    let format = "--format=%(refname) %(symref)";
    let told = ask(repo, &["for-each-ref", format])?;
    let all = told.lines().map(|line| {
        let (name, symref) = line.split_once(' ').unwrap_or((line, ""));
        (
            name.to_owned(),
            (!symref.is_empty()).then(|| symref.to_owned()),
        )
    });
    let mut all: Vec<_> = all.collect();
    all.sort_unstable();
    Ok(Refs { all })
}

/// `HEAD` of a checkout of such a repository.
pub(super) fn head(repo: &Repo) -> Result<Head, String> {
    // It fails on a detached `HEAD`, and the other on one without commits.
    let full = ask(repo, &["symbolic-ref", "HEAD"])
        .or_else(|_| ask(repo, &["rev-parse", "--symbolic-full-name", "HEAD"]))?;
    match full.trim_end().strip_prefix("refs/heads/") {
        Some(branch) => Ok(Head::Branch(branch.to_owned())),
        None if full.trim_end() == "HEAD" => Ok(Head::Detached),
        None => Err("`HEAD` points outside `refs/heads`".to_owned()),
    }
}

fn ask(repo: &Repo, args: &[&str]) -> Result<String, String> {
    let children = repo.children.get().filter(|_| !repo.added);
    let children = children.ok_or_else(|| REFTABLE.to_owned())?;
    let ground = Ground {
        git_dir: repo.git_dir.clone(),
        work_tree: None,
    };
    children
        .ask(&ground, None, args)
        .map_err(|why| format!("{REFTABLE}, and {why}"))
}

impl Refs {
    pub(super) fn has(&self, name: &str) -> bool {
        self.all
            .binary_search_by(|(n, _)| n.as_str().cmp(name))
            .is_ok()
    }

    pub(super) fn symref(&self, name: &str) -> Option<&str> {
        let at = self
            .all
            .binary_search_by(|(n, _)| n.as_str().cmp(name))
            .ok()?;
        self.all.get(at)?.1.as_deref()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn listed_config_keeps_scopes_files_lines_and_keys_alone() {
        let told = "global\0file:/h/.gitconfig\0a.b\nx\ny\0local\0file:/r/.git/config\0c.d\0command\0command line:\0e.f\n\0";
        let all = listed(told).unwrap();
        let seen: Vec<_> = all
            .entries
            .iter()
            .map(|e| (e.scope, e.key.as_str()))
            .collect();
        assert_eq!(
            seen,
            [
                (Scope::Global, "a.b"),
                (Scope::Local, "c.d"),
                (Scope::Command, "e.f")
            ]
        );
        assert_eq!(all.text("a.b"), Ok(Some("x\ny")));
        assert_eq!(all.last("c.d"), Ok(Some(&Value::Bare)));
        assert_eq!(all.text("e.f"), Ok(Some("")));
        assert_eq!(all.files.len(), 2);
    }

    #[test]
    fn config_told_by_halves_is_not_taken() {
        assert!(listed("local\0file:/r/config\0").is_none());
        assert!(listed("elsewhere\0file:/r/config\0a.b\nx\0").is_none());
    }
}
