//! What would be lost with a local ref: commits that no other ref has.

use super::child::Ground;
use super::repo::Repo;
use super::scene::Alternative;
use super::spot::{self, Site};
use super::{Head, World};
use crate::action::Place;
use crate::shell::Word;

/// What becomes of a ref.
#[derive(Debug, Clone, Copy)]
pub enum Becomes<'a> {
    /// It goes away.
    Gone,
    /// It moves to where HEAD is.
    Head,
    /// It moves to this commit.
    At(&'a Word),
}

/// What becomes of the commits of a ref that moves or goes away.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Keeping {
    /// There is no such ref, or other refs have all of them.
    Kept,
    /// Cannot tell, and why.
    Unknown(String),
    /// So many are on no other branch or tag, here or at a remote.
    Lost(u64),
}

impl World {
    /// Whether other refs keep the commits of the full ref `name` when it goes away or moves.
    pub fn keeping(&self, place: &Place, name: &str, becomes: Becomes<'_>) -> Keeping {
        let mut worst = Keeping::Kept;
        for alternative in &self.scene.live {
            let now = match self.site(alternative, place) {
                Site::Here(repo) => self.kept(alternative, &repo, name, becomes),
                Site::Absent => Keeping::Kept,
                Site::Unknown(why) => Keeping::Unknown(why),
            };
            worst = match (worst, now) {
                (Keeping::Lost(a), Keeping::Lost(b)) => Keeping::Lost(a.max(b)),
                (Keeping::Lost(a), _) | (_, Keeping::Lost(a)) => Keeping::Lost(a),
                (Keeping::Unknown(why), _) | (_, Keeping::Unknown(why)) => Keeping::Unknown(why),
                (Keeping::Kept, Keeping::Kept) => Keeping::Kept,
            };
        }
        worst
    }

    pub(super) fn kept(
        &self,
        alternative: &Alternative,
        repo: &Repo,
        name: &str,
        becomes: Becomes<'_>,
    ) -> Keeping {
        match spot::has(alternative, repo, name) {
            Ok(true) => {}
            Ok(false) => return Keeping::Kept,
            Err(why) => return Keeping::Unknown(why),
        }
        // What this call makes holds nobody's work.
        if repo.has(name) == Ok(false) {
            return Keeping::Kept;
        }
        let name = match becomes {
            Becomes::Gone => name.to_owned(),
            Becomes::Head | Becomes::At(_) => repo.resolve(name),
        };
        let to = becomes.revision(alternative, repo);
        let mut args = vec!["rev-list".to_owned(), "--count".to_owned(), name.clone()];
        args.push("--not".to_owned());
        let changed = alternative
            .refs
            .iter()
            .filter(|(common, ..)| *common == repo.common)
            .map(|(_, name, _)| name.as_str());
        let gone: Vec<String> = std::iter::once(name.as_str())
            .chain(changed)
            .filter(|name| !name.contains(['*', '?', '[', '\\']))
            .map(|name| format!("--exclude={name}"))
            .collect();
        for glob in ["refs/heads", "refs/remotes", "refs/tags"] {
            args.extend(gone.iter().cloned());
            args.push(format!("--glob={glob}"));
        }
        args.extend(to.as_ref().ok().cloned().flatten());
        let args: Vec<&str> = args.iter().map(String::as_str).collect();
        let ground = Ground {
            git_dir: repo.git_dir.clone(),
            work_tree: None,
        };
        let answer = self
            .children
            .ask(&ground, self.around.home.as_deref(), &args);
        match (answer.map(|a| a.trim().parse::<u64>()), to) {
            (Ok(Ok(0)), _) => Keeping::Kept,
            (Ok(Ok(_)), Err(why)) => Keeping::Unknown(why),
            (Ok(Ok(count)), Ok(_)) => Keeping::Lost(count),
            (Ok(Err(_)), _) => Keeping::Unknown("git does not answer".to_owned()),
            (Err(why), _) => Keeping::Unknown(why),
        }
    }
}

impl World {
    /// Whether refs keep the commits of a HEAD that is on no branch once it moves to `to`.
    pub(super) fn kept_detached(
        &self,
        alternative: &Alternative,
        repo: &Repo,
        to: &Word,
    ) -> Keeping {
        let to = match Becomes::At(to).revision(alternative, repo) {
            Ok(to) => to,
            Err(why) => return Keeping::Unknown(why),
        };
        let mut args = vec!["rev-list", "--count", "HEAD", "--not"];
        args.extend(["--branches", "--remotes", "--tags"]);
        args.extend(to.as_deref());
        let ground = Ground {
            git_dir: repo.git_dir.clone(),
            work_tree: None,
        };
        let home = self.around.home.as_deref();
        let answer = self.children.ask(&ground, home, &args);
        match answer.map(|a| a.trim().parse::<u64>()) {
            Ok(Ok(0)) => Keeping::Kept,
            Ok(Ok(count)) => Keeping::Lost(count),
            Ok(Err(_)) => Keeping::Unknown("git does not answer".to_owned()),
            Err(why) => Keeping::Unknown(why),
        }
    }
}

impl Becomes<'_> {
    /// Where the ref is afterwards, as git can look it up before the call runs.
    fn revision(self, alternative: &Alternative, repo: &Repo) -> Result<Option<String>, String> {
        let unknown = || Err("where it would move to is not known".to_owned());
        let moved = !alternative.heads.is_empty() || alternative.lost_heads.is_some();
        let text = match self {
            Becomes::Gone => return Ok(None),
            Becomes::Head => "HEAD",
            Becomes::At(word) => match word.known() {
                Some(text) if !text.starts_with('-') && !text.starts_with('^') => text,
                _ => return unknown(),
            },
        };
        // `update-ref` deletes where the new value is nothing.
        if text.bytes().all(|b| b == b'0') {
            return Ok(None);
        }
        if text == "HEAD" || text == "@" {
            return match spot::head(alternative, repo) {
                Ok(Head::Branch(branch)) => {
                    let full = format!("refs/heads/{branch}");
                    let made = repo.has(&full) != Ok(true);
                    if moved && made {
                        unknown()
                    } else {
                        Ok(Some(full))
                    }
                }
                Ok(Head::Detached) if !moved => Ok(Some(text.to_owned())),
                _ => unknown(),
            };
        }
        let of_head = text.contains("HEAD") || text.contains('@') || text == "-";
        let changed = alternative.refs.iter().any(|(_, name, _)| {
            let short = name.rsplit('/').next().unwrap_or(name);
            text.contains(short)
        });
        if (moved && of_head)
            || changed
            || text.contains("..")
            || text.contains(char::is_whitespace)
        {
            return unknown();
        }
        Ok(Some(text.to_owned()))
    }
}
