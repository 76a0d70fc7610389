//! Programs that run other commands, in one table.
