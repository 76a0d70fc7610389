//! `install git` and `uninstall git`: our hooks in one repository.

use super::install::{asked, note};
use super::pause::{refused, trouble};
use super::{Exit, home, terminal};
use crate::person::is_person;
use crate::setup::Around;
use crate::setup::git::{
    Git, Ground, Plan, Shim, Step, Way, apply, blind, install, pick, uninstall,
};
use std::path::{Path, PathBuf};
use std::process::Command;

/// What the verbs say of it.
pub(super) struct Wish<'a> {
    pub(super) repo: Option<&'a Path>,
    pub(super) dry_run: bool,
    pub(super) yes: bool,
    pub(super) way: Option<Way>,
}

/// The gits of this machine: first the one that is asked here and in the hooks.
struct Gits {
    all: Vec<Git>,
    /// A person asks.
    person: bool,
}

impl Gits {
    /// The first git on a person's `PATH`, and those in the usual places. What an agent put on a
    /// `PATH` is none: hooks would believe it.
    fn here() -> Result<Gits, String> {
        let person = is_person(false).is_ok();
        let first = person.then(on_path).flatten();
        let all: Vec<Git> = crate::world::gits(first.as_deref())
            .into_iter()
            .map(Git::at)
            .collect();
        if all.is_empty() {
            return Err(
                "git is in none of the usual places; a person who has it on the `PATH` \
                        can do this"
                    .to_owned(),
            );
        }
        Ok(Gits { all, person })
    }

    fn path(&self) -> &Path {
        self.all.first().map_or(Path::new("git"), |git| &git.path)
    }
}

/// The first git on the `PATH`.
pub(super) fn on_path() -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path)
        .filter(|dir| dir.is_absolute())
        .map(|dir| dir.join(if cfg!(windows) { "git.exe" } else { "git" }))
        .find(|git| git.is_file())
}

/// Puts our hooks in place.
pub(super) fn put(wish: &Wish<'_>) -> Exit {
    let around = Around::of_process(None);
    let program = match &around.program {
        Ok(program) => program,
        Err(why) => return trouble(why),
    };
    if let Some(why) = &program.fleeting {
        terminal::err(&format!("warning: {why}\n"));
    }
    let gits = match Gits::here() {
        Ok(gits) => gits,
        Err(why) => return trouble(&why),
    };
    let files = home::files();
    let shim = Shim {
        git: Some(gits.path().to_owned()),
        program: program.path.clone(),
        state: files.state_dir,
        policy: files.user_file,
        home: files.home,
    };
    let ground = match ground(gits.path(), wish.repo) {
        Ok(ground) => ground,
        Err(why) => return trouble(&why),
    };
    let (own, why) = pick(&gits.all);
    let way = wish.way.unwrap_or(own);
    if way == own {
        terminal::out(&format!("{why}\n"));
    } else if let Some(old) = blind(&gits.all).filter(|_| way == Way::Config) {
        if !gits.person {
            return refused(&format!("{old}; a person can do this nevertheless"));
        }
        terminal::err(&format!("warning: {old}\n"));
    }
    match install(&ground, &shim, way) {
        Ok(plan) => {
            let nothing = "git's hooks are in place already";
            done(&plan, wish, gits.path(), "install", nothing)
        }
        Err(why) => refused(&why),
    }
}

/// Takes our hooks out again.
pub(super) fn take(wish: &Wish<'_>) -> Exit {
    let gits = match Gits::here() {
        Ok(gits) => gits,
        Err(why) => return trouble(&why),
    };
    let ground = match ground(gits.path(), wish.repo) {
        Ok(ground) => ground,
        Err(why) => return trouble(&why),
    };
    match uninstall(&ground) {
        Ok(plan) => done(
            &plan,
            wish,
            gits.path(),
            "uninstall",
            "there is no hook of leaseguard here",
        ),
        Err(why) => refused(&why),
    }
}

fn done(plan: &Plan, wish: &Wish<'_>, git: &Path, verb: &str, nothing: &str) -> Exit {
    for step in &plan.steps {
        terminal::out(&shown(step));
    }
    let notes = || {
        for note in &plan.notes {
            terminal::err(&format!("note: {note}\n"));
        }
    };
    if plan.steps.is_empty() {
        terminal::out(&format!("{nothing}\n"));
        notes();
        return Exit::Ok;
    }
    if wish.dry_run {
        notes();
        return Exit::Ok;
    }
    if !wish.yes {
        match asked("do this?") {
            Some(true) => {}
            Some(false) => return refused("nothing was changed"),
            None => {
                terminal::err(&format!(
                    "leaseguard: nothing was changed, because nobody can be asked here; \
                     to do it: `leaseguard {verb} git --yes`\n"
                ));
                return Exit::Ask;
            }
        }
    }
    if let Err(why) = apply(plan, git) {
        return trouble(&why);
    }
    notes();
    terminal::out("done\n");
    if let Ok(state) = home::state() {
        note(&state, verb, "git's own hooks");
    }
    Exit::Ok
}

fn shown(step: &Step) -> String {
    match step {
        Step::Write(file, ..) => format!("write  {}\n", file.display()),
        Step::Rename(from, to) => format!("rename {} -> {}\n", from.display(), to.display()),
        Step::Remove(file) => format!("remove {}\n", file.display()),
        Step::Set(file, key, value) => format!("set    {key}={value} in {}\n", file.display()),
        Step::Unset(file, section) => format!("remove [{section}] in {}\n", file.display()),
    }
}

/// What git itself says of the repository at `dir`.
fn ground(git: &Path, dir: Option<&Path>) -> Result<Ground, String> {
    let dir = match dir {
        Some(dir) => dir.to_owned(),
        None => std::env::current_dir().map_err(|e| format!("no directory: {}", e.kind()))?,
    };
    let ask = |words: &[&str]| -> Result<PathBuf, String> {
        let out = Command::new(git)
            .arg("-C")
            .arg(&dir)
            .arg("rev-parse")
            .args(words)
            .output()
            .map_err(|e| format!("git cannot be run: {}", e.kind()))?;
        let text = String::from_utf8_lossy(&out.stdout);
        let text = text.trim_end_matches('\n');
        if !out.status.success() || text.is_empty() {
            return Err(format!("there is no git repository at `{}`", dir.display()));
        }
        Ok(real(&dir.join(text)))
    };
    let absolute = |what: &[&str]| {
        let mut words = vec!["--path-format=absolute"];
        words.extend(what);
        ask(&words)
    };
    let common = absolute(&["--git-common-dir"])?;
    Ok(Ground {
        entries: entries(git, &common)?,
        common,
        hooks: absolute(&["--git-path", "hooks"])?,
        top: ask(&["--show-toplevel"]).ok(),
    })
}

/// What the repository's config says of hooks of ours.
fn entries(git: &Path, common: &Path) -> Result<Vec<(String, String)>, String> {
    let told = Command::new(git)
        .args(["config", "--file"])
        .arg(common.join("config"))
        .args(["-z", "--get-regexp", "^hook\\.leaseguard-"])
        .output()
        .map_err(|e| format!("git cannot be run: {}", e.kind()))?;
    // 1: there is none.
    if !matches!(told.status.code(), Some(0 | 1)) {
        let why = String::from_utf8_lossy(&told.stderr).trim().to_owned();
        return Err(format!("git cannot read its config: {why}"));
    }
    let text = String::from_utf8_lossy(&told.stdout);
    let pair = |entry: &str| {
        let (key, value) = entry.split_once('\n').unwrap_or((entry, ""));
        (key.to_owned(), value.to_owned())
    };
    let found = text.split('\0').filter(|entry| !entry.is_empty());
    Ok(found.map(pair).collect())
}

/// Without links, as far as it exists.
fn real(path: &Path) -> PathBuf {
    match (path.canonicalize(), path.parent(), path.file_name()) {
        (Ok(real), ..) => real,
        (Err(_), Some(above), Some(name)) => real(above).join(name),
        _ => path.to_owned(),
    }
}
