//! A file that holds the state as JSON.

use super::Query;
use crate::ci::answer::{Answer, Trouble};
use std::fs::File;
use std::io::Read;
use std::path::Path;

/// Longest file that is read.
const MOST: u64 = 4 * 1024 * 1024;

/// Reads `ci.file`.
pub(super) fn ask(query: &Query<'_>) -> Result<Answer, Trouble> {
    let path = Path::new(&query.policy.ci().file);
    if !path.is_absolute() {
        let what = "`ci.file` is no absolute path".to_owned();
        return Err(Trouble::Missing(what));
    }
    let cannot = |why: String| {
        let shown = path.display();
        Trouble::Missing(format!("`{shown}` cannot be read: {why}"))
    };
    let reason = |e: std::io::Error| cannot(crate::state::files::reason(&e));
    // Looked at first: opening a pipe would wait for a writer.
    if !std::fs::metadata(path).map_err(reason)?.is_file() {
        return Err(cannot("not a regular file".to_owned()));
    }
    let mut text = String::new();
    let file = File::open(path).map_err(reason)?;
    file.take(MOST).read_to_string(&mut text).map_err(reason)?;
    let mut answer = Answer::parse(&text)?;
    answer.only(query.subject.url, query.subject.branch);
    Ok(answer)
}
