//! Runs a program as a host does: input through a pipe, both outputs kept, and an end to waiting.

use std::ffi::OsString;
use std::io::{Read, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

/// What a program left behind.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Ran {
    /// The exit code; nothing after a signal.
    pub(super) exit: Option<i32>,
    /// Standard output.
    pub(super) stdout: String,
    /// Standard error.
    pub(super) stderr: String,
    /// How long it took.
    pub(super) took: Duration,
}

/// Why there is no answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Failed {
    /// It could not be started.
    NotStarted(String),
    /// It did not end in time.
    TooLong(Duration),
}

/// How to run it.
#[derive(Debug)]
pub(super) struct How<'a> {
    /// Where.
    pub(super) dir: &'a Path,
    /// What stands on the PATH.
    pub(super) path: OsString,
    /// What it reads.
    pub(super) input: &'a str,
    /// How long it may take.
    pub(super) most: Duration,
}

/// How often an end is looked for.
const BEAT: Duration = Duration::from_millis(4);

/// Runs `words`.
pub(super) fn run(words: &[String], how: &How<'_>) -> Result<Ran, Failed> {
    let lost = |why: &str| Failed::NotStarted(why.to_owned());
    let [program, args @ ..] = words else {
        return Err(lost("there is no command"));
    };
    let begin = Instant::now();
    let spawned = Command::new(program)
        .args(args)
        .current_dir(how.dir)
        .env("PATH", &how.path)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn();
    let mut child = spawned.map_err(|e| Failed::NotStarted(crate::state::files::reason(&e)))?;
    if let Some(mut pipe) = child.stdin.take() {
        let input = how.input.to_owned();
        // One that reads nothing may be gone already.
        std::thread::spawn(move || drop(pipe.write_all(input.as_bytes())));
    }
    let stdout = child.stdout.take().map(gather);
    let stderr = child.stderr.take().map(gather);
    let exit = loop {
        match child.try_wait() {
            Ok(Some(status)) => break status.code(),
            Ok(None) if begin.elapsed() < how.most => std::thread::sleep(BEAT),
            Ok(None) | Err(_) => {
                let _ = child.kill();
                let _ = child.wait();
                return Err(Failed::TooLong(how.most));
            }
        }
    };
    // What it started may hold the pipes open longer than anybody wants to wait.
    let rest = how.most.saturating_sub(begin.elapsed());
    let text = |pipe: Option<Receiver<String>>| pipe.and_then(|p| p.recv_timeout(rest).ok());
    match (text(stdout), text(stderr)) {
        (Some(stdout), Some(stderr)) => Ok(Ran {
            exit,
            stdout,
            stderr,
            took: begin.elapsed(),
        }),
        _ => Err(Failed::TooLong(how.most)),
    }
}

fn gather(mut pipe: impl Read + Send + 'static) -> Receiver<String> {
    let (send, receive) = channel();
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        let _ = pipe.read_to_end(&mut bytes);
        send.send(String::from_utf8_lossy(&bytes).into_owned())
    });
    receive
}
