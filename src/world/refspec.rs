//! A refspec as git reads it for a push, and the names that refs may have.

/// One refspec.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Spec {
    /// `:`, `+:`
    Matching { force: bool },
    /// `:dst`
    Delete { dst: String },
    /// `src`, `src:dst`
    Named {
        src: String,
        dst: Option<String>,
        force: bool,
    },
    /// `refs/heads/*:refs/heads/*`; without a right side both are the same.
    Glob {
        src: String,
        dst: String,
        force: bool,
    },
    /// `^refs/heads/main`
    Negative { pattern: String },
}

/// Reads one refspec; `None` where git refuses it.
pub(super) fn parse(text: &str) -> Option<Spec> {
    if let Some(pattern) = text.strip_prefix('^') {
        let hex =
            matches!(pattern.len(), 40 | 64) && pattern.bytes().all(|b| b.is_ascii_hexdigit());
        let good = !pattern.contains(':') && !hex && valid(pattern, true);
        return good.then(|| Spec::Negative {
            pattern: pattern.to_owned(),
        });
    }
    let (force, body) = match text.strip_prefix('+') {
        Some(body) => (true, body),
        None => (false, text),
    };
    if body == ":" {
        return Some(Spec::Matching { force });
    }
    let (src, dst) = match body.rsplit_once(':') {
        Some((src, dst)) => (src, Some(dst)),
        None => (body, None),
    };
    let glob = src.contains('*');
    if dst.is_some_and(|d| d.contains('*') != glob) {
        return None;
    }
    if dst == Some("@") {
        return None;
    }
    let right = dst.unwrap_or(src);
    if !valid(right, glob) || (glob && !valid(src, true)) {
        return None;
    }
    let src = if src == "@" { "HEAD" } else { src };
    Some(if glob {
        Spec::Glob {
            src: src.to_owned(),
            dst: right.to_owned(),
            force,
        }
    } else if src.is_empty() {
        Spec::Delete {
            dst: right.to_owned(),
        }
    } else {
        Spec::Named {
            src: src.to_owned(),
            dst: dst.map(str::to_owned),
            force,
        }
    })
}

/// Whether git takes `name` for a well-formed ref name; `star` allows one `*`.
pub(super) fn valid(name: &str, star: bool) -> bool {
    if name.is_empty() || name.ends_with('.') {
        return false;
    }
    let bytes = name.as_bytes();
    let mut stars = 0;
    for (at, byte) in bytes.iter().enumerate() {
        let next = bytes.get(at + 1);
        match byte {
            0..=b' ' | 0x7f | b'~' | b'^' | b':' | b'?' | b'[' | b'\\' => return false,
            b'*' => stars += 1,
            b'.' if next == Some(&b'.') => return false,
            b'@' if next == Some(&b'{') => return false,
            _ => {}
        }
    }
    stars <= usize::from(star)
        && bytes
            .split(|b| *b == b'/')
            .all(|part| !part.is_empty() && !part.starts_with(b".") && !part.ends_with(b".lock"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_colon_divides() {
        let Some(Spec::Named { src, dst, force }) = parse("+HEAD^{/x:y}:refs/heads/main") else {
            panic!("no named refspec");
        };
        assert_eq!(src, "HEAD^{/x:y}");
        assert_eq!(dst.as_deref(), Some("refs/heads/main"));
        assert!(force);
    }

    #[test]
    fn short_forms_are_known() {
        assert_eq!(parse(":"), Some(Spec::Matching { force: false }));
        assert_eq!(parse("+:"), Some(Spec::Matching { force: true }));
        assert!(matches!(parse("+:x"), Some(Spec::Delete { dst }) if dst == "x"));
        assert!(matches!(parse("@"), Some(Spec::Named { src, .. }) if src == "HEAD"));
        assert!(matches!(parse("@:x"), Some(Spec::Named { src, .. }) if src == "HEAD"));
        assert!(
            matches!(parse("refs/tags/*"), Some(Spec::Glob { dst, .. }) if dst == "refs/tags/*")
        );
        assert!(matches!(
            parse("^refs/heads/main"),
            Some(Spec::Negative { .. })
        ));
    }

    #[test]
    fn what_git_calls_invalid_is_invalid() {
        for bad in [
            "",
            "+",
            "main:",
            "@{u}",
            "@{-1}",
            "a*b:c",
            "a:b*",
            "refs/*/*:refs/*/*",
            "x:a//b",
            "x:/a",
            "x:a/",
            "x~1",
            "refs/heads/ma[i]n",
            "^a:b",
            "x:@{u}",
            "x:a.lock",
            "x:.a",
        ] {
            assert_eq!(parse(bad), None, "{bad}");
        }
    }
}
