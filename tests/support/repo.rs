//! Fixture repositories: one base built by real git, copied and changed for every setup.

use super::git::{git, shell};
use super::setup::Setup;
use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock};

/// A finished repository; it lives as long as the test program.
#[derive(Debug)]
pub(crate) struct Repo {
    /// Holds `repo`, `origin.git`, linked worktrees and `home`.
    pub(crate) root: PathBuf,
    /// The checkout.
    pub(crate) top: PathBuf,
    /// Where calls start.
    pub(crate) cwd: PathBuf,
    /// An empty HOME.
    pub(crate) home: PathBuf,
    /// A `GIT_*` variable that moves repository or config is set.
    pub(crate) git_env: bool,
    /// The forge that it is pushed to, where pull requests are part of the setup.
    pub(crate) forge: Option<super::forge::Forge>,
    /// The policy, where it is part of the setup.
    pub(crate) policy: Option<leaseguard::policy::Policy>,
    /// Held while a template's file lies in it.
    pub(crate) files: Mutex<()>,
}

/// A place for one repository: whoever comes second waits until it is built.
type Slot = Arc<Mutex<Option<Arc<Repo>>>>;

/// All repositories of this process.
struct Yard {
    dir: tempfile::TempDir,
    built: Mutex<HashMap<String, Slot>>,
}

/// The process's yard. A static is never dropped, so each start sweeps what dead processes left.
fn yard() -> &'static Yard {
    static YARD: OnceLock<Yard> = OnceLock::new();
    YARD.get_or_init(|| {
        sweep();
        let dir = tempfile::Builder::new()
            .prefix(&format!("{PREFIX}{}-", std::process::id()))
            .tempdir()
            .expect("a temporary directory");
        Yard {
            dir,
            built: Mutex::default(),
        }
    })
}

const PREFIX: &str = "fixture-of-lg-";

/// Removes what earlier processes left: their yard carries a process id that is gone.
fn sweep() {
    let Ok(entries) = fs::read_dir(std::env::temp_dir()) else {
        return;
    };
    for entry in entries.flatten() {
        let name = entry.file_name();
        let owner = name
            .to_string_lossy()
            .strip_prefix(PREFIX)
            .and_then(|rest| rest.split('-').next().map(str::to_owned));
        let Some(owner) = owner else { continue };
        if Path::new("/proc/self").exists() && !Path::new("/proc").join(owner).exists() {
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}

/// The repository for `setup`, built at most once a process.
pub(crate) fn get(setup: &Setup) -> Arc<Repo> {
    named(setup, setup.key())
}

/// The same, but a copy of its own for tests that put files into it.
pub(crate) fn apart(setup: &Setup) -> Arc<Repo> {
    named(setup, format!("apart {}", setup.key()))
}

/// One that nobody else gets, for tests that run commands in it.
pub(crate) fn fresh(setup: &Setup) -> Repo {
    let root = next_root();
    build(setup, &root)
}

fn next_root() -> PathBuf {
    static NEXT: std::sync::atomic::AtomicUsize = std::sync::atomic::AtomicUsize::new(0);
    let number = NEXT.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
    yard().dir.path().join(format!("r{number}"))
}

fn named(setup: &Setup, key: String) -> Arc<Repo> {
    let yard = yard();
    let slot = {
        let mut built = yard.built.lock().expect("the map of repositories");
        Arc::clone(built.entry(key).or_default())
    };
    let mut slot = slot.lock().unwrap_or_else(|_| {
        panic!(
            "building this setup failed before: {}",
            super::brief(&setup.key())
        )
    });
    if let Some(done) = slot.as_ref() {
        return Arc::clone(done);
    }
    let root = next_root();
    let repo = Arc::new(build(setup, &root));
    *slot = Some(Arc::clone(&repo));
    repo
}

/// The template that every repository is copied from.
fn template() -> &'static Path {
    static TEMPLATE: OnceLock<PathBuf> = OnceLock::new();
    TEMPLATE.get_or_init(|| {
        let root = yard().dir.path().join("template");
        base(&root);
        root
    })
}

/// The base fixture: a bare origin and a checkout on `feat/x`, one commit ahead.
fn base(root: &Path) {
    let (top, home) = (root.join("repo"), root.join("home"));
    fs::create_dir_all(&top).expect("fixture directories");
    fs::create_dir_all(&home).expect("fixture directories");
    let g = |args: &[&str]| git(&top, &home, args);
    // Without sample hooks: they would be copied with every repository.
    g(&[
        "init",
        "-q",
        "--template=",
        "--bare",
        "-b",
        "main",
        "../origin.git",
    ]);
    g(&["init", "-q", "--template=", "-b", "main"]);
    g(&["remote", "add", "origin", "../origin.git"]);
    for (path, text) in [
        (".gitignore", "node_modules/\ntarget/\n"),
        ("a.txt", "one\n"),
        ("b.txt", "two\n"),
        ("c.txt", "three\n"),
        ("src/a.rs", "fn a() {}\n"),
        ("src/b.rs", "fn b() {}\n"),
        ("docs/guide.md", "guide\n"),
    ] {
        put(&top.join(path), text);
        g(&["add", path]);
    }
    g(&["commit", "-qm", "first"]);
    put(&top.join("docs/guide.md"), "guide, second edition\n");
    g(&["commit", "-qam", "second"]);
    g(&["tag", "v1.0.0"]);
    g(&["push", "-q", "-u", "origin", "main", "v1.0.0"]);
    g(&["push", "-q", "origin", "main:dev", "main:staging"]);
    g(&["fetch", "-q"]);
    g(&["remote", "set-head", "origin", "main"]);

    g(&["switch", "-q", "-c", "feat/merged"]);
    commit(&top, &home, "merged.txt");
    g(&["switch", "-q", "main"]);
    // Fast-forward: local main is one ahead of the remote's.
    g(&["merge", "-q", "--ff-only", "feat/merged"]);

    for branch in ["feat/other", "feat/x"] {
        g(&["switch", "-q", "-c", branch, "--no-track", "origin/main"]);
        commit(&top, &home, &format!("{}.txt", branch.replace('/', "-")));
        g(&["push", "-q", "-u", "origin", branch]);
    }
    g(&[
        "switch",
        "-q",
        "-c",
        "feat/local",
        "--no-track",
        "origin/main",
    ]);
    commit(&top, &home, "local.txt");
    g(&["switch", "-q", "feat/x"]);
    commit(&top, &home, "ahead.txt");

    for (key, value) in [
        ("user.name", "Ann Author"),
        ("user.email", "ann@example.com"),
        ("commit.gpgSign", "true"),
        ("push.default", "simple"),
    ] {
        g(&["config", key, value]);
    }
    for hook in [
        "pre-commit",
        "commit-msg",
        "pre-push",
        "pre-rebase",
        "pre-merge-commit",
    ] {
        let path = top.join(".git/hooks").join(hook);
        put(
            &path,
            &format!("#!/bin/sh\necho {hook} >> \"$(git rev-parse --git-common-dir)/hooks.log\"\n"),
        );
        runnable(&path);
    }
}

/// A commit that adds one file.
fn commit(top: &Path, home: &Path, path: &str) {
    put(&top.join(path), &format!("{path}\n"));
    git(top, home, &["add", path]);
    git(top, home, &["commit", "-qm", &format!("add {path}")]);
}

fn build(setup: &Setup, root: &Path) -> Repo {
    copy(template(), root);
    let (top, home) = (root.join("repo"), root.join("home"));
    let g = |args: &[&str]| git(&top, &home, args);
    let has = |name: &str| {
        super::git::closed("git", &top, &home)
            .args(["rev-parse", "-q", "--verify", name])
            .output()
            .is_ok_and(|o| o.status.success())
    };

    for (name, what) in &setup.remotes {
        assert_eq!(what, "bare", "a remote is a bare copy of origin");
        let url = format!("../{name}.git");
        copy(&root.join("origin.git"), &root.join(format!("{name}.git")));
        g(&["remote", "add", name, &url]);
        g(&["fetch", "-q", name]);
    }
    if let Some(branch) = &setup.branch {
        if branch == "DETACHED" {
            g(&["checkout", "-q", "--detach"]);
        } else if has(&format!("refs/heads/{branch}"))
            || has(&format!("refs/remotes/origin/{branch}"))
        {
            g(&["switch", "-q", branch]);
        } else {
            match &setup.track {
                Some(start) => g(&["switch", "-q", "-c", branch, "--track", start]),
                None => g(&["switch", "-q", "-c", branch, "--no-track"]),
            };
            commit(&top, &home, "work.txt");
        }
    }
    if let Some(upstream) = &setup.upstream {
        match upstream {
            Some(name) => g(&["branch", "-q", "-u", name]),
            None => g(&["branch", "--unset-upstream"]),
        };
    }
    for branch in &setup.rewritten {
        rewrite(&top, &home, branch, &has);
    }
    for tree in &setup.worktrees {
        let path = format!("../{}", tree.name);
        if has(&format!("refs/heads/{}", tree.branch)) {
            g(&["worktree", "add", "-q", &path, &tree.branch]);
        } else {
            g(&["worktree", "add", "-q", "-b", &tree.branch, &path]);
        }
        let there = root.join(&tree.name);
        for file in tree.staged.iter().chain(&tree.dirty) {
            append(&there.join(file), "edited there\n");
        }
        for file in &tree.staged {
            git(&there, &home, &["add", "-f", "--", file]);
        }
        for file in &tree.untracked {
            put(&there.join(file), "new there\n");
        }
    }
    let claimed = super::claims::write_first(setup, root);
    for line in &setup.pre {
        shell(&top, &home, line);
    }
    for (key, values) in &setup.config {
        for (i, value) in values.all().iter().enumerate() {
            match i {
                0 => g(&["config", key, value]),
                _ => g(&["config", "--add", key, value]),
            };
        }
    }
    // A lock of git's would stop the steps that follow.
    let (locks, files): (Vec<_>, Vec<_>) = setup
        .write
        .iter()
        .partition(|(path, _)| path.ends_with(".lock"));
    for (path, text) in files {
        put(&top.join(path), text);
    }
    for path in &setup.ignored {
        put(&top.join(path), "ignored\n");
    }
    for path in &setup.staged {
        append(&top.join(path), "staged\n");
        g(&["add", "--", path]);
    }
    for path in setup.mine() {
        append(&top.join(path), "edited here\n");
    }
    for path in setup.dirty() {
        append(&top.join(path), "edited by somebody else\n");
    }
    for path in setup.untracked() {
        put(&top.join(path), "new from somebody else\n");
    }
    // The copy has new inodes and times: let the index know, as in a repository that is in use.
    let _ = super::git::closed("git", &top, &home)
        .args(["update-index", "-q", "--refresh"])
        .output();

    for (path, text) in locks {
        put(&top.join(path), text);
    }
    super::claims::write_rest(setup, root, &claimed);
    Repo {
        cwd: match &setup.cwd {
            Some(cwd) => clean(&top, cwd),
            None => top.clone(),
        },
        git_env: setup.env.keys().any(|k| k.starts_with("GIT_")),
        forge: setup
            .pr
            .as_ref()
            .map(|pulls| super::forge::Forge::of(pulls, root, &top, &home)),
        policy: super::plan::write(setup, root),
        files: Mutex::default(),
        root: root.to_owned(),
        top,
        home,
    }
}

/// Makes the local branch diverge from the remote's of the same name.
fn rewrite(top: &Path, home: &Path, branch: &str, has: &dyn Fn(&str) -> bool) {
    let g = |args: &[&str]| git(top, home, args);
    let remote = format!("refs/remotes/origin/{branch}");
    if !has(&remote) {
        g(&["push", "-q", "origin", branch]);
    }
    let tree = g(&["rev-parse", &format!("{remote}^{{tree}}")]);
    let parent = format!("{remote}~1");
    let new = g(&["commit-tree", &tree, "-p", &parent, "-m", "said otherwise"]);
    let full = format!("refs/heads/{branch}");
    let head = super::git::closed("git", top, home)
        .args(["symbolic-ref", "-q", "HEAD"])
        .output()
        .map(|o| String::from_utf8_lossy(&o.stdout).trim().to_owned());
    if head.is_ok_and(|h| h == full) {
        g(&["reset", "-q", "--hard", &new]);
    } else {
        g(&["update-ref", &full, &new]);
    }
}

/// Joins without leaving `..` in the result.
fn clean(top: &Path, rest: &str) -> PathBuf {
    let path = top.join(rest);
    fs::canonicalize(&path).unwrap_or_else(|e| panic!("cwd {}: {e}", path.display()))
}

/// Writes a file and the directories above it.
pub(crate) fn put(path: &Path, text: &str) {
    if let Some(above) = path.parent() {
        fs::create_dir_all(above).expect("fixture directories");
    }
    fs::write(path, text).unwrap_or_else(|e| panic!("writing {}: {e}", path.display()));
}

fn append(path: &Path, text: &str) {
    let before = fs::read_to_string(path).unwrap_or_default();
    put(path, &(before + text));
}

/// Sets the bits that let a file be run.
pub(crate) fn runnable(path: &Path) {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        fs::set_permissions(path, fs::Permissions::from_mode(0o755)).expect("permissions");
    }
    #[cfg(not(unix))]
    let _ = path;
}

/// Copies a directory with all that is in it.
fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("fixture directories");
    for entry in fs::read_dir(from).expect("the template").flatten() {
        let (path, target) = (entry.path(), to.join(entry.file_name()));
        if entry.file_type().is_ok_and(|t| t.is_dir()) {
            copy(&path, &target);
        } else {
            fs::copy(&path, &target).unwrap_or_else(|e| panic!("copying {}: {e}", path.display()));
        }
    }
}
