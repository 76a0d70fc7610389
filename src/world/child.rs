//! A git child with a short leash, for the few facts that files alone do not tell.

use std::cell::{Cell, OnceCell, RefCell};
use std::ffi::OsString;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::time::{Duration, Instant};

/// How long one child may take.
const WAIT: Duration = Duration::from_secs(1);

/// How long all children of one call may take.
const WAIT_ALL: Duration = Duration::from_secs(2);

/// How many children one call may start.
const MOST: u32 = 64;

/// Longest answer that is read; a longer one is none.
const ANSWER_MAX: u64 = 4 * 1024 * 1024;

/// Where git is looked for: never in the command's own `PATH`.
const PLACES: &[&str] = &[
    "/usr/bin/git",
    "/usr/local/bin/git",
    "/opt/homebrew/bin/git",
    "/bin/git",
    "/run/current-system/sw/bin/git",
    "/home/linuxbrew/.linuxbrew/bin/git",
    "C:\\Program Files\\Git\\cmd\\git.exe",
];

/// The git of this machine, by its absolute path.
pub fn git() -> Option<PathBuf> {
    let found = PLACES.iter().find(|p| Path::new(p).is_file());
    found.map(PathBuf::from)
}

/// All gits of this machine that are known by their places, each once; `first` stands before them.
pub fn gits(first: Option<&Path>) -> Vec<PathBuf> {
    let (mut found, mut seen) = (Vec::new(), Vec::new());
    let first = first.filter(|path| path.is_absolute());
    let places = first.into_iter().chain(PLACES.iter().map(Path::new));
    for place in places.map(Path::to_owned).filter(|p| p.is_file()) {
        let real = super::repo::real(&place);
        if !seen.contains(&real) {
            seen.push(real);
            found.push(place);
        }
    }
    found
}

/// What is said of a git that fails.
const SILENT: &str = "git does not answer";

/// Where a child works.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Ground {
    pub(super) git_dir: PathBuf,
    pub(super) work_tree: Option<PathBuf>,
}

/// One question: variables beside those of every child, and words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Child {
    pub(super) ground: Ground,
    pub(super) env: Vec<(String, OsString)>,
    pub(super) args: Vec<String>,
}

/// A question and its answer.
type Asked = (Child, Result<String, String>);

/// All children of one call, and what they said.
#[derive(Debug, Default)]
pub(super) struct Children {
    first: Option<PathBuf>,
    gits: OnceCell<Vec<PathBuf>>,
    started: Cell<u32>,
    spent: Cell<Duration>,
    asked: RefCell<Vec<Asked>>,
}

impl Children {
    /// Children of the git at `first`, if it is there.
    pub(super) fn of(first: Option<PathBuf>) -> Children {
        Children {
            first,
            ..Children::default()
        }
    }

    /// What `git ARGS` prints at `ground`; an error also where it fails or takes too long.
    pub(super) fn ask(
        &self,
        ground: &Ground,
        home: Option<&Path>,
        args: &[&str],
    ) -> Result<String, String> {
        let mut env = vec![("GIT_DIR".to_owned(), ground.git_dir.clone().into())];
        if let Some(top) = &ground.work_tree {
            env.push(("GIT_WORK_TREE".to_owned(), top.into()));
        }
        if let Some(home) = home {
            env.push(("HOME".to_owned(), home.into()));
        }
        self.told(&Child {
            ground: ground.clone(),
            env,
            args: args.iter().map(|a| (*a).to_owned()).collect(),
        })
    }

    /// The same, with all variables given.
    pub(super) fn told(&self, child: &Child) -> Result<String, String> {
        let known = self.asked.borrow();
        if let Some((_, answer)) = known.iter().find(|(c, _)| c == child) {
            return answer.clone();
        }
        drop(known);
        let answer = self.run(child);
        let mut asked = self.asked.borrow_mut();
        asked.push((child.clone(), answer.clone()));
        answer
    }

    fn run(&self, child: &Child) -> Result<String, String> {
        let mut answer = Err("git is in none of the usual places".to_owned());
        // An old one may stand beside the one in use, and know less of new repositories.
        for git in self.gits.get_or_init(|| gits(self.first.as_deref())) {
            answer = self.run_by(git, child);
            if !matches!(&answer, Err(why) if why == SILENT) {
                break;
            }
        }
        answer
    }

    fn run_by(&self, git: &Path, child: &Child) -> Result<String, String> {
        if self.started.get() >= MOST || self.spent.get() >= WAIT_ALL {
            return Err("this call needs too many looks at the repository".to_owned());
        }
        self.started.set(self.started.get().saturating_add(1));
        let begun = Instant::now();
        let answer = run(git, child);
        self.spent
            .set(self.spent.get().saturating_add(begun.elapsed()));
        answer
    }
}

/// Runs one child without the environment of whoever started us.
fn run(git: &Path, child: &Child) -> Result<String, String> {
    let ground = &child.ground;
    let mut command = Command::new(git);
    command
        .args(["-c", "core.fsmonitor=false", "--no-pager"])
        .args(&child.args)
        .current_dir(ground.work_tree.as_ref().unwrap_or(&ground.git_dir))
        .env_clear()
        .env("PATH", "/usr/bin:/bin")
        .env("LC_ALL", "C")
        .env("GIT_OPTIONAL_LOCKS", "0")
        .env("GIT_NO_LAZY_FETCH", "1")
        // Grafts would make up any history; a file that is none holds none.
        .env("GIT_GRAFT_FILE", "/dev/null")
        .env("GIT_TERMINAL_PROMPT", "0")
        .envs(child.env.iter().map(|(name, value)| (name, value)))
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null());
    let cannot = |e: std::io::Error| format!("git cannot be run: {}", e.kind());
    let mut child = command.spawn().map_err(cannot)?;
    let Some(output) = child.stdout.take() else {
        return Err("git cannot be heard".to_owned());
    };
    let (tell, heard) = mpsc::channel();
    std::thread::spawn(move || {
        let mut text = Vec::new();
        let read = output
            .take(ANSWER_MAX.saturating_add(1))
            .read_to_end(&mut text);
        // Nobody listens any more once time is up.
        let _ = tell.send(read.map(|_| text));
    });
    let text = heard.recv_timeout(WAIT);
    if text.is_err() {
        // It may be gone already.
        let _ = child.kill();
    }
    let status = child.wait().map_err(cannot)?;
    match text {
        Ok(Ok(text)) if text.len() as u64 > ANSWER_MAX => Err("git says too much".to_owned()),
        Ok(Ok(text)) if status.success() => Ok(String::from_utf8_lossy(&text).into_owned()),
        Ok(Ok(_)) => Err(SILENT.to_owned()),
        Ok(Err(e)) => Err(format!("git cannot be heard: {}", e.kind())),
        Err(_) => Err("git takes too long to answer".to_owned()),
    }
}
