//! What `find` does to the files that it finds.

use super::{Reader, below, edits_in_place};
use crate::action::Alter;
use crate::shell::Word;

impl Reader<'_> {
    /// `find DIR … -name NAME -delete`, `-exec rm {} +`.
    pub(super) fn find(&mut self, words: &[Word]) {
        let edits = edits_found(words);
        let Some(by) = found_are(words).map(Some).or(edits.then_some(None)) else {
            return;
        };
        let expression = |w: &&Word| !w.text.starts_with(['-', '(', '!']);
        let roots = words.iter().take_while(expression).count();
        let (roots, tests) = words.split_at(roots);
        let all = |w: &Word| {
            let test = w.text.strip_prefix('-');
            test.is_none_or(|t| matches!(t, "delete" | "depth" | "mindepth" | "exec" | "execdir"))
        };
        let everything = tests.first().is_some_and(all) && tests.iter().all(all);
        for root in roots {
            let Some(by) = by else {
                self.searches(root, tests, None);
                continue;
            };
            if everything {
                self.alters(root, by);
                continue;
            }
            self.searches(root, tests, Some(by));
            let mut named = false;
            for pair in tests.windows(2) {
                if let [flag, name] = pair
                    && matches!(flag.text.as_str(), "-name" | "-iname")
                {
                    named = true;
                    self.alters(&below(root, &name.text), by);
                }
            }
            if !named {
                self.alters(&below(root, "*"), Alter::Remove { tree: false });
            }
        }
    }

    /// Files somewhere below `root`, unless tests keep to some directories or to the first ones.
    fn searches(&mut self, root: &Word, tests: &[Word], by: Option<Alter>) {
        let shallow = |pair: &[Word]| {
            let [flag, depth] = pair else { return false };
            flag.text == "-maxdepth" && matches!(depth.text.as_str(), "0" | "1")
        };
        let picks = |w: &Word| {
            matches!(
                w.text.as_str(),
                "-path" | "-wholename" | "-ipath" | "-regex" | "-prune"
            )
        };
        if !tests.iter().any(picks) && !tests.windows(2).any(shallow) {
            let by = by.map(|by| match by {
                Alter::Remove { .. } => Alter::Remove { tree: false },
                by => by,
            });
            self.touches(&below(root, "**/*"), by);
        }
    }
}

/// What `find` does to the files that it finds.
pub(super) fn found_are(words: &[Word]) -> Option<Alter> {
    if words.iter().any(|w| w.text == "-delete") {
        return Some(Alter::Remove { tree: true });
    }
    let at = words
        .iter()
        .position(|w| matches!(w.text.as_str(), "-exec" | "-execdir" | "-ok" | "-okdir"))?;
    match crate::action::basename(&words.get(at + 1)?.text) {
        "rm" | "rmdir" | "shred" | "unlink" | "truncate" => Some(Alter::Remove { tree: true }),
        "mv" => Some(Alter::Move),
        "chmod" | "chown" | "chgrp" => Some(Alter::Mode),
        _ => None,
    }
}

/// Whether `find` has a program edit the files that it finds in place.
fn edits_found(words: &[Word]) -> bool {
    let starts = |w: &Word| matches!(w.text.as_str(), "-exec" | "-execdir" | "-ok" | "-okdir");
    let mut words = words.iter().skip_while(|w| !starts(w)).skip(1);
    let program = words
        .next()
        .map_or("", |w| crate::action::basename(&w.text));
    matches!(program, "gsed" | "perl" | "ruby" | "sed")
        && words
            .take_while(|w| !matches!(w.text.as_str(), ";" | "+"))
            .any(edits_in_place)
}
