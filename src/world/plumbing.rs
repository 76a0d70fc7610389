//! Pushes that are not `git push`: `send-pack` and `subtree push`.

use super::Head;
use super::push::{NAMED, Planner, Stop};
use super::refspec::Spec;
use super::remote::{self, Choice};
use super::target::Source;

impl Planner<'_> {
    pub(super) fn send_pack(&mut self) -> Result<(), Stop> {
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
    pub(super) fn subtree(&mut self) -> Result<(), Stop> {
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
