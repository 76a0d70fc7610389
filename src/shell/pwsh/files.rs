//! Cmdlets that write, move and remove files, as the programs that do the same.

use super::super::{Span, Word};
use super::cmdlets::Params;
use super::invoke::Given;
use super::values::word;
use super::{Got, Reader};

const PATHS: &[&str] = &[
    "path",
    "literalpath",
    "filepath",
    "destination",
    "newname",
    "value",
    "inputobject",
    "encoding",
    "filter",
    "include",
    "exclude",
    "itemtype",
    "name",
    "stream",
    "variable",
    "delimiter",
];

fn paths(params: &mut Params) -> Vec<Word> {
    for name in ["literalpath", "filepath"] {
        if let Some(words) = params.named(name) {
            return words.to_vec();
        }
    }
    params.take("path").unwrap_or_default()
}

/// Whether a path names something else than a file.
fn of_drive(path: &Word, drive: &str) -> Option<String> {
    let lower = path.text.to_ascii_lowercase();
    let rest = lower.strip_prefix(drive)?;
    let at = path.text.len().saturating_sub(rest.len());
    Some(
        path.text
            .get(at..)?
            .trim_start_matches(['\\', '/'])
            .to_owned(),
    )
}

/// `Remove-Item PATH -Recurse`
pub(super) fn remove(r: &mut Reader<'_, '_>, given: &[Given], span: Span) {
    let mut params = Params::read(given, PATHS);
    let tree = params.on("recurse") || params.on("rf") || params.on("fr");
    let mut paths = paths(&mut params);
    for more in std::mem::take(&mut params.rest) {
        paths.extend(more);
    }
    paths.retain(|path| match of_drive(path, "env:") {
        Some(name) => {
            r.w.state.unexport(&name);
            false
        }
        None => true,
    });
    if paths.is_empty() {
        return;
    }
    let words: &[&str] = if tree {
        &["rm", "-rf", "--"]
    } else {
        &["rm", "-f", "--"]
    };
    r.like(words, paths, span);
}

/// `Set-Content PATH …`, `… | Out-File PATH`, `New-Item PATH`
pub(super) fn fill(r: &mut Reader<'_, '_>, given: &[Given], span: Span) {
    let mut params = Params::read(given, PATHS);
    let named = params.named("name").map(<[Word]>::to_vec);
    let directory = params.named("itemtype").and_then(|w| w.first());
    if directory.is_some_and(|w| w.text.to_ascii_lowercase().starts_with("dir")) {
        return;
    }
    let mut paths = paths(&mut params);
    // `New-Item -Path DIR -Name FILE`
    if let Some([name]) = named.as_deref() {
        let dir = paths.first().map_or(".", |w| w.text.as_str());
        paths = vec![word(format!("{dir}/{}", name.text), span)];
    }
    if !paths.is_empty() {
        r.like(&["tee", "--"], paths, span);
    }
}

/// `Copy-Item FROM TO`
pub(super) fn copy(r: &mut Reader<'_, '_>, given: &[Given], span: Span) {
    transfer(r, given, &["cp", "-r", "--"], span);
}

/// `Move-Item FROM TO`
pub(super) fn shift(r: &mut Reader<'_, '_>, given: &[Given], span: Span) {
    transfer(r, given, &["mv", "--"], span);
}

fn transfer(r: &mut Reader<'_, '_>, given: &[Given], words: &[&str], span: Span) {
    let mut params = Params::read(given, PATHS);
    let mut all = paths(&mut params);
    let to = params.take("destination");
    all.extend(to.unwrap_or_else(|| vec![word(".".to_owned(), span)]));
    r.like(words, all, span);
}

/// `Rename-Item PATH NAME`
pub(super) fn rename(r: &mut Reader<'_, '_>, given: &[Given], span: Span) {
    let mut params = Params::read(given, PATHS);
    let from = paths(&mut params);
    let name = params.take("newname").unwrap_or_default();
    let (Some(from), Some(name)) = (from.into_iter().next(), name.into_iter().next()) else {
        return;
    };
    let path = from.text.replace('\\', "/");
    let to = match path.trim_end_matches('/').rsplit_once('/') {
        Some((dir, _)) => format!("{dir}/{}", name.text),
        None => name.text,
    };
    r.like(&["mv", "--"], vec![from, word(to, span)], span);
}

/// `Set-Item Env:NAME VALUE`
pub(super) fn set_item(r: &mut Reader<'_, '_>, given: &[Given], _: Span) {
    let mut params = Params::read(given, PATHS);
    let path = paths(&mut params);
    let value = params.take("value").map_or(Got::Unknown, Got::List);
    if let Some(name) = path.first().and_then(|path| of_drive(path, "env:")) {
        r.export(&name, &value);
    }
}

impl Reader<'_, '_> {
    /// `[IO.File]::WriteAllText(…)` and its kin.
    pub(super) fn file_method(&mut self, method: &str, args: &[Word], span: Span) {
        let (words, count): (&[&str], usize) = match method {
            "writealltext" | "writealllines" | "writeallbytes" | "appendalltext" | "create"
            | "appendalllines" | "openwrite" | "createtext" => (&["tee", "--"], 1),
            "delete" => (&["rm", "-rf", "--"], 1),
            "move" => (&["mv", "--"], 2),
            "copy" | "replace" => (&["cp", "-r", "--"], 2),
            _ => return,
        };
        let paths = args.iter().take(count).cloned().collect();
        self.like(words, paths, span);
    }
}
