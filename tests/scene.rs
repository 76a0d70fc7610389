//! How commands change what later commands of the same script mean.
#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a test may stop anywhere and tell why"
)]

mod sandbox;

use leaseguard::action::{Act, Action, Place, git};
use leaseguard::shell::{Assign, Command, Span, Word};
use leaseguard::world::{Fact, Head, Outlook, Surroundings, World};
use sandbox::{Sandbox, covers, is_base, text, vectors};
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
                        self.outlooks.push(self.world.push(push, &action.place));
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
const TOO_MUCH: &[(&str, &str)] = &[];

/// Vectors of which we only say that they are unclear.
const UNCLEAR: &[(&str, &str)] = &[];

fn check(vector: &Value, sandbox: &Sandbox, wrong: &mut Vec<String>) -> bool {
    let Some(steps) = script::read(&sandbox.filled(text(vector, "script"))) else {
        return false;
    };
    sandbox.set_up(vector);
    let id = text(vector, "id");
    let mut walk = Walk::new(sandbox, text(vector, "cwd"));
    walk.script(&steps);
    let unclear: Vec<&String> = walk.outlooks.iter().flat_map(|o| &o.unclear).collect();
    let all = || walk.outlooks.iter().flat_map(|o| &o.updates);
    for update in vector["updates"].as_array().unwrap() {
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
        ("deny", Some("git/base-push")) => {
            if base.is_none() && !known(UNCLEAR) {
                wrong.push(format!(
                    "{id}: no base branch: {unclear:?} {:?}",
                    walk.outlooks
                ));
            }
        }
        _ => {}
    }
    for (checkout, head) in vector["heads"].as_object().into_iter().flatten() {
        let place = walk.place(&walk.sandbox.root.join(checkout));
        let head = match head.as_str().unwrap() {
            "DETACHED" => Head::Detached,
            branch => Head::Branch(branch.to_owned()),
        };
        match walk.world.heads(&place) {
            Fact::Known(heads) if heads.contains(&head) => {}
            Fact::Known(heads) => {
                wrong.push(format!(
                    "{id}: `{checkout}` is on {head:?}, not on {heads:?}"
                ));
            }
            Fact::Unknown(why) if text(vector, "expect") == "ask" || known(UNCLEAR) => {
                println!("{id}: `{checkout}`: {why}");
            }
            Fact::Unknown(why) => println!("{id}: `{checkout}`: {why}"),
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
    let sandbox = Sandbox::new();
    let mut wrong = Vec::new();
    let mut checked = 0;
    for vector in vectors("sequence-vectors.jsonl") {
        checked += usize::from(check(&vector, &sandbox, &mut wrong));
    }
    println!("checked {checked}");
    assert!(wrong.is_empty(), "{}\n{}", wrong.join("\n"), wrong.len());
}
