//! Processes as Linux tells them in `/proc`.

use super::chain::{Look, Process, System};
use std::fs::{self, File};
use std::io::{self, ErrorKind, Read};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

/// Of a command line only so much is read: the start names the program.
const MOST_BYTES: usize = 4096;

/// A `/proc`.
#[derive(Debug)]
pub(super) struct Proc {
    root: PathBuf,
}

impl Default for Proc {
    fn default() -> Proc {
        Proc {
            root: PathBuf::from("/proc"),
        }
    }
}

impl System for Proc {
    /// Of this process only the place in the tree is looked up.
    fn this(&self) -> Option<Process> {
        let pid = std::process::id();
        let stat = start_of(&self.root.join("self/stat")).ok()?;
        parse_stat(pid, &String::from_utf8_lossy(&stat))
    }

    fn process(&self, pid: u32) -> Option<Process> {
        let dir = self.root.join(pid.to_string());
        let stat = start_of(&dir.join("stat")).ok()?;
        let mut process = parse_stat(pid, &String::from_utf8_lossy(&stat))?;
        if let Ok(executable) = fs::read_link(dir.join("exe")) {
            // A program that was replaced while it runs.
            let executable = executable.to_string_lossy();
            process.executable = executable
                .strip_suffix(" (deleted)")
                .unwrap_or(&executable)
                .to_owned();
        }
        let bytes = start_of(&dir.join("cmdline")).unwrap_or_default();
        let args = bytes.split(|b| *b == 0).take(32);
        process.args = args
            .map(|arg| String::from_utf8_lossy(arg).into_owned())
            .collect();
        Some(process)
    }
}

/// The start of a file that says nothing of its length: with room for it all it is one read.
fn start_of(path: &Path) -> io::Result<Vec<u8>> {
    let mut file = File::open(path)?;
    let mut bytes = vec![0; MOST_BYTES];
    let mut len = 0;
    while let Some(rest) = bytes.get_mut(len..).filter(|rest| !rest.is_empty()) {
        match file.read(rest) {
            Ok(0) => break,
            Ok(read) => len = len.saturating_add(read),
            Err(e) if e.kind() == ErrorKind::Interrupted => {}
            Err(e) => return Err(e),
        }
    }
    bytes.truncate(len);
    Ok(bytes)
}

/// `PID (COMM) STATE PPID …`; the name may hold anything, brackets too. Field 22 is the start.
fn parse_stat(pid: u32, stat: &str) -> Option<Process> {
    let (before, after) = stat.rsplit_once(')')?;
    let (_, program) = before.split_once('(')?;
    let mut fields = after.split_ascii_whitespace();
    let parent = fields.nth(1)?.parse().ok()?;
    let start = fields.nth(17)?.parse().ok()?;
    Some(Process {
        pid,
        parent,
        start,
        program: program.to_owned(),
        ..Process::default()
    })
}

/// The state and the start of a process, from the text of its `stat`.
fn parse_life(stat: &str) -> Option<(char, u64)> {
    let (_, after) = stat.rsplit_once(')')?;
    let mut fields = after.split_ascii_whitespace();
    let state = fields.next()?.chars().next()?;
    Some((state, fields.nth(18)?.parse().ok()?))
}

/// Looks at one process.
pub(super) fn look(pid: u32) -> Look {
    let stat = start_of(Path::new(&format!("/proc/{pid}/stat")));
    match stat {
        Ok(bytes) => match parse_life(&String::from_utf8_lossy(&bytes)) {
            Some(('Z' | 'X' | 'x', _)) => Look::Zombie,
            Some((_, start)) => Look::Running { start },
            None => Look::Hidden,
        },
        // ESRCH: it ended while we read.
        Err(e) if e.raw_os_error() == Some(3) => Look::Missing,
        Err(e) if e.kind() == ErrorKind::NotFound => missing(),
        Err(_) => Look::Hidden,
    }
}

/// A process that is not in `/proc` is gone, unless `/proc` itself is, or hides others' processes.
fn missing() -> Look {
    static SHOWS_ALL: OnceLock<bool> = OnceLock::new();
    let shows_all = *SHOWS_ALL.get_or_init(|| {
        let own = fs::metadata(format!("/proc/{}/stat", std::process::id()));
        let mounts = fs::read_to_string("/proc/self/mounts").unwrap_or_default();
        let hides = mounts.lines().any(|line| {
            let mut fields = line.split(' ');
            fields.nth(1) == Some("/proc")
                && fields
                    .nth(1)
                    .is_some_and(|options| options.split(',').any(hides_others))
        });
        own.is_ok() && !hides
    });
    if shows_all {
        Look::Missing
    } else {
        Look::Untold
    }
}

fn hides_others(option: &str) -> bool {
    option
        .strip_prefix("hidepid=")
        .is_some_and(|level| level != "0" && level != "off")
}

/// The processes whose directory is `dir` or below it.
pub(super) fn inside(dir: &Path) -> Option<Vec<u32>> {
    let dir = fs::canonicalize(dir).unwrap_or_else(|_| dir.to_owned());
    let mut found = Vec::new();
    for entry in fs::read_dir("/proc").ok()? {
        let Ok(entry) = entry else { continue };
        let name = entry.file_name();
        let Some(pid) = name.to_str().and_then(|n| n.parse::<u32>().ok()) else {
            continue;
        };
        // Not readable: another user's, or one that has just ended.
        if let Ok(cwd) = fs::read_link(entry.path().join("cwd"))
            && cwd.starts_with(&dir)
        {
            found.push(pid);
        }
    }
    Some(found)
}

/// Whether `pid`, started at `start`, is among the nearest `most` ancestors of this process.
pub(super) fn above(pid: u32, start: u64, most: usize) -> bool {
    let mut at = parent();
    for _ in 0..most {
        let Some((parent, begun)) = at.filter(|at| *at != 0).and_then(kin) else {
            return false;
        };
        if at == Some(pid) {
            return begun == start;
        }
        at = Some(parent);
    }
    false
}

#[cfg(unix)]
fn parent() -> Option<u32> {
    Some(std::os::unix::process::parent_id())
}

#[cfg(not(unix))]
fn parent() -> Option<u32> {
    None
}

/// The parent and the start of a process; this stands before every call of a claim's holder.
fn kin(pid: u32) -> Option<(u32, u64)> {
    let mut room = [0; 1024];
    let stat = small(&["/proc/", &pid.to_string(), "/stat"].concat(), &mut room)?;
    parse_kin(stat)
}

fn parse_kin(stat: &[u8]) -> Option<(u32, u64)> {
    // An id, and a name of 64 bytes at most; what follows it has no brackets.
    let head = stat.get(..stat.len().min(96))?;
    let mut close = head.len();
    while close > 0 && head.get(close.wrapping_sub(1)) != Some(&b')') {
        close = close.wrapping_sub(1);
    }
    // Fields from the state on: 1 is the parent, 19 the start.
    let (mut field, mut parent, mut start) = (0_u32, None, None);
    for byte in stat.get(close..)?.iter().skip(1) {
        let into = match field {
            _ if *byte == b' ' => {
                field = field.saturating_add(1);
                continue;
            }
            1 => &mut parent,
            19 => &mut start,
            20 => break,
            _ => continue,
        };
        let digit = byte.checked_sub(b'0').filter(|digit| *digit < 10)?;
        let before: u64 = into.unwrap_or_default();
        *into = Some(before.checked_mul(10)?.checked_add(u64::from(digit))?);
    }
    (close > 0 && field == 20).then_some(())?;
    Some((u32::try_from(parent?).ok()?, start?))
}

/// The text of a small file of `/proc`, which one read gets all of.
fn small<'a>(path: &str, room: &'a mut [u8]) -> Option<&'a [u8]> {
    let read = File::open(path).and_then(|mut file| file.read(room)).ok()?;
    room.get(..read)
}

/// The boot id and the pid namespace.
pub(super) fn place() -> (String, String) {
    let mut room = [0; 64];
    let boot = small("/proc/sys/kernel/random/boot_id", &mut room).unwrap_or_default();
    let boot = String::from_utf8_lossy(boot.trim_ascii()).into_owned();
    let space = fs::read_link("/proc/self/ns/pid").unwrap_or_default();
    (boot, space.to_string_lossy().into_owned())
}

/// Both in one.
pub(super) fn here() -> String {
    let (boot, space) = place();
    format!("{boot}:{space}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_with_brackets_and_blanks_does_not_shift_the_fields() {
        let stat = "42 (a) R (b) c) S 7 42 42 0 -1 4194304 1 2 3 4 5 6 7 8 20 0 1 0 65060 999 1";
        let process = parse_stat(42, stat).unwrap();
        assert_eq!((process.parent, process.start), (7, 65060));
        assert_eq!(process.program, "a) R (b) c");
        let line = format!("{stat}\n");
        assert_eq!(parse_kin(line.as_bytes()), Some((7, 65060)));
        // A number that nothing follows may be the start of a longer one.
        for cut in 0..line.len() - 6 {
            let part = line.get(..cut).unwrap();
            assert_eq!(parse_kin(part.as_bytes()), None, "{part}");
        }
        assert_eq!(parse_stat(42, "42 (a S"), None);
        assert_eq!(parse_stat(42, "42 (a) S 7"), None);
        assert_eq!(parse_stat(42, ""), None);
    }
}
