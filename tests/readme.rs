//! What the README says of rules, files and commands is what there is.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout
)]

mod support;

use std::fmt::Write;

const OPEN: &str = "<!-- rules -->";
const CLOSE: &str = "<!-- /rules -->";

fn readme() -> String {
    std::fs::read_to_string(support::root().join("README.md")).expect("README.md")
}

/// The table of rules as it should stand between the markers.
fn table() -> String {
    let mut out = String::from("\n| rule | default | what it stops |\n|---|---|---|\n");
    for rule in leaseguard::rules::ALL {
        let stops = rule.stops.replace('|', "\\|");
        writeln!(out, "| `{}` | {} | {stops} |", rule.id, rule.decision).unwrap();
    }
    out + "\n"
}

/// The text around the table, and the table as it is.
fn parts(text: &str) -> Option<(&str, &str, &str)> {
    let (before, rest) = text.split_once(OPEN)?;
    let (inside, after) = rest.split_once(CLOSE)?;
    Some((before, inside, after))
}

#[test]
fn the_table_of_rules_is_the_rule_book() {
    let text = readme();
    let (before, inside, after) =
        parts(&text).unwrap_or_else(|| panic!("README.md has no `{OPEN}` … `{CLOSE}` block"));
    let want = table();
    if support::update() {
        let new = format!("{before}{OPEN}\n{}{CLOSE}{after}", &want);
        std::fs::write(support::root().join("README.md"), new).unwrap();
        return;
    }
    assert_eq!(
        inside.trim(),
        want.trim(),
        "the README's table is not the rule book; UPDATE=1 cargo test --test readme writes it"
    );
}

#[test]
fn markers_that_are_gone_are_seen() {
    assert_eq!(parts("no table"), None);
    assert_eq!(parts("a <!-- /rules --> b <!-- rules --> c"), None);
    assert_eq!(
        parts("a<!-- rules -->b<!-- /rules -->c"),
        Some(("a", "b", "c"))
    );
}

#[test]
fn files_that_the_readme_names_are_there() {
    let text = readme();
    let mut missing = Vec::new();
    // Code between backquotes that looks like a path of this package.
    for word in text.split('`').skip(1).step_by(2) {
        let path = word.trim_end_matches('/');
        let ours = ["src/", "tests/", "fixtures/", "docs/", "benches/", "hooks/"]
            .iter()
            .any(|top| path.starts_with(top));
        let placeholder = path.contains("NAME") || path.contains([' ', '*', '<', '{']);
        if ours && !placeholder && !support::root().join(path).exists() {
            missing.push(path.to_owned());
        }
    }
    assert_eq!(
        missing,
        Vec::<String>::new(),
        "README.md names files that are not there"
    );
}
