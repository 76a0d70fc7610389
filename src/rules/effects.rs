//! What an act would do, as lines for people and JSON.

use super::target::spelled;
use crate::action::{Act, Action, Alter, Push, Reach, Refs, Worktree};
use crate::shell::Word;
use crate::world::{UpdateKind, World};

/// Every predicted effect of `action`, one a line; harmless ones too.
pub fn effects(action: &Action, world: &World) -> Vec<String> {
    if let Act::Push(push) = &action.act {
        return of_push(push, action, world);
    }
    let at = match &action.place.dir {
        Some(dir) => format!("in `{}`", dir.display()),
        None => "in an unknown directory".to_owned(),
    };
    match &action.act {
        // Told above.
        Act::Push(_) => Vec::new(),
        Act::Stage(stage) if stage.dry_run => vec![format!("stage: nothing, a dry run {at}")],
        Act::Stage(stage) => vec![format!("stage: {} {at}", list(&stage.paths, "by option"))],
        Act::Commit(commit) if commit.dry_run => vec![format!("commit: nothing, a dry run {at}")],
        Act::Commit(commit) if commit.all.is_some() => {
            vec![format!("commit: every changed file {at}")]
        }
        Act::Commit(commit) => vec![format!(
            "commit: {} {at}",
            list(&commit.paths, "what is staged")
        )],
        Act::Discard(discard) => {
            let reach = match &discard.reach {
                Reach::Tree => "the whole tree".to_owned(),
                Reach::Paths(paths) => list(paths, "nothing"),
                Reach::Listed(_) | Reach::Chosen(_) => "what is chosen when it runs".to_owned(),
            };
            vec![format!("discard: {reach} {at} (`{}`)", discard.how.text)]
        }
        Act::Switch(switch) => {
            let to = switch.create.as_ref().or(switch.to.as_ref());
            let name = to.map_or_else(|| "HEAD".to_owned(), spelled);
            vec![format!("switch: to `{name}` {at}")]
        }
        Act::Refs(refs) => vec![format!("refs: {} {at}", of_refs(refs))],
        Act::Config(write) => {
            let key = write.key.as_deref().unwrap_or("unknown keys");
            vec![format!("config: write `{key}` ({}) {at}", write.scope)]
        }
        Act::Integrate(act) => vec![format!("{}: moves the current branch {at}", act.verb)],
        Act::Reset { .. } => vec![format!("reset: moves the current branch or the index {at}")],
        Act::Stash { verb, .. } => vec![format!("stash: {verb} {at}")],
        Act::Worktree(Worktree::Prune { .. }) => Vec::new(),
        Act::Worktree(_) => vec![format!("worktree: changed {at}")],
        Act::NewRepository { .. } => vec![format!("new repository {at}")],
        Act::Remote { verb, .. } => vec![format!("remote: {verb} {at}")],
        Act::SkipHooks(how) => vec![format!("hooks skipped by `{}`", how.text)],
        Act::SkipSigning(how) => vec![format!("signing skipped by `{}`", how.text)],
        Act::Opaque(unread) => vec![format!(
            "unread: the {} of `{}`",
            unread.part, unread.program
        )],
        Act::InteractiveShell => vec!["a shell that reads typed lines".to_owned()],
        Act::UnknownVerb { words } => vec![format!("`git {}`: not a verb of git", list(words, ""))],
        Act::Publish(act) => vec![format!("publish: {} (`{}`)", act.does, act.how.text)],
        Act::ForgeMerge(act) | Act::ForgeRefs(act) => {
            vec![format!("forge: {} (`{}`)", act.does, act.how.text)]
        }
        Act::Write { path } => vec![format!("write: `{}`", spelled(path))],
        Act::Alter { path, by } => {
            let what = match by {
                Alter::Remove { .. } => "remove",
                Alter::Move => "move",
                Alter::Mode => "change the rights of",
            };
            vec![format!("files: {what} `{}`", spelled(path))]
        }
        Act::Leaseguard { verb, .. } => vec![format!("leaseguard: `{}`", spelled(verb))],
        Act::Disarm(own) => vec![format!("leaseguard: `{}` {}", own.how.text, own.does)],
        Act::AgentHost(start) => {
            vec![format!(
                "{}: `{}`, {}",
                start.host, start.how.text, start.why
            )]
        }
        Act::Other { .. } | Act::Touch { .. } | Act::Ruin(_) | Act::Run { .. } => Vec::new(),
    }
}

fn of_push(push: &Push, action: &Action, world: &World) -> Vec<String> {
    let outlook = world.push(push, &action.place);
    let updates = outlook.updates.iter().map(|u| {
        let verb = match u.kind {
            UpdateKind::Create => "create",
            UpdateKind::Move => "move",
            UpdateKind::Force => "force",
            UpdateKind::Delete => "delete",
        };
        let perhaps = if u.depends {
            " (depends on the remote)"
        } else {
            ""
        };
        [
            "push: ", verb, " `", &u.refname, "` on `", &u.remote, "`", perhaps, ": ", &u.because,
        ]
        .concat()
    });
    let refused = outlook
        .refused
        .iter()
        .map(|why| format!("push: refused by git: {why}"));
    let unclear = outlook
        .unclear
        .iter()
        .map(|why| format!("push: unclear: {why}"));
    updates.chain(refused).chain(unclear).collect()
}

fn list(words: &[Word], none: &str) -> String {
    let shown: Vec<String> = words
        .iter()
        .take(5)
        .map(|w| format!("`{}`", spelled(w)))
        .collect();
    let more = words.len().saturating_sub(shown.len());
    match (shown.is_empty(), more) {
        (true, _) => none.to_owned(),
        (false, 0) => shown.join(" "),
        (false, n) => format!("{} and {n} more", shown.join(" ")),
    }
}

fn of_refs(refs: &Refs) -> String {
    match refs {
        Refs::Create { name, .. } => format!("create `{}`", spelled(name)),
        Refs::Force { name, how, .. } => format!("`{}` may move `{}`", how.text, spelled(name)),
        Refs::Delete { names, how, .. } => {
            format!("`{}` deletes {}", how.text, list(names, "nothing"))
        }
        Refs::Rename { to, .. } => format!("rename a branch to `{}`", spelled(to)),
        Refs::Upstream { .. } => "change an upstream".to_owned(),
        Refs::Unnamed(how) => format!("`{}` updates refs that it does not name", how.text),
    }
}
