//! Words of a record that we know, and room for those of later versions.

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::fmt;

/// An enum of known words that keeps an unknown one as it was written.
macro_rules! words {
    ($(#[$about:meta])* $name:ident { $($(#[$doc:meta])* $variant:ident = $word:literal,)* }) => {
        $(#[$about])*
        #[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum $name {
            $($(#[$doc])* $variant,)*
            /// A word of somebody else's; nothing is allowed by it.
            Other(String),
        }

        impl $name {
            /// The known words.
            pub const KNOWN: &'static [&'static str] = &[$($word),*];

            /// The word in the record.
            pub fn word(&self) -> &str {
                match self {
                    $($name::$variant => $word,)*
                    $name::Other(word) => word,
                }
            }

            /// The meaning of a word.
            pub fn of(word: &str) -> $name {
                match word {
                    $($word => $name::$variant,)*
                    other => $name::Other(other.to_owned()),
                }
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(self.word())
            }
        }

        impl Serialize for $name {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(self.word())
            }
        }

        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<$name, D::Error> {
                Ok($name::of(&String::deserialize(deserializer)?))
            }
        }
    };
}

words! {
    /// What a claim is for.
    Kind {
        /// A session's worktree.
        Session = "session",
        /// A plan's execution.
        Execution = "execution",
        /// Merging into the integration branch.
        IntegrationMerge = "integration_merge",
        /// A place that is kept for somebody.
        Reservation = "reservation",
    }
}

words! {
    /// What the holder may do.
    Role {
        /// Writes.
        Implementer = "implementer",
        /// Reads, and never commits (R47).
        Reviewer = "reviewer-readonly",
        /// Reads.
        Observer = "observer",
        /// Merges.
        Integrator = "integrator",
        /// Waits for a disaster, and takes nothing over by itself (R46).
        Standby = "standby",
    }
}

impl Role {
    /// Whether this role writes in its checkout; a role that we do not know does not.
    pub fn writes(&self) -> bool {
        matches!(self, Role::Implementer | Role::Integrator | Role::Standby)
    }
}

words! {
    /// How far a claim has come.
    Stage {
        /// Taken.
        Claimed = "claimed",
        /// Worked in.
        Active = "active",
        /// Waits for a review.
        InReview = "in-review",
        /// Being given back.
        Releasing = "releasing",
        /// Given back.
        Retired = "retired",
    }
}

words! {
    /// What ends a claim by itself.
    Mode {
        /// Time, together with a dead owner and a quiet checkout.
        Ttl = "ttl",
        /// Nothing (R82).
        Manual = "manual",
    }
}

words! {
    /// How a claim followed the one before it.
    How {
        /// The holder gave it back.
        Release = "release",
        /// The holder was dead, its time over and the checkout quiet.
        Takeover = "takeover",
        /// A person said so.
        Override = "override",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_word_comes_back_and_a_strange_one_is_kept() {
        for word in Role::KNOWN {
            assert_eq!(Role::of(word).word(), *word);
            assert!(!matches!(Role::of(word), Role::Other(_)));
        }
        let strange: Stage = serde_json::from_str("\"frozen\"").unwrap();
        assert_eq!(serde_json::to_string(&strange).unwrap(), "\"frozen\"");
        assert!(!Role::of("poet").writes());
    }
}
