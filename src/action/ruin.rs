//! Programs and redirects that remove files, or put others in their place.

use super::words::{Given, Line};
use super::{Act, Action, file};
use crate::shell::{Command, Opaque, RedirectKind, Stdin, Word};
use std::path::Path;

/// Files that a command takes away.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ruin {
    /// What becomes of them.
    pub fate: Fate,
    /// Which ones, as typed.
    pub paths: Vec<Word>,
    /// All that git tracks is among them: `git ls-files | xargs rm`.
    pub listed: bool,
}

/// What becomes of files.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fate {
    /// They are removed; with `tree` directories go with all that they hold.
    Removed {
        /// See above.
        tree: bool,
        /// Only some of what is below them.
        only: Option<Only>,
    },
    /// They are directories that are made.
    Made,
    /// A part of them changes, and the rest stays.
    Edited,
    /// They are emptied, or filled anew.
    Replaced,
    /// They go to a file, or into a directory, and what is there gives way.
    Taken {
        /// Where to.
        to: Word,
        /// It is a directory for sure.
        into: bool,
        /// They are gone from where they were.
        moves: bool,
    },
}

/// Which files below a directory are meant.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Only {
    /// They, or a directory that they lie in, fit one of these patterns; none = all.
    pub names: Vec<String>,
    /// Files alone count, not directories with what they hold.
    pub files: bool,
    /// There are conditions that are not understood.
    pub unsure: bool,
}

/// Adds the files that `command` takes away.
pub(super) fn read(base: &str, command: &Command, dir: Option<&Path>, out: &mut Vec<Action>) {
    let filled = |fills: bool| -> Vec<Word> {
        let files = command.redirects.iter().filter(|redirect| {
            let fits = match redirect.kind {
                RedirectKind::Read => false,
                RedirectKind::Write => fills,
                RedirectKind::Append | RedirectKind::ReadWrite => !fills,
            };
            fits && !redirect.target.text.starts_with("/dev/")
        });
        files.map(|redirect| redirect.target.clone()).collect()
    };
    let words = command.words.get(1..).unwrap_or_default();
    let mut all = Vec::new();
    if !command.redirects.is_empty() {
        all.push(ruin(Fate::Replaced, filled(true)));
        all.push(ruin(Fate::Edited, filled(false)));
    }
    match base {
        "find" => find(words, &mut all),
        "dd" => all.extend(dd(words)),
        "mkdir" => {
            let plain = |word: &&Word| !word.text.starts_with('-');
            all.push(ruin(
                Fate::Made,
                words.iter().filter(plain).cloned().collect(),
            ));
        }
        "sed" | "gsed" | "perl" | "ruby" if !words.iter().any(file::edits_in_place) => {}
        _ => {
            if let Some(takes) = file::takes(base).filter(|_| ruins(base)) {
                program(base, &Line::read(words, takes), &mut all);
            }
        }
    }
    let list = matches!(&command.stdin, Stdin::Pipe(names) if names.as_slice() == ["git ls-files"]);
    for mut ruin in all.into_iter().filter(|ruin| !ruin.paths.is_empty()) {
        let open = |word: &Word| word.opaque == Opaque::Many && word.span.end == 0;
        ruin.listed = list && ruin.paths.iter().any(open);
        out.push(Action {
            act: Act::Ruin(ruin),
            place: super::place(command, dir),
            span: command.span,
            shown: super::shown(command),
        });
    }
}

fn ruins(base: &str) -> bool {
    matches!(
        base,
        "cp" | "curl"
            | "install"
            | "ln"
            | "mv"
            | "patch"
            | "perl"
            | "rimraf"
            | "rm"
            | "rsync"
            | "ruby"
            | "sed"
            | "shred"
            | "sort"
            | "tee"
            | "truncate"
            | "unlink"
            | "wget"
    )
}

fn ruin(fate: Fate, paths: Vec<Word>) -> Ruin {
    Ruin {
        fate,
        paths,
        listed: false,
    }
}

fn removed(tree: bool, paths: Vec<Word>) -> Ruin {
    ruin(Fate::Removed { tree, only: None }, paths)
}

fn program(base: &str, line: &Line<'_>, all: &mut Vec<Ruin>) {
    let on = |names: &[&str]| line.on(names).is_some();
    let operands = || line.operands.iter().map(|word| (*word).clone()).collect();
    match base {
        "rm" => all.push(removed(on(&["r", "R", "recursive"]), operands())),
        "unlink" => all.push(removed(false, operands())),
        "rimraf" => all.push(removed(true, operands())),
        "shred" => all.push(ruin(Fate::Replaced, operands())),
        "gsed" | "perl" | "ruby" | "sed" => {
            let files = file::edited(base, line).iter().map(|word| (*word).clone());
            all.push(ruin(Fate::Edited, files.collect()));
        }
        "patch" => all.push(ruin(Fate::Edited, operands())),
        "tee" if on(&["a", "append"]) => all.push(ruin(Fate::Edited, operands())),
        "tee" => all.push(ruin(Fate::Replaced, operands())),
        "truncate" => {
            // `-s +1K` keeps what is there.
            let size = line.last(&["s", "size"]).and_then(|given| given.value);
            let grows = size.is_some_and(|size| size.starts_with(['+', '>', '%']));
            let fate = if grows { Fate::Edited } else { Fate::Replaced };
            all.push(ruin(fate, operands()));
        }
        "sort" => {
            let into = line.last(&["o", "output"]).and_then(value);
            // It reads all before it writes.
            let itself = |to: &Word| line.operands.iter().any(|from| from.text == to.text);
            all.extend(
                into.filter(|to| !itself(to))
                    .map(|to| ruin(Fate::Replaced, vec![to])),
            );
        }
        "curl" | "wget" => {
            let (names, goes_on): (&[&str], &[&str]) = match base {
                "curl" => (&["o", "output"], &["C", "continue-at"]),
                _ => (&["O", "output-document"], &["c", "continue"]),
            };
            if !on(goes_on) {
                let given = line.options.iter().filter(|o| names.contains(&o.name));
                let paths: Vec<Word> = given.filter_map(value).collect();
                let paths: Vec<Word> = paths.into_iter().filter(|w| w.text != "-").collect();
                if !paths.is_empty() {
                    all.push(ruin(Fate::Replaced, paths));
                }
            }
        }
        _ => transfer(base, line, all),
    }
}

/// The value of an option as a word of its own.
fn value(given: &Given<'_>) -> Option<Word> {
    Some(Word {
        text: given.value?.to_owned(),
        opaque: if given.unknown {
            Opaque::One
        } else {
            Opaque::No
        },
        ..given.word.clone()
    })
}

/// `cp`, `mv`, `install`, `ln`, `rsync`.
fn transfer(base: &str, line: &Line<'_>, all: &mut Vec<Ruin>) {
    let on = |names: &[&str]| line.on(names).is_some();
    let careful = match base {
        "rsync" => on(&["n", "dry-run", "list-only"]),
        "install" => on(&["d", "directory"]),
        "ln" => !on(&["f", "force"]),
        _ => on(&["n", "no-clobber", "i", "interactive"]),
    };
    let updates = line.last(&["update"]).and_then(|given| given.value);
    let spares = on(&["b", "backup", "ignore-existing"])
        || updates.is_some_and(|how| how.starts_with("none"));
    if careful || spares && base != "rsync" {
        return;
    }
    let given = line.last(&["t", "target-directory"]).and_then(value);
    let into = given.is_some();
    let (from, to) = match (given, line.operands.split_last()) {
        (Some(to), _) => (line.operands.as_slice(), to),
        (None, Some((to, from))) if !from.is_empty() => (from, (*to).clone()),
        (None, _) => return,
    };
    // It speaks to another machine.
    if base == "rsync" && to.text.split('/').next().is_some_and(|p| p.contains(':')) {
        return;
    }
    let mut from: Vec<Word> = from.iter().map(|word| (*word).clone()).collect();
    if base == "rsync" {
        for word in from.iter_mut().filter(|word| word.text.ends_with('/')) {
            word.text.push('.');
        }
        if line.options.iter().any(|o| o.name.starts_with("del")) {
            let only = Some(Only::default());
            let fate = Fate::Removed { tree: true, only };
            all.push(ruin(
                fate,
                from.iter().map(|one| mirrored(one, &to)).collect(),
            ));
        }
        if spares {
            return;
        }
    }
    let moves = base == "mv" || on(&["remove-source-files"]) && base == "rsync";
    all.push(ruin(Fate::Taken { to, into, moves }, from));
}

/// The directory that `rsync` makes like `from`.
fn mirrored(from: &Word, to: &Word) -> Word {
    let name = from.text.rsplit('/').next().unwrap_or_default();
    if matches!(name, "." | "") {
        return to.clone();
    }
    Word {
        text: format!("{}/{name}", to.text.trim_end_matches('/')),
        opaque: from.opaque.max(to.opaque),
        glob: from.glob || to.glob,
        span: to.span,
    }
}

/// `dd of=FILE`.
fn dd(words: &[Word]) -> Option<Ruin> {
    let appends = |w: &Word| w.text.starts_with("oflag=") && w.text.contains("append");
    if words.iter().any(appends) {
        return None;
    }
    let outputs = words.iter().filter_map(|word| {
        let path = word.text.strip_prefix("of=")?;
        (!path.starts_with("/dev/")).then(|| Word {
            text: path.to_owned(),
            ..word.clone()
        })
    });
    let outputs: Vec<Word> = outputs.collect();
    (!outputs.is_empty()).then(|| ruin(Fate::Replaced, outputs))
}

/// `find DIR … -delete`, `-exec rm {} +`.
fn find(words: &[Word], all: &mut Vec<Ruin>) {
    let expression = |w: &&Word| !w.text.starts_with(['-', '(', '!']);
    let roots = words.iter().take_while(expression).count();
    let (roots, tests) = words.split_at(roots);
    let mut only = Only::default();
    let (mut removes, mut tree, mut empty) = (false, false, false);
    let mut words = tests.iter();
    let mut negated = false;
    while let Some(word) = words.next() {
        let not = std::mem::take(&mut negated);
        match word.text.as_str() {
            "-delete" => removes = true,
            "-exec" | "-execdir" | "-ok" | "-okdir" => {
                let program = words.next().map_or("", |w| super::basename(&w.text));
                removes |= matches!(program, "rm" | "shred" | "truncate" | "unlink");
                for word in words.by_ref() {
                    tree |= word.text.starts_with('-') && word.text.contains(['r', 'R']);
                    if matches!(word.text.as_str(), ";" | "+") {
                        break;
                    }
                }
            }
            "-name" | "-iname" => match words.next().and_then(Word::known) {
                Some(name) if !not => only.names.push(name.to_lowercase()),
                _ => only.unsure = true,
            },
            // That git's own directory stays spares nobody's work.
            "-path" | "-wholename" => {
                let spares = |w: &Word| w.text.trim_end_matches(['/', '*']).ends_with(".git");
                let spared = words.next().is_some_and(spares);
                only.unsure |= !(not && spared);
            }
            "-type" => only.files |= words.next().is_some_and(|w| w.text == "f") && !not,
            "-empty" => empty = !not,
            "!" | "-not" => negated = true,
            "-maxdepth" | "-mindepth" => {
                words.next();
            }
            "-o" | "-or" => empty = false,
            "(" | ")" | "-a" | "-and" | "-depth" | "-d" | "-print" | "-print0" => negated = not,
            text => only.unsure |= text.starts_with('-'),
        }
    }
    if !removes || empty {
        return;
    }
    // Directories that hold something stay.
    only.files |= !tree;
    let paths = match roots {
        [] => vec![Word {
            text: ".".to_owned(),
            ..Word::default()
        }],
        roots => roots.to_vec(),
    };
    let only = Some(only);
    all.push(ruin(Fate::Removed { tree: true, only }, paths));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::action::testing::command;

    /// The files that `text` takes away: `-` removed, `--` with all below, `>` replaced, `~` moved,
    /// `=` copied, `+` edited, `/` made.
    fn told(text: &str) -> String {
        let mut out = Vec::new();
        let command = command(text);
        let base = command.words.first().map_or("", |w| w.text.as_str());
        read(base, &command, None, &mut out);
        let mut told = Vec::new();
        for action in &out {
            let Act::Ruin(ruin) = &action.act else {
                panic!("{text}")
            };
            let names: Vec<&str> = ruin.paths.iter().map(|w| w.text.as_str()).collect();
            let names = names.join(",");
            told.push(match &ruin.fate {
                Fate::Removed { tree: false, .. } => format!("-{names}"),
                Fate::Removed { only: None, .. } => format!("--{names}"),
                Fate::Removed {
                    only: Some(only), ..
                } => format!(
                    "--{names}[{}{}{}]",
                    only.names.join("|"),
                    if only.files { " files" } else { "" },
                    if only.unsure { " ?" } else { "" }
                ),
                Fate::Made => format!("/{names}"),
                Fate::Edited => format!("+{names}"),
                Fate::Replaced => format!(">{names}"),
                Fate::Taken {
                    to, moves: true, ..
                } => format!("~{names} {}", to.text),
                Fate::Taken { to, .. } => format!("={names} {}", to.text),
            });
        }
        told.join(" ")
    }

    #[test]
    fn programs_tell_which_files_they_take_away() {
        for (text, want) in [
            ("rm a b", "-a,b"),
            ("rm -rf -- a", "--a"),
            ("rmdir a", ""),
            ("unlink a", "-a"),
            ("shred -u a", ">a"),
            ("tee a", ">a"),
            ("tee -a a", "+a"),
            ("truncate -s 0 a", ">a"),
            ("truncate -s +1 a", "+a"),
            ("dd if=x of=a", ">a"),
            ("dd if=x of=a oflag=append conv=notrunc", ""),
            ("dd if=x of=/dev/sda", ""),
            ("sort -o a b", ">a"),
            ("sort -o a a", ""),
            ("curl -o a https://x.y/z", ">a"),
            ("curl -C - -o a https://x.y/z", ""),
            ("wget -O - https://x.y/z", ""),
            ("cp a b", "=a b"),
            ("cp -n a b", ""),
            ("cp -t d a b", "=a,b d"),
            ("mv -b a b", ""),
            ("mv a b", "~a b"),
            ("ln -s a b", ""),
            ("ln -sf a b", "=a b"),
            ("install -d a b", ""),
            ("rsync -a a/ b/", "=a/. b/"),
            ("rsync -a --delete a/ b/", "--b/[] =a/. b/"),
            ("rsync -a --delete a b/", "--b/a[] =a b/"),
            ("rsync -an --delete a/ b/", ""),
            ("rsync -a --delete a/ host:b/", ""),
            ("sed -i s/a/b/ f", "+f"),
            ("sed -i -e s/a/b/ f g", "+f,g"),
            ("perl -pi -e s/a/b/ f", "+f"),
            ("sed -n p f", ""),
            ("patch -p1", ""),
            ("mkdir -p a b", "/a,b"),
        ] {
            assert_eq!(told(text), want, "{text}");
        }
    }

    #[test]
    fn find_tells_where_and_what_it_deletes() {
        for (text, want) in [
            ("find . -delete", "--.[ files]"),
            ("find -delete", "--.[ files]"),
            (
                "find . -type f -not -path './.git/*' -delete",
                "--.[ files]",
            ),
            ("find . -path './x/*' -delete", "--.[ files ?]"),
            ("find src -name '*.o' -delete", "--src[*.o files]"),
            ("find . -name x -exec rm -rf {} +", "--.[x]"),
            ("find . -mtime +7 -delete", "--.[ files ?]"),
            ("find . -not -name x -delete", "--.[ files ?]"),
            ("find . -type d -empty -delete", ""),
            ("find . -name x", ""),
            ("find . -exec grep x {} +", ""),
        ] {
            assert_eq!(told(text), want, "{text}");
        }
    }
}
