//! A change as people read it.

use super::plan::Change;
use similar::TextDiff;
use std::path::Path;

/// The unified diff of a change to `file`, without anything that could move a cursor.
pub fn unified(file: &Path, change: &Change) -> String {
    let text =
        |bytes: Option<&[u8]>| String::from_utf8_lossy(bytes.unwrap_or_default()).into_owned();
    let (before, after) = (text(change.before()), text(change.after()));
    let name = file.display().to_string();
    let nothing = "/dev/null".to_owned();
    let old = change.before().map_or(&nothing, |_| &name);
    let new = change.after().map_or(&nothing, |_| &name);
    let diff = TextDiff::from_lines(before.as_str(), after.as_str());
    let shown = diff.unified_diff().header(old, new).to_string();
    shown
        .chars()
        .filter(|c| !c.is_control() || matches!(c, '\n' | '\t'))
        .collect()
}
