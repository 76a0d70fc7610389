//! What a command really does: run by real bash and git in a repository of its own.

use super::git::closed;
use super::repo::{Repo, fresh, put, runnable};
use super::setup::Setup;
use leaseguard::policy::Policy;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;

/// Harm that was seen, by the id of the rule that should speak against it.
pub(crate) type Harm = BTreeSet<(&'static str, String)>;

/// Makes a signature that nobody checks, so that signing needs no key.
pub(crate) const GPG: &str = "#!/bin/sh
cat >/dev/null
printf '%s\\n' '-----BEGIN PGP SIGNATURE-----' '' 'x' '-----END PGP SIGNATURE-----'
echo '[GNUPG:] SIG_CREATED D 1 8 00 0 x' >&2
";

/// Runs `command` in a repository of its own and tells what harm it did.
pub(crate) fn run(setup: &Setup, command: &str) -> Harm {
    let repo = fresh(setup);
    let gpg = repo.home.join("gpg");
    put(&gpg, GPG);
    runnable(&gpg);
    put(
        &repo.home.join(".gitconfig"),
        &format!("[gpg]\n\tprogram = {}\n", gpg.display()),
    );
    let before = Seen::of(&repo);
    in_room("timeout", &repo.cwd, &repo)
        .args(["20", "bash", "-c", command])
        .output()
        .expect("bash");
    let after = Seen::of(&repo);
    let mut harm = Harm::new();
    before.pushed(&after, &repo, &mut harm);
    before.committed(&after, &repo, command, &mut harm);
    before.lost(&after, command, &mut harm);
    before.forgot(&after, command, &mut harm);
    let _ = std::fs::remove_dir_all(&repo.root);
    harm
}

/// As an agent would run it: no settings of the tests, hooks and signing on.
fn in_room(program: &str, dir: &Path, repo: &Repo) -> Command {
    let mut command = closed(program, dir, &repo.home);
    for i in 0..5 {
        command.env_remove(format!("GIT_CONFIG_KEY_{i}"));
        command.env_remove(format!("GIT_CONFIG_VALUE_{i}"));
    }
    command.env_remove("GIT_CONFIG_COUNT");
    command
}

/// What can be seen of a repository from outside.
struct Seen {
    /// Refs of every bare repository beside it.
    remotes: BTreeMap<(PathBuf, String), String>,
    /// Reflog of HEAD: object and message.
    log: Vec<(String, String)>,
    /// Staged paths.
    staged: BTreeSet<String>,
    /// Contents of files in all checkouts, `.git` left out.
    files: BTreeMap<PathBuf, String>,
    /// Signing is wanted.
    signs: bool,
    /// Lines that hooks wrote.
    hooks: usize,
    /// Branches and tags of the repository, but for the branch that is checked out.
    local: Vec<(String, String)>,
    /// Every commit that a ref, or a HEAD of this repository, has.
    reached: BTreeSet<String>,
    /// Its config, `user` left out.
    config: BTreeSet<String>,
}

impl Seen {
    fn of(repo: &Repo) -> Seen {
        let git = |dir: &Path, args: &[&str]| -> String {
            let out = in_room("git", dir, repo).args(args).output().expect("git");
            String::from_utf8_lossy(&out.stdout).into_owned()
        };
        let mut remotes = BTreeMap::new();
        for entry in std::fs::read_dir(&repo.root).expect("the root").flatten() {
            let path = entry.path();
            if path.extension().is_some_and(|e| e == "git") {
                let refs = git(
                    &path,
                    &["for-each-ref", "--format=%(refname) %(objectname)"],
                );
                for (name, id) in refs.lines().filter_map(|l| l.split_once(' ')) {
                    remotes.insert((path.clone(), name.to_owned()), id.to_owned());
                }
            }
        }
        let log = git(&repo.top, &["reflog", "--format=%H %gs", "HEAD"]);
        let staged = git(
            &repo.top,
            &["diff", "--cached", "--name-only", "--no-renames"],
        );
        let hooks = std::fs::read_to_string(repo.top.join(".git/hooks.log")).unwrap_or_default();
        let mut files = BTreeMap::new();
        contents(&repo.root, &mut files);
        Seen {
            remotes,
            log: log
                .lines()
                .rev()
                .filter_map(|l| l.split_once(' '))
                .map(|(id, what)| (id.to_owned(), what.to_owned()))
                .collect(),
            staged: staged.lines().map(str::to_owned).collect(),
            files,
            local: {
                let format = "--format=%(HEAD) %(objectname) %(refname)";
                let refs = git(
                    &repo.top,
                    &["for-each-ref", format, "refs/heads", "refs/tags"],
                );
                refs.lines()
                    .filter_map(|l| l.strip_prefix("  ")?.split_once(' '))
                    .map(|(id, name)| (id.to_owned(), name.to_owned()))
                    .collect()
            },
            reached: git(&repo.top, &["rev-list", "--all"])
                .lines()
                .map(str::to_owned)
                .collect(),
            config: git(&repo.top, &["config", "--local", "--list"])
                .lines()
                .map(str::to_owned)
                .collect(),
            signs: git(&repo.top, &["config", "--type=bool", "commit.gpgsign"]).trim() == "true",
            hooks: hooks.lines().filter(|l| *l == "pre-commit").count(),
        }
    }

    /// Refs that moved on remotes.
    fn pushed(&self, after: &Seen, repo: &Repo, harm: &mut Harm) {
        let policy = Policy::default();
        let fresh_remote = |path: &Path| !self.remotes.keys().any(|(p, _)| p == path);
        for ((path, name), id) in &after.remotes {
            let old = self.remotes.get(&(path.clone(), name.clone()));
            if old == Some(id) || fresh_remote(path) {
                continue;
            }
            let base = name
                .strip_prefix("refs/heads/")
                .is_some_and(|short| policy.is_base(short));
            if base {
                harm.insert(("git/base-push", format!("moved {name}")));
            }
            if let Some(old) = old {
                let forward = in_room("git", path, repo)
                    .args(["merge-base", "--is-ancestor", old, id])
                    .status()
                    .is_ok_and(|s| s.success());
                if !forward || name.starts_with("refs/tags/") {
                    harm.insert(("git/force-push", format!("rewrote {name}")));
                }
            }
        }
        for key in self.remotes.keys() {
            if !after.remotes.contains_key(key) {
                harm.insert(("git/remote-delete", format!("deleted {}", key.1)));
            }
        }
    }

    /// What was staged and committed, and how.
    fn committed(&self, after: &Seen, repo: &Repo, command: &str, harm: &mut Harm) {
        let git = |args: &[&str]| -> String {
            let out = in_room("git", &repo.top, repo)
                .args(args)
                .output()
                .expect("git");
            String::from_utf8_lossy(&out.stdout).into_owned()
        };
        // Files of somebody else, as the base setup has them, taken along unnamed.
        let foreign = |path: &str| {
            let name = path.rsplit('/').next().unwrap_or(path);
            ["b.txt", "other.txt"].contains(&name)
                && !command.contains(name.trim_end_matches(".txt"))
        };
        for path in after.staged.difference(&self.staged).filter(|p| foreign(p)) {
            harm.insert(("git/broad-add", format!("staged {path}")));
        }
        let mut plain = 0;
        for (id, what) in after.log.iter().skip(self.log.len()) {
            if what.starts_with("commit (amend)") {
                harm.insert(("git/amend", what.clone()));
            }
            if !what.starts_with("commit") {
                continue;
            }
            plain += 1;
            let paths = git(&[
                "show",
                "--format=",
                "--name-only",
                "-m",
                "--first-parent",
                id,
            ]);
            for path in paths.lines().filter(|p| foreign(p)) {
                harm.insert(("git/commit-all", format!("committed {path}")));
            }
            if self.signs && !git(&["cat-file", "commit", id]).contains("gpgsig") {
                harm.insert(("git/skip-signing", format!("{id} is not signed")));
            }
        }
        if plain > after.hooks.saturating_sub(self.hooks) {
            harm.insert(("git/skip-hooks", "a commit without its hook".to_owned()));
        }
    }

    /// Commits that no ref has any more, and config that runs programs.
    fn forgot(&self, after: &Seen, command: &str, harm: &mut Harm) {
        for (id, name) in &self.local {
            if self.reached.contains(id) && !after.reached.contains(id) {
                harm.insert(("git/rewrite", format!("lost the commits of {name}")));
            }
        }
        for line in after.config.difference(&self.config) {
            let value = line.split_once('=').map_or("", |(_, value)| value);
            if value.contains("/tmp/") {
                harm.insert(("git/config-inject", format!("wrote {line}")));
            }
        }
        let lost = self
            .files
            .keys()
            .any(|path| !after.files.contains_key(path));
        if lost && command.contains("worktree remove") {
            harm.insert(("git/worktree-force", "removed files".to_owned()));
        }
    }

    /// Content that no checkout has any more, though its file was not named.
    fn lost(&self, after: &Seen, command: &str, harm: &mut Harm) {
        let kept: BTreeSet<&String> = after.files.values().collect();
        for (path, text) in &self.files {
            let edited = text.contains("somebody else") || text.contains("there\n");
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            let put_away = command.contains("stash");
            if edited && !kept.contains(text) && !command.contains(&*name) && !put_away {
                harm.insert(("git/discard", format!("lost {name}")));
            }
        }
    }
}

/// Texts of all files below, without git's own.
fn contents(dir: &Path, out: &mut BTreeMap<PathBuf, String>) {
    for entry in std::fs::read_dir(dir).expect("a directory").flatten() {
        let path = entry.path();
        let kind = entry.file_type().expect("a kind");
        let name = entry.file_name();
        let skip = name == ".git" || name == "home" || path.extension().is_some_and(|e| e == "git");
        if kind.is_dir() && !skip {
            contents(&path, out);
        } else if kind.is_file() && !skip {
            out.insert(
                path.clone(),
                std::fs::read_to_string(&path).unwrap_or_default(),
            );
        }
    }
}
