//! Six lines that tell an agent, before it starts, what is not done here and what to do instead.

use crate::verdict::Decision;

/// A rule as far as the lines need it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct InForce<'a> {
    /// The rule's id.
    pub id: &'a str,
    /// What it answers under the policy in force.
    pub decision: Decision,
}

/// What a rule stops, in two or three words; a rule that is not here stands under its id.
const STOPS: &[(&str, &str)] = &[
    ("git/force-push", "force pushes, with lease too"),
    ("git/base-push", "pushes to base branches"),
    ("git/remote-delete", "deleting remote refs"),
    ("git/push-unclear", "pushes with unclear targets"),
    ("git/broad-add", "`git add` of more than named files"),
    ("git/commit-all", "`git commit -a`"),
    ("git/amend", "`git commit --amend`"),
    ("git/rewrite-pushed", "rewriting pushed commits"),
    ("git/rewrite", "deleting or moving local refs"),
    ("git/skip-hooks", "skipping hooks"),
    ("git/skip-signing", "skipping signatures"),
    ("git/config-inject", "config that runs or redirects"),
    ("git/discard", "throwing away uncommitted work"),
    ("git/stash-shared", "taking another branch's stash"),
    ("git/worktree-force", "forcing worktrees away"),
    ("git/admin-write", "writing into `.git`"),
    ("publish/release", "publishing packages and releases"),
    ("forge/merge", "merging pull requests"),
    ("forge/ref-write", "changing refs by a forge's API"),
    ("ci/in-flight", "pushing while CI or a review runs"),
    (
        "shell/opaque",
        "commands that cannot be read before they run",
    ),
    ("shell/interactive", "bare interactive shells"),
];

/// How long a list of rules may get.
const MOST: usize = 420;

/// The six lines for the rules in force; what is allowed is not told.
pub fn brief(rules: &[InForce<'_>]) -> [String; 6] {
    let list = |decision| listed(rules, decision);
    let has = |id: &str| {
        rules
            .iter()
            .any(|r| r.id == id && r.decision != Decision::Allow)
    };
    let any = |family: &str| {
        rules
            .iter()
            .any(|r| r.id.starts_with(family) && r.decision != Decision::Allow)
    };
    let mut instead = vec!["work on a branch of your own, stage files by name, commit anew"];
    if has("git/base-push") || has("git/force-push") {
        instead.push("push with `git push -u origin BRANCH` and open a pull request");
    }
    if has("git/force-push") || has("git/rewrite-pushed") {
        instead.push("bring in changes with `git merge`, not by a rebase of what is pushed");
    }
    if any("lease/") {
        instead.push("keep to your own checkout: `git worktree add` makes one");
    }
    [
        "leaseguard guards git here: every command is read before it runs, by what it would do, not by its spelling".to_owned(),
        format!("denied: {}", list(Decision::Deny)),
        format!("asks a person first: {}", list(Decision::Ask)),
        format!("instead: {}", instead.join("; ")),
        "a denial names the reason and a command that works: run that one; another spelling, a script or an alias meets the same answer".to_owned(),
        "denied three times by one rule: stop and tell the user, who alone can approve it; never run `leaseguard allow`, `trust`, `pause` or `uninstall`, and never change hooks or policy".to_owned(),
    ]
}

fn listed(rules: &[InForce<'_>], decision: Decision) -> String {
    let mut out = String::new();
    let mut left = 0usize;
    let mut lease = false;
    for rule in rules.iter().filter(|r| r.decision == decision) {
        let family = rule.id.split('/').next().unwrap_or_default();
        // Nobody plans these, and they come with a reason of their own.
        if matches!(family, "self" | "handoff") {
            continue;
        }
        let text = match STOPS.iter().find(|(id, _)| *id == rule.id) {
            Some((_, text)) => *text,
            None if family == "lease" && lease => continue,
            None if family == "lease" => "acting in a checkout or on a branch of another session",
            None => rule.id,
        };
        lease |= family == "lease";
        if out.len().saturating_add(text.len()) > MOST {
            left = left.saturating_add(1);
            continue;
        }
        if !out.is_empty() {
            out.push_str(", ");
        }
        out.push_str(text);
    }
    match (out.is_empty(), left) {
        (true, _) => "nothing".to_owned(),
        (false, 0) => out,
        (false, left) => format!("{out} and {left} more (`leaseguard rules`)"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::ALL;

    fn of(rules: &[(&'static str, Decision)]) -> [String; 6] {
        let rules: Vec<_> = rules
            .iter()
            .map(|(id, decision)| InForce {
                id,
                decision: *decision,
            })
            .collect();
        brief(&rules)
    }

    #[test]
    fn every_rule_has_words_of_its_own() {
        for rule in ALL {
            let known = STOPS.iter().any(|(id, _)| *id == rule.id);
            let family = ["self/", "lease/", "handoff/"]
                .iter()
                .any(|f| rule.id.starts_with(f));
            assert!(known || family, "`{}` has no words in the brief", rule.id);
        }
    }

    #[test]
    fn denials_and_asks_stand_apart_and_what_is_allowed_is_not_told() {
        let lines = of(&[
            ("git/force-push", Decision::Deny),
            ("git/amend", Decision::Allow),
            ("git/push-unclear", Decision::Ask),
            ("lease/foreign-branch", Decision::Deny),
            ("lease/foreign-checkout", Decision::Deny),
            ("self/tamper", Decision::Deny),
        ]);
        assert_eq!(
            lines[1],
            "denied: force pushes, with lease too, acting in a checkout or on a branch of another session"
        );
        assert_eq!(lines[2], "asks a person first: pushes with unclear targets");
        assert!(lines[3].contains("git worktree add") && lines[3].contains("git merge"));
    }

    #[test]
    fn the_lines_are_single_short_and_six_whatever_is_in_force() {
        let all: Vec<_> = STOPS.iter().map(|(id, _)| (*id, Decision::Deny)).collect();
        for lines in [of(&[]), of(&all)] {
            for line in &lines {
                assert!(
                    !line.contains('\n') && line.len() < 520 && !line.ends_with('.'),
                    "{line}"
                );
            }
        }
        assert_eq!(of(&[])[1], "denied: nothing");
        let total: usize = of(&all).iter().map(String::len).sum();
        assert!(total < 1800, "{total}");
    }
}
