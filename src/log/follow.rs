//! Follows the log as it grows, also past the moment when its file is put aside.

use super::read::{Filter, Record, Seen, identity, judge};
use super::{FILE, aside};
use crate::state::State;
use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::PathBuf;

/// How much is read in one go.
const CHUNK: u64 = 1 << 20;

/// How far back a file is looked for that was put aside.
const MOST_ASIDE: u32 = 16;

/// How many polls a file that was put aside is still watched: a writer may be half-way.
const LINGER: u32 = 3;

/// A place in the log. Poll it; it never waits.
#[derive(Debug)]
pub struct Follow {
    path: PathBuf,
    current: Option<Tail>,
    /// Files put aside meanwhile, with the polls that are left to them.
    old: Vec<(Tail, u32)>,
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
        let mut current = Tail::open(&path);
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
        for (tail, left) in &mut self.old {
            tail.drain(filter, &mut self.seen, &mut take);
            *left = left.saturating_sub(1);
        }
        self.old.retain(|(_, left)| *left > 0);
        if let Some(tail) = &mut self.current {
            tail.drain(filter, &mut self.seen, &mut take);
        }
        records
    }

    /// Looks whether another file stands at the path, and which ones were put aside between.
    fn move_on(&mut self) {
        let there = std::fs::metadata(&self.path)
            .ok()
            .filter(|m| m.is_file())
            .map(|m| identity(&m));
        let known = self.current.as_ref().map(|t| t.identity);
        if there == known {
            return;
        }
        if let Some(last) = self.current.take() {
            let aside = (1..MOST_ASIDE).map_while(|n| Tail::open(&aside(&self.path, n)));
            let mut missed = Vec::new();
            let mut found = false;
            for tail in aside {
                found = tail.identity == last.identity;
                if found {
                    break;
                }
                missed.push((tail, LINGER));
            }
            self.old.push((last, LINGER));
            if found {
                self.old.extend(missed.into_iter().rev());
            }
        }
        self.current = Tail::open(&self.path);
    }
}

impl Tail {
    fn open(path: &std::path::Path) -> Option<Tail> {
        std::fs::metadata(path).ok().filter(|m| m.is_file())?;
        let file = File::open(path).ok()?;
        let identity = identity(&file.metadata().ok()?);
        Some(Tail {
            file,
            identity,
            begun: Vec::new(),
        })
    }

    fn drain(&mut self, filter: &Filter, seen: &mut Seen, take: &mut impl FnMut(&Record)) {
        loop {
            let before = self.begun.len();
            let read = (&self.file).take(CHUNK).read_to_end(&mut self.begun);
            let mut rest = self.begun.as_slice();
            while let Some(end) = rest.iter().position(|b| *b == b'\n') {
                let (line, after) = rest.split_at(end.saturating_add(1));
                judge(line, filter, seen, take);
                rest = after;
            }
            let kept = rest.len();
            let start = self.begun.len().saturating_sub(kept);
            self.begun.drain(..start);
            if read.is_err() || self.begun.len() == before && start == 0 || kept > CHUNK as usize {
                return;
            }
        }
    }
}
