//! Dialects: bytes of an agent host <-> call and reply.
