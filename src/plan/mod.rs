//! The leases in a plan's `status.json`: what stands there, and whose a checkout or a merge is by it.
//!
//! [`status`] is what is written, read by [`shape`] field by field; [`law`] decides (a pure function);
//! [`file`] reads from the disk. No time and no status frees a lease: its holder deletes it, or a
//! person does.

pub mod file;
pub mod law;
pub mod shape;
pub mod status;
