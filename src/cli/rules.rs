//! `rules`: the rule book with what becomes of each rule here; `rules set` changes one.

use super::home::{self, Here};
use super::pause::{done, refused, trouble};
use super::{Exit, terminal};
use crate::person::{is_person, terminal::confirm};
use crate::policy::{Case, Policy, set_rule};
use crate::rules::{ALL, KNOWN};
use serde::Serialize;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

/// The arguments.
#[derive(clap::Args)]
pub(super) struct Args {
    #[command(subcommand)]
    act: Option<Act>,
    /// Print JSON
    #[arg(long)]
    json: bool,
    /// The directory that it is about
    #[arg(long, value_name = "DIR")]
    cwd: Option<PathBuf>,
}

#[derive(clap::Subcommand)]
enum Act {
    /// Sets one rule in your own policy
    Set(Set),
}

#[derive(clap::Args)]
struct Set {
    /// The rule
    id: String,
    /// What becomes of it: `off`, `allow`, `ask`, `deny`, or a milder case such as `unpushed`
    value: String,
    /// For this repository alone (the default inside one)
    #[arg(long, conflicts_with = "everywhere")]
    here: bool,
    /// For every repository
    #[arg(long)]
    everywhere: bool,
}

#[derive(Serialize)]
struct Book {
    v: u8,
    rules: Vec<View>,
    troubles: Vec<String>,
}

#[derive(Serialize)]
struct View {
    id: &'static str,
    decision: &'static str,
    setting: String,
    from: String,
    stops: &'static str,
}

/// Runs the verb.
pub(super) fn run(args: &Args) -> Exit {
    let here = Here::of(args.cwd.as_deref());
    if let Some(Act::Set(set)) = &args.act {
        return change(set, &here);
    }
    let policy = here.policy();
    let rules = ALL.iter().map(|rule| View {
        id: rule.id,
        decision: policy.decide(rule.id, rule.decision, Case::Full).word(),
        setting: policy.wish(rule.id).shown(rule.id, rule.decision),
        from: policy.origin(rule.id).to_string(),
        stops: rule.stops,
    });
    let book = Book {
        v: 1,
        rules: rules.collect(),
        troubles: policy
            .troubles
            .iter()
            .chain(&policy.held)
            .cloned()
            .collect(),
    };
    terminal::out(&if args.json {
        terminal::json_line(&book)
    } else {
        table(&book, &policy)
    });
    Exit::Ok
}

fn table(book: &Book, policy: &Policy) -> String {
    let id = book
        .rules
        .iter()
        .map(|rule| rule.id.len())
        .max()
        .unwrap_or(0);
    let setting = book
        .rules
        .iter()
        .map(|rule| rule.setting.len())
        .max()
        .unwrap_or(0);
    let mut out = String::new();
    for rule in &book.rules {
        // Where nobody said anything there is nobody to name.
        let from = if rule.from == "built-in" {
            String::new()
        } else {
            format!(" ({})", rule.from)
        };
        let _ = writeln!(
            out,
            "{:id$}  {:setting$}  {}{from}",
            rule.id, rule.setting, rule.stops
        );
    }
    let _ = writeln!(out, "base branches: {}", policy.base_branches.join(" "));
    for trouble in &book.troubles {
        let _ = writeln!(out, "note: {trouble}");
    }
    out
}

fn change(set: &Set, here: &Here) -> Exit {
    let Some(file) = here.user_file() else {
        return trouble("there is no place for a policy: set `HOME` or `XDG_CONFIG_HOME`");
    };
    let repo = match (set.everywhere, here.top()) {
        (true, _) => None,
        (false, Some(top)) => Some(top.to_string_lossy().into_owned()),
        (false, None) if set.here => return trouble("there is no repository here"),
        (false, None) => None,
    };
    let old = match std::fs::read_to_string(file) {
        Ok(text) => text,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => String::new(),
        Err(error) => return trouble(&format!("`{}` cannot be read: {error}", file.display())),
    };
    let edit = match set_rule(&old, &set.id, &set.value, repo.as_deref(), &KNOWN) {
        Ok(edit) => edit,
        Err(why) => return trouble(&why.to_string()),
    };
    let place = repo.as_deref().unwrap_or("every repository");
    let what = format!(
        "`{}` becomes `{}` for {place}, in {}",
        set.id,
        set.value,
        file.display()
    );
    // Whoever makes it stricter needs no leave.
    if edit.loosens
        && let Err(reason) = is_person(false).and_then(|()| confirm(&what, "loosen"))
    {
        return refused(&reason.to_string());
    }
    let made = missing_above(file);
    if let Err(error) = write(file, &edit.text) {
        return trouble(&format!("`{}` cannot be written: {error}", file.display()));
    }
    match home::state() {
        Ok(state) => {
            let exit = done(&state, "rules-set", &what);
            // So that `uninstall --purge` can take them away again; nothing else depends on it.
            if !made.is_empty() {
                let _ = state.note_made(made.iter().map(PathBuf::as_path));
            }
            exit
        }
        Err(_) => {
            terminal::out(&format!("{what}\n"));
            Exit::Ok
        }
    }
}

/// The directories above that of `file` that are not there, outer ones first.
fn missing_above(file: &Path) -> Vec<PathBuf> {
    let above = file.ancestors().skip(2);
    let mut dirs: Vec<PathBuf> = above
        .take_while(|dir| !dir.exists())
        .map(Path::to_owned)
        .collect();
    dirs.reverse();
    dirs
}

/// Replaces the file at once, so that no reader sees half of it.
fn write(file: &Path, text: &str) -> std::io::Result<()> {
    let dir = file.parent().unwrap_or(Path::new("."));
    std::fs::create_dir_all(dir)?;
    let beside = dir.join(format!(".policy.{}.tmp", std::process::id()));
    std::fs::write(&beside, text)?;
    std::fs::rename(&beside, file)
}

/// The rule ids, for messages.
#[cfg(test)]
mod tests {
    use super::KNOWN;

    #[test]
    fn every_rule_of_the_book_is_known_to_policies() {
        assert_eq!(KNOWN.len(), super::ALL.len());
    }
}
