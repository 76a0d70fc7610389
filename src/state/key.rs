//! Names for things that are too long for a file name: a hash that stays the same in every build.

const OFFSET: u128 = 0x6c62_272e_07bb_0142_62b8_2175_6295_c58d;
const PRIME: u128 = 0x0000_0000_0100_0000_0000_0000_0000_013b;

/// What the eight bytes of a short length multiply by.
const PRIME_8: u128 = PRIME.wrapping_pow(8);

/// 128 bits of FNV-1a over several parts, each with its length, so that no two lists run together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Key(u128);

impl Key {
    /// The key of a kind of thing.
    pub fn new(kind: &str) -> Key {
        Key(OFFSET).with(kind.as_bytes())
    }

    /// The key with one more part.
    pub fn with(self, part: &[u8]) -> Key {
        let step = |hash: u128, byte: &u8| (hash ^ u128::from(*byte)).wrapping_mul(PRIME);
        let hash = part.iter().fold(self.0, step);
        let length = part.len() as u64;
        if length < 256 {
            // All bytes of the length but the first are zero.
            return Key((hash ^ u128::from(length)).wrapping_mul(PRIME_8));
        }
        Key(length.to_le_bytes().iter().fold(hash, step))
    }

    /// The key with a part that may be missing.
    pub fn with_maybe(self, part: Option<&[u8]>) -> Key {
        match part {
            Some(part) => self.with(b"1").with(part),
            None => self.with(b"0"),
        }
    }

    /// As a file name: 32 hex digits.
    pub fn hex(self) -> String {
        const DIGITS: &[u8; 16] = b"0123456789abcdef";
        let mut text = [b'0'; 32];
        for (two, byte) in text.chunks_exact_mut(2).zip(self.0.to_be_bytes()) {
            for (digit, half) in two.iter_mut().zip([byte >> 4, byte & 15]) {
                *digit = DIGITS.get(usize::from(half)).copied().unwrap_or_default();
            }
        }
        String::from_utf8(text.to_vec()).unwrap_or_default()
    }

    /// As a number.
    pub fn number(self) -> u128 {
        self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_parts_and_long_ones_are_hashed_by_one_rule() {
        for length in [0usize, 1, 255, 256, 70_000] {
            let part = vec![b'x'; length];
            let all = part.iter().copied().chain((length as u64).to_le_bytes());
            let step = |hash: u128, byte: u8| (hash ^ u128::from(byte)).wrapping_mul(PRIME);
            assert_eq!(Key(OFFSET).with(&part).0, all.fold(OFFSET, step));
        }
    }

    #[test]
    fn parts_do_not_run_together_and_the_value_is_the_same_for_ever() {
        let key = |parts: &[&str]| {
            parts
                .iter()
                .fold(Key::new("k"), |k, p| k.with(p.as_bytes()))
        };
        assert_ne!(key(&["ab", "c"]), key(&["a", "bc"]));
        assert_ne!(key(&["ab", ""]), key(&["", "ab"]));
        assert_ne!(
            Key::new("k").with_maybe(None),
            Key::new("k").with_maybe(Some(b""))
        );
        assert_eq!(key(&["ab", "c"]).hex().len(), 32);
        assert_eq!(Key::new("k").hex(), key(&[]).hex());
        for value in [0, 1, 0xab, u128::MAX, OFFSET] {
            assert_eq!(Key(value).hex(), format!("{value:032x}"));
        }
    }
}
