//! Refspecs that stand on the command line of a push.

use super::push::{Because, NAMED, Planner, Stop, tracks};
use super::refspec::{self, Spec};
use super::remote::Remote;
use super::target::Source;
use crate::shell::{Opaque, Word};

impl Planner<'_> {
    /// The refspecs of the command line, mapped by config as git does.
    pub(super) fn named(&mut self, remote: &Remote, specs: &mut Vec<Because>) -> Result<(), Stop> {
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
                specs.push((self.parsed(&[":", text].concat())?, because()));
                continue;
            }
            let spec = self.parsed(text)?;
            match &spec {
                Spec::Named {
                    src,
                    dst: None,
                    force: false,
                } if src != "HEAD" => {
                    let source = Source::of(self.spot, src);
                    let mapped = self.mapped(remote, src, &source);
                    // Spelled in full it is found at once.
                    let full = match source {
                        Source::Ref(full) => Spec::Named {
                            src: full,
                            dst: None,
                            force: false,
                        },
                        _ => spec,
                    };
                    specs.push(mapped.unwrap_or_else(|| (full, because())));
                }
                _ => specs.push((spec, because())),
            }
        }
        Ok(())
    }

    pub(super) fn parsed(&mut self, text: &str) -> Result<Spec, Stop> {
        refspec::parse(text).ok_or_else(|| self.refuse(format!("`{text}` is not a valid refspec")))
    }

    /// `src` alone, where `remote.<name>.push` or `push.default=upstream` send it elsewhere.
    fn mapped(&mut self, remote: &Remote, src: &str, source: &Source) -> Option<Because> {
        let full = match source {
            Source::Ref(full) => full.clone(),
            Source::Unclear(_) if src.starts_with("refs/") => src.to_owned(),
            Source::Unclear(_) => ["refs/heads/", src].concat(),
            _ => return None,
        };
        // Where not even the place is known, nothing speaks for a mapping.
        let placed = self.spot.repo.is_ok();
        let key = ["remote.", &remote.name, ".push"].concat();
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
        match self
            .spot
            .settings
            .all(&["branch.", branch, ".merge"].concat())
        {
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

    /// A refspec of which a part is not known before the run.
    pub(super) fn opaque(&mut self, remote: &Remote, word: &Word) {
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
