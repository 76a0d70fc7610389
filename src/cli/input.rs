//! What a door reads once: standard input, bounded, and the surroundings of the process.

use crate::verdict::Fault;
use crate::world::{Company, Environment, Surroundings};
use std::io::{ErrorKind, Read};
use std::path::{Path, PathBuf};

/// More than this is not read into memory.
pub(super) const LIMIT: u64 = 64 * 1024 * 1024;

/// Memory that has to be there before a judgement starts: some of it always, ...
const BASE: usize = 2 * 1024 * 1024;
/// ... the message's text again in a few copies, ...
const COPIES: usize = 4;
/// ... and what the shell reader makes of a byte, for as many bytes as it reads.
const PER_BYTE: usize = 256;
const SHELL_LIMIT: usize = 1024 * 1024;

/// All of standard input. It is read to its end even where it is too long, because hosts take an
/// early close for a failure of the hook and run the tool.
pub(super) fn stdin() -> Result<Vec<u8>, Fault> {
    let mut stdin = std::io::stdin().lock();
    // Most messages fit.
    let mut bytes = Vec::with_capacity(4096);
    let read = (&mut stdin)
        .take(LIMIT.saturating_add(1))
        .read_to_end(&mut bytes);
    let fault = match read {
        Err(error) if error.kind() == ErrorKind::OutOfMemory => Some(memory()),
        Err(error) => Some(Fault {
            code: "fault/input",
            what: format!("standard input cannot be read: {error}"),
        }),
        Ok(_) if bytes.len() as u64 > LIMIT => Some(Fault {
            code: "fault/too-large",
            what: "the input is larger than 64 MiB".to_owned(),
        }),
        Ok(_) => None,
    };
    let Some(fault) = fault else {
        return Ok(bytes);
    };
    drop(bytes);
    let _ = std::io::copy(&mut stdin, &mut std::io::sink());
    Err(fault)
}

/// Makes sure that a judgement of `len` bytes will find its memory: running out of it in the
/// middle would kill the process, and hosts run the tool after a killed hook.
pub(super) fn headroom(len: usize) -> Result<(), Fault> {
    let need = BASE
        .saturating_add(len.saturating_mul(COPIES))
        .saturating_add(len.min(SHELL_LIMIT).saturating_mul(PER_BYTE));
    Vec::<u8>::new()
        .try_reserve_exact(need)
        .map_err(|_| memory())
}

fn memory() -> Fault {
    Fault {
        code: "fault/memory",
        what: "there is not enough memory for an input of this size".to_owned(),
    }
}

/// The process's surroundings, for a call that starts in `cwd`.
pub(super) fn around(cwd: Option<&Path>) -> Surroundings {
    let cwd = match cwd {
        Some(dir) if dir.is_absolute() => Some(dir.to_owned()),
        Some(dir) => std::env::current_dir().ok().map(|here| here.join(dir)),
        None => std::env::current_dir().ok(),
    };
    Surroundings {
        cwd,
        home: std::env::var_os("HOME")
            .filter(|value| !value.is_empty())
            .map(PathBuf::from),
        env: Environment::new(|name| std::env::var_os(name)),
        unseen_typing: false,
        now: None,
        claims: None,
        assume_repository: false,
        company: Company::default(),
        git: None,
    }
}
