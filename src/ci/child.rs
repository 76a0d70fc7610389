//! A program that is asked one thing: its own process group, no input, bounded output, bounded time.

use super::answer::Trouble;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

/// Longest answer.
const ANSWER_MAX: u64 = 4 * 1024 * 1024;

/// Longest complaint that is read.
const COMPLAINT_MAX: u64 = 16 * 1024;

/// How often a child is looked at that is silent or has closed its output.
const BEAT: Duration = Duration::from_millis(5);

/// How long output may still come once the child itself has ended.
const DRAIN: Duration = Duration::from_millis(50);

/// What a program said.
#[derive(Debug, Default)]
pub(super) struct Said {
    /// Its exit code; `None` where a signal ended it.
    pub(super) code: Option<i32>,
    /// Its output.
    pub(super) out: Vec<u8>,
    /// Its complaints.
    pub(super) err: String,
}

/// What keeps `gh` and `glab` from asking, paging, painting and looking for updates.
const SILENT: &[(&str, &str)] = &[
    ("GH_PROMPT_DISABLED", "1"),
    ("GH_NO_UPDATE_NOTIFIER", "1"),
    ("GH_NO_EXTENSION_UPDATE_NOTIFIER", "1"),
    ("GH_PAGER", "cat"),
    ("NO_PROMPT", "1"),
    ("GLAB_CHECK_UPDATE", "false"),
    ("GLAB_SEND_TELEMETRY", "false"),
    ("NO_COLOR", "1"),
    ("PAGER", "cat"),
];

/// What would change what they print or where they go.
const UNSET: &[&str] = &[
    "GH_DEBUG",
    "DEBUG",
    "GH_FORCE_TTY",
    "GH_REPO",
    "GH_HOST",
    "CLICOLOR_FORCE",
];

/// Looks `program` up in `path`, where only absolute directories count.
pub(super) fn find(program: &str, path: Option<&std::ffi::OsStr>) -> Option<PathBuf> {
    let given = Path::new(program);
    if given.is_absolute() {
        return runs(given).then(|| given.to_owned());
    }
    if given.components().count() != 1 {
        return None;
    }
    std::env::split_paths(path?)
        .filter(|dir| dir.is_absolute())
        .flat_map(|dir| {
            let plain = dir.join(program);
            let exe = cfg!(windows).then(|| dir.join(format!("{program}.exe")));
            std::iter::once(plain).chain(exe)
        })
        .find(|file| runs(file))
}

#[cfg(unix)]
fn runs(file: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    let found = std::fs::metadata(file);
    found.is_ok_and(|m| m.is_file() && m.permissions().mode() & 0o111 != 0)
}

#[cfg(not(unix))]
fn runs(file: &Path) -> bool {
    file.is_file()
}

/// Runs `program` until it has ended, or until `deadline`.
pub(super) fn run(
    program: &Path,
    args: &[&str],
    env: &[(&str, &str)],
    deadline: Instant,
) -> Result<Said, Trouble> {
    let name = program.file_name().unwrap_or(program.as_os_str());
    let name = name.to_string_lossy().into_owned();
    let begun = Instant::now();
    let mut command = Command::new(program);
    command
        .args(args)
        .envs(SILENT.iter().copied())
        .envs(env.iter().copied())
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    for name in UNSET {
        command.env_remove(name);
    }
    #[cfg(unix)]
    {
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        // Not in the repository: nothing there may choose what is asked.
        command.current_dir("/");
    }
    let cannot = |e: &std::io::Error| {
        let why = crate::state::files::reason(e);
        Trouble::Missing(format!("`{name}` cannot be run: {why}"))
    };
    let mut child = command.spawn().map_err(|e| cannot(&e))?;
    let out = hear(child.stdout.take(), ANSWER_MAX.saturating_add(1));
    let err = hear(child.stderr.take(), COMPLAINT_MAX);
    let heard = collect(&mut child, &out, deadline);
    let Some(bytes) = heard else {
        kill(&mut child);
        let millis = u64::try_from(begun.elapsed().as_millis()).unwrap_or(u64::MAX);
        return Err(Trouble::Timeout(name, millis));
    };
    if bytes.len() as u64 > ANSWER_MAX {
        kill(&mut child);
        let what = format!("`{name}` answers more than 4 MiB");
        return Err(Trouble::Protocol(what));
    }
    let Some(code) = ended(&mut child, deadline) else {
        kill(&mut child);
        let millis = u64::try_from(begun.elapsed().as_millis()).unwrap_or(u64::MAX);
        return Err(Trouble::Timeout(name, millis));
    };
    let mut complaint = Vec::new();
    while let Ok(piece) = err.recv_timeout(BEAT) {
        complaint.extend(piece);
    }
    // Whatever it left behind goes too.
    kill_group(&child);
    Ok(Said {
        code,
        out: bytes,
        err: String::from_utf8_lossy(&complaint).into_owned(),
    })
}

/// Reads in a thread of its own, at most `most` bytes; the channel closes at the end.
fn hear<R: Read + Send + 'static>(from: Option<R>, most: u64) -> Receiver<Vec<u8>> {
    let (tell, heard) = mpsc::channel();
    if let Some(from) = from {
        std::thread::spawn(move || {
            let mut from = from.take(most);
            let mut piece = vec![0; 64 * 1024];
            while let Ok(count @ 1..) = from.read(&mut piece) {
                let piece = piece.get(..count).unwrap_or_default().to_vec();
                if tell.send(piece).is_err() {
                    return;
                }
            }
        });
    }
    heard
}

/// All output; `None` when time is up. A grandchild that keeps the output open is not waited for.
fn collect(child: &mut Child, out: &Receiver<Vec<u8>>, deadline: Instant) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    let mut over: Option<Instant> = None;
    loop {
        match out.recv_timeout(BEAT) {
            Ok(piece) => bytes.extend(piece),
            Err(RecvTimeoutError::Disconnected) => return Some(bytes),
            Err(RecvTimeoutError::Timeout) => {
                let now = Instant::now();
                let since = match over {
                    Some(since) => Some(since),
                    None => matches!(child.try_wait(), Ok(Some(_))).then_some(now),
                };
                if since.is_some_and(|s| now.duration_since(s) > DRAIN) {
                    return Some(bytes);
                }
                over = since;
                if now >= deadline {
                    return None;
                }
            }
        }
    }
}

/// The exit code, once it has ended; `None` when time is up.
fn ended(child: &mut Child, deadline: Instant) -> Option<Option<i32>> {
    loop {
        match child.try_wait() {
            Ok(Some(status)) => return Some(status.code()),
            Ok(None) if Instant::now() < deadline => std::thread::sleep(Duration::from_millis(1)),
            _ => return None,
        }
    }
}

/// Ends the child with all that it has started.
fn kill(child: &mut Child) {
    kill_group(child);
    // It may be gone already.
    let _ = child.kill();
    let _ = child.wait();
}

#[cfg(unix)]
fn kill_group(child: &Child) {
    use rustix::process::{Pid, Signal, kill_process_group};
    if let Some(pid) = i32::try_from(child.id()).ok().and_then(Pid::from_raw) {
        // Nobody is left in it most of the time.
        let _ = kill_process_group(pid, Signal::KILL);
    }
}

#[cfg(not(unix))]
fn kill_group(_: &Child) {}
