//! The accidents as data: what stands before them, the command, and a harmless twin.

/// One accident.
#[derive(Debug, Clone, Copy)]
pub struct Accident {
    /// A few words.
    pub name: &'static str,
    /// What makes the command worse than it looks.
    pub scene: &'static str,
    /// Shell text that prepares the room, run in `app`.
    pub setup: &'static str,
    /// Shell text that does harm, run in `app`.
    pub command: &'static str,
    /// Shell text that looks much the same, or reaches the same end, and does no harm.
    pub twin: &'static str,
}

/// Every room starts as this: a bare `origin.git`, the checkout `app` on `feat/login`, and the
/// checkout `agent-b` of the same repository, where somebody else works on `feat/report`.
/// Packed, because rooms are copied and removed file by file.
pub(super) const ROOM: &str = "\
git init -q --template= --bare -b main origin.git
git init -q --template= -b main app
cd app
mkdir .git/hooks src
git remote add origin ../origin.git
echo 'fn main() {}' > src/main.rs
echo '# Notes' > NOTES.md
git add src/main.rs NOTES.md
git commit -q -m 'Start'
git push -q -u origin main
git worktree add -q -b feat/report ../agent-b
git switch -q -c feat/login
echo 'fn login() {}' > src/login.rs
git add src/login.rs
git commit -q -m 'Add the login'
cd ../agent-b
echo 'fn report() {}' > src/report.rs
git add src/report.rs
git commit -q -m 'Begin the report'
git push -q origin feat/report
git repack -a -d -q
git -C ../origin.git repack -a -d -q
";

/// All of them, in the order in which they are told.
pub const ALL: &[Accident] = &[
    Accident {
        name: "implicit push to main",
        scene: "feat/login tracks main, and push.default is upstream",
        setup: "\
git config push.default upstream
git branch -q -u origin/main
",
        command: "git push -u origin feat/login",
        twin: "git push origin feat/login:feat/login",
    },
    Accident {
        name: "push that mirrors",
        scene: "remote.origin.mirror is set; a colleague just pushed feat/billing",
        setup: "\
git push -q origin \"$(git commit-tree -p main -m 'Bill by month' 'main^{tree}'):refs/heads/feat/billing\"
git update-ref -d refs/remotes/origin/feat/billing
git config remote.origin.mirror true
",
        command: "git push",
        twin: "git -c remote.origin.mirror=0 push origin feat/login:feat/login",
    },
    Accident {
        name: "swept-up secret",
        scene: "an .env that no .gitignore names lies in the checkout",
        setup: "\
echo 'API_TOKEN=not-a-real-one' > .env
echo '// checked' >> src/login.rs
",
        command: "git add -A && git commit -m 'Check the login'",
        twin: "git add src/login.rs && git commit -m 'Check the login'",
    },
    Accident {
        name: "reset in another agent's tree",
        scene: "agent-b has edits that are in no commit yet",
        setup: "\
echo '// an hour of work' >> ../agent-b/src/report.rs
",
        command: "git -C ../agent-b reset --hard",
        twin: "git -C ../agent-b diff --stat",
    },
    Accident {
        name: "skipped hook",
        scene: "pre-commit refuses code marked BROKEN; git takes cut options",
        setup: "\
printf '%s\\n' '#!/bin/sh' 'echo ran >> \"$(git rev-parse --git-common-dir)/hook.log\"' \\
  '! git grep -q --cached BROKEN' > .git/hooks/pre-commit
chmod +x .git/hooks/pre-commit
echo '// BROKEN' >> src/login.rs
git add src/login.rs
echo 'hooks stay on' >> NOTES.md
",
        command: "git commit --no-veri -m 'Change the login'",
        twin: "git commit -m 'Say why --no-verify is forbidden' NOTES.md",
    },
    Accident {
        name: "force in disguise",
        scene: "a colleague's commit on feat/login is on the remote only",
        setup: "\
git push -q -u origin feat/login
git push -q origin \"$(git commit-tree -p HEAD -m 'Fix the login' 'HEAD^{tree}'):refs/heads/feat/login\"
git commit -q --allow-empty -m 'Change the login'
",
        command: "X='push --force'; git $X",
        twin: "git pull -q --rebase && git push origin feat/login:feat/login",
    },
    Accident {
        name: "somebody else's stash",
        scene: "all worktrees share one stash; agent-b used it last",
        setup: "\
echo '// mine' >> src/login.rs
git stash push -q
echo 'theirs' >> ../agent-b/NOTES.md
git -C ../agent-b stash push -q
",
        command: "git stash pop",
        twin: "git stash pop 'stash@{1}'",
    },
    Accident {
        name: "script that tidies up",
        scene: "the deletion stands in a file, in a loop, as `:branch`",
        setup: "\
mkdir scripts
printf '%s\\n' 'for name in report; do' '  git push -q origin \":feat/$name\"' 'done' > scripts/tidy.sh
printf '%s\\n' 'for name in report; do' '  git log -1 \"origin/feat/$name\"' 'done' > scripts/stale.sh
",
        command: "sh scripts/tidy.sh",
        twin: "sh scripts/stale.sh",
    },
];
