//! What the push rules say alike: ref names for people, and the safe push of this repository.

use super::Instead;
use crate::action::{Action, Place, Push, is_mark};
use crate::policy::Policy;
use crate::shell::Word;
use crate::world::{Fact, Head, Update, World};
use std::borrow::Cow;
use std::collections::BTreeSet;

/// `refs/heads/x` as `x`, other refs in full.
pub(super) fn short(refname: &str) -> &str {
    refname.strip_prefix("refs/heads/").unwrap_or(refname)
}

/// The word with `…` for what is unknown.
pub(super) fn spelled(word: &Word) -> String {
    word.text
        .chars()
        .map(|c| if is_mark(c) { '…' } else { c })
        .collect()
}

/// The refs of some updates as one phrase: `` `a` and `b` on `origin` ``.
pub(super) fn phrase(updates: &[&Update]) -> String {
    if let [one] = updates {
        return ["`", short(&one.refname), "` on `", &one.remote, "`"].concat();
    }
    let names: BTreeSet<&str> = updates.iter().map(|u| short(&u.refname)).collect();
    let remotes: BTreeSet<&str> = updates.iter().map(|u| u.remote.as_str()).collect();
    let list = |set: &BTreeSet<&str>| {
        let shown: Vec<String> = set.iter().take(3).map(|n| ["`", n, "`"].concat()).collect();
        match (shown.as_slice(), set.len()) {
            ([one], 1) => one.clone(),
            ([a, b], 2) => [a.as_str(), " and ", b].concat(),
            (some, n) if n > 3 => format!("{} and {} more", some.join(", "), n - 3),
            (some, _) => some.join(", "),
        }
    };
    if names.is_empty() {
        String::new()
    } else {
        [list(&names).as_str(), " on ", &list(&remotes)].concat()
    }
}

/// The facts that made refs targets, each once.
pub(super) fn reasons(updates: &[&Update]) -> Vec<String> {
    let mut seen = Vec::new();
    for update in updates {
        if !update.because.is_empty() && !seen.contains(&update.because) {
            seen.push(update.because.clone());
        }
    }
    seen.truncate(3);
    seen
}

/// A push of the current branch to its own name, or of a new branch where the current one is a
/// base branch; `None` where HEAD is not known.
pub(super) fn own_push(
    action: &Action,
    push: &Push,
    world: &World,
    policy: &Policy,
) -> Option<Instead> {
    let Fact::Known(heads) = world.heads(&action.place) else {
        return None;
    };
    let [Head::Branch(branch)] = heads.as_slice() else {
        return None;
    };
    let git = git_at(&action.place, world);
    let remote = push
        .remote
        .as_ref()
        .and_then(Word::known)
        .filter(|r| !r.is_empty() && !r.starts_with('-') && *r != ".")
        .unwrap_or("origin");
    // A mirror refuses every refspec, so it has to be none for this one push.
    let mirror = world.config(&action.place, &["remote.", remote, ".mirror"].concat());
    let git = match mirror {
        Fact::Known(None) => git,
        _ => {
            let off = format!("remote.{remote}.mirror=false");
            Cow::Owned(format!("{git} -c {}", quoted(&off)))
        }
    };
    let remote = quoted(remote);
    if policy.is_base(branch) {
        let new = free_name(world, &action.place);
        let at = git_at(&action.place, world);
        return Instead::run(format!(
            "{at} switch -c {new} && {git} push -u {remote} HEAD:refs/heads/{new}"
        ));
    }
    let spec = quoted(&["HEAD:refs/heads/", branch].concat());
    Instead::run([&*git, " push ", &remote, " ", &spec].concat())
}

pub(super) fn free_name(world: &World, place: &Place) -> String {
    let taken = |name: &str| world.has_branch(place, name) == Fact::Known(true);
    std::iter::once("proposal".to_owned())
        .chain((2..9).map(|n| format!("proposal-{n}")))
        .find(|name| !taken(name))
        .unwrap_or_else(|| "proposal-new".to_owned())
}

/// `git`, or `git -C DIR` where the act is not in the call's own directory.
pub(super) fn git_at(place: &Place, world: &World) -> Cow<'static, str> {
    match (&place.dir, &world.around.cwd) {
        (Some(dir), Some(cwd)) if dir.as_os_str() != cwd.as_os_str() && dir != cwd => {
            Cow::Owned(format!("git -C {}", quoted(&dir.to_string_lossy())))
        }
        _ => Cow::Borrowed("git"),
    }
}

/// As one shell word.
pub(super) fn quoted(word: &str) -> String {
    let plain = |c: char| {
        c.is_ascii_alphanumeric()
            || matches!(c, '_' | '-' | '.' | '/' | ':' | '@' | '%' | '+' | ',' | '=')
            || (!c.is_ascii() && c.is_alphanumeric())
    };
    if !word.is_empty() && word.chars().all(plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', r"'\''"))
}
