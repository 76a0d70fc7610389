//! What secrets look like: shapes of tokens, names that hold them, runs that no word makes.

use std::ops::Range;

/// The characters that follow a token's prefix.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Tail {
    /// Letters and digits.
    Plain,
    /// Capitals and digits.
    Upper,
    /// Letters, digits, `_` and `-`.
    Name,
    /// As a name, with dots.
    Dotted,
}

/// Prefix, what follows, and how much of it must follow; sorted by the first byte.
const SHAPES: &[(&str, Tail, usize)] = &[
    ("AIza", Tail::Name, 20),
    ("AKIA", Tail::Upper, 12),
    ("ASIA", Tail::Upper, 12),
    ("dop_v1_", Tail::Plain, 8),
    ("eyJ", Tail::Dotted, 8),
    ("ghp_", Tail::Name, 1),
    ("gho_", Tail::Name, 1),
    ("ghu_", Tail::Name, 1),
    ("ghs_", Tail::Name, 1),
    ("ghr_", Tail::Name, 1),
    ("github_pat_", Tail::Name, 1),
    ("glpat-", Tail::Dotted, 1),
    ("gldt-", Tail::Name, 8),
    ("glrt-", Tail::Dotted, 8),
    ("glcbt-", Tail::Name, 8),
    ("glptt-", Tail::Name, 8),
    ("glsoat-", Tail::Name, 8),
    ("hf_", Tail::Plain, 16),
    ("npm_", Tail::Plain, 16),
    ("pypi-", Tail::Name, 16),
    ("rk_live_", Tail::Plain, 8),
    ("sk-", Tail::Name, 16),
    ("sk_live_", Tail::Plain, 8),
    ("sk_test_", Tail::Plain, 8),
    ("xapp-", Tail::Name, 8),
    ("xoxa-", Tail::Name, 1),
    ("xoxb-", Tail::Name, 1),
    ("xoxc-", Tail::Name, 1),
    ("xoxd-", Tail::Name, 1),
    ("xoxe-", Tail::Dotted, 1),
    ("xoxp-", Tail::Name, 1),
    ("xoxr-", Tail::Name, 1),
    ("xoxs-", Tail::Name, 1),
    ("ya29.", Tail::Dotted, 8),
];

/// The shapes that start with a byte: from where to where in the table.
const STARTS: [(u8, u8); 128] = {
    let mut starts = [(0, 0); 128];
    let mut at = 0;
    while at < SHAPES.len() {
        let first = SHAPES[at].0.as_bytes()[0] as usize;
        if starts[first].1 == 0 {
            starts[first].0 = at as u8;
        }
        starts[first].1 = at as u8 + 1;
        at += 1;
    }
    starts
};

/// What a byte may be part of.
pub(super) const NAME: u8 = 1;
pub(super) const RUN: u8 = 2;
pub(super) const WORD_END: u8 = 4;
pub(super) const QUOTE: u8 = 8;

const CLASSES: [u8; 256] = {
    let mut classes = [0; 256];
    let mut b = 0;
    while b < 256 {
        let byte = b as u8;
        classes[b] = match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'_' | b'-' => NAME | RUN,
            b'/' | b'+' | b'=' => RUN,
            b' ' | b'\t' | b'\n' | b'\r' | 0x0c => WORD_END,
            b';' | b'&' | b'|' | b'<' | b'>' | b'(' | b')' | b'`' | b',' => WORD_END,
            b'"' | b'\'' => QUOTE,
            _ => 0,
        };
        b += 1;
    }
    classes
};

/// Whether `b` is of one of these classes.
pub(super) fn is(class: u8, b: u8) -> bool {
    CLASSES.get(usize::from(b)).is_some_and(|c| c & class != 0)
}

/// A name that ends so holds a secret.
const SECRET_ENDS: &[&str] = &[
    "token",
    "password",
    "passwd",
    "passphrase",
    "secret",
    "apikey",
    "api_key",
    "api-key",
    "access_key",
    "access-key",
    "accesskey",
    "accesskeyid",
    "access_key_id",
    "secret_key",
    "secret-key",
    "secretkey",
    "private_key",
    "private-key",
    "privatekey",
    "signing_key",
    "credential",
    "credentials",
    "_pat",
    "-pat",
    "_auth",
    "-auth",
    "authorization",
    "cookie",
];

/// A name that is just this holds a secret.
const SECRET_NAMES: &[&str] = &["auth", "pat", "pass"];

/// The last letters of the names that hold a secret.
const SECRET_LAST: [bool; 128] = {
    let mut last = [false; 128];
    let mut at = 0;
    while at < SECRET_ENDS.len() + SECRET_NAMES.len() {
        let name = if at < SECRET_ENDS.len() {
            SECRET_ENDS[at].as_bytes()
        } else {
            SECRET_NAMES[at - SECRET_ENDS.len()].as_bytes()
        };
        last[name[name.len() - 1] as usize] = true;
        at += 1;
    }
    last
};

/// From this length on a random run counts as a secret.
pub(super) const LONG: usize = 32;

/// The secret part of the token of a known shape that starts at `at` with `first`, if one does.
pub(super) fn token_at(text: &[u8], at: usize, first: u8) -> Option<Range<usize>> {
    let (from, to) = STARTS.get(usize::from(first)).copied().unwrap_or_default();
    let shapes = SHAPES
        .get(usize::from(from)..usize::from(to))
        .unwrap_or_default();
    let second = text.get(at + 1);
    for (prefix, tail, least) in shapes {
        let body = at + prefix.len();
        if prefix.as_bytes().get(1) != second || text.get(at..body) != Some(prefix.as_bytes()) {
            continue;
        }
        let rest = text.get(body..).unwrap_or_default();
        let length = rest
            .iter()
            .position(|b| !is_tail(*tail, *b))
            .unwrap_or(rest.len());
        if length >= *least {
            return Some(body..body + length);
        }
    }
    None
}

fn is_tail(tail: Tail, b: u8) -> bool {
    match tail {
        Tail::Plain => b.is_ascii_alphanumeric(),
        Tail::Upper => b.is_ascii_uppercase() || b.is_ascii_digit(),
        Tail::Name => is(NAME, b),
        Tail::Dotted => is(NAME, b) || b == b'.',
    }
}

/// Whether what bears this name is a secret.
pub(super) fn is_secret(name: &[u8]) -> bool {
    let dashes = name.iter().take_while(|b| **b == b'-').count();
    let name = name.get(dashes..).unwrap_or_default();
    let ends = |end: &&str| {
        // A first look spares most of the others.
        let last = name.last().map(u8::to_ascii_lowercase);
        if end.as_bytes().last().copied() != last {
            return false;
        }
        let at = name.len().checked_sub(end.len());
        let tail = at.and_then(|at| name.get(at..)).unwrap_or_default();
        tail.eq_ignore_ascii_case(end.as_bytes())
    };
    let is = |known: &&str| known.as_bytes().eq_ignore_ascii_case(name);
    // Most names end as no secret does.
    let may = name.last().is_some_and(|last| {
        let last = usize::from(last.to_ascii_lowercase());
        SECRET_LAST.get(last).is_some_and(|may| *may)
    });
    may && name.len() >= 3 && (SECRET_ENDS.iter().any(ends) || SECRET_NAMES.iter().any(is))
}

/// Hex of the length of a key, or a mix of letters and digits that no word has.
pub(super) fn is_random(run: &[u8]) -> bool {
    let (mut hex, mut longest_hex, mut turns, mut counted) = (0usize, 0usize, 0usize, 0usize);
    let mut last = 0u8;
    for b in run {
        let class = match b {
            b'a'..=b'z' => 1,
            b'A'..=b'Z' => 2,
            b'0'..=b'9' => 3,
            _ => 0,
        };
        if class != 0 {
            counted += 1;
            turns += usize::from(last != 0 && last != class);
        }
        last = class;
        hex = if b.is_ascii_hexdigit() { hex + 1 } else { 0 };
        longest_hex = longest_hex.max(hex);
    }
    longest_hex >= LONG || (counted >= LONG - 4 && turns.saturating_mul(4) >= counted)
}
