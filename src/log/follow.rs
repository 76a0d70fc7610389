//! Follows the log as it grows, also past the moment when its file is put aside.

use super::read::{Filter, MOST_FILES, Record, Seen, identity, judge, numbered};
use super::{FILE, State};
use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// How much is read in one go, and the longest line that is waited for.
const CHUNK: usize = 1 << 20;

/// How long a file that was put aside is still watched: a writer may be half-way.
const LINGER: Duration = Duration::from_secs(2);

/// A place in the log. Poll it; it never waits.
#[derive(Debug)]
pub struct Follow {
    path: PathBuf,
    /// The newest file that was met.
    current: Option<Tail>,
    /// Files put aside since, oldest first, and since when they were.
    old: Vec<(Tail, Instant)>,
    /// What it came upon so far.
    pub seen: Seen,
}

#[derive(Debug)]
struct Tail {
    file: File,
    identity: (u64, u64),
    /// A line whose end has not come yet.
    begun: Vec<u8>,
}

impl Follow {
    /// Starts at the end of what is there now.
    pub fn from_now(state: &State) -> Follow {
        let path = state.dir().join(FILE);
        let mut current = (0..=MOST_FILES).find_map(|n| Tail::open(&numbered(&path, n)));
        if let Some(tail) = &mut current {
            let _ = tail.file.seek(SeekFrom::End(0));
        }
        Follow {
            path,
            current,
            old: Vec::new(),
            seen: Seen::default(),
        }
    }

    /// The wanted records that have come since the last poll.
    pub fn poll(&mut self, filter: &Filter) -> Vec<Record> {
        self.move_on();
        let mut records = Vec::new();
        let mut take = |record: &Record| records.push(record.clone());
        for (tail, _) in &mut self.old {
            tail.drain(filter, &mut self.seen, &mut take);
        }
        self.old.retain(|(_, since)| since.elapsed() < LINGER);
        if let Some(tail) = &mut self.current {
            tail.drain(filter, &mut self.seen, &mut take);
        }
        records
    }

    /// Looks for files that are newer than the newest known one.
    fn move_on(&mut self) {
        let known = self.current.as_ref().map(|t| t.identity);
        let mut newer = Vec::new();
        // Once more where files were put aside while we looked.
        for _ in 0..4 {
            let there = self.there();
            if there.is_some() && there == known {
                return;
            }
            newer = self.newer(known);
            if self.there() == there {
                break;
            }
        }
        let now = Instant::now();
        for tail in newer.into_iter().rev() {
            if let Some(last) = self.current.replace(tail) {
                self.old.push((last, now));
            }
        }
    }

    fn there(&self) -> Option<(u64, u64)> {
        std::fs::metadata(&self.path).ok().map(|m| identity(&m))
    }

    /// The files that are newer than the known one, newest first.
    fn newer(&self, known: Option<(u64, u64)>) -> Vec<Tail> {
        let mut newer: Vec<Tail> = Vec::new();
        // Files move from low numbers to high ones, so looking in this order meets each of them.
        for number in 0..=MOST_FILES {
            let Some(tail) = Tail::open(&numbered(&self.path, number)) else {
                continue;
            };
            if Some(tail.identity) == known {
                return newer;
            }
            if !newer.iter().any(|t| t.identity == tail.identity) {
                newer.push(tail);
            }
        }
        if known.is_some() {
            // Somebody removed it; what stands aside then was there before.
            newer.truncate(1);
        }
        newer
    }
}

impl Tail {
    fn open(path: &Path) -> Option<Tail> {
        std::fs::metadata(path).ok().filter(|m| m.is_file())?;
        let file = File::open(path).ok()?;
        let identity = identity(&file.metadata().ok()?);
        let begun = Vec::new();
        Some(Tail {
            file,
            identity,
            begun,
        })
    }

    fn drain(&mut self, filter: &Filter, seen: &mut Seen, take: &mut impl FnMut(&Record)) {
        loop {
            let chunk = (&self.file).take(CHUNK as u64);
            let read = { chunk }.read_to_end(&mut self.begun).unwrap_or(0);
            let mut rest = self.begun.as_slice();
            while let Some(end) = rest.iter().position(|b| *b == b'\n') {
                let (line, after) = rest.split_at(end.saturating_add(1));
                judge(line, filter, seen, take);
                rest = after;
            }
            let taken = self.begun.len().saturating_sub(rest.len());
            self.begun.drain(..taken);
            if self.begun.len() > CHUNK {
                // No line of ours; its rest will be garbage too.
                self.begun.clear();
            }
            if read == 0 {
                return;
            }
        }
    }
}
