//! Which remote a push goes to, and where that is.

use super::Head;
use super::config::Value;
use super::settings::Settings;
use super::spot::Spot;
use crate::action::Push;
use crate::shell::Opaque;
use std::fs;

/// The remote of one push.
#[derive(Debug, Clone)]
pub(super) struct Remote {
    /// Its name, or a URL or path that stands for one.
    pub(super) name: String,
    /// False where the word is not known before the run.
    pub(super) known: bool,
}

/// How the choice ended.
pub(super) enum Choice {
    /// This one; the reasons say why it may be another.
    Remote(Remote, Vec<String>),
    Unclear(String),
    Refused(String),
}

/// Chooses as git does: the word, else config of the branch, else the only remote, else `origin`.
pub(super) fn choose(push: &Push, spot: &Spot<'_>, head: &Result<Head, String>) -> Choice {
    if let Some(word) = &push.remote {
        return match (word.known(), word.opaque) {
            (Some(name), _) => Choice::Remote(
                Remote {
                    name: name.to_owned(),
                    known: true,
                },
                Vec::new(),
            ),
            (None, Opaque::Many) => {
                Choice::Unclear("the words that name the remote are not known".to_owned())
            }
            (None, _) => Choice::Remote(
                Remote {
                    name: "…".to_owned(),
                    known: false,
                },
                Vec::new(),
            ),
        };
    }
    let settings = &spot.settings;
    let mut doubts = Vec::new();
    let branch = match head {
        Ok(Head::Branch(branch)) => Some(branch.as_str()),
        _ => None,
    };
    let mut look = |key: &str| match settings.text(key) {
        Ok(found) => found.map(str::to_owned),
        Err(why) => {
            doubts.push(why);
            None
        }
    };
    let of_branch = |key: &str| branch.map(|b| ["branch.", b, ".", key].concat());
    let given = of_branch("pushremote")
        .and_then(|key| look(&key))
        .or_else(|| look("remote.pushdefault"))
        .or_else(|| of_branch("remote").and_then(|key| look(&key)));
    if let Some(name) = given {
        return Choice::Remote(Remote { name, known: true }, doubts);
    }
    let name = fallback(settings);
    let has_url = ["url", "vcs", "pushurl"].iter().any(|part| {
        !matches!(
            settings.last(&["remote.", &name, ".", part].concat()),
            Ok(None)
        )
    });
    if !has_url && doubts.is_empty() && legacy(spot, &name).is_none() {
        return Choice::Refused("no push destination is configured".to_owned());
    }
    Choice::Remote(Remote { name, known: true }, doubts)
}

/// The remote of a branch for which none is configured.
fn fallback(settings: &Settings) -> String {
    match settings.middles("remote").as_slice() {
        [only] => (*only).to_owned(),
        _ => "origin".to_owned(),
    }
}

/// Whether pulls of `branch` come from this remote; an error where that cannot be told.
pub(super) fn is_upstream(
    settings: &Settings,
    branch: &str,
    remote: &Remote,
) -> Result<bool, String> {
    if !remote.known {
        return Err("the remote is not known".to_owned());
    }
    Ok(
        match settings.text(&["branch.", branch, ".remote"].concat())? {
            Some(name) => name == remote.name,
            None => fallback(settings) == remote.name,
        },
    )
}

/// The old kinds of remote, `.git/remotes/NAME` and `.git/branches/NAME`, and remote groups.
pub(super) fn legacy(spot: &Spot<'_>, name: &str) -> Option<String> {
    let settings = &spot.settings;
    if matches!(
        settings.last(&["remote.", name, ".url"].concat()),
        Ok(Some(_)) | Err(_)
    ) || name.contains(['/', ':', '\0'])
        || name.starts_with('.')
    {
        return None;
    }
    let repo = spot.repo.as_ref().ok()?;
    for kind in ["remotes", "branches"] {
        if !repo.made && fs::symlink_metadata(repo.common.join(kind).join(name)).is_ok() {
            return Some(format!(
                "`{name}` is a remote of the old kind, in `.git/{kind}`"
            ));
        }
    }
    match settings.last(&["remotes.", name].concat()) {
        Ok(Some(_)) => Some(format!("`{name}` is a group of remotes")),
        _ => None,
    }
}

/// The URLs that a push to `remote` goes to, as far as they are known.
pub(super) fn urls(settings: &Settings, remote: &Remote) -> Vec<String> {
    if !remote.known {
        return Vec::new();
    }
    let values = |part: &str| settings.all(&["remote.", &remote.name, ".", part].concat());
    let (Ok(push_urls), Ok(mut plain)) = (values("pushurl"), values("url")) else {
        return Vec::new();
    };
    if !push_urls.is_empty() {
        let rewritten = push_urls.iter().map(|url| rewrite(settings, url, false));
        return rewritten.collect();
    }
    if plain.is_empty() {
        plain.push(&remote.name);
    }
    plain
        .iter()
        .map(|url| rewrite(settings, url, true))
        .collect()
}

/// What `git remote get-url` says: the first URL, rewritten; `None` where it is not known.
pub(super) fn url(settings: &Settings, name: &str, pushing: bool) -> Option<String> {
    let remote = Remote {
        name: name.to_owned(),
        known: true,
    };
    if pushing {
        return urls(settings, &remote).into_iter().next();
    }
    let urls = settings.all(&["remote.", name, ".url"].concat()).ok()?;
    urls.first().map(|url| rewrite(settings, url, false))
}

/// `url.<base>.pushInsteadOf`, else `url.<base>.insteadOf`: the longest beginning wins.
fn rewrite(settings: &Settings, url: &str, pushing: bool) -> String {
    let mut longest: [Option<(usize, &str, &str)>; 2] = [None; 2];
    for entry in settings.entries.iter().filter(|e| e.key.begins("url.")) {
        let Value::Text(old) = &entry.value else {
            continue;
        };
        let (Some(key), Some(rest)) = (entry.key.strip_prefix("url."), url.strip_prefix(&**old))
        else {
            continue;
        };
        for (best, suffix) in longest.iter_mut().zip([".pushinsteadof", ".insteadof"]) {
            if let Some(base) = key.strip_suffix(suffix)
                && best.is_none_or(|(length, ..)| length <= old.len())
            {
                *best = Some((old.len(), base, rest));
            }
        }
    }
    let [pushed, plain] = longest;
    pushed
        .filter(|_| pushing)
        .or(plain)
        .map(|(_, base, rest)| [base, rest].concat())
        .unwrap_or_else(|| url.to_owned())
}
