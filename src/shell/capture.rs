//! Follows output into substitutions, pipes and files.

use super::output::Printed;
use super::simple::Out;
use super::value::{Content, Val, has_mark};
use super::walk::Walker;
use super::{Command, Opaque, Stdin, Word};

/// What flows into a pipe or out of a substitution.
pub(super) struct Capture {
    pub(super) text: String,
    pub(super) known: bool,
    splits: bool,
    /// Programs whose output is in it.
    names: Vec<String>,
    /// How many forks were around where it began: output under further ones is not certain.
    pub(super) forks: usize,
}

impl Capture {
    pub(super) fn new(forks: usize) -> Capture {
        Capture {
            text: String::new(),
            known: true,
            splits: false,
            names: Vec::new(),
            forks,
        }
    }

    pub(super) fn add(&mut self, printed: &Printed) {
        self.text.push_str(&printed.text);
        self.splits |= printed.splits;
        self.known &= self.text.len() <= super::expand::LONGEST;
    }

    pub(super) fn add_unknown(&mut self, command: &Command) {
        self.known = false;
        let program = command.words.first().map_or("", |w| w.text.as_str());
        let name = program.rsplit('/').next().unwrap_or(program);
        let name = if lists_all(name, command) {
            LISTS_ALL
        } else {
            name
        };
        if let Stdin::Pipe(names) = &command.stdin {
            for name in names {
                self.name(name);
            }
        }
        self.name(name);
    }

    fn name(&mut self, name: &str) {
        if self.names.len() >= 8 {
            self.names.remove(0);
        }
        self.names.push(name.to_string());
    }

    /// Adds what another capture holds; `sure` where it is certain to come.
    pub(super) fn take_over(&mut self, other: Capture, sure: bool) {
        self.known &= other.known && sure;
        self.splits |= other.splits;
        self.text.push_str(&other.text);
        self.known &= self.text.len() <= super::expand::LONGEST;
        for name in &other.names {
            self.name(name);
        }
    }

    pub(super) fn into_val(self) -> Val {
        Val {
            text: self.text.trim_end_matches('\n').into(),
            splits: self.splits,
        }
    }

    /// The standard input that it makes, read by something whose own input was `before`.
    pub(super) fn into_stdin(self, before: &Stdin) -> Stdin {
        if self.known {
            let opaque = if has_mark(&self.text) {
                Opaque::One
            } else {
                Opaque::No
            };
            return Stdin::Text(Word {
                text: self.text,
                opaque,
                ..Word::default()
            });
        }
        let mut names = self.names;
        if names.is_empty()
            && let Stdin::Pipe(before) = before
        {
            names.clone_from(before);
        }
        Stdin::Pipe(names)
    }

    pub(super) fn into_content(self) -> Content {
        if self.known {
            Content::Text(self.text.into())
        } else {
            Content::Output(self.names.into())
        }
    }
}

/// What stands for a program that names every file that git tracks.
const LISTS_ALL: &str = "git ls-files";

/// `git ls-files` without anything that picks files.
fn lists_all(name: &str, command: &Command) -> bool {
    let mut words = command.words.iter().skip(1).map(|w| w.text.as_str());
    let plain = |word| matches!(word, "-z" | "-c" | "--cached" | "--full-name" | "--" | ".");
    name == "git" && words.next() == Some("ls-files") && words.all(plain)
}

impl Walker<'_> {
    pub(super) fn capture(&mut self) -> usize {
        self.captures.push(Capture::new(self.forks));
        self.captures.len() - 1
    }

    pub(super) fn captured(&mut self) -> Capture {
        self.captures.pop().unwrap_or_else(|| Capture::new(0))
    }

    /// Follows what a command prints to where it goes.
    pub(super) fn output(&mut self, command: &Command, out: &Out) {
        let name = command.words.first().map_or("", |w| w.text.as_str());
        let tees = name == "tee";
        if self.out.is_none() && matches!(out, Out::Same | Out::Lost) && !tees {
            return;
        }
        let printed = match name {
            "cat" => self.concatenated(command),
            _ => None,
        };
        let printed = printed.or_else(|| super::output::printed(command));
        self.spend(printed.as_ref().map_or(1, |p| p.text.len() as u64 / 16 + 1));
        if tees {
            let content = match &command.stdin {
                Stdin::Text(text) => Content::Text(text.text.as_str().into()),
                _ => Content::Unknown,
            };
            let append = command
                .words
                .iter()
                .any(|w| w.text == "-a" || w.text == "--append");
            for word in command.words.iter().skip(1) {
                if !word.text.starts_with('-') {
                    self.write(word, append, content.clone());
                }
            }
        }
        match out {
            Out::Lost => {}
            Out::Same => {
                let forks = self.forks;
                if let Some(capture) = self.out.and_then(|at| self.captures.get_mut(at)) {
                    match printed {
                        Some(printed) if forks <= capture.forks => capture.add(&printed),
                        _ => capture.add_unknown(command),
                    }
                }
            }
            Out::File { target, append } => {
                let content = match printed {
                    Some(printed) => Content::Text(printed.text.into()),
                    None => Content::Unknown,
                };
                self.write(target, *append, content);
            }
        }
    }

    /// `cat f` of files that this call wrote.
    fn concatenated(&self, command: &Command) -> Option<super::output::Printed> {
        let files = command.words.get(1..).filter(|f| !f.is_empty())?;
        let mut text = String::new();
        for word in files {
            match self.places(word.known()?).as_slice() {
                [place] => match self.state.files.get(place).map(Vec::as_slice) {
                    Some([Content::Text(content)]) => text.push_str(content),
                    _ => return None,
                },
                _ => return None,
            }
        }
        let splits = text.contains(super::OPAQUE);
        Some(super::output::Printed { text, splits })
    }
}

/// Wrappers that print nothing but what they run prints.
pub(super) fn passes_output(command: &Command) -> bool {
    let program = command.words.first().map_or("", |w| w.text.as_str());
    let name = program.rsplit('/').next().unwrap_or(program);
    matches!(
        name,
        "env"
            | "nice"
            | "nohup"
            | "timeout"
            | "setsid"
            | "stdbuf"
            | "sudo"
            | "doas"
            | "bash"
            | "sh"
            | "dash"
            | "zsh"
    ) || program.contains('/')
}
