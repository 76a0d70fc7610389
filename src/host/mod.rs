//! Dialects: the bytes of an agent host <-> calls and a reply.
//!
//! A host is recognised by the shape of its payload. The name it was installed under only
//! confirms: where both disagree, the reply is the one that stops a call everywhere.

pub mod argv;
mod carried;
mod claude;
mod codex;
mod copilot;
mod cursor;
mod envelope;
mod gemini;
mod opencode;
mod portable;
mod qwen;
mod reply;
pub mod setup;
pub mod text;
mod tools;

pub use envelope::{Envelope, Field};
pub use reply::Reply;

use crate::call::{Call, What};
use crate::verdict::{Fault, Verdict};

/// One agent host.
pub struct Host {
    /// The name that `--host` and `install` use.
    pub name: &'static str,
    /// Whether the payload is this host's.
    pub hears: fn(&Envelope<'_>) -> bool,
    /// What the payload asks. More than one call where a tool carries shell text, never none.
    pub read: fn(&Envelope<'_>) -> Result<Vec<Call>, Fault>,
    /// The answer in the host's words.
    pub write: fn(&Verdict, &Envelope<'_>) -> Reply,
    /// Other hosts whose settings it reads too: their names do not contradict its payload.
    pub reads_of: &'static [&'static str],
    /// How it is connected; nothing for strangers.
    pub setup: Option<setup::Setup>,
}

/// Every host that has a dialect of its own. The first that hears a payload has it; the two that
/// share one envelope come first, since their one mark settles it.
pub const ALL: &[&Host] = &[
    &codex::HOST,
    &claude::HOST,
    &opencode::HOST,
    &cursor::HOST,
    &copilot::HOST,
    &gemini::HOST,
    &qwen::HOST,
];

/// A payload with the host that it came from.
pub struct Heard<'a> {
    host: &'static Host,
    speaks: &'static Host,
    envelope: Envelope<'a>,
}

/// Recognises the payload in `bytes`; `named` is the host that the command line claims.
pub fn hear<'a>(bytes: &'a [u8], named: Option<&str>) -> Result<Heard<'a>, Fault> {
    let envelope = Envelope::parse(bytes)?;
    let found = ALL.iter().copied().find(|host| (host.hears)(&envelope));
    let host = found.unwrap_or(&portable::HOST);
    let confirmed = named.is_none_or(|name| name == host.name || host.reads_of.contains(&name));
    let speaks = if confirmed { host } else { &portable::HOST };
    Ok(Heard {
        host,
        speaks,
        envelope,
    })
}

impl Heard<'_> {
    /// The name of the host that was recognised.
    pub fn host(&self) -> &'static str {
        self.host.name
    }

    /// What it asks.
    pub fn calls(&self) -> Result<Vec<Call>, Fault> {
        let calls = (self.host.read)(&self.envelope)?;
        let nul =
            |call: &Call| matches!(&call.what, What::Shell { text, .. } if text.contains('\0'));
        if calls.iter().any(nul) {
            return Err(Fault {
                code: "fault/nul-byte",
                what: "the command holds a NUL byte, which no shell reads as it stands".to_owned(),
            });
        }
        Ok(calls)
    }

    /// The answer in its words.
    pub fn reply(&self, verdict: &Verdict) -> Reply {
        (self.speaks.write)(verdict, &self.envelope)
    }
}

/// The answer where no host could be told.
pub fn fallback(verdict: &Verdict) -> Reply {
    (portable::HOST.write)(verdict, &Envelope::default())
}
