//! The checks of leaseguard itself.

use super::{Ill, OwnCheck};
use crate::state::time::shown_span;
use std::path::Path;

/// Every check.
pub const ALL: &[OwnCheck] = &[STATE, POLICY, OBSERVE, PAUSE, PATH, BUILD, GIT_HOOKS];

const STATE: OwnCheck = OwnCheck {
    id: "own/state",
    why: "without a state directory there are no grants, no counts and no log",
    look: |machine| {
        let Some(state) = &machine.state else {
            let what = "there is no place for the state directory";
            return vec![Ill::weak(
                what,
                "set `HOME` or `XDG_STATE_HOME` to an absolute path",
            )];
        };
        let shown = machine.shown(state.dir());
        if let Err(trouble) = state.write("canary", "probe", b"") {
            return vec![Ill::weak(
                trouble.0,
                format!("make `{shown}` writable for you"),
            )];
        }
        let _ = state.consume("canary", "probe");
        match remote(state.dir()) {
            Some(kind) => {
                let what = format!("`{shown}` lies on {kind}: locks and renames there may fail");
                vec![Ill::note(
                    what,
                    "set `XDG_STATE_HOME` to a directory on a local disk",
                )]
            }
            None => Vec::new(),
        }
    },
};

const POLICY: OwnCheck = OwnCheck {
    id: "own/policy",
    why: "what is broken in a policy is left out, and built-in rules hold in its place",
    look: |machine| {
        let troubles = machine.policy_troubles.iter();
        let ill = |trouble: &String| {
            Ill::weak(
                trouble.clone(),
                "mend the file; `leaseguard rules` shows what holds",
            )
        };
        troubles.map(ill).collect()
    },
};

const OBSERVE: OwnCheck = OwnCheck {
    id: "own/observe",
    why: "with `mode = \"observe\"` every call is judged and none is stopped",
    look: |machine| {
        if !machine.observes {
            return Vec::new();
        }
        let what = "`mode = \"observe\"`: calls are judged and logged, and none is stopped";
        vec![Ill::weak(
            what,
            "take `mode = \"observe\"` out of the policy",
        )]
    },
};

const PAUSE: OwnCheck = OwnCheck {
    id: "own/pause",
    why: "while a pause runs nothing is stopped",
    look: |machine| {
        let ill = |left| {
            let what = format!(
                "a pause lets everything through for {} more",
                shown_span(left)
            );
            Ill::weak(what, "leaseguard pause --end")
        };
        machine.paused.map(ill).into_iter().collect()
    },
};

const PATH: OwnCheck = OwnCheck {
    id: "own/path",
    why: "where another leaseguard comes first on the PATH, people and hosts use different ones",
    look: |machine| {
        let first = machine.on_path("leaseguard");
        let real = first.as_ref().and_then(|path| path.canonicalize().ok());
        match (first, real) {
            (Some(first), Some(real)) if Some(&real) != machine.program.as_ref() => {
                let what = format!(
                    "`{}` comes first on the PATH, and is not this program",
                    first.display()
                );
                vec![Ill::note(
                    what,
                    format!("remove `{}`, or put this one before it", first.display()),
                )]
            }
            _ => Vec::new(),
        }
    },
};

const BUILD: OwnCheck = OwnCheck {
    id: "own/build",
    why: "a build that is not static, or not optimised, starts several times slower",
    look: |_| {
        let slow = cfg!(debug_assertions);
        let dynamic = cfg!(target_os = "linux") && !cfg!(target_feature = "crt-static");
        let how = match (slow, dynamic) {
            (true, _) => "not optimised",
            (_, true) => "not static",
            _ => return Vec::new(),
        };
        let what =
            format!("this build is {how}: every call takes longer than measured for releases");
        vec![Ill::note(what, "cargo install --path .")]
    },
};

const GIT_HOOKS: OwnCheck = OwnCheck {
    id: "own/git-hooks",
    why: "a manager that writes its hooks anew, or another `core.hooksPath`, silently ends ours",
    look: |machine| {
        let Some(hooks) = &machine.git_hooks else {
            return Vec::new();
        };
        if let Some(old) = &hooks.blind {
            return vec![Ill::weak(old.clone(), "leaseguard install git --way files")];
        }
        if hooks.asleep.is_empty() {
            return Vec::new();
        }
        let by = match hooks.managers.as_slice() {
            [] => String::new(),
            managers => format!(" ({} writes there)", managers.join(", ")),
        };
        let what = format!(
            "git does not come to our {}: it looks in `{}`{by}",
            hooks.asleep.join(", "),
            machine.shown(&hooks.dir)
        );
        vec![Ill::weak(what, "leaseguard install git")]
    },
};

/// What kind of disk that is not local holds `path`, as far as Linux tells.
fn remote(path: &Path) -> Option<String> {
    const KINDS: &[&str] = &[
        "nfs",
        "nfs4",
        "cifs",
        "smb3",
        "9p",
        "fuse.sshfs",
        "afs",
        "ceph",
        "glusterfs",
    ];
    let path = path.canonicalize().ok()?;
    let mounts = std::fs::read_to_string("/proc/self/mounts").ok()?;
    let found = mounts.lines().filter_map(|line| {
        let mut words = line.split(' ').skip(1);
        let (place, kind) = (words.next()?, words.next()?);
        path.starts_with(place).then_some((place.len(), kind))
    });
    let (_, kind) = found.max_by_key(|(length, _)| *length)?;
    KINDS.contains(&kind).then(|| format!("`{kind}`"))
}
