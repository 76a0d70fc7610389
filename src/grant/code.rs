//! The short code of a denial: an address to type, not a secret.

use crate::state::key::Key;
use std::fmt;

/// No two of these look alike.
const ALPHABET: &[u8; 30] = b"23456789abcdefghjkmnpqrstvwxyz";

const LENGTH: usize = 6;

/// Six characters that name a denial.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Code(String);

impl Code {
    /// The code of a key.
    pub fn of(key: Key) -> Code {
        let mut left = key.number();
        // The low bits of this hash mix worst.
        left ^= left >> 67;
        let mut parts = [96, 64, 32, 0].map(|at| u64::from((left >> at) as u32));
        let mut text = String::with_capacity(LENGTH);
        for _ in 0..LENGTH {
            let digit = divide(&mut parts, ALPHABET.len() as u64);
            let digit = usize::try_from(digit).unwrap_or_default();
            text.push(ALPHABET.get(digit).copied().map_or('2', char::from));
        }
        Code(text)
    }

    /// Reads a code as people type it: in any case, with blanks or dashes.
    pub fn parse(text: &str) -> Option<Code> {
        let typed = text.bytes().filter(|b| !matches!(b, b' ' | b'-'));
        let code: Vec<u8> = typed.map(|b| b.to_ascii_lowercase()).collect();
        let fits = code.len() == LENGTH && code.iter().all(|b| ALPHABET.contains(b));
        String::from_utf8(code).ok().filter(|_| fits).map(Code)
    }

    /// As text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// Divides a number of four 32-bit parts, the highest first; gives what is left over. The machine
/// does no such division of 128 bits at once.
fn divide(parts: &mut [u64; 4], by: u64) -> u64 {
    let mut left = 0;
    for part in parts {
        let number = (left << 32) | *part;
        *part = number / by;
        left = number % by;
    }
    left
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn a_code_is_the_same_in_every_build() {
        let code = |kind: &str| {
            let number = Key::new(kind).number();
            let mut left = number ^ (number >> 67);
            let mut text = String::new();
            for _ in 0..LENGTH {
                text.push(char::from(ALPHABET[(left % 30) as usize]));
                left /= 30;
            }
            text
        };
        for kind in ["", "k", "grant", "another"] {
            assert_eq!(Code::of(Key::new(kind)).as_str(), code(kind));
        }
    }

    #[test]
    fn codes_spread_and_are_read_as_people_type_them() {
        let codes: HashSet<Code> = (0..20_000u32)
            .map(|n| Code::of(Key::new("k").with(&n.to_le_bytes())))
            .collect();
        assert!(codes.len() > 19_990, "{}", codes.len());
        for code in codes.iter().take(100) {
            assert_eq!(Code::parse(code.as_str()).as_ref(), Some(code));
            let (a, b) = code.as_str().split_at(3);
            assert_eq!(
                Code::parse(&format!(" {}-{}", a.to_uppercase(), b)).as_ref(),
                Some(code)
            );
        }
        for text in ["", "abc", "abcdefg", "0bcdef", "abcdé", "../../", "1"] {
            assert_eq!(Code::parse(text), None, "{text}");
        }
    }
}
