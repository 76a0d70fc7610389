//! The terminal: whether there is one, and a word that has to be typed on it.

use super::Reason;
use std::fs::{File, OpenOptions};
use std::io::{self, BufRead, BufReader, IsTerminal, Read, Write};

/// What kind of terminal a process has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Terminal {
    /// None.
    None,
    /// One, but standard input is something else, as in a git hook.
    Controlling,
    /// One, and standard input is it.
    Attached,
}

/// The longest answer that is read.
const MOST: u64 = 256;

#[cfg(windows)]
const PATHS: (&str, &str) = ("CONIN$", "CONOUT$");
#[cfg(not(windows))]
const PATHS: (&str, &str) = ("/dev/tty", "/dev/tty");

impl Terminal {
    /// The terminal of this process.
    pub fn here() -> Terminal {
        match open() {
            Err(_) => Terminal::None,
            Ok(_) if io::stdin().is_terminal() => Terminal::Attached,
            Ok(_) => Terminal::Controlling,
        }
    }
}

fn open() -> io::Result<(File, File)> {
    let input = OpenOptions::new()
        .read(true)
        .write(cfg!(windows))
        .open(PATHS.0)?;
    let output = OpenOptions::new()
        .write(true)
        .read(cfg!(windows))
        .open(PATHS.1)?;
    if !output.is_terminal() {
        return Err(io::ErrorKind::NotFound.into());
    }
    Ok((input, output))
}

/// Shows on the terminal what would be done, and waits until `word` is typed. Anything else is no.
pub fn confirm(what: &str, word: &str) -> Result<(), Reason> {
    let (input, mut output) = open().map_err(|_| Reason::NoTerminal)?;
    confirm_on(
        &mut BufReader::new(input.take(MOST)),
        &mut output,
        what,
        word,
    )
}

fn confirm_on(
    input: &mut dyn BufRead,
    output: &mut dyn Write,
    what: &str,
    word: &str,
) -> Result<(), Reason> {
    let mut text = String::with_capacity(what.len());
    // What is shown may come from an agent: it must not move the cursor over what stands there.
    text.extend(what.chars().filter(|c| !c.is_control() || *c == '\n'));
    let asked = write!(output, "{text}\ntype `{word}` to go on: ").and_then(|()| output.flush());
    let mut answer = String::new();
    let typed = asked.and_then(|()| input.read_line(&mut answer)).is_ok() && answer.trim() == word;
    if typed {
        Ok(())
    } else {
        Err(Reason::NotConfirmed {
            word: word.to_owned(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(typed: &str) -> (bool, String) {
        let mut output = Vec::new();
        let what = "lets `git push` through\x1b[2Konce\r";
        let confirmed = confirm_on(&mut typed.as_bytes(), &mut output, what, "allow");
        (confirmed.is_ok(), String::from_utf8(output).unwrap())
    }

    #[test]
    fn only_the_word_is_a_yes() {
        assert!(answer("allow\n").0);
        assert!(answer("  allow \r\n").0);
        for typed in [
            "",
            "\n",
            "y\n",
            "yes\n",
            "Allow\n",
            "allow it\n",
            "no\nallow\n",
        ] {
            assert!(!answer(typed).0, "{typed:?}");
        }
    }

    #[test]
    fn what_is_shown_cannot_move_the_cursor() {
        assert_eq!(
            answer("").1,
            "lets `git push` through[2Konce\ntype `allow` to go on: "
        );
    }
}
