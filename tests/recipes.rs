//! Commands in build files: what `make` and `npm` really run is what is judged.
#![cfg(unix)]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout
)]

mod support;

use leaseguard::action::wrap::Table;
use leaseguard::shell::{self, Files, Source, Start, Step};
use std::fs;
use std::path::Path;
use std::process::Command;
use support::setup::Setup;
use support::{Stage, repo, told};

/// Files as they are.
struct Disk;

impl Files for Disk {
    fn script(&self, path: &Path, _executed: bool) -> Source {
        fs::read_to_string(path).map_or(Source::None, Source::Shell)
    }
}

/// A directory with files, and a `git` that only writes down how it was called.
struct Yard {
    temp: tempfile::TempDir,
}

impl Yard {
    fn new(files: &[(&str, &str)]) -> Yard {
        let yard = Yard {
            temp: tempfile::tempdir().unwrap(),
        };
        for (name, text) in files {
            repo::put(&yard.path("work").join(name), text);
        }
        let git = yard.path("bin/git");
        let log = yard.path("log");
        let line = "for w in \"$@\"; do printf ' %s' \"$w\"; done";
        let text = format!(
            "#!/bin/sh\n{{ printf 'git'; {line}; echo; }} >> '{}'\n",
            log.display()
        );
        repo::put(&git, &text);
        repo::runnable(&git);
        yard
    }

    fn path(&self, name: &str) -> std::path::PathBuf {
        self.temp.path().canonicalize().unwrap().join(name)
    }

    /// What git is called with when the command really runs.
    fn ran(&self, command: &str) -> Vec<String> {
        let path = format!(
            "{}:/usr/local/bin:/usr/bin:/bin",
            self.path("bin").display()
        );
        let out = Command::new("bash")
            .args(["-c", command])
            .current_dir(self.path("work"))
            .env_clear()
            .env("PATH", path)
            .env("HOME", self.path("work"))
            .output()
            .expect("bash");
        let log = fs::read_to_string(self.path("log")).unwrap_or_default();
        assert!(
            !String::from_utf8_lossy(&out.stderr).contains("not found"),
            "{out:?}"
        );
        log.lines().map(str::to_owned).collect()
    }

    /// What it would be called with as leaseguard reads it.
    fn read(&self, command: &str) -> Vec<String> {
        let start = Start {
            cwd: Some(self.path("work")),
            home: Some(self.path("work")),
        };
        let script = shell::extract(command, &start, &Table, &Disk);
        assert!(script.problems.is_empty(), "{:?}", script.problems);
        let commands = script.steps.iter().filter_map(|step| match step {
            Step::Run(command) => Some(&command.words),
            _ => None,
        });
        let git = commands.filter(|words| words.first().is_some_and(|w| w.text == "git"));
        let line = |words: &Vec<shell::Word>| {
            let words: Vec<&str> = words.iter().map(|w| w.text.as_str()).collect();
            words.join(" ")
        };
        git.map(line).collect()
    }
}

const MAKEFILE: &str = "\
REMOTE ?= origin
FORCE = --force
REF := $(BRANCH)
ifeq ($(CI),1)
TAGS = --tags
endif

.PHONY: all push force deps sub deep tags many
all: push

push: deps
\t@git push $(REMOTE) HEAD

force: ; git push $(FORCE) ${REMOTE} 'feat/x'

deps:
\t-git fetch \\
\t  --prune
\tcd sub && git status

sub:
\t$(MAKE) -C sub push REMOTE=fork

deep: sub force
\tfor r in a b; do git push $$r HEAD; done

branch:
\tgit push origin $(REF) \"$(shell echo quoted)\"

one two:
\tgit tag $@

harmless:
\techo git push --force

unreached:
\tgit push --mirror
";

const SUB: &str = "\
all:
\tgit gc
push:
\tgit push $(REMOTE) sub # with a remark
";

const ONE: &str = "\
.ONESHELL:
push:
\tx=feat
\tgit push origin $$x
define TEXT
git push defined
endef
defined:
\t$(TEXT)
";

#[test]
fn what_make_runs_is_what_is_read() {
    for command in [
        "make",
        "make push",
        "make push REMOTE=fork",
        "REMOTE=fork make push",
        "make force",
        "make -s -j 2 force FORCE=-f",
        "make deep",
        "make one two",
        "make branch BRANCH=main",
        "BRANCH=main make branch",
        "make harmless",
        "make -C sub push REMOTE=x",
        "make -C sub",
        "cd sub && make push REMOTE=x",
        "make -f one.mk push",
        "make -f one.mk defined",
        "make -n push",
        "make --dry-run push",
        "make push force",
        "printf 'all:\\n\\tgit push -f\\n' > GNUmakefile && make",
    ] {
        let yard = Yard::new(&[
            ("Makefile", MAKEFILE),
            ("sub/Makefile", SUB),
            ("one.mk", ONE),
        ]);
        let read = yard.read(command);
        let ran = yard.ran(command);
        assert_eq!(read, ran, "{command}");
    }
}

const PACKAGE: &str = r#"{
  "name": "x", "version": "1.2.3",
  "scripts": {
    "pretest": "git status",
    "test": "git log",
    "posttest": "git gc",
    "push": "git push origin",
    "all": "npm test && npm run push -- 'a b'",
    "prepare": "git config x y",
    "other": "git push --mirror",
    "start": "cd sub && git push \"$REMOTE\" $npm_lifecycle_event"
  }
}"#;

#[test]
fn what_npm_runs_is_what_is_read() {
    if Command::new("npm").arg("--version").output().is_err() {
        println!("skipped: npm is not installed");
        return;
    }
    for command in [
        "npm test",
        "npm t --silent",
        "npm run push",
        "npm run push -- --force 'feat x'",
        "npm run all",
        "npm run-script push",
        "npm run none",
        "npm --prefix sub run push",
        "cd sub/deep && npm run push",
    ] {
        let yard = Yard::new(&[
            ("package.json", PACKAGE),
            ("sub/package.json", r#"{"scripts":{"push":"git push sub"}}"#),
            ("sub/deep/x", ""),
        ]);
        let read = yard.read(command);
        let ran = yard.ran(command);
        assert_eq!(read, ran, "{command}");
    }
}

/// A repository of its own whose build files hold these texts.
fn stage(files: &[(&str, &str)]) -> Stage {
    let repo = repo::fresh(&Setup {
        clean: true,
        ..Setup::default()
    });
    for (name, text) in files {
        repo::put(&repo.top.join(name), text);
    }
    Stage {
        repo: repo.into(),
        unseen_typing: false,
    }
}

#[test]
fn what_a_build_file_runs_is_judged_as_if_it_were_typed() {
    let package = r#"{"scripts":{"fp":"git push --force","ok":"git push origin HEAD:refs/heads/feat/x","lint":"eslint 'src/**' && tsc -p .","pub":"npm publish","sweep":"git add -A"}}"#;
    let make = "fp:\n\tgit push --force\nok:\n\tgit status && $(CC) -c x.c\nmain:\n\tgit push origin HEAD:$(TO)\n%.o: %.c\n\t$(call compile,$<)\n";
    let just = "fp:\n    git push --force\nok:\n    cargo build {{ if os() == 'x' { 'a' } else { 'b' } }}\nto branch:\n    git push origin HEAD:{{branch}}\n";
    let files = [
        ("package.json", package),
        ("Makefile", make),
        ("justfile", just),
    ];
    let stage = stage(&files);
    for (command, rule) in [
        ("npm run fp", "git/force-push"),
        ("yarn fp", "git/force-push"),
        ("pnpm fp", "git/force-push"),
        ("bun run fp", "git/force-push"),
        ("node --run fp", "git/force-push"),
        ("run-s lint fp", "git/force-push"),
        ("npm run pub", "publish/release"),
        ("npm run sweep", "git/broad-add"),
        ("make fp", "git/force-push"),
        ("make main TO=main", "git/base-push"),
        ("just fp", "git/force-push"),
        ("just to main", "git/base-push"),
        (
            "CI=1 timeout 60 npm run fp 2>&1 | tail -3",
            "git/force-push",
        ),
    ] {
        let said = told(&stage.judge(command));
        assert!(said.contains(rule), "{command}: {said}");
    }
    for command in [
        "npm run ok",
        "npm run lint -- --fix",
        "npm run missing",
        "make ok",
        "make x.o",
        "make main TO=feat/x",
        "just ok",
        "just to feat/x",
        "just --list",
        "make -n fp",
        "npm ci",
    ] {
        let said = told(&stage.judge(command));
        assert_eq!(said, "allow", "{command}");
    }
}

#[test]
fn a_build_file_that_is_odd_or_endless_ends_and_stops_nothing_by_itself() {
    let loops = r#"{"scripts":{"a":"npm run b","b":"echo b"}}"#;
    let wide = format!("all:\n{}", "\techo x\n".repeat(5_000));
    for (files, command) in [
        (("package.json", loops), "npm run a"),
        (("package.json", "{ not json"), "npm run a"),
        (("package.json", ""), "npm test"),
        (("Makefile", "\tgit push --force\n"), "make"),
        (("Makefile", "all: all\n\techo x\n"), "make"),
        (("Makefile", wide.as_str()), "make"),
        (("justfile", ":::\n  x\n"), "just"),
    ] {
        let said = told(&stage(&[files]).judge(command));
        assert_eq!(said, "allow", "{command}: {files:?}");
    }
}
