//! What commands print, where that is known: `echo`, `printf`, `cat`, `pwd`.

use super::ansi::{Dialect, escape, tamed};
use super::value::has_mark;
use super::{Command, Opaque, Stdin, Word};

/// Known output.
pub(super) struct Printed {
    pub(super) text: String,
    pub(super) splits: bool,
}

impl Printed {
    fn of(text: String) -> Option<Printed> {
        Some(Printed {
            splits: text.contains(super::OPAQUE),
            text,
        })
    }
}

/// What a command prints; `None` when that is not known.
pub(super) fn printed(command: &Command) -> Option<Printed> {
    let Some(program) = command.words.first() else {
        return Printed::of(String::new());
    };
    let args = command.words.get(1..).unwrap_or(&[]);
    let name = program.known()?;
    if args.iter().any(|w| w.opaque == Opaque::Many || w.glob)
        && matches!(name, "echo" | "printf" | "cat" | "tee")
    {
        return None;
    }
    match name {
        "echo" => Printed::of(echo(args)?),
        "printf" => match args.first() {
            Some(option) if option.text == "-v" => Printed::of(String::new()),
            Some(option) if option.text == "--" => Printed::of(printf(args.get(1..)?)?),
            _ => Printed::of(printf(args)?),
        },
        "cat" => match (args, &command.stdin) {
            ([], Stdin::Text(text)) => Printed::of(text.text.clone()),
            ([dash], Stdin::Text(text)) if dash.text == "-" => Printed::of(text.text.clone()),
            _ => None,
        },
        "tee" => match &command.stdin {
            Stdin::Text(text) => Printed::of(text.text.clone()),
            _ => None,
        },
        "which" | "command" | "type" => found(name, args),
        "pwd" => match command.dirs.as_slice() {
            [Some(dir)] if args.iter().all(|w| matches!(w.text.as_str(), "-L" | "-P")) => {
                Printed::of(format!("{}\n", dir.to_str()?))
            }
            _ => None,
        },
        ":" | "true" | "false" | "cd" | "export" | "set" | "shift" | "unset" | "local"
        | "readonly" | "shopt" | "test" | "[" | "read" | "exit" | "return" | "break"
        | "continue" | "mkdir" | "touch" | "sleep" | "pushd" | "popd" | "wait" | "trap"
        | "umask" | "chmod" | "rm"
            if !(name == "set" || name == "export" || name == "readonly" || name == "trap")
                || !args.is_empty() =>
        {
            Printed::of(String::new())
        }
        _ => None,
    }
}

/// `which NAME`, `command -v NAME`, `type -P NAME`: somewhere programs are, under the name.
fn found(program: &str, args: &[Word]) -> Option<Printed> {
    let name = match (program, args) {
        ("which", [name]) => name.known()?,
        ("command", [flag, name]) if flag.text == "-v" => name.known()?,
        ("type", [flag, name]) if flag.text == "-P" => name.known()?,
        _ => return None,
    };
    let plain = |c: char| c.is_ascii_alphanumeric() || "._-".contains(c);
    name.chars().all(plain).then(|| Printed {
        text: format!("{}/bin/{name}\n", super::OPAQUE),
        splits: false,
    })
}

fn echo(args: &[Word]) -> Option<String> {
    let mut newline = true;
    let mut escapes = false;
    let mut at = 0;
    while let Some(option) = args.get(at).and_then(|w| w.text.strip_prefix('-')) {
        if option.is_empty() || !option.bytes().all(|b| matches!(b, b'n' | b'e' | b'E')) {
            break;
        }
        for b in option.bytes() {
            match b {
                b'n' => newline = false,
                b'e' => escapes = true,
                _ => escapes = false,
            }
        }
        at += 1;
    }
    let mut text = String::new();
    for (i, word) in args.get(at..)?.iter().enumerate() {
        if i > 0 {
            text.push(' ');
        }
        text.push_str(&word.text);
    }
    if escapes {
        let (unescaped, ended) = unescaped(&text, Dialect::Echo)?;
        text = unescaped;
        newline &= !ended;
    }
    if newline {
        text.push('\n');
    }
    Some(text)
}

/// Text with its escapes done, and whether `\c` ended it; `None` when NULs would be printed.
fn unescaped(text: &str, dialect: Dialect) -> Option<(String, bool)> {
    if !text.contains('\\') {
        return Some((text.to_string(), false));
    }
    let bytes = text.as_bytes();
    let mut out = Vec::with_capacity(bytes.len());
    let mut at = 0;
    let mut ended = false;
    while let Some(&b) = bytes.get(at) {
        at += 1;
        if b != b'\\' {
            out.push(b);
            continue;
        }
        let (used, end) = escape(bytes.get(at..)?, dialect, &mut out);
        at += used;
        if end {
            ended = true;
            break;
        }
    }
    if out.contains(&0) {
        return None;
    }
    let text = String::from_utf8(out).ok()?;
    Some((
        if has_mark(text.as_str()) {
            text
        } else {
            tamed(text.into_bytes())
        },
        ended,
    ))
}

/// `printf FORMAT ARG…`, for the conversions that are plain.
pub(super) fn printf(args: &[Word]) -> Option<String> {
    let format = args.first()?;
    if has_mark(&format.text) {
        return None;
    }
    let mut rest = args.get(1..)?.iter();
    let mut out = String::new();
    for _ in 0..256 {
        let before = rest.len();
        let mut chars = format.text.as_str();
        while let Some(c) = chars.chars().next() {
            let after = chars.get(c.len_utf8()..)?;
            match c {
                '\\' => {
                    let mut bytes = Vec::new();
                    let (used, end) = escape(after.as_bytes(), Dialect::Format, &mut bytes);
                    let mut used = used;
                    while !after.is_char_boundary(used) {
                        bytes.extend(after.as_bytes().get(used));
                        used += 1;
                    }
                    if bytes.contains(&0) {
                        return None;
                    }
                    out.push_str(&String::from_utf8(bytes).ok()?);
                    if end {
                        return Some(out);
                    }
                    chars = after.get(used..)?;
                }
                '%' => {
                    let kind = after.chars().next()?;
                    chars = after.get(kind.len_utf8()..)?;
                    let arg = match kind {
                        '%' => {
                            out.push('%');
                            continue;
                        }
                        _ => rest.next(),
                    };
                    match kind {
                        's' => out.push_str(arg.map_or("", |w| w.text.as_str())),
                        'c' => out.extend(arg.and_then(|w| w.text.chars().next())),
                        'b' => {
                            let (text, end) =
                                unescaped(arg.map_or("", |w| w.text.as_str()), Dialect::Echo)?;
                            out.push_str(&text);
                            if end {
                                return Some(out);
                            }
                        }
                        'd' | 'i' => {
                            let number =
                                arg.map_or("0", |w| w.text.as_str()).parse::<i64>().ok()?;
                            out.push_str(&number.to_string());
                        }
                        _ => return None,
                    }
                }
                c => {
                    out.push(c);
                    chars = after;
                }
            }
        }
        if rest.len() == 0 || rest.len() == before {
            return Some(out);
        }
    }
    None
}
