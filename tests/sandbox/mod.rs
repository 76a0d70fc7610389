//! A throw-away world of real repositories: one work tree, three bare remotes, a private home.
#![allow(
    dead_code,
    unreachable_pub,
    reason = "each test binary uses its own part"
)]

pub mod foretold;
pub mod known;
pub mod refs;

use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Branches main, feature, dev, same, div (diverged), new (not on a remote), amb (also a tag),
/// feat/x, release/1.0; remotes origin, fork, third; tags v0 (differs on origin), v1, ann.
const TEMPLATE: &str = r#"
set -e
for r in origin fork third; do git init -q --bare $r.git; done
git init -q work; cd work
echo 0 >base; git add base; git commit -qm c0
for r in origin fork third; do git remote add $r $ROOT/$r.git; done
git tag v0
mk() { git checkout -q -b "$1" main; echo "$1" >"f-$(echo $1|tr / -)"; git add -A; git commit -qm "$1-1"; }
adv() { git checkout -q "$1"; echo more >>"f-$(echo $1|tr / -)"; git add -A; git commit -qm "$1-2"; }
mk feature; mk dev; mk same; mk div; mk gone; mk amb; mk feat/x; mk release/1.0; mk ronly
git checkout -q main
git push -q origin main feature dev same div gone feat/x release/1.0 ronly refs/heads/amb:refs/heads/amb v0
git tag vold gone; git push -q origin vold; git tag -d vold >/dev/null
git push -q fork main
git fetch -q origin; git fetch -q fork
for b in main feature dev same div amb feat/x release/1.0; do git branch -q --set-upstream-to=origin/$b $b; done
git branch -qD gone ronly
adv main; adv feature; adv dev; adv feat/x; adv amb
git checkout -q div; git commit -q --amend -m div-amended
git checkout -q -b new main; echo n>n; git add n; git commit -qm new-1
git tag v1 main; git tag -a ann -m ann feature; git tag amb main
git tag -f v0 main >/dev/null
git update-ref refs/notes/commits main; git update-ref refs/changes/1 main
git checkout -q feature
mkdir -p sub
# Fewer files to copy; tags are packed, branches are not.
git pack-refs
for r in . ../origin.git ../fork.git; do git -C $r repack -adq; git -C $r prune-packed -q; done
"#;

const HOME: &str = "[user]\n\tname=t\n\temail=t@t\n[init]\n\tdefaultBranch=main\n[advice]\n\
                    \tdetachedHead=false\n[protocol \"file\"]\n\tallow=always\n";

/// The template and the copy that a case works in; the path of the copy stands in its config.
pub struct Sandbox {
    _dir: tempfile::TempDir,
    pub root: PathBuf,
    template: PathBuf,
}

impl Sandbox {
    pub fn new() -> Sandbox {
        let dir = tempfile::tempdir().unwrap();
        // git resolves links in its own paths, so ours has none.
        let base = dir.path().canonicalize().unwrap();
        let (root, template) = (base.join("cur"), base.join("tpl"));
        std::fs::create_dir_all(root.join("home")).unwrap();
        std::fs::create_dir_all(root.join("bin")).unwrap();
        for made in ["empty/hooks", "empty/info", "empty/branches"] {
            std::fs::create_dir_all(base.join(made)).unwrap();
        }
        std::fs::write(root.join("home/.gitconfig"), HOME).unwrap();
        let sandbox = Sandbox {
            _dir: dir,
            root,
            template,
        };
        let (ok, out) = sandbox.bash(TEMPLATE, &sandbox.root);
        assert!(ok, "the template could not be built: {out}");
        std::fs::rename(&sandbox.root, &sandbox.template).unwrap();
        sandbox
    }

    /// Starts over.
    pub fn fresh(&self) {
        if self.root.exists() {
            std::fs::remove_dir_all(&self.root).unwrap();
        }
        copy(&self.template, &self.root);
    }

    /// Starts over, on the branch and with the set-up of a vector.
    pub fn set_up(&self, vector: &Value) {
        self.fresh();
        let work = self.root.join("work");
        let branch = text(vector, "branch");
        let mut lines = vec![match branch {
            "DETACHED" => "git checkout -q --detach feature".to_owned(),
            "" | "feature" => String::new(),
            other => format!("git checkout -q {other}"),
        }];
        for line in vector["setup"].as_array().unwrap() {
            lines.push(self.filled(line.as_str().unwrap()));
        }
        for line in lines.iter().filter(|l| !l.is_empty()) {
            let (ok, out) = self.bash(line, &work);
            assert!(ok, "{}: set-up failed: {line}: {out}", text(vector, "id"));
        }
    }

    /// `$ROOT` as it is here.
    pub fn filled(&self, text: &str) -> String {
        text.replace("$ROOT", self.root.to_str().unwrap())
    }

    pub fn bash(&self, script: &str, cwd: &Path) -> (bool, String) {
        let path = std::env::var("PATH").unwrap_or_default();
        let out = Command::new("bash")
            .args(["-c", script])
            .current_dir(cwd)
            .env_clear()
            .env(
                "PATH",
                format!("{}:{path}", self.root.join("bin").display()),
            )
            .env("HOME", self.root.join("home"))
            .env("ROOT", &self.root)
            .env("LC_ALL", "C")
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .env("GIT_TEMPLATE_DIR", self.root.with_file_name("empty"))
            .env("GIT_EDITOR", "true")
            .env("GIT_SEQUENCE_EDITOR", "true")
            .env("GIT_AUTHOR_DATE", "2026-01-01T00:00:00Z")
            .env("GIT_COMMITTER_DATE", "2026-01-01T00:00:00Z")
            .stdin(Stdio::null())
            .output()
            .unwrap();
        let text = |b: &[u8]| String::from_utf8_lossy(b).into_owned();
        (out.status.success(), text(&out.stdout) + &text(&out.stderr))
    }
}

/// A tree of files as it is; objects never change, so copies share them.
fn copy(from: &Path, to: &Path) {
    std::fs::create_dir(to).unwrap();
    let shared = from.components().any(|part| part.as_os_str() == "objects");
    for entry in std::fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let (kind, path) = (entry.file_type().unwrap(), to.join(entry.file_name()));
        if kind.is_dir() {
            copy(&entry.path(), &path);
        } else if kind.is_symlink() {
            let target = std::fs::read_link(entry.path()).unwrap();
            std::os::unix::fs::symlink(target, path).unwrap();
        } else if shared {
            std::fs::hard_link(entry.path(), path).unwrap();
        } else {
            std::fs::copy(entry.path(), &path).unwrap();
            // git trusts its index only where the times agree.
            let modified = entry.metadata().unwrap().modified().unwrap();
            let file = std::fs::File::options().append(true).open(path).unwrap();
            file.set_modified(modified).unwrap();
        }
    }
}

/// All vectors of a file.
pub fn every(file: &str) -> Vec<Value> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("fixtures/vectors")
        .join(file);
    let text = std::fs::read_to_string(path).unwrap();
    text.lines()
        .map(|l| serde_json::from_str(l).unwrap())
        .collect()
}

/// Whether everything runs, not a sample.
pub fn long() -> bool {
    std::env::var_os("LEASEGUARD_LONG").is_some_and(|v| v != "0")
}

/// What `work` makes of every item, in its own sandbox for each of two threads.
pub fn spread<T: Sync, R: Send>(items: &[T], work: impl Fn(&T, &Sandbox) -> R + Sync) -> Vec<R> {
    let next = std::sync::atomic::AtomicUsize::new(0);
    let worker = || {
        let (sandbox, mut done) = (Sandbox::new(), Vec::new());
        loop {
            let at = next.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
            let Some(item) = items.get(at) else {
                return done;
            };
            done.push((at, work(item, &sandbox)));
        }
    };
    let mut all = std::thread::scope(|scope| {
        let other = scope.spawn(worker);
        let mut all = worker();
        all.extend(other.join().unwrap());
        all
    });
    all.sort_unstable_by_key(|(at, _)| *at);
    all.into_iter().map(|(_, made)| made).collect()
}

/// The vectors by what stands before them: one set-up serves all of a group.
pub fn by_setup(vectors: &[Value]) -> Vec<Vec<&Value>> {
    let mut groups: std::collections::BTreeMap<String, Vec<&Value>> = Default::default();
    for vector in vectors {
        let key = format!("{} {}", vector["setup"], text(vector, "branch"));
        groups.entry(key).or_default().push(vector);
    }
    groups.into_values().collect()
}

pub fn text<'a>(value: &'a Value, key: &str) -> &'a str {
    value[key].as_str().unwrap_or_default()
}

/// Whether a predicted ref, perhaps with `*`, covers the full ref `name`.
pub fn covers(pattern: &str, name: &str) -> bool {
    match pattern.split_once('*') {
        Some((before, after)) => {
            name.len() >= before.len() + after.len()
                && name.starts_with(before)
                && name.ends_with(after)
        }
        None => pattern == name,
    }
}

pub fn is_base(name: &str) -> bool {
    name.strip_prefix("refs/heads/")
        .is_some_and(|branch| leaseguard::policy::Policy::default().is_base(branch))
}
