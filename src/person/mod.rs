//! Who is asking: an agent, a person at a terminal, or nobody that can be told.

pub mod chain;
pub mod hosts;
mod proc;
pub mod terminal;

use chain::{Chain, Process};
use std::ffi::OsString;
use std::fmt;
use terminal::Terminal;

/// Why the one who asks does not pass for a person.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reason {
    /// A known agent host is among the processes that started this one.
    Host {
        /// Which.
        host: &'static str,
        /// Its process.
        process: u32,
    },
    /// The environment is one that an agent host makes.
    Mark {
        /// The variable.
        variable: String,
        /// Whose it is.
        host: &'static str,
    },
    /// There is no terminal.
    NoTerminal,
    /// There is no terminal, and this system does not tell which processes started this one.
    Unknown,
    /// The word that confirms was not typed.
    NotConfirmed {
        /// The word.
        word: String,
    },
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const OWN: &str = "a person has to type it in a terminal of their own";
        match self {
            Reason::Host { host, process } => write!(
                f,
                "this is for people, and {host} (process {process}) started this command: {OWN}, outside of {host}"
            ),
            Reason::Mark { variable, host } => write!(
                f,
                "this is for people, and `{variable}` says that {host} opened this shell: {OWN}, in a window that {host} did not open"
            ),
            Reason::NoTerminal => write!(
                f,
                "this is for people, and there is no terminal here: {OWN}"
            ),
            Reason::Unknown => write!(
                f,
                "this is for people, and without a terminal it cannot be told who started this command: {OWN}"
            ),
            Reason::NotConfirmed { word } => {
                write!(f, "nothing was done, because `{word}` was not typed")
            }
        }
    }
}

/// What is known about the one who asks; read once.
#[derive(Debug, Clone)]
pub struct Asker {
    /// The processes that started this one, nearest first.
    pub chain: Chain,
    /// The first mark of an agent host in the environment: variable and host.
    pub mark: Option<(String, &'static str)>,
    /// What kind of terminal there is.
    pub terminal: Terminal,
}

/// Who calls, as git's own hooks have to know.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Caller {
    /// A known agent host started this process.
    Agent {
        /// Which.
        host: &'static str,
        /// Its process, which is what owns claims and asks.
        process: Process,
    },
    /// A terminal, and nothing that speaks of an agent.
    Person,
    /// Neither.
    Unknown,
}

impl Asker {
    /// Reads processes, environment and terminal of this process.
    pub fn here() -> Asker {
        Asker {
            chain: chain::ancestors(),
            mark: hosts::mark(std::env::vars_os().collect::<Vec<(OsString, OsString)>>()),
            terminal: Terminal::here(),
        }
    }

    /// Whether this is a person. `require_terminal` is for what an agent must never do by itself.
    pub fn is_person(&self, require_terminal: bool) -> Result<(), Reason> {
        if let Some((host, process)) = self.host() {
            return Err(Reason::Host {
                host,
                process: process.pid,
            });
        }
        if let Some((variable, host)) = &self.mark {
            return Err(Reason::Mark {
                variable: variable.clone(),
                host,
            });
        }
        let there = self.terminal == Terminal::Attached;
        if !there && !self.chain.complete {
            return Err(Reason::Unknown);
        }
        if !there && require_terminal {
            return Err(Reason::NoTerminal);
        }
        Ok(())
    }

    /// Who calls git's hook. There standard input is git's, so a terminal is enough.
    pub fn caller(&self) -> Caller {
        match self.host() {
            Some((host, process)) => Caller::Agent {
                host,
                process: process.clone(),
            },
            None if self.mark.is_none() && self.terminal != Terminal::None => Caller::Person,
            None => Caller::Unknown,
        }
    }

    /// The nearest agent host among the processes.
    pub fn host(&self) -> Option<(&'static str, &Process)> {
        self.chain
            .processes
            .iter()
            .find_map(|p| Some((hosts::of(p)?, p)))
    }
}

/// Whether the one who runs this process is a person.
pub fn is_person(require_terminal: bool) -> Result<(), Reason> {
    Asker::here().is_person(require_terminal)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asker(names: &[&str], mark: Option<&str>, terminal: Terminal) -> Asker {
        let process = |(pid, name): (usize, &&str)| Process {
            pid: pid as u32,
            program: (*name).to_owned(),
            ..Process::default()
        };
        let processes = names.iter().enumerate().map(process).collect();
        Asker {
            chain: Chain {
                processes,
                complete: true,
            },
            mark: mark.map(|m| (m.to_owned(), "an agent")),
            terminal,
        }
    }

    #[test]
    fn a_person_has_a_terminal_and_no_agent_above() {
        let person = asker(&["zsh", "tmux", "init"], None, Terminal::Attached);
        assert_eq!(person.is_person(true), Ok(()));
        assert_eq!(person.caller(), Caller::Person);
    }

    #[test]
    fn an_agent_above_refuses_whatever_terminal_there_is() {
        for terminal in [Terminal::Attached, Terminal::Controlling, Terminal::None] {
            let agent = asker(&["bash", "claude", "zsh"], None, terminal);
            for require in [true, false] {
                let reason = agent.is_person(require).unwrap_err();
                assert_eq!(
                    reason,
                    Reason::Host {
                        host: "Claude Code",
                        process: 1
                    }
                );
            }
            assert!(matches!(
                agent.caller(),
                Caller::Agent {
                    host: "Claude Code",
                    ..
                }
            ));
        }
    }

    #[test]
    fn a_mark_alone_refuses_and_makes_no_person_of_a_caller() {
        let marked = asker(&["bash"], Some("CLAUDECODE"), Terminal::Attached);
        let text = marked.is_person(false).unwrap_err().to_string();
        assert!(
            text.contains("`CLAUDECODE`") && text.contains("terminal of their own"),
            "{text}"
        );
        assert_eq!(marked.caller(), Caller::Unknown);
    }

    #[test]
    fn without_a_terminal_only_what_needs_none_passes() {
        for terminal in [Terminal::None, Terminal::Controlling] {
            let script = asker(&["cron"], None, terminal);
            assert_eq!(script.is_person(false), Ok(()));
            assert_eq!(script.is_person(true), Err(Reason::NoTerminal));
        }
        assert_eq!(
            asker(&["cron"], None, Terminal::None).caller(),
            Caller::Unknown
        );
        assert_eq!(
            asker(&["git"], None, Terminal::Controlling).caller(),
            Caller::Person
        );
    }

    #[test]
    fn where_processes_cannot_be_told_a_terminal_is_needed_always() {
        let mut asker = asker(&[], None, Terminal::None);
        asker.chain.complete = false;
        assert_eq!(asker.is_person(false), Err(Reason::Unknown));
        asker.terminal = Terminal::Attached;
        assert_eq!(asker.is_person(true), Ok(()));
    }
}
