//! Whether `gh` and `glab` are logged in at a host, from their own files, without starting them.

use super::Env;
use std::fs::File;
use std::io::Read;
use std::path::PathBuf;

/// Longest file that is read.
const MOST: u64 = 256 * 1024;

/// Whether `gh` knows `host`, and so could ask it.
pub(super) fn gh(host: &str, env: &Env<'_>) -> bool {
    let cloud = host == "github.com" || host.ends_with(".ghe.com");
    let tokens: &[&str] = match cloud {
        true => &["GH_TOKEN", "GITHUB_TOKEN"],
        false => &["GH_ENTERPRISE_TOKEN", "GITHUB_ENTERPRISE_TOKEN"],
    };
    // A token for "the" enterprise host says nothing of which host that is.
    let named = cloud || set(env, "GH_HOST").is_some_and(|h| h == host);
    if named && tokens.iter().any(|name| set(env, name).is_some()) {
        return true;
    }
    let text = config(env, "GH_CONFIG_DIR", "gh", "hosts.yml");
    outline(&text).iter().any(|e| e.depth == 0 && e.key == host)
}

/// Whether `glab` has a token for `host`.
pub(super) fn glab(host: &str, env: &Env<'_>) -> bool {
    let tokens = ["GITLAB_TOKEN", "GITLAB_ACCESS_TOKEN", "OAUTH_TOKEN"];
    let named = host == "gitlab.com" || set(env, "GITLAB_HOST").is_some_and(|h| h.contains(host));
    if named && tokens.iter().any(|name| set(env, name).is_some()) {
        return true;
    }
    let text = config(env, "GLAB_CONFIG_DIR", "glab-cli", "config.yml");
    let (mut top, mut at) = ("", "");
    for entry in outline(&text) {
        match entry.depth {
            0 => (top, at) = (entry.key, ""),
            1 => at = entry.key,
            _ => {
                let secret = matches!(entry.key, "token" | "job_token") && !entry.value.is_empty();
                let ring = entry.key == "use_keyring" && entry.value == "true";
                if top == "hosts" && at == host && (secret || ring) {
                    return true;
                }
            }
        }
    }
    false
}

fn set(env: &Env<'_>, name: &str) -> Option<String> {
    let value = (env.look)(name)?.into_string().ok()?;
    (!value.is_empty()).then_some(value)
}

/// The text of a config file of theirs; empty where there is none.
fn config(env: &Env<'_>, own: &str, folder: &str, name: &str) -> String {
    let dir = |name: &str| {
        (env.look)(name)
            .map(PathBuf::from)
            .filter(|d| d.is_absolute())
    };
    let dir = dir(own)
        .or_else(|| dir("XDG_CONFIG_HOME").map(|d| d.join(folder)))
        .or_else(|| dir("HOME").map(|d| d.join(".config").join(folder)));
    let mut text = String::new();
    if let Some(dir) = dir
        && let path = dir.join(name)
        && std::fs::metadata(&path).is_ok_and(|m| m.is_file())
        && let Ok(file) = File::open(path)
        && file.take(MOST).read_to_string(&mut text).is_err()
    {
        text.clear();
    }
    text
}

/// One `key: value` of a YAML file of nested maps.
struct Entry<'a> {
    depth: usize,
    key: &'a str,
    value: &'a str,
}

/// The keys of nested maps with their depth; enough of YAML for the two files, which are written
/// by programs.
fn outline(text: &str) -> Vec<Entry<'_>> {
    let mut indents: Vec<usize> = Vec::new();
    let mut out = Vec::new();
    for line in text.lines() {
        let bare = line.trim_start_matches(' ');
        if bare.is_empty() || bare.starts_with(['#', '-']) {
            continue;
        }
        let Some((key, value)) = bare.split_once(':') else {
            continue;
        };
        let indent = line.len().saturating_sub(bare.len());
        indents.retain(|i| *i < indent);
        let quotes = ['"', '\''];
        out.push(Entry {
            depth: indents.len(),
            key: key.trim_matches(quotes),
            value: value.trim().trim_matches(quotes),
        });
        indents.push(indent);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::ffi::OsString;
    use std::time::Duration;

    fn with(files: &[(&str, &str)], vars: &[(&str, &str)], ask: impl Fn(&Env<'_>) -> bool) -> bool {
        let temp = tempfile::tempdir().unwrap();
        for (path, text) in files {
            let path = temp.path().join(".config").join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
        let look = |name: &str| -> Option<OsString> {
            if name == "HOME" {
                return Some(temp.path().into());
            }
            vars.iter().find(|(n, _)| *n == name).map(|(_, v)| v.into())
        };
        ask(&Env {
            look: &look,
            now: None,
            left: Duration::ZERO,
        })
    }

    const GH: &str = "github.com:\n    users:\n        ann:\n    git_protocol: ssh\n    user: ann\n\"ghe.example.com\":\n    oauth_token: x\n";

    #[test]
    fn gh_is_logged_in_where_its_file_names_the_host_or_a_token_is_set() {
        let files = [("gh/hosts.yml", GH)];
        assert!(with(&files, &[], |e| gh("github.com", e)));
        assert!(with(&files, &[], |e| gh("ghe.example.com", e)));
        assert!(!with(&files, &[], |e| gh("users", e)));
        assert!(!with(&files, &[], |e| gh("other.example.com", e)));
        assert!(!with(&[], &[], |e| gh("github.com", e)));
        assert!(with(&[], &[("GH_TOKEN", "x")], |e| gh("github.com", e)));
        assert!(!with(&[], &[("GH_TOKEN", "x")], |e| gh(
            "ghe.example.com",
            e
        )));
        let vars = [("GH_ENTERPRISE_TOKEN", "x"), ("GH_HOST", "ghe.example.com")];
        assert!(with(&[], &vars, |e| gh("ghe.example.com", e)));
        assert!(!with(&[], &vars, |e| gh("github.com", e)));
    }

    #[test]
    fn glab_is_logged_in_where_its_file_has_a_token() {
        let text = |token: &str| {
            format!(
                "git_protocol: ssh\n# hosts\nhosts:\n    gitlab.com:\n        api_host: gitlab.com\n        token: {token}\nlast: x\n"
            )
        };
        let ask = |text: &str, host: &'static str| {
            with(&[("glab-cli/config.yml", text)], &[], move |e| {
                glab(host, e)
            })
        };
        assert!(ask(&text("abc"), "gitlab.com"));
        assert!(!ask(&text(""), "gitlab.com"));
        assert!(!ask(&text("abc"), "gitlab.example.com"));
        assert!(with(&[], &[("GITLAB_TOKEN", "x")], |e| glab(
            "gitlab.com",
            e
        )));
    }
}
