//! The processes that started this one.

use super::proc::Proc;
use std::collections::BTreeSet;
use std::path::Path;

/// More levels than any honest tree has.
const MOST: usize = 64;

/// One process, as far as its system tells.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Process {
    /// Its id.
    pub pid: u32,
    /// Who started it; 0 = nobody that can be seen.
    pub parent: u32,
    /// When it started, in ticks since the machine did: tells a reused id apart.
    pub start: u64,
    /// The path of its executable, empty where it may not be read.
    pub executable: String,
    /// Its own name for its main thread (`comm`).
    pub program: String,
    /// The first of its arguments.
    pub args: Vec<String>,
}

impl Process {
    /// A name that no other process ever had on this machine: boot, pid namespace, id and start.
    pub fn identity(&self) -> String {
        format!("{}:{}:{}", here(), self.pid, self.start)
    }
}

/// Where process ids mean the same: the boot and the pid namespace; empty where unknown.
pub fn here() -> String {
    super::proc::here()
}

/// The boot and the pid namespace, each empty where unknown.
pub fn place() -> (String, String) {
    super::proc::place()
}

/// What the system says of a process id.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Look {
    /// There is none.
    Missing,
    /// It has ended, and its parent has not asked for its end yet.
    Zombie,
    /// It runs.
    Running {
        /// Since so many ticks after the machine started.
        start: u64,
    },
    /// There is one, and more is not told to us.
    Hidden,
    /// Nobody has taught us to look here.
    Untold,
}

/// Looks at one process.
pub fn look(pid: u32) -> Look {
    if cfg!(target_os = "linux") {
        super::proc::look(pid)
    } else {
        Look::Untold
    }
}

/// The process with this id, as far as its system tells.
pub fn process(pid: u32) -> Option<Process> {
    if cfg!(target_os = "linux") {
        Proc::default().process(pid)
    } else {
        None
    }
}

/// The processes that have their directory in `dir`, or below it; those of other users are not
/// seen. `None` where the system does not tell.
pub fn inside(dir: &Path) -> Option<Vec<u32>> {
    if cfg!(target_os = "linux") {
        super::proc::inside(dir)
    } else {
        None
    }
}

/// Whether the process `pid` that started at `start` is above this one: the way up is followed by
/// ids alone, which is a tenth of what [`ancestors`] costs.
pub fn above(pid: u32, start: u64) -> bool {
    cfg!(target_os = "linux") && super::proc::above(pid, start, MOST)
}

/// The ids of all processes that can be seen now; `None` where the system does not tell.
pub fn all() -> Option<BTreeSet<u32>> {
    if !cfg!(target_os = "linux") {
        return None;
    }
    let entries = std::fs::read_dir("/proc").ok()?;
    let pid = |entry: std::fs::DirEntry| entry.file_name().to_str()?.parse::<u32>().ok();
    let all: BTreeSet<u32> = entries.flatten().filter_map(pid).collect();
    // Where others' processes are hidden, one that is not listed may well run.
    let honest = look(0) == Look::Missing && all.contains(&std::process::id());
    honest.then_some(all)
}

/// Ancestors, nearest first.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Chain {
    /// The parent, its parent, and so on.
    pub processes: Vec<Process>,
    /// Whether the chain was followed to its top.
    pub complete: bool,
}

/// How one system tells about processes.
pub trait System {
    /// This process.
    fn this(&self) -> Option<Process>;

    /// The process with this id; `None` when it is gone or cannot be told.
    fn process(&self, pid: u32) -> Option<Process>;
}

/// Systems on which nobody has taught us to look.
#[derive(Debug, Clone, Copy)]
pub struct Untold;

impl System for Untold {
    fn this(&self) -> Option<Process> {
        None
    }

    fn process(&self, _pid: u32) -> Option<Process> {
        None
    }
}

/// The ancestors of this process.
pub fn ancestors() -> Chain {
    upward(&|_| false)
}

/// The nearest ancestor of this process for which `is` holds: what is above it is not looked at.
pub fn nearest(is: &dyn Fn(&Process) -> bool) -> Option<Process> {
    upward(is).processes.pop().filter(is)
}

fn upward(until: &dyn Fn(&Process) -> bool) -> Chain {
    if cfg!(target_os = "linux") {
        follow(&Proc::default(), until)
    } else {
        follow(&Untold, until)
    }
}

/// Follows parents as `system` tells them, up to the first for which `until` holds.
pub fn follow(system: &dyn System, until: &dyn Fn(&Process) -> bool) -> Chain {
    let mut chain = Chain::default();
    let Some(mut below) = system.this() else {
        return chain;
    };
    while chain.processes.len() < MOST {
        if below.parent == 0 || below.parent == below.pid {
            chain.complete = true;
            return chain;
        }
        let Some(process) = system.process(below.parent) else {
            return chain;
        };
        // A parent is older than its child: this one has only taken over the id.
        if process.start > below.start {
            return chain;
        }
        let last = until(&process);
        chain.processes.push(process.clone());
        if last {
            return chain;
        }
        below = process;
    }
    chain
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Processes as (id, parent, start); the first is this one.
    struct Fake(Vec<(u32, u32, u64)>);

    impl System for Fake {
        fn this(&self) -> Option<Process> {
            self.process(self.0.first()?.0)
        }

        fn process(&self, pid: u32) -> Option<Process> {
            let (pid, parent, start) = *self.0.iter().find(|p| p.0 == pid)?;
            Some(Process {
                pid,
                parent,
                start,
                ..Process::default()
            })
        }
    }

    fn pids(processes: &[(u32, u32, u64)]) -> (Vec<u32>, bool) {
        let chain = follow(&Fake(processes.to_vec()), &|_| false);
        (
            chain.processes.iter().map(|p| p.pid).collect(),
            chain.complete,
        )
    }

    #[test]
    fn the_chain_goes_up_to_the_first_process() {
        assert_eq!(
            pids(&[(9, 5, 30), (5, 1, 20), (1, 0, 0)]),
            (vec![5, 1], true)
        );
        assert_eq!(pids(&[(1, 0, 0)]), (vec![], true));
    }

    #[test]
    fn a_reused_id_a_gap_and_a_ring_end_it_as_incomplete() {
        assert_eq!(pids(&[(9, 5, 30), (5, 1, 31), (1, 0, 0)]), (vec![], false));
        assert_eq!(pids(&[(9, 5, 30), (5, 4, 20)]), (vec![5], false));
        let (chain, complete) = pids(&[(9, 5, 30), (5, 9, 30)]);
        assert_eq!((chain.len(), complete), (64, false));
        assert_eq!(follow(&Untold, &|_| false), Chain::default());
    }

    #[test]
    fn the_way_up_ends_at_what_is_looked_for() {
        let tree = Fake(vec![(9, 5, 30), (5, 4, 20), (4, 1, 10), (1, 0, 0)]);
        let chain = follow(&tree, &|p| p.pid == 4);
        let pids: Vec<u32> = chain.processes.iter().map(|p| p.pid).collect();
        assert_eq!((pids, chain.complete), (vec![5, 4], false));
        assert_eq!(nearest(&|_| false), None);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn this_process_has_a_parent_and_a_first_process() {
        let chain = ancestors();
        assert_eq!(
            chain.processes.first().map(|p| p.pid),
            Some(std::os::unix::process::parent_id())
        );
        for process in &chain.processes {
            assert!(above(process.pid, process.start));
            assert!(!above(process.pid, process.start + 1));
        }
        assert!(!above(std::process::id(), 0));
        assert!(chain.complete);
        let identity = chain.processes.first().map(Process::identity).unwrap();
        assert!(
            identity.len() > 40 && identity.contains("4026"),
            "{identity}"
        );
    }
}
