//! How commands change what later commands of the same script mean.
#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a test may stop anywhere and tell why"
)]

mod sandbox;

use leaseguard::action::{Act, Action, ConfigWrite, How, Place, Push, Refs, Switch, Worktree, git};
use leaseguard::shell::{Assign, Command, Files, OPAQUE, Opaque, Source, Span, Word};
use leaseguard::world::{Fact, Head, Outlook, Presence, Surroundings, World};
use sandbox::{Sandbox, by_setup, covers, every, is_base, spread, text};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::rc::Rc;

fn word(text: &str) -> Word {
    Word {
        text: text.to_owned(),
        ..Word::default()
    }
}

/// A script of plain commands, read without the extraction of the shell layer.
mod script {
    /// One step of a plain script.
    #[derive(Debug, PartialEq)]
    pub(crate) enum Step {
        Run(Vec<String>),
        Fork,
        Or,
        Join,
    }

    const WORDS: &[&str] = &[
        "if", "for", "while", "case", "do", "then", "trap", "function", "eval", "set", "source",
        ".", "bash", "sh", "xargs", "exec", "pushd", "popd", "alias", "shopt", "env", "unset",
        "declare", "export", "f", "p", "local", "coproc", "make", "mv", "ln", "tee", "[", "!",
        "cp", "rm",
    ];

    /// The steps, or `None` where it takes a shell to follow it.
    pub(crate) fn read(text: &str) -> Option<Vec<Step>> {
        if text.contains(['$', '`', '{', '(', '<', '*', '\n']) || text.contains("cd -") {
            return None;
        }
        let text = text.replace("2>&1", "").replace("2>/dev/null", "");
        let text = text.replace(">/dev/null", "");
        let mut steps = Vec::new();
        for line in text.split(';') {
            // `a || b && c`: whatever stands after the first `||` may or may not run.
            let mut open = 0;
            for (n, part) in line.split("||").enumerate() {
                if n > 0 {
                    steps.push(Step::Fork);
                    open += 1;
                }
                for command in part.split("&&") {
                    let words = words(command)?;
                    let first = words.first().map(String::as_str).unwrap_or_default();
                    if WORDS.contains(&first) || first.contains('=') {
                        return None;
                    }
                    steps.push(Step::Run(words));
                }
            }
            for _ in 0..open {
                steps.push(Step::Or);
                steps.push(Step::Join);
            }
        }
        Some(steps)
    }

    fn words(text: &str) -> Option<Vec<String>> {
        let (mut words, mut word, mut quote) = (Vec::new(), None::<String>, None);
        for c in text.chars() {
            match (quote, c) {
                (Some(q), c) if q == c => quote = None,
                (None, '\'' | '"') => {
                    quote = Some(c);
                    word.get_or_insert_default();
                }
                (None, '|' | '&' | '\\') => return None,
                (None, c) if c.is_whitespace() => words.extend(word.take()),
                (_, c) => word.get_or_insert_default().push(c),
            }
        }
        words.extend(word);
        quote.is_none().then_some(words)
    }
}

/// A world at the sandbox, and the directory that its script has reached.
struct Walk<'a> {
    sandbox: &'a Sandbox,
    world: World,
    dir: PathBuf,
    outlooks: Vec<Outlook>,
}

impl<'a> Walk<'a> {
    fn new(sandbox: &'a Sandbox, cwd: &str) -> Walk<'a> {
        let dir = sandbox.root.join(cwd);
        let world = World::new(Surroundings {
            cwd: Some(dir.clone()),
            home: Some(sandbox.root.join("home")),
            ..Surroundings::default()
        });
        Walk {
            sandbox,
            world,
            dir,
            outlooks: Vec::new(),
        }
    }

    fn place(&self, dir: &Path) -> Place {
        Place {
            dir: Some(dir.to_owned()),
            env: vec![("GIT_CONFIG_NOSYSTEM".to_owned(), word("1"))],
            ..Place::default()
        }
    }

    fn run(&mut self, words: &[String]) {
        let (mut words, mut writes) = (words.to_vec(), Vec::new());
        words.retain(|w| match w.strip_prefix('>') {
            Some(file) => {
                writes.push(file.trim_start_matches('>').to_owned());
                false
            }
            None => true,
        });
        for file in writes {
            let act = Act::Write { path: word(&file) };
            self.act(act);
        }
        match words.first().map(String::as_str) {
            Some("cd") => {
                self.dir = self.dir.join(&words[1]);
            }
            Some("git") => {
                let exports = vec![Assign {
                    name: "GIT_CONFIG_NOSYSTEM".to_owned(),
                    value: word("1"),
                }];
                let command = Command {
                    words: words.iter().map(|w| word(w)).collect(),
                    exports: Rc::new(exports),
                    ..Command::default()
                };
                for action in git::read(&command, Some(&self.dir), &self.world).actions {
                    if let Act::Push(push) = &action.act {
                        let outlook = self.world.push(push, &action.place);
                        self.outlooks.push((*outlook).clone());
                    }
                    self.world.apply(&action);
                }
            }
            _ => {}
        }
    }

    fn act(&mut self, act: Act) {
        let action = Action {
            act,
            place: self.place(&self.dir),
            span: Span::default(),
            shown: String::new(),
        };
        self.world.apply(&action);
    }

    fn script(&mut self, steps: &[script::Step]) {
        for step in steps {
            match step {
                script::Step::Run(words) => self.run(words),
                script::Step::Fork => self.world.fork(),
                script::Step::Or => self.world.or(),
                script::Step::Join => self.world.join(),
            }
        }
    }
}

/// Whether verbs of git are read at all; until then there is nothing to replay.
fn reads_git() -> bool {
    let command = Command {
        words: vec![word("git"), word("push")],
        ..Command::default()
    };
    !git::read(&command, None, &World::default())
        .actions
        .is_empty()
}

/// Vectors that we judge harder than need be, and why.
const TOO_MUCH: &[(&str, &str)] = &[(
    "wt-switch-main-busy",
    "git refuses a branch that another checkout is on",
)];

/// Vectors of which we only say that they are unclear.
const UNCLEAR: &[(&str, &str)] = &[
    ("cf-include", "what a written file says is not followed"),
    ("cf-echo-config", "what a written file says is not followed"),
    (
        "mc-clone-c-lasts",
        "the branch of a fresh clone is the remote's choice",
    ),
    (
        "cd-init-b-topic",
        "the branch of a new repository is not followed",
    ),
];

/// Vectors in which git stops half-way and the script goes on: the later state is foretold.
const STOPPED: &[&str] = &["sw-dirty-refused", "wt-switch-main-busy"];

fn check(vector: &Value, sandbox: &Sandbox, wrong: &mut Vec<String>) -> bool {
    let Some(steps) = script::read(&sandbox.filled(text(vector, "script"))) else {
        return false;
    };
    let id = text(vector, "id");
    let mut walk = Walk::new(sandbox, text(vector, "cwd"));
    walk.script(&steps);
    let unclear: Vec<&String> = walk.outlooks.iter().flat_map(|o| &o.unclear).collect();
    let all = || walk.outlooks.iter().flat_map(|o| &o.updates);
    for update in vector["updates"].as_array().unwrap() {
        if STOPPED.contains(&id) {
            break;
        }
        if unclear.is_empty() && !all().any(|p| covers(&p.refname, text(update, "ref"))) {
            wrong.push(format!("{id}: missed {update}: {:?}", walk.outlooks));
        }
    }
    let base = all().find(|u| is_base(&u.refname));
    let known = |list: &[(&str, &str)]| list.iter().any(|(name, _)| *name == id);
    match (text(vector, "expect"), vector["rule"].as_str()) {
        ("allow", _) => {
            if let (Some(base), false) = (base, known(TOO_MUCH)) {
                wrong.push(format!("{id}: too much: {base:?}"));
            }
            if !unclear.is_empty() && !known(UNCLEAR) {
                wrong.push(format!("{id}: unclear: {unclear:?}"));
            }
        }
        ("deny", Some("git/base-push")) if base.is_none() && !known(UNCLEAR) => {
            wrong.push(format!(
                "{id}: no base branch: {unclear:?} {:?}",
                walk.outlooks
            ));
        }
        _ => {}
    }
    for (checkout, head) in vector["heads"].as_object().into_iter().flatten() {
        let place = walk.place(&walk.sandbox.root.join(checkout));
        let head = match head.as_str().unwrap() {
            "DETACHED" => Head::Detached,
            branch => Head::Branch(branch.to_owned()),
        };
        let heads = walk.world.heads(&place);
        let wrongly = matches!(&heads, Fact::Known(heads) if !heads.contains(&head));
        if wrongly && !STOPPED.contains(&id) {
            wrong.push(format!(
                "{id}: `{checkout}` is on {head:?}, not on {heads:?}"
            ));
        }
    }
    true
}

#[test]
fn plain_scripts_end_where_git_ended() {
    if !reads_git() {
        println!("git's verbs are not read yet: nothing to replay");
        return;
    }
    let vectors = every("sequence-vectors.jsonl");
    let done = spread(&by_setup(&vectors), |group, sandbox| {
        sandbox.set_up(group[0]);
        let mut wrong = Vec::new();
        let checked = group.iter().filter(|v| check(v, sandbox, &mut wrong));
        (checked.count(), wrong)
    });
    let checked: usize = done.iter().map(|(checked, _)| checked).sum();
    let wrong: Vec<String> = done.into_iter().flat_map(|(_, wrong)| wrong).collect();
    assert!(checked > 150, "only {checked} scripts");
    assert!(wrong.is_empty(), "{}\n{}", wrong.join("\n"), wrong.len());
}

fn switch(to: &str) -> Act {
    Act::Switch(Switch {
        to: Some(word(to)),
        ..Switch::default()
    })
}

fn create(name: &str, start: Option<&str>) -> Act {
    Act::Switch(Switch {
        create: Some(word(name)),
        to: start.map(word),
        ..Switch::default()
    })
}

fn opaque() -> Word {
    Word {
        text: OPAQUE.to_string(),
        opaque: Opaque::One,
        ..Word::default()
    }
}

fn push(words: &[&str]) -> Push {
    let mut words = words.iter().map(|w| word(w));
    Push {
        remote: words.next(),
        refspecs: words.collect(),
        ..Push::default()
    }
}

fn config(key: &str, value: &str) -> Act {
    Act::Config(ConfigWrite {
        key: Some(key.to_owned()),
        value: Some(word(value)),
        add: false,
        edits: false,
        scope: "local",
        how: How {
            text: String::new(),
            span: Span::default(),
        },
    })
}

impl Walk<'_> {
    fn heads(&self) -> Fact<Vec<Head>> {
        self.world.heads(&self.place(&self.dir))
    }

    fn outlook(&self, push: &Push) -> Outlook {
        (*self.world.push(push, &self.place(&self.dir))).clone()
    }

    /// The refs of a push that is fully known.
    fn refs(&self, push: &Push) -> Vec<String> {
        let outlook = self.outlook(push);
        assert!(outlook.unclear.is_empty(), "{outlook:?}");
        outlook.updates.into_iter().map(|u| u.refname).collect()
    }

    fn ask(&self, words: &str) -> Option<String> {
        let command = Command {
            words: words.split(' ').map(word).collect(),
            ..Command::default()
        };
        self.world.answer(&command, &self.place(&self.dir))
    }
}

fn on(branch: &str) -> Head {
    Head::Branch(branch.to_owned())
}

fn sandbox() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.fresh();
    sandbox
}

#[test]
fn a_new_branch_is_pushed_under_its_own_name() {
    let sandbox = sandbox();
    let mut walk = Walk::new(&sandbox, "work");
    walk.act(create("topic", Some("main")));
    assert_eq!(walk.heads(), Fact::Known(vec![on("topic")]));
    assert_eq!(walk.refs(&push(&["origin", "HEAD"])), ["refs/heads/topic"]);
    assert_eq!(walk.refs(&push(&["origin", "topic"])), ["refs/heads/topic"]);
    assert!(walk.outlook(&push(&[])).refused.is_some());
}

#[test]
fn a_new_branch_from_a_remote_one_tracks_it() {
    let sandbox = sandbox();
    let mut walk = Walk::new(&sandbox, "work");
    walk.act(create("topic", Some("origin/main")));
    assert!(walk.outlook(&push(&[])).refused.is_some());
    walk.act(config("push.default", "upstream"));
    assert_eq!(walk.refs(&push(&[])), ["refs/heads/main"]);
    assert_eq!(walk.refs(&push(&["origin", "topic"])), ["refs/heads/main"]);
    assert_eq!(walk.refs(&push(&["origin", "HEAD"])), ["refs/heads/topic"]);
}

#[test]
fn a_branch_that_only_the_remote_has_is_made_from_there() {
    let sandbox = sandbox();
    let mut walk = Walk::new(&sandbox, "work");
    walk.act(switch("ronly"));
    assert_eq!(walk.heads(), Fact::Known(vec![on("ronly")]));
    assert_eq!(walk.refs(&push(&[])), ["refs/heads/ronly"]);
}

#[test]
fn both_ways_of_a_fork_count_and_dead_ends_do_not() {
    let sandbox = sandbox();
    let mut walk = Walk::new(&sandbox, "work");
    walk.world.fork();
    walk.act(switch("main"));
    walk.world.or();
    walk.act(switch("dev"));
    walk.world.fork();
    walk.act(switch("same"));
    walk.world.end();
    walk.world.or();
    walk.world.join();
    walk.world.join();
    assert_eq!(walk.heads(), Fact::Known(vec![on("main"), on("dev")]));
    assert_eq!(walk.refs(&push(&[])), ["refs/heads/main", "refs/heads/dev"]);
    assert_eq!(walk.ask("git branch --show-current"), None);
    walk.world.end();
    assert!(!walk.world.live());
    assert!(walk.outlook(&push(&["origin", "main"])).updates.is_empty());
}

#[test]
fn too_many_ways_are_unknown() {
    let sandbox = sandbox();
    let mut walk = Walk::new(&sandbox, "work");
    for n in 0..9 {
        walk.world.fork();
        walk.act(create(&format!("b{n}"), None));
        walk.world.or();
        walk.world.join();
    }
    assert!(matches!(walk.heads(), Fact::Unknown(_)));
    assert!(!walk.outlook(&push(&[])).unclear.is_empty());
}

#[test]
fn an_unknown_word_makes_head_unknown_until_it_is_named_again() {
    let sandbox = sandbox();
    let mut walk = Walk::new(&sandbox, "work");
    walk.act(Act::Switch(Switch {
        to: Some(opaque()),
        ..Switch::default()
    }));
    assert!(matches!(walk.heads(), Fact::Unknown(_)));
    assert!(!walk.outlook(&push(&["origin", "HEAD"])).unclear.is_empty());
    assert_eq!(walk.refs(&push(&["origin", "same"])), ["refs/heads/same"]);
    walk.act(switch("same"));
    assert_eq!(walk.heads(), Fact::Known(vec![on("same")]));
}

#[test]
fn a_dash_goes_back() {
    let sandbox = sandbox();
    let mut walk = Walk::new(&sandbox, "work");
    walk.act(switch("-"));
    assert_eq!(walk.heads(), Fact::Known(vec![on("new")]));
    walk.act(switch("dev"));
    walk.act(switch("-"));
    assert_eq!(walk.heads(), Fact::Known(vec![on("new")]));
}

#[test]
fn a_renamed_branch_keeps_its_upstream() {
    let sandbox = sandbox();
    let mut walk = Walk::new(&sandbox, "work");
    walk.act(Act::Refs(Refs::Rename {
        from: None,
        to: word("other"),
        force: false,
        copy: false,
    }));
    assert_eq!(walk.heads(), Fact::Known(vec![on("other")]));
    walk.act(config("push.default", "upstream"));
    assert_eq!(walk.refs(&push(&[])), ["refs/heads/feature"]);
}

#[test]
fn a_push_with_u_is_the_upstream_of_the_next() {
    let sandbox = sandbox();
    let mut walk = Walk::new(&sandbox, "work");
    walk.act(switch("new"));
    assert!(walk.outlook(&push(&[])).refused.is_some());
    walk.act(Act::Push(Push {
        set_upstream: true,
        ..push(&["origin", "HEAD"])
    }));
    assert_eq!(walk.refs(&push(&[])), ["refs/heads/new"]);
}

#[test]
fn of_a_repository_that_the_call_makes_nothing_is_known() {
    let sandbox = sandbox();
    let mut walk = Walk::new(&sandbox, "work");
    walk.act(Act::NewRepository {
        dir: Some(word("../fresh")),
        branch: None,
    });
    assert_eq!(walk.heads(), Fact::Known(vec![on("feature")]));
    walk.dir = walk.dir.join("../fresh");
    let place = walk.place(&walk.dir);
    assert_eq!(walk.world.presence(&place), Presence::Made);
    assert!(!walk.outlook(&push(&[])).unclear.is_empty());
    assert_eq!(
        walk.refs(&push(&["origin", "HEAD:refs/heads/x"])),
        ["refs/heads/x"]
    );
    walk.act(create("topic", None));
    assert_eq!(walk.heads(), Fact::Known(vec![on("topic")]));
    assert_eq!(walk.refs(&push(&["origin", "HEAD"])), ["refs/heads/topic"]);
}

#[test]
fn a_new_worktree_has_a_head_of_its_own_and_shares_config() {
    let sandbox = sandbox();
    let mut walk = Walk::new(&sandbox, "work");
    walk.act(Act::Worktree(Worktree::Add {
        path: word("../tree"),
        branch: Some(word("dev")),
        start: None,
        force: None,
        detach: false,
    }));
    assert_eq!(walk.heads(), Fact::Known(vec![on("feature")]));
    walk.dir = walk.dir.join("../tree");
    assert_eq!(walk.heads(), Fact::Known(vec![on("dev")]));
    walk.act(config("push.default", "nothing"));
    walk.dir = sandbox.root.join("work");
    assert!(walk.outlook(&push(&[])).refused.is_some());
}

#[test]
fn a_config_file_that_the_call_writes_is_not_believed() {
    let sandbox = sandbox();
    let mut walk = Walk::new(&sandbox, "work");
    walk.act(Act::Write {
        path: word("notes.txt"),
    });
    assert_eq!(walk.refs(&push(&[])), ["refs/heads/feature"]);
    walk.act(Act::Write {
        path: word(".git/config"),
    });
    assert!(!walk.outlook(&push(&[])).unclear.is_empty());
}

#[test]
fn where_there_is_no_repository_there_is_nothing_to_guard() {
    let sandbox = sandbox();
    let walk = Walk::new(&sandbox, ".");
    let place = walk.place(&walk.dir);
    assert_eq!(walk.world.presence(&place), Presence::Absent);
    assert!(walk.outlook(&push(&["origin", "main"])).updates.is_empty());
}

#[test]
fn an_unknown_directory_hides_the_repository_but_not_the_words() {
    let sandbox = sandbox();
    let walk = Walk::new(&sandbox, "work");
    let place = Place::default();
    assert!(matches!(walk.world.presence(&place), Presence::Unknown(_)));
    assert!(!walk.world.push(&push(&[]), &place).unclear.is_empty());
    let named = walk.world.push(&push(&["origin", "main"]), &place);
    assert!(named.updates.iter().any(|u| u.refname == "refs/heads/main"));
}

#[test]
fn answers_are_those_of_git() {
    let sandbox = sandbox();
    let (ok, out) = sandbox.bash(
        "git worktree add -q ../tree dev && git worktree add -q --detach ../loose",
        &sandbox.root.join("work"),
    );
    assert!(ok, "{out}");
    let questions = [
        "git branch --show-current",
        "git rev-parse --abbrev-ref HEAD",
        "git rev-parse --show-toplevel",
        "git symbolic-ref --short -q HEAD",
        "git symbolic-ref HEAD",
        "pwd",
    ];
    for cwd in ["work", "work/sub", "tree", "loose"] {
        let walk = Walk::new(&sandbox, cwd);
        for question in questions {
            let (ok, out) = sandbox.bash(question, &walk.dir);
            let answer = walk.ask(question);
            assert_eq!(
                answer,
                ok.then(|| out.trim_end().to_owned()),
                "{cwd}: {question}"
            );
        }
        let (_, common) = sandbox.bash("realpath $(git rev-parse --git-common-dir)", &walk.dir);
        let answer = walk.ask("git rev-parse --git-common-dir");
        assert_eq!(answer.as_deref(), Some(common.trim_end()), "{cwd}");
    }
}

#[test]
fn config_values_are_those_of_git() {
    let sandbox = sandbox();
    let work = sandbox.root.join("work");
    let odd = concat!(
        "[Push]\n\tDefault = upstream ; why not\n[remote \"Ori.\\\"Gin\"]\n\turl = \"a  b\"  c\n",
        "[x]y\n[x \"y\"] z=1\n\tlong = one \\\n  two\n\tquote = \"\\\\ # ;\\t\" # no\n[x.Old]\n\tkey = v\r\n",
        "[include]\n\tpath = more.cfg\n[includeIf \"gitdir:**/work/.git\"]\n\tpath = ../here.cfg\n",
        "[includeIf \"gitdir:/elsewhere/\"]\n\tpath = ../not.cfg\n",
        "[includeIf \"onbranch:feat*\"]\n\tpath = ../branch.cfg\n",
    );
    std::fs::write(work.join(".git/extra"), odd).unwrap();
    std::fs::write(work.join(".git/more.cfg"), "[more]\n\tx = 1\n").unwrap();
    std::fs::write(work.join("here.cfg"), "[more]\n\tx = 2\n").unwrap();
    std::fs::write(work.join("not.cfg"), "[more]\n\tx = 3\n").unwrap();
    std::fs::write(work.join("branch.cfg"), "[branch \"here\"]\n\tx = yes\n").unwrap();
    let (ok, out) = sandbox.bash(
        "cat .git/extra >>.git/config; git config -l --name-only",
        &work,
    );
    assert!(ok, "{out}");
    let walk = Walk::new(&sandbox, "work");
    let place = walk.place(&work);
    let mut seen = 0;
    for key in out.lines() {
        let (_, value) = sandbox.bash(&format!("git config --get '{key}'"), &work);
        let value = value.strip_suffix('\n').unwrap_or(&value).to_owned();
        let known = walk.world.config(&place, key);
        match &known {
            // A key without a value prints nothing and means true.
            Fact::Known(Some(text)) if text == "true" && value.is_empty() => {}
            _ => assert_eq!(known, Fact::Known(Some(value)), "{key}"),
        }
        seen += 1;
    }
    assert!(seen > 30, "{out}");
    let (_, x) = sandbox.bash("git config --get more.x", &work);
    assert_eq!(x.trim(), "2");
}

#[test]
fn refs_that_are_kept_in_another_way_are_unknown_or_right() {
    let sandbox = sandbox();
    let script = "git init -q --ref-format=reftable table && cd table && \
                  git commit -q --allow-empty -m x && cd .. && \
                  git init -q --object-format=sha256 wide && cd wide && \
                  git commit -q --allow-empty -m x && git branch other && git pack-refs --all";
    let (ok, out) = sandbox.bash(script, &sandbox.root);
    assert!(ok, "{out}");
    let walk = Walk::new(&sandbox, "table");
    let heads = walk.heads();
    let right = heads == Fact::Known(vec![on("main")]);
    assert!(right || matches!(heads, Fact::Unknown(_)), "{heads:?}");
    let outlook = walk.outlook(&push(&["origin", "HEAD"]));
    let right = outlook
        .updates
        .iter()
        .any(|u| u.refname == "refs/heads/main");
    assert!(right || !outlook.unclear.is_empty(), "{outlook:?}");
    let place = walk.place(&walk.dir);
    assert_ne!(walk.world.has_branch(&place, "main"), Fact::Known(false));
    let walk = Walk::new(&sandbox, "wide");
    let place = walk.place(&walk.dir);
    assert_eq!(walk.heads(), Fact::Known(vec![on("main")]));
    assert_eq!(walk.world.has_branch(&place, "other"), Fact::Known(true));
    assert_eq!(walk.world.has_branch(&place, "another"), Fact::Known(false));
}

#[test]
fn scripts_are_read_only_where_a_shell_would_run_them() {
    let sandbox = sandbox();
    let world = Walk::new(&sandbox, ".").world;
    let files: [(&str, &[u8]); 6] = [
        ("sh", b"#!/usr/bin/env bash\ngit push\n"),
        ("plain", b"git push\n"),
        ("python", b"#!/usr/bin/python3\nprint()\n"),
        ("binary", b"\x7fELF\0\0"),
        ("exact", &[b' '; 64 * 1024]),
        ("large", &[b' '; 64 * 1024 + 1]),
    ];
    for (name, bytes) in files {
        std::fs::write(sandbox.root.join(name), bytes).unwrap();
    }
    let (ok, out) = sandbox.bash("mkfifo pipe", &sandbox.root);
    assert!(ok, "{out}");
    let is_shell = |name: &str, executed| match world.script(Path::new(name), executed) {
        Source::Shell(_) => Some(true),
        Source::None => Some(false),
        Source::Unreadable => None,
    };
    for (name, executed, told) in [
        ("sh", Some(true), Some(true)),
        ("plain", Some(true), Some(true)),
        ("python", Some(false), Some(true)),
        ("binary", Some(false), Some(false)),
        ("exact", Some(true), Some(true)),
        ("large", None, None),
        ("pipe", None, None),
        ("home", Some(false), Some(false)),
        ("missing", Some(false), Some(false)),
    ] {
        assert_eq!(is_shell(name, true), executed, "./{name}");
        assert_eq!(is_shell(name, false), told, "bash {name}");
    }
}

#[test]
fn odd_words_and_files_break_nothing() {
    let sandbox = sandbox();
    let work = sandbox.root.join("work");
    let mut seed: u64 = 7;
    let mut next = || {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        usize::try_from(seed >> 33).unwrap()
    };
    let pieces = [
        "[",
        "]",
        "\"",
        "\\",
        "\n",
        "=",
        "a",
        "push",
        ".",
        "default",
        "#",
        " ",
        "\r\n",
        "é",
        "\0",
        "remote \"origin\"",
        "include",
        "path",
        "config",
        "~/",
        "*",
        "^",
        "+",
        ":",
        "/",
        "..",
        "refs/",
        "heads/",
        "main",
        "@{",
        "HEAD",
        "tag",
        "-",
    ];
    for _ in 0..300 {
        let mut make = |most: usize| -> String {
            let length = next() % most;
            (0..length).map(|_| pieces[next() % pieces.len()]).collect()
        };
        std::fs::write(work.join(".git/config"), make(40)).unwrap();
        let words = [make(3), make(8), make(8)];
        let mut walk = Walk::new(&sandbox, "work");
        walk.act(switch(&words[1]));
        walk.act(create(&words[2], Some(&words[1])));
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        walk.outlook(&push(&words));
        walk.outlook(&push(&[]));
    }
}
