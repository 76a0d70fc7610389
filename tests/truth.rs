//! What real git and real bash did to remotes, against what the whole guard foretold of the same text.
#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a test may stop anywhere and tell why"
)]

mod sandbox;

use leaseguard::verdict::Decision;
use sandbox::foretold::{Foretold, PUSH_RULES, judge, line, quote};
use sandbox::known::Ledger;
use sandbox::refs::{self, Real};
use sandbox::{Sandbox, by_setup, every, is_base, long, spread, text};
use serde_json::Value;

/// Every how-many-th vector meets real git again in a short run.
const SAMPLE: usize = 8;

/// The text that an agent would send for a vector.
fn command(vector: &Value) -> String {
    if let Some(script) = vector["script"].as_str() {
        return script.to_owned();
    }
    let env = vector["env"].as_object().into_iter().flatten();
    let exports: String = env
        .map(|(name, value)| format!("export {name}={}; ", quote(value.as_str().unwrap())))
        .collect();
    let argv = vector["argv"].as_array().unwrap();
    let argv: Vec<String> = argv
        .iter()
        .map(|w| w.as_str().unwrap().to_owned())
        .collect();
    match argv.as_slice() {
        [bash, c, script] if bash == "bash" && c == "-c" => format!("{exports}{script}"),
        argv => format!("{exports}{}", line(argv)),
    }
}

/// The updates of remotes that a vector tells of.
fn recorded(vector: &Value) -> Vec<(&str, &str, &str)> {
    let updates = vector["updates"].as_array().unwrap();
    updates
        .iter()
        .map(|u| (text(u, "repo"), text(u, "ref"), text(u, "kind")))
        .filter(|(repo, ..)| *repo != "LOCAL")
        .collect()
}

/// An update that no agent may make.
fn guarded(refname: &str, kind: &str) -> bool {
    is_base(refname) || kind == "forced" || kind == "delete"
}

fn compare(vector: &Value, told: &Foretold, ledger: &mut Ledger) {
    let id = text(vector, "id");
    ledger.saw(id);
    let show = || format!("{}: {told:?}", command(vector));
    if told.fault.is_some() {
        ledger.differs("fault", id, show);
    }
    let updates = recorded(vector);
    let missed = updates.iter().find(|(_, name, kind)| !told.has(name, kind));
    if let Some(missed) = missed {
        let how = match told.unclear.is_empty() {
            true => "unforeseen",
            false => "unclear",
        };
        ledger.differs(how, id, || format!("{missed:?}: {}", show()));
    }
    // Refs of this very repository are guarded where they are rewritten.
    let own = vector["updates"].as_array().unwrap().iter();
    let mut own = own
        .filter(|u| text(u, "repo") == "LOCAL")
        .map(|u| text(u, "kind"));
    let bad = updates.iter().any(|(_, name, kind)| guarded(name, kind))
        || own.any(|kind| kind == "forced" || kind == "delete");
    if bad && told.decision == Decision::Allow {
        ledger.differs("let go", id, show);
    }
    // A refusal of git's is no promise: the next try may go through.
    let sure = told
        .updates
        .iter()
        .any(|u| !u.depends && (is_base(&u.refname) || u.verb == "force" || u.verb == "delete"));
    let failed = vector["rc"] != 0;
    if !bad && told.says(PUSH_RULES) && (!failed || sure) && text(vector, "expect").is_empty() {
        ledger.differs("unneeded", id, show);
    }
    match text(vector, "expect") {
        "allow" if told.decision != Decision::Allow => ledger.differs("stopped", id, show),
        "ask" | "deny" if told.decision == Decision::Allow => ledger.differs("let go", id, show),
        _ => {}
    }
}

/// Every vector judged where it stands, against what git was recorded to do.
fn on_record(file: &str, set: &str) {
    let vectors = every(file);
    let groups = by_setup(&vectors);
    let told = spread(&groups, |group, sandbox| {
        sandbox.set_up(group[0]);
        let each = group
            .iter()
            .map(|v| (*v, judge(sandbox, &command(v), text(v, "cwd"))));
        each.collect::<Vec<_>>()
    });
    let mut ledger = Ledger::of(set);
    for (vector, told) in told.iter().flatten() {
        compare(vector, told, &mut ledger);
    }
    assert_eq!(ledger.end(), vectors.len());
}

/// A sample of the vectors run by real bash and real git of this machine: they do what the record
/// says, and nothing that was not foretold.
fn once_more(file: &str, set: &str) {
    let step = if long() { 1 } else { SAMPLE };
    let vectors: Vec<Value> = every(file).into_iter().step_by(step).collect();
    let found = spread(&vectors, |vector, sandbox| {
        sandbox.set_up(vector);
        let command = command(vector);
        let told = judge(sandbox, &command, text(vector, "cwd"));
        (told, run(vector, &command, sandbox))
    });
    let known = Ledger::of(set);
    let mut wrong = Vec::new();
    for (vector, (told, real)) in vectors.iter().zip(&found) {
        let id = text(vector, "id");
        for Real {
            repo,
            refname,
            kind,
        } in real
        {
            let on_record = recorded(vector)
                .iter()
                .any(|(r, name, _)| r == repo && name == refname);
            let excused = known.lists(id, &["unforeseen", "unclear"]);
            if !on_record {
                wrong.push(format!(
                    "{id}: git of this machine also did {kind} {refname} on {repo}"
                ));
            } else if !told.has(refname, kind) && !excused {
                wrong.push(format!(
                    "{id}: {kind} {refname} on {repo} was not foretold: {told:?}"
                ));
            }
        }
    }
    println!("{set}: {} of the vectors ran again", vectors.len());
    assert!(wrong.is_empty(), "{}\n{}", wrong.join("\n"), wrong.len());
}

fn run(vector: &Value, command: &str, sandbox: &Sandbox) -> Vec<Real> {
    let before = refs::all(sandbox);
    let cwd = sandbox.root.join(text(vector, "cwd"));
    // Whether it succeeds is part of the vector and not of the prediction.
    let _ = sandbox.bash(&sandbox.filled(command), &cwd);
    refs::changes(sandbox, &before)
}

#[test]
fn every_push_on_record_was_foretold() {
    on_record("push-vectors.jsonl", "push");
}

#[test]
fn every_script_on_record_was_foretold() {
    on_record("sequence-vectors.jsonl", "sequence");
}

#[test]
fn git_pushes_again_only_what_is_foretold() {
    once_more("push-vectors.jsonl", "push");
}

#[test]
fn scripts_do_again_only_what_is_foretold() {
    once_more("sequence-vectors.jsonl", "sequence");
}

#[test]
fn a_refused_sweep_lists_what_has_changed() {
    let sandbox = Sandbox::new();
    sandbox.fresh();
    let (ok, out) = sandbox.bash("echo x >>base; echo y >new", &sandbox.root.join("work"));
    assert!(ok, "{out}");
    let told = judge(&sandbox, "git add -A", "work");
    let listed = "changed here: `base` `new`";
    assert!(told.because.iter().any(|b| b == listed), "{told:?}");
    let told = judge(&sandbox, "git add -A", "work/sub");
    let listed = "changed here: `:/base` `:/new`";
    assert!(told.because.iter().any(|b| b == listed), "{told:?}");
}

#[test]
fn where_git_may_refuse_the_switch_the_old_branch_counts_unless_the_script_looks() {
    let sandbox = Sandbox::new();
    sandbox.fresh();
    let work = sandbox.root.join("work");
    assert!(sandbox.bash("git switch -q main", &work).0);
    let told = |text: &str| judge(&sandbox, text, "work").decision;
    let script = "git switch -q feature; git push";
    assert_eq!(told(script), Decision::Allow, "a clean tree");
    assert!(sandbox.bash("echo x >unrelated", &work).0);
    assert_eq!(told(script), Decision::Allow, "nothing is in the way");
    // `feature` has a file of that name.
    assert!(sandbox.bash("echo x >f-feature", &work).0);
    for stopped in [
        script,
        "git switch -q feature\ngit push",
        "git checkout -q feature; git push origin HEAD",
        "true && git switch -q feature; git push",
        "git switch -q -c mine feature; git push -u origin HEAD",
    ] {
        assert_eq!(told(stopped), Decision::Deny, "{stopped}");
    }
    for fine in [
        "git switch -q feature && git push",
        "set -e; git switch -q feature; git push",
        "git switch -q feature || exit 1; git push",
        "if git switch -q feature; then git push; fi",
        "git switch -q -c mine; git push -u origin HEAD",
    ] {
        assert_eq!(told(fine), Decision::Allow, "{fine}");
    }
}
