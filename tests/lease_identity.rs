//! Who asks: the host's process and its session, told from payload, environment and processes (D7).
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod support;

use leaseguard::lease::asker::{Asker, Standing};
use leaseguard::lease::identity::{Said, asker};
use leaseguard::lease::liveness::Liveness;
use leaseguard::person::chain::{Chain, Process};
use support::lease::here;

/// A process by its command line; its start is ten times its id.
fn process(pid: u32, line: &str) -> Process {
    let args: Vec<String> = line.split(' ').map(str::to_owned).collect();
    let program = args[0].rsplit('/').next().unwrap().to_owned();
    Process {
        pid,
        parent: pid - 1,
        start: u64::from(pid) * 10,
        executable: args[0].clone(),
        program,
        args,
    }
}

fn chain(processes: &[(u32, &str)]) -> Chain {
    Chain {
        processes: processes
            .iter()
            .map(|(pid, line)| process(*pid, line))
            .collect(),
        complete: true,
    }
}

/// The one who asks with a payload and some variables, below some processes.
fn who(
    session: Option<&str>,
    agent: Option<&str>,
    variables: &[(&str, &str)],
    chain: &Chain,
) -> Asker {
    let variable = |name: &str| {
        let found = variables.iter().find(|(n, _)| *n == name);
        found.map(|(_, value)| (*value).to_owned())
    };
    let said = Said {
        session,
        agent,
        mark: variables
            .iter()
            .any(|(n, _)| n.starts_with("CLAUDE"))
            .then_some("Claude Code"),
        variable: &variable,
    };
    asker(&said, chain, here(), &|pid| {
        Some(process(pid, "/usr/bin/claude"))
    })
}

const CLAUDE: (u32, &str) = (50, "/home/u/.local/bin/claude");

#[test]
fn the_owner_is_the_hosts_process_and_never_the_hooks() {
    for (what, above, owner, one) in [
        ("exec form", &[CLAUDE][..], Some(50), true),
        (
            "a shell between",
            &[(60, "/bin/sh -lc hook"), CLAUDE],
            Some(50),
            true,
        ),
        (
            "two shells",
            &[
                (70, "/bin/bash -c x"),
                (60, "/bin/sh -lc x"),
                CLAUDE,
                (9, "/bin/zsh"),
            ],
            Some(50),
            true,
        ),
        // Text that a shell got is no host.
        ("text only", &[(60, "/bin/sh -c claude -p x")], None, false),
        (
            "a host inside another",
            &[(60, "/bin/sh"), (55, "/usr/bin/codex"), CLAUDE],
            Some(55),
            false,
        ),
        (
            "a server of many",
            &[(40, "/usr/bin/opencode serve")],
            Some(40),
            false,
        ),
        (
            "node",
            &[(41, "/usr/bin/node /x/@google/gemini-cli/cli.js")],
            Some(41),
            true,
        ),
    ] {
        let asker = who(Some("s"), None, &[], &chain(above));
        let process = asker.process.as_ref();
        assert_eq!(process.map(|p| p.pid), owner, "{what}");
        assert_eq!(process.is_some_and(|p| p.one_session), one, "{what}");
        assert!(
            process.is_none_or(|p| p.start == u64::from(p.pid) * 10),
            "{what}"
        );
        assert_eq!(asker.chain.len(), above.len(), "{what}");
    }
}

#[test]
fn the_hosts_own_word_for_its_process_counts_where_it_can_be_true() {
    let both = chain(&[
        (60, "/bin/sh"),
        (52, "/usr/bin/claude"),
        (50, "/usr/bin/claude"),
    ]);
    let owner = |pid: &str, chain: &Chain| {
        let asker = who(Some("s"), None, &[("CLAUDE_PID", pid)], chain);
        asker.process.map(|p| p.pid)
    };
    assert_eq!(owner("50", &both), Some(50));
    assert_eq!(owner("52", &both), Some(52));
    // Inherited, dead or nonsense: the nearest one.
    for pid in ["7", "60", "x", ""] {
        assert_eq!(owner(pid, &both), Some(52), "{pid}");
    }
    // Another host that a session of Claude Code started inherits the variable.
    let codex = chain(&[(60, "/usr/bin/codex"), CLAUDE]);
    assert_eq!(owner("50", &codex), Some(60));
    // A way up that is broken leaves only the word; a whole one without a host refutes it.
    let mut broken = chain(&[(60, "/bin/sh")]);
    assert_eq!(owner("50", &broken), None);
    broken.complete = false;
    assert_eq!(owner("50", &broken), Some(50));
}

#[test]
fn the_session_is_the_payloads_or_the_hosts_own_variable() {
    let session = |payload, variables: &[(&str, &str)], above: &[(u32, &str)]| {
        who(payload, None, variables, &chain(above)).session
    };
    let variable = [("CLAUDE_CODE_SESSION_ID", "v")];
    assert_eq!(
        session(Some("p"), &variable, &[CLAUDE]).as_deref(),
        Some("p")
    );
    assert_eq!(session(None, &variable, &[CLAUDE]).as_deref(), Some("v"));
    let codex = [("CLAUDE_CODE_SESSION_ID", "v"), ("CODEX_THREAD_ID", "c")];
    assert_eq!(
        session(None, &codex, &[(55, "/usr/bin/codex"), CLAUDE]).as_deref(),
        Some("c")
    );
    assert_eq!(
        session(None, &variable, &[(55, "/usr/bin/codex"), CLAUDE]),
        None
    );
    assert_eq!(session(None, &variable, &[(9, "/bin/zsh")]), None);
    assert_eq!(session(Some(""), &[], &[CLAUDE]), None);
}

/// How the second one stands to the first one's claim.
#[test]
fn each_stands_to_a_claim_as_it_is() {
    use Liveness::{Alive, Dead, Unknown};
    use Standing::{Bound, Over, Owner, Resumed, Rotated, Stranger, Unclear, Under};
    let claude = chain(&[(60, "/bin/sh"), CLAUDE]);
    let again = chain(&[(61, "/bin/sh"), (51, "/usr/bin/claude")]);
    let server = chain(&[(40, "/usr/bin/opencode serve")]);
    let nobody = chain(&[(9, "/bin/zsh")]);
    let ask = |session: &str, agent: &str, chain: &Chain| {
        let some = |text: &str| (!text.is_empty()).then(|| text.to_owned());
        who(some(session).as_deref(), some(agent).as_deref(), &[], chain)
    };
    for (what, owner, other, alive, want) in [
        (
            "itself",
            ask("s", "", &claude),
            ask("s", "", &claude),
            Alive,
            Owner,
        ),
        (
            "another session",
            ask("s", "", &claude),
            ask("t", "", &again),
            Alive,
            Stranger,
        ),
        (
            "a shared subagent",
            ask("s", "", &claude),
            ask("s", "a1", &claude),
            Alive,
            Under,
        ),
        (
            "a nested subagent",
            ask("s", "", &claude),
            ask("s", "a1.n2", &claude),
            Alive,
            Under,
        ),
        (
            "an isolated subagent",
            ask("s", "a1", &claude),
            ask("s", "a1", &claude),
            Alive,
            Owner,
        ),
        (
            "its parent",
            ask("s", "a1", &claude),
            ask("s", "", &claude),
            Alive,
            Over,
        ),
        (
            "its sibling",
            ask("s", "a1", &claude),
            ask("s", "a2", &claude),
            Alive,
            Stranger,
        ),
        (
            "after /clear",
            ask("s", "", &claude),
            ask("t", "", &claude),
            Alive,
            Rotated,
        ),
        (
            "a subagent after /clear",
            ask("s", "", &claude),
            ask("t", "a1", &claude),
            Alive,
            Stranger,
        ),
        (
            "--resume beside the living",
            ask("s", "", &claude),
            ask("s", "", &again),
            Alive,
            Stranger,
        ),
        (
            "--resume after death",
            ask("s", "", &claude),
            ask("s", "", &again),
            Dead,
            Resumed,
        ),
        (
            "--resume, who knows",
            ask("s", "", &claude),
            ask("s", "", &again),
            Unknown,
            Unclear,
        ),
        (
            "one server, one session",
            ask("s", "", &server),
            ask("s", "", &server),
            Alive,
            Owner,
        ),
        (
            "one server, two sessions",
            ask("s", "", &server),
            ask("t", "", &server),
            Alive,
            Stranger,
        ),
        (
            "a server that does not say",
            ask("s", "", &server),
            ask("", "", &server),
            Alive,
            Unclear,
        ),
        (
            "no session, one a process",
            ask("s", "", &claude),
            ask("", "", &claude),
            Alive,
            Owner,
        ),
        (
            "no session, elsewhere",
            ask("s", "", &claude),
            ask("", "", &again),
            Alive,
            Stranger,
        ),
        (
            "claimed by a dispatcher",
            ask("s", "", &nobody),
            ask("s", "", &claude),
            Unknown,
            Bound,
        ),
        (
            "no processes anywhere",
            ask("s", "", &nobody),
            ask("s", "", &nobody),
            Unknown,
            Owner,
        ),
        (
            "a session without its process",
            ask("s", "", &claude),
            ask("s", "", &nobody),
            Alive,
            Unclear,
        ),
        (
            "nobody",
            ask("s", "", &nobody),
            ask("", "", &nobody),
            Unknown,
            Unclear,
        ),
    ] {
        let record = owner.owner(None, None);
        assert_eq!(other.standing(&record, alive), want, "{what}");
    }
}

// R16, R22
#[test]
fn the_same_numbers_on_another_machine_boot_or_space_are_somebody_else() {
    let claude = chain(&[CLAUDE]);
    let owner = who(Some("s"), None, &[], &claude).owner(None, None);
    type Change = fn(&mut Asker);
    let changes: [Change; 3] = [
        |a| a.here.install = "other".to_owned(),
        |a| a.here.boot = "other".to_owned(),
        |a| a.here.pid_space = "pid:[2]".to_owned(),
    ];
    for change in changes {
        let mut other = who(Some("s"), None, &[], &claude);
        change(&mut other);
        assert_eq!(other.standing(&owner, Liveness::Unknown), Standing::Unclear);
        other.session = Some("t".to_owned());
        assert_eq!(
            other.standing(&owner, Liveness::Unknown),
            Standing::Stranger
        );
    }
}
