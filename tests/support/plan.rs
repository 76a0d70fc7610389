//! The plan of a case: a `status.json` in the main checkout, out of git's sight, and the policy that names it.

use super::claims::Lease;
use super::repo::put;
use super::setup::Setup;
use leaseguard::policy::{Places, Policy};
use leaseguard::rules::KNOWN;
use serde_json::{Map, Value, json};
use std::path::Path;

/// Where it lies, from the main checkout.
pub(crate) const PATH: &str = ".harness/status.json";

/// Writes the plan and the policy of `setup`; `None` where it has neither.
pub(crate) fn write(setup: &Setup, root: &Path) -> Option<Policy> {
    let planned: Vec<&Lease> = setup.lease.iter().filter(|l| l.planned()).collect();
    let text = match &setup.plan {
        Some(text) => Some(text.clone()),
        None if planned.is_empty() => None,
        None => Some(status(&planned).to_string()),
    };
    if let Some(text) = &text {
        plan(&filled(text, root), root);
    }
    if text.is_none() && setup.policy.is_none() {
        return None;
    }
    let more = setup.policy.as_deref().unwrap_or_default();
    let named = format!("plan.status = \"{PATH}\"\n");
    let named = if text.is_some() { named.as_str() } else { "" };
    Some(policy(&format!("{named}{more}"), root))
}

/// Puts `text` where the plan is, and makes the state directory as a session's start does.
pub(crate) fn plan(text: &str, root: &Path) {
    let top = root.join("repo");
    put(&top.join(PATH), text);
    put(&top.join(".git/info/exclude"), ".harness/\n");
    std::fs::create_dir_all(root.join("home/.local/state/leaseguard/v1")).expect("the state");
}

/// The policy of a person who wrote `text`.
pub(crate) fn policy(text: &str, root: &Path) -> Policy {
    let file = root.join("home/.config/leaseguard/policy.toml");
    put(&file, text);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let own = std::fs::Permissions::from_mode(0o600);
        std::fs::set_permissions(&file, own).expect("permissions");
    }
    let policy = Policy::load(&Places {
        user_file: Some(&file),
        ..Places::none(&KNOWN)
    });
    assert_eq!(policy.troubles, Vec::<String>::new());
    policy
}

/// The checkouts for `@main@` and `@wt-…@`.
fn filled(text: &str, root: &Path) -> String {
    let mut parts = text.split('@');
    let mut out = parts.next().unwrap_or_default().to_owned();
    let mut inside = false;
    for part in parts {
        inside = !inside;
        match (inside, part) {
            (true, "main") => out.push_str(&root.join("repo").to_string_lossy()),
            (true, "W") => out.push_str(&root.to_string_lossy()),
            (true, name) => out.push_str(&root.join(name).to_string_lossy()),
            (false, rest) => out.push_str(rest),
        }
    }
    out
}

/// The file that these leases make.
fn status(leases: &[&Lease]) -> Value {
    let mut rows = Vec::new();
    let mut metadata = Map::new();
    for (n, lease) in leases.iter().enumerate() {
        if lease.kind.as_deref() == Some("integration_merge_lease") {
            metadata.insert("integration_merge_lease".to_owned(), fields(lease, true));
            continue;
        }
        let id = lease
            .plan_id
            .clone()
            .unwrap_or_else(|| format!("p{}", n + 1));
        let mut row = json!({ "id": id });
        if let Some(status) = &lease.plan_status {
            row["status"] = status.as_str().into();
        }
        if let Some(other) = &lease.execution_lease {
            row["execution_lease"] = other.clone();
        } else if !lease.holder.is_empty() {
            row["execution_lease"] = fields(lease, false);
        }
        rows.push(row);
    }
    json!({ "plans": rows, "metadata": metadata })
}

fn fields(lease: &Lease, merge: bool) -> Value {
    // The session of all fixtures is called so.
    let holder = match lease.holder.strip_suffix("me") {
        Some(host) if host.ends_with(':') || host.is_empty() => format!("{host}fixture"),
        _ => lease.holder.clone(),
    };
    let since = lease
        .claimed_at
        .as_deref()
        .unwrap_or("2026-01-10T11:00:00Z");
    let mut out = json!({ "holder": holder, "claimed_at": since });
    for (name, value) in [
        ("worktree_path", &lease.worktree_path),
        ("working_branch", &lease.working_branch),
        ("expires_at", &lease.expires_at),
        (
            "session_label",
            &lease
                .session_label
                .clone()
                .map(|l| l.replace("me", "fixture")),
        ),
        ("plan_id", &lease.plan_id.clone().filter(|_| merge)),
        ("source_branch", &lease.source_branch),
        ("target_branch", &lease.target_branch),
    ] {
        if let Some(value) = value {
            out[name] = value.as_str().into();
        }
    }
    out
}
