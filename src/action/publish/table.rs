//! The table of programs that release by verb, and its reader.

use super::Rehearsal;
use super::{Publish, how, unread, verb, with};
use crate::action::Act;
use crate::action::words::{Given, Line, Takes, dash, gnu};
use crate::shell::Word;

/// A program with verbs that release.
struct Tool {
    names: &'static [&'static str],
    takes: Takes,
    acts: &'static [Entry],
}

/// One verb path.
struct Entry {
    path: &'static [&'static str],
    does: &'static str,
    /// Options that make it a rehearsal.
    dry: &'static [&'static str],
    /// It releases only with one of these.
    needs: &'static [&'static str],
    /// How the user's verb becomes harmless.
    safe: Safe,
    /// It asks instead of denying.
    maybe: bool,
}

/// How a verb is made harmless.
#[derive(Clone, Copy)]
enum Safe {
    No,
    /// With this option.
    Flag(&'static str),
    /// By another verb, if no option stands behind it that the other one does not know.
    Verb(&'static str),
}

const fn act(path: &'static [&'static str], does: &'static str) -> Entry {
    Entry {
        path,
        does,
        dry: &[],
        needs: &[],
        safe: Safe::No,
        maybe: false,
    }
}

const fn dry(
    path: &'static [&'static str],
    does: &'static str,
    dry: &'static [&'static str],
) -> Entry {
    Entry {
        path,
        does,
        dry,
        needs: &[],
        safe: Safe::Flag("--dry-run"),
        maybe: false,
    }
}

impl Entry {
    const fn needs(self, needs: &'static [&'static str]) -> Entry {
        Entry {
            needs,
            safe: Safe::No,
            ..self
        }
    }

    const fn safe(self, safe: Safe) -> Entry {
        Entry { safe, ..self }
    }

    const fn maybe(self) -> Entry {
        Entry {
            maybe: true,
            ..self
        }
    }
}

const UPLOAD: &str = "upload a package to its registry";
const TAKE: &str = "take a version away from its users";
const RELEASE: &str = "cut a release and publish it";
const DEPLOY: &str = "deploy to a running system";
const DESTROY: &str = "destroy running infrastructure";
const APPLY: &str = "change running infrastructure";
const STATE: &str = "change the shared record of running infrastructure";
const IMAGE: &str = "upload an image to a registry";
const DRY: &[&str] = &["dry-run"];
const DRY_N: &[&str] = &["dry-run", "n"];
const NONE: Takes = gnu("", &[]);

const CARGO: Takes = gnu(
    "pZCjF",
    &[
        "color",
        "config",
        "manifest-path",
        "package",
        "registry",
        "index",
        "token",
        "target",
        "target-dir",
        "features",
        "jobs",
        "exclude",
        "vers",
        "version",
        "workspace-root",
    ],
);
const TERRAFORM: Takes = dash(&[
    "var",
    "var-file",
    "target",
    "replace",
    "backend-config",
    "state",
    "out",
    "working-dir",
]);
const PULUMI: Takes = gnu(
    "sCcmtr",
    &[
        "stack",
        "cwd",
        "config",
        "message",
        "target",
        "replace",
        "color",
        "config-file",
        "profile",
    ],
);

const TOOLS: &[Tool] = &[
    Tool {
        names: &["cargo"],
        takes: CARGO,
        acts: &[
            dry(&["publish"], UPLOAD, DRY_N),
            act(&["yank"], TAKE),
            dry(&["release"], RELEASE, DRY_N).needs(&["execute", "x"]),
            dry(&["smart-release"], RELEASE, DRY_N).needs(&["execute", "e"]),
            act(&["workspaces", "publish"], UPLOAD),
            act(&["ws", "publish"], UPLOAD),
        ],
    },
    Tool {
        names: &["cargo-release"],
        takes: CARGO,
        acts: &[dry(&["release"], RELEASE, DRY_N).needs(&["execute", "x"])],
    },
    Tool {
        names: &["release-plz"],
        takes: NONE,
        acts: &[dry(&["release"], RELEASE, DRY)],
    },
    Tool {
        names: &["twine"],
        takes: NONE,
        acts: &[act(&["upload"], UPLOAD)],
    },
    Tool {
        names: &["uv"],
        takes: gnu(
            "t",
            &[
                "directory",
                "project",
                "config-file",
                "color",
                "cache-dir",
                "index",
                "token",
                "username",
                "password",
                "publish-url",
                "check-url",
            ],
        ),
        acts: &[dry(&["publish"], UPLOAD, DRY)],
    },
    Tool {
        names: &["poetry"],
        takes: gnu(
            "rupCP",
            &[
                "repository",
                "username",
                "password",
                "directory",
                "project",
                "cert",
                "client-cert",
                "dist-dir",
            ],
        ),
        acts: &[dry(&["publish"], UPLOAD, DRY)],
    },
    Tool {
        names: &["hatch"],
        takes: gnu(
            "epruai",
            &[
                "env",
                "project",
                "publisher",
                "repo",
                "user",
                "auth",
                "data-dir",
                "cache-dir",
                "config",
            ],
        ),
        acts: &[act(&["publish"], UPLOAD)],
    },
    Tool {
        names: &["flit"],
        takes: gnu("f", &["ini-file", "repository", "pypirc"]),
        acts: &[act(&["publish"], UPLOAD)],
    },
    Tool {
        names: &["pdm"],
        takes: gnu(
            "prcuPc",
            &[
                "project",
                "repository",
                "username",
                "password",
                "dest",
                "ca-certs",
                "config",
            ],
        ),
        acts: &[act(&["publish"], UPLOAD)],
    },
    Tool {
        names: &["rye"],
        takes: gnu("r", &["repository", "repository-url", "username", "token"]),
        acts: &[act(&["publish"], UPLOAD)],
    },
    Tool {
        names: &["gem"],
        takes: gnu("kp", &["key", "host", "otp", "config-file", "http-proxy"]),
        acts: &[act(&["pu|sh"], UPLOAD), act(&["y|ank"], TAKE)],
    },
    // bundler's tasks tag, push and upload.
    Tool {
        names: &["rake"],
        takes: gnu("fICRrTD", &["rakefile", "directory"]),
        acts: &[act(&["release"], RELEASE)],
    },
    Tool {
        names: &["mix"],
        takes: NONE,
        acts: &[
            dry(&["hex.publish"], UPLOAD, DRY),
            act(&["hex.retire"], TAKE),
        ],
    },
    Tool {
        names: &["dart", "flutter"],
        takes: gnu("C", &["directory"]),
        acts: &[
            dry(&["pub", "publish"], UPLOAD, DRY_N),
            dry(&["pub", "lish"], UPLOAD, DRY_N),
        ],
    },
    Tool {
        names: &["pod"],
        takes: NONE,
        acts: &[
            act(&["trunk", "push"], UPLOAD),
            act(&["repo", "push"], UPLOAD),
            act(&["trunk", "delete"], TAKE),
        ],
    },
    Tool {
        names: &["dotnet"],
        takes: NONE,
        acts: &[
            act(&["nuget", "push"], UPLOAD),
            act(&["nuget", "delete"], TAKE),
        ],
    },
    Tool {
        names: &["nuget", "choco"],
        takes: NONE,
        acts: &[act(&["push"], UPLOAD), act(&["delete"], TAKE)],
    },
    Tool {
        names: &["cabal", "stack", "luarocks", "anaconda", "conan"],
        takes: NONE,
        acts: &[act(&["upload"], UPLOAD)],
    },
    Tool {
        names: &["opam", "jsr", "ovsx"],
        takes: NONE,
        acts: &[dry(&["publish"], UPLOAD, DRY)],
    },
    Tool {
        names: &["deno"],
        takes: gnu("c", &["config", "token"]),
        acts: &[dry(&["publish"], UPLOAD, DRY), act(&["deploy"], DEPLOY)],
    },
    Tool {
        names: &["vsce", "@vscode/vsce"],
        takes: gnu("p", &["pat"]),
        acts: &[act(&["publish"], UPLOAD), act(&["unpublish"], TAKE)],
    },
    Tool {
        names: &["lein"],
        takes: NONE,
        acts: &[act(&["deploy"], UPLOAD), act(&["release"], RELEASE)],
    },
    Tool {
        names: &["snapcraft"],
        takes: NONE,
        acts: &[
            act(&["upload"], UPLOAD),
            act(&["release"], RELEASE),
            act(&["push"], UPLOAD),
        ],
    },
    Tool {
        names: &["changeset", "@changesets/cli"],
        takes: gnu("", &["tag", "otp"]),
        acts: &[act(&["publish"], UPLOAD)],
    },
    Tool {
        names: &["lerna"],
        takes: gnu(
            "",
            &[
                "dist-tag",
                "registry",
                "loglevel",
                "concurrency",
                "scope",
                "ignore",
                "preid",
            ],
        ),
        acts: &[
            act(&["publish"], UPLOAD),
            act(
                &["version"],
                "tag a release and push it, unless it is told not to",
            )
            .maybe(),
        ],
    },
    Tool {
        names: &["np"],
        takes: gnu("", &["branch", "tag"]),
        acts: &[Entry {
            dry: &["preview"],
            ..act(&[], RELEASE)
        }],
    },
    Tool {
        names: &["semantic-release", "release-it"],
        takes: gnu(
            "brtpe",
            &["branches", "plugins", "extends", "config", "preReleaseId"],
        ),
        acts: &[Entry {
            dry: &["dry-run", "d", "print", "release-version", "changelog"],
            ..act(&[], RELEASE)
        }],
    },
    Tool {
        names: &["nx"],
        takes: NONE,
        acts: &[
            Entry {
                safe: Safe::No,
                ..dry(&["release", "publish"], UPLOAD, DRY)
            },
            Entry {
                dry: &["dry-run", "d", "skip-publish"],
                ..act(&["release"], RELEASE)
            }
            .maybe(),
        ],
    },
    Tool {
        names: &["goreleaser"],
        takes: gnu("fpk", &["config", "parallelism", "timeout", "key"]),
        acts: &[
            Entry {
                dry: &["snapshot", "skip", "skip-publish"],
                ..act(&["release"], RELEASE)
            },
            act(&["publish"], RELEASE),
        ],
    },
    Tool {
        names: &["terraform", "tofu", "terragrunt"],
        takes: TERRAFORM,
        acts: &[
            act(&["apply"], APPLY).safe(Safe::Verb("plan")),
            act(&["destroy"], DESTROY).safe(Safe::Verb("plan -destroy")),
            act(&["apply-all"], APPLY),
            act(&["destroy-all"], DESTROY),
            act(&["run-all", "apply"], APPLY),
            act(&["run-all", "destroy"], DESTROY),
            act(&["run", "apply"], APPLY),
            act(&["run", "destroy"], DESTROY),
            act(&["stack", "run", "apply"], APPLY),
            act(&["stack", "run", "destroy"], DESTROY),
            Entry {
                dry: &["dry-run"],
                ..act(&["state", "rm"], STATE)
            },
            Entry {
                dry: &["dry-run"],
                ..act(&["state", "mv"], STATE)
            },
            act(&["state", "push"], STATE),
            act(&["state", "replace-provider"], STATE),
            act(&["force-unlock"], STATE),
            act(&["import"], STATE).maybe(),
            act(&["taint"], STATE).maybe(),
            act(&["untaint"], STATE).maybe(),
            act(&["refresh"], STATE).maybe(),
        ],
    },
    Tool {
        names: &["pulumi"],
        takes: PULUMI,
        acts: &[
            Entry {
                dry: &["preview-only"],
                ..act(&["up"], APPLY)
            }
            .safe(Safe::Verb("preview")),
            Entry {
                dry: &["preview-only"],
                ..act(&["update"], APPLY)
            }
            .safe(Safe::Verb("preview")),
            Entry {
                dry: &["preview-only"],
                ..act(&["destroy"], DESTROY)
            },
            Entry {
                dry: &["preview-only"],
                ..act(&["refresh"], STATE)
            }
            .maybe(),
            act(&["stack", "rm"], STATE),
            act(&["state", "delete"], STATE),
            act(&["import"], STATE).maybe(),
            act(&["watch"], APPLY),
        ],
    },
    Tool {
        names: &["cdk", "aws-cdk", "cdktf"],
        takes: gnu("acop", &["app", "context", "output", "profile"]),
        acts: &[
            Entry {
                dry: &["no-execute"],
                ..act(&["deploy"], APPLY)
            }
            .safe(Safe::Verb("diff")),
            act(&["destroy"], DESTROY),
        ],
    },
    Tool {
        names: &["sam", "serverless", "sls", "copilot"],
        takes: gnu("sr", &["stage", "region", "profile"]),
        acts: &[
            act(&["deploy"], DEPLOY),
            act(&["remove"], DESTROY),
            act(&["delete"], DESTROY),
            act(&["svc", "deploy"], DEPLOY),
        ],
    },
    Tool {
        names: &["wrangler"],
        takes: gnu("cej", &["config", "env", "cwd", "name"]),
        acts: &[
            dry(&["deploy"], DEPLOY, DRY),
            dry(&["publish"], DEPLOY, DRY),
            act(&["pages", "deploy"], DEPLOY),
            act(&["pages", "publish"], DEPLOY),
            dry(&["delete"], DESTROY, DRY),
            act(&["rollback"], DEPLOY),
        ],
    },
    Tool {
        names: &["vercel", "vc"],
        takes: gnu(
            "AVtSbe",
            &["scope", "token", "cwd", "local-config", "build-env", "env"],
        ),
        acts: &[
            act(&["promote"], DEPLOY),
            act(&["rollback"], DEPLOY),
            act(&["alias", "set"], DEPLOY),
            act(&["deploy"], DEPLOY).needs(&["prod"]),
            act(&[], DEPLOY).needs(&["prod"]),
        ],
    },
    Tool {
        names: &["netlify", "ntl", "netlify-cli"],
        takes: gnu("dms", &["dir", "message", "site", "auth"]),
        acts: &[act(&["deploy"], DEPLOY).needs(&["prod", "p", "prod-if-unlocked"])],
    },
    Tool {
        names: &["firebase", "firebase-tools"],
        takes: gnu(
            "Pcm",
            &["project", "config", "message", "only", "except", "token"],
        ),
        acts: &[
            Entry {
                dry: DRY,
                ..act(&["deploy"], DEPLOY)
            },
            act(&["hosting:channel:deploy"], DEPLOY).maybe(),
        ],
    },
    Tool {
        names: &["fly", "flyctl"],
        takes: gnu("aceit", &["app", "config", "env", "image", "access-token"]),
        acts: &[
            Entry {
                dry: &["build-only"],
                ..act(&["deploy"], DEPLOY)
            },
            act(&["apps", "destroy"], DESTROY),
            act(&["launch"], DEPLOY).maybe(),
        ],
    },
    Tool {
        names: &["gcloud"],
        takes: gnu(
            "q",
            &["project", "region", "zone", "account", "configuration"],
        ),
        acts: &[
            act(&["app", "deploy"], DEPLOY),
            act(&["run", "deploy"], DEPLOY),
            act(&["functions", "deploy"], DEPLOY),
            act(&["beta", "run", "deploy"], DEPLOY),
        ],
    },
    Tool {
        names: &["eas", "eas-cli"],
        takes: NONE,
        acts: &[act(&["submit"], DEPLOY), act(&["update"], DEPLOY)],
    },
    Tool {
        names: &["argocd"],
        takes: NONE,
        acts: &[
            Entry {
                dry: DRY,
                ..act(&["app", "sync"], DEPLOY)
            },
            act(&["app", "delete"], DESTROY),
            act(&["app", "rollback"], DEPLOY),
        ],
    },
    Tool {
        names: &["aws"],
        takes: gnu(
            "",
            &["profile", "region", "output", "endpoint-url", "query"],
        ),
        acts: &[
            Entry {
                dry: &["no-execute-changeset"],
                ..act(&["cloudformation", "deploy"], APPLY)
            },
            act(&["cloudformation", "create-stack"], APPLY),
            act(&["cloudformation", "update-stack"], APPLY),
            act(&["cloudformation", "execute-change-set"], APPLY),
            act(&["cloudformation", "delete-stack"], DESTROY),
            act(&["lambda", "update-function-code"], DEPLOY),
            act(&["ecs", "update-service"], DEPLOY),
        ],
    },
    Tool {
        names: &["oras"],
        takes: gnu("u", &["username", "password"]),
        acts: &[
            act(&["push"], IMAGE),
            act(&["copy"], IMAGE),
            act(&["cp"], IMAGE),
            act(&["manifest", "delete"], TAKE),
        ],
    },
    Tool {
        names: &["crane"],
        takes: gnu("", &["platform"]),
        acts: &[
            act(&["push"], IMAGE),
            act(&["copy"], IMAGE),
            act(&["cp"], IMAGE),
            act(&["tag"], IMAGE),
            act(&["append"], IMAGE),
            act(&["delete"], TAKE),
        ],
    },
    Tool {
        names: &["cr"],
        takes: NONE,
        acts: &[
            act(&["upload"], RELEASE),
            act(&["index"], RELEASE).needs(&["push"]),
        ],
    },
    Tool {
        names: &["tea"],
        takes: gnu("rlR", &["repo", "login", "remote"]),
        acts: &[
            act(&["releases", "create"], RELEASE),
            act(&["release", "create"], RELEASE),
            act(&["r", "create"], RELEASE),
            act(&["releases", "edit"], RELEASE),
            act(&["release", "edit"], RELEASE),
            act(&["releases", "delete"], TAKE),
            act(&["release", "delete"], TAKE),
        ],
    },
];

/// What a program of the table would release.
pub(super) fn read(name: &str, words: &[Word]) -> Vec<Act> {
    let Some(tool) = TOOLS.iter().find(|t| t.names.contains(&name)) else {
        return Vec::new();
    };
    // `cargo +nightly publish`
    let toolchain = name == "cargo" && words.first().is_some_and(|w| w.text.starts_with('+'));
    let words = words.get(usize::from(toolchain)..).unwrap_or_default();
    let line = Line::read(words, &tool.takes);
    if line.asks_help() {
        return Vec::new();
    }
    if name == "mix" || name == "rake" {
        return tasks(name, tool, &line);
    }
    for entry in tool.acts.iter().filter(|e| e.path.is_empty()) {
        // A program that releases by itself, unless another of its verbs is given.
        let verb = line
            .operands
            .first()
            .copied()
            .filter(|w| !w.text.starts_with(['.', '/']));
        if needed(entry, &line).is_some() && (verb.is_none() || tool.acts.len() == 1) {
            return release(name, entry, &line, verb.or(words.first()), "");
        }
    }
    let paths: Vec<&[&str]> = tool.acts.iter().map(|e| e.path).collect();
    match verb(&line, &paths) {
        Ok(Some((n, word))) => {
            let Some(entry) = tool.acts.get(n) else {
                return Vec::new();
            };
            let shown: Vec<&str> = line
                .operands
                .iter()
                .take(entry.path.len())
                .map(|w| w.text.as_str())
                .collect();
            release(name, entry, &line, Some(word), &shown.join(" "))
        }
        Ok(None) => Vec::new(),
        Err(word) => vec![unread(name, word)],
    }
}

/// Programs that take several tasks in one line.
fn tasks(name: &str, tool: &Tool, line: &Line<'_>) -> Vec<Act> {
    let mut found = Vec::new();
    for word in &line.operands {
        let task = word.text.split(['[', ',']).next().unwrap_or_default();
        let entry = tool.acts.iter().find(|e| e.path == [task]);
        found.extend(
            entry
                .map(|e| release(name, e, line, Some(word), task))
                .unwrap_or_default(),
        );
    }
    found
}

/// The option that a verb needs to release: `Some(None)` when it needs none.
fn needed<'l, 'w>(entry: &Entry, line: &'l Line<'w>) -> Option<Option<&'l Given<'w>>> {
    if entry.needs.is_empty() {
        return Some(None);
    }
    line.on(entry.needs).map(Some)
}

fn release(
    name: &str,
    entry: &Entry,
    line: &Line<'_>,
    word: Option<&Word>,
    verb: &str,
) -> Vec<Act> {
    let Some(option) = needed(entry, line) else {
        return Vec::new();
    };
    if line.surely(entry.dry) {
        return Vec::new();
    }
    let shown = match option {
        Some(option) => format!("{verb} {}", option.word.text),
        None => verb.to_owned(),
    };
    let nowhere = Word::default();
    let word = word.unwrap_or(&nowhere);
    let mut found = Publish::new(name, shown.trim(), word, entry.does).maybe(entry.maybe);
    if let Some(option) = option {
        found.how.span = option.word.span;
        found = found.rehearsal(super::without(option));
    }
    if !verb.is_empty() && found.rehearsal.is_none() {
        found = found.rehearsal(match entry.safe {
            Safe::Flag(flag) => with(line, word, flag),
            Safe::Verb(other) if plain(line) => Some(Rehearsal::Swap(how(word), other.to_owned())),
            Safe::No | Safe::Verb(_) => None,
        });
    }
    vec![Act::Publish(found)]
}

/// Nothing stands behind the verb but what every verb of that program knows.
fn plain(line: &Line<'_>) -> bool {
    line.operands.len() == 1
        && line.options.iter().all(|o| {
            matches!(
                o.name,
                "chdir" | "var" | "var-file" | "s" | "stack" | "C" | "cwd"
            )
        })
}
