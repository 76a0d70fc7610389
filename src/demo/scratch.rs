//! The scratch directory: rooms with real repositories, a private home, and a broom that sweeps it away.

use super::accidents::ROOM;
use crate::world;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

/// Where a shell is looked for: never in `PATH`.
const SHELLS: &[&str] = &[
    "/bin/sh",
    "/usr/bin/sh",
    "/run/current-system/sw/bin/sh",
    "C:\\Program Files\\Git\\bin\\sh.exe",
];

/// Makes a room of a copy of the first one. A linked worktree and its repository name each other
/// by absolute path, so both names are written anew.
const COPY: &str = "\
cp -R ../room/. .
printf 'gitdir: %s/app/.git/worktrees/agent-b\\n' \"$PWD\" > agent-b/.git
printf '%s/agent-b/.git\\n' \"$PWD\" > app/.git/worktrees/agent-b/gitdir
";

/// Waits until nobody holds its input any more, however we ended, and removes the directory. What
/// we had started may still be writing then, hence the second try.
const BROOM: &str = "\
trap '' HUP INT TERM
while read -r _; do :; done
rm -rf -- \"$1\" 2>/dev/null || { sleep 1; rm -rf -- \"$1\"; }
";

/// The only settings there are. Nothing here has to outlast a power cut.
const GITCONFIG: &str = "\
[core]
\tfsync = none
[user]
\tname = Ann Author
\temail = ann@example.com
[init]
\tdefaultBranch = main
[gc]
\tauto = 0
[maintenance]
\tauto = false
";

/// The programs that the accidents need.
#[derive(Debug, Clone)]
struct Tools {
    git: PathBuf,
    sh: PathBuf,
}

/// A directory of our own, gone when this is dropped.
#[derive(Debug)]
pub struct Scratch {
    tools: Tools,
    dir: PathBuf,
    keep: bool,
    broom: Option<Child>,
}

impl Scratch {
    /// Makes the directory and the room that all others are copies of. `keep` leaves it behind.
    pub fn new(keep: bool) -> Result<Scratch, String> {
        let sh = SHELLS.iter().find(|p| Path::new(p).is_file());
        let tools = tools(world::git(), sh.map(PathBuf::from))?;
        let cannot = |e: io::Error| format!("a scratch directory cannot be made: {e}");
        let dir = fresh(&fs::canonicalize(std::env::temp_dir()).map_err(cannot)?);
        let mut scratch = Scratch {
            tools,
            dir: dir.map_err(cannot)?,
            keep,
            broom: None,
        };
        if !keep {
            let broom = scratch.broom();
            // Without a broom the directory is removed at the end all the same.
            scratch.broom = broom.ok();
        }
        let home = scratch.home();
        let written = fs::create_dir(&home)
            .and_then(|()| fs::write(home.join(".gitconfig"), GITCONFIG))
            .and_then(|()| fs::create_dir(scratch.dir.join("room")));
        written.map_err(cannot)?;
        scratch.prepare(&scratch.dir.join("room"), ROOM)?;
        Ok(scratch)
    }

    /// Where it is.
    pub fn dir(&self) -> &Path {
        &self.dir
    }

    /// The home of everything that runs here.
    pub fn home(&self) -> PathBuf {
        self.dir.join("home")
    }

    /// A new room, prepared by `setup`; gives its directory, in which `app` is.
    pub fn room(&self, name: &str, setup: &str) -> Result<PathBuf, String> {
        let room = self.dir.join(name);
        let made = fs::create_dir(&room);
        made.map_err(|e| format!("`{}` cannot be made: {e}", room.display()))?;
        self.prepare(&room, COPY)?;
        self.prepare(&room.join("app"), setup)?;
        Ok(room)
    }

    /// Runs shell text that has to succeed.
    fn prepare(&self, dir: &Path, text: &str) -> Result<(), String> {
        let done = self.shell(dir, &format!("set -e\n{text}"))?;
        if done.0 {
            Ok(())
        } else {
            Err(format!("a room cannot be prepared: {}", done.1.trim()))
        }
    }

    /// Runs shell text as an agent would; whether it succeeded, and what it said on stderr.
    pub(super) fn shell(&self, dir: &Path, text: &str) -> Result<(bool, String), String> {
        let mut command = self.closed(&self.tools.sh, dir);
        let out = command.args(["-c", text]).output();
        let out = out.map_err(|e| format!("a shell cannot be run: {e}"))?;
        let said = String::from_utf8_lossy(&out.stderr).into_owned();
        Ok((out.status.success(), said))
    }

    /// What `git ARGS` prints; an error where it fails.
    pub(super) fn git(&self, dir: &Path, args: &[&str]) -> Result<String, String> {
        let out = self.closed(&self.tools.git, dir).args(args).output();
        let out = out.map_err(|e| format!("git cannot be run: {e}"))?;
        if !out.status.success() {
            let said = String::from_utf8_lossy(&out.stderr).trim().to_owned();
            return Err(format!("`git {}` failed: {said}", args.join(" ")));
        }
        Ok(String::from_utf8_lossy(&out.stdout).into_owned())
    }

    /// A command that sees nothing of whoever started us, and makes the same commits each time.
    fn closed(&self, program: &Path, dir: &Path) -> Command {
        let beside = self.tools.git.parent().unwrap_or(Path::new("/usr/bin"));
        let paths = [beside, Path::new("/usr/bin"), Path::new("/bin")];
        let mut command = Command::new(program);
        command
            .current_dir(dir)
            .env_clear()
            .env("PATH", std::env::join_paths(paths).unwrap_or_default())
            .env("HOME", self.home())
            .env("LC_ALL", "C")
            .env("TZ", "UTC")
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .env("GIT_CEILING_DIRECTORIES", &self.dir)
            .env("GIT_TERMINAL_PROMPT", "0")
            .env("GIT_EDITOR", "true")
            .env("GIT_AUTHOR_DATE", "2026-01-09T12:00:00Z")
            .env("GIT_COMMITTER_DATE", "2026-01-09T12:00:00Z")
            .stdin(Stdio::null());
        command
    }

    fn broom(&self) -> io::Result<Child> {
        let mut command = self.closed(&self.tools.sh, Path::new("/"));
        // What a terminal sends to us on Ctrl-C must not reach it.
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        command
            .args(["-c", BROOM, "sh"])
            .arg(&self.dir)
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .spawn()
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        if self.keep {
            return;
        }
        if let Some(mut broom) = self.broom.take() {
            // Waiting closes its input, which sets it going.
            let _ = broom.wait();
        }
        // Gone already where there was a broom.
        let _ = fs::remove_dir_all(&self.dir);
    }
}

fn tools(git: Option<PathBuf>, sh: Option<PathBuf>) -> Result<Tools, String> {
    let missing = |name: &str| {
        format!(
            "the demo runs real {name}, and there is none in the usual places: install `{name}`"
        )
    };
    Ok(Tools {
        git: git.ok_or_else(|| missing("git"))?,
        sh: sh.ok_or_else(|| missing("sh"))?,
    })
}

/// A directory that was not there before and that nobody else can look into.
fn fresh(above: &Path) -> io::Result<PathBuf> {
    let mut builder = fs::DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    let mut number = 0u32;
    loop {
        let name = match number {
            0 => format!("leaseguard-demo-{}", std::process::id()),
            n => format!("leaseguard-demo-{}-{n}", std::process::id()),
        };
        let dir = above.join(name);
        match builder.create(&dir) {
            Err(e) if e.kind() == io::ErrorKind::AlreadyExists && number < 100 => {
                number = number.saturating_add(1);
            }
            made => return made.map(|()| dir),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{fresh, tools};
    use std::path::PathBuf;

    #[test]
    fn a_machine_without_git_is_told_so() {
        let sh = Some(PathBuf::from("/bin/sh"));
        let said = tools(None, sh).expect_err("no git");
        assert!(said.contains("install `git`"), "{said}");
    }

    #[test]
    fn a_directory_of_somebody_else_is_never_taken() {
        let above = tempfile::tempdir().expect("a directory");
        let first = fresh(above.path()).expect("one");
        let second = fresh(above.path()).expect("another");
        assert_ne!(first, second);
    }
}
