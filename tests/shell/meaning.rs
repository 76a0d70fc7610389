//! Directories, variables, forks, answers and nested texts, as sentences.

use crate::show::{self, steps};
use crate::{WRAPPERS, extract, start};
use leaseguard::shell::{self, Files, Script, Source};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

fn check(table: &[(&str, &str)]) {
    let mut wrong = Vec::new();
    for (text, expected) in table {
        let found = steps(&extract(text));
        if found != *expected {
            wrong.push(format!("{text:?}\n  want {expected}\n  have {found}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn alternatives_fork_and_meet() {
    check(&[
        ("a; b && c", "a; b; c"),
        ("a || b", "[ a | b ]"),
        ("a || b || c", "[ a | b | c ]"),
        ("a && b || c", "[ a; b | c ]"),
        ("a || b && c", "[ a | b ] c"),
        ("a || b && c || d", "[ [ a | b ] c | d ]"),
        ("[ -f x ] && a", "[ -f x ] [ a | ]"),
        ("[ -f x ] && a || b", "[ -f x ] [ a | b ]"),
        ("test -f x || a", "test -f x [ | a ]"),
        ("grep -q x f && a && b", "grep -q x f [ a; b | ]"),
        ("! a && b", "a [ b | ]"),
        ("[[ -f x ]] && a", "[ a | ]"),
        ("[[ -f x ]]&& a", "[ a | ]"),
        ("if a; then b; else c; fi; d", "a [ b | c ] d"),
        ("if a; then b; elif c; then d; fi", "a [ b | c [ d | ] ]"),
        ("case $x in a) b;; *) c;; esac", "[ b | c ]"),
        ("case $x in a) b;; c) d;; esac", "[ b | d | ]"),
        ("case $x in a) b;& c) d;; esac", "[ b; d | d | ]"),
        ("while a; do b; done; c", "a [ b | ] c"),
        ("for x in $(ls); do a $x; done", "ls [ a …s | ]"),
        ("for x in 1 2; do a $x; done", "a 1; a 2"),
        ("a | b; (c); { d; }; e & f", "a; b; c; d; e; f"),
        ("f() { a; }; b; f", "b; a"),
        ("a && f() { b; }; f", "a [ b | f ]"),
        ("f() { a $1; }; b", "b [ a …s | ]"),
    ]);
}

#[test]
fn what_leaves_early_takes_no_part_in_what_follows() {
    check(&[
        ("cd x || exit 1; a", "[ cd x | exit 1 ! ] a@/repo/x"),
        (
            "cd x || { echo no; exit 1; }; a",
            "[ cd x | echo no; exit 1 ! ] a@/repo/x",
        ),
        (
            "[ -d x ] && cd x || exit 1; a",
            "[ -d x ] [ cd x | exit 1 ! ] a@/repo/x",
        ),
        ("a && exit 0; b", "[ a; exit 0 ! | ] b"),
        ("[ x ] && exit; b", "[ x ] [ exit ! | ] b"),
        ("if a; then exit 1; fi; b", "a [ exit 1 ! | ] b"),
        ("exit; b", "exit !"),
        ("exec a; b", "exec a; a !"),
        ("(exit); b", "exit; b"),
        ("(a || exit; b); c", "[ exit | a; b ] c"),
        ("f() { a || return; b; }; f; c", "[ return | a; b ] c"),
        (
            "f() { if a; then cd x; return; fi; cd y; }; f; b",
            "a [ cd x; return@/repo/x | cd y ] b@/repo/y,/repo/x",
        ),
        (
            "for i in 1 2; do a $i || continue; b; done; c",
            "[ continue | a 1; b ] [ continue | a 2; b ] c",
        ),
        ("for i in 1 2; do a; break; done; c", "a; break; c"),
        (
            "while a; do b || break; cd x; done; c",
            "a@/repo,? [ [ break@/repo,? | b@/repo,?; cd x@/repo,? ] | ] c@/repo/x,?,/repo",
        ),
        (
            "die() { echo no; exit 1; }; a || die; b",
            "[ a | echo no; exit 1 ! ] b",
        ),
        ("die() { exit 1; }; a && die; b", "[ a; exit 1 ! | ] b"),
        ("return; a", "return; a"),
        (
            "trap 'git push' EXIT; a; exit",
            "trap 'git push' EXIT; a; exit; git push !",
        ),
        ("trap 'b' EXIT; a", "trap b EXIT; a; b"),
        ("trap 'b' INT; a", "trap b INT [ b | ] a"),
    ]);
}

#[test]
fn directories_follow_cd() {
    check(&[
        ("cd x && a", "cd x; a@/repo/x"),
        ("cd /tmp; a", "cd /tmp; a@/tmp"),
        ("cd ../y; a", "cd ../y; a@/y"),
        ("cd x; cd -; a", "cd x; cd -@/repo/x; a"),
        ("cd; a", "cd; a@/home/u"),
        ("cd ~/w; a", "cd /home/u/w; a@/home/u/w"),
        ("cd $X; a", "cd …s; a@?"),
        ("D=/w/t; cd $D && a", "D=/w/t; cd /w/t; a@/w/t"),
        ("cd -- x; a", "cd -- x; a@/repo/x"),
        ("cd -P x; a", "cd -P x; a@/repo/x"),
        ("(cd x && a); b", "cd x; a@/repo/x; b"),
        ("cd x | a; b", "cd x; a; b"),
        ("cd x & a", "cd x; a"),
        ("$(cd x; a) b", "cd x; a@/repo/x; …s b"),
        ("pushd x; a; popd; b", "pushd x; a@/repo/x; popd@/repo/x; b"),
        ("if a; then cd x; fi; b", "a [ cd x | ] b@/repo/x,/repo"),
        ("cd x || cd y; a", "[ cd x | cd y ] a@/repo/x,/repo/y"),
        ("cd x || true; a", "[ cd x | true ] a@/repo/x,/repo"),
        (
            "for d in p q; do cd $d; a; cd ..; done; b",
            "cd p; a@/repo/p; cd ..@/repo/p; cd q; a@/repo/q; cd ..@/repo/q; b",
        ),
        (
            "for d in p q; do (cd $d && a); done",
            "cd p; a@/repo/p; cd q; a@/repo/q",
        ),
        ("cd x; echo $PWD", "cd x; echo /repo/x@/repo/x"),
        ("R=$(pwd); cd /t; a $R", "pwd; R=/repo; cd /t; a /repo@/t"),
        (
            "bash -c 'cd x; a'; b",
            "bash -c 'cd x; a'; cd x; a@/repo/x; b",
        ),
        ("env -C x a; b", "env -C x a; a@/repo/x; b"),
        ("eval 'cd x'; a", "eval 'cd x'; cd x; a@/repo/x"),
        ("command cd x; a", "command cd x; cd x; a@/repo/x"),
        ("f() { cd x; }; f; a", "cd x; a@/repo/x"),
    ]);
}

#[test]
fn values_travel_and_meet() {
    check(&[
        (
            "X='push --force'; git $X",
            "X=push --force; git push --force",
        ),
        (
            "X='push --force'; git \"$X\"",
            "X=push --force; git 'push --force'",
        ),
        ("a=(git push -f); \"${a[@]}\"", "a=…; git push -f"),
        ("git $UNSET push", "git …s push"),
        ("git \"$UNSET\" push", "git … push"),
        ("git a$UNSET", "git a…s"),
        (
            "if c; then F=-f; else F=; fi; git push $F",
            "c [ F=-f | F= ] [ git push -f | git push ]",
        ),
        ("F=; c && F=-f; git push $F", "F=; c; F=-f; git push -f"),
        (
            "F=; [ c ] && F=-f; git push $F",
            "F=; [ c ] [ F=-f | ] [ git push -f | git push ]",
        ),
        (
            "if c; then F=-f; fi; git push $F",
            "c [ F=-f | ] [ git push -f | git push …s ]",
        ),
        ("git push ${F:--f}", "[ git push -f | git push …s ]"),
        ("git push ${F:+-f}", "[ git push -f | git push ]"),
        (
            "git push \"${R:-origin}\" main",
            "[ git push origin main | git push … main ]",
        ),
        (
            "echo ${x:-$(git push -f)}",
            "[ git push -f | ] [ echo …s | echo …s ]",
        ),
        (
            "x=--force; while read l; do git push $x; x=-n; done",
            "x=--force; read l [ [ git push --force | git push …s ] x=-n | ]",
        ),
        ("n=$((1+1)); git push $n", "n=…; git push …"),
        ("git push {--force,origin}", "git push --force origin"),
        ("git push {1..999}", "git push …s"),
        ("read b; git push $b", "read b; git push …s"),
        ("X=1 a", "X=1 a"),
        (
            "for r in a b; do git push $r main; done",
            "git push a main; git push b main",
        ),
        ("for f in *.rs; do git add $f; done", "[ git add …s | ]"),
        (
            "for f in -f $x; do git push $f; done",
            "[ [ git push -f | git push …s ] | ]",
        ),
        ("git push $'\\x01'", "git push …"),
        ("git push \u{F0000}", "git push …"),
        ("git push\u{1}", "git push…s"),
    ]);
}

#[test]
fn questions_that_facts_can_answer_are_numbered() {
    check(&[
        (
            "git push origin $(git branch --show-current)",
            "git branch --show-current=>?0; git push origin ?0",
        ),
        (
            "B=$(git rev-parse --abbrev-ref HEAD 2>/dev/null); git push origin \"$B:main\"",
            "git rev-parse --abbrev-ref HEAD=>?0; B=?0; git push origin ?0:main",
        ),
        (
            "git push origin `git symbolic-ref --short HEAD`",
            "git symbolic-ref --short HEAD=>?0; git push origin ?0",
        ),
        (
            "cd $(git rev-parse --show-toplevel); a",
            "git rev-parse --show-toplevel=>?0; cd ?0; a@/repo/?0",
        ),
        (
            "a $(git -C ../w branch --show-current) $(git rev-parse --git-dir)",
            "git -C ../w branch --show-current=>?0; git rev-parse --git-dir=>?1; a ?0 ?1",
        ),
        (
            "bash -c \"git push origin $(git branch --show-current)\"",
            "git branch --show-current=>?0; bash -c 'git push origin ?0'; git push origin ?0",
        ),
        (
            "a $(git branch --show-current | cat)",
            "git branch --show-current; cat; a …s",
        ),
        (
            "a $(git branch --show-current; date)",
            "git branch --show-current; date; a …s",
        ),
        ("a $(git log)", "git log; a …s"),
        (
            "a $(X=1 git branch --show-current)",
            "X=1 git branch --show-current; a …s",
        ),
        ("cd $Q; a $(pwd) $PWD", "cd …s; pwd@?=>?0; a ?0 …s@?"),
        ("a $(pwd) $PWD", "pwd; a /repo /repo"),
    ]);
}

#[test]
fn commands_that_run_commands_are_unfolded() {
    check(&[
        ("eval \"git push\"; b", "eval 'git push'; git push; b"),
        ("eval $X", "eval …s; …s"),
        (
            "bash -c 'git push $1' x -f",
            "bash -c 'git push $1' x -f; git push -f",
        ),
        (
            "bash -c 'git \"$@\"' x push -f",
            "bash -c 'git \"$@\"' x push -f; git push -f",
        ),
        ("X=1; bash -c 'a $X'", "X=1; bash -c 'a $X'; a …s"),
        (
            "export X=1; bash -c 'a $X'",
            "export X=1; bash -c 'a $X'; a 1",
        ),
        ("X=1 bash -c 'a $X'", "X=1 bash -c 'a $X'; a 1"),
        (
            "echo git push -f | bash",
            "echo git push -f; bash; git push -f",
        ),
        ("bash <<'E'\ngit push\nE\n", "bash; git push"),
        ("x=push; bash <<E\ngit $x\nE\n", "x=push; bash; git push"),
        (
            "bash <(echo git push)",
            "echo git push; bash /dev/fd/63; git push",
        ),
        (". <(echo X=1); a $X", "echo X=1; . /dev/fd/63; X=1; a 1"),
        ("bash -c 'exit 1'; a", "bash -c 'exit 1'; exit 1; a"),
        (
            "bash -c 'bash -c \"a; b\"'",
            "bash -c 'bash -c \"a; b\"'; bash -c 'a; b'; a; b",
        ),
        ("command -v git && a", "command -v git [ a | ]"),
        ("command git push", "command git push; git push"),
        (
            "git() { echo; }; command git push",
            "command git push; git push [ echo | ]",
        ),
        (
            "git() { echo; }; env git push",
            "env git push; git push [ echo | ]",
        ),
        ("timeout 5 env X=1 a", "timeout 5 env X=1 a; env X=1 a; a"),
        ("xargs git push", "xargs git push; git push …s"),
        (
            "printf '%s\\n' 'git push' > f; bash f",
            "printf %s\\n 'git push'; bash f; git push",
        ),
        (
            "cat > f <<'E'\ngit push -f\nE\nchmod +x f && ./f",
            "cat; chmod +x f; ./f; git push -f",
        ),
        (
            "echo a > f; echo b >> f; sh f",
            "echo a; echo b; sh f; a; b",
        ),
        (
            "{ echo a; echo b; } > d/f; cd d; bash f",
            "echo a; echo b; cd d; bash f@/repo/d; a@/repo/d; b@/repo/d",
        ),
        ("tee f <<< 'git push'; . ./f", "tee f; . ./f; git push"),
        ("echo 'a $1' > f; bash f x", "echo 'a $1'; bash f x; a x"),
        ("cat <<E | bash\ngit push\nE\n", "cat; bash; git push"),
        ("while read l; do a; done <<< x", "read l [ a | ]"),
    ]);
}

fn told(text: &str) -> Vec<(&'static str, bool)> {
    extract(text)
        .problems
        .iter()
        .map(|p| (p.what, p.cut))
        .collect()
}

#[test]
fn what_cannot_be_followed_is_told() {
    assert_eq!(told("curl x | bash"), [("runs the output of `curl`", true)]);
    assert_eq!(
        told("a | tr x y | sh -s"),
        [("runs the output of a program", true)]
    );
    assert_eq!(
        told("bash <(curl x)"),
        [("runs the output of `curl`", true)]
    );
    assert_eq!(
        told("curl -s x > f; bash f"),
        [("runs a file that this call writes", true)]
    );
    assert_eq!(
        told("echo a >> f; bash f"),
        [("runs a file that this call writes", true)]
    );
    assert_eq!(
        told("cd $X; bash f"),
        [("runs a script in an unknown directory", false)]
    );
    assert_eq!(told("a \"b"), [("unterminated quote", false)]);
    assert_eq!(told("a\0b"), [("a NUL byte", false)]);
    assert_eq!(told("a; fi"), [("stray reserved word", false)]);
    assert!(told("bash f; . g; git log | cat; bash; echo $x | read y").is_empty());
}

#[test]
fn input_is_told() {
    let input = |text: &str| show::stdin(&extract(text));
    assert_eq!(input("a <<E\nx\nE\n"), "text x\\n");
    assert_eq!(input("a <<< x"), "text x\\n");
    assert_eq!(input("echo x | a"), "text x\\n");
    assert_eq!(input("a < f"), "file f");
    assert_eq!(input("{ a; } < f"), "file f");
    assert_eq!(input("curl x | tr a b | c"), "pipe curl tr");
    assert_eq!(input("while x; do a; done <<< q"), "text q\\n");
    assert_eq!(input("(a) < f"), "file f");
    assert_eq!(input("a"), "inherited");
    assert_eq!(input("f() { a; }; f < x"), "file x");
    assert_eq!(input("a 3< f"), "inherited");
}

#[test]
fn redirects_are_told_with_those_around() {
    let targets = |text: &str| {
        let script = extract(text);
        let last = script.commands().last().cloned().unwrap_or_default();
        last.redirects
            .iter()
            .map(|r| format!("{:?} {}", r.kind, r.target.text))
            .collect::<Vec<_>>()
            .join(", ")
    };
    assert_eq!(targets("a > f 2>&1 < g"), "Write f, Read g");
    assert_eq!(targets("{ a >> f; } > g"), "Write g, Append f");
    assert_eq!(targets("> f"), "Write f");
    assert_eq!(targets("a &> f"), "Write f");
    assert_eq!(targets("a <> f"), "ReadWrite f");
    assert_eq!(targets("((x)) > f"), "Write f");
    assert_eq!(targets("a <<E >f\nE\n"), "Write f");
}

#[test]
fn the_environment_is_told() {
    let env = |text: &str| {
        let script = extract(text);
        let last = script.commands().last().cloned().unwrap_or_default();
        let mut shown: Vec<String> = last
            .exports
            .iter()
            .map(|a| format!("{}={}", a.name, a.value.text.replace('\u{1}', "…")))
            .collect();
        shown.extend(last.unset.iter().map(|n| format!("-{n}")));
        shown.join(" ")
    };
    assert_eq!(env("export GIT_DIR=/x; a"), "GIT_DIR=/x");
    assert_eq!(env("GIT_DIR=/x; a"), "");
    assert_eq!(env("GIT_DIR=/x; export GIT_DIR; a"), "GIT_DIR=/x");
    assert_eq!(env("export A=1; A=2; a"), "A=2");
    assert_eq!(env("export A=1; unset A; a"), "-A");
    assert_eq!(env("declare -x A=1; a"), "A=1");
    assert_eq!(env("set -a; A=1; a"), "A=1");
    assert_eq!(env("env -u B a"), "-B");
    assert_eq!(env("env -u B A=1 a"), "A=1 -B");
    assert_eq!(env("A=1 bash -c a"), "A=1");
    assert_eq!(env("(export A=1); a"), "");
    assert_eq!(env("if c; then export A=1; fi; a"), "A=…");
    assert_eq!(env("f() { a; }; A=1 f"), "A=1");
    assert_eq!(env("HOME=/h; a"), "HOME=/h");
    assert_eq!(env("export A=$(date); a"), "A=…");
}

/// Script files by path.
struct Disk(BTreeMap<PathBuf, Source>);

impl Files for Disk {
    fn script(&self, path: &Path, _executed: bool) -> Source {
        self.0.get(path).cloned().unwrap_or(Source::None)
    }
}

fn with_files(text: &str, files: &[(&str, Source)]) -> Script {
    let disk = Disk(
        files
            .iter()
            .map(|(p, s)| (PathBuf::from(p), s.clone()))
            .collect(),
    );
    shell::extract(text, &start(), &WRAPPERS, &disk)
}

#[test]
fn script_files_are_read() {
    let script = Source::Shell("#!/bin/sh\n# x\ncd sub\ngit push $1\n".to_string());
    let files = [("/repo/f.sh", script)];
    for (text, expected) in [
        (
            "./f.sh -f; a",
            "./f.sh -f; cd sub; git push -f@/repo/sub; a",
        ),
        (
            "bash f.sh -f",
            "bash f.sh -f; cd sub; git push -f@/repo/sub",
        ),
        ("sh < f.sh", "sh; cd sub; git push@/repo/sub"),
        (
            ". ./f.sh -f; a",
            ". ./f.sh -f; cd sub; git push -f@/repo/sub; a@/repo/sub",
        ),
        (
            "cd x; ../f.sh",
            "cd x; ../f.sh@/repo/x; cd sub@/repo/x; git push@/repo/x/sub",
        ),
        (
            "env ./f.sh -n",
            "env ./f.sh -n; ./f.sh -n; cd sub; git push -n@/repo/sub",
        ),
    ] {
        let found = with_files(text, &files);
        assert_eq!(steps(&found), expected, "{text}");
        let push = found
            .commands()
            .find(|c| c.words.first().is_some_and(|w| w.text == "git"))
            .expect("push");
        let origin = push.origin.as_ref().expect("origin");
        assert_eq!(origin.line, 4, "{text}");
        assert!(origin.file.ends_with("f.sh"), "{text}");
        assert!(push.span.end <= text.len(), "{text}");
    }
    let unreadable = with_files("./f", &[("/repo/f", Source::Unreadable)]);
    assert_eq!(
        unreadable.problems[0].what,
        "runs a script that cannot be read"
    );
}

#[test]
fn files_that_run_each_other_come_to_an_end() {
    let script = with_files(
        "./a",
        &[("/repo/a", Source::Shell("./a; ./a; b\n".to_string()))],
    );
    assert!(script.problems.iter().any(|p| p.cut));
}

#[test]
fn spans_lead_back_to_the_text() {
    let text = "X=1 git push origin; bash -c 'git pull'; echo \"$(git log)\"";
    let script = extract(text);
    let at = |c: &shell::Command| {
        text.get(c.span.start..c.span.end)
            .unwrap_or("?")
            .to_string()
    };
    let found: Vec<String> = script.commands().map(at).collect();
    assert_eq!(
        found,
        [
            "X=1 git push origin",
            "bash -c 'git pull'",
            "'git pull'",
            "git log",
            "echo \"$(git log)\""
        ]
    );
    let push = script.commands().next().expect("push");
    let words: Vec<&str> = push
        .words
        .iter()
        .map(|w| text.get(w.span.start..w.span.end).unwrap_or("?"))
        .collect();
    assert_eq!(words, ["git", "push", "origin"]);
}

#[test]
fn an_alias_runs_where_its_command_stands() {
    let outer = extract("cd sub; export A=1; git al $(git branch --show-current)");
    let command = outer.commands().last().expect("command");
    let inner = shell::extract_at(
        "git push \"$A\" $(git branch --show-current)",
        &[],
        command,
        1,
        1,
        &start(),
        &WRAPPERS,
        &crate::NoFiles,
    );
    assert_eq!(
        steps(&inner),
        "git branch --show-current@/repo/sub=>?1; git push 1 ?1@/repo/sub"
    );
    assert!(inner.commands().all(|c| c.span == command.span));
}
