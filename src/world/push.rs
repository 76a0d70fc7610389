//! What a push would update: git's own steps from words and config to full ref names.

use super::refspec::{self, Spec};
use super::remote::{self, Choice, Remote};
use super::scene::Spot;
use super::target::{Source, Targets};
use super::{Head, Update, UpdateKind};
use crate::action::{Push, Pusher};
use crate::shell::{Opaque, Word};

/// What was found out about one push in one alternative.
#[derive(Debug, Default)]
pub(super) struct Plan {
    pub(super) targets: Vec<Target>,
    pub(super) unclear: Vec<String>,
    pub(super) refused: Option<String>,
    pub(super) urls: Vec<String>,
}

/// One update with the local ref that it comes from.
#[derive(Debug, Clone)]
pub(super) struct Target {
    pub(super) source: Option<String>,
    pub(super) update: Update,
}

/// A refspec and the fact that brought it in.
type Because = (Spec, String);

/// Stop: the plan says why.
struct Stop;

const NAMED: &str = "named on the command line";

/// Predicts all updates of `push`.
pub(super) fn predict(push: &Push, spot: &Spot<'_>) -> Plan {
    let mut planner = Planner {
        push,
        spot,
        plan: Plan::default(),
    };
    if push.dry_run {
        return planner.plan;
    }
    if let Some(why) = contradiction(push) {
        planner.plan.refused = Some(why);
        return planner.plan;
    }
    if push.from_stdin {
        planner.unclear("refspecs come from standard input");
    }
    let ended = match push.by {
        Pusher::Push => planner.push(),
        Pusher::SendPack => planner.send_pack(),
        Pusher::Subtree => planner.subtree(),
    };
    let mut plan = planner.plan;
    if ended.is_err() && plan.refused.is_some() {
        plan.targets.clear();
        plan.unclear.clear();
    }
    plan
}

/// Options that git does not take together.
fn contradiction(push: &Push) -> Option<String> {
    let modes = [
        ("--delete", push.delete.is_some()),
        ("--tags", push.tags.is_some() && push.by == Pusher::Push),
        ("--all", push.all.is_some()),
        ("--mirror", push.mirror.is_some()),
    ];
    let given: Vec<&str> = modes.iter().filter(|m| m.1).map(|m| m.0).collect();
    if let [first, second, ..] = given.as_slice() {
        return Some(format!("git takes `{first}` and `{second}` not together"));
    }
    let named = !push.refspecs.is_empty();
    match given.first() {
        Some(&"--delete") if !named => Some("`--delete` names no refs".to_owned()),
        Some(mode @ (&"--all" | &"--mirror")) if named => {
            Some(format!("git takes `{mode}` and refspecs not together"))
        }
        _ => None,
    }
}

struct Planner<'a> {
    push: &'a Push,
    spot: &'a Spot<'a>,
    plan: Plan,
}

impl Planner<'_> {
    fn unclear(&mut self, why: impl Into<String>) {
        let why = why.into();
        if !self.plan.unclear.contains(&why) {
            self.plan.unclear.push(why);
        }
    }

    fn refuse(&mut self, why: impl Into<String>) -> Stop {
        self.plan.refused = Some(why.into());
        Stop
    }

    /// Every update of this push may rewrite.
    fn forces(&self) -> bool {
        self.push.force.is_some() || self.push.lease.is_some()
    }

    fn targets<'b>(&'b mut self, remote: &'b Remote) -> Targets<'b> {
        Targets {
            spot: self.spot,
            remote: &remote.name,
            forced: self.forces(),
            prune: self.push.prune.is_some(),
            plan: &mut self.plan,
        }
    }

    fn push(&mut self) -> Result<(), Stop> {
        let head = self.spot.head();
        let named = !self.push.refspecs.is_empty();
        let remote = match remote::choose(self.push, self.spot, &head) {
            Choice::Remote(remote, doubts) => {
                if !named {
                    doubts.into_iter().for_each(|why| self.unclear(why));
                }
                remote
            }
            Choice::Unclear(why) => {
                self.unclear(why);
                return Ok(());
            }
            Choice::Refused(why) => return Err(self.refuse(why)),
        };
        self.plan.urls = remote::urls(&self.spot.settings, &remote);
        if let Some(why) = remote::legacy(self.spot, &remote.name) {
            self.unclear(why);
        }
        let mirror = self.mirrors(&remote);
        if mirror && named {
            return Err(self.refuse("a mirror takes no refspecs"));
        }
        let mut specs: Vec<Because> = Vec::new();
        if self.push.tags.is_some() {
            let all = "refs/tags/*".to_owned();
            specs.push((
                Spec::Glob {
                    src: all.clone(),
                    dst: all,
                    force: false,
                },
                "`--tags` pushes every tag".to_owned(),
            ));
        }
        self.named(&remote, &mut specs)?;
        if mirror && specs.is_empty() {
            self.targets(&remote).mirror();
        } else if self.push.all.is_some() {
            self.targets(&remote).all();
        } else {
            if !named && specs.is_empty() {
                self.unnamed(&remote, &head, &mut specs)?;
            }
            self.expand(&remote, specs)?;
        }
        self.follow_tags(&remote);
        self.submodules(&remote);
        Ok(())
    }

    fn mirrors(&mut self, remote: &Remote) -> bool {
        if self.push.mirror.is_some() {
            return true;
        }
        match self
            .spot
            .settings
            .flag(&format!("remote.{}.mirror", remote.name))
        {
            Ok(value) => value == Some(true),
            Err(why) => {
                // A mirror takes no refspecs, so this decides only where none are given.
                if self.push.refspecs.is_empty() {
                    self.unclear(why);
                }
                false
            }
        }
    }

    /// The refspecs of the command line, mapped by config as git does.
    fn named(&mut self, remote: &Remote, specs: &mut Vec<Because>) -> Result<(), Stop> {
        let mut words = self.push.refspecs.iter();
        while let Some(word) = words.next() {
            let because = || NAMED.to_owned();
            let Some(text) = word.known() else {
                self.opaque(remote, word);
                continue;
            };
            if text == "tag" {
                let Some(tag) = words.next() else {
                    return Err(self.refuse("`tag` names no tag"));
                };
                let name = format!("refs/tags/{}", masked(tag));
                if tag.known().is_none() {
                    self.targets(remote).pattern(&name, NAMED);
                } else if self.push.delete.is_some() {
                    specs.push((Spec::Delete { dst: name }, because()));
                } else {
                    specs.push((self.parsed(&name)?, because()));
                }
                continue;
            }
            if self.push.delete.is_some() {
                if text.contains(':') || text.is_empty() {
                    return Err(self.refuse("`--delete` takes plain names only"));
                }
                specs.push((self.parsed(&format!(":{text}"))?, because()));
                continue;
            }
            let spec = self.parsed(text)?;
            match &spec {
                Spec::Named {
                    src,
                    dst: None,
                    force: false,
                } if src != "HEAD" => {
                    let mapped = self.mapped(remote, src);
                    specs.push(mapped.unwrap_or_else(|| (spec, because())));
                }
                _ => specs.push((spec, because())),
            }
        }
        Ok(())
    }

    fn parsed(&mut self, text: &str) -> Result<Spec, Stop> {
        refspec::parse(text).ok_or_else(|| self.refuse(format!("`{text}` is not a valid refspec")))
    }

    /// `src` alone, where `remote.<name>.push` or `push.default=upstream` send it elsewhere.
    fn mapped(&mut self, remote: &Remote, src: &str) -> Option<Because> {
        let full = match Source::of(self.spot, src) {
            Source::Ref(full) => full,
            Source::Unclear(_) if src.starts_with("refs/") => src.to_owned(),
            Source::Unclear(_) => format!("refs/heads/{src}"),
            _ => return None,
        };
        // Where not even the place is known, nothing speaks for a mapping.
        let placed = self.spot.repo.is_ok();
        let key = format!("remote.{}.push", remote.name);
        match self.spot.settings.all(&key) {
            Ok(values) => {
                for value in &values {
                    let Some((dst, force)) = map(value, &full) else {
                        continue;
                    };
                    let because = format!("`{key}` maps `{src}` to `{dst}`");
                    return Some((
                        Spec::Named {
                            src: full,
                            dst: Some(dst),
                            force,
                        },
                        because,
                    ));
                }
            }
            Err(why) if placed => self.unclear(why),
            Err(_) => {}
        }
        let branch = full.strip_prefix("refs/heads/")?;
        match self.spot.settings.text("push.default") {
            Ok(Some("upstream" | "tracking")) => {}
            Ok(_) => return None,
            Err(why) => {
                if placed {
                    self.unclear(why);
                }
                return None;
            }
        }
        match self.spot.settings.all(&format!("branch.{branch}.merge")) {
            Ok(merges) => {
                let [merge] = merges.as_slice() else {
                    return None;
                };
                let because = tracks("upstream", branch, merge);
                Some((
                    Spec::Named {
                        src: src.to_owned(),
                        dst: Some((*merge).to_owned()),
                        force: false,
                    },
                    because,
                ))
            }
            Err(why) => {
                self.unclear(why);
                None
            }
        }
    }

    /// What git pushes when nothing is named: `remote.<name>.push`, else `push.default`.
    fn unnamed(
        &mut self,
        remote: &Remote,
        head: &Result<Head, String>,
        specs: &mut Vec<Because>,
    ) -> Result<(), Stop> {
        let settings = &self.spot.settings;
        let key = format!("remote.{}.push", remote.name);
        if !remote.known
            && settings.middles("remote").iter().any(|m| {
                !matches!(settings.last(&format!("remote.{m}.push")), Ok(None))
                    || !matches!(settings.last(&format!("remote.{m}.mirror")), Ok(None))
            })
        {
            self.unclear("the remote is not known, and remotes have refspecs of their own");
        }
        match settings.all(&key) {
            Ok(values) if values.is_empty() => {}
            Ok(values) => {
                for value in &values {
                    specs.push((self.parsed(value)?, format!("`{key}` is `{value}`")));
                }
                return Ok(());
            }
            Err(why) => self.unclear(why),
        }
        let mode = match self.spot.settings.text("push.default") {
            Ok(mode) => mode.unwrap_or("simple"),
            Err(why) => {
                self.unclear(why);
                "current"
            }
        };
        match mode {
            "matching" => {
                let because = "`push.default` is `matching`".to_owned();
                specs.push((Spec::Matching { force: false }, because));
                return Ok(());
            }
            "nothing" => return Err(self.refuse("`push.default` is `nothing`")),
            "simple" | "upstream" | "tracking" | "current" => {}
            other => return Err(self.refuse(format!("`push.default` cannot be `{other}`"))),
        }
        match head {
            Ok(Head::Branch(branch)) => self.current(remote, branch, mode, specs),
            Ok(Head::Detached) => Err(self.refuse("`HEAD` is on no branch")),
            Err(why) => {
                self.unclear(format!("the current branch is not known: {why}"));
                Ok(())
            }
        }
    }

    fn current(
        &mut self,
        remote: &Remote,
        branch: &str,
        mode: &str,
        specs: &mut Vec<Because>,
    ) -> Result<(), Stop> {
        let settings = &self.spot.settings;
        let full = format!("refs/heads/{branch}");
        let same = |because: String| {
            let spec = Spec::Named {
                src: full.clone(),
                dst: Some(full.clone()),
                force: false,
            };
            (spec, because)
        };
        let is_current = || format!("`{branch}` is the current branch");
        if mode == "current" {
            specs.push(same(is_current()));
            return Ok(());
        }
        let home = remote::is_upstream(settings, branch, remote);
        let merges = settings.all(&format!("branch.{branch}.merge"));
        let sets_up = !matches!(
            settings.flag("push.autosetupremote"),
            Ok(None | Some(false))
        );
        let none = || format!("`{branch}` has no upstream branch");
        if mode == "simple" {
            match (home, merges) {
                (Ok(false), _) => specs.push(same(is_current())),
                (_, Ok(merges)) => match merges.as_slice() {
                    [] if sets_up => specs.push(same(is_current())),
                    [] => return Err(self.refuse(none())),
                    [merge] if *merge == full => specs.push(same(tracks(mode, branch, merge))),
                    // With another remote than the upstream's, git takes the branch's own name.
                    [_] if !remote.known => specs.push(same(is_current())),
                    [merge] => return Err(self.refuse(tracks(mode, branch, merge))),
                    _ => return Err(self.refuse(format!("`{branch}` has several upstreams"))),
                },
                // Whatever the upstream is, `simple` pushes only to the same name.
                (_, Err(_)) => specs.push(same(is_current())),
            }
            return Ok(());
        }
        match home {
            Ok(true) => {}
            Ok(false) => {
                let name = &remote.name;
                return Err(self.refuse(format!("`{name}` is not the upstream of `{branch}`")));
            }
            Err(why) => self.unclear(why),
        }
        match merges {
            Ok(merges) => match merges.as_slice() {
                [] if sets_up => specs.push(same(is_current())),
                [] => return Err(self.refuse(none())),
                [merge] => specs.push((
                    Spec::Named {
                        src: full.clone(),
                        dst: Some((*merge).to_owned()),
                        force: false,
                    },
                    tracks("upstream", branch, merge),
                )),
                _ => return Err(self.refuse(format!("`{branch}` has several upstreams"))),
            },
            Err(why) => self.unclear(why),
        }
        Ok(())
    }

    fn expand(&mut self, remote: &Remote, specs: Vec<Because>) -> Result<(), Stop> {
        let (mut denied, mut from) = (Vec::new(), Vec::new());
        for (spec, because) in specs {
            match spec {
                Spec::Negative { pattern } => denied.push(pattern),
                other => from.push((other, because)),
            }
        }
        for (spec, because) in from {
            let stopped = self.targets(remote).expand(&spec, &because);
            if let Err(why) = stopped {
                return Err(self.refuse(why));
            }
        }
        if !denied.is_empty() {
            self.plan.targets.retain(|t| {
                !denied.iter().any(|pattern| {
                    *pattern == t.update.refname
                        || super::glob::star(pattern, &t.update.refname).is_some()
                })
            });
        }
        Ok(())
    }

    /// A refspec of which a part is not known before the run.
    fn opaque(&mut self, remote: &Remote, word: &Word) {
        let text = masked(word);
        let shown = text.replace('*', "…");
        let because = format!("named on the command line as `{shown}`");
        let body = text.strip_prefix('+').unwrap_or(&text);
        let forced = body.len() != text.len();
        // One word whose end is known, or begins as a full name, tells enough.
        if word.opaque == Opaque::One
            && self.push.delete.is_none()
            && let Some((src, dst)) = body.rsplit_once(':')
        {
            let telling = dst
                .strip_prefix("refs/heads/")
                .is_some_and(|rest| !rest.starts_with('*'));
            if telling && !src.contains('*') && refspec::valid(&dst.replace('*', "x"), false) {
                let mut targets = self.targets(remote);
                targets.forced |= forced;
                targets.pattern(dst, &because);
                return;
            }
            if !dst.contains('*') && refspec::valid(dst, false) && !src.starts_with('*') {
                let mut targets = self.targets(remote);
                targets.to(dst, &Source::Revision, forced, &because);
                return;
            }
        }
        self.unclear(format!("the refspec `{shown}` is not known before the run"));
    }

    fn follow_tags(&mut self, remote: &Remote) {
        let follows = match self.push.follow_tags {
            Some(given) => given,
            None => !matches!(
                self.spot.settings.flag("push.followtags"),
                Ok(None | Some(false)) | Err(_)
            ),
        };
        if follows {
            self.plan.targets.push(Target {
                source: None,
                update: Update {
                    remote: remote.name.clone(),
                    refname: "refs/tags/*".to_owned(),
                    kind: UpdateKind::Create,
                    because: "annotated tags follow their commits".to_owned(),
                    depends: true,
                },
            });
        }
    }

    /// Submodules that are pushed along get the same refspecs in their own repositories.
    fn submodules(&mut self, remote: &Remote) {
        let mut mode = None;
        for entry in self.spot.settings.entries() {
            let push = entry.key == "push.recursesubmodules";
            if push || entry.key == "submodule.recurse" {
                mode = match &entry.value {
                    super::config::Value::Text(t)
                        if push && super::config::boolean(&entry.value).is_none() =>
                    {
                        Some(t.as_str())
                    }
                    value => match super::config::boolean(value) {
                        Some(false) => None,
                        _ => Some("on-demand"),
                    },
                };
            }
        }
        if let Some(word) = &self.push.recurse {
            mode = Some(word.known().unwrap_or("on-demand"));
        }
        let only = match mode {
            Some("on-demand") => false,
            Some("only") => true,
            _ => return,
        };
        let has_modules = self.spot.repo.as_ref().is_ok_and(|repo| {
            let top = repo.top.as_ref();
            top.is_some_and(|top| std::fs::symlink_metadata(top.join(".gitmodules")).is_ok())
        });
        if !has_modules {
            return;
        }
        if remote.name.contains(['/', ':']) {
            self.unclear("submodules are pushed by their own config");
        }
        let mut along = self.plan.targets.clone();
        for target in &mut along {
            target.source = None;
            target.update.depends = true;
            target.update.because = "submodules are pushed to refs of the same name".to_owned();
        }
        if only {
            self.plan.targets.clear();
        }
        self.plan.targets.append(&mut along);
    }

    fn send_pack(&mut self) -> Result<(), Stop> {
        let remote = match remote::choose(self.push, self.spot, &Ok(Head::Detached)) {
            Choice::Remote(remote, _) if self.push.remote.is_some() => remote,
            Choice::Unclear(why) => {
                self.unclear(why);
                return Ok(());
            }
            _ => return Err(self.refuse("`send-pack` names no remote")),
        };
        self.plan.urls = vec![remote.name.clone()];
        if self.push.mirror.is_some() {
            self.targets(&remote).mirror();
            return Ok(());
        }
        if self.push.all.is_some() {
            self.targets(&remote).all();
            return Ok(());
        }
        let mut specs = Vec::new();
        for word in &self.push.refspecs {
            match word.known() {
                Some(text) => specs.push((self.parsed(text)?, NAMED.to_owned())),
                None => self.opaque(&remote, word),
            }
        }
        if self.push.refspecs.is_empty() && !self.push.from_stdin {
            let because = "`send-pack` without refspecs pushes matching branches".to_owned();
            specs.push((Spec::Matching { force: false }, because));
        }
        self.expand(&remote, specs)
    }

    /// `subtree push REPOSITORY [+][LOCAL:]REF`: always a branch.
    fn subtree(&mut self) -> Result<(), Stop> {
        let remote = match remote::choose(self.push, self.spot, &Ok(Head::Detached)) {
            Choice::Remote(remote, _) if self.push.remote.is_some() => remote,
            Choice::Unclear(why) => {
                self.unclear(why);
                return Ok(());
            }
            _ => return Err(self.refuse("`subtree push` names no repository")),
        };
        self.plan.urls = remote::urls(&self.spot.settings, &remote);
        for word in &self.push.refspecs {
            let Some(text) = word.known() else {
                self.opaque(&remote, word);
                continue;
            };
            let body = text.strip_prefix('+').unwrap_or(text);
            let name = body.rsplit_once(':').map_or(body, |(_, name)| name);
            let full = match name.strip_prefix("refs/heads/") {
                Some(_) => name.to_owned(),
                None => format!("refs/heads/{name}"),
            };
            let forced = body.len() != text.len();
            let mut targets = self.targets(&remote);
            targets.to(&full, &Source::Revision, forced, NAMED);
        }
        Ok(())
    }
}

fn tracks(mode: &str, branch: &str, merge: &str) -> String {
    let short = merge.strip_prefix("refs/heads/").unwrap_or(merge);
    format!("`push.default` is `{mode}` and `{branch}` tracks `{short}`")
}

/// The word with `*` for every part that is not known.
fn masked(word: &Word) -> String {
    let mut out = String::with_capacity(word.text.len());
    for c in word.text.chars() {
        let c = if crate::action::is_mark(c) { '*' } else { c };
        if c != '*' || !out.ends_with('*') {
            out.push(c);
        }
    }
    out
}

/// Where the configured refspec `value` sends the full local ref.
fn map(value: &str, full: &str) -> Option<(String, bool)> {
    match refspec::parse(value)? {
        Spec::Named {
            src,
            dst: Some(dst),
            force,
        } if src == full => Some((dst, force)),
        // Without a right side git finds no mapping.
        Spec::Glob { src, dst, force } if value.contains(':') => {
            let part = super::glob::star(&src, full)?;
            Some((dst.replacen('*', part, 1), force))
        }
        _ => None,
    }
}
