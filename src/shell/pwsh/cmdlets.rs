//! Cmdlets that run other text, start programs or change the shell, and how their parameters are read.

use super::super::nested::runs_output_of;
use super::super::state::joined as path_in;
use super::super::{Inner, OPAQUE, Opaque, Span, Stdin, Word};
use super::invoke::{Given, as_path};
use super::values::{joined, word};
use super::{Got, Reader, files};
use std::rc::Rc;

/// What runs a cmdlet.
pub(super) type Run = fn(&mut Reader<'_, '_>, &[Given], Span);

/// What a name stands for.
pub(super) enum Known {
    /// It is followed.
    Runs(Run),
    /// It prints its arguments.
    Prints,
    /// It prints nothing.
    Silent,
    /// It runs no program and changes nothing that is followed.
    Cmdlet,
    /// It speaks HTTP, under this name.
    Web(&'static str),
    /// A program.
    Program,
}

/// Verbs of cmdlets that start no program.
#[rustfmt::skip]
const VERBS: &[&str] = &[
    "add", "assert", "backup", "clear", "close", "compare", "compress", "connect", "convert",
    "convertfrom", "convertto", "copy", "debug", "disable", "disconnect", "enable", "enter",
    "exit", "expand", "export", "find", "foreach", "format", "get", "group", "import", "initialize",
    "install", "invoke", "join", "limit", "lock", "measure", "merge", "mount", "move", "new",
    "open", "out", "pop", "protect", "push", "read", "receive", "register", "remove", "rename",
    "repair", "reset", "resolve", "restart", "restore", "resume", "save", "search", "select",
    "send", "set", "show", "skip", "sort", "split", "start", "step", "stop", "submit", "suspend",
    "switch", "sync", "tee", "test", "trace", "unblock", "undo", "uninstall", "unlock",
    "unregister", "update", "use", "wait", "watch", "where", "write",
];

/// Short names of such cmdlets.
#[rustfmt::skip]
const SHORT: &[&str] = &[
    "%", "?", "cat", "compare", "dir", "fl", "foreach", "ft", "gc", "gci", "gcm", "gi", "gl",
    "gm", "gp", "gps", "group", "gsv", "gv", "h", "history", "icm", "ipmo", "ls", "measure",
    "nv", "oh", "ps", "r", "rvpa", "select", "sleep", "sls", "sort", "sv", "type", "where",
];

/// What the name `lower` stands for.
pub(super) fn known(lower: &str) -> Known {
    let name = lower.strip_suffix(".exe").unwrap_or(lower);
    match name {
        "invoke-expression" | "iex" => Known::Runs(evaluate),
        "start-process" | "saps" | "start" => Known::Runs(start),
        "set-location" | "cd" | "sl" | "chdir" => Known::Runs(go),
        "push-location" | "pushd" => Known::Runs(push),
        "pop-location" | "popd" => Known::Runs(pop),
        "set-alias" | "sal" | "new-alias" | "nal" => Known::Runs(alias),
        "set-variable" | "new-variable" => Known::Runs(set),
        "powershell" | "pwsh" => Known::Runs(nested),
        "set-item" | "si" => Known::Runs(files::set_item),
        "remove-item" | "ri" | "rm" | "del" | "erase" | "rd" | "rmdir" => {
            Known::Runs(files::remove)
        }
        "set-content" | "sc" | "add-content" | "ac" | "clear-content" | "clc" | "out-file"
        | "tee-object" | "tee" | "new-item" | "ni" | "export-csv" | "export-clixml" => {
            Known::Runs(files::fill)
        }
        "copy-item" | "copy" | "cp" | "cpi" => Known::Runs(files::copy),
        "move-item" | "move" | "mv" | "mi" => Known::Runs(files::shift),
        "rename-item" | "ren" | "rni" => Known::Runs(files::rename),
        "write-output" | "echo" | "write" => Known::Prints,
        "write-host"
        | "out-null"
        | "write-verbose"
        | "write-error"
        | "write-warning"
        | "start-sleep"
        | "clear-host"
        | "cls"
        | "set-executionpolicy"
        | "import-module" => Known::Silent,
        "invoke-restmethod" | "irm" => Known::Web("Invoke-RestMethod"),
        "invoke-webrequest" | "iwr" => Known::Web("Invoke-WebRequest"),
        _ if SHORT.contains(&name) => Known::Cmdlet,
        _ => match name.split_once('-') {
            Some((verb, noun)) if VERBS.contains(&verb) && is_noun(noun) => Known::Cmdlet,
            _ => Known::Program,
        },
    }
}

fn is_noun(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|c| c.is_ascii_alphanumeric())
}

/// The arguments of a cmdlet, taken apart.
pub(super) struct Params {
    named: Vec<(String, Vec<Word>)>,
    switches: Vec<String>,
    /// What stands without a name, in order.
    pub(super) rest: Vec<Vec<Word>>,
}

impl Params {
    /// Reads `given`; `valued` are the parameters that take a value, in lower case.
    pub(super) fn read(given: &[Given], valued: &[&str]) -> Params {
        let mut params = Params {
            named: Vec::new(),
            switches: Vec::new(),
            rest: Vec::new(),
        };
        let mut all = given.iter();
        while let Some(one) = all.next() {
            let text = match one.words.as_slice() {
                [first, ..] if one.dash => first.text.to_ascii_lowercase(),
                _ => {
                    params.rest.push(one.words.clone());
                    continue;
                }
            };
            let name = text.trim_start_matches(super::text::is_dash);
            let (name, glued) = match name.split_once(':') {
                Some((name, value)) => (name, Some(value.len())),
                None => (name, None),
            };
            let Some(full) = valued
                .iter()
                .find(|v| !name.is_empty() && v.starts_with(name))
            else {
                params.switches.push(name.to_owned());
                continue;
            };
            let value = match glued.filter(|n| *n > 0) {
                Some(length) => one.words.first().map(|w| {
                    let at = w.text.len().saturating_sub(length);
                    let text = w.text.get(at..).unwrap_or_default().to_owned();
                    vec![Word { text, ..w.clone() }]
                }),
                None => all.next().map(|next| next.words.clone()),
            };
            params
                .named
                .push(((*full).to_owned(), value.unwrap_or_default()));
        }
        params
    }

    /// The value of the parameter `name`, or the next argument without a name.
    pub(super) fn take(&mut self, name: &str) -> Option<Vec<Word>> {
        if let Some((_, value)) = self.named.iter().find(|(n, _)| n == name) {
            return Some(value.clone());
        }
        (!self.rest.is_empty()).then(|| self.rest.remove(0))
    }

    /// The value of the parameter `name`.
    pub(super) fn named(&self, name: &str) -> Option<&[Word]> {
        let found = self.named.iter().find(|(n, _)| n == name);
        found.map(|(_, value)| value.as_slice())
    }

    /// Whether a switch that begins `name` is on.
    pub(super) fn on(&self, name: &str) -> bool {
        self.switches
            .iter()
            .any(|s| !s.is_empty() && name.starts_with(s.as_str()))
    }
}

/// A line as a native program's own parser splits it: by blanks, with `"` around words.
pub(super) fn split(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quoted = false;
    for c in text.chars() {
        match c {
            '"' => {
                quoted = !quoted;
                word.get_or_insert_with(String::new);
            }
            c if c.is_whitespace() && !quoted => words.extend(word.take()),
            c => word.get_or_insert_with(String::new).push(c),
        }
    }
    words.extend(word);
    words
}

/// `Invoke-Expression TEXT`, `TEXT | iex`
fn evaluate(r: &mut Reader<'_, '_>, given: &[Given], span: Span) {
    let mut params = Params::read(given, &["command"]);
    if let Some(words) = params.take("command") {
        let text = match words.as_slice() {
            [one] => one.clone(),
            many => word(joined(many, " "), span),
        };
        return r.w.pwsh_text(&text, false);
    }
    match (*r.w.stdin).clone() {
        Stdin::Text(text) => r.w.pwsh_text(&Word { span, ..text }, false),
        Stdin::Pipe(names) => r.w.problem(runs_output_of(&names), span, true),
        Stdin::Inherited | Stdin::File(_) => {}
    }
}

/// `Start-Process FILE ARGUMENTS`
fn start(r: &mut Reader<'_, '_>, given: &[Given], span: Span) {
    let valued = [
        "filepath",
        "argumentlist",
        "args",
        "workingdirectory",
        "verb",
        "windowstyle",
    ];
    let mut params = Params::read(given, &valued);
    let dir = params
        .named("workingdirectory")
        .and_then(|w| w.first().cloned());
    let Some(file) = params.take("filepath").and_then(|w| w.into_iter().next()) else {
        return;
    };
    let list = params.named("args").map(<[Word]>::to_vec);
    let list = list
        .or_else(|| params.take("argumentlist"))
        .unwrap_or_default();
    r.started(&file, &list, dir, span);
}

fn go(r: &mut Reader<'_, '_>, given: &[Given], _: Span) {
    let mut params = Params::read(given, &["path", "literalpath", "stackname"]);
    let to = params.named("literalpath").map(<[Word]>::to_vec);
    let to = to
        .or_else(|| params.take("path"))
        .and_then(|w| w.into_iter().next());
    r.w.cd(&to.map(as_path).into_iter().collect::<Vec<Word>>());
}

fn push(r: &mut Reader<'_, '_>, given: &[Given], span: Span) {
    let here = Rc::clone(&r.w.state.dirs);
    r.w.state.stack.change().push(here);
    go(r, given, span);
}

fn pop(r: &mut Reader<'_, '_>, _: &[Given], _: Span) {
    let back = r.w.state.stack.change().pop();
    r.w.state.dirs = back.unwrap_or_else(|| Rc::new(vec![None]));
}

fn alias(r: &mut Reader<'_, '_>, given: &[Given], span: Span) {
    let mut params = Params::read(given, &["name", "value", "description", "scope", "option"]);
    let (name, value) = (params.take("name"), params.take("value"));
    if let (Some([name]), Some([value])) = (name.as_deref(), value.as_deref()) {
        let text = format!("{}={}", name.text.to_ascii_lowercase(), value.text);
        r.w.alias(&[word(text, span)]);
    }
}

fn set(r: &mut Reader<'_, '_>, given: &[Given], _: Span) {
    let mut params = Params::read(given, &["name", "value", "scope", "option", "description"]);
    let (name, value) = (params.take("name"), params.take("value"));
    if let Some([name]) = name.as_deref() {
        let value = value.map_or(Got::Unknown, Got::List);
        r.assign(&name.text, &value);
    }
}

/// `pwsh -Command TEXT`, `pwsh -EncodedCommand BASE64`, `pwsh -File SCRIPT`
fn nested(r: &mut Reader<'_, '_>, given: &[Given], span: Span) {
    let words: Vec<Word> = given.iter().flat_map(|g| g.words.clone()).collect();
    match started_with(&words, &r.w.stdin, span) {
        Some((text, false)) => r.w.pwsh_text(&text, true),
        Some((path, true)) => r.w.pwsh_file(&path, true),
        None => {}
    }
}

/// What `pwsh` with these words runs: a text, or a script where it is true.
fn started_with(words: &[Word], stdin: &Stdin, span: Span) -> Option<(Word, bool)> {
    const VALUED: &[&str] = &[
        "executionpolicy",
        "ep",
        "workingdirectory",
        "wd",
        "windowstyle",
        "version",
        "configurationname",
        "outputformat",
        "inputformat",
        "settingsfile",
    ];
    let mut at = 0;
    while let Some(given) = words.get(at) {
        at += 1;
        let lower = given.text.to_ascii_lowercase();
        let Some(name) = lower
            .strip_prefix(['-', '/'])
            .filter(|_| !lower.contains(".ps1"))
        else {
            let rest = words.get(at - 1..).unwrap_or_default();
            if lower.ends_with(".ps1") {
                return Some((as_path(given.clone()), true));
            }
            // Without a name the rest is the command.
            return Some((word(joined(rest, " "), span), false));
        };
        let is = |full: &str| !name.is_empty() && full.starts_with(name);
        if is("command") || is("commandwithargs") || name == "cwa" {
            match words.get(at..) {
                None | Some([]) => break,
                Some([one]) if one.text == "-" => break,
                Some(rest) => return Some((word(joined(rest, " "), span), false)),
            }
        }
        if name == "ec" || (name != "ep" && is("encodedcommand")) {
            let text = words.get(at).and_then(Word::known).and_then(decoded);
            return Some((word(text.unwrap_or_else(|| OPAQUE.into()), span), false));
        }
        if is("file") {
            let path = words.get(at)?.clone();
            return Some((as_path(path), true));
        }
        at += usize::from(VALUED.iter().any(|v| is(v)));
    }
    match stdin {
        Stdin::Text(text) => Some((text.clone(), false)),
        Stdin::Pipe(_) => Some((word(OPAQUE.into(), span), false)),
        Stdin::Inherited | Stdin::File(_) => None,
    }
}

/// Base64 of UTF-16, as `-EncodedCommand` takes it.
fn decoded(text: &str) -> Option<String> {
    let mut bits = 0u32;
    let mut held = 0u32;
    let mut bytes: Vec<u8> = Vec::with_capacity(text.len());
    for c in text.bytes().filter(|c| *c != b'=') {
        let value = match c {
            b'A'..=b'Z' => c - b'A',
            b'a'..=b'z' => c - b'a' + 26,
            b'0'..=b'9' => c - b'0' + 52,
            b'+' => 62,
            b'/' => 63,
            _ => return None,
        };
        bits = (bits << 6 | u32::from(value)) & 0xFFFF;
        held += 6;
        if held >= 8 {
            held -= 8;
            bytes.push((bits >> held) as u8);
        }
    }
    let units = bytes.chunks_exact(2).map(|pair| match pair {
        [low, high] => u16::from_le_bytes([*low, *high]),
        _ => 0,
    });
    String::from_utf16(&units.collect::<Vec<u16>>()).ok()
}

impl Reader<'_, '_> {
    /// Starts a program whose arguments are texts that are split once more.
    fn started(&mut self, file: &Word, list: &[Word], dir: Option<Word>, span: Span) {
        let mut words = vec![file.clone()];
        if list.iter().any(|w| w.opaque == Opaque::Many) {
            words.extend_from_slice(list);
        } else {
            let parts = list.iter().flat_map(|w| split(&w.text));
            words.extend(parts.map(|text| word(text, span)));
        }
        let saved = Rc::clone(&self.w.state.dirs);
        if let Some(dir) = dir.map(as_path) {
            let dirs = saved.iter();
            let there = dirs.map(|from| dir.known().and_then(|d| path_in(from.as_deref(), d)));
            self.w.state.dirs = Rc::new(there.collect());
        }
        let mut words = words.into_iter();
        let target = words.next().map_or(Got::Unknown, Got::one);
        let given = words.map(|w| Given {
            dash: w.text.starts_with('-'),
            words: vec![w],
        });
        self.call(target.into_words(span), given.collect(), span);
        self.w.state.dirs = saved;
    }

    /// `[TYPE]::Method(…)`
    pub(super) fn statically(&mut self, kind: &str, method: &str, args: &[Word], start: usize) {
        let span = self.span_from(start);
        let kind = kind.rsplit('.').next().unwrap_or(kind);
        match (kind, method, args) {
            ("process", "start", [file, rest @ ..]) => self.started(file, rest, None, span),
            ("scriptblock", "create", [text, ..]) => {
                self.maybe(|r| r.w.pwsh_text(text, false));
            }
            ("environment", "setenvironmentvariable", [name, value, ..]) => {
                self.export(&name.text, &Got::one(value.clone()));
            }
            ("file" | "directory", method, args) => self.file_method(method, args, span),
            _ => {}
        }
    }

    /// `value.Method(…)`
    pub(super) fn method(&mut self, name: &str, _: &Got, args: &[Word], start: usize) {
        let span = self.span_from(start);
        match (name, args) {
            ("invokescript" | "invokeexpression" | "addscript", [text, ..]) => {
                self.w.pwsh_text(text, false);
            }
            ("start" | "run" | "exec" | "shellexecute", [file, rest @ ..])
                if file.opaque == Opaque::No =>
            {
                let mut parts = split(&file.text).into_iter();
                let program = parts.next().unwrap_or_default();
                let mut list: Vec<Word> = parts.map(|text| word(text, span)).collect();
                list.extend_from_slice(rest);
                self.started(&word(program, span), &list, None, span);
            }
            _ => {}
        }
    }
}

/// `pwsh` as bash calls it: what it would run.
pub fn unfold(words: &[Word], stdin: &Stdin) -> Vec<Inner> {
    let span = words.first().map_or(Span::default(), |w| w.span);
    let found = started_with(words, stdin, span).into_iter();
    found
        .map(|(text, file)| Inner::Pwsh { text, file })
        .collect()
}
