//! Names that nobody has had before.

use crate::state::time::Moment;
use std::collections::hash_map::RandomState;
use std::hash::{BuildHasher, Hasher};

/// The alphabet of ULIDs: digits and capital letters that are not mistaken for others.
const ALPHABET: &[u8; 32] = b"0123456789ABCDEFGHJKMNPQRSTVWXYZ";

/// A new name: 48 bits of time, so that names sort by age, and 80 bits of chance.
pub fn claim_id(now: Moment) -> String {
    let time = u128::from(u64::try_from(now.0).unwrap_or_default() & 0xFFFF_FFFF_FFFF);
    let mut rest = (time << 80) | (random() >> 48);
    let mut out = [b'0'; 26];
    for place in out.iter_mut().rev() {
        let digit = usize::try_from(rest & 31).unwrap_or_default();
        *place = ALPHABET.get(digit).copied().unwrap_or(b'0');
        rest >>= 5;
    }
    out.iter().map(|b| char::from(*b)).collect()
}

/// 128 bits of chance as 32 hex digits.
pub(super) fn random_hex() -> String {
    format!("{:032x}", random())
}

/// Chance from the system, by way of the keys that the standard library draws for its maps.
fn random() -> u128 {
    let draw = |salt: u32| {
        let mut hasher = RandomState::new().build_hasher();
        hasher.write_u32(salt);
        hasher.write_u32(std::process::id());
        u128::from(hasher.finish())
    };
    (draw(1) << 64) | draw(2)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn names_differ_and_sort_by_age() {
        let names: BTreeSet<String> = (0..1000).map(|_| claim_id(Moment(5))).collect();
        assert_eq!(names.len(), 1000);
        assert!(claim_id(Moment(1_000)) < claim_id(Moment(2_000)));
        assert_eq!(claim_id(Moment(1)).len(), 26);
    }
}
