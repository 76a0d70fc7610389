//! The checks of one host, in the order in which a call meets what they look at.

mod entries;
mod files;
mod program;
mod switches;
mod tries;
mod trust;

use super::Check;

/// Every check.
pub const ALL: &[Check] = &[
    files::SYNTAX,
    files::NESTING,
    files::SIBLING,
    entries::MISSING,
    entries::EVENT,
    entries::MATCHER,
    entries::CONDITION,
    entries::TIMEOUT,
    entries::DOUBLE,
    entries::OUTDATED,
    switches::OFF,
    trust::HOOK,
    trust::PROJECT,
    program::MISSING,
    program::OTHER,
    program::VERSION,
    tries::PROFILE,
    tries::CANARY,
];
