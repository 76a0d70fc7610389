//! The reader's own sentences: what is read, what is unread, and what is nobody's business.

use super::{AliasRun, Reading, read, split_alias};
use crate::action::{
    Act, ConfigWrite, Discard, Lookup, Loses, Place, Pointed, Reach, Refs, SettingValue, Switch,
    Worktree,
};
use crate::shell::{Assign, Command, OPAQUE, Opaque, Word};
use std::path::{Path, PathBuf};
use std::rc::Rc;

struct Names(&'static [(&'static str, &'static str)]);

impl Lookup for Names {
    fn alias(&self, _: &Place, name: &str) -> Result<Option<String>, String> {
        if name == "dark" {
            return Err("config cannot be read".to_owned());
        }
        let found = self.0.iter().find(|(n, _)| *n == name);
        Ok(found.map(|(_, value)| (*value).to_owned()))
    }

    fn program(&self, _: &Path) -> Option<String> {
        None
    }
}

/// `"$X"` is one unknown word, `$X` any number of them; both may stand inside a word.
fn word(text: &str) -> Word {
    let mark = OPAQUE.to_string();
    let (text, opaque) = match text.strip_prefix('"').and_then(|t| t.strip_suffix('"')) {
        Some(quoted) if quoted.contains("$X") => (quoted.replace("$X", &mark), Opaque::One),
        Some(quoted) => (quoted.to_owned(), Opaque::No),
        None if text.contains("$X") => (text.replace("$X", &mark), Opaque::Many),
        None => (text.to_owned(), Opaque::No),
    };
    Word {
        text,
        opaque,
        ..Word::default()
    }
}

fn command(line: &str) -> Command {
    let mut assigns = Vec::new();
    let mut words = Vec::new();
    for part in line.split(' ') {
        match part.split_once('=') {
            Some((name, value)) if words.is_empty() => assigns.push(Assign {
                name: name.to_owned(),
                value: word(value),
            }),
            _ => words.push(word(part)),
        }
    }
    Command {
        words,
        assigns,
        ..Command::default()
    }
}

fn reading(line: &str) -> Reading {
    let names = Names(&[
        ("p", "push"),
        ("pf", "push --force"),
        ("deep", "pf origin"),
        ("l1", "l2"),
        ("l2", "l1"),
        ("self", "self"),
        ("sh", "!git push \"$1\""),
        ("quoted", "commit -m 'a b' \"--amend\""),
        ("push", "push --force"),
        ("conf", "-c push.default=matching push"),
    ]);
    read(&command(line), Some(Path::new("/w")), &names)
}

fn acts(line: &str) -> Vec<Act> {
    reading(line).actions.into_iter().map(|a| a.act).collect()
}

/// The parts that cannot be read.
fn unread(line: &str) -> Vec<&'static str> {
    let parts = acts(line).into_iter().filter_map(|act| match act {
        Act::Opaque(unread) => Some(unread.part),
        _ => None,
    });
    parts.collect()
}

fn place(line: &str) -> Place {
    let reading = reading(line);
    reading.actions.into_iter().next().unwrap().place
}

fn skips(line: &str) -> (bool, bool) {
    let acts = acts(line);
    (
        acts.iter().any(|a| matches!(a, Act::SkipHooks(_))),
        acts.iter().any(|a| matches!(a, Act::SkipSigning(_))),
    )
}

fn discard(line: &str) -> Discard {
    let found = acts(line).into_iter().find_map(|act| match act {
        Act::Discard(discard) => Some(discard),
        _ => None,
    });
    found.unwrap_or_else(|| panic!("`{line}` discards nothing"))
}

fn switch(line: &str) -> Switch {
    let found = acts(line).into_iter().find_map(|act| match act {
        Act::Switch(switch) => Some(switch),
        _ => None,
    });
    found.unwrap_or_else(|| panic!("`{line}` switches nowhere"))
}

fn config(line: &str) -> Option<ConfigWrite> {
    acts(line).into_iter().find_map(|act| match act {
        Act::Config(write) => Some(write),
        _ => None,
    })
}

#[test]
fn unknown_words_are_reported_only_where_they_decide() {
    let cases: &[(&str, &[&str])] = &[
        ("git $X", &["verb"]),
        ("git \"$X\"", &["verb"]),
        ("git pu$X origin", &["verb"]),
        ("git -C \"$X\" status", &[]),
        ("git -C $X log", &[]),
        ("git -C $X commit -m x", &["option"]),
        ("git -C \"$X\" commit -m x", &[]),
        ("git status $X", &[]),
        ("git log $X", &[]),
        ("git show \"$X\"", &[]),
        ("git diff $X --stat", &[]),
        ("git rev-parse $X", &[]),
        ("git push origin \"$X\"", &["target"]),
        ("git push origin $X", &["target"]),
        ("git push \"$X\"", &["target"]),
        ("git push origin \"feat/$X\"", &["target"]),
        ("git push -n origin \"$X\"", &[]),
        ("git push --$X origin main", &["option"]),
        ("git push -$X origin main", &["option"]),
        ("git push -o \"$X\" origin main", &[]),
        (
            "git push --force-with-lease=main:\"$X\" origin main",
            &["option"],
        ),
        ("git push \"--force-with-lease=main:$X\" origin main", &[]),
        ("git add \"$X\"", &["target"]),
        ("git add -- $X", &["target"]),
        ("git add src/a.rs", &[]),
        ("git commit -m \"$X\"", &[]),
        ("git commit -m $X", &["option"]),
        ("git commit -m\"$X\"", &["option"]),
        ("git commit \"-m$X\"", &[]),
        ("git commit \"--message=$X\"", &[]),
        ("git commit -m x \"$X\"", &["target"]),
        ("git tag \"v$X\"", &[]),
        ("git tag v$X", &[]),
        ("git tag -d \"$X\"", &["target"]),
        ("git worktree add \"$X\" -b \"$X\" origin/main", &[]),
        ("git worktree remove \"$X\"", &[]),
        ("git worktree remove --force \"$X\"", &["target"]),
        ("git branch backup-$X", &[]),
        ("git branch \"$X\"", &[]),
        ("git branch -D \"$X\"", &["target"]),
        ("git branch -D feat-$X", &["target"]),
        ("git checkout -b \"feat/$X\"", &[]),
        ("git checkout -b \"$X\" origin/main", &[]),
        ("git checkout \"$X\"", &["target"]),
        ("git checkout \"feat/$X\"", &[]),
        ("git checkout main -- \"$X\"", &["target"]),
        ("git switch \"$X\"", &[]),
        ("git switch -c \"$X\"", &[]),
        ("git switch $X", &["option"]),
        ("git restore \"$X\"", &["target"]),
        ("git restore --staged \"$X\"", &[]),
        ("git reset \"$X\"", &["target"]),
        ("git merge \"$X\"", &[]),
        ("git rebase --onto $X $X", &[]),
        ("git cherry-pick $X", &[]),
        ("git pull origin $X", &[]),
        ("git fetch origin $X", &[]),
        ("git clone \"$X\" \"$X\"", &[]),
        ("git remote add origin \"$X\"", &[]),
        ("git remote $X", &["verb"]),
        ("git stash $X", &["verb"]),
        ("git config user.name \"$X\"", &[]),
        ("git config \"$X\" true", &["target"]),
        ("git config --get \"$X\"", &[]),
        ("git config core.hooksPath \"$X\"", &["option"]),
        ("git dark", &["verb"]),
    ];
    for (line, parts) in cases {
        assert_eq!(&unread(line), parts, "{line}");
    }
}

#[test]
fn a_command_that_only_reads_does_nothing() {
    for line in [
        "git",
        "git status",
        "git --version",
        "git push --help",
        "git push -h",
        "git branch",
        "git branch -a",
        "git branch --list feat/*",
        "git branch --show-current",
        "git tag",
        "git tag -l v*",
        "git tag -n3",
        "git stash list",
        "git stash show -p",
        "git worktree list",
        "git remote -v",
        "git remote show origin",
        "git config --get user.name",
        "git config -l",
        "git config user.name",
        "git config get user.name",
        "git fetch origin",
        "git fetch --all -p",
        "git fetch origin +refs/heads/*:refs/remotes/origin/*",
        "git reflog",
        "git symbolic-ref HEAD",
        "git checkout",
        "git -Cdir push",
        "git -cpush.default=matching push",
        "git gc",
        "git bisect log",
        "git submodule status",
        "git am --show-current-patch",
        "git diff --stat",
        "git-status",
        "git apply --check p",
    ] {
        assert!(acts(line).is_empty(), "{line}: {:?}", acts(line));
    }
}

#[test]
fn a_path_to_git_and_a_dashed_verb_are_git() {
    for line in [
        "/usr/bin/git push",
        "git-push",
        "/usr/lib/git-core/git-push",
        "git.exe push",
    ] {
        assert!(matches!(acts(line).as_slice(), [Act::Push(_)]), "{line}");
    }
    assert!(acts("git-lfs push").is_empty());
}

#[test]
fn aliases_of_plain_words_are_followed() {
    for line in ["git p -f", "git pf", "git PF", "git deep", "git PUSH"] {
        let acts = acts(line);
        let [Act::Push(push)] = acts.as_slice() else {
            panic!("{line}: {acts:?}");
        };
        assert!(push.force.is_some(), "{line}");
    }
    assert!(matches!(acts("git push").as_slice(), [Act::Push(p)] if p.force.is_none()));
    assert!(matches!(acts("git quoted").as_slice(), [Act::Commit(c)] if c.amend.is_some()));
    assert_eq!(place("git conf").config.len(), 1);
}

#[test]
fn an_alias_given_with_the_command_counts() {
    assert!(matches!(
        acts("git -c alias.zz=push zz").as_slice(),
        [Act::Push(_)]
    ));
    let env = "GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=alias.zz GIT_CONFIG_VALUE_0=push git zz";
    assert!(matches!(acts(env).as_slice(), [Act::Push(_)]));
    assert_eq!(unread("git -c \"$X\" zz"), ["verb"]);
}

#[test]
fn alias_loops_end() {
    assert!(acts("git self").is_empty());
    assert!(acts("git l1").is_empty());
}

#[test]
fn a_shell_alias_comes_back_with_its_arguments() {
    let reading = reading("git -c core.hooksPath=/dev/null sh main");
    assert!(reading.actions.is_empty());
    let Some(AliasRun::Shell {
        text, args, place, ..
    }) = reading.alias
    else {
        panic!("no alias");
    };
    assert_eq!(text, "git push \"$1\" \"$@\"");
    assert_eq!(args.last().map(|w| w.text.as_str()), Some("main"));
    assert_eq!(args.len(), 2);
    assert_eq!(place.config.len(), 1);
}

#[test]
fn an_unknown_verb_keeps_its_words() {
    assert!(
        matches!(acts("git psh -f").as_slice(), [Act::UnknownVerb { words }] if words.len() == 2)
    );
}

#[test]
fn aliases_split_as_git_splits_them() {
    let split = |text: &str| split_alias(text).map(|words| words.join("|"));
    assert_eq!(
        split("a  'b c' \"d\\e\" f\\ g").as_deref(),
        Some("a|b c|de|f g")
    );
    assert_eq!(split("a #b").as_deref(), Some("a|#b"));
    assert_eq!(split("a 'b"), None);
    assert_eq!(split(""), None);
}

#[test]
fn directories_chain_and_unknown_ones_stay_unknown() {
    let dir = |line: &str| place(line).dir;
    assert_eq!(dir("git -C a -C b commit"), Some(PathBuf::from("/w/a/b")));
    assert_eq!(dir("git -C /x commit"), Some(PathBuf::from("/x")));
    assert_eq!(dir("git -C \"$X\" commit"), None);
    assert_eq!(dir("git -C \"$X\" -C /x commit"), Some(PathBuf::from("/x")));
    let place = place("git --git-dir=g --work-tree t -C a commit");
    assert_eq!(place.git_dir, Pointed::At(PathBuf::from("/w/a/g")));
    assert_eq!(place.work_tree, Pointed::At(PathBuf::from("/w/a/t")));
}

#[test]
fn the_environment_points_and_configures() {
    let at = place("GIT_DIR=/g GIT_WORK_TREE=\"$X\" GIT_INDEX_FILE=i git commit");
    assert_eq!(at.git_dir, Pointed::At(PathBuf::from("/g")));
    assert_eq!(at.work_tree, Pointed::Unknown);
    assert_eq!(at.env.len(), 1);
    let config = place("V=no git -c A.b.C=1 --config-env=push.Default=V -c x.y commit").config;
    let read: Vec<_> = config
        .iter()
        .map(|s| (s.key.as_deref(), &s.value))
        .collect();
    assert_eq!(
        read,
        [
            (Some("a.b.c"), &SettingValue::Text("1".to_owned())),
            (Some("push.default"), &SettingValue::Text("no".to_owned())),
            (Some("x.y"), &SettingValue::Bare),
        ]
    );
    let config = place("GIT_CONFIG_PARAMETERS='a.b'='it'\\''s' git commit").config;
    assert_eq!(
        config.first().map(|s| s.value.clone()),
        Some(SettingValue::Text("it's".to_owned()))
    );
    let config = place("GIT_CONFIG_PARAMETERS=\"$X\" git commit").config;
    assert_eq!(config.first().map(|s| s.key.clone()), Some(None));
}

#[test]
fn an_export_counts_until_it_is_taken_away() {
    let mut command = command("git commit");
    let export = Assign {
        name: "HUSKY".to_owned(),
        value: word("0"),
    };
    command.exports = Rc::new(vec![export]);
    let skipped = |command: &Command| {
        let reading = read(command, None, &Names(&[]));
        reading
            .actions
            .iter()
            .any(|a| matches!(a.act, Act::SkipHooks(_)))
    };
    assert!(skipped(&command));
    command.unset = Rc::new(vec!["HUSKY".to_owned()]);
    assert!(!skipped(&command));
}

#[test]
fn hooks_are_skipped_by_option_config_and_hook_manager() {
    for line in [
        "git commit -nm x",
        "git commit --no-veri",
        "git push --no-verify",
        "git am -n p",
        "git merge --no-verify x",
        "git pull --no-verify",
        "git rebase --no-verify x",
        "git -c core.hooksPath=/dev/null commit",
        "git -c core.hooksPath= commit",
        "git -c CORE.HOOKSPATH=/tmp/h push",
        "git config core.hooksPath /dev/null",
        "git config set --global core.hooksPath ~/h",
        "HUSKY=0 git commit",
        "LEFTHOOK=false git push",
        "SKIP=lint git commit",
        "git -c core.hooksPath=../h commit",
    ] {
        assert!(skips(line).0, "{line}");
    }
    for line in [
        "git commit --no-verify --verify",
        "git commit -mn",
        "git push -n",
        "git merge -n x",
        "git -c core.hooksPath=/dev/null log",
        "git -c core.hooksPath=.githooks commit",
        "git config core.hooksPath .husky",
        "git config --unset core.hooksPath",
        "git config core.hooksPath /w/hooks",
        "HUSKY=0 git status",
        "HUSKY=0 git checkout main",
        "HUSKY=1 git commit",
        "git push --no-verify --dry-run",
        "git cherry-pick -n x",
        "git -c core.hooksPath=/dev/null branch --list",
    ] {
        assert!(!skips(line).0, "{line}");
    }
}

#[test]
fn signing_is_skipped_only_where_something_would_be_signed() {
    for line in [
        "git commit --no-gpg-sign",
        "git commit --no-gpg -m x",
        "git -c commit.gpgsign=false commit",
        "git -c commit.gpgSign=0 rebase x",
        "git -c tag.gpgsign=no tag v1",
        "git push --no-signed",
        "git push --signed=false",
        "git config commit.gpgsign false",
        "git tag --no-sign v1",
        "git merge --no-gpg-sign x",
    ] {
        assert!(skips(line).1, "{line}");
    }
    for line in [
        "git -c commit.gpgsign=false log",
        "git commit -S",
        "git -c commit.gpgsign=false commit -S",
        "git commit --no-gpg-sign -S",
        "git push --signed=if-asked",
        "git config commit.gpgsign true",
        "git -c commit.gpgsign=false tag v1",
    ] {
        assert!(!skips(line).1, "{line}");
    }
}

#[test]
fn a_discard_says_how_much_it_reaches() {
    for line in [
        "git reset --hard",
        "git reset --h",
        "git reset --merge HEAD~1",
        "git checkout .",
        "git checkout HEAD -- :/",
        "git checkout -f main",
        "git switch -f main",
        "git restore .",
        "git restore -SW :!x",
        "git clean -fd",
        "git clean -d",
        "git read-tree -u --reset HEAD",
        "git rm -rf ../..",
    ] {
        assert!(matches!(discard(line).reach, Reach::Tree), "{line}");
    }
    for line in [
        "git checkout -- a",
        "git checkout main a",
        "git restore a",
        "git clean -f a",
        "git rm -f a",
        "git checkout src/*",
        "git mv -f b a",
        "git checkout-index -f a",
    ] {
        assert!(matches!(discard(line).reach, Reach::Paths(_)), "{line}");
    }
    assert!(matches!(discard("git checkout -p").reach, Reach::Chosen(_)));
    assert!(matches!(
        discard("git restore --pathspec-from-file=l").reach,
        Reach::Listed(_)
    ));
    assert_eq!(discard("git clean -fdx").loses, Loses::Ignored);
    assert_eq!(discard("git clean -fd").loses, Loses::Untracked);
    assert_eq!(discard("git stash drop").loses, Loses::Stash);
    assert_eq!(
        discard("git reset --hard origin/x").how.text,
        "reset --hard"
    );
}

#[test]
fn what_keeps_the_work_tree_is_no_discard() {
    for line in [
        "git reset --soft HEAD~1",
        "git reset HEAD a",
        "git restore --staged .",
        "git clean -nfd",
        "git -c clean.requireForce=true clean -d",
        "git clean -fX",
        "git rm --cached -f a",
        "git checkout -b x",
        "git switch -c x",
        "git stash",
        "git apply p",
        "git checkout-index -a",
    ] {
        let lossy = acts(line).iter().any(|a| matches!(a, Act::Discard(_)));
        assert!(!lossy, "{line}");
    }
}

#[test]
fn a_lone_word_of_checkout_may_be_a_path() {
    assert!(switch("git checkout main").maybe_path);
    for line in [
        "git checkout -",
        "git checkout HEAD~1",
        "git checkout main --",
        "git switch main",
    ] {
        assert!(!switch(line).maybe_path, "{line}");
    }
    let tracking = switch("git checkout -t origin/feat/x");
    assert_eq!(tracking.create.map(|w| w.text).as_deref(), Some("feat/x"));
    assert_eq!(tracking.track, Some(true));
    assert!(switch("git switch -C x").force_create.is_some());
    assert!(switch("git checkout --detach main").detach);
}

#[test]
fn branches_and_tags_say_what_becomes_of_which_ref() {
    let refs = |line: &str| match acts(line).into_iter().next() {
        Some(Act::Refs(refs)) => refs,
        other => panic!("{line}: {other:?}"),
    };
    assert!(
        matches!(refs("git branch x"), Refs::Create { name, branch: true, .. } if name.text == "refs/heads/x")
    );
    assert!(
        matches!(refs("git tag v1"), Refs::Create { name, branch: false, .. } if name.text == "refs/tags/v1")
    );
    assert!(matches!(
        refs("git branch -d x"),
        Refs::Delete { safe: true, .. }
    ));
    assert!(matches!(
        refs("git branch -df x"),
        Refs::Delete { safe: false, .. }
    ));
    assert!(matches!(
        refs("git branch -dr origin/x"),
        Refs::Delete {
            remote_tracking: true,
            ..
        }
    ));
    assert!(matches!(
        refs("git branch -m y"),
        Refs::Rename {
            from: None,
            force: false,
            ..
        }
    ));
    assert!(matches!(
        refs("git branch -M x y"),
        Refs::Rename {
            from: Some(_),
            force: true,
            ..
        }
    ));
    assert!(matches!(
        refs("git branch -u origin/x"),
        Refs::Upstream {
            upstream: Some(_),
            ..
        }
    ));
    assert!(matches!(refs("git branch -f x HEAD~1"), Refs::Force { .. }));
    assert!(matches!(refs("git fetch origin +a:b"), Refs::Force { .. }));
    assert!(matches!(
        refs("git fetch origin +a/*:b/*"),
        Refs::Unnamed(_)
    ));
    assert!(
        matches!(refs("git fetch origin a:b"), Refs::Create { name, .. } if name.text == "refs/heads/b")
    );
    assert!(matches!(refs("git update-ref --stdin"), Refs::Unnamed(_)));
}

#[test]
fn config_writes_know_key_value_and_scope() {
    let write = config("git config --global Push.Default matching").unwrap();
    assert_eq!(write.key.as_deref(), Some("push.default"));
    assert_eq!(write.scope, "global");
    let write = config("git config set --worktree a.b c").unwrap();
    assert_eq!(
        (write.scope, write.value.unwrap().text.as_str()),
        ("worktree", "c")
    );
    assert!(config("git config --unset a.b").unwrap().value.is_none());
    assert!(config("git config --add a.b c").unwrap().add);
    assert!(config("git config -e").unwrap().key.is_none());
    assert_eq!(config("git config -f x a.b c").unwrap().scope, "file");
    // The first argument ends the options: `--global` is the value here.
    assert_eq!(config("git config a.b --global").unwrap().scope, "local");
    assert!(config("git config a.b").is_none());
}

#[test]
fn worktrees_clones_and_remotes_name_what_they_make() {
    let act = |line: &str| acts(line).into_iter().next();
    let Some(Act::Worktree(Worktree::Add { branch, .. })) = act("git worktree add ../feat-x")
    else {
        panic!();
    };
    assert_eq!(branch.map(|w| w.text).as_deref(), Some("feat-x"));
    let dir = |line: &str| match act(line) {
        Some(Act::NewRepository { dir, .. }) => dir.map(|w| w.text),
        other => panic!("{other:?}"),
    };
    assert_eq!(dir("git clone git@h:a/b.git").as_deref(), Some("b"));
    assert_eq!(dir("git clone /x/y/.git").as_deref(), Some("y"));
    assert_eq!(
        dir("git clone --bare https://h/b").as_deref(),
        Some("b.git")
    );
    assert_eq!(dir("git clone x z").as_deref(), Some("z"));
    assert_eq!(dir("git init").as_deref(), Some("."));
    let Some(Act::Remote { verb, name, args }) = act("git remote set-url --push origin u") else {
        panic!();
    };
    assert_eq!(
        (verb.as_str(), name.unwrap().text.as_str()),
        ("set-url", "origin")
    );
    assert_eq!(args.len(), 2);
}

#[test]
fn config_on_a_harmless_verb_is_still_seen() {
    assert!(matches!(
        acts("git -c core.fsmonitor=x status").as_slice(),
        [Act::Other { .. }]
    ));
    assert!(matches!(
        acts("GIT_SSH_COMMAND=x git fetch").as_slice(),
        [Act::Other { .. }]
    ));
}

#[test]
fn printing_into_a_file_is_a_write() {
    assert!(
        matches!(acts("git diff --output=f").as_slice(), [Act::Write { path }] if path.text == "f")
    );
    assert!(matches!(
        acts("git log --output f").as_slice(),
        [Act::Write { .. }]
    ));
    assert!(
        matches!(acts("git archive -of HEAD").as_slice(), [Act::Write { path }] if path.text == "f")
    );
    assert!(acts("git log -- --output f").is_empty());
}

#[test]
fn hostile_words_neither_panic_nor_pile_up() {
    const PARTS: &[&str] = &[
        "push",
        "commit",
        "checkout",
        "config",
        "stash",
        "-",
        "--",
        "-x",
        "--no-",
        "--no-no-x",
        "=",
        "--=",
        "-\u{1}",
        "\u{1}",
        "ä",
        "-ä",
        "--force=ä",
        ":(",
        ":(top",
        ":",
        ":!",
        "..",
        "é/..",
        "",
        "-c",
        "-C",
        "a.b=c",
        "\u{f0000}",
        "--end-of-options",
        "set",
        "clone",
        "/",
        ".git",
        "branch",
        "-mä",
        "worktree",
        "add",
        "remote",
        "submodule",
        "update-index",
        "--cacheinfo",
        "fetch",
        "+:",
    ];
    let mut seed = 7_u64;
    for _ in 0..20_000 {
        let mut words = vec![word("git")];
        for _ in 0..6 {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            let part = PARTS[usize::try_from(seed >> 33).unwrap() % PARTS.len()];
            let marked = part.contains(['\u{1}', '\u{f0000}']);
            words.push(Word {
                text: part.to_owned(),
                opaque: match (marked, seed & 0x1000 == 0) {
                    (false, _) => Opaque::No,
                    (true, true) => Opaque::One,
                    (true, false) => Opaque::Many,
                },
                ..Word::default()
            });
        }
        let command = Command {
            words,
            ..Command::default()
        };
        read(&command, None, &Names(&[]));
    }
    let many = format!("git push origin{}", " \"$X\"".repeat(5_000));
    assert!(acts(&many).len() <= super::ACTS_MAX);
}
