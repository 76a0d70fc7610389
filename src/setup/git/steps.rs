//! What an install or uninstall would do to the hooks of one repository, step by step.

use super::files::{Seen, see};
use super::shim::{CLOSE, OPEN, Shim, block, lefthook};
use super::{FOLDER, HOOKS, KEPT, MARK, Way, manager};
use std::path::{Path, PathBuf};

/// Where git looks, as git itself says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ground {
    /// The active directory of hooks.
    pub hooks: PathBuf,
    /// The repository's common directory.
    pub common: PathBuf,
    /// The top of the checkout; `None` for a bare repository.
    pub top: Option<PathBuf>,
    /// What the repository's config says of hooks of ours: full keys and values.
    pub entries: Vec<(String, String)>,
}

/// One step.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Step {
    /// This file is written, and can be run if so said.
    Write(PathBuf, String, bool),
    /// A file gets another name.
    Rename(PathBuf, PathBuf),
    /// A file of ours is removed.
    Remove(PathBuf),
    /// In this config file a key gets a value.
    Set(PathBuf, String, String),
    /// From this config file a section goes.
    Unset(PathBuf, String),
}

/// What would be done, and what only a person can do.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Plan {
    /// In this order.
    pub steps: Vec<Step>,
    /// In words.
    pub notes: Vec<String>,
}

/// To whom the active directory belongs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Owner {
    /// This repository and this machine.
    Repository,
    /// Everybody who has the project: it is a part of the checkout.
    Project,
    /// husky, which fills it anew.
    Husky,
    /// All repositories of this user.
    Elsewhere,
}

impl Ground {
    /// The config of the repository, which all its checkouts share.
    pub(super) fn config(&self) -> PathBuf {
        self.common.join("config")
    }

    fn owner(&self) -> Owner {
        let in_top = |top: &PathBuf| self.hooks.starts_with(top);
        if self.hooks.ends_with(".husky/_") {
            Owner::Husky
        } else if self.hooks.starts_with(&self.common) {
            Owner::Repository
        } else if self.top.as_ref().is_some_and(in_top) {
            Owner::Project
        } else {
            Owner::Elsewhere
        }
    }

    /// Our own folder.
    fn folder(&self) -> PathBuf {
        self.common.join(FOLDER)
    }

    /// The file of `hook` that people edit.
    fn shared(&self, hook: &str) -> PathBuf {
        match (self.owner(), self.hooks.parent()) {
            (Owner::Husky, Some(dir)) => dir.join(hook),
            _ => self.hooks.join(hook),
        }
    }

    /// lefthook's settings in the checkout.
    fn lefthook(&self) -> Option<PathBuf> {
        const NAMES: &[&str] = &["lefthook", ".lefthook"];
        const ENDS: &[&str] = &["yml", "yaml", "toml", "json"];
        let top = self.top.as_ref()?;
        let mut all = NAMES
            .iter()
            .flat_map(|name| ENDS.iter().map(move |end| format!("{name}.{end}")));
        all.any(|name| top.join(name).is_file())
            .then(|| top.join("lefthook-local.yml"))
    }
}

/// How our hooks would come into place; those that an earlier install put elsewhere go.
pub fn install(ground: &Ground, shim: &Shim, way: Way) -> Result<Plan, String> {
    let mut plan = Plan::default();
    if way == Way::Config {
        for hook in HOOKS {
            plan.write(&ground.folder().join(hook), &shim.hook(hook), true)?;
        }
        plan.entries(ground);
        plan.no_files(ground)?;
        return Ok(plan);
    }
    plan.files(ground, shim)?;
    plan.no_entries(ground);
    if ground.owner() == Owner::Repository && ground.lefthook().is_none() {
        plan.no_folder(ground)?;
    }
    Ok(plan)
}

impl Plan {
    fn files(&mut self, ground: &Ground, shim: &Shim) -> Result<(), String> {
        let plan = self;
        match ground.owner() {
            Owner::Repository => {
                for hook in HOOKS {
                    plan.direct(&ground.hooks.join(hook), &shim.hook(hook))?;
                }
            }
            Owner::Husky | Owner::Project => {
                for hook in HOOKS {
                    plan.write(&ground.folder().join(hook), &shim.hook(hook), true)?;
                    plan.lines(&ground.shared(hook), hook)?;
                }
                plan.notes.push(format!(
                "`{}` belongs to the project: commit it, and it calls leaseguard wherever that is installed",
                ground.shared("pre-push").display()
            ));
            }
            Owner::Elsewhere => {
                return Err(format!(
                    "git takes its hooks from `{}`, which is shared with other repositories, so nothing \
                 is put there; where every git is 2.54 or newer, `--way config` goes past it; else give this one its own: `git config --local core.hooksPath \"$(git \
                 rev-parse --git-common-dir)/hooks\"`, then run this again",
                    ground.hooks.display()
                ));
            }
        }
        if let Some(file) = ground.lefthook() {
            plan.lefthook(ground, shim, &file)?;
        }
        Ok(())
    }

    fn write(&mut self, file: &Path, text: &str, runs: bool) -> Result<(), String> {
        match see(file)? {
            Seen::Text(old) if old == text => {}
            _ => self
                .steps
                .push(Step::Write(file.to_owned(), text.to_owned(), runs)),
        }
        Ok(())
    }

    /// A hook file of this repository alone.
    fn direct(&mut self, file: &Path, text: &str) -> Result<(), String> {
        match see(file)? {
            Seen::Missing => self.write(file, text, true),
            Seen::Text(old) if old.contains(MARK) => self.write(file, text, true),
            // These run a hook of the name `.legacy` first, and keep it when they install anew.
            Seen::Text(old) if matches!(manager(&old), Some("pre-commit" | "prek")) => {
                self.direct(&with(file, ".legacy"), text)
            }
            // Called by a job of lefthook's: it puts every file that is not its own aside.
            Seen::Text(old) if manager(&old) == Some("lefthook") => Ok(()),
            Seen::Text(_) | Seen::Other => {
                let kept = with(file, KEPT);
                if see(&kept)? != Seen::Missing {
                    return Err(format!(
                        "`{}` is in the way: a hook was kept there before; remove it, or give it \
                         its name back",
                        kept.display()
                    ));
                }
                self.steps.push(Step::Rename(file.to_owned(), kept));
                self.steps
                    .push(Step::Write(file.to_owned(), text.to_owned(), true));
                Ok(())
            }
        }
    }

    /// Lines of ours at the head of a hook that is the project's.
    fn lines(&mut self, file: &Path, hook: &str) -> Result<(), String> {
        let old = match see(file)? {
            Seen::Missing => "#!/bin/sh\n".to_owned(),
            Seen::Text(text) => text,
            Seen::Other => return Err(format!("`{}` is no text", file.display())),
        };
        let block = block(hook);
        if old.contains(&block) {
            return Ok(());
        }
        let rest = without(&old);
        let head = match rest.split_once('\n') {
            Some((line, _)) if line.starts_with("#!") => line.len().saturating_add(1),
            _ => 0,
        };
        let (head, tail) = rest.split_at_checked(head).unwrap_or(("", &rest));
        let shell = head.is_empty() || head.trim_end().ends_with("sh");
        if !shell {
            return Err(format!(
                "`{}` is no shell script: let it run `$(git rev-parse --git-common-dir)/{FOLDER}/{hook}` first",
                file.display()
            ));
        }
        self.write(file, &format!("{head}{block}{tail}"), true)
    }

    fn lefthook(&mut self, ground: &Ground, shim: &Shim, file: &Path) -> Result<(), String> {
        for hook in HOOKS {
            self.write(&ground.folder().join(hook), &shim.hook(hook), true)?;
        }
        let text = lefthook(&ground.folder());
        match see(file)? {
            Seen::Missing => self.write(file, &text, false)?,
            Seen::Text(old) if old == text => {}
            Seen::Text(old) if old.starts_with("# leaseguard:") => {
                self.write(file, &text, false)?
            }
            _ => {
                self.notes.push(format!(
                    "`{}` is yours, so it is left alone: add these jobs to it:\n{text}",
                    file.display()
                ));
                return Ok(());
            }
        }
        self.notes
            .push("lefthook calls leaseguard as a job: run `lefthook install` once".to_owned());
        Ok(())
    }
}

/// How everything of ours would be taken out again.
pub fn uninstall(ground: &Ground) -> Result<Plan, String> {
    let mut plan = Plan::default();
    plan.no_files(ground)?;
    plan.no_entries(ground);
    plan.no_folder(ground)?;
    Ok(plan)
}

impl Plan {
    /// Nothing in our own folder.
    fn no_folder(&mut self, ground: &Ground) -> Result<(), String> {
        for hook in HOOKS {
            let file = ground.folder().join(hook);
            if see(&file)? != Seen::Missing {
                self.steps.push(Step::Remove(file));
            }
        }
        Ok(())
    }

    /// Nothing of ours where git or a manager looks for hooks.
    fn no_files(&mut self, ground: &Ground) -> Result<(), String> {
        let own = ground.common.join("hooks");
        for dir in [&ground.hooks, &own] {
            for hook in HOOKS {
                for end in ["", ".legacy", ".old"] {
                    self.give_back(&with(&dir.join(hook), end))?;
                }
            }
            if ground.hooks == own {
                break;
            }
        }
        for hook in HOOKS {
            let file = ground.shared(hook);
            if let Seen::Text(text) = see(&file)?
                && text.contains(OPEN)
            {
                self.steps.push(match without(&text).as_str() {
                    "#!/bin/sh\n" | "" => Step::Remove(file),
                    rest => Step::Write(file, rest.to_owned(), true),
                });
            }
        }
        let local = ground
            .top
            .as_ref()
            .map(|top| top.join("lefthook-local.yml"));
        if let Some(file) = local
            && let Seen::Text(text) = see(&file)?
            && text.contains("leaseguard")
        {
            if text == lefthook(&ground.folder()) {
                self.steps.push(Step::Remove(file));
            } else {
                self.notes.push(format!(
                    "`{}` holds more than our jobs: take them out by hand",
                    file.display()
                ));
            }
        }
        Ok(())
    }

    fn give_back(&mut self, file: &Path) -> Result<(), String> {
        let Seen::Text(text) = see(file)? else {
            return Ok(());
        };
        if !text.contains(MARK) {
            return Ok(());
        }
        let kept = with(file, KEPT);
        self.steps.push(match see(&kept)? {
            Seen::Missing => Step::Remove(file.to_owned()),
            _ => Step::Rename(kept, file.to_owned()),
        });
        Ok(())
    }
}

/// The text without our lines.
fn without(text: &str) -> String {
    let Some((before, rest)) = text.split_once(OPEN) else {
        return text.to_owned();
    };
    match rest.split_once(CLOSE) {
        Some((_, after)) => format!("{before}{after}"),
        None => text.to_owned(),
    }
}

/// The path with something behind its name.
fn with(file: &Path, end: &str) -> PathBuf {
    let mut name = file.as_os_str().to_owned();
    name.push(end);
    PathBuf::from(name)
}
