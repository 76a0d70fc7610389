//! Presets as data: what each makes of the keys and rules that presets speak of.

use super::table::{KEYS, at};
use super::wish::Wish;

/// What a preset answers for.
enum Of {
    /// The key with this index.
    Key(usize),
    /// The rule with this id.
    Rule(&'static str),
}

/// The word of each preset, in the order of the key's own words; `None` = as written.
type Words = [Option<&'static str>; 3];

/// One row a key or rule: what it is under `fleet`, `team` and `solo`.
const ROWS: &[(Of, Words)] = &[
    (
        Of::Key(at::FORCE_WITH_LEASE),
        [None, Some("own-branch"), Some("own-branch")],
    ),
    (Of::Key(at::CI_GATE), [None, None, Some("off")]),
    (
        Of::Rule("git/amend"),
        [None, Some("unpushed"), Some("unpushed")],
    ),
    (Of::Rule("git/base-push"), [None, None, Some("plain")]),
    (Of::Rule("git/broad-add"), [None, None, Some("tracked")]),
    (Of::Rule("git/commit-all"), [None, None, Some("tracked")]),
];

/// What one key or rule becomes under a preset.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Change {
    /// The key with this index takes the choice with that index.
    Key(usize, u8),
    /// The rule takes this wish.
    Rule(&'static str, Wish),
}

/// What the preset with this index makes of everything that presets speak of. What it leaves as
/// written goes back to its default, so that one preset replaces another wholly.
pub(super) fn changes(preset: u8) -> impl Iterator<Item = Change> {
    ROWS.iter().map(move |(of, words)| {
        let word = words.get(usize::from(preset)).copied().flatten();
        match of {
            Of::Rule(id) => {
                let wish = word.and_then(|w| Wish::of_word(id, w));
                Change::Rule(id, wish.unwrap_or(Wish::OWN))
            }
            Of::Key(index) => {
                let (mut choice, mut own) = (None, 0);
                if let Some(key) = KEYS.get(*index) {
                    own = key.default_choice();
                    choice = word.and_then(|w| key.choice(w));
                }
                Change::Key(*index, choice.unwrap_or(own))
            }
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_word_of_a_preset_is_a_word_of_its_key_or_rule() {
        for (of, words) in ROWS {
            for word in words.iter().flatten() {
                let known = match of {
                    Of::Key(index) => KEYS.get(*index).and_then(|k| k.choice(word)).is_some(),
                    Of::Rule(id) => Wish::of_word(id, word).is_some(),
                };
                assert!(known, "`{word}`");
            }
        }
    }

    #[test]
    fn there_is_a_column_for_every_preset() {
        assert_eq!(KEYS[at::PRESET].words().len(), ROWS[0].1.len());
    }
}
