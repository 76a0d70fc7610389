//! Where a push goes: host and path of its URL.

/// A repository on a forge.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Address {
    /// The host in lower case, without port.
    pub host: String,
    /// The path without slashes around it and without `.git`: `owner/name`, deeper on GitLab.
    pub path: String,
}

impl Address {
    /// Reads `https://host/a/b.git`, `ssh://git@host:22/a/b` and `git@host:a/b`; `None` for paths.
    pub fn read(url: &str) -> Option<Address> {
        let (host, path) = match url.split_once("://") {
            Some((scheme, rest)) => {
                let known = ["https", "http", "ssh", "git", "git+ssh", "git+https"];
                known
                    .contains(&scheme.to_ascii_lowercase().as_str())
                    .then_some(())?;
                let (host, path) = rest.split_once('/')?;
                let host = after_user(host);
                (host.split(':').next()?, path)
            }
            None => {
                let (host, path) = url.split_once(':')?;
                // `./a:b` is a path, and so is `C:\a`.
                if host.contains(['/', '\\']) || host.len() < 2 {
                    return None;
                }
                (after_user(host), path)
            }
        };
        let path = path.trim_matches('/');
        let path = path.strip_suffix(".git").unwrap_or(path);
        let host = host.to_ascii_lowercase();
        let host = match host.as_str() {
            "ssh.github.com" | "www.github.com" => "github.com".to_owned(),
            "altssh.gitlab.com" => "gitlab.com".to_owned(),
            _ => host,
        };
        let odd = |text: &str| text.is_empty() || text.starts_with('-') || text.contains(odd_char);
        (!odd(&host) && !odd(path)).then(|| Address {
            host,
            path: path.to_owned(),
        })
    }

    /// The two parts of `owner/name`; `None` where there are more or fewer.
    pub fn owner_and_name(&self) -> Option<(&str, &str)> {
        let (owner, name) = self.path.split_once('/')?;
        (!owner.is_empty() && !name.is_empty() && !name.contains('/')).then_some((owner, name))
    }
}

fn after_user(host: &str) -> &str {
    host.rsplit_once('@').map_or(host, |(_, host)| host)
}

/// What stands in no host and no path of a forge.
fn odd_char(c: char) -> bool {
    c.is_whitespace() || c.is_control() || "?#%\\\"'".contains(c)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_spelling_of_a_forge_url_is_the_same_place() {
        for url in [
            "https://github.com/o/r.git",
            "https://user:token@github.com/o/r",
            "HTTPS://GitHub.com/o/r/",
            "ssh://git@github.com:22/o/r.git",
            "ssh://git@ssh.github.com:443/o/r.git",
            "git@github.com:o/r.git",
            "git@github.com:/o/r",
            "github.com:o/r",
            "git://github.com/o/r.git",
        ] {
            let at = Address::read(url).unwrap_or_else(|| panic!("{url}"));
            assert_eq!(at.host, "github.com", "{url}");
            assert_eq!(at.owner_and_name(), Some(("o", "r")), "{url}");
        }
    }

    #[test]
    fn paths_and_odd_words_are_no_forge() {
        for url in [
            "../origin.git",
            "/srv/a:b",
            "./a:b",
            "C:\\repos\\r",
            "file:///srv/o.git",
            "ext::sh -c x",
            "https://github.com",
            "https://github.com/",
            "git@github.com:",
            "https://github.com/o/r?x",
            "-host:o/r",
            "",
        ] {
            assert_eq!(Address::read(url), None, "{url}");
        }
        let deep = Address::read("git@gitlab.com:a/b/c.git").unwrap();
        assert_eq!((deep.path.as_str(), deep.owner_and_name()), ("a/b/c", None));
    }
}
