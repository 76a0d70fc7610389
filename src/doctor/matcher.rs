//! Which tools a matcher takes, by each host's own rule.

use super::manner::Matching;
use regex::Regex;

/// What a matcher makes of a tool.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Takes {
    /// The hook is called for it.
    Yes,
    /// It is not.
    No,
    /// The matcher is no pattern, so the hook is never called.
    Bad,
    /// It cannot be told.
    Unknown,
}

/// Whether a hook with this matcher is called for `tool`.
pub fn takes(matcher: Option<&str>, tool: &str, matching: Matching) -> Takes {
    let Some(matcher) = matcher.filter(|m| !m.is_empty() && *m != "*") else {
        return Takes::Yes;
    };
    let plain = |c: char| c.is_ascii_alphanumeric() || "_-|, ".contains(c);
    match matching {
        Matching::Unknown => Takes::Unknown,
        Matching::NamesOrSearch if matcher.chars().all(plain) => {
            let found = matcher.split(['|', ',']).any(|name| name.trim() == tool);
            if found { Takes::Yes } else { Takes::No }
        }
        Matching::NamesOrSearch | Matching::Search => searched(matcher, tool),
    }
}

fn searched(matcher: &str, tool: &str) -> Takes {
    match Regex::new(matcher) {
        Ok(pattern) if pattern.is_match(tool) => Takes::Yes,
        Ok(_) => Takes::No,
        // What hosts in JavaScript read, and this one does not.
        Err(_)
            if ["(?=", "(?!", "(?<"]
                .iter()
                .any(|ahead| matcher.contains(ahead)) =>
        {
            Takes::Unknown
        }
        Err(_) => Takes::Bad,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use Matching::{NamesOrSearch, Search};
    use Takes::{Bad, No, Unknown, Yes};

    #[test]
    fn matchers_that_were_seen_to_fire_fire_here_and_no_others() {
        for (matching, tool, matcher, want) in [
            (NamesOrSearch, "Bash", "", Yes),
            (NamesOrSearch, "Bash", "*", Yes),
            (NamesOrSearch, "Bash", "Bash", Yes),
            (NamesOrSearch, "Bash", "Bash|Edit", Yes),
            (NamesOrSearch, "Bash", "Bash,PowerShell", Yes),
            (NamesOrSearch, "Bash", "Edit, Bash", Yes),
            (NamesOrSearch, "Bash", ".*", Yes),
            (NamesOrSearch, "Bash", "^Bash$", Yes),
            (NamesOrSearch, "Bash", "B.*", Yes),
            (NamesOrSearch, "Bash", "bash", No),
            (NamesOrSearch, "Bash", "Ba", No),
            (NamesOrSearch, "Bash", "[", Bad),
            (NamesOrSearch, "Bash", "Bash(git *)", No),
            (NamesOrSearch, "Bash", "(?!Edit)Bash", Unknown),
            (Search, "Bash", "^(Bash|apply_patch)$", Yes),
            (Search, "Bash", "exec_command", No),
            (Search, "run_shell_command", "^run_shell", Yes),
            (Search, "run_shell_command", "shell", Yes),
            (Search, "run_shell_command", "^Bash$", No),
        ] {
            assert_eq!(takes(Some(matcher), tool, matching), want, "{matcher}");
        }
        assert_eq!(takes(None, "Bash", NamesOrSearch), Yes);
        assert_eq!(takes(Some("x"), "bash", Matching::Unknown), Unknown);
    }
}
