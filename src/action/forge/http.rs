//! curl, wget, HTTPie and PowerShell: calls to a forge's API without the forge's program.

use super::api::{self, Body, Request};
use super::gh::piped;
use crate::action::words::{Line, Takes, gnu};
use crate::action::{Act, is_mark};
use crate::shell::{Command, Opaque, Stdin, Word};

const CURL: Takes = gnu(
    "AbcCdDeEFHKmoPQrtTuUwxXyYz",
    &[
        "request",
        "data",
        "data-raw",
        "data-binary",
        "data-ascii",
        "data-urlencode",
        "json",
        "form",
        "form-string",
        "upload-file",
        "header",
        "user",
        "user-agent",
        "output",
        "url",
        "url-query",
        "config",
        "cookie",
        "cookie-jar",
        "cert",
        "key",
        "cacert",
        "capath",
        "max-time",
        "connect-timeout",
        "retry",
        "retry-delay",
        "retry-max-time",
        "write-out",
        "proxy",
        "resolve",
        "connect-to",
        "interface",
        "range",
        "referer",
        "dump-header",
        "oauth2-bearer",
        "unix-socket",
        "limit-rate",
        "max-redirs",
        "ciphers",
        "aws-sigv4",
        "netrc-file",
        "output-dir",
        "variable",
        "proto",
        "tls-max",
        "stderr",
        "trace",
        "trace-ascii",
        "time-cond",
        "speed-limit",
        "speed-time",
        "noproxy",
        "dns-servers",
    ],
);
const WGET: Takes = gnu(
    "OoPUtTwQiaBeDAR",
    &[
        "method",
        "body-data",
        "body-file",
        "post-data",
        "post-file",
        "header",
        "output-document",
        "output-file",
        "user",
        "password",
        "user-agent",
        "timeout",
        "tries",
        "directory-prefix",
        "input-file",
        "ca-certificate",
        "referer",
    ],
);
const HTTPIE: Takes = gnu(
    "opsPaA",
    &[
        "output",
        "print",
        "pretty",
        "style",
        "session",
        "session-read-only",
        "auth",
        "auth-type",
        "bearer",
        "raw",
        "proxy",
        "verify",
        "cert",
        "timeout",
        "max-redirects",
        "boundary",
        "format-options",
        "default-scheme",
        "body-file",
    ],
);

/// What an HTTP program would do on a forge.
pub(super) fn read(name: &str, words: &[Word], command: &Command) -> Vec<Act> {
    match name {
        "curl" => curl(words, command),
        "wget" => wget(words),
        _ => httpie(name, words, command),
    }
}

fn all<'w>(
    program: &str,
    method: Option<&str>,
    urls: impl Iterator<Item = &'w Word>,
    body: &Body,
) -> Vec<Act> {
    let calls = urls.flat_map(|target| {
        api::judge(&Request {
            program,
            method,
            target,
            body: body.clone(),
            known_host: false,
        })
    });
    calls.collect()
}

fn curl(words: &[Word], command: &Command) -> Vec<Act> {
    let mut found = Vec::new();
    // `--next` starts a further request with options of its own.
    for words in words.split(|w| w.text == "--next" || w.text == "-:") {
        let line = Line::read(words, &CURL);
        let sends = [
            "d",
            "data",
            "data-raw",
            "data-binary",
            "data-ascii",
            "data-urlencode",
            "json",
            "F",
            "form",
            "form-string",
        ];
        let method = match line.last(&["X", "request"]) {
            Some(option) if option.unknown => None,
            Some(option) => option.value,
            None if line.on(&["I", "head"]).is_some() || line.on(&["G", "get"]).is_some() => {
                Some("GET")
            }
            None if line.last(&["T", "upload-file"]).is_some() => Some("PUT"),
            None if line.last(&sends).is_some() => Some("POST"),
            None => Some("GET"),
        };
        if method == Some("GET") {
            continue;
        }
        let urls: Vec<Word> = line
            .options
            .iter()
            .filter(|o| o.name == "url")
            .filter_map(|o| Some(value_word(o.value?, o.unknown, o.word)))
            .collect();
        let body = line
            .values(&sends)
            .last()
            .map_or(Body::None, |data| sent(data, command));
        found.extend(all(
            "curl",
            method,
            line.operands.iter().copied().chain(&urls),
            &body,
        ));
    }
    found
}

fn value_word(text: &str, unknown: bool, at: &Word) -> Word {
    let opaque = if unknown { Opaque::One } else { Opaque::No };
    Word {
        text: text.to_owned(),
        span: at.span,
        opaque,
        glob: false,
    }
}

/// What `-d DATA` sends, as GraphQL.
fn sent(data: &str, command: &Command) -> Body {
    match data.strip_prefix('@') {
        Some("-") => api::json(piped(command)),
        Some(_) => Body::Unknown,
        None => api::json(Body::Query(data.to_owned())),
    }
}

fn wget(words: &[Word]) -> Vec<Act> {
    let line = Line::read(words, &WGET);
    let method = match line.last(&["method"]) {
        Some(option) if option.unknown => None,
        Some(option) => option.value,
        None if line.last(&["post-data", "post-file"]).is_some() => Some("POST"),
        None => return Vec::new(),
    };
    let body = match line.last(&["body-data", "post-data"]).and_then(|o| o.value) {
        Some(data) => api::json(Body::Query(data.to_owned())),
        None if line.last(&["body-file", "post-file"]).is_some() => Body::Unknown,
        None => Body::None,
    };
    all("wget", method, line.operands.iter().copied(), &body)
}

/// `http [options] [METHOD] URL [ITEM…]`.
fn httpie(name: &str, words: &[Word], command: &Command) -> Vec<Act> {
    let line = Line::read(words, &HTTPIE);
    let is_method = |w: &Word| {
        w.opaque == Opaque::No
            && w.text.len() > 2
            && w.text.chars().all(|c| c.is_ascii_alphabetic())
    };
    let (method, rest) = match line.operands.split_first() {
        Some((first, rest)) if is_method(first) && !rest.is_empty() => {
            (Some(first.text.as_str()), rest)
        }
        // `http "$METHOD" URL`
        Some((first, rest))
            if first.opaque != Opaque::No
                && rest.first().is_some_and(|w| w.text.contains("://")) =>
        {
            (None, rest)
        }
        Some(_) => {
            let items = line.operands.get(1..).unwrap_or_default();
            let sends = items
                .iter()
                .any(|w| !w.text.contains("==") && w.text.contains(['=', '@']));
            let raw = line.last(&["raw"]).is_some() || matches!(command.stdin, Stdin::Text(_));
            (
                Some(if sends || raw { "POST" } else { "GET" }),
                line.operands.as_slice(),
            )
        }
        None => return Vec::new(),
    };
    let mut body = match line.last(&["raw"]).and_then(|o| o.value) {
        Some(raw) => api::json(Body::Query(raw.to_owned())),
        None if matches!(command.stdin, Stdin::Text(_)) => api::json(piped(command)),
        None => Body::None,
    };
    let items = rest.get(1..).unwrap_or_default();
    if let Some(query) = items.iter().find_map(|w| w.text.strip_prefix("query=")) {
        body = if query.starts_with('@') {
            Body::Unknown
        } else {
            Body::Query(query.to_owned())
        };
    } else if items.iter().any(|w| {
        w.text.starts_with("query=@") || w.text.starts_with("query:=@") || w.text.starts_with('@')
    }) {
        body = Body::Unknown;
    }
    all(name, method, rest.iter().take(1).copied(), &body)
}

/// `Invoke-RestMethod -Uri URL -Method PUT -Body …`.
pub(super) fn powershell(words: &[Word]) -> Vec<Act> {
    let mut given: Vec<(&str, Word)> = Vec::new();
    let mut target = None;
    let mut rest = words.iter().peekable();
    while let Some(word) = rest.next() {
        let Some(name) = word.text.strip_prefix('-') else {
            target = target.or(Some(word.clone()));
            continue;
        };
        match name.split_once(':') {
            Some((name, value)) => {
                given.push((name, value_word(value, value.chars().any(is_mark), word)))
            }
            None if SWITCHES.iter().any(|s| starts(s, name, 5)) => {}
            None => given.extend(
                rest.next_if(|w| !w.text.starts_with('-'))
                    .map(|w| (name, w.clone())),
            ),
        }
    }
    // Parameters may be cut short as long as they are unique.
    let value = |full: &str, least: usize| {
        given
            .iter()
            .rev()
            .find(|(name, _)| starts(full, name, least))
            .map(|(_, w)| w)
    };
    let Some(method) = value("custommethod", 2).or_else(|| value("method", 2)) else {
        return Vec::new();
    };
    let body = match value("body", 1) {
        Some(body) if body.opaque != Opaque::No => Body::Unknown,
        Some(body) => api::json(Body::Query(body.text.clone())),
        None => Body::None,
    };
    let target = value("uri", 2).or(target.as_ref());
    all(
        "Invoke-RestMethod",
        method.known(),
        target.into_iter(),
        &body,
    )
}

/// Parameters that take no value.
const SWITCHES: &[&str] = &[
    "usebasicparsing",
    "skipcertificatecheck",
    "usedefaultcredentials",
    "allowunencryptedauthentication",
    "skiphttperrorcheck",
    "passthru",
    "resume",
];

/// Whether `name` is `full`, cut to no less than `least` letters.
fn starts(full: &str, name: &str, least: usize) -> bool {
    name.len() >= least
        && full
            .get(..name.len())
            .is_some_and(|start| start.eq_ignore_ascii_case(name))
}
