//! Real bash and git lose work, or not: what is in no commit, no index, no stash and no other file.

use leaseguard::call::{Call, Dialect, What};
use leaseguard::policy::Policy;
use leaseguard::verdict::Verdict;
use leaseguard::world::{Colleagues, Company, Seated, Surroundings};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Who works beside the session, and what it wrote itself.
#[derive(Default)]
pub(crate) struct Beside {
    pub(crate) seated: Seated,
    pub(crate) wrote: Vec<PathBuf>,
}

impl Beside {
    /// Alone, or beside others.
    pub(crate) fn alone(alone: bool) -> Beside {
        Beside {
            seated: if alone { Seated::Alone } else { Seated::Others },
            ..Beside::default()
        }
    }
}

impl Colleagues for Beside {
    fn seated(&self, _: &Path) -> Seated {
        self.seated
    }

    fn wrote(&self, file: &Path) -> Option<bool> {
        self.wrote.iter().any(|own| own == file).then_some(true)
    }
}

fn bash(script: &str, cwd: &Path, home: &Path) -> bool {
    Command::new("bash")
        .args(["-c", script])
        .current_dir(cwd)
        .env_clear()
        .env("PATH", std::env::var_os("PATH").unwrap_or_default())
        .env("HOME", home)
        .env("LC_ALL", "C")
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .env("GIT_EDITOR", "true")
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .unwrap()
        .success()
}

fn lines(cwd: &Path, home: &Path, script: &str) -> BTreeSet<String> {
    let out = Command::new("bash")
        .args(["-c", script])
        .current_dir(cwd)
        .env("HOME", home)
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .stdin(Stdio::null())
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&out.stdout).into_owned();
    text.lines().map(str::to_owned).collect()
}

/// Ids of what is on disk or staged, ignored files left out.
const AT_HAND: &str = "git ls-files -s | cut -d' ' -f2
git ls-files -z -co --exclude-standard | sort -zu | while IFS= read -r -d '' f; do
    if [ -L \"$f\" ]; then readlink -n \"$f\" | git hash-object --stdin; \
elif [ -f \"$f\" ]; then git hash-object \"$f\"; fi; done
if [ -f ../kept ]; then git hash-object ../kept; fi";

/// Ids of what branches, tags, remotes and stashes hold.
const KEPT: &str = "git rev-list --objects HEAD --all | cut -d' ' -f1";

/// Copies of a repository, each in a state of its own.
pub(crate) struct Yard {
    _dir: tempfile::TempDir,
    pub(crate) root: PathBuf,
}

impl Yard {
    /// A repository made by `base`, and a copy of it for each of `states`.
    pub(crate) fn new(base: &str, states: &[&'static str]) -> Yard {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().canonicalize().unwrap();
        std::fs::write(
            root.join(".gitconfig"),
            "[user]\n\tname=t\n\temail=t@t\n[advice]\n\tdetachedHead=false\n",
        )
        .unwrap();
        let script = base;
        let base = root.join("base");
        std::fs::create_dir(&base).unwrap();
        assert!(bash(script, &base, &root), "the base cannot be made");
        for (at, state) in states.iter().enumerate() {
            let to = root.join(format!("s{at}"));
            assert!(bash(&format!("cp -a base s{at}"), &root, &root));
            assert!(bash(state, &to.join("work"), &root), "{state}");
        }
        Yard { _dir: dir, root }
    }

    /// Judges `command` in `work` as a session that has `company`.
    pub(crate) fn judge(&self, work: &Path, command: &str, company: Beside) -> Verdict {
        let call = Call {
            session: Some("one".to_owned()),
            agent: None,
            cwd: Some(work.to_owned()),
            unseen_typing: false,
            what: What::Shell {
                dialect: Dialect::Bash,
                text: command.to_owned(),
            },
        };
        let around = Surroundings {
            cwd: Some(work.to_owned()),
            home: Some(self.root.clone()),
            company: Company::new(company),
            ..Surroundings::default()
        };
        leaseguard::guard::judge(&call, around, &Policy::default())
    }

    /// The checkout in this state.
    pub(crate) fn state(&self, at: usize) -> PathBuf {
        self.root.join(format!("s{at}/work"))
    }

    /// Whether git really loses something when `command` runs in a copy of the state.
    pub(crate) fn loses(&self, at: usize, command: &str, copy: &str) -> bool {
        assert!(bash(&format!("cp -a s{at} {copy}"), &self.root, &self.root));
        let work = self.root.join(copy).join("work");
        let before: BTreeSet<String> = [AT_HAND, KEPT]
            .iter()
            .flat_map(|script| lines(&work, &self.root, script))
            .collect();
        bash(command, &work, &self.root);
        let mut after = lines(&work, &self.root, AT_HAND);
        after.extend(lines(&work, &self.root, KEPT));
        std::fs::remove_dir_all(self.root.join(copy)).unwrap();
        before.iter().any(|id| !after.contains(id))
    }
}
