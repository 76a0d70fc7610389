//! `worktree add`: under the repository's lock, because git's own `worktree add` races with itself.

use super::marker::Marker;
use super::{Exit, git, lease, main_of, quoted, terminal};
use crate::cli::home;
use crate::lease::asker::Asker;
use crate::lease::book::Name;
use crate::lease::error::{Code, Refusal};
use crate::lease::ground;
use crate::lease::record::Slot;
use crate::lease::store::Store;
use crate::policy::Policy;
use lease::Who;
use serde::Serialize;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// How long it waits for its turn: ten others may check out a large tree before.
const WAIT: Duration = Duration::from_secs(120);

/// What of the main checkout is linked into new worktrees; empty = nothing (R152).
const LINKS: &str = "LEASEGUARD_WORKTREE_LINKS";

/// The arguments.
#[derive(clap::Args)]
pub(super) struct Add {
    /// The ticket
    ticket: String,
    /// The branch to make; called as the ticket by default
    #[arg(long, value_name = "NAME")]
    branch: Option<String>,
    /// The commit to start from; HEAD of this checkout by default
    #[arg(long, value_name = "REV")]
    from: Option<String>,
    /// Where; in `worktree.root` of the policy, `../REPOSITORY-worktrees/TICKET` by default
    #[arg(long, value_name = "DIR")]
    path: Option<PathBuf>,
    /// A file or folder of the main checkout to link; may be given again
    #[arg(long = "link", value_name = "PATH")]
    links: Vec<String>,
    /// Claim nothing
    #[arg(long)]
    no_claim: bool,
    #[command(flatten)]
    who: Who,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Told<'a> {
    v: u32,
    state: &'a str,
    path: &'a Path,
    branch: &'a str,
    ticket: &'a str,
    base_sha: &'a str,
    provisioned: &'a [String],
    claim: Option<&'a str>,
}

/// Runs the verb.
pub(super) fn run(args: &Add) -> Exit {
    lease::at_desk(args.json, |desk| {
        let found = match desk.find(None) {
            Ok(found) => found,
            // R151
            Err(why) if why.code == Code::WorktreeGone => {
                let what = "skipped-not-git: there is no checkout of a git repository here";
                return Err(Refusal::new(Code::WorktreeGone, what));
            }
            Err(why) => return Err(why),
        };
        if !found.spot.is_main() {
            return Ok(inside(args, &found.spot.top, &found.spot.git_dir));
        }
        // Beside a submodule's repository is within another one's.
        if crate::world::in_another(&found.spot.common) {
            let what = "this is a submodule, whose work belongs to the repository that it is part of: make a worktree of that one";
            return Err(Refusal::new(Code::BadRequest, what));
        }
        let asker = desk.asker(&args.who)?;
        let main = main_of(&found.spot.common);
        let policy = home::Here::of(Some(&found.spot.top)).policy();
        let path = place(args, &main, &policy)?;
        let branch = args.branch.as_deref().unwrap_or(&args.ticket);
        let terms = lease::terms(&policy);
        terms.check_names(Some(branch), Some(&args.ticket))?;
        // R52
        ground::check(&path, &terms.allowed)?;
        let marker = desk.store.locked(&found.spot.repo, WAIT, || {
            free(desk, &found.spot.repo, args, branch, &path, &main)?;
            make(args, branch, &path, &main, &found.spot.top)
        })??;
        let claim = claimed(desk, args, &asker, &path, &marker)?;
        told(args, "created", &path, &marker, claim.as_deref());
        Ok(Exit::Ok)
    })
}

/// Nothing is made from within a worktree: that is one already (R149).
fn inside(args: &Add, top: &Path, git_dir: &Path) -> Exit {
    let marker = Marker::read(git_dir).unwrap_or_default();
    told(args, "skipped-inside-worktree", top, &marker, None);
    Exit::Ok
}

fn told(args: &Add, state: &str, path: &Path, marker: &Marker, claim: Option<&str>) {
    if args.json {
        terminal::out(&terminal::json_line(&Told {
            v: 1,
            state,
            path,
            branch: &marker.branch,
            ticket: &marker.ticket,
            base_sha: &marker.base_sha,
            provisioned: &marker.provisioned,
            claim,
        }));
        return;
    }
    let text = match claim {
        _ if state != "created" => format!(
            "{state}: `{}` is one already: work here, or go to the main checkout for another",
            path.display()
        ),
        Some(claim) => format!(
            "created `{}` on branch `{}`, claim `{claim}`",
            path.display(),
            marker.branch
        ),
        None => format!(
            "created `{}` on branch `{}`, claimed by nobody yet",
            path.display(),
            marker.branch
        ),
    };
    terminal::out(&(lease::safe(&text) + "\n"));
}

/// Where the worktree goes (D5).
fn place(args: &Add, main: &Path, policy: &Policy) -> Result<PathBuf, Refusal> {
    let bad = |what: &str| Refusal::new(Code::BadRequest, what.to_owned());
    let name = args.ticket.replace(['/', '\\'], "-");
    if name.is_empty() || name.starts_with(['-', '.']) || name.chars().any(char::is_control) {
        return Err(bad("a ticket is a word such as `T-3`"));
    }
    if let Some(path) = &args.path {
        let here = std::env::current_dir().map_err(|e| bad(&format!("no directory here: {e}")))?;
        return Ok(here.join(path));
    }
    let user = std::env::var_os("HOME").map(PathBuf::from);
    let folder = policy.lease_naming().worktrees(main, user.as_deref());
    let folder = folder.ok_or_else(|| bad("say where with `--path`"))?;
    Ok(folder.join(name))
}

/// Refuses to take what is there already, with the command that mends it (R148).
fn free(
    desk: &lease::Desk,
    repo: &str,
    args: &Add,
    branch: &str,
    path: &Path,
    main: &Path,
) -> Result<(), Refusal> {
    for name in [
        Name::Ticket(args.ticket.clone()),
        Name::Branch(branch.to_owned()),
    ] {
        if let Slot::Held(held) = desk.store.named(repo, &name) {
            let code = match name {
                Name::Ticket(_) => Code::TicketTaken,
                _ => Code::BranchTaken,
            };
            let text = format!(
                "{} `{}` is claimed with `{}`: `leaseguard lease show --worktree {}` says by whom",
                name.kind(),
                name.text(),
                held.claim.checkout.path.display(),
                quoted(&held.claim.checkout.path)
            );
            return Err(Refusal::new(code, text));
        }
    }
    if path.symlink_metadata().is_ok() {
        let all = git(main, &["worktree", "list", "--porcelain"])?;
        let own = std::fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
        let known = format!("worktree {}", own.display());
        let mend = if all.lines().any(|line| line == known) {
            format!("git worktree remove {}", quoted(path))
        } else {
            format!(
                "mv {} {}",
                quoted(path),
                quoted(&path.with_extension("old"))
            )
        };
        return Err(Refusal::new(
            Code::PathTaken,
            format!(
                "`{}` is there already: `{mend}` makes room, or name another place with `--path`",
                path.display()
            ),
        ));
    }
    let full = format!("refs/heads/{branch}");
    if git(main, &["show-ref", "--verify", "--quiet", &full]).is_ok() {
        return Err(Refusal::new(
            Code::BranchTaken,
            format!(
                "branch `{branch}` is there already: `git worktree add {} {branch}` checks it out, `--branch` names another one",
                quoted(path)
            ),
        ));
    }
    Ok(())
}

fn make(args: &Add, branch: &str, path: &Path, main: &Path, top: &Path) -> Result<Marker, Refusal> {
    let start = args.from.as_deref().unwrap_or("HEAD");
    let commit = format!("{start}^{{commit}}");
    let base = git(
        top,
        &[
            "rev-parse",
            "--verify",
            "--quiet",
            "--end-of-options",
            &commit,
        ],
    )
    .map_err(|_| {
        let what =
            format!("`{start}` is no commit here: make a first one, or name one with `--from`");
        Refusal::new(Code::BadRequest, what)
    })?;
    let to = path.to_string_lossy();
    git(
        top,
        &[
            "worktree",
            "add",
            "--no-track",
            "-b",
            branch,
            "--",
            &to,
            &base,
        ],
    )?;
    let git_dir = git(path, &["rev-parse", "--path-format=absolute", "--git-dir"])?;
    let marker = Marker {
        ticket: args.ticket.clone(),
        branch: branch.to_owned(),
        base_sha: base,
        provisioned: linked(args, main, path)?,
    };
    marker
        .write(Path::new(&git_dir))
        .map_err(|e| Refusal::new(Code::Store, format!("`{git_dir}` cannot be written: {e}")))?;
    Ok(marker)
}

/// Links what work needs and git does not carry; what is tracked is there already (R152).
fn linked(args: &Add, main: &Path, path: &Path) -> Result<Vec<String>, Refusal> {
    let wanted: Vec<String> = match std::env::var(LINKS) {
        Ok(list) => list
            .split(':')
            .filter(|l| !l.is_empty())
            .map(str::to_owned)
            .collect(),
        Err(_) => args.links.clone(),
    };
    let mut done = Vec::new();
    for link in wanted {
        let below = Path::new(&link);
        let inside = below
            .components()
            .all(|c| matches!(c, std::path::Component::Normal(_)));
        if !inside {
            return Err(Refusal::new(
                Code::BadRequest,
                format!("`{link}` does not lie in the main checkout"),
            ));
        }
        let (from, to) = (main.join(below), path.join(below));
        let tracked = git(main, &["ls-files", "--", &link]).is_ok_and(|out| !out.is_empty());
        if tracked || from.symlink_metadata().is_err() || to.symlink_metadata().is_ok() {
            continue;
        }
        if let Some(above) = to.parent() {
            let _ = std::fs::create_dir_all(above);
        }
        symlink(&from, &to).map_err(|e| {
            Refusal::new(
                Code::Store,
                format!("`{}` cannot be linked: {e}", to.display()),
            )
        })?;
        done.push(link);
    }
    Ok(done)
}

#[cfg(unix)]
fn symlink(from: &Path, to: &Path) -> std::io::Result<()> {
    std::os::unix::fs::symlink(from, to)
}

#[cfg(windows)]
fn symlink(from: &Path, to: &Path) -> std::io::Result<()> {
    if from.is_dir() {
        std::os::windows::fs::symlink_dir(from, to)
    } else {
        std::os::windows::fs::symlink_file(from, to)
    }
}

/// Claims the new worktree for whoever asks, where it is somebody who can hold it.
fn claimed(
    desk: &lease::Desk,
    args: &Add,
    asker: &Asker,
    path: &Path,
    marker: &Marker,
) -> Result<Option<String>, Refusal> {
    if args.no_claim || !asker.known() {
        return Ok(None);
    }
    let found = desk.find(Some(path))?;
    found.spot.fit(&desk.terms(&found).allowed)?;
    let mut wanted = lease::plain(&found, asker);
    wanted.branch = Some(marker.branch.clone());
    wanted.ticket = Some(marker.ticket.clone());
    wanted.base_sha = Some(marker.base_sha.clone());
    wanted.checkout.provisioned.clone_from(&marker.provisioned);
    let act = crate::lease::law::Act::Claim(Box::new(wanted));
    match desk.run(&found, asker, act) {
        Ok(outcome) => Ok(outcome.claim.map(|claim| claim.claim_id)),
        // Who has a checkout already makes this one for somebody else.
        Err(why) if why.code == Code::SessionHasClaim => Ok(None),
        Err(why) => Err(why),
    }
}
