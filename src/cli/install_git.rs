//! `install git` and `uninstall git`: our hooks in one repository.

use super::install::{asked, note};
use super::pause::{refused, trouble};
use super::{Exit, home, terminal};
use crate::setup::Around;
use crate::setup::git::{Ground, Plan, Shim, Step, apply, install, uninstall};
use std::path::{Path, PathBuf};
use std::process::Command;

/// What the verbs say of it.
pub(super) struct Wish<'a> {
    pub(super) repo: Option<&'a Path>,
    pub(super) dry_run: bool,
    pub(super) yes: bool,
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
    let files = home::files();
    let shim = Shim {
        program: program.path.clone(),
        state: files.state_dir,
        policy: files.user_file,
        home: files.home,
    };
    let ground = match ground(wish.repo) {
        Ok(ground) => ground,
        Err(why) => return trouble(&why),
    };
    match install(&ground, &shim) {
        Ok(plan) => done(&plan, wish, "install", "git's hooks are in place already"),
        Err(why) => refused(&why),
    }
}

/// Takes our hooks out again.
pub(super) fn take(wish: &Wish<'_>) -> Exit {
    let ground = match ground(wish.repo) {
        Ok(ground) => ground,
        Err(why) => return trouble(&why),
    };
    match uninstall(&ground) {
        Ok(plan) => done(
            &plan,
            wish,
            "uninstall",
            "there is no hook of leaseguard here",
        ),
        Err(why) => refused(&why),
    }
}

fn done(plan: &Plan, wish: &Wish<'_>, verb: &str, nothing: &str) -> Exit {
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
    if let Err(why) = apply(plan) {
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
    }
}

/// What git itself says of the repository at `dir`.
pub(super) fn ground(dir: Option<&Path>) -> Result<Ground, String> {
    let dir = match dir {
        Some(dir) => dir.to_owned(),
        None => std::env::current_dir().map_err(|e| format!("no directory: {}", e.kind()))?,
    };
    let git = crate::world::git().ok_or("git is in none of the usual places")?;
    let ask = |words: &[&str]| -> Result<PathBuf, String> {
        let out = Command::new(&git)
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
    Ok(Ground {
        common: absolute(&["--git-common-dir"])?,
        hooks: absolute(&["--git-path", "hooks"])?,
        top: ask(&["--show-toplevel"]).ok(),
    })
}

/// Without links, as far as it exists.
fn real(path: &Path) -> PathBuf {
    match (path.canonicalize(), path.parent(), path.file_name()) {
        (Ok(real), ..) => real,
        (Err(_), Some(above), Some(name)) => real(above).join(name),
        _ => path.to_owned(),
    }
}
