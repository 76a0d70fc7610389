//! The decision log: one line of JSON for every call that was not simply allowed, and for every act
//! that changes what is allowed.

mod follow;
mod line;
mod read;
mod redact;
mod secret;
mod stats;

pub use follow::Follow;
pub(crate) use line::quote;
pub use read::{Filter, Reader, Record, Seen};
pub use redact::{masked, redact};
pub use stats::{Counts, Stats};

use crate::call::{Call, What};
use crate::state::time::Moment;
use crate::state::{State, Trouble};
use crate::verdict::{Decision, Verdict};
use line::Line;
use std::borrow::Cow;
use std::fs::{self, File, TryLockError};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The file of the current lines; older ones are in `decisions.jsonl.1`, `.2` and so on.
pub const FILE: &str = "decisions.jsonl";

/// Never replaced, so that whoever holds it really is alone.
const LOCK: &str = "decisions.lock";

/// What of a command is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Commands {
    /// All of it.
    Full,
    /// All but what looks like a secret.
    #[default]
    Redacted,
    /// Nothing.
    None,
}

impl Commands {
    /// The value of `log.commands`.
    pub fn named(name: &str) -> Option<Commands> {
        match name {
            "full" => Some(Commands::Full),
            "redacted" => Some(Commands::Redacted),
            "none" => Some(Commands::None),
            _ => None,
        }
    }
}

/// How the log is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Settings {
    /// What of a command is kept.
    pub commands: Commands,
    /// A file that would grow beyond this is put aside.
    pub most_bytes: u64,
    /// How many files are kept aside.
    pub keep: u32,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            commands: Commands::Redacted,
            most_bytes: 8 << 20,
            keep: 3,
        }
    }
}

/// What one line tells.
#[derive(Debug, Clone, Default)]
pub struct Entry<'a> {
    /// `decision`, or the act: `allow`, `pause`, `claim`, ….
    pub kind: &'a str,
    /// The agent host, as it is called in the host table.
    pub host: Option<&'a str>,
    /// The host's id for the session.
    pub session: Option<&'a str>,
    /// The subagent.
    pub agent: Option<&'a str>,
    /// Where it would have started.
    pub cwd: Option<&'a Path>,
    /// The repository's top level.
    pub repository: Option<&'a Path>,
    /// What was decided.
    pub decision: Option<Decision>,
    /// The rules that spoke against it, or that were approved.
    pub rules: Vec<&'a str>,
    /// What would happen, or what was done.
    pub effects: Vec<Cow<'a, str>>,
    /// Why leaseguard could not judge.
    pub fault: Option<&'a str>,
    /// The code of a denial or a grant.
    pub code: Option<&'a str>,
    /// The claim that an act was about.
    pub claim: Option<&'a str>,
    /// The lane that owns the work (R38).
    pub lane: Option<&'a str>,
    /// How long judging took.
    pub took: Option<Duration>,
    /// The command, tool call or paths, as proposed.
    pub command: Option<Cow<'a, str>>,
    /// All of the command but what looks like a secret, where somebody has worked it out.
    pub shown: Option<&'a str>,
}

impl<'a> Entry<'a> {
    /// What is told of a verdict.
    pub fn of(call: &'a Call, verdict: &'a Verdict) -> Entry<'a> {
        let mut entry = Entry {
            kind: "decision",
            session: call.session.as_deref(),
            agent: call.agent.as_deref(),
            cwd: call.cwd.as_deref(),
            decision: Some(verdict.decision()),
            fault: verdict.fault.as_ref().map(|f| f.code),
            command: Some(proposed(&call.what)),
            ..Entry::default()
        };
        for finding in &verdict.findings {
            if !entry.rules.contains(&finding.rule) {
                entry.rules.push(finding.rule);
            }
            entry.effects.push(Cow::Borrowed(&finding.effect));
        }
        if entry.effects.is_empty() {
            entry
                .effects
                .extend(verdict.effects.iter().map(|e| Cow::Borrowed(e.as_str())));
        }
        entry
    }
}

/// The deed as one text.
fn proposed(what: &What) -> Cow<'_, str> {
    match what {
        What::Shell { text, .. } => Cow::Borrowed(text),
        What::Write { paths } => {
            let mut text = "write".to_owned();
            for path in paths.iter().take(64) {
                text.push(' ');
                text.push_str(&path.to_string_lossy());
            }
            Cow::Owned(text)
        }
        What::Tool {
            server,
            tool,
            input,
        } => Cow::Owned(format!("{server} {tool} {input}")),
        What::GitHook(hooked) => Cow::Owned(hooked.to_string()),
        What::Event { name } => Cow::Borrowed(name),
    }
}

/// The writer.
#[derive(Debug, Clone)]
pub struct Log<'a> {
    state: &'a State,
    settings: Settings,
}

impl<'a> Log<'a> {
    /// The log of `state`.
    pub fn new(state: &'a State, settings: Settings) -> Log<'a> {
        Log { state, settings }
    }

    /// Adds one line. Whatever goes wrong is for telling, not for deciding.
    pub fn write(&self, entry: &Entry<'_>, now: Moment) -> Result<(), Trouble> {
        let line = self.line(entry, now);
        let length = line.len() as u64;
        let (mut file, size) = self.state.appending("", FILE)?;
        let mut unturned = Ok(());
        if size > 0 && size.saturating_add(length) > self.settings.most_bytes {
            unturned = self.turn(length);
            if unturned.is_ok() {
                file = self.state.appending("", FILE)?.0;
            } else if size > self.settings.most_bytes.saturating_mul(4) {
                // Better no line than a disk filled by a log that cannot be put aside.
                return unturned;
            }
        }
        // One call, so that lines of several writers do not mix; what is short stays short.
        match file.write(line.as_bytes()) {
            Ok(n) if n == line.len() => unturned,
            Ok(_) => Err(Trouble(format!(
                "a line of `{}` was cut short",
                self.path().display()
            ))),
            Err(e) => Err(Trouble::at("write", &self.path(), &e)),
        }
    }

    fn path(&self) -> PathBuf {
        self.state.dir().join(FILE)
    }

    fn line(&self, entry: &Entry<'_>, now: Moment) -> String {
        let mut line = Line::new(now);
        line.text("kind", entry.kind, 32);
        for (key, value) in [
            ("host", entry.host),
            ("session", entry.session),
            ("agent", entry.agent),
        ] {
            if let Some(value) = value {
                line.text(key, value, 128);
            }
        }
        for (key, value) in [("cwd", entry.cwd), ("repository", entry.repository)] {
            if let Some(value) = value {
                line.text(key, &value.to_string_lossy(), 400);
            }
        }
        if let Some(decision) = entry.decision {
            line.text("decision", decision.word(), 8);
        }
        line.list("rules", entry.rules.iter().copied(), 48, 400);
        let keep_all = self.settings.commands == Commands::Full;
        let effects = entry.effects.iter().map(|e| shown(e, keep_all, 256));
        line.list("effects", effects, 256, 768);
        if let Some(fault) = entry.fault {
            line.text("fault", fault, 64);
        }
        if let Some(code) = entry.code {
            line.text("code", code, 16);
        }
        for (key, value) in [("claim", entry.claim), ("lane", entry.lane)] {
            if let Some(value) = value {
                line.text(key, value, 128);
            }
        }
        if let Some(took) = entry.took {
            line.number(
                "duration_us",
                u64::try_from(took.as_micros()).unwrap_or(u64::MAX),
            );
        }
        if let (Some(command), false) = (&entry.command, self.settings.commands == Commands::None) {
            let room = line.room();
            let command = match entry.shown.filter(|_| !keep_all) {
                Some(shown) => Cow::Borrowed(shown),
                None => shown(command, keep_all, room),
            };
            line.text("command", &command, room);
        }
        line.end()
    }

    /// Puts the full file aside. Only one writer does; the others write on where they are.
    fn turn(&self, length: u64) -> Result<(), Trouble> {
        let path = self.path();
        let (lock, _) = self.state.appending("", LOCK)?;
        match File::try_lock(&lock) {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Ok(()),
            Err(TryLockError::Error(e)) => return Err(Trouble::at("lock", &path, &e)),
        }
        let done = self.turn_alone(&path, length);
        // Not left to closing: a process that another thread is starting may hold a copy.
        let _ = lock.unlock();
        done
    }

    fn turn_alone(&self, path: &Path, length: u64) -> Result<(), Trouble> {
        // Another one may have done it since we looked.
        let size = fs::metadata(path).map_or(0, |m| m.len());
        if size.saturating_add(length) <= self.settings.most_bytes {
            return Ok(());
        }
        if self.settings.keep == 0 {
            return fs::remove_file(path).map_err(|e| Trouble::at("remove", path, &e));
        }
        for number in (1..self.settings.keep).rev() {
            let _ = fs::rename(aside(path, number), aside(path, number.saturating_add(1)));
        }
        fs::rename(path, aside(path, 1)).map_err(|e| Trouble::at("put aside", path, &e))
    }
}

/// The name of the `number`-th file put aside.
fn aside(path: &Path, number: u32) -> PathBuf {
    path.with_extension(format!("jsonl.{number}"))
}

fn shown<'t>(text: &'t str, keep_all: bool, most: usize) -> Cow<'t, str> {
    if keep_all {
        Cow::Borrowed(text)
    } else {
        Cow::Owned(masked(text, most))
    }
}
