//! The refs of a bare repository as they are on disk, and what became of them.

use super::Sandbox;
use std::collections::BTreeMap;
use std::path::Path;

pub type Refs = BTreeMap<String, String>;

/// A real change of one ref.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Real {
    /// Without `.git`.
    pub repo: String,
    pub refname: String,
    /// `create`, `update`, `forced`, `delete`.
    pub kind: &'static str,
}

/// The refs of all bare repositories in the sandbox.
pub fn all(sandbox: &Sandbox) -> BTreeMap<String, Refs> {
    let mut all = BTreeMap::new();
    for entry in std::fs::read_dir(&sandbox.root).unwrap().flatten() {
        let name = entry.file_name().into_string().unwrap();
        if let Some(short) = name.strip_suffix(".git")
            && entry.path().join("HEAD").is_file()
        {
            all.insert(short.to_owned(), read(&entry.path()));
        }
    }
    all
}

fn read(repo: &Path) -> Refs {
    let mut refs = Refs::new();
    let packed = std::fs::read_to_string(repo.join("packed-refs")).unwrap_or_default();
    for line in packed.lines().filter(|l| !l.starts_with(['#', '^'])) {
        let (id, name) = line.split_once(' ').unwrap();
        refs.insert(name.to_owned(), id.to_owned());
    }
    loose(repo, "refs", &mut refs);
    let aliases: Vec<(String, String)> = refs
        .iter()
        .filter_map(|(name, id)| Some((name.clone(), id.strip_prefix("ref: ")?.to_owned())))
        .collect();
    for (name, to) in aliases {
        match refs.get(&to).cloned() {
            Some(id) => refs.insert(name, id),
            None => refs.remove(&name),
        };
    }
    refs
}

fn loose(repo: &Path, dir: &str, refs: &mut Refs) {
    for entry in std::fs::read_dir(repo.join(dir)).unwrap().flatten() {
        let name = format!("{dir}/{}", entry.file_name().to_str().unwrap());
        if entry.file_type().unwrap().is_dir() {
            loose(repo, &name, refs);
        } else {
            let id = std::fs::read_to_string(entry.path()).unwrap();
            refs.insert(name, id.trim_end().to_owned());
        }
    }
}

/// What changed between `before` and now.
pub fn changes(sandbox: &Sandbox, before: &BTreeMap<String, Refs>) -> Vec<Real> {
    let mut changes = Vec::new();
    for (repo, now) in all(sandbox) {
        let empty = Refs::new();
        let old = before.get(&repo).unwrap_or(&empty);
        let names: std::collections::BTreeSet<&String> = old.keys().chain(now.keys()).collect();
        for name in names {
            let kind = match (old.get(name), now.get(name)) {
                (None, Some(_)) => "create",
                (Some(_), None) => "delete",
                (Some(a), Some(b)) if a != b => {
                    let dir = sandbox.root.join(format!("{repo}.git"));
                    let test = format!("git merge-base --is-ancestor {a} {b}");
                    let moved = !name.starts_with("refs/tags/") && sandbox.bash(&test, &dir).0;
                    if moved { "update" } else { "forced" }
                }
                _ => continue,
            };
            changes.push(Real {
                repo: repo.clone(),
                refname: name.clone(),
                kind,
            });
        }
    }
    changes
}
