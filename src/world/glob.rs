//! git's two kinds of pattern: `*` in refspecs, and wildmatch for conditional includes.

/// What `*` of a refspec pattern stands for in `name`, if it matches.
pub(super) fn star<'a>(pattern: &str, name: &'a str) -> Option<&'a str> {
    let (before, after) = pattern.split_once('*')?;
    name.strip_prefix(before)?.strip_suffix(after)
}

/// Whether a path matches a wildmatch pattern; `None` where that takes more than `*`, `**`, `?`.
pub(super) fn wild(pattern: &str, text: &str) -> Option<bool> {
    if pattern.contains(['[', '\\']) {
        return None;
    }
    let mut fuel = 20_000;
    walk(pattern.as_bytes(), text.as_bytes(), 0, &mut fuel)
}

fn walk(mut pattern: &[u8], mut text: &[u8], depth: usize, fuel: &mut u32) -> Option<bool> {
    loop {
        *fuel = fuel.checked_sub(1)?;
        match pattern.split_first() {
            None => return Some(text.is_empty()),
            Some((b'*', rest)) => {
                let wide = rest.first() == Some(&b'*');
                let rest = if wide { rest.get(1..)? } else { rest };
                if depth > 32 {
                    return None;
                }
                // `**/` may stand for no directory at all.
                if wide
                    && let Some(inner) = rest.strip_prefix(b"/")
                    && walk(inner, text, depth + 1, fuel)?
                {
                    return Some(true);
                }
                for skip in 0..=text.len() {
                    if walk(rest, text.get(skip..)?, depth + 1, fuel)? {
                        return Some(true);
                    }
                    if !wide && text.get(skip) == Some(&b'/') {
                        return Some(false);
                    }
                }
                return Some(false);
            }
            Some((p, rest)) => match text.split_first() {
                Some((t, more)) if p == t || (*p == b'?' && *t != b'/') => {
                    pattern = rest;
                    text = more;
                }
                _ => return Some(false),
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_star_stands_for_any_text_of_a_ref() {
        assert_eq!(star("refs/heads/*", "refs/heads/a/b"), Some("a/b"));
        assert_eq!(star("refs/heads/m*n", "refs/heads/main"), Some("ai"));
        assert_eq!(star("refs/heads/m*n", "refs/heads/n"), None);
        assert_eq!(star("refs/heads/aa*aa", "refs/heads/aaa"), None);
        assert_eq!(star("refs/heads/x", "refs/heads/x"), None);
    }

    #[test]
    fn wildmatch_knows_directories() {
        assert_eq!(wild("feat*", "feature"), Some(true));
        assert_eq!(wild("feat*", "feat/x"), Some(false));
        assert_eq!(wild("feat/**", "feat/x/y"), Some(true));
        assert_eq!(wild("**/w/.git", "/a/w/.git"), Some(true));
        assert_eq!(wild("/a/**", "/a/w/.git"), Some(true));
        assert_eq!(wild("/b/**", "/a/w/.git"), Some(false));
        assert_eq!(wild("a?c", "abc"), Some(true));
        assert_eq!(wild("a[b]c", "abc"), None);
        let slow = "*a".repeat(20);
        assert_eq!(wild(&slow, &"a".repeat(60)), Some(true));
    }
}
