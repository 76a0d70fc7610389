//! Denies forcing a worktree away with work in it, and one branch into two worktrees.

use super::rewrite;
use super::target::{git_at, quoted, spelled};
use super::{Found, Instead, Rule};
use crate::action::{Act, Action, How, Switch, Worktree};
use crate::policy::Policy;
use crate::shell::Word;
use crate::verdict::Decision;
use crate::world::{Fact, Tree, World};

pub(super) const RULE: Rule = Rule {
    id: "git/worktree-force",
    decision: Decision::Deny,
    stops: "`worktree remove --force` of one with changes, and having one branch out twice: `worktree add -f`, `--ignore-other-worktrees`",
    why: "the force silences the only check that protects another session's files, or lets two sessions move one branch",
    instead: "remove it without force, which git refuses while there is work in it; use a branch of your own",
    check,
};

fn check(action: &Action, world: &World, _: &Policy) -> Vec<Found> {
    let found = match &action.act {
        Act::Worktree(Worktree::Remove {
            path,
            force: Some(how),
        }) => removed(path, how, action, world),
        Act::Worktree(Worktree::Add {
            branch,
            start,
            force: Some(how),
            detach: false,
            ..
        }) => added(branch.as_ref(), start.as_ref(), how, action, world),
        Act::Switch(switch) => switched(switch, action, world),
        _ => None,
    };
    found.into_iter().collect()
}

fn removed(path: &Word, how: &How, action: &Action, world: &World) -> Option<Found> {
    let shown = spelled(path);
    let (fact, ask) = match world.tree(&action.place, path) {
        Tree::None | Tree::Clean => return None,
        Tree::Dirty(file) => (format!("`{file}` there is in no commit"), false),
        Tree::Locked(reason) if reason.is_empty() => ("somebody locked it".to_owned(), false),
        Tree::Locked(reason) => (format!("somebody locked it: {reason}"), false),
        Tree::Unknown(why) => (why, true),
    };
    let does = if ask { "may" } else { "would" };
    let effect = format!("this {does} delete the worktree `{shown}` with work in it");
    let git = git_at(&action.place, world);
    let instead = path
        .known()
        .filter(|p| !p.starts_with('-'))
        .map(|path| Instead::Run(format!("{git} worktree remove {}", quoted(path))));
    let found = Found::new(effect, how.span).because(fact).instead(instead);
    Some(if ask { found.ask() } else { found })
}

fn added(
    branch: Option<&Word>,
    start: Option<&Word>,
    how: &How,
    action: &Action,
    world: &World,
) -> Option<Found> {
    let name = branch.or(start)?;
    if how.text.starts_with("-B")
        && let Some(mut found) = rewrite::moves(action, world, name, start, how)
    {
        found.instead = None;
        return Some(found);
    }
    twice(name, how, action, world, true)
}

fn switched(switch: &Switch, action: &Action, world: &World) -> Option<Found> {
    let how = switch.ignore_other_worktrees.as_ref()?;
    if switch.detach || (switch.create.is_some() && switch.force_create.is_none()) {
        return None;
    }
    let name = switch.create.as_ref().or(switch.to.as_ref())?;
    twice(name, how, action, world, false)
}

/// The branch would be out in two checkouts.
fn twice(name: &Word, how: &How, action: &Action, world: &World, own: bool) -> Option<Found> {
    let shown = spelled(name);
    let known = name.known()?;
    let short = known.strip_prefix("refs/heads/").unwrap_or(known);
    let list = Instead::run(format!("{} worktree list", git_at(&action.place, world)));
    match world.checked_out(&action.place, short, own) {
        Fact::Known(None) => None,
        Fact::Known(Some(top)) => {
            let effect = format!("this would have `{shown}` out in two worktrees");
            let fact = format!("`{}` has it out", top.display());
            Some(Found::new(effect, how.span).because(fact).instead(list))
        }
        Fact::Unknown(why) => {
            let effect = format!("this may have `{shown}` out in two worktrees");
            let found = Found::new(effect, how.span).because(why).instead(list);
            Some(found.ask())
        }
    }
}
