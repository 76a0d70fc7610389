//! What a discard would lose: work in the checkout that no commit has, commits that no other ref has.

use super::kept::{Becomes, Keeping};
use super::repo::{Repo, lexical, real};
use super::scene::{Alternative, Moved};
use super::spot::{self, Site};
use super::status::Sight;
use super::{Head, World};
use crate::action::{Discard, Loses, Place, Pointed, Reach, Undoes};
use crate::shell::{Opaque, Word};
use std::fs;
use std::path::{Path, PathBuf};

/// How many paths are told by name.
const TOLD: usize = 3;

/// How many untracked files are looked up in the commit that would overwrite them.
const LOOKED_UP: usize = 200;

/// What a discard would lose.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Loss {
    /// Nothing that was there before the call.
    Nothing,
    /// Cannot tell, and why.
    Unknown(String),
    /// This.
    Work(Work),
}

/// Work that would be gone.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Work {
    /// The first few paths, from the top of the checkout.
    pub paths: Vec<String>,
    /// How many there are.
    pub count: usize,
    /// There are more than were counted.
    pub more: bool,
    /// All of them were written by this session, and nobody else.
    pub own: bool,
    /// Commits that no other branch or tag has.
    pub commits: u64,
}

impl Loss {
    fn weight(&self) -> u8 {
        match self {
            Loss::Nothing => 0,
            Loss::Unknown(_) => 1,
            Loss::Work(_) => 2,
        }
    }

    fn or(self, other: Loss) -> Loss {
        match (self, other) {
            (Loss::Work(mut work), Loss::Work(more)) => {
                work.commits = work.commits.max(more.commits);
                if work.count == 0 {
                    work.paths = more.paths;
                }
                work.count = work.count.max(more.count);
                work.more |= more.more;
                work.own &= more.own;
                Loss::Work(work)
            }
            (one, other) if other.weight() > one.weight() => other,
            (one, _) => one,
        }
    }
}

impl World {
    /// What `discard` would lose at `place`; `paths` are the pathspecs that count, none = all.
    pub fn loss(&self, place: &Place, discard: &Discard, paths: &[Word]) -> Loss {
        let mut worst = Loss::Nothing;
        for alternative in &self.scene.live {
            let now = match self.site(alternative, place) {
                Site::Here(repo) if repo.made => Loss::Nothing,
                Site::Here(repo) => self.loss_in(alternative, &repo, place, discard, paths),
                Site::Absent => Loss::Nothing,
                Site::Unknown(why) => Loss::Unknown(why),
            };
            worst = worst.or(now);
        }
        worst
    }

    fn loss_in(
        &self,
        alternative: &Alternative,
        repo: &Repo,
        place: &Place,
        discard: &Discard,
        paths: &[Word],
    ) -> Loss {
        let files = match self.files_lost(alternative, repo, place, discard, paths) {
            Ok(Some(work)) => Loss::Work(work),
            Ok(None) => Loss::Nothing,
            Err(why) => Loss::Unknown(why),
        };
        let moves = discard.how.text.starts_with("reset");
        match &discard.to {
            Some(to) if moves || spot::head(alternative, repo) == Ok(Head::Detached) => {
                files.or(self.commits_lost(alternative, repo, to))
            }
            _ => files,
        }
    }

    /// Commits that are on no other ref once the branch stands at `to`.
    fn commits_lost(&self, alternative: &Alternative, repo: &Repo, to: &Word) -> Loss {
        if matches!(to.known(), Some("HEAD" | "@")) {
            return Loss::Nothing;
        }
        if let Some(how) = moved(alternative, repo).next() {
            return Loss::Unknown(how.why());
        }
        let kept = match spot::head(alternative, repo) {
            Ok(Head::Branch(branch)) => {
                let full = format!("refs/heads/{branch}");
                self.kept(alternative, repo, &full, Becomes::At(to))
            }
            Ok(Head::Detached) => self.kept_detached(alternative, repo, to),
            Err(why) => Keeping::Unknown(why),
        };
        match kept {
            Keeping::Kept => Loss::Nothing,
            Keeping::Unknown(why) => Loss::Unknown(why),
            Keeping::Lost(commits) => Loss::Work(Work {
                commits,
                ..Work::default()
            }),
        }
    }

    fn files_lost(
        &self,
        alternative: &Alternative,
        repo: &Repo,
        place: &Place,
        discard: &Discard,
        paths: &[Word],
    ) -> Result<Option<Work>, String> {
        let top = match (&place.work_tree, &place.dir) {
            (Pointed::Found, _) => repo.top.clone(),
            (Pointed::At(top), Some(dir)) => Some(real(&dir.join(top))),
            _ => return Err("the work tree that is given is not known".to_owned()),
        };
        // A bare repository has nothing to lose here.
        let Some(top) = top.map(|top| real(&top)) else {
            return Ok(None);
        };
        if let Some((name, _)) = place.env.iter().find(|(name, _)| name == "GIT_INDEX_FILE") {
            return Err(format!("`{name}` puts another index in place"));
        }
        let Asked {
            specs,
            unknown,
            mut wrote,
        } = self.asked(alternative, place, &top, paths);
        let specs = match (&discard.reach, discard.here) {
            (Reach::Tree, true) => vec![".".to_owned()],
            _ => specs,
        };
        let merging = fs::symlink_metadata(repo.git_dir.join("MERGE_HEAD")).is_ok();
        let verb = discard.how.text.as_str();
        // git refuses to leave a merge that is under way.
        if merging && verb.starts_with("switch") {
            return Ok(None);
        }
        if !paths.is_empty() && specs.is_empty() && !unknown {
            return Ok(None);
        }
        let cleans = matches!(discard.loses, Loses::Untracked | Loses::Ignored);
        let from = discard.from.as_ref().or(discard.to.as_ref());
        let at_head = from.is_some_and(|rev| matches!(rev.known(), Some("HEAD" | "@")));
        let from = from.filter(|rev| !matches!(rev.known(), Some("HEAD" | "@")));
        // `--discard-changes`, unlike `-f`, leaves files that git does not track.
        let keeps_new = verb.starts_with("switch --d");
        let overwrites = discard.loses == Loses::Files || (from.is_some() && !keeps_new);
        let sight = Sight {
            git_dir: &repo.git_dir,
            top: &top,
            dir: place.dir.as_deref().unwrap_or(&top),
            untracked: match (cleans, overwrites) {
                (true, _) => "normal",
                (false, true) => "all",
                (false, false) => "no",
            },
            submodules: verb.starts_with("submodule"),
            literal: place.literal_pathspecs,
            paths: if unknown { &[] } else { &specs },
        };
        let seen = self.status(&sight)?;
        let conflicts = seen.entries.iter().any(|e| unmerged(e.staged, e.edited));
        let mut work = Work {
            more: seen.cut,
            own: true,
            ..Work::default()
        };
        let mut loose = Vec::new();
        // What is staged stays only where the index does.
        let index = discard.undoes == Undoes::Edited;
        let keeps = |path: &String| alternative.keeps(&top.join(path), index);
        let unstaged = alternative.unstaged.contains(&repo.git_dir);
        wrote.retain(|path| !keeps(path));
        for entry in &seen.entries {
            let (x, y) = (entry.staged, entry.edited);
            let there = || fs::symlink_metadata(top.join(&entry.path)).is_ok();
            let lost = match (x, y) {
                ('?', _) if cleans => discard.deep || !entry.path.ends_with('/'),
                ('?', _) if discard.loses == Loses::Files => true,
                ('?', _) => {
                    loose.push(entry.path.as_str());
                    false
                }
                _ if cleans => false,
                // Of what a submodule holds, its directory alone is told.
                _ if sight.submodules => top.join(&entry.path).is_dir(),
                _ if discard.undoes == Undoes::Staged && merging => false,
                // git puts no file in the place of a conflict unless a side or a commit is named.
                _ if unmerged(x, y) => !discard.settles && discard.undoes == Undoes::Both,
                // What HEAD has not, a checkout of its paths leaves alone.
                ('A', _) if at_head && verb.starts_with("checkout --") => false,
                _ => match discard.undoes {
                    Undoes::Edited => {
                        !matches!(y, ' ' | 'D') || unstaged && !matches!(x, ' ' | 'D' | 'A')
                    }
                    // What is edited besides makes git refuse, and what is new stays on disk.
                    Undoes::Staged => !matches!(x, ' ' | 'D' | 'A') && y == ' ',
                    Undoes::Both => {
                        !matches!((x, y), (' ' | 'D', ' ' | 'D'))
                            || (x == 'D' && !keeps_new && there())
                    }
                },
            };
            if lost && !keeps(&entry.path) {
                work.own &= self.around.company.wrote(&top.join(&entry.path), &top);
                work.add(&entry.path);
            }
        }
        if let Some(rev) = from.filter(|_| !loose.is_empty() && work.count == 0) {
            for path in self.overwritten(&sight, rev, &loose)? {
                work.own &= self.around.company.wrote(&top.join(&path), &top);
                work.add(&path);
            }
        }
        if work.count == 0 {
            return match self.own_writes(&sight, &wrote) {
                Some(path) if !cleans => {
                    work.own = false;
                    work.add(&path);
                    Ok(Some(work))
                }
                _ => match moved(alternative, repo).find(|how| *how == Moved::TakesApart) {
                    Some(how) if !cleans => Err(how.why()),
                    _ => Ok(None),
                },
            };
        }
        if unknown {
            return Err("which files it takes is not known before the run".to_owned());
        }
        let put_away = |all: bool| {
            let steps = alternative.put_away.iter();
            steps
                .filter(|(git_dir, _)| *git_dir == repo.git_dir)
                .any(|(_, untracked)| *untracked || !all)
        };
        if !conflicts && put_away(cleans || overwrites) {
            return Ok(None);
        }
        match moved(alternative, repo).find(|how| *how == Moved::Commits) {
            Some(how) => Err(how.why()),
            None => Ok(Some(work)),
        }
    }

    /// Untracked files that `rev` has too: putting its files in place overwrites them.
    fn overwritten(
        &self,
        sight: &Sight<'_>,
        rev: &Word,
        loose: &[&str],
    ) -> Result<Vec<String>, String> {
        let known = rev.known().filter(|text| !text.starts_with('-'));
        let Some(rev) = known else {
            return Err("which commit's files it puts in place is not known".to_owned());
        };
        if loose.len() > LOOKED_UP {
            return Err("too many untracked files to look up in another commit".to_owned());
        }
        let mut args = vec!["--literal-pathspecs", "ls-tree", "-r", "-z", "--name-only"];
        args.extend(["--full-tree", rev, "--"]);
        args.extend(loose);
        // What is no commit puts nothing in place.
        let answer = self.look(sight, &args).unwrap_or_default();
        let names = answer.split('\0').filter(|name| !name.is_empty());
        Ok(names.map(str::to_owned).collect())
    }

    /// A tracked file that the call itself has written before.
    fn own_writes(&self, sight: &Sight<'_>, wrote: &[String]) -> Option<String> {
        if wrote.is_empty() {
            return None;
        }
        let mut args = vec!["ls-files", "-z", "--full-name", "--"];
        args.extend(wrote.iter().map(String::as_str));
        let at_top = Sight {
            dir: sight.top,
            literal: true,
            ..*sight
        };
        // What git does not know is not put back by it either.
        let answer = self.look(&at_top, &args).unwrap_or_default();
        answer
            .split('\0')
            .next()
            .filter(|name| !name.is_empty())
            .map(str::to_owned)
    }

    /// The pathspecs as git can be asked about them.
    fn asked(&self, alternative: &Alternative, place: &Place, top: &Path, paths: &[Word]) -> Asked {
        let mut asked = Asked::default();
        let wrote: Vec<PathBuf> = alternative.wrote.iter().map(|p| lexical(p)).collect();
        for word in paths {
            if word.opaque != Opaque::No || word.text.is_empty() {
                asked.unknown = true;
                continue;
            }
            let magic = word.text.starts_with(':') && !place.literal_pathspecs;
            let full = absolute(place, &word.text);
            if !magic {
                // What lies elsewhere is none of this checkout's work, and git refuses to look.
                if full.as_ref().is_some_and(|full| !full.starts_with(top)) {
                    continue;
                }
                let named =
                    |path: &PathBuf| full.as_ref().is_some_and(|full| path.starts_with(full));
                let own = wrote.iter().filter(|path| named(path));
                asked.wrote.extend(own.filter_map(|path| below(top, path)));
            }
            asked
                .specs
                .push(if word.glob && !magic && !place.literal_pathspecs {
                    format!(":(glob){}", word.text)
                } else {
                    word.text.clone()
                });
        }
        if paths.is_empty() {
            let own = wrote.iter();
            asked.wrote.extend(own.filter_map(|path| below(top, path)));
        }
        asked
    }
}

/// What git is asked about.
#[derive(Default)]
struct Asked {
    specs: Vec<String>,
    /// A word is not known before the run.
    unknown: bool,
    /// Files among them that the call itself has written, from the top.
    wrote: Vec<String>,
}

impl Work {
    pub(super) fn add(&mut self, path: &str) {
        self.count = self.count.saturating_add(1);
        if self.paths.len() < TOLD {
            self.paths.push(path.to_owned());
        }
    }
}

/// What the script did to the work of this checkout.
pub(super) fn moved<'a>(
    alternative: &'a Alternative,
    repo: &'a Repo,
) -> impl Iterator<Item = Moved> + 'a {
    let here = alternative.moved.iter();
    here.filter(|(git_dir, _)| *git_dir == repo.git_dir)
        .map(|(_, how)| *how)
}

pub(super) fn unmerged(x: char, y: char) -> bool {
    x == 'U' || y == 'U' || (x == y && matches!(x, 'A' | 'D'))
}

/// A path as git names it: links on the way resolved, the last one not.
fn absolute(place: &Place, text: &str) -> Option<PathBuf> {
    let path = Path::new(text);
    match &place.dir {
        Some(dir) => Some(lexical(&dir.join(path))),
        None => path.is_absolute().then(|| lexical(path)),
    }
}

fn below(top: &Path, path: &Path) -> Option<String> {
    let path = path.strip_prefix(top).ok()?;
    path.to_str().map(str::to_owned)
}

/// The pathspecs of a discard; none where it takes the whole tree or what is chosen when it runs.
pub fn reached(discard: &Discard) -> &[Word] {
    match &discard.reach {
        Reach::Paths(paths) => paths,
        Reach::Tree | Reach::Listed(_) | Reach::Chosen(_) => &[],
    }
}
