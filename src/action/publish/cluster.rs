//! kubectl, helm and their kin: changes of a cluster, by the context that they name.

use super::{Publish, unread, verb, with};
use crate::action::Act;
use crate::action::words::{Line, Takes, gnu, spelled};
use crate::shell::Word;

const CLUSTER: &str = "change a cluster";

const KUBECTL: Takes = gnu(
    "nfslopkc",
    &[
        "context",
        "kubeconfig",
        "namespace",
        "cluster",
        "user",
        "server",
        "token",
        "as",
        "as-group",
        "as-uid",
        "cache-dir",
        "certificate-authority",
        "client-certificate",
        "client-key",
        "profile",
        "profile-output",
        "request-timeout",
        "tls-server-name",
        "username",
        "password",
        "filename",
        "selector",
        "output",
        "kustomize",
        "field-selector",
        "field-manager",
        "patch",
        "type",
        "replicas",
        "timeout",
        "image",
        "from-literal",
        "from-file",
        "grace-period",
        "port",
        "target-port",
        "name",
        "env",
        "labels",
        "v",
        "vmodule",
        "container",
    ],
);

const HELM: Takes = gnu(
    "nfe",
    &[
        "kube-context",
        "kubeconfig",
        "namespace",
        "kube-apiserver",
        "kube-as-group",
        "kube-as-user",
        "kube-ca-file",
        "kube-tls-server-name",
        "kube-token",
        "burst-limit",
        "qps",
        "registry-config",
        "repository-cache",
        "repository-config",
        "values",
        "set",
        "set-string",
        "set-file",
        "set-json",
        "set-literal",
        "version",
        "timeout",
        "repo",
        "username",
        "password",
        "description",
        "post-renderer",
        "history-max",
        "output",
        "environment",
        "file",
        "selector",
        "profile",
        "filename",
    ],
);

/// Contexts that tools for local clusters make, by name or by start of name.
const LOCAL: &[&str] = &[
    "minikube",
    "docker-desktop",
    "docker-for-desktop",
    "orbstack",
    "rancher-desktop",
    "kind",
    "microk8s",
    "colima",
    "k3d",
    "podman",
];
const LOCAL_STARTS: &[&str] = &["kind-", "k3d-", "colima-", "minikube-", "kind:", "k3d:"];

const KUBECTL_PATHS: &[&[&str]] = &[
    &["apply"],
    &["create"],
    &["delete"],
    &["replace"],
    &["patch"],
    &["edit"],
    &["scale"],
    &["autoscale"],
    &["set"],
    &["label"],
    &["annotate"],
    &["taint"],
    &["drain"],
    &["cordon"],
    &["uncordon"],
    &["expose"],
    &["run"],
    &["rollout", "restart"],
    &["rollout", "undo"],
    &["rollout", "pause"],
    &["rollout", "resume"],
    &["auth", "reconcile"],
    &["certificate", "approve"],
    &["certificate", "deny"],
    &["cp"],
    // OpenShift
    &["start-build"],
    &["rollback"],
    &["new-app"],
    &["new-project"],
    &["process", "apply"],
    &["adm", "policy"],
];
const HELM_PATHS: &[&[&str]] = &[
    &["install"],
    &["upgrade"],
    &["uninstall"],
    &["delete"],
    &["del"],
    &["un"],
    &["rollback"],
    &["push"],
];
const HELMFILE_PATHS: &[&[&str]] = &[&["apply"], &["sync"], &["destroy"], &["delete"]];
const SKAFFOLD_PATHS: &[&[&str]] = &[&["run"], &["deploy"], &["apply"], &["delete"]];

/// Where a command would act.
enum Where {
    Local,
    Named(String),
    Unnamed(String),
}

/// What a cluster tool would change.
pub(super) fn read(name: &str, words: &[Word]) -> Vec<Act> {
    let (takes, paths) = match name {
        "helm" => (&HELM, HELM_PATHS),
        "helmfile" => (&HELM, HELMFILE_PATHS),
        "skaffold" => (&HELM, SKAFFOLD_PATHS),
        _ => (&KUBECTL, KUBECTL_PATHS),
    };
    let line = Line::read(words, takes);
    let (n, word) = match verb(&line, paths) {
        Ok(Some(found)) => found,
        Ok(None) => return Vec::new(),
        Err(word) => return vec![unread(name, word)],
    };
    if line.asks_help() || line.surely(&["dry-run"]) || reads(&line) {
        return Vec::new();
    }
    let path = paths.get(n).copied().unwrap_or_default().join(" ");
    if name == "helm" && path == "push" {
        let local = line
            .operands
            .last()
            .is_some_and(|w| super::container::is_local(&w.text));
        let found = Publish::new(name, &path, word, "upload a chart to a registry");
        return if local {
            Vec::new()
        } else {
            vec![Act::Publish(found)]
        };
    }
    let found = Publish::new(name, &path, word, CLUSTER);
    let found = match place(&line) {
        Where::Local => return Vec::new(),
        Where::Named(fact) => found.fact(fact),
        Where::Unnamed(fact) => found.fact(fact).maybe(true),
    };
    let rehearsal = match name {
        "helm" => with(&line, word, "--dry-run"),
        "kubectl" | "oc"
            if matches!(
                path.as_str(),
                "apply" | "create" | "delete" | "replace" | "patch" | "scale" | "run"
            ) =>
        {
            with(&line, word, "--dry-run=client")
        }
        _ => None,
    };
    vec![Act::Publish(found.rehearsal(rehearsal))]
}

/// `apply view-last-applied`, `set … --local`, `label --list`, `create token`.
fn reads(line: &Line<'_>) -> bool {
    match line.operand(0) {
        Some("apply") => line.operand(1) == Some("view-last-applied"),
        Some("set" | "label" | "annotate") => line.surely(&["local", "list"]),
        _ => false,
    }
}

fn place(line: &Line<'_>) -> Where {
    if let Some(given) = line.last(&["context", "kube-context"]) {
        return match given.value {
            Some(name) if !given.unknown && is_local(name) => Where::Local,
            Some(name) if !given.unknown => {
                Where::Named(format!("the context `{name}` is no local cluster"))
            }
            value => Where::Unnamed(format!(
                "the context `{}` is not known before the run",
                spelled(value.unwrap_or_default())
            )),
        };
    }
    if let Some(given) = line.last(&["server", "s", "kube-apiserver"]) {
        let value = given.value.unwrap_or_default();
        return match host(value) {
            _ if given.unknown => {
                Where::Unnamed("the server is not known before the run".to_owned())
            }
            "localhost" | "127.0.0.1" | "[::1]" => Where::Local,
            _ => Where::Named(format!("the server `{value}` is not this machine")),
        };
    }
    Where::Unnamed("no context is named, so it acts on whatever cluster is current".to_owned())
}

fn is_local(context: &str) -> bool {
    LOCAL.contains(&context) || LOCAL_STARTS.iter().any(|start| context.starts_with(start))
}

fn host(url: &str) -> &str {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    let authority = rest.split('/').next().unwrap_or_default();
    match authority.rsplit_once(':') {
        Some((name, port)) if port.chars().all(|c| c.is_ascii_digit()) => name,
        _ => authority,
    }
}
