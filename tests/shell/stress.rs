//! Input that nobody would write: it must end soon and never break anything.

use crate::mutants::{self, Random};
use crate::{cases, extract, long};

/// Deep, long and wide texts, with whether work may be cut short on them.
fn monsters() -> Vec<(&'static str, String, bool)> {
    vec![
        // More steps than a script may have: cut, and told.
        ("a && …", "a && ".repeat(100_000), true),
        ("a || …", "a || ".repeat(100_000), true),
        ("a || b && …", "a || b && ".repeat(50_000), true),
        ("a | …", "a | ".repeat(20_000), true),
        ("$( …", "$(".repeat(10_000), true),
        ("\"$( …", "\"$(".repeat(10_000), true),
        ("( …", "(".repeat(100_000), true),
        ("(( …", "((".repeat(50_000), true),
        ("$(( …", "$((".repeat(50_000), true),
        ("${x:- …", "${x:-".repeat(10_000), true),
        ("` …", "`".repeat(100_001), false),
        ("[[ ( …", "[[ ( ".repeat(20_000), false),
        ("{a, …", "{a,".repeat(20_000), false),
        ("{a,b} …", "{a,b}".repeat(2_000), false),
        ("if …", "if a; then ".repeat(20_000), true),
        ("case …", "case x in a) ".repeat(10_000), true),
        ("{ …", "{ ".repeat(50_000), true),
        ("f() …", "f() ".repeat(20_000), true),
        ("! …", "! ".repeat(50_000), false),
        (
            "elif …",
            format!("if a; then b; {} fi", "elif c; then d; ".repeat(10_000)),
            true,
        ),
        ("heredocs", "cat <<E\nx $(a)\nE\n".repeat(2_000), false),
        (
            "heredocs on one line",
            format!("{}\n{}", "cat <<E; ".repeat(2_000), "x\nE\n".repeat(2_000)),
            false,
        ),
        ("unfinished heredocs", "cat <<E\n".repeat(2_000), false),
        (
            "a value that doubles",
            format!("x=aaaa;{}", "x=$x$x;".repeat(2_000)),
            true,
        ),
        (
            "many variables",
            (0..20_000).map(|i| format!("x{i}=1 || y=2\n")).collect(),
            true,
        ),
        ("many exits", "a && exit; ".repeat(20_000), true),
        (
            "functions in circles",
            "f() { g; g; }; g() { f; f; }; f; g\n".repeat(500),
            true,
        ),
        (
            "nested loops",
            "for a in 1 2 3 4 5 6 7 8 9; do ".repeat(30) + "git push $a" + &"; done".repeat(30),
            false,
        ),
        (
            "eval in eval",
            "eval 'eval \"eval git push\"'; ".repeat(3_000),
            true,
        ),
        (
            "a long array",
            format!(
                "a=({}); for x in \"${{a[@]}}\"; do echo $x; done",
                "x ".repeat(50_000)
            ),
            true,
        ),
        (
            "candidates",
            format!(
                "{} git push $x $y $z",
                "a && x=1 || x=2; a && y=1 || y=2; a && z=1 || z=2;".repeat(500)
            ),
            false,
        ),
    ]
}

#[test]
fn monsters_end_within_a_small_stack() {
    let checked = std::thread::Builder::new()
        .stack_size(1 << 20)
        .spawn(|| {
            for (name, text, may_cut) in monsters() {
                let begin = std::time::Instant::now();
                let script = extract(&text);
                let cut = script.problems.iter().any(|p| p.cut);
                assert!(
                    may_cut || !cut,
                    "{name} was cut short: {:?}",
                    script.problems.last()
                );
                drop(script);
                let taken = begin.elapsed();
                assert!(taken.as_secs() < 5, "{name} took {taken:?}");
            }
        })
        .expect("thread")
        .join();
    assert!(checked.is_ok());
}

#[test]
fn nesting_that_is_too_deep_is_told() {
    for open in ["$(", "(", "{ ", "if a; then ", "${x:-"] {
        let script = extract(&open.repeat(60));
        assert!(script.problems.iter().any(|p| p.cut), "{open}");
    }
    let deep = format!("{}git push{}", "$(".repeat(40), ")".repeat(40));
    let script = extract(&deep);
    assert!(script.problems.is_empty());
    assert!(
        script
            .commands()
            .any(|c| c.words.first().is_some_and(|w| w.text == "git"))
    );
}

#[test]
fn garbage_and_truncated_scripts_are_survived() {
    let all = cases();
    for case in &all {
        for end in 0..=case.script.len() {
            if let Some(text) = case.script.get(..end) {
                extract(text);
            }
            if let Some(text) = case.script.get(end..) {
                extract(text);
            }
        }
    }
    let base: Vec<&str> = all.iter().map(|c| c.script.as_str()).collect();
    let mut random = Random::new(4);
    let odd = [
        "\u{1}",
        "\u{F0000}",
        "\0",
        "\r",
        "\u{a0}",
        "é",
        "$'\\u",
        "$'\\x",
        "${#",
        "${!",
        "<<-",
        "\\",
    ];
    let count = match (long(), cfg!(debug_assertions)) {
        (true, _) => 1_000_000,
        (false, true) => 20_000,
        (false, false) => 100_000,
    };
    for _ in 0..count {
        let mut text = String::new();
        for _ in 0..random.below(12) {
            match random.below(8) {
                0 => text.push_str(random.pick(&odd)),
                1 => text.push(char::from((random.below(95) + 32) as u8)),
                _ => text.push_str(random.pick(mutants::TOKENS)),
            }
        }
        if random.below(4) == 0 {
            text.push_str(&mutants::mutant(&base, &mut random));
        }
        let script = extract(&text);
        for command in script.commands() {
            assert!(!command.dirs.is_empty(), "{text:?}");
            assert!(
                command.span.start <= command.span.end && command.span.end <= text.len(),
                "{text:?}"
            );
            assert!(
                command.words.iter().all(|w| w.span.end <= text.len()),
                "{text:?}"
            );
        }
        assert!(balanced(&script), "{text:?}");
    }
}

/// Every fork is joined, and `Or` stands only between.
fn balanced(script: &leaseguard::shell::Script) -> bool {
    let mut depth = 0i64;
    for step in &script.steps {
        match step {
            leaseguard::shell::Step::Fork => depth += 1,
            leaseguard::shell::Step::Join => depth -= 1,
            leaseguard::shell::Step::Or if depth == 0 => return false,
            _ => {}
        }
        if depth < 0 {
            return false;
        }
    }
    depth == 0
}
