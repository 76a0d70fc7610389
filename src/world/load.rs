//! Where git config comes from: the files in git's order, with what they include.

use super::config::{self, Line, Value, boolean};
use super::glob;
use super::repo::{MADE, Repo, under};
use super::settings::{Entry, Scope, Settings};
use super::{Head, Surroundings, told};
use crate::action::{Place, Setting, SettingValue};
use std::ffi::OsString;
use std::fs;
use std::io::{ErrorKind, Read};
use std::path::{Path, PathBuf};

/// Longest config file that is read.
const FILE_MAX: u64 = 1024 * 1024;

/// How deep includes are followed.
const DEPTH_MAX: usize = 5;

/// Most files that are read.
const FILES_MAX: usize = 64;

/// Where git's own config may be; which one depends on how git was built.
const SYSTEM: &[&str] = &["/etc/gitconfig", "/usr/local/etc/gitconfig"];

/// Where to look.
pub(super) struct Sources<'a> {
    pub(super) around: &'a Surroundings,
    pub(super) place: &'a Place,
    pub(super) repo: Option<&'a Repo>,
    pub(super) head: &'a dyn Fn() -> Result<Head, String>,
}

impl Sources<'_> {
    /// The value that the command's own environment gives to `name`: unset, known, not known.
    pub(super) fn env(&self, name: &str) -> Option<Result<&str, String>> {
        let (_, word) = self.place.env.iter().rfind(|(n, _)| n == name)?;
        Some(word.known().ok_or_else(|| format!("`{name}` is not known")))
    }

    fn path(&self, name: &str) -> Option<Result<PathBuf, String>> {
        Some(self.env(name)?.map(|text| match &self.place.dir {
            Some(dir) => dir.join(text),
            None => PathBuf::from(text),
        }))
    }

    /// What `name` is for the command: its own value, else the one of the surroundings.
    pub(super) fn variable(&self, name: &str) -> Result<Option<OsString>, String> {
        if let Some(own) = self.env(name) {
            return own.map(|text| Some(OsString::from(text)));
        }
        match self.around.variable(name) {
            Some(_) if self.place.scrubbed => Err(format!("`{name}` may be taken away")),
            inherited => Ok(inherited),
        }
    }

    /// The file that `name` puts in the place of git's own choice.
    fn moved(&self, name: &str) -> Result<Option<PathBuf>, String> {
        let path = self.variable(name)?.map(PathBuf::from);
        Ok(path.map(|path| match &self.place.dir {
            Some(dir) if !path.as_os_str().is_empty() => dir.join(path),
            _ => path,
        }))
    }

    /// Nothing in the command's environment moves config.
    pub(super) fn plain(&self) -> bool {
        !self.place.scrubbed
            && !self
                .place
                .env
                .iter()
                .any(|(n, _)| n == "HOME" || n == "XDG_CONFIG_HOME" || n.starts_with("GIT_CONFIG"))
    }
}

impl Settings {
    /// Reads all files; what `place` adds for one command is not in it.
    pub(super) fn load(sources: &Sources<'_>) -> Settings {
        let mut all = Settings::default();
        all.entries.reserve(64);
        let mut loader = Loader {
            into: &mut all,
            sources,
        };
        if let Err(why) = loader.all() {
            all.blind = Some(why);
        }
        if !all.asks {
            return all;
        }
        let files = std::mem::take(&mut all.files);
        match told::settings(sources) {
            Ok(told) => all = told,
            // What was read by hand stands, with its doubts.
            Err(_) => all.by_branch = true,
        }
        all.asks = true;
        all.files.extend(files);
        all
    }

    /// Adds `-c` and its kin.
    pub(super) fn command(&mut self, sources: &Sources<'_>) {
        for Setting { key, value, .. } in &sources.place.config {
            let Some(key) = key else {
                self.blind = Some("a key of `-c` is not known".to_owned());
                continue;
            };
            let value = match value {
                SettingValue::Bare => Value::Bare,
                SettingValue::Text(text) => Value::Text(text.as_str().into()),
                SettingValue::Unknown => Value::Unknown(format!("`{key}` is not known")),
            };
            let line = Line {
                key: config::normal(key).as_str().into(),
                value,
            };
            let mut loader = Loader {
                into: self,
                sources,
            };
            if let Err(why) = loader.line(line, Path::new("/"), Scope::Command, false, 0) {
                self.blind = Some(why);
            }
        }
    }
}

/// Whether a conditional include applies.
enum Applies {
    Yes,
    No,
    Unclear,
}

struct Loader<'a, 'b> {
    into: &'a mut Settings,
    sources: &'a Sources<'b>,
}

impl Loader<'_, '_> {
    fn all(&mut self) -> Result<(), String> {
        let sources = self.sources;
        if sources.around.git_env() {
            return Err("a `GIT_*` variable in the environment may move config".to_owned());
        }
        if sources.around.git_config() {
            self.into.asks = true;
            return Err("a `GIT_CONFIG*` variable is in the environment".to_owned());
        }
        self.system()?;
        self.global()?;
        let Some(repo) = sources.repo else {
            return Ok(());
        };
        if repo.made {
            let unknown = |key: &str, wide| Entry {
                scope: Scope::Local,
                key: key.into(),
                value: Value::Unknown(MADE.to_owned()),
                fresh: false,
                wide,
            };
            self.into.entries.push(unknown("branch.", true));
            self.into.entries.push(unknown("remote.origin.url", false));
            return Ok(());
        }
        self.file(&under(&repo.common, "config"), Scope::Local, false, 0)?;
        if self.into.flag("extensions.worktreeconfig")? == Some(true) {
            let own = under(&repo.git_dir, "config.worktree");
            self.file(&own, Scope::Worktree, false, 0)?;
        }
        Ok(())
    }

    fn system(&mut self) -> Result<(), String> {
        let skipped = match self.sources.variable("GIT_CONFIG_NOSYSTEM")? {
            Some(value) => {
                boolean(&Value::Text(value.to_string_lossy().as_ref().into())) != Some(false)
            }
            None => false,
        };
        if skipped {
            return Ok(());
        }
        match self.sources.moved("GIT_CONFIG_SYSTEM")? {
            Some(path) => self.file(&path, Scope::System, false, 0),
            None => SYSTEM
                .iter()
                .try_for_each(|path| self.file(Path::new(path), Scope::System, false, 0)),
        }
    }

    fn global(&mut self) -> Result<(), String> {
        if let Some(path) = self.sources.moved("GIT_CONFIG_GLOBAL")? {
            return self.file(&path, Scope::Global, false, 0);
        }
        let home = self.home()?;
        let xdg = match self.sources.path("XDG_CONFIG_HOME") {
            Some(path) => Some(path?),
            None => self.sources.around.xdg_config(),
        };
        let xdg = xdg.filter(|path| !path.as_os_str().is_empty());
        let own = match (&xdg, &home) {
            (Some(dir), _) => Some(under(dir, "git/config")),
            (None, Some(home)) => Some(under(home, ".config/git/config")),
            (None, None) => None,
        };
        if let Some(path) = own {
            self.file(&path, Scope::Global, false, 0)?;
        }
        match home {
            Some(home) => self.file(&under(&home, ".gitconfig"), Scope::Global, false, 0),
            None => Ok(()),
        }
    }

    fn home(&self) -> Result<Option<PathBuf>, String> {
        match self.sources.path("HOME") {
            Some(path) => path.map(Some),
            None => Ok(self.sources.around.home.clone()),
        }
    }

    /// Reads one file; `doubt` makes all its values unknown.
    fn file(&mut self, path: &Path, scope: Scope, doubt: bool, depth: usize) -> Result<(), String> {
        if depth > DEPTH_MAX {
            return Err("config includes are nested too deep".to_owned());
        }
        if self.into.files.len() >= FILES_MAX {
            return Err("config includes too many files".to_owned());
        }
        if path.as_os_str().is_empty() {
            return Ok(());
        }
        self.into.files.push(path.to_owned());
        let Some(text) = read(path)? else {
            return Ok(());
        };
        let lines = config::parse(&text)?;
        for line in lines.each() {
            self.line(line, path, scope, doubt, depth)?;
        }
        Ok(())
    }

    fn line(
        &mut self,
        mut line: Line,
        from: &Path,
        scope: Scope,
        doubt: bool,
        depth: usize,
    ) -> Result<(), String> {
        let condition = match line.key.begins("include") {
            true => line.key.strip_prefix("includeif."),
            false => None,
        };
        let condition = condition.and_then(|k| k.strip_suffix(".path"));
        let applies = match condition {
            Some(condition) => self.applies(condition, from),
            None if line.key.is("include.path") => Applies::Yes,
            None => {
                if doubt {
                    line.value = Value::Unknown("a conditional include may set it".to_owned());
                }
                self.keep(scope, line);
                return Ok(());
            }
        };
        self.keep(scope, line.clone());
        let doubt = match applies {
            Applies::No => return Ok(()),
            Applies::Yes => doubt,
            Applies::Unclear => {
                self.into.asks |= scope != Scope::Command;
                true
            }
        };
        let Value::Text(path) = &line.value else {
            return Err("config includes a file that is not known".to_owned());
        };
        match config::included(path, from, self.home()?.as_deref()) {
            Some(path) => self.file(&path, scope, doubt, depth + 1),
            None => {
                self.into.asks |= scope != Scope::Command;
                Err("config includes a file that is not known".to_owned())
            }
        }
    }

    fn keep(&mut self, scope: Scope, line: Line) {
        self.into.entries.push(Entry {
            scope,
            key: line.key,
            value: line.value,
            fresh: false,
            wide: false,
        });
    }

    fn applies(&mut self, condition: &str, from: &Path) -> Applies {
        let told = if let Some(pattern) = condition.strip_prefix("gitdir:") {
            self.in_git_dir(pattern, from, false)
        } else if let Some(pattern) = condition.strip_prefix("gitdir/i:") {
            self.in_git_dir(pattern, from, true)
        } else if let Some(pattern) = condition.strip_prefix("onbranch:") {
            self.on_branch(pattern)
        } else {
            // git skips conditions that it does not know; `hasconfig:` it does.
            (!condition.starts_with("hasconfig:")).then_some(false)
        };
        match told {
            Some(true) => Applies::Yes,
            Some(false) => Applies::No,
            None => Applies::Unclear,
        }
    }

    fn in_git_dir(&self, pattern: &str, from: &Path, fold: bool) -> Option<bool> {
        let Some(repo) = self.sources.repo else {
            return Some(false);
        };
        let mut full = if let Some(rest) = pattern.strip_prefix("~/") {
            format!("{}/{rest}", self.home().ok()??.to_str()?)
        } else if let Some(rest) = pattern.strip_prefix("./") {
            format!("{}/{rest}", super::repo::real(from.parent()?).to_str()?)
        } else if pattern.starts_with('/') {
            pattern.to_owned()
        } else {
            format!("**/{pattern}")
        };
        if full.ends_with('/') {
            full.push_str("**");
        }
        let mut text = repo.git_dir.to_str()?.to_owned();
        if fold {
            full = full.to_lowercase();
            text = text.to_lowercase();
        }
        // git also tries the unresolved spelling, which we do not have: a miss is not certain
        // where the pattern goes through a link.
        match glob::wild(&full, &text)? {
            true => Some(true),
            false => {
                let fixed = full.find(['*', '?']).unwrap_or(full.len());
                let fixed = Path::new(full.get(..fixed)?);
                let linked = fixed
                    .ancestors()
                    .filter(|p| p.is_absolute())
                    .any(|p| fs::symlink_metadata(p).is_ok_and(|m| m.is_symlink()));
                (!linked).then_some(false)
            }
        }
    }

    fn on_branch(&mut self, pattern: &str) -> Option<bool> {
        self.into.by_branch = true;
        self.sources.repo?;
        match (self.sources.head)() {
            Ok(Head::Branch(branch)) if pattern.ends_with('/') => {
                glob::wild(&format!("{pattern}**"), &branch)
            }
            Ok(Head::Branch(branch)) => glob::wild(pattern, &branch),
            Ok(Head::Detached) => Some(false),
            Err(_) => None,
        }
    }
}

/// The bytes of a config file; none where there is none.
fn read(path: &Path) -> Result<Option<Vec<u8>>, String> {
    let odd = |why: &str| Err(format!("config file `{}` {why}", path.display()));
    let (file, meta) = match super::files::open(path) {
        Ok(opened) => opened,
        Err(e) if e.kind() == ErrorKind::InvalidInput => return odd("is no file"),
        Err(e) if matches!(e.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
            return Ok(None);
        }
        Err(_) => return odd("cannot be read"),
    };
    if meta.len() > FILE_MAX {
        return odd("is too large");
    }
    let mut text = Vec::with_capacity(usize::try_from(meta.len()).unwrap_or(0) + 1);
    match file.take(FILE_MAX).read_to_end(&mut text) {
        Ok(_) => Ok(Some(text)),
        Err(_) => odd("cannot be read"),
    }
}
