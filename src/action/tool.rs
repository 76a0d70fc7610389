//! Tools of other servers.
