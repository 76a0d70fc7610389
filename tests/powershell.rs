//! PowerShell: what runs something guarded is stopped, what only speaks of it is not, and nothing overwhelms the reader.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod support;

use leaseguard::call::Dialect;
use leaseguard::shell::{self, Command, Files, Inner, Source, Start, Wrappers};
use leaseguard::verdict::{Decision, Verdict};
use std::path::Path;
use support::setup::{Linked, Setup};
use support::text::dice;
use support::{Report, Stage, brief, long, repo, told};

#[derive(serde::Deserialize)]
struct Corpus {
    stop: Vec<String>,
    allow: Vec<String>,
}

fn corpus() -> Corpus {
    let path = support::root().join("fixtures/shell/powershell.toml");
    toml::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
}

/// A repository with an edit, a dirty checkout beside it and a tag.
fn stage() -> Stage {
    let repo = repo::fresh(&Setup {
        worktrees: vec![Linked {
            name: "wt2".to_owned(),
            branch: "feat/two".to_owned(),
            dirty: vec!["a.txt".to_owned()],
            untracked: Vec::new(),
            staged: Vec::new(),
        }],
        ..Setup::default()
    });
    repo::put(&repo.top.join("evil.ps1"), "Write-Host hi\ngit push -f\n");
    repo::put(&repo.top.join("good.ps1"), "param($Name)\ngit status\n");
    Stage {
        repo: repo.into(),
        unseen_typing: false,
    }
}

fn judged(stage: &Stage, text: &str) -> Verdict {
    stage.judge_in(Dialect::PowerShell, text)
}

#[test]
fn what_runs_something_guarded_is_stopped() {
    let stage = stage();
    let mut report = Report::default();
    for text in corpus().stop {
        let verdict = judged(&stage, &text);
        let stopped = verdict.decision() != Decision::Allow && verdict.fault.is_none();
        report.check(stopped, "let through", || brief(&text));
    }
    report.end("commands that run something guarded");
}

#[test]
fn what_runs_nothing_guarded_is_let_through() {
    let stage = stage();
    let mut report = Report::default();
    for text in corpus().allow {
        let verdict = judged(&stage, &text);
        report.check(verdict.decision() == Decision::Allow, "stopped", || {
            format!("{}: {}", told(&verdict), brief(&text))
        });
    }
    report.end("harmless commands");
}

#[test]
fn a_guarded_command_in_quotes_is_only_a_text() {
    let stage = stage();
    let mut report = Report::default();
    for text in corpus().stop {
        let quoted = format!("Write-Host '{}'", text.replace('\'', "''"));
        let verdict = judged(&stage, &quoted);
        report.check(verdict.decision() == Decision::Allow, "stopped", || {
            format!("{}: {}", told(&verdict), brief(&quoted))
        });
    }
    report.end("quoted commands");
}

// R64
#[test]
fn a_guarded_command_is_stopped_wherever_it_stands() {
    let stage = stage();
    let places = [
        "if ($x) {{ {} }}",
        "Write-Host a; {}",
        "Write-Host a\n{}",
        "1..3 | ForEach-Object {{ {} }}",
        "try {{ {} }} catch {{ Write-Host $_ }}",
        "$r = $({})",
        "Write-Host \"x $({}) y\"",
        "function f {{ {} }}\nf",
        "& {{ {} }}",
        "Get-Process | Where-Object {{ ({}) }}",
        "@{{ a = 1; b = $({}) }} | ConvertTo-Json",
        "<# why #> {} # because",
    ];
    let mut report = Report::default();
    for command in [
        "git push -f",
        "git add -A",
        "git push origin HEAD:main",
        "gh pr merge 1",
    ] {
        for place in places {
            let text = place
                .replace("{}", command)
                .replace("{{", "{")
                .replace("}}", "}");
            let verdict = judged(&stage, &text);
            report.check(verdict.decision() != Decision::Allow, "let through", || {
                brief(&text)
            });
            let harmless = text.replace(command, "git status");
            let verdict = judged(&stage, &harmless);
            report.check(verdict.decision() == Decision::Allow, "stopped", || {
                format!("{}: {}", told(&verdict), brief(&harmless))
            });
        }
    }
    report.end("commands in every place");
}

#[test]
fn scripts_are_read_and_their_lines_are_told() {
    let stage = stage();
    for text in [
        ".\\evil.ps1",
        "& ./evil.ps1",
        ". .\\evil.ps1",
        "pwsh -File evil.ps1",
    ] {
        let verdict = judged(&stage, text);
        let told = verdict.findings.iter().flat_map(|f| &f.because);
        let line = told.filter(|fact| fact.contains("line 2 of `")).count();
        assert_eq!((verdict.decision(), line), (Decision::Deny, 1), "{text}");
    }
    for text in [
        ".\\good.ps1 -Name x",
        "pwsh -NoProfile ./good.ps1",
        ".\\missing.ps1",
    ] {
        assert_eq!(judged(&stage, text).decision(), Decision::Allow, "{text}");
    }
}

#[test]
fn bash_that_starts_powershell_is_read_on() {
    let stage = stage();
    for (text, allowed) in [
        ("pwsh -c 'git push -f'", false),
        ("pwsh -c '& { git push --force }'", false),
        ("pwsh -enc ZwBpAHQAIABwAHUAcwBoACAALQBmAA==", false),
        ("echo 'git push -f' | pwsh -", false),
        ("pwsh -File evil.ps1", false),
        (
            "pwsh -NoProfile -c 'Get-ChildItem | Select-Object Name'",
            true,
        ),
        ("pwsh -c 'Write-Host \"git push -f\"'", true),
        ("pwsh -File good.ps1", true),
    ] {
        let decision = stage.judge(text).decision();
        assert_eq!(decision == Decision::Allow, allowed, "{text}: {decision:?}");
    }
}

/// A world without wrappers and files.
struct Nothing;

impl Wrappers for Nothing {
    fn unfold(&self, _: &Command) -> Vec<Inner> {
        Vec::new()
    }
}

impl Files for Nothing {
    fn script(&self, _: &Path, _: bool) -> Source {
        Source::None
    }
}

fn read(text: &str) -> shell::Script {
    shell::extract_pwsh(text, &Start::default(), &Nothing, &Nothing)
}

#[test]
fn texts_that_are_broken_anywhere_are_read_to_their_end() {
    let corpus = corpus();
    let all: Vec<&String> = corpus.stop.iter().chain(&corpus.allow).collect();
    let rounds = if long() { 400 } else { 12 };
    let pieces = [
        "'", "\"", "(", ")", "{", "}", "$(", "@(", "@{", "@'\n", "\n'@", "`", "|", "&", ";", "\n",
        "$x", "[", "]", "::", ".", ",", "=", "-f", "--%", "<#", "#>", "#", ">", "2>&1", "if",
        "foreach", " ", "é",
    ];
    for (at, text) in all.iter().enumerate() {
        for round in 0..rounds {
            let roll = dice(&[text, &round.to_string()]) as usize;
            let cuts: Vec<usize> = text.char_indices().map(|(n, _)| n).collect();
            let cut = cuts[roll % cuts.len()];
            let piece = pieces[(roll >> 8) % pieces.len()];
            let other = all[(at + (roll >> 16)) % all.len()];
            let (before, after) = text.split_at(cut);
            let broken = match round % 3 {
                0 => format!("{before}{piece}{after}"),
                1 => format!("{before}{piece}{other}"),
                _ => after.to_owned(),
            };
            read(&broken);
        }
    }
}

#[test]
fn what_is_nested_too_deeply_or_too_long_is_said_and_does_no_harm() {
    let deep = [
        "$(",
        "(",
        "{",
        "@(",
        "@{a=",
        "\"$(",
        "[x](",
        "& {",
        "if (1) {",
        "!",
        "$x[",
        ".a(",
        "foreach ($x in 1,2) {",
    ];
    for piece in deep {
        let text = piece.repeat(10_000);
        let script = read(&text);
        let told = script.problems.iter().any(|p| p.cut) || piece == "!" || piece == "$x[";
        assert!(
            told || !script.problems.is_empty(),
            "{piece}: {:?}",
            script.problems
        );
    }
    let long = "git status; ".repeat(20_000);
    assert!(read(&long).problems.iter().any(|p| p.cut));
}

#[test]
fn an_unterminated_quote_before_a_guarded_name_is_asked_about() {
    let stage = stage();
    for text in [
        "Write-Host 'git push -f",
        "git push \"",
        "if ($x) { git push",
    ] {
        assert_ne!(judged(&stage, text).decision(), Decision::Allow, "{text}");
    }
}
