//! The claim as it is written down: schema 1, and whatever others have added to it.

use super::words::{How, Kind, Mode, Role, Stage};
use crate::state::time::Moment;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::path::PathBuf;

/// The schema that this build writes; a higher one is read and never changed.
pub const SCHEMA: u64 = 1;

/// The flag of a tree whose holder is gone and whose work is not committed (R48).
pub const DIRTY: &str = "dirty-stale";

/// Fields that we do not know, in the order in which they stood (R31).
pub type Rest = Map<String, Value>;

/// One claim on one checkout.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Claim {
    /// See [`SCHEMA`].
    pub schema: u64,
    /// Its name, new with each owner: whoever changes or removes a claim has to name it.
    pub claim_id: String,
    /// The fencing number of its checkout: grows with each owner, never by renewing.
    pub epoch: u64,
    /// Grows with each write.
    pub rev: u64,
    /// What it is for.
    #[serde(default = "session")]
    pub kind: Kind,
    /// The repository.
    #[serde(default)]
    pub repo: Repo,
    /// The checkout.
    pub checkout: Checkout,
    /// The branch without `refs/heads/`; `None` where HEAD is detached.
    #[serde(default)]
    pub branch: Option<String>,
    /// The commit on which the work started (R150).
    #[serde(default)]
    pub base_sha: Option<String>,
    /// The ticket.
    #[serde(default)]
    pub ticket: Option<String>,
    /// The lane that owns the work (R27).
    #[serde(default)]
    pub lane: Option<String>,
    /// The plan.
    #[serde(default)]
    pub plan_id: Option<String>,
    /// Whose it is.
    pub owner: Owner,
    /// The kind of agent host (R23).
    #[serde(default)]
    pub harness: Option<String>,
    /// The model.
    #[serde(default)]
    pub model: Option<String>,
    /// What the holder may do.
    pub role: Role,
    /// How far it has come.
    pub state: Stage,
    /// Marks, such as [`DIRTY`].
    #[serde(default)]
    pub flags: Vec<String>,
    /// Its time.
    pub lease: Lease,
    /// Patterns below the checkout within which the holder may write; empty = all of it (R30).
    #[serde(default)]
    pub allowed_paths: Vec<String>,
    /// The claim before it on the same checkout.
    #[serde(default)]
    pub prev: Option<Prev>,
    /// Everything else.
    #[serde(flatten)]
    pub rest: Rest,
}

/// The repository of a claim.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Repo {
    /// Its key on this machine, which names its folder in the store.
    pub id: String,
    /// The directory that all its checkouts share.
    pub common_dir: PathBuf,
    /// Where it comes from, without a user's name or password (R32).
    pub origin_url: Option<String>,
    /// Everything else.
    #[serde(flatten)]
    pub rest: Rest,
}

/// The checkout of a claim.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Checkout {
    /// Which it is among those of its repository; the same while git knows it by one name.
    pub id: String,
    /// Tells one that was removed and made again from the one before.
    pub made: String,
    /// Its top.
    pub path: PathBuf,
    /// The directory with its `HEAD`.
    pub git_dir: PathBuf,
    /// Whether it is the main one.
    pub is_main: bool,
    /// What was linked into it from the main one (R152).
    pub provisioned: Vec<String>,
    /// Everything else.
    #[serde(flatten)]
    pub rest: Rest,
}

/// Whose a claim is: a process of an agent host, and the sessions that it has shown (D7).
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Owner {
    /// The state directory that wrote the claim: process ids of another one say nothing here.
    pub install_id: String,
    /// The machine's name, for people (R21).
    pub host_name: String,
    /// The machine's id, hashed.
    pub machine_id_hash: String,
    /// The boot.
    pub boot_id: String,
    /// The space in which the process id counts.
    pub pid_ns: String,
    /// The host's process; `None` where nobody could tell.
    pub pid: Option<u32>,
    /// When that process started, in ticks since boot.
    pub start_ticks: Option<String>,
    /// The host's name.
    pub exe: Option<String>,
    /// Whether that host runs one session in a process.
    pub one_session: bool,
    /// The sessions that this owner has been, newest last.
    pub session_ids: Vec<String>,
    /// The subagent whose own claim this is.
    pub agent_id: Option<String>,
    /// A holder that is no process here: `cursor:bc-1234`.
    pub holder: Option<String>,
    /// For people; never compared (R33).
    pub label: Option<String>,
    /// Everything else.
    #[serde(flatten)]
    pub rest: Rest,
}

/// The time of a claim.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Lease {
    /// What ends it.
    pub mode: Mode,
    /// How long it holds after a sign of life, in seconds.
    #[serde(default)]
    pub ttl_secs: u64,
    /// When this owner took it.
    pub claimed_utc: Moment,
    /// The last sign of life that was written here; see also [`Held::beat`].
    pub last_heartbeat_utc: Moment,
    /// When its time is over; `None` for [`Mode::Manual`].
    #[serde(default)]
    pub expires_utc: Option<Moment>,
    /// Everything else.
    #[serde(flatten)]
    pub rest: Rest,
}

/// The claim before.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Prev {
    /// Its name.
    pub claim_id: String,
    /// Its fencing number.
    pub epoch: u64,
    /// How it ended.
    pub how: How,
    /// Everything else.
    #[serde(flatten)]
    pub rest: Rest,
}

/// A claim as a store holds it.
#[derive(Debug, Clone, PartialEq)]
pub struct Held {
    /// What is written.
    pub claim: Claim,
    /// The last sign of life beside the record.
    pub beat: Option<Moment>,
}

/// What a store has at one place.
#[derive(Debug, Clone, Default, PartialEq)]
pub enum Slot {
    /// No claim.
    #[default]
    Free,
    /// A claim.
    Held(Box<Held>),
    /// Something that is no claim any more; it counts as held by somebody unknown. The text says
    /// what is wrong and where it lies.
    Corrupt(String),
    /// A claim of a later leaseguard: its schema.
    Newer(u64),
}

/// Which state of a claim somebody saw.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Version {
    /// The claim.
    pub claim_id: String,
    /// Its revision.
    pub rev: u64,
}

impl Claim {
    /// Reads a record; `Newer` and `Corrupt` are answers, not errors.
    pub fn read(bytes: &[u8]) -> Slot {
        #[derive(Deserialize)]
        struct Head {
            schema: u64,
        }
        match serde_json::from_slice::<Claim>(bytes) {
            Ok(claim) if claim.schema == SCHEMA => Slot::Held(Box::new(Held { claim, beat: None })),
            outcome => match serde_json::from_slice::<Head>(bytes) {
                Ok(head) if head.schema > SCHEMA => Slot::Newer(head.schema),
                _ => Slot::Corrupt(match outcome {
                    Err(error) => format!("the record does not parse: {error}"),
                    Ok(claim) => format!("there is no schema {}", claim.schema),
                }),
            },
        }
    }

    /// The record's text.
    pub fn bytes(&self) -> Vec<u8> {
        let mut bytes = serde_json::to_vec_pretty(self).unwrap_or_default();
        bytes.push(b'\n');
        bytes
    }

    /// Whether writing this over `old` is a sign of life of its owner.
    pub fn lives_after(&self, old: Option<&Claim>) -> bool {
        old.is_none_or(|old| {
            old.claim_id != self.claim_id
                || old.lease.last_heartbeat_utc != self.lease.last_heartbeat_utc
        })
    }

    /// The state that it is in.
    pub fn version(&self) -> Version {
        Version {
            claim_id: self.claim_id.clone(),
            rev: self.rev,
        }
    }

    /// Whether it carries `flag`.
    pub fn flagged(&self, flag: &str) -> bool {
        self.flags.iter().any(|f| f == flag)
    }
}

impl Slot {
    /// The claim, if that is what is there.
    pub fn claim(&self) -> Option<&Claim> {
        self.held().map(|held| &held.claim)
    }

    /// The claim and its sign of life.
    pub fn held(&self) -> Option<&Held> {
        match self {
            Slot::Held(held) => Some(held),
            _ => None,
        }
    }
}

/// `url` without the user and password that may stand in front of the host (R32).
pub fn without_user(url: &str) -> String {
    let Some((scheme, rest)) = url.split_once("://") else {
        return url.to_owned();
    };
    let (authority, path) = match rest.find(['/', '?', '#']) {
        Some(at) => rest.split_at(at),
        None => (rest, ""),
    };
    let host = authority.rsplit('@').next().unwrap_or(authority);
    format!("{scheme}://{host}{path}")
}

fn session() -> Kind {
    Kind::Session
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = r#"{"schema":1,"zeta":{"b":1,"a":[2]},"claimId":"C1","epoch":17,"rev":42,"kind":"session",
        "repo":{"id":"r","commonDir":"/r/.git","originUrl":null,"team":"x"},
        "checkout":{"id":"c","path":"/r","gitDir":"/r/.git","isMain":true,"provisioned":[]},
        "branch":"wt/1","ticket":"T-3","owner":{"installId":"i","pid":7,"startTicks":"9","sessionIds":["s"],"pet":"cat"},
        "role":"implementer","state":"active","flags":[],
        "lease":{"mode":"ttl","ttlSecs":300,"claimedUtc":"2026-01-01T00:00:00.000Z","lastHeartbeatUtc":"2026-01-01T00:00:00.000Z","expiresUtc":"2026-01-01T00:05:00.000Z","grace":3},
        "prev":{"claimId":"C0","epoch":16,"how":"takeover","why":"dead"},"alpha":2,"x":{"k":null}}"#;

    fn parsed(text: &str) -> Claim {
        Claim::read(text.as_bytes()).claim().cloned().unwrap()
    }

    // R31
    #[test]
    fn what_others_wrote_survives_a_rewrite_in_its_order() {
        let claim = parsed(TEXT);
        let again = parsed(&String::from_utf8(claim.bytes()).unwrap());
        assert_eq!(again, claim);
        let keys: Vec<&str> = again.rest.keys().map(String::as_str).collect();
        assert_eq!(keys, ["zeta", "alpha", "x"]);
        assert_eq!(
            again.rest.get("zeta").unwrap().to_string(),
            r#"{"b":1,"a":[2]}"#
        );
        assert_eq!(again.owner.rest.get("pet").unwrap(), "cat");
        assert_eq!(again.repo.rest.get("team").unwrap(), "x");
        assert_eq!(again.lease.rest.get("grace").unwrap(), 3);
        assert_eq!(again.prev.unwrap().rest.get("why").unwrap(), "dead");
    }

    #[test]
    fn a_newer_schema_is_told_from_a_broken_record() {
        assert_eq!(Claim::read(br#"{"schema":2,"claimId":[]}"#), Slot::Newer(2));
        let same = TEXT.replace("\"schema\":1", "\"schema\":3");
        assert_eq!(Claim::read(same.as_bytes()), Slot::Newer(3));
        for broken in ["", "{", "[]", "null", r#"{"schema":1}"#, r#"{"schema":0}"#] {
            assert!(
                matches!(Claim::read(broken.as_bytes()), Slot::Corrupt(_)),
                "{broken}"
            );
        }
        for cut in 0..TEXT.len() {
            if let Some(part) = TEXT.get(..cut) {
                assert!(matches!(Claim::read(part.as_bytes()), Slot::Corrupt(_)));
            }
        }
    }

    // R32
    #[test]
    fn an_address_loses_its_user_and_password() {
        for (url, want) in [
            ("https://me:tok@h.example/a.git", "https://h.example/a.git"),
            ("ssh://git@h/a@b", "ssh://h/a@b"),
            ("https://u:p@ss@h", "https://h"),
            ("git@h:a.git", "git@h:a.git"),
            ("../origin.git", "../origin.git"),
        ] {
            assert_eq!(without_user(url), want);
        }
    }
}
