//! One refspec -> the full refs that it may update on the remote.

use super::glob::star;
use super::push::{Plan, Target};
use super::refs::LIST_MAX;
use super::refspec::Spec;
use super::spot::Spot;
use super::{Head, Update, UpdateKind};

/// What the left side of a refspec is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Source {
    /// This full ref.
    Ref(String),
    /// Several refs have that short name.
    Several(Vec<String>),
    /// A commit by another spelling than a ref's name.
    Revision,
    /// Nothing of that name is known.
    Missing,
    /// Cannot tell, and why.
    Unclear(String),
}

impl Source {
    /// What `src` names here.
    pub(super) fn of(spot: &Spot<'_>, src: &str) -> Source {
        if src == "HEAD" {
            return match spot.head() {
                Ok(Head::Branch(branch)) => Source::Ref(["refs/heads/", &branch].concat()),
                Ok(Head::Detached) => Source::Revision,
                Err(why) => Source::Unclear(why),
            };
        }
        if !super::refspec::valid(src, false) {
            return Source::Revision;
        }
        // Nobody has `refs/heads/refs/heads/x` as well.
        if src.starts_with("refs/") && spot.has(src) == Ok(true) {
            return Source::Ref(src.to_owned());
        }
        let mut found = Vec::new();
        for kind in ["refs/heads/", "refs/tags/", "refs/"] {
            let name = [kind, src].concat();
            match spot.has(&name) {
                Ok(true) => found.push(name),
                Ok(false) => {}
                Err(why) => return Source::Unclear(why),
            }
        }
        if found.is_empty() {
            // Remote-tracking refs count only where nothing else has the name.
            let weak = ["refs/remotes/", src].concat();
            if spot.has(&weak) == Ok(true) {
                found.push(weak);
            }
        }
        let hex = src.len() >= 7 && src.bytes().all(|b| b.is_ascii_hexdigit());
        match (found.len(), found.pop()) {
            (1, Some(one)) => Source::Ref(one),
            (0, _) if hex => Source::Revision,
            (_, Some(last)) => {
                found.push(last);
                Source::Several(found)
            }
            _ => Source::Missing,
        }
    }
}

/// Collects the updates of one push to one remote.
pub(super) struct Targets<'a> {
    pub(super) spot: &'a Spot<'a>,
    pub(super) remote: &'a str,
    /// Every update may rewrite.
    pub(super) forced: bool,
    /// Refs of the remote that are missing here go away.
    pub(super) prune: bool,
    pub(super) plan: &'a mut Plan,
}

impl Targets<'_> {
    /// All that `spec` may update; an error where git refuses the push.
    pub(super) fn expand(&mut self, spec: &Spec, because: &str) -> Result<(), String> {
        match spec {
            Spec::Matching { force } => self.matching(*force, because),
            Spec::Delete { dst } => self.delete(dst, because),
            Spec::Named {
                src,
                dst: Some(dst),
                force,
            } => {
                let source = Source::of(self.spot, src);
                self.to(dst, &source, *force, because);
            }
            Spec::Named {
                src,
                dst: None,
                force,
            } => self.same(src, *force, because)?,
            Spec::Glob { src, dst, force } => self.glob(src, dst, *force, because),
            Spec::Negative { .. } => {}
        }
        Ok(())
    }

    fn add(
        &mut self,
        source: Option<&str>,
        refname: String,
        kind: UpdateKind,
        because: &str,
        depends: bool,
    ) {
        self.plan.targets.push(Target {
            source: source.map(str::to_owned),
            update: Update {
                remote: self.remote.to_owned(),
                refname,
                kind,
                because: because.to_owned(),
                depends,
                source: None,
            },
        });
    }

    fn kind(&self, refname: &str, force: bool) -> UpdateKind {
        if force || self.forced {
            return UpdateKind::Force;
        }
        match refname.strip_prefix("refs/heads/") {
            Some(branch) if self.spot.tracked(self.remote, branch) => UpdateKind::Move,
            // git moves no tag without force.
            _ => UpdateKind::Create,
        }
    }

    /// `refname` may contain `*` for what is not known before the run.
    pub(super) fn pattern(&mut self, refname: &str, because: &str) {
        let kind = match self.forced {
            true => UpdateKind::Force,
            false => UpdateKind::Create,
        };
        self.add(None, refname.to_owned(), kind, because, false);
    }

    /// `src` alone: the ref of the same full name.
    fn same(&mut self, src: &str, force: bool, because: &str) -> Result<(), String> {
        let source = Source::of(self.spot, src);
        let mut add = |full: &str, depends: bool| {
            let refname = self.spot.resolve(full);
            let kind = self.kind(&refname, force);
            self.add(Some(full), refname, kind, because, depends);
        };
        match source {
            Source::Ref(full) => add(&full, false),
            Source::Several(all) => all.iter().for_each(|full| add(full, true)),
            Source::Revision if src == "HEAD" => {
                return Err("`HEAD` is on no branch".to_owned());
            }
            Source::Revision => return Err(format!("`{src}` names no ref")),
            Source::Unclear(why) if src == "HEAD" => {
                self.plan
                    .unclear
                    .push(format!("the current branch is not known: {why}"));
            }
            // Something that we do not see may make it before.
            Source::Missing | Source::Unclear(_) if src.starts_with("refs/") => add(src, false),
            Source::Missing | Source::Unclear(_)
                if src.starts_with("heads/") || src.starts_with("tags/") =>
            {
                add(&["refs/", src].concat(), false);
            }
            Source::Missing => add(&["refs/heads/", src].concat(), true),
            Source::Unclear(_) => {
                add(&["refs/heads/", src].concat(), false);
                add(&["refs/tags/", src].concat(), true);
            }
        }
        Ok(())
    }

    /// `src:dst`.
    pub(super) fn to(&mut self, dst: &str, source: &Source, force: bool, because: &str) {
        let tag_here = |name: &str| self.spot.has(&["refs/tags/", name].concat()) == Ok(true);
        let mut may: Vec<(String, bool)> = Vec::new();
        let from = match source {
            Source::Ref(full) => Some(full.as_str()),
            _ => None,
        };
        let from_tag = from.is_some_and(|f| f.starts_with("refs/tags/"));
        let home = if from_tag { "tags" } else { "heads" };
        if dst.starts_with("refs/") {
            may.push((dst.to_owned(), false));
        } else if let Some(branch) = dst.strip_prefix("heads/") {
            // Short for the branch where the remote has it, else a name of its own.
            let there = self.spot.tracked(self.remote, branch);
            may.push((["refs/", dst].concat(), !there));
            if !there {
                may.push((["refs/", home, "/", dst].concat(), true));
            }
        } else if ["tags/", "remotes/", "notes/"]
            .iter()
            .any(|p| dst.starts_with(p))
        {
            may.push((["refs/", dst].concat(), true));
            may.push((["refs/", home, "/", dst].concat(), true));
        } else {
            let there = self.spot.tracked(self.remote, dst);
            let guessed = from.is_some_and(|f| f.starts_with("refs/heads/"))
                || matches!(source, Source::Unclear(_) | Source::Missing);
            may.push((["refs/heads/", dst].concat(), !there && !guessed));
            if from_tag || tag_here(dst) {
                may.push((["refs/tags/", dst].concat(), there || !from_tag));
            }
        }
        for (refname, depends) in may {
            let kind = self.kind(&refname, force);
            self.add(from, refname, kind, because, depends);
        }
    }

    /// `:dst`.
    fn delete(&mut self, dst: &str, because: &str) {
        let there = self.spot.tracked(self.remote, dst);
        let tag_here = self.spot.has(&["refs/tags/", dst].concat()) == Ok(true);
        let mut add = |name: String, depends| {
            self.add(None, name, UpdateKind::Delete, because, depends);
        };
        if dst.starts_with("refs/") {
            add(dst.to_owned(), false);
            return;
        }
        if ["heads/", "tags/", "remotes/", "notes/"]
            .iter()
            .any(|p| dst.starts_with(p))
        {
            add(["refs/", dst].concat(), false);
            add(["refs/heads/", dst].concat(), true);
            return;
        }
        add(["refs/heads/", dst].concat(), !there);
        if tag_here || !there {
            add(["refs/tags/", dst].concat(), true);
        }
    }

    /// `:`: every branch that both sides have.
    fn matching(&mut self, force: bool, because: &str) {
        match self.spot.list("refs/heads/") {
            Ok(names) => {
                for name in names {
                    let branch = name.strip_prefix("refs/heads/").unwrap_or_default();
                    let there = self.spot.tracked(self.remote, branch);
                    let kind = match force || self.forced {
                        true => UpdateKind::Force,
                        false => UpdateKind::Move,
                    };
                    self.add(Some(&name), name.clone(), kind, because, !there);
                }
            }
            Err(_) => {
                let kind = self.kind("refs/heads/*", force);
                self.add(None, "refs/heads/*".to_owned(), kind, because, true);
            }
        }
        self.pruned("refs/heads/*");
    }

    /// `--all`: every branch.
    pub(super) fn all(&mut self) {
        self.glob(
            "refs/heads/*",
            "refs/heads/*",
            false,
            "`--all` pushes every branch",
        );
    }

    /// Every ref, and what is missing here goes away there.
    pub(super) fn mirror(&mut self) {
        let because = "a mirror push overwrites and deletes every ref";
        for kind in [UpdateKind::Force, UpdateKind::Delete] {
            self.add(None, "refs/*".to_owned(), kind, because, false);
        }
    }

    fn glob(&mut self, src: &str, dst: &str, force: bool, because: &str) {
        let fixed = src.find('*').unwrap_or(src.len());
        let fixed = src.get(..fixed).unwrap_or_default();
        let listed = if fixed.starts_with("refs/tags/") {
            // There may be very many, and none of them is moved.
            None
        } else if "refs/".starts_with(fixed) {
            self.spot.list("refs/").ok()
        } else {
            self.spot.list(fixed).ok()
        };
        match listed {
            Some(names) if names.len() <= LIST_MAX => {
                for name in names {
                    if let Some(part) = star(src, &name) {
                        let refname = dst.replacen('*', part, 1);
                        let kind = self.kind(&refname, force);
                        self.add(Some(&name), refname, kind, because, false);
                    }
                }
            }
            // A glob of short names matches no ref.
            _ if !src.starts_with("refs/") && !src.starts_with('*') => {}
            _ => {
                let kind = self.kind(dst, force);
                self.add(None, dst.to_owned(), kind, because, false);
            }
        }
        self.pruned(dst);
    }

    fn pruned(&mut self, dst: &str) {
        if self.prune {
            let because = "`--prune` deletes refs that are missing here";
            self.add(None, dst.to_owned(), UpdateKind::Delete, because, true);
        }
    }
}
