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
        let mut text = String::with_capacity(LENGTH);
        for _ in 0..LENGTH {
            let digit = usize::try_from(left % ALPHABET.len() as u128).unwrap_or_default();
            text.push(ALPHABET.get(digit).copied().map_or('2', char::from));
            left /= ALPHABET.len() as u128;
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
