//! The quick reader against the `toml` crate, on documents made from a seed.

use super::doc::{Doc, ROOT, Value};
use super::{quick, thorough};
use toml::Table;

/// xorshift64*, so that every run sees the same documents.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        let high = self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 33;
        usize::try_from(high).unwrap() % sides
    }

    fn of<'a>(&mut self, list: &[&'a str]) -> &'a str {
        list[self.roll(list.len())]
    }
}

/// The document as the `toml` crate would have it.
fn table(doc: &Doc, parent: u32) -> Table {
    let children = doc
        .entries
        .iter()
        .enumerate()
        .filter(|(_, e)| e.parent == parent);
    children
        .map(|(i, e)| {
            (
                e.key.clone().into_owned(),
                value(doc, u32::try_from(i).unwrap(), &e.value),
            )
        })
        .collect()
}

fn value(doc: &Doc, index: u32, value: &Value) -> toml::Value {
    match value {
        Value::Text(text) => toml::Value::String(text.clone().into_owned()),
        Value::Flag(flag) => toml::Value::Boolean(*flag),
        Value::Whole(number) => toml::Value::Integer(*number),
        Value::Texts(texts) => toml::Value::Array(
            texts
                .iter()
                .map(|t| toml::Value::String(t.to_string()))
                .collect(),
        ),
        Value::Table(_) => toml::Value::Table(table(doc, index)),
        Value::Tables { .. } => {
            let elements = doc
                .entries
                .iter()
                .enumerate()
                .filter(|(_, e)| e.parent == index);
            let tables = elements.map(|(i, _)| table(doc, u32::try_from(i).unwrap()));
            toml::Value::Array(tables.map(toml::Value::Table).collect())
        }
        Value::Odd(noun) => toml::Value::String(format!("odd: {noun}")),
    }
}

/// Whether the quick reader followed; what it says then must be what `toml` says.
fn agrees(text: &str) -> bool {
    let Some(doc) = quick::read(text) else {
        return false;
    };
    let theirs = text.parse::<Table>();
    let theirs = theirs.unwrap_or_else(|e| panic!("read what is no TOML: {e}\n{text:?}"));
    assert_eq!(table(&doc, ROOT), theirs, "{text:?}");
    match thorough::read(text) {
        Ok(slow) => assert_eq!(table(&slow, ROOT), theirs, "{text:?}"),
        // It has a floor of its own.
        Err(broken) => assert_eq!(broken.what, "tables are nested too deep", "{text:?}"),
    }
    true
}

const KEYS: &[&str] = &[
    "a",
    "b",
    "rules",
    "git",
    "mode",
    "\"git/amend\"",
    "'x.y'",
    "\"\\u0061\"",
    "repo",
    "1",
    "-",
    "\"\"",
];

const VALUES: &[&str] = &[
    "\"deny\"",
    "'ask'",
    "true",
    "false",
    "0",
    "-17",
    "+4",
    "[]",
    "[\"a\", 'b']",
    "[ \"a\",\n # c\n 'b', ]",
    "\"a\\tb\\\\\\\"\"",
    "\"\"",
    "''",
    "\"\\U0001F600é\"",
    "{}",
    "{ a = 1, b.c = 'x' }",
    "{a={b=true}}",
];

/// What policies seldom hold, or what is wrong.
const ODD: &[&str] = &[
    "01",
    "1_0",
    "1.5",
    "1e3",
    "inf",
    "0x1f",
    "1979-05-27",
    "07:32:00",
    "\"\"\"a\nb\"\"\"",
    "'''a'''",
    "[1, 2]",
    "[[1]]",
    "[{a=1}]",
    "\"\\x\"",
    "\"\\e\"",
    "\"open",
    "'open",
    "{ a = 1, }",
    "{ a = 1\n}",
    "tru",
    "",
    "9223372036854775808",
    "\"\\uD800\"",
    "[\"a\" \"b\"]",
    "--1",
    "+",
    "\"a\u{1}\"",
    "\"a\u{7f}b\"",
    "-0",
];

fn document(dice: &mut Dice, odd: bool) -> String {
    let mut text = String::new();
    for _ in 0..dice.roll(9) {
        let key = key(dice);
        let newline = dice.of(&["\n", "\n", "\n\n", "\r\n", " # note\n", "\t\n"]);
        let line = match dice.roll(10) {
            0 | 1 => format!("[{key}]"),
            2 => format!("[[{key}]]"),
            3 => dice.of(&["# a comment, é", "", "  ", "#"]).to_owned(),
            _ if odd && dice.roll(4) == 0 => format!("{key} = {}", dice.of(ODD)),
            _ => format!(
                "{key}{}={}{}",
                dice.of(&["", " ", "\t"]),
                dice.of(&["", " "]),
                dice.of(VALUES)
            ),
        };
        text.push_str(&line);
        text.push_str(newline);
    }
    text
}

fn key(dice: &mut Dice) -> String {
    let mut key = dice.of(KEYS).to_owned();
    while dice.roll(3) == 0 {
        key.push_str(dice.of(&[".", " . ", "."]));
        key.push_str(dice.of(KEYS));
    }
    key
}

#[expect(
    clippy::disallowed_methods,
    reason = "a test may look at the environment"
)]
fn rounds(short: usize) -> usize {
    if std::env::var_os("LEASEGUARD_LONG").is_some() {
        short * 50
    } else {
        short
    }
}

#[test]
fn what_is_read_quickly_is_what_toml_reads() {
    let mut dice = Dice(0x5eed);
    let (mut followed, mut valid) = (0, 0);
    for _ in 0..rounds(20_000) {
        let text = document(&mut dice, false);
        let fine = text.parse::<Table>().is_ok();
        valid += usize::from(fine);
        followed += usize::from(agrees(&text));
    }
    assert!(
        followed * 10 > valid * 8,
        "only {followed} of {valid} valid documents were read quickly"
    );
}

#[test]
fn what_is_odd_or_wrong_is_never_read_otherwise_than_toml_reads_it() {
    let mut dice = Dice(0x0dd);
    let followed = (0..rounds(20_000))
        .filter(|_| agrees(&document(&mut dice, true)))
        .count();
    assert!(followed > 0);
}

#[test]
fn a_changed_byte_is_never_overlooked() {
    let mut dice = Dice(0xbad);
    let bytes = b"\0\t\n\r \"#'+,-.=[\\]{}_019aAu\x7f\xc3\xff";
    for _ in 0..rounds(20_000) {
        let mut text = document(&mut dice, false).into_bytes();
        for _ in 0..=dice.roll(2) {
            let at = dice.roll(text.len() + 1);
            let byte = bytes[dice.roll(bytes.len())];
            match dice.roll(3) {
                0 => text.insert(at, byte),
                1 if at < text.len() => text[at] = byte,
                _ if at < text.len() => drop(text.remove(at)),
                _ => {}
            }
        }
        if let Ok(text) = String::from_utf8(text) {
            agrees(&text);
        }
    }
}

#[test]
fn the_example_is_read_quickly() {
    let rules = crate_rules();
    assert!(agrees(&super::example(&rules)));
}

#[test]
fn a_table_below_a_section_belongs_to_the_last_section() {
    assert!(agrees(
        "[[repo]]\npath = 'a'\n[repo.rules]\nx = 'ask'\n[[repo]]\npath = 'b'\n[repo.rules]\nx = 'deny'\n"
    ));
}

#[test]
fn long_and_deep_texts_are_left_to_the_thorough_reader() {
    let long: String = (0..1000).map(|n| format!("k{n} = 1\n")).collect();
    assert!(!agrees(&long));
    assert!(!agrees(&format!(
        "a = {}{}",
        "{a=".repeat(50),
        "}".repeat(50)
    )));
    assert!(!agrees(&format!("a = {}", "[".repeat(100_000))));
    assert!(thorough::read(&format!("a = {}", "[".repeat(100_000))).is_err());
}

fn crate_rules() -> Vec<super::Known> {
    let rule = |id| super::Known {
        id,
        decision: crate::verdict::Decision::Deny,
        stops: "what it stops",
    };
    ["git/force-push", "git/amend"].map(rule).to_vec()
}
