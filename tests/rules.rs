//! Every rule on its own cases: plain, wrapped in every way, only quoted, and with its alternatives followed.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout
)]

mod support;

use leaseguard::verdict::{Decision, Verdict};
use std::collections::{BTreeMap, BTreeSet};
use support::rules::{Case, Fixture, cases, file_name, load};
use support::setup::Setup;
use support::text::{dice, shape};
use support::wrap::{Least, Template, fill};
use support::{Report, Stage, brief, long, says, spread, told};

/// Without `LEASEGUARD_LONG=1` one of this many (command, wrapper) pairs is judged.
const SAMPLE: u64 = 3;

/// As [`SAMPLE`], for rules that ask git itself: each judgement starts a child.
const ASKS_GIT: u64 = 24;

fn sample(rule: &str) -> u64 {
    match rule {
        "git/discard" | "git/rewrite" | "git/worktree-force" => ASKS_GIT,
        _ => SAMPLE,
    }
}

/// Without `LEASEGUARD_LONG=1` one of this many (command, wrapper, wrapper) triples is judged.
const DEEP_SAMPLE: u64 = 1000;

/// Without `LEASEGUARD_LONG=1` one of this many commands is run for real.
const REAL_SAMPLE: u64 = 25;

fn sampled(parts: &[&str], one_in: u64) -> bool {
    long() || dice(parts).is_multiple_of(one_in)
}

// R54, R61, R62, R63, R65, R67
#[test]
fn every_rule_decides_its_own_cases() {
    let fixtures = load();
    let mut report = Report::default();
    let mut counts: BTreeMap<&str, [usize; 4]> = BTreeMap::new();
    for (column, want) in [Decision::Deny, Decision::Ask, Decision::Allow]
        .into_iter()
        .enumerate()
    {
        let all = cases(&fixtures, want);
        let verdicts = spread(&all, |case| case.stage().judge(case.command));
        for (case, verdict) in all.iter().zip(&verdicts) {
            counts.entry(&case.fixture.rule).or_default()[column] += 1;
            report.check(case.right(verdict), &case.fixture.rule, || {
                case.line(verdict)
            });
        }
    }
    for fixture in &fixtures {
        for scene in &fixture.scenes {
            for gap in &scene.words.gap {
                counts.entry(&fixture.rule).or_default()[3] += 1;
                let case = Case {
                    fixture,
                    scene,
                    command: &gap.command,
                    want: decision(&gap.want),
                };
                let verdict = case.stage().judge(case.command);
                report.check(!case.right(&verdict), &fixture.rule, || {
                    format!("the gap is closed, make it a case: {}", case.line(&verdict))
                });
            }
        }
    }
    println!(
        "{:<22}{:>6}{:>6}{:>7}{:>6}",
        "rule", "deny", "ask", "allow", "gap"
    );
    for (rule, [deny, ask, allow, gap]) in &counts {
        println!("{rule:<22}{deny:>6}{ask:>6}{allow:>7}{gap:>6}");
    }
    report.end("cases");
}

fn decision(word: &str) -> Decision {
    match word {
        "deny" => Decision::Deny,
        "ask" => Decision::Ask,
        "allow" => Decision::Allow,
        other => panic!("`{other}` is no decision"),
    }
}

/// Judges a template's texts; its file lies in place meanwhile.
fn through(template: &Template, case: &Case) -> Vec<(String, Verdict)> {
    let texts = template.texts(case.command);
    let judge = |stage: &Stage| {
        texts
            .iter()
            .map(|text| (text.clone(), stage.judge(text)))
            .collect()
    };
    if template.file.is_none() {
        return judge(&case.stage());
    }
    let stage = case.stage_apart();
    let _alone = stage.repo.files.lock().unwrap();
    template.place(&stage.repo, case.command);
    let judged = judge(&stage);
    template.clear(&stage.repo);
    judged
}

/// Those cases that are answered rightly as they stand; the others are reported once, not in
/// every wrapper.
fn answered<'a>(all: Vec<Case<'a>>) -> Vec<Case<'a>> {
    let right = spread(&all, |case| case.right(&case.stage().judge(case.command)));
    let mut right = right.into_iter();
    let mut all = all;
    all.retain(|_| right.next().unwrap_or_default());
    all
}

/// Whether a denied command is answered strictly enough in a template that runs it.
fn holds(case: &Case, template: &Template, verdict: &Verdict) -> bool {
    let denied = |v: &Verdict| says(v, &case.fixture.rule, Decision::Deny);
    let at_least = |d: Decision| verdict.fault.is_none() && verdict.decision() >= d;
    if let Some(like) = &template.like {
        let other = case.stage().judge(&fill(like, case.command));
        if !denied(&other) {
            return at_least(other.decision());
        }
    }
    match template.least {
        Least::Deny => denied(verdict),
        Least::Ask => at_least(Decision::Ask),
    }
}

#[test]
fn a_denied_command_stays_denied_in_every_wrapper() {
    let fixtures = load();
    let templates = support::wrap::load().wrap;
    let all = answered(cases(&fixtures, Decision::Deny));
    let mut report = Report::default();
    let judged = spread(&all, |case| {
        let mut out = Vec::new();
        for template in &templates {
            // A gap is looked for in all cases: the open ones may be few.
            let picked = template.gap.is_some()
                || sampled(&[case.command, &template.name], sample(&case.fixture.rule));
            if picked && template.fits(case) {
                for (text, verdict) in through(template, case) {
                    out.push((template, text, verdict));
                }
            }
        }
        out
    });
    let mut used: BTreeMap<&str, usize> = BTreeMap::new();
    let mut open: BTreeSet<&str> = BTreeSet::new();
    for (case, results) in all.iter().zip(&judged) {
        for (template, text, verdict) in results {
            *used.entry(&template.name).or_default() += 1;
            let ok = holds(case, template, verdict);
            if template.gap.is_some() {
                if !ok {
                    open.insert(&template.name);
                }
                continue;
            }
            report.check(ok, &template.name, || {
                format!("{} {}", case.fixture.rule, case.line_of(text, verdict))
            });
        }
    }
    for template in &templates {
        let name = template.name.as_str();
        report.check(used.contains_key(name), "the templates", || {
            format!("`{name}` carries no command at all")
        });
        if template.gap.is_some() {
            report.check(open.contains(name), "the templates", || {
                format!("`{name}` holds now: take its `gap` away")
            });
        }
    }
    report.end("wrapped denials");
}

#[test]
fn a_denied_command_stays_denied_two_wrappers_deep() {
    let fixtures = load();
    let templates: Vec<Template> = support::wrap::load()
        .wrap
        .into_iter()
        .filter(|t| {
            t.gap.is_none() && t.file.is_none() && t.least == Least::Deny && t.like.is_none()
        })
        .collect();
    let all = answered(cases(&fixtures, Decision::Deny));
    let mut report = Report::default();
    // Even the long run takes a sample here: all of it would be some millions.
    let one_in = if long() {
        DEEP_SAMPLE / 20
    } else {
        DEEP_SAMPLE
    };
    let judged = spread(&all, |case| {
        let mut out = Vec::new();
        for outer in &templates {
            for inner in templates.iter().filter(|t| !t.outermost) {
                let picked = dice(&[case.command, &outer.name, &inner.name]).is_multiple_of(one_in);
                if !picked || !outer.fits(case) || !inner.fits(case) {
                    continue;
                }
                let text = inner
                    .texts(case.command)
                    .first()
                    .and_then(|text| outer.texts(text).pop());
                if let Some(text) = text {
                    let verdict = case.stage().judge(&text);
                    out.push((outer, inner, text, verdict));
                }
            }
        }
        out
    });
    for (case, results) in all.iter().zip(&judged) {
        for (outer, inner, text, verdict) in results {
            let ok = says(verdict, &case.fixture.rule, Decision::Deny);
            report.check(ok, &format!("around `{}`", inner.name), || {
                let rule = &case.fixture.rule;
                format!("{}: {rule} {}", outer.name, case.line_of(text, verdict))
            });
        }
    }
    report.end("denials two wrappers deep");
}

#[test]
fn harmless_wrappers_change_no_answer() {
    let fixtures = load();
    let templates: Vec<Template> = support::wrap::load()
        .wrap
        .into_iter()
        .filter(|t| t.harmless)
        .collect();
    let mut all = cases(&fixtures, Decision::Allow);
    all.extend(cases(&fixtures, Decision::Ask));
    // A new shell has no arguments: what was unknown is known there to be empty.
    all.retain(|case| {
        case.want == Decision::Allow
            || !(case.command.contains("$@") || case.command.contains("$1"))
    });
    let all = answered(all);
    let mut report = Report::default();
    let judged = spread(&all, |case| {
        let mut out = Vec::new();
        for template in &templates {
            if sampled(&[case.command, &template.name], sample(&case.fixture.rule)) {
                for (text, verdict) in through(template, case) {
                    out.push((template, text, verdict));
                }
            }
        }
        out
    });
    for (case, results) in all.iter().zip(&judged) {
        for (template, text, verdict) in results {
            let ok = match case.want {
                Decision::Allow => says(verdict, "", Decision::Allow),
                // A wrapper may make an unclear thing worse, never better.
                least => verdict.fault.is_none() && verdict.decision() >= least,
            };
            report.check(ok, &template.name, || {
                format!("{} {}", case.fixture.rule, case.line_of(text, verdict))
            });
        }
    }
    report.end("harmless wrappers");
}

#[test]
fn a_command_that_is_only_quoted_is_allowed() {
    let fixtures = load();
    let templates = support::wrap::load().data;
    let mut all = cases(&fixtures, Decision::Deny);
    all.extend(cases(&fixtures, Decision::Ask));
    // One repository for all: what is quoted must not matter, wherever it stands.
    let setup = Setup {
        clean: true,
        staged: vec!["c.txt".to_owned()],
        ..Setup::default()
    };
    let stage = Stage::of(&setup);
    let mut report = Report::default();
    let judged = spread(&all, |case| {
        let mut out = Vec::new();
        for template in &templates {
            if sampled(&[case.command, &template.name], SAMPLE) {
                for text in template.texts(case.command) {
                    let verdict = stage.judge(&text);
                    out.push((template, text, verdict));
                }
            }
        }
        out
    });
    for results in &judged {
        for (template, text, verdict) in results {
            report.check(says(verdict, "", Decision::Allow), &template.name, || {
                format!("want allow got {}: {}", told(verdict), brief(text))
            });
        }
    }
    report.end("quoted commands");
}

#[test]
fn a_harmless_command_afterwards_hides_nothing() {
    let fixtures = load();
    let mut all = cases(&fixtures, Decision::Deny);
    // What a trap does depends on all that follows.
    all.retain(|case| !case.command.contains("trap"));
    let all = answered(all);
    let mut report = Report::default();
    let judged = spread(&all, |case| {
        let mut out = Vec::new();
        for (i, after) in case.scene.words.allow.iter().enumerate() {
            if !sampled(&[case.command, &i.to_string()], 8) {
                continue;
            }
            for joint in ["\n", " && "] {
                if joint == "\n" || shape(case.command).line {
                    let text = format!("{}{joint}{after}", case.command);
                    let verdict = case.stage().judge(&text);
                    out.push((text, verdict));
                }
            }
        }
        out
    });
    for (case, results) in all.iter().zip(&judged) {
        for (text, verdict) in results {
            let rule = &case.fixture.rule;
            report.check(says(verdict, rule, Decision::Deny), rule, || {
                case.line_of(text, verdict)
            });
        }
    }
    report.end("a denial and more");
}

#[test]
fn every_instead_is_allowed() {
    let fixtures = load();
    let mut all = cases(&fixtures, Decision::Deny);
    all.extend(cases(&fixtures, Decision::Ask));
    let mut report = Report::default();
    let chains = spread(&all, |case| follow(&case.stage(), case.command));
    for (case, chains) in all.iter().zip(&chains) {
        for (ok, chain) in chains {
            report.check(*ok, &case.fixture.rule, || chain.clone());
        }
    }
    report.end("alternatives");
}

/// Runs after each `instead` for three steps: every one must be allowed.
fn follow(stage: &Stage, command: &str) -> Vec<(bool, String)> {
    let mut out = Vec::new();
    for finding in stage.judge(command).findings {
        let Some(first) = finding.instead else {
            continue;
        };
        let mut chain = format!("{} -> {}", brief(command), brief(&first));
        let mut next = Some(first);
        let mut ok = true;
        for _ in 0..3 {
            let Some(text) = next.take() else { break };
            let verdict = stage.judge(&text);
            if !says(&verdict, "", Decision::Allow) {
                ok = false;
                chain += &format!(" = {}", told(&verdict));
                next = verdict.first().and_then(|f| f.instead.clone());
                if let Some(next) = &next {
                    chain += &format!(" -> {}", brief(next));
                }
            }
        }
        out.push((ok, chain));
    }
    out
}

/// The wording of a finding as the fixtures pin it.
fn wording(stage: &Stage, rule: &str, verdict: &Verdict) -> Option<String> {
    let finding = verdict.findings.iter().find(|f| f.rule == rule)?;
    let mut text = finding.effect.clone();
    if let Some(instead) = &finding.instead {
        text += &format!("\ninstead: {instead}");
    }
    Some(stage.portable(&text))
}

#[test]
fn the_wording_of_one_case_a_rule_is_pinned() {
    let mut report = Report::default();
    for fixture in &load() {
        for scene in &fixture.scenes {
            let Some(pinned) = &scene.words.says else {
                continue;
            };
            let case = Case {
                fixture,
                scene,
                command: &pinned.command,
                want: Decision::Deny,
            };
            let stage = case.stage();
            let got = wording(&stage, &fixture.rule, &stage.judge(&pinned.command));
            if let (true, Some(text)) = (support::update(), &got) {
                repin(fixture, &pinned.command, text);
                continue;
            }
            report.check(got.as_deref() == Some(&pinned.text), &fixture.rule, || {
                format!(
                    "{}: want {:?} got {:?}; UPDATE=1 pins what is",
                    brief(&pinned.command),
                    pinned.text,
                    got.unwrap_or_else(|| "no finding".to_owned())
                )
            });
        }
    }
    report.end("wording");
}

/// Rewrites the one `says` line of a fixture.
fn repin(fixture: &Fixture, command: &str, text: &str) {
    let old = std::fs::read_to_string(&fixture.path).unwrap();
    // A JSON string is a TOML string.
    let quoted = |text: &str| serde_json::to_string(text).unwrap();
    let line = format!(
        "says = {{ command = {}, text = {} }}",
        quoted(command),
        quoted(text)
    );
    // A text of several lines goes on until its closing quotes.
    let mut inside = false;
    let mut new = Vec::new();
    for l in old.lines() {
        if l.starts_with("says = ") {
            inside = l.matches("\"\"\"").count() == 1;
            new.push(line.as_str());
        } else if inside {
            inside = !l.contains("\"\"\"");
        } else {
            new.push(l);
        }
    }
    std::fs::write(&fixture.path, new.join("\n") + "\n").unwrap();
}

#[test]
fn fixtures_are_well_formed() {
    let fixtures = load();
    let mut report = Report::default();
    for fixture in &fixtures {
        let rule = fixture.rule.as_str();
        let name = fixture.path.file_name().unwrap().to_string_lossy();
        report.check(name == file_name(rule), rule, || {
            format!("its file is {name}, not {}", file_name(rule))
        });
        let pinned: Vec<_> = fixture
            .scenes
            .iter()
            .filter(|s| s.words.says.is_some())
            .collect();
        report.check(pinned.len() == 1, rule, || {
            format!("{} scenes pin a wording, not one", pinned.len())
        });
        let count = |of: fn(&support::rules::Words) -> usize| -> usize {
            fixture.scenes.iter().map(|s| of(&s.words)).sum()
        };
        report.check(count(|w| w.deny.len() + w.ask.len()) > 0, rule, || {
            "nothing is denied or asked".to_owned()
        });
        report.check(count(|w| w.allow.len()) > 0, rule, || {
            "nothing is allowed".to_owned()
        });
        for scene in &fixture.scenes {
            let words = &scene.words;
            let mut seen = BTreeSet::new();
            let gaps = words.gap.iter().map(|g| &g.command);
            for command in words
                .deny
                .iter()
                .chain(&words.ask)
                .chain(&words.allow)
                .chain(gaps)
            {
                report.check(seen.insert(command), rule, || {
                    format!("twice in scene `{}`: {}", words.name, brief(command))
                });
            }
            for gap in &words.gap {
                report.check(!gap.reason.is_empty(), rule, || {
                    format!("a gap without a reason: {}", brief(&gap.command))
                });
                decision(&gap.want);
            }
        }
    }
    report.end("fixtures");
}

#[test]
fn every_text_of_a_template_is_what_bash_can_read() {
    // `bash -n` reads and runs nothing. Fixture commands are all good bash, so their wraps must be.
    let fixtures = load();
    let templates = support::wrap::load();
    let all = cases(&fixtures, Decision::Deny);
    let mut report = Report::default();
    let mut texts: Vec<(String, String)> = Vec::new();
    for case in all.iter().step_by(if long() { 1 } else { 7 }) {
        for template in templates.wrap.iter().chain(&templates.data) {
            if dice(&[&template.name, case.command]).is_multiple_of(if long() { 4 } else { 12 }) {
                for text in template.texts(case.command) {
                    texts.push((template.name.clone(), text));
                }
            }
        }
    }
    let read = spread(&texts, |(_, text)| {
        let out = std::process::Command::new("bash")
            .args(["-n", "-c", text])
            .output()
            .unwrap();
        // bash -n warns of an unterminated heredoc and still succeeds.
        (out.status.success() && out.stderr.is_empty(), out.stderr)
    });
    for ((name, text), (ok, stderr)) in texts.iter().zip(&read) {
        report.check(*ok, name, || {
            format!("{}: {}", brief(text), String::from_utf8_lossy(stderr))
        });
    }
    report.end("bash -n");
}

#[test]
fn shapes_are_told_rightly() {
    for (text, want) in [
        ("git push -f", "line simple argv git"),
        ("git commit -m 'a; b' -n", "line simple argv git"),
        ("HUSKY=0 git push", "line simple"),
        ("git add $F", "line simple argv git"),
        ("git push origin \"$(git branch)\"", "line"),
        ("cd src && git add .", "line"),
        ("git push &", ""),
        ("git push # now", ""),
        ("cat <<E\nx\nE", ""),
        ("bash <<< 'x'", "line"),
        ("eval 'x'", "line simple"),
        ("{ true; }", "line"),
        ("git add 'a b'", "line simple argv git"),
        ("git push; ", ""),
    ] {
        let s = shape(text);
        let mut got = Vec::new();
        for (is, word) in [
            (s.line, "line"),
            (s.simple, "simple"),
            (s.argv, "argv"),
            (s.git, "git"),
        ] {
            if is {
                got.push(word);
            }
        }
        assert_eq!(got.join(" "), want, "{text}");
    }
    assert_eq!(
        shape("git  push 'a b' -f").gaps,
        [(3, 5), (9, 10), (15, 16)]
    );
}

/// Programs that a test must not start, or that only wait.
const NOT_RUN: &[&str] = &[
    "curl",
    "wget",
    "ssh",
    "sudo",
    "docker",
    "npm",
    "cargo",
    "gh ",
    "make",
    "apt",
    "mytool",
    "su ",
    "$EDITOR",
    "while",
    "am ",
    "/srv/",
    "example.com",
];

fn runs(case: &Case) -> bool {
    // What `rm` and `mv` do is not git's doing, and is not to be tried out.
    let rule = case.fixture.rule.as_str();
    (rule.starts_with("git/") && rule != "git/admin-write")
        && !NOT_RUN.iter().any(|p| case.command.contains(p))
}

/// Even the long run takes a sample here: each command needs some thirty processes.
fn really(case: &Case) -> bool {
    let one_in = if long() { REAL_SAMPLE / 8 } else { REAL_SAMPLE };
    dice(&[case.command, "real"]).is_multiple_of(one_in)
}

#[test]
fn allowed_commands_do_no_harm_in_real_git() {
    let fixtures = load();
    let mut all = cases(&fixtures, Decision::Allow);
    all.retain(|case| runs(case) && really(case));
    let harms = spread(&all, |case| {
        support::effects::run(&case.scene.setup, case.command)
    });
    let mut report = Report::default();
    for (case, harm) in all.iter().zip(&harms) {
        report.check(harm.is_empty(), &case.fixture.rule, || {
            format!(
                "({}) {}: {harm:?}",
                case.scene.words.name,
                brief(case.command)
            )
        });
    }
    report.end("allowed commands in real git");
}

#[test]
fn most_denied_commands_do_their_harm_in_real_git() {
    // Not all: some harm is of another kind than what is looked for (a hook that is no program
    // here, a tag without signature), some needs other content, and some is only possible.
    let fixtures = load();
    let mut all = cases(&fixtures, Decision::Deny);
    all.retain(|case| runs(case) && really(case));
    let harms = spread(&all, |case| {
        support::effects::run(&case.scene.setup, case.command)
    });
    let mut quiet = Vec::new();
    for (case, harm) in all.iter().zip(&harms) {
        let rule = case.fixture.rule.as_str();
        if !harm.iter().any(|(r, _)| *r == rule) {
            quiet.push(format!("{rule} {}: {harm:?}", brief(case.command)));
        }
    }
    println!("{} of {} denials show no harm:", quiet.len(), all.len());
    for line in &quiet {
        println!("  {line}");
    }
    assert!(
        quiet.len() * 3 <= all.len(),
        "more than a third of the denials show no harm in real git, see above"
    );
}
