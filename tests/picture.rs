//! `docs/implicit-push.svg` shows what the binary says now of an implicit push.
#![allow(
    clippy::expect_used,
    clippy::panic,
    reason = "a broken test may stop at once"
)]

mod support;

use leaseguard::demo::{ALL, Scratch};
use std::fmt::Write as _;
use std::process::Command;
use std::sync::LazyLock;

const FILE: &str = "docs/implicit-push.svg";

/// Columns of the terminal in the picture.
const COLUMNS: usize = 88;

/// The size of a letter and of a line, and what is left free around the text, in pixels.
const LETTER: f64 = 8.43;
const LINE: usize = 20;
const MARGIN: usize = 24;
const BAR: usize = 36;

const STYLE: &str = "    text { font: 14px ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace; fill: #1f2328; white-space: pre }
    .paper { fill: #f6f8fa; stroke: #d1d9e0 }
    .dot { fill: #d1d9e0 }
    .bad { fill: #c1121f; font-weight: bold }
    .label { font-weight: bold }
    .prompt { fill: #59636e }
    @media (prefers-color-scheme: dark) {
      text { fill: #e6edf3 }
      .paper { fill: #0d1117; stroke: #3d444d }
      .dot { fill: #3d444d }
      .bad { fill: #ff7b72 }
      .prompt { fill: #9198a1 }
    }
";

/// What a terminal shows: the command, and the binary's own words in the first accident's room.
fn shown() -> String {
    let accident = ALL.first().expect("an accident");
    let scratch = Scratch::new(false).expect("a scratch directory");
    let room = scratch.room("picture", accident.setup).expect("a room");
    let output = Command::new(env!("CARGO_BIN_EXE_leaseguard"))
        .args(["explain", accident.command])
        .current_dir(room.join("app"))
        .env_clear()
        .env("HOME", scratch.home())
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .output()
        .expect("the binary starts");
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
    let said = String::from_utf8(output.stdout).expect("UTF-8");
    format!("$ leaseguard explain '{}'\n{said}", accident.command)
}

/// Breaks long lines between words; what goes on stands further in.
fn folded(text: &str) -> Vec<String> {
    let mut lines = Vec::new();
    for line in text.lines() {
        let indent = line.len() - line.trim_start().len();
        let mut now = " ".repeat(indent);
        let mut empty = true;
        for word in line.trim_start().split(' ') {
            if !empty && now.chars().count() + 1 + word.chars().count() > COLUMNS {
                lines.push(std::mem::replace(&mut now, " ".repeat(indent + 4)));
                empty = true;
            }
            if !empty {
                now.push(' ');
            }
            now.push_str(word);
            empty = false;
        }
        lines.push(now);
    }
    lines
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
}

/// One line with its beginning painted as a terminal would.
fn painted(line: &str) -> String {
    let span = |class: &str, part: &str, rest: &str| {
        format!(
            "<tspan class=\"{class}\">{}</tspan>{}",
            escaped(part),
            escaped(rest)
        )
    };
    if let Some(rest) = line.strip_prefix("$ ") {
        return span("prompt", "$ ", rest);
    }
    if let Some(rest) = line.strip_prefix("denied ") {
        return span("bad", "denied ", rest);
    }
    if line.trim_start().starts_with('^') {
        return span("bad", line, "");
    }
    match line.split_once(':') {
        Some((label, rest)) if label.chars().all(char::is_lowercase) => {
            span("label", &format!("{label}:"), rest)
        }
        _ => escaped(line),
    }
}

fn drawn(text: &str) -> String {
    let lines = folded(text);
    let width = (COLUMNS as f64 * LETTER) as usize + 2 * MARGIN;
    let height = BAR + lines.len() * LINE + MARGIN;
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" \
         height=\"{height}\" role=\"img\" aria-labelledby=\"title desc\">\n  \
         <title id=\"title\">leaseguard explains an implicit push</title>\n  \
         <desc id=\"desc\">A terminal. git push -u origin feat/login looks like a push of a feature \
         branch, but would move main: leaseguard denies it, says because of which settings, and \
         names a command to run instead.</desc>\n  \
         <style>\n{STYLE}  </style>\n  \
         <rect class=\"paper\" x=\"0.5\" y=\"0.5\" width=\"{}\" height=\"{}\" rx=\"8\"/>\n",
        width - 1,
        height - 1
    );
    for at in 0..3 {
        let x = MARGIN + at * 18;
        let _ = writeln!(
            svg,
            "  <circle class=\"dot\" cx=\"{x}\" cy=\"18\" r=\"5\"/>"
        );
    }
    for (at, line) in lines.iter().enumerate() {
        let y = BAR + (at + 1) * LINE - 5;
        let line = painted(line);
        let _ = writeln!(
            svg,
            "  <text x=\"{MARGIN}\" y=\"{y}\" xml:space=\"preserve\">{line}</text>"
        );
    }
    svg + "</svg>\n"
}

/// The words that somebody reads in the picture.
fn read(svg: &str) -> Vec<String> {
    let lines = svg.split("<text ").skip(1).filter_map(|rest| {
        let (_, rest) = rest.split_once('>')?;
        let (line, _) = rest.split_once("</text>")?;
        Some(line.replace("</tspan>", "\0>"))
    });
    let mut text = String::new();
    for line in lines {
        // Tags go, and what is between them stays.
        for part in line.split(['<', '\0']) {
            text += match part.split_once('>') {
                Some((_, after)) => after,
                None => part,
            };
        }
        text.push('\n');
    }
    let text = text
        .replace("&lt;", "<")
        .replace("&gt;", ">")
        .replace("&amp;", "&");
    text.split_whitespace().map(str::to_owned).collect()
}

fn words(text: &str) -> Vec<&str> {
    text.split_whitespace().collect()
}

/// What the binary says now.
static SHOWN: LazyLock<String> = LazyLock::new(shown);

/// The picture as it lies there, drawn anew where that is wanted.
static PICTURE: LazyLock<String> = LazyLock::new(|| {
    let file = support::root().join(FILE);
    if support::update() {
        std::fs::write(&file, drawn(&SHOWN)).expect("the picture can be written");
    }
    std::fs::read_to_string(file).unwrap_or_else(|e| panic!("{FILE}: {e}"))
});

#[test]
fn the_picture_says_what_the_binary_says() {
    let again = "UPDATE=1 cargo test --test picture draws it anew";
    assert_eq!(read(&PICTURE), words(&SHOWN), "{again}");
    assert_eq!(*PICTURE, drawn(&SHOWN), "{again}");
}

#[test]
fn other_words_in_a_picture_are_seen() {
    let svg = drawn("$ a <b>\ndenied x: y & z\n  ^^\n");
    assert_eq!(read(&svg), words("$ a <b> denied x: y & z ^^"));
    assert_ne!(read(&svg), words("$ a <b> denied x: y & w ^^"));
}

#[test]
fn the_picture_is_small_and_needs_nothing_else() {
    let svg = &*PICTURE;
    assert!(svg.len() < 20_000, "{} bytes", svg.len());
    assert!(svg.contains("<title ") && svg.contains("<desc "));
    for foreign in ["href", "url(", "@import", "<script", "<image"] {
        assert!(!svg.contains(foreign), "{foreign}");
    }
}

#[test]
fn the_picture_shows_the_harm_the_reason_and_the_way_out() {
    let text = read(&PICTURE).join(" ");
    for part in ["would move `main`", "because:", "instead:"] {
        assert!(text.contains(part), "{text}");
    }
}
