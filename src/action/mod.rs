//! Command -> actions: what a program invocation would do, in git's own terms.
#![deny(clippy::disallowed_methods)]

mod agent;
mod discard;
mod elsewhere;
pub mod enter;
pub mod file;
pub mod forge;
pub mod git;
mod may_write;
pub mod options;
mod own;
pub mod publish;
mod recipe;
mod ruin;
pub mod tool;
mod words;
#[cfg(test)]
pub(crate) use words::testing;
mod worktree;
pub mod wrap;

pub use agent::AgentStart;
pub use discard::{Discard, Loses, Reach, Undoes};
pub use forge::ForgeAct;
pub use own::Own;
pub use publish::{Publish, Rehearsal};
pub use ruin::{Fate, Only, Ruin};
pub use worktree::Worktree;

use crate::shell::{Command, OPAQUE, Span, Word};
use std::path::{Path, PathBuf};

/// The part of a command that makes the difference, as typed: `--force`, `-f`, `+main`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct How {
    /// As typed (known text) or as meant.
    pub text: String,
    /// Where it stands.
    pub span: Span,
}

/// One act at one place.
#[derive(Debug, Clone)]
pub struct Action {
    /// What it is.
    pub act: Act,
    /// Where it happens.
    pub place: Place,
    /// The whole command.
    pub span: Span,
    /// The command as words, known text only (`…` for unknown), for messages.
    pub shown: String,
}

/// A directory or file that git is pointed at.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Pointed {
    /// Not given: git looks for itself.
    #[default]
    Found,
    /// Given.
    At(PathBuf),
    /// Given, but unknown.
    Unknown,
}

/// `-c key=value`, `--config-env`, `GIT_CONFIG_*`: config of one command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Setting {
    /// Section and name in lower case, subsection as given; `None` when the key is unknown.
    pub key: Option<String>,
    /// `None` inside a known setting means `-c key` without a value (true).
    pub value: SettingValue,
    /// As typed.
    pub how: How,
}

/// The value of a [`Setting`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SettingValue {
    /// `-c key`: true.
    Bare,
    /// `-c key=value`.
    Text(String),
    /// Not known before the run.
    Unknown,
}

/// Where an act happens: git's directory, repository and environment for one command.
#[derive(Debug, Clone, Default)]
pub struct Place {
    /// The directory after `cd` and `-C`; `None` = unknown.
    pub dir: Option<PathBuf>,
    /// `--git-dir`, `GIT_DIR`.
    pub git_dir: Pointed,
    /// `--work-tree`, `GIT_WORK_TREE`.
    pub work_tree: Pointed,
    /// Config given with the command, in order; the last of a key wins.
    pub config: Vec<Setting>,
    /// Other assignments and exports in effect (`GIT_INDEX_FILE`, `HUSKY`, `HOME`, …).
    pub env: Vec<(String, Word)>,
    /// Variables of the surroundings are taken away: `unset`, `env -i`.
    pub scrubbed: bool,
    /// `--literal-pathspecs`, `--icase-pathspecs` and their kin, `GIT_LITERAL_PATHSPECS` ….
    pub literal_pathspecs: bool,
}

/// What a command would do.
// A call makes a handful of these; boxing the widest would cost more than it saves.
#[allow(clippy::large_enum_variant)]
#[derive(Debug, Clone)]
#[expect(
    clippy::large_enum_variant,
    reason = "a call holds a handful of acts, and each is read in place"
)]
pub enum Act {
    /// Updates refs of another repository (or of this one, by `push .`).
    Push(Push),
    /// Puts changes into the index.
    Stage(Stage),
    /// Makes a commit.
    Commit(Commit),
    /// Throws away changes that are in no commit.
    Discard(Discard),
    /// Moves HEAD to a branch or commit, perhaps making the branch.
    Switch(Switch),
    /// Makes, moves, renames or deletes local refs.
    Refs(Refs),
    /// Changes config.
    Config(ConfigWrite),
    /// Merges, rebases, pulls, cherry-picks, reverts: moves the current branch.
    Integrate(Integrate),
    /// Moves the current branch to another commit and keeps the work tree (soft, mixed, keep …).
    Reset {
        /// Where to; `None` = HEAD.
        rev: Option<Word>,
    },
    /// `worktree add|remove|move`.
    Worktree(Worktree),
    /// A stash verb that hides or destroys work.
    Stash {
        /// `push`, `pop`, `apply`, `drop`, `clear`, `branch`, `store`.
        verb: &'static str,
        /// The entry as typed; `None` = the newest.
        entry: Option<Word>,
        /// A push takes untracked files too.
        untracked: bool,
        /// A push leaves a part where it is: paths, `-p`, `--keep-index`, `--staged`.
        part: bool,
        /// A push takes these alone, as typed.
        paths: Vec<Word>,
        /// Where the verb stands.
        span: Span,
    },
    /// Makes a repository of which nothing is known (`clone`, `init`); `None` = unknown where.
    NewRepository {
        /// The branch that it starts on, where the call says.
        branch: Option<Word>,
        /// Its directory as typed, or the name that git derives.
        dir: Option<Word>,
    },
    /// `git remote add|set-url|rename|remove …`, `remote set-head`: remotes are not as before.
    Remote {
        /// The verb.
        verb: String,
        /// The remote's name, if known.
        name: Option<Word>,
        /// The rest of the words.
        args: Vec<Word>,
    },
    /// Hooks that should run are skipped.
    SkipHooks(How),
    /// A signature that should be made is not.
    SkipSigning(How),
    /// A part that decides cannot be read before the run.
    Opaque(Unread),
    /// A shell that waits for typed lines.
    InteractiveShell,
    /// A git verb that is not built in: perhaps an alias. Its words from the verb on.
    UnknownVerb {
        /// The verb and its arguments.
        words: Vec<Word>,
    },
    /// Something is released, or a running system changed.
    Publish(Publish),
    /// A forge merges.
    ForgeMerge(ForgeAct),
    /// A forge writes refs, repositories, runs or their protection.
    ForgeRefs(ForgeAct),
    /// A git command with no act that any other variant names, kept for its config and environment
    /// (`git -c core.fsmonitor=x status`) or because it still touches the checkout (`clean -X`).
    Other {
        /// The verb.
        verb: String,
    },
    /// A file is written, emptied or removed outside git.
    Write {
        /// The file.
        path: Word,
    },
    /// A file or directory is removed, moved away or given other rights.
    Alter {
        /// The file.
        path: Word,
        /// What is done to it.
        by: Alter,
    },
    /// A file that means nothing to git is written or altered: only whose checkout it lies in counts.
    Touch {
        /// The file.
        path: Word,
        /// What is done to it; `None` = it is written.
        by: Option<Alter>,
    },
    /// Files are removed, or others put in their place, past git.
    Ruin(Ruin),
    /// A program of which nothing is known runs here, and may write.
    Run {
        /// The program.
        program: Word,
    },
    /// A verb of leaseguard itself.
    Leaseguard {
        /// The verb.
        verb: Word,
        /// What follows it.
        args: Vec<Word>,
    },
    /// leaseguard is stopped, hidden or taken off the machine.
    Disarm(Own),
    /// An agent host is started, or set up, so that it may not ask leaseguard.
    AgentHost(AgentStart),
}

/// What is done to a file besides writing it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Alter {
    /// Removed; `tree` where directories go with all that they hold.
    Remove {
        /// See above.
        tree: bool,
    },
    /// Moved elsewhere.
    Move,
    /// Other rights or another owner.
    Mode,
}

/// What could not be read, and where it stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unread {
    /// The program it belongs to: `git`, `gh`, …, or the shell that would run unknown text.
    pub program: String,
    /// `verb`, `option`, `target`, `program`, `script`, `input`.
    pub part: &'static str,
    /// In words, why it matters: `the word \`$X\` stands where git reads an option`.
    pub why: String,
    /// Where it stands.
    pub span: Span,
}

/// Which program pushes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Pusher {
    /// `git push`.
    #[default]
    Push,
    /// `git send-pack`: no hooks, no config; without refspecs it pushes matching branches.
    SendPack,
    /// `git subtree push`.
    Subtree,
    /// A push that runs already: git has told its hook which refs it updates.
    Hook,
}

/// `git push` and its kin, as typed: what it means is the world's to tell.
#[derive(Debug, Clone, Default)]
pub struct Push {
    /// Who pushes.
    pub by: Pusher,
    /// The first positional, else `--repo`.
    pub remote: Option<Word>,
    /// The other positionals, as typed.
    pub refspecs: Vec<Word>,
    /// `--force`.
    pub force: Option<How>,
    /// `--force-with-lease[=…]`.
    pub lease: Option<How>,
    /// `--delete`.
    pub delete: Option<How>,
    /// `--mirror`.
    pub mirror: Option<How>,
    /// `--all`, `--branches`.
    pub all: Option<How>,
    /// `--tags`.
    pub tags: Option<How>,
    /// `--follow-tags` / `--no-follow-tags`.
    pub follow_tags: Option<bool>,
    /// `--prune`.
    pub prune: Option<How>,
    /// `--dry-run`: nothing moves.
    pub dry_run: bool,
    /// `-u`.
    pub set_upstream: bool,
    /// `--recurse-submodules=…` (last wins).
    pub recurse: Option<Word>,
    /// Values of `-o`.
    pub options: Vec<Word>,
    /// `--exec`, `--receive-pack`: a program of the caller's choice runs at the remote.
    pub receive_pack: Option<How>,
    /// `send-pack --stdin`: refspecs come from standard input.
    pub from_stdin: bool,
}

/// `git add`, `stage`, `update-index`, `rm --cached`, `apply --index` ….
#[derive(Debug, Clone, Default)]
pub struct Stage {
    /// The verb as typed.
    pub verb: String,
    /// Pathspecs as typed.
    pub paths: Vec<Word>,
    /// `-A`, `--all`, `--no-ignore-removal`.
    pub all: Option<How>,
    /// `-u`.
    pub update: Option<How>,
    /// `--pathspec-from-file`, `--stdin`: the list is elsewhere.
    pub from_file: Option<How>,
    /// `-p`, `-i`, `-e`: chosen by answers.
    pub chosen: Option<How>,
    /// `--renormalize`, `--again`, `read-tree`: stages by itself, without names.
    pub sweeping: Option<How>,
    /// `-n`, `--refresh`: stages nothing.
    pub dry_run: bool,
    /// `-r` was given, so that directories are meant (`rm`).
    pub recursive: bool,
}

/// `git commit`.
#[derive(Debug, Clone, Default)]
pub struct Commit {
    /// `-a`.
    pub all: Option<How>,
    /// `--amend`.
    pub amend: Option<How>,
    /// Pathspecs.
    pub paths: Vec<Word>,
    /// `--pathspec-from-file`.
    pub from_file: Option<How>,
    /// `-p`, `--interactive`.
    pub chosen: Option<How>,
    /// `--dry-run`, `--short`, `--porcelain`, `--long`: commits nothing.
    pub dry_run: bool,
}

/// `git switch`, `git checkout BRANCH`.
#[derive(Debug, Clone, Default)]
pub struct Switch {
    /// The branch or commit that becomes HEAD; the start point when one is made.
    pub to: Option<Word>,
    /// The branch that is made.
    pub create: Option<Word>,
    /// `-B`, `-C`: an existing branch of that name is moved.
    pub force_create: Option<How>,
    /// `--detach`.
    pub detach: bool,
    /// `--orphan`.
    pub orphan: bool,
    /// `--track`, `--no-track`; `None` = by config.
    pub track: Option<bool>,
    /// It was typed as `checkout X`, where `X` may also be a path.
    pub maybe_path: bool,
    /// `--ignore-other-worktrees`: the branch may be checked out elsewhere.
    pub ignore_other_worktrees: Option<How>,
}

/// Local ref updates.
#[derive(Debug, Clone)]
pub enum Refs {
    /// `branch NAME [START]`, `tag NAME`: new refs.
    Create {
        /// `refs/heads/…`, `refs/tags/…` when known.
        name: Word,
        /// A branch, else a tag.
        branch: bool,
        /// The start point.
        start: Option<Word>,
        /// `--track`, `--no-track`.
        track: Option<bool>,
    },
    /// `branch -f`, `tag -f`, `update-ref`, `symbolic-ref`: an existing ref may move.
    Force {
        /// The ref as typed.
        name: Word,
        /// What a short name stands under: `refs/heads/`, `refs/tags/`, or nothing.
        under: &'static str,
        /// Where it moves to; `None` = HEAD.
        to: Option<Word>,
        /// As typed.
        how: How,
    },
    /// `branch -d/-D`, `tag -d`, `update-ref -d`.
    Delete {
        /// The refs as typed.
        names: Vec<Word>,
        /// See `Force`.
        under: &'static str,
        /// As typed; `safe` is `branch -d`, which git refuses for unmerged work.
        how: How,
        /// See `how`.
        safe: bool,
        /// `-r`: only remote-tracking refs.
        remote_tracking: bool,
    },
    /// `branch -m|-c [OLD] NEW`.
    Rename {
        /// `None` = the current branch.
        from: Option<Word>,
        /// The new name.
        to: Word,
        /// `-M`, `-C`.
        force: bool,
        /// `-c`, `-C`.
        copy: bool,
    },
    /// `branch --set-upstream-to=U [B]`, `--unset-upstream [B]`.
    Upstream {
        /// `None` = the current branch.
        branch: Option<Word>,
        /// `None` = unset.
        upstream: Option<Word>,
    },
    /// Refs that cannot be named beforehand (`update-ref --stdin`, `fetch +a:b`).
    Unnamed(How),
}

/// `git config` that writes.
#[derive(Debug, Clone)]
pub struct ConfigWrite {
    /// Lower case section and name; `None` = unknown, or the whole file (`--edit`).
    pub key: Option<String>,
    /// `None` = unset.
    pub value: Option<Word>,
    /// `--add`: a further value.
    pub add: bool,
    /// `--edit`: an editor is opened on it.
    pub edits: bool,
    /// `local`, `global`, `system`, `worktree`, `file`.
    pub scope: &'static str,
    /// As typed.
    pub how: How,
}

/// Merge, rebase, pull, cherry-pick, revert, am.
#[derive(Debug, Clone, Default)]
pub struct Integrate {
    /// `merge`, `rebase`, `pull`, `cherry-pick`, `revert`, `am`.
    pub verb: &'static str,
    /// What is integrated, as typed.
    pub what: Vec<Word>,
    /// `rebase UPSTREAM BRANCH`: this branch is switched to first.
    pub switches_to: Option<Word>,
    /// `--abort`, `--continue`, `--quit`, `--skip`.
    pub resumes: bool,
    /// `--no-commit`, `--squash`: HEAD stays.
    pub no_commit: bool,
}

/// Answers what only the repository knows about names; the world implements it.
pub trait Lookup {
    /// The value of `alias.NAME` at `place`: `Ok(None)` = no such alias, `Err` = cannot tell.
    fn alias(&self, place: &Place, name: &str) -> Result<Option<String>, String>;

    /// Whether git at `place` runs another verb for one that it does not know.
    fn corrects(&self, place: &Place) -> bool {
        let _ = place;
        false
    }

    /// The base name of the program that `path` leads to through links; `None` = it is no link.
    fn program(&self, path: &Path) -> Option<String> {
        let _ = path;
        None
    }

    /// Whether anything is claimed on this machine, so that it may count where an unknown program
    /// runs.
    fn claimed(&self) -> bool {
        false
    }

    /// Whether it counts that one runs in `dir`, which may be the asker's own checkout.
    fn minds_programs(&self, dir: Option<&Path>) -> bool {
        let _ = dir;
        self.claimed()
    }
}

/// The base name of a program word: `/usr/bin/git` -> `git`, `git.exe` -> `git`.
pub fn basename(program: &str) -> &str {
    let name = program.rsplit(['/', '\\']).next().unwrap_or(program);
    name.strip_suffix(".exe").unwrap_or(name)
}

/// The command for messages: known text, `…` where unknown.
pub fn shown(command: &Command) -> String {
    let room = command.words.iter().map(|word| word.text.len() + 1).sum();
    let mut out = String::with_capacity(room);
    for word in &command.words {
        if !out.is_empty() {
            out.push(' ');
        }
        words::push_shown(&word.text, &mut out);
    }
    out
}

/// True for the characters that stand for unknown or answered stretches of a word.
pub fn is_mark(c: char) -> bool {
    c == OPAQUE || (c as u32) >= crate::shell::ANSWER_BASE
}

/// What a command would do, for sure and perhaps.
#[derive(Debug, Default)]
pub struct Named {
    /// What it does.
    pub actions: Vec<Action>,
    /// A git alias that runs shell text.
    pub alias: Option<git::AliasRun>,
    /// Commands that it may run without our knowing the program.
    pub possible: Vec<wrap::Possible>,
}

/// What `command` would do when it runs in `dir`; empty for programs that are none of our business.
/// Plain files that it writes are told: whether it counts whose they are is for the one who judges.
pub fn name(command: &Command, dir: Option<&Path>, lookup: &dyn Lookup) -> Named {
    let mut named = Named::default();
    let Some(program) = command.words.first() else {
        file::read("", command, dir, true, &mut named.actions);
        ruin::read("", command, dir, &mut named.actions);
        return named;
    };
    let base = program_name(program, dir, lookup);
    let plain = |act| Action {
        act,
        place: place(command, dir),
        span: command.span,
        shown: shown(command),
    };
    if base == "git" || base.starts_with("git-") {
        let reading = git::read(command, dir, lookup);
        named.actions = reading.actions;
        named.alias = reading.alias;
        let outward = forge::git_verbs(&base, command, &named.actions);
        named.actions.extend(outward.into_iter().map(plain));
        file::read("", command, dir, true, &mut named.actions);
        ruin::read("", command, dir, &mut named.actions);
        return named;
    }
    if let Some(command) = forge::as_git(&base, command) {
        let reading = git::read(&command, dir, lookup);
        named.actions = reading.actions;
        named.alias = reading.alias;
        return named;
    }
    // Most commands print or search, and of those only a few also speak to a forge.
    let reads =
        wrap::is_data(&base) && !matches!(base.as_str(), "gh" | "glab" | "hub" | "curl" | "wget");
    if !reads {
        named.actions.extend(
            forge::read(&base, command)
                .into_iter()
                .chain(publish::read(&base, command))
                .map(plain),
        );
    }
    file::read(&base, command, dir, true, &mut named.actions);
    ruin::read(&base, command, dir, &mut named.actions);
    elsewhere::fetched_files(&base, command, dir, &mut named.actions);
    let own = own::read(&base, command).or_else(|| agent::read(&base, command));
    named.actions.extend(own.map(plain));
    if wrap::waits_for_lines(command) {
        named.actions.push(plain(Act::InteractiveShell));
    }
    if let Some(unread) = odd_git(command, &base) {
        named.actions.push(plain(Act::Opaque(unread)));
    }
    if lookup.claimed() && may_write::may_write(&base) {
        let minds = lookup.minds_programs(dir);
        let there = elsewhere::runs(&base, command, dir, minds);
        named.actions.extend(there);
    }
    named.possible = wrap::possible(command);
    named
}

/// The program's base name, links followed where it is given by path.
fn program_name(program: &Word, dir: Option<&Path>, lookup: &dyn Lookup) -> String {
    let base = basename(&program.text);
    if base == "git" || !program.text.contains('/') || program.opaque != crate::shell::Opaque::No {
        return base.to_owned();
    }
    let path = Path::new(&program.text);
    let path = dir.map_or_else(|| path.to_owned(), |d| d.join(path));
    lookup.program(&path).unwrap_or_else(|| base.to_owned())
}

/// A program that takes git's words for skipping hooks is git under another name.
fn odd_git(command: &Command, base: &str) -> Option<Unread> {
    if wrap::is_wrapper(base) || wrap::is_data(base) {
        return None;
    }
    let has = |test: fn(&str) -> bool| command.words.iter().skip(1).find(|w| test(&w.text));
    has(|t| matches!(t, "push" | "commit"))?;
    let word =
        has(|t| t == "--no-verify" || t.to_ascii_lowercase().starts_with("core.hookspath="))?;
    Some(Unread {
        program: base.to_owned(),
        part: "program",
        why: format!(
            "it is not git by name, but it is told to skip hooks with `{}`",
            word.text
        ),
        span: word.span,
    })
}

/// The place of a command that is not git's.
fn place(command: &Command, dir: Option<&Path>) -> Place {
    let _ = command;
    Place {
        dir: dir.map(Path::to_owned),
        ..Place::default()
    }
}
