//! A judgement as a scene in the fixtures' language, ready for a bug report.

use crate::action::Place;
use crate::verdict::Verdict;
use crate::world::{Fact, Head, Surroundings, World};
use std::fmt::Write as _;

/// The scene: what the repository says of itself, and the command under the decision it got.
pub(super) fn scene(verdict: &Verdict, command: &str, around: Surroundings) -> String {
    let place = Place {
        dir: around.cwd.clone(),
        ..Place::default()
    };
    let world = World::new(around);
    let mut out = String::from("[[scene]]\n");
    match branch(&world, &place) {
        Some(branch) => {
            let _ = writeln!(out, "branch = {}", toml_string(&branch));
            match upstream(&world, &place, &branch) {
                Some(upstream) => {
                    let _ = writeln!(out, "upstream = {}", toml_string(&upstream));
                }
                None => out.push_str("# no upstream, or none that can be read\n"),
            }
        }
        None => out.push_str("# on no branch, or on none that can be read\n"),
    }
    out.push_str(
        "# this is what leaseguard says; if it is wrong, change the word before the list\n",
    );
    let _ = writeln!(out, "{} = [{}]", verdict.decision(), toml_string(command));
    if let Some(fault) = &verdict.fault {
        let _ = writeln!(out, "# {}", fault.code);
    }
    for finding in &verdict.findings {
        let _ = writeln!(out, "# {}", finding.rule);
    }
    out
}

fn branch(world: &World, place: &Place) -> Option<String> {
    match world.heads(place) {
        Fact::Known(heads) => heads.into_iter().find_map(|head| match head {
            Head::Branch(name) => Some(name),
            Head::Detached => None,
        }),
        Fact::Unknown(_) => None,
    }
}

fn upstream(world: &World, place: &Place, branch: &str) -> Option<String> {
    let value = |key: &str| match world.config(place, &format!("branch.{branch}.{key}")) {
        Fact::Known(value) => value,
        Fact::Unknown(_) => None,
    };
    let (remote, merge) = (value("remote")?, value("merge")?);
    let short = merge.strip_prefix("refs/heads/").unwrap_or(&merge);
    Some(format!("{remote}/{short}"))
}

/// `text` as a basic TOML string.
fn toml_string(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            c if c.is_control() => {
                let _ = write!(out, "\\u{:04x}", c as u32);
            }
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

#[cfg(test)]
mod tests {
    use super::scene;
    use crate::verdict::Verdict;
    use crate::world::Surroundings;

    #[test]
    fn any_command_comes_back_out_of_the_scene() {
        let command = "git commit -m \"a\\b\"\n\t# \u{1b}\u{7f} ü";
        let text = scene(&Verdict::default(), command, Surroundings::default());
        let value: toml::Table = text.parse().expect("TOML");
        assert_eq!(value["scene"][0]["allow"][0].as_str(), Some(command));
    }
}
