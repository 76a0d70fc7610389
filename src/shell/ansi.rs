//! Backslash escapes of `$'…'`, `echo -e` and `printf`.

/// Whose escapes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Dialect {
    /// `$'…'`
    Quote,
    /// `echo -e`, `printf %b`: octal needs a leading zero.
    Echo,
    /// The format of `printf`.
    Format,
}

fn digits(rest: &[u8], base: u32, most: usize) -> (u32, usize) {
    let mut value = 0u32;
    let mut used = 0;
    for &b in rest.iter().take(most) {
        let Some(digit) = (b as char).to_digit(base) else {
            break;
        };
        value = value.wrapping_mul(base).wrapping_add(digit);
        used += 1;
    }
    (value, used)
}

fn push_char(value: u32, out: &mut Vec<u8>) {
    let c = char::from_u32(value).unwrap_or(char::REPLACEMENT_CHARACTER);
    out.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
}

/// One escape from after its backslash: the bytes it used, and whether the text ends here
/// (a NUL in `$'…'`, `\c` elsewhere).
pub(super) fn escape(rest: &[u8], dialect: Dialect, out: &mut Vec<u8>) -> (usize, bool) {
    let Some(&b) = rest.first() else {
        out.push(b'\\');
        return (0, false);
    };
    let after = rest.get(1..).unwrap_or(&[]);
    let simple = match b {
        b'a' => 7,
        b'b' => 8,
        b'e' | b'E' => 27,
        b'f' => 12,
        b'n' => 10,
        b'r' => 13,
        b't' => 9,
        b'v' => 11,
        b'\\' => b'\\',
        b'\'' | b'"' | b'?' if dialect != Dialect::Echo => b,
        _ => 0,
    };
    if simple != 0 {
        out.push(simple);
        return (1, false);
    }
    match b {
        b'0'..=b'7' => {
            let (skip, most) = match (dialect, b) {
                (Dialect::Echo, b'0') => (1, 3),
                (Dialect::Echo, _) => {
                    out.push(b'\\');
                    out.push(b);
                    return (1, false);
                }
                _ => (0, 3),
            };
            let (value, used) = digits(rest.get(skip..).unwrap_or(&[]), 8, most);
            let byte = (value & 0xff) as u8;
            if byte == 0 && dialect == Dialect::Quote {
                return (skip + used, true);
            }
            out.push(byte);
            (skip + used, false)
        }
        b'x' => {
            if dialect == Dialect::Quote && after.first() == Some(&b'{') {
                let (value, used) = digits(after.get(1..).unwrap_or(&[]), 16, usize::MAX);
                let closed = after.get(1 + used) == Some(&b'}');
                let byte = (value & 0xff) as u8;
                if byte == 0 {
                    return (2 + used + usize::from(closed), used > 0);
                }
                out.push(byte);
                return (2 + used + usize::from(closed), false);
            }
            let (value, used) = digits(after, 16, 2);
            unicode(b, value, used, dialect, out)
        }
        b'u' => {
            let (value, used) = digits(after, 16, 4);
            unicode(b, value, used, dialect, out)
        }
        b'U' => {
            let (value, used) = digits(after, 16, 8);
            unicode(b, value, used, dialect, out)
        }
        b'c' if dialect == Dialect::Quote => match after.first() {
            Some(&c) => {
                let control = c.to_ascii_uppercase() & 0x1f;
                if control == 0 {
                    return (2, true);
                }
                out.push(control);
                (2, false)
            }
            None => {
                out.extend_from_slice(b"\\c");
                (1, false)
            }
        },
        b'c' => (1, true),
        _ => {
            out.push(b'\\');
            out.push(b);
            (1, false)
        }
    }
}

fn unicode(
    kind: u8,
    value: u32,
    used: usize,
    dialect: Dialect,
    out: &mut Vec<u8>,
) -> (usize, bool) {
    if used == 0 {
        out.push(b'\\');
        out.push(kind);
        return (1, false);
    }
    if value == 0 && dialect == Dialect::Quote {
        return (1 + used, true);
    }
    if kind == b'x' {
        out.push(value as u8);
    } else {
        push_char(value, out);
    }
    (1 + used, false)
}

/// Bytes as text in which no character looks like one of our marks.
pub(super) fn tamed(bytes: Vec<u8>) -> String {
    let text = match String::from_utf8(bytes) {
        Ok(text) => text,
        Err(e) => String::from_utf8_lossy(e.as_bytes()).into_owned(),
    };
    if text.chars().any(|c| c as u32 >= super::ANSWER_BASE) {
        return text
            .chars()
            .map(|c| {
                if c as u32 >= super::ANSWER_BASE {
                    super::OPAQUE
                } else {
                    c
                }
            })
            .collect();
    }
    text
}
