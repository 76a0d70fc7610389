//! Why a request was refused: stable codes, each with what to do.

use std::fmt;

/// The codes; scripts may rely on their spelling.
macro_rules! codes {
    ($($(#[$doc:meta])* $variant:ident = $text:literal, $class:ident;)*) => {
        /// Why a request was refused.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Code { $($(#[$doc])* $variant,)* }

        impl Code {
            /// All of them.
            pub const ALL: &'static [Code] = &[$(Code::$variant),*];

            /// As it is printed and written.
            pub fn text(self) -> &'static str {
                match self { $(Code::$variant => $text,)* }
            }

            /// What kind of end it is.
            pub fn class(self) -> Class {
                match self { $(Code::$variant => Class::$class,)* }
            }
        }
    };
}

/// What kind of end a refusal is; verbs have an exit code for each.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Class {
    /// The answer is no.
    Refused,
    /// leaseguard, its files or its place failed.
    Trouble,
    /// It cannot be told, or only a person may go on.
    Person,
}

codes! {
    /// Another live owner has it.
    Owned = "E_OWNED", Refused;
    /// Another owner has it, and nobody here can tell whether it lives.
    OwnedUnknownLiveness = "E_OWNED_UNKNOWN_LIVENESS", Person;
    /// The claim is not the asker's.
    NotOwner = "E_NOT_OWNER", Refused;
    /// The claim was written since the asker saw it.
    StaleRev = "E_STALE_REV", Refused;
    /// The claim that the asker means has been followed by another.
    EpochFenced = "E_EPOCH_FENCED", Refused;
    /// Another checkout's claim names the branch.
    BranchTaken = "E_BRANCH_TAKEN", Refused;
    /// Another checkout's claim names the ticket.
    TicketTaken = "E_TICKET_TAKEN", Refused;
    /// The asker holds another checkout of this repository.
    SessionHasClaim = "E_SESSION_HAS_CLAIM", Refused;
    /// Policy wants a lane.
    LaneMissing = "E_LANE_MISSING", Refused;
    /// The harness is none that is known.
    HarnessUnknown = "E_HARNESS_UNKNOWN", Refused;
    /// The role only reads.
    RoleReadonly = "E_ROLE_READONLY", Refused;
    /// The path is outside of what the claim allows.
    PathOutsideScope = "E_PATH_OUTSIDE_SCOPE", Refused;
    /// The main checkout is for landing.
    MainCheckout = "E_MAIN_CHECKOUT", Refused;
    /// There is no claim.
    Unregistered = "E_UNREGISTERED", Refused;
    /// A network file system.
    NetworkFs = "E_NETWORK_FS", Refused;
    /// A folder that a program keeps in step with another machine.
    SyncFolder = "E_SYNC_FOLDER", Refused;
    /// The lock was not free in time.
    LockTimeout = "E_LOCK_TIMEOUT", Trouble;
    /// The record cannot be read; it counts as held.
    Corrupt = "E_CORRUPT", Person;
    /// A later leaseguard wrote the record.
    SchemaNewer = "E_SCHEMA_NEWER", Trouble;
    /// Work in progress without a claim.
    OrphanInprogress = "E_ORPHAN_INPROGRESS", Person;
    /// No time frees it.
    ManualLease = "E_MANUAL_LEASE", Person;
    /// The owner lives.
    TakeoverNotDead = "E_TAKEOVER_NOT_DEAD", Refused;
    /// Its time is not over.
    TakeoverNotExpired = "E_TAKEOVER_NOT_EXPIRED", Refused;
    /// Something still works in the checkout, or nobody can tell.
    TakeoverNotQuiet = "E_TAKEOVER_NOT_QUIET", Refused;
    /// There is uncommitted work.
    TakeoverDirty = "E_TAKEOVER_DIRTY", Refused;
    /// Policy allows no more claims.
    CapReached = "E_CAP_REACHED", Refused;
    /// The times in the record do not fit this clock.
    ClockSuspect = "E_CLOCK_SUSPECT", Person;
    /// Another writer was faster at the remote.
    RemoteCasLost = "E_REMOTE_CAS_LOST", Refused;
    /// The remote cannot be reached.
    RemoteUnavailable = "E_REMOTE_UNAVAILABLE", Trouble;
    /// The checkout is not there any more.
    WorktreeGone = "E_WORKTREE_GONE", Refused;
    /// Somebody else's lock directory.
    LockdirPresent = "E_LOCKDIR_PRESENT", Refused;
    /// No process of an agent host was found.
    HostPidNotFound = "E_HOST_PID_NOT_FOUND", Person;
    /// Something lies where a new worktree should be.
    PathTaken = "E_PATH_TAKEN", Refused;
    /// The branch is not named as policy wants.
    BranchName = "E_BRANCH_NAME", Refused;
    /// The ticket is not named as policy wants.
    TicketName = "E_TICKET_NAME", Refused;
    /// A field of the request is not what it can be.
    BadRequest = "E_BAD_REQUEST", Trouble;
    /// The store cannot be read or written.
    Store = "E_STORE", Trouble;
}

/// A refusal: its code, and one line that says what to do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal {
    /// Which.
    pub code: Code,
    /// Lower case, without a final period.
    pub what: String,
}

impl Refusal {
    /// A refusal with its words.
    pub fn new(code: Code, what: impl Into<String>) -> Refusal {
        Refusal {
            code,
            what: what.into(),
        }
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} [{}]", self.what, self.code.text())
    }
}

impl std::error::Error for Refusal {}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn codes_are_different_and_spelled_alike() {
        let texts: BTreeSet<&str> = Code::ALL.iter().map(|c| c.text()).collect();
        assert_eq!(texts.len(), Code::ALL.len());
        for text in texts {
            let rest = text.strip_prefix("E_").unwrap();
            assert!(
                rest.bytes().all(|b| b.is_ascii_uppercase() || b == b'_'),
                "{text}"
            );
        }
    }
}
